"""Truncated histograms of samples: golden values, finite worlds, refusals."""

import itertools
import json
import math
import time
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalenius as dl
from dalenius.beliefs.sample_sizes import (
    Discarding,
    equation_2,
    hidden_sizes,
    others_in_sample,
    poisson_bound,
    repaired_bound,
    sufficient_threshold,
)
from dalenius.beliefs.truncated import TruncatedHistogram
from dalenius.numerics.counts import binomial, hypergeometric, poisson
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.sized import SizedCell
from dalenius.papers.finite import bernoulli_sample, canonical, distributional, independent_draws, simple_random_sample

CW = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text(encoding="utf-8"))["CW"]


def exactly(number):
    return Fraction(str(number))


def near(bracket, value, rel=1e-9):
    assert bracket.lower <= value * (1 + 1e-11) and bracket.upper >= value * (1 - 1e-11)
    assert bracket.upper - bracket.lower <= rel * value + 1e-38


@pytest.mark.parametrize("case", CW["thm10_poisson_cell"], ids=str)
def test_golden_poisson_cells(case):
    found = TruncatedHistogram(case["k"]).poisson([case["lam"]]).find(exactly(case["eps"]))
    near(found.delta, case["delta"], 1e-6)
    assert found.forward == (case["hs_real_sim"] >= case["hs_sim_real"])


def test_golden_hidden_cell_that_tells_more():
    case = CW["thm10_zero_bin_positive"]
    found = TruncatedHistogram(case["k"]).poisson([case["lam"]]).find(exactly(case["eps"]))
    near(found.delta, max(case["hs"]))
    assert not found.forward


@pytest.mark.parametrize("case", CW["thm10_binomial_cell"], ids=str)
def test_golden_binomial_cells(case):
    curve = TruncatedHistogram(case["k"]).bernoulli([case["A_others_in_cell"] + 1], case["p"])
    near(curve.delta(exactly(case["eps"])), case["delta"], 1e-6)


@pytest.mark.parametrize("case", CW["thm10_bernoulli_bruteforce"], ids=str)
def test_golden_first_cell_of_a_bernoulli_sample(case):
    curve = TruncatedHistogram(case["k"]).bernoulli(case["cells"][:1], case["p"])
    near(curve.delta(exactly(case["eps"])), max(case["hs_real_sim"], case["hs_sim_real"]))


def drawn_cell(least, share, sizes):
    """A cell of independent draws, with all else published, and the person is the first record."""
    others, share = others_in_sample(sizes, person=1), exactly(share)
    return SizedCell.of(others, lambda s: binomial(s, share), TruncatedHistogram(least).codes)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm10_dlap_iid_2d"], ids=str)
def test_golden_draws_of_uncertain_number(case):
    sizes = dl.beliefs.discarding(case["n0"], epsilon=case["eps_N"], delta=case["delta_N"]).sizes
    whole = drawn_cell(case["k"], case["q"], sizes)
    for world, golden in ((0, case["hs_real_sim"]), (1, case["hs_sim_real"])):
        near(whole.directed(exactly(case["eps"]), world), golden)


def around(centre, rate, largest):
    """Two-sided geometric weights around a centre, on 0..largest."""
    weights = np.exp(-rate * np.abs(np.arange(largest + 1) - centre))
    mass = weights / weights.sum()
    return Law(0, mass, mass * 1e-12)


@pytest.mark.parametrize("case", CW["thm10_without_replacement_2d"]["cases"], ids=str)
def test_golden_samples_without_replacement(case):
    others = around(case["N_minus_1_center"], case["eps_N"], case["A"] + case["B"])
    cell = SizedCell.of(others, lambda s: hypergeometric(case["A"], case["B"], s), TruncatedHistogram(case["k"]).codes)
    near(cell.directed(exactly(case["eps"]), 0), case["hs_real_sim"], 1e-6)


