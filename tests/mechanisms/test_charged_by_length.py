"""Sums of millions of terms, digits that cancel, and numbers that no float can hold: what is lost is charged."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dalenius.basics.errors import InputError
from dalenius.claims.conversions import belief_range, pointwise_from_indistinguishability, semantic_from_dp
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.enclosure.outward import exponential
from dalenius.facts.statistics import Count
from dalenius.judge.correlated import correlated_guarantee
from dalenius.judge.selection import selection_guarantee
from dalenius.judge.thresholds import threshold_guarantee
from dalenius.mechanisms.channel import Rounded, TwoSidedGeometric, discrete_gaussian, rational_geometric
from dalenius.mechanisms.choice import likeliest_rate
from dalenius.mechanisms.correlated import HiddenFact
from dalenius.mechanisms.earned import Kernel, Window
from dalenius.mechanisms.gaussian import DiscreteGaussianNoise
from dalenius.mechanisms.local_sensitivity import LocalLaplaceNoise
from dalenius.mechanisms.randomized_response import RandomizedResponse
from dalenius.mechanisms.repeated import CentredGaussian
from dalenius.numerics import outcomes
from dalenius.numerics.cells import _Comparison
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.gaussian import Nearly
from dalenius.numerics.labels import NOTHING, Labels
from dalenius.numerics.moments import Moments
from dalenius.numerics.pure import LaplaceCurve, PureCurve, ResponseCurve
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.semantic import _shift_of
from dalenius.papers.mechanisms.rows import MOST_UNITS, _geometric, _grouped, _rounded, published
from dalenius.papers.worlds import Finite

F = Fraction
NEARLY_NOTHING = F(1, 10**400)
BITS = 4000


def ball(number: Fraction | int) -> arb:
    exact = F(number)
    return arb(fmpq(exact.numerator, exact.denominator))


def holds(bracket: Bracket, truth: arb) -> bool:
    return bool(ball(F(bracket.lower)) <= truth) and bool(truth <= ball(F(bracket.upper)))


# -- sums of many terms -------------------------------------------------------------------------------------------


def test_a_million_points_of_noise_in_one_cell_lose_next_to_nothing() -> None:
    """All have nearly the same chance, so that one by one they lose the same each time."""
    size, scale = 1_000_003, F(139 * 2**75)
    last = size - size // 2 - 1  # of the cell of 0
    found = _geometric(TwoSidedGeometric(scale), _rounded([Rounded(size)]), np.array([last, last + size + 1]))
    assert found.rows is not None and found.rows.shape == (2, 3)
    with ctx.workprec(BITS):
        x = ball(-1 / scale).exp()
        truth = x * (1 - x**size) / (1 + x)
        off = abs(ball(F(float(found.rows[0, 1]))) / truth - 1)
        assert off < ball(F(64 * UNIT))


def test_rounding_after_noise_loses_next_to_nothing() -> None:
    mass = np.array([0.5, *[2.0**-55] * 60_000])
    _, found = _grouped(Rounded(1_000_000), 0, mass)
    truth = F(1, 2) + 60_000 * F(1, 2**55)
    assert abs(F(float(found[0])) - truth) <= truth * F(64 * UNIT)


def test_noises_after_noises_are_refused_where_their_sums_err_by_more_than_is_charged() -> None:
    wide, small = discrete_gaussian(250), discrete_gaussian(1)
    assert published([wide, wide, small], np.array([0, 1])).rows is not None
    with pytest.raises(InputError, match=f"at most {MOST_UNITS} units together, but got 16659"):
        published([wide, wide, wide], np.array([0]))
    with pytest.raises(InputError, match="fewer noises one after the other"):
        published([small] * 20, np.array([0]))


class OneByOne(np.ndarray):
    """An array whose product with another adds up one after the other."""

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        if np.ndim(other) == 1 and len(other) == 1:
            return np.asarray(self)[..., :1] @ other
        return np.cumsum(np.asarray(self)[:, None] * other, axis=0)[-1].view(OneByOne)


def test_bends_of_very_many_labels_are_added_up_with_room() -> None:
    size = 1_200_000
    bend = np.full((2, size), 0.999 * UNIT)
    bend[:, 0] = 1.0
    none = np.zeros((2, 2, size))
    labels = Labels(none, none, bend.view(OneByOne), bend, 0.0, 0.0)
    found = _Comparison(labels, NOTHING, 0, (0.0, 1.0))._bends(np.ones((size, 1), dtype=bool))
    assert F(found) >= 1 + (size - 1) * F(0.999 * UNIT)


@pytest.mark.parametrize(("way", "power", "more"), [(-1, 204, 1), (1, 890, 14)])
def test_logarithms_of_ratios_err_by_all_that_is_assumed(
    way: int, power: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def log(x: Fraction) -> float:
        return math.nextafter(math.log(x) * (1 + way * LIBM * UNIT), -way * math.inf)

    monkeypatch.setattr(outcomes, "math", SimpleNamespace(**{**vars(math), "log": log}))
    ratio = (1 + F(more, 41)) * 2**power
    with ctx.workprec(BITS):
        assert holds(outcomes._exact_max_divergence([ratio], [F(1)]), ball(ratio).log())


# -- digits that cancel -------------------------------------------------------------------------------------------


def test_a_factor_just_above_epsilon_keeps_its_digits() -> None:
    gap, delta = F(1, 10**110) + F(1, 3 * 10**115), F(1, 10**111)
    found = pointwise_from_indistinguishability(1, delta, above=1 + gap)
    with ctx.workprec(BITS):
        assert holds(found, ball(delta) * (1 + ball(-1 - gap).exp()) / (1 - ball(-gap).exp()))


@pytest.mark.parametrize("epsilon", [0, 40, 250, 260, 300])
@pytest.mark.parametrize("power", [1, 2])
def test_what_is_believed_at_a_large_epsilon_keeps_its_digits(epsilon: int, power: int) -> None:
    steep = F(10) ** (1 + math.floor(epsilon / math.log(10)))
    above, delta = (1 / steep / 7, 1 / steep) if power == 1 else (1 / steep**2, 1 / steep / 7)
    if epsilon == 0:
        above, delta = F(1, 3 * 10**110), F(1, 10**111)
    with ctx.workprec(BITS):
        e = ball(epsilon).exp()
        left, c = 2 / (e + 1) - ball(above), e * e
        s = 1 - left
        first = s - (c * left - 1) ** 2 / ((c - 1) * (1 + (c * s / (c - 1)).sqrt()) ** 2) if c * left > 1 else s
        second = s / left / e
        if epsilon and (s / (c - 1)).sqrt() < left:
            second = (2 * (s * (c - 1)).sqrt() - (c - 1) * left) / e
        truth = (ball(delta) * (1 / first + 1 / second)).min(arb(1))
        assert holds(semantic_from_dp(epsilon, delta, n=1, above=above)[1], truth)


def test_a_belief_next_to_certainty_keeps_its_digits() -> None:
    rest = F(1, 6 * 10**173)
    least, most = belief_range(1 - rest, 400)
    with ctx.workprec(BITS):
        assert holds(least, 1 - ball(400).exp() * ball(rest))
        assert holds(most, 1 - ball(rest) / ball(400).exp())


# -- ends of brackets ---------------------------------------------------------------------------------------------


def test_what_is_not_drawn_exactly_is_not_lost_beside_a_large_delta() -> None:
    assert F(Nearly(Constant(0.5), 0.1 * UNIT).delta(F(0)).upper) >= F(1, 2) + 2 * F(0.1 * UNIT)


def test_guarantees_state_no_less_than_what_was_asked_for() -> None:
    at, rates = F(3, 10), likeliest_rate("1/4", "3/4")  # as a float 3/10 is less
    moments = Moments(records=10_000, variance=F(2500), third=F(1250))
    found = [
        correlated_guarantee(HiddenFact(Count(), at, F(10), "somebody", "it is so")).epsilon,
        selection_guarantee(rates, n=11, epsilon=at).epsilon,
        selection_guarantee(rates, n=11, delta=at).delta,
        threshold_guarantee(moments, shift=1, events="half-lines", epsilon=at).epsilon,
    ]
    assert all(F(one.lower) <= at <= F(one.upper) for one in found)


@pytest.mark.parametrize("chance", [0.1, 0.3, 0.7, 0.9])
def test_chances_that_were_added_up_in_floats_are_raised(chance: float) -> None:
    """All ones: replacing a record counts where all others are ones."""
    for n in range(2, 9):
        belief = Finite.product_of_floats([{0: 1 - chance, 1: chance}] * n)
        one = F(chance) / (F(chance) + F(1 - chance))
        truth = one**n + n * one ** (n - 1) * (1 - one)
        assert LocalLaplaceNoise.of(min, belief, "1/2", epsilon=1).delta >= truth


# -- what no float can hold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "epsilon"),
    [
        (PureCurve(F(1)), 1 - NEARLY_NOTHING),
        (LaplaceCurve(F(1)), 1 - NEARLY_NOTHING),
        (ResponseCurve(F(1, 2) + NEARLY_NOTHING, F(1, 2) + NEARLY_NOTHING), F(0)),
        (ResponseCurve(F(1, 2), 1 - 1 / (1 + F(exponential(F(701))[0])) + NEARLY_NOTHING**2), F(701)),
    ],
)
def test_a_delta_that_is_nearly_nothing_is_not_nothing(curve: Curve, epsilon: Fraction) -> None:
    assert curve.delta(epsilon).upper > 0


@pytest.mark.parametrize("tenth", range(1, 30))
def test_a_chance_next_to_the_smallest_floats_is_between_its_bounds(tenth: int) -> None:
    scale = F(tenth * 10**161)
    found = Kernel(10, Window(2, 8), scale).exactly(5)
    assert F(found.lower) <= (4 / scale) ** 2 * (1 - 8 / scale) and (4 / scale) ** 2 <= F(found.upper)


def test_bounds_that_are_nearly_nothing_are_not_nothing() -> None:
    pure = rational_geometric(1 - NEARLY_NOTHING).pure(1)
    assert pure is not None and pure >= NEARLY_NOTHING * (1 + NEARLY_NOTHING)
    assert RandomizedResponse(keep="3/4").tail_bound(30.0) > 0
    assert Kernel(10, Window(2, 8), F(10**200)).exactly(5).upper > 0
    games = Games.of(lambda row: {row[0]: F(1)}, Finite.product([{0: "1/2", 1: "1/2"}]), default=0)
    assert _shift_of(1 + NEARLY_NOTHING, games).upper > 0 == _shift_of(F(1), games).upper


def test_narrow_noise_reaches_everywhere() -> None:
    """One step away is exp(-1250): no float, and not impossible."""
    leak = DiscreteGaussianNoise(1, scale="1/50").curve()
    assert leak.epsilon(F(1, 10**9)).lower <= 1250 and leak.delta(F(1300)).lower == 0
    for noise in (discrete_gaussian("1/50").noise(), CentredGaussian(F(1, 100), F(0)).noise()):
        assert noise.tail > 0 and bool((noise.error > 0).all())
