"""Curves: δ at every ε and back, the worst of several, and means of several."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.curve import Average, Charged, Constant, Curve, Enclosed, PairCurve, Supremum
from dalenius.numerics.law import law_of
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import holds, narrow, wrong_laws
from oracle import balls, strategies
from oracle import laws as lw

pairs = strategies.law_pairs(max_size=5)


def pair_curve(p: lw.Law, q: lw.Law) -> PairCurve:
    return PairCurve(law_of(p), law_of(q))


@given(pair=pairs, epsilon=strategies.epsilons())
def test_a_pair_is_judged_both_ways_round(pair: tuple[lw.Law, lw.Law], epsilon: Fraction) -> None:
    truth = lw.both_ways(*pair, epsilon)
    for curve in (pair_curve(*pair), pair_curve(*pair[::-1])):
        assert holds(curve.delta(epsilon), truth)
        assert curve.delta(epsilon).width <= 200 * 2.0**-53 * (1 + float(epsilon))


def test_one_direction_alone_is_not_enough() -> None:
    p, q = {0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(1)}
    assert pair_curve(p, q).delta(Fraction(3)).lower == pytest.approx(0.5)
    assert pair_curve(q, p).delta(Fraction(3)).lower == pytest.approx(0.5)


@given(
    exact=strategies.laws(), shifts=st.lists(st.integers(-4, 4), min_size=1, max_size=3), epsilon=strategies.epsilons()
)
def test_shifts_are_judged_by_the_worst_of_them(exact: lw.Law, shifts: list[int], epsilon: Fraction) -> None:
    bracket = ShiftCurve(law_of(exact), tuple(shifts)).delta(epsilon)
    truth = balls.largest(lw.both_ways(exact, lw.shift(exact, by), epsilon) for by in shifts)
    assert holds(bracket, truth)
    assert bracket.width <= 200 * 2.0**-53 * (1 + float(epsilon))


@given(several=st.lists(pairs, min_size=1, max_size=3), epsilon=strategies.epsilons())
def test_the_supremum_is_the_worst_of_its_curves(several: list[tuple[lw.Law, lw.Law]], epsilon: Fraction) -> None:
    curve = Supremum(tuple(pair_curve(*pair) for pair in several))
    truth = balls.largest(lw.both_ways(*pair, epsilon) for pair in several)
    assert holds(curve.delta(epsilon), truth)
    assert curve.delta(epsilon).width <= 200 * 2.0**-53 * (1 + float(epsilon))


@given(data=st.data(), several=st.lists(pairs, min_size=1, max_size=3), epsilon=strategies.epsilons())
def test_the_average_holds_the_mean_and_counts_what_is_missing_as_one(
    data: st.DataObject, several: list[tuple[lw.Law, lw.Law]], epsilon: Fraction
) -> None:
    weights = data.draw(strategies.masses(len(several) + 1))
    curve = Average([float(w) for w in weights[1:]], [pair_curve(*pair) for pair in several])
    bracket = curve.delta(epsilon)
    found = [lw.both_ways(*pair, epsilon) for pair in several]
    least = sum((w * balls.lower(d) for w, d in zip(weights[1:], found, strict=True)), Fraction(0))
    most = weights[0] + sum((w * balls.lower(d) for w, d in zip(weights[1:], found, strict=True)), Fraction(0))
    assert Fraction(bracket.lower) <= least + Fraction(1, 10**15)
    assert most <= Fraction(bracket.upper)
    assert bracket.upper <= float(most) + 1e-13


@pytest.mark.slow
@given(pair=pairs, delta=strategies.deltas())
@settings(max_examples=60)
def test_epsilon_at_a_delta_holds_the_truth_and_is_narrow(pair: tuple[lw.Law, lw.Law], delta: Fraction) -> None:
    bracket, truth = pair_curve(*pair).epsilon(delta), lw.curve_epsilon(*pair, delta)
    assert holds(bracket, truth)
    told = [sum((m for k, m in p.items() if not q.get(k)), Fraction(0)) for p, q in (pair, pair[::-1])]
    # at a delta that is just the mass of outcomes which tell for sure, no float can say on which side it lies
    if 0 < delta < 1 and not balls.is_infinite(truth) and delta > Fraction(1, 1000) and delta not in told:
        steep = min(float(min(m for m in law.values() if m)) for law in pair)
        assert narrow(bracket, truth, relative=1e-9 / steep, absolute=1e-9 / steep)


@pytest.mark.slow
@given(data=st.data(), pair=pairs, delta=strategies.deltas())
@settings(max_examples=60)
def test_epsilon_forgives_all_that_the_laws_may_have_wrong(
    data: st.DataObject, pair: tuple[lw.Law, lw.Law], delta: Fraction
) -> None:
    p, q = (data.draw(wrong_laws(exact)) for exact in pair)
    bracket, truth = PairCurve(p, q).epsilon(delta), lw.curve_epsilon(*pair, delta)
    assert holds(bracket, truth) or (balls.is_infinite(truth) and bracket.upper == math.inf)
    if not balls.is_infinite(truth):
        assert bracket.lower <= float(balls.upper(truth)) * (1 + 1e-15)


@pytest.mark.parametrize("power", [100, 200, 222, 240, 260, 290, 303, 306])
def test_a_large_epsilon_is_found_or_left_open_but_never_called_infinite(power: int) -> None:
    tiny = Fraction(1, 10**power)
    p, q = {0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: tiny, 1: 1 - tiny}
    bracket, truth = pair_curve(p, q).epsilon(Fraction(1, 10**9)), lw.curve_epsilon(p, q, Fraction(1, 10**9))
    assert holds(bracket, truth)
    assert bracket.lower >= min(700.0, float(balls.lower(truth))) * (1 - 1e-12)
    if balls.upper(truth) < 699:
        assert narrow(bracket, truth, relative=1e-12)


def test_an_epsilon_that_is_infinite_is_called_so() -> None:
    bracket = pair_curve({0: Fraction(1, 2), 1: Fraction(1, 2)}, {1: Fraction(1)}).epsilon(Fraction(1, 4))
    assert (bracket.lower, bracket.upper) == (math.inf, math.inf)
    assert Constant(1.0).epsilon(Fraction(1, 2)).lower == math.inf
    assert Constant(0.25).epsilon(Fraction(1, 4)).upper == 0.0


@dataclass(frozen=True)
class Step(Curve):
    """δ is one up to a known ε, and zero from there on."""

    at: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        value = 1.0 if epsilon < self.at else 0.0
        return Bracket(value, value)


@given(at=st.one_of(st.fractions(0, 600), st.fractions(0, Fraction(1, 10**9)), st.fractions(0, Fraction(1, 1000))))
def test_bisection_ends_on_both_sides_of_the_crossing(at: Fraction) -> None:
    bracket = Step(at).epsilon(Fraction(1, 2))
    assert Fraction(bracket.lower) <= at <= Fraction(bracket.upper)
    assert bracket.width <= 1e-15 * (1 + bracket.upper)


@pytest.mark.slow
@given(pair=pairs)
def test_delta_falls_as_epsilon_grows_and_epsilon_as_delta_grows(pair: tuple[lw.Law, lw.Law]) -> None:
    curve = pair_curve(*pair)
    found = [curve.delta(epsilon) for epsilon in sorted(strategies.TYPICAL_EPSILONS)]
    for less, more in itertools.pairwise(found):
        assert more.lower <= less.upper
    back = [curve.epsilon(Fraction(d, 10)) for d in (1, 5, 9)]
    for less, more in itertools.pairwise(back):
        assert more.lower <= less.upper


@pytest.mark.slow
@given(pair=pairs)
@settings(max_examples=50)
def test_knots_are_upper_bounds_at_some_of_the_epsilons(pair: tuple[lw.Law, lw.Law]) -> None:
    wanted = np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 100)])
    for curve in (pair_curve(*pair), Supremum((pair_curve(*pair),)), ShiftCurve(law_of(pair[0]), (1, 2))):
        at, bounds = curve.knots(wanted)
        assert at[0] == wanted[0] and at[-1] == wanted[-1] and set(at.tolist()) <= set(wanted.tolist())
        for epsilon, bound in zip(at.tolist()[::7], bounds.tolist()[::7], strict=True):
            assert curve.delta(Fraction(epsilon)).lower <= bound <= curve.delta(Fraction(epsilon)).upper + 1e-12


def test_between_takes_the_lower_bound_of_one_and_the_upper_bound_of_the_other() -> None:
    bracket = Enclosed(Constant(0.25), Constant(0.5)).delta(Fraction(1))
    assert (bracket.lower, bracket.upper) == (0.25, 0.5)


def test_what_may_be_missing_is_charged() -> None:
    found = Charged(Constant(0.25), 0.125).delta(Fraction(1))
    assert found.lower == 0 and 0.375 <= found.upper < 0.3750001
    assert Charged(Constant(0.25), 0.0).delta(Fraction(1)).upper == 0.25
    assert Charged(Constant(0.75), 0.5).delta(Fraction(1)).upper == 1


def test_the_worst_of_no_curves_is_nothing():
    """A figure that nobody can move, beside others: its curve is asked like theirs."""
    nobody = Supremum(())
    assert nobody.delta(Fraction(0)).upper == 0
    assert nobody.uppers(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]
    assert Enclosed(nobody, nobody).uppers(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]
