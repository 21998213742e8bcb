"""What lies beyond the last cell of an integral, the last mass of a noise or a sure threshold is charged."""

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from dalenius.enclosure import chebyshev, complexes, cumulants, matrices
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.mechanisms import channel, repeated
from dalenius.mechanisms.channel import DiscreteGaussian
from dalenius.mechanisms.repeated import CentredGaussian
from dalenius.numerics import (
    chainbeside,
    chainsides,
    chernoff,
    cumulant,
    lawfamily,
    leaveoneout,
    many_binomials,
    wide,
    widecurve,
)
from dalenius.numerics import range_variance as rv
from dalenius.numerics.divergence import max_divergence
from dalenius.numerics.law import Law
from numerics.test_last_units import LOSES, TERMS, off_by, summed
from oracle import balls

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


def test_what_is_possible_at_all_is_no_disclosure_for_sure() -> None:
    """A chance of the smallest float, within the window or beyond it: the ratio is beyond all floats, but finite."""
    p = Law(1, np.ones(1), np.zeros(1))
    for q in (Law(1, np.zeros(1), np.full(1, 5e-324)), Law(0, np.ones(1), np.zeros(1), 5e-324)):
        assert max_divergence(p, q).lower < math.inf


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


# -- errors that were only met together -------------------------------------------------------------------------------


def test_sums_beside_a_target_have_the_errors_of_their_law() -> None:
    law, one = Law(0, np.array([0.5, 0.25]), np.array([0.05, 0.125])), np.ones((1, 1))
    assert (chainsides._sums(one, one, law, 1)[0] >= law.mass + law.error).all()
    assert (chainsides._sums(one, one, law, -1)[0] <= law.mass - law.error).all()


def test_the_norm_of_a_matrix_is_rounded_up() -> None:
    found = matrices.norms(LOSES[None, None, :].astype(complex), 2 * (TERMS + 6) * UNIT)
    assert summed(LOSES) <= F(float(found[0]))


def test_what_is_lost_below_the_smallest_floats_grows_with_every_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that grow by 1.05 a step, each off by a thousandth, and a product that is off by all of them."""
    monkeypatch.setattr(matrices, "UNIT", 1e-4)
    monkeypatch.setattr(chainbeside, "SUNK", 1e-15)
    one = np.ones((1, 1))
    found = chainbeside.Beside.of(np.full((1, 1), 1.05), one, one, [101], [1], 1e-4)
    slip = math.expm1(101 * 11 * 1e-4)
    lost = (1.05**100 * (1 + slip)) ** 2 / (1.05**100 / (1 + slip))
    assert found.slips[0] - slip >= 8e-15 * lost * (1 - 1e-4)


def test_a_transform_of_nothing_leaves_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cumulant, "transformed", lambda *_: (np.zeros(9, dtype=complex), 0.0))
    total = cumulant.TypeSum.of(np.array([0, 1]), np.full((1, 2), 0.5), np.array([1]))
    assert 0 <= total.far(0.0, 16, 0, 9, 0.0).rest < 1e-280


def test_two_laws_that_are_sure_of_the_same_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chernoff, "math", off_by(-LIBM, exp=math.exp))
    assert chernoff.Affinity((F(1),), (F(1),)).log(0.5) >= 0


def test_a_series_counts_a_quotient_that_is_off_by_two_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 / (1 + bx) at x = 1, where all of its terms have one sign; b is -0.9933, and its series falls by 0.89."""
    unit, b, none = 1e-9, -2 * 0.89 / (1 + 0.89**2), np.zeros(1)
    wrong = b * (1 + 2 * unit)
    monkeypatch.setattr(chebyshev, "UNIT", unit)
    monkeypatch.setattr(chebyshev, "expm1_on_grid", lambda *_: (none + 0j, none))
    monkeypatch.setattr(chebyshev, "series", lambda *_: (none + 1.0, none - wrong / (1 + math.sqrt(1 - wrong**2))))
    rung: Any = SimpleNamespace(t=none, theta=0.0)
    found = leaveoneout._division(rung, 0.5, 0.0, 400)
    assert abs(found.powers.sum() - 1 / (1 + b)) <= found.slip[0]


@pytest.mark.parametrize("step", [F(1, 100), F(1), F(50)])
def test_powers_of_a_ratio_are_off_by_its_error_each_time(step: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside two units a step of either recursion: those of the exponential and of its argument."""
    seen: list[Any] = []
    monkeypatch.setattr(many_binomials, "rise", lambda *given: seen.append(given) or np.zeros(1))
    many = many_binomials.Binomials(np.array([10]), np.array([1.0]))
    many.geometric(F(0), step)
    more = math.ceil(many.tail * float(step)) + 1
    ((_, block),) = many._blocks(more)
    each = LIBM + 1 / float(step)
    assert seen[0][1][0] - block.slip[0] >= (4 * (block.width + 2 * more) + more * each) * UNIT


def test_a_run_that_is_turned_keeps_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cumulants, "sinhc", lambda z, _: (0 * z, np.full(z.shape, 0.125)))
    _, slip = cumulants.run_spread(np.zeros(1), np.array([PI]), np.array([2]), np.array([2]))
    assert slip[0, 0] >= 0.25


def test_a_part_on_a_lattice_has_an_error_of_its_own() -> None:
    window: Any = SimpleNamespace(theta=0.0, length=16, frequencies=1, centre=0, deviation=1.0)
    values, errors = np.zeros(wide.PUSHES + 1, dtype=complex), np.zeros(wide.PUSHES + 1)
    part = SimpleNamespace(at=lambda *_: (np.zeros(1, dtype=complex), np.full(1, 0.5)))
    here: Any = SimpleNamespace(part=part, cell=1)
    rung = wide._Maker._filled(here, window, values, errors, 0.0, wide.Spare(0.0, 0.0, 0.0))
    assert min(rung.errors) >= 2 * math.expm1(0.5) / 16


def test_a_number_that_is_hardly_known_may_be_larger_by_its_error() -> None:
    """Its error is just below what is loose, and that of a turn takes it there."""
    window: Any = SimpleNamespace(centre=0, deviation=1.0)
    values, error = np.full(1, -complexes.LOOSE - 1 + 0j), np.nextafter(complexes.LOOSE, 0)
    _, slip = wide._spectrum(window, np.zeros(1), 0.0, values, np.full(1, error))
    assert slip >= 2 * math.exp(-1)


def test_the_other_law_may_have_its_tail_in_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widecurve, "_below", lambda *_: np.full(3, 0.1))
    monkeypatch.setattr(widecurve, "weights", lambda *_: [None] * 3)
    here: Any = SimpleNamespace(law=SimpleNamespace(cells=3, tail=0.125), _pieces=lambda _: [None] * 3)
    assert widecurve.WideShifts._least(here, F(1), 1).value <= 0.9 - math.e * 0.125


@pytest.mark.parametrize("number", [-30.0, -1 / 3, 0.0, 5.0])
@balls.precise
def test_an_exponential_that_is_too_small_is_raised(number: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chernoff, "math", off_by(-LIBM, exp=math.exp))
    assert balls.upper(balls.exponential(F(number))) <= F(chernoff.exp_up(number))
