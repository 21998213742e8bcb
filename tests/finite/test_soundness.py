"""Where a bracket could have missed the truth: very small chances, outputs that stand for many, masses that do not sum
to one.
"""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from dalenius.numerics.outcomes import Outcomes, fractions, joint
from dalenius.papers.definitions.axioms import either, post_processing
from dalenius.papers.finite import (
    CoupledWorlds,
    Fact,
    Finite,
    FiniteMechanism,
    Games,
    Neighbours,
    Pufferfish,
    Simulator,
    as_function,
    best_simulator,
    canonical,
    canonical_delta,
    coupled_delta,
    coupled_epsilon,
    distributional,
    inference_failure,
    largest_shift,
    midpoint,
    noiseless_by_presence,
    record,
    simulated_delta,
    value_pairs,
)
from dalenius.papers.mechanisms.rows import lumped

THIRD = dl.mechanisms.rational_geometric("1/3")
COINS = Finite.product([{0: "1/2", 1: "1/2"}] * 2)


def holds(bracket, truth, width=1e-9):
    return bracket.lower <= truth <= bracket.upper and bracket.upper - bracket.lower <= width * (1 + truth)


# -- chances below the smallest float ---------------------------------------------------------------------------------


def far_apart():
    world = Finite.table(dict.fromkeys([(0, 0), (1, 0), (0, 800), (100, 800), (1, 1700), (0, 1700)], "1/6"))
    near = Neighbours.constrained(world, lambda a, b: int(a[1] != b[1]), distance=0)
    return near, FiniteMechanism.of(dl.Sum() >> dl.mechanisms.rational_geometric("1/2"), world)


@pytest.mark.slow
def test_pairs_with_very_small_chances_do_not_hide_the_others():
    """Every row has chances below 1e-290; the worst two totals are 100 apart, at a ratio of 2."""
    near, noisy = far_apart()
    assert holds(near.epsilon(noisy).value, 100 * math.log(2))
    assert near.epsilon(noisy).first == (0, 800)
    shift = 50 - 0.5 / math.log(2)  # where 2^(100 - 2k) falls to e
    top = sum(Fraction(1, 3) * Fraction(1, 2) ** abs(k) for k in range(-900, 101) if k <= shift)
    bottom = sum(Fraction(1, 3) * Fraction(1, 2) ** abs(k - 100) for k in range(-900, 101) if k <= shift)
    assert near.delta(noisy, epsilon=1).value.upper == pytest.approx(float(top) - math.e * float(bottom), rel=1e-9)


def test_a_small_chance_is_compared_by_its_ratio():
    t = Fraction(1, 10**300)
    world = Finite.table(dict.fromkeys([(0, 0), (0, 1), (1, 2), (1, 3)], "1/4"))
    rows = [[t, 1 - t], [2 * t, 1 - 2 * t], ["1/100", "99/100"], ["99/100", "1/100"]]
    found = Neighbours.replace(world).epsilon(FiniteMechanism.matrix(rows))
    assert holds(found.value, math.log(99)) and found.first == (1, 2)
    rows[1] = [Fraction(1, 10), Fraction(9, 10)]
    found = Neighbours.replace(world).epsilon(FiniteMechanism.matrix(rows))
    assert holds(found.value, 299 * math.log(10)) and found.first == (0, 0)
    assert holds(Neighbours.replace(world).delta(FiniteMechanism.matrix(rows), epsilon=690).value, 0)
    assert Neighbours.replace(world).delta(FiniteMechanism.matrix(rows), epsilon=680).value.lower > 0.09


def test_many_pairs_with_small_chances_are_all_judged():
    """More pairs than are looked at twice, all with chances that floats do not hold, and one that is worse."""
    size = 120
    world = Finite.table({(k,): Fraction(1, size) for k in range(size)})
    t = Fraction(1, 10**400)
    rows = [[t * (1 + k % 2), 1 - t * (1 + k % 2)] for k in range(size)]
    rows[77] = [t * 50, 1 - t * 50]
    found = Neighbours.replace(world).epsilon(FiniteMechanism.matrix(rows)).value
    assert holds(found, math.log(50))


def test_floats_that_would_underflow_are_refused():
    with pytest.raises(dl.InputError, match=r"about 1e-400\. Give fractions"):
        Finite.product_of_floats([{0: 1.0, 1: 1e-200}] * 2)
    with pytest.raises(dl.InputError, match="need ones above 1e-300"):
        Finite((0, 1), np.array([[0], [1]]), np.array([1.0, 1e-310]))
    with pytest.raises(dl.InputError, match="must be above 1e-300, but one is 0"):
        joint(np.array([1e-200]), np.array([1e-200]))
    with pytest.raises(dl.InputError, match="must be above 1e-300"):
        joint(np.array([0.5]), fractions([Fraction(1, 10**400)]))
    assert joint(np.array([0.0, 0.5]), np.array([1e-200, 0.5])).tolist() == [0.0, 0.25]


