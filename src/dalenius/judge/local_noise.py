"""Two-sided geometric noise on places of a list: the chances to go from one to another, clamped to the ends, and what
noise hides of a shift.
"""

import math
from fractions import Fraction

import numpy as np

from dalenius.enclosure.outward import exponential
from dalenius.numerics.law import Floats

CLOSE = 1e-12  # far more than a dozen operations lose, of numbers above e^-700
TINY = 1e-300


def clamped_noise(scale: Fraction, many: int) -> Floats:
    """Bounds, from below and from above, on the chances to go from one of so many places (row) to another.

    >>> low, high = clamped_noise(Fraction(1), 2)
    >>> [round(float(chance), 4) for chance in high[0]]
    [0.7311, 0.2689]
    """
    powers = np.exp(-np.abs(np.subtract.outer(np.arange(many), np.arange(many))) / float(scale))
    x = math.exp(-1 / float(scale))
    chances = powers / (1 + x)
    chances[:, 1 : many - 1] *= -math.expm1(-1 / float(scale))  # 1 - x, where x may be nearly 1
    return np.array([chances * (1 - CLOSE), chances * (1 + CLOSE) + TINY])


def shifted_noise(scale: Fraction, far: int, epsilon: Fraction) -> float:
    """At most the δ of the noise against itself moved by so many places: F(R) - e^ε F(R - far), with F its distribution
    function and R the largest whole number below (far - ε scale) / 2. The numbers beside R are tried, too.

    >>> shifted_noise(Fraction(2), 1, Fraction(1, 2)), round(shifted_noise(Fraction(1), 2, Fraction(0)), 4)
    (0.0, 0.6321)
    """
    if far <= epsilon * scale:
        return 0.0
    middle, least = math.ceil((far - epsilon * scale) / 2) - 1, exponential(epsilon)[0]
    found = max(_below(scale, at) * (1 + CLOSE) - least * _below(scale, at - far) * (1 - CLOSE) for at in _near(middle))
    return min(1.0, max(0.0, found) + TINY)


def _near(middle: int) -> range:
    return range(middle - 1, middle + 2)


def _below(scale: Fraction, at: int) -> float:
    """P(Z <= at)."""
    x = math.exp(-1 / float(scale))
    return 1 - math.exp(-(at + 1) / float(scale)) / (1 + x) if at >= 0 else math.exp(at / float(scale)) / (1 + x)
