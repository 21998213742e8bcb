"""Uniform laws on arithmetic progressions: records whose values lie on runs of equally spaced, equally likely numbers.

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

from dalenius.enclosure.complexes import moved
from dalenius.enclosure.cumulants import log_means, run_means
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.cumulant import Cumulant
from dalenius.numerics.law import Floats


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
        return run_means(theta, t, self.away(base), self.step, self.count, self.weight)

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
            found = [one.grown(theta, t, self.base) for one in self.types]
            s, slip = (np.stack(part, axis=1) for part in zip(*found, strict=True))
            value, error = log_means(s, slip, self.counts)
            return moved(value, error, self.base * self.size, theta, t, scale=self.scale)

    def decay(self, theta: float) -> float:
        """Nothing is claimed of frequencies in general: neighbouring values are too rare."""
        return 0.0
