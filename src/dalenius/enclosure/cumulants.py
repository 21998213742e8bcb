r"""Logarithms of means: Σ_t n_t log E exp(w X_t) for records of a few types, with errors that shrink with |w|.

**One type** (`means`). s = Σ_a q_a (exp(w a) - 1) over values a counted from near the mean. Each term is within its
own error (`complexes.py`) and what a unit of x = θa and of y = ta does, or `GRID` of t: (|x| + |y|) e^(x⁺) of one;
chances are within two units, and `slip`, of exact ones that sum to one; a sum of k terms errs by k + 1 units.

**Sums over types** (`log_means`). |log(1 + s') - log(1 + s)| <= d / (|1 + s| - d) for |s' - s| <= d, and log(1 + s)
errs as `complexes.py` says. Where that leaves `LOOSE` or more, the sum of n_t log(|1 + s| + d) bounds the real part
from above: |1 + s| errs by 6 units, the logarithm by `LIBM`, products by one, and sums are pairwise. Rooms are
rounded: that moves an error below `LOOSE` by less than a millionth.

**By one transform** (`transformed`, `log_sizes`). Σ_a q_a exp((θ + 2πij/N) a) for all j: weights folded modulo N err by
2 `LIBM` + 4 units, 2 |θ a| for the exponent and one a fold; the transform by its norm. Of the logarithm: `LIBM` for
each of logarithm and angle, and an absolute value.

**Runs of equally likely values** (`run_means`). A run of m values, `step` apart, centred at c has E exp(wX) = exp(wc)
sinh(mz) / (m sinh z), z = w step/2. With sinh(x)/x = 1 + A(x) the quotient less one is (A(mz) - A(z)) / (1 + A(z)).
Turning z by iπ only changes its sign, to the power m - 1, so z is taken within iπ/2 of the real line, where |1 + A(z)|
>= 2/π. A is a series for |x| <= 1, of which the terms left out are below 1e-22 and each step of Horner's rule counts a
sixth of the one after it; beyond, sinh, cosh, sin and cos err by `LIBM` units each of e^|Re x| / |x|. An x that is off
by d moves A by at most d times |(sinh x / x)'| <= (|x| + d)/2 e^|Re x| where |x| <= 1, and 2 / (|x| - d) e^|Re x|
beyond.
"""

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.complexes import LEAST, LOOSE, expm1_complex, log1p_complex
from dalenius.enclosure.floats import GRID, LIBM, TINY, UNIT, pairwise
from dalenius.enclosure.transforms import Complexes, transform_error

Whole = NDArray[np.int64]
TERMS = 11  # of the series of sinh(x)/x
ENOUGH = 1.0 + 1e-9  # for sums of errors, which are rounded themselves
HIGHEST = 700.0  # exponents above it are cut there


def means(x: Floats, y: Floats, chances: Floats, slip: float) -> tuple[Complexes, Floats]:
    """Σ_a q_ta (exp(w a) - 1) at each point, for each type t (a row of chances), where x + iy is w a; and its error."""
    grown, rounding = expm1_complex(x, y)
    s = grown @ chances.T.astype(complex)
    scale = (np.abs(x) + np.abs(y)) * np.exp(np.maximum(x, 0.0))
    error = (rounding + (x.shape[1] + 5 + GRID) * UNIT * scale) @ chances.T
    return s, error + slip * scale.sum(axis=1, keepdims=True)


def slip_of(roundings: float) -> float:
    """How far a chance may be off that so many roundings of numbers up to 1 were made of."""
    return roundings * UNIT


def log_means(s: Complexes, slip: Floats, counts: Whole) -> tuple[Complexes, Floats]:
    """Σ_t n_t log(1 + s_t) at each point, s_t within slip_t, and its error; from `LOOSE` on the real part is an upper
    bound, infinite where none is known.
    """
    logs, rounding = log1p_complex(s)
    room = np.abs(1 + s) - slip
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(room > 0, slip / room, np.inf) + rounding + 4 * UNIT * np.abs(logs)
    summed = pairwise(len(counts)) * UNIT * (counts * np.abs(logs)).sum(axis=1)
    error = (counts * errors).sum(axis=1) + summed
    error = np.where(np.isnan(error), np.inf, error)  # the logarithm of a huge sum: only its ceiling is known
    most = counts * np.log(np.abs(1 + s) * (1 + 8 * UNIT) + slip + LEAST)
    ceiling = most.sum(axis=1) + (LIBM + 2 + pairwise(len(counts))) * UNIT * np.abs(most).sum(axis=1)
    real = np.where(error < LOOSE, (counts * logs.real).sum(axis=1), ceiling)
    lost = ~(np.isfinite(real) & np.isfinite(s).all(axis=1))
    angle = np.where(lost, 0.0, (counts * logs.imag).sum(axis=1))
    return np.where(lost, np.inf, real) + 1j * angle, np.where(lost, np.inf, error)


