"""Sums of uniform numbers: golden values of the coupled-worlds theorems, and exact rationals."""

import json
import math
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amount import repetitions
from dalenius.basics.errors import InputError
from dalenius.beliefs.common import Weights, number_of
from dalenius.beliefs.uniform_part import simulated_sum, sum_by_value
from dalenius.numerics.irwin_hall import UniformSum, densities
from dalenius.numerics.law import law_of
from dalenius.numerics.mixing import Mixing

pytestmark = pytest.mark.slow

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text(encoding="utf-8"))["CW"]


def fraction(number: float) -> Fraction:
    return Fraction(str(number))


def survival(m: int, x: Fraction) -> Fraction:
    """P(Irwin-Hall(m) > x), by the alternating sum in fractions."""
    x = min(max(x, Fraction(0)), Fraction(m))
    below = sum(((-1) ** k * comb(m, k) * (x - k) ** m for k in range(math.floor(x) + 1)), Fraction(0))
    return 1 - below / factorial(m)


@given(m=st.integers(1, 40), start=st.integers(0, 2**40 - 1))
def test_densities_are_exact_up_to_their_units(m: int, start: int) -> None:
    x = Fraction(start, 2**40)
    found = densities(m, np.array([float(x)]))[1][0]
    for j in range(m + 1):
        truth = survival(m, x + j - 1) - survival(m, x + j)
        assert abs(Fraction(float(found[j])) - truth) <= truth * Fraction(4 * m + 8, 2**53) + Fraction(1, 10**300)


@given(
    m=st.integers(1, 12),
    shift=st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(1, 3), Fraction(5, 4), Fraction(3)]),
    epsilon=st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1), Fraction(4)]),
    place=st.integers(0, 240),
)
def test_no_half_line_is_worse_and_the_bracket_is_tight(m: int, shift: Fraction, epsilon: Fraction, place: int) -> None:
    found = UniformSum(m, shift).delta(epsilon)
    y = Fraction(place, 20)
    least = survival(m, y - shift) - Fraction(math.exp(epsilon) * (1 + 1e-15)) * survival(m, y)
    assert least <= Fraction(found.upper) + Fraction(1, 10**15)
    assert found.width <= 1e-11 + 1e-9 * found.upper
    if m > shift:
        best = max(
            survival(m, y - shift) - Fraction(math.exp(epsilon)) * survival(m, y)
            for y in (Fraction(k, 40) for k in range(40 * m + 1))
        )
        assert float(best) <= found.upper + 1e-14
        assert found.lower <= float(best) + 0.1


@pytest.mark.parametrize(
    "case", GOLDEN["irwin_hall_shift"], ids=lambda case: f"{case['m']}-{case['shift_on_pm1_scale']}"
)
def test_golden_shifts(case: dict[str, float]) -> None:
    found = UniformSum(int(case["m"]), fraction(case["shift_on_pm1_scale"]) / 2).delta(fraction(case["eps"]))
    assert found.lower * (1 - 1e-10) <= case["delta"] <= found.upper * (1 + 1e-10)
    assert found.width <= 1e-7 * found.upper


@pytest.mark.parametrize("case", GOLDEN["thm8_uniform_exact"], ids=lambda case: f"{case['n']}-{case['eps']}")
def test_golden_uniform_records(case: dict[str, float]) -> None:
    n, epsilon, eta = int(case["n"]) + 1, fraction(case["eps"]), fraction(case["eta"])
    by_simulator = simulated_sum(n, density=eta).delta(epsilon)
    by_value = sum_by_value(n, density=eta)
    assert by_simulator.upper == pytest.approx(case["delta"], rel=1e-9)
    assert by_value.delta(epsilon).upper == pytest.approx(case["delta_noiseless_shift2"], rel=1e-9)
    direct = by_value.delta(2 * epsilon).upper
    through = (1 + math.exp(epsilon)) * by_simulator.upper
    assert through == pytest.approx(case["thm17_delta"], rel=1e-9)
    assert direct == pytest.approx(case["noiseless_direct_at_2eps"], rel=1e-9)
    assert direct <= through


def golden_mixtures(largest: int) -> list[dict[str, float]]:
    return [case for case in GOLDEN["thm8_delta"]["cases"] if case["n"] <= largest]


