r"""The ∞-Wasserstein distance of two laws: the largest distance that some mass must go when one is moved to the other.

$$ W_\infty(P, Q) = \min\{d : F_P(k) \le F_Q(k + d) \text{ and } F_Q(k) \le F_P(k + d) \text{ for all } k\} $$

It is an essential supremum, so tails matter however little mass they have: laws must be known without a tail. Sums from
the left decide in the left half, sums from the right in the right half, and outcomes without mass have none exactly.
What rounding leaves open is counted as "not certain" on both sides; `exact_distance` decides it for laws of fractions.
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure import recurrences
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Floats, Law


def distance(p: Law, q: Law) -> tuple[int, int]:
    """Lower and upper bound on the distance, which agree unless sums of the two laws nearly tie. Cost O(n log n)."""
    if p.tail or q.tail:
        raise PreconditionError(
            "The distance between laws needs every outcome, but the laws have tails. Use fewer records, or the Markov "
            "quilt mechanism."
        )
    one, two = _Sums(p), _Sums(q)
    found = [_needed(a, b) for a, b in ((one, two), (two, one))]
    return max(low for low, _ in found), max(high for _, high in found)


class _Sums:
    """Bounds on P(K < start + i) and on P(K >= start + i) for i = 0, 1, ..., made monotone."""

    def __init__(self, law: Law) -> None:
        sums = Intervals.of(law)
        self.start = law.start
        self.below = np.maximum.accumulate(sums.left[0]), np.minimum.accumulate(sums.left[1][::-1])[::-1]
        self.above = np.maximum.accumulate(sums.right[0][::-1])[::-1], np.minimum.accumulate(sums.right[1])


def _needed(p: _Sums, q: _Sums) -> tuple[int, int]:
    """The least d with F_P(k) <= F_Q(k + d) for all k: at least, at most."""
    places = np.arange(len(p.below[0])) + p.start - q.start
    # the first i from which on P(K < k) <= Q(K < i), that is P(K >= k) >= Q(K >= i)
    sure = np.minimum(
        np.searchsorted(q.below[0], p.below[1], side="left"),
        len(q.above[1]) - np.searchsorted(q.above[1][::-1], p.above[0], side="right"),
    )
    least = np.maximum(
        np.searchsorted(q.below[1], p.below[0], side="left"),
        len(q.above[0]) - np.searchsorted(q.above[0][::-1], p.above[1], side="right"),
    )
    # i = 0 is P(K < k) = 0, which asks for nothing: q's window may begin before or after its mass
    low, high = (int(np.where(found > 0, found - places, 0).max()) for found in (least, sure))
    return max(0, low), max(0, high)


def exact_distance(p: Mapping[int, Fraction], q: Mapping[int, Fraction]) -> int:
    """The distance between two laws of fractions. Cost O(support).

    >>> exact_distance({0: Fraction(1, 2), 2: Fraction(1, 2)}, {1: Fraction(1)})
    1
    """
    ends = [sorted(k for k in law if law[k]) for law in (p, q)]
    found, i, j = 0, 0, 0
    left, right = p[ends[0][0]], q[ends[1][0]]
    while True:  # the quantiles of both laws, jump by jump
        found = max(found, abs(ends[0][i] - ends[1][j]))
        step = min(left, right)
        left, right = left - step, right - step
        if not left:
            i += 1
            if i == len(ends[0]):
                return found
            left = p[ends[0][i]]
        if not right:
            j += 1
            if j == len(ends[1]):
                return found
            right = q[ends[1][j]]


def smoothed(laws: list[Law], *, scale: float) -> tuple[Floats, Floats]:
    r"""Bounds on Σ_j P(j) exp(-|k - j| / scale) at every k of a common window, a row for each law.

    Up to a factor that is the same for all laws, this is the density at k of P plus Laplace noise, and the mass at k of
    P plus two-sided geometric noise. Between two neighbouring k the density is A/u + Bu with u = exp(y/scale), so the
    ratio of two of them is (A + Bu²)/(C + Du²), which is monotone in u: the extremes of the ratio are at whole numbers,
    and beyond the window it does not change. So Laplace and geometric noise of one scale give the same ε.
    """
    start, stop = min(law.start for law in laws), max(law.stop for law in laws)
    x = (-1 / Balls.rounded(scale)).exp()
    least, most = (
        recurrences.smoothed(np.array([pick(*law.window(start, stop)) for law in laws]), x)
        for pick in (least_masses, largest_masses)
    )
    return least.positive, most.upper
