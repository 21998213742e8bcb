"""Several rows a person become one record a person: the same in every engine, and as by hand."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.facts.derived import Derived, PerPerson, domain_of
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves its sockets open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PERSONS, CANARY = 60, 987654
ROWS = {
    "cost": Numbers(Fraction(1, 4), Fraction(-10), Fraction(100)),
    "score": Numbers(Fraction(5), Fraction(-20), Fraction(20)),
    "fever": Categories(("no", "yes")),
    "ward": Categories(("c", "a", "b", "missing"), "missing"),
    "day": Numbers(Fraction(1), Fraction(0), Fraction(30)),
}
ILL = Where((("fever", OneOf(("yes",))),))
DEAR = Where((("cost", Between(lower=Fraction(5))), ("ward", OneOf(("a", "missing")))))
MADE = {
    "visits": ("number of rows", None, Where(), (1, 4)),
    "fevers": ("number of rows", None, ILL, (0, 2)),
    "dear": ("number of rows", None, DEAR, (0, 9)),
    "spent": ("sum", "cost", Where(), (-2, 60)),
    "ill_score": ("sum", "score", ILL, (-10, 10)),
    "ever": ("any", None, ILL, None),
    "always": ("all", None, DEAR, None),
    "most": ("largest", "cost", Where(), None),
    "least": ("smallest", "score", Where(), None),
    "begun": ("first", "ward", Where(), None),
    "price": ("first", "cost", Where(), None),
}
PUBLIC = {"region": Categories(("north", "south")), "member": Categories((True, False))}


def plan() -> PerPerson:
    found = {}
    for name, (take, of, where, limits) in MADE.items():
        exact = None if limits is None else (Fraction(limits[0]), Fraction(limits[1]))
        by = "day" if take == "first" else None
        found[name] = Derived(take, domain_of(take, ROWS.get(of), exact), of, where, exact, by)
    return PerPerson(ROWS, found)


def visits(seed: int = 1) -> dict[str, list]:
    dice = np.random.default_rng(seed)
    person = np.repeat(np.arange(PERSONS), dice.integers(1, 7, PERSONS))
    person = dice.permutation(person)
    n = len(person)
    ward = dice.choice(["a", "b", "c", ""], n).tolist()
    return {
        "id": [f"p{number}" for number in person],
        "region": ["north" if number % 3 else "south" for number in person],
        "member": [bool(number % 2) for number in person],
        "cost": (dice.integers(-40, 401, n) / 4).tolist(),
        "score": (5 * dice.integers(-4, 5, n)).tolist(),
        "fever": dice.choice(["yes", "no"], n).tolist(),
        "ward": [None if word == "" and place % 2 else word for place, word in enumerate(ward)],
        "day": dice.integers(0, 31, n).tolist(),
    }


def by_hand(data: dict[str, list]) -> dict[str, dict]:
    """One record a person, in plain Python."""
    rows = defaultdict(list)
    for values in zip(*data.values(), strict=True):
        row = dict(zip(data, values, strict=True))
        row["ward"] = row["ward"] or "missing"
        row["cost"], row["score"] = Fraction(row["cost"]), Fraction(row["score"])
        rows[row["id"]].append(row)
    found = {}
    for person, mine in rows.items():
        record = {"region": mine[0]["region"], "member": mine[0]["member"]}
        for name, (take, of, where, limits) in MADE.items():
            kept = [row for row in mine if where.holds({key: row[key] for key in ROWS})]
            if take == "number of rows":
                record[name] = Fraction(min(max(len(kept), limits[0]), limits[1]))
            elif take == "sum":
                record[name] = min(max(sum((row[of] for row in kept), Fraction(0)), Fraction(limits[0])), limits[1])
            elif take in {"any", "all"}:
                record[name] = "yes" if (len(kept) == len(mine) if take == "all" else kept) else "no"
            elif take == "first":
                places = ROWS[of].values
                record[name] = min(mine, key=lambda row: (row["day"], places.index(row[of])))[of]
            else:
                record[name] = {"largest": max, "smallest": min}[take](row[of] for row in mine)
        found[person] = record
    return found


def test_records_are_those_that_are_made_by_hand(store) -> None:
    data, made = visits(), plan()
    table = open_table(**store.put(pa.table(data))).per_person(made, person="id", constant=list(PUBLIC))
    confidential = {name: one.column for name, one in made.derived.items()}
    table.check(person="id", public=PUBLIC, confidential=confidential)
    assert table.rows() == PERSONS
    expected, columns = by_hand(data), {**PUBLIC, **confidential}
    for name, column in confidential.items():
        if isinstance(column, Numbers):
            (total,) = table.totals([Request(name, ("region",), term=name)], columns)
            want = defaultdict(int)
            for record in expected.values():
                want[record["region"],] += int(record[name] / column.unit)
            assert total == want, name
        (counted,) = table.totals([Request(name, ("member", name))], columns)
        want = defaultdict(int)
        for record in expected.values():
            want[record["member"], record[name]] += 1
        assert counted == want, name


def test_the_persons_are_marked_as_those_of_a_table_of_one_row_each(store) -> None:
    data, made = visits(), plan()
    table = open_table(**store.put(pa.table(data))).per_person(made, person="id", constant=["region"])
    once = {name: [record[name] for record in by_hand(data).values()] for name in ("region",)}
    whole = open_table(**store.put(pa.table({"id": list(by_hand(data)), **once})))
    public = {"region": PUBLIC["region"]}
    assert table.marks(["region"], person="id", public=public) == whole.marks(["region"], person="id", public=public)
    method, counted = whole.marks(["region"], person=None, public=public)
    assert "nobody is named" in method
    assert counted == {
        cell: (people, 0) for cell, (people, _) in table.marks(["region"], person="id", public=public)[1].items()
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"region": "south", "member": None}, "Columns 'region', 'member' must say the same in all rows of a person"),
        ({"cost": 0.3}, "Column 'cost' must hold multiples of its unit 0.25"),
        ({"score": CANARY}, "Column 'score' must hold numbers from -20 to 20"),
        ({"fever": f"x{CANARY}"}, "Column 'fever' must hold one of the labels no, yes"),
        ({"day": None}, "Column 'day' must have a value in every row"),
        ({"id": None}, "Column 'id' must name a person in each row"),
    ],
)
def test_rows_that_are_not_as_declared_are_refused(store, changes: dict, says: str) -> None:
    data, made = visits(), plan()
    twice = next(
        place
        for place, name in enumerate(data["id"])
        if data["id"].count(name) > 1 and data["region"][place] == "north"
    )
    for name, value in changes.items():
        data[name][twice] = value
    table = open_table(**store.put(pa.table(data))).per_person(made, person="id", constant=list(PUBLIC))
    confidential = {name: one.column for name, one in made.derived.items()}
    with pytest.raises(DataError) as caught:
        table.check(person="id", public=PUBLIC, confidential=confidential)
    assert says in str(caught.value)
    assert str(CANARY) not in str(caught.value)
