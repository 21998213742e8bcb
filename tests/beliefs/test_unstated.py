"""Beliefs without probabilities, against all laws of small worlds: nobody has a value that is too unlikely."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.facts.secret import Value
from dalenius.judge.engine import EXACT, Judge
from dalenius.judge.group import Group, Laws
from dalenius.mechanisms import Chain, TwoSidedGeometric

HAIR = 1e-12
Vector = tuple[int, ...]


def ends(size: int, chance: Fraction) -> list[tuple[Fraction, ...]]:
    """The corners of all laws in which no value is less likely: what is left goes to one value."""
    rest = 1 - size * chance
    return [tuple(chance + (rest if at == corner else 0) for at in range(size)) for corner in range(size)]


def total(laws: tuple[tuple[Fraction, ...], ...], adds: list[Vector]) -> dict[Vector, Fraction]:
    found = {(0,) * len(adds[0]): Fraction(1)}
    for law in laws:
        more: dict[Vector, Fraction] = {}
        for (at, mass), (chance, step) in product(found.items(), zip(law, adds, strict=True)):
            place = tuple(map(sum, zip(at, step, strict=True)))
            more[place] = more.get(place, Fraction(0)) + mass * chance
        found = more
    return found


def worst(adds: list[Vector], others: int, chance: Fraction, epsilon: Fraction) -> float:
    """The largest excess over all corners, which are enough as it is convex in each law, and all pairs of facts."""
    most, factor = 0.0, math.exp(epsilon)
    for laws in combinations_with_replacement(ends(len(adds), chance), others):
        law = total(laws, adds)
        for one, two in permutations(dict.fromkeys(adds), 2):
            first = {tuple(map(sum, zip(at, one, strict=True))): mass for at, mass in law.items()}
            second = {tuple(map(sum, zip(at, two, strict=True))): mass for at, mass in law.items()}
            gained = sum(max(0.0, float(mass) - factor * float(second.get(at, 0))) for at, mass in first.items())
            most = max(most, gained)
    return most


def open_laws(adds: list[Vector], people: int, chance: Fraction) -> Laws:
    """What a judge is told: an even law as one of them, and what no mass is below."""
    number = {vector: adds.count(vector) for vector in adds}
    even = tuple(sorted((vector, Fraction(many, len(adds))) for vector, many in number.items()))
    least = tuple(sorted((vector, many * chance) for vector, many in number.items())) if chance else ()
    return Laws(((even, people),), tuple(number), ((least, people),))


def figures() -> Iterator[list[Vector]]:
    yield [(0,), (1,)]
    yield [(0,), (1,), (2,)]
    yield [(0,), (0,), (1,)]
    yield [(0,), (2,), (3,)]
    yield [(1, 0), (0, 1), (0, 0)]


@given(
    adds=st.sampled_from(list(figures())),
    people=st.integers(2, 5),
    known=st.integers(0, 2),
    share=st.fractions(Fraction(1, 20), Fraction(1), max_denominator=20),
    epsilon=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2)]),
)
@settings(max_examples=examples(40), deadline=None)
def test_the_bracket_holds_the_worst_of_all_laws(
    adds: list[Vector], people: int, known: int, share: Fraction, epsilon: Fraction
) -> None:
    known, chance = min(known, people - 1), share / len(adds)
    truth = worst(adds, people - 1 - known, chance, epsilon)
    judge = Judge(Value(), epsilon, Fraction(1, 10**6))
    group = Group((open_laws(adds, people, chance),), (EXACT,) * len(adds[0]), known)
    delta = judge.judged(group).delta
    assert delta.lower - HAIR <= truth <= delta.upper + HAIR
    if len(set(adds)) == 2:  # yes or no: the worst law is computed itself
        assert delta.upper <= truth + 1e-9


@pytest.mark.parametrize("adds", list(figures()))
def test_where_nothing_is_assumed_everything_comes_out(adds: list[Vector]) -> None:
    judge = Judge(Value(), Fraction(3), Fraction(1, 10**6))
    delta = judge.judged(Group((open_laws(adds, 1000, Fraction(0)),), (EXACT,) * len(adds[0]), 10)).delta
    assert delta.upper == 1
    if len(adds[0]) == 1:
        assert delta.lower == 1


def test_where_nothing_is_assumed_noise_hides_as_in_differential_privacy() -> None:
    laws, judge = open_laws([(0,), (1,)], 1000, Fraction(0)), Judge(Value(), Fraction(1, 4), Fraction(1, 10**6))
    delta = judge.judged(Group((laws,), (Chain((TwoSidedGeometric(Fraction(2)),)),), 10)).delta
    away = math.exp(-1 / 2)  # of geometric noise of scale 2, at distance one
    truth = (1 - away) / (1 + away) * (1 - math.exp(1 / 4) * away) / (1 - away)
    assert delta.lower - HAIR <= truth <= delta.upper + HAIR
    assert delta.upper - delta.lower < 1e-9


@given(st.integers(2, 5), st.fractions(0, 1, max_denominator=9), st.fractions(Fraction(1, 9), 1), st.data())
@settings(max_examples=examples(40))
def test_a_weight_of_laws_without_rare_values_is_the_same_with_rarer_values(
    size: int, share: Fraction, weight: Fraction, data: st.DataObject
) -> None:
    """The second point of `tables/unstated.py`: the law that the proof names is one, and it is contained."""
    chance = share / size
    above = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    law = [weight * chance + (1 - size * weight * chance) * Fraction(part, sum(above)) for part in above]
    room = 1 / weight - size * chance
    part = (1 - size * chance) / room if room else Fraction(0)
    inside = [chance + part * (mass / weight - chance) for mass in law]
    assert sum(inside) == 1
    assert min(inside) >= chance
    assert all(weight * one <= mass for one, mass in zip(inside, law, strict=True))


@pytest.mark.parametrize("adds", [[(0,), (0,), (1,)], [(0,), (1,), (2,)]])
def test_of_three_values_none_above_a_half_hides_nobody(adds: list[Vector]) -> None:
    """Whoever has the third value, or the odd one, stands out, however many people there are."""
    half, never = Fraction(1, 2), Fraction(0)
    law = (half, half, never) if adds[1] == (0,) else (half, never, half)
    for others in range(1, 6):
        found = {at for at, mass in total((law,) * others, adds).items() if mass}
        assert not {(at[0] + 1,) for at in found} & found
