"""Runs of values: what a transform and its logarithm lose in floats, met or planted, and made up for."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure import cumulants as kernels
from dalenius.enclosure.floats import UNIT
from dalenius.numerics.runs import Runs, RunSum
from numerics.test_last_units import LOSES, TERMS, summed
from numerics.test_wide import far_off
from oracle import balls

F = Fraction
ONE = np.ones(1)
COIN = Runs.of([(0, 1, 2, F(1))])
SEEDS = range(12)


def plant(monkeypatch: pytest.MonkeyPatch, name: str, *found: object) -> None:
    """Let a function of the engine answer with these, one after the other."""
    answers = iter(found)
    monkeypatch.setattr(kernels, name, lambda *_: next(answers))


def spread(t: np.ndarray, step: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """What a single run is about its middle, without a tilt."""
    return kernels.run_spread(np.zeros(1), t, np.array([step]), np.array([count]))


def exactly(number: complex) -> acb:
    return acb(number.real, number.imag)


def some(rng: np.random.Generator, size: float = 1.0) -> complex:
    return complex(size * (rng.uniform(-1, 1) + 1j * rng.uniform(-1, 1)))


# -- one record ---------------------------------------------------------------------------------------------------


@balls.precise
def test_a_hyperbolic_sine_over_its_argument_is_off_by_no_more_than_stated() -> None:
    rng = np.random.default_rng(3)
    small = [some(rng, 0.7 * 10.0**-k) for k in range(6) for _ in range(20)]
    large = [complex(rng.uniform(-9, 9), rng.choice([-1, 1]) * rng.uniform(1, 900)) for _ in range(120)]
    for points in (small, large):
        values, errors = kernels.sinhc(np.array(points), np.zeros(len(points)))
        for x, value, error in zip(points, values.tolist(), errors.tolist(), strict=True):
            off = far_off(value, exactly(x).sinh() / exactly(x) - 1)
            assert off <= error <= 600 * UNIT * max(1.0, math.exp(abs(x.real)))


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_an_argument_that_is_turned_often_is_off_by_its_units(seed: int) -> None:
    """One value far from the base: only the product of the two is rounded, and that by much."""
    t, place = float(np.random.default_rng(seed).uniform(2, 3)), 10**9 + 7
    (value,), (error,) = Runs.of([(place, 1, 1, F(1))]).grown(np.zeros(1), np.array([t]), 0)
    off = far_off(complex(value), (acb(0, t) * place).exp() - 1)
    assert off <= error <= 1e-5


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_where_an_argument_is_turned_to_is_known_up_to_its_units(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product; so often π, which is a float and off by a unit and an eighth; and their difference."""
    seen: list[np.ndarray] = []
    given: Callable[..., object] = kernels.sinhc
    monkeypatch.setattr(kernels, "sinhc", lambda x, lost: seen.append(lost) or given(x, lost))
    angle = math.pi * (turns - 0.49)
    spread(np.array([angle]), 2, 3)
    near, far = (float(lost[0, 0]) for lost in seen)
    assert near >= UNIT * (angle + turns * (math.pi + 1.125) + 0.49 * math.pi)
    assert far >= 3 * near


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_run_about_its_middle_counts_the_rounding_of_a_quotient(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    near, far = some(rng, 0.2), some(rng)
    nothing = np.zeros((1, 1))
    plant(monkeypatch, "sinhc", (np.array([[near]]), nothing), (np.array([[far]]), nothing))
    value, slip = spread(np.array([0.1]), 1, 3)
    off = far_off(complex(value[0, 0]), (exactly(far) - exactly(near)) / (1 + exactly(near)))
    assert 0 < off <= slip[0, 0]


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("which", [0, 1])
def test_a_run_about_its_middle_passes_errors_on(which: int, sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the hyperbolic sine is smallest: an iπ/2 over that."""
    near, far, slip = 2 / math.pi - 1, 5.0, 1e-3
    slips = [np.full((1, 1), slip if place == which else 0.0) for place in range(2)]
    plant(monkeypatch, "sinhc", (np.full((1, 1), near), slips[0]), (np.full((1, 1), far), slips[1]))
    value, error = spread(np.array([0.1]), 1, 3)
    moved = [near + sign * slip * (which == 0), far + sign * slip * (which == 1)]
    truth = (moved[1] - moved[0]) / (1 + moved[0])
    assert abs(truth - value[0, 0].real) <= error[0, 0] * (1 + 2 * slip)


def test_a_run_that_is_turned_once_is_rounded_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = 0.9 * UNIT
    nothing = np.zeros((1, 1))
    plant(monkeypatch, "sinhc", (nothing, nothing), (np.full((1, 1), tiny), nothing))
    value, slip = spread(np.array([math.pi]), 2, 2)
    assert abs(F(float(value[0, 0].real)) - (-2 - F(tiny))) <= F(float(slip[0, 0]))


def planted(monkeypatch: pytest.MonkeyPatch, moved: np.ndarray, spread: np.ndarray, slip: float = 0.0) -> None:
    """exp(w(X - base)) - 1 of a run's middle, and what the run adds about it."""
    plant(monkeypatch, "expm1_complex", (moved[None, :], np.full((1, len(moved)), slip)))
    monkeypatch.setattr(kernels, "run_spread", lambda *_: (spread[None, :], np.zeros((1, len(moved)))))


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_parts_that_cancel_are_rounded_as_they_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    moved = some(rng)
    spread = -moved / (moved + 1) * (1 + 1e-9)
    planted(monkeypatch, np.array([moved]), np.array([spread]))
    (value,), (error,) = Runs.of([(0, 1, 1, F(1))]).grown(np.zeros(1), np.zeros(1), 0)
    off = far_off(complex(value), exactly(moved) + (exactly(moved) + 1) * exactly(spread))
    assert off <= error < 1e-12


def test_an_error_of_the_middle_counts_for_all_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, np.zeros(1), np.ones(1), slip=1e-3)
    _, (error,) = Runs.of([(0, 1, 1, F(1))]).grown(np.zeros(1), np.zeros(1), 0)
    assert error >= 2e-3


MANY = 60


def of_weights(weights: np.ndarray) -> Runs:
    places = np.arange(len(weights))
    return Runs(places, np.ones_like(places), np.ones_like(places), weights)


def test_weights_and_their_sum_are_charged_for_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are off by two units each, of values whose own error is known to be nothing."""
    weights = np.array([0.5, *[0.499 * UNIT] * MANY])
    planted(monkeypatch, np.ones(MANY + 1), np.zeros(MANY + 1))
    (value,), (error,) = of_weights(weights).grown(np.zeros(1), np.zeros(1), 0)
    assert summed(weights) * (1 + 2 * F(UNIT)) - F(float(value.real)) <= F(float(error))
    assert error >= (MANY + 2) * UNIT / 2


def test_errors_of_runs_are_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, np.zeros(TERMS), np.zeros(TERMS), slip=1.0)
    _, (error,) = of_weights(LOSES).grown(np.zeros(1), np.zeros(1), 0)
    assert summed(LOSES) <= F(float(error))


# -- many records -------------------------------------------------------------------------------------------------


def total(monkeypatch: pytest.MonkeyPatch, counts: list[int], logs: list[complex], rounding: float = 0.0) -> RunSum:
    """Types of record whose logarithms are planted, and so is how far they are off."""
    monkeypatch.setattr(Runs, "grown", lambda *_: (np.zeros(1, dtype=complex), np.zeros(1)))
    plant(monkeypatch, "log1p_complex", (np.array([logs]), np.full((1, len(logs)), rounding)))
    return RunSum((COIN,) * len(counts), np.array(counts), 0, 1, 0.0, 1.0, 0)


def test_the_error_of_a_logarithm_counts_for_each_record(monkeypatch: pytest.MonkeyPatch) -> None:
    _, (error,) = total(monkeypatch, [1000], [0.5j], 1e-6).at(ONE, ONE)
    assert error >= 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_logarithms_that_cancel_are_rounded_as_they_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    counts, logs = rng.integers(10**6, 10**7, 3).tolist(), [complex(log) for log in rng.uniform(0.1, 1, 2)]
    logs.append(complex(-(counts[0] * logs[0].real + counts[1] * logs[1].real) / counts[2]))
    (value,), (error,) = total(monkeypatch, counts, logs).at(ONE, ONE)
    exact = sum(n * F(log.real) for n, log in zip(counts, logs, strict=True))
    assert abs(F(float(value.real)) - exact) <= F(float(error)) <= F(1, 10**7)


def test_logarithms_of_many_types_are_added_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One, what it loses each time, and that much less one: of a sum that is next to nothing, each addition counts."""
    many = 400
    logs = [1.0 + 0j, *[0.999 * UNIT + 0j] * many, -1.0 + 0j]
    (value,), (error,) = total(monkeypatch, [1] * len(logs), logs).at(ONE, ONE)
    exact = sum(F(log.real) for log in logs)
    assert abs(F(float(value.real)) - exact) <= F(float(error))


def test_a_factor_in_front_is_rounded_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = 0.499 * UNIT
    one = total(monkeypatch, [1], [lost + 0j])
    object.__setattr__(one, "scale", 1.0)
    (value,), (error,) = one.at(ONE, ONE)
    assert abs(F(float(value.real)) - 1 - F(lost)) <= F(float(error))


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_ceilings_that_cancel_are_from_above(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of two types, far above one and far below it, and nothing known of either but its size."""
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(2, 3), rng.uniform(0.2, 0.3)
    counts = [10**15 + seed, 0]
    counts[1] = round(-counts[0] * math.log(sizes[0]) / math.log(sizes[1]))
    grown = iter([(np.array([-1 + 0j]), np.array([size])) for size in sizes])
    monkeypatch.setattr(Runs, "grown", lambda *_: next(grown))
    both = RunSum((COIN, COIN), np.array(counts), 0, 1, 0.0, 1.0, 0)
    (value,), _ = both.at(np.zeros(1), ONE)
    truth = sum((n * arb(float(size)).log() for n, size in zip(counts, sizes, strict=True)), arb(0))
    assert balls.upper(truth) <= F(float(value.real))


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_ceiling_counts_the_turn_to_its_base(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    theta, base, count = float(np.random.default_rng(seed).uniform(1e-3, 1e-2)), 10**9 + 7, 10**6 + seed
    monkeypatch.setattr(Runs, "grown", lambda *_: (np.array([-1 + 0j]), np.ones(1)))
    one = RunSum((COIN,), np.array([count]), 0, 1, 0.0, 1.0, base)
    (value,), _ = one.at(np.array([theta]), ONE)
    assert balls.upper(arb(theta) * base * count) <= F(float(value.real))
