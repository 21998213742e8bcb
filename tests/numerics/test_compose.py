"""Several releases at once: pairs are composed exactly up to the grid, other curves are dominated."""

import math
from fractions import Fraction
from importlib import import_module
from typing import Any
from unittest import mock

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.enclosure import lossgrids as grids
from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Constant, Curve, PairCurve, Supremum
from dalenius.numerics.law import law_of
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import as_wrong_as_it_may_be, holds, narrow, wrong_laws
from oracle import balls, composition, strategies
from oracle import laws as lw

engine: Any = import_module("dalenius.numerics.compose")  # the module: its name is also that of a function

Pair = tuple[lw.Law, lw.Law]
few = settings(max_examples=40)
epsilons = st.sampled_from(list(map(Fraction, ("0", "0.01", "0.3", "1", "2.5", "10", "50"))))


def truth_of(pairs: list[Pair], epsilon: Fraction) -> arb:
    """Both directions of all pairs together."""
    back = [(q, p) for p, q in pairs]
    return balls.largest([composition.composed_by_ratio(pairs, epsilon), composition.composed_by_ratio(back, epsilon)])


def pair_curve(pair: Pair) -> PairCurve:
    return PairCurve(law_of(pair[0]), law_of(pair[1]))


def without_zeros(law: lw.Law) -> lw.Law:
    return {k: mass for k, mass in law.items() if mass}


any_pairs = strategies.law_pairs(max_size=3).map(lambda pair: (without_zeros(pair[0]), without_zeros(pair[1])))


@st.composite
def mild_pairs(draw: st.DrawFn) -> Pair:
    """Two laws on the same three outcomes with likelihood ratios between 1/3 and 3."""
    weights = draw(st.lists(st.integers(10, 97), min_size=3, max_size=3))
    factors = draw(st.lists(st.integers(5, 9), min_size=3, max_size=3))
    other = [w * f for w, f in zip(weights, factors, strict=True)]
    p = {k: Fraction(w, sum(weights)) for k, w in enumerate(weights)}
    return p, {k: Fraction(w, sum(other)) for k, w in enumerate(other)}


def both_ways(parts: list[tuple[Curve, int]], epsilon: Fraction) -> list[Bracket]:
    """As it is composed, and on the grid, which two lists do without."""
    with mock.patch.object(engine._Pairs, "_two", return_value=None):
        on_grid = compose(parts).delta(epsilon)
    return [compose(parts).delta(epsilon), on_grid]


@pytest.mark.slow
@given(pairs=st.lists(any_pairs, min_size=2, max_size=4), epsilon=epsilons)
@few
def test_different_pairs_compose_to_a_bracket_that_holds_the_truth(pairs: list[Pair], epsilon: Fraction) -> None:
    for bracket in both_ways([(pair_curve(pair), 1) for pair in pairs], epsilon):
        assert holds(bracket, truth_of(pairs, epsilon))
        assert bracket.width <= 5e-3


@pytest.mark.slow
@given(pairs=st.lists(mild_pairs(), min_size=1, max_size=3), count=st.integers(2, 4), epsilon=epsilons)
@few
def test_mild_pairs_compose_to_a_narrow_bracket(pairs: list[Pair], count: int, epsilon: Fraction) -> None:
    bracket = compose([(pair_curve(pair), count if i == 0 else 1) for i, pair in enumerate(pairs)]).delta(epsilon)
    truth = truth_of([pairs[0]] * count + pairs[1:], epsilon)
    assert holds(bracket, truth)
    assert bracket.width <= 1e-4


@pytest.mark.slow
@given(data=st.data(), pairs=st.lists(any_pairs, min_size=2, max_size=3), epsilon=epsilons)
@few
def test_composition_forgives_all_that_the_laws_may_have_wrong(
    data: st.DataObject, pairs: list[Pair], epsilon: Fraction
) -> None:
    curves = [PairCurve(data.draw(wrong_laws(p)), data.draw(wrong_laws(q))) for p, q in pairs]
    for bracket in both_ways([(curve, 1) for curve in curves], epsilon):
        assert holds(bracket, truth_of(pairs, epsilon))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "copies"),
    [("1/3", 2), ("1/3", 50), ("0.45", 300), ("0.49", 1000), ("0.001", 30)],
)
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1", "3"])
def test_randomised_response_composed_hundreds_of_times(p: str, copies: int, epsilon: str) -> None:
    rate = Fraction(p)
    pair = ({0: 1 - rate, 1: rate}, {0: rate, 1: 1 - rate})
    bracket = compose([(pair_curve(pair), copies)]).delta(Fraction(epsilon))
    truth = composition.composed_copies(*pair, copies, Fraction(epsilon))
    assert holds(bracket, truth)
    # sharp from above; from below two outcomes leave little to merge, and the top one gives up part of a step
    assert bracket.upper <= float(balls.upper(truth)) * (1 + 1e-4) + 1e-12
    assert bracket.lower >= float(balls.lower(truth)) * 0.9 - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("copies", [3, 20, 60])