def check_mixture(case: dict[str, float], close: float) -> None:
    curve = simulated_sum(int(case["n"]) + 1, density=fraction(case["eta"]), close=close)
    found = curve.delta(fraction(case["eps"]))
    assert case["delta"] * (1 - 1e-10) <= found.upper <= case["delta"] * (1 + 1.01 * close + 1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("case", golden_mixtures(100), ids=lambda case: f"{case['n']}-{case['eps']}")
def test_golden_mixtures_in_blocks(case: dict[str, float]) -> None:
    check_mixture(case, 1e-2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", golden_mixtures(1000)[12 : repetitions(-2, 99)], ids=lambda case: f"{case['n']}-{case['eps']}"
)
def test_golden_mixtures_of_many(case: dict[str, float]) -> None:
    check_mixture(case, 1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("case", golden_mixtures(25), ids=lambda case: f"{case['n']}-{case['eps']}")
def test_golden_mixtures(case: dict[str, float]) -> None:
    check_mixture(case, 1e-9)


def test_golden_mixture_with_known_records_is_the_row_of_the_others() -> None:
    (row,) = (case for case in golden_mixtures(100) if case["n"] == 100 and case["eps"] == 0.5)
    found = simulated_sum(201, density="1/4", known=100, close=1e-3).delta(Fraction(1, 2))
    assert found.upper == pytest.approx(row["delta"], rel=1.1e-3)


@pytest.mark.parametrize("case", GOLDEN["delta_irwin_hall_shift1"], ids=lambda case: f"{case['m']}-{case['eps']}")
def test_golden_unit_shifts(case: dict[str, float]) -> None:
    for shift, value in ((Fraction(1, 2), case["delta"]), (Fraction(1), case["delta_shift2"])):
        found = UniformSum(int(case["m"]), shift).delta(fraction(case["eps"]))
        assert found.lower * (1 - 1e-9) <= value <= found.upper * (1 + 1e-9)


def test_golden_large_epsilon() -> None:
    case = GOLDEN["delta_ih_eps_large"]
    found = UniformSum(case["m"], Fraction(1, 2)).delta(Fraction(case["eps"]))
    assert found.lower * (1 - 1e-4) <= case["two_pow_minus_m_over_mfact"] <= found.upper
    assert found.upper == pytest.approx(case["delta"], rel=1e-4)


def test_golden_two_terms_and_the_member_of_the_class() -> None:
    case = GOLDEN["thm8_two_term"]
    law = number_of(Weights({2 * fraction(case["eta"]): case["n"]}))
    few = float(law.mass[: case["m0"] - law.start].sum())
    bound = few + UniformSum(case["m0"], Fraction(1, 2)).delta(fraction(case["eps"])).upper
    assert bound == pytest.approx(case["bound"], rel=1e-9)
    for one in GOLDEN["thm8_validation_n8"]:
        found = simulated_sum(9, density="1/4", close=1e-9).delta(fraction(one["eps"])).upper
        assert found == pytest.approx(one["mixture_bound"], rel=1e-9)
        assert one["true_hs_this_distribution"] <= found


def test_golden_translation_needs_the_midpoint() -> None:
    case = GOLDEN["thm8_translation"]
    made = {
        simulator: simulated_sum(10, density="1/2", bounds=(10, 12), simulator=simulator).delta(Fraction(1)).upper
        for simulator in ("midpoint", "canonical")
    }
    assert made["midpoint"] == pytest.approx(case["delta_midpoint_sim"], rel=1e-9)
    assert made["canonical"] == pytest.approx(case["delta_canonical_shift12"], rel=1e-9)


def test_the_constant_one_of_theorem_8_is_false() -> None:
    case = GOLDEN["thm8_constant_one_false"]
    found = simulated_sum(case["n"] + 1, density=fraction(case["eta"])).delta(fraction(case["eps"]))
    assert found.lower > case["exp_minus_arg"]


def test_a_mean_over_counts_is_the_exact_mean_where_every_count_is_taken() -> None:
    counts = {k: Fraction(comb(6, k), 64) for k in range(7)}
    curve = Mixing(law_of(counts), lambda k: UniformSum(k, Fraction(1, 2)), 0.0)
    found = curve.delta(Fraction(1, 2))
    each = [UniformSum(k, Fraction(1, 2)).delta(Fraction(1, 2)) for k in range(7)]
    assert found.upper >= math.fsum(float(counts[k]) * each[k].lower for k in range(7))
    assert found.upper == pytest.approx(math.fsum(float(counts[k]) * each[k].upper for k in range(7)), rel=1e-11)
    assert found.lower == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"density": 1}, "between 0 and 1"),
        ({"density": "1/4", "bounds": (1, 1)}, "least, largest"),
        ({"density": "1/4", "known": 5}, "0 to 4 of 5"),
        ({"density": "1/4", "simulator": "mean"}, "midpoint"),
    ],
)
def test_impossible_sums_are_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        simulated_sum(5, **options)  # type: ignore[arg-type]
