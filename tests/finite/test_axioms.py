"""Axioms of coupled worlds beyond those in test_coupled: mixed releases, and witnesses where a side condition fails."""

from fractions import Fraction

import pytest
from hypothesis import given

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.papers.definitions.axioms import (
    chain_noiseless,
    chain_pufferfish,
    compose_coupled,
    dependence,
    either,
    missing_side,
    values_apart,
)
from dalenius.papers.definitions.coupled import CoupledWorlds, Simulator, coupled_delta, distributional
from dalenius.papers.definitions.hides import record
from dalenius.papers.definitions.simulator import canonical
from dalenius.papers.worlds import Finite
from finite.test_coupled import DATASETS, EPSILONS, HALF, built, laws, literal, models, rows, total

COINS = {0: HALF, 1: HALF}


@pytest.mark.slow
@given(models(), models(), EPSILONS, laws(2))
def test_one_release_or_the_other_is_as_private_as_the_worse(first, second, epsilon, share):
    (f, side, masses, sim_f), (g, _, _, sim_g) = first, second
    worlds = built(f, side, masses), built(g, side, masses)
    simulators = tuple(Simulator.of(sim.__getitem__, sim) for sim in (sim_f, sim_g))
    check = either(worlds, simulators, share[0], epsilon=epsilon)

    def mixed(p, q):
        return {t: share[0] * p[t] + share[1] * q[t] for t in "abc"}

    both = {data: mixed(f[data], g[data]) for data in DATASETS}
    sim = {alt: mixed(sim_f[alt], sim_g[alt]) for alt in sim_f}
    assert check.holds
    assert check.found.upper == pytest.approx(literal(rows(both, side, masses[0], sim), float(epsilon)), abs=1e-12)


@given(models(), EPSILONS)
def test_theorem_16_holds_where_its_side_condition_does(model, epsilon):
    release, side, masses, simulator = model
    worlds, ideal = built(release, side, masses), Simulator.of(simulator.__getitem__, simulator)
    possible = {(d[0], side[d]) for d in DATASETS if masses[0][d]}
    lacking = {(v, z) for v, z in possible if {u for u, _ in possible} != {u for u, y in possible if y == z}}
    witness = missing_side(worlds)
    assert (witness is None) == (not lacking)
    if witness is not None:
        assert (witness.value, witness.side) in lacking
        with pytest.raises(PreconditionError, match="missing_side"):
            chain_pufferfish(worlds, ideal, epsilon=epsilon, between=0)
        return
    for between in (Fraction(0), Fraction(1, 2)):
        assert chain_pufferfish(worlds, ideal, epsilon=epsilon, between=between).holds
    if dependence(worlds) is None:
        assert chain_noiseless(worlds, ideal, epsilon=epsilon).holds


def test_independent_records_do_not_depend_and_a_copied_one_does():
    free = distributional([Finite.product([COINS] * 2)], records=[0]).worlds(total)
    assert dependence(free) is None
    assert chain_noiseless(free, canonical(total, free), epsilon=1).holds
    copied = distributional([Finite.table({(0, 0): HALF, (1, 1): HALF})], records=[0]).worlds(total)
    one, other = dependence(copied)
    assert {one.value, other.value} == {0, 1}
    with pytest.raises(PreconditionError, match="dependence gives two values"):
        chain_noiseless(copied, canonical(total, copied), epsilon=1)


def test_separate_privacy_does_not_compose_and_the_witness_says_where():
    """A bit masked by a coin, and the coin: each alone says nothing, together they say the bit."""
    belief = Finite.product([COINS] * 2)
    definition = CoupledWorlds((belief,), (record(0),))

    def masked(data):
        return data[0] ^ data[1]

    def coin(data):
        return data[1]

    fair = Simulator.of(lambda _: COINS, [(None, 0), (None, 1)])
    shown = Simulator.of(lambda alt: alt[1], [(None, 0), (None, 1)])
    for release, simulator in ((masked, fair), (coin, shown)):
        assert coupled_delta(definition.worlds(release), simulator, epsilon=0).upper == 0
    found = compose_coupled(definition, (masked, coin), (fair, shown), epsilons=(0, 0))
    assert found.together.holds
    assert found.together.found.lower == 0.5
    witness = found.witness(("1/10", "1/10"))
    assert witness is not None
    assert witness.side[1] in (0, 1)  # what else the attacker knows
    assert found.witness((1, 1)) is None


def test_bad_input():
    worlds = distributional([Finite.product([COINS] * 2)]).worlds(total)
    simulator = canonical(total, worlds)
    with pytest.raises(InputError, match="a share between 0 and 1"):
        either((worlds, worlds), (simulator, simulator), 2, epsilon=0)
    other = distributional([Finite.product([COINS] * 3)]).worlds(total)
    with pytest.raises(InputError, match="worlds of the same definition"):
        either((worlds, other), (simulator, simulator), HALF, epsilon=0)
    with pytest.raises(InputError, match="ε of at least 0"):
        values_apart(worlds, epsilon=-1)
