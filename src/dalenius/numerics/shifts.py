"""A sum against itself moved by each of many shifts, by branch and bound over ranges of shifts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import excess_above, least_masses
from dalenius.enclosure.outward import add_up, amply_up, exponential, total_up
from dalenius.numerics.curve import Curve, PairCurve, Supremum
from dalenius.numerics.divergence import hockey_sticks
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.losses import Losses, losses_of

CLOSE = 1e-12  # relative gap at which the search stops
MOST_WORK = 2_000_000_000  # points that are gone through at most; the bracket is certified whenever that stops it
FEW = 4  # shifts that are simply gone through
BLOCK = 1 << 15  # points whose masses are compared at once: so many stay near the processor
STRETCH = 1 << 18  # points that are filtered at once, for the same reason


@final
@dataclass(frozen=True, slots=True, eq=False)
class ShiftCurve(Curve):
    """A sum against itself moved by each of several shifts, both ways round: what one person's
    values do to an exact total.

    A range of shifts a to b is bounded by putting, in place of the moved law, the least mass within a to b steps:
    where the law rises and falls once that is the law moved by b itself, so thousands of shifts cost as much as a few.
    Cost of `delta`: O(length) a range; at worst twice as many ranges as shifts.
    """

    law: Law
    shifts: tuple[int, ...]
    only: bool = False  # whether it is a law of uncertain records, and not of dice
    _lowest: list[Floats] = field(default_factory=list, repr=False, init=False)  # the least its masses may be

    def __post_init__(self) -> None:
        """Both ways round, so the sign of a shift does not matter; ranges need them in order."""
        object.__setattr__(self, "shifts", tuple(sorted({abs(shift) for shift in self.shifts} - {0})))

    @property
    def alone(self) -> bool:
        return self.only

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.worst(epsilon)[0]

    def worst(self, epsilon: Fraction) -> tuple[Bracket, int]:
        """delta, and a shift that attains its lower bound."""
        whole = (0, len(self.shifts))
        if len(self.shifts) <= FEW:
            found = largest((0.0, 0), (self._one(shift, epsilon) for shift in self.shifts), stop=lambda _: True)
            return Bracket(found.lower, found.upper), found.at
        budget = max(FEW, MOST_WORK // len(self.law.mass))

        def stop(found: Largest[float, int]) -> bool:
            near = found.open <= found.closed or found.open - found.lower <= CLOSE * found.lower
            return near or found.lower == 1.0 or found.splits >= budget

        found = largest((0.0, 0), [self._one(self.shifts[-1], epsilon), self._range(whole, epsilon)], stop=stop)
        return Bracket(found.lower, found.upper), found.at

    def _one(self, shift: int, epsilon: Fraction) -> Region[float, int]:
        delta = self._pair(shift).delta(epsilon)
        return Region(delta.upper, (delta.lower, shift))

    def _range(self, part: tuple[int, int], epsilon: Fraction) -> Region[float, int]:
        def halves(_: Largest[float, int]) -> Iterator[Region[float, int]]:
            """Of each half its largest shift, which is likely to be the worst, and then the whole of it."""
            middle = (part[0] + part[1]) // 2
            for half in ((part[0], middle), (middle, part[1])):
                yield self._one(self.shifts[half[1] - 1], epsilon)
                if half[1] - half[0] > 1:
                    yield self._range(half, epsilon)

        return Region(self._most(part, epsilon), split=halves)

    @property
    def pure_level(self) -> Fraction | None:
        return Supremum(tuple(map(self._pair, self.shifts))).pure_level if len(self.shifts) <= FEW else None

    def losses(self) -> Losses | None:
        """Of a symmetric law and one shift: mirrored, the pair is the same the other way round."""
        law = self.law
        mirrored = (law.mass == law.mass[::-1]).all() and (law.error == law.error[::-1]).all()
        return losses_of(law, law.shifted(self.shifts[0])) if mirrored and len(self.shifts) == 1 else None

    def _pair(self, shift: int) -> PairCurve:
        return PairCurve(self.law, self.law.shifted(shift))

    def _most(self, part: tuple[int, int], epsilon: Fraction) -> float:
        """An upper bound on delta for all the shifts of a range."""
        ahead, behind = self._least(part)
        law, factor, exact = self.law.balls, exponential(epsilon)[0], np.broadcast_to(0.0, ahead.shape)
        blocks = [slice(at, at + BLOCK) for at in range(0, len(ahead), BLOCK)]
        forth, back = (
            total_up(excess_above(law[some], Balls(least[some], exact[some]), factor) for some in blocks)
            for least in (behind, ahead)
        )
        return min(1.0, add_up(max(forth, back), self.law.tail))

    def _least(self, part: tuple[int, int]) -> tuple[Floats, Floats]:
        """Lower bounds on the masses of the moved law at each point of the law, moved up and moved down."""
        low, high = self.shifts[part[0]], self.shifts[part[1] - 1]
        if not self._lowest:
            self._lowest.append(least_masses(self.law.mass, self.law.error))
        (masses,) = self._lowest
        return sliding_least(masses, low, high), sliding_least(masses[::-1], low, high)[::-1]

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """One bound for all shifts where that is as good as the largest shift's own, else one by one."""
        if len(self.shifts) > FEW:
            ahead, behind = (
                Law(self.law.start, masses, np.zeros_like(masses)) for masses in self._least((0, len(self.shifts)))
            )
            whole = np.maximum(hockey_sticks(self.law, ahead, epsilons), hockey_sticks(self.law, behind, epsilons))
            last = self._pair(self.shifts[-1]).knots(epsilons)[1]
            if np.all(whole <= amply_up(last)) or len(self.shifts) * len(self.law.mass) > MOST_WORK:
                return epsilons, whole
        values = [self._pair(shift).knots(epsilons)[1] for shift in self.shifts] or [np.zeros(len(epsilons))]
        return epsilons, np.max(values, axis=0)


def sliding_least(masses: Floats, low: int, high: int) -> Floats:
    """At each k the least of masses[k + low .. k + high], nothing being there beyond the end. Cost O(length).

    >>> sliding_least(np.array([5.0, 3.0, 4.0, 1.0, 2.0]), 1, 2)
    array([3., 1., 1., 0., 0.])
    """
    size, length = len(masses), high - low + 1
    inside = size - high  # places from which the whole range is within the law
    if inside <= 0:
        return np.zeros(size)
    found = np.empty(size)
    found[inside:] = 0.0
    if length == 1:
        found[:inside] = masses[low : low + inside]
        return found
    from scipy.ndimage import minimum_filter1d

    for at in range(0, inside, STRETCH):
        part = masses[low + at : min(high + at + STRETCH, size)]  # what these places look at
        # the filter's window of `length` points around k begins `length // 2` points before it
        least = minimum_filter1d(part, length, origin=-(length // 2), mode="nearest")
        places = found[at : min(at + STRETCH, inside)]
        places[:] = least[: len(places)]
    return found
