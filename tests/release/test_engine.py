"""The figures that come out of a table are exact, whatever form the table has."""

import subprocess
import sys
from fractions import Fraction

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from release.tables import FORMS, OTHER_FORMS, in_form, write_text

pytestmark = pytest.mark.slow

PEOPLE = {
    "id": ["007", "008", "009", "010", "011"],
    "region": ["north", "south", "north", "south", "south"],
    "rooms": [1, 2, 2, 1, 1],
    "smoker": ["yes", "no", "no", "yes", "yes"],
    "age": [30, 45, 61, 45, 18],
    "income": [0.1, 0.3, 1000.7, 12.5, 0.0],
    "note": ["never", "read", "by", "anybody", "else"],
}
PUBLIC = {"region": Categories(("north", "south", "east")), "rooms": Categories((1, 2, 3))}
CONFIDENTIAL = {
    "smoker": Categories(("yes", "no")),
    "age": Numbers(unit=Fraction(1), lower=Fraction(0), upper=Fraction(120)),
    "income": Numbers(unit=Fraction(1, 10), lower=Fraction(0), upper=Fraction(2000)),
}
COLUMNS = PUBLIC | CONFIDENTIAL
SMOKERS = Where((("smoker", OneOf(("yes",))),))


@pytest.fixture(params=FORMS)
def people(request, tmp_path):
    return open_table(in_form(request.param, PEOPLE, tmp_path))


@pytest.mark.slow
def test_a_sound_table_passes_its_check(people):
    people.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    assert people.columns() == tuple(PEOPLE)
    assert people.rows() == 5


def test_rows_are_counted_without_a_check(people):
    assert people.rows() == 5


def test_groups_come_back_with_the_labels_that_were_declared(people):
    groups = people.groups(["rooms", "region"], public=PUBLIC)
    assert groups == {(1, "north"): 1, (2, "south"): 1, (2, "north"): 1, (1, "south"): 2}
    assert {tuple(map(type, cell)) for cell in groups} == {(int, str)}
    assert people.groups([], public=PUBLIC) == {(): 5}


def test_public_numbers_come_back_as_fractions(people):
    half = Numbers(unit=Fraction(1, 2), lower=Fraction(0), upper=Fraction(5))
    groups = people.groups(["rooms"], public={"rooms": half})
    assert groups == {(Fraction(1),): 3, (Fraction(2),): 2}
    assert all(isinstance(value, Fraction) for cell in groups for value in cell)


def test_counts_and_sums_are_exact(people):
    requests = [
        Request("persons", by=("region",)),
        Request("smokers", by=("region",), where=SMOKERS),
        Request("income", by=("region",), term="income"),
        Request("income of smokers", where=SMOKERS, term="income"),
        Request("ages", term="age"),
        Request("the grown-up", where=Where((("age", Between(lower=Fraction(46))), ("region", OneOf(("north",)))))),
        Request("nobody", by=("rooms",), where=Where((("age", Between(lower=Fraction(100))),))),
    ]
    answers = people.totals(requests, COLUMNS)
    assert answers == [
        {("north",): 2, ("south",): 3},
        {("north",): 1, ("south",): 2},
        {("north",): 10008, ("south",): 128},
        {(): 126},
        {(): 199},
        {(): 1},
        {(1,): 0, (2,): 0},
    ]
    assert {type(value) for answer in answers for value in answer.values()} == {int}


