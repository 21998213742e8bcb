"""A decision as JSON, for machines. It carries no confidential value."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.judge.verdict import SOURCES
from dalenius.plan import Advice, Finding, Plan, Publish, Question, verdict_of
from dalenius.plan.grounds import grounds, used_beliefs
from dalenius.plan.words import headline, remarks
from dalenius.record.codec import Form, attacker_json, belief_json, claim_json, column_json, figure_json
from dalenius.record.codec.beliefs import Limited
from dalenius.record.codec.figures import Described
from dalenius.tables.figures import Figure
from dalenius.tables.history import Combination

DECISION = "dalenius/decision/2"


def decision_json(
    plan: Plan,
    question: Question,
    figures: tuple[Figure, ...],
    published: tuple[Figure, ...],
    *,
    version: str,
    largest_known: int | None,
    margins: bool = True,
    untried: Sequence[str] = (),
) -> dict[str, Any]:
    """The decision for machines: numbers as floats, rounded outwards by construction; exact ones as text.

    `published` are figures that are already out, with which the new ones were judged. Without `margins` there is no
    `largest_known`, `remedies`, `advice` and `untried` (what there was no time for): nobody looked.
    """
    used, numbers = used_beliefs(question, (*published, *figures)), cache(str)
    brief = summary_json(plan, question, figures, published)
    return {
        "schema": DECISION,
        "software": f"dalenius {version}",
        "verdict": brief["verdict"],
        "answer": brief["answer"],
        "remarks": remarks(question),
        "claim": brief["claim"],
        "secret": str(question.secret),
        "attacker": attacker_json(Limited(question.attacker, largest_known, margins), Form.DECISION),
        "columns": {
            name: column_json(question.columns[name], Form.DECISION) for belief in used for name in belief.columns
        },
        "beliefs": [belief_json(belief, Form.DECISION) for belief in used],
        "people": question.frame.size,
        "figures": brief["figures"],
        "published": _figures(published, question),
        "groups": [_finding(finding, numbers) for finding in plan.findings],
        "margins": margins,
        **(_margins(plan, untried) if margins else {}),
        "assumes": brief["assumes"],
        "not_needed": brief["not_needed"],
        "broken_by": brief["broken_by"],
        "sources": list(SOURCES),
    }


def _margins(plan: Plan, untried: Sequence[str]) -> dict[str, Any]:
    """What would make figures safe that may not go out."""
    advice = Advice() if isinstance(plan, Publish) else plan.advice
    return {"remedies": [str(one) for one in advice.remedies], "advice": advice.words, "untried": list(untried)}


def summary_json(
    plan: Plan, question: Question, figures: tuple[Figure, ...], published: tuple[Figure, ...]
) -> dict[str, Any]:
    """The part of a decision that does not grow with the groups of people and with what is already out."""
    rests = grounds(plan, question, (*published, *figures), figures)
    return {
        "verdict": verdict_of(plan),
        "answer": headline(plan, figures),
        "claim": claim_json(
            question.target,
            max((finding.delta.upper for finding in plan.findings), default=0.0),
            evidence="heuristic" if any(belief.fitted for belief in question.beliefs) else "computed",
        ),
        "figures": _figures(figures, question),
        "assumes": [*rests.needed, *ASSUMPTIONS],
        "not_needed": list(rests.idle),
        "broken_by": list(rests.breaks),
    }


def _figures(figures: Sequence[Figure], question: Question) -> list[dict[str, Any]]:
    return [figure_json(Described(figure, question.columns), Form.DECISION) for figure in figures]


def _finding(finding: Finding, told: Callable[[object], str]) -> dict[str, Any]:
    return {
        "numbers": list(map(told, finding.atom.entries)),
        "people": finding.atom.size,
        "known": finding.known,
        "delta": [finding.delta.lower, finding.delta.upper],
        "verdict": str(finding.verdict),
        "witness": str(finding.witness) if finding.witness else None,
        "reveals": _combination(finding.reveals),
    }


def _combination(combination: Combination | None) -> list[list[str]] | None:
    return None if combination is None else [[str(Fraction(weight)), str(entry)] for weight, entry in combination]
