"""From one definition to another: every constant against brute force on small worlds, and the papers' numbers."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.claims.conversions import (
    balanced_from_coupled,
    belief_range,
    composed_delta,
    dp_from_shift,
    dp_from_small_shift,
    epsilon_from_stability,
    failure_from_coupled,
    joint_from_most,
    oblivious_from_dp,
    pointwise_from_indistinguishability,
    pufferfish_delta,
    semantic_from_dp,
    shift_from_dp,
    unknown_shift_from_dp,
    variation_from_indistinguishability,
)
from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.outcomes import Outcomes, both_ratios, both_ways, fractions
from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.definitions.coupled import coupled_epsilon, distributional
from dalenius.papers.definitions.finite import pointwise_indistinguishability
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.semantic import worst_informed_shift, worst_shift
from dalenius.papers.definitions.simulator import canonical
from dalenius.papers.definitions.worst_belief import worst_failure, worst_informed_failure
from dalenius.papers.worlds import Finite
from finite.test_coupled import GOLDEN as CW
from finite.test_semantic import BIT, CH, KS, PAIRS, games_on, laws, matrices, responses, xor_games

EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2)])
HAIR = 1e-12
FEWER = settings(max_examples=max(5, settings.default.max_examples // 5))  # each one takes a while


def neighbours(rows):
    """The laws of every two datasets that differ in one record."""
    for x, y in itertools.combinations(range(4), 2):
        if sum(a != b for a, b in zip(PAIRS[x], PAIRS[y], strict=True)) == 1:
            yield Outcomes(fractions(rows[x])), Outcomes(fractions(rows[y]))


def dp_delta(rows, epsilon):
    return max(both_ways(p, q, epsilon).upper for p, q in neighbours(rows))


def point(number):
    return Bracket(float(number), float(number))


# -- two laws ----------------------------------------------------------------------------------------------------------


@given(laws(4), laws(4), EPSILONS)
def test_total_variation_and_pointwise_mass_from_indistinguishability(p, q, epsilon):
    one, two = Outcomes(fractions(p)), Outcomes(fractions(q))
    delta = min(1.0, both_ways(one, two, epsilon).upper)
    apart = sum(max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True))
    assert apart <= variation_from_indistinguishability(epsilon, delta).upper + HAIR
    for above in (epsilon + Fraction(1, 3), 2 * epsilon + Fraction(1, 50)):
        found = pointwise_indistinguishability(one, two, epsilon=above).lower
        assert found <= pointwise_from_indistinguishability(epsilon, delta, above=above).upper + HAIR


@pytest.mark.parametrize("case", KS["claim3.3_6"]["cases"], ids=str)
def test_claim_3_3_6_is_tight(case):
    bound = variation_from_indistinguishability(case["eps"], case["delta"])
    assert bound.upper == pytest.approx(case["tight"], rel=1e-10)
    assert bound.width < 1e-14
    assert case["attained_tv"] == pytest.approx(bound.lower, rel=1e-10)


@pytest.mark.parametrize("case", KS["claim3.3_2"]["cases"], ids=str)
def test_claim_3_3_2_is_false_and_its_repair_is_sharp(case):
    """Three outcomes: each of two favours one law by a little more than e^2ε."""
    steep, delta = math.exp(case["eps"]), Fraction(str(case["delta"]))
    ratio = Fraction(steep * steep) * Fraction(1_000_001, 1_000_000)
    low = delta / (ratio - Fraction(steep))  # then the excess over e^ε is δ
    one, two = [ratio * low, low, 1 - (1 + ratio) * low], [low, ratio * low, 1 - (1 + ratio) * low]
    assert min(one) >= 0
    first, second = Outcomes(fractions(one)), Outcomes(fractions(two))
    found = pointwise_indistinguishability(first, second, epsilon=2 * Fraction(str(case["eps"]))).lower
    sharp = pointwise_from_indistinguishability(case["eps"], delta, above=2 * Fraction(str(case["eps"])))
    assert both_ways(first, second, Fraction(str(case["eps"]))).upper == pytest.approx(float(delta), rel=1e-9)
    assert found == pytest.approx(sharp.upper, rel=1e-3 if case["eps"] < 0.1 else 1e-5)
    assert found > case["claimed_bound"]


@given(laws(2), st.lists(st.tuples(laws(3), laws(3)), min_size=2, max_size=2), EPSILONS)
def test_joint_laws_that_are_close_for_most_values(weights, pairs, epsilon):
    deltas = [both_ways(*(Outcomes(fractions(law)) for law in pair), epsilon).upper for pair in pairs]
    joint = [
        [weight * chance for weight, pair in zip(weights, pairs, strict=True) for chance in pair[end]] for end in (0, 1)
    ]
    found = both_ways(*(Outcomes(fractions(law)) for law in joint), epsilon).lower
    for rest in range(2):
        bound = joint_from_most(Fraction(min(1.0, deltas[1 - rest])), weights[rest])
        assert found <= bound + Fraction(HAIR)
    golden = KS["claim3.3_4"]
    assert float(joint_from_most("0.1", "0.1")) == pytest.approx(golden["sharp"])


# -- differential and semantic privacy ---------------------------------------------------------------------------------


@given(rows=matrices(least=1))
def test_semantic_from_pure_differential_privacy_and_back(rows):
    games = games_on(rows)
    epsilon = max(both_ratios(p, q).upper for p, q in neighbours(rows))
    shift = worst_shift(games).size
    assert shift.lower <= shift_from_dp(epsilon).upper
    assert worst_informed_shift(games, about="the unknown record").size.lower <= unknown_shift_from_dp(epsilon).upper
    assert epsilon <= dp_from_shift(min(shift.upper, 1 - 1e-9))[0].upper + HAIR


@pytest.mark.slow
@FEWER
@given(rows=matrices(), epsilon=EPSILONS, above=st.sampled_from(["1/20", "1/5", "1"]))
def test_semantic_from_approximate_differential_privacy(rows, epsilon, above):
    games, delta = games_on(rows), min(1.0, dp_delta(rows, epsilon))
    shift, failing = semantic_from_dp(epsilon, delta, n=2, above=above)
    assert worst_failure(games, shift.upper, width="1/50", boxes=30).chance.lower <= failing.upper + HAIR
    _, wrong = oblivious_from_dp(epsilon, delta, n=2, above=above)
    informed = worst_informed_failure(
        games, shift.upper, about="any record", reality="any", width="1/50", boxes=30
    ).chance
    assert informed.lower <= wrong.upper + HAIR


@pytest.mark.slow
@FEWER
@given(rows=matrices(), level=st.sampled_from(["1/10", "1/4", "2/5"]))
def test_approximate_differential_privacy_from_semantic(rows, level):
    failing = min(1.0, worst_failure(games_on(rows), level, width="1/50", boxes=40).chance.upper)
    for convert in (dp_from_shift, dp_from_small_shift):
        epsilon, delta = convert(level, failing)
        assert dp_delta(rows, Fraction(epsilon.upper)) <= delta.upper + HAIR


@pytest.mark.parametrize("case", KS["thm2.4_converse"]["cases"], ids=str)
def test_theorem_2_4_converse_as_repaired(case):
    epsilon, delta = dp_from_shift(case["s"], case["delta"])
    assert epsilon.upper == pytest.approx(case["R1_eps"], rel=1e-10)
    assert delta.upper == pytest.approx(case["R1_delta"], rel=1e-10)
    if case["s"] < 0.5:
        epsilon, delta = dp_from_small_shift(case["s"], case["delta"])
        assert epsilon.upper == pytest.approx(case["R2_eps"], rel=1e-10)
        assert delta.upper == pytest.approx(2 * case["delta"], rel=1e-10)


def test_theorem_2_4_converse_as_printed_fails():
    """One bit with odds e^E: exactly (e^ε - 1) / 2-semantically private, with δ = 0, but not (2ε, 0)-private."""
    epsilon = 0.5
    level = math.expm1(epsilon) / 2
    games = Games.of(responses(4 * math.atanh(level), lambda x: x[0]), BIT, default=0)
    assert worst_failure(games, level + 1e-12).chance.upper == 0
    laws_of = [Outcomes(games.real.row(place)) for place in range(2)]
    assert both_ways(*laws_of, 2 * Fraction(1, 2)).lower > 0.1
    assert both_ratios(*laws_of).lower > 2 * epsilon
    assert both_ratios(*laws_of).upper <= dp_from_shift(level + 1e-12)[0].upper


@pytest.mark.parametrize("case", KS["thm2.4_5.1_A3_golden"], ids=str)
def test_theorem_2_4_forward_golden(case):
    above = 2 * math.sqrt(case["delta"])
    shift, failing = semantic_from_dp(case["eps"], case["delta"], n=case["n"], above=above)
    assert shift.upper == pytest.approx(case["eps_prime"], rel=1e-8)
    assert failing.upper == pytest.approx(case["delta_prime_sharp"], rel=1e-6)
    simple = 4 * case["n"] * case["delta"] / ((1 + math.exp(case["eps"])) * above)
    assert failing.upper <= simple * (1 + 1e-12)
    assert simple == pytest.approx(case["delta_prime_simple"], rel=1e-8)


@pytest.mark.parametrize("case", KS["thm2.4_5.1_A3_golden"], ids=str)
def test_theorem_5_1_is_theorem_2_4_with_joint_laws(case):
    joint = joint_from_most(case["delta"], case["delta"])
    above = 2 * math.sqrt(case["delta"])
    _, failing = semantic_from_dp(case["eps"], joint, n=case["n"], above=above)
    assert failing.upper == pytest.approx(case["thm5_1_delta_prime"], rel=1e-6)


@pytest.mark.parametrize("case", KS["thm2.4_forward_sd"]["cases"], ids=str)
def test_the_sharp_lemma_on_statistical_distances(case):
    shift, failing = semantic_from_dp(case["eps"], case["delta"], n=1, above=case["x"])
    assert shift.upper == pytest.approx(case["s"], rel=1e-9)
    assert failing.upper == pytest.approx(case["sharp_fail"], rel=1e-9)
    assert failing.upper <= case["simple_fail"] * (1 + 1e-9)
    assert failing.upper == pytest.approx(case["lp"], rel=2e-3)  # a linear program over all binary shifts, on a grid


def test_where_the_lemma_does_not_reach_only_undefined_posteriors_fail():
    # errata, section 6, 3: ε = 5, δ = 0.01, one record: the failing mass is 0.01.
    shift, failing = semantic_from_dp(5, "0.01", n=1, above="1/2")
    assert shift == Bracket(1.0, 1.0)
    assert failing.lower <= 0.01 <= failing.upper < 0.0101
    assert semantic_from_dp(0, 0, n=3, above="1/2")[1].upper == 0


def test_the_exclusive_or_attains_the_pure_bounds():
    for epsilon in (0.1, 1.0, 3.0):
        worst = worst_shift(xor_games(epsilon)).size
        assert worst.upper == pytest.approx(shift_from_dp(epsilon).lower, rel=1e-12)
        assert dp_from_shift(worst.upper)[0].upper == pytest.approx(2 * epsilon, rel=1e-10)


@given(laws(2), st.integers(1, 19), st.integers(1, 19))
def test_beliefs_stay_in_the_range_of_exercise_3_4(prior, one, two):
    """A bit and a yes-or-no release: the belief in 1 after each answer."""
    yes = Fraction(one, 20), Fraction(two, 20)
    table = [yes, (1 - yes[0], 1 - yes[1])]
    epsilon = max(abs(math.log(row[0] / row[1])) for row in table)
    low, high = belief_range(prior[1], epsilon)
    for row in table:
        after = prior[1] * row[1] / (prior[0] * row[0] + prior[1] * row[1])
        assert low.lower - HAIR <= after <= high.upper + HAIR


def test_exercise_3_4_golden():
    for chance, golden in (("0.2", CH["ex3.4"]["i"]), ("0.5", CH["ex3.4"]["ii"]), *CH["ex3.4"]["extra"].items()):
        low, high = belief_range(chance, math.log(1.25))
        assert [low.lower, high.upper] == pytest.approx(golden, rel=1e-9)


# -- coupled worlds ----------------------------------------------------------------------------------------------------


def test_the_formulas_of_theorems_6_and_16_and_corollary_2():
    golden = CW["thm6_tight"]
    found = composed_delta((golden["eps_F"], point(golden["delta_F"])), (golden["eps_G"], point(golden["delta_G"])))
    assert found.upper == pytest.approx(golden["formula"], rel=1e-9)
    golden = CW["thm16_tight"]
    found = pufferfish_delta(
        golden["eps"], point(golden["delta"]), between=golden["eps1"], apart=point(golden["delta1"])
    )
    assert found.upper == pytest.approx(golden["formula"], rel=1e-9)
    golden = CW["cor2"]
    found = pufferfish_delta(golden["eps"], point(golden["delta"]), between=0, apart=point(0))
    assert found.upper == pytest.approx(golden["out_delta"], rel=1e-9)


@given(EPSILONS, st.integers(1, 50), st.sampled_from(["0", "1e-9", "1e-4", "1/3", "1"]))
def test_the_balanced_bound_balances(epsilon, pairs, delta):
    d = balanced_from_coupled(epsilon, delta, pairs=pairs)
    if 0 < d.upper < 1:
        failing = failure_from_coupled(epsilon, point(Fraction(delta)), pairs=pairs, posterior_delta=d.upper)
        assert failing.upper == pytest.approx(d.upper, rel=1e-9)
    assert d.width < 1e-12


@pytest.mark.parametrize("case", CW["thm12"]["cases"], ids=str)
def test_theorem_12_sharpened(case):
    found = epsilon_from_stability(case["c"], case["mu"])
    assert found.upper == pytest.approx(case["sharp"], rel=1e-9)
    assert found.upper <= case["paper"]


@given(st.lists(laws(2), min_size=3, max_size=3))
def test_stability_bounds_distributional_privacy(chances):
    """Theorems 11 and 12 on the majority of three bits: total variation and ε from the chance to be decisive."""
    belief = Finite.product([dict(enumerate(law)) for law in chances])

    def majority(data):
        return int(2 * sum(filter(None, data)) > sum(value is not None for value in data))

    worlds = distributional([belief], records=[0]).worlds(majority)
    faced = list(worlds.faced(canonical(majority, worlds)))
    for case, real, ideal in faced:
        rest = [(a, b, chances[1][a] * chances[2][b]) for a in (0, 1) for b in (0, 1)]
        disagree = sum((p for a, b, p in rest if majority((case.value, a, b)) != majority((None, a, b))), Fraction(0))
        assert both_ways(real, ideal, Fraction(0)).lower <= disagree
        least = min(real.mass.tolist())
        if disagree < least:
            assert both_ratios(real, ideal).lower <= epsilon_from_stability(least, disagree).upper
    assert coupled_epsilon(worlds, canonical(majority, worlds)).lower >= 0
    assert values_apart(worlds, epsilon=0).lower >= 0


def test_bad_input():
    for call in (
        lambda: variation_from_indistinguishability(-1, 0),
        lambda: variation_from_indistinguishability(1, 2),
        lambda: pointwise_from_indistinguishability(1, "0.1", above=1),
        lambda: dp_from_shift(1),
        lambda: dp_from_small_shift("1/2"),
        lambda: semantic_from_dp(1, "0.1", n=0, above=1),
        lambda: semantic_from_dp(1, "0.1", n=1, above=0),
        lambda: belief_range(2, 1),
        lambda: epsilon_from_stability("0.1", "0.1"),
        lambda: failure_from_coupled(1, point(0), pairs=0, posterior_delta="1/2"),
        lambda: balanced_from_coupled(1, 0, pairs=0),
    ):
        with pytest.raises(InputError):
            call()


def test_very_large_and_very_small_levels():
    assert shift_from_dp(5000).upper == 1.0 and shift_from_dp(0) == Bracket(0.0, 0.0)
    tiny = shift_from_dp("1e-30")
    assert tiny.lower <= 5e-31 <= tiny.upper < 5.1e-31
    assert dp_from_shift("0.999999999")[0].upper < 43
