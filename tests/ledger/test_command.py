"""The command line: where the ledger is, what it shows, and the same command again after a crash."""

import contextlib
import json
import os
import shutil
import stat
import sys

import pytest

from dalenius.cli import main
from dalenius.record.ledger import Turn
from edges.desk import SMOKERS, Desk, dalenius, people, spec


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.delenv("DALENIUS_LEDGER")
    return Desk(tmp_path)


@pytest.mark.slow
def test_releases_are_recorded_beside_the_specification_and_the_place_is_told(desk, monkeypatch):
    monkeypatch.chdir(desk.folder)
    answer = desk.release()
    assert answer.code == 0, answer
    ledger = desk.folder / "dalenius-ledger.sqlite"
    assert f"Recorded: R1 in {ledger}" in answer.out
    assert "before: {R1: 1}" in answer.out  # what a table that comes out again will need
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    listed = dalenius("ledger", "list", "--json").json
    assert [(one["release"], one["state"], one["figures"]) for one in listed] == [("R1", "written", ["smokers"])]
    assert "R1" in dalenius("ledger", "list").out
    shown = dalenius("ledger", "show", "R1")
    assert "smokers: count where smoker = yes; exact" in shown.out
    assert dalenius("ledger", "show", "R1", "--json").json["figures"][0]["name"] == "smokers"
    entries = [json.loads(line) for line in dalenius("ledger", "export").out.splitlines()]
    assert [entry["kind"] for entry in entries] == ["release", "written"]
    told = dalenius("ledger", "verify").out
    assert told.startswith(f"Unbroken: 2 entries, head {entries[-1]['hash']}\nNot signed: whoever can write")
    assert "Entries cut off at the end are noticed by a noted hash only" in told
    assert dalenius("ledger", "verify", "--holds", entries[0]["hash"], "--json").json["entries"] == 2
    assert dalenius("ledger", "complete").out == "Everything that was recorded on this machine is written.\n"
    assert dalenius("ledger", "show", "R7").code == 2
    assert "which has R1, but got R7" in dalenius("ledger", "show", "R7").err
    assert dalenius("ledger", "verify", "--holds", "abc").code == 2


@pytest.mark.slow
def test_a_folder_that_was_lost_is_written_once_more(desk, monkeypatch):
    monkeypatch.chdir(desk.folder)
    assert desk.release().code == 0

    def files(name):
        return {path.name: path.read_bytes() for path in (desk.folder / name).rglob("*") if path.is_file()}

    before = files("out")
    assert dalenius("ledger", "complete", "R1", "-o", "copy").code == 0
    assert files("copy") == before
    shutil.rmtree(desk.folder / "out")
    assert dalenius("ledger", "complete", "R1").code == 0
    assert files("out") == before
    (desk.folder / "taken").mkdir()
    answer = dalenius("ledger", "complete", "R1", "-o", "taken")
    assert answer.code == 2 and "not written: Needed a new folder" in answer.err
    answer = dalenius("ledger", "complete", "-o", "more")
    assert answer.code == 2 and "but none is named" in answer.err
    assert len(dalenius("ledger", "export").out.splitlines()) == 2


@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["show", "R1"], ["verify"], ["export"]])
def test_a_ledger_that_is_not_there_is_not_an_empty_one(command, tmp_path):
    place = tmp_path / "misspelt.sqlite"
    answer = dalenius("ledger", *command, "--ledger", place)
    assert answer.code == 2 and f"Needed a ledger at {place}, but there is none." in answer.err
    assert not place.exists()


