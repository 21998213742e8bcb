"""Error terms too small for any result to show: each is stressed with an input made for it.

Rounding is pushed one way: 1 + 0.999 u is 1, however often it is added, so a long sum may lose a unit a term.
"""

import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from scipy.special import erfcx

from dalenius.enclosure import normal
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.floats import ERFCX, FFT, LIBM, UNIT, pairwise
from dalenius.enclosure.formats import at_least
from dalenius.enclosure.outward import down, up
from dalenius.enclosure.transforms import convolution
from dalenius.numerics import convolve as engine
from dalenius.numerics import divergence, gaussian
from dalenius.numerics.curve import Average, Constant
from dalenius.numerics.law import Law, mixture
from numerics.checks import assert_covers, rounded_up
from oracle import balls
from oracle import laws as lw
from oracle.balls import precise, upper

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one


def summed(values: np.ndarray) -> Fraction:
    return sum(map(F, values.tolist()), F(0))


# -- the constants ------------------------------------------------------------------------------------------------


@precise
def _erfcx_error(x: float, value: float) -> Fraction:
    truth = (arb(x) ** 2).exp() * arb(x).erfc()
    return upper(abs(arb(value) / truth - 1)) / F(UNIT)


def test_the_scaled_error_function_errs_by_no_more_than_assumed() -> None:
    """Below zero it is exp(x²), which passes the rounding of x² on; the profile's own error has room for that."""
    rng = np.random.default_rng(7)
    for x in np.concatenate([rng.uniform(-18.5, 27, 3000), 10 ** rng.uniform(-15, 2, 500)]).tolist():
        assert _erfcx_error(x, float(erfcx(x))) <= ERFCX + 2 * min(x, 0.0) ** 2


def additions(size: int) -> int:
    """How often a term may be rounded in numpy's pairwise sum: its own recursion, with blocks of at most 128."""
    if size < 8:
        return max(0, size - 1)
    if size <= 128:
        return size // 8 - 1 + 3 + size % 8
    half = size // 2 - size // 2 % 8
    return 1 + max(additions(half), additions(size - half))


@pytest.mark.parametrize("size", [*(1 << k for k in range(3, 20)), 9, 127, 135, 255, 1023, 9999, 19_999])
def test_every_addition_of_a_pairwise_sum_is_counted(size: int) -> None:
    assert pairwise(size) >= additions(size)


def test_the_last_terms_of_a_block_are_added_one_by_one() -> None:
    x = np.array([1.0] * 8 + [0.999 * UNIT] * 112 + [8 * 0.999 * UNIT] * 7)
    assert abs(summed(x) - F(float(x.sum()))) <= F(pairwise(len(x)) * UNIT) * summed(x)


@pytest.mark.parametrize("units", [1.0, 4.0, 64.0])
def test_up_and_down_leave_room_for_their_units(units: float) -> None:
    for number in (*np.random.default_rng(3).uniform(0, 1, 200).tolist(), 1.0, 1e-200, 5e-324):
        assert F(up(number, units)) * (1 - F(units * UNIT)) >= F(number)
        assert F(down(number, units)) * (1 + F(units * UNIT)) <= F(number)
    assert (up(0.0), down(0.0)) == (0.0, 0.0)


# -- laws ---------------------------------------------------------------------------------------------------------


def test_the_distance_of_a_law_from_what_is_stored_counts_its_tail() -> None:
    assert Law(0, np.array([0.5]), np.array([0.125]), 0.25).additive >= 0.375


def test_masses_and_errors_that_land_on_one_point_are_added_up_with_room() -> None:
    values, zeros = np.array([1.0, *[LOST] * 3000]), np.zeros(3001)
    for law in (Law(0, values, zeros), Law(0, zeros, values)):
        assert_covers(law.pushed(np.zeros(3001, dtype=np.int64)), {0: summed(values)})


