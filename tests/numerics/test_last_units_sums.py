"""Sums, mixtures and their logarithms: what is lost in them, below the smallest float too, is made up for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from dalenius.basics.errors import InputError
from dalenius.enclosure import chebyshev, cumulants
from dalenius.enclosure.floats import SMALLEST, UNIT
from dalenius.numerics import cumulant, logconcave, outcomes
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.law import Law, mixture
from dalenius.numerics.outcomes import Outcomes
from dalenius.numerics.yesno import RateSum
from numerics.test_planted_margins import of_one
from numerics.test_planted_rungs import Planted
from oracle import balls

F = Fraction
SEEDS = range(12)
LOST = 0.999 * UNIT
NONE = np.zeros(1)


# -- below the smallest float -------------------------------------------------------------------------------------


def test_weights_that_are_no_floats_are_not_nothing() -> None:
    law = logconcave.chances([1, 10**400])
    assert F(1, 10**400 + 1) <= F(float(law.error[0]))


def test_products_that_are_no_floats_are_not_nothing() -> None:
    """Parts of 1e-200 with masses, errors and tails of 1e-200; and a part of 1e-400."""
    tiny, small = np.full(1, 1e-200), F(1, 10**200)
    for share in (small, small**2):
        for part in (Law(0, tiny, NONE), Law(0, NONE, tiny), Law(0, NONE, NONE, 1e-200)):
            mixed = mixture([(share, part), (1 - share, Law(0, NONE, NONE))])
            assert max(mixed.error[0], mixed.tail) > 0
    for weight in (Law(0, tiny, NONE), Law(0, NONE, tiny)):
        for part in (Law(0, tiny, NONE), Law(0, NONE, tiny), Law(0, NONE, NONE, 1e-200)):
            found = logconcave.averaged(weight, [part])
            assert max(found.error[0], found.tail) > 0
    nothing = logconcave.averaged(Law(0, np.ones(1), NONE), [Law(0, NONE, NONE)])
    assert (nothing.error[0], nothing.tail) == (0.0, 0.0)


def test_members_of_a_family_may_lose_a_mass_below_the_smallest_float() -> None:
    found = of_one(Planted(values=np.full((1, 1), 1e-200), scaled=1e-200))
    assert F(float(found.lower_error[0])) >= F(1e-200) ** 2
    assert F(float(found.upper_error[0])) >= F(1e-200) ** 2


def test_an_output_that_floats_cannot_hold_is_not_impossible() -> None:
    mass, rows = np.array([1e-200]), np.array([[1e-200]])
    assert outcomes.underflow(mass, rows, np.zeros(1)) >= SMALLEST
    assert outcomes.underflow(mass, np.zeros((1, 1)), np.zeros(1)) == 0.0
    with pytest.raises(InputError, match="above 1e-300"):
        outcomes.joint(np.array([1e-301]), np.ones(1))


def test_a_law_that_is_known_up_to_a_slack_may_be_anywhere_within() -> None:
    law = Outcomes(np.array([0.5, 0.5]), 0.0, 0.125).law()
    assert law.tail >= 0.125
    assert (law.error >= 0.125).all()


# -- laws from quotients ------------------------------------------------------------------------------------------


def test_the_mass_of_an_average_may_lose_what_is_added() -> None:
    weights = np.array([0.5, *[LOST / 2] * 20])
    found = logconcave.averaged(Law(0, weights, 0 * weights), [Law(0, np.ones(1), NONE)] * 21)
    assert F(1, 2) + 20 * F(LOST / 2) - F(float(found.mass[0])) <= F(float(found.error[0]))


# -- logarithms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_ceiling_counts_the_rounding_of_an_absolute_value(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many records that a unit of one of them is more than one."""
    rng, count = np.random.default_rng(seed), 10**17
    s = complex(np.exp(1e-3 + 1j * rng.uniform(0.1, 1))) - 1
    monkeypatch.setattr(cumulants, "expm1_complex", lambda *_: (np.array([[s]]), np.zeros((1, 1))))
    total = TypeSum.of(np.array([0]), np.ones((1, 1)), np.array([count]))
    (value,), (error,) = total.at(NONE, NONE)
    assert error > 1
    assert balls.upper(count * abs(acb(s.real, s.imag) + 1).log()) <= F(float(value.real))
    monkeypatch.setattr(cumulant, "transformed", lambda *_: (np.full(19, s + 1), 0.0))
    far = total.far(0.0, 36, 1, 4, -1e18)
    assert balls.upper(count * abs(acb((s + 1).real, (s + 1).imag)).log()) <= F(float(far.values[0].real))


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_ceiling_by_one_transform_counts_the_turn_to_its_base(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    theta, place, count = float(np.random.default_rng(seed).uniform(0.01, 0.1)), 10**13 + 7, 10**5 + seed
    monkeypatch.setattr(cumulant, "transformed", lambda *_: (np.ones(19, dtype=complex), 0.0))
    far = TypeSum.of(np.array([place]), np.ones((1, 1)), np.array([count])).far(theta, 36, 1, 4, -1e18)
    assert far.errors[0] > 1
    assert balls.upper(arb(theta) * place * count) <= F(float(far.values[0].real))


def rates(moments: list[float], *, high: int = 0, slip: float = 0.0) -> RateSum:
    return RateSum(np.array(moments), 0.0, 0.0, 0, high, 0.0, 0.0, slip)


def test_a_sum_of_sizes_is_bounded_by_moments_that_are_off() -> None:
    """A thousand rates of a hundredth: the bound is sharp, and the second moment too small by forty units a rate."""
    found = rates([1000.0, 0.0, float(1000 * (F(1, 5000) - 1) - 40_000 * F(UNIT))], high=1000)
    assert chebyshev._largest_sum(found.moments, found.high, 1) >= 10


def test_moments_of_high_order_are_charged_for_sums_in_any_order() -> None:
    """Products of polynomials of lower order, a block of rates at a time, one after the other, twice."""
    found = float(chebyshev._cut_off(np.array([1000.0, 0.0, 0.0]), 1000, np.array([0.1]))[0])
    remainder = 2 * 1000 * 0.1**3 / (3 * 0.9)
    assert found - remainder >= 2 * UNIT * 1000 * 2 * chebyshev.BLOCK / 2 * 0.01


def test_the_error_of_a_series_is_rounded_up() -> None:
    for seed in SEEDS:
        theta, slip = np.random.default_rng(seed).uniform(1e-7, 1e-6, 2).tolist()
        (_,), (error,) = rates([0.0], slip=slip).at(np.array([theta]), NONE)
        assert F(slip) * F(math.expm1(theta)) <= F(float(error))
