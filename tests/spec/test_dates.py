"""Dates as days, months and years: declared, compared, believed and read."""

from datetime import date

import pandas as pd
import pytest

from dalenius.basics.errors import DataError, InputError, SpecError
from dalenius.data import Request, open_table
from dalenius.desk.session import decide
from dalenius.desk.spec import build, spec_of
from dalenius.desk.spec.build import declared
from dalenius.desk.spec.conditions import where_of
from dalenius.desk.spec.model import DomainModel
from dalenius.facts.dates import date_label, date_labels
from dalenius.facts.records import Categories

SPEC = {
    "person": "id",
    "public": {"born": {"unit": "year", "bins": [1940, 1970, 2000]}},
    "confidential": {"admitted": {"unit": "month", "bounds": ["2020-11", "2021-03"], "missing": "as a value"}},
    "beliefs": {
        "admitted": {"probabilities": {"2020-11 to 2020-12": "0.5", "2021": "0"}, "source": "so"},
    },
    "attacker": {"knows": 0, "source": "so"},
    "target": {"epsilon": 1, "delta": "1e-3"},
    "figures": [{"name": "early", "kind": "count", "where": "admitted < 2021", "by": "born"}],
}
MONTHS = ["2020-11", "2020-12", "2021-01", "2021-02", "2021-03"]


def column(**keys) -> Categories:
    return declared("admitted", DomainModel.model_validate(keys))


def test_every_date_between_two() -> None:
    assert column(unit="month", bounds=["2020-11", "2021-03"]).values == tuple(MONTHS)
    days = date_labels("2019-12-31", "2021-01-01", "day")
    assert list(days) == [str(day.date()) for day in pd.date_range("2019-12-31", "2021-01-01")]
    assert column(unit="year", bounds=[1999, "2001"]).values == ("1999", "2000", "2001")
    found = column(unit="day", bins=["2020-01-01", "2020-03-01", "2020-12-31"])
    assert found.values == ("2020-01-01 to 2020-02-29", "2020-03-01 to 2020-12-31")


@pytest.mark.parametrize("wrong", ["2023-02-29", "2023-2-1", "2023-13-01", "0999-01-01", "2023", "canary", "20230101"])
def test_what_is_no_date_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="A day is written as 2024-03-31"):
        date_label(wrong, "day")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"unit": "month", "bounds": ["2021-03", "2020-11"]}, "from the earlier to the later"),
        ({"unit": "day", "bounds": ["1900-01-01", "2020-01-01"]}, "at most 10000 dates"),
        ({"unit": "month", "bins": ["2020-01", "2020-01"]}, "each after the one before"),
        ({"unit": "month", "bounds": ["2020-01", "2020-12"], "bins": ["2020-02", "2020-12"]}, "cover the bounds"),
        ({"bounds": [0, 120], "bins": [0, 18, 65]}, "bins need to cover the bounds, 0 to 120, but reach from 0 to 65"),
        ({"unit": "month", "values": ["a"]}, "needs bounds or bins"),
    ],
)
def test_declarations_that_cannot_be_meant(keys: dict, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        column(**keys)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("admitted < 2021", MONTHS[:2]),
        ("admitted <= 2021", MONTHS),
        ("admitted > 2020-12", MONTHS[2:]),
        ("not admitted > 2020-12", [*MONTHS[:2], "missing"]),
        ("admitted between 2020-12 and 2021-02", MONTHS[1:4]),
        ("not (admitted between 2020-12 and 2021-02)", [MONTHS[0], MONTHS[4], "missing"]),
        ("admitted != 2021-01", [*MONTHS[:2], *MONTHS[3:], "missing"]),
        ({"admitted": {"at_least": "2021-02"}}, MONTHS[3:]),
        ({"admitted": ["2020-11", "missing"]}, ["2020-11", "missing"]),
    ],
)
def test_conditions_on_dates(where: object, kept: list[str]) -> None:
    from dalenius.desk.spec.model import FigureModel

    columns = {"admitted": column(unit="month", bounds=["2020-11", "2021-03"], missing="as a value")}
    given = FigureModel.model_validate({"name": "f", "kind": "count", "where": where}).where
    found = where_of(given, {}, columns, "f")
    assert [label for label in columns["admitted"].values if found.holds({"admitted": label})] == kept


@pytest.mark.slow
def test_a_table_by_dates_is_decided_and_read() -> None:
    keys = {**SPEC}
    keys["beliefs"] = {
        "admitted": {
            "probabilities": {"2020-11 to 2020-12": "0.5", "2021-01 to 2021-03": "0.3", "missing": "0.2"},
            "source": "so",
        }
    }
    table = pd.DataFrame(
        {
            "id": range(600),
            "born": [f"{1940 + k % 61}-0{1 + k % 9}-15" for k in range(600)],
            "admitted": [None if k % 6 == 5 else f"{MONTHS[k % 5]}-0{1 + k % 9}T10:00" for k in range(600)],
        }
    )
    decision = decide(keys, table, margins=False)
    assert decision.verdict == "pass"
    assert "admitted is read by month." in decision.notes
    (answer,) = decision.table.totals(
        [Request("early", ("born",), decision.prepared.figures[0].where)],
        {**decision.prepared.public, **decision.prepared.confidential},
    )
    early = table[table.admitted.fillna("9").str[:4] == "2020"].born.str[:4].astype(int)
    assert answer == {("1940 to 1969",): int((early < 1970).sum()), ("1970 to 2000",): int((early >= 1970).sum())}


@pytest.mark.parametrize("bad", ["canary7391", "2021-02-30", "31.12.2020", "2020-12-31x", "2019-01-01"])
def test_dates_that_cannot_be_read_are_refused_and_not_repeated(bad: str) -> None:
    table = open_table(pd.DataFrame({"id": [1, 2], "admitted": ["2020-12-01", bad]}))
    admitted = column(unit="month", bounds=["2020-11", "2021-03"])
    with pytest.raises(DataError, match="Column 'admitted' must hold dates") as caught:
        table.check(person="id", public={}, confidential={"admitted": admitted})
    assert bad not in str(caught.value)


@pytest.mark.parametrize(
    "stored",
    [
        [date(2020, 12, 31), date(2021, 2, 1)],
        [pd.Timestamp(2020, 12, 31, 23), pd.Timestamp(2021, 2, 1)],
        ["2020-12-31", "2021-02-01 00:00:00"],
        ["2020-12", "2021-02"],
    ],
)
def test_dates_are_read_however_they_are_stored(stored: list) -> None:
    table = open_table(pd.DataFrame({"id": [1, 2], "admitted": stored}))
    columns = {"admitted": column(unit="month", bounds=["2020-11", "2021-03"])}
    table.check(person="id", public={}, confidential=columns)
    assert table.groups(["admitted"], public=columns) == {("2020-12",): 1, ("2021-02",): 1}


def test_times_with_a_zone_and_numbers_are_no_dates() -> None:
    columns = {"admitted": column(unit="month", bounds=["2020-11", "2021-03"])}
    for stored, says in (([pd.Timestamp(2020, 12, 31, tz="UTC")], "a time zone"), ([1.5], "its type is float64")):
        with pytest.raises(DataError, match=says):
            open_table(pd.DataFrame({"id": [1], "admitted": stored})).check(
                person="id", public={}, confidential=columns
            )


def test_a_belief_that_misses_a_date_is_refused() -> None:
    with pytest.raises(SpecError):
        build(spec_of(SPEC))
