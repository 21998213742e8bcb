"""Claims, with their evidence, their assumptions and what would break them."""

from dalenius.claims import Evidence, Guarantee, Notion, Verdict, Witness

__all__ = ["Evidence", "Guarantee", "Notion", "Verdict", "Witness"]
