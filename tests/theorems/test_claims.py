"""The claims behind the hedged count (Pufferfish, appendix G), on a grid, by exact comparison."""

import itertools
import math
from fractions import Fraction

import pytest

from dalenius.mechanisms.hedging import corrected_window

TENTHS = [Fraction(k, 10) for k in range(1, 10)]
LARGER = [Fraction(1), Fraction(3, 2), Fraction(4)]
PAIRS = [(stated, other) for stated, other in itertools.product(TENTHS, repeat=2) if stated != other]


def speaks_for(stated, other, k, n, larger):
    return stated**k * (1 - stated) ** (n - k) >= larger * other**k * (1 - other) ** (n - k)


def end(stated, other, n, larger):
    """The end of Claim G.1, both cases in one, as it is proved there."""
    odds = stated / (1 - stated) / (other / (1 - other))
    return (math.log(larger) + n * math.log((1 - other) / (1 - stated))) / math.log(odds)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_which_counts_speak_for_the_stated_chance(n):
    for (stated, other), larger, k in itertools.product(PAIRS, LARGER, range(n + 1)):
        last = end(stated, other, n, larger)
        if abs(k - last) > 1e-9:
            assert speaks_for(stated, other, k, n, larger) == (k > last if other < stated else k < last)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 4, 9])
def test_counts_that_speak_for_the_stated_chance_are_beyond_the_other(n):
    for (stated, other), larger, k in itertools.product(PAIRS, LARGER, range(n + 1)):
        if speaks_for(stated, other, k, n, larger):
            assert (Fraction(k, n) >= other) if other < stated else (Fraction(k, n) <= other)
            farther = [q for q in TENTHS if (q <= other if other < stated else q >= other)]
            assert all(speaks_for(stated, q, k, n, larger) for q in farther)


def ends(stated, epsilon):
    return [math.exp(s * epsilon / 3) * stated / (math.exp(s * epsilon / 3) * stated + 1 - stated) for s in (-1, 1)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_odds_in_the_window(epsilon):
    for stated in map(float, TENTHS):
        low, high = ends(stated, epsilon)
        inside = [low + (high - low) * k / 8 for k in range(9)]
        for share, q in itertools.product(inside, repeat=2):
            assert abs(math.log((1 - share) / share * q / (1 - q))) <= 2 * epsilon / 3 + 1e-12


@pytest.mark.parametrize(("n", "epsilon", "alpha"), [(60, 3, "2/5"), (120, 2, "1/10"), (400, "3/2", "1/100")])
def test_mixtures_outside_of_the_window_keep_epsilon(n, epsilon, alpha):
    stated, share = Fraction(1, 2), Fraction(alpha)
    window = corrected_window(stated, n, Fraction(epsilon), share)
    assert not window.empty
    low, high = ends(float(stated), float(Fraction(epsilon)))

    def mixed(k, others, q):
        parts = [(share, stated), (1 - share, q)]
        return math.comb(others, k) * sum(w * p**k * (1 - p) ** (others - k) for w, p in parts)

    outside = [Fraction(k, 100) for k in range(101) if not low <= k / 100 <= high]
    for k, q in itertools.product({window.low, (window.low + window.high) // 2, window.high}, outside):
        ratio = mixed(k, n - 1, q) / mixed(k - 1, n - 1, q)
        assert abs(math.log(ratio)) <= float(Fraction(epsilon))
