"""Exit codes: an answer where there is one, whoever listens; and never one where something broke."""

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import typer

from dalenius.cli import main
from dalenius.desk.session import Decision
from dalenius.show.defect import DEFECT
from edges.desk import SMOKERS, dalenius, spec

GREEK = "καπνιστές"


@pytest.fixture(autouse=True)
def without_charts(monkeypatch):
    """They are most of the time of a release, and not what this is about."""
    monkeypatch.setattr("dalenius.desk.curves.measured", lambda *_: ((), None, ()))


def printed_to(monkeypatch, out, *arguments) -> tuple[object, str]:
    """The exit code of a command that prints there, and what it says on the other stream."""
    err = io.StringIO()
    monkeypatch.setattr(sys, "argv", ["dalenius", *map(str, arguments)])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main()
    # on a busy machine it says that it is still at work, which is no error
    said = [line for line in err.getvalue().splitlines(keepends=True) if not line.startswith("still ")]
    return end.value.code, "".join(said)


def latin() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="latin-1")


def full_device() -> io.TextIOWrapper:
    return Path("/dev/full").open("w", encoding="utf-8")


def broken_pipe() -> io.TextIOWrapper:
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


@pytest.mark.slow
def test_a_release_that_cannot_be_told_is_a_release(desk, monkeypatch):
    greek = spec(figures=[{**SMOKERS, "name": GREEK}])
    path = desk.put(greek)
    with full_device() as full:
        code, said = printed_to(monkeypatch, full, "release", path, "-o", desk.folder / "full")
    assert code == 0 and "No space left on device" in said and "Traceback" not in said
    with latin() as terminal:
        code, said = printed_to(monkeypatch, terminal, "release", path, "-o", desk.folder / "latin", "--json")
        shown = terminal.buffer.getvalue().decode("latin-1")
    assert (code, said) == (0, "")
    assert json.loads(shown)["figures"][0]["name"] == GREEK
    for name in ("full", "latin"):
        assert GREEK in (desk.folder / name / "figures.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("out", [latin, broken_pipe, full_device, lambda: None])
@pytest.mark.parametrize(("command", "code"), [(["theorems"], 0), (["--help"], 0), (["theorems", "nosuch"], 2)])
def test_every_command_ends_with_its_own_code_wherever_it_prints(monkeypatch, out, command, code):
    with contextlib.ExitStack() as stack:
        stream = out()
        if stream is not None:
            stack.enter_context(contextlib.suppress(OSError))
            stack.enter_context(contextlib.closing(stream))
        ended, said = printed_to(monkeypatch, stream, *command)
    assert ended == code and "Traceback" not in said


SECRET = "a value of somebody"
ESCAPED = [KeyError, BrokenPipeError, EOFError, RecursionError, AssertionError, UnicodeError]


@pytest.mark.parametrize("kind", [*ESCAPED, partial(OSError, errno.EPIPE)])
def test_what_nobody_foresaw_is_no_answer(desk, monkeypatch, kind):
    def fail(*_, **__):
        raise kind(SECRET)

    monkeypatch.setattr("dalenius.desk.session.decide", fail)
    monkeypatch.setattr("dalenius.desk.session.resume", fail)
    path = desk.put()
    for command in (["check", path], ["release", path, "-o", desk.folder / "out"], ["check", path, "--json"]):
        answer = dalenius(*command)
        assert answer.code == DEFECT
        assert f"dalenius failed by itself ({type(kind(SECRET)).__name__} at cli/release.py:" in answer.err
        assert "neither allowed nor refused" in answer.err and "all else was not released" in answer.err
        assert SECRET not in answer.err + answer.out and "Traceback" not in answer.err
    assert answer.json["verdict"] is None and answer.json["errors"] and answer.json["done"]


@pytest.mark.parametrize("kind", [typer.Abort, KeyboardInterrupt])
def test_who_stops_a_command_gets_no_answer(desk, monkeypatch, kind):
    def fail(*_, **__):
        raise kind

    monkeypatch.setattr("dalenius.desk.session.decide", fail)
    answer = dalenius("check", desk.put())
    assert answer.code == 130 and "all else was not released" in answer.err


@pytest.mark.slow
def test_a_defect_says_what_was_done_before(desk, monkeypatch):
    path, place = desk.put(), desk.folder / "ledger.sqlite"

    def fail(*_, **__):
        raise ZeroDivisionError(SECRET)

    def told(name):
        return dalenius("release", path, "-o", desk.folder / name, "--ledger", place, "--seconds", 0)

    with monkeypatch.context() as patch:
        patch.setattr("dalenius.desk.session.outcome.folder_files", fail)
        answer = told("before")
    assert answer.code == DEFECT and answer.err.endswith("Nothing was recorded, and nothing was released.\n")
    assert not place.exists() and not (desk.folder / "before").exists()
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.desk.session.outcome.finish", fail)
        answer = told("recorded")
    assert answer.code == DEFECT and f"R1 is recorded in {place} and counts as released" in answer.err
    with monkeypatch.context() as patch:
        patch.setattr(Decision, "judged_with", property(fail))
        patch.setattr("dalenius.cli.release.WRITTEN", None)
        answer = told("written")
    assert (
        answer.code == DEFECT and f"R2 is recorded in {place} and written to {desk.folder / 'written'}." in answer.err
    )
    assert (desk.folder / "written" / "figures.csv").exists()


@pytest.mark.slow
def test_a_user_without_a_name_releases_too(desk, monkeypatch):
    def unknown(*_):
        raise KeyError("getpwuid(): uid not found: 4711")

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    place = desk.folder / "ledger.sqlite"
    assert desk.release(None, None, "--ledger", place, "--seconds", 0).code == 0
    assert dalenius("ledger", "list", "--json", "--ledger", place).json[0]["user"] == f"uid {os.getuid()}"


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["check", "nowhere.yaml"], 2), (["schema"], 0)])
def test_the_program_ends_as_the_command_does(arguments, code, tmp_path):
    """It takes nothing apart at the end: all is said by then, and what was to be done at the end is done."""
    at_end = tmp_path / "at the end"
    script = f"import atexit, pathlib; atexit.register(pathlib.Path({str(at_end)!r}).touch)"
    run = f"{script}; import sys; sys.argv[1:] = {arguments!r}; from dalenius.cli import start; start()"
    said = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert said.returncode == code and "Traceback" not in said.stderr
    assert at_end.exists()
    if code:
        assert said.stderr.endswith("name the file itself.\n") and not said.stdout
    else:
        assert said.stdout.endswith("\n") and not said.stderr


def test_the_program_waits_for_work_that_is_not_done(tmp_path):
    later = tmp_path / "later"
    touch = f"(time.sleep(0.3), pathlib.Path({str(later)!r}).touch())"
    work = f"import threading, time, pathlib; threading.Thread(target=lambda: {touch}).start()"
    run = f"{work}; import sys; sys.argv[1:] = ['--version']; from dalenius.cli import start; start()"
    assert subprocess.run([sys.executable, "-c", run], capture_output=True, check=False).returncode == 0
    assert later.exists()
