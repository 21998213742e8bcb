"""A decision in plain words."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import final

from dalenius.beliefs.belief import known_records
from dalenius.claims import Verdict
from dalenius.enclosure.formats import at_most, short
from dalenius.plan import (
    AddNoise,
    Advice,
    Coarsen,
    Finding,
    Plan,
    Publish,
    Question,
    Undecided,
    worst_of,
)
from dalenius.plan.grounds import grounds
from dalenius.plan.words import headline, remarks, whom
from dalenius.show.factor import factor_of
from dalenius.show.layout import item, laid_out, table, wrapped
from dalenius.tables.computed import Computed
from dalenius.tables.figures import Figure
from dalenius.tables.history import Combination, Entry

SHOWN = 12
LONG = 60  # letters of a name, from which on it is shortened in a table
NAMED = 12  # numbers of a group of people
LISTED = 60  # figures that are already out
COMPUTED = "Computed from them and published with them, so that they cost nothing beyond them:"
NOBODY = "No person is in any of the figures, so they tell nothing about anybody."


def goal(question: Question) -> str:
    """The target in words."""
    target = question.target
    factor = factor_of(target.epsilon)
    return (
        f"Wanted: for any two facts about {whom(question)}, whatever can come out is at most {factor} times as likely "
        f"under one as under the other (epsilon {short(target.epsilon)}), plus at most {short(target.delta)} (delta)."
    )


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
    parts = [
        *verdict_lines(plan, question, figures, notes),
        *advice_lines(plan, figures),
        *(["", *map(laid_out, limits)] if limits else []),
        *ground_lines(plan, question, figures, published),
    ]
    return "\n".join(parts) + "\n"


def verdict_lines(plan: Plan, question: Question, figures: Sequence[Figure], notes: Sequence[str] = ()) -> list[str]:
    """The answer, and what is needed to read it: the goal, how every group of people fares, the worst of them, why."""
    parts = [wrapped(headline(plan, figures)), wrapped(goal(question)), *map(wrapped, (*remarks(question), *notes)), ""]
    if not plan.findings:
        return [*parts, NOBODY]
    reasons = (*_reasons(plan), *known_anywhere(plan.findings, question))
    return [*parts, *_table(plan.findings, question.target.delta), "", *map(wrapped, reasons)]


def advice_lines(plan: Plan, figures: Sequence[Figure]) -> list[str]:
    """What would make figures safe that may not go out."""
    if isinstance(plan, Publish):
        return []
    chosen = ["", wrapped(least_change(plan))] if isinstance(plan, Coarsen | AddNoise) else []
    return [*_advice(plan.advice, figures), *chosen]


def ground_lines(
    plan: Plan,
    question: Question,
    figures: Sequence[Figure],
    published: Sequence[Figure] = (),
    computed: Sequence[Computed] = (),
) -> list[str]:
    """What the figures are, what the answer rests on, and what would break it."""
    parts = ["", "The figures:", *(item(definition(figure, question)) for figure in figures)]
    if computed:
        parts += ["", wrapped(COMPUTED), *(item(f"{one.name}: {one.formula}") for one in computed)]
    if published:
        parts += ["", "Already out, and judged with them:"]
        parts += [item(definition(old, question)) for old in published[:LISTED]]
        more = len(published) - LISTED
        parts += [f"  ... and {more} more; `dalenius ledger list` has them all"] if more > 0 else []
    found = grounds(plan, question, (*published, *figures), figures)
    parts += ["", "This rests on:", *map(item, found.needed)]
    if found.idle:
        parts += ["", wrapped(f"Stated, but not needed for the answer, since {found.why}:"), *map(item, found.idle)]
    return [*parts, "", "It would be broken by:", *map(item, found.breaks)]


def stopped_line(seconds: float, untried: Sequence[str]) -> str:
    """That a search ended because its time was up, and what was not tried."""
    more = "--seconds, or seconds= in Python, gives more"
    return f"Stopped because the {seconds:g} s for this were over ({more}). Not tried: {'; '.join(untried)}."


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
    every = "all of these together" if len(ways) > 1 else "one of these" if len(advice.remedies) > 1 else "one change"
    lines = [
        item(f"{figure}: {'change it to' if figure in noisy else 'add'} {', or '.join(found)}")
        for figure, found in ways.items()
    ]
    told = ["", f"What would make them safe ({every}, certified):", *lines] if lines else []
    return [*told, *(["", wrapped(advice.words)] if advice.words else [])]


def least_change(plan: Coarsen | AddNoise) -> str:
    """What was chosen, in one sentence."""
    told = [f'"{change.figure}": {change.line}' for way in plan.alternatives if way.chosen for change in way.changes]
    return f"The least change of all that were tried (dalenius plan lists them): {'; '.join(told)}."


def _table(findings: Sequence[Finding], wanted: Fraction) -> list[str]:
    """Worst first."""
    rows = [("published about the same people", "people", "known", "delta at most", "verdict")]
    shown = _worst_first(findings)[:SHOWN]
    for finding, name in zip(shown, row_names(shown, findings), strict=True):
        delta = at_most(finding.delta.upper, wanted)
        rows.append((name, str(finding.atom.size), str(finding.known), delta, str(finding.verdict)))
    lines = table(rows, right=(1, 2, 3))
    return [*lines, *(f"... and {rest}" for rest in left_out(findings, SHOWN))]


def left_out(findings: Sequence[Finding], shown: int) -> list[str]:
    """How many groups of people are not among the first `shown` of a table, and how they fare."""
    rest = _worst_first(findings)[shown:]
    if not rest:
        return []
    counts = Counter(finding.verdict for finding in rest)
    if counts[Verdict.PASS] == len(rest):
        return [f"{len(rest)} safer group{'s' * (len(rest) > 1)} of people, which pass{'es' * (len(rest) == 1)}"]
    words = {Verdict.FAIL: "fail", Verdict.REVIEW: "for review", Verdict.PASS: "pass"}
    told = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
    return [f"{len(rest)} more group{'s' * (len(rest) > 1)} of people: {told}"]


def known_among(finding: Finding, question: Question) -> str:
    """How many of a group's people could be known to the attacker."""
    known, every = finding.known, _known_records(question)
    if not known:
        return "none of whom the attacker knows"
    if every is None:
        return f"of whom the attacker knows at most {known}"
    return (
        f"among whom all {every} known records could be"
        if known == every
        else f"all but one of whom could be among the {every} known records"
    )


