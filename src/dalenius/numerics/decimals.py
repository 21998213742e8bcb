"""Closed formulas of a few exact numbers: evaluated with many digits, then rounded outward."""

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import add_down, add_up

DIGITS = 120
BLUR = 1e-45  # absolute error charged for the digits that cancel: fewer than half of them may


def decimal(number: Fraction | int) -> Decimal:
    """An exact number to `DIGITS` digits (within `evaluated`)."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def rounded(value: Decimal, *, most: float = math.inf, positive: bool = False) -> Bracket:
    """Floats around a number that is not negative; a zero is exact unless the number is known to be positive.

    A decimal becomes the nearest float, and the next one on either side is far more than the last digits may be off.
    """
    near = float(value)
    ends = add_down(near, -BLUR), add_up(near, BLUR)
    if value == 0 and not positive:
        return Bracket(0.0, 0.0)
    return Bracket(max(0.0, min(ends[0], most)), min(ends[1], most))


def evaluated(formula: Callable[[], Decimal], *, most: float = math.inf) -> Bracket:
    """The value of a formula in decimals that is not negative.

    >>> print(evaluated(lambda: decimal(Fraction(1, 2)).exp()))
    [1.648, 1.649]
    """
    with localcontext(Context(prec=DIGITS)):
        return rounded(formula(), most=most)
