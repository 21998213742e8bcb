"""What a sample's counts say of the shares that it was drawn from, at a stated risk of being misled."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure.balls import LN_2, Balls
from dalenius.enclosure.excess import mass_above
from dalenius.enclosure.outward import add_up
from dalenius.numerics.least import climb, halfway, least, scan
from dalenius.numerics.logconcave import binomial

DIGITS = 7  # of an end; rounded outwards
HALVINGS = 60  # towards Chernoff's share
STEPS = 40  # of Newton's, after it
SPREAD = 16  # standard deviations beyond which nothing adds to a float
CLOSE = 1e-10  # a step so short is the last one
LEAST_RISK = Fraction(1, 10**40)


def tail_at_most(count: int, chance: Fraction, successes: int) -> float:
    """An upper bound on the probability of at least so many successes in `count` independent trials."""
    law = binomial(count, chance)
    inside = max(0, successes - law.start)
    return add_up(mass_above(law.balls[inside:]), law.tail)


def least_share(successes: int, count: int, risk: Fraction) -> Fraction:
    """A lower end for a share: whatever the share is, with probability at least 1 - risk it is not below this.

    Clopper and Pearson's: the share q at which at least so many successes have the probability `risk`. For a share
    below q they have less, and this end exceeds the share only then. A candidate is rounded down to seven digits, and
    lowered until the binomial tail, bounded from above, is at most the risk.
    """
    if risk < LEAST_RISK:
        raise PreconditionError(f"A risk must be at least {float(LEAST_RISK):g} a share, but got {float(risk):g}.")
    if successes == 0:
        return Fraction(0)
    near = candidate(successes, count, float(risk))
    if not 0 < near < 1:
        return Fraction(0)
    unit = Fraction(10) ** (math.floor(math.log10(near)) - DIGITS + 1)
    top = math.floor(Fraction(near) / unit)

    def rare(share: Fraction) -> bool:
        return Fraction(tail_at_most(count, share, successes)) <= risk

    lowered = climb(0, lambda units: 2 * units + 1, lambda units: 2 * units + 1 >= top)
    return scan(rare, Fraction(0), ((top - units) * unit for units in lowered))[1] or Fraction(0)


def candidate(successes: int, count: int, risk: float) -> float:
    """About the share at which at least so many successes have the probability `risk`; nothing rests on it.

    Newton's steps for the logarithm of the tail as a function of the log-odds t of the share: its slope there is
    E[X | X >= successes] - E[X]. It is concave, and at Chernoff's share, where the steps begin, at most ln(risk), so
    that they come from one side.
    """
    seen, wanted = successes / count, -math.log(risk) / count

    def far(share: float) -> bool:
        rest = (1 - seen) * math.log((1 - seen) / (1 - share)) if successes < count else 0.0
        return seen * math.log(seen / share) + rest <= wanted

    share = least(far, seen * math.exp(-wanted / seen - 1), seen, middle=halfway, steps=HALVINGS)[1]
    for _ in range(STEPS):
        tail, excess = _beyond(successes, count, share)
        if tail == 0:
            break
        beyond = excess + successes - count * share
        step = (math.log(risk) - math.log(tail)) / beyond
        share = 1 / (1 + (1 - share) / share * math.exp(-step))
        if abs(step) < CLOSE:
            break
    return share


def _beyond(successes: int, count: int, share: float) -> tuple[float, float]:
    """About P(X >= successes) of the successes in `count` trials, and by how much X then exceeds them on average:
    running products of ratios of neighbouring masses, to `SPREAD` standard deviations from the likeliest number, and
    from what was seen.
    """
    mode, odds = min(math.floor((count + 1) * share), count), share / (1 - share)
    reach = math.ceil(SPREAD * (1 + math.sqrt(count * share * (1 - share))))
    up = np.arange(mode + 1, min(count, max(mode, successes) + reach) + 1)
    down = np.arange(mode, max(0, mode - reach), -1)
    above, below = np.cumprod((count + 1 - up) / up * odds), np.cumprod(down / ((count + 1 - down) * odds))
    masses, start = np.concatenate((below[::-1], [1.0], above)), mode - len(below)
    seen = masses[max(0, successes - start) :]
    if not seen.any():
        return 0.0, 0.0
    excess = max(0, start - successes) + float((seen * np.arange(len(seen))).sum() / seen.sum())
    return float(seen.sum() / masses.sum()), excess


def least_shares(counts: Sequence[int], risk: Fraction) -> list[Fraction]:
    """Lower ends for the shares of all values at once: each at an equal part of the risk (a union bound)."""
    whole = sum(counts)
    return [least_share(count, whole, risk / len(counts)) for count in counts]


def radius(values: int, count: int, risk: Fraction) -> Fraction:
    """A total variation distance within which the shares of a sample are of the true ones, but for the risk.

    The distance is the largest excess of an event's share over its probability. There are 2^values - 2 events that
    matter, and each exceeds by r with probability at most exp(-2 count r²) (Hoeffding). Rounded up.
    """
    exponent = LN_2 * values - Balls.of(risk).log()
    near = float((exponent / (2 * count)).sqrt().upper)
    unit = Fraction(10) ** (math.floor(math.log10(near)) - DIGITS + 1)
    return min(Fraction(1), math.ceil(Fraction(near) / unit) * unit)
