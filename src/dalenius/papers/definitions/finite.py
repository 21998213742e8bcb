"""Definitions that compare datasets two by two, on worlds whose datasets are listed: differential privacy, its group
version, additive secrecy, induced neighbours, and what they are made of.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import exponential
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import Outcomes, both_ways, fractions, is_exact
from dalenius.papers.definitions.neighbouring import (
    MOST_PAIRS,
    RecordChange,
    Rows,
    absent_code,
    one_apart,
    some_apart,
    state_pairs,
    telling_output,
    worst_states,
)
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite, checked_law

Metric: TypeAlias = Callable[[Dataset, Dataset], Number]
Law: TypeAlias = Outcomes | Sequence[Number]  # probabilities of outcomes 0, 1, ...
LARGEST_SQUARE = 5_000  # datasets of a world of which a metric compares every two
LARGEST_INDUCED = 10_000  # datasets of a world of which every two are looked at
LARGEST_INDUCED_IN_BITS = 200_000  # the same, if 64 bits say what is in a dataset
FEWER = "List fewer, or compare datasets that differ in fewer records."


# -- two laws ----------------------------------------------------------------------------------------------------------


def indistinguishability(first: Law, second: Law, *, epsilon: Number) -> Bracket:
    """The least δ for which two laws are (ε, δ)-indistinguishable: for every event, both ways round.

    >>> print(indistinguishability(["1/2", "1/2"], ["1/8", "7/8"], epsilon=0))
    0.375
    """
    one, two = _outcomes(first), _outcomes(second)
    sizes = len(one.mass), len(two.mass)
    require(sizes[0] == sizes[1], "two laws on the same outcomes", got=sizes)
    return both_ways(one, two, _nonnegative(epsilon))


def pointwise_indistinguishability(first: Law, second: Law, *, epsilon: Number) -> Bracket:
    """The least δ for which two laws are point-wise (ε, δ)-indistinguishable.

    It is the mass, under the law that gives more, of the outcomes whose probabilities differ by a factor above e^ε.
    It implies (ε, δ)-indistinguishability (Kasiviswanathan and Smith, Claim 3.3(1); part (2) is false).

    >>> print(pointwise_indistinguishability(["1/2", "1/2"], ["1/8", "7/8"], epsilon=1))
    0.5
    """
    one, two = _outcomes(first), _outcomes(second)
    sizes = len(one.mass), len(two.mass)
    require(sizes[0] == sizes[1], "two laws on the same outcomes", got=sizes)
    least, most = exponential(_nonnegative(epsilon))
    lower, upper = [Fraction(0)] * 2, [Fraction(0)] * 2
    for p, q in zip(_enclosed(one), _enclosed(two), strict=True):
        if _beyond(p[0], q[1], most) or _beyond(q[0], p[1], most):
            lower = [lower[0] + p[0], lower[1] + q[0]]
        if _beyond(p[1], q[0], least) or _beyond(q[1], p[0], least):
            upper = [upper[0] + p[1], upper[1] + q[1]]
    beyond = Fraction(max(one.slack, two.slack))
    return around(min(max(lower), Fraction(1)), min(max(upper) + beyond, Fraction(1)))


def _outcomes(law: Law) -> Outcomes:
    """A law as it is, or a list of exact probabilities."""
    if isinstance(law, Outcomes):
        return law
    chances = checked_law(dict(enumerate(law)), "a law")
    return Outcomes(fractions([chance for _, chance in chances]))


def _enclosed(law: Outcomes) -> list[tuple[Fraction, Fraction]]:
    slack = Fraction(0) if is_exact(law.mass) else Fraction(law.error + 2.0**-50)
    off = Fraction(law.slack)
    return [(max(m * (1 - slack) - off, Fraction(0)), m * (1 + slack) + off) for m in map(Fraction, law.mass.tolist())]


def _beyond(p: Fraction, q: Fraction, factor: float) -> bool:
    return p > Fraction(factor) * q if math.isfinite(factor) else p > 0 and q == 0


def _nonnegative(epsilon: Number) -> Fraction:
    found = exact(epsilon, name="epsilon")
    require(found >= 0, "an epsilon of at least 0", got=epsilon)
    return found


# -- two datasets ------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Contrast:
    """The two datasets that a mechanism tells apart best, and the output that does it. None: nothing to compare."""

    value: Bracket
    first: Dataset | None = None
    second: Dataset | None = None
    output: Hashable = None

    def __str__(self) -> str:
        if self.first is None:
            return f"{self.value}: no two datasets are compared"
        return f"{self.value}: {self.first} against {self.second}, output {self.output}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Datasets `first[k]` and `second[k]` of the world must look alike, for every k and both ways round.

    The probabilities of the world play no part, only which datasets are listed: leave out those that are impossible.
    With `classes`, `first` and `second` are classes of datasets: every dataset of the one must look like every dataset
    of the other.
    """

    world: Finite
    first: Rows
    second: Rows
    relation: str
    classes: Rows | None = None

    def __str__(self) -> str:
        if self.classes is not None:
            return f"{self.relation}, among {self.world.size} datasets"
        many = "1 pair" if len(self.first) == 1 else f"{len(self.first)} pairs"
        return f"{self.relation}: {many} of neighbours among {self.world.size} datasets"

    def pairs(self) -> tuple[Rows, Rows]:
        """The datasets that must look alike, each two once, listed one by one."""
        if self.classes is None:
            return self.first, self.second
        order = np.argsort(self.classes, kind="stable")
        ends = np.cumsum(np.bincount(self.classes))
        members = np.split(order, ends[:-1])
        sizes = np.diff(ends, prepend=0)
        many = int((sizes[self.first] * sizes[self.second]).sum())
        require(many <= 4 * MOST_PAIRS, f"at most {4 * MOST_PAIRS} pairs of datasets", got=many, remedy=FEWER)
        found = [np.empty((2, 0), dtype=np.int64)]
        for a, b in zip(self.first.tolist(), self.second.tolist(), strict=True):
            grid = np.stack([part.ravel() for part in np.meshgrid(members[a], members[b], indexing="ij")])
            found.append(grid[:, grid[0] < grid[1]] if a == b else grid)
        first, second = np.concatenate(found, axis=1)
        return first, second

    def epsilon(self, mechanism: FiniteMechanism) -> Contrast:
        """The least ε with δ = 0, possibly infinite, and the worst pair."""
        return self._worst(mechanism, None)

    def delta(self, mechanism: FiniteMechanism, *, epsilon: Number) -> Contrast:
        """The least δ at this ε, over every event, and the worst pair."""
        return self._worst(mechanism, _nonnegative(epsilon))

    def additive_secrecy(self, mechanism: FiniteMechanism) -> Contrast:
        """The least δ with P(A(x) in E) <= P(A(x') in E) + δ for every event E: no multiplicative allowance."""
        return self._worst(mechanism, Fraction(0))

    def _worst(self, mechanism: FiniteMechanism, epsilon: Fraction | None) -> Contrast:
        """Cost O(neighbours), or O(datasets) for classes, plus one comparison for each pair of states that neighbours
        can be in.
        """
        require(
            len(mechanism.state) == self.world.size,
            f"a mechanism on the {self.world.size} datasets of the world",
            got=len(mechanism.state),
        )
        if not len(self.first):
            return Contrast(Bracket(0.0, 0.0))
        if self.classes is not None:
            return self._worst_of_classes(mechanism, self.classes, epsilon)
        left, right = mechanism.state[self.first], mechanism.state[self.second]
        value, pair = worst_states(mechanism, *state_pairs(left, right, int(mechanism.state.max()) + 1), epsilon)
        place = int(((left == pair[0]) & (right == pair[1]) | (left == pair[1]) & (right == pair[0])).argmax())
        rows = int(self.first[place]), int(self.second[place])
        first, second = map(self._dataset, rows)
        return Contrast(value, first, second, telling_output(mechanism, pair, epsilon))

    def _worst_of_classes(self, mechanism: FiniteMechanism, classes: Rows, epsilon: Fraction | None) -> Contrast:
        """One dataset of each class and state stands for all others."""
        states = int(mechanism.state.max()) + 1
        names, rows = np.unique(classes * states + mechanism.state, return_index=True)
        ends = np.searchsorted(names, np.arange(int(classes.max()) + 2) * states)
        sizes = np.diff(ends)
        many = int((sizes[self.first] * sizes[self.second]).sum())
        require(many <= MOST_PAIRS, f"at most {MOST_PAIRS} pairs of states", got=many, remedy=FEWER)
        spans = [np.arange(ends[k], ends[k + 1]) for k in range(len(sizes))]
        grids = [
            np.meshgrid(spans[a], spans[b]) for a, b in zip(self.first.tolist(), self.second.tolist(), strict=True)
        ]
        left, right = (np.concatenate([grid[side].ravel() for grid in grids]) for side in (0, 1))
        if not len(left):
            return Contrast(Bracket(0.0, 0.0))
        both = names[left] % states, names[right] % states
        value, pair = worst_states(mechanism, *state_pairs(*both, states), epsilon)
        place = int(
            ((both[0] == pair[0]) & (both[1] == pair[1]) | (both[0] == pair[1]) & (both[1] == pair[0])).argmax()
        )
        if pair[0] == pair[1]:
            return Contrast(value, *self._two_alike(rows[left[place]]), telling_output(mechanism, pair, epsilon))
        found = int(rows[left[place]]), int(rows[right[place]])
        first, second = map(self._dataset, found)
        return Contrast(value, first, second, telling_output(mechanism, pair, epsilon))

    def _two_alike(self, row: int) -> tuple[Dataset | None, Dataset | None]:
        """Any two datasets, where all look alike; none if there is one only."""
        if self.world.size == 1:
            return None, None
        return self._dataset(int(row)), self._dataset(0 if row else 1)

    def _dataset(self, row: int) -> Dataset:
        return tuple(self.world.values[code] for code in self.world.codes[row].tolist())

    # -- relations ---------------------------------------------------------------------------------------------------

    @classmethod
    def add_or_remove(cls, world: Finite, *, records: int = 1) -> "Neighbours":
        """One dataset is the other without one record (or up to `records` are added or removed: group privacy).

        Cost O(pairs), as for `replace`.
        """
        require(records >= 1, "at least one record that is added or removed", got=records)
        if records == 1:
            first, second = one_apart(world, lambda before, after: before != after)
            return cls(world, first, second, "add or remove one")
        first, second = some_apart(world, records, lambda changes: sum(change.moves for change in changes) <= records)
        return cls(world, first, second, f"add or remove up to {records}")

    @classmethod
    def replace(cls, world: Finite, *, records: int = 1) -> "Neighbours":
        """The same people, one with another value (or up to `records`: group privacy).

        Cost O(pairs): with n records of v values, up to C(n, records) (v - 1)^records for each dataset.
        """
        require(records >= 1, "at least one record that is replaced", got=records)
        if records == 1:
            first, second = one_apart(world, lambda before, after: before & after)
            return cls(world, first, second, "replace one")
        first, second = some_apart(world, records, lambda changes: all(change.stays for change in changes))
        return cls(world, first, second, f"replace up to {records}")

    @classmethod
    def modify(cls, world: Finite) -> "Neighbours":
        """One tuple is modified, and may come to belong to somebody else: ε-indistinguishability (Pufferfish, 6.2).

        Cost O(pairs): a record with another value, or one that goes where another comes.
        """
        first, second = some_apart(world, 2, _is_modified)
        return cls(world, first, second, "modify one tuple")

    @classmethod
    def any_two(cls, world: Finite) -> "Neighbours":
        """Every two datasets: privacy without assumptions (Pufferfish, Theorem 3.1). Cost O(datasets + states²)."""
        one = np.zeros(1, dtype=np.int64)
        return cls(world, one, one, "any two datasets", np.zeros(world.size, dtype=np.int64))

    @classmethod
    def within(
        cls, world: Finite, metric: Metric, *, distance: Number, of: Callable[[Dataset], Hashable] | None = None
    ) -> "Neighbours":
        """Datasets within this distance: modified ZLW privacy (Pufferfish, Definition 8.3).

        With `of`, the metric compares what that says of a dataset (a total, a histogram), and datasets of which it says
        the same are at distance 0. Cost: the metric of every two values of `of`; without it, of every two datasets.
        """
        if of is None:
            return cls._where(world, _near(world, metric, distance), f"within {distance}")
        limit = exact(distance, name="distance")
        values, classes = _classes(world, of)
        related = [
            (a, b)
            for a, b in itertools.combinations_with_replacement(range(len(values)), 2)
            if a == b or exact(metric(values[a], values[b]), name="A distance") <= limit  # type: ignore[arg-type]  # whatever `of` gives
        ]
        first, second = np.array(related, dtype=np.int64).T
        return cls(world, first, second, f"within {distance}", classes)

    @classmethod
    def constrained(cls, world: Finite, metric: Metric, *, distance: Number) -> "Neighbours":
        """The value of one tuple differs, and the datasets are within this distance: δ-constrained differential
        privacy (Zhou, Ligett and Wasserman 2009; here as in Pufferfish, Definition 8.2). Cost: the metric of every two
        datasets that differ in one record.
        """
        limit = exact(distance, name="distance")
        first, second = one_apart(world, lambda before, after: before & after)
        rows = list(world.datasets())
        near = np.array(
            [
                exact(metric(rows[a], rows[b]), name="A distance") <= limit
                for a, b in zip(first.tolist(), second.tolist(), strict=True)
            ],
            dtype=bool,
        )
        return cls(world, first[near], second[near], f"replace one within {distance}")

    @classmethod
    def zlw(
        cls,
        world: Finite,
        metric: Metric,
        *,
        distance: Number,
        among: Callable[[Dataset], bool] | None = None,
    ) -> "Neighbours":
        """Nearer than this distance, with a record in common, and both `among` those datasets: distributional privacy
        of Zhou, Ligett and Wasserman (2009; here as in Pufferfish, Definition 8.2), which is not that of coupled
        worlds. A record in common is somebody who is there with the same value. Cost: the metric of every two datasets.
        """
        limit, codes = exact(distance, name="distance"), world.codes
        related, there = _near(world, metric, distance), codes != absent_code(world)
        rows = list(world.datasets())
        for a, b in zip(*(places.tolist() for places in np.nonzero(np.triu(related, 1))), strict=True):
            common = bool(((codes[a] == codes[b]) & there[a]).any())
            chosen = among is None or (among(rows[a]) and among(rows[b]))
            near = exact(metric(rows[a], rows[b]), name="A distance") < limit
            related[a, b] = related[b, a] = near and common and chosen
        return cls._where(world, related, f"nearer than {distance}, with a record in common")

    @classmethod
    def induced(cls, world: Finite) -> "Neighbours":
        """Two datasets that satisfy the constraint, if no proper part of the additions and deletions between them gives
        a third (Pufferfish, Definition 10.3, with "subset" read as proper and not empty).

        The datasets of the world are those that satisfy the constraint. Necessary for Pufferfish under the
        constraint (Theorem 10.1), and not sufficient: Theorem 10.2 is false. A dataset is the set of its tuples, as
        bits, so that the moves between two are an exclusive or. From each dataset the nearest others are neighbours,
        and rule out all whose moves contain theirs. Cost O(datasets x neighbours) bit operations.
        """
        tuples = _tuples(world)
        most = LARGEST_INDUCED if tuples.dtype == object else LARGEST_INDUCED_IN_BITS
        require(world.size <= most, f"at most {most} datasets", got=world.size, remedy=FEWER)
        firsts, seconds = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        before: list[list[int]] = [[] for _ in range(world.size)]  # the relation is symmetric
        for row in range(world.size):
            moves = tuples[row] ^ tuples
            found = row + 1 + _smallest_moves(moves[row + 1 :], moves[before[row]])
            firsts.append(np.full(len(found), row))
            seconds.append(found)
            for other in found.tolist():
                before[other].append(row)
        return cls(world, np.concatenate(firsts), np.concatenate(seconds), "induced neighbours")

    @classmethod
    def count(cls, world: Finite, counts: Callable[[Hashable], bool]) -> "Neighbours":
        """The relation that Pufferfish demands when the number of records that count is public (Theorem 10.2').

        Two datasets are related if one record differs, or if two differ and one of them counts only in the first,
        the other only in the second. On every such pair e^ε holds if and only if the mechanism is ε-Pufferfish for
        presence and value of every record, against every attacker who holds records independent given the count.
        The world must list every dataset with that count, absent records included. Cost O(pairs).
        """
        marks = np.array([value is not None and bool(counts(value)) for value in world.values])
        _check_count(world, marks)

        def swapped(changes: Sequence[RecordChange]) -> bool:
            return len(changes) == 1 or all(marks[change.before] != marks[change.after] for change in changes)

        first, second = some_apart(world, 2, swapped)
        return cls(world, first, second, "alike under a public count")

    @classmethod
    def _where(cls, world: Finite, related: NDArray[np.bool_], relation: str) -> "Neighbours":
        first, second = np.nonzero(np.triu(related | related.T, 1))
        return cls(world, first.astype(np.int64), second.astype(np.int64), relation)


