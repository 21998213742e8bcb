"""Households whose members move together, by all their states: exact fractions, no code of the engine.

A household is a joint law of its members' values. Nothing is assumed of it but what it is; how much of each member is
its own, given the rest, is read from it.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp

State = tuple[int, ...]
Joint = Mapping[State, Fraction]
Total = tuple[int, ...]
Adds = Callable[[int, int, int], Total]  # of a household, a member and its value: what it adds to the numbers


def joints(law: Sequence[Fraction], size: int, rng: random.Random) -> dict[State, Fraction]:
    """A joint law of `size` members: some of it everybody alike, some of it anything, some of it each by itself."""
    states = list(itertools.product(range(len(law)), repeat=size))
    alike, wild = Fraction(rng.randint(0, 3)), [Fraction(rng.randint(0, 2)) for _ in states]
    own, found = Fraction(rng.randint(10, 80)), {}
    for state, some in zip(states, wild, strict=True):
        chance = own
        for value in state:
            chance *= law[value]
        chance += alike * law[state[0]] if len(set(state)) == 1 else 0
        found[state] = chance + some / (4 * len(states))
    whole = sum(found.values())
    return {state: chance / whole for state, chance in found.items()}


def own_weight(joint: Joint, law: Sequence[Fraction]) -> Fraction:
    """The largest w such that every member, given the rest, follows the law with weight at least w."""
    least = Fraction(1)
    size = len(next(iter(joint)))
    for member in range(size):
        for state in joint:
            rest = [(*state[:member], value, *state[member + 1 :]) for value in range(len(law))]
            whole = sum((joint[other] for other in rest), Fraction(0))
            if whole and law[state[member]]:
                least = min(least, joint[state] / whole / law[state[member]])
    return least


ABSENT = -1  # the value of a member who is not there
Compared = Callable[[State, State], bool]


def largest_delta(
    homes: Sequence[Joint],
    adds: Adds,
    known: int,
    epsilon: float,
    *,
    compared: Compared = lambda _one, _two: True,
    absent: bool = False,
) -> float:
    """The worst over households, two of their states that are compared, which others are known and what they say. A
    member may be `absent` if that is secret, and then adds nothing.
    """
    members = [(home, member) for home, joint in enumerate(homes) for member in range(len(next(iter(joint))))]
    worst = 0.0
    for target in range(len(homes)):
        others = [one for one in members if one[0] != target]
        values = sorted({value for state in homes[target] for value in state} | ({ABSENT} if absent else set()))
        states = list(itertools.product(values, repeat=len(next(iter(homes[target])))))
        facts = {
            (_total(target, one, adds), _total(target, two, adds))
            for one, two in itertools.permutations(states, 2)
            if compared(one, two)
        }
        for seen in itertools.combinations(others, min(known, len(others))):
            for known_values in _values(homes, seen):
                law = _law([home for home in range(len(homes)) if home != target], homes, adds, dict(known_values))
                for one, two in facts:
                    worst = max(worst, stick(_moved(law, one), _moved(law, two), epsilon))
    return worst


def _values(
    homes: Sequence[Joint], seen: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[tuple[int, int], int], ...]]:
    sizes = [{state[member] for state in homes[home]} for home, member in seen]
    for values in itertools.product(*sizes):
        yield tuple(zip(seen, values, strict=True))


def _law(
    some: Sequence[int], homes: Sequence[Joint], adds: Adds, known: Mapping[tuple[int, int], int]
) -> dict[Total, Fraction]:
    """The law of what the households add, given what is known; empty if that cannot be."""
    law: dict[Total, Fraction] = {}
    for home in some:
        mine: dict[Total, Fraction] = {}
        for state, chance in homes[home].items():
            if chance and all(state[m] == value for (h, m), value in known.items() if h == home):
                total = _total(home, state, adds)
                mine[total] = mine.get(total, Fraction(0)) + chance
        whole = sum(mine.values(), Fraction(0))
        if not whole:
            return {}
        mine = {total: chance / whole for total, chance in mine.items()}
        if not law:
            law = mine
            continue
        more: dict[Total, Fraction] = {}
        for one, p in law.items():
            for two, q in mine.items():
                at = tuple(a + b for a, b in zip(one, two, strict=True))
                more[at] = more.get(at, Fraction(0)) + p * q
        law = more
    return law


def _total(home: int, state: State, adds: Adds) -> Total:
    nothing = tuple(0 for _ in adds(home, 0, 0))
    each = [nothing if value == ABSENT else adds(home, member, value) for member, value in enumerate(state)]
    return tuple(map(sum, zip(*each, strict=True)))


def _moved(law: Mapping[Total, Fraction], by: Total) -> dict[Total, Fraction]:
    return {tuple(a + b for a, b in zip(at, by, strict=True)): chance for at, chance in law.items()}


def stick(one: Mapping[Total, Fraction], two: Mapping[Total, Fraction], epsilon: float) -> float:
    return sum(max(0.0, float(chance) - exp(epsilon) * float(two.get(at, 0))) for at, chance in one.items())
