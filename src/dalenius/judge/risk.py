r"""Risk as people say it: how well anybody can tell two facts about one person apart, read off a certified curve.

Let P and Q be the laws of what is published under two facts about a person, (ε, δ)-alike both ways. A *test* says
"the first fact" on an event S (or tosses a coin). It raises a false alarm with probability α = Q(S), and finds the
fact with probability P(S).

- **Found at a rate of false alarms.** P(S) <= e^ε Q(S) + δ, and Q(not S) <= e^ε P(not S) + δ. Hence
  $$ P(S) \le \min\{ e^\epsilon \alpha + \delta,\; 1 - e^{-\epsilon} (1 - \alpha - \delta) \} $$
  for every point (ε, δ) of the curve; for one pair of laws the least over all ε is attained (Neyman and Pearson).
- **Advantage**, the largest P(S) - Q(S): the total variation, which is δ at ε = 0. A point (ε, δ) bounds it by
  (e^ε - 1 + 2δ) / (e^ε + 1) (`variation_from_indistinguishability`).
- **Guessing one of k values** that were equally likely before. Let A be the chance of a right guess, the mean of
  P_v(S_v) over values v, where the S_v share out all that can come out. For each value u, the sum of P_v(S_v) is at
  most P_u(S_u) + e^ε (1 - P_u(S_u)) + (k - 1) δ; the mean over u gives k A <= A + e^ε (1 - A) + (k - 1) δ, so
  $$ A \le \frac{e^\epsilon + (k - 1) \delta}{e^\epsilon + k - 1}, $$
  which randomised response attains with δ = 0.

Lower ends: where a curve is that of one pair of laws, the same minimum from below. Both lines are convex, the first
in e^ε and the second in e^-ε, so that a place with higher ones on both sides has the minimum between those two; there δ
falls, which bounds it cell by cell. Elsewhere the lower end is what blind guessing attains.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.claims.conversions import variation_from_indistinguishability
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_down
from dalenius.facts.records import Number, exact
from dalenius.judge.odds import Points
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.decimals import DIGITS, decimal, rounded
from dalenius.numerics.divergence import hockey_stick, mass_without
from dalenius.numerics.law import Law

Profile: TypeAlias = Callable[[Fraction], Bracket]  # delta at an epsilon
Line: TypeAlias = Callable[[Fraction, Fraction, Fraction], Bracket]  # of a rate, an epsilon and its delta

STEEPEST = 60.0  # no better epsilon is looked for beyond
STEPS, CELLS = 60, 64  # steps towards the best epsilon; cells of what is left then
NARROW = 1e-9  # brackets of the advantage that no other point of the curve makes better
GOLDEN = (math.sqrt(5) - 1) / 2


@final
@dataclass(frozen=True, slots=True)
class Risk:
    """How well the best attacker tells two facts about one person apart.

    Every number is a bracket: nobody does better than its upper end, and somebody does as well as its lower end.

    >>> from dalenius.judge.risk import risk_from
    >>> risk = risk_from([(Fraction(1, 2), 1e-6)])
    >>> print(risk.advantage, risk.found("0.01"), risk.guessed(4))
    [0, 0.245] [0.009999, 0.01649] [0.25, 0.3547]
    """

    points: tuple[tuple[Fraction, Fraction], ...]  # an epsilon, and a delta that is certified there
    curve: Curve | None = None

    def points_as_floats(self) -> list[tuple[Fraction, float]]:
        """The points again, to add others."""
        return [(epsilon, float(delta)) for epsilon, delta in self.points]

    @property
    def advantage(self) -> Bracket:
        """The largest difference between the share of cases found and of false alarms: 0 is blind, 1 is certain."""
        if self.curve is not None:
            return self.curve.delta(Fraction(0))
        ends = (variation_from_indistinguishability(epsilon, delta).upper for epsilon, delta in self.points)
        return Bracket(0.0, min(ends, default=1.0))

    def found(self, alarms: Number) -> Bracket:
        """At a share of false alarms, the share of cases that are found."""
        rate = exact(alarms, name="alarms")
        require(0 <= rate <= 1, "a share of false alarms between 0 and 1", got=alarms)
        if self.curve is None:
            lines = (line(rate, epsilon, delta).upper for epsilon, delta in self.points for line in LINES)
            upper = min(1.0, *lines)
            return Bracket(min(float_down(rate), upper), upper)
        ways = _ways(self.curve)
        if not ways:
            way = _Way(cache(self.curve.delta))
            upper = min(1.0, *(_narrowed(way, line, rate)[1] for line in LINES))
            return Bracket(min(float_down(rate), upper), upper)
        both = [_best(forth, back, rate) for forth, back in ways]
        return Bracket(max(way.lower for way in both), max(way.upper for way in both))

    def guessed(self, values: int) -> Bracket:
        """The chance to guess one of so many values that were equally likely before. For the lower end, the two that
        are easiest to tell apart are among them.
        """
        require(values >= 2, "at least 2 values to guess among", got=values)
        points, advantage = self.points, self.advantage
        if self.curve is not None and not (values == 2 and advantage.upper - advantage.lower <= NARROW):
            points = tuple((at, Fraction(self.curve.delta(at).upper)) for at in EPSILONS)
        upper = min((_guessed(values, epsilon, delta) for epsilon, delta in points), default=1.0)
        if values == 2:
            upper = min(upper, rounded(decimal((1 + Fraction(advantage.upper)) / 2), most=1.0).upper)
        return Bracket(min(float_down((1 + Fraction(advantage.lower)) / values), upper), upper)


def risk_from(points: Points) -> Risk:
    """From certified points of a curve: an epsilon, and an upper bound on delta there.

    >>> import dalenius as dl
    >>> risk = dl.judge.risk_from([(1, "1e-6")])
    >>> print(risk.advantage)
    [0, 0.4622]
    """
    taken = tuple((epsilon, min(Fraction(1), Fraction(delta))) for epsilon, delta in points)
    if not taken:
        raise InputError("A risk needs at least one certified point of a curve, but got none. Give (epsilon, delta).")
    return Risk(taken)


def risk_of(curve: Curve) -> Risk:
    """From a curve: brackets that are close on both sides where it stands for one pair of laws.

    >>> import dalenius as dl
    >>> count = dl.curve(dl.Count(), dl.noiseless(dl.IID(p="0.2", n=1000)))
    >>> risk = risk_of(count)
    >>> print(risk.advantage, risk.guessed(2))
    [0.03152, 0.03153] [0.5157, 0.5158]
    """
    return Risk((), curve)


# -- one point of a curve --------------------------------------------------------------------------------------------


def _forth(rate: Fraction, epsilon: Fraction, delta: Fraction) -> Bracket:
    """e^ε α + δ: it rises with ε and with δ."""
    with localcontext(Context(prec=DIGITS)):
        return rounded(decimal(epsilon).exp() * decimal(rate) + decimal(delta))


def _back(rate: Fraction, epsilon: Fraction, delta: Fraction) -> Bracket:
    """1 - e^-ε (1 - α - δ): it rises with δ, and with ε as long as it is below 1."""
    with localcontext(Context(prec=DIGITS)):
        return rounded(1 - (-decimal(epsilon)).exp() * decimal(1 - rate - delta))


def _guessed(values: int, epsilon: Fraction, delta: Fraction) -> float:
    with localcontext(Context(prec=DIGITS)):
        steep, others = decimal(epsilon).exp(), values - 1
        return rounded((steep + others * decimal(delta)) / (steep + others), most=1.0, positive=True).upper


LINES: tuple[Line, Line] = (_forth, _back)
EPSILONS = tuple(Fraction(step * step, 400) for step in range(62))  # from 0 to about 9, closer together near 0


# -- the best point of a curve ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class _Way:
    """One law against another: delta at every epsilon, and what it is at least, however large epsilon is."""

    delta: Profile
    certain: float = 0.0


def _ways(curve: Curve) -> list[tuple[_Way, _Way]]:
    """Both directions of the one pair that a curve stands for; none if it may stand for several."""
    if isinstance(curve, PairCurve):
        forth, back = _against(curve.first, curve.second), _against(curve.second, curve.first)
        return [(forth, back), (back, forth)]
    return [] if curve.losses() is None else [(_Way(curve.delta), _Way(curve.delta))]


def _against(one: Law, other: Law) -> _Way:
    return _Way(lambda epsilon: hockey_stick(one, other, epsilon=epsilon), mass_without(one, other))


def _best(forth: _Way, back: _Way, rate: Fraction) -> Bracket:
    """What the best test finds: the lower of the two lines' minima."""
    minima = [_minimum(forth, _forth, rate), _minimum(back, _back, rate), Bracket(1.0, 1.0)]
    return Bracket(min(end.lower for end in minima), min(end.upper for end in minima))


