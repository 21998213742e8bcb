"""From characteristic functions to laws: every mass within its error, and each part of the error is needed."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.enclosure.floats import FFT, UNIT
from dalenius.numerics import charfun, fourier
from dalenius.numerics.charfun import Ladder, Rung, ladder
from dalenius.numerics.cumulant import Cumulant, TypeSum
from dalenius.numerics.law import Law
from dalenius.numerics.yesno import RateSum, rate_sum
from numerics.checks import assert_covers, assert_covers_balls, fractions_of
from oracle import balls
from oracle import laws as lw
from oracle.poisson_binomial import poisson_binomial

Masses = dict[int, Fraction]


def law_of_sum(total: Cumulant, floor: float = charfun.FLOOR) -> Law:
    with np.errstate(all="ignore"):
        return ladder(total, floor).law()


def type_sum(types: Sequence[tuple[Masses, int]], *, slip: float = 0.0) -> TypeSum:
    values = sorted({value for law, _ in types for value in law})
    table = [[float(law.get(value, Fraction(0))) for value in values] for law, _ in types]
    return TypeSum.of(
        np.array(values), np.array(table), np.array([count for _, count in types]), roundings=slip * 2**53
    )


def exact_sum(types: Sequence[tuple[Masses, int]]) -> Masses:
    return dict(lw.sum_of([lw.power({k: m for k, m in law.items() if m}, count) for law, count in types]))


rates = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 - 1e-9, 1e-3, 1 / 3]))


@pytest.mark.slow
@given(numbers=st.lists(rates, min_size=1, max_size=14))
def test_the_law_of_a_few_different_rates_covers_the_truth(numbers: list[float]) -> None:
    exact = lw.sum_of([lw.bernoulli(p) for p in fractions_of(numbers)])
    assert_covers(law_of_sum(rate_sum(np.array(numbers))), exact)


def crowd(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    match kind:
        case "any":
            return rng.uniform(0, 1, n)
        case "alike":
            return rng.uniform(0.29, 0.31, n)
        case "rare":
            return 10 ** rng.uniform(-7, -2, n)
        case "common":
            return 1 - 10 ** rng.uniform(-7, -2, n)
        case "sure and rare":
            return np.concatenate([[0.0, 1.0, 1.0], 10 ** rng.uniform(-9, -1, n - 6), [0.5, 0.5, 1 - 1e-9]])
        case _:
            return np.concatenate([10 ** rng.uniform(-9, -4, n // 2), 1 - 10 ** rng.uniform(-9, -4, n - n // 2)])


KINDS = ["any", "alike", "rare", "common", "sure and rare", "rare and common"]


LARGE = [pytest.param(2500, kind, marks=pytest.mark.slow) for kind in ("any", "sure and rare", "rare and common")]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "kind"), [*itertools.product([30, 300], KINDS), *LARGE])
def test_the_law_of_many_different_rates_covers_the_truth(n: int, kind: str) -> None:
    numbers = crowd(kind, n)
    law = law_of_sum(rate_sum(numbers))
    assert_covers_balls(law, 0, poisson_binomial(fractions_of(numbers.tolist())))
    assert law.tail <= 1e-58
    assert law.additive <= {30: 0.1, 300: 1e-8, 2500: 1e-9}[n]


@pytest.mark.parametrize("kind", ["alike", "rare"])
def test_masses_far_in_the_tails_keep_their_digits(kind: str) -> None:
    numbers = crowd(kind, 3000)
    law = law_of_sum(rate_sum(numbers))
    assert law.mass.min() < 1e-40
    deep = law.mass > 1e-50
    assert (law.error[deep] <= 1e-9 * law.mass[deep]).all()


@st.composite
def lattice_types(draw: st.DrawFn) -> list[tuple[Masses, int]]:
    """Values with gaps, spans and signs; ugly masses, some of them zero; up to three types."""
    span, offset = draw(st.sampled_from([1, 2, 3])), draw(st.integers(-5, 5))
    values = [offset + span * k for k in draw(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True))]
    found = []
    for _ in range(draw(st.integers(1, 3))):
        weights = draw(st.lists(st.integers(0, 101), min_size=len(values), max_size=len(values)).filter(any))
        law = {value: Fraction(w, sum(weights)) for value, w in zip(values, weights, strict=True)}
        found.append((law, draw(st.integers(1, 25))))
    return found


@pytest.mark.slow
@given(types=lattice_types())
@settings(max_examples=60)
def test_the_law_of_few_lattice_types_covers_the_truth(types: list[tuple[Masses, int]]) -> None:
    law = law_of_sum(type_sum(types))
    assert_covers(law, exact_sum(types))


F = Fraction
LATTICES = [
    [({0: F(1, 3), 1: F(2, 3)}, 400)],
    [({-2: F(1, 7), 0: F(2, 7), 5: F(4, 7)}, 150), ({1: F(1, 2), 3: F(1, 2)}, 100)],
    [({0: F(1, 97), 3: F(95, 97), 7: F(1, 97)}, 300)],
    [({0: F(1, 2), 2: F(1, 2)}, 300), ({5: F(1)}, 10)],
    [({k: F(1, 20) for k in range(20)}, 40)],
    [({0: F(9, 10), 1: F(1, 20), 30: F(1, 20)}, 40)],
]


@pytest.mark.slow
@pytest.mark.parametrize("types", LATTICES)
def test_the_law_of_hundreds_of_lattice_records_covers_the_truth_and_is_accurate(
    types: list[tuple[Masses, int]],
) -> None:
    law = law_of_sum(type_sum(types))
    assert_covers(law, exact_sum(types))
    assert law.additive <= 1e-10


@pytest.mark.slow
@given(types=lattice_types(), near=st.integers(1, 4))
@settings(max_examples=60)
def test_frequencies_that_come_by_fft_cover_the_truth(types: list[tuple[Masses, int]], near: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charfun, "MUCH", 0)
        patch.setattr(charfun, "NEAR", near)
        law = law_of_sum(type_sum(types))
    assert_covers(law, exact_sum(types))


WIDE = [
    [({k: F(1, 150) for k in range(150)}, 20)],
    [({**{10 * k: F(1, 31) for k in range(30)}, 7: F(1, 31)}, 30)],  # nearly on a lattice: high frequencies count
    [({k: F(1, 99) for k in range(99)}, 12), ({0: F(1, 2), 400: F(1, 2)}, 9)],
]


@pytest.mark.slow
@pytest.mark.parametrize("types", WIDE)
@pytest.mark.parametrize("near", [1, 64])
def test_wide_ranges_of_values_are_covered_and_accurate(
    types: list[tuple[Masses, int]], near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charfun, "MUCH", 0)
    monkeypatch.setattr(charfun, "NEAR", near)
    law = law_of_sum(type_sum(types))
    assert_covers(law, exact_sum(types))
    assert law.additive <= 1e-9


@pytest.mark.slow
@given(moves=st.lists(st.sampled_from([-1, 1]), min_size=3, max_size=3), count=st.integers(2, 40))
@settings(max_examples=40)
def test_chances_that_are_off_by_the_slip_are_forgiven(moves: list[int], count: int) -> None:
    """The stored chances are wrong by 1e-5 each; the law must cover the sum of the right ones."""
    slip = Fraction(1, 10**5)
    exact = {0: Fraction(2, 7) + slip * moves[0], 1: Fraction(3, 7) + slip * moves[1]}
    exact[3] = 1 - sum(exact.values())
    stored = {0: Fraction(2, 7), 1: Fraction(3, 7), 3: Fraction(2, 7)}
    law = law_of_sum(type_sum([(stored, count)], slip=2e-5))
    assert_covers(law, exact_sum([(exact, count)]))
    assert law.additive <= 0.2


@pytest.mark.slow
@given(moves=st.lists(st.sampled_from([-1, 1]), min_size=30, max_size=30))
@settings(max_examples=25)
def test_rates_that_are_off_by_the_slip_are_forgiven(moves: list[int]) -> None:
    stored = np.linspace(0.2, 0.4, 30)
    truth = [Fraction(p) + Fraction(m, 10**6) for p, m in zip(stored.tolist(), moves, strict=True)]
    law = law_of_sum(RateSum.of(stored, order=60, slip=30e-6))
    assert_covers(law, lw.sum_of([lw.bernoulli(p) for p in truth]))
    assert law.additive <= 0.01


@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
def test_a_series_that_stops_early_still_gives_a_law_that_covers_the_truth(order: int) -> None:
    numbers = np.linspace(0.05, 0.95, 24)
    law = law_of_sum(RateSum.of(numbers, order=order))
    assert_covers(law, lw.sum_of([lw.bernoulli(p) for p in fractions_of(numbers.tolist())]))


@pytest.mark.parametrize("floor", [1e-2, 1e-4, 1e-8])
def test_what_a_high_floor_leaves_out_is_in_the_tail(floor: float) -> None:
    types = [({0: F(2, 3), 1: F(1, 3)}, 400)]
    law = law_of_sum(type_sum(types), floor)
    exact = exact_sum(types)
    assert_covers(law, exact)
    outside = sum(mass for k, mass in exact.items() if not law.start <= k < law.stop)
    assert 0 < outside <= Fraction(law.tail) <= Fraction(floor)


def middle_rung(total: Cumulant, *, length: int, frequencies: int | None = None) -> Rung:
    """The untilted rung, forced to a window of this length and to so many frequencies."""
    place = charfun.Place(0.0, total.mean, math.sqrt(total.variance))
    first, last = round(total.mean) - 2, round(total.mean) + 2
    plan = charfun._plan(total, place, first, last)
    window = replace(plan, length=length, frequencies=frequencies or length // 2 + 1)
    return charfun._filled(total, [window])[0]


def assert_rung_covers(rung: Rung, exact: Masses) -> float:
    """Every value within its error; returns the error."""
    values, error = rung.inverted(np.ones((1, len(rung.t)), dtype=complex))
    error += rung.damped(0.0) / rung.length + rung.alias
    for k, value in zip(range(rung.first, rung.last + 1), values[0].tolist(), strict=True):
        assert abs(Fraction(value) - exact[k]) <= Fraction(error)
    return error


BITS = [({0: F(2, 3), 1: F(1, 3)}, 90)]
LOPSIDED = [({0: F(5, 6), 3: F(1, 6)}, 20), ({0: F(1, 2), 1: F(1, 2)}, 5)]


@pytest.mark.parametrize("types", [BITS, LOPSIDED])
@pytest.mark.parametrize("length", [12, 16, 20, 27, 32])
def test_mass_that_a_short_window_folds_back_is_charged(types: list[tuple[Masses, int]], length: int) -> None:
    total = type_sum(types)
    error = assert_rung_covers(middle_rung(total, length=length), exact_sum(types))
    assert error >= 1e-9  # it is the folding that is charged here


NEARLY_ALL = [({0: F(1, 30), 1: F(29, 30)}, 90)]
NEARLY_NONE = [({0: F(29, 30), 1: F(1, 30)}, 90)]


@pytest.mark.parametrize("types", [NEARLY_ALL, NEARLY_NONE])
@pytest.mark.parametrize("length", [6, 8, 9, 10])
def test_mass_is_folded_back_from_either_side(types: list[tuple[Masses, int]], length: int) -> None:
    """Near the end of the support only one side can fold back."""
    error = assert_rung_covers(middle_rung(type_sum(types), length=length), exact_sum(types))
    assert error >= 1e-9


@pytest.mark.parametrize(("length", "frequencies"), [(16, None), (20, None), (100, 4), (100, 8), (100, 12)])
def test_the_law_of_a_poor_rung_covers_the_truth(length: int, frequencies: int | None) -> None:
    """What is folded back and what is left out reach the law's own errors."""
    rung = middle_rung(type_sum(BITS), length=length, frequencies=frequencies)
    law = Ladder((rung,), 1.0, 1.0).law()
    assert_covers(law, exact_sum(BITS))
    assert law.error.max() >= 1e-9


