"""A hedged count: exact where a stated law has earned it, whatever other law the attacker leans to (Pufferfish,
Algorithm 3).
"""

import math
from fractions import Fraction
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import records_of
from dalenius.claims import Guarantee
from dalenius.enclosure.balls import Balls, log_of
from dalenius.enclosure.brackets import around
from dalenius.enclosure.outward import exponential
from dalenius.facts.records import exact
from dalenius.mechanisms.earned import EMPTY, Kernel, ToldLaw, Window
from dalenius.mechanisms.single_prior import (
    HIDES,
    Pairs,
    because,
    checked_pairs,
    checked_rate,
    window_for_presence,
    window_for_values,
)
from dalenius.mechanisms.stated import Company, Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.hedge import Side, Truths, hedged
from dalenius.numerics.law import Floats

Cut: TypeAlias = Literal["exact", "corrected"]
BLOCK = 1 << 16  # counts that are looked at together
SOURCE = "Kifer and Machanavajjhala 2014, Algorithm 3 (corrected) and the closed form of its exact window"


@final
class HedgedCount(Stated):
    """How many of n records are "yes". The publisher states a rate q; attackers believe in any rate, and give q a
    weight of at least alpha. Counts that q explains much better than rates that would make them telling go out exactly.

    With cut="exact" the window is the widest contiguous one that keeps ε; with cut="corrected" it is the paper's, its
    misprints mended. **Nothing else may be released about the same records**, not even with noise: it would change the
    attackers' weights. `combine` and `compose` refuse it.

    >>> HedgedCount("1/2", n=1000, epsilon="0.9", alpha="0.001").window
    Window(low=280, high=720)
    >>> HedgedCount("1/2", n=1000, epsilon="0.9", alpha="0.001", cut="corrected").window
    Window(low=490, high=510)
    """

    company = Company.NOTHING

    def __init__(
        self,
        q: float | str | Fraction,
        *,
        n: int,
        epsilon: float | str | Fraction,
        alpha: float | str | Fraction,
        pairs: Pairs = "presence",
        cut: Cut = "exact",
    ) -> None:
        n = records_of(n)
        self.q, self.n, self.epsilon = checked_rate(q), n, checked_epsilon(epsilon)
        self.alpha, self.pairs = exact(alpha, name="alpha"), checked_pairs(pairs)
        if not 0 < self.alpha < Fraction(1, 2):
            raise InputError(
                f"alpha, the weight that every attacker gives to the stated rate, must lie between 0 and 1/2, but got "
                f"{alpha}. A small one promises more: 0.001 is usual."
            )
        require(n >= 1, "at least one record", got=n, remedy="Without records there is nothing to count.")
        require(cut in ("exact", "corrected"), 'cut="exact" or cut="corrected"', got=cut)
        if cut == "corrected" and self.pairs == "value":
            raise InputError('The corrected window is proved for pairs="presence", but got "value". Use cut="exact".')
        self.window = (
            corrected_window(self.q, n, self.epsilon, self.alpha)
            if cut == "corrected"
            else exact_window(self.q, n, self.epsilon, self.alpha, self.pairs)
        )
        self.kernel = Kernel(n, self.window, drawn_scale(1 / self.epsilon))

    def law(self, count: int) -> ToldLaw:
        """The law of what is published of this count."""
        return self.kernel.law(count)

    def told(self) -> str:
        return f"hedged count of {self.n} records: exact from {self.window} with some chance, otherwise noisy"

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="Pufferfish with hedged beliefs (hedging privacy)",
                hides=HIDES[self.pairs],
                attacker=f"believes that records are independent with any one rate, mixed with weight "
                f"{float(self.alpha):g} with the rate {float(self.q):g}, with the same weight in both worlds",
                epsilon=around(Fraction(0), self.epsilon),
                because=because(self.window, "exact counts are within ε for every rate, noisy ones by their noise"),
                assumes=(
                    "given either fact about the person, the other records follow the mixture with the same weight",
                    "the noise is drawn as stated",
                ),
                breaks=("an attacker who gives the stated rate less weight",),
                sources=(SOURCE,),  # of no notion: given both facts together the attacker's weights may differ
            ),
        )


