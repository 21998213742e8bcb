"""Normal noise rounded to whole numbers: its law in balls, what is drawn instead, and sums that are pushed by it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.data.sampler import add_noise
from dalenius.data.sampler import rounded_gaussian as draw
from dalenius.enclosure.normal import WIDE
from dalenius.mechanisms import Chain, DiscreteGaussian, Exact, Rounded, RoundedGaussian, rounded_gaussian
from dalenius.numerics.gaussian import fineness, rounded_normal, rounding_gap
from dalenius.numerics.law import Law, law_of
from numerics.checks import assert_covers_balls
from oracle import balls
from oracle.balls import ball, precise

F = Fraction


@precise
def cell(m: int, scale: Fraction) -> arb:
    """P(m - 1/2 < scale N < m + 1/2)."""
    low, high = (ball(F(2 * m + side, 2) / scale) / arb(2).sqrt() for side in (-1, 1))
    return (low.erfc() - high.erfc()) / 2


@pytest.mark.parametrize("scale", ["1/10", "0.35", "0.7", "1", "22/7", "40", "511"])
def test_the_law_is_within_its_errors_and_they_are_relative(scale: str) -> None:
    law = rounded_normal(F(scale))
    step = max(1, len(law.mass) // 60)
    for m in range(law.start, law.stop, step):
        at = m - law.start
        assert_covers_balls(Law(m, law.mass[at : at + 1].copy(), law.error[at : at + 1].copy()), m, [cell(m, F(scale))])
    assert (law.error <= 1e-10 * law.mass + 1e-290).all()
    assert law.tail < 1e-38


@pytest.mark.parametrize("scale", [WIDE + 1, 2000, 30_000])
def test_wide_noise_is_expanded_around_the_middle_of_each_cell(scale: int) -> None:
    law = rounded_normal(F(scale))
    for m in np.linspace(0, law.stop - 1, 40).astype(int).tolist():
        at = m - law.start
        assert_covers_balls(Law(m, law.mass[at : at + 1].copy(), law.error[at : at + 1].copy()), m, [cell(m, F(scale))])
    assert (law.error <= 1e-9 * law.mass + 1e-290).all()


@precise
def outside(law: Law, scale: Fraction) -> arb:
    return (ball(F(2 * law.stop - 1, 2) / scale) / arb(2).sqrt()).erfc()


@pytest.mark.parametrize("scale", ["0.1", "0.7", "30"])
def test_the_tail_covers_what_is_beyond_the_window(scale: str) -> None:
    law = rounded_normal(F(scale))
    assert law.start == 1 - law.stop
    assert balls.upper(outside(law, F(scale))) <= F(law.tail)


@pytest.mark.parametrize("steps", [3, 5, 11])
@pytest.mark.parametrize("scale", [0.3, 0.7, 2.0])
def test_a_discrete_gaussian_on_finer_steps_is_as_near_as_stated(steps: int, scale: float) -> None:
    fine = np.arange(-steps * 40, steps * 40 + 1)
    weights = np.exp(-(((fine / steps) / scale) ** 2) / 2)
    drawn = np.bincount((fine + steps // 2) // steps + 40, weights=weights / weights.sum(), minlength=81)
    meant = np.array([float(cell(m, F(scale)).mid()) for m in range(-40, 41)])
    gap = float(np.abs(drawn - meant).sum()) / 2
    assert gap <= rounding_gap(F(scale), steps)
    if steps * scale > 1:
        assert rounding_gap(F(scale), steps) <= 40 * gap  # and not by much more


@pytest.mark.parametrize("scale", ["1/1024", "0.5", "1", "7", "4096", "4097", "1e9", "1099511627776"])
def test_steps_are_odd_and_fine_and_noise_stays_within_64_bits(scale: str) -> None:
    steps = fineness(F(scale))
    assert steps % 2 == 1
    assert 2**30 <= steps * F(scale) <= 2**53
    assert rounding_gap(F(scale), steps) < 1e-18
    if F(scale) <= 4096:
        assert steps > 2**40


def test_what_is_drawn_has_the_law() -> None:
    """Chi-square over the five middle values: a false alarm once in 10^8 runs."""
    count, law = 3000, rounded_normal(F(7, 10))
    draws = np.array(add_noise([5] * count, "rounded_gaussian", F(7, 10))) - 5
    expected = np.array([count * law.mass[m - law.start] for m in range(-2, 3)])
    found = np.array([(draws == m).sum() for m in range(-2, 3)])
    assert ((found - expected) ** 2 / expected).sum() < 45
    assert abs(np.mean([draw(F(10**6)) for _ in range(100)])) < 6 * 10**6 / math.sqrt(100)


def test_the_channel_adds_its_law() -> None:
    law = law_of({0: F(1, 2), 3: F(1, 2)})
    pushed = rounded_gaussian("0.7").push(law)
    for m in range(-2, 6):
        truth = float(cell(m, F(7, 10)).mid()) / 2 + float(cell(m - 3, F(7, 10)).mid()) / 2
        assert pushed.mass[m - pushed.start] == pytest.approx(truth, rel=1e-12)
    assert rounded_gaussian(2).period == 0
    assert rounded_gaussian(2).random
    assert str(rounded_gaussian("0.7")) == "plus rounded normal noise of scale 0.7"


def test_alone_it_is_as_private_as_normal_noise() -> None:
    """Rounding is post-processing: a shift by 1 at scale 8.0577 has delta 1e-6 at epsilon 1/2."""
    found = dl.verify(dl.Count() >> rounded_gaussian("8.05762"), dl.differential_privacy(), epsilon=0.5).delta
    assert 0.96e-6 < found.lower <= found.upper < 1e-6


def test_only_noise_that_comes_first_is_normal() -> None:
    noise = RoundedGaussian(F(7, 10))
    assert Chain((noise, Rounded(5))).normal() == noise.normal()
    for other in (Chain(()), Chain((Rounded(5), noise)), DiscreteGaussian(F(1)), Exact()):
        assert other.normal() is None


@pytest.mark.parametrize("scale", [0, "1/2000", 2**41])
def test_scales_that_cannot_be_drawn_are_refused(scale: int | str) -> None:
    with pytest.raises(InputError, match="from 2\\^-10 to 2\\^40"):
        rounded_gaussian(scale)


def test_the_law_of_very_wide_noise_is_not_listed() -> None:
    with pytest.raises(InputError, match="coarser unit"):
        rounded_gaussian(2**21).push(law_of({0: F(1)}))
