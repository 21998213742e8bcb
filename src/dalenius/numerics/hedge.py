r"""Which exact counts stay within e^ε for every attacker who mixes a stated rate, with weight alpha, with any other.

The likelihood of a count k in two worlds differs by a factor that is linear in the rate q, so that the question is
always whether, with whole numbers m, r and a place c in (0, 1),

    alpha T(q*) + (1 - alpha) max_q T(q) <= 0,    T(q) = q^m (1-q)^r s (1 - q/c),    s = 1 or -1.

T is positive on one side of c only. There put q = c (1 - s v), v > 0, so that T = q^m (1-q)^r v, whose logarithm is
concave, with its maximum at the positive root of

    c (m+r+1) v² + s ((m+1)(1-c) - (r+1)c) v - (1-c) = 0.

(These are the roots of the quadratic in q that setting the derivative to zero gives; q = 0 and q = 1 are its limits for
m = 0 and r = 0.) Written so, nothing cancels: v is of the order of 1/n, and known to its last digits.

Certified. "Yes" is said only if it is certain. With the computed v and g = v (log T)'(v), concavity and the term log v
alone give max log T <= log T(v) + g² / (1 - |g|): the root may be off. All else is computed with what rounding does to
it, for every c, q* and alpha within theirs.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls, choose
from dalenius.numerics.law import Floats

Side: TypeAlias = Literal[1, -1]
Truths: TypeAlias = NDArray[np.bool_]
NEAR = 0.5  # a |g| from which on the root tells nothing


def hedged(m: Floats, r: Floats, c: Balls, side: Side, rate: tuple[Balls, Balls], odds: Balls) -> Truths:
    """For each (m, r, c) whether the inequality above certainly holds.

    `rate` is q* and 1 - q*; `odds` is log((1-alpha)/alpha). Cost: a few logarithms a place.
    """
    with np.errstate(all="ignore"):
        room = side * (rate[0] / c - 1.0)  # -T(q*) = q*^m (1-q*)^r room
        none = (c.lower >= 1.0) if side < 0 else np.zeros(len(c), dtype=bool)  # T is nowhere positive
        v = _peak(m, r, np.asarray(c.middle), side)
        held = (odds + _most(m, r, c, v, side, rate)).upper <= room.log().lower
    return np.asarray((room.lower > 0) & (none | held))


def _peak(m: Floats, r: Floats, c: Floats, side: Side) -> Floats:
    """About the positive root, by the formula in which both terms of the denominator have one sign."""
    first, middle, last = c * (m + r + 1), side * ((m + 1) * (1 - c) - (r + 1) * c), 1 - c
    root = np.sqrt(middle * middle + 4 * first * last)
    return np.where(middle >= 0, 2 * last / (middle + root), (root - middle) / (2 * first))


def _most(m: Floats, r: Floats, c: Balls, v: Floats, side: Side, rate: tuple[Balls, Balls]) -> Balls:
    """A bound on the largest log of (q/q*)^m ((1-q)/(1-q*))^r v, near whose maximum v is.

    1 - s v is 0 if m = 0 and s = 1, where q = 0 is the maximum.
    """
    if side > 0:
        v = np.where(m == 0, 1.0, np.minimum(v, 1.0))
    at_zero = (m == 0) & (side > 0)
    share = 1.0 - side * Balls.of(v)
    other = (1.0 - c) + c * v * side  # 1 - q; both terms positive if s = 1, and v < (1-c)/c if s = -1
    yes, no = (c * share / rate[0]).log() * m, (other / rate[1]).log() * r
    slope = 1.0 - Balls.of(side * m) * v / share + c * v * (side * r) / other
    away = choose(at_zero, 0.0, slope).size
    loss = Balls.of(away) ** 2 / (1.0 - Balls.of(np.minimum(away, NEAR)))
    return yes + no + Balls.of(v).log() + choose(away < NEAR, loss, np.inf)
