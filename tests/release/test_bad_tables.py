"""A table that is not what it should be is refused, in words that help and betray nothing."""

import gzip
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from release.tables import FORMS, in_form, write_text

pytestmark = pytest.mark.slow

TYPED = ("parquet", "pandas", "polars")
SECRET = 987654321
CENTS = Numbers(unit=Fraction(1, 100), lower=Fraction(0), upper=Fraction(1000))
YEARS = Numbers(unit=Fraction(1), lower=Fraction(0), upper=Fraction(120))
THOUSANDS = Numbers(unit=Fraction(1000), lower=Fraction(0), upper=Fraction(2_000_000_000))
YES_NO = Categories(("yes", "no"))


def refusal(call) -> str:
    """The message of the DataError that the call raises: it tells no secret, and neither do its causes."""
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    message = str(caught.value)
    assert str(SECRET) not in message
    assert "ben" not in message
    return message


def judged(source, column, *, person="id") -> str:
    return refusal(lambda: open_table(source).check(person=person, public={}, confidential={"x": column}))


def with_values(form, values, tmp_path):
    return in_form(form, {"id": [f"p{place}" for place in range(len(values))], "x": values}, tmp_path)


# Files and frames that are not tables ---------------------------------------------------------------------------


def test_a_missing_file_is_named(tmp_path):
    message = refusal(lambda: open_table(tmp_path / "nowhere.csv"))
    assert str(tmp_path / "nowhere.csv") in message
    assert "no such file" in message
    assert str(tmp_path / "nowhere.csv") in refusal(lambda: open_table(str(tmp_path / "nowhere.csv")))


def test_a_folder_without_tables_is_not_a_table(tmp_path):
    assert "Needed Parquet files" in refusal(lambda: open_table(tmp_path))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_an_empty_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"people.{suffix}"
    path.touch()
    assert "the file is empty" in refusal(lambda: open_table(path))


def test_an_empty_compressed_file_and_a_blank_header_are_refused(tmp_path):
    compressed = tmp_path / "people.csv.gz"
    compressed.write_bytes(gzip.compress(b""))
    assert "Add a header" in refusal(lambda: open_table(compressed))
    blank = tmp_path / "people.csv"
    blank.write_text(f"\n{SECRET}\n")
    assert "Add a header" in refusal(lambda: open_table(blank))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_is_refused(tmp_path, form):
    assert "Needed rows" in judged(in_form(form, {"id": [], "x": []}, tmp_path), YEARS)
    assert "Needed rows" in judged(in_form(form, {"id": [], "x": []}, tmp_path), YES_NO)


def test_a_frame_without_columns_is_refused():
    for frame in (pd.DataFrame(), pl.DataFrame(), pa.table({})):
        assert "has none" in refusal(lambda frame=frame: open_table(frame))


def test_an_unknown_kind_of_file_or_object_is_refused(tmp_path):
    (tmp_path / "people.xlsx").write_text(str(SECRET))
    assert ".parquet" in refusal(lambda: open_table(tmp_path / "people.xlsx"))
    assert "LazyFrame" in refusal(lambda: open_table(pl.LazyFrame({"x": [SECRET]})))
    assert "list" in refusal(lambda: open_table([SECRET]))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", f"not parquet {SECRET}".encode()),
        ("a.csv", b"\xff\xfe\x00i\x00d"),
        ("a.csv.gz", f"id,x\n1,{SECRET}\n".encode()),
        ("b.csv.gz", gzip.compress(f"id,x\n1,{SECRET}\n".encode() * 1000, mtime=0)[:-40]),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    refusal(lambda: open_table(tmp_path / name).check(person="id", public={}, confidential={"x": THOUSANDS}))


@pytest.mark.parametrize(
    ("lines", "bad"),
    [
        (f"id,x\n1,{SECRET}\n2,{SECRET},7\n", 3),
        (f"id,x\n1,{SECRET}\n" + "3,8\n" * 10_000 + "2\n", 10_003),
        (f'id,x\n1,"{SECRET}\n2,8\n', 2),
    ],
)
def test_ragged_lines_are_refused_by_their_number_without_being_quoted(tmp_path, lines, bad):
    path = tmp_path / "people.csv"
    path.write_text(lines)
    said = judged(path, THOUSANDS)
    assert "as many fields" in said and f"line {bad} cannot be" in said


