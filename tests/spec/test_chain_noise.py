"""Noise for records in an order: the theorem's scale, against all runs, from the command line to the certificate."""

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from amount import worlds
from dalenius.basics.errors import SpecError
from dalenius.desk.spec import build, spec_of
from dalenius.plan import Question
from dalenius.plan.assessment import assess
from dalenius.tables.figures import Frame
from dalenius.tables.history import History
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.test_earned_counts import SMOKERS

WORLDS = worlds(10, 10_000)
CLOSE = 1e-9
Law = dict[int, float]


def totals(start: list[float], moves: list[list[float]], size: int) -> list[list[Law]]:
    """For each place and value the law of how many are 1, by all runs."""
    found = []
    for place in range(size):
        mine: list[Law] = [{}, {}]
        for data in itertools.product((0, 1), repeat=size):
            chance = start[data[0]] * math.prod(moves[a][b] for a, b in itertools.pairwise(data))
            law = mine[data[place]]
            law[sum(data)] = law.get(sum(data), 0.0) + chance
        found.append([{k: p / sum(law.values()) for k, p in law.items()} if law else {} for law in mine])
    return found


def noisy(law: Law, scale: float, size: int) -> list[float]:
    x = math.exp(-1 / scale)
    return [
        sum(p * (1 - x) / (1 + x) * x ** abs(r - k) for k, p in law.items())
        for r in range(-int(40 * scale) - 2, size + int(40 * scale) + 3)
    ]


def truth(start: list[float], moves: list[list[float]], size: int, scale: float, epsilon: float) -> float:
    worst = 0.0
    for laws in totals(start, moves, size):
        if not all(laws):
            continue
        for one, two in itertools.permutations([noisy(law, scale, size) for law in laws]):
            worst = max(worst, math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(one, two, strict=True)))
    return worst


def spec(start: str, after: tuple[str, str], **keys: object) -> dict[str, Any]:
    moves = {
        "no": {"yes": after[0], "no": "rest"},
        "yes": {"yes": after[1], "no": "rest"},
    }
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"day": {"bounds": [0, 9999]}},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"order": "day", "start": {"yes": start, "no": "rest"}, "moves": moves, "source": "a panel"}},
        "attacker": {"knows": 0, "source": "nobody was asked"},
        "target": {"epsilon": "0.5", "delta": "1e-6"},
        "figures": [{**SMOKERS, "noise": {"quilt": "0.5"}}],
        **keys,
    }


def judged(keys: dict[str, Any], size: int, out: int = 0) -> tuple[float, float, float]:
    """Upper and lower ends, and the scale of the noise."""
    asked = build(spec_of(keys))
    beliefs, target = asked.beliefs, asked.target
    frame = Frame((), {(): size})
    question = Question(frame, asked.confidential, beliefs, asked.attacker, asked.secret, target)
    findings = assess(asked.figures[out:], History(asked.figures[:out]), question).findings
    scale = float(getattr(asked.figures[0].channel.links[0], "scale", 0))
    return max(one.delta.upper for one in findings), max(one.delta.lower for one in findings), scale


@pytest.mark.slow
def test_no_run_of_records_tells_more_than_is_certified() -> None:
    """At the epsilon of the theorem nothing, and below it what is certified; beside another, the count."""
    dice = random.Random("chain")
    for _ in range(WORLDS):
        size, start = dice.randint(2, 7), dice.choice(["0.3", "0.5"])
        after = dice.choice(["0.2", "0.4"]), dice.choice(["0.3", "0.6", "0.9"])
        way, level = dice.choice(["quilt", "distance"]), dice.choice(["0.5", "1"])
        epsilon = dice.choice([level, "0.1", "0.3"])
        beside = dice.random() < 0.2
        figures = [{**SMOKERS, "noise": {way: level}}] + [{**SMOKERS, "name": "x", "noise": {"geometric": 2}}] * beside
        keys = spec(start, after, figures=figures, target={"epsilon": epsilon, "delta": "1e-12"})
        upper, lower, scale = judged(keys, size, dice.choice([0, beside]))
        law = [1 - float(start), float(start)]
        moves = [[1 - float(p), float(p)] for p in after]
        if beside:  # as if the count itself was out
            assert truth(law, moves, size, 1e-3, float(epsilon)) <= upper + CLOSE, keys
            continue
        found = truth(law, moves, size, scale, float(epsilon))
        assert lower - CLOSE <= found <= upper + CLOSE, keys
        if epsilon == level:
            assert found <= CLOSE, keys


@pytest.mark.slow
def test_from_the_command_line_to_the_certificate_and_the_next_release(tmp_path: Path) -> None:
    """Thirty days: the count by itself tells too much. What is asked beside it later is for review."""
    table = pd.DataFrame({"id": range(30), "day": range(30), "s": ["yes" if n % 3 == 0 else "no" for n in range(30)]})
    table.to_csv(tmp_path / "people.csv", index=False)
    for name, figures in {
        "release": [{**SMOKERS, "noise": {"quilt": "0.5"}}],
        "plain": [SMOKERS],
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(spec("0.3", ("0.2", "0.5"), figures=figures)))
    assert dalenius("check", tmp_path / "plain.yaml", "--seconds", "1").code in (1, 3)
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "geometric noise" in said.out
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] in (0, 3)
    for name in ("plain", "release"):
        assert dalenius("check", tmp_path / f"{name}.yaml", "--seconds", "1").code in (1, 3)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"beliefs": {"s": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "?"}}}, "belief is an order"),
        ({"figures": [{**SMOKERS, "noise": {"quilt": 1, "geometric": 2}}]}, "geometric and quilt"),
        ({"figures": [{**SMOKERS, "noise": {"quilt": 0}}]}, "epsilon"),
        ({"figures": [{**SMOKERS, "noise": {"quilt": 1}, "hide": {"below": 3, "zeros": "shown"}}]}, "also has noise"),
    ],
)
def test_bad_words_are_refused_with_what_to_do(keys: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec("0.3", ("0.2", "0.5"), **keys)))


def test_the_scale_is_that_of_the_theorem() -> None:
    """The same as in Python, for the longest chain that is looked at."""
    import dalenius as dl

    chain = dl.Markov(start={0: "0.7", 1: "0.3"}, moves={0: {0: "0.8", 1: "0.2"}, 1: {0: "0.5", 1: "0.5"}}, n=2000)
    wanted = dl.mechanisms.markov_quilt(chain, dl.Count(), epsilon="0.5").scale
    (figure,) = build(spec_of(spec("0.3", ("0.2", "0.5")))).figures
    found = getattr(figure.channel.links[0], "scale", Fraction(0))
    assert wanted <= found <= wanted * (1 + Fraction(1, 10**12))
