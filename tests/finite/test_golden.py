"""Independent values of the papers' examples that are finite worlds of moderate size: stable functions (majority, most
likely model), sampled histograms, and laws of three points.

A world with many alike records is listed by how many of them are ones: record 0 is the person, record 1 that number.
"""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalenius.claims.conversions import failure_from_coupled
from dalenius.facts.statistics import Sum
from dalenius.mechanisms import two_sided_geometric
from dalenius.numerics.outcomes import Outcomes, both_ratios, both_ways, fractions
from dalenius.papers.definitions import instances
from dalenius.papers.definitions.finite import Neighbours, indistinguishability, pointwise_indistinguishability
from dalenius.papers.definitions.pufferfish import restricted
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.sampling import simple_random_sample
from dalenius.papers.worlds import Finite

ALL = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())
KS, CW, CH = ALL["KS"], ALL["CW"], ALL["CH"]
SUMS = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())
NEAR = 1e-9  # the values have twelve digits


def binomial(n, p):
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def exactly(number):
    return Fraction(str(number))


def counted(person, n, p):
    """The person's value is known; the others are ones with probability p."""
    return Finite.product([{person: 1}, binomial(n, exactly(p))])


def worlds(belief, release):
    """The laws of release(ones, records) with the person, and without."""
    people = max(row[1] for row in belief.datasets())
    real = FiniteMechanism.of(lambda row: release(row[0] + row[1], people + 1), belief)
    ideal = FiniteMechanism.of(lambda row: release(row[1], people), belief)
    return real, ideal


def laws(belief, mechanisms):
    outputs = sorted({output for made in mechanisms for output in made.outputs})
    everywhere = np.full(belief.size, fill_value=True)
    found = []
    for made in mechanisms:
        law = dict(zip(made.outputs, made.law(belief, everywhere).mass, strict=True))
        found.append(Outcomes(fractions([law.get(output, Fraction(0)) for output in outputs])))
    return found


def disagreement(belief, mechanisms):
    real, ideal = mechanisms
    return float(
        sum(
            p
            for place, (_, p) in enumerate(belief.items())
            if real.outputs[real.state[place]] != ideal.outputs[ideal.state[place]]
        )
    )


# -- stable functions --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CW["thm11_12_majority"])
def test_the_majority_hides_a_person(name):
    n, p = (exactly(part.split("=")[1]) for part in name.split(","))
    for case in CW["thm11_12_majority"][name]:
        belief = counted(case["x"], int(n) - 1, p)
        found = worlds(belief, lambda ones, people: int(2 * ones >= people))
        real, ideal = laws(belief, found)
        assert float(real.mass[1]) == pytest.approx(case["PF1"], rel=NEAR)
        assert float(ideal.mass[1]) == pytest.approx(case["PSim1"], rel=NEAR)
        assert disagreement(belief, found) == pytest.approx(case["disagree"], rel=NEAR)
        assert both_ways(real, ideal, Fraction(0)).upper == pytest.approx(case["tv"], rel=NEAR)
        assert both_ratios(real, ideal).upper == pytest.approx(case["eps_exact"], rel=NEAR)


@pytest.mark.parametrize("case", CW["thm12"]["cases"], ids=str)
def test_theorem_12_with_its_sharp_constant(case):
    c, mu = exactly(case["c"]), exactly(case["mu"])
    real = Outcomes(fractions([c, 1 - c]))
    less, more = (Outcomes(fractions([c + step, 1 - c - step])) for step in (-mu, mu))
    assert both_ratios(real, less).upper == pytest.approx(case["attained"], rel=NEAR)
    assert case["attained"] == pytest.approx(case["sharp"], rel=NEAR) and case["sharp"] < case["paper"]
    assert more.epsilon(real).upper == pytest.approx(case["b_over_a_side"], rel=NEAR)


def most_likely(thetas, weights, ones, people):
    """The place of the model with the largest posterior; the first of several."""
    scores = [w * t**ones * (1 - t) ** (people - ones) for t, w in zip(thetas, weights, strict=True)]
    return scores.index(max(scores))


def selecting(case):
    thetas, weights = ([exactly(x) for x in case[key]] for key in ("thetas", "pi"))
    return thetas, lambda ones, people: most_likely(thetas, weights, ones, people)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm13"], ids=lambda case: f"{case['thetas']}, n={case['n']}, {case['pi']}")
def test_choosing_a_model_hides_a_person(case):
    thetas, release = selecting(case)
    shifts, moves = [], []
    for theta in thetas:
        for person in (0, 1):
            belief = counted(person, case["n"], theta)
            found = worlds(belief, release)
            moves.append(disagreement(belief, found))
            shifts.append(both_ways(*laws(belief, found), Fraction(0)).upper)
    assert max(moves) == pytest.approx(case["exact_disagreement"], rel=NEAR)
    assert max(shifts) == pytest.approx(case["exact_tv_delta"], rel=NEAR)
    assert max(shifts) <= case["pairwise_optimised"] <= case["paper_s_half"] * (1 + NEAR)


