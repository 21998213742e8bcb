"""The other people among whom one person hides: everybody's contribution to one figure, by type of record."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls, joined
from dalenius.enclosure.outward import ABOVE_ZERO, BELOW_ONE
from dalenius.numerics.convolve import convolve, power
from dalenius.numerics.law import Floats, Law, point
from dalenius.numerics.logconcave import coins
from dalenius.numerics.search import Boxes, Family, Removal, Settled, Windows

if TYPE_CHECKING:
    from dalenius.numerics.leaveoneout import LeaveOneOut
    from dalenius.numerics.overlap import Table

DIGITS = Context(prec=40)  # more than 1 less a float above 3/4, as it is written, has
LARGEST_VALUE = 2**62  # units that one record may add, where it may add more than two numbers
SMALL = 1500  # support up to which laws are convolved directly
SHORTEST, LONGEST = 4, 256  # neighbouring runs that are judged at once
LOOSEST = 1e-4  # relative width at which a series does not settle anything
MISSED = 1e-60  # probability of fewer coins than counted on (Hoeffding)
WIDEST = 4_000_000  # points of a law with its gaps
KEPT = 64  # laws remembered
FEW = 64  # rates that are looked at one by one
WINDOW, HEAVY = 33, 400_000  # standard deviations of a law's window; points from which on it takes long


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpanLaw:
    """The law of offset + span · K; span 0 says that the sum is constant."""

    law: Law
    offset: int
    span: int

    def spread_out(self) -> Law:
        """The same law on the integers, with the gaps as zeros."""
        if self.span <= 1:
            return self.law.shifted(self.offset)
        size = (len(self.law.mass) - 1) * self.span + 1
        if size > WIDEST:
            raise InputError(
                f"The law of this figure needs {size} points, more than {WIDEST}. "
                "Declare a coarser unit, or tighter bounds."
            )
        mass, error = np.zeros(size), np.zeros(size)
        mass[:: self.span], error[:: self.span] = self.law.mass, self.law.error
        return Law(self.offset + self.law.start * self.span, mass, error, self.law.tail)


class Crowd(ABC):
    """Independent records, each with a law of what it adds to a figure."""

    size: int
    counts: NDArray[np.int64]  # of each type

    @abstractmethod
    def family(self, removed: int) -> Family | None:
        """A family that holds a worst way to take out `removed` records, or None if there are too many to search."""

    @abstractmethod
    def law(self, removal: Removal) -> SpanLaw:
        """The law of what is left."""

    @abstractmethod
    def samples(self, removed: int) -> tuple[Removal, ...]:
        """Some ways to take out `removed` records that are likely to be bad."""

    @abstractmethod
    def overlaps(self, step: int) -> tuple[Floats, NDArray[np.int64]]:
        """For each type, a weight with which a record is V + step · Bernoulli(1/2), V independent; and the counts."""

    @abstractmethod
    def overlap_table(self, moves: tuple[int, ...]) -> "Table | None":
        """The weights of coins for every move; None where it would take long."""

    @property
    @abstractmethod
    def heavy(self) -> bool:
        """Whether the law of what they add up to is so long that a quick bound is worth a try."""

    @property
    @abstractmethod
    def support(self) -> frozenset[int]:
        """The contributions that the belief gives mass to."""

    @property
    @abstractmethod
    def same_support(self) -> bool:
        """Whether every record may have every contribution of the support."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class YesNo(Crowd):
    """Records that add `low` or `high`, the latter with a rate; rates ascend, with a count each.

    The law of what is left is log-concave on its lattice, so only threshold events matter, and the worst set to take
    out is a run of consecutive rates.
    """

    low: int
    high: int
    rates: Floats
    counts: NDArray[np.int64]
    _laws: dict[Removal, SpanLaw] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:  # type: ignore[override]  # a property where the class says attribute
        return int(self.counts.sum())

    @property
    def support(self) -> frozenset[int]:
        ends = {self.low} if self.rates[0] < 1 else set()
        return frozenset(ends | ({self.high} if self.rates[-1] > 0 else set()))

    @property
    def same_support(self) -> bool:
        return len(self.support) == 1 or bool(self.rates[0] > 0 and self.rates[-1] < 1)

    def family(self, removed: int) -> Family | None:
        if len(self.counts) == 1:
            return Windows(removed, 0, 0)
        bounds = tuple(np.cumsum(self.counts).tolist()) if len(self.counts) <= 64 else ()
        return Windows(removed, 0, self.size - removed, bounds)

    def samples(self, removed: int) -> tuple[Removal, ...]:
        last = self.size - removed
        return tuple(sorted({(first, first + removed) for first in (0, last // 4, last // 2, 3 * last // 4, last)}))

    def law(self, removal: Removal) -> SpanLaw:
        if removal not in self._laws:
            if len(self._laws) >= KEPT:
                self._laws.clear()
            self._laws[removal] = self._without(*removal)
        return self._laws[removal]

    def _without(self, start: int, stop: int) -> SpanLaw:
        counts = self.counts - self._taken(start, stop)
        left, fixed = int(counts.sum()), int(counts[self.rates == 1].sum())
        random = (counts > 0) & (self.rates > 0) & (self.rates < 1)
        span = self.high - self.low
        offset = self.low * left + span * fixed
        if not random.any():
            return SpanLaw(point(0), offset, 0)
        return SpanLaw(law_of_rates(self.rates[random], counts[random]), offset, span)

    def _taken(self, start: int, stop: int) -> NDArray[np.int64]:
        """How many records of each rate a run holds."""
        ends = np.cumsum(self.counts)
        return np.asarray(np.clip(stop, ends - self.counts, ends) - np.clip(start, ends - self.counts, ends))

    def _trade(self, windows: Windows) -> tuple[int, int] | None:
        """The two rates between which the runs of a range trade, as places; None if they touch more than two."""
        ends, last = np.cumsum(self.counts), windows.last - windows.first - 1
        starts = (windows.first, windows.first + windows.size)
        one, other = ({int(np.searchsorted(ends, at + move, side="right")) for move in (0, last)} for at in starts)
        return (min(one), min(other)) if last >= 0 and len(one) == len(other) == 1 and one != other else None

    def traded(self, windows: Windows, epsilon: Fraction) -> Settled | None:
        """Delta of the worst run among neighbours that trade records of one rate for records of another, by one series.

        None where the runs touch more than two rates, or where there are too many (or too few) of them for that.
        """
        trade, length = self._trade(windows), windows.last - windows.first
        if trade is None or not SHORTEST <= length <= LONGEST or length % 2:
            return None
        from dalenius.numerics.trade import rates_of, traded

        start = windows.first + length // 2
        left = self.counts - self._taken(start, start + windows.size)
        middle = rates_of(self.rates[left > 0], left[left > 0])
        first, second = float(self.rates[trade[0]]), float(self.rates[trade[1]])
        if length * abs(second - first) > math.sqrt(middle.variance) or length > middle.variance:
            return None  # the laws are too far apart for one series
        bracket, cut = traded(middle, first, second, length).worst(epsilon)
        at = windows.first + round((cut.x + 1) / 2 * length)
        return (bracket, (at, at + windows.size)) if bracket.width <= LOOSEST * bracket.lower else None

    def shared(self, windows: Windows) -> tuple[SpanLaw, float] | None:
        """A law that every run of a range leaves at least, and the probability with which it may be too large.

        Each of the L records that runs trade has one of two rates p < q. Both contain, with weight 1 - (q - p), one
        common coin, so at least m of the L are that coin, but for a Chernoff bound. Revealing the rest helps nobody.
        """
        trade, length = self._trade(windows), windows.last - windows.first
        if trade is None or length < SHORTEST:
            return None
        p, q = sorted((float(self.rates[trade[0]]), float(self.rates[trade[1]])))
        coin = p / (1 - (q - p)) if q - p < 1 else 0.0
        if not 0 < coin < 1:
            return None
        rest = float((1 - Balls.rounded(q, 2)).positive)  # of rates near 1 the floats do not know more
        weight = min(p / coin, q / coin, rest / (1 - coin))
        # one fewer: of fewer than 1e13 records all this rounding is less than one
        sure = math.floor(weight * length - math.sqrt(-math.log(MISSED) * length / 2)) - 1
        if sure <= 0:
            return None
        left = self.counts - self._taken(windows.first, windows.last + windows.size)
        rates, counts = np.append(self.rates, coin), np.append(left, sure)
        random = (counts > 0) & (rates > 0) & (rates < 1)
        return SpanLaw(law_of_rates(rates[random], counts[random]), 0, self.high - self.low), MISSED

    def overlaps(self, step: int) -> tuple[Floats, NDArray[np.int64]]:
        if step != self.high - self.low:
            return np.zeros(len(self.rates)), self.counts
        rates = Balls.rounded(self.rates, 2)
        return (2 * rates.at_most(1 - rates)).positive, self.counts

    def overlap_table(self, moves: tuple[int, ...]) -> "Table | None":
        from dalenius.numerics.overlap import table_of

        few = len(self.rates) <= FEW and len(moves) <= FEW
        return table_of(lambda step: self.overlaps(step)[0], moves, len(self.rates)) if few else None

    @property
    def heavy(self) -> bool:
        return False

    def everybody(self) -> "tuple[LeaveOneOut, ...]":
        """The law of the others for every person at once; for crowds of many different rates."""
        from dalenius.numerics.leaveoneout import leave_one_out
        from dalenius.numerics.yesno import rate_sum

        everyone = np.repeat(self.rates, self.counts) if self.counts.max() > 1 else self.rates
        return leave_one_out(self.rates, rate_sum(everyone))


def law_of_rates(rates: Floats, counts: NDArray[np.int64]) -> Law:
    """The law of the number of ones, among counts[t] yes/no records of each rate.

    Small supports whole, by direct convolution; one rate by the ratios of neighbouring masses (both: relative errors to
    the last digits); few rates by their characteristic functions, many rates by Chebyshev moments.
    """
    from dalenius.numerics.charfun import ladder

    total = int(counts.sum())
    if total == 0:
        return point(0)
    if total <= SMALL:
        return _direct([_yes_no(rate) for rate in rates.tolist()], counts)
    alike = coins(total, float(rates[0])) if len(rates) == 1 else None
    if alike is not None:
        return alike
    from dalenius.numerics.cumulant import TypeSum
    from dalenius.numerics.yesno import rate_sum

    if len(rates) <= 64:
        return ladder(TypeSum.of(np.arange(2), np.column_stack([1 - rates, rates]), counts, roundings=2)).law()
    return ladder(rate_sum(np.repeat(rates, counts) if counts.max() > 1 else rates)).law()


def _yes_no(rate: float) -> Law:
    known = Balls.rounded(np.array([rate]), 2)
    return Law.enclosing(0, joined([1 - known, known]))


def _direct(laws: list[Law], counts: NDArray[np.int64]) -> Law:
    """A tree of convolutions, so that the parts stay balanced."""
    parts = [power(law, count) for law, count in zip(laws, counts.tolist(), strict=True) if count]
    while len(parts) > 1:
        parts = [convolve(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0] if parts else point(0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Types(Crowd):
    """Records that add one of `values` (ascending), with the chances of their type; one row a type, one count a
    type.
    """

    values: NDArray[np.int64]
    chances: Floats
    counts: NDArray[np.int64]
    _laws: dict[Removal, SpanLaw] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:  # type: ignore[override]  # a property where the class says attribute
        return int(self.counts.sum())

    @property
    def support(self) -> frozenset[int]:
        return frozenset(self.values[(self.chances > 0).any(axis=0)].tolist())

    @property
    def same_support(self) -> bool:
        return bool(((self.chances > 0).all(axis=0) | ~(self.chances > 0).any(axis=0)).all())

    def family(self, removed: int) -> Family | None:
        if len(self.counts) > (64 if removed == 1 else 8):
            return None
        least = np.maximum(removed - (self.size - self.counts), 0)
        return Boxes(removed, tuple(least.tolist()), tuple(np.minimum(self.counts, removed).tolist()))

    def samples(self, removed: int) -> tuple[Removal, ...]:
        spread = self.chances @ self.values.astype(float) ** 2 - (self.chances @ self.values) ** 2
        orders = [np.argsort(-spread), np.argsort(-self.overlaps(1)[0]), np.arange(len(self.counts))]
        found = set()
        for order in orders:
            left, taken = removed, [0] * len(self.counts)
            for t in order.tolist():
                taken[t] = min(left, int(self.counts[t]))
                left -= taken[t]
            found.add(tuple(taken))
        return tuple(sorted(found))

    def law(self, removal: Removal) -> SpanLaw:
        if removal not in self._laws:
            if len(self._laws) >= KEPT:
                self._laws.clear()
            self._laws[removal] = self._without(np.array(removal, dtype=np.int64))
        return self._laws[removal]

    def _without(self, taken: NDArray[np.int64]) -> SpanLaw:
        """The lattice of what is left is found first: spans are divided out, so that points off the lattice have
        mass 0 exactly.
        """
        counts = self.counts - taken
        left = counts > 0
        positive = self.chances[left] > 0
        firsts = self.values[np.argmax(positive, axis=1)] if left.any() else np.zeros(0, dtype=np.int64)
        offset = sum(count * first for count, first in zip(counts[left].tolist(), firsts.tolist(), strict=True))
        moves = [self.values[row] - first for row, first in zip(positive, firsts, strict=True)]
        span = math.gcd(*(int(move) for row in moves for move in row)) if moves else 0
        if span == 0:
            return SpanLaw(point(0), offset, 0)
        steps = [move // span for move in moves]
        chances = [self.chances[left][t][positive[t]] for t in range(len(steps))]
        return SpanLaw(_law_of_types(steps, chances, counts[left]), offset, span)

    def overlaps(self, step: int) -> tuple[Floats, NDArray[np.int64]]:
        from dalenius.numerics.overlap import overlaps

        return overlaps(self.values, self.chances, step), self.counts

    def overlap_table(self, moves: tuple[int, ...]) -> "Table | None":
        from dalenius.numerics.overlap import overlap_table

        return overlap_table(self.values, self.chances, moves)

    @property
    def heavy(self) -> bool:
        means = self.chances @ self.values
        variances = np.maximum(self.chances @ self.values.astype(float) ** 2 - means**2, 0.0)
        return WINDOW * math.sqrt(float(self.counts @ variances)) > HEAVY


def _law_of_types(steps: list[NDArray[np.int64]], chances: list[Floats], counts: NDArray[np.int64]) -> Law:
    """Each type steps from 0 upwards with its chances; direct where the support is small, by characteristic function
    otherwise.
    """
    from dalenius.numerics.charfun import ladder

    reach = sum(int(count) * int(step[-1]) for count, step in zip(counts.tolist(), steps, strict=True))
    if reach <= SMALL:
        return _direct([_sparse(step, chance) for step, chance in zip(steps, chances, strict=True)], counts)
    from dalenius.numerics.cumulant import TypeSum

    values = np.unique(np.concatenate(steps))
    table = np.zeros((len(steps), len(values)))
    for row, (step, chance) in enumerate(zip(steps, chances, strict=True)):
        table[row, np.searchsorted(values, step)] = chance
    return ladder(TypeSum.of(values, table, counts)).law()


def _sparse(step: NDArray[np.int64], chance: Floats) -> Law:
    mass = np.zeros(int(step[-1]) + 1)
    mass[step] = chance
    return Law.enclosing(0, Balls.rounded(mass, 2))


def crowd_of(laws: Sequence[Mapping[int, Fraction]], counts: Sequence[int]) -> Crowd:
    """A crowd from each type's law of what a record adds. Two possible contributions make it a yes/no crowd."""
    values = sorted({value for law in laws for value, chance in law.items() if chance})
    if len(values) <= 2:
        low, high = values[0], values[-1] if len(values) == 2 else values[0] + 1
        rates = np.array([_float(law.get(high, Fraction(0))) for law in laws])
        return yes_no(low, high, rates, np.array(counts, dtype=np.int64))
    largest = max(abs(values[0]), abs(values[-1]))
    if largest >= LARGEST_VALUE:
        raise InputError(
            f"What a record adds must be below 2^62 units, but it may be 2^{largest.bit_length() - 1} or more. Declare "
            "a coarser unit."
        )
    table = np.array([[_float(law.get(value, Fraction(0))) for value in values] for law in laws])
    return Types(np.array(values, dtype=np.int64), table, np.array(counts, dtype=np.int64))


def _float(chance: Fraction) -> float:
    """The nearest float, but neither 0 nor 1 for a chance that is neither: certainty is not a matter of rounding."""
    near = float(chance)
    if near == 0 < chance:
        return ABOVE_ZERO
    return BELOW_ONE if near == 1 > chance else near


def yes_no(zero: int, one: int, rates: Floats, counts: NDArray[np.int64] | None = None) -> YesNo:
    """Records that add one of two numbers, with these rates of the second one, by rate."""
    if zero == one:
        rates = np.zeros(len(rates))
    elif zero > one:
        zero, one, rates = one, zero, _complements(rates)
    if counts is None:
        distinct, counts = np.unique(rates, return_counts=True)
        return YesNo(zero, max(one, zero + 1), distinct, counts.astype(np.int64))
    distinct, inverse = np.unique(rates, return_inverse=True)
    merged = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(merged, inverse, counts)
    return YesNo(zero, max(one, zero + 1), distinct, merged)


def _complements(rates: Floats) -> Floats:
    """1 - rate, within two units of what was meant: the float of 0.99999 is off by half a unit of 1, and that is many
    units of what is left, 0.00001. Cost: a microsecond or two for each rate above 3/4.
    """
    distinct, places = np.unique(rates, return_inverse=True)
    found, large = 1 - distinct, distinct > 3 / 4
    found[large] = [float(DIGITS.subtract(Decimal(1), Decimal(repr(rate)))) for rate in distinct[large].tolist()]
    found[(distinct > 0) & (found == 1)] = BELOW_ONE
    return found[places]
