"""Poisson binomial sums: any number of different yes/no records, through Chebyshev moments of their rates, in O(n).

The series and what it errs by are in `enclosure/chebyshev.py`.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.chebyshev import log_sum, moments_of, series
from dalenius.enclosure.complexes import LOOSE, expm1_complex, moved
from dalenius.enclosure.outward import add_up, amply_down, difference_down, squares_up, sum_down
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.cumulant import Cumulant, JointCumulant, TypeSum
from dalenius.numerics.law import Floats

HIGHEST_ORDER = 96  # of a series; where it would need more, the rates are split
CONVERGES = 0.75  # a ratio of a series beyond which it is not used
REMAINDER = 39.0  # logarithm of what a remainder may be, below one: about 1e-17


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
        moments = moments_of(rates, order, centre, half) if half > 0 else np.array([float(len(rates))])
        mean = float(rates.sum())
        off = _lost(mean) if slip is None else slip
        variance = float(difference_down(sum_down(rates), np.asarray(add_up(squares_up(rates), off))))
        return cls(moments, centre, half, 0, len(rates), mean, variance, off)

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        # a tilt may be too large for floats, and 1 + cv may vanish: then nothing is known there
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value, error = log_sum(
                self.moments, (self.centre, self.half), self.high, theta, t, mean=self.mean, slip=self.slip
            )
        known = error < LOOSE  # not where the error is no number
        return np.where(known, value.real, np.inf) + 1j * np.where(known, value.imag, 0.0), np.where(
            known, error, np.inf
        )

    def decay(self, theta: float) -> float:
        """A tilt by theta shrinks each variance p(1-p) by at most exp(-|theta|), and |φ|² = Π (1 - 4p(1-p)
        sin²(t/2)).
        """
        return amply_down(self.variance * math.exp(-abs(theta)))


@final
class Mirrored(Cumulant):
    """n - S, for a sum S of n yes/no records: rates near one are handled as rates near zero."""

    def __init__(self, ones: RateSum) -> None:
        self.ones, self.low, self.high = ones, 0, ones.high
        self.mean, self.variance = ones.high - ones.mean, ones.variance

    def at(self, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        value, error = self.ones.at(-theta, -t)
        return moved(value, error, self.high, theta, t)

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
    if not r < CONVERGES:
        return HIGHEST_ORDER + 1
    return max(2, math.ceil((math.log(2 * count) + REMAINDER) / -math.log(max(r, 1e-12))))


def _lost(size: float) -> float:
    """What numbers of this sum may be off by in all, each within two units of a declared one."""
    return float(Balls.rounded(size, 2).radius)


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
    reach = reach_for(mean - float(squares_up(rates)), floor)
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
        parts.append(Mirrored(RateSum.of(common, order=HIGHEST_ORDER // 2, slip=_lost(float(len(common))))))
    if len(between):
        types, counts = np.unique(between, return_counts=True)
        parts.append(TypeSum.of(np.arange(2), np.column_stack([1 - types, types]), counts, roundings=2))
    return JointCumulant(tuple(parts))
