"""Independent outputs about one person, together: privacy losses on a grid, everything rounded up.

A pair of laws P, Q is replaced by one that is easier to tell apart, made of losses that are multiples of a step h: P
has mass p_j where its density to Q is exp(j h), and `never` where Q has none. Then

    delta(epsilon) = sum of p_j max(0, 1 - exp(epsilon - j h)) + never,

which grows with every p_j, so that masses may be rounded up. For independent outputs losses add up, and masses are
those of the sum: a product of polynomials.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from flint import fmpz_poly

from dalenius_checker.laws import LARGEST, TooLargeError, ball, ceiling, floor

FINE = 500  # steps to one epsilon (or to 1, if that is 0)
MOST_STEPS = 15_000
FARTHEST = 12  # a loss above this, or above MOST_STEPS, counts as one that never occurs in Q
ONE = Fraction(1)


@dataclass(frozen=True)
class Losses:
    """Masses (in 2^-bits) at the losses j h for j = first, first + 1, ..., and at an infinite one."""

    first: int
    mass: list[int]
    never: int
    step: Fraction
    bits: int

    def delta(self, epsilon: Fraction) -> Fraction:
        """An upper bound; epsilon is a point of the grid."""
        place = int(epsilon / self.step) - self.first
        if place < 0:
            return ONE
        deltas = _deltas(self, place)
        return Fraction(deltas[0] if deltas else min(self.never, 1 << self.bits), 1 << self.bits)


@lru_cache(maxsize=16)
def _ratios(step: Fraction, reach: int, bits: int) -> list[int]:
    """exp(j step) x 2^bits for j = -reach..reach, from below."""
    ratio, one = ball(step, bits).exp(), ball(-reach * step, bits).exp()
    found = []
    for _ in range(2 * reach + 1):
        found.append(floor(one, bits))
        one *= ratio
    return found


def losses(one: list[int], two: list[int], missing: Fraction, epsilon: Fraction, bits: int) -> Losses:
    """The losses of P against Q (see `hockey_stick`), each rounded up to the grid."""
    step = (epsilon or Fraction(1)) / FINE
    reach = min(MOST_STEPS, max(3 * FINE, int(FARTHEST / step)))
    ratios = _ratios(step, reach, bits)
    mass, never = [0] * (2 * reach + 1), -(-missing.numerator * (1 << bits) // missing.denominator)
    for p, q in zip(one, two, strict=True):
        if not p:
            continue
        place = bisect_left(ratios, -((-p << bits) // q)) if q else len(ratios)
        if place == len(ratios):
            never += p
        else:
            mass[place] += p
    return Losses(-reach, mass, never, step, bits)


def envelope(some: Iterable[Losses]) -> Losses:
    """One pair that is at least as easy to tell apart as each of these, which share a grid.

    The largest delta at each point of the grid, joined by chords in exp(epsilon), is at least every curve: these are
    convex. With r = exp(h), the chords have mass r/(r-1) (D_(j-1) - D_j) - 1/(r-1) (D_j - D_(j+1)) at j.
    """
    curves = []
    for one in some:
        whole, bits, step = one, one.bits, one.step
        curves.append(_deltas(one))
    if len(curves) == 1:
        return _trimmed(whole)
    highest = [max(values) for values in zip(*curves, strict=True)]
    ratio = ball(step, bits).exp()
    after, size = 1 / (ratio - 1), len(highest)
    least, most = floor(after, bits), ceiling(after + 1, bits)
    falls = [(1 << bits) - highest[0], *(a - b for a, b in pairwise(highest)), 0]
    mass = []
    for place in range(size):
        before = falls[place] << bits if place == 0 else (most if falls[place] > 0 else least) * falls[place]
        behind = (least if falls[place + 1] > 0 else most) * falls[place + 1]
        mass.append(max(0, -((behind - before) >> bits)))
    return _trimmed(Losses(whole.first, mass, highest[-1], step, bits))


def _deltas(some: Losses, start: int = 0) -> list[int]:
    """Deltas at the points of the grid from the place `start` on, from above: `never` and the sum over i > j of
    p_i (1 - exp((j - i) h)), by the mass above j, and that mass with its weights, from below.
    """
    bits = some.bits
    shrink = floor(ball(-some.step, bits).exp(), bits)
    found, above, weighed = [0] * max(0, len(some.mass) - start), 0, 0
    for place in range(len(some.mass) - 1, start - 1, -1):
        found[place - start] = min(1 << bits, some.never + above - weighed)
        above += some.mass[place]
        weighed = (weighed + some.mass[place]) * shrink >> bits
    return found


def _trimmed(some: Losses) -> Losses:
    """Without the zeros at both ends."""
    places = [place for place, mass in enumerate(some.mass) if mass] or [0]
    mass = some.mass[places[0] : places[-1] + 1]
    return Losses(some.first + places[0], mass, some.never, some.step, some.bits)


def together(parts: list[Losses]) -> Losses:
    """All of these outputs at once."""
    whole, *rest = parts
    for other in rest:
        bits, size = whole.bits, len(whole.mass) + len(other.mass)
        if size > LARGEST:
            raise TooLargeError(f"the losses of so many figures need {size} points, more than {LARGEST}")
        mass = [-(-int(number) >> bits) for number in (fmpz_poly(whole.mass) * fmpz_poly(other.mass)).coeffs()]
        one, two = sum(whole.mass) + whole.never, sum(other.mass) + other.never
        never = -(-(whole.never * two + other.never * one - whole.never * other.never) >> bits)
        whole = Losses(whole.first + other.first, mass, never, whole.step, bits)
    return whole
