"""Sums of any number of different yes/no records, through Chebyshev moments of their rates.

For rates p = c + hx with x in [-1, 1], and v = exp(w) - 1,

    log(1 + pv) = log(a + bx),   a = 1 + cv,  b = hv,
                = log(a) - log(1 + r²) - 2 Σ_m r^m T_m(x) / m,      r = -β / (1 + sqrt(1 - β²)),  β = b/a,

the generating function of the Chebyshev polynomials. Summed over n records this needs only the moments Σ_j T_m(x_j),
taken once in O(n); stopping at order M errs by at most 2n |r|^(M+1) / ((M+1)(1-|r|)). Likewise, for one record left
out,

    1 / (a + bx) = g (1 + 2 Σ_m r^m T_m(x)),      g = (1 + r²) / (a (1 - r²)).
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.enclosure.floats import COMPLEX, LIBM, TINY, UNIT, pairwise
from dalenius.enclosure.transforms import frequency_error
from dalenius.numerics.cumulant import LOOSE, Complexes, Cumulant, JointCumulant, TypeSum, expm1_complex, log1p_complex
from dalenius.numerics.law import Floats

BLOCK = 8192  # rates treated at once: the working set stays in the cache
HIGHEST_ORDER = 96
# Units by which r may be off for an exact a, up to |r| = 3/4: beyond, a series of at most this order leaves more open.
# β errs by 1 + COMPLEX = 5 units, β² by 14, and √(1 - β²), at least 0.28, by (14|β|² + 1) / 0.56 + COMPLEX of one;
# the sum below it by one more, and the quotient by COMPLEX.
RATIO = 40


def series(v: Complexes, centre: float, half: float) -> tuple[Complexes, Complexes]:
    """A and r of the module's formulas."""
    a = 1 + centre * v
    beta = half * v / a
    return a, -beta / (1 + np.sqrt(1 - beta * beta))


