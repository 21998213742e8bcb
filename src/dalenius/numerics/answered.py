r"""Randomised response, seen from a true answer: answers went through coins, each is kept with a chance k, else
flipped.

Let P1 and P0 be the laws of whatever is published, given that the person's *published* answer is "yes" or "no". Given a
true "yes" it is A = k P1 + (1-k) P0, given a true "no" B = (1-k) P1 + k P0, so that with a = k - e^ε (1-k) and
b = e^ε k - (1-k)

$$ A - e^\epsilon B = a P_1 - b P_0, \qquad \delta(\epsilon) = a \, \delta_{10}(\ln(b / a)) $$

if a > 0, else 0,

and likewise the other way round. *Proof.* The excess over an event S is a (P1(S) - (b/a) P0(S)). ∎ At ε = ln(k/(1-k))
nothing is left, which is the local guarantee; below, what hides published answers helps the coins.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import LARGEST
from dalenius.numerics.curve import Curve
from dalenius.numerics.exponentials import logarithm, value


@final
@dataclass(frozen=True, slots=True, eq=False)
class ThroughCoin(Curve):
    """The formula above, for a curve of published answers; from above only, if that curve is worst over more than the
    attacker knows.
    """

    published: Curve
    keep: Fraction
    attained: bool

    @property
    def alone(self) -> bool:
        return self.published.alone

    @property
    def heavy(self) -> bool:
        return self.published.heavy

    @property
    def pure_level(self) -> Fraction:
        odds = self.keep / (1 - self.keep)
        return Fraction(logarithm(odds, odds).upper)

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.pure_level:
            return Bracket(0.0, 0.0)
        (few, many), levels = self._scaled(epsilon)
        upper = many * Fraction(self.published.delta(levels[0]).upper)
        lower = few * Fraction(self.published.delta(levels[1]).lower) if self.attained and few > 0 else Fraction(0)
        found = around(min(lower, upper), min(upper, Fraction(1)))
        return Bracket(max(0.0, found.lower), min(1.0, found.upper))

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        if epsilon >= self.pure_level:
            return Bracket(0.0, 0.0)
        (_, many), levels = self._scaled(epsilon)
        if many <= 0:
            return Bracket(0.0, 0.0)
        upper = many * Fraction(self.published.delta_until(levels[0], min(enough / many, Fraction(1))).upper)
        return Bracket(0.0, min(1.0, around(upper, upper).upper))

    def roughly(self, epsilon: Fraction) -> float:
        if epsilon >= self.pure_level:
            return 0.0
        (_, many), levels = self._scaled(epsilon)
        upper = many * Fraction(self.published.roughly(levels[0]))
        return min(1.0, around(upper, upper).upper)

    def _scaled(self, epsilon: Fraction) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """Bounds on a, and on ln(b / a), which is at least ε."""
        flip = 1 - self.keep
        few, many = value([(self.keep, 0), (-flip, epsilon)])
        least, most = value([(self.keep, epsilon), (-flip, 0)])
        low = logarithm(least / many, least / many).lower if many > 0 and least > 0 else 0.0
        high = logarithm(most / few, most / few).upper if few > 0 else math.inf
        lowest = min(max(Fraction(low), epsilon), LARGEST)
        return (few, many), (lowest, max(lowest, min(Fraction(high), LARGEST)) if math.isfinite(high) else LARGEST)
