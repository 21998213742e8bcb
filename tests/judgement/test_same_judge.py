"""One judge: every belief that a specification can state, in every combination, through `verify` and through `decide`.

The same bracket to the last digit; or the release's one is tighter, and its route says why.
"""

import itertools
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import dalenius as dl
from amount import spread
from dalenius.judge.definition import Definition, DifferentialPrivacy
from dalenius.mechanisms import Mechanism

N = 80
YES_NO = {"no": "0.7", "yes": "0.3"}
NUMBERS = {0: "0.5", 1: "0.3", 2: "0.2"}
COUNTS, AMOUNTS = {0: 700, 1: 300}, {0: 500, 1: 300, 2: 200}
NO, YES = {0: "0.4", 1: "0.2", 2: "0.1"}, {0: "0.1", 1: "0.1", 2: "0.1"}  # two columns that move together
SOUTH = 20  # of all N people
BELIEFS = {
    "probabilities": {"probabilities": YES_NO},
    "weight": {"probabilities": YES_NO, "weight": "0.8"},
    "within": {"probabilities": YES_NO, "within": "0.1"},
    "counts": {"counts": "counts.csv", "confidence": "0.99"},
    "by a public column": {"by": "region", "cells": {"north": YES_NO, "south": {"no": "0.6", "yes": "0.4"}}},
    "with another column": {"columns": ["smoker", "amount"], "probabilities": {"no": NO, "yes": YES}},
    "with what is missing": {"probabilities": {"no": "0.6", "yes": "0.3", "missing": "0.1"}},
    "none above": {"none_above": "0.7"},
    "none above, weight": {"none_above": "0.7", "weight": "0.8"},
    "none below": {"none_below": "0.2"},
    "unknown": {"unknown": True},
}
SUMS = {
    "probabilities": {"probabilities": NUMBERS},
    "weight": {"probabilities": NUMBERS, "weight": "0.8"},
    "within": {"probabilities": NUMBERS, "within": "0.05"},
    "counts": {"counts": "amounts.csv", "confidence": "0.99"},
    "by a public column": {"by": "region", "cells": {"north": NUMBERS, "south": {0: "0.4", 1: "0.4", 2: "0.2"}}},
    "with another column": {"columns": ["smoker", "amount"], "probabilities": {"no": NO, "yes": YES}},
    "with what is missing": {"probabilities": {0: "0.4", 1: "0.3", 2: "0.2", "missing": "0.1"}},
    "none below": {"none_below": "0.2"},
    "none below, weight": {"none_below": "0.2", "weight": "0.8"},
    "unknown": {"unknown": True},
}
CHANNELS = {
    "exact": {},
    "rounded": {"round": 5},
    "geometric": {"noise": {"geometric": 2}},
    "gaussian": {"noise": {"gaussian": 2}},
    "normal": {"noise": {"normal": 2}},
    "noise, then rounding": {"noise": {"geometric": 2}, "round": 5},
}
LINKS = {
    "exact": (),
    "rounded": (dl.Rounded(5),),
    "geometric": (dl.two_sided_geometric(2),),
    "gaussian": (dl.discrete_gaussian(2),),
    "normal": (dl.rounded_gaussian(2),),
    "noise, then rounding": (dl.two_sided_geometric(2), dl.Rounded(5)),
}
NAMES, ADDS = {"no": 0, "yes": 1, "missing": 9}, {9: 0}
FACTS = {"independent": True, "one_belief": True, "no_side": True}
COMBINATIONS = [
    (kind, belief, channel, secret, known)
    for kind, beliefs in (("count", BELIEFS), ("sum", SUMS), ("mean", SUMS))
    for belief, channel, secret, known in itertools.product(beliefs, CHANNELS, ("value", "presence"), (0, 7))
    if not (kind == "mean" and (secret == "presence" or "missing" in belief))  # the number of records would be secret
]


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(N)],
            "smoker": ["yes" if i % 3 == 0 else "no" for i in range(N)],
            "amount": [i % 3 for i in range(N)],
            "region": ["south" if i < SOUTH else "north" for i in range(N)],
        }
    )


def specification(kind: str, belief: str, channel: str, secret: str, known: int, epsilon: str) -> dict:
    said = (BELIEFS if kind == "count" else SUMS)[belief]
    column = "smoker" if kind == "count" else "amount"
    figure = {"name": "it", "kind": kind, **CHANNELS[channel]}
    figure |= {"where": {"smoker": "yes"}} if kind == "count" else {"column": "amount"}
    domains = {"smoker": {"values": ["no", "yes"]}, "amount": {"unit": 1, "bounds": [0, 2]}}
    if belief == "with what is missing":
        domains[column] |= {"missing": "as a value"}
    believed = {"both" if "columns" in said else column: {**said, "source": "a survey"}}
    sizes = {"by": ["region"], "cells": {"north": N - SOUTH, "south": SOUTH}} if "by" in said else {"cells": N}
    return {
        "data": "people",
        "person": "id",
        "public": {"region": ["north", "south"]} if "by" in said else {},
        "confidential": domains,
        "beliefs": believed,
        "attacker": {"knows": known, "source": "a guess"},
        "secret": secret,
        "target": {"epsilon": epsilon, "delta": "1e-3"},
        "figures": [figure],
        **({"sizes": sizes} if secret == "presence" else {}),
    }


