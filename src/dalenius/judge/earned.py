"""Counts that are exact where the data earn it: what is told of a person by the count that they alone are in.

A count k inside its window goes out as "exactly k" with chance E(k), whatever else is true, and else as a noisy one.
Noisy counts have chances within e^(1/scale) of each other for neighbouring counts (`dalenius.mechanisms.earned`), so in
two worlds that differ in one record: they add nothing to delta from epsilon = 1/scale on. What is left is

    delta(epsilon) = sum over k in the window of E(k) max(0, P(k) - e^epsilon Q(k)),

P and Q being the laws of the count in the two worlds. Of n people, r known and c of these counted, P and Q are the law
B of the n - 1 - r others, moved by c and by c + 1; so the worst c is bounded place by place, by the largest E(j + c)
for each number j of the others that are counted. For records of one law, B(j-1)/B(j) = j (1-q) / ((n-r-j) q) rises
with j, so that delta is 0 where that ratio lies within e^±epsilon at both ends of the window and noise is wide enough.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.crowd import YesNo
from dalenius.beliefs.hedged import Hedged
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.enclosure.outward import add_up, difference_down, exponential, times_down, times_up, total_down, total_up
from dalenius.judge.group import Believed, Laws, Others
from dalenius.mechanisms import Chain
from dalenius.mechanisms.earned import Kernel
from dalenius.mechanisms.earned_count import ExactIfEarned
from dalenius.mechanisms.hedging import hedged_window
from dalenius.numerics.curve import Curve, Supremum
from dalenius.numerics.exponentials import logarithm
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.mixing import Guarded
from dalenius.numerics.pure import PureCurve

if TYPE_CHECKING:
    from dalenius.judge.engine import Judge

MOST_TYPES = 64  # of records with a rate of their own, each of which is left out in turn


def earned_curve(judge: "Judge", others: Others, known: int, link: ExactIfEarned) -> Curve:
    """δ(ε) of a count that is exact where that is earned, and that covers nobody else."""
    exact = judge.curve(others, known, Chain(()))
    if isinstance(others, Believed) and isinstance(others.belief, Hedged):
        rate = others.belief.rate(others.statistic)
        if rate is None or not 0 < rate < 1 or known or judge.presence:
            return Guarded((exact,))
        return Guarded((HedgedCurve(rate, others.belief.weight, link.kernel(others.size)), exact))
    crowd, left_open = judge.crowd_of(others), isinstance(others, Laws) and bool(others.least)
    if not isinstance(crowd, YesNo) or (crowd.low, crowd.high) != (0, 1) or left_open or judge.presence:
        return Guarded((exact,))
    kernel, many = link.kernel(others.size), len(crowd.counts)
    if many > 1 and (known or many > MOST_TYPES):
        return Guarded((exact,))
    ends = np.cumsum(crowd.counts).tolist()
    removals = [(end - 1, end) for end in ends] if many > 1 else list(crowd.samples(known + 1))[:1]
    curves = [EarnedCurve(crowd.law(removal).spread_out(), kernel, known) for removal in removals]
    above: list[Curve] = [exact, Supremum(tuple(curves))]
    rate = _rate(others)
    level = None if rate is None else pure_level(rate, kernel, known)
    if level is not None:
        above.append(PureCurve(level, only=True))
    likely = known == 0 or bool(crowd.rates[0] > 0 and crowd.rates[-1] < 1)  # or nobody can know such records
    return Guarded(tuple(above), tuple(curves) if likely else ())


def _rate(others: Others) -> Fraction | None:
    """The chance that a record is counted, if all have one law."""
    if not isinstance(others, Laws) or len(others.types) != 1:
        return None
    return dict(others.types[0][0]).get((1,), Fraction(0))


def pure_level(rate: Fraction, kernel: Kernel, known: int) -> Fraction | None:
    """The epsilon from which on nothing is told, for records of one law of which so many are known; None if a count
    that may be exact is impossible in one of the two worlds.
    """
    noise, window, others = 1 / kernel.scale, kernel.window, kernel.n - 1 - known
    if window.empty:
        return noise
    low, high = window.low - known, window.high
    if low < 1 or high > others or not 0 < rate < 1:
        return None
    worst = [noise]
    for j in (low, high):
        ratio = j * (1 - rate) / ((others - j + 1) * rate)
        most = max(ratio, 1 / ratio)
        worst.append(Fraction(logarithm(most, most).upper))
    return max(worst)


@final
@dataclass(frozen=True, slots=True, eq=False)
class HedgedCurve(Curve):
    """Nothing, from the epsilon of the noise on, if each exact count is within e^epsilon whatever law the attackers
    lean to (`dalenius.mechanisms.hedging`); everything below.
    """

    rate: Fraction
    weight: Fraction
    kernel: Kernel

    def delta(self, epsilon: Fraction) -> Bracket:
        wide = epsilon * self.kernel.scale >= 1
        earned = wide and hedged_window(self.rate, self.kernel.n, epsilon, self.weight, self.kernel.window)
        return Bracket(0.0, 0.0) if earned else Bracket(0.0, 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class EarnedCurve(Curve):
    """The formula above, for the law of the records that are neither the target nor known. Cost O(length)."""

    law: Law
    kernel: Kernel
    known: int

    def delta(self, epsilon: Fraction) -> Bracket:
        window = self.kernel.window
        start, stop = max(self.law.start, window.low - self.known), min(self.law.stop, window.high) + 1
        noisy = 1 / self.kernel.scale > epsilon  # then noise may tell something, which is not looked at
        if window.empty or start >= stop:
            return Bracket(0.0, 1.0 if noisy else self.law.tail)
        no, yes = self.law.window(start, stop), self.law.window(start - 1, stop - 1)
        places, (least, most) = np.arange(start, stop), exponential(epsilon)
        lower = upper = 0.0
        for (mass, error), (other, slip) in ((yes, no), (no, yes)):
            weight = self._chance(self._nearest(places), 1)
            upper = max(upper, _excess(largest_masses(mass, error), least_masses(other, slip), least, weight, 1))
            for counted in {0, self.known}:
                weight = self._chance(places + counted, -1)
                lower = max(lower, _excess(least_masses(mass, error), largest_masses(other, slip), most, weight, -1))
        upper = min(1.0, add_up(upper, self.law.tail))
        return Bracket(min(lower, upper), 1.0 if noisy else upper)

    def _nearest(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts nearest to the middle of the window among those that known records may make of these: there the
        chance of an exact count is largest.
        """
        window = self.kernel.window
        low, high = np.maximum(places, window.low), np.minimum(places + self.known, window.high)
        return np.asarray(np.clip((window.low + window.high) // 2, low, high))

    def _chance(self, counts: NDArray[np.int64], way: int) -> Floats:
        """Of "exactly k", a bound from above (1) or below (-1); 0 outside the window."""
        window, rate = self.kernel.window, -Balls.of(1 / self.kernel.scale)
        inside = (counts >= window.low) & (counts <= window.high)
        left, right = counts - window.low + 1, window.high - counts + 1
        found = (rate * np.maximum(left, 0)).expm1() * (rate * np.maximum(right, 0)).expm1()
        return np.asarray(np.where(inside, np.clip(found.upper if way > 0 else found.lower, 0.0, 1.0), 0.0))


def _excess(mass: Floats, other: Floats, factor: float, weight: Floats, way: int) -> float:
    """The sum of weight * max(0, mass - factor * other), rounded up (1) or down (-1)."""
    if way > 0:
        return total_up(times_up(np.maximum(add_up(mass, -times_down(other, factor)), 0.0), weight).tolist())
    return total_down(times_down(difference_down(mass, times_up(other, factor)), weight).tolist())
