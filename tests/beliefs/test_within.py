"""The value to within ±k, against interval facts of listed worlds."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Belief
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Pair, Within, pairs
from oracle import laws as lw

from .test_contract import HAIR, World, apart, joined, mixed, product, products
from .worlds import RELEASES

EPSILONS = [Fraction(0), Fraction(1, 5), Fraction(1)]


def f(text: str) -> Fraction:
    return Fraction(text)


FIVE = {0: f("1/3"), 2: f("1/6"), 4: f("1/4"), 6: f("1/8"), 8: f("1/8")}
OTHER = {0: f("1/5"), 2: f("1/5"), 4: f("1/5"), 6: f("1/5"), 8: f("1/5")}
HOME = {(0, 2): f("1/2"), (4, 2): f("1/7"), (2, 0): f("1/7"), (8, 8): f("3/14")}
MOVES = {0: {0: f("1/2"), 2: f("1/2")}, 2: {4: f("1/3"), 0: f("2/3")}, 4: {0: f("1/4"), 4: f("3/4")}}
START = {0: f("1/3"), 2: f("1/3"), 4: f("1/3")}


def chain(n: int) -> World:
    world: World = {(state,): chance for state, chance in START.items()}
    for _ in range(n - 1):
        world = {(*row, after): p * q for row, p in world.items() for after, q in MOVES[row[-1]].items() if p * q}
    return world


CASES: dict[str, tuple[Belief, list[World], bool]] = {
    "IID": (dl.IID(values=FIVE, n=4), [product([FIVE] * 4)], True),
    "Independent": (
        dl.Independent(groups=[(FIVE, 2), (OTHER, 1)], known=0),
        [product([FIVE, FIVE, OTHER])],
        True,
    ),
    "AtLeast": (
        dl.AtLeast(FIVE, weight="0.6", n=2),
        products([lw.mixture([f("0.6"), f("0.4")], [FIVE, lw.point(at)]) for at in (0, 4, 8)], 2),
        False,
    ),
    "Hull": (dl.Hull([FIVE, OTHER], n=2), products([FIVE, OTHER], 2), False),
    "Blocks": (dl.Blocks([(HOME, 2)]), [joined([HOME, HOME])], True),
    "Mixture": (
        dl.Mixture([("1/3", dl.IID(values=FIVE, n=3)), ("2/3", dl.IID(values=OTHER, n=3))]),
        [mixed([(f("1/3"), product([FIVE] * 3)), (f("2/3"), product([OTHER] * 3))])],
        True,
    ),
    "Markov": (dl.Markov(start=START, moves=MOVES, n=4), [chain(4)], True),
}


def facts(k: Fraction) -> Iterator[tuple[set[int], set[int]]]:
    """Neighbouring intervals [y - k, y + k) and [y + k, y + 3k) of the even numbers 0 to 8."""
    for quarters in range(-4, 60):
        y = Fraction(quarters, 4)
        first = {v for v in range(0, 9, 2) if y - k <= v < y + k}
        second = {v for v in range(0, 9, 2) if y + k <= v < y + 3 * k}
        if first and second:
            yield first, second


def truth(world: World, k: Fraction, epsilon: Fraction, release: str, *, points: bool) -> float:
    """δ by listing: the laws given the two intervals, or given one value of each (whoever knows which)."""
    worst = 0.0
    for target in range(len(next(iter(world)))):
        laws: dict[int, dict[int, Fraction]] = {}
        for row, chance in world.items():
            law = laws.setdefault(row[target], {})
            law[sum(row)] = law.get(sum(row), Fraction(0)) + chance
        for one, two in facts(k):
            sides = [[laws[v] for v in side if v in laws] for side in (one, two)]
            if points:
                looked = [list(pair) for pair in itertools.product(*sides)]
            else:
                looked = [[merged(side) for side in sides]] if all(sides) else []
            worst = max([worst, *(apart(pair, epsilon, release) for pair in looked)])
    return worst


def merged(laws: list[dict[int, Fraction]]) -> dict[int, Fraction]:
    whole: dict[int, Fraction] = {}
    for law in laws:
        for at, chance in law.items():
            whole[at] = whole.get(at, Fraction(0)) + chance
    return whole


def bracket(belief: Belief, k: Fraction, epsilon: Fraction, release: str) -> Bracket:
    with np.errstate(all="ignore"):
        found = belief.facts(dl.Sum(), Within(k))
        return belief.curve(dl.Sum(), found, RELEASES[release][0], known=0).delta(epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["exact", "rounded 3"])
@pytest.mark.parametrize("name", CASES)
def test_no_two_intervals_are_told_apart_better(name: str, release: str) -> None:
    belief, worlds, sharp = CASES[name]
    for k, epsilon in itertools.product((f("0.6"), f("1"), f("1.01"), f("1.6")), EPSILONS):
        found = bracket(belief, k, epsilon, release)
        for world in worlds:
            assert truth(world, k, epsilon, release, points=False) <= found.upper + HAIR
        pointwise = max(truth(world, k, epsilon, release, points=True) for world in worlds)
        assert pointwise <= found.upper + HAIR
        if sharp:
            assert found.lower <= pointwise + HAIR


def test_less_is_hidden_than_the_value_and_more_with_larger_k() -> None:
    belief = dl.IID(values=FIVE, n=40)
    release = dl.Sum(unit=Fraction(2)) >> dl.Exact()
    deltas = [
        dl.curve(release, dl.noiseless(belief, secret=secret)).delta(Fraction(1, 10)).upper
        for secret in (Within("0.6"), Within(1.01), Within(2), dl.Value())
    ]
    assert deltas == sorted(deltas)
    assert len(set(deltas[:3])) == 3
    assert deltas[2] < deltas[3]
    assert dl.curve(release, dl.noiseless(belief, secret=Within("2.001"))).delta(Fraction(1, 10)).upper == deltas[3]


def test_pairs_are_nearer_than_four_k() -> None:
    found = set(pairs(Within(1), [0, 2, 4, 6, 8], [0, 2, 4, 6, 8]))
    assert found == {Pair(a, b) for a, b in itertools.permutations([0, 2, 4, 6, 8], 2) if abs(a - b) < 4}
    shifts = {abs(pair.second - pair.first) for pair in pairs(Within(5), list(range(1000)))}
    assert shifts == set(range(1, 20))
    assert Facts.of(Within(5), list(range(1000))).anywhere


def test_counts_and_labels() -> None:
    over = dl.Count(of=frozenset({8}))
    belief = dl.IID(values=FIVE, n=50)
    near = dl.curve(over >> dl.Exact(), dl.noiseless(belief, secret=Within(1))).delta(Fraction(0))
    assert near == dl.curve(over >> dl.Exact(), dl.noiseless(belief)).delta(Fraction(0))
    labelled = dl.IID(values={"no": f("1/2"), "yes": f("1/2")}, n=9)
    with pytest.raises(InputError, match=r"numbers, but the domain has the label 'no'. Hide the value itself"):
        dl.curve(dl.Count(of=frozenset({"yes"})), dl.noiseless(labelled, secret=Within(1)))


def test_a_block_may_tell_through_others() -> None:
    """Two near values that add the same, whose partners do not."""
    law = {(0, 0): f("1/2"), (1, 8): f("1/2")}
    belief = dl.Blocks([(law, 5)])
    found = dl.curve(dl.Count(of=frozenset({8})), dl.noiseless(belief, secret=Within("0.5"))).delta(Fraction(0))
    assert found.lower > 0.2


@pytest.mark.parametrize("k", [0, -1, "0"])
def test_k_is_positive(k: int | str) -> None:
    with pytest.raises(InputError, match=r"k > 0, but got .*\. Give the error"):
        Within(k)


def test_k_covers_two_values() -> None:
    belief = dl.IID(values=FIVE, n=9)
    with pytest.raises(InputError, match=r"less than 2 apart, but the nearest are 2 apart. Give a larger k"):
        dl.curve(dl.Sum(), dl.noiseless(belief, secret=Within("0.5")))
    with pytest.raises(InputError, match=r"there is only one value"):
        dl.curve(dl.Sum(), dl.noiseless(dl.IID(values={3: 1}, n=9), secret=Within("0.5")))


def test_range_and_variance() -> None:
    belief = dl.beliefs.RangeVariance(n=1001, bounds=(0, 100), variance=500)
    release = dl.Sum() >> dl.rounded_gaussian(20)
    near, all_pairs = (
        dl.verify(release, dl.noiseless(belief, secret=secret), epsilon=0.1).delta.upper
        for secret in (Within(5), dl.Value())
    )
    fifth = dl.beliefs.RangeVariance(n=1001, bounds=(0, 100), variance=500)
    whole = dl.verify(release, dl.noiseless(fifth, secret=Within(25)), epsilon=0.1).delta.upper
    assert near < all_pairs == whole
    told = dl.verify(release, dl.noiseless(belief, secret=Within(5)), epsilon=0.1)
    assert "to within ±5" in str(told)
