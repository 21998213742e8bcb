"""Dominance, p %, and minimum differences."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.plan.rules import difference_curve, difference_needed, dominance, p_percent

PARTS = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=40)


@given(PARTS, PARTS, st.fractions(Fraction(1, 100), 1, max_denominator=200))
def test_precision_and_delta_are_inverse(p, doubt, delta):
    rule = p_percent(100 * p)
    if 0 < delta < 1 and (hidden := rule.precision(delta=delta, uncertain=doubt)) is not None:
        assert rule.delta(precision=hidden, uncertain=doubt) == delta


@given(st.integers(1, 12), st.integers(2, 30), st.integers(1, 12))
def test_delta_is_that_of_two_uniform_laws(shift, half, low):
    """On a grid: R uniform on so many places, of which the least still passes the rule with the larger value."""
    width = 2 * half
    middle = low + half
    doubt = Fraction(half, middle)
    larger = low  # s = 1: R ≥ x₁ everywhere
    smaller = larger - shift
    if smaller <= 0:
        return
    rest = range(low, low + width)
    laws = [{value + x: Fraction(1, width) for value in rest} for x in (larger, smaller)]
    for p, q in itertools.permutations(laws):
        truth = sum(max(Fraction(0), mass - q.get(total, Fraction(0))) for total, mass in p.items())
        found = p_percent(100).delta(precision=Fraction(shift, smaller), uncertain=doubt)
        assert min(Fraction(1), found) == truth


@given(st.lists(st.integers(0, 50), min_size=3, max_size=6), st.integers(1, 4), st.integers(10, 95))
def test_totals_that_pass_have_the_rest_that_is_promised(values, n, k):
    values = sorted(values, reverse=True)
    total, rest = sum(values), sum(values[2:])
    if total and sum(values[:n]) * 100 <= k * total:
        assert rest >= dominance(n, k).share * values[0]


def test_the_promise_of_one_dominant_contributor_is_empty():
    assert dominance(1, 50).share == 0 and dominance(1, 40).share == Fraction(1, 2)
    assert dominance(1, 75).delta(precision="1/100", uncertain="1/2") == 1
    assert "hides nothing" in str(dominance(1, 75)) and "share of 0.25" in str(dominance(2, 80))


def test_a_minimum_difference_is_an_exact_count_of_so_many():
    found = difference_curve(10, rates=("1/2", "1/2")).delta(Fraction(1))
    plain = dl.curve(dl.Count(), dl.noiseless(dl.IID(p="1/2", n=10))).delta(Fraction(1))
    assert found.lower == pytest.approx(plain.lower, rel=1e-9)
    least = difference_needed(epsilon=2, delta="1/10", rates=("1/4", "1/2"))
    deltas = [difference_curve(size, rates=("1/4", "1/2")).delta(Fraction(2)) for size in (least - 1, least)]
    assert deltas[1].upper <= 0.1 < deltas[0].upper


def test_bad_input_says_what_is_needed():
    for call, told in (
        (lambda: p_percent(0), "above 0"),
        (lambda: dominance(0, 80), "at least 1"),
        (lambda: dominance(2, 100), "between 0 and 100"),
        (lambda: p_percent(10).delta(precision=0, uncertain="1/2"), "precision above 0"),
        (lambda: p_percent(10).delta(precision=1, uncertain=1), "uncertainty"),
        (lambda: p_percent(10).precision(delta=1, uncertain="1/2"), "delta"),
        (lambda: difference_curve(0, rates=("1/10", "1/2")), "at least 1"),
        (lambda: difference_curve(10, rates=(0, "1/2")), "count of 1 is the person"),
    ):
        with pytest.raises(dl.InputError, match=told):
            call()
