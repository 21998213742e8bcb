"""A binomial count against the same count plus one, for up to a million records and more.

With alpha = e^epsilon, H(S || S+1) is the sum over j of max(0, P(j) - alpha P(j-1)). The ratio
P(j) / P(j-1) = (n-j+1) p / (j (1-p)) falls in j, so the positive terms are those up to a cut;
they are added downwards from the cut, until a geometric series bounds the rest.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from flint import arb

from .balls import BITS, ball, between, exponential, lower, precise
from .laws import Law, binomial


def shift_profile(n: int, p: Fraction, epsilon: Fraction) -> tuple[arb, arb]:
    """H(S || S+1) and H(S+1 || S) for S ~ Bin(n, p), n counting the unknown other records.

    Counting zeros instead of ones swaps the directions: n - S ~ Bin(n, 1-p).
    """
    return _above_the_shift(n, p, epsilon), _above_the_shift(n, 1 - p, epsilon)


@precise
def _above_the_shift(n: int, p: Fraction, epsilon: Fraction) -> arb:
    if n == 0 or p in (0, 1):
        return arb(1)
    alpha = exponential(epsilon)
    j = cut(n, p, epsilon)
    mass, excess = pmf(n, p, j), arb(0)
    odds = ball((1 - p) / p)
    negligible = arb(2) ** -(BITS - 20)
    while True:
        down = odds * j / (n - j + 1)  # P(j-1) / P(j), which falls as j falls
        excess += mass * (1 - alpha * down).nonnegative_part()
        if j == 0:
            return excess
        mass, j = mass * down, j - 1
        if down < 1 and (rest := mass / (1 - down)) < excess * negligible:
            return excess + between(arb(0), rest)


def cut(n: int, p: Fraction, epsilon: Fraction) -> int:
    """The largest j with P(j) > e^epsilon P(j-1): j (e^epsilon (1-p) + p) < (n+1) p.

    For rational epsilon other than 0 equality is impossible. At 0 the comparison is exact.
    """
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _rises(n, p, epsilon, middle) else (low, middle)
    return low


@precise
def _rises(n: int, p: Fraction, epsilon: Fraction, j: int) -> bool:
    if epsilon == 0:
        return j < (n + 1) * p
    gap = ball((n + 1 - j) * p) - exponential(epsilon) * ball(j * (1 - p))
    if gap > 0 or gap < 0:
        return bool(gap > 0)
    raise ArithmeticError(f"{BITS} bits cannot place the cut for n={n}, p={p}, epsilon={epsilon}")


@precise
def pmf(n: int, p: Fraction, k: int) -> arb:
    """P(Bin(n, p) = k) for 0 < p < 1, with a relative error near 2^-230."""
    logarithm = (
        arb(n + 1).lgamma()
        - arb(k + 1).lgamma()
        - arb(n - k + 1).lgamma()
        + k * ball(p).log()
        + (n - k) * ball(1 - p).log()
    )
    return logarithm.exp()


@precise
def closed_form_profile(n: int, p: Fraction, epsilon: Fraction) -> tuple[arb, arb]:
    """The same two numbers by the published closed form, with exact cumulative sums.

    With w = p / (1-p) and F the cumulative distribution:
    H(S || S+1) = F(k) - alpha F(k-1), k = ceil((n+1) w / (alpha+w)) - 1;
    H(S+1 || S) = P(S >= j-1) - alpha P(S >= j), j = floor(alpha w (n+1) / (1 + alpha w)) + 1.
    """
    law, w = binomial(n, p), p / (1 - p)
    alpha = exponential(epsilon)
    rational = lower(alpha)  # exactly 1 at epsilon = 0; otherwise no integer is this close
    k = ceil((n + 1) * w / (rational + w)) - 1
    j = floor(rational * w * (n + 1) / (1 + rational * w)) + 1
    first = ball(_mass(law, 0, k)) - alpha * ball(_mass(law, 0, k - 1))
    return first, ball(_mass(law, j - 1, n)) - alpha * ball(_mass(law, j, n))


def _mass(law: Law, start: int, end: int) -> Fraction:
    return sum((law.get(k, Fraction(0)) for k in range(start, end + 1)), Fraction(0))
