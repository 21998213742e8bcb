"""The one place where what a belief answers with becomes a curve; nodes and proofs are in `beliefs.answers`."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import assert_never, final

from dalenius.beliefs.answers import (
    Answer,
    AsExact,
    BoundedBy,
    Certain,
    CommonPart,
    Crowded,
    GivenFact,
    Inquiry,
    LinkedRecords,
    MeanOf,
    Proved,
    Remainder,
    Reweighted,
    SurePart,
    WorstKnown,
    WorstOf,
)
from dalenius.beliefs.common import Draws, Weights, number_of
from dalenius.beliefs.crowd import SpanLaw, crowd_of
from dalenius.beliefs.worst import AsItIs, WorstCurve, curve_of
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_up, times_up, total_up
from dalenius.numerics.curve import Charged, Constant, Curve, PairCurve, Supremum
from dalenius.numerics.law import Law
from dalenius.numerics.mixing import Guarded, Mixing
from dalenius.numerics.search import Boxes, Family, Removal, worst

FEW = 4  # shifts that are averaged one by one; more are averaged together
TWO = 2
BOUNDED = 1e-12  # far more than a logarithm or an exponential errs


def interpret(answer: Answer, asked: Inquiry) -> Curve:
    """δ(ε) of what is asked, worst over persons, pairs of facts, directions and known records."""
    inside = partial(interpret, asked=asked)
    match answer:
        case Certain(delta):
            return Constant(delta)
        case Crowded():
            return _crowded(answer, asked)
        case LinkedRecords():
            return _linked(answer, asked)
        case Remainder(law, concave, places, pairs):
            both = asked.facts.pairs if pairs is None else pairs
            return curve_of(law, both, asked.channel, log_concave=concave, offsets=places)
        case GivenFact():
            return _given(answer, asked)
        case WorstOf(answers):
            return Supremum(tuple(map(inside, answers)))
        case WorstKnown():
            return SearchedKnown(answer, asked, inside)
        case MeanOf(parts):
            return MeanCurve(tuple((weight, inside(part)) for weight, part in parts))
        case Reweighted(part, ratio):
            return TiltedCurve(inside(part), ratio)
        case CommonPart():
            return _common(answer, asked)
        case SurePart():
            return _sure(answer, asked)
        case BoundedBy(above, below, moved):
            pure = None if moved is None else asked.channel.pure(moved)
            found = {id(one): inside(one) for one in (*above, *below)}  # one that is both is looked at once
            return Guarded(tuple(found[id(one)] for one in above), tuple(found[id(one)] for one in below), pure)
        case AsExact(before):
            return interpret(before, replace(asked, channel=AsItIs()))
        case Proved(curve):
            return curve
        case _:
            assert_never(answer)


# -- laws --------------------------------------------------------------------------------------------------------------


def _crowded(answer: Crowded, asked: Inquiry) -> Curve:
    facts = asked.facts
    return WorstCurve(
        answer.crowd,
        facts.pairs if answer.pairs is None else answer.pairs,
        asked.channel,
        asked.known if answer.known is None else answer.known,
        asked.enough if answer.decided else None,
        answer.others,
        facts.anywhere if answer.anywhere is None else answer.anywhere,
        facts.adds if answer.adds is None else answer.adds,
        _moves=[facts.moves] if answer.pairs is None else [],
    )


def _linked(answer: LinkedRecords, asked: Inquiry) -> Curve:
    from dalenius.beliefs.linked import LinkedCurve  # most questions need none of it

    enough = asked.enough or Fraction(0)
    return LinkedCurve(answer.laws, answer.counts, answer.domain, asked.known, answer.presence, enough)


def _given(answer: GivenFact, asked: Inquiry) -> Curve:
    """Every two of the laws, as they are published, wherever the known records put them."""
    channel, found = asked.channel, list[Curve]()
    if channel.exact:
        found += _pairs(_on_one_lattice(answer.laws), answer.compared)
    else:
        laws = [law.spread_out() for law in answer.laws]
        for place in answer.places:
            found += _pairs([channel.push(law.shifted(place)) for law in laws], answer.compared)
    return Supremum(tuple(found))


def _pairs(laws: Sequence[Law], compared: Sequence[tuple[int, int]] | None) -> list[Curve]:
    both = itertools.combinations(range(len(laws)), 2) if compared is None else compared
    return [PairCurve(laws[one], laws[two], only=True) for one, two in both]


def _on_one_lattice(laws: Sequence[SpanLaw]) -> list[Law]:
    """The laws in steps of the lattice that all of them have in common, if there is one, else on whole numbers."""
    spans = {law.span for law in laws}
    if len(spans) == 1 and (span := min(spans)) > 1 and len({law.offset % span for law in laws}) == 1:
        return [law.law.shifted(law.offset // span) for law in laws]
    return [law.spread_out() for law in laws]


# -- worst -------------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class SearchedKnown(Curve):
    """The worst way to know some members, by branch and bound. Cost: a curve for each way that is looked at."""

    answer: WorstKnown
    asked: Inquiry
    inside: Callable[[Answer], Curve]
    _curves: dict[tuple[Removal, bool], Curve] = field(default_factory=dict, repr=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        answer, asked = self.answer, self.asked
        pure = None if answer.moved is None else asked.channel.pure(answer.moved)
        if pure is not None and epsilon >= pure:
            return Bracket(0.0, 0.0)
        family = Boxes(answer.known, (0,) * len(answer.counts), tuple(min(n, answer.known) for n in answer.counts))
        enough = None if asked.enough is None else float(asked.enough)
        evaluate = partial(self._without, epsilon=epsilon)
        found = worst(family, evaluate, bound=partial(self._bound, epsilon=epsilon), enough=enough)[0]
        if answer.attained:
            return found
        lower = max((self._without(removal, epsilon=epsilon).lower for removal in answer.some), default=0.0)
        return Bracket(min(lower, found.upper), found.upper)

    def _bound(self, family: Family, *, epsilon: Fraction) -> float:
        return self._without(family.union(), epsilon=epsilon, anywhere=bool(self.asked.channel.period)).upper

    def _without(self, removal: Removal, *, epsilon: Fraction, anywhere: bool = False) -> Bracket:
        if (removal, anywhere) not in self._curves:
            self._curves[removal, anywhere] = self.inside(self.answer.without(removal, anywhere))
        return self._curves[removal, anywhere].delta(epsilon)


# -- means -------------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class MeanCurve(Curve):
    """The mean of curves with exact weights, from above."""

    parts: tuple[tuple[Fraction, Curve], ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        terms = (times_up(float_up(weight), curve.delta(epsilon).upper) for weight, curve in self.parts)
        return Bracket(0.0, min(1.0, total_up(terms)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class TiltedCurve(Curve):
    """H(P || (e^ε/ρ) Q) from above, by the curve of P and Q: for e^ε ≥ ρ it is δ(ε - ln ρ), and else at most
    1 - e^ε/ρ + (e^ε/ρ) δ(ln ρ - ε).
    """

    inner: Curve
    ratio: Fraction | None

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.ratio is None:
            return Bracket(0.0, 1.0)
        gap = epsilon - Fraction(math.log(self.ratio) + BOUNDED)
        if gap >= 0:
            return Bracket(0.0, self.inner.delta(gap).upper)
        factor = math.exp(float(gap))
        upper = 1 - factor + factor * self.inner.delta(-gap).upper
        return Bracket(0.0, min(1.0, upper + BOUNDED))


def _common(answer: CommonPart, asked: Inquiry) -> Curve:
    """E δ_K(ε): K is a sum of coins of these rates, δ_k the curve of k draws from the law against their shifts.

    Each of a few shifts, in each direction, is averaged by itself: their worst is taken once, after averaging.
    """
    facts, channel, enough = asked.facts, asked.channel, asked.enough
    law = dict(answer.law)
    counts, draws = number_of(Weights(dict(answer.weights))), Draws(law)
    moves = set(facts.moves)
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


def _sure(answer: SurePart, asked: Inquiry) -> Curve:
    from dalenius.beliefs.joint import sure_parts

    masses = [(dict(law), count) for law, count in answer.masses]
    parts, missing = sure_parts(masses, float(asked.enough or 0) / 100)
    laws, counts = [law for law, _ in parts], [count for _, count in parts]
    if sum(counts) <= asked.known:
        return Constant(1.0)
    if answer.domain:
        return Charged(_linked(LinkedRecords(laws, counts, answer.domain, answer.presence), asked), missing)
    crowd = crowd_of([{at: chance for (at,), chance in law.items()} for law in laws], counts)
    return Charged(_crowded(Crowded(crowd, anywhere=True, decided=False), asked), missing)
