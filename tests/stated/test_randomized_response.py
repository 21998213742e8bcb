"""Randomised response: its law, its estimate and interval, its size, and the total for an uncertain attacker."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.mechanisms.randomized_response import _mass
from dalenius.numerics.law import Law
from oracle import balls
from oracle import laws as lw
from oracle.balls import ball, precise

CH = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())["CH"]
BASIC = dl.mechanisms.RandomizedResponse(keep="3/4")
F = Fraction


def total(keep, truths):
    """The law of the number of published "yes", in fractions."""
    law = {0: F(1)}
    for truth in truths:
        yes = keep if truth else 1 - keep
        law = {k: law.get(k, 0) * (1 - yes) + law.get(k - 1, 0) * yes for k in range(len(law) + 1)}
    return law


@pytest.mark.parametrize("case", CH["rr_rmse"], ids=lambda c: f"n={c['n']} ε={c['eps']} ones={c['ones']}")
def test_golden_errors(case):
    response = dl.mechanisms.RandomizedResponse(epsilon=case["eps"])
    assert response.rmse(case["n"]).upper == pytest.approx(case["rmse_exact"], rel=1e-11)
    law = response.total(case["ones"], case["n"])
    k = np.arange(law.start, law.stop)
    estimate = case["a"] * k - case["b"] * case["n"]
    off = estimate - case["ones"]
    assert float((law.mass * off).sum()) == pytest.approx(0, abs=1e-7)
    assert math.sqrt(float((law.mass * off**2).sum())) == pytest.approx(case["rmse_exact"], rel=1e-9)
    clipped = np.clip(estimate, 0, case["n"]) - case["ones"]
    assert math.sqrt(float((law.mass * clipped**2).sum())) == pytest.approx(case["rmse_clipped"], rel=1e-9)
    for yes in (0, case["n"] // 3):
        found = response.estimate(yes=yes, n=case["n"])
        assert found.lower == pytest.approx(case["a"] * yes - case["b"] * case["n"], rel=1e-9)


def test_golden_estimate():
    golden = CH["rr_estimate_example"]
    found = BASIC.estimate(yes=golden["sumY"], n=golden["n"])
    assert found.lower == found.upper == golden["estimate"]
    assert BASIC.rmse(100).lower == pytest.approx(CH["rr_basic"]["n100"], rel=1e-11)


@pytest.mark.parametrize("keep", [F(3, 4), F(2, 3), F(99, 100)])
def test_the_estimate_is_unbiased_and_its_error_does_not_depend_on_the_data(keep):
    response, n = dl.mechanisms.RandomizedResponse(keep=keep), 6
    for ones in range(n + 1):
        law = total(keep, [1] * ones + [0] * (n - ones))
        estimates = {k: (k - n * (1 - keep)) / (2 * keep - 1) for k in law}
        for k, value in estimates.items():
            found = response.estimate(yes=k, n=n)
            assert F(found.lower) <= value <= F(found.upper)
        assert sum(p * estimates[k] for k, p in law.items()) == ones
        square = sum(p * (estimates[k] - ones) ** 2 for k, p in law.items())
        rmse = response.rmse(n)
        assert F(rmse.lower) ** 2 <= square <= F(rmse.upper) ** 2
        assert rmse.width < 1e-14 * rmse.upper


@pytest.mark.parametrize("case", CH["ex2.6"], ids=str)
def test_golden_sample_sizes(case):
    assert dl.mechanisms.RandomizedResponse(epsilon=case["eps"]).sample_size(case["alpha"]) == case["n"]


def test_the_sample_size_is_the_least():
    for keep, accuracy in itertools.product((F(3, 4), F(5, 8)), ("0.01", "0.1", "0.37")):
        n = dl.mechanisms.RandomizedResponse(keep=keep).sample_size(accuracy)
        need = keep * (1 - keep) / (2 * keep - 1) ** 2
        assert need <= n * F(accuracy) ** 2 and need > (n - 1) * F(accuracy) ** 2
    assert BASIC.sample_size("0.005") == 4 * BASIC.sample_size("0.01") == 30_000


@pytest.mark.parametrize("case", CH["ex2.5"]["cases"], ids=str)
def test_golden_tails(case):
    response = dl.mechanisms.RandomizedResponse(epsilon=case["eps"])
    law = response.total(case["ones"], case["n"])
    mean = case["ones"] * response.rate(1).lower + (case["n"] - case["ones"]) * response.rate(0).lower
    off = np.abs(np.arange(law.start, law.stop) - mean) >= case["t"] * math.sqrt(case["n"])
    exact = float(law.mass[off].sum())
    assert exact == pytest.approx(case["exact"], rel=1e-10)
    bound = response.tail_bound(case["t"])
    assert exact <= bound == pytest.approx(min(1, case["kearns_saul"]), rel=1e-9)
    assert bound <= min(1, case["hoeffding_c2"])


@precise
def kept(response):
    """The chance of a true answer in balls."""
    if response.keep is not None:
        return ball(response.keep)
    return 1 / (1 + (-1 / ball(response.scale)).exp())


@settings(max_examples=30)
@given(epsilon=st.fractions(F(1, 100), F(20)))
def test_stated_levels_are_drawn_at_a_level_not_above(epsilon):
    response = dl.mechanisms.RandomizedResponse(epsilon=epsilon)
    assert 0 <= epsilon - 1 / response.scale <= epsilon * F(1, 2**51)
    low, high = response.chances()
    truth = kept(response)
    assert low <= balls.upper(truth) and balls.lower(truth) <= high
    assert high - low < F(1, 10**30)
    assert F(response.level().lower) <= 1 / response.scale <= F(response.level().upper)
    no, yes = response.law(1)
    assert F(yes.lower) <= balls.upper(truth) and balls.lower(truth) <= F(yes.upper)
    assert response.law(0)[0] == yes and response.law(0)[1] == no


@settings(max_examples=25)
@given(
    epsilon=st.fractions(F(1, 10), F(8)), groups=st.lists(st.tuples(st.fractions(0, 1), st.integers(0, 40)), max_size=3)
)
def test_laws_of_counts_hold_the_truth(epsilon, groups):
    """In balls, at the level that is drawn."""
    response = dl.mechanisms.RandomizedResponse(epsilon=epsilon)
    found = response.counts(groups)

    @precise
    def truth():
        keep, law = kept(response), [arb(1)]
        for p, count in groups:
            yes = keep * ball(p) + (1 - keep) * ball(1 - p)
            for _ in range(count):
                law = [
                    (law[k] * (1 - yes) if k < len(law) else arb(0)) + (law[k - 1] * yes if k else arb(0))
                    for k in range(len(law) + 1)
                ]
        return law

    law = truth()
    mass, error = found.window(0, len(law))
    for k, p in enumerate(law):
        if found.start <= k < found.stop:
            assert F(float(mass[k])) - F(float(error[k])) <= balls.upper(p)
            assert balls.lower(p) <= F(float(mass[k])) + F(float(error[k]))
            assert error[k] <= 1e-11 * mass[k] + 1e-15


@pytest.mark.parametrize("confidence", [F(1, 2), F(95, 100)])
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_intervals_cover_as_often_as_they_say_and_are_those_of_the_definition(n, confidence):
    intervals = [BASIC.interval(yes=yes, n=n, confidence=confidence) for yes in range(n + 1)]
    half = (1 - confidence) / 2
    laws = [total(F(3, 4), [1] * ones + [0] * (n - ones)) for ones in range(n + 1)]
    for ones, law in enumerate(laws):
        assert sum(p for yes, p in law.items() if intervals[yes][0] <= ones <= intervals[yes][1]) >= confidence
    for yes, (first, last) in enumerate(intervals):
        kept_ones = [
            ones
            for ones, law in enumerate(laws)
            if sum(p for k, p in law.items() if k >= yes) >= half and sum(p for k, p in law.items() if k <= yes) >= half
        ]
        assert (first, last) == ((min(kept_ones), max(kept_ones)) if kept_ones else (first, last))


@pytest.mark.slow
def test_large_intervals_are_near_the_normal_ones():
    first, last = BASIC.interval(yes=42_000, n=100_000)
    centre, spread = BASIC.estimate(yes=42_000, n=100_000).lower, 1.959964 * BASIC.rmse(100_000).upper
    assert first == pytest.approx(centre - spread, abs=3) and last == pytest.approx(centre + spread, abs=3)


def test_tails_are_from_above():
    law = Law(0, 0.05 / np.arange(3.0, 103.0), np.full(100, 1e-19), 1e-20)
    for last in range(100):
        exact = sum(F(float(p)) + F(float(e)) for p, e in zip(law.mass[: last + 1], law.error, strict=False))
        assert F(_mass(law, 0, last)) >= exact + F(law.tail)
        assert _mass(law, 0, last) == pytest.approx(float(exact))
    assert _mass(Law(0, np.full(2, 0.1), np.zeros(2), 0.25), 0, 1) >= 0.45


@pytest.mark.parametrize("keep", [F(3, 4), F(2, 3), F(7, 9)])
def test_errors_are_bracketed_to_the_last_digit(keep):
    for n in range(1, 40):
        found = dl.mechanisms.RandomizedResponse(keep=keep).rmse(n)
        square = n * keep * (1 - keep) / (2 * keep - 1) ** 2
        assert F(found.lower) ** 2 <= square <= F(found.upper) ** 2


def test_nearly_certain_answers_are_not_certain():
    for n in (3, 5000):
        law = dl.mechanisms.RandomizedResponse(epsilon=100).total(n, n)
        assert float(law.window(n - 1, n)[1][0]) + law.tail > 0


@pytest.mark.parametrize("epsilon", ["0", "1/2", "1", "2"])
def test_the_curve_of_one_answer(epsilon):
    for response in (BASIC, dl.mechanisms.RandomizedResponse(epsilon=1)):
        found = response.curve().delta(F(epsilon))

        @precise
        def truth(response=response):
            keep = kept(response)
            return keep - ball(F(epsilon)).exp() * (1 - keep)

        value = max(F(0), balls.upper(truth()))
        assert F(found.lower) <= value and max(F(0), balls.lower(truth())) <= F(found.upper)
        assert found.width < 1e-14


def test_it_is_exactly_as_private_as_it_says():
    found = dl.papers.Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    made = dl.papers.FiniteMechanism.random(
        lambda row: {
            y: math.prod(F(3, 4) if a == b else F(1, 4) for a, b in zip(row, y, strict=True))
            for y in itertools.product((0, 1), repeat=2)
        },
        found,
    )
    leak = dl.papers.Neighbours.replace(found).epsilon(made).value
    level = BASIC.level()
    assert level.lower <= leak.upper and leak.lower <= level.upper
    assert "differential privacy" in str(BASIC)


def test_any_question_may_be_asked():
    assert BASIC.answer(lambda x: x > 3, 5) == 1 and BASIC.answer(lambda x: x > 3, 2) == 0
    assert "1[|x-1/2|>1]" in CH["alg2_typo"]["phi"]

    def phi(x):
        return abs(x - F(1, 2)) > 1

    assert BASIC.answer(phi, 2) == BASIC.answer(phi, 1 - 2)  # so that flipping the record would tell all


# -- the total ---------------------------------------------------------------------------------------------------------


def worst_total(keep, p, n, known, epsilon):
    """H both ways between the totals given the person's answers 0 and 1, worst over what the known records are."""
    found = []
    possible = [ones for ones in range(known + 1) if p**ones * (1 - p) ** (known - ones)]  # true answers
    for ones in possible:
        worlds = []
        for answer in (0, 1):
            law = total(keep, [answer] + [1] * ones + [0] * (known - ones))
            for _ in range(n - 1 - known):
                yes = keep * p + (1 - keep) * (1 - p)
                law = {k: law.get(k, 0) * (1 - yes) + law.get(k - 1, 0) * yes for k in range(len(law) + 1)}
            worlds.append(law)
        found.append(lw.both_ways(*worlds, epsilon))
    return balls.largest(found)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [F(0), F(1, 10), F(1, 2), F(1)])
