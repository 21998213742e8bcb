"""The search for the largest value: its bracket holds the truth whatever stops it, and nothing is forgotten."""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics.largest import Largest, Region, largest

Values = list[Fraction]
Found = Largest[Fraction, int]
Part = Region[Fraction, int]


class Line:
    """Values at 0, 1, ..., searched in runs; a bound is too large by a slack of its own, so that any order may occur.
    `coarse`: runs of up to so many are never split. `cuts`: into how many parts a run is split.
    """

    def __init__(self, values: Values, slacks: Values, *, coarse: int = 1, cuts: int = 2) -> None:
        self.values, self.slacks, self.coarse, self.cuts = values, slacks, coarse, cuts
        self.looked: list[tuple[int, int]] = []

    def bound(self, first: int, stop: int) -> Fraction:
        """The slack of a run of one is 0."""
        slack = self.slacks[(7 * first + stop) % len(self.slacks)] if stop - first > 1 else Fraction(0)
        return max(self.values[first:stop]) + slack

    def look(self, first: int, stop: int) -> Part:
        self.looked.append((first, stop))
        middle = (first + stop) // 2
        attained = self.values[middle], middle
        if stop - first <= self.coarse:
            return Region(self.bound(first, stop), attained)
        return Region(self.bound(first, stop), attained, lambda _: self.split(first, stop))

    def split(self, first: int, stop: int) -> Iterator[Part]:
        edges = sorted({first + (stop - first) * part // self.cuts for part in range(self.cuts + 1)})
        return (self.look(a, b) for a, b in itertools.pairwise(edges))

    def search(self, stop: Callable[[Found], bool]) -> Found:
        return largest((self.values[0], 0), [self.look(0, len(self.values))], stop=stop)


fractions = st.integers(0, 30).map(lambda part: Fraction(part, 30))


@st.composite
def lines(draw: st.DrawFn) -> Line:
    values, slacks = (draw(st.lists(fractions, min_size=1, max_size=size)) for size in (24, 5))
    return Line(values, slacks, coarse=draw(st.integers(1, 5)), cuts=draw(st.integers(2, 5)))


def holds(line: Line, found: Found) -> bool:
    return found.lower <= max(line.values) <= found.upper and line.values[found.at] == found.lower


@given(line=lines(), budget=st.integers(0, 60))
def test_the_bracket_holds_the_largest_whatever_stops_the_search(line: Line, budget: int) -> None:
    by_looks = line.search(lambda found: found.looks >= budget)
    by_splits = line.search(lambda found: found.splits >= budget)
    assert holds(line, by_looks)
    assert holds(line, by_splits)
    assert by_splits.splits <= budget


@given(line=lines())
def test_it_is_true_at_every_step_and_gets_narrower(line: Line) -> None:
    steps: list[tuple[Fraction, Fraction]] = []

    def stop(found: Found) -> bool:
        assert holds(line, found)
        steps.append((found.lower, found.upper))
        return False

    found = line.search(stop)
    lowers, uppers = zip(*steps, (found.lower, found.upper), strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)
    assert holds(line, found)


@given(line=lines(), enough=fractions)
def test_a_decision_is_right(line: Line, enough: Fraction) -> None:
    line.coarse = 1
    found = line.search(lambda found: found.upper <= enough or found.lower > enough)
    assert (found.upper <= enough) == (max(line.values) <= enough)
    assert (found.lower > enough) == (max(line.values) > enough)


@given(line=lines(), width=fractions)
def test_it_ends_as_narrow_as_wanted_and_complete_it_is_exact(line: Line, width: Fraction) -> None:
    line.coarse = 1
    narrow = line.search(lambda found: found.upper <= found.lower + width)
    assert narrow.upper <= narrow.lower + width
    whole = line.search(lambda _: False)
    assert whole.lower == whole.upper == max(line.values)
    settled = line.search(lambda found: found.settled)
    assert settled.upper == whole.upper


@given(line=lines())
def test_regions_that_are_never_split_count_by_their_bound(line: Line) -> None:
    """What is closed is no less than each coarse run's bound, or than that of a run that it came from."""
    line.slacks = [Fraction(1)]  # so that it can be seen
    found = line.search(lambda _: False)
    runs = [(a, b) for a, b in line.looked if 1 < b - a <= line.coarse]
    assert all(min(line.bound(a, b), line.bound(0, len(line.values))) <= found.upper for a, b in runs)


@given(line=lines(), data=st.data())
def test_several_regions_at_the_start_are_all_counted(line: Line, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(line.values)))
    ends = [(a, b) for a, b in ((0, cut), (cut, len(line.values))) if a < b]
    budget = data.draw(st.integers(0, 8))
    found = largest((line.values[0], 0), [line.look(a, b) for a, b in ends], stop=lambda found: found.splits >= budget)
    assert holds(line, found)


def test_the_region_with_the_largest_bound_is_split_first() -> None:
    order: list[str] = []

    def region(name: str, upper: float, *parts: Region[float, str]) -> Region[float, str]:
        def split(_: Largest[float, str]) -> tuple[Region[float, str], ...]:
            order.append(name)
            return parts

        return Region(upper, split=split)

    some = [region("b", 0.5), region("a", 0.9, region("c", 0.6), region("d", 0.1)), region("e", 0.5)]
    largest((0.0, ""), some, stop=lambda _: False)
    assert order == ["a", "c", "b", "e", "d"]


def test_a_region_that_splits_into_nothing_is_counted() -> None:
    some: list[Region[float, None]] = [Region(0.7, split=lambda _: ()), Region(0.4, split=lambda _: [Region(0.1)])]
    assert largest((0.0, None), some, stop=lambda _: False).upper == 0.7
    assert largest((0.0, None), some, stop=lambda found: found.settled).splits == 1


@pytest.mark.parametrize("worse", [0.9, math.inf, math.nan])
def test_a_bound_of_the_whole_holds_for_its_parts(worse: float) -> None:
    whole: Region[float, None] = Region(0.5, split=lambda _: [Region(worse, split=lambda _: [Region(0.3)])])
    assert largest((0.0, None), [whole], stop=lambda found: found.splits >= 1).upper == 0.5
    assert largest((0.0, None), [whole], stop=lambda _: False).upper == 0.3


def test_a_bound_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="not a number"):
        largest((0.0, None), [Region(0.5), Region(math.nan)], stop=lambda _: True)
    assert largest((0.0, None), [Region(math.inf)], stop=lambda _: True).upper == math.inf


def test_what_is_attained_counts_before_the_next_region_is_looked_at() -> None:
    seen: list[float] = []

    def split(found: Largest[float, int]) -> Iterator[Region[float, int]]:
        for place in (1, 2, 3):
            seen.append(found.lower)
            assert found.upper == 1.0  # the whole is still counted
            yield Region(0.5, (place / 10, place))

    found = largest((0.0, 0), [Region(1.0, split=split)], stop=lambda _: False)
    assert seen == [0.0, 0.1, 0.2]
    assert (found.lower, found.at, found.upper, found.looks) == (0.3, 3, 0.5, 3)


def test_what_is_attained_is_at_most_the_upper_end() -> None:
    """Of a set that is one member."""
    found = largest((0.0, 0), [Region(0.2, (0.2, 5))], stop=lambda _: False)
    assert (found.lower, found.at, found.upper) == (0.2, 5, 0.2)
    nothing = largest((0.1, 4), [], stop=lambda _: False)
    assert (nothing.lower, nothing.at, nothing.upper, nothing.open) == (0.1, 4, 0.1, 0.1)
