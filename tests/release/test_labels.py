"""A label means the same in CSV, Parquet, a database and a frame; what a schema says a column may hold."""

import duckdb
import pandas as pd
import pytest

from dalenius.basics.errors import DataError
from dalenius.data import open_table
from dalenius.facts.records import Categories

FRAME = pd.DataFrame(
    {
        "id": range(4),
        "code": [1.0, 2.0, None, 1.0],
        "dose": [1.5, 2.25, 1.5, 3],
        "flag": [True, False, True, True],
        "post": ["010", "10", "010", "7"],
        "kind": pd.Categorical(["a", "b", "a", "c"]),
        "day": pd.to_datetime(["2020-01-02"] * 4),
    }
)
COLUMNS = {
    "code": Categories((1, 2, "missing"), "missing"),
    "dose": Categories(("1.5", "2.25", "3.0")),
    "flag": Categories(("true", "false")),
    "post": Categories(("010", "10", "7")),
    "kind": Categories(("a", "b", "c")),
    "day": Categories(("2020-01-02",)),
}
COUNTS = {
    "code": {1: 2, 2: 1, "missing": 1},
    "dose": {"1.5": 2, "2.25": 1, "3.0": 1},
    "flag": {"true": 3, "false": 1},
    "post": {"010": 2, "10": 1, "7": 1},
    "kind": {"a": 2, "b": 1, "c": 1},
    "day": {"2020-01-02": 4},
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["frame", "csv", "zeros.csv", "parquet", "duckdb"])
def test_a_label_means_the_same_everywhere(tmp_path, form: str) -> None:
    FRAME.to_csv(tmp_path / "csv", index=False)
    (tmp_path / "t.csv").write_text((tmp_path / "csv").read_text())
    zeros = FRAME.assign(dose=["1.50", "2.250", "1.5", "3.000"])
    zeros.to_csv(tmp_path / "t.zeros.csv", index=False)
    FRAME.to_parquet(tmp_path / "t.parquet")
    with duckdb.connect(tmp_path / "t.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(tmp_path / "t.parquet")])
    table = open_table(FRAME if form == "frame" else tmp_path / f"t.{form}")
    table.check(person="id", public={}, confidential=COLUMNS)
    for name, counts in COUNTS.items():
        assert table.groups([name], public=COLUMNS) == {(label,): count for label, count in counts.items()}


def test_labels_that_mean_the_same_are_refused() -> None:
    with pytest.raises(DataError, match="labels that can be told apart"):
        open_table(pd.DataFrame({"id": [1], "x": ["1"]})).check(
            person="id", public={"x": Categories(("1", "1.0"))}, confidential={}
        )


def test_a_schema_says_what_its_columns_may_hold(tmp_path) -> None:
    with duckdb.connect(tmp_path / "t.duckdb") as database:
        database.execute("CREATE TYPE mood AS ENUM ('low', 'fine')")
        database.execute("CREATE TABLE t (id INT, mood mood, smoker BOOLEAN, income INT)")
    told = {"mood": ("low", "fine"), "smoker": (False, True)}
    assert open_table(tmp_path / "t.duckdb").domains() == told
    mood = pd.Categorical(["fine", "fine"], categories=["low", "fine"])
    frame = pd.DataFrame({"id": [1, 2], "mood": mood, "smoker": [True, True], "income": [1, 2]})
    assert open_table(frame).domains() == told
    import pyarrow as pa

    assert open_table(pa.Table.from_pandas(frame)).domains() == told
