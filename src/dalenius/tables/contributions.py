"""What one record adds to figures: over all values of the columns that they use, with the attacker's probabilities."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.facts.near import MOST_COMPARED, Near, changes
from dalenius.facts.records import Cell, Column, Label
from dalenius.facts.secret import Household
from dalenius.judge.group import Vector
from dalenius.tables.figures import ColumnBelief, Figure, Frame

Key: TypeAlias = tuple[tuple[str, Label | Fraction], ...]  # a row, by which equal ones meet
LARGEST_ALPHABET = 200_000


@final
@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What the attacker thinks of the confidential columns of a record, by its public values."""

    columns: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    frame: Frame
    near: Near | None = None  # what is secret of some columns, where not all of it is
    household: Household | None = None  # where it is one that is hidden
    _chances: dict[tuple[object, ...], dict[Key, Fraction]] = field(default_factory=dict, repr=False)
    _rows: dict[tuple[str, ...], list[dict[str, Label | Fraction]]] = field(default_factory=dict, repr=False)
    _adds: dict[tuple[Figure, tuple[str, ...]], tuple[int, ...]] = field(default_factory=dict, repr=False)

    def adding(self, figures: Sequence[Figure]) -> "Adding":
        """What records add to these figures. Cost O(values of all columns that the figures use, combined)."""
        used = tuple(sorted(frozenset().union(*(figure.confidential(self.columns) for figure in figures))))
        each = [self.contributions(figure, used) for figure in figures]
        return Adding(self, used, tuple(zip(*each, strict=True)) if each else ((),) * len(self._alphabet(used)))

    def contributions(self, figure: Figure, used: tuple[str, ...]) -> tuple[int, ...]:
        """What each row of these columns adds to a figure."""
        if (figure, used) not in self._adds:
            rows = self._alphabet(used)
            self._adds[figure, used] = tuple(figure.contribution(row, self.columns) for row in rows)
        return self._adds[figure, used]

    def _alphabet(self, used: tuple[str, ...]) -> list[dict[str, Label | Fraction]]:
        if used not in self._rows:
            self._rows[used] = _alphabet(used, self.columns)
        return self._rows[used]

    def belief(self, column: str) -> ColumnBelief:
        found = next((belief for belief in self.beliefs if column in belief.columns), None)
        if found is None:
            raise InputError(
                f"The figures use {column}, but there is no belief about it. Add one under beliefs, with its source."
            )
        return found

    def about(self, used: Sequence[str]) -> list[ColumnBelief]:
        """The beliefs about these columns, each once."""
        return list({id(belief): belief for belief in map(self.belief, used)}.values())

    def linked(self, figures: Sequence[Figure]) -> list[list[Figure]]:
        """Figures by what is independent, as the beliefs have it."""
        return linked(figures, self.columns, self.beliefs)

    def chances(self, belief: ColumnBelief, used: Sequence[str], cell: Cell, *, least: bool) -> dict[Key, Fraction]:
        """The belief for a person with these public values, by rows of those of its columns that are used; or what no
        probability is below. Rows that are not there have none.
        """
        key = tuple(cell[self.frame.columns.index(name)] for name in belief.by)
        mine = tuple(name for name in used if name in belief.columns)
        if (*mine, key, least) not in self._chances:
            self._chances[*mine, key, least] = self._spread(belief, mine, key, least=least)
        return self._chances[*mine, key, least]

    def _spread(self, belief: ColumnBelief, used: Sequence[str], key: Cell, *, least: bool) -> dict[Key, Fraction]:
        """Rows are added up over the columns that are not used. So are masses that no probability is below: the
        probability of several rows together is not below the sum of theirs.
        """
        table = belief.least if least and belief.least is not None else belief.table
        chances = table.get(key)
        if chances is None:
            raise InputError(f"The belief about {belief} says nothing for {', '.join(map(str, key))}. Add that case.")
        places = [belief.columns.index(name) for name in used]
        found: dict[Key, Fraction] = {}
        for value, chance in chances:
            row = belief.row(value)
            at = tuple(same_value(row[place]) for place in places)
            found[at] = found.get(at, Fraction(0)) + chance
        return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class Adding:
    """The vectors that records add to some figures: one for each row of the confidential columns `used`."""

    records: Records
    used: tuple[str, ...]
    vectors: tuple[Vector, ...]
    _laws: dict[tuple[object, ...], tuple[tuple[Vector, Fraction], ...]] = field(default_factory=dict, repr=False)
    _changes: list[tuple[int, ...] | None] = field(default_factory=list, repr=False)

    @property
    def domain(self) -> tuple[Vector, ...]:
        return tuple(dict.fromkeys(self.vectors))

    @property
    def changes(self) -> tuple[int, ...] | None:
        """By how much the one number that is told of a record differs between two facts that are compared: in steps of
        the first figure that is not the same for all. None if any two are, if several numbers are told, or if one
        belief has several of the columns, so that a fact about one of them says something about another. Where it is a
        property of a household that is secret: of what a household adds.
        """
        near, used, rows = self.records.near, self.used, self.vectors
        if not self.limited or len(rows) > MOST_COMPARED:
            return None
        if near is not None and any(belief.beside for belief in self.records.about(used)):
            return None
        kept = independent_axes(rows, affine=True)
        if len(kept) != 1:
            return None
        if not self._changes:
            columns = [(name, self.records.columns[name]) for name in used]
            places = list(product(*(range(column.size) for _, column in columns)))
            adds = [vector[kept[0]] for vector in rows]
            household = self.records.household
            if household is not None and household.only is not None:
                self._changes.append(household.only.changes(columns, places, adds, household.size))
            elif near is not None:
                self._changes.append(changes(near, columns, places, adds))
        return self._changes[0]

    @property
    def answered(self) -> Fraction | None:
        """The chance with which a coin kept each answer, where nothing but such answers is told."""
        beliefs = self.records.about(self.used)
        return beliefs[0].answered if len(self.used) == len(beliefs) == 1 else None

    @property
    def limited(self) -> bool:
        """Whether some values of the columns may be told apart, or some states of a household."""
        near, household = self.records.near, self.records.household
        if household is not None:
            return household.only is not None and household.only.column in self.used
        return near is not None and any(near.of(name) for name in self.used)

    @property
    def widely(self) -> bool:
        """Whether facts are compared that may be told apart, published answers instead of true ones: then what is told
        is bounded from above only.
        """
        answers = self.answered is None and any(belief.answered for belief in self.records.about(self.used))
        return answers or (self.limited and self.changes is None)

    @property
    def estimated(self) -> bool:
        """Whether some probabilities are only known from below."""
        return any(belief.least is not None for belief in self.records.beliefs if set(belief.columns) & {*self.used})

    @property
    def attained(self) -> bool:
        """Whether each law that keeps above the masses is meant: of several beliefs only products are."""
        beliefs = self.records.about(self.used)
        return len(beliefs) <= 1 and not any(belief.widened for belief in beliefs)

    def independent(self, *, affine: bool) -> "Adding":
        """Without coordinates that are (affine) linear combinations of earlier ones: they tell nothing new."""
        kept = independent_axes(self.vectors, affine=affine)
        return Adding(self.records, self.used, tuple(tuple(vector[i] for i in kept) for vector in self.vectors))

    def key(self, cell: Cell) -> tuple[object, ...]:
        """What of a person's public values the beliefs look at."""
        by = [belief.by for belief in self.records.about(self.used)]
        return tuple(cell[self.records.frame.columns.index(name)] for names in by for name in names)

    def law(self, cell: Cell, *, least: bool) -> tuple[tuple[Vector, Fraction], ...]:
        """The law of what a record with these public values adds, or masses that no probability is below."""
        key = (least, *self.key(cell))
        if key not in self._laws:
            self._laws[key] = self._fresh(cell, least=least)
        return self._laws[key]

    def _fresh(self, cell: Cell, *, least: bool) -> tuple[tuple[Vector, Fraction], ...]:
        law: dict[Vector, Fraction] = {}
        for vector, parts in zip(self.vectors, self._parts(cell, least=least), strict=True):
            chance = parts[0] if len(parts) == 1 else math.prod(parts, start=Fraction(1))
            if chance:
                law[vector] = law[vector] + chance if vector in law else chance
        return tuple(sorted(law.items()))

    def _parts(self, cell: Cell, *, least: bool) -> Iterable[tuple[Fraction, ...]]:
        """For each row of the columns, the probabilities of its independent parts: one a belief."""
        beliefs, nothing = self.records.about(self.used), Fraction(0)
        masses = [self.records.chances(belief, self.used, cell, least=least) for belief in beliefs]
        values = [[same_value(value) for value in self.records.columns[name].values] for name in self.used]
        if len(beliefs) == len(self.used):  # each column by itself
            each = zip(masses, values, strict=True)
            return product(*([mass.get((value,), nothing) for value in some] for mass, some in each))
        places = [[at for at, name in enumerate(self.used) if name in belief.columns] for belief in beliefs]
        parts = list(zip(masses, places, strict=True))
        return (
            tuple(mass.get(tuple(row[at] for at in some), nothing) for mass, some in parts) for row in product(*values)
        )


