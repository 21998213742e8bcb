"""What tests of a server share with those of the ledger."""

from ledger.conftest import postgres, quick_path

__all__ = ["postgres", "quick_path"]
