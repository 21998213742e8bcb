"""The bound from range and variance: golden values, exact sums that it must cover, and each integral from above."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from dalenius.basics.errors import InputError
from dalenius.numerics import range_variance as rv
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.range_variance import RangeVarianceCurve, least_tau
from oracle.normal_mixture import CLOSE, Case, random_case

F = Fraction
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
FINE = GOLDEN["T4_fine_grid"]
CURVES = [case for case in FINE if case.startswith("eps")]
DRIFTS = [case for case in FINE if case.startswith("E(")]


def curve(s: str, tau: str, shift: str = "1") -> RangeVarianceCurve:
    return RangeVarianceCurve(F(s) ** 2, F(shift), F(tau))


def bound(case: Case) -> float:
    variance = F(case.variance * (1 - 1e-12))
    return RangeVarianceCurve(variance, case.shift, case.tau).delta(case.epsilon).upper


@pytest.mark.parametrize("case", CURVES)
def test_golden_curves_are_never_below_and_at_most_two_percent_above(case: str) -> None:
    given_ = dict(item.split("=") for item in case.split(","))
    bracket = curve(given_["s"], given_["tau"]).delta(F(given_["eps"]))
    assert bracket.lower == 0
    assert FINE[case]["delta"] <= bracket.upper <= 1.02 * FINE[case]["delta"]


@pytest.mark.parametrize("case", DRIFTS)
def test_golden_drifts_are_never_below_and_nearly_reached(case: str) -> None:
    variance, tau = (float(item.split("=")[1]) for item in case[2:-1].split(","))
    found = rv.drift_in_cells(np.array([variance]), np.array([variance]), tau)[0]
    assert FINE[case] <= found <= 1.004 * FINE[case]


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1))
def test_no_exact_sum_exceeds_the_bound(seed: int) -> None:
    case = random_case(np.random.default_rng(seed))
    assert case.delta() * (1 - CLOSE) - 1e-13 <= bound(case)


def test_a_shift_of_half_a_span_is_the_hard_case_and_is_covered() -> None:
    """Fair bits and a target that adds 1/2: with too little noise the parity shows."""
    fair = Case(1, (((0.5, 0.5), 400),), F(32, 100), F(1, 2), F(1, 4))
    for tau, least in (("0.2", 0.2), ("0.32", 1e-3), ("0.5", 0.0)):
        case = replace(fair, tau=F(tau))
        assert least <= case.delta() <= bound(case)
    assert bound(replace(fair, tau=F("0.6"))) < 0.01


def exponent(variance: float, tau: float, t: float) -> float:
    return variance * (1 - math.cos(t)) + (tau * t) ** 2 / 2


def between(f: Any, low: float, high: float, peak: float) -> float:
    """An integral, with its peak at one end or at a given place."""
    parts = sorted({low, high, *(min(max(peak + k * 0.15, low), high) for k in range(-8, 9))})
    return math.fsum(quad(f, a, b, epsrel=1e-10, limit=200)[0] for a, b in pairwise(parts))


def distance(low: float, high: float, tau: float, t: float) -> float:
    """D(t) with its factor at the high variance and its exponents at the low one, by plain quadrature."""
    inner = quad(lambda u: u * u * math.exp(-(low - 0.25) * (1 - math.cos(u)) - low * (t * t - u * u) / 2), 0, t)[0]
    other = math.exp(-low * (1 - math.cos(t))) + math.exp(-low * t * t / 2)
    return math.exp(-((tau * t) ** 2) / 2) * min(high / 2 * inner, other)


def plain_drift(low: float, high: float, tau: float) -> float:
    """N1 / N0 by plain quadrature, with each variance at the end of the cell where the term is largest."""
    beyond = quad(lambda t: math.exp(-((tau * t) ** 2) / 2), 2 * math.pi, 40)[0]
    least, most = (math.sqrt(variance + tau * tau) for variance in (low, high))
    ones = [
        between(lambda t, w=weight: w(t) * distance(low, high, tau, t), 0, math.pi, 0.3)
        + between(lambda t, w=weight: w(t) * math.exp(-exponent(low, tau, t)), math.pi, 2 * math.pi, 2 * math.pi)
        for weight in (lambda t: t, lambda _: 1.0)
    ]
    top = ones[0] + math.exp(-2 * (math.pi * tau) ** 2) / tau**2
    tail = math.sqrt(math.pi / 2) / least * math.erfc(math.pi * least / math.sqrt(2))
    return top / (math.sqrt(math.pi / 2) / most - ones[1] - beyond - tail)


@pytest.mark.slow
@pytest.mark.parametrize(("low", "high"), [(0.3, 0.3), (2.0, 2.0), (9.0, 9.0), (30.0, 33.0), (200.0, 210.0)])
@pytest.mark.parametrize("tau", [0.45, 0.9])
def test_the_drift_of_a_cell_covers_every_variance_in_it(low: float, high: float, tau: float) -> None:
    found = rv.drift_in_cells(np.array([low]), np.array([high]), tau)[0]
    assert all(plain_drift(at, at, tau) <= found for at in np.linspace(low, high, 3))
    assert plain_drift(low, high, tau) <= found <= 1.005 * plain_drift(low, high, tau)


def test_the_drift_over_a_range_is_that_of_its_worst_variance() -> None:
    """It is not monotone: neither end of the range is the worst."""
    found = rv.drift(2.0, 900.0, 0.6)
    inside = rv.drift_in_cells(*(np.geomspace(2, 900, 400),) * 2, 0.6)
    assert inside.max() <= found <= 1.04 * inside.max()


def test_chords_are_raised_by_what_curvature_can_hide() -> None:
    variance, tau = np.array([0.3, 4.0, 50.0, 1e4]), 0.7
    h, t, drop, grown = rv._mesh(variance, tau)
    middle = np.exp(-(variance + tau * tau) * h * h / 8)  # of a normal curve's top over its chord, at worst
    assert (grown * middle >= 1 - 1e-12).all()
    assert t[-1] == pytest.approx(np.minimum(math.pi, rv.REACH / np.sqrt(variance + tau * tau)))
    assert drop == pytest.approx(1 - np.cos(t))


@pytest.mark.parametrize(("variance", "tau"), [(2.0, 0.4), (30.0, 0.5), (1e4, 0.7), (1e6, 1.5)])
def test_the_density_is_bounded_from_above_and_closely(variance: float, tau: float) -> None:
    sides = [0.0, 2 * math.pi]
    whole = math.fsum(
        between(lambda t: math.exp(-exponent(variance, tau, t)), *ends, side)
        for ends, side in zip([(0, math.pi), (math.pi, 2 * math.pi)], sides, strict=True)
    )
    truth = (whole + quad(lambda t: math.exp(-((tau * t) ** 2) / 2), 2 * math.pi, 60)[0]) / math.pi
    assert truth * (1 - 1e-9) <= rv.density(variance, tau) <= truth * 1.002


@pytest.mark.parametrize(
    ("near", "far", "s", "tau"), [(0.3, 0.7, 10.0, 0.6), (-0.1, 0.5, 9.0, 0.8), (0.05, 0.2, 90, 1)]
)
def test_the_integral_over_tilts_is_bounded_from_above_and_closely(
    near: float, far: float, s: float, tau: float
) -> None:
    peak = 0.4 / s

    def chance(u: float) -> float:
        rate = s * s * (1 - math.exp(-u) * (1 + u)) + (tau * u) ** 2 / 2
        return math.exp(-rate) * min(1.0, peak / u) if u > 0 else 1.0

    knots = sorted(
        {near, max(near, 0.0), max(near, peak), *(max(near, 0) + k * (far - max(near, 0)) / 50 for k in range(51))}
    )
    main = math.fsum(quad(lambda u: math.exp(near - u) * chance(u), a, b)[0] for a, b in pairwise(knots))
    truth = main + 2 * chance(far)
    assert truth * (1 - 1e-9) <= rv._beyond(near, far, s * s, tau, 1.0, peak) <= truth * 1.002


def test_a_curve_that_bends_down_is_not_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where exp(-I) is concave, chords lie below it; the fewer of them, the more."""
    monkeypatch.setattr(rv, "STEPS", 4)
    s, tau, near, far = 10.0, 0.6, 0.0, 0.06

    def weighed(u: float) -> float:
        return math.exp(-u - s * s * (1 - math.exp(-u) * (1 + u)) - (tau * u) ** 2 / 2)

    truth = quad(weighed, near, far, epsabs=0, epsrel=1e-13)[0] + 2 * weighed(far) * math.exp(far)
    assert truth <= rv._beyond(near, far, s * s, tau, 1.0, 1e6) <= truth * (1 + 1e-3)


