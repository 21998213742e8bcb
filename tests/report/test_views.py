"""What somebody believes of one person: before, after the figures without that person, and after those with them."""

import itertools
import math
import re
from fractions import Fraction

import pandas as pd
import pytest

import dalenius as dl
from dalenius.desk.curves import measured
from dalenius.plan.views import views

N = 60
F = Fraction
SPEC = {
    "person": "id",
    "public": {"region": ["n", "s"]},
    "confidential": {"ill": ["no", "yes"]},
    "attacker": {"knows": 0, "source": "nobody was asked"},
    "target": {"epsilon": 1, "delta": "1e-2"},
    "figures": [{"name": "ill", "kind": "count", "where": {"ill": "yes"}}],
}
NOBODY_KNOWS = {
    "source": "two studies",
    "nobody_knows": [
        {"weight": "0.5", "probabilities": {"yes": "0.3", "no": "rest"}},
        {"weight": "0.5", "probabilities": {"yes": "0.34", "no": "rest"}},
    ],
}
ORDER = {
    "source": "a panel",
    "order": "day",
    "start": {"yes": "0.3", "no": "rest"},
    "moves": {"yes": {"yes": "0.5", "no": "rest"}, "no": {"yes": "0.2", "no": "rest"}},
}
BY_REGION = {
    "source": "a survey",
    "by": "region",
    "cells": {"n": {"yes": "0.3", "no": "rest"}, "s": {"yes": "0.4", "no": "rest"}},
}


