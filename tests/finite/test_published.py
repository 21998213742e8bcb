"""`statistic >> channel` on finite worlds: literal laws of the output, and the engine that scales."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Count, Mean, Sum
from dalenius.mechanisms import Exact, RationalGeometric, Rounded, discrete_gaussian, two_sided_geometric
from dalenius.numerics.law import law_of
from dalenius.numerics.outcomes import Outcomes
from dalenius.papers.definitions.finite import Neighbours, pointwise_indistinguishability
from dalenius.papers.definitions.pufferfish import Pufferfish, absence_pairs, value_pairs
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.small_worlds import listed
from oracle.strategies import inner_rates, masses

RATIOS = st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(12, 13)])
NUMBERS = listed((None, 0, 1, 3), (0, 2))


def geometric(ratio, k):
    return (1 - ratio) / (1 + ratio) * ratio ** abs(k)


def excess(p, q, factor):
    return sum((max(Fraction(0), p[k] - factor * q[k]) for k in p), Fraction(0))


@pytest.mark.slow
@given(
    st.data(),
    st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(2, 3)]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([1, 3]),
)
def test_reading_the_tails_as_one_loses_nothing(data, ratio, factor, base):
    """Against sums over a wide window, in fractions: what lies beyond it is all that may be missing."""
    mechanism = Count(frozenset({1})) >> RationalGeometric(ratio) >> Rounded(base)
    world = listed((0, 1), (0, 1), (0, 1))
    made = FiniteMechanism.of(mechanism, world)
    mixtures = [data.draw(masses(world.size)) for _ in range(2)]
    wide = 40
    literal, beyond = [], Fraction(0)
    for weights in mixtures:
        law = {}
        for row, weight in zip(world.datasets(), weights, strict=True):
            for k in range(-wide, wide + 1):
                out = (sum(row) + k + base // 2) // base
                law[out] = law.get(out, Fraction(0)) + weight * geometric(ratio, k)
        literal.append(law)
        beyond = max(beyond, 1 - sum(law.values()))
    for law, other in (literal, literal[::-1]):
        law.update({k: law.get(k, Fraction(0)) for k in other})
    laws = [
        dict(
            enumerate(
                made.law(Finite(world.values, world.codes, np.array(weights, dtype=object)), np.full(8, True)).mass
            )
        )
        for weights in mixtures
    ]
    low, found = excess(*literal, factor), excess(*laws, factor)
    assert low - factor * beyond <= found <= low + beyond
    assert sum(laws[0].values()) == 1
    inner = [k for k in literal[0] if abs(k) < wide // base - 4]  # cells that the window does not cut
    assert max(literal[0][k] / literal[1][k] for k in inner) == max(laws[0][k] / laws[1][k] for k in laws[0])


@given(RATIOS, st.integers(1, 4))
def test_rational_geometric_noise_has_the_ratio_it_says(ratio, people):
    world = listed(*[(None, 1)] * people)
    made = FiniteMechanism.of(Count() >> RationalGeometric(ratio), world)
    found = Neighbours.add_or_remove(world).epsilon(made).value
    assert found.lower <= math.log(1 / ratio) <= found.upper and found.width < 1e-12
    assert all(sum(row) == 1 for row in made.rows)


@given(RATIOS, masses(4), st.integers(-5, 5))
def test_rational_noise_covers_the_truth(ratio, law, start):
    """The channel of the engine, against sums in fractions."""
    found = RationalGeometric(ratio).push(law_of({start + k: p for k, p in enumerate(law)}))
    for k, mass, error in zip(range(found.start, found.stop), found.mass, found.error, strict=True):
        if abs(k - start) < 60:
            truth = sum((p * geometric(ratio, k - start - place) for place, p in enumerate(law)), Fraction(0))
            assert abs(Fraction(mass) - truth) <= Fraction(error)
            assert error < 1e-9 * mass + 1e-30
    assert found.tail < 1e-38


@given(RATIOS, st.integers(1, 3))
def test_rational_noise_is_pure_from_its_epsilon_on(ratio, shift):
    pure = RationalGeometric(ratio).pure(shift)
    assert 0 <= pure - shift * Fraction(math.log(1 / ratio)) < Fraction(1, 10**12)
    curve = dl.curve(Count() >> RationalGeometric(ratio), dl.differential_privacy())
    assert curve.delta(RationalGeometric(ratio).pure(1)).upper == 0


def test_deterministic_figures_are_functions():
    always_two = Finite.product([{1: "1/2", 2: "1/2"}, {0: "1/2", 3: "1/2"}])  # a mean's number of records is public
    for statistic, belief, contribution in (
        (Count(frozenset({0, 3})), NUMBERS, {0: 1, 3: 1}),
        (Sum(), NUMBERS, {1: 1, 2: 2, 3: 3}),
        (Mean(), always_two, {1: 1, 2: 2, 3: 3}),
    ):
        made = FiniteMechanism.of(statistic, belief)
        assert made.rows is None and not made.slack
        for place, row in enumerate(belief.datasets()):
            assert made.outputs[made.state[place]] == sum(contribution.get(value, 0) for value in row)
    rounded = FiniteMechanism.of(Sum() >> Rounded(2) >> Rounded(2), NUMBERS)
    for place, row in enumerate(NUMBERS.datasets()):
        total = sum(value or 0 for value in row)
        assert rounded.outputs[rounded.state[place]] == ((total + 1) // 2 + 1) // 2


CHANNELS = {
    "exact": (Exact(),),
    "rounded": (Rounded(2),),
    "rational noise": (RationalGeometric(Fraction(2, 3)),),
    "rational noise, rounded": (RationalGeometric(Fraction(1, 2)), Rounded(3)),
    "rounded, rational noise": (Rounded(2), RationalGeometric(Fraction(1, 2))),
    "geometric noise": (two_sided_geometric(2),),
    "geometric noise, rounded": (two_sided_geometric("3/2"), Rounded(2)),
    "Gaussian noise": (discrete_gaussian(2),),
    "Gaussian noise, rounded": (discrete_gaussian("1/2"), Rounded(2)),
    "two noises": (RationalGeometric(Fraction(1, 2)), discrete_gaussian(1)),
    "noise, rounded, noise": (two_sided_geometric(1), Rounded(2), RationalGeometric(Fraction(1, 3))),
}


def chained(statistic, links):
    mechanism = statistic
    for link in links:
        mechanism = mechanism >> link
    return mechanism


def agree(one, two, slack=1e-10):
    assert max(one.lower, two.lower) <= min(one.upper, two.upper)
    assert one.width < slack and two.width < slack


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANNELS)
@given(
    data=st.data(),
    rate=inner_rates().filter(lambda p: p > 1e-9 and 1 - p > 1e-9),
    epsilon=st.sampled_from(["0", "0.3", "1"]),
)
def test_noiseless_privacy_agrees_with_the_engine(name, data, rate, epsilon):
    """The engine against Pufferfish for value pairs of independent records, the attacker knowing nobody."""
    n = data.draw(st.integers(1, 5))
    mechanism = chained(Count(), CHANNELS[name])
    world = Finite.product([{0: 1 - rate, 1: rate}] * n)
    found = Pufferfish(value_pairs(world), (world,)).delta(FiniteMechanism.of(mechanism, world), epsilon=epsilon)
    scaled = dl.curve(mechanism, dl.noiseless(dl.IID(p=rate, n=n))).delta(Fraction(epsilon))
    agree(found.value, scaled)


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1"])
def test_differential_privacy_agrees_with_the_engine(name, epsilon):
    """The engine takes the others as known, whatever their total; four records show all totals that rounding tells."""
    mechanism = chained(Sum(), CHANNELS[name])
    world = listed(*[(0, 1, 2)] * 4)
    found = Neighbours.replace(world).delta(FiniteMechanism.of(mechanism, world), epsilon=epsilon)
    scaled = dl.curve(mechanism, dl.differential_privacy((0, 1, 2))).delta(Fraction(epsilon))
    agree(found.value, scaled)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exact", "rational noise", "Gaussian noise", "two noises"])
def test_presence_agrees_with_the_engine(name):
    """Given the others, the person is there with either value, or absent."""
    rate, mechanism = Fraction(3, 10), chained(Count(), CHANNELS[name])
    world = Finite.product([{None: "1/2", 0: (1 - rate) / 2, 1: rate / 2}, *[{0: 1 - rate, 1: rate}] * 4])
    found = Pufferfish(absence_pairs(world)[:2], (world,)).delta(FiniteMechanism.of(mechanism, world), epsilon="0.5")
    attacker = dl.noiseless(dl.IID(p=rate, n=5), secret=dl.PresenceOnly())
    agree(found.value, dl.curve(mechanism, attacker).delta(Fraction(1, 2)))


@pytest.mark.slow
def test_cut_noise_says_what_it_left_out():
    world = listed((0, 1), (0, 1))
    made = FiniteMechanism.of(Count() >> discrete_gaussian(2), world)
    assert 0 < made.slack < 1e-38
    neighbours = Neighbours.replace(world)
    pure = neighbours.epsilon(made).value
    assert pure.upper == math.inf and 5 < pure.lower < math.inf  # the ratio grows without bound
    both = made.beside(made)
    assert both.slack == 2 * made.slack
    assert neighbours.delta(both, epsilon=1).value.upper < 1
    laws = [Outcomes(made.rows[made.state[place]], 0.0, made.slack) for place in (0, 1)]
    bad = pointwise_indistinguishability(*laws, epsilon=1)
    assert 0 < bad.lower <= bad.upper < bad.lower + 1e-12


@pytest.mark.slow
def test_narrow_noise_over_a_wide_range_never_claims_an_impossible_output():
    world = Finite.table({(0,): "1/2", (2000,): "1/2"})
    for noise in (two_sided_geometric("1/2"), discrete_gaussian(3)):
        made = FiniteMechanism.of(Sum() >> noise, world)
        found = Neighbours.replace(world).epsilon(made).value
        assert found.lower < 4000 <= found.upper
        assert Neighbours.replace(world).delta(made, epsilon=3).value.upper == pytest.approx(1)
    exactly = FiniteMechanism.of(Sum() >> RationalGeometric(Fraction(1, 2)), world)
    found = Neighbours.replace(world).epsilon(exactly).value
    assert found.lower <= 2000 * math.log(2) * (1 + 1e-12) and found.upper >= 2000 * math.log(2) * (1 - 1e-12)


@pytest.mark.parametrize(
    ("release", "said"),
    [
        (Sum(), "label 'a'"),
        (Sum() >> RationalGeometric(Fraction(1, 2)), "label 'a'"),
    ],
)
def test_figures_that_cannot_be_computed_are_refused(release, said):
    with pytest.raises(InputError, match=said):
        FiniteMechanism.of(release, listed(("a", "b")))


def test_other_bad_releases_are_refused():
    with pytest.raises(InputError, match="Code it"):
        FiniteMechanism.of(Count(), listed(((1, 2), (3, 4))))
    with pytest.raises(InputError, match="ratio between 0 and 1"):
        RationalGeometric(Fraction(3, 2))
    with pytest.raises(InputError, match="points"):
        FiniteMechanism.of(Count() >> discrete_gaussian(1000), listed((0, 1)))


@pytest.mark.slow
def test_a_million_datasets():
    world = Finite.product_of_floats([{0: 0.5, 1: 0.5}] * 20)
    made = FiniteMechanism.of(Count() >> RationalGeometric(Fraction(1, 2)), world)
    found = Neighbours.replace(world).epsilon(made).value
    assert found.lower <= math.log(2) <= found.upper