@pytest.mark.slow
@pytest.mark.parametrize("form", OTHER_FORMS)
def test_other_forms_of_the_table_give_the_same_figures(tmp_path, form):
    table = open_table(in_form(form, PEOPLE, tmp_path))
    table.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    answers = table.totals([Request("income", by=("rooms",), where=SMOKERS, term="income")], COLUMNS)
    assert answers == [{(1,): 126, (2,): 0}]
    assert table.rows() == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "condition", "count"),
    [
        ("age", OneOf((45,)), 2),
        ("age", OneOf((Fraction(45), Fraction(61))), 3),
        ("age", OneOf((Fraction(1, 2),)), 0),
        ("age", OneOf(("45", True)), 0),
        ("age", OneOf(()), 0),
        ("age", Between(), 5),
        ("age", Between(lower=Fraction(91, 2)), 1),
        ("age", Between(upper=Fraction(91, 2)), 4),
        ("age", Between(upper=Fraction(89, 2)), 2),
        ("income", Between(Fraction(3, 10), Fraction(25, 2)), 2),
        ("income", OneOf((Fraction(10007, 10),)), 1),
        ("rooms", OneOf((1, 3)), 3),
        ("rooms", Between(lower=Fraction(2)), 2),
        ("rooms", OneOf((True,)), 0),
        ("rooms", OneOf((1, True)), 3),
        ("smoker", OneOf(("no", "maybe")), 2),
        ("smoker", OneOf(()), 0),
    ],
)
def test_a_condition_selects_the_rows_that_it_holds_for(people, column, condition, count):
    assert people.totals([Request("n", where=Where(((column, condition),)))], COLUMNS) == [{(): count}]


def test_requests_with_the_same_cells_share_one_query(tmp_path, monkeypatch):
    table = open_table(in_form("csv", PEOPLE, tmp_path))
    asked = []
    run = type(table._source).run
    monkeypatch.setattr(type(table._source), "run", lambda source, query: asked.append(query) or run(source, query))
    table.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    assert len(asked) == 1
    terms = [Request(str(place), by=("region",), where=SMOKERS, term="income") for place in range(20)]
    table.totals([*terms, Request("all", term="age"), Request("n", where=SMOKERS)], COLUMNS)
    assert len(asked) == 3


def test_columns_that_are_not_named_are_never_converted():
    class Poison:
        def __str__(self):
            raise AssertionError("read")

    frame = pd.DataFrame(PEOPLE | {"note": [Poison(), 1, "x", None, b"y"]})
    table = open_table(frame)
    table.check(person="id", public=PUBLIC, confidential=CONFIDENTIAL)
    assert table.totals([Request("ages", term="age")], COLUMNS) == [{(): 199}]


def test_identifiers_keep_their_leading_zeros(tmp_path):
    path = write_text(tmp_path / "a.csv", {"id": ["1", "01", "001"], "x": [1, 2, 3]})
    open_table(path).check(person="id", public={}, confidential={})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "domain"),
    [
        (["yes", "no"], ("yes", "no")),
        (["yes", "no"], (True, False)),
        (["True", "FALSE"], (True, False)),
        (["true", "false"], ("true", "false")),
        ([True, False], (True, False)),
        ([True, False], ("yes", "no")),
        ([True, False], ("True", "False")),
        ([1, 0], (1, 0)),
        ([1, 0], ("1", "0")),
        (["1", "0"], (1, 0)),
        ([1.0, 0.0], (1, 0)),
        (["01", "1"], ("01", "1")),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "pandas", "polars"])
def test_labels_are_compared_by_their_text(tmp_path, form, values, domain):
    table = open_table(in_form(form, {"id": ["a", "b"], "x": values}, tmp_path))
    columns = {"x": Categories(domain)}
    table.check(person="id", public=columns, confidential={})
    groups = table.groups(["x"], public=columns)
    assert groups == {(domain[0],): 1, (domain[1],): 1}
    assert {type(cell[0]) for cell in groups} == {type(domain[0])}
    for label in domain:
        request = Request("n", where=Where((("x", OneOf((label,))),)))
        assert table.totals([request], columns) == [{(): 1}]


def test_two_spellings_of_one_label_are_one_cell(tmp_path):
    table = open_table(write_text(tmp_path / "a.csv", {"id": [1, 2, 3], "x": ["yes", "Yes", "no"]}))
    columns = {"x": Categories((True, False))}
    table.check(person="id", public=columns, confidential={})
    assert table.groups(["x"], public=columns) == {(True,): 2, (False,): 1}


