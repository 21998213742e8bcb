"""Independent outputs about one person, together: privacy losses on a grid, everything rounded up.

A pair of laws P, Q is replaced by one that is easier to tell apart, made of losses that are multiples of a step h: P
has mass p_j where its density to Q is exp(j h), and `never` where Q has none. Then

    delta(epsilon) = sum of p_j max(0, 1 - exp(epsilon - j h)) + never,

which grows with every p_j, so that masses may be rounded up. For independent outputs losses add up, and masses are
those of the sum: a product of polynomials.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, prod

from flint import fmpz_poly

from dalenius_checker.laws import LARGEST, TooLargeError, ball, floor

FINE = 500  # steps to one epsilon (or to 1, if that is 0)
MOST_STEPS = 15_000
FARTHEST = 12  # a loss above this, or above MOST_STEPS, counts as one that never occurs in Q
MOST_WAYS = 300  # to combine the pairs of several outputs
ONE = Fraction(1)


@dataclass(frozen=True)
class Losses:
    """Masses (in 2^-bits) at the losses j h for j = first, first + 1, ..., and at an infinite one."""

    first: int
    mass: list[int]
    never: int
    bits: int

    def delta(self, epsilon: Fraction) -> Fraction:
        """An upper bound: what is above epsilon, and less that times exp(epsilon - j h), from below."""
        shrink = floor(ball(-(epsilon or ONE) / FINE, self.bits).exp(), self.bits)
        above, weighed, place = 0, 0, (FINE if epsilon else 0) - self.first
        for mass in reversed(self.mass[max(0, place + 1) :]):
            above += mass
            weighed = (weighed + mass) * shrink >> self.bits
        return min(ONE, Fraction(self.never + above - weighed, 1 << self.bits)) if place >= 0 else ONE


@lru_cache(maxsize=16)
def _ratios(step: Fraction, reach: int, bits: int) -> list[int]:
    """exp(j step) x 2^bits for j = -reach..reach, from below."""
    ratio, one = ball(step, bits).exp(), ball(-reach * step, bits).exp()
    found = []
    for _ in range(2 * reach + 1):
        found.append(floor(one, bits))
        one *= ratio
    return found


def losses(cases: Iterable[tuple[Fraction, list[int], list[int], Fraction]], epsilon: Fraction, bits: int) -> Losses:
    """The losses of P against Q, each rounded up to the grid. Each case has its probability, P and Q at the same
    points, and what is missing from P; it is revealed which of the cases occurs.
    """
    step = (epsilon or ONE) / FINE
    reach = min(MOST_STEPS, max(3 * FINE, int(FARTHEST / step)))
    ratios = _ratios(step, reach, bits)
    mass, never = [0] * (2 * reach + 1), 0
    for chance, one, two, missing in cases:
        never += ceil(chance * missing * (1 << bits))
        for p, q in zip(one, two, strict=True):
            place = bisect_left(ratios, -((-p << bits) // q)) if q else len(ratios)
            some = -(-p * chance.numerator // chance.denominator)
            if place == len(ratios):
                never += some
            else:
                mass[place] += some
    inside = [place for place, some in enumerate(mass) if some] or [reach]
    return Losses(inside[0] - reach, mass[inside[0] : inside[-1] + 1], never, bits)


def together(outputs: Sequence[Sequence[Losses]], epsilon: Fraction) -> Fraction:
    """Delta of independent outputs at once, worst over the pairs of laws that each may have."""
    if prod(map(len, outputs)) > MOST_WAYS:
        raise TooLargeError(f"outputs that are independent have more than {MOST_WAYS} pairs of facts")
    return max(_sum(pairs).delta(epsilon) for pairs in product(*outputs))


def _sum(parts: Sequence[Losses]) -> Losses:
    whole, *rest = parts
    for other in rest:
        bits, size = whole.bits, len(whole.mass) + len(other.mass)
        if size > LARGEST:
            raise TooLargeError(f"the losses of so many figures need {size} points, more than {LARGEST}")
        mass = [-(-int(number) >> bits) for number in (fmpz_poly(whole.mass) * fmpz_poly(other.mass)).coeffs()]
        one, two = sum(whole.mass) + whole.never, sum(other.mass) + other.never
        never = -(-(whole.never * two + other.never * one - whole.never * other.never) >> bits)
        whole = Losses(whole.first + other.first, mass, never, bits)
    return whole
