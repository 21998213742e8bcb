"""How likely values of hidden cells are, against the weights of all tables."""

from collections import defaultdict
from fractions import Fraction
from math import factorial
from random import Random

import pytest

from amount import repetitions
from audit.problems import MOST, random_problem
from dalenius.audit.likelihood import likely, odds_moved
from dalenius.audit.problem import ContradictionError, Problem, Sought, Statement, Unknown
from dalenius.basics.errors import InputError
from oracle.published import fitting


def weights(problem, target, chances):
    """The weight of each value, table by table."""
    found = defaultdict(Fraction)
    tables = fitting(
        [(each.lower, each.upper) for each in problem.unknowns],
        [(each.terms, each.lower, each.upper) for each in problem.statements],
        MOST,
    )
    for table in tables:
        weight = Fraction(1)
        for value, chance in zip(table, chances, strict=True):
            weight *= chance**value / factorial(value)
        found[sum(times * table[at] for at, times in problem.targets[target].terms)] += weight
    return found


def case(number):
    random = Random(number)
    problem = random_problem(random)
    parts = [random.randint(1, 9) for _ in problem.unknowns]
    return problem, random.randrange(len(problem.targets)), [Fraction(part, sum(parts)) for part in parts]


@pytest.mark.slow
def test_probabilities_are_those_of_all_tables():
    for number in range(repetitions(25, 500)):
        problem, target, chances = case(number)
        truth = weights(problem, target, chances)
        whole = sum(truth.values())
        found = likely(problem, target, chances, most_cases=10**6)
        assert found.exact
        assert found.values == {value: (weight / whole,) * 2 for value, weight in truth.items()}, number
        assert found.mean == (sum(value * weight for value, weight in truth.items()) / whole,) * 2


@pytest.mark.slow
def test_a_search_that_is_cut_short_encloses_the_probabilities():
    short = narrow = 0
    for number in range(repetitions(25, 500)):
        problem, target, chances = case(number)
        truth = weights(problem, target, chances)
        whole = sum(truth.values())
        for cases in (0, 5, 60):
            found = likely(problem, target, chances, most_cases=cases)
            short += not found.exact
            narrow += 0 < found.other < Fraction(1, 2)
            for value, weight in truth.items():
                low, high = found.values.get(value, (Fraction(0), found.other))
                assert low <= weight / whole <= high
            mean = sum(value * weight for value, weight in truth.items()) / whole
            assert found.mean[0] <= mean <= found.mean[1]
    assert short > 10
    assert narrow > 3


def test_the_odds_of_one_person_are_moved_as_all_datasets_say():
    """Three people in three cells, of whom one number is published: every dataset, person by person."""
    chances = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    three = Statement(((0, 1), (1, 1), (2, 1)), 3, 3, "three people")
    pair = Statement(((0, 1), (1, 1)), 2, 2, "two of them here")
    targets = tuple(Sought(str(place), ((place, 1),)) for place in range(3))
    problem = Problem(tuple(Unknown(str(place)) for place in range(3)), (three, pair), targets)
    mass = defaultdict(Fraction)  # where the first person is, together with what is published
    for first in range(3):
        for second in range(3):
            for third in range(3):
                if sum(each < 2 for each in (first, second, third)) == 2:
                    mass[first] += chances[first] * chances[second] * chances[third]
    for one, other in ((0, 1), (0, 2), (2, 1)):
        factor = (mass[one] / chances[one]) / (mass[other] / chances[other])
        assert odds_moved(problem, one, other, chances) == (factor, factor)


def test_beliefs_that_cannot_be_are_refused():
    two = Statement(((0, 1), (1, 1)), 2, 2, "two people")
    problem = Problem((Unknown("x"), Unknown("y")), (two,), (Sought("x", ((0, 1),)),))
    half = Fraction(1, 2)
    with pytest.raises(InputError, match="probability for each of the 2 unknowns"):
        likely(problem, 0, (half,))
    with pytest.raises(InputError, match="probability 0"):
        likely(problem, 0, (Fraction(0), Fraction(0)))
    free = Problem((Unknown("x"),), (), (Sought("x", ((0, 1),)),))
    with pytest.raises(InputError, match="bounded"):
        likely(free, 0, (half,))
    with pytest.raises(InputError, match="count people"):
        likely(Problem((Unknown("x", None, 3),), (), free.targets), 0, (half,))
    with pytest.raises(ContradictionError):
        likely(problem.knowing({}, (Statement(((0, 1),), 3, 3, "three"),)), 0, (half, half))
    with pytest.raises(InputError, match="Odds need people"):
        odds_moved(problem, 0, 0, (Fraction(0), half))
