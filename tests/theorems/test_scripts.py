"""The scripts in examples/papers run, and print the numbers that are known independently."""

import runpy
from pathlib import Path

import pytest

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
SAYS = {
    "noiseless_figures": ("0.4673", "4.473e-7", "0.0188", "0.0369", "n = 1121 on", "n = 1342 on", "80000"),
    "noiseless_figure_5": ("at n = 1120 (1120.43)", "at n = 1342 (1341.81)", "not proved for all events"),
    "side_information": ("0.4621", "1.346", "0.01307", "1.062e-5"),
    "pufferfish": ("1.6201", "0.5909", "0.838983", "5.2105", "[0.01841, 0.01842]", "ε = 100"),
    "coupled_worlds": ("0.5", "unknown 1, known 0", "0.00268", "9.697e-7", "k = 41", "0.002332", "0.07958", "0.09179"),
    "two_tables": ("AIDS",),
    "smoking": ("Alice",),
    "noiseless": ("δ = 0",),
}


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(PAPERS.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_prints_the_papers_numbers_beside_ours(script, capsys):
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    for number in SAYS[script.stem]:
        assert number in printed
