"""Searches for one unknown: what is returned was tried, and the answer is the least where there is one."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics.least import (
    FalsePosition,
    climb,
    doubled,
    first_true,
    geometric,
    halfway,
    last_below,
    last_true,
    least,
    outwards,
    scan,
    whole_halfway,
)

fractions = st.fractions(-10, 10, max_denominator=50)


class Asked:
    """A predicate that remembers what it was asked."""

    def __init__(self, holds: Callable[[object], bool]) -> None:
        self.told: dict[object, bool] = {}
        self.holds = holds

    def __call__(self, at: object) -> bool:
        self.told[at] = self.holds(at)
        return self.told[at]


@given(edge=st.integers(-30, 30), ends=st.tuples(st.integers(-25, 25), st.integers(1, 50)))
def test_whole_numbers_are_told_apart_to_one(edge: int, ends: tuple[int, int]) -> None:
    low, high = ends[0], ends[0] + ends[1]
    holds = Asked(lambda at: at >= edge)  # type: ignore[operator]
    below, above = least(holds, low, high, middle=whole_halfway)
    assert above == below + 1
    assert above == min(max(edge, low + 1), high)
    assert len(holds.told) <= math.ceil(math.log2(ends[1]) + 1)


@given(edge=fractions, close=st.sampled_from([Fraction(1, 7), Fraction(1, 10**9)]))
def test_fractions_are_told_apart_as_closely_as_wanted(edge: Fraction, close: Fraction) -> None:
    holds = Asked(lambda at: at >= edge)  # type: ignore[operator]
    low, high = least(holds, Fraction(-11), Fraction(11), middle=halfway, close=lambda one, two: two - one <= close)
    assert low < edge <= high <= low + close
    assert holds.told.get(high, high == 11)
    assert not holds.told.get(low, low != -11)


@given(edge=st.floats(0, 1000, exclude_min=True))
def test_floats_are_told_apart_to_the_last_bit(edge: float) -> None:
    low, high = least(lambda at: at >= edge, 0.0, 1000.0, middle=halfway)
    assert (low, high) == (math.nextafter(edge, -math.inf), edge)
    rough = least(lambda at: at >= edge, 0.0, 1000.0, middle=halfway, steps=5)
    assert rough[0] < edge <= rough[1] == rough[0] + 1000 / 2**5


@given(truth=st.lists(st.booleans(), min_size=1, max_size=40), data=st.data())
def test_whatever_the_predicate_is_what_is_returned_was_tried(truth: list[bool], data: st.DataObject) -> None:
    """Also one that is not monotone."""
    holds = Asked(lambda at: truth[at])  # type: ignore[call-overload]
    low, high = least(holds, -1, len(truth), middle=lambda one, two: data.draw(st.integers(one, two)))
    assert high == len(truth) or holds.told[high]
    assert low == -1 or not holds.told[low]


def test_nothing_holds_and_everything_holds() -> None:
    assert least(lambda _: False, 0, 9, middle=whole_halfway) == (8, 9)  # 9 is given, not tried
    assert least(lambda _: True, 0, 9, middle=whole_halfway) == (0, 1)
    assert first_true(lambda _: False, 3, 9) == 10
    assert first_true(lambda _: True, 3, 9) == 3
    assert last_true(lambda _: False, 3, 9) == 2
    assert last_true(lambda _: True, 3, 9) == 9
    assert first_true(lambda _: True, 3, 2) == 3  # of no number
    assert scan(lambda _: False, 0, range(1, 4)) == (3, None)
    assert scan(lambda _: True, 0, range(1, 4)) == (0, 1)
    assert scan(lambda _: True, 0, ()) == (0, None)
    assert outwards(lambda _: True, 8, down=(4, 2), up=(16, 32)) == (None, 2)
    assert outwards(lambda _: False, 8, down=(4, 2), up=(16, 32)) == (32, None)


def test_ends_that_are_given_the_wrong_way_round_are_left_alone() -> None:
    assert least(lambda _: True, 5, 5, middle=whole_halfway) == (5, 5)
    assert least(lambda _: True, 7, 5, middle=whole_halfway) == (7, 5)


@given(edge=st.integers(-3, 14), low=st.integers(0, 4), high=st.integers(5, 10))
def test_the_first_and_the_last(edge: int, low: int, high: int) -> None:
    assert first_true(lambda at: at >= edge, low, high) == min(max(edge, low), high + 1)
    assert last_true(lambda at: at <= edge, low, high) == max(min(edge, high), low - 1)


@given(truth=st.lists(st.booleans(), max_size=12))
def test_a_ladder_is_scanned_rung_by_rung(truth: list[bool]) -> None:
    holds = Asked(lambda at: truth[at])  # type: ignore[call-overload]
    before, first = scan(holds, -1, range(len(truth)))
    assert first == (truth.index(True) if True in truth else None)
    assert before == (len(truth) if first is None else first) - 1
    assert len(holds.told) == (len(truth) if first is None else first + 1)


@given(truth=st.lists(st.booleans(), min_size=1, max_size=21), start=st.integers(0, 20))
def test_outwards_finds_two_neighbours(truth: list[bool], start: int) -> None:
    start %= len(truth)
    holds = Asked(lambda at: truth[at])  # type: ignore[call-overload]
    low, high = outwards(holds, start, down=range(start - 1, -1, -1), up=range(start + 1, len(truth)))
    if low is not None:
        assert not holds.told[low]
    if high is not None:
        assert holds.told[high]
    if low is not None and high is not None:
        assert high == low + 1
    assert (low is None) == (truth[start] and all(truth[:start]))
    assert (high is None) == (not any(truth[start:]))


@given(first=st.integers(1, 40), most=st.integers(1, 5000))
def test_doubling_goes_as_far_as_it_may(first: int, most: int) -> None:
    rungs = list(doubled(first, most))
    assert rungs == [first * 2**turn for turn in range(len(rungs))]
    assert all(rung <= most for rung in rungs[1:])
    assert 2 * rungs[-1] > most


def test_a_climb_ends_with_its_last_rung() -> None:
    assert list(climb(1, lambda at: at + 3, lambda at: at > 7)) == [1, 4, 7, 10]
    assert list(climb(9, lambda at: at + 3, lambda at: at > 7)) == [9]


@given(one=st.fractions(Fraction(1, 10**6), 10**6), two=st.fractions(Fraction(1, 10**6), 10**6))
def test_half_way_on_logarithms(one: Fraction, two: Fraction) -> None:
    middle = geometric(min(one, two), max(one, two))
    assert abs(middle**2 / (one * two) - 1) < Fraction(1, 10**14)


# -- false position ----------------------------------------------------------------------------------------------------


@given(
    rate=st.floats(1e-4, 3),
    start=st.floats(-60, 2),
    last=st.integers(0, 3000),
    power=st.integers(1, 40),
    resolution=st.sampled_from([1, 2, 50]),
)
def test_the_last_number_below_a_target(rate: float, start: float, last: int, power: int, resolution: int) -> None:
    target = Fraction(1, 10**power)
    asked: dict[int, float] = {}

    def value(known: int) -> float:
        asked[known] = math.exp(min(700.0, start + rate * known))
        return asked[known]

    found = last_below(value, target, last, resolution)
    held = [known for known in range(last + 1) if math.exp(min(700.0, start + rate * known)) <= target]
    if not held:
        assert found is None
        return
    assert found is not None
    assert asked[found] <= target  # it was tried
    assert held[-1] - resolution < found <= held[-1]
    assert len(asked) <= 3 * (last + 2).bit_length() + 4


@given(steps=st.lists(st.integers(0, 9), min_size=1, max_size=60), power=st.integers(0, 300))
def test_values_need_not_be_smooth_nor_above_zero(steps: list[int], power: int) -> None:
    values = [0.0, *(10.0 ** (sum(steps[:turn]) - 310) for turn in range(1, len(steps) + 1))]
    found = last_below(lambda known: values[known], Fraction(1, 10**power), len(values) - 1)
    assert found == max(known for known, value in enumerate(values) if value <= Fraction(1, 10**power))


@pytest.mark.parametrize(("value", "found"), [(0.0, 99), (1.0, None)])
def test_a_value_that_never_changes(value: float, found: int | None) -> None:
    assert last_below(lambda _: value, Fraction(1, 2), 99) == found
    assert last_below(lambda _: value, Fraction(0), 99) == found


@given(rate=st.fractions(Fraction(1, 20), 20), power=st.integers(1, 30))
def test_a_falling_value_meets_its_target_within_what_is_wanted(rate: Fraction, power: int) -> None:
    target, wanted = Fraction(1, 10**power), power * math.log(10) / float(rate)
    search = FalsePosition(lambda at: math.exp(-float(rate * at)), target, ahead=0.02, margin=0.05)

    def middle(low: Fraction, high: Fraction) -> Fraction:
        return low + (high - low) * Fraction(search.share(low, high))

    top = Fraction(2**11)  # above 30 log(10) 20
    low, high = least(
        search.holds, Fraction(0), top, middle=middle, close=lambda one, two: two <= one * Fraction(1005, 1000)
    )
    assert float(low) <= wanted * (1 + 1e-12)
    assert wanted * (1 - 1e-12) <= float(high) <= wanted * 1.0051
    assert math.exp(-float(rate * high)) <= target


def test_every_third_time_it_is_half_way() -> None:
    search = FalsePosition(lambda at: 0.1**at, Fraction(1, 10**3))
    assert search.holds(9.0)
    assert not search.holds(1.0)
    assert search.share(1.0, 9.0) == 0.5
    assert search.share(1.0, 9.0) == search.share(1.0, 9.0) == pytest.approx(0.25)
    assert search.share(1.0, 9.0) == 0.5
    kept = FalsePosition(lambda at: 0.1**at, Fraction(1, 10**3), turn=1, ahead=0.5, margin=0.3)
    assert not kept.holds(1.0)
    assert kept.holds(9.0)
    assert (kept.share(1.0, 9.0), kept.share(1.0, 2.9999)) == (0.7, 0.7)
