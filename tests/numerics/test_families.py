"""Each bound on how a law of counts changes with its mean, by itself; and each term of the comparison of two worlds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dalenius.numerics.cells import WorstMeans, _Comparison
from dalenius.numerics.families import BinomialFamily, PoissonFamily
from dalenius.numerics.labels import LabelCell, Labels, _bounds
from dalenius.numerics.law import Law
from dalenius.numerics.spans import AnyMean, ListedMeans, Span

COUNTS = np.arange(0.0, 60.0)
CASES = [
    (PoissonFamily(), ends, lambda t: stats.poisson.logpmf(COUNTS, t), np.linspace(*ends, 9))
    for ends in ((0.3, 0.9), (4.0, 5.0), (12.0, 20.0), (3.0, 30.0))
] + [
    (BinomialFamily(p), ends, lambda t, p=p: stats.binom.logpmf(COUNTS, t, float(p)), range(ends[0], ends[1] + 1))
    for p, ends in (
        (Fraction(1, 2), (20, 26)),
        (Fraction(1, 8), (40, 70)),
        (Fraction(4, 5), (9, 12)),
        (Fraction(1, 2), (50, 52)),
    )
]


def place(family, ends, t):
    """Where t lies between the ends: as the geometric mean has it, and by itself."""
    low, high = ends
    plain = (t - low) / (high - low)
    return (math.log(t / low) / math.log(high / low) if isinstance(family, PoissonFamily) else plain), plain


@pytest.mark.parametrize("case", range(len(CASES)))
def test_masses_between_two_means_stay_within_their_bounds(case):
    family, ends, logs, inside = CASES[case]
    first, last = logs(ends[0]), logs(ends[1])
    most = family.largest(COUNTS, ends, (np.exp(first), np.exp(last)))
    bend, swell, lag = family.bend(COUNTS, ends, most), family.swell(COUNTS, ends), family.lag(ends)
    sharp = []
    for t in inside:
        here, (s, plain) = logs(t), place(family, ends, t)
        assert np.all(np.exp(here) <= most * (1 + 1e-10) + 1e-15)
        chord = (1 - plain) * np.exp(first) + plain * np.exp(last)
        assert np.all(np.abs(np.exp(here) - chord) <= bend * (1 + 1e-10) + 1e-15)
        with np.errstate(invalid="ignore"):
            mean = (1 - s) * first + s * last if 0 < s < 1 else (last if s else first)
            gap = np.where(np.isfinite(mean), here - mean, 0.0)
        assert np.all(gap <= swell + 1e-10)
        assert -1e-12 <= s - plain <= lag + 1e-12
        sharp.append(float(gap.max()))
    assert max(sharp) > 1e-4  # the bounds are needed


@pytest.mark.parametrize("case", range(len(CASES)))
def test_intervals_are_log_concave_and_their_ratios_fall(case):
    """What the geometric lower bound and the choice of labels rest on."""
    _, _, logs, inside = CASES[case]
    for a, b in ((0, 3), (2, 2), (3, 9), (5, 40)):
        label = np.array([float(np.exp(logs(t))[a : b + 1].sum()) for t in inside])
        lower = np.array([float(np.exp(logs(t))[max(a - 1, 0) : b].sum()) for t in inside])
        kept = label > 1e-200
        assert np.all(np.diff(np.log(label[kept]), 2) <= 1e-9)
        assert np.all(np.diff(lower[kept] / label[kept]) <= 1e-9)


def labels(ahead, behind, *, swell=0.0, lag=0.0, tail=0.0):
    """Two ends, as many labels: the probabilities with the person and without."""
    both = np.array([[ahead[end], behind[end]] for end in range(2)])
    flat = np.zeros(both.shape[1:])
    return Labels(both, both, flat, flat + swell, lag, tail)


@pytest.mark.parametrize(("swell", "lag"), [(0.0, 0.0), (0.2, 0.0), (0.0, 0.3), (0.1, 0.1)])
def test_geometric_means_of_labels_are_bounded(swell, lag):
    """Two labels whose Q change places: in between both are small, and f is larger than at the ends."""
    ahead, behind = [[0.3, 0.3], [0.3, 0.3]], [[0.02, 0.1], [0.1, 0.02]]
    compared = _Comparison.of([labels(ahead, behind, swell=swell, lag=lag)], Fraction(1), forward=True)
    high = compared.one.most[0][:, None]
    p, q = np.array(ahead), np.array(behind)
    values = np.maximum(p - math.e * q, 0).sum(axis=1)
    bound = compared._geometric(np.ones((2, 1), dtype=bool), high[:, 0] * 10, p, q, values)
    for s in np.linspace(0, 1, 21):
        rise = np.maximum(np.log(q[1] / q[0]), 0)
        between = np.exp((1 - s) * np.log(q[0]) + s * np.log(q[1]) - lag * rise * 4 * s * (1 - s))
        above = np.exp(swell * 4 * s * (1 - s)) * np.exp((1 - s) * np.log(p[0]) + s * np.log(p[1]))
        assert np.maximum(above - math.e * between, 0).sum() <= bound * (1 + 1e-9)


def test_what_lies_outside_of_windows_is_charged():
    same = labels([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2, tail=0.1)
    compared = _Comparison.of([same], Fraction(0), forward=True)
    assert compared.upper() >= 0.1 and compared.worst_corner()[1] == 0
    assert np.all(same.ratio(0) >= 0.6 / 0.5)
    low, high = _bounds(Law(2, np.array([0.4, 0.5]), np.zeros(2), 0.1), 0, 6)
    assert np.all(high[[0, 1, 4, 5]] >= 0.1) and np.all(low[[0, 1, 4, 5]] == 0)


def test_nothing_is_impossible_beyond_a_window_that_was_cut():
    cell = LabelCell(PoissonFamily(), AnyMean(), lambda counts: counts)
    compared = _Comparison.of([cell.labels(Span(3.0, 3.0), 1e-2)], Fraction(1000), forward=True)
    assert compared.worst_corner()[1] == 0


def test_a_search_that_runs_out_of_spans_keeps_its_upper_bound():
    cell = LabelCell(PoissonFamily(), ListedMeans([3.0]), lambda counts: np.maximum(counts - 4, 0))
    found = WorstMeans((cell,)).find(Fraction(1), close=0.0).delta
    assert found.lower < found.upper < found.lower * (1 + 1e-9)
