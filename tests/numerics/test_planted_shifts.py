"""Ranges of shifts of laws that are as wrong as they say: one bound for all of a range must hold for each of it."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.law import Law
from dalenius.numerics.search import Boxes, Family, Removal, Windows, worst
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import as_wrong_as_it_may_be
from oracle import balls
from oracle import laws as lw

F = Fraction
RISING = {k: F(k + 1, 36) for k in range(8)}
FALLING = {7 - k: mass for k, mass in RISING.items()}
RUGGED = {k: F(m, 40) for k, m in enumerate((1, 9, 2, 8, 1, 10, 3, 6))}
SHIFTS = (1, 2, 3, 5, 6, 7)


@pytest.mark.parametrize("exact", [RISING, FALLING, RUGGED])
@pytest.mark.parametrize("move", [F(0), F(1, 400), F(-1, 400)])
@pytest.mark.parametrize("kept", [range(8), range(1, 8), range(6)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2)])
def test_a_bound_for_a_range_of_shifts_holds_for_each(
    exact: lw.Law, move: Fraction, kept: range, epsilon: Fraction
) -> None:
    curve = ShiftCurve(as_wrong_as_it_may_be(exact, dict.fromkeys(exact, move), kept), SHIFTS)
    truths = [balls.lower(lw.both_ways(exact, lw.shift(exact, shift), epsilon)) for shift in SHIFTS]
    for first in range(6):
        for stop in range(first + 2, 7):
            assert max(truths[first:stop]) <= F(curve._most((first, stop), epsilon))
    assert max(truths) <= F(curve.delta(epsilon).upper)
    at = np.array([float(epsilon), 3.0])
    assert max(truths) <= F(float(curve.knots(at)[1][0]))


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_moved_law_may_be_smaller_than_it_is_stored(sign: int) -> None:
    """Two humps that are stored too small, and between them a point that is stored too large."""
    exact = {0: F(11, 20), 1: F(1, 20), 2: F(8, 20)}
    moves = {k: F(sign * (-1) ** k, 100) for k in exact}
    curve = ShiftCurve(as_wrong_as_it_may_be(exact, moves, range(3)), SHIFTS)
    for shift in (1, 2):
        truth = lw.both_ways(exact, lw.shift(exact, shift), F(0))
        assert balls.lower(truth) <= F(curve._most((shift - 1, shift), F(0)))


def test_a_large_tail_does_not_swallow_a_small_excess_of_a_range() -> None:
    law = Law(0, np.array([2.0**-60]), np.zeros(1), 0.1)
    assert F(ShiftCurve(law, SHIFTS)._most((0, 6), F(0))) >= F(0.1) + F(2.0**-60)


def rough(_: Removal) -> Bracket:
    return Bracket(0.25, 0.5)


@pytest.mark.parametrize("family", [Windows(2, 0, 40), Boxes(3, (0, 0, 0), (3, 3, 3))])
@pytest.mark.parametrize("budget", [2, 6, 1000])
def test_a_search_over_rough_brackets_reports_their_upper_ends(family: Family, budget: int) -> None:
    """Any number in a bracket may be the true one, also the largest."""
    bracket, _ = worst(family, rough, budget=budget)
    assert bracket.upper >= 0.5
    assert bracket.lower <= 0.25
    for enough in (0.1, 0.3, 0.6):
        assert worst(family, rough, enough=enough, budget=budget)[0].upper >= 0.5
