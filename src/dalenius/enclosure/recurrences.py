r"""Recurrences of numbers that are at least 0: every term is positive, so that errors stay relative however long they
run.

**Geometric smoothing.** y_k = Σ_j v_j x^|k-j| by two one-sided recurrences, a_k = v_k + x a_(k-1) and b_k = v_k + x
b_(k+1), y_k = a_k + x b_(k+1). A term v_j x^|k-j| of y_k goes through at most |k - j| + 1 steps, each with one
product, one sum, and an x that is off by ρ relatively, and then one more sum: with n steps at most, |fl(y_k) - y_k|
<= y_k ((1 + ρ)^n (1 + u)^(2n + 2) - 1). Below the normal numbers a product loses half of the smallest float η, which
later steps only make smaller since x < 1: less than n η in all. ∎
"""

import math

import numpy as np

from dalenius.enclosure.balls import FLOOR, Balls, Floats
from dalenius.enclosure.floats import UNIT

FAINT = 1e-290


def smoothed(values: Floats, ratio: Balls) -> Balls:
    """Σ_j v_j x^|k-j| at every k of the last axis, for exact v >= 0 and a ratio below 1. Cost: two passes."""
    from scipy.signal import lfilter  # heavy, and only noise needs it

    x, most, count = float(ratio.middle), float(ratio.upper), values.shape[-1]
    held = np.flatnonzero(values.reshape(-1, count).any(axis=0))
    steps = int(max(held[-1], count - 1 - held[0])) + 1 if len(held) else 0  # between a number and a place, at most
    if most < FAINT:  # which may have few digits: all that comes from elsewhere, below 2 x of what there is, is charged
        lost = 4.0 * float(values.sum()) * most + FLOOR if most > 0.0 and len(held) else 0.0
        return Balls.within(values, np.full(values.shape, lost))
    off = float(ratio.radius) / x
    forward = lfilter([1.0], [1.0, -x], values)
    backward = lfilter([1.0], [1.0, -x], values[..., ::-1])[..., ::-1]
    ahead = np.concatenate([backward[..., 1:], np.zeros((*values.shape[:-1], 1))], axis=-1)
    middle = forward + x * ahead
    relative = math.expm1((steps + 2) * (2.0 * UNIT + off) * (1.0 + 1e-6))
    return Balls.within(middle, (middle * relative + (steps + 2) * FLOOR) * (1.0 + 16.0 * UNIT))