@pytest.mark.parametrize("case", CW["lemma2_poisson"], ids=str)
def test_lemma_2_for_poisson_sizes(case):
    found = equation_2(poisson(exactly(case["lam"])), exactly(case["eps"]))
    near(found, case["exact"])
    assert (found.lower > case["claimed"]) == case["false"]


@pytest.mark.parametrize("case", CW["lemma2_binomial"], ids=str)
def test_lemma_2_for_binomial_sizes(case):
    near(equation_2(binomial(case["n"], exactly(case["p"])), exactly(case["eps"])), case["exact"])


@pytest.mark.slow
def test_equation_2_holds_where_sizes_are_not_hidden():
    case = CW["eq2_not_pointwise"]
    weights = np.exp(case["eps"] * np.arange(-case["b"], 1))
    law = Law(0, weights / weights.sum(), 1e-13 * weights / weights.sum())
    loose = exactly(case["eps"]) + Fraction(1, 10**9)  # the ratios are e^ε to the last digit
    near(equation_2(law, loose), case["delta_eq2"], 1e-3)
    top = hidden_sizes(law, 3 * exactly(case["eps"]))
    near(top, case["hs_Nplus1_vs_N_at_3eps"])
    cell = SizedCell.of(law, lambda s: law_of({s: Fraction(1)}), TruncatedHistogram(1).codes)
    near(cell.directed(3 * exactly(case["eps"]), 0), case["hs_Nplus1_vs_N_at_3eps"])


def test_golden_discarding():
    case = CW["thm10_dlap_eq2"]
    scheme = dl.beliefs.discarding(case["n0"], epsilon=case["eps"], delta=case["delta"])
    near(scheme.untouched, case["P_N_eq_n0"])
    law = scheme.sizes
    assert float(law.mass[0]) == pytest.approx(case["eq2_bad"], rel=1e-9)
    assert float(law.mass.sum()) == pytest.approx(1, abs=1e-12)
    assert scheme.usual == 14 and 13.9 < scheme.expected.lower <= scheme.expected.upper < 14.1


def test_what_is_left_after_discarding_is_what_the_definition_says():
    scheme, rate = Discarding(9, Fraction(1, 2), Fraction(1, 5)), math.exp(-0.5)
    truth = np.zeros(10)
    for k in range(-400, 401):
        truth[9 - min(9, max(0, k + scheme.usual))] += (1 - rate) / (1 + rate) * rate ** abs(k)
    law = scheme.sizes
    assert scheme.usual == 4 and np.all(np.abs(law.mass - truth) <= law.error + 1e-15)
    assert scheme.expected.lower - 1e-12 <= float(truth @ (9 - np.arange(10))) <= scheme.expected.upper + 1e-12


@pytest.mark.parametrize("case", CW["thm10_poisson_closed_form"]["cases"], ids=str)
def test_golden_closed_form(case):
    found = poisson_bound(case["k"], case["eps"])
    assert min(1, case["closed"]) * (1 - 1e-11) <= found <= min(1, case["closed"]) * (1 + 1e-9)
    assert case["sup"] <= found


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm10_repaired_check"]["cases"], ids=str)
def test_golden_repaired_theorem_10(case):
    scheme = dl.beliefs.discarding(case["n0"], epsilon=case["eps"], delta=case["delta_N_param"])
    others = others_in_sample(scheme.sizes, person=1)
    hidden = hidden_sizes(others, exactly(case["eps"]) + Fraction(1, 10**9))
    near(hidden, max(case["deltaN_plus"], case["deltaN_minus"]), 1e-6)
    bound = repaired_bound(case["k"], case["eps"], hidden.upper)
    assert bound == pytest.approx(max(case["bound"]), rel=1e-6) or bound >= max(case["bound"])
    whole = TruncatedHistogram(case["k"]).draws([case["q"]], scheme.sizes, person=1)
    truth = drawn_cell(case["k"], case["q"], scheme.sizes).delta(3 * exactly(case["eps"]))
    near(truth, max(case["exact_hs_3eps"]), 1e-6)
    assert truth.upper == whole.delta(3 * exactly(case["eps"])).upper <= bound


