"""Genuine certificates are confirmed: by what records add and not by words, and by a recheck that finds less."""

import json
from fractions import Fraction

import pytest

from certificates.genuine import COLUMNS, asked, beside_a_public_count, certified, counted, in_two_words
from certificates.tampering import resealed
from dalenius.facts.records import Between, Numbers, OneOf, Where
from dalenius.plan.examination import examine
from dalenius.record.certificate.recheck import recheck
from dalenius.tables.figures import Figure
from dalenius.tables.history import quantities

F = Fraction


def test_quantities_are_compared_by_what_they_add():
    ones = [
        Figure("sum", "sum", "ill"),
        Figure("mean", "mean", "ill"),
        counted("count", "ill", F(1)),
        Figure("above", "count", None, Where((("ill", Between(lower=F(1))),))),
    ]
    assert quantities(ones, COLUMNS) == [0, 0, 0, 0]
    labels = [counted("one way", "job", "a", "b"), counted("other", "job", "b", "a"), counted("less", "job", "a")]
    assert quantities(labels, COLUMNS) == [0, 0, 1]
    assert quantities([*ones, *labels, counted("zeros", "ill", F(0))], COLUMNS) == [0, 0, 0, 0, 1, 1, 2, 3]
    steps = [Figure("thousands", "sum", "pay"), counted("paid", "pay", F(1000))]
    assert quantities(steps, COLUMNS) == [0, 0]  # in steps, in which all is judged


def test_figures_that_differ_in_their_last_value_only_are_two_quantities():
    wide = {"age": Numbers(F(1), F(0), F(100))}
    ages = [Figure("all", "sum", "age"), Figure("cut", "sum", "age", truncated=(F(0), F(99)))]
    assert quantities(ages, wide) == [0, 1]


@pytest.mark.slow
def test_one_quantity_in_two_words_with_noise_is_one_with_less_noise():
    words, same = in_two_words()
    assert json.loads(words)["kinds"][0]["delta"] == json.loads(same)["kinds"][0]["delta"]
    assert recheck(words).code == recheck(same).code == 0


def stating(document, upper):
    """The certificate with another delta of its first kind, which is the largest."""
    document["kinds"][0]["delta"], document["claim"]["delta_at_most"] = ["0", upper], upper
    return resealed(document)


def test_what_is_found_to_be_less_than_claimed_confirms_the_claim():
    document = json.loads(certified((Figure("sum", "sum", "ill"),), asked({("a",): 90}, F(1, 2), 1, "0.1")))
    upper = F(document["kinds"][0]["delta"][1])
    assert recheck(stating(document, str(upper * 2))).code == 0
    assert recheck(stating(document, str(upper * F(99, 100)))).code == 1


@pytest.mark.slow
def test_a_public_count_beside_others_is_confirmed():
    """A number that nobody changes takes no share of epsilon, for the decision as for whoever checks it."""
    made = beside_a_public_count()
    assert {kind["evidence"]["method"] for kind in json.loads(made)["kinds"]} == {"apart", "atom"}
    assert recheck(made).code == 0


def test_a_witness_of_a_quantity_in_two_units_counts_them_as_they_are_published():
    """All who are paid less those of region a, in thousands: who is paid of region b."""
    question = asked({("a",): 300, ("b",): 3}, F(1, 2), "0.5", "1e-4", "pay")
    of_a = Figure("of a", "sum", "pay", Where((("region", OneOf(("a",))),)))
    examined = examine((counted("paid", "pay", F(1000)), of_a), question, lambda _what, _done, _of: None)
    failed = next(one for one in examined.findings if one.reveals)
    assert [(weight, entry.figure.name) for weight, entry in failed.reveals] == [(1, "paid"), (F(-1, 1000), "of a")]
