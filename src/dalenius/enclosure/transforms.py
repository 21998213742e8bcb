r"""Discrete Fourier transforms and convolutions, with errors by norms.

**A transform** of length N errs by at most `FFT` log2(N) units of the Euclidean norm of its result, in that norm, and
so in every entry (`floats.py`; stressed, not proved). The norm is computed to within four units of the same size, and
`SQUARES`, since squares may be below all floats.

**The inverse of a spectrum with errors.** An error e_j of the j-th of N frequencies moves every entry by at most
|e_j| / N. Of a real result all frequencies but the first (and the highest) count twice; here all do.

**Convolution of numbers that are at least 0.** With P in p ± e and Q in q ± f, P * Q lies in p * q ± [(p + e) * (q +
f) - p * q]. *Direct:* every term is positive, and m products and sums err by m + 1 units, whatever their order, so
that masses keep their relative accuracy, tails included. *By transforms:* an error r in x̂, relative to its norm,
costs r ‖x̂‖₂ ‖ŷ‖_∞ / √N <= r ‖x‖₂ ‖y‖₁ in every entry; likewise for ŷ, and for the inverse. So the error is absolute.

**A sum of vectors on a box** (`sum_on_box`). The transform of one, of k letters, is a sum of products of d turns, each
of which errs by `PHASE` units at most: an angle up to 2π, reduced in whole numbers, errs by three units, 20 of one
radian, sine and cosine by `LIBM` each, and the product by `COMPLEX`: 27 and more. So it errs by e = k + `PHASE` d
units, its n-th power by n e (|φ| + e)^(n-1), and moving the box by d turns again. With several types of vectors, a
product x y with errors e and f errs by e (|y| + f) + |x| f, and by `COMPLEX` units of |x| |y|. What is left of the
units, 13 times the mean size of the transform and so of any mass at least, is more than the powers, the last division
and the means themselves lose.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import FLOOR, Balls, Floats
from dalenius.enclosure.floats import COMPLEX, FFT, GRID, LIBM, RAISED, UNIT

Complexes = NDArray[np.complex128]
Type: TypeAlias = tuple[Complexes, int, int]  # the transform of one vector, how many there are, of how many letters
PHASE = 40  # units of a turn
SQUARES = 1e-149  # in a norm: what numbers below 1e-153 may lose there, of at most 10^8 of them


def transform_error(length: int, norm: float) -> float:
    """What each entry of a transform of this length may be off by, where the result has this Euclidean norm."""
    return (FFT * math.log2(max(length, 2)) + 4.0) * UNIT * norm


def evaluation_error(size: int, norm: float, bound: float) -> float:
    """What a trigonometric polynomial evaluated by a transform of this size may be off by, its terms being turned
    before, where what is transformed has this norm and sizes of terms add up to at most `bound`: an angle up to 2π in
    four roundings, two functions each for two turns, and products.
    """
    return (transform_error(size, norm) + (8 * math.pi + 4 * LIBM + 16) * UNIT * bound) * RAISED


def frequency_error(t: Floats) -> Floats:
    """How far frequencies 2πj/N may be off as floats: π by 0.4 units, a quotient and a product."""
    return GRID * UNIT * t


def inverse_real(spectra: Complexes, length: int, kept: int) -> tuple[Floats, Floats]:
    """The real inverse of each row, of which only the first `kept` frequencies are not 0; and what each entry of a
    row may be off by.
    """
    values = np.fft.irfft(spectra, length, axis=1)
    norms = np.sqrt(2 * np.sum(np.abs(spectra[:, :kept]) ** 2, axis=1) / length) + SQUARES
    return values, np.array([transform_error(length, norm) for norm in norms.tolist()])


def convolution(first: Balls, second: Balls, *, length: int | None = None) -> Balls:
    """The sums Σ_j P_j Q_(k-j), directly, or by transforms of this length, which is at least theirs together."""
    mass, slip = _product(first.middle, second.middle, length)
    upper, upper_slip = _product(first.middle + first.radius, second.middle + second.radius, length)
    # the mass may have come out too large and the upper one too small, so the mass's slip counts twice
    error = np.maximum(upper - mass, 0.0) + 2 * slip + upper_slip
    count = min(len(first), len(second))
    return Balls.within(mass, error * (1.0 + 16.0 * UNIT) + count * FLOOR)


def _product(first: Floats, second: Floats, length: int | None) -> tuple[Floats, Floats]:
    if length is None:
        result = np.convolve(first, second)
        return result, result * ((min(len(first), len(second)) + 2) * UNIT)
    size = len(first) + len(second) - 1
    spectrum = np.fft.rfft(first, length) * np.fft.rfft(second, length)
    result = np.maximum(np.fft.irfft(spectrum, length)[:size], 0.0)
    one, two = (float(np.linalg.norm(values)) + SQUARES for values in (first, second))
    norm = max(float(first.sum()) * two, float(second.sum()) * one)
    return result, np.full(size, (3 * FFT * math.log2(length) + 8) * UNIT * norm * 1.01)


def turns(size: int, step: int) -> Complexes:
    """exp(2πi j step / size) for j = 0..size - 1; turns are reduced in whole numbers, so they err by `PHASE` units."""
    return np.asarray(np.exp(2j * math.pi * ((np.arange(size) * (step % size)) % size) / size))


def powers(values: Complexes, count: int) -> Complexes:
    """Each value to a whole power, by squaring: the spectrum of a sum of so many equal numbers."""
    result = np.ones_like(values)
    while count:
        if count & 1:
            result = result * values
        count >>= 1
        if count:
            values = values * values
    return result


def sum_on_box(types: Sequence[Type], start: Sequence[int]) -> tuple[Floats, float]:
    """The law of a sum of vectors, so many of each type, on the box that begins at `start`; and what each mass may be
    off by, what is folded in aside.
    """
    whole, errors = _power(types[0])
    for one in types[1:]:
        more, slips = _power(one)
        size, other = np.abs(whole), np.abs(more)
        errors = errors * (other + slips) + size * slips + COMPLEX * UNIT * size * other
        whole = whole * more
    sides = whole.ndim
    for axis, first in enumerate(start):
        others = [other for other in range(sides) if other != axis]
        whole = whole * np.expand_dims(turns(whole.shape[axis], -first), others)
    norm = float(np.linalg.norm(whole)) / math.sqrt(whole.size)
    # twelve roundings for each type, of numbers that are at least 0, and those of the mean
    error = float(errors.mean()) * (1 + (12 * len(types) + 64) * UNIT) + transform_error(whole.size, norm)
    error += PHASE * sides * UNIT * float(np.abs(whole).mean())
    return np.maximum(np.fft.fftn(whole).real / whole.size, 0.0), error


def _power(one: Type) -> tuple[Complexes, Floats]:
    """The transform of a sum of equal vectors, and by how much it errs at each frequency."""
    spectrum, count, letters = one
    units = letters + PHASE * spectrum.ndim
    off = units * UNIT
    return powers(spectrum, count), count * off * (np.abs(spectrum) + off) ** max(count - 1, 0)