def test_a_grouping_label_outside_its_domain_is_an_error_even_without_a_check(people):
    with pytest.raises(DataError, match="declared domain"):
        people.groups(["region"], public={"region": Categories(("north",))})


@pytest.mark.slow
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(
            {"id": pd.Categorical(["a", "b"]), "x": pd.Categorical(["u", "v"]), "y": pd.array([1, 2], "Int64")}
        ),
        pl.DataFrame(
            {"id": ["a", "b"], "x": ["u", "v"], "y": [1, 2]},
            schema={"id": pl.Categorical, "x": pl.Enum(["u", "v"]), "y": pl.UInt64},
        ),
        pl.DataFrame({"id": ["a", "b"], "x": ["u", "v"], "y": ["1.0", "2.0"]}).with_columns(
            pl.col("y").cast(pl.Decimal(9, 2))
        ),
        pl.DataFrame({"id": [1, 2], "x": ["u", "v"], "y": pl.Series([1, 2], dtype=pl.Float32)}),
        pl.DataFrame({"id": [1, 2], "x": ["u", "v"], "y": pl.Series([1, 2], dtype=pl.Int8)}),
    ],
)
def test_every_stored_type_of_numbers_and_labels_is_read(frame):
    table = open_table(frame)
    public = {"x": Categories(("u", "v"))}
    confidential = {"y": Numbers(unit=Fraction(1, 4), lower=Fraction(0), upper=Fraction(1000))}
    table.check(person="id", public=public, confidential=confidential)
    assert table.totals([Request("y", by=("x",), term="y")], public | confidential) == [{("u",): 4, ("v",): 8}]


@pytest.mark.parametrize("header", ["id;x", '"id";"x"', "\ufeffid|x", "id\tx", "id,x\r", " id,x,x,x"])
def test_the_delimiter_is_found_in_the_header(tmp_path, header):
    names = header.strip("\r")
    delimiter = next(mark for mark in ";|\t," if mark in names)
    path = tmp_path / "a.csv"
    fields = names.count(delimiter)
    end = "\r\n" if header.endswith("\r") else "\n"
    path.write_text(names + end + delimiter.join(["1"] + ["7"] * fields) + end, encoding="utf-8", newline="")
    assert open_table(path).columns()[0].strip() == "id"
    assert open_table(path).rows() == 1


@pytest.mark.parametrize("form", ["csv.gz", "tsv"])
def test_suffixes_may_be_in_capitals(tmp_path, form):
    path = in_form(form, PEOPLE, tmp_path)
    loud = path.rename(tmp_path / f"PEOPLE.{form.upper()}")
    assert open_table(loud).groups(["rooms"], public=PUBLIC) == {(1,): 3, (2,): 2}


def test_a_file_name_is_not_a_pattern(tmp_path):
    for name in ("a*.csv", "ab.csv", "a[b].csv", "a?.csv"):
        write_text(tmp_path / name, {"id": [name]})
        assert open_table(tmp_path / name).rows() == 1
    folder = tmp_path / "year=2020"
    folder.mkdir()
    assert open_table(in_form("parquet", PEOPLE, folder)).columns() == tuple(PEOPLE)


# DuckDB renames such columns of a Parquet file, and they are then asked for by the new name.
@pytest.mark.parametrize("form", [form for form in FORMS if form != "parquet"])
def test_names_that_differ_only_in_case_are_different_columns(tmp_path, form):
    table = open_table(in_form(form, {"id": ["a"], "ID": ["b"], "x": [1], "X": [2]}, tmp_path))
    columns = {name: Numbers(unit=Fraction(1), lower=Fraction(0), upper=Fraction(9)) for name in "xX"}
    assert table.totals([Request("x", term="x"), Request("X", term="X")], columns) == [{(): 1}, {(): 2}]