def believed(kind: str, belief: str, known: int) -> dl.Belief:
    """The same in Python; labels are numbers, and what is missing is told from them by a value that adds 0."""
    said = (BELIEFS if kind == "count" else SUMS)[belief]
    chances = said.get("probabilities", {}) if "columns" not in said else {}
    law = {NAMES.get(value, value): Fraction(chance) for value, chance in chances.items()}
    match belief:
        case "weight":
            return dl.AtLeast(law, weight=said["weight"], n=N, known=known)
        case "within":
            return dl.Around(law, radius=said["within"], n=N, known=known)
        case "counts":
            return dl.Estimated(COUNTS if kind == "count" else AMOUNTS, confidence="0.99", n=N, known=known)
        case "by a public column":
            laws = {cell: {NAMES.get(v, v): c for v, c in law.items()} for cell, law in said["cells"].items()}
            return dl.Independent(groups=[(laws["north"], N - SOUTH), (laws["south"], SOUTH)], known=known)
        case "with another column":
            rows = {"no": {k: Fraction(v) for k, v in NO.items()}, "yes": {k: Fraction(v) for k, v in YES.items()}}
            smoker = {0: sum(rows["no"].values()), 1: sum(rows["yes"].values())}
            amount = {at: rows["no"][at] + rows["yes"][at] for at in range(3)}
            return dl.IID(values=smoker if kind == "count" else amount, n=N, known=known)
        case "with what is missing":
            added = {at: sum((c for v, c in law.items() if ADDS.get(v, v) == at), Fraction(0)) for at in range(3)}
            return dl.IID(values={at: chance for at, chance in added.items() if chance}, n=N, known=known)
        case "none above":
            return dl.beliefs.Rates(("0.3", "0.7"), n=N, known=known)
        case "none above, weight":
            return dl.beliefs.Rates(("0.24", "0.76"), n=N, known=known)  # 0.3 with weight 0.8
        case "none below" | "none below, weight":
            values = range(2 if kind == "count" else 3)
            weight = len(values) * Fraction(1, 5) * Fraction(said.get("weight", 1))
            return dl.AtLeast({at: Fraction(1, len(values)) for at in values}, weight=weight, n=N, known=known)
        case _:
            return dl.IID(values=law, n=N, known=known)


def defined(kind: str, belief: str, known: int, hides: dl.Value | dl.Presence) -> Definition:
    """Where nothing is assumed, all others are known: differential privacy."""
    if belief == "unknown":
        return DifferentialPrivacy(tuple(range(2 if kind == "count" else 3)), hides)
    return dl.noiseless(believed(kind, belief, known), secret=hides)


def asked(kind: str, channel: str) -> Mechanism:
    statistic = {"count": dl.Count(), "sum": dl.Sum(), "mean": dl.Mean()}[kind]
    return Mechanism(statistic, LINKS[channel])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "belief", "channel", "secret", "known"),
    spread(COMBINATIONS, 20),
    ids=lambda value: str(value).replace(" ", "-"),
)
def test_verify_and_decide_say_the_same(
    kind: str, belief: str, channel: str, secret: str, known: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("counts.csv").write_text("smoker,count\nno,700\nyes,300\n", encoding="utf-8")
    Path("amounts.csv").write_text("amount,count\n0,500\n1,300\n2,200\n", encoding="utf-8")
    hides = dl.Presence() if secret == "presence" else dl.Value()
    for epsilon in ("0.3", "1"):
        decision = dl.decide(specification(kind, belief, channel, secret, known, epsilon), table(), margins=False)
        (finding,), (guarantee,) = decision.as_specified.findings, decision.guarantees
        definition = defined(kind, belief, known, hides)
        alone = dl.verify(asked(kind, channel), definition, epsilon=epsilon, delta="1e-3")
        one, two = finding.delta, alone.delta
        assert one.lower <= two.upper
        assert two.lower <= one.upper
        # where presence is secret sizes are lower bounds, so that a release judges rounding at every place
        if not (secret == "presence" and "round" in channel):
            assert one.upper <= two.upper * (1 + 1e-12), (one, two, guarantee.route, alone.route)
            if alone.verdict == dl.Verdict.PASS:
                assert finding.verdict == dl.Verdict.PASS
        assert (guarantee.delta, guarantee.verdict) == (finding.delta, finding.verdict)
        assert guarantee.route
        if secret == "value" and not isinstance(definition.belief, dl.Estimated):
            implied = guarantee.implies("distributional differential privacy", **FACTS)
            assert implied.delta.upper >= guarantee.delta.lower
