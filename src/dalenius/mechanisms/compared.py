"""Counts that are only compared, and none of which is told: only which is the largest, or, of counts of values in
order, the value at a place of all records in order (a median, a quantile, the smallest, the largest value).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import short
from dalenius.facts.records import whole
from dalenius.mechanisms.channel import Channel
from dalenius.numerics.law import Law

FEWEST_COMPARED, MOST_COMPARED = 2, 200


@final
@dataclass(frozen=True, slots=True)
class OnlyCompared(Channel):
    """One of so many counts of the same people, none of which is published. Named is the value of the largest; of
    several that are as large, the first. Or, if there is a place `at`, the least value that this share of all records
    does not exceed: 1/2 for the median, 0 for the smallest value and 1 for the largest. With `moved`, a scale, that
    value is moved among the values by two-sided geometric noise, to the first or the last where it would go beyond.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.OnlyCompared(3))
    only compared with 2 others
    """

    among: int
    at: Fraction | None = None
    moved: Fraction | None = None

    def __post_init__(self) -> None:
        among = whole(self.among, name="How many counts are compared", remedy="Compare at least two.")
        object.__setattr__(self, "among", among)
        if not FEWEST_COMPARED <= among <= MOST_COMPARED:
            raise InputError(
                f"From {FEWEST_COMPARED} to {MOST_COMPARED} counts are compared with each other, but got {among}. "
                "Declare bins, or another column."
            )
        if self.at is not None and not 0 <= self.at <= 1:
            raise InputError(f"A place in order is a share from 0 to 1, but got {self.at}. 1/2 is the median.")
        if self.moved is not None and (self.at is None or self.moved <= 0):
            raise InputError(
                f"Noise of a scale above 0 moves a value that is named by its place in order, but got {self.moved}. "
                "Give the place, or leave the noise out."
            )

    @property
    def period(self) -> int:
        """None: so every computation that rests on one refuses it."""
        raise InputError(
            "Counts that are only compared are judged together, or as if they were published, but not here. Publish "
            "the counts, or their most frequent value."
        )

    @property
    def random(self) -> bool:
        return False

    @property
    def dice(self) -> bool:
        return self.moved is not None

    @property
    def hides(self) -> bool:
        return True

    def push(self, law: Law) -> Law:
        """By itself it tells nothing."""
        return law.pushed(np.zeros(len(law.mass), dtype=np.int64))

    def __str__(self) -> str:
        others = f"{self.among - 1} other{'' if self.among == 2 else 's'}"
        if self.at is None:
            return f"only compared with {others}"
        noise = f", moved by two-sided geometric noise of scale {short(self.moved)}" if self.moved is not None else ""
        return f"only put in order with {others}{noise}"


def only_compared(links: Sequence[Channel], among: int) -> bool:
    """Whether nothing else happens to a number than to be compared with others, so many of them together."""
    found = comparison(links)
    return len(links) == 1 and found is not None and found.among == among


def comparison(links: Sequence[Channel]) -> OnlyCompared | None:
    """How a number is compared, if it is not published."""
    return next((link for link in links if isinstance(link, OnlyCompared)), None)