@pytest.mark.parametrize("power", [60, 70, 200])
def test_an_improbable_secret_does_not_lose_the_noise(power):
    """Given record 0 the total is 0 or 1, and noise e^-|k| tells them apart by exactly 1."""
    rare = Fraction(1, 10**power)
    table = {(0, 0): Fraction(9, 10) - rare, (1, 0): rare, (0, 590): 0, (1, 590): 0, (590, 0): "1/10"}
    belief = Finite.table(table)
    pair = (Fact.record_is(belief, 0, 0), Fact.record_is(belief, 0, 1))
    noisy = FiniteMechanism.of(dl.Sum() >> dl.two_sided_geometric(1), belief)
    assert holds(Pufferfish((pair,), (belief,)).epsilon(noisy).value, 1)


def test_what_floats_lose_is_charged():
    """An output of chance 1e-250 on a dataset of chance 1e-80 or 1e-79: the bracket is wide, and holds the truth."""
    rare = Fraction(1, 10**79)
    belief = Finite.table({(0, 0): (1 - rare) / 2, (0, 1): rare / 2, (1, 0): "1/2", (1, 1): 0})
    belief = Finite.mixture([("9/10", belief), ("1/10", Finite.table({(1, 0): 1 - 10 * rare, (1, 1): 10 * rare}))])
    rows = np.array([[1.0, 0.0], [1.0 - 1e-250, 1e-250]])
    tells = FiniteMechanism((0, 1), np.array([row[1] for row in belief.datasets()]), rows)
    chances = [Fraction(value) for value in belief.mass.tolist()]
    given = [sum(chances[k] for k, row in enumerate(belief.datasets()) if row == (at, 1)) for at in (0, 1)]
    whole = [sum(chances[k] for k, row in enumerate(belief.datasets()) if row[0] == at) for at in (0, 1)]
    truth = abs(math.log(given[0] / whole[0] * whole[1] / given[1]))
    found = Pufferfish(value_pairs(belief)[:1], (belief,)).epsilon(tells).value
    assert truth > 0.5 and found.lower <= truth <= found.upper
    assert tells.beside(tells).slack > 0
    worlds = distributional([belief], records=[0]).worlds(tells)
    assert all(case.slack > 0 for case in worlds.cases)
    assert FiniteMechanism.matrix([[1, 0], [0, 1]]).beside(FiniteMechanism.matrix([[1, 0], [0, 1]])).slack == 0


@pytest.mark.parametrize("power", [301, 2000, 40_000])
def test_the_logarithm_of_a_large_ratio_is_enclosed(power):
    """ln(2^power) with numerators and denominators that are long for another reason: they share no factor."""
    odd = 3**4000
    one, two = Fraction(2**power, odd * 2**power), Fraction(1, odd * 2**power)
    bracket = Outcomes(fractions([one, 1 - one])).epsilon(Outcomes(fractions([two, 1 - two])))
    with localcontext(Context(prec=80)):
        assert Decimal(bracket.lower) <= power * Decimal(2).ln() <= Decimal(bracket.upper)
    assert bracket.upper - bracket.lower < 1e-14 * power


# -- masses ------------------------------------------------------------------------------------------------------------


def test_masses_in_floats_are_divided_by_their_sum():
    belief = Finite.product_of_floats([{0: 0.5, 1: 0.5 + 4.5e-10}] * 2)
    assert abs(belief.mass.sum() - 1) < 1e-14
    worlds = distributional([belief], records=[0]).worlds(lambda row: row[0])
    never = Simulator.of(lambda _: "never", worlds.alts)
    failing = inference_failure(worlds, never, epsilon=0, delta=0)
    assert failing.lower <= 1 <= failing.upper
    given = Finite((0, 1), np.array([[0], [1]]), np.array([0.5, 0.5 + 9e-10]))
    assert given.mass.sum() == pytest.approx(1, abs=1e-14)
    rows = FiniteMechanism((0, 1), np.zeros(2, dtype=np.int64), np.array([[0.5, 0.5 + 9e-10]])).rows
    assert rows.sum() == pytest.approx(1, abs=1e-14)


def test_each_marginal_in_floats_must_sum_to_one():
    with pytest.raises(dl.InputError, match="record 0 must sum to 1, but they sum to 2"):
        Finite.product_of_floats([{0: 1.0, 1: 1.0}, {0: 0.25, 1: 0.25}])


# -- outputs that stand for many ---------------------------------------------------------------------------------------


def worlds_of(*tables):
    definition = CoupledWorlds(tuple(map(Finite.table, tables)), (record(0),))
    return definition, definition.worlds(dl.Sum() >> THIRD)


