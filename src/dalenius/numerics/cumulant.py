"""Cumulant functions: log E exp(wS) of a sum S of independent whole numbers, at complex w, with certified errors.

A `Cumulant` is all that the inversion (`charfun`) needs to know of a sum. Two kinds of sum have one of their own:
`TypeSum`, records of a few types on a shared lattice, and `yesno.RateSum`, any number of different yes/no records.

What the logarithms err by is in `enclosure/cumulants.py`. Bounds on errors, and decays, are themselves rounded to
nearest: that moves the bounds that follow from them by less than a millionth, and who adds those up raises the total by
a thousandth (`enclosure/exponents.py`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import mul
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure.complexes import moved, together
from dalenius.enclosure.cumulants import log_ceilings, log_means, log_sizes, means, slip_of, transformed
from dalenius.enclosure.outward import HIGHEST_POWER, amply_down
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.law import Floats

NEGLIGIBLE = 90.0  # frequencies damped by more than exp(-NEGLIGIBLE) need not be told apart
BLOCK = 1 << 21  # complex numbers held at once


@final
@dataclass(frozen=True, slots=True, eq=False)
class Far:
    """K at some frequencies, with errors as in `Cumulant.at`; and Σ |E exp(wS)| over the others, relative to a base."""

    values: Complexes
    errors: Floats
    rest: float


class Cumulant(ABC):
    """K(w) = log E exp(wS) of an integer sum S between `low` and `high`."""

    low: int
    high: int
    mean: float
    variance: float

    @property
    def jump(self) -> float:
        """About how far one record may move the sum from its mean (not certified, not needed)."""
        return 1.0

    @abstractmethod
    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        """K(theta + it), up to a multiple of 2πi, and a bound on its error, at each pair of the two arrays.

        The error of K(w) - anchor w is right also if the true t is up to `GRID` units from the one given.

        Where the error is `LOOSE` or more, the real part is an upper bound instead (infinite if none is known).
        """

    @property
    def anchor(self) -> int:
        """A fixed place near the sum, from which what a wrong frequency does is counted."""
        return 0

    @property
    def terms(self) -> int:
        """How much one evaluation of K costs, if it can also be had by one FFT (`far`)."""
        return 0

    def far(self, theta: float, length: int, start: int, stop: int, base: float) -> Far:
        """K(theta + 2πij/length) for j from `start` on, as long as that matters; and a bound on the sum of
        |E exp(wS)| / exp(base) over the other j below `stop`.
        """
        raise PreconditionError("This sum has no FFT of its own. This is a defect: report it.")

    @abstractmethod
    def decay(self, theta: float) -> float:
        """A number W with |E exp((theta + it)S)| <= E exp(theta S) exp(-2 W sin²(t/2)) for every real t."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class TypeSum(Cumulant):
    """The sum of counts[t] independent records of each type t, where a record of type t has values[a] with
    chances[t, a].

    Cost of `at`: one product (points x values) @ (values x types), so few types and any number of records are cheap.
    """

    values: NDArray[np.int64]  # distinct, ascending
    chances: Floats  # one row a type; each entry within 2 units, and `slip`, of exact masses that sum to one
    counts: NDArray[np.int64]
    low: int
    high: int
    mean: float
    variance: float
    slip: float

    @classmethod
    def of(
        cls, values: NDArray[np.int64], chances: Floats, counts: NDArray[np.int64], *, roundings: float = 0.0
    ) -> "TypeSum":
        """`roundings`: by how many the chances may be off, beside two."""
        kept = counts > 0
        chances, counts = chances[kept], counts[kept]
        positive = chances > 0
        lows = values[np.argmax(positive, axis=1)]
        highs = values[len(values) - 1 - np.argmax(positive[:, ::-1], axis=1)]
        means = chances @ values
        variances = np.maximum(chances @ (values.astype(float) ** 2) - means**2, 0.0)
        return cls(
            values,
            chances,
            counts,
            sum(map(mul, counts.tolist(), lows.tolist())),
            sum(map(mul, counts.tolist(), highs.tolist())),
            float(counts @ means),
            float(counts @ variances),
            slip_of(roundings),
        )

    @property
    def jump(self) -> float:
        return max(1.0, float(np.abs(self.values - self.mean / max(1, int(self.counts.sum()))).max()))

    @property
    def _base(self) -> int:
        """What one record is counted from."""
        return round(self.mean / max(1, int(self.counts.sum())))

    @property
    def anchor(self) -> int:
        return self._base * int(self.counts.sum())

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        base = self._base
        away = (self.values - base).astype(float)
        rows = max(1, BLOCK // max(1, len(self.counts) + len(away)))
        with np.errstate(over="ignore", invalid="ignore"):  # a tilt may be too large for floats: then nothing is known
            parts = [self._block(theta[i : i + rows], t[i : i + rows], away) for i in range(0, len(theta), rows)]
        values, errors = (np.concatenate(part) for part in zip(*parts, strict=True))
        return moved(values, errors, self.anchor, theta, t)

    def _block(self, theta: Floats, t: Floats, away: Floats) -> tuple[Complexes, Floats]:
        """Centred at the base: s_t = Σ_a q_ta (exp(w a) - 1), so that errors shrink with |w|, and K = Σ n_t log(1 +
        s_t).
        """
        s, slip = means(np.multiply.outer(theta, away), np.multiply.outer(t, away), self.chances, self.slip)
        return log_means(s, slip, self.counts)

    @property
    def terms(self) -> int:
        return len(self.values)

    def far(self, theta: float, length: int, start: int, stop: int, base: float) -> Far:
        """One FFT a type. It errs by a fraction of the norm of the whole, so the first frequencies are better taken
        one by one; most of the others turn out to be negligible. The FFT knows no rounded frequencies, the turn by the
        anchor does. Cost O(types length log length).
        """
        centre = self._base
        t = 2 * np.pi / length * np.arange(start, stop)
        turn: Complexes = np.asarray(self.anchor * (theta + 1j * t), dtype=np.complex128)
        ones, slips = zip(
            *(transformed(self.values - centre, chances, theta, length, self.slip) for chances in self.chances),
            strict=True,
        )
        counts, slip = self.counts[:, None], np.array(slips)[:, None]
        one = np.array([whole[start:stop] for whole in ones])
        ceiling = log_ceilings(one, slip, counts, turn)
        matters = np.flatnonzero(ceiling - base > -NEGLIGIBLE)
        kept = int(matters[-1]) + 1 if len(matters) else 0
        rest = float(np.exp(np.minimum(ceiling[kept:] - base, HIGHEST_POWER)).sum())
        values, errors = log_sizes(one[:, :kept], slip, counts, turn[:kept], ceiling[:kept])
        return Far(values, errors, rest)

    def decay(self, theta: float) -> float:
        """Σ n_t Σ_a P_t(a) P_t(a + 1) under the tilt: 1 - |φ|² = Σ_ab P(a)P(b)(1 - cos((a-b)t)) >= 4 Σ P(a)P(a+1)
        sin²(t/2).
        """
        adjacent = np.flatnonzero(np.diff(self.values) == 1)
        tilt = np.exp(theta * (self.values - self.values[0 if theta < 0 else -1]))
        tilted = self.chances * tilt
        tilted = tilted / tilted.sum(axis=1, keepdims=True)
        neighbours = (tilted[:, adjacent] * tilted[:, adjacent + 1]).sum(axis=1)
        return amply_down(float(self.counts @ neighbours))


@final
class JointCumulant(Cumulant):
    """The sum of independent sums."""

    def __init__(self, parts: tuple[Cumulant, ...]) -> None:
        self.parts = parts
        self.low, self.high = sum(part.low for part in parts), sum(part.high for part in parts)
        self.mean, self.variance = sum(part.mean for part in parts), sum(part.variance for part in parts)

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        values, errors = zip(*(part.at(theta, t) for part in self.parts), strict=True)
        return together(values, errors)

    @property
    def jump(self) -> float:
        return max(part.jump for part in self.parts)

    @property
    def anchor(self) -> int:
        return sum(part.anchor for part in self.parts)

    def decay(self, theta: float) -> float:
        return sum(part.decay(theta) for part in self.parts)
