r"""How far one law exceeds a multiple of another: the sum of max(0, p - factor q), in one pass over the arrays.

Laws are `Balls` of masses: any number within the radius that is at least 0 may be the mass.

**Statement.** With P in p ± e, Q in q ± f, all at least 0, and F >= factor (from above) or F <= factor (from below),
`excess_above` is no less and `excess_below` no more than Σ max(0, P - F Q) over what is given. The sum is the
supremum of P(S) - F Q(S) over events S.

**Proof, from above.** Let a = fl(p + e), s = fl(max(0, q - f)) and b = fl(factor' s), with factor' the float nearest to
factor (1 - 8u). A sum or a difference errs by u relatively, and not at all where it is below the normal numbers, so
that P <= a / (1 - u) and Q >= s / (1 + u). The product errs by u or by half of the smallest float η: s >= (b - η) /
(factor' (1 + u)). Since factor' (1 + u)² / (1 - u) <= factor,

    P - F Q <= a / (1 - u) - factor s / (1 + u) <= (a - b) / (1 - u) + η

and fl(a - b) loses another u of what is positive. So each term is at most max(0, fl(a - b)) / (1 - u)² + η, also
where the computed one is 0. η only counts where some b is below the normal numbers. The sum is pairwise. There is no
other error: it is relative to the excess itself, not to the masses.

At factor 1 that would charge 8 u of every mass where two laws tie. There nothing is multiplied: p + e and q - f are
rounded outwards where there is an error, not at all where there is none, so that equal laws exceed each other by
exactly 0.

**Proof, from below.** Likewise with a = fl(p - e), b = fl(factor'' fl(q + f)), factor'' nearest to factor (1 + 8u): a
<= (p - e)(1 + u) where positive, and (q + f) factor <= (b + η) / (1 + u). The sum over the event where fl(a - b) > 0,
a set like any other, is at least Σ fl(a - b) / (1 + u)² - n η. ∎
"""

import math

import numpy as np

from dalenius.enclosure.balls import FLOOR, Balls, Floats
from dalenius.enclosure.floats import LIBM, SMALLEST, UNIT, pairwise
from dalenius.enclosure.outward import HIGHEST_POWER, units_of_sum

NORMAL = 1e-290  # products below it may have lost digits; sums above 1e-250 do not see what
SEEN = 1e-250


def largest_masses(mass: Floats, error: Floats) -> Floats:
    """The mass plus its error, rounded up: where two laws tie, an error below half a unit must not be lost."""
    return np.where(error > 0, np.nextafter(mass + error, np.inf), mass)


def least_masses(mass: Floats, error: Floats) -> Floats:
    """The mass less its error, rounded down, but at least zero."""
    return np.maximum(np.where(error > 0, np.nextafter(mass - error, -np.inf), mass), 0.0)


def excess_above(ahead: Balls, behind: Balls, factor: float) -> float:
    """Σ max(0, P - F Q) from above, for every F that is at least `factor` >= 1. Cost: one pass."""
    if factor == 1.0:
        terms = np.maximum(largest_masses(ahead.middle, ahead.radius) - least_masses(behind.middle, behind.radius), 0.0)
        return float(terms.sum()) * (1.0 + 2.0 * (pairwise(terms.size) + 4.0) * UNIT)
    terms, taken = ahead.middle + ahead.radius, behind.middle - behind.radius
    np.maximum(taken, 0.0, out=taken)
    taken *= factor * (1.0 - 8.0 * UNIT)
    np.subtract(terms, taken, out=terms)
    np.maximum(terms, 0.0, out=terms)
    total = float(terms.sum())
    if not total < math.inf:
        return math.inf
    lost = terms.size * SMALLEST if total < SEEN and bool(((taken > 0.0) & (taken < NORMAL)).any()) else 0.0
    return total * (1.0 + 2.0 * (pairwise(terms.size) + 6.0) * UNIT) + lost


def excess_below(ahead: Balls, behind: Balls, factor: float) -> float:
    """Σ max(0, P - F Q) from below, for every F that is at most `factor`, which may be infinite. Cost: one pass."""
    if math.isinf(factor):
        return without_below(ahead, behind)
    terms, taken = ahead.middle - ahead.radius, behind.middle + behind.radius
    with np.errstate(over="ignore", invalid="ignore"):
        taken *= factor * (1.0 + 8.0 * UNIT)
        np.subtract(terms, taken, out=terms)
        np.maximum(terms, 0.0, out=terms)
    total = float(terms.sum())
    if not 0.0 < total < math.inf:
        return 0.0
    return max(0.0, total * (1.0 - 2.0 * (pairwise(terms.size) + 6.0) * UNIT) - terms.size * SMALLEST)


