"""DuckDB, PostgreSQL and Spark give the same figures, the same decisions and the same errors."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pyarrow as pa
import pytest

from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.data.source import Engine
from dalenius.facts.records import Between, Categories, Either, Numbers, OneOf, Where

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves its sockets open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SECRET = 987654
ODD = """it's; drop table people1 -- "x" \\ ü %s {}"""
PUBLIC = {
    "region": Categories(("north", "south", ODD)),
    "rooms": Numbers(Fraction(1), Fraction(-3), Fraction(3)),
    "since": Categories(("2020-02-29", "2021-01-01")),
    "member": Categories((True, False)),
}
CONFIDENTIAL = {
    "smoker": Categories(("yes", "no")),
    "cents": Numbers(Fraction(1, 100), Fraction(-50), Fraction(50)),
    "single": Numbers(Fraction(1, 10), Fraction(0), Fraction(10)),
    "thousands": Numbers(Fraction(1000), Fraction(-9000), Fraction(9000)),
    "money": Numbers(Fraction(1, 4), Fraction(-100), Fraction(100)),
    "said": Numbers(Fraction(1, 2), Fraction(-20), Fraction(20)),
    "code": Categories((1, 2, 3)),
}
COLUMNS = {**PUBLIC, **CONFIDENTIAL}
N = 300


def people(seed=1) -> dict[str, list]:
    dice = np.random.default_rng(seed)
    return {
        "id": dice.permutation(np.arange(-50, N - 50)).tolist(),
        "region": dice.choice(["north", "south", ODD], N).tolist(),
        "rooms": dice.integers(-3, 4, N).tolist(),
        "since": [date(2020, 2, 29) if coin else date(2021, 1, 1) for coin in dice.integers(0, 2, N)],
        "member": dice.integers(0, 2, N).astype(bool).tolist(),
        "smoker": dice.choice(["yes", "no"], N).tolist(),
        "cents": (dice.integers(-5000, 5001, N) / 100).tolist(),
        "single": (dice.integers(0, 101, N) / 10).tolist(),
        "thousands": (1000 * dice.integers(-9, 10, N)).tolist(),
        "money": [Decimal(int(x)) / 4 for x in dice.integers(-400, 401, N)],
        "said": [f" {x / 2}" if x % 3 else f"{5 * int(x)}e-1" for x in dice.integers(-40, 41, N)],
        "code": dice.integers(1, 4, N).astype(float).tolist(),
    }


TYPES = {"rooms": pa.int32(), "single": pa.float32(), "money": pa.decimal128(9, 2)}


def table(data: dict[str, list]) -> pa.Table:
    return pa.table({name: pa.array(values, TYPES.get(name)) for name, values in data.items()})


WHERES = {
    "all": Where(),
    "smokers": Where((("smoker", OneOf(("yes",))),)),
    "some": Where((("cents", Between(Fraction(-1, 2), Fraction(25))), ("since", OneOf(("2020-02-29",))))),
    "either": Where(
        (
            Either((Where((("rooms", OneOf((Fraction(-2), Fraction(3)))),)), Where((("region", OneOf((ODD,))),)))),
            Either(
                (
                    Where((("code", OneOf((1, 3))), ("said", Between(upper=Fraction(0))))),
                    Where((("member", OneOf((True,))),)),
                )
            ),
        )
    ),
}
TERMS = (None, "cents", "single", "thousands", "money", "said")
LIMITS = {
    "cents": (Fraction(-1, 4), Fraction(30)),
    "single": (Fraction(1, 2), Fraction(3)),
    "thousands": (Fraction(-9000), Fraction(2000)),
    "money": (Fraction(-1, 4), Fraction(0)),
    "said": (Fraction(5, 2), Fraction(20)),
}


def expected(data: dict[str, list], by: tuple[str, ...], where: Where, term: str | None, within=None) -> dict:
    """By hand, row by row, in fractions."""
    read = {
        "since": str,
        "code": int,
        "rooms": Fraction,
        **{
            name: lambda x, name=name: round(Fraction(x) / COLUMNS[name].unit) * COLUMNS[name].unit
            for name in TERMS[1:]
        },
    }
    found: dict[tuple, int] = {}
    for values in zip(*data.values(), strict=True):
        row = {name: read.get(name, lambda x: x)(value) for name, value in zip(data, values, strict=True)}
        cell = tuple(row[name] for name in by)
        value = None if term is None else row[term] if within is None else min(max(row[term], within[0]), within[1])
        adds = 1 if value is None else int(value / COLUMNS[term].unit)
        found[cell] = found.get(cell, 0) + (adds if where.holds(row) else 0)
    return found


def test_figures_are_those_of_a_calculation_by_hand(store):
    data = people()
    opened = open_table(**store.put(table(data)))
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    assert opened.rows() == N
    asked = [(where, term, None) for where in WHERES.values() for term in TERMS]
    asked += [(WHERES["some"], term, limits) for term, limits in LIMITS.items()]  # truncated, beside the plain ones
    for by in ((), ("region", "member"), ("rooms", "since")):
        requests = [Request(f"f{place}", by, *what) for place, what in enumerate(asked)]
        answers = opened.totals(requests, COLUMNS)
        assert answers == [expected(data, by, *what) for what in asked], by
        assert {key: type(key[-1]) for key in answers[0] if key} == {
            key: type(key[-1]) for key in expected(data, by, Where(), None) if key
        }


def wrong(**changes) -> pa.Table:
    """The table with some values replaced, each as (place, value)."""
    data = people()
    types = dict(TYPES)
    for name, (place, value) in changes.items():
        data[name][place] = value
    return pa.table({name: pa.array(values, types.get(name)) for name, values in data.items()})