def spread_of(figure: Callable[[Dataset], Number], neighbours: Neighbours) -> Fraction:
    """The most by which a figure differs between two datasets that are compared.

    >>> world = Finite.product([{0: "1/2", 3: "1/2"}] * 2)
    >>> spread_of(sum, Neighbours.replace(world))
    Fraction(3, 1)
    """
    values = [exact(figure(row), name="The figure") for row in neighbours.world.datasets()]
    pairs = zip(*(places.tolist() for places in neighbours.pairs()), strict=True)
    return max((abs(values[one] - values[two]) for one, two in pairs), default=Fraction(0))


def _is_modified(changes: Sequence[RecordChange]) -> bool:
    """Whether one tuple has another value, or one goes and another comes."""
    if len(changes) == 1:
        return changes[0].stays
    return sorted(change.appears for change in changes) == [-1, 1]


def _classes(world: Finite, of: Callable[[Dataset], Hashable]) -> tuple[list[Hashable], Rows]:
    """What is said of the datasets, each once, and its place for each dataset."""
    said = [of(dataset) for dataset in world.datasets()]
    places = {value: place for place, value in enumerate(dict.fromkeys(said))}
    return list(places), np.array([places[value] for value in said], dtype=np.int64)


def _tuples(world: Finite) -> NDArray[np.object_] | NDArray[np.uint64]:
    """Each dataset as the set of its tuples: a bit for each record and value that is not absence."""
    absent, base = absent_code(world), len(world.values)
    bits = {(i, v): i * base + v for i in range(world.n) for v in range(base) if v != absent}
    many = world.n * base > 64
    found = np.zeros(world.size, dtype=object if many else np.uint64)
    for (record, value), bit in bits.items():
        there = world.codes[:, record] == value
        found[there] |= (1 << bit) if many else np.uint64(1 << bit)
    return found


