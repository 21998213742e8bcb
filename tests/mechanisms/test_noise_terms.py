"""Noise far from where any mass is, and the noise by itself: what is rounded there is charged too."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.enclosure.floats import LIBM
from dalenius.mechanisms import DiscreteGaussian, TwoSidedGeometric, channel
from dalenius.mechanisms.channel import RationalGeometric
from dalenius.numerics.law import Law
from numerics.checks import assert_covers_balls
from numerics.test_last_units import off_by
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


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_what_the_exponential_errs_is_charged_for_every_step(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "math", off_by(way, exp=math.exp))
    law, ratio = TwoSidedGeometric(F(5)).push(alone(2500)), balls.exponential(F(-1, 5))
    peak = (1 - ratio) / (1 + ratio)
    for k in range(0, 2500, 7):
        at = k - law.start
        truth, error = peak * ratio**k, F(law.error[at].item())
        assert F(law.mass[at].item()) - error <= balls.lower(truth)
        assert balls.upper(truth) <= F(law.mass[at].item()) + error


@pytest.mark.slow
@balls.precise
def test_an_error_that_is_passed_on_far_is_not_rounded_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two million steps, on each of which the exponential errs by as much as it may."""
    monkeypatch.setattr(channel, "math", off_by(-LIBM, exp=math.exp))
    law = TwoSidedGeometric(F(20_000)).push(Law(0, np.zeros(1), np.full(1, 2.0**-10)))
    ratio = balls.exponential(F(-1, 20_000))
    for k in (10, 1_000_000, law.stop - 1):
        truth = (1 - ratio) / (1 + ratio) * ratio**k / 2**10
        assert balls.upper(truth) <= F(law.error[k - law.start].item())


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
