"""Facts about the data that must not be told apart, and pairs of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias, final


@final
@dataclass(frozen=True, slots=True)
class Value:
    """The value of one person's record: any two values of the declared domain must look alike."""

    def __str__(self) -> str:
        return "the value of any one record"


@final
@dataclass(frozen=True, slots=True)
class Presence:
    """Whether one person's record is in the data, whatever its value."""

    def __str__(self) -> str:
        return "whether any one person is in the data"


Secret: TypeAlias = Value | Presence
ABSENT = None


@final
@dataclass(frozen=True, slots=True)
class Pair:
    """What a person adds to the figure in one world and in the other; `ABSENT` adds nothing."""

    first: int
    second: int


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of what a person may add. `anywhere`: each pair stands for all that differ by the same amount.
    `presence`: one of each two facts is that the record is absent.
    """

    pairs: tuple[Pair, ...]
    anywhere: bool = False
    presence: bool = False

    @classmethod
    def of(cls, secret: Secret, contributions: Sequence[int]) -> "Facts":
        found = tuple(pairs(secret, contributions))
        return cls(found, wide(contributions), presence=isinstance(secret, Presence))

    @property
    def reach(self) -> int:
        """The most by which a person moves the statistic."""
        return max((abs(pair.second - pair.first) for pair in self.pairs), default=0)


LISTED = 400  # different contributions up to which all pairs are listed


def wide(contributions: Sequence[int]) -> bool:
    """Whether there are too many contributions to list all pairs of them."""
    return len(set(contributions)) > LISTED


def pairs(secret: Secret, contributions: Sequence[int]) -> Iterator[Pair]:
    """Both orders of every two facts, as what they add to the statistic.

    `contributions` is what a record adds for each value of its declared domain, whether or not the belief gives it
    mass. If they are `wide`, one pair stands for all that differ by the same amount.
    """
    distinct = sorted(set(contributions))
    match secret:
        case Value() if wide(distinct):
            yield from _differences(distinct)
        case Value():
            yield from (Pair(one, other) for one, other in permutations(distinct, 2))
        case Presence():
            for one in distinct:
                if one == 0:  # it adds what absence adds
                    continue
                yield from (Pair(one, 0), Pair(0, one))


def _differences(distinct: list[int]) -> Iterator[Pair]:
    """One pair for each difference: from the least value where that will do, then from the others. Cost O(values²)
    at worst.
    """
    found: set[int] = set()
    reach = distinct[-1] - distinct[0]
    for place, one in enumerate(distinct):
        if len(found) == reach:
            break
        for other in distinct[place + 1 :]:
            if other - one not in found:
                found.add(other - one)
                yield from (Pair(one, other), Pair(other, one))
