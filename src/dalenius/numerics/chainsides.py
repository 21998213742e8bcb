r"""Exponential moments on both sides of a record of a Markov chain, hidden by a wide log-concave law: an upper bound.

Let Z be log-concave on the integers and independent of the stretch of the chain around the target; let x be what that
stretch adds, P its law given X_t = a and Q given X_t = b, and y = x - x̄ for a fixed integer x̄. With r(z) =
log Z(z) / Z(z-1), which falls, any θ between r(z+1) and r(z) has

$$ -θy - κ|y|(|y|+1)/2 \;\le\; \log Z(z-y) - \log Z(z) \;\le\; -θy, $$

κ being the largest r(w) - r(w+1) within |y| of z. So P*Z(x̄+z) ≤ Z(z) E_P e^{-θy}, Q*Z(x̄+z) ≥ Z(z) E_Q e^{-θy - κ...},
and the excess of P*Z over e^ε Q*Z at x̄ + z is at most Z(z) u (1 - e^{ε-ρ}) with u the first mean and ρ the logarithm
of the ratio of the two. All is a product over the two sides of the target, since they are independent given X_t
(|y|(|y|+1)/2 ≤ Σ (y_i² + |y_i|/2)): the worst left side and the worst right side are found one by one, whatever their
lengths. Integers z are taken in cells, with θ within h of θ_0: e^{±h|y|} covers them. Z's ends, where y may leave the
window, are charged as they are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import final

import numpy as np

from dalenius.enclosure.outward import HELD, amply_down, amply_up, exponential
from dalenius.numerics.law import Floats, Law

CELLS = 400
SURE = 1e-8  # relative error of masses that are looked at
NUMBERS = 1_500_000  # masses up to which all sums are looked at
HAIR = 1e-9  # far more than logarithms of a few thousand positive terms lose
LOGS = 2e-12  # more than two logarithms of numbers above 1e-300 err, and half the sum and difference of two slopes


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Pairs of laws of what one side of the target adds, given one state of it and given another, centred: row by
    row for each way in which the side may end.
    """

    first: Floats  # [row, y + reach]
    second: Floats

    @classmethod
    def of(cls, pairs: Sequence[tuple[Floats, int, Floats, int]]) -> "Sides":
        """Each pair as masses from 0 up with an addend, twice."""
        placed = []
        for one, more, two, other in pairs:
            middle = round((_mean(one) + more + _mean(two) + other) / 2)
            placed.append((one, more - middle, two, other - middle))
        reach = max(
            max(abs(first), abs(first + len(law) - 1))
            for one, more, two, other in placed
            for law, first in ((one, more), (two, other))
        )
        found = np.zeros((2, len(placed), 2 * reach + 1))
        for row, (one, more, two, other) in enumerate(placed):
            found[0, row, reach + more : reach + more + len(one)] = one
            found[1, row, reach + other : reach + other + len(two)] = two
        return cls(found[0], found[1])

    @property
    def reach(self) -> int:
        return int(self.first.shape[1]) // 2

    def bounds(self, cells: "SideCells") -> tuple[Floats, Floats]:
        """For each cell the largest log u and the largest ρ."""
        y = np.arange(-self.reach, self.reach + 1)
        away = cells.half[:, None] * np.abs(y)
        line = -cells.theta[:, None] * y
        most = np.log(self.first @ np.exp(line + away).T)
        bent = cells.bend[:, None] * (y**2 + np.abs(y) / 2)
        second = self.second @ np.exp(line - away - bent).T
        least = np.where(second > HELD, np.log(np.maximum(second, HELD)), -np.inf)  # what is less is as good as none
        return most.max(axis=0), (most - least).max(axis=0)


