"""Laws of sums, as whole numbers that are never too large.

A `Law` says of each point that its probability is *at least* mass / 2^bits. Whatever is rounded is rounded down, and
what is cut off is cut off. Since all probabilities sum to one, what a law is short of is known exactly: `missing`.
Nothing else has to be said about errors, and products of such laws are such laws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq, fmpz_poly

Vector = tuple[int, ...]
Letters = tuple[tuple[Vector, Fraction], ...]  # what one record adds, with probabilities
Types = tuple[tuple[Letters, int], ...]  # laws, and how many records have them
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
    """Masses at whole numbers from `start` on."""

    start: int
    mass: list[int]
    bits: int

    @property
    def missing(self) -> Fraction:
        """The probability that is not accounted for."""
        return 1 - Fraction(sum(self.mass), 1 << self.bits)


def _law(letters: Letters, strides: Vector, bits: int) -> Law:
    """What one record adds, in one number: each coordinate times its stride."""
    places = [sum(a * b for a, b in zip(vector, strides, strict=True)) for vector, _ in letters]
    start, size = min(places), max(places) - min(places) + 1
    if size > LARGEST:
        raise TooLargeError(f"what one record adds needs {size} points, more than {LARGEST}")
    mass = [0] * size
    for place, (_, chance) in zip(places, letters, strict=True):
        mass[place - start] += (chance.numerator << bits) // chance.denominator
    return Law(start, mass, bits)


def convolve(one: Law, two: Law) -> Law:
    """The law of the sum of two independent numbers: a product of polynomials, rounded down and cut."""
    size = len(one.mass) + len(two.mass) - 1
    if size > LARGEST:
        raise TooLargeError(f"the law of a sum needs {size} points, more than {LARGEST}")
    mass = [int(number) >> one.bits for number in (fmpz_poly(one.mass) * fmpz_poly(two.mass)).coeffs()]
    first = next((place for place, some in enumerate(mass) if some), None)
    if first is None:
        raise TooLargeError("a law is too flat for the precision that was chosen")
    while not mass[-1]:
        mass.pop()
    return Law(one.start + two.start + first, mass[first:], one.bits)


@lru_cache(maxsize=4096)
def _doubled(letters: Letters, strides: Vector, times: int, bits: int) -> Law:
    """The sum of 2^times records."""
    if times == 0:
        return _law(letters, strides, bits)
    half = _doubled(letters, strides, times - 1, bits)
    return convolve(half, half)


@lru_cache(maxsize=256)
def repeated(letters: Letters, strides: Vector, count: int, bits: int) -> Law:
    """The sum of `count` independent records of one law."""
    law = Law(0, [1 << bits], bits)
    for times in range(count.bit_length()):
        if count >> times & 1:
            law = convolve(law, _doubled(letters, strides, times, bits))
    return law


def total(types: Types, bits: int, strides: Vector = (1,)) -> Law:
    """The sum of all these records, in one number."""
    law = Law(0, [1 << bits], bits)
    for letters, count in types:
        if count:
            law = convolve(law, repeated(letters, strides, count, bits))
    return law


def strides_for(types: Types, reach: Sequence[int], bits: int) -> tuple[Vector, Fraction]:
    """Strides under which sums of records are one number that tells as much as all coordinates do: whatever happens but
    with the probability that is returned, two sums that differ, or that a move by up to `reach` makes differ, have
    different numbers. The law of each coordinate by itself says how far its sums go.
    """
    strides, missed = [1], Fraction(0)
    for axis in range(len(reach) - 1, 0, -1):
        alone = tuple((tuple(((vector[axis],), chance) for vector, chance in law), count) for law, count in types)
        law = total(alone, bits)
        strides.append(strides[-1] * (len(law.mass) + reach[axis]))
        missed += law.missing
    return tuple(reversed(strides)), missed


def moved(law: Law, step: int) -> list[int]:
    """The law of the number plus `step`, at the same points; zero where it has no mass."""
    if abs(step) >= len(law.mass):
        return [0] * len(law.mass)
    return [0] * step + law.mass[: len(law.mass) - step] if step >= 0 else law.mass[-step:] + [0] * -step


def hockey_stick(one: list[int], two: list[int], missing: Fraction, epsilon: Fraction, bits: int) -> Fraction:
    """An upper bound on the sum of max(0, P - e^epsilon Q) over all points. P is at least `one`, and that is all of it
    but for `missing`, which may be anywhere; Q is at least `two` at these points.
    """
    least = exponential(epsilon, bits)[0]
    gain = sum(more for p, q in zip(one, two, strict=True) if (more := (p << bits) - least * q) > 0)
    return min(Fraction(1), Fraction(gain, 1 << 2 * bits) + missing)


@lru_cache(maxsize=64)
def exponential(epsilon: Fraction, bits: int) -> tuple[int, int]:
    """e^epsilon x 2^bits, from below and from above."""
    power = ball(epsilon, bits).exp()
    return floor(power, bits), ceiling(power, bits)