def test_the_scale_of_a_tilt_is_within_its_relative_error() -> None:
    """exp(K - theta k) where K and theta k are large and nearly the same."""
    rung = middle_rung(type_sum(BITS), length=100)
    for theta, at in ((0.731, 10**6), (-0.317, 10**7), (0.0123, 10**9)):
        tilted = replace(rung, theta=theta, cumulant=theta * at + 1.7, first=at - 50, last=at + 50)
        values, relative = tilted.scale()
        for k, value in zip(range(at - 50, at + 51), values.tolist(), strict=True):
            exact = balls.exponential(Fraction(tilted.cumulant) - Fraction(theta) * k)
            assert balls.lower(exact) <= Fraction(value) * (1 + Fraction(relative) * Fraction(101, 100))
            assert balls.upper(exact) >= Fraction(value) * (1 - Fraction(relative) * Fraction(101, 100))
        assert relative <= 1e-15 * abs(theta) * at + 1e-13


@pytest.mark.parametrize("frequencies", [1, 2, 4, 8, 12, 16])
def test_frequencies_that_are_left_out_are_charged(frequencies: int) -> None:
    total = type_sum(BITS)
    error = assert_rung_covers(middle_rung(total, length=100, frequencies=frequencies), exact_sum(BITS))
    assert error >= 1e-9


