"""What rules are worth: golden values, closed forms, exhaustive lists, and what is said about them."""

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dalenius as dl
from dalenius.plan.rules import CENSUS_2000, CENSUS_COUNTS, SUPPRESS_1_TO_10, Graded, Threshold, attack, worth

CW = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text(encoding="utf-8"))["CW"]
HALF = attack(rate="1/2")


@pytest.mark.slow
@pytest.mark.parametrize(("least", "epsilon", "golden"), [(10, 1, 9.467e-4), (10, 2, 6.06e-7), (20, 1, 9.155e-6)])
def test_hiding_small_counts_and_zeros(least, epsilon, golden):
    found = worth(Threshold(least), epsilon=epsilon)
    assert found.delta.lower == pytest.approx(golden, rel=2e-4) and found.delta.width < 2e-6 * found.delta.upper
    assert f"{least} or more: probability at least" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm10_poisson_sup"]["cases"], ids=str)
def test_the_worst_mean_is_that_of_the_closed_form(case):
    """δ* = P(B ≥ k - 1) - e^ε P(B ≥ k) at the mean (k - 1) e^-ε is proved for one direction; both were searched."""
    found = worth(Threshold(case["k"]), epsilon=str(case["eps"]))
    assert found.delta.lower <= case["delta_star"] * (1 + 1e-11) and found.delta.upper >= case["delta_star"]
    assert found.delta.width < 2e-6 * found.delta.upper
    assert float(found.at[0]) == pytest.approx(case["lam_star"], rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("least", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "1", "2"])
def test_no_mean_and_no_direction_is_worse_than_the_closed_form(least, epsilon):
    at = float(Fraction(epsilon))
    mean = (least - 1) * math.exp(-at)
    star = stats.poisson.sf(least - 2, mean) - math.exp(at) * stats.poisson.sf(least - 1, mean)
    found = worth(Threshold(least), epsilon=epsilon).delta
    assert found.lower <= star * (1 + 1e-9) and star <= found.upper * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm10_poisson_kmin_exact"], ids=str)
def test_golden_least_thresholds(case):
    wanted = str(case["delta"])
    assert dl.rules.threshold_needed(epsilon=str(case["eps"]), delta=wanted) == case["k_min"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CW["thm10_binomial_kmin"]["cases"], ids=str)
def test_golden_least_thresholds_of_bernoulli_samples(case):
    against = attack(rate=str(case["p"]))
    least = dl.rules.threshold_needed(epsilon=str(case["eps"]), delta=str(case["delta"]), against=against)
    assert least == case["k_min"]
    found = worth(Threshold(least), epsilon=str(case["eps"]), against=against)
    assert found.delta.lower == pytest.approx(case["sup_delta"], rel=1e-6)
    assert found.at == (case["worst_A"],) or found.delta.width < 1e-5 * found.delta.upper


@pytest.mark.parametrize("rule", [SUPPRESS_1_TO_10, CENSUS_2000, Threshold(30, zeros="shown"), Threshold(1)], ids=str)
def test_rules_that_show_zeros_are_worthless_for_rare_cells_and_say_why(rule):
    for against in (attack(), HALF, attack(known=2)):
        found = worth(rule, epsilon=1, against=against)
        assert found.delta.lower > 1 - 1e-9
        assert "for sure that somebody is there" in found.why and "at most 0 if the person is not" in str(found)
    assert rule.shows_zeros


def test_showing_zeros_tends_to_one_as_the_cell_gets_rare():
    deltas = [worth(Threshold(10, zeros="shown"), epsilon=3).delta.lower]
    codes = Threshold(10, zeros="shown").codes
    for mean in (0.1, 0.01, 0.001):
        masses = stats.poisson.pmf(np.arange(60), mean)
        p, q = (np.bincount(codes(np.arange(60) + more), weights=masses, minlength=60) for more in (1, 0))
        deltas.append(float(np.maximum(p - math.exp(3) * q, 0).sum()))
    assert deltas[0] > deltas[3] > deltas[2] > deltas[1] and deltas[3] > 0.97


def by_table(told, epsilon, most, known=0):
    """The worst number of others, each counted with probability 1/2, by listing what is published."""
    worst = 0.0
    for others in range(most):
        masses = stats.binom.pmf(np.arange(others + 1), others, 0.5)
        laws = [{}, {}]
        for count, mass in enumerate(masses):
            for law, more in zip(laws, (1, 0), strict=True):
                label = told(count + more + known)
                law[label] = law.get(label, 0.0) + float(mass)
        for p, q in (laws, laws[::-1]):
            worst = max(worst, sum(max(0.0, mass - math.exp(epsilon) * q.get(label, 0.0)) for label, mass in p.items()))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [Threshold(6), Threshold(1, base=3), Threshold(4, base=5), Threshold(1, base=10), CENSUS_COUNTS, CENSUS_2000],
    ids=str,
)
def test_rules_agree_with_listing_all_numbers_of_others(rule):
    found = worth(rule, epsilon=1, against=HALF)
    truth = by_table(rule.told, 1.0, 130)
    assert found.delta.lower * (1 - 1e-9) <= truth <= found.delta.upper * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Threshold(6), Threshold(1, base=5), Threshold(6, zeros="shown")], ids=str)
def test_known_persons_move_the_count_to_where_the_rule_is_weak(rule):
    found = worth(rule, epsilon=1, against=attack(rate="1/2", known=3))
    truth = max(by_table(rule.told, 1.0, 90, known) for known in range(4))
    assert found.delta.lower * (1 - 1e-9) <= truth <= found.delta.upper * (1 + 1e-9)


