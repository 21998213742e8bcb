"""Laws that rise and fall once, from the ratios of neighbouring masses: Poisson, binomial, hypergeometric."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.outward import add_up, times_up
from dalenius.enclosure.products import Ratios, continued, enclosed, quotients, shares
from dalenius.numerics.law import Floats, Law, point

Ratio: TypeAlias = Callable[[Floats], Ratios]
FLOOR = 1e-60  # relative to the largest mass: what lies beyond is charged, not computed
CHUNK = 256
FLAT = 0.999999999  # a ratio above this is too near to one for a geometric tail
WIDEST = 8_000_000  # points
LEAST = Fraction(1, 10**200)
DRIFT = 1e-6  # relative, of a mass as many steps away as there are coins


def from_ratios(mode: int, ratio: Ratio, *, down: int, up: int | None) -> Law:
    """The law with P(k) / P(k-1) = ratio(k), which falls in k.

    `mode` is a place at the top, with `down` possible places below it and `up` above (None: no end). Running products
    from there give masses relative to P(mode) (`enclosure/products.py`). They stop at `FLOOR`; beyond, masses fall at
    least geometrically, and that bound is charged. Then they are divided by their sum. Cost O(length), about thirty
    standard deviations.
    """
    above, beyond = _walk(lambda steps: ratio(mode + steps), up)
    below, before = _walk(lambda steps: ratio(mode + 1 - steps).inverse(), down)
    masses, tail = shares(below, above, add_up(beyond, before))
    return Law.enclosing(mode - len(below), masses, tail)


def _walk(ratio: Ratio, room: int | None) -> tuple[Balls, float]:
    """Masses one step away, two steps, ..., relative to where the walk begins, and a bound on what it leaves out."""
    found = [np.zeros(0)]
    last, taken, chunk, relative = 1.0, 0, CHUNK, 0.0
    while room is None or taken < room:
        number = chunk if room is None else min(chunk, room - taken)
        steps = ratio(np.arange(taken + 1, taken + number + 1, dtype=float))
        masses, relative = continued(steps.middle, last), max(relative, steps.relative)
        low = np.flatnonzero((masses < FLOOR) & (steps.middle < FLAT))
        if len(low):
            at = int(low[0])
            found.append(masses[: at + 1])
            whole = enclosed(np.concatenate(found), relative)
            return whole[:-1], float((whole[-1] / (1 - Ratios(steps.middle, relative).at(at))).upper)
        found.append(masses)
        last, taken, chunk = float(masses[-1]), taken + number, 2 * chunk
        if taken > WIDEST:
            raise InputError(f"A law of more than {WIDEST} points is too wide to go through. Declare a coarser unit.")
    return enclosed(np.concatenate(found), relative), 0.0


def poisson(mean: Fraction) -> Law:
    """The Poisson law."""
    if mean == 0:
        return point(0)
    _check_size(mean)
    rate = Balls.of(mean)
    return from_ratios(
        math.floor(mean), lambda k: quotients([np.ones(len(k))], [k], rate), down=math.floor(mean), up=None
    )


def binomial(count: int, chance: Fraction) -> Law:
    """The number of heads of `count` coins."""
    if count == 0 or chance in (0, 1):
        return point(count if chance == 1 else 0)
    _check_size(chance)
    _check_size(1 - chance)
    mode, odds = min(math.floor((count + 1) * chance), count), Balls.of(chance / (1 - chance))
    return from_ratios(mode, lambda k: quotients([count + 1 - k], [k], odds), down=mode, up=count - mode)


def coins(count: int, rate: float) -> Law | None:
    """The number of heads of `count` coins whose rate, between 0 and 1, is known as a float: within two units.

    None where what that leaves open, for each of `count` steps, is no longer little: other ways are as good there.
    """
    known = Balls.rounded(rate, 2)
    odds = known / (1 - known)
    if rate < LEAST or not count * odds.radius <= DRIFT * odds.middle:
        return None
    mode = min(math.floor((count + 1) * rate), count)
    return from_ratios(mode, lambda k: quotients([count + 1 - k], [k], odds), down=mode, up=count - mode)


def hypergeometric(ones: int, zeros: int, draws: int) -> Law:
    """The number of ones among so many draws without replacement."""
    if not 0 <= draws <= ones + zeros:
        raise InputError(f"Needed 0 to {ones + zeros} draws without replacement, but got {draws}.")
    low, high = max(0, draws - zeros), min(ones, draws)
    mode = min(max(low, (ones + 1) * (draws + 1) // (ones + zeros + 2)), high)

    def ratio(k: Floats) -> Ratios:
        return quotients([ones + 1 - k, draws + 1 - k], [k, zeros - draws + k], Balls.of(1.0))

    return from_ratios(mode, ratio, down=mode - low, up=high - mode)


def _check_size(number: Fraction) -> None:
    if number < LEAST:
        raise InputError(f"Needed a chance or a mean of at least 1e-200, but got {float(number):g}. Take 0 instead.")


def averaged(weights: Law, laws: Sequence[Law]) -> Law:
    """The law that is laws[i] with probability weights.mass[i]; the tail of the weights may lie anywhere."""
    start, stop = min(law.start for law in laws), max(law.stop for law in laws)
    (mass, error), tail = np.zeros((2, stop - start)), weights.tail
    for place, law in enumerate(laws):
        weight, inside = weights.balls[place], slice(law.start - start, law.stop - start)
        added = Balls(mass[inside], error[inside]) + weight * law.balls
        mass[inside], error[inside] = added.middle, added.radius
        tail = add_up(tail, times_up(float(weight.upper), law.tail))
    # what a part leaves out may lie inside the window of another
    return Law.enclosing(start, Balls(mass, error).widened(tail), tail)


def chances(numbers: Sequence[int]) -> Law:
    """Whole numbers as weights: each divided by their sum, rounded once."""
    total = sum(numbers)
    return Law.enclosing(0, Balls.nearest([Fraction(number, total) for number in numbers]))
