"""An audit of tables that are already made: reading them, asking what follows, saying it."""
