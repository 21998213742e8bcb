"""A curve averaged over a random number of records, and the least of several upper bounds."""

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import mass_above, mass_below
from dalenius.enclosure.outward import add_up, float_up, times_down, times_up, total_down, total_up
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import hockey_stick
from dalenius.numerics.law import Floats, Law

CLOSE = 1e-2  # relative gap at which blocks are no longer split
BUDGET = 300  # curves looked at for one epsilon, at most; the bracket is certified whenever that stops it
NEGLIGIBLE = 1e-60  # a mean that is not worth a closer look

_Block: TypeAlias = tuple[float, int, tuple[int, int], tuple[float, float]]  # minus its gap, a number, its K, its part


@final
@dataclass(frozen=True, slots=True, eq=False)
class Mixing(Curve):
    """E δ_K(ε), where `counts` is the law of K and `at(k)` the curve of k records, which falls with k.

    A block a ≤ K < b of probability w adds between w δ_(b-1) and w δ_a. Blocks are split in the middle, the one that
    leaves most open first, until they leave less than `close` of the whole, or the whole is safely below `enough`.
    Masses enter with their errors, and the tail of K counts as δ = 1; so also a mean of 1e-50 comes out with correct
    digits. Cost: one law for each end of a block, remembered for the next ε.
    """

    counts: Law
    at: Callable[[int], Curve]
    close: float = CLOSE
    enough: Fraction | None = None
    budget: int = BUDGET
    _curves: dict[int, Curve] = field(default_factory=dict, repr=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        deltas: dict[int, Bracket] = {}
        order = itertools.count()
        waiting = [self._block((0, len(self.counts.mass)), epsilon, deltas, next(order))]
        while waiting and len(deltas) < self.budget and self._open(waiting):
            _, _, (start, stop), _ = heapq.heappop(waiting)
            middle = (start + stop) // 2
            for part in ((start, middle), (middle, stop)):
                heapq.heappush(waiting, self._block(part, epsilon, deltas, next(order)))
        upper = add_up(total_up(part[1] for _, _, _, part in waiting), self.counts.tail)
        lower = min(total_down(part[0] for _, _, _, part in waiting), 1.0)
        return Bracket(lower, min(1.0, max(lower, upper)))

    def _open(self, waiting: list[_Block]) -> bool:
        whole = math.fsum(part[1] for _, _, _, part in waiting)
        widest = waiting[0][2]
        if whole <= max(NEGLIGIBLE, float(self.enough or 0) / 2):
            return False
        return widest[1] - widest[0] > 1 and -math.fsum(gap for gap, _, _, _ in waiting) > self.close * whole

    def _block(self, part: tuple[int, int], epsilon: Fraction, deltas: dict[int, Bracket], number: int) -> _Block:
        start, stop = part
        first, last = self._delta(start, epsilon, deltas), self._delta(stop - 1, epsilon, deltas)
        masses = self.counts.balls[start:stop]
        most, least = times_up(mass_above(masses), first.upper), times_down(mass_below(masses), last.lower)
        gap = most - least if stop - start > 1 else 0.0
        return -gap, number, part, (least, most)

    def _delta(self, place: int, epsilon: Fraction, deltas: dict[int, Bracket]) -> Bracket:
        if place not in deltas:
            if place not in self._curves:
                self._curves[place] = self.at(self.counts.start + place)
            deltas[place] = self._curves[place].delta(epsilon)
        return deltas[place]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ahead(Curve):
    """A law against itself moved by `move`, in this direction only: means over K are taken before the worse of the
    two directions is.
    """

    law: Law
    move: int

    def delta(self, epsilon: Fraction) -> Bracket:
        return hockey_stick(self.law, self.law.shifted(self.move), epsilon=epsilon)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Guarded(Curve):
    """The least of several upper bounds, above the largest of several lower bounds; 0 from ε = `pure` on, if given."""

    above: tuple[Curve, ...]
    below: tuple[Curve, ...] = ()
    pure: Fraction | None = None

    @property
    def alone(self) -> bool:
        return any(curve.alone for curve in (*self.above, *self.below))

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.pure is not None and epsilon >= self.pure:
            return Bracket(0.0, 0.0)
        found = {id(curve): curve.delta(epsilon) for curve in (*self.above, *self.below)}
        upper = min((found[id(curve)].upper for curve in self.above), default=1.0)
        lower = max((found[id(curve)].lower for curve in self.below), default=0.0)
        return Bracket(min(lower, upper), upper)

    @property
    def pure_level(self) -> Fraction | None:
        """Where one of the upper bounds is 0, all is."""
        levels = [level for level in (self.pure, *(curve.pure_level for curve in self.above)) if level is not None]
        return min(levels, default=None)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        if not self.above:
            return epsilons, np.ones(len(epsilons))
        if len(self.above) == 1 and self.pure is None:
            return self.above[0].knots(epsilons)
        values = np.min([curve.uppers(epsilons) for curve in self.above], axis=0)
        return epsilons, values if self.pure is None else np.where(epsilons >= _above(self.pure), 0.0, values)

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        """One bound that is small enough will do."""
        if self.pure is not None and epsilon >= self.pure:
            return Bracket(0.0, 0.0)
        least = 1.0
        for curve in self.above:
            least = min(least, curve.delta_until(epsilon, enough).upper)
            if Fraction(least) <= enough:
                break
        return Bracket(0.0, least)

    def roughly(self, epsilon: Fraction) -> float:
        return min((curve.roughly(epsilon) for curve in self.above), default=1.0)

    @property
    def heavy(self) -> bool:
        return any(curve.heavy for curve in self.above)


def _above(level: Fraction) -> float:
    """A float that is no smaller."""
    return float_up(level)
