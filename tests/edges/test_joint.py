"""A belief about several columns, from the specification to the certificate, the ledger and both verifiers."""

import json
from fractions import Fraction

import numpy as np
import pytest

from certificates.tampering import resealed
from dalenius.record.certificate.recheck import recheck
from dalenius_checker.__main__ import examined
from dalenius_checker.document import RefusedError, read
from edges.desk import dalenius, spec

TABLE = {"flu": {"yes": "0.25", "no": "0.15"}, "none": {"yes": "0.1", "no": "rest"}}
LIST = [
    {"diagnosis": "flu", "smoker": "yes", "probability": "0.25"},
    {"diagnosis": "none", "smoker": "no", "probability": "1/2"},
    {"diagnosis": "flu", "smoker": "no", "probability": "0.15"},
    {"diagnosis": "none", "smoker": "yes", "probability": "rest"},
]
COUNTS = "diagnosis,smoker,count\nflu,yes,2500\nflu,no,1500\nnone,yes,1000\nnone,no,5000\n"
WIDE = "diagnosis,yes,no,total\nflu,2500,1500,4000\nnone,1000,5000,6000\n"
PERCENT = (
    "smoker;percent;base;diagnosis\nyes;25.00;10000;flu\nno;15.00;10000;flu\nyes;10.00 %;10000;none\nno;50;10000;none\n"
)
CROSSTAB = {"name": "people", "kind": "count", "by": ["diagnosis", "smoker"]}
N = 600


def together(belief=None, **changes):
    belief = {"columns": ["diagnosis", "smoker"], "source": "a survey", **(belief or {"probabilities": TABLE})}
    return spec(
        public={"region": ["north", "south"]},
        confidential={"diagnosis": ["flu", "none"], "smoker": ["yes", "no"]},
        **{"beliefs": [belief], "figures": [CROSSTAB], "target": {"epsilon": 1, "delta": "1e-3"}, **changes},
    )


def patients(n: int = N) -> dict[str, list]:
    dice = np.random.default_rng(7)
    pairs = np.array([("flu", "yes"), ("flu", "no"), ("none", "yes"), ("none", "no")])
    rows = pairs[dice.choice(4, n, p=[0.25, 0.15, 0.1, 0.5])]
    return {
        "id": [f"P{place:05d}" for place in range(n)],
        "region": dice.choice(["north", "south"], n).tolist(),
        "diagnosis": rows[:, 0].tolist(),
        "smoker": rows[:, 1].tolist(),
    }


APART = "confidential columns are independent of each other"


@pytest.mark.parametrize("table", [TABLE, LIST])
def test_a_crosstab_passes_by_a_joint_belief_and_independence_is_not_assumed(desk, table):
    answer = desk.check(together({"probabilities": table}), patients())
    told = " ".join(answer.out.split())
    assert (answer.code, answer.err) == (0, "")
    assert "the stated probabilities of diagnosis and smoker (source: a survey)" in told
    assert APART not in told


def test_without_one_independence_is_assumed_and_printed(desk):
    alone = {
        "diagnosis": {"probabilities": {"flu": "0.4", "none": "rest"}, "source": "x"},
        "smoker": {"probabilities": {"yes": "0.35", "no": "rest"}, "source": "x"},
    }
    answer = desk.check(together(beliefs=alone), patients())
    assert answer.code == 0
    assert f"{APART}, given the public ones" in " ".join(answer.out.split())


@pytest.mark.slow
def test_a_third_column_is_independent_of_both_and_that_is_said(desk):
    content = together()
    content["confidential"]["income"] = {"unit": 1, "bounds": [0, 3]}
    content["beliefs"].append({"columns": "income", "probabilities": {"0 to 3": 1}, "source": "y"})
    content["figures"].append({"name": "income", "kind": "sum", "column": "income"})
    answer = desk.check(content, {**patients(), "income": [1] * N})
    told = " ".join(answer.out.split())
    assert f"{APART}, given the public ones, but for diagnosis and smoker" in told


@pytest.mark.parametrize("text", [COUNTS, WIDE, PERCENT])
def test_public_counts_of_both_columns_in_common_shapes(desk, text):
    (desk.folder / "survey.csv").write_text(text, encoding="utf-8")
    belief = {"counts": "survey.csv", "confidence": "0.999", "columns": ["diagnosis", "smoker"], "source": "open file"}
    answer = desk.check(together(belief), patients(), "--json")
    assert answer.code == 0, answer
    (found,) = answer.json["beliefs"]
    assert (found["column"], found["beside"]) == ("diagnosis", ["smoker"])
    (cell,) = found["cells"]
    assert abs(Fraction(cell["probabilities"]["flu, yes"]) - Fraction(1, 4)) < Fraction(1, 100)
    assert Fraction(22, 100) < Fraction(cell["at_least"]["flu, yes"]) < Fraction(1, 4)


def test_by_a_public_column(desk):
    belief = {"by": "region", "cells": {"north": TABLE, "south": LIST}}
    assert desk.check(together(belief), patients()).code == 0


