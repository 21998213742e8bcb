"""Odds against laws that are listed in fractions: what is promised of posteriors holds, and is nearly attained."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.judge.odds import Odds, _log, odds_from
from oracle import balls

HAIR = Fraction(1, 10**12)
weights = st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(lambda w: sum(w) > 0)


def law(parts: list[int]) -> list[Fraction]:
    return [Fraction(part, sum(parts)) for part in parts]


def stick(p: list[Fraction], q: list[Fraction], epsilon: Fraction) -> float:
    """The larger of both hockey sticks, rounded up."""
    steep = Fraction(math.exp(epsilon)) * (1 - HAIR)
    both = [sum(max(a - steep * b, Fraction(0)) for a, b in zip(*two, strict=True)) for two in ((p, q), (q, p))]
    return math.nextafter(float(max(both)), math.inf) if max(both) else 0.0


def mixed(laws: list[list[Fraction]], shares: list[Fraction]) -> list[Fraction]:
    return [sum(share * one[at] for share, one in zip(shares, laws, strict=True)) for at in range(len(laws[0]))]


@pytest.mark.slow
@given(parts=st.lists(weights, min_size=3, max_size=3), lean=st.integers(1, 9), thousandths=st.integers(1, 400))
def test_posteriors_leave_the_range_no_more_often_than_promised(parts, lean, thousandths):
    """Three values of a record; the fact that several of them make true, in both worlds, for every prior."""
    laws, failure = [law(one) for one in parts], Fraction(thousandths, 1000)
    levels = [Fraction(step, 10) for step in (0, 1, 3, 5, 8, 13, 20)]
    points = [(at, max(stick(p, q, at) for p, q in itertools.combinations(laws, 2))) for at in levels]
    odds = odds_from(points, failure)
    if odds is None:
        assert min(delta for _, delta in points) >= failure
        return
    fact, opposite = mixed(laws[:2], [Fraction(lean, 10), Fraction(10 - lean, 10)]), laws[2]
    for prior in (Fraction(1, 100), Fraction(1, 3), Fraction(9, 10)):
        between = odds.after(prior)
        low, high = Fraction(between.lower) - HAIR, Fraction(between.upper) + HAIR
        for world in (fact, opposite):
            out = Fraction(0)
            for chance, p, q in zip(world, fact, opposite, strict=True):
                whole = prior * p + (1 - prior) * q
                if whole and not low <= prior * p / whole <= high:
                    out += chance
            assert out <= odds.failure


def test_somebody_who_is_as_good_as_sure_can_be_made_unsure():
    """What is left of the prior is smaller than all digits that are computed with."""
    rest, steep = Fraction(1, 10**130), balls.exponential(Fraction(600))
    between = Odds(Fraction(600), Fraction(0)).after(1 - rest)
    assert Fraction(between.lower) <= 1 / (1 + rest * balls.lower(steep) * (1 - HAIR))
    assert between.upper == 1


@pytest.mark.slow
@given(epsilon=st.integers(0, 30), more=st.integers(1, 30), millionths=st.integers(1, 1000))
def test_the_factor_is_the_least_that_two_numbers_prove(epsilon, more, millionths):
    """Two outcomes at the factor e^a, and the rest alike: exactly δ apart at ε, and they fail with p (1 + e^-a)."""
    at, limit, delta = Fraction(epsilon, 10), Fraction(epsilon + more, 10), millionths / 1e6
    p = delta / (1 - math.exp(at - limit))
    failure = p * (1 + math.exp(-limit))
    if failure >= 0.9:
        return
    assert odds_from([(at, delta)], Fraction(failure * 0.999)).log >= limit
    assert odds_from([(at, delta)], Fraction(failure * 1.001)).log <= limit * Fraction(11, 10)


def test_pure_privacy_needs_no_exception():
    odds = odds_from([(Fraction(1, 2), 0.0), (Fraction(1, 4), 1e-3)], "1e-6")
    assert odds.failure == 0 and odds.log == pytest.approx(0.5) and odds.factor >= math.exp(0.5)
    assert odds_from([(Fraction(0), 0.0)], 0) == Odds(Fraction(0), Fraction(0))
    assert odds_from([(Fraction(1), 0.2)], "0.1") is None and odds_from([], "0.1") is None


def test_the_ends_are_those_of_bayes_rule():
    odds = Odds(Fraction(1), Fraction(0))
    for prior in ("0.01", "0.5", "0.9"):
        p = float(prior)
        found = odds.after(prior)
        assert found.lower <= p / (p + (1 - p) * math.e) <= found.lower + 1e-12
        assert found.upper - 1e-12 <= p * math.e / (p * math.e + 1 - p) <= found.upper
    assert odds.after(0).upper == 0 and odds.after(1).lower > 1 - 1e-15
    moved = max(abs(odds.after(Fraction(k, 1000)).upper - k / 1000) for k in range(1001))
    assert moved <= odds.shift <= moved + 1e-5  # tanh(1/4), at an odds of e^-1/2


@pytest.mark.parametrize("failure", ["-0.1", "1", 2])
def test_a_failure_must_be_a_probability_below_one(failure):
    with pytest.raises(dl.InputError, match=r"at least 0 and below 1, but got .*Write 1e-6"):
        odds_from([], failure)


def test_a_prior_must_be_a_probability():
    with pytest.raises(dl.DaleniusError, match="between 0 and 1"):
        Odds(Fraction(1), Fraction(0)).after(2)


@balls.precise
@pytest.mark.parametrize("part", range(1, 9))
def test_the_logarithm_of_a_factor_is_rounded_up(part: int) -> None:
    """ln((δ + η e^ε) / (η - δ))."""
    epsilon, delta, limit = Fraction(part, 3), part * 1e-5, Fraction(1, 1000)
    lost, steep = Fraction(delta), balls.exponential(epsilon)
    truth = ((balls.ball(lost) + balls.ball(limit) * steep) / balls.ball(limit - lost)).log()
    found = Fraction(_log(epsilon, delta, limit))
    assert balls.lower(truth) <= found <= balls.upper(truth) * (1 + Fraction(1, 10**14))
