"""Golden values that the catalogue speaks of, and no other test reproduces: coupled worlds, fundamentals."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.beliefs.sample_sizes import Discarding, others_in_sample
from dalenius.beliefs.truncated import TruncatedHistogram, complete_cell
from dalenius.claims.conversions import failure_from_coupled
from dalenius.enclosure.brackets import around
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.numerics.law import law_of

GOLDEN = Path(__file__).parents[1] / "golden"
SEMANTICS = json.loads((GOLDEN / "semantics.json").read_text(encoding="utf-8"))
CW, CH = SEMANTICS["CW"], SEMANTICS["CH"]
NEAR = 1e-9


def exactly(number):
    return Fraction(str(number))


# -- histograms of samples ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cell_of_which_nobody_is_discarded():
    case = CW["thm10_counterexample_without_replacement"][0]
    scheme = Discarding(case["n0"], exactly(case["eps"]), exactly(case["delta"]))
    others = others_in_sample(scheme.sizes, person=1)
    found = complete_cell(others, case["cell_members"] - 1, case["n0"] - case["cell_members"])
    assert found.lower <= case["prob_cell_untouched"] * (1 + NEAR)
    assert found.upper >= case["prob_cell_untouched"] * (1 - NEAR)
    assert found.width < 1e-9
    assert found.lower > case["claimed_3delta"]


@pytest.mark.parametrize("sizes", [{3: "1/3", 5: "2/3"}, {0: "1/7", 6: "1/7", 2: "5/7"}, {6: 1}])
def test_a_whole_cell_by_counting(sizes):
    """Two others in the cell and four elsewhere: P(both are drawn) = C(4, s - 2) / C(6, s)."""
    law = {size: Fraction(chance) for size, chance in sizes.items()}
    truth = sum(p * Fraction(math.comb(4, s - 2), math.comb(6, s)) for s, p in law.items() if s >= 2)
    found = complete_cell(law_of(law), 2, 4)
    assert found.lower <= truth <= found.upper and found.width < 1e-11


@pytest.mark.parametrize("case", CW["thm10_poisson_kmin"]["cases"], ids=str)
def test_the_least_thresholds_by_the_closed_form(case):
    """At the mean that was found the worst, δ is just below its limit; k is of the order of log(1/δ)/ε²."""
    cell = TruncatedHistogram(case["k_min"]).poisson([exactly(case["argmax_lambda"])])
    found = cell.delta(exactly(case["eps"]))
    assert found.upper == pytest.approx(case["sup_delta_at_kmin"], rel=1e-6)
    assert found.upper <= case["delta"]
    order = case["k_min"] * case["eps"] ** 2 / math.log(1 / case["delta"])
    assert order == pytest.approx(case["C_eff"], rel=NEAR) and 0.4 < order < 2.1


def test_posteriors_fail_as_often_as_the_sharp_lemma_allows_also_near_ln_3():
    case = CW["thm1_2_false_eps1.2"]
    delta, d = exactly(case["delta"]), exactly(case["d2"])
    most = failure_from_coupled(exactly(case["eps"]), around(delta, delta), pairs=1, posterior_delta=d)
    assert case["claimed"] < case["bad_mass"] <= most.upper
    assert case["bad_mass"] == pytest.approx(most.upper, rel=1e-3)


# -- a common mean -----------------------------------------------------------------------------------------------------


def sign_given(x, n, sigma):
    """P(the sum is positive | the record is x), and the same with any other record in its place, for μ = ±1."""
    odds = 1 / (1 + np.exp(-2 * x / sigma**2))
    by_mean = [ndtr(((n - 1) * mu + x) / (sigma * math.sqrt(n - 1))) for mu in (1, -1)]
    without = [ndtr(mu * math.sqrt(n - 1) / sigma) for mu in (1, -1)]
    return (odds * by_mean[0] + (1 - odds) * by_mean[1], odds * without[0] + (1 - odds) * without[1])


def shift_of(x, case):
    real, ideal = sign_given(x, case["n"], case["sigma"])
    return abs(real - ideal)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["mu_example_gaussian"], ids=lambda case: f"{case['n']}-{case['sigma']}")
def test_the_sign_of_a_sum_with_an_unknown_mean(case):
    n, sigma = case["n"], case["sigma"]
    plus, minus = (sign_given(x, n, sigma)[0] for x in (1.0, -1.0))
    assert plus == pytest.approx(case["P_F1_given_x_plus1"], rel=NEAR)
    assert plus - minus == pytest.approx(case["noiseless_tv_pm1"], rel=NEAR)
    worst = shift_of(np.linspace(-30, 30, 600_001), case).max()
    assert worst == pytest.approx(case["ddp_sup_tv_over_x"], rel=1e-4)
    known = [ndtr((n - 1 + x) / (sigma * math.sqrt(n - 1))) for x in (1, -1)]
    assert known == pytest.approx(case["noiseless_given_mu1_x_pm1"], rel=NEAR)
    assert case["noiseless_given_mu1_x_extreme"][1] < 1e-80  # one record decides, though the mean is known


@pytest.mark.parametrize("case", CW["mu_gauss_refined"], ids=lambda case: f"{case['n']}-{case['sigma']}")
def test_the_worst_record_when_the_mean_is_unknown(case):
    places = case["argmax"] + np.linspace(-1e-3, 1e-3, 2001)
    shifts = shift_of(places, case)
    assert shifts.max() == pytest.approx(case["sup_tv"], rel=1e-9)
    assert places[shifts.argmax()] == pytest.approx(case["argmax"], abs=1e-5)


# -- the function e^x --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", CH["appendix_e^x"]["rows"], ids=lambda row: str(row["x"]))
def test_the_bounds_on_the_exponential_of_the_chapter(row):
    x = exactly(row["x"])
    below = evaluated(lambda: 1 / (decimal(x).exp() - 1))
    above = evaluated(lambda: 1 / (1 - 1 / decimal(x).exp()))
    assert below.upper == pytest.approx(row["inv_expm1"], rel=NEAR)
    assert above.upper == pytest.approx(row["inv_1mexp"], rel=NEAR)
    assert 1 / x - Fraction(below.upper) == pytest.approx(row["diff"], rel=1e-7)
    assert 1 / x - Fraction(1, 2) <= below.upper and below.lower <= 1 / x - Fraction(1, 2) + x / 12
    assert 1 / x + Fraction(1, 2) <= above.upper and above.lower <= 1 / x + Fraction(1, 2) + x / 12


def test_where_the_curves_of_figure_4_cross():
    case = CH["appendix_fig4"]
    for power, key in ((2, "one_plus_x_plus_x2_valid_to"), (1, "one_plus_2x_valid_to")):
        at = exactly(case[key])
        for step, side in ((Fraction(-1, 10**9), -1), (Fraction(1, 10**9), 1)):
            x = at + step
            drawn = 1 + x + (x**2 if power == 2 else x)
            assert (Fraction(evaluated(decimal(x).exp).upper) - drawn) * side > 0
