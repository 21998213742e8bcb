"""Definitions that compare datasets two by two, on worlds whose datasets are listed: differential privacy, its group
version, additive secrecy, induced neighbours, and what they are made of.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import Number, exact
from dalenius.numerics.bracket import Bracket, around
from dalenius.numerics.divergence import exponential
from dalenius.numerics.outcomes import Outcomes, both_ways, fractions, is_exact
from dalenius.papers.definitions.neighbouring import (
    Rows,
    absent_code,
    one_apart,
    state_pairs,
    telling_output,
    worst_states,
)
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite, checked_law

Metric: TypeAlias = Callable[[Dataset, Dataset], Number]
Law: TypeAlias = Outcomes | Sequence[Number]  # probabilities of outcomes 0, 1, ...
LARGEST_SQUARE = 5_000  # datasets of a world of which every two are compared
LARGEST_CUBE = 500  # datasets of a world of which every three are compared


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
    """

    world: Finite
    first: Rows
    second: Rows
    relation: str

    def __str__(self) -> str:
        many = "1 pair" if len(self.first) == 1 else f"{len(self.first)} pairs"
        return f"{self.relation}: {many} of neighbours among {self.world.size} datasets"

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
        """Cost O(neighbours) plus one comparison for each pair of states that neighbours can be in."""
        require(
            len(mechanism.state) == self.world.size,
            f"a mechanism on the {self.world.size} datasets of the world",
            got=len(mechanism.state),
        )
        if not len(self.first):
            return Contrast(Bracket(0.0, 0.0))
        left, right = mechanism.state[self.first], mechanism.state[self.second]
        value, pair = worst_states(mechanism, *state_pairs(left, right, int(mechanism.state.max()) + 1), epsilon)
        place = int(((left == pair[0]) & (right == pair[1]) | (left == pair[1]) & (right == pair[0])).argmax())
        return Contrast(value, *self._datasets(place), telling_output(mechanism, pair, epsilon))

    def _datasets(self, place: int) -> tuple[Dataset, Dataset]:
        first, second = (
            tuple(self.world.values[code] for code in self.world.codes[row].tolist())
            for row in (self.first[place], self.second[place])
        )
        return first, second

    # -- relations ---------------------------------------------------------------------------------------------------

    @classmethod
    def add_or_remove(cls, world: Finite, *, records: int = 1) -> "Neighbours":
        """One dataset is the other without one record (or up to `records` are added or removed: group privacy)."""
        if records > 1:
            moves = _moves(world)
            return cls._where(world, (moves > 0) & (moves <= records), f"add or remove up to {records}")
        first, second = one_apart(world, lambda before, after: before != after)
        return cls(world, first, second, "add or remove one")

    @classmethod
    def replace(cls, world: Finite, *, records: int = 1) -> "Neighbours":
        """The same people, one with another value (or up to `records`: group privacy)."""
        if records > 1:
            distance = _hamming(world)
            here = world.codes != absent_code(world)
            alike = (here[:, None, :] == here[None, :, :]).all(axis=2)
            return cls._where(world, (distance > 0) & (distance <= records) & alike, f"replace up to {records}")
        first, second = one_apart(world, lambda before, after: before & after)
        return cls(world, first, second, "replace one")

    @classmethod
    def modify(cls, world: Finite) -> "Neighbours":
        """One tuple is modified, and may come to belong to somebody else: ε-indistinguishability (Pufferfish, 6.2)."""
        size = (world.codes != absent_code(world)).sum(axis=1)
        return cls._where(world, (_moves(world) == 2) & (size[:, None] == size[None, :]), "modify one tuple")

    @classmethod
    def any_two(cls, world: Finite) -> "Neighbours":
        """Every two datasets: privacy without assumptions (Pufferfish, Theorem 3.1)."""
        return cls._where(world, ~np.eye(_square(world), dtype=bool), "any two datasets")

    @classmethod
    def within(cls, world: Finite, metric: Metric, *, distance: Number) -> "Neighbours":
        """Datasets within this distance: modified ZLW privacy (Pufferfish, Definition 8.3)."""
        return cls._where(world, _near(world, metric, distance), f"within {distance}")

    @classmethod
    def constrained(cls, world: Finite, metric: Metric, *, distance: Number) -> "Neighbours":
        """The value of one tuple differs, and the datasets are within this distance: δ-constrained differential
        privacy (Zhou, Ligett and Wasserman 2009; here as in Pufferfish, Definition 8.2).
        """
        near = _near(world, metric, distance) & (_hamming(world) == 1) & (_moves(world) == 2)
        return cls._where(world, near, f"replace one within {distance}")

    @classmethod
    def induced(cls, world: Finite) -> "Neighbours":
        """Two datasets that satisfy the constraint, if no proper part of the additions and deletions between them gives
        a third (Pufferfish, Definition 10.3, with "subset" read as proper and not empty).

        The datasets of the world are those that satisfy the constraint. Necessary for Pufferfish under the
        constraint (Theorem 10.1), and not sufficient: Theorem 10.2 is false.
        """
        require(world.size <= LARGEST_CUBE, f"at most {LARGEST_CUBE} datasets", got=world.size)
        codes, absent = world.codes, absent_code(world)
        near = ~np.eye(world.size, dtype=bool)
        for row, here in enumerate(codes):
            moved = codes != here
            between = np.ones((world.size, world.size), dtype=bool)  # of the row's dataset and b, is c?
            for i in range(world.n):
                at, gone = codes[:, i], codes[:, i] == absent
                between &= (at == here[i]) | (at == at[:, None]) | (moved[:, i][:, None] & gone)
            between[:, row] = False
            np.fill_diagonal(between, val=False)
            near[row] &= ~between.any(axis=1)
        return cls._where(world, near, "induced neighbours")

    @classmethod
    def count(cls, world: Finite, counts: Callable[[Hashable], bool]) -> "Neighbours":
        """The relation that Pufferfish demands when the number of records that count is public (Theorem 10.2').

        Two datasets are related if one record differs, or if two differ and one of them counts only in the first,
        the other only in the second. On every such pair e^ε holds if and only if the mechanism is ε-Pufferfish for
        presence and value of every record, against every attacker who holds records independent given the count.
        The world must list every dataset with that count, absent records included.
        """
        marks = np.array([value is not None and bool(counts(value)) for value in world.values])
        counted = marks[world.codes]
        _check_count(world, marks, counted)
        differs = world.codes[:, None, :] != world.codes[None, :, :]
        swapped = (counted[:, None, :] != counted[None, :, :]).sum(axis=2) == 2
        distance = differs.sum(axis=2)
        return cls._where(world, (distance == 1) | ((distance == 2) & swapped), "alike under a public count")

    @classmethod
    def _where(cls, world: Finite, related: NDArray[np.bool_], relation: str) -> "Neighbours":
        first, second = np.nonzero(np.triu(related | related.T, 1))
        return cls(world, first.astype(np.int64), second.astype(np.int64), relation)


