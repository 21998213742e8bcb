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
alone give max log T <= log T(v) + g² / (1 - |g|): the root may be off. The rest is the rounding of log T, a sum of m
and r logarithms whose arguments are known to a few units; c is moved to the stricter side.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics.law import Floats

Side: TypeAlias = Literal[1, -1]
Truths: TypeAlias = NDArray[np.bool_]


def hedged(m: Floats, r: Floats, c: Floats, side: Side, rate: tuple[float, float], odds: tuple[float, float]) -> Truths:
    """For each (m, r, c) whether the inequality above certainly holds.

    `rate` is q* and 1 - q*, each rounded once; `odds` is log((1-alpha)/alpha) and its error. Cost: a few logarithms a
    place.
    """
    c = c * (1 + side * 8 * UNIT)  # the stricter side: T grows with s c
    with np.errstate(all="ignore"):
        room = side * (rate[0] / c - 1) - 8 * UNIT * rate[0] / c  # from below: -T(q*) = q*^m (1-q*)^r room
        none = (c >= 1) if side < 0 else np.zeros(len(c), dtype=bool)  # T is nowhere positive
        v = _peak(m, r, c, side)
        most, slip = _log_ratio(m, r, c, v, side, rate)
        held = odds[0] + most + slip + odds[1] <= np.log(room)
    return np.asarray((room > 0) & (none | held))


def _peak(m: Floats, r: Floats, c: Floats, side: Side) -> Floats:
    """The positive root, by the formula in which both terms of the denominator have one sign."""
    first, middle, last = c * (m + r + 1), side * ((m + 1) * (1 - c) - (r + 1) * c), 1 - c
    root = np.sqrt(middle * middle + 4 * first * last)
    return np.where(middle >= 0, 2 * last / (middle + root), (root - middle) / (2 * first))


def _log_ratio(
    m: Floats, r: Floats, c: Floats, v: Floats, side: Side, rate: tuple[float, float]
) -> tuple[Floats, Floats]:
    """An upper bound, in two parts, on the largest log of (q/q*)^m ((1-q)/(1-q*))^r v.

    1 - s v is 0 if m = 0 and s = 1, where q = 0 is the maximum.
    """
    v = np.where(m == 0, 1.0, np.minimum(v, 1.0)) if side > 0 else v
    share = 1 - side * v
    q = c * share
    other = (1 - c) + side * c * v  # 1 - q; both terms positive if s = 1, and v < (1-c)/c if s = -1
    yes = np.where(m > 0, m * np.log(q / rate[0]), 0.0)
    no = np.where(r > 0, r * np.log(other / rate[1]), 0.0)
    pull, push = np.where(m > 0, m * v / share, 0.0), r * c * v / other
    g = np.where((m == 0) & (side > 0), 0.0, 1 - side * pull + side * push)
    # 1 - v is exact above 1/2, and the pull is within 1 + |g| of the push, so that twice its units are enough
    doubt = np.abs(g) + 64 * UNIT * (1 + push * (1 + 1 / other))
    loss = np.where(doubt < 0.5, doubt * doubt / (1 - np.minimum(doubt, 0.5)), np.inf)
    units = (
        m * (16 + 2 * v / np.maximum(share, UNIT))
        + r * (16 + 8 / other)
        + (LIBM + 8) * (np.abs(yes) + np.abs(no) + np.abs(np.log(v)))
        + 400  # the logarithm of the room, which is above 2^-60, and sums
    )
    return yes + no + np.log(v), loss + units * UNIT * 1.01
