r"""How far Binomial(m, r) exceeds a multiple of itself moved by one, for many m at once.

The masses p(k) of B = Binomial(m, r) and p(k - 1) of B + 1 have the ratio (m - k + 1) r / (k (1 - r)), which falls in
k. So B exceeds e^ε times B + 1 on a lower tail {0, ..., t}, and by

    δ_m = Σ_(k <= t) p(k) (1 - e^ε ρ_k),      ρ_k = p(k - 1) / p(k) = k (1 - r) / ((m - k + 1) r),

a sum of terms that are not negative. All m are taken at once. The mass at the top of the tail is known at one m, and
goes from there by quotients; down the tail the others follow by ρ, until what is left of a geometric series is nothing.

**Rounding.** A quotient of the path along m errs by 7 units: whole numbers are floats as they are, the share and its
complement are rounded once, and there are three operations; its running product makes it 8 a step. A step down a tail
errs by 8 as well, and a term by 8 units of its mass and by what e^ε may be off, 2 `LIBM` + 2ε units of e^ε ρ, which is
about one at most where a term counts. So with n numbers and j steps every δ_m is within (8n + 8j + 4 `LIBM` + 4ε + 64)
units, and what the first mass may be off relatively, of the mass of its tail; what a tail leaves out is less than one
unit. A top that is one too high adds terms that are 0. ∎
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls, Floats
from dalenius.enclosure.floats import LIBM, RAISED, TINY, UNIT
from dalenius.enclosure.outward import exponential

LITTLE = 1e-19  # of the sum, at which a tail ends
MOST_STEPS = 20_000  # down a tail
LOOKED = 8  # steps after which it is seen whether one ends


def tops_of(counts: NDArray[np.int64], share: Fraction, epsilon: Fraction) -> NDArray[np.int64]:
    """The last place where B exceeds e^ε times B + 1, or one after it: rounding cannot make these too low."""
    r, s = float(share), float(1 - share)
    reached = np.ceil((counts + 1) * (r / (r + exponential(epsilon)[0] * s))).astype(np.int64) + 1
    return np.asarray(np.minimum(reached, counts), dtype=np.int64)


def tail_excess(
    counts: NDArray[np.int64], tops: NDArray[np.int64], share: Fraction, epsilon: Fraction, start: int, first: Balls
) -> Balls | None:
    """δ_m for every m of `counts`, one after the other, from the mass `first` at tops[start] of Binomial(counts[start],
    share); None where tails are too long or masses too large. Cost O(numbers · steps).
    """
    factor = exponential(epsilon)[0]
    anchor = float(first.middle)
    path = _path(counts, tops, share, start, anchor)
    tails = _tails(counts.astype(float), tops.astype(float), float(1 - share) / float(share), factor)
    if path is None or tails is None:
        return None
    sums, weights, steps = tails
    slip = RAISED * float(first.radius) / anchor
    units = (8 * len(counts) + 8 * steps + 4 * LIBM + 4 * float(epsilon) + 64) * UNIT + slip
    return Balls.within(path * sums, RAISED * path * weights * units + TINY)


def _path(
    counts: NDArray[np.int64], tops: NDArray[np.int64], share: Fraction, start: int, anchor: float
) -> Floats | None:
    """The mass of Binomial(m, share) at the top of its tail, for every m."""
    m, k, r, s = counts.astype(float), tops.astype(float), float(share), float(1 - share)
    along = np.diff(tops) > 0  # to (m + 1, k + 1), or to (m + 1, k)
    ratios = np.where(along, m[1:] * r / np.maximum(k[1:], 1.0), m[1:] * s / (m[1:] - k[:-1]))
    with np.errstate(over="ignore", under="ignore"):
        ahead = anchor * np.cumprod(ratios[start:])
        behind = anchor * np.cumprod(1 / ratios[:start][::-1])
    whole = np.concatenate([behind[::-1], [anchor], ahead])
    return whole if np.isfinite(whole).all() else None


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
        if step % LOOKED == 0:
            ratio = k * odds / (m - k + 1)  # it falls from here on
            left = term / np.maximum(1 - ratio, TINY)
            if bool((left <= LITTLE * weights).all()):
                return sums, weights, step
    return None
