"""The same figure with discrete Gaussian noise, several times: one figure with less noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.mechanisms.channel import NOISE_TAIL, DiscreteGaussian
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law

MOST_CENTRES = 64  # places of the noise between two whole numbers that are gone through
NARROWEST, WIDEST = Fraction(1, 100), Fraction(1 << 24)  # variances


@final
@dataclass(frozen=True, slots=True)
class CentredGaussian:
    """A figure plus whole-number noise K with P(K = k) proportional to exp(-(k - centre)² / (2 variance))."""

    variance: Fraction
    centre: Fraction

    @property
    def period(self) -> int:
        return 0

    @property
    def exact(self) -> bool:
        return False

    def pure(self, shift: int) -> Fraction | None:
        return None

    def push(self, law: Law) -> Law:
        return convolve(law, self.noise())

    def noise(self) -> Law:
        """The noise. What is cut off beyond c is at most 2 exp(-c²/2v) (1 + v/c), against a sum of at least exp(-1/8v),
        as some whole number is within 1/2 of the centre.
        """
        variance, centre = Balls.of(self.variance), Balls.of(self.centre)
        cut = math.ceil(math.sqrt(-2 * float(self.variance) * math.log(NOISE_TAIL)) + 3)
        k = np.arange(-cut, cut + 2, dtype=float)
        weights = (-((Balls.of(k) - centre) ** 2) / (2 * variance)).exp()
        fall = 1 / (8 * variance) - Balls.of(cut**2) / (2 * variance)
        tail = float((2 * fall.exp() * (1 + variance / cut)).upper)
        return Law.enclosing(-cut, (weights / weights.sum()).widened(tail), tail)


def repeated(noises: Sequence[DiscreteGaussian]) -> tuple[CentredGaussian, ...] | None:
    """What several independent discrete Gaussian noises on one figure come to: one of these, so at worst the worst.

    The differences of the noisy figures do not depend on the figure. Given them, the first noise K has masses
    proportional to Π exp(-(k - d_j)² / 2s_j²), d_1 = 0: a discrete Gaussian with 1/v = Σ 1/s_j² whose centre is
    v Σ d_j / s_j². The centre matters up to whole numbers only, and is a multiple of 1/b where v / s_j² = a_j / b. The
    mean over the differences is at most the worst centre. None if there are too many of these, or the noise is tiny.
    """
    parts = [1 / noise.scale**2 for noise in noises]
    variance = 1 / sum(parts, Fraction(0))
    steps = math.lcm(*((variance * part).denominator for part in parts))
    if steps > MOST_CENTRES or not NARROWEST <= variance <= WIDEST:
        return None
    return tuple(CentredGaussian(variance, Fraction(place, steps)) for place in range(steps))
