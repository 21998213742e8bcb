"""The search over removals: it never misses the worst member, and stops only when it may."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.search import CLOSE, Boxes, Family, Removal, Windows, worst


def members(family: Family) -> list[Removal]:
    """All members, by splitting to the end."""
    halves = family.halves()
    return [m for half in halves for m in members(half)] if halves else [family.member()]


windows = st.builds(
    lambda size, first, more, bounds: Windows(size, first, first + more, tuple(sorted(bounds))),
    st.integers(1, 6),
    st.integers(0, 9),
    st.integers(0, 12),
    st.sets(st.integers(1, 25), max_size=4),
)


@st.composite
def boxes(draw: st.DrawFn) -> Boxes:
    most = tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any)))
    return Boxes(draw(st.integers(1, sum(most))), (0,) * len(most), most)


@given(family=windows)
def test_splitting_runs_loses_none_and_repeats_none(family: Windows) -> None:
    found = members(family)
    assert sorted(found) == [(i, i + family.size) for i in range(family.first, family.last + 1)]


@given(family=boxes())
def test_splitting_boxes_loses_none_and_repeats_none(family: Boxes) -> None:
    wanted = [m for m in itertools.product(*(range(most + 1) for most in family.most)) if sum(m) == family.size]
    assert sorted(members(family)) == sorted(wanted)


@given(family=boxes())
def test_the_union_of_a_box_contains_every_member(family: Boxes) -> None:
    for part in (family, *family.halves()):
        union = part.union()
        for member in members(part):
            assert all(a <= b for a, b in zip(member, union, strict=True))


@given(family=windows)
def test_the_union_of_runs_contains_every_member_or_all_are_of_one_type(family: Windows) -> None:
    start, stop = family.union()
    alike = not any(family.first < bound < family.last + family.size for bound in family.bounds) and family.bounds
    assert alike or (start <= family.first and stop >= family.last + family.size)


def weights(draw: Callable[[st.SearchStrategy[int]], int], size: int) -> list[int]:
    return [draw(st.integers(0, 50)) for _ in range(size)]


@given(data=st.data(), family=boxes(), blur=st.sampled_from([0.0, 1e-3]), budget=st.sampled_from([3, 10, 10_000]))
def test_the_worst_box_is_bracketed_however_early_the_search_stops(
    data: st.DataObject, family: Boxes, blur: float, budget: int
) -> None:
    """δ grows with what is taken out: any such function will do."""
    worth = weights(data.draw, len(family.most))
    whole = sum(w * m for w, m in zip(worth, family.most, strict=True)) + 1

    def delta(removal: Removal) -> Fraction:
        return Fraction(sum(w * m for w, m in zip(worth, removal, strict=True)), whole)

    def evaluate(removal: Removal) -> Bracket:
        value = float(delta(removal))
        return Bracket(max(0.0, value - blur - 1e-15), min(1.0, value + blur + 1e-15))

    bracket, chosen = worst(family, evaluate, budget=budget)
    truth = max(map(delta, members(family)))
    assert Fraction(bracket.lower) <= truth <= Fraction(bracket.upper)
    assert chosen in members(family)
    assert bracket.lower <= delta(chosen)
    if budget == 10_000:
        assert bracket.width <= 2 * blur + (CLOSE + 1e-12) * bracket.upper + 1e-14


@given(data=st.data(), family=windows, budget=st.sampled_from([3, 10, 10_000]))
def test_the_worst_run_is_bracketed_however_early_the_search_stops(
    data: st.DataObject, family: Windows, budget: int
) -> None:
    stop = family.last + family.size
    types = sorted({0, stop, *(b for b in family.bounds if b < stop)})
    worth = [data.draw(st.integers(0, 50)) for _ in types]
    each = (
        [worth[max(i for i, t in enumerate(types) if t <= k)] for k in range(stop)]
        if family.bounds
        else weights(data.draw, stop)
    )
    whole = sum(each) + 1

    def delta(removal: Removal) -> Fraction:
        return Fraction(sum(each[removal[0] : removal[1]]), whole)

    def evaluate(removal: Removal) -> Bracket:
        return Bracket(max(0.0, float(delta(removal)) - 1e-15), float(delta(removal)) + 1e-15)

    bracket, chosen = worst(family, evaluate, budget=budget)
    truth = max(map(delta, members(family)))
    assert Fraction(bracket.lower) <= truth <= Fraction(bracket.upper)
    assert bracket.lower <= delta(chosen)
    if budget == 10_000:
        assert bracket.width <= (CLOSE + 1e-12) * bracket.upper + 1e-14


@given(data=st.data(), family=windows, enough=st.sampled_from([0.0, 0.1, 0.3, 0.9]), earliest=st.sampled_from([0, 24]))
def test_a_decided_search_is_still_certified(
    data: st.DataObject, family: Windows, enough: float, earliest: int
) -> None:
    family = Windows(family.size, family.first, family.last)
    each = weights(data.draw, family.last + family.size)
    whole = sum(each) + 1

    def evaluate(removal: Removal) -> Bracket:
        value = sum(each[removal[0] : removal[1]]) / whole
        return Bracket(max(0.0, value - 1e-15), value + 1e-15)

    bracket, _ = worst(family, evaluate, enough=enough, earliest=earliest)
    truth = max(Fraction(sum(each[a:b]), whole) for a, b in members(family))
    assert Fraction(bracket.lower) <= truth <= Fraction(bracket.upper)


def test_a_family_of_one_is_simply_evaluated() -> None:
    bracket, chosen = worst(Windows(3, 2, 2), lambda _: Bracket(0.25, 0.5))
    assert (bracket.lower, bracket.upper, chosen) == (0.25, 0.5, (2, 5))
    with pytest.raises(ValueError, match="not enough"):
        worst(Windows(3, 2, 2), _refuse)


def _refuse(_: Removal) -> Bracket:
    raise ValueError("not enough")


def test_a_family_whose_bound_decides_is_not_settled_once_the_search_may_stop() -> None:
    """Settling is what costs; before `earliest` evaluations it is done anyway, so that the bracket is narrow."""
    settled = list[Family]()

    def settle(family: Family) -> None:
        settled.append(family)

    def value(removal: Removal) -> Bracket:
        return Bracket(removal[1] * 0.01, removal[1] * 0.01)

    family = Windows(2, 0, 40)
    quick, _ = worst(family, value, settle=settle, enough=0.5, earliest=0)
    assert not settled and quick.lower <= 0.42 <= quick.upper <= 0.5
    whole, _ = worst(family, value, settle=settle, enough=0.5)
    assert settled and whole.upper <= quick.upper
    refused, _ = worst(family, value, settle=settle, enough=0.1, earliest=0)
    assert refused.lower > 0.1
