"""Compositions and finite laws: every sum, split and merge is rounded to its own side, and every error is passed on."""

import math
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from flint import arb

from dalenius.enclosure import lossgrids as grids
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT
from dalenius.numerics import outcomes
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.law import Floats, Law, law_of
from dalenius.numerics.losses import Listed, losses_of
from dalenius.numerics.outcomes import Outcomes, fractions
from numerics.checks import assert_covers
from oracle import balls
from oracle import laws as lw

engine: Any = import_module("dalenius.numerics.compose")  # the module: its name is also that of a function

F = Fraction
STEP = 2.0**-6  # losses on such a grid are exact


@balls.precise
def mean_loss(masses: list[Fraction], first: int, epsilon: Fraction) -> arb:
    """Σ mass (1 - exp(epsilon - loss))₊."""
    total = arb(0)
    for j, mass in enumerate(masses):
        gap = (first + j) * F(STEP) - epsilon
        if gap > 0:
            total += balls.ball(mass) * (1 - balls.exponential(-gap))
    return total


def whole(mass: np.ndarray, tilt: float = 0.0, **changes: float) -> grids.GridSum:
    parts = {"scale": 0.0, "error": 0.0, "infinite": 0.0, "outside": 0.0, "drift": 0.0, "slip": 0.0, **changes}
    return grids.GridSum(grids.Decay.of(tilt, STEP), -20, mass, **parts)


def ends(total: grids.GridSum, epsilon: F) -> tuple[float, float]:
    return total.lower(epsilon), total.upper(epsilon)


@pytest.mark.parametrize("seed", range(8))
def test_the_mean_over_losses_is_charged_for_its_rounding(seed: int) -> None:
    mass = np.random.default_rng(seed).dirichlet(np.ones(200))
    truth = mean_loss([F(m) for m in mass.tolist()], -20, F(1, 4))
    low, high = ends(whole(mass), F(1, 4))
    assert F(low) < balls.lower(truth) <= balls.upper(truth) < F(high)


@pytest.mark.parametrize("sign", [-1, 1])
def test_masses_that_are_off_by_their_norm_are_forgiven(sign: int) -> None:
    """All of the error is spent where it moves the mean the most."""
    mass = np.full(200, 1 / 200)
    losses = (np.arange(200) - 20) * STEP
    weights = np.maximum(0.0, -np.expm1(np.minimum(0.25 - losses, 0.0)))
    moved = mass + sign * 1e-3 * weights / np.linalg.norm(weights)
    truth = mean_loss([F(m) for m in mass.tolist()], -20, F(1, 4))
    low, high = ends(whole(moved, error=1e-3 * (1 + 1e-9)), F(1, 4))
    assert F(low) <= balls.lower(truth) <= balls.upper(truth) <= F(high)


def test_what_is_infinite_outside_or_adrift_widens_the_mean() -> None:
    mass = np.full(200, 1 / 200)
    low, high = ends(whole(mass), F(1, 4))
    lower, higher = ends(whole(mass, outside=0.125), F(1, 4))
    assert lower <= low - 0.125 + 1e-12 and higher >= high + 0.125 - 1e-12
    lower, higher = ends(whole(mass, infinite=0.125), F(1, 4))
    assert lower >= low + 0.125 - 1e-12 and higher >= high + 0.125 - 1e-12
    lower, higher = ends(whole(mass, drift=0.125), F(1, 4))
    assert lower <= whole(mass).upper(F(3, 8)) and higher >= whole(mass).lower(F(1, 8))


def test_no_lower_bound_is_carried_beyond_an_epsilon_of_seven_hundred() -> None:
    """Two losses of 460 make 921, which is above 800 and below 1000."""
    tiny = F(1, 10**200)
    curve = PairCurve(law_of({0: F(1, 2), 1: F(1, 2)}), law_of({0: tiny, 1: 1 - tiny}))
    both = compose([(curve, 2)])
    assert both.delta(F(800)).upper >= 0.25
    assert both.delta(F(1000)).lower == 0.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tilt", [0.5, 3.0])