def test_several_beliefs_share_their_outputs():
    """Record 0 is always 0, so that the release itself is a perfect simulator, under both beliefs."""
    definition, worlds = worlds_of({(0, 0): "1/2", (0, 1): "1/2"}, {(0, 0): "1/2", (0, 2): "1/2"})
    assert best_simulator(worlds, epsilon=0).delta.lower == 0
    assert best_simulator(worlds, epsilon=0).delta.upper < 1e-6
    assert coupled_delta(worlds, canonical(dl.Sum() >> THIRD, worlds), epsilon=0).upper == 0
    assert canonical_delta(definition, dl.Sum() >> THIRD, epsilon=0).upper == 0


def test_a_single_output_is_any():
    only = FiniteMechanism.of(dl.Sum() >> THIRD, Finite.table({(0, 1): 1}))
    assert only.outputs == ("any",) and lumped(only.outputs[0])
    assert lumped((1, only.outputs[0])) and not lumped((1, "any"))
    _, worlds = worlds_of({(0, 1): 1})
    with pytest.raises(dl.InputError, match="publishes 1, and the release one of"):
        coupled_delta(worlds, Simulator.of(lambda _: {1: 1}, worlds.alts), epsilon=0)


def test_simulators_run_statistic_and_channel_with_the_outputs_of_the_worlds():
    """Two coins and noise: the total against the total without record 0, exactly 1/3 apart; the midpoint halves it."""
    noisy, definition = dl.Count() >> THIRD, distributional([COINS], records=[0])
    worlds = definition.worlds(noisy)
    assert holds(coupled_delta(worlds, canonical(noisy, worlds), epsilon=0), 1 / 3)
    assert holds(canonical_delta(definition, noisy, epsilon=0), 1 / 3)
    assert holds(coupled_delta(worlds, midpoint(noisy, worlds, (0, 1)), epsilon=0), 1 / 6)
    assert holds(coupled_epsilon(worlds, canonical(noisy, worlds)), math.log(3))
    with pytest.raises(dl.InputError, match=r"publishes 2, and the release one of .*Use canonical or midpoint"):
        coupled_delta(worlds, canonical(as_function(noisy, COINS), worlds), epsilon=0)
    as_made = definition.worlds(FiniteMechanism.of(noisy, COINS))
    with pytest.raises(dl.InputError, match="publishes 2"):
        coupled_delta(as_made, canonical(as_function(noisy, COINS), as_made), epsilon=0)
    function = as_function(noisy, COINS)
    called = definition.worlds(function)
    assert holds(coupled_delta(called, canonical(function, called), epsilon=0), 1 / 3)
    assert holds(simulated_delta(definition, function, function, epsilon=0), 1 / 3)
    with pytest.raises(dl.InputError, match="made from a function"):
        canonical(noisy, called)
    with pytest.raises(dl.InputError, match=r"tell totals from 0 to 2 apart, but .* the total 5"):
        midpoint(dl.Sum() >> THIRD, definition.worlds(dl.Sum() >> THIRD), [5])
    exact = definition.worlds(dl.Sum())
    assert holds(coupled_delta(exact, midpoint(dl.Sum(), exact, [5]), epsilon=0), 1)
    with pytest.raises(dl.InputError, match="exact probabilities"):
        canonical(dl.Sum() >> dl.two_sided_geometric(1), definition.worlds(dl.Sum() >> dl.two_sided_geometric(1)))


def test_games_and_noiseless_privacy_run_statistic_and_channel():
    noisy = dl.Count() >> THIRD
    for default in (0, 1, None):
        one, two = (Games.of(made, COINS, default=default) for made in (noisy, as_function(noisy, COINS)))
        assert largest_shift(one).size == largest_shift(two).size
    by_total = noiseless_by_presence(noisy, COINS, "1/2", added=[0, 1])
    assert by_total == noiseless_by_presence(as_function(noisy, COINS), COINS, "1/2", added=[0, 1])
    further = noiseless_by_presence(dl.Sum() >> THIRD, COINS, "1/2", added=[5])
    assert further.lower > by_total.upper


def test_hides_do_not_take_outputs_that_stand_for_many():
    hide = dl.papers.Hide(lambda data: data[0], dl.Count() >> THIRD)
    with pytest.raises(dl.InputError, match="a statistic without noise"):
        CoupledWorlds((COINS,), (hide,)).worlds(dl.Count())
    plain = dl.papers.Hide(lambda data: data[0], dl.Count())
    assert CoupledWorlds((COINS,), (plain,)).worlds(dl.Count()).alts == (0, 1, 2)


def test_mixed_and_processed_releases_keep_their_outputs_apart():
    noisy, definition = dl.Count() >> THIRD, distributional([COINS], records=[0])
    wide = Finite.product([{0: "1/2", 1: "1/2"}] * 3)
    worlds = definition.worlds(noisy)
    sim = canonical(noisy, worlds)
    assert either((worlds, worlds), (sim, sim), "1/2", epsilon=0).holds
    other = definition.worlds(as_function(noisy, wide))
    with pytest.raises(dl.InputError, match="stands for many"):
        either((worlds, other), (sim, canonical(as_function(noisy, wide), other)), "1/2", epsilon=0)
    assert post_processing(worlds, sim, str, epsilon=0).holds
