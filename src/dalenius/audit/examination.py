"""An audit from tables to an answer: what follows, to whom, and whether that is settled.

The attacker who knows most is asked about first: what is open to them is open to everybody, by the same two tables.
What is not open is asked again for those who know less, so that it is said who comes to know it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import inf
from time import monotonic
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.findings import CellFinding, CellStatus, Findings
from dalenius.audit.following import follow
from dalenius.audit.linking import SAME_PEOPLE, Asked, Group, Linked, link, words
from dalenius.audit.problem import ContradictionError, Problem, Statement
from dalenius.audit.system import FAR, rows_of
from dalenius.audit.tables import COUNT, Cell, Convention, PublishedTable, interval

Key: TypeAlias = tuple[str, Group]  # a measure, and whom it is about

TABLES_ALONE = "anybody who has the tables"
RULE = "whoever also knows the rule by which numbers were hidden"
BESIDES = "whoever knows that, and what is stated to be known besides"


TOO_MUCH = (CellStatus.FOLLOWS, CellStatus.PINNED)
WORST_FIRST = (CellStatus.FOLLOWS, CellStatus.PINNED, CellStatus.UNDECIDED, CellStatus.OPEN)


class AuditAnswer(StrEnum):
    """What an audit comes to."""

    FOLLOWS = "fail"
    UNDECIDED = "review"
    NOTHING = "pass"


@final
@dataclass(frozen=True, slots=True)
class TableReader:
    """Who looks at the tables, in words, and what follows for them about some of the numbers that are asked about, by
    their places.
    """

    words: str
    findings: Findings
    places: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Conclusion:
    """What was found of one hidden number, or of one that no table has: its status and its interval for the attacker
    who learns most, the attackers who learn too much, and the published numbers by which the first of them does.
    """

    asked: Asked
    finding: CellFinding
    status: CellStatus
    to: tuple[str, ...]
    because: tuple[str, ...]

    @property
    def interval(self) -> str:
        """Between which numbers it lies, in words."""
        return interval(self.finding.low, self.finding.high)

    @property
    def tells(self) -> bool:
        """Whether too much follows."""
        return self.status in TOO_MUCH


@dataclass(frozen=True)
class Examined:
    """Tables, and what follows from them: `attackers` know more and more; `members` know that and that they are in a
    hidden cell, and are listed if they learn more.

    >>> import dalenius as dl
    >>> text = "ward,young,old,Total north,x,41,44 south,28,52,80 Total,31,93,124".replace(" ", chr(10))
    >>> table = dl.audit.read_table(text, "by age")
    >>> examined = dl.audit.examine([table])
    >>> len(examined.conclusions)
    1
    """

    tables: tuple[PublishedTable, ...]
    convention: Convention
    linked: Linked
    attackers: tuple[TableReader, ...]
    members: tuple[TableReader, ...] = ()

    @cached_property
    def conclusions(self) -> tuple[Conclusion, ...]:
        """One for each number that is asked about; those that tell come first."""
        answers: list[list[tuple[TableReader, int]]] = [[] for _ in self.linked.asked]
        for attacker in (*self.attackers, *self.members):
            for at, place in enumerate(attacker.places):
                answers[place].append((attacker, at))
        made = [self._conclusion(asked, own) for asked, own in zip(self.linked.asked, answers, strict=True)]
        return tuple(sorted(made, key=lambda each: WORST_FIRST.index(each.status)))

    def _conclusion(self, asked: Asked, answers: Sequence[tuple[TableReader, int]]) -> Conclusion:
        found = [(attacker, at, attacker.findings.each[at]) for attacker, at in answers]
        status = {id(finding): self._status(asked, finding) for _, _, finding in found}
        # What a person in a cell can rule out is true of that person only: it counts if it is too much.
        members = {id(each) for each in self.members}
        _, _, worst = min(
            found,
            key=lambda each: (WORST_FIRST.index(status[id(each[2])]), id(each[0]) in members, _width(each[2])),
        )
        telling = [(attacker, at) for attacker, at, finding in found if status[id(finding)] in TOO_MUCH]
        rests = grounds(telling[0][0].findings, telling[0][1]) if telling else ()
        because = tuple(each for each in rests if not each.startswith(SAME_PEOPLE))
        return Conclusion(
            asked, worst, status[id(worst)], tuple(dict.fromkeys(each.words for each, _ in telling)), because
        )

    def status_of(self, attacker: TableReader, at: int) -> CellStatus:
        """What one of an attacker's findings means."""
        return self._status(self.linked.asked[attacker.places[at]], attacker.findings.each[at])

    def _status(self, asked: Asked, finding: CellFinding) -> CellStatus:
        """What a finding means. A number that no table hides matters if it is small, and there is somebody in it."""
        if not asked.hidden:
            people = self._counts.get(asked.group) if asked.measure != COUNT else finding
            if people is not None and people.low is not None and people.low >= self.convention.threshold:
                return CellStatus.OPEN
            if people is not None and people.high == 0:
                return CellStatus.OPEN
        if finding.status == CellStatus.OPEN and not self.linked.exact:
            return CellStatus.UNDECIDED
        return finding.status

    @cached_property
    def _counts(self) -> dict[Group, CellFinding]:
        """How many people there are in groups that are asked about."""
        strongest = self.attackers[-1].findings.each
        pairs = zip(self.linked.asked, strongest, strict=True)
        return {asked.group: finding for asked, finding in pairs if asked.measure == COUNT}

    @property
    def answer(self) -> AuditAnswer:
        """Whether something follows, nothing does, or it is not settled."""
        found = {conclusion.status for conclusion in self.conclusions}
        if found & set(TOO_MUCH):
            return AuditAnswer.FOLLOWS
        if CellStatus.UNDECIDED in found or self.linked.unasked:
            return AuditAnswer.UNDECIDED
        return AuditAnswer.NOTHING

    def of_cell(self, table: PublishedTable, cell: Cell) -> Conclusion | None:
        """What was found of a cell, if it was asked about."""
        return self._by_cell.get((table.name, cell.labels))

    @cached_property
    def _by_cell(self) -> dict[tuple[str, tuple[str | None, ...]], Conclusion]:
        return {
            (name, cell.labels): conclusion for conclusion in self.conclusions for name, cell in conclusion.asked.cells
        }

    @property
    def small_shown(self) -> int:
        """How many counts from 1 to below the threshold are shown as they are."""
        return sum(
            1
            for table in self.tables
            if table.measure == COUNT and not table.earlier
            for cell in table.cells
            if cell.exact and cell.lower is not None and 0 < cell.lower < self.convention.threshold
        )


