"""Values that may be told apart, and values that may not: what is secret of a column where not all of it is.

A secret that lies in a range (to within ±k, to within p percent, in one interval of a partition) says that two sets of
values must look alike. Given either set a person may have any of its values, and the laws given the sets are mixtures
of the laws given the values; by joint convexity δ is at most the largest over two values, one of each set. So each
secret here is a relation: which two values are compared. Of columns without one, any two values are. Every value is
compared with itself: of columns that are independent, two facts about one leave the other what it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import nearly, plain
from dalenius.facts.records import Column, Label, Numbers

Places: TypeAlias = NDArray[np.int64]  # of values in their column
Mask: TypeAlias = NDArray[np.bool_]
FINEST = 1000  # per cents are whole numbers of thousandths
FARTHEST = 4_000_000  # units from 0 of a column that is secret to within per cents
LARGEST_SHARED = 100_000_000  # of a value and of all others together, in steps that both are multiples of
MOST_COMPARED = 20_000  # rows, or states, up to which it is looked which two are compared: of more, all are
MOST_STATES = 20_000_000  # sums of what the members of a household add that are gone through


@final
@dataclass(frozen=True, slots=True)
class WithinRange:
    """To within ±k: whether a value lies in [y - k, y + k) or in the next such interval, for every y. That is: any two
    values less than 4k apart (see `facts.secret.Within`).
    """

    k: Fraction

    def __str__(self) -> str:
        return f"to within ±{plain(self.k)}: any two values less than {plain(4 * self.k)} apart"

    def check(self, name: str, column: Column) -> None:
        """InputError unless two values of the column are compared."""
        unit = _numbers(name, column).unit
        if self.k <= 0:
            raise InputError(f"secret: within needs a number above 0, but got {plain(self.k)} for {name}.")
        if 4 * self.k <= unit:
            raise InputError(
                f"secret: within compares values of {name} less than {plain(4 * self.k)} apart, but the nearest are "
                f"{plain(unit)} apart. Write a larger number."
            )

    def related(self, column: Column, one: Places, other: Places) -> Mask:
        """Whether these values are compared; what is missing is compared with all."""
        numbers = _numbers("", column)
        most = -(-4 * self.k // numbers.unit) - 1
        return np.asarray((np.abs(one - other) <= int(most)) | (one >= numbers.steps) | (other >= numbers.steps))


@final
@dataclass(frozen=True, slots=True)
class WithinPercent:
    """To within p percent: whether a value lies in [a y, y / a) or in the next such interval, for every y, where a is
    1 - p / 100. That is: any two values of one sign of which the larger is less than 1 / a^4 times the smaller. A 0 and
    another value may be told apart.
    """

    percent: Fraction

    @property
    def ratio(self) -> Fraction:
        """What the larger of two values that are compared is less than, as a part of the smaller."""
        return 1 / (1 - self.percent / 100) ** 4

    def __str__(self) -> str:
        factor = float(self.ratio)
        return f"to within {plain(self.percent)} %: any two values less than {nearly(factor, 4)} times each other"

    def check(self, name: str, column: Column) -> None:
        """InputError unless it can be said of the column."""
        numbers = _numbers(name, column)
        if not 0 < self.percent < 100 or (self.percent * FINEST / 100).denominator != 1:
            raise InputError(
                f"secret: percent needs a number above 0 and below 100 with one digit after the point, but got "
                f"{plain(self.percent)} for {name}. Write 10."
            )
        if max(abs(numbers.lower), abs(numbers.upper)) / numbers.unit > FARTHEST:
            raise InputError(f"secret: percent needs values of at most {FARTHEST} units, but {name} has more.")

    def related(self, column: Column, one: Places, other: Places) -> Mask:
        """Whether these values are compared; what is missing is compared with all."""
        numbers = _numbers("", column)
        missing = (one >= numbers.steps) | (other >= numbers.steps)
        first, second = one + numbers.first, other + numbers.first
        small, large = np.minimum(np.abs(first), np.abs(second)), np.maximum(np.abs(first), np.abs(second))
        below = self.ratio  # both of its ends have at most 12 digits
        near = large * below.denominator < small * below.numerator
        return np.asarray(missing | (near & (np.sign(first) == np.sign(second))) | (one == other))


@final
@dataclass(frozen=True, slots=True)
class WithinShare:
    """The share of a business in a total, to within k percentage points: what it adds, x, of a total of x and what the
    `others` add. Whether the share lies in [s - k, s + k) or in the next such interval, for every s. That is: any two
    values whose shares, x / (x + others), are less than 4k points apart.
    """

    points: Fraction
    others: Fraction

    def __str__(self) -> str:
        return (
            f"as its share in a total, where all others add {plain(self.others)}, to within ±{plain(self.points)} "
            f"percentage points: any two values whose shares are less than {plain(4 * self.points)} points apart"
        )

    def check(self, name: str, column: Column) -> None:
        """InputError unless it can be said of the column."""
        numbers = _numbers(name, column)
        if not 0 < self.points < 25 or (self.points * FINEST / 100).denominator != 1:
            raise InputError(
                f"secret: share needs points above 0 and below 25 with one digit after the point, but got "
                f"{plain(self.points)} for {name}. Write 1."
            )
        if self.others <= 0 or numbers.lower < 0:
            raise InputError(
                f"secret: share needs values of at least 0 and others that add more than 0, but {name} begins at "
                f"{plain(numbers.lower)} and the others add {plain(self.others)}. Correct them."
            )
        _, others = self._steps(numbers)
        if others + numbers.upper / self._step(numbers) > LARGEST_SHARED:
            raise InputError(
                f"secret: share needs a value and all others together of at most {LARGEST_SHARED} steps of "
                f"{plain(self._step(numbers))}, but for {name} there are more. Round what the others add."
            )

    def related(self, column: Column, one: Places, other: Places) -> Mask:
        """Whether these values are compared; what is missing is compared with all."""
        numbers = _numbers("", column)
        missing = (one >= numbers.steps) | (other >= numbers.steps)
        unit, others = self._steps(numbers)
        first, second = (unit * (np.minimum(some, numbers.steps) + numbers.first) for some in (one, other))
        apart = 4 * self.points / 100  # |a/(a+R) - b/(b+R)| = |a - b| R / ((a+R)(b+R))
        near = np.abs(first - second) * (others * apart.denominator) < (
            (first + others) * (second + others) * apart.numerator
        )
        return np.asarray(missing | near)

    def _step(self, numbers: Numbers) -> Fraction:
        """What both the values and what the others add are multiples of."""
        return Fraction(
            math.gcd(
                numbers.unit.numerator * self.others.denominator, self.others.numerator * numbers.unit.denominator
            ),
            numbers.unit.denominator * self.others.denominator,
        )

    def _steps(self, numbers: Numbers) -> tuple[int, int]:
        """The unit of the column, and what the others add, in these steps."""
        step = self._step(numbers)
        return int(numbers.unit / step), int(self.others / step)


@final
@dataclass(frozen=True, slots=True)
class InIntervals:
    """In which interval of a partition a value lies: any two values of different intervals. `ends`: where each begins,
    and where the last one ends.
    """

    ends: tuple[Fraction, ...]

    def __str__(self) -> str:
        return f"in which of the intervals from {', '.join(map(plain, self.ends))}: any two values of different ones"

    def check(self, name: str, column: Column) -> None:
        """InputError unless the intervals cover the column, and are two at least."""
        numbers = _numbers(name, column)
        rising = all(a < b for a, b in zip(self.ends, self.ends[1:], strict=False))
        if len(self.ends) < 3 or not rising or self.ends[0] > numbers.lower or self.ends[-1] < numbers.upper:
            raise InputError(
                f"secret: intervals needs at least three rising ends that cover {name}, {plain(numbers.lower)} to "
                f"{plain(numbers.upper)}, but got {', '.join(map(plain, self.ends))}. Correct them."
            )

    def related(self, column: Column, one: Places, other: Places) -> Mask:
        """Whether these values are compared; what is missing is an interval of its own."""
        numbers = _numbers("", column)
        starts = [min(int(-(-(end - numbers.lower) // numbers.unit)), numbers.steps) for end in self.ends[1:-1]]
        cuts = np.array([*starts, numbers.steps], dtype=np.int64)
        apart = np.searchsorted(cuts, one, "right") != np.searchsorted(cuts, other, "right")
        return np.asarray(apart | (one == other))


@final
@dataclass(frozen=True, slots=True)
class ListedPairs:
    """These pairs of values, and no others."""

    pairs: tuple[tuple[Label | Fraction, Label | Fraction], ...]

    def __str__(self) -> str:
        return f"these pairs of values: {'; '.join(f'{_told(one)} and {_told(two)}' for one, two in self.pairs)}"

    def check(self, name: str, column: Column) -> None:
        """InputError unless all are values of the column, two different ones each."""
        values = set(map(_key, column.values))
        if not self.pairs:
            raise InputError(f"secret: pairs needs at least one pair of values of {name}, but got none. Add it.")
        for pair in self.pairs:
            if any(_key(value) not in values for value in pair) or _key(pair[0]) == _key(pair[1]):
                raise InputError(
                    f"secret: pairs needs two different values of {name}, but got {_told(pair[0])} and "
                    f"{_told(pair[1])}. Correct it."
                )

    def related(self, column: Column, one: Places, other: Places) -> Mask:
        """Whether these values are compared."""
        places = {_key(value): at for at, value in enumerate(column.values)}
        size = column.size
        codes = [places[_key(a)] * size + places[_key(b)] for pair in self.pairs for a, b in (pair, pair[::-1])]
        return np.asarray(np.isin(one * size + other, np.array(codes, dtype=np.int64)) | (one == other))


Relation: TypeAlias = WithinRange | WithinPercent | WithinShare | InIntervals | ListedPairs


@final
@dataclass(frozen=True, slots=True)
class Near:
    """What is secret of some columns; of all others any two values are compared."""

    columns: tuple[tuple[str, Relation], ...]

    def __str__(self) -> str:
        return f"of any one record {'; '.join(self.words)}; and the value of every other column"

    @property
    def words(self) -> list[str]:
        """One line a column."""
        return [f"{name} {relation}" for name, relation in self.columns]

    def of(self, name: str) -> Relation | None:
        """What is secret of a column; None if all of it is."""
        return dict(self.columns).get(name)


@final
@dataclass(frozen=True, slots=True)
class OfHousehold:
    """One property of a household: what its members' values of a column add up to, or how many of them have one of some
    labels. Nothing else about the household is said to be hidden: within it records may depend on each other in any
    way, so that a fact about one column says something about the others.
    """

    column: str
    relation: Relation
    having: tuple[Label, ...] = ()

    def __str__(self) -> str:
        return f"of all records of any one household together {self.words}"

    @property
    def words(self) -> str:
        """What is compared, in a line."""
        labels = " or ".join(map(str, self.having))
        what = f"how many of them have {self.column} {labels}" if self.having else f"their total of {self.column}"
        return f"{what}, {self.relation}; nothing else of them is said to be hidden"

    def check(self, column: Column, size: int = 1) -> None:
        """InputError unless it can be said of households of up to so many members."""
        if isinstance(column, Numbers) == bool(self.having):
            needed = "the total of a column of numbers, or how many members have one of some labels"
            raise InputError(f"secret: a property of a household is {needed}, but got {self.column}. Correct it.")
        strange = [label for label in self.having if _key(label) not in set(map(_key, column.values))]
        if strange:
            raise InputError(f"secret: {strange[0]} is no label of {self.column}. Name one of its labels.")
        if isinstance(self.relation, InIntervals):
            if len(self.relation.ends) < 3 or any(a >= b for a, b in pairwise(self.relation.ends)):
                shown = ", ".join(map(plain, self.relation.ends))
                raise InputError(f"secret: intervals needs at least three rising ends, but got {shown}. Correct them.")
        elif not isinstance(self.relation, ListedPairs):
            self.relation.check(self.column, self._totals(column, size))
        elif not self.relation.pairs or any(one == two for one, two in self.relation.pairs):
            raise InputError("secret: pairs needs at least one pair of two different totals. Correct it.")

    def _totals(self, column: Column, size: int) -> Numbers:
        """What so many members may add up to."""
        if not isinstance(column, Numbers):
            return Numbers(Fraction(1), Fraction(0), Fraction(size))
        low, high = column.lower, column.upper
        if column.missing is not None:
            low, high = min(low, Fraction(0)), max(high, Fraction(0))
        return Numbers(column.unit, low * size, high * size)

    def _property(self, column: Column) -> list[int]:
        """What each value of the column adds to the property, in units; what is missing adds nothing."""
        if isinstance(column, Numbers):
            return [column.first + at for at in range(column.steps)] + [0] * (column.size - column.steps)
        having = set(map(_key, self.having))
        return [int(_key(label) in having) for label in column.values]

    def changes(
        self, columns: Sequence[tuple[str, Column]], rows: Sequence[Sequence[int]], adds: Sequence[int], size: int
    ) -> tuple[int, ...] | None:
        """By how much what a household of up to `size` members adds differs between two states of it that are compared:
        all that occurs, above 0. `rows` has for each row of a record the places of its values in these columns. None
        if there are too many states: then any two are to be compared. Cost O(states²) of a machine's own numbers.
        """
        names = [name for name, _ in columns]
        column = columns[names.index(self.column)][1]
        worth = self._property(column)
        steps = {(add, worth[row[names.index(self.column)]]) for row, add in zip(rows, adds, strict=True)}
        one = np.array(sorted(steps), dtype=np.int64)
        states, found = np.zeros((1, 2), dtype=np.int64), set[int]()
        for members in range(1, size + 1):
            if len(states) * len(one) > MOST_STATES:
                return None
            states = np.unique((states[:, None, :] + one[None, :, :]).reshape(-1, 2), axis=0)
            if len(states) > MOST_COMPARED:
                return None
            found.update(self._compared(self._totals(column, members), states))
        return tuple(sorted(found - {0}))

    def _compared(self, totals: Numbers, states: NDArray[np.int64]) -> set[int]:
        """By how much states that are compared differ."""
        relation, found = self.relation, set[int]()
        if isinstance(relation, ListedPairs):
            there = set(totals.values)
            relation = ListedPairs(tuple(pair for pair in relation.pairs if set(pair) <= there))
        for start in range(0, len(states), 256):
            some = states[start : start + 256]
            one, other = np.broadcast_arrays(some[:, 1][:, None], states[:, 1][None, :])
            apart = np.abs(some[:, 0][:, None] - states[:, 0][None, :])
            compared = relation.related(totals, one - totals.first, other - totals.first) & (one != other)
            found.update(np.unique(apart[compared]).tolist())
        return found


def _numbers(name: str, column: Column) -> Numbers:
    if not isinstance(column, Numbers):
        raise InputError(f"secret: ranges and intervals are of numbers, but {name} has labels. List pairs of them.")
    return column


def _key(value: Label | Fraction) -> tuple[bool, Label | Fraction]:
    return isinstance(value, bool), value


def _told(value: Label | Fraction) -> str:
    return plain(value) if isinstance(value, Fraction) else str(value)


def changes(
    near: Near, columns: Sequence[tuple[str, Column]], rows: Sequence[Sequence[int]], adds: Sequence[int]
) -> tuple[int, ...]:
    """By how much what is added differs between two rows that are compared: all that occurs, above 0. `rows` has for
    each row the places of its values in these columns. Cost O(rows²) of a machine's own numbers.
    """
    places, added = np.array(rows, dtype=np.int64).reshape(len(adds), len(columns)), np.array(adds, dtype=np.int64)
    found: set[int] = set()
    limited = [(at, column, relation) for at, (name, column) in enumerate(columns) if (relation := near.of(name))]
    for start in range(0, len(added), 256):
        some = slice(start, start + 256)
        apart = np.abs(added[some, None] - added[None, :])
        compared = np.ones(apart.shape, dtype=bool)
        for at, column, relation in limited:
            one, other = np.broadcast_arrays(places[some, at][:, None], places[None, :, at])
            compared &= relation.related(column, one, other)
        found.update(np.unique(apart[compared]).tolist())
    return tuple(sorted(found - {0}))