def test_a_threshold_with_known_persons_is_a_lower_threshold():
    known, plain = worth(Threshold(10), epsilon=1, against=attack(known=4)), worth(Threshold(6), epsilon=1)
    assert known.delta.lower == pytest.approx(plain.delta.lower, rel=1e-5)
    assert worth(Threshold(10), epsilon=1, against=attack(known=9)).delta.lower > 1 - 1e-9


@pytest.mark.slow
def test_smaller_rates_are_no_worse_and_poisson_is_the_limit():
    deltas = [worth(Threshold(8), epsilon=1, against=attack(rate=rate)).delta for rate in ("1/100", "1/10", "1/2")]
    assert worth(Threshold(8), epsilon=1).delta.lower <= deltas[0].upper
    assert all(one.lower <= two.upper for one, two in pairwise(deltas))
    assert deltas[0].lower == pytest.approx(worth(Threshold(8), epsilon=1).delta.lower, rel=0.1)


@pytest.mark.slow
def test_in_which_of_two_cells_is_worse_than_whether_in_one():
    one, two = (worth(Threshold(6), epsilon=1, against=attack(secret=secret)) for secret in ("presence", "value"))
    assert two.delta.lower > one.delta.upper and len(two.at) == 2
    assert "in the second" in str(two)
    gap = two.witness.first - math.e * two.witness.second
    assert two.delta.lower * (1 - 1e-2) <= gap <= two.delta.upper


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Threshold(10), Threshold(1, base=5), CENSUS_COUNTS, SUPPRESS_1_TO_10], ids=str)
def test_the_witness_attains_the_lower_bound(rule):
    found = worth(rule, epsilon=1)
    gap = found.witness.first - math.e * found.witness.second
    assert gap == pytest.approx(found.delta.lower, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [
        *(
            Threshold(k, zeros=zeros, base=base)
            for k in (1, 10, 11)
            for zeros in ("hidden", "shown")
            for base in (1, 3, 5)
        ),
        Threshold(1, base=10),
        CENSUS_COUNTS,
        CENSUS_2000,
        Graded("odd", ((4, 3), (20, 10)), low=(0, 2)),
    ],
    ids=str,
)
def test_labels_change_where_what_is_told_changes(rule):
    counts = np.arange(130_000 if rule is CENSUS_COUNTS else 300)
    told = [rule.told(int(count)) for count in counts]
    steps = np.diff(rule.codes(counts))
    assert set(steps.tolist()) <= {0, 1}
    assert [one != two for one, two in pairwise(told)] == (steps == 1).tolist()


def test_the_census_rules_are_as_published():
    shown = {14: "0 to 14", 15: "20", 25: "20", 26: "30", 94: "90", 95: "100", 124: "100", 125: "100", 126: "150"}
    shown |= {999: "1000", 1049: "1000", 1050: "1000", 1051: "1100", 9950: "10000", 99_750: "100000", 100_500: "100000"}
    assert {count: CENSUS_COUNTS.told(count) for count in shown} == shown
    assert [CENSUS_2000.told(count) for count in (0, 1, 7, 8, 12, 13, 864, 982)] == [
        "0", "1 to 7", "1 to 7", "10", "10", "15", "865", "980",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_least_base_is_certified_by_itself():
    base = dl.rules.base_needed(epsilon=1, delta="1/1000")
    assert base == 20
    assert (
        worth(Threshold(1, base=20), epsilon=1).delta.upper
        <= 1e-3
        < worth(Threshold(1, base=10), epsilon=1).delta.lower
    )
    assert dl.rules.base_needed(epsilon="1/100", delta="1e-9", bases=(2, 5)) is None


@pytest.mark.slow
def test_a_table_has_a_line_a_rule_and_rounds_up():
    found = dl.rules.worths([Threshold(10), Threshold(20)], epsilons=[1, 2])
    lines = dl.rules.table(found).splitlines()
    assert len(lines) == 3 and "0.0009467" in lines[1] and "9.155e-6" in lines[2]
    assert [one["epsilon"] for one in dl.rules.as_json(found)] == [1.0, 2.0, 1.0, 2.0]


def test_bad_input_says_what_is_needed():
    for call, told in (
        (lambda: Threshold(0), "threshold must be a whole number of at least 1, but got 0"),
        (lambda: Threshold(10, base=0), "base for rounding"),
        (lambda: Threshold(10, zeros="gone"), "hidden"),
        (lambda: Threshold(2, zeros="shown", base=10), "published as 0 too"),
        (lambda: worth(Threshold(10), epsilon=-1), "from 0 to 100"),
        (lambda: worth(Threshold(10), epsilon="x"), "finite number"),
        (lambda: attack(rate=1), "strictly between 0 and 1, but got 1.*no rule hides"),
        (lambda: attack(rate=0), "strictly between"),
        (lambda: attack(known=-1), "known persons"),
        (lambda: attack(secret="salary"), "presence"),
        (lambda: dl.rules.threshold_needed(epsilon=1, delta=0), "delta must lie"),
        (lambda: dl.rules.threshold_needed(epsilon=0, delta="1e-9"), "No threshold up to"),
    ):
        with pytest.raises(dl.InputError, match=told):
            call()


def test_a_bound_at_a_smaller_epsilon_holds_at_a_larger_one():
    found = dl.rules.worths([dl.rules.Threshold(10**12)], epsilons=[2, 1, 4])
    uppers = {one.epsilon: one.delta.upper for one in found}
    assert uppers[1] >= uppers[2] >= uppers[4]
    assert [one.epsilon for one in found] == [2, 1, 4]
