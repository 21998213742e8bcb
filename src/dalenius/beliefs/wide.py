"""The curve of one person's secret in a sum over a wide range, worst over which records the attacker knows."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import final

from dalenius.beliefs.worst import Push
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Pair
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import point
from dalenius.numerics.resonance import ResonantLattice, lattice_of, span_of
from dalenius.numerics.runs import Runs, RunSum
from dalenius.numerics.search import Boxes, Removal, worst
from dalenius.numerics.shifts import ShiftCurve
from dalenius.numerics.wide import COARSE, FINE, FLOOR, wide_law
from dalenius.numerics.widecurve import WideShifts

BUDGET = 16  # removals that are looked at, where records have several types
KEPT = 8  # laws remembered
NOISE = 4_000_000  # the longest law of noise that is looked at by itself
FAINT = -200.0  # log of the probability of a lattice that is not looked at: other bounds will do
BELOW = 1e-18  # mass left out at the ends, relative to a delta that is asked for
SPARSE = 0.05  # of a standard deviation: a lattice may be too coarse for cells of its own
CLOSE = 1e-3  # relative width of a bracket at which coarse cells will do
ABOUT = 200  # points of such a law for each unit of its scale


@final
@dataclass(frozen=True, slots=True, eq=False)
class WideCrowd:
    """counts[t] records of type t, in units of the domain; weights[t] are the exact weights of the type's runs."""

    types: tuple[Runs, ...]
    weights: tuple[tuple[Fraction, ...], ...]
    counts: tuple[int, ...]

    def without(self, removal: Removal) -> "WideCrowd":
        """Those who are left, by the types that are left."""
        left = [(t, count - removal[t]) for t, count in enumerate(self.counts) if count > removal[t]]
        return WideCrowd(
            tuple(self.types[t] for t, _ in left),
            tuple(self.weights[t] for t, _ in left),
            tuple(count for _, count in left),
        )

    @property
    def parts(self) -> tuple[tuple[Runs, ...], tuple[tuple[Fraction, ...], ...], tuple[int, ...]]:
        return self.types, self.weights, self.counts

    @property
    def span(self) -> int:
        """What divides all differences of sums; 0 if they are constant."""
        return span_of(self.types)

    @property
    def variance(self) -> float:
        return RunSum.of(self.types, self.counts).variance

    @property
    def offset(self) -> int:
        """A possible sum."""
        return sum(count * int(one.first[0]) for one, count in zip(self.types, self.counts, strict=True))

    @property
    def lattice(self) -> ResonantLattice | None:
        """A hidden lattice, on which all are together with a probability that may matter."""
        found = lattice_of(self.types, self.weights, self.counts)
        return found if found and found.logarithm(self.counts) > FAINT else None


