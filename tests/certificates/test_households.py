"""Records that move together, from a specification to a certificate that another program confirms."""

import json

import pandas as pd
import pytest
import yaml

import dalenius as dl
from amount import spread
from dalenius.basics.errors import DataError, SpecError
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius

SPEC = {
    "data": "people.csv",
    "person": "id",
    "public": {"region": ["north", "south"], "sex": ["f", "m"]},
    "confidential": {"smoker": ["no", "yes"], "visits": {"bounds": [0, 3]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "visits": {"probabilities": {"0": "0.4", "1": "0.3", "2": "0.2", "3": "0.1"}, "source": "a survey"},
    },
    "attacker": {"knows": "0.01", "source": "a guess"},
    "target": {"epsilon": "4", "delta": "1e-4"},
    "together": {"column": "home", "weight": "0.5", "source": "household panel"},
}
SMOKERS = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}
VISITS = {"name": "visits", "kind": "sum", "column": "visits"}


def people(homes=1200):
    """Households of one, two and three, each in one region."""
    rows = []
    for home in range(homes):
        for member in range(1 + home % 3):
            person = len(rows)
            smoker, region = "yes" if person % 3 == 0 else "no", ("north", "south")[home % 2]
            rows.append((person, f"h{home}", region, "fm"[member % 2], smoker, person % 4))
    return pd.DataFrame(rows, columns=["id", "home", "region", "sex", "smoker", "visits"])


def spec(*figures, **changes):
    return {**SPEC, "figures": list(figures or [SMOKERS]), **changes}


@pytest.fixture
def room(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def write(room, given, name="release.yaml"):
    (room / name).write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
    return room / name


@pytest.mark.slow
@pytest.mark.parametrize(
    "figures",
    [
        [{**SMOKERS, "by": "region"}],
        [{**SMOKERS, "by": "sex"}],  # members of one household are in two groups
        [SMOKERS, {"name": "visits", "kind": "sum", "column": "visits"}],  # two independent columns
        [{**SMOKERS, "noise": {"geometric": 3}}],
    ],
    ids=["one group", "two groups", "two columns", "noise"],
)
def test_households_go_out_with_a_certificate_that_is_confirmed(room, figures):
    told = dalenius("release", write(room, spec(*figures)), "-o", room / "out", "--seconds", 0)
    assert told.code == 0, told.out + told.err
    assert "two facts about all records of a household" in " ".join(told.out.split())
    assert "of at least 0.5 (source: household panel)" in " ".join(told.out.split())
    verified = dalenius("verify", room / "out" / "certificate.json", "--figures", room / "out" / "figures.csv")
    assert verified.code == 0, verified.out
    code, words = run([str(room / "out" / "certificate.json"), "--figures", str(room / "out" / "figures.csv")])
    assert code == 0, words
    document = json.loads((room / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert document["together"]["largest"] == 3
    assert document["together"]["groups"] == (2 if figures[0].get("by") == "sex" else 1)


@pytest.mark.slow
def test_a_certificate_that_hides_smaller_households_or_more_of_a_record_is_refused(room):
    dalenius("release", write(room, spec()), "-o", room / "out", "--seconds", 0)
    document = json.loads((room / "out" / "certificate.json").read_text(encoding="utf-8"))
    document.pop("sha256")
    forged = [
        {**document, "together": {**document["together"], "weight": "2/5"}},
        {**document, "together": {**document["together"], "groups": 4}},
        {**document, "together": {**document["together"], "largest": 600}},
    ]
    for one in forged:
        content = sealed(one)
        assert recheck(content).refused
        (room / "forged.json").write_bytes(content)
        assert run([str(room / "forged.json")])[0] in (1, 3)
    other = sealed({key: part for key, part in document.items() if key != "together"})  # a claim about persons
    assert "assumes is not what belongs to such a claim" in recheck(other).refused


@pytest.mark.slow
def test_the_ledger_knows_that_records_moved_together(room):
    assert dalenius("release", write(room, spec()), "-o", room / "out", "--seconds", 0).code == 0
    more = {"name": "visits", "kind": "sum", "column": "visits"}
    alone = spec(more)
    alone.pop("together")
    told = dalenius("check", write(room, alone), "--seconds", 0)
    assert told.code == 2 and "together: when R1 was released, records of one home moved together" in told.err
    again = dalenius("check", write(room, spec(more)), "--seconds", 0)
    assert again.code == 0 and "in 2 shares" in " ".join(again.out.split())
    weaker = spec(more, together={**SPEC["together"], "weight": "0.6"})
    assert dalenius("check", write(room, weaker), "--quick").code == 2
    assert "household panel" in dalenius("ledger", "show", "R1").out


def test_without_a_weight_nothing_is_certified_and_the_reason_is_told():
    frame, bare = people(30), {"column": "home", "source": "nobody knows"}
    with pytest.raises(SpecError, match="an exact count is a multiple of its size for sure"):
        dl.decide(spec(together=bare), frame, margins=False)
    for weight in ("0", "1", "-0.5"):
        with pytest.raises(SpecError, match="above 0 and below 1"):
            dl.decide(spec(together={**bare, "weight": weight}), frame, margins=False)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"together": {**SPEC["together"], "column": "smoker"}}, "declared confidential"),
        ({"together": {**SPEC["together"], "column": "id"}}, "every household has one member"),
        ({"together": {**SPEC["together"], "column": "street"}}, "has none of that name"),
        ({"edition": {"now": "May"}}, "not judged with edition"),
    ],
)
def test_what_is_not_judged_with_households_is_refused(changes, told):
    with pytest.raises((SpecError, DataError), match=told):
        dl.decide(spec(**changes), people(30), margins=False)


