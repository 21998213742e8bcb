"""The worst known records among a few types on a lattice: found, against all removals, and sharply."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs import trades
from dalenius.beliefs.belief import Independent
from dalenius.beliefs.crowd import Types
from dalenius.beliefs.worst import AsItIs, WorstCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import exponential
from dalenius.facts.secret import Value, pairs
from dalenius.facts.statistics import Sum
from dalenius.numerics import simplices
from dalenius.numerics.law import Floats
from dalenius.numerics.removals import Bound, Removals, Vertex

CASES = [  # chances of 0, 1, 2 by type, counts, known, epsilon; in all of them the worst removal is no corner
    (["1/3 7/12 1/12", "1/4 5/16 7/16"], (8, 11), 6, "13/5"),
    (["1/2 1/14 3/7", "7/20 3/10 7/20"], (13, 9), 7, "13/5"),
    (["2/3 2/9 1/9", "4/7 1/7 2/7", "1/12 7/12 1/3"], (11, 12, 14), 7, "13/5"),
    (["1/13 7/13 5/13", "5/14 3/7 3/14", "7/13 5/13 1/13"], (17, 14, 14), 5, "5/2"),
]
LAWS = ["1/2 1/4 1/4", "2/3 1/6 1/6", "9/10 1/20 1/20", "1/5 2/5 2/5"]


def crowd(laws: list[str], counts: tuple[int, ...], known: int) -> WorstCurve:
    groups = [(dict(enumerate(map(Fraction, law.split()))), count) for law, count in zip(laws, counts, strict=True)]
    belief = Independent(groups=groups, known=known)
    return WorstCurve(belief.crowd(Sum()), tuple(pairs(Value(), [0, 1, 2])), AsItIs(), known)


def all_removals(whole: WorstCurve) -> list[tuple[int, ...]]:
    counts = whole.crowd.counts.tolist()  # type: ignore[attr-defined]
    ranges = (range(min(count, whole.known + 1) + 1) for count in counts)
    return [removal for removal in itertools.product(*ranges) if sum(removal) == whole.known + 1]


def largest(whole: WorstCurve, epsilon: Fraction) -> float:
    return max(whole.left(removal).delta(epsilon).lower for removal in all_removals(whole))


@pytest.mark.slow
@pytest.mark.parametrize("few", [1, 300])
@pytest.mark.parametrize(("laws", "counts", "known", "epsilon"), CASES)
def test_the_worst_removal_is_found_among_all(
    laws: list[str], counts: tuple[int, ...], known: int, epsilon: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By bounds alone, and where small simplices are gone through."""
    monkeypatch.setattr(trades, "MANY", few)
    whole, level = crowd(laws, counts, known), Fraction(epsilon)
    found = whole._traded(level)
    assert found is not None
    assert found[0].lower <= largest(whole, level) * (1 + 1e-9)
    assert found[0].upper >= largest(whole, level)
    assert found[0].width <= 1e-7 * found[0].upper
    assert whole.left(found[1]).delta(level).lower >= found[0].lower


