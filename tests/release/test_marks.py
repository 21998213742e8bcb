"""Marks of persons: the same for the same persons, wherever they are stored."""

import pandas as pd
import polars as pl
import pytest

import dalenius as dl
from dalenius.data import open_table
from dalenius.data.marks import NUMBERED
from dalenius.facts.records import Categories

PUBLIC = {"region": Categories(("north", "south"))}
REGIONS = ["north", "south", "south", "north"]
WHOLE = [7, 19, -4, 2**40]


def marks(source):
    return open_table(source).marks(["region"], person="id", public=PUBLIC)


def frame(ids, regions=REGIONS):
    return pd.DataFrame({"id": ids, "region": regions})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "int32", "int64", "uint64", "double", "text"])
def test_whole_numbers_have_the_same_marks_in_every_type(tmp_path, kind):
    ids = [7, 19, 4, 2**30]
    expected = marks(frame(ids))
    if kind == "csv":
        frame(ids).to_csv(tmp_path / "people.csv", index=False)
        source = tmp_path / "people.csv"
    else:
        types = {"int32": pl.Int32, "int64": pl.Int64, "uint64": pl.UInt64, "double": pl.Float64, "text": pl.String}
        source = pl.DataFrame({"id": ids, "region": REGIONS}).with_columns(pl.col("id").cast(types[kind]))
    assert marks(source) == expected


def test_the_order_of_rows_does_not_matter_and_every_person_does():
    method, found = marks(frame(WHOLE))
    assert method.startswith("duckdb ") and method.endswith(NUMBERED)
    assert marks(frame(WHOLE[::-1], REGIONS[::-1])) == (method, found)
    others = marks(frame([8, 19, -4, 2**40]))[1]
    assert others[("north",)] != found[("north",)] and others[("south",)] == found[("south",)]


@pytest.mark.parametrize("pair", [("007", "7"), ("7", "7.0"), ("a", "b"), ("+7", "7"), ("9" * 30, "9" * 29)])
def test_names_that_are_spelt_differently_have_different_marks(pair):
    one, two = (marks(frame([name, "x", "y", "z"]))[1] for name in pair)
    assert one[("north",)] != two[("north",)]


@pytest.mark.slow
def test_marks_of_another_method_are_not_compared_and_raise_no_alarm(tmp_path, monkeypatch):
    spec = {
        "person": "id",
        "public": {"region": ["north", "south"]},
        "confidential": {"ill": ["no", "yes"]},
        "beliefs": {"ill": {"probabilities": {"yes": "0.5", "no": "rest"}, "source": "x"}},
        "attacker": {"knows": 0, "source": "x"},
        "target": {"epsilon": 1, "delta": "0.1"},
        "figures": [{"name": "ill", "kind": "count", "where": {"ill": "yes"}}],
    }
    people = frame(range(400), ["north", "south"] * 200).assign(ill=["no", "yes"] * 200)
    dl.release_folder(dl.decide(spec, people, ledger=tmp_path / "ledger", seconds=0, margins=False), tmp_path / "one")
    assert dl.decide(spec, people, ledger=tmp_path / "ledger", margins=False).verdict == "pass"
    monkeypatch.setattr("dalenius.data.marks.NUMBERED", "otherwise")
    decision = dl.decide(spec, people, ledger=tmp_path / "ledger", margins=False)
    assert decision.verdict == "review" and "cannot be seen" in str(decision).replace("\n", " ")
