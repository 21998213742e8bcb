"""The factor that an epsilon stands for, in few digits."""

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

from dalenius.enclosure.formats import digits
from dalenius.numerics.decimals import DIGITS, decimal, evaluated

CLOSE = Decimal("0.1")
FINEST = Decimal("1e-12")


def factor_of(epsilon: Fraction) -> str:
    """e^epsilon, rounded up: three digits; where it is close to 1, three digits of what is above.

    >>> factor_of(Fraction(1, 2)), factor_of(Fraction(1, 10**4)), factor_of(Fraction(0)), factor_of(Fraction(7))
    ('1.65', '1.000101', '1', '1100')
    """
    if not epsilon:
        return "1"
    with localcontext(Context(prec=DIGITS)):
        above = decimal(epsilon).exp() - 1
        if above < CLOSE:
            step = max(FINEST, Decimal(1).scaleb(above.adjusted() - 2)) if above else FINEST
            near = (above + FINEST**2).quantize(step, rounding=ROUND_CEILING)  # what the digits may be off, and more
            return f"{(1 + near).normalize():f}"
    return digits(evaluated(lambda: decimal(epsilon).exp()).upper, rounding=ROUND_CEILING, places=3)
