"""Exact linear algebra on published numbers: which rational combination of them is the number of one atom alone?

Looked for in three ways, each quicker than the next: a number that covers the atom and nobody else; two numbers that
differ by the atom; elimination modulo a prime. Whatever is found is a guess until it has been multiplied out in
fractions, so a combination that is returned is one; that none is returned proves nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import TypeAlias, final

import numpy as np

from dalenius.tables.figures import Figure
from dalenius.tables.history import Combination, Cover, Entry, Ints, mixed

PRIME = 2_147_483_629  # products of two residues fit into 63 bits
MOST_WORK = 1_000_000_000  # steps of an elimination, roughly
NEAR = 6  # numbers around an atom inside which a combination is looked for, where the whole system is too large

Rows: TypeAlias = dict[Entry, frozenset[int]]  # which atoms each number covers


@final
@dataclass(frozen=True, slots=True, eq=False)
class Algebra:
    """Witnesses for the atoms of one release."""

    cover: Cover
    _rows: dict[int, Rows] = field(default_factory=dict, repr=False)

    def revealing(self, targets: Sequence[int], figure: Figure) -> dict[int, Combination]:
        """For as many of these atoms as possible: exact published numbers of the figure's quantity whose combination is
        that of the atom alone; all in steps, of which one may be worth more in one figure than in another.
        """
        rows = self._exact_rows(figure)
        found = _single(rows, targets)
        left = [target for target in targets if target not in found]
        found |= {target: two for target, two in _differences(rows, left).items() if verified(two, rows, target)}
        left = [target for target in left if target not in found]
        if left:
            found |= _eliminated(rows, left)
        return found

    def publishes(self, figure: Figure) -> bool:
        """Whether some exact number adds up the figure's quantity."""
        return bool(self._exact_rows(figure))

    def _exact_rows(self, figure: Figure) -> Rows:
        wanted = int(self.cover.quantity_of[self.cover.figures.index(figure)])
        if wanted not in self._rows:
            rows: dict[Entry, set[int]] = {}
            places = [
                place
                for place, other in enumerate(self.cover.figures)
                if other.channel.exact and self.cover.quantity_of[place] == wanted
            ]
            for place in places:
                part = int(self.cover.part_of[place])
                inside = np.flatnonzero(self.cover.labels[part] >= 0)
                pairs = np.unique(np.stack([self.cover.labels[part][inside], self.cover.member[inside]]), axis=1)
                entries = [Entry(self.cover.figures[place], cell) for cell in self.cover.cells[part]]
                for label, atom in pairs.T.tolist():
                    rows.setdefault(entries[label], set()).add(atom)
            self._rows[wanted] = {entry: frozenset(atoms) for entry, atoms in rows.items()}
        return self._rows[wanted]


def verified(combination: Combination, rows: Mapping[Entry, frozenset[int]], target: int) -> bool:
    """Whether the combination is the atom alone, multiplied out in fractions."""
    total: dict[int, Fraction] = {}
    for weight, entry in combination:
        for atom in rows[entry]:
            total[atom] = total.get(atom, Fraction(0)) + weight
    return {atom: value for atom, value in total.items() if value} == {target: Fraction(1)}


def _single(rows: Rows, targets: Iterable[int]) -> dict[int, Combination]:
    alone = {next(iter(atoms)): entry for entry, atoms in reversed(rows.items()) if len(atoms) == 1}
    return {target: ((Fraction(1), alone[target]),) for target in targets if target in alone}


def _differences(rows: Rows, targets: Sequence[int]) -> dict[int, Combination]:
    """Two numbers that differ by the atom: their sums of mixed numbers differ by the atom's."""
    if not targets or not rows:
        return {}
    most = max(max(atoms) for atoms in rows.values()) + 1
    own = mixed(np.arange(max(most, max(targets) + 1), dtype=np.uint64)).tolist()
    sums = {entry: sum(own[atom] for atom in atoms) % 2**64 for entry, atoms in rows.items()}
    by_sum = {total: entry for entry, total in reversed(sums.items())}
    found: dict[int, Combination] = {}
    wanted = set(targets)
    for entry, atoms in rows.items():
        for target in atoms & wanted:
            other = by_sum.get((sums[entry] - own[target]) % 2**64)
            if other is not None:
                found[target] = (Fraction(1), entry), (Fraction(-1), other)
                wanted.discard(target)
    return found