def test_everybody_needs_a_household():
    frame = people(30)
    frame.loc[3, "home"] = None
    with pytest.raises(DataError, match="a household of their own"):
        dl.decide(spec(), frame, margins=False)


@pytest.mark.slow
def test_few_households_are_not_enough_and_what_fails_is_true_of_one_person(tmp_path):
    decision = dl.decide(spec(), people(12), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "fail"
    alone = spec()
    alone.pop("together")
    plainly = dl.decide(alone, people(12), ledger=tmp_path / "other.sqlite", margins=False)
    assert decision.as_specified.findings[0].delta.lower <= plainly.as_specified.findings[0].delta.upper


@pytest.mark.slow
def test_a_remedy_hides_the_whole_household(tmp_path):
    """Noise for households of three is three times that for one person."""
    decision = dl.decide(spec(), people(12), ledger=tmp_path / "ledger.sqlite", margins=False)
    lines = [remedy.line for remedy in decision.plan.advice.remedies]
    assert "noise: {geometric: 0.75}" in lines
    for scale, verdict in (("0.75", "pass"), ("0.25", "review")):
        noisy = {**SMOKERS, "noise": {"geometric": scale}}
        assert dl.decide(spec(noisy), people(12), ledger=tmp_path / "ledger.sqlite", margins=False).verdict == verdict


@pytest.mark.slow
def test_explain_and_the_page_speak_of_households(tmp_path):
    decision = dl.decide(spec(), people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert "Where records move together" in str(dl.explain(decision))
    assert b"all records of a household" in decision.html()


HOMES = {**SPEC["together"], "households": 1100, "largest": 3}


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    spread(
        [
            {"secret": {"of": "household", "within": {"visits": "0.5"}}, "figures": [VISITS]},
            {
                "secret": {"of": "household", "members": {"smoker": {"having": "yes", "pairs": [[0, 1]]}}},
                "figures": [{**SMOKERS, "noise": {"geometric": 1}}, VISITS],
            },
            {"secret": "presence", "sizes": {"cells": 2200}, "together": HOMES, "figures": [SMOKERS, VISITS]},
        ],
        2,
    ),
)
def test_properties_of_households_and_who_is_there_go_out_with_a_confirmed_certificate(room, changes):
    told = dalenius("release", write(room, spec(**changes)), "-o", room / "out", "--seconds", 0)
    assert told.code == 0, told.out + told.err
    path = room / "out" / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    about = "a household" if changes["secret"] == "presence" else "a household that must look alike"
    verified = dalenius("verify", path, "--figures", room / "out" / "figures.csv")
    assert verified.code == 0 and about in verified.out
    code, words = run([str(path), "--figures", str(room / "out" / "figures.csv")])
    assert code == 0, words
    assert document["together"]["largest"] == 3
    assert dalenius("explain", write(room, spec(**changes))).code in (0, 3)
    assert dalenius("check", write(room, spec()), "--seconds", 0).code == 2  # another secret than before


@pytest.mark.slow
def test_more_of_a_household_than_passes_or_presence_that_is_not_said_is_refused(room):
    only = {"of": "household", "within": {"visits": "0.5"}}
    dalenius("release", write(room, spec(VISITS, secret=only)), "-o", room / "out", "--seconds", 0)
    document = json.loads((room / "out" / "certificate.json").read_text(encoding="utf-8"))
    document.pop("sha256")
    assert document["kinds"][0]["parts"][0]["changes"] == [[1, 0, 1]]
    forged = json.loads(json.dumps(document))
    forged["kinds"][0]["parts"][0]["changes"] = [[1, 1, 600]]
    for one in (forged, {key: part for key, part in document.items() if key != "near"}):
        content = sealed(one)
        assert recheck(content).refused
        (room / "forged.json").write_bytes(content)
        assert run([str(room / "forged.json")])[0] in (1, 3)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"together": HOMES}, "only for secret: presence"),
        ({"secret": "presence", "sizes": {"cells": 90}}, "Declare households"),
        ({"secret": "presence", "sizes": {"cells": 90}, "together": {**HOMES, "households": 91}}, "declare fewer"),
        ({"secret": {"within": {"visits": 1}}}, "or of: household"),
        ({"secret": {"of": "household"}}, "one property"),
        ({"secret": {"of": "household", "within": {"smoker": 1}}}, "the total of a column of numbers"),
        ({"secret": {"of": "household", "members": {"smoker": {"having": "maybe", "within": 1}}}}, "needs one of"),
        ({"secret": {"of": "household", "members": {"smoker": {"having": "yes"}}}}, "one of within, intervals"),
        ({"secret": {"of": "household", "within": {"visits": 1}}, "together": "nobody"}, "needs together"),
        ({"secret": {"members": {"smoker": {"having": "yes", "within": 1}}}, "together": "nobody"}, "of: household"),
    ],
)
def test_what_cannot_be_meant_of_a_household_is_explained(changes, told):
    with pytest.raises(SpecError, match=told):
        dl.decide(spec(**changes), people(30), margins=False)


@pytest.mark.parametrize(
    ("homes", "told"), [({"households": 61}, "at least 61"), ({"largest": 2}, "at most 2"), ({}, "at most 1")]
)
def test_declared_households_are_compared_with_the_table_before_anything_goes_out(tmp_path, homes, told):
    by = {"by": ["sex"], "cells": {"f": 60, "m": 40}} if not homes else {"cells": 100}
    declared = {"f": 20, "m": 10} if not homes else 50
    figure = {**SMOKERS, "by": "sex"} if not homes else SMOKERS
    given = spec(
        {**figure, "noise": {"geometric": 20}},
        secret="presence",
        sizes=by,
        together={**SPEC["together"], "households": declared, "largest": 3, **homes},
    )
    decision = dl.decide(given, people(60), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass"
    with pytest.raises(DataError, match=told):
        dl.publish(decision)
