"""Many groups of worlds at once: the worst pair of each group, and the worst group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import final

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses, sticks_above
from dalenius.enclosure.outward import add_up, exponential
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.law import Floats, Law

CLOSE = 1e-12  # relative gap that is not worth another place
FEW = 128  # places up to which a whole curve is taken by sorting


@final
@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """One world for each of many places, on one window: bounds on the masses, a row for each place."""

    upper: Floats
    lower: Floats
    tail: Floats


@final
@dataclass(frozen=True, slots=True, eq=False)
class WorldsCurve(Curve):
    """The worst of all pairs of worlds that share a place (a row), both ways round.

    A law may cover several places: its errors then reach from the least to the largest of their masses. Cost of
    `delta`: O(places · length) for a rough bound on each place, then those that may be the worst one by one.
    """

    laws: tuple[tuple[Law | None, ...], ...]  # [place][world]; None is impossible
    _stacks: tuple[Stack, ...]

    @classmethod
    def of(cls, laws: Sequence[Sequence[Law | None]]) -> "WorldsCurve":
        states = range(len(laws[0]))
        return cls(tuple(map(tuple, laws)), tuple(_stacked([row[a] for row in laws], laws) for a in states))

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.find(epsilon)[0]

    def find(self, epsilon: Fraction) -> tuple[Bracket, int]:
        """delta, and a place that attains its lower bound."""
        most, least = self._bounds(epsilon)
        best, where = Bracket(0.0, 0.0), int(np.argmax(least))
        for turn, place in enumerate([where, *np.argsort(-most).tolist()]):
            if turn and most[place] <= best.upper + CLOSE * best.lower:  # and so are all that follow
                best = Bracket(best.lower, max(best.upper, float(most[place])))
                break
            for one, two in self._pairs(place):
                found = PairCurve(one, two).delta(epsilon)
                where = place if found.lower > best.lower else where
                best = best.join(found)
        return best, where

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """All of them, for one sort a pair, where there are few pairs."""
        if len(self.laws) > FEW:
            return Curve.knots(self, epsilons)
        found = np.zeros(len(epsilons))
        for place in range(len(self.laws)):
            for one, two in self._pairs(place):
                found = np.maximum(found, PairCurve(one, two).knots(epsilons)[1])
        return epsilons, found

    def _pairs(self, place: int) -> Iterator[tuple[Law, Law]]:
        return combinations([law for law in self.laws[place] if law is not None], 2)

    def _bounds(self, epsilon: Fraction) -> tuple[Floats, Floats]:
        """An upper bound on delta at each place, and roughly a lower one."""
        factor, (most, least) = exponential(epsilon)[0], np.zeros((2, len(self.laws)))
        for one, two in permutations(self._stacks, 2):
            found = add_up(sticks_above(one.upper, two.lower, factor), one.tail)
            inside = np.maximum(one.lower - factor * two.upper, 0.0).sum(axis=1)
            possible = (one.upper[:, 0] >= 0) & (two.upper[:, 0] >= 0)
            most, least = np.maximum(most, np.where(possible, found, 0.0)), np.maximum(least, inside * possible)
        return np.asarray(np.minimum(most, 1.0)), least


def _stacked(laws: Sequence[Law | None], everything: Sequence[Sequence[Law | None]]) -> Stack:
    start = min(law.start for row in everything for law in row if law is not None)
    stop = max(law.stop for row in everything for law in row if law is not None)
    upper, lower, tail = (np.full(shape, -1.0) for shape in ((len(laws), stop - start),) * 2 + ((len(laws),),))
    for place, law in enumerate(laws):
        if law is not None:
            mass, error = law.window(start, stop)
            upper[place], lower[place], tail[place] = largest_masses(mass, error), least_masses(mass, error), law.tail
    return Stack(upper, lower, tail)
