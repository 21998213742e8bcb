"""Thousands of binomial totals at once, each against itself moved by one: the cells of a large table of counts."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.outward import add_up, exponential
from dalenius.enclosure.rows import (
    LawRows,
    binomial_rows,
    noisy_rise,
    rise,
    rise_below,
    rounded_rise,
    trimmed,
    with_geometric,
)
from dalenius.numerics.law import Floats, Law

POINTS = 2_000_000  # of a block of rows that is taken at once
ALIKE = 1.25  # rows whose widths differ by no more than this factor are taken together


@final
@dataclass(frozen=True, slots=True, eq=False)
class Binomials:
    """Rows: the number of heads of counts[i] coins that fall with odds[i] = p / (1 - p), each odds known within one
    unit.

    `tail` is the probability that a row may leave out, in powers of e. Every function returns an array, one bound a
    row. Cost: counts' standard deviations times about ten to twenty, for each row, in compiled loops.
    """

    counts: NDArray[np.int64]
    odds: Floats
    tail: float = 40.0

    def exact(self, epsilon: Fraction) -> tuple[Floats, Floats]:
        """Lower and upper bounds of δ where the total itself is published, both directions."""
        low, high = np.zeros(len(self.counts)), np.ones(len(self.counts))
        least, most = exponential(epsilon)
        for rows, block in self._blocks(0):
            padded = np.pad(block.mass, ((0, 0), (1, 1)))
            high[rows] = add_up(rise(padded, block.slip, least), block.lost)
            low[rows] = rise_below(block.mass, block.slip, most)
        return np.clip(np.nan_to_num(low), 0.0, 1.0), _at_most_one(high)

    def geometric(self, epsilon: Fraction, scale: Fraction) -> Floats:
        """Upper bounds of δ with two-sided geometric noise: two recursions in which all terms are positive."""
        step = float(scale)
        if epsilon >= 1 / scale:
            return np.zeros(len(self.counts))
        more = math.ceil(self.tail * step) + 1
        high, (least, _) = np.ones(len(self.counts)), exponential(epsilon)
        for rows, block in self._blocks(more):
            smooth = with_geometric(block, step, more)
            high[rows] = add_up(rise(smooth.mass, smooth.slip, least), smooth.lost)
        return _at_most_one(high)

    def noisy(self, epsilon: Fraction, noise: Law) -> Floats:
        """Upper bounds of δ with noise of any law, by direct convolution."""
        high, (least, _) = np.ones(len(self.counts)), exponential(epsilon)
        _, masses, lost = trimmed(noise.balls, math.exp(-self.tail) / len(noise.mass))
        tail = add_up(noise.tail, lost)
        for rows, block in self._blocks(len(masses)):
            high[rows] = noisy_rise(block, masses, tail, least)
        return _at_most_one(high)

    def rounded(self, epsilon: Fraction, base: int, anywhere: NDArray[np.bool_]) -> Floats:
        """Upper bounds of δ where the total is rounded to the nearest multiple of the base, half up: as it is, or where
        `anywhere`, after being moved by any number that is known.
        """
        high, (least, _) = np.zeros(len(self.counts)), exponential(epsilon)
        for rows, block in self._blocks(base):
            for offset in range(base):
                some = np.flatnonzero(anywhere[rows] | ((block.start + base // 2) % base == offset))
                if len(some):
                    found = rounded_rise(block, some, offset, base, least)
                    high[rows[some]] = np.maximum(high[rows[some]], found)
        return _at_most_one(high)

    def _blocks(self, more: int) -> Iterator[tuple[NDArray[np.int64], LawRows]]:
        """Rows of similar width, with their masses: each within a relative slip, and what they leave out."""
        chance = self.odds / (1 + self.odds)
        spread = self.counts * chance / (1 + self.odds)
        half = np.ceil(self.tail / 3 + np.sqrt((self.tail / 3) ** 2 + 2 * self.tail * spread)).astype(np.int64) + 2
        order = np.argsort(half, kind="stable")
        start = 0
        while start < len(order):
            width = int(half[order[start]])
            number = max(1, POINTS // (2 * width + 1 + 2 * more))
            similar = int(np.searchsorted(half[order], ALIKE * width, side="right"))
            rows = order[start : min(start + number, max(similar, start + 1))]
            counts = self.counts[rows].astype(float)
            yield rows, binomial_rows(counts, self.odds[rows], chance[rows], int(half[rows].max()))
            start += len(rows)


def _at_most_one(bounds: Floats) -> Floats:
    """Bounds of probabilities; where a window was too narrow to say anything, 1."""
    return np.asarray(np.minimum(np.nan_to_num(bounds, nan=1.0), 1.0))
