"""Samples without replacement: so many different members, or a random number of them; each set equally likely.

Given that the target is drawn, the rest is a sample of one less from the other members; given that they are not, a
sample of the whole size from the others. What is known of a member is their value and whether they were drawn. If j of
k known members were drawn, a sample size s has the weight p(s) s(s-1)...(s-j+1) (N-s)...(N-s-k+j+1), the target
counting as one more of those drawn, or not drawn; s - j draws from the others, the target included, are left.

Every set of known members, and everything that can be known of them, counts. If the size is fixed, more knowledge is
never better for the target: put the others in random order, so that the sample is those who come first. To be told who
comes first, or last, says as much in both worlds; so there is somebody whom to reveal does not lower δ.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import (
    EVERYTHING,
    NOTHING,
    Answer,
    BoundedBy,
    GivenFact,
    MeanOf,
    Proved,
    Remainder,
    WorstOf,
)
from dalenius.beliefs.crowd import SpanLaw
from dalenius.beliefs.designs import Design, SampleAsked, check_pairs, told_sizes
from dalenius.beliefs.two_kinds import Corner, MovedCorner, Present, TwoKinds
from dalenius.facts.secret import Pair
from dalenius.numerics.law import mixture, point
from dalenius.numerics.logconcave import averaged, chances
from dalenius.numerics.withoutreplacement import Urn

Known: TypeAlias = tuple[int, ...]  # known members of each kind
LISTED = 600  # sets of known members, and of how many of them were drawn, that are gone through one by one
NOBODY_ELSE = BoundedBy((EVERYTHING,))  # what is known settles it, so that there are no two worlds
MONOTONE = "draws from two kinds of members: ratios of masses are monotone"
LONGEST = 8  # steps between two values, for the search over two kinds


@final
@dataclass(frozen=True, slots=True)
class WithoutReplacement(Design):
    """A simple random sample of a fixed or a random size."""

    sizes: tuple[tuple[int, int], ...]  # a size, and a whole number that its probability is proportional to

    @property
    def size_is_public(self) -> bool:
        return len(self.sizes) == 1

    def records(self, members: int) -> int:
        return members

    def fraction(self, members: int) -> Fraction:
        whole = sum(weight for _, weight in self.sizes)
        return Fraction(sum(size * weight for size, weight in self.sizes), whole * members)

    def __str__(self) -> str:
        return f"{told_sizes(self.sizes)} drawn without replacement"

    def answer(self, asked: SampleAsked) -> Answer:
        if len(self.sizes) > 1 and asked.facts.presence and asked.known:
            # a known member tells about the size, so that fewer of them may tell more: the worst number
            return WorstOf(tuple(self._knowing(replace(asked, known=known)) for known in range(asked.known + 1)))
        return self._knowing(asked)

    def _knowing(self, asked: SampleAsked) -> Answer:
        worlds = SampleWorlds(asked, self.sizes)
        if not worlds.span:
            return NOTHING
        if asked.facts.presence or not asked.told:
            check_pairs(asked.adds)
        moved = worlds.reach if len(self.sizes) == 1 else None
        if worlds.number() <= LISTED:
            found = tuple(worlds.all())
            return BoundedBy((whole := WorstOf(found),), (whole,), moved) if found else NOBODY_ELSE
        if len(self.sizes) > 1 or len(asked.kinds) > 2 or worlds.longest() > LONGEST:
            raise InputError(
                f"If {asked.known} members are known, there are too many ways to know them to go through for a sample "
                "without replacement, unless its size is fixed and members add one of two numbers. State fewer known "
                "members, count something, or take the sample as drawn with a rate (rate=...)."
            )
        exactly = worlds.two_kinds()
        below = tuple(worlds.some())
        if asked.channel.exact and (asked.told or asked.facts.presence):
            return exactly
        above: tuple[Answer, ...] = (exactly, *worlds.noise_alone())
        if not (asked.told or asked.facts.presence):
            # the worlds agree where the target is not drawn
            share = Fraction(min(self.sizes[0][0], asked.size - asked.known), asked.size - asked.known)
            above = tuple(MeanOf(((share, one), (1 - share, NOTHING))) for one in above)
        return BoundedBy(above, below, moved)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SampleWorlds:
    """What is left of a sample once something is known, on the lattice of what members add."""

    asked: SampleAsked
    sizes: tuple[tuple[int, int], ...]
    _urns: dict[Known, Urn] = field(default_factory=dict, repr=False)

    @property
    def base(self) -> int:
        """What every member adds at least, if the size is fixed: then it only moves the total."""
        return min(self._all) if len(self.sizes) == 1 else 0

    @property
    def _all(self) -> set[int]:
        return {*self.asked.adds, *self.asked.kinds}

    @property
    def span(self) -> int:
        return math.gcd(*(add - self.base for add in self._all))

    @property
    def reach(self) -> int:
        """The most by which one member moves the total, where somebody else takes their place."""
        return max(self._all) - min(self._all)

    def longest(self) -> int:
        """The largest number of steps between two values, where members have one of two."""
        kinds = self.asked.kinds
        step = abs(kinds[-1] - kinds[0]) if len(kinds) == 2 else 0
        return 1 if self.asked.facts.presence or not step else self.reach // step

    # -- what may be known ------------------------------------------------------------------------------------------

    def _drawn(self) -> range:
        """How many of the known members may be drawn, if the target is."""
        least, most = min(size for size, _ in self.sizes), max(size for size, _ in self.sizes)
        known, size = self.asked.known, self.asked.size
        return range(max(0, known - (size - least)), min(known, most - 1) + 1)

    def _targets(self) -> list[int | None]:
        return list(self.asked.kinds) if self.asked.facts.presence else [None]

    def _counts(self, target: int | None) -> dict[int, int]:
        return dict(self.asked.members) if target is None else self.asked.without(target)

    def _removed(self, target: int | None) -> int:
        """How many are taken out: the known, and a target of any kind where the kind does not matter."""
        return self.asked.known + (target is None)

    def number(self) -> int:
        """How many cases there are."""
        ways = sum(_ways(tuple(self._counts(t).values()), self._removed(t)) for t in self._targets())
        return ways * len(self._drawn())

    def all(self) -> Iterator[Answer]:
        """All of them."""
        for target in self._targets():
            for known in _removals(tuple(self._counts(target).values()), self._removed(target)):
                for drawn in self._drawn():
                    yield from self._case(target, known, drawn)

    def some(self) -> Iterator[Answer]:
        """Those in which only one kind is known, as far as there are enough of it, and most or least were drawn."""
        for target in self._targets():
            counts = tuple(self._counts(target).values())
            for order in (range(len(counts)), range(len(counts) - 1, -1, -1)):
                left, known = self._removed(target), [0] * len(counts)
                for kind in order:
                    known[kind] = min(left, counts[kind])
                    left -= known[kind]
                for drawn in {self._drawn()[0], self._drawn()[-1]}:
                    yield from self._case(target, tuple(known), drawn)

    # -- one case -----------------------------------------------------------------------------------------------------

    def _case(self, target: int | None, known: Known, drawn: int) -> Iterator[Answer]:
        asked, counts = self.asked, self._counts(target)
        left = tuple(count - out for count, out in zip(counts.values(), known, strict=True))
        present = self._rest(left, drawn, 1)
        if present is None:
            return
        places = self._places(target, known, drawn)
        if target is None and asked.told:
            steps = {(add - self.base) // self.span for add, count in zip(counts, left, strict=True) if count}
            concave = len(self.sizes) == 1 and (len(steps) < 2 or max(steps) - min(steps) == 1)
            yield Remainder(present, concave, places)
            return
        absent = self._rest(left, drawn, 0)
        if absent is None:
            if target is None:  # the target is sure to be drawn
                yield GivenFact(tuple(self._plus(present, add) for add in asked.adds), places)
            return
        if target is not None:
            yield GivenFact((self._plus(present, target), self._plus(absent, None)), places)
            return
        share = self._share(drawn)
        others = self._plus(absent, None)
        drawn_ones = (self._plus(present, add) for add in asked.adds)
        mixed = (mixture([(share, one.law), (1 - share, others.law)]) for one in drawn_ones)
        yield GivenFact(tuple(SpanLaw(law, others.offset, others.span) for law in mixed), places)

    def _weights(self, drawn: int, target: int) -> list[tuple[int, int]]:
        """Draws that are left, with weights: `drawn` known members and the target (1) are drawn, the others are not."""
        inside, outside = drawn + target, self.asked.known - drawn + 1 - target
        found = [
            (size - inside, weight * math.perm(size, inside) * math.perm(self.asked.size - size, outside))
            for size, weight in self.sizes
            if size >= inside and self.asked.size - size >= outside
        ]
        return [(draws, 1) for draws, _ in found] if len(self.sizes) == 1 else found

    def _rest(self, left: Known, drawn: int, target: int) -> SpanLaw | None:
        """The total of the draws that are left, the target's not included; None if this cannot be."""
        weights = self._weights(drawn, target)
        if not weights:
            return None
        if left not in self._urns:
            self._urns[left] = Urn(tuple((add - self.base) // self.span for add in self.asked.members), left)
        laws = [self._urns[left].law(draws) for draws, _ in weights]
        law = laws[0] if len(laws) == 1 else averaged(chances([weight for _, weight in weights]), laws)
        return SpanLaw(law, self.base * weights[0][0] if len(self.sizes) == 1 else 0, self.span)

    def _plus(self, rest: SpanLaw, add: int | None) -> SpanLaw:
        """The rest and what the target adds, on the one lattice that all totals of this size are on."""
        turns, place = divmod(rest.offset + (add or 0), self.span)
        return SpanLaw(rest.law.shifted(turns), place, self.span)

    def _share(self, drawn: int) -> Fraction:
        """The probability that the target is drawn, given what is known."""
        if len(self.sizes) == 1:
            return Fraction(self.sizes[0][0] - drawn, self.asked.size - self.asked.known)
        inside, outside = (sum(weight for _, weight in self._weights(drawn, target)) for target in (1, 0))
        return Fraction(inside, inside + outside)

    def _places(self, target: int | None, known: Known, drawn: int) -> Sequence[int]:
        """Where the known members who were drawn may put a rounded figure."""
        period = self.asked.channel.period
        if not period:
            return (0,)
        if self.asked.facts.anywhere:
            return range(period)
        members, found = tuple(self.asked.members), set[int]()
        for kind in range(len(known)) if target is None else (None,):
            if kind is None or known[kind]:
                others = tuple(out - (place == kind) for place, out in enumerate(known))
                found |= set(_sums(members, others, drawn, period))
        return sorted(found)

    # -- bounds -------------------------------------------------------------------------------------------------------

    def two_kinds(self) -> Answer:
        """The exact figure where members add one of two numbers, worst over all that may be known."""
        members, known = self.asked.members, self.asked.known
        if len(self.asked.kinds) < 2:
            return EVERYTHING
        low, high = sorted(self.asked.kinds)
        size, left, drawn = self.sizes[0][0], self.asked.size - 1 - known, self._drawn()
        if not self.asked.facts.presence:
            if any((pair.second - pair.first) % (high - low) for pair in self.asked.facts.pairs):
                return EVERYTHING
            ones = _range(members[high], members[low], known + 1)
            box = (*ones, size - 1 - drawn[-1], size - 1 - drawn[0])
            return Proved(TwoKinds(MovedCorner(self.longest()), box, left, self.asked.enough), MONOTONE)
        # both worlds must be possible: somebody else can still be drawn in the target's place
        least = max(drawn[0], known + 1 - (self.asked.size - size))
        if least > drawn[-1]:
            return NOBODY_ELSE
        present: Corner = Present()
        boxes = (
            (*_range(members[one] - 1, members[other], known), size - drawn[-1], size - least)
            for one, other in ((high, low), (low, high))
        )
        return WorstOf(tuple(Proved(TwoKinds(present, box, left, self.asked.enough), MONOTONE) for box in boxes))

    def noise_alone(self) -> Iterator[Answer]:
        """What noise guarantees whatever is known: somebody takes the target's place, or the value changes."""
        if self.asked.channel.period == 0 and not self.asked.channel.exact:
            moves = {abs(one - two) for one, two in itertools.combinations(self._all, 2)}
            yield Remainder(SpanLaw(point(0), 0, 0), pairs=tuple(Pair(0, move) for move in moves))


def _range(ones: int, zeros: int, removed: int) -> tuple[int, int]:
    """The least and the most ones that are left once so many members are taken out."""
    return ones - min(ones, removed), ones - max(0, removed - zeros)


def _ways(counts: Known, total: int) -> int:
    """The number of ways to take out `total` members, by kind; one more than `LISTED` if they are more."""
    found = 0
    for _ in _removals(counts, total):
        found += 1
        if found > LISTED:
            break
    return found


def _removals(counts: Known, total: int) -> Iterator[Known]:
    """All ways to take out `total` members, by kind."""
    if len(counts) == 1:
        if total <= counts[0]:
            yield (total,)
        return
    room = sum(counts[1:])
    for first in range(max(0, total - room), min(counts[0], total) + 1):
        for rest in _removals(counts[1:], total - first):
            yield (first, *rest)


def _sums(members: Known, known: Known, drawn: int, period: int) -> list[int]:
    """The residues of what `drawn` of the known members can add up to."""
    reached = np.zeros((drawn + 1, period), dtype=bool)
    reached[0, 0] = True
    for add, count in zip(members, known, strict=True):
        after = np.zeros_like(reached)
        for number in range(min(count, drawn) + 1):
            after[number:] |= np.roll(reached[: drawn + 1 - number], number * add % period, axis=1)
        reached = after
    return [int(place) for place in np.flatnonzero(reached[drawn])]
