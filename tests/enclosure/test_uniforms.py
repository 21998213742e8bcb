"""Sums of uniform numbers: their tails are enclosed, and a wrong step is found."""

import math
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from flint import acb, arb

from amount import repetitions
from dalenius.enclosure import uniforms
from dalenius.enclosure.outward import exp_up
from enclosure.arrays import RNG, precise

COUNT = repetitions(6, 60)
F = Fraction


def tail(count: int, place: Fraction) -> Fraction:
    """P(X > place), by the alternating sum in fractions."""
    x = place + F(count, 2)
    below = sum(((-1) ** k * comb(count, k) * (x - k) ** count for k in range(math.floor(x) + 1)), F(0))
    return 1 - below / factorial(count)


@precise
def log(number: Fraction) -> arb:
    return (arb(number.numerator) / number.denominator).log()


@precise
def tails_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        count = int(rng.integers(256, 270))
        place = int(rng.integers(1, 7 * count)) / 16
        found = uniforms.tails(count, place)
        truth = log(tail(count, F(place)))
        if not bool(abs(truth - arb(found.survival)) <= arb(found.survival_error)):
            return False
        density = log(tail(count - 1, F(place) - F(1, 2)) - tail(count - 1, F(place) + F(1, 2)))
        if not bool(abs(density - arb(found.density)) <= arb(found.density_error)):
            return False
        other, error = uniforms.survival(count, -place)
        if not bool(abs(log(1 - tail(count, F(place))) - arb(other)) <= arb(error)):
            return False
        if not bool(truth.exp() <= arb(exp_up(uniforms.up_of((found.survival, found.survival_error))))):
            return False
    return True


def test_densities_and_tails_are_enclosed() -> None:
    assert tails_are_enclosed(91)


def test_a_cumulant_that_is_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = uniforms._by_logarithms
    monkeypatch.setattr(uniforms, "_by_logarithms", lambda *of: (right(*of)[0] * (1 + 1e-9), right(*of)[1]))
    assert not tails_are_enclosed(91)


@precise
def cumulants_are_enclosed(seed: int) -> bool:
    """Of up to 10^12 numbers, whose logarithms nearly cancel, by the series and by functions."""
    rng = RNG(seed)
    for _ in range(20 * COUNT):
        count, theta = int(10.0 ** rng.uniform(2, 12)), float(10.0 ** rng.uniform(-6, -0.2))
        t = np.append(0.0, rng.uniform(0, math.sqrt(1 - theta * theta), 5))
        level = acb(theta)
        base = ((level / 2).sinh() / (level / 2)).log()
        whole, error = uniforms.cumulant(count, theta)
        if not bool(abs(count * base.real - arb(whole)) <= arb(error)):
            return False
        for found, errors in (uniforms._near(count, theta, t), uniforms._by_logarithms(count, theta, t)):
            for value, off, frequency in zip(found.tolist(), errors.tolist(), t.tolist(), strict=True):
                z = acb(theta, frequency)
                truth = count * (((z / 2).sinh() / (z / 2)).log() - base)
                gap = truth - acb(value.real, value.imag)
                turns = round(float(gap.imag.mid()) / (2 * math.pi))
                if not bool(abs(gap - acb(0, 2) * arb.pi() * turns) <= arb(off) + arb(1e-320)):
                    return False
    return True


def test_cumulants_of_very_many_numbers_are_enclosed() -> None:
    assert cumulants_are_enclosed(93)


@pytest.mark.parametrize("name", ["OMITTED", "UNIT"])
def test_a_series_that_is_thought_to_be_exact_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniforms, "UNIT", 0.0)
    monkeypatch.setattr(uniforms, name, 0.0)
    assert not cumulants_are_enclosed(93)


@precise
def test_differences_and_multiples_of_logarithms_are_enclosed() -> None:
    rng = RNG(92)
    for _ in range(20 * COUNT):
        one, two = ((float(rng.uniform(-700, 0)), float(rng.choice([0.0, 1e-9, 1.0]))) for _ in range(2))
        epsilon = F(int(rng.integers(0, 10**6)), 10**5)
        low, high = uniforms.log_ratio(one, two, epsilon)
        rate = arb(epsilon.numerator) / epsilon.denominator
        for way in (-1, 1):
            truth = rate + arb(one[0]) + way * arb(one[1]) - (arb(two[0]) - way * arb(two[1]))
            assert bool(arb(low) <= truth <= arb(high))
        gap = float(rng.choice([-1.0, 1.0])) * float(10.0 ** rng.uniform(-18, 2))
        least, most = uniforms.scaled(two, gap, -1), uniforms.scaled(two, gap, 1)
        for way in (-1, 0, 1):
            truth = (arb(two[0]) + way * arb(two[1])).exp() * arb(gap).expm1()
            assert bool(arb(least) <= truth) and (most == math.inf or bool(truth <= arb(most)))
    assert uniforms.tails(300, 150.0).survival == -math.inf
    assert not np.isnan(uniforms.scaled((-1.0, 0.0), 701.0, 1))
