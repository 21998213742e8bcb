"""A plan with all its alternatives, as text and for machines."""

import textwrap
from collections.abc import Sequence
from typing import Any, assert_never

from dalenius.figures import Figure
from dalenius.planning import AddNoise, Alternative, Coarsen, Plan, Publish, Question, Refuse, Undecided
from dalenius.report.text import WIDTH, definition, goal, worst_line

SCHEMA = "dalenius/plan/1"
CONVENTION = (
    "Cost: the expected absolute error of a published number (of a rounding, if every place between two multiples is "
    "equally likely). Changes that keep every number come first, the least error before all others; then those that "
    "lose numbers, the fewest first. Beside it: the error if differential privacy alone had to do it. Certified: the "
    "changed figures were judged again from scratch, and passed."
)


def answer(plan: Plan) -> str:
    """The plan in one line."""
    match plan:
        case Publish():
            return "PUBLISH: the figures may go out as they are."
        case Coarsen():
            return "COARSEN: the figures may go out after this change."
        case AddNoise():
            return "ADD NOISE: the figures may go out after this change."
        case Refuse():
            return "REFUSE: no change was found that lets the figures go out."
        case Undecided():
            return "UNDECIDED: no bound passes, no witness fails, and no certified change was found."
        case _:
            assert_never(plan)


def plan_text(plan: Plan, question: Question, figures: Sequence[Figure]) -> str:
    """The answer, what changes, every alternative with its cost, what is met, what to measure."""
    parts = [answer(plan), _wrapped(goal(question)), ""]
    if plan.findings:
        groups = len(plan.findings)
        who = f"Of {groups} groups of people the worst" if groups > 1 else "The only group of people"
        parts.append(_wrapped(worst_line(plan, who)))
    if isinstance(plan, Publish):
        return "\n".join([*parts, "", *_released(figures, question)]) + "\n"
    if isinstance(plan, Coarsen | AddNoise):
        parts += ["", "Change this:", *_chosen(plan.alternatives)]
    if plan.alternatives:
        parts += ["", "Everything that was tried:", *_table(plan.alternatives), "", *_reasons(plan.alternatives)]
        parts += ["", _wrapped(CONVENTION)]
    if isinstance(plan, Refuse):
        parts += ["", "The nearest that is met:", *(f"  - {near.words}" for near in plan.nearest)]
    if isinstance(plan, Undecided):
        parts += ["", _wrapped(f"Undecided because {plan.reason}. {plan.next}")]
    elif plan.advice.words and isinstance(plan, Refuse):
        parts += ["", _wrapped(plan.advice.words)]
    if isinstance(plan, Coarsen | AddNoise):
        parts += ["", *_released(plan.figures, question)]
    return "\n".join(parts) + "\n"


def _released(figures: Sequence[Figure], question: Question) -> list[str]:
    return ["The figures then:", *(_item("", definition(figure, question)) for figure in figures)]


def _chosen(alternatives: Sequence[Alternative]) -> list[str]:
    return [
        f"  - {change.figure}: {change.line}{_off(change.error)}"
        for way in alternatives
        if way.chosen
        for change in way.changes
    ]


def _off(error: float) -> str:
    return f" (then off by about {error:,.3g})" if error else ""


def _table(alternatives: Sequence[Alternative]) -> list[str]:
    rows = [("", "way", "change", "error", "DP alone", "numbers lost", "certified")]
    for place, way in enumerate(alternatives, 1):
        change = way.changes[0] if way.changes else None
        more = f" (and {len(way.changes) - 1} more)" if len(way.changes) > 1 else ""
        rows.append(
            (
                f"{place}{'*' if way.chosen else ''}",
                way.way,
                _shortened(f"{change.figure}: {change.line}{more}") if change else "-",
                f"{max(one.error for one in way.changes):,.3g}" if change else "-",
                f"{change.alone:,.3g}" if change and change.alone is not None else "-",
                str(way.lost) if change else "-",
                "yes" if way.certified else "no",
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _reasons(alternatives: Sequence[Alternative]) -> list[str]:
    return [_item(f"{place}. ", way.why) for place, way in enumerate(alternatives, 1) if way.why]


def _item(number: str, text: str) -> str:
    filler = textwrap.TextWrapper(WIDTH, f"  {number or '- '}", "     ", break_long_words=False, break_on_hyphens=False)
    return filler.fill(text)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def plan_json(plan: Plan, question: Question, figures: Sequence[Figure], *, version: str) -> dict[str, Any]:
    """The same for machines."""
    after = plan.figures if isinstance(plan, Coarsen | AddNoise) else figures if isinstance(plan, Publish) else ()
    return {
        "schema": SCHEMA,
        "software": f"dalenius {version}",
        "plan": type(plan).__name__,
        "answer": answer(plan),
        "target": {"epsilon": str(question.target.epsilon), "delta": str(question.target.delta)},
        "delta_at_most": max((finding.delta.upper for finding in plan.findings), default=0.0),
        "figures": [definition(figure, question) for figure in after],
        "alternatives": [] if isinstance(plan, Publish) else [_alternative(way) for way in plan.alternatives],
        "nearest": [_near(near.epsilon, near.delta, near.words) for near in plan.nearest]
        if isinstance(plan, Refuse)
        else [],
        "next": plan.next if isinstance(plan, Undecided) else "",
        "convention": CONVENTION,
    }


def _near(epsilon: object, delta: object, words: str) -> dict[str, Any]:
    return {
        "epsilon": None if epsilon is None else str(epsilon),
        "delta": None if delta is None else str(delta),
        "words": words,
    }


def _alternative(way: Alternative) -> dict[str, Any]:
    return {
        "way": way.way,
        "figures": list(way.concerns),
        "changes": [
            {
                "figure": change.figure,
                "line": change.line,
                "expected_error": change.error,
                "differential_privacy_alone": change.alone,
            }
            for change in way.changes
        ],
        "cost": way.cost,
        "numbers_lost": way.lost,
        "certified": way.certified,
        "chosen": way.chosen,
        "why": way.why,
    }
