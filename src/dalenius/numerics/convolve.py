"""Sums of independent numbers: convolution, direct where it can be, by FFT where it must."""

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import FFT, TINY, UNIT
from dalenius.numerics import fourier
from dalenius.numerics.law import Floats, Law, point

DIRECT = 60_000_000  # products above which an FFT is used; a direct convolution of this size takes about 0.05 s


def convolve(first: Law, second: Law) -> Law:
    """The law of the sum of two independent numbers.

    Direct: every term is positive, so masses keep their relative accuracy, tails included; cost is the product of
    the two lengths. Above `DIRECT` products: one FFT, with an additive error (1e-16 of the Euclidean norm).

    Certified. With P in p ± e and Q in q ± f, P*Q lies in p*q ± [(p+e)*(q+f) - p*q]; m products and sums err by at
    most (m + 1) units; mass from the tails lands anywhere, so it is charged at every point and outside.
    """
    direct = min(len(first.mass), len(second.mass)) * max(len(first.mass), len(second.mass)) <= DIRECT
    product = _direct if direct else _by_fft
    mass, slip = product(first.mass, second.mass)
    upper, upper_slip = product(first.mass + first.error, second.mass + second.error)
    tails = first.tail + second.tail
    # the mass may have come out too large and the upper one too small, so the mass's slip counts twice
    error = np.maximum(upper - mass, 0.0) + 2 * slip + upper_slip + tails + TINY
    return Law(first.start + second.start, mass, error * (1 + 8 * UNIT), tails * (1 + 8 * UNIT))


def powers(values: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """Each value to a whole power, by squaring: the spectrum of a sum of so many equal numbers."""
    result = np.ones_like(values)
    while count:
        if count & 1:
            result = result * values
        count >>= 1
        if count:
            values = values * values
    return result


def _direct(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    result = np.convolve(first, second)
    return result, result * ((min(len(first), len(second)) + 2) * UNIT)


def _by_fft(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Each of the three transforms errs by `FFT` log2(N) units in the Euclidean norm, which bounds every entry."""
    size = len(first) + len(second) - 1
    length = fourier.next_fast_len(size, real=True)
    spectrum = fourier.rfft(first, length) * fourier.rfft(second, length)
    result = np.maximum(fourier.irfft(spectrum, length)[:size], 0.0)
    # an error r in x̂ costs r ‖x̂‖₂ ‖ŷ‖_∞ ≤ r √N ‖x‖₂ ‖y‖₁, likewise for ŷ and for the inverse
    norm = max(float(first.sum() * np.linalg.norm(second)), float(second.sum() * np.linalg.norm(first)))
    slip = (3 * FFT * math.log2(length) + 8) * UNIT * norm * 1.01
    return result, np.full(size, slip)


def power(law: Law, count: int) -> Law:
    """The law of the sum of `count` independent copies, by repeated squaring. Cost O(length² log count) when direct."""
    result, square = point(0), law
    while count:
        if count & 1:
            result = convolve(result, square)
        count >>= 1
        if count:
            square = convolve(square, square)
    return result


def trimmed(law: Law, floor: float) -> Law:
    """The law without ends of total mass at most `floor`, which go to the tail."""
    upper = law.mass + law.error
    drift = 1 + (len(upper) + 4) * UNIT  # a running sum may fall behind by this much
    left = int(np.searchsorted(np.cumsum(upper) * drift, floor / 2))
    right = int(np.searchsorted(np.cumsum(upper[::-1]) * drift, floor / 2))
    if left + right >= len(upper):
        return law
    keep = slice(left, len(upper) - right)
    return Law(law.start + left, law.mass[keep].copy(), law.error[keep].copy(), (law.tail + floor) * (1 + 8 * UNIT))
