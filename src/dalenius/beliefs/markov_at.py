r"""A Markov chain whose records at stated places are known: exactly.

The known records cut the chain into stretches that are independent given what is known. Only the one with the target
depends on it; the others add independent sums. So the world in which X_i = a is a convolution of the target's stretch,
given its two ends and X_i = a, and of all others, given their ends. Everything is computed for stated values of the
known records. Their worst values are found by going through all that are possible together; where they are
too many (`most_ways`), δ is bracketed: below by some of them, above by the bound for attackers who know as many records
anywhere.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import islice, pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.facts.records import Label
from dalenius.numerics.chain import MarkovChain, afters, befores, total, world
from dalenius.numerics.chainspectrum import connected
from dalenius.numerics.chainworlds import worlds
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law, point

SHORT = 1_000_000_000  # additions up to which all records are gone through one by one
MOST_WORK = 8_000_000_000  # and for chains that the other way does not cover
MOST_NUMBERS = 60_000_000  # masses that are kept
MOST = 512  # ways to have the values of the known records that are gone through
ADDITIONS = 5_000_000_000  # and so many additions for all of them
WINDOWS = 3_000  # and in chains that need frequencies, laws times the square root of the largest sum
SOME = 4  # of more ways, those that are gone through for a lower bound

Places: TypeAlias = Iterable[int] | Mapping[int, Label | Fraction]
Pins: TypeAlias = Mapping[int, int]  # the state of each known record, by place, from 1 up
Groups: TypeAlias = list[Sequence[Law | None]]


def one_by_one(chain: MarkovChain) -> bool:
    """Whether the chain is short enough to go through its records one by one."""
    numbers = chain.size * chain.n * (chain.highest + 1)
    work = numbers * chain.sums // 6  # each record and value costs a convolution
    return not (numbers > MOST_NUMBERS or (work > SHORT and (connected(chain) or work > MOST_WORK)))


def places_one_by_one(chain: MarkovChain) -> Groups:
    """A law for each record and each of its states, None if it is impossible. Cost O(n states length²)."""
    rights = list(afters(chain))
    return [
        [
            world(before, after, state, chain) if before.masses[state].any() and after.masses[state].any() else None
            for state in range(chain.size)
        ]
        for before, after in zip(befores(chain), reversed(rights), strict=True)
    ]


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownPlaces:
    """The ways in which the records at some places can be known: the stated state of each, or any (None)."""

    chain: MarkovChain
    wanted: Mapping[int, int | None]
    _reached: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    def ways(self) -> Iterator[dict[int, int]]:
        """All states that these records can have together. Cost O(known) for each."""
        places = sorted(self.wanted)
        open_from: list[list[bool]] = [[True] * self.chain.size]  # what lies behind puts no bounds
        for two, one in pairwise(reversed(places)):
            follow = self._after(two - one) & np.array(open_from[0])[None, :] & self._allowed(two)[None, :]
            open_from.insert(0, follow.any(axis=1).tolist())

        def extended(found: dict[int, int], number: int) -> Iterator[dict[int, int]]:
            if number == len(places):
                yield found
                return
            place = places[number]
            may = self._from(found, place) & self._allowed(place) & np.array(open_from[number])
            for state in np.flatnonzero(may).tolist():
                yield from extended({**found, place: state}, number + 1)

        yield from extended({}, 0)

    def _allowed(self, place: int) -> NDArray[np.bool_]:
        state = self.wanted[place]
        return np.array([state is None or state == one for one in range(self.chain.size)])

    def _from(self, found: Mapping[int, int], place: int) -> NDArray[np.bool_]:
        """Which states the record at this place may have, given the known one before it."""
        if found:
            last = max(found)
            return np.asarray(self._after(place - last)[found[last]])
        begun = np.array([bool(chance) for chance in self.chain.start])
        return np.asarray(begun if place == 1 else self._after(place - 1)[begun].any(axis=0))

    def _after(self, steps: int) -> NDArray[np.bool_]:
        """From which state which other can be reached in so many steps: no chance is so small that it is none."""
        if steps not in self._reached:
            arrows = np.array([[int(bool(chance)) for chance in row] for row in self.chain.moves])
            found, left = np.eye(self.chain.size, dtype=int), steps
            while left:
                if left & 1:
                    found = (found @ arrows > 0).astype(int)
                arrows, left = (arrows @ arrows > 0).astype(int), left >> 1
            self._reached[steps] = found.astype(bool)
        return self._reached[steps]


def stretches(chain: MarkovChain, pins: Pins) -> dict[int, MarkovChain]:
    """The stretches between known records, by the place of their first record."""
    found, places = {}, sorted(pins)
    for one, two in pairwise([0, *places, chain.n + 1]):
        if two - one > 1:
            start = chain.moves[pins[one]] if one else chain.start
            end = tuple(row[pins[two]] for row in chain.moves) if two <= chain.n else ()
            found[one + 1] = MarkovChain(start, chain.moves, chain.adds, two - one - 1, end)
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class ChainCut:
    """A chain whose known records have stated states, and the laws of its sum, in its own units."""

    chain: MarkovChain
    pins: Pins
    short: bool

    def groups(self, target: int | None, *, every: bool = True) -> Iterator[Groups]:
        """For each stretch and each record of it (or groups of records that look alike; or for the stated one): the
        law of the whole sum given each of its states; None where a state is impossible. If not of `every` stretch, then
        of those at the ends, and of the longest and the shortest between them, which are told apart best.
        """
        if target is not None:
            yield [[self._given(target, state) for state in range(self.chain.size)]]
            return
        parts, moved = stretches(self.chain, self.pins), self._moved(self.pins)
        kept = parts if every else _telling(parts)
        for first, part in kept.items():
            others = [other for place, other in parts.items() if place != first]
            found = self._short(part, others) if self.short else self._long(part, others)
            yield [[law and law.shifted(moved) for law in states] for states in found]

    def _moved(self, pins: Pins) -> int:
        return sum(self.chain.adds[state] for state in pins.values())

    def _short(self, part: MarkovChain, others: Sequence[MarkovChain]) -> Groups:
        rest = reduce(convolve, map(total, others), point(0))
        return [[law and convolve(law, rest) for law in states] for states in places_one_by_one(part)]

    def _long(self, part: MarkovChain, others: Sequence[MarkovChain]) -> Groups:
        beside = tuple(Counter(others).items())
        return list(worlds(MarkovChain(part.start, part.moves, part.adds, part.n, part.end, beside)).laws)

    def _given(self, target: int, state: int) -> Law | None:
        """The law of the sum if the record at this place has this state too."""
        pins = {**self.pins, target: state}
        if next(KnownPlaces(self.chain, pins).ways(), None) is None:
            return None
        parts = list(stretches(self.chain, pins).values())
        if self.short:
            return reduce(convolve, map(total, parts), point(0)).shifted(self._moved(pins))
        # the target alone, with all stretches beside it
        start = tuple(Fraction(one == state) for one in range(self.chain.size))
        alone = MarkovChain(start, self.chain.moves, self.chain.adds, 1, (), tuple(Counter(parts).items()))
        law = worlds(alone).laws[0][state]
        return law and law.shifted(self._moved(self.pins))


def _telling(parts: Mapping[int, MarkovChain]) -> dict[int, MarkovChain]:
    """The stretches at the ends, and the shortest and the longest of the others."""
    inside = sorted(sorted(parts)[1:-1], key=lambda first: parts[first].n)
    kept = {min(parts), max(parts), *inside[:1], *inside[-1:]}
    return {first: part for first, part in parts.items() if first in kept}


def most_ways(chain: MarkovChain, known: int, *, short: bool) -> int:
    """How many ways to have the values of the known records can be gone through in some ten seconds."""
    if short:
        return max(1, min(MOST, ADDITIONS // (chain.size * chain.n * (chain.highest + 1) * chain.sums // 6 + 1)))
    return max(1, WINDOWS // ((known + 1) * math.isqrt(chain.highest)))


def all_cuts(chain: MarkovChain, wanted: Mapping[int, int | None]) -> tuple[list[ChainCut], bool]:
    """The chain with all states that the known records can have, and whether these are all; otherwise some of them:
    the first, and those in which as many known records as can be have one state.
    """
    short = one_by_one(chain)
    most = most_ways(chain, len(wanted), short=short)
    ways = KnownPlaces(chain, wanted)
    found = list(islice(ways.ways(), most + 1))
    if len(found) <= most:
        return [ChainCut(chain, pins, short) for pins in found], True
    alike = [next(KnownPlaces(chain, dict.fromkeys(wanted, state)).ways(), None) for state in range(chain.size)]
    some = [pins for pins in alike if pins is not None][:SOME] or found[:SOME]
    return [ChainCut(chain, pins, short) for pins in some], False


def checked_places(
    known_at: Places, target_at: int | None, chain: MarkovChain, states: Sequence[Label | Fraction]
) -> tuple[dict[int, int | None], int | None]:
    """The state of each known record, or None where it is not stated, and the place of the target."""
    if isinstance(known_at, str | int) or not isinstance(known_at, Iterable):
        raise InputError(
            f"known_at needs the places of known records, but got {known_at!r}. Write known_at=(3, 17) for the worst "
            "values there, or known_at={3: 1, 17: 0} for stated ones."
        )
    stated = isinstance(known_at, Mapping)
    for place in (*known_at, *(() if target_at is None else (target_at,))):
        if isinstance(place, bool) or not isinstance(place, int | np.integer) or not 1 <= place <= chain.n:
            raise InputError(
                f"Places in this chain are whole numbers from 1 to {chain.n}, but got {place!r}. Correct it."
            )
    found: dict[int, int | None] = {}
    for place in sorted(known_at):
        value = known_at[place] if isinstance(known_at, Mapping) else None
        if stated and value not in states:
            raise InputError(f"Record {place} needs one of the chain's values, but got {value!r}. Correct known_at.")
        if place in found:
            raise InputError(f"Each known record is named once, but {place} came twice. Leave one out.")
        found[int(place)] = states.index(value) if stated else None
    if len(found) >= chain.n:
        raise InputError(
            f"At least one of {chain.n} records must be unknown, but all are known. Leave the target's place out."
        )
    if target_at is not None and target_at in found:
        raise InputError(f"The secret is a record that is not known, but {target_at} is. Take it out of known_at.")
    _refuse_impossible(chain, found, states)
    return found, target_at


def _refuse_impossible(
    chain: MarkovChain, wanted: Mapping[int, int | None], states: Sequence[Label | Fraction]
) -> None:
    if next(KnownPlaces(chain, wanted).ways(), None) is not None:
        return
    places = sorted(wanted)
    first = next(
        number
        for number in range(len(places))
        if next(KnownPlaces(chain, {place: wanted[place] for place in places[: number + 1]}).ways(), None) is None
    )
    before = f" if record {places[first - 1]} is {_told(wanted[places[first - 1]], states)}" if first else ""
    raise InputError(
        f"Known records need values that can come together in this chain, but record {places[first]} cannot be "
        f"{_told(wanted[places[first]], states)}{before}. Correct known_at."
    )


def _told(state: int | None, states: Sequence[Label | Fraction]) -> str:
    return "anything" if state is None else str(states[state])


def told_places(known_at: Mapping[int, int | None], states: Sequence[Label | Fraction]) -> str:
    """Who is known, in words."""
    shown = [f"{place}" + ("" if state is None else f" = {states[state]}") for place, state in known_at.items()]
    more = f" and {len(shown) - 4} more" if len(shown) > 5 else ""
    return f"record{'s' * (len(shown) > 1)} {', '.join(shown[: 4 if more else 5])}{more}"