def _square(world: Finite) -> int:
    require(
        world.size <= LARGEST_SQUARE,
        f"at most {LARGEST_SQUARE} datasets where every two are compared",
        got=world.size,
        remedy="List fewer, or compare datasets that differ in one record.",
    )
    return world.size


def _hamming(world: Finite) -> Rows:
    """In how many records each two datasets differ."""
    found = np.zeros((_square(world), world.size), dtype=np.int64)
    for i in range(world.n):
        found += world.codes[:, i][:, None] != world.codes[:, i][None, :]
    return found


def _moves(world: Finite) -> Rows:
    """How many records must be added or removed to turn each dataset into each other: two for another value."""
    found, absent = np.zeros((_square(world), world.size), dtype=np.int64), absent_code(world)
    for i in range(world.n):
        at = world.codes[:, i]
        here = (at != absent).astype(np.int64)
        found += (at[:, None] != at[None, :]) * (here[:, None] + here[None, :])
    return found


def _near(world: Finite, metric: Metric, distance: Number) -> NDArray[np.bool_]:
    limit = exact(distance, name="distance")
    _square(world)
    rows = list(world.datasets())
    return np.array([[a != b and exact(metric(a, b), name="A distance") <= limit for b in rows] for a in rows])


def _check_count(world: Finite, marks: NDArray[np.bool_], counted: NDArray[np.bool_]) -> None:
    """Whether the world lists every dataset with one and the same count."""
    _square(world)
    totals = set(counted.sum(axis=1).tolist())
    require(len(totals) == 1, "datasets with one and the same count", got=sorted(totals))
    ones, rest, count = int(marks.sum()), int((~marks).sum()), totals.pop()
    size = math.comb(world.n, count) * ones**count * rest ** (world.n - count)
    if absent_code(world) < 0 or size != world.size:
        raise InputError(
            f"The relation for a public count needs every dataset with that count, absent records (None) included: "
            f"{size} for these values, but got {world.size}. List them all, with Finite.constrained."
        )
