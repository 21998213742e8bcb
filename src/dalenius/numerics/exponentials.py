"""Sums of exponentials of fractions: their sign, decided exactly, and brackets around their logarithms.

Windows of whole numbers are cut where such a sum changes its sign, and a window that is one too wide breaks a
guarantee. So the sign is not computed but decided.
"""

from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_down, float_up

FEW, MOST = 40, 40 * 2**12  # digits
CANCELLED = Fraction(1, 10**38)  # far more than the last digits of FEW lose


def sign(terms: Iterable[tuple[Fraction | int, Fraction | int]]) -> int:
    """The sign of Σ c e^x over the terms (c, x): -1, 0 or 1, never wrong.

    Exponentials of different fractions are linearly independent over the fractions (Lindemann and Weierstrass), so the
    sum is zero only if the coefficients of each exponent add up to zero; otherwise enough digits decide.

    >>> sign([(1, Fraction(1)), (-3, 0)]), sign([(1, Fraction(1, 2)), (-1, Fraction(1, 2))])
    (-1, 0)
    """
    merged: dict[Fraction, Fraction] = {}
    for coefficient, exponent in terms:
        merged[Fraction(exponent)] = merged.get(Fraction(exponent), Fraction(0)) + coefficient
    live = [(coefficient, exponent) for exponent, coefficient in merged.items() if coefficient]
    if len({coefficient > 0 for coefficient, _ in live}) < 2:
        return 0 if not live else 1 if live[0][0] > 0 else -1
    digits = FEW
    while digits <= MOST:
        bounds = [(c, *_exponential(x, digits)) for c, x in live]
        lower = sum((c * (low if c > 0 else high) for c, low, high in bounds), Fraction(0))
        upper = sum((c * (high if c > 0 else low) for c, low, high in bounds), Fraction(0))
        if lower > 0 or upper < 0:
            return 1 if lower > 0 else -1
        digits *= 2
    raise ArithmeticError("A sum of exponentials is too close to zero to tell its sign. Report this defect.")


@lru_cache(maxsize=512)
def _exponential(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on e^x. Decimal's exp is correctly rounded; the quotient's error is passed on |x| times."""
    if not x:
        return Fraction(1), Fraction(1)
    with localcontext(Context(prec=digits, Emin=-(10**15), Emax=10**15)):
        value = Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())
    slip = (abs(x) + 2) * Fraction(10) ** (1 - digits)
    return value * (1 - slip), value * (1 + slip)


def value(terms: Iterable[tuple[Fraction | int, Fraction | int]]) -> tuple[Fraction, Fraction]:
    """Bounds on Σ c e^x, with some forty digits before cancellation."""
    found = [(Fraction(c), *_exponential(Fraction(x), FEW)) for c, x in terms]
    lower = sum((c * (low if c > 0 else high) for c, low, high in found), Fraction(0))
    return lower, sum((c * (high if c > 0 else low) for c, low, high in found), Fraction(0))


def logarithm(lower: Fraction, upper: Fraction) -> Bracket:
    """Floats around the logarithms of two positive fractions."""
    ends = []
    for number in (lower, upper):
        with localcontext(Context(prec=FEW, Emin=-(10**15), Emax=10**15)):
            ends.append(Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln()))
    # the quotient errs by 1e-39, the logarithm by as much; near 1 that is absolute
    slips = [CANCELLED * (1 + abs(end)) if number != 1 else 0 for end, number in zip(ends, (lower, upper), strict=True)]
    return Bracket(float_down(ends[0] - slips[0]), float_up(ends[1] + slips[1]))