def _mean(mass: Floats) -> float:
    return float(mass @ np.arange(len(mass)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class SideCells:
    """Ranges of neighbouring integers: slopes of log Z within `half` of `theta`, their bend, mass."""

    theta: Floats
    half: Floats
    bend: Floats
    mass: Floats
    outside: float

    @classmethod
    def of(cls, law: Law, reach: int) -> "SideCells | None":
        """The cells of a log-concave law, for numbers y up to `reach`; None where it is too narrow for that."""
        with np.errstate(divide="ignore", invalid="ignore"):
            sure = (law.mass > 0) & (law.error <= SURE * law.mass)
            doubt = np.where(sure, law.error / law.mass, 0.0)
        middle = int(np.argmax(law.mass))
        left = middle - int(np.argmin(sure[middle::-1])) + 1 if not sure[: middle + 1].all() else 0
        right = middle + int(np.argmin(sure[middle:])) - 1 if not sure[middle:].all() else len(sure) - 1
        first, last = left + reach + 2, right - reach - 2
        if not sure[middle] or last - first < 2 * reach + 8:
            return None
        slope = np.diff(np.log(law.mass[left : right + 1]))  # r of left + 1, ..., right
        off = 2.1 * (doubt[left:right] + doubt[left + 1 : right + 1]) + LOGS
        bends = slope[:-1] - slope[1:] + off[:-1] + off[1:]  # r(w) - r(w + 1) for w = left + 1, ...
        upper = law.mass + law.error
        outside = amply_up(float(upper[: first + reach].sum() + upper[last - reach + 1 :].sum() + law.tail))
        cuts = np.unique(np.linspace(first, last + 1, min(CELLS, last - first + 1) + 1).astype(int))
        theta, half, bend = (np.zeros(len(cuts) - 1) for _ in range(3))
        for cell, (start, stop) in enumerate(pairwise(cuts.tolist())):
            high = slope[start - left - 1] + off[start - left - 1]  # r(start)
            low = slope[stop - left - 1] - off[stop - left - 1]  # r(stop) = r(last z of the cell, plus one)
            theta[cell], half[cell] = (high + low) / 2, (high - low) / 2
            bend[cell] = max(0.0, float(bends[start - left - 2 - reach : stop - left + reach].max()))
        mass = np.add.reduceat(upper[: last + 1], cuts[:-1])
        return cls(theta, half, bend, mass, outside)  # `delta` rounds the sum of the masses up


@final
@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """What the records around any target may be, for each two states (a, b) of it."""

    sides: Mapping[tuple[int, int], tuple[Sides, Sides]]

    @property
    def reach(self) -> int:
        return max((left.reach + right.reach for left, right in self.sides.values()), default=0)

    def under(self, law: Law) -> "HiddenSide":
        """The bounds for one law of what hides, for every epsilon; laws that are small enough are taken as they are."""
        cells, pairs = SideCells.of(law, self.reach), []
        for left, right in self.sides.values():
            if cells:
                (one, ratio), (two, other) = left.bounds(cells), right.bounds(cells)
                # absolute, in the exponent of ε: logarithms err by far less; `delta` raises the rest
                pairs.append((one + two, ratio + other + HAIR))
        size = sum(len(left.first) * len(right.first) for left, right in self.sides.values())
        worlds = None
        if size * (len(law.mass) + 2 * self.reach) <= NUMBERS:
            worlds = [
                (_sums(left.first, right.first, law, 1), _sums(left.second, right.second, law, -1))
                for left, right in self.sides.values()
            ]
        outside = cells.outside if cells else 1.0
        return HiddenSide(outside, cells.mass if cells else np.zeros(0), tuple(pairs), worlds, law.tail)


def _sums(left: Floats, right: Floats, law: Law, sign: int) -> Floats:
    """Bounds on the masses of Z plus each left and each right side, from above (1) or below (-1)."""
    masses = np.maximum(law.mass + sign * law.error, 0.0)
    masses = amply_up(masses) if sign > 0 else amply_down(masses)
    first = np.stack([np.convolve(row, masses) for row in left])
    size = first.shape[1] + right.shape[1] - 1
    found = np.zeros((len(right), len(first), size))
    for place in range(right.shape[1]):
        found[:, :, place : place + first.shape[1]] += right[:, place, None, None] * first
    return found.reshape(-1, size)


@final
@dataclass(frozen=True, slots=True, eq=False)
class HiddenSide:
    """For each cell the mass of Z, and for each pair of states log u and ρ; and bounds on the masses of all sums,
    if there are not too many.
    """

    outside: float
    mass: Floats
    pairs: tuple[tuple[Floats, Floats], ...]
    worlds: Sequence[tuple[Floats, Floats]] | None
    tail: float

    def delta(self, epsilon: Fraction) -> float:
        """An upper bound on δ(ε), worst over all neighbourhoods."""
        at = math.log(exponential(epsilon)[0])
        found = [1.0]
        if self.pairs:
            sums = [(self.mass * np.exp(u) * -np.expm1(np.minimum(at - ratio, 0.0))).sum() for u, ratio in self.pairs]
            found.append(amply_up(float(max(sums)) + self.outside))
        if self.worlds is not None:
            factor = exponential(epsilon)[0]
            sums = [np.maximum(one - factor * two, 0.0).sum(axis=1).max() for one, two in self.worlds]
            found.append(amply_up(float(max(sums, default=0.0)) + self.tail))
        return min(found)
