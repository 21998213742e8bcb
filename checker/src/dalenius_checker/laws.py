"""Laws of sums, as whole numbers that are never too large.

A `Law` says of each point that its probability is *at least* mass / 2^bits. Whatever is rounded is rounded down, and
what is cut off is cut off. Since all probabilities sum to one, what a law is short of is known exactly: `missing`.
Nothing else has to be said about errors, and products of such laws are such laws.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

from flint import arb, ctx, fmpq, fmpz_poly

Vector = tuple[int, ...]
Letters = tuple[tuple[Vector, Fraction], ...]  # what one record adds, with probabilities
LARGEST = 1 << 20  # points of a law


class TooLargeError(Exception):
    """More work than this checker takes on."""


def ball(number: Fraction, bits: int) -> arb:
    """A ball around an exact number; from here on all balls have far more than `bits` bits."""
    ctx.prec = 2 * bits + 256
    return arb(fmpq(number.numerator, number.denominator))


def floor(number: arb, bits: int) -> int:
    """The largest whole number that is certainly at most number x 2^bits."""
    whole = (number.lower() * arb(2) ** bits).floor().unique_fmpz()
    if whole is None:
        raise TooLargeError("a number needs more digits than are kept")
    return int(whole)


def ceiling(number: arb, bits: int) -> int:
    """The least whole number that is certainly at least number x 2^bits."""
    return -floor(-number, bits)


@dataclass(frozen=True)
class Law:
    """Masses on a box of the lattice, row by row: the last coordinate runs fastest."""

    start: Vector
    shape: Vector
    mass: list[int]
    bits: int

    @property
    def missing(self) -> Fraction:
        """The probability that is not accounted for."""
        return 1 - Fraction(sum(self.mass), 1 << self.bits)

    def at(self, place: Vector) -> int:
        """The first index of the row that begins there."""
        index = 0
        for one, size in zip(place, self.shape, strict=True):
            index = index * size + one
        return index


def rows(shape: Vector) -> Iterator[Vector]:
    """Where the rows of a box begin."""
    yield from product(*(range(size) for size in shape[:-1]), (0,))


def point(dimensions: int, bits: int) -> Law:
    """Nothing at all was added."""
    return Law((0,) * dimensions, (1,) * dimensions, [1 << bits], bits)


def letters_law(letters: Letters, bits: int) -> Law:
    """What one record adds."""
    axes = list(zip(*(vector for vector, _ in letters), strict=True))
    start = tuple(min(axis) for axis in axes)
    shape = tuple(max(axis) - low + 1 for axis, low in zip(axes, start, strict=True))
    if prod(shape) > LARGEST:
        raise TooLargeError(f"what one record adds needs {prod(shape)} points, more than {LARGEST}")
    law = Law(start, shape, [0] * prod(shape), bits)
    for vector, chance in letters:
        place = tuple(a - b for a, b in zip(vector, start, strict=True))
        law.mass[law.at(place)] += (chance.numerator << bits) // chance.denominator
    return law


def _spread(law: Law, shape: Vector) -> list[int]:
    """The masses in a larger box, with zeros after each row."""
    if len(shape) == 1:
        return law.mass
    wide = Law(law.start, shape, [0] * prod(shape), law.bits)
    length = law.shape[-1]
    for place in rows(law.shape):
        here, there = law.at(place), wide.at(place)
        wide.mass[there : there + length] = law.mass[here : here + length]
    return wide.mass


def convolve(one: Law, two: Law) -> Law:
    """The law of the sum of two independent vectors: a product of polynomials, rounded down."""
    shape = tuple(a + b - 1 for a, b in zip(one.shape, two.shape, strict=True))
    if prod(shape) > LARGEST:
        raise TooLargeError(f"the law of a sum needs {prod(shape)} points, more than {LARGEST}")
    whole = fmpz_poly(_spread(one, shape)) * fmpz_poly(_spread(two, shape))
    mass = [int(number) >> one.bits for number in whole.coeffs()]
    mass += [0] * (prod(shape) - len(mass))
    start = tuple(a + b for a, b in zip(one.start, two.start, strict=True))
    return _trimmed(Law(start, shape, mass, one.bits))


def _trimmed(law: Law) -> Law:
    """The smallest box that holds all that is left."""
    length = law.shape[-1]
    firsts, lasts = list(law.shape), [-1] * len(law.shape)
    for place in rows(law.shape):
        begin = law.at(place)
        row = law.mass[begin : begin + length]
        if not any(row):
            continue
        first = next(i for i, mass in enumerate(row) if mass)
        last = length - 1 - next(i for i, mass in enumerate(reversed(row)) if mass)
        for axis, (low, high) in enumerate(zip((*place[:-1], first), (*place[:-1], last), strict=True)):
            firsts[axis], lasts[axis] = min(firsts[axis], low), max(lasts[axis], high)
    if lasts[0] < 0:
        raise TooLargeError("a law is too flat for the precision that was chosen")
    shape = tuple(last - first + 1 for first, last in zip(firsts, lasts, strict=True))
    mass: list[int] = []
    for place in rows(shape):
        begin = law.at(tuple(a + b for a, b in zip(place, firsts, strict=True)))
        mass += law.mass[begin : begin + shape[-1]]
    return Law(tuple(a + b for a, b in zip(law.start, firsts, strict=True)), shape, mass, law.bits)


@lru_cache(maxsize=4096)
def doubled(letters: Letters, times: int, bits: int) -> Law:
    """The sum of 2^times records."""
    if times == 0:
        return letters_law(letters, bits)
    half = doubled(letters, times - 1, bits)
    return convolve(half, half)


@lru_cache(maxsize=256)
def repeated(letters: Letters, count: int, bits: int) -> Law:
    """The sum of `count` independent records of one law."""
    law = point(len(letters[0][0]), bits)
    for times in range(count.bit_length()):
        if count >> times & 1:
            law = convolve(law, doubled(letters, times, bits))
    return law


def total(types: tuple[tuple[Letters, int], ...], dimensions: int, bits: int) -> Law:
    """The sum of all these records."""
    law = point(dimensions, bits)
    for letters, count in types:
        if count:
            law = convolve(law, repeated(letters, count, bits))
    return law


def moved(law: Law, move: Vector) -> list[int]:
    """The law of the sum plus `move`, on the same box; zero where it has no mass."""
    if any(abs(step) >= size for step, size in zip(move, law.shape, strict=True)):
        return [0] * len(law.mass)
    if len(move) == 1:
        step = move[0]
        return [0] * step + law.mass[: len(law.mass) - step] if step >= 0 else law.mass[-step:] + [0] * -step
    found, length, step = [0] * len(law.mass), law.shape[-1], move[-1]
    for place in rows(law.shape):
        source = tuple(a - b for a, b in zip(place[:-1], move[:-1], strict=True))
        if all(0 <= a < size for a, size in zip(source, law.shape[:-1], strict=True)):
            here, there = law.at((*source, 0)), law.at(place)
            row = law.mass[here : here + length]
            found[there : there + length] = (
                [0] * step + row[: length - step] if step >= 0 else row[-step:] + [0] * -step
            )
    return found


def hockey_stick(
    one: list[int], two: list[int], missing: Fraction, epsilon: Fraction, bits: int
) -> tuple[Fraction, Fraction]:
    """Bounds on the sum of max(0, P - e^epsilon Q) over all points. P is at least `one`, and that is all of it but for
    `missing`; Q is at least `two` at these points, and at most that but for `missing` altogether.

    What is missing from P may be anywhere: it is added to the upper bound. What is missing from Q may be in the event
    {P > e^epsilon Q}: e^epsilon times that is taken from the lower bound.
    """
    least, most = exponential(epsilon, bits)
    gain = sum(more for p, q in zip(one, two, strict=True) if (more := (p << bits) - least * q) > 0)
    whole = 1 << bits
    upper = Fraction(gain, whole * whole) + missing
    lower = Fraction(gain - (most - least) * whole, whole * whole) - Fraction(most, whole) * missing
    return max(Fraction(0), lower), min(Fraction(1), upper)


@lru_cache(maxsize=64)
def exponential(epsilon: Fraction, bits: int) -> tuple[int, int]:
    """e^epsilon x 2^bits, from below and from above."""
    power = ball(epsilon, bits).exp()
    return floor(power, bits), ceiling(power, bits)
