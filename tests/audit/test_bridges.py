"""The wrapper for R, where R is installed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BRIDGE = Path(__file__).parents[2] / "bridges" / "dalenius.R"
HAS = shutil.which("Rscript")


def r(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    python = f'options(dalenius.command = c("{sys.executable}", "-m", "dalenius")); source("{BRIDGE}"); '
    return subprocess.run(
        [str(HAS), "-e", python + code], capture_output=True, text=True, cwd=folder, env=dict(os.environ), check=False
    )


@pytest.mark.skipif(HAS is None, reason="R is not installed")
def test_r_gets_the_answer_and_the_words_of_an_error(tmp_path):
    if r("stopifnot(requireNamespace('jsonlite'))", tmp_path).returncode:
        pytest.skip("R has no jsonlite")
    (tmp_path / "t.csv").write_text("region,count\nnorth,10\nsouth,x\nTotal,15\n")
    done = r('f <- dalenius_audit("t.csv", rules = "x means 1 to 9"); cat(f$verdict, f$numbers[[1]]$low)', tmp_path)
    assert done.stdout.strip() == "fail 5", done.stderr
    refused = r('dalenius_audit("missing.csv")', tmp_path)
    assert refused.returncode != 0 and "there is none" in refused.stderr


def test_both_wrappers_name_options_that_the_command_has():
    from typer.testing import CliRunner

    from dalenius.cli import app

    words = CliRunner().invoke(app, ["audit", "--help"], env={"COLUMNS": "200"}).output
    for name in ("dalenius.R", "dalenius_audit.ado"):
        text = (BRIDGE.parent / name).read_text(encoding="utf-8")
        options = set(re.findall(r"--[a-z]+(?:-[a-z]+)?", text))
        assert len(options) > 5 and all(option in words for option in options)
