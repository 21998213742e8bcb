"""Facts about the data that must not be told apart, and pairs of them."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.facts.near import Near, OfHousehold
from dalenius.facts.records import Label, Steps, exact


@final
@dataclass(frozen=True, slots=True)
class Value:
    """The value of one person's record: any two values of the declared domain must look alike.

    >>> import dalenius as dl
    >>> dl.noiseless(dl.IID(p="0.3", n=10)) == dl.noiseless(dl.IID(p="0.3", n=10), secret=dl.Value())
    True
    """

    def __str__(self) -> str:
        return "the value of any one record"


@final
@dataclass(frozen=True, slots=True)
class Presence:
    """Whether one person's record is in the data, and its value: any two values of the declared domain must look alike,
    and each of them must look like absence.

    >>> import dalenius as dl
    >>> people = dl.IID(p="0.3", n=1000)
    >>> print(dl.verify(dl.Count(), dl.noiseless(people, secret=dl.Presence()), epsilon=1, delta="1e-6").verdict)
    pass
    """

    def __str__(self) -> str:
        return "whether any one person is in the data, and the value of their record"


@final
@dataclass(frozen=True, slots=True)
class PresenceOnly:
    """Whether one person's record is in the data, and not its value: each value of the declared domain must look like
    absence, but two values may be told apart.

    Two values that each look like absence to within (ε, δ) look like each other to within (2ε, (1 + e^ε) δ), and often
    no better: it does not hide the value as well as `Value` does at the same ε and δ. `Presence` hides both.

    >>> import dalenius as dl
    >>> people = dl.IID(p="0.3", n=1000)
    >>> print(dl.verify(dl.Count(), dl.noiseless(people, secret=dl.PresenceOnly()), epsilon=1, delta="1e-6").verdict)
    pass
    """

    def __str__(self) -> str:
        return "whether any one person is in the data, but not the value of their record"


@final
@dataclass(frozen=True, slots=True)
class Within:
    """One person's value to within ±k: whether it lies in [y - k, y + k) or in the next interval, [y + k, y + 3k).

    For every y, and both ways round (Kifer and Machanavajjhala 2014, section 8.1.1). Given either interval the value
    may be any of its points, and the laws given the intervals are mixtures of the laws given the points; by joint
    convexity δ is at most the largest over two points, one of each. A border c with a < c <= b and b - 2k < c <= a + 2k
    exists exactly if 0 < b - a < 4k. So this means: any two values of the declared domain that are less than 4k apart.
    It is tight for a person who is known to have one of the two. `k` is in the units of the values.

    >>> print(Within(1000))
    the value of any one record, to within ±1000
    """

    k: Fraction

    def __init__(self, k: float | str | Fraction) -> None:
        found = exact(k, name="k")
        if found <= 0:
            raise InputError(f"Within needs k > 0, but got {k}. Give the error that an attacker must be left with.")
        object.__setattr__(self, "k", found)

    @property
    def apart(self) -> Fraction:
        """Values at least this far apart may be told from each other."""
        return 4 * self.k

    def __str__(self) -> str:
        shown = str(self.k) if self.k.denominator == 1 else str(float(self.k))
        return f"the value of any one record, to within ±{shown}"


@final
@dataclass(frozen=True, slots=True)
class Household:
    """What the records of one household say, all of them at once: any two states of up to `size` records must look
    alike. `groups`: in how many groups of people, who are in exactly the same published numbers, they are at most.
    `presence`: whether it is also secret who of them is there. `only`: one property of theirs, if not all is secret.

    >>> print(Household(4))
    the values of all records of any one household, of up to 4
    """

    size: int
    groups: int = 1
    presence: bool = False
    only: OfHousehold | None = None

    def __str__(self) -> str:
        if self.only is not None:
            return f"{self.only} (of up to {self.size})"
        whole = f"the values of all records of any one household, of up to {self.size}"
        return f"which records of any one household are there, and {whole}" if self.presence else whole


Secret: TypeAlias = Value | Presence | PresenceOnly | Within
Hidden: TypeAlias = Secret | Household | Near | OfHousehold  # of figures together
WANTED = "A secret is Value(), Presence(), PresenceOnly() or Within(k)"
BOTH: tuple[Secret, ...] = (Value(), PresenceOnly())  # what `Presence` hides, one after the other
ABSENT = None


@final
@dataclass(frozen=True, slots=True)
class Pair:
    """What a person adds to the figure in one world and in the other; `ABSENT` adds nothing."""

    first: int
    second: int


@final
@dataclass(frozen=True)
class Facts:
    """Pairs of what a person may add. `anywhere`: each pair stands for all that differ by the same amount.
    `presence`: that the record is absent is one of the facts. `apart`: values at least so far apart are no pair.
    `grain`: if positive, each pair stands also for all that differ by less, by multiples of the grain. `values`: where
    absence is a fact, whether two values are a pair as well. `adds`: what any record may add, by the declared domain:
    there records that are known may put a rounded figure, if the pairs do not stand for others that begin elsewhere.
    """

    pairs: tuple[Pair, ...]
    anywhere: bool = False
    presence: bool = False
    apart: Fraction | None = None
    grain: int = 0
    values: bool = True
    adds: frozenset[int] = frozenset()

    @classmethod
    def every(cls, secret: Secret, domain: Steps, unit: Fraction) -> "Facts":
        """For a sum, in units, of values on a long lattice: one pair stands for all. Cost O(1)."""
        ends = [int(domain[place] / unit) for place in (0, -1)]
        if isinstance(secret, Presence):  # absence adds 0, which is on the lattice
            ends = [min(0, ends[0]), max(0, ends[1])]
        most, grain = ends[1] - ends[0], int(domain.unit / unit)
        first = ends[0]
        if isinstance(secret, Within):
            if secret.apart <= domain.unit:
                raise InputError(_too_near(secret.apart, domain.unit))
            most = min(most, grain * (math.ceil(secret.apart / domain.unit) - 1))
        if isinstance(secret, PresenceOnly):
            first, most = 0, max(ends, key=abs)
        apart = secret.apart if isinstance(secret, Within) else None
        two = Pair(first, first + most), Pair(first + most, first)
        values = not isinstance(secret, PresenceOnly)
        return cls(two, anywhere=True, presence=hides_presence(secret), apart=apart, grain=grain, values=values)

    @classmethod
    def of(
        cls, secret: Secret, contributions: Sequence[int], values: Sequence[Label | Fraction] | None = None
    ) -> "Facts":
        """`contributions` is what a record adds for each of the `values` of its declared domain (by default they are
        the values).
        """
        found = tuple(pairs(secret, contributions, values))
        apart = secret.apart if isinstance(secret, Within) else None
        both = not isinstance(secret, PresenceOnly)
        adds = frozenset(contributions)
        return cls(found, wide(contributions), hides_presence(secret), apart, values=both, adds=adds)

    def allows(self, one: Label | Fraction, other: Label | Fraction) -> bool:
        """Whether these two values must look alike."""
        return self.apart is None or abs(_number(one) - _number(other)) < self.apart

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """How far two facts are apart, each distance once, ascending, without 0."""
        return distances(self.pairs)

    @property
    def reach(self) -> int:
        """The most by which a person moves the statistic."""
        return self.moves[-1] if self.moves else 0


def distances(pairs: Sequence[Pair]) -> tuple[int, ...]:
    """How far the facts of pairs are apart, each distance once, ascending, without 0."""
    return tuple(sorted({abs(pair.second - pair.first) for pair in pairs} - {0}))


def hides_presence(secret: Hidden) -> bool:
    """Whether it is secret who is in the data."""
    return isinstance(secret, Presence | PresenceOnly) or (isinstance(secret, Household) and secret.presence)


def partly(secret: Hidden) -> bool:
    """Whether only some facts are compared, and others may be told apart."""
    return isinstance(secret, Near | OfHousehold) or (isinstance(secret, Household) and secret.only is not None)


LISTED = 400  # different contributions up to which all pairs are listed


def wide(contributions: Sequence[int]) -> bool:
    """Whether there are too many contributions to list all pairs of them."""
    return len(set(contributions)) > LISTED


def pairs(
    secret: Secret, contributions: Sequence[int], values: Sequence[Label | Fraction] | None = None
) -> Iterator[Pair]:
    """Both orders of every two facts, as what they add to the statistic.

    `contributions` is what a record adds for each value of its declared domain, whether or not the belief gives it
    mass. If they are `wide`, one pair stands for all that differ by the same amount.
    """
    distinct = sorted({*contributions, 0} if isinstance(secret, Presence) else set(contributions))  # absence adds 0
    match secret:
        case Value() | Presence() if wide(contributions):
            yield from _differences([(one, one) for one in distinct], None)
        case Value() | Presence():
            yield from (Pair(one, other) for one, other in permutations(distinct, 2))
        case Within(apart=apart):
            yield from _near(sorted(zip(map(_number, values or contributions), contributions, strict=True)), apart)
        case PresenceOnly():
            for one in distinct:
                if one == 0:  # it adds what absence adds
                    continue
                yield from (Pair(one, 0), Pair(0, one))
        case _:
            raise InputError(f"{WANTED}, but got {secret!r}. Write secret=dl.Presence().")


Places: TypeAlias = Sequence[tuple[Fraction | int, int]]  # values in order, and what they add


def _near(places: Places, apart: Fraction) -> Iterator[Pair]:
    """Pairs of values that are less than `apart` from each other. Cost O(values²) at worst."""
    least = min((two[0] - one[0] for one, two in itertools.pairwise(places) if two[0] > one[0]), default=None)
    if least is None or least >= apart:
        raise InputError(_too_near(apart, least))
    if wide([adds for _, adds in places]):
        yield from _differences(places, apart)
        return
    found: dict[Pair, None] = {}
    for at, (one, adds) in enumerate(places):
        for other, more in places[at + 1 :]:
            if other - one >= apart:
                break
            if adds != more:
                found |= {Pair(adds, more): None, Pair(more, adds): None}
    yield from found


def _too_near(apart: Fraction, least: Fraction | int | None) -> str:
    return (
        f"Within ±{apart / 4} must cover two values of the domain, which takes values less than {apart} apart, but "
        f"{'there is only one value' if least is None else f'the nearest are {least} apart'}. Give a larger k."
    )


def _differences(places: Places, apart: Fraction | None) -> Iterator[Pair]:
    """One pair for each difference: from the least value where that will do, then from the others. Cost O(values²)
    at worst.
    """
    found: set[int] = {0}
    reach = places[-1][1] - places[0][1]
    for at, (one, adds) in enumerate(places):
        if len(found) == reach + 1:
            break
        for other, more in places[at + 1 :]:
            if apart is not None and other - one >= apart:
                break
            if abs(more - adds) not in found:
                found.add(abs(more - adds))
                yield from (Pair(adds, more), Pair(more, adds))


def _number(value: Label | Fraction) -> Fraction:
    if isinstance(value, str | bool):
        raise InputError(f"Within speaks of numbers, but the domain has the label {value!r}. Hide the value itself.")
    return exact(value, name="value")