def decided(folder, belief, n=N):
    people = {"id": range(n), "region": ["n", "s"] * (n // 2), "ill": ["yes", "no"] * (n // 2), "day": range(n)}
    spec = {**SPEC, "beliefs": {"ill": belief}}
    return dl.decide(spec, pd.DataFrame(people), ledger=folder / "ledger.sqlite", margins=False)


def seen(decision):
    return {view.fact: view for view in views(decision.question, decision.prepared.figures)}


def test_of_randomised_answers_it_is_the_true_ones_that_are_believed(tmp_path):
    belief = {"probabilities": {"yes": "0.2", "no": "rest"}, "answered": "0.75", "source": "a survey"}
    figures = [{"name": "ill", "kind": "answers", "of": {"ill": "yes"}}]
    people = {"id": range(N), "region": ["n", "s"] * (N // 2), "ill": ["yes", "no"] * (N // 2)}
    spec = {**SPEC, "beliefs": {"ill": belief}, "figures": figures}
    found = seen(dl.decide(spec, pd.DataFrame(people), ledger=tmp_path / "ledger.sqlite", margins=False))
    assert found["ill = yes"].before == F(1, 5) and found["ill = no"].before == F(4, 5)


def posterior(joint, fact):
    """Of the first record being 1, given each total of the others: by all datasets."""
    every = {}
    for row, chance in joint.items():
        total = every.setdefault(sum(row[1:]), [F(0), F(0)])
        total[row[0] == fact] += chance
    return [held / (held + not_) for not_, held in every.values() if held + not_]


def test_nobody_learns_of_independent_records_and_each_group_has_a_line(tmp_path):
    found = seen(decided(tmp_path, BY_REGION))
    assert {fact: view.before for fact, view in found.items()} == {
        "ill = yes, region n": F(3, 10),
        "ill = yes, region s": F(4, 10),
    }
    assert not any(view.moved for view in found.values())


def test_what_others_tell_where_nobody_knows_the_law_is_what_brute_force_finds(tmp_path):
    (view,) = seen(decided(tmp_path, NOBODY_KNOWS)).values()
    joint = {}
    for row in itertools.product((0, 1), repeat=9):
        joint[row] = sum((F(1, 2) * p ** sum(row) * (1 - p) ** (9 - sum(row)) for p in (F(3, 10), F(34, 100))), F(0))
    after = posterior(joint, 1)
    assert view.before == F(32, 100) and view.moved
    assert view.least <= min(after) < view.before < max(after) <= view.most


def test_what_others_tell_of_the_first_in_an_order_is_what_brute_force_finds(tmp_path):
    (view,) = seen(decided(tmp_path, ORDER)).values()
    start, moves = [F(7, 10), F(3, 10)], [[F(8, 10), F(2, 10)], [F(1, 2), F(1, 2)]]
    joint = {}
    for row in itertools.product((0, 1), repeat=8):
        chance = start[row[0]]
        for one, two in itertools.pairwise(row):
            chance *= moves[one][two]
        joint[row] = chance
    after = posterior(joint, 1)
    assert view.before == F(3, 10)
    assert view.least <= min(after) < max(after) <= view.most
    alone = posterior(
        {row[:2]: F(0) for row in joint} | {(a, b): start[a] * moves[a][b] for a in (0, 1) for b in (0, 1)}, 1
    )
    assert (view.least, view.most) == (min(alone), max(alone))


@pytest.mark.slow
@pytest.mark.parametrize("belief", [BY_REGION, NOBODY_KNOWS, ORDER], ids=["groups", "smoking and cancer", "order"])
def test_the_report_draws_it_without_scripts_and_explain_tells_it(tmp_path, belief):
    decision = decided(tmp_path, belief, n=400).within(0)
    page = decision.html().decode()
    picture = re.search(r"<figure><svg.*?</figure>", page, re.DOTALL)
    assert picture is not None and "<script" not in page
    for fact, view in seen(decision).items():
        assert fact in picture[0] and fact in page.replace(picture[0], "")
        assert view.least <= view.before <= view.most
    told = " ".join(str(dl.explain(decision, seconds=0)).split())
    assert "believed of one of them before after, without after, with their record" in told
    alone = "Also without your record in them, the figures tell" not in told
    assert alone == (belief is BY_REGION)
    assert ("Also without a person" in page) == (not alone)


def totals(n, target, value):
    """The law of the total of a chain of `ORDER` given one of its records: by all datasets."""
    start, moves = [0.7, 0.3], [[0.8, 0.2], [0.5, 0.5]]
    law = [0.0] * (n + 1)
    for row in itertools.product((0, 1), repeat=n):
        if row[target] == value:
            law[sum(row)] += start[row[0]] * math.prod(moves[a][b] for a, b in itertools.pairwise(row))
    return [mass / sum(law) for mass in law]


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.3"), ("2", "0.3"), ("0.5", "0.6")])
def test_odds_move_by_no_more_than_the_report_says_but_for_its_chance(tmp_path, epsilon, delta):
    """(ε, δ) does not mean that they move by at most e^ε but for δ: by all datasets, for every person."""
    people = {"id": range(8), "region": ["n", "s"] * 4, "ill": ["yes", "no"] * 4, "day": range(8)}
    spec = {**SPEC, "beliefs": {"ill": ORDER}, "target": {"epsilon": epsilon, "delta": delta}}
    decision = dl.decide(spec, pd.DataFrame(people), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass"
    plan, question = decision.plan, decision.question
    learning = measured(plan, question, decision.prepared.figures, None)[1]
    assert learning is not None and learning.rows
    factor = math.exp(learning.epsilon) * (1 + 1e-12)
    for target in range(8):
        laws = [totals(8, target, value) for value in (0, 1)]
        for one, other in itertools.permutations(laws):
            far = (p for p, q in zip(one, other, strict=True) if p > factor * q or q > factor * p)
            assert math.fsum(far) <= learning.chance + 1e-12


def test_of_values_that_must_look_alike_the_report_draws_what_is_believed_of_one_of_two(tmp_path):
    people = {"id": range(400), "region": ["n", "s"] * 200, "pay": [place % 7 for place in range(400)]}
    spec = {
        **SPEC,
        "confidential": {"pay": {"bounds": [0, 6]}},
        "beliefs": {"pay": {"probabilities": {"0 to 6": 1}, "source": "tax tables"}},
        "secret": {"within": {"pay": 2}},
        "figures": [{"name": "pay", "kind": "sum", "column": "pay"}],
    }
    page = dl.decide(spec, pd.DataFrame(people), ledger=tmp_path / "ledger.sqlite", margins=False).html().decode()
    picture = re.search(r"<figure><svg.*?</figure>", page, re.DOTALL)
    assert picture is not None and "one of two values that must look alike, held to be 10 % likely" in picture[0]
    assert "odds between two values that must look alike move by at most a factor of" in page
    assert "Other values may be told apart" in page
