"""The specifications of thirty real tables (`benchmarks/real_tables`) are read; their outcome is measured there."""

from pathlib import Path

import pytest
import yaml

from dalenius.desk.spec import build, spec_of

FOLDER = Path(__file__).parents[2] / "benchmarks" / "real_tables"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_asked_for_and_what_was_asked_for_first_is_read(file: Path) -> None:
    asked, first = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (file, FOLDER / "first" / file.name))
    for content in (asked, first):
        assert content["target"] == {"epsilon": 1, "delta": "1e-6"} and content["data"] == f"{file.stem}.csv"
        assert build(spec_of(content)).figures
    assert asked["attacker"] == first["attacker"]  # coarser figures, not a weaker attacker


def test_there_are_thirty() -> None:
    assert len(FILES) == 30
