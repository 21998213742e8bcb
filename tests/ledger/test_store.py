"""A ledger in which a changed entry is noticed, and what is said when it cannot be used."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from dalenius.basics.errors import LedgerError, OutputError, SpecError
from dalenius.data import complete
from dalenius.desk.session import carry_out, find_ledger, named_policies
from dalenius.record.ledger import Turn, open_ledger
from dalenius.record.ledger.database import database
from dalenius.show.ledger import verified
from edges.desk import dalenius
from ledger.conftest import fresh, throwaway
from ledger.stand import decided, up_to

SETS = ("a", "b", "c")
pytestmark = pytest.mark.usefixtures("without_charts")


def filled(place, folder):
    for name in SETS:
        carry_out(decided(place, [up_to(59)], dataset=name), folder / name)
    return open_ledger(place)


def change(place, *statements):
    """As somebody would who has the rights to the database, and takes the triggers away first."""
    url = place if "://" in place else f"sqlite:///{place}"
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def without_triggers(place) -> list[str]:
    tables = ("dalenius_ledger", "dalenius_entries", "dalenius_files")
    if "://" in place:
        return [f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in tables]
    with closing(sqlite3.connect(place)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    return [f"DROP TRIGGER {name}" for (name,) in names]


CHANGES = (
    "UPDATE dalenius_entries SET body = 'x'",
    "DELETE FROM dalenius_entries",
    "UPDATE dalenius_files SET content = NULL",
    "DELETE FROM dalenius_files WHERE number = 1",
    "UPDATE dalenius_ledger SET schema = 2",
    "DELETE FROM dalenius_ledger",
    "INSERT INTO dalenius_entries VALUES (9, 'release', 'R9', 'a', 'x', 'y', 'z')",
)


@pytest.mark.slow
def test_the_database_itself_refuses_to_change_what_stands_there(place, tmp_path):
    ledger = filled(place, tmp_path)
    for statement in CHANGES:
        with pytest.raises(Exception, match="append-only"):
            change(place, statement)
        assert verified(ledger)["entries"] == 6, statement


@pytest.mark.slow
def test_replacing_a_row_is_refused_too(tmp_path):
    place = str(tmp_path / "ledger.sqlite")
    filled(place, tmp_path)
    row = "INSERT OR REPLACE INTO dalenius_entries SELECT number, kind, release, dataset, 'x', previous, hash"
    with pytest.raises(Exception, match="append-only"):
        change(place, f"{row} FROM dalenius_entries WHERE number = 1")
    with pytest.raises(Exception, match="append-only"):
        change(place, "INSERT OR REPLACE INTO dalenius_files SELECT number, name, 'x' FROM dalenius_files")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE dalenius_entries SET body = replace(body, '1/1000', '1/1001') WHERE number = 3", "entry 3"),
        ("UPDATE dalenius_entries SET body = replace(body, 'root', 'else') || ' ' WHERE number = 1", "entry 1"),
        ("UPDATE dalenius_entries SET dataset = 'other' WHERE number = 5", "entry 5"),
        ("UPDATE dalenius_entries SET kind = 'x' WHERE number = 2", "entry 2"),
        ("DELETE FROM dalenius_entries WHERE number = 4", "entry 4 is missing"),
        ("UPDATE dalenius_entries SET release = 'R9' WHERE number = 6", "entry 6"),
    ],
)
def test_an_edited_ledger_is_found_and_nothing_is_released_from_it(place, tmp_path, statement, said):
    ledger = filled(place, tmp_path)
    change(place, *without_triggers(place), statement)
    for use in (lambda: verified(ledger), lambda: decided(place, [up_to(59)], dataset="d"), lambda: complete(ledger)):
        with pytest.raises(LedgerError, match=said) as caught:
            use()
        assert "Somebody edited it" in str(caught.value)


@pytest.mark.slow
def test_edited_files_are_found(place, tmp_path):
    ledger = filled(place, tmp_path)
    content = "convert_to('x', 'UTF8')" if "://" in place else "CAST('x' AS BLOB)"
    change(place, *without_triggers(place), f"UPDATE dalenius_files SET content = {content} WHERE name = 'figures.csv'")
    with pytest.raises(LedgerError, match=r"files of R1 .* figures.csv \(entry 1\)"):
        verified(ledger)


@pytest.mark.slow
def test_entries_that_were_cut_off_are_found_by_a_noted_hash(place, tmp_path):
    ledger = filled(place, tmp_path)
    last = ledger.entries()[-1].hash
    assert verified(ledger, last)["head"] == last
    change(place, *without_triggers(place), "DELETE FROM dalenius_entries WHERE number = 6")
    assert verified(ledger)["entries"] == 5
    with pytest.raises(LedgerError, match="entries were cut off"):
        verified(ledger, last)


@pytest.mark.slow
def test_a_ledger_of_a_newer_schema_is_left_alone(place, tmp_path):
    filled(place, tmp_path)
    change(place, "INSERT INTO dalenius_ledger VALUES (4)")
    with pytest.raises(LedgerError, match="has schema 4: a newer dalenius made it"):
        decided(place, [up_to(59)], dataset="d")


@pytest.mark.slow
def test_nobody_else_may_read_the_file(tmp_path):
    place = tmp_path / "ledger.sqlite"
    before = os.umask(0)
    try:
        filled(str(place), tmp_path)
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        place.chmod(0o644)
        carry_out(decided(str(place), [up_to(59)], dataset="d"), tmp_path / "d")
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


@pytest.mark.slow
def test_what_is_recorded_is_what_is_needed_and_no_row(place, tmp_path):
    filled(place, tmp_path)
    body = open_ledger(place).releases()[0].body
    assert body["figures"][0]["numbers"] == [[[], "40"]]
    assert body["guarantee"]["verdict"] == "pass"
    assert body["user"] and body["when"].endswith("Z") and body["software"].startswith("dalenius ")
    folder = tmp_path / "a"
    assert set(body["files"]) == {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert "P1" not in json.dumps(body)


def test_a_missing_ledger_is_an_empty_one_and_is_not_made_by_looking(tmp_path):
    place = tmp_path / "none.sqlite"
    decision = decided(str(place), [up_to(59)])
    assert decision.verdict == "pass" and not place.exists()
    assert complete(open_ledger(place)) == ()
    with pytest.raises(LedgerError, match="but there is none"):
        verified(open_ledger(place))


def test_a_ledger_that_lost_all_is_not_unbroken(tmp_path):
    """An empty file may be what a crash left of the first release; but it is no ledger that holds."""
    place = tmp_path / "ledger.sqlite"
    place.touch()
    for command in ("list", "verify", "export"):
        answer = dalenius("ledger", command, "--ledger", place)
        assert answer.code == 2 and "the file is empty" in answer.err
    with open_ledger(place).turn():
        pass  # a ledger is made with its first release: this is one whose entries were all cut off
    for use in (lambda: verified(open_ledger(place)), lambda: decided(str(place), [up_to(59)])):
        with pytest.raises(LedgerError, match=r"it has no entry. Somebody edited it"):
            use()


class Watched(sqlite3.Connection):
    """Knows whether it was closed."""

    left_open = True

    def close(self) -> None:
        self.left_open = False
        super().close()


def test_what_is_no_ledger_is_not_left_open(tmp_path, monkeypatch):
    made, connect = [], sqlite3.connect

    def watched(*arguments, **more):
        made.append(connect(*arguments, factory=Watched, **more))
        return made[-1]

    monkeypatch.setattr("sqlite3.connect", watched)
    place = tmp_path / "ledger.sqlite"
    place.write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(LedgerError):
        open_ledger(str(place)).releases()
    assert [one.left_open for one in made] == [False]


def test_only_a_ledger_of_our_own_is_closed_to_others(tmp_path):
    """Never a device, a pipe, another file, or a database of something else; and none of them is opened."""
    text, foreign, pipe = tmp_path / "notes.txt", tmp_path / "places.sqlite", tmp_path / "pipe"
    text.write_text("a text" * 1000)
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE places (name TEXT)")
    os.mkfifo(pipe)
    for path in (text, foreign, pipe):
        path.chmod(0o666)
    said = {text: "file of another kind", foreign: "database of something else", pipe: "a device or a pipe"}
    for place in (*said, Path("/dev/null")):
        before = place.stat()
        for use in (lambda ledger: ledger.entries(), lambda ledger: ledger.turn().__enter__()):
            with pytest.raises(LedgerError, match=said.get(place, "a device or a pipe")):
                use(open_ledger(place))
        assert (place.stat().st_mode, place.stat().st_size) == (before.st_mode, before.st_size)


@pytest.mark.parametrize("ledger", [3, b"x.sqlite", object(), ["x"], "", " ", float("nan")])
def test_a_ledger_is_named_by_a_path_or_a_url(tmp_path, monkeypatch, ledger):
    monkeypatch.chdir(tmp_path)
    for use in (lambda: open_ledger(ledger), lambda: find_ledger(ledger, None, tmp_path)):
        with pytest.raises(LedgerError, match="Needed a path or a URL for the ledger, but got"):
            use()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("target", [3, object(), None, "", b"out"])
def test_a_folder_is_named_by_a_path(tmp_path, target):
    with pytest.raises(OutputError, match="Needed the name of a new folder, but got"):
        carry_out(decided(str(tmp_path / "ledger.sqlite"), [up_to(59)]), target)
    with pytest.raises(SpecError, match="A policy is the path of a YAML file, but got int"):
        named_policies(3)


@pytest.mark.slow
def test_a_writer_that_does_not_end_is_told_about(place, tmp_path):
    filled(place, tmp_path)
    impatient = open_ledger(place, patience=0.2)
    decision = decided(impatient, [up_to(59)], dataset="d")
    with open_ledger(place).turn(), pytest.raises(LedgerError, match=r"another process has held it for 0.2 s"):
        carry_out(decision, tmp_path / "d")
    assert not (tmp_path / "d").exists()
    assert carry_out(decision, tmp_path / "d").release.id == "R4"


@pytest.mark.slow
@pytest.mark.parametrize("content", ["not a database at all, but a longer text" * 50, ""])
def test_another_kind_of_file_is_not_taken_for_a_ledger(tmp_path, content):
    place = tmp_path / "ledger.sqlite"
    place.write_text(content)
    if content:
        with pytest.raises(LedgerError, match="file of another kind"):
            decided(str(place), [up_to(59)])
        assert place.read_text() == content
    else:
        assert carry_out(decided(str(place), [up_to(59)]), tmp_path / "out").release.id == "R1"


@pytest.mark.slow
def test_a_place_where_nothing_can_be_written(tmp_path):
    for place in (tmp_path / "nowhere" / "ledger.sqlite", "/proc/self/ledger.sqlite", tmp_path):
        with pytest.raises(LedgerError, match=r"Needed to (write|open) the ledger"):
            carry_out(decided(str(place), [up_to(59)]), tmp_path / "out")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("url", ["mysql://host/x", "://x", "postgresql+psycopg://nobody:hushhush@localhost:1/none"])
def test_bad_addresses(url):
    with pytest.raises(LedgerError) as caught:
        decided(url, [up_to(59)])
    assert "hushhush" not in str(caught.value)


def test_urls_of_sqlite_and_of_postgresql_without_a_driver(tmp_path):
    assert database(f"sqlite:///{tmp_path}/x.sqlite").file == tmp_path / "x.sqlite"
    assert database("postgresql://me@host/base").url.drivername == "postgresql+psycopg"


@pytest.mark.slow
def test_a_folder_that_somebody_else_made_meanwhile(tmp_path, monkeypatch):
    place = str(tmp_path / "ledger.sqlite")
    decision = decided(place, [up_to(59)])
    target = tmp_path / "out"
    monkeypatch.setattr(
        "dalenius.desk.session.outcome.check_folder", lambda path: (path.mkdir(exist_ok=True), (path / "x").touch())
    )
    with pytest.raises(OutputError, match=r"R1 is recorded in .* ledger complete R1 --output DIR"):
        carry_out(decision, target)
    (stuck,) = complete(open_ledger(place))
    assert "exists" in stuck.problem
    (done,) = complete(open_ledger(place), only="R1", output=tmp_path / "elsewhere")
    assert not done.problem and (tmp_path / "elsewhere" / "figures.csv").exists()
    assert not open_ledger(place).pending()


def _started(server) -> None:
    """The server again: on a busy machine, what is left of the old one takes a moment to go."""
    for _ in range(30):
        try:
            return server.start()
        except (OSError, RuntimeError, subprocess.SubprocessError):
            time.sleep(1)
    return server.start()


@pytest.mark.slow
def test_a_database_that_goes_away_in_the_middle_loses_nothing(tmp_path, monkeypatch):
    with throwaway() as server:
        place, record = fresh(server), Turn.record
        carry_out(decided(place, [up_to(59)], dataset="a"), tmp_path / "a")
        decision = decided(place, [up_to(59)], dataset="b")

        def crash(turn, *rest):
            found = record(turn, *rest)
            pid = server.get_pid()
            os.kill(pid, signal.SIGQUIT)  # at once, without a word to anybody
            while Path(f"/proc/{pid}").exists() and "zombie" not in Path(f"/proc/{pid}/status").read_text():
                time.sleep(0.05)
            return found

        with monkeypatch.context() as patch:
            patch.setattr(Turn, "record", crash)
            with pytest.raises(LedgerError, match=r"did not answer as it should .* Nothing was written out"):
                carry_out(decision, tmp_path / "b")
        with pytest.raises(LedgerError, match="did not answer"):
            decided(place, [up_to(59)], dataset="b")
        assert not (tmp_path / "b").exists()
        _started(server)
        assert verified(open_ledger(place))["entries"] == 2
        assert carry_out(decided(place, [up_to(59)], dataset="b"), tmp_path / "b").release.id == "R2"
