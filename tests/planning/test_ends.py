"""What may go out, and how far it holds, rests on upper ends of brackets alone; what fails, on lower ends."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import dalenius as dl
from dalenius.claims import Verdict
from dalenius.facts.records import OneOf, Where
from dalenius.mechanisms import Chain, DiscreteGaussian, TwoSidedGeometric
from dalenius.plan import Plan, Publish, Question, largest_known, plan
from dalenius.plan.examination import Examination, examine, passes
from dalenius.plan.finding import Finding
from dalenius.plan.judging import docket_of
from dalenius.plan.margins import Setting
from dalenius.plan.margins.households import household_delta
from dalenius.plan.margins.limits import known_limit, size_limit
from dalenius.plan.nearest import measure_next, nearest_of
from dalenius.tables.figures import Attacker, Figure
from dalenius.tables.history import History
from judgement.worlds import World
from linked.tables import table, world
from planning.ends import lowered, raised, widen
from planning.specs import POINTED, SMOKERS, YES, question

F = Fraction
pytestmark = pytest.mark.slow
ALL_BUT_ONE = Figure("all of the first", "count", None, Where((*YES.tests, ("r", OneOf(("c0",))))))
TOTAL = Figure("all", "count", None, YES)
GAUSSIAN = tuple(
    replace(figure, channel=Chain((DiscreteGaussian(F(8)),))) for figure in (TOTAL, replace(SMOKERS, name="cells"))
)
NOISY = tuple(replace(TOTAL, name=name, channel=Chain((TwoSidedGeometric(F(9, 2)),))) for name in ("one", "two"))


def asked(*sizes: int, **more: object) -> Question:
    names = [f"c{place}" for place in range(len(sizes))]
    return question(dict(zip(names, sizes, strict=True)), dict.fromkeys(names, "3/10"), **more)


def changed(found: Plan) -> object:
    """What a plan offers: kind, figures, and what else passed."""
    ways = [(way.way, way.certified, way.changes) for way in getattr(found, "alternatives", ())]
    return type(found), getattr(found, "figures", ()), ways


def published(found: Plan) -> Publish:
    assert isinstance(found, Publish)
    return found


def of(*figures: Figure, asked: Question) -> Setting:
    return Setting.of(figures, History(), asked, plan(figures, History(), asked).findings)


SAFE: dict[str, Callable[[], object]] = {
    "noise": lambda: changed(plan((SMOKERS,), History(), asked(60, 80, delta="1e-3"))),
    "noise of a sum": lambda: changed(plan((POINTED,), History(), asked(40, delta="1e-2"))),
    "rounding": lambda: changed(
        plan((TOTAL,), History(), question({"a": 50}, {"a": "1/50"}, epsilon="1", delta="1e-2"))
    ),
    "together": lambda: changed(plan((SMOKERS, TOTAL), History(), asked(30, 40, delta="1e-2"))),
    "who knows more": lambda: largest_known(published(plan((SMOKERS,), History(), asked(700, 800))), asked(700, 800)),
    "limits": lambda: [known_limit(of(SMOKERS, asked=asked(700, 800))), size_limit(of(SMOKERS, asked=asked(700)))],
    "cases": lambda: (of(SMOKERS, asked=asked(300)).case().delta().upper, of(TOTAL, asked=asked(300)).case().epsilon()),
    "households": lambda: household_delta(of(SMOKERS, asked=asked(600)).case(), 3).upper,
    "noisy households": lambda: household_delta(of(NOISY[0], asked=asked(60)).case(), 2).upper,
    "repeated": lambda: docket_of(asked(20)).noise_alone(NOISY),
    "passing": lambda: [passes(NOISY, asked(20, delta=delta)) for delta in ("1/1000", "1/20", "1/2")],
    "calibrated noise": lambda: dl.calibrate(dl.Count(), attacker(), "noise", epsilon="0.3", delta="1e-4").value,
    "calibrated n": lambda: dl.calibrate(dl.Count(), attacker(), "n", epsilon="0.5", delta="1e-6").value,
    "calibrated known": lambda: dl.calibrate(dl.Count(), attacker(), "known", epsilon="0.5", delta="1e-3").value,
    "calibrated epsilon": lambda: dl.calibrate(dl.Count(), attacker(), "epsilon", delta="1e-6").value,
    "calibrated delta": lambda: dl.calibrate(dl.Count(), attacker(), "delta", epsilon="0.5").value,
    "overlapping": lambda: uppers(plan((SMOKERS, TOTAL), History(), asked(700, 800))),
    "many cells": lambda: uppers(plan((SMOKERS,), History(), asked(*range(600, 630)))),
    "many cells, known": lambda: largest_known(
        published(plan((SMOKERS,), History(), asked(*range(600, 670)))), asked(*range(600, 670))
    ),
    "nearest": lambda: nearest_of(examine((SMOKERS,), asked(25), still), asked(25)),
    "what to measure": lambda: measure_next(examine((SMOKERS,), asked(700, known=600), still), asked(700, known=600)),
    "moves": lambda: [(one.delta.upper, one.verdict) for one in linked().findings],
    "moves, varied": lambda: Setting.of(*linked_setting()).case().delta().upper,
    "households of two figures": lambda: household_delta(of(SMOKERS, TOTAL, asked=asked(600, 700)).case(), 3).upper,
    "rounded, of different people": lambda: dl.verify(dl.Count() >> dl.Rounded(5), mixed(), epsilon="0.3").delta.upper,
    "sums of different people": lambda: dl.verify(dl.Sum(), several(), epsilon="0.3").delta.upper,
    "many kinds": lambda: dl.verify(dl.Sum(), many_kinds(), epsilon="0.3").delta.upper,
    "passing by noise": lambda: [passes(GAUSSIAN, asked(20, 30, delta=delta)) for delta in ("1e-9", "1e-3", "1/2")],
    "guarantee": lambda: dl.verify(dl.Count() >> dl.Exact(), attacker(), epsilon="0.3", delta="1e-3").delta.upper,
}
FAILING: dict[str, Callable[[], Plan]] = {
    "a small cell": lambda: plan((SMOKERS,), History(), asked(900, 20)),
    "a difference": lambda: plan((SMOKERS, ALL_BUT_ONE), History(), asked(900, 20)),
    "a number by itself": lambda: plan((TOTAL,), History(), asked(30, known=3)),
}


def uppers(found: Plan) -> list[float]:
    return [one.delta.upper for one in found.findings]


def still(_what: str, _done: int, _of: int) -> None:
    """No progress is shown."""


def margins() -> tuple[World, Question]:
    """Two margins of small cells, which pass by moves only."""
    small = world({(r, c): 20 for r in range(4) for c in range(4)}, [table("rows", "r"), table("columns", "c")])
    return small, replace(small.question(F("3e-2")), attacker=Attacker(3))


def linked() -> Examination:
    small, wanted = margins()
    return examine(small.figures, wanted, still)


def linked_setting() -> tuple[tuple[Figure, ...], History, Question, tuple[Finding, ...]]:
    small, wanted = margins()
    return small.figures, History(), wanted, linked().findings


def mixed() -> Any:
    return dl.noiseless(dl.Independent(rates=[at / 40 for at in range(1, 40)], known=3))


def several() -> Any:
    laws = [({0: F(1, 2), 1: F(1, 4), 3: F(1, 4)}, 20), ({0: F(1, 3), 1: F(1, 3), 3: F(1, 3)}, 15)]
    return dl.noiseless(dl.Independent(groups=laws, known=4))


def many_kinds() -> Any:
    laws = [({0: F(at, 60), 1: F(1, 4), 3: F(45 - at, 60)}, 3) for at in range(5, 40)]
    return dl.noiseless(dl.Independent(groups=laws, known=4))


def attacker() -> Any:
    return dl.noiseless(dl.IID(p="0.1", n=1000, known="0.2"))


@pytest.mark.parametrize("name", SAFE)
def test_what_is_safe_rests_on_upper_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = SAFE[name]()
    widen(monkeypatch, lowered)
    assert SAFE[name]() == plain


def told(found: Plan) -> list[tuple[object, float]]:
    """Who fails, and by how much for certain."""
    return [(one.atom, one.delta.lower) for one in found.findings if one.verdict == Verdict.FAIL]


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_rests_on_lower_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = told(FAILING[name]())
    assert plain
    widen(monkeypatch, raised)
    found = FAILING[name]()
    assert told(found) == plain
    assert all(one.delta.upper == 1.0 for one in found.findings if one.delta.lower < 1.0)