def mixed(case, share, person, known=0):
    """The number of ones among the others, given the person's value and `known` records that are ones."""
    thetas = [exactly(x) for x in case["thetas"]]
    seen = [t**known * (t if person else 1 - t) * w for t, w in zip(thetas, (share, 1 - share), strict=True)]
    parts = [
        (weight / sum(seen), counted(person, case["n"], theta)) for weight, theta in zip(seen, thetas, strict=True)
    ]
    return Finite.mixture(parts)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm14"], ids=lambda case: f"{case['thetas']}, n={case['n']}, λ={case['lam']}")
def test_choosing_a_model_with_an_uncertain_prior_is_pure(case):
    _, release = selecting(case)
    lam, found = exactly(case["lam"]), []
    for share in (lam, 1 - lam):
        for person in (0, 1):
            belief = mixed(case, share, person)
            found.append(both_ratios(*laws(belief, worlds(belief, release))).upper)
    assert max(found) == pytest.approx(case["exact_eps"], rel=NEAR)
    assert case["exact_eps"] <= case["sharp_s_opt"] <= case["paper_s_half"]


QUARTERS = {"thetas": [0.25, 0.75], "pi": [0.5, 0.5]}


@pytest.mark.parametrize("case", CW["thm15_delta_counterexample"], ids=lambda case: f"L={case['L']}")
def test_known_records_move_the_decision_boundary(case):
    """Theorem 15 is false: known ones are not merely left out of n."""
    _, release = selecting(QUARTERS)
    belief = counted(case["x_i"], case["n_minus_L"], "1/4")
    found = worlds(belief, lambda ones, people: release(ones + case["L"], people + case["L"]))
    assert both_ways(*laws(belief, found), Fraction(0)).upper == pytest.approx(case["exact_tv"], rel=NEAR)
    assert (case["exact_tv"] > case["claimed_delta"]) is case["false"]


@pytest.mark.parametrize("case", CW["thm15_eps_counterexample"], ids=lambda case: f"L={case['L']}")
def test_known_records_also_break_the_pure_version(case):
    _, release = selecting(QUARTERS)
    world = {**QUARTERS, "n": case["n_minus_L"]}
    found = []
    for share in (exactly(case["lam"]), 1 - exactly(case["lam"])):
        belief = mixed(world, share, case["x_i"], known=case["L"])
        made = worlds(belief, lambda ones, people: release(ones + case["L"], people + case["L"]))
        found.append(both_ratios(*laws(belief, made)).upper)
    assert max(found) == pytest.approx(case["exact_eps"], rel=NEAR)
    assert case["exact_eps"] > case["claimed_eps"]


@pytest.mark.parametrize("case", CW["thm15_repaired"], ids=lambda case: f"L={case['L']}")
def test_the_repaired_theorem_15_weighs_the_models_by_what_is_known(case):
    thetas, release = selecting(QUARTERS)
    moves = []
    for theta in thetas:
        for person in (0, 1):
            belief = counted(person, case["n_minus_L"], theta)
            found = worlds(belief, lambda ones, people: release(ones + case["ones_known"], people + case["L"]))
            moves.append(disagreement(belief, found))
    assert max(moves) == pytest.approx(case["exact_disagreement"], rel=NEAR)
    assert max(moves) <= case["z_dependent_bound"] <= case["worst_z_bound"] * (1 + NEAR)


# -- samples -----------------------------------------------------------------------------------------------------------


CELLS = CW["thm10_binomial_cell"]


@pytest.mark.parametrize("case", [case for case in CELLS if case["A_others_in_cell"] < 1000], ids=str)
def test_a_cell_of_a_truncated_histogram(case):
    cell_agrees(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CELLS if case["A_others_in_cell"] >= 1000], ids=str)
def test_a_large_cell_of_a_truncated_histogram(case):
    cell_agrees(case)


def cell_agrees(case):
    """The person is in the cell; each of the others is sampled with probability p; cells below k are shown as 0."""
    belief = counted(1, case["A_others_in_cell"], case["p"])
    real, ideal = laws(belief, worlds(belief, lambda ones, _: ones if ones >= case["k"] else 0))
    epsilon = exactly(case["eps"])
    assert real.delta(ideal, epsilon).upper == pytest.approx(case["hs_real_sim"], rel=NEAR)
    assert ideal.delta(real, epsilon).upper == pytest.approx(case["hs_sim_real"], rel=NEAR, abs=1e-15)


