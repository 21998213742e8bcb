"""What lies beyond the last cell of an integral, the last mass of a noise or a sure threshold is charged."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

from dalenius.mechanisms import channel, repeated
from dalenius.mechanisms.channel import DiscreteGaussian
from dalenius.mechanisms.repeated import CentredGaussian
from dalenius.numerics import lawfamily
from dalenius.numerics import range_variance as rv
from dalenius.numerics.divergence import max_divergence
from dalenius.numerics.law import Law

F = Fraction
PI = math.pi
CLOSE = 1 - 1e-9  # of a quadrature
VARIANCE, TAU = 1.0, 0.5


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> float:
    """Integrals whose cells stop well before π; where they stop."""
    monkeypatch.setattr(rv, "REACH", 2.5 * math.sqrt(VARIANCE + TAU**2))
    return 2.5


def decay(t: float) -> float:
    return math.exp(-VARIANCE * (1 - math.cos(t)) - (TAU * t) ** 2 / 2)


def integral(f: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(f, low, high, epsrel=1e-11)[0])


# -- integrals over frequencies ---------------------------------------------------------------------------------------


def test_frequencies_beyond_the_cells_count_in_a_density(short: float) -> None:
    truth = (integral(decay, 0, 2 * PI) + rv.beyond_two_pi(TAU)) / PI
    assert truth * CLOSE <= rv.density(VARIANCE, TAU) <= truth * 1.1
    assert integral(decay, short, PI) > 0.01 * truth


def test_frequencies_beyond_the_cells_count_near_zero(short: float) -> None:
    low = np.full(1, VARIANCE)

    def distance(t: float) -> float:
        normal = math.exp(-(VARIANCE + TAU**2) * t * t / 2)
        inner = integral(lambda u: u * u * math.exp(VARIANCE * u * u / 2 - (VARIANCE - 0.25) * (1 - math.cos(u))), 0, t)
        return min(VARIANCE / 2 * inner * normal, decay(t) + normal)

    plain, moment = rv._near_zero(low, low, TAU, rv._mesh(low, TAU))
    for found, power in ((plain, 0), (moment, 1)):
        truth = integral(lambda t, p=power: t**p * distance(t), 0, PI)
        assert truth * CLOSE <= found[0] <= truth * 1.5
        assert integral(lambda t, p=power: t**p * distance(t), short, PI) > 0.01 * truth


@pytest.mark.parametrize("planted", [0.0, 1e9])
def test_frequencies_beyond_the_cells_count_in_a_drift(
    planted: float, short: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing near zero it is the moment that counts; with a planted one, what it is divided by."""
    monkeypatch.setattr(rv, "_near_zero", lambda *_: (np.zeros(1), np.full(1, planted)))
    low, v = np.full(1, VARIANCE), math.sqrt(VARIANCE + TAU**2)
    moment = planted + integral(lambda t: t * decay(t), PI, 2 * PI) + math.exp(-2 * (PI * TAU) ** 2) / TAU**2
    tail = math.sqrt(PI / 2) / v * math.erfc(PI * v / math.sqrt(2))
    left = math.sqrt(PI / 2) / v - integral(decay, PI, 2 * PI) - rv.beyond_two_pi(TAU) - tail
    found = rv.drift_in_cells(low, low, TAU)[0]
    assert moment / left * (1 - 1e-8) <= found <= 1.5 * moment / left
    assert integral(decay, PI, 2 * PI - short) > 0.001 * left


def test_tilts_beyond_the_cells_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tilt that is as likely everywhere; the cells go up to 9, of 40."""
    monkeypatch.setattr(rv, "_tails", lambda u, *_: (np.full(len(u), 0.25),) * 2)
    truth = 0.25 * -math.expm1(-0.01 * 40) + 2 * 0.25
    assert rv._beyond(0.0, 40.0, 1.0, 1.0, 0.01, 1.0) >= truth
    assert 0.25 * -math.expm1(-0.01 * 9) + 2 * 0.25 < 0.9 * truth


# -- noise that is cut off ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("centre", [F(0), F(1, 2), F(3, 10)])
def test_masses_of_noise_are_divided_by_what_was_cut_off_too(centre: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (channel, repeated):
        monkeypatch.setattr(module, "NOISE_TAIL", 0.25)
    noises = [CentredGaussian(F(4), centre).noise(), *([DiscreteGaussian(F(2)).noise()] if not centre else [])]
    for law in noises:
        weights = {k: math.exp(-((k - float(centre)) ** 2) / 8) for k in range(-60, 61)}
        truth = np.array([weights[k] for k in range(law.start, law.stop)]) / math.fsum(weights.values())
        assert (law.mass > truth * (1 + 1e-6)).all()
        assert (law.mass - law.error <= truth).all()


# -- what may be there ------------------------------------------------------------------------------------------------


def test_a_mass_that_may_be_there_may_have_no_counterpart() -> None:
    p = Law(0, np.array([1.0, 0.0]), np.array([0.0, 0.125]))
    assert max_divergence(p, Law(0, np.ones(1), np.zeros(1))).upper == math.inf


@pytest.mark.parametrize("factor", [1.0, 1.5, 4.0])
def test_a_threshold_is_sure_only_if_all_three_sums_may_be_off(factor: float) -> None:
    """A gain, or a loss, of nearly all that the sums at a place and at the two before may hide."""
    size = 0.01
    hidden = 2 * (1 + factor) * size
    for sign in (1, -1):
        before = 0.1
        term = factor * before + sign * 0.99 * hidden
        sums, errors = np.cumsum([0.5, before, term])[None, :], np.full(3, size)
        gaining, losing = lawfamily._sure(sums, errors, factor, 2, 3)
        assert gaining is None if sign > 0 else losing is None