def unread(monkeypatch, *arguments) -> object:
    """The exit code of a command whose output goes into a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "argv", ["dalenius", *map(str, arguments)])
    with os.fdopen(writer, "w") as out, contextlib.redirect_stdout(out), pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.mark.slow
def test_a_reader_who_leaves_changes_nothing(desk, monkeypatch):
    place = desk.folder / "dalenius-ledger.sqlite"
    assert unread(monkeypatch, "release", desk.put(), "-o", desk.folder / "out") == 0
    assert (desk.folder / "out" / "figures.csv").exists()
    for command in (["list"], ["show", "R1"], ["export"], ["verify", "--json"]):
        assert unread(monkeypatch, "ledger", *command, "--ledger", place) == 0
    assert unread(monkeypatch, "ledger", "show", "R7", "--ledger", place) == 2


@pytest.mark.slow
def test_check_reads_the_ledger_and_writes_nothing(desk):
    place = desk.folder / "dalenius-ledger.sqlite"
    assert desk.check().out.endswith(f"\nLedger: {place} (not there yet: no earlier release)\n")
    place.touch()
    assert f"Ledger: {place} (the file is empty: nothing was recorded there, or all of it is lost" in desk.check().out
    place.unlink()
    assert desk.release(spec(figures=[SMOKERS])).code == 0
    before = desk.files()
    rest = spec(figures=[{**SMOKERS, "name": "north", "where": {"smoker": "yes", "region": "north"}}])
    answer = desk.check(rest)
    assert answer.code in (0, 1) and "R1/smokers" in answer.out
    assert desk.files() == before
    assert answer.out.endswith(f"\nLedger: {place} (1 earlier release of 'people')\n")
    found = dalenius("check", desk.put(rest), "--json", "--seconds", 0).json
    assert [found[key] for key in ("ledger", "ledger_exists", "earlier_releases")] == [str(place), True, 1]
    few = people()
    assert desk.check(rest, few | {"region": ["south"] * 399 + ["north"]}).code in (1, 3)


@pytest.mark.slow
def test_the_place_may_be_given_named_or_in_the_environment(desk, monkeypatch):
    other = desk.folder / "other.sqlite"
    assert desk.release(None, None, "--ledger", other).code == 0
    assert other.exists() and not (desk.folder / "dalenius-ledger.sqlite").exists()
    monkeypatch.setenv("DALENIUS_LEDGER", str(other))
    assert dalenius("release", desk.put(), "-o", desk.folder / "two", "--json", "--seconds", 0).json["release"] == "R2"
    named = desk.put(spec(ledger="third.sqlite"))
    answer = dalenius("release", named, "-o", desk.folder / "three", "--json", "--seconds", 0).json
    assert (answer["release"], answer["ledger"]) == ("R1", str(desk.folder / "third.sqlite"))


@pytest.mark.slow
def test_a_secret_does_not_become_public(desk):
    assert desk.release(spec()).code == 0
    content = spec(public={"region": ["north", "south"], "smoker": ["no", "yes"]})
    content["confidential"].pop("smoker")
    content["beliefs"].pop("smoker")
    content["figures"] = [{"name": "all", "kind": "count", "by": "smoker"}]
    answer = desk.check(content)
    assert answer.code == 2
    assert "'smoker' was declared confidential when R1 was released, but now it is public" in answer.err


@pytest.mark.slow
def test_the_same_command_after_a_crash_writes_what_was_recorded(desk, monkeypatch):
    noisy = spec(figures=[{**SMOKERS, "noise": {"geometric": 50}}])

    def crash(*_):
        raise KeyboardInterrupt

    path = desk.put(noisy)
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.desk.session.outcome.finish", crash)
        assert dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0).code == 130
    assert not (desk.folder / "out").exists()
    place = ["--ledger", desk.folder / "dalenius-ledger.sqlite"]
    drawn = dalenius("ledger", "show", "R1", "--json", *place).json["figures"][0]["numbers"]
    assert dalenius("ledger", "list", "--json", *place).json[0]["state"] == "recorded"
    answer = dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0)
    assert answer.code == 0, answer
    assert "R1 was recorded at" in answer.err and "These figures were released before: R1" in answer.out
    assert [row["value"] for row in desk.figures()] == [number for _, number in drawn]
    assert len(dalenius("ledger", "list", "--json", *place).json) == 1
    answer = dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0)
    assert answer.code == 2 and "is there already" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("change", ["target", "attacker", "policy", "persons"])
def test_what_was_cut_short_is_not_taken_for_a_release_of_something_else(desk, monkeypatch, change):
    """Its folder is written, since it counts as released; but what is asked for now was not released by that."""
    path = desk.put()
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.desk.session.outcome.finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0).code == 130
    more = []
    if change == "policy":
        (desk.folder / "strict.yaml").write_text("name: strict\ndelta: 1e-12\n")
        more = ["--policy", desk.folder / "strict.yaml"]
    elif change == "persons":
        table = people()
        table["region"] = ["south", *table["region"][1:]]
        path = desk.put(table=table)
    else:
        changes = {"target": {"epsilon": "0.001", "delta": "1e-12"}, "attacker": {"knows": "0.9", "source": "a"}}
        path = desk.put(spec(**{change: changes[change]}))
    answer = dalenius("release", path, "-o", desk.folder / "out", *more, "--seconds", 0)
    assert answer.code == 2, answer
    assert "R1 was recorded at" in answer.err and "out is there already" in answer.err
    assert "released before" not in answer.out


@pytest.mark.slow
def test_another_command_completes_what_was_cut_short_and_goes_on(desk, monkeypatch):
    path = desk.put()
    with monkeypatch.context() as patch:
        patch.setattr(Turn, "written", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0).code == 130
    answer = dalenius("release", path, "-o", desk.folder / "more", "--json", "--seconds", 0)
    assert answer.code == 0 and answer.json["release"] == "R2"
    assert "R1 was recorded at" in answer.err


@pytest.mark.slow
def test_a_real_table_that_changed_is_for_review(desk):
    assert desk.release().code == 0
    table = people()
    table["id"][0] = "somebody else"
    answer = dalenius("check", desk.put(None, table), "--seconds", 0)
    assert answer.code == 3
    assert "the table is not what it was when R1 was released" in " ".join(answer.out.split())


@pytest.mark.slow
def test_editions_with_a_real_table(desk):
    table = people(400) | {"since": [1] * 399 + [2]}
    public = {"region": ["north", "south"], "since": {"unit": 1, "bounds": [1, 50]}}
    first = spec(figures=[SMOKERS], public=public, edition={"now": 1, "since": "since"})
    assert desk.release(first, {name: column[:399] for name, column in table.items()}).code == 0
    answer = dalenius("check", desk.put({**first, "edition": {"now": 2, "since": "since"}}, table), "--seconds", 0)
    assert answer.code == 1
    assert "smokers − R1/smokers" in " ".join(answer.out.split())
    assert dalenius("check", desk.put(first, table), "--quick").code == 0
