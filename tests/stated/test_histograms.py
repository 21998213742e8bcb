"""Histograms with exact cells where they are earned: the repair, by brute force, and what it repairs."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.papers.mechanisms.refuted import (
    printed_hedging_histogram,
    printed_histogram,
    printed_literal_histogram,
    printed_noise_total,
)
from stated import kernels

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())
CASES = [
    (3, ("0.3", "0.3", "0.4"), (0,), ("0.25", "0.5", "1")),
    (3, ("0.3", "0.3", "0.4"), (0, 1), ("0.5", "1", "2")),
    (4, ("0.5", "0.25", "0.25"), (0, 1), ("0.2", "2", "2.4")),
    (2, ("0.5", "0.5"), (0,), ("0.5", "0.2", "0.5")),
    (5, ("0.6", "0.4"), (1,), ("0.5", "1", "1.5")),
    (3, ("0.2", "0.3", "0.5"), (), ("0.4", "1", "1")),
]


def made(n, cells, eligible, levels):
    noise, rest, exact = levels
    chances = dict(enumerate(cells))
    return dl.mechanisms.SinglePriorHistogram(chances, n=n, eligible=eligible, noise=noise, rest=rest, exact=exact)


def test_golden_windows():
    golden = GOLDEN["pf_R2"]["eps1=.25,eps2=.5,epsT=1,qE=.5"]
    cells = {"a": "0.11", "b": "0.39", "c": "0.5"}
    found = dl.mechanisms.SinglePriorHistogram(cells, n=100, eligible=["a", "b"], noise="0.25", rest="0.5", exact=1)
    low, high = found.ratios()
    assert low.lower <= golden["rlo"] <= low.upper and high.lower <= golden["rhi"] <= high.upper
    assert [found.windows["a"].low, found.windows["a"].high] == golden["windows_n100_q_11"]
    assert found.guarantees()[0].epsilon.upper == golden["total_eps"]
    assert found.windows["c"].empty
    assert "a: 5 to 15" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "cells", "eligible", "levels"), CASES)
def test_nobody_is_told_apart_by_more_than_stated(n, cells, eligible, levels):
    """All histograms, all outputs: the person in each cell against the person absent."""
    found = made(n, cells, eligible, levels)
    windows = [(found.windows[cell].low, found.windows[cell].high) for cell in range(len(cells))]
    x = Fraction(math.exp(-float(levels[0])))
    q = [Fraction(p) for p in cells]
    absent = kernels.histogram(n, q, windows, x, None)
    worst = max(kernels.apart(kernels.histogram(n, q, windows, x, cell), absent) for cell in range(len(cells)))
    bound = found.guarantees()[0].epsilon.upper
    assert worst <= bound * (1 + 1e-12)
    assert worst >= 0.2 * bound


def test_some_cells_are_earned_in_these_cases():
    assert any(not window.empty for case in CASES for window in made(*case).windows.values())


def test_laws_of_cells():
    found = made(4, ("0.3", "0.3", "0.4"), (0, 1), ("0.5", "1", "2"))
    truth = kernels.kernel(4, (found.windows[0].low, found.windows[0].high), Fraction(math.exp(-0.5)), 1)
    law = found.law(0, 1)
    assert law.exactly.upper == pytest.approx(float(truth["true", 1]), rel=1e-12)
    assert law.chance(dl.mechanisms.Told(2, exactly=False)).upper == pytest.approx(float(truth["noisy", 2]), rel=1e-12)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"cells": {"a": "0.5", "b": "0.4"}}, "sum to 1"),
        ({"cells": {"a": "0.5", "b": "0.5", "c": 0}}, "c has none"),
        ({"eligible": ["a", "b"]}, "theirs is 1"),
        ({"eligible": ["z"]}, "eligible cells among"),
        ({"noise": 0}, "noise"),
        ({"n": 0}, "at least one record"),
    ],
)
def test_bad_input(more, message):
    given = {"cells": {"a": "0.5", "b": "0.5"}, "n": 10, "eligible": ["a"], "noise": 1, "rest": 1, "exact": 1, **more}
    with pytest.raises(dl.InputError, match=message):
        dl.mechanisms.SinglePriorHistogram(given.pop("cells"), **given)


def test_a_cell_that_is_not_there_is_refused():
    with pytest.raises(dl.InputError, match="A cell of the histogram"):
        made(*CASES[0]).law("elsewhere", 1)


# -- what is repaired --------------------------------------------------------------------------------------------------


def test_algorithm_2_is_refuted_by_five_people():
    golden = GOLDEN["pf_alg2_counterexample"]["smallest_n"]
    found = printed_histogram(["0.17"] * 4 + ["0.32"], n=5, epsilon="0.2", exact_counts=[1] * 4)
    assert found.refutes
    assert found.found == pytest.approx(math.log(golden["ratio"]), rel=1e-12)
    assert found.found / 0.2 == pytest.approx(golden["ln_ratio_over_eps"], rel=1e-12)


def test_algorithm_2_is_refuted_without_limit():
    golden = GOLDEN["pf_alg2_counterexample"]["n=100,q=6x.11+.34,eps=.5,h=(16 x6, 4)"]
    found = printed_histogram(["0.11"] * 6 + ["0.34"], n=100, epsilon="0.5", exact_counts=[16] * 6)
    assert found.found == pytest.approx(golden["ln_ratio"], rel=1e-12)
    assert math.exp(-found.claimed) == pytest.approx(golden["claimed_lower"], rel=1e-12)
    with pytest.raises(dl.InputError, match="within their windows"):
        printed_histogram(["0.11"] * 6 + ["0.34"], n=100, epsilon="0.5", exact_counts=[17] * 6)


@pytest.mark.slow
def test_one_record_moves_two_noisy_cells():
    """Equation 30 allows ε for the noisy cells together; six records in three of them, all noisy, need more."""
    n, q, x = 6, [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], Fraction(math.exp(-0.5))
    windows = [(1, 0)] * 3
    absent = kernels.histogram(n, q, windows, x, None)
    worst = max(kernels.apart(kernels.histogram(n, q, windows, x, cell), absent) for cell in range(3))
    golden = GOLDEN["pf_alg2_counterexample"]["eq30_noisy_factor_over_eps n=6,q=(.5,.25,.25),eps=.5"]
    assert worst / 0.5 == pytest.approx(golden, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN["pf_alg4_counterexample"])
def test_algorithm_4_is_refuted(name):
    golden = GOLDEN["pf_alg4_counterexample"][name]
    first = Fraction(name.split("f1=")[1].split(",")[0])
    other = [first, Fraction(8, 9) * (1 - first), Fraction(1, 9) * (1 - first)]
    found = printed_hedging_histogram(
        ["0.1", "0.45", "0.45"], other, n=5000, epsilon="0.9", alpha="0.001", exact_count=500, noisy_counts=[4000, 500]
    )
    assert found.found == pytest.approx(golden["ln_ratio"], rel=1e-9)
    assert found.claimed == pytest.approx(golden["claimed"])
    assert found.refutes == (golden["ln_ratio"] > golden["claimed"])


def test_algorithm_4_to_the_letter_is_refuted_by_two_people():
    found = printed_literal_histogram()
    assert found.refutes and found.found == pytest.approx(7.621, abs=1e-3)
    law = {"stated": Fraction(5, 10_000), "other": Fraction(0)}
    laws = [[p, 1 - p] for p in law.values()]
    present, absent = (
        sum(w * chance(q, person) for w, q in zip((Fraction(49, 100), Fraction(51, 100)), laws, strict=True))
        for person in (0, None)
    )
    assert math.log(present / absent) == pytest.approx(found.found, rel=1e-12)


def chance(q, person):
    """P(one of two records is in the first cell), by listing."""
    return sum(p for counts, p in kernels.multinomial(2 - (person == 0), q) if counts[0] + (person == 0) == 1)


def test_the_printed_noise_is_no_law():
    golden = GOLDEN["pf_alg1"]["printed_geometric_pmf_total_eps.5"]
    assert printed_noise_total("0.5") == pytest.approx(golden, rel=1e-13)