def chebyshev_moments(x: Floats, order: int, centre: float = 0.0, width: float = 1.0) -> Floats:
    """Σ_j T_m((x_j - centre) / width) for m = 0..order. T_(J+k) = 2 T_J T_k - T_(J-k) halves the recurrence. Cost
    O(n order).
    """
    half = (order + 1) // 2
    sums = np.zeros((order + 1, -(-len(x) // BLOCK)))
    table = np.ones((half + 1, BLOCK))
    doubled = np.empty(BLOCK)
    for row in range(sums.shape[1]):
        block = x[row * BLOCK : (row + 1) * BLOCK]
        size = len(block)
        polynomials, twice = table[:, :size], doubled[:size]
        block = np.subtract(block, centre, out=polynomials[1])
        block /= width
        np.clip(block, -1.0, 1.0, out=block)
        np.add(block, block, out=twice)
        for m in range(2, half + 1):
            np.multiply(twice, polynomials[m - 1], out=polynomials[m])
            np.subtract(polynomials[m], polynomials[m - 2], out=polynomials[m])
        sums[: half + 1, row] = polynomials.sum(axis=1)
        sums[half + 1 :, row] = (polynomials[1:] @ polynomials[half])[: order - half]
    moments = np.array([math.fsum(row) for row in sums])
    for m in range(half + 1, order + 1):
        moments[m] = 2 * moments[m] - moments[2 * half - m]
    return moments


def tilted_mean(rate: float, theta: float) -> tuple[float, float]:
    """E exp(theta X) of one record, from below and from above: 1 + p (e^theta - 1), of which little may be left."""
    grown = rate * math.expm1(theta)
    slip = 2 * (LIBM + 4) * UNIT * (1 + abs(grown))
    return max(1 + grown - slip, TINY), 1 + grown + slip


@final
@dataclass(frozen=True, slots=True, eq=False)
class RateSum(Cumulant):
    """The number of ones among independent yes/no records whose rates lie in [centre - half, centre + half]."""

    moments: Floats
    centre: float
    half: float
    low: int
    high: int
    mean: float
    variance: float
    slip: float  # how far the rates may be from the declared ones, added up over all records

    @classmethod
    def of(cls, rates: Floats, *, order: int, slip: float | None = None) -> "RateSum":
        least, most = float(rates.min()), float(rates.max())
        centre, half = (least + most) / 2, (most - least) / 2
        moments = chebyshev_moments(rates, order, centre, half) if half > 0 else np.array([float(len(rates))])
        mean = float(rates.sum())
        # from below: the sum of squares may err by one unit a term
        variance = max(0.0, mean - _squares(rates) * (1 + len(rates) * UNIT) - 64 * UNIT * mean)
        return cls(moments, centre, half, 0, len(rates), mean, variance, 2 * UNIT * mean if slip is None else slip)

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        # a tilt may be too large for floats, and 1 + cv may vanish: then nothing is known there
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value, error = self._series(theta, t)
        known = error < LOOSE  # not where the error is no number
        return np.where(known, value.real, np.inf) + 1j * np.where(known, value.imag, 0.0), np.where(
            known, error, np.inf
        )

    def _series(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        v, v_error = expm1_complex(theta, t)
        a, r = series(v, self.centre, self.half)
        log_a, log_a_error = log1p_complex(self.centre * v)
        log_r, log_r_error = log1p_complex(r * r)
        powers = np.zeros_like(r)
        for m in range(len(self.moments) - 1, 0, -1):
            powers = (powers + self.moments[m] / m) * r
        value = self.high * (log_a - log_r) - 2 * powers
        # an error in v passes through log(1 + pv) as p / |1 + pv|, one in a rate as |v| / |1 + pv|; c v is rounded
        # once, and passes through every record's log(a + bx)
        v_error = v_error + frequency_error(np.abs(t)) * np.exp(theta)
        nearest = np.maximum(np.abs(a) - self.half * np.abs(v) - v_error, 1e-300)
        rounded = self.high * (log_a_error + log_r_error + 2 * UNIT * (np.abs(log_a) + np.abs(log_r)))
        square = np.abs(r) ** 2
        rounded += (
            self.high * UNIT * (self.centre * np.abs(v) / nearest + (2 * RATIO + COMPLEX) * square / (1 - square))
        )
        passed = (self.mean * 1.001 * v_error + self.slip * np.abs(v)) / nearest
        error = (rounded + passed + self._series_error(np.abs(r))) * (1 + 1e-9)
        return value, np.asarray(error)

    def _series_error(self, r: Floats) -> Floats:
        """Rounding of the moments (a pairwise sum of T_m, itself within 4 m² units) and of r^m, and the series'
        remainder.
        """
        ratio, order = np.minimum(r * (1 + 1e-12), 1.0), len(self.moments) - 1
        if order == 0:
            return np.zeros_like(ratio)
        units = np.zeros_like(ratio)
        for m in range(order, 0, -1):
            # products of polynomials are summed in any order, and doubled
            summed = pairwise(BLOCK) if m <= (order + 1) // 2 else 2 * BLOCK + pairwise(BLOCK)
            moment = self._largest_sum(m) * summed + self.high * 4 * m * m + RATIO * m * abs(self.moments[m])
            units = (units + moment / m) * ratio
        with np.errstate(divide="ignore"):
            remainder = 2 * self.high * ratio ** (order + 1) / ((order + 1) * (1 - ratio))
        return np.asarray(2 * UNIT * units + remainder)

    def _largest_sum(self, m: int) -> float:
        """A bound on Σ |T_m(x_j)|: the number of records; for m = 1 by Cauchy and Schwarz, as x² = (1 + T_2(x)) / 2."""
        if m > 1 or len(self.moments) < 3:
            return float(self.high)
        return min(float(self.high), 1.001 * math.sqrt(self.high * max(0.0, self.high + float(self.moments[2])) / 2))

    def decay(self, theta: float) -> float:
        """A tilt by theta shrinks each variance p(1-p) by at most exp(-|theta|), and |φ|² = Π (1 - 4p(1-p)
        sin²(t/2)).
        """
        return self.variance * math.exp(-abs(theta)) * (1 - 1e-9)


@final
class Mirrored(Cumulant):
    """n - S, for a sum S of n yes/no records: rates near one are handled as rates near zero."""

    def __init__(self, ones: RateSum) -> None:
        self.ones, self.low, self.high = ones, 0, ones.high
        self.mean, self.variance = ones.high - ones.mean, ones.variance

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        value, error = self.ones.at(-theta, -t)
        total = self.high * (theta + 1j * t)
        return value + total, error + 4 * UNIT * (np.abs(total) + np.abs(value))

    @property
    def anchor(self) -> int:
        return self.high - self.ones.anchor

    def decay(self, theta: float) -> float:
        return self.ones.decay(-theta)


def order_for(count: int, centre: float, half: float, reach: tuple[float, float]) -> int:
    """The order at which the remainder is about 1e-17 within the reach (sampled; the error of a sum is bounded where
    it is evaluated), or one more than HIGHEST_ORDER.
    """
    tilt, turn = reach
    theta, t = np.array([-tilt, 0.0, tilt, -tilt, tilt]), np.array([turn, turn, turn, 0.0, 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        r = float(np.abs(series(expm1_complex(theta, t)[0], centre, half)[1]).max())
    if not r < 0.75:
        return HIGHEST_ORDER + 1
    return max(2, math.ceil((math.log(2 * count) + 39.0) / -math.log(max(r, 1e-12))))


def _squares(rates: Floats) -> float:
    """Σ p². Not by `dot`, whose threads wait for each other on a busy machine."""
    return float(np.einsum("i,i->", rates, rates))


def reach_for(variance: float, floor: float) -> tuple[float, float]:
    """How far a sum of this variance must be tilted for its tails to fall below the floor (Bennett, with room), and
    the highest frequency that matters.
    """
    wanted = -math.log(floor) / max(variance, 1e-9)
    excess = min(1.0, math.sqrt(2 * wanted))
    while (1 + excess) * math.log1p(excess) - excess < wanted:
        excess *= 1.3
    tilt = 1.2 * math.log1p(excess)
    return tilt, min(math.pi, 10.0 * math.exp(tilt / 2) / math.sqrt(max(variance, 1e-9)))


def rate_sum(rates: Floats, floor: float = 1e-60) -> Cumulant:
    """The sum of yes/no records with these rates, good to where its tails fall below the floor. Cost O(n order).

    If one series would converge slowly (few expected ones, rates from 0 to 1), the rates are split: those near zero,
    those near one, and the few between, which are summed record by record.
    """
    least, most, mean = float(rates.min()), float(rates.max()), float(rates.sum())
    reach = reach_for(mean - _squares(rates), floor)
    order = order_for(len(rates), (most + least) / 2, (most - least) / 2, reach)
    if order <= HIGHEST_ORDER:
        return RateSum.of(rates, order=order)
    edge = 0.2 * math.exp(-reach[0])
    parts: list[Cumulant] = []
    rare, common = rates[rates <= edge], 1 - rates[rates >= 1 - edge]
    between = rates[(rates > edge) & (rates < 1 - edge)]
    if len(rare):
        parts.append(RateSum.of(rare, order=HIGHEST_ORDER // 2))
    if len(common):
        parts.append(Mirrored(RateSum.of(common, order=HIGHEST_ORDER // 2, slip=2 * UNIT * len(common))))
    if len(between):
        types, counts = np.unique(between, return_counts=True)
        parts.append(TypeSum.of(np.arange(2), np.column_stack([1 - types, types]), counts, roundings=2))
    return JointCumulant(tuple(parts))
