"""All groups of people that figures concern, judged: one by one, or where there are very many at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.judge.engine import LAW
from dalenius.judge.group import records_told
from dalenius.mechanisms import Chain
from dalenius.plan.finding import Finding, episodes_of, failing_numbers, judged_atoms, known_in
from dalenius.plan.judging import Spreader, docket_of
from dalenius.plan.question import Progress, Question
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Cover, Entry

MANY = 64  # cells of one figure from which on they are bounded at once
KINDS = 8  # kinds of records from which on a cheap bound is tried first
WITNESSES = 12  # failing cells for which the event is named, where there are very many


@final
@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """Who was judged, by whom, and how they fare."""

    atoms: tuple[Atom, ...]
    sizes: Mapping[Entry, int]
    docket: Docket
    findings: tuple[Finding, ...]


def examine(
    figures: Sequence[Figure],
    question: Question,
    progress: Progress,
    spread: Spreader | None = None,
    *,
    witnesses: bool = True,
) -> Examination:
    """Judge every group of people; without `witnesses`, only who passes and who does not.

    Cost: one law for each different kind of group; a few microseconds for each of
    very many cells of yes/no records.
    """
    if question.over_editions(figures) is not None:
        return _over_editions(figures, question, progress)
    cover = Cover.of(figures, question.frame, question.columns)
    atoms, sizes, docket = cover.atoms, cover.sizes(), docket_of(question)
    bounded = at_once(atoms, sizes, docket, question)
    failing = sorted(
        (place for place, (_, delta) in bounded.items() if delta.certainly_above(question.target.delta)),
        key=lambda place: -bounded[place][1].lower,
    )
    told, given = frozenset(failing[:WITNESSES] if witnesses else []), {}
    for place, (known, delta) in bounded.items():
        finding = _bounded(atoms[place], known, delta, docket, question, witness=place in told)
        if finding is not None:
            given[place] = finding
    found = judged_atoms(cover, docket, question, progress, given, spread, witnesses=witnesses)
    if witnesses and not any(finding.verdict == Verdict.FAIL for finding in found):
        whole = failing_numbers(found, atoms, docket, question)
        again = {(failed.atom.entries, failed.atom.groups) for failed in whole}
        kept = (finding for finding in found if not again or (finding.atom.entries, finding.atom.groups) not in again)
        found = (*kept, *whole)
    return Examination(atoms, sizes, docket, found)


def _over_editions(figures: Sequence[Figure], question: Question, progress: Progress) -> Examination:
    """Figures of several editions of a table that changes: everybody is judged over all of them, and what is refused is
    refused for the figures of one edition by themselves, which are about values of one time.
    """
    series = question.over_editions(figures)
    cover, docket = Cover.of(figures, question.frame, question.columns), docket_of(question)
    sizes, judge = cover.sizes(), episodes_of(cover, docket, question)
    found = list[Finding]()
    for place, atom in enumerate(cover.atoms):
        judged = judge.judged(place)
        passing = judged.delta.certainly_at_most(question.target.delta)
        verdict, known = Verdict.PASS if passing else Verdict.REVIEW, known_in(atom, sizes, question)
        found.append(
            Finding(atom, judged.delta, verdict, known, because=judged.because, method="series", route=judged.route)
        )
        progress("judging groups of people over all editions", place + 1, len(cover.atoms))
    if series is not None and any(finding.verdict != Verdict.PASS for finding in found):
        latest = [figure for figure in figures if series.month(figure) == series.now]
        alone = examine(latest, question, progress) if latest and not series.several(latest) else None
        found += [one for one in alone.findings if one.verdict == Verdict.FAIL] if alone is not None else []
    return Examination(cover.atoms, sizes, docket, tuple(found))


def _silent(_what: str, _done: int, _of: int) -> None:
    """Nobody watches."""


def passes(figures: Sequence[Figure], question: Question, *, kinds: int | None = None) -> bool:
    """Whether every group of people certainly passes, judged from scratch: nothing is remembered from before.

    `kinds`: groups of more different kinds of records than that count as not passing, unless a cheap bound says that
    they do. The smallest groups come first: they are the likeliest not to pass.
    """
    if question.over_editions(figures) is not None:
        findings = _over_editions(figures, question, _silent).findings
        return all(finding.verdict == Verdict.PASS for finding in findings)
    cover = Cover.of(figures, question.frame, question.columns)
    close, sizes, target = docket_of(question), cover.sizes(), question.target
    docket = close.less_close()
    open_ = [
        atom for atom in cover.atoms if docket.noise_alone([entry.figure for entry in atom.entries]) > target.delta
    ]
    atoms = sorted(open_, key=lambda atom: atom.size)
    bounded = at_once(atoms, sizes, docket, question)
    for place, atom in enumerate(atoms):
        if place in bounded and bounded[place][1].certainly_at_most(target.delta):
            continue
        known = known_in(atom, sizes, question)
        if len(atom.entries) == 1 and mixed(docket, atom, known) <= target.delta:
            continue
        if kinds is not None and len(atom.groups) > kinds:
            return False
        if not any(holds(some, atom, known, alone=alone(atom, sizes)) for some in _closer(docket, close)):
            return False
    return True


def certified(figures: Sequence[Figure], question: Question) -> bool:
    """The same by every route there is: also where each independent part of a record is taken by itself, or others are
    moved beside it, which takes longer.
    """
    return passes(figures, question) or all(
        finding.verdict == Verdict.PASS for finding in examine(figures, question, _silent).findings
    )


def _closer(docket: Docket, close: Docket) -> tuple[Docket, ...]:
    """Whom to ask, one after the other: the closer one only where probabilities are left open."""
    return (docket, close) if any(belief.least is not None for belief in docket.beliefs) else (docket,)


def holds(docket: Docket, atom: Atom, known: int, *, alone: bool) -> bool:
    """Whether the atom certainly passes; what is too much to compute does not."""
    try:
        return docket.passes(atom, known, alone=alone)
    except InputError:
        return False


def mixed(docket: Docket, atom: Atom, known: int) -> float:
    """A cheap bound of δ for a group of many kinds of yes/no records, about which one number is published, as exact."""
    from dalenius.plan.calibration.cells import coins_bound

    if len(atom.groups) < KINDS or docket.also:
        return 1.0
    kind = docket.laws(atom, [replace(atom.entries[0].figure, channel=Chain(()))])
    return coins_bound(kind, known + 1, docket.epsilon, docket.enough)


def alone(atom: Atom, sizes: Mapping[Entry, int]) -> bool:
    """Whether what is published of the atom covers nobody else."""
    return atom.alone(lambda entry: sizes[entry] == atom.size)


def at_once(
    atoms: Sequence[Atom],
    sizes: Mapping[Entry, int],
    docket: Docket,
    question: Question,
    known: int | None = None,
) -> dict[int, tuple[int, Bracket]]:
    """Known records and δ of cells that stand alone, by their place, where a figure has very many of yes/no records.

    `known`: how many records the attacker knows wherever they fit; otherwise as the question says.
    """
    if docket.also or any(belief.answered for belief in docket.beliefs):
        return {}  # each scenario has laws of its own; what is told of published answers is more than of true ones
    by_figure: dict[Figure, list[int]] = {}
    for place, atom in enumerate(atoms):
        if len(atom.entries) == 1 and alone(atom, sizes):
            by_figure.setdefault(atom.entries[0].figure, []).append(place)
    found: dict[int, tuple[int, Bracket]] = {}
    for figure, places in by_figure.items():
        if len(places) < MANY:
            continue
        knowns = [
            known_in(atoms[place], sizes, question) if known is None else min(atoms[place].size - 1, known)
            for place in places
        ]
        kinds = [docket.laws(atoms[place], [figure]) for place in places]
        triples = [(atoms[place].size, some, kind) for place, some, kind in zip(places, knowns, kinds, strict=True)]
        from dalenius.plan.calibration.cells import Cells

        cells = Cells.of(triples, docket.enough, anywhere=docket.presence)
        if figure.channel.exact:
            lower, upper = cells.exact(docket.epsilon)
        else:
            upper, _ = cells.uppers(docket.epsilon, figure.channel)
            lower = np.zeros(len(upper))
        for row, low, high in zip(cells.places, lower.tolist(), upper.tolist(), strict=False):
            found[places[row]] = knowns[row], Bracket(min(low, high), high)
    return found


def _bounded(
    atom: Atom, known: int, delta: Bracket, docket: Docket, question: Question, *, witness: bool
) -> Finding | None:
    """What the bounds of a cell by itself say; None if they decide nothing."""
    entry, wanted = atom.entries[0], question.target.delta
    because = records_told(atom.size, known)
    if delta.certainly_at_most(wanted):
        return Finding(atom, delta, Verdict.PASS, known, because=because, route=LAW)
    if entry.figure.channel.exact and delta.certainly_above(wanted):
        event = docket.witness(atom, entry.figure, known, alone=True) if witness else None
        weight = atom.size if entry.figure.kind == "mean" else 1
        return Finding(atom, delta, Verdict.FAIL, known, event, ((Fraction(weight), entry),), because, route=LAW)
    return None


def reviewed(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The same findings, none of which decides anything."""
    return tuple(replace(finding, verdict=Verdict.REVIEW) for finding in findings)
