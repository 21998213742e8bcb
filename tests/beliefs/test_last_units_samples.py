"""Rounding in sizes of samples, parts of curves and moves: met or planted, and made up for."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dalenius.beliefs import sample_sizes
from dalenius.beliefs.coins import CoinsCurve
from dalenius.beliefs.interpreter import MeanCurve
from dalenius.beliefs.sample_sizes import Discarding, others_in_sample, poisson_bound, repaired_bound
from dalenius.enclosure.floats import UNIT
from dalenius.numerics.curve import Constant
from dalenius.numerics.law import Law
from dalenius.tables import moves, packing
from numerics.test_last_units import LOSES, TERMS, summed
from oracle import balls

F = Fraction
SEEDS = range(12)
NONE = np.zeros(TERMS)


# -- thresholds ---------------------------------------------------------------------------------------------------


def test_what_is_added_to_a_bound_is_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_sizes, "_power", lambda *_: 0.05 * UNIT)
    assert F(repaired_bound(5, 1, 0.25)) >= F(1, 4) + 2 * F(0.05 * UNIT)


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_large_threshold_at_a_small_epsilon_is_rounded_up(seed: int) -> None:
    """e^-ε - 1 + ε is about ε²/2, of numbers about ε; and far out it is less than any float, but not nothing."""
    at = F(int(np.random.default_rng(seed).integers(10**6, 10**7)), 10**9)
    rate, least = balls.ball(at), 10**6
    truth = (rate - least * ((-rate).expm1() + rate)).exp()
    assert balls.upper(truth) <= F(poisson_bound(least, at)) <= balls.lower(truth) * (1 + F(1, 10**9))
    assert poisson_bound(10**9, at) > 0


# -- sizes --------------------------------------------------------------------------------------------------------


def test_a_size_that_is_not_sure_moves_the_others() -> None:
    """With none, one or two records; one of them has less than stated, so that two are likelier."""
    stated = Law(0, np.array([0.5, 0.25, 0.25]), np.array([0.1, 0.1, 0.0]))
    found = others_in_sample(stated, person=1)
    assert abs(float(found.mass[1]) - 0.25 / 0.4) <= found.error[1]
    rare = Law(0, np.array([0.5, 1e-6, 0.5 - 1e-6]), np.array([0.1, 0.1, 0.0]))
    found = others_in_sample(rare, person=1)
    assert abs(float(found.mass[0]) - 0.1 / 0.6) <= found.error[0]


def test_the_sum_over_sizes_may_lose_what_is_added() -> None:
    found = others_in_sample(Law(1, LOSES, NONE), person=1)
    truth = F(1, 4) / summed(LOSES)
    assert abs(F(float(found.mass[0])) - truth) <= F(float(found.error[0]))


@balls.precise
def test_the_law_of_what_is_left_is_off_by_no_more_than_stated() -> None:
    scheme = Discarding(3000, F(1, 3), F(1, 10**6))
    law, t = scheme.sizes, scheme.usual
    x = balls.exponential(F(-1, 3))
    for left in (*range(0, 2900, 29), *range(2900, 3001)):
        gone = 3000 - left
        truth = x ** abs(gone - t) / (1 + x) * (1 - x if 0 < gone < 3000 else 1)
        off = abs(arb(float(law.mass[left])) - truth)
        assert balls.upper(off) <= F(float(law.error[left]))


def test_a_mean_number_is_rounded_outwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Discarding, "sizes", Law(0, LOSES, NONE))
    found = Discarding(2**30, F(1), F(1, 2)).expected
    truth = sum(F(float(mass)) * (2**30 - place) for place, mass in enumerate(LOSES))
    assert F(found.lower) <= truth <= F(found.upper)
    known = Law(0, LOSES, LOSES / 4)
    monkeypatch.setattr(Discarding, "sizes", known)
    assert Discarding(2**30, F(1), F(1, 2)).expected.upper >= 1.25 * float(truth)


def test_a_part_of_a_curve_is_rounded_up() -> None:
    for seed in SEEDS:
        delta = float(np.random.default_rng(seed).uniform(0.1, 0.9))
        assert F(delta) / 3 <= F(MeanCurve(((F(1, 3), Constant(delta)), (F(2, 3), Constant(0.0)))).delta(F(1)).upper)


# -- coins and moves ----------------------------------------------------------------------------------------------


def coins(start: int) -> CoinsCurve:
    return CoinsCurve(Law(start, np.roll(LOSES, 1), NONE), 0.5, SimpleNamespace(most=lambda *_: 1.0))  # type: ignore[arg-type]


def test_a_mean_over_coins_is_added_up_with_room() -> None:
    assert summed(LOSES) <= F(coins(1 << 40).delta(F(1)).upper)
    count, miss = coins(0).sure(0.3)
    assert count >= TERMS - 1
    assert summed(np.roll(LOSES, 1)[:count]) <= F(miss)


def together(curves: list[object]) -> float:
    judge = SimpleNamespace(epsilon=F(1), enough=F(1, 10))
    asked = SimpleNamespace(epsilon=judge.epsilon, enough=judge.enough, binomials=lambda _: 0.25)
    return moves.Several.together(asked, curves)  # type: ignore[arg-type]


def test_topics_that_are_judged_at_once_are_added_up_with_room() -> None:
    parts = [0.25, 0.1 * UNIT]
    assert F(together([Constant(part) for part in parts])) >= F(parts[0]) + F(parts[1])
    sure = [CoinsCurve(Law(5, np.ones(1), np.zeros(1), 0.05 * UNIT), 0.5, None) for _ in range(2)]  # type: ignore[arg-type]
    assert F(together(list(sure))) >= F(1, 4) + 2 * F(0.05 * UNIT)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_move_contains_no_more_of_a_coin_than_it_has(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alpha, beta, rate = rng.uniform(0.1, 0.3, 4), rng.uniform(0.1, 0.3, 4), float(rng.uniform(0.3, 0.7))
    shape = SimpleNamespace(rows=np.array([[0, 1], [2, 3], [1, -1]]), signs=np.array([1, -1]))
    found = packing.move_weights(shape, alpha, beta, rate)  # type: ignore[arg-type]
    a, b, r = [F(float(x)) for x in alpha], [F(float(x)) for x in beta], F(rate)
    exact = [(b[0] * a[1], a[0] * b[1]), (b[2] * a[3], a[2] * b[3]), (b[1], a[1])]
    for weight, (upper, lower) in zip(found.tolist(), exact, strict=True):
        assert F(weight) <= min(upper / r, lower / (1 - r))
    people = SimpleNamespace(counts=np.ones(4, dtype=np.int64), member=np.zeros(4, dtype=np.int64))
    asked = SimpleNamespace(cover=people)
    weights, _ = moves.Moves._own_records(asked, 0, alpha, beta, rate)  # type: ignore[arg-type]
    for weight, upper, lower in zip(weights.tolist(), b, a, strict=True):
        assert F(weight) <= min(upper / r, lower / (1 - r))
    assert math.isclose(float(weights[0]), float(min(b[0] / r, a[0] / (1 - r))), rel_tol=1e-12)
