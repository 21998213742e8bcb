"""A decision as JSON: the claim, all its parameters, its assumptions. It carries no confidential value."""

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalenius.figures import ColumnBelief, Figure
from dalenius.history import Combination
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.planning import Finding, Plan, Publish, Question, verdict_of
from dalenius.records import Categories, Column
from dalenius.report.text import assumptions, breaks, headline, remarks, used_beliefs
from dalenius.verification import SOURCES

SCHEMA = "dalenius/certificate/1"


def decision_json(
    plan: Plan,
    question: Question,
    figures: tuple[Figure, ...],
    published: tuple[Figure, ...],
    *,
    version: str,
    largest_known: int | None,
) -> dict[str, Any]:
    """The decision for machines: numbers as floats, rounded outwards by construction; exact ones as text.

    `published` are figures that are already out, with which the new ones were judged.
    """
    judged = (*published, *figures)
    used = used_beliefs(question, judged)
    return {
        "schema": SCHEMA,
        "software": f"dalenius {version}",
        "verdict": verdict_of(plan),
        "answer": headline(plan, figures),
        "remarks": remarks(question),
        "claim": {
            "definition": "noiseless privacy",
            "events": "all events",
            "evidence": "heuristic" if any(belief.fitted for belief in question.beliefs) else "computed",
            "epsilon": str(question.target.epsilon),
            "delta_wanted": str(question.target.delta),
            "delta_at_most": max((finding.delta.upper for finding in plan.findings), default=0.0),
        },
        "secret": str(question.secret),
        "attacker": {
            "knows": str(question.attacker.known),
            "in_every_group": question.attacker.in_every_group,
            "source": question.attacker.source,
            "largest_known": largest_known,
        },
        "columns": {belief.column: _column(question.columns[belief.column]) for belief in used},
        "beliefs": [_belief(belief) for belief in used],
        "people": question.frame.size,
        "figures": [_figure(figure, question) for figure in figures],
        "published": [_figure(figure, question) for figure in published],
        "groups": [_finding(finding) for finding in plan.findings],
        "remedies": [] if isinstance(plan, Publish) else [str(remedy) for remedy in plan.advice.remedies],
        "advice": "" if isinstance(plan, Publish) else plan.advice.words,
        "assumes": [*assumptions(question, judged), *ASSUMPTIONS],
        "broken_by": breaks(figures),
        "sources": list(SOURCES),
    }


def certificate(decision: Mapping[str, Any], figures: bytes) -> bytes:
    """The decision, bound to the published figures by their hash."""
    bound = {**decision, "figures_sha256": hashlib.sha256(figures).hexdigest()}
    return (json.dumps(bound, indent=2, ensure_ascii=False) + "\n").encode()


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
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "numbers": [str(entry) for entry in finding.atom.entries],
        "people": finding.atom.size,
        "known": finding.known,
        "delta": [finding.delta.lower, finding.delta.upper],
        "verdict": str(finding.verdict),
        "witness": str(finding.witness) if finding.witness else None,
        "reveals": _combination(finding.reveals),
    }


def _combination(combination: Combination | None) -> list[list[str]] | None:
    return None if combination is None else [[str(Fraction(weight)), str(entry)] for weight, entry in combination]
