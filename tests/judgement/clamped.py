"""Small worlds with many noisy numbers by brute force: noise is cut where it can tell nothing.

Two-sided geometric noise Z on a number x that certainly lies between l and h: for results z >= h the probability of z
is proportional, over x, to e^(x / scale), whatever z is, and for z <= l to e^(-x / scale). So max(l, min(h, z)) tells
as much as z does. What is published is enumerated with it, number by number.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.facts.secret import Presence
from dalenius.mechanisms import TwoSidedGeometric
from dalenius.tables.history import Atom
from judgement.worlds import Vector, World

Told = dict[Vector, NDArray[np.float64]]  # for each vector of exact numbers, the law of the noisy ones


def clamped_truth(world: World, atom: Atom | None = None) -> float:
    """The exact delta of exact numbers beside some with geometric noise, worst over the persons of the atom; known
    records have the values that the belief allows, which moves what is published by a constant.
    """
    cells = world.frame.groups if atom is None else dict(atom.groups)
    laws = {cell: world.record(cell) for cell in world.frame.groups}
    worst = 0.0
    for cell, count in cells.items():
        facts = list(dict.fromkeys(world.added(cell, values) for values in world.rows()))
        zero = (0,) * len(world.numbers)
        facts += [zero] if isinstance(world.secret, Presence) and zero not in facts else []
        for others in _unknown(world, cell) if count else ():
            rest = {zero: 1.0}
            for at, many in others.items():
                for _ in range(many):
                    rest = _plus(rest, laws[at])
            ends = [(min(v[k] for v in rest), max(v[k] for v in rest)) for k in range(len(zero))]
            for a, b in itertools.combinations(facts, 2):
                low = [end[0] + min(x, y) for end, x, y in zip(ends, a, b, strict=True)]
                high = [end[1] + max(x, y) for end, x, y in zip(ends, a, b, strict=True)]
                told = [_told(world, {_sum(v, fact): p for v, p in rest.items()}, low, high) for fact in (a, b)]
                worst = max(worst, _stick(*told, world.epsilon), _stick(*reversed(told), world.epsilon))
    return worst


def _unknown(world: World, target: tuple[object, ...]) -> Iterator[Counter[tuple[object, ...]]]:
    """Whom the attacker does not know, for every choice of known records."""
    others = Counter(world.frame.groups)
    others[target] -= 1
    known = min(world.known, sum(others.values()))
    cells = list(others)
    for taken in itertools.product(*(range(min(others[cell], known) + 1) for cell in cells)):
        if sum(taken) == known:
            yield Counter({cell: others[cell] - some for cell, some in zip(cells, taken, strict=True)})


def _plus(law: Mapping[Vector, float], record: Mapping[Vector, Fraction]) -> dict[Vector, float]:
    found: dict[Vector, float] = defaultdict(float)
    for (at, p), (more, q) in itertools.product(law.items(), record.items()):
        found[_sum(at, more)] += p * float(q)
    return dict(found)


def _sum(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _told(world: World, law: Mapping[Vector, float], low: list[int], high: list[int]) -> Told:
    scales = [_scale(figure.channel.links) for figure, _ in world.numbers]
    noisy = [at for at, scale in enumerate(scales) if scale is not None]
    plain = [at for at, scale in enumerate(scales) if scale is None]
    shape = tuple(high[at] - low[at] + 1 for at in noisy)
    found: Told = {}
    for vector, chance in law.items():
        key = tuple(vector[at] for at in plain)
        found.setdefault(key, np.zeros(shape))[tuple(vector[at] - low[at] for at in noisy)] += chance
    return {key: _blurred(tensor, [float(scales[at] or 0) for at in noisy]) for key, tensor in found.items()}


def _blurred(law: NDArray[np.float64], scales: list[float]) -> NDArray[np.float64]:
    current = law
    for axis, scale in enumerate(scales):
        blurred = np.tensordot(current, _noise(scale, current.shape[axis]), axes=(axis, 0))
        current = np.moveaxis(blurred, -1, axis)
    return current


def _scale(links: tuple[object, ...]) -> Fraction | None:
    if not links:
        return None
    (link,) = links
    assert isinstance(link, TwoSidedGeometric)
    return link.scale


def _noise(scale: float, size: int) -> NDArray[np.float64]:
    """The law of the cut result for each number from 0 to size - 1."""
    x = math.exp(-1 / scale)
    table = np.zeros((size, size))
    for at in range(size):
        for to in range(size):
            table[at, to] = (1 - x) / (1 + x) * x ** abs(to - at)
        table[at, 0] = x**at / (1 + x) if at else 1 / (1 + x)
        table[at, -1] += x ** (size - 1 - at) / (1 + x) - (1 - x) / (1 + x) * x ** (size - 1 - at)
    return table if size > 1 else np.ones((1, 1))


def _stick(first: Told, second: Told, epsilon: Fraction) -> float:
    factor = math.exp(epsilon)
    return math.fsum(
        float(np.maximum(tensor - factor * second[key], 0).sum()) if key in second else float(tensor.sum())
        for key, tensor in first.items()
    )
