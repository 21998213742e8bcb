"""A number that we know to lie between two others."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import at_least, at_most


@final
@dataclass(frozen=True, slots=True)
class Bracket:
    """[lower, upper] around a number that we do not know exactly. Comparison has three answers.

    Printed digits round outwards, so that what is read is certified too.

    >>> print(Bracket(1 / 3, 1 / 3))
    [0.3333, 0.3334]
    >>> Bracket(0.2, 0.3).certainly_at_most(Fraction(1, 4)), Bracket(0.2, 0.3).certainly_above(Fraction(1, 4))
    (False, False)
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise InputError(
                f"A bracket needs lower ≤ upper, but got [{self.lower}, {self.upper}]. This is a defect: report it."
            )

    def certainly_at_most(self, target: Fraction) -> bool:
        return self.upper <= target

    def certainly_above(self, target: Fraction) -> bool:
        return self.lower > target

    @property
    def width(self) -> float:
        return self.upper - self.lower if self.upper < math.inf else math.inf

    def join(self, other: "Bracket") -> "Bracket":
        """The bracket of the larger of the two numbers."""
        return Bracket(max(self.lower, other.lower), max(self.upper, other.upper))

    def __str__(self) -> str:
        return self.beside(None)

    def beside(self, wanted: Fraction | None) -> str:
        """The two ends, with enough digits to see on which side of what is wanted each of them is."""
        lower, upper = at_least(self.lower, wanted), at_most(self.upper, wanted)
        return lower if lower == upper else f"[{lower}, {upper}]"


def around(lower: Fraction, upper: Fraction) -> Bracket:
    """Floats around two exact numbers, the nearest ones."""
    low, high = float(lower), float(upper)
    low = low if Fraction(low) <= lower else math.nextafter(low, -math.inf)
    return Bracket(low, high if Fraction(high) >= upper else math.nextafter(high, math.inf))
