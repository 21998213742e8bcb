"""Records whose values lie on runs of equally spaced numbers, all of a run being equally likely.

Columns of millions of values, such as incomes by brackets, are described by a few hundred runs, and E exp(wX) has a
closed form: a run of m values, `step` apart and centred at c, has the mean exp(wc) sinh(mz) / (m sinh z), z = w step/2.
Nothing here costs more for longer runs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics.cumulant import LOOSE, Complexes, Cumulant, expm1_complex, log1p_complex
from dalenius.numerics.law import Floats

TERMS = 11  # of the series of sinh(x)/x for |x| <= 1: the next is below 1e-22


@final
@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """One record: run i has the values first[i] + step[i] · (0 .. count[i] - 1), with weight[i] in all."""

    first: NDArray[np.int64]
    step: NDArray[np.int64]
    count: NDArray[np.int64]
    weight: Floats  # each within 2 units of exact weights that sum to one

    @classmethod
    def of(cls, runs: Sequence[tuple[int, int, int, Fraction]]) -> "Runs":
        """From (first, step, count, weight), whose weights sum to one."""
        first, step, count = (np.array([run[i] for run in runs], dtype=np.int64) for i in range(3))
        return cls(first, step, count, np.array([float(run[3]) for run in runs]))

    @property
    def last(self) -> NDArray[np.int64]:
        return np.asarray(self.first + self.step * (self.count - 1))

    @property
    def middle(self) -> Floats:
        return self.away(0)

    def away(self, base: int) -> Floats:
        """The middles less a whole number near them: exact, however far the values are from zero."""
        return np.asarray((self.first - base) + self.step * (self.count - 1) / 2)

    def moments(self) -> tuple[float, float]:
        """The mean and the variance (not certified, not needed)."""
        mean = float((self.weight * self.middle).sum())
        spread = self.step.astype(float) ** 2 * (self.count.astype(float) ** 2 - 1) / 12
        return mean, float((self.weight * ((self.middle - mean) ** 2 + spread)).sum())

    def grown(self, theta: Floats, t: Floats, base: int) -> tuple[Complexes, Floats]:
        """E exp(w(X - base)) - 1 at each w = theta + it, and a bound on its error."""
        away = self.away(base)
        x, y = np.multiply.outer(theta, away), np.multiply.outer(t, away)
        moved, slip = expm1_complex(x, y)
        slip = slip + 2 * UNIT * (np.abs(x) + np.abs(y)) * np.exp(np.maximum(x, 0.0))
        spread, spread_slip = self._spread(theta, t)
        size = np.abs(moved) + 1
        value = moved + (moved + 1) * spread
        slip = slip * (1 + np.abs(spread)) + size * spread_slip + 8 * UNIT * (size * np.abs(spread) + np.abs(moved))
        units = (len(away) + 8) * UNIT
        return (value * self.weight).sum(axis=1), ((slip + units * np.abs(value)) * self.weight).sum(axis=1) * (
            1 + 1e-9
        )

    def _spread(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        """sinh(mz) / (m sinh z) - 1 for each run, and a bound on its error.

        With sinh(x)/x = 1 + A(x) it is (A(mz) - A(z)) / (1 + A(z)). Turning z by iπ only changes the sign, to the
        power m - 1, so z is taken within iπ/2 of the real line, where |1 + A(z)| >= 2/π.
        """
        half, count = self.step / 2, self.count.astype(float)
        real, angle = np.multiply.outer(theta, half), np.multiply.outer(t, half)
        turns = np.round(angle / math.pi)
        lost = 4 * UNIT * (np.abs(angle) + np.abs(real)) + 4 * UNIT * np.abs(turns)  # of z, absolutely
        z = real + 1j * (angle - turns * math.pi)
        near, near_slip = _sinhc(z, lost)
        far, far_slip = _sinhc(count * z, count * lost)
        value = (far - near) / (1 + near)
        slip = (far_slip + near_slip * (1 + np.abs(value))) * 1.6 + 8 * UNIT * np.abs(value)
        odd = (turns * (self.count - 1)) % 2 != 0
        single = self.count == 1
        value, slip = np.where(odd, -2 - value, value), np.where(odd, slip + 4 * UNIT, slip)
        return np.where(single, 0.0, value), np.where(single, 0.0, slip)

    def tilted(self, theta: float) -> tuple[Floats, Floats, Floats]:
        """The weights of the runs under a tilt; and κ and d <= 1 such that a run's characteristic function under the
        tilt is at most min(1, κ(1 - d + 2d|sin(m step t/2)|)/|sin(step t/2)|), to within 1e-9.

        A run's Σ_j exp((θ + it) s j), taken from its likelier end, is (exp(z m) - 1)/(exp(z) - 1), z = (-|θ| + it)s. In
        size exp(zm) - 1 is at most 1 - d + 2d|sin(smt/2)|, d = exp(-|θ|sm), and exp(z) - 1 at least
        2 exp(-|θ|s/2)|sin(st/2)|.
        """
        growth = theta * self.step
        size = np.abs(growth) * self.count  # both ends count alike: take the run from its likelier end
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.where(growth == 0, self.count, np.expm1(-size) / np.expm1(-np.abs(growth)))
        kappa = 1 / (2 * np.exp(-np.abs(growth) / 2) * total)
        start, far = (self.last, self.last.max()) if theta >= 0 else (self.first, self.first.min())
        weights = self.weight * np.exp(theta * (start - far)) * total / self.count  # relative to the likeliest end
        return weights / weights.sum(), np.where(self.count == 1, np.inf, kappa), np.exp(-size)

    def only(self, chosen: NDArray[np.bool_], weights: Sequence[Fraction]) -> "Runs":
        """The record given that it is on one of these runs; `weights` are all exact weights."""
        kept = [weight for weight, keep in zip(weights, chosen, strict=True) if keep]
        whole = sum(kept, Fraction(0))
        return Runs(
            self.first[chosen],
            self.step[chosen],
            self.count[chosen],
            np.array([float(weight / whole) for weight in kept]),
        )


def _sinhc(x: Complexes, lost: Floats) -> tuple[Complexes, Floats]:
    """sinh(x)/x - 1, and a bound on its error, where x is off by at most `lost`."""
    small = np.abs(x) <= 1
    square = np.where(small, x * x, 0.0)
    series = np.zeros_like(square)
    for term in range(TERMS, 0, -1):
        series = square / (2 * term * (2 * term + 1)) * (1 + series)
    tame = np.where(small, 1.0, x)
    large = np.sinh(tame.real) * np.cos(tame.imag) + 1j * (np.cosh(tame.real) * np.sin(tame.imag))
    value = np.where(small, series, large / tame - 1)
    size = np.abs(x)
    grown = np.exp(np.abs(x.real))
    steep = np.where(small, 0.5 * (size + lost), 2.0 / np.maximum(size - lost, 1.0)) * grown  # bounds |(sinh x / x)'|
    rounding = np.where(small, 64 * UNIT * size * size, (4 * LIBM + 16) * UNIT * (grown / np.maximum(size, 1.0) + 1))
    return value, rounding + steep * lost * 1.01


@final
@dataclass(frozen=True, slots=True, eq=False)
class RunSum(Cumulant):
    """The sum of counts[t] independent records of each type t; `scale` is the logarithm of a factor in front.

    Cost of `at`: runs times points, whatever the number of records and of values.
    """

    types: tuple[Runs, ...]
    counts: NDArray[np.int64]
    low: int
    high: int
    mean: float
    variance: float
    base: int
    scale: float = 0.0

    @classmethod
    def of(cls, types: Sequence[Runs], counts: Sequence[int], scale: float = 0.0) -> "RunSum":
        kept = [(one, count) for one, count in zip(types, counts, strict=True) if count]
        means, variances = zip(*(one.moments() for one, _ in kept), strict=True) if kept else ((), ())
        total = sum(count for _, count in kept)
        mean = math.fsum(count * each for (_, count), each in zip(kept, means, strict=True))
        return cls(
            tuple(one for one, _ in kept),
            np.array([count for _, count in kept], dtype=np.int64),
            sum(count * int(one.first.min()) for one, count in kept),
            sum(count * int(one.last.max()) for one, count in kept),
            mean,
            math.fsum(count * each for (_, count), each in zip(kept, variances, strict=True)),
            round(mean / total) if total else 0,
            scale,
        )

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    @property
    def jump(self) -> float:
        return max(1.0, *(float(np.abs(one.middle - self.base).max()) for one in self.types))

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        with np.errstate(all="ignore"):  # a tilt may be too large for floats: then nothing is known
            value, error, real, size = np.zeros(len(theta), dtype=complex), *np.zeros((3, len(theta)))
            units = (len(self.types) + 4) * UNIT  # of a product, and of the sum over types
            for one, count in zip(self.types, self.counts.tolist(), strict=True):
                s, slip = one.grown(theta, t, self.base)
                logs, rounding = log1p_complex(s)
                room = np.abs(1 + s) - slip
                each = np.where(room > 0, slip / room, np.inf) + rounding + units * np.abs(logs)
                value, error = value + count * logs, error + count * each
                most = count * np.log(np.abs(1 + s) * (1 + 8 * UNIT) + slip + 1e-300)
                real, size = real + most, size + np.abs(most)
            turned = self.base * self.size * (theta + 1j * t)
            moved = 4 * UNIT * np.abs(turned)
            error = error * (1 + 1e-9) + moved + 4 * UNIT * np.abs(value) + (LIBM + 8) * UNIT * np.abs(self.scale)
            error = np.where(np.isfinite(error), error, np.inf)
            ceiling = real + 1e-9 * (1 + size) + moved + turned.real + self.scale
            whole = np.where(error < LOOSE, value + turned + self.scale, ceiling + 1j * np.zeros(len(theta)))
            lost = ~np.isfinite(whole)
        return np.where(lost, np.inf + 0j, whole), np.where(lost, np.inf, error)

    def decay(self, theta: float) -> float:
        """Nothing is claimed of frequencies in general: neighbouring values are too rare."""
        return 0.0
