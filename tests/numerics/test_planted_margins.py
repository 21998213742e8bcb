"""Frequencies that are floats, and bounds that are rounded themselves: what is charged for that is needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure import chebyshev, complexes
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.complexes import LOOSE
from dalenius.enclosure.floats import GRID, UNIT
from dalenius.numerics import charfun, cumulant, leaveoneout, trade
from dalenius.numerics import range_variance as rv
from dalenius.numerics.charfun import PUSHES, Ladder
from dalenius.numerics.cumulant import Cumulant, Far, JointCumulant, TypeSum
from dalenius.numerics.lawfamily import Expansion, LawFamily, family
from dalenius.numerics.range_variance import RangeVarianceCurve
from dalenius.numerics.yesno import Mirrored, RateSum
from numerics.test_planted_rungs import Planted
from oracle import balls

compose: Any = import_module("dalenius.numerics.compose")  # the module: its name is also that of a function

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one

# -- frequencies --------------------------------------------------------------------------------------------------


def grid(length: int, count: int) -> list[float]:
    found: list[float] = (2 * math.pi / length * np.arange(count, dtype=float)).tolist()
    return found


@balls.precise
def _turned(length: int, j: int, times: int) -> acb:
    return acb(0, arb.pi() * 2 * j * times / length).exp()


@pytest.mark.slow
@balls.precise
def test_a_frequency_is_on_the_grid_up_to_its_units() -> None:
    worst = F(0)
    for length in range(1000, 12000, 7):
        frequencies = grid(length, 120)
        for j in (3, 13, 29, 53, 59, 107, 113):
            exact = arb.pi() * 2 * j / length
            worst = max(worst, balls.upper(abs(arb(frequencies[j]) / exact - 1)) / F(UNIT))
    assert GRID - 1 < worst <= GRID


class Nothing(Cumulant):
    """A sum that is always zero, counted from somewhere."""

    def __init__(self, anchor: int = 0) -> None:
        self.low, self.high, self.mean, self.variance, self.place = 0, 0, 0.0, 0.0, anchor

    @property
    def anchor(self) -> int:
        return self.place

    def at(self, theta: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return 0j * theta, 0 * theta

    def decay(self, _: float) -> float:
        return 0.0


@balls.precise
def test_the_turn_from_the_anchor_to_the_centre_is_charged_for_the_grid() -> None:
    """A sum of zero, seen from far away: each frequency turns it by as much as the frequency is off, times that."""
    centre, worst, count = 10**9 + 7, F(0), 30
    for length in range(1000, 1100):
        window = charfun.LatticeWindow(0.0, centre, 1.0, 0, 0, length, count, 0.0, 1.0)
        found = Far(np.zeros(PUSHES + count, dtype=complex), np.zeros(PUSHES + count), 0.0)
        rung = charfun._rung(Nothing(), window, found)
        for j in range(1, count):
            value, error = complex(rung.spectrum[j]), F(float(rung.spectrum_error[j]))
            off = balls.lower(abs(_turned(length, j, -centre) - acb(value.real, value.imag)))
            assert off <= error
            worst = max(worst, off / error)
    assert worst > F(9, 20)


def test_the_anchor_of_a_sum_is_where_its_cumulant_function_counts_from() -> None:
    ones = RateSum.of(np.array([0.2, 0.3, 0.4]), order=4)
    types = TypeSum.of(np.array([4, 6]), np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([2, 3]))
    assert (ones.anchor, Mirrored(ones).anchor, types.anchor) == (0, 3, 25)
    assert JointCumulant((types, Mirrored(ones))).anchor == 28


@dataclass
class Place:
    """All that a series asks of a rung: its frequencies are just below π."""

    theta: float = 0.0
    push: float = 0.0

    @property
    def t(self) -> np.ndarray:
        return np.array([0.0, math.pi - 0.006, math.pi - 0.004])


def _exact(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.exp(x + 1j * y) - 1, np.zeros(len(x))


def test_a_person_left_out_is_charged_for_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 / (1 + pv) moves by p |dv| / |1 + pv|², where dv is what the grid is off, beside the rounding of p."""
    monkeypatch.setattr(complexes, "expm1_complex", _exact)
    rung = Place()
    expansion = leaveoneout._division(rung, 0.5, 0.0, 1)  # type: ignore[arg-type]
    assert not expansion.far.any()
    v = np.abs(np.exp(1j * rung.t) - 1)
    needed = UNIT * (2 * v + GRID * rung.t) / np.cos(rung.t / 2) ** 2
    assert (expansion.slip >= needed * (1 - 1e-9)).all()


