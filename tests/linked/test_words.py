"""Random specifications of all words of who attacks and what is secret, against brute force: never below the truth."""

import itertools
import random
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.desk.spec import build, spec_of
from dalenius.plan import Question, assess
from dalenius.tables.figures import Frame
from dalenius.tables.history import History
from oracle import words

HAIR = 1e-9
VALUES = 4  # of income: 0, 1, 2, 3


def law(rng, zeros=False):
    masses = [rng.randint(0 if zeros else 1, 5) for _ in range(VALUES)]
    masses[rng.randrange(VALUES)] += 1
    return {value: Fraction(mass, sum(masses)) for value, mass in enumerate(masses)}


def told(chances):
    return {str(value): str(chance) for value, chance in chances.items()}


def some_belief(rng):
    """The words, and the same for the brute force."""
    kind = rng.choice(["plain", "plain", "weight", "within", "one_of", "scenarios", "nobody_knows", "order"])
    laws = [law(rng, zeros=kind == "scenarios") for _ in range(rng.choice([2, 2, 3]))]
    source = {"source": "test"}
    match kind:
        case "weight" | "within":
            share = Fraction(rng.randint(1, 9), 10 if kind == "weight" else 30)
            said = {"probabilities": told(laws[0]), kind: str(share)}
            return {**said, **source}, {"probabilities": laws[0], kind: share}
        case "one_of" | "scenarios":
            return {kind: [told(one) for one in laws], **source}, {kind: laws}
        case "nobody_knows":
            weights = [Fraction(1, len(laws))] * len(laws)
            parts = [{"weight": str(w), "probabilities": told(one)} for w, one in zip(weights, laws, strict=True)]
            return {kind: parts, **source}, {kind: list(zip(weights, laws, strict=True))}
        case "order":
            moves = [law(rng) for _ in range(VALUES)]
            said = {str(value): told(row) for value, row in enumerate(moves)}
            return {"order": "day", "start": told(laws[0]), "moves": said, **source}, {"order": (laws[0], moves)}
    return {"probabilities": told(laws[0]), **source}, {"probabilities": laws[0]}


def some_secret(rng):
    """The words, and the pairs of values that are compared."""
    kind = rng.choice(["value", "value", "presence", "within", "percent", "share", "intervals", "pairs"])
    every = list(itertools.permutations(range(VALUES), 2))
    match kind:
        case "presence":
            absent = [(None, value) for value in range(VALUES)]
            return kind, [*every, *absent, *((b, a) for a, b in absent)]
        case "within":
            k = Fraction(rng.choice(["0.3", "0.5", "0.75", "1"]))
            return {kind: {"income": str(k)}}, [(a, b) for a, b in every if abs(a - b) < 4 * k]
        case "percent":
            p = rng.choice([10, 20])
            ratio = Fraction(100, 100 - p) ** 4
            return {kind: {"income": p}}, [(a, b) for a, b in every if a * b > 0 and max(a, b) < ratio * min(a, b)]
        case "share":
            points, others = Fraction(rng.choice([2, 4, 6])), rng.choice([3, 6])
            said = {"points": str(points), "others": others}
            near = 4 * points / 100
            kept = [(a, b) for a, b in every if abs(Fraction(a, a + others) - Fraction(b, b + others)) < near]
            return {kind: {"income": said}}, kept
        case "intervals":
            cut = rng.randint(1, VALUES - 1)
            return {kind: {"income": [0, cut, VALUES]}}, [(a, b) for a, b in every if (a < cut) != (b < cut)]
        case "pairs":
            one, two = rng.sample(range(VALUES), 2)
            return {kind: {"income": [[one, two]]}}, [(one, two), (two, one)]
    return "value", every


FIGURES = {
    "sum": ({"kind": "sum", "column": "income"}, lambda value: value),
    "some": ({"kind": "count", "where": {"income": {"at_least": 2}}}, lambda value: int(value >= 2)),
    "none": ({"kind": "count", "where": {"income": [0]}}, lambda value: int(value == 0)),
}


@pytest.mark.parametrize("piece", range(repetitions(24, 10_000)))
def test_no_specification_tells_more_than_is_printed(piece):
    rng = random.Random(piece)
    (belief, meant), (secret, pairs) = some_belief(rng), some_secret(rng)
    stance = "nobody_knows" in meant or "order" in meant
    secret, pairs = (secret, pairs) if not stance else ("value", list(itertools.permutations(range(VALUES), 2)))
    n, known, epsilon = rng.randint(3, 5), 0 if stance else rng.randint(0, 1), rng.choice([1, 2])
    names = rng.sample(list(FIGURES), rng.choice([1, 1, 2]) if not stance else 1)
    given = {
        "data": "nowhere.csv",
        "person": "id",
        "confidential": {"income": {"bounds": [0, VALUES - 1]}},
        "beliefs": {"income": belief},
        "attacker": {"knows": known, "source": "test"},
        "target": {"epsilon": epsilon, "delta": "1e-9"},
        "secret": secret,
        **({"sizes": {"cells": n}} if secret == "presence" else {}),
        "figures": [{"name": name, **FIGURES[name][0]} for name in names],
    }
    asked = build(spec_of(given))
    question = Question(
        Frame(asked.frame_columns, {(): n}),
        asked.confidential,
        asked.beliefs,
        asked.attacker,
        asked.secret,
        asked.target,
    )
    findings = assess(asked.figures, History(), question).findings
    upper, lower = (max(getattr(finding.delta, end) for finding in findings) for end in ("upper", "lower"))
    adds = [tuple(FIGURES[name][1](value) for name in names) for value in range(VALUES)]
    expected = words.truth(meant, adds, pairs, n, known, float(epsilon))
    assert upper >= expected - HAIR, given
    assert lower <= expected + HAIR, given
