"""The page of the noise that is saved says what the code finds; a few of its lines are computed again."""

import pytest
from benchmarks.noise_saved import GRID, HEAD, PAGE, saved


def test_the_page_has_every_case() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.startswith(HEAD)
    for case in GRID:
        assert "| " + " | ".join(map(str, case)) + " |" in text


@pytest.mark.slow
@pytest.mark.parametrize("case", [GRID[0], GRID[7], GRID[-1]])
def test_lines_hold(case: tuple[int, str, str, str, str]) -> None:
    found = saved(case)
    assert found.line() in PAGE.read_text(encoding="utf-8")
    assert found.geometric <= found.dp_geometric * 1.011
    assert found.gaussian <= found.dp_gaussian * 1.011
    assert found.moments is None or min(found.geometric, found.gaussian) <= found.moments * 1.011
