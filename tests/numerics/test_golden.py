"""Golden values (see tests/golden/README.md) lie inside the brackets. There n counts the others."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dalenius.beliefs.belief import IID, Independent
from dalenius.beliefs.crowd import crowd_of
from dalenius.beliefs.worst import WorstCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Pair
from dalenius.facts.statistics import Count, Sum
from dalenius.mechanisms import Channel, DiscreteGaussian, Exact, TwoSidedGeometric
from dalenius.numerics.convolve import power
from dalenius.numerics.curve import PairCurve
from dalenius.numerics.divergence import hockey_stick
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.shifts import ShiftCurve

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
STEP = (Pair(0, 1), Pair(1, 0))


def parse(case: str) -> dict[str, Fraction]:
    """Read "n=100,p=0.5,eps=0.1"."""
    return {k: Fraction(v) for k, v in (item.split("=") for item in case.split(","))}


def assert_inside(bracket: Bracket, golden: float, *, relative: float = 1e-6) -> None:
    """The double may be off in its last digits; the bracket is narrow."""
    assert bracket.lower * (1 - 1e-9) <= golden <= bracket.upper * (1 + 1e-9)
    assert bracket.width <= relative * golden


def binomial(n: int, p: Fraction) -> Law:
    return power(law_of({0: 1 - p, 1: p}), n)


@pytest.mark.parametrize("case", GOLDEN["gk_thm1_exact_binomial"])
def test_exact_binomial_profiles(case: str) -> None:
    golden, given = GOLDEN["gk_thm1_exact_binomial"][case], parse(case)
    n, p, epsilon = int(given["n"]), given["p"], given["eps"]
    law = binomial(n, p)
    for name, other in {"S+1": law.shifted(1), "S-rec": binomial(n - 1, p), "S+iid": binomial(n + 1, p)}.items():
        for value, bracket in (
            (golden[f"S||{name}"], hockey_stick(law, other, epsilon=epsilon)),
            (golden[f"{name}||S"], hockey_stick(other, law, epsilon=epsilon)),
        ):
            if value == 0:
                assert bracket.lower == 0 and bracket.upper <= 1e-280
            else:
                assert_inside(bracket, value)
    belief = IID(p=p, n=n + 1)
    whole = WorstCurve(belief.crowd(Count()), STEP, Exact(), 0).delta(epsilon)
    assert_inside(whole, max(golden["S||S+1"], golden["S+1||S"]))


@pytest.mark.parametrize("case", GOLDEN["gk_thm1_exact_eps"])
def test_exact_epsilons(case: str) -> None:
    golden, given = GOLDEN["gk_thm1_exact_eps"][case], parse(case)
    law = binomial(int(given["n"]), given["p"])
    assert_inside(PairCurve(law, law.shifted(1)).epsilon(given["delta"]), golden)


def test_exact_sum_of_three_types_of_records() -> None:
    (golden,) = GOLDEN["T1_T2"].values()
    f = Fraction
    laws = [{0: f(7, 10), 1: f(3, 10)}, {0: f(1, 2), 1: f(1, 4), 2: f(1, 4)}, {0: f(1, 10), 2: f(9, 10)}]
    left = crowd_of(laws, [30, 20, 5]).law((0, 0, 0))
    assert (left.span, left.offset) == (1, 0)
    for epsilon, value in golden["exact"].items():
        assert_inside(ShiftCurve(left.law, (1,)).delta(Fraction(epsilon)), value)


@pytest.mark.parametrize("case", GOLDEN["Obs1_worst_subset"])
def test_worst_known_subsets(case: str) -> None:
    """The golden subset itself, and the engine's own search: it takes `known` of the eight others out."""
    golden = GOLDEN["Obs1_worst_subset"][case]
    listed, rest = case.removeprefix("ps=").split(",g=")
    rates, known = [Fraction(str(p)) for p in json.loads(listed)], int(rest.split(",")[0])
    left = [p for i, p in enumerate(rates) if i not in golden["subset"]]
    crowd = crowd_of([{0: 1 - p, 1: p} for p in left], [1] * len(left))
    law = crowd.law((0, 0)).law
    assert_inside(PairCurve(law, law.shifted(1)).delta(Fraction(1, 2)), golden["exact_worst"])
    worst = WorstCurve(crowd_of([{0: 1 - p, 1: p} for p in rates], [1] * 8), STEP, Exact(), known - 1)
    if known:
        assert_inside(worst.delta(Fraction(1, 2)), golden["exact_worst"])


@pytest.mark.parametrize("case", GOLDEN["T6_exact_lattice_plus_noise"]["values"])
def test_exact_count_plus_noise(case: str) -> None:
    golden, given = GOLDEN["T6_exact_lattice_plus_noise"]["values"][case], parse(case)
    belief = IID(p=given["p"], n=int(given["n"]) + 1)
    for name, value in golden.items():
        if name.startswith("GK"):
            continue
        kind, _, scale = name.partition("=")
        channel: Channel = {
            "none": lambda _: Exact(),
            "dlap_b": TwoSidedGeometric,
            "dgauss_t": DiscreteGaussian,
        }[kind](Fraction(scale or 0))
        bracket = WorstCurve(belief.crowd(Count()), STEP, channel, 0).delta(given["eps"])
        if value < 1e-18:  # stands for zero
            assert bracket.lower == 0 and bracket.upper <= 1e-18
        else:
            assert_inside(bracket, value)


def test_parity_gives_the_shift_by_one_away_and_halflines_do_not_see_it() -> None:
    golden = GOLDEN["gk_thm2_parity"]
    epsilon = Fraction(str(golden["n=10000"]["eps_thm2"]))
    others = Independent(groups=[({0: "1/2", 2: "1/2"}, 10_001)], domain=(0, 1, 2))
    whole = WorstCurve(others.crowd(Sum()), (Pair(0, 1), Pair(1, 0)), Exact(), 0)
    assert whole.delta(epsilon).lower == whole.delta(epsilon).upper == golden["n=10000"]["true_delta_all_events"]
    even = WorstCurve(others.crowd(Sum()), (Pair(0, 2), Pair(2, 0)), Exact(), 0)
    assert_inside(even.delta(epsilon), golden["n=10000,restricted"]["halflines"])
