"""Draws without replacement from two kinds of members, worst over which of them are known, and whether they were drawn.

T counts the ones among s draws from A ones and M - A zeros. Both A and s raise T (stochastically), and move each ratio
of masses one way. So over a box of (A, s) a divergence, which is the mean of a monotone function of T, is bounded by
taking the law at one corner and the ratio at the other; boxes are split until that meets the value at a member.
"""

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses
from dalenius.enclosure.outward import add_up, exponential, lowered, sum_up, times_down, times_up
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import hockey_stick
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.logconcave import hypergeometric

Box: TypeAlias = tuple[int, int, int, int]  # least and most ones, least and most draws
CLOSE = 1e-3  # relative gap at which the search stops
BUDGET = 4000  # boxes at most; the bracket is certified whenever that stops it
EARLIEST = 100  # boxes before the search stops because it is decided


class Corner(ABC):
    """Two worlds of A ones among M members left and s draws left, and how their ratio of masses moves."""

    @abstractmethod
    def laws(self, ones: int, draws: int, left: int) -> tuple[Law, Law]:
        """The two worlds."""

    @abstractmethod
    def bounds(self, box: Box, left: int, epsilon: Fraction) -> tuple[float, float]:
        """Upper bounds over the box: how far the first world exceeds the second, and the second the first."""

    def bound(self, box: Box, left: int, epsilon: Fraction) -> float:
        """An upper bound on both directions, over the box."""
        return max(self.bounds(box, left, epsilon))


@final
@dataclass(frozen=True, slots=True)
class MovedCorner(Corner):
    """The total against itself moved by `steps`, for a target who was drawn and whose value is secret."""

    steps: int

    def laws(self, ones: int, draws: int, left: int) -> tuple[Law, Law]:
        law = hypergeometric(ones, left - ones, draws)
        return law, law.shifted(self.steps)

    def _ratio(self, t: Floats, ones: int, draws: int, left: int) -> Floats:
        """P(t) / P(t - steps): infinite where only the first is possible, 0 where only the second is; rises with A and
        s, falls with t.
        """
        whole = np.ones(len(t))
        for step in range(self.steps):
            at = t - step
            above = np.maximum(ones + 1 - at, 0.0) * np.maximum(draws + 1 - at, 0.0)
            below = np.maximum(at, 0.0) * np.maximum(left - ones - draws + at, 0.0)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                whole = whole * np.where(below > 0, above / below, np.inf)
        return np.where(np.isnan(whole), np.inf, whole)

    def bounds(self, box: Box, left: int, epsilon: Fraction) -> tuple[float, float]:
        least, most, few, many = box
        low, high = hypergeometric(least, left - least, few), hypergeometric(most, left - most, many)
        forth = self._ratio(np.arange(low.start, low.stop, dtype=float), most, many, left)
        back = self._ratio(np.arange(high.start, high.stop, dtype=float) + self.steps, least, few, left)
        roundings = 4 * self.steps + 1  # three products and a quotient a step, and an inverse
        return _mean(low, lowered(_inverse(forth), roundings), epsilon), _mean(high, lowered(back, roundings), epsilon)


@final
@dataclass(frozen=True, slots=True)
class Present(Corner):
    """1 + T of s - 1 draws against T of s draws: a target who is a one, and is drawn or not."""

    def laws(self, ones: int, draws: int, left: int) -> tuple[Law, Law]:
        zeros = left - ones
        return hypergeometric(ones, zeros, draws - 1).shifted(1), hypergeometric(ones, zeros, draws)

    def _ratio(self, t: Floats, ones: int, draws: int, left: int) -> Floats:
        """Present by absent: t (M - s + 1) / (s (A - t + 1)); falls with A and s, rises with t."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.where(t <= ones, t * (left - draws + 1) / (draws * np.maximum(ones + 1 - t, 0.5)), np.inf)

    def bounds(self, box: Box, left: int, epsilon: Fraction) -> tuple[float, float]:
        least, most, few, many = box
        present, absent = self.laws(most, many, left)[0], self.laws(least, few, left)[1]
        forth = self._ratio(np.arange(present.start, present.stop, dtype=float), least, few, left)
        back = self._ratio(np.arange(absent.start, absent.stop, dtype=float), most, many, left)
        return _mean(present, lowered(_inverse(forth), 4), epsilon), _mean(absent, lowered(back, 4), epsilon)


def _inverse(ratio: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(1 / ratio)


def _mean(law: Law, other: Floats, epsilon: Fraction) -> float:
    """An upper bound on E (1 - e^ε other)+, `other` being at most the mass of the other world relative to this
    one's.
    """
    with np.errstate(over="ignore"):
        share = np.maximum(0.0, add_up(np.ones(len(other)), -times_down(other, exponential(epsilon)[0])))
    terms = times_up(largest_masses(law.mass, law.error), np.minimum(share, 1.0))
    return min(1.0, add_up(float(sum_up(terms)), law.tail))


@final
@dataclass(frozen=True, slots=True, eq=False)
class TwoKinds(Curve):
    """The worst of all worlds with `left` members left, with ones and draws from a box. Cost: a law for each box."""

    corner: Corner
    box: Box
    left: int
    enough: Fraction | None = None

    def delta(self, epsilon: Fraction) -> Bracket:
        corners = itertools.product(set(self.box[:2]), set(self.box[2:]))
        lower = max(self._at(ones, draws, epsilon).lower for ones, draws in corners)
        enough = None if self.enough is None else float(self.enough)

        def look(box: Box) -> Region[float, None]:
            if box[0] == box[1] and box[2] == box[3]:
                found = self._at(box[0], box[2], epsilon)
                return Region(found.upper, (found.lower, None))
            return Region(self.corner.bound(box, self.left, epsilon), split=lambda _: map(look, self._halves(box)))

        def stop(found: Largest[float, None]) -> bool:
            if enough is not None and found.looks >= EARLIEST and (found.lower > enough or found.upper <= enough):
                return True
            return found.looks >= BUDGET or found.settled or found.open <= found.lower * (1 + CLOSE)

        whole: Region[float, None] = Region(1.0, split=lambda _: map(look, self._halves(self.box)))
        found = largest((lower, None), [whole], stop=stop)
        return Bracket(found.lower, found.upper)

    def _at(self, ones: int, draws: int, epsilon: Fraction) -> Bracket:
        first, second = self.corner.laws(ones, draws, self.left)
        return hockey_stick(first, second, epsilon=epsilon).join(hockey_stick(second, first, epsilon=epsilon))

    def _halves(self, box: Box) -> list[Box]:
        """Cut the side that moves the mean of T most."""
        least, most, few, many = box
        if least == most and few == many:
            return [box]
        if few == many or (least < most and (most - least) * (few + many) >= (many - few) * (least + most)):
            middle = (least + most) // 2
            return [(least, middle, few, many), (middle + 1, most, few, many)]
        middle = (few + many) // 2
        return [(least, most, few, middle), (least, most, middle + 1, many)]
