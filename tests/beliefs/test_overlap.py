"""The overlap bound T2: above the truth always, and equal to its own formula where each K is taken singly."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.beliefs import worst
from dalenius.beliefs.crowd import crowd_of
from dalenius.beliefs.worst import coins_curve, overlap_curve
from dalenius.facts.secret import Pair
from oracle import balls, binomial, strategies
from oracle import laws as lw
from oracle.noiseless import Problem, worst_delta

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
STEP = (Pair(0, 1), Pair(1, 0))
FLOOR = 2e-12  # masses of K are rounded down by this much, and what is missing counts as δ = 1


def exact_overlaps(law: lw.Law, step: int) -> Fraction:
    """Greedy from the left, in fractions."""
    taken: dict[int, Fraction] = {}
    for k in range(min(law), max(law) + 1):
        free = 2 * law.get(k, Fraction(0)) - taken.get(k - step, Fraction(0))
        taken[k] = max(Fraction(0), min(free, 2 * law.get(k + step, Fraction(0))))
    return sum(taken.values(), Fraction(0))


@balls.precise
def mean_profile(weights: list[Fraction], epsilon: Fraction, *, shift: int = 1, rate: Fraction = Fraction(1, 2)) -> arb:
    """The mean over K, a sum of yes/no coins, of the profile of Bin(K, rate) against its shift."""
    active, total = lw.sum_of([lw.bernoulli(w) for w in weights]), arb(0)
    for k, mass in active.items():
        coins = lw.binomial(k, rate) if k else {0: Fraction(1)}
        total += balls.ball(mass) * lw.both_ways(coins, lw.shift(coins, shift), epsilon)
    return total


@given(law=strategies.laws(max_size=5), step=st.integers(1, 3))
def test_overlaps_are_not_above_the_greedy_optimum_and_close(law: lw.Law, step: int) -> None:
    crowd = crowd_of([law, {0: Fraction(1, 3), 1: Fraction(1, 3), 20: Fraction(1, 3)}], [1, 1])
    weights, counts = crowd.overlaps(step)
    assert counts.tolist() == [1, 1]
    truth = exact_overlaps(law, step)
    assert truth - Fraction(1, 10**14) <= Fraction(float(weights[0])) <= truth


@given(rates=st.lists(strategies.inner_rates(), min_size=1, max_size=5, unique=True))
def test_overlaps_of_yes_no_records_are_twice_the_smaller_chance(rates: list[Fraction]) -> None:
    crowd = crowd_of([{0: 1 - p, 1: p} for p in rates], [1] * len(rates))
    weights, counts = crowd.overlaps(1)
    wanted = sorted(2 * min(p, 1 - p) for p in rates)
    found = sorted(np.repeat(weights, counts).tolist())
    for weight, truth in zip(found, wanted, strict=True):
        assert truth - Fraction(1, 10**14) <= Fraction(weight) <= truth
    assert not crowd.overlaps(2)[0].any()


@pytest.mark.slow
@given(
    weights=st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.999, 1.0, 1e-6, 1 / 3]), min_size=1, max_size=7),
    removed=st.integers(0, 3),
    shift=st.sampled_from([1, 2]),
    epsilon=st.sampled_from(strategies.TYPICAL_EPSILONS[:7]),
)
@settings(max_examples=50)
def test_the_mean_over_live_coins_is_its_formula_without_the_likeliest(
    weights: list[float], removed: int, shift: int, epsilon: Fraction
) -> None:
    types, counts = np.unique(weights, return_counts=True)
    with np.errstate(all="ignore"):
        bracket = coins_curve(types, counts, removed, rate=0.5, shift=shift).delta(epsilon)
    left = sorted(map(Fraction, weights))[: max(0, len(weights) - removed)]
    truth = mean_profile(left, epsilon, shift=shift)
    assert balls.lower(truth) <= Fraction(bracket.upper)
    assert bracket.upper <= float(balls.upper(truth)) + 1e-2  # a few coins are the worst case of the series
    assert bracket.lower <= float(balls.upper(truth))


@pytest.mark.slow
def test_coins_in_blocks_bound_coins_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    weights, counts = np.array([0.2, 0.5]), np.array([300, 200])
    singly = coins_curve(weights, counts, 10, rate=0.5, shift=1).delta(Fraction(1, 5))
    monkeypatch.setattr(worst, "BLOCKS", 40)
    blocks = coins_curve(weights, counts, 10, rate=0.5, shift=1).delta(Fraction(1, 5))
    assert singly.upper <= blocks.upper <= 1.3 * singly.upper


def test_golden_overlap_bounds_of_three_types() -> None:
    ((golden),) = GOLDEN["T1_T2"].values()
    f = Fraction
    laws = [{0: f(7, 10), 1: f(3, 10)}, {0: f(1, 2), 1: f(1, 4), 2: f(1, 4)}, {0: f(1, 10), 2: f(9, 10)}]
    crowd = crowd_of(laws, [30, 20, 5])
    assert crowd.overlaps(1)[0].tolist() == pytest.approx(golden["overlaps"], abs=1e-14)
    curve = overlap_curve(crowd, STEP, 0)
    for epsilon, value in golden["t2"].items():
        bracket = curve.delta(Fraction(epsilon))
        assert value - 1e-15 <= bracket.upper <= value * (1 + 1e-9) + FLOOR
        assert bracket.upper >= golden["exact"][epsilon]


@pytest.mark.parametrize("case", GOLDEN["Obs1_worst_subset"])
def test_golden_overlap_bounds_of_known_subsets(case: str) -> None:
    golden = GOLDEN["Obs1_worst_subset"][case]
    listed, known = case.removeprefix("ps=").split(",g=")
    rates = [Fraction(str(p)) for p in json.loads(listed)]
    crowd = crowd_of([{0: 1 - p, 1: p} for p in rates], [1] * 8)
    with np.errstate(all="ignore"):
        bracket = overlap_curve(crowd, STEP, int(known.split(",")[0])).delta(Fraction(1, 2))
    assert golden["t2"] - 1e-15 <= bracket.upper <= golden["t2"] + 1e-6
    assert bracket.upper >= golden["exact_worst"]


@pytest.mark.slow
@given(records=strategies.integer_records(max_size=4), known=st.integers(0, 2), epsilon=strategies.epsilons())
@settings(max_examples=60)
def test_the_overlap_bound_is_above_the_worst_known_subset(
    records: list[lw.Law], known: int, epsilon: Fraction
) -> None:
    known = min(known, len(records) - 1)
    crowd = crowd_of(records, [1] * len(records))
    with np.errstate(all="ignore"):
        bracket = overlap_curve(crowd, STEP, known + 1).delta(epsilon)
    truth = worst_delta(Problem(records, domain=(0, 1), known=known), epsilon)
    assert truth.lower <= Fraction(bracket.upper)


@pytest.mark.slow
def test_large_crowds_have_an_overlap_bound_that_is_near_its_formula() -> None:
    """A thousand records of weight 0.6: K is nearly 600, and so is the profile."""
    bracket = coins_curve(np.array([0.6]), np.array([1000]), 0, rate=0.5, shift=1).delta(Fraction(1, 10))
    near = [binomial.shift_profile(k, Fraction(1, 2), Fraction(1, 10))[0] for k in (660, 540)]
    assert float(balls.lower(near[0])) <= bracket.upper <= float(balls.upper(near[1]))
