"""Noise hides the people of one region, whatever is believed of all records at once, of whom they are a part: from
`check` to the confirmed certificate.
"""

import json
import math
from pathlib import Path

import pytest

from dalenius_checker.__main__ import run
from edges.desk import Desk, dalenius, spec

LAW = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}
FLAT = {"probabilities": {"0 to 9000": 1}, "source": "tax tables"}
NORTH = {"name": "smokers", "kind": "count", "where": {"smoker": "yes", "region": "north"}}
BELIEFS = {
    "hedged": {"smoker": {**LAW, "hedged": "0.001"}, "income": FLAT},
    "varied": {"smoker": LAW, "income": {"variance": 1_000_000, "source": "tax tables"}},
}
FIGURES = {
    "hedged": NORTH,
    "varied": {"name": "income", "kind": "sum", "column": "income", "where": {"region": "north"}},
}


def told(scale: float, far: int, epsilon: float) -> float:
    """Geometric noise against itself, moved so far."""
    x = math.exp(-1 / scale)
    law = {k: (1 - x) / (1 + x) * x ** abs(k) for k in range(-2000, 2001)}
    return math.fsum(max(0.0, p - math.exp(epsilon) * law.get(k - far, 0.0)) for k, p in law.items())


@pytest.mark.parametrize("share", ["1", "0.9"])
@pytest.mark.parametrize("belief", BELIEFS)
def test_it_is_certified_released_and_confirmed(tmp_path: Path, belief: str, share: str) -> None:
    far = {"hedged": 1, "varied": 9}[belief]
    scale = float(share) * 2 * far
    figure = {**FIGURES[belief], "noise": {"geometric": str(scale)}}
    truth = 0.0 if share == "1" else told(scale, far, 0.5)
    delta = "1e-9" if not truth else str(truth * 1.0001)
    keys = spec(beliefs=BELIEFS[belief], figures=[figure], target={"epsilon": "0.5", "delta": delta})
    desk = Desk(tmp_path)
    answer = desk.release(keys, None, "--json", "--seconds", "1")
    assert answer.code == 0, answer
    document = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert truth * (1 - 1e-12) <= max(group["delta"][1] for group in answer.json["groups"]) <= truth * (1 + 1e-9)
    assert document["attacker"]["largest_known"] == 399  # whatever is known of the others
    certificate = tmp_path / "out" / "certificate.json"
    assert dalenius("verify", certificate).code == 0
    assert run([str(certificate)])[0] == 0
    noise = {"geometric": str(scale * 0.999)}
    least = spec(**{**keys, "figures": [{**figure, "noise": noise}], "target": {"epsilon": "0.5", "delta": delta}})
    assert desk.verdict(least).code == 3
