"""Two-sided geometric noise on places of a list: the chances to go from one to another, clamped to the ends, and what
noise hides of a shift.
"""

from fractions import Fraction

import numpy as np

from dalenius.enclosure.balls import Balls, choose
from dalenius.numerics.law import Floats
from dalenius.numerics.pure import GeometricCurve


def clamped_noise(scale: Fraction, many: int) -> Floats:
    """Bounds, from below and from above, on the chances to go from one of so many places (row) to another.

    >>> low, high = clamped_noise(Fraction(1), 2)
    >>> [round(float(chance), 4) for chance in high[0]]
    [0.7311, 0.2689]
    """
    rate, places = -1 / Balls.of(scale), np.arange(many)
    ends = (rate * np.abs(np.subtract.outer(places, places))).exp() / (rate.exp() + 1)
    chances = choose((places == 0) | (places == many - 1), ends, ends * -rate.expm1())
    return np.array([chances.positive, chances.upper])


def shifted_noise(scale: Fraction, far: int, epsilon: Fraction) -> float:
    """At most the δ of the noise against itself moved by so many places.

    >>> shifted_noise(Fraction(2), 1, Fraction(1, 2)), round(shifted_noise(Fraction(1), 2, Fraction(0)), 4)
    (0.0, 0.6321)
    """
    return GeometricCurve(far, scale).delta(epsilon).upper
