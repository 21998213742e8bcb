"""Markov chains: every bracket holds what an enumeration of all sequences finds, and is narrow."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefs.worlds import RELEASES
from dalenius import IID, Count, Exact, InputError, Markov, Presence, Sum, curve, noiseless, verify
from dalenius.mechanisms import Mechanism
from numerics.checks import holds, narrow
from oracle.chains import Chain

F = Fraction
EPSILONS = st.sampled_from([F(0), F(1, 3), F(1), F(3)])


def rows(size: int) -> st.SearchStrategy[tuple[Fraction, ...]]:
    """Chances with many zeros: chains that are periodic, absorbing, or fall apart."""
    weights = st.lists(st.sampled_from([0, 0, 1, 2, 7, 100]), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(F(x, sum(w)) for x in w))


@st.composite
def chains(draw: st.DrawFn, longest: int = 6) -> Chain:
    size = draw(st.integers(1, 3))
    moves = [draw(rows(size)) for _ in range(size)]
    adds = draw(st.lists(st.integers(-3, 4), min_size=size, max_size=size, unique=True))
    return Chain(draw(rows(size)), moves, adds, draw(st.integers(1, longest)))


def belief(chain: Chain) -> Markov:
    return Markov(
        start=dict(zip(chain.adds, chain.start, strict=True)),
        moves={one: dict(zip(chain.adds, row, strict=True)) for one, row in zip(chain.adds, chain.moves, strict=True)},
        n=chain.n,
    )


def assert_agrees(chain: Chain, release: str, epsilon: Fraction) -> None:
    ours, theirs = RELEASES[release]
    bracket = curve(Mechanism(Sum(), (ours,)), noiseless(belief(chain))).delta(epsilon)
    truth = chain.delta(epsilon, theirs)
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-11, absolute=1e-11)


@given(chain=chains(), epsilon=EPSILONS)
def test_the_exact_sum_agrees_with_brute_force(chain: Chain, epsilon: Fraction) -> None:
    assert_agrees(chain, "exact", epsilon)


@given(chain=chains(longest=3), release=st.sampled_from(sorted(RELEASES)), epsilon=EPSILONS)
def test_what_is_done_to_the_sum_agrees_with_brute_force(chain: Chain, release: str, epsilon: Fraction) -> None:
    assert_agrees(chain, release, epsilon)


@pytest.mark.slow
@given(chain=chains(longest=10), epsilon=EPSILONS)
@settings(max_examples=5)
def test_ten_records_agree_with_brute_force(chain: Chain, epsilon: Fraction) -> None:
    assert_agrees(chain, "exact", epsilon)


SWITCH = {0: {1: 1}, 1: {0: 1}}


def test_a_chain_that_alternates_betrays_every_record_if_the_number_is_odd() -> None:
    half = {0: "1/2", 1: "1/2"}
    odd, even = (curve(Count(), noiseless(Markov(start=half, moves=SWITCH, n=n))) for n in (11, 12))
    assert odd.delta(F(5)).lower >= 1 - 1e-13
    assert odd.epsilon(F(1, 2)).lower == float("inf")
    assert even.delta(F(0)).upper <= 1e-12


def test_states_that_add_the_same_are_told_apart_by_what_follows_them() -> None:
    """A and B add nothing, but only B is followed by ones."""
    moves = {"A": {"A": 1}, "B": {"C": 1}, "C": {"C": 1}}
    attacker = Markov(start={"A": "1/2", "B": "1/2"}, moves=moves, n=3)
    assert curve(Count(of=frozenset({"C"})), noiseless(attacker)).delta(F(2)).lower >= 1 - 1e-13


def test_a_state_that_is_nearly_impossible_is_a_world_like_any_other() -> None:
    """Record 400 is still 0 with probability 1e-1200; then so are all before it, and the count says so."""
    moves = {0: {0: "1/1000", 1: "999/1000"}, 1: {1: 1}}
    attacker = Markov(start={0: 1}, moves=moves, n=400)
    assert curve(Count(), noiseless(attacker)).delta(F(3)).lower >= 1 - 1e-10


@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(2)])
def test_a_chain_without_memory_is_independent_records(epsilon: Fraction) -> None:
    row = {0: 0.7, 1: 0.3}
    chain = curve(Count(), noiseless(Markov(start=row, moves={0: row, 1: row}, n=60))).delta(epsilon)
    free = curve(Count(), noiseless(IID(p=0.3, n=60))).delta(epsilon)
    assert chain.lower <= free.upper
    assert free.lower <= chain.upper
    assert chain.width <= 1e-10 * chain.upper


@pytest.mark.slow
def test_verify_tells_the_whole_story() -> None:
    row = {0: 0.7, 1: 0.3}
    found = verify(Count(), noiseless(Markov(start=row, moves={0: row, 1: row}, n=60)), epsilon=2, delta=1e-2)
    assert found.largest_known == "holds up to 28 of 60 records known"
    assert "Markov chain" in str(found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"moves": {0: {0: 0.5, 1: 0.4}, 1: {1: 1}}}, "The chances after 0: Probabilities must sum to 1"),
        ({"moves": {0: {0: 1.5, 1: -0.5}, 1: {1: 1}}}, "between 0 and 1"),
        ({"moves": {0: {0: 0.5, 1: 0.5}}}, "1 has none"),
        ({"start": {0: 0.5, 1: 0.6}}, "The chances of the first record"),
        ({"start": {}}, "The chances of the first record"),
        ({"n": 0}, "n=0"),
        ({"n": 10**7 + 1}, "n=10000001"),
        ({"known": 5}, "may know 0 to 4 of 5 records, but got 5. Somebody must stay unknown"),
        ({"known": 1.0}, "below 1"),
    ],
)
def test_what_is_not_a_chain_is_refused_in_words(changes: dict[str, object], said: str) -> None:
    good = {"start": {0: 0.5, 1: 0.5}, "moves": {0: {0: 0.5, 1: 0.5}, 1: {1: 1}}, "n": 5}
    with pytest.raises(InputError, match=said):
        Markov(**(good | changes))


@pytest.mark.parametrize("values", [(0, 1), (1, 2), (0,), (3,)])
def test_presence_has_no_meaning_in_a_chain(values: tuple[int, ...]) -> None:
    row = dict.fromkeys(values, F(1, len(values)))
    attacker = Markov(start=row, moves=dict.fromkeys(values, row), n=3)
    with pytest.raises(InputError, match="presence"):
        curve(Sum(), noiseless(attacker, secret=Presence()))
    assert curve(Sum() >> Exact(), noiseless(attacker)).delta(F(0)).upper <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("values", [(0, 1, 100_000), (0, 50_000, 50_001)])
@pytest.mark.parametrize("n", [2, 4])
def test_values_far_apart_agree_with_brute_force(values: tuple[int, ...], n: int) -> None:
    """Few sums are possible, however far apart they are."""
    third, tenth = F(1, 3), F(1, 10)
    moves = [(8 * tenth, tenth, tenth), (tenth, 4 * tenth, 5 * tenth), (third, third, third)]
    assert_agrees(Chain((third, third, third), moves, values, n), "exact", F(1))


@pytest.mark.slow
def test_what_floats_cannot_hold_is_possible_all_the_same() -> None:
    """From 0 to 3 with a chance of 1e-400: whoever is there stays long, and the sum shows it."""
    rare, half = F(1, 10**400), F(1, 2)
    moves = {0: {0: half - rare, 1: half, 3: rare}, 1: {0: half, 1: half}, 3: {0: "1/100", 3: "99/100"}}
    attacker = Markov(start={0: half, 1: half}, moves=moves, n=620)
    assert curve(Sum(), noiseless(attacker)).delta(F(1)).upper >= 0.98
