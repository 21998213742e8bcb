r"""Logarithms that are linear in how many records of each type are left out, and their inverse transforms.

With L_t(w) = log E exp(w X_t) the logarithm of the transform of a sum without r records is Σ (n_t - r_t) L_t(w) -
w (k0 + c·(r - r0)): linear in r, with a base at r0 and a slope for each type.

**Rounding** (`linear_slip`). It is evaluated as base + (r - r0)·slopes, less a scale. Each of the T types goes through
four products and sums, and there are two dot products of T terms and four sums: less than 20 + 4T units of all that is
added up, (n + |r - r0|) (|L| + |L at θ|) + |w| (|k0| + |c·(r - r0)|), beside n times the errors of L, since a removal
leaves at most n records. For r anywhere between the corners |r - r0| is at most what it is at one of them.

**Frequencies off the grid** (`off_grid`). |d/dt log E exp(wX)| <= E |X exp(wX)| / |E exp(wX)|, at most the largest step
times |E exp(θX) / E exp(wX)|, in which the logarithms as computed are right up to `LOOSE` in all where they are used.

**Inversion** (`inverted_error`). Of a product of a spectrum known within e^x - 1 relatively and a factor g known within
d: |spectrum| e^x (|g| (e^x - 1 + 64u) + d) at each frequency, 64 units for three exponentials, their products and a
turn by up to π; each counts twice, over the length; and the transform by its norm.

**Weighed sums** (`weighed_up`). Σ_k exp(b - θk) max(0, v_k): an exponent errs by 2u (|b| + |θk|), the exponential by
`LIBM`, a product by one, the sum pairwise. What falls below the smallest floats is less than `TINY`, for an exponential
that of the largest value.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.complexes import LOOSE, expm1_complex
from dalenius.enclosure.floats import GRID, LIBM, TINY, UNIT
from dalenius.enclosure.outward import HIGHEST_POWER, units_of_sum
from dalenius.enclosure.transforms import Complexes, frequency_error, transform_error

TURNED = 64  # units of a product of a spectrum and a factor that is turned


def dot_slip(terms: int, size: float) -> float:
    """What a sum of so many products, in any order, may be off by, where products and terms add up to `size`: a
    difference or a product that was rounded before, a product, a sum for each term, and one more number.
    """
    return (terms + 4) * UNIT * size


def linear_slip(counts: Floats, away: Floats, sizes: Floats, errors: Floats, places: Floats) -> Floats:
    """What the logarithm may be off by at any removal that is within `away` of r0, type by type: `sizes` of logarithms
    that may be off by `errors`, a row a type; `places` is what else is added up.
    """
    units = 20 + 4 * len(counts)
    return np.asarray(counts @ errors + units * UNIT * ((counts + away) @ sizes + places))


def off_grid(t: Floats, logs: Complexes, most: Floats) -> Floats:
    """What it does to the logarithm that t is 2πj/N only up to `GRID` units, for records of each type that add at most
    `most` in all; the first frequency is 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(frequency_error(t) * math.exp(LOOSE) * (most @ np.exp(logs[:, :1].real - logs.real)))


def one_less(exponent: float, t: Floats, steps: int) -> tuple[Complexes, Floats]:
    """1 - exp(x + it·steps), and its error, for an x of which this is the nearest float and a t up to `GRID` units."""
    turned = t * steps
    value, error = expm1_complex(np.full(len(t), exponent), turned)
    moved = (abs(exponent) + (GRID + 1) * np.abs(turned)) * UNIT
    return -value, error + np.exp(min(exponent, HIGHEST_POWER)) * (1.0 + 2.0 * LIBM * UNIT) * moved


def inverted_error(
    spectrum: Complexes, loose: Floats, factor: Complexes, factor_error: Floats, length: int
) -> tuple[Floats, float]:
    """A bound on the size of a spectrum whose logarithm may be off by `loose`; and what every entry of the inverse of
    its product with a factor may be off by.
    """
    off = np.expm1(loose)
    largest = np.abs(spectrum) * (1 + off)
    unsure = largest * (np.abs(factor) * (off + TURNED * UNIT) + factor_error)
    norm = math.sqrt(2 * float((np.abs(spectrum * factor) ** 2).sum()) / length)
    return largest, 2 * float(unsure.sum()) / length + transform_error(length, norm)


def weighed_up(values: Floats, base: float, theta: float, places: Floats) -> Floats:
    """Σ_k exp(base - θ k) max(0, v_k) in each row, from above: for the values that are given."""
    terms = np.exp(base - theta * places) * np.maximum(values, 0.0)
    size = abs(base) + abs(theta) * float(np.abs(places).max(initial=0))
    units = 2 * LIBM + 8 + 4 * size + 2 * units_of_sum(terms, -1)
    lost = TINY * (1.0 + np.maximum(values, 0.0).max(axis=-1, initial=0.0))
    return np.asarray(terms.sum(axis=-1) * (1 + units * UNIT) + lost)


def within_places(turned: Floats, slack: Floats | float, fine: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The steps of 1/fine of a turn within which places stand, first and last: turned by whole numbers, and known up to
    a slack. The remainder, the product and the sum err by three units of a turn.
    """
    place = np.mod(turned, 1.0) * fine
    room = fine * (slack + 4 * UNIT)
    return np.floor(place - room) % fine, np.floor(place + room) % fine
