"""What may go out, and how far it holds, rests on upper ends of brackets alone; what fails, on lower ends."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import dalenius as dl
from dalenius.figures import Figure
from dalenius.guarantees import Verdict
from dalenius.history import History
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.planning import Plan, Publish, Question, largest_known, plan
from dalenius.planning.examination import passes
from dalenius.planning.judging import judge_of
from dalenius.planning.noisy import Composed
from dalenius.records import OneOf, Where
from dalenius.sensitivity import Setting
from dalenius.sensitivity.households import household_delta
from dalenius.sensitivity.limits import known_limit, size_limit
from planning.ends import lowered, raised, widen
from planning.specs import POINTED, SMOKERS, YES, question

F = Fraction
ALL_BUT_ONE = Figure("all of the first", "count", None, Where((*YES.tests, ("r", OneOf(("c0",))))))
TOTAL = Figure("all", "count", None, YES)
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
    "repeated": lambda: Composed(judge_of(asked(20))).upper(NOISY),
    "passing": lambda: [passes(NOISY, asked(20, delta=delta)) for delta in ("1/1000", "1/20", "1/2")],
    "calibrated noise": lambda: dl.calibrate(dl.Count(), attacker(), "noise", epsilon="0.3", delta="1e-4").value,
    "calibrated n": lambda: dl.calibrate(dl.Count(), attacker(), "n", epsilon="0.5", delta="1e-6").value,
    "calibrated known": lambda: dl.calibrate(dl.Count(), attacker(), "known", epsilon="0.5", delta="1e-3").value,
    "calibrated epsilon": lambda: dl.calibrate(dl.Count(), attacker(), "epsilon", delta="1e-6").value,
    "calibrated delta": lambda: dl.calibrate(dl.Count(), attacker(), "delta", epsilon="0.5").value,
    "guarantee": lambda: dl.verify(dl.Count() >> dl.Exact(), attacker(), epsilon="0.3", delta="1e-3").delta.upper,
}
FAILING: dict[str, Callable[[], Plan]] = {
    "a small cell": lambda: plan((SMOKERS,), History(), asked(900, 20)),
    "a difference": lambda: plan((SMOKERS, ALL_BUT_ONE), History(), asked(900, 20)),
    "a number by itself": lambda: plan((TOTAL,), History(), asked(30, known=3)),
}


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
    assert told(FAILING[name]()) == plain