def test_masses_that_were_weighed_are_weighed_back(seed: int, tilt: float) -> None:
    """Weighed by hand, with what that may have wrong: the mean is that of the masses themselves."""
    mass = np.random.default_rng(seed).dirichlet(np.ones(200))
    losses = (np.arange(200) - 20) * STEP
    truth = mean_loss([F(m) for m in mass.tolist()], -20, F(1, 4))
    weighed, log, off = grids.weighed(tilt * losses, mass)
    assert 0.99 < weighed.sum() < 1.01
    some = whole(weighed, tilt, scale=log, slip=off)
    low, high = ends(some, F(1, 4))
    assert F(low) < balls.lower(truth) <= balls.upper(truth) < F(high)
    assert high - low <= 1e-11 * high
    # a relative error of all masses, and mass that was folded in, count as much as they weigh
    assert whole(weighed * 1.01, tilt, scale=log, slip=0.0102).lower(F(1, 4)) <= float(balls.lower(truth))
    assert whole(weighed * 0.99, tilt, scale=log, slip=0.0102).upper(F(1, 4)) >= float(balls.upper(truth))
    more = ends(whole(weighed, tilt, scale=log, outside=1e-3), F(1, 4))
    assert more[1] - high >= 1e-3 * math.exp(log - tilt / 4) and low - more[0] >= 1e-3 * math.exp(log - tilt / 4)


@pytest.mark.parametrize("tilt", [0.0, 0.5, 40.0])
@pytest.mark.parametrize("above", [0.0, 0.3, 1.0, 25.0])
def test_the_norm_of_what_is_weighed_back_is_bounded(tilt: float, above: float) -> None:
    """Wherever epsilon lies within a step, and for the second bound wherever it lies."""
    decay = grids.Decay.of(tilt, STEP)
    y = (np.arange(grids.GRID) + above) * STEP
    norm = float(np.linalg.norm(np.exp(-tilt * y) * -np.expm1(-y)))
    assert norm <= (decay.norm if above <= 1 else decay.far)
    assert norm >= decay.norm / 40 or tilt == 0 or above > 1


def test_a_loss_beyond_the_grid_adds_nothing_but_what_may_be_wrong() -> None:
    mass = np.full(200, 1 / 200)
    assert whole(mass).upper(F(10**6)) <= 1e-15
    assert whole(mass, outside=0.125).upper(F(10**6)) >= 0.125
    assert whole(mass, infinite=0.125).lower(F(10**6)) >= 0.124


@pytest.mark.parametrize("seed", range(6))
def test_a_log_moment_is_from_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    loss, mass = rng.uniform(-1, 1, 30), rng.dirichlet(np.ones(30))
    for tilt in (0.001, 0.7, -3.0):
        truth = log_moment(loss.tolist(), mass.tolist(), tilt)
        assert balls.upper(truth) * 50 <= F(engine._cumulant([(loss, mass, 50)], tilt))


@balls.precise
def log_moment(loss: list[float], mass: list[float], tilt: float) -> arb:
    terms = (balls.ball(F(m)) * balls.exponential(F(tilt) * F(x)) for x, m in zip(loss, mass, strict=True))
    return balls.total(terms).log()


@pytest.mark.parametrize("seed", range(6))
def test_splitting_loses_no_mass_and_merging_makes_none(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(9))
    order = np.argsort(p / q)
    p, q = p[order], q[order]
    exact = sum(map(F, p.tolist()))
    _, split, _ = grids.split(p, q, 0.01)
    for i, mass in enumerate(p.tolist()):
        assert F(split[i].item()) + F(split[i + 9].item()) >= F(mass)
    _, merged, _ = grids.merge(p, q, 0.01)
    assert sum(map(F, merged.tolist())) <= exact


@pytest.mark.parametrize("seed", range(12))
def test_merging_makes_no_mass_even_where_it_gives_none_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 1, 9)
    q = p * np.exp(np.append(np.sort(rng.uniform(0.02, 2, 8))[::-1], 0.0) + 0.01 * 3)  # the last one is on the grid
    _, merged, _ = grids.merge(p, q, 0.01)
    assert sum(map(F, merged.tolist())) <= sum(map(F, p.tolist()))


def test_what_is_merged_tells_no_more_than_what_it_was_made_of() -> None:
    p, q = np.array([0.125, 0.5, 0.375]), np.array([0.5, 0.375, 0.125])
    places, masses, _ = grids.merge(p, q, 0.25)
    for epsilon in (0.0, 0.25, 0.5, 1.0):
        stick = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        assert (masses * np.maximum(0.0, 1 - np.exp(epsilon - places * 0.25))).sum() <= stick + 1e-12