@pytest.mark.parametrize("seed", range(10))
def test_the_error_of_a_mixture_is_rounded_up(seed: int) -> None:
    """Parts of which nothing is known but a bound: the bound of the mixture is theirs, not a rounded one."""
    rng = np.random.default_rng(seed)
    weights = [F(int(w)) for w in rng.integers(1, 1000, 7)]
    shares = [w / sum(weights) for w in weights]
    errors = rng.uniform(0, 1, 7).tolist()
    law = mixture((w, Law(0, np.zeros(1), np.array([e]))) for w, e in zip(shares, errors, strict=True))
    assert sum(w * F(e) for w, e in zip(shares, errors, strict=True)) <= F(law.error[0].item())


# -- convolution --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_every_term_of_a_convolution_is_charged(turned: bool) -> None:
    """As many ones as there may be accumulators, then what each of them loses."""
    long = np.array([1.0] * 32 + [LOST] * 2000)
    long, ones = (long[::-1].copy() if turned else long), np.ones(len(long))
    nothing = np.zeros(len(long))
    for law in (Law(0, long, nothing), Law(0, nothing, long)):
        found = engine.convolve(law, Law(0, ones, nothing))
        middle = len(long) - 1
        assert abs(summed(long) - F(found.mass[middle].item())) <= F(found.error[middle].item())


def test_a_mass_rounded_up_beside_a_bound_rounded_down_is_forgiven() -> None:
    """Terms of 3.001 units round up to 4, and with their error of 1.998 they round down to 4."""
    for more in (7, 30):
        mass = np.array([1.0, *[3.001 * UNIT] * more])
        error = np.array([0.0, *[1.998 * UNIT] * more])
        found = engine.convolve(Law(0, mass, error), Law(0, np.ones(more + 1), np.zeros(more + 1)))
        for sign in (-1, 1):
            truth = summed(mass) + sign * summed(error)
            assert abs(truth - F(found.mass[more].item())) <= F(found.error[more].item())


def test_tails_that_are_added_are_rounded_up() -> None:
    parts = [Law(0, np.zeros(1), np.zeros(1), tail) for tail in (0.5, 0.4 * UNIT)]
    found = engine.convolve(*parts)
    lost = F(0.5) + F(0.4 * UNIT)
    assert lost <= F(found.tail)
    assert lost <= F(found.error[0].item())


def test_three_transforms_are_charged_with_the_larger_norm() -> None:
    spike, flat = np.zeros(500), np.full(700, 1 / 700)
    spike[3] = 1.0
    for first, second in ((spike, flat), (flat, spike)):
        slip = convolution(Balls.of(first), Balls.of(second), length=1200).radius
        assert slip[0] >= 3 * FFT * math.log2(1199) * UNIT * 1.0 * float(np.linalg.norm(spike)) * float(flat.sum())


def test_the_ends_that_are_trimmed_are_counted_with_their_errors() -> None:
    mass, error = np.array([0.01, 0.5, 0.39]), np.array([0.09, 0.0, 0.01])
    kept = engine.trimmed(Law(0, mass, error), 0.03)
    assert kept.start == 0 or F(kept.tail) >= F(0.1)


def test_a_running_sum_that_loses_every_term_trims_no_more_for_that() -> None:
    end = [1.0, *[LOST] * 5000]
    law = Law(0, np.array([*end, 8.0, *end[::-1]]), np.zeros(2 * len(end) + 1))
    kept = engine.trimmed(law, 2 * (1 + 4 * UNIT))
    dropped = summed(law.mass[: kept.start]) + summed(law.mass[kept.stop :])
    assert dropped <= F(kept.tail)


def test_a_trimmed_tail_is_rounded_up() -> None:
    small = 0.2 * UNIT
    kept = engine.trimmed(Law(0, np.array([small, 0.5, small]), np.zeros(3), 0.5), 2.001 * small)
    assert (kept.start, kept.stop) == (1, 2)
    assert F(0.5) + 2 * F(small) <= F(kept.tail)
    assert rounded_up(F(1, 2)) == 0.5


# -- divergences --------------------------------------------------------------------------------------------------


