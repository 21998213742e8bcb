r"""Midpoint-radius arithmetic: arrays of floats, each with a bound on how far it is from the number that it stands for.

A `Balls` of midpoints m and radii r stands for any numbers x with |x - m| <= r, entry by entry, real or complex. Every
operator returns midpoints as floating point computes them, and radii that hold whatever the operands are within theirs,
what the operation itself loses included. So no caller counts roundings.

**How radii are made.** A radius is a sum of products of numbers that are at least 0, computed to nearest, in at most a
dozen roundings: it is too small by less than 16 units, relatively, and by less than four times the smallest float where
products fell below the normal numbers. `_ball` adds twice that, once, for all operators. What is exact stays exact: 0
times anything finite, anything plus 0, and signs.

**Unknown.** Where a midpoint overflows, or a divisor or an argument may be outside of its domain, the ball is all
numbers: midpoint 0, radius infinity. Nothing is ever NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import COMPLEX, LIBM, SMALLEST, UNIT
from dalenius.enclosure.outward import units_of_sum

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[Any]  # real or complex
Operand: TypeAlias = "Balls | Fraction | float | Sequence[float] | Numbers"

ROOM = 1.0 + 32.0 * UNIT  # twice what a radius loses, relatively
FLOOR = 8.0 * SMALLEST  # and absolutely
SAFE = 1e140  # complex quotients keep their digits between this and its inverse
BIGGEST_WHOLE = 2**53  # whole numbers that floats hold exactly


@final
@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Numbers that are within `radius` of `middle`, entry by entry.

    >>> import numpy as np
    >>> third = Balls.of(Fraction(1, 3))
    >>> bool(third.lower < Fraction(1, 3) < third.upper)
    True
    >>> float(((third + third + third) - 1).upper) < 1e-15
    True
    >>> float((third * 0.0).radius)
    0.0
    """

    middle: Numbers
    radius: Floats

    __array_ufunc__ = None  # an array beside a Balls leaves the operation to the Balls

    @classmethod
    def of(cls, value: Operand) -> "Balls":
        """Floats as they are; a fraction or a whole number as the float next to it, with what that is off."""
        if isinstance(value, Balls):
            return value
        if isinstance(value, Fraction) or (isinstance(value, int) and abs(value) > BIGGEST_WHOLE):
            try:
                near = float(value)
            except OverflowError:
                return cls(np.asarray(0.0), np.asarray(np.inf))
            off = abs(Fraction(near) - value)
            return cls(np.asarray(near), np.asarray(float(off) * ROOM + FLOOR if off else 0.0))
        middle = np.asarray(value)
        if middle.dtype.kind in "fc":
            return _ball(middle, np.zeros(middle.shape))
        if middle.dtype.kind == "O":  # fractions
            return cls.nearest(middle.ravel().tolist()).reshape(*middle.shape)
        whole = middle.astype(np.float64)
        return _ball(whole, np.where(np.abs(whole) > BIGGEST_WHOLE, UNIT * np.abs(whole), 0.0))

    @classmethod
    def nearest(cls, values: Sequence[Fraction]) -> "Balls":
        """Fractions, each as the float nearest to it."""
        middle = np.array([float(value) for value in values])
        return cls(middle, np.abs(middle) * UNIT + np.where([value != 0 for value in values], SMALLEST, 0.0))

    @classmethod
    def rounded(cls, values: Floats | float, roundings: Floats | float = 1.0) -> "Balls":
        """Numbers of which these floats are the nearest ones; or to which they are as near as so many roundings of
        numbers that are at least 0 leave them.
        """
        middle = np.asarray(values, dtype=np.float64)
        off = np.abs(middle) * (roundings * (1.0 + 1e-6) * UNIT)
        return _ball(middle, off + np.where(middle != 0, roundings * SMALLEST, 0.0))

    @classmethod
    def within(cls, middle: Numbers, radius: Floats | float) -> "Balls":
        """Numbers that are known to be within `radius`, which is taken as it is."""
        whole = np.asarray(middle)
        return _known(whole, np.broadcast_to(np.asarray(radius, dtype=np.float64), whole.shape))

    @classmethod
    def between(cls, lower: Floats | float, upper: Floats | float) -> "Balls":
        """Numbers from `lower` to `upper`."""
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            middle = np.where(low == high, low, low / 2 + high / 2)
            radius = np.maximum(high - middle, middle - low)
        return _ball(middle, np.where(low == high, 0.0, radius + SMALLEST))

    # What it holds.

    @property
    def upper(self) -> Floats:
        """No number that it stands for is larger."""
        ends: Floats = self.middle + self.radius
        return np.where(self.radius > 0.0, np.nextafter(ends, np.inf), ends)

    @property
    def lower(self) -> Floats:
        """No number that it stands for is smaller."""
        ends: Floats = self.middle - self.radius
        return np.where(self.radius > 0.0, np.nextafter(ends, -np.inf), ends)

    @property
    def positive(self) -> Floats:
        """No number that it stands for is smaller, if all are at least 0."""
        return np.maximum(self.lower, 0.0)

    @property
    def size(self) -> Floats:
        """A bound on the absolute value."""
        return (_sizes(self.middle) * (1.0 + 2.0 * COMPLEX * UNIT) + self.radius) * ROOM

    @property
    def shape(self) -> tuple[int, ...]:
        return self.middle.shape

    def __len__(self) -> int:
        return len(self.middle)

    def __getitem__(self, key: Any) -> "Balls":
        return Balls(np.asarray(self.middle[key]), np.asarray(self.radius[key]))

    def widened(self, by: Floats | float) -> "Balls":
        """The same numbers, or others at most so far away."""
        return _ball(self.middle, np.asarray(self.radius + by))

    def reshape(self, *shape: int) -> "Balls":
        return Balls(self.middle.reshape(*shape), self.radius.reshape(*shape))

    # The field operations.

    def __neg__(self) -> "Balls":
        return Balls(-self.middle, self.radius)

    def __add__(self, other: Operand) -> "Balls":
        """(a ± r) + (b ± s): r + s, and half a step of the sum unless one of them is 0."""
        more = Balls.of(other)
        with np.errstate(over="ignore", invalid="ignore"):
            middle = self.middle + more.middle
            rounded = np.where((self.middle == 0) | (more.middle == 0), 0.0, UNIT * np.abs(middle))
            return _ball(middle, self.radius + more.radius + rounded)

    def __radd__(self, other: Operand) -> "Balls":
        return self + other

    def __sub__(self, other: Operand) -> "Balls":
        return self + -Balls.of(other)

    def __rsub__(self, other: Operand) -> "Balls":
        return Balls.of(other) + -self

    def __mul__(self, other: Operand) -> "Balls":
        """(a ± r)(b ± s): |a| s + r (|b| + s), and what the product rounds."""
        more = Balls.of(other)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            middle = self.middle * more.middle
            one, two = _sizes(self.middle), _sizes(more.middle)
            radius = one * more.radius + self.radius * (two + more.radius) + _units_of(middle) * UNIT * np.abs(middle)
            live = (one + self.radius > 0.0) & (two + more.radius > 0.0)
            unknown = live & ~(np.isfinite(self.radius) & np.isfinite(more.radius))
            return _ball(middle, np.where(unknown, np.inf, np.where(live, radius + FLOOR, 0.0)), exact=~live)

    def __rmul__(self, other: Operand) -> "Balls":
        return self * other

    def __truediv__(self, other: Operand) -> "Balls":
        """(a ± r)/(b ± s): (r + |a/b| s) / (|b| - s), and what the quotient rounds; unknown where |b| <= s."""
        more = Balls.of(other)
        size = np.abs(more.middle)
        with np.errstate(all="ignore"):
            room = (size * (1.0 - 2.0 * COMPLEX * UNIT) - more.radius) * (1.0 - 4.0 * UNIT)
            apart = np.where(more.radius == 0.0, size * (1.0 - 2.0 * COMPLEX * UNIT), room)
            middle = self.middle / more.middle
            off = np.abs(middle) * (1.0 + 2.0 * COMPLEX * UNIT) + FLOOR
            # a product that underflows is divided too, as are those inside a complex quotient
            lost = np.where((more.radius > 0.0) | (middle.dtype.kind == "c"), FLOOR, 0.0)
            radius = (self.radius + off * more.radius + lost) / apart + _units_of(middle) * UNIT * off + FLOOR
            live = (self.middle != 0) | (self.radius > 0.0)
            if middle.dtype.kind == "c":
                known = (size > 1.0 / SAFE) & (size < SAFE)
            else:
                known = (apart > SMALLEST) & np.isfinite(more.radius)
            return _ball(middle, np.where(known & (apart > 0.0), np.where(live, radius, 0.0), np.inf), exact=~live)

    def __rtruediv__(self, other: Operand) -> "Balls":
        return Balls.of(other) / self

    def __pow__(self, count: int) -> "Balls":
        """A whole power, at least 0, by squaring."""
        result, square = Balls.of(np.ones(self.shape)), self
        while count:
            if count & 1:
                result = result * square
            count >>= 1
            if count:
                square = square * square
        return result

    def __matmul__(self, other: Operand) -> "Balls":
        """Rows times columns, added up in whatever order: n products and sums err by n + 2 units of |a||b|, and three
        times that where each is four real ones.
        """
        more = Balls.of(other)
        count = self.shape[-1]
        with np.errstate(over="ignore", invalid="ignore"):
            one, two = _sizes(self.middle), _sizes(more.middle)
            middle = self.middle @ more.middle
            parts = 3.0 if middle.dtype.kind == "c" else 1.0
            lost = parts * (count + 2.0) * UNIT * (one @ two) + count * 8.0 * SMALLEST
            radius = one @ more.radius + self.radius @ (two + more.radius) + lost
            return _ball(middle, radius * (1.0 + 4.0 * (count + 4.0) * UNIT) + count * FLOOR)

    # Order and size.

    def __abs__(self) -> "Balls":
        middle = np.abs(self.middle)
        lost = COMPLEX * UNIT * middle + np.where(middle > 0.0, SMALLEST, 0.0) if self.middle.dtype.kind == "c" else 0.0
        return _ball(middle, self.radius + lost)

    def at_least(self, other: Operand) -> "Balls":
        """The larger of the two: |max(x, y) - max(a, b)| is at most the larger of the radii."""
        more = Balls.of(other)
        clear = self.middle - self.radius > more.middle + more.radius  # no doubt which one it is
        beyond = more.middle - more.radius > self.middle + self.radius
        radius = np.where(clear, self.radius, np.where(beyond, more.radius, np.maximum(self.radius, more.radius)))
        return _ball(np.maximum(self.middle, more.middle), radius * ROOM)

    def at_most(self, other: Operand) -> "Balls":
        """The smaller of the two."""
        return -((-self).at_least(-Balls.of(other)))

    # Sums and products along an axis.

    def sum(self, axis: int | None = None) -> "Balls":
        """Σ, along an axis or of all."""
        sizes = np.abs(self.middle)
        units = units_of_sum(self.middle, axis) * (2.0 if self.middle.dtype.kind == "c" else 1.0)
        most = max(units, units_of_sum(self.radius, axis))  # errors may lie otherwise in memory
        with np.errstate(over="ignore", invalid="ignore"):
            lost = np.where((sizes > 0).sum(axis=axis) > 1, units * UNIT, 0.0) * sizes.sum(axis=axis)
            radius = (self.radius.sum(axis=axis) + lost) * (1.0 + 4.0 * most * UNIT)
            return _ball(np.asarray(self.middle.sum(axis=axis)), radius)

    def cumsum(self) -> "Balls":
        """The sums of the first 1, 2, ... along the last axis: each step errs by a unit of what it has added up."""
        steps = np.arange(self.shape[-1], dtype=np.float64) + COMPLEX
        with np.errstate(over="ignore", invalid="ignore"):
            lost = steps * UNIT * np.cumsum(np.abs(self.middle), axis=-1)
            radius = (np.cumsum(self.radius, axis=-1) + lost) * (1.0 + 4.0 * (steps + 1.0) * UNIT)
            return _ball(np.cumsum(self.middle, axis=-1), radius)

    # Functions.

    def exp(self) -> "Balls":
        """|e^z - e^m| <= |e^m| (e^r - 1), and e^m errs by `LIBM` units; sine and cosine as often again."""
        if self.middle.dtype.kind == "c":
            turn = np.cos(self.middle.imag) + 1j * np.sin(self.middle.imag)
            units = 2 * LIBM + 4
        else:
            turn, units = 1.0, LIBM
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            size = np.exp(self.middle.real)
            stretch = np.expm1(self.radius) * (1.0 + 2.0 * LIBM * UNIT)
            off = size * (1.0 + 2.0 * LIBM * UNIT) + FLOOR
            return _ball(size * turn, off * stretch + units * UNIT * off + FLOOR)

    def expm1(self) -> "Balls":
        """e^x - 1, with a small relative error near 0."""
        with np.errstate(over="ignore", under="ignore"):
            middle = np.expm1(self.middle)
            steep = (np.exp(self.middle) * (1.0 + 2.0 * LIBM * UNIT) + FLOOR) * np.expm1(self.radius)
            lost = LIBM * UNIT * np.abs(middle) + np.where(self.middle == 0, 0.0, FLOOR)
            return _ball(middle, steep * (1.0 + 4.0 * LIBM * UNIT) + lost)

    def log(self) -> "Balls":
        """|ln x - ln m| <= r / (m - r), for m > r; unknown elsewhere."""
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.log(self.middle)
            room = np.where(self.radius == 0.0, self.middle, (self.middle - self.radius) * (1.0 - 4.0 * UNIT))
            radius = np.where(self.radius == 0.0, 0.0, self.radius / room + FLOOR) + LIBM * UNIT * np.abs(middle)
            return _ball(middle, np.where(room > SMALLEST, radius + np.where(middle == 0, 0.0, FLOOR), np.inf))

    def log1p(self) -> "Balls":
        """ln(1 + x), with a small relative error near 0: |ln(1 + x) - ln(1 + m)| <= r / (1 + m - r)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.log1p(self.middle)
            room = (1.0 + self.middle) * (1.0 - 2.0 * UNIT) - self.radius  # 1 + m is exact below -1/2
            radius = np.where(self.radius == 0.0, 0.0, self.radius / (room * (1.0 - 4.0 * UNIT)) + FLOOR)
            lost = LIBM * UNIT * np.abs(middle) + np.where(self.middle == 0, 0.0, FLOOR)
            return _ball(middle, np.where((room > 0.0) & (self.middle > -1.0), radius + lost, np.inf))

    def sqrt(self) -> "Balls":
        """|√x - √m| <= min(r / √m, √r) for x, m >= 0; numbers below 0 that rounding may have made count as 0."""
        if self.middle.dtype.kind == "c":
            raise TypeError("square roots of complex balls have a cut, and no caller")
        middle = np.sqrt(np.maximum(self.middle, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(middle > 0.0, self.radius / middle, np.inf)
        radius = np.minimum(relative * (1.0 + 4.0 * UNIT) + FLOOR, np.sqrt(self.radius))
        # with m < 0 the midpoint moved to 0: x <= m + r < r, so that √x < √r
        radius = np.where(self.radius == 0.0, 0.0, np.where(self.middle < 0.0, np.sqrt(self.radius), radius))
        known = self.middle + self.radius >= 0.0
        return _ball(middle, np.where(known, radius + UNIT * middle, np.inf))

    def cos(self) -> "Balls":
        middle = np.cos(self.middle)
        return _ball(middle, self.radius + LIBM * UNIT * np.abs(middle))

    def sin(self) -> "Balls":
        middle = np.sin(self.middle)
        return _ball(middle, self.radius + LIBM * UNIT * np.abs(middle) + np.where(middle == 0, 0.0, FLOOR))


def choose(condition: NDArray[np.bool_], yes: Operand, no: Operand) -> Balls:
    """One where the condition holds, and the other elsewhere."""
    one, two = Balls.of(yes), Balls.of(no)
    return Balls(np.where(condition, one.middle, two.middle), np.where(condition, one.radius, two.radius))


def log_of(number: Fraction) -> Balls:
    """The logarithm of a fraction above 0, also where it is beyond all floats."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return Balls.of(number / Fraction(2) ** power).log() + LN_2 * power


