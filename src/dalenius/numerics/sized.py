"""One cell of a histogram of a sample whose size is uncertain: the count of the cell and the number outside of it move
together.

With s others in the sample, of law p', and a of them in the person's cell, b = s - a are outside. The rest of the
histogram is taken to be revealed (it is, unless it is hidden too; then this is an upper bound). For each b the label of
a + 1 is compared with that of a, with masses g(a, b) = p'(a + b) P(a | a + b); the sum over b is δ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses, sticks_above, sticks_below
from dalenius.enclosure.outward import (
    add_down,
    add_up,
    difference_down,
    exponential,
    lowered,
    raised,
    times_down,
    times_up,
)
from dalenius.numerics.convolve import trimmed
from dalenius.numerics.curve import Curve
from dalenius.numerics.labels import Codes
from dalenius.numerics.law import Floats, Law

LARGEST = 40_000_000  # masses that are listed
FLOOR = 1e-40  # ends of laws of this mass are left to the tail


@final
@dataclass(frozen=True, slots=True, eq=False)
class SizedCell(Curve):
    """δ(ε) of one cell. Rows: b. Columns: labels of the cell, in the world with the person and in that without.

    Cost: sizes times the width of the cell's law.
    """

    low: Floats  # [world, b, label]
    high: Floats
    tail: float

    @classmethod
    def of(cls, others: Law, inside: Callable[[int], Law], codes: Codes) -> "SizedCell | None":
        """From the law of s, and the law of a given s; None if there are too many masses to list."""
        sizes = trimmed(others, FLOOR)
        laws = [trimmed(inside(s), FLOOR) for s in range(sizes.start, sizes.stop)]
        start, stop = min(law.start for law in laws), max(law.stop for law in laws)
        first = sizes.start - stop + 1
        rows = sizes.stop - start - first
        if rows * (stop - start) > LARGEST:
            return None
        low, high = np.zeros((2, rows, stop - start))
        tail = sizes.tail
        for place, law in enumerate(laws):
            mass, error = law.window(start, stop)
            weight, slip = float(sizes.mass[place]), float(sizes.error[place])
            tail = add_up(tail, times_up(add_up(weight, slip), law.tail))
            where = sizes.start + place - np.arange(start, stop) - first
            columns = np.arange(stop - start)
            low[where, columns] = times_down(least_masses(mass, error), max(0.0, add_down(weight, -slip)))
            high[where, columns] = times_up(largest_masses(mass, error), add_up(weight, slip))
        counts = np.arange(start, stop)
        worlds = [codes(counts + 1), codes(counts)]
        base, size = int(worlds[1].min()), int(worlds[0].max()) - int(worlds[1].min()) + 1
        # each label adds up as many masses as there are counts, at most, one after the other
        return cls(
            lowered(np.array([_gathered(low, places - base, size) for places in worlds]), len(counts)),
            raised(np.array([_gathered(high, places - base, size) for places in worlds]), len(counts)),
            tail,
        )

    def delta(self, epsilon: Fraction) -> Bracket:
        forth, back = self.directed(epsilon, 0), self.directed(epsilon, 1)
        return forth.join(back)

    def directed(self, epsilon: Fraction, world: int) -> Bracket:
        """How far this world (0: with the person) exceeds e^ε times the other."""
        least, most = exponential(epsilon)
        upper = add_up(float(sticks_above(self.high[world].ravel(), self.low[1 - world].ravel(), least)), self.tail)
        below = float(sticks_below(self.low[world].ravel(), self.high[1 - world].ravel(), most))
        # what lies in neither window may belong to the event: it adds at most e^ε times the tail to the other world
        lower = difference_down(below, times_up(most, self.tail))
        return Bracket(min(max(0.0, lower), 1.0), min(1.0, max(upper, lower)))


def _gathered(masses: Floats, places: np.ndarray[tuple[int], np.dtype[np.int64]], size: int) -> Floats:
    """The masses of each label: places ascend, so that each label is a run of columns."""
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 1))
    found = np.zeros((masses.shape[0], size))
    found[:, places[starts]] = np.add.reduceat(masses, starts, axis=1)
    return found
