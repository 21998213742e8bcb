"""Poisson, binomial and hypergeometric laws, and totals without replacement, against fractions and balls."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.enclosure.products import Ratios
from dalenius.numerics import logconcave
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.logconcave import averaged, binomial, chances, coins, from_ratios, hypergeometric, poisson
from dalenius.numerics.withoutreplacement import Urn, spread

F = Fraction


def holds(law: Law, exactly: dict[int, Fraction], relative: float = 1e-11) -> None:
    """Every mass within its error, which is small beside it; the tail holds what is outside."""
    inside = Fraction(0)
    for at, mass, error in zip(range(law.start, law.stop), law.mass.tolist(), law.error.tolist(), strict=True):
        truth = exactly.get(at, Fraction(0))
        inside += truth
        assert abs(Fraction(mass) - truth) <= Fraction(error)
        assert error <= relative * mass + 1e-50
    assert sum(exactly.values(), Fraction(0)) - inside <= Fraction(law.tail)
    assert law.tail < 1e-50


@pytest.mark.parametrize(
    ("count", "chance"), [(1, Fraction(1, 3)), (30, Fraction(1, 7)), (400, Fraction(99, 100)), (700, Fraction(1, 2))]
)
def test_binomial(count: int, chance: Fraction) -> None:
    yes, no, whole = chance.numerator, chance.denominator - chance.numerator, chance.denominator**count
    holds(
        binomial(count, chance),
        {k: Fraction(math.comb(count, k) * yes**k * no ** (count - k), whole) for k in range(count + 1)},
    )


@pytest.mark.parametrize("count", [1, 7, 60, 400])
@pytest.mark.parametrize("rate", [F(1, 3), F(1, 700), F(2, 3), F(9999, 10_000), 1 - F(1, 3 * 10**6), F(1, 10**13)])
def test_coins_whose_rate_is_a_float(count: int, rate: Fraction) -> None:
    """The float is not the rate, and one minus the float even less."""
    law = coins(count, float(rate))
    assert law is not None
    exactly = {k: math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(count + 1)}
    loose = 1e-11 if rate < F(9, 10) else 1e-3
    holds(law, exactly, relative=loose)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("rate", [0.3, 0.011, 0.0203, 0.137])
def test_coins_whose_rate_is_off_by_two_units(rate: float, sign: int) -> None:
    """Far from the mode every step counts: the rate's error, and what its odds are rounded by."""
    law, true, count = coins(3000, rate), F(rate) * (1 + sign * F(2, 2**53)), 3000
    assert law is not None
    for at in (law.start, law.stop - 1):
        truth = math.comb(count, at) * true**at * (1 - true) ** (count - at)
        assert abs(F(float(law.mass[at - law.start])) - truth) <= F(float(law.error[at - law.start]))


@pytest.mark.parametrize(("count", "rate"), [(10**11, 0.5), (2000, 1 - 1e-12), (5, 1e-210)])
def test_coins_that_drift_too_far_are_not_gone_through(count: int, rate: float) -> None:
    assert coins(count, rate) is None


@given(ones=st.integers(0, 300), zeros=st.integers(0, 300), share=st.fractions(0, 1))
def test_hypergeometric(ones: int, zeros: int, share: Fraction) -> None:
    draws = math.floor(share * (ones + zeros))
    low, high, whole = max(0, draws - zeros), min(ones, draws), math.comb(ones + zeros, draws)
    exactly = {k: Fraction(math.comb(ones, k) * math.comb(zeros, draws - k), whole) for k in range(low, high + 1)}
    holds(hypergeometric(ones, zeros, draws), exactly)


