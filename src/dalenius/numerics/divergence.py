"""How far apart two laws are: hockey-stick divergence, total variation, max divergence."""

import math
from fractions import Fraction

import numpy as np

from dalenius.enclosure.balls import Balls, Floats
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import (
    excess_above,
    excess_below,
    excesses_above,
    largest_ratio_above,
    largest_ratio_below,
    mass_above,
    mass_below,
    without_below,
)
from dalenius.enclosure.outward import add_down, add_up, difference_down, exponential, log_down, log_up, times_up
from dalenius.numerics.law import Law


def hockey_stick(p: Law, q: Law, *, epsilon: Fraction) -> Bracket:
    r"""How far P exceeds e^epsilon times Q, at worst over events.

    $$ H_\epsilon(P \| Q) = \sum_k \max(0, P(k) - e^\epsilon Q(k)) $$

    The supremum over events is attained at S = {k : P(k) > e^epsilon Q(k)}, so this is the least delta with
    P(S) <= e^epsilon Q(S) + delta for every event S.

    Certified. Where both laws have masses, the sum is enclosed in one pass from above and one from below
    (`enclosure/excess.py`). Beyond Q's window P has what it has there, and from above its tail. From below, an event
    that leaves Q's window may hold all of Q's tail; it leaves the window or not, whichever gives more. Cost
    O(length).
    """
    inside, behind, beyond = _split(p, q)
    least, most = exponential(epsilon)
    upper = add_up(excess_above(inside, behind, least), p.tail)
    for part in beyond:
        upper = add_up(upper, mass_above(part))
    if math.isinf(most):
        return Bracket(mass_without(p, q), max(0.0, min(1.0, upper)))
    lower, outside = excess_below(inside, behind, most), 0.0
    for part in beyond:
        outside = add_down(outside, mass_below(part))
    lower = add_down(lower, difference_down(outside, times_up(most, q.tail)))
    return Bracket(max(0.0, min(1.0, lower)), max(0.0, min(1.0, upper)))


def _split(p: Law, q: Law) -> tuple[Balls, Balls, list[Balls]]:
    """P and Q where their windows overlap, and the parts of P beyond Q's window."""
    low, high = max(p.start, q.start), min(p.stop, q.stop)
    if low >= high:
        nothing = Balls(np.zeros(0), np.zeros(0))
        return nothing, nothing, [p.balls]
    parts = [slice(0, low - p.start), slice(high - p.start, None)]
    inside = p.balls[low - p.start : high - p.start]
    return inside, q.balls[low - q.start : high - q.start], [p.balls[part] for part in parts if len(p.mass[part])]


def hockey_sticks(p: Law, q: Law, epsilons: Floats) -> Floats:
    """Upper bounds on H_epsilon(P || Q) for many epsilons: one sort by likelihood ratio, then cumulative sums. They
    are for curves as a whole, not for their far tails. Cost O(n log n).
    """
    values = excesses_above(p.balls, q.over(p.start, p.stop), epsilons)
    return np.asarray(np.minimum(add_up(values, p.tail), 1.0))


def mass_without(p: Law, q: Law) -> float:
    """A lower bound on the mass that P has where Q certainly has none."""
    return 0.0 if q.tail else without_below(p.balls, q.over(p.start, p.stop))


def total_variation(p: Law, q: Law) -> Bracket:
    """The largest difference in the probability of an event: the hockey stick at epsilon = 0, either way round."""
    forth, back = hockey_stick(p, q, epsilon=Fraction(0)), hockey_stick(q, p, epsilon=Fraction(0))
    return Bracket(max(forth.lower, back.lower), min(forth.upper, back.upper))


def max_divergence(p: Law, q: Law) -> Bracket:
    """The least epsilon with P(S) <= e^epsilon Q(S) for every event: the largest log ratio of masses.

    Infinite when P may have mass where Q has none; with a tail, only a lower bound is known.
    """
    behind = q.over(p.start, p.stop)
    upper = math.inf if p.tail > 0 else _log_of_most(largest_ratio_above(p.balls, behind))
    lower = max(0.0, log_down(largest_ratio_below(p.balls, behind, q.tail)))
    return Bracket(min(lower, upper), max(upper, 0.0))


def _log_of_most(ratio: float) -> float:
    return 0.0 if ratio == 0.0 else log_up(ratio)
