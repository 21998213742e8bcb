"""What was released before, as a value; who is in which published number; atoms."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.facts.records import Cell, Column, Combinations, Either, Label, Test, Where, holds
from dalenius.mechanisms.compared import only_compared
from dalenius.tables.figures import Figure, Frame

Ints: TypeAlias = NDArray[np.int64]
Cells: TypeAlias = tuple[tuple[Cell, ...], ...]  # of each part
LONGEST_COMPARISON = 200_000  # rows of confidential values by which two quantities in different words are compared
MIXED = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # SplitMix64 (Steele, Lea and Flood 2014)


@final
@dataclass(frozen=True, slots=True)
class History:
    """Figures about the same records that are already out, exact or not. They are judged together with the new ones.

    `again` names those of the new figures that are out already, the same numbers: they are not among `figures`, and a
    change of them would take nothing back.
    """

    figures: tuple[Figure, ...] = ()
    again: frozenset[str] = frozenset()

    def beside(self, figures: Sequence[Figure]) -> "History":
        """All that is out, where these are asked for: with those of them that are asked for again."""
        return History((*self.figures, *(figure for figure in figures if figure.name in self.again)))


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a release: a figure, and a cell of the public columns that it is split by."""

    figure: Figure
    cell: Cell
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """By the name, which is the figure's own in a release: there are many entries, and figures are long."""
        object.__setattr__(self, "_hash", hash((self.figure.name, self.cell)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Entry"], tuple[Figure, Cell]]:
        """Another process has other hashes."""
        return Entry, (self.figure, self.cell)

    @property
    def place(self) -> str:
        """The cell in words; nothing if the figure is not split."""
        return ", ".join(f"{column} {value}" for column, value in zip(self.figure.by, self.cell, strict=True))

    def __str__(self) -> str:
        return f"{self.figure.name} ({self.place})" if self.place else self.figure.name


@final
@dataclass(frozen=True, slots=True)
class Atom:
    """Persons who are in exactly the same published numbers; `groups` counts them by their public values."""

    entries: tuple[Entry, ...]
    groups: tuple[tuple[Cell, int], ...]
    told: tuple[Figure, ...] = field(default=(), compare=False, repr=False)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of the entries; of those that add up the same quantity only the first, where that was noted."""
        return self.told or tuple(entry.figure for entry in self.entries)

    @property
    def size(self) -> int:
        return sum(count for _, count in self.groups)

    def alone(self, covers_nobody_else: Callable[[Entry], bool]) -> bool:
        """Whether the only number covers nobody else, or all those do not of which only one value is named."""
        many = len(self.entries)
        if many > 1:
            links = self.entries[0].figure.channel.links
            alike = only_compared(links, many) and all(entry.figure.channel.links == links for entry in self.entries)
            return alike and all(map(covers_nobody_else, self.entries))
        return bool(self.entries) and all(map(covers_nobody_else, self.entries))


Combination: TypeAlias = tuple[tuple[Fraction, Entry], ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Who is in which published number, on the distinct public tuples of the people.

    `labels[p, t]` is the cell in which part p has the people of tuple t, or -1 if they are not in it. Figures with the
    same public condition and split share a part: `part_of` says which. `member[t]` is the atom of tuple t, or -1.
    """

    figures: tuple[Figure, ...]
    tuples: tuple[Cell, ...]
    counts: Ints
    part_of: Ints
    labels: NDArray[np.int32]
    cells: Cells
    member: Ints
    atoms: tuple[Atom, ...]
    quantity_of: Ints
    told: tuple[Figure, ...]  # one figure for each quantity

    @classmethod
    def of(cls, figures: Sequence[Figure], frame: Frame, columns: Mapping[str, Column]) -> "Cover":
        """The common refinement of all the figures' subsets; `columns` are the confidential ones. Cost O(tuples x
        parts), as passes over arrays.
        """
        live = [(values, count) for values, count in frame.groups.items() if count]
        tuples, counts = tuple(values for values, _ in live), np.array([count for _, count in live], dtype=np.int64)
        table = Tuples.of(frame.columns, tuples)
        parts: dict[Hashable, int] = {}
        public = frozenset(frame.columns)
        keys = [(figure.where.on(public), figure.by) for figure in figures]
        part_of = np.array([parts.setdefault(_key(*key), len(parts)) for key in keys], dtype=np.int64)
        first = {int(part): place for place, part in reversed(list(enumerate(part_of)))}
        found = [table.labels(*keys[first[part]]) for part in range(len(parts))]
        labels = np.array([codes for codes, _ in found], dtype=np.int32).reshape(len(found), len(tuples))
        member = _refined(labels)
        member[(labels < 0).all(axis=0)] = -1
        cells = tuple(cells for _, cells in found)
        quantity_of = np.array(quantities(figures, columns), dtype=np.int64)
        told = tuple(figures[int(place)] for place in np.unique(quantity_of, return_index=True)[1])
        atoms = _AtomMaker.of(tuple(figures), part_of, labels, cells, quantity_of).atoms(member, live)
        return cls(tuple(figures), tuples, counts, part_of, labels, cells, _in_order(member), atoms, quantity_of, told)

    def people(self, figure: int) -> Ints:
        """How many persons each number of a figure covers."""
        part = int(self.part_of[figure])
        inside = self.labels[part] >= 0
        sizes = np.bincount(self.labels[part][inside], weights=self.counts[inside], minlength=len(self.cells[part]))
        return sizes.astype(np.int64)

    def sizes(self) -> dict[Entry, int]:
        """How many persons each published number covers."""
        found: dict[Entry, int] = {}
        seen: dict[int, list[int]] = {}
        for place, figure in enumerate(self.figures):
            part = int(self.part_of[place])
            if part not in seen:
                seen[part] = self.people(place).tolist()
            found.update({Entry(figure, cell): n for cell, n in zip(self.cells[part], seen[part], strict=True)})
        return found


def _key(where: Where, by: tuple[str, ...]) -> Hashable:
    return frozenset(map(repr, where.tests)), by


@final
@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The tuples as codes, one row a column; tests are made on distinct values only."""

    columns: tuple[str, ...]
    codes: Ints
    values: tuple[list[Label | Fraction], ...]
    passed: dict[tuple[str, str], NDArray[np.bool_]]

    @classmethod
    def of(cls, columns: tuple[str, ...], tuples: Sequence[Cell]) -> "Tuples":
        codes, values = np.zeros((len(columns), len(tuples)), dtype=np.int64), []
        for place in range(len(columns)):
            found: dict[Hashable, int] = {}
            firsts: list[Label | Fraction] = []
            for at, row in enumerate(tuples):
                key = _same(row[place])
                if key not in found:
                    found[key] = len(firsts)
                    firsts.append(row[place])
                codes[place, at] = found[key]
            values.append(firsts)
        return cls(columns, codes, tuple(values), {})

    def labels(self, where: Where, by: tuple[str, ...]) -> tuple[NDArray[np.int32], tuple[Cell, ...]]:
        """The cell of each tuple among those that occur, or -1; and the cells."""
        inside = self._inside(where)
        code, most = np.zeros(self.codes.shape[1], dtype=np.int64), 1
        for name in by:
            place = self.columns.index(name)
            if most * len(self.values[place]) >= 1 << 63:  # numbered anew, or different cells would be one
                code = np.unique(code, return_inverse=True)[1].astype(np.int64)
                most = len(code)
            code = code * len(self.values[place]) + self.codes[place]
            most *= len(self.values[place])
        result = np.full(self.codes.shape[1], -1, dtype=np.int32)
        distinct, firsts, inverse = np.unique(code[inside], return_index=True, return_inverse=True)
        result[inside] = inverse
        rows = np.flatnonzero(inside)[firsts]
        places = [self.columns.index(name) for name in by]
        cells = tuple(tuple(self.values[p][self.codes[p, row]] for p in places) for row in rows.tolist())
        return result, cells if len(distinct) else ()

    def _inside(self, where: Where) -> NDArray[np.bool_]:
        """Which tuples satisfy the condition."""
        inside = np.ones(self.codes.shape[1], dtype=bool)
        for item in where.tests:
            if isinstance(item, Either):
                inside &= np.any([self._inside(part) for part in item.parts], axis=0)
            elif isinstance(item, Combinations):
                inside &= self._among(item)
            else:
                inside &= self._passed(*item)
        return inside

    def _among(self, item: Combinations) -> NDArray[np.bool_]:
        """Which tuples have one of these combinations of values, or (if they are left out) none."""
        places = [self.columns.index(name) for name in item.names]
        distinct, inverse = np.unique(self.codes[places], axis=1, return_inverse=True)
        each = [
            item.holds({self.columns[at]: self.values[at][code] for at, code in zip(places, codes, strict=True)})
            for codes in distinct.T.tolist()
        ]
        return np.array(each, dtype=bool)[inverse.reshape(-1)]

    def _passed(self, column: str, test: Test) -> NDArray[np.bool_]:
        key = (column, repr(test))
        if key not in self.passed:
            place = self.columns.index(column)
            each = np.array([holds(test, value) for value in self.values[place]], dtype=bool)
            self.passed[key] = each[self.codes[place]]
        return self.passed[key]


def _same(value: Label | Fraction) -> Hashable:
    """Equal values meet, but true is not 1."""
    return isinstance(value, bool), value


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Well-mixed 64-bit numbers, always the same ones: a hint where things may be equal, never the proof."""
    z = (numbers + np.uint64(1)) * np.uint64(MIXED[0])
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIXED[1])
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIXED[2])
    return z ^ (z >> np.uint64(31))


