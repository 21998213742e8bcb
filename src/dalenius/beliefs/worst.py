"""The curve of one person's secret, worst over which records the attacker knows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.crowd import Crowd, SpanLaw, Types, YesNo, law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import mass_below
from dalenius.enclosure.outward import add_up
from dalenius.facts.secret import Pair, distances
from dalenius.numerics.curve import Average, Constant, Curve, EverybodyCurve
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.losses import Losses
from dalenius.numerics.search import EARLIEST, Family, Removal, Settled, Windows, worst
from dalenius.numerics.shifts import ShiftCurve

MANY = 64  # different rates above which persons are left out by series, not one by one
MOST_WORK = 3_000_000_000  # points times shifts
WIDE, SMALLEST = 1e-3, 1e-40  # width, relative or not, above which another search is tried as well
STEEPEST = Fraction(50)  # epsilon up to which trades are searched by simplices
BLOCKS = 512  # values of K taken one by one; more are taken in this many blocks


class Push(Protocol):
    """What a channel must be able to do here."""

    @property
    def period(self) -> int:
        """0 if moving the input moves the output alike (exact, noise); else moving by this much does (rounding)."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the output is the input."""
        ...

    def push(self, law: Law) -> Law:
        """The law of the output."""
        ...

    def pure(self, shift: int) -> Fraction | None:
        """An epsilon from which on delta is 0 when the input moves by at most `shift`, if there is one."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class WorstCurve(Curve):
    """delta of the worst person, against an attacker who knows the worst `known` of the other records.

    All persons share one domain, so the target and what is known are simply `known` + 1 records taken out of the crowd.
    """

    crowd: Crowd
    pairs: tuple[Pair, ...]
    channel: Push
    known: int
    enough: Fraction | None = None  # a delta at which the search may stop once it is decided
    others: frozenset[int] | None = None  # what any number of further known records may add, in differential privacy
    anywhere: bool = False  # the pairs stand for others that begin elsewhere, so rounding is judged at every place
    adds: frozenset[int] = frozenset()  # what known records may add, also where the belief gives it no probability
    _curves: dict[Removal, Curve] = field(default_factory=dict, repr=False)
    _series: list[EverybodyCurve] = field(default_factory=list, repr=False)
    _moves: list[tuple[int, ...]] = field(default_factory=list, repr=False)

    @property
    def alone(self) -> bool:
        """Where all others are known, whatever they are, only the channel's dice hide the person."""
        return self.others is None

    @property
    def moves(self) -> tuple[int, ...]:
        """How far facts are apart, each distance once; they ascend, and 0 is not among them."""
        if not self._moves:
            self._moves.append(distances(self.pairs))
        return self._moves[0]

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.find(epsilon)[0]

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        return self._found(epsilon, enough, 0)[0]

    def roughly(self, epsilon: Fraction) -> float:
        """By the coins inside the records: whatever is done to an exact total tells no more than it."""
        from dalenius.numerics.overlap import coin_bound

        if not self.moves:
            return 0.0
        table = self.crowd.overlap_table(self.moves)
        return 1.0 if table is None else coin_bound(table, self.crowd.counts, self.known + 1, epsilon)

    @property
    def heavy(self) -> bool:
        return self.crowd.heavy

    @property
    def pure_level(self) -> Fraction | None:
        return self.channel.pure(self.moves[-1]) if self.moves else Fraction(0)

    def losses(self) -> Losses | None:
        only = self._only()
        return None if only is None else only.losses()

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        only = self._only()
        return Curve.knots(self, epsilons) if only is None else only.knots(epsilons)

    def _only(self) -> Curve | None:
        """The curve of the one way in which records can be taken out; None if there are several."""
        family = self.crowd.family(self.known + 1)
        if family is None or family.halves() or not self._searchable() or self._by_series():
            return None
        return self.left(family.member())

    def find(self, epsilon: Fraction) -> tuple[Bracket, Removal | None]:
        """delta, and which records are taken out for the lower bound (None: by series, over everybody)."""
        return self._found(epsilon, self.enough, EARLIEST)

    def _found(self, epsilon: Fraction, enough: Fraction | None, earliest: int) -> tuple[Bracket, Removal | None]:
        if not self.moves:
            return Bracket(0.0, 0.0), None
        pure = self.channel.pure(self.moves[-1])
        if pure is not None and epsilon >= pure:
            return Bracket(0.0, 0.0), None
        if self._by_series():
            return self.everybody().delta(epsilon), None
        bracket, removal = self._searched(epsilon, enough, earliest)
        attained = self.channel.period == 0 or ((self.known == 0 or self.crowd.same_support) and not self.anywhere)
        if not attained:
            return Bracket(0.0, bracket.upper), removal
        likely = self.likely()
        if likely is self:
            return bracket, removal
        below, rests_on = likely.find(epsilon)
        return Bracket(min(below.lower, bracket.upper), bracket.upper), rests_on

    def likely(self) -> "WorstCurve":
        """The same, with known records only of values to which the belief gives some probability: an attacker who
        believes it can know no others, so that a lower bound rests on these.
        """
        support = self.crowd.support
        if not (self.channel.period and self.known) or self.adds <= support or self.offsets() == self._offsets(support):
            return self
        crowd, pairs, channel = self.crowd, self.pairs, self.channel
        return WorstCurve(crowd, pairs, channel, self.known, self.enough, self.others, anywhere=self.anywhere)

    def _searched(self, epsilon: Fraction, enough: Fraction | None, earliest: int) -> tuple[Bracket, Removal]:
        family = self.crowd.family(self.known + 1) if self._searchable() else None
        if family is not None:
            settle = partial(self._settled, epsilon=epsilon)
            bound = partial(self._bound, epsilon=epsilon)
            evaluate = partial(self._without, epsilon=epsilon)
            traded = self._traded(epsilon)
            if traded is not None and traded[0].width <= max(WIDE * traded[0].lower, SMALLEST):
                return traded
            decisive = None if enough is None else float(enough)
            boxed = worst(family, evaluate, settle=settle, bound=bound, enough=decisive, earliest=earliest)
            return boxed if traded is None else _sharper(traded, boxed)
        samples = self.crowd.samples(self.known + 1)
        found = max(
            ((self.left(removal).delta(epsilon).lower, removal) for removal in samples), key=lambda item: item[0]
        )
        upper = min(overlap_curve(self.crowd, self.pairs, self.known + 1).delta(epsilon).upper, self.roughly(epsilon))
        if self.channel.period and isinstance(self.crowd, YesNo):  # rounding is post-processing of the exact figure
            upper = min(upper, _exactly(self.crowd, self.pairs, self.known, enough, epsilon))
        return Bracket(min(found[0], upper), upper), found[1]

    def _traded(self, epsilon: Fraction) -> Settled | None:
        """The worst known records of an exact figure, where records have a few types and several values."""
        if not (isinstance(self.crowd, Types) and self.known and self.channel.exact and epsilon <= STEEPEST):
            return None

        from dalenius.beliefs.trades import worst_trade

        return worst_trade(self.crowd, self.known + 1, self.moves, epsilon, partial(self._without, epsilon=epsilon))

    def _settled(self, windows: Family, *, epsilon: Fraction) -> Settled | None:
        """All runs of a short range at once, if they only trade records of one rate for records of another."""
        if not (isinstance(self.crowd, YesNo) and isinstance(windows, Windows) and self.channel.exact):
            return None
        if self.moves != (self.crowd.high - self.crowd.low,):
            return None
        return self.crowd.traded(windows, epsilon)

    def _without(self, removal: Removal, *, epsilon: Fraction) -> Bracket:
        return self.left(removal).delta(epsilon)

    def _bound(self, family: Family, *, epsilon: Fraction) -> float:
        """Delta without any member of the family: by what all of them leave, and by what they share of the rest."""
        if self.channel.period:  # a member leaves some of the union in the sum, so that rounding may start anywhere
            left = self.crowd.law(family.union())
            return self._curve(left, range(self.channel.period)).delta(epsilon).upper
        shared = self.crowd.shared(family) if isinstance(self.crowd, YesNo) and isinstance(family, Windows) else None
        if shared is None:
            return self._without(family.union(), epsilon=epsilon).upper
        left, missing = shared
        return min(1.0, add_up(self._curve(left, (0,)).delta(epsilon).upper, missing))

    def _searchable(self) -> bool:
        """Rounding breaks the order that makes runs of rates the worst; then only few types can be searched."""
        return self.channel.period == 0 or not isinstance(self.crowd, YesNo) or len(self.crowd.counts) == 1

    def _by_series(self) -> bool:
        if not (
            isinstance(self.crowd, YesNo) and self.known == 0 and self.channel.exact and len(self.crowd.rates) > MANY
        ):
            return False
        return self.moves in {(), (self.crowd.high - self.crowd.low,)}

    def everybody(self) -> EverybodyCurve:
        """All persons of a yes/no crowd at once."""
        if not isinstance(self.crowd, YesNo):
            raise PreconditionError("Only yes/no records are left out by series.")
        if not self._series:
            self._series.append(EverybodyCurve(self.crowd.everybody()))
        return self._series[0]

    def left(self, removal: Removal) -> Curve:
        """The curve when exactly these records are taken out."""
        if removal not in self._curves:
            if len(self._curves) > MANY:
                self._curves.clear()
            self._curves[removal] = self._curve(self.crowd.law(removal), self.offsets())
        return self._curves[removal]

    def _curve(self, left: SpanLaw, offsets: Sequence[int]) -> Curve:
        concave = isinstance(self.crowd, YesNo)
        return curve_of(left, self.pairs, self.channel, log_concave=concave, offsets=offsets, moves=self.moves)

    def offsets(self) -> Sequence[int]:
        """What the known records may add up to, as far as rounding cares: any values of the declared domain, since a
        belief that holds one of them impossible may be wrong about just that record.
        """
        return self._offsets(self.crowd.support | self.adds)

    def _offsets(self, values: frozenset[int]) -> Sequence[int]:
        if self.channel.period == 0:
            return (0,)
        if self.anywhere:
            return range(self.channel.period)
        if self.others is not None:
            return sums(self.others, self.channel.period)
        return residues(values, self.known, self.channel.period)


