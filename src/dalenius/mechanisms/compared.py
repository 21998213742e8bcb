"""Counts that are only compared: which of them is the largest is told, and none of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.facts.records import whole
from dalenius.mechanisms.channel import Channel
from dalenius.numerics.law import Law

FEWEST_COMPARED, MOST_COMPARED = 2, 200


@final
@dataclass(frozen=True, slots=True)
class OnlyCompared(Channel):
    """One of so many counts of the same people, of which the largest is named and none is published; of several that
    are as large, the first.
    """

    among: int

    def __post_init__(self) -> None:
        among = whole(self.among, name="How many counts are compared", remedy="Compare at least two.")
        object.__setattr__(self, "among", among)
        if not FEWEST_COMPARED <= among <= MOST_COMPARED:
            raise InputError(
                f"From {FEWEST_COMPARED} to {MOST_COMPARED} counts are compared with each other, but got {among}. "
                "Declare bins, or another column."
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
    def hides(self) -> bool:
        return True

    def push(self, law: Law) -> Law:
        """By itself it tells nothing."""
        return law.pushed(np.zeros(len(law.mass), dtype=np.int64))

    def __str__(self) -> str:
        return f"only compared with {self.among - 1} other{'' if self.among == 2 else 's'}"


def only_compared(links: Sequence[Channel], among: int) -> bool:
    """Whether nothing else happens to a number than to be compared with others, so many of them together."""
    return len(links) == 1 and isinstance(links[0], OnlyCompared) and links[0].among == among
