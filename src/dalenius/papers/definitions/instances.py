"""Instances of Pufferfish on finite worlds: which secrets, against which attackers."""

import itertools
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import numpy as np

from dalenius.basics.errors import require
from dalenius.facts.records import Number, exact
from dalenius.papers.definitions.finite import LARGEST_SQUARE, Metric, Neighbours
from dalenius.papers.definitions.pufferfish import (
    Fact,
    Law,
    Mask,
    Pair,
    Pufferfish,
    absence_pairs,
    chance_of,
    independent_given,
    presence_pairs,
    two_points,
    value_pairs,
)
from dalenius.papers.worlds import Dataset, Finite

SAID = "Say of=..., what it is that the metric compares."


def no_assumptions(world: Finite) -> Pufferfish:
    """Presence and value of every record, against every attacker whatever: no two datasets may be told apart.

    Attackers torn between two datasets are the worst ones (Theorem 3.1).
    """
    pairs = value_pairs(world) + (presence_pairs(world) if None in world.values else ())
    return Pufferfish(pairs, two_points(Neighbours.any_two(world)), "nothing (Theorem 3.1: two datasets at a time)")


def independent(world: Finite) -> Pufferfish:
    """Every attacker who holds the records independent: differential privacy (Theorem 6.1).

    Value against absence where records may be absent, else value against value. The worst of these attackers know
    all records but one.
    """
    may_be_absent = None in world.values
    pairs = absence_pairs(world) if may_be_absent else value_pairs(world)
    neighbours = Neighbours.add_or_remove(world) if may_be_absent else Neighbours.replace(world)
    return Pufferfish(pairs, two_points(neighbours), "independent records (Theorem 6.1: all known but one)")


def iid(laws: Sequence[Law], n: int) -> Pufferfish:
    """Records (n of them) drawn from the same law, for each of these laws; every two values of every record."""
    values = tuple(dict.fromkeys(value for law in laws for value in law))
    scenarios = tuple(Finite.product([{value: law.get(value, 0) for value in values}] * n) for law in laws)
    require(bool(scenarios), "at least one law", got=laws)
    absences = absence_pairs(scenarios[0]) if None in values else ()
    return Pufferfish(value_pairs(scenarios[0]) + absences, scenarios, "i.i.d. records, with one of the laws listed")


def indistinguishable(world: Finite) -> Pufferfish:
    """ε-indistinguishability: the number of records is public, and records are independent otherwise (section 6.2).

    With (value of i, absence of i) for the pairs of equation 10, whose (value of i, absence of j) do not exclude each
    other. The worst attackers are torn between two datasets that differ in one tuple.
    """
    sizes = sorted(set((world.codes != world.values.index(None)).sum(axis=1).tolist()) if None in world.values else [0])
    require(len(sizes) == 1, "datasets of one size", got=sizes, remedy="Use Finite.constrained.")
    pairs = value_pairs(world) + (absence_pairs(world) if None in world.values else ())
    return Pufferfish(pairs, two_points(Neighbours.modify(world)), "independent records, given how many there are")


def public_count(world: Finite, counts: Callable[[Hashable], bool]) -> Pufferfish:
    """Independent records, given how many of them count (Theorem 10.2'): the relation `Neighbours.count`."""
    pairs = value_pairs(world) + absence_pairs(world)
    return Pufferfish(pairs, two_points(Neighbours.count(world, counts)), "independent records, given a count")


def constrained(world: Finite, beliefs: Sequence[Sequence[Law]]) -> Pufferfish:
    """Independent records, with each of these marginals, given the constraint that the world's datasets satisfy."""
    pairs = value_pairs(world) + (absence_pairs(world) if None in world.values else ())
    scenarios = tuple(independent_given(world, marginals) for marginals in beliefs)
    return Pufferfish(pairs, scenarios, "independent records given the constraint, with the marginals listed")


def single_prior(law: Law, n: int) -> Pufferfish:
    """Records (n of them) from one law; is person 0 among them with this value, or somebody else (section 7.1)?

    For mechanisms that see only the multiset of tuples. Person 0 is record 0; where it is present, the last record
    is absent, so that n records are there in any case.
    """
    possible = {value: chance for value, chance in law.items() if exact(chance, name="A probability")}
    return hedging(possible, 1, [possible], n)


def hedging(law: Law, alpha: Number, others: Sequence[Law], n: int) -> Pufferfish:
    """As `single_prior`, for attackers who give weight alpha to the law of the publisher and the rest to one of
    `others` (section 7.2): the laws given each secret are these mixtures, with the same weight.
    """
    share, values = exact(alpha, name="alpha"), tuple(dict.fromkeys(v for one in (law, *others) for v in one))
    require(0 <= share <= 1 and n >= 1, "alpha between 0 and 1, and at least one record", got=(alpha, n))
    scenarios = []
    for other in others:
        parts = [
            ({v: exact(one.get(v, 0), name="A probability") for v in values}, weight)
            for one, weight in ((law, share), (other, 1 - share))
        ]
        chances: dict[Dataset, Fraction] = {}
        for first in (None, *values):
            for rest in itertools.product(values, repeat=n - (first is not None)):
                mixed = sum((weight * chance_of([one] * len(rest), rest) for one, weight in parts), Fraction(0))
                chances[(first, *rest) if first is None else (first, *rest, None)] = mixed / (1 + len(values))
        scenarios.append(Finite.table(chances))
    require(bool(scenarios), "at least one other law", got=others)
    pairs = absence_pairs(scenarios[0])[: len(values)]  # those of person 0
    return Pufferfish(pairs, tuple(scenarios), "i.i.d. records, with one of the mixtures listed")


