"""The form of a guarantee, and what one guarantee implies for other definitions."""

from dalenius.claims.guarantee import Evidence, Guarantee, Verdict, Witness
from dalenius.claims.notion import Notion, notion_of

__all__ = ["Evidence", "Guarantee", "Notion", "Verdict", "Witness", "notion_of"]
