"""No certified answer gets worse unseen: upper ends may fall, lower ends may rise, a pass stays a pass.

What may move the other way stands in `allowed.json`, with a reason. After a change that is meant to improve answers,
`PYTHONPATH=src:tests python -m freeze` writes them anew; the difference is read line by line.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .ask import ask
from .kept import allowed, complaints, fingerprint, misses, question_of, read
from .questions import SLOW, made, noiseless, pipe, questions, table, verified

QUESTIONS, ANSWERS, ALLOWED = questions(), read(), allowed()
EVERY = [name for name in QUESTIONS if not name.startswith(SLOW)]
LONG = [name for name in QUESTIONS if name.startswith(SLOW)]
CHUNK = 25  # questions a test, so that they are shared out among processes
PATIENT = os.environ.get("HYPOTHESIS_PROFILE") in ("thorough", "deep")
QUICK = EVERY if PATIENT else EVERY[::2]  # neighbours are alike: every other one shows as much in half the time


def chunks(names: list[str], size: int) -> list[Any]:
    """Neighbours are alike, so every so many-th question goes into one test."""
    number = -(-len(names) // size)
    return [pytest.param(names[place::number], id=f"{place + 1} of {number}") for place in range(number)]


def changes(names: list[str], folder: Path) -> list[str]:
    """Every answer that moved the wrong way, with what it was and what it is."""
    found = []
    for place, name in enumerate(names):
        desk = folder / str(place)
        desk.mkdir()
        now = ask(name, QUESTIONS[name], desk)
        for key, before in ANSWERS.items():
            if question_of(key) == name and key not in ALLOWED:
                found += [f"{key}: {said}" for said in complaints(before, now.get(key))]
        for key in now.keys() & ANSWERS.keys():
            found += [f"{key}: {said}" for said in misses({**ANSWERS[key], **now[key]})]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("names", chunks(QUICK, CHUNK))
def test_no_answer_gets_worse(names: list[str], tmp_path: Path) -> None:
    assert changes(names, tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(not PATIENT, reason="seconds each: HYPOTHESIS_PROFILE=thorough or deep")
@pytest.mark.parametrize("names", chunks(LONG, 4))
def test_no_slow_answer_gets_worse(names: list[str], tmp_path: Path) -> None:
    assert changes(names, tmp_path) == []


def test_every_question_has_its_answer_and_no_question_has_changed() -> None:
    assert QUESTIONS.keys() == {question_of(key) for key in ANSWERS}
    changed = [key for key, kept in ANSWERS.items() if kept["question"] != fingerprint(QUESTIONS[question_of(key)])]
    assert changed == []


def test_brackets_that_are_kept_hold_the_truth() -> None:
    assert [f"{key}: {said}" for key, kept in ANSWERS.items() for said in misses(kept)] == []
    assert sum("truth" in kept for kept in ANSWERS.values()) >= 300


def test_enough_answers_are_kept_and_enough_of_them_are_asked_every_time() -> None:
    assert len(QUESTIONS) >= 550
    assert len(QUICK) >= 500


def test_what_is_allowed_has_a_reason_and_an_answer() -> None:
    assert ALLOWED.keys() <= ANSWERS.keys()
    assert all(len(reason.split()) >= 3 for reason in ALLOWED.values())


BELIEFS = [
    "IID",
    "Independent",
    "AtLeast",
    "Estimated",
    "Around",
    "Hull",
    "Rates",
    "Mixture",
    "OneOfTheModels",
    "Markov",
    "Blocks",
    "Brackets",
    "RangeVariance",
    "Sampled",
    "fitted",
]
CHANNELS = [
    "Exact",
    "Rounded",
    "two_sided_geometric",
    "rational_geometric",
    "discrete_gaussian",
    "rounded_gaussian",
    "threshold",
    "majority",
    "mode",
    "likeliest_rate",
    "likeliest_model",
    "Truncated",
]
SECRETS = ["Value", "Presence", "PresenceOnly", "Within"]
FIGURES = ["Count", "Sum", "Mean", "Histogram", "GeometricMean"]
MECHANISMS = [
    "HedgedCount",
    "SumWithin",
    "BusinessTotal",
    "GeometricMeanWithin",
    "BallCount",
    "SinglePriorCount",
    "SinglePriorHistogram",
    "RandomizedResponse",
    "ResponseTotal",
    "LaplaceNoise",
    "LocalLaplaceNoise",
    "GaussianNoise",
    "DiscreteGaussianNoise",
    "QuiltNoise",
    "WassersteinNoise",
    "LeastNoise",
    "SinglePrior",
    "InBall",
    "Hedged",
    "ValueMargin",
    "BusinessMargin",
    "RelativeMargin",
]
REST = [
    "verify",
    "curve",
    "noiseless",
    "distributional",
    "differential_privacy",
    "compose",
    "combine",
    "threshold_guarantee",
    "discarding",
    "selection_guarantee",
    "simulated_sum",
    "sum_by_value",
    "mode_curve",
    "exact_epsilon",
    "least_scale",
    "calibrated",
]
RULES = ["rule worth", "rule against", "threshold needed", "base needed", "difference needed", "dominance precision"]
CELLS = ["histogram curve", "poisson cells", "bernoulli cells", "drawn cells"]


@pytest.mark.parametrize(
    "names", [BELIEFS, CHANNELS, SECRETS, FIGURES, MECHANISMS, REST, RULES, CELLS], ids=lambda names: names[0]
)
def test_every_kind_of_thing_is_asked_about(names: list[str]) -> None:
    written = json.dumps(list(QUESTIONS.values()))
    assert [name for name in names if f'"name": "{name}"' not in written] == []


def test_every_way_to_write_a_specification_is_asked_about() -> None:
    specifications = json.dumps([one for one in QUESTIONS.values() if one["take"] == "decision"])
    keys = [
        "probabilities",
        "cells",
        "by",
        "weight",
        "within",
        "counts",
        "confidence",
        "fitted",
        "in_every_group",
        "sizes",
        "published",
        "before",
        "planned",
        "truncate",
        "round",
        "noise",
        "geometric",
        "gaussian",
        "normal",
        "mean",
        "sum",
        "count",
        "presence",
        "at_least",
    ]
    assert [key for key in keys if f'"{key}"' not in specifications] == []


def kept(lower: str | None, upper: str | None, verdict: str | None = None) -> Mapping[str, Any]:
    return {"lower": lower, "upper": upper, "verdict": verdict}


@pytest.mark.parametrize(
    ("before", "now", "fine"),
    [
        (kept("0.1", "0.2"), kept("0.1", "0.2"), True),
        (kept("0.1", "0.2"), kept("0.15", "0.16"), True),
        (kept("0.1", "0.2"), kept("0.1", "0.2000000001"), True),
        (kept("0.1", "0.2"), kept("0.1", "0.200000001"), False),
        (kept("0.1", "0.2"), kept("0.0999999", "0.2"), False),
        (kept("0.1", "0.2"), kept("nan", "0.2"), False),
        (kept("0.0", "0.0"), kept("0.0", "1e-300"), False),
        (kept("0.0", "inf"), kept("0.0", "inf"), True),
        (kept("0.0", "1.0"), kept("0.0", "inf"), False),
        (kept("0.1", "0.2", "pass"), kept("0.1", "0.2", "review"), False),
        (kept("0.1", "0.2", "pass"), kept("0.1", "0.2", "fail"), False),
        (kept("0.1", "0.2", "fail"), kept("0.1", "0.2", "review"), True),
        (kept("0.1", "0.2", "fail"), kept("0.1", "0.2", "pass"), False),
        (kept("0.1", "0.2", "review"), kept("0.1", "0.2", "pass"), True),
        (kept("0.1", "0.2", "review"), kept("0.1", "0.2", "fail"), True),
        (kept(None, "5.0"), kept(None, "6.0"), False),
        (kept("5.0", None), kept(None, None), False),
        (kept("5.0", None), None, False),
    ],
)
def test_the_rule(before: Mapping[str, Any], now: Mapping[str, Any] | None, fine: bool) -> None:
    assert (complaints(before, now) == []) == fine


def test_after_another_change_other_numbers_are_expected_but_the_verdict_stays() -> None:
    before, now = (
        {**kept("0.1", "0.2", "pass"), "given": "round: 5"},
        {**kept("0.3", "0.4", "pass"), "given": "round: 3"},
    )
    assert complaints(before, now) == []
    assert complaints(before, {**now, "verdict": "review"}) != []


def test_a_bracket_beside_the_truth_is_noticed() -> None:
    assert misses({**kept("0.1", "0.2"), "truth": ["0.15 +- 1e-40"]}) == []
    assert misses({**kept("0.1", "0.2"), "truth": ["0.0999999999 +- 1e-40"]}) != []
    assert misses({**kept("0.1", "0.2"), "truth": ["0.15 +- 1e-40", "0.2000000001 +- 1e-40"]}) != []


@pytest.mark.parametrize(("participation", "exact"), [("known", 0.75), ("secret", 0.375)])
def test_a_rounded_total_of_a_sample_drawn_by_chance(participation: str, exact: float) -> None:
    """The member who has 2 beside 0, 0, 0, 1, 1, each drawn with chance 1/2: the others' total is 0, 1 or 2 with
    chances 1/4, 1/2, 1/4, so rounded to 2 it is 0 or 2 with chances 1/4, 3/4, and with 2 more 2 or 4.
    """
    population = table({0: 3, 1: 2, 2: 1})
    belief = made("Sampled", population, rate="1/2", participation=participation)
    release = pipe(made("Sum"), made("Rounded", 2))
    question = verified(release, noiseless(belief), "0")
    (answer,) = ask("sample", question, Path()).values()
    assert float(answer["lower"]) <= exact <= float(answer["upper"])
