"""Noises composed: against closed forms and ball arithmetic, at both ends, with whatever masses, losses and counts."""

import math
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.compose import ABOVE, BELOW, compose
from dalenius.numerics.curve import Constant, Curve, PairCurve, Supremum
from dalenius.numerics.gaussian import GaussianCurve, Nearly
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.losses import Losses
from dalenius.numerics.pure import GeometricCurve, LaplaceCurve, PureCurve, ResponseCurve
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import holds
from oracle import balls, composition

engine: Any = import_module("dalenius.numerics.compose")  # the module: its name is also that of a function

F = Fraction
SMALL = F(1, 10**6)
epsilons = st.sampled_from(list(map(F, ("0", "1e-6", "0.01", "0.3", "1", "2.5", "7", "40", "650"))))


def on_the_grid(parts: list[tuple[Losses, int]], epsilon: Fraction) -> Bracket:
    """The bracket of the grid alone, without what is known otherwise."""
    above, below = (engine._Pairs(tuple(parts), side).at(epsilon) for side in (ABOVE, BELOW))
    return Bracket(max(0.0, below.lower(epsilon)), min(1.0, above.upper(epsilon)))


def narrow(bracket: Bracket, relative: float, absolute: float = 1e-14) -> bool:
    return bracket.width <= relative * bracket.upper + absolute


# -- closed forms -----------------------------------------------------------------------------------


@balls.precise
def gaussian(ratio: arb, epsilon: arb) -> arb:
    """The profile of normal noise, at any real epsilon."""
    first, second = (((epsilon / ratio + sign * ratio / 2) / arb(2).sqrt()).erfc() / 2 for sign in (-1, 1))
    return first - epsilon.exp() * second


@balls.precise
def two_laplaces(level: Fraction, epsilon: Fraction) -> arb:
    """1 - e^((ε - 2L)/2) (1 + (2L - ε)/4): integrate the profile of the second over the loss of the first."""
    gap = 2 * level - epsilon
    return arb(0) if gap <= 0 else 1 - balls.exponential(-gap / 2) * (1 + balls.ball(gap) / 4)


@balls.precise
def gaussian_and_answers(ratio: Fraction, keep: Fraction, copies: int, epsilon: Fraction) -> arb:
    """A mean, over the losses of the answers, of the profile of the noise."""
    loss, total = (balls.ball(keep) / balls.ball(1 - keep)).log(), arb(0)
    for true in range(copies + 1):
        chance = math.comb(copies, true) * keep**true * (1 - keep) ** (copies - true)
        total += balls.ball(chance) * gaussian(balls.ball(ratio), balls.ball(epsilon) - (2 * true - copies) * loss)
    return total


@balls.precise
def geometrics(shift: int, scale: Fraction, copies: int, epsilon: Fraction) -> arb:
    """By types: outcomes 0 and less, 1, ..., shift and more."""
    x = balls.exponential(-1 / scale)
    masses = [1 / (1 + x), *((1 - x) / (1 + x) * x**k for k in range(1, shift)), x**shift / (1 + x)]
    classes = [(balls.exponential(-F(shift - 2 * k) / scale), mass) for k, mass in enumerate(masses)]
    total = arb(0)
    for ratio, mass in composition._types(classes, copies):
        total += mass * (1 - balls.exponential(epsilon) * ratio).nonnegative_part()
    return total * arb(copies).fac()


# -- normal noise -----------------------------------------------------------------------------------


@given(
    counts=st.lists(st.integers(1, 10**6), min_size=1, max_size=3),
    scales=st.lists(st.fractions(F(1, 50), F(5000), max_denominator=1000), min_size=3, max_size=3),
    epsilon=epsilons,
)
@settings(max_examples=60)
def test_normal_noises_are_one_normal_noise(counts: list[int], scales: list[Fraction], epsilon: Fraction) -> None:
    parts = [(GaussianCurve(1 / scale), count + 1) for count, scale in zip(counts, scales, strict=False)]
    square = sum((count * curve.ratio**2 for curve, count in parts), F(0))
    bracket = compose(parts).delta(epsilon)
    truth = balls.precise(lambda: gaussian(balls.ball(square).sqrt(), balls.ball(epsilon)))()
    assert holds(bracket, truth)
    # a standard deviations out, two terms that err by 32 a² units each cancel to r / a of themselves
    far = bracket.upper < 1e-90
    assert narrow(bracket, 1e-6 if far else 1e-9, 1e-2 if bracket.lower >= 0.99 else 1e-280)


