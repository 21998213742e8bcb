"""From a question, as plain data, to a call of the library: the one place where its names stand.

A description is made of JSON: {"name": "IID", "with": {"p": "0.3", "n": 8}} is a call, {"pipe": [...]} what follows a
figure step by step, {"map": [[key, value], ...]} a mapping whose keys are no texts, {"fraction": "1/2"} a number.
An answer is {id: {"lower", "upper", "verdict"}}: ends as written by `repr`, None where there is none.
"""

import csv
import itertools
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import yaml

import dalenius as dl
from dalenius.basics.homes import SPACES
from dalenius.plan import AddNoise, Coarsen, plan, verdict_of, worst_of
from dalenius.plan.finding import Finding
from dalenius.plan.rules import (
    CENSUS_2000,
    CENSUS_COUNTS,
    SUPPRESS_1_TO_10,
    Threshold,
    attack,
    base_needed,
    difference_curve,
    difference_needed,
    dominance,
    p_percent,
    threshold_needed,
    worth,
)

Question = Mapping[str, Any]
Answer = dict[str, str | None]

FEW_FINDINGS = 12  # up to so many groups of people are kept one by one
LONG_TABLE = 20_000  # rows: longer tables are passed as they are, since to write them takes longer than to judge them

SPACE_OF = {
    name: getattr(dl, space)
    for space in ("beliefs", "mechanisms", "judge", "facts", "numerics", "data")
    for names in SPACES[space].values()
    for name in names
}
NAMES: dict[str, Callable[..., Any]] = {
    "rule worth": worth,
    "rule against": attack,
    "Hide below": Threshold,
    "census counts": lambda: CENSUS_COUNTS,
    "census 2000": lambda: CENSUS_2000,
    "suppress 1 to 10": lambda: SUPPRESS_1_TO_10,
    "threshold needed": threshold_needed,
    "base needed": base_needed,
    "difference curve": difference_curve,
    "difference needed": difference_needed,
    "p percent precision": lambda p, **more: p_percent(p).precision(**more),
    "p percent delta": lambda p, **more: p_percent(p).delta(**more),
    "dominance precision": lambda n, k, **more: dominance(n, k).precision(**more),
    "Count of": lambda *values: dl.Count(frozenset(values)),
    "poisson cells": lambda least, means: dl.beliefs.TruncatedHistogram(least).poisson(means),
    "bernoulli cells": lambda least, sizes, rate: dl.beliefs.TruncatedHistogram(least).bernoulli(sizes, rate=rate),
    "drawn cells": lambda least, cells, scheme: dl.beliefs.TruncatedHistogram(least).draws(
        cells, scheme.sizes, person=1
    ),
    "histogram curve": lambda secret, **belief: dl.beliefs.ExactHistogram(**belief).curve(secret),
    "curve of": lambda mechanism: mechanism.curve(),
    "within": dl.mechanisms.GaussianNoise.within,
    "ideal": lambda noise: noise.ideal(),
    "quilt noise": lambda *of, **more: dl.mechanisms.markov_quilt(*of, **more).scale,
    "wasserstein noise": lambda *of, **more: dl.mechanisms.wasserstein(*of, **more).scale,
    "wasserstein distance": lambda *of: max(dl.mechanisms.wasserstein_distance(*of)),
    "least chain noise": lambda *of, **more: dl.mechanisms.least_noise(*of, **more)[1],
    "least noise by variance": lambda belief, *of, **more: belief.least_noise(*of, **more),
    "disagreement": lambda whole: dl.judge.stability(whole).disagreement,
    "expected to be discarded": lambda scheme: scheme.expected,
    "calibrated": lambda *of, **more: dl.calibrate(*of, **more).value,
    "parts": lambda *parts: [tuple(part) for part in parts],
    "GeometricMean": lambda: None,
}


class Step:
    """What questions put after a figure, and the library makes by itself."""

    def __init__(self, build: Callable[..., Any], *of: Any, **more: Any) -> None:
        self.build, self.of, self.more = build, of, more

    def __rrshift__(self, figure: Any) -> Any:
        return self.build(figure, *self.of, **self.more)