def examine(
    tables: Sequence[PublishedTable],
    convention: Convention | None = None,
    *,
    seconds: float | None = 60.0,
    only: Collection[Key] | None = None,
    also: Collection[Key] = (),
) -> Examined:
    """What follows from these tables, to each attacker that the convention describes. `only`: ask about these; `also`:
    about these too, if they are small.

    >>> import dalenius as dl
    >>> text = "ward,young,old,Total north,x,41,44 south,28,52,80 Total,31,93,124".replace(" ", chr(10))
    >>> (found,) = dl.audit.examine([dl.audit.read_table(text, "by age")]).conclusions
    >>> found.finding.low, found.finding.high, str(found.status)
    (3, 3, 'follows')
    """
    convention = convention or Convention()
    linked = link(tables, convention, also)
    if only is not None:
        linked = _asking(linked, only)
    end = inf if seconds is None else monotonic() + seconds
    try:
        return _Examination(tuple(tables), convention, linked, end).examined()
    except ContradictionError as error:
        if not any(each.startswith("the rule, ") for each in error.sources):
            raise
        raise ContradictionError(
            f"{error} Or the rule does not hold of every number that is hidden: say of which mark it holds, such as "
            "'<10 means 1 to 9'.",
            error.sources,
        ) from None


@dataclass(frozen=True)
class _Examination:
    """One examination under way."""

    tables: tuple[PublishedTable, ...]
    convention: Convention
    linked: Linked
    end: float

    def examined(self) -> Examined:
        linked = self.linked
        knows: list[tuple[str, tuple[Statement, ...]]] = [(TABLES_ALONE, ())]
        if linked.rules:
            knows.append((RULE, linked.rules))
        if linked.known:
            knows.append((BESIDES if linked.rules else _besides(linked), (*knows[-1][1], *linked.known)))
        problem = linked.problem.knowing({}, knows[-1][1])
        strongest = self._followed(problem, knows[-1][0], range(len(linked.asked)))
        told = [place for place, finding in enumerate(strongest.findings.each) if finding.status in TOO_MUCH]
        weaker = [
            self._followed(linked.problem.knowing({}, statements), name, told)
            for name, statements in knows[:-1]
            if told
        ]
        members = self._members(problem, strongest.findings) if self.convention.member else ()
        return Examined(self.tables, self.convention, linked, (*weaker, strongest), tuple(members))

    def _followed(self, problem: Problem, name: str, places: Sequence[int]) -> TableReader:
        fewer = replace(problem, targets=tuple(problem.targets[place] for place in places))
        left = None if self.end == inf else max(0.0, self.end - monotonic())
        return TableReader(name, follow(fewer, seconds=left), tuple(places))

    def _members(self, problem: Problem, findings: Findings) -> Iterator[TableReader]:
        """Whoever is one of the people of a hidden cell. Two tables in which there is somebody there, and which differ
        in a number, show that it stays open to them too; the others are asked about anew.
        """
        values = _values(findings)
        still = [place for place, each in enumerate(findings.each) if each.status not in TOO_MUCH]
        for place, asked in enumerate(self.linked.asked):
            low, high = findings.each[place].low, findings.each[place].high
            if not asked.hidden or asked.measure != COUNT or (low is not None and low >= 1) or high == 0:
                continue
            inside = values[:, values[place] >= 1]
            moved = inside.max(axis=1, initial=-FAR) - inside.min(axis=1, initial=FAR)
            ask = [each for each in still if moved[each] < max(1, problem.targets[each].width)]
            target = problem.targets[place]
            own = Statement(target.terms, 1, None, f"one person knows to be there: {target.name}")
            if not ask:
                continue
            try:
                found = self._followed(problem.knowing({}, (own,)), f"a person who is in {target.name}", ask)
            except ContradictionError:
                continue  # nobody can be there
            if any(each.status != CellStatus.OPEN for each in found.findings.each):
                yield found


