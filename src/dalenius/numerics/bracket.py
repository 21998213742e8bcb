"""A number that we know to lie between two others."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError

SHOWN = 40  # digits of a number that has to differ from another one
MOST_DIGITS = 1100  # more than a float has


def digits(number: float, *, rounding: str, places: int = 4) -> str:
    """`number` with `places` significant digits, rounded in the stated direction."""
    if number == 0 or not math.isfinite(number):
        return {0.0: "0", math.inf: "∞", -math.inf: "-∞"}.get(number, "nan")
    return _plainly(Decimal(number), rounding, places)


def _plainly(exact: Decimal, rounding: str, places: int) -> str:
    with localcontext(Context(prec=MOST_DIGITS)):
        rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - places + 1), rounding=rounding)
    power = rounded.adjusted()
    if -4 <= power < 16:
        plain = f"{rounded:f}"
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa = f"{rounded.scaleb(-power):f}"
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power}"


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


def at_least(number: float, beside: Fraction | None = None) -> str:
    """`number` with four digits, rounded down; with more where it takes them to be above `beside` as the number is."""
    return _beside(number, beside, ROUND_FLOOR)


def at_most(number: float, beside: Fraction | None = None) -> str:
    """`number` with four digits, rounded up; with more where it takes them to be at most `beside`, as the number is.

    >>> at_most(9.99901e-7), at_most(9.99901e-7, Fraction("9.9995e-7"))
    ('1e-6', '9.9991e-7')
    """
    return _beside(number, beside, ROUND_CEILING)


def _beside(number: float, other: Fraction | None, rounding: str) -> str:
    places, text = 4, digits(number, rounding=rounding)
    while other is not None and math.isfinite(number) and (Fraction(text) > other) != (number > other):
        places += 1  # comes to an end: with all its digits the text is the number
        text = digits(number, rounding=rounding, places=places)
    return text


def apart(number: Fraction | int, limit: Fraction | int) -> str:
    """A number with six digits, or as many as it takes to see that it is not the other one.

    >>> apart(Fraction("0.5000001"), Fraction(1, 2)), apart(Fraction(1, 3), Fraction(1, 2)), apart(1, 1)
    ('0.5000001', '0.333333', '1')
    >>> apart(1 + Fraction(1, 10**400), 1)
    '1 + 1e-400'
    """
    with localcontext(Context(prec=SHOWN)):
        whole = Decimal(number.numerator) / Decimal(number.denominator)
    for places in range(6, SHOWN):
        text = _plainly(whole, ROUND_HALF_EVEN, places) if whole else "0"
        read = Fraction(text)
        if number == limit or (read > limit, read < limit) == (number > limit, number < limit):
            return text
    with localcontext(Context(prec=3, Emin=-(10**9))):
        off = Fraction(number - limit)
        return f"{limit} {'+' if off > 0 else '-'} {Decimal(abs(off.numerator)) / Decimal(off.denominator)!s}".lower()


def raised(number: Fraction, places: int = 6) -> str:
    """A number above 0 with so many digits where they are all, else rounded up.

    >>> raised(Fraction(11, 5)), raised(Fraction(1, 3))
    ('2.2', '0.333334')
    """
    near = f"{float(number):.{places}g}"
    if Fraction(near) >= number:
        return near
    return digits(math.nextafter(float(number), math.inf), rounding=ROUND_CEILING, places=places)


def around(lower: Fraction, upper: Fraction) -> Bracket:
    """Floats around two exact numbers, the nearest ones."""
    low, high = float(lower), float(upper)
    low = low if Fraction(low) <= lower else math.nextafter(low, -math.inf)
    return Bracket(low, high if Fraction(high) >= upper else math.nextafter(high, math.inf))


def short(number: Fraction) -> str:
    """A number with three digits where they are all, else with all that a float has.

    >>> short(Fraction(1, 10**6)), short(Fraction(1, 2)), short(Fraction(12345, 10**8)), short(Fraction(1, 10**400))
    ('1e-6', '0.5', '0.00012345', '1e-400')
    """
    if number and abs(number) < Fraction(1, 10**300):
        return f"{Decimal(number.numerator) / Decimal(number.denominator):.3g}".lower()
    few = digits(float(number), rounding=ROUND_HALF_EVEN, places=3)
    return few if Fraction(few) == number else str(float(number))