def absolute_error(scenarios: Sequence[Finite], k: Number) -> Pufferfish:
    """Nobody's value may be told within ±k: [x - k, x + k) against [x + k, x + 3k), for every x (section 8.1.1)."""
    step = exact(k, name="k")
    require(step > 0, "a positive error", got=k)
    pairs = _interval_pairs(
        scenarios[0], lambda v: (v + step, v - step, v - 3 * step), lambda x: (x - step, x + step, x + 3 * step)
    )
    _check_adjacent(pairs, scenarios[0], "Take a larger k.")
    return Pufferfish(pairs, tuple(scenarios))


def relative_error(scenarios: Sequence[Finite], c: Number) -> Pufferfish:
    """Nobody's value may be told within a factor c: [cy, y/c) against [y/c, y/c³), for every y (section 8.1.2).

    For 10 % take c = 0.9; the paper's c = 0.1 is a factor of ten.
    """
    factor = exact(c, name="c")
    require(0 < factor < 1, "a factor between 0 and 1", got=c)
    pairs = _interval_pairs(
        scenarios[0],
        lambda v: (v / factor, v * factor, v * factor**3),
        lambda y: (y * factor, y / factor, y / factor**3),
    )
    _check_adjacent(pairs, scenarios[0], "Take a smaller c: 0.9 is 10 %.")
    return Pufferfish(pairs, tuple(scenarios))


def _check_adjacent(pairs: Sequence[Pair], world: Finite, remedy: str) -> None:
    values = [value for value in world.values if value is not None]
    require(bool(pairs), "a pair of adjacent intervals with values in both", got=values, remedy=remedy)


def _interval_pairs(
    world: Finite,
    breaks: Callable[[Fraction], tuple[Fraction, ...]],
    ends: Callable[[Fraction], tuple[Fraction, Fraction, Fraction]],
) -> tuple[Pair, ...]:
    """Neighbouring intervals for every centre. Which values they hold changes only just after a break."""
    numbers = {value: exact(value, name="A value") for value in world.values if value is not None}  # type: ignore[arg-type]  # refused in words if it is no number
    found: dict[tuple[tuple[Hashable, ...], ...], tuple[Fraction, Fraction, Fraction]] = {}
    for centre in sorted({at for number in numbers.values() for at in breaks(number)}):
        edges = ends(centre)
        held = tuple(tuple(v for v, x in numbers.items() if low <= x < high) for low, high in itertools.pairwise(edges))
        if all(held):
            found.setdefault(held, edges)
    return tuple(
        (
            Fact.record_in(world, record, held[0], f"record {record} in [{float(a):g}, {float(b):g})"),
            Fact.record_in(world, record, held[1], f"record {record} in [{float(b):g}, {float(c):g})"),
        )
        for record in range(world.n)
        for held, (a, b, c) in found.items()
    )


def aggregate(
    scenarios: Sequence[Finite],
    metric: Metric,
    *,
    distance: Number,
    of: Callable[[Dataset], Hashable] | None = None,
) -> Pufferfish:
    """No dataset may be told within this distance: the ball around it against the ring of twice the radius
    (section 8.2; with a metric on datasets, what Theorem 8.1 compares with `Neighbours.within`).

    With `of`, the metric compares what that says of a dataset: the aggregate itself. Balls that hold the same datasets
    count once. Cost: the metric of every two values of `of` (without it, of every two datasets), and for each ball
    O(datasets).
    """
    radius = exact(distance, name="distance")
    said = [dataset if of is None else of(dataset) for dataset in scenarios[0].datasets()]
    places = {value: place for place, value in enumerate(dict.fromkeys(said))}
    require(len(places) <= LARGEST_SQUARE, f"at most {LARGEST_SQUARE} values to compare", got=len(places), remedy=SAID)
    classes = np.array([places[value] for value in said])
    pairs: dict[tuple[bytes, bytes], tuple[Hashable, Mask, Mask]] = {}
    for centre in places:
        far = [_distance(metric(value, centre)) for value in places]  # type: ignore[arg-type]  # whatever `of` gives
        ring = np.array([radius < at <= 2 * radius for at in far])[classes]
        near = np.array([at <= radius for at in far])[classes]
        if ring.any():
            pairs.setdefault((near.tobytes(), ring.tobytes()), (centre, near, ring))
    require(bool(pairs), "a dataset in the ring around another", got="none", remedy="Take another distance.")
    facts = tuple(
        (Fact(f"within {distance} of {centre}", near), Fact(f"between {distance} and twice as far from {centre}", ring))
        for centre, near, ring in pairs.values()
    )
    return Pufferfish(facts, tuple(scenarios))


def _distance(number: Number) -> Fraction | int:
    """A distance as an exact number."""
    return number if isinstance(number, int | Fraction) else exact(number, name="A distance")
