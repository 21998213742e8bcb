"""dalenius rules, as text, for machines, and as a chart."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from typer.testing import CliRunner

import dalenius as dl
from dalenius.cli import app
from dalenius.show.rule_chart import draw_rules


def run(*words):
    return CliRunner().invoke(app, ["rules", *words], prog_name="dalenius")


@pytest.mark.slow
def test_the_command_tells_what_a_rule_is_worth():
    shown = run("--threshold", "10", "--epsilon", "1", "--epsilon", "2", "--delta", "1e-6").output
    assert "0.0009467" in shown and "6.061e-7" in shown
    assert "hide below 26, zeros too" in shown and "hide below 10, zeros too" in shown
    assert "whether or not one took part" in shown and "by subtraction" in shown


@pytest.mark.slow
def test_json_has_the_same_numbers():
    found = json.loads(run("--threshold", "20", "--epsilon", "1", "--json").output)
    low, high = found["asked"][0]["delta"]
    assert low <= 9.15473586201e-06 <= high and len(found["beside"]) == 4 and found["needed"] == []
    shown = json.loads(run("--zeros", "shown", "--round", "5", "--known", "1", "--rate", "0.3", "--json").output)
    assert shown["asked"][0]["delta"][0] > 0.999 and "for sure" in shown["asked"][0]["why"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--threshold", "0"], "at least 1, but got 0"),
        (["--zeros", "maybe"], '"hidden" or "shown"'),
        (["--epsilon", "-1"], "from 0 to 100"),
        (["--rate", "1"], "between 0 and 1"),
        (["--secret", "all"], '"presence" or "value"'),
        (["--delta", "2"], "delta must lie"),
        (["--chart", "rules.pdf"], ".svg or .png"),
        (["--chart", "/nowhere/at/all/rules.svg"], "folder that exists"),
    ],
)
def test_bad_input_is_told(words, told):
    failed = run(*words)
    assert isinstance(failed.exception, dl.InputError) and told in str(failed.exception)


@pytest.mark.slow
def test_bad_input_ends_with_2():
    words = [sys.executable, "-m", "dalenius", "rules", "--threshold", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "at least 1, but got 0" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rules.svg", "rules.png"])
def test_a_chart_is_drawn_offline(tmp_path, name):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    draw_rules(tmp_path / name, epsilons=[Fraction(1)], marked=4)
    drawn = (tmp_path / name).read_bytes()
    assert drawn[:4] in (b"<svg", b"\x89PNG") and len(drawn) > 5000


def test_without_the_extra_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(dl.InputError, match=r"dalenius\[charts\]"):
        draw_rules(tmp_path / "rules.svg", epsilons=[], marked=4)


@pytest.mark.slow
def test_importing_the_package_and_its_rules_loads_no_chart_library():
    code = (
        "import sys, dalenius as dl; dl.rules.worth(dl.rules.Threshold(5), epsilon=1); print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
