"""A million records: δ about 1e-3, 1e-12 and 1e-30 is inside the bracket, and the bracket is narrow."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs.belief import IID, Independent
from dalenius.beliefs.crowd import crowd_of, law_of_rates
from dalenius.beliefs.worst import WorstCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Pair
from dalenius.facts.statistics import Count
from dalenius.mechanisms import Exact
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import holds, narrow
from oracle import balls, profile_of_types, shift_profile

STEP = (Pair(0, 1), Pair(1, 0))
MILLION = 10**6


def assert_sharp(bracket: Bracket, truth: object) -> None:
    size = float(balls.upper(truth))
    assert holds(bracket, truth)
    assert size >= 1e-31
    assert narrow(bracket, truth, relative=1e-6 if size >= 1e-12 else 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "epsilon", "size"),
    [
        ("0.3", "0.0001", 1e-3),
        ("0.3", "0.014", 1e-12),
        ("0.3", "0.0237", 1e-30),
        ("0.001", "0.2", 1e-12),
        ("0.001", "0.385", 1e-30),
    ],
)
def test_a_million_equal_people(p: str, epsilon: str, size: float) -> None:
    belief = IID(p=p, n=MILLION + 1)
    bracket = WorstCurve(belief.crowd(Count()), STEP, Exact(), 0).delta(Fraction(epsilon))
    truth = balls.largest(shift_profile(MILLION, Fraction(p), Fraction(epsilon)))
    assert size / 100 <= float(balls.upper(truth)) <= size * 100
    assert_sharp(bracket, truth)


TYPES = [(600_000, "0.1"), (300_000, "0.35"), (100_000, "0.9")]


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "size"), [("0.0001", 1e-3), ("0.018", 1e-12), ("0.0298", 1e-30)])
def test_a_million_people_of_three_types(epsilon: str, size: float) -> None:
    rates, counts = np.array([float(p) for _, p in TYPES]), np.array([n for n, _ in TYPES])
    bracket = ShiftCurve(law_of_rates(rates, counts), (1,)).delta(Fraction(epsilon))
    truth = balls.largest(profile_of_types([(n, Fraction(p)) for n, p in TYPES], Fraction(epsilon)))
    assert size / 100 <= float(balls.upper(truth)) <= size * 100
    assert_sharp(bracket, truth)


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 1000])
def test_the_worst_of_a_million_people_of_three_types(known: int) -> None:
    """Nobody knows which type is worst to know: the truth is at least that of the best guess among three."""
    epsilon = Fraction("0.012")
    groups = [({0: 1 - Fraction(p), 1: Fraction(p)}, n) for n, p in TYPES]
    bracket = WorstCurve(Independent(groups=groups).crowd(Count()), STEP, Exact(), known).delta(epsilon)
    guesses = []
    for t in range(3):
        left = [(n - (known + 1) * (i == t), Fraction(p)) for i, (n, p) in enumerate(TYPES)]
        guesses.append(balls.largest(profile_of_types(left, epsilon)))
    truth = balls.largest(guesses)
    assert balls.lower(truth) <= Fraction(bracket.upper)
    assert bracket.upper <= float(balls.upper(truth)) * (1 + (1e-6 if known == 0 else 1e-4))
    assert bracket.width <= 1e-4 * bracket.upper


def test_a_million_people_of_three_values_agree_with_a_binomial_inside_them() -> None:
    """Records on {0, 1, 2} that are sums of two coins: their total is a binomial of twice as many."""
    p = Fraction(1, 5)
    law = {0: (1 - p) ** 2, 1: 2 * p * (1 - p), 2: p**2}
    left = crowd_of([law], [MILLION // 2]).law((0,))
    for epsilon in map(Fraction, ("0.0001", "0.015", "0.0265")):
        truth = balls.largest(shift_profile(MILLION, p, epsilon))
        assert_sharp(ShiftCurve(left.law, (1,)).delta(epsilon), truth)
