"""All histories of a few people over a few editions, in exact fractions: nothing of the engine is used."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

History = tuple[int | None, ...]  # a value for each edition, None where the person is not there
Law = Mapping[tuple[int, ...], Fraction]  # of the published vector


def histories(first: int, last: int, law: Sequence[Fraction], steps: Sequence[Fraction]) -> dict[History, Fraction]:
    """Values by number, with their probability: from one edition to the next the value is drawn anew with
    probability `steps[k]`, from `law`; otherwise it stays.
    """
    editions, found = len(steps) + 1, {}
    for values in product(range(len(law)), repeat=last - first + 1):
        chance = law[values[0]]
        for place in range(1, len(values)):
            anew = steps[first - 1 + place - 1]
            stays = 1 - anew if values[place] == values[place - 1] else Fraction(0)
            chance *= stays + anew * law[values[place]]
        found[(None,) * (first - 1) + values + (None,) * (editions - last)] = chance
    return found


def added(history: History, adds: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """What a history adds to the numbers of all editions, one after the other."""
    return tuple(step for value in history for step in (adds[value] if value is not None else (0,) * len(adds[0])))


def total(
    people: Sequence[Mapping[History, Fraction]], adds: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], Fraction]:
    """The law of what these people add up to."""
    editions = len(next(iter(people[0]))) if people else 0
    law: dict[tuple[int, ...], Fraction] = {(0,) * (editions * len(adds[0])): Fraction(1)}
    for person in people:
        fresh: dict[tuple[int, ...], Fraction] = {}
        for start, mass in law.items():
            for history, chance in person.items():
                at = tuple(x + y for x, y in zip(start, added(history, adds), strict=True))
                fresh[at] = fresh.get(at, Fraction(0)) + mass * chance
        law = fresh
    return law


def excess(one: Law, other: Law, factor: Fraction) -> Fraction:
    """How far one law is above `factor` times another, at worst over events."""
    return sum((max(Fraction(0), mass - factor * other.get(at, Fraction(0))) for at, mass in one.items()), Fraction(0))


def moved(law: Law, by: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    return {tuple(x + y for x, y in zip(at, by, strict=True)): mass for at, mass in law.items()}


def spells(own: Sequence[History]) -> Iterator[tuple[History, History]]:
    """Pairs of histories that differ in one run of editions, where one has one value and the other another."""
    for one, two in combinations(own, 2):
        apart = [at for at, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]
        inside = range(apart[0], apart[-1] + 1)
        if len(apart) == len(inside) and len({one[at] for at in inside}) == len({two[at] for at in inside}) == 1:
            yield one, two


def with_absence(person: Mapping[History, Fraction], values: int) -> list[History]:
    """All histories of somebody who may be absent in any of the editions in which they might be there."""
    stay = [value is not None for value in next(iter(person))]
    return list(product(*([None, *range(values)] if there else [None] for there in stay)))


def worst(
    people: Sequence[Mapping[History, Fraction]],
    adds: Sequence[tuple[int, ...]],
    factor: Fraction,
    known: int,
    *,
    presence: bool = False,
) -> Fraction:
    """The largest δ over persons, spells of theirs, and so many known records of others; a spell may also be one of
    absence, if that is secret.
    """
    most, told = Fraction(0), set[object]()
    for target, person in enumerate(people):
        others = [other for place, other in enumerate(people) if place != target]
        zero = {(0,) * len(added(next(iter(person)), adds)): Fraction(1)}
        for seen in combinations(range(len(others)), min(known, len(others))):
            unknown = [other for place, other in enumerate(others) if place not in seen]
            key = (id(person), *sorted(map(id, unknown)))  # equal people are one object
            if key in told:
                continue
            told.add(key)
            law = total(unknown, adds) if unknown else zero
            changes = {
                tuple(y - x for x, y in zip(added(one, adds), added(two, adds), strict=True))
                for one, two in spells(with_absence(person, len(adds)) if presence else list(person))
            }
            for by in changes:
                most = max(most, excess(law, moved(law, by), factor), excess(moved(law, by), law, factor))
    return most


def worst_value(
    people: Sequence[Mapping[History, Fraction]], adds: Sequence[tuple[int, ...]], factor: Fraction
) -> Fraction:
    """The largest δ over persons, editions and pairs of values that they may have there, where the rest of the person's
    own history is as uncertain as the chain has it.
    """
    most, told = Fraction(0), set[int]()
    for target, person in enumerate(people):
        if id(person) in told:
            continue
        told.add(id(person))
        others = [other for place, other in enumerate(people) if place != target]
        law = total(others, adds) if others else {(0,) * len(added(next(iter(person)), adds)): Fraction(1)}
        for edition in range(len(next(iter(person)))):
            given = {
                value: {history: chance for history, chance in person.items() if history[edition] == value}
                for value in range(len(adds))
            }
            laws = []
            for some in given.values():
                mass = sum(some.values(), Fraction(0))
                mixed: dict[tuple[int, ...], Fraction] = {}
                for history, chance in some.items():
                    for at, part in moved(law, added(history, adds)).items():
                        mixed[at] = mixed.get(at, Fraction(0)) + part * chance / mass
                if some:
                    laws.append(mixed)
            for one, two in combinations(laws, 2):
                most = max(most, excess(one, two, factor), excess(two, one, factor))
    return most


def many(stays: Mapping[tuple[int, int], int], rate: float, steps: Sequence[float]) -> NDArray[np.float64]:
    """The law of the counts of ones in all editions, of many people whose value is 0 or 1, in floats."""
    editions, size = len(steps) + 1, sum(stays.values()) + 1
    law = np.zeros((size,) * editions)
    law[(0,) * editions] = 1.0
    for (first, last), people in stays.items():
        chances = histories(first, last, [Fraction(1) - Fraction(rate), Fraction(rate)], list(map(Fraction, steps)))
        for _ in range(people):
            fresh = np.zeros_like(law)
            for history, chance in chances.items():
                fresh += float(chance) * _shifted(law, tuple(value or 0 for value in history))
            law = fresh
    return law


def _shifted(law: NDArray[np.float64], by: Sequence[int]) -> NDArray[np.float64]:
    found = np.zeros_like(law)
    to = tuple(slice(max(0, step), law.shape[at] + min(0, step)) for at, step in enumerate(by))
    of = tuple(slice(max(0, -step), law.shape[at] - max(0, step)) for at, step in enumerate(by))
    found[to] = law[of]
    return found


def worst_of_many(stays: Mapping[tuple[int, int], int], rate: float, steps: Sequence[float], factor: float) -> float:
    """The largest δ over persons and spells of theirs, nobody else being known."""
    most = 0.0
    for first, last in stays:
        others = {stay: people - (stay == (first, last)) for stay, people in stays.items()}
        law = np.pad(many(others, rate, steps), 1)
        for start in range(first, last + 1):
            for end in range(start, last + 1):
                by = tuple(int(start <= at <= end) for at in range(1, len(steps) + 2))
                other = _shifted(law, by)
                most = max(most, np.maximum(law - factor * other, 0).sum(), np.maximum(other - factor * law, 0).sum())
    return float(most)
