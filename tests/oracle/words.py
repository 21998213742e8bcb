"""What a specification of a few people tells at worst, by its words: all laws that are meant, all pairs of facts that
are compared, exact fractions. No code of the engine.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp
from typing import Any

Law = Mapping[int, Fraction]  # of one record, by the place of its value
Total = tuple[int, ...]
Adds = Sequence[Total]  # what each value adds to the figures
World = Mapping[Total, Fraction]


def excess(one: World, two: World, epsilon: float) -> float:
    return sum(max(0.0, float(p) - exp(epsilon) * float(two.get(at, 0))) for at, p in one.items())


def total(laws: Iterable[Law], adds: Adds) -> dict[Total, Fraction]:
    found = {tuple(0 for _ in adds[0]): Fraction(1)}
    for law in laws:
        more: dict[Total, Fraction] = {}
        for at, p in found.items():
            for value, q in law.items():
                key = tuple(a + b for a, b in zip(at, adds[value], strict=True))
                more[key] = more.get(key, Fraction(0)) + p * q
        found = more
    return found


def moved(world: World, by: Total) -> dict[Total, Fraction]:
    return {tuple(a + b for a, b in zip(at, by, strict=True)): p for at, p in world.items()}


def laws_meant(belief: Mapping[str, Any], values: int) -> tuple[list[Law], bool]:
    """The corners of what one record's law may be, and whether people may differ."""
    match belief:
        case {"probabilities": law, "weight": weight}:
            return _rest({v: p * weight for v, p in law.items()}, values), True
        case {"probabilities": law, "within": radius}:
            return _rest({v: max(p - radius, Fraction(0)) for v, p in law.items()}, values), True
        case {"probabilities": law}:
            return [law], False
        case {"one_of": laws}:
            return list(laws), True
        case {"scenarios": laws}:
            return list(laws), False
    raise AssertionError(belief)


def _rest(least: Law, values: int) -> list[Law]:
    left = 1 - sum(least.values())
    return [{v: p + (left if v == at else 0) for v, p in least.items()} for at in range(values)]


def truth(
    belief: Mapping[str, Any],
    adds: Adds,
    pairs: Sequence[tuple[int | None, int | None]],
    n: int,
    known: int,
    epsilon: float,
) -> float:
    """The worst over what is meant; a value of None is absence."""
    nothing = tuple(0 for _ in adds[0])
    if "nobody_knows" in belief or "order" in belief:
        every = _mixed(belief, adds, n) if "nobody_knows" in belief else _ordered(belief, adds, n)
        return max(
            (excess(world[a], world[b], epsilon) for world in every for a, b in pairs if a in world and b in world),
            default=0.0,
        )
    laws, differ = laws_meant(belief, len(adds))
    others = n - 1 - known
    choices = itertools.combinations_with_replacement(laws, others) if differ else ([law] * others for law in laws)
    changes = {(nothing if a is None else adds[a], nothing if b is None else adds[b]) for a, b in pairs}
    worst = 0.0
    for some in choices:
        world = total(some, adds)
        for one, two in changes:
            worst = max(worst, excess(moved(world, one), moved(world, two), epsilon))
    return worst


def _mixed(belief: Mapping[str, Any], adds: Adds, n: int) -> Iterator[dict[int, World]]:
    """Given each value of one record: the other records follow one of the laws, reweighted by that value."""
    found: dict[int, World] = {}
    for value in range(len(adds)):
        world: dict[Total, Fraction] = {}
        whole = sum(weight * law[value] for weight, law in belief["nobody_knows"])
        for weight, law in belief["nobody_knows"] if whole else ():
            for at, p in moved(total([law] * (n - 1), adds), adds[value]).items():
                world[at] = world.get(at, Fraction(0)) + p * weight * law[value] / whole
        if whole:
            found[value] = world
    yield found


def _ordered(belief: Mapping[str, Any], adds: Adds, n: int) -> Iterator[dict[int, World]]:
    """Given each value of each record of a chain."""
    start, moves = belief["order"]
    rows = {}
    for row in itertools.product(range(len(adds)), repeat=n):
        chance = start[row[0]]
        for one, two in itertools.pairwise(row):
            chance *= moves[one][two]
        if chance:
            rows[row] = chance
    for target in range(n):
        found: dict[int, dict[Total, Fraction]] = {}
        for row, chance in rows.items():
            at = tuple(map(sum, zip(*(adds[value] for value in row), strict=True)))
            world = found.setdefault(row[target], {})
            world[at] = world.get(at, Fraction(0)) + chance
        yield {value: _whole(world) for value, world in found.items()}


def _whole(world: World) -> dict[Total, Fraction]:
    mass = sum(world.values(), Fraction(0))
    return {at: p / mass for at, p in world.items()}
