"""In which order figures and columns stand in a specification never matters: not for verdict, witnesses and plan."""

import copy
import random
from collections.abc import Mapping

import pandas as pd
import pytest

import dalenius as dl
from amount import ALL, repetitions
from dalenius.plan import Publish

PEOPLE = 90
BASE = {
    "person": "id",
    "public": {"region": ["n", "s"], "age": {"bins": [0, 30, 99]}},
    "confidential": {
        "smoker": ["no", "yes"],
        "flu": {"values": ["no", "yes"], "missing": "as a value"},
        "visits": {"bounds": [0, 3], "missing": "as a value"},
    },
    "attacker": {"knows": 3, "source": "x"},
    "target": {"epsilon": 1, "delta": "1e-3"},
}
SMOKER = {"probabilities": {"yes": "0.4", "no": "rest"}, "source": "x"}
FLU = {"probabilities": {"yes": "0.3", "missing": "0.1", "no": "rest"}, "source": "x", "weight": "0.5"}
VISITS = {"probabilities": {"0": "0.3", "1": "0.3", "2": "0.2", "3": "0.1", "missing": "0.1"}, "source": "x"}
BOTH = {
    "columns": ["smoker", "flu"],
    "probabilities": {
        "yes": {"yes": "0.2", "no": "0.15", "missing": "0.05"},
        "no": {"yes": "0.1", "no": "0.45", "missing": "0.05"},
    },
    "source": "x",
}
CASES = {
    "kinds": {
        "beliefs": {"smoker": SMOKER, "flu": FLU, "visits": VISITS},
        "figures": [
            {"name": "smoking", "kind": "percentage", "of": {"smoker": "yes"}, "by": "region"},
            {"name": "middle", "kind": "median", "column": "visits"},
            {"name": "flu", "kind": "count", "where": {"flu": "yes"}, "by": ["region", "age"]},
            {"name": "mean", "kind": "mean", "column": "visits", "missing": "leave out of this figure"},
        ],
    },
    "together": {
        "beliefs": [BOTH, {"columns": "visits", **VISITS}],
        "figures": [
            {"name": "cross", "kind": "count", "by": ["smoker", "flu"]},
            {"name": "of one", "kind": "count", "where": {"flu": "missing"}, "by": "region"},
            {"name": "all", "kind": "sum", "column": "visits", "noise": {"geometric": 8}},
        ],
    },
    "unknown": {
        "beliefs": {"smoker": "unknown", "flu": {"none_below": "0.2", "source": "x"}, "visits": VISITS},
        "figures": [
            {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "noise": {"geometric": 2}},
            {"name": "flu", "kind": "count", "where": {"flu": "yes"}, "by": "region"},
        ],
    },
}


def table() -> pd.DataFrame:
    dice = random.Random(3)
    rows = [
        {
            "id": f"p{n}",
            "region": dice.choice("ns"),
            "age": dice.randrange(99),
            "smoker": dice.choice(["no", "yes"]),
            "flu": dice.choice(["no", "yes", None]),
            "visits": dice.choice([0, 1, 2, 3, None]),
        }
        for n in range(PEOPLE)
    ]
    return pd.DataFrame(rows)


def shuffled(spec: Mapping[str, object], seed: int) -> dict[str, object]:
    """Figures, columns and beliefs in another order, and the columns of the table too."""
    dice, found = random.Random(seed), copy.deepcopy(dict(spec))
    for key in ("public", "confidential", "beliefs"):
        part = found[key]
        items = list(part.items()) if isinstance(part, dict) else list(part)
        dice.shuffle(items)
        found[key] = dict(items) if isinstance(part, dict) else items
    dice.shuffle(found["figures"])
    for figure in found["figures"]:
        if isinstance(figure.get("by"), list):
            dice.shuffle(figure["by"])
    return found


def named(figure: str) -> str:
    """The name of a figure; labels of confidential columns stand in it in the order in which these are written."""
    name, bracket, labels = figure.partition(" (")
    return f"{name} ({', '.join(sorted(labels.removesuffix(')').split(', ')))})" if bracket else name


def told(spec: Mapping[str, object], data: pd.DataFrame, *, whole: bool) -> dict[str, object]:
    """All that is decided, without the order in which it is told; the plan too, if it is the whole."""
    decision = dl.decide(spec, data, ledger="nowhere.sqlite", margins=False)
    groups = {}
    for finding in decision.as_specified.findings:
        names = frozenset((named(entry.figure.name), frozenset(map(str, entry.cell))) for entry in finding.atom.entries)
        reveals = None if finding.reveals is None else frozenset(str(weight) for weight, _ in finding.reveals)
        witness = () if finding.witness is None else (finding.witness.first, finding.witness.second)
        numbers = [f"{float(number):.5e}" for number in (*witness, finding.delta.lower, finding.delta.upper)]
        groups[names] = str(finding.verdict), finding.known, reveals, numbers
    if not whole:
        return {"verdict": decision.verdict, "groups": groups}
    plan = decision.plan
    changes = () if isinstance(plan, Publish) else plan.alternatives
    chosen = frozenset((named(one.figure), one.line) for way in changes if way.chosen for one in way.changes)
    return {
        "verdict": decision.verdict,
        "groups": groups,
        "plan": type(plan).__name__,
        "chosen": chosen,
        "certified": sorted(
            (way.way, sorted(map(named, way.concerns)), f"{way.cost:.4g}", way.lost) for way in changes
        ),
        "weakest": {one.assumption: (one.beliefs, one.people) for one in decision.weakest()},
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_another_order_is_the_same_question(name: str) -> None:
    spec, data = BASE | CASES[name], table()
    whole = name == "unknown" or ALL
    first = told(spec, data, whole=whole)
    assert first["verdict"] in ("pass", "fail", "review")
    for seed in range(repetitions(1, 12)):
        columns = random.Random(seed).sample(list(data.columns), len(data.columns))
        assert told(shuffled(spec, seed), data[columns], whole=whole) == first
