"""Hedged counts: exact windows against all rates, by brute force and in balls; the paper's windows; what is refuted."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.mechanisms import hedging as module
from dalenius.mechanisms.hedging import corrected_window
from dalenius.numerics.exponentials import sign
from dalenius.papers.definitions.instances import hedging
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.mechanisms.refuted import printed_hedging_window
from stated import kernels

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())["pf_alg3"]
EXACT = [name for name in GOLDEN if name.startswith("exact_window")]
SIZES = [name for name in GOLDEN if name.startswith("min_n_nonempty")]
KINDS = [("0.3", "1/2", "0.4"), ("0.3", "2", "0.05"), ("1/2", "1", "0.2"), ("0.1", "3", "0.01")]
SMALL = [(n, *kind) for n in range(1, 9) for kind in KINDS]


def parts(name):
    return {key: value for key, _, value in (part.partition("=") for part in name.split(" ")[-1].split(","))}


def made(case, **more):
    return dl.mechanisms.HedgedCount(case["q*"], n=int(case["n"]), epsilon=case["eps"], alpha=case["alpha"], **more)


@pytest.mark.parametrize("name", EXACT)
def test_golden_exact_windows(name):
    case, golden = parts(name), GOLDEN[name]
    assert window(made(case)) == golden["exact_null_pairs"]
    assert window(made(case, pairs="value")) == golden["exact_value_pairs"]
    assert window(made(case, cut="corrected")) == golden["paper_corrected"] or made(case, cut="corrected").window.empty


def window(mechanism):
    return [mechanism.window.low, mechanism.window.high]


@pytest.mark.parametrize("name", GOLDEN["windows"])
def test_golden_windows_of_the_paper(name):
    case, golden = parts(name), GOLDEN["windows"][name]
    found = made(case, cut="corrected").window
    assert found.high == golden["k_hi"] and found.low == max(1, golden["k_lo"])
    printed = printed_hedging_window(case["q*"], n=int(case["n"]), epsilon=case["eps"], alpha=case["alpha"])
    assert printed.high == golden["literal_printed_k_hi"]
    assert printed.empty


@pytest.mark.parametrize("name", SIZES)
def test_golden_least_sizes_of_the_paper_s_window(name):
    case, golden = parts(name), GOLDEN[name]
    rest = Fraction(case["q*"]), Fraction(case["eps"]), Fraction(case["alpha"])
    assert corrected_window(rest[0], golden["n"] - 1, *rest[1:]).empty
    found = corrected_window(rest[0], golden["n"], *rest[1:])
    assert [found.low, found.high] == golden["window"]


def likelihoods(n, k, q):
    """Of the count k: given "yes", "no" and absence."""
    one = math.comb(n - 1, k - 1) * q ** (k - 1) * (1 - q) ** (n - k) if k else 0 * q
    two = math.comb(n - 1, k) * q**k * (1 - q) ** (n - 1 - k) if k < n else 0 * q
    return one, two, math.comb(n, k) * q**k * (1 - q) ** (n - k)


def worst(n, k, stated, alpha, pairs):
    """The largest log ratio over a fine grid of rates."""
    grid = np.linspace(0, 1, 10_001)
    mixed = [
        alpha * a + (1 - alpha) * b for a, b in zip(likelihoods(n, k, stated), likelihoods(n, k, grid), strict=True)
    ]
    compared = [(mixed[0], mixed[2]), (mixed[1], mixed[2])] if pairs == "presence" else [(mixed[0], mixed[1])]
    with np.errstate(divide="ignore"):
        return max(float(np.abs(np.log(a) - np.log(b)).max()) for a, b in compared)


@pytest.mark.parametrize(("n", "q", "epsilon", "alpha"), SMALL)
@pytest.mark.parametrize("pairs", ["presence", "value"])
def test_windows_hold_every_count_around_the_middle_that_keeps_epsilon(n, q, epsilon, alpha, pairs):
    """For every count whether it is allowed, against a search over rates; the window is a run of those."""
    found = dl.mechanisms.HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha, pairs=pairs).window
    target = float(Fraction(epsilon))
    allowed = {k for k in range(1, n) if worst(n, k, float(Fraction(q)), float(alpha), pairs) <= target}
    if found.empty:
        assert not allowed
        return
    assert set(range(found.low, found.high + 1)) <= allowed
    assert found.low - 1 not in allowed and found.high + 1 not in allowed
    assert min(abs(k - n * Fraction(q)) for k in allowed) in {
        abs(k - n * Fraction(q)) for k in range(found.low, found.high + 1)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("n", "q", "epsilon", "alpha"), SMALL[::3])
def test_all_outputs_keep_epsilon_for_many_attackers(n, q, epsilon, alpha):
    mechanism = dl.mechanisms.HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha)
    x, share = Fraction(math.exp(-float(Fraction(epsilon)))), Fraction(alpha)
    for other in map(Fraction, ("0", "0.01", "0.2", "0.45", "0.7", "0.95", "1")):
        found = kernels.worlds(n, tuple(window(mechanism)), x, [(share, Fraction(q)), (1 - share, other)])
        assert kernels.presence(found) <= float(Fraction(epsilon)) * (1 + 1e-12)


@pytest.mark.parametrize("n", [2, 5])
def test_the_definition_on_finite_worlds_agrees(n):
    mechanism = dl.mechanisms.HedgedCount("0.3", n=n, epsilon=2, alpha="0.4")
    q, others = Fraction(3, 10), [Fraction(1, 20), Fraction(6, 10), Fraction(95, 100)]
    hidden = hedging({0: 1 - q, 1: q}, "0.4", [{0: 1 - p, 1: p} for p in others], n)
    rows = [kernels.kernel(n, tuple(window(mechanism)), Fraction(math.exp(-2)), k) for k in range(n + 1)]
    release = FiniteMechanism.random(lambda row: rows[sum(v for v in row if v is not None)], hidden.scenarios[0])
    truth = max(
        kernels.presence(
            kernels.worlds(
                n, tuple(window(mechanism)), Fraction(math.exp(-2)), [(Fraction(2, 5), q), (Fraction(3, 5), p)]
            )
        )
        for p in others
    )
    assert hidden.epsilon(release).value.upper == pytest.approx(truth, abs=1e-12)
    assert truth <= 2 + 1e-12


def worst_of_many(n, k, stated, alpha, pairs, epsilon):
    """The largest log ratio over a fine grid of log odds, in logarithms: for large n."""
    centre = np.log(k) - np.log(n - k)
    odds = np.concatenate(
        [np.linspace(centre - 2 * epsilon - 2, centre + 2 * epsilon + 2, 40_001), np.linspace(-60, 60, 999)]
    )
    yes, no = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)  # log q, log(1-q)
    base, rest = np.log(stated), np.log1p(-stated)
    log_w = (k - 1) * (yes - base) + (n - k) * (no - rest) + np.log1p(-alpha) - np.log(alpha)
    worlds = (
        np.logaddexp(0, log_w),
        np.logaddexp(base - rest, log_w + yes - no) + np.log(n - k) - np.log(k),
        np.logaddexp(base, log_w + yes) + np.log(n) - np.log(k),
    )
    compared = [(0, 2), (1, 2)] if pairs == "presence" else [(0, 1)]
    return max(float(np.abs(worlds[i] - worlds[j]).max()) for i, j in compared)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    q=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=1000),
    n=st.integers(2, 50_000),
    epsilon=st.fractions(Fraction(1, 10), Fraction(2), max_denominator=100),
    alpha=st.sampled_from([Fraction(1, 1000), Fraction(1, 20), Fraction(2, 5)]),
    pairs=st.sampled_from(["presence", "value"]),
)
def test_large_windows_hold_and_cannot_be_wider(q, n, epsilon, alpha, pairs):
    found = dl.mechanisms.HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha, pairs=pairs).window
    if found.empty:
        return
    for k in (found.low, (found.low + found.high) // 2, found.high):
        assert worst_of_many(n, k, float(q), float(alpha), pairs, float(epsilon)) <= float(epsilon) + 1e-8
    for k in (found.low - 1, found.high + 1):
        if 0 < k < n:
            assert worst_of_many(n, k, float(q), float(alpha), pairs, float(epsilon)) > float(epsilon) - 1e-5


@pytest.mark.slow
def test_a_million_records_take_less_than_a_few_seconds():
    found = dl.mechanisms.HedgedCount("1/2", n=10**6, epsilon="0.9", alpha="0.001").window
    assert (found.low, found.high) == (278_337, 721_663)


@pytest.mark.parametrize("n", [10, 300])
def test_the_paper_s_window_is_within_the_exact_one(n):
    for q, epsilon, alpha in (("1/2", "3", "0.4"), ("0.2", "6", "0.1")):
        paper = dl.mechanisms.HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha, cut="corrected").window
        exact = dl.mechanisms.HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha).window
        assert paper.empty or (exact.low <= paper.low and paper.high <= exact.high)


def test_an_empty_window_is_told_not_raised():
    mechanism = dl.mechanisms.HedgedCount("1/2", n=20, epsilon="0.1", alpha="0.001")
    assert mechanism.window.empty
    assert "no count can be earned" in str(mechanism)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"alpha": 0}, "between 0 and 1/2"),
        ({"alpha": "0.5"}, "between 0 and 1/2"),
        ({"cut": "printed"}, "corrected"),
        ({"pairs": "value", "cut": "corrected"}, "presence"),
        ({"n": 0}, "at least one record"),
    ],
)
def test_bad_input(more, message):
    with pytest.raises(dl.InputError, match=message):
        dl.mechanisms.HedgedCount("1/2", **{"n": 10, "epsilon": 1, "alpha": "0.1", **more})


def test_what_the_judge_rounds_is_on_the_strict_side():
    for epsilon in (Fraction(1, 3), Fraction(2), Fraction(7, 10)):
        judge = module._Judge(Fraction(1, 2), 10, epsilon, Fraction(1, 7), "presence")
        assert sign([(1, epsilon), (-Fraction(judge.factor), 0)]) > 0
        assert float(judge.odds.radius) >= 2.0**-53 * abs(float(judge.odds.middle)) > 0


def test_hedged_counts_go_with_nothing_else():
    hedged = dl.mechanisms.HedgedCount("1/2", n=100, epsilon=1, alpha="0.1")
    noise = dl.mechanisms.LaplaceNoise(1, epsilon="0.01")
    with pytest.raises(dl.CombinationError, match="only release"):
        dl.mechanisms.combine(noise, hedged)
    with pytest.raises(dl.CombinationError, match="only release"):
        dl.compose([(hedged.curve(), 1), (noise.curve(), 1)])
    with pytest.raises(dl.CombinationError):
        dl.compose([(hedged.curve(), 2)])
    assert dl.mechanisms.combine(hedged).upper == 1
    assert dl.compose([(hedged.curve(), 1)]) is not None
    assert issubclass(dl.CombinationError, dl.PreconditionError)


def test_noise_beside_a_hedged_count_breaks_it():
    """Why: records have a second attribute, and its noisy count tells which rate to believe in. The exact count alone
    keeps ε; with a release that is ε₁-differentially private, ε + ε₁ does not hold.
    """
    n, stated, alpha, epsilon = 400, Fraction(1, 2), Fraction(1, 1000), 1.0
    mechanism = dl.mechanisms.HedgedCount(stated, n=n, epsilon=1, alpha=alpha)
    k, other = mechanism.window.low, 0.02
    # the other law has the second attribute always, the stated one never; the noisy count says n
    one = 0.5  # ε₁
    lifted = math.exp(one * (n - 80))  # likelihood ratio of the noisy count for the other law, at least
    log_w = (k - 1) * math.log(other / 0.5) + (n - k) * math.log((1 - other) / 0.5) + math.log(lifted)
    weight = (1 - float(alpha)) * math.exp(log_w)
    ratio = (float(alpha) + weight) / ((float(alpha) * 0.5 + weight * other) * n / k)
    assert math.log(ratio) - one > epsilon + one  # whatever the person's own second attribute does


@pytest.mark.parametrize("cut", ["exact", "corrected"])
def test_weights_below_the_smallest_floats(cut):
    """They promise more than larger ones, so that their windows are narrower."""
    small, large = (
        dl.mechanisms.HedgedCount("1/2", n=20_000, epsilon=1, alpha=alpha, cut=cut).window
        for alpha in ("1e-400", "1e-300")
    )
    assert large.low < small.low or small.empty
    assert small.empty or small.high < large.high
    assert cut == "corrected" or not small.empty
