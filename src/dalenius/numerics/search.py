"""The worst set of records to take out of a sum, by branch and bound.

Knowing more never helps privacy: if R is contained in R', delta without R is at most delta without R'. So a family
of removals is bounded from above by taking out its union, and from below by any one member; families are split until
the two meet.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.largest import Largest, Region, largest

Removal: TypeAlias = tuple[int, ...]  # which records are taken out; each family says how it writes that

CLOSE = 1e-8  # relative gap at which the search stops
BUDGET = 240  # evaluations at most
EARLIEST = 24  # evaluations before the search stops because it is decided


class Family(ABC):
    """A set of removals of the same size."""

    @abstractmethod
    def union(self) -> Removal:
        """The least removal that contains every member."""

    @abstractmethod
    def member(self) -> Removal:
        """One member, in the middle."""

    @abstractmethod
    def halves(self) -> Sequence["Family"]:
        """Smaller families that together are this one; none if it has a single member."""


@final
@dataclass(frozen=True, slots=True)
class Windows(Family):
    """Runs of `size` consecutive records, in the order of their rates, that begin at `first` to `last`; a removal is
    (start, stop).

    For yes/no records the worst set to know is such a run (see docs/worst-subset.md). `bounds` are places where the
    type of record changes: there the search splits first, since between them delta changes smoothly.
    """

    size: int
    first: int
    last: int
    bounds: tuple[int, ...] = ()

    def union(self) -> Removal:
        """Runs within one type of record all come to the same."""
        stop = self.last + self.size
        if self.bounds and bisect_right(self.bounds, self.first) == bisect_right(self.bounds, stop - 1):
            return self.member()
        return self.first, stop

    def member(self) -> Removal:
        middle = (self.first + self.last) // 2
        return middle, middle + self.size

    def halves(self) -> Sequence[Family]:
        if self.first == self.last:
            return ()
        middle = (self.first + self.last) // 2
        marks = [mark + move for bound in self.bounds for mark in (bound, bound - self.size) for move in (-1, 0)]
        inside = [mark for mark in marks if self.first <= mark < self.last]
        cut = (
            min(inside, key=lambda mark: abs(mark - middle)) if inside else self.first + (middle - self.first) // 2 * 2
        )
        return (Windows(self.size, self.first, cut, self.bounds), Windows(self.size, cut + 1, self.last, self.bounds))


@final
@dataclass(frozen=True, slots=True)
class Boxes(Family):
    """Removals of `size` records with between least[t] and most[t] of type t; a removal lists how many of each type."""

    size: int
    least: Removal
    most: Removal

    def union(self) -> Removal:
        spare = self.size - sum(self.least)
        return tuple(min(most, least + spare) for least, most in zip(self.least, self.most, strict=True))

    def member(self) -> Removal:
        taken, spare = list(self.least), self.size - sum(self.least)
        room = [most - least for least, most in zip(self.least, self.most, strict=True)]
        total = sum(room)
        for t, free in enumerate(room):
            share = min(free, -(-spare * free // total) if total else 0)
            taken[t] += share
            spare, total = spare - share, total - free
        return tuple(taken)

    def halves(self) -> Sequence[Family]:
        union = self.union()
        widest = max(range(len(union)), key=lambda t: union[t] - self.least[t])
        low, high = self.least[widest], union[widest]
        if low == high:
            return ()
        middle = (low + high) // 2
        first = Boxes(self.size, self.least, _at(union, widest, middle))
        second = Boxes(self.size, _at(self.least, widest, middle + 1), union)
        return tuple(box for box in (first, second) if sum(box.least) <= self.size <= sum(box.most))


def _at(removal: Removal, position: int, value: int) -> Removal:
    return (*removal[:position], value, *removal[position + 1 :])


Settled: TypeAlias = tuple[Bracket, Removal]
_Found: TypeAlias = Largest[float, Removal]
_Region: TypeAlias = Region[float, Removal]


def worst(
    family: Family,
    evaluate: Callable[[Removal], Bracket],
    *,
    settle: Callable[[Family], Settled | None] = lambda _: None,
    bound: Callable[[Family], float] | None = None,
    enough: float | None = None,
    earliest: int = EARLIEST,
    budget: int = BUDGET,
) -> Settled:
    """Delta without the worst member of the family, and a member that attains the lower bound.

    `settle` may judge a whole (small) family at once; `bound` may bound one better than taking out its union. Stops
    when the bracket is within `CLOSE`, when all of it lies on one side of `enough` (after `earliest` evaluations), or
    after `budget` evaluations; the bracket is certified whenever it stops. Once it may stop because it is decided, a
    family is settled only if its bound does not decide it.
    """
    chosen = family.member()
    middle = evaluate(chosen)
    if family.union() == chosen:
        return middle, chosen
    ceiling = bound or (lambda some: evaluate(some.union()).upper)

    def early(found: _Found) -> bool:
        return _spent(found) < earliest

    def halves(some: Family) -> Callable[[_Found], Iterator[_Region]]:
        def split(found: _Found) -> Iterator[_Region]:
            for half in some.halves():
                decides = -1.0 if enough is None or early(found) else enough
                (bracket, member), most = _judged(half, evaluate, settle, ceiling, decides)
                if most is None:
                    yield Region(bracket.upper, (bracket.lower, member))
                else:
                    yield Region(most, (bracket.lower, member), halves(half))

        return split

    def stop(found: _Found) -> bool:
        if enough is not None and not early(found) and (found.upper <= enough or found.lower > enough):
            return True
        return _spent(found) >= budget or found.upper - found.lower <= CLOSE * found.lower or found.settled

    found = largest((middle.lower, chosen), [Region(1.0, split=halves(family))], stop=stop)
    return Bracket(min(found.lower, found.upper), found.upper), found.at


def _spent(found: _Found) -> int:
    """Evaluations: the first member's, then two a family."""
    return 1 + 2 * found.looks


def _judged(
    half: Family,
    evaluate: Callable[[Removal], Bracket],
    settle: Callable[[Family], Settled | None],
    bound: Callable[[Family], float],
    decides: float,
) -> tuple[Settled, float | None]:
    """A member of the family with its bracket, and an upper bound for the family if that is not settled yet. A bound
    that `decides` settles it.
    """
    union, member = half.union(), half.member()
    if union == member:
        return (evaluate(member), member), None
    most = bound(half) if decides >= 0 else None
    if most is not None and most <= decides:
        return (Bracket(0.0, most), member), None
    whole = settle(half)
    if whole is not None:
        return whole, None
    return (evaluate(member), member), bound(half) if most is None else most
