"""What to do about numbers that follow: hide further ones, withdraw a table, or merge labels.

**Hiding.** A number follows by a combination of published ones; as long as all of them stay published, it does. So at
least one of them must be hidden, which is a cut: one covering inequality for each proof. The fewest numbers that meet
all cuts are found by an integer program; what it proposes is audited, and what follows still gives further cuts. If a
proposal holds, no smaller one does, because every cut is necessary. The combinations with few numbers in them, which
make strong cuts, are looked for by linear programs in floats; a wrong one could cost a number that need not be hidden,
and never more than that: a remedy is offered only if an audit proves that nothing follows any more.

Which numbers were hidden first, and which only to protect them, is taken to be plain to see (they have another mark).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from time import monotonic
from typing import Any, TypeAlias, final

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from dalenius.audit.examination import TOO_MUCH, AuditAnswer, Examined, Key, examine, grounds
from dalenius.audit.linking import group_of_cells, source
from dalenius.audit.problem import Problem, Sought
from dalenius.audit.tables import (
    ALL,
    COUNT,
    SECONDARY,
    SHOWN,
    WITHDRAWN,
    Cell,
    Convention,
    PublishedTable,
    listed,
)
from dalenius.basics.errors import InputError
from dalenius.basics.patience import TimeUpError

Cut: TypeAlias = frozenset[Key]

HAIR = 1e-6
MOST_TURNS = 400
MOST_MERGES = 60
MOST_CUTS = 400  # proofs of one turn that are looked at one by one


@final
@dataclass(frozen=True)
class AuditRemedy:
    """A change after which nothing follows: what to do, in words; the tables then; which cells are hidden besides; and
    the audit that shows it.
    """

    kind: str  # hide, withdraw, merge
    words: str
    tables: tuple[PublishedTable, ...]
    hidden: tuple[tuple[str, Cell], ...]
    examined: Examined


@final
@dataclass(frozen=True, slots=True)
class AuditAdvice:
    """Remedies that were found, the least change first, and what was not tried, or cannot help."""

    remedies: tuple[AuditRemedy, ...] = ()
    untried: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def advise(
    examined: Examined, *, seconds: float | None = 60.0, weights: Mapping[str, Fraction] | None = None
) -> AuditAdvice:
    """What to do so that nothing follows. `weights`: how important each table's numbers are, 1 unless stated.

    >>> import dalenius as dl
    >>> text = "ward,young,old,Total north,x,41,44 south,28,52,80 Total,31,93,124".replace(" ", chr(10))
    >>> advice = dl.audit.advise(dl.audit.examine([dl.audit.read_table(text, "by age")]))
    >>> len(advice.remedies) > 0
    True
    """
    if examined.answer != AuditAnswer.FOLLOWS:
        return AuditAdvice()
    return _Advising(examined, monotonic() + (1e9 if seconds is None else seconds), dict(weights or {})).advice()


@dataclass
class _Advising:
    """Remedies under way."""

    examined: Examined
    end: float
    weights: dict[str, Fraction]
    untried: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def advice(self) -> AuditAdvice:
        found: list[AuditRemedy] = []
        whole = self.end
        ways = (
            ("hiding further numbers", self._hiding, 0.6),
            ("withdrawing a table", self._withdrawing, 0.5),
            ("merging labels", self._merging, 1.0),
        )
        for name, way, share in ways:
            self.end = monotonic() + (whole - monotonic()) * share
            try:
                found += way()
            except TimeUpError:
                self.untried.append(name)
        return AuditAdvice(tuple(found), tuple(self.untried), tuple(self.failed))

    def _left(self) -> float:
        left = self.end - monotonic()
        if left <= 0:
            raise TimeUpError
        return left

    def _examine(self, tables: Sequence[PublishedTable], **more: Any) -> Examined:
        convention = more.pop("convention", self.examined.convention)
        return examine(tables, convention, seconds=self._left(), **more)

    # Hiding.

    def _hiding(self) -> list[AuditRemedy]:
        places = self._hideable()
        asked = {(each.measure, each.group) for each in self.examined.linked.asked}
        cuts: set[Cut] = set()
        now, hidden = self.examined, frozenset[Key]()
        for _ in range(MOST_TURNS):
            for cut in self._cuts(now, places):
                if not cut:
                    self.failed.append(
                        "Hiding further numbers cannot help: something follows from totals that are all that is left, "
                        "or from what was published before."
                    )
                    return []
                cuts.add(cut)
            chosen = self._fewest(cuts, places)
            if chosen is None or chosen == hidden:
                return []
            hidden = chosen
            now = self._examine(self._without(hidden, places), only=asked)
            if now.answer == AuditAnswer.NOTHING:
                now, kept = self._settled(hidden, places)
                if now.answer == AuditAnswer.NOTHING:
                    return [self._hide(kept, places, now)]
                # Groups of which all cells were shown before were not asked about.
                more = {(each.asked.measure, each.asked.group) for each in now.conclusions if each.tells} - asked
                if not more:
                    raise TimeUpError
                asked |= more
            if now.answer == AuditAnswer.UNDECIDED:
                raise TimeUpError
        raise TimeUpError

    def _settled(self, hidden: frozenset[Key], places: "Places") -> tuple[Examined, frozenset[Key]]:
        """An audit of all that can be asked about then, and what is hidden: numbers that follow all the same protect
        nothing, and are shown again.
        """
        again = self._examine(self._without(hidden, places))
        idle = {(each.asked.measure, each.asked.group) for each in again.conclusions if each.tells}
        if idle & hidden:
            hidden -= idle
            again = self._examine(self._without(hidden, places))
        return again, hidden

    def _hide(self, hidden: frozenset[Key], places: "Places", again: Examined) -> AuditRemedy:
        """The remedy in words."""
        cells = [(table, cell) for key in hidden for table, cell in places[key]]
        order = {table.name: at for at, table in enumerate(self.examined.tables)}
        cells.sort(key=lambda each: (order[each[0].name], each[1].row, each[1].column))
        names = "; ".join(listed(f"{table.name}: {table.place(cell)}" for table, cell in cells))
        count = f"{len(cells)} further number{'s' if len(cells) > 1 else ''}"
        shown = tuple((table.name, cell) for table, cell in cells)
        return AuditRemedy("hide", f"Hide {count}: {names}.", again.tables, shown, again)

    def _hideable(self) -> "Places":
        """Numbers that are shown and may be hidden, each with all places where it stands: not zero, and not out yet."""
        found: dict[Key, list[tuple[PublishedTable, Cell]]] = defaultdict(list)
        out: set[Key] = set()
        groups = group_of_cells(self.examined.tables, self.examined.convention)
        for table in self.examined.tables:
            for cell in table.cells:
                key = table.measure, groups(table, cell)
                total = table.totals == SHOWN and None in cell.labels
                if table.earlier and not total and not cell.hidden:
                    out.add(key)
                elif not table.earlier and not total and not cell.hidden and (cell.lower or cell.upper):
                    found[key].append((table, cell))
        return {key: cells for key, cells in found.items() if key not in out}

    def _without(self, hidden: frozenset[Key], places: "Places") -> tuple[PublishedTable, ...]:
        by_table: dict[str, set[tuple[str | None, ...]]] = defaultdict(set)
        for key in hidden:
            for table, cell in places[key]:
                by_table[table.name].add(cell.labels)
        return tuple(hide(table, by_table[table.name]) for table in self.examined.tables)

    def _cuts(self, now: Examined, places: "Places") -> Iterator[Cut]:
        """For each number that follows, published ones of which one must go."""
        keys = {source(table, cell): key for key, cells in places.items() for table, cell in cells}
        totals = {
            source(table, cell)
            for table in now.tables
            if table.totals == SHOWN
            for cell in table.cells
            if None in cell.labels
        }
        programs: dict[int, _Sparse] = {}
        at = 0
        for attacker in (*now.members, now.attackers[-1]):
            for place, finding in enumerate(attacker.findings.each):
                own = now.status_of(attacker, place)
                if own not in TOO_MUCH:
                    continue
                at += 1
                sources: set[str] | None = None
                if at <= MOST_CUTS:
                    program = programs.setdefault(
                        id(attacker), _Sparse(attacker.findings.problem, set(keys), totals, self._left)
                    )
                    sources = program.sources(finding.target, finding.low, finding.high)
                if sources is None:
                    sources = set(grounds(attacker.findings, place))
                    sources |= set(keys) if sources & totals else set()
                yield frozenset(keys[each] for each in sources if each in keys)

    def _fewest(self, cuts: set[Cut], places: "Places") -> frozenset[Key] | None:
        """The fewest numbers, and of those the least important, that meet every cut."""
        keys = sorted({key for cut in cuts for key in cut}, key=lambda key: source(*places[key][0]))
        at = {key: place for place, key in enumerate(keys)}
        cells = np.array([len(places[key]) for key in keys], dtype=float)
        weights = np.array([float(self._weight(places[key])) for key in keys])
        sizes = np.array([float(max((cell.upper or cell.lower or 0) for _, cell in places[key])) for key in keys])
        # Numbers of cells first; then declared weights; then how large the numbers are.
        cost = cells + 0.45 * weights / (1 + weights.sum()) + 0.04 * sizes / (1 + sizes.sum()) / (1 + weights.sum())
        rows = [(row, at[key]) for row, cut in enumerate(cuts) for key in cut]
        matrix = sparse.coo_matrix(
            (np.ones(len(rows)), ([row for row, _ in rows], [column for _, column in rows])),
            shape=(len(cuts), len(keys)),
        ).tocsr()
        found = milp(
            cost,
            constraints=LinearConstraint(matrix, 1, np.inf),
            integrality=np.ones(len(keys)),
            bounds=Bounds(0, 1),
            options={"time_limit": self._left(), "mip_rel_gap": 0.0},
        )
        if found.x is None:
            return None
        return frozenset(keys[place] for place in np.flatnonzero(found.x > 0.5))

    def _weight(self, cells: Sequence[tuple[PublishedTable, Cell]]) -> Fraction:
        return sum((self.weights.get(table.name, Fraction(1)) for table, _ in cells), Fraction(0))

    # Withdrawing.

    def _withdrawing(self) -> list[AuditRemedy]:
        current = [table for table in self.examined.tables if not table.earlier]
        if len(current) < 2:
            return []
        asked = {(each.measure, each.group) for each in self.examined.linked.asked}
        found = []
        alone = ""
        for table in sorted(current, key=lambda each: self.weights.get(each.name, Fraction(1)) * len(each.cells)):
            gone = tuple(withdraw(each) if each is table else each for each in self.examined.tables)
            if self._examine(gone, only=asked).answer != AuditAnswer.NOTHING:
                continue
            try:
                rest = self._examine([each for each in self.examined.tables if each is not table])
            except InputError:
                alone = f" What is stated to be known speaks of {table.name}."
                continue  # what is stated to be known speaks of labels that this table alone has
            if rest.answer == AuditAnswer.NOTHING:
                found.append(AuditRemedy("withdraw", f"Withdraw {table.name}.", rest.tables, (), rest))
        if not found:
            self.failed.append(f"Withdrawing one table is not enough.{alone}")
        return found[:3]

    # Merging.

    def _merging(self) -> list[AuditRemedy]:
        tried = False
        asked = [(each.measure, each.group) for each in self.examined.linked.asked if each.hidden]
        for variable, one, other in self._mergeable():
            tried = True
            merged = merge(self.examined, variable, one, other)
            try:
                found = self._examine(merged[0], convention=merged[1], also=asked)
            except InputError:
                continue
            if found.answer == AuditAnswer.NOTHING:
                return [
                    AuditRemedy("merge", f"Merge {one} and {other} of {variable} in all tables.", merged[0], (), found)
                ]
        if tried:
            self.failed.append("Merging two neighbouring labels is not enough.")
        return []

    def _mergeable(self) -> Iterator[tuple[str, str, str]]:
        """Neighbouring labels, one of which has a number that follows."""
        count = 0
        telling = {
            (variable, label)
            for each in self.examined.conclusions
            if each.tells
            for name, cell in each.asked.cells
            for variable, label in zip(self._table(name).variables, cell.labels, strict=True)
        }
        variables = dict.fromkeys(name for table in self.examined.tables for name in table.variables)
        for variable in variables:
            if self.examined.convention.nested.get(variable):
                continue
            listing = [table for table in self.examined.tables if variable in table.variables]
            labels = max(([*table.labels(variable)] for table in listing), key=len)
            if len(labels) < 3:
                continue  # nothing would be left to tell apart
            for one, other in pairwise(labels):
                if {(variable, one), (variable, other)} & telling and count < MOST_MERGES:
                    count += 1
                    yield variable, one, other

    def _table(self, name: str) -> PublishedTable:
        return next(table for table in self.examined.tables if table.name == name)


Places: TypeAlias = Mapping[Key, Sequence[tuple[PublishedTable, Cell]]]


class _Sparse:
    """Combinations of few published numbers that bound a target: the least sum of multiples that is enough."""

    def __init__(self, problem: Problem, hideable: set[str], totals: set[str], left: Any) -> None:
        self._left = left
        # Totals of what is shown say no more than the cells that they add up.
        statements = [each for each in problem.statements if each.source not in totals]
        rows = [(at, place, times) for at, each in enumerate(statements) for place, times in each.terms]
        matrix = sparse.coo_matrix(
            ([times for _, _, times in rows], ([place for _, place, _ in rows], [at for at, _, _ in rows])),
            shape=(len(problem.unknowns), len(statements)),
            dtype=float,
        ).tocsr()
        ends = [each.ends for each in statements]
        above = np.array([at for at, (_, high) in enumerate(ends) if high is not None], dtype=np.int64)
        below = np.array([at for at, (low, _) in enumerate(ends) if low is not None], dtype=np.int64)
        # x_t <= sum of multiples * upper ends - sum of multiples * lower ends, if the combined rows are at least x_t.
        self._matrix = sparse.hstack([matrix[:, above], -matrix[:, below]]).tocsr()
        self._ends = np.array([*(ends[at][1] for at in above), *(-ends[at][0] for at in below)], dtype=float)
        self._statement = np.concatenate([above, below])
        self._sources = [each.source for each in statements]
        self._cost = np.array([1.0 if self._sources[at] in hideable else 1e-4 for at in self._statement])
        self._free = np.array([each.lower is None for each in problem.unknowns])
        lows = np.array([0 if each.lower is None else each.lower for each in problem.unknowns], dtype=float)
        self._shift = self._matrix.T @ lows
        self._lows = lows

    def sources(self, target: Sought, low: int | None, high: int | None) -> set[str] | None:
        """Statements that together show that a target is no less and no more; None if none are found in floats."""
        found: set[str] = set()
        for side, end in ((1, high), (-1, None if low is None else -low)):
            if end is None:
                continue  # open there: it takes nothing to leave it so
            part = self._side(target, side, end)
            if part is None:
                return None
            found |= part
        return found

    def _side(self, target: Sought, side: int, end: int) -> set[str] | None:
        wanted = np.zeros(self._matrix.shape[0])
        for place, times in target.terms:
            wanted[place] = side * times
        # With x = low + y, y >= 0: the bound is wanted @ low + multiples @ (ends - rows @ low).
        rows = [-self._matrix[~self._free], sparse.csr_matrix(self._ends - self._shift)]
        room = end + 1 - HAIR - float(wanted @ self._lows)
        found = linprog(
            self._cost,
            A_ub=sparse.vstack(rows).tocsr(),
            b_ub=np.append(-wanted[~self._free], room),
            A_eq=self._matrix[self._free] if self._free.any() else None,
            b_eq=wanted[self._free] if self._free.any() else None,
            method="highs",
            options={"time_limit": max(0.1, self._left())},
        )
        if found.status != 0:
            return None
        return {self._sources[self._statement[at]] for at in np.flatnonzero(found.x > HAIR)}


def hide(table: PublishedTable, labels: set[tuple[str | None, ...]]) -> PublishedTable:
    """A table in which further cells are hidden. Totals of what is shown are added up anew."""
    if not labels:
        return table
    gone = [cell for cell in table.cells if cell.labels in labels]
    cells = []
    for cell in table.cells:
        if cell.labels in labels:
            cells.append(replace(cell, lower=None, upper=None, mark=SECONDARY))
        elif table.totals == SHOWN and None in cell.labels and cell.exact:
            less = sum((each.lower or Fraction(0) for each in gone if _covers(cell, each)), Fraction(0))
            value = (cell.lower or Fraction(0)) - less
            cells.append(replace(cell, lower=value, upper=value))
        else:
            cells.append(cell)
    return replace(table, cells=tuple(cells))


def withdraw(table: PublishedTable) -> PublishedTable:
    """A table that says nothing any more, and whose hidden cells still matter."""
    cells = tuple(replace(cell, lower=None, upper=None, mark=WITHDRAWN) for cell in table.cells)
    return replace(table, cells=cells, absent="hidden", totals=ALL)


def merge(examined: Examined, variable: str, one: str, other: str) -> tuple[tuple[PublishedTable, ...], Convention]:
    """The tables with two labels added up, and a convention that knows them. What is the sum of a shown number and of
    one that follows is shown, unless it is small.
    """
    both = f"{one} or {other}"
    tables = []
    for table in examined.tables:
        if table.earlier or variable not in table.variables or not {one, other} <= set(table.labels(variable)):
            tables.append(table)
            continue
        at = table.variables.index(variable)
        lines: dict[tuple[str | None, ...], list[Cell]] = defaultdict(list)
        for cell in table.cells:
            label = both if cell.labels[at] in (one, other) else cell.labels[at]
            lines[(*cell.labels[:at], label, *cell.labels[at + 1 :])].append(cell)
        cells = tuple(
            cells[0] if len(cells) == 1 and labels == cells[0].labels else _sum(examined, table, labels, cells)
            for labels, cells in lines.items()
        )
        tables.append(replace(table, cells=cells))
    convention = examined.convention
    nested = {**convention.nested, variable: {**convention.nested.get(variable, {}), both: (one, other)}}
    return tuple(tables), replace(convention, nested=nested)


def _sum(examined: Examined, table: PublishedTable, labels: tuple[str | None, ...], cells: Sequence[Cell]) -> Cell:
    total = Fraction(0)
    for cell in cells:
        found = examined.of_cell(table, cell)
        if cell.exact and cell.lower is not None:
            total += cell.lower
        elif found is not None and found.finding.low is not None and found.finding.low == found.finding.high:
            total += found.finding.low
        else:
            return replace(cells[0], labels=labels, lower=None, upper=None, mark=SECONDARY)
    if table.measure == COUNT and 0 < total < examined.convention.threshold:
        return replace(cells[0], labels=labels, lower=None, upper=None, mark=SECONDARY)
    return replace(cells[0], labels=labels, lower=total, upper=total, mark="")


def _covers(total: Cell, cell: Cell) -> bool:
    return all(wanted is None or wanted == label for wanted, label in zip(total.labels, cell.labels, strict=True))
