"""Small worlds by brute force: the law of the whole vector of published numbers, and the worst delta over every attack.

Shares nothing with the engine but the words of a specification (Figure, Frame, Where): conditions, sums, roundings and
noise are read off their definitions here. A target is set to each value of the declared domain (or taken out), the
attacker knows any `known` other records anywhere with any values that can occur (`declared`: with any values of the
declared domain, whether or not the belief gives them a probability), and everybody else is enumerated.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dalenius.facts.records import Between, Column, Combinations, OneOf
from dalenius.facts.secret import Presence, Secret
from dalenius.mechanisms import DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.plan import Question, Target
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom

Vector = tuple[int, ...]
CLOSE = 1e-9  # noise is cut where its mass is below 1e-13, and masses are floats


@dataclass(frozen=True)
class World:
    """Persons by their public cell, the laws of their confidential columns, what is published, and who attacks."""

    frame: Frame
    columns: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    figures: tuple[Figure, ...]
    secret: Secret
    known: int
    epsilon: Fraction

    def question(self, delta: Fraction) -> Question:
        return Question(
            self.frame, self.columns, self.beliefs, Attacker(self.known), self.secret, Target(self.epsilon, delta)
        )

    @property
    def numbers(self) -> list[tuple[Figure, tuple[object, ...]]]:
        """Every number that is published: a figure, in a cell of its public columns."""
        found = []
        for figure in self.figures:
            places = [self.frame.columns.index(name) for name in figure.by]
            found += [(figure, cell) for cell in sorted({tuple(key[p] for p in places) for key in self.frame.groups})]
        return found

    def added(self, public: tuple[object, ...], values: Mapping[str, object]) -> Vector:
        """What one record adds to all the numbers."""
        row = {**dict(zip(self.frame.columns, public, strict=True)), **values}
        return tuple(_adds(figure, cell, row, self.columns) for figure, cell in self.numbers)

    def record(self, public: tuple[object, ...]) -> dict[Vector, Fraction]:
        """The law of what a record of this public cell adds."""
        law: dict[Vector, Fraction] = defaultdict(Fraction)
        for values in self.rows():
            chance = math.prod((_chance(self, belief, values, public) for belief in self.beliefs), start=Fraction(1))
            if chance:
                law[self.added(public, values)] += chance
        return dict(law)

    def rows(self) -> Iterator[dict[str, object]]:
        for values in itertools.product(*(column.values for column in self.columns.values())):
            yield dict(zip(self.columns, values, strict=True))


def _chance(world: World, belief: ColumnBelief, values: Mapping[str, object], public: tuple[object, ...]) -> Fraction:
    """How likely these values of the belief's columns are; of several columns they stand as one tuple."""
    key = tuple(public[world.frame.columns.index(column)] for column in belief.by)
    mine = values[belief.column]
    if belief.beside:
        mine = (mine, *(values[name] for name in belief.beside))
    return sum((chance for at, chance in belief.table[key] if at == mine), Fraction(0))


def _adds(figure: Figure, cell: tuple[object, ...], row: Mapping[str, object], columns: Mapping[str, Column]) -> int:
    if tuple(row[name] for name in figure.by) != cell:
        return 0
    for item in figure.where.tests:
        if isinstance(item, Combinations):
            if (tuple(row[name] for name in item.names) in item.cells) == item.left_out:
                return 0
            continue
        name, test = item
        value = row[name]
        if isinstance(test, OneOf) and value not in test.values:
            return 0
        if isinstance(test, Between):
            below = test.lower is not None and value < test.lower
            if below or (test.upper is not None and value > test.upper):
                return 0
    if figure.column is None:
        return 1
    value = row[figure.column]
    if figure.truncated is not None:
        low, high = figure.truncated
        value = low if value < low else min(value, high)
    return int(value / columns[figure.column].unit)