def test_a_trade_is_charged_for_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complexes, "expm1_complex", _exact)
    monkeypatch.setattr(chebyshev, "log1p_complex", lambda s: (np.log(1 + s), np.zeros(len(s))))
    rung = Place()
    expansion = trade._exponential(rung, 0.5, 0.3, 1.0)  # type: ignore[arg-type]
    assert not expansion.far.any()
    v = np.exp(1j * rung.t) - 1
    size, room = np.abs(np.log(1 + 0.5 * v) - np.log(1 + 0.3 * v)), np.abs(1 + 0.5 * v)
    needed = np.exp(size) * UNIT * (6 * np.abs(v) + 2 * GRID * rung.t) / room
    assert (expansion.slip >= needed * (1 - 1e-9)).all()


# -- ceilings -----------------------------------------------------------------------------------------------------


@balls.precise
def _logarithms(counts: Sequence[int], sizes: Sequence[arb]) -> Fraction:
    total = arb(0)
    for count, size in zip(counts, sizes, strict=True):
        total += count * size.log()
    return balls.lower(total)


@balls.precise
def _coin(t: int) -> arb:
    return (arb(t) / 2).cos()


@pytest.mark.parametrize("types", [1, 3])
@pytest.mark.parametrize("seed", range(6))
@balls.precise
def test_the_ceiling_of_very_many_records_counts_its_logarithms(types: int, seed: int) -> None:
    """1e15 records of each type, known so badly that only their size is bounded."""
    rng = np.random.default_rng(seed)
    counts, slip = rng.integers(10**15, 2 * 10**15, types), float(rng.uniform(1e8, 1e9))
    total = TypeSum.of(np.array([0, 1]), np.full((types, 2), 0.5), counts, roundings=slip * 2**53)
    values, errors = total.at(np.zeros(1), np.ones(1))
    assert errors[0] >= LOOSE
    truth = _logarithms(counts.tolist(), [_coin(1) + balls.ball(F(slip))] * types)
    assert truth <= F(float(values[0].real)) <= truth + 1000


@pytest.mark.parametrize("types", [1, 3])
@pytest.mark.parametrize("seed", range(6))
@balls.precise
def test_the_ceiling_by_one_transform_counts_its_logarithms(
    types: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    counts, slip = rng.integers(10**15, 2 * 10**15, types), float(rng.uniform(1e-9, 1e-8))
    monkeypatch.setattr(cumulant, "transformed", lambda *_: (np.zeros(19, dtype=complex), slip))
    total = TypeSum.of(np.array([0, 1]), np.full((types, 2), 0.5), counts)
    far = total.far(0.0, 36, 1, 4, -1e18)
    truth = _logarithms(counts.tolist(), [balls.ball(F(slip))] * types)
    assert truth <= F(float(far.values[0].real)) <= truth + 1000


# -- bounds that are rounded --------------------------------------------------------------------------------------


def of_one(rung: Planted, ends: tuple[float, float] = (0.0, 0.0)) -> LawFamily:
    none = np.zeros(2)
    powers = Expansion(np.zeros((1, 2), dtype=complex), none, none > 1, 1.0, 0.0)
    steps = Ladder((rung,), *ends)  # type: ignore[arg-type]
    return family(steps, lambda _: powers, np.zeros((1, 2)), moved=0.0)


def test_errors_that_are_lost_in_their_sum_are_made_up_for() -> None:
    """1 + u/2 is 1 in floats."""
    whole, rung = 1 + F(LOST), Planted(bound=1.0, alias=LOST)
    law = Ladder((rung,), 1.0, LOST).law()  # type: ignore[arg-type]
    assert F(float(law.error[0])) >= whole
    assert F(law.tail) >= whole
    laws = of_one(rung, (1.0, LOST))
    assert F(float(laws.lower_error[0])) >= whole
    assert F(float(laws.upper_error[0])) >= whole
    assert F(laws.beyond) >= whole


@pytest.mark.parametrize("seed", range(10))
def test_an_exponential_that_is_too_small_is_made_up_for(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mass beyond the ends of a composition, from a cumulant function that is right."""
    monkeypatch.setattr(compose, "_cumulant", lambda *_: 0.0)
    end = float(np.random.default_rng(seed).uniform(1e-7, 1e-5))
    found = compose._outside([], (-end, end), compose._Range(-end, end, 1e5, 1e5), 0.0, 0.0)
    exact = balls.exponential(-F(1e5) * F(end))
    assert 2 * balls.lower(exact) <= F(found)


@pytest.mark.parametrize("seed", range(8))
def test_a_bound_from_range_and_variance_is_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added up is right; the sum is not."""
    rng = np.random.default_rng(seed)
    best, slack = rng.uniform(0.01, 0.1, 2).tolist()
    monkeypatch.setattr(RangeVarianceCurve, "_upper", lambda *_: best)
    monkeypatch.setattr(rv, "exponential", lambda _: (1.25, 1.25))
    bracket: Bracket = RangeVarianceCurve(F(4), F(1), F(1), slack).delta(F(1))
    assert F(best) + F(9, 4) * F(slack) <= F(bracket.upper)
