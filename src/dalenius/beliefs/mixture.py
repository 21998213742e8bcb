"""A hidden global parameter: records are independent given it, and the attacker does not know it."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import (
    NOTHING,
    Adds,
    Answer,
    BoundedBy,
    GivenFact,
    Inquiry,
    Remainder,
    Reweighted,
    WorstOf,
)
from dalenius.beliefs.belief import IID, SHARE, Belief, Share, contributions, known_records
from dalenius.beliefs.common import sum_law
from dalenius.beliefs.crowd import SpanLaw
from dalenius.enclosure.formats import apart
from dalenius.facts.records import Label, exact
from dalenius.facts.secret import Pair, wide
from dalenius.numerics.law import Law, mixture

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Value: TypeAlias = Label | Fraction
VIEWS = 300  # known values that are gone through one by one
MIXED = "records are independent and alike given one hidden parameter, which has the stated probabilities"


@final
class Mixture(Belief):
    """One of several beliefs is true, with these weights, and the attacker does not know which: records depend on each
    other through it. The parts are `IID` beliefs with the same number of records.

    The value of one record tells about the hidden parameter, and so about all others: given X_i = a the part θ has
    weight proportional to w_θ P_θ(a). With few known records every set of values that they can have is gone
    through, and the laws of the figure in both worlds are the mixtures themselves: δ is exact. An attacker who knows
    fewer records may learn *more* here, so δ is worst over all numbers up to `known`. With many known records only a
    bound is given: whatever they say, the posterior weights of part θ in the two worlds have a ratio ρ of at most
    P_θ(a)/P_θ(b) · max over parts of P(b)/P(a). To an attacker who learns θ as well, δ(ε) is at most the mean over θ of
    H(P_θ,a || (e^ε/ρ) P_θ,b), which for e^ε ≥ ρ is δ_θ(ε - ln ρ), and 1 - e^ε/ρ + (e^ε/ρ) δ_θ(ln ρ - ε) otherwise.

    >>> import dalenius as dl
    >>> unsure = Mixture([("1/2", dl.IID(p="0.1", n=100)), ("1/2", dl.IID(p="0.2", n=100))])
    >>> print(dl.verify(dl.Count(), dl.noiseless(unsure), epsilon="1/2").delta)
    [0.06327, 0.06328]
    """

    def __init__(self, parts: Iterable[tuple[float | str | Fraction, Belief]], *, known: Share = 0) -> None:
        found = [(exact(weight, name="The weight of a part"), part) for weight, part in parts]
        total = sum((weight for weight, _ in found), Fraction(0))
        if total != 1 or any(weight < 0 for weight, _ in found):
            raise InputError(
                f"The weights of a mixture must be at least 0 and sum to 1, but sum to {apart(total, 1)}. Correct them."
            )
        self.parts: list[tuple[Fraction, IID]] = []
        for weight, part in found:
            if not isinstance(part, IID) or part.known:
                raise InputError(
                    f"The parts of a mixture must be IID beliefs without known records, but got: {part}. Give "
                    "known=... to the mixture; for other parts, no sound bound is built yet."
                )
            if weight:
                self.parts.append((weight, part))
        sizes = sorted({part.n for _, part in self.parts})
        if len(sizes) > 1:
            raise InputError(f"The parts of a mixture must have the same number of records, but have {sizes}.")
        self.n = sizes[0]
        self.fitted = any(part.fitted for _, part in self.parts)
        self.known = known_records(known, self.n)
        self._domain = tuple(dict.fromkeys(value for _, part in self.parts for value in part.domain()))
        chances = [dict(part.marginal) for _, part in self.parts]
        for value in self._domain:
            if not any(law.get(value) for law in chances):
                raise InputError(
                    f"Every value needs a positive probability in some part, but {value} has none: no world has it. "
                    "Leave it out of the domain, or give it a small probability."
                )

    @property
    def assumes(self) -> tuple[str, ...]:
        return MIXED, SHARE

    @property
    def breaks(self) -> str:
        return "records that move together in other ways than through the hidden parameter"

    def domain(self) -> Sequence[Value]:
        return self._domain

    @property
    def route(self) -> str:
        return "mean over the laws that are possible"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        if asked.facts.presence:
            raise InputError(
                "A mixture judges the value of a record, not whether a person is in the data. Give absence a value of "
                "its own, or judge presence under each part by itself."
            )
        if len({statistic.contribution(value) for value in self._domain}) == 1:  # it says nothing about anybody
            return NOTHING
        if wide([statistic.contribution(value) for value in self._domain]):
            raise InputError("A mixture compares every two values of a record, and these are too many. Use fewer.")
        worlds = _Worlds(self, statistic, asked)
        values = len(self._domain)
        if math.comb(asked.known + values, values) <= VIEWS:
            return WorstOf(tuple(worlds.views(asked.known)))
        return BoundedBy((worlds.bound(asked.known),), tuple(worlds.views(0)))

    def __str__(self) -> str:
        return f"one of {len(self.parts)} beliefs about {self.n} records, hidden, attacker knows {self.known}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Worlds:
    """A mixture's worlds for one figure."""

    belief: Mixture
    statistic: "Statistic"
    asked: Inquiry
    _sums: dict[tuple[int, int], Law] = field(default_factory=dict, repr=False)

    def views(self, known: int) -> Iterator[GivenFact]:
        """The laws given each value of the target, for all that up to `known` known records can be."""
        chances = [dict(part.marginal) for _, part in self.belief.parts]
        for number in range(known + 1):
            for seen in itertools.combinations_with_replacement(self.belief.domain(), number):
                weights = [
                    weight * math.prod(law.get(value, Fraction(0)) for value in seen)
                    for (weight, _), law in zip(self.belief.parts, chances, strict=True)
                ]
                base = sum(self.statistic.contribution(value) for value in seen) if self.asked.channel.period else 0
                yield self._view(weights, number, base)

    def _view(self, weights: list[Fraction], number: int, base: int) -> GivenFact:
        values, laws = list[Value](), list[SpanLaw]()
        for value in self.belief.domain():
            posterior = [
                weight * dict(part.marginal).get(value, Fraction(0))
                for weight, (_, part) in zip(weights, self.belief.parts, strict=True)
            ]
            if total := sum(posterior, Fraction(0)):
                law = self._mixed([one / total for one in posterior], number)
                values.append(value)
                laws.append(SpanLaw(law, base + self.statistic.contribution(value), 1))
        near = (
            two
            for two in itertools.combinations(range(len(values)), 2)
            if self.asked.facts.allows(values[two[0]], values[two[1]])
        )
        return GivenFact(tuple(laws), compared=tuple(near))

    def _mixed(self, weights: list[Fraction], number: int) -> Law:
        return mixture((weight, self._sum(part, number)) for part, weight in enumerate(weights))

    def _sum(self, part: int, known: int) -> Law:
        if (part, known) not in self._sums:
            rest = self.belief.n - 1 - known
            self._sums[part, known] = sum_law([(self._adds(part), rest)])[0].spread_out()
        return self._sums[part, known]

    def _adds(self, part: int) -> Adds:
        return contributions(self.belief.parts[part][1].marginal, self.statistic)

    def bound(self, known: int) -> Answer:
        """Worst over the parts, as if they were told, with the largest ratio that posterior weights can have."""
        laws = [dict(part.marginal) for _, part in self.belief.parts]
        left = [sum_law([(self._adds(part), self.belief.n - 1 - known)]) for part in range(len(laws))]
        period, found = self.asked.channel.period, list[Answer]()
        places: Sequence[int] = range(period) if period else (0,)
        for one, two in itertools.permutations(self.belief.domain(), 2):
            if not self.asked.facts.allows(one, two):
                continue
            pair = Pair(self.statistic.contribution(one), self.statistic.contribution(two))
            pair = Pair(min(pair.first, pair.second), max(pair.first, pair.second))
            for law, (rest, concave) in zip(laws, left, strict=True):
                if law.get(one):
                    part = Remainder(rest, concave, places, pairs=(pair,))
                    found.append(Reweighted(part, _largest_ratio(law, laws, one, two)))
        return WorstOf(tuple(found))


def _largest_ratio(
    law: dict[Value, Fraction], laws: list[dict[Value, Fraction]], one: Value, two: Value
) -> Fraction | None:
    """The most by which the posterior weight of a part can be larger given X_i = one than given two; None: infinite."""
    zero = Fraction(0)
    if not law.get(two) or any(other.get(two) and not other.get(one) for other in laws):
        return None
    return law[one] / law[two] * max(other.get(two, zero) / other[one] for other in laws if other.get(one))
