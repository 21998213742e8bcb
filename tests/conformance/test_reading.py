"""Numbers rounded when they are read, bins, and missing values as a value: every engine reads the same."""

import math
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.facts.derived import Derived, PerPerson
from dalenius.facts.records import Categories, Numbers, OneOf, Where

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
N = 400
NOTHING = {5: "NA", 7: "NaN", 9: "."}  # what programs write for a missing value
UNIT = {"whole": 1000, "float": 0.5, "text": 2.5, "money": 10}
COLUMNS = {
    "whole": Numbers(Fraction(1000), Fraction(-9000), Fraction(9000), rounded=True),
    "float": Numbers(Fraction(1, 2), Fraction(-4), Fraction(4), rounded=True),
    "text": Numbers(Fraction(5, 2), Fraction(0), Fraction(20), rounded=True),
    "money": Numbers(Fraction(10), Fraction(-50), Fraction(50), rounded=True),
    "age": Categories.bins([Fraction(0), Fraction(18), Fraction(65), Fraction(120)]),
    "weight": Categories.bins([Fraction(-1), Fraction(1, 2), Fraction(3, 2)], "missing"),
    "smoker": Categories(("no", "yes", "missing"), "missing"),
    "code": Categories((1, 2, "missing"), "missing"),
}


def people(seed: int = 3) -> dict[str, list]:
    dice = np.random.default_rng(seed)
    halves = dice.integers(-8, 9, N) / 2 + dice.choice([0.0, 0.25, -0.25, 0.1], N)
    nothing = {**NOTHING, 0: None, 11: ""}
    weights = [None if k % 7 == 0 else float(x) for k, x in enumerate(dice.integers(-4, 7, N) / 4)]
    return {
        "id": list(range(N)),
        "whole": dice.integers(-9500, 9500, N).tolist(),
        "float": np.clip(halves, -4.2, 4.2).tolist(),
        "text": [str(x) for x in (dice.integers(-12, 210, N) / 10).tolist()],
        "money": [Decimal(int(x)) / 4 for x in dice.integers(-219, 219, N)],
        "age": dice.integers(0, 121, N).tolist(),
        "weight": weights,
        "smoker": [nothing.get(k % 15, str(dice.choice(["yes", "no"]))) for k in range(N)],
        "code": [None if k % 3 == 0 else int(dice.integers(1, 3)) for k in range(N)],
    }


def table(data: dict[str, list]) -> pa.Table:
    types = {"money": pa.decimal128(9, 2)}
    return pa.table({name: pa.array(values, types.get(name)) for name, values in data.items()})


def rounded(name: str, value: object) -> int:
    return math.floor(float(value) / UNIT[name] + 0.5)  # type: ignore[arg-type]


def label(name: str, value: object) -> object:
    if value is None or value in {"", *NOTHING.values()}:
        return "missing"
    if name == "age":
        return "0 to under 18" if value < 18 else "18 to under 65" if value < 65 else "65 to 120"  # type: ignore[operator]
    if name == "weight":
        return "-1 to under 0.5" if value < 0.5 else "0.5 to 1.5"  # type: ignore[operator]
    return value


def test_every_engine_reads_the_same(store) -> None:
    data = people()
    opened = open_table(**store.put(table(data)))
    opened.check(person="id", public={}, confidential=COLUMNS)
    names = list(UNIT)
    totals = opened.totals([Request(name, (), term=name) for name in names], COLUMNS)
    assert [found[()] for found in totals] == [sum(rounded(name, value) for value in data[name]) for name in names]
    for name in ("age", "weight", "smoker", "code"):
        (found,) = opened.totals([Request(name, (name,))], COLUMNS)
        assert found == {(key,): count for key, count in Counter(label(name, v) for v in data[name]).items()}
        where = Where(((name, OneOf(("missing",))),))
        (told,) = opened.totals([Request(name, (), where)], COLUMNS)
        assert told.get((), 0) == sum(label(name, value) == "missing" for value in data[name])


@pytest.mark.parametrize(
    ("name", "value"),
    [("whole", 9500), ("whole", -9501), ("float", 4.25), ("money", Decimal(55)), ("age", 121), ("age", -1)],
)
def test_what_lies_outside_is_refused(store, name: str, value: object) -> None:
    data = people()
    data[name] = [value, *data[name][1:]]
    with pytest.raises(DataError, match=f"Column '{name}' must hold") as problem:
        open_table(**store.put(table(data))).check(person="id", public={}, confidential=COLUMNS)
    assert str(value) not in str(problem.value).replace("from 0 to 120", "")


