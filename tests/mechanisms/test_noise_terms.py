"""Noise far from where any mass is, and the noise by itself: what is rounded there is charged too."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.mechanisms import DiscreteGaussian, TwoSidedGeometric
from dalenius.mechanisms.channel import RationalGeometric
from dalenius.numerics.law import Law
from numerics.checks import assert_covers_balls
from oracle import balls, noise

F = Fraction


def alone(zeros: int) -> Law:
    """All mass on zero, in a window that goes on."""
    return Law(0, np.array([1.0, *[0.0] * zeros]), np.zeros(zeros + 1))


@pytest.mark.parametrize("ratio", ["1/3", "3/5", "5/7"])
def test_every_step_of_the_recursion_is_charged_however_long_the_window(ratio: str) -> None:
    x = F(ratio)
    more = int(92.2 / float(-np.log(float(x)))) + 2
    law = RationalGeometric(x).push(alone(6 * more))
    peak = (1 - x) / (1 + x)
    for k in range(0, 6 * more, 7):
        at = k - law.start
        assert abs(F(law.mass[at].item()) - peak * x**k) <= F(law.error[at].item())


def test_noise_that_vanishes_in_floats_is_still_there() -> None:
    law = TwoSidedGeometric(F(1, 300)).push(alone(6))
    truth = balls.lower(balls.exponential(F(-1500)))
    assert 0 < truth / 2 <= F(law.mass[5 - law.start].item()) + F(law.error[5 - law.start].item())


@pytest.mark.parametrize("scale", ["1/3", "0.7", "2", "11/3"])
def test_gaussian_noise_by_itself_is_within_its_errors(scale: str) -> None:
    exact = noise.discrete_gaussian(F(scale) ** 2)
    start = min(exact.masses)
    law = DiscreteGaussian(F(scale)).noise()
    assert_covers_balls(law, start, [exact.masses[k] for k in range(start, max(exact.masses) + 1)])


@pytest.mark.parametrize("ratio", ["1/2", "2/3", "1/3", "6/7", "10/11", "999/1000"])
def test_rational_noise_is_pure_from_an_epsilon_that_is_not_rounded_down(ratio: str) -> None:
    for shift in (1, 3, 7):
        pure = RationalGeometric(F(ratio)).pure(shift)
        assert pure is not None
        assert balls.lower(balls.exponential(pure)) >= (1 / F(ratio)) ** shift
