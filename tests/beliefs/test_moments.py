"""Range and variance as a belief: what is left of the variance, what is refused, and exact beliefs that stay below."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.beliefs.moments import RangeVariance
from dalenius.facts.secret import Facts
from dalenius.numerics.range_variance import RangeVarianceCurve

F = Fraction


def test_the_target_and_the_known_records_take_their_variance_away() -> None:
    each = RangeVariance(n=1000, bounds=(0, 4), variance=1, known=0.1)
    assert each.known == 100
    assert each.unknown_variance(100) == 899
    whole = RangeVariance(n=1000, bounds=(0, 4), total=1000)
    assert whole.unknown_variance(100) == 1000 - 101 * 4
    assert whole.unknown_variance(999) == 0
    assert whole.knowing(7).known == 7


@pytest.mark.slow
@given(
    p=st.fractions(F(1, 5), F(4, 5), max_denominator=20),
    n=st.integers(30, 200),
    known=st.integers(0, 10),
    tau=st.sampled_from(["0.55", "0.7", "1.2"]),
    epsilon=st.fractions(F(1, 10), 1, max_denominator=10),
)
def test_an_exact_belief_is_below_the_bound(p: Fraction, n: int, known: int, tau: str, epsilon: Fraction) -> None:
    mechanism = dl.Count() >> dl.rounded_gaussian(tau)
    exact = dl.curve(mechanism, dl.noiseless(dl.IID(p=p, n=n, known=known))).delta(epsilon)
    moments = RangeVariance(n=n, bounds=(0, 1), variance=p * (1 - p), known=known)
    assert exact.lower <= dl.curve(mechanism, dl.noiseless(moments)).delta(epsilon).upper


def test_units_do_not_matter() -> None:
    bits = RangeVariance(n=401, bounds=(0, 1), variance="0.25")
    coins = RangeVariance(n=401, bounds=(0, 1000), variance=250_000)
    small = dl.curve(dl.Count() >> dl.rounded_gaussian("0.6"), dl.noiseless(bits)).delta(F(1, 2))
    large = dl.curve(dl.Sum(F(10)) >> dl.rounded_gaussian(60), dl.noiseless(coins)).delta(F(1, 2))
    assert large.upper == pytest.approx(small.upper, rel=1e-9)
    assert small.upper >= RangeVarianceCurve(F(100), F(1), F(6, 10)).delta(F(1, 2)).upper


def test_presence_moves_a_total_by_the_largest_value_not_by_the_range() -> None:
    belief = RangeVariance(n=901, bounds=(3, 4), variance="0.1")
    noise = dl.Sum() >> dl.rounded_gaussian(1)
    value, presence, only = (
        dl.curve(noise, dl.noiseless(belief, secret=secret)).delta(F(1)).upper
        for secret in (dl.Value(), dl.Presence(), dl.PresenceOnly())
    )
    assert presence == only == RangeVarianceCurve(F(90), F(4), F(1), 1e-25).delta(F(1)).upper > value
    both_signs = RangeVariance(n=901, bounds=(-1, 1), variance="0.1")
    value, presence, only = (
        dl.curve(noise, dl.noiseless(both_signs, secret=secret)).delta(F(1)).upper
        for secret in (dl.Value(), dl.Presence(), dl.PresenceOnly())
    )
    assert presence == value > only


def test_rounding_after_the_noise_is_free_and_more_known_records_hurt() -> None:
    belief = RangeVariance(n=401, bounds=(0, 1), variance="0.2")
    noise = dl.Count() >> dl.rounded_gaussian("0.7")
    deltas = [dl.curve(noise, dl.noiseless(belief.knowing(k))).delta(F(1, 2)).upper for k in (0, 100, 200, 390)]
    assert deltas == sorted(deltas)
    assert dl.curve(noise >> dl.Rounded(5), dl.noiseless(belief)).delta(F(1, 2)).upper == deltas[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "channel", [dl.Exact(), dl.Rounded(5), dl.discrete_gaussian(3), dl.two_sided_geometric(2)], ids=str
)
def test_anything_but_normal_noise_is_refused_and_the_least_noise_named(channel: dl.mechanisms.Channel) -> None:
    belief = RangeVariance(n=401, bounds=(0, 10), variance=25)
    with pytest.raises(
        dl.PreconditionError, match=r"parity.*ε = 0.5, δ = 1e-06 the least is rounded_gaussian\(6\.438\)"
    ):
        dl.curve(dl.Sum() >> channel, dl.noiseless(belief))
    least = belief.least_noise(dl.Sum(), epsilon="0.5", delta="1e-6")
    assert least is not None
    found = dl.curve(dl.Sum() >> dl.rounded_gaussian(least), dl.noiseless(belief)).delta(F(1, 2))
    assert found.certainly_at_most(F(1, 10**6))


def test_a_guarantee_prints_its_hypotheses() -> None:
    belief = RangeVariance(n=1001, bounds=(0, 1), variance="0.25")
    found = dl.verify(dl.Count() >> dl.rounded_gaussian("0.7"), dl.noiseless(belief), epsilon=0.5, delta="1e-12")
    assert found.verdict is dl.Verdict.PASS
    for words in ("not estimated from the data", "within their bounds", "noise are independent", "Goldstein 2010"):
        assert words in str(found)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"variance": "0.26"}, "range²/4 = 0.25, but got 0.26"),
        ({"total": 26}, r"100 · range²/4 = 25, but got 26"),
        ({"variance": -1}, "lies between 0 and"),
        ({}, "either variance"),
        ({"variance": "0.1", "total": 3}, "either variance"),
        ({"variance": "0.1", "bounds": (1, 0)}, r"Bounds must be \(lower, upper\)"),
        ({"variance": "0.1", "n": 0}, "at least one record"),
        ({"variance": "0.1", "known": 100}, "may know 0 to 99"),
        ({"variance": "0.1", "known": 1.0}, "below 1"),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], says: str) -> None:
    with pytest.raises(dl.InputError, match=says):
        RangeVariance(**({"n": 100, "bounds": (0, 1)} | bad))


def test_a_count_of_something_else_is_not_a_sum_of_values() -> None:
    belief = RangeVariance(n=100, bounds=(0, 10), variance=1)
    with pytest.raises(dl.PreconditionError, match="sum or a mean"):
        dl.curve(dl.Count(frozenset({5})) >> dl.rounded_gaussian(1), dl.noiseless(belief))


def test_a_secret_that_moves_nothing_needs_no_noise() -> None:
    belief = RangeVariance(n=100, bounds=(0, 1), variance="0.1")
    assert belief.curve(dl.Count(), Facts(()), dl.Exact(), known=0).delta(F(0)).upper == 0


def test_thresholds_from_range_and_variance() -> None:
    some = RangeVariance(n=10**6 + 1, bounds=(0, 1), variance="0.25").moments()
    assert some == dl.numerics.Moments(10**6, F(250_000), F(250_000))
    assert dl.judge.threshold_curve(some, shift=1, events="half-lines").delta(F(1, 10)).upper < 0.003
