"""The noise follows its law: Kolmogorov's distance, with the constant of Massart, at a false-alarm rate of 1e-9."""

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.data import add_noise, discrete_gaussian, representable, two_sided_geometric

DRAWS = 60_000
FALSE_ALARM = 1e-9
# P(sup |F_n - F| > t) <= 2 exp(-2 n t^2) for every law and every n (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
THRESHOLD = sqrt(log(2 / FALSE_ALARM) / (2 * DRAWS))
REACH = 400

WEIGHTS = {
    "two_sided_geometric": lambda k, scale: exp(-abs(k) / scale),
    "discrete_gaussian": lambda k, scale: exp(-k * k / (2 * scale * scale)),
}
CASES = [(noise, scale) for noise in WEIGHTS for scale in (Fraction(2, 3), Fraction(10, 3), Fraction(10))]


def distribution(noise, scale):
    """P(K <= k) for k = -REACH..REACH; what lies beyond has less than 1e-9 of the mass at these scales."""
    weights = [WEIGHTS[noise](k, float(scale)) for k in range(-REACH, REACH + 1)]
    return [part / sum(weights) for part in accumulate(weights)]


def empirical(draws):
    counts = Counter(draws)
    below = sum(count for value, count in counts.items() if value < -REACH)
    return [(below + part) / len(draws) for part in accumulate(counts[k] for k in range(-REACH, REACH + 1))]


def distance(first, second):
    return max(abs(p - q) for p, q in zip(first, second, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "scale"), CASES)
def test_noise_follows_its_law(noise, scale):
    assert distance(empirical(add_noise([0] * DRAWS, noise, scale)), distribution(noise, scale)) <= THRESHOLD


@pytest.mark.parametrize(("noise", "scale"), CASES)
def test_the_test_would_notice_another_scale_or_another_law(noise, scale):
    """A law at twice the threshold is noticed with probability 1 - 1e-9."""
    law = distribution(noise, scale)
    other = "discrete_gaussian" if noise == "two_sided_geometric" else "two_sided_geometric"
    wrong = [distribution(noise, scale * factor) for factor in (Fraction(4, 5), Fraction(5, 4), scale)]
    wrong += [distribution(other, scale), [0.0, *law[:-1]]]
    assert all(distance(law, candidate) > 2 * THRESHOLD for candidate in wrong)


@pytest.mark.slow
def test_the_test_does_notice_another_scale():
    draws = empirical(add_noise([0] * DRAWS, "discrete_gaussian", Fraction(4)))
    assert distance(draws, distribution("discrete_gaussian", Fraction(5))) > THRESHOLD


@pytest.mark.parametrize("noise", WEIGHTS)
def test_noise_is_drawn_afresh_for_every_value_and_every_call(noise):
    first, second = (add_noise([10**15] * 100, noise, Fraction(1000)) for _ in range(2))
    # All equal, or twice the same: probability below 1e-300.
    assert len(set(first)) > 1
    assert first != second
    assert all(abs(value - 10**15) < 10**6 for value in first)


@pytest.mark.slow
def test_neighbouring_draws_do_not_go_together():
    """The products of neighbouring signs are independent and fair but for zeros: Hoeffding at 1e-9."""
    draws = add_noise([0] * DRAWS, "two_sided_geometric", Fraction(50))
    products = [((a > 0) - (a < 0)) * ((b > 0) - (b < 0)) for a, b in zip(draws[::2], draws[1::2], strict=True)]
    assert abs(sum(products)) <= sqrt(2 * len(products) * log(2 / FALSE_ALARM))


def test_single_draws_are_whole_numbers():
    assert type(two_sided_geometric(Fraction(3))) is int
    assert type(discrete_gaussian(Fraction(3))) is int
    assert add_noise([], "discrete_gaussian", Fraction(3)) == []


def test_a_tiny_scale_leaves_the_value_alone():
    # P(K != 0) is below 2 exp(-1000).
    assert add_noise([5, -7], "two_sided_geometric", Fraction(1, 1000)) == [5, -7]


@given(scale=st.fractions(min_value=Fraction(1, 10**9), max_value=2**40).filter(bool))
def test_the_scale_that_is_drawn_is_the_next_double(scale):
    drawn = representable(scale)
    assert scale <= drawn <= scale * (1 + Fraction(1, 2**52))
    assert Fraction(float(drawn)) == drawn
    assert representable(drawn) == drawn


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(2**41)])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(InputError, match="scale"):
        two_sided_geometric(scale)


def test_a_value_that_may_overflow_is_refused_without_being_shown():
    with pytest.raises(InputError) as caught:
        add_noise([2**62], "discrete_gaussian", Fraction(1))
    assert str(2**62) not in str(caught.value)