@lru_cache(maxsize=64)
def _exactly(crowd: Crowd, pairs: tuple[Pair, ...], known: int, enough: Fraction | None, epsilon: Fraction) -> float:
    """An upper bound on delta of the exact figure, for all that is done to it afterwards."""
    return WorstCurve(crowd, pairs, AsItIs(), known, enough).delta(epsilon).upper


def _sharper(one: Settled, two: Settled) -> Settled:
    """Two brackets of the same delta as one."""
    (bracket, removal), upper = max(one, two, key=lambda some: some[0].lower), min(one[0].upper, two[0].upper)
    return Bracket(min(bracket.lower, upper), upper), removal


@final
@dataclass(frozen=True, slots=True)
class AsItIs:
    """The exact figure, as a channel."""

    period: int = 0
    exact: bool = True

    def push(self, law: Law) -> Law:
        return law

    def pure(self, shift: int) -> Fraction | None:
        return None


def sums(values: frozenset[int], period: int) -> tuple[int, ...]:
    """The residues of sums of any number of the values, none included."""
    found, fresh = {0}, {0}
    while fresh:
        fresh = {(one + value) % period for one in fresh for value in values} - found
        found |= fresh
    return tuple(sorted(found))


def residues(support: frozenset[int], count: int, period: int) -> tuple[int, ...]:
    """The residues of sums of `count` elements of the support."""
    result, step = np.zeros(period, dtype=bool), np.zeros(period, dtype=bool)
    result[0] = True
    step[[value % period for value in support]] = True
    while count:
        if count & 1:
            result = _sumset(result, step)
        count >>= 1
        if count:
            step = _sumset(step, step)
    return tuple(np.flatnonzero(result).tolist())


