"""Probabilities of many intervals under one law, with relative errors in both tails."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.enclosure.outward import add_up, lowered, raised, running_down, running_up, sum_down, sum_up
from dalenius.numerics.law import Floats, Law

SHORT = 64  # intervals up to this length are added up term by term
FAR = 2**62  # totals below this are subtracted in 64 bits
Places = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Sums of masses from the left and from the right, as lower and upper bounds.

    An interval's probability is a difference of two sums from the left, or of two from the right, or its own sum if it
    is short; the best of these is taken. Far out on the left the sums from the left are small, so that little cancels.
    Running sums have twice the room that they need, and so a unit to spare for their difference.
    """

    law: Law
    least: Floats  # masses, bounded from below and above
    most: Floats
    left: tuple[Floats, Floats]  # bounds on P(start <= K < start + i)
    right: tuple[Floats, Floats]  # bounds on P(start + i <= K < stop)

    @classmethod
    def of(cls, law: Law) -> "Intervals":
        least, most = least_masses(law.mass, law.error), largest_masses(law.mass, law.error)
        left = _running(least, most)
        right = _running(least[::-1], most[::-1])
        return cls(law, least, most, left, (right[0][::-1], right[1][::-1]))

    def between(self, lows: Places, highs: Places) -> tuple[Floats, Floats]:
        """Lower and upper bounds on P(low <= K < high) for each pair. Cost O(pairs)."""
        low, high = (self._places(at) for at in (lows, highs))
        high = np.maximum(low, high)
        lower, upper = np.zeros(len(low)), np.full(len(low), np.inf)
        for (few, many), first, last in ((self.left, high, low), (self.right, low, high)):
            lower = np.maximum(lower, few[first] - many[last])
            upper = np.minimum(upper, many[first] - few[last])
        short = high - low <= SHORT
        for place in np.flatnonzero(short) if np.count_nonzero(short) < SHORT else ():
            span = slice(int(low[place]), int(high[place]))
            lower[place] = max(lower[place], float(sum_down(self.least[span])))
            upper[place] = min(upper[place], float(sum_up(self.most[span])))
        if np.count_nonzero(short) >= SHORT:
            few, many = self._added(low[short], high[short])
            lower[short], upper[short] = np.maximum(lower[short], few), np.minimum(upper[short], many)
        beyond = (lows < self.law.start) | (highs > self.law.stop)
        return lower, np.where(
            beyond & (highs > lows), add_up(np.maximum(upper, 0.0), self.law.tail), np.maximum(upper, 0.0)
        )

    def _places(self, at: Places) -> Places:
        """Where these totals lie in the window; its ends for those beyond it. Neither overflows."""
        first, size = self.law.start, len(self.least)
        if max(abs(first), abs(first + size)) < FAR:
            return np.clip(at, first, first + size) - first
        return np.array([min(max(int(one) - first, 0), size) for one in at], dtype=np.int64)

    def _added(self, low: Places, high: Places) -> tuple[Floats, Floats]:
        """Short intervals, term by term."""
        lower, upper = np.zeros(len(low)), np.zeros(len(low))
        for step in range(int((high - low).max(initial=0))):
            here = low + step < high
            at = np.where(here, low + step, 0)
            lower += np.where(here, self.least[at], 0.0)
            upper += np.where(here, self.most[at], 0.0)
        return lowered(lower, SHORT), raised(upper, SHORT)


def _running(least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Bounds on the sums of the first 0, 1, ... masses."""
    return np.concatenate([[0.0], running_down(least)]), np.concatenate([[0.0], running_up(most)])