def known_anywhere(findings: Sequence[Finding], question: Question) -> list[str]:
    """Where groups do not pass with the known records among them: that these may be elsewhere, and how to say so."""
    every = _known_records(question)
    if not every or all(finding.verdict == Verdict.PASS or not finding.known for finding in findings):
        return []
    share = "" if not isinstance(question.attacker.known, int) else " and knows as a share"
    told = (
        f"All {every} known records could be in any one of these groups: nothing is said about where they are. If no "
        f"group has more than its share of them, write in_every_group: true{share} under attacker, with a source that "
        "says why."
    )
    return [told]


def _known_records(question: Question) -> int | None:
    """How many records the attacker knows, wherever they are; None if they are spread over all groups alike."""
    attacker, size = question.attacker, question.frame.size
    if attacker.in_every_group and not isinstance(attacker.known, int):
        return None
    return known_records(attacker.known, size) if size > 1 else 0


def row_names(shown: Sequence[Finding], findings: Sequence[Finding]) -> list[str]:
    """The names of some groups for a table: in full, or where that is long by their cells."""
    names, short = AtomNames(findings), places(findings)
    full = [names[id(finding)] for finding in shown]
    return [
        short.get(id(finding), name) if len(name) > LONG else name for finding, name in zip(shown, full, strict=True)
    ]


def places(findings: Sequence[Finding]) -> dict[int, str]:
    """Groups of people that are in several numbers, by the cells of all of them, where no two are called alike."""
    found: dict[int, str] = {}
    for finding in findings:
        entries = finding.atom.entries
        cells = (pair for entry in entries for pair in zip(entry.figure.by, entry.cell, strict=True))
        where = ", ".join(f"{column} {value}" for column, value in dict.fromkeys(cells))
        if where and len(entries) > 1:
            found[id(finding)] = f"{where} (in {len(entries)} numbers)"
    often = Counter(found.values())
    return {key: name for key, name in found.items() if often[name] == 1}


@final
class AtomNames(dict[int, str]):
    """What is published about a group of people, by the id of its finding; and, since a number may cover others too,
    what they are not in. A name is made when it is asked for. `mark` stands around the names of figures.
    """

    def __init__(self, findings: Sequence[Finding], *, mark: str = "") -> None:
        super().__init__()
        self._findings = {id(finding): finding for finding in findings}
        self._mark = mark

    def __missing__(self, key: int) -> str:
        finding = self._findings[key]
        inside = finding.atom.entries
        outside = self._outside(frozenset(inside))
        whole = finding.reveals is not None and len(finding.reveals) == 1  # a number as it is published
        less = f", not in {self._told(outside[:2], 'or')}{' ...' if len(outside) > 2 else ''}"
        more = f" and {len(inside) - NAMED} more" if len(inside) > NAMED else ""
        self[key] = self._told(inside[:NAMED], "and", more) + (less if outside and not whole else "")
        return self[key]

    def _told(self, entries: Sequence[Entry], word: str, more: str = "") -> str:
        """Where all are about one cell, it is named once."""
        places = [entry.place for entry in entries]
        once = len(entries) > 1 and places[0] and len(set(places)) == 1
        names = [f"{self._mark}{entry.figure.name}{self._mark}" for entry in entries]
        if once:
            every = ("both" if len(entries) == 2 else "all") if word == "and" else "either"
            return f" {word} ".join(names) + f"{more} ({every} {places[0]})"
        told = (f"{name} ({place})" if place else name for name, place in zip(names, places, strict=True))
        return f" {word} ".join(told) + more

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
    """Those that fail before all others."""
    return sorted(
        findings,
        key=lambda finding: (finding.verdict != Verdict.FAIL, -finding.delta.upper, -finding.delta.lower),
    )


def worst_line(plan: Plan, who: str = "The worst") -> str:
    """The group that fares worst, and why; or that the figures tell nothing about anybody."""
    worst = worst_of(plan)
    if worst.delta.upper == 0:
        groups = len(plan.findings)
        all_ = "the only group" if groups == 1 else f"all {groups} groups"
        return f"Delta is 0 for {all_} of people: whatever comes out, odds move by no more than epsilon allows."
    names = AtomNames(plan.findings, mark='"')
    return f"{who}: {names[id(worst)]}: {worst.because}."


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


def share_of(known: int, n: int) -> str:
    """How much an attacker may know, as a number and a share rounded down."""
    share = math.floor(1000 * Fraction(known, n)) / 10
    return f"It still holds if the attacker knows up to {known} of {n} records ({share:g} %)."
