"""A sum against itself moved by each of many shifts, by branch and bound over ranges of shifts."""

import heapq
import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.numerics.bracket import Bracket
from dalenius.numerics.curve import Curve, PairCurve, Supremum
from dalenius.numerics.divergence import excess, hockey_sticks, largest_masses, least_masses
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.losses import Losses, losses_of

CLOSE = 1e-12  # relative gap at which the search stops
MOST_WORK = 2_000_000_000  # points that are gone through at most; the bracket is certified whenever that stops it
FEW = 4  # shifts that are simply gone through


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
        found = _Largest()
        if len(self.shifts) <= FEW:
            for shift in self.shifts:
                found.see(self._pair(shift).delta(epsilon), shift)
            return found.bracket, found.shift
        found.see(self._pair(self.shifts[-1]).delta(epsilon), self.shifts[-1])
        whole = (0, len(self.shifts))
        waiting, order = [(-self._most(whole, epsilon), 0, whole)], itertools.count(1)
        budget = max(FEW, MOST_WORK // len(self.law.mass))
        while waiting and budget and not found.settles(-waiting[0][0]):
            _, _, (first, stop) = heapq.heappop(waiting)
            middle, budget = (first + stop) // 2, budget - 1
            for part in ((first, middle), (middle, stop)):
                shift = self.shifts[part[1] - 1]
                found.see(self._pair(shift).delta(epsilon), shift)
                if part[1] - part[0] > 1:
                    heapq.heappush(waiting, (-self._most(part, epsilon), next(order), part))
        ceiling = -waiting[0][0] if waiting else 0.0
        return Bracket(found.bracket.lower, max(found.bracket.upper, ceiling)), found.shift

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
        masses = largest_masses(self.law.mass, self.law.error)
        forth, back = excess(masses, behind, epsilon), excess(masses, ahead, epsilon)
        return min(1.0, float(np.nextafter(max(forth, back) + self.law.tail, np.inf)))

    def _least(self, part: tuple[int, int]) -> tuple[Floats, Floats]:
        """Lower bounds on the masses of the moved law at each point of the law, moved up and moved down."""
        low, high = self.shifts[part[0]], self.shifts[part[1] - 1]
        masses = least_masses(self.law.mass, self.law.error)
        return sliding_least(masses, low, high), sliding_least(masses[::-1], low, high)[::-1]

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """One bound for all shifts where that is as good as the largest shift's own, else one by one."""
        if len(self.shifts) > FEW:
            ahead, behind = (
                Law(self.law.start, masses, np.zeros_like(masses)) for masses in self._least((0, len(self.shifts)))
            )
            whole = np.maximum(hockey_sticks(self.law, ahead, epsilons), hockey_sticks(self.law, behind, epsilons))
            last = self._pair(self.shifts[-1]).knots(epsilons)[1]
            if np.all(whole <= last * (1 + 1e-9)) or len(self.shifts) * len(self.law.mass) > MOST_WORK:
                return epsilons, whole
        values = [self._pair(shift).knots(epsilons)[1] for shift in self.shifts] or [np.zeros(len(epsilons))]
        return epsilons, np.max(values, axis=0)


def sliding_least(masses: Floats, low: int, high: int) -> Floats:
    """At each k the least of masses[k + low .. k + high], nothing being there beyond the end. Cost O(length).

    >>> sliding_least(np.array([5.0, 3.0, 4.0, 1.0, 2.0]), 1, 2)
    array([3., 1., 1., 0., 0.])
    """
    size, length = len(masses), high - low + 1
    found = np.zeros(size)
    inside = size - high  # places from which the whole range is within the law
    if inside > 0:
        from scipy.ndimage import minimum_filter1d

        part = masses[low:]
        # the filter's window of `length` points around k begins `length // 2` points before it
        least = minimum_filter1d(part, length, origin=-(length // 2), mode="nearest") if length > 1 else part
        found[:inside] = least[:inside]
    return found


@dataclass(slots=True)
class _Largest:
    """The largest delta so far, and where."""

    bracket: Bracket = field(default_factory=lambda: Bracket(0.0, 0.0))
    shift: int = 0

    def see(self, bracket: Bracket, shift: int) -> None:
        if bracket.lower > self.bracket.lower:
            self.shift = shift
        self.bracket = self.bracket.join(bracket)

    def settles(self, ceiling: float) -> bool:
        """Whether what is below the ceiling may stay unknown."""
        return self.bracket.lower == 1.0 or ceiling <= max(self.bracket.upper, self.bracket.lower * (1 + CLOSE))
