r"""Chernoff bounds with the best exponent: how often the wrong model looks likelier than the true one.

For records drawn from f_j and any s in [0, 1],

$$ P\Big(w \prod_{l=1}^m \frac{f_i}{f_j}(X_l) \ge 1\Big) \le w^s C_s^m, \qquad C_s = \sum_a f_i(a)^s f_j(a)^{1-s} < 1 $$

(the expectation is under f_j). The logarithm of the bound is convex in s, so the best s is found by golden section; any
s gives a bound, and what is returned is rounded upwards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.enclosure.balls import Balls, log_of
from dalenius.enclosure.outward import exp_up

STEPS = 60
GOLDEN = (math.sqrt(5) - 1) / 2


@final
@dataclass(frozen=True, slots=True)
class Affinity:
    """Two laws with the same support: the wrong one and the true one."""

    wrong: tuple[Fraction, ...]
    true: tuple[Fraction, ...]

    def log(self, s: float) -> float:
        """An upper bound on ln C_s."""
        if not 0 < s < 1:
            return 0.0
        both = [(p, q) for p, q in zip(self.wrong, self.true, strict=True) if p and q]
        if not both:
            return 0.0
        wrong, true = (Balls.nearest(column).log() for column in zip(*both, strict=True))
        whole = (wrong * s + true * (1 - Balls.of(s))).exp().sum()
        return min(0.0, float(whole.log().upper))

    def log_bound(self, ahead: float, records: int, *, s: float | None = None) -> float:
        """An upper bound on ln P(e^ahead · Π f_wrong / f_true >= 1) over so many records drawn from the true law."""
        at = self._best(ahead, records) if s is None else s
        start, fall = Balls.of(ahead) * at, Balls.of(self.log(at)) * records
        found = float((start + fall).upper)
        return min(0.0, found) if s is None else found

    def bound(self, ahead: float, records: int, *, s: float | None = None) -> float:
        """The same without the logarithm; with a given s also where it is above one."""
        return exp_up(self.log_bound(ahead, records, s=s))

    def _best(self, ahead: float, records: int) -> float:
        """Where the bound is about the least, in plain floats: every s gives a bound."""
        chances = ((float(p), float(q)) for p, q in zip(self.wrong, self.true, strict=True))
        logs = [(math.log(p), math.log(q)) for p, q in chances if p and q]

        def exponent(s: float) -> float:
            whole = math.fsum(math.exp(s * wrong + (1 - s) * true) for wrong, true in logs)
            return s * ahead + (records * min(0.0, math.log(whole)) if whole else 0.0)

        low, high = 0.0, 1.0
        for _ in range(STEPS):
            one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            low, high = (low, two) if exponent(one) <= exponent(two) else (one, high)
        return (low + high) / 2


def log_up(number: Fraction) -> float:
    """An upper bound on ln(number), also where the number is beyond all floats."""
    return float(log_of(number).upper)


def affinities(models: Sequence[tuple[Fraction, ...]]) -> dict[tuple[int, int], Affinity]:
    """For each ordered pair (i, j): i is wrong, j is true."""
    places = range(len(models))
    return {(i, j): Affinity(models[i], models[j]) for i in places for j in places if i != j}
