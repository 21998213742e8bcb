"""Small counts hidden: what is published of a count is the count, or only that it is small."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, final, get_args

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.facts.records import whole
from dalenius.mechanisms.channel import Channel
from dalenius.numerics.law import Law

Zeros: TypeAlias = Literal["shown", "hidden"]
LARGEST_HIDDEN = 2**31  # counts below which one may ask to hide


@final
@dataclass(frozen=True, slots=True)
class SmallCountsHidden(Channel):
    """A count of at least `below` as it is; a smaller one as nothing but that it is smaller, zeros too or zeros not.

    It is a function of the count: whatever else is published, it tells no more than the count itself. Whether a count
    is hidden depends on the data, and that is paid for: that it is hidden, too, is an outcome.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.SmallCountsHidden(10, zeros="hidden"))
    hidden if below 10, zeros too
    """

    below: int
    zeros: Zeros

    def __post_init__(self) -> None:
        below = whole(self.below, name="The count below which is hidden", remedy="Write below: 10.")
        object.__setattr__(self, "below", below)
        if not 1 <= below <= LARGEST_HIDDEN:
            raise InputError(
                f"Hiding small counts needs a count from 1 to 2^31 below which they are hidden, but got {below}. "
                "Write below: 10."
            )
        if self.zeros not in get_args(Zeros):
            raise InputError(f'Zeros are "shown" or "hidden" where small counts are, but got {self.zeros!r}.')

    @property
    def tells_all(self) -> bool:
        """Whether each outcome belongs to one count, so that nothing is hidden."""
        return self.below <= (1 if self.zeros == "hidden" else 2)

    @property
    def text(self) -> str:
        """What stands in a table for a hidden count."""
        return f"<{self.below}"

    @property
    def period(self) -> int:
        """None: so every computation that rests on one refuses it."""
        raise InputError(
            "What hides small counts is judged for counts of independent records, alone or as if the counts were "
            "shown, but not here. Publish the count with noise, or as it is."
        )

    @property
    def random(self) -> bool:
        return False

    @property
    def hides(self) -> bool:
        return True

    @property
    def mark(self) -> int:
        """The number that stands for a hidden count, where numbers are compared: the largest that is hidden."""
        return self.below - 1

    def push(self, law: Law) -> Law:
        return law.pushed(self.apply(np.arange(law.start, law.stop)))

    def apply(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """What is published: hidden ones are the largest count that is hidden, so that the order stays."""
        hidden = totals < self.below
        if self.zeros == "shown":
            hidden &= totals != 0
        return np.where(hidden, self.mark, totals)

    def covers(self, total: int) -> bool:
        """Whether a count is hidden."""
        return total < self.below and not (total == 0 and self.zeros == "shown")

    def told(self, unit: Fraction) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"hidden if below {self.below}, zeros {'too' if self.zeros == 'hidden' else 'shown'}"


def small_counts_hidden(below: int, *, zeros: Zeros) -> SmallCountsHidden:
    """Counts of at least `below` as they are; of the others that they are smaller.

    >>> print(small_counts_hidden(10, zeros="hidden"))
    hidden if below 10, zeros too
    """
    return SmallCountsHidden(below, zeros)
