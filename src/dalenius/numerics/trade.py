"""A run of known records that moves along two types of yes/no record: each step gives one record back and takes
another.

Let L + 1 neighbouring runs differ only in how many records of rate a (j) and of rate b (L - j) they leave. With x =
2j/L - 1 the count of the others has spectrum exp(K_middle + xc), c = (L/2)(log(1 + av) - log(1 + bv)), and exp(xc) =
Σ c^m x^m / m! converges fast, so the L + 1 laws form a `LawFamily`: all of them are judged at once.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import UNIT
from dalenius.enclosure.transforms import frequency_error
from dalenius.numerics.charfun import Rung, ladder
from dalenius.numerics.cumulant import TypeSum, expm1_complex, log1p_complex
from dalenius.numerics.law import Floats
from dalenius.numerics.lawfamily import Expansion, LawFamily, family
from dalenius.numerics.yesno import tilted_mean

DEGREE = 60


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
    with np.errstate(divide="ignore", invalid="ignore"):  # a rate of 1/2 turns to zero at t = π: that is far
        v, v_error = expm1_complex(np.full(len(rung.t), rung.theta), rung.t)
        v_error = v_error + frequency_error(rung.t) * math.exp(rung.theta)  # frequencies are floats
        one, one_error = log1p_complex(first * v)
        two, two_error = log1p_complex(second * v)
        c = half * (one - two)
        room = np.minimum(np.abs(1 + first * v), np.abs(1 + second * v)) - v_error
        c_error = half * (one_error + two_error + (2 * v_error + 6 * UNIT * np.abs(v)) / np.maximum(room, 1e-300))
        size = np.abs(c)
        far = ~((size < DEGREE / 4) & (c_error < 0.1) & (room > 1e-3))
    c, size = np.where(far, 0.0, c), np.where(far, 0.0, size)
    degree = _degree(float(size.max()))
    steps = np.arange(1, degree + 1)
    monomials = np.cumprod(np.vstack([np.ones_like(c), c / steps[:, None]]), axis=0)
    cut = np.exp(size) * size ** (degree + 1) / math.factorial(degree + 1)
    slip = np.exp(size) * (np.where(far, 0.0, c_error) * 1.1 + 8 * (degree + 2) * UNIT) + cut
    # moving the law by up to `half` steps multiplies what the Chernoff bounds of the alias say, and the tilted mass
    # itself
    growth = math.exp(min(700.0, half * (rung.push + 2 * _slope(rung.theta, first, second))))
    return Expansion(
        np.asarray(_chebyshev_from_powers(degree) @ monomials, dtype=complex), slip, far, growth, less=half / 4
    )


@cache
def _chebyshev_from_powers(degree: int) -> Floats:
    """The matrix that turns coefficients of x^m into those of T_m; its entries are positive and each column sums to
    one: with x = cos(t), x^m is the mean of cos((m - 2j)t) over the number j of heads among m coins.
    """
    matrix = np.zeros((degree + 1, degree + 1))
    for m in range(degree + 1):
        for j in range(m // 2 + 1):
            matrix[m - 2 * j, m] = math.comb(m, j) / 2**m * (1 if m == 2 * j else 2)
    return matrix


def _slope(theta: float, first: float, second: float) -> float:
    """|log E exp(theta X_first) - log E exp(theta X_second)|, for one record of each."""
    one, two = tilted_mean(first, theta), tilted_mean(second, theta)
    return math.log(max(one[1] / two[0], two[1] / one[0])) * 1.001


def _degree(size: float) -> int:
    """Terms after which size^m / m! is below 1e-19."""
    degree, term = 1, size
    while term > 1e-19 and degree < DEGREE:
        degree += 1
        term *= size / degree
    return degree + 2


def rates_of(types: Floats, counts: NDArray[np.int64]) -> TypeSum:
    """A sum of a few types of yes/no record."""
    return TypeSum.of(np.arange(2), np.column_stack([1 - types, types]), counts, roundings=2)
