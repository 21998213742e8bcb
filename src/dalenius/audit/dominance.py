"""How far apart the possible values of a hidden sum must be, so that nobody comes too near to what one respondent
added: the p % rule and the (n, k) rule, as what an interval must reach (`Sought.reach`).

Both look at a respondent of the cell itself, who takes their own part off whatever is known of the sum.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from dalenius.basics.errors import InputError


def p_percent(
    total: Fraction | int, largest: Sequence[Fraction | int], *, p: Fraction | int, q: Fraction | int = 100
) -> tuple[int, int] | None:
    """What the interval of a sum must reach so that the second largest respondent cannot tell the largest part x₁ to
    within p %: they know their own part x₂ and that the others add at least nothing, so that x₁ is at most the largest
    possible sum less x₂. With q below 100 everybody is known to within q % beforehand. None if the sum itself may be
    shown: the others together are enough.

    The sum must be able to be larger, and smaller, by (p / q) · x₁ - (total - x₁ - x₂), rounded outwards.

    >>> p_percent(110, (100, 8), p=10)  # the others add 2, and 10 are needed
    (102, 118)
    >>> p_percent(150, (100, 8), p=10) is None
    True
    """
    _check(total, largest, at_least=1)
    if not (p > 0 and 0 < q <= 100):
        raise InputError(f"The p % rule needs p above 0 and q above 0 and up to 100, but got p={p} and q={q}.")
    first, second = Fraction(largest[0]), Fraction(largest[1] if len(largest) > 1 else 0)
    return _around(total, Fraction(p) / Fraction(q) * first - (total - first - second))


def n_k(
    total: Fraction | int, largest: Sequence[Fraction | int], *, n: int, k: Fraction | int
) -> tuple[int, int] | None:
    """What the interval of a sum must reach so that the n largest parts could be no more than k % of it. None if they
    are no more as it is.

    >>> n_k(100, (60, 30), n=2, k=75)
    (80, 120)
    >>> n_k(100, (40, 30), n=2, k=75) is None
    True
    """
    if not (0 < k <= 100 and n >= 1):
        raise InputError(f"The (n, k) rule needs n from 1 and k above 0 and up to 100, but got n={n} and k={k}.")
    _check(total, largest, at_least=min(n, len(largest)))
    top = sum((Fraction(part) for part in largest[:n]), Fraction(0))
    return _around(total, Fraction(100) / Fraction(k) * top - total)


def _around(total: Fraction | int, by: Fraction) -> tuple[int, int] | None:
    """So much below and above a sum; a sum of parts that are not negative cannot be below nothing."""
    return None if by <= 0 else (max(0, floor(total - by)), ceil(total + by))


def _check(total: Fraction | int, largest: Sequence[Fraction | int], *, at_least: int) -> None:
    fine = len(largest) >= max(1, at_least) and all(part >= 0 for part in largest) and sum(largest) <= total
    if not fine or list(largest) != sorted(largest, reverse=True):
        raise InputError(
            f"A rule about the largest parts needs at least {max(1, at_least)} of them, not negative, the largest "
            f"first, and together at most the sum, but got {len(largest)} that are not so. List them in this way."
        )
