"""The guard judges what would be published: figures of this edition, written out, of people whom it can count. Where
records are no independent ones of stated laws it leaves the answer to a decision.
"""

import pandas as pd
import pytest

import dalenius as dl
from dalenius.basics.errors import SpecError

ILL = {"name": "ill", "kind": "count", "where": {"ill": "yes"}}
SPEC = {
    "person": "id",
    "confidential": {"ill": ["no", "yes"]},
    "beliefs": {"ill": {"probabilities": {"yes": "0.4", "no": "rest"}, "source": "a survey"}},
    "attacker": {"knows": 3, "source": "the ward"},
    "target": {"epsilon": 1, "delta": "1e-3"},
}


def edition(month, *figures, **more):
    return {
        **SPEC,
        "public": {"since": {"bounds": [1, 99]}, "until": {"bounds": [1, 99]}, "ward": ["a", "b"]},
        "edition": {"now": month, "since": "since", "until": "until"},
        "figures": list(figures),
        **more,
    }


def editions():
    """3,000 persons from the first edition on, two from the second, 2,000 from the third."""
    since = [1] * 3000 + [2] * 2 + [3] * 2000
    people = range(len(since))
    return pd.DataFrame(
        {
            "id": people,
            "since": since,
            "until": 99,
            "ward": ["ab"[at % 2] for at in people],
            "ill": [("yes", "no", "no")[at % 3] for at in people],
        }
    )


def release(spec, table, ledger, folder):
    decision = dl.decide(spec, table, ledger=ledger, margins=False)
    assert decision.verdict == "pass"
    dl.release_folder(decision, folder)


@pytest.fixture(scope="module")
def first_is_out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("editions")
    release(edition(1, ILL), editions(), folder / "ledger.sqlite", folder / "1")
    return folder / "ledger.sqlite"


HARMLESS = {"name": "late", "kind": "count", "where": {"ill": "yes", "since": {"at_least": 50}}}


@pytest.mark.slow
def test_a_question_is_about_the_people_of_this_edition(first_is_out):
    """Two persons joined. With all who are in the table by now it would be 2,002."""
    guard = dl.Guard(edition(2, HARMLESS), editions(), ledger=first_is_out)
    answer = guard.may({**ILL, "name": "ill now"})
    assert answer.verdict == "fail"
    assert answer.json()["witness"]["people"] == 2
    assert dl.decide(edition(2, ILL), editions(), ledger=first_is_out, margins=False).verdict == "fail"
    assert dl.Guard(edition(3, HARMLESS), editions(), ledger=first_is_out).may(ILL).verdict == "pass"
    assert dl.decide(edition(3, ILL), editions(), ledger=first_is_out, margins=False).verdict == "pass"


@pytest.mark.slow
def test_next_questions_are_about_the_people_of_this_edition(first_is_out):
    def smallest(month):
        guard = dl.Guard(edition(month, HARMLESS), editions(), ledger=first_is_out)
        found = guard.next(seconds=30, most=1000)
        assert found.questions.complete
        return [(each.people, each.finding.atom.size) for each in found.questions.found]

    assert (3002, 2) in smallest(2)
    assert max(people for people, _ in smallest(2)) <= 3002
    assert (5002, 2) not in smallest(3)


SERIES = {"editions": 3, "changes": {"ill": "0.05"}, "joins": "0.02", "leaves": "0.02", "source": "last year"}


@pytest.mark.slow
def test_beside_other_editions_of_a_series_only_a_decision_says(tmp_path):
    ledger, table = tmp_path / "ledger.sqlite", editions()
    release(edition(1, ILL, series=SERIES), table, ledger, tmp_path / "1")
    ward = {**ILL, "name": "ward a", "where": {"ill": "yes", "ward": "a"}}
    for month in (1, 2, 3):
        guard = dl.Guard(edition(month, HARMLESS, series=SERIES), table, ledger=ledger)
        for figure in (ILL, ward):
            asked = guard.may(figure).verdict
            assert asked == ("pass" if month == 1 else "review")
            if month == 1:
                spec = edition(month, figure, series=SERIES)
                assert dl.decide(spec, table, ledger=ledger, margins=False).verdict == "pass"


def ward(size=200, few=4):
    """Two kinds of people, of one of which there are few; homes of one, two and three."""
    rows = []
    for home in range(size):
        for member in range(1 + home % 3):
            kind = "few" if home < few and not member else "many"
            rows.append((len(rows), f"h{home}", kind, ("yes", "no", "no")[len(rows) % 3]))
    return pd.DataFrame(rows, columns=["id", "home", "kind", "ill"])


MANY = {"name": "many", "kind": "count", "where": {"ill": "yes", "kind": "many"}}
FEW = {"name": "few", "kind": "count", "where": {"ill": "yes", "kind": "few"}}
UNKNOWN = {"attacker": {"knows": 0, "source": "nobody"}}
DRAWN = {"by": "kind", "of": {"few": 500, "many": 20_000}, "source": "the protocol"}
HOMES = {"column": "home", "weight": "0.5", "source": "a panel"}
CHAIN = {
    "order": "id",
    "start": {"yes": "0.4", "no": "rest"},
    "moves": {"yes": {"yes": "0.5", "no": "rest"}, "no": {"yes": "0.3", "no": "rest"}},
    "source": "a panel",
}
SPECIAL = {
    "stratified sample": (
        {"sample": {**DRAWN, "design": "stratified"}, **UNKNOWN},
        MANY,
    ),
    "Poisson sample": (
        {"sample": {**DRAWN, "design": "Poisson", "rate": {"few": "0.5", "many": "0.04"}}, **UNKNOWN},
        MANY,
    ),
    "households": ({"together": HOMES}, MANY),
    "order": ({"beliefs": {"ill": CHAIN}, **UNKNOWN}, ILL),
}


