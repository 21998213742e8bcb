"""`dalenius doctor` says what would be used, and what is broken, and names no password."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalenius.cli import app
from dalenius.desk.doctor import Item, as_json, examined, is_well
from dalenius.show.doctor import examination


def test_here_all_that_is_needed_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DALENIUS_POLICY", raising=False)
    found = CliRunner().invoke(app, ["doctor"])
    assert found.exit_code == 0, found.output
    assert "All that is needed is there." in found.output
    assert "not there yet" in found.output
    told = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).output)
    assert told["well"] is True
    assert {item["state"] for item in told["items"]} <= {"ok", "missing"}


def test_a_policy_that_cannot_be_read_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("epsilon: 0.5\nsafe_round_base: 5\n", encoding="utf-8")
    bad.write_text("epsilonn: 0.5\n", encoding="utf-8")
    told = CliRunner().invoke(app, ["doctor", "--policy", str(good)])
    assert told.exit_code == 0
    assert "epsilon at most 0.5" in told.output
    assert "safe_round_base" in told.output
    monkeypatch.setenv("DALENIUS_POLICY", str(bad))
    broken = CliRunner().invoke(app, ["doctor"])
    assert broken.exit_code == 2
    assert "Broken: policy. Mend that first." in broken.output


@pytest.mark.slow
def test_a_ledger_that_is_none_is_broken_and_its_password_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DALENIUS_POLICY", raising=False)
    (tmp_path / "other.sqlite").write_bytes(b"no database")
    assert CliRunner().invoke(app, ["doctor", "--ledger", "other.sqlite"]).exit_code == 2
    address = "postgresql+psycopg://anna:hunter2@127.0.0.1:1/none"
    told = CliRunner().invoke(app, ["doctor", "--ledger", address])
    assert told.exit_code == 2
    assert "hunter2" not in told.output


def test_what_is_missing_is_no_defect_and_what_is_broken_is_one() -> None:
    fine = Item("java", "not found", "missing")
    broken = Item("DuckDB", "does not work here", "broken")
    assert is_well((fine,))
    assert not is_well((fine, broken))
    assert as_json((broken,))["well"] is False
    assert "Broken: DuckDB." in examination([fine, broken])


def test_what_is_needed_is_what_the_package_declares(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    import importlib.metadata

    def gone(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", gone)
    states = {item.what: item.state for item in examined("1.0")}
    assert states["numpy"] == "broken"
    assert states["psycopg"] == "missing"