@pytest.mark.slow
def test_more_variance_and_more_noise_never_hurt_much_and_epsilon_buys_delta() -> None:
    """The truth is monotone; the bound is up to the choice of its parameters."""
    for grown in (
        [curve(s, "0.6") for s in ("6", "8", "10", "14")],
        [curve("9", t) for t in ("0.5", "0.6", "0.8", "2")],
    ):
        deltas = [one.delta(F(1, 2)).upper for one in grown]
        assert all(later <= 1.05 * earlier for earlier, later in pairwise(deltas))
    deltas = [curve("9", "0.7").delta(F(k, 10)).upper for k in (0, 1, 3, 5, 10, 50)]
    assert all(later < earlier for earlier, later in pairwise(deltas))


def test_much_variance_is_not_worse_than_less_of_it() -> None:
    """The drift grows with the variance, but a part of the sum is a sum."""
    assert curve("500", "0.7").delta(F(1, 20)).upper < 1e-11
    assert curve("5000", "0.7").delta(F(1, 20)).upper < 1e-10


def test_noise_alone_is_enough_where_there_is_no_variance() -> None:
    found = curve("0", "8.1").delta(F(1, 2)).upper
    assert found <= GaussianCurve(F(10, 81)).delta(F(1, 2)).upper * (1 + 1e-8) <= 1e-6


def test_what_the_sampler_is_off_by_is_charged_twice() -> None:
    without, with_ = curve("20", "0.7"), RangeVarianceCurve(F(400), F(1), F(7, 10), 1e-4)
    charged = with_.delta(F(1, 2)).upper - without.delta(F(1, 2)).upper
    assert (1 + math.exp(0.5)) * 1e-4 * (1 - 1e-6) <= charged <= (1 + math.exp(0.5)) * 1e-4 * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delta", "s", "tau"), [("1e-2", "8.57", 0.505), ("1e-3", "11.67", 0.519), ("1e-6", "19.5", 0.540)]
)
def test_about_half_of_the_range_is_noise_enough(delta: str, s: str, tau: float) -> None:
    least = least_tau(F(1, 2), F(delta), F(s) ** 2)
    assert least is not None
    assert abs(float(least) / tau - 1) < 0.015
    assert RangeVarianceCurve(F(s) ** 2, F(1), least).delta(F(1, 2)).certainly_at_most(F(delta))


def test_without_noise_nothing_is_certified() -> None:
    with pytest.raises(InputError, match="moments alone"):
        curve("10", "0")
    with pytest.raises(InputError, match="at least 0"):
        curve("10", "1", "-1")
    assert curve("10", "1", "0").delta(F(0)).upper == 0
    assert least_tau(F(0), F(0), F(100)) is None
