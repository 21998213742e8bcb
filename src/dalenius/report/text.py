"""A decision in plain words."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import assert_never, final

from dalenius.beliefs.belief import INDEPENDENCE
from dalenius.beliefs.estimated import misleads
from dalenius.figures import ColumnBelief, Figure
from dalenius.guarantees import Verdict
from dalenius.history import Combination, Entry
from dalenius.numerics.bracket import at_most, digits, short
from dalenius.planning import (
    AddNoise,
    Advice,
    Coarsen,
    Finding,
    Plan,
    Publish,
    Question,
    Refuse,
    Undecided,
    verdict_of,
    worst_of,
)
from dalenius.secret import Presence

SHOWN = 12
NAMED = 12  # numbers of a group of people
LISTED = 60  # figures that are already out
WIDTH = 100
NOBODY = "No person is in any of the figures, so they tell nothing about anybody."


def headline(plan: Plan, figures: Sequence[Figure]) -> str:
    """The answer, in one line."""
    match plan:
        case Publish() if any(figure.truncated is not None for figure in figures):
            return "YES: these figures may go out, with what is specified for them: truncated values, noise, rounding."
        case Publish() if all(figure.channel.exact for figure in figures):
            return "YES: these figures may go out exactly as they are."
        case Publish():
            return "YES: these figures may go out, with the noise and rounding that are specified for them."
        case Coarsen() | AddNoise() | Refuse() if verdict_of(plan) == "fail":
            return "NO: these figures may not go out as they stand."
        case Coarsen() | AddNoise() | Refuse() | Undecided():
            return "REVIEW: neither certified as safe nor shown to be unsafe; a person must decide."
        case _:
            assert_never(plan)


def goal(question: Question) -> str:
    """The target in words."""
    target = question.target
    factor = digits(math.exp(float(target.epsilon)), rounding=ROUND_CEILING, places=3)
    return (
        f"Wanted: for any two facts about a person, whatever can come out is at most {factor} times as likely under "
        f"one as under the other (epsilon {short(target.epsilon)}), plus at most {short(target.delta)} (delta)."
    )


def remarks(question: Question) -> list[str]:
    """What a reader of the target should know."""
    if question.target.delta * question.frame.size < 1:
        return []
    size = question.frame.size
    told = f"Mind that delta times the {size} people is not below 1: such a promise may fail for somebody."
    return [f"{told} Take a delta far below one divided by their number."]


def story(
    plan: Plan,
    question: Question,
    figures: Sequence[Figure],
    published: Sequence[Figure] = (),
    *,
    limits: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """The whole story: answer, goal, table, reasons, remedies, assumptions, what would break it."""
    judged = (*published, *figures)
    parts = [headline(plan, figures), _wrapped(goal(question)), *map(_wrapped, (*remarks(question), *notes)), ""]
    parts += [*_table(plan.findings), "", *map(_wrapped, _reasons(plan))] if plan.findings else [NOBODY]
    if not isinstance(plan, Publish):
        parts += _advice(plan.advice, figures)
        parts += ["", _wrapped(least_change(plan))] if isinstance(plan, Coarsen | AddNoise) else []
    if limits:
        parts += ["", *limits]
    parts += ["", "The figures:", *(_item(definition(figure, question)) for figure in figures)]
    if published:
        parts += ["", "Already out, and judged with them:"]
        parts += [_item(definition(old, question)) for old in published[:LISTED]]
        more = len(published) - LISTED
        parts += [f"  ... and {more} more; `dalenius ledger list` has them all"] if more > 0 else []
    parts += ["", "This rests on:", *map(_item, assumptions(question, judged))]
    parts += ["", "It would be broken by:", *map(_item, breaks(figures))]
    return "\n".join(parts) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _item(text: str) -> str:
    filler = textwrap.TextWrapper(WIDTH, "  - ", "    ", break_long_words=False, break_on_hyphens=False)
    return filler.fill(text)


def definition(figure: Figure, question: Question) -> str:
    """What a figure is, in one line."""
    what = figure.kind if figure.column is None else f"{figure.kind} of {figure.column}"
    where = f", where {figure.where}" if figure.where.tests else ""
    by = f", by {' and '.join(figure.by)}" if figure.by else ""
    return f"{figure.name}: {what}{where}{by}; {figure.released(question.columns)}"


def _advice(advice: Advice, figures: Sequence[Figure]) -> list[str]:
    """One line a figure; what stands in it are alternatives."""
    ways: dict[str, list[str]] = {}
    noisy = {figure.name for figure in figures if figure.channel.random}
    for remedy in advice.remedies:
        ways.setdefault(remedy.figure, []).append(f"{remedy.line} ({remedy.error})")
    every = "all of these together" if len(ways) > 1 else "one of these" if len(advice.remedies) > 1 else "this"
    lines = [
        f"  - {figure}: {'change it to' if figure in noisy else 'add'} {', or '.join(found)}"
        for figure, found in ways.items()
    ]
    told = ["", f"What would make them safe (certified; {every}):", *lines] if lines else []
    return [*told, *(["", _wrapped(advice.words)] if advice.words else [])]


def least_change(plan: Coarsen | AddNoise) -> str:
    """What was chosen, in one sentence."""
    told = [f"{change.figure}: {change.line}" for way in plan.alternatives if way.chosen for change in way.changes]
    return f"The least change of all that were tried (dalenius plan lists them): {'; '.join(told)}."


def _table(findings: Sequence[Finding]) -> list[str]:
    """Worst first."""
    rows = [("published about the same people", "people", "known", "delta at most", "verdict")]
    names = AtomNames(findings)
    for finding in _worst_first(findings)[:SHOWN]:
        name = names[id(finding)]
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


@final
class AtomNames(dict[int, str]):
    """What is published about a group of people, by the id of its finding; and, since a number may cover others too,
    what they are not in. A name is made when it is asked for.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__()
        self._findings = {id(finding): finding for finding in findings}

    def __missing__(self, key: int) -> str:
        finding = self._findings[key]
        inside = finding.atom.entries
        outside = self._outside(frozenset(inside))
        whole = finding.reveals is not None and len(finding.reveals) == 1  # a number as it is published
        less = f", not in {' or '.join(map(str, outside[:2]))}{' ...' if len(outside) > 2 else ''}"
        more = f" and {len(inside) - NAMED} more" if len(inside) > NAMED else ""
        self[key] = " and ".join(map(str, inside[:NAMED])) + more + (less if outside and not whole else "")
        return self[key]

    def _outside(self, inside: frozenset[Entry]) -> list[Entry]:
        """Numbers that cover people of these numbers, but are none of them: two and a few more, if there are."""
        found: dict[Entry, None] = {}
        for finding in self._findings.values():
            others = [entry for entry in finding.atom.entries if entry not in inside]
            if len(others) < len(finding.atom.entries):
                found |= dict.fromkeys(others)
            if len(found) > 2:
                break
        return list(found)


