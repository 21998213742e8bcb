"""Exact histograms of iid records, against all histograms of few records."""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.beliefs.histogram import ExactHistogram
from oracle.strategies import masses


def histograms(chances, records):
    """Every histogram of so many records, with its probability."""
    for cuts in itertools.combinations(range(records + len(chances) - 1), len(chances) - 1):
        edges = [-1, *cuts, records + len(chances) - 1]
        counts = tuple(b - a - 1 for a, b in itertools.pairwise(edges))
        ways = math.factorial(records)
        for count in counts:
            ways //= math.factorial(count)
        yield counts, ways * math.prod(q**c for q, c in zip(chances, counts, strict=True))


def excess(p, q, epsilon):
    factor = Fraction(math.exp(epsilon))
    return float(sum(max(Fraction(0), mass - factor * q.get(h, 0)) for h, mass in p.items()))


def world(chances, others, cell):
    found = {}
    for counts, mass in histograms(chances, others):
        seen = tuple(count + (place == cell) for place, count in enumerate(counts))
        found[seen] = found.get(seen, 0) + mass
    return found


def both(p, q, epsilon):
    return max(excess(p, q, epsilon), excess(q, p, epsilon))


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(masses(3).filter(lambda q: min(q) > 0), st.integers(2, 8), st.integers(0, 3), st.sampled_from([0.0, 0.3, 1.0]))
def test_all_pairs_of_cells_agree_with_all_histograms(chances, n, known, epsilon):
    known = min(known, n - 1)
    whole = ExactHistogram(chances, n=n, known=known)
    worlds = [world(chances, n - 1 - known, cell) for cell in range(3)]
    at = Fraction(str(epsilon))
    truths = {pair: both(worlds[pair[0]], worlds[pair[1]], epsilon) for pair in itertools.combinations(range(3), 2)}
    for pair, truth in truths.items():
        found = whole.pair(*pair).delta(at)
        assert found.lower - 1e-12 <= truth <= found.upper + 1e-12 and found.width <= 1e-5 * truth + 1e-12
    worst = whole.curve(dl.Value()).delta(at)
    assert worst.lower - 1e-12 <= max(truths.values()) <= worst.upper + 1e-12
    everybody = dict(histograms(chances, n - known))
    present = [both(seen, everybody, epsilon) for seen in worlds]
    for cell, truth in enumerate(present):
        found = whole.presence(cell).delta(at)
        assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert whole.curve(dl.PresenceOnly()).delta(at).upper >= max(present) - 1e-12
    every = whole.curve(dl.Presence()).delta(at)
    assert every.lower - 1e-12 <= max(*truths.values(), *present) <= every.upper + 1e-12


@pytest.mark.slow
def test_the_worst_pair_of_a_thousand_cells_of_a_million_records():
    weights = np.random.default_rng(1).integers(500, 1500, 1000)
    total = int(weights.sum())
    begun = time.perf_counter()
    whole = ExactHistogram([Fraction(int(weight), total) for weight in weights], n=10**6)
    found = whole.curve(dl.Value()).delta(Fraction(1, 5))
    assert time.perf_counter() - begun < 10
    assert found.width < 2e-6 * found.upper and 1.5e-5 < found.lower < 1.6e-5
    others = [whole.pair(one, 3).delta(Fraction(1, 5)) for one in (17, 400)]
    assert all(other.lower <= found.upper for other in others)


def test_knowing_more_and_rarer_cells_are_worse():
    at = Fraction(1, 2)
    deltas = [
        ExactHistogram(["1/5", "4/5"], n=200, known=known).curve(dl.Value()).delta(at).lower for known in (0, 50, 0.9)
    ]
    assert deltas == sorted(deltas)
    rare = [
        ExactHistogram([q, 1 - q], n=300).curve(dl.Presence()).delta(at).lower for q in map(Fraction, ("1/3", "1/9"))
    ]
    assert rare == sorted(rare)


def test_somebody_alone_is_read_off():
    assert ExactHistogram(["1/2", "1/2"], n=1).curve(dl.Value()).delta(Fraction(5)).lower == 1.0
    assert ExactHistogram(["1/2", "1/2"], n=5, known=4).curve(dl.Value()).delta(Fraction(5)).lower == 1.0


def test_bad_input_says_what_is_needed():
    for cells, n, known, told in (
        ([0, 1], 5, 0, "positive probability, but cell 0 has 0.*Join it"),
        (["1/2", "1/3"], 5, 0, "sum to 1"),
        ([1], 5, 0, "two cells"),
        (["1/2", "1/2"], 0, 0, "but got"),
        (["1/2", "1/2"], 5, 7, "known"),
    ):
        with pytest.raises(dl.InputError, match=told):
            ExactHistogram(cells, n=n, known=known).curve(dl.Value())
    whole = ExactHistogram({"a": "1/2", "b": "1/2"}, n=5)
    with pytest.raises(dl.InputError, match="one of the cells"):
        whole.pair("a", "c")
    with pytest.raises(dl.InputError, match="different"):
        whole.pair("a", "a")