def same_value(value: Label | Fraction) -> tuple[str, Label | Fraction]:
    """A key under which equal values meet: whole numbers and fractions do, true and 1 do not."""
    if isinstance(value, str | bool):
        return type(value).__name__, value
    return "number", value if type(value) is Fraction else Fraction(value)


def _alphabet(used: Sequence[str], columns: Mapping[str, Column]) -> list[dict[str, Label | Fraction]]:
    size = math.prod(columns[name].size for name in used)
    if size > LARGEST_ALPHABET:
        raise InputError(
            f"Figures that use {', '.join(used)} together have {size} possible rows, more than {LARGEST_ALPHABET}. "
            "Declare a coarser unit or a smaller domain, or do not combine these columns."
        )
    return [dict(zip(used, values, strict=True)) for values in product(*(columns[name].values for name in used))]


def linked(
    figures: Sequence[Figure], columns: Mapping[str, Column], beliefs: Sequence[ColumnBelief]
) -> list[list[Figure]]:
    """Figures that share confidential columns, directly or through others or through one belief about several columns;
    the beliefs about different groups are independent.
    """
    together = [frozenset(belief.columns) for belief in beliefs if belief.beside]
    groups: list[tuple[frozenset[str], list[Figure]]] = []
    for figure in figures:
        mine = figure.confidential(columns)
        mine = mine.union(*(some for some in together if some & mine))
        touching = [group for group in groups if group[0] & mine]
        apart = [group for group in groups if not group[0] & mine]
        merged = touching[0][1] if len(touching) == 1 else [other for group in touching for other in group[1]]
        merged.append(figure)
        groups = [*apart, (mine.union(*(group[0] for group in touching)), merged)]
    return [group for _, group in groups]


def independent_axes(vectors: Sequence[Vector], *, affine: bool) -> list[int]:
    """Coordinates that are not (affine) linear combinations of earlier ones: the others tell nothing new."""
    distinct = list(dict.fromkeys(vectors))
    basis: list[dict[int, Fraction]] = []
    kept = []
    for i in range(len(distinct[0])):
        column = {row: Fraction(vector[i]) for row, vector in enumerate(distinct) if vector[i]}
        if affine and i == 0:
            basis.append(dict.fromkeys(range(len(distinct)), Fraction(1)))
        for row in basis:
            pivot = next(iter(row))
            if pivot in column:
                factor = column[pivot] / row[pivot]
                column = {
                    k: v
                    for k in {*column, *row}
                    if (v := column.get(k, Fraction(0)) - factor * row.get(k, Fraction(0)))
                }
        if column:
            basis.append(column)
            kept.append(i)
    return kept
