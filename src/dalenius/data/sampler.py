"""The one place that rolls dice. The dice are OpenDP's exact samplers, which draw from the operating system, and its
fair bits.

Two-sided geometric noise of scale b has P(k) ∝ exp(−|k|/b); discrete Gaussian noise of scale s has
P(k) ∝ exp(−k²/(2s²)); rounded Gaussian noise is the latter on a grid about 2⁻⁴⁰ finer, rounded to units. No floating
point enters the draw itself, but OpenDP takes the scale as a double. So noise is drawn at `representable(scale)`, the
least double that is not below the scale: **certify that one**. (A wider two-sided geometric is a narrower one plus
independent noise, so it hides at least as much, and so is a wider rounded Gaussian. For the discrete Gaussian we have
no such proof.)
"""

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_SCALE
from dalenius.enclosure.outward import float_up
from dalenius.numerics.gaussian import fineness

LARGEST_VALUE = 2**62


def fair_words(count: int) -> NDArray[np.uint64]:
    """Whole numbers below 2^64, each as likely as any other: bits of the operating system."""
    return np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64)


def two_sided_geometric(scale: Fraction) -> int:
    """One draw with P(k) ∝ exp(−|k|/scale), at `representable(scale)`."""
    return add_noise([0], "two_sided_geometric", scale)[0]


def discrete_gaussian(scale: Fraction) -> int:
    """One draw with P(k) ∝ exp(−k²/(2 scale²)), at `representable(scale)`."""
    return add_noise([0], "discrete_gaussian", scale)[0]


def rounded_gaussian(scale: Fraction) -> int:
    """One draw of normal noise of this scale, rounded to units."""
    return _rounded_gaussians(scale, 1)[0]


def _rounded_gaussians(scale: Fraction, count: int) -> list[int]:
    """Discrete Gaussian noise on a finer grid, at a scale that is larger by a factor of at most 1 + 2^-52, rounded to
    the nearest unit (of which there is always one).
    """
    steps = fineness(scale)
    at_least = float_up(scale * steps)
    return [(fine + steps // 2) // steps for fine in _sampler("discrete_gaussian", at_least)([0] * count)]


def add_noise(values: Sequence[int], noise: str, scale: Fraction) -> list[int]:
    """Every value plus independent noise of the same scale. About 10 µs per value."""
    beyond = [value for value in values if abs(value) >= LARGEST_VALUE]
    if beyond:
        raise InputError("Noise needs values below 2^62 units in magnitude, but some are not. Use a coarser unit.")
    if noise == "rounded_gaussian":
        return [value + more for value, more in zip(values, _rounded_gaussians(scale, len(values)), strict=True)]
    return list(_sampler(noise, float(representable(scale)))(list(values)))


def representable(scale: Fraction) -> Fraction:
    """The scale at which noise is drawn: the least double that is not below the scale.

    >>> representable(Fraction(5, 2))
    Fraction(5, 2)
    >>> representable(Fraction(1, 10)) > Fraction(1, 10)
    True
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise InputError(
            f"Noise needs a scale above 0 and up to 2^40, but got {scale}. For no noise, publish the figure exactly."
        )
    return Fraction(float_up(scale))


@lru_cache(maxsize=64)
def _sampler(noise: str, scale: float) -> Callable[[list[int]], list[int]]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    # "i64", because int means 32 bits to OpenDP.
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    match noise:
        case "two_sided_geometric":
            measurement = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
        case "discrete_gaussian":
            measurement = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=scale)
        case _:
            raise InputError(f"There is no sampler for {noise}. This is a defect: report it.")
    return cast("Callable[[list[int]], list[int]]", measurement)