def _eliminated(rows: Rows, targets: Sequence[int]) -> dict[int, Combination]:
    """By elimination of the whole system; where that is too large, of the numbers inside one that covers the atom."""
    system = _System.of(rows)
    if system.work <= MOST_WORK:
        return system.solved(rows, targets)
    found: dict[int, Combination] = {}
    for target in targets:
        around = sorted((atoms for atoms in rows.values() if target in atoms), key=len)[:NEAR]
        for outer in around:
            inner = {entry: atoms for entry, atoms in rows.items() if atoms <= outer}
            small = _System.of(inner)
            if small.work <= MOST_WORK // 100:
                solved = small.solved(inner, [target])
                if solved:
                    found |= solved
                    break
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """Distinct rows as a 0/1 matrix; atoms that no row tells apart share a column, and none of them can be revealed."""

    entries: list[Entry]
    columns: dict[int, int]  # of the atoms that are told apart from all others
    matrix: Ints

    @classmethod
    def of(cls, rows: Rows) -> "_System":
        kept: dict[frozenset[int], Entry] = {}
        for entry, atoms in rows.items():
            kept.setdefault(atoms, entry)
        signs: dict[int, list[int]] = {}
        for place, atoms in enumerate(kept):
            for atom in atoms:
                signs.setdefault(atom, []).append(place)
        classes: dict[tuple[int, ...], list[int]] = {}
        for atom, places in signs.items():
            classes.setdefault(tuple(places), []).append(atom)
        matrix = np.zeros((len(classes), len(kept)), dtype=np.int64)
        columns = {}
        for column, (inside, atoms_of) in enumerate(classes.items()):
            matrix[column, list(inside)] = 1
            if len(atoms_of) == 1:
                columns[atoms_of[0]] = column
        return cls(list(kept.values()), columns, matrix)

    @property
    def work(self) -> int:
        atoms, numbers = self.matrix.shape
        return int(min(atoms, numbers) * atoms * numbers)

    def solved(self, rows: Rows, targets: Sequence[int]) -> dict[int, Combination]:
        """Solve y M = e for each target's unit vector e, modulo the prime; y is then read as fractions and checked."""
        told = [target for target in targets if target in self.columns][: max(64, self.matrix.shape[1])]
        right = np.zeros((len(self.matrix), len(told)), dtype=np.int64)
        for place, target in enumerate(told):
            right[self.columns[target], place] = 1
        found = {}
        for target, solution in zip(told, _solutions(self.matrix, right), strict=True):
            combination = self._read(solution)
            if combination is not None and verified(combination, rows, target):
                found[target] = combination
        return found

    def _read(self, solution: dict[int, int] | None) -> Combination | None:
        if solution is None:
            return None
        weights = [(fraction_of(value), self.entries[place]) for place, value in solution.items()]
        return tuple((weight, entry) for weight, entry in weights if weight)


def _solutions(matrix: Ints, right: Ints) -> list[dict[int, int] | None]:
    """A solution of matrix y = each column of `right` modulo the prime, or None: by Gauss and Jordan. Cost
    O(rank x rows x columns), as passes over arrays.
    """
    work = np.concatenate([matrix, right], axis=1) % PRIME
    pivots: list[int] = []
    for column in range(matrix.shape[1]):
        done = len(pivots)
        hits = np.flatnonzero(work[done:, column])
        if not len(hits):
            continue
        row = done + int(hits[0])
        if row != done:
            work[[done, row]] = work[[row, done]]
        work[done] = work[done] * pow(int(work[done, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(work[:, column])
        others = others[others != done]
        live = np.flatnonzero(work[done])
        block = np.ix_(others, live)
        work[block] = (work[block] - work[others, column][:, None] * work[done, live][None, :]) % PRIME
        pivots.append(column)
        if done + 1 == len(work):
            break
    values = work[:, matrix.shape[1] :]
    rank = len(pivots)
    return [
        None
        if values[rank:, place].any()
        else {pivots[row]: int(values[row, place]) for row in np.flatnonzero(values[:rank, place]).tolist()}
        for place in range(right.shape[1])
    ]


def fraction_of(residue: int) -> Fraction:
    """The fraction with least numerator that is this residue modulo the prime: Euclid, stopped half way.

    >>> fraction_of(pow(3, -1, PRIME) * 2 % PRIME)
    Fraction(2, 3)
    """
    first, second, one, other = PRIME, residue % PRIME, 0, 1
    while second > isqrt(PRIME // 2):
        part = first // second
        first, second = second, first - part * second
        one, other = other, one - part * other
    return Fraction(second, other) if other else Fraction(0)