def marks(labels: NDArray[np.int32]) -> NDArray[np.uint64]:
    """For each tuple the sum, modulo 2^64, of a number for each published cell that it is in."""
    total = np.zeros(labels.shape[1], dtype=np.uint64)
    for part, row in enumerate(labels):
        own = mixed((row.astype(np.int64) + (part << 32)).astype(np.uint64))
        total += np.where(row >= 0, own, np.uint64(0))
    return total


def _refined(labels: NDArray[np.int32]) -> Ints:
    """Tuples with the same label in every part get the same number. Found by sums of mixed numbers, then checked part
    by part and split where two different tuples had the same sum.
    """
    if not labels.shape[1]:
        return np.zeros(0, dtype=np.int64)
    _, firsts, member = np.unique(marks(labels), return_index=True, return_inverse=True)
    member = member.astype(np.int64)
    for row in labels:
        if not np.array_equal(row, row[firsts][member]):
            pairs = member * (int(row.max()) + 2) + row + 1
            _, firsts, member = np.unique(pairs, return_index=True, return_inverse=True)
    return member


def _in_order(member: Ints) -> Ints:
    """Atoms numbered as they first occur."""
    found: dict[int, int] = {}
    return np.array([-1 if m < 0 else found.setdefault(m, len(found)) for m in member.tolist()], dtype=np.int64)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _AtomMaker:
    """Makes atoms; each entry is made once. `firsts` says where in `entries` those of each figure begin."""

    figures: tuple[Figure, ...]
    part_of: Ints
    labels: NDArray[np.int32]
    quantity_of: Ints
    entries: NDArray[np.object_]
    firsts: Ints

    @classmethod
    def of(
        cls, figures: tuple[Figure, ...], part_of: Ints, labels: NDArray[np.int32], cells: Cells, quantity_of: Ints
    ) -> "_AtomMaker":
        every = [
            Entry(figure, cell) for figure, part in zip(figures, part_of.tolist(), strict=True) for cell in cells[part]
        ]
        entries = np.empty(len(every), dtype=np.object_)
        entries[:] = every
        sizes = np.array([len(cells[part]) for part in part_of.tolist()], dtype=np.int64)
        return cls(figures, part_of, labels, quantity_of, entries, np.cumsum(sizes) - sizes)

    def atoms(self, member: Ints, live: Sequence[tuple[Cell, int]]) -> tuple[Atom, ...]:
        groups: dict[int, list[int]] = {}
        for at, m in enumerate(member.tolist()):
            if m >= 0:
                groups.setdefault(m, []).append(at)
        return tuple(self._atom(rows[0], tuple(live[row] for row in rows)) for rows in groups.values())

    def _atom(self, row: int, groups: tuple[tuple[Cell, int], ...]) -> Atom:
        mine = self.labels[self.part_of, row]
        inside = np.flatnonzero(mine >= 0)
        entries = tuple(self.entries[self.firsts[inside] + mine[inside]].tolist())
        firsts = np.unique(self.quantity_of[inside], return_index=True)[1]
        told = tuple(self.figures[place] for place in np.sort(inside[firsts]).tolist())
        return Atom(entries, groups, told)


