"""Channels push laws to laws that cover the truth: rounding, noise, and one after the other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.mechanisms import (
    Chain,
    DiscreteGaussian,
    Exact,
    Rounded,
    TwoSidedGeometric,
    discrete_gaussian,
    two_sided_geometric,
)
from dalenius.mechanisms.channel import RationalGeometric
from dalenius.numerics.curve import PairCurve
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import assert_covers, assert_covers_balls, holds, narrow, slack, wrong_laws
from oracle import balls, noise, strategies
from oracle import laws as lw
from oracle.channels import rounded_half_up

scales = st.one_of(
    st.sampled_from(list(map(Fraction, ("1", "0.5", "2", "0.1", "1/3", "0.01", "1/300", "1/97", "3.7")))),
    st.fractions(Fraction(1, 50), Fraction(3)),
)
laws = strategies.laws(max_size=4, low=-2, high=4)


def covers(law: Law, truth: lw.BallLaw) -> None:
    start = min(truth.masses)
    assert_covers_balls(law, start, [truth.masses[k] for k in range(start, max(truth.masses) + 1)])


@pytest.mark.slow
@given(exact=laws, scale=scales)
@settings(max_examples=60)
def test_two_sided_geometric_noise_covers_the_truth(exact: lw.Law, scale: Fraction) -> None:
    law = TwoSidedGeometric(scale).push(law_of(exact))
    truth = noise.add_noise(exact, noise.two_sided_geometric(1 / scale))
    covers(law, truth)
    assert law.tail <= 1e-39
    assert law.additive <= 1e-12
    big = law.mass > 1e-35
    assert (law.error[big] <= 1e-11 * law.mass[big]).all()


@pytest.mark.slow
@given(exact=laws, scale=scales)
@settings(max_examples=60)
def test_discrete_gaussian_noise_covers_the_truth(exact: lw.Law, scale: Fraction) -> None:
    law = DiscreteGaussian(scale).push(law_of(exact))
    covers(law, noise.add_noise(exact, noise.discrete_gaussian(scale**2)))
    assert law.additive <= 1e-12
    big = law.mass > 1e-25
    assert (law.error[big] <= 1e-11 * law.mass[big]).all()


@pytest.mark.slow
@given(data=st.data(), exact=laws, scale=st.sampled_from([Fraction(1, 2), Fraction(3, 2)]))
@settings(max_examples=40)
def test_noise_passes_on_all_that_the_law_may_have_wrong(data: st.DataObject, exact: lw.Law, scale: Fraction) -> None:
    wrong = data.draw(wrong_laws(exact))
    for channel, added in (
        (TwoSidedGeometric(scale), noise.two_sided_geometric(1 / scale)),
        (DiscreteGaussian(scale), noise.discrete_gaussian(scale**2)),
    ):
        law = channel.push(wrong)
        covers(law, noise.add_noise(exact, added))
        assert slack(law) <= 2 * slack(wrong) * (len(law.mass) + 1) + 1e-12


@given(data=st.data(), exact=strategies.laws(), base=st.integers(1, 7))
def test_rounding_covers_the_truth(data: st.DataObject, exact: lw.Law, base: int) -> None:
    truth = lw.pushforward(exact, lambda k: rounded_half_up(base)(k) // base)
    assert_covers(Rounded(base).push(law_of(exact)), truth)
    assert_covers(Rounded(base).push(data.draw(wrong_laws(exact))), truth)
    assert Rounded(base).push(law_of(exact)).additive <= 1e-14


@given(total=st.integers(-(10**6), 10**6), base=st.integers(1, 1000))
def test_half_way_goes_up_and_nothing_moves_further_than_half_a_base(total: int, base: int) -> None:
    rounded = int(Rounded(base).apply(np.array([total]))[0]) * base
    assert rounded == rounded_half_up(base)(total)
    assert -base < 2 * (total - rounded) < base or total - rounded == Fraction(-base, 2)


@pytest.mark.slow
@given(exact=laws, base=st.integers(1, 4), scale=st.sampled_from([Fraction(1, 2), Fraction(1)]))
@settings(max_examples=40)
def test_a_chain_is_its_links_one_after_the_other(exact: lw.Law, base: int, scale: Fraction) -> None:
    rounded = lw.pushforward(exact, lambda k: rounded_half_up(base)(k) // base)
    after = Chain((Rounded(base), TwoSidedGeometric(scale))).push(law_of(exact))
    covers(after, noise.add_noise(rounded, noise.two_sided_geometric(1 / scale)))
    assert after.additive <= 1e-12
    twice = Chain((Rounded(base), Rounded(3))).push(law_of(exact))
    assert_covers(twice, lw.pushforward(rounded, lambda k: rounded_half_up(3)(k) // 3))
    assert Chain(()).push(law_of(exact)).mass.tolist() == law_of(exact).mass.tolist()


@pytest.mark.parametrize(
    ("links", "period"),
    [
        ((), 0),
        ((Exact(),), 0),
        ((TwoSidedGeometric(Fraction(1)),), 0),
        ((Rounded(5),), 5),
        ((Rounded(5), Rounded(2)), 10),
        ((TwoSidedGeometric(Fraction(1)), Rounded(3)), 3),
        ((Rounded(3), DiscreteGaussian(Fraction(1)), Rounded(2)), 6),
    ],
)
def test_moving_by_a_period_moves_the_output_alike(links: tuple, period: int) -> None:
    chain = Chain(links)
    assert chain.period == period
    law = law_of({0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 2)})
    one, moved = chain.push(law), chain.push(law.shifted(period or 4))
    assert moved.mass.tolist() == pytest.approx(one.mass.tolist(), rel=1e-12)
    assert len({moved.start - one.start, 4 if period == 0 else 1}) == 1


@pytest.mark.slow
@given(
    scale=st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2)]),
    epsilon=strategies.epsilons(),
    shift=st.integers(1, 2),
)
@settings(max_examples=40)
def test_the_curve_of_noise_alone_holds_the_truth_and_is_narrow(scale: Fraction, epsilon: Fraction, shift: int) -> None:
    point = law_of({0: Fraction(1)})
    for channel, added in (
        (TwoSidedGeometric(scale), noise.two_sided_geometric(1 / scale)),
        (DiscreteGaussian(scale), noise.discrete_gaussian(scale**2)),
    ):
        bracket = ShiftCurve(channel.push(point), (shift,)).delta(epsilon)
        truth = lw.both_ways(added, noise.shift_balls(added, shift), epsilon)
        assert holds(bracket, truth)
        assert narrow(bracket, truth, relative=1e-9, absolute=1e-12)


def test_two_sided_geometric_noise_is_pure_from_one_over_its_scale_on() -> None:
    channel = TwoSidedGeometric(Fraction(2))
    for shift in (1, 3):
        pure = channel.pure(shift)
        assert pure == Fraction(shift, 2)
        added = noise.two_sided_geometric(Fraction(1, 2))
        assert balls.lower(lw.both_ways(added, noise.shift_balls(added, shift), pure + Fraction(1, 10**9))) <= Fraction(
            1, 10**60
        )
        below = PairCurve(channel.push(law_of({0: Fraction(1)})), channel.push(law_of({shift: Fraction(1)})))
        assert below.delta(pure - Fraction(1, 10)).lower > 0
    assert Chain((Rounded(2), channel)).pure(1) is None
    assert Chain((channel, Rounded(2))).pure(1) == Fraction(1, 2)
    assert DiscreteGaussian(Fraction(1)).pure(1) is None


def test_scales_are_exact_and_positive() -> None:
    assert two_sided_geometric(0.1).scale == Fraction(1, 10)
    assert discrete_gaussian("1/3").scale == Fraction(1, 3)
    with pytest.raises(InputError, match="scale above 0"):
        two_sided_geometric(0)
    for base in (0, 2**61):
        with pytest.raises(InputError, match="a base from 1 to 2"):
            Rounded(base)
    for wide in (two_sided_geometric(10**30), RationalGeometric(Fraction(10**30 - 1, 10**30))):
        with pytest.raises(InputError, match="listed up to a scale of 200000 units"):
            wide.push(law_of({0: Fraction(1)}))


def test_geometric_noise_of_a_tiny_scale_is_as_sure_of_its_scale_as_a_float_can_be() -> None:
    """At scale 1/300 a half unit of the scale's float is 150 units of exp(-300)."""
    for denominator in (97, 211, 300, 307, 311):
        scale = Fraction(1, denominator)
        law = TwoSidedGeometric(scale).push(law_of({0: Fraction(1)}))
        covers(law, noise.two_sided_geometric(1 / scale))


@pytest.mark.parametrize("exponent", [3, 100, 154, 160, 170, 300])
def test_gaussian_noise_of_a_tiny_scale_is_none_and_still_a_law(exponent):
    law = DiscreteGaussian(Fraction(1, 10**exponent)).noise()
    assert law.mass[-law.start] == 1 and law.mass.sum() == 1
    assert 0 <= law.error.max() < 1e-13 and 0 <= law.tail < 1e-290
