"""Sums of many uniform numbers, against untilted integrals in ball arithmetic and exact alternating sums."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, factorial

import numpy as np
import pytest
from flint import acb, arb, ctx

from amount import repetitions
from dalenius.beliefs.uniform_part import simulated_sum
from dalenius.enclosure import uniforms
from dalenius.enclosure.uniforms import SERIES
from dalenius.numerics import uniform_tails
from dalenius.numerics.irwin_hall import UniformSum

F = Fraction


def wave(count: int, beyond: Callable[[acb], acb], bits: int) -> arb:
    """(1/π) ∫ (sin(t/2) / (t/2))^count beyond(t) dt over [0, 3]; what is left out is below (2/3)^count."""
    ctx.prec = bits

    def integrand(t: acb, _: bool) -> acb:
        return acb.sinc(t / 2) ** count * beyond(t)

    width = 2 / math.sqrt(count / 12)
    edges = [min(3.0, k * width) for k in range(40) if (k - 1) * width < 3]
    whole = sum((acb.integral(integrand, acb(a), acb(b)) for a, b in pairwise(edges)), acb(0))
    return whole.real / arb.pi()


def exact(number: Fraction) -> acb:
    return acb(arb(number.numerator) / number.denominator)


def survival(count: int, place: Fraction, bits: int) -> arb:
    """P(X > v) = 1/2 - (1/π) ∫ φ(t) sin(tv)/t dt."""
    ctx.prec = bits
    v = exact(place)
    return arb(1) / 2 - wave(count, lambda t: acb.sinc(t * v) * v, bits)


def density(count: int, place: Fraction, bits: int) -> arb:
    ctx.prec = bits
    v = exact(place)
    return wave(count, lambda t: (t * v).cos(), bits)


def truth(count: int, shift: Fraction, epsilon: Fraction, bits: int) -> arb:
    """The largest G(v - h) - e^ε G(v): where the densities' logarithms differ by ε, by Newton's steps."""
    ctx.prec = bits
    rate, slope = exact(epsilon).real, float(12 * shift / count)
    at = F(count * epsilon / 12 / shift)
    for _ in range(4):
        gap = density(count, abs(at - shift), bits).log() - density(count, at, bits).log() - rate
        at = F(at - F(float(gap) / slope)).limit_denominator(2**40)
    return survival(count, at - shift, bits) - rate.exp() * survival(count, at, bits)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "epsilon", "bits"),
    [(100_000, "1/10", 400), (1_000_000, "1/100", 160), (5_000, "1/2", 400)][: repetitions(2, 3)],
)
def test_many_uniform_numbers_against_an_untilted_integral(count: int, epsilon: str, bits: int) -> None:
    """3.3e-78 of a hundred thousand, 1.1e-12 of a million, and their brackets are narrow."""
    exactly = truth(count, F(1, 2), F(epsilon), bits)
    bracket = UniformSum(count, F(1, 2)).delta(F(epsilon))
    assert arb(bracket.lower) <= exactly
    assert exactly <= arb(bracket.upper)
    assert bracket.upper - bracket.lower <= 1e-7 * bracket.upper


def test_a_sum_of_a_million_with_a_uniform_part_comes_quickly() -> None:
    assert simulated_sum(100_001, density="1/2").delta(F(1, 10)).upper == pytest.approx(3.3478e-78, rel=1e-4, abs=0)
    assert simulated_sum(1_000_001, density="1/2").delta(F(1, 100)).upper == pytest.approx(1.1091e-12, rel=1e-4)
    mixed = simulated_sum(10_000, density="1/4", known=2_000, close=1e-2).delta(F(1, 10))
    assert mixed.upper <= mixed.lower * 1.011


def tail(count: int, place: Fraction) -> Fraction:
    """P(X > place), by the alternating sum in fractions."""
    x = place + F(count, 2)
    if x <= 0 or x >= count:
        return F(int(x <= 0))
    below = sum(((-1) ** k * comb(count, k) * (x - k) ** count for k in range(math.floor(x) + 1)), F(0))
    return 1 - below / factorial(count)


@pytest.mark.parametrize("place", ["0", "1/4", "2", "10", "40", "100", "115"])
def test_logarithms_of_density_and_tail_are_within_their_errors(place: str) -> None:
    count, at = 256, F(place)
    tails = uniforms.tails(count, float(at))
    exactly = tail(count, at)
    assert abs(_log(exactly) - tails.survival) <= tails.survival_error + 1e-15 * abs(tails.survival)
    assert tails.survival_error <= 1e-8
    # the density of 257 numbers at x is the difference of two tails of 256
    more = uniforms.tails(count + 1, float(at))
    between = tail(count, at - F(1, 2)) - tail(count, at + F(1, 2))
    assert abs(_log(between) - more.density) <= more.density_error + 1e-15 * abs(more.density)


def _log(number: Fraction) -> float:
    ctx.prec = 200
    return float((arb(number.numerator) / number.denominator).log())


@pytest.mark.slow
@pytest.mark.parametrize("shift", ["1/2", "3", "50", "1/1000"])
@pytest.mark.parametrize("epsilon", ["0", "1/100", "1", "5"])
def test_no_half_line_is_worse_and_one_is_nearly_as_bad(shift: str, epsilon: str) -> None:
    count, h, e = 256, F(shift), F(epsilon)
    bracket = UniformSum(count, h).delta(e)
    ctx.prec = 200
    rate = exact(e).real.exp()
    near = F(uniform_tails._turning(count, float(h), 124.0, float(e)))
    for place in (near, *(F(k, 4) for k in range(0, 512, repetitions(32, 1)))):
        ahead, behind = tail(count, place - h), tail(count, place)
        height = arb(ahead.numerator) / ahead.denominator - rate * (arb(behind.numerator) / behind.denominator)
        assert height <= arb(bracket.upper)
        if place == near:
            assert arb(bracket.lower) <= height * (1 + arb(1e-6)) + arb(1e-290)
    assert bracket.width <= 1e-5 * bracket.upper + 1e-290


def test_the_series_of_the_cumulant_has_the_numbers_of_bernoulli() -> None:
    numbers = [F(1)]
    for n in range(1, 2 * len(SERIES) + 1):
        numbers.append(-sum((comb(n + 1, k) * numbers[k] for k in range(n)), F(0)) / (n + 1))
    for j, term in enumerate(SERIES, 1):
        assert term == numbers[2 * j] / (2 * j * factorial(2 * j))


def test_both_ways_to_the_cumulant_agree_where_they_meet() -> None:
    t = np.linspace(0, 0.6, 7)
    for theta in (0.05, 0.7):
        near, error = uniforms._near(1_000, theta, t)
        far, far_error = uniforms._by_logarithms(1_000, theta, t)
        gap = np.exp(near - far) - 1  # whole turns do not count
        assert (np.abs(gap) <= 1.1 * (error + far_error) + 1e-13).all()


@pytest.mark.parametrize(("count", "shift", "epsilon"), [(256, "255", "10"), (400, "100", "10"), (300, "1/2", "1000")])
def test_the_ends_of_the_range_are_safe(count: int, shift: str, epsilon: str) -> None:
    bracket = UniformSum(count, F(shift)).delta(F(epsilon))
    assert 0 <= bracket.lower <= bracket.upper <= 1
    if F(shift) > 1:
        assert bracket.lower > 0.99
    else:
        assert bracket.upper <= 1e-299


def test_frequencies_and_folding_that_are_left_out_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few frequencies, or with much folding, the errors grow and still hold the truth."""
    exactly = _log(tail(256, F(30)))
    for name in ("FOLDED", "DAMPED"):
        with monkeypatch.context() as few:
            few.setattr(uniforms, "WINDOW", 1.0)
            few.setattr(uniforms, name, 2.0)
            tails = uniforms.tails(256, 30.0)
        assert 1e-3 < tails.survival_error < 9
        assert abs(tails.survival - exactly) <= tails.survival_error
