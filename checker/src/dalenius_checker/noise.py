"""What happens to a total before it is published: noise, as laws that are never too large, and rounding."""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb

from dalenius_checker.laws import LARGEST, Law, TooLargeError, ball, floor

NORMAL_SLIP = Fraction(1, 2**49)  # normal noise is drawn on a fine grid: see `_normal`


@lru_cache(maxsize=64)
def noise(kind: str, scale: Fraction, bits: int) -> Law:
    """The law of the noise; it is symmetric, and log-concave."""
    half = {"geometric": _geometric, "gaussian": _gaussian, "normal": _normal}[kind](scale, bits)
    return Law(1 - len(half), half[:0:-1] + half, bits)


def _reach(reach: int) -> int:
    if 2 * reach > LARGEST:
        raise TooLargeError(f"the law of the noise needs {2 * reach} points, more than {LARGEST}")
    return reach


def _geometric(scale: Fraction, bits: int) -> list[int]:
    """P(k) = (1 - x) / (1 + x) x^|k| with x = exp(-1 / scale), until it is below 2^-bits."""
    reach = _reach(int(scale * bits) + 2)
    x = (-ball(1 / scale, bits)).exp()
    mass, found = (1 - x) / (1 + x), []
    for _ in range(reach):
        found.append(floor(mass, bits))
        mass *= x
    return found


def _gaussian(scale: Fraction, bits: int) -> list[int]:
    """P(k) proportional to exp(-k² / 2 scale²); beyond c the sum of these is at most scale² / c of the last."""
    reach = _reach(isqrt(int(2 * bits * scale * scale)) + 2)
    weights = [(-ball(Fraction(k * k) / (2 * scale * scale), bits)).exp() for k in range(reach)]
    beyond = weights[-1] * ball(scale * scale / (reach - 1), bits)
    whole = weights[0] + 2 * (sum(weights[1:], arb(0)) + beyond)
    return [floor(weight / whole, bits) for weight in weights]


def _normal(scale: Fraction, bits: int) -> list[int]:
    """A normal variable rounded to whole numbers.

    It is drawn as discrete Gaussian noise on a grid 2^-40 finer, at a scale that is at most 2^-50 larger, and then
    rounded. That changes a mass relatively by less than (1 + x²) 2^-49 at x standard deviations.
    """
    reach = _reach(isqrt(int(2 * bits * scale * scale)) + 2)
    root = arb(2).sqrt() * ball(scale, bits)
    tails = [(ball(Fraction(2 * k - 1, 2), bits) / root).erfc() / 2 for k in range(reach + 1)]
    found = []
    for k in range(reach):
        kept = 1 - NORMAL_SLIP * (1 + (Fraction(2 * k + 1, 2) / scale) ** 2)
        found.append(max(0, floor((tails[k] - tails[k + 1]) * ball(max(kept, Fraction(0)), bits), bits)))
    return found


def rounded(law: Law, base: int, offset: int) -> Law:
    """The law of the nearest multiple of `base`, in multiples, of the total plus `offset`; half way goes up."""
    first = law.start + offset + base // 2
    low = first // base
    mass = [0] * ((first + len(law.mass) - 1) // base - low + 1)
    for place, some in enumerate(law.mass, first - low * base):
        mass[place // base] += some
    return Law(low, mass, law.bits)
