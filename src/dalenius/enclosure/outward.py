"""Directed rounding of numbers that are at least 0: a bound computed from bounds, from above or from below.

`..._up` returns no less than the exact value, `..._down` no more. Nothing is lost where nothing is rounded: adding 0
and sums of no terms are exact, so that a delta of 0 stays 0.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import LIBM, RAISED, SMALLEST, TINY, UNIT, pairwise

Floats: TypeAlias = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)
BELOW_ONE = math.nextafter(1.0, 0.0)  # the largest float below 1
ABOVE_ZERO = SMALLEST  # the least float above 0
HELD = TINY  # floats above this keep their digits, and so do products of a few sums of them
AMPLE = 1e-9  # more than four million units
HIGHEST_POWER = 700.0  # e to more than this is beyond what floats are asked to hold


def up(number: float, units: float = 4.0) -> float:
    """A number at least as large as the exact value of which `number` >= 0 is within `units` relatively."""
    return number * (1.0 + 2.0 * units * UNIT) + SMALLEST if number > 0.0 else number


def down(number: float, units: float = 4.0) -> float:
    """A number at most as large as the exact value of which `number` >= 0 is within `units` relatively."""
    return max(0.0, number * (1.0 - 2.0 * units * UNIT) - SMALLEST) if number > 0.0 else number


def float_up(number: Fraction) -> float:
    """The least float that is not below this number; infinity beyond the largest."""
    try:
        near = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.nextafter(math.inf, 0.0)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def float_down(number: Fraction) -> float:
    """The largest float that is not above this number; minus infinity beyond the least."""
    return -float_up(-number)


def float_after(number: float) -> float:
    """The next float."""
    return math.nextafter(number, math.inf)


def add_up(first: Number, second: float | Number) -> Number:
    """A sum of numbers of either sign, from above. A sum with 0 is exact; any other is within half a step of the next
    float.
    """
    total: Number = first + second
    if isinstance(total, np.ndarray):
        return np.where((first == 0.0) | (second == 0.0), total, np.nextafter(total, np.inf))
    return total if first == 0.0 or second == 0.0 else math.nextafter(total, math.inf)


def add_down(first: Number, second: float | Number) -> Number:
    """A sum of numbers of either sign, from below."""
    return -add_up(-first, -second)


@overload
def times_up(first: Floats, second: Floats | float) -> Floats: ...
@overload
def times_up(first: float, second: Floats) -> Floats: ...
@overload
def times_up(first: float, second: float) -> float: ...
def times_up(first: Floats | float, second: Floats | float) -> Floats | float:
    """A product of numbers that are at least 0, from above. It is within half a step of the next float, also below the
    normal ones; 0 times anything is 0.
    """
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        with np.errstate(invalid="ignore", over="ignore"):
            return np.where((first == 0.0) | (second == 0.0), 0.0, np.nextafter(first * second, np.inf))
    return 0.0 if first == 0.0 or second == 0.0 else math.nextafter(first * second, math.inf)


@overload
def times_down(first: Floats, second: Floats | float) -> Floats: ...
@overload
def times_down(first: float, second: Floats) -> Floats: ...
@overload
def times_down(first: float, second: float) -> float: ...
def times_down(first: Floats | float, second: Floats | float) -> Floats | float:
    """A product of numbers that are at least 0, from below."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        with np.errstate(invalid="ignore", over="ignore"):
            return np.fmax(np.nextafter(first * second, -np.inf), 0.0)  # 0 times infinity is 0, and no number
    return max(0.0, math.nextafter(first * second, -math.inf))


def quotient_up(first: float, second: float) -> float:
    """A quotient of a number that is at least 0 and a positive one, from above."""
    return math.nextafter(first / second, math.inf) if first else 0.0


def quotient_down(first: float, second: float) -> float:
    """A quotient of a number and a positive one, from below."""
    return math.nextafter(first / second, -math.inf) if first else 0.0


def times_outer_up(first: Floats, second: Floats) -> Floats:
    """All products of numbers that are at least 0, from above."""
    return times_up(first[:, None], second[None, :])


