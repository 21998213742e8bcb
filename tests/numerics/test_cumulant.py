"""log E exp(wS) at complex w: within its stated error of the truth in balls, and the stated error is small."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure import chebyshev, complexes, cumulants
from dalenius.enclosure.chebyshev import moments_of
from dalenius.enclosure.complexes import expm1_complex, log1p_complex
from dalenius.enclosure.floats import UNIT, pairwise
from dalenius.numerics.charfun import ladder
from dalenius.numerics.cumulant import Cumulant, JointCumulant, TypeSum
from dalenius.numerics.law import Law
from dalenius.numerics.yesno import Mirrored, RateSum, rate_sum
from oracle.balls import ball, lower, precise, upper

tilts = st.floats(-3.0, 3.0)
turns = st.floats(0.0, math.pi)
rates = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 0.5, 1e-12, 1 - 1e-12, 0.1, 1 / 3]))


@precise
def log_transform(records: Sequence[tuple[dict[int, Fraction], int]], theta: float, t: float) -> acb:
    """E exp(wS), as a product of sums."""
    w, product = acb(theta, t), acb(1)
    for law, count in records:
        one = acb(0)
        for value, mass in law.items():
            one += ball(mass) * (w * value).exp()
        product *= one**count
    return product


@precise
def off(transform: acb, value: complex, error: float) -> tuple[Fraction, Fraction]:
    """How far exp(value) is from the transform, relative to it; and what the error allows: exp(error) - 1."""
    ratio = acb(value.real, value.imag).exp() / transform
    return max(Fraction(0), lower(abs(ratio - 1))), upper(arb(error).exp() - 1)


def assert_within_error(
    total: Cumulant, records: Sequence[tuple[dict[int, Fraction], int]], theta: float, t: float, most: float
) -> None:
    values, errors = total.at(np.array([theta]), np.array([t]))
    transform = log_transform(records, theta, t)
    error = float(errors[0])
    if not error < 0.5:
        assert float(upper(abs(transform))) <= 2e-3 * float(
            upper(abs(log_transform(records, theta, 0.0)))
        )  # only near zeros
        return
    wrong, allowed = off(transform, complex(values[0]), error)
    assert wrong <= allowed
    assert error <= most


@given(x=st.floats(-30, 30), y=st.floats(-10, 10))
def test_complex_expm1_is_within_its_error(x: float, y: float) -> None:
    value, error = expm1_complex(np.array([x]), np.array([y]))
    assert _distance(lambda: acb(x, y).exp() - 1, complex(value[0])) <= Fraction(float(error[0])) + Fraction(5e-324)
    assert error[0] <= 400 * UNIT * (abs(math.expm1(x)) + math.exp(x) * min(abs(y), 2.0)) + 1e-300


@given(size=st.floats(-12, 1), angle=st.floats(-math.pi, math.pi))
def test_complex_log1p_is_within_its_error(size: float, angle: float) -> None:
    s = 10**size * complex(math.cos(angle), math.sin(angle))
    value, error = log1p_complex(np.array([s]))
    if not error[0] < 1e100:  # 1 + s is zero as far as floats can tell
        assert abs(1 + s) < 1e-7
        return
    assert _distance(lambda: acb(1 + acb(s.real, s.imag)).log(), complex(value[0])) <= Fraction(float(error[0]))
    if abs(1 + s) > 0.1:
        assert error[0] <= 1000 * UNIT * abs(s)


@precise
def _distance(truth: Callable[[], acb], value: complex) -> Fraction:
    return max(Fraction(0), lower(abs(truth() - acb(value.real, value.imag))))


def chebyshev_sums(x: Sequence[Fraction], order: int) -> list[Fraction]:
    """Σ T_m(x_j) by the recurrence, exactly."""
    sums = []
    before, now = [Fraction(1)] * len(x), list(x)
    for m in range(order + 1):
        sums.append(sum(before if m == 0 else now, Fraction(0)))
        if m:
            before, now = now, [2 * a * b - c for a, b, c in zip(x, now, before, strict=True)]
    return sums


@pytest.mark.slow
@given(x=st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=12), order=st.integers(1, 30))
def test_chebyshev_moments_are_within_the_error_that_the_series_charges(x: list[float], order: int) -> None:
    moments = moments_of(np.array(x), order)
    for m, (value, truth) in enumerate(
        zip(moments.tolist(), chebyshev_sums([Fraction(a) for a in x], order), strict=True)
    ):
        allowed = Fraction(UNIT) * Fraction(len(x) * (pairwise(len(x)) + 4 * m * m))
        assert abs(Fraction(value) - truth) <= allowed


@pytest.mark.slow
def test_chebyshev_moments_of_many_points_are_right_across_blocks() -> None:
    x = np.cos(np.linspace(0, np.pi, 3 * chebyshev.BLOCK + 17))
    angles = np.arccos(x.astype(np.longdouble))
    moments = moments_of(x, 40)
    for m in range(41):
        assert abs(moments[m] - float(np.cos(m * angles).sum())) <= UNIT * len(x) * (
            pairwise(chebyshev.BLOCK) + 4 * m * m
        )


@st.composite
def types(draw: st.DrawFn) -> tuple[list[int], list[list[Fraction]], list[int]]:
    """Up to four values with gaps and signs, up to three types, some with zero chances, and how many of each."""
    values = sorted(draw(st.lists(st.integers(-6, 9), min_size=1, max_size=4, unique=True)))
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        weights = draw(st.lists(st.integers(0, 97), min_size=len(values), max_size=len(values)).filter(any))
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return values, rows, [draw(st.sampled_from([1, 2, 7, 100, 10**4])) for _ in rows]


def type_sum(values: list[int], rows: list[list[Fraction]], counts: list[int]) -> TypeSum:
    return TypeSum.of(np.array(values), np.array([[float(c) for c in row] for row in rows]), np.array(counts))


@given(crowd=types(), theta=tilts, t=turns)
def test_the_transform_of_few_types_is_within_its_error(
    crowd: tuple[list[int], list[list[Fraction]], list[int]], theta: float, t: float
) -> None:
    values, rows, counts = crowd
    records = [(dict(zip(values, row, strict=True)), count) for row, count in zip(rows, counts, strict=True)]
    total = sum(counts)
    assert_within_error(type_sum(*crowd), records, theta, t, 1e-2 if total > 1000 else 1e-3)
    value, error = type_sum(*crowd).at(np.array([theta / 100]), np.array([t / 100]))
    assert math.isfinite(value[0].real)
    assert error[0] <= 1e4 * UNIT * total


def yes_no(numbers: Sequence[float]) -> list[tuple[dict[int, Fraction], int]]:
    return [({0: 1 - Fraction(p), 1: Fraction(p)}, 1) for p in numbers]


@given(
    numbers=st.lists(rates, min_size=1, max_size=12),
    theta=tilts,
    t=turns,
    order=st.sampled_from([1, 2, 4, 8, 16, 48, 96]),
)
def test_the_series_of_many_rates_is_within_its_error_at_any_order(
    numbers: list[float], theta: float, t: float, order: int
) -> None:
    """Low orders stop early on purpose: there the remainder is nearly all of the error, and without it this fails."""
    with np.errstate(all="ignore"):
        total = RateSum.of(np.array(numbers), order=order)
        value, error = total.at(np.array([theta]), np.array([t]))
    if not error[0] < 0.5:
        return
    wrong, allowed = off(log_transform(yes_no(numbers), theta, t), complex(value[0]), float(error[0]))
    assert wrong <= allowed


@given(numbers=st.lists(st.floats(0.2, 0.3), min_size=2, max_size=12), theta=st.floats(-0.5, 0.5), t=st.floats(0, 1.5))
def test_the_series_is_accurate_where_it_converges(numbers: list[float], theta: float, t: float) -> None:
    total = RateSum.of(np.array(numbers), order=24)
    assert_within_error(total, yes_no(numbers), theta, t, 3000 * UNIT * len(numbers))


def test_the_remainder_of_a_short_series_is_charged_and_not_much_more() -> None:
    numbers = np.linspace(0.3, 0.7, 9)
    for order in (1, 2, 3, 5):
        value, error = RateSum.of(numbers, order=order).at(np.array([0.3]), np.array([1.0]))
        wrong, allowed = off(log_transform(yes_no(numbers.tolist()), 0.3, 1.0), complex(value[0]), float(error[0]))
        assert wrong <= allowed <= 200 * wrong + Fraction(1, 10**12)
        assert float(error[0]) > 1e-9  # it is the remainder that is charged here


@given(numbers=st.lists(rates, min_size=1, max_size=12), theta=st.floats(-1.0, 1.0), t=turns)
def test_sums_of_any_rates_are_within_their_error_split_or_not(numbers: list[float], theta: float, t: float) -> None:
    with np.errstate(all="ignore"):
        value, error = rate_sum(np.array(numbers)).at(np.array([theta]), np.array([t]))
    if error[0] < 0.5:
        wrong, allowed = off(log_transform(yes_no(numbers), theta, t), complex(value[0]), float(error[0]))
        assert wrong <= allowed


def test_rates_from_nearly_zero_to_nearly_one_are_split_and_accurate() -> None:
    rng = np.random.default_rng(3)
    numbers = np.concatenate(
        [10 ** rng.uniform(-9, -5, 60), 1 - 10 ** rng.uniform(-9, -5, 60), rng.uniform(0.2, 0.8, 4), [0.0, 1.0]]
    )
    total = rate_sum(numbers)
    assert isinstance(total, JointCumulant)
    assert any(isinstance(part, Mirrored) for part in total.parts)
    for theta, t in [(0.0, 0.1), (0.0, 3.0), (1.5, 2.0), (-1.5, 2.0), (0.0, math.pi)]:
        assert_within_error(total, yes_no(numbers.tolist()), theta, t, 1e-11)


@given(numbers=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=10), theta=tilts, t=turns)
def test_the_decay_bounds_the_transform_at_every_frequency(numbers: list[float], theta: float, t: float) -> None:
    records = yes_no(numbers)
    with np.errstate(all="ignore"):
        decay = rate_sum(np.array(numbers)).decay(theta)
    assert_decays(decay, records, theta, t)


@given(crowd=types(), theta=tilts, t=turns)
def test_the_decay_of_few_types_bounds_the_transform(
    crowd: tuple[list[int], list[list[Fraction]], list[int]], theta: float, t: float
) -> None:
    values, rows, counts = crowd
    records = [(dict(zip(values, row, strict=True)), count) for row, count in zip(rows, counts, strict=True)]
    assert_decays(type_sum(*crowd).decay(theta), records, theta, t)


@precise
def assert_decays(decay: float, records: Sequence[tuple[dict[int, Fraction], int]], theta: float, t: float) -> None:
    assert decay >= 0
    ratio = abs(log_transform(records, theta, t)) / abs(log_transform(records, theta, 0.0))
    assert not ratio > (-2 * arb(decay) * (arb(t) / 2).sin() ** 2).exp()


def test_the_decay_of_neighbouring_values_is_the_best_of_its_kind() -> None:
    """For n fair bits |φ(t)| = |cos(t/2)|^n, and the bound has exactly n/4 for W."""
    assert type_sum([0, 1], [[Fraction(1, 2)] * 2], [1000]).decay(0.0) == pytest.approx(250.0, rel=1e-8)
    assert RateSum.of(np.full(1000, 0.5), order=2).decay(0.0) == pytest.approx(250.0, rel=1e-8)
    assert type_sum([0, 2], [[Fraction(1, 2)] * 2], [1000]).decay(0.0) == 0.0


def _blurred(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(x + iy) - 1, wrong by a millionth, and honest about it."""
    value, _ = expm1_complex(x, y)
    return value * (1 + 0.7e-6 + 0.7e-6j), 1e-6 * np.abs(value)


