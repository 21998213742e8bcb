"""Coupled worlds on finite worlds: against literal enumeration, the papers' numbers, and bad input."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.papers.definitions.axioms import (
    chain_noiseless,
    chain_pufferfish,
    compose_coupled,
    convexity,
    post_processing,
    values_apart,
    weaker_side,
)
from dalenius.papers.definitions.coupled import (
    CoupledWorlds,
    Simulator,
    coupled_delta,
    coupled_epsilon,
    distributional,
    worst_case,
)
from dalenius.papers.definitions.hides import Hide, attributes, blurred, node, record, student
from dalenius.papers.definitions.simulator import canonical, factored
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())["CW"]
HALF = Fraction(1, 2)
DATASETS = list(itertools.product((0, 1), repeat=2))
EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(1), Fraction(3)])


def present(data):
    return [value for value in data if value is not None]


def total(data):
    return sum(present(data))


def laws(size):
    return (
        st.lists(st.integers(0, 4), min_size=size, max_size=size)
        .filter(any)
        .map(lambda weights: [Fraction(weight, sum(weights)) for weight in weights])
    )


def literal(joint, epsilon):
    """δ from a list of (mass, cell, real law, ideal law), by the definition: cell by cell, both directions."""
    cells = {}
    for mass, cell, real, ideal in joint:
        whole, reals, ideals = cells.setdefault(cell, [Fraction(0), {}, {}])
        cells[cell][0] = whole + mass
        for found, law in ((reals, real), (ideals, ideal)):
            for output, chance in law.items():
                found[output] = found.get(output, 0) + mass * chance
    worst = 0.0
    for whole, reals, ideals in cells.values():
        for p, q in ((reals, ideals), (ideals, reals)):
            if whole:
                excess = [float(p[t] / whole) - math.exp(epsilon) * float(q.get(t, 0) / whole) for t in p]
                worst = max(worst, math.fsum(x for x in excess if x > 0))
    return worst


@st.composite
def models(draw, beliefs=1):
    """Two bits with random beliefs, sides, release and simulator of record 0."""
    release = {data: dict(zip("abc", draw(laws(3)), strict=True)) for data in DATASETS}
    side = {data: draw(st.integers(0, 1)) for data in DATASETS}
    masses = [dict(zip(DATASETS, draw(laws(4)), strict=True)) for _ in range(beliefs)]
    simulator = {(None, x): dict(zip("abc", draw(laws(3)), strict=True)) for x in (0, 1)}
    return release, side, masses, simulator


def built(release, side, masses):
    believed = tuple(Finite.table(mass, side=side.__getitem__) for mass in masses)
    return CoupledWorlds(believed, (record(0),)).worlds(release.__getitem__)


def rows(release, side, mass, simulator):
    return [(mass[data], (data[0], side[data]), release[data], simulator[None, data[1]]) for data in DATASETS]


@pytest.mark.slow
@given(models(beliefs=2), EPSILONS)
def test_delta_is_that_of_the_definition(model, epsilon):
    release, side, masses, simulator = model
    worlds = built(release, side, masses)
    truth = max(literal(rows(release, side, mass, simulator), float(epsilon)) for mass in masses)
    ideal = Simulator.of(simulator.__getitem__, simulator)
    found, case = worst_case(worlds, ideal, epsilon=epsilon)
    assert coupled_delta(worlds, ideal, epsilon=epsilon) == found
    assert found.lower - 1e-13 <= truth <= found.upper + 1e-13
    assert found.width < 1e-12
    assert case in worlds.cases


@given(models())
def test_delta_is_zero_from_the_least_epsilon_on(model):
    release, side, masses, simulator = model
    worlds, ideal = built(release, side, masses), Simulator.of(simulator.__getitem__, simulator)
    least = coupled_epsilon(worlds, ideal)
    if math.isinf(least.upper):
        assert coupled_delta(worlds, ideal, epsilon=20).lower > 0
    else:
        assert coupled_delta(worlds, ideal, epsilon=Fraction(least.upper)).upper < 1e-12


@pytest.mark.slow
@given(models(beliefs=2), EPSILONS, st.lists(laws(2), min_size=3, max_size=3), laws(2))
def test_post_processing_convexity_and_weaker_sides_hold(model, epsilon, processing, weights):
    release, side, masses, simulator = model
    worlds, ideal = built(release, side, masses), Simulator.of(simulator.__getitem__, simulator)
    after = dict(zip("abc", [dict(zip("de", law, strict=True)) for law in processing], strict=True))

    def pushed(law):
        return {new: sum(law[old] * after[old][new] for old in law) for new in "de"}

    processed = post_processing(worlds, ideal, after.__getitem__, epsilon=epsilon)
    joint = [[(m, c, pushed(f), pushed(s)) for m, c, f, s in rows(release, side, one, simulator)] for one in masses]
    assert processed.holds
    assert processed.found.upper == pytest.approx(max(literal(one, float(epsilon)) for one in joint), abs=1e-12)

    hull = convexity(worlds, ideal, weights, epsilon=epsilon)
    mixed = {data: weights[0] * masses[0][data] + weights[1] * masses[1][data] for data in DATASETS}
    assert hull.holds
    truth = literal(rows(release, side, mixed, simulator), float(epsilon))
    assert hull.found.upper == pytest.approx(truth, abs=1e-12)

    forgetful = weaker_side(worlds, ideal, lambda _: "nothing", epsilon=epsilon)
    blind = dict.fromkeys(DATASETS, 0)
    truth = max(literal(rows(release, blind, mass, simulator), float(epsilon)) for mass in masses)
    assert forgetful.holds
    assert forgetful.found.upper == pytest.approx(truth, abs=1e-12)
    vague = weaker_side(worlds, ideal, lambda z: {z: "2/3", "?": "1/3"}, epsilon=epsilon)
    assert vague.holds


@pytest.mark.slow
@given(models(), models(), EPSILONS, EPSILONS)
def test_composition_holds_and_is_that_of_the_definition(first, second, one, two):
    (f, side, masses, sim_f), (g, _, _, sim_g) = first, second
    definition = CoupledWorlds((Finite.table(masses[0], side=side.__getitem__),), (record(0),))
    simulators = tuple(Simulator.of(sim.__getitem__, sim) for sim in (sim_f, sim_g))
    found = compose_coupled(definition, (f.__getitem__, g.__getitem__), simulators, epsilons=(one, two))

    def both(p, q):
        return {(a, b): p[a] * q[b] for a in p for b in q}

    whole = [
        (masses[0][d], (d[0], side[d]), both(f[d], g[d]), both(sim_f[None, d[1]], sim_g[None, d[1]])) for d in DATASETS
    ]
    with_f = [(masses[0][d] * f[d][t], (d[0], side[d], t), g[d], sim_g[None, d[1]]) for d in DATASETS for t in f[d]]
    with_g = [
        (masses[0][d] * sim_g[None, d[1]][t], (d[0], side[d], t), f[d], sim_f[None, d[1]])
        for d in DATASETS
        for t in "abc"
    ]
    assert found.together.holds
    assert found.together.found.upper == pytest.approx(literal(whole, float(one + two)), abs=1e-12)
    assert found.second.upper == pytest.approx(literal(with_f, float(two)), abs=1e-12)
    assert found.first.upper == pytest.approx(literal(with_g, float(one)), abs=1e-12)


def test_both_simulators_see_the_same_draw_of_a_random_alt():
    belief = Finite.table({(0,): "1/2", (1,): "1/2"})
    definition = CoupledWorlds((belief,), (Hide(lambda data: data[0], lambda _: {"heads": HALF, "tails": HALF}),))
    show = Simulator.of(lambda alt: alt, ["heads", "tails"])
    coin = {"heads": HALF, "tails": HALF}
    found = compose_coupled(definition, (lambda _: coin, lambda _: coin), (show, show), epsilons=(0, 0))
    assert found.second.upper == 0
    assert found.first.lower == 0.5  # whoever knows Sim_G knows Sim_F
    assert found.together.found.lower == 0.5
    assert found.together.holds


# -- instances --------------------------------------------------------------------------------------------------------


def test_a_node_of_a_social_network_leaves_with_its_edges():
    edges = [frozenset(pair) for pair in itertools.combinations(range(3), 2)]
    belief = Finite.product([{0: 1}] * 3 + [{0: "1/2", 1: "1/2"}] * 3)
    worlds = CoupledWorlds((belief,), (node(0, edges, people=3),)).worlds(total)
    found = coupled_delta(worlds, canonical(total, worlds), epsilon=0)
    assert worlds.alts == ((None, 0, 0, None, None, 0), (None, 0, 0, None, None, 1))
    assert found.lower == 1.0  # two edges of the node push the number beyond both values of the ideal world


def test_public_attributes_stay():
    people = {("old", 0): "1/2", ("young", 1): "1/2"}
    belief = Finite.product([people, people])

    def sick(data):
        return sum(int(disease) for _, disease in data if disease is not None)

    worlds = CoupledWorlds((belief,), (attributes(0, [1]),)).worlds(sick)
    informed = Simulator.of(lambda alt: sick(alt) + (alt[0][0] == "young"), worlds.alts)
    assert coupled_delta(worlds, informed, epsilon=0).upper == 0.0  # the public part gives the private part away
    assert coupled_delta(worlds, canonical(sick, worlds), epsilon=0).lower == 0.5  # Bin(1, 1/2) against its shift by 1


def test_a_whole_school_stays_out():
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 3)
    worlds = CoupledWorlds((belief,), (student(0, [0, 1]),)).worlds(total)
    assert worlds.alts == ((None, None, 0), (None, None, 1))
    # given x0 = 1: the total 1 + Bin(2, 1/2) against Bin(1, 1/2)
    assert coupled_delta(worlds, canonical(total, worlds), epsilon=0).upper == pytest.approx(0.75)


def test_a_firm_with_noise_in_alt():
    belief = Finite.table({(0,): "1/2", (1,): "1/2"})
    worlds = CoupledWorlds((belief,), (blurred(0, {-1: "1/4", 0: "1/2", 1: "1/4"}),)).worlds(lambda data: data[0])
    found = coupled_delta(worlds, canonical(lambda data: data[0], worlds), epsilon=0)
    assert found.lower == found.upper == 0.5


def test_a_release_given_as_rows():
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    as_rows = FiniteMechanism.of(total, belief)
    one, two = distributional([belief]).worlds(as_rows), distributional([belief]).worlds(total)
    ideal = canonical(total, two)
    assert coupled_delta(one, ideal, epsilon=1) == coupled_delta(two, ideal, epsilon=1)


def test_a_large_world_tabulated_beforehand():
    """2^16 datasets: given x0 the total of 16 bits against that of the other 15, by binomial coefficients."""
    belief = Finite.product_of_floats([{0: 0.75, 1: 0.25}] * 16)
    sums = belief.codes.sum(axis=1)
    hides = [
        Hide(FiniteMechanism((0, 1), belief.codes[:, i]), FiniteMechanism(tuple(range(17)), sums - belief.codes[:, i]))
        for i in (0, 7)
    ]
    worlds = CoupledWorlds((belief,), tuple(hides)).worlds(FiniteMechanism(tuple(range(17)), sums))
    found = coupled_delta(worlds, Simulator.of(lambda alt: alt, range(17)), epsilon=0.5)
    chance = [math.comb(15, k) * 0.25**k * 0.75 ** (15 - k) for k in range(16)] + [0.0]
    up, down = (
        math.fsum(max(0.0, a - math.exp(0.5) * b) for a, b in zip(p, q, strict=True))
        for p, q in ((chance, [0.0, *chance[:-1]]), ([0.0, *chance[:-1]], chance))
    )
    assert found.lower <= max(up, down) <= found.upper
    assert found.width < 1e-9


def test_floats_agree_with_fractions():
    chances = [{0: 0.25, 1: 0.75}] * 6
    exactly, floats = Finite.product(chances), Finite.product_of_floats(chances)
    worlds = [distributional([belief]).worlds(total) for belief in (exactly, floats)]
    found = [coupled_delta(one, canonical(total, one), epsilon=0.5) for one in worlds]
    assert found[1].lower <= found[0].upper and found[0].lower <= found[1].upper
    assert found[1].width < 1e-9


# -- golden -----------------------------------------------------------------------------------------------------------


def rational(power):
    return Fraction(math.exp(power))


def test_gehrke_and_corollary_2_are_tight():
    golden, delta, steep = GOLDEN["gehrke_equiv"], Fraction(1, 100), rational(0.5)
    given_0, ideal = delta * (1 + steep), {"atom": delta, "rest": 1 - delta}
    release = {(0,): {"atom": given_0, "rest": 1 - given_0}, (1,): {"rest": 1}}
    worlds = distributional([Finite.table({(0,): "1/2", (1,): "1/2"})]).worlds(release.__getitem__)
    simulator = Simulator.of(lambda _: ideal, worlds.alts)
    check = chain_noiseless(worlds, simulator, epsilon="1/2")
    assert coupled_delta(worlds, simulator, epsilon="1/2").upper == pytest.approx(golden["hs_P_S"], rel=1e-11)
    assert check.promised.upper == pytest.approx(golden["formula"], rel=1e-11)
    assert check.found.lower == pytest.approx(golden["hs_P_Q_at_2eps"], rel=1e-11)
    assert check.found.lower == pytest.approx(GOLDEN["cor2"]["tight"], rel=1e-11)


def test_theorem_16_is_tight():
    golden = GOLDEN["thm16_tight"]
    delta, between = Fraction(1, 200), Fraction(1, 100)
    s_0 = rational(0.3) * delta + between
    atoms = {"real": (rational(0.4) * s_0 + delta, Fraction(0)), "ideal": (s_0, delta)}
    belief = Finite.table({(0, 0): "1/2", (1, 1): "1/2"})  # the other record tells the simulator the secret
    law = {kind: [{"atom": mass, "rest": 1 - mass} for mass in masses] for kind, masses in atoms.items()}

    worlds = distributional([belief], records=[0]).worlds(lambda data: law["real"][data[0]])
    check = chain_pufferfish(
        worlds, Simulator.of(lambda alt: law["ideal"][alt[1]], worlds.alts), epsilon=0.4, between=0.3
    )
    assert check.found.lower == pytest.approx(golden["pufferfish_hs"], rel=1e-10)
    assert check.promised.upper == pytest.approx(golden["formula"], rel=1e-10)
    with pytest.raises(PreconditionError, match="independent"):
        chain_noiseless(worlds, Simulator.of(lambda alt: law["ideal"][alt[1]], worlds.alts), epsilon=0.4)


@pytest.mark.slow
def test_theorem_6_is_tight():
    golden = GOLDEN["thm6_tight"]
    K = golden["K"]
    hit = rational(golden["eps_G"]) / K + Fraction(1, 100)
    miss = (1 - hit) / (K - 1)
    belief = Finite.table({pair: Fraction(1, K * K) for pair in itertools.product(range(K), repeat=2)})
    definition = CoupledWorlds((belief,), (Hide(lambda _: None, lambda data: data[1]),))
    answers = [{g: hit if g == f else miss for g in range(K)} for f in range(K)]
    others = Simulator.of(lambda a: {f: Fraction(1, K - 1) for f in range(K) if f != a}, range(K))
    shown = Simulator.of(lambda a: a, range(K))
    found = compose_coupled(
        definition, (lambda data: data[0], lambda data: answers[data[0]]), (others, shown), epsilons=(0.5, 0.7)
    )
    assert found.first.lower == pytest.approx(golden["delta_F"], rel=1e-10)
    assert found.second.lower == pytest.approx(golden["delta_G"], rel=1e-10)
    assert found.together.found.lower == pytest.approx(golden["hs_H_SimH"], rel=1e-10)
    assert found.together.promised.upper == pytest.approx(golden["formula"], rel=1e-10)


def test_pufferfish_is_not_monotone_in_auxiliary_information():
    golden = GOLDEN["mu_example_bounded"]
    steps = [Fraction(-1, 2), Fraction(0), Fraction(1, 2)]
    parts = [(HALF, Finite.product([{mu + u: "1/3" for u in steps}] * 2)) for mu in (1, -1)]
    blind = Finite.mixture(parts)

    def sign(data):
        return 1 if total(data) > 0 else -1

    for belief, truth in ((blind, golden["noiseless_without_mu_delta"]), (blind.knowing(sign), 0.0)):
        worlds = distributional([belief]).worlds(sign)
        assert coupled_epsilon(worlds, canonical(sign, worlds)).upper == golden["ddp"][0]
        assert coupled_delta(worlds, canonical(sign, worlds), epsilon=0).upper == golden["ddp"][1]
        assert values_apart(worlds, epsilon=5).lower == values_apart(worlds, epsilon=0).upper == truth
    with pytest.raises(PreconditionError, match="every side"):
        chain_pufferfish(worlds, canonical(sign, worlds), epsilon=0, between=0)


@pytest.mark.slow
@pytest.mark.parametrize("golden", GOLDEN["thm10_bernoulli_bruteforce"], ids=lambda row: str(row["cells"]))
def test_truncated_histogram_of_a_bernoulli_sample(golden):
    cells = [cell for cell, size in enumerate(golden["cells"]) for _ in range(size)]
    belief = Finite.product([{cell: str(golden["p"]), None: str(round(1 - golden["p"], 9))} for cell in cells])

    def histogram(data):
        counts = [sum(value == cell for value in data) for cell in range(len(golden["cells"]))]
        return tuple(count if count >= golden["k"] else 0 for count in counts)

    worlds = distributional([belief], records=[0]).worlds(histogram)  # the entry is about a member of the first cell
    epsilon = Fraction(str(golden["eps"]))
    faced = [(real, ideal) for _, real, ideal in worlds.faced(canonical(histogram, worlds))]
    real_sim = max(real.delta(ideal, epsilon).upper for real, ideal in faced)
    sim_real = max(ideal.delta(real, epsilon).upper for real, ideal in faced)
    assert real_sim == pytest.approx(golden["hs_real_sim"], rel=1e-10)
    assert sim_real == pytest.approx(golden["hs_sim_real"], rel=1e-10, abs=1e-15)


# -- bad input --------------------------------------------------------------------------------------------------------


def test_a_simulator_that_looks_at_what_alt_removed_is_refused():
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    definition = distributional([belief], records=[0])
    with pytest.raises(InputError, match="only at what alt leaves"):
        factored(total, definition)
    honest = factored(lambda data: data[1], definition)
    worlds = definition.worlds(total)
    assert coupled_delta(worlds, honest, epsilon=1) == coupled_delta(worlds, canonical(total, worlds), epsilon=1)


def test_a_simulator_may_not_look_through_the_noise_of_alt():
    belief = Finite.table({(0,): "1/2", (1,): "1/2"})
    definition = CoupledWorlds((belief,), (blurred(0, {-1: "1/2", 0: "1/2"}),))
    with pytest.raises(InputError, match="x\\[0\\], blurred"):
        factored(lambda data: data[0], definition)
    assert factored(lambda _: 7, definition).outputs == (7,)
