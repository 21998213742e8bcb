r"""Chebyshev series in a rate: sums over any number of yes/no records, one record left out, records traded for others.

For rates p = c + hx with x in [-1, 1], and v = exp(w) - 1,

    log(1 + pv) = log(a + bx),   a = 1 + cv,  b = hv,
                = log(a) - log(1 + r²) - 2 Σ_m r^m T_m(x) / m,      r = -β / (1 + sqrt(1 - β²)),  β = b/a,
    1 / (a + bx) = g (1 + 2 Σ_m r^m T_m(x)),                        g = (1 + r²) / (a (1 - r²)),

the generating functions of the Chebyshev polynomials.

**Sums** (`log_sum`). Stopping at order M errs by at most 2n |r|^(M+1) / ((M+1)(1-|r|)) for n records. An error in v
passes through log(1 + pv) as p / |1 + pv|, one in a rate as |v| / |1 + pv|; c v is rounded once, and passes through
every record's log(a + bx). Of the moments Σ_j T_m(x_j), each T_m is within 4 m² units (the recurrence is stable up to
that, its solutions being sines over sines) and the sum is pairwise, in blocks.

*The ratio.* β errs by 1 + COMPLEX = 5 units, β² by 14, and √(1 - β²), at least 0.28 where |r| <= 3/4, by (14|β|² + 1) /
0.56 + COMPLEX of one; the sum below it by one more, and the quotient by COMPLEX: `RATIO` units for an exact a. Beyond
|r| = 3/4 a series of the orders used leaves more open than that.

**One left out** (`reciprocal`). 1/(a + bx) moves by |dv| p / |1 + pv|², and |1 + pv| >= |a| - h|v|; g errs by less than
40 units times (1 + |r|) / (1 - |r|)², the rounding of powers of r included; what is cut off is a geometric series.

**Traded** (`exchanged`). exp(xc) = Σ c^m x^m / m!, c = half (log(1 + av) - log(1 + bv)). A wrong c moves it by e^|c|
|dc|, for |dc| below 0.1 by a tenth more at most; each term errs by less than 8 (degree + 2) units of itself, the matrix
from powers to polynomials being positive with columns that sum to one; the rest of the series is at most e^|c| times
its first term.

**Values** (`value_error`). A Chebyshev series Σ C_m T_m(x) errs by at most 4 n² units of Σ |C_m|: polynomials by
their recurrence, and the sum.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.complexes import LEAST, expm1_on_grid, log1p_complex
from dalenius.enclosure.floats import COMPLEX, RAISED, UNIT, pairwise
from dalenius.enclosure.transforms import Complexes

BLOCK = 8192  # rates treated at once: the working set stays in the cache
RATIO = 40  # units by which r may be off
BELOW = 1.0 - 1e-12  # a ratio is known to many more digits
ENOUGH = 1.0 + 1e-9  # for bounds that were rounded themselves, a few thousand times
NEAREST = 1e-3  # room between a frequency and a pole, below which a series is not used
CONVERGING = 0.9  # a ratio from which on it is not used either
LITTLE = 0.1  # an error of c up to which its exponential is used
DEGREE = 60  # of a trade


def series(v: Complexes, centre: float, half: float) -> tuple[Complexes, Complexes]:
    """A and r of the module's formulas."""
    a = 1 + centre * v
    beta = half * v / a
    return a, -beta / (1 + np.sqrt(1 - beta * beta))


def moments_of(x: Floats, order: int, centre: float = 0.0, width: float = 1.0) -> Floats:
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


def log_sum(
    moments: Floats, span: tuple[float, float], count: int, theta: Floats, t: Floats, *, mean: float, slip: float
) -> tuple[Complexes, Floats]:
    """Σ_j log(1 + p_j (exp(w) - 1)) at each w = θ + it, t up to `GRID` units, and its error: of `count` rates in span =
    (centre, half), that sum to about `mean` and may be off by `slip` in all, from the moments of (p - centre) / half.
    """
    centre, half = span
    v, v_error = expm1_on_grid(theta, t)
    a, r = series(v, centre, half)
    log_a, log_a_error = log1p_complex(centre * v)
    log_r, log_r_error = log1p_complex(r * r)
    powers = np.zeros_like(r)
    for m in range(len(moments) - 1, 0, -1):
        powers = (powers + moments[m] / m) * r
    value = count * (log_a - log_r) - 2 * powers
    nearest = np.maximum(np.abs(a) - half * np.abs(v) - v_error, LEAST)
    rounded = count * (log_a_error + log_r_error + 2 * UNIT * (np.abs(log_a) + np.abs(log_r)))
    square = np.abs(r) ** 2
    rounded += count * UNIT * (centre * np.abs(v) / nearest + (2 * RATIO + COMPLEX) * square / (1 - square))
    passed = (mean * RAISED * v_error + slip * np.abs(v)) / nearest
    return value, np.asarray((rounded + passed + _cut_off(moments, count, np.abs(r))) * ENOUGH)


