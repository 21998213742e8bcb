"""The worst known set of yes/no records: series over neighbouring runs, shared coins, the search as a whole."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs.belief import IID, Independent
from dalenius.beliefs.worst import AsItIs, WorstCurve
from dalenius.facts.secret import Pair
from dalenius.facts.statistics import Count
from dalenius.numerics.search import Windows
from dalenius.numerics.trade import rates_of, traded
from oracle import balls, profile_of_types

PAIRS = (Pair(0, 1), Pair(1, 0))
TYPES = [("0.1", 1500), ("0.35", 1500), ("0.6", 1500)]
EPSILONS = [Fraction(0), Fraction(1, 20), Fraction(3, 10)]


def crowd(types: list[tuple[str, int]]) -> WorstCurve:
    groups = [({0: 1 - Fraction(rate), 1: Fraction(rate)}, count) for rate, count in types]
    return WorstCurve(Independent(groups=groups).crowd(Count()), PAIRS, AsItIs(), 0)


def truth(types: list[tuple[str, int]], taken: list[int], epsilon: Fraction) -> tuple[Fraction, Fraction]:
    left = [(count - out, Fraction(rate)) for (rate, count), out in zip(types, taken, strict=True) if count > out]
    found = balls.largest(profile_of_types(left, epsilon))
    return balls.lower(found), balls.upper(found)


def runs(types: list[tuple[str, int]], size: int) -> list[list[int]]:
    """How many records of each type every run of consecutive records takes out."""
    ends = np.cumsum([count for _, count in types])
    starts = ends - [count for _, count in types]
    first = range(int(ends[-1]) - size + 1)
    return [[max(0, min(s + size, b) - max(s, a)) for a, b in zip(starts, ends, strict=True)] for s in first]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("length", [4, 8])
def test_a_family_of_trades_covers_each_of_its_laws(length: int, epsilon: Fraction) -> None:
    """The worst of j = 0..L must lie in the bracket, and the bracket must be narrow."""
    middle = rates_of(np.array([0.1, 0.35, 0.6]), np.array([200, 150, 180]))
    bracket, cut = traded(middle, 0.35, 0.6, length).worst(epsilon)
    exact = [
        truth(
            [("0.1", 200), (repr(0.35), 150 + j - length // 2), (repr(0.6), 180 - j + length // 2)], [0, 0, 0], epsilon
        )
        for j in range(length + 1)
    ]
    assert bracket.lower <= max(high for _, high in exact)
    assert bracket.upper >= max(low for low, _ in exact)
    assert bracket.width <= 1e-7 * bracket.upper
    assert -1 <= cut.x <= 1


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS[1:])
def test_what_all_runs_of_a_range_share_is_never_safer_than_one_of_them(epsilon: Fraction) -> None:
    whole = crowd(TYPES)
    windows = Windows(500, 1050, 1450, ())
    shared = whole.crowd.shared(windows)  # type: ignore[attr-defined]
    assert shared is not None
    bound = whole._bound(windows, epsilon=epsilon)
    worst = max(truth(TYPES, taken, epsilon)[0] for taken in runs(TYPES, 500)[1050:1451:80])
    assert bound >= worst


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 59])
def test_the_search_finds_the_worst_run_to_seven_digits(known: int) -> None:
    types = [("0.1", 60), ("0.35", 60), ("0.6", 60)]
    groups = [({0: 1 - Fraction(rate), 1: Fraction(rate)}, count) for rate, count in types]
    whole = WorstCurve(Independent(groups=groups).crowd(Count()), PAIRS, AsItIs(), known)
    for epsilon in EPSILONS[1:]:
        exact = [truth(types, taken, epsilon) for taken in {tuple(run): run for run in runs(types, known + 1)}.values()]
        bracket = whole.delta(epsilon)
        assert bracket.lower <= max(high for _, high in exact)
        assert bracket.upper >= max(low for low, _ in exact)
        assert bracket.width <= 1e-6 * bracket.upper


@pytest.mark.slow
def test_a_hundred_thousand_records_of_four_types_with_a_fifth_known_are_judged_sharply() -> None:
    groups = [({0: 1 - Fraction(rate), 1: Fraction(rate)}, 25_000) for rate in ("0.1", "0.3", "0.55", "0.8")]
    whole = WorstCurve(Independent(groups=groups).crowd(Count()), PAIRS, AsItIs(), 20_000)
    bracket, removal = whole.find(Fraction(1, 20))
    assert bracket.width <= 1e-6 * bracket.upper
    assert removal is not None
    taken = whole.crowd._taken(*removal).tolist()  # type: ignore[attr-defined]
    low, high = truth([("0.1", 25_000), ("0.3", 25_000), ("0.55", 25_000), ("0.8", 25_000)], taken, Fraction(1, 20))
    assert bracket.lower <= high
    assert low <= bracket.upper


def test_equal_records_make_every_run_the_same() -> None:
    belief = IID(p=0.3, n=1000, known=100)
    bracket = WorstCurve(belief.crowd(Count()), PAIRS, AsItIs(), 100).delta(Fraction(1, 10))
    low, high = truth([("0.3", 1000)], [101], Fraction(1, 10))
    assert bracket.lower <= high
    assert low <= bracket.upper
    assert bracket.width <= 1e-8 * bracket.upper


@pytest.mark.slow
@pytest.mark.parametrize("known", [20, 150, 240])
@pytest.mark.parametrize("enough", ["1e-12", "1e-6", "1e-4", "1e-2"])
def test_a_search_that_may_stop_once_it_is_decided_decides_alike_and_with_less_work(known: int, enough: str) -> None:
    """Three types of record, of which a run is known: most targets are far off, and a bound or two tells."""
    types, epsilon, target = [("0.1", 100), ("0.2", 100), ("0.3", 100)], Fraction(1, 2), Fraction(enough)
    groups = [({0: 1 - Fraction(rate), 1: Fraction(rate)}, count) for rate, count in types]

    def fresh() -> WorstCurve:
        return WorstCurve(Independent(groups=groups).crowd(Count()), PAIRS, AsItIs(), known)

    closely, quickly = fresh(), fresh()
    whole, decided = closely.delta(epsilon), quickly.delta_until(epsilon, target)
    assert decided.lower <= whole.upper and whole.lower <= decided.upper
    assert decided.certainly_at_most(target) == whole.certainly_at_most(target)
    assert decided.certainly_above(target) == whole.certainly_above(target)
    if not whole.lower / 100 < target < whole.upper * 100:
        assert len(quickly.crowd._laws) <= 12 < len(closely.crowd._laws)
