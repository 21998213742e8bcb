"""What every command prints with --json keeps to its schema."""

import contextlib
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dalenius.cli import app, main
from dalenius.cli.app import COMMANDS, load
from dalenius.desk.examples.demo import specify
from dalenius.show.schemas import SHAPES, schema

EXAMPLES = Path(__file__).parent.parent.parent / "src" / "dalenius" / "desk" / "examples"
TABLE = "ward,young,old,Total\nnorth,x,41,44\nsouth,28,x,80\nTotal,31,93,124\n"


def printed(command: str, *options: str, codes: tuple[int, ...] = (0,)) -> Any:
    shown = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(shown):
        patch.setattr("sys.argv", ["dalenius", *command.split(), *options, "--json"])
        with pytest.raises(SystemExit) as left:
            main()
    assert left.value.code in codes, (command, shown.getvalue())
    told = json.loads(shown.getvalue())
    wrong = jsonschema.Draft202012Validator(schema(command)).iter_errors(told)
    assert not [each.path for error in wrong for each in error.context], command
    refused = isinstance(told, dict) and "errors" in told
    assert refused == (left.value.code == 2), told
    return told


def test_every_command_that_prints_json_has_a_schema() -> None:
    load(COMMANDS)
    with_json = {
        " ".join(filter(None, (group, command.name or command.callback.__name__)))
        for group, commands in [
            ("", app.registered_commands),
            *((group.name, group.typer_instance.registered_commands) for group in app.registered_groups),
        ]
        for command in commands
        if "json_" in command.callback.__annotations__
    }
    lines = {"ledger export"}  # JSON lines: one entry each, as `ledger show` prints the body of one
    assert with_json - lines == set(SHAPES)


def test_every_schema_is_one() -> None:
    for command in SHAPES:
        jsonschema.Draft202012Validator.check_schema(schema(command))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return specify(tmp_path_factory.mktemp("schemas") / "demo")


@pytest.mark.slow
def test_a_release_and_its_ledger(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    printed("check", "release.yaml", "--seconds", "0")
    printed("check", "release.yaml", "--quick")
    assert printed("release", "release.yaml", "-o", "out", "--seconds", "0")["release"] == "R1"
    assert printed("release", "release.yaml", "-o", "out", "--seconds", "0", codes=(0, 1, 2, 3))
    assert printed("verify", "out/certificate.json", "--figures", "out/figures.csv")["verdict"] == "holds"
    assert printed("ledger list")[0]["release"] == "R1"
    assert printed("ledger show", "R1")["dataset"] == "register"
    head = printed("ledger verify")
    assert head["entries"] == 2
    assert printed("key new", "mine.key")["public"] == "mine.key.pub"
    assert printed("sign", "out/certificate.json", "--key", "mine.key", "-o", "mine.sig")["signature"] == "mine.sig"
    assert printed("ledger sign", "--holds", head["head"], "--ledger-key", "mine.key")["until"] == 2
    printed("ledger complete")
    printed("explain", "release.yaml", "--seconds", "0")


@pytest.mark.slow
def test_what_may_not_go_out_and_who_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("differencing.yaml", "survey.csv"):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    assert printed("check", "differencing.yaml", codes=(1,))["verdict"] == "fail"
    assert printed("next", "differencing.yaml", "--seconds", "2", codes=(0, 1, 3))["tried"]
    assert printed("plan", "differencing.yaml", codes=(0, 1, 3))["alternatives"]
    assert printed("review submit", "differencing.yaml", "--words", "we need it", codes=(0, 1, 3))["submission"] == "S1"
    printed("review comment", "S1", "--words", "why?")
    monkeypatch.setenv("LOGNAME", "somebody else")
    printed("review reject", "S1", "--because", "no", codes=(0, 1, 2, 3))
    printed("review show", "S1")
    assert printed("review list")[0]["submission"] == "S1"


def test_tables_without_data(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE, encoding="utf-8")
    assert printed("audit", str(tmp_path / "a.csv"), codes=(1,))["verdict"] == "fail"


def test_a_program_that_is_no_mechanism(tmp_path: Path) -> None:
    program = tmp_path / "tells.py"
    program.write_text("import sys\nfor line in sys.stdin: print(line.count('1'), flush=True)\n", encoding="utf-8")
    for name, records in (("a.json", [1, 0]), ("b.json", [0, 0])):
        (tmp_path / name).write_text(json.dumps(records), encoding="utf-8")
    files = ["--first", str(tmp_path / "a.json"), "--second", str(tmp_path / "b.json")]
    program_words = shlex.join([sys.executable, str(program)])
    assert printed("audit-mechanism", program_words, *files, "--draws", "2000", codes=(1,))["refuted"]


@pytest.mark.slow
def test_what_needs_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed("rules", "--threshold", "5")
    printed("theorems")
    printed("respond", "--epsilon", "1", "--people", "100", "--yes", "30")
    printed("respond", "--epsilon", "1", "--accuracy", "0.05")
    printed("doctor")
    printed("schema")
    printed("schema", "ledger", "list")


def test_a_refusal_keeps_to_the_schema_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command, rest in (("check", ["none.yaml"]), ("ledger list", []), ("review show", ["S1"]), ("schema", ["new"])):
        assert printed(command, *rest, codes=(2,))["errors"]


def test_every_command_says_its_exit_codes() -> None:
    """In its help; a group says it once for each of its commands."""
    from typer.testing import CliRunner

    page = (EXAMPLES.parent.parent.parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    for part in page.split("\n## ")[1:]:
        assert "Exit codes" in part or "COMMAND [ARGS]" in part, part.split("\n")[0]
        assert all(len(line) <= 80 for line in part.splitlines())
    assert "Exit codes" in CliRunner().invoke(app, ["--help"]).output


def test_messages_fit_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["dalenius", "check", "there is no such file.yaml"])
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().err.removeprefix("\r\x1b[K")  # a bar that was taken away
    assert told.startswith("Error: ")
    assert len(told.splitlines()) > 1
    assert all(len(line) <= 80 for line in told.splitlines())


def test_every_command_is_in_the_module_in_which_it_is_looked_for() -> None:
    load(COMMANDS)
    found = {
        each.name or each.callback.__name__: each.callback.__module__
        for each in app.registered_commands
        if each.callback
    }
    groups = {each.name for each in app.registered_groups}
    assert found.keys() | groups == COMMANDS.keys()
    assert {name: f"dalenius.cli.{COMMANDS[name]}" for name in found} == found


def test_a_command_is_loaded_without_the_others() -> None:
    runs = "import sys; from dalenius.cli import app; app(['check', '--help'], standalone_mode=False)"
    done = subprocess.run(
        [sys.executable, "-c", f"{runs}; print(*sys.modules)"], check=True, capture_output=True, text=True
    )
    others = {f"dalenius.cli.{module}" for module in COMMANDS.values()}
    assert others.intersection(done.stdout.split()) == {"dalenius.cli.release"}
