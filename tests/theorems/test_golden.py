"""Golden values that the catalogue speaks of, and no other test reproduces."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.beliefs.sample_sizes import Discarding, others_in_sample
from dalenius.beliefs.truncated import complete_cell

GOLDEN = Path(__file__).parents[1] / "golden"
SEMANTICS = json.loads((GOLDEN / "semantics.json").read_text(encoding="utf-8"))
CW = SEMANTICS["CW"]
NEAR = 1e-9


def exactly(number):
    return Fraction(str(number))


@pytest.mark.slow
def test_a_cell_of_which_nobody_is_discarded():
    case = CW["thm10_counterexample_without_replacement"][0]
    scheme = Discarding(case["n0"], exactly(case["eps"]), exactly(case["delta"]))
    others = others_in_sample(scheme.sizes, person="listed")
    found = complete_cell(others, case["cell_members"] - 1, case["n0"] - case["cell_members"])
    assert found.lower <= case["prob_cell_untouched"] * (1 + NEAR)
    assert found.upper >= case["prob_cell_untouched"] * (1 - NEAR)
    assert found.width < 1e-9
    assert found.lower > case["claimed_3delta"]
