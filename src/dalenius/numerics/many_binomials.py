"""Thousands of binomial totals at once, each against itself moved by one: the cells of a large table of counts."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import LIBM, RAISED, TINY, UNIT, pairwise
from dalenius.enclosure.outward import exponential
from dalenius.numerics.law import Floats, Law

POINTS = 2_000_000  # of a block of rows that is taken at once
Block: TypeAlias = tuple[Floats, Floats, Floats, NDArray[np.int64]]  # masses, slips, what is left out, first places
SLACK = 1e-14  # relative, for sums and products of masses that are themselves bounds; twice what they lose


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
            mass, slip, lost, _ = block
            padded = np.pad(mass, ((0, 0), (1, 1)))
            high[rows] = _upper(padded, slip, least) + lost
            low[rows] = _lower(mass, slip, most) - most * mass.shape[1] * TINY
        return np.clip(np.nan_to_num(low), 0.0, 1.0), _at_most_one(high)

    def geometric(self, epsilon: Fraction, scale: Fraction) -> Floats:
        """Upper bounds of δ with two-sided geometric noise: two recursions in which all terms are positive."""
        step = float(scale)
        if epsilon >= 1 / scale:
            return np.zeros(len(self.counts))
        x = math.exp(-1 / step)
        weight = -math.expm1(-1 / step) / (1 + x)
        more = math.ceil(self.tail * step) + 1
        beyond = 2 * math.exp(-more / step) * RAISED
        high, (least, _) = np.ones(len(self.counts)), exponential(epsilon)
        for rows, (mass, slip, lost, _) in self._blocks(more):
            units = (4 * (mass.shape[1] + 2 * more) + 8 * LIBM + 2 * more * (1 / step + LIBM)) * UNIT
            smooth = weight * _both_ways(np.pad(mass, ((0, 0), (more, more))), x)
            high[rows] = _upper(smooth, slip + units * RAISED, least) + lost + beyond
        return _at_most_one(high)

    def noisy(self, epsilon: Fraction, noise: Law) -> Floats:
        """Upper bounds of δ with noise of any law, by direct convolution."""
        high, (least, _) = np.ones(len(self.counts)), exponential(epsilon)
        noise = _trimmed(noise, math.exp(-self.tail) / len(noise.mass))
        for rows, (mass, slip, lost, _) in self._blocks(len(noise.mass)):
            above = np.zeros((mass.shape[0], mass.shape[1] + len(noise.mass) + 1))
            below = np.zeros_like(above)
            for place, (chance, error) in enumerate(zip(noise.mass.tolist(), noise.error.tolist(), strict=True)):
                above[:, place + 1 : place + 1 + mass.shape[1]] += (chance + error) * mass
                below[:, place + 1 : place + 1 + mass.shape[1]] += max(0.0, chance - error) * mass
            units = slip + (len(noise.mass) + 4) * UNIT * RAISED
            high[rows] = _upper(above, units, least, below) + (lost + noise.tail) * RAISED
        return _at_most_one(high)

    def rounded(self, epsilon: Fraction, base: int, anywhere: NDArray[np.bool_]) -> Floats:
        """Upper bounds of δ where the total is rounded to the nearest multiple of the base, half up: as it is, or where
        `anywhere`, after being moved by any number that is known.
        """
        high, (least, _) = np.zeros(len(self.counts)), exponential(epsilon)
        for rows, (mass, slip, lost, start) in self._blocks(base):
            units = slip[:, None] + (base + 4) * UNIT * RAISED  # a sum, and less than four units of products
            for offset in range(base):
                some = np.flatnonzero(anywhere[rows] | ((start + base // 2) % base == offset))
                if not len(some):
                    continue
                first, second = (_binned(mass[some], offset + moved, base) for moved in (0, 1))
                for one, other in ((first, second), (second, first)):
                    apart = one * (1 + units[some]) - least * other * (1 - units[some])
                    found = np.maximum(apart, 0.0).sum(axis=1) * (1 + SLACK) + lost[some]
                    high[rows[some]] = np.maximum(high[rows[some]], found)
        return _at_most_one(high)

    def _blocks(self, more: int) -> Iterator[tuple[NDArray[np.int64], Block]]:
        """Rows of similar width, with their masses: each within a relative slip, and what they leave out."""
        chance = self.odds / (1 + self.odds)
        spread = self.counts * chance / (1 + self.odds)
        half = np.ceil(self.tail / 3 + np.sqrt((self.tail / 3) ** 2 + 2 * self.tail * spread)).astype(np.int64) + 2
        order = np.argsort(half, kind="stable")
        start = 0
        while start < len(order):
            width = int(half[order[start]])
            number = max(1, POINTS // (2 * width + 1 + 2 * more))
            similar = int(np.searchsorted(half[order], 1.25 * width, side="right"))
            rows = order[start : min(start + number, max(similar, start + 1))]
            yield rows, self._masses(rows, int(half[rows].max()), chance)
            start += len(rows)

    def _masses(self, rows: NDArray[np.int64], half: int, chance: Floats) -> Block:
        """Running products from near the mode, divided by their sum; beyond the window masses fall geometrically.

        P(k) / P(k-1) = (m+1-k) / k · odds, within three units; d steps err by 4d units.
        """
        count, odds = self.counts[rows, None].astype(float), self.odds[rows, None]
        mode = np.minimum(np.floor((count + 1) * chance[rows, None]), count)
        steps = np.arange(1, half + 1, dtype=float)[None, :]
        up_to, down_to = mode + steps, mode + 1 - steps
        rise = np.maximum(count + 1 - up_to, 0.0) / up_to * odds
        fall = np.maximum(down_to, 0.0) / (count + 1 - down_to) / odds
        above, below = np.cumprod(rise, axis=1), np.cumprod(fall, axis=1)
        weight = np.concatenate([below[:, ::-1], np.ones_like(mode), above], axis=1)
        total = weight.sum(axis=1)
        out = _beyond(above, rise) + _beyond(below, fall)
        slip = (8 * half + pairwise(weight.shape[1]) + 16) * UNIT * RAISED + out / total * RAISED
        start = mode[:, 0].astype(np.int64) - half
        # products below TINY may have lost their digits: they are charged as if they were not there
        return weight / total[:, None], slip, out / total * RAISED + weight.shape[1] * TINY, start


def _at_most_one(bounds: Floats) -> Floats:
    """Bounds of probabilities; where a window was too narrow to say anything, 1."""
    return np.asarray(np.minimum(np.nan_to_num(bounds, nan=1.0), 1.0))


def _beyond(masses: Floats, ratios: Floats) -> Floats:
    """What the masses after the last can add up to, since ratios fall: a geometric series; without bound at ratio 1."""
    last, ratio = masses[:, -1], ratios[:, -1] * (1 + SLACK)
    return np.where(ratio < 1, last * ratio / np.maximum(1 - ratio, UNIT), np.where(last > 0, np.inf, 0.0))


def _upper(mass: Floats, slip: Floats, least: float, below: Floats | None = None) -> Floats:
    """Σ (P(k) - e^ε P(k-1))_+ and the same backwards, from above: masses raised against masses lowered."""
    raised, lowered = mass * (1 + slip[:, None]), (mass if below is None else below) * (1 - slip[:, None])
    lowered *= least * (1 - SLACK)
    forward = np.maximum(raised[:, 1:] - lowered[:, :-1], 0.0).sum(axis=1) + raised[:, 0]
    backward = np.maximum(raised[:, :-1] - lowered[:, 1:], 0.0).sum(axis=1) + raised[:, -1]
    return np.asarray(np.maximum(forward, backward) * (1 + SLACK))


def _lower(mass: Floats, slip: Floats, most: float) -> Floats:
    """The same from below, over pairs of places inside of the window."""
    lowered, raised = mass * np.maximum(1 - slip[:, None], 0.0), mass * (1 + slip[:, None])
    raised *= most * (1 + SLACK)
    forward = np.maximum(lowered[:, 1:] - raised[:, :-1], 0.0).sum(axis=1)
    backward = np.maximum(lowered[:, :-1] - raised[:, 1:], 0.0).sum(axis=1)
    return np.asarray(np.maximum(forward, backward) * (1 - SLACK))


def _both_ways(values: Floats, x: float) -> Floats:
    from scipy.signal import lfilter  # heavy, and only noise needs it

    forward = lfilter([1.0], [1.0, -x], values, axis=1)
    backward = lfilter([1.0], [1.0, -x], values[:, ::-1], axis=1)[:, ::-1]
    shifted = np.zeros_like(values)
    shifted[:, :-1] = backward[:, 1:]
    return np.asarray(forward + x * shifted)


def _trimmed(law: Law, least: float) -> Law:
    """The law without masses below the least at its ends; they are charged to its tail."""
    kept = np.flatnonzero(law.mass >= least)
    first, stop = int(kept[0]), int(kept[-1]) + 1
    whole = law.mass + law.error
    lost = float(whole[:first].sum() + whole[stop:].sum())
    return Law(law.start + first, law.mass[first:stop], law.error[first:stop], law.tail + lost * RAISED)


def _binned(mass: Floats, offset: int, base: int) -> Floats:
    """Masses of runs of `base` places, the first of which begins `offset` places before the window."""
    rows, length = mass.shape
    bins = length // base + 2
    padded = np.zeros((rows, bins * base))
    padded[:, offset : offset + length] = mass
    return np.asarray(padded.reshape(rows, bins, base).sum(axis=2))
