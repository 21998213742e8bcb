"""No function computes with a weaker attacker than was stated: what is known besides is kept, or refused."""

import itertools
from fractions import Fraction

import pytest

import dalenius as dl
from dalenius.papers.definitions.composability import value_correlation_witness
from dalenius.papers.definitions.semantic import distances
from dalenius.papers.finite import (
    Finite,
    FiniteMechanism,
    Games,
    Pufferfish,
    bernoulli_sample,
    failure,
    largest_ratio,
    largest_shift,
    noiseless_by_presence,
    oblivious_failure,
    odds,
    restricted,
    same_data,
    seen_by,
    together,
    value_pairs,
)

COINS = Finite.product([{0: "1/2", 1: "1/2"}] * 3)
TWO = Finite.product([{0: "1/2", 1: "1/2"}] * 2)


def parity(row):
    return sum(row) % 2


def test_who_learns_twice_knows_both():
    """The parity of three coins tells the third to somebody who knows two of them, one after the other."""
    once = COINS.knowing(lambda row: row[1])
    twice = once.knowing(lambda row: row[2])
    assert set(twice.sides) == set(itertools.product((0, 1), repeat=2))
    told = FiniteMechanism.of(parity, COINS)
    pairs = value_pairs(COINS)[:1]
    assert Pufferfish(pairs, (once,)).delta(told, epsilon=0).value.upper == 0
    assert Pufferfish(pairs, (twice,)).delta(told, epsilon=0).value.lower == 1
    both = COINS.knowing(lambda row: (row[1], row[2]))
    assert set(both.sides) == set(twice.sides)
    rumour = once.knowing(lambda row: {row[2]: "3/4", 1 - row[2]: "1/4"})
    assert len(rumour.sides) == 4 and rumour.size == 16
    assert all(seen[0] == row[1] for row, seen in zip(rumour.datasets(), rumour.seen(), strict=True))


def test_games_take_the_worst_of_what_is_known_besides():
    """The parity of two coins moves nobody, unless they know the other coin: then Game 0 tells, and Game 1 does not."""

    def release(row):
        return {parity(row): "3/4", 1 - parity(row): "1/4"}

    informed = TWO.knowing(lambda row: row[1])
    games = Games.of(release, informed, default=0)
    alone = [Games.of(release, informed.given(informed.side_is(z)), default=0) for z in (0, 1)]
    assert largest_shift(games).size.upper == max(largest_shift(one).size.upper for one in alone) > 0
    assert largest_ratio(games) == largest_ratio(alone[0]).join(largest_ratio(alone[1]))
    for level in ("1/10", "1/4", "1/2"):
        assert failure(games, level) == failure(alone[0], level).join(failure(alone[1], level))
        assert oblivious_failure(games, level).lower >= failure(games, level).lower
    for refused in (games.chances, lambda: distances(games), lambda: games.posteriors(0, 0)):
        with pytest.raises(dl.InputError, match="by_side"):
            refused()
    assert len(games.by_side()) == 2 and games.by_side()[0].belief.size == TWO.size


def test_an_output_that_side_information_rules_out_counts_as_such():
    informed = TWO.knowing(lambda row: row)
    told = Games.of(lambda row: {row: 1}, informed, default=0)
    assert largest_shift(told).size.upper == float("inf")


def test_noiseless_privacy_sees_the_sides():
    informed = TWO.knowing(lambda row: row[1])

    def release(row):
        return {sum(value or 0 for value in row) % 2: 1}

    assert noiseless_by_presence(release, TWO, 0, added=[]).upper == 0
    assert noiseless_by_presence(release, informed, 0, added=[]).lower == 1


def test_a_mixture_keeps_what_is_known():
    biased = Finite.product([{0: "1/4", 1: "3/4"}] * 2)
    parts = [("1/2", one.knowing(lambda row: row[1])) for one in (TWO, biased)]
    mixed, plain = Finite.mixture(parts), Finite.mixture((share, one.forgetting()) for share, one in parts)
    assert set(mixed.sides) == {0, 1} and dict(mixed.items()) == dict(plain.items())
    assert all(seen == row[1] for row, seen in zip(mixed.datasets(), mixed.seen(), strict=True))
    rumours = Finite.mixture([(1, TWO.knowing(lambda _: {"x": "1/3", "y": "2/3"}))])
    assert rumours.size == 8 and sum(rumours.mass[rumours.side_is(0)]) == Fraction(1, 3)
    with pytest.raises(dl.InputError, match="in every part, or in none"):
        Finite.mixture([parts[0], ("1/2", biased)])


def test_odds_and_other_priors_refuse_what_is_known_besides():
    informed = TWO.knowing(lambda row: row[1])
    told, pair = FiniteMechanism.of(parity, TWO), value_pairs(TWO)[0]
    with pytest.raises(dl.InputError, match="restricted"):
        odds(told, informed, pair, 0)
    assert odds(told, restricted(informed, informed.side_is(0)), pair, 0).ratio == float("inf")
    with pytest.raises(dl.InputError, match="without auxiliary information"):
        Games.on(TWO, told, default=0).under(informed)


def test_a_correlation_that_only_the_informed_see_has_a_witness():
    """Two independent coins are correlated given their sum."""
    assert value_correlation_witness(TWO, factor=2) is None
    found = value_correlation_witness(TWO.knowing(sum), factor=2)
    assert found is not None and found.ratio > 2


def test_two_releases_add_up_only_if_they_do_in_every_relation():
    """With Bob's own coin nothing fails, and ε is large; with Alice's second coin ε is small, and does not add up."""
    world = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    first = Pufferfish(value_pairs(world)[:1], (world,))
    hers = FiniteMechanism.random(lambda row: {parity(row): "3/4", 1 - parity(row): "1/4"}, world)
    loud = seen_by(world, lambda row: (row[0],), lambda data: {data[0]: "99/100", 1 - data[0]: "1/100"})
    sly = seen_by(world, lambda row: {(row[1],): 1}, lambda data: {data[0]: "3/4", 1 - data[0]: "1/4"})
    found = together(first, hers, [loud, sly])
    assert found.relation == 0 and found.verdicts == (True, False) and found.adds_up is False
    assert str(found).endswith("it does not add up, in relation 1")
    assert together(first, hers, [loud]).adds_up is True
    same = seen_by(world, same_data, lambda data: data[1])
    assert same.outputs == (0, 1)


def test_a_sample_does_not_forget_what_is_known_of_the_population():
    informed = TWO.knowing(lambda row: row[1])
    with pytest.raises(dl.InputError, match="forgetting"):
        bernoulli_sample(informed, "1/2")
    plain, forgotten = (bernoulli_sample(one, "1/2") for one in (TWO, informed.forgetting()))
    assert dict(plain.items()) == dict(forgotten.items())
