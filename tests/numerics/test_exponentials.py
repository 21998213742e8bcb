"""Signs of sums of exponentials are decided, not computed; curves in closed form hold the truth."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import CombinationError, InputError
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Constant
from dalenius.numerics.exponentials import logarithm, sign, value
from dalenius.numerics.least import first_true, last_true
from dalenius.numerics.pure import GeometricCurve, LaplaceCurve, PureCurve, ResponseCurve
from oracle import balls
from oracle.balls import ball, precise

F = Fraction
numbers = st.fractions(F(-5), F(5), max_denominator=60)
levels = st.fractions(F(0), F(5), max_denominator=100)


@precise
def total(terms):
    return sum((ball(c) * ball(x).exp() for c, x in terms), ball(0))


@pytest.mark.slow
@settings(max_examples=40)
@given(terms=st.lists(st.tuples(numbers, numbers), max_size=4))
def test_signs_and_values_are_those_of_balls(terms):
    truth, found = total(terms), sign(terms)
    if truth > 0 or truth < 0:
        assert found == (1 if truth > 0 else -1)
    low, high = value(terms)
    assert low <= balls.upper(truth) and balls.lower(truth) <= high
    assert high - low <= F(1, 10**30) * (1 + sum(abs(c) * 149 for c, _ in terms))


@settings(max_examples=20)
@given(coefficient=numbers, exponent=numbers)
def test_what_cancels_is_zero(coefficient, exponent):
    assert sign([(coefficient, exponent), (-coefficient, exponent)]) == 0
    assert sign([(coefficient, 0), (-coefficient, 0), (1, exponent)]) == 1


@pytest.mark.parametrize("digits", [20, 45, 90, 200])
def test_close_calls_are_decided(digits):
    """E to so many digits, cut and rounded up."""
    cut = F(math.floor(euler(digits + 20) * 10**digits), 10**digits)
    assert sign([(1, 1), (-cut, 0)]) == 1
    assert sign([(1, 1), (-cut - F(1, 10**digits), 0)]) == -1


def euler(digits):
    return sum(F(1, math.factorial(k)) for k in range(60 + digits))


@settings(max_examples=40)
@given(number=st.fractions(F(1, 10**6), F(10**6)))
def test_logarithms_hold_the_truth(number):
    found = logarithm(number, number)

    @precise
    def truth():
        return ball(number).log()

    assert F(found.lower) <= balls.upper(truth()) and balls.lower(truth()) <= F(found.upper)
    assert found.width <= 6e-16 * abs(found.upper) + 3e-38


def test_logarithms_near_zero():
    for tiny in (F(3, 10**40), F(1, 10**39), F(1, 10**50)):
        for number in (1 + tiny, 1 - tiny):
            found = logarithm(number, number)
            assert F(found.lower) <= (number - 1) and number - 1 - tiny**2 <= F(found.upper)
            assert found.width < 1e-37


@settings(max_examples=20)
@given(edge=st.integers(-3, 14))
def test_the_place_where_a_predicate_turns(edge):
    assert first_true(lambda at: at >= edge, 0, 10) == min(max(edge, 0), 11)
    assert last_true(lambda at: at <= edge, 0, 10) == max(min(edge, 10), -1)


# -- curves ------------------------------------------------------------------------------------------------------------


@precise
def hockey_stick_of_geometric(shift, scale, epsilon):
    """By summing: masses of the noise on a window that leaves out less than the tolerance, and the tails in closed
    form where the ratio does not change.
    """
    x = (-1 / ball(scale)).exp()
    c, steep = (1 - x) / (1 + x), ball(epsilon).exp()
    inside = ball(0)
    for k in range(shift + 1):
        term = c * x**k - steep * c * x ** (shift - k)
        inside += term if term > 0 else ball(0)
    below = (1 - steep * x**shift) * x / (1 + x)
    return inside + (below if below > 0 else ball(0))


@settings(max_examples=40)
@given(
    shift=st.integers(0, 60),
    scale=st.one_of(st.fractions(F(1, 20), F(200)), st.sampled_from([F(1), F(1, 900), F(7, 2)])),
    epsilon=levels,
)
def test_the_curve_of_geometric_noise(shift, scale, epsilon):
    found, truth = GeometricCurve(shift, scale).delta(epsilon), hockey_stick_of_geometric(shift, scale, epsilon)
    assert F(found.lower) <= balls.upper(truth) and balls.lower(truth) <= F(found.upper)
    assert found.width <= 1e-13 * found.upper * (1 + float(1 / scale))


@pytest.mark.slow
@settings(max_examples=40)
@given(level=levels, epsilon=levels)
def test_the_curve_of_laplace_noise(level, epsilon):
    found = LaplaceCurve(level).delta(epsilon)

    @precise
    def truth():
        return 1 - ((ball(epsilon) - ball(level)) / 2).exp()

    value = truth()
    assert F(found.lower) <= max(F(0), balls.upper(value))
    assert max(F(0), balls.lower(value)) <= F(found.upper)
    assert found.width <= 1e-14 * found.upper + 1e-300


@settings(max_examples=40)
@given(level=st.fractions(F(1, 100), F(5)), epsilon=levels)
def test_the_curve_of_whatever_is_pure_is_that_of_randomised_response(level, epsilon):
    found = PureCurve(level).delta(epsilon)

    @precise
    def truth():
        keep = 1 / (1 + (-ball(level)).exp())
        return keep - ball(epsilon).exp() * (1 - keep)

    value = truth()
    assert max(F(0), balls.lower(value)) <= F(found.upper)
    assert found.upper <= max(0.0, float(balls.upper(value))) * (1 + 1e-13) + 1e-15


@settings(max_examples=40)
@given(keep=st.fractions(F(51, 100), F(999, 1000)), epsilon=levels)
def test_the_curve_of_randomised_response(keep, epsilon):
    found = ResponseCurve(keep, keep).delta(epsilon)

    @precise
    def truth():
        return ball(keep) - ball(epsilon).exp() * ball(1 - keep)

    value = truth()
    assert F(found.lower) <= max(F(0), balls.upper(value)) and max(F(0), balls.lower(value)) <= F(found.upper)
    assert found.width < 1e-14 * math.exp(float(epsilon))


def test_extreme_levels():
    assert PureCurve(F(1000)).delta(F(1)).upper == 1
    assert PureCurve(F(1)).delta(F(1)).upper == 0
    assert ResponseCurve(F(3, 4), F(3, 4)).delta(F(800)).upper == 0
    assert GeometricCurve(0, F(1)).delta(F(0)).upper == 0
    with pytest.raises(InputError, match="shift"):
        GeometricCurve(-1, F(1))


def test_noise_composes_to_little_more_than_its_levels():
    twice = compose([(GeometricCurve(1, F(2)), 2)])
    assert twice.delta(F(1)).upper < 1e-3
    assert twice.delta(F(1, 2)).lower >= GeometricCurve(1, F(2)).delta(F(1, 2)).lower


def test_what_must_be_alone_is_not_composed():
    only = PureCurve(F(1), only=True)
    assert only.alone and not PureCurve(F(1)).alone and not Constant(0.0).alone
    with pytest.raises(CombinationError, match="only release"):
        compose([(PureCurve(F(1)), 1), (only, 1)])
    with pytest.raises(CombinationError, match="only release"):
        compose([(only, 2)])
    assert compose([(only, 1)]) is only