def mass_above(masses: Balls) -> float:
    """The sum of the masses, from above."""
    total = float((masses.middle + masses.radius).sum())
    return total * (1.0 + 2.0 * (pairwise(masses.middle.size) + 4.0) * UNIT)


def mass_below(masses: Balls) -> float:
    """The sum of the masses, from below."""
    total = float(np.maximum(masses.middle - masses.radius, 0.0).sum())
    return total * (1.0 - 2.0 * (pairwise(masses.middle.size) + 4.0) * UNIT)


def without_below(ahead: Balls, behind: Balls) -> float:
    """The mass that P has where Q certainly has none, from below: the excess over any multiple."""
    return mass_below(ahead[(behind.middle == 0.0) & (behind.radius == 0.0)])


def excesses_above(ahead: Balls, behind: Balls, epsilons: Floats) -> Floats:
    """Σ max(0, P - e^ε Q) from above for each ε: outcomes are put between the factors e^ε by their ratio P / Q, and
    what counts for one is all that is above it.

    e^ε is lowered by what `LIBM` and the float ε may have wrong, so that no outcome that counts is put too low. Sums of
    n outcomes and k factors err by n + k units, so this is for curves as a whole, not for their far tails. Above 700 ε
    counts as 700. Cost O(n log k).
    """
    upper, lower = largest_masses(ahead.middle, ahead.radius), least_masses(behind.middle, behind.radius)
    order = np.argsort(epsilons, kind="stable")
    held = np.minimum(epsilons[order], HIGHEST_POWER)
    factors = np.exp(held) * (1.0 - (2 * LIBM + 2 * np.abs(held)) * UNIT)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        telling = (upper > 0) & (upper >= lower * factors[0])
        p, q = upper[telling], lower[telling]
        places = np.searchsorted(factors, p / q, side="right")  # so many factors are not above the ratio
    more, fewer = (
        np.cumsum(np.bincount(places, weights=mass, minlength=len(factors) + 1)[::-1])[::-1][1:] for mass in (p, q)
    )
    units = (len(p) + len(factors) + 8) * UNIT
    rounded = units * (more + factors * fewer) + np.where(more > 0, FLOOR, 0.0)
    found = np.empty(len(factors))
    found[order] = np.maximum(more - factors * fewer + rounded, 0.0)
    return found


def largest_ratio_above(ahead: Balls, behind: Balls) -> float:
    """The largest P / Q, from above: infinite where P may be positive and Q may be 0."""
    upper = largest_masses(ahead.middle, ahead.radius)
    lower = least_masses(behind.middle, behind.radius)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        most = float(np.where(upper > 0, upper / lower, 0.0).max(initial=0.0))
    # a ratio may be lost below the smallest float
    return math.nextafter(most, math.inf) if bool((upper > 0).any()) else 0.0


def largest_ratio_below(ahead: Balls, behind: Balls, beside: float) -> float:
    """The largest P / (Q + R), from below, for an R of at most `beside`: infinite where P is certainly positive and Q
    + R is 0.
    """
    lower = least_masses(ahead.middle, ahead.radius)
    upper = np.nextafter(largest_masses(behind.middle, behind.radius) + beside, np.inf)
    upper = np.where((behind.middle == 0) & (behind.radius == 0) & (beside == 0), 0.0, upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(lower > 0, lower / upper, 0.0)
    ratios = np.where(upper > 0, np.minimum(ratios, 1e308), ratios)
    most = float(ratios.max(initial=0.0))
    return most if math.isinf(most) else max(0.0, math.nextafter(most, 0.0))


def sticks_above(ahead: Floats, behind: Floats, factor: float) -> Floats:
    """Row by row, Σ max(0, P - F Q) from above, for masses at most `ahead`, at least `behind`, and F >= factor."""
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.maximum(ahead - (factor * (1.0 - 8.0 * UNIT) if factor != 1.0 else 1.0) * behind, 0.0)
    units = 2.0 * (units_of_sum(terms, -1) + 6.0) * UNIT
    lost = terms.shape[-1] * SMALLEST if factor != 1.0 and bool(((behind > 0) & (behind < NORMAL)).any()) else 0.0
    return np.asarray(terms.sum(axis=-1) * (1.0 + units) + lost)


def sticks_below(ahead: Floats, behind: Floats, factor: float) -> Floats:
    """Row by row, Σ max(0, P - F Q) from below, for masses at least `ahead`, at most `behind`, and F <= factor, which
    may be infinite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        taken = np.where(behind > 0.0, factor * (1.0 + 8.0 * UNIT) * behind, 0.0)
        terms = np.maximum(ahead - taken, 0.0)
    units = 2.0 * (units_of_sum(terms, -1) + 6.0) * UNIT
    return np.asarray(np.maximum(terms.sum(axis=-1) * (1.0 - units) - terms.shape[-1] * SMALLEST, 0.0))
