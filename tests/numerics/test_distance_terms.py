"""Distances and quilts: bounds hold against exact arithmetic, far windows and tiny noise included."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.mechanisms.choice import likeliest_rate
from dalenius.mechanisms.selected import model_curve
from dalenius.mechanisms.wrong_models import Among, _Wrong, chernoff_curve
from dalenius.numerics.law import Law
from dalenius.numerics.quilts import Influences, Quilt, _worst
from dalenius.numerics.wasserstein import distance, exact_distance, smoothed


def exp(number):
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).exp())


def test_records_that_share_a_quilt_do_not_use_how_near_the_end_one_of_them_is():
    """Looking three records far, ends on both sides betray too much, and an end on one side helps only near an end."""
    moves, n = ((Fraction(9, 10), Fraction(1, 10)), (Fraction(2, 10), Fraction(8, 10))), 200
    table = Influences((Fraction(2, 3), Fraction(1, 3)), moves, n)
    table.extend(3)
    one = float(table.forth[2][~np.eye(2, dtype=bool)].max())
    epsilon = Fraction(1.5 * one)  # between the influence of one end and of two
    seed = Quilt(1, None, None, 1, 0.0, Fraction(1))
    assert _worst([table], epsilon, 3, seed).scale == n / epsilon


@pytest.mark.slow
def test_chernoff_bounds_weigh_the_person_and_what_is_known():
    """One record that decides alone; and known ones that speak for a model that is unlikely to be chosen."""
    alone = likeliest_rate(0.1, 0.9, weights=(0.6, 0.4))
    assert model_curve(alone, n=1).delta(Fraction(0)).lower > 0.99
    wrong = _Wrong([(1 - p, p) for p in alone.rates], alone.weights, Among(1))
    assert wrong.chance(1, 0, person=True) >= 1 > wrong.chance(1, 0, person=False)
    apart, half = likeliest_rate(0.05, 0.95), Fraction(1, 2)
    for known, others in ((4, 12), (6, 12), (6, 20)):
        n, seen = others + known + 1, (0, known)
        truth = model_curve(apart, n=n, known=known, seen=seen, least_prior=half).epsilon(Fraction(0))
        assert truth.lower <= chernoff_curve(apart, Among(n, known, seen, half)).pure


small_laws = st.tuples(st.integers(-3, 3), st.lists(st.sampled_from([0, 0, 1, 2, 4]), min_size=1, max_size=6)).filter(
    lambda law: sum(law[1]) > 0
)


@given(small_laws, small_laws)
def test_distances_where_windows_are_wider_than_the_mass(one, two):
    weights = [(start, [Fraction(w, sum(found)) for w in found]) for start, found in (one, two)]
    truth = exact_distance(*({start + i: w for i, w in enumerate(found)} for start, found in weights))
    laws = [Law(start, np.array(found, dtype=float), np.array(found, dtype=float) * 1e-15) for start, found in weights]
    low, high = distance(*laws)
    assert low <= truth <= high


def test_windows_that_begin_before_the_mass_ask_for_nothing():
    one, two = (Law(start, np.array(mass), np.zeros(4)) for start, mass in ((1, [0, 1.0, 0, 0]), (0, [0, 0, 1.0, 0])))
    assert distance(one, two) == distance(two, one) == (0, 0)


@pytest.mark.parametrize("rate", [200, 400, 700, 720, 740, 1000])
def test_noise_far_below_the_smallest_floats_is_bounded(rate):
    """A point at 0 in a window up to 3: e^(-k rate)."""
    laws = [Law(0, np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(4)), Law(3, np.array([1.0]), np.zeros(1))]
    least, most = smoothed(laws, scale=1 / rate)
    for k in range(4):
        with localcontext(Context(prec=30, Emin=-(10**6))):
            truth = Fraction(Decimal(-rate * k).exp())
        assert Fraction(float(least[0, k])) <= truth <= Fraction(float(most[0, k]))
    assert least[0, 0] > 0.99 and most[0, 0] < 1.01
