"""The same specification on every engine: the same decision, the same folder, byte for byte; and when a server dies."""

import pyarrow as pa
import pytest
import yaml

from conformance.stores import Postgres, kill_postgres, postgres_server
from dalenius.basics.errors import DataError
from dalenius.data import Request, open_table
from dalenius.data.spread import on_spark
from dalenius.desk.session import decide, release_folder
from edges.desk import SPEC, people

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves its sockets open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CONDITION = "not smoker = no and region in (north, south)"
FIGURES = [
    {"name": "smokers", "kind": "count", "where": CONDITION, "by": "region"},
]


def given(place: dict, **changes) -> tuple[dict, object]:
    spec = {**SPEC, "figures": FIGURES, **changes}
    spec.pop("data")
    if "table" in place:
        spec["table"] = place["table"]
    return spec, place["source"]


def test_decisions_and_folders_are_the_same(store, duckdb_store, tmp_path):
    content = pa.table(people())
    folders = []
    for each in (duckdb_store, store):
        spec, data = given(each.put(content))
        decision = decide(spec, data, ledger=tmp_path / f"ledger{len(folders)}.sqlite")
        assert decision.verdict == "pass"
        release_folder(decision, tmp_path / f"out{len(folders)}")
        written = [path for path in (tmp_path / f"out{len(folders)}").iterdir() if path.is_file()]
        folders.append({path.name: path.read_bytes() for path in written})
    assert folders[0]["figures.csv"] == folders[1]["figures.csv"]
    told = [folder["report.txt"].partition(b"\nThis report is about:")[0] for folder in folders]
    assert told[0] == told[1]
    rows = zip(*(people()[name] for name in ("region", "smoker")), strict=True)
    north = sum(row == ("north", "yes") for row in rows)
    assert f"north,{north}" in folders[0]["figures.csv"].decode().replace("smokers,", "")


def test_refusals_are_the_same(store, duckdb_store):
    content = pa.table(people(30))
    verdicts = []
    for each in (duckdb_store, store):
        spec, data = given(each.put(content))
        verdicts.append(decide(spec, data).json())
    assert verdicts[0] == verdicts[1]
    assert verdicts[0]["verdict"] != "pass"


def test_judging_can_be_spread_over_the_workers_of_spark(spark_store):
    spec, data = given(spark_store.put(pa.table(people())))
    assert decide(spec, data, spread=on_spark(spark_store.session)).json() == decide(spec, data).json()
    assert on_spark(spark_store.session)(len, []) == []


@pytest.fixture
def own_server():
    with postgres_server() as (folder, address):
        yield folder, Postgres(address)


def test_a_server_that_dies_or_refuses_is_an_error_without_secrets(own_server, tmp_path, monkeypatch):
    folder, server = own_server
    place = server.put(pa.table(people()))
    monkeypatch.setenv("PGPASSWORD", "not-the-secret")
    with server.connection() as connection:
        connection.execute("CREATE ROLE stranger LOGIN PASSWORD 'the-secret'")
    (folder / "pg_hba.conf").write_text("local all postgres trust\nlocal all all scram-sha-256\n")
    with server.connection() as connection:
        connection.execute("SELECT pg_reload_conf()")
    message = refusal(lambda: open_table(server.address.replace("postgres@", "stranger@"), place["table"]))
    assert "the user or the password was refused" in message
    assert "there is no 'peopel1'; there are people1. Did you mean 'people1'?" in refusal(
        lambda: open_table(server.address, "peopel1")
    )
    assert "there is no such database" in refusal(
        lambda: open_table(server.address.replace("/postgres?", "/nowhere?"), place["table"])
    )

    spec, data = given(place)
    decision = decide(spec, data)
    opened, asked = open_table(**place), [Request("n", ("region",))]
    kill_postgres(folder)
    message = refusal(lambda: release_folder(decision, tmp_path / "out"))
    assert "the connection was lost. Nothing was released." in message
    assert not (tmp_path / "out").exists()
    assert "the connection was lost" in refusal(lambda: opened.totals(asked, decision.prepared.public))
    assert "nobody answers there" in refusal(lambda: open_table(server.address, place["table"]))


def test_the_command_line_takes_an_address(postgres_store, tmp_path, capsys, monkeypatch):
    from dalenius.cli import main

    place = postgres_store.put(pa.table(people()))
    address = f"{place['source']}&table={place['table']}"
    spec = {**SPEC, "figures": FIGURES, "data": address}
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec))
    monkeypatch.setattr("sys.argv", ["dalenius", "check", str(tmp_path / "release.yaml")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    monkeypatch.setattr("sys.argv", ["dalenius", "check", str(tmp_path / "release.yaml"), "--data", address])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert "smokers" in capsys.readouterr().out


def refusal(call) -> str:
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.__context__ is None
    message = str(caught.value)
    assert "secret" not in message
    assert not any(person in message for person in people()["id"])
    return message
