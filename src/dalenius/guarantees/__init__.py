"""Claims, with their evidence, their assumptions and what would break them."""

from dalenius.guarantees.guarantee import Evidence, Guarantee, Verdict, Witness

__all__ = ["Evidence", "Guarantee", "Verdict", "Witness"]