Moves: TypeAlias = NDArray[np.object_] | NDArray[np.uint64]  # sets of them


def _smallest_moves(moves: Moves, smallest: Moves) -> Rows:
    """The places of the sets of moves that contain no other one, and none of these `smallest`, which are all those
    elsewhere that contain no other. Of those that are left the smallest contain none, and leave out all that contain
    one of them.
    """
    places, found = np.arange(len(moves)), [np.empty(0, dtype=np.int64)]
    left = moves
    for one in smallest:
        others = (left & one) != one
        places, left = places[others], left[others]
    if moves.dtype == object:
        sizes = np.array([int(one).bit_count() for one in left.tolist()])
    else:
        sizes = np.bitwise_count(left.astype(np.uint64))
    while len(places):
        least = sizes == sizes.min()
        found.append(places[least])
        for one in left[least]:
            others = (left & one) != one
            places, left, sizes = places[others], left[others], sizes[others]
    return np.concatenate(found)


def _near(world: Finite, metric: Metric, distance: Number) -> NDArray[np.bool_]:
    limit = exact(distance, name="distance")
    require(
        world.size <= LARGEST_SQUARE,
        f"at most {LARGEST_SQUARE} datasets where a metric compares every two",
        got=world.size,
        remedy="Say of=..., what it is that the metric compares.",
    )
    rows = list(world.datasets())
    return np.array([[a != b and exact(metric(a, b), name="A distance") <= limit for b in rows] for a in rows])


def _check_count(world: Finite, marks: NDArray[np.bool_]) -> None:
    """Whether the world lists every dataset with one and the same count."""
    totals = set(marks[world.codes].sum(axis=1).tolist())
    require(len(totals) == 1, "datasets with one and the same count", got=sorted(totals))
    ones, rest, count = int(marks.sum()), int((~marks).sum()), totals.pop()
    size = math.comb(world.n, count) * ones**count * rest ** (world.n - count)
    if absent_code(world) < 0:
        raise InputError(
            "The relation for a public count is about records that may be absent, too, but none is absent (None) in "
            "any of these datasets. List those, or compare induced neighbours."
        )
    if size != world.size:
        raise InputError(
            f"The relation for a public count needs every dataset with that count, absent records (None) included: "
            f"{size} for these values, but got {world.size}. List them all, with Finite.constrained."
        )
