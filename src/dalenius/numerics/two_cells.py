"""How well a random number of coins hides one more: the mean, over that number, of what a binomial law tells of a step.

For B = Binomial(m, r) the masses p(k) of B and p(k - 1) of B + 1 have the ratio (m - k + 1) r / (k (1 - r)), which
falls in k. So B exceeds e^ε times B + 1 on a lower tail {0, ..., t}, and by

    δ_m = Σ_(k <= t) p(k) (1 - e^ε ρ_k),      ρ_k = p(k - 1) / p(k) = k (1 - r) / ((m - k + 1) r),

a sum of terms that are not negative. All m are taken at once. The mass at the top of the tail is known at one m, and
goes from there by quotients; down the tail the others follow by ρ, until what is left of a geometric series is nothing.
"""

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.enclosure.floats import LIBM, RAISED, TINY, UNIT, pairwise
from dalenius.enclosure.outward import LARGEST, exponential
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.logconcave import binomial
from dalenius.numerics.special import gammaln

Ints: TypeAlias = NDArray[np.int64]

LEAST_SHARE = Fraction(1, 10**9)  # a smaller share of the coins, and relative errors are no longer few
LONGEST = 60_000  # numbers of coins that are taken at once
SMALLEST_ANCHOR = 1e-50  # a mass that binomial laws resolve
LITTLE = 1e-19  # of the sum, at which a tail ends
MOST_STEPS = 20_000  # down a tail


def mean_excess(number: Law, share: Fraction, epsilon: Fraction) -> Bracket | None:
    """E δ_M(ε), where M has the law `number`; None where it is too small, or too much, to be taken like this.

    Certified. A quotient of the path along m errs by 7 units: whole numbers are floats as they are, the share and its
    complement are rounded once, and there are three operations; its running product makes it 8 a step. A step down a
    tail errs by 8 as well, and a term by 8 units of its mass and by what e^ε may be off, since e^ε ρ is about one at
    most where a term counts. So with n numbers and j steps every δ_m is within (8 n + 8 j + ...) units of the mass of
    its tail; what a tail leaves out is less than one of these. Cost O(numbers · steps).
    """
    counts = np.arange(max(number.start, 1), number.stop, dtype=np.int64)
    if not LEAST_SHARE <= share <= 1 - LEAST_SHARE or not 0 < len(counts) <= LONGEST or epsilon > LARGEST:
        return None
    r, s = float(share), float(1 - share)
    factor = exponential(epsilon)[0]
    # the last place where B exceeds is the ceiling less one; so rounding cannot make these too low
    tops = np.minimum(np.ceil((counts + 1) * (r / (r + factor * s))).astype(np.int64) + 1, counts)
    inside = slice(int(counts[0]) - number.start, None)
    mass, error = number.mass[inside], number.error[inside]
    path = _path(counts, tops, share, mass)
    tails = _tails(counts.astype(float), tops.astype(float), s / r, factor)
    if path is None or tails is None:
        return None
    tip, slip = path
    sums, weights, steps = tails
    units = (8 * len(counts) + 8 * steps + 4 * LIBM + 4 * float(epsilon) + 64) * UNIT + slip
    values, slack = tip * sums, RAISED * tip * weights * units + TINY
    above = largest_masses(mass, error) * np.minimum(1.0, values + slack)
    below = least_masses(mass, error) * np.maximum(0.0, values - slack)
    # without a single coin the step shows, and so it may where nothing is known of their number
    most = least = 0.0
    if number.start == 0:
        most = float(largest_masses(number.mass[:1], number.error[:1])[0])
        least = float(least_masses(number.mass[:1], number.error[:1])[0])
    rounding = 2 * (pairwise(len(counts)) + 8) * UNIT
    upper = (float(above.sum()) + most + number.tail) * (1 + rounding) + TINY
    lower = (float(below.sum()) + least) * (1 - rounding)
    return Bracket(max(0.0, min(lower, upper, 1.0)), min(1.0, upper))


def _path(counts: Ints, tops: Ints, share: Fraction, mass: Floats) -> tuple[Floats, float] | None:
    """The mass of Binomial(m, share) at the top of its tail, for every m, from one that is resolved and matters; and by
    how much that one may be off.
    """
    m, k, r, s = counts.astype(float), tops.astype(float), float(share), float(1 - share)
    logs = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1) + k * math.log(r) + (m - k) * math.log(s)
    with np.errstate(divide="ignore"):
        start = int(np.argmax(logs + np.log(mass)))  # any would do, but this one is not too small if the sum is not
    law = binomial(int(counts[start]), share)
    place = int(tops[start]) - law.start
    if not 0 <= place < len(law.mass) or law.mass[place] < SMALLEST_ANCHOR or np.diff(tops).max(initial=0) > 1:
        return None
    anchor = float(law.mass[place])
    along = np.diff(tops) > 0  # to (m + 1, k + 1), or to (m + 1, k)
    ratios = np.where(along, m[1:] * r / np.maximum(k[1:], 1.0), m[1:] * s / (m[1:] - k[:-1]))
    with np.errstate(over="ignore", under="ignore"):
        ahead = anchor * np.cumprod(ratios[start:])
        behind = anchor * np.cumprod(1 / ratios[:start][::-1])
    whole = np.concatenate([behind[::-1], [anchor], ahead])
    return (whole, RAISED * float(law.error[place]) / anchor) if np.isfinite(whole).all() else None


def _tails(m: Floats, top: Floats, odds: float, factor: float) -> tuple[Floats, Floats, int] | None:
    """For every m, relative to the mass at the top: what B exceeds by on its tail, the mass of the tail, and in how
    many steps; None if these are too many.
    """
    sums, weights, term, k = np.zeros(len(m)), np.zeros(len(m)), np.ones(len(m)), top
    for step in range(1, MOST_STEPS + 1):
        ratio = k * odds / (m - k + 1)
        sums += term * np.maximum(0.0, 1 - factor * ratio)
        weights += term
        term = term * ratio
        k = np.maximum(k - 1, 0.0)
        if step % 8 == 0:
            ratio = k * odds / (m - k + 1)  # it falls from here on
            left = term / np.maximum(1 - ratio, TINY)
            if bool((left <= LITTLE * weights).all()):
                return sums, weights, step
    return None