def test_merging_many_outcomes_one_after_the_other_makes_no_mass() -> None:
    """Each of 200 additions is rounded up by a quarter of a unit in the last place; then one outcome is on the grid."""
    p = np.array([0.5, *[0.75 * UNIT] * 200, 0.25])
    q = p * np.exp([-0.5 - 5e-7, *(-0.5 + 1e-5 * np.arange(1, 201)), 0.0])
    _, merged, moved = grids.merge(p, q, 1e-6)
    assert len(merged) == 2  # all of them, and what is left of the last
    assert sum(map(F, merged.tolist())) <= sum(map(F, p.tolist()))
    assert moved >= 2 * 200 * UNIT  # of the other law as well, which moves the loss


def test_merging_outcomes_of_one_cell_counts_their_sum() -> None:
    """In their masses, and in how far the loss may have moved."""
    p = np.full(20, 0.05)
    q = p * np.exp(-0.505)
    assert grids.merge(p, q, 0.01)[2] >= 4 * 19 * UNIT
    pairs = engine._Pairs(((Listed((p, q, 0.0), (p, q, 0.0)), 3),), engine.BELOW)
    assert pairs.weighed(0.0).drift >= 3 * 4 * 19 * UNIT


def test_what_is_nearly_on_the_grid_is_charged_for_the_rest() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.5, 0.5]) * np.exp([-0.5 + 4e-10, 0.25])
    places, masses, moved = grids.merge(p, q, 0.001)
    assert places.tolist() == [500, -250] and masses.sum() >= 1 - 1e-12
    assert moved >= 3.9e-10


@pytest.mark.parametrize("number", [grids.CROWD, 5000])
def test_outcomes_at_one_place_are_added_within_their_units(number: int) -> None:
    mass = np.array([0.5, *[2.0**-55] * (number - 1)])
    one, units = grids.gathered(np.full(number, 7), mass)
    truth = sum(map(F, mass.tolist()))
    assert abs(F(one[7].item()) - truth) <= F(units) * F(UNIT) * truth
    assert np.count_nonzero(one) == 1
    _, error = grids.added([(np.full(number, 7), mass, 1)], 0)
    each = grids.FFT * math.log2(grids.GRID)
    assert error >= (2 * each + units) * UNIT * 0.5


def test_errors_and_tails_of_a_pair_go_to_the_side_that_is_asked_for() -> None:
    p, q = (Law(start, np.array([0.5, 0.25]), np.array([0.125, 0.0625]), 0.25) for start in (0, 1))
    above, below, lost = losses_of(p, q).over
    assert above == pytest.approx([0.625, 0.3125], rel=1e-15) and (above >= [0.625, 0.3125]).all() and lost >= 0.25
    assert below == pytest.approx([0.0, 0.375], rel=1e-15) and (below <= [0.0, 0.375]).all()
    above, below, lost = losses_of(p, q).under
    assert 0.1874 < above[1] <= 0.1875 and below[1] >= 0.625 and lost == 0.0
    assert above[0] == 0.0  # all of it may be in the other law's tail


@pytest.mark.parametrize("sign", [-1, 1])
def test_mass_beyond_either_end_of_the_grid_is_bounded(sign: int) -> None:
    part = (np.array([0.0, 1.0]) * sign, np.array([0.999, 0.001]), 1)
    low, high = sorted((-10.0 * sign, 0.5 * sign))
    likely = engine._Range(low, high, 6.0, 6.0)
    assert 0.001 <= engine._outside([part], (low, high), likely, 0.0, 0.0) <= 0.1
    # weighed by exp(loss): a loss of 1 counts e times as much, one of -1 as much less
    weighed = engine._outside([part], (low, high), likely, 1.0, math.log(0.999 + 0.001 * math.exp(sign)))
    assert 0.001 * math.exp(sign) / (0.999 + 0.001 * math.exp(sign)) <= weighed <= 0.2


