"""Rules of thumb for counts: what is published of a count."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import is_whole
from dalenius.numerics.labels import Counts

Zeros: TypeAlias = Literal["hidden", "shown"]
LARGEST_BASE = 1000


def _whole(number: object, what: str, remedy: str) -> int:
    if not is_whole(number) or number == 0:
        raise InputError(f"{what} must be a whole number of at least 1, but got {number!r}. {remedy}")
    return int(number)


class Rule(ABC):
    """A function of a count that is published in its place. What it publishes alike is an interval of counts."""

    @abstractmethod
    def breaks(self, limit: int) -> Counts:
        """The least count of each label, ascending from 0, up to `limit` at least."""

    @abstractmethod
    def told(self, count: int) -> str:
        """What is published of this count."""

    @property
    @abstractmethod
    def shows_zeros(self) -> bool:
        """Whether a count of 0 looks different from a count of 1."""

    def codes(self, counts: Counts) -> Counts:
        """The number of the label of each count."""
        starts = self.breaks(int(counts.max()) + 1)
        return np.searchsorted(starts, counts, side="right") - 1


@final
@dataclass(frozen=True, slots=True)
class Threshold(Rule):
    """Counts of at least `least` are published, rounded to the nearest multiple of `base` (halves up); those below are
    hidden. Zeros are hidden with them, or shown as they are.

    >>> [Threshold(10).told(count) for count in (0, 9, 10)], Threshold(10, zeros="shown", base=5).told(12)
    (['hidden', 'hidden', '10'], '10')
    """

    least: int
    zeros: Zeros = "hidden"
    base: int = 1

    def __post_init__(self) -> None:
        least = _whole(self.least, "A threshold", "Write 10 to hide counts below 10, 1 to hide none.")
        base = _whole(self.base, "A base for rounding", "Write 5 to round to fives, 1 not to round.")
        object.__setattr__(self, "least", least)
        object.__setattr__(self, "base", base)
        require(self.zeros in ("hidden", "shown"), '"hidden" or "shown" for zeros', got=self.zeros)
        if self.zeros == "shown" and self.least > 1 and self._rounded(self.least) == 0:
            raise InputError(
                f"Zeros are shown and counts from {self.least} on are rounded to {self.base}, so that {self.least} "
                "would be published as 0 too. Raise the threshold, or hide zeros."
            )

    @property
    def shows_zeros(self) -> bool:
        return self.told(0) != self.told(1)

    def _rounded(self, count: int) -> int:
        return (count + self.base // 2) // self.base * self.base

    def told(self, count: int) -> str:
        if count >= self.least or self.least == 1 or (count == 0 and self.zeros == "shown"):
            return str(self._rounded(count))
        return "hidden"

    def breaks(self, limit: int) -> Counts:
        half = self.base - self.base // 2  # the least count that is not rounded to 0
        multiples = np.arange(half, limit + 2 * self.base, self.base)
        if self.least == 1:
            return np.concatenate([[0], multiples])
        first = [0, 1, self.least] if self.zeros == "shown" else [0, self.least]
        return np.concatenate([first, multiples[multiples > self.least]])

    def __str__(self) -> str:
        rounded = "" if self.base == 1 else f"rounded to {self.base}"
        if self.least == 1:
            return rounded or "exact"
        return f"hide below {self.least}, zeros {self.zeros}" + (f", {rounded}" if rounded else "")


@final
@dataclass(frozen=True, slots=True)
class Graded(Rule):
    """Hide counts below the first step; from each step on round to its base; `even`: halves go to the even multiple.

    `steps`: (least count, base), ascending. `low`: labels below the first step, as their least counts. Above the last
    step its base stays. A count that is rounded up into the next step keeps its value there.
    """

    name: str
    steps: tuple[tuple[int, int], ...]
    low: tuple[int, ...] = (0,)
    even: bool = False

    @property
    def shows_zeros(self) -> bool:
        return self.told(0) != self.told(1)

    def _rounded(self, count: int) -> int:
        base = next(base for least, base in reversed(self.steps) if count >= least)
        whole, rest = divmod(count, base)
        up = rest * 2 > base or (rest * 2 == base and (not self.even or whole % 2 == 1))
        return (whole + up) * base

    def told(self, count: int) -> str:
        if count >= self.steps[0][0]:
            return str(self._rounded(count))
        start = max(least for least in self.low if least <= count)
        stop = min((least for least in self.low if least > count), default=self.steps[0][0]) - 1
        return str(start) if start == stop else f"{start} to {stop}"

    def breaks(self, limit: int) -> Counts:
        found = [np.array(self.low)]
        edges = [*(least for least, _ in self.steps[1:]), max(limit, self.steps[-1][0]) + 2 * self.steps[-1][1]]
        shown = -1
        for (least, base), edge in zip(self.steps, edges, strict=True):
            starts = self._starts(least, base, edge)
            joined = self._rounded(least) == shown  # the last value of the step before goes on
            found.append(starts[1:] if joined else starts)
            shown = self._rounded(edge - 1)
        return np.concatenate(found)

    def _starts(self, least: int, base: int, edge: int) -> Counts:
        """The least counts in [least, edge) of the values to which they are rounded, by this base."""
        multiples = np.arange(least // base, edge // base + 2)
        half = multiples * base - base // 2
        tie = (base % 2 == 0) & self.even & (multiples % 2 == 1)
        starts = half + tie  # a tie below an odd multiple goes down
        return np.concatenate([[least], starts[(starts > least) & (starts < edge)]])

    def __str__(self) -> str:
        return self.name


@final
@dataclass(frozen=True, slots=True)
class Midpoint(Rule):
    """Counts are published as the middle of the interval of `base` counts that they are in (1 to base, and so on); 0 as
    itself, as OpenSAFELY does it.

    >>> [Midpoint(6).told(count) for count in (0, 1, 6, 7)]
    ['0', '3', '3', '9']
    """

    base: int

    def __post_init__(self) -> None:
        checked_base(self.base)

    @property
    def shows_zeros(self) -> bool:
        return True

    def told(self, count: int) -> str:
        return str(-(-count // self.base) * self.base - (self.base // 2 if count else 0))

    def breaks(self, limit: int) -> Counts:
        return np.concatenate([[0], np.arange(1, limit + 2 * self.base, self.base)])

    def __str__(self) -> str:
        return f"the middle of {self.base} counts"


def checked_base(base: object) -> None:
    """InputError unless counts can be rounded to it."""
    if not is_whole(base) or not 2 <= base <= LARGEST_BASE:
        raise InputError(
            f"A base for rounding must be a whole number from 2 to {LARGEST_BASE}, but got {base!r}. Write 5."
        )


SUPPRESS_1_TO_10 = Threshold(11, zeros="shown")
CENSUS_COUNTS = Graded(
    "US Census Bureau, counts (2019): N < 15, then rounded to 10, 50, 100, 500, 1000",
    ((15, 10), (100, 50), (1000, 100), (10_000, 500), (100_000, 1000), (10_000_000, 10_000)),
    even=True,
)
CENSUS_2000 = Graded("US Census 2000 special tabulations: 0, 1 to 7 as 4, then rounded to 5", ((8, 5),), low=(0, 1))