def truth(world: World, atom: Atom | None = None, *, declared: bool = False) -> float:
    """The exact delta (to about CLOSE with noise), worst over the persons of the atom, or over everybody."""
    cells = world.frame.groups if atom is None else dict(atom.groups)
    laws = {cell: world.record(cell) for cell in world.frame.groups}
    known = {cell: {world.added(cell, row): Fraction(1) for row in world.rows()} for cell in laws} if declared else laws
    worst = 0.0
    for cell, count in cells.items():
        if count:
            ends = list(dict.fromkeys(world.added(cell, values) for values in world.rows()))
            zero = (0,) * len(world.numbers)
            facts = [*ends, zero] if isinstance(world.secret, Presence) else ends  # who is absent adds nothing
            pairs = [pair for pair in itertools.combinations(facts, 2) if pair[0] != pair[1]]
            worst = max([worst, *(_rest(world, laws, known, cell, pairs))])
    return worst


Laws = Mapping[tuple, Mapping[Vector, Fraction]]


def _rest(world: World, laws: Laws, known_laws: Laws, target: tuple, pairs: list) -> Iterator[float]:
    """Every choice of how many records of each cell are known, and every sum that these can have."""
    others = Counter(world.frame.groups)
    others[target] -= 1
    cells = [cell for cell in others if others[cell]]
    for taken in itertools.product(*(range(min(others[cell], world.known) + 1) for cell in cells)):
        if sum(taken) != min(world.known, sum(others.values())):
            continue
        rest, seen = {(0,) * len(world.numbers): Fraction(1)}, {(0,) * len(world.numbers): Fraction(1)}
        for cell, known in zip(cells, taken, strict=True):
            for _ in range(others[cell] - known):
                rest = _plus(rest, laws[cell])
            for _ in range(known):
                seen = _plus(seen, known_laws[cell])
        moved = any(isinstance(link, Rounded) for figure in world.figures for link in figure.channel.links)
        for base in seen if moved else [(0,) * len(world.numbers)]:
            for a, b in pairs:
                yield _both_ways(
                    world, _plus(rest, {_sum(a, base): Fraction(1)}), _plus(rest, {_sum(b, base): Fraction(1)})
                )


def _sum(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _plus(first: Mapping[Vector, Fraction], second: Mapping[Vector, Fraction]) -> dict[Vector, Fraction]:
    law: dict[Vector, Fraction] = defaultdict(Fraction)
    for (a, p), (b, q) in itertools.product(first.items(), second.items()):
        law[_sum(a, b)] += p * q
    return dict(law)


def _both_ways(world: World, first: Mapping[Vector, Fraction], second: Mapping[Vector, Fraction]) -> float:
    p, q = _published(world, first), _published(world, second)
    factor = math.exp(world.epsilon)
    return max(
        math.fsum(max(0.0, float(mass - factor * q.get(at, 0))) for at, mass in p.items()),
        math.fsum(max(0.0, float(mass - factor * p.get(at, 0))) for at, mass in q.items()),
    )


def _published(world: World, law: Mapping[Vector, Fraction]) -> dict[Vector, float]:
    """The channels, number by number; every number has noise of its own."""
    current = {at: float(mass) for at, mass in law.items()}
    for place, (figure, _) in enumerate(world.numbers):
        for link in figure.channel.links:
            following: dict[Vector, float] = defaultdict(float)
            for at, mass in current.items():
                for value, chance in _image(link, at[place]):
                    following[(*at[:place], value, *at[place + 1 :])] += mass * chance
            current = dict(following)
    return current


def _image(link: object, value: int) -> Sequence[tuple[int, float]]:
    match link:
        case Rounded(base):
            low = value // base * base
            return [((low if 2 * (value - low) < base else low + base) // base, 1.0)]
        case TwoSidedGeometric(scale):
            return [(value + k, chance) for k, chance in _noise(tuple, scale)]
        case DiscreteGaussian(scale):
            return [(value + k, chance) for k, chance in _noise(list, scale)]
    raise TypeError(link)


_NOISE: dict[tuple[type, Fraction], list[tuple[int, float]]] = {}


def _noise(kind: type, scale: Fraction) -> list[tuple[int, float]]:
    if (kind, scale) not in _NOISE:
        s = float(scale)
        reach = math.ceil(30 * s) if kind is tuple else math.ceil(7.8 * s)
        weights = {
            k: math.exp(-abs(k) / s) if kind is tuple else math.exp(-k * k / (2 * s * s))
            for k in range(-reach - 1, reach + 2)
        }
        total = math.fsum(weights.values())
        _NOISE[kind, scale] = [(k, weight / total) for k, weight in weights.items()]
    return _NOISE[kind, scale]