def exact(laws: list[str], left: list[int], epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Delta of what is left, against itself moved by 1 and by 2, both ways."""
    law = {0: Fraction(1)}
    for text, count in zip(laws, left, strict=True):
        for _ in range(count):
            chances = list(map(Fraction, text.split()))
            law = {
                k: sum((law.get(k - a, Fraction(0)) * chance for a, chance in enumerate(chances)), Fraction(0))
                for k in range(max(law) + len(chances))
            }
    shifts, zero = (1, -1, 2, -2), Fraction(0)
    bounds = [
        max(sum(max(zero, law[k] - Fraction(e) * law.get(k - s, zero)) for k in law) for s in shifts)
        for e in exponential(epsilon)
    ]
    return Fraction(bounds[1]), Fraction(bounds[0])


@pytest.mark.slow
@pytest.mark.parametrize("known", [1, 3, 6])
@pytest.mark.parametrize("epsilon", ["0", "1/3", "3/2"])
def test_small_crowds_agree_with_exact_fractions(known: int, epsilon: str) -> None:
    laws, counts, level = ["1/2 1/4 1/4", "1/8 5/8 1/4", "3/4 1/8 1/8"], (4, 3, 5), Fraction(epsilon)
    whole = crowd(laws, counts, known)
    order = [[float(Fraction(one)) for one in law.split()] for law in laws]
    places = [order.index(row) for row in whole.crowd.chances.tolist()]  # type: ignore[attr-defined]
    bracket = whole.delta(level)
    truths = []
    for removal in all_removals(whole):
        left = list(counts)
        for place, taken in zip(places, removal, strict=True):
            left[place] -= taken
        truths.append(exact(laws, left, level))
    assert bracket.lower <= max(upper for _, upper in truths)
    assert bracket.upper >= max(lower for lower, _ in truths)
    assert bracket.width <= 1e-7 * bracket.upper


def test_a_bound_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the search believes its bounds, so the comparison with all removals must fail."""
    honest = Removals.bound

    def planted(self: Removals, vertices: list[Vertex]) -> Bound:
        found = honest(self, vertices)
        return Bound(found.steps * 1e-3, found.widest)

    monkeypatch.setattr(Removals, "bound", planted)
    laws, counts, known, epsilon = CASES[0]
    whole = crowd(laws, counts, known)
    found = whole._traded(Fraction(epsilon))
    assert found is not None
    assert found[0].upper < largest(whole, Fraction(epsilon))


@pytest.mark.slow
def test_a_search_that_runs_out_of_budget_is_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    laws, counts, known, epsilon = CASES[2]
    whole = crowd(laws, counts, known)
    monkeypatch.setattr(trades, "MANY", 1)
    for budget in (1, 5, 20):
        monkeypatch.setattr(trades, "BUDGET", budget)
        found = whole._traded(Fraction(epsilon))
        assert found is not None
        assert found[0].lower <= largest(whole, Fraction(epsilon)) * (1 + 1e-9)
        assert found[0].upper >= largest(whole, Fraction(epsilon))


def test_removals_that_are_not_looked_at_count_by_their_bound() -> None:
    """Bounds a hair above what is attained are not pursued, and the bracket says so."""
    bound = 0.5 * (1 + simplices.CLOSE / 2)
    search = simplices.SimplexSearch((3, 3), 2, lambda _: _bracket(0.5), budget=100, few=10)
    search.see((1, 1))
    nowhere = np.zeros(1)
    search.run(lambda _: Bound(np.full(1, bound), (1, 0)), lambda points: (nowhere.repeat(len(points)),) * 2)
    assert search.upper >= bound


def test_removals_among_others_count_by_their_bound_too() -> None:
    """Of the places of a simplex only those are judged whose bound is above what is attained."""
    hair = 0.5 * (1 + simplices.CLOSE / 2)
    search = simplices.SimplexSearch((3, 3), 2, lambda _: _bracket(0.5), budget=100, few=10)
    search.see((1, 1))

    def offsets(points: Floats) -> tuple[Floats, Floats]:
        first = (points[:, 0] == 0).astype(float)
        return first, first

    search.run(lambda _: Bound(np.array([hair, 0.6]), (1, 0)), offsets)
    assert search.upper == hair


def _bracket(value: float) -> Bracket:
    return Bracket(value, value)


def test_other_figures_are_searched_as_before() -> None:
    """Five types, or nothing known: not by simplices."""
    five = [*LAWS, "1/3 1/3 1/3"]
    assert crowd(five, (3, 3, 3, 3, 3), 2)._traded(Fraction(1)) is None
    assert crowd(LAWS, (3, 3, 3, 3), 0)._traded(Fraction(1)) is None


@pytest.mark.slow
def test_values_on_a_coarser_lattice_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    laws, counts, known, epsilon = CASES[1]
    groups = [
        ({3 + 5 * value: Fraction(one) for value, one in enumerate(law.split())}, count)
        for law, count in zip(laws, counts, strict=True)
    ]
    belief = Independent(groups=groups, known=known)
    coarse = WorstCurve(belief.crowd(Sum()), tuple(pairs(Value(), [3, 8, 13])), AsItIs(), known)
    bracket, plain = coarse.delta(Fraction(epsilon)), crowd(laws, counts, known).delta(Fraction(epsilon))
    assert bracket.lower == pytest.approx(plain.lower, rel=1e-6)
    assert bracket.upper == pytest.approx(plain.upper, rel=1e-6)
    monkeypatch.setattr(trades, "MANY", 1)  # by bounds alone
    found, same = coarse._traded(Fraction(epsilon)), crowd(laws, counts, known)._traded(Fraction(epsilon))
    assert found is not None
    assert same is not None
    assert found[0].upper == pytest.approx(same[0].upper, rel=1e-6)


def test_a_shift_that_is_not_on_the_lattice_is_not_searched_for() -> None:
    """Such a sum and its shift have no value in common."""
    laws, counts, known, epsilon = CASES[1]
    groups = [
        ({5 * value: Fraction(one) for value, one in enumerate(law.split())}, count)
        for law, count in zip(laws, counts, strict=True)
    ]
    types = Independent(groups=groups, known=known).crowd(Sum())
    assert isinstance(types, Types)
    for shifts, searched in (([5, 10], True), ([5, 7], False)):
        found = trades.worst_trade(types, known + 1, shifts, Fraction(epsilon), lambda _: _bracket(0.0))
        assert (found is not None) == searched


@pytest.mark.slow
def test_a_value_that_is_large_and_rare_is_searched_in_boxes() -> None:
    """At the tilts that look at its tail, a move by 300 is by more than the largest number."""
    groups = [({0: "1/2", 1: "1/2"}, 20), ({0: "9/10", 1: "1/20", 300: "1/20"}, 20)]
    belief = Independent(groups=groups, known=3)
    whole = WorstCurve(belief.crowd(Sum()), tuple(pairs(Value(), [0, 1, 300])), AsItIs(), 3)
    assert whole._traded(Fraction(1)) is None
    found, most = whole.delta(Fraction(1)), largest(whole, Fraction(1))
    assert found.lower <= most * (1 + 1e-9)
    assert most <= found.upper <= most * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0", "1/5", "2/3", "8/7"])
def test_a_thousand_records_of_four_types_are_judged_sharply(epsilon: str) -> None:
    whole = crowd(LAWS, (250, 250, 250, 250), 200)
    bracket, removal = whole.find(Fraction(epsilon))
    assert removal is not None
    assert bracket.width <= 1e-6 * bracket.lower
    rng = np.random.default_rng(0)
    for _ in range(60):
        cuts = np.sort(rng.integers(0, 202, 3))
        some = tuple(np.diff([0, *cuts.tolist(), 201]).tolist())
        assert whole.left(some).delta(Fraction(epsilon)).lower <= bracket.upper
