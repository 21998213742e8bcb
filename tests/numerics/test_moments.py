"""Three moments: thresholds, intervals, buckets; impossible moments are refused with the inequality that they break."""

import json
import math
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims import Evidence, Verdict
from dalenius.judge.thresholds import threshold_curve, threshold_guarantee
from dalenius.numerics.moments import MomentCurve, Moments
from oracle import laws

F = Fraction
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
INTERVAL = GOLDEN["T3_interval"]["C=0.56"]


@pytest.mark.parametrize("case", INTERVAL)
def test_golden_thresholds_intervals_and_unions(case: str) -> None:
    """Ten buckets are there judged as five intervals; nine thresholds are enough."""
    at = {key: F(value) for key, value in (item.split("=") for item in case.split(","))}
    moments = Moments(10**8, at["s2"], at["L3"])
    for name, curve in {
        "half": threshold_curve(moments, shift=at["A"], events="half-lines"),
        "interval": threshold_curve(moments, shift=at["A"], events="intervals"),
        "ten_buckets": MomentCurve(moments, at["A"], 10),
    }.items():
        golden = INTERVAL[case][name]
        assert golden * (1 - 1e-14) <= curve.delta(at["eps"]).upper <= golden * (1 + 1e-12)
    ten = threshold_curve(moments, shift=at["A"], events=10).delta(at["eps"]).upper
    assert INTERVAL[case]["interval"] < ten < INTERVAL[case]["ten_buckets"]


def test_independent_blocks_are_records_of_their_own() -> None:
    """A million signs in equal pairs: half a million records of variance 4."""
    blocks = Moments(500_000, F(500_000 * 4), F(500_000 * 8))
    golden = GOLDEN["T3_blocks"]["n=1e6, equal pairs of +-1"]["dK_blocks_exact_third"]
    assert golden * (1 - 1e-12) <= blocks.distance <= golden * (1 + 1e-12)


@pytest.mark.slow
@given(
    rates=st.lists(st.fractions(F(1, 10), F(9, 10), max_denominator=20), min_size=4, max_size=40),
    k=st.integers(2, 6),
    epsilon=st.fractions(0, 1, max_denominator=10),
)
def test_no_exact_count_exceeds_what_moments_say(rates: list[Fraction], k: int, epsilon: Fraction) -> None:
    law = {0: F(1)}
    for rate in rates:
        law = laws.convolve(law, {0: 1 - rate, 1: rate})
    variance = sum((p * (1 - p) for p in rates), F(0))
    third = sum((p * (1 - p) * (p * p + (1 - p) ** 2) for p in rates), F(0))
    moments, factor = Moments(len(rates), variance, third), math.exp(epsilon)
    p, q = ([float(law.get(at - move, 0)) for at in range(len(rates) + 2)] for move in (0, 1))
    cdfs = [list(accumulate(side)) for side in (p, q)]
    for one, other in (cdfs, cdfs[::-1]):
        gains = [a - factor * b for a, b in zip(one, other, strict=True)]
        tops = [(1 - a) - factor * (1 - b) for a, b in zip(one, other, strict=True)]
        half = threshold_curve(moments, shift=1, events="half-lines").delta(epsilon).upper
        assert max(gains + tops) <= half + 1e-12
    cells = [range(i, len(p), 1)[: max(1, len(p) // k)] for i in range(0, len(p), max(1, len(p) // k))][:k]
    cells[-1] = range(cells[-1][0], len(p))
    binned = [[math.fsum(side[at] for at in cell) for cell in cells] for side in (p, q)]
    worst = max(
        math.fsum(max(0, a - factor * b) for a, b in zip(*pair, strict=True)) for pair in (binned, binned[::-1])
    )
    assert worst <= threshold_curve(moments, shift=1, events=max(2, len(cells))).delta(epsilon).upper + 1e-12


def test_the_moments_of_example_1_are_impossible() -> None:
    """Variance 4 each and third moments that sum to 3n: at least 8n is needed (Lyapunov)."""
    n = 10_000
    with pytest.raises(InputError, match=r"E\|X\|³ ≥ \(Σ Var X\)\^\(3/2\) / √n = 80000 always, but got 30000"):
        Moments(n, F(4 * n), F(3 * n))
    assert Moments(n, F(4 * n), F(8 * n)).distance < 0.01


def test_impossible_variances_and_shifts_are_refused() -> None:
    with pytest.raises(InputError, match="n · range²/4 = 25, but got 26"):
        Moments.within(F(1), records=100, variance=F(26))
    with pytest.raises(InputError, match="third must be a finite number"):
        Moments(10, F(1), math.nan)  # type: ignore[arg-type]
    assert Moments(10, 0.1, 1).variance == F(1, 10)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="variance above 0"):
        Moments(10, F(0), F(1))
    with pytest.raises(InputError, match="shift must be at least 0"):
        threshold_curve(Moments(10, F(1), F(1)), shift=-1, events="intervals")


@pytest.mark.parametrize("events", ["all events", "parity", 1, 0, True])
def test_other_events_are_refused_for_parity(events: Any) -> None:
    with pytest.raises(PreconditionError, match="parity"):
        threshold_curve(Moments.within(F(1), records=100, variance=F(25)), shift=1, events=events)


def test_a_guarantee_for_thresholds_never_passes_a_figure() -> None:
    some = Moments.within(F(1), records=10**8, variance=F(10**7))
    for events, named in {"half-lines": "half-lines", "intervals": "intervals", 4: "4 ordered buckets"}.items():
        found = threshold_guarantee(some, shift=1, events=events, epsilon=0.1, delta=0.01)  # type: ignore[arg-type]
        assert (found.events, found.evidence, found.verdict) == (named, Evidence.PROVED, Verdict.REVIEW)
        assert found.delta.certainly_at_most(F(1, 100))
        assert "0.56" in str(found)
    with pytest.raises(InputError, match="epsilon must be at least 0"):
        threshold_guarantee(some, shift=1, events=2, epsilon=-1)


def test_nobody_moves_nothing() -> None:
    assert threshold_curve(Moments(10, F(1), F(1)), shift=0, events=2).delta(F(0)).upper == 0