def test_where_nothing_is_said_nothing_may_be_missing(store) -> None:
    columns = {**COLUMNS, "smoker": Categories(("no", "yes"))}
    with pytest.raises(DataError, match="missing: as a value"):
        open_table(**store.put(table(people()))).check(person="id", public={}, confidential=columns)


def test_missing_numbers_add_nothing_and_are_a_value(store) -> None:
    owed = [None if k % 7 == 0 else float(k % 5) - 2 for k in range(N)]
    said = [("" if k % 2 else None) if k % 7 == 0 else str(k % 5 - 2) for k in range(N)]
    data = {"id": list(range(N)), "owed": owed, "said": said}
    column = Numbers(Fraction(1), Fraction(-2), Fraction(2), missing="missing")
    columns = {"owed": column, "said": column}
    opened = open_table(**store.put(pa.table(data)))
    opened.check(person="id", public={}, confidential=columns)
    there = Counter("missing" if value is None else Fraction(value) for value in owed)
    for name in columns:
        (total,) = opened.totals([Request(name, (), term=name, within=(Fraction(1), Fraction(2)))], columns)
        assert total[()] == sum(min(max(int(value), 1), 2) for value in owed if value is not None)
        (counted,) = opened.totals([Request(name, (name,))], columns)
        assert counted == {(value,): count for value, count in there.items()}
        assert list(counted)[-1] == ("missing",)
        (some,) = opened.totals([Request(name, (), Where(((name, OneOf((Fraction(0), "missing"))),)))], columns)
        assert some[()] == there[Fraction(0)] + there["missing"]


def test_dates_are_read_alike(store) -> None:
    days = [date(2020, 1, 1) + timedelta(days=37 * k % 1000) for k in range(N)]
    data = {"id": list(range(N)), "day": days, "text": [None if k % 9 == 0 else f"{d}" for k, d in enumerate(days)]}
    month = Categories.of_dates("month", "2020-01", "2022-12", "missing")
    columns = {"day": Categories.date_bins("day", ["2020-01-01", "2020-12-31", "2022-12-31"]), "text": month}
    opened = open_table(**store.put(pa.table(data)))
    opened.check(person="id", public={}, confidential=columns)
    (found,) = opened.totals([Request("text", ("text",))], columns)
    assert found == {(k,): n for k, n in Counter("missing" if d is None else d[:7] for d in data["text"]).items()}
    (found,) = opened.totals([Request("day", ("day",))], columns)
    early = sum(day < date(2020, 12, 31) for day in days)
    assert found == {("2020-01-01 to 2020-12-30",): early, ("2020-12-31 to 2022-12-31",): N - early}
    made = {
        "last": Derived("largest", columns["text"], of="text"),
        "begun": Derived("first", columns["text"], of="text", by="day"),
    }
    rows = {"text": month, "day": Categories.of_dates("day", "2020-01-01", "2022-12-31")}
    twice = {**data, "id": [k // 2 for k in range(N)]}
    people = open_table(**store.put(pa.table(twice))).per_person(PerPerson(rows, made), person="id", constant=[])
    columns = {name: one.column for name, one in made.items()}
    people.check(person="id", public={}, confidential=columns)
    pairs = [[(days[k], data["text"][k]) for k in (at, at + 1)] for at in range(0, N, 2)]
    last = Counter(max((t[:7] for _, t in pair if t), default="missing") for pair in pairs)
    assert people.groups(["last"], public=columns) == {(k,): n for k, n in last.items()}
    begun = Counter((min(pair, key=lambda one: one[0])[1] or "missing")[:7] for pair in pairs)
    assert people.groups(["begun"], public=columns) == {(k,): n for k, n in begun.items()}


@pytest.mark.parametrize("bad", ["2021-02-30", "canary", "2023-01-01"])
def test_dates_that_cannot_be_read_are_refused(store, bad: str) -> None:
    columns = {"text": Categories.of_dates("month", "2020-01", "2022-12")}
    with pytest.raises(DataError, match="Column 'text' must hold dates") as caught:
        open_table(**store.put(pa.table({"id": [1, 2], "text": ["2020-02-29", bad]}))).check(
            person="id", public={}, confidential=columns
        )
    assert bad not in str(caught.value)
