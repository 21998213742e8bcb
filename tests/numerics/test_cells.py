"""The worst over all means of what a rule publishes, against grids and exhaustive lists that share no code with it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dalenius.numerics.cells import WorstMeans, _Comparison
from dalenius.numerics.families import BinomialFamily, PoissonFamily
from dalenius.numerics.labels import LabelCell
from dalenius.numerics.spans import AnyMean, AnyNumber, ListedMeans, Span

RULES = {
    "at least 5": lambda c: np.maximum(c - 4, 0),
    "zeros shown": lambda c: np.where(c < 1, 0, np.maximum(c - 3, 1)),
    "base 3": lambda c: (c + 1) // 3,
    "base 5": lambda c: (c + 2) // 5,
    "exact": lambda c: c,
    "at least 8, base 5": lambda c: np.where(c < 8, 0, (c + 2) // 5 - 1),
}


def poisson_masses(mean):
    return stats.poisson.pmf(np.arange(0, int(mean + 20 * math.sqrt(mean) + 60)), mean)


def binomial_masses(p):
    return lambda n: stats.binom.pmf(np.arange(n + 1), n, float(p))


def worlds(masses, codes):
    """The law of what is published, with the person and without."""
    counts = np.arange(len(masses))
    size = int(codes(counts + 1).max()) + 1
    return [np.bincount(codes(counts + more), weights=masses, minlength=size) for more in (1, 0)]


def excess(one, two, epsilon, forward):
    """Σ (P - e^ε Q)₊ of one cell, or of two cells."""
    (a, b), (c, d) = one, two or ([1.0], [1.0])
    p, q = np.multiply.outer(a, d), np.multiply.outer(b, c)
    p, q = (p, q) if forward else (q, p)
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("epsilon", ["0", "3/10", "2"])
def test_the_worst_poisson_mean_is_found(rule, epsilon):
    codes = RULES[rule]
    found = WorstMeans((LabelCell(PoissonFamily(), AnyMean(), codes),)).find(Fraction(epsilon))
    grid = [
        (excess(worlds(poisson_masses(mean), codes), None, float(Fraction(epsilon)), forward), mean)
        for mean in [0.0, *np.geomspace(1e-3, 300, 120)]
        for forward in (True, False)
    ]
    assert max(grid)[0] <= found.delta.upper * (1 + 1e-9) + 1e-12
    truth = excess(worlds(poisson_masses(found.at[0]), codes), None, float(Fraction(epsilon)), found.forward)
    assert found.delta.lower <= truth * (1 + 1e-9) + 1e-13
    assert found.delta.upper <= found.delta.lower * (1 + 2e-6) + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("chance", ["1/10", "1/2", "9/10"])
def test_the_worst_number_of_others_is_found(rule, chance):
    codes, epsilon = RULES[rule], Fraction(1, 2)
    found = WorstMeans((LabelCell(BinomialFamily(Fraction(chance)), AnyNumber(), codes),)).find(epsilon)
    masses = binomial_masses(Fraction(chance))
    every = [excess(worlds(masses(n), codes), None, 0.5, forward) for n in range(200) for forward in (True, False)]
    assert found.delta.lower * (1 - 1e-9) <= max(every) <= found.delta.upper * (1 + 1e-9)
    assert found.delta.upper <= found.delta.lower * (1 + 2e-6)
    assert excess(worlds(masses(found.at[0]), codes), None, 0.5, found.forward) == pytest.approx(max(every), rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "epsilon"), [("at least 5", "1"), ("base 5", "1/2"), ("at least 8, base 5", "1")])
def test_two_cells_of_unknown_means(rule, epsilon):
    codes = RULES[rule]
    cell = LabelCell(PoissonFamily(), AnyMean(), codes)
    found = WorstMeans((cell, cell), alike=True).find(Fraction(epsilon), close=1e-2)
    laws = {mean: worlds(poisson_masses(mean), codes) for mean in [0.0, *np.geomspace(0.05, 60, 30)]}
    grid = [excess(laws[a], laws[b], float(Fraction(epsilon)), True) for a, b in itertools.product(laws, repeat=2)]
    assert max(grid) <= found.delta.upper * (1 + 1e-9)
    at = [worlds(poisson_masses(mean), codes) for mean in found.at]
    assert found.delta.lower <= excess(*at, float(Fraction(epsilon)), found.forward) * (1 + 1e-9)
    assert found.delta.upper <= found.delta.lower * 1.011


@pytest.mark.slow
def test_two_cells_of_unknown_numbers():
    codes, chance = RULES["at least 5"], Fraction(1, 3)
    cell = LabelCell(BinomialFamily(chance), AnyNumber(), codes)
    found = WorstMeans((cell, cell), alike=True).find(Fraction(1), close=1e-3)
    laws = [worlds(binomial_masses(chance)(n), codes) for n in range(90)]
    worst = max(excess(one, two, 1.0, True) for one, two in itertools.product(laws, repeat=2))
    assert found.delta.lower * (1 - 1e-9) <= worst <= found.delta.upper * (1 + 1e-9)
    assert found.delta.upper <= found.delta.lower * 1.0011


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(st.data())
def test_the_bound_of_a_span_holds_for_every_mean_in_it(data):
    """Chords and geometric means, each by itself, at means between the ends and not only at the best ones."""
    codes = RULES[data.draw(st.sampled_from(sorted(RULES)))]
    epsilon = data.draw(st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1)]))
    forward, binomial = data.draw(st.booleans()), data.draw(st.booleans())
    chance = data.draw(st.sampled_from([Fraction(1, 8), Fraction(1, 2), Fraction(4, 5)]))
    low = data.draw(st.integers(1, 60))
    width = data.draw(st.integers(1, 40))
    family = BinomialFamily(chance) if binomial else PoissonFamily()
    means = AnyNumber() if binomial else AnyMean()
    inside = range(low, low + width + 1) if binomial else np.linspace(low / 4, (low + width) / 4, 9).tolist()
    masses = binomial_masses(chance) if binomial else poisson_masses
    compared = _Comparison.of(
        [LabelCell(family, means, codes).labels(Span(inside[0], inside[-1]), 0.0)], epsilon, forward=forward
    )
    truth = max(excess(worlds(masses(at), codes), None, float(epsilon), forward) for at in inside)
    assert truth <= compared.upper() * (1 + 1e-9) + 1e-13
    for bound in both_bounds(compared):
        assert truth <= bound * (1 + 1e-9) + 1e-13


def both_bounds(compared):
    """The two upper bounds of a box, over all labels."""
    p, q, least = compared.p, 1 - compared.p, compared.factor[0]
    high = np.multiply.outer(compared.one.most[p], compared.two.most[q])
    chosen = np.ones(high.shape, dtype=bool)
    corners = compared.corners()
    ahead = np.array([np.multiply.outer(compared.one.high[a, p], compared.two.high[b, q])[chosen] for a, b in corners])
    behind = np.array([np.multiply.outer(compared.one.low[a, q], compared.two.low[b, p])[chosen] for a, b in corners])
    values = np.maximum(ahead - least * behind, 0.0).sum(axis=1)
    yield float(values.max()) + compared._bends(chosen)
    yield compared._geometric(chosen, high[chosen], ahead, behind, values)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_the_bound_of_a_rectangle_holds_for_all_pairs_of_means_in_it(data):
    codes = RULES[data.draw(st.sampled_from(sorted(RULES)))]
    epsilon = data.draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
    sides = []
    for _ in range(2):
        low = data.draw(st.floats(0.5, 12))
        sides.append((low, low + data.draw(st.floats(0.1, 4))))
    cell = LabelCell(PoissonFamily(), AnyMean(), codes)
    compared = _Comparison.of([cell.labels(Span(*side), 0.0) for side in sides], epsilon, forward=True)
    grids = [[worlds(poisson_masses(at), codes) for at in np.linspace(*side, 5)] for side in sides]
    truth = max(excess(one, two, float(epsilon), True) for one, two in itertools.product(*grids))
    assert truth <= compared.upper() * (1 + 1e-9) + 1e-13
    for bound in both_bounds(compared):
        assert truth <= bound * (1 + 1e-9) + 1e-13


def test_above_a_mean_the_exact_count_there_bounds_all():
    codes = RULES["base 3"]
    cell = LabelCell(PoissonFamily(), AnyMean(), codes)
    for forward in (True, False):
        bound = _Comparison.of([cell.labels(Span(4.0, None), 0.0)], Fraction(1, 5), forward=forward).upper()
        for mean in (4.0, 4.7, 9.0, 40.0, 200.0):
            assert excess(worlds(poisson_masses(mean), codes), None, 0.2, forward) <= bound * (1 + 1e-9)


def test_listed_means_are_judged_at_these_only():
    codes = RULES["at least 5"]
    for values in ([3.0], [3.0, 20.0], [0.5, 1.0, 40.0, 41.0, 42.0, 43.0]):
        found = WorstMeans((LabelCell(PoissonFamily(), ListedMeans(values), codes),)).find(Fraction(1, 2))
        every = [
            excess(worlds(poisson_masses(at), codes), None, 0.5, forward) for at in values for forward in (True, False)
        ]
        assert found.delta.lower * (1 - 1e-9) <= max(every) <= found.delta.upper * (1 + 1e-9)
        assert found.delta.upper <= found.delta.lower * (1 + 2e-6)


def test_enough_stops_early_and_stays_true():
    cell = LabelCell(PoissonFamily(), AnyMean(), RULES["at least 5"])
    whole = WorstMeans((cell,)).find(Fraction(1)).delta
    for target in (Fraction(1, 100), Fraction(2, 100)):
        early = WorstMeans((cell,)).find(Fraction(1), enough=target).delta
        assert early.lower <= whole.upper and early.upper >= whole.lower
        assert early.certainly_at_most(target) == whole.certainly_at_most(target)


def test_small_ends_left_to_the_tail_are_charged():
    """With a coarse floor the bracket is wide, and it still holds the truth."""
    cell = LabelCell(PoissonFamily(), ListedMeans([3.0]), RULES["at least 5"])
    truth = excess(worlds(poisson_masses(3.0), RULES["at least 5"]), None, 1.0, True)
    for floor in (1e-2, 1e-4, 1e-8):
        compared = _Comparison.of([cell.labels(Span(0, 0), floor)], Fraction(1), forward=True)
        assert compared.worst_corner()[1] <= truth <= compared.upper() <= truth + 2 * floor


def test_at_a_very_large_epsilon_only_what_is_impossible_counts():
    cell = LabelCell(BinomialFamily(Fraction(1, 2)), ListedMeans([4]), RULES["exact"])
    found = WorstMeans((cell,)).find(Fraction(1000)).delta
    assert found.lower == pytest.approx(1 / 16) and found.upper == pytest.approx(1 / 16)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 3])
def test_boxes_that_are_not_looked_at_any_more_are_charged(monkeypatch, budget):
    worst = WorstMeans((LabelCell(PoissonFamily(), AnyMean(), RULES["at least 5"]),) * 2, alike=True)
    monkeypatch.setattr("dalenius.numerics.cells.BUDGET", 30)
    at = worst.find(Fraction(1)).at
    sides = [worlds(poisson_masses(mean), RULES["at least 5"]) for mean in at]
    attained = excess(*sides, 1, forward=True)
    monkeypatch.setattr("dalenius.numerics.cells.BUDGET", budget)
    assert worst.find(Fraction(1)).delta.upper >= attained > 0.02
