"""Mixtures of binomial laws one step apart: how well a random number of coins hides one more.

For B = Binomial(m, r), B exceeds e^ε times B + 1 on a lower tail, by δ_m of `enclosure/coins.py`. All m are taken at
once, from one mass that is resolved and matters.
"""

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.coins import tail_excess, tops_of
from dalenius.enclosure.outward import LARGEST, add_up
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.logconcave import binomial
from dalenius.numerics.special import gammaln

Ints: TypeAlias = NDArray[np.int64]

LEAST_SHARE = Fraction(1, 10**9)  # a smaller share of the coins, and relative errors are no longer few
LONGEST = 60_000  # numbers of coins that are taken at once
SMALLEST_ANCHOR = 1e-50  # a mass that binomial laws resolve


def mean_excess(number: Law, share: Fraction, epsilon: Fraction) -> Bracket | None:
    """E δ_M(ε), where M has the law `number`; None where it is too small, or too much, to be taken like this. Cost
    O(numbers · steps).
    """
    counts = np.arange(max(number.start, 1), number.stop, dtype=np.int64)
    if not LEAST_SHARE <= share <= 1 - LEAST_SHARE or not 0 < len(counts) <= LONGEST or epsilon > LARGEST:
        return None
    tops = tops_of(counts, share, epsilon)
    inside = number.balls[int(counts[0]) - number.start :]
    first = _resolved(counts, tops, share, number.mass[int(counts[0]) - number.start :])
    found = None if first is None else tail_excess(counts, tops, share, epsilon, *first)
    if found is None:
        return None
    mean = (inside * found.at_least(0.0).at_most(1.0)).sum()
    if number.start == 0:  # without a single coin the step shows, and so it may where nothing is known of their number
        mean = mean + number.balls[0]
    upper = add_up(float(mean.upper), number.tail)
    return Bracket(max(0.0, min(float(mean.lower), upper, 1.0)), max(0.0, min(1.0, upper)))


def _resolved(counts: Ints, tops: Ints, share: Fraction, mass: Floats) -> tuple[int, Balls] | None:
    """A number of coins that matters, and the mass of its binomial law at the top of its tail."""
    m, k, r, s = counts.astype(float), tops.astype(float), float(share), float(1 - share)
    logs = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1) + k * math.log(r) + (m - k) * math.log(s)
    with np.errstate(divide="ignore"):
        start = int(np.argmax(logs + np.log(mass)))  # any would do, but this one is not too small if the sum is not
    law = binomial(int(counts[start]), share)
    place = int(tops[start]) - law.start
    if not 0 <= place < len(law.mass) or law.mass[place] < SMALLEST_ANCHOR or np.diff(tops).max(initial=0) > 1:
        return None
    return start, law.balls[place]
