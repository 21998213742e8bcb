"""dalenius rules, as text, for machines, and as a chart."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
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
        (["--chart", "rules.pdf"], "written as .svg"),
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
def test_a_chart_is_a_picture_that_needs_nothing_else(tmp_path):
    draw_rules(tmp_path / "rules.svg", epsilons=[Fraction(1), Fraction(2)], marked=4)
    tree = ET.parse(tmp_path / "rules.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    lines = tree.findall(f"{space}polyline")
    words = [found.text for found in tree.iter(f"{space}text")]
    assert len(lines) == 2 and {"epsilon 1", "epsilon 2", "threshold 4"} <= set(words)
    heights = [[float(point.split(",")[1]) for point in line.get("points").split()] for line in lines]
    assert all(low >= high for low, high in zip(heights[1], heights[0], strict=True))  # downwards, there is less left
    assert all(sorted(curve) == curve for curve in heights)  # of counts that are hidden, the more the safer
