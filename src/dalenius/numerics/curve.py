"""The whole trade-off between epsilon and delta, as certified brackets."""

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import LARGEST, add_up, times_down, times_up, total_down, total_up
from dalenius.numerics.divergence import hockey_stick, hockey_sticks, max_divergence
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.least import climb, halfway, least, scan
from dalenius.numerics.losses import Losses

if TYPE_CHECKING:
    from dalenius.numerics.leaveoneout import LeaveOneOut

STEPS = 60
KNOTS = 40
NEARLY_GONE = 1e-3  # of a charge
NEGLIGIBLE = 1e-15  # delta below which it does not matter how a curve falls


class Curve(ABC):
    """delta as a function of epsilon, over both directions of every pair of worlds that it stands for.

    >>> import dalenius as dl
    >>> isinstance(dl.curve(dl.Count(), dl.IID(p="0.3", n=100)), dl.Curve)
    True
    """

    @property
    def alone(self) -> bool:
        """Whether the release must be the only one about its records, so that no composition bounds it: it rests on
        what is uncertain about other people's records, and a second figure about them tells the attacker of that.

        Every curve does, unless it says that it stands for dice alone, whatever the records are.
        """
        return True

    @abstractmethod
    def delta(self, epsilon: Fraction) -> Bracket:
        """The least delta at this epsilon."""

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        """delta, as closely as is needed to see whether it is at most `enough`, where that saves work."""
        return self.delta(epsilon)

    def roughly(self, epsilon: Fraction) -> float:
        """An upper bound on delta that costs next to nothing; 1 where there is none."""
        return 1.0

    def _repr_svg_(self) -> str:
        """The curve as notebooks show it; `dalenius.show.pictures` draws it."""
        return str(import_module("dalenius.show.pictures").curve_picture(self))

    @property
    def heavy(self) -> bool:
        """Whether `delta` takes so long that `roughly` is worth a try."""
        return False

    @property
    def pure_level(self) -> Fraction | None:
        """An epsilon from which on delta is certainly 0, if one is known."""
        return None

    def losses(self) -> Losses | None:
        """The losses of the one pair that it stands for, if that pair looks the same both ways round; else None."""
        return None

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Some of the (ascending) epsilons, at least the first and the last, with upper bounds on delta there.

        Here: forty of them, one by one, where the curve falls most. Curves that know their laws give all of them, for
        one sort.
        """
        values = {place: self._upper_at(epsilons, place) for place in (0, len(epsilons) - 1)}
        waiting = [(0.0, 0, len(epsilons) - 1)]
        while waiting and len(values) < KNOTS:
            _, low, high = heapq.heappop(waiting)
            middle = (low + high) // 2
            if middle == low:
                continue
            values[middle] = self._upper_at(epsilons, middle)
            for a, b in ((low, middle), (middle, high)):
                fall = math.log((values[a] + NEGLIGIBLE) / (values[b] + NEGLIGIBLE))
                heapq.heappush(waiting, (-fall * float(epsilons[b] - epsilons[a]), a, b))
        places = sorted(values)
        return epsilons[places], np.array([values[place] for place in places])

    def uppers(self, epsilons: Floats) -> Floats:
        """Upper bounds on delta at all of these: at its knots, and between them on chords, since delta is convex in
        e^epsilon. A chord errs by a few units of its higher end.
        """
        places, values = self.knots(epsilons)
        if len(places) == len(epsilons):
            return values
        right = np.clip(np.searchsorted(places, epsilons), 1, len(places) - 1)
        low, high = places[right - 1], places[right]
        part = (Balls.of(epsilons) - low).expm1() / (Balls.of(high) - low).expm1()
        before, after = values[right - 1], values[right]
        chords = (part * (Balls.of(after) - before) + before).upper
        return np.asarray(np.minimum(chords, np.minimum(np.maximum(before, after), 1.0)))

    def _upper_at(self, epsilons: Floats, place: int) -> float:
        return self.delta(Fraction(float(epsilons[place]))).upper

    def epsilon(self, delta: Fraction) -> Bracket:
        """The least epsilon at this delta: bisection on the falling curve.

        Above 700 only infinity is told from the rest: there a lower bound on delta counts outcomes that are
        impossible in one of the worlds, and holds for every epsilon. Cost: about 100 evaluations of `delta`.
        """
        upper = crossing(lambda at: self.delta(at).certainly_at_most(delta))[1]
        lower = crossing(lambda at: not self.delta(at).certainly_above(delta))[0]
        if lower == LARGEST and self.delta(LARGEST + 1).certainly_above(delta):
            lower = math.inf
        return Bracket(min(lower, upper), upper)


def crossing(holds: Callable[[Fraction], bool]) -> tuple[float, float]:
    """Two neighbouring floats, at the first of which `holds` is false and at the second true; both 0 if it always is,
    and 700 and infinity if it is not up to there.
    """
    if holds(Fraction(0)):
        return 0.0, 0.0
    last = float(LARGEST)

    def at(epsilon: float) -> bool:
        return holds(Fraction(epsilon))

    low, high = scan(at, 0.0, climb(1.0, lambda rung: min(2 * rung, last), lambda rung: rung == last))
    if high is None:
        return low, math.inf
    return least(at, low, high, middle=halfway, steps=STEPS)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PairCurve(Curve):
    """Two laws that must look alike, both ways round. Cost of `delta`: O(length)."""

    first: Law
    second: Law
    only: bool = False  # whether they are laws of uncertain records, and not of dice

    @property
    def alone(self) -> bool:
        return self.only

    def delta(self, epsilon: Fraction) -> Bracket:
        forth = hockey_stick(self.first, self.second, epsilon=epsilon)
        return forth.join(hockey_stick(self.second, self.first, epsilon=epsilon))

    @property
    def pure_level(self) -> Fraction | None:
        ways = max_divergence(self.first, self.second), max_divergence(self.second, self.first)
        level = max(way.upper for way in ways)
        return Fraction(level) if math.isfinite(level) else None

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        forth, back = hockey_sticks(self.first, self.second, epsilons), hockey_sticks(self.second, self.first, epsilons)
        return epsilons, np.maximum(forth, back)


@final
@dataclass(frozen=True, slots=True, eq=False)
class EverybodyCurve(Curve):
    """A count of very many different yes/no persons, worst over who is left out."""

    groups: "tuple[LeaveOneOut, ...]"

    def delta(self, epsilon: Fraction) -> Bracket:
        return _largest(group.worst(epsilon)[0] for group in self.groups)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Supremum(Curve):
    """The worst of several curves at each epsilon; of none, where no two facts differ, 0."""

    curves: tuple[Curve, ...]

    @property
    def alone(self) -> bool:
        return any(curve.alone for curve in self.curves)

    def delta(self, epsilon: Fraction) -> Bracket:
        return _largest(curve.delta(epsilon) for curve in self.curves)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        nothing = np.zeros(len(epsilons))
        return epsilons, np.max([nothing, *(curve.uppers(epsilons) for curve in self.curves)], axis=0)

    @property
    def pure_level(self) -> Fraction | None:
        levels = [curve.pure_level for curve in self.curves]
        known = [level for level in levels if level is not None]
        return max(known, default=Fraction(0)) if len(known) == len(levels) else None


@final
@dataclass(frozen=True, slots=True, eq=False)
class Enclosed(Curve):
    """A curve known to lie above one curve and below another."""

    below: Curve
    above: Curve

    @property
    def pure_level(self) -> Fraction | None:
        return self.above.pure_level

    @property
    def alone(self) -> bool:
        return self.below.alone or self.above.alone

    def roughly(self, epsilon: Fraction) -> float:
        return self.above.roughly(epsilon)

    @property
    def heavy(self) -> bool:
        return self.above.heavy

    def delta(self, epsilon: Fraction) -> Bracket:
        upper = self.above.delta(epsilon).upper
        return Bracket(min(self.below.delta(epsilon).lower, upper), upper)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        return self.above.knots(epsilons)

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        upper = self.above.delta_until(epsilon, enough)
        if upper.certainly_at_most(enough):
            return Bracket(0.0, upper.upper)
        return Bracket(min(self.below.delta_until(epsilon, enough).lower, upper.upper), upper.upper)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Charged(Curve):
    """An upper bound that holds but for an event of probability `missing`, which counts as delta = 1."""

    inner: Curve
    missing: float

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(0.0, self._charged(self.inner.delta(epsilon).upper))

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        left = max(Fraction(0), enough - 2 * Fraction(self.missing))
        return Bracket(0.0, self._charged(self.inner.delta_until(epsilon, left).upper))

    def roughly(self, epsilon: Fraction) -> float:
        return self._charged(self.inner.roughly(epsilon))

    @property
    def heavy(self) -> bool:
        return self.inner.heavy

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Those of what is charged, but none from where it has fallen to the charge until it is nearly gone: whoever
        ends a list where little is left ends it there.
        """
        places, values = self.inner.knots(epsilons)
        if not self.missing:
            return places, values
        kept = (values > self.missing) | (values <= NEARLY_GONE * self.missing)
        kept[[0, -1]] = True
        return places[kept], np.minimum(1.0, add_up(values[kept], self.missing))

    def _charged(self, bound: float) -> float:
        return min(1.0, add_up(bound, self.missing))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Constant(Curve):
    """The same delta at every epsilon: 1 where one event tells the worlds apart for sure, 0 where nothing does: no fact
    about anybody changes what is published, whatever else is.
    """

    value: float

    @property
    def alone(self) -> bool:
        return False

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

    @property
    def alone(self) -> bool:
        """Which part was drawn is uncertain, and may be the same in every release, so that they are not independent."""
        return True

    def delta(self, epsilon: Fraction) -> Bracket:
        brackets = [curve.delta(epsilon) for curve in self.curves]
        # with δ_k <= 1 the mean and what is missing are largest together at the least weights
        weights = Balls.rounded(np.array(self.weights, dtype=float)).positive.tolist()
        upper = total_up(times_up(w, b.upper) for w, b in zip(weights, brackets, strict=True))
        missing = max(0.0, add_up(1.0, -total_down(weights)))
        lower = total_down(times_down(w, b.lower) for w, b in zip(weights, brackets, strict=True))
        return Bracket(min(lower, 1.0), min(1.0, add_up(upper, missing)))