STEPS: dict[str, Callable[..., Any]] = {
    "SinglePrior": lambda _, *of, **more: dl.mechanisms.SinglePriorCount(*of, **more),
    "InBall": lambda _, *of, **more: dl.mechanisms.BallCount(*of, **more),
    "Hedged": lambda _, *of, **more: dl.mechanisms.HedgedCount(*of, **more),
    "ValueMargin": lambda figure, *of, **more: dl.mechanisms.SumWithin(*of, unit=figure.unit, **more),
    "BusinessMargin": lambda figure, *of, **more: dl.mechanisms.BusinessTotal(*of, unit=figure.unit, **more),
    "RelativeMargin": lambda _, *of, **more: dl.mechanisms.GeometricMeanWithin(*of, **more),
    "QuiltNoise": lambda figure, chain, **more: dl.mechanisms.ChainNoise.by_quilts(chain, figure, **more),
    "WassersteinNoise": lambda figure, chain, **more: dl.mechanisms.ChainNoise.by_distance(chain, figure, **more),
    "LeastNoise": lambda figure, chain, **more: dl.mechanisms.ChainNoise.least(chain, figure, **more),
}
NAMES |= {name: partial(Step, build) for name, build in STEPS.items()}


def ask(name: str, question: Question, folder: Path) -> dict[str, Answer]:
    """All answers to a question: one, or for a release one for the whole and one for each group of people."""
    if question["take"] == "decision":
        return _decided(name, question, folder)
    found = made(question["of"])
    return {name: TAKEN[question["take"]](found, question)}


def made(description: Any) -> Any:
    """The object that is described."""
    match description:
        case {"map": pairs}:
            return {_key(key): made(value) for key, value in pairs}
        case {"pipe": steps}:
            return reduce(operator.rshift, map(made, steps))
        case {"fraction": text}:
            return Fraction(text)
        case {"name": name, **given}:
            function = NAMES[name] if name in NAMES else getattr(SPACE_OF.get(name, dl), name)
            named = {key: made(value) for key, value in given.get("with", {}).items()}
            return function(*map(made, given.get("of", [])), **named)
        case list():
            return [made(item) for item in description]
    return description


def _key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def _ends(bracket: dl.Bracket, verdict: object = None) -> Answer:
    return _answer(bracket.lower, bracket.upper, verdict)


def _answer(lower: float | None, upper: float | None, verdict: object = None) -> Answer:
    ends = {"lower": lower, "upper": upper}
    shown: Answer = {name: None if end is None else repr(float(end)) for name, end in ends.items()}
    return {**shown, "verdict": None if verdict is None else str(verdict)}


def _curve_of(found: Any) -> dl.Curve:
    return found if isinstance(found, dl.Curve) else found.curve()


TAKEN: dict[str, Callable[[Any, Question], Answer]] = {
    "delta": lambda guarantee, _: _ends(guarantee.delta, getattr(guarantee, "verdict", None)),
    "epsilon": lambda guarantee, _: _ends(guarantee.epsilon, getattr(guarantee, "verdict", None)),
    "delta of the curve": lambda found, asked: _ends(_curve_of(found).delta(Fraction(asked["epsilon"]))),
    "epsilon of the curve": lambda found, asked: _ends(_curve_of(found).epsilon(Fraction(asked["delta"]))),
    "bracket": lambda bracket, _: _ends(bracket),
    "at most": lambda number, _: _answer(None, number),
    "at least": lambda number, _: _answer(number, None),
    # exact counts that may be told: more of them are better
    "window": lambda found, _: _answer(found.window.high - found.window.low + 1 if found.window else 0, None),
}


