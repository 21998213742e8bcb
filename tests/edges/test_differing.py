"""Beliefs under which people differ from the stated table: by a weight, or by a distance."""

import itertools
from fractions import Fraction

import pytest

from edges.desk import spec

STATED = {"probabilities": {"yes": "0.3", "no": "0.7"}, "source": "a public table"}


def differing(**changes) -> dict:
    return spec(beliefs={"smoker": {**STATED, **changes}})


def most(answer) -> float:
    return max(group["delta"][1] for group in answer.json["groups"])


@pytest.mark.slow
def test_people_who_all_follow_the_table_are_the_table(desk):
    plain, all_of_it, none_off = (
        most(desk.verdict(content)) for content in (spec(), differing(weight=1), differing(within=0))
    )
    stated = most(desk.verdict(differing()))
    assert stated == pytest.approx(all_of_it, rel=1e-9) == pytest.approx(none_off, rel=1e-9)
    assert plain > 0


@pytest.mark.slow
@pytest.mark.parametrize(("key", "values"), [("weight", ("0.9", "0.6")), ("within", ("0.02", "0.1"))])
def test_the_more_people_may_differ_the_more_may_be_told(desk, key, values):
    found = [most(desk.verdict(differing(**{key: value}))) for value in values]
    stated = most(desk.verdict(differing()))
    assert all(a < b for a, b in itertools.pairwise([stated, *found]))


@pytest.mark.slow
def test_no_rate_that_is_left_open_is_worse(desk):
    bound = most(desk.verdict(differing(within="0.1")))
    for rate in (Fraction(2, 10), Fraction(25, 100), Fraction(4, 10)):
        law = {"probabilities": {"yes": str(rate), "no": "rest"}, "source": "x"}
        assert most(desk.verdict(spec(beliefs={"smoker": law}))) <= bound


@pytest.mark.slow
def test_the_report_says_that_people_may_differ(desk):
    told = " ".join(desk.check(differing(weight="0.9")).out.split())
    assert "everybody has the stated probabilities of smoker, with a weight of at least 0.9 (source: a public" in told
    told = " ".join(desk.check(differing(within="0.02")).out.split())
    assert "probabilities of smoker, each at most 0.02 below what is stated (source: a public table)" in told
    assert "have the stated probabilities before" not in told


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"weight": 0}, "weight needs a number above 0 and at most 1, but got 0. Write weight: 0.8."),
        ({"weight": "1.2"}, "above 0 and at most 1, but got 1.2"),
        ({"within": -1}, "within needs a number from 0 to 1, but got -1. Write within: 0.02."),
        ({"within": "0.1", "weight": "0.5"}, "either weight or within, but got both"),
        ({"weigth": 1}, "weight"),
    ],
)
def test_what_is_no_difference_is_refused(desk, changes, says):
    assert says in desk.refusal(differing(**changes))
