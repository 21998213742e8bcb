"""Errors and tails of laws reach what is said about samples, chains and published numbers."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.beliefs import markov, sample_sizes
from dalenius.beliefs.coins import CoinsCurve
from dalenius.beliefs.sample_sizes import Discarding
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.statistics import Count
from dalenius.mechanisms.channel import NOISE_TAIL, discrete_gaussian
from dalenius.mechanisms.earned import Kernel, Told, ToldLaw, Window
from dalenius.mechanisms.randomized_response import _mass
from dalenius.mechanisms.repeated import CentredGaussian
from dalenius.numerics.law import Law
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from oracle import balls

F = Fraction
LAW = Law(3, np.array([0.5, 0.25, 0.125]), np.array([0.05, 0.05, 0.01]), 0.0625)


@pytest.mark.parametrize("by", [-1, 0, 1])
def test_the_number_of_others_is_bounded_with_its_errors_and_its_tail(by: int) -> None:
    """Beyond the window there is at most the tail."""
    low, high = sample_sizes._bounds(LAW, by)
    mass, error = np.pad(LAW.mass, 1)[1 + by : 4 + by], np.pad(LAW.error, 1, constant_values=LAW.tail)[1 + by : 4 + by]
    assert low.tolist() == pytest.approx(np.maximum(mass - error, 0.0).tolist())
    assert high.tolist() == pytest.approx((mass + error).tolist())


def test_the_chance_that_nothing_is_discarded_has_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Discarding, "sizes", LAW)
    found = Discarding(10, F(1), F(1, 100)).untouched
    assert found.lower <= 0.125 - 0.01
    assert found.upper >= 0.125 + 0.01


def test_the_number_that_is_discarded_has_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Discarding, "sizes", LAW)
    found = Discarding(10, F(1), F(1, 100)).expected
    value, slip = 0.5 * 7 + 0.25 * 6 + 0.125 * 5, 0.05 * 7 + 0.05 * 6 + 0.01 * 5
    assert found.lower <= value - slip
    assert found.upper >= value + slip


def test_sizes_beyond_the_window_make_the_others_unsure() -> None:
    """Divided by what is in the window, or by that and the tail."""
    found = sample_sizes.others_in_sample(Law(1, np.array([0.5, 0.375]), np.zeros(2), 0.125), person=1)
    assert found.error[0] >= 0.5 / 0.875 - 0.5
    assert found.tail >= 0.125


def test_what_a_chain_publishes_keeps_its_errors() -> None:
    channel: Any = SimpleNamespace(exact=False, push=lambda law: law)
    found = markov._published(LAW, 100, 2, channel)
    assert (found.start, found.mass[::2].tolist(), found.error[::2].tolist()) == (106, [0.5, 0.25, 0.125], [*LAW.error])
    assert found.tail == LAW.tail


def test_the_chance_of_a_noisy_count_has_an_error() -> None:
    law = ToldLaw(4, Bracket(0.0, 0.0), LAW)
    found = law.chance(Told(4, exactly=False))
    assert F(found.lower) <= F(0.25) - F(0.05)
    assert F(found.upper) >= F(0.25) + F(0.05)
    assert law.chance(Told(9, exactly=False)).upper >= LAW.tail
    thin = ToldLaw(0, Bracket(0.0, 0.0), Law(0, np.ones(1), np.full(1, 2.0**-60)))
    assert F(thin.chance(Told(0, exactly=False)).upper) >= 1 + F(1, 2**60)


@balls.precise
def spare(left: int, right: int, scale: Fraction) -> tuple[Fraction, Fraction]:
    truth = (1 - balls.exponential(-left / scale)) * (1 - balls.exponential(-right / scale))
    return balls.lower(truth), balls.upper(truth)


@pytest.mark.parametrize("scale", [F(1), F(7, 3), F(5), F(40, 7)])
def test_the_chance_that_a_count_is_exact_holds_the_truth(scale: Fraction) -> None:
    here: Any = SimpleNamespace(window=Window(0, 39), scale=scale)
    for count in range(40):
        found = Kernel.exactly(here, count)
        least, most = spare(count + 1, 40 - count, scale)
        assert F(found.lower) <= most
        assert least <= F(found.upper)
        assert found.width <= 1e-14


def test_noise_that_was_cut_is_a_slack_of_what_is_published() -> None:
    coins = Finite.product([{0: F(1, 2), 1: F(1, 2)}] * 2)
    assert FiniteMechanism.of(Count() >> discrete_gaussian(2), coins).slack >= 2 * NOISE_TAIL


def test_a_range_of_counts_has_the_errors_of_its_masses_and_the_tail() -> None:
    assert F(_mass(LAW, 3, 4)) >= F(0.5) + F(0.25) + 2 * F(0.05) + F(LAW.tail)
    thin = Law(0, np.full(1, 2.0**-60), np.zeros(1), 0.5)
    assert F(_mass(thin, 0, 0)) >= F(1, 2) + F(1, 2**60)


def test_a_number_of_coins_has_the_errors_of_its_masses_and_the_tail() -> None:
    """A mass too small to be added to the tail, or an error too small to be added to the mass, and δ = 1."""
    coins: Any = SimpleNamespace(most=lambda *_: 1.0)
    for law in (Law(0, np.full(1, 2.0**-60), np.zeros(1), 0.5), Law(0, np.full(1, 0.5), np.full(1, 2.0**-60))):
        assert F(CoinsCurve(law, 0.5, coins).delta(F(1)).upper) >= F(1, 2) + F(1, 2**60)


@pytest.mark.parametrize("centre", [F(0), F(1, 2), F(3, 10)])
def test_noise_off_its_centre_tells_what_is_cut_off(centre: Fraction) -> None:
    law = CentredGaussian(F(4), centre).noise()
    first = math.exp(-((law.stop - float(centre)) ** 2) / 8)
    assert law.tail >= first / (math.sqrt(8 * math.pi) + 1)