@pytest.mark.parametrize("case", CW["thm10_k_sufficient"], ids=str)
def test_golden_sufficient_thresholds(case):
    least = sufficient_threshold(case["eps"], case["delta"])
    assert least == case["k_sufficient"]
    assert repaired_bound(least, case["eps"], 0) <= 2 * case["delta"] * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-8", "1e-9", "1e-30"])
@pytest.mark.parametrize("delta", ["1e-6", "0.5", "1e-400"])
def test_sufficient_thresholds_of_small_epsilons(epsilon, delta):
    """e^-x - 1 + x lies between x²/2 - x³/6 and x²/2."""
    x, least = 2 * Fraction(epsilon), sufficient_threshold(epsilon, delta)
    with localcontext(Context(prec=200, Emin=-(10**6))):
        top = Fraction(-Decimal(delta).ln()) + x
    assert top / (x**2 / 2) <= least <= top / (x**2 / 2 - x**3 / 6) * (1 + Fraction(1, 10**30)) + 1


# -- finite worlds ----------------------------------------------------------------------------------------------------


def truncated(cells, least):
    def histogram(data):
        counts = [sum(value == cell for value in data) for cell in range(cells)]
        return tuple(count if count >= least else 0 for count in counts)

    return histogram


def by_enumeration(belief, release, epsilon, record=0):
    worlds = distributional([belief], records=[record]).worlds(release)
    faced = [(real, ideal) for _, real, ideal in worlds.faced(canonical(release, worlds))]
    return max(max(real.delta(ideal, epsilon).upper, ideal.delta(real, epsilon).upper) for real, ideal in faced)


@pytest.mark.parametrize(
    ("members", "rate", "least", "epsilon"),
    [((4, 3), "1/2", 2, "1/2"), ((3, 2, 2), "1/3", 1, "1"), ((5, 3), "3/4", 3, "0"), ((1, 6), "1/5", 2, "1/4")],
)
def test_bernoulli_samples_agree_with_finite_worlds(members, rate, least, epsilon):
    people = [cell for cell, size in enumerate(members) for _ in range(size)]
    belief, release = bernoulli_sample(people, rate), truncated(len(members), least)
    for cell, size in enumerate(members):
        first = people.index(cell)
        present = belief.constrained(lambda row, first=first: row[first] is not None)
        truth = by_enumeration(present, release, Fraction(epsilon), first)
        found = TruncatedHistogram(least).bernoulli([size], rate).delta(Fraction(epsilon))
        assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
        assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize("sizes", [{2: "1/4", 3: "1/2", 4: "1/4"}, {1: "1/3", 4: "1/3", 5: "1/3"}])
@pytest.mark.parametrize("least", [1, 2])
def test_samples_without_replacement_agree_with_finite_worlds(sizes, least):
    """Two cells, and the other cell is not truncated: then the bound is exact."""
    people = [0] * 4 + [1] * 3
    belief = simple_random_sample(people, sizes).constrained(lambda row: row[0] is not None)
    count = truncated(1, least)

    def release(data):
        return count([value for value in data if value == 0]), sum(value == 1 for value in data)

    others = others_in_sample(sizes)
    cell = SizedCell.of(others, lambda s: hypergeometric(3, 3, s), TruncatedHistogram(least).codes)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        found = cell.delta(epsilon)
        assert found.lower - 1e-12 <= by_enumeration(belief, release, epsilon) <= found.upper + 1e-12
        assert found.width < 1e-9
        whole = TruncatedHistogram(least).sample([4, 3], sizes).delta(epsilon)
        assert whole.upper >= found.lower


def test_independent_draws_agree_with_finite_worlds():
    """The first record is present if a draw is made; the other cell is published in full."""
    sizes, least = {1: "1/4", 2: "1/4", 4: "1/2"}, 2
    drawn = independent_draws([0, 1, 1], sizes).constrained(lambda row: row[0] == 0)
    count = truncated(1, least)

    def release(data):
        return count([value for value in data if value == 0]), sum(value == 1 for value in data)

    for epsilon in (Fraction(0), Fraction(1, 2)):
        found = drawn_cell(least, "1/3", sizes).delta(epsilon)
        assert found.upper == TruncatedHistogram(least).draws(["1/3"], sizes, person=1).delta(epsilon).upper
        assert found.lower - 1e-12 <= by_enumeration(drawn, release, epsilon) <= found.upper + 1e-12
        assert found.width < 1e-9


