"""A decision in plain words."""

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import assert_never

from dalenius.figures import ColumnBelief
from dalenius.guarantees import Verdict
from dalenius.history import Combination
from dalenius.numerics.bracket import Bracket, at_most, digits
from dalenius.planning import Finding, Plan, Publish, Question, Refuse, Undecided, worst_of
from dalenius.secret import Presence
from dalenius.verification import INDEPENDENCE

SHOWN = 12
NOBODY = "No person is in any of the figures, so they tell nothing about anybody."


def headline(plan: Plan) -> str:
    """The answer, in one line."""
    match plan:
        case Publish():
            return "YES: these figures may go out exactly as specified."
        case Refuse():
            return "NO: these figures may not go out as they stand."
        case Undecided():
            return "REVIEW: neither certified as safe nor shown to be unsafe; a person must decide."
        case _:
            assert_never(plan)


def goal(question: Question) -> str:
    """The target without Greek letters."""
    factor = digits(math.exp(float(question.target.epsilon)), rounding=ROUND_CEILING, places=3)
    short, delta = f"{float(question.target.delta):.3g}", question.target.delta
    return (
        f"Wanted: nobody's odds, for any two facts about them, move by more than a factor of {factor}, except with "
        f"probability at most {short if Fraction(short) == delta else float(delta)}."
    )


def story(plan: Plan, question: Question, *, largest_known: str = "") -> str:
    """The whole story: answer, goal, table, reasons, remedies, assumptions, what would break it."""
    parts = [headline(plan), goal(question), ""]
    parts += [*_table(plan.findings), "", *_reasons(plan)] if plan.findings else [NOBODY]
    if isinstance(plan, Refuse | Undecided) and plan.remedies:
        parts += ["", "What would make them safe (certified):", *(f"  - {remedy}" for remedy in plan.remedies)]
    if largest_known:
        parts += ["", largest_known]
    parts += ["", "This rests on:", *(f"  - {line}" for line in assumptions(question))]
    parts += ["", "It would be broken by:", *(f"  - {line}" for line in BREAKS)]
    return "\n".join(parts) + "\n"


def _table(findings: Sequence[Finding]) -> list[str]:
    """Worst first."""
    rows = [("published about the same people", "people", "known", "exception at most", "verdict")]
    for finding in _worst_first(findings)[:SHOWN]:
        name = " + ".join(map(str, finding.atom.entries))
        rows.append(
            (name, str(finding.atom.size), str(finding.known), at_most(finding.delta.upper), str(finding.verdict))
        )
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = [
        "  ".join(
            text.ljust(width) if i in (0, 4) else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    more = len(findings) - SHOWN
    return [*lines, f"... and {more} safer groups of people"] if more > 0 else lines


def _worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (-finding.delta.upper, -finding.delta.lower))


def _reasons(plan: Plan) -> list[str]:
    worst = worst_of(plan)
    lines = [f"The worst: {' + '.join(map(str, worst.atom.entries))}: {worst.because}."]
    lines += [
        f"Refused because {reveals(finding.reveals)} reveals too much: {finding.witness or 'see the table'}."
        for finding in _worst_first(finding for finding in plan.findings if finding.verdict == Verdict.FAIL)[:3]
    ]
    if isinstance(plan, Undecided):
        lines.append(f"Undecided because {plan.reason}.")
    return lines


def reveals(combination: Combination | None) -> str:
    """The combination of published numbers, as one would write it."""
    if not combination:
        return "the figure"
    text = ""
    for weight, entry in sorted(combination, key=lambda item: -item[0]):
        size = "" if abs(weight) == 1 else f"{abs(weight)} · "
        sign = (" − " if text else "−") if weight < 0 else (" + " if text else "")
        text += f"{sign}{size}{entry}"
    return f'"{text}"'


def assumptions(question: Question) -> list[str]:
    """All that the numbers rest on, each with its source."""
    known = question.attacker.known
    share = (
        f"{float(known):.3g} of all records"
        if not isinstance(known, int)
        else f"{known} record{'' if known == 1 else 's'}"
    )
    where = "in every published group alike" if question.attacker.in_every_group else "wherever they hurt most"
    lines = [
        INDEPENDENCE,
        f"an attacker knows at most {share}, {where} (source: {question.attacker.source})",
        "confidential columns are independent of each other, given the public ones",
        "which figures to publish was chosen without looking at the data or at earlier figures",
        "every person has one record",
    ]
    if isinstance(question.secret, Presence):
        lines.append("the groups have the sizes that were declared, up to the one person who may be there or not")
    return [*lines, *(belief_line(belief) for belief in question.beliefs)]


def belief_line(belief: ColumnBelief) -> str:
    by = f" by {', '.join(belief.by)}" if belief.by else ""
    fitted = ", FITTED TO THE CONFIDENTIAL DATA" if belief.fitted else ""
    return f"the stated probabilities of {belief.column}{by} (source: {belief.source}{fitted})"


BREAKS = (
    "people whose records move together (households, repeated visits)",
    "an attacker who knows more records than stated, or something about the rest",
    "probabilities that are far from the stated ones",
    "another publication from the same records that was not listed here",
)


def share_of(known: int, n: int) -> str:
    """How much an attacker may know, as a number and a share rounded down."""
    share = math.floor(1000 * Fraction(known, n)) / 10
    return f"It still holds if the attacker knows up to {known} of {n} records ({share:g} %)."


__all__ = ["Bracket", "assumptions", "goal", "headline", "reveals", "share_of", "story"]
