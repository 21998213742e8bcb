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
from dalenius.mechanisms import Mechanism

N = 80
YES_NO = {"no": "0.7", "yes": "0.3"}
NUMBERS = {0: "0.5", 1: "0.3", 2: "0.2"}
COUNTS = {0: 700, 1: 300}
BELIEFS = {
    "probabilities": {"probabilities": YES_NO},
    "weight": {"probabilities": YES_NO, "weight": "0.8"},
    "within": {"probabilities": YES_NO, "within": "0.1"},
    "counts": {"counts": "counts.csv", "confidence": "0.99"},
}
SUMS = {
    "probabilities": {"probabilities": NUMBERS},
    "weight": {"probabilities": NUMBERS, "weight": "0.8"},
    "within": {"probabilities": NUMBERS, "within": "0.05"},
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
FACTS = {"independent": True, "one_belief": True, "no_side": True}
COMBINATIONS = [
    (kind, belief, channel, secret, known)
    for kind, beliefs in (("count", BELIEFS), ("sum", SUMS), ("mean", SUMS))
    for belief, channel, secret, known in itertools.product(beliefs, CHANNELS, ("value", "presence"), (0, 7))
    if not (kind == "mean" and secret == "presence")  # the number of records would be secret
]


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(N)],
            "smoker": ["yes" if i % 3 == 0 else "no" for i in range(N)],
            "amount": [i % 3 for i in range(N)],
        }
    )


def specification(kind: str, belief: str, channel: str, secret: str, known: int, epsilon: str) -> dict:
    said = (BELIEFS if kind == "count" else SUMS)[belief]
    column = "smoker" if kind == "count" else "amount"
    figure = {"name": "it", "kind": kind, **CHANNELS[channel]}
    figure |= {"where": {"smoker": "yes"}} if kind == "count" else {"column": "amount"}
    return {
        "data": "people",
        "person": "id",
        "public": {},
        "confidential": {"smoker": ["no", "yes"], "amount": {"unit": 1, "bounds": [0, 2]}},
        "beliefs": {column: {**said, "source": "a survey"}},
        "attacker": {"knows": known, "source": "a guess"},
        "secret": secret,
        "target": {"epsilon": epsilon, "delta": "1e-3"},
        "figures": [figure],
        **({"sizes": {"cells": N}} if secret == "presence" else {}),
    }


def believed(kind: str, belief: str, known: int) -> dl.Belief:
    said = (BELIEFS if kind == "count" else SUMS)[belief]
    names = {"no": 0, "yes": 1}
    law = {names.get(value, value): Fraction(chance) for value, chance in said.get("probabilities", {}).items()}
    match belief:
        case "weight":
            return dl.AtLeast(law, weight=said["weight"], n=N, known=known)
        case "within":
            return dl.Around(law, radius=said["within"], n=N, known=known)
        case "counts":
            return dl.Estimated(COUNTS, confidence=said["confidence"], n=N, known=known)
        case _:
            return dl.IID(values=law, n=N, known=known)


def asked(kind: str, channel: str) -> Mechanism:
    statistic = {"count": dl.Count(), "sum": dl.Sum(), "mean": dl.Mean()}[kind]
    return Mechanism(statistic, LINKS[channel])


@pytest.mark.parametrize(
    ("kind", "belief", "channel", "secret", "known"),
    spread(COMBINATIONS, 30),
    ids=lambda value: str(value).replace(" ", "-"),
)
def test_verify_and_decide_say_the_same(
    kind: str, belief: str, channel: str, secret: str, known: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("counts.csv").write_text("smoker,count\nno,700\nyes,300\n", encoding="utf-8")
    hides = dl.Presence() if secret == "presence" else dl.Value()
    for epsilon in ("0.3", "1"):
        decision = dl.decide(specification(kind, belief, channel, secret, known, epsilon), table(), margins=False)
        (finding,), (guarantee,) = decision.as_specified.findings, decision.guarantees
        definition = dl.noiseless(believed(kind, belief, known), secret=hides)
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
