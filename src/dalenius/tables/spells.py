"""A table that comes out again and again: one person's change over a spell of editions, hidden by who came, who left
and who changed.

Every person of a *stratum* is in the same cells of every edition in which they are there at all. Number the editions
that are out 1..m. A person is there from edition p to edition q; their value is a chain: from one edition to the next
it is drawn anew, from the same law, with a stated probability. Two histories of a person differ in one *spell*,
editions l to r, in which one has the value a throughout and the other b. Between them the published vector changes by
d·[l, r], where d is what b adds more than a. That is a part d·[l, m] and, if r < m, a part -d·[r + 1, m], each hidden
by coins that no other part uses (docs/series.md has the theorem and its proof):

    who came at l     b against a, all the time
    who was there     u before l, and from l on b against a, for each value u; with u = a or b one of the two has not
                      changed at all, and that mass is shared out among the parts
    who left before l a against b, all the time: changes by d·[l, m] - d·[1, m], and those who were there all the time
                      hide d·[1, m]

The number of coins of each kind is certain but for a small probability, which is added to δ.

Where coins are not enough and the published vector has few values (a few editions of some dozens of people), its joint
law is worked out: the sum of everybody's histories, against itself moved by d·[l, r].
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.coins import Vector, below
from dalenius.beliefs.crowd import law_of_rates
from dalenius.beliefs.joint import VectorCurve, joint_law_of, sure_parts
from dalenius.enclosure.excess import largest_masses
from dalenius.enclosure.outward import add_up, running_up
from dalenius.judge.engine import composed
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.shifts import ShiftCurve

MISSED = Fraction(1, 16)  # the part of δ that may be lost because there are fewer coins than counted
OFTEN = 1e-3  # how often there may be fewer coins than are mostly there
HUB = Fraction(1, 16)  # of those who were there all the time: the part that hides who left
ROUNDING = 1e-9  # more than a logarithm, a product and a sum of a few bounds lose
LARGEST_BOX = 1 << 20  # values of the published vector up to which its joint law is worked out
MOST_HISTORIES = 4096  # of one person
MOST_NODES = 100  # pairs of editions that are gone through one by one

Rate: TypeAlias = tuple[Fraction, Fraction]  # at least, at most
Masses: TypeAlias = Mapping[Vector, Fraction]  # at least


@final
@dataclass(frozen=True, slots=True)
class Stay:
    """People of one law who are there from one edition to another (numbered from 1), and how many the attacker knows
    of them at most.
    """

    first: int
    last: int
    law: tuple[tuple[Vector, Fraction], ...]  # what they add in one edition; no probability is below these
    people: int
    known: int


@final
@dataclass(frozen=True, slots=True)
class Coin:
    """So many people, each of whom is in one of two states with at least these probabilities."""

    people: int
    low: Fraction
    high: Fraction
    left: bool = False  # whether it changes the editions before, too

    @property
    def key(self) -> tuple[int, Fraction, Fraction]:
        return self.people, self.low, self.high


@final
@dataclass(frozen=True, slots=True)
class Stratum:
    """All who are in the same cells, and how often values are drawn anew from each edition to the next."""

    stays: tuple[Stay, ...]
    steps: tuple[Rate, ...]

    @property
    def editions(self) -> int:
        return len(self.steps) + 1

    def before(self, editions: int) -> "Stratum":
        """The same, as if only the first editions were out: who came later is in none of them."""
        kept = [stay for stay in self.stays if stay.first <= editions]
        cut = (Stay(stay.first, min(stay.last, editions), stay.law, stay.people, stay.known) for stay in kept)
        return Stratum(tuple(cut), self.steps[: editions - 1])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Spells:
    """Judges strata at one epsilon; `enough` is what is to be reached."""

    epsilon: Fraction
    enough: Fraction
    missed: Fraction = MISSED
    hub: Fraction = HUB
    _found: dict[tuple[object, ...], float] = field(default_factory=dict, repr=False, init=False)

    def upper(self, stratum: Stratum, facts: Sequence[Vector]) -> float:
        """A bound on δ for anybody of the stratum, worst over spells and over pairs of these facts."""
        found, pairs = self.by_coins(stratum, facts), _pairs(facts)
        if found <= self.enough or not _few(stratum, pairs):
            return found
        places, whole = range(len(stratum.stays)), 0.0
        miss = float(self.enough * self.missed)
        for place in places:  # whose person it is
            whole = max(whole, _told_at_once(stratum, pairs, place, miss).delta(self.epsilon).upper)
            if whole >= found:
                return found
        return whole

    def by_coins(self, stratum: Stratum, facts: Sequence[Vector]) -> float:
        """The same by coins only: noise on later editions may hide what is left beside these."""
        return max((self._pair(stratum, pair) for pair in _pairs(facts)), default=0.0)

    def _pair(self, stratum: Stratum, pair: tuple[Vector, Vector]) -> float:
        nodes = range(1, stratum.editions + 1)
        ends = [(one, two) for one in nodes for two in range(one + 1, stratum.editions + 2)]
        tables = [_coins(stratum, pair, end, self.hub) for end in ends]
        quick = max(map(self._one, _least(tables)))
        if quick <= self.enough or len(ends) > MOST_NODES:
            return quick
        worst = 0.0
        for table in reversed(tables):
            worst = max(worst, self._one(table))
            if worst > self.enough:  # nothing is gained
                return quick
        return worst

    def _one(self, table: "_SpellTable") -> float:
        """With those who left, or without them, whichever is better."""
        best = 1.0
        for some in (table.staying(), table):
            if best > self.enough:
                best = min(best, self._bound(some))
        return best

    def _bound(self, table: "_SpellTable") -> float:
        key = table.key
        if key not in self._found:
            self._found[key] = self._fresh(table)
        return self._found[key]

    def _fresh(self, table: "_SpellTable") -> float:
        """With as many coins as are there for almost certain; and else with as many as are mostly there, and where
        they are not, with those that almost certainly are.
        """
        parts = [*table.parts, *([table.hub] if table.corrected else [])]
        kinds = max(1, sum(len(part) for part in parts))
        rarely = float(self.enough * self.missed) / kinds
        fewest = composed([_curve(part, rarely) for part in parts]).delta(self.epsilon).upper
        bound = fewest + rarely * kinds
        if bound > self.enough and fewest < 1:
            mostly = composed([_curve(part, OFTEN) for part in parts]).delta(self.epsilon).upper
            bound = min(bound, mostly + OFTEN * kinds * fewest + rarely * kinds)
        return min(1.0, bound * (1 + ROUNDING))


def _pairs(facts: Sequence[Vector]) -> tuple[tuple[Vector, Vector], ...]:
    return tuple(pair for pair in combinations(facts, 2) if pair[0] != pair[1])


def _few(stratum: Stratum, pairs: Sequence[tuple[Vector, Vector]]) -> bool:
    """Whether the published vector has few enough values for its joint law, and a person few enough histories."""
    values = {vector for stay in stratum.stays for vector, _ in stay.law}.union(*pairs)
    people = sum(stay.people for stay in stratum.stays)
    reach = [max(axis) - min(axis) for axis in zip(*values, strict=True)]
    box = math.prod(people * step + 1 for step in reach) ** stratum.editions
    return int(box) <= LARGEST_BOX and len(values) ** stratum.editions <= MOST_HISTORIES


@lru_cache(maxsize=32)
def _told_at_once(stratum: Stratum, pairs: tuple[tuple[Vector, Vector], ...], target: int, miss: float) -> Curve:
    """All numbers of all editions at once, for a person of one of the stays: the histories of the others, without those
    of each stay that may be known, against the same moved by a spell. Where chances are only known from below, each
    history has a mass that its chance is not below; as many people as are certain but for `miss` have one of these.
    """
    editions = range(1, stratum.editions + 1)
    types = []
    for at, stay in enumerate(stratum.stays):
        every = stay.known >= stay.people - 1  # whom of another stay the attacker may know, too
        left = stay.people - stay.known - (at == target or every)
        masses = {
            _over(stay, history, stratum.editions): chance
            for history, chance in _histories(stay, stratum.steps[stay.first - 1 : stay.last - 1])
        }
        if left > 0 and any(masses.values()):
            types.append(({vector: chance for vector, chance in masses.items() if chance}, left))
    sure, missing = sure_parts(types, miss)
    if not sure:
        return Constant(1.0)
    spells = [(one, two) for one in editions for two in range(one, stratum.editions + 1)]
    shifts = dict.fromkeys(
        tuple(step for at in editions for step in (far if one <= at <= two else (0,) * len(far)))
        for far in (tuple(b - a for a, b in zip(*pair, strict=True)) for pair in pairs)
        for one, two in spells
    )
    return VectorCurve(joint_law_of(sure), tuple(shifts), missing)


def _histories(stay: Stay, steps: Sequence[Rate]) -> Iterator[tuple[tuple[Vector, ...], Fraction]]:
    """All values that somebody may have, edition by edition, with the least chance of that."""
    law = dict(stay.law)
    for values in product(sorted(law), repeat=len(steps) + 1):
        chance = law[values[0]]
        for (low, high), one, two in zip(steps, values, values[1:], strict=False):
            chance *= 1 - high * (1 - law[two]) if one == two else low * law[two]
        yield values, chance


def _over(stay: Stay, history: Sequence[Vector], editions: int) -> Vector:
    """What a history adds to the numbers of all editions, one after the other."""
    nothing = (0,) * len(history[0])
    there = dict(enumerate(history, stay.first))
    return tuple(step for at in range(1, editions + 1) for step in there.get(at, nothing))


@final
@dataclass(frozen=True, slots=True)
class _SpellTable:
    """The coins of each part of a change, and those of the hub."""

    parts: tuple[tuple[Coin, ...], ...]
    hub: tuple[Coin, ...]

    @property
    def corrected(self) -> bool:
        return any(coin.left for part in self.parts for coin in part)

    @property
    def key(self) -> tuple[object, ...]:
        hub = tuple(coin.key for coin in self.hub) if self.corrected else ()
        return tuple(tuple(coin.key for coin in part) for part in self.parts), hub

    def staying(self) -> "_SpellTable":
        """Without those who left."""
        return _SpellTable(tuple(tuple(coin for coin in part if not coin.left) for part in self.parts), self.hub)


def _coins(stratum: Stratum, pair: tuple[Vector, Vector], ends: tuple[int, int], hub: Fraction) -> _SpellTable:
    """The coins that hide a spell from one edition to before another; the second is m + 1 if it lasts."""
    live = [end for end in ends if end <= stratum.editions]
    parts = tuple(tuple(_part(stratum, pair, node, live, hub)) for node in live)
    return _SpellTable(parts, tuple(_hub(stratum, pair, hub)))


def _standing(law: Masses, pair: tuple[Vector, Vector]) -> tuple[Vector, Vector] | None:
    """Two values of others that differ as these two facts do: these, or where one of them is absence, or nobody's, the
    two whose masses are largest; None if there are none.
    """
    one, two = pair
    if one in law and two in law:
        return pair
    far = tuple(b - a for a, b in zip(one, two, strict=True))
    both = ((first, tuple(a + step for a, step in zip(first, far, strict=True))) for first in sorted(law))
    return max(
        ((first, second) for first, second in both if second in law),
        key=lambda some: min(law[some[0]], law[some[1]]),
        default=None,
    )


def _part(
    stratum: Stratum, pair: tuple[Vector, Vector], node: int, nodes: Sequence[int], hub: Fraction
) -> Iterator[Coin]:
    """Everything that can change the numbers by d from this edition on, and nothing else."""
    there: dict[tuple[object, ...], list[tuple[int, list[tuple[Fraction, Fraction]]]]] = {}
    for stay in stratum.stays:
        people, steps = stay.people - stay.known - 1, stratum.steps[stay.first - 1 : stay.last - 1]
        law = dict(stay.law)
        found = _standing(law, pair)
        if people <= 0 or found is None:
            continue
        one, two = found
        share = _share(stay, node, nodes, 1 - hub if stay.last == stratum.editions else Fraction(1))
        if stay.last == stratum.editions and stay.first == node:
            yield Coin(people, share * _same(law, one, steps), share * _same(law, two, steps))
        elif stay.last == stratum.editions and stay.first < node and share:
            there.setdefault((stay.law, share), []).append(
                (people, _changing(law, found, steps, node - stay.first, share))
            )
        elif stay.first == 1 and stay.last == node - 1:
            yield Coin(people, _same(law, two, steps), _same(law, one, steps), left=True)
    for some in there.values():  # those of one law, by the least of their masses
        people = sum(number for number, _ in some)
        for masses in zip(*(rows for _, rows in some), strict=True):
            yield Coin(people, min(low for low, _ in masses), min(high for _, high in masses))


def _changing(
    law: Masses, pair: tuple[Vector, Vector], steps: Sequence[Rate], at: int, share: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """Each value before, and then one or the other of the pair: both masses. Who does not change counts by a share."""
    one, two = pair

    def mass(before: Vector, after: Vector) -> Fraction:
        if before == after:
            return share * _same(law, before, steps)
        start = _same(law, before, steps[: at - 1])
        stay = math.prod((1 - high * (1 - law[after]) for _, high in steps[at:]), start=Fraction(1))
        return start * steps[at - 1][0] * law[after] * stay

    return [(mass(before, one), mass(before, two)) for before in sorted(law)]


def _same(law: Masses, value: Vector, steps: Sequence[Rate]) -> Fraction:
    """The least probability of one value in all editions: not drawn anew, or drawn again."""
    return law[value] * math.prod((1 - high * (1 - law[value]) for _, high in steps), start=Fraction(1))


def _share(stay: Stay, node: int, nodes: Sequence[int], whole: Fraction) -> Fraction:
    """The part of those who never change that this edition may use; no mass is used twice."""
    if stay.first in nodes and stay.first > 1:
        return Fraction(int(stay.first == node))
    mine = [other for other in nodes if other >= stay.first]
    most = whole if stay.first == 1 else Fraction(1)
    return most / len(mine) if node in mine else Fraction(0)


def _hub(stratum: Stratum, pair: tuple[Vector, Vector], share: Fraction) -> Iterator[Coin]:
    """Those who were there all the time, for the part of them that hides who left."""
    for stay in stratum.stays:
        people, law = stay.people - stay.known - 1, dict(stay.law)
        found = _standing(law, pair)
        if (stay.first, stay.last) == (1, stratum.editions) and people > 0 and found is not None:
            one, two = found
            yield Coin(people, share * _same(law, one, stratum.steps), share * _same(law, two, stratum.steps))


def _least(tables: Iterable[_SpellTable]) -> list[_SpellTable]:
    """Tables below all that have the same form: of each coin the fewest people and the least masses."""
    forms: dict[tuple[object, ...], list[_SpellTable]] = {}
    for table in tables:
        forms.setdefault(_form(table), []).append(table)
    return [_below(some) for some in forms.values()]


def _form(table: _SpellTable) -> tuple[object, ...]:
    return tuple(tuple(coin.left for coin in part) for part in table.parts)


def _below(tables: Sequence[_SpellTable]) -> _SpellTable:
    parts = tuple(
        tuple(_fewest(coins) for coins in zip(*(table.parts[place] for table in tables), strict=True))
        for place in range(len(tables[0].parts))
    )
    return _SpellTable(parts, tables[0].hub)


def _fewest(coins: Sequence[Coin]) -> Coin:
    low, high = min(coin.low for coin in coins), min(coin.high for coin in coins)
    return Coin(min(coin.people for coin in coins), low, high, coins[0].left)


def _curve(part: Sequence[Coin], miss: float) -> Curve:
    """As many coins of each kind as are there but for a probability of `miss` each, against one more."""
    rates, counts = [], []
    for coin in part:
        if not coin.low or not coin.high:
            continue
        rate = float(coin.high / (coin.low + coin.high))
        exactly = Fraction(rate)
        if not 0 < exactly < 1:
            continue
        weight = below(min(coin.low / (1 - exactly), coin.high / exactly, Fraction(1)))
        number = certainly(coin.people, weight, miss)
        if number:
            rates.append(rate)
            counts.append(number)
    if not counts:
        return Constant(1.0)
    merged: dict[float, int] = {}
    for rate, number in zip(rates, counts, strict=True):
        merged[rate] = merged.get(rate, 0) + number
    law = law_of_rates(np.array(list(merged)), np.array(list(merged.values()), dtype=np.int64))
    return ShiftCurve(law, (1,))


def certainly(people: int, weight: float, miss: float) -> int:
    """A number of successes that so many trials have at least, but for a probability of at most `miss`.

    >>> certainly(10000, 0.5, 1e-9) < 5000, certainly(10, 1.0, 1e-9), certainly(10, 0.5, 1e-9)
    (True, 10, 0)
    """
    if weight >= 1:
        return people
    if weight <= 0 or miss <= 0:
        return 0
    law = law_of_rates(np.array([weight]), np.array([people], dtype=np.int64))
    if law.tail > miss:
        return 0
    fewer = add_up(running_up(largest_masses(law.mass, law.error)), law.tail)
    # fewer[i] bounds P(at most start + i), so that start + i + 1 is certain where it is small enough
    return law.start + int(np.searchsorted(fewer, miss, side="right"))