def test_a_hundred_normal_noises_have_the_epsilon_of_one() -> None:
    whole = compose([(GaussianCurve(F(1, 10)), 100)]).epsilon(SMALL)
    one = GaussianCurve(F(1)).epsilon(SMALL)
    assert one.lower - 1e-11 <= whole.lower <= one.upper and one.lower <= whole.upper <= one.upper + 1e-11
    drawn = compose([(Nearly(GaussianCurve(F(1, 10)), 1e-25), 100)])
    bracket = drawn.epsilon(SMALL)
    assert bracket.lower <= one.lower and one.upper <= bracket.upper and bracket.width <= 1e-9
    assert drawn.gap >= 100 * 1e-25


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 7, 100])
@pytest.mark.parametrize("ratio", ["1/50", "1/3", "2"])
def test_normal_noise_on_the_grid_is_what_it_is_without(ratio: str, copies: int) -> None:
    r = F(ratio)
    for epsilon in map(F, ("0", "0.1", "1", "5")):
        bracket = on_the_grid([(GaussianCurve(r).losses(), copies)], epsilon)
        truth = balls.precise(lambda at=epsilon: gaussian(balls.ball(r * r * copies).sqrt(), balls.ball(at)))()
        assert holds(bracket, truth)
        assert narrow(bracket, 3e-4, 1e-270 if copies == 1 else 1e-40)


@pytest.mark.slow
@given(
    ratio=st.fractions(F(1, 20), F(2), max_denominator=60),
    keep=st.fractions(F(51, 100), F(99, 100), max_denominator=100),
    copies=st.integers(1, 12),
    epsilon=epsilons,
)
@settings(max_examples=25)
def test_normal_noise_beside_answers(ratio: Fraction, keep: Fraction, copies: int, epsilon: Fraction) -> None:
    whole = compose([(GaussianCurve(ratio), 1), (ResponseCurve(keep, keep), copies)])
    bracket, truth = whole.delta(epsilon), gaussian_and_answers(ratio, keep, copies, epsilon)
    assert holds(bracket, truth)
    assert narrow(bracket, 1e-3, 1e-100)  # the bracket holds further down, and widens


# -- pure noise -------------------------------------------------------------------------------------


@pytest.mark.slow
@given(level=st.fractions(F(1, 100), F(30), max_denominator=100), share=st.fractions(F(0), F(1), max_denominator=40))
@settings(max_examples=40)
def test_two_laplaces_hold_the_closed_form(level: Fraction, share: Fraction) -> None:
    epsilon = 2 * level * share
    bracket, truth = compose([(LaplaceCurve(level), 2)]).delta(epsilon), two_laplaces(level, epsilon)
    assert holds(bracket, truth)
    assert narrow(bracket, 1e-5)


@pytest.mark.slow
@given(
    shift=st.integers(1, 3),
    scale=st.fractions(F(1, 5), F(20), max_denominator=20),
    copies=st.integers(2, 9),
    epsilon=epsilons,
)
@settings(max_examples=30)
def test_geometric_noises_hold_the_truth(shift: int, scale: Fraction, copies: int, epsilon: Fraction) -> None:
    bracket, truth = (
        compose([(GeometricCurve(shift, scale), copies)]).delta(epsilon),
        geometrics(shift, scale, copies, epsilon),
    )
    assert holds(bracket, truth)
    assert narrow(bracket, 1e-6, 1e-12)


@pytest.mark.parametrize("shift", [5000, 10**9, 10**17])
def test_fine_geometric_noise_is_nearly_laplace_noise(shift: int) -> None:
    """In cells, since it has too many outcomes."""
    for share in map(F, ("0.1", "0.5", "0.99")):
        bracket = compose([(GeometricCurve(shift, F(shift)), 2)]).delta(2 * share)
        truth = float(balls.lower(two_laplaces(F(1), 2 * share)))
        assert abs(bracket.upper - truth) <= 2 / shift + 1e-9 and narrow(bracket, 1e-5)


@pytest.mark.parametrize("keep", ["0.50001", "0.6", "0.75", "0.999999", "1"])
@pytest.mark.parametrize("copies", [2, 100])
def test_answers_hold_the_truth(keep: str, copies: int) -> None:
    k = F(keep)
    pair = ({0: k, 1: 1 - k}, {0: 1 - k, 1: k}) if k < 1 else ({0: F(1)}, {1: F(1)})
    whole = compose([(ResponseCurve(k, k), copies)])
    for epsilon in map(F, ("0", "0.02", "3", "60")):
        bracket, truth = whole.delta(epsilon), composition.composed_copies(*pair, copies, epsilon)
        assert holds(bracket, truth)
        assert narrow(bracket, 1e-8, 1e-12)


