"""Chances, weights and ratios that are rounded on their way into the engine: to the safe side."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs.belief import Independent
from dalenius.beliefs.crowd import _float, yes_no
from dalenius.beliefs.interpreter import TiltedCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT
from dalenius.enclosure.outward import float_down
from dalenius.facts.statistics import Count
from dalenius.judge.definition import noiseless
from dalenius.judge.verification import verify
from dalenius.judge.witness import _Event
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.law import Law
from oracle import balls

F = Fraction


def test_a_weight_is_never_rounded_up() -> None:
    for part in range(1, 200):
        weight = F(part, 201)
        assert weight * (1 - F(1, 10**15)) <= F(float_down(weight)) <= weight
    assert float_down(F(1, 10**400)) == 0.0


def test_a_chance_is_never_rounded_to_certainty() -> None:
    tiny = F(1, 10**400)
    assert _float(tiny) > 0
    assert _float(1 - tiny) < 1
    assert (_float(F(0)), _float(F(1)), _float(F(1, 2))) == (0.0, 1.0, 0.5)
    turned = yes_no(1, 0, np.array([1e-300, 0.0, 1.0]))
    assert turned.rates.tolist() == [0.0, math.nextafter(1, 0), 1.0]


@pytest.mark.parametrize("rate", ["0.5", "0.75", "0.76", "0.99998", "0.9999999", "0.9999999999999999", "1.0", "0.3"])
def test_what_is_left_of_a_rate_near_one_is_that_of_the_rate_as_it_was_written(rate: str) -> None:
    """The count of those who are not: 1 - 0.99998 is twenty millionths, and not what the float leaves."""
    turned = yes_no(1, 0, np.array([float(rate)]))
    truth = 1 - F(rate)
    assert abs(F(float(turned.rates[0])) - truth) <= 2 * F(UNIT) * truth


def test_a_count_of_the_others_is_judged_as_the_rates_say() -> None:
    """Two beliefs that say the same: brackets of one number meet. (The float of 0.99998 is below it.)"""
    rare = {0: F(2, 10**5), 1: 1 - F(2, 10**5)}
    same = (Independent(rates=[0.99998] * 3000), Independent(groups=[(rare, 3000)]))
    others = Count(frozenset({0}))
    one, other = (verify(others, noiseless(belief), epsilon=1).delta for belief in same)
    assert one.lower <= other.upper
    assert other.lower <= one.upper


@dataclass
class Asked(Curve):
    """Remembers for which epsilon it was asked."""

    epsilons: list[Fraction] = field(default_factory=list)

    def delta(self, epsilon: Fraction) -> Bracket:
        self.epsilons.append(epsilon)
        return Bracket(0.0, 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_the_logarithm_of_a_ratio_is_rounded_up(seed: int) -> None:
    """Otherwise the inner curve would be asked for too large an epsilon."""
    ratio, inner = F(1000 + 37 * seed, 999), Asked()
    TiltedCurve(inner, ratio).delta(F(50))
    assert balls.upper(balls.exponential(50 - inner.epsilons[0])) >= ratio * (1 + F(1, 10**14))
    assert balls.lower(balls.exponential(50 - inner.epsilons[0])) >= ratio


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_below_the_ratio_is_rounded_up(seed: int) -> None:
    """Where the exponential is so small that an epsilon a little too large makes no difference."""
    ratio = F(10**6 + 7919 * seed)
    assert F(TiltedCurve(Constant(0.25), ratio).delta(F(0)).upper) >= 1 - F(3, 4) / ratio


def test_the_probability_of_an_event_counts_errors_tails_and_rounding() -> None:
    everything = _Event(0, None)
    lower, upper = everything.probability(Law(0, np.array([0.25, 0.25]), np.array([0.125, 0.0]), 0.0625))
    assert lower <= 0.375
    assert upper >= 0.6875
    small = 0.999 * 2.0**-53
    for masses in ([1.0] * 8 + [small] * 112, [0.3 / 7] * 23):
        mass = np.array(masses) / 16
        exact = sum(map(F, mass.tolist()))
        lower, upper = everything.probability(Law(0, mass, np.zeros(len(mass))))
        assert F(lower) <= exact <= F(upper)
        grown = np.array([1.0] * 8 + [3.001 * 2.0**-53] * 112) / 16
        assert F(everything.probability(Law(0, grown, np.zeros(120)))[0]) <= sum(map(F, grown.tolist()))
