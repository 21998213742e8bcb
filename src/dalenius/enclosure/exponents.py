r"""Exponential (Esscher) tilts: from logarithms with errors to characteristic functions, masses and Chernoff's bounds.

Bounds here are made of bounds that were themselves rounded to nearest, and may be too small by a millionth for that;
whoever adds them up for good (`scaled_masses`, `raised_sum`) raises the whole by `RAISED`, a thousandth.

**A spectrum** (`spectrum_of`). φ(t) = exp(K(θ + it) - base - it·centre), for K within e, is off relatively by at most
e^x - 1, and `FLOOR`, x = e + 2u (|K| + |base| + |t·centre| + 20) + |t's error| · off: two sums and a product, twice
`LIBM` units for exponential and turn, and what a frequency that is off the grid turns. Where x is `LOOSE` or more
nothing is known but the size, which is at most e^(Re K - base) times e^e; where e is `LOOSE` or more, Re K is an upper
bound already.

**A scale** (`powers_of`). exp(base - θk): the product and the sum err by u |θk| + u |exponent|, and k itself by u |k|
from 2^53 on. So the exponential errs by expm1 of that and `LIBM` units, squares of units aside.

**A law's masses** (`scaled_masses`). With v within e and a scale σ̃ within ρ relatively, v σ is within e σ (1 + ρ) +
|v| σ (ρ + 2u) of the computed product; a mass is not below 0.

**Chernoff** (`least_exponential`). A sum of at most six terms errs by six units of their sizes, of which two are for
products inside.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import FLOOR, Balls, Floats
from dalenius.enclosure.complexes import LOOSE
from dalenius.enclosure.floats import LIBM, RAISED, TINY, UNIT
from dalenius.enclosure.outward import exp_up
from dalenius.enclosure.transforms import Complexes, frequency_error

STEEP = 50.0  # logarithm of a size that is as good as unknown
Places = NDArray[np.int64]


def tilted_mean(rate: float, theta: float) -> tuple[float, float]:
    """E exp(θX) of one yes/no record, from below and from above: 1 + p (e^θ - 1), of which little may be left. A rate
    within four units of the declared one.
    """
    grown = rate * math.expm1(theta)
    slip = 2 * (LIBM + 4) * UNIT * (1 + abs(grown))
    return max(1 + grown - slip, TINY), 1 + grown + slip


def spectrum_of(
    values: Complexes, errors: Floats, base: float, t: Floats, centre: int, *, off: float = 0.0
) -> tuple[Complexes, Floats, Floats]:
    """exp(K(θ + it) - base - it·centre), 0 where K is not known well enough; its error, infinite there; and a bound on
    its size. `off`: what a unit of frequency turns that the errors of K do not count.
    """
    real, angle = values.real - base, values.imag - t * centre
    turned = 2 * UNIT * (np.abs(values) + abs(base) + np.abs(t * centre) + 20)
    loose = errors + turned + frequency_error(t) * off
    known = (errors < LOOSE) & (loose < LOOSE)
    spectrum = np.where(known, np.exp(np.where(known, real, 0.0)) * np.exp(1j * np.where(known, angle, 0.0)), 0.0)
    error = np.where(known, np.abs(spectrum) * np.expm1(np.where(known, loose, 0.0)) + FLOOR, np.inf)
    size = np.exp(np.minimum(real + np.where(errors < LOOSE, LOOSE, 0.0) + turned, STEEP)) + FLOOR
    return spectrum, error, size


def mass_of(error: float) -> float:
    """What a tilted law's mass may be, seen from a logarithm of its transform at θ that is within `error`."""
    return exp_up(min(error, STEEP))


def powers_of(base: float, theta: float, places: Places) -> tuple[Floats, float]:
    """exp(base - θ k) at whole numbers k, and its relative error."""
    exponent = base - theta * places
    far = float(np.abs(places).max(initial=0))
    size = float(np.abs(exponent).max(initial=0.0)) + abs(theta) * far * (1 if far < 1 / UNIT else 2)
    return np.exp(exponent), math.expm1(size * UNIT) + 2 * LIBM * UNIT


def scaled_masses(values: Floats, error: float, scale: Floats, relative: float) -> Balls:
    """Masses: values within `error` of numbers that are at least 0, times a scale within `relative` of itself."""
    mass = np.maximum(values, 0.0) * scale
    return Balls.within(mass, (error * scale * (1 + relative) + mass * (relative + 4 * UNIT)) * RAISED + TINY)


def scaled_errors(coefficients: Floats, error: float, scale: Floats, relative: float) -> Floats:
    """What the values of the series C(k) scale(k) may be off by, if those of C(k) may be off by `error` and the scale
    by `relative` of itself; the coefficients are given with the scale.
    """
    slack = np.abs(coefficients).sum(axis=0) * (relative + 8 * UNIT)
    return np.asarray(error * scale * (1 + relative) + slack + TINY)


def least_exponential(
    terms: Sequence[Floats | float], errors: Floats | float, *, beside: Floats | float = 0.0, most: float = 0.0
) -> float:
    """The least of the exponentials of sums of these terms, none above exp(most), from above; `errors` is added, and
    sizes `beside` count like those of the terms. What is no number counts as `most`.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        size = sum((np.abs(term) for term in terms), np.abs(beside))
        exponents = sum(terms[1:], terms[0]) + errors + 8 * UNIT * size
    exponents = np.where(np.isfinite(exponents), exponents, most)
    return exp_up(float(np.min(exponents, initial=most)))