@pytest.mark.parametrize(("n", "known"), [(1, 0), (2, 0), (2, 1), (5, 2), (8, 0), (8, 7)])
def test_totals_agree_with_brute_force(n, known, epsilon):
    for p in (F(1, 10), F(1, 2), F(1)):
        made = dl.mechanisms.ResponseTotal(BASIC, dl.IID(p=p, n=n, known=known))
        found, truth = made.curve().delta(epsilon), worst_total(F(3, 4), p, n, known, epsilon)
        assert F(found.lower) <= balls.upper(truth) and balls.lower(truth) <= F(found.upper)
        assert found.width < 1e-13


@pytest.mark.parametrize("known", [70, 100])
def test_many_known_records_are_bounded_from_both_sides(known):
    """Compared with all ways the known records may be, by floats."""
    p, n, keep = 0.3, 101, 0.75
    made = dl.mechanisms.ResponseTotal(BASIC, dl.IID(p="0.3", n=n, known=known))
    yes = keep * p + (1 - keep) * (1 - p)
    powers = {rate: [np.ones(1)] for rate in (keep, 1 - keep, yes)}
    for rate, laws in powers.items():
        for _ in range(n):
            laws.append(np.convolve(laws[-1], [1 - rate, rate]))
    rest = powers[yes][n - 1 - known]
    for epsilon in (0.0, 0.1, 0.3):
        worst = 0.0
        for ones in range(known + 1):
            others = np.convolve(np.convolve(powers[keep][ones], powers[1 - keep][known - ones]), rest)
            no, yes_world = (np.convolve(others, [1 - b, b]) for b in (1 - keep, keep))
            for a, b in ((no, yes_world), (yes_world, no)):
                worst = max(worst, float(np.maximum(a - math.exp(epsilon) * b, 0).sum()))
        found = made.curve().delta(F(str(epsilon)))
        assert found.lower <= worst + 1e-12 and worst <= found.upper + 1e-12
        assert found.upper <= 20 * worst + 1e-12


