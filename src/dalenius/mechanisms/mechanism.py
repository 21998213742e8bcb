"""A mechanism: a statistic, and what happens to it before it is published."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.channel import Channel, Exact
from dalenius.numerics.law import Law

if TYPE_CHECKING:
    from dalenius.mechanisms.choice import Choice


@final
@dataclass(frozen=True, slots=True)
class Mechanism:
    """`statistic >> channel >> channel`.

    >>> import dalenius as dl
    >>> isinstance(dl.Count() >> dl.Rounded(5), dl.mechanisms.Mechanism)
    True
    """

    statistic: Statistic
    channels: tuple[Channel, ...] = (Exact(),)

    def __rshift__(self, channel: Channel) -> "Mechanism":
        if not isinstance(channel, Channel):
            raise InputError(
                f"What follows {self} must be a channel, but got {channel}. What needs a histogram comes "
                "right after it; write Count() >> Rounded(5) >> two_sided_geometric(2)."
            )
        return Mechanism(self.statistic, (*self.channels, channel))

    @property
    def channel(self) -> "Chain":
        return Chain(tuple(channel for channel in self.channels if not channel.exact))

    def __str__(self) -> str:
        of = "total: " if self.statistic.divided and not self.channel.exact else ""
        return f"{self.statistic}, {of}{self.channel}"


@final
@dataclass(frozen=True, slots=True)
class Chain(Channel):
    """Channels one after the other; none at all is the exact figure."""

    links: tuple[Channel, ...]

    @property
    def exact(self) -> bool:
        return not self.links

    @property
    def choice(self) -> "Choice | None":
        """The last link, if it is a choice."""
        if not self.links or not self.links[-1].hides:
            return None
        from dalenius.mechanisms.choice import Choice

        return self.links[-1] if isinstance(self.links[-1], Choice) else None

    @property
    def random(self) -> bool:
        return any(link.random for link in self.links)

    @property
    def dice(self) -> bool:
        return any(link.dice for link in self.links)

    @property
    def hides(self) -> bool:
        return any(link.hides for link in self.links)

    @property
    def folds(self) -> bool:
        """Whether the figure is published without dice, but not as it is: rounded, or hidden where it is small."""
        return self.hides or bool(self.period)

    @property
    def period(self) -> int:
        """Noise keeps a period; a second rounding multiplies it, since it sees multiples of the first base as units."""
        period = 1
        rounded = False
        for link in self.links:
            if link.period:
                period, rounded = period * link.period, True
        return period if rounded else 0

    def pure(self, shift: int) -> Fraction | None:
        """That of the first link: what follows is post-processing."""
        return self.links[0].pure(shift) if self.links else None

    def normal(self) -> tuple[Fraction, float] | None:
        """That of the first link: what follows is post-processing."""
        return self.links[0].normal() if self.links else None

    def push(self, law: Law) -> Law:
        for link in self.links:
            law = link.push(law)
        return law

    def __str__(self) -> str:
        return ", ".join(str(link) for link in self.links) if self.links else "exact"