def test_a_whole_window_with_all_frequencies_is_accurate() -> None:
    assert assert_rung_covers(middle_rung(type_sum(BITS), length=100), exact_sum(BITS)) <= 1e-13


@pytest.mark.parametrize("seed", range(8))
def test_the_transform_itself_is_charged(seed: int) -> None:
    """With every other error set to zero the FFT's remains, and covers what the FFT does (beside long doubles)."""
    rung = middle_rung(type_sum(BITS), length=100)
    rng = np.random.default_rng(seed)
    spectrum = rung.spectrum * np.exp(1j * rng.uniform(0, 6, len(rung.t)))
    spectrum[[0, -1]] = spectrum[[0, -1]].real
    bare = replace(rung, spectrum=spectrum, spectrum_error=np.zeros(len(rung.t)))
    values, error = bare.inverted(np.ones((1, len(rung.t)), dtype=complex))
    longer = fourier.irfft(np.conj(spectrum).astype(np.clongdouble), 100)
    places = (np.arange(rung.first, rung.last + 1) - rung.centre) % 100
    assert (np.abs(longer[places] - values[0]) <= error).all()
    norm = math.sqrt(2 * float(np.sum(np.abs(spectrum) ** 2)) / 100)
    assert FFT * math.log2(100) * UNIT * norm <= error <= 2 * FFT * math.log2(100) * UNIT * norm


