"""Divergences of two laws: the bracket is narrow and holds the truth, even if the laws are as wrong as they may be."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.excess import excess_above
from dalenius.enclosure.outward import exponential
from dalenius.numerics.divergence import (
    hockey_stick,
    hockey_sticks,
    max_divergence,
    total_variation,
)
from dalenius.numerics.law import Law, law_of
from numerics.checks import as_wrong_as_it_may_be, holds, narrow, slack, wrong_laws
from oracle import balls, strategies
from oracle import laws as lw

pairs = strategies.law_pairs()
epsilons = st.one_of(
    strategies.epsilons(), st.sampled_from([Fraction(1, 10**18), Fraction(700), Fraction(701), Fraction(5000)])
)


@given(pair=pairs, epsilon=strategies.epsilons())
def test_the_hockey_stick_holds_the_truth_and_is_narrow(pair: tuple[lw.Law, lw.Law], epsilon: Fraction) -> None:
    p, q = pair
    bracket, truth = hockey_stick(law_of(p), law_of(q), epsilon=epsilon), lw.hockey_stick(p, q, epsilon)
    assert holds(bracket, truth)
    assert 0 <= bracket.lower <= bracket.upper <= 1
    assert bracket.width <= 200 * 2.0**-53 * (1 + float(epsilon))


@given(data=st.data(), pair=pairs, epsilon=epsilons)
def test_the_hockey_stick_forgives_all_that_the_laws_may_have_wrong(
    data: st.DataObject, pair: tuple[lw.Law, lw.Law], epsilon: Fraction
) -> None:
    p, q = (data.draw(wrong_laws(exact)) for exact in pair)
    bracket, truth = hockey_stick(p, q, epsilon=epsilon), lw.hockey_stick(*pair, epsilon)
    assert holds(bracket, truth)
    if epsilon <= 3:
        assert bracket.width <= 2.1 * (slack(p) + math.exp(float(epsilon)) * slack(q)) + 1e-13


@given(data=st.data(), pair=pairs)
def test_ties_are_decided_by_no_rounding_error(data: st.DataObject, pair: tuple[lw.Law, lw.Law]) -> None:
    """P and Q are the same to within a few units in the last place: what is left is all rounding, and all charged."""
    p, _ = pair
    one, two = data.draw(wrong_laws(p)), data.draw(wrong_laws(p))
    assert holds(hockey_stick(one, two, epsilon=Fraction(0)), balls.ball(0))
    scale = 1 + Fraction(1, 10**17)
    near = {k: mass * scale for k, mass in p.items()}
    near[max(p)] += 1 - sum(near.values())
    if min(near.values()) >= 0:
        for epsilon in (Fraction(0), Fraction(1, 10**17), Fraction(1, 10**18)):
            assert holds(
                hockey_stick(data.draw(wrong_laws(near)), one, epsilon=epsilon), lw.hockey_stick(near, p, epsilon)
            )


def test_an_error_below_half_a_unit_of_its_mass_is_not_rounded_away() -> None:
    p = Law(0, np.array([0.3, 0.7]), np.array([1.5e-17, 1.5e-17]))
    q = Law(0, np.array([0.3, 0.7]), np.zeros(2))
    assert hockey_stick(p, q, epsilon=Fraction(0)).upper >= 1.5e-17


def test_a_large_tail_does_not_swallow_a_small_excess() -> None:
    small = 2.0**-60
    p = Law(0, np.array([0.9, small]), np.zeros(2), 0.1)
    q = Law(0, np.array([0.9]), np.zeros(1), 0.0)
    assert Fraction(hockey_stick(p, q, epsilon=Fraction(0)).upper) >= Fraction(0.1) + Fraction(small)


def test_the_tail_of_p_counts_as_if_q_were_nothing_there() -> None:
    exact_p = {0: Fraction(3, 4), 9: Fraction(1, 4)}
    q = {0: Fraction(1), 9: Fraction(0)}
    p = Law(0, np.array([0.75]), np.zeros(1), 0.25)
    bracket = hockey_stick(p, law_of(q), epsilon=Fraction(1, 2))
    assert holds(bracket, lw.hockey_stick(exact_p, q, Fraction(1, 2)))
    assert bracket.upper == pytest.approx(0.25)
    assert bracket.lower == 0.0


def test_the_tail_of_q_is_taken_off_where_the_event_leaves_its_window() -> None:
    p = {0: Fraction(1, 2), 5: Fraction(1, 2)}
    q = {0: Fraction(9, 10), 5: Fraction(1, 10)}
    stored = Law(0, np.array([0.9]), np.array([1e-16]), 0.1 + 1e-16)
    bracket = hockey_stick(law_of(p), stored, epsilon=Fraction(1))
    truth = lw.hockey_stick(p, q, Fraction(1))
    assert holds(bracket, truth)
    assert bracket.lower == pytest.approx(float(truth.mid()), abs=1e-12)


@given(exact=strategies.laws(), other=strategies.laws())
def test_beyond_an_epsilon_of_seven_hundred_only_impossible_outcomes_count(exact: lw.Law, other: lw.Law) -> None:
    for epsilon in (Fraction(701), Fraction(10**6), Fraction(10) ** 400):
        bracket = hockey_stick(law_of(exact), law_of(other), epsilon=epsilon)
        impossible = sum((m for k, m in exact.items() if other.get(k, 0) == 0), Fraction(0))
        assert bracket.lower <= impossible <= bracket.upper
        assert bracket.width <= 1e-11


def test_a_mass_below_the_smallest_float_is_possible_all_the_same() -> None:
    tiny = Fraction(1, 10**340)
    p, q = {0: Fraction(1)}, {0: tiny, 1: 1 - tiny}
    assert holds(hockey_stick(law_of(p), law_of(q), epsilon=Fraction(800)), balls.ball(0))
    assert max_divergence(law_of(p), law_of(q)).lower <= 783.0


@given(epsilon=st.one_of(epsilons, st.fractions(0, 700), st.fractions(Fraction(1, 10**30), Fraction(1, 10**10))))
def test_the_exponential_is_bracketed(epsilon: Fraction) -> None:
    lower, upper = exponential(epsilon)
    truth = balls.exponential(epsilon)
    assert Fraction(lower) <= balls.upper(truth)
    assert math.isinf(upper) or balls.lower(truth) <= Fraction(upper)
    if epsilon <= 700:
        assert upper - lower <= 1e-12 * lower


@given(data=st.data(), pair=pairs)
def test_total_variation_holds_the_truth_and_is_narrow(data: st.DataObject, pair: tuple[lw.Law, lw.Law]) -> None:
    truth = balls.ball(lw.total_variation(*pair))
    bracket = total_variation(law_of(pair[0]), law_of(pair[1]))
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-14, absolute=1e-14)
    p, q = (data.draw(wrong_laws(exact)) for exact in pair)
    assert holds(total_variation(p, q), truth)


@given(data=st.data(), pair=pairs)
def test_max_divergence_holds_the_truth_and_is_narrow(data: st.DataObject, pair: tuple[lw.Law, lw.Law]) -> None:
    truth = lw.max_divergence(*pair)
    bracket = max_divergence(law_of(pair[0]), law_of(pair[1]))
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-13, absolute=1e-13)
    p, q = (data.draw(wrong_laws(exact)) for exact in pair)
    assert holds(max_divergence(p, q), truth)


@given(data=st.data(), pair=pairs)
def test_many_epsilons_at_once_are_upper_bounds_and_close(data: st.DataObject, pair: tuple[lw.Law, lw.Law]) -> None:
    at = np.array([0.0, 1e-17, 1e-5, 0.5, 1.0, 3.0, 10.0, 30.0])
    p, q = (data.draw(wrong_laws(exact)) for exact in pair)
    for epsilon, bound in zip(at.tolist(), hockey_sticks(p, q, at).tolist(), strict=True):
        assert balls.lower(lw.hockey_stick(*pair, Fraction(epsilon))) <= Fraction(bound)
    for epsilon, bound in zip(at.tolist(), hockey_sticks(law_of(pair[0]), law_of(pair[1]), at).tolist(), strict=True):
        assert bound <= float(balls.upper(lw.hockey_stick(*pair, Fraction(epsilon)))) + 1e-13


def test_disjoint_laws_are_told_apart_for_sure() -> None:
    p, q = law_of({0: Fraction(1, 3), 2: Fraction(2, 3)}), law_of({1: Fraction(1)})
    for epsilon in map(Fraction, ("0", "1", "50", "699", "701")):
        bracket = hockey_stick(p, q, epsilon=epsilon)
        assert bracket.upper == 1.0
        assert bracket.lower >= 1 - 1e-11
    assert max_divergence(p, q).lower == math.inf


BLURRED = [("P", -1), ("P", 1), ("Q", -1), ("Q", 1)]


@pytest.mark.parametrize(("which", "sign"), BLURRED)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2)])
def test_every_error_counts_in_every_direction(which: str, sign: int, epsilon: Fraction) -> None:
    """One law is stored wrong by a hundredth at each outcome, and says so; the truth moves, the bracket must too."""
    p = {0: Fraction(5, 7), 1: Fraction(1, 7), 2: Fraction(1, 7)}
    q = {0: Fraction(1, 7), 1: Fraction(5, 7), 2: Fraction(1, 7)}
    moves = {k: sign * Fraction(1, 100) for k in p}
    stored = {"P": law_of(p), "Q": law_of(q)}
    stored[which] = as_wrong_as_it_may_be(p if which == "P" else q, moves, [0, 1, 2])
    bracket, truth = hockey_stick(stored["P"], stored["Q"], epsilon=epsilon), lw.hockey_stick(p, q, epsilon)
    assert holds(bracket, truth)
    assert 0.009 <= bracket.width <= 0.1
    assert balls.lower(truth) <= Fraction(float(hockey_sticks(stored["P"], stored["Q"], np.array([float(epsilon)]))[0]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_long_sum_is_charged_for_its_rounding(seed: int) -> None:
    """Masses without any error, and a law that is elsewhere: only the sum is rounded, and the truth is exact."""
    mass = np.random.default_rng(seed).uniform(0, 1, 20_001) ** 3 / 8000
    truth = sum(map(Fraction, mass.tolist()))
    p, q = Law(0, mass, np.zeros(len(mass)), 0.5), Law(10**6, np.ones(1), np.zeros(1))
    bracket = hockey_stick(p, q, epsilon=Fraction(0))
    assert Fraction(bracket.lower) <= truth
    upper = excess_above(Balls.of(mass), Balls.of(np.zeros(len(mass))), 1.0)
    assert truth <= Fraction(upper) <= truth * (1 + Fraction(1, 10**13))
    assert truth + Fraction(0.5) <= Fraction(bracket.upper) or bracket.upper == 1.0


def test_a_tail_of_the_first_law_may_lie_where_the_other_has_nothing() -> None:
    p, q = Law(0, np.array([0.5, 0.4]), np.zeros(2), 0.1), Law(0, np.array([0.5, 0.5]), np.zeros(2))
    assert max_divergence(p, q).upper == math.inf
    assert 0.0 <= max_divergence(q, q).upper < 1e-15
