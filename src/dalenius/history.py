"""What was released before, as a value; atoms, and exact linear algebra on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar, final

from dalenius.figures import Figure, Frame
from dalenius.records import Cell

K = TypeVar("K")

LARGEST_SYSTEM = 4000  # atoms for which the combination of figures that reveals one of them is looked for


@final
@dataclass(frozen=True, slots=True)
class History:
    """Figures about the same records that are already out, exact or not. They are judged together with the new ones."""

    figures: tuple[Figure, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a release: a figure, and a cell of the public columns that it is split by."""

    figure: Figure
    cell: Cell

    def __str__(self) -> str:
        where = ", ".join(f"{column} {value}" for column, value in zip(self.figure.by, self.cell, strict=True))
        return f"{self.figure.name} ({where})" if where else self.figure.name


@final
@dataclass(frozen=True, slots=True)
class Atom:
    """Persons who are in exactly the same published numbers; `groups` counts them by their public values."""

    entries: tuple[Entry, ...]
    groups: tuple[tuple[Cell, int], ...]

    @property
    def size(self) -> int:
        return sum(count for _, count in self.groups)


Combination: TypeAlias = tuple[tuple[Fraction, Entry], ...]


def atoms_of(figures: Sequence[Figure], frame: Frame) -> tuple[Atom, ...]:
    """The cells of the common refinement of all the figures' subsets, on distinct public tuples. Cost O(tuples x
    figures).
    """
    public = frozenset(frame.columns)
    wheres = [figure.where.on(public) for figure in figures]
    found: dict[tuple[Entry, ...], list[tuple[Cell, int]]] = {}
    for values, count in frame.groups.items():
        if not count:
            continue
        row = dict(zip(frame.columns, values, strict=True))
        inside = tuple(
            Entry(figure, tuple(row[column] for column in figure.by))
            for figure, where in zip(figures, wheres, strict=True)
            if where.holds(row)
        )
        found.setdefault(inside, []).append((values, count))
    return tuple(Atom(entries, tuple(groups)) for entries, groups in found.items() if entries)


def revealing(atom: Atom, atoms: Sequence[Atom], figure: Figure, public: frozenset[str]) -> Combination | None:
    """Exact published numbers of the same quantity whose combination is that of one atom alone; None if there is none.

    Exact linear algebra: which rational combination of the 0/1 rows "this number covers that atom" is the atom's
    unit vector?
    """
    wanted = quantity(figure, public)
    rows: dict[Entry, set[int]] = {}
    for place, other in enumerate(atoms):
        for entry in other.entries:
            if entry.figure.channel.exact and quantity(entry.figure, public) == wanted:
                rows.setdefault(entry, set()).add(place)
    target = atoms.index(atom)
    for entry, covered in rows.items():
        if covered == {target}:
            return ((Fraction(1), entry),)
    if len({place for covered in rows.values() for place in covered}) > LARGEST_SYSTEM:
        return None
    return _combination(rows, target)


def quantity(figure: Figure, public: frozenset[str]) -> tuple[object, ...]:
    """What a figure adds up, whomever it covers: a sum and a mean of one column are the same quantity."""
    private = figure.where.columns - public
    return ("count" if figure.column is None else "sum", figure.column, figure.where.on(private).tests)


def _combination(rows: Mapping[Entry, set[int]], target: int) -> Combination | None:
    """Sparse Gaussian elimination over the rationals; each row remembers of which entries it is made."""
    basis: dict[int, tuple[dict[int, Fraction], dict[Entry, Fraction]]] = {}
    for entry, covered in rows.items():
        values, made = _reduced(dict.fromkeys(covered, Fraction(1)), {entry: Fraction(1)}, basis)
        if values:
            pivot = min(values)
            lead = values[pivot]
            basis[pivot] = {k: v / lead for k, v in values.items()}, {k: v / lead for k, v in made.items()}
    left, made = _reduced({target: Fraction(1)}, {}, basis)
    return None if left else tuple((-weight, entry) for entry, weight in made.items() if weight)


def _reduced(
    values: dict[int, Fraction],
    made: dict[Entry, Fraction],
    basis: Mapping[int, tuple[dict[int, Fraction], dict[Entry, Fraction]]],
) -> tuple[dict[int, Fraction], dict[Entry, Fraction]]:
    for _ in range(len(basis) + 1):
        hit = next((place for place in sorted(values) if place in basis), None)
        if hit is None:
            break
        factor = values[hit]
        row, parts = basis[hit]
        values = _minus(values, row, factor)
        made = _minus(made, parts, factor)
    return values, made


def _minus(first: dict[K, Fraction], second: Mapping[K, Fraction], factor: Fraction) -> dict[K, Fraction]:
    result = dict(first)
    for key, value in second.items():
        rest = result.get(key, Fraction(0)) - factor * value
        if rest:
            result[key] = rest
        else:
            result.pop(key, None)
    return result
