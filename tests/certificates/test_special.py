"""Samples and beliefs about all records at once: from a specification to the certificate, the ledger and bad input."""

import json

import pandas as pd
import pytest
import yaml

from dalenius.basics.errors import SpecError
from dalenius.desk.spec import build, spec_of
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius

CHAIN = {
    "order": "day",
    "start": {"yes": "0.3", "no": "rest"},
    "moves": {"yes": {"yes": "0.5", "no": "rest"}, "no": {"yes": "0.2", "no": "rest"}},
    "source": "a panel",
}
SCENARIOS = {
    "nobody_knows": [
        {"weight": "0.5", "probabilities": {"yes": "0.3", "no": "rest"}},
        {"weight": "0.5", "probabilities": {"yes": "0.35", "no": "rest"}},
    ],
    "source": "two surveys",
}
SAMPLE = {"of": 20_000, "design": "simple", "source": "the protocol"}
IID = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a census"}
SMOKERS = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}
SPEC = {
    "data": "people.csv",
    "person": "id",
    "public": {"region": ["north", "south"]},
    "confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 40]}},
    "beliefs": {"smoker": IID},
    "attacker": {"knows": 0, "source": "nobody was asked"},
    "target": {"epsilon": 3, "delta": "1e-3"},
    "figures": [SMOKERS],
}
KINDS = {
    "sample": {"sample": SAMPLE},
    "chain": {"beliefs": {"smoker": CHAIN}},
    "scenarios": {"beliefs": {"smoker": SCENARIOS}},
}


@pytest.fixture
def room(tmp_path):
    rows = range(200)
    pd.DataFrame(
        {
            "id": rows,
            "region": [("north", "south")[k % 2] for k in rows],
            "day": rows,
            "smoker": [("yes", "no", "no")[k % 3] for k in rows],
            "income": [k % 41 for k in rows],
        }
    ).to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def write(room, given, name="release.yaml"):
    (room / name).write_text(yaml.safe_dump({**SPEC, **given}, sort_keys=False), encoding="utf-8")
    return room / name


def released(room, given, out="out"):
    told = dalenius("release", write(room, given), "-o", room / out, "--seconds", 0)
    assert told.code == 0, told.out + told.err
    return room / out / "certificate.json"


