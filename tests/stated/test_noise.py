"""Noise that states its guarantee: Laplace, Gaussian, local sensitivity, and bad examples that give records away."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.mechanisms.gaussian import least_scale, posterior_shift
from dalenius.numerics.gaussian import GaussianCurve, Nearly
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.finite import conversions
from oracle import balls
from oracle.balls import ball, precise

TESTS = Path(__file__).parents[1]
KS = json.loads((TESTS / "golden" / "semantics.json").read_text())["KS"]
CH = json.loads((TESTS / "golden" / "semantics.json").read_text())["CH"]
SUMS = json.loads((TESTS / "golden" / "sums.json").read_text())
F = Fraction
near = pytest.approx


# -- Laplace -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", KS["laplace_hs"]["cases"], ids=str)
def test_golden_laplace_curve(case):
    made = dl.mechanisms.LaplaceNoise(1, epsilon=case["scale_eps"])
    at = F(str(case["eps"]))
    assert made.ideal().delta(at).lower == near(case["delta"], abs=1e-12)
    assert made.curve().delta(at).upper == near(case["delta"], abs=1e-6)  # on the lattice


def test_golden_laplace_deviation():
    golden = KS["laplace_std"]
    found = dl.mechanisms.LaplaceNoise(golden["scale"], epsilon=1).deviation()
    assert found.lower <= golden["std"] * (1 + 1e-11) and golden["std"] <= found.upper * (1 + 1e-11)
    assert found.lower > golden["paper_says"]


@settings(max_examples=30)
@given(
    sensitivity=st.integers(1, 50),
    epsilon=st.fractions(F(1, 20), F(5)),
    unit=st.sampled_from(["1", "1/4", "5", "0.01"]),
)
def test_laplace_noise_is_pure_at_its_epsilon_and_no_lower(sensitivity, epsilon, unit):
    """The scale is rounded up to a float, and the sensitivity down to a multiple of the unit."""
    made = dl.mechanisms.LaplaceNoise(sensitivity, epsilon=epsilon, unit=unit)
    level = made.guarantees()[0].epsilon
    moved = sensitivity // F(unit) * F(unit)
    assert F(level.upper) <= epsilon * (1 + F(1, 2**51)) and F(level.lower) >= epsilon * moved / sensitivity * (
        1 - F(1, 2**50)
    )
    assert made.curve().delta(epsilon).upper == 0
    if moved:
        assert made.curve().delta(F(level.lower) * F(99, 100)).lower > 0


def test_the_law_of_laplace_noise_is_its_channel_s():
    made = dl.mechanisms.LaplaceNoise(1, epsilon=2, unit=1)
    law = made.law(3)
    assert float(law.mass.sum()) == near(1, abs=1e-12)
    scale = float(made.lattice.scale)
    for at in (0, 1, -700):
        assert law.mass[3 * 1024 + at - law.start] == near(
            math.tanh(0.5 / scale) * math.exp(-abs(at) / scale), rel=1e-11
        )
    with pytest.raises(dl.InputError, match="coarser unit"):
        dl.mechanisms.LaplaceNoise(1000, epsilon="0.1").law(3)


def test_the_lattice_curve_is_hardly_above_the_ideal_one():
    made = dl.mechanisms.LaplaceNoise(3, epsilon=1)
    for at in ("0", "1/3", "0.9"):
        ideal, drawn = made.ideal().delta(F(at)), made.curve().delta(F(at))
        assert drawn.upper <= ideal.upper + 1 / (8 * float(made.lattice.scale) ** 2) + 1e-15
        assert drawn.upper >= ideal.lower - 1e-3


# -- Gaussian ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", KS["thmA.2"], ids=str)
def test_golden_reality_that_nobody_expected(case):
    """Theorem A.2: the scale of the text is wrong; with the right one, beliefs about a total far away still move."""
    ratio = 1 / F(str(case["sigma_paper"]))
    assert GaussianCurve(ratio).delta(F(str(case["eps"]))).upper == near(case["delta_of_sigma_paper"], rel=1e-8)
    sigma = least_scale(case["eps"], case["delta"])
    assert float(sigma) == near(case["sigma_exact"], rel=1e-9)
    assert posterior_shift(sigma, case["n"]) == near(case["SD_at_t_eq_n"], rel=1e-9)
    edge = (4 * float(sigma) ** 2 * math.atanh(0.8) + 1) / 2  # where the shift is 0.4
    below = 0.5 * math.erfc((case["n"] - edge) / float(sigma) / math.sqrt(2))
    assert below == near(case["prob_SD_le_0p4"], rel=1e-6, abs=1e-60)


@pytest.mark.parametrize("case", KS["thmA.2_sigma_paper"], ids=str)
def test_golden_scales_by_rule_of_thumb(case):
    found = GaussianCurve(1 / F(str(case["sigma"]))).delta(F(str(case["eps"])))
    assert found.upper == near(case["actual_delta"], rel=1e-8)
    assert (found.upper <= case["delta"]) == case["ok"]


@pytest.mark.parametrize("name", SUMS["gauss_mech_sigma_shift1"])
def test_golden_least_scales(name):
    epsilon, delta = (part.split("=")[1] for part in name.split(","))
    assert float(least_scale(epsilon, delta)) == near(SUMS["gauss_mech_sigma_shift1"][name], rel=1e-9)


@pytest.mark.parametrize("name", SUMS["gk_gauss_profile"])
def test_golden_profiles(name):
    epsilon, ratio = (F(part.split("=")[1]) for part in name.split(","))
    made = dl.mechanisms.GaussianNoise(ratio, scale=1, unit="1/1000")
    found = made.curve().delta(epsilon)
    assert found.lower <= SUMS["gk_gauss_profile"][name] * (1 + 1e-9)
    assert SUMS["gk_gauss_profile"][name] <= found.upper * (1 + 1e-9)
    assert found.width <= 1e-9 * found.upper + 1e-20


def test_least_noise_is_least_and_certified():
    made = dl.mechanisms.GaussianNoise.within(2, epsilon=1, delta="1e-6")
    assert made.curve().delta(F(1)).upper <= 1e-6
    less = dl.mechanisms.GaussianNoise(2, scale=made.scale * (1 - F(1, 10**8)))
    assert less.curve().delta(F(1)).lower > 0.9999e-6
    assert float(made.scale) == near(2 * 4.22467888933, rel=1e-8)
    assert "normal noise" in str(made)
    with pytest.raises(dl.InputError, match="larger one"):
        dl.mechanisms.GaussianNoise.within(1, epsilon=1, delta="1e-30")


def test_what_is_drawn_instead_of_normal_noise_is_charged():
    ideal, found = GaussianCurve(F(1)).delta(F(1)), Nearly(GaussianCurve(F(1)), 1e-3).delta(F(1))
    assert found.upper == near(ideal.upper + (1 + math.e) * 1e-3, rel=1e-12) and found.upper > ideal.upper + 3.718e-3
    assert found.lower <= ideal.lower - 3.718e-3
    assert Nearly(GaussianCurve(F(1)), 0.0).delta(F(1)).lower < ideal.lower  # a scale that is rounded up
    gap = dl.mechanisms.GaussianNoise(1, scale=1).channel.normal()[1]
    assert dl.mechanisms.GaussianNoise(1, scale=1).curve().gap == gap > 0
    huge = dl.mechanisms.GaussianNoise(1, scale=F(1, 1000))
    assert huge.curve().delta(F(600)).upper == 1


@pytest.mark.parametrize("scale", ["1", "3", "10"])
@pytest.mark.parametrize("shift", [1, 4])
def test_the_discrete_gaussian_profile_is_exact(scale, shift):
    made = dl.mechanisms.DiscreteGaussianNoise(shift, scale=scale)
    reach = math.ceil(14 * float(made.scale)) + shift

    @precise
    def truth(epsilon):
        weight = [(-(ball(F(k * k)) / (2 * ball(made.scale * made.scale)))).exp() for k in range(-reach, reach + 1)]
        whole, steep, found = sum(weight, ball(0)), ball(epsilon).exp(), ball(0)
        for k in range(shift, len(weight)):
            term = weight[k] - steep * weight[k - shift]
            found += term if term > 0 else ball(0)
        for k in range(shift):  # nothing of the other law there, but less than 1e-40 of this one
            found += weight[k]
        return found / whole

    for epsilon in (F(0), F(1, 2), F(1)):
        found, value = made.curve().delta(epsilon), truth(epsilon)
        back = made.curve().delta(epsilon)
        assert F(found.lower) <= balls.upper(value) + F(1, 10**38) and balls.lower(value) <= F(back.upper)
        assert found.width < 1e-11


def test_discrete_gaussian_law_and_story():
    made = dl.mechanisms.DiscreteGaussianNoise(2, scale=3)
    law = made.law(10)
    assert law.mass[10 - law.start] == near(float(law.mass.max()))
    assert "ε" in str(made) and "discrete Gaussian" in str(made)


# -- local sensitivity -------------------------------------------------------------------------------------------------


def median(row):
    return sorted(row)[len(row) // 2]


def test_local_sensitivity_is_counted():
    """The median of three fair coins moves by one if two coins or all but one agree... that is, unless all agree."""
    coins = dl.papers.Finite.product([{0: "1/2", 1: "1/2"}] * 3)
    made = dl.mechanisms.LocalLaplaceNoise.of(median, coins, "1/2", epsilon=1, unit="1/2")
    assert made.delta == F(3, 4)
    assert dl.mechanisms.LocalLaplaceNoise.of(median, coins, 1, epsilon=1).delta == 0
    assert made.curve().delta(F(1)).upper == near(0.75) and made.curve().delta(F(1)).lower == 0


@pytest.mark.parametrize("likely", ["1/2", "1/10"])
def test_local_noise_is_indistinguishable_for_the_attacker(likely):
    """Data and output, with a record and with it replaced: (ε, δ), by brute force over datasets."""
    belief = dl.papers.Finite.product([{0: 1 - F(likely), 1: likely}] * 5)
    made = dl.mechanisms.LocalLaplaceNoise.of(median, belief, "1/2", epsilon=1, unit="1/2")
    for place in range(5):
        for value in (0, 1):
            excess = 0.0
            for row, p in belief.items():
                other = (*row[:place], value, *row[place + 1 :])
                moved = abs(median(row) - median(other))
                # Laplace noise of scale 1/2 against itself, moved: δ at ε = 1
                excess += float(p) * max(0.0, 1 - math.exp((1 - moved / 0.5) / 2))
            assert excess <= made.curve().delta(F(1)).upper + 1e-9
            assert excess <= float(made.delta)


@pytest.mark.parametrize("case", KS["thm2.4_5.1_A3_golden"], ids=str)
def test_what_local_noise_means_for_beliefs(case):
    """Corollary 5.2: one δ, so the numbers of Theorem 2.4 hold."""
    made = dl.mechanisms.LocalLaplaceNoise(1, epsilon=case["eps"], delta=case["delta"])
    guarantee = made.guarantees()[0]
    assert guarantee.epsilon.upper == case["eps"] and guarantee.delta.upper == near(case["delta"])
    above = 2 * math.sqrt(case["delta"])
    shift, failing = conversions.semantic_from_dp(case["eps"], case["delta"], n=case["n"], above=above)
    assert shift.upper == near(case["eps_prime"], rel=1e-9)
    assert failing.upper == near(case["delta_prime_sharp"], rel=1e-6)


# -- bad examples ------------------------------------------------------------------------------------------------------


def coins(n):
    return dl.papers.Finite.product([{0: "1/2", 1: "1/2"}] * n)


def test_name_and_shame_keeps_additive_secrecy_and_fails_everything_else():
    world = coins(2)
    made = dl.papers.FiniteMechanism.random(dl.papers.name_and_shame("0.1"), world)
    assert Neighbours.replace(world).additive_secrecy(made).value.upper == near(
        CH["name_and_shame"]["brute_tv_n2_delta0p1"]
    )
    assert Neighbours.replace(world).epsilon(made).value.lower == math.inf
    for case in CH["name_and_shame"]["cases"]:
        found = dl.papers.somebody_is_shamed(case["delta"], case["n"])
        assert float(found) == near(case["prob_some_published"], rel=1e-10)


def test_publishing_one_record_keeps_additive_secrecy_and_fails_everything_else():
    n = CH["publish_one_record"]["n"]
    law, other = dl.papers.publish_one_record((0,) * n), dl.papers.publish_one_record((1, *(0,) * (n - 1)))
    apart = sum(abs(law.get(out, 0) - other.get(out, 0)) for out in set(law) | set(other)) / 2
    assert float(apart) == near(CH["publish_one_record"]["tv"])
    world = coins(3)
    made = dl.papers.FiniteMechanism.random(dl.papers.publish_one_record, world)
    assert Neighbours.replace(world).epsilon(made).value.lower == math.inf
    with pytest.raises(dl.InputError, match="at least one record"):
        dl.papers.publish_one_record(())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dl.mechanisms.LaplaceNoise(0, epsilon=1), "sensitivity"),
        (lambda: dl.mechanisms.LaplaceNoise(1, epsilon=1, unit=0), "unit"),
        (lambda: dl.mechanisms.LaplaceNoise(10**12, epsilon="0.001"), "coarser unit"),
        (lambda: dl.mechanisms.LaplaceNoise(1, epsilon=1).law("0.5"), "multiple of the unit"),
        (lambda: dl.mechanisms.GaussianNoise(0, scale=1), "above 0"),
        (lambda: dl.mechanisms.GaussianNoise(1, scale=0), "2\\^-10"),
        (lambda: dl.mechanisms.DiscreteGaussianNoise(0, scale=1), "at least 1"),
        (lambda: dl.mechanisms.DiscreteGaussianNoise(1, scale=0), "above 0"),
        (lambda: least_scale(1, 0), "LaplaceNoise"),
        (lambda: least_scale(1, "0.1", sensitivity=0), "above 0"),
        (lambda: dl.mechanisms.LocalLaplaceNoise(1, epsilon=1, delta=1), "below 1"),
        (lambda: dl.mechanisms.LocalLaplaceNoise.of(median, coins(1), "1/2", epsilon=1), "larger sensitivity"),
        (lambda: dl.papers.name_and_shame(2), "between 0 and 1"),
        (lambda: dl.papers.somebody_is_shamed("0.1", 0), "at least one"),
        (lambda: posterior_shift(0, 1), "above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(dl.InputError, match=message):
        call()


@settings(max_examples=20)
@given(epsilon=st.fractions(F(1, 10), F(4)), delta=st.sampled_from(["1e-9", "1e-3", "0.1"]))
def test_least_scales_are_certified(epsilon, delta):
    scale = least_scale(epsilon, delta)
    assert GaussianCurve(1 / scale).delta(epsilon).upper <= F(delta)
    assert GaussianCurve(1 / (scale * (1 - F(1, 10**9)))).delta(epsilon).upper > F(delta)


def test_what_floats_cannot_tell_is_refused():
    for call, told in (
        (
            lambda: dl.mechanisms.GaussianNoise.within(1, epsilon=1, delta="1e-310"),
            "1e-290 or more, but got '1.00e-310'",
        ),
        (
            lambda: dl.mechanisms.GaussianNoise.within(1, epsilon=1, delta="1e-400"),
            "1e-290 or more, but got '1.00e-400'",
        ),
        (
            lambda: dl.mechanisms.DiscreteGaussianNoise(1, scale=2**34).law(0),
            r"up to a scale of 1048576 units.*got 171799.*coarser unit",
        ),
        (lambda: dl.mechanisms.DiscreteGaussianNoise(1, scale=2**34).guarantees(), "coarser unit"),
    ):
        with pytest.raises(dl.InputError, match=told):
            call()
