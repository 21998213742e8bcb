"""Laws of counts by their own recurrences: Poisson, binomial, hypergeometric. No logarithm, no table of factorials.

Starting at the mode with weight 1, each weight follows from its neighbour by one quotient, which falls away from the
mode; the weights are then divided by their sum. So a mass that is d steps away errs by a few units for each step,
relatively, at 1e-250 as at the mode, and what lies beyond the window is less than a geometric series.
"""

import math
from fractions import Fraction

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.outward import add_up
from dalenius.enclosure.products import Ratios, continued, enclosed, geometric_rest, quotients, shares
from dalenius.numerics.law import Floats, Law, point

LEAST = 1e-290  # weights below this, relative to the mode, are left to the tail


def poisson(mean: Fraction | float) -> Law:
    """The law of a Poisson count. P(c) / P(c - 1) = mean / c. Cost O(√mean)."""
    if mean == 0:
        return point(0)
    rate = Balls.of(mean)
    mode, reach = math.floor(mean), _reach(float(mean))
    up, down = _up(mode, mode + reach), _down(mode, max(0, mode - reach))
    above = quotients([np.ones(len(up))], [up], rate)
    below = quotients([down], [], 1 / rate)
    return _from_mode(mode, below, above, (mode <= reach, False))


def binomial(n: int, p: Fraction) -> Law:
    """The law of the number of successes among n. P(c) / P(c - 1) = (n - c + 1) p / (c (1 - p)).

    Cost O(√(n p (1 - p))).
    """
    if n == 0 or p == 0:
        return point(0)
    if p == 1:
        return point(n)
    odds, mode = Balls.of(p / (1 - p)), min(n, math.floor((n + 1) * p))
    reach = _reach(float(n * p * (1 - p)))
    up, down = _up(mode, min(n, mode + reach)), _down(mode, max(0, mode - reach))
    ends = (mode <= reach, n - mode <= reach)
    above, below = quotients([n - up + 1], [up], odds), quotients([down], [n - down + 1], 1 / odds)
    return _from_mode(mode, below, above, ends)


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
    above = quotients([marked - up + 1, drawn - up + 1], [up, others - drawn + up], Balls.of(1.0))
    below = quotients([down, others - drawn + down], [marked - down + 1, drawn - down + 1], Balls.of(1.0))
    return _from_mode(mode, below, above, (mode - low <= reach, high - mode <= reach))


def _reach(variance: float) -> int:
    """Steps after which, by Bernstein's inequality, less than `LEAST` is left."""
    return math.ceil(450 + 37 * math.sqrt(variance)) + 8


def _up(mode: int, last: int) -> Floats:
    return np.arange(mode + 1, last + 1, dtype=float)


def _down(mode: int, first: int) -> Floats:
    return np.arange(mode, first, -1, dtype=float)


def _from_mode(mode: int, below: Ratios, above: Ratios, ends: tuple[bool, bool]) -> Law:
    """The law with these quotients of neighbours, from the mode down and from the mode up. `ends`: whether nothing lies
    beyond the last quotient.

    A quotient may be a hair above 1 next to the mode; quotients fall from there on. Where the window stops short of the
    end, the rest is at most a geometric series of the next quotient.
    """
    sides = [(continued(one.middle, 1.0), one) for one in (below, above)]
    kept = [int((weights >= LEAST).sum()) for weights, _ in sides]
    left, right = (enclosed(weights[:few], one.relative) for (weights, one), few in zip(sides, kept, strict=True))
    rest = add_up(_rest(left, below, end=ends[0]), _rest(right, above, end=ends[1]))
    masses, tail = shares(left, right, rest)
    return Law.enclosing(mode - kept[0], masses, tail)


def _rest(weights: Balls, ratios: Ratios, *, end: bool) -> float:
    """What lies beyond the weights that are kept."""
    kept = len(weights)
    if kept == len(ratios.middle) and (end or not kept):
        return 0.0
    last = min(kept, len(ratios.middle) - 1)
    return geometric_rest(weights[kept - 1] if kept else Balls.of(1.0), ratios.at(last))
