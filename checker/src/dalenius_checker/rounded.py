"""Several numbers of the same people, some of them rounded and about nobody else: the law of all of them at once.

What is published of these people is a function of the vector of their sums: a number that is rounded first of all and
covers nobody else tells only to which multiple it is rounded; numbers that cover others, too, are told as they are, and
noise that follows is left out (both tell no less). All vectors are gone through, and put together where they are told
alike, for every two facts, and for every place modulo the bases to which the known records may move them.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

from dalenius_checker import laws
from dalenius_checker.document import require
from dalenius_checker.laws import LARGEST, ONE, ZERO, Bounds, Letters, Vector, small

MOST_WORK = 4_000_000  # vectors, times facts, times places of the known records
MOST_FACTS = 40  # about a person


def bounds(c: Any, place: int, bits: int) -> Bounds:
    """Delta of one kind of group, at most."""
    kind = c.kinds[place]
    bases = _bases(c, place)
    require(max(bases) > 1 and len(bases) > 1, f"kind {place}: nothing of it is rounded that is about nobody else")
    plain = c.secret == "value" and not hasattr(c, "together") and not hasattr(c, "sample")
    plain = plain and all(part.changes is None and not part.estimated and len(part.types) == 1 for part in kind.parts)
    small(plain, "numbers are rounded together of people of several laws, or of laws that are left open")
    letters = _joined([part.types[0][0] for part in kind.parts], kind)
    facts = [*dict.fromkeys(_whole(some, kind) for some in product(*(part.domain for part in kind.parts)))]
    small(len(facts) <= MOST_FACTS, f"there are {len(facts)} facts about a person")
    moved = _places(facts, kind.known, bases)
    sums = _sums(letters, kind.people - kind.known - 1, bits)
    small(
        len(sums) * len(facts) * len(moved) <= MOST_WORK, f"numbers that are rounded together have {len(sums)} values"
    )
    found = ZERO
    for rest in moved:
        told = [_told(sums, rest, fact, bases) for fact in facts]
        for one, two in permutations(told, 2):
            found = max(found, laws.delta(((mass, two[key]) for key, mass in one.items()), c.epsilon, bits))
    return Bounds(ZERO, min(ONE, found))


def _bases(c: Any, place: int) -> list[int]:
    """To which multiple each number is rounded first of all, if it covers nobody else in any group of the kind."""
    times = Counter(number for _, numbers in c.groups for number in numbers)
    mine = [numbers for kind, numbers in c.groups if kind == place]
    figures = [c.figures[at] for at in c.kinds[place].figures]
    own = [all(times[numbers[at]] == 1 for numbers in mine) for at in range(len(figures))]
    first = [figure.base > 1 and figure.noise is None for figure in figures]
    return [figure.base if one and two else 1 for figure, one, two in zip(figures, own, first, strict=True)]


def _whole(vectors: Sequence[Vector], kind: Any) -> Vector:
    """What a record adds to all the numbers, of what it adds to those of each part."""
    found = dict[int, int]()
    for vector, part in zip(vectors, kind.parts, strict=True):
        found |= dict(zip(part.figures, vector, strict=True))
    return tuple(found[figure] for figure in kind.figures)


def _joined(parts: Sequence[Letters], kind: Any) -> Letters:
    """The law of all numbers, of independent parts."""
    found = dict[Vector, Fraction]()
    for some in product(*parts):
        vector = _whole([at for at, _ in some], kind)
        found[vector] = found.get(vector, ZERO) + prod((chance for _, chance in some), start=ONE)
    return tuple(found.items())


def _places(facts: Sequence[Vector], known: int, bases: Sequence[int]) -> set[Vector]:
    """Where the known records may move the numbers, modulo the bases."""
    found = {(0,) * len(bases)}
    for _ in range(known):
        more = {tuple((a + b) % m for a, b, m in zip(at, fact, bases, strict=True)) for at in found for fact in facts}
        if more == found:
            break
        found = more
    return found


def _sums(letters: Letters, count: int, bits: int) -> list[tuple[Vector, int]]:
    """The vectors that so many records may add up to, with their probabilities: as digits of one number."""
    axes = [*zip(*(vector for vector, _ in letters), strict=True)]
    least, widths = [min(axis) for axis in axes], [count * (max(axis) - min(axis)) + 1 for axis in axes]
    small(prod(widths) <= LARGEST, f"numbers that are rounded together have {prod(widths)} values")
    strides = [prod(widths[axis + 1 :]) for axis in range(len(widths))]
    moved = tuple((tuple(a - b for a, b in zip(vector, least, strict=True)), chance) for vector, chance in letters)
    law = laws.repeated(moved, tuple(strides), count, bits)
    found = []
    for code, mass in enumerate(law.mass, law.start):
        if mass:
            digits = [code // stride % width for stride, width in zip(strides, widths, strict=True)]
            found.append((tuple(digit + count * low for digit, low in zip(digits, least, strict=True)), mass))
    return found


def _told(sums: list[tuple[Vector, int]], rest: Vector, fact: Vector, bases: Sequence[int]) -> Counter[Vector]:
    """What is published, with its probability: the nearest multiple, half way up, where there is a base."""
    found = Counter[Vector]()
    start = [a + b + base // 2 for a, b, base in zip(rest, fact, bases, strict=True)]
    for vector, mass in sums:
        found[tuple((at + more) // base for at, more, base in zip(vector, start, bases, strict=True))] += mass
    return found
