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
"""

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import FLOOR, Balls, Floats
from dalenius.enclosure.floats import FFT, GRID, UNIT

Complexes = NDArray[np.complex128]
SQUARES = 1e-149  # in a norm: what numbers below 1e-153 may lose there, of at most 10^8 of them


def transform_error(length: int, norm: float) -> float:
    """What each entry of a transform of this length may be off by, where the result has this Euclidean norm."""
    return (FFT * math.log2(max(length, 2)) + 4.0) * UNIT * norm


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