def log_sum_exp(exponents: Balls) -> Balls:
    """The logarithm of a sum of exponentials along the first axis, where none of them need be a float."""
    top: Floats = np.max(exponents.middle, axis=0)
    return (exponents - top).exp().sum(axis=0).log() + top


def joined(parts: Sequence[Balls]) -> Balls:
    """One array after the other."""
    return Balls(*(np.concatenate(arrays) for arrays in zip(*((one.middle, one.radius) for one in parts), strict=True)))


def gathered(balls: Balls, places: NDArray[np.int64], size: int) -> Balls:
    """The sums of the numbers that fall on each of `size` places: one after the other, as many as there are at most."""
    middle = np.bincount(places, weights=balls.middle, minlength=size)
    sizes = np.bincount(places, weights=np.abs(balls.middle), minlength=size)
    radius = np.bincount(places, weights=balls.radius, minlength=size)
    units = (np.bincount(places, minlength=size) - 1.0) * UNIT
    return _ball(middle, (radius + np.maximum(units, 0.0) * sizes) * (1.0 + 4.0 * np.maximum(units, 0.0)))


def total(terms: Sequence[Balls]) -> Balls:
    """The sum of a few arrays of the same shape."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def _sizes(middle: Numbers) -> Floats:
    """Absolute values, of complex numbers no less than `COMPLEX` units below, also where these are less than a step."""
    sizes: Floats = np.abs(middle)
    return np.where(sizes > 0.0, sizes + SMALLEST, 0.0) if middle.dtype.kind == "c" else sizes


def _units_of(middle: Numbers) -> float:
    """Units by which one product or quotient errs."""
    return float(COMPLEX) if middle.dtype.kind == "c" else 1.0


def _ball(middle: Numbers, radius: Floats, *, exact: NDArray[np.bool_] | None = None) -> Balls:
    """With room for what the radius itself lost; all numbers where something overflowed. Where it is `exact`, a
    midpoint that is not a number is 0: 0 times a number that is unknown.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        wide = np.where(radius > 0.0, radius * ROOM + FLOOR, radius)
    return _known(middle if exact is None else np.where(exact & ~np.isfinite(middle), 0.0, middle), wide)


def _known(middle: Numbers, radius: Floats) -> Balls:
    known = np.isfinite(middle) & np.isfinite(radius)
    if known.all():
        return Balls(np.asarray(middle), np.asarray(radius))
    return Balls(np.where(known, middle, 0.0), np.where(known, radius, np.inf))


PI = Balls.within(np.asarray(np.pi), 1.3e-16)
LN_2 = Balls.within(np.asarray(0.6931471805599453), 1.2e-16)