def _decided(name: str, question: Question, folder: Path) -> dict[str, Answer]:
    """A specification and a table, written to the folder; with what was released before, and the change that a plan
    makes if the question asks for it.
    """
    ledger = folder / "ledger.sqlite"
    for place, earlier in enumerate(question.get("before", [])):
        desk = folder / f"before {place}"
        dl.release_folder(_decision(earlier, question, desk, ledger).within(0), desk / "out")
    decision = _decision(question["specification"], question, folder, ledger)
    found = decision.plan if question.get("planned") else decision.as_specified
    answers = {name: _ends(worst_of(found).delta, verdict_of(found))} | _by_group(name, found.findings)
    if question.get("known"):
        answers[f"{name} | known at most"] = _answer(decision.largest_known, None)
    if question.get("planned"):
        answers |= _planned(name, decision)
    return answers


def _decision(specification: Mapping[str, Any], question: Question, folder: Path, ledger: Path) -> dl.Decision:
    folder.mkdir(exist_ok=True, parents=True)
    for file, text in question.get("files", {}).items():
        (folder / file).write_text(text, encoding="utf-8")
    written = folder / "release.yaml"
    table = _rows(specification, question["table"])
    people = len(table["id"])
    if people <= LONG_TABLE:
        with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        specification = {**specification, "data": "people.csv"}
    written.write_text(yaml.safe_dump(dict(specification), sort_keys=False), encoding="utf-8")
    return dl.decide(written, None if people <= LONG_TABLE else pa.table(table), ledger=ledger, margins=False)


def _rows(specification: Mapping[str, Any], table: list[list[Any]] | Mapping[str, list[Any]]) -> Mapping[str, Any]:
    """Columns as they are; or so many people with each combination of public values, and what is confidential is one
    value after the other, since it decides nothing.
    """
    if isinstance(table, Mapping):
        return table
    counts = [count for _, count in table]
    people = sum(counts)
    rows: dict[str, Any] = {"id": np.arange(people)}
    for place, column in enumerate(specification.get("public", {})):
        rows[column] = np.repeat([cell[place] for cell, _ in table], counts)
    for column, domain in specification["confidential"].items():
        if isinstance(domain, list):
            values = domain
        elif "values" in domain:
            values = domain["values"]
        else:
            low, high = domain["bounds"]
            values = list(itertools.islice(range(low, high + 1, domain.get("unit", 1)), 100))
        rows[column] = np.resize(np.array(values), people)
    return {column: values.tolist() for column, values in rows.items()}


def _by_group(name: str, findings: tuple[Finding, ...]) -> dict[str, Answer]:
    """Each group of people, by the numbers that it is in."""
    if len(findings) > FEW_FINDINGS:
        return {}
    answers: dict[str, Answer] = {}
    for finding in findings:
        numbers = " & ".join(sorted(map(str, finding.atom.entries)))
        group = f"{name} | {numbers}: {finding.atom.size}"
        alike = sum(other.startswith(group) for other in answers)
        answers[group + f" again {alike}" * (alike > 0)] = _ends(finding.delta, finding.verdict)
    return answers


def _planned(name: str, decision: dl.Decision) -> dict[str, Answer]:
    """What the chosen change costs, what every other certified one costs, and how the changed figures fare."""
    answers = {}
    found = decision.plan
    for way in getattr(found, "alternatives", ()):
        if way.possible:
            said = "; ".join(dict.fromkeys(change.line.split(":")[0] for change in way.changes))
            kind = " ".join(sorted({word for change in way.changes for word in _noise_words(change.line)}))
            answers[f"{name} | cost of {way.way} {said} {kind}".rstrip()] = _answer(None, way.cost)
    if isinstance(found, AddNoise | Coarsen):
        after = plan(found.figures, decision.prepared.history, decision.question)
        lines = [change.line for way in found.alternatives if way.chosen for change in way.changes]
        worst = _ends(worst_of(after).delta, verdict_of(after))
        answers[f"{name} | after the change"] = {**worst, "given": "; ".join(lines)}
    return answers


def _noise_words(line: str) -> list[str]:
    return [word for word in ("geometric", "gaussian", "normal") if word in line]