def corrected_window(q: Fraction, n: int, epsilon: Fraction, alpha: Fraction) -> Window:
    """The window of Algorithm 3, with log((1-q*)/(1-q_hi)) where line 5 has it upside down, rounded down, and
    lambda at least 1.

    Exact counts in it cost at most 2ε/3. Ends that rounding could move are moved inwards.
    """
    y = Balls.of(epsilon / 3)
    spare = (log_of((1 - alpha) / alpha) - y.expm1().log()).at_least(0.0)
    fall, rise = ((sign * y).expm1() * Balls.of(q) for sign in (-1.0, 1.0))
    down = (spare - (n - 1) * fall.log1p()) / y
    up = ((n - 1) * rise.log1p() - spare) / y
    return Window(max(1, 1 + math.ceil(down.upper)), min(n - 1, math.floor(up.lower)))


def exact_window(q: Fraction, n: int, epsilon: Fraction, alpha: Fraction, pairs: Pairs) -> Window:
    """The run of counts around nq (or the nearest to it) that are within e^ε for every attacker.

    The stated rate itself is one of the attackers, so the single-prior window holds it. Counts are looked at from the
    middle outwards, in blocks, until one fails. Cost O(length of the window): about 0.5 s for a million records.
    """
    outer = (window_for_presence if pairs == "presence" else window_for_values)(q, n, epsilon)
    if outer.empty:
        return EMPTY
    judge = _Judge(q, n, epsilon, alpha, pairs)
    middle = min(max(round(n * q), outer.low), outer.high)
    if not judge(middle, middle)[0]:
        middle = _nearest(judge, outer, middle)
        if middle < outer.low:
            return EMPTY
    return Window(_run(judge, middle, outer.low, -1), _run(judge, middle, outer.high, 1))


def hedged_window(q: Fraction, n: int, epsilon: Fraction, alpha: Fraction, window: Window) -> bool:
    """Whether each count of this window is within e^ε for every attacker, "yes" against "no"."""
    outer, judge = window_for_values(q, n, epsilon), _Judge(q, n, epsilon, alpha, "value")
    if not (window.empty or outer.low <= window.low <= window.high <= outer.high):
        return False
    blocks = range(window.low, window.high + 1, BLOCK)
    return all(judge(low, min(low + BLOCK - 1, window.high)).all() for low in blocks)


@final
class _Judge:
    """Which counts are certainly within e^ε for every rate."""

    def __init__(self, q: Fraction, n: int, epsilon: Fraction, alpha: Fraction, pairs: Pairs) -> None:
        self.n, self.pairs = n, pairs
        self.rate = Balls.of(q), Balls.of(1 - q)
        self.factor = exponential(epsilon)[0]  # from below: a smaller one is stricter
        self.odds = log_of((1 - alpha) / alpha)

    def __call__(self, low: int, high: int) -> Truths:
        """For the counts low, ..., high: of a person who says "yes", and of one who says "no"."""
        k = np.arange(low, high + 1, dtype=float)
        yes, no = self.rate
        return self._one_answer(k, (yes, no)) & self._one_answer(self.n - k, (no, yes))

    def _one_answer(self, k: Floats, rate: tuple[Balls, Balls]) -> Truths:
        """A person with the answer that k records have, against absence (either way round) or the other answer."""
        n, steep = self.n, self.factor
        if self.pairs == "value":
            place = Balls.of(k) / (Balls.of(n - k) * steep + k)
            return hedged(k - 1, n - k - 1, place, 1, rate, self.odds)
        share = Balls.of(k) / n
        ways: tuple[tuple[Balls, Side], ...] = ((share / steep, 1), (share * steep, -1))
        first, second = (hedged(k - 1, n - k, c, side, rate, self.odds) for c, side in ways)
        return first & second


def _run(judge: _Judge, start: int, end: int, way: int) -> int:
    """The last count, from `start` (which holds) towards `end`, before one fails."""
    at = start
    while at != end:
        stop = min(at + BLOCK, end) if way > 0 else max(at - BLOCK, end)
        held = judge(min(at, stop), max(at, stop))[::way]
        if not held.all():
            return at + way * (int(held.argmin()) - 1)
        at = stop
    return end


def _nearest(judge: _Judge, outer: Window, middle: int) -> int:
    """The count nearest to the middle that holds, below the window if none does."""
    best = outer.low - 1
    for low in range(outer.low, outer.high + 1, BLOCK):
        held = low + np.flatnonzero(judge(low, min(low + BLOCK - 1, outer.high)))
        if len(held):
            near = int(held[np.abs(held - middle).argmin()])
            best = near if best < outer.low or abs(near - middle) < abs(best - middle) else best
    return best
