"""The best simulator: its two sides against other simulators, against enumeration, and where the answer is known."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.coupled import CoupledWorlds, Simulator, coupled_delta, distributional
from dalenius.papers.definitions.hides import Hide, record
from dalenius.papers.definitions.simulator import Proof, best_simulator, canonical, factored, filled, midpoint
from dalenius.papers.worlds import Finite
from finite.test_coupled import DATASETS, EPSILONS, GOLDEN, built, laws, models, total

BITS = {0: "1/2", 1: "1/2"}
FEWER = settings(max_examples=max(5, settings.default.max_examples // 5))  # each one takes a while


def parity(data):
    return total(data) % 2


def parity_worlds(n):
    return distributional([Finite.product([BITS] * n).knowing(parity)]).worlds(parity)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("epsilon", [0, 0.5, 1, 5, 50, 600])
def test_parity_cannot_be_simulated(n, epsilon):
    worlds = parity_worlds(n)
    best = best_simulator(worlds, epsilon=epsilon)
    assert best.delta.lower == best.delta.upper == 0.5
    assert best.proof.bound(worlds, epsilon=Fraction(str(epsilon))) == Fraction(1, 2)
    for at, value in GOLDEN["example1_parity"]["min_delta"].items():
        if float(at) == epsilon:
            assert best.delta.upper == value


def test_one_proof_for_parity_serves_every_epsilon():
    worlds = parity_worlds(3)
    proof = best_simulator(worlds, epsilon=1).proof
    assert proof.is_for_every_epsilon(worlds)
    assert {proof.bound(worlds, epsilon=Fraction(at)) for at in (0, 1, 100, 700)} == {Fraction(1, 2)}


@pytest.mark.slow
@FEWER
@given(models(beliefs=2), EPSILONS, st.lists(laws(6), min_size=2, max_size=2))
def test_no_simulator_is_better_and_the_bracket_is_narrow(model, epsilon, others):
    release, side, masses, simulator = model
    worlds = built(release, side, masses)
    best = best_simulator(worlds, epsilon=epsilon)
    assert best.delta.width < 1e-6
    assert coupled_delta(worlds, best.simulator, epsilon=epsilon).upper == best.delta.upper
    rivals = [Simulator.of(simulator.__getitem__, simulator)]
    rivals += [Simulator.of(lambda alt, own=own: own[alt[1]], simulator) for own in itertools.product("abc", repeat=2)]
    rivals += [
        Simulator.of(
            lambda alt: dict(zip("abcxyz", others[alt[1]], strict=True)), simulator
        )  # may say what F never says
    ]
    for rival in rivals:
        assert best.delta.lower <= coupled_delta(worlds, rival, epsilon=epsilon).upper + 1e-15


@pytest.mark.slow
@FEWER
@given(laws(3), laws(3), EPSILONS)
def test_two_laws_and_nothing_to_see(first, second, epsilon):
    """With one record and nothing left of it, δ is the least d with a law Q that is (ε, d)-close to both laws: found
    here on a grid of laws Q.
    """
    release = {(0,): dict(zip("abc", first, strict=True)), (1,): dict(zip("abc", second, strict=True))}
    worlds = distributional([Finite.table({(0,): "1/2", (1,): "1/2"})]).worlds(release.__getitem__)
    best = best_simulator(worlds, epsilon=epsilon).delta
    steep, size = math.exp(epsilon), 24
    found = 1.0
    for i, j in itertools.product(range(size + 1), repeat=2):
        if i + j <= size:
            q = (i / size, j / size, (size - i - j) / size)
            sides = [(p, q) for p in (first, second)] + [(q, p) for p in (first, second)]
            found = min(
                found, max(sum(max(0.0, float(a) - steep * float(b)) for a, b in zip(*s, strict=True)) for s in sides)
            )
    assert best.lower - 1e-12 <= found <= best.upper + 2 * steep / size


@pytest.mark.slow
@FEWER
@given(models(beliefs=2), EPSILONS, st.data())
def test_any_weights_prove_a_true_bound(model, epsilon, data):
    """The certificate is valid whatever the linear program did, for instance with weights drawn by lot."""
    release, side, masses, simulator = model
    worlds = built(release, side, masses)
    size = len(worlds.cases) * len(worlds.outputs)
    x, y = (
        np.array(data.draw(st.lists(st.integers(0, 9).map(Fraction), min_size=size, max_size=size)), dtype=object)
        for _ in range(2)
    )
    shape = len(worlds.cases), len(worlds.outputs)
    bound = Proof(x.reshape(shape), y.reshape(shape)).bound(worlds, epsilon=epsilon)
    assert bound <= coupled_delta(worlds, Simulator.of(simulator.__getitem__, simulator), epsilon=epsilon).upper
    assert bound <= best_simulator(worlds, epsilon=epsilon).delta.upper


def test_a_proof_with_bad_weights_is_refused():
    worlds = parity_worlds(2)
    good = best_simulator(worlds, epsilon=1).proof
    with pytest.raises(InputError, match="weights of at least 0"):
        Proof(-good.y, good.y).bound(worlds, epsilon=Fraction(1))
    with pytest.raises(InputError, match="weights for each case and output"):
        Proof(good.x[:1], good.y[:1]).bound(worlds, epsilon=Fraction(1))
    with pytest.raises(InputError, match="between 0 and 700"):
        good.bound(worlds, epsilon=Fraction(701))


def test_at_zero_epsilon_the_best_is_half_way():
    worlds = distributional([Finite.table({(0,): "1/3", (1,): "2/3"})]).worlds(lambda data: data[0])
    best = best_simulator(worlds, epsilon=0)
    assert best.delta.lower == best.delta.upper == 0.5


def test_one_simulator_serves_all_beliefs():
    """Each belief alone is simulated perfectly, both together are not."""
    beliefs = [Finite.table({(x,): 1}) for x in (0, 1)]
    apart = [distributional([belief]).worlds(lambda data: data[0]) for belief in beliefs]
    assert [best_simulator(one, epsilon=0).delta.upper for one in apart] == [0.0, 0.0]
    assert best_simulator(distributional(beliefs).worlds(lambda data: data[0]), epsilon=0).delta.lower == 0.5


def test_a_random_alt():
    """A bit seen through a channel that flips one in four: the best guess of the bit errs one time in four."""
    flipped = Hide(lambda data: data[0], lambda data: {data[0]: "3/4", 1 - data[0]: "1/4"})
    worlds = CoupledWorlds((Finite.product([BITS]),), (flipped,)).worlds(lambda data: data[0])
    best = best_simulator(worlds, epsilon=0)
    assert best.delta.lower == best.delta.upper == 0.25


@pytest.mark.slow
def test_for_sums_the_midpoint_beats_the_canonical_simulator():
    values = (10, 11, 12)
    worlds = distributional([Finite.product([dict.fromkeys(values, "1/3")] * 4)]).worlds(total)
    canon, middle, best = (
        coupled_delta(worlds, canonical(total, worlds), epsilon=1),
        coupled_delta(worlds, midpoint(total, worlds, values), epsilon=1),
        best_simulator(worlds, epsilon=1).delta,
    )
    assert best.upper <= middle.lower < middle.upper < 0.05 < canon.lower == 1.0
    assert best.width < 1e-9


def test_an_even_number_of_values_has_two_middles():
    worlds = distributional([Finite.product([BITS] * 2)]).worlds(total)
    middle = midpoint(total, worlds, (0, 1))
    half = filled(total, worlds, {0: "1/2", 1: "1/2"})
    assert middle.outputs == half.outputs and (middle.rows == half.rows).all()


def test_a_factored_simulator_is_the_one_that_was_meant():
    definition = CoupledWorlds((Finite.product([BITS] * 2),), (record(0),))
    simulator = factored(lambda data: {data[1]: "1/2", "other": "1/2"}, definition)
    assert set(simulator.alts) == {(None, x) for _, x in DATASETS}
    assert simulator.rows.sum() == 2


def test_bad_input():
    with pytest.raises(InputError, match="ε between 0 and 700"):
        best_simulator(parity_worlds(2), epsilon=701)
    with pytest.raises(InputError, match=r"Simulator\.of"):
        canonical(total, CoupledWorlds((Finite.product([BITS]),), (Hide(len, len),)).worlds(total))
    with pytest.raises(InputError, match="the values that a record may have"):
        midpoint(total, parity_worlds(2), [])