def atoms_of(figures: Sequence[Figure], frame: Frame, columns: Mapping[str, Column]) -> tuple[Atom, ...]:
    """The cells of the common refinement of all the figures' subsets, on distinct public tuples."""
    return Cover.of(figures, frame, columns).atoms


def quantities(figures: Sequence[Figure], columns: Mapping[str, Column]) -> list[int]:
    """Which quantity each figure adds up, whomever it covers, by number. Two figures have the same quantity if every
    record adds as many steps to one as to the other, in whatever words that is said: a sum and a mean of one column, a
    sum of zeros and ones and a count of the ones, labels in another order.
    """
    by_words: dict[Hashable, Figure] = {}
    words = [_words(figure, columns) for figure in figures]
    for key, figure in zip(words, figures, strict=True):
        by_words.setdefault(key, figure)
    using: dict[frozenset[str], list[Hashable]] = {}
    for key, figure in by_words.items():
        using.setdefault(figure.confidential(columns), []).append(key)
    first = {key: key for key in by_words}  # of those that add the same
    for used, keys in using.items():
        for same in _adding_alike({key: by_words[key] for key in keys}, used, columns):
            first |= dict.fromkeys(same, same[0])
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(first[key], len(numbers)) for key in words]


def _words(figure: Figure, columns: Mapping[str, Column]) -> Hashable:
    """How a figure says what it adds up: those that say it alike need no comparison."""
    private = figure.where.on(figure.where.columns.intersection(columns))
    return figure.column, figure.truncated, private.tests


def _adding_alike(
    figures: Mapping[Hashable, Figure], used: frozenset[str], columns: Mapping[str, Column]
) -> list[list[Hashable]]:
    """Those of the figures, which all use these columns, to which every record adds alike; each with another one.

    Row by row they are told apart: most differ in one of the first. What takes too many rows is not called alike.
    """
    names = sorted(used)
    if len(figures) < 2 or math.prod(columns[name].size for name in names) > LONGEST_COMPARISON:
        return []
    alike = [list(figures)]
    for values in product(*(columns[name].values for name in names)):
        if not alike:
            break
        row = dict(zip(names, values, strict=True))
        apart: dict[tuple[int, int], list[Hashable]] = {}
        for place, keys in enumerate(alike):
            for key in keys:
                apart.setdefault((place, figures[key].contribution(row, columns)), []).append(key)
        alike = [keys for keys in apart.values() if len(keys) > 1]
    return alike
