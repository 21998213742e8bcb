"""Several numbers of the same people of which some are rounded and cover nobody else: the law of all of them at once.

Where a rounded number covers exactly these people, what is published of them is a function of the vector of their sums,
and that of the others' records is not in it. So it is judged by the joint law of the sums, with all results that are
rounded alike in one place; numbers that cover others, too, are taken as exact, and noise that follows counts for
nothing (both tell no less). Known records move the vector by what they add, and which of them are known, of people of
one law, does not matter: the worst of the places modulo the bases to which they may move it counts.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import TypeAlias

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.joint import JointLaw, joint_law
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.excess import excess_above
from dalenius.enclosure.outward import add_up, exponential, times_up
from dalenius.judge.group import Laws, Vector
from dalenius.mechanisms import Chain, Rounded
from dalenius.numerics.law import Floats

Parts: TypeAlias = Sequence[tuple[Laws, Sequence[int]]]  # of a record, each with the places of its numbers
ROUTE = "joint law of the rounded numbers"
MOST_WORK = 1e7  # points of the joint law, times pairs of facts, times places of the known records
MOST_LETTERS = 4000  # vectors that a record may add
MOST_PLACES = 400  # to which known records may move rounded numbers
OUTSIDE = 1e-18  # mass that the box of the joint law may leave out, of each coordinate


def bases_of(channels: Sequence[Chain], own: Sequence[bool]) -> tuple[int, ...]:
    """To which multiple each number is rounded before anything else, if it covers nobody else; 1 if it is not."""
    first = [channel.links[0] if channel.links and mine else None for channel, mine in zip(channels, own, strict=True)]
    return tuple(int(link.base) if isinstance(link, Rounded) else 1 for link in first)


def jointly_rounded(parts: Parts, bases: Sequence[int], known: int, epsilon: Fraction) -> float | None:
    """A bound on δ, worst over pairs of facts and over the places to which known records move what is rounded; None
    where it cannot be computed, or records have several laws, or laws that are left open.
    """
    if len(bases) < 2 or all(base == 1 for base in bases):
        return None
    if any(len(laws.types) != 1 or laws.least or laws.changes is not None for laws, _ in parts):
        return None
    size = min(laws.size for laws, _ in parts)
    if size - known < 1 or prod(len(laws.domain) for laws, _ in parts) > MOST_LETTERS:
        return None
    letters: dict[Vector, Fraction] = {}
    for choice in product(*(laws.types[0][0] for laws, _ in parts)):
        vector = _whole([some for some, _ in choice], parts, len(bases))
        letters[vector] = letters.get(vector, Fraction(0)) + prod((chance for _, chance in choice), start=Fraction(1))
    facts = list(
        dict.fromkeys(_whole(choice, parts, len(bases)) for choice in product(*(laws.domain for laws, _ in parts)))
    )
    moved = _places(facts, known, bases)
    if moved is None:
        return None
    try:
        law = _sum({vector: chance for vector, chance in letters.items() if chance}, size - known - 1, len(bases))
    except InputError:  # too much to list
        return None
    if law.mass.size * len(facts) ** 2 * len(moved) > MOST_WORK:
        return None
    return max(
        (_told(law, bases, place, pair, epsilon) for place in moved for pair in permutations(facts, 2)), default=0
    )


def _whole(vectors: Sequence[Vector], parts: Parts, numbers: int) -> Vector:
    """What a record adds to all the numbers, of what it adds to those of each part."""
    found = [0] * numbers
    for vector, (_, places) in zip(vectors, parts, strict=True):
        for step, place in zip(vector, places, strict=True):
            found[place] = step
    return tuple(found)


def _places(facts: Sequence[Vector], known: int, bases: Sequence[int]) -> list[Vector] | None:
    """Where known records may move the numbers, modulo the bases; None if these are too many."""
    rests = {tuple(step % base for step, base in zip(fact, bases, strict=True)) for fact in facts}
    found = {(0,) * len(bases)}
    for _ in range(known):
        more = {tuple((a + b) % m for a, b, m in zip(one, two, bases, strict=True)) for one in found for two in rests}
        if more == found or len(more) > MOST_PLACES:
            return None if len(more) > MOST_PLACES else list(found)
        found = more
    return list(found)


def _sum(letters: dict[Vector, Fraction], count: int, numbers: int) -> JointLaw:
    """The law of the sum of so many records."""
    if count == 0:
        return JointLaw((0,) * numbers, np.ones((1,) * numbers), 0.0, 0.0)
    return joint_law(letters, count, OUTSIDE)


def _told(law: JointLaw, bases: Sequence[int], place: Vector, pair: tuple[Vector, Vector], epsilon: Fraction) -> float:
    """δ of what is published given the first fact against that given the second, from above.

    A result that is put together of m points errs by m times the error of one, and sums of m numbers by their rounding.
    """
    (first, p, merged), (second, q, _) = (_published(law, bases, place, fact) for fact in pair)
    other = np.zeros_like(p)
    overlaps = list(_overlaps(first, p.shape, second, q.shape))
    if all(stop > start for start, stop, _ in overlaps):
        into = tuple(slice(start - low, stop - low) for (start, stop, low) in overlaps)
        out = tuple(slice(start - at, stop - at) for (start, stop, _), at in zip(overlaps, second, strict=True))
        other[into] = q[out]
    least, most = exponential(epsilon)
    slip = times_up(law.error, float(merged))
    ahead, behind = Balls.rounded(p.ravel(), merged).widened(slip), Balls.rounded(other.ravel(), merged).widened(slip)
    beside = times_up(add_up(1.0, most), law.tail)
    return min(1.0, add_up(excess_above(ahead, behind, least), beside))


def _overlaps(
    first: Vector, shape: Sequence[int], second: Vector, other: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Where both lie in each coordinate, and where the first begins."""
    for low, size, at, more in zip(first, shape, second, other, strict=True):
        yield max(low, at), min(low + size, at + more), low


def _published(law: JointLaw, bases: Sequence[int], place: Vector, fact: Vector) -> tuple[Vector, Floats, int]:
    """The law of the numbers as they are published, where it begins, and of how many points a result is at most."""
    mass, start, merged = law.mass, list[int](), 1
    for axis, (base, low) in enumerate(zip(bases, law.start, strict=True)):
        begin = low + place[axis] + fact[axis]
        if base == 1:
            start.append(begin)
            continue
        cells = (begin + np.arange(mass.shape[axis]) + base // 2) // base
        firsts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
        mass = np.add.reduceat(mass, firsts, axis=axis)
        start.append(int(cells[0]))
        merged *= base
    return tuple(start), mass, merged
