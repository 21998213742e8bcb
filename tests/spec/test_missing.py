"""Numbers that are missing: a value of its own, that adds 0; and figures that leave them out."""

import copy
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import exp

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.basics.errors import DataError, SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.record.codec import column_json, column_of

EPSILON = 0.7
SPEC = {
    "person": "id",
    "confidential": {"income": {"unit": "0.5", "bounds": ["0.5", 2], "missing": "as a value"}},
    "beliefs": {"income": {"probabilities": {"0.5 to 2": "0.8", "missing": "0.2"}, "source": "made so"}},
    "attacker": {"knows": 0, "source": "made so"},
    "target": {"epsilon": str(EPSILON), "delta": "1e-3"},
    "figures": [{"name": "income", "kind": "mean", "column": "income", "missing": "leave out of this figure"}],
}


def spec(**changes) -> dict:
    return copy.deepcopy({**SPEC, **changes})


def people(n: int = 600) -> pd.DataFrame:
    given = [None if who % 5 == 0 else 0.5 + who % 4 / 2 for who in range(n)]
    return pd.DataFrame({"id": range(n), "income": given})


@pytest.mark.slow
def test_a_mean_that_leaves_out_what_is_missing_is_a_sum_and_a_number_judged_together(tmp_path) -> None:
    decision = decide(spec(), people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert [figure.name for figure in decision.prepared.figures] == ["income (sum)", "income (number)"]
    assert len(decision.as_specified.findings) == 1 and decision.verdict == "pass"
    assert decision.notes == ["Where income is missing, that is read as the value 'missing', which adds 0 to a sum."]
    published = release_folder(decision.within(0), tmp_path / "out")
    there = people().income.dropna()
    assert [item.value for item in published] == [Fraction(there.sum()), len(there)]
    again = decide(spec(), people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert again.prepared.confidential["income"].missing == "missing" and not again.past.doubts


@pytest.mark.slow
def test_a_mean_of_those_with_a_wage_passes_among_thousands_though_wages_are_many(tmp_path) -> None:
    """Their joint law with the number of them has too many points; counts, and the sums inside them, are enough."""
    wages = {"bounds": [0, 200], "missing": "as a value"}
    likely = {"missing": "0.44", "0 to 60": "0.36", "61 to 120": "0.15", "121 to 200": "rest"}
    table = pd.DataFrame({"id": range(6000), "income": [None if n % 9 < 4 else n * 37 % 201 for n in range(6000)]})
    keys = spec(
        confidential={"income": wages},
        beliefs={"income": {"probabilities": likely, "source": "made so"}},
        target={"epsilon": 1, "delta": "1e-6"},
    )
    decision = decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass"


def test_the_ledger_keeps_that_a_number_may_be_missing() -> None:
    column = build(spec_of(spec())).confidential["income"]
    assert column_of(column_json(column)) == column
    assert "unit" not in column_json(column)  # so that older versions stop


CONDITIONS = {
    "income = missing": ["missing"],
    "income != missing": [1, 2, 3, 4],
    "income < 1.5": [1, 2],
    "not income < 1.5": [3, 4, "missing"],
    "income != 1": [1, 3, 4, "missing"],
    "not income != 1": [2],
    "not (income between 1 and 1.5)": [1, 4, "missing"],
    "income in (1, missing)": [2, "missing"],
    "income not in (1, missing)": [1, 3, 4],
    "not (income in (1, 2))": [1, 3, "missing"],
}


@pytest.mark.slow
@pytest.mark.parametrize("where", CONDITIONS)
def test_conditions_hold_of_what_is_missing_as_they_say_in_the_plan_and_in_the_engine(where: str) -> None:
    figures = [{"name": "some", "kind": "count", "where": where}, {"name": "sum", "kind": "sum", "column": "income"}]
    decision = decide(spec(figures=figures), people(), margins=False)
    columns, (figure, _) = decision.prepared.confidential, decision.prepared.figures
    values = columns["income"].values
    names = [1, 2, 3, 4, "missing"]
    adds = [figure.contribution({"income": value}, columns) for value in values]
    assert [name for name, one in zip(names, adds, strict=True) if one] == CONDITIONS[where]
    from dalenius.data import Request

    (found,) = decision.table.totals([Request("some", (), figure.where)], columns)
    given = ["missing" if pd.isna(value) else int(2 * value) for value in people().income]
    assert found[()] == sum(name in CONDITIONS[where] for name in given)


def test_truncated_sums_add_nothing_for_what_is_missing() -> None:
    figures = [{"name": "sum", "kind": "sum", "column": "income", "truncate": [1, "1.5"]}]
    decision = decide(spec(figures=figures), people(), margins=False)
    (figure,), columns = decision.prepared.figures, decision.prepared.confidential
    assert [figure.contribution({"income": value}, columns) for value in columns["income"].values] == [2, 2, 3, 3, 0]
    from dalenius.data import Request

    (found,) = decision.table.totals([Request("sum", (), term="income", within=figure.truncated)], columns)
    assert found[()] == int(2 * people().income.dropna().clip(1, 1.5).sum())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"figures": [{"name": "m", "kind": "mean", "column": "income"}]}, "income may be missing, and for whom"),
        (
            {"figures": [{"name": "c", "kind": "count", "missing": "leave out of this figure"}]},
            "is for a sum or a mean of a column that is declared",
        ),
        ({"confidential": {"income": {"bounds": [0, 2]}}}, "is for a sum or a mean of a column that is declared"),
        ({"confidential": {"income": {"bounds": [0, 2], "missing": "drop"}}}, "'as a value'"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(spec_of(spec(**changes)))
    assert says in str(caught.value)


def test_without_a_word_nothing_may_be_missing() -> None:
    changes = spec(confidential={"income": {"unit": "0.5", "bounds": ["0.5", 2]}})
    changes["beliefs"]["income"]["probabilities"] = {"0.5 to 2": 1}
    changes["figures"] = [{"name": "sum", "kind": "sum", "column": "income"}]
    with pytest.raises(DataError, match="Column 'income' must have a value in every row, but some are missing"):
        decide(changes, people(), margins=False)


# Brute force --------------------------------------------------------------------------------------------------------


@st.composite
def worlds(draw):
    low = draw(st.integers(-2, 1))
    values = [*range(low, low + draw(st.integers(1, 3))), "missing"]
    weights = draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)).filter(any))
    law = {value: Fraction(weight, sum(weights)) for value, weight in zip(values, weights, strict=True)}
    people = draw(st.integers(2, 4))
    return law, people, draw(st.integers(0, people - 1)), draw(st.sampled_from(["sum", "mean"]))


