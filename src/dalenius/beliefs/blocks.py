"""Records that move together in blocks: households, repeated visits. Blocks are independent of each other."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import NOTHING, Answer, GivenFact, Inquiry, WorstKnown, WorstOf
from dalenius.beliefs.belief import SHARE, Belief, Share, known_records, marginal_of
from dalenius.beliefs.common import sum_law
from dalenius.beliefs.crowd import SpanLaw
from dalenius.enclosure.formats import apart
from dalenius.facts.records import Label, exact, whole
from dalenius.facts.secret import Facts, wide
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.search import Removal

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Value: TypeAlias = Label | Fraction
States: TypeAlias = tuple[tuple[tuple[Value, ...], Fraction], ...]  # what a block's records may be, with probabilities
Adds: TypeAlias = tuple[tuple[int, Fraction], ...]  # a law of what a block adds, ascending
LARGEST = 4096  # states of a block
LONGEST = 12  # records of a block
KINDS = 8  # kinds of blocks, if the attacker knows records
INDEPENDENT = "blocks are independent of each other, and their records have the stated joint probabilities"
POSSIBLE = "only values that a record can have, given what is known of its block, are told apart"


@final
class Blocks(Belief):
    """Independent blocks of records. `blocks` lists (joint law of a block's records, how many such blocks); with
    `values` and `sizes={size: how many}`, all records of a block have one value, drawn from `values`.

    The secret is one record's value, and it moves the whole block: given X_t = a the block's total has another law than
    given X_t = b, and these two laws, each plus the sum of the other blocks, are what is compared. The attacker knows
    some records. Those in the target's block are conditioned on: every choice of them, and every value that they can
    have. Each one elsewhere counts as its whole block, since to reveal more of what is independent of the target never
    helps privacy; the worst blocks are found by branch and bound. So the upper end of the bracket is a bound; the
    lower end is an attacker who spends as many known records on a block as tell what it adds.

    Records of one block are not independent, so a value that is impossible given what is known has no world; it is
    not compared (single records: all values of the domain are).

    >>> import dalenius as dl
    >>> pair = {(0, 0): "0.5", (0, 1): "0.15", (1, 0): "0.15", (1, 1): "0.2"}
    >>> homes = Blocks([(pair, 400), ({(0,): "0.7", (1,): "0.3"}, 200)])
    >>> print(homes)
    independent blocks of 1 to 2 records, 2 kinds, n=1000, attacker knows 0
    >>> print(dl.verify(dl.Count(), dl.noiseless(homes), epsilon="1/2").delta)
    [2.267e-11, 2.268e-11]
    """

    def __init__(
        self,
        blocks: Iterable[tuple[Mapping[tuple[Value, ...], float | str | Fraction], int]] | None = None,
        *,
        values: Mapping[Value, float | str | Fraction] | None = None,
        sizes: Mapping[int, int] | None = None,
        known: Share = 0,
        domain: Iterable[Value] | None = None,
    ) -> None:
        if (blocks is None) == (values is None) or (values is None) != (sizes is None):
            raise InputError(
                "Blocks needs either blocks=[(joint law, how many), ...] or values={value: probability} and "
                "sizes={size: how many}. Give one of these."
            )
        if values is not None:
            blocks = _repeated(values, sizes or {})
        merged: dict[States, int] = {}
        for law, given in blocks or ():
            count = whole(given, name="The count of a kind of block")
            if count < 0:
                raise InputError(f"A kind of block needs a count of at least 0, but got {count}. Correct it.")
            states = _checked(law)
            merged[states] = merged.get(states, 0) + count
        self.kinds = tuple((states, count) for states, count in merged.items() if count)
        self.n = sum(len(states[0][0]) * count for states, count in self.kinds)
        if self.n < 1:
            raise InputError("Blocks needs at least one record, but got none. List blocks with a count of at least 1.")
        self.known = known_records(known, self.n)
        used = tuple(dict.fromkeys(v for states, _ in self.kinds for state, _ in states for v in state))
        self._domain = used if domain is None else tuple(dict.fromkeys(domain))
        if strays := [value for value in used if value not in self._domain]:
            raise InputError(f"The domain must hold every value of the blocks, but {strays[0]} is missing. Add it.")

    @property
    def assumes(self) -> tuple[str, ...]:
        return INDEPENDENT, POSSIBLE, SHARE

    @property
    def breaks(self) -> str:
        return "blocks that move together, or a person with records in several of them"

    def domain(self) -> Sequence[Value]:
        return self._domain

    @property
    def route(self) -> str:
        return "blocks of records that move together"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        facts, known = asked.facts, asked.known
        if facts.presence:
            raise InputError(
                "Blocks judges the value of a record, not whether a person is in the data: absence tells about the "
                "block. Give absence a value of its own (for example 'absent') in the joint law."
            )
        if len({statistic.contribution(value) for value in self._domain}) == 1:  # it says nothing about anybody
            return NOTHING
        if wide([statistic.contribution(value) for value in self._domain]):
            raise InputError("Blocks compares every two values of a record, and these are too many. Use coarser ones.")
        if known and len(self.kinds) > KINDS:
            raise InputError(
                f"If the attacker knows records, at most {KINDS} kinds of blocks can be searched, but there are "
                f"{len(self.kinds)}. Merge similar kinds."
            )
        adds = [_added(states, statistic) for states, _ in self.kinds]
        crowd = Crew(tuple(adds), tuple(count for _, count in self.kinds))
        prices = tuple(_price(states, statistic) for states, _ in self.kinds)
        attacks = (
            _Attack(crowd, kind, tuple(pairs), spent, prices).answer(asked)
            for kind, (states, _) in enumerate(self.kinds)
            for spent, pairs in self._pairs(states, statistic, facts, known).items()
        )
        return WorstOf(tuple(attacks))

    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(states[0][0]) for states, _ in self.kinds)

    def _pairs(
        self, states: States, statistic: "Statistic", facts: Facts, known: int
    ) -> dict[int, list[tuple[Adds, Adds]]]:
        """By the number of records known in the target's block: pairs of laws of what the others and the target add."""
        size, found = len(states[0][0]), dict[int, dict[tuple[Adds, Adds], None]]()
        for target, spent in itertools.product(range(size), range(min(size - 1, known) + 1)):
            for seen in itertools.combinations([place for place in range(size) if place != target], spent):
                worlds = _worlds(states, statistic, target, seen)
                if size == 1:  # a single record may have any value of the domain
                    worlds = [{v: ((statistic.contribution(v), Fraction(1)),) for v in self._domain}]
                for laws in worlds:
                    near = (two for two in itertools.combinations(laws, 2) if facts.allows(*two))
                    for one, two in dict.fromkeys((laws[a], laws[b]) for a, b in near if laws[a] != laws[b]):
                        found.setdefault(spent, {})[_reduced(one, two)] = None
        return {spent: list(pairs) for spent, pairs in found.items()}

    def __str__(self) -> str:
        sizes = sorted(set(self._sizes()))
        span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        return f"independent blocks of {span} records, {len(self.kinds)} kinds, n={self.n}, attacker knows {self.known}"


def _repeated(
    values: Mapping[Value, float | str | Fraction], sizes: Mapping[int, int]
) -> Iterator[tuple[dict[tuple[Value, ...], Fraction], int]]:
    law = marginal_of(values)
    for given, count in sizes.items():
        size = whole(given, name="The size of a block")
        if size < 1:
            raise InputError(f"A block needs a size of at least 1 record, but got {size}. Correct sizes={{...}}.")
        yield {(value,) * size: chance for value, chance in law}, count


def _checked(law: Mapping[tuple[Value, ...], float | str | Fraction]) -> States:
    states = tuple((state, exact(chance, name=f"The probability of {state}")) for state, chance in law.items())
    lengths = {len(state) for state, _ in states}
    if len(lengths) != 1 or not 1 <= min(lengths) <= LONGEST or len(states) > LARGEST:
        raise InputError(
            f"A block's joint law lists its states as tuples of one length, from 1 to {LONGEST} records, at most "
            f"{LARGEST} of them, but got {len(states)} states of lengths {sorted(lengths)}. Correct it."
        )
    total = sum((chance for _, chance in states), Fraction(0))
    if total != 1 or any(chance < 0 for _, chance in states):
        least = min(chance for _, chance in states)
        came = f"the least is {apart(least, 0)}" if least < 0 else f"they sum to {apart(total, 1)}"
        raise InputError(f"A block's probabilities must be at least 0 and sum to 1, but {came}. Correct the joint law.")
    return tuple((state, chance) for state, chance in states if chance)


def _added(states: Iterable[tuple[tuple[Value, ...], Fraction]], statistic: "Statistic") -> dict[int, Fraction]:
    law: dict[int, Fraction] = {}
    for state, chance in states:
        at = sum(statistic.contribution(value) for value in state)
        law[at] = law.get(at, Fraction(0)) + chance
    return law


def _worlds(states: States, statistic: "Statistic", target: int, seen: tuple[int, ...]) -> list[dict[Value, Adds]]:
    """For all that the seen records can be: the law of what the block adds, given each possible value of the target."""
    cut: dict[tuple[Value, ...], dict[Value, list[tuple[tuple[Value, ...], Fraction]]]] = {}
    for state, chance in states:
        given = tuple(state[place] for place in seen)
        cut.setdefault(given, {}).setdefault(state[target], []).append((state, chance))
    found = []
    for worlds in cut.values():
        laws = {}
        for value, part in worlds.items():
            whole = sum(chance for _, chance in part)
            law = _added(part, statistic)
            laws[value] = tuple((at, law[at] / whole) for at in sorted(law))
        found.append(laws)
    return found


def _reduced(one: Adds, two: Adds) -> tuple[Adds, Adds]:
    """Two worlds in a fixed order; both are compared with each other in both directions."""
    return (one, two) if one <= two else (two, one)


def _price(states: States, statistic: "Statistic") -> int:
    """How many records tell what a block adds: one or two, if these always do, else all of them."""
    size = len(states[0][0])
    totals = [sum(statistic.contribution(value) for value in state) for state, _ in states]
    for number in (1, 2)[: size - 1]:
        for seen in itertools.combinations(range(size), number):
            views = [tuple(state[place] for place in seen) for state, _ in states]
            if len(set(views)) == len(set(zip(views, totals, strict=True))):
                return number
    return size


def _apart(one: Adds, two: Adds) -> int:
    """The most by which a block can move the figure."""
    return max(one[-1][0] - two[0][0], two[-1][0] - one[0][0])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Crew:
    """Blocks by kind: what each adds, and how many there are."""

    adds: tuple[dict[int, Fraction], ...]
    counts: tuple[int, ...]
    _laws: dict[Removal, Law] = field(default_factory=dict, repr=False)

    def law(self, removal: Removal) -> Law:
        """The law of what is left without so many of each kind."""
        if removal not in self._laws:
            self._laws[removal] = self._left(removal)
        return self._laws[removal]

    def _left(self, removal: Removal) -> Law:
        left = [(law, count - out) for law, count, out in zip(self.adds, self.counts, removal, strict=True)]
        return sum_law([(law, count) for law, count in left if count])[0].spread_out()


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Attack:
    """On a record in a block of one kind, with `spent` of the known records in that block and the others elsewhere."""

    crew: Crew
    kind: int
    pairs: tuple[tuple[Adds, Adds], ...]
    spent: int
    prices: tuple[int, ...]  # records to know, so that what a block adds is known

    def answer(self, asked: Inquiry) -> WorstKnown:
        budget = asked.known - self.spent
        room = tuple(count - (kind == self.kind) for kind, count in enumerate(self.crew.counts))
        moved = max(_apart(*pair) for pair in self.pairs)
        places: Sequence[int] = (0,)
        some = tuple(self._known_blocks(room, budget))
        if asked.channel.period and asked.known:
            places, some = range(asked.channel.period), ()  # where the known records put the figure is not looked at
        without = partial(self._without, places=places)
        return WorstKnown(room, min(budget, sum(room)), without, attained=False, some=some, moved=moved)

    def _known_blocks(self, room: Removal, budget: int) -> set[Removal]:
        """Some sets of blocks that the budget pays for record by record: of each kind first, then of the others."""
        found = set()
        for first in range(len(room)):
            left, taken = budget, [0] * len(room)
            for kind in sorted(range(len(room)), key=lambda kind: (kind != first, self.prices[kind])):
                taken[kind] = min(room[kind], left // self.prices[kind])
                left -= taken[kind] * self.prices[kind]
            found.add(tuple(taken))
        return found

    def _without(self, removal: Removal, anywhere: bool, *, places: Sequence[int]) -> Answer:  # noqa: FBT001 - a node's
        rest = self.crew.law(tuple(count + (kind == self.kind) for kind, count in enumerate(removal)))
        worlds = ([SpanLaw(convolve(rest, law_of(dict(law))), 0, 1) for law in pair] for pair in self.pairs)
        return WorstOf(tuple(GivenFact(tuple(laws), places) for laws in worlds))