@pytest.mark.parametrize("epsilon", ["0", "0.5", "4"])
def test_releases_with_impossible_outcomes_keep_their_infinite_loss(copies: int, epsilon: str) -> None:
    """One in a thousand outcomes cannot happen in the other world; after many releases one probably has happened."""
    f = Fraction
    p = {0: f(500, 1000), 1: f(499, 1000), 2: f(1, 1000)}
    q = {0: f(499, 1000), 1: f(500, 1000), 3: f(1, 1000)}
    bracket = compose([(pair_curve((p, q)), copies)]).delta(Fraction(epsilon))
    truth = balls.largest([composition.composed_copies(*pair, copies, Fraction(epsilon)) for pair in ((p, q), (q, p))])
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-3)


def test_a_pair_without_a_common_outcome_tells_everything() -> None:
    apart = ({0: Fraction(1)}, {1: Fraction(1)})
    alike = ({0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(1, 3), 1: Fraction(2, 3)})
    for parts in ([(apart, 2)], [(apart, 1), (alike, 3)]):
        bracket = compose([(pair_curve(pair), count) for pair, count in parts]).delta(Fraction(7))
        assert bracket.upper == 1.0
        assert bracket.lower >= 1 - 1e-12


@pytest.mark.slow
@given(pairs=st.lists(st.one_of(mild_pairs(), any_pairs), min_size=2, max_size=3), epsilon=epsilons)
@settings(max_examples=20)
def test_curves_of_any_kind_are_dominated(pairs: list[Pair], epsilon: Fraction) -> None:
    """A curve that is not a pair enters through the pair that dominates it; then only the upper bound is sharp."""
    curves = [Supremum((pair_curve(pairs[0]),)), *map(pair_curve, pairs[1:])]
    whole = compose([(curve, 1) for curve in curves])
    bracket, truth = whole.delta(epsilon), truth_of(pairs, epsilon)
    assert balls.lower(truth) <= Fraction(bracket.upper)
    assert bracket.lower <= float(balls.upper(truth)) * (1 + 1e-12) + 1e-15
    assert bracket.lower >= max(curve.delta(epsilon).lower for curve in curves) * (1 - 1e-12)


@pytest.mark.slow
@given(shift=st.integers(1, 2), count=st.integers(2, 30), epsilon=epsilons)
@settings(max_examples=15)
def test_symmetric_curves_lose_little_by_being_dominated(shift: int, count: int, epsilon: Fraction) -> None:
    """The curve of a fair binomial against its shift is that of one pair and its mirror image: domination is sharp."""
    law = lw.binomial(20, Fraction(1, 2))
    sharp = compose([(PairCurve(law_of(law), law_of(lw.shift(law, shift))), count)]).delta(epsilon)
    bound = compose([(ShiftCurve(law_of(law), (shift,)), count)]).delta(epsilon)
    assert sharp.lower <= bound.upper * (1 + 1e-12)
    assert bound.upper <= sharp.upper * 1.02 + 1e-3


@pytest.mark.slow
def test_a_hundred_binomial_shifts_have_an_epsilon_that_is_narrow() -> None:
    law = lw.binomial(1000, Fraction(3, 10))
    bracket = compose([(PairCurve(law_of(law), law_of(lw.shift(law, 1))), 100)]).epsilon(Fraction(1, 10**6))
    assert bracket.width <= 1e-4
    assert 2 < bracket.lower < 6


