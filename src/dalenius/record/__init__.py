"""What is written down: the ledger of all releases, and certificates that can be checked again."""
