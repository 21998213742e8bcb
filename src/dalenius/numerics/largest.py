"""The largest value over a set, by best-first branch and bound.

A *region* is a part of the set that was looked at: a bound that no value in it exceeds, perhaps a value that one of its
members attains, and how to split it. The region with the largest bound is split first.

*Statement.* Let the first regions cover the set, and the regions into which one is split cover that one; let every
bound hold, and every attained value be attained. Then, whatever stops the search, `lower` ≤ supremum ≤ `upper`.

*Proof.* At all times the open regions (those that may be split) and the closed ones (those that will not be) cover the
set: so it is at the start; a region that is split is taken away after all that it is split into was added, and is
closed if that is nothing. Hence the supremum is at most the largest bound of an open or a closed region, which is
`upper`. What bounds a region bounds all that it is split into, so of a new region the lesser of the two bounds may be
taken. ∎

So what is left open when a budget ends counts by its bound, as does what is not worth a closer look.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar, final

Value = TypeVar("Value", float, Fraction)
Place = TypeVar("Place")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Region(Generic[Value, Place]):
    """No value in the region is above `upper`; `attained`, if given, is at most the value of the member beside it.

    `split` looks at regions that together cover this one, one by one or all at once: of an iterator, each counts before
    the next is looked at. Without it the region is closed.
    """

    upper: Value
    attained: tuple[Value, Place] | None = None
    split: "Callable[[Largest[Value, Place]], Iterable[Region[Value, Place]]] | None" = None


@final
class Largest(Generic[Value, Place]):
    """The largest value, as far as it is known: at least `lower`, attained `at` a member, and at most `upper`."""

    __slots__ = ("_numbers", "_open", "at", "closed", "looks", "lower", "splits")

    def __init__(self, known: tuple[Value, Place]) -> None:
        self.lower: Value = known[0]
        self.at: Place = known[1]
        self.closed: Value = self.lower  # the largest bound of a closed region; no less than what is attained
        self.splits = 0
        self.looks = 0  # at regions into which others were split
        self._numbers: Iterator[int] = itertools.count()
        self._open: list[tuple[Value, int, Region[Value, Place]]] = []  # a heap of (-bound, number, region)

    @property
    def open(self) -> Value:
        """The largest bound of an open region; `closed` if there is none."""
        return -self._open[0][0] if self._open else self.closed

    @property
    def upper(self) -> Value:
        return max(self.closed, self.open)

    @property
    def settled(self) -> bool:
        """Whether no split can lower the upper end."""
        return self.open <= self.closed

    def _add(self, region: Region[Value, Place], bound: Value) -> None:
        if region.attained is not None and region.attained[0] > self.lower:
            self.lower, self.at = region.attained
            self.closed = max(self.closed, self.lower)
        if region.split is None:
            self.closed = max(self.closed, bound)
        else:
            heapq.heappush(self._open, (-bound, next(self._numbers), region))

    def _split(self) -> None:
        negative, _, region = self._open[0]
        ceiling, empty = -negative, True
        for part in region.split(self) if region.split is not None else ():
            empty, self.looks = False, self.looks + 1
            self._add(part, min(ceiling, part.upper))
        if empty:
            self.closed = max(self.closed, ceiling)
        # no part has a larger bound, and of equal ones the older is first: it is still there
        heapq.heappop(self._open)
        self.splits += 1


def largest(
    known: tuple[Value, Place],
    regions: Iterable[Region[Value, Place]],
    *,
    stop: Callable[[Largest[Value, Place]], bool],
) -> Largest[Value, Place]:
    """The largest value over the regions: a certified bracket, and where its lower end is attained. `known` is a value
    that is attained for sure, and where.

    Ends when no region is open, or when `stop` says so, which is asked before every split: the bracket is narrow
    (`lower`, `upper`), no split helps (`settled`), something is decided, a budget is spent (`looks`, `splits`).
    """
    found = Largest(known)
    for region in regions:
        if not region.upper <= math.inf:  # of a part, what bounds the whole stands in for it
            raise ArithmeticError("A bound is not a number. Report this defect.")
        found._add(region, region.upper)
    while found._open and not stop(found):
        found._split()
    return found