@pytest.mark.slow
@given(size=st.sampled_from([1e-9, 1e-6, 1e-3]), at=st.integers(0, 50), seed=st.integers(0, 100))
@settings(max_examples=30)
def test_errors_of_the_spectrum_are_passed_on(size: float, at: int, seed: int) -> None:
    """One frequency is wrong by exactly its error, in any direction."""
    rung = middle_rung(type_sum(BITS), length=100)
    ones, wrong = np.ones((1, len(rung.t)), dtype=complex), np.zeros(len(rung.t))
    turn = np.exp(1j * np.random.default_rng(seed).uniform(0, 6)) if 0 < at < 50 else 1.0
    wrong[at] = size
    truth, base = rung.inverted(ones)
    values, error = replace(
        rung, spectrum=rung.spectrum + wrong * turn, spectrum_error=rung.spectrum_error + wrong
    ).inverted(ones)
    assert (np.abs(values - truth) <= error + base).all()
    assert error <= 3 * size / 100 + 1e-13


def test_where_the_transform_is_unknown_its_size_is_known() -> None:
    """Fair records on {1, 3} have E exp(itS) = 0 at a right angle: no logarithm, but no weight either."""
    types = [({1: F(1, 2), 3: F(1, 2)}, 40), ({0: F(1, 3), 2: F(1, 3), 7: F(1, 3)}, 40)]
    law = law_of_sum(type_sum(types))
    assert_covers(law, exact_sum(types))
    assert law.additive <= 1e-10
