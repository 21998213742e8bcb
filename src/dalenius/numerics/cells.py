"""What a published function of counts gives away about one person, worst over the means of the counts.

A rule publishes, of each count, a label; labels are intervals of counts. The person is in the cell or not: with B
others there the label is that of B + 1 or of B. If the person must be in one of two cells, B and B' are independent,
and the labels of (B + 1, B') are compared with those of (B, B' + 1).

Let f(t) = Σ (P_t - e^ε Q_t)₊ over labels. For all means between two (or in a rectangle) there are two upper bounds;
both err to second order in the distance, and only labels count that can have P_t > e^ε Q_t at all.

*Chords.* P_t and Q_t are within known bends E of the chords of the corners, and Σ (.)₊ is convex:
    f ≤ max f_j + Σ (E_P + e^ε E_Q).

*Geometric means.* With weights w_j of the corners that add up to 1, P_t ≤ K Π P_j^w_j and Q_t ≥ H Π Q_j^w_j. For
any F_j > 0 the mean of arithmetic kind is above, Π P_j^w_j ≤ Π F_j^w_j Σ w_j P_j/F_j, and below that by at most
(y² / 8) max Q_j/F_j, where y is the range of log Q_j/F_j. With F_j ≥ f_j this is
    f ≤ max F_j (1 + Σ (K - 1) max P_j/F_j + e^ε (1 - H + y²/8) max Q_j/F_j).
Where f changes by a factor between the corners, the laws of what counts change by about that factor, and y is small.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import sticks_above, sticks_below
from dalenius.enclosure.outward import (
    add_up,
    amply_up,
    difference_down,
    exponential,
    times_outer_down,
    times_outer_up,
    times_up,
)
from dalenius.numerics.families import Mean
from dalenius.numerics.labels import NOTHING, LabelCell, Labels
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.law import Floats
from dalenius.numerics.spans import Span

NEGLIGIBLE = 1e-250
CLOSE = 1e-6  # relative gap at which the search stops
ROUGH = 0.5  # the gap of the first pass
FLOOR = 1e-3  # ends of laws of this share of the gap are left out in the second
BUDGET = 20_000  # boxes looked at, at most; the bracket is certified whenever that stops it
STEEP, FEWER = 5, 200  # an epsilon above which boxes are long to look at and hardly differ, and how many are then


@final
@dataclass(frozen=True, slots=True)
class FoundCell:
    """The worst delta, and where its lower bound is attained: the means of the cells, and in which direction."""

    delta: Bracket
    at: tuple[Mean, ...]
    forward: bool  # True: it shows that the person is in the (first) cell; False: that they are not


@final
@dataclass(frozen=True, slots=True)
class _Box:
    spans: tuple[Span, ...]
    forward: bool


_Corner: TypeAlias = tuple[tuple[Mean, ...], bool]  # means of the cells, and in which direction
_Region: TypeAlias = Region[float, _Corner]


@final
@dataclass(frozen=True, slots=True, eq=False)
class WorstMeans:
    """The worst over the means of one cell, or of two cells of which the person is in one.

    `alike`: the two cells may change places, so that one direction is enough.
    """

    cells: tuple[LabelCell, ...]
    alike: bool = False

    def find(self, epsilon: Fraction, *, close: float = CLOSE, enough: Fraction | None = None) -> FoundCell:
        """Branch and bound over boxes of means, the worst first, until the gap is at most `close` of the whole, or
        until `enough` is certainly kept or certainly exceeded.

        A first pass with a wide gap tells how small the answer is; the second one leaves out the ends of laws that are
        far smaller still.
        """
        floor = 0.0
        if len(self.cells) > 1:
            floor = FLOOR * WorstMeans(self.cells[:1]).find(epsilon, close=ROUGH, enough=enough).delta.lower
        rough = self._search(epsilon, ROUGH, enough, floor)
        if _done(rough.delta.upper, rough.delta.lower, close, enough):
            return rough
        found = self._search(epsilon, close, enough, rough.delta.lower * close * FLOOR)
        return FoundCell(Bracket(found.delta.lower, min(found.delta.upper, rough.delta.upper)), found.at, found.forward)

    def _search(self, epsilon: Fraction, close: float, enough: Fraction | None, floor: float) -> FoundCell:
        def look(box: _Box) -> _Region:
            upper, attained = self._look(box, epsilon, floor)
            return Region(upper, attained, lambda _: map(look, self._cut(box, epsilon, floor)))

        budget = BUDGET if epsilon <= STEEP else FEWER

        def stop(found: Largest[float, _Corner]) -> bool:
            return found.splits + 1 >= budget or _done(found.open, found.lower, close, enough)

        nowhere = (0, 0)[: len(self.cells)], True
        found = largest((0.0, nowhere), map(look, self._whole()), stop=stop)
        return FoundCell(Bracket(found.lower, min(1.0, found.upper)), *found.at)

    def _whole(self) -> Iterator[_Box]:
        for forward in (True,) if self.alike else (True, False):
            for spans in itertools.product(*(cell.means.whole() for cell in self.cells)):
                yield _Box(spans, forward)

    def _look(self, box: _Box, epsilon: Fraction, floor: float) -> tuple[float, tuple[float, _Corner]]:
        """An upper bound for the box, and what the worst of its corners attains.

        In place of a span an exact count at its low end may stand too, since counts above are that count and more.
        """
        sides = [cell.labels(span, floor) for cell, span in zip(self.cells, box.spans, strict=True)]
        compared = _Comparison.of(sides, epsilon, forward=box.forward)
        upper, (corner, lower) = compared.upper(), compared.worst_corner()
        ends = [cell.means.ends(span) for cell, span in zip(self.cells, box.spans, strict=True)]
        exact = [cell.at_least(span, floor) for cell, span in zip(self.cells, box.spans, strict=True)]
        for mixed in list(itertools.product(*zip(sides, exact, strict=True)))[1:]:
            upper = min(upper, _Comparison.of(list(mixed), epsilon, forward=box.forward).upper())
        if any(high is None for _, high in ends):
            lower = 0.0  # that of an exact count, which is not published
        at = tuple(pair[which] or 0 for pair, which in zip(ends, corner, strict=False))
        return upper, (lower, (at, box.forward))

    def _cut(self, box: _Box, epsilon: Fraction, floor: float) -> list[_Box]:
        """Cut the side that costs most: without which, at a single mean of its span, the bound is least."""
        places = [place for place, cell in enumerate(self.cells) if cell.means.cut(box.spans[place])]
        if not places:
            return []
        place = min(places, key=lambda at: self._without(box, at, epsilon, floor)) if len(places) > 1 else places[0]
        parts = self.cells[place].means.cut(box.spans[place])
        return [_Box((*box.spans[:place], part, *box.spans[place + 1 :]), box.forward) for part in parts]

    def _without(self, box: _Box, place: int, epsilon: Fraction, floor: float) -> float:
        sides = [cell.labels(span, floor) for cell, span in zip(self.cells, box.spans, strict=True)]
        cell, span = self.cells[place], box.spans[place]
        part = cell.means.cut(span)[-1]
        sides[place] = cell.labels(Span(part.low, None if span.high is None else part.low), floor)
        return _Comparison.of(sides, epsilon, forward=box.forward).upper()


def _done(upper: float, lower: float, close: float, enough: Fraction | None) -> bool:
    if enough is not None and (upper <= enough or lower > enough):
        return True
    return upper <= max(NEGLIGIBLE, lower * (1 + close))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """Two worlds over a box of means: `p` is the world that may exceed e^ε times the other, in the first cell; in the
    second cell it is the other way round.
    """

    one: Labels
    two: Labels
    p: int
    factor: tuple[float, float]  # e^ε from below and above

    @classmethod
    def of(cls, sides: list[Labels], epsilon: Fraction, *, forward: bool) -> "_Comparison":
        return cls(sides[0], sides[1] if len(sides) > 1 else NOTHING, 0 if forward else 1, exponential(epsilon))

    def corners(self) -> list[tuple[int, int]]:
        return list(itertools.product(range(len(self.one.low)), range(len(self.two.low))))

    def worst_corner(self) -> tuple[tuple[int, int], float]:
        """The corner with the largest lower bound, and that bound."""
        lower, corner = max((self._lower(a, b), (a, b)) for a, b in self.corners())
        return corner, lower

    def upper(self) -> float:
        """An upper bound for the whole box."""
        p, q, least = self.p, 1 - self.p, self.factor[0]
        high = np.multiply.outer(self.one.most[p], self.two.most[q])
        with np.errstate(invalid="ignore"):
            apart = amply_up(np.multiply.outer(self.one.ratio(p), self.two.ratio(q)))
        chosen = (high > least * np.multiply.outer(self.one.least[q], self.two.least[p])) & ~(apart <= least)
        corners = self.corners()
        ahead = np.array([times_outer_up(self.one.high[a, p], self.two.high[b, q])[chosen] for a, b in corners])
        behind = np.array([times_outer_down(self.one.low[a, q], self.two.low[b, p])[chosen] for a, b in corners])
        values = sticks_above(ahead, behind, least)
        upper = float(values.max())
        if len(corners) > 1:
            upper = min(upper + self._bends(chosen), self._geometric(chosen, high[chosen], ahead, behind, values))
        return min(1.0, add_up(upper, add_up(self.one.tail, self.two.tail)))

    def _lower(self, a: int, b: int) -> float:
        p, q, most = self.p, 1 - self.p, self.factor[1]
        ahead = times_outer_down(self.one.low[a, p], self.two.low[b, q])
        behind = times_outer_up(self.one.high[a, q], self.two.high[b, p])
        tails = add_up(self.one.tail, self.two.tail)  # labels at the edge of a window may have more outside of it
        return min(
            1.0, difference_down(float(sticks_below(ahead.ravel(), behind.ravel(), most)), times_up(most, tails))
        )

    def _bends(self, chosen: NDArray[np.bool_]) -> float:
        """|ab - a'b'| ≤ |a - a'| b + a' |b - b'|, summed over the labels that count."""
        found = 0.0
        for p, factor in ((self.p, 1.0), (1 - self.p, self.factor[0])):
            bent = self.one.bend[p] @ chosen @ self.two.most[1 - p] + self.one.most[p] @ chosen @ self.two.bend[1 - p]
            found += factor * float(bent)
        return amply_up(found)

    def _geometric(
        self, chosen: NDArray[np.bool_], high: Floats, ahead: Floats, behind: Floats, values: Floats
    ) -> float:
        p, q = self.p, 1 - self.p
        scale = np.maximum(values, max(1e-6 * float(values.max()), 1e-300))[:, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            swell = np.expm1(np.add.outer(self.one.swell[p], self.two.swell[q])[chosen])
            span = _range_of_logs(behind, scale)
            shrink = -np.expm1(-np.add.outer(self._lag(self.one, q), self._lag(self.two, p))[chosen])
            most = (ahead / scale).max(axis=0)
            near = swell * most + self.factor[0] * (shrink + span * span / 8) * (behind / scale).max(axis=0)
            far = (1 + swell) * most  # as if Q were 0
        extra = np.fmin(np.fmin(near, far), high / float(scale.min()))
        return amply_up(float(scale.max()) * (1 + float(extra.sum())))

    @staticmethod
    def _lag(labels: Labels, world: int) -> Floats:
        """The log of what the lag costs, at most: nothing where the probability falls."""
        with np.errstate(divide="ignore", invalid="ignore"):
            first, last = Balls.of(labels.low[0, world]).log(), Balls.of(labels.low[-1, world]).log()
            rise = np.where(labels.low[-1, world] > 0, (last - first).upper, -np.inf)
        return (
            np.where(rise > 0, labels.lag * np.where(rise > 0, rise, 0.0), 0.0) if labels.lag else np.zeros(len(rise))
        )


def _range_of_logs(values: Floats, scale: Floats) -> Floats:
    """The range of log(value / scale) over the corners, for each label: from above. No number if a value is 0."""
    logs = Balls.of(values).log() - Balls.of(scale).log()
    return np.asarray(add_up(logs.upper.max(axis=0), -logs.lower.min(axis=0)))
