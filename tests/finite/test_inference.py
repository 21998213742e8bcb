"""Posteriors in two worlds: against enumeration, the papers' examples and counterexamples."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.claims.conversions import balanced_from_coupled, failure_from_coupled, failure_from_pufferfish
from dalenius.enclosure.brackets import Bracket
from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.definitions.coupled import CoupledWorlds, Simulator, coupled_delta, distributional
from dalenius.papers.definitions.hides import Hide, record
from dalenius.papers.definitions.inference import (
    inference_delta,
    inference_failure,
    posteriors,
    pufferfish_failure,
    pufferfish_inference_delta,
)
from dalenius.papers.worlds import Finite
from finite.test_coupled import DATASETS, EPSILONS, GOLDEN, built, models
from finite.test_simulator import parity_worlds

LIMITS = st.sampled_from([Fraction(0), Fraction(1, 50), Fraction(1, 7), Fraction(1, 2)])


def apart(p, q, epsilon):
    """Both directions of the hockey stick between two dicts."""
    steep = math.exp(epsilon)
    keys = set(p) | set(q)
    return max(
        math.fsum(max(0.0, float(a.get(k, 0)) - steep * float(b.get(k, 0))) for k in keys) for a, b in ((p, q), (q, p))
    )


def conditioned(joint, output, side):
    found = {}
    for (value, z, t), mass in joint.items():
        if z == side and t == output and mass:
            found[value] = found.get(value, 0) + mass
    whole = sum(found.values())
    return {value: mass / whole for value, mass in found.items()} if whole else None


def joint_law(side, mass, law):
    found = {}
    for data in DATASETS:
        for t, chance in law(data).items():
            key = (data[0], side[data], t)
            found[key] = found.get(key, 0) + mass[data] * chance
    return found


def distances(model, epsilon):
    """For each output and side: its chance, and how far apart the posteriors are (literally)."""
    release, side, masses, simulator = model
    real = joint_law(side, masses[0], release.__getitem__)
    ideal = joint_law(side, masses[0], lambda data: simulator[None, data[1]])
    found = []
    for z in set(side.values()):
        for t in "abc":
            chance = sum(mass for (_, y, s), mass in real.items() if (y, s) == (z, t))
            after, imagined = conditioned(real, t, z), conditioned(ideal, t, z)
            if chance:
                found.append((chance, math.inf if imagined is None else apart(after, imagined, epsilon)))
    return found


@given(models(), EPSILONS, LIMITS)
def test_failures_are_those_of_the_definition(model, epsilon, limit):
    release, side, masses, simulator = model
    worlds, ideal = built(release, side, masses), Simulator.of(simulator.__getitem__, simulator)
    found = distances(model, float(epsilon))
    bracket = inference_failure(worlds, ideal, epsilon=epsilon, delta=limit)
    hair = 1e-12
    assert bracket.lower <= sum(chance for chance, distance in found if distance > limit - hair) + hair
    assert bracket.upper >= sum(chance for chance, distance in found if distance > limit + hair) - hair
    least = inference_delta(worlds, ideal, epsilon=epsilon)
    assert least.width < 1e-12
    assert inference_failure(worlds, ideal, epsilon=epsilon, delta=least.upper + hair).lower <= least.upper + hair
    if least.lower > 1e-9:
        below = Fraction(least.lower) - Fraction(1, 10**10)
        assert inference_failure(worlds, ideal, epsilon=epsilon, delta=below).upper > below


@pytest.mark.slow
@settings(max_examples=50)
@given(models(), st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(2)]), LIMITS.filter(bool))
def test_coupled_worlds_privacy_implies_the_repaired_theorem_2(model, epsilon, limit):
    release, side, masses, simulator = model
    worlds, ideal = built(release, side, masses), Simulator.of(simulator.__getitem__, simulator)
    delta = coupled_delta(worlds, ideal, epsilon=epsilon)
    bound = failure_from_coupled(epsilon, delta, pairs=1, posterior_delta=limit)
    assert inference_failure(worlds, ideal, epsilon=2 * epsilon, delta=limit).lower <= bound.upper + 1e-12


@pytest.mark.slow
@settings(max_examples=50)
@given(models(), EPSILONS, LIMITS.filter(bool))
def test_pufferfish_implies_the_sharp_theorem_7(model, epsilon, limit):
    release, side, masses, _ = model
    belief = Finite.table(masses[0], side=side.__getitem__)
    delta = values_apart(built(release, side, masses), epsilon=epsilon)
    found = pufferfish_failure(release.__getitem__, [belief], [lambda d: d[0]], epsilon=epsilon, delta=limit)
    bound = failure_from_pufferfish(delta, chance="1/2", posterior_delta=limit)
    assert found.lower <= bound.upper + 1e-12


@given(models(), EPSILONS, LIMITS)
def test_pufferfish_failures_are_those_of_the_definition(model, epsilon, limit):
    release, side, masses, _ = model
    real = joint_law(side, masses[0], release.__getitem__)
    worst = [0.0, 0.0]
    for z in set(side.values()):
        prior = {v: sum(m for (x, y, _), m in real.items() if (x, y) == (v, z)) for v in (0, 1)}
        whole = sum(prior.values())
        if not whole:
            continue
        prior = {v: mass / whole for v, mass in prior.items()}
        for end, hair in enumerate((1e-12, -1e-12)):
            bad = 0
            for t in "abc":
                after = conditioned(real, t, z)
                if after is not None and apart(after, prior, float(epsilon)) > limit + hair:
                    bad += sum(m for (_, y, s), m in real.items() if (y, s) == (z, t)) / whole
            worst[end] = max(worst[end], float(bad))
    belief = Finite.table(masses[0], side=side.__getitem__)
    found = pufferfish_failure(release.__getitem__, [belief], [lambda d: d[0]], epsilon=epsilon, delta=limit)
    assert worst[0] - 1e-12 <= found.upper
    assert found.lower <= worst[1] + 1e-12


def test_parity_teaches_nothing():
    golden = GOLDEN["example1_parity"]
    worlds = parity_worlds(3)
    coin = Simulator.of(lambda _: {0: "1/2", 1: "1/2"}, worlds.alts)
    assert inference_delta(worlds, coin, epsilon=0) == Bracket(0.0, 0.0)
    assert inference_failure(worlds, coin, epsilon=0, delta=0) == Bracket(0.0, 0.0)
    uniform = all(set(one.real.mass.tolist()) == {Fraction(1, 2)} for one in posteriors(worlds, coin))
    assert uniform == golden["n3_posteriors_uniform"]


def test_point_beliefs_make_the_inference_based_definition_empty():
    golden = GOLDEN["def2_point_vacuous"]
    beliefs = [Finite.table({data: 1}) for data in DATASETS]
    worlds = distributional(beliefs).worlds(lambda data: data)
    anything = Simulator.of(lambda _: dict.fromkeys(DATASETS, Fraction(1, 4)), worlds.alts)
    assert inference_delta(worlds, anything, epsilon=golden["eps"]).upper == golden["delta"]
    assert coupled_delta(worlds, anything, epsilon=0).lower == 0.75
    uniform = distributional([Finite.product([{0: "1/2", 1: "1/2"}] * 2)]).worlds(lambda data: data)
    assert values_apart(uniform, epsilon=0).lower == golden["dp_delta_of_identity"]


def test_an_undefined_posterior_is_a_failure():
    worlds = distributional([Finite.table({(0,): "1/2", (1,): "1/2"})]).worlds(lambda data: "said")
    silent = Simulator.of(lambda _: "silent", worlds.alts)
    assert inference_failure(worlds, silent, epsilon=5, delta="99/100") == Bracket(1.0, 1.0)
    assert inference_delta(worlds, silent, epsilon=5) == Bracket(1.0, 1.0)


def test_all_pairs_must_be_close_after_the_same_output():
    """Each of two records fails on its own half of the outputs: together they fail always."""
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    release = {d: {("first", d[0]): Fraction(1, 2), ("second", d[1]): Fraction(1, 2)} for d in DATASETS}
    outputs = [(who, x) for who in ("first", "second") for x in (0, 1)]
    found = {}
    for hides in ((record(0),), (record(1),), (record(0), record(1))):
        worlds = CoupledWorlds((belief,), hides).worlds(release.__getitem__)
        blind = Simulator.of(lambda _: dict.fromkeys(outputs, Fraction(1, 4)), worlds.alts)
        found[len(hides), hides[0].name] = inference_failure(worlds, blind, epsilon=0, delta="1/4").upper
    assert found == {(1, "x[0]"): 0.5, (1, "x[1]"): 0.5, (2, "x[0]"): 1.0}


@pytest.mark.slow
def test_theorems_1_and_2_as_printed_fail():
    golden = GOLDEN["thm1_2_counterexample"]
    K, delta, steep = golden["K"], Fraction(1, 10_000), Fraction(math.exp(2))
    sure = 1 - (K - 1) * steep * delta
    release = {(v,): {"none": sure, **{w: steep * delta for w in range(K) if w != v}} for v in range(K)}
    worlds = distributional([Finite.product([dict.fromkeys(range(K), Fraction(1, K))])]).worlds(release.__getitem__)
    ideal = Simulator.of(lambda _: {"none": 1 - K * delta, **dict.fromkeys(range(K), delta)}, worlds.alts)
    found = coupled_delta(worlds, ideal, epsilon=2)
    assert found.upper == pytest.approx(golden["ddp_delta_exact"], rel=1e-10)
    failure = inference_failure(worlds, ideal, epsilon=6, delta=str(golden["claimed_fail"]))
    assert failure.lower == pytest.approx(golden["actual_fail"], rel=1e-10)
    assert failure.lower > golden["claimed_fail"]
    assert inference_delta(worlds, ideal, epsilon=4).upper <= golden["repaired_d"]


@pytest.mark.parametrize("golden", GOLDEN["thm1_2_repaired"])
def test_the_repaired_theorem_2(golden):
    found = balanced_from_coupled(golden["eps"], golden["delta"], pairs=golden["Gamma"])
    assert found.lower == pytest.approx(golden["out_delta_exact_root"], rel=1e-10)
    assert found.upper <= golden["out_delta_simple"]
    given_d = failure_from_coupled(
        golden["eps"], Bracket(golden["delta"], golden["delta"]), pairs=golden["Gamma"], posterior_delta=found.upper
    )
    assert given_d.upper == pytest.approx(found.upper, rel=1e-9)


def test_theorem_7_is_tight_at_zero():
    golden = GOLDEN["thm7_tight_eps0"]
    delta, d = Fraction(1, 100), Fraction(1, 10)
    middle = delta / (4 * d) / Fraction(10_001, 10_000)  # a little below the mass at which the posterior moves by d
    more, less = middle + delta / 2, middle - delta / 2
    laws = [{"zero": more, "one": less, "rest": 1 - 2 * middle}, {"zero": less, "one": more, "rest": 1 - 2 * middle}]
    belief = Finite.table({(0,): "1/2", (1,): "1/2"})

    def release(data):
        return laws[data[0]]

    assert values_apart(distributional([belief]).worlds(release), epsilon=0).upper == pytest.approx(golden["delta"])
    found = pufferfish_failure(release, [belief], [lambda data: data[0]], epsilon=0, delta=d)
    assert found.lower == pytest.approx(golden["bad"], rel=1e-8)
    bound = failure_from_pufferfish(Bracket(0.01, 0.01), chance="1/2", posterior_delta=d)
    assert bound.upper == pytest.approx(golden["bound"])
    example = GOLDEN["thm7"]["example"]
    sharp = failure_from_pufferfish(
        Bracket(example["delta"], example["delta"]), chance="1/2", posterior_delta=example["sharp"][1]
    )
    assert sharp.upper == pytest.approx(example["sharp"][1], rel=1e-10)


def test_pufferfish_counts_what_is_neither():
    """The secret is "both", "none" or neither; given the total all three become certain."""
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    secret = {0: "none", 1: None, 2: "both"}
    found = pufferfish_inference_delta(sum, [belief], [lambda data: secret[sum(data)]], epsilon=0)
    assert found.lower == found.upper == 0.5  # one of four moves by 3/4 and is let fail twice; the rest moves by 1/2


def test_floats_agree_with_fractions():
    chances = [{0: 0.25, 1: 0.75}] * 4
    found = []
    for belief in (Finite.product(chances), Finite.product_of_floats(chances)):
        definition = CoupledWorlds((belief,), (Hide(lambda data: data[0], lambda data: data[1]),))
        worlds = definition.worlds(sum)
        level = Simulator.of(lambda alt: dict.fromkeys((alt, alt + 1, alt + 2, alt + 3), Fraction(1, 4)), worlds.alts)
        found.append(inference_delta(worlds, level, epsilon=0.1))
    assert found[1].lower <= found[0].upper and found[0].lower <= found[1].upper
    assert found[1].width < 1e-9


def test_bad_input():
    with pytest.raises(InputError, match="a posterior δ above 0"):
        failure_from_coupled(1, Bracket(0.0, 0.1), pairs=1, posterior_delta=0)
    with pytest.raises(InputError, match="a probability of the secret"):
        failure_from_pufferfish(Bracket(0.0, 0.1), chance=2, posterior_delta="1/10")
