"""Long chains: the laws that stand for groups of records cover every record, and every part of their error counts."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.enclosure import matrices
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics import chainspectrum, chaintilt, chainworlds
from dalenius.numerics import worlds as rough
from dalenius.numerics.chain import MarkovChain, afters, befores, reduced, world
from dalenius.numerics.chainspectrum import classes
from dalenius.numerics.chainworlds import worlds
from dalenius.numerics.law import Law
from dalenius.numerics.worlds import WorldsCurve

pytestmark = pytest.mark.slow

F = Fraction


def chain(
    moves: Sequence[Sequence[str]], adds: tuple[int, ...], n: int, start: Sequence[str] | None = None
) -> MarkovChain:
    first = tuple(map(F, start)) if start else (F(1, len(moves)),) * len(moves)
    return MarkovChain(first, tuple(tuple(map(F, row)) for row in moves), adds, n)


CHAINS = {
    "stays": chain([["0.9", "0.1"], ["0.2", "0.8"]], (0, 1), 150),
    "turns": chain([["0.1", "0.9"], ["0.7", "0.3"]], (0, 1), 150),
    "one way back": chain([["0", "1"], ["0.7", "0.3"]], (0, 1), 150, ("1", "0")),
    "alternates": chain([["0", "1"], ["1", "0"]], (0, 1), 101, ("1/3", "2/3")),
    "period two": chain([["0", "1/2", "1/2"], ["1", "0", "0"], ["1", "0", "0"]], (0, 1, 3), 60, ("1", "0", "0")),
    "period two, either": chain([["0", "1/2", "1/2"], ["1", "0", "0"], ["1", "0", "0"]], (0, 1, 3), 61),
    "nearly a cycle": chain([["0", "1", "0"], ["0", "0", "1"], ["9/10", "0", "1/10"]], (0, 1, 2), 70, ("1", "0", "0")),
    "no interior": chain([["0.99", "0.01"], ["0.01", "0.99"]], (0, 1), 90),
}


def one_by_one(of: MarkovChain) -> list[list[Law | None]]:
    """The laws of every record, by the positive recursions."""
    sides = zip(befores(of), of.weights(), reversed(list(afters(of))), strict=True)
    return [
        [world(before, after, state, of) if weight else None for state, weight in enumerate(weights)]
        for before, weights, after in sides
    ]


def uncovered(of: MarkovChain) -> Iterator[tuple[int, int]]:
    """Records and states whose law is outside what its group says."""
    truths, found, seen = one_by_one(of), worlds(of), set[int]()
    for records, laws in zip(found.groups, found.laws, strict=True):
        seen |= set(records)
        for record in records:
            for state, (law, truth) in enumerate(zip(laws, truths[record - 1], strict=True)):
                if (law is None) != (truth is None) or (
                    law is not None and truth is not None and not _covers(law, truth)
                ):
                    yield record, state
    assert seen == set(range(1, of.n + 1))


def _covers(law: Law, truth: Law) -> bool:
    mass, slack = truth.window(law.start, law.stop)
    outside = float(truth.mass.sum() - mass.sum())
    return bool((np.abs(mass - law.mass) <= law.error + slack).all()) and outside <= law.tail + 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_every_record_is_covered_by_its_group(name: str) -> None:
    assert not list(uncovered(CHAINS[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stays", "turns", "one way back", "no interior"])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 5), F(1)])
def test_the_worst_group_is_as_bad_as_the_worst_record(name: str, epsilon: Fraction) -> None:
    truth = WorldsCurve.of(one_by_one(CHAINS[name])).delta(epsilon)
    found = WorldsCurve.of(worlds(CHAINS[name]).laws).delta(epsilon)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.width <= 1e-6 * truth.upper + 1e-9


@st.composite
def connected(draw: st.DrawFn) -> MarkovChain:
    """Chains whose states can all be reached from each other, with zeros."""
    size = draw(st.integers(2, 3))
    weights = st.sampled_from([0, 0, 1, 3, 40])
    table = [[draw(weights) for _ in range(size)] for _ in range(size)]
    for state in range(size):
        table[state][(state + 1) % size] += 1
    first = draw(st.lists(weights, min_size=size, max_size=size).filter(any))
    adds = reduced(draw(st.permutations([0, 1, 3]))[:size])[0]
    rows = tuple(tuple(F(w, sum(row)) for w in row) for row in table)
    return MarkovChain(tuple(F(w, sum(first)) for w in first), rows, adds, draw(st.integers(20, 60)))


@pytest.mark.slow
@given(of=connected())
@settings(max_examples=60)
def test_any_connected_chain_is_covered(of: MarkovChain) -> None:
    assert not list(uncovered(of))


# Each error made a thousand or more times larger than in double precision, so that it shows.


def test_what_a_memory_too_short_forgets_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chainworlds, "_memory", lambda *_: (10, 1))
    assert not list(uncovered(CHAINS["stays"]))


@pytest.mark.parametrize(("relative", "times"), [(0.6, 0.4), (0.9, 0.1), (2.0, 100.0), (math.inf, 1e-9)])
def test_a_scale_that_is_hardly_known_says_nothing(
    relative: float, times: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = chainworlds.chain_scale
    monkeypatch.setattr(chainworlds, "chain_scale", lambda *chain: (right(*chain)[0] * times, relative))
    assert not list(uncovered(CHAINS["no interior"]))


def test_frequencies_that_are_left_out_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaintilt, "DAMPED", 1e-3)
    assert not list(uncovered(CHAINS["stays"]))


def test_mass_that_a_short_window_folds_in_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaintilt, "WINDOW", 3.0)
    monkeypatch.setattr(chaintilt, "SPARE", 1.0)
    monkeypatch.setattr(chaintilt, "FOLDED", 1.0)
    assert not list(uncovered(CHAINS["stays"]))


def test_mass_beyond_the_last_rung_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chainworlds, "FLOORS", (0.3,))
    assert not list(uncovered(CHAINS["stays"]))


def test_blocks_that_are_not_straight_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chainworlds, "STRAIGHT", 10.0)
    assert not list(uncovered(CHAINS["stays"]))


def test_turns_that_are_rough_are_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of 1e-9, and every turn of the chain off by twenty of them."""
    right = chaintilt.ChainRung.turned
    monkeypatch.setattr(matrices, "UNIT", 1e-9)
    monkeypatch.setattr(chaintilt.ChainRung, "turned", lambda rung, adds: right(rung, adds) * (1 + 14e-9 - 14e-9j))
    assert not list(uncovered(CHAINS["stays"]))


