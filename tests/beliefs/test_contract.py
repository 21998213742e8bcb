"""One contract for all beliefs. To add a belief, add a line to `CASES`.

No world that a belief allows is worse than the upper end of its bracket; the lower end is attained by some world;
more knowledge never helps privacy; post-processing never hurts it.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from dalenius.beliefs.belief import Belief
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Sum
from oracle import laws as lw
from oracle.channels import publish

from .worlds import RELEASES

pytestmark = pytest.mark.slow

World = dict[tuple[int, ...], Fraction]  # all datasets, with their probabilities
EPSILONS = [Fraction(0), Fraction(1, 5), Fraction(1), Fraction(5, 2)]
HAIR = 1e-12


def f(text: str) -> Fraction:
    return Fraction(text)


def yes(rate: str | Fraction) -> lw.Law:
    return {0: 1 - Fraction(rate), 1: Fraction(rate)}


def product(records: Sequence[lw.Law]) -> World:
    return dict(lw.product(records))


def products(choices: Sequence[lw.Law], n: int) -> list[World]:
    """All worlds in which each record has one of these laws."""
    return [product(records) for records in itertools.combinations_with_replacement(choices, n)]


def joined(blocks: Sequence[World]) -> World:
    whole: World = {(): Fraction(1)}
    for block in blocks:
        whole = {(*a, *b): p * q for (a, p), (b, q) in itertools.product(whole.items(), block.items())}
    return whole


def mixed(parts: Sequence[tuple[Fraction, World]]) -> World:
    return {row: sum((w * world[row] for w, world in parts), Fraction(0)) for row in parts[0][1]}


@dataclass(frozen=True)
class Case:
    """A belief that knows nobody, and worlds that it allows; `sharp`: these are all that matter, and δ is exact."""

    belief: Callable[[], Belief]
    worlds: Callable[[], Sequence[World]]
    sharp: bool = False


THREE = {0: f("1/2"), 1: f("2/7"), 2: f("3/14")}
OTHER = {0: f("1/3"), 1: f("1/3"), 2: f("1/3")}
HOME = {(0, 0): f("1/2"), (0, 1): f("1/7"), (1, 0): f("1/7"), (1, 1): f("3/14")}

CASES = {
    "IID": Case(lambda: dl.IID(p="0.3", n=4), lambda: [product([yes("0.3")] * 4)], sharp=True),
    "IID of three values": Case(lambda: dl.IID(values=THREE, n=4), lambda: [product([THREE] * 4)], sharp=True),
    "Independent": Case(
        lambda: dl.Independent(groups=[(yes("0.3"), 2), (yes("0.9"), 1), (yes("0.5"), 1)]),
        lambda: [product([yes("0.3"), yes("0.3"), yes("0.9"), yes("0.5")])],
        sharp=True,
    ),
    "AtLeast": Case(
        lambda: dl.AtLeast(THREE, weight="0.6", n=3),
        lambda: products([lw.mixture([f("0.6"), f("0.4")], [THREE, lw.point(at)]) for at in range(3)], 3),
    ),
    "AtLeast of yes/no": Case(
        lambda: dl.AtLeast(yes("0.4"), weight="0.6", n=4),
        lambda: products([yes("0.24"), yes("0.64")], 4),
        sharp=True,
    ),
    "Rates": Case(
        lambda: dl.beliefs.Rates((0.2, 0.7), n=4),
        lambda: products([yes("0.2"), yes("0.7"), yes("0.45")], 4),
        sharp=True,
    ),
    "Around": Case(
        lambda: dl.Around(THREE, "0.1", n=3),
        lambda: products(
            [
                THREE,
                *(
                    {**THREE, a: THREE[a] - f("0.1"), b: THREE[b] + f("0.1")}
                    for a, b in ((0, 2), (2, 0), (1, 0), (0, 1), (1, 2))
                ),
            ],
            3,
        ),
    ),
    "Estimated": Case(
        lambda: dl.Estimated({0: 21, 1: 12, 2: 9}, confidence="0.9", n=3),
        lambda: products([THREE, *dl.Estimated({0: 21, 1: 12, 2: 9}, confidence="0.9", n=3).corners(Sum())], 3),
    ),
    "Estimated of yes/no": Case(
        lambda: dl.Estimated({0: 30, 1: 20}, confidence="0.9", n=4),
        lambda: products([yes("0.4"), *dl.Estimated({0: 30, 1: 20}, confidence="0.9", n=4).corners(Sum())], 4),
        sharp=True,
    ),
    "Sampled one by one": Case(
        lambda: dl.Sampled({0: 7, 1: 4, 2: 3}, size=4, replace=True), lambda: [product([THREE] * 4)], sharp=True
    ),
    "Brackets": Case(
        lambda: dl.beliefs.Brackets([(0, 1, "0.6"), (2, 2, "0.4")], n=4),
        lambda: [product([{0: f("3/10"), 1: f("3/10"), 2: f("2/5")}] * 4)],
        sharp=True,
    ),
    "Hull": Case(lambda: dl.Hull([THREE, OTHER], n=3), lambda: products([THREE, OTHER], 3)),
    "Blocks": Case(
        lambda: dl.Blocks([(HOME, 2), ({(0,): "0.6", (1,): "0.4"}, 1)]),
        lambda: [joined([HOME, HOME, {(0,): f("0.6"), (1,): f("0.4")}])],
    ),
    "Mixture": Case(
        lambda: dl.Mixture([("1/3", dl.IID(p="0.2", n=4)), ("2/3", dl.IID(p="0.6", n=4))]),
        lambda: [mixed([(f("1/3"), product([yes("0.2")] * 4)), (f("2/3"), product([yes("0.6")] * 4))])],
        sharp=True,
    ),
}


def moved(start: lw.Law, moves: Mapping[int, lw.Law], n: int) -> World:
    whole: World = {(state,): chance for state, chance in start.items() if chance}
    for _ in range(n - 1):
        whole = {(*row, to): p * q for row, p in whole.items() for to, q in moves[row[-1]].items() if q}
    return whole


STICKY = {0: {0: f("4/5"), 1: f("1/5")}, 1: {0: f("3/10"), 1: f("7/10")}}
ROUND = {0: {1: f("2/3"), 2: f("1/3")}, 1: {0: f("1/2"), 1: f("1/2")}, 2: {0: f("1")}}

CASES |= {
    "Markov": Case(lambda: dl.Markov(start=yes("0.4"), moves=STICKY, n=4), lambda: [moved(yes("0.4"), STICKY, 4)]),
    "Markov of three values": Case(lambda: dl.Markov(start=THREE, moves=ROUND, n=4), lambda: [moved(THREE, ROUND, 4)]),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def bracket(belief: Belief, epsilon: Fraction, known: int, release: str = "exact") -> Bracket:
    facts = Facts.of(Value(), [Sum().contribution(value) for value in belief.domain()])
    with np.errstate(all="ignore"):
        return belief.curve(Sum(), facts, RELEASES[release][0], known=known).delta(epsilon)


def truth(world: World, known: int, epsilon: Fraction, release: str) -> float:
    """δ by listing: every target, up to `known` other records, all that they can be, and every two values."""
    n, worst = len(next(iter(world))), 0.0
    for target, number in itertools.product(range(n), range(known + 1)):
        for seen in itertools.combinations([j for j in range(n) if j != target], number):
            views: dict[tuple[int, ...], dict[int, dict[int, Fraction]]] = {}
            for row, chance in world.items():
                law = views.setdefault(tuple(row[j] for j in seen), {}).setdefault(row[target], {})
                law[sum(row)] = law.get(sum(row), Fraction(0)) + chance
            for laws in views.values():
                worst = max(worst, apart(list(laws.values()), epsilon, release))
    return worst


def apart(laws: Sequence[dict[int, Fraction]], epsilon: Fraction, release: str) -> float:
    """The largest δ between two of the (unscaled) laws of the total."""
    shown = []
    for law in laws:
        whole = sum(law.values())
        out = publish({at: mass / whole for at, mass in law.items()}, RELEASES[release][1])
        assert not isinstance(out, lw.BallLaw)
        shown.append({at: float(mass) for at, mass in out.items()})
    factor = math.exp(epsilon)
    return max(
        (
            sum(max(0.0, p - factor * two.get(at, 0.0)) for at, p in one.items())
            for one, two in itertools.permutations(shown, 2)
        ),
        default=0.0,
    )


@pytest.mark.slow
@every_case
@pytest.mark.parametrize("release", ["exact", "rounded 2"])
def test_no_world_is_worse_and_some_world_attains_the_lower_end(case: Case, release: str) -> None:
    belief, worlds = case.belief(), case.worlds()
    for known, epsilon in itertools.product((0, 1), EPSILONS[::2] if len(worlds) > 1 else EPSILONS):
        found = bracket(belief, epsilon, known, release)
        worst = max(truth(world, known, epsilon, release) for world in worlds)
        assert worst <= found.upper + HAIR
        if len(worlds) == 1 or release == "exact":
            assert found.lower <= worst + HAIR
        if case.sharp and release == "exact":
            assert found.upper <= worst + 1e-7


@pytest.mark.slow
@every_case
@pytest.mark.parametrize("release", ["exact", "geometric 1", "rounded 3"])
def test_more_knowledge_never_helps_privacy(case: Case, release: str) -> None:
    belief = case.belief()
    for epsilon in EPSILONS:
        uppers = [bracket(belief, epsilon, known, release).upper for known in range(belief.n)]
        assert all(more >= less * (1 - 0.02) - HAIR for less, more in itertools.pairwise(uppers))


@pytest.mark.slow
@every_case
@pytest.mark.parametrize("release", ["geometric 1/2", "geometric 1", "gaussian 2", "rounded 2", "rounded 5"])
def test_post_processing_never_hurts_privacy(case: Case, release: str) -> None:
    belief = case.belief()
    for epsilon, known in itertools.product(EPSILONS, (0, 2)):
        after, before = bracket(belief, epsilon, known, release), bracket(belief, epsilon, known)
        assert after.upper <= before.upper * (1 + 1e-2) + HAIR


@every_case
def test_brackets_are_sane_and_fall_with_epsilon(case: Case) -> None:
    belief = case.belief()
    found = [bracket(belief, epsilon, 1) for epsilon in EPSILONS]
    assert all(0 <= one.lower <= one.upper <= 1 for one in found)
    assert all(later.upper <= earlier.upper * (1 + 1e-2) + HAIR for earlier, later in itertools.pairwise(found))


@every_case
def test_a_belief_says_who_attacks_and_what_it_assumes(case: Case) -> None:
    belief = case.belief()
    assert str(belief.n) in str(belief)
    assert "attacker knows 0" in str(belief)
    assert "attacker knows 2" in str(belief.knowing(2))
    assert belief.knowing(2).known == 2 and belief.known == 0
    assert belief.assumes
    guarantee = dl.verify(dl.Sum(), dl.noiseless(belief), epsilon=1)
    assert belief.assumes[0] in str(guarantee)
