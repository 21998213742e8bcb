"""Missing values, bins and rounding from a specification to a released table, and what is refused."""

import copy
from pathlib import Path

import pandas as pd
import pytest
import yaml

import dalenius as dl
from dalenius.basics.errors import SpecError
from dalenius.desk.spec.counts import public_counts
from dalenius.facts.records import Categories
from edges.desk import dalenius

N = 300
PEOPLE = pd.DataFrame(
    {
        "id": range(N),
        "region": [None if k % 50 == 0 else ("north", "south")[k % 2] for k in range(N)],
        "smoker": [None if k % 10 == 0 else ("yes" if k % 3 == 0 else "no") for k in range(N)],
        "age": [k % 121 for k in range(N)],
        "income": [1000 * (k % 9) + (k % 7) * 100 - 300 for k in range(N)],
    }
)
SPEC = {
    "data": "people.csv",
    "person": "id",
    "public": {"region": {"values": ["north", "south"], "missing": "as a value"}, "age": {"bins": [0, 18, 65, 120]}},
    "confidential": {
        "smoker": {"values": ["no", "yes"], "missing": "as a value"},
        "income": {"unit": 1000, "bounds": [-1000, 9000], "round": "nearest"},
    },
    "beliefs": {
        "smoker": {"probabilities": {"no": "0.6", "yes": "0.3", "missing": "0.1"}, "source": "a survey"},
        "income": {"probabilities": {"-1000 to 9000": 1}, "source": "a table"},
    },
    "attacker": {"knows": 3, "source": "a guess"},
    "target": {"epsilon": 3, "delta": "0.01"},
    "figures": [
        {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}},
        {"name": "no answer", "kind": "count", "where": {"smoker": "missing"}},
        {"name": "adults", "kind": "count", "where": {"smoker": "yes", "age": ["18 to under 65", "65 to 120"]}},
        {"name": "income", "kind": "sum", "column": "income"},
    ],
}


