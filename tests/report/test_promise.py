"""The report says which definition its claim is one of, and what follows from it."""

import pandas as pd
import pytest

import dalenius as dl
from dalenius.plan.promise import promised

SPEC = {
    "person": "id",
    "confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 9]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 9": 1}, "source": "a survey"},
    },
    "attacker": {"knows": 0, "source": "nobody is known"},
    "target": {"epsilon": "1", "delta": "1e-6"},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
}
INCOME = [{"name": "incomes", "kind": "sum", "column": "income"}]
NOISE = [{**SPEC["figures"][0], "noise": {"geometric": 1}}]
HOME = {"column": "home", "weight": "0.5", "source": "a panel"}


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        ({}, ["noiseless privacy", "does not follow", "implies distributional", "more than 0.4"], []),
        ({"attacker": {"knows": 5, "source": "five"}}, ["noiseless privacy"], ["distributional"]),
        ({"figures": NOISE}, ["The noise by itself gives differential privacy", "one record"], ["not differential"]),
        ({"figures": INCOME, "secret": {"within": {"income": 1}}}, ["Pufferfish", "less than 4 apart"], ["noiseless"]),
        ({"together": HOME}, ["Pufferfish", "any one household, of up to 2"], ["noiseless"]),
        ({"together": HOME, "figures": NOISE, "target": {"epsilon": "2", "delta": "1e-6"}}, ["one household"], []),
        ({"secret": "presence", "sizes": {"cells": 1900}}, ["Pufferfish", "is in the data"], ["noiseless"]),
    ],
)
def test_the_definition_is_named(tmp_path, changes, said, unsaid):
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "home": [i // 2 for i in range(2000)]})
    table["income"] = [i % 10 for i in range(2000)]
    found = dl.decide({**SPEC, **changes}, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert found.verdict == "pass"
    told = " ".join(promised(found.as_specified, found.question))
    assert all(words in told for words in said), told
    assert not any(words in told for words in unsaid), told


def test_the_page_says_it_and_what_fails_promises_nothing(tmp_path):
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "income": [1] * 2000})
    found = dl.decide(SPEC, table, ledger=tmp_path / "ledger.sqlite")
    assert b"Which promise is this?" in found.html()
    few = dl.decide(SPEC, table[:10], ledger=tmp_path / "other.sqlite", margins=False)
    assert promised(few.as_specified, few.question) == []