def test_equation_2_is_one_sided():
    """N with P(n) growing like e^(εn) up to b passes the printed condition, and N + 1 has an outcome that N has not."""
    case = CW["eq2_not_pointwise"]
    law = np.exp(case["eps"] * np.arange(-case["b"], 1))
    law /= law.sum()
    plain, more = (Outcomes(np.pad(law, pad), 1e-12) for pad in ((0, 1), (1, 0)))
    found = more.delta(plain, 3 * exactly(case["eps"]))
    assert found.upper == pytest.approx(case["hs_Nplus1_vs_N_at_3eps"], rel=NEAR)
    assert float(law[0]) == pytest.approx(case["delta_eq2"], rel=1e-6)


def test_without_replacement_a_nearly_full_sample_betrays_the_person():
    """Theorem 10 (i) in a small world: of seven people nearly all are sampled, so that their cell counts them."""
    population = Finite.table({("cell",) * 4 + ("else",) * 3: 1})
    sample = simple_random_sample(population, {7: "9/10", 6: "1/10"})
    release = FiniteMechanism.of(lambda row: row.count("cell"), sample)
    canonical = FiniteMechanism.of(lambda row: row[1:].count("cell"), sample)
    present = sample.record_is(0, "cell")
    real, ideal = (made.law(sample, present) for made in (release, canonical))
    law = dict(zip(release.outputs, real.mass, strict=True))
    other = dict(zip(canonical.outputs, ideal.mass, strict=True))
    assert law[4] > Fraction(9, 10) and 4 not in other


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["lemma2_binomial"], ids=str)
def test_the_size_of_a_binomial_sample_is_not_hidden_as_lemma_2_says(case):
    """The mass of the sizes whose probabilities differ from those one below by more than e^ε."""
    law, factor = binomial(case["n"], exactly(case["p"])), Fraction(math.exp(case["eps"]))
    below = {k: law.get(k - 1, 0) for k in law}
    bad = sum(p for k, p in law.items() if p > factor * below[k] or below[k] > factor * p)
    assert float(bad) == pytest.approx(case["exact"], rel=1e-6)


# -- laws of two and three points --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", KS["claim3.3_2"]["cases"], ids=str)
def test_the_mass_of_bad_outcomes_is_larger_than_claim_3_3_2_says(case):
    """Two atoms just beyond a factor e^2ε, and the rest: (ε, δ)-indistinguishable, and nearly the worst."""
    factor, delta = Fraction(math.exp(case["eps"])), exactly(case["delta"])
    low = delta / (factor**2 * (1 + Fraction(1, 10**9)) - factor)
    high = delta + factor * low
    p, q = (Outcomes(fractions([a, b, 1 - a - b])) for a, b in ((high, low), (low, high)))
    assert indistinguishability(p, q, epsilon=exactly(case["eps"])).upper == pytest.approx(case["hs_exact"], rel=NEAR)
    bad = pointwise_indistinguishability(p, q, epsilon=2 * exactly(case["eps"]))
    assert bad.lower == pytest.approx(case["bad_mass_example"], rel=1e-7)
    assert case["claimed_bound"] < bad.lower <= case["sharp_bound"] * (1 + NEAR) <= case["simple_bound"] * (1 + NEAR)


def test_algorithm_2_as_printed_publishes_a_bit_in_clear():
    """Flipping the record instead of the answer: φ(x) = φ(1 - x) for this φ, so that nothing is hidden."""
    assert "not DP" in CH["alg2_typo"]["note"]

    def phi(x):
        return int(abs(x - Fraction(1, 2)) > 1)

    world = Finite.table({(0,): "1/2", (2,): "1/2"})
    printed = FiniteMechanism.random(lambda row: _added({phi(row[0]): "3/4"}, {phi(1 - row[0]): "1/4"}), world)
    corrected = FiniteMechanism.random(lambda row: {phi(row[0]): "3/4", 1 - phi(row[0]): "1/4"}, world)
    assert Neighbours.replace(world).epsilon(printed).value.lower == math.inf
    assert Neighbours.replace(world).epsilon(corrected).value.upper == pytest.approx(math.log(3))


def _added(*parts):
    found = {}
    for part in parts:
        for output, chance in part.items():
            found[output] = found.get(output, Fraction(0)) + Fraction(chance)
    return found


@pytest.mark.slow
def test_the_error_of_randomised_response():
    """Estimator 2 ΣY - n/2 with answers true with chance 3/4: its error is √(3n)/2 whatever the data."""
    n = 100
    for ones in (0, 33, 100):
        law = {0: Fraction(1)}
        for truth in [1] * ones + [0] * (n - ones):
            yes = Fraction(3, 4) if truth else Fraction(1, 4)
            law = _added({k: p * (1 - yes) for k, p in law.items()}, {k + 1: p * yes for k, p in law.items()})
        square = sum(p * (2 * k - Fraction(n, 2) - ones) ** 2 for k, p in law.items())
        assert math.sqrt(square) == pytest.approx(CH["rr_basic"]["n100"], rel=NEAR)


