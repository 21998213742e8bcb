"""Large coupled worlds without a list of scrubbed data: the same numbers as with one, and what they cost."""

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Count
from dalenius.mechanisms import DiscreteGaussian, Rounded, TwoSidedGeometric, rational_geometric
from dalenius.papers.definitions.coupled import CoupledWorlds, Simulator, coupled_delta, distributional
from dalenius.papers.definitions.hides import Hide, attributes, blurred, node, record, student
from dalenius.papers.definitions.ideal import canonical_delta, simulated_delta
from dalenius.papers.definitions.inference import inference_delta
from dalenius.papers.definitions.simulator import best_simulator, canonical
from dalenius.papers.worlds import Finite
from finite.test_coupled import EPSILONS, HALF, built, models, total

BITS = {0: Fraction(2, 3), 1: Fraction(1, 3)}


@given(models(beliefs=2), EPSILONS)
def test_a_given_simulator_has_the_same_delta(model, epsilon):
    release, side, masses, simulator = model
    worlds = built(release, side, masses)
    believed = tuple(Finite.table(mass, side=side.__getitem__) for mass in masses)
    found = simulated_delta(
        CoupledWorlds(believed, (record(0),)), release.__getitem__, simulator.__getitem__, epsilon=epsilon
    )
    assert found == coupled_delta(worlds, Simulator.of(simulator.__getitem__, simulator), epsilon=epsilon)


HIDES = {
    "records": tuple(record(i) for i in range(3)),
    "a node": (node(0, [frozenset({0, 1})], people=2),),
    "a school": (student(1, [0, 1]), record(2)),
    "functions": (Hide(lambda data: data[0], lambda data: (None, *data[1:])),),
}


@pytest.mark.parametrize("hides", HIDES.values(), ids=HIDES)
@pytest.mark.parametrize("epsilon", [0, "1/2"])
def test_the_canonical_simulator_has_the_same_delta(hides, epsilon):
    beliefs = (Finite.product([BITS] * 3), Finite.product([BITS, {1: 1}, {0: HALF, 1: HALF}]))
    definition = CoupledWorlds(beliefs, hides)
    worlds = definition.worlds(total)
    truth = coupled_delta(worlds, canonical(total, worlds), epsilon=epsilon)
    assert canonical_delta(definition, total, epsilon=epsilon) == truth
    if all(hide.removes for hide in hides):
        assert canonical_delta(definition, Count(), epsilon=epsilon) == truth


@pytest.mark.parametrize("ratio", ["1/3", "1/2"])
def test_noise_after_a_count(ratio):
    """The two-sided geometric noise of a count of three bits against that of two, from the definition."""
    definition = distributional([Finite.product([BITS] * 3)])
    found = canonical_delta(definition, Count() >> rational_geometric(ratio), epsilon="1/5")
    r, p, q = float(Fraction(ratio)), 1 / 3, 2 / 3
    others = [q * q, 2 * p * q, p * p]

    def law(counts, t):
        return sum(m * (1 - r) / (1 + r) * r ** abs(t - k) for k, m in counts)

    worst = 0.0
    for own in (0, 1):
        laws = [[law([(k + shift, m) for k, m in enumerate(others)], t) for t in range(-60, 63)] for shift in (own, 0)]
        for one, two in (laws, laws[::-1]):
            worst = max(worst, sum(max(0.0, a - 2.718281828459045**0.2 * b) for a, b in zip(one, two, strict=True)))
    assert found.lower - 1e-12 <= worst <= found.upper + 1e-12
    cut = canonical_delta(definition, Count() >> TwoSidedGeometric(1) >> Rounded(5), epsilon="1/5")
    assert 0 < cut.lower <= cut.upper < 1


