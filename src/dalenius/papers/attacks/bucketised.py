"""The de Finetti attack on a bucketised table: learn from it how values go with attributes, then undo it by Bayes.

Kifer and Machanavajjhala 2014, section 11; Kifer 2009. A bucketised table lists for each group of people their
attributes, and separately the sensitive values that occur in the group. Whoever holds the people to be exchangeable
given their attributes learns P(value | attributes) from all groups together, and then who of a group has which value.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar, final

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import Number, exact

Chance = TypeVar("Chance", float, Fraction)
Rates: TypeAlias = Mapping[Hashable, Mapping[Hashable, Number]]  # for each kind of person, the chance of each value
Given: TypeAlias = tuple[int, ...]  # how many of each value have been given out
ROUNDS = 500
STILL = 1e-7  # rates that move by less have come to rest
DIGITS = 10**6  # of learned rates, as fractions


@final
@dataclass(frozen=True, slots=True)
class Bucket:
    """A group: what is known of each person, and the values that occur, in no order."""

    people: tuple[Hashable, ...]
    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        if len(self.people) != len(self.values) or not self.people:
            raise InputError(
                f"A group needs as many values as people, at least one, but got {len(self.people)} people and "
                f"{len(self.values)} values. Correct the group."
            )


@final
@dataclass(frozen=True, slots=True)
class BucketisedTable:
    """Groups of people and their values. Each is one of the groups as they are published.

    >>> table = BucketisedTable.of([(["smoker", "other"], ["cancer", "well"])])
    >>> rates = {"smoker": {"cancer": "0.05", "well": "0.95"}, "other": {"cancer": "0.01", "well": "0.99"}}
    >>> table.posteriors(rates)[0][0]["cancer"] == Fraction(99, 118)
    True
    """

    buckets: tuple[Bucket, ...]

    @classmethod
    def of(cls, groups: Iterable[tuple[Sequence[Hashable], Sequence[Hashable]]]) -> "BucketisedTable":
        found = tuple(Bucket(tuple(people), tuple(values)) for people, values in groups)
        require(bool(found), "at least one group", got=0)
        return cls(found)

    @property
    def kinds(self) -> tuple[Hashable, ...]:
        """The people that are told apart."""
        return tuple(dict.fromkeys(kind for bucket in self.buckets for kind in bucket.people))

    @property
    def values(self) -> tuple[Hashable, ...]:
        return tuple(dict.fromkeys(value for bucket in self.buckets for value in bucket.values))

    def learned(self, rounds: int = ROUNDS) -> dict[Hashable, dict[Hashable, Fraction]]:
        """The learning half: the rates P(value | kind) that explain the groups best, as far as steps from equal rates
        lead (expectation maximisation: each step takes the rates that are expected under the last ones, and never
        explains the groups worse). To six digits. If all groups have the same values, equal rates stay as they are:
        such a table tells who goes with whom, and no more is learned here.

        The groups that look alike are looked at once. Cost: rounds x kinds of groups x what one of them costs.
        """
        alike = Counter((tuple(sorted(b.people, key=repr)), tuple(sorted(b.values, key=repr))) for b in self.buckets)
        overall = Counter(value for bucket in self.buckets for value in bucket.values)
        whole = overall.total()
        rates = {kind: {value: overall[value] / whole for value in overall} for kind in self.kinds}
        for _ in range(rounds):
            expected = {kind: dict.fromkeys(overall, 0.0) for kind in rates}
            for (people, values), many in alike.items():
                for kind, law in zip(people, _given(people, values, rates, 0.0, 1.0), strict=True):
                    for value, chance in law.items():
                        expected[kind][value] += many * chance
            better = {kind: {v: x / math.fsum(law.values()) for v, x in law.items()} for kind, law in expected.items()}
            moved = max(abs(better[kind][v] - rates[kind][v]) for kind in rates for v in overall)
            rates = better
            if moved < STILL:
                break
        found = {kind: {v: Fraction(round(x * DIGITS), DIGITS) for v, x in law.items()} for kind, law in rates.items()}
        return {kind: {v: x / sum(law.values()) for v, x in law.items()} for kind, law in found.items()}

    def posteriors(self, rates: Rates) -> list[list[dict[Hashable, Fraction]]]:
        """For each group and each of its people the chance of each value, given the values of the group: exactly, for
        people who are independent with these rates.
        """
        laws = {
            kind: {value: exact(chance, name=f"The rate of {value}") for value, chance in law.items()}
            for kind, law in rates.items()
        }
        stray = [kind for kind in self.kinds if kind not in laws]
        require(not stray, "rates for every kind of person", got=f"none for {stray[:1]}")
        return [_given(bucket.people, bucket.values, laws, Fraction(0), Fraction(1)) for bucket in self.buckets]


def _one_more(state: Given, place: int) -> Given:
    return (*state[:place], state[place] + 1, *state[place + 1 :])


def _given(
    people: Sequence[Hashable],
    values: Sequence[Hashable],
    rates: Mapping[Hashable, Mapping[Hashable, Chance]],
    zero: Chance,
    one: Chance,
) -> list[dict[Hashable, Chance]]:
    """The law of each person's value given the values of the group.

    Forwards and backwards over how many of each value have been given out. Cost: people x values x ways to have given
    out some of them.
    """
    kinds = tuple(dict.fromkeys(values))
    counts = Counter(values)
    start, end = (0,) * len(kinds), tuple(counts[value] for value in kinds)
    forth: list[dict[Given, Chance]] = [{start: one}]
    for person in people:
        after: dict[Given, Chance] = {}
        for state, weight in forth[-1].items():
            for place, value in enumerate(kinds):
                if state[place] < end[place] and (chance := rates[person].get(value, zero)):
                    more = _one_more(state, place)
                    after[more] = after.get(more, zero) + weight * chance
        forth.append(after)
    whole = forth[-1].get(end, zero)
    if not whole:
        raise InputError("The rates hold the values of a group impossible. Give every value that occurs a chance.")
    back: dict[Given, Chance] = {end: one}
    found: list[dict[Hashable, Chance]] = []
    for person, before in zip(reversed(people), reversed(forth[:-1]), strict=True):
        law: dict[Hashable, Chance] = {}
        earlier: dict[Given, Chance] = {}
        for state, weight in before.items():
            for place, value in enumerate(kinds):
                more = _one_more(state, place)
                if more in back and (chance := rates[person].get(value, zero)):
                    earlier[state] = earlier.get(state, zero) + chance * back[more]
                    law[value] = law.get(value, zero) + weight * chance * back[more] / whole
        back = earlier
        found.append(law)
    return found[::-1]
