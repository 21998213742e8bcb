"""How a sample is drawn, where members are drawn independently of each other, or records are drawn one by one."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import Answer, BoundedBy, Crowded, GivenFact, Remainder, WorstKnown, WorstOf
from dalenius.beliefs.common import sum_law
from dalenius.beliefs.crowd import SpanLaw, YesNo, crowd_of
from dalenius.beliefs.worst import Push, residues
from dalenius.facts.secret import Facts, Pair, wide
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law, mixture, point
from dalenius.numerics.logconcave import averaged, chances, poisson
from dalenius.numerics.search import Removal
from dalenius.numerics.withoutreplacement import spread

KINDS = 64  # different contributions that are compared pair by pair, not as shifts
MOST_LAWS = 5000  # of numbers of records, for a random number of them


@final
@dataclass(frozen=True, slots=True)
class SampleAsked:
    """What is asked of a sample: how many members add what, what a target may add, and what happens to the total.

    `told`: to hide a value, the attacker is taken to know that the target was drawn.
    """

    members: Mapping[int, int]
    adds: tuple[int, ...]
    facts: Facts
    channel: Push
    known: int
    told: bool
    enough: Fraction | None = None

    @property
    def size(self) -> int:
        return sum(self.members.values())

    @property
    def kinds(self) -> tuple[int, ...]:
        """The contributions that some member has."""
        return tuple(add for add, count in self.members.items() if count)

    def without(self, add: int) -> dict[int, int]:
        """The members without one who adds this."""
        return {**self.members, add: self.members[add] - 1}

    @property
    def places(self) -> Sequence[int]:
        """Where the known members may put a rounded figure, if nothing more is said of them."""
        return range(self.channel.period) if self.channel.period and self.known else (0,)


class Design(ABC):
    """How a sample is drawn from a population."""

    @abstractmethod
    def answer(self, asked: SampleAsked) -> Answer:
        """What is uncertain, worst over targets and known members."""

    @property
    @abstractmethod
    def size_is_public(self) -> bool:
        """Whether the number of records is fixed, whoever is drawn."""

    @abstractmethod
    def records(self, members: int) -> int:
        """How many may be known, but for one: members of the population, or records of the sample."""

    @abstractmethod
    def fraction(self, members: int) -> Fraction | None:
        """The expected share of the population that is in the sample; None if the population has no size."""


class _Apart(Design):
    """Members are drawn independently of each other."""

    @property
    def size_is_public(self) -> bool:
        return False

    def records(self, members: int) -> int:
        return members

    @abstractmethod
    def rest(self, members: Mapping[int, int]) -> tuple[SpanLaw, bool]:
        """The law of what these members add, and whether it is log-concave."""

    def searched(self, asked: SampleAsked, members: Mapping[int, int], known: int, pairs: tuple[Pair, ...]) -> Answer:
        """The worst `known` of these members, and a target that makes this difference."""
        attained = not (asked.channel.period and (asked.known or asked.facts.anywhere))
        period = asked.channel.period
        usual = range(period) if period and not attained else (0,)

        def without(removal: Removal, anywhere: bool) -> Answer:  # noqa: FBT001 - as the node has it
            left, concave = self.rest(_left(members, removal))
            return Remainder(left, concave, range(period) if anywhere else usual, pairs)

        moved = max(abs(pair.second - pair.first) for pair in pairs)
        return WorstKnown(tuple(members.values()), known, without, attained, moved=moved)


def _left(members: Mapping[int, int], removal: Removal) -> dict[int, int]:
    return {add: count - out for (add, count), out in zip(members.items(), removal, strict=True)}


@final
@dataclass(frozen=True, slots=True)
class Bernoulli(_Apart):
    """Every member is drawn with the same probability, independently of the others."""

    rate: Fraction

    def fraction(self, members: int) -> Fraction:
        return self.rate

    def __str__(self) -> str:
        return f"each member drawn with probability {float(self.rate):g}"

    def _laws(self, kinds: Sequence[int]) -> list[dict[int, Fraction]]:
        return [{0: 1 - self.rate, add: self.rate} if add else {0: Fraction(1)} for add in kinds]

    def rest(self, members: Mapping[int, int]) -> tuple[SpanLaw, bool]:
        kinds = [add for add, count in members.items() if count]
        return sum_law([(law, members[add]) for law, add in zip(self._laws(kinds), kinds, strict=True)])

    def answer(self, asked: SampleAsked) -> Answer:
        if asked.facts.presence:
            return WorstOf(tuple(self._presence(asked, add) for add in asked.kinds if add))
        if not asked.told:
            return self._unknown(asked)
        if asked.channel.period:
            return self.searched(asked, asked.members, asked.known + 1, asked.facts.pairs)
        crowd = crowd_of(self._laws(asked.kinds), [asked.members[add] for add in asked.kinds])
        return Crowded(crowd, adds=frozenset())

    def _presence(self, asked: SampleAsked, add: int) -> Answer:
        others, pairs = asked.without(add), (Pair(add, 0), Pair(0, add))
        if not asked.known:
            return self.searched(asked, others, 0, pairs)
        kinds = [kind for kind, count in others.items() if count]
        crowd = crowd_of(self._laws(kinds), [others[kind] for kind in kinds])
        if not isinstance(crowd, YesNo):
            return self.searched(asked, others, asked.known, pairs)
        # the target is out already, so only the known ones are taken out
        return Crowded(crowd, asked.known - 1, pairs, anywhere=True, adds=frozenset())

    def _unknown(self, asked: SampleAsked) -> Answer:
        """Populations in which one member, who may or may not be drawn, has one value or another."""
        check_pairs(asked.adds)
        period = asked.channel.period
        attained = not (period and asked.known)

        def without(removal: Removal, anywhere: bool) -> Answer:  # noqa: FBT001 - as the node has it
            law = self.rest(_left(asked.members, removal))[0].spread_out()
            worlds = (mixture([(self.rate, law.shifted(add)), (1 - self.rate, law)]) for add in asked.adds)
            return GivenFact(tuple(map(on_integers, worlds)), range(period) if anywhere else asked.places)

        counts = tuple(asked.members.values())
        return WorstKnown(counts, asked.known + 1, without, attained, moved=asked.facts.reach)


def check_pairs(adds: Sequence[int]) -> None:
    """Refuse to compare too many laws pair by pair."""
    if len(set(adds)) > KINDS or wide(adds):
        raise InputError(
            f"Here every two values are compared by themselves, and only up to {KINDS} that add different amounts, but "
            f"there are {len(set(adds))}. Declare a coarser unit, or fewer values."
        )


def on_integers(law: Law) -> SpanLaw:
    """The law as one on the lattice of whole numbers."""
    return SpanLaw(law, 0, 1)


@final
@dataclass(frozen=True, slots=True)
class Poisson(_Apart):
    """Every member stands in the data a Poisson number of times with this mean; the target once, or not at all."""

    rate: Fraction

    def fraction(self, members: int) -> Fraction:
        return self.rate

    def __str__(self) -> str:
        return f"each member drawn a Poisson number of times, {float(self.rate):g} on average"

    def rest(self, members: Mapping[int, int]) -> tuple[SpanLaw, bool]:
        kinds = {add: count for add, count in members.items() if add and count}
        if not kinds:
            return SpanLaw(point(0), 0, 0), True
        span = math.gcd(*kinds)
        law = point(0)
        for add, count in kinds.items():
            law = convolve(law, spread(poisson(self.rate * count), add // span))
        return SpanLaw(law, 0, span), len(kinds) == 1

    def answer(self, asked: SampleAsked) -> Answer:
        if asked.facts.presence:
            return WorstOf(
                tuple(
                    self.searched(asked, asked.without(add), asked.known, (Pair(add, 0), Pair(0, add)))
                    for add in asked.kinds
                    if add
                )
            )
        return self.searched(asked, asked.members, asked.known + 1, asked.facts.pairs)


@final
@dataclass(frozen=True, slots=True)
class Independently(Design):
    """Records are drawn one by one, each a member of the population with its shares: a fixed number of them, or a
    random one.

    The target is one of the records or none of them. If a number N of records has probability p(N), then given that k
    known persons are among them it has a weight p(N) N (N-1) ... (N-k+1), and the target counts as one more: named
    persons are found in large samples sooner than in small ones.
    """

    sizes: tuple[
        tuple[int, int], ...
    ]  # a number of records, and a whole number that its probability is proportional to

    @property
    def size_is_public(self) -> bool:
        return len(self.sizes) == 1

    def records(self, members: int) -> int:
        return max(size for size, _ in self.sizes)

    def fraction(self, members: int) -> Fraction | None:
        return None

    def __str__(self) -> str:
        return f"{told_sizes(self.sizes)} drawn one by one from the shares of a population"

    def answer(self, asked: SampleAsked) -> Answer:
        if asked.facts.presence:
            return self._presence(asked)
        if len(self.sizes) == 1:
            return Crowded(crowd_of([self._shares(asked)], [self.sizes[0][0]]), adds=frozenset())
        return WorstOf(tuple(self._by_value(asked, number) for number in self._numbers(asked)))

    def _by_value(self, asked: SampleAsked, known: int) -> Answer:
        shares, channel = self._shares(asked), asked.channel
        places: Sequence[int] = residues(frozenset(shares), known, channel.period) if channel.period else (0,)
        if channel.period and asked.facts.anywhere:
            places = range(channel.period)
        return Remainder(on_integers(self._after(shares, known, 1)), places=places)

    def _numbers(self, asked: SampleAsked) -> Sequence[int]:
        """How many records may be known. Where the size is random, a known record tells about it, so that fewer of
        them may tell more: then all numbers count.
        """
        numbers = range(asked.known + 1) if len(self.sizes) > 1 else (asked.known,)
        if len(numbers) * len(self.sizes) > MOST_LAWS:
            raise InputError(
                f"For a random number of records, {asked.known} known ones times {len(self.sizes)} sizes are too many "
                f"to go through (at most {MOST_LAWS}). State fewer known records, or fewer sizes."
            )
        return numbers

    def _shares(self, asked: SampleAsked) -> dict[int, Fraction]:
        return {add: Fraction(asked.members[add], asked.size) for add in asked.kinds}

    def _presence(self, asked: SampleAsked) -> Answer:
        check_pairs(asked.kinds)
        moved = max(asked.kinds) - min(asked.kinds) if len(self.sizes) == 1 else None
        whole = WorstOf(tuple(self._knowing(asked, number) for number in self._numbers(asked)))
        return BoundedBy((whole,), (whole,), moved)

    def _knowing(self, asked: SampleAsked, known: int) -> Answer:
        shares, period = self._shares(asked), asked.channel.period
        places = residues(frozenset(shares), known, period) if period else (0,)
        present, absent = (on_integers(self._after(shares, known, target)) for target in (1, 0))
        there = (SpanLaw(present.law, add, 1) for add in shares)
        return WorstOf(tuple(GivenFact((one, absent), places) for one in there))

    def _after(self, shares: Mapping[int, Fraction], known: int, target: int) -> Law:
        """The total of the records that are neither known nor the target's."""
        taken = known + target
        live = [(size, weight * math.perm(size, taken)) for size, weight in self.sizes if size >= taken]
        laws = [sum_law([(shares, size - taken)])[0].spread_out() for size, _ in live]
        return laws[0] if len(live) == 1 else averaged(chances([weight for _, weight in live]), laws)


def told_sizes(sizes: Sequence[tuple[int, int]]) -> str:
    """A number of records in words."""
    if len(sizes) == 1:
        return f"{sizes[0][0]} records"
    return f"{min(size for size, _ in sizes)} to {max(size for size, _ in sizes)} records, a random number,"
