"""Beliefs over listed datasets: how they are made and changed, against literal sums."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.numerics.outcomes import collected
from dalenius.papers.definitions import composability
from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.definitions.pufferfish import Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.small_worlds import beliefs, close, listed
from oracle.strategies import masses

WORLD = listed((0, 1), (0, 1, 2))


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any))
def test_weights_are_divided_by_their_sum(weights):
    rows = list(itertools.product((0, 1), (0, 1, 2)))
    table = dict(zip(rows, weights, strict=True))
    found = dict(Finite.weighted([(0, 1), (0, 1, 2)], table.__getitem__).items())
    assert found == {row: Fraction(weight, sum(weights)) for row, weight in table.items()}


def test_a_product_and_a_chain_are_weights():
    marginals = [{0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1, 7), 1: Fraction(6, 7)}]
    product = Finite.weighted(
        [(0, 1)] * 2, lambda row: math.prod(law[v] for law, v in zip(marginals, row, strict=True))
    )
    assert dict(product.items()) == dict(Finite.product(marginals).items())
    moves = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/8", 1: "7/8"}}
    chain = Finite.chain({0: "1/3", 1: "2/3"}, moves, 3)
    start = {0: Fraction(1, 3), 1: Fraction(2, 3)}
    for row, chance in chain.items():
        assert chance == start[row[0]] * math.prod(Fraction(moves[a][b]) for a, b in itertools.pairwise(row))


@given(st.data())
def test_random_side_information_is_heard_with_its_probability(data):
    """An attacker who hears something noisy about the data, against literal conditioning."""
    belief = data.draw(beliefs(WORLD))
    rows = list(WORLD.datasets())
    heard = {row: dict(zip("xy", data.draw(masses(2)), strict=True)) for row in rows}
    told = belief.knowing(heard.__getitem__)
    release = {row: (row[0] + row[1]) % 2 for row in rows}
    found = Pufferfish(pf.value_pairs(told)[:1], (told,)).delta(
        FiniteMechanism.of(release.__getitem__, told), epsilon=0
    )
    truth, skipped = 0.0, 0
    for z in dict.fromkeys(z for row in rows for z in "xy" if heard[row][z]):
        laws = []
        for value in (0, 1):
            weights = {row: p * heard[row][z] for row, p in belief.items() if row[0] == value}
            whole = sum(weights.values())
            if whole:
                laws.append(sum((p for row, p in weights.items() if release[row]), Fraction(0)) / whole)
        if len(laws) == 2:
            truth = max(truth, float(abs(laws[0] - laws[1])))
        else:
            skipped += 1
    assert close(found.value, truth)
    assert len(found.skipped) == skipped
    whole = {}
    for row, chance in told.items():
        whole[row] = whole.get(row, 0) + chance
    assert whole == dict(belief.items())


def test_side_information_may_be_random_for_some_datasets_only():
    told = WORLD.knowing(lambda row: {"x": "1/2", "y": "1/2"} if row[0] else "x")
    assert told.sides == ("x", "y") and told.size == 9
    floats = Finite.product_of_floats([{0: 0.5, 1: 0.5}]).knowing(lambda row: {row[0]: "3/4", 1 - row[0]: "1/4"})
    assert floats.mass.tolist() == [0.375, 0.125, 0.375, 0.125]


def test_bad_weights_and_laws_are_refused():
    with pytest.raises(InputError, match="not all 0"):
        Finite.weighted([(0, 1)], lambda _: 0)
    with pytest.raises(InputError, match="at least 0"):
        Finite.weighted([(0, 1)], lambda row: 1 - 3 * row[0])
    with pytest.raises(InputError, match="Z must be at least 0 and sum to 1"):
        WORLD.knowing(lambda _: {"x": "1/2"})


def test_a_dataset_that_is_listed_once_for_each_z_is_one_dataset():
    """Random side information that says nothing changes nothing, though every dataset is listed twice."""
    world = Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 0): "1/2"})
    twice = world.knowing(lambda _: {"x": "1/2", "y": "1/2"})
    assert twice.size == 6
    plain, split = (composability.composition(Pufferfish(pf.value_pairs(one)[:1], (one,))) for one in (world, twice))
    assert plain.linear is split.linear is False
    rows = dict(zip(twice.datasets(), map(tuple, split.mechanism.rows), strict=False))
    assert all(rows[row] == tuple(law) for row, law in zip(twice.datasets(), split.mechanism.rows, strict=True))
    assert composability.value_correlation_witness(twice, factor=2).ratio == (
        composability.value_correlation_witness(world, factor=2).ratio
    )
    with pytest.raises(InputError, match="without auxiliary information"):
        world.weighed_by(twice)
    assert dict(world.weighed_by(twice.forgetting()).items()) == dict(world.items())


@pytest.mark.slow
@pytest.mark.parametrize(("size", "crowd"), [(7, 20_000), (30_000, 300), (30_000, 20_000)])
def test_masses_are_added_up_within_the_rounding_that_is_charged(size, crowd):
    """Few places; many places with few masses each; many places, of which one is crowded."""
    random = np.random.default_rng(5)
    places = random.integers(0, size, 20_000)
    places[:crowd] = 3
    mass = random.random(20_000) ** 9
    found = collected(places, mass, size)
    wanted = {place: Fraction(0) for place in range(size)}
    for place, value in zip(places.tolist(), mass.tolist(), strict=True):
        wanted[place] += Fraction(value)
    for place in (3, *random.integers(0, size, 50).tolist()):
        assert abs(Fraction(float(found[place])) - wanted[place]) <= wanted[place] * Fraction(2.0**-40)
    assert len(found) == size