def _worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (-finding.delta.upper, -finding.delta.lower))


def worst_line(plan: Plan, who: str = "The worst") -> str:
    """The group that fares worst, and why; or that the figures tell nothing about anybody."""
    worst = worst_of(plan)
    if worst.delta.upper == 0:
        groups = len(plan.findings)
        all_ = "the only group" if groups == 1 else f"all {groups} groups"
        return f"Delta is 0 for {all_} of people: whatever comes out, odds move by no more than epsilon allows."
    return f"{who}: {AtomNames(plan.findings)[id(worst)]}: {worst.because}."


def _reasons(plan: Plan) -> list[str]:
    lines = [worst_line(plan)]
    failing = _worst_first(finding for finding in plan.findings if finding.verdict == Verdict.FAIL)
    lines += [
        f"Refused because {reveals(finding.reveals)} reveals too much. {_told(finding)}" for finding in failing[:3]
    ]
    more = len(failing) - 3
    lines += [f"{more} more {'is' if more == 1 else 'are'} refused likewise."] if more > 0 else []
    if isinstance(plan, Undecided):
        lines.append(f"Undecided because {plan.reason}.")
    return lines


def _told(finding: Finding) -> str:
    """The event that gives a person away."""
    return f"An event that tells: {finding.witness}." if finding.witness else f"Because: {finding.because}."


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


def assumptions(question: Question, figures: Sequence[Figure]) -> list[str]:
    """All that the numbers rest on, each with its source; beliefs only about columns that are used."""
    known = question.attacker.known
    presence = isinstance(question.secret, Presence)
    share = (
        f"{float(100 * Fraction(known)):.3g} % of {'the declared sizes' if presence else 'all records'}"
        if not isinstance(known, int)
        else f"{known} record{'' if known == 1 else 's'}"
    )
    where = "in every published group alike" if question.attacker.in_every_group else "wherever they hurt most"
    differ = any(belief.least is not None for belief in used_beliefs(question, figures))
    lines = [
        "records are independent before anything is published" if differ else INDEPENDENCE,
        f"an attacker knows at most {share}, {where} (source: {question.attacker.source})",
        "confidential columns are independent of each other, given the public ones",
        "which figures to publish was chosen without looking at the data or at earlier figures",
        "every person has one record",
    ]
    if presence:
        lines.append("the groups have at least the sizes that were declared")
    return [*lines, *(belief_line(belief) for belief in used_beliefs(question, figures))]


def used_beliefs(question: Question, figures: Sequence[Figure]) -> list[ColumnBelief]:
    """The beliefs about columns that some figure depends on."""
    used = frozenset().union(*(figure.confidential(question.columns) for figure in figures))
    return [belief for belief in question.beliefs if belief.column in used]


def breaks(figures: Sequence[Figure]) -> list[str]:
    """What would break the claim."""
    noisy = any(figure.channel.random for figure in figures)
    return [*BREAKS, *([AGAIN] if noisy else [])]


def belief_line(belief: ColumnBelief) -> str:
    """A belief and its source, in one line."""
    by = f" by {', '.join(belief.by)}" if belief.by else ""
    fitted = ", FITTED TO THE CONFIDENTIAL DATA" if belief.fitted else ""
    source = f"(source: {belief.source}{fitted})"
    if belief.confidence is None and belief.least is not None:
        return f"everybody has the stated probabilities of {belief.column}{by}, {belief.differ} {source}"
    if belief.confidence is None:
        return f"the stated probabilities of {belief.column}{by} {source}"
    told = f"the probabilities of {belief.column}{by}, as far as public counts tell them {source}"
    return f"{told}: {misleads(belief.confidence)}"


BREAKS = (
    "people whose records move together (households, repeated visits)",
    "an attacker who knows more records than stated, or something about the rest",
    "probabilities that are far from the stated ones",
    "another publication from the same records that was not listed here",
)


AGAIN = "releasing the same noisy figures once more: every run draws new noise, and two draws tell more than one"


def share_of(known: int, n: int) -> str:
    """How much an attacker may know, as a number and a share rounded down."""
    share = math.floor(1000 * Fraction(known, n)) / 10
    return f"It still holds if the attacker knows up to {known} of {n} records ({share:g} %)."