@pytest.mark.slow
def test_what_is_read_is_what_is_released(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(SPEC), encoding="utf-8")
    answer = dalenius(
        "release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--ledger", tmp_path / "l.sqlite", "--seconds", 0
    )
    assert answer.code == 0, answer
    found = pd.read_csv(tmp_path / "out" / "figures.csv").set_index("figure")["value"]
    assert found["smokers"] == (PEOPLE.smoker == "yes").sum()
    assert found["no answer"] == PEOPLE.smoker.isna().sum()
    assert found["adults"] == ((PEOPLE.smoker == "yes") & (PEOPLE.age >= 18)).sum()
    assert found["income"] == 1000 * ((PEOPLE.income + 500) // 1000).sum()
    assert "Where smoker is missing, that is read as the value 'missing'." in answer.out
    assert "income is rounded to the nearest multiple of 1000 when the table is read." in answer.out
    assert dalenius("verify", tmp_path / "out" / "certificate.json").code == 0
    again = dalenius("check", tmp_path / "release.yaml", "--quick", "--ledger", tmp_path / "l.sqlite")
    assert again.code == 0, again


def test_a_belief_without_a_place_for_what_is_missing_is_refused() -> None:
    wrong = copy.deepcopy(SPEC)
    wrong["beliefs"]["smoker"]["probabilities"] = {"no": "0.7", "yes": "0.2"}
    with pytest.raises(dl.InputError, match="sum to 1"):
        dl.decide(wrong, PEOPLE, margins=False)


REFUSED = {
    "nothing said": ({"values": ["no", "yes"]}, "missing: as a value"),
    "two domains": ({"values": ["a"], "bins": [0, 1]}, "one of the three, but got bins and values"),
    "no domain": ({"missing": "as a value"}, "but got none of them"),
    "rounded labels": ({"values": ["a"], "round": "nearest"}, "unit and round are for numbers"),
    "rounded down": ({"bounds": [0, 1], "round": "down"}, "'nearest'"),
    "bins that fall": ({"bins": [0, 5, 5]}, "each above the one before"),
    "one end": ({"bins": [0]}, "at least two ends"),
    "bins that do not cover": ({"bins": [0, 1]}, "as its bins say"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_so_is_refused(name: str) -> None:
    column, said = REFUSED[name]
    wrong = {**SPEC, "confidential": {**SPEC["confidential"], "smoker": column}}
    table = PEOPLE
    if name == "bins that do not cover":
        table = PEOPLE.assign(smoker=PEOPLE.age)
        wrong["beliefs"] = {**SPEC["beliefs"], "smoker": {"probabilities": {"0 to 1": 1}, "source": "x"}}
        wrong["figures"] = [{"name": "f", "kind": "count", "where": {"smoker": "0 to 1"}}]
    elif name == "nothing said":
        wrong["beliefs"] = {**SPEC["beliefs"], "smoker": {"probabilities": {"no": "0.5", "yes": "0.5"}, "source": "x"}}
        wrong["figures"] = SPEC["figures"][:1]
    with pytest.raises(dl.InputError) as problem:
        dl.decide(wrong, table, margins=False)
    assert said in str(problem.value)


# -- tables by confidential columns ------------------------------------------------------------------------------------

CROSSED = {
    **SPEC,
    "public": {"region": {"values": ["north", "south"], "missing": "as a value"}},
    "target": {"epsilon": 4, "delta": "0.05"},
    "figures": [{"name": "people", "kind": "count", "by": ["region", "smoker"]}],
}


@pytest.mark.slow
def test_a_table_by_a_confidential_column_is_all_counts_of_its_values(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(CROSSED), encoding="utf-8")
    by_hand = copy.deepcopy(CROSSED)
    by_hand["figures"] = [
        {"name": f"people (smoker {label})", "kind": "count", "by": ["region"], "where": {"smoker": label}}
        for label in ("no", "yes", "missing")
    ]
    one, two = dl.decide(CROSSED, PEOPLE, margins=False), dl.decide(by_hand, PEOPLE, margins=False)
    assert [finding.delta for finding in one.as_specified.findings] == [f.delta for f in two.as_specified.findings]
    answer = dalenius(
        "release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--ledger", tmp_path / "l.sqlite", "--seconds", 0
    )
    assert answer.code in (0, 1, 3), answer
    assert one.prepared.figures == two.prepared.figures


@pytest.mark.slow
def test_a_sum_by_a_confidential_column_and_a_condition_in_words() -> None:
    wanted = {
        **CROSSED,
        "figures": [
            {"name": "sums", "kind": "sum", "column": "income", "by": "smoker"},
            {"name": "some", "kind": "count", "by": "smoker", "where": "region = north or region = south"},
        ],
    }
    figures = dl.decide(wanted, PEOPLE, margins=False).prepared.figures
    assert [figure.name for figure in figures] == [
        f"{name} (smoker {label})" for name in ("sums", "some") for label in ("no", "yes", "missing")
    ]
    assert all(figure.by == () for figure in figures)


WRONG = {
    "numbers": ({"name": "f", "kind": "count", "by": "income"}, "income is numeric. Declare bins for it"),
    "twice": ({"name": "f", "kind": "count", "by": "smoker", "where": {"smoker": "yes"}}, "Keep one of them"),
    "a column twice": ({"name": "f", "kind": "count", "by": ["smoker", "smoker"]}, "stands there twice"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_split_so_is_refused(name: str) -> None:
    figure, said = WRONG[name]
    with pytest.raises(dl.InputError) as problem:
        dl.decide({**CROSSED, "figures": [figure]}, PEOPLE, margins=False)
    assert said in str(problem.value)


@pytest.mark.slow
def test_a_policy_may_demand_that_nothing_is_missing(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("name: the office\ncheck_missing_values: true\n", encoding="utf-8")
    with pytest.raises(dl.SpecError, match="demands that nothing is missing, but region is declared"):
        dl.decide(SPEC, PEOPLE, policy=policy, margins=False)
    policy.write_text("name: the office\ncheck_missing_values: false\n", encoding="utf-8")
    assert dl.decide(SPEC, PEOPLE, policy=policy, margins=False).verdict == "pass"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("region,yes,no,base\nn,20.0,80.0,1000\ns,25.0,75.0,400\n", ""),
        ("region,yes,no,base,total\nn,20.0,80.0,1000,100\ns,25.0,75.0,400,100\n", ""),
        ("region,yes,no,base,total\nn,20.0,80.0,1000,99\n", "total needs 100"),
        ("region,yes,no,base\nn,20.0,70.0,1000\n", "sum to 100"),
        ("region,yes,no,base\nn,20.0,80.0,0\n", "base needs"),
    ],
)
def test_percentages_of_a_base_may_stand_beside_each_other(text: str, told: str) -> None:
    columns, public = {"smoker": Categories(("no", "yes"))}, {"region": Categories(("n", "s"))}
    if told:
        with pytest.raises(SpecError, match=told):
            public_counts(text, columns, ["region"], public, "belief")
        return
    long = "region,smoker,percent,base\nn,yes,20.0,1000\nn,no,80.0,1000\ns,yes,25.0,400\ns,no,75.0,400\n"
    assert public_counts(text, columns, ["region"], public, "belief") == public_counts(
        long, columns, ["region"], public, "belief"
    )
