"""Exact counts that every rate of a ball has earned, and noisy releases beside them."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.papers.definitions.instances import single_prior
from dalenius.papers.mechanisms.finite import FiniteMechanism
from stated import kernels

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())["pf_prior_ball"]
SMALL = [(n, *kind) for n in range(1, 9) for kind in (("0.3", "2", "0.4"), ("1/2", "1/2", "0.1"), ("0.3", "1/2", "0"))]


def rates(q, beta, count=4):
    """Rates of the ball, its ends among them (to float precision)."""
    odds = math.log(q / (1 - q))
    return [1 / (1 + math.exp(-odds - beta * (2 * t / (count - 1) - 1))) for t in range(count)]


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_windows(name):
    case, golden = {k: v for k, _, v in (part.partition("=") for part in name.split(","))}, GOLDEN[name]
    made = dl.mechanisms.BallCount(case["q"], n=int(case["n"]), epsilon=case["eps"], beta=case["beta"])
    assert (made.window.low, made.window.high) == (golden["k_lo"], golden["k_hi"])
    found = made.exact_part()
    assert found.lower - 1e-13 <= golden["worst"] <= found.upper + 1e-13
    assert found.width < 1e-14


@pytest.mark.slow
@pytest.mark.parametrize(("n", "q", "epsilon", "beta"), SMALL)
def test_every_rate_of_the_ball_is_kept_from_knowing(n, q, epsilon, beta):
    made = dl.mechanisms.BallCount(q, n=n, epsilon=epsilon, beta=beta)
    target = float(Fraction(epsilon))
    for rate in rates(float(Fraction(q)), float(beta)):
        x = Fraction(math.exp(-target))
        found = kernels.worlds(n, (made.window.low, made.window.high), x, [(1, Fraction(rate))])
        assert kernels.presence(found) <= target * (1 + 1e-12)
        assert kernels.values(found) <= made.guarantees()[1].epsilon.upper * (1 + 1e-12)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    q=st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=1000),
    n=st.integers(1, 10**6),
    epsilon=st.fractions(Fraction(1, 20), Fraction(3), max_denominator=100),
    beta=st.fractions(Fraction(0), Fraction(1), max_denominator=100),
)
def test_windows_are_the_widest(q, n, epsilon, beta):
    made = dl.mechanisms.BallCount(q, n=n, epsilon=epsilon, beta=beta)

    def worst(k):
        found = 0.0
        for p in (rates(float(q), float(beta), 2)[0], rates(float(q), float(beta), 2)[1]):
            found = max(found, abs(math.log(k / (n * p))), abs(math.log((n - k) / (n * (1 - p)))))
        return found

    if not made.window.empty:
        assert worst(made.window.low) <= epsilon + 1e-9 and worst(made.window.high) <= epsilon + 1e-9
    for k in (made.window.low - 1, made.window.high + 1):
        assert not 0 < k < n or worst(k) > epsilon - 1e-9


def test_without_a_ball_it_is_the_single_prior_count():
    for n in (1, 7, 1000):
        one, other = (
            dl.mechanisms.BallCount("0.2", n=n, epsilon="0.7", beta=0),
            dl.mechanisms.SinglePriorCount("0.2", n=n, epsilon="0.7"),
        )
        assert one.window == other.window or (one.window.empty and other.window.empty)


def test_a_noisy_release_beside_it_adds_up():
    """Two attributes; the count of the first is earned, that of the second has geometric noise. Finite worlds."""
    n, ratio = 3, Fraction(1, 2)
    law = {(0, 0): "3/10", (0, 1): "2/10", (1, 0): "1/10", (1, 1): "4/10"}
    made = dl.mechanisms.BallCount("1/2", n=n, epsilon=1, beta=0)
    hidden = single_prior(law, n)
    rows = [kernels.kernel(n, (made.window.low, made.window.high), Fraction(math.exp(-1)), k) for k in range(n + 1)]
    noisy = [kernels.kernel(n, (1, 0), ratio, k) for k in range(n + 1)]

    def both(row):
        first, second = (sum(v[i] for v in row if v is not None) for i in (0, 1))
        return {(a, b): p * q for a, p in rows[first].items() for b, q in noisy[second].items()}

    found = hidden.epsilon(FiniteMechanism.random(both, hidden.scenarios[0])).value
    assert found.lower > made.exact_part().lower
    bound = dl.mechanisms.combine(made, dl.mechanisms.LaplaceNoise(1, epsilon=Fraction(math.log(2) * (1 + 1e-15))))
    assert found.upper <= bound.upper
    assert bound.upper == pytest.approx(1 + math.log(2))


def test_what_may_go_beside_it():
    ball = dl.mechanisms.BallCount("1/2", n=100, epsilon="0.5", beta="0.1")
    noise = dl.mechanisms.LaplaceNoise(1, epsilon="0.25")
    assert dl.mechanisms.combine(ball, noise, noise).upper == 1
    assert (
        dl.mechanisms.combine(
            noise, dl.mechanisms.RandomizedResponse(epsilon="0.25"), dl.mechanisms.SumWithin(10, epsilon="0.5")
        ).upper
        <= 1
    )
    with pytest.raises(dl.CombinationError, match="who is among them"):
        dl.mechanisms.combine(ball, dl.mechanisms.RandomizedResponse(epsilon="0.25"))
    with pytest.raises(dl.CombinationError, match="At most one exact count"):
        dl.mechanisms.combine(ball, dl.mechanisms.SinglePriorCount("1/2", n=100, epsilon="0.5"))
    with pytest.raises(dl.CombinationError, match="hide the same thing"):
        dl.mechanisms.combine(ball, dl.mechanisms.SumWithin(10, epsilon=1))
    with pytest.raises(dl.CombinationError):
        dl.compose([(ball.curve(), 1), (noise.curve(), 1)])
    with pytest.raises(dl.InputError, match="at least one mechanism"):
        dl.mechanisms.combine()
    with pytest.raises(dl.InputError, match="δ > 0"):
        dl.mechanisms.combine(noise, dl.mechanisms.GaussianNoise(1, scale=5))


@pytest.mark.parametrize(
    ("more", "message"),
    [({"beta": "-0.1"}, "at least 0"), ({"n": 0}, "at least one record"), ({"epsilon": 0}, "above 0")],
)
def test_bad_input(more, message):
    with pytest.raises(dl.InputError, match=message):
        dl.mechanisms.BallCount("1/2", **{"n": 10, "epsilon": 1, "beta": "0.1", **more})


def test_an_empty_window_is_told_not_raised():
    made = dl.mechanisms.BallCount("1/2", n=50, epsilon="0.1", beta=1)
    assert made.window.empty and made.exact_part().upper == 0
    assert "no count can be earned" in str(made)
