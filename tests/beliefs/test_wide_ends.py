"""Which end of a bracket is taken: with brackets that are planted, and far apart."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dalenius.beliefs.wide import WideCurve
from dalenius.beliefs.worst import _sharper
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Pair
from dalenius.mechanisms import Chain, TwoSidedGeometric

F = Fraction
COUNTS = (3, 4)
MEMBER, UNION = Bracket(0.1, 0.4), Bracket(0.2, 0.6)


def curve(channel: Chain, enough: Fraction | None, monkeypatch: pytest.MonkeyPatch) -> WideCurve:
    """Two kinds of records, of which the attacker knows one; more than two taken out at once is a union."""
    crowd: Any = SimpleNamespace(counts=COUNTS, without=lambda _: SimpleNamespace(span=1))
    monkeypatch.setattr(WideCurve, "_without", lambda _, removal, epsilon: MEMBER if sum(removal) == 2 else UNION)
    return WideCurve(crowd, Pair(0, 5), 1, channel, 1, enough)


@pytest.mark.parametrize("enough", [None, F(1, 2), F(3, 10), F(7, 10)])
def test_the_worst_of_several_is_between_a_member_and_the_union(
    enough: Fraction | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, removal = curve(Chain(()), enough, monkeypatch).find(F(1))
    settled = enough == F(7, 10)  # by the union of all
    assert found == Bracket(MEMBER.lower, UNION.upper if settled else MEMBER.upper)
    assert removal is not None and sum(removal) == 2


@pytest.mark.parametrize(("alone", "upper"), [(Bracket(0.05, 0.3), 0.3), (Bracket(0.05, 0.9), 0.4), (None, 0.4)])
def test_noise_is_bounded_by_the_better_of_two_upper_ends(
    alone: Bracket | None, upper: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = None if alone is None else SimpleNamespace(delta=lambda _: alone)
    monkeypatch.setattr(WideCurve, "_noise", lambda _: noise)
    asked = curve(Chain((TwoSidedGeometric(F(100)),)), None, monkeypatch)
    assert asked.delta(F(1, 1000)) == Bracket(0.0, upper)


def test_two_brackets_of_one_delta_are_one() -> None:
    one, two = (Bracket(0.1, 0.5), (0, 1)), (Bracket(0.2, 0.6), (1, 2))
    assert _sharper(one, two) == _sharper(two, one) == (Bracket(0.2, 0.5), (1, 2))
