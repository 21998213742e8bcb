"""The groups of people that a decision rests on, written for somebody who has neither the data nor this program."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar, final

from dalenius.judge.group import Types, Vector
from dalenius.plan import Finding, Question
from dalenius.plan.judging import docket_of
from dalenius.record.certificate.ways import moves_json
from dalenius.record.codec import believed_json, bracket_text
from dalenius.record.codec.runs import runs
from dalenius.tables.contributions import Adding
from dalenius.tables.docket import Docket, laws_of
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry

T = TypeVar("T")
Columns: TypeAlias = tuple[str, ...]
Letters: TypeAlias = tuple[tuple[Vector, Fraction | None], ...]  # vectors in order, with or without their probability
Pairs: TypeAlias = tuple[tuple[int, int], ...]
Scenario: TypeAlias = tuple[Pairs, Pairs | None]
Part: TypeAlias = tuple[
    tuple[int, ...],
    int,
    Pairs,
    Pairs | None,
    tuple[int, ...] | None,
    tuple[int, ...] | None,
    tuple[Scenario, ...],
    str | None,
]


@final
@dataclass(frozen=True, slots=True)
class Numbered(Generic[T]):
    """Things that occur more than once, by number."""

    places: dict[T, int] = field(default_factory=dict)

    def place(self, thing: T) -> int:
        return self.places.setdefault(thing, len(self.places))


@final
@dataclass(frozen=True, slots=True)
class Shelves:
    """What groups have in common, each by number. There may be thousands of groups in a thousand numbers each: what is
    asked of every number of every group is looked up by its place.
    """

    figures: tuple[Figure, ...]
    docket: Docket
    places: dict[Figure, int]
    columns: Numbered[frozenset[str]] = field(default_factory=Numbered)  # confidential ones, as figures use them
    uses: list[int] = field(default_factory=list)  # which of these each figure uses
    numbers: Numbered[Entry] = field(default_factory=Numbered)
    covers: list[int] = field(default_factory=list)  # the figure of each number
    domains: Numbered[Letters] = field(default_factory=Numbered)
    laws: Numbered[Letters] = field(default_factory=Numbered)
    kinds: Numbered[tuple[Any, ...]] = field(default_factory=Numbered)
    believed: Numbered[str] = field(default_factory=Numbered)  # beliefs about all records, as JSON
    _linked: dict[frozenset[int], dict[int, Columns]] = field(default_factory=dict)
    _adds: dict[tuple[int, ...], Adding] = field(default_factory=dict)

    @classmethod
    def of(cls, figures: Sequence[Figure], docket: Docket) -> "Shelves":
        found = cls(tuple(figures), docket, {one: place for place, one in reversed(list(enumerate(figures)))})
        found.uses.extend(found.columns.place(figure.confidential(docket.columns)) for figure in figures)
        return found

    def numbered(self, entries: Sequence[Entry]) -> list[int]:
        """The published numbers by their places, new ones at the end."""
        places = self.numbers.places
        with suppress(KeyError):
            return [places[entry] for entry in entries]
        for entry in entries:
            if entry not in places:
                self.numbers.place(entry)
                self.covers.append(self.places[entry.figure])
        return [places[entry] for entry in entries]

    def parts(self, atom: Atom, figures: Sequence[int]) -> tuple[Part, ...]:
        """A group's figures, apart where they share no confidential column, with domains and laws by number."""
        if self.docket.frame.sample is not None:  # who was drawn is told by all of them
            used = frozenset().union(*(self.figures[figure].confidential(self.docket.columns) for figure in figures))
            return (self._part(atom, figures, tuple(sorted(used))),)
        whole = self._together(frozenset([self.uses[figure] for figure in figures]))
        shared: dict[Columns, list[int]] = {columns: [] for columns in whole.values()}
        home = {use: shared[columns] for use, columns in whole.items()}
        for figure in figures:
            home[self.uses[figure]].append(figure)
        alone = shared.pop((), [])  # what no confidential column is in tells nothing of the others
        parts = [*shared.items(), *(((), [figure]) for figure in alone)]
        return tuple(self._part(atom, mine, used) for used, mine in sorted(parts, key=lambda part: part[1][-1]))

    def _together(self, uses: frozenset[int]) -> dict[int, Columns]:
        """For each of these sets of columns all those that it is linked with, directly or through others, or through
        one belief about several columns.
        """
        if uses not in self._linked:
            every = list(self.columns.places)
            together = [frozenset(belief.columns) for belief in self.docket.beliefs if belief.beside]
            groups: list[frozenset[str]] = []
            for used in (every[use] for use in uses):
                wide = used.union(*(some for some in together if some & used))
                touching = [group for group in groups if group & wide]
                groups = [*(group for group in groups if not group & wide), wide.union(*touching)]
            linked = {use: next((g for g in groups if g & every[use]), frozenset()) for use in uses}
            among = frozenset[str]().union(*(every[use] for use in uses))
            self._linked[uses] = {use: tuple(sorted(group & among)) for use, group in linked.items()}
        return self._linked[uses]

    def _part(self, atom: Atom, figures: Sequence[int], used: Columns) -> Part:
        key = tuple(figures)
        if key not in self._adds:
            adds = [self.docket.records.contributions(self.figures[figure], used) for figure in figures]
            self._adds[key] = Adding(self.docket.records, used, tuple(zip(*adds, strict=True)))
        kind = laws_of(atom, self._adds[key])
        domain = self.domains.place(tuple((vector, None) for vector in sorted(kind.domain)))
        least = self.types(kind.least) if kind.least else None
        held = self._believed(atom, [self.figures[figure] for figure in figures])
        types, also = self.types(kind.types), list[Scenario]()
        for docket in self.docket.also:
            other = laws_of(atom, Adding(docket.records, used, self._adds[key].vectors))
            ends = self.types(other.least) if other.least else None
            also.append((self.types(other.types), ends))
        answered = None if kind.answered is None else str(kind.answered)
        return tuple(figures), domain, types, least, kind.changes, held, tuple(also), answered

    def _believed(self, atom: Atom, figures: Sequence[Figure]) -> tuple[int, ...] | None:
        """What is believed of all records at once; None if nothing is, or if noise alone hides them."""
        some = self.docket.believed(atom, figures)
        return tuple(self.believed.place(json.dumps(believed_json(one), sort_keys=True)) for one in some) or None

    def types(self, types: Types) -> tuple[tuple[int, int], ...]:
        return tuple((self.laws.place(law), count) for law, count in types)


