"""Long lists in few words: things that follow each other by equal steps are one item."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_LATTICE
from dalenius.facts.records import Cell, Label
from dalenius.record.codec.form import Json
from dalenius.record.codec.numbers import cell_json, cell_of, number_of, value_json, value_of
from dalenius.tables.figures import Chances

T = TypeVar("T")
P = TypeVar("P")
Step = TypeVar("Step")
Vector: TypeAlias = tuple[int, ...]
Letters: TypeAlias = Sequence[tuple[Vector, Fraction | None]]  # vectors in order, with or without their probability


def folded(
    items: Sequence[tuple[T, P]], step: Callable[[T, T], Step | None], *, least: int
) -> Iterator[tuple[T, P, Step | None, int]]:
    """First thing, mass, step and how many, for things in equal steps of equal mass; shorter runs than `least` are
    things by themselves. `step` leads from one thing to the next, if anything does.
    """
    place = 0
    while place < len(items):
        first, mass = items[place]
        length, by = _run(items, place, step)
        if length < least:
            length, by = 1, None
        yield first, mass, by, length
        place += length


def _run(items: Sequence[tuple[T, P]], place: int, step: Callable[[T, T], Step | None]) -> tuple[int, Step | None]:
    """How many items from this place on are in equal steps and of equal mass, and the step."""
    last, mass = items[place]
    by: Step | None = None
    for at in range(place + 1, len(items)):
        thing, same = items[at]
        ahead = step(last, thing) if same == mass else None
        if ahead is None or (by is not None and ahead != by):
            return at - place, by
        last, by = thing, ahead
    return len(items) - place, by


def runs(letters: Letters) -> list[list[Json]]:
    """Vectors [first, step, how many], and the probability of each of them if they have one.

    >>> runs((((0,), Fraction(1, 4)), ((1,), Fraction(1, 4)), ((5,), Fraction(1, 2))))
    [[[0], [1], 2, '1/4'], [[5], [0], 1, '1/2']]
    """
    return [
        [list(first), list(by or (0,) * len(first)), count, *([] if chance is None else [str(chance)])]
        for first, chance, by, count in folded(letters, _ahead, least=2)
    ]


def vectors(found: Sequence[tuple[Json, ...]]) -> list[Vector]:
    """Runs of vectors, written out."""
    return [
        tuple(a + at * b for a, b in zip(first, step, strict=True))
        for first, step, count, *_ in found
        for at in range(count)
    ]


def _ahead(one: Vector, other: Vector) -> Vector:
    return tuple(b - a for a, b in zip(one, other, strict=True))


def marginal_json(marginal: Chances) -> list[Json]:
    """[value, probability], or [first, step, how many, probability] for three numbers or more in equal steps. The value
    of several columns is a list: versions that do not know it stop there.
    """
    return [
        [_thing_json(value), str(chance)] if by is None else [_thing_json(value), str(by), count, str(chance)]
        for value, chance, by, count in folded(marginal, _apart, least=3)
    ]


def _thing_json(value: Label | Fraction | Cell) -> Json:
    return cell_json(value) if isinstance(value, tuple) else value_json(value)


def marginal_of(found: Sequence[Json]) -> Chances:
    """The probabilities behind their JSON."""
    return tuple(_unfolded(found))


def _apart(one: Label | Fraction | Cell, other: Label | Fraction | Cell) -> Fraction | None:
    return other - one if isinstance(one, Fraction) and isinstance(other, Fraction) else None


def _unfolded(found: Sequence[Json]) -> Iterator[tuple[Label | Fraction | Cell, Fraction]]:
    for item in found:
        if len(item) == 2:
            value = cell_of(item[0]) if isinstance(item[0], list) else value_of(item[0])
            yield value, number_of(item[1])
            continue
        first, step, length, chance = number_of(item[0]["number"]), number_of(item[1]), item[2], number_of(item[3])
        if length > LARGEST_LATTICE:
            raise InputError(f"A run has at most {LARGEST_LATTICE} values, but got {length}. This is no entry of ours.")
        yield from ((first + place * step, chance) for place in range(length))