def test_a_domain_of_thousands_of_labels_is_checked_by_hashing(tmp_path):
    labels = tuple(f"place {number}" for number in range(5000))
    data = {"id": list(range(20_000)), "x": [labels[number % 5000] for number in range(20_000)]}
    table = open_table(in_form("parquet", data, tmp_path))
    table.check(person="id", public={}, confidential={"x": Categories(labels)})
    assert set(table.groups(["x"], public={"x": Categories(labels)}).values()) == {4}
    half = Where((("x", OneOf(labels[::2])),))
    assert table.totals([Request("half", where=half)], {"x": Categories(labels)}) == [{(): 10_000}]
    with pytest.raises(DataError, match="none of these"):
        table.check(person="id", public={}, confidential={"x": Categories(labels[1:])})


def test_large_sums_stay_exact(tmp_path):
    numbers = Numbers(unit=Fraction(1), lower=Fraction(2**60 - 10), upper=Fraction(2**60))
    table = open_table(in_form("parquet", {"id": [1, 2, 3], "x": [2**60 - 1, 2**60 - 3, 2**60]}, tmp_path))
    table.check(person="id", public={}, confidential={"x": numbers})
    assert table.totals([Request("x", term="x")], {"x": numbers}) == [{(): 3 * 2**60 - 4}]


NUMBERS = st.builds(
    lambda unit, first, size: Numbers(unit=unit, lower=first * unit, upper=(first + size) * unit),
    st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 100), Fraction(1000), Fraction(3, 4), Fraction(5, 2)]),
    st.integers(-10_000, 10_000),
    st.integers(0, 100_000),
)


@st.composite
def lattice_tables(draw):
    """A lattice, rows of (group, value on the lattice), and a test on the value."""
    numbers = draw(NUMBERS)
    steps = draw(st.lists(st.integers(0, numbers.size - 1), min_size=1, max_size=20))
    values = [numbers.lower + step * numbers.unit for step in steps]
    groups = draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    edge = st.sampled_from([None, *values, numbers.lower + numbers.unit / 3])
    test = draw(st.builds(Between, edge, edge) | st.lists(st.sampled_from(values)).map(tuple).map(OneOf))
    return numbers, groups, values, test


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(table=lattice_tables(), form=st.sampled_from(["csv", "parquet", "pandas", "polars"]))
def test_totals_agree_with_adding_up_fractions(table, form, tmp_path_factory):
    numbers, groups, values, test = table
    columns = {"g": Categories(("a", "b", "c")), "x": numbers}
    where = Where((("x", test),))
    stored = [int(value) if numbers.unit.denominator == 1 else float(value) for value in values]
    data = {"id": list(range(len(values))), "g": groups, "x": stored}
    engine = open_table(in_form(form, data, tmp_path_factory.mktemp("t")))
    engine.check(person="id", public={"g": columns["g"]}, confidential={"x": numbers})
    counts, sums = engine.totals([Request("n", ("g",), where), Request("s", ("g",), where, "x")], columns)
    rows = list(zip(groups, values, strict=True))
    for group in set(groups):
        chosen = [value for label, value in rows if label == group and where.holds({"x": value})]
        assert counts[(group,)] == len(chosen)
        assert sums[(group,)] * numbers.unit == sum(chosen)
    assert set(counts) == set(sums) == {(group,) for group in groups}


@pytest.mark.slow
def test_importing_the_release_layer_imports_no_engine():
    heavy = ("ibis", "pandas", "polars", "pyarrow", "duckdb", "opendp")
    program = f"import sys, dalenius.data; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_a_table_of_texts_is_asked_without_ibis(tmp_path):
    path = in_form("csv", {"id": ["a", "b", "c"], "x": [1.5, 2, 2]}, tmp_path)
    program = (
        "import sys; from fractions import Fraction as F; from dalenius.data.engine import Request, open_table; "
        "from dalenius.facts.records import Numbers; columns = {'x': Numbers(F(1, 2), F(0), F(9))}; "
        f"table = open_table({str(path)!r}); table.check(person='id', public=columns, confidential={{}}); "
        "print(table.totals([Request('s', term='x')], columns), "
        "table.marks(['x'], person='id', public=columns)[0][:6], "
        "[name for name in ('ibis', 'pandas', 'pyarrow') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "[{(): 11}] duckdb []\n"
