"""Golden values of the noiseless paper, and of range and variance, that no other test reproduces."""

import json
import math
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

import dalenius as dl
from dalenius.numerics.counts import binomial
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.range_variance import TILTS, RangeVarianceCurve
from dalenius.papers.theorems import find
from dalenius.papers.theorems.gk import exact_delta, printed_binomial

HERE = Path(__file__)
GOLDEN = json.loads((HERE.parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
FIGURES = runpy.run_path(str(HERE.parents[2] / "examples" / "papers" / "noiseless_figures.py"))
NEAR = 1e-9


def named(case):
    return dict(item.split("=") for item in case.split(","))


def gaussian(epsilon, ratio):
    return GaussianCurve(Fraction(ratio)).delta(Fraction(str(epsilon)))


# -- counts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "p", "epsilon"), [("fig1_eps.5_p.95", "0.95", "0.5"), ("fig2_eps1_p.2", "0.2", "1")]
)
def test_figures_1_and_2(figure, p, epsilon):
    p, epsilon = Fraction(p), Fraction(epsilon)
    for n, golden in GOLDEN["gk_figs"][f"{figure}_thm1"].items():
        assert printed_binomial(int(n), p, epsilon).upper == pytest.approx(golden, rel=NEAR)
    for n, golden in GOLDEN["gk_figs"][f"{figure[:4]}_exact"].items():
        assert exact_delta(dl.IID(p=p, n=int(n) + 1), epsilon).upper == pytest.approx(golden, rel=1e-8)


@pytest.mark.parametrize("case", GOLDEN["gk_thm1_eps_formula"])
def test_the_first_half_of_theorem_1(case):
    """ε = x (1/(1 - m) + 1/(m - x)) with x² = ln(2/δ)/2n: true and loose where x < m."""
    given, golden = named(case), GOLDEN["gk_thm1_eps_formula"][case]
    n, p, delta = int(given["n"]), Fraction(given["p"]), float(given["delta"])
    m, x = float(min(p, 1 - p)), math.sqrt(math.log(2 / delta) / (2 * n))
    epsilon = x * (1 / (1 - m) + 1 / (m - x))
    assert epsilon == pytest.approx(golden["eps"], rel=NEAR)
    found = exact_delta(dl.IID(p=p, n=n + 1), Fraction(golden["eps"]))
    assert found.upper == pytest.approx(golden["exact_delta_at_eps"], rel=1e-6)
    assert (found.upper <= delta) == golden["valid"]


# -- normal approximations ---------------------------------------------------------------------------------------------


def test_fact_1_fails_for_a_large_epsilon():
    (golden,) = GOLDEN["gk_fact1"].values()
    found = gaussian(10, 10 / math.sqrt(2 * math.log(25)))
    assert found.upper == pytest.approx(golden, rel=1e-6)
    assert find("GK-F1")[0].counterexample().found.lower == pytest.approx(golden, rel=1e-4)


@pytest.mark.parametrize("case", [case for case in GOLDEN["gk_thm2_gauss_part"] if case.startswith("n=")])
def test_the_normal_part_of_theorem_2(case):
    """4/(5√n) and 5/(4√n) bound it up to the ε before the one that is listed, in steps of 1/100."""
    n, golden = int(case[2:]), GOLDEN["gk_thm2_gauss_part"][case]
    for key, constant in (("first_eps_violating_4_5", 0.8), ("first_eps_violating_5_4", 1.25)):
        last = round(golden[key] - 0.01, 2)
        before, after = (gaussian(at, at / math.sqrt(math.log(n))) for at in (last, round(golden[key], 2)))
        assert before.lower <= constant / math.sqrt(n) <= after.upper


def test_the_normal_part_of_theorem_2_at_usual_epsilon():
    golden = GOLDEN["gk_thm2_gauss_part"]["max_delta_times_sqrt_n_eps<=1"]
    found = gaussian(1, golden["eps"] / math.sqrt(math.log(golden["n"]))).upper * math.sqrt(golden["n"])
    assert found == pytest.approx(golden["value"], rel=1e-6)


@pytest.mark.parametrize("case", GOLDEN["gk_thm4_gauss_part"])
def test_theorem_4_counts_records_that_are_known(case):
    given, golden = named(case), GOLDEN["gk_thm4_gauss_part"][case]
    n = int(given["n"])
    left = n - round(n * float(given["gamma"]))
    assert gaussian(1, 1 / math.sqrt(math.log(left))).upper == pytest.approx(golden["exact"], rel=1e-6)
    assert 0.8 / math.sqrt(n) == pytest.approx(golden["claimed_4_5_sqrt_n"])
    assert 0.8 / math.sqrt(left) == pytest.approx(golden["correct_4_5_sqrt_m"])


def by_theorem_2(epsilon, variance, third, n):
    return 1.12 * third / variance**1.5 * (1 + math.exp(epsilon)) + 0.8 / math.sqrt(n)


def test_the_variance_of_known_records_does_not_tell_what_is_left():
    (golden,) = GOLDEN["gk_thm4_remark"].values()
    n, q = 10**6, golden["q"]
    variance = 900 * q * (1 - q)
    assert variance == pytest.approx(golden["varB"], rel=1e-6)
    epsilon = 30 * math.sqrt(math.log(n) / n)
    assert epsilon == pytest.approx(golden["eps_claimed"], rel=NEAR)
    assert by_theorem_2(epsilon, n, n, 2 * n) == pytest.approx(golden["delta_claimed"], rel=1e-6)
    third = n * 27_000 * q * (1 - q) * (q**2 + (1 - q) ** 2)
    worst = by_theorem_2(golden["eps_claimed"], n * variance, third, 2 * n)
    assert worst == pytest.approx(golden["delta_formula_worst"], rel=1e-3)
    single = binomial(n, Fraction(q)).mass.max()  # one value of the sum, which the other world has not
    assert single == pytest.approx(golden["true_interval_delta_lower"], rel=1e-6)
    assert single > golden["delta_claimed"]


@pytest.mark.parametrize("case", GOLDEN["gk_ex1"])
def test_example_1_by_its_formula(case):
    n, golden = int(case[2:]), GOLDEN["gk_ex1"][case]
    for third, key in ((3, "paper_formula_L3_3n"), (8, "min_feasible_L3_8n")):
        assert list(FIGURES["by_formula"](n, third=third)) == pytest.approx(golden[key], rel=NEAR)


def test_example_2_crossings():
    needed = FIGURES["needed"]
    for key, variance in (("var_n2_over_100", lambda n: n * n / 100), ("var_n_over_10", lambda n: n / 10)):
        for at, level in zip(GOLDEN["gk_ex2"]["crossings"][key], (5000, 0), strict=True):
            before, after = (needed(at * (1 + step), variance(at * (1 + step))) for step in (-1e-6, 1e-6))
            assert after <= level < before


def test_the_counterexamples_to_theorems_5_and_6():
    (golden,) = GOLDEN["gk_thm5_counterexample"].values()
    violation = find("GK-T5")[0].counterexample()
    assert violation.allowed.upper == pytest.approx(golden["delta_thm5"], rel=1e-6)
    assert violation.found.lower == pytest.approx(golden["true_delta"], rel=NEAR)
    golden = GOLDEN["gk_thm6_counterexample"]["n=1000000"]
    violation = find("GK-T6")[0].counterexample()
    assert violation.allowed.upper == pytest.approx(golden["claimed_delta"], rel=1e-6)
    assert violation.found.lower == pytest.approx(golden["true_delta_halfline"], rel=1e-6)


def test_theorem_6_with_fewer_records():
    golden = GOLDEN["gk_thm6_counterexample"]["n=10000"]
    n, noise = 10_000, 10**8
    epsilon = math.sqrt(n * math.log(n) / (n + noise**2))
    assert epsilon == pytest.approx(golden["claimed_eps"], rel=1e-6)
    claimed = by_theorem_2(epsilon, n, n * 2 * math.sqrt(2 / math.pi), n)
    assert claimed == pytest.approx(golden["claimed_delta"], rel=1e-6)
    assert GaussianCurve(Fraction(1)).delta(Fraction(epsilon)).lower / 2 == pytest.approx(
        golden["true_delta_halfline"], rel=1e-6
    )


# -- range and variance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN["T4"])
def test_range_and_variance_at_the_listed_tilt(case):
    given, golden = named(case), GOLDEN["T4"][case]
    curve = RangeVarianceCurve(Fraction(given["s"]) ** 2, Fraction(1), Fraction(given["tau"]))
    tilt = golden["th0"] + 1 / golden["kap"]
    found = curve.at_tilt(Fraction(given["eps"]), tilt, spread=float(given["s"]))
    assert found == pytest.approx(golden["delta"], rel=5e-3)
    assert curve.delta(Fraction(given["eps"])).upper <= found * (1 + 1e-6)  # the least over tilts


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["T4_by_n"])
def test_range_and_variance_by_the_number_of_records(case):
    """At the three tilts of the listed values, whose quadrature is coarse where δ is tiny, and at the best."""
    given = named(case)
    n, p = int(given["n"]), Fraction(given["p"])
    curve = RangeVarianceCurve(n * p * (1 - p), Fraction(1), Fraction("0.7"))
    spread = math.sqrt(curve.variance)
    for level, golden in GOLDEN["T4_by_n"][case].items():
        epsilon = Fraction(level)
        assert curve.delta(epsilon).upper <= 1.02 * golden + 1e-299
        if golden > 1e-9 and n < 10**6:
            found = min(curve.at_tilt(epsilon, times * float(epsilon), spread=spread) for times in TILTS)
            assert found == pytest.approx(golden, rel=0.02)