@final
@dataclass(frozen=True, slots=True)
class Sure(Curve):
    """Somebody's values are told apart for sure: the others are on a lattice that the domain is finer than (0: they
    are constant).
    """

    span: int

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(1.0, 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Shifted(Curve):
    """A sum against itself moved: on coarse cells first, on fine ones where that settles nothing."""

    crowd: WideCrowd
    shift: int
    enough: Fraction | None
    rough: bool  # coarse cells will do
    _laws: dict[int, WideShifts | None] = field(default_factory=dict, repr=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        shifts = self.shifts(epsilon)
        return Bracket(0.0, 1.0) if shifts is None else shifts.delta(epsilon)

    def shifts(self, epsilon: Fraction) -> WideShifts | None:
        """The law that was fine enough; None if too many frequencies matter."""
        coarse = self._law(COARSE)
        if coarse is None or self.rough or self._settled(coarse.delta(epsilon)):
            return coarse
        return self._law(FINE)

    def _settled(self, bracket: Bracket) -> bool:
        passes = self.enough is not None and bracket.certainly_at_most(self.enough) and bracket.lower == 0
        return passes or bracket.width <= CLOSE * bracket.lower

    def _law(self, fine: int) -> WideShifts | None:
        if fine not in self._laws:
            floor = FLOOR if self.enough is None else max(FLOOR, float(self.enough) * BELOW)
            lattice = self.crowd.lattice
            law = wide_law(*self.crowd.parts, lattice, fine=fine, floor=floor)
            if law is None and lattice is not None and lattice.q > SPARSE * math.sqrt(self.crowd.variance):
                law = wide_law(*self.crowd.parts, None, fine=fine, floor=floor)
            self._laws[fine] = None if law is None else WideShifts(law, self.shift)
        return self._laws[fine]


@final
@dataclass(frozen=True, slots=True, eq=False)
class WideCurve(Curve):
    """delta of the worst person, against an attacker who knows the worst `known` of the other records.

    What the person adds differs by any multiple of `grain`, up to that of the pair. A channel other than the exact
    figure is post-processing, or, if it begins with noise, noise.
    """

    crowd: WideCrowd
    pair: Pair
    grain: int
    channel: Push
    known: int
    enough: Fraction | None = None
    _curves: dict[Removal, Curve] = field(default_factory=dict, repr=False)

    @property
    def shift(self) -> int:
        """The largest difference, in units of the domain."""
        return abs(self.pair.second - self.pair.first) // self.grain

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.find(epsilon)[0]

    def find(self, epsilon: Fraction) -> tuple[Bracket, Removal | None]:
        """delta, and which records are taken out for the lower bound."""
        if not self.shift:
            return Bracket(0.0, 0.0), None
        if self.channel.exact:
            return self._worst(epsilon)
        pure = self.channel.pure(self.shift * self.grain)
        if pure is not None and epsilon >= pure:
            return Bracket(0.0, 0.0), None
        alone = self._noise()
        upper = min(self._worst(epsilon)[0].upper, 1.0 if alone is None else alone.delta(epsilon).upper)
        return Bracket(0.0, upper), None

    def _worst(self, epsilon: Fraction) -> tuple[Bracket, Removal]:
        """One type: all records are alike. Several: by branch and bound; knowing more never helps privacy, so that a
        family of removals is bounded by its union. That of all may settle it; so may a few members at the corners.
        """
        removed, counts = self.known + 1, self.crowd.counts
        family = Boxes(removed, (0,) * len(counts), tuple(min(count, removed) for count in counts))
        if len(counts) == 1:
            return self._without(family.member(), epsilon=epsilon), family.member()
        for corner in self._corners(removed):
            if self.crowd.without(corner).span != 1:
                return Bracket(1.0, 1.0), corner
        enough = None if self.enough is None else float(self.enough)
        most = self._without(family.union(), epsilon=epsilon).upper
        if enough is not None and most <= enough:
            return Bracket(min(self._without(family.member(), epsilon=epsilon).lower, most), most), family.member()
        found, removal = worst(family, partial(self._without, epsilon=epsilon), enough=enough, budget=BUDGET)
        return Bracket(min(found.lower, most), min(found.upper, most)), removal

    def _corners(self, removed: int) -> list[Removal]:
        """All of one type first, then of the others."""
        found = []
        for first in range(len(self.crowd.counts)):
            left, taken = removed, [0] * len(self.crowd.counts)
            for t in sorted(range(len(taken)), key=lambda t: (t != first, self.crowd.counts[t])):
                taken[t] = min(left, self.crowd.counts[t])
                left -= taken[t]
            found.append(tuple(taken))
        return found

    def _without(self, removal: Removal, *, epsilon: Fraction) -> Bracket:
        return self.left(removal).delta(epsilon)

    def left(self, removal: Removal) -> Curve:
        """The curve when exactly these records are taken out."""
        if removal not in self._curves:
            if len(self._curves) >= KEPT:
                self._curves.clear()
            self._curves[removal] = self._fresh(removal)
        return self._curves[removal]

    def _fresh(self, removal: Removal) -> Curve:
        rest = self.crowd.without(removal)
        if rest.span != 1:
            return Sure(rest.span)
        return Shifted(rest, self.shift, self.enough, len(self.crowd.counts) > 1)

    def _noise(self) -> Curve | None:
        """The channel's noise alone, against somebody who knows all the others: log-concave, so that the largest
        shift is the worst.
        """
        scale = getattr(next(iter(getattr(self.channel, "links", (self.channel,)))), "scale", None)
        if self.channel.period or scale is None or scale * ABOUT > NOISE or self.shift * self.grain > NOISE:
            return None
        return ShiftCurve(self.channel.push(point(0)), (self.shift * self.grain,))