def grouped(findings: Sequence[Finding], question: Question, figures: Sequence[Figure]) -> dict[str, Any]:
    """Numbers, domains, laws, kinds and groups: equal kinds once, all else by number.

    Cost: one law for each group and type of record, a look-up for each number of each group.
    """
    docket = docket_of(question)
    shelves, groups = Shelves.of(figures, docket), []
    numbered = [shelves.numbered(finding.atom.entries) for finding in findings]
    covering = Counter(number for numbers in numbered for number in numbers)
    for finding, numbers in zip(findings, numbered, strict=True):
        mine = tuple([shelves.covers[number] for number in numbers])
        own = {entry for entry, number in zip(finding.atom.entries, numbers, strict=True) if covering[number] == 1}
        alone = finding.atom.alone(own.__contains__)
        delta = bracket_text(finding.delta, question.target.delta)
        about = mine, shelves.parts(finding.atom, mine), finding.atom.size, finding.known, alone, delta
        groups.append([shelves.kinds.place((*about, finding.method)), numbers])
    return {
        "numbers": [
            [figure, list(entry.cell)] for figure, entry in zip(shelves.covers, shelves.numbers.places, strict=True)
        ],
        "domains": [runs(domain) for domain in shelves.domains.places],
        "laws": [runs(law) for law in shelves.laws.places],
        "kinds": [_kind(*kind) for kind in shelves.kinds.places],
        **({"believed": [json.loads(one) for one in shelves.believed.places]} if shelves.believed.places else {}),
        "groups": groups,
        "moves": moves_json(findings, question, figures, docket),
    }


def steps(changes: Sequence[int]) -> list[list[int]]:
    """Rising numbers as runs [first, step, how many].

    >>> steps([1, 2, 3, 7, 9, 11])
    [[1, 1, 3], [7, 2, 3]]
    """
    found: list[list[int]] = []
    for change in changes:
        if found and (found[-1][2] == 1 or change == found[-1][0] + found[-1][1] * found[-1][2]):
            found[-1] = [found[-1][0], change - found[-1][0] if found[-1][2] == 1 else found[-1][1], found[-1][2] + 1]
        else:
            found.append([change, 0, 1])
    return found


def _scenario(types: Pairs, least: Pairs | None) -> dict[str, Any]:
    return {"types": [list(one) for one in types], "least": None if least is None else [list(one) for one in least]}


def _kind(
    figures: tuple[int, ...],
    parts: Sequence[Part],
    people: int,
    known: int,
    alone: bool,  # noqa: FBT001 - a row of the table above
    delta: tuple[str, str],
    method: str,
) -> dict[str, Any]:
    return {
        "figures": list(figures),
        "parts": [
            {
                "figures": list(mine),
                "domain": domain,
                "types": [list(one) for one in types],
                "least": None if least is None else [list(one) for one in least],
                **({} if changes is None else {"changes": steps(changes)}),
                **({} if held is None else {"believed": list(held)}),
                **({"also": [_scenario(*one) for one in also]} if also else {}),
                **({} if answered is None else {"answered": answered}),
            }
            for mine, domain, types, least, changes, held, also, answered in parts
        ],
        "people": people,
        "known": known,
        "alone": alone,
        "delta": list(delta),
        "evidence": {"method": method},
    }