def test_the_float_of_a_large_epsilon_is_not_trusted() -> None:
    """Half a unit in the last place of 699 is a hundred units of its exponential."""
    for sign in (-1, 1):
        epsilon = 699 + sign * F(49, 100) * F(math.ulp(699.0))
        low, high = divergence.exponential(epsilon)
        truth = balls.exponential(epsilon)
        assert F(low) <= balls.lower(truth) <= balls.upper(truth) <= F(high)


def test_an_error_of_the_other_law_below_half_a_unit_is_not_rounded_away() -> None:
    p, q = (Law(0, np.array([0.3, 0.7]), np.array([error, error])) for error in (0.0, 1.5e-17))
    assert divergence.hockey_stick(p, q, epsilon=F(0)).upper >= 1.5e-17


def test_running_sums_over_many_epsilons_are_charged() -> None:
    mass = np.array([0.5, *[LOST / 2] * 3000])
    p, q = Law(0, mass, np.zeros(3001)), Law(9000, np.ones(1), np.zeros(1))
    assert summed(mass) <= F(float(divergence.hockey_sticks(p, q, np.zeros(1))[0]))


def test_a_large_tail_does_not_swallow_a_small_excess_at_many_epsilons() -> None:
    p = Law(0, np.array([2.0**-60]), np.zeros(1), 0.1)
    found = divergence.hockey_sticks(p, Law(5, np.ones(1), np.zeros(1)), np.zeros(1))[0]
    assert F(float(found)) >= F(0.1) + F(2.0**-60)


def test_a_ratio_between_the_exponential_and_its_float_counts() -> None:
    """There the computed event is empty, and the true one is not."""
    rng = np.random.default_rng(4)
    counted = 0
    for epsilon, q in zip(rng.uniform(0.1, 1.5, 3000).tolist(), rng.uniform(0.1, 0.2, 3000).tolist(), strict=True):
        near = float(np.exp(epsilon))
        truth = balls.lower(balls.exponential(F(epsilon)))
        for p in (near * q, math.nextafter(near * q, 0)):
            if truth < F(p) / F(q) <= F(near):
                laws = [Law(0, np.array([mass]), np.zeros(1)) for mass in (p, q)]
                bound = divergence.hockey_sticks(*laws, np.array([epsilon]))[0]
                assert F(p) - balls.upper(balls.exponential(F(epsilon))) * F(q) <= F(float(bound))
                counted += 1
    assert counted > 20


@pytest.mark.slow
def test_beyond_an_epsilon_of_seven_hundred_errors_and_tails_still_count() -> None:
    far, p = F(701), Law(0, np.array([0.5, 0.5]), np.array([0.125, 0.0]))
    assert divergence.hockey_stick(p, Law(1, np.ones(1), np.zeros(1)), epsilon=far).lower <= 0.375
    assert divergence.hockey_stick(p, Law(1, np.ones(1), np.zeros(1), 1e-3), epsilon=far).lower == 0.0
    for seed in range(8):
        mass = np.random.default_rng(seed).uniform(0, 1, 20_001) ** 3 / 8000
        one, other = Law(0, mass, np.zeros(len(mass))), Law(10**6, np.ones(1), np.zeros(1))
        assert F(divergence.hockey_stick(one, other, epsilon=far).lower) <= summed(mass)


def test_every_error_counts_in_the_largest_ratio() -> None:
    sharp, rough = Law(0, np.array([0.5]), np.zeros(1)), Law(0, np.array([0.5]), np.array([0.125]))
    assert divergence.max_divergence(rough, sharp).upper >= math.log(1.25)
    assert divergence.max_divergence(sharp, rough).upper >= math.log(0.5 / 0.375)
    lower = Law(0, np.array([0.25]), np.zeros(1))
    assert divergence.max_divergence(rough, lower).lower <= math.log(1.5)
    tail = Law(0, np.array([0.25]), np.zeros(1), 0.125)
    assert divergence.max_divergence(sharp, tail).lower <= math.log(0.5 / 0.375)


@pytest.mark.parametrize("seed", range(20))
def test_the_logarithm_of_a_ratio_is_charged(seed: int) -> None:
    p, q = np.random.default_rng(seed).uniform(0.1, 1, 2).tolist()
    p, q = max(p, q), min(p, q)
    bracket = divergence.max_divergence(*(Law(0, np.array([mass]), np.zeros(1)) for mass in (p, q)))
    truth = lw.max_divergence({0: F(p)}, {0: F(q)})
    assert F(bracket.lower) < balls.lower(truth) <= balls.upper(truth) < F(bracket.upper)