def test_noise_that_was_cut_is_counted():
    """Discrete Gaussian noise on a count of two bits, with the coin shown in the ideal world, from the definition."""
    definition = distributional([Finite.product([BITS] * 2)])
    release = Count() >> DiscreteGaussian(1)
    found = canonical_delta(definition, release, epsilon="1/5")
    weights = [math.exp(-k * k / 2) for k in range(-40, 41)]
    noise = {k: weight / math.fsum(weights) for k, weight in zip(range(-40, 41), weights, strict=True)}
    worst = 0.0
    for own in (0, 1):
        laws = [
            [(2 / 3) * noise.get(t - s, 0.0) + (1 / 3) * noise.get(t - s - 1, 0.0) for t in range(-45, 48)]
            for s in (own, 0)
        ]
        for one, two in (laws, laws[::-1]):
            worst = max(worst, math.fsum(max(0.0, a - math.exp(0.2) * b) for a, b in zip(one, two, strict=True)))
    assert found.lower - 1e-12 <= worst <= found.upper + 1e-12
    assert found.width < 1e-9
    worlds = definition.worlds(release)
    assert min(case.slack for case in worlds.cases) > 0
    shown = Simulator.of(lambda alt: {0: HALF, 1: HALF}, worlds.alts)
    assert coupled_delta(worlds, shown, epsilon=0).lower > 0
    with pytest.raises(InputError, match="a release known exactly"):
        inference_delta(worlds, shown, epsilon=0)
    with pytest.raises(InputError, match="a release known exactly"):
        best_simulator(worlds, epsilon=0)


def test_a_random_alt_and_public_attributes():
    firm = CoupledWorlds((Finite.table({(0,): HALF, (1,): HALF}),), (blurred(0, {-1: "1/4", 0: HALF, 1: "1/4"}),))
    assert canonical_delta(firm, lambda data: data[0], epsilon=0).upper == 0.5
    half = simulated_delta(firm, lambda data: data[0], lambda data: {0: HALF, 1: HALF}, epsilon=0)
    assert half.lower == half.upper == 0.5
    people = Finite.product([{("old", 0): HALF, ("young", 1): HALF}] * 2)
    definition = CoupledWorlds((people,), (attributes(0, [1]),))

    def sick(data):
        return sum(disease for _, disease in data if disease is not None)

    assert canonical_delta(definition, sick, epsilon=0).lower == 0.5
    with pytest.raises(InputError, match="alt only removes records"):
        canonical_delta(definition, Count(), epsilon=0)
    with pytest.raises(InputError, match="ε of at least 0"):
        canonical_delta(definition, sick, epsilon=-1)
    with pytest.raises(InputError, match="records 0 to 1 to hide"):
        CoupledWorlds((people,), (record(5),)).worlds(sick)


@given(st.integers(0, 2), st.lists(st.integers(0, 5), min_size=8, max_size=8).filter(any))
def test_hides_agree_with_the_functions_they_stand_for(i, weights):
    rows = [(a, b, c) for a in (0, 1) for b in ("x", None) for c in (0, 7)]
    belief = Finite.table({row: Fraction(w, sum(weights)) for row, w in zip(rows, weights, strict=True)})
    for hide in (record(i), student(i, [0, i]), node(i, [], people=3)):
        plain = Hide(hide.priv, hide.alt)
        quick, slow = (CoupledWorlds((belief,), (one,)).worlds(lambda data: data[0]) for one in (hide, plain))
        assert set(quick.alts) == set(slow.alts)
        cases = [
            {
                (case.value, frozenset((worlds.alts[a], m) for a, m in zip(case.at.tolist(), case.seen, strict=True)))
                for case in worlds.cases
            }
            for worlds in (quick, slow)
        ]
        assert cases[0] == cases[1]


@pytest.mark.slow
def test_a_million_datasets_and_twenty_records():
    belief = Finite.product_of_floats([{0: 0.7, 1: 0.3}] * 20)
    start = time.process_time()
    found = canonical_delta(distributional([belief]), Count(), epsilon="1/2")
    assert time.process_time() - start < 10
    assert found.lower < 0.06267 and found.upper > 0.06266
    assert found.width < 1e-9
