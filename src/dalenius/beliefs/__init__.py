"""What the attacker thinks the data are."""