TWO = {"draws": ["1/3", "2/3"], "sample": [4, 3]}


@pytest.mark.slow
@pytest.mark.parametrize("how", TWO)
@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("record", [1, 2, 3])
def test_all_cells_truncated_against_finite_worlds(how, least, record):
    """Where the rest is hidden too the bound holds from above only, and where nothing is hidden it is exact."""
    sizes, release = {1: "1/4", 2: "1/4", 3: "1/4", 4: "1/4"}, truncated(2, least)
    if how == "draws":
        belief, person = independent_draws([0, 1, 1], sizes), record
    else:
        belief, person = simple_random_sample([0] * 4 + [1] * 3, sizes), "named"
    found = getattr(TruncatedHistogram(least), how)(TWO[how], sizes, person=person)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        places = [(record - 1, 0), (record - 1, 1)] if how == "draws" else [(0, 0), (4, 1)]
        truth = max(
            by_enumeration(belief.constrained(lambda row, at=at, x=x: row[at] == x), release, epsilon, at)
            for at, x in places
        )
        bracket = found.delta(epsilon)
        assert bracket.lower - 1e-12 <= truth <= bracket.upper + 1e-12
        assert bracket.width < 1e-9 if least == 1 else bracket.lower == 0


@pytest.mark.parametrize("cells", [["1/3"], ["1/3", "1/3"]])
def test_cells_that_are_not_published_are_hidden(cells):
    assert TruncatedHistogram(1).draws(cells, {1: "1/2", 2: "1/2"}).delta(Fraction(0)).lower == 0
    assert TruncatedHistogram(2).draws([1], {1: "1/2", 2: "1/2"}, person=1).delta(Fraction(0)).lower > 0.4


def test_later_records_tell_more_about_the_size():
    """Sizes 1..10 alike, all counted: given record i there are i..10, one more than without, alike."""
    sizes = dict.fromkeys(range(1, 11), "1/10")
    for record in (1, 5, 9, 10):
        found = TruncatedHistogram(1).draws([1], sizes, person=record).delta(Fraction(0))
        assert found.lower <= 1 / (11 - record) + 1e-12 and found.upper >= 1 / (11 - record) - 1e-15
        assert found.width < 1e-12


def test_a_named_person_is_likelier_in_a_large_sample():
    law = others_in_sample({0: "1/2", 1: "1/4", 3: "1/4"})
    for s, truth in {0: Fraction(1, 4), 1: Fraction(0), 2: Fraction(3, 4)}.items():
        mass, error = law.window(s, s + 1)
        assert abs(Fraction(float(mass[0])) - truth) <= Fraction(float(error[0])) <= Fraction(1, 10**14)


def test_the_tails_of_sizes_and_counts_are_charged():
    """With sizes cut off, the bracket still holds what the whole law gives."""
    whole, least = poisson(Fraction(12)), TruncatedHistogram(4)
    cut = Law(6, whole.mass[6:20].copy(), whole.error[6:20].copy(), 1 - float(whole.mass[6:20].sum()) + 1e-12)
    for epsilon, world in itertools.product((Fraction(0), Fraction(1)), (0, 1)):
        truth = SizedCell.of(whole, lambda s: binomial(s, Fraction(1, 3)), least.codes).directed(epsilon, world)
        found = SizedCell.of(cut, lambda s: binomial(s, Fraction(1, 3)), least.codes).directed(epsilon, world)
        assert found.lower <= truth.lower and truth.upper <= found.upper