@pytest.mark.parametrize(("theta", "t"), [(0.5, 0.3), (-0.4, 1.0), (0.0, 2.5)])
def test_an_error_of_the_exponential_is_passed_on(theta: float, t: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complexes, "expm1_complex", _blurred)
    monkeypatch.setattr(cumulants, "expm1_complex", _blurred)
    equal, different = np.full(9, 0.3), np.linspace(0.28, 0.32, 9)
    for numbers in (equal, different):
        assert_within_error(RateSum.of(numbers, order=40), yes_no(numbers.tolist()), theta, t, 1e-3)
    law = {0: Fraction(1, 2), 1: Fraction(1, 4), 3: Fraction(1, 4)}
    assert_within_error(type_sum([0, 1, 3], [list(law.values())], [9]), [(law, 9)], theta, t, 1e-3)


@pytest.mark.parametrize(("theta", "t"), [(0.5, 0.3), (1.5, 2.5), (-2.0, 2.0)])
def test_moments_that_are_off_by_what_their_sums_may_err_are_forgiven(theta: float, t: float) -> None:
    """Each moment is moved by its own rounding error, all of them so that the value moves one way."""
    numbers = np.linspace(0.2, 0.5, 9)
    total = RateSum.of(numbers, order=40)
    v, _ = expm1_complex(np.array([theta]), np.array([t]))
    r = complex(chebyshev.series(v, total.centre, total.half)[1][0])
    orders = np.arange(len(total.moments))
    off_by = UNIT * total.high * (pairwise(chebyshev.BLOCK) + 4 * orders**2) * np.sign((r**orders).real)
    off_by[:2] = 0.0  # the first moment's bound is finer than the number of records
    wrong = replace(total, moments=total.moments + off_by)
    assert_within_error(wrong, yes_no(numbers.tolist()), theta, t, 1e-9)
    # and the error says so: it is at least what these moves do together
    moved = abs(2 * sum(r**m * off_by[m] / m for m in range(1, len(off_by))))
    assert chebyshev._cut_off(total.moments, total.high, np.array([abs(r)]))[0] >= 0.999 * moved > 0


@pytest.mark.slow
def test_a_tilt_that_is_too_large_for_squares_is_known_to_be_so() -> None:
    """The square of e^400 is no float; the error must not become NaN, which no comparison would notice."""
    values = np.array([*range(99), 400])
    chances = np.array([[1 / 99] * 99 + [0.0], [0.5] + [0.0] * 98 + [0.5]])
    total = TypeSum.of(values, chances, np.array([12, 9]))
    value, error = total.at(np.array([1.3863, 1.3863]), np.array([0.0, 0.1]))
    assert not np.isnan(error).any() and np.isfinite(value.real).all()
    assert not np.isnan(ladder(total).law().error).any()


def test_a_law_of_no_numbers_is_refused() -> None:
    with pytest.raises(PreconditionError, match="NaN"):
        Law(0, np.array([1.0]), np.array([np.nan]))