def test_nothing_is_told_from_the_sum_of_pure_levels_on() -> None:
    """Not even where the grid or the rounding of a sum would say a little."""
    parts: list[tuple[Curve, int]] = [
        (LaplaceCurve(F(1)), 10),
        (PureCurve(F(1, 3)), 3),
        (GeometricCurve(2, F(7)), 7),
        (Constant(0.0), 1),
    ]
    whole = compose(parts[:3])
    assert whole.pure_level == 13
    assert (whole.delta(F(13)).upper, whole.delta(F(14)).upper) == (0.0, 0.0)
    assert whole.delta(F("12.999")).upper > 0
    assert compose([(LaplaceCurve(F(1)), 10)]).epsilon(F(0)).upper <= 10.0000001
    assert compose([(LaplaceCurve(F(1)), 10), (GaussianCurve(F(1)), 1)]).pure_level is None
    answers = compose([(ResponseCurve(F(3, 4), F(3, 4)), 10)])
    assert 0 < float(answers.pure_level) / (10 * math.log(3)) - 1 < 1e-13


def test_pure_curves_compose_as_answers_from_above_and_say_nothing_from_below() -> None:
    level = F(ResponseCurve(F(3, 4), F(3, 4)).pure_level)
    for epsilon in map(F, ("0", "1", "20")):
        bracket = compose([(PureCurve(level), 30)]).delta(epsilon)
        answers = compose([(ResponseCurve(F(3, 4), F(3, 4)), 30)]).delta(epsilon)
        assert bracket.lower == 0.0
        assert answers.upper * (1 - 1e-12) <= bracket.upper <= answers.upper * (1 + 1e-9)


@pytest.mark.parametrize("level", ["1e-9", "699", "3000", "1e400"])
def test_tiny_and_huge_levels_compose(level: str) -> None:
    for curve in (LaplaceCurve(F(level)), PureCurve(F(level)), GeometricCurve(1, 1 / F(level))):
        whole = compose([(curve, 3)])
        for epsilon in (F(0), F(1), F(650), F(10**4)):
            bracket = whole.delta(epsilon)
            assert bracket.upper >= curve.delta(epsilon).lower
            assert bracket.lower <= 3 * curve.delta(F(0)).upper


# -- as tight as is known to be possible ------------------------------------------------------------


@pytest.mark.slow
def test_the_epsilons_of_noises_are_narrow() -> None:
    """At δ = 1e-6, beside dp-accounting's upper ends (0.6.0, step 1e-4): 9.9989781, 94.2981130 and 3.6262616."""
    mixed = [(GaussianCurve(F(1, 10)), 10), (LaplaceCurve(F(1, 10)), 5), (ResponseCurve(F(2, 3), F(2, 3)), 3)]
    for parts, width, most in (
        ([(LaplaceCurve(F(1)), 10)], 1e-9, 9.998978093),
        ([(ResponseCurve(F(3, 4), F(3, 4)), 100)], 1e-8, 94.2898679),
        (mixed, 1e-4, 3.62611),
    ):
        bracket = compose(parts).epsilon(SMALL)
        assert bracket.width <= width and bracket.upper <= most
        near = compose(parts).delta(F(bracket.upper)), compose(parts).delta(F(bracket.lower))
        assert near[0].lower <= SMALL and near[1].upper >= SMALL


@pytest.mark.slow
def test_a_curve_that_is_only_known_at_forty_places_loses_little() -> None:
    """They are put where the curve falls."""
    whole = compose([(Supremum((GaussianCurve(F(1, 10)),)), 100)]).epsilon(SMALL)
    assert 4.88 <= whole.upper <= 4.94  # of 4.8866
    assert whole.lower >= 0.39  # of one of them


# -- forms ------------------------------------------------------------------------------------------


def test_compositions_of_compositions_are_taken_apart() -> None:
    one, two = LaplaceCurve(F(1, 2)), ResponseCurve(F(2, 3), F(2, 3))
    inner = compose([(one, 2), (two, 1)])
    nested, plain = compose([(inner, 3), (one, 1)]), compose([(one, 7), (two, 3)])
    assert nested.delta(F(1)) == plain.delta(F(1))
    noisy = compose([(compose([(Nearly(GaussianCurve(F(1)), 1e-20), 2)]), 3)])
    assert noisy.gap >= 6e-20
    assert noisy.delta(F(1)).upper >= compose([(GaussianCurve(F(1)), 6)]).delta(F(1)).upper


