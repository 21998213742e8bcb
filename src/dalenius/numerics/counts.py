"""Laws of counts by their own recurrences: Poisson, binomial, hypergeometric. No logarithm, no table of factorials.

Starting at the mode with weight 1, each weight follows from its neighbour by one quotient, which falls away from the
mode; the weights are then divided by their sum. So a mass that is d steps away errs by a few units for each step,
relatively, at 1e-250 as at the mode, and what lies beyond the window is less than a geometric series.
"""

import math
from fractions import Fraction

import numpy as np

from dalenius.enclosure.floats import SMALLEST, UNIT, pairwise
from dalenius.numerics.law import Floats, Law, point

LEAST = 1e-290  # weights below this, relative to the mode, are left to the tail
STEP = 5.0  # units by which one step errs: a rounded parameter, two quotients or products, and the running product


def poisson(mean: Fraction | float) -> Law:
    """The law of a Poisson count. P(c) / P(c - 1) = mean / c. Cost O(√mean)."""
    rate = float(mean)
    if rate == 0:
        return point(0)
    mode, reach = math.floor(rate), _reach(rate)
    above = rate / _up(mode, mode + reach)
    below = _down(mode, max(0, mode - reach)) / rate
    return _from_mode(mode, below, above, (mode <= reach, False))


def binomial(n: int, p: Fraction) -> Law:
    """The law of the number of successes among n. P(c) / P(c - 1) = (n - c + 1) p / (c (1 - p)).

    Cost O(√(n p (1 - p))).
    """
    if n == 0 or p == 0:
        return point(0)
    if p == 1:
        return point(n)
    odds, mode = float(p / (1 - p)), min(n, math.floor((n + 1) * p))
    reach = _reach(float(n * p * (1 - p)))
    up, down = _up(mode, min(n, mode + reach)), _down(mode, max(0, mode - reach))
    ends = (mode <= reach, n - mode <= reach)
    return _from_mode(mode, down / ((n - down + 1) * odds), (n - up + 1) / up * odds, ends)


def hypergeometric(marked: int, others: int, drawn: int) -> Law:
    """The number of marked ones among `drawn` of marked + others, without replacement.

    P(c) / P(c - 1) = (marked - c + 1) (drawn - c + 1) / (c (others - drawn + c)).
    """
    low, high = max(0, drawn - others), min(marked, drawn)
    if low == high:
        return point(low)
    size = marked + others
    mode = min(high, max(low, (marked + 1) * (drawn + 1) // (size + 2)))
    reach = _reach(drawn * (marked / size) * (others / size))
    up, down = _up(mode, min(high, mode + reach)), _down(mode, max(low, mode - reach))
    above = (marked - up + 1) / up * ((drawn - up + 1) / (others - drawn + up))
    below = down / (marked - down + 1) * ((others - drawn + down) / (drawn - down + 1))
    return _from_mode(mode, below, above, (mode - low <= reach, high - mode <= reach))


def _reach(variance: float) -> int:
    """Steps after which, by Bernstein's inequality, less than `LEAST` is left."""
    return math.ceil(450 + 37 * math.sqrt(variance)) + 8


def _up(mode: int, last: int) -> Floats:
    return np.arange(mode + 1, last + 1, dtype=float)


def _down(mode: int, first: int) -> Floats:
    return np.arange(mode, first, -1, dtype=float)


def _from_mode(mode: int, below: Floats, above: Floats, ends: tuple[bool, bool]) -> Law:
    """The law with these quotients of neighbours, from the mode down and from the mode up. `ends`: whether nothing lies
    beyond the last quotient.

    A quotient may be a hair above 1 next to the mode; quotients fall from there on. Where the window stops short of the
    end, the rest is at most a geometric series of the next quotient.
    """
    left, right = np.cumprod(below, dtype=np.float64), np.cumprod(above, dtype=np.float64)
    kept_left, kept_right = int((left >= LEAST).sum()), int((right >= LEAST).sum())
    weights = np.concatenate([left[:kept_left][::-1], [1.0], right[:kept_right]])
    units = STEP * np.abs(np.arange(len(weights)) - kept_left)
    total = float(weights.sum())
    drift = float((weights * units).sum()) / total + pairwise(len(weights)) + 8
    rest = _rest(left, below, kept_left, end=ends[0]) + _rest(right, above, kept_right, end=ends[1])
    mass = weights / total
    return Law(mode - kept_left, mass, mass * ((units + drift) * (1.01 * UNIT) + rest), rest * 1.01 / total)


def _rest(weights: Floats, quotients: Floats, kept: int, *, end: bool) -> float:
    """What lies beyond the weights that are kept."""
    if kept == len(weights) and (end or not kept):
        return 0.0
    last = min(kept, len(weights) - 1)
    quotient, before = float(quotients[last]), float(weights[kept - 1]) if kept else 1.0
    return max(before * quotient / (1 - quotient) * 1.001, SMALLEST)