def test_one_release_is_itself_and_none_is_refused() -> None:
    curve = pair_curve(({0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1)}))
    assert compose([(curve, 1)]) is curve
    with pytest.raises(InputError, match="at least one curve"):
        compose([])
    with pytest.raises(InputError, match="at least one curve"):
        compose([(curve, 0)])
    assert compose([(Constant(1.0), 2)]).delta(Fraction(1)).upper == 1.0


@pytest.mark.slow
def test_mass_outside_the_grid_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that may leave out a tenth: what it folds back is in the bracket."""
    monkeypatch.setattr(engine, "BEYOND", 0.3)
    pair = ({0: Fraction(2, 3), 1: Fraction(1, 3)}, {0: Fraction(1, 3), 1: Fraction(2, 3)})
    for epsilon in map(Fraction, ("0", "1", "4", "8")):
        bracket = compose([(pair_curve(pair), 40)]).delta(epsilon)
        assert holds(bracket, composition.composed_copies(*pair, 40, epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("grid", [1 << 8, 1 << 10, 1 << 12])
def test_a_coarse_grid_errs_to_the_outside_and_by_the_second_power_of_its_step(
    grid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "GRID", grid)
    law = lw.binomial(30, Fraction(2, 5))
    pair = (law, lw.shift(law, 1))
    for epsilon in map(Fraction, ("0.2", "1", "2")):
        bracket = compose([(pair_curve(pair), 3)]).delta(epsilon)
        truth = truth_of([pair] * 3, epsilon)
        assert holds(bracket, truth)
        assert narrow(bracket, truth, relative=(600 / grid) ** 2, absolute=1e-9)


def test_the_transforms_of_the_grid_are_charged() -> None:
    """The sum carries at least the error that its transforms may make, and it covers what they do."""
    p = np.array([0.3, 0.5, 0.2])
    at = np.array([5, 100, 4000])
    mass, error = grids.added([(at, p, 3)], 0)
    longer = np.zeros(grids.GRID, dtype=np.longdouble)
    for i, a in zip(at.tolist(), p.tolist(), strict=True):
        for j, b in zip(at.tolist(), p.tolist(), strict=True):
            for k, c in zip(at.tolist(), p.tolist(), strict=True):
                longer[i + j + k] += np.longdouble(a) * b * c
    assert float(np.linalg.norm((longer - mass).astype(float))) <= error
    assert error >= 3 * grids.FFT * math.log2(grids.GRID) * grids.UNIT * float(np.linalg.norm(p))


@pytest.mark.slow
@pytest.mark.parametrize(("which", "sign"), [("P", -1), ("P", 1), ("Q", -1), ("Q", 1)])
@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_every_error_of_the_laws_counts_in_every_direction(which: str, sign: int, epsilon: str) -> None:
    """One way round tells far more than the other, so that no error can hide behind the other way."""
    p, q = {0: Fraction(1, 10), 1: Fraction(9, 10)}, {0: Fraction(1, 1000), 1: Fraction(999, 1000)}
    moves = {k: sign * Fraction(1, 2000) for k in p}
    stored = [law_of(p), law_of(q)]
    stored["PQ".index(which)] = as_wrong_as_it_may_be((p, q)["PQ".index(which)], moves, [0, 1])
    for curve in (PairCurve(*stored), PairCurve(*stored[::-1])):
        bracket = compose([(curve, 3)]).delta(Fraction(epsilon))
        assert holds(bracket, truth_of([(p, q)] * 3, Fraction(epsilon)))
        assert bracket.width <= 0.05


@pytest.mark.parametrize("count", [2, 50, 1000])
def test_the_rounding_of_the_losses_is_charged_for_every_release(count: int) -> None:
    """A loss is off by a few units of its size, in every release alike, so their sum is off by as many times more."""
    pair = ({0: Fraction(9, 10), 1: Fraction(1, 10)}, {0: Fraction(1, 10), 1: Fraction(9, 10)})
    whole = compose([(pair_curve(pair), count)])
    for total in [pairs.at(Fraction(1)) for way in whole.ways for pairs in way]:
        assert total.drift >= count * 8 * grids.UNIT * (1 + math.log(9))
        value = [total._mean(at)[0] for at in (1.0 + total.drift, 1.0, 1.0 - total.drift)]
        low, high = total.lower(Fraction(1)), total.upper(Fraction(1))
        assert low <= value[0] <= value[1] <= value[2] <= high
