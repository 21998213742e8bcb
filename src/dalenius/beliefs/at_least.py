"""Classes of marginals: nobody says what each record's law is, only what all of them have in common."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import NOTHING, Adds, Answer, BoundedBy, CommonPart, Inquiry, Remainder, SurePart
from dalenius.beliefs.belief import (
    SHARE,
    Belief,
    Share,
    contributions,
    declared_domain,
    known_records,
    marginal_of,
    records_of,
)
from dalenius.beliefs.common import Weights, left_over, sum_law
from dalenius.beliefs.vertices import corners, places_of
from dalenius.facts.records import Label, exact

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Class = TypeVar("Class", bound="MarginalClass")

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

    *Vertices.* See `vertices.corners`: where a record adds one of two numbers only, the worst member is computed.

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

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        facts, known = asked.facts, asked.known
        if not facts.reach:
            return NOTHING
        me = self.knowing(known)
        step = int(np.gcd.reduce([abs(pair.second - pair.first) for pair in facts.pairs]))
        commons = me.commons(statistic, step)
        ends = me.ends(statistic)
        if ends is not None and asked.enough is None:
            return corners(ends, asked, n=self.n)
        # the cheap bounds first: whoever only asks whether δ is small enough may stop there
        above: list[Answer] = [] if asked.enough is None else [_sure(*common) for common in commons]
        above += [_drawn(law, left_over(weights, known + 1)) for law, weights in commons]
        if ends is not None:
            worst = corners(ends, asked, n=self.n)
            return BoundedBy((*above, worst), (worst,), facts.reach)
        below: tuple[Answer, ...] = ()
        if not (asked.channel.period and facts.anywhere):  # else the pairs stand for others that begin elsewhere
            places = places_of(me.possible(statistic), asked)
            below = tuple(_member(member, places) for member in me.members(statistic))
        return BoundedBy(tuple(above), below, facts.reach)


def _sure(law: Adds, weights: Weights) -> SurePart:
    return SurePart(
        tuple(
            (tuple(((at,), weight * chance) for at, chance in law.items()), count) for weight, count in weights.items()
        )
    )


def _drawn(law: Adds, weights: Weights) -> CommonPart:
    return CommonPart(tuple(law.items()), tuple(weights.items()))


def _member(member: Sequence[tuple[Adds, int]], places: Sequence[int]) -> Remainder:
    """One member of the class."""
    left, concave = sum_law([(law, count) for law, count in member if count])
    return Remainder(left, concave, places)


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
