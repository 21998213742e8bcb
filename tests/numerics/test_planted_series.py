"""The series of families of laws, at frequencies of their own: each part of what they may err by is needed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from flint import acb
from numpy.polynomial import chebyshev as polynomials

from dalenius.enclosure import chebyshev, complexes
from dalenius.enclosure.complexes import expm1_complex, log1p_complex
from dalenius.enclosure.floats import GRID, UNIT, pairwise
from dalenius.numerics import leaveoneout, trade, yesno
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.lawfamily import Expansion
from dalenius.numerics.trade import rates_of
from dalenius.numerics.yesno import JointCumulant, Mirrored, RateSum, rate_sum
from oracle import balls

F = Fraction
T = np.array([1e-9, 1e-6, 1e-3, 0.1, 0.7, 1.9])
X = (-1.0, -0.3, 0.0, 0.7, 1.0)


@dataclass
class Place:
    """All that a series asks of a rung."""

    theta: float
    push: float = 0.0

    @property
    def t(self) -> np.ndarray:
        return T


@balls.precise
def _grown(theta: float, t: float) -> acb:
    return acb(theta, t).exp() - 1


@balls.precise
def _divided(theta: float, t: float, rate: Fraction) -> acb:
    return 1 / (1 + balls.ball(rate) * _grown(theta, t))


@balls.precise
def _traded(theta: float, t: float, first: float, second: float, times: Fraction) -> acb:
    v = _grown(theta, t)
    return (balls.ball(times) * ((1 + acb(first) * v).log() - (1 + acb(second) * v).log())).exp()


@balls.precise
def _off(truth: acb, value: complex) -> Fraction:
    return balls.lower(abs(truth - acb(value.real, value.imag)))


def assert_within_slip(expansion: Expansion, truth: Callable[[float, float], acb]) -> None:
    for x in X:
        values = polynomials.chebval(x, expansion.powers)
        room = 4 * UNIT * np.abs(expansion.powers).sum(axis=0)  # of evaluating the series here
        for j in np.flatnonzero(~expansion.far).tolist():
            exact, value = truth(x, float(T[j])), complex(values[j])
            assert _off(exact, value) <= F(float(expansion.slip[j])) + F(float(room[j])), (x, float(T[j]))


def _blurred(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value, _ = expm1_complex(x, y)
    return value * (1 + 0.7e-6 + 0.7e-6j), 1e-6 * np.abs(value)


def _smeared(sign: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Logarithms that are off by a millionth, in turns one way and the other."""
    calls = [sign]

    def smeared(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls[0] = -calls[0]
        return log1p_complex(s)[0] + calls[0] * 1e-6, np.full(len(s), 1e-6)

    return smeared


# -- one person left out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.4, -0.9])
@pytest.mark.parametrize("degree", [1, 2, 4, 24])
@pytest.mark.parametrize("blur", [False, True])
def test_the_series_of_a_quotient_is_within_its_slip(
    theta: float, degree: int, blur: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if blur:
        monkeypatch.setattr(complexes, "expm1_complex", _blurred)
    centre, half = 0.3125, 0.1875
    expansion = leaveoneout._division(Place(theta), centre, half, degree)  # type: ignore[arg-type]
    assert_within_slip(expansion, lambda x, t: _divided(theta, t, F(centre) + F(half) * F(x)))
    assert expansion.slip.max() <= 0.5


@pytest.mark.parametrize("seed", range(3))
def test_the_quotient_itself_is_charged_for_its_rounding(seed: int) -> None:
    """Where the exponential hardly moves nothing else errs, and the quotient is not one."""
    rng = np.random.default_rng(seed)
    for theta in rng.uniform(0.2, 0.9, 10).tolist():
        centre = float(rng.uniform(0.2, 0.7))
        expansion = leaveoneout._division(Place(theta), centre, 0.0, 1)  # type: ignore[arg-type]
        g = np.abs(expansion.powers[0])
        assert (expansion.slip >= 40 * UNIT * g).all()
        assert_within_slip(expansion, lambda _, t, theta=theta, centre=centre: _divided(theta, t, F(centre)))


@pytest.mark.parametrize("theta", [-2.0, -0.1, 0.0, 0.1, 2.0])
def test_leaving_anybody_out_grows_the_rest_by_no_more_than_it_says(theta: float) -> None:
    for x in (-1, 1):
        rate = 0.5 + x * 0.4
        assert 1 / (1 + rate * math.expm1(theta)) <= leaveoneout._growth(theta, 0.5, 0.4)
    expansion = leaveoneout._division(Place(theta), 0.5, 0.4, 4)  # type: ignore[arg-type]
    assert expansion.less >= 0.25  # the largest variance that a yes/no record can have
    assert expansion.growth >= leaveoneout._growth(theta, 0.5, 0.4)


def test_a_cell_ends_with_its_greatest_member() -> None:
    rates = np.sort(np.random.default_rng(0).uniform(0.1, 0.9, 5000))
    cells = leaveoneout._cells(rates, 0.5, 0.4)
    x = np.clip((rates - 0.5) / 0.4, -1, 1)
    inside = np.zeros(len(x), dtype=bool)
    for low, high in cells.tolist():
        inside |= (low <= x) & (x <= high)
    assert inside.all()


# -- records traded for others ------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.3, -0.5])
@pytest.mark.parametrize("half", [1.0, 4.0])
@pytest.mark.parametrize("wrong", ["nothing", "exponential", "logarithm", "logarithm, the other way"])
def test_the_series_of_a_trade_is_within_its_slip(
    theta: float, half: float, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wrong == "exponential":
        monkeypatch.setattr(complexes, "expm1_complex", _blurred)
    elif wrong != "nothing":
        monkeypatch.setattr(chebyshev, "log1p_complex", _smeared(1 if wrong == "logarithm" else -1))
    expansion = trade._exponential(Place(theta), 0.2, 0.6, half)  # type: ignore[arg-type]
    assert_within_slip(expansion, lambda x, t: _traded(theta, t, 0.2, 0.6, F(half) * F(x)))
    assert expansion.slip[~expansion.far].max() <= 1e-2


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_a_trade_that_stops_early_is_charged_for_its_rest(degree: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chebyshev, "_degree", lambda _: degree)
    expansion = trade._exponential(Place(0.0), 0.2, 0.6, 2.0)  # type: ignore[arg-type]
    assert_within_slip(expansion, lambda x, t: _traded(0.0, t, 0.2, 0.6, 2 * F(x)))


def test_every_term_of_a_trade_is_charged_for_its_rounding() -> None:
    for expansion in (trade._exponential(Place(0.0), 0.2, 0.6, half) for half in (1.0, 4.0)):  # type: ignore[arg-type]
        size = np.abs(expansion.powers).sum(axis=0)  # about exp of the exponent's size
        near = ~expansion.far
        assert (expansion.slip[near] >= 8 * (len(expansion.powers) + 1) * UNIT * 0.9 * size[near]).all()


@pytest.mark.parametrize(("theta", "push"), [(0.0, 0.5), (0.0, 3.0), (0.8, 0.0), (-1.5, 0.2)])
def test_a_trade_grows_masses_and_what_is_folded_in_by_no_more_than_it_says(theta: float, push: float) -> None:
    first, second, half = 0.1, 0.8, 3.0
    expansion = trade._exponential(Place(theta, push), first, second, half)  # type: ignore[arg-type]
    for tilt in (theta - push, theta, theta + push):
        grown = math.expm1(tilt)
        assert expansion.growth >= math.exp(half * abs(math.log1p(first * grown) - math.log1p(second * grown)))
    assert expansion.less >= half / 4


def test_a_family_of_trades_moves_by_half_of_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, float] = {}
    monkeypatch.setattr(trade, "family", lambda *_, **rest: seen.update(rest))
    trade.traded(rates_of(np.array([0.2, 0.4]), np.array([300, 200])), 0.2, 0.4, 8)
    assert seen["moved"] >= 4


# -- rates that are not floats ------------------------------------------------------------------------------------

NEARLY_ONE = 1 - F(1, 3 * 10**9)


def assert_within_stated(total: TypeSum, rates: list[Fraction]) -> None:
    """Each chance within two units, and the slip, of the declared one."""
    for row, rate in zip(total.chances, rates, strict=True):
        for stored, truth in zip(row.tolist(), (1 - rate, rate), strict=True):
            assert abs(F(stored) - truth) <= 2 * F(UNIT) * truth + F(total.slip)


def test_the_complement_of_a_rounded_rate_is_within_the_slip() -> None:
    rates = [F(1, 3), NEARLY_ONE]
    floats = np.array([float(rate) for rate in rates])
    assert_within_stated(rates_of(floats, np.ones(2, dtype=np.int64)), rates)
    declared = [F(1, 10**9), F(1, 3), F(2, 3), NEARLY_ONE] * 3
    whole = rate_sum(np.array([float(rate) for rate in declared]))
    assert isinstance(whole, JointCumulant)
    rare, common, between = whole.parts
    assert isinstance(rare, RateSum) and isinstance(common, Mirrored) and isinstance(between, TypeSum)
    assert rare.slip >= 3 * UNIT * 1e-9
    assert F(common.ones.slip) >= 3 * abs(F(1 - float(NEARLY_ONE)) - (1 - NEARLY_ONE)) > 0
    assert between.slip >= 2 * UNIT


def test_rates_are_taken_to_be_off_by_a_unit_each() -> None:
    rates = np.array([0.1, 0.3, 0.7])
    assert RateSum.of(rates, order=4).slip >= UNIT * float(rates.sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_variance_of_many_rates_is_from_below(seed: int) -> None:
    """Sums of rates and of their squares that lose a unit a term, whichever way."""
    rng = np.random.default_rng(seed)
    for rates in (rng.uniform(0, 1, 4001), *rng.uniform(0, 1e-17, (9, 401)), np.full(3001, 1 - 1e-13)):
        exact = [F(rate) for rate in rates.tolist()]
        truth = sum((rate * (1 - rate) for rate in exact), F(0))
        assert F(RateSum.of(rates, order=2).variance) <= truth
    assert yesno.RateSum.of(np.full(4, 0.5), order=2).decay(1.0) <= math.exp(-1)


@pytest.mark.parametrize(("theta", "t"), [(0.0, 0.5), (0.6, 1.2), (-0.8, 2.0), (0.1, 1e-3)])
@pytest.mark.parametrize("half", [0.0, 0.25])
def test_the_error_of_a_series_counts_all_of_its_steps(theta: float, t: float, half: float) -> None:
    total = RateSum.of(np.linspace(0.375 - half, 0.375 + half, 40), order=30)
    v, v_error = expm1_complex(np.array([theta]), np.array([t]))
    a, r = chebyshev.series(v, 0.375, half)
    (log_a, a_error), (log_r, r_error) = log1p_complex(0.375 * v), log1p_complex(r * r)
    nearest, ratio = np.abs(a) - half * np.abs(v), np.abs(r)
    parts = {
        "logarithms": 40 * (a_error + r_error + 2 * UNIT * (np.abs(log_a) + np.abs(log_r))),
        "their arguments": 40 * UNIT * (0.375 * np.abs(v) / np.abs(a) + 20 * ratio**2),
        "exponential, and the grid": 15 * (v_error + GRID * UNIT * t * math.exp(theta)) / nearest,
        "rates": total.slip * np.abs(v) / nearest,
        "series": chebyshev._cut_off(total.moments, total.high, ratio),
    }
    _, errors = total.at(np.array([theta]), np.array([t]))
    assert errors[0] >= sum(parts.values())[0] * (1 - 1e-9)


def test_the_series_counts_its_moments_its_powers_and_its_rest() -> None:
    total = RateSum.of(np.append(np.full(39, 0.625), 0.125), order=12)  # nearly all x are 1, and so are all T_m(x)
    for ratio in (0.1, 0.5, 0.8):
        units = 0.0
        for m in range(1, 13):
            summed = pairwise(chebyshev.BLOCK) + (0 if m <= 6 else 2 * chebyshev.BLOCK)
            units += ratio**m / m * (39 * summed + 40 * 4 * m * m + 18 * m * abs(total.moments[m]))
        rest = 2 * 40 * ratio**13 / (13 * (1 - ratio))
        assert chebyshev._cut_off(total.moments, total.high, np.array([ratio]))[0] >= (2 * UNIT * units + rest) * (
            1 - 1e-9
        )


@dataclass
class Ones:
    """In place of a sum of ones: a value, and what it may be wrong by."""

    error: float
    high: int = 10**15 + 1
    mean: float = 0.0
    variance: float = 1.0

    def at(self, _: np.ndarray, __: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array([0.3 + 0.1j]), np.array([self.error])


def test_a_mirrored_sum_is_charged_for_its_turn() -> None:
    values, errors = Mirrored(Ones(0.0)).at(np.array([0.3]), np.array([0.7]))  # type: ignore[arg-type]
    assert abs(F(float(values[0].real)) - F(0.3) - (10**15 + 1) * F(0.3)) <= F(float(errors[0]))
    assert abs(F(float(values[0].imag)) - F(0.1) - (10**15 + 1) * F(0.7)) <= F(float(errors[0]))
    _, errors = Mirrored(Ones(0.25, high=3)).at(np.array([0.3]), np.array([0.7]))  # type: ignore[arg-type]
    assert errors[0] >= 0.25