def refused(path):
    return recheck(path.read_bytes()).refused, run([str(path)])[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_that_was_changed_is_confirmed_by_nobody(room, kind):
    path = released(room, KINDS[kind])
    document = json.loads(path.read_text(encoding="utf-8"))
    assert refused(path) == ((), 0)
    changes = {
        "smaller delta": lambda d: (
            d["kinds"][0].update(delta=["0", "1e-90"]) or d["claim"].update(delta_at_most="1e-90")
        ),
        "no belief": lambda d: (d.pop("believed"), d["kinds"][0]["parts"][0].pop("believed")),
        "other people": lambda d: d["believed"][0].update(
            {"people": 100_000} if "people" in d["believed"][0] else {"members": [[0, 70_000], [1, 30_000]]}
        ),
        "other amounts": lambda d: d["believed"][0].update({"adds" if "adds" in d["believed"][0] else "facts": [0, 3]}),
        "other words": lambda d: d.update(assumes=[line for line in d["assumes"] if "records are" not in line][1:]),
    }
    for what, change in changes.items():
        forged = json.loads(json.dumps(document))
        change(forged)
        forged.pop("sha256")
        place = room / "forged.json"
        place.write_bytes(sealed(forged))
        again, code = refused(place)
        assert again, what
        assert what == "other words" or code != 0, what


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"sample": SAMPLE}, {}, "sample"),
        ({"sample": SAMPLE}, {"sample": {**SAMPLE, "of": 200_000}}, "Write sample as before"),
        ({"beliefs": {"smoker": CHAIN}}, {"beliefs": {"smoker": IID}}, "all records of smoker at once"),
        ({"beliefs": {"smoker": SCENARIOS}}, {"beliefs": {"smoker": CHAIN}}, "all records of smoker at once"),
    ],
)
def test_the_ledger_knows_what_a_release_rested_on(room, first, second, words):
    first, second = ({**some, "edition": {"now": "May"}} for some in (first, second))  # the rows are the same
    released(room, first)
    again = {**second, "figures": [{**SMOKERS, "name": "not smokers", "where": {"smoker": "no"}}]}
    told = dalenius("check", write(room, again), "--seconds", 0)
    assert told.code == 2
    if "sample" in second or "sample" not in first:
        assert words in " ".join(told.err.split())
    same = {**first, "figures": again["figures"]}
    told = dalenius("check", write(room, same), "--quick")
    assert told.code == 0, told.out + told.err  # who is no smoker is known from the number of smokers
    more = {**first, "figures": [{"name": "income", "kind": "sum", "column": "income"}]}
    if "sample" not in first:
        belief = {**first["beliefs"], "income": {"probabilities": {"0 to 40": 1}, "source": "tax tables"}}
        assert dalenius("check", write(room, {**more, "beliefs": belief}), "--quick").code == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sample": {**SAMPLE, "design": "whoever answered"}}, "depends on the data"),
        ({"sample": {**SAMPLE, "design": "Bernoulli"}}, "rate"),
        ({"sample": {**SAMPLE, "rate": "0.1"}}, "rate belongs to Bernoulli"),
        ({"sample": {**SAMPLE, "design": "Bernoulli", "rate": "0.1", "taking_part": "known"}}, "taking_part: secret"),
        ({"sample": {**SAMPLE, "design": "stratified"}}, "needs by"),
        ({"sample": {**SAMPLE, "of": 0}}, "whole numbers of members"),
        ({"sample": {**SAMPLE, "of": {"north": 10}, "by": "region", "design": "stratified"}}, "every stratum"),
        ({"sample": SAMPLE, "secret": "presence", "sizes": {"cells": 100}}, "not judged with secret"),
        ({"sample": SAMPLE, "figures": [{**SMOKERS, "by": "region"}]}, "needs to be by the public columns"),
        ({"sample": SAMPLE, "figures": [{"name": "m", "kind": "mean", "column": "income"}]}, "Publish the sum"),
        ({"beliefs": {"smoker": {**CHAIN, "moves": {"yes": {"yes": 1}}}}}, "every value of smoker"),
        ({"beliefs": {"smoker": {key: CHAIN[key] for key in ("order", "source", "start")}}}, "needs start"),
        ({"beliefs": {"smoker": {**IID, "start": {"yes": 1}}}}, "belongs to order"),
        ({"beliefs": {"smoker": {**CHAIN, "weight": "0.5"}}}, "Remove one"),
        ({"beliefs": {"smoker": {**CHAIN, "order": {"column": "day", "known": [1, 5]}}}}, "knows: 2"),
        ({"beliefs": {"smoker": {**CHAIN, "order": {"column": "day", "known": [0]}}}}, "places from 1"),
        ({"beliefs": {"smoker": CHAIN}, "secret": "presence", "sizes": {"cells": 100}}, "not judged with secret"),
        ({"beliefs": {"smoker": {"nobody_knows": SCENARIOS["nobody_knows"][:1], "source": "x"}}}, "needs 2 to"),
        ({"beliefs": {"smoker": {"variance": "0.1", "source": "x"}}}, "column of numbers"),
        ({"beliefs": {"income": {"variance": 401, "source": "x"}, "smoker": IID}}, "at most 400"),
    ],
)
def test_what_cannot_be_judged_is_said_clearly(change, words):
    with pytest.raises(SpecError, match=words):
        build(spec_of({**SPEC, **change}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sample": {**SAMPLE, "of": 19_999}}, "no whole number"),
        ({"sample": {**SAMPLE, "of": 100}}, "more rows"),
        ({"beliefs": {"smoker": {**CHAIN, "order": "week"}}}, "none of that name"),
        (
            {
                "beliefs": {"smoker": {**CHAIN, "order": {"column": "day", "known": [500]}}},
                "attacker": {"knows": 1, "source": "x"},
            },
            "place 500",
        ),
        ({"population": "sample"}, "write sample:"),
    ],
)
def test_what_does_not_fit_the_table_is_said_clearly(room, change, words):
    told = dalenius("check", write(room, change), "--quick")
    assert told.code == 2
    assert words in " ".join(told.err.split())