def adds(value: object, kind: str) -> tuple[int, ...]:
    total = 0 if value == "missing" else int(value)  # type: ignore[call-overload]
    return (total,) if kind == "sum" else (total, int(value != "missing"))


def truth(law: dict, people: int, known: int, kind: str) -> float:
    """Given the target's value, over all values of those who are unknown."""
    masses: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for others in product(law, repeat=people - 1 - known):
        chance = Fraction(1)
        for value in others:
            chance *= law[value]
        vectors = [adds(value, kind) for value in others]
        masses[tuple(map(sum, zip(*vectors, strict=True))) if vectors else adds("missing", kind)] += chance
    worst = 0.0
    for one, two in product(law, repeat=2):
        outcomes: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for total, chance in masses.items():
            for side, fact in enumerate((one, two)):
                moved = tuple(a + b for a, b in zip(total, adds(fact, kind), strict=True))
                outcomes[moved][side] += float(chance)
        worst = max(worst, sum(max(0.0, p - exp(EPSILON) * q) for p, q in outcomes.values()))
    return worst


def compared(world) -> tuple[float, float]:
    """The truth, and what is certified."""
    law, people, known, kind = world
    numbers = [value for value in law if value != "missing"]
    figure = {"name": "f", "kind": kind, "column": "x", "missing": "leave out of this figure"}
    decision = decide(
        {
            "person": "id",
            "confidential": {"x": {"bounds": [min(numbers), max(numbers)], "missing": "as a value"}},
            "beliefs": {"x": {"probabilities": {str(k): str(v) for k, v in law.items()}, "source": "so"}},
            "attacker": {"knows": known, "source": "so"},
            "target": {"epsilon": str(EPSILON), "delta": "1e-9"},
            "figures": [figure],
        },
        pd.DataFrame({"id": range(people), "x": [numbers[0], *[None] * (people - 1)]}),
        margins=False,
    )
    upper = max((finding.delta.upper for finding in decision.as_specified.findings), default=0.0)
    return truth(law, people, known, kind), upper


@pytest.mark.slow
@given(world=worlds())
@settings(max_examples=examples(25))
def test_what_is_judged_is_never_below_the_truth(world) -> None:
    exact, upper = compared(world)
    assert upper >= exact - 1e-9


@pytest.mark.slow
def test_what_programs_write_for_a_missing_value_is_missing_unless_it_is_a_label(tmp_path) -> None:
    given = {None: None, 0.5: "0.5", 1.0: "1", 1.5: "1.5", 2.0: "2.0"}
    marks = ["NA", "", "NaN", ".", "null"]
    income = people().income
    texts = [marks[who // 5 % 5] if pd.isna(one) else given[one] for who, one in enumerate(income)]
    pd.DataFrame({"id": range(len(texts)), "income": texts}).to_csv(tmp_path / "table.csv", index=False)
    decision = decide(spec(), tmp_path / "table.csv", ledger=tmp_path / "ledger.sqlite", margins=False)
    published = release_folder(decision.within(0), tmp_path / "out")
    assert [item.value for item in published] == [Fraction(income.dropna().sum()), len(income.dropna())]
    bare = spec(confidential={"income": {"unit": "0.5", "bounds": ["0.5", 2]}})
    bare["beliefs"]["income"]["probabilities"] = {"0.5 to 2": 1}
    bare["figures"] = [{"name": "sum", "kind": "sum", "column": "income"}]
    with pytest.raises(DataError, match=r"some are missing.*missing: as a value"):
        decide(bare, tmp_path / "table.csv", ledger=tmp_path / "bare.sqlite", margins=False)
    countries = pd.DataFrame({"id": range(400), "from": ["NA", "ZA", "", "ZA"] * 100})
    countries.to_csv(tmp_path / "countries.csv", index=False)
    declared = {
        **SPEC,
        "confidential": {"from": {"values": ["NA", "ZA"], "missing": "as a value"}},
        "beliefs": {"from": {"probabilities": {"NA": "0.3", "ZA": "0.4", "missing": "rest"}, "source": "made so"}},
        "figures": [{"name": "people", "kind": "count", "by": ["from"]}],
    }
    decision = decide(declared, tmp_path / "countries.csv", ledger=tmp_path / "other.sqlite", margins=False)
    assert [item.value for item in release_folder(decision.within(0), tmp_path / "countries")] == [100, 200, 100]


def test_the_rest_may_be_spread_over_a_range() -> None:
    beliefs = {"income": {"probabilities": {"missing": "0.2", "0.5 to 2": "rest"}, "source": "made so"}}
    spread, written = (build(spec_of(one)).beliefs[0].table[()] for one in (spec(beliefs=beliefs), spec()))
    assert dict(spread) == dict(written)
