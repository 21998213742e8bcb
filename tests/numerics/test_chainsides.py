"""A target and its neighbours under a wide law: the bound by exponential moments is above the truth, and near it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.beliefs.common import sum_law
from dalenius.numerics import chainsides
from dalenius.numerics.bridges import Currency
from dalenius.numerics.chainsides import HiddenSide, Neighbourhood, SideCells, Sides
from dalenius.numerics.law import Law

F = Fraction
COIN = Currency.of(1, 1)


def draws(number: int, currency: Currency = COIN) -> Law:
    return sum_law([(currency.law(), number)])[0].spread_out()


def laws() -> st.SearchStrategy[np.ndarray]:
    weights = st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any)
    return weights.map(lambda w: np.array(w) / sum(w))


def truth(first: np.ndarray, second: np.ndarray, law: Law, epsilon: Fraction) -> float:
    size = max(len(first), len(second)) + len(law.mass)
    one, two = (np.convolve(side, law.mass) for side in (first, second))
    gap = np.pad(one, (0, size - len(one))) - math.exp(epsilon) * np.pad(two, (0, size - len(two)))
    return float(np.maximum(gap, 0.0).sum())


def with_add(law: np.ndarray, add: int) -> np.ndarray:
    return np.concatenate([np.zeros(add), law])


@pytest.mark.slow
@given(
    left=st.tuples(laws(), laws()),
    right=st.tuples(laws(), laws()),
    add=st.integers(0, 3),
    number=st.sampled_from([40, 200, 3000]),
    currency=st.sampled_from([COIN, Currency.of(8, 2)]),
    epsilon=st.sampled_from([F(0), F(1, 10), F(1, 2), F(2)]),
)
@settings(max_examples=60)
def test_no_sum_exceeds_its_bound(
    left: tuple[np.ndarray, np.ndarray],
    right: tuple[np.ndarray, np.ndarray],
    add: int,
    number: int,
    currency: Currency,
    epsilon: Fraction,
) -> None:
    law = draws(number, currency)
    near = Neighbourhood({(0, 1): (Sides.of([(left[0], add, left[1], 0)]), Sides.of([(right[0], 0, right[1], 0)]))})
    found = near.under(law)
    exact = truth(np.convolve(with_add(left[0], add), right[0]), np.convolve(left[1], right[1]), law, epsilon)
    moments = HiddenSide(found.outside, found.mass, found.pairs, None, found.tail)
    sums = HiddenSide(1.0, found.mass, (), found.worlds, found.tail)
    assert exact <= moments.delta(epsilon) + 1e-15
    assert exact <= sums.delta(epsilon) + 1e-15
    assert sums.delta(epsilon) <= exact * (1 + 1e-6) + 1e-7


@pytest.mark.parametrize("epsilon", [F(1, 50), F(1, 10)])
def test_exponential_moments_are_sharp_under_a_wide_law(epsilon: Fraction) -> None:
    law, side = draws(40_000), np.array([0.25, 0.5, 0.25])
    near = Neighbourhood({(0, 1): (Sides.of([(side, 3, side, 0)]), Sides.of([(side, 0, side, 0)]))})
    exact = truth(np.convolve(with_add(side, 3), side), np.convolve(side, side), law, epsilon)
    found = near.under(law)
    moments = HiddenSide(found.outside, found.mass, found.pairs, None, found.tail).delta(epsilon)
    assert exact <= moments <= 1.5 * exact


def test_the_worst_side_counts() -> None:
    law, narrow, wide = draws(900), np.array([1.0]), np.array([0.5, 0.0, 0.5])
    worst, other = (narrow, 4, narrow, 0), (wide, 0, wide, 0)
    one = Neighbourhood({(0, 1): (Sides.of([worst]), Sides.of([other]))}).under(law)
    both = Neighbourhood({(0, 1): (Sides.of([other, worst]), Sides.of([other]))}).under(law)
    assert both.delta(F(1, 5)) >= one.delta(F(1, 5)) * (1 - 1e-9)


def test_a_law_that_is_too_narrow_says_nothing() -> None:
    side = np.full(60, 1 / 60)
    near = Neighbourhood({(0, 1): (Sides.of([(side, 1, side, 0)]), Sides.of([(side, 0, side, 0)]))})
    assert SideCells.of(draws(30), near.reach) is None
    assert HiddenSide(1.0, np.zeros(0), (), None, 0.0).delta(F(1)) == 1


def test_cells_hold_the_slopes_of_the_law() -> None:
    """Every slope of a cell lies within its half width, the bends within its bend, and all mass is somewhere."""
    law, reach = draws(2000), 5
    cells = SideCells.of(law, reach)
    assert cells is not None
    slopes = np.diff(np.log(law.mass))
    assert cells.mass.sum() + cells.outside >= 1
    assert cells.mass.sum() + cells.outside <= 1 + 1e-6
    assert cells.theta[0] > 0 > cells.theta[-1]
    assert cells.bend.min() >= 4 / 2000 * 0.99
    middle = len(cells.theta) // 2
    assert cells.half[middle] >= -np.diff(slopes).min() / 2
    for theta, half in zip(cells.theta, cells.half, strict=True):
        assert ((slopes >= theta - half) & (slopes <= theta + half)).any()


def test_the_tail_of_what_hides_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    full = draws(400)
    law = Law(full.start, full.mass, full.error, 0.01)
    side = np.array([0.5, 0.5])
    near = Neighbourhood({(0, 1): (Sides.of([(side, 1, side, 0)]), Sides.of([(side, 0, side, 0)]))})
    assert near.under(law).delta(F(3)) >= 0.01
    monkeypatch.setattr(chainsides, "NUMBERS", 0)
    assert near.under(law).delta(F(3)) >= 0.01


def moments_only(near: Neighbourhood, law: Law) -> HiddenSide:
    found = near.under(law)
    return HiddenSide(found.outside, found.mass, found.pairs, None, found.tail)


def test_a_side_that_is_spread_out_tells_more_than_its_slopes() -> None:
    """A point against two points at either side of it: near the middle only the bend of the law tells them apart."""
    law, one, two = draws(400), np.array([1.0]), np.array([0.5, *[0.0] * 19, 0.5])
    near = Neighbourhood({(0, 1): (Sides.of([(one, 10, two, 0)]), Sides.of([(one, 0, one, 0)]))})
    for epsilon in (F(0), F(1, 5), F(2, 5)):
        assert truth(with_add(one, 10), two, law, epsilon) <= moments_only(near, law).delta(epsilon)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_wide_cells_are_covered(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(chainsides, "CELLS", number)
    law, side = draws(900), np.array([1.0])
    near = Neighbourhood({(0, 1): (Sides.of([(side, 6, side, 0)]), Sides.of([(side, 0, side, 0)]))})
    for epsilon in (F(1, 10), F(1, 2)):
        exact = max(truth(with_add(side, 6), side, law, epsilon), truth(side, with_add(side, 6), law, epsilon))
        assert exact <= moments_only(near, law).delta(epsilon)


def test_errors_of_masses_count_against_us() -> None:
    whole = draws(60)
    wrong = np.where(np.arange(len(whole.mass)) % 2 == 0, 0.98, 1.02) * whole.mass
    law, side = Law(whole.start, wrong, whole.mass * 0.021), np.array([1.0])
    near = Neighbourhood({(0, 1): (Sides.of([(side, 2, side, 0)]), Sides.of([(side, 0, side, 0)]))})
    assert truth(with_add(side, 2), side, whole, F(1, 10)) <= near.under(law).delta(F(1, 10))
