"""Claims, with their evidence, their assumptions and what would break them."""

from dalenius.guarantees.guarantee import Evidence, Guarantee, Verdict, Witness
from dalenius.guarantees.notion import Notion

__all__ = ["Evidence", "Guarantee", "Notion", "Verdict", "Witness"]