@pytest.mark.parametrize("mean", [Fraction(1, 1000), Fraction(12), Fraction(1001, 7), Fraction(200_000)])
def test_poisson(mean: Fraction) -> None:
    law, before = poisson(mean), ctx.prec
    ctx.prec = 300
    try:
        ball = arb(mean.numerator) / mean.denominator
        for at in sorted({law.start, law.start + 1, math.floor(mean), law.stop - 1, (law.start + law.stop) // 2}):
            truth = (-ball).exp() * ball**at / arb(at + 1).gamma()
            found, error = law.mass[at - law.start], law.error[at - law.start]
            assert abs(arb(float(found)) - truth) <= arb(float(error))
            assert error <= 1e-11 * found
    finally:
        ctx.prec = before
    assert law.tail < 1e-50
    assert abs(float(law.mass.sum()) - 1) < 1e-12


def test_the_end_of_the_walk_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a coarse floor the law leaves out a visible part; it is in the tail, and in every mass's error."""
    monkeypatch.setattr(logconcave, "FLOOR", 1e-2)
    for count, chance in ((60, Fraction(1, 2)), (60, Fraction(1, 50)), (60, Fraction(49, 50))):
        law = binomial(count, chance)
        exactly = {k: math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)}
        assert 1e-4 < law.tail < 0.05
        for at, mass, error in zip(range(law.start, law.stop), law.mass.tolist(), law.error.tolist(), strict=True):
            assert abs(Fraction(mass) - exactly[at]) <= Fraction(error)
        assert 1 - sum(exactly[at] for at in range(law.start, law.stop)) <= Fraction(law.tail)


def test_ratios_that_err_are_charged_step_by_step() -> None:
    """Every ratio too large by some units: far from the mode the masses err by as many as there are steps."""
    ratio, steps = 0.9 + 3 * 2.0**-53, 200
    slip = float(Fraction(ratio) - Fraction(9, 10))
    slipped = from_ratios(0, lambda k: Ratios(np.full(len(k), ratio), slip / 0.9), down=0, up=steps)
    clean = {k: Fraction(9, 10) ** k for k in range(steps + 1)}
    whole = sum(clean.values())
    for at, (mass, error) in enumerate(zip(slipped.mass.tolist(), slipped.error.tolist(), strict=True)):
        assert abs(Fraction(mass) - clean[at] / whole) <= Fraction(error)


def test_mixtures_carry_all_errors() -> None:
    parts = [Law(0, np.array([0.5, 0.5]), np.array([0.01, 0.02]), 0.03), Law(1, np.array([1.0]), np.array([0.0]), 0.05)]
    weights = Law(0, np.array([0.25, 0.75]), np.array([0.001, 0.002]), 0.004)
    found = averaged(weights, parts)
    assert found.mass.tolist() == pytest.approx([0.125, 0.875])
    tail = 0.004 + 0.251 * 0.03 + 0.752 * 0.05
    assert found.tail >= tail
    assert found.error[0] >= 0.25 * 0.01 + 0.001 * 0.51 + tail
    assert found.error[1] >= 0.25 * 0.02 + 0.001 * 0.52 + 0.002 + tail
    assert found.error.max() < 0.08


def test_weights_are_rounded_once_however_large_they_are() -> None:
    law = chances([3**2000, 2 * 3**2000, 0])
    assert law.mass.tolist() == [1 / 3, 2 / 3, 0.0]
    assert law.error[0] > 0 == law.error[2]


@given(
    counts=st.lists(st.integers(0, 3), min_size=1, max_size=6).filter(lambda some: 0 < sum(some) <= 8),
    data=st.data(),
)
def test_totals_without_replacement(counts: list[int], data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.integers(-2, 6), min_size=len(counts), max_size=len(counts), unique=True))
    draws = data.draw(st.integers(0, sum(counts)))
    members = [step for step, count in zip(steps, counts, strict=True) for _ in range(count)]
    ways = Counter(sum(chosen) for chosen in itertools.combinations(members, draws))
    law, whole = Urn(tuple(steps), tuple(counts)).law(draws), sum(ways.values())
    for at, mass, error in zip(range(law.start, law.stop), law.mass.tolist(), law.error.tolist(), strict=True):
        assert abs(Fraction(mass) - Fraction(ways.get(at, 0), whole)) <= Fraction(error)
        assert error <= 1e-12
    assert all(law.start <= at < law.stop for at in ways)


def test_stretching_and_mirroring() -> None:
    law = law_of({1: Fraction(1, 4), 2: Fraction(3, 4)})
    for step in (3, -2, 1):
        found = spread(law, step)
        masses = {found.start + i: mass for i, mass in enumerate(found.mass.tolist()) if mass}
        assert masses == {step: 0.25, 2 * step: 0.75}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: hypergeometric(3, 4, 8), "0 to 7 draws"),
        (lambda: poisson(Fraction(1, 10**300)), "at least 1e-200"),
        (lambda: binomial(5, 1 - Fraction(1, 10**300)), "at least 1e-200"),
        (lambda: poisson(Fraction(10**15)), "too wide"),
        (lambda: Urn(tuple(range(20)), (5000,) * 20).law(50_000), "too much to go through"),
    ],
)
def test_what_cannot_be_computed_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]