def times_outer_down(first: Floats, second: Floats) -> Floats:
    """All products of numbers that are at least 0, from below."""
    return times_down(first[:, None], second[None, :])


def difference_down(first: Number, second: Number) -> Number:
    """What the first is more than the second, from below, of numbers that are at least 0. Equal numbers give 0,
    exactly.
    """
    gap = first - second
    if isinstance(gap, np.ndarray):
        return np.where(gap > 0.0, np.nextafter(gap, 0.0), 0.0)
    return math.nextafter(gap, 0.0) if gap > 0.0 else 0.0


def units_of_sum(values: Floats, axis: int | None) -> float:
    """Units by which numpy's sum over this axis may err, relative to the sum of the absolute values: pairwise where it
    runs over memory in order, one a term elsewhere.
    """
    if axis is None:
        return pairwise(values.size) if values.flags.c_contiguous else float(values.size)
    last = axis in (-1, values.ndim - 1)
    count = values.shape[axis]
    return pairwise(count) if last and values.flags.c_contiguous else float(count)


def sum_up(values: Floats, axis: int | None = None) -> Floats:
    """The sum of numbers that are at least 0, from above. Sums that underflow are exact; the factor errs by two units
    more than the sum.
    """
    return np.asarray(values.sum(axis=axis)) * (1.0 + 2.0 * (units_of_sum(values, axis) + 2.0) * UNIT)


def sum_down(values: Floats, axis: int | None = None) -> Floats:
    """The sum of numbers that are at least 0, from below."""
    return np.asarray(values.sum(axis=axis)) * (1.0 - 2.0 * (units_of_sum(values, axis) + 2.0) * UNIT)


def squares_up(values: Floats) -> Floats:
    """The sum of their squares, from above. Not by `dot`, whose threads wait for each other on a busy machine; a square
    may be lost below the smallest float.
    """
    count = len(values)
    return np.asarray(np.einsum("i,i->", values, values) * (1.0 + 2.0 * (count + 2.0) * UNIT) + count * SMALLEST)


def raised(number: Number, roundings: float) -> Number:
    """A number >= 0 that came from numbers >= 0 by so many sums, products and quotients, from above. Each errs by a
    unit; below the normal numbers sums are exact, products lose less than the smallest float, and quotients as well. 0
    stays 0: where all of a product may fall below the smallest float, `times_up` sees it.
    """
    if isinstance(number, np.ndarray):
        return np.where(number > 0.0, number * (1.0 + 2.0 * (roundings + 2.0) * UNIT) + SMALLEST, number)
    return up(number, roundings + 2.0)


def lowered(number: Number, roundings: float) -> Number:
    """A number >= 0 that came from numbers >= 0 by so many sums, products and quotients, from below."""
    if isinstance(number, np.ndarray):
        low = number * (1.0 - 2.0 * (roundings + 2.0) * UNIT)
        return np.where(number > 0.0, np.maximum(low - SMALLEST, 0.0), number)
    return down(number, roundings + 2.0)


def relative_loss(roundings: float) -> float:
    """How far off so many roundings may leave a number that comes from numbers >= 0, relatively."""
    return roundings * (1.0 + 1e-6) * UNIT


def amply_up(number: Number) -> Number:
    """A number >= 0 that came from numbers >= 0 by fewer than four million roundings, in which nothing cancelled, from
    above: where sharpness does not matter, and nobody need count.
    """
    return number * (1.0 + AMPLE)


def amply_down(number: Number) -> Number:
    """The same from below."""
    return number * (1.0 - AMPLE)


def bounds_up(number: Number) -> Number:
    """A bound >= 0 put together of bounds that were themselves rounded to nearest, each by less than a ten-thousandth
    of itself, from above.
    """
    return number * RAISED


def total_up(values: Iterable[float]) -> float:
    """The sum of a few numbers that are at least 0, from above: correctly rounded, then a step up."""
    total = math.fsum(values)
    return math.nextafter(total, math.inf) if total else 0.0


def total_down(values: Iterable[float]) -> float:
    """The sum of a few numbers that are at least 0, from below."""
    total = math.fsum(values)
    return math.nextafter(total, 0.0)