@pytest.mark.slow
def test_the_total_tells_less_than_the_answers_and_says_so():
    made = dl.mechanisms.ResponseTotal(dl.mechanisms.RandomizedResponse(epsilon=1), dl.IID(p="0.1", n=1000, known=10))
    total_leak, local = made.guarantees()
    assert total_leak.epsilon.upper < 0.2 < local.epsilon.upper
    assert total_leak.evidence == "computed" and local.evidence == "proved"
    law = made.law(1, known_ones=3)
    assert float(law.mass.sum()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (dl.mechanisms.RandomizedResponse, "either epsilon"),
        (lambda: dl.mechanisms.RandomizedResponse(epsilon=1, keep="3/4"), "either epsilon"),
        (lambda: dl.mechanisms.RandomizedResponse(keep="1/2"), "between 1/2 and 1"),
        (lambda: dl.mechanisms.RandomizedResponse(keep=1), "between 1/2 and 1"),
        (lambda: dl.mechanisms.RandomizedResponse(epsilon=0), "above 0"),
        (lambda: BASIC.estimate(yes=5, n=4), "published answers"),
        (lambda: BASIC.interval(yes=-1, n=4), "published answers"),
        (lambda: BASIC.interval(yes=1, n=4, confidence=1), "confidence"),
        (lambda: BASIC.rmse(0), "at least one"),
        (lambda: BASIC.sample_size(0), "accuracy"),
        (lambda: BASIC.law(2), "0 or 1"),
        (lambda: BASIC.rate(2), "between 0 and 1"),
        (lambda: BASIC.tail_bound(0), "above 0"),
        (lambda: BASIC.total(5, 4), "true answers"),
        (lambda: dl.mechanisms.ResponseTotal(BASIC, dl.IID(values={1: "1/2", 5: "1/2"}, n=4)), "yes/no"),
        (lambda: dl.mechanisms.ResponseTotal(BASIC, dl.IID(p="1/2", n=4)).law(1, known_ones=1), "known records"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(dl.InputError, match=message):
        call()
