r"""All histograms of n independent records over a few cells, with their probabilities.

$$ P(h) = \frac{n!}{\prod_a h_a!} \prod_a p_a^{h_a} $$

Certified. Logarithms of factorials come from the whole numbers themselves or from Stirling's series, so every term of
ln P errs by a few units of its own size; the exponential turns that into a relative error. Where there are too many
histograms, those far from the mean are left out, and their mass (Bernstein) is charged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.enclosure.balls import PI, Balls, choose, gathered, joined, log_of
from dalenius.enclosure.outward import add_up
from dalenius.numerics.law import Floats

LONGEST = 100_000  # records
LISTED = 256  # factorials that are written out
LEFT_OUT = 1e-18  # the mass that windows leave out
MOST = 6_000_000  # histograms
Counts = NDArray[np.int64]


def how_many(total: int, cells: int) -> int:
    """The number of histograms of so many records."""
    return math.comb(total + cells - 1, cells - 1)


def histograms(total: int, cells: int) -> Counts:
    """Every way to spread `total` records over the cells, a row each.

    >>> histograms(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    require(how_many(total, cells) <= MOST, f"at most {MOST} histograms", got=how_many(total, cells))
    rows, left = np.zeros((1, 0), dtype=np.int64), np.array([total], dtype=np.int64)
    for _ in range(cells - 1):
        counts = left + 1
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        here = np.arange(int(counts.sum())) - starts
        rows, left = np.column_stack([np.repeat(rows, counts, axis=0), here]), np.repeat(left, counts) - here
    return np.column_stack([rows, left])


@lru_cache(maxsize=4)
def log_factorials(most: int) -> Balls:
    """Logarithms of 0!, 1!, ..., most!, from 256 on by Stirling's series, whose next term is below 1e-15."""
    found = joined([log_of(Fraction(math.factorial(k))).reshape(1) for k in range(min(most, LISTED) + 1)])
    if most <= LISTED:
        return found
    n = Balls.of(np.arange(LISTED + 1, most + 1, dtype=float))
    series = 1 / (12 * n) - 1 / (360 * n**3)
    return joined([found, (n * n.log() - n + (n.log() + (2 * PI).log()) / 2 + series).widened(1e-15)])


def near(chances: Sequence[Fraction], total: int) -> tuple[list[tuple[int, int]], float]:
    """For each cell the counts that matter, from and up to; and a bound on the mass of all other histograms.

    Bernstein: P(|h - np| >= t) <= 2 exp(-t² / (2 (np(1 - p) + t/3))).
    """
    size = math.log(2 * len(chances) / LEFT_OUT)
    found = []
    for chance in chances:
        mean, variance = float(total * chance), float(total * chance * (1 - chance))
        reach = size / 3 + math.sqrt(size * size / 9 + 2 * size * variance)
        # both ends are rounded outwards by up to one, and the next count counts: more than the reach may be off
        found.append((max(0, math.floor(mean - reach)), min(total, math.ceil(mean + reach)) + 1))
    return found, 0.0 if all(ends == (0, total + 1) for ends in found) else LEFT_OUT


def windowed(chances: Sequence[Fraction], total: int) -> tuple[Counts, float]:
    """The histograms near the mean, and a bound on the mass of the others."""
    ends, missing = near(chances, total)
    axes = np.meshgrid(*(np.arange(low, high) for low, high in ends[:-1]), indexing="ij")
    rows = np.column_stack([axis.ravel() for axis in axes])
    last = total - rows.sum(axis=1)
    kept = (last >= ends[-1][0]) & (last < ends[-1][1])
    return np.column_stack([rows[kept], last[kept]]).astype(np.int64), missing


@final
@dataclass(frozen=True, slots=True, eq=False)
class Multinomial:
    """Histograms of independent records of one law, with bounds on their probabilities."""

    rows: Counts
    least: Floats
    most: Floats
    missing: float = 0.0  # a bound on the mass of the histograms that are not listed

    @classmethod
    def of(
        cls, chances: Sequence[Fraction], total: int, rows: Counts | None = None, missing: float = 0.0
    ) -> "Multinomial":
        """Cost O(histograms · cells)."""
        require(total <= LONGEST, f"at most {LONGEST} records for histograms", got=total)
        found = histograms(total, len(chances)) if rows is None else rows
        logs = log_factorials(total)
        value = Balls.of(np.zeros(len(found))) + logs[total]
        possible = np.ones(len(found), dtype=bool)
        for counts, chance in zip(found.T, chances, strict=True):
            value = value - logs[counts]
            if chance == 0:
                possible &= counts == 0
            else:
                value = value + log_of(chance) * counts
        mass = choose(possible, value.exp(), 0.0)
        return cls(found, mass.positive, mass.upper, missing)

    def joint(self, first: Counts, second: Counts, outputs: int) -> tuple[Floats, Floats]:
        """Bounds on P(first = s, second = t), where both are functions of the histogram, given for each row."""
        place, shape = first * outputs + second, (1, outputs, outputs)
        least, most = (
            gathered(Balls.of(masses), place, outputs**2).reshape(*shape) for masses in (self.least, self.most)
        )
        return least.positive, np.minimum(add_up(most.upper, self.missing), 1.0)
