"""Rounded figures at every place: all errors of the table count, in both directions, and so do its tails."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.numerics import residues
from dalenius.numerics.law import Law
from dalenius.numerics.residues import ResidueCurve
from numerics.checks import as_wrong_as_it_may_be, holds
from oracle import balls
from oracle import laws as lw

F = Fraction
P, Q = {0: F(1, 10), 1: F(9, 10)}, {0: F(1, 1000), 1: F(999, 1000)}


def table(first: Law, second: Law, *, forth: bool = True) -> ResidueCurve:
    """Two places of a figure of period two: one law against the other."""
    rows = (first, second) if forth else (second, first)
    start, stop = min(law.start for law in rows), max(law.stop for law in rows)
    windows = [law.window(start, stop) for law in rows]
    mass, error = (np.array([window[i] for window in windows]) for i in (0, 1))
    return ResidueCurve(mass, error, max(law.tail for law in rows), 2, 1, np.array([[0, 1]]))


@pytest.mark.parametrize("which", ["P", "Q"])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("epsilon", [F(0), F(1), F(2)])
@pytest.mark.parametrize("forth", [True, False])
def test_every_error_counts_in_every_direction(which: str, sign: int, epsilon: Fraction, forth: bool) -> None:
    moves = {k: sign * F(1, 2000) for k in P}
    none: dict[int, Fraction] = {}
    first = as_wrong_as_it_may_be(P, moves if which == "P" else none, [0, 1])
    second = as_wrong_as_it_may_be(Q, moves if which == "Q" else none, [0, 1])
    bracket = table(first, second, forth=forth).delta(epsilon)
    assert holds(bracket, lw.both_ways(P, Q, epsilon))
    assert bracket.width <= 0.02


def test_a_table_has_the_errors_of_its_laws() -> None:
    law = Law(0, np.array([0.5, 0.5]), np.array([0.125, 0.25]), 0.0625)
    found = ResidueCurve.of(law, lambda one: one, 2, [(0, 1)])
    assert found.error.tolist() == [[0.125, 0.25, 0.0], [0.0, 0.125, 0.25]]
    assert (found.tail, found.step) == (0.0625, 2)
    _, error = found._moved(np.array([0]), 1, 1)
    assert error.tolist() == [[0.0, 0.0, 0.125, 0.25, 0.0]]


@pytest.mark.parametrize("move", [-(10**15), -4, 4, 10**15])
def test_worlds_that_are_far_apart_share_nothing_and_need_no_room_between_them(move: int) -> None:
    law = Law(0, np.array([0.5, 0.5]), np.zeros(2))
    found = ResidueCurve.of(law, lambda one: one, 2, [(0, move)]).delta(F(1))
    assert (found.lower, found.upper) == pytest.approx((1.0, 1.0), abs=1e-14)


def test_worlds_whose_distance_64_bits_do_not_hold_are_refused() -> None:
    with pytest.raises(InputError, match=r"less than 2\^62 units apart"):
        ResidueCurve.of(Law(0, np.ones(1), np.zeros(1)), lambda one: one, 2, [(0, 2**62)])


@pytest.mark.parametrize("forth", [True, False])
def test_the_tail_of_one_world_counts_as_impossible_in_the_other(forth: bool) -> None:
    p, q = {0: F(3, 4), 9: F(1, 4)}, {0: F(1)}
    stored = Law(0, np.array([0.75]), np.zeros(1), 0.25)
    bracket = table(stored, Law(0, np.ones(1), np.zeros(1)), forth=forth).delta(F(1, 2))
    assert holds(bracket, lw.both_ways(p, q, F(1, 2)))


def test_a_tail_beside_which_a_mass_is_lost_is_rounded_up() -> None:
    tail = F(1023, 1024)
    p, q = {0: F(1e-20), 1: 1 - tail - F(1e-20), 9: tail}, {1: 1 - tail, 10: tail}
    stored = Law(0, np.array([1e-20, 1 / 1024]), np.zeros(2), float(tail))
    bracket = table(stored, Law(1, np.full(1, 1 / 1024), np.zeros(1), float(tail))).delta(F(7))
    assert bracket.upper >= tail + F(1e-20)
    assert holds(bracket, lw.both_ways(p, q, F(7)))


@pytest.mark.parametrize("forth", [True, False])
def test_what_the_other_world_may_have_beyond_its_window_is_taken_off(forth: bool) -> None:
    p, q = {0: F(1, 2), 1: F(1, 2)}, {0: F(9, 10), 1: F(1, 10)}
    stored = Law(0, np.array([0.9]), np.array([1e-16]), 0.1 + 1e-16)
    bracket = table(Law(0, np.array([0.5, 0.5]), np.zeros(2)), stored, forth=forth).delta(F(1))
    assert holds(bracket, lw.both_ways(p, q, F(1)))


@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)])
def test_an_exponential_that_is_known_roughly_widens_both_ends(
    epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = math.exp(float(epsilon))
    monkeypatch.setattr(residues, "exponential", lambda _: (value * 0.99, value * 1.01))
    stored = [as_wrong_as_it_may_be(law, {}, [0, 1]) for law in (P, Q)]
    truth = lw.both_ways(P, Q, epsilon)
    bracket = table(*stored).delta(epsilon)
    assert F(bracket.lower) < balls.lower(truth) < F(bracket.upper)
    assert 1e-5 <= bracket.width <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_long_sum_is_charged_for_its_rounding(seed: int) -> None:
    """Masses without any error, and a law that is elsewhere: only the sum is rounded, and the truth is exact."""
    mass = np.random.default_rng(seed).uniform(0, 1, 20_001) ** 3 / 8000
    truth = sum(map(F, mass.tolist()))
    whole = table(Law(0, mass, np.zeros(len(mass))), Law(20_001, np.zeros(1), np.zeros(1)))
    bracket = whole.delta(F(0))
    assert F(bracket.lower) <= truth <= F(bracket.upper)
    assert bracket.width <= 1e-13


def test_the_tail_of_the_law_is_that_of_every_place() -> None:
    law = Law(0, np.array([0.5, 0.25]), np.zeros(2), 0.25)
    curve = ResidueCurve.of(law, lambda some: some.pushed(np.arange(some.start, some.stop) // 2), 2, [(0, 1)])
    assert curve.tail >= 0.25