CASES = {
    "everything at once": wrong(
        id=(4, None),
        region=(7, "nowhere"),
        rooms=(9, 4),
        since=(11, None),
        member=(1, None),
        smoker=(3, f"p{SECRET}"),
        cents=(5, nan),
        single=(6, 0.15),
        thousands=(8, SECRET),
        money=(2, Decimal("0.1")),
        said=(10, f"{SECRET}x"),
        code=(12, 4.0),
    ),
    "infinite, and off the unit": wrong(
        cents=(5, inf), thousands=(8, 1500), single=(3, -inf), said=(4, "inf"), smoker=(0, "")
    ),
    "numbers that are none": wrong(said=(4, "0x10"), cents=(3, -inf)),
    "numbers for Java only": wrong(said=(4, "1d")),
    "too large to be one": wrong(said=(4, "1e999")),
    "outside": wrong(said=(4, str(SECRET)), cents=(9, 1e300), single=(2, 1e30)),
    "one repeated person": wrong(id=(0, people()["id"][1])),
    "no rows": table(people()).slice(0, 0),
}


def refusal(call) -> str:
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.__context__ is None
    assert str(SECRET) not in str(caught.value)
    return str(caught.value)


def judged(store, content: pa.Table, person="id", confidential=CONFIDENTIAL) -> str:
    opened = open_table(**store.put(content))
    shown = repr(opened).removeprefix("Table(").removesuffix(")")
    message = refusal(lambda: opened.check(person=person, public=PUBLIC, confidential=confidential))
    return message.replace(shown, "the table")


@pytest.fixture(scope="module")
def told(duckdb_store):
    """What is said where nothing is left out: DuckDB's messages, which all others must repeat."""
    return {name: judged(duckdb_store, content) for name, content in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_the_same_to_the_letter(store, told, case):
    assert judged(store, CASES[case]) == told[case]


def test_errors_say_all_that_is_wrong(told):
    lines = told["everything at once"].splitlines()
    assert len(lines) == 12
    assert all(f"Column {name!r}" in told["everything at once"] for name in people())
    assert "some persons come more than once" in told["one repeated person"]
    assert "some are NaN or infinite" in told["infinite, and off the unit"]
    for case in ("numbers that are none", "numbers for Java only", "too large to be one"):
        assert "some values are text" in told[case], case
    assert told["outside"].count("some lie outside") == 3
    assert "it has none" in told["no rows"]


def test_a_missing_column_and_a_type_that_is_no_number_are_refused_alike(store):
    content = table(people())
    assert "Needed a column 'name' in the table, but none of its " in judged(store, content, person="name")
    dates = {"since": CONFIDENTIAL["cents"]}
    assert "Column 'since' must hold numbers, but its type is date" in judged(store, content, confidential=dates)


def test_nothing_but_aggregates_leaves_the_engine(store, monkeypatch):
    data = people()
    data["thousands"][0], data["smoker"][0] = 9000, "yes"
    fetched = []
    honest = Engine.run

    def spied(self, query, shown):
        rows = honest(self, query, shown)
        fetched.append(rows)
        return rows

    monkeypatch.setattr(Engine, "run", spied)
    opened = open_table(**store.put(table(data)))
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    opened.groups(["region"], public=PUBLIC)
    opened.totals([Request("s", ("region",), WHERES["smokers"], "thousands")], COLUMNS)
    *checks, groups, totals = fetched
    assert all(len(rows) == 1 for rows in checks)
    allowed = {"rows", "repeated", "low", "high", "different", "named"}
    for (row,) in checks:  # of the persons: how many, and the ends of their numbers; of the others: what is wrong
        assert all(name in allowed or value in (False, None) for name, value in row.items())
    assert len(groups) == len(totals) == 3
    assert {tuple(row) for row in (*groups, *totals)} == {("key0", "rows", "value0")}


def test_a_column_that_changes_its_type_after_the_check_is_noticed(store):
    place = store.put(table(people()))
    opened = open_table(**place)
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    other = people()
    other["thousands"] = [f"{SECRET}" for _ in range(N)]
    store.replace(place, table(other))
    message = refusal(lambda: opened.totals([Request("t", term="thousands")], COLUMNS))
    assert "but it has changed. Nothing was released" in message


def test_rows_that_are_added_after_the_check_are_noticed(store):
    place = store.put(table(people()))
    opened = open_table(**place)
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    store.replace(place, pa.concat_tables([table(people())] * 2))
    message = refusal(lambda: opened.totals([Request("t", term="thousands")], COLUMNS))
    assert "Nothing was released" in message


def test_persons_who_move_to_another_group_after_the_check_are_noticed(store):
    """As many rows as before, each of them in order; but other people are in the groups that were judged."""
    place = store.put(table(people()))
    opened = open_table(**place)
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    opened.marks(["region"], person="id", public=PUBLIC)
    opened.totals([Request("t", ("region",), term="thousands")], COLUMNS)
    opened.confirm()
    other = people()
    first, second = (other["region"].index(label) for label in dict.fromkeys(other["region"][:3]))
    other["region"][first], other["region"][second] = other["region"][second], other["region"][first]
    store.replace(place, table(other))
    assert "but it has changed. Nothing was released" in refusal(opened.confirm)


def test_a_table_that_goes_away_is_an_error_without_values(store, capfd):
    place = store.put(table(people()))
    opened = open_table(**place)
    opened.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    store.remove(place)
    message = refusal(lambda: opened.totals([Request("t", term="thousands")], COLUMNS))
    assert message.startswith("Needed ")
    assert "Nothing was released" in message
    printed = capfd.readouterr()
    assert "Traceback" not in printed.err + printed.out
