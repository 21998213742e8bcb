"""What the rules about the largest parts want left possible, against what a respondent can work out."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from dalenius.audit.dominance import n_k, p_percent
from dalenius.audit.findings import CellStatus
from dalenius.audit.following import follow
from dalenius.audit.problem import Problem, Sought, Statement, Unknown
from dalenius.basics.errors import InputError


def parts_of(random):
    parts = sorted((random.randint(0, 60) for _ in range(random.randint(1, 6))), reverse=True)
    return parts, sum(parts)


@pytest.mark.parametrize("number", range(40))
def test_the_second_largest_respondent_stays_p_percent_away_and_no_more_is_asked(number):
    random = Random(number)
    parts, total = parts_of(random)
    p = random.randint(1, 60)
    largest, second = parts[0], parts[1] if len(parts) > 1 else 0
    away = Fraction(largest * (100 + p), 100)  # what the largest part must be able to be
    reach = p_percent(total, parts, p=p)
    if reach is None:
        assert total - second >= away
    else:
        assert total - second < away
        assert reach[1] - second >= away > reach[1] - 1 - second
        assert reach[0] == max(0, 2 * total - reach[1])


@pytest.mark.parametrize("number", range(40))
def test_the_n_largest_could_be_no_more_than_k_percent(number):
    random = Random(number)
    parts, total = parts_of(random)
    n, k = random.randint(1, 3), random.randint(20, 100)
    reach = n_k(total, parts, n=n, k=k)
    dominated = 100 * sum(parts[:n]) > k * total
    assert (reach is not None) == dominated
    if reach is not None:
        assert 100 * sum(parts[:n]) <= k * reach[1]
        assert 100 * sum(parts[:n]) > k * (reach[1] - 1)


def test_a_hidden_sum_is_protected_only_if_its_interval_reaches_far_enough():
    """A sum of 110 beside others that leave it 102 to 118, or a little less."""
    reach = p_percent(110, (100, 8), p=10)
    for slack, status in ((8, CellStatus.OPEN), (7, CellStatus.PINNED)):
        other = Unknown("the other", 0, 2 * slack)
        problem = Problem(
            (Unknown("the sum"), other),
            (Statement(((0, 1), (1, 1)), 110 + slack, 110 + slack, "both"),),
            (replace(Sought("the sum", ((0, 1),)), reach=reach),),
        )
        assert follow(problem).each[0].status == status


@pytest.mark.parametrize(
    "ask",
    [
        lambda: p_percent(10, (), p=10),
        lambda: p_percent(10, (3, 4), p=10),
        lambda: p_percent(10, (8, 4), p=10),
        lambda: p_percent(10, (8, 2), p=0),
        lambda: n_k(10, (8, 2), n=0, k=70),
        lambda: n_k(10, (8, 2), n=1, k=101),
        lambda: n_k(10, (8, -2), n=2, k=70),
    ],
)
def test_rules_that_make_no_sense_are_refused(ask):
    with pytest.raises(InputError, match="needs"):
        ask()
