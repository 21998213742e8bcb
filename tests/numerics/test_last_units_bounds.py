"""Rounding of bounds with one error term, of hedges, of range and variance: planted, and made up for."""

import math
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dalenius.enclosure import chebyshev, exponents, normal, outward
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics import chernoff, gaussian, logconcave, moments, quilts, trade
from dalenius.numerics import range_variance as rv
from dalenius.numerics.chainsides import HiddenSide, Neighbourhood, SideCells
from dalenius.numerics.chernoff import Affinity
from dalenius.numerics.curve import Constant
from dalenius.numerics.dependent_moments import GraphMoments
from dalenius.numerics.law import Law
from dalenius.numerics.moments import BERRY_ESSEEN, MomentCurve, Moments
from dalenius.numerics.yesno import RateSum
from numerics.test_last_units import LOSES, TERMS, law, off_by, summed
from oracle import balls

F = Fraction


# -- bounds with one error term -----------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [F(1, 10), F(1, 10**6), F(1, 10**12)])
@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_an_affinity_forgives_what_logarithms_err(small: Fraction, way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = off_by(way, log=math.log)
    wrong.exp = lambda x: math.exp(x) * (1 - LIBM * UNIT)
    monkeypatch.setattr(chernoff, "math", wrong)
    for first, second in (((small, 1 - small), (1 - small, small)), ((small, 1 - small), (F(1, 2), F(1, 2)))):
        for s in (0.25, 0.5, 0.75):
            parts = [balls.ball(p) ** arb(s) * balls.ball(q) ** arb(1 - s) for p, q in zip(first, second, strict=True)]
            truth = (parts[0] + parts[1]).log()
            assert balls.upper(truth) <= F(Affinity(first, second).log(s))


@pytest.mark.parametrize("seed", range(20))
def test_an_exponent_of_many_records_is_from_above(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    s, ahead, log = np.random.default_rng(seed).uniform(0.1, 0.9, 3).tolist()
    monkeypatch.setattr(Affinity, "log", lambda *_: -log)
    found = Affinity((F(1),), (F(1),)).log_bound(100 * ahead, 1001, s=s)
    assert F(s) * F(100 * ahead) - 1001 * F(log) <= F(found)


def test_a_quilt_counts_the_rounding_of_two_influences() -> None:
    found = quilts._quilt(0, 1, 1, 3, 0.25 + 0.1 * UNIT, F(2))[0]
    assert F(found.influence) >= F(1, 4) + F(0.1 * UNIT)


@pytest.mark.parametrize("seed", range(20))
def test_a_normal_law_is_not_wider_than_its_variance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    variance, seen = F(str(np.random.default_rng(seed).uniform(1, 1000))), []
    monkeypatch.setattr(moments, "GaussianCurve", lambda ratio: seen.append(ratio) or Constant(0.0))
    MomentCurve(SimpleNamespace(variance=variance, distance=0.0), F(1), 2).delta(F(1))  # type: ignore[arg-type]
    assert seen[0] ** 2 * variance >= 1


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_a_distance_from_the_normal_law_is_rounded_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    variance, wide = F(str(rng.uniform(100, 200))), float(rng.uniform(0.01, 0.1))
    one = Moments(10_000, variance, 2 * variance)
    assert F(one.distance) ** 2 >= BERRY_ESSEEN**2 * one.third**2 / variance**3
    found = GraphMoments.distance.fget(SimpleNamespace(wasserstein=wide))  # type: ignore[attr-defined]
    assert balls.upper(((2 / arb.pi()).sqrt() * arb(wide)).sqrt()) <= F(found)


def test_tails_of_laws_that_are_averaged_are_added_up_with_room() -> None:
    weights = law(np.full(8, 0.125), 0.25)
    found = logconcave.averaged(weights, [law(np.ones(1), 8 * 0.24 * UNIT)] * 8)
    exact = F(1, 4) + 8 * F(0.125) * F(8 * 0.24 * UNIT)
    assert F(found.tail) >= exact
    assert F(float(found.error[0])) >= exact
    unknown = [Law(0, np.zeros(1), np.array([error])) for error in (4 * LOSES).tolist()]
    found = logconcave.averaged(law(np.full(TERMS, 0.125)), unknown)
    assert F(float(found.error[0])) >= summed(LOSES) / 2


@pytest.mark.parametrize("seed", range(10))
@balls.precise
def test_the_slope_of_a_trade_is_from_above(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the means are far apart, and where little is left of them."""
    rng = np.random.default_rng(seed)
    tilt, one, two = rng.uniform(0.1, 0.9, 3).tolist()
    few = [(-35 - one, pair) for pair in (1 - UNIT * rng.integers(3, 90, (20, 2))).tolist()]
    for theta, (first, second) in [(tilt, (one, two)), (30.0, (1e-12 * one, two)), *few]:
        grown = arb(theta).expm1()
        truth = abs((1 + arb(first) * grown).log() - (1 + arb(second) * grown).log())
        for way in (-LIBM, LIBM):
            monkeypatch.setattr(exponents, "math", off_by(way, expm1=math.expm1))
            monkeypatch.setattr(outward, "math", off_by(way, log=math.log))
            assert balls.upper(truth) <= F(trade._slope(theta, first, second))


@pytest.mark.parametrize("away", [1e-6, 1e-8, 1e-10])
def test_the_rest_of_a_series_is_that_of_a_ratio_that_errs(away: float) -> None:
    total = RateSum(np.zeros(4), 0.5, 0.1, 0, 100, 50.0, 20.0, 0.0)
    found = chebyshev._cut_off(total.moments, total.high, np.array([1 - away]))[0]
    ratio = F(1 - away) * (1 + 16 * F(UNIT))
    assert F(float(found)) >= 2 * 100 * ratio**4 / (4 * (1 - ratio))


def test_the_error_of_a_cell_of_normal_noise_is_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, tau = np.random.default_rng(1), F(3)
    size = math.ceil(gaussian.CUT * 3) + 3
    half, error = rng.uniform(1e-9, 1e-2, size), rng.uniform(1e-18, 1e-16, size)
    monkeypatch.setattr(normal, "plain_cells", lambda *_: (half, error))
    found = gaussian.rounded_normal(tau).error[size - 1 :].tolist()
    for k, (bound, h, e) in enumerate(zip(found, half.tolist(), error.tolist(), strict=True)):
        assert F(bound) >= F(e) + F(h) * 16 * (1 + ((k + F(1, 2)) / tau) ** 2) * F(UNIT)


# -- range and variance -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [25.0, 1e14])
@pytest.mark.parametrize("seed", range(20))
def test_what_was_declared_is_rounded_to_the_safe_side(seed: int, size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, seen = np.random.default_rng(seed), []
    variance, noise, shift = (F(str(x)) for x in (*rng.uniform(0.8 * size, size, 1), *rng.uniform(0.5, 1, 2)))
    monkeypatch.setattr(rv, "_beyond", lambda *args: seen.append(args) or 0.0)
    monkeypatch.setattr(rv, "density", lambda *args: seen.append(args) or 1.0)
    monkeypatch.setattr(rv, "drift", lambda *args: seen.append(args) or 1e-3)
    curve, tilt = rv.RangeVarianceCurve(variance, shift, noise), float(rng.uniform(1.5, 2.5))
    spread = next(curve._spreads(1.0))
    curve.at_tilt(F(1, 2), tilt, spread=spread)
    (least, _), (ideal, far, s2, tau, moved, _), (_, most, _), (near, *_) = seen
    assert F(s2) <= variance and F(tau) <= noise and F(moved) >= shift
    low, high = balls.exponential(-F(tilt)), balls.exponential(F(tilt))
    assert F(least) <= balls.lower(low) * variance
    assert F(most) >= balls.upper(high) * (F(spread) ** 2 + F(1, 4))
    kappa = balls.lower(low) * variance + noise**2
    assert F(far) <= F(tilt) - shift / kappa
    assert F(ideal) <= F(1, 2) / shift - shift / (2 * kappa)
    assert F(near) <= F(1, 2) / shift - shift / (2 * kappa) - F(1e-3)


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_the_drift_is_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So much noise that nothing counts but what is planted."""
    rng = np.random.default_rng(seed)
    high, moment = rng.uniform(1, 2, 1), rng.uniform(0.1, 1, 1)
    for plain in (np.zeros(1), rng.uniform(0.08, 0.088, 1)):
        monkeypatch.setattr(rv, "_near_zero", lambda *_, p=plain: (p, moment))
        found = rv.drift_in_cells(np.ones(1), high, 14.0)
        whole = (arb.pi() / 2).sqrt() / (arb(float(high[0])) + 14 * 14).sqrt() - arb(float(plain[0]))
        assert balls.upper(arb(float(moment[0])) / whole) <= F(float(found[0]))


@pytest.mark.parametrize("seed", range(10))
@balls.precise
def test_an_integral_over_tilts_is_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five cells, in which the tails are planted."""
    s2, tau, shift, far, tail = np.random.default_rng(seed).uniform(0.5, 1, 5).tolist()
    monkeypatch.setattr(rv, "STEPS", 5)
    monkeypatch.setattr(rv, "_tails", lambda u, *_: (np.full(len(u), tail),) * 2)
    found = rv._beyond(0.0, far, s2, tau, shift, 1.0)
    width = arb(far) / 5
    places = [arb(shift) * (-arb(shift) * width * k).exp() for k in range(6)]
    grown = ((arb(s2) + arb(tau) ** 2) * width**2 / 8).exp() * width / 2
    cells = sum((a + b for a, b in pairwise(places)), arb(0)) * tail
    assert balls.upper(grown * cells + 2 * arb(tail)) <= F(found)


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_a_tail_of_tilts_counts_what_cancels_in_it(seed: int) -> None:
    u = float(np.random.default_rng(seed).uniform(1e-9, 2e-8))
    found = float(rv._tails(np.array([u]), 1e16, 0.0, 1.0)[0][0])
    exact = 10**16 * (1 - (1 + arb(u)) * (-arb(u)).exp())
    assert balls.upper((-exact).exp()) <= F(found) * (1 + F(rv.UP - 1))


# -- sides of a chain ---------------------------------------------------------------------------------------------


@balls.precise
def test_slopes_of_a_law_are_within_their_cells() -> None:
    """A law that falls by nearly the same factor everywhere, down to 1e-290."""
    mass = 10.0 ** -np.linspace(0, 290, 60) / 2
    found = SideCells.of(law(mass), 2)
    assert found is not None
    slopes = [(arb(b) / arb(a)).log() for a, b in pairwise(mass.tolist())]
    bends = found.bend.tolist()
    for theta, half, bend, place in zip(found.theta.tolist(), found.half.tolist(), bends, range(4, 60), strict=False):
        assert balls.upper(slopes[place - 1] - slopes[place]) <= F(bend)
        for slope in slopes[place - 1 : place + 1]:
            assert F(theta) - F(half) <= balls.lower(slope) <= balls.upper(slope) <= F(theta) + F(half)


def test_what_a_wide_law_hides_is_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    certain, none = np.full(TERMS, 900.0), np.zeros(TERMS)
    assert F(HiddenSide(0.0, LOSES, ((none, certain),), None, 0.0).delta(F(0))) >= summed(LOSES)
    worlds = [(LOSES[None, :], none[None, :])]
    assert F(HiddenSide(0.0, none, (), worlds, 0.0).delta(F(0))) >= summed(LOSES)
    side, other = (
        SimpleNamespace(reach=1, first=none[None, :], bounds=lambda _, r=ratio: (none, r))
        for ratio in (np.full(TERMS, 0.25), np.full(TERMS, 0.1 * UNIT))
    )
    monkeypatch.setattr("dalenius.numerics.chainsides.NUMBERS", 0)
    monkeypatch.setattr(SideCells, "of", lambda *_: SideCells(none, none, none, LOSES, 0.0))
    pairs = Neighbourhood({(0, 1): (side, other)}).under(law(LOSES)).pairs  # type: ignore[dict-item]
    assert F(float(pairs[0][1][0])) >= F(1, 4) + F(0.1 * UNIT)