# -- noise beside a normal total ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["T6_gauss_plus_laplace"])
def test_a_normal_total_with_laplace_noise(case):
    """By the density of the sum; this is documentation of what noise adds, and no part of the library."""
    given = {key: float(value) for key, value in named(case).items()}
    s, b, step = given["s"], given["b"], 1e-3
    x = np.arange(-40 * s, 40 * s, step)

    def density(at):
        return sum(np.exp(s * s / (2 * b * b) + sign * at / b + log_ndtr(-sign * at / s - s / b)) for sign in (1, -1))

    excess = density(x) - math.exp(given["eps"]) * density(x - given["shift"])
    found = np.maximum(excess, 0).sum() * step / (2 * b)
    assert found == pytest.approx(GOLDEN["T6_gauss_plus_laplace"][case], rel=1e-5)


@pytest.mark.parametrize("case", GOLDEN["W1_smoothing"])
def test_uniform_noise_brings_a_count_near_to_a_normal_law(case):
    """Half of ∫ |difference of the smoothed densities|, beside L₃/(s² w); documentation, as above."""
    given, golden = {key: float(value) for key, value in named(case).items()}, GOLDEN["W1_smoothing"][case]
    n, p, w, step = int(given["n"]), given["p"], given["w"], 1e-3
    mean, variance = n * p, n * p * (1 - p)
    law = binomial(n, Fraction(str(p)))
    rising = np.concatenate([[0.0], np.cumsum(law.mass)])

    def below(at):
        return rising[np.clip(np.floor(at).astype(int) - law.start + 1, 0, len(law.mass))]

    x = np.arange(mean - 12 * math.sqrt(variance) - w, mean + 12 * math.sqrt(variance) + w, step) + step / 2
    normal = [ndtr((x + side * w / 2 - mean) / math.sqrt(variance)) for side in (1, -1)]
    difference = below(x + w / 2) - below(x - w / 2) - normal[0] + normal[1]
    assert np.abs(difference).sum() * step / w / 2 == pytest.approx(golden["TV"], rel=1e-3)
    assert (p**2 + (1 - p) ** 2) / w == pytest.approx(golden["bound"], rel=1e-6)
