"""The moves on which a bound rests, written for somebody who has neither the data nor this program.

Nothing here depends on a confidential value: who is in which published number is public, and so are the laws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dalenius.plan import Finding, Question
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Cover, Entry
from dalenius.tables.packing import Detour, Leg, Way

MOST_MOVES = 300_000  # of all groups together; with more, a certificate says only that there are moves
Row = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


def moves_json(
    findings: Sequence[Finding], question: Question, figures: Sequence[Figure], docket: Docket
) -> list[dict[str, Any]]:
    """Of every group that passes by moves: its ways to hide each change, and the moves, each list of these once.

    Empty if there are too many to be listed, or if records differ in a way that the certificate has no words for.
    Cost: one law for each tuple of public values that moves.
    """
    if not any(finding.ways for finding in findings):
        return []
    cover = Cover.of(figures, question.frame, question.columns)
    groups = {finding.atom.entries: place for place, finding in enumerate(findings)}
    desk = _Scribe(cover, docket, tuple(findings[groups[atom.entries]].atom for atom in cover.atoms), groups, {})
    found, listed = [], 0
    for place, finding in enumerate(findings):
        if not finding.ways:
            continue
        packings: list[list[Any]] = []
        ways = list[dict[str, Any]]()
        for way in finding.ways:
            change = [list(step) for step in way.change]
            if isinstance(way, Detour):
                lists = [desk.legs(legs, way.change) for legs in (way.legs, *way.beside)]
                told = [legs for legs in lists if legs is not None]
                if len(told) < len(lists) or listed > MOST_MOVES:
                    return []
                listed += sum(len(leg["records"]) for legs in told for leg in legs)
                ways.append({"change": change, "legs": told[0], **({"beside": told[1:]} if told[1:] else {})})
                continue
            rows = desk.rows(way)
            if rows is None or listed > MOST_MOVES:
                return []
            if rows not in packings:
                packings.append(rows)
                listed += len(rows)
            ways.append({"change": change, "rate": str(Fraction(way.rate)), "packing": packings.index(rows)})
        found.append({"group": place, "ways": ways, "packings": packings})
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Scribe:
    """Knows of each tuple of public values in which group it is, and which of the group's laws it has."""

    cover: Cover
    docket: Docket
    atoms: tuple[Atom, ...]
    groups: Mapping[tuple[Entry, ...], int]
    types: dict[tuple[int, frozenset[int]], int | None]

    def rows(self, way: Way) -> list[Any] | None:
        """Moves as [how often, records that move along, records that move against]; None if there are no words."""
        moved = frozenset(figure for figure, _ in way.change)
        names: dict[int, tuple[int, int]] = {}
        times: dict[Row, int] = {}
        for shape, used in way.packed.parts:
            signs = shape.signs.tolist()
            for row, many in zip(shape.rows.tolist(), used.tolist(), strict=True):
                if not many:
                    continue
                for at in row:
                    if at >= 0 and at not in names:
                        kind = self._type(at, moved)
                        if kind is None:
                            return None
                        names[at] = self.groups[self.atoms[self.cover.member[at]].entries], kind
                up, down = (
                    tuple(sorted(names[at] for at, sign in zip(row, signs, strict=True) if at >= 0 and sign == way_))
                    for way_ in (1, -1)
                )
                times[up, down] = times.get((up, down), 0) + many
        return [[many, [list(r) for r in up], [list(r) for r in down]] for (up, down), many in times.items()]

    def legs(self, legs: Sequence[Leg], change: Sequence[tuple[int, int]]) -> list[dict[str, Any]] | None:
        """Parts of a change with the records that can make them; None if there are no words."""
        moved, found = frozenset(figure for figure, _ in change), []
        for leg in legs:
            records = self._records(leg, moved)
            if records is None:
                return None
            found.append({"rate": str(Fraction(leg.rate)), "against": leg.sign < 0, "records": records})
        return found

    def _records(self, leg: Leg, moved: frozenset[int]) -> list[list[int]] | None:
        times: dict[tuple[int, int], int] = {}
        for at, many in zip(leg.tuples.tolist(), leg.times.tolist(), strict=True):
            kind = self._type(at, moved)
            if kind is None:
                return None
            name = self.groups[self.atoms[self.cover.member[at]].entries], kind
            times[name] = times.get(name, 0) + many
        return [[many, *name] for name, many in times.items()]

    def _type(self, at: int, moved: frozenset[int]) -> int | None:
        """Which of the laws of its group a record has, in the part that moves; 0 if each of several parts has one."""
        if (at, moved) not in self.types:
            self.types[at, moved] = self._fresh(at, moved)
        return self.types[at, moved]

    def _fresh(self, at: int, moved: frozenset[int]) -> int | None:
        atom = self.atoms[self.cover.member[at]]
        one = Atom(atom.entries, ((self.cover.tuples[at], 1),))
        names = {self.cover.figures[figure].name for figure in moved}
        places = []
        for part in self.docket.records.linked([entry.figure for entry in atom.entries]):
            if any(figure.name in names for figure in part):
                whole, mine = self.docket.whole_laws(atom, part), self.docket.whole_laws(one, part)
                laws = [law for law, _ in whole.least or whole.types]
                places.append((laws.index((mine.least or mine.types)[0][0]), len(laws)))
        if len(places) == 1:
            return places[0][0]
        return 0 if all(size == 1 for _, size in places) else None