# -- curves -------------------------------------------------------------------------------------------------------


def test_weights_that_only_a_float_takes_for_one_leave_something_missing() -> None:
    curve = Average([0.5, 0.5 - 2.0**-54], [Constant(0.0), Constant(0.0)])
    assert curve.delta(F(1)).upper >= 2.0**-54


@pytest.mark.parametrize("seed", range(10))
def test_the_mean_of_brackets_is_rounded_outwards(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, values = rng.uniform(0, 0.3, 3).tolist(), rng.uniform(0, 1, 3).tolist()
    bracket = Average(weights, [Constant(value) for value in values]).delta(F(1))
    mean = sum(F(w) * F(v) for w, v in zip(weights, values, strict=True))
    assert F(bracket.lower) <= mean
    assert mean + 1 - sum(map(F, weights)) <= F(bracket.upper)


@precise
def _profile(epsilon: Fraction, ratio: Fraction) -> arb:
    a, b = (balls.ball(epsilon / ratio + sign * ratio / 2) / arb(2).sqrt() for sign in (-1, 1))
    return (a.erfc() - balls.ball(epsilon).exp() * b.erfc()) / 2


@pytest.mark.parametrize(("a", "ratio"), [(0, 20), (-7, 15), (-7, 1), (3, 1), (0, 1), (12, 2)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_normal_profile_forgives_all_that_its_functions_may_err(
    a: int, ratio: int, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units of a billionth: the error function and its argument are off by all of them, one way and the other."""
    unit, epsilon = 1e-9, F(a * ratio) + F(ratio * ratio, 2)
    seen: list[float] = []

    def wrong(x: float) -> float:
        seen.append(x)
        way = sign if len(seen) == 1 else -sign
        move = -way * abs(x) * 4 * unit  # the function falls
        return float(erfcx(x + move)) * (1 + way * ERFCX * unit)

    monkeypatch.setattr(normal, "UNIT", unit)
    monkeypatch.setattr(normal, "erfcx", wrong)
    off = {"exp": lambda x: math.exp(x) * (1 + sign * LIBM * unit)}
    monkeypatch.setattr(normal, "math", SimpleNamespace(**{**vars(math), **off}))
    bracket = gaussian.GaussianCurve(F(ratio)).delta(epsilon)
    truth = _profile(epsilon, F(ratio))
    assert F(bracket.lower) <= balls.upper(truth)
    assert balls.lower(truth) <= F(bracket.upper)


def test_a_normal_profile_below_the_smallest_floats_is_not_called_nothing() -> None:
    for a in (*(37 + F(k, 40) for k in range(41)), F(39), F(50)):
        epsilon, ratio = a + F(1, 2), F(1)
        bracket = gaussian.GaussianCurve(ratio).delta(epsilon)
        truth = _profile(epsilon, ratio)
        assert F(bracket.lower) <= balls.upper(truth)
        assert 0 < balls.lower(truth) <= F(bracket.upper)


def test_the_larger_of_two_numbers_is_at_least_the_larger_lower_bound() -> None:
    joined = Bracket(0.25, 0.5).join(Bracket(0.125, 0.75))
    assert (joined.lower, joined.upper) == (0.25, 0.75)


@pytest.mark.parametrize("number", [1 / 3, 2 / 3, 1e-9 / 7, 123456.789])
def test_at_least_is_never_above_the_number(number: float) -> None:
    assert F(number) * F(999, 1000) <= F(Decimal(at_least(number))) <= F(number)


def test_floats_around_exact_numbers_are_outside_of_them() -> None:
    for number in (F(1, 3), F(2, 3), F(1, 10), F(7, 10), F(1, 2)):
        bracket = around(number, number)
        assert F(bracket.lower) <= number <= F(bracket.upper)
        assert bracket.width <= math.ulp(1.0)
