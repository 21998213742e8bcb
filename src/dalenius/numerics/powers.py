r"""Products of powers of fractions, compared with one: exactly, however large the exponents are.

To compare two likelihoods is to find the sign of $ \sum_i e_i \ln b_i $. The numerators and denominators of the b_i are
split into numbers without common factors (a coprime base). Logarithms of such numbers, all above 1, are linearly
independent over the fractions, so the sum is zero exactly if every exponent is; if it is not, enough digits show its
sign. No power is ever formed: exponents of a million cost as much as those of ten.
"""

from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError

FIRST_DIGITS = 30


def coprime(parts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Numbers above 1 without common factors, with exponents: the same product of powers.

    >>> sorted(coprime([(12, 1), (18, -1)]))
    [(2, 1), (3, -1)]
    """
    found: list[tuple[int, int]] = []
    todo = list(parts)
    while todo:  # the product of all numbers falls each time that two share a factor
        number, exponent = todo.pop()
        if number == 1 or exponent == 0:
            continue
        for place, (other, power) in enumerate(found):
            common = gcd(number, other)
            if common > 1:
                del found[place]
                todo += [(number // common, exponent), (other // common, power), (common, exponent + power)]
                break
        else:
            found.append((number, exponent))
    return found


def sign(bases: Sequence[Fraction], exponents: Sequence[int]) -> int:
    """1 if the product of the powers is above one, -1 if it is below, 0 if it is one.

    Cost: some logarithms of 30 digits; more digits only for products that are close to one.

    >>> sign([Fraction(1, 4), Fraction(3, 4)], [10**6, -(10**6)]), sign([Fraction(4), Fraction(1, 8)], [3, 2])
    (-1, 0)
    """
    if any(base <= 0 for base in bases):
        raise InputError(
            f"Powers are compared for numbers above 0, but got {min(bases)}. Leave out what is impossible."
        )
    parts = [part for b, e in zip(bases, exponents, strict=True) for part in ((b.numerator, e), (b.denominator, -e))]
    base = coprime(parts)
    if not base:
        return 0
    places = FIRST_DIGITS
    while True:
        context = Context(prec=places, Emax=MAX_EMAX, Emin=MIN_EMIN)
        terms = [context.multiply(context.ln(Decimal(number)), Decimal(exponent)) for number, exponent in base]
        total, size = Decimal(0), Decimal(0)
        for term in terms:
            total, size = context.add(total, term), context.add(size, abs(term))
        # each logarithm, product and sum errs by at most a unit in the last of its digits
        if abs(total) > size * (len(base) + 4) * Decimal(10) ** (2 - places):
            return 1 if total > 0 else -1
        places *= 2


def exponents_in_base(numbers: Sequence[Fraction]) -> NDArray[np.int64]:
    """Each number as exponents over one coprime base, a row each: two products of powers are equal if and only if their
    exponents are.

    >>> exponents_in_base([Fraction(3, 4), Fraction(1, 4)]).tolist()  # over 3 and 4
    [[1, -1], [0, -1]]
    """
    wholes = {part for number in numbers for part in (number.numerator, number.denominator)}
    base = sorted(number for number, _ in coprime((whole, 1) for whole in wholes))
    rows = [[_valuation(n.numerator, b) - _valuation(n.denominator, b) for b in base] for n in numbers]
    return np.array(rows, dtype=np.int64).reshape(len(numbers), len(base))


def _valuation(number: int, factor: int) -> int:
    """How often the factor divides the number."""
    found = 0
    while number % factor == 0:
        number, found = number // factor, found + 1
    return found
