"""A run of known records that moves along two types of yes/no record: each step gives one record back and takes
another.

Let L + 1 neighbouring runs differ only in how many records of rate a (j) and of rate b (L - j) they leave. With x =
2j/L - 1 the count of the others has spectrum exp(K_middle + xc), c = (L/2)(log(1 + av) - log(1 + bv)), and exp(xc) =
Σ c^m x^m / m! converges fast, so the L + 1 laws form a `LawFamily`: all of them are judged at once.
The series and what it errs by are in `enclosure/chebyshev.py`.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.chebyshev import exchanged
from dalenius.enclosure.exponents import tilted_mean
from dalenius.enclosure.outward import HIGHEST_POWER, log_up, quotient_up
from dalenius.numerics.charfun import Rung, ladder
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.law import Floats
from dalenius.numerics.lawfamily import Expansion, LawFamily, family

MOST_VARIANCE = 0.25  # of a yes/no record


def traded(middle: TypeSum, first: float, second: float, length: int) -> LawFamily:
    """The laws of `middle` with j - L/2 records more of rate `first` and as many fewer of rate `second`, for j =
    0..L, L even.

    A record of rate 0 or 1 that is traded for another moves an end of the support, so the ladder must not stop at the
    ends of the middle's: what lies beyond its last rung is bounded for every member instead.
    """
    steps = ladder(_widened(middle, first, second, length // 2))
    x = 2 * np.arange(length + 1) / length - 1
    cells = np.column_stack([x, x])
    return family(steps, lambda rung: _exponential(rung, first, second, length / 2), cells, moved=length / 2)


def _widened(middle: TypeSum, first: float, second: float, half: int) -> TypeSum:
    """The sum, with ends that no member's support goes beyond: of n records, of which z are 0 for sure and o are 1, a
    count lies between o and n - z.
    """
    low = middle.low - half * (1.0 in (first, second))
    high = middle.high + half * (0.0 in (first, second))
    return replace(middle, low=low, high=high)


def _exponential(rung: Rung, first: float, second: float, half: float) -> Expansion:
    powers, slip, far = exchanged(rung.theta, rung.t, first, second, half)
    # moving the law by up to `half` steps multiplies what the Chernoff bounds of the alias say, and the tilted mass
    # itself
    growth = math.exp(min(HIGHEST_POWER, half * (rung.push + 2 * _slope(rung.theta, first, second))))
    return Expansion(powers, slip, far, growth, less=half * MOST_VARIANCE)


def _slope(theta: float, first: float, second: float) -> float:
    """|log E exp(theta X_first) - log E exp(theta X_second)|, for one record of each."""
    one, two = tilted_mean(first, theta), tilted_mean(second, theta)
    return log_up(max(quotient_up(one[1], two[0]), quotient_up(two[1], one[0])))


def rates_of(types: Floats, counts: NDArray[np.int64]) -> TypeSum:
    """A sum of a few types of yes/no record."""
    return TypeSum.of(np.arange(2), np.column_stack([1 - types, types]), counts, roundings=2)
