"""Probabilities of what is published of a cell, at one mean or over a span of means, with the person and without."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.outward import lowered, raised, total_up
from dalenius.numerics.convolve import trimmed
from dalenius.numerics.families import Mean, MeansFamily
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.spans import Means, Span

Counts: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = Callable[[Counts], Counts]  # whole numbers that rise by 0 or 1 from count to count


def as_it_is(counts: Counts) -> Counts:
    """Each count is its own label."""
    return counts


@final
@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Bounds on the probabilities of labels. World 0 is with the person, world 1 without."""

    low: Floats  # [end of the span, world, label]
    high: Floats
    bend: Floats  # [world, label]: how far the law may be from the chord of the ends
    swell: Floats  # [world, label]: log of how far it may be above their geometric mean
    lag: float
    tail: float  # what lies outside of the window, at most

    @property
    def most(self) -> Floats:
        return np.asarray(self.high.max(axis=0) + self.bend)

    @property
    def least(self) -> Floats:
        return np.asarray(np.maximum(self.low.min(axis=0) - self.bend, 0.0))

    def ratio(self, world: int) -> Floats:
        """The largest quotient of the probability of each label in this world and in the other.

        P_t(B + 1 in L) / P_t(B in L) falls with t for every interval L: P_t(c) is totally positive of order 2 in
        (t, c), so is the indicator of c + s in L in (c, -s), and so is their composition. So one end of the span tells.
        """
        end = 0 if world == 0 else -1
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.high[end, world] + self.tail) / self.low[end, 1 - world]
        return np.where(self.low[end, 1 - world] > 0, found, np.inf)


NOTHING = Labels(np.ones((1, 2, 1)), np.ones((1, 2, 1)), np.zeros((2, 1)), np.zeros((2, 1)), 0.0, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelCell:
    """One cell: how its others are distributed, over which means, and what is published of it."""

    family: MeansFamily
    means: Means
    codes: Codes
    _laws: dict[tuple[Mean, float], Law] = field(default_factory=dict, repr=False)
    _labels: dict[tuple[Span, float], Labels] = field(default_factory=dict, repr=False)
    _exacts: dict[tuple[Span, float], Labels] = field(default_factory=dict, repr=False)

    def labels(self, span: Span, floor: float) -> Labels:
        """Bounds for all means of the span. Ends of laws of a mass of at most `floor` are left to the tail.

        Above a mean without limit it is enough to know the exact count there: a larger count is that count plus an
        independent one, and a label is a function of it.
        """
        if (span, floor) not in self._labels:
            self._labels[span, floor] = self._fresh(span, floor)
        return self._labels[span, floor]

    def at_least(self, span: Span, floor: float) -> Labels:
        """The exact count at the low end of the span."""
        low, _ = self.means.ends(span)
        return self._exact(low, floor)

    def point(self, mean: Mean) -> Labels:
        """The labels at one mean."""
        return self._gathered((self._law(mean, 0.0),), self.codes, None)

    def counts_at(self, mean: Mean) -> Counts:
        """The counts in the window of the law at one mean."""
        law = self._law(mean, 0.0)
        return np.arange(law.start, law.stop)

    def _exact(self, low: Mean, floor: float) -> Labels:
        key = (Span(low, None), floor)
        if key not in self._exacts:
            self._exacts[key] = self._gathered((self._law(low, floor),), as_it_is, None)
        return self._exacts[key]

    def _fresh(self, span: Span, floor: float) -> Labels:
        low, high = self.means.ends(span)
        if high is None:
            return self._exact(low, floor)
        if low == high:
            return self._gathered((self._law(low, floor),), self.codes, None)
        laws = self._law(low, floor), self._law(high, floor)
        return self._gathered(laws, self.codes, (low, high) if self.means.between(span) else None)

    def _law(self, at: Mean, floor: float) -> Law:
        found = self._laws.get((at, floor))
        if found is None:
            found = self.family.law(at)
            found = self._laws[at, floor] = trimmed(found, floor) if floor else found
        return found

    def _gathered(self, laws: tuple[Law, ...], codes: Codes, ends: tuple[Mean, Mean] | None) -> Labels:
        start, stop = min(law.start for law in laws), max(law.stop for law in laws)
        counts = np.arange(start, stop)
        places = np.array([codes(counts + 1), codes(counts)])
        places -= places.min()
        masses = [_bounds(law, start, stop) for law in laws]
        bend = swell = np.zeros(len(counts))
        lag = 0.0
        if ends:
            floats = counts.astype(float)
            most = self.family.largest(floats, ends, (masses[0][1], masses[1][1]))
            bend, swell, lag = (
                self.family.bend(floats, ends, most),
                self.family.swell(floats, ends),
                self.family.lag(ends),
            )
        size = int(places.max()) + 1
        return Labels(
            lowered(np.array([[_summed(row, size, low) for row in places] for low, _ in masses]), len(counts)),
            raised(np.array([[_summed(row, size, high) for row in places] for _, high in masses]), len(counts)),
            raised(np.array([_summed(row, size, bend) for row in places]), len(counts)),
            np.array([_largest(row, size, swell) for row in places]),
            lag,
            total_up(law.tail for law in laws),
        )


def _bounds(law: Law, start: int, stop: int) -> tuple[Floats, Floats]:
    """From below and from above, but for a unit that sums charge; outside of the law's window its tail speaks."""
    mass, error = law.window(start, stop)
    error[: law.start - start] += law.tail
    error[law.stop - start :] += law.tail
    return np.maximum(mass - error, 0.0), mass + error


def _summed(places: Counts, size: int, masses: Floats) -> Floats:
    return np.bincount(places, weights=masses, minlength=size).astype(float)


def _largest(places: Counts, size: int, values: Floats) -> Floats:
    found = np.zeros(size)
    np.maximum.at(found, places, values)
    return found
