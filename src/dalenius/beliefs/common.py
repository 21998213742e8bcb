"""Draws from a law that every record contains: how many there are, and what they add up to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.answers import Adds
from dalenius.beliefs.crowd import SpanLaw, YesNo, crowd_of, law_of_rates
from dalenius.beliefs.worst import AsItIs, Push, curve_of
from dalenius.enclosure.outward import float_down
from dalenius.facts.secret import Pair
from dalenius.numerics.convolve import convolve
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.law import Law, point
from dalenius.numerics.mixing import Ahead

Weights: TypeAlias = Counter[Fraction]  # weights, with how many records have them

PLACED = 2_000_000  # period times points up to which rounding is judged at every place, not as the exact figure
STRIDE = 64  # draws
PRODUCTS = 10_000_000  # of a direct convolution that is quicker than the law itself


def left_over(weights: Weights, removed: int) -> Weights:
    """The weights without the `removed` largest."""
    left = Weights(weights)
    for weight in sorted(weights, reverse=True):
        taken = min(removed, left[weight])
        left[weight] -= taken
        removed -= taken
    return +left


def number_of(weights: Weights) -> Law:
    """The law of the number of records that are drawn from the common part; rates are rounded down."""
    rates = sorted((weight, count) for weight, count in weights.items() if weight > 0)
    sure = sum(count for weight, count in rates if weight == 1)
    coins = [(float_down(weight), count) for weight, count in rates if weight < 1]
    coins = [(rate, count) for rate, count in coins if rate > 0]
    if not coins:
        return point(sure)
    rate, number = (np.array(column) for column in zip(*coins, strict=True))
    return law_of_rates(rate.astype(float), number.astype(np.int64)).shifted(sure)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Sums of independent draws from one law; the laws of sums are remembered."""

    law: Adds
    _sums: dict[int, tuple[SpanLaw, bool]] = field(default_factory=dict, repr=False)

    _pushed: dict[int, Law] = field(default_factory=dict, repr=False)

    def sum(self, number: int) -> tuple[SpanLaw, bool]:
        """The law of the sum of `number` draws, and whether it is log-concave.

        Most are a sum of a multiple of `STRIDE` draws and a few more, convolved directly, where that is quicker.
        """
        if number not in self._sums:
            self._sums[number] = self._extended(number) or sum_law([(self.law, number)])
        return self._sums[number]

    def _extended(self, number: int) -> tuple[SpanLaw, bool] | None:
        if number <= STRIDE or number % STRIDE == 0:
            return None
        (many, concave), (few, _) = self.sum(number - number % STRIDE), self.sum(number % STRIDE)
        if len(many.law.mass) * len(few.law.mass) > PRODUCTS:
            return None
        return SpanLaw(convolve(many.law, few.law), many.offset + few.offset, many.span), concave

    def ahead(self, move: int, channel: Push, number: int) -> Curve:
        """The sum of `number` draws against its shift, in this direction, without rounding; one channel only."""
        left, _ = self.sum(number)
        if channel.exact:
            return Ahead(left.law, move // left.span) if left.span and move % left.span == 0 else Constant(1.0)
        if number not in self._pushed:
            self._pushed[number] = channel.push(left.spread_out())
        return Ahead(self._pushed[number], move)

    def curve(self, pairs: Sequence[Pair], channel: Push, number: int) -> Curve:
        """The curve of the sum of `number` draws, wherever it begins."""
        left, concave = self.sum(number)
        if channel.period and channel.period * len(left.law.mass) * max(left.span, 1) > PLACED:
            channel = AsItIs()  # what follows the exact figure is post-processing
        offsets = range(channel.period) if channel.period else (0,)
        return curve_of(left, pairs, channel, log_concave=concave, offsets=offsets)


def sum_law(groups: Sequence[tuple[Adds, int]]) -> tuple[SpanLaw, bool]:
    """The law of a sum of independent draws, and whether it is log-concave on its lattice."""
    if not sum(count for _, count in groups):
        return SpanLaw(point(0), 0, 0), True
    crowd = crowd_of([law for law, _ in groups], [count for _, count in groups])
    if isinstance(crowd, YesNo):
        return crowd.law((0, 0)), True
    return crowd.law((0,) * len(groups)), False
