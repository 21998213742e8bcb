"""Where a table may live: folders of Parquet, DuckDB files, addresses; and what is said if it does not live there."""

import os
from fractions import Fraction
from math import nan

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.desk.session import decide
from dalenius.facts.records import Categories, Numbers
from edges.desk import SPEC, people

SECRET = 987654
YEARS = {"age": Numbers(Fraction(1), Fraction(0), Fraction(SECRET))}


def refusal(call) -> str:
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.__context__ is None
    assert str(SECRET) not in str(caught.value)
    return str(caught.value)


def total(table) -> int:
    table.check(person="id", public={}, confidential=YEARS)
    ((answer,),) = ([list(found.values()) for found in table.totals([Request("t", term="age")], YEARS)],)
    return answer[0]


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    (tmp_path / "deep").mkdir()
    pq.write_table(pa.table({"id": [1, 2], "age": [30, 40]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"age": [50], "id": [3]}), tmp_path / "deep" / "b.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert total(open_table(tmp_path)) == 120
    pq.write_table(pa.table({"id": [3], "age": [50]}), tmp_path / "c.parquet")
    assert "some persons come more than once" in refusal(lambda: total(open_table(tmp_path)))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"id": [3], "age": [float(SECRET)]}, "column 2 is of another type (int64 and double) in file 2 of 2"),
        ({"id": [3]}, "there are others (2 and 1) in file 2 of 2"),
        ({"id": [3], "age": [SECRET], "x": [1]}, "there are others (2 and 3) in file 2 of 2"),
    ],
)
def test_files_with_other_columns_are_refused(tmp_path, other, said):
    pq.write_table(pa.table({"id": [1, 2], "age": [30, SECRET]}), tmp_path / "a.parquet")
    pq.write_table(pa.table(other), tmp_path / "b.parquet")
    assert said in refusal(lambda: open_table(tmp_path))


def test_partitions_and_broken_files_in_a_folder_are_refused(tmp_path):
    (tmp_path / "one" / "region=north").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), tmp_path / "one" / "region=north" / "a.parquet")
    assert "a folder in it is named by a value of one" in refusal(lambda: open_table(tmp_path / "one"))
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "a.parquet").write_text(f"{SECRET}")
    assert "cannot be read as one" in refusal(lambda: open_table(tmp_path / "two"))


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE people AS SELECT range AS id, (range % 7)::INT AS age FROM range(70)")
    return path


@pytest.mark.slow
def test_a_duckdb_file_is_read_by_path_or_address(database):
    for place in (database, str(database), f"duckdb://{database}", f"duckdb://{database}?table=people"):
        assert total(open_table(place)) == 210
    assert total(open_table(database.name, "people", database.parent)) == 210
    assert total(open_table(f"duckdb://{database.name}?table=main.people", base=database.parent)) == 210
    with duckdb.connect(database) as connection:
        connection.execute("CREATE TABLE other AS SELECT 1 AS id")
    assert "none is named; there are other, people" in refusal(lambda: open_table(database))
    assert "Did you mean 'people'?" in refusal(lambda: open_table(database, "poeple"))
    hostile = 'people"; DROP TABLE people; --'
    assert "there is no" in refusal(lambda: open_table(database, hostile))
    assert total(open_table(database, "people")) == 210


def test_what_is_no_database_is_refused(tmp_path, database):
    assert "there is no such file" in refusal(lambda: open_table(tmp_path / "nowhere.duckdb"))
    (tmp_path / "broken.duckdb").write_text(f"{SECRET}" * 1000)
    assert "cannot be opened" in refusal(lambda: open_table(tmp_path / "broken.duckdb"))
    assert "the data are none" in refusal(lambda: open_table(pa.table({"id": [1]}), "people"))
    assert "it has other options" in refusal(lambda: open_table(f"duckdb://{database}?mode=rw"))
    both = refusal(lambda: open_table(f"duckdb://{database}?table=people", "other"))
    assert "names 'people' and the specification 'other'" in both


def test_a_password_in_an_address_is_refused_and_not_repeated():
    for address in ("postgresql://me:hunter2@host/db", "postgresql://me@host/db?password=hunter2"):
        message = refusal(lambda address=address: open_table(address, "people"))
        assert "PGPASSWORD" in message
        assert "hunter2" not in message


def test_nobody_at_an_address_is_an_error():
    assert "nobody answers there" in refusal(
        lambda: open_table("postgresql://me@127.0.0.1:9/db?connect_timeout=2", "x")
    )


@pytest.mark.slow
def test_a_specification_names_a_database_beside_it(tmp_path):
    pq.write_table(pa.table(people()), tmp_path / "people.parquet")
    with duckdb.connect(tmp_path / "survey.duckdb") as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM '{tmp_path}/people.parquet'")
    (tmp_path / "release.yaml").write_text(yaml.safe_dump({**SPEC, "data": "survey.duckdb", "table": "people"}))
    assert decide(tmp_path / "release.yaml", margins=False).verdict == "pass"


# What DuckDB takes from statistics ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "said"),
    [(YEARS["age"], "some are NaN or infinite"), (Categories((1, 2, 3)), "some values are none of these")],
)
def test_a_nan_that_parquet_statistics_hide_is_found(tmp_path, column, said):
    for place in range(3):
        values = [1.0, 2.0, 3.0]
        values[place] = nan
        pq.write_table(pa.table({"id": [1, 2, 3], "age": values}), tmp_path / "people.parquet")
        table = open_table(tmp_path / "people.parquet")
        assert said in refusal(lambda t=table: t.check(person="id", public={}, confidential={"age": column}))


# Persons -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=12)
    | st.lists(st.integers(-20, 20), min_size=1, max_size=12)
)
def test_repeated_persons_are_found_however_far_apart_their_numbers_are(ids):
    table = open_table(pa.table({"id": ids, "age": [1] * len(ids)}))
    if len(set(ids)) == len(ids):
        table.check(person="id", public={}, confidential=YEARS)
        assert table.rows() == len(ids)
    else:
        message = refusal(lambda: table.check(person="id", public={}, confidential=YEARS))
        assert "some persons come more than once" in message


@pytest.mark.slow
def test_one_repeated_person_among_many_is_found(tmp_path):
    ids = np.random.default_rng(1).permutation(200_000)
    pq.write_table(pa.table({"id": ids, "age": ids % 90}), tmp_path / "people.parquet")
    assert total(open_table(tmp_path / "people.parquet")) == int((ids % 90).sum())
    ids[150_000] = ids[3]
    pq.write_table(pa.table({"id": ids, "age": ids % 90}), tmp_path / "people.parquet")
    assert "some persons come more than once" in refusal(lambda: total(open_table(tmp_path / "people.parquet")))


def test_a_file_that_is_written_to_in_between_is_noticed(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,age\n1,30\n2,40\n")
    table = open_table(path)
    table.check(person="id", public={}, confidential=YEARS)
    before = path.stat()
    path.write_text("id,age\n1,30\n2,41\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "it has changed" in refusal(lambda: table.totals([Request("t", term="age")], YEARS))
    assert "it has changed" in refusal(table.confirm)
