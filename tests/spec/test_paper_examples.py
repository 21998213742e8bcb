"""The examples of the papers that teach most, as specifications that anybody can run."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalenius.cli import app

HERE = Path(__file__).parents[2] / "examples" / "specifications"
SAYS = {
    "parity": ("the total is odd", "fail"),
    "exam_queue": ("hidden by one member of each of 1 household", "fail"),
    "name_and_shame": ("1 record, which the attacker does not know", "fail"),
}


def test_every_specification_is_told() -> None:
    assert {path.stem for path in HERE.glob("*.yaml")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_is_refused_for_the_reason_that_it_teaches(name: str, tmp_path: Path) -> None:
    for path in HERE.iterdir():
        shutil.copy(path, tmp_path)
    result = CliRunner().invoke(app, ["check", str(tmp_path / f"{name}.yaml"), "--quick"])
    assert result.exit_code == 1, result.output
    said = " ".join(result.output.split())
    for words in SAYS[name]:
        assert words in said


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("parity", {"probabilities: {0: 0.5, 1: 0, 2: 0.5}": "probabilities: {0: 0.4, 1: 0.2, 2: 0.4}"}),
        ("exam_queue", {'where: {came: "yes"}}': 'where: {came: "yes"}, noise: {geometric: 60}}'}),
        ("name_and_shame", {"seat: drawn}": "seat: others}", "epsilon: 0.5": "epsilon: 1"}),
    ],
)
def test_what_is_missing_is_what_would_let_it_out(name: str, change: dict[str, str], tmp_path: Path) -> None:
    """Some people with one hour; noise for a whole queue; and 499 people instead of one."""
    for path in HERE.iterdir():
        shutil.copy(path, tmp_path)
    place = tmp_path / f"{name}.yaml"
    text = place.read_text(encoding="utf-8")
    for before, after in change.items():
        assert before in text
        text = text.replace(before, after)
    place.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(place), "--quick"])
    assert result.exit_code == 0, result.output
