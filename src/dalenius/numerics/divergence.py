"""How far apart two laws are: hockey-stick divergence, total variation, max divergence."""

import math
from fractions import Fraction

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import LIBM, UNIT, pairwise
from dalenius.numerics.law import Floats, Law

LARGEST = Fraction(700)  # beyond this, e^epsilon overflows


def exponential(epsilon: Fraction) -> tuple[float, float]:
    """Lower and upper bound on e^epsilon (infinite above 700)."""
    if epsilon > LARGEST:
        return math.exp(700.0) * (1 - 1e-12), math.inf
    at = float(epsilon)
    value = math.exp(at)
    units = (2 * LIBM + 2 * at) * UNIT
    return (value * (1 - units), value * (1 + units)) if epsilon else (1.0, 1.0)


def hockey_stick(p: Law, q: Law, *, epsilon: Fraction) -> Bracket:
    r"""How far P exceeds e^epsilon times Q, at worst over events.

    $$ H_\epsilon(P \| Q) = \sum_k \max(0, P(k) - e^\epsilon Q(k)) $$

    The supremum over events is attained at S = {k : P(k) > e^epsilon Q(k)}, so this is the least delta with
    P(S) <= e^epsilon Q(S) + delta for every event S.

    Certified. Upper: each term is at most (p + e) - e^epsilon (q - f), and P's tail is added. Lower: the value of the
    event where the computed masses say so, less all errors, and less e^epsilon times Q's tail where the event
    leaves Q's window. Cost O(length).
    """
    start, stop = p.start, p.stop
    q_mass, q_error = q.window(start, stop)
    upper = excess(largest_masses(p.mass, p.error), least_masses(q_mass, q_error), epsilon)
    upper = math.nextafter(upper + p.tail, math.inf) if p.tail else upper
    factor = exponential(epsilon)[1]
    if math.isinf(factor):
        return Bracket(mass_without(p, q), min(1.0, upper))
    chosen = p.mass - p.error > factor * (q_mass + q_error)
    outside = bool(chosen[: max(0, q.start - start)].any() or chosen[max(0, q.stop - start) :].any())
    gain = np.where(chosen, p.mass - p.error - factor * (q_mass + q_error), 0.0)
    loss = factor * q.tail if outside and q.tail else 0.0
    units = 2 * (pairwise(len(gain)) + 8) * UNIT
    weight = float(np.where(chosen, p.mass + factor * q_mass, 0.0).sum())
    inner = float(gain.sum()) - loss - units * weight
    return Bracket(max(0.0, min(1.0, inner)), max(0.0, min(1.0, upper)))


def excess(p_upper: Floats, q_lower: Floats, epsilon: Fraction) -> float:
    """An upper bound on Σ max(0, p - e^epsilon q), rounding included."""
    factor = exponential(epsilon)[0]
    terms = np.maximum(p_upper - factor * q_lower, 0.0)
    units = 2 * (pairwise(len(terms)) + 8) * UNIT
    return float(terms.sum()) * (1 + units) + 16 * UNIT * float(p_upper[terms > 0].sum())


def largest_masses(mass: Floats, error: Floats) -> Floats:
    """The mass plus its error, rounded up: where two laws tie, an error below half a unit must not be lost."""
    return np.where(error > 0, np.nextafter(mass + error, np.inf), mass)


def least_masses(mass: Floats, error: Floats) -> Floats:
    """The mass less its error, rounded down, but at least zero."""
    return np.maximum(np.where(error > 0, np.nextafter(mass - error, -np.inf), mass), 0.0)


def hockey_sticks(p: Law, q: Law, epsilons: Floats) -> Floats:
    """Upper bounds on H_epsilon(P || Q) for many epsilons: one sort by likelihood ratio, then cumulative sums.

    For the n outcomes in the order of their ratios the event of every epsilon is a first part; a cumulative sum errs
    by at most n units, so this is for curves as a whole, not for their far tails. Cost O(n log n).
    """
    q_mass, q_error = q.window(p.start, p.stop)
    upper, lower = largest_masses(p.mass, p.error), least_masses(q_mass, q_error)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(upper > 0, upper / lower, 0.0)
    order = np.argsort(-ratios)
    ahead = np.concatenate([[0.0], np.cumsum(upper[order])])
    behind = np.concatenate([[0.0], np.cumsum(lower[order])])
    factors = np.exp(epsilons) * (1 - (2 * LIBM + 2 * np.abs(epsilons)) * UNIT)
    count = np.searchsorted(-ratios[order], -factors)
    values = ahead[count] - factors * behind[count] + (len(upper) + 8) * UNIT * (ahead[count] + factors * behind[count])
    return np.asarray(np.clip(np.nextafter(values + p.tail, np.inf) if p.tail else values, 0.0, 1.0))


def mass_without(p: Law, q: Law) -> float:
    """A lower bound on the mass that P has where Q certainly has none."""
    if q.tail:
        return 0.0
    q_mass, q_error = q.window(p.start, p.stop)
    free = (q_mass == 0) & (q_error == 0)
    return max(0.0, float((p.mass - p.error)[free].sum()) * (1 - 1e-12))


def total_variation(p: Law, q: Law) -> Bracket:
    """The largest difference in the probability of an event: the hockey stick at epsilon = 0, either way round."""
    forth, back = hockey_stick(p, q, epsilon=Fraction(0)), hockey_stick(q, p, epsilon=Fraction(0))
    return Bracket(max(forth.lower, back.lower), min(forth.upper, back.upper))


def max_divergence(p: Law, q: Law) -> Bracket:
    """The least epsilon with P(S) <= e^epsilon Q(S) for every event: the largest log ratio of masses.

    Infinite when P may have mass where Q has none; with a tail, only a lower bound is known.
    """
    q_mass, q_error = q.window(p.start, p.stop)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        most = np.where(p.mass + p.error > 0, (p.mass + p.error) / np.maximum(q_mass - q_error, 0.0), 0.0)
        least = np.where(p.mass - p.error > 0, (p.mass - p.error) / (q_mass + q_error + q.tail), 0.0)
    least = np.where(q_mass + q_error + q.tail > 0, np.minimum(least, 1e308), least)
    upper = math.inf if p.tail > 0 else _log_up(float(most.max()))
    logarithm = math.log(max(float(least.max()), 1e-300))
    lower = max(0.0, logarithm - 1e-14 * (1 + abs(logarithm)) if math.isfinite(logarithm) else math.inf)
    return Bracket(min(lower, upper), max(upper, 0.0))


def _log_up(ratio: float) -> float:
    if ratio in (0.0, math.inf) or math.isnan(ratio):
        return math.inf if ratio != 0.0 else 0.0
    return math.log(ratio) + 1e-14 * (1 + abs(math.log(ratio)))
