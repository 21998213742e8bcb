"""Cumulants of sums that are wrong by exactly what they say, and each part of the error that they state."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import acb

from dalenius.enclosure import cumulants
from dalenius.enclosure.complexes import LOOSE, expm1_complex, log1p_complex
from dalenius.enclosure.floats import FFT, GRID, LIBM, UNIT, pairwise
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics import charfun, cumulant
from dalenius.numerics.cumulant import Cumulant, Far, JointCumulant, TypeSum
from dalenius.numerics.law import Floats
from oracle import balls

F = Fraction


def complex_numbers(seed: int, count: int = 400) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 10 ** rng.uniform(-4, 0.5, count) * np.exp(1j * rng.uniform(-math.pi, math.pi, count))


def test_a_complex_exponential_counts_its_three_functions() -> None:
    """exp(x + iy) - 1 = m - (m + 1) 2 sin²(y/2) + i (m + 1) sin(y), with m = expm1(x): errors of m, of the sines."""
    w = complex_numbers(1)
    grown, turn = np.expm1(w.real), np.sin(w.imag)
    drop = 2 * np.sin(w.imag / 2) ** 2
    first = np.abs(grown) + (grown + 1) * np.abs(turn)
    second = np.abs(grown * turn) + (np.abs(grown) + 2) * drop
    _, error = expm1_complex(w.real, w.imag)
    assert (error >= UNIT * (LIBM * first + 3 * LIBM * second) * (1 - 1e-9)).all()


def test_a_complex_logarithm_counts_its_argument_and_its_two_functions() -> None:
    """|s|² errs by two units, its sum with 2 Re s by one of the sum, 1 + Re s by one; then log1p and arctan2."""
    s = complex_numbers(2)
    square = 2 * s.real + np.abs(s) ** 2
    parts = [np.abs(square), 2 * np.abs(s) ** 2, 2 * np.abs(s.imag * (1 + s.real))]
    value, error = log1p_complex(s)
    inside = sum(parts) / (2 * (1 + square))
    assert (error >= UNIT * (inside + LIBM * (np.abs(value.real) + np.abs(value.imag))) * (1 - 1e-9)).all()


class Given(Cumulant):
    """A cumulant that answers with what it was given."""

    def __init__(self, value: complex, error: float) -> None:
        self.value, self.error = value, error
        self.low, self.high, self.mean, self.variance = 0, 1, 0.5, 0.25

    def at(self, theta: Floats, _: Floats) -> tuple[Complexes, Floats]:
        return np.full(len(theta), self.value, dtype=complex), np.full(len(theta), self.error)

    def decay(self, _: float) -> float:
        return 0.0


ORIGIN = (np.zeros(1), np.zeros(1))


def test_parts_that_are_added_are_rounded_and_their_errors_add_up() -> None:
    values, errors = JointCumulant((Given(1e15, 0.0), Given(0.3, 0.0))).at(*ORIGIN)
    assert abs(F(float(values[0].real)) - F(1e15) - F(0.3)) <= F(float(errors[0]))
    values, errors = JointCumulant((Given(1.0, 0.125), Given(2.0, 0.25))).at(*ORIGIN)
    assert errors[0] >= 0.375


def test_parts_that_are_too_rough_together_still_bound_the_whole() -> None:
    values, errors = JointCumulant((Given(1.0, 0.3), Given(2.0, 0.3))).at(*ORIGIN)
    assert errors[0] >= LOOSE
    assert values[0].real >= 3.6 - 1e-12


# -- few types ----------------------------------------------------------------------------------------------------


def bits(count: int, *, slip: float = 0.0, rate: float = 0.5) -> TypeSum:
    return TypeSum.of(np.array([0, 1]), np.array([[1 - rate, rate]]), np.array([count]), roundings=slip * 2**53)


def test_many_records_that_are_sure_move_the_sum_by_a_rounded_amount() -> None:
    total = TypeSum.of(np.array([1]), np.array([[1.0]]), np.array([10**15 + 1]))
    values, errors = total.at(np.array([0.3]), np.array([0.7]))
    for found, factor in ((values[0].real, 0.3), (values[0].imag, 0.7)):
        assert abs(F(float(found)) - (10**15 + 1) * F(factor)) <= F(float(errors[0]))


@pytest.mark.parametrize("types", [1, 40])
@pytest.mark.parametrize(("theta", "t"), [(0.2, 0.5), (-0.4, 2.0), (0.0, 1e-3)])
def test_the_error_of_a_sum_counts_all_of_its_steps(types: int, theta: float, t: float) -> None:
    values = np.arange(4)
    chances = np.random.default_rng(types).dirichlet(np.ones(4) * 3, types)
    total = TypeSum.of(values, chances, np.full(types, 10))
    away = values - round(total.mean / (10 * types))
    grown, rounding = expm1_complex(theta * away, t * away)
    scale = (abs(theta) + t) * np.abs(away) * np.exp(np.maximum(theta * away, 0.0))  # above |exp(wa) - 1|
    moved = chances @ (rounding + (len(values) + 5 + GRID) * UNIT * scale)
    s = chances @ grown
    logs, log_error = log1p_complex(s)
    each = moved / np.abs(1 + s) + log_error + 4 * UNIT * np.abs(logs)
    parts = [10 * each.sum(), pairwise(types) * UNIT * 10 * np.abs(logs).sum()]
    _, errors = total.at(np.array([theta]), np.array([t]))
    assert sum(parts) * (1 - 1e-9) <= errors[0] <= 4 * sum(parts) + 1e-12


def test_chances_that_are_far_off_may_halve_the_transform() -> None:
    """1 + s = cos(1/2) at least in size, and the slip may take 30% of it away."""
    share = 0.3
    total = bits(1, slip=share * math.cos(0.5))
    _, errors = total.at(np.zeros(1), np.ones(1))
    assert -math.log(1 - share) * (1 - 1e-12) <= errors[0] < LOOSE


def test_where_the_slip_is_too_large_the_real_part_is_a_bound() -> None:
    total = bits(1, slip=0.5)
    values, errors = total.at(np.zeros(1), np.ones(1))
    assert errors[0] >= LOOSE
    assert values[0].real >= math.log(math.cos(0.5) + 0.5)


# -- by one transform ---------------------------------------------------------------------------------------------

WIDE = {-3: F(1, 7), 0: F(2, 7), 1: F(1, 7), 4: F(1, 7), 11: F(2, 7)}
TIGHT = {0: F(1, 3), 1: F(2, 3)}
LENGTH = 36


def wide(*, slip: float = 0.0) -> TypeSum:
    values = sorted({*WIDE, *TIGHT})
    table = [[float(law.get(value, F(0))) for value in values] for law in (WIDE, TIGHT)]
    return TypeSum.of(np.array(values), np.array(table), np.array([3, 2]), roundings=slip * 2**53)


@balls.precise
def transform(law: dict[int, Fraction], theta: float, j: int) -> acb:
    w = acb(balls.ball(F(theta)), acb.pi().real * 2 * j / LENGTH)
    total = acb(0)
    for value, mass in law.items():
        total += balls.ball(mass) * (w * value).exp()
    return total


@balls.precise
def size_of(theta: float, j: int) -> tuple[acb, float]:
    whole = transform(WIDE, theta, j) ** 3 * transform(TIGHT, theta, j) ** 2
    return whole, float(balls.upper(abs(whole)))


@balls.precise
def _relative(whole: acb, value: complex) -> Fraction:
    return balls.lower(abs(acb(value.real, value.imag).exp() / whole - 1))


def _blurred(*args: object) -> tuple[Complexes, float]:
    """The transform of one record, off by a hundred thousandth."""
    one, slip = RIGHT(*args)
    return one + 0.7e-5 * (1 + 1j), slip + 1e-5


RIGHT = cumulants.transformed


@pytest.mark.parametrize("theta", [0.0, 0.3, -0.2])
@pytest.mark.parametrize("blur", [False, True])
def test_frequencies_by_one_transform_are_within_their_errors(
    theta: float, blur: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if blur:
        monkeypatch.setattr(cumulant, "transformed", _blurred)
    far = wide().far(theta, LENGTH, 1, LENGTH // 2 + 1, 0.0)
    assert len(far.values) == LENGTH // 2
    for j, (value, error) in enumerate(zip(far.values.tolist(), far.errors.tolist(), strict=True), start=1):
        whole, size = size_of(theta, j)
        if error < LOOSE:
            assert _relative(whole, value) <= F(math.expm1(error) * (1 + 1e-9))
        else:
            assert size <= math.exp(value.real)
    assert float(np.median(far.errors)) <= 1e-3


@pytest.mark.parametrize("base", [0.0, 200.0])
def test_frequencies_that_are_not_told_apart_are_bounded_together(base: float) -> None:
    far = wide().far(0.3, LENGTH, 1, LENGTH // 2 + 1, base)
    left = range(1 + len(far.values), LENGTH // 2 + 1)
    assert (len(left) > 0) == (base > 100)
    assert sum(size_of(0.3, j)[1] for j in left) / math.exp(base) <= far.rest * (1 + 1e-12)
    assert far.rest <= 1e-30


def test_the_transform_of_one_record_counts_its_exponentials_its_slip_and_its_fft() -> None:
    away, chances = np.array(sorted(WIDE)), np.array([float(WIDE[k]) for k in sorted(WIDE)])
    weights = chances * np.exp(0.3 * away)
    _, bound = RIGHT(away, chances, 0.3, LENGTH, 1e-9)
    spread = (LIBM + 3 + 0.3 * np.abs(away)) @ weights
    whole = (FFT * math.log2(LENGTH) + 4) * float(np.linalg.norm(weights)) * math.sqrt(LENGTH)
    slipped = 1e-9 * np.exp(0.3 * away).sum()
    assert bound >= slipped + UNIT * (spread + whole)
    _, bare = RIGHT(away, chances, 0.3, LENGTH, 0.0)
    assert UNIT * (spread + whole) <= bare <= 1e-12


@pytest.mark.parametrize("base", [0.0, 200.0])
def test_a_transform_that_is_known_too_roughly_still_bounds_the_size(
    base: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record's transform is stored as half of what it is."""

    def halved(*args: object) -> tuple[Complexes, float]:
        one, _ = RIGHT(*args)
        return one / 2, float(np.abs(one).max()) / 2

    monkeypatch.setattr(cumulant, "transformed", halved)
    far = wide().far(0.3, LENGTH, 1, LENGTH // 2 + 1, base)
    assert (far.errors >= LOOSE).all()
    sizes = [size_of(0.3, j)[1] for j in range(1, LENGTH // 2 + 1)]
    for value, size in zip(far.values.tolist(), sizes, strict=False):
        assert size <= math.exp(value.real)
    assert sum(sizes[len(far.values) :]) / math.exp(base) <= far.rest


def test_the_logarithms_of_a_transform_are_charged_for_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cumulant, "transformed", lambda *args: (RIGHT(*args)[0], 0.0))
    far = wide().far(0.0, LENGTH, 1, LENGTH // 2 + 1, 0.0)
    assert (far.errors >= 5 * LIBM * UNIT).all()
    assert (far.errors <= 1e-12).all()


def test_many_sure_records_turn_a_transform_by_a_rounded_amount() -> None:
    count, value = 10**6 + 1, 10**6 + 3
    total = TypeSum.of(np.array([value]), np.array([[1.0]]), np.array([count]))
    far = total.far(0.3, LENGTH, 1, 5, 0.0)
    for j, (found, error) in enumerate(zip(far.values.tolist(), far.errors.tolist(), strict=True), start=1):
        assert abs(F(found.real) - count * value * F(0.3)) <= F(error)
        assert abs(F(found.imag) - turned(j, count * value)) <= F(error)


@balls.precise
def turned(j: int, times: int) -> Fraction:
    return balls.lower(acb.pi().real * 2 * j * times / LENGTH)


class Remote(Given):
    """A cumulant whose far frequencies are known only together."""

    terms = 1 << 30

    def far(self, *_: object) -> Far:
        return Far(np.zeros(0, dtype=complex), np.zeros(0), 0.25)


def test_frequencies_that_are_only_bounded_together_are_charged_with_both_signs() -> None:
    total = Remote(0.0, 0.0)
    place = charfun.Place(0.0, 0.5, 0.5)
    plan = replace(charfun._plan(total, place, 0, 1), length=400, frequencies=200)
    (rung,) = charfun._filled(total, [plan])
    kept = replace(rung, decay=1e9)  # what is beyond all that was looked at is nothing
    assert kept.damped(0.0) >= 0.5
