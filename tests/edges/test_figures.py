"""Released figures are what pandas says they are, with noise and rounding as declared."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.desk.session import decide, publish, release_folder
from dalenius.desk.spec import SpecModel
from dalenius.enclosure.formats import in_decimals

N = 240
DICE = np.random.default_rng(11)
TABLE = pd.DataFrame(
    {
        "id": range(N),
        "region": DICE.choice(["north", "south"], N),
        "sex": DICE.choice(["f", "m"], N),
        "age": DICE.integers(18, 22, N),
        "member": DICE.choice([True, False], N),
        "smoker": DICE.choice(["no", "yes"], N),
        "change": DICE.integers(-3, 4, N) * 5,
        "price": DICE.integers(-4, 5, N) / 100,
    }
)
ANYTHING = {"epsilon": "0.5", "delta": "0.999999"}


def content(figures: list[dict], **changes) -> SpecModel:
    beliefs = {
        "smoker": {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "x"},
        "change": {"probabilities": {"-15 to 15": 1}, "source": "x"},
        "price": {"probabilities": {"-0.04 to 0.04": 1}, "source": "x"},
    }
    base = {
        "person": "id",
        "public": {
            "region": ["north", "south", "east"],
            "sex": ["f", "m"],
            "age": {"unit": 1, "bounds": [0, 120]},
            "member": [True, False],
        },
        "confidential": {
            "smoker": ["no", "yes"],
            "change": {"unit": 5, "bounds": [-15, 15]},
            "price": {"unit": "0.01", "bounds": ["-0.04", "0.04"]},
        },
        "beliefs": beliefs,
        "attacker": {"knows": 0, "source": "x"},
        "target": ANYTHING,
        "figures": figures,
    }
    return SpecModel.model_validate({**base, **changes})


def released(figure: dict, tmp_path, table: object = None) -> pd.DataFrame:
    """figures.csv, as a reader opens it."""
    release_folder(
        decide(content([figure]), TABLE if table is None else table, margins=False, seconds=0), tmp_path / "out"
    )
    return pd.read_csv(tmp_path / "out" / "figures.csv", dtype={"value": str}, keep_default_na=False)


def values(figure: dict, tmp_path) -> list[str]:
    return released(figure, tmp_path)["value"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "mask"),
    [
        ({"smoker": "yes"}, TABLE.smoker == "yes"),
        ({"smoker": ["yes", "no"]}, TABLE.id >= 0),
        ({"smoker": "yes", "sex": "f"}, (TABLE.smoker == "yes") & (TABLE.sex == "f")),
        ({"smoker": "yes", "age": {"at_least": 20}}, (TABLE.smoker == "yes") & (TABLE.age >= 20)),
        ({"change": {"at_most": -5}}, TABLE.change <= -5),
        ({"change": -10}, TABLE.change == -10),
        ({"price": "-0.03"}, TABLE.price.round(2) == -0.03),
        ({"change": {"at_least": -7, "at_most": "7.5"}}, TABLE.change.between(-7, 7.5)),
        ({"smoker": "yes", "member": True}, (TABLE.smoker == "yes") & TABLE.member),
        ({"smoker": "yes", "member": "false"}, (TABLE.smoker == "yes") & ~TABLE.member),
    ],
)
def test_counts_are_what_pandas_counts(tmp_path, where, mask):
    figure = {"name": "n", "kind": "count", "where": where}
    assert values(figure, tmp_path) == [str(int(mask.sum()))]


@pytest.mark.slow
@pytest.mark.parametrize("column", ["change", "price"])
@pytest.mark.parametrize("kind", ["sum", "mean"])
def test_sums_and_means_by_region_and_sex_are_what_pandas_says(tmp_path, column, kind):
    found = released({"name": "t", "kind": kind, "column": column, "by": ["region", "sex"]}, tmp_path)
    wanted = getattr(TABLE.groupby(["region", "sex"])[column], kind)()
    cells = [(region, sex) for region in ("north", "south", "east") for sex in ("f", "m")]
    assert list(zip(found["region"], found["sex"], strict=True)) == cells
    for cell, value in zip(cells, found["value"], strict=True):
        if cell[0] == "east":
            assert value == ("0" if kind == "sum" else "")
        else:
            assert float(value) == pytest.approx(wanted[cell], abs=1e-9)
            assert "e" not in value.lower()


@pytest.mark.slow
def test_sums_of_cents_are_exact(tmp_path):
    cents = int((TABLE.price * 100).round().sum())
    (value,) = values({"name": "t", "kind": "sum", "column": "price"}, tmp_path)
    assert Decimal(value) == Decimal(cents) / 100


@pytest.mark.slow
def test_a_sum_of_those_with_a_confidential_label_is_what_pandas_says(tmp_path):
    figure = {"name": "t", "kind": "sum", "column": "change", "where": {"smoker": "yes"}}
    assert values(figure, tmp_path) == [str(TABLE.change[TABLE.smoker == "yes"].sum())]


@pytest.mark.slow
@pytest.mark.parametrize("base", [2, 3, 7, 10])
def test_rounded_sums_are_the_nearest_multiples_and_halves_go_up(tmp_path, base):
    figure = {"name": "t", "kind": "sum", "column": "change", "by": ["region", "sex"], "round": base}
    sums = TABLE.groupby(["region", "sex"]).change.sum()
    for row in released(figure, tmp_path).itertuples():
        if row.region == "east":
            assert row.value == "0"
            continue
        value, total = int(row.value), int(sums[row.region, row.sex])
        assert value % (5 * base) == 0
        assert -Fraction(5 * base, 2) < value - total <= Fraction(5 * base, 2)


@pytest.mark.slow
def test_noise_comes_in_whole_units_and_on_every_number_anew():
    figure = {"name": "t", "kind": "sum", "column": "change", "by": ["region", "sex"], "noise": {"geometric": 50}}
    decision = decide(content([figure]), TABLE, margins=False, seconds=0)
    sums = TABLE.groupby(["region", "sex"]).change.sum()
    drawn = [
        item.value - int(sums.get(item.cell, 0)) for _ in range(5) for item in publish(decision)
    ]  # in an empty cell, too
    assert all(error % 5 == 0 for error in drawn)
    assert len(set(drawn)) > 15
    assert 20 < np.mean(np.abs(drawn)) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("noise", [{"geometric": 3}, {"gaussian": 3}, {"normal": 3}])
def test_noise_before_rounding_gives_multiples_too(noise):
    figure = {"name": "n", "kind": "count", "where": {"smoker": "yes"}, "by": "region", "noise": noise, "round": 5}
    decision = decide(content([figure]), TABLE, margins=False, seconds=0)
    drawn = {item.value for _ in range(10) for item in publish(decision)}
    assert all(value % 5 == 0 for value in drawn)
    assert len(drawn) > 3


@pytest.mark.slow
def test_noisy_figures_are_near_the_exact_ones():
    figure = {"name": "n", "kind": "count", "where": {"smoker": "yes"}, "noise": {"gaussian": 2}}
    decision = decide(content([figure]), TABLE, margins=False, seconds=0)
    drawn = [float(item.value) for _ in range(200) for item in publish(decision)]
    exact = int((TABLE.smoker == "yes").sum())
    assert abs(np.mean(drawn) - exact) < 1  # seven standard errors
    assert max(abs(value - exact) for value in drawn) < 20  # ten standard deviations


@pytest.mark.slow
def test_several_figures_share_one_file_with_a_column_for_each_public_one(tmp_path):
    figures = [
        {"name": 'smokers, "all"', "kind": "count", "where": {"smoker": "yes"}},
        {"name": "by sex", "kind": "count", "where": {"smoker": "yes"}, "by": "sex"},
        {"name": "by membership", "kind": "count", "where": {"smoker": "yes"}, "by": ["member", "region"]},
    ]
    release_folder(decide(content(figures), TABLE, margins=False, seconds=0), tmp_path / "out")
    found = pd.read_csv(tmp_path / "out" / "figures.csv", dtype=str, keep_default_na=False)
    assert list(found.columns) == ["figure", "region", "sex", "member", "value", "release"]
    assert found.figure.tolist() == ['smokers, "all"'] + ["by sex"] * 2 + ["by membership"] * 6
    whole, sexes, members = (found[found.figure == name].value.astype(int) for name in found.figure.unique())
    assert whole.sum() == sexes.sum() == members.sum() == (TABLE.smoker == "yes").sum()
    assert found.member.unique().tolist() == ["", "True", "False"]


def by_age(young: str, old: str) -> SpecModel:
    cells = {age: {"yes": young if age < 20 else old, "no": "rest"} for age in range(18, 22)}
    beliefs = {"smoker": {"by": "age", "cells": cells, "source": "x"}}
    return content([{"name": "n", "kind": "count", "where": {"smoker": "yes"}}], beliefs=beliefs)


@pytest.mark.slow
def test_a_belief_may_depend_on_a_public_number():
    decision = decide(by_age("0.4", "0.3"), TABLE, margins=False)
    assert decision.verdict == "pass"
    assert publish(decision)[0].value == (TABLE.smoker == "yes").sum()


@pytest.mark.slow
def test_no_warning_is_printed_where_some_rate_is_one_half():
    assert decide(by_age("1/2", "1/3"), TABLE, margins=False).verdict == "pass"


# Numbers as text ------------------------------------------------------------------------------------------------


@given(st.fractions(min_value=-(10**15), max_value=10**15, max_denominator=10**6))
def test_a_number_is_written_without_an_exponent_and_to_the_nearest_ten_decimals(value):
    text = in_decimals(value)
    assert set(text) <= set("-0123456789.")
    assert abs(Fraction(text) - value) <= Fraction(1, 2 * 10**10)
    assert text != "-0"


@given(st.integers(-(10**24), 10**24), st.integers(0, 10))
def test_a_number_with_up_to_ten_decimals_is_written_exactly(steps, places):
    assert Fraction(in_decimals(Fraction(steps, 10**places))) == Fraction(steps, 10**places)
