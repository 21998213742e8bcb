"""The search over known members of two kinds: a box is bounded by no less than any of its members, and tightly."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.beliefs import two_kinds
from dalenius.beliefs.two_kinds import Box, Corner, MovedCorner, Present, TwoKinds
from dalenius.numerics.law import Law
from dalenius.numerics.logconcave import hypergeometric
from oracle import laws as lw
from oracle.balls import upper

EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1), Fraction(3)])


def drawn(ones: int, zeros: int, draws: int) -> lw.Law:
    whole = math.comb(ones + zeros, draws)
    return {
        k: Fraction(math.comb(ones, k) * math.comb(zeros, draws - k), whole)
        for k in range(max(0, draws - zeros), min(ones, draws) + 1)
    }


def worlds(corner: Corner, ones: int, draws: int, left: int) -> tuple[lw.Law, lw.Law]:
    if isinstance(corner, MovedCorner):
        law = drawn(ones, left - ones, draws)
        return law, lw.shift(law, corner.steps)
    return lw.shift(drawn(ones, left - ones, draws - 1), 1), drawn(ones, left - ones, draws)


def truth(corner: Corner, ones: int, draws: int, left: int, epsilon: Fraction) -> Fraction:
    return upper(lw.both_ways(*worlds(corner, ones, draws, left), epsilon))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Corner, Box, int]:
    corner: Corner = draw(st.sampled_from([MovedCorner(1), MovedCorner(2), Present()]))
    left = draw(st.integers(2, 14))
    least = 1 if isinstance(corner, Present) else 0
    ones = sorted(draw(st.lists(st.integers(0, left), min_size=2, max_size=2)))
    draws = sorted(draw(st.lists(st.integers(least, left), min_size=2, max_size=2)))
    return corner, (ones[0], ones[1], draws[0], draws[1]), left


def members(box: Box) -> itertools.product:
    return itertools.product(range(box[0], box[1] + 1), range(box[2], box[3] + 1))


@given(case=cases(), epsilon=EPSILONS)
def test_a_box_is_bounded_by_its_corners(case: tuple[Corner, Box, int], epsilon: Fraction) -> None:
    corner, box, left = case
    worst = max(truth(corner, ones, draws, left, epsilon) for ones, draws in members(box))
    assert worst <= Fraction(corner.bound(box, left, epsilon)) + Fraction(1, 10**30)
    single = (box[0], box[0], box[2], box[2])
    exactly = truth(corner, box[0], box[2], left, epsilon)
    assert corner.bound(single, left, epsilon) == pytest.approx(float(exactly), rel=1e-9, abs=1e-13)


@given(case=cases(), epsilon=EPSILONS)
def test_the_search_finds_the_worst(case: tuple[Corner, Box, int], epsilon: Fraction) -> None:
    corner, box, left = case
    worst = max(truth(corner, ones, draws, left, epsilon) for ones, draws in members(box))
    found = TwoKinds(corner, box, left).delta(epsilon)
    assert Fraction(found.lower) - Fraction(1, 10**12) <= worst <= Fraction(found.upper) + Fraction(1, 10**30)
    assert found.width <= 2e-3 * found.upper + 1e-12


@pytest.mark.parametrize("corner", [MovedCorner(1), Present()])
def test_a_search_that_is_stopped_is_still_a_bound(corner: Corner, monkeypatch: pytest.MonkeyPatch) -> None:
    box, left, epsilon = (5, 40, 3, 30), 100, Fraction(1, 2)
    whole = TwoKinds(corner, box, left).delta(epsilon)
    for budget in (0, 1, 7, 60):
        monkeypatch.setattr(two_kinds, "BUDGET", budget)
        found = TwoKinds(corner, box, left).delta(epsilon)
        assert found.lower <= whole.upper and whole.lower <= found.upper
    monkeypatch.setattr(two_kinds, "BUDGET", 4000)
    monkeypatch.setattr(two_kinds, "EARLIEST", 0)
    for enough in (Fraction(1, 10**6), Fraction(99, 100)):
        found = TwoKinds(corner, box, left, enough).delta(epsilon)
        assert found.lower <= whole.upper and whole.lower <= found.upper
        assert found.lower > enough or found.upper <= enough


@pytest.mark.slow
@pytest.mark.parametrize("corner", [MovedCorner(1), MovedCorner(2), Present()])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2)])
def test_all_boxes_of_seven_members(corner: Corner, epsilon: Fraction) -> None:
    left, least = 7, int(isinstance(corner, Present))
    deltas = {}
    for ones, draws in itertools.product(range(left + 1), range(least, left + 1)):
        first, second = worlds(corner, ones, draws, left)
        directions = (lw.hockey_stick(first, second, epsilon), lw.hockey_stick(second, first, epsilon))
        deltas[ones, draws] = tuple(float(upper(delta)) for delta in directions)
    for (low, few), (high, many) in itertools.product(deltas, repeat=2):
        if low <= high and few <= many:
            bounds = corner.bounds((low, high, few, many), left, epsilon)
            for direction in (0, 1):
                worst = max(deltas[member][direction] for member in members((low, high, few, many)))
                assert worst <= bounds[direction] * (1 + 1e-12)


def test_masses_that_may_be_too_small_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def low(ones: int, zeros: int, draws: int) -> Law:
        law = hypergeometric(ones, zeros, draws)
        return Law(law.start, law.mass * 0.99, law.mass * 0.02, law.tail)

    monkeypatch.setattr(two_kinds, "hypergeometric", low)
    for corner in (MovedCorner(1), Present()):
        worst = truth(corner, 20, 15, 60, Fraction(1, 10))
        assert worst <= Fraction(corner.bound((20, 20, 15, 15), 60, Fraction(1, 10)))


def test_an_error_of_a_law_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws that are cut short: what they leave out counts."""
    monkeypatch.setattr("dalenius.numerics.logconcave.FLOOR", 0.05)
    for corner in (MovedCorner(1), Present()):
        worst = truth(corner, 20, 15, 60, Fraction(1))
        assert worst <= Fraction(corner.bound((20, 20, 15, 15), 60, Fraction(1)))
        found = TwoKinds(corner, (20, 20, 15, 15), 60).delta(Fraction(1))
        assert Fraction(found.lower) <= worst <= Fraction(found.upper)
