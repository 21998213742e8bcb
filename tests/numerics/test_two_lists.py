"""Two lists of outcomes together: their losses are added as they are, and what is told is known to the last digits."""

import random
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.enclosure.floats import UNIT
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import PairCurve, Supremum
from dalenius.numerics.law import Law, law_of
from numerics.checks import holds
from oracle import balls, composition
from oracle import laws as lw

EPSILONS = list(map(Fraction, ("0", "1/10", "1", "3", "20")))


@st.composite
def laws(draw: st.DrawFn, size: int = 6) -> lw.Law:
    """Masses that no float holds, some of them faint, some none."""
    weights = draw(st.lists(st.sampled_from([0, 1, 3, 7, 10**3, 10**9, 10**20]), min_size=size, max_size=size))
    weights[draw(st.integers(0, size - 1))] += 1
    return {k: Fraction(w, sum(weights)) for k, w in enumerate(weights) if w}


def truth(pairs: list[tuple[lw.Law, lw.Law]], epsilon: Fraction) -> object:
    back = [(q, p) for p, q in pairs]
    return balls.largest([composition.composed_by_ratio(each, epsilon) for each in (pairs, back)])


@given(parts=st.lists(st.tuples(laws(), laws()), min_size=2, max_size=2), epsilon=st.sampled_from(EPSILONS))
def test_two_lists_give_what_exact_numbers_give(parts: list[tuple[lw.Law, lw.Law]], epsilon: Fraction) -> None:
    found = compose([(PairCurve(law_of(p), law_of(q)), 1) for p, q in parts]).delta(epsilon)
    exact = truth(parts, epsilon)
    assert holds(found, exact)
    assert found.width <= 1e-12


@given(part=st.tuples(laws(), laws()), epsilon=st.sampled_from(EPSILONS))
def test_the_same_list_twice_is_two_lists(part: tuple[lw.Law, lw.Law], epsilon: Fraction) -> None:
    curve = PairCurve(law_of(part[0]), law_of(part[1]))
    found = compose([(curve, 2)]).delta(epsilon)
    assert holds(found, truth([part, part], epsilon))
    assert found.width <= 1e-12


@pytest.mark.parametrize("power", [10, 50, 90])
def test_what_is_hardly_told_keeps_its_digits(power: int) -> None:
    """Losses that only just exceed epsilon together, at masses far below what a float resolves beside one."""
    rare = Fraction(1, 10**power)
    pair = ({0: 1 - rare, 1: rare}, {0: 1 - rare / 3, 1: rare / 3})
    epsilon = Fraction("2.19")  # twice log 3 is 2.1972
    found = compose([(PairCurve(law_of(pair[0]), law_of(pair[1])), 2)]).delta(epsilon)
    exact = truth([pair, pair], epsilon)
    assert holds(found, exact)
    assert found.upper <= float(balls.upper(exact)) * (1 + 1e-9) + 1e-299


def test_a_curve_of_several_pairs_enters_by_what_dominates_it() -> None:
    """Then only the upper bound is that of the lists."""
    pairs = [({0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(k, 10), 1: 1 - Fraction(k, 10)}) for k in (4, 6)]
    curves = [PairCurve(law_of(p), law_of(q)) for p, q in pairs]
    both = compose([(Supremum(tuple(curves)), 2)])
    for epsilon in EPSILONS[:3]:
        for first in pairs:
            for second in pairs:
                assert balls.upper(truth([first, second], epsilon)) <= both.delta(epsilon).upper * (1 + 1e-15) + 1e-300


def floats(masses: Mapping[int, Fraction]) -> Law:
    """The law that is known exactly but for its first mass, which no float need hold."""
    mass = np.array([float(masses[k]) for k in range(len(masses))])
    assert all(Fraction(mass[k]) == masses[k] for k in range(1, len(masses)))
    return Law(0, mass, np.array([2 * UNIT] + [0.0] * (len(mass) - 1)))


@pytest.mark.parametrize("loss", ["0.3", "7.3", "19.7", "33.9"])
def test_losses_that_only_just_exceed_epsilon_count(loss: str) -> None:
    """No logarithm in floating point tells them from losses that do not."""
    for epsilon in map(Fraction, ("0.7", "11.3", "40.1", "51.7")):
        pairs = [just_above(Fraction(loss)), just_above(epsilon - Fraction(loss))]
        found = compose([(PairCurve(floats(p), floats(q)), 1) for p, q in pairs]).delta(epsilon)
        assert holds(found, truth(pairs, epsilon))


@pytest.mark.parametrize("epsilon", ["40.1", "90.7"])
def test_losses_that_almost_reach_epsilon_take_nothing_away(epsilon: str) -> None:
    """They count beside others that do exceed it, for no logarithm tells; then with less than e^epsilon."""
    short = 1500 * Fraction(UNIT)
    pairs = [just_above(Fraction(epsilon) / 2, lowered=short, more=Fraction(1, 64)) for _ in range(2)]
    found = compose([(PairCurve(floats(p), floats(q)), 1) for p, q in pairs]).delta(Fraction(epsilon))
    assert holds(found, truth(pairs, Fraction(epsilon)))


def just_above(
    loss: Fraction, *, lowered: Fraction = Fraction(0), more: Fraction = Fraction(0)
) -> tuple[lw.Law, lw.Law]:
    """A pair with an outcome whose loss is this, but for what floats cannot tell, or for what it is lowered by; the
    other way round if it is negative. With `more`, an outcome of so much mass has a larger one.
    """
    part, ratio = Fraction(21, 64), balls.upper(balls.exponential(abs(loss))) * (1 - lowered)
    rare = float(part / ratio)
    while Fraction(rare) * ratio > part:
        rare = float(np.nextafter(rare, 0))
    p, q = {1: part}, {1: Fraction(rare)}
    if more:
        p[2], q[2] = more, Fraction(rare / 64)
    p, q = {0: 1 - sum(p.values()), **p}, {0: 1 - sum(q.values()), **q}
    return (p, q) if loss >= 0 else (q, p)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [Fraction(1, 7), Fraction(2, 3), Fraction(5, 3), Fraction(3)])
def test_sums_of_many_outcomes_err_by_no_more_than_is_charged(epsilon: Fraction) -> None:
    """Masses that floats hold: then all that may be wrong is what the sums do."""
    dice = random.Random(18)
    for _ in range(4):
        sides = []
        for _ in range(4):
            weights = {k: Fraction(dice.randrange(1, 2**40), 2**46) for k in range(1, 41)}
            sides.append({0: 1 - sum(weights.values()), **weights})
        pairs = [(sides[0], sides[1]), (sides[2], sides[3])]
        found = compose([(PairCurve(floats(p), floats(q)), 1) for p, q in pairs]).delta(epsilon)
        assert holds(found, truth(pairs, epsilon))