def test_every_transform_of_the_grid_is_counted_with_its_norm() -> None:
    at, p = np.array([5, 100, 4000]), np.array([0.3, 0.5, 0.2])
    mass, error = grids.added([(at, p, 3)], 0)
    each = grids.FFT * math.log2(grids.GRID) * grids.UNIT
    assert error >= each * (3 * float(np.linalg.norm(p)) + float(np.linalg.norm(mass)))


@dataclass(frozen=True)
class Falling(Curve):
    """A curve whose knots are known without any room."""

    rate: float

    def delta(self, epsilon: Fraction) -> Bracket:
        value = 0.5 * math.exp(-self.rate * float(epsilon))
        return Bracket(value, value)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        some = epsilons[::25]
        return some, np.array([self.delta(F(float(at))).upper for at in some])


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.3, 1.7, 2.2, 3.1])
def test_the_pair_that_stands_for_a_curve_is_nowhere_below_it(rate: float) -> None:
    p, q, infinite = engine._dominating(Falling(rate))
    at, values = Falling(rate).knots(np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 1500)]))
    for epsilon, value in zip(at.tolist(), values.tolist(), strict=True):
        factor = F(float(np.exp(epsilon)))
        stick = sum((max(F(0), F(a) - factor * F(b)) for a, b in zip(p.tolist(), q.tolist(), strict=True)), F(0))
        assert F(value) <= stick + F(infinite)


def test_masses_that_sum_to_more_than_one_let_errors_grow() -> None:
    at, mass = np.array([0, 1]), np.array([0.5, 0.5])
    _, plain = grids.added([(at, mass, 1000)], 0)
    _, grown = grids.added([(at, mass * 1.001, 1000)], 0)
    assert grown >= 2.7 * plain


# -- finite laws --------------------------------------------------------------------------------------------------


def test_fractions_and_floats_become_laws_that_cover_them() -> None:
    exact = [F(1, 3), F(1, 7), F(1, 10**320), 1 - F(1, 3) - F(1, 7) - F(1, 10**320)]
    assert_covers(Outcomes(fractions(exact)).law(), dict(enumerate(exact)))
    tiny = [F(1, 10**340), 1 - F(1, 10**340)]  # nothing of it is left in a float
    assert_covers(Outcomes(fractions(tiny)).law(), dict(enumerate(tiny)))
    stored = np.array([float(mass) * (1 + 0.999e-3) for mass in exact])
    assert_covers(Outcomes(stored, 1e-3).law(), dict(enumerate(exact)))
    assert (Outcomes(stored, 0.0).law().error >= stored * 2.0**-51).all()


def test_a_slack_is_room_at_every_outcome_and_beyond() -> None:
    law = Outcomes(np.array([0.5, 0.5]), 0.0, 0.125).law()
    assert law.error.min() >= 0.125
    assert law.tail >= 0.125


@pytest.mark.parametrize("epsilon", [F(1, 2), F(1)])
def test_an_exponential_known_roughly_widens_an_exact_hockey_stick(
    epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = math.exp(float(epsilon))
    monkeypatch.setattr(outcomes, "exponential", lambda _: (value * 0.98, value * 1.02))
    p, q = [F(2, 3), F(1, 3)], [F(1, 10), F(9, 10)]
    bracket = Outcomes(fractions(p)).delta(Outcomes(fractions(q)), epsilon)
    truth = lw.hockey_stick(dict(enumerate(p)), dict(enumerate(q)), epsilon)
    assert F(bracket.lower) < balls.lower(truth) <= balls.upper(truth) < F(bracket.upper)


@pytest.mark.parametrize("seed", range(12))
def test_exact_divergences_are_rounded_outwards(seed: int) -> None:
    numbers = np.random.default_rng(seed).integers(1, 1000, 4).tolist()
    p, q = ([F(a, a + b), F(b, a + b)] for a, b in (numbers[:2], numbers[2:]))
    one, other = Outcomes(fractions(p)), Outcomes(fractions(q))
    laws = dict(enumerate(p)), dict(enumerate(q))
    stick = one.delta(other, F(0))
    assert F(stick.lower) <= lw.total_variation(*laws) <= F(stick.upper)
    ratio, truth = one.epsilon(other), lw.max_divergence(*laws)
    assert F(ratio.lower) <= balls.lower(truth) <= balls.upper(truth) <= F(ratio.upper)