TABLE = {
    **SPEC,
    "public": {"kind": ["many", "few"], "weight": {"bounds": [1, 2]}},
    "confidential": {"ill": ["no", "yes"], "visits": {"bounds": [0, 2], "missing": "as a value"}},
    "beliefs": {
        **SPEC["beliefs"],
        "visits": {"probabilities": {"0": "0.4", "1": "0.3", "2": "0.2", "missing": "rest"}, "source": "a survey"},
    },
    "figures": [{**ILL, "where": {"ill": "yes", "kind": "many"}}],
}


def weighted(few=3):
    table = ward()
    return table.assign(weight=[2 if at < few else 1 for at in range(len(table))], visits=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        ({"kind": "count", "where": {"ill": "yes"}, "weight": "weight"}, "fail"),  # three persons have weight 2
        ({"kind": "mean", "column": "visits", "weight": "weight", "where": "visits >= 0"}, "fail"),
        ({"kind": "mean", "column": "visits", "missing": "leave out of this figure"}, "review"),
        ({"kind": "sum", "column": "visits", "missing": "leave out of this figure"}, "review"),
        ({"kind": "median", "column": "visits", "where": "visits >= 0"}, "review"),
        ({"kind": "count", "by": "ill"}, "fail"),  # all but the few are out
        ({"kind": "percentage", "of": {"ill": "yes"}}, "fail"),
        ({"kind": "percentage", "of": {"ill": "yes"}, "where": {"kind": "many"}}, "pass"),
    ],
)
def test_a_figure_is_asked_about_as_the_numbers_that_it_is_published_with(figure, verdict, tmp_path):
    table, figure = weighted(), {"name": "asked", **figure}
    answer = dl.Guard(TABLE, table, ledger=tmp_path / "ledger.sqlite").may(figure)
    assert answer.verdict == verdict
    assert "asked" in answer.text()
    spec = {**TABLE, "figures": [*TABLE["figures"], figure]}
    assert verdict in ("review", dl.decide(spec, table, ledger=tmp_path / "none.sqlite", margins=False).verdict)


def test_nobody_is_asked_about_by_a_column_by_which_they_are_not_counted():
    """A test of such a column would be passed over: these are four persons."""
    sizes = {"by": ["region"], "cells": {"n": 400, "s": 400}}
    spec = {**SPEC, "public": {"region": ["n", "s"], "town": ["a", "b"]}, "secret": "presence", "sizes": sizes}
    towns = (["a"] * 498 + ["b"] * 2) * 2
    table = pd.DataFrame({"id": range(1000), "region": ["n"] * 500 + ["s"] * 500, "town": towns, "ill": "no"})
    guard = dl.Guard({**spec, "figures": [{**ILL, "by": "region"}]}, table)
    assert guard.may({**ILL, "name": "all"}).verdict == "pass"
    for keys in ({"where": {"ill": "yes", "town": "b"}}, {"by": "town"}):
        with pytest.raises(SpecError, match="about town, but by that column nobody is counted: sizes"):
            guard.may({**ILL, **keys})


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPECIAL)
def test_of_samples_households_and_orders_only_a_decision_says(kind, tmp_path):
    """What is out and what is asked for would together tell of four persons."""
    ledger, table, (keys, out) = tmp_path / "ledger.sqlite", ward(), SPECIAL[kind]
    spec = {**SPEC, "public": {"kind": ["many", "few"]}, "target": {"epsilon": 4, "delta": "0.01"}, **keys}
    release({**spec, "figures": [out]}, table, ledger, tmp_path / "out")
    guard = dl.Guard({**spec, "figures": [out]}, table, ledger=ledger)
    for figure in (ILL, FEW) if out is MANY else (MANY, FEW):
        assert dl.decide({**spec, "figures": [out, figure]}, table, ledger=ledger, margins=False).verdict != "pass"
        assert guard.may(figure).verdict != "pass"


def test_a_table_that_was_written_anew_is_read_again(tmp_path):
    """Of all who are out one has gone: the same count once more would tell of that one."""
    ledger, table = tmp_path / "ledger.sqlite", ward()
    spec = {**SPEC, "public": {"kind": ["many", "few"]}, "figures": [ILL]}
    table.to_csv(tmp_path / "people.csv", index=False)
    release(spec, tmp_path / "people.csv", ledger, tmp_path / "out")
    guard = dl.Guard(spec, tmp_path / "people.csv", ledger=ledger)
    assert guard.may(ILL).verdict == "pass"
    table[1:].to_csv(tmp_path / "people.csv", index=False)
    assert guard.may(ILL).verdict == "review"
    assert dl.decide(spec, tmp_path / "people.csv", ledger=ledger, margins=False).verdict == "review"