def _cut_off(moments: Floats, count: int, r: Floats) -> Floats:
    """Rounding of the moments and of r^m, and the series' remainder."""
    ratio, order = np.minimum(r / BELOW, 1.0), len(moments) - 1
    if order == 0:
        return np.zeros_like(ratio)
    units = np.zeros_like(ratio)
    for m in range(order, 0, -1):
        # products of polynomials are summed in any order, and doubled
        summed = pairwise(BLOCK) if m <= (order + 1) // 2 else 2 * BLOCK + pairwise(BLOCK)
        moment = _largest_sum(moments, count, m) * summed + count * 4 * m * m + RATIO * m * abs(moments[m])
        units = (units + moment / m) * ratio
    with np.errstate(divide="ignore"):
        remainder = 2 * count * ratio ** (order + 1) / ((order + 1) * (1 - ratio))
    return np.asarray(2 * UNIT * units + remainder)


def _largest_sum(moments: Floats, count: int, m: int) -> float:
    """A bound on Σ |T_m(x_j)|: the number of records; for m = 1 by Cauchy and Schwarz, as x² = (1 + T_2(x)) / 2."""
    if m > 1 or len(moments) < 3:
        return float(count)
    return min(float(count), RAISED * math.sqrt(count * max(0.0, count + float(moments[2])) / 2))


def reciprocal(
    theta: float, t: Floats, centre: float, half: float, degree: int
) -> tuple[Complexes, Floats, NDArray[np.bool_]]:
    """The coefficients of 1 / (1 + pv) = 1 / E exp(wX) up to the degree, at w = θ + it, t up to `GRID` units; their
    error at any x; and where the series converges too slowly: there it is 0.
    """
    v, v_error = expm1_on_grid(np.full(len(t), theta), t)
    a, r = series(v, centre, half)
    nearest = np.abs(a) - half * np.abs(v)
    far = ~((np.abs(r) < CONVERGING) & (nearest > NEAREST))
    a, r, nearest = np.where(far, 1.0, a), np.where(far, 0.0, r), np.where(far, 1.0, nearest)
    g, ratio = (1 + r * r) / (a * (1 - r * r)), np.abs(r)
    rounded = (v_error + 2 * UNIT * np.abs(v)) / nearest**2 + RATIO * UNIT * np.abs(g) * (1 + ratio) / (1 - ratio) ** 2
    cut = 2 * np.abs(g) * ratio ** (degree + 1) / (1 - ratio)
    powers = g * np.cumprod(np.vstack([np.ones_like(r), np.tile(r, (degree, 1))]), axis=0)
    powers[1:] *= 2
    return np.where(far, 0.0, powers), rounded + cut, far


def exchanged(
    theta: float, t: Floats, first: float, second: float, half: float
) -> tuple[Complexes, Floats, NDArray[np.bool_]]:
    """The coefficients of exp(xc), likewise: the quotient of E exp(wX) of rate `first` over that of rate `second`, to
    the power x · half.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # a rate of 1/2 turns to zero at t = π: that is far
        v, v_error = expm1_on_grid(np.full(len(t), theta), t)
        one, one_error = log1p_complex(first * v)
        two, two_error = log1p_complex(second * v)
        c = half * (one - two)
        room = np.minimum(np.abs(1 + first * v), np.abs(1 + second * v)) - v_error
        c_error = half * (one_error + two_error + (2 * v_error + 6 * UNIT * np.abs(v)) / np.maximum(room, LEAST))
        size = np.abs(c)
        far = ~((size < DEGREE / 4) & (c_error < LITTLE) & (room > NEAREST))
    c, size = np.where(far, 0.0, c), np.where(far, 0.0, size)
    degree = _degree(float(size.max()))
    steps = np.arange(1, degree + 1)
    monomials = np.cumprod(np.vstack([np.ones_like(c), c / steps[:, None]]), axis=0)
    cut = np.exp(size) * size ** (degree + 1) / math.factorial(degree + 1)
    slip = np.exp(size) * (np.where(far, 0.0, c_error) * (1 + LITTLE) + 8 * (degree + 2) * UNIT) + cut
    return np.asarray(_from_powers(degree) @ monomials, dtype=complex), slip, far


def _degree(size: float) -> int:
    """Terms after which size^m / m! is below 1e-19."""
    degree, term = 1, size
    while term > 1e-19 and degree < DEGREE:
        degree += 1
        term *= size / degree
    return degree + 2


@cache
def _from_powers(degree: int) -> Floats:
    """The matrix that turns coefficients of x^m into those of T_m; its entries are positive and each column sums to
    one: with x = cos(t), x^m is the mean of cos((m - 2j)t) over the number j of heads among m coins.
    """
    matrix = np.zeros((degree + 1, degree + 1))
    for m in range(degree + 1):
        for j in range(m // 2 + 1):
            matrix[m - 2 * j, m] = math.comb(m, j) / 2**m * (1 if m == 2 * j else 2)
    return matrix


def value_error(coefficients: Floats) -> float:
    """What the value of a Chebyshev series may be off by at any x in [-1, 1], of all that is added up: its terms may
    cancel.
    """
    return 4 * UNIT * len(coefficients) ** 2 * float(np.abs(coefficients).sum())


def running_errors(coefficients: Floats, errors: Floats) -> Floats:
    """What the values of the series Σ_(j <= k) C(j) may be off by, for each k, if their coefficients are summed one
    after the other, and the value of each series C(j) may be off by errors[j] >= `TINY`.
    """
    sizes = np.abs(coefficients).sum(axis=0)
    rounding = 2 * UNIT * np.arange(1, coefficients.shape[1] + 1)
    return np.asarray((np.cumsum(errors) + rounding * np.cumsum(sizes)) * RAISED)
