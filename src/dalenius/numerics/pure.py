"""Curves in closed form: whatever is pure at some epsilon, randomised response, Laplace noise and geometric noise."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import LARGEST, exponential
from dalenius.numerics.law import Floats
from dalenius.numerics.rounding import LIBM, SMALLEST, UNIT, down, up


class Closed(Curve):
    """A curve in closed form, so cheap that all of it is looked at when it is composed."""

    __slots__ = ()

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        return epsilons, np.array([self.delta(Fraction(float(at))).upper for at in epsilons])


@final
@dataclass(frozen=True, slots=True, eq=False)
class PureCurve(Closed):
    r"""All pairs of laws whose likelihood ratio is at most e^level, of which nothing else is known.

    $$ \delta(\epsilon) \le \frac{e^{level} - e^\epsilon}{e^{level} + 1} $$

    Proof. A = {P > e^epsilon Q} has P(A) <= e^level Q(A), so with q = Q(A) the excess is at most
    (e^level - e^epsilon) q; and the complement gives P(A) <= 1 - (1 - q) e^-level, hence an excess of at most
    1 - e^-level + (e^-level - e^epsilon) q. The first grows and the second falls in q; they meet at
    q = 1 / (1 + e^level).
    """

    level: Fraction
    only: bool = False  # whether the release must be the only one about its records

    @property
    def alone(self) -> bool:
        return self.only

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.level:
            return Bracket(0.0, 0.0)
        if self.level > LARGEST:
            return Bracket(0.0, 1.0)
        # (1 - e^(epsilon - level)) / (1 + e^-level)
        gap = -math.expm1(float(epsilon - self.level))
        upper = up(gap / (1 + math.exp(-float(self.level))), 4 * LIBM + 2 * float(self.level))
        return Bracket(0.0, min(1.0, upper + SMALLEST))  # a gap that no float can hold is not nothing


@final
@dataclass(frozen=True, slots=True, eq=False)
class ResponseCurve(Closed):
    """One answer that is true with a chance between `least` and `most`, above one half: max(0, keep - e^ε (1 - keep)).
    It falls in ε and grows in the chance.
    """

    least: Fraction
    most: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        low, high = exponential(epsilon)
        upper = self.most - Fraction(low) * (1 - self.most)
        most = up(float(upper)) + SMALLEST if upper > 0 else 0.0
        if math.isinf(high):
            return Bracket(0.0, most)
        lower = self.least - Fraction(high) * (1 - self.least)
        return Bracket(down(float(max(Fraction(0), lower))), most)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LaplaceCurve(Closed):
    r"""Laplace noise against itself, shifted by `level` times its scale.

    $$ \delta(\epsilon) = \max(0, 1 - e^{(\epsilon - level)/2}) $$

    The likelihood ratio falls, so the best event is a half-line, that left of (1 - epsilon/level) / 2 of the shift.
    """

    level: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.level:
            return Bracket(0.0, 0.0)
        found = -math.expm1(float((epsilon - self.level) / 2))
        return Bracket(down(found, 2 * LIBM), min(1.0, up(found, 2 * LIBM) + SMALLEST))


@final
@dataclass(frozen=True, slots=True, eq=False)
class GeometricCurve(Closed):
    r"""Two-sided geometric noise, P(k) ∝ x^|k| with x = e^(-1/scale), against itself, shifted by `shift` whole steps.

    $$ \delta(\epsilon) = 1 - \frac{x^{t+1} + e^\epsilon x^{m-t}}{1 + x}, \qquad
       t = \lceil (m - \epsilon \cdot scale) / 2 \rceil - 1 $$

    The ratio x^(|k| - |k-m|) falls in k and exceeds e^epsilon up to k = t, which lies in [0, m) if epsilon < m/scale;
    then P(K <= t) = 1 - x^(t+1)/(1+x) and P(K + m <= t) = x^(m-t)/(1+x). It may exceed the curve of Laplace noise of
    the same scale, by at most 1 - 1/cosh(1/2scale).

    Rounding. 1 - (a + b)/(1 + x) = ((1 - a) + (x - b))/(1 + x), where both are expm1s, and nothing cancels.
    """

    shift: int
    scale: Fraction

    def __post_init__(self) -> None:
        if self.shift < 0 or self.scale <= 0:
            raise InputError(
                f"Geometric noise needs a shift of at least 0 and a scale above 0, but got {self.shift} and "
                f"{self.scale}. Correct them."
            )

    def delta(self, epsilon: Fraction) -> Bracket:
        m, scale = self.shift, self.scale
        if epsilon * scale >= m:
            return Bracket(0.0, 0.0)
        t = math.ceil((m - epsilon * scale) / 2) - 1
        first = -math.expm1(-float((t + 1) / scale))
        x = math.exp(-1 / float(scale))
        power = epsilon - (m - t - 1) / scale  # x - b = x (1 - e^power), power < 1/scale
        second = -math.expm1(float(power)) * x if scale >= 1 else x - math.exp(float(power - 1 / scale))
        found = (first + second) / (1 + x)
        slip = (4 * LIBM + 8 + 4 * float(1 / scale)) * UNIT * (abs(first) + abs(second))
        return Bracket(max(0.0, found - slip), min(1.0, found + slip))
