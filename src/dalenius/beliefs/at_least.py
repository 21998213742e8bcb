"""Classes of marginals: nobody says what each record's law is, only what all of them have in common."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import (
    SHARE,
    Belief,
    Share,
    contributions,
    crowd_of,
    declared_domain,
    known_records,
    marginal_of,
    records_of,
)
from dalenius.beliefs.crowd import SpanLaw, YesNo, law_of_rates
from dalenius.beliefs.joint import Vector, sure_parts
from dalenius.beliefs.vertices import vertex_curve
from dalenius.beliefs.worst import AsItIs, Push, WorstCurve, curve_of, residues
from dalenius.facts.records import Label, exact
from dalenius.facts.secret import Facts, Pair
from dalenius.numerics.convolve import convolve
from dalenius.numerics.curve import Charged, Constant, Curve, Supremum
from dalenius.numerics.law import Law, point
from dalenius.numerics.mixing import Ahead, Guarded, Mixing
from dalenius.numerics.rounding import UNIT

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Adds: TypeAlias = Mapping[int, Fraction]  # what a record adds, with probabilities
Weights: TypeAlias = Counter[Fraction]  # weights, with how many records have them
Class = TypeVar("Class", bound="MarginalClass")

TWO = 2
FEW = 4  # shifts that are averaged one by one; more are averaged together
PLACED = 2_000_000  # period times points up to which rounding is judged at every place, not as the exact figure
STRIDE = 64  # draws
PRODUCTS = 10_000_000  # of a direct convolution that is quicker than the law itself
KINDS = 32  # kinds of records of a member of the class
INDEPENDENT = "records are independent; their laws may differ, and be any of the stated class"


class MarginalClass(Belief):
    """Independent records, whose laws may be any of a class, each record's its own.

    δ of the whole class is the largest δ of its members. Three facts are used.

    *Common parts.* If record j is a draw from U with probability w_j and anything else otherwise, reveal all that is
    not drawn from U. The rest is a sum of K draws from U, K a sum of yes/no coins of rates w_j, and a constant. The
    hockey-stick divergence is jointly convex, so δ(ε) ≤ E δ_K(ε), δ_k being the curve of k draws from U against their
    shift, pushed through the channel (rounding: at the worst place). δ_k falls with k, so the worst records to know
    are those of largest w_j, exactly, whatever the member.

    *Vertices.* See `vertex_curve`: where a record adds one of two numbers only, the worst member is computed.

    *Members.* Any member of the class bounds δ from below.
    """

    independent = True
    _domain: tuple[Label | Fraction, ...]

    @abstractmethod
    def commons(self, statistic: "Statistic", step: int) -> Sequence[tuple[Adds, Weights]]:
        """Laws that every record contains, with least weights for all n records; `step` is the gcd of all shifts."""

    @abstractmethod
    def members(self, statistic: "Statistic") -> Sequence[Sequence[tuple[Adds, int]]]:
        """Some members, as laws with counts for the n - known - 1 records that are left (any choice of these)."""

    @abstractmethod
    def ends(self, statistic: "Statistic") -> tuple[Adds, Adds] | None:
        """The laws with the least and the largest rate, if records add one of two numbers and all may be of any rate
        between.
        """

    @abstractmethod
    def possible(self, statistic: "Statistic") -> frozenset[int]:
        """What records may add in one member: there the known ones may put a rounded figure."""

    @property
    def assumes(self) -> tuple[str, ...]:
        return INDEPENDENT, SHARE

    def domain(self) -> Sequence[Label | Fraction]:
        return self._domain

    @property
    def route(self) -> str:
        return "worst of the laws left open"

    def curve(
        self, statistic: "Statistic", facts: Facts, channel: Push, *, known: int, enough: Fraction | None = None
    ) -> Curve:
        if not facts.reach:
            return Constant(0.0)
        me = self.knowing(known)
        step = int(np.gcd.reduce([abs(pair.second - pair.first) for pair in facts.pairs]))
        commons = me.commons(statistic, step)
        # the cheap bounds first: whoever only asks whether δ is small enough may stop there
        above = [] if enough is None else [sure_curve(*common, facts, channel, known, enough) for common in commons]
        ends = me.ends(statistic)
        if ends is not None and enough is None:
            return vertex_curve(ends, facts, channel, n=self.n, known=known)
        left = known + 1
        above += [common_curve(law, left_over(weights, left), facts, channel, enough) for law, weights in commons]
        if ends is not None:
            worst = vertex_curve(ends, facts, channel, n=self.n, known=known, enough=enough)
            return Guarded((*above, worst), (worst,), channel.pure(facts.reach))
        below = [
            curve
            for member in me.members(statistic)
            if (curve := member_curve(member, facts, channel, me.possible(statistic), known=known))
        ]
        return Guarded(tuple(above), tuple(below), channel.pure(facts.reach))


def left_over(weights: Weights, removed: int) -> Weights:
    """The weights without the `removed` largest."""
    left = Weights(weights)
    for weight in sorted(weights, reverse=True):
        taken = min(removed, left[weight])
        left[weight] -= taken
        removed -= taken
    return +left


def common_curve(law: Adds, weights: Weights, facts: Facts, channel: Push, enough: Fraction | None = None) -> Curve:
    """E δ_K(ε): K is a sum of coins of these rates, δ_k the curve of k draws from the law against their shifts.

    Each of a few shifts, in each direction, is averaged by itself: their worst is taken once, after averaging.
    """
    counts, draws = number_of(weights), Draws(law)
    moves = {abs(pair.second - pair.first) for pair in facts.pairs} - {0}
    if channel.period or len(moves) > FEW:
        return Mixing(counts, partial(draws.curve, facts.pairs, channel), enough=enough)
    values = [at for at, chance in law.items() if chance]
    if channel.exact and len(values) == TWO and not any(move % (values[1] - values[0]) for move in moves):
        moves = {max(moves)}  # yes/no draws are log-concave on their lattice: the largest shift is worst
    each = (
        Mixing(counts, partial(draws.ahead, sign * move, channel), enough=enough)
        for move in sorted(moves)
        for sign in (1, -1)
    )
    return Supremum(tuple(each))


def sure_curve(law: Adds, weights: Weights, facts: Facts, channel: Push, known: int, enough: Fraction) -> Curve:
    """So many draws from the law as there certainly are, but for a hundredth of what is enough. One law stands for all
    numbers of draws then, which a mean over them, stopped early, may not come close to.
    """
    masses: list[tuple[Mapping[Vector, Fraction], int]] = [
        ({(at,): weight * chance for at, chance in law.items()}, count) for weight, count in weights.items()
    ]
    parts, missing = sure_parts(masses, float(enough) / 100)
    counts = [count for _, count in parts]
    if sum(counts) <= known:
        return Constant(1.0)
    crowd = crowd_of([{at: chance for (at,), chance in part.items()} for part, _ in parts], counts)
    return Charged(WorstCurve(crowd, facts.pairs, channel, known, anywhere=True, adds=facts.adds), missing)


def number_of(weights: Weights) -> Law:
    """The law of the number of records that are drawn from the common part; rates are rounded down."""
    rates = sorted((weight, count) for weight, count in weights.items() if weight > 0)
    sure = sum(count for weight, count in rates if weight == 1)
    coins = [(_down(weight), count) for weight, count in rates if weight < 1]
    coins = [(rate, count) for rate, count in coins if rate > 0]
    if not coins:
        return point(sure)
    rate, number = (np.array(column) for column in zip(*coins, strict=True))
    return law_of_rates(rate.astype(float), number.astype(np.int64)).shifted(sure)


def _down(weight: Fraction) -> float:
    near = float(weight)
    return max(0.0, near * (1 - 2 * UNIT)) if near > weight else near


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


def member_curve(
    member: Sequence[tuple[Adds, int]], facts: Facts, channel: Push, known_adds: frozenset[int], *, known: int
) -> Curve | None:
    """The curve of one member of the class; None where the pairs stand for others that begin elsewhere."""
    if channel.period and facts.anywhere:
        return None
    offsets = residues(known_adds, known, channel.period) if channel.period else (0,)
    left, concave = sum_law([(law, count) for law, count in member if count])
    return curve_of(left, facts.pairs, channel, log_concave=concave, offsets=offsets)


def sum_law(groups: Sequence[tuple[Adds, int]]) -> tuple[SpanLaw, bool]:
    """The law of a sum of independent draws, and whether it is log-concave on its lattice."""
    if not sum(count for _, count in groups):
        return SpanLaw(point(0), 0, 0), True
    crowd = crowd_of([law for law, _ in groups], [count for _, count in groups])
    if isinstance(crowd, YesNo):
        return crowd.law((0, 0)), True
    return crowd.law((0,) * len(groups)), False


def with_rest(law: Adds, weight: Fraction, rest: int) -> Adds:
    """The law with this weight, otherwise a constant."""
    mixed = {at: weight * chance for at, chance in law.items()}
    mixed[rest] = mixed.get(rest, Fraction(0)) + 1 - weight
    return {at: chance for at, chance in mixed.items() if chance}


def some_of(adds: Iterable[int]) -> list[int]:
    """A few of the numbers, the least and the largest among them."""
    distinct = sorted(set(adds))
    places = sorted({round(share * (len(distinct) - 1) / 4) for share in range(5)})
    return [distinct[place] for place in places]


@final
class AtLeast(MarginalClass):
    """Every record is a draw from `component` with probability at least `weight`, and otherwise whatever one likes of
    the domain (by default the component's values): records may all differ.

    `weights` gives each record a weight of its own. The upper end of the bracket is E δ_K(ε) as above, the lower end
    a member in which the rest is constant. They meet where the domain has a value so far off that the total betrays
    how many records took it; where records add one of two numbers, δ of the worst member is computed itself.

    >>> import dalenius as dl
    >>> belief = AtLeast({0: "1/2", 1: "1/2"}, weight="1/5", n=200, known=0.1)
    >>> print(dl.verify(dl.Count(), dl.noiseless(belief), epsilon="1/2").delta)
    [0.005984, 0.005985]
    """

    def __init__(
        self,
        component: Mapping[Label | Fraction, float | str | Fraction],
        *,
        weight: float | str | Fraction | None = None,
        n: int | None = None,
        weights: Iterable[float | str | Fraction] | None = None,
        known: Share = 0,
        domain: Iterable[Label | Fraction] | None = None,
    ) -> None:
        if (weight is None) == (weights is None) or (weight is None) != (n is None):
            raise InputError("AtLeast needs either weight=... and n=..., or weights=[...], one a record. Give these.")
        self.component = marginal_of(component)
        self.weights = (
            Weights(exact(one, name="A weight") for one in weights or ())
            if weight is None
            else Weights({exact(weight, name="weight"): checked_size(n or 0, "AtLeast")})
        )
        for one in self.weights:
            if not 0 <= one <= 1:
                raise InputError(f"A weight must lie between 0 and 1, but got {one}. Write 0.2 for one in five.")
        self.n = checked_size(self.weights.total(), "AtLeast")
        self.known = known_records(known, self.n)
        self._domain = declared_domain(domain, [self.component])

    def commons(self, statistic: "Statistic", step: int) -> Sequence[tuple[Adds, Weights]]:
        return [(contributions(self.component, statistic), self.weights)]

    def members(self, statistic: "Statistic") -> Sequence[Sequence[tuple[Adds, int]]]:
        law, left = contributions(self.component, statistic), left_over(self.weights, self.known + 1)
        if len(left) > KINDS:  # records of larger weight are in the class too
            left = sum((Weights({Fraction(-(-w * KINDS // 1), KINDS): count}) for w, count in left.items()), Weights())
        rests = some_of(statistic.contribution(value) for value in self._domain)
        alike = [(law, left.total())]  # whatever else they may do, all follow the component
        return [alike] + [[(with_rest(law, weight, rest), count) for weight, count in left.items()] for rest in rests]

    def ends(self, statistic: "Statistic") -> tuple[Adds, Adds] | None:
        law = contributions(self.component, statistic)
        adds = sorted({statistic.contribution(value) for value in self._domain})
        if len(adds) != 2 or len(self.weights) > 1:
            return None
        (weight,) = self.weights
        return with_rest(law, weight, adds[0]), with_rest(law, weight, adds[1])

    def possible(self, statistic: "Statistic") -> frozenset[int]:
        return frozenset(statistic.contribution(value) for value, chance in self.component if chance)

    def __str__(self) -> str:
        least, most = float(min(self.weights)), float(max(self.weights))
        weight = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        return (
            f"independent records that each contain a common law with weight at least {weight}, n={self.n}, "
            f"attacker knows {self.known}"
        )


def checked_size(n: int, name: str) -> int:
    """A number of records, at least one."""
    size = records_of(n)
    if size < 1:
        raise InputError(
            f"{name} needs at least one record, but got n={size}. Without records there is nothing to hide."
        )
    return size
