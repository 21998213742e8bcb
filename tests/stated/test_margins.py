"""Totals that hide a value, or a business's own total, to within a margin."""

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.papers.definitions.instances import absolute_error, aggregate
from dalenius.papers.mechanisms.finite import FiniteMechanism

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())
F = Fraction
near = pytest.approx


def test_golden_scale_and_a_spread_out_attacker():
    golden = GOLDEN["pf_lemma8_1"]["k=1,eps=1"]
    made = dl.mechanisms.SumWithin(1, epsilon=1, unit="1/1000")
    assert made.scale == golden["scale"]
    # uniform on [-1, 1) against [1, 3): density ratio far to the left
    step, worst = 1 / 200, 0.0
    left, right = ([start + step * (i + 0.5) for i in range(400)] for start in (-1, 1))
    for z in (-30.0, -1.0, 1.0, 3.0, 30.0):
        one, two = (sum(math.exp(-abs(z - t) / golden["scale"]) for t in side) for side in (left, right))
        worst = max(worst, abs(math.log(one / two)))
    assert worst == near(golden["uniform_prior_max_ln_ratio"], abs=1e-5)
    assert worst < made.guarantees()[0].epsilon.lower


def test_golden_relative_margin():
    golden = GOLDEN["pf_relative_error"]["c=0.9 (within ~10%)"]
    made = dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1)
    assert made.margin.lower == near(golden["k"], rel=1e-14) and made.margin.width < 1e-15
    assert float(made.scale) == near(golden["laplace_scale_log_eps1"], rel=2e-4)
    assert float(made.scale) >= golden["laplace_scale_log_eps1"]
    assert near(golden["interval_for_y1"]) == [0.9, 1 / 0.9]
    assert GOLDEN["pf_relative_error"]["c=0.1 interval_for_y1"] == [0.1, 10.0]  # a factor of ten, not 10 %


@pytest.mark.slow
@settings(max_examples=30)
@given(margin=st.fractions(F(1), F(10**6), max_denominator=8), epsilon=st.fractions(F(1, 20), F(5)))
def test_epsilon_is_kept_and_nearly_attained(margin, epsilon):
    made = dl.mechanisms.SumWithin(margin, epsilon=epsilon, unit="1/8")
    level = made.guarantees()[0].epsilon
    assert F(level.upper) <= epsilon * (1 + F(1, 2**50))
    assert F(level.lower) >= epsilon * (1 - F(1, 16)) * (1 - F(1, 10**12))  # 4k less a unit, over 4k
    assert made.curve().delta(epsilon).upper == 0


@pytest.mark.parametrize("k", [1, 2])
def test_the_definition_on_finite_worlds_agrees(k):
    """Values on a lattice, independent records of several laws: Pufferfish with neighbouring ranges."""
    values = range(4 * k + 2)
    laws = [dict.fromkeys(values, F(1, len(values))), {v: F(v == 0) / 2 + F(v == 4 * k - 1) / 2 for v in values}]
    beliefs = [dl.papers.Finite.product([law, other]) for law, other in itertools.product(laws, repeat=2)]
    hidden = absolute_error(beliefs, k)
    made = dl.mechanisms.SumWithin(k, epsilon=1)
    coarse = dl.two_sided_geometric(made.scale)  # the same noise on whole numbers
    found = hidden.epsilon(FiniteMechanism.of(dl.Sum() >> coarse, beliefs[0])).value
    assert found.upper <= made.guarantees()[0].epsilon.upper * (1 + 1e-9)
    assert found.upper >= made.guarantees()[0].epsilon.lower * (1 - 1e-6)  # attained by 0 against 4k - 1


def test_a_business_total_on_finite_worlds():
    """The ring around every total; two records of one business depend on each other, another business does not."""
    pairs = {(a, b, c): F(1, 3 * 7) for a in (0, 3, 6) for b in (a,) for c in range(7)}
    belief = dl.papers.Finite.table(pairs)
    hidden = aggregate([belief], lambda one, two: abs(one[0] + one[1] - two[0] - two[1]), distance=6)
    made = dl.mechanisms.BusinessTotal(6, epsilon=1)
    assert made.scale == 18
    found = hidden.epsilon(FiniteMechanism.of(dl.Sum() >> dl.two_sided_geometric(made.scale), belief)).value
    assert 0 < found.upper <= made.guarantees()[0].epsilon.upper
    assert dl.mechanisms.BusinessTotal(6, epsilon=1, ranges="neighbouring").scale == 24


@settings(max_examples=30)
@given(
    y=st.fractions(F(1, 1000), F(10**6)),
    c=st.sampled_from(["0.9", "0.5", "0.99"]),
    ends=st.tuples(st.fractions(0, 1), st.fractions(0, 1)),
)
def test_logarithms_in_neighbouring_ranges_are_within_the_shift(y, c, ends):
    """[cy, y/c) against [y/c, y/c³): the rounded logarithms are no further apart than the noise hides."""
    made, factor = dl.mechanisms.GeometricMeanWithin(c, epsilon=1), F(c)
    one = factor * y + ends[0] * (y / factor - factor * y)
    two = y / factor + ends[1] * (y / factor**3 - y / factor)
    steps = abs(made.figure([one]) - made.figure([two])) / made.unit
    assert steps <= made.shift
    assert made.guarantees()[0].epsilon.upper <= 1 + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("away", [6, 9, 11, 12, 13, 20, 25])
def test_factors_near_one_are_within_the_shift(away):
    """At both ends of the two ranges, where floats are off by many steps."""
    factor, dice = 1 - F(1, 10**away), random.Random(away)
    made = dl.mechanisms.GeometricMeanWithin(factor, epsilon=1)
    for _ in range(100):
        y = F(dice.randint(10**6, 10**9), 1000)
        one, two = factor * y, y / factor**3 * (1 - F(1, 10**45))
        assert abs(made.figure([one]) - made.figure([two])) / made.unit <= made.shift


def test_the_geometric_mean_is_that_of_the_values():
    made = dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1)
    figure = made.figure([10, 1000, F(1, 10)])
    assert math.exp(float(figure) / 3) == near(10, rel=1e-3)
    assert figure % made.unit == 0


def test_stories():
    for made in (
        dl.mechanisms.SumWithin(10, epsilon=1),
        dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1),
        dl.mechanisms.BusinessTotal(5, epsilon=1),
    ):
        assert "Pufferfish" in str(made) and "within" in str(made)
    law = dl.mechanisms.SumWithin(1, epsilon=4).law(2)
    assert float(law.mass.sum()) == near(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dl.mechanisms.SumWithin(0, epsilon=1), "margin above 0"),
        (lambda: dl.mechanisms.SumWithin("0.1", epsilon=1), "quarter of the unit"),
        (lambda: dl.mechanisms.SumWithin(-1, epsilon=1), "margin above 0"),
        (lambda: dl.mechanisms.GeometricMeanWithin(1, epsilon=1), "between 0 and 1"),
        (lambda: dl.mechanisms.GeometricMeanWithin(0, epsilon=1), "between 0 and 1"),
        (lambda: dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1).figure([0]), "values above 0"),
        (lambda: dl.mechanisms.GeometricMeanWithin(1 - F(1, 10**26), epsilon=1), "at most 1 - 1e-25.*got.*Write 0.9"),
        (lambda: dl.mechanisms.BusinessTotal(0, epsilon=1), "margin above 0"),
        (lambda: dl.mechanisms.BusinessTotal("0.1", epsilon=1), "at least a unit"),
        (lambda: dl.mechanisms.BusinessTotal(1, epsilon=1, ranges="all"), "ring"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(dl.InputError, match=message):
        call()
