"""The whole trade-off between epsilon and delta, as certified brackets."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.numerics.bracket import Bracket
from dalenius.numerics.divergence import LARGEST, hockey_stick, hockey_sticks
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.leaveoneout import LeaveOneOut

STEPS = 60
KNOTS = 40


class Curve(ABC):
    """delta as a function of epsilon, over both directions of every pair of worlds that it stands for."""

    @property
    def alone(self) -> bool:
        """Whether the release must be the only one about its records, so that no composition bounds it."""
        return False

    @abstractmethod
    def delta(self, epsilon: Fraction) -> Bracket:
        """The least delta at this epsilon."""

    def roughly(self, epsilon: Fraction) -> float:
        """An upper bound on delta that costs next to nothing; 1 where there is none."""
        return 1.0

    @property
    def heavy(self) -> bool:
        """Whether `delta` takes so long that `roughly` is worth a try."""
        return False

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Some of the (ascending) epsilons, at least the first and the last, with upper bounds on delta there.

        Here: forty of them, one by one. Curves that know their laws give all of them, for one sort.
        """
        some = epsilons[np.unique(np.linspace(0, len(epsilons) - 1, KNOTS).astype(int))]
        return some, np.array([self.delta(Fraction(float(at))).upper for at in some])

    def epsilon(self, delta: Fraction) -> Bracket:
        """The least epsilon at this delta: bisection on the falling curve.

        Above 700 only infinity is told from the rest: there a lower bound on delta counts outcomes that are
        impossible in one of the worlds, and holds for every epsilon. Cost: about 100 evaluations of `delta`.
        """
        upper = _crossing(lambda at: self.delta(at).certainly_at_most(delta))[1]
        lower = _crossing(lambda at: not self.delta(at).certainly_above(delta))[0]
        if lower == LARGEST and self.delta(LARGEST + 1).certainly_above(delta):
            lower = math.inf
        return Bracket(min(lower, upper), upper)


def _crossing(holds: Callable[[Fraction], bool]) -> tuple[float, float]:
    """Two neighbouring floats, at the first of which `holds` is false and at the second true; both 0 if it always is,
    and 700 and infinity if it is not up to there.
    """
    if holds(Fraction(0)):
        return 0.0, 0.0
    low, high = 0.0, 1.0
    while not holds(Fraction(high)):
        if high == LARGEST:
            return high, math.inf
        low, high = high, min(2 * high, float(LARGEST))
    for _ in range(STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(Fraction(middle)) else (middle, high)
    return low, high


@final
@dataclass(frozen=True, slots=True, eq=False)
class PairCurve(Curve):
    """Two laws that must look alike, both ways round. Cost of `delta`: O(length)."""

    first: Law
    second: Law

    def delta(self, epsilon: Fraction) -> Bracket:
        forth = hockey_stick(self.first, self.second, epsilon=epsilon)
        return forth.join(hockey_stick(self.second, self.first, epsilon=epsilon))

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        forth, back = hockey_sticks(self.first, self.second, epsilons), hockey_sticks(self.second, self.first, epsilons)
        return epsilons, np.maximum(forth, back)


@final
@dataclass(frozen=True, slots=True, eq=False)
class EverybodyCurve(Curve):
    """A count of very many different yes/no persons, worst over who is left out."""

    groups: tuple[LeaveOneOut, ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        return _largest(group.worst(epsilon)[0] for group in self.groups)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Supremum(Curve):
    """The worst of several curves at each epsilon."""

    curves: tuple[Curve, ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        return _largest(curve.delta(epsilon) for curve in self.curves)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Between(Curve):
    """A curve known to lie above one curve and below another."""

    below: Curve
    above: Curve

    def roughly(self, epsilon: Fraction) -> float:
        return self.above.roughly(epsilon)

    @property
    def heavy(self) -> bool:
        return self.above.heavy

    def delta(self, epsilon: Fraction) -> Bracket:
        upper = self.above.delta(epsilon).upper
        return Bracket(min(self.below.delta(epsilon).lower, upper), upper)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Charged(Curve):
    """An upper bound that holds but for an event of probability `missing`, which counts as delta = 1."""

    inner: Curve
    missing: float

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(0.0, self._charged(self.inner.delta(epsilon).upper))

    def roughly(self, epsilon: Fraction) -> float:
        return self._charged(self.inner.roughly(epsilon))

    @property
    def heavy(self) -> bool:
        return self.inner.heavy

    def _charged(self, bound: float) -> float:
        upper = bound + self.missing
        return min(1.0, math.nextafter(upper, math.inf) if self.missing else upper)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Constant(Curve):
    """The same delta at every epsilon: 1 where one event tells the worlds apart for sure, 0 where nothing does."""

    value: float

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(self.value, self.value)

    def roughly(self, epsilon: Fraction) -> float:
        return self.value


def _largest(brackets: Iterable[Bracket]) -> Bracket:
    best = Bracket(0.0, 0.0)
    for bracket in brackets:
        best = best.join(bracket)
    return best


@final
@dataclass(frozen=True, slots=True, eq=False)
class Average(Curve):
    """The mean of curves with weights that sum to at most one; what is missing counts as delta = 1.

    By joint convexity it bounds the curve of a mixture in which the attacker also sees which part was drawn.
    """

    weights: Sequence[float]
    curves: Sequence[Curve]

    def delta(self, epsilon: Fraction) -> Bracket:
        brackets = [curve.delta(epsilon) for curve in self.curves]
        upper = math.fsum(w * b.upper for w, b in zip(self.weights, brackets, strict=True))
        missing = max(0.0, 1 - math.fsum(self.weights)) + len(brackets) * 5e-16  # four units or more
        lower = math.fsum(w * b.lower for w, b in zip(self.weights, brackets, strict=True))
        return Bracket(max(0.0, lower * (1 - 1e-14)), min(1.0, upper + missing))