def test_a_bound_on_the_exponential_moment_is_one() -> None:
    for theta in (-2.0, -0.3, 0.0, 0.7):
        of = CHAINS["stays"]
        total = 0.0
        for state, (law, weight) in enumerate(zip(one_by_one(of)[0], of.start, strict=True)):
            assert law is not None, state
            total += float(weight) * float((law.mass * np.exp(theta * np.arange(law.start, law.stop))).sum())
        assert np.log(total) <= chaintilt.bound(of, theta) <= np.log(total) + 2


def test_periods_and_classes() -> None:
    assert classes(CHAINS["stays"])[0] == 1
    period, cyclic = classes(CHAINS["period two"])
    assert period == 2
    assert cyclic.tolist() == [0, 1, 1]
    with pytest.raises(InputError, match="reached from each other"):
        classes(chain([["1/2", "1/2"], ["0", "1"]], (0, 1), 5))


def test_a_place_that_is_only_roughly_known_counts_as_the_worst() -> None:
    """The first place tells nothing, of the second next to nothing is known."""
    same = Law(0, np.array([0.5, 0.5]), np.zeros(2))
    rough = Law(0, np.array([0.5, 0.5]), np.full(2, 0.4))
    assert WorldsCurve.of([[same, same], [rough, rough]]).delta(F(0)).upper >= 0.8
    assert WorldsCurve.of([[same, same], [same, None]]).delta(F(0)).upper <= 1e-14


def test_a_rough_bound_on_a_place_counts_errors_tails_and_rounding() -> None:
    """All that is in one law and not in the other, of which little is known; both ways round."""
    other = Law(200, np.array([2.0**-70]), np.zeros(1))
    for masses, tail in (([1.0 / 16] * 8 + [0.999 * 2.0**-57] * 112, 0.0), ([2.0**-60], 0.1), ([0.25, 0.25], 0.125)):
        law = Law(0, np.array(masses), np.zeros(len(masses)), tail)
        for pair in ([law, other], [other, law]):
            most, _ = WorldsCurve.of([pair])._bounds(F(700))
            assert F(float(most[0])) >= sum(map(F, masses)) + F(tail)
    loose = Law(0, np.array([0.5, 0.5]), np.array([0.125, 0.0]))
    even = Law(0, np.array([0.5, 0.5]), np.zeros(2))
    for pair in ([loose, even], [even, loose]):
        assert WorldsCurve.of([pair])._bounds(F(0))[0][0] >= 0.125


def test_the_exponential_of_a_rough_bound_is_the_lower_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rough, "exponential", lambda _: (1.0, 2.0))
    laws = [Law(0, np.array(masses), np.zeros(2)) for masses in ([0.75, 0.25], [0.5, 0.5])]
    assert WorldsCurve.of([laws])._bounds(F(0))[0][0] >= 0.25


def test_states_that_add_much_are_not_tilted_too_far() -> None:
    assert not list(uncovered(MarkovChain((F(1, 3),) * 3, ((F(1, 2), F(1, 4), F(1, 4)),) * 3, (0, 1, 50), 30)))


# Chances that floats cannot hold.