def transformed(away: Whole, chances: Floats, theta: float, length: int, slip: float) -> tuple[Complexes, float]:
    """Σ_a q_a exp((θ + 2πij/length) a) for j = 0 .. length/2, and a bound on the error of each."""
    exponent = theta * away
    weights = chances * np.exp(exponent)
    folded = np.bincount(away % length, weights, minlength=length)
    folds = (int(away[-1]) - int(away[0])) // length + 2
    grown = np.exp(np.maximum(exponent, 0.0))
    off = (2 * LIBM + 4 + 2 * np.abs(exponent) + folds) * UNIT * weights + slip * grown
    most = float(folded.max())
    norm = most * float(np.linalg.norm(folded / most)) * np.sqrt(length)
    return np.conj(np.fft.rfft(folded)), float(off.sum()) + transform_error(length, float(norm))


def log_ceilings(one: Complexes, slip: Floats, counts: Whole, turn: Complexes) -> Floats:
    """Σ_t n_t ln|E exp(w X_t)| and the real part of the turn, from above, for transforms within slip."""
    most = counts * np.log(np.abs(one) * (1 + 8 * UNIT) + slip + TINY)
    ceiling = most.sum(axis=0) + turn.real
    return np.asarray(ceiling + (LIBM + 4 + len(counts)) * UNIT * np.abs(most).sum(axis=0) + 4 * UNIT * np.abs(turn))


def log_sizes(
    one: Complexes, slip: Floats, counts: Whole, turn: Complexes, ceiling: Floats
) -> tuple[Complexes, Floats]:
    """Σ_t n_t log E exp(w X_t) and the turn, up to multiples of 2πi, and its error; the ceiling from `LOOSE` on."""
    size = np.abs(one)
    logs = np.log(size + TINY) + 1j * np.angle(one)
    room = np.where(size > 2 * slip, size - slip, TINY)
    error = slip / room + UNIT * (2 * LIBM + 16 + (2 * LIBM + 4 * len(counts)) * np.abs(logs))
    errors = (counts * error).sum(axis=0) + 8 * UNIT * np.abs(turn)
    values = np.where(errors < LOOSE, (counts * logs).sum(axis=0) + turn, ceiling)
    return values.astype(np.complex128), errors


def run_means(
    theta: Floats, t: Floats, away: Floats, step: Whole, count: Whole, weight: Floats
) -> tuple[Complexes, Floats]:
    """E exp(w(X - base)) - 1 at each w = θ + it, and its error: X on run i with weight[i], within two units, at away[i]
    from the base on average, one of count[i] values that are step[i] apart.
    """
    x, y = np.multiply.outer(theta, away), np.multiply.outer(t, away)
    moved, slip = expm1_complex(x, y)
    slip = slip + 2 * UNIT * (np.abs(x) + np.abs(y)) * np.exp(np.maximum(x, 0.0))
    spread, spread_slip = run_spread(theta, t, step, count)
    size = np.abs(moved) + 1
    value = moved + (moved + 1) * spread
    slip = slip * (1 + np.abs(spread)) + size * spread_slip + 8 * UNIT * (size * np.abs(spread) + np.abs(moved))
    units = (len(away) + 8) * UNIT
    error = ((slip + units * np.abs(value)) * weight).sum(axis=1) * ENOUGH
    return (value * weight).sum(axis=1), error


def run_spread(theta: Floats, t: Floats, step: Whole, count: Whole) -> tuple[Complexes, Floats]:
    """sinh(mz) / (m sinh z) - 1 for each run, and a bound on its error."""
    half, number = step / 2, count.astype(float)
    real, angle = np.multiply.outer(theta, half), np.multiply.outer(t, half)
    turns = np.round(angle / np.pi)
    lost = 4 * UNIT * (np.abs(angle) + np.abs(real)) + 4 * UNIT * np.abs(turns)  # of z, absolutely
    z = real + 1j * (angle - turns * np.pi)
    near, near_slip = sinhc(z, lost)
    far, far_slip = sinhc(number * z, number * lost)
    value = (far - near) / (1 + near)
    slip = (far_slip + near_slip * (1 + np.abs(value))) * 1.6 + 8 * UNIT * np.abs(value)
    odd = (turns * (count - 1)) % 2 != 0
    single = count == 1
    value, slip = np.where(odd, -2 - value, value), np.where(odd, slip + 4 * UNIT, slip)
    return np.where(single, 0.0, value), np.where(single, 0.0, slip)


def sinhc(x: Complexes, lost: Floats) -> tuple[Complexes, Floats]:
    """sinh(x)/x - 1, and a bound on its error, where x is off by at most `lost`."""
    small = np.abs(x) <= 1
    square = np.where(small, x * x, 0.0)
    series = np.zeros_like(square)
    for term in range(TERMS, 0, -1):
        series = square / (2 * term * (2 * term + 1)) * (1 + series)
    tame = np.where(small, 1.0, x)
    large = np.sinh(tame.real) * np.cos(tame.imag) + 1j * (np.cosh(tame.real) * np.sin(tame.imag))
    value = np.where(small, series, large / tame - 1)
    size = np.abs(x)
    grown = np.exp(np.abs(x.real))
    steep = np.where(small, 0.5 * (size + lost), 2.0 / np.maximum(size - lost, 1.0)) * grown  # bounds |(sinh x / x)'|
    rounding = np.where(small, 64 * UNIT * size * size, (4 * LIBM + 16) * UNIT * (grown / np.maximum(size, 1.0) + 1))
    return value, rounding + steep * lost * 1.01