@pytest.mark.slow
def test_the_release_is_certified_recorded_and_confirmed_by_both_verifiers(desk):
    assert desk.release(together(), patients(), "--seconds", 0).code == 0
    raw = (desk.folder / "out" / "certificate.json").read_bytes()
    assert json.loads(raw)["beliefs"][0]["beside"] == ["smoker"]
    assert dalenius("verify", desk.folder / "out" / "certificate.json").code == 0
    assert examined(read(raw)) == []
    margin = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}
    alone = {"smoker": {"probabilities": {"yes": "0.35", "no": "rest"}, "source": "x"}}
    again = dalenius("check", desk.put(together(figures=[margin]), patients()), "--seconds", 0)
    assert again.code == 0, again
    other = dalenius("check", desk.put(together(figures=[margin], beliefs=alone), patients()), "--seconds", 0)
    assert other.code == 3
    assert "together with another column of which something else is stated now" in " ".join(other.out.split())


@pytest.mark.slow
def test_a_certificate_that_takes_the_columns_apart_is_refused(desk):
    margins = [
        {"name": "flu", "kind": "count", "where": {"diagnosis": "flu"}},
        {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}},
    ]
    alone = {
        "diagnosis": {"probabilities": {"flu": "0.4", "none": "rest"}, "source": "x"},
        "smoker": {"probabilities": {"yes": "0.35", "no": "rest"}, "source": "x"},
    }
    assert desk.release(together(figures=margins, beliefs=alone), patients(), "--seconds", 0).code == 0
    document = json.loads((desk.folder / "out" / "certificate.json").read_bytes())
    first, second = document["beliefs"]
    forged = {**document, "beliefs": [{**first, "beside": [second["column"]]}]}
    forged["assumes"] = [line for line in document["assumes"] if not line.startswith(APART)]
    raw = resealed(forged)
    assert any("of one belief" in problem for problem in recheck(raw).refused)
    with pytest.raises(RefusedError, match="figures of one belief are in parts that are independent"):
        examined(read(raw))


@pytest.mark.parametrize(
    ("belief", "says"),
    [
        (
            {"probabilities": {"flu": TABLE["flu"], "none": {"no": "0.6"}}},
            "none for diagnosis none, smoker yes. Add it",
        ),
        ({"probabilities": LIST[:3]}, "none for diagnosis none, smoker yes"),
        ({"probabilities": [*LIST, LIST[0]]}, "there are two for diagnosis flu, smoker yes"),
        ({"probabilities": {"flu": "0.4", "none": "0.6"}}, "an entry for each value of smoker"),
        ({"probabilities": {**TABLE, "flu": {"yes": "0.9", "no": "0.9"}}}, "at least 0, but that of diagnosis none"),
        ({"probabilities": {**TABLE, "none": {"yes": "0.1", "no": "0.6"}}}, "they sum to 1.1"),
        ({"probabilities": {"flu": {"yes": "rest", "no": "rest"}}}, '"rest" may stand once'),
        ({"probabilities": [{"diagnosis": "flu", "probability": 1}]}, "entry 1 needs the keys diagnosis, smoker and"),
        ({"probabilities": {"flu": {"maybe": 1}}}, "smoker needs one of"),
        ({"columns": ["diagnosis", "diagnosis"], "probabilities": TABLE}, "diagnosis stands there twice"),
        ({"columns": ["diagnosis", "region"], "probabilities": TABLE}, "needs a confidential column"),
        ({"columns": [], "probabilities": TABLE}, "columns in each entry of the list"),
    ],
)
def test_a_table_that_is_none_is_refused_in_words_that_help(desk, belief, says):
    assert says in desk.refusal(together(belief), patients(20))


def test_two_beliefs_about_one_column_are_refused(desk):
    content = together()
    content["beliefs"].append({"columns": ["smoker"], "probabilities": {"yes": "0.3", "no": "rest"}, "source": "x"})
    assert "smoker is in two of them" in desk.refusal(content, patients(20))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (WIDE.replace("4000", "4001"), "line 2: total is not the sum of the counts"),
        (WIDE.replace("1500", ""), "line 2: a count needs a whole number"),
        (PERCENT.replace("50;", "70;"), "sum to 100, but some sum to more"),
        (PERCENT.replace("10000;none", "9000;none"), "base needs one number above 0"),
        (PERCENT.replace("15.00", "secret"), "percent needs a number from 0 to 100 such as 12.5"),
        (PERCENT.replace("15.00", "115"), "but there is a larger one"),
        (PERCENT + "no;1;10000;none\n", "stands in a line above already"),
        (COUNTS.replace("smoker", "secret"), "needs the columns diagnosis, smoker, count, but 'smoker' is missing"),
        (WIDE.replace("no,", "secret,"), "needs the columns diagnosis, smoker, count"),
    ],
)
def test_a_file_of_counts_that_cannot_be_read_is_refused_without_repeating_it(desk, text, says):
    (desk.folder / "survey.csv").write_text(text, encoding="utf-8")
    belief = {"counts": "survey.csv", "confidence": "0.999"}
    told = desk.refusal(together(belief), patients(20))
    assert says in told
    assert "secret" not in told


def test_percentages_are_never_taken_for_more_than_they_may_have_been(desk):
    """25 % of 10,000, written without decimals, may have been 2,401: nothing above that share is taken as certain."""
    (desk.folder / "survey.csv").write_text(PERCENT.replace(".00", ""), encoding="utf-8")
    belief = {"counts": "survey.csv", "confidence": "0.5", "columns": ["diagnosis", "smoker"], "source": "open file"}
    (found,) = desk.check(together(belief), patients(), "--json").json["beliefs"]
    assert Fraction(found["cells"][0]["at_least"]["flu, yes"]) < Fraction(24, 100)