def _minimum(way: _Way, line: Line, rate: Fraction) -> Bracket:
    """The least value of a line over all epsilons from 0 on: what is left of them is bounded cell by cell.

    Cost: about 100 evaluations of delta.
    """
    (low, high), upper = _narrowed(way, line, rate)
    edges = [low + (high - low) * cell / CELLS for cell in range(CELLS)] + [high]
    lower = min(_cell(way.delta, line, rate, one, other) for one, other in pairwise(edges))
    if high == STEEPEST:  # delta may fall further there
        lower = min(lower, line(rate, Fraction(STEEPEST), Fraction(way.certain)).lower)
    return Bracket(min(lower, upper), upper)


def _narrowed(way: _Way, line: Line, rate: Fraction) -> tuple[tuple[float, float], float]:
    """Between which epsilons a line has its least value, and what it is at most.

    Golden sections, as long as it is certain which side is higher (lines are not cut off at 1 here, so that they are
    convex). Of two places inside one is kept, as long as they stay in order: rounding moves them by and by.
    """

    def at(epsilon: float) -> Bracket:
        delta, place = way.delta(Fraction(epsilon)), Fraction(epsilon)
        return Bracket(line(rate, place, Fraction(delta.lower)).lower, line(rate, place, Fraction(delta.upper)).upper)

    low, high = 0.0, STEEPEST
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    one, other = at(left), at(right)
    upper = min(at(low).upper, at(high).upper, one.upper, other.upper)
    for _ in range(STEPS):
        if one.lower >= other.upper:
            low, left, one = left, right, other
            right = low + GOLDEN * (high - low)
            other = at(right)
        elif other.lower >= one.upper:
            high, right, other = right, left, one
            left = high - GOLDEN * (high - low)
            one = at(left)
        else:
            break
        if not low < left < right < high:
            left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            one, other = at(left), at(right)
        upper = min(upper, one.upper, other.upper)
    return (low, high), upper


def _cell(profile: Profile, line: Line, rate: Fraction, low: float, high: float) -> float:
    """In a cell, a line is nowhere below its value at the least epsilon with the delta of the largest one, or 1."""
    return min(1.0, line(rate, Fraction(low), Fraction(profile(Fraction(high)).lower)).lower)
