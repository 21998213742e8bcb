"""The averaging attack: k cells, each with its own noise, whose neighbouring sums are out already.

Kifer and Machanavajjhala 2014, section 6.3.2. From x_i + x_(i+1), i = 1, ..., k - 1, each cell follows from any other:
x_1 = s_1 - s_2 + ... ± x_i. So each noisy cell is one more noisy answer about the first, and their mean has a k-th of
the variance. Noise that hides a step of one cell to within ε lets this step be told to within kε.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import final

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.facts.records import Number, exact
from dalenius.mechanisms.channel import two_sided_geometric
from dalenius.numerics.convolve import power
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.numerics.law import Law, point

LARGEST = 4_096  # cells


@final
@dataclass(frozen=True, slots=True)
class Averaging:
    """The attack on `cells` counts with two-sided geometric noise of this scale (1/ε for a step of one count).

    >>> attack = Averaging(cells=4, scale=1)
    >>> attack.estimate(sums=[12, 9, 11], noisy=[8, 6, 2, 9])
    Fraction(6, 1)
    >>> print(attack.variance(), attack.epsilon())
    [0.4603, 0.4604] 4
    """

    cells: int
    scale: Fraction

    def __init__(self, cells: int, scale: Number) -> None:
        found = exact(scale, name="scale")
        require(1 <= cells <= LARGEST, f"1 to {LARGEST} cells", got=cells)
        require(found > 0, "a scale above 0", got=scale)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "scale", found)

    def estimates(self, sums: Sequence[int], noisy: Sequence[int]) -> tuple[int, ...]:
        """What each noisy cell says about the first."""
        require(len(noisy) == self.cells, f"{self.cells} noisy cells", got=len(noisy))
        require(len(sums) == self.cells - 1, f"{self.cells - 1} sums of neighbours", got=len(sums))
        signs = [(-1) ** place for place in range(self.cells)]
        # s_1 - s_2 + ... ± s_(i-1) = x_1 ± x_i, with the sign of s_(i-1)
        known = [0, *accumulate(sign * value for sign, value in zip(signs, sums, strict=False))]
        return tuple(part + sign * cell for part, sign, cell in zip(known, signs, noisy, strict=True))

    def estimate(self, sums: Sequence[int], noisy: Sequence[int]) -> Fraction:
        """Their mean."""
        return Fraction(sum(self.estimates(sums, noisy)), self.cells)

    def variance(self) -> Bracket:
        """The variance of the mean: a k-th of that of the noise, 2x / (1 - x)² with x = e^(-1/scale). For Laplace noise
        it is 2 scale² / k.
        """
        ratio = -1 / self.scale

        def value() -> Decimal:
            x = decimal(ratio).exp()
            return 2 * x / (1 - x) ** 2 / self.cells

        return evaluated(value)

    def error(self) -> Law:
        """The law of k times the error of the mean: the sum of the noise of all cells. Cost O(N log N) for N = cells
        times some 100 scales.
        """
        return power(two_sided_geometric(self.scale).push(point(0)), self.cells)

    def hit(self) -> Bracket:
        """The chance that the mean, rounded to the nearest whole number, is the first cell exactly."""
        law = self.error()
        most = (self.cells - 1) // 2  # of the sum, so that the mean is off by less than one half
        mass, error = law.window(-most, most + 1)
        lower, upper = float(least_masses(mass, error).sum()), float(largest_masses(mass, error).sum())
        slack = 1e-12  # far more than the sums lose
        return Bracket(max(0.0, lower * (1 - slack)), min(1.0, upper * (1 + slack) + law.tail))

    def epsilon(self) -> Fraction:
        """The logarithm of the largest ratio of what is published if the first cell is one less, given the sums: all
        cells move by one, each by 1/scale, and the ratio is attained.
        """
        return self.cells / self.scale