def test_text_in_another_encoding_is_refused_without_being_quoted(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(b"id,x\n" + b"1,10\n" * 1000 + f"caf\xe9,{SECRET}\n".encode("latin-1"))
    assert "UTF-8" in judged(path, THOUSANDS)


# Columns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_an_unknown_column_is_refused_and_no_undeclared_one_is_named(tmp_path, form):
    table = open_table(in_form(form, {"ID": ["a"], "income": [SECRET], "sex": ["f"]}, tmp_path))
    message = refusal(lambda: table.check(person="id", public={"sexe": YES_NO}, confidential={"incom": THOUSANDS}))
    assert "Needed columns 'id', 'sexe', 'incom' in " in message
    assert "none of its 3 columns" in message
    assert "There is 'id' in other capital letters" in message
    assert "ID" not in message and "income" not in message


def test_a_name_that_two_columns_have_is_refused(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,x,x,y,y\n1,2,3,4,5\n")
    assert "2 columns are called so" in judged(path, YEARS)
    frame = pd.DataFrame([[1, 2, 3]], columns=["id", "x", "x"])
    assert "2 columns are called so" in judged(frame, YEARS)
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["id", "x", "x"])
    assert "2 columns are called so" in judged(table, YEARS)
    pq.write_table(table, tmp_path / "a.parquet")
    assert "2 columns are called so" in judged(tmp_path / "a.parquet", YEARS)
    (tmp_path / "folder").mkdir()
    for name in ("a", "b"):
        pq.write_table(table, tmp_path / "folder" / f"{name}.parquet")
    assert "2 columns are called so" in judged(tmp_path / "folder", YEARS)
    pq.write_table(table.select([0, 1]), tmp_path / "folder" / "a.parquet")
    assert "column 2 is of another type (int64 and int64, int64)" in judged(tmp_path / "folder", YEARS)


def test_names_that_differ_by_case_alone_are_two(tmp_path):
    pq.write_table(pa.table({"id": [1], "X": [SECRET], "x": [2]}), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet")
    assert table.check(person="id", public={}, confidential={"x": YEARS}) is None
    assert table.columns() == ("id", "X", "x")


@pytest.mark.parametrize("form", FORMS)
def test_text_where_numbers_are_needed_is_refused(tmp_path, form):
    message = judged(with_values(form, ["10", "ben"], tmp_path), YEARS)
    assert "must hold numbers" in message
    assert "text" in message


@pytest.mark.parametrize("values", [[True, False], [date(2020, 1, 1), date(2021, 1, 1)]])
@pytest.mark.parametrize("form", TYPED)
def test_a_type_that_is_not_numbers_is_refused(tmp_path, form, values):
    assert "its type is" in judged(with_values(form, values, tmp_path), YEARS)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet", "polars", "pyarrow"])
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_nan_and_infinity_are_refused(tmp_path, form, value):
    message = judged(with_values(form, [1.0, value], tmp_path), CENTS)
    if form == "csv" and value != value:  # in a text it is one of the marks of what is missing
        assert message.startswith("Column 'x' must have a value in every row, but some are missing.")
        return
    assert message == (
        "Column 'x' must hold finite numbers, but some are NaN or infinite. Correct them, or leave those persons out."
    )


def test_pandas_takes_nan_for_a_missing_value_and_infinity_for_a_number():
    assert "some are missing" in judged(pd.DataFrame({"id": [1, 2], "x": [1.0, nan]}), CENTS)
    assert "NaN or infinite" in judged(pd.DataFrame({"id": [1, 2], "x": [1.0, inf]}), CENTS)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("values", "column"), [([1.0, None], CENTS), ([1, None], YEARS), (["yes", None], YES_NO), (["yes", ""], YES_NO)]
)
def test_missing_values_are_refused(tmp_path, form, values, column):
    assert judged(with_values(form, values, tmp_path), column) == (
        "Column 'x' must have a value in every row, but some are missing. Fill them in, leave those persons out, or "
        "declare the column with `missing: as a value`."
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("value", "column"),
    [(SECRET, YEARS), (-SECRET, YEARS), (121, YEARS), (-1, YEARS), (1000.01, CENTS), (-0.01, CENTS), (1e300, CENTS)],
)
def test_values_outside_the_bounds_are_refused(tmp_path, form, value, column):
    message = judged(with_values(form, [type(value)(1), value], tmp_path), column)
    assert f"from 0 to {column.upper}, but some lie outside" in message
    assert "multiples" not in message


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("value", "column"), [(SECRET, THOUSANDS), (0.155, CENTS), (999.999999, CENTS), (30.5, YEARS), (1e-9, CENTS)]
)
def test_values_off_the_lattice_are_refused(tmp_path, form, value, column):
    message = judged(with_values(form, [type(value)(0), value], tmp_path), column)
    assert "multiples of its unit" in message
    assert "outside" not in message


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [str(SECRET), "Yes", "yes ", "True"])
def test_labels_outside_the_domain_are_refused(tmp_path, form, value):
    message = judged(with_values(form, ["no", value], tmp_path), YES_NO)
    assert "one of the labels yes, no, but some values are none of these. " in message