def running_up(values: Floats) -> Floats:
    """The sums of the first 1, 2, ... numbers that are at least 0, from above. A running sum errs by a unit a step."""
    return np.cumsum(values) * (1.0 + 2.0 * (np.arange(len(values)) + 3.0) * UNIT)


def running_down(values: Floats) -> Floats:
    """The sums of the first 1, 2, ... numbers that are at least 0, from below."""
    return np.cumsum(values) * (1.0 - 2.0 * (np.arange(len(values)) + 3.0) * UNIT)


def exp_up(power: float) -> float:
    """The exponential of this power, from above; infinite where no float is as large."""
    if power > HIGHEST_POWER:
        return math.inf
    return math.exp(power) * (1.0 + 2.0 * LIBM * UNIT) + SMALLEST if power else 1.0


def exp_down(power: float) -> float:
    """The exponential of this power, from below."""
    if power > HIGHEST_POWER:
        return exp_down(HIGHEST_POWER)
    return max(0.0, math.exp(power) * (1.0 - 2.0 * LIBM * UNIT) - SMALLEST) if power else 1.0


def log_up(number: float) -> float:
    """The logarithm of a number >= 0, from above."""
    if number == 0.0 or math.isinf(number):
        return -math.inf if number == 0.0 else math.inf
    value = math.log(number)
    return value + 2.0 * LIBM * UNIT * abs(value)


def log_down(number: float) -> float:
    """The logarithm of a number >= 0, from below."""
    if number == 0.0 or math.isinf(number):
        return -math.inf if number == 0.0 else math.inf
    value = math.log(number)
    return value - 2.0 * LIBM * UNIT * abs(value)


def exp_of(power: Fraction) -> tuple[float, float]:
    """Bounds on the exponential of a fraction that is at most 700: the nearest float to it is off by |power| units."""
    at = float(power)
    value, units = math.exp(at), (2 * LIBM + 2 * abs(at)) * UNIT
    return (max(0.0, value * (1.0 - units) - SMALLEST), value * (1.0 + units) + SMALLEST) if power else (1.0, 1.0)


def fall_of(power: Fraction) -> tuple[float, float]:
    """Bounds on 1 - e^-x for a fraction x >= 0, with a small relative error near 0. There x e^-x / (1 - e^-x) <= 1, so
    that the nearest float to x costs a unit.
    """
    value = -math.expm1(-float(power))
    lost = SMALLEST if power else 0.0  # of an x below the normal numbers
    return max(0.0, value * (1.0 - 4 * LIBM * UNIT) - lost), min(1.0, value * (1.0 + 4 * LIBM * UNIT) + lost)


LARGEST = Fraction(700)  # beyond this, e^epsilon overflows


def exponential(epsilon: Fraction) -> tuple[float, float]:
    """Lower and upper bound on e^epsilon (infinite above 700); exactly 1 at 0.

    The float nearest to epsilon is off by epsilon units, and so is e to it, relatively; the exponential by `LIBM`.
    """
    if epsilon > LARGEST:
        return exp_down(HIGHEST_POWER), math.inf
    at = float(epsilon)
    value = math.exp(at)
    units = (2 * LIBM + 2 * abs(at)) * UNIT
    lost = SMALLEST if at < 0.0 else 0.0
    return (max(0.0, value * (1 - units) - lost), value * (1 + units) + lost) if epsilon else (1.0, 1.0)


def growth(epsilon: Fraction) -> tuple[float, float]:
    """Bounds on e^epsilon - 1, with a small relative error also where epsilon is small (infinite above 700).

    The derivative of ln(e^x - 1) is 1 + 1 / (e^x - 1) < 1 + 1 / x, so that the nearest float to epsilon costs
    epsilon + 1 units.
    """
    if epsilon > LARGEST:
        return math.expm1(HIGHEST_POWER) * (1 - 2 * LIBM * UNIT), math.inf
    value, units = math.expm1(float(epsilon)), (2 * LIBM + 2 * float(epsilon) + 4) * UNIT
    lost = SMALLEST if epsilon else 0.0  # of an epsilon below the normal numbers
    return max(0.0, value * (1 - units) - lost), value * (1 + units) + lost
