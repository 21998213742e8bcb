"""A table that comes out every month: released, judged with what is out, verified, looked ahead."""

import copy
import json
import math
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tests.amount import repetitions
from tests.oracle.histories import many

import dalenius as dl
from dalenius.basics.errors import SpecError
from dalenius.desk.session import decide
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.plan import Question, Target
from dalenius.plan.examination import examine
from dalenius.record.certificate.recheck import recheck, verify_certificate
from dalenius.record.certificate.written import own_hash
from dalenius.record.ledger.edition import Edition
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.series import Series
from edges.specimens import specimens


def table(months, people=3000, each=60):
    """Everybody who was ever there; `each` join and leave from month to month."""
    rows = [(at, 1, 99, "no") for at in range(people)]
    for month in range(2, months + 1):
        start = (month - 2) * each
        rows[start : start + each] = [(at, 1, month - 1, "no") for at in range(start, start + each)]
        rows += [(len(rows) + at, month, 99, "yes") for at in range(each)]
    return pd.DataFrame(rows, columns=["id", "since", "until", "ill"])


def spec(month, **more):
    return {
        "person": "id",
        "public": {"since": {"bounds": [1, 99]}, "until": {"bounds": [1, 99]}},
        "confidential": {"ill": ["no", "yes"]},
        "beliefs": {"ill": {"probabilities": {"yes": "0.4", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 3, "source": "the ward"},
        "target": {"epsilon": 1, "delta": "1e-3"},
        "edition": {"now": month, "since": "since", "until": "until"},
        "series": {"editions": 3, "changes": {"ill": "0.05"}, "joins": "0.02", "leaves": "0.02", "source": "last year"},
        "figures": [{"name": "ill", "kind": "count", "where": {"ill": "yes"}}],
        **more,
    }


@pytest.mark.slow
def test_three_months_go_out_exactly_and_their_certificates_hold(tmp_path):
    for month in (1, 2, 3):
        decision = dl.decide(spec(month), table(month), ledger=tmp_path / "ledger.sqlite", margins=False)
        assert decision.verdict == "pass"
        dl.release_folder(decision.within(0), tmp_path / str(month))
        again = verify_certificate(tmp_path / str(month) / "certificate.json", tmp_path / str(month) / "figures.csv")
        assert again.code == 0, again.text()
    assert {finding.method for finding in decision.as_specified.findings} == {"series"}


@pytest.mark.slow
def test_month_one_says_that_all_announced_months_may_go_out(tmp_path):
    decision = dl.decide(spec(1), table(1), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert "may all go out exactly" in decision.story().replace("\n", " ")
    few = dl.decide(spec(1), table(1, people=300), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert "exact figures last for 2 of the 3" in " ".join(few.story().split())


@pytest.mark.slow
def test_too_few_changes_are_for_review_and_noise_is_advised(tmp_path):
    first = dl.decide(spec(1), table(1), ledger=tmp_path / "ledger.sqlite", margins=False)
    dl.release_folder(first.within(0), tmp_path / "1")
    still = spec(2, series={"editions": 3, "source": "nobody changes"})
    decision = dl.decide(still, table(2, each=2), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "review"
    assert "Add noise: {geometric: " in decision.plan.advice.words


@pytest.fixture(scope="module")
def noisy_ending(tmp_path_factory):
    """The certificate of the third edition, which has noise, after two exact ones."""
    folder = tmp_path_factory.mktemp("editions")
    for month in (1, 2, 3):
        figures = [{**spec(month)["figures"][0], **({"noise": {"geometric": 4}} if month == 3 else {})}]
        keys = spec(month, figures=figures)
        decision = dl.decide(keys, table(month), ledger=folder / "ledger.sqlite", margins=False)
        assert decision.verdict == "pass"
        dl.release_folder(decision.within(0), folder / str(month))
    return json.loads((folder / "3" / "certificate.json").read_bytes())


@pytest.mark.slow
def test_noise_on_the_last_edition_is_listed_and_judged_again(noisy_ending):
    strata = noisy_ending["series"]["strata"]
    assert all(one["exact"] == 2 and len(one["noise"]) == 1 for one in strata)
    again = recheck(json.dumps(noisy_ending).encode())
    assert again.code == 0, again.text()


def test_noise_that_is_told_wrongly_is_refused(noisy_ending):
    def told(change):
        forged = copy.deepcopy(noisy_ending)
        for one in forged["series"]["strata"]:
            change(one)
        forged["sha256"] = own_hash(forged)
        return recheck(json.dumps(forged).encode())

    number = noisy_ending["series"]["strata"][0]["noise"][0][0]
    others = [place for place in range(len(noisy_ending["figures"])) if place != number]
    assert told(lambda one: None).code == 0
    assert "rests on" in told(lambda one: one.update(noise=[[number, 0]], exact=None)).text()
    assert "not in the strata" in told(lambda one: one.update(noise=[])).text()
    assert "and has none" in told(lambda one: one.update(noise=[[others[0], 0]])).text()
    assert "not in the strata" in told(lambda one: one.update(noise=[[others[0], 0]])).text()
    assert "more exact figures" in told(lambda one: one.update(exact=1)).text()
    assert told(lambda one: one.update(facts=[[0]], laws=[[[[0], "1"]]])).code == 1


@pytest.mark.slow
def test_a_first_release_without_an_edition_can_be_told(tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    alone = {key: value for key, value in spec(1).items() if key not in ("edition", "series")}
    dl.release_folder(dl.decide(alone, table(1), ledger=ledger, margins=False, seconds=0), tmp_path / "1")
    assert dl.decide(spec(2), table(2), ledger=ledger, margins=False).verdict == "review"
    told = {"edition": {"now": 2, "since": "since", "until": "until", "before": {"R1": 1}}}
    assert dl.decide(spec(2, **told), table(2), ledger=ledger, margins=False).verdict == "pass"
    other = table(2).iloc[1:]  # one of the persons of then is gone
    assert dl.decide(spec(2, **told), other, ledger=ledger, margins=False).verdict == "review"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"edition": None}, "series needs edition"),
        ({"series": {"editions": 3, "changes": {"ill": 2}, "source": "x"}}, "probability between 0 and 1"),
        ({"series": {"editions": 3, "changes": {"since": "0.1"}, "source": "x"}}, "since"),
        ({"series": {"editions": 0, "source": "x"}}, "from 1 to"),
        ({"series": {"editions": 3, "changes": {"ill": ["0.2", "0.1"]}, "source": "x"}}, "the least probability first"),
    ],
)
def test_what_is_wrong_is_told(more, said, tmp_path):
    with pytest.raises(SpecError, match=said):
        dl.decide(spec(1, **more), table(1), ledger=tmp_path / "ledger.sqlite", margins=False)


YES = Where((("ill", OneOf(("yes",))),))


def small(dice):
    """Two months of two wards, with noise on the second or not: the truth and the bound."""
    rate, step = Fraction(dice.randint(3, 8), 16), Fraction(dice.randint(2, 14), 16)
    stays = {(1, 2): dice.randint(40, 70), (2, 2): dice.randint(20, 40), (1, 1): dice.randint(1, 20)}
    scale = dice.choice([None, Fraction(1), Fraction(3)])
    columns = {"ill": Categories(("no", "yes"))}
    calendar = {
        "since": Numbers(Fraction(1), Fraction(1), Fraction(9)),
        "until": Numbers(Fraction(1), Fraction(1), Fraction(9)),
    }
    wards = {("a", Fraction(first), Fraction(last)): count for (first, last), count in stays.items()}
    wards |= {("b", Fraction(first), Fraction(last)): 400 for first, last in stays}
    frame = Frame(("ward", "since", "until"), wards)
    figures, months = [], {}
    for month in (1, 2):
        channel = Chain(()) if month == 1 or scale is None else Chain((TwoSidedGeometric(scale),))
        base = Figure(f"month {month}", "count", None, YES, ("ward",), channel)
        tests = Edition(Fraction(month), "since", "until").tests(calendar)
        figures.append(Figure(base.name, "count", None, Where((*YES.tests, *tests)), ("ward",), channel))
        months[base.name] = (month - 1, base)
    series = Series("since", "until", {"ill": (step, step)}, 2, now=1, calendar=calendar, months=months)
    belief = ColumnBelief("ill", {(): (("no", 1 - rate), ("yes", rate))}, "x")
    target = Target(Fraction(1), Fraction(1, 5))
    question = Question(frame, columns, (belief,), Attacker(0), Value(), target, series=series)
    found = examine(figures, question, lambda *_: None).findings
    assert "series" in {one.method for one in found}  # judged over both months
    bound = max(one.delta.upper for one in found if one.atom.groups[0][0][0] == "a")
    return _truth(stays, float(rate), float(step), scale), bound


def _truth(stays, rate, step, scale):
    most, factor = 0.0, math.e
    for own in stays:
        law = np.pad(many({stay: n - (stay == own) for stay, n in stays.items()}, rate, [step]), ((1, 1), (40, 40)))
        if scale is not None:
            noise = np.exp(-np.abs(np.arange(-38, 39)) / float(scale))
            law = np.array([np.convolve(row, noise / noise.sum(), mode="same") for row in law])
        for by in [(1, 0), (0, 1), (1, 1)]:
            if all(not there or own[0] <= month <= own[1] for month, there in enumerate(by, 1)):
                other = np.roll(law, by, (0, 1))
                most = max(most, np.maximum(law - factor * other, 0).sum(), np.maximum(other - factor * law, 0).sum())
    return most


@pytest.mark.slow
def test_a_ward_of_two_months_is_judged_no_better_than_the_truth():
    found = [small(random.Random(seed)) for seed in range(repetitions(12, 200))]
    assert all(truth <= bound + 1e-4 for truth, bound in found)  # noise that is cut off at 38
    assert any(bound < 0.2 for _, bound in found)


def _announced(seconds: float | None = None, **changes):
    """A decision on a series in which everybody changes soon."""
    keys = copy.deepcopy(specimens()["series"].keys) | {"figures": [NOISY]}
    keys["series"] |= changes
    return decide(keys, pd.DataFrame(specimens()["series"].table), margins=False, seconds=seconds)


NOISY = {"name": "ill", "kind": "count", "where": {"ill": "yes"}, "noise": {"geometric": 60}}


def test_looking_ahead_ends_where_people_can_no_longer_be_counted() -> None:
    (told,) = _announced(editions=120, joins="1").outlook()
    assert "the first 25 of the 120 editions that are announced" in told  # 400 people doubled 24 times


def test_looking_ahead_takes_no_longer_than_it_may() -> None:
    (told,) = _announced(seconds=0, editions=12).outlook()
    assert told.startswith("There was no time to look ahead")


@pytest.mark.slow
def test_who_was_there_in_which_edition_is_hidden_too(tmp_path):
    """A spell of absence; the sizes of who came and left are declared, and the plain number of people is refused."""
    public = {"since": {"bounds": [1, 2]}, "until": {"bounds": [1, 3]}}
    for month in (1, 2):
        people = table(month).replace({"until": {99: 3}})
        there = people.groupby(["since", "until"]).size()
        cells = {s: {u: int(there.get((s, u), 0)) * 9 // 10 for u in (1, 2, 3)} for s in (1, 2)}
        secret = {"secret": "presence", "sizes": {"by": ["since", "until"], "cells": cells}, "public": public}
        decision = dl.decide(spec(month, **secret), people, ledger=tmp_path / "ledger.sqlite", margins=False)
        assert decision.verdict == "pass"
        dl.release_folder(decision.within(0), tmp_path / str(month))
        content = (tmp_path / str(month) / "certificate.json").read_bytes()
        assert recheck(content).code == 0
    document = json.loads(content)
    assert document["secret"] == "presence" and [0] in document["series"]["strata"][0]["facts"]
    for stratum in document["series"]["strata"]:
        stratum["facts"].remove([0])
        stratum["laws"] = [[[vector, chance] for vector, chance in law if vector != [0]] for law in stratum["laws"]]
    document["sha256"] = own_hash(document)
    assert any("absence is not one of the facts" in why for why in recheck(json.dumps(document).encode()).refused)
    plainly = {"figures": [*spec(2)["figures"], {"name": "all", "kind": "count"}]}
    told = dl.decide(spec(2, **secret, **plainly), people, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert told.verdict != "pass"
