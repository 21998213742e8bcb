"""What the people are called in the ledger, where nobody says: as their table is; and what is asked where that is not
enough.
"""

import pandas as pd
import pytest

from dalenius.basics.errors import SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.session.dataset import table_name
from dalenius.desk.spec import spec_of

SPEC = {
    "person": "id",
    "confidential": {"smoker": ["no", "yes"]},
    "beliefs": {"smoker": {"probabilities": {"yes": 0.3, "no": 0.7}, "source": "so"}},
    "attacker": {"knows": 5, "source": "so"},
    "target": {"epsilon": 1, "delta": "1e-4"},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
}


@pytest.fixture
def home(tmp_path):
    for name, first in (("one", 0), ("copy", 0), ("two", 1000)):
        table = pd.DataFrame({"id": range(first, first + 600), "smoker": ["yes", "no", "no"] * 200})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def asked(home, name: str, **more):
    return decide({**SPEC, "data": str(home / f"{name}.csv"), **more}, ledger=home / "ledger.sqlite", margins=False)


@pytest.mark.slow
def test_two_tables_in_a_folder_do_not_meet(home) -> None:
    release_folder(asked(home, "one"), home / "out")
    assert [release.dataset for release in asked(home, "one").past.memory.releases] == ["one"]
    other = asked(home, "two")
    assert other.asked.dataset == "two" and not other.past.memory.releases and not other.past.doubts


@pytest.mark.slow
def test_a_copy_under_another_name_is_noticed_and_what_to_write_is_said(home) -> None:
    release_folder(asked(home, "one"), home / "out")
    with pytest.raises(SpecError, match=r"exactly the persons of the dataset 'one'.*Write dataset: one if") as caught:
        asked(home, "copy")
    assert "otherwise dataset: copy." in str(caught.value)
    assert len(asked(home, "copy", dataset="one").past.memory.releases) == 1
    assert not asked(home, "copy", dataset="copy").past.memory.releases


@pytest.mark.slow
def test_ledgers_in_which_nothing_was_named_keep_their_meaning(home) -> None:
    release_folder(asked(home, "one", dataset="data"), home / "out")  # as every table was called
    assert len(asked(home, "one").past.memory.releases) == 1
    assert asked(home, "one").asked.dataset == "data"
    assert asked(home, "two").past.doubts  # as before: other people, under the same name
    release_folder(asked(home, "two", dataset="two"), home / "more")
    with pytest.raises(SpecError, match=r"has releases of 'data', .* and of 'two'"):
        asked(home, "two")


@pytest.mark.parametrize(
    ("keys", "data", "name"),
    [
        ({"data": "here/survey.2024.csv.gz"}, None, "survey.2024"),
        ({"data": "parts/"}, None, "parts"),
        ({"data": "survey.duckdb"}, None, "survey"),
        ({"data": "survey.duckdb", "table": "main.people"}, None, "people"),
        ({"data": "postgresql://me@host/db?table=public.people"}, None, "people"),
        ({"data": "postgresql://me@host/db"}, None, "data"),
        ({"data": "local[2]", "table": "lake/people.parquet"}, None, "people"),
        ({"data": "survey.csv"}, pd.DataFrame(), "data"),
        ({"data": "survey.csv"}, "other.parquet", "other"),
        ({"data": "a\nb.csv"}, None, "data"),
    ],
)
def test_tables_are_named_after_their_files_and_tables(keys: dict, data: object, name: str) -> None:
    if "\n" in keys["data"]:
        keys, data = {}, keys["data"]
    assert table_name(spec_of({**SPEC, **keys}), data) == name
