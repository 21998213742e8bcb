"""log E exp(wS) of a sum S of independent whole numbers, at complex w, with certified errors.

A `Cumulant` is all that the inversion (`charfun`) needs to know of a sum. Two kinds of sum have one of their own:
`TypeSum`, records of a few types on a shared lattice, and `yesno.RateSum`, any number of different yes/no records.

Bounds on errors, and decays, are themselves rounded to nearest. That moves the bounds that follow from them by less
than a millionth, and who adds those up raises the total by a thousandth (`charfun`, `removals`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import mul
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure.floats import GRID, LIBM, TINY, UNIT, pairwise
from dalenius.enclosure.transforms import transform_error
from dalenius.numerics import fourier
from dalenius.numerics.law import Floats

Complexes: TypeAlias = NDArray[np.complex128]
LOOSE = 0.5  # an error of K from which on its value is not used
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


def expm1_complex(x: Floats, y: Floats) -> tuple[Complexes, Floats]:
    """exp(x + iy) - 1, and a bound on its error for exact x and y."""
    half, turn, grown = np.sin(y / 2), np.sin(y), np.expm1(x)
    drop = 2 * half * half
    value = grown - (grown + 1) * drop + 1j * ((grown + 1) * turn)
    first, second = (
        np.abs(grown) + (grown + 1) * np.abs(turn),
        np.abs(grown) * np.abs(turn) + (np.abs(grown) + 2) * drop,
    )
    return value, UNIT * ((LIBM + 4) * first + (3 * LIBM + 8) * second)


def log1p_complex(s: Complexes) -> tuple[Complexes, Floats]:
    """log(1 + s), and a bound on the error of computing it from an exact s (beyond 1e100 the one is lost anyway)."""
    size = np.abs(s)
    huge = size > 1e100
    x, y = np.where(huge, 0.0, s.real), np.where(huge, 0.0, s.imag)
    norm = x * x + y * y  # within two units, which the square of |s| is not
    square = np.maximum(2 * x + norm, -1.0)
    with np.errstate(divide="ignore"):
        real, angle = np.where(huge, np.log(size), 0.5 * np.log1p(square)), np.arctan2(s.imag, 1 + s.real)
    off = np.abs(square) + 2 * norm
    room = np.maximum(1 + square - off * UNIT, 1e-300)
    inside = np.where(huge, 4.0, (off + 2 * np.abs(y * (1 + x))) / (2 * room))
    with np.errstate(invalid="ignore"):
        return real + 1j * angle, UNIT * (inside + LIBM * (np.abs(real) + np.abs(angle)))


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
            roundings * UNIT,
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
        value = np.concatenate([part[0] for part in parts]) + self.anchor * (theta + 1j * t)
        return value, np.concatenate([part[1] for part in parts]) + 4 * UNIT * abs(self.anchor) * np.hypot(theta, t)

    def _block(self, theta: Floats, t: Floats, away: Floats) -> tuple[Complexes, Floats]:
        """Centred at the base: s_t = Σ_a q_ta (exp(w a) - 1), so that errors shrink with |w|, and K = Σ n_t log(1 +
        s_t).
        """
        x, y = np.multiply.outer(theta, away), np.multiply.outer(t, away)
        grown, rounding = expm1_complex(x, y)
        s = grown @ self.chances.T.astype(complex)
        # bounds |exp(w a) - 1|, and what an ulp of x and y does, or `GRID` of t
        scale = (np.abs(x) + np.abs(y)) * np.exp(np.maximum(x, 0.0))
        slip = (rounding + (len(away) + 5 + GRID) * UNIT * scale) @ self.chances.T
        slip += self.slip * scale.sum(axis=1, keepdims=True)
        logs, rounding = log1p_complex(s)
        room = np.abs(1 + s) - slip
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.where(room > 0, slip / room, np.inf) + rounding + 4 * UNIT * np.abs(logs)
        summed = pairwise(len(self.counts)) * UNIT * (self.counts * np.abs(logs)).sum(axis=1)
        error = (self.counts * errors).sum(axis=1) + summed
        error = np.where(np.isnan(error), np.inf, error)  # the logarithm of a huge sum: only its ceiling is known
        most = self.counts * np.log(np.abs(1 + s) * (1 + 8 * UNIT) + slip + 1e-300)
        ceiling = most.sum(axis=1) + (LIBM + 2 + pairwise(len(self.counts))) * UNIT * np.abs(most).sum(axis=1)
        real = np.where(error < LOOSE, (self.counts * logs.real).sum(axis=1), ceiling)
        lost = ~(np.isfinite(real) & np.isfinite(s).all(axis=1))
        angle = np.where(lost, 0.0, (self.counts * logs.imag).sum(axis=1))
        return np.where(lost, np.inf, real) + 1j * angle, np.where(lost, np.inf, error)

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
        turn = self.anchor * (theta + 1j * t)
        ones, slips = zip(
            *(_transform(self.values - centre, chances, theta, length, self.slip) for chances in self.chances),
            strict=True,
        )
        counts, slip = self.counts[:, None], np.array(slips)[:, None]
        one = np.array([whole[start:stop] for whole in ones])
        most = counts * np.log(np.abs(one) * (1 + 8 * UNIT) + slip + TINY)
        ceiling = most.sum(axis=0) + turn.real
        ceiling = ceiling + (LIBM + 4 + len(counts)) * UNIT * np.abs(most).sum(axis=0) + 4 * UNIT * np.abs(turn)
        matters = np.flatnonzero(ceiling - base > -NEGLIGIBLE)
        kept = int(matters[-1]) + 1 if len(matters) else 0
        rest = float(np.exp(np.minimum(ceiling[kept:] - base, 700.0)).sum())
        one, size, turn, t = one[:, :kept], np.abs(one[:, :kept]), turn[:kept], t[:kept]
        logs = np.log(size + TINY) + 1j * np.angle(one)
        room = np.where(size > 2 * slip, size - slip, TINY)
        error = slip / room + UNIT * (2 * LIBM + 16 + (2 * LIBM + 4 * len(counts)) * np.abs(logs))
        errors = (counts * error).sum(axis=0) + 8 * UNIT * np.abs(turn)
        values = np.where(errors < LOOSE, (counts * logs).sum(axis=0) + turn, ceiling[:kept])
        return Far(values.astype(np.complex128), errors, rest)

    def decay(self, theta: float) -> float:
        """Σ n_t Σ_a P_t(a) P_t(a + 1) under the tilt: 1 - |φ|² = Σ_ab P(a)P(b)(1 - cos((a-b)t)) >= 4 Σ P(a)P(a+1)
        sin²(t/2).
        """
        adjacent = np.flatnonzero(np.diff(self.values) == 1)
        tilt = np.exp(theta * (self.values - self.values[0 if theta < 0 else -1]))
        tilted = self.chances * tilt
        tilted = tilted / tilted.sum(axis=1, keepdims=True)
        neighbours = (tilted[:, adjacent] * tilted[:, adjacent + 1]).sum(axis=1)
        return float(self.counts @ neighbours) * (1 - 1e-9)


def _transform(
    away: NDArray[np.int64], chances: Floats, theta: float, length: int, slip: float
) -> tuple[Complexes, float]:
    """Σ_a q_a exp((theta + 2πij/length) a) for j = 0 .. length/2, and a bound on the error of each."""
    exponent = theta * away
    weights = chances * np.exp(exponent)
    folded = np.bincount(away % length, weights, minlength=length)
    folds = (int(away[-1]) - int(away[0])) // length + 2
    grown = np.exp(np.maximum(exponent, 0.0))
    off = (2 * LIBM + 4 + 2 * np.abs(exponent) + folds) * UNIT * weights + slip * grown
    most = float(folded.max())
    norm = most * float(np.linalg.norm(folded / most)) * np.sqrt(length)
    fft = transform_error(length, float(norm))
    return np.conj(fourier.rfft(folded)), float(off.sum()) + float(fft)


@final
class JointCumulant(Cumulant):
    """The sum of independent sums."""

    def __init__(self, parts: tuple[Cumulant, ...]) -> None:
        self.parts = parts
        self.low, self.high = sum(part.low for part in parts), sum(part.high for part in parts)
        self.mean, self.variance = sum(part.mean for part in parts), sum(part.variance for part in parts)

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        values, errors = zip(*(part.at(theta, t) for part in self.parts), strict=True)
        total = np.sum(values, axis=0)
        error = np.sum(errors, axis=0) + len(values) * UNIT * np.sum(np.abs(values), axis=0)
        slack = np.sum([np.where(part < LOOSE, part, 0.0) for part in errors], axis=0)
        return np.where(error < LOOSE, total, total.real + slack + 1j * total.imag), error

    @property
    def jump(self) -> float:
        return max(part.jump for part in self.parts)

    @property
    def anchor(self) -> int:
        return sum(part.anchor for part in self.parts)

    def decay(self, theta: float) -> float:
        return sum(part.decay(theta) for part in self.parts)