@pytest.mark.parametrize("form", TYPED)
def test_numbers_where_labels_were_declared_are_refused(tmp_path, form):
    assert "none of these" in judged(with_values(form, [1, SECRET], tmp_path), YES_NO)
    assert "none of these" in judged(with_values(form, [1.5, SECRET + 0.5], tmp_path), YES_NO)


def test_labels_that_cannot_be_told_apart_are_refused(tmp_path):
    for domain in ((True, "yes"), (1, "1")):
        assert "told apart" in judged(with_values("csv", ["yes", "no"], tmp_path), Categories(domain))
    assert "told apart" in judged(with_values("parquet", [True, False], tmp_path), Categories(("yes", "on")))


@pytest.mark.parametrize("form", FORMS)
def test_a_public_value_outside_its_domain_is_not_shown(tmp_path, form):
    table = open_table(in_form(form, {"id": ["a", "b"], "place": ["here", "elsewhere"], "n": [1, 77]}, tmp_path))
    public = {"place": Categories(("here", "there")), "n": Numbers(Fraction(1), Fraction(0), Fraction(9))}
    message = refusal(lambda: table.check(person="id", public=public, confidential={}))
    assert "one of the labels here, there, but some values are none of these." in message
    assert "numbers from 0 to 9, but some lie outside." in message
    assert "elsewhere" not in message and "77" not in message


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("persons", [["p", "q", "p"], [SECRET, 2, SECRET]])
def test_repeated_persons_are_refused(tmp_path, form, persons):
    message = judged(in_form(form, {"id": persons, "x": [1, 2, 3]}, tmp_path), YEARS)
    assert "Say under per_person what one record a person is made of" in message


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("persons", [["p", None, "q"], ["p", "", "q"]])
def test_missing_persons_are_refused(tmp_path, form, persons):
    assert "some rows name none" in judged(in_form(form, {"id": persons, "x": [1, 2, 3]}, tmp_path), YEARS)


def test_everything_that_is_wrong_is_said_at_once_and_never_how_often(tmp_path):
    data = {"id": ["p", "p", None, "q"], "x": [SECRET, -SECRET, 0.5, None], "y": ["ben", "no", "no", "no"]}
    table = open_table(write_text(tmp_path / "a.csv", data))
    message = refusal(lambda: table.check(person="id", public={}, confidential={"x": YEARS, "y": YES_NO}))
    assert len(message.splitlines()) == 6
    once = {"id": ["p", "p", None, "q"], "x": [SECRET, 7, 0.5, None], "y": ["ben", "ben", "no", "no"]}
    table = open_table(write_text(tmp_path / "b.csv", once))
    assert message == refusal(lambda: table.check(person="id", public={}, confidential={"x": YEARS, "y": YES_NO}))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"id": ["a", "b"], "x": pd.Series([SECRET, "ben"], dtype=object)}),
        pd.DataFrame({"id": ["a", "b"], "x": pd.Series([object(), 1], dtype=object)}),
        pl.DataFrame({"id": ["a", "b"], "x": pl.Series([SECRET, "ben"], dtype=pl.Object)}),
    ],
)
def test_a_column_of_mixed_objects_is_refused(frame):
    assert "one plain type" in judged(frame, YEARS)


# Sums -----------------------------------------------------------------------------------------------------------


