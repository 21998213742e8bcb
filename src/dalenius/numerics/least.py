"""The least number at which something holds: one unknown, on whole numbers, fractions or floats.

Rungs are gone through one by one (`scan`), from a start in either direction (`outwards`), or two numbers are brought
together (`least`): halved, halved on logarithms, or by false position.

*Statement.* A number that is returned as one at which it holds was tried, and it held there (or the caller gave it as
one). Likewise for one at which it does not hold. If it never turns false again as the number grows, the least number at
which it holds is above the lower end, and at most the upper one.

*Proof.* Each end of what is returned is an end that was given, or is replaced only by a number at which `holds` was
called, the upper one if it said yes, the lower one if it said no. The last sentence is the definition of monotone. ∎

So nothing rests on monotonicity but how good the answer is. For the largest number at which something holds, ask for
the least at which it does not, and take the end below.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar, final

Number = TypeVar("Number", int, float, Fraction)
Real = TypeVar("Real", float, Fraction)
Rung = TypeVar("Rung")

TINIEST = 1e-300  # what the logarithm of 0 is taken of


def scan(holds: Callable[[Rung], bool], before: Rung, rungs: Iterable[Rung]) -> tuple[Rung, Rung | None]:
    """The first rung at which it holds, None if there is none, after the one before it (`before`, if it is the first).

    It need not be monotone.
    """
    for rung in rungs:
        if holds(rung):
            return before, rung
        before = rung
    return before, None


def outwards(
    holds: Callable[[Number], bool], start: Number, *, down: Iterable[Number], up: Iterable[Number]
) -> tuple[Number | None, Number | None]:
    """Two neighbouring rungs, from the start downwards or upwards, at the first of which it does not hold while it does
    at the second; None for the one that was not found.
    """
    if holds(start):
        high, low = scan(lambda at: not holds(at), start, down)
        return low, high
    return scan(holds, start, up)


def climb(first: Rung, step: Callable[[Rung], Rung], last: Callable[[Rung], bool]) -> Iterator[Rung]:
    """Rungs from the first one on, up to and with one that is the last."""
    at = first
    yield at
    while not last(at):
        at = step(at)
        yield at


def doubled(first: Number, most: Number) -> Iterator[Number]:
    """The first number, then twice as much each time, up to `most`."""
    return climb(first, lambda at: 2 * at, lambda at: 2 * at > most)


def least(
    holds: Callable[[Number], bool],
    low: Number,
    high: Number,
    *,
    middle: Callable[[Number, Number], Number],
    close: Callable[[Number, Number], bool] = lambda _low, _high: False,
    steps: float = math.inf,
) -> tuple[Number, Number]:
    """Two numbers from `low` to `high`, at the second of which it holds (or it is `high`), and not at the first (or it
    is `low`).

    They are brought together until they are close, nothing is between them, or so many steps are taken.
    """
    while steps > 0 and not close(low, high):
        at = middle(low, high)
        if not low < at < high:
            break
        low, high = (low, at) if holds(at) else (at, high)
        steps -= 1
    return low, high


def halfway(low: Real, high: Real) -> Real:
    """Between two fractions or floats."""
    return (low + high) / 2


def whole_halfway(low: int, high: int) -> int:
    """Between two whole numbers: the lower of the two if these are neighbours."""
    return (low + high) // 2


def geometric(low: Fraction, high: Fraction) -> Fraction:
    """Half way on logarithms, rounded to a float."""
    return Fraction((float(low) * float(high)) ** 0.5)


def first_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number in [low, high] at which a predicate that never turns false again holds; high + 1 if it
    never does.
    """
    return least(holds, low - 1, high + 1, middle=whole_halfway)[1]


def last_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The largest at which a predicate that never turns true again holds; low - 1 if it never does."""
    return first_true(lambda at: not holds(at), low, high) - 1


@final
@dataclass(slots=True)
class FalsePosition(Generic[Number]):
    """Where a value, whose logarithm is about a straight line, meets a target: false position, with a bisection every
    third time, so that it is never slower than three bisections.
    """

    value: Callable[[Number], float]
    target: Fraction
    turn: int = 0  # every third time, from 0 on, it is half way
    ahead: float = 0.0  # how much farther to go than the straight line says
    margin: float = 0.0  # what is left at each end, at least
    _away: dict[Number, float] = field(default_factory=dict)

    def holds(self, at: Number) -> bool:
        """Whether the value there is at most the target; how far it is from it is remembered."""
        found = self.value(at)
        distance = math.log(max(found, TINIEST)) - math.log(max(float(self.target), TINIEST))
        self._away[at] = max(abs(distance), 1e-9)
        return found <= self.target

    def share(self, low: Number, high: Number) -> float:
        """How far from the lower to the higher number to look next, between 0 and 1."""
        turn, self.turn = self.turn, self.turn + 1
        if turn % 3 == 0:
            return 0.5
        here, there = (self._away.get(end, 1.0) for end in (low, high))
        return min(max(here / (here + there) + self.ahead, self.margin), 1 - self.margin)


def last_below(value: Callable[[int], float], target: Fraction, last: int, resolution: int = 1) -> int | None:
    """The largest number up to `last` at which a growing value is at most the target, or None; it may be too small by
    less than the resolution.

    By false position on the logarithm: delta falls about exponentially in the number of records that are left, so a
    handful of evaluations will do.
    """
    if value(0) > target:
        return None
    search = FalsePosition(value, target)

    def middle(low: int, high: int) -> int:
        return low + min(max(1, round((high - low) * search.share(low, high))), high - low - 1)

    def near(low: int, high: int) -> bool:
        return high - low <= resolution

    return least(lambda known: not search.holds(known), 0, last + 1, middle=middle, close=near)[0]
