"""Esscher tilts of sums that leave out r_t of the records of each type t, at which all real r are inverted at once.

With w = theta + it and L_t(w) = log E exp(w X_t), the sum without r has the spectrum exp(Σ (n_t - r_t) L_t(w)). A
removal also moves the mean, so places are counted from k0 + c·(r - r0): the spectrum at y = k - k0 - c·(r - r0) is

    Z_r(w) = exp(Σ (n_t - r_t) L_t(w) - w (k0 + c·(r - r0))),   f_r(k) = (1/N) Σ_j exp(-w_j y) Z_r(w_j) + rest,

where w_j = theta + 2πij/N. log Z_r is linear in r, and with c_t = -L_t'(theta) its slope is small.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.complexes import LOOSE
from dalenius.enclosure.linear import dot_slip, linear_slip, off_grid
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics import fourier
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.law import Floats

STRIDE = 2.5  # standard deviations between two tilts
SPARE = 8.0  # standard deviations that a window has to spare on each side
MARGIN = 24  # places more, for sums of small deviation
NEGLIGIBLE = 48.0  # frequencies damped by more than exp(-NEGLIGIBLE) are left out
MOST = 80  # tilts
PUSHES = np.array([0.3, 0.5, 0.8, 1.2])  # tilts beyond theta at which mass a window away is bounded, of SPARE / dev


@final
@dataclass(frozen=True, slots=True, eq=False)
class TiltedRecords:
    """counts[t] records of type t, each of which adds steps[t][a] with chances[t][a]; `size` of them are taken out."""

    steps: tuple[NDArray[np.int64], ...]
    chances: tuple[Floats, ...]
    counts: Floats
    size: int

    @property
    def most(self) -> Floats:
        """What all records of a type add at most."""
        return np.asarray(self.counts * np.array([float(steps[-1]) for steps in self.steps]))

    @property
    def lost(self) -> float:
        """What a place c·(r - r0) may be off by, for any c between 0 and the largest step."""
        return dot_slip(len(self.counts), float(self.most.sum()))

    def one(self, t: int) -> TypeSum:
        """A single record of type t."""
        return TypeSum.of(self.steps[t], self.chances[t][None, :], np.ones(1, dtype=np.int64))

    def cumulants(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        """L_t at each theta + it, one row a type, and its errors."""
        rows = [self.one(i).at(theta, t) for i in range(len(self.steps))]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments(self, theta: float) -> tuple[Floats, Floats]:
        """Means and variances under the tilt (not certified, not needed)."""
        means, variances = [], []
        for steps, chances in zip(self.steps, self.chances, strict=True):
            weights = chances * np.exp(theta * steps - max(0.0, theta * float(steps[-1])))
            weights = weights / weights.sum()
            means.append(float(weights @ steps))
            variances.append(float(weights @ steps**2) - means[-1] ** 2)
        return np.array(means), np.maximum(np.array(variances), 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class TiltFrame:
    """Where places are counted from: k0 + c·(r - r0)."""

    origin: int
    slopes: Floats  # c
    middle: Floats  # r0

    def moved(self, removals: Floats) -> Floats:
        """c·(r - r0), one removal a row."""
        return (removals - self.middle) @ self.slopes

    def rounding(self, away: Floats) -> float:
        """What it is off by, modulo 1, if |r - r0| is at most `away`: a difference, a product, a sum for each type."""
        return dot_slip(len(away), float(away @ np.abs(self.slopes)) + 1)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """One theta, and the cells [y, y + 1], first <= y <= last, that it answers for."""

    theta: float
    first: int
    last: int
    length: int
    t: Floats
    base: Complexes  # log Z at r0
    slopes: Complexes  # d log Z / d r_t, one row a type
    error: Floats  # a bound on the error of log Z at any removal
    usable: NDArray[np.bool_]  # the frequencies at which log Z is known
    rest: float  # a bound on Σ |Z_r(theta + it)| / Z_r(theta) over all other frequencies, for every removal
    pushed: Floats  # log of a bound on the tilted mass a window away: at r0, one entry a push; then its slopes
    pushed_slopes: Floats
    own: Floats  # c less the c that suits this tilt, -L_t'(theta)
    reach: int  # how far places by that c may be from y; the window answers for so many cells more on each side

    @property
    def slack(self) -> float:
        """How far, relatively, Z(theta) as computed may be off."""
        return math.expm1(float(self.error[0]))

    def spectrum(self, away: Floats, scale: float) -> Complexes:
        """Z at r0 + away, over exp(scale)."""
        exponent = self.base + away @ self.slopes - scale
        return np.where(self.usable, np.exp(np.where(self.usable, exponent, 0.0)), 0.0)

    def inverted(self, spectrum: Complexes, fine: int, more: int) -> Floats:
        """The inverse, times exp(theta y), at y + a/fine, a = 0 .. fine, one row each, for the cells and `more` of
        them on each side.
        """
        turns = np.exp(1j * np.multiply.outer(np.arange(fine) / fine, self.t))
        weighted = np.zeros((fine, self.length // 2 + 1), dtype=complex)
        weighted[:, : len(self.t)] = np.conj(spectrum) * turns
        where = np.arange(self.first - more, self.last + more + 2) % self.length
        values = fourier.irfft(weighted, self.length, axis=1)[:, where]
        return np.vstack([values[:, :-1], values[:1, 1:]])

    def folded(self, away: Floats) -> Floats:
        """Logarithms of bounds on the mass that the window folds onto the cells, times exp(theta y): linear in r.
        One row a removal, one column a push; the first half are from above, the others from below.
        """
        return np.asarray(self.pushed + away @ self.pushed_slopes)


def tilts(
    records: TiltedRecords, corners: Floats, theta: float, *, floor: float, shift: int
) -> tuple[TiltFrame, list[Tilt]]:
    """Tilts on both sides of `theta`, until about `floor` of the mass is left out at each end."""
    middle = corners.mean(axis=0)
    left = records.counts - middle
    while theta and _rate(records, left, theta) < math.log(floor):
        theta *= 0.8
    means, _ = records.moments(theta)
    frame = TiltFrame(round(float(left @ means)), -means, middle)
    thetas = _thetas(records, left, theta, floor)
    centres = [float(left @ records.moments(at)[0]) - frame.origin for at in thetas]
    ends = [_deviation(records, left, at) for at in (thetas[0], thetas[-1])]
    cuts = [math.floor((one + two) / 2) for one, two in pairwise(centres)]
    firsts = [math.floor(centres[0] - 2 * ends[0]) - 2, *[cut + 1 for cut in cuts]]
    lasts = [*cuts, math.ceil(centres[-1] + 2 * ends[1]) + 2]
    found = [
        _tilt(records, frame, corners, at, (first, last), abs(shift))
        for at, first, last in zip(thetas, firsts, lasts, strict=True)
        if first <= last
    ]
    return frame, found


def _deviation(records: TiltedRecords, left: Floats, theta: float) -> float:
    return math.sqrt(max(float(left @ records.moments(theta)[1]), 0.09))


def _rate(records: TiltedRecords, left: Floats, theta: float) -> float:
    """About the logarithm of the mass beyond the mean under the tilt."""
    value = float(left @ records.cumulants(np.array([theta]), np.zeros(1))[0][:, 0].real)
    return value - theta * float(left @ records.moments(theta)[0])


def _thetas(records: TiltedRecords, left: Floats, theta: float, floor: float) -> list[float]:
    found = [theta]
    for sign in (-1, 1):
        at = theta
        for _ in range(MOST // 2):
            if at * sign > 0 and _rate(records, left, at) < math.log(floor):
                break
            following = at + sign * STRIDE / _deviation(records, left, at)
            if float(left @ records.moments(following)[1]) < 0.02 and following * sign > 0:
                break
            at = following
            found.append(at)
    return sorted(found)


def _tilt(
    records: TiltedRecords, frame: TiltFrame, corners: Floats, theta: float, cells: tuple[int, int], shift: int
) -> Tilt:
    first, last = cells
    means, variances = records.moments(theta)
    own = frame.slopes + means
    deviation = math.sqrt(max(float(((records.counts - corners) @ variances).max()), 0.09))
    reach = math.ceil(float(np.abs((corners - frame.middle) @ own).max())) + 2
    wanted = last - first + 2 * reach + math.ceil(2 * SPARE * deviation) + 2 * shift + MARGIN
    length = fourier.next_fast_len(wanted, real=True)
    decays = np.array([records.one(t).decay(theta) for t in range(len(means))])
    decay = max(0.0, float(((records.counts - corners) @ decays).min()))
    limit = math.sqrt(NEGLIGIBLE / (2 * decay)) if 2 * decay > NEGLIGIBLE else 1.0
    kept = min(length // 2, math.ceil(2 * math.asin(limit) * length / (2 * math.pi))) + 1
    t: Floats = 2 * math.pi / length * np.arange(kept, dtype=float)
    logs, errors = records.cumulants(np.full(kept, theta), t)
    base, slopes, error = _linear(records, frame, corners, own, np.asarray(theta + 1j * t, dtype=complex), logs, errors)
    error = np.asarray(error + off_grid(t, logs, records.most))
    usable = error < LOOSE  # so no type's own error is larger: there is a record of each
    damped = np.exp(-2 * decay * np.sin(math.pi / length * np.arange(length // 2 + 1)) ** 2)
    rest = 2 * (float(damped[kept:].sum()) + float(damped[:kept][~usable].sum()))
    pushed = _pushes(records, frame, corners, theta, cells, length, SPARE / deviation, shift + reach)
    return Tilt(theta, first, last, length, t, base, slopes, error, usable, rest, *pushed, own, reach)


def _linear(
    records: TiltedRecords,
    frame: TiltFrame,
    corners: Floats,
    own: Floats,
    w: Complexes,
    logs: Complexes,
    errors: Floats,
) -> tuple[Complexes, Complexes, Floats]:
    """The logarithm of Z at r0, its slopes, and a bound on the error of what follows from them at any removal: also
    where the logarithm at theta is taken off and places are moved by `own`.
    """
    with np.errstate(invalid="ignore"):
        base = (records.counts - frame.middle) @ logs - w * frame.origin
        slopes = -(logs + np.multiply.outer(frame.slopes, w))
        away = np.abs(corners - frame.middle).max(axis=0)
        sizes = np.abs(logs) + np.abs(logs[:, :1])
        places = np.abs(w) * (abs(frame.origin) + float(away @ (np.abs(frame.slopes) + np.abs(own))))
        error = linear_slip(records.counts, away, sizes, errors, places)
    bad = ~np.isfinite(error) | ~np.isfinite(base)
    return np.where(bad, 0.0, base), np.where(bad, 0.0, slopes), np.where(bad, np.inf, error)


def _pushes(
    records: TiltedRecords,
    frame: TiltFrame,
    corners: Floats,
    theta: float,
    cells: tuple[int, int],
    length: int,
    unit: float,
    shift: int,
) -> tuple[Floats, Floats]:
    """Σ_(m >= 1) f(k + mN) exp((theta)(k + mN)) <= E exp((theta + p)S) exp(-p (k + N)), and likewise from below."""
    pushes = np.concatenate([PUSHES * unit, -PUSHES * unit])
    edges = np.where(pushes > 0, cells[0] - shift + length - 1, cells[1] + 1 + shift - length + 1)
    return chernoff(records, frame, corners, theta + pushes, theta + 0 * pushes, edges)


def chernoff(
    records: TiltedRecords, frame: TiltFrame, corners: Floats, tilt: Floats, kept: Floats, edges: Floats
) -> tuple[Floats, Floats]:
    """A bound on log E exp(tilt S) - tilt (place of edge) + kept (y of edge), as a linear function of the removal.

    `kept` is the tilt that stays in the spectrum; places beyond the edge are counted by tilt - kept.
    """
    logs, errors = records.cumulants(tilt, np.zeros(len(tilt)))
    real = np.where(np.isfinite(logs.real) & (errors < LOOSE).all(axis=0), logs.real, np.inf)
    base = (records.counts - frame.middle) @ real - tilt * frame.origin - (tilt - kept) * edges
    slopes = -(real + np.multiply.outer(frame.slopes, tilt))
    away = np.abs(corners - frame.middle).max(axis=0)
    places = np.abs(tilt) * (abs(frame.origin) + float(away @ np.abs(frame.slopes))) + np.abs((tilt - kept) * edges)
    up = linear_slip(records.counts, away, np.abs(real), errors, places)
    bad = ~np.isfinite(base) | ~np.isfinite(slopes).all(axis=0)
    return np.where(bad, np.inf, base + up), np.where(bad, 0.0, slopes)


def corners_of(counts: Sequence[int], size: int) -> Floats:
    """The corners of {0 <= r <= counts, Σ r = size}: all but one type are taken out wholly or not at all."""
    found = set()
    for free in range(len(counts)):
        others = [t for t in range(len(counts)) if t != free]
        for choice in range(1 << len(others)):
            taken = [0] * len(counts)
            for place, t in enumerate(others):
                taken[t] = counts[t] if choice >> place & 1 else 0
            taken[free] = size - sum(taken)
            if 0 <= taken[free] <= counts[free]:
                found.add(tuple(taken))
    return np.array(sorted(found), dtype=float)