@pytest.mark.parametrize("case", KS["lemma4.1_lp"], ids=lambda case: f"ε={case['eps']}, δ={case['delta']}")
def test_posteriors_fail_as_often_as_the_sharp_lemma_allows(case):
    """Two joint laws of (secret, transcript) that are (ε, δ)-close, with transcripts of two kinds: one at which a value
    is ruled out in the second world only, and one at which it is in the first only.
    """
    steep, delta, d2 = Fraction(math.exp(case["eps"])), exactly(case["delta"]), exactly(case["d2"])
    one, two = delta / d2, delta / d2 * steep * (1 - d2)
    rest = 1 - one - two
    first = {("s", "a"): one * d2, ("r", "a"): one * (1 - d2), ("s", "b"): 0, ("r", "b"): two, ("r", "c"): rest}
    second = {("s", "a"): 0, ("r", "a"): two, ("s", "b"): one * d2, ("r", "b"): one * (1 - d2), ("r", "c"): rest}
    worlds = [Finite.table(law) for law in (first, second)]
    joint = indistinguishability(*(Outcomes(world.mass) for world in worlds), epsilon=exactly(case["eps"]))
    assert joint.upper == pytest.approx(case["delta"], rel=NEAR)
    failing = 0.0
    for transcript, chance in (("a", one), ("b", two), ("c", rest)):
        given = [Outcomes(restricted(world, world.record_is(1, transcript)).mass) for world in worlds]
        if both_ways(*given, 2 * exactly(case["eps"])).upper > case["d2"] * (1 - NEAR):
            failing += float(chance)
    assert failing == pytest.approx(case["sharp_bound"], rel=1e-6)
    bound = failure_from_coupled(case["eps"], joint, pairs=1, posterior_delta=case["d2"])
    assert bound.upper == pytest.approx(case["sharp_bound"], rel=1e-6)
    assert (failing > case["cw_lemma1_claim"]) is case["cw_lemma1_false"]


# -- sums.json ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_record_that_depends_on_the_others_may_be_added_to_tell_their_parity(n):
    """Definition 1 of noiseless privacy as printed: add the parity of n coins as a record, and the sum turns even."""
    golden = SUMS["gk_def1_dependent_Xstar"]["X_i Bern(1/2) iid any n>=1, X*=sum mod 2"]
    coins = Finite.product([{0: "1/2", 1: "1/2"}] * n)
    odd = {True: [], False: []}
    for added in odd:
        made = FiniteMechanism.of(lambda row, added=added: (sum(row) + added * (sum(row) % 2)) % 2, coins)
        law = made.law(coins, np.ones(coins.size, dtype=bool))
        odd[added] = dict(zip(made.outputs, law.mass, strict=True)).get(1, Fraction(0))
    assert odd[False] == golden["P_MX_odd"] and odd[True] == golden["P_MXprime_odd"]
    parities = [[1 - odd[added], odd[added]] for added in odd]
    for epsilon in (0, 1, 50):
        assert indistinguishability(*parities, epsilon=epsilon).lower >= golden["delta_needed_all_eps"]


def test_the_noise_for_a_value_within_an_error():
    """Lemma 8.1 and section 8.1.2: the log ratio at scale 4k, at most 2k apart; and the intervals for ten per cent."""
    lemma = SUMS["pf_lemma8_1"]["k=1,eps=1"]
    fine, scale = 8, lemma["scale"]
    line = Finite.table({(v,): Fraction(1, 4 * fine) for v in range(4 * fine)})
    noisy = FiniteMechanism.of(Sum() >> two_sided_geometric(int(scale * fine)), line)
    found = instances.absolute_error([line], fine).epsilon(noisy).value
    assert found.upper == pytest.approx(lemma["uniform_prior_max_ln_ratio"], abs=0.01)
    about = SUMS["pf_relative_error"]["c=0.9 (within ~10%)"]
    values = Finite.product([dict.fromkeys(("0.9", "1", "1.1", "1.2", "1.3"), "1/5")])
    values = Finite(tuple(map(Fraction, values.values)), values.codes, values.mass)
    names = [first.name for first, _ in instances.relative_error([values], "0.9").pairs]
    low, high = about["interval_for_y1"]
    assert f"record 0 in [{low:g}, {high:g})" in names
    assert -math.log(0.9) == pytest.approx(about["k"]) and 4 * about["k"] == pytest.approx(
        about["laplace_scale_log_eps1"]
    )
