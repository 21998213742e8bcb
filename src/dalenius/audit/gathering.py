"""What an audit has found, put together: the steps that are used, and tables of all parts as tables of the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dalenius.audit.findings import CellFinding, Findings, Shown
from dalenius.audit.part import ProblemPart
from dalenius.audit.system import Leaf, Multiples, Proof, Split, Step, System, Tight, rows_of


def gathered(system: System, parts: Sequence[ProblemPart], proved: Mapping[tuple[int, int], int]) -> Findings:
    """The findings of all targets, from what is proved (steps by target and side) and the tables of each part."""
    tables = _Tables(system, parts)
    needed = system.needed(list(proved.values()))
    at = {step: place for place, step in enumerate(needed)}
    each, shown = [], []
    for target, asked in enumerate(system.problem.targets):
        low, high = proved.get((target, -1)), proved.get((target, 1))
        least, most = tables.reaching(target)
        each.append(
            CellFinding(
                asked,
                None if low is None else -system.steps[low].value,
                None if high is None else system.steps[high].value,
                tables.seen(target),
            )
        )
        shown.append(Shown(None if low is None else at[low], None if high is None else at[high], least, most))
    steps = renumbered(system, needed)
    return Findings(system.problem, tuple(each), tuple(shown), steps, tables.base, tuple(tables.changes))


def renumbered(system: System, needed: Sequence[int]) -> tuple[Step, ...]:
    """These steps, which rest on no others, numbered anew from 0."""
    at = {step: place for place, step in enumerate(needed)}
    return tuple(_renumbered(system, system.steps[step], at) for step in needed)


class _Tables:
    """The first tables of all parts together, and others that differ from it in one part."""

    def __init__(self, system: System, parts: Sequence[ProblemPart]) -> None:
        self._system = system
        self._where = {target: (part, place) for part in parts for place, target in enumerate(part.targets)}
        self.changes: list[tuple[tuple[int, int], ...]] = []
        self._places: dict[tuple[int, int], int] = {}
        self._values = {id(part): [part.shape @ point + part.fixed for point in part.points] for part in parts}
        self.base: tuple[int, ...] | None = None
        if all(part.points for part in parts):
            values = [int(value) for value in system.lower]
            for part in parts:
                for column, value in zip(part.columns, part.points[0], strict=True):
                    values[column] = int(value)
            self.base = tuple(values)

    def seen(self, target: int) -> tuple[int, int] | None:
        """The least and the largest value of a target in these tables."""
        if self.base is None:
            return None
        if target not in self._where:
            value = sum(times * self.base[place] for place, times in self._system.problem.targets[target].terms)
            return value, value
        part, place = self._where[target]
        return int(part.least[place]), int(part.most[place])

    def reaching(self, target: int) -> tuple[int | None, int | None]:
        """The tables in which a target is least and largest."""
        seen = self.seen(target)
        if seen is None:
            return None, None
        if target not in self._where:
            return 0, 0
        part, place = self._where[target]
        values = [int(each[place]) for each in self._values[id(part)]]
        return self._table(part, values.index(seen[0])), self._table(part, values.index(seen[1]))

    def _table(self, part: ProblemPart, point: int) -> int:
        if point == 0:
            return 0
        key = (id(part), point)
        if key not in self._places:
            now, first = part.points[point], part.points[0]
            self.changes.append(tuple((int(part.columns[at]), int(now[at])) for at in (now != first).nonzero()[0]))
            self._places[key] = len(self.changes)
        return self._places[key]


def _renumbered(system: System, step: Step, at: Mapping[int, int]) -> Step:
    """A step whose rows are statements, by their place, or steps, by minus their place less one."""
    names = {row: row if row < len(system.sources) else -1 - at[system.row_step[row]] for row in rows_of(step.proof)}
    rests = tuple(sorted(at[rest] for rest in step.rests_on))
    return replace(step, proof=_renamed(step.proof, names), rests_on=rests)


def _renamed(proof: Proof, names: Mapping[int, int]) -> Proof:
    match proof:
        case Leaf(over, rows):
            renamed: Multiples = tuple((names[row], times) for row, times in rows if times)
            return Leaf(over, renamed)
        case Tight(row):
            return Tight(names[row])
        case Split(place, most, below, above):
            return Split(place, most, _renamed(below, names), _renamed(above, names))
