"""A decision as JSON, and the certificate of a release: the claim, all its parameters, its assumptions.

Neither carries a confidential value.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from dalenius.basics.errors import InputError
from dalenius.facts.records import Categories, Column, exact
from dalenius.facts.secret import Presence
from dalenius.judge.verdict import SOURCES
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.plan import Advice, Finding, Plan, Publish, Question, verdict_of
from dalenius.plan.grounds import breaks, grounds, used_beliefs
from dalenius.plan.words import headline, remarks
from dalenius.record.certificate.document import SCHEMA
from dalenius.record.certificate.kinds import channel_json, grouped
from dalenius.tables.computed import Computed
from dalenius.tables.figures import ColumnBelief, Figure
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
        "attacker": {
            "knows": str(question.attacker.known),
            "in_every_group": question.attacker.in_every_group,
            "source": question.attacker.source,
            **({"largest_known": largest_known} if margins else {}),
        },
        "columns": {belief.column: _column(question.columns[belief.column]) for belief in used},
        "beliefs": [_belief(belief) for belief in used],
        "people": question.frame.size,
        "figures": brief["figures"],
        "published": [_figure(figure, question) for figure in published],
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
        "claim": {
            "definition": "noiseless privacy",
            "events": "all events",
            "evidence": "heuristic" if any(belief.fitted for belief in question.beliefs) else "computed",
            "epsilon": str(question.target.epsilon),
            "delta_wanted": str(question.target.delta),
            "delta_at_most": max((finding.delta.upper for finding in plan.findings), default=0.0),
        },
        "figures": [_figure(figure, question) for figure in figures],
        "assumes": [*rests.needed, *ASSUMPTIONS],
        "not_needed": list(rests.idle),
        "broken_by": list(rests.breaks),
    }


def certificate(
    plan: Plan,
    question: Question,
    figures: tuple[Figure, ...],
    published: tuple[Figure, ...],
    *,
    version: str,
    largest_known: int | None,
    table: bytes,
    policies: Sequence[Mapping[str, Any]] = (),
    computed: Sequence[Computed] = (),
) -> bytes:
    """The certificate of figures that go out, bound to `table`, the file that holds them, by its hash.

    It has all that is needed to compute every delta again, and the limits of the policies that were kept to; nothing
    that follows from other numbers is written as text.
    """
    if not isinstance(plan, Publish):
        raise InputError("A certificate is for figures that passed, but these did not. Print the decision instead.")
    judged = (*published, *figures)
    found = grouped(plan.findings, question, judged)
    adds = extremes(found["kinds"], found["domains"])
    used = used_beliefs(question, judged)
    size, target = question.frame.size, question.target
    most = max((Fraction(kind["delta"][1]), kind["delta"][1]) for kind in found["kinds"])[1] if plan.findings else "0"
    document = {
        "schema": SCHEMA,
        "software": f"dalenius {version}",
        "verdict": "pass",
        "answer": headline(plan, figures),
        "claim": {
            "definition": "noiseless privacy",
            "events": "all events",
            "evidence": "computed",
            "epsilon": str(target.epsilon),
            "delta_wanted": str(target.delta),
            "delta_at_most": most,
        },
        "secret": "presence" if isinstance(question.secret, Presence) else "value",
        "attacker": {
            "knows": str(exact(question.attacker.known, name="known")),
            "in_every_group": question.attacker.in_every_group,
            "source": question.attacker.source,
            "largest_known": largest_known,
        },
        "policies": [dict(policy) for policy in policies],
        "people": {"all": size, "in_no_figure": size - sum(finding.atom.size for finding in plan.findings)},
        "beliefs": [_declared(belief) for belief in used],
        "figures": [
            _described(figure, question, adds.get(place), already_out=place < len(published))
            for place, figure in enumerate(judged)
        ],
        **({"computed": [one.json() for one in computed]} if computed else {}),
        **found,
        "assumes": certain_assumptions(
            presence=isinstance(question.secret, Presence),
            estimated=any(belief.least is not None for belief in used),
            counted=any(belief.confidence is not None for belief in used),
        ),
        "broken_by": breaks(figures),
        "sources": list(SOURCES),
        "figures_sha256": hashlib.sha256(table).hexdigest(),
    }
    return sealed(document)


def sealed(document: Mapping[str, Any]) -> bytes:
    """The document with its own hash, one line for each item of a list."""
    whole = {**document, "sha256": own_hash(document)}
    return ("{\n" + ",\n".join(f"{_line(key)}: {_laid_out(value)}" for key, value in whole.items()) + "\n}\n").encode()


def own_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its own hash: ASCII, keys sorted, no spaces."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _laid_out(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"  {_line(item)}" for item in value) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"  {_line(key)}: {_line(item)}" for key, item in value.items()) + "\n}"
    return _line(value)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def certain_assumptions(*, presence: bool, estimated: bool, counted: bool) -> list[str]:
    """What the claim rests on. Numbers stand where they are used, and are not repeated here."""
    lines = [
        "records are independent before anything is published"
        if estimated
        else "records are independent, and have the stated laws before anything is published",
        "the attacker knows no more records than stated, and nothing else about the rest",
        "confidential columns are independent of each other, given the public ones",
        "which figures to publish was chosen without looking at the data or at earlier figures",
        "every person has one record",
    ]
    if presence:
        lines.append("the groups have at least the sizes that are stated")
    if estimated:
        lines.append("nobody's law has less mass anywhere than the stated ends")
    if counted:
        lines.append("the public counts are an independent sample of the same population, and not a misleading one")
    return [*lines, *ASSUMPTIONS]


def _declared(belief: ColumnBelief) -> dict[str, Any]:
    confidence = None if belief.confidence is None else str(belief.confidence)
    by = list(belief.by)
    return {
        "column": belief.column,
        "by": by,
        "source": belief.source,
        "confidence": confidence,
        "differ": belief.differ,
    }


def _described(
    figure: Figure, question: Question, adds: tuple[int, int] | None, *, already_out: bool
) -> dict[str, Any]:
    unit = figure.unit(question.columns)
    same = adds is not None and adds[0] == adds[1]  # for every record: it depends on nothing
    return {
        "name": figure.name,
        "kind": figure.kind,
        "column": figure.column,
        "confidential": [] if same else sorted(figure.confidential(question.columns)),
        "where": str(figure.where),
        "by": list(figure.by),
        "already_out": already_out,
        "unit": str(unit),
        "least": None if adds is None else str(adds[0] * unit),
        "most": None if adds is None else str(adds[1] * unit),
        "channel": channel_json(figure.channel.links),
        **_truncated(figure),
    }


def _truncated(figure: Figure) -> dict[str, Any]:
    """The key that only figures with truncated values have."""
    return {} if figure.truncated is None else {"truncated": [str(limit) for limit in figure.truncated]}


def extremes(kinds: Sequence[Mapping[str, Any]], domains: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """The least and the most that one record adds to each figure, in steps; those that cover nobody are not there."""
    axes = [_axes(domain) for domain in domains]
    seen: dict[tuple[int, int], set[int]] = {}
    for kind in kinds:
        for part in kind["parts"]:
            figures = part["figures"]
            for ends, places in axes[part["domain"]].items():
                mine = figures if len(places) == len(figures) else [figures[place] for place in places]
                seen.setdefault(ends, set()).update(mine)
    found: dict[int, tuple[int, int]] = {}
    for (low, high), covered in seen.items():
        for figure in covered:
            least, most = found.get(figure, (low, high))
            found[figure] = min(least, low), max(most, high)
    return found


def _axes(domain: Sequence[Any]) -> dict[tuple[int, int], list[int]]:
    """Coordinates of vectors that are written as runs, by the least and the most that stand there."""
    corners = [
        [a + at * b for a, b in zip(first, step, strict=True)] for first, step, count in domain for at in (0, count - 1)
    ]
    found: dict[tuple[int, int], list[int]] = {}
    for place, axis in enumerate(zip(*corners, strict=True)):
        found.setdefault((min(axis), max(axis)), []).append(place)
    return found


def _column(column: Column) -> dict[str, Any]:
    if isinstance(column, Categories):
        return {"labels": list(column.values)}
    return {"unit": str(column.unit), "bounds": [str(column.lower), str(column.upper)]}


def _belief(belief: ColumnBelief) -> dict[str, Any]:
    least = belief.least or {}
    return {
        "column": belief.column,
        "by": list(belief.by),
        "source": belief.source,
        "fitted": belief.fitted,
        "confidence": None if belief.confidence is None else str(belief.confidence),
        "cells": [
            {
                "cell": [str(value) for value in cell],
                "probabilities": {str(value): str(chance) for value, chance in marginal},
                "at_least": {str(value): str(chance) for value, chance in least.get(cell, ())},
            }
            for cell, marginal in belief.table.items()
        ],
    }


def _figure(figure: Figure, question: Question) -> dict[str, Any]:
    return {
        "name": figure.name,
        "kind": figure.kind,
        "column": figure.column,
        "where": str(figure.where),
        "by": list(figure.by),
        "release": figure.released(question.columns),
        **_truncated(figure),
    }


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