def test_noise_against_its_shift_is_one_pair() -> None:
    noise = law_of({-1: F(1, 4), 0: F(1, 2), 1: F(1, 4)})
    symmetric, pair = ShiftCurve(noise, (1,)), PairCurve(noise, noise.shifted(1))
    for epsilon in map(F, ("0", "0.5", "2")):
        one, two = compose([(symmetric, 5)]).delta(epsilon), compose([(pair, 5)]).delta(epsilon)
        assert one.lower > 0 and abs(one.lower - two.lower) + abs(one.upper - two.upper) <= 1e-12
    assert ShiftCurve(law_of({0: F(1, 4), 1: F(3, 4)}), (1,)).losses() is None
    assert ShiftCurve(noise, (1, 2)).losses() is None


# -- masses that no float can hold ------------------------------------------------------------------


@pytest.mark.parametrize("tiny", ["1e-281", "1e-300", "1e-310", "4e-324", "1e-330", "1e-400"])
@pytest.mark.parametrize("copies", [2, 3])
def test_masses_below_what_floats_hold_compose(tiny: str, copies: int) -> None:
    """Losses of hundreds either way, subnormal masses, and masses that vanish."""
    t = F(tiny)
    for p, q in (
        ({0: F(1, 2), 1: F(1, 2)}, {0: t, 1: 1 - t}),
        ({0: t, 1: 1 - t}, {0: F(2, 3), 1: F(1, 3)}),
        ({0: t, 1: F(1, 2) - t, 2: F(1, 2)}, {0: 3 * t, 1: F(1, 2), 2: F(1, 2) - 3 * t}),
    ):
        whole = compose([(PairCurve(law_of(p), law_of(q)), copies)])
        for epsilon in map(F, ("0", "1", "300", "690", "1000")):
            truth = balls.largest([composition.composed_copies(*pair, copies, epsilon) for pair in ((p, q), (q, p))])
            assert holds(whole.delta(epsilon), truth)


def test_faint_masses_are_moved_to_their_own_side() -> None:
    p, q = np.array([0.0, 1e-300, 0.5, 0.5]), np.array([0.5, 0.5, 1e-300, 0.0])
    over = engine.clipped_above((p, q, 0.25))
    under = engine.clipped_below((p, q, 0.0))
    assert (over[0] >= p).all() and (over[1] <= q).all() and over[2] == 0.25
    assert (under[0] <= p).all() and (under[1] >= q).all()
    assert over[1][2] == 0.0 and under[1][2] > 0.0 and over[0][0] == 0.0 and under[1][3] == 0.0


@pytest.mark.slow
@given(
    weights=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=4),
    powers=st.lists(st.sampled_from([0, -5, -40, -150, -305, -320]), min_size=4, max_size=4),
    copies=st.integers(2, 4),
    epsilon=epsilons,
)
@settings(max_examples=40)
def test_pairs_of_any_size_hold_the_truth(
    weights: list[tuple[int, int]], powers: list[int], copies: int, epsilon: Fraction
) -> None:
    sizes = [F(10) ** power for power in powers]
    one = {k: F(w) * sizes[k] for k, (w, _) in enumerate(weights)}
    two = {k: F(w) * sizes[-1 - k] for k, (_, w) in enumerate(weights)}
    if not sum(one.values()) or not sum(two.values()):
        return
    p, q = ({k: m / sum(law.values()) for k, m in law.items() if m} for law in (one, two))
    whole = compose([(PairCurve(law_of(p), law_of(q)), copies)])
    truth = balls.largest([composition.composed_copies(*pair, copies, epsilon) for pair in ((p, q), (q, p))])
    assert holds(whole.delta(epsilon), truth)


def test_an_impossible_outcome_is_told_from_a_very_unlikely_one() -> None:
    apart = PairCurve(law_of({0: F(1, 2), 1: F(1, 2)}), law_of({1: F(1, 2), 2: F(1, 2)}))
    unlikely = PairCurve(law_of({0: F(1, 2), 1: F(1, 2)}), law_of({0: F(1, 10**300), 1: 1 - F(1, 10**300)}))
    assert compose([(apart, 2)]).epsilon(F(1, 10)).lower == math.inf
    assert compose([(apart, 2)]).delta(F(5000)).lower >= 0.74
    assert compose([(unlikely, 2)]).delta(F(5000)).lower == 0.0


def test_a_law_with_a_tail_counts_it() -> None:
    noisy = Law(0, np.array([0.5, 0.49]), np.array([1e-12, 1e-12]), 0.011)
    bracket = compose([(PairCurve(noisy, law_of({0: F(1, 2), 1: F(1, 2)})), 3)]).delta(F(2))
    assert bracket.lower <= 1 - 0.99**3 <= bracket.upper
