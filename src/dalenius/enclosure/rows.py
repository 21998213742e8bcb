r"""Rows of binomial masses, thousands at once, and how far each exceeds itself moved by one.

A row is a run of masses, each within a relative `slip`, that leaves at most `lost` of the probability out.

**Masses** (`binomial_rows`). P(k) / P(k-1) = (m+1-k) / k · odds with odds p / (1 - p) known within one unit: three
units and one for the running product, so that a mass d steps from the mode errs by 4d units, their sum by as much and
what a pairwise sum loses, and a quotient by one. Beyond the window masses fall at least as fast as the last ratio says:
a geometric series, without bound at ratio 1. Products below `TINY` may have lost their digits: they are charged as if
they were not there.

**Sums** (`rise`, `rise_below`). Σ (P(k) - F P(k-1))₊ and the same backwards, masses raised against masses lowered by
their slip: sums and products of masses that are themselves bounds lose less than half of `SLACK`, up to some thousand
terms in pairwise sums; the larger of both ways.

**Noise.** Two-sided geometric noise is two recursions, in which all terms are positive (`recurrences.py`): a step errs
by two units and what the ratio e^(-1/s) may be off by, 1/s units of its exponent and `LIBM`. Any other noise is added
up mass by mass: a unit a term. Multiples of a base: a unit a term as well.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls, Floats
from dalenius.enclosure.floats import LIBM, RAISED, TINY, UNIT, pairwise

SLACK = 1e-14  # relative


@final
@dataclass(frozen=True, slots=True, eq=False)
class LawRows:
    """Masses of several laws, a row each, from their own first places on."""

    mass: Floats
    slip: Floats
    lost: Floats
    start: NDArray[np.int64]

    @property
    def width(self) -> int:
        return int(self.mass.shape[1])


def binomial_rows(counts: Floats, odds: Floats, chance: Floats, half: int) -> LawRows:
    """The number of heads of so many coins, `half` places on both sides of the mode; `chance` need only be about odds /
    (1 + odds). Running products from the mode, divided by their sum.
    """
    count, ratio = counts[:, None], odds[:, None]
    mode = np.minimum(np.floor((count + 1) * chance[:, None]), count)
    steps = np.arange(1, half + 1, dtype=float)[None, :]
    up_to, down_to = mode + steps, mode + 1 - steps
    rise_by = np.maximum(count + 1 - up_to, 0.0) / up_to * ratio
    fall_by = np.maximum(down_to, 0.0) / (count + 1 - down_to) / ratio
    above, below = np.cumprod(rise_by, axis=1), np.cumprod(fall_by, axis=1)
    weight = np.concatenate([below[:, ::-1], np.ones_like(mode), above], axis=1)
    total = weight.sum(axis=1)
    out = beyond(above, rise_by) + beyond(below, fall_by)
    slip = (8 * half + pairwise(weight.shape[1]) + 16) * UNIT * RAISED + out / total * RAISED
    start = mode[:, 0].astype(np.int64) - half
    return LawRows(weight / total[:, None], slip, out / total * RAISED + weight.shape[1] * TINY, start)


def beyond(masses: Floats, ratios: Floats) -> Floats:
    """What the masses after the last can add up to, since ratios fall: a geometric series; without bound at ratio 1."""
    last, ratio = masses[:, -1], ratios[:, -1] * (1 + SLACK)
    return np.where(ratio < 1, last * ratio / np.maximum(1 - ratio, UNIT), np.where(last > 0, np.inf, 0.0))


def rise(mass: Floats, slip: Floats, least: float, below: Floats | None = None) -> Floats:
    """Σ (P(k) - F P(k-1))₊ and the same backwards, from above, for F >= least; `below` are the masses that are taken
    off, if they are others.
    """
    raised, lowered = mass * (1 + slip[:, None]), (mass if below is None else below) * (1 - slip[:, None])
    lowered *= least * (1 - SLACK)
    forward = np.maximum(raised[:, 1:] - lowered[:, :-1], 0.0).sum(axis=1) + raised[:, 0]
    backward = np.maximum(raised[:, :-1] - lowered[:, 1:], 0.0).sum(axis=1) + raised[:, -1]
    return np.asarray(np.maximum(forward, backward) * (1 + SLACK))


def rise_below(mass: Floats, slip: Floats, most: float) -> Floats:
    """The same from below, for F <= most, over pairs of places inside of the window."""
    lowered, raised = mass * np.maximum(1 - slip[:, None], 0.0), mass * (1 + slip[:, None])
    raised *= most * (1 + SLACK)
    forward = np.maximum(lowered[:, 1:] - raised[:, :-1], 0.0).sum(axis=1)
    backward = np.maximum(lowered[:, :-1] - raised[:, 1:], 0.0).sum(axis=1)
    found = np.maximum(forward, backward) * (1 - SLACK)
    return np.asarray(found - most * mass.shape[1] * TINY)


def with_geometric(rows: LawRows, scale: float, more: int) -> LawRows:
    """Two-sided geometric noise of this scale is added, cut `more` places away, more than which it has at most 2
    e^(-more/scale).
    """
    x = math.exp(-1 / scale)
    weight = -math.expm1(-1 / scale) / (1 + x)
    units = (4 * (rows.width + 2 * more) + 8 * LIBM + 2 * more * (1 / scale + LIBM)) * UNIT
    smooth = weight * both_ways(np.pad(rows.mass, ((0, 0), (more, more))), x)
    lost = rows.lost + 2 * math.exp(-more / scale) * RAISED
    return LawRows(smooth, rows.slip + units * RAISED, lost, rows.start - more)


def both_ways(values: Floats, x: float) -> Floats:
    """Σ_j v_j x^|k-j| in every row, by two recursions."""
    from scipy.signal import lfilter  # heavy, and only noise needs it

    forward = lfilter([1.0], [1.0, -x], values, axis=1)
    backward = lfilter([1.0], [1.0, -x], values[:, ::-1], axis=1)[:, ::-1]
    shifted = np.zeros_like(values)
    shifted[:, :-1] = backward[:, 1:]
    return np.asarray(forward + x * shifted)


def noisy_rise(rows: LawRows, noise: Balls, tail: float, least: float) -> Floats:
    """`rise` with noise of these masses, and at most `tail` beside them, and with what everything leaves out."""
    wide = rows.width + len(noise) + 1
    above, below = np.zeros((rows.mass.shape[0], wide)), np.zeros((rows.mass.shape[0], wide))
    for place, (chance, error) in enumerate(zip(noise.middle.tolist(), noise.radius.tolist(), strict=True)):
        here = slice(place + 1, place + 1 + rows.width)
        above[:, here] += (chance + error) * rows.mass
        below[:, here] += max(0.0, chance - error) * rows.mass
    slip = rows.slip + (len(noise) + 4) * UNIT * RAISED
    return rise(above, slip, least, below) + (rows.lost + tail) * RAISED


def rounded_rise(rows: LawRows, chosen: NDArray[np.int64], offset: int, base: int, least: float) -> Floats:
    """The excess of chosen rows, rounded to multiples of the base, over themselves moved by one, either way round."""
    slip = rows.slip[chosen, None] + (base + 4) * UNIT * RAISED  # a sum, and less than four units of products
    first, second = (binned(rows.mass[chosen], offset + moved, base) for moved in (0, 1))
    most = np.zeros(len(chosen))
    for one, other in ((first, second), (second, first)):
        apart = one * (1 + slip) - least * other * (1 - slip)
        most = np.maximum(most, np.maximum(apart, 0.0).sum(axis=1) * (1 + SLACK) + rows.lost[chosen])
    return most


def binned(mass: Floats, offset: int, base: int) -> Floats:
    """Masses of runs of `base` places, the first of which begins `offset` places before the window."""
    rows, length = mass.shape
    bins = length // base + 2
    padded = np.zeros((rows, bins * base))
    padded[:, offset : offset + length] = mass
    return np.asarray(padded.reshape(rows, bins, base).sum(axis=2))


def trimmed(masses: Balls, least: float) -> tuple[int, Balls, float]:
    """Masses without those below the least at their ends: where they begin, what is kept, and the sum of the others."""
    kept = np.flatnonzero(masses.middle >= least)
    first, stop = int(kept[0]), int(kept[-1]) + 1
    whole = masses.middle + masses.radius
    lost = float(whole[:first].sum() + whole[stop:].sum())
    return first, masses[first:stop], lost * RAISED
