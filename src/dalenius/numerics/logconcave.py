"""Laws that rise and fall once, from the ratios of neighbouring masses: Poisson, binomial, hypergeometric."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.floats import SMALLEST, UNIT, pairwise
from dalenius.numerics.law import Floats, Law, point

Ratio: TypeAlias = Callable[[Floats], Floats]
FLOOR = 1e-60  # relative to the largest mass: what lies beyond is charged, not computed
CHUNK = 256
FLAT = 1 - 1e-9  # a ratio above this is too near to one for a geometric tail
WIDEST = 8_000_000  # points
LEAST = Fraction(1, 10**200)
DRIFT = 1e-6  # relative, of a mass as many steps away as there are coins


def from_ratios(mode: int, ratio: Ratio, units: float, *, down: int, up: int | None) -> Law:
    """The law with P(k) / P(k-1) = ratio(k), which falls in k, each ratio known within `units` relatively.

    `mode` is a place at the top, with `down` possible places below it and `up` above (None: no end). Running products
    from there give masses relative to P(mode): d steps up err by d (units + 1) units, d steps down, where each ratio is
    inverted, by d (units + 2). They stop at `FLOOR`; beyond, masses fall at least geometrically, and that bound is
    charged. Then they are divided by their sum. Cost O(length), about thirty standard deviations.
    """
    above, beyond = _walk(lambda steps: ratio(mode + steps), up)
    below, before = _walk(lambda steps: 1 / ratio(mode + 1 - steps), down)
    weight = np.concatenate([below[::-1], [1.0], above])
    steps = np.arange(len(weight), dtype=float) - len(below)
    drift = np.maximum((units + 1) * steps, -(units + 2) * steps)
    total, lost = float(weight.sum()), beyond + before
    slip = drift + float((drift * weight).sum()) / total + pairwise(len(weight)) + 8
    mass = weight / total
    return Law(
        mode - len(below),
        mass,
        mass * (slip * (1.01 * UNIT) + 1.01 * lost / total),
        1.01 * lost / total if lost else 0.0,
    )


def _walk(ratio: Ratio, room: int | None) -> tuple[Floats, float]:
    """Masses one step away, two steps, ..., relative to where the walk begins, and a bound on what it leaves out."""
    found: list[Floats] = [np.zeros(0)]
    last, taken, chunk = 1.0, 0, CHUNK
    while room is None or taken < room:
        number = chunk if room is None else min(chunk, room - taken)
        steps = ratio(np.arange(taken + 1, taken + number + 1, dtype=float))
        masses: Floats = last * np.cumprod(steps, dtype=np.float64)
        low = np.flatnonzero((masses < FLOOR) & (steps < FLAT))
        if len(low):
            at = int(low[0])
            found.append(masses[:at])
            return np.concatenate(found), float(masses[at] / (1 - steps[at])) * 1.01
        found.append(masses)
        last, taken, chunk = float(masses[-1]), taken + number, 2 * chunk
        if taken > WIDEST:
            raise InputError(f"A law of more than {WIDEST} points is too wide to go through. Declare a coarser unit.")
    return np.concatenate(found), 0.0


def poisson(mean: Fraction) -> Law:
    """The Poisson law."""
    if mean == 0:
        return point(0)
    _check_size(mean)
    rate = float(mean)
    return from_ratios(math.floor(mean), lambda k: rate / k, 2, down=math.floor(mean), up=None)


def binomial(count: int, chance: Fraction) -> Law:
    """The number of heads of `count` coins."""
    if count == 0 or chance in (0, 1):
        return point(count if chance == 1 else 0)
    _check_size(chance)
    _check_size(1 - chance)
    mode, odds = math.floor((count + 1) * chance), float(chance / (1 - chance))
    mode = min(mode, count)
    return from_ratios(mode, lambda k: (count + 1 - k) / k * odds, 3, down=mode, up=count - mode)


def coins(count: int, rate: float) -> Law | None:
    """The number of heads of `count` coins whose rate, between 0 and 1, is known as a float: within two units.

    Then 1 - rate is known within three units of one, so the odds are within 4 + 3 odds; three more for the ratio's
    products. None where that many units for each of `count` steps are no longer few: other ways are as good there.
    """
    odds = rate / (1 - rate) if rate < 1 else math.inf
    units = 7 + 3 * odds
    if rate < LEAST or count * units * UNIT > DRIFT:
        return None
    mode = min(math.floor((count + 1) * rate), count)
    return from_ratios(mode, lambda k: (count + 1 - k) / k * odds, units, down=mode, up=count - mode)


def hypergeometric(ones: int, zeros: int, draws: int) -> Law:
    """The number of ones among so many draws without replacement."""
    if not 0 <= draws <= ones + zeros:
        raise InputError(f"Needed 0 to {ones + zeros} draws without replacement, but got {draws}.")
    low, high = max(0, draws - zeros), min(ones, draws)
    mode = min(max(low, (ones + 1) * (draws + 1) // (ones + zeros + 2)), high)

    def ratio(k: Floats) -> Floats:
        return (ones + 1 - k) * (draws + 1 - k) / (k * (zeros - draws + k))

    return from_ratios(mode, ratio, 3, down=mode - low, up=high - mode)


def _check_size(number: Fraction) -> None:
    if number < LEAST:
        raise InputError(f"Needed a chance or a mean of at least 1e-200, but got {float(number):g}. Take 0 instead.")


def averaged(weights: Law, laws: Sequence[Law]) -> Law:
    """The law that is laws[i] with probability weights.mass[i]; the tail of the weights may lie anywhere."""
    start, stop = min(law.start for law in laws), max(law.stop for law in laws)
    mass, error = np.zeros(stop - start), np.zeros(stop - start)
    tail = weights.tail
    for weight, slip, law in zip(weights.mass.tolist(), weights.error.tolist(), laws, strict=True):
        inside = slice(law.start - start, law.stop - start)
        mass[inside] += weight * law.mass
        error[inside] += weight * law.error + slip * (law.mass + law.error)
        if weight + slip:  # what products may lose below the smallest float
            error[inside] += 3 * SMALLEST * (law.mass + law.error > 0)
            tail += (weight + slip) * law.tail + (SMALLEST if law.tail else 0.0)
    units = (len(laws) + 8) * UNIT
    spread = tail * (1 + units)  # what a part leaves out may lie inside the window of another
    return Law(start, mass, (error + spread) * (1 + units) + mass * units, spread)


def chances(numbers: Sequence[int]) -> Law:
    """Whole numbers as weights: each divided by their sum, rounded once."""
    total = sum(numbers)
    mass = np.array([number / total for number in numbers])
    lost = np.array([SMALLEST if number else 0.0 for number in numbers])
    return Law(0, mass, mass * (2 * UNIT) + lost)