def test_a_sum_that_might_overflow_is_refused_before_it_is_taken(tmp_path):
    far = Numbers(unit=Fraction(1), lower=Fraction(2**61), upper=Fraction(2**61 + 5))
    table = open_table(in_form("parquet", {"id": [1, 2], "x": [2**61, 2**61]}, tmp_path))
    table.check(person="id", public={}, confidential={"x": far})
    assert table.totals([Request("n")], {"x": far}) == [{(): 2}]
    message = refusal(lambda: table.totals([Request("n"), Request("total", term="x")], {"x": far}))
    assert "'total'" in message
    assert "2^62" in message


@pytest.mark.parametrize("form", FORMS)
def test_numbers_too_large_to_be_told_apart_are_refused(tmp_path, form):
    far = Numbers(unit=Fraction(1, 100), lower=Fraction(10**17), upper=Fraction(10**17 + 5))
    assert "apart" in judged(with_values(form, [10**17, 10**17 + 1], tmp_path), far)


def test_extreme_integers_do_not_overflow_in_the_engine(tmp_path):
    table = open_table(in_form("parquet", {"id": [1, 2], "x": [2**63 - 1, -(2**63)]}, tmp_path))
    assert "outside" in refusal(lambda: table.check(person="id", public={}, confidential={"x": CENTS}))
    assert table.totals([Request("clamped to the bounds", term="x")], {"x": CENTS}) == [{(): 100_000}]


def test_a_figure_about_an_undeclared_column_or_a_sum_of_labels_is_refused(tmp_path):
    table = open_table(with_values("csv", ["yes", "no"], tmp_path))
    where = Where((("y", OneOf(("yes",))),))
    assert "Did you mean 'x'?" not in refusal(lambda: table.totals([Request("n", where=where)], {"x": YES_NO}))
    assert "count it" in refusal(lambda: table.totals([Request("n", term="x")], {"x": YES_NO}))


# The lattice, whatever it is stored in --------------------------------------------------------------------------


def stored(value: Fraction, form: str, folder):
    """A table of one person with this value."""
    if form == "decimal":
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        return pa.table({"id": [1], "x": pa.array([decimal.quantize(Decimal("1e-15"))], pa.decimal128(38, 15))})
    return in_form(form, {"id": [1], "x": [float(value)]}, folder)


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(
    unit=st.sampled_from(
        [Fraction(1, 10), Fraction(1, 100), Fraction(1, 3), Fraction(5, 2), Fraction(7), Fraction(1000)]
    ),
    step=st.integers(-20_000_000, 20_000_000),
    part=st.fractions(Fraction(1, 1000), Fraction(999, 1000)),
    form=st.sampled_from(["csv", "parquet", "polars", "decimal"]),
)
def test_a_multiple_of_the_unit_passes_and_a_thousandth_of_a_unit_beside_it_does_not(
    unit, step, part, form, tmp_path_factory
):
    numbers = Numbers(unit=unit, lower=-20_000_000 * unit, upper=20_000_001 * unit)
    folder = tmp_path_factory.mktemp("t")
    table = open_table(stored(step * unit, form, folder))
    table.check(person="id", public={}, confidential={"x": numbers})
    assert table.totals([Request("x", term="x")], {"x": numbers}) == [{(): step}]
    assert "multiples" in judged(stored((step + part) * unit, form, folder), numbers)


def test_a_float_that_was_computed_passes_if_only_rounding_separates_it_from_the_lattice():
    tenths = Numbers(unit=Fraction(1, 10), lower=Fraction(0), upper=Fraction(1))
    table = open_table(pl.DataFrame({"id": [1, 2, 3], "x": [0.1 + 0.2, 0.1 + 0.2 - 0.3, 1.0000000000000002]}))
    table.check(person="id", public={}, confidential={"x": tenths})
    assert table.totals([Request("x", term="x")], {"x": tenths}) == [{(): 13}]


def test_single_precision_is_judged_by_its_own_precision():
    tenths = Numbers(unit=Fraction(1, 10), lower=Fraction(0), upper=Fraction(10_000))
    frame = pl.DataFrame({"id": [1, 2], "x": pl.Series([0.1, 9999.9], dtype=pl.Float32)})
    open_table(frame).check(person="id", public={}, confidential={"x": tenths})
    assert "multiples" in judged(frame.with_columns(pl.Series("x", [0.1, 9999.95], dtype=pl.Float32)), tenths)
    wide = Numbers(unit=Fraction(1, 10), lower=Fraction(0), upper=Fraction(1_000_000))
    assert "apart" in judged(frame, wide)
