"""The curve of a sum of many uniform numbers against its shift, far into the tail.

Its density and its tail are in `enclosure/uniforms.py`, as logarithms.
"""

import math
from fractions import Fraction

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.exponents import least_exponential
from dalenius.enclosure.outward import HELD, add_up, difference_down, exp_up, exponential, times_up
from dalenius.enclosure.uniforms import (
    STEEPEST,
    cumulant,
    log_ratio,
    mean,
    scaled,
    survival,
    tails,
    tilt,
    up_of,
    variance,
)

STEPS = 60  # of a search


def grid(count: int) -> int:
    """Places are multiples of one over this, so that their differences are exact."""
    return 1 << max(8, min(40, 51 - count.bit_length()))


def delta(count: int, shift: Fraction, epsilon: Fraction) -> Bracket:
    """δ of the sum of more than 255 uniform numbers against its shift, a multiple of 1/grid below the count.

    With v from the middle, F(v) = G(v - h) - e^ε G(v) has the slope f(v) (e^ε - r(v)), r(v) = f(v - h)/f(v), and r
    grows (the density is log-concave): F rises up to the place at which r = e^ε, which is at h/2 or beyond, where
    r = 1. The place is enclosed: F still rises at a and falls at b. From h/2 on f falls, so that from a on the slope is
    never above what it is at a:

        F(a) ≤ δ ≤ F(a) + (b - a) F'(a).
    """
    h = float(shift)
    if h == 0.0:
        return Bracket(0.0, 0.0)
    last = _snapped(count, count * (0.5 - 1 / STEEPEST))
    if last <= h / 2 or _rise(count, h, last, epsilon)[0] >= 0:
        return _beyond(count, h, last, epsilon)
    first, falls = _enclosed(count, h, last, epsilon)
    low, high = _height(count, h, first, epsilon)
    upper = add_up(high, times_up(falls - first, _slope(count, h, first, epsilon)))
    return Bracket(low if low > HELD else 0.0, min(1.0, add_up(max(upper, 0.0), HELD)))


def _beyond(count: int, h: float, last: float, epsilon: Fraction) -> Bracket:
    """The turning point is beyond `last` and h/2: δ ≤ G(last - h), and δ ≥ F(h/2) = 1 - (1 + e^ε) G(h/2)."""
    upper = exp_up(up_of(survival(count, max(last, h / 2) - h)))
    theta = tilt(count, h / 2)
    height, error = cumulant(count, theta)
    beyond = least_exponential((height, -theta * (h / 2)), error)
    low = difference_down(1.0, times_up(add_up(1.0, exponential(epsilon)[1]), beyond))
    return Bracket(low, min(1.0, add_up(upper, HELD)))


def _enclosed(count: int, h: float, last: float, epsilon: Fraction) -> tuple[float, float]:
    """Places at which F certainly still rises, or h/2, and certainly falls, or the last place."""
    middle = _turning(count, h, last, float(epsilon))
    steps = [4.0**turn / grid(count) for turn in range(STEPS)]
    first = next(
        at
        for step in steps
        if (at := _snapped(count, max(h / 2, middle - step))) <= h / 2 or _rise(count, h, at, epsilon)[0] >= 0
    )
    falls = next(
        at
        for step in steps
        if (at := _snapped(count, min(last, middle + step))) >= last or _rise(count, h, at, epsilon)[1] <= 0
    )
    return max(first, h / 2), falls


def _snapped(count: int, place: float) -> float:
    return math.floor(place * grid(count)) / grid(count)


def _turning(count: int, h: float, last: float, epsilon: float) -> float:
    """About where ln f(v - h) - ln f(v) = ε; nothing rests on it but sharpness."""
    low, high = h / 2, last
    at = min(max(count * mean(min(epsilon / h, STEEPEST)) + h / 2, low), high)
    for turn in range(STEPS):
        gap = tails(count, abs(at - h)).density - tails(count, at).density - epsilon
        low, high = (at, high) if gap < 0 else (low, at)
        slope = h / (count * variance(tilt(count, max(at - h / 2, 0.0))))
        better = at - gap / slope
        if not low < better < high or turn % 8 == 7:
            better = (low + high) / 2
        if abs(better - at) * grid(count) <= 1 or abs(gap) < 1e-13:
            break
        at = better
    return at


def _rise(count: int, h: float, at: float, epsilon: Fraction) -> tuple[float, float]:
    """The ends of ln(e^ε f(v) / f(v - h)): F rises where it is positive."""
    moved, here = tails(count, abs(at - h)), tails(count, at)
    return log_ratio((here.density, here.density_error), (moved.density, moved.density_error), epsilon)


def _slope(count: int, h: float, at: float, epsilon: Fraction) -> float:
    """F'(v) = e^ε f(v) - f(v - h) from above, at least 0."""
    moved = tails(count, abs(at - h))
    return max(0.0, scaled((moved.density, moved.density_error), _rise(count, h, at, epsilon)[1], 1))


def _height(count: int, h: float, at: float, epsilon: Fraction) -> tuple[float, float]:
    """F(v) = G(v - h) - e^ε G(v), from below and from above."""
    ahead, behind = survival(count, at - h), survival(count, at)
    least, most = log_ratio(behind, ahead, epsilon)
    return -scaled(ahead, most, 1), -scaled(ahead, least, -1)