def test_the_ends_of_laws_that_are_left_out_are_charged(monkeypatch):
    sizes, least = law_of({s: Fraction(1, 8) for s in range(8, 16)}), TruncatedHistogram(3)
    cells = []
    for floor in (1e-40, 0.05):
        monkeypatch.setattr("dalenius.numerics.sized.FLOOR", floor)
        cells.append(SizedCell.of(sizes, lambda s: binomial(s, Fraction(1, 3)), least.codes))
    assert cells[1].tail >= 0.0999  # both cuts, that of the sizes and that of the counts
    for epsilon, world in itertools.product((Fraction(0), Fraction(1), Fraction(2)), (0, 1)):
        truth, found = (cell.directed(epsilon, world) for cell in cells)
        assert found.lower <= truth.lower and truth.upper <= found.upper


# -- refusals, speed, bad input ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sample_of_nearly_everybody_is_refused_with_the_reason():
    case = CW["thm10_counterexample_without_replacement"][0]
    sizes = dl.beliefs.discarding(case["n0"], epsilon=case["eps"], delta=case["delta"]).sizes
    with pytest.raises(dl.PreconditionError, match=r"0\.99.* nobody of a cell of 1000 .*leaves out many"):
        TruncatedHistogram(case["k"]).sample([case["cell_members"], case["n0"] - case["cell_members"]], sizes)


@pytest.mark.slow
def test_ten_thousand_cells_take_less_than_two_seconds():
    means = np.random.default_rng(5).uniform(1, 1000, 10_000).round(3).tolist()
    begun = time.perf_counter()
    found = TruncatedHistogram(20).poisson(means).delta(Fraction(1, 2))
    assert time.perf_counter() - begun < 2 * 3  # shared machines
    assert 0.0025 < found.lower <= found.upper < 0.00257


@pytest.mark.parametrize("least", [0, -3, True, 2.5])
def test_bad_thresholds(least):
    with pytest.raises(dl.InputError, match="at least 1, but got"):
        TruncatedHistogram(least)


def test_bad_input_says_what_is_needed():
    histogram = TruncatedHistogram(3)
    for call, told in (
        (lambda: histogram.poisson([]), "means above 0"),
        (lambda: histogram.poisson([0, 3]), "means above 0"),
        (lambda: histogram.bernoulli([4, 0], "1/2"), "at least one member"),
        (lambda: histogram.bernoulli([4], 1), "strictly between 0 and 1.*nothing hides the person"),
        (lambda: histogram.draws([0, "1/2"], {3: 1}), "above 0 .*nobody can be in"),
        (lambda: histogram.draws(["1/2"], {3: "1/2"}), "sum to 1"),
        (lambda: histogram.draws(["1/2"], {0: 1}), "at least one person"),
        (lambda: histogram.draws(["1/2"], {-1: 1}), "at least 0"),
        (lambda: histogram.draws(["1/2"], {3: 1}, person="anybody"), "named"),
        (lambda: histogram.draws(["1/2"], {3: 1}, person="listed"), "number of their record.*Write 1"),
        (lambda: histogram.draws(["1/2"], {3: 1}, person=0), "from 1 on"),
        (lambda: histogram.draws(["1/2"], {3: 1}, person=4), "at least 4 persons"),
        (
            lambda: others_in_sample(Law(1, np.array([0.9, 0.05]), np.zeros(2), 0.05), person=2),
            "only its tail or noise",
        ),
        (lambda: histogram.sample([2, 2], {7: 1}), "at most 4 persons"),
        (lambda: histogram.draws(["1/2"], poisson(Fraction(3))), "largest size"),
        (lambda: dl.beliefs.discarding(10, epsilon=0.1, delta=1e-6), "more records"),
        (lambda: dl.beliefs.discarding(100, epsilon=0, delta=1e-6), "above 0"),
        (lambda: dl.beliefs.discarding(100, epsilon=1, delta=1), "between 0 and 1"),
        (lambda: poisson_bound(0, 1), "at least 1"),
        (lambda: sufficient_threshold(1, 0), "between 0 and 1"),
    ):
        with pytest.raises(dl.InputError, match=told):
            call()