def _values(findings: Findings) -> NDArray[np.int64]:
    """Every target in every table that was found: a row for each target."""
    if findings.table is None:
        return np.zeros((len(findings.each), 0), dtype=np.int64)
    points = np.tile(np.array(findings.table, dtype=np.int64), (1 + len(findings.changes), 1))
    for at, changes in enumerate(findings.changes):
        for place, value in changes:
            points[at + 1, place] = value
    rows = []
    for target in findings.problem.targets:
        places = [place for place, _ in target.terms]
        rows.append(points[:, places] @ np.array([times for _, times in target.terms], dtype=np.int64))
    return np.array(rows, dtype=np.int64).reshape(len(findings.each), len(points))


def _width(finding: CellFinding) -> float:
    return inf if finding.low is None or finding.high is None else finding.high - finding.low


def _besides(linked: Linked) -> str:
    stated = "; ".join(each.source.removeprefix("known besides: ") for each in linked.known)
    return f"whoever also knows what is stated ({stated})"


def _asking(linked: Linked, only: Collection[Key]) -> Linked:
    """The same, asked about fewer numbers."""
    kept = [place for place, asked in enumerate(linked.asked) if (asked.measure, asked.group) in only]
    problem: Problem = replace(linked.problem, targets=tuple(linked.problem.targets[place] for place in kept))
    return replace(linked, problem=problem, asked=tuple(linked.asked[place] for place in kept), unasked=0)


def grounds(findings: Findings, place: int) -> tuple[str, ...]:
    """The published numbers on which an interval rests, in their order."""
    shown = findings.shown[place]
    waiting = [step for step in (shown.low, shown.high) if step is not None]
    seen: set[int] = set()
    rows: set[int] = set()
    while waiting:
        step = waiting.pop()
        if step in seen:
            continue
        seen.add(step)
        used = rows_of(findings.steps[step].proof)
        rows |= {row for row in used if row >= 0}
        waiting += [-1 - row for row in used if row < 0]
        waiting += findings.steps[step].rests_on
    sources = (findings.problem.statements[row].source for row in sorted(rows))
    return tuple(dict.fromkeys(sources))


def name_of(asked: Asked, tables: Sequence[PublishedTable]) -> str:
    """Which number it is, in words."""
    if asked.cells:
        name, cell = asked.cells[0]
        table = next(each for each in tables if each.name == name)
        return f"{name}: {table.place(cell)}"
    what = "" if asked.measure == COUNT else f"{asked.measure} of "
    return f"no table lists it: {what}{words(asked.group)}"