def faint(move: Fraction, n: int, stay: str = "99/100", first: Fraction | None = None) -> MarkovChain:
    """A fair coin that hardly ever turns into something else, which adds more."""
    half, first, stays = F(1, 2), first or F(0), F(stay)
    moves = ((half - move, half, move), (half, half, F(0)), (1 - stays, F(0), stays))
    return MarkovChain((half - first, half, first), moves, (0, 1, 3), n)


@pytest.mark.parametrize("of", [faint(F(1, 10**400), 60), faint(F(1, 10**200), 60), faint(F(1, 10**245), 60)])
def test_what_is_next_to_impossible_is_a_world_like_any_other(of: MarkovChain) -> None:
    truth = WorldsCurve.of(one_by_one(of)).delta(F(1))
    assert not list(uncovered(of))
    assert truth.lower >= 0.98
    assert WorldsCurve.of(worlds(of).laws).delta(F(1)).upper >= truth.lower


@pytest.mark.parametrize("first", [F(0), F(1, 10**400), F(1, 10**310)])
@pytest.mark.parametrize(("n", "stay"), [(70, "99/100"), (60, "1/10")])
def test_with_and_without_an_interior(n: int, stay: str, first: Fraction) -> None:
    assert not list(uncovered(faint(F(1, 10**320), n, stay, first)))


def test_a_chance_that_underflows_along_the_way() -> None:
    """Two moves of 1e-200 each: each of them is a number, both together are none."""
    rare, half = F(1, 10**200), F(1, 2)
    moves = (
        (half - rare, half, rare, F(0)),
        (half, half, F(0), F(0)),
        (half, half - rare, F(0), rare),
        (F(1, 9), F(0), F(0), F(8, 9)),
    )
    of = MarkovChain((half, half, F(0), F(0)), moves, (0, 1, 0, 3), 60)
    assert not list(uncovered(of))
    assert WorldsCurve.of(worlds(of).laws).delta(F(1)).upper >= WorldsCurve.of(one_by_one(of)).delta(F(1)).lower > 0.89


def test_periods_decide_what_is_possible_not_numbers() -> None:
    rare = F(1, 10**400)
    moves = ((F(0), 1 - rare, rare), (F(1), F(0), F(0)), (F(1), F(0), F(0)))
    for start in ((F(1), F(0), F(0)), (1 - rare, rare, F(0)), (F(0), 1 - rare, rare)):
        assert not list(uncovered(MarkovChain(start, moves, (0, 1, 3), 61)))


def test_moves_that_are_left_out_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaintilt, "FAINT", 1e-3)
    moves = ((F(1, 2), F(4995, 10**4), F(5, 10**4)), (F(1, 3),) * 3, (F(1, 3),) * 3)
    assert not list(uncovered(MarkovChain((F(1, 3),) * 3, moves, (0, 1, 3), 40)))
    lost = MarkovChain((F(1),), ((F(1),),), (1,), 4)
    assert chaintilt.unlikely(lost) == 0


@pytest.mark.parametrize("name", ["stays", "turns", "one way back"])
def test_what_sinks_below_the_smallest_floats_is_charged(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing below 1e-7 were a float."""
    rows = chainspectrum._rows

    def sunk(first: Complexes, matrices: Complexes, count: int) -> Complexes:
        found = rows(first, matrices, count)
        return np.where(np.abs(found) < 1e-7, 0.0, found)

    monkeypatch.setattr(chainspectrum, "_rows", sunk)
    monkeypatch.setattr(chainspectrum, "SUNK", 1e-6)
    assert not list(uncovered(CHAINS[name]))


# Chains for which there are better ways, and which must not break all the same.


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("adds", [(0, 1, 2), (1, 0, 3), (0, 4, 1)])
def test_very_short_chains(n: int, adds: tuple[int, ...]) -> None:
    rows = [["1/1000", "999/1000", "0"], ["9/10", "1/20", "1/20"], ["1", "0", "0"]]
    assert not list(uncovered(chain(rows, adds, n, ("1/100", "99/100", "0"))))
    assert not list(uncovered(chain([["1/3"] * 3] * 3, adds, n)))


@pytest.mark.parametrize(("adds", "n"), [((0, 1, 500), 3), ((0, 999, 1000), 2)])
def test_values_far_apart(adds: tuple[int, ...], n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the integers are gone through in parts."""
    monkeypatch.setattr(chainworlds, "TABLE", 100_000)
    assert not list(uncovered(chain([["0.9", "0.05", "0.05"], ["0.1", "0.8", "0.1"], ["1/3"] * 3], adds, n)))


@pytest.mark.parametrize("top", [20_000, 10**9, 10**18])
def test_values_too_far_apart_are_refused_in_words(top: int) -> None:
    with pytest.raises(InputError, match="coarser unit"):
        worlds(chain([["0.9", "0.05", "0.05"], ["0.1", "0.8", "0.1"], ["1/3"] * 3], (0, 1, top), 5))
