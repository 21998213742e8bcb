"""Markov chains whose records at stated places are known: every bracket holds the truth, and is narrow."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalenius as dl
from beliefs.test_markov import EPSILONS, belief, chains
from beliefs.worlds import RELEASES
from dalenius.beliefs import markov_at
from dalenius.enclosure.brackets import Bracket
from dalenius.mechanisms import Mechanism
from numerics.checks import holds, narrow
from oracle.balls import largest
from oracle.chains import Chain

F = Fraction
HALF = {0: "1/2", 1: "1/2"}
SWITCH = {0: {1: 1}, 1: {0: 1}}
STAY = {0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}
THREE = {0: {0: "1/2", 1: "1/2"}, 1: {0: "1/4", 1: "1/4", 3: "1/2"}, 3: {0: 1}}
STATES = {2: (0, 1), 3: (0, 1, 3)}


def ways(chain: Chain, places: set[int]) -> Iterator[dict[int, int]]:
    """All states that the records at these places (from 0 up) have together in some sequence."""
    seen = {tuple(path[place] for place in sorted(places)) for path, _ in chain.paths()}
    yield from (dict(zip(sorted(places), states, strict=True)) for states in sorted(seen))


def assert_agrees(
    chain: Chain, places: set[int], epsilon: Fraction, release: str = "exact", target: int | None = None
) -> None:
    """Stated values one by one, and the worst of them; places from 0 up."""
    ours, theirs = RELEASES[release]
    place = None if target is None else target + 1
    truths = []
    for known in ways(chain, places):
        stated = {one + 1: chain.adds[state] for one, state in known.items()}
        truth = chain.delta(epsilon, theirs, known, target)
        assert_close(belief(chain).at(stated, place), Mechanism(dl.Sum(), (ours,)), epsilon, truth)
        truths.append(truth)
    worst = belief(chain).at([one + 1 for one in places], place)
    assert_close(worst, Mechanism(dl.Sum(), (ours,)), epsilon, largest(truths))


def assert_close(attacker: dl.Markov, mechanism: Mechanism, epsilon: Fraction, truth: object) -> None:
    bracket = dl.curve(mechanism, dl.noiseless(attacker)).delta(epsilon)
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-11, absolute=1e-11)


@st.composite
def known_chains(draw: st.DrawFn, longest: int) -> tuple[Chain, set[int]]:
    chain = draw(chains(longest=longest))
    assume(chain.n > 1)
    return chain, draw(st.sets(st.integers(0, chain.n - 1), min_size=1, max_size=min(3, chain.n - 1)))


@pytest.mark.slow
@given(found=known_chains(5), epsilon=EPSILONS)
@settings(max_examples=40)
def test_any_known_places_agree_with_brute_force(found: tuple[Chain, set[int]], epsilon: Fraction) -> None:
    assert_agrees(*found, epsilon)


@pytest.mark.slow
@given(found=known_chains(4), epsilon=EPSILONS, release=st.sampled_from(sorted(RELEASES)), data=st.data())
@settings(max_examples=15)
def test_a_stated_target_and_what_is_done_to_the_sum(
    found: tuple[Chain, set[int]], epsilon: Fraction, release: str, data: st.DataObject
) -> None:
    chain, places = found
    assert_agrees(chain, places, epsilon, release, data.draw(st.sampled_from(sorted(set(range(chain.n)) - places))))


def oracle(moves: Mapping[int, Mapping[int, float | str]], n: int) -> Chain:
    adds = STATES[len(moves)]
    table = tuple(tuple(F(str(moves[one].get(two, 0))) for two in adds) for one in adds)
    return Chain((F(1, len(adds)),) * len(adds), table, adds, n)


TEN = {
    "every place but one": (STAY, 8, set(range(8)) - {4}),
    "beside the target, and both ends": (STAY, 10, {0, 4, 9}),
    "neighbours": (STAY, 10, {3, 5}),
    "a chain that alternates": (SWITCH, 9, {2, 6}),
    "three values": (THREE, 7, {0, 3}),
    "three values, the last one": (THREE, 7, {6}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TEN)
def test_up_to_ten_records_agree_with_brute_force(name: str) -> None:
    moves, n, places = TEN[name]
    assert_agrees(oracle(moves, n), places, F(1, 2))


def spread(chain: Chain, known: Mapping[int, int], epsilon: Fraction, targets: Iterator[int] | range) -> float:
    """The worst of some targets, in floats, good to about 1e-12; places from 0 up."""
    return max(chain.known_delta(epsilon, known, target) for target in targets if target not in known)


LONG = {
    "one": (STAY, 110, {29: 1}),
    "beside each other": (STAY, 90, {50: 1, 51: 0, 52: 0, 54: 1}),
    "both ends": (STAY, 90, {0: 0, 89: 1}),
    "many": (STAY, 60, {place: place // 10 % 2 for place in range(0, 60, 10)}),
    "three values": (THREE, 60, {20: 2, 41: 0}),
    "turns": ({0: {0: 0.1, 1: 0.9}, 1: {0: 0.7, 1: 0.3}}, 80, {20: 1, 50: 1}),
    "alternates": (SWITCH, 41, {10: 0, 31: 1}),
    "period two": ({0: {1: "1/2", 3: "1/2"}, 1: {0: 1}, 3: {0: 1}}, 61, {10: 0, 31: 1}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("whole", [False, True])
def test_the_way_of_long_chains_agrees_too(name: str, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With frequencies, as if the chain were long: for every target, and for one."""
    moves, n, known = LONG[name]
    chain = oracle(moves, n)
    monkeypatch.setattr(markov_at, "MOST_NUMBERS", 0)
    places = {place + 1: chain.adds[state] for place, state in known.items()}
    target = None if whole else next(place for place in range(n // 3, n) if place not in known)
    attacker = belief(chain).at(places, None if target is None else target + 1)
    for epsilon in (F(0), F(1, 4)):
        found = dl.curve(dl.Sum(), dl.noiseless(attacker)).delta(epsilon)
        truth = spread(chain, known, epsilon, range(n) if target is None else range(target, target + 1))
        assert found.lower <= truth + 1e-11
        assert truth - 1e-11 <= found.upper <= truth * (1 + 1e-3) + 1e-9


@pytest.mark.slow
def test_the_worst_values_of_a_long_chain_are_the_worst_of_the_stated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markov_at, "MOST_NUMBERS", 0)
    chain = oracle(STAY, 100)
    found = delta(belief(chain).at((30, 70)))
    stated = [delta(belief(chain).at({30: one, 70: two})) for one, two in product((0, 1), repeat=2)]
    assert found.lower == max(one.lower for one in stated)
    assert found.upper == max(one.upper for one in stated)


def delta(attacker: dl.Markov, epsilon: str = "1/2") -> Bracket:
    return dl.curve(dl.Count(), dl.noiseless(attacker)).delta(F(epsilon))


@pytest.mark.slow
def test_where_values_are_too_many_the_worst_is_bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    attacker = dl.Markov(start=HALF, moves=STAY, n=60)
    exact = delta(attacker.at((10, 30, 50)))
    monkeypatch.setattr(markov_at, "MOST", 7)
    wide = delta(dl.Markov(start=HALF, moves=STAY, n=60, known_at=(10, 30, 50)))
    assert 0 < wide.lower <= exact.lower
    assert exact.upper <= wide.upper


def test_a_known_neighbour_hides_or_betrays() -> None:
    """Given both neighbours, a record that switches each time is certain: nothing is left to be told."""
    switch = dl.Markov(start=HALF, moves=SWITCH, n=9)
    assert delta(switch).lower > 0.99
    assert delta(switch.at((4,))).upper == 0


def test_states_that_are_reached_from_some_only_need_no_frequencies() -> None:
    moves = {"A": {"A": 1}, "B": {"A": "1/2", "C": "1/2"}, "C": {"C": 1}}
    chain = Chain(
        (F(1, 2), F(1, 2), F(0)), ((F(1), F(0), F(0)), (F(1, 2), F(0), F(1, 2)), (F(0), F(0), F(1))), (0, 0, 1), 5
    )
    attacker = dl.Markov(start={"A": "1/2", "B": "1/2"}, moves=moves, n=5, known_at={4: "C"})
    found = dl.curve(dl.Count(frozenset({"C"})), dl.noiseless(attacker)).delta(F(0))
    assert holds(found, chain.delta(F(0), known={3: 2}))


def test_it_says_who_is_known() -> None:
    attacker = dl.Markov(start=HALF, moves=STAY, n=100, known_at={3: 1, 17: 0}, target_at=5)
    assert str(attacker).endswith("attacker knows records 3 = 1, 17 = 0, secret is record 5")
    assert "and 6 more" in str(attacker.at(range(1, 11)))
    found = dl.verify(dl.Count(), dl.noiseless(attacker), epsilon=1, delta="1e-3")
    assert "the records at the stated places" in str(found.assumes)
    assert not found.largest_known  # which speaks of records anywhere


def test_another_number_of_known_records_forgets_the_places() -> None:
    attacker = dl.Markov(start=HALF, moves=STAY, n=40, known_at=(3,))
    assert delta(attacker.knowing(0)).upper == delta(dl.Markov(start=HALF, moves=STAY, n=40)).upper
    assert attacker.at((3,)).known == 1


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"known_at": {3: 0, 4: 0}}, "record 4 cannot be 0 if record 3 is 0. Correct"),
    ({"known_at": {1: 1, 5: 1, 8: 1}}, "record 8 cannot be 1 if record 5 is 1"),
    ({"known_at": {1: 7}}, "Record 1 needs one of the chain's values, but got 7"),
    ({"known_at": (0,)}, "from 1 to 9, but got 0"),
    ({"known_at": (10,)}, "from 1 to 9, but got 10"),
    ({"known_at": (True,)}, "but got True"),
    ({"known_at": (2.5,)}, "but got 2.5"),
    ({"known_at": 3}, "known_at needs the places of known records, but got 3. Write known_at="),
    ({"known_at": (3, 3)}, "3 came twice"),
    ({"known_at": range(1, 10)}, "At least one of 9 records must be unknown"),
    ({"known_at": (3,), "target_at": 3}, "not known, but 3 is"),
    ({"target_at": 10}, "but got 10"),
    ({"known_at": (3,), "known": 2}, "known=2 and known_at. Leave out known="),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_makes_no_sense_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(dl.InputError) as problem:
        dl.Markov(start=HALF, moves=SWITCH, n=9, **given)
    assert said in str(problem.value)


def test_next_to_impossible_known_values_of_a_long_chain_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markov_at, "MOST_NUMBERS", 0)
    small = F(1, 10**300)
    rare = {0: {0: 1 - small, 1: small}, 1: {0: "1/2", 1: "1/2"}}
    with pytest.raises(dl.InputError, match="needs chances of at least"):
        delta(dl.Markov(start={0: 1}, moves=rare, n=50, known_at={20: 1}))


@pytest.mark.slow
def test_a_million_records_with_one_known_are_certified_narrowly() -> None:
    moves = {0: {0: "1/2", 1: "1/2"}, 1: {0: "1/4", 1: "3/4"}}
    attacker = dl.Markov(start=HALF, moves=moves, n=10**6, known_at={400_000: 1}, target_at=400_001)
    found = delta(attacker, "1/1000")
    assert 0 < found.lower < found.upper < found.lower * (1 + 1e-3)
    assert np.isfinite(found.upper)
