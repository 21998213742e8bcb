"""Counts that are only compared, and none of which is told: only which is the largest, or, of counts of values in
order, the value at a place of all records in order (a median, a quantile, the smallest, the largest value), or which of
some models of the values the records speak for.
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
FEWEST_MODELS, MOST_MODELS = 2, 20


@final
@dataclass(frozen=True, slots=True)
class OnlyCompared(Channel):
    """One of so many counts of the same people, none of which is published. Named is the value of the largest; of
    several that are as large, the first. Or, if there is a place `at`, the least value that this share of all records
    does not exceed: 1/2 for the median, 0 for the smallest value and 1 for the largest. With `moved`, a scale, that
    value is moved among the values by two-sided geometric noise, to the first or the last where it would go beyond. Or,
    if there are `models`, chances of the values one by one, the one under which the records are the likeliest; the
    first of several.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.OnlyCompared(3))
    only compared with 2 others
    """

    among: int
    at: Fraction | None = None
    moved: Fraction | None = None
    models: tuple[tuple[Fraction, ...], ...] = ()

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
        if self.models:
            self._check_models()

    def _check_models(self) -> None:
        if self.at is not None:
            raise InputError("Named is a value by its place in order, or a model, but got both. Leave one out.")
        if not FEWEST_MODELS <= len({*self.models}) == len(self.models) <= MOST_MODELS:
            raise InputError(
                f"A model is chosen from {FEWEST_MODELS} to {MOST_MODELS} different ones, but got {len(self.models)}. "
                "List each once."
            )
        for model in self.models:
            if len(model) != self.among or min(model) <= 0 or sum(model) != 1:
                raise InputError(
                    f"A model gives each of the {self.among} values a chance above 0, and they sum to 1, but one does "
                    "not: a record with a value that a model excludes would decide by itself. Use 0.001 for what is "
                    "rare."
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
        if self.models:
            return f"only compared with {others}, by {len(self.models)} models"
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
