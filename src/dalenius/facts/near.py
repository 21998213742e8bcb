"""Values that may be told apart, and values that may not: what is secret of a column where not all of it is.

A secret that lies in a range (to within ±k, to within p percent, in one interval of a partition) says that two sets of
values must look alike. Given either set a person may have any of its values, and the laws given the sets are mixtures
of the laws given the values; by joint convexity δ is at most the largest over two values, one of each set. So each
secret here is a relation: which two values are compared. Of columns without one, any two values are. Every value is
compared with itself: of columns that are independent, two facts about one leave the other what it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.facts.records import Column, Label, Numbers
from dalenius.numerics.formats import plain

Places: TypeAlias = NDArray[np.int64]  # of values in their column
Mask: TypeAlias = NDArray[np.bool_]
FINEST = 1000  # per cents are whole numbers of thousandths
FARTHEST = 4_000_000  # units from 0 of a column that is secret to within per cents


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
        return f"to within {plain(self.percent)} %: any two values less than {factor:.4g} times each other"

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
        starts = [int(-(-(end - numbers.lower) // numbers.unit)) for end in self.ends[1:-1]]
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


Relation: TypeAlias = WithinRange | WithinPercent | InIntervals | ListedPairs


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
