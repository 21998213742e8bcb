"""Attackers who hedge: against every law they may lean to, from the command line to the confirmed certificate."""

import itertools
import json
import math
import random
from fractions import Fraction
from math import comb
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml

import dalenius as dl
from amount import worlds
from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.mechanisms.hedging import exact_window
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from dalenius_checker.believed import Believer
from edges.desk import dalenius
from spec.test_earned_counts import SMOKERS, outcomes, people
from spec.test_hidden_counts import certified

WORLDS = worlds(12, 10_000)
CLOSE = 1e-9
RATES = sorted({*(k / 40 for k in range(41)), 0.001, 0.999})  # that attackers lean to
LAW = {"yes": "0.3", "no": "rest"}


def truth(size: int, rate: float, weight: float, every: list[dict[object, float]], epsilon: float) -> float:
    """The exact delta, worst over the rates that attackers lean to; what goes out of each count is in `every`."""
    worst = 0.0
    for lean in RATES:
        laws = []
        for adds in (0, 1):
            law: dict[object, float] = {}
            for ones in range(size):
                chance = sum(
                    some * comb(size - 1, ones) * p**ones * (1 - p) ** (size - 1 - ones)
                    for some, p in ((weight, rate), (1 - weight, lean))
                )
                for out, mass in every[ones + adds].items():
                    law[out] = law.get(out, 0.0) + chance * mass
            laws.append(law)
        for one, two in itertools.permutations(laws):
            excess = (mass - math.exp(epsilon) * two.get(out, 0.0) for out, mass in one.items())
            worst = max(worst, math.fsum(max(0.0, part) for part in excess))
    return worst


def noisy(size: int, scale: Fraction) -> list[dict[object, float]]:
    x = math.exp(-1 / float(scale))
    return [{r: (1 - x) / (1 + x) * x ** abs(r - count) for r in range(-60, size + 61)} for count in range(size + 1)]


@pytest.mark.slow
def test_no_attacker_who_hedges_is_told_more_than_is_certified() -> None:
    """By itself, noisy, exact, beside another and in history: what goes together with nothing is never certified."""
    dice = random.Random("hedged")
    seen = set[str]()
    for _ in range(WORLDS):
        size, rate = dice.choice([5, 9, 14]), Fraction(dice.randint(1, 9), 10)
        weight, epsilon = Fraction(dice.choice(["0.01", "0.1", "0.4"])), Fraction(dice.choice(["0.5", "1", "2"]))
        scale = Fraction(dice.choice(["1/2", "1", "2"]))
        window = exact_window(rate, size, epsilon, weight, "value")
        low, high = (window.low, window.high) if not window.empty else (size // 2, size // 2)
        low, high = max(1, low - dice.choice([0, 0, 1])), min(size - 1, high + dice.choice([0, 0, 1]))
        earned = {"earned": {"between": [f"{low}/{size}", f"{high}/{size}"], "scale": str(scale)}}
        kind = dice.choice(["earned", "earned", "earned", "noise", "plain", "beside", "again"])
        noise = {"noise": {"geometric": str(scale)}}
        figures: list[dict[str, object]] = {
            "earned": [{**SMOKERS, **earned}],
            "noise": [{**SMOKERS, **noise}],
            "plain": [SMOKERS],
            "beside": [{**SMOKERS, **earned}, {**SMOKERS, "name": "x", **noise}],
            "again": [{**SMOKERS, **earned}, {**SMOKERS, "name": "x", **earned}],
        }[kind]
        out = dice.choice([0, len(figures) - 1])
        told = [dict(outcomes(k, size, Fraction(low, size), Fraction(high, size), scale)) for k in range(size + 1)]
        if kind == "noise":
            told = noisy(size, scale)
        elif kind == "plain":
            told = [{k: 1.0} for k in range(size + 1)]
        keys = spec(
            beliefs={"s": {"probabilities": {"yes": str(rate), "no": "rest"}, "hedged": str(weight), "source": "?"}},
            target={"epsilon": str(epsilon), "delta": "1e-12"},
            figures=figures,
            public={"region": ["n", "s"], "w": {"bounds": [1, 2]}},
        )
        upper, lower = certified(keys, [("n", "1")] * size, out)
        if len(figures) > 1:
            assert upper == 1, keys
            continue
        found = truth(size, float(rate), float(weight), told, float(epsilon))
        assert lower - CLOSE <= found <= upper + CLOSE, keys
        seen.add(kind if upper else f"{kind}: nothing is told")
    assert "earned: nothing is told" in seen


@pytest.mark.slow
def test_both_programs_find_the_same_counts_for_every_attacker() -> None:
    """Dalenius by a bound of hedges, the checker by the root of a square: the ends of the window, and beyond."""
    dice = random.Random("both")
    for _ in range(25):
        size, rate = dice.choice([10, 60, 700, 5000]), Fraction(dice.randint(1, 19), 20)
        weight, epsilon = Fraction(1, dice.choice([3, 20, 1000])), Fraction(dice.choice(["0.3", "0.8", "2"]))
        window = exact_window(rate, size, epsilon, weight, "value")
        checker = Believer(SimpleNamespace(epsilon=epsilon), None, 90)

        counts = range(1, size) if size < 100 else range(max(1, window.low - 1), min(size, window.high + 2))
        found = [
            k
            for k in counts
            if checker._level(k, size, rate, weight) and checker._level(size - k, size, 1 - rate, weight)
        ]
        assert found == list(range(window.low, window.high + 1))


def spec(**keys: object) -> dict[str, Any]:
    rule = {"chance": "0.3", "epsilon": "0.5", "hedged": "0.001", "people": 300}
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"by": "region", "cells": {"n": LAW, "s": LAW}, "hedged": "0.001", "source": "a survey"}},
        "attacker": {"knows": 0, "source": "a guess"},
        "target": {"epsilon": "0.5", "delta": "1e-6"},
        "figures": [{**SMOKERS, "by": "region", "earned": rule}],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """Nothing goes beside a hedged count, in the same release or later, not even noise; another dataset is another."""
    people(700, 3).to_csv(tmp_path / "people.csv", index=False)
    noise = {**SMOKERS, "by": "region", "noise": {"geometric": 2}}
    for name, keys in {
        "release": spec(),
        "noise": spec(figures=[noise]),
        "known": spec(attacker={"knows": 1, "source": "?"}),
        "one mixture": spec(beliefs={"s": {"probabilities": LAW, "hedged": "0.001", "source": "?"}}),
        "beside": spec(figures=[*spec()["figures"], {**noise, "name": "x"}]),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "noise.yaml", "--quick").code == 0
    for name in ("known", "one mixture", "beside"):
        said = dalenius("check", tmp_path / f"{name}.yaml", "--seconds", "1")
        assert said.code == 3, said
    assert "however noisy" in " ".join(said.out.split())
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "or any other" in said.out
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] == 0
    for name in ("noise", "release"):
        assert dalenius("check", tmp_path / f"{name}.yaml", "--seconds", "1").code == 3