def _sumset(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    total = np.zeros_like(first)
    for move in np.flatnonzero(first).tolist():
        total |= np.roll(second, move)
    return total


def curve_of(
    left: SpanLaw,
    pairs: Sequence[Pair],
    channel: Push,
    *,
    log_concave: bool,
    offsets: Sequence[int],
    moves: Sequence[int] | None = None,
) -> Curve:
    """The curve of the pairs when the rest of the sum has this law; `moves` are their distances, if they are known."""
    shifts = distances(pairs) if moves is None else tuple(moves)
    if not shifts:
        return Constant(0.0)
    if channel.exact:
        if left.span == 0 or any(shift % left.span for shift in shifts):
            return Constant(1.0)
        steps = tuple(shift // left.span for shift in shifts)
        return ShiftCurve(left.law, steps[-1:] if log_concave else steps, only=True)
    law = left.spread_out()
    if channel.period == 0:
        concave = log_concave and left.span <= 1
        return ShiftCurve(channel.push(law), shifts[-1:] if concave else shifts, only=True)
    places = [
        ((offset + pair.first) % channel.period, pair.second - pair.first)
        for offset in offsets
        for pair in pairs
        if pair.second > pair.first
    ]
    if channel.period * len(law.mass) > MOST_WORK // 10:
        raise InputError(
            f"Rounding to {channel.period} units a figure whose law has {len(law.mass)} points is too much to "
            "go through. Declare a coarser unit, or tighter bounds."
        )
    from dalenius.numerics.residues import ResidueCurve

    return ResidueCurve.of(law, channel.push, channel.period, places)


@lru_cache(maxsize=16)
def overlap_curve(crowd: Crowd, pairs: tuple[Pair, ...], removed: int) -> Curve:
    """T2: a bound for crowds of many types, from how far each record overlaps with itself moved by one step.

    A record with overlap u is, with probability u, V + step · Bernoulli(1/2) with V independent of the coin. Reveal
    all else: delta is at most the mean, over the number K of live coins, of the curve of Binomial(K, 1/2) against
    its shift. It falls with K, so the worst records to know are those of largest overlap. K is taken in blocks, each
    by its least member.
    """
    shifts = distances(pairs)
    if not shifts:
        return Constant(0.0)
    step = math.gcd(*shifts)
    weights, counts = crowd.overlaps(step)
    return coins_curve(weights, counts, removed, rate=0.5, shift=shifts[-1] // step)


def coins_curve(weights: Floats, counts: NDArray[np.int64], removed: int, *, rate: float, shift: int) -> Curve:
    """The mean over K of the curve of Binomial(K, rate) against its shift; K counts live coins, without the
    `removed` likeliest.
    """
    order = np.argsort(weights)
    weights, counts = weights[order], counts[order].copy()
    for t in range(len(counts) - 1, -1, -1):
        taken = min(removed, int(counts[t]))
        counts[t] -= taken
        removed -= taken
    live = (counts > 0) & (weights > 0)
    if not live.any():
        return Constant(1.0)
    law = _count_law(weights[live], counts[live])
    cuts = np.unique(np.linspace(0, len(law.mass), min(BLOCKS, len(law.mass)) + 1).astype(int))
    blocks = [(int(a), mass_below(law.balls[a:b])) for a, b in pairwise(cuts)]
    return Average(
        [mass for _, mass in blocks],
        [
            ShiftCurve(_binomial(law.start + at, rate), (shift,)) if law.start + at > 0 else Constant(1.0)
            for at, _ in blocks
        ],
    )


def _count_law(rates: Floats, counts: NDArray[np.int64]) -> Law:
    """The number of live coins, some of which may be sure."""
    sure = rates >= 1
    return law_of_rates(rates[~sure], counts[~sure]).shifted(int(counts[sure].sum()))


def _binomial(count: int, rate: float) -> Law:
    return law_of_rates(np.array([rate]), np.array([count]))
