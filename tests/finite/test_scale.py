"""Worlds of a hundred thousand datasets; and on small ones the same answers as going through everything."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from amount import repetitions
from dalenius.basics.errors import InputError
from dalenius.papers.definitions import instances
from dalenius.papers.definitions.pufferfish import Leak, Pufferfish, TwoPoints, two_points, value_pairs
from dalenius.papers.finite import (
    Finite,
    FiniteMechanism,
    GeneralisedTable,
    Neighbours,
    best_simulator,
    coupled_delta,
    distributional,
)
from dalenius.papers.worlds import Dataset

F = Fraction
COIN = {0: "1/2", 1: "1/2"}
NOISY = dl.Count() >> dl.mechanisms.rational_geometric("1/3")


def some_world(dice: random.Random, values: tuple[object, ...], n: int) -> Finite:
    rows = [row for row in itertools.product(values, repeat=n) if dice.random() < 0.7]
    return Finite.table({row: F(1, len(rows)) for row in rows})


def moves(a: Dataset, b: Dataset) -> int:
    """How many tuples are added or removed, as sets of (record, value)."""
    one, two = ({(i, v) for i, v in enumerate(row) if v is not None} for row in (a, b))
    return len(one ^ two)


def hamming(a: Dataset, b: Dataset) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True))


def there(a: Dataset) -> list[bool]:
    return [v is not None for v in a]


RELATIONS: dict[str, tuple[Callable[[Finite], Neighbours], Callable[[Dataset, Dataset], bool]]] = {
    "remove 2": (lambda w: Neighbours.add_or_remove(w, records=2), lambda a, b: 0 < moves(a, b) <= 2),
    "remove 3": (lambda w: Neighbours.add_or_remove(w, records=3), lambda a, b: 0 < moves(a, b) <= 3),
    "replace 2": (
        lambda w: Neighbours.replace(w, records=2),
        lambda a, b: 0 < hamming(a, b) <= 2 and there(a) == there(b),
    ),
    "modify": (Neighbours.modify, lambda a, b: moves(a, b) == 2 and sum(there(a)) == sum(there(b))),
    "any two": (Neighbours.any_two, lambda a, b: a != b),
}


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("seed", range(repetitions(3, 30)))
def test_relations_are_what_going_through_all_pairs_finds(name: str, seed: int) -> None:
    make, related = RELATIONS[name]
    world = some_world(random.Random(seed), (None, "a", "b"), 4)
    rows = list(world.datasets())
    found = [frozenset((rows[a], rows[b])) for a, b in zip(*make(world).pairs(), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == {frozenset(pair) for pair in itertools.combinations(rows, 2) if related(*pair)}


@pytest.mark.parametrize("seed", range(repetitions(3, 30)))
def test_induced_neighbours_have_nothing_between_them(seed: int) -> None:
    world = some_world(random.Random(seed), (None, "a", "b"), 3)
    rows = list(world.datasets())
    sets = [frozenset((i, v) for i, v in enumerate(row) if v is not None) for row in rows]
    truth = {
        frozenset((a, b))
        for a, b in itertools.combinations(sets, 2)
        if not any(c not in (a, b) and (a ^ c) < (a ^ b) for c in sets)
    }
    found = {frozenset((sets[a], sets[b])) for a, b in zip(*Neighbours.induced(world).pairs(), strict=True)}
    assert found == truth


@pytest.mark.parametrize("seed", range(repetitions(3, 30)))
def test_classes_are_what_a_metric_on_datasets_finds(seed: int) -> None:
    dice = random.Random(seed)
    world = some_world(dice, (0, 1, 2), 3)
    mechanism = FiniteMechanism.of(dl.Sum() >> dl.mechanisms.rational_geometric("1/2"), world)
    by_total = Neighbours.within(world, lambda x, y: abs(x - y), distance=2, of=sum)
    one_by_one = Neighbours.within(world, lambda a, b: abs(sum(a) - sum(b)), distance=2)
    assert {frozenset(p) for p in zip(*by_total.pairs(), strict=True)} == {
        frozenset(p) for p in zip(*one_by_one.pairs(), strict=True)
    }
    assert by_total.epsilon(mechanism).value == one_by_one.epsilon(mechanism).value
    assert by_total.delta(mechanism, epsilon="1/2").value == one_by_one.delta(mechanism, epsilon="1/2").value
    ball = instances.aggregate([world], lambda x, y: abs(x - y), distance=1, of=sum)
    whole = instances.aggregate([world], lambda a, b: abs(sum(a) - sum(b)), distance=1)
    assert ball.epsilon(mechanism).value == whole.epsilon(mechanism).value
    assert len(ball.pairs) == len(whole.pairs) <= 7


@pytest.mark.parametrize("seed", range(repetitions(3, 30)))
def test_attackers_between_two_datasets_are_judged_as_if_listed(seed: int) -> None:
    dice = random.Random(seed)
    world = some_world(dice, (None, 0, 1), 3)
    rows = [[F(dice.randrange(1, 9)) for _ in range(3)] for _ in range(world.size)]
    mechanism = FiniteMechanism.matrix([[p / sum(row) for p in row] for row in rows])
    quick = instances.independent(world)
    assert isinstance(quick.scenarios, TwoPoints)
    slow = Pufferfish(quick.pairs, tuple(quick.scenarios))
    for epsilon in (None, F(1, 3)):
        found, truth = (
            one.epsilon(mechanism) if epsilon is None else one.delta(mechanism, epsilon=epsilon)
            for one in (quick, slow)
        )
        assert found.value == truth.value
        assert tuple(found.skipped) == tuple(truth.skipped)
        assert len(found.skipped) == len(truth.skipped)
    assert quick.epsilon(mechanism).odds.ratio in {  # type: ignore[union-attr]  # there is a pair
        slow.epsilon(mechanism).odds.ratio,  # type: ignore[union-attr]
        1 / slow.epsilon(mechanism).odds.ratio,  # type: ignore[union-attr]
    }


def _asked(definition: Pufferfish, mechanism: FiniteMechanism, epsilon: Fraction | None) -> Leak:
    return definition.epsilon(mechanism) if epsilon is None else definition.delta(mechanism, epsilon=epsilon)


@pytest.fixture(scope="module")
def large() -> tuple[Finite, FiniteMechanism]:
    world = Finite.product([COIN] * 17)
    return world, FiniteMechanism.of(NOISY, world)


@pytest.mark.slow
def test_a_hundred_thousand_datasets_by_every_definition(large: tuple[Finite, FiniteMechanism]) -> None:
    """Geometric noise of ratio 1/3: ln 3 a step, whatever the world; 17 steps between any two datasets."""
    world, noisy = large
    step = math.log(3)
    for value, steps in (
        (Neighbours.replace(world).epsilon(noisy).value, 1),
        (Neighbours.any_two(world).epsilon(noisy).value, 17),
        (Neighbours.within(world, lambda x, y: abs(x - y), distance=3, of=sum).epsilon(noisy).value, 3),
        (instances.independent(world).epsilon(noisy).value, 1),
    ):
        assert value.lower <= steps * step <= value.upper
        assert value.width < 1e-9


@pytest.mark.slow
def test_groups_and_counts_of_many_datasets() -> None:
    world = Finite.product([{None: "1/4", 0: "1/4", 1: "1/2"}] * 10)
    noisy = FiniteMechanism.of(NOISY, world)
    found = Neighbours.add_or_remove(world, records=2)
    # one tuple: 10 places, 2 values, 3^9 others; two records: 45 places, 2 x 2 x 2 ways; another value: 10 x 3^9
    assert len(found.first) == 10 * 2 * 3**9 + 45 * 8 * 3**8 + 10 * 3**9
    assert found.epsilon(noisy).value.upper == pytest.approx(2 * math.log(3))
    four = world.constrained(lambda row: sum(value == 1 for value in row) == 4)
    assert four.size == math.comb(10, 4) * 2**6
    related = Neighbours.count(four, lambda value: value == 1)
    # one record without it: six places, 2^5 others; two: one that counts and one that does not change places
    assert len(related.first) == math.comb(10, 4) * (6 * 2**5) + math.comb(10, 4) * 4 * 6 * 2 * 2**6 // 2


@pytest.mark.slow
def test_the_best_simulator_counts_alike_scrubbed_data_once() -> None:
    """A pool of 2^11 scrubbed datasets is one row of the program: the same as for the total of the others."""
    world = Finite.product([{0: "2/3", 1: "1/3"}] * 12)
    worlds = distributional([world], records=[0]).worlds(NOISY)
    best = best_simulator(worlds, epsilon="1/10")
    assert coupled_delta(worlds, best.simulator, epsilon="1/10").upper == pytest.approx(best.delta.upper, rel=1e-12)
    assert best.delta.width < 1e-8
    floats = distributional([Finite.product_of_floats([{0: 2 / 3, 1: 1 / 3}] * 12)], records=[0]).worlds(NOISY)
    near = best_simulator(floats, epsilon="1/10")
    assert near.delta.lower <= best.delta.upper and best.delta.lower <= near.delta.upper
    assert near.delta.width < 1e-7


def test_records_that_depend_on_each_other_are_pooled_only_where_they_tell_the_same() -> None:
    """A chain: the second record tells about the first, the third tells nothing more."""
    chain = Finite.chain({0: "1/2", 1: "1/2"}, {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}, 5)
    worlds = distributional([chain], records=[0]).worlds(NOISY)
    best = best_simulator(worlds, epsilon="1/10")
    rows = dict(zip(best.simulator.alts, map(tuple, best.simulator.rows.tolist()), strict=True))
    assert len(set(rows.values())) <= 2
    assert coupled_delta(worlds, best.simulator, epsilon="1/10").upper == pytest.approx(best.delta.upper, rel=1e-9)


def test_too_many_datasets_are_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"32 records make 4294967296"):
        Finite.product([COIN] * 32)
    with pytest.raises(InputError, match="product_of_floats"):
        Finite.product([COIN] * 23)
    with pytest.raises(InputError, match=r"about 1e301"):
        Finite.product([COIN] * 1000)
    with pytest.raises(InputError, match=r"beliefs\.Markov"):
        Finite.chain(COIN, {0: COIN, 1: COIN}, 40)
    with pytest.raises(InputError, match="At most"):
        Finite.weighted([(0, 1)] * 40, sum)


def test_a_table_is_read_from_numbers_and_from_frames() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    rows = [[34, 13068, "flu"], [29, 13053, "cold"]]
    table = GeneralisedTable.read(["age", "zip"], rows)
    assert table.candidates({"age": 34}) == {"flu"}
    columns = {"age": [34, 29], "zip": [13068, 13053], "illness": ["flu", "cold"]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert GeneralisedTable.read(["age", "zip"], frame) == table
    for wrong in ("age", {"age": [1]}, 3, ["ab"]):
        with pytest.raises(InputError, match="rows"):
            GeneralisedTable.read(["age"], wrong)  # type: ignore[arg-type]


def test_value_pairs_of_two_points_need_no_dataset_twice() -> None:
    world = Finite.product([COIN] * 3)
    found = two_points(Neighbours.replace(world))
    assert len(found) == 12 and found[0].size == 8 and len(found[2:5]) == 3
    assert np.asarray(found.possible()).all()
    assert len(Pufferfish(value_pairs(world), found).epsilon(FiniteMechanism.of(NOISY, world)).skipped) == 24


def test_parallel_releases_have_the_larger_epsilon_if_nobody_changes_sides() -> None:
    """Noisy counts of two fixed halves: ln 3 and ln 2, together ln 3; of those with 1 and those with 0: ln 3 + ln 2."""
    world = Finite.product([COIN] * 4)

    def noise(total: int, x: Fraction) -> dict[object, Fraction]:
        law = {j: (1 - x) / (1 + x) * x ** abs(j - total) for j in range(1, 4)}
        return {**law, "low": x**total / (1 + x), "high": x ** (4 - total) / (1 + x)}

    def both(one: int, two: int) -> dict[object, Fraction]:
        laws = noise(one, F(1, 3)), noise(two, F(1, 2))
        return {(i, j): p * q for i, p in laws[0].items() for j, q in laws[1].items()}

    halves = FiniteMechanism.random(lambda row: both(sum(row[:2]), sum(row[2:])), world)
    values = FiniteMechanism.random(lambda row: both(sum(row), 4 - sum(row)), world)
    replaced = Neighbours.replace(world)
    for mechanism, level in ((halves, math.log(3)), (values, math.log(6))):
        found = replaced.epsilon(mechanism).value
        assert found.lower <= level <= found.upper


def test_a_public_count_is_about_records_that_may_be_absent() -> None:
    world = Finite.product([COIN] * 4).constrained(lambda row: row.count(1) == 2)
    with pytest.raises(InputError, match="none is absent"):
        Neighbours.count(world, lambda value: value == 1)


def test_induced_neighbours_of_many_datasets_with_one_total_are_swaps() -> None:
    world = Finite.product([COIN] * 13).constrained(lambda row: row.count(1) == 6)
    found = Neighbours.induced(world)
    assert len(found.first) == world.size * 6 * 7 // 2
    assert (np.abs(world.codes[found.first] - world.codes[found.second]).sum(axis=1) == 2).all()
