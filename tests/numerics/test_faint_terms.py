"""Ends of brackets where a term is faint: a factor near the largest float, products that floats cannot hold; against
exact fractions and ball arithmetic.
"""

from fractions import Fraction

import numpy as np
from flint import arb, ctx, fmpq

from dalenius.beliefs.joint import JointLaw
from dalenius.beliefs.sample_sizes import Discarding
from dalenius.judge.earned import EarnedCurve
from dalenius.judge.local_noise import clamped_noise, shifted_noise
from dalenius.judge.order import OrderCurve, _Tails
from dalenius.mechanisms.earned import Kernel, Window
from dalenius.mechanisms.selected import _mixed
from dalenius.numerics.law import Law
from dalenius.tables.jointly_rounded import _told


def test_a_factor_near_the_largest_float_is_not_taken_to_be_smaller():
    """e^700 times the other world's mass is more than this one's, so that no count tells anything."""
    law = Law(2, np.array([3e-304, 1e-3, 3e-304]), np.zeros(3))
    assert EarnedCurve(law, Kernel(8, Window(3, 3), Fraction(1, 1000)), 0).delta(Fraction(700)).lower == 0.0


def test_nor_in_an_order():
    """The same of the value at a place."""
    # P(T = 0) is 1e-3 given the value 0 and 3e-304 given the value 1; P(T = 1) is the rest
    reached = np.array([[0.0, 0.0], [3e-304, 1e-3], [1.0, 1.0]])
    missed = np.where(reached > 0, np.nextafter(1 - reached, 0), 1.0), 1 - reached
    tails = _Tails((reached, reached), missed, 0)
    assert OrderCurve(tails, (True, True))._known_at(Fraction(700), 0) == 0.0


def test_a_faint_share_left_out_counts_as_often_as_the_factor_says():
    law = JointLaw((0,), np.ones((1,)), 0.0, 1e-302)
    assert _told(law, (1,), (0,), ((0,), (0,)), Fraction(700)) == 1.0


def test_a_product_that_floats_cannot_hold_is_not_impossible():
    parts = [(np.zeros((1, 2, 2)), np.full((1, 2, 2), 1e-200)), (np.full((1, 2, 2), 1e-324 * 3),) * 2]
    worlds = _mixed(parts, np.full((1, 2), 0.4), np.array([[1e-200, 0.4]]))
    assert (worlds.most > 0.0).all()
    least = np.full((1, 2, 2), 5e-324)
    few = _mixed([(least, least)] * 5, np.full((1, 5), 0.6), np.full((1, 5), 0.6)).least
    assert Fraction(float(few.max())) <= 3 * Fraction(5e-324)


def test_chances_of_local_noise_below_the_normal_numbers():
    ctx.prec = 200
    for scale in (Fraction(1, 742), Fraction(1, 744), Fraction(1, 50), Fraction(3, 7), Fraction(10**6, 3)):
        low, high = clamped_noise(scale, 5)
        x = (-1 / arb(fmpq(scale.numerator, scale.denominator))).exp()
        for one in range(5):
            for two in range(5):
                true = x ** abs(one - two) / (1 + x) * (1 if two in (0, 4) else 1 - x)
                assert arb(float(low[one, two])) <= true <= arb(float(high[one, two]))


def test_local_noise_moved_is_certified():
    ctx.prec = 200
    for scale, far, epsilon in ((Fraction(7, 3), 4, Fraction(1, 5)), (Fraction(1, 9), 2, Fraction(17, 2))):
        x = (-1 / arb(fmpq(scale.numerator, scale.denominator))).exp()
        factor = arb(fmpq(epsilon.numerator, epsilon.denominator)).exp()
        gains = [x ** abs(k) - factor * x ** abs(k - far) for k in range(-200, 201)]
        true = sum((gain for gain in gains if gain > 0), arb(0)) * (1 - x) / (1 + x)
        assert true <= arb(shifted_noise(scale, far, epsilon)) <= true * (1 + arb(1e-13)) + arb(1e-15)


def test_nothing_discarded_is_bracketed_to_the_last_unit():
    for records in range(20, 60):
        scheme = Discarding(records, Fraction(records, 37), Fraction(1, 1000))
        mass, error = (Fraction(float(part[-1])) for part in (scheme.sizes.mass, scheme.sizes.error))
        found = scheme.untouched
        assert Fraction(found.lower) <= mass - error
        assert Fraction(found.upper) >= mass + error