@pytest.mark.slow
def test_what_is_claimed_of_a_wider_window_or_a_smaller_weight_is_not_confirmed(tmp_path: Path) -> None:
    decision = decide(spec(), people(700, 3), ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    whole = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    low, high, scale = whole["figures"][0]["channel"][0][1].split()
    (weight, law) = whole["believed"][0]["laws"][0]
    changes: list[dict[str, object]] = [
        {"figures": [{**whole["figures"][0], "channel": [["earned", numbers]]}]}
        for numbers in (f"1/5 {high} {scale}", f"{low} 2/5 {scale}", f"{low} {high} 1")
    ]
    changes += [{"figures": [{**whole["figures"][0], "channel": []}]}]
    changes += [{"believed": [{**whole["believed"][0], "laws": [[some, law]]}]} for some in ("1e-9", "1/2", "0")]
    changes += [{"believed": [{**whole["believed"][0], "laws": [[weight, ["9/10", "1/10"]]]}]}]
    for change in changes:
        forged = sealed({key: part for key, part in {**whole, **change}.items() if key != "sha256"})
        (tmp_path / "forged.json").write_bytes(forged)
        assert recheck(forged).code != 0, change
        assert run([str(tmp_path / "forged.json")])[0] in (1, 2, 3), change


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"beliefs": {"s": {"probabilities": LAW, "hedged": 0, "source": "?"}}}, "above 0 and below 1/2"),
        ({"beliefs": {"s": {"probabilities": LAW, "hedged": "0.5", "source": "?"}}}, "above 0 and below 1/2"),
        ({"beliefs": {"s": {"probabilities": LAW, "hedged": "0.1", "weight": "0.5", "source": "?"}}}, "beside it"),
        ({"beliefs": {"s": {"none_above": "0.9", "hedged": "0.1", "source": "?"}}}, "hedged"),
        ({"secret": "presence", "sizes": {"cells": 300}}, "presence|secret"),
        ({"figures": [{**SMOKERS, "earned": {"chance": "0.3", "hedged": "0.1", "epsilon": 1}}]}, "needs chance"),
        (
            {"figures": [{**SMOKERS, "earned": {"chance": "0.3", "hedged": "0.1", "epsilon": 1, "people": 0}}]},
            "at least one of the people",
        ),
        (
            {"figures": [{**SMOKERS, "earned": {"chance": "0.3", "hedged": "0.001", "epsilon": "0.5", "people": 50}}]},
            "no count is exact",
        ),
    ],
)
def test_bad_words_are_refused_with_what_to_do(keys: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec(**keys)))


def test_in_python() -> None:
    belief = dl.beliefs.Hedged({1: "0.3", 0: "0.7"}, weight="0.001", n=300)
    rule = dl.mechanisms.exact_if_earned("0.24", "0.37", scale=2)
    assert dl.verify(dl.Count() >> rule, dl.noiseless(belief), epsilon="0.5").delta.upper == 0
    assert dl.verify(dl.Count(), dl.noiseless(belief), epsilon="0.5").delta.upper == 1
    assert dl.verify(dl.Count() >> dl.two_sided_geometric(2), dl.noiseless(belief), epsilon="0.5").delta.upper == 0
    with pytest.raises(InputError, match="between 0 and 1/2"):
        dl.beliefs.Hedged({1: "0.3", 0: "0.7"}, weight="0.7", n=300)


def test_a_figure_of_two_columns_about_which_attackers_hedge_is_not_judged(tmp_path: Path) -> None:
    """Each belief is about all records at once; what both together say of a mean among smokers is not known."""
    keys = {
        "person": "id",
        "confidential": {"s": ["no", "yes"], "v": {"bounds": [0, 1]}},
        "beliefs": {
            name: {"probabilities": {value: "0.3", other: "rest"}, "hedged": "0.001", "source": "a survey"}
            for name, value, other in (("s", "yes", "no"), ("v", 1, 0))
        },
        "attacker": {"knows": 0, "source": "nobody"},
        "target": {"epsilon": "0.5", "delta": "1e-2"},
        "figures": [{"name": "m", "kind": "mean", "column": "v", "where": {"s": "yes"}}],
    }
    table = pd.DataFrame({"id": range(6), "s": ["no", "yes"] * 3, "v": [0, 1, 1] * 2})
    decision = decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False, seconds=0)
    assert decision.verdict != "pass"
