"""What beliefs answer with, and what the one interpreter makes of it, against exact fractions on small worlds."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from dalenius.beliefs import answers as nodes
from dalenius.beliefs.answers import (
    Answer,
    AsExact,
    BoundedBy,
    Certain,
    CommonPart,
    Crowded,
    GivenFact,
    Inquiry,
    MeanOf,
    Proved,
    Remainder,
    Reweighted,
    SurePart,
    WorstKnown,
    WorstOf,
)
from dalenius.beliefs.crowd import SpanLaw, crowd_of
from dalenius.beliefs.interpreter import interpret
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Sum
from dalenius.mechanisms import Chain
from dalenius.mechanisms.channel import Rounded, TwoSidedGeometric
from dalenius.numerics.law import Law

from .test_contract import CASES

F = Fraction
Exact = dict[int, Fraction]
EXACT = Chain(())
EPSILONS = (F(0), F(1, 3), F(1))
HAIR = 1e-12
SEEDS = range(20)


def random_law(rng: np.random.Generator, size: int) -> Exact:
    parts = [int(part) for part in rng.integers(1, 9, size)]
    return {at: F(part, sum(parts)) for at, part in enumerate(parts)}


def law_of(masses: Exact) -> SpanLaw:
    mass = np.array([float(masses.get(at, 0)) for at in range(min(masses), max(masses) + 1)])
    return SpanLaw(Law(min(masses), mass, mass * 2**-52), 0, 1)


def excess(p: Exact, q: Exact, epsilon: Fraction) -> float:
    """How far P exceeds e^ε Q, at worst over events."""
    return math.fsum(max(0.0, float(p.get(at, 0)) - math.exp(epsilon) * float(q.get(at, 0))) for at in {*p, *q})


def both(p: Exact, q: Exact, epsilon: Fraction) -> float:
    return max(excess(p, q, epsilon), excess(q, p, epsilon))


def moved(law: Exact, by: int) -> Exact:
    return {at + by: mass for at, mass in law.items()}


def plus(*laws: Exact) -> Exact:
    total: Exact = {0: F(1)}
    for law in laws:
        after: Exact = {}
        for (a, p), (b, q) in itertools.product(total.items(), law.items()):
            after[a + b] = after.get(a + b, F(0)) + p * q
        total = after
    return total


def mixed(parts: Sequence[tuple[Fraction, Exact]]) -> Exact:
    places = sorted({at for _, law in parts for at in law})
    return {at: sum((w * law.get(at, F(0)) for w, law in parts), F(0)) for at in places}


def asked(adds: Sequence[int], known: int = 0, enough: Fraction | None = None, channel: Chain = EXACT) -> Inquiry:
    return Inquiry(Facts.of(Value(), adds), channel, known, enough)


def delta(answer: Answer, question: Inquiry, epsilon: Fraction) -> Bracket:
    return interpret(answer, question).delta(epsilon)


def near(bracket: Bracket, truth: float) -> bool:
    return bracket.lower - HAIR <= truth <= bracket.upper + HAIR and bracket.width < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_a_law_and_laws_given_the_fact_are_the_worlds_themselves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rest, given = random_law(rng, 5), [random_law(rng, 4) for _ in range(3)]
    for epsilon in EPSILONS:
        truth = max(both(rest, moved(rest, by), epsilon) for by in (1, 2))
        assert near(delta(Remainder(law_of(rest)), asked((0, 1, 2)), epsilon), truth)
        truth = max(both(p, q, epsilon) for p, q in itertools.combinations(given, 2))
        assert near(delta(GivenFact(tuple(map(law_of, given))), asked((0, 1, 2)), epsilon), truth)
        some = GivenFact(tuple(map(law_of, given)), compared=((0, 2),))
        assert near(delta(some, asked((0, 1, 2)), epsilon), both(given[0], given[2], epsilon))


@pytest.mark.parametrize("seed", SEEDS)
def test_laws_on_a_lattice_are_compared_in_its_steps_or_spread_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_law(rng, 4), random_law(rng, 4)
    wide = [SpanLaw(law_of(law).law, offset, 3) for law, offset in ((p, 1), (q, 7))]
    worlds = [{3 * at + offset: mass for at, mass in law.items()} for law, offset in ((p, 1), (q, 7))]
    for epsilon in EPSILONS:
        assert near(delta(GivenFact(tuple(wide)), asked((0, 1)), epsilon), both(*worlds, epsilon))
        five = asked((0, 1), channel=Chain((Rounded(5),)))
        shown = [mixed([(mass, {(at + 2) // 5: F(1)}) for at, mass in world.items()]) for world in worlds]
        assert near(delta(GivenFact(tuple(wide)), five, epsilon), both(*shown, epsilon))


@pytest.mark.parametrize("seed", SEEDS)
def test_worst_and_mean_commute_with_delta(seed: int) -> None:
    """The worst is δ itself; the mean is at least δ of the mixture, and at most that where the part is shown too."""
    rng = np.random.default_rng(seed)
    share = F(int(rng.integers(1, 9)), 9)
    pairs = [(random_law(rng, 4), random_law(rng, 4)) for _ in range(2)]
    given = [GivenFact(tuple(map(law_of, pair))) for pair in pairs]
    for epsilon in EPSILONS:
        assert near(delta(WorstOf(tuple(given)), asked((0, 1)), epsilon), max(both(*pair, epsilon) for pair in pairs))
        mean = delta(MeanOf(((share, given[0]), (1 - share, given[1]))), asked((0, 1)), epsilon)
        worlds = [mixed([(share, pairs[0][k]), (1 - share, pairs[1][k])]) for k in (0, 1)]
        told = float(share) * both(*pairs[0], epsilon) + float(1 - share) * both(*pairs[1], epsilon)
        assert mean.lower == 0
        assert both(worlds[0], worlds[1], epsilon) - HAIR <= mean.upper <= told + HAIR


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_weights_that_depend_on_the_fact_are_paid_for_by_their_ratio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = (F(int(rng.integers(1, 9)), 9) for _ in range(2))
    pairs = [(random_law(rng, 4), random_law(rng, 4)) for _ in range(2)]
    ratios: list[Fraction | None] = [max(one / two, two / one), None]
    if one < 1 and two < 1:
        ratios[1] = max((1 - one) / (1 - two), (1 - two) / (1 - one))
    parts = tuple(
        Reweighted(GivenFact(tuple(map(law_of, pair))), ratio) for pair, ratio in zip(pairs, ratios, strict=True)
    )
    for epsilon in EPSILONS:
        worlds = [mixed([(w, pairs[0][k]), (1 - w, pairs[1][k])]) for k, w in enumerate((one, two))]
        assert both(worlds[0], worlds[1], epsilon) <= delta(WorstOf(parts), asked((0, 1)), epsilon).upper + HAIR


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_a_common_part_bounds_whatever_the_rest_of_a_record_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    law, weight, n, known = random_law(rng, 3), F(int(rng.integers(4, 9)), 10), 5, 1
    rests = [random_law(rng, 3) for _ in range(n - 1 - known)]
    others = plus(*(mixed([(weight, law), (1 - weight, rest)]) for rest in rests))
    common = CommonPart(tuple(law.items()), ((weight, n - 1 - known),))
    masses = tuple(((at,), weight * chance) for at, chance in law.items())
    sure = SurePart(((masses, n),))
    for epsilon, answer in itertools.product(EPSILONS, (common, sure)):
        truth = max(both(others, moved(others, by), epsilon) for by in (1, 2))
        assert truth <= delta(answer, asked((0, 1, 2), known, F(1, 10)), epsilon).upper + HAIR
    counts = [math.comb(3, k) * weight**k * (1 - weight) ** (3 - k) for k in range(4)]
    mean = max(
        math.fsum(float(c) * excess(draws := plus(*[law] * k), moved(draws, by), F(1, 3)) for k, c in enumerate(counts))
        for by in (-2, -1, 1, 2)
    )
    found = delta(common, asked((0, 1, 2), known), F(1, 3))
    assert found.lower - HAIR <= mean <= found.upper + HAIR
    assert found.width <= 0.02 * mean


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_the_worst_known_members_are_found_with_those_that_can_be_known(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laws, counts = [random_law(rng, 2) for _ in range(2)], (3, 3)

    def without(removal: tuple[int, ...], anywhere: bool) -> Answer:
        return Remainder(
            law_of(plus(*(law for law, n, k in zip(laws, counts, removal, strict=True) for _ in range(n - k))))
        )

    def truth(ways: Sequence[tuple[int, int]], epsilon: Fraction) -> float:
        left = [plus(*[laws[0]] * (3 - a), *[laws[1]] * (3 - b)) for a, b in ways]
        return max(both(law, moved(law, 1), epsilon) for law in left)

    ways = [(0, 2), (1, 1), (2, 0)]
    for epsilon in EPSILONS:
        assert near(delta(WorstKnown(counts, 2, without), asked((0, 1)), epsilon), truth(ways, epsilon))
        found = delta(WorstKnown(counts, 2, without, attained=False, some=((1, 1),)), asked((0, 1)), epsilon)
        assert abs(found.upper - truth(ways, epsilon)) < HAIR
        assert abs(found.lower - truth([(1, 1)], epsilon)) < HAIR
        assert delta(WorstKnown(counts, 2, without, attained=False), asked((0, 1)), epsilon).lower == 0


def test_bounds_are_bounds_and_what_is_done_to_a_figure_tells_no_more() -> None:
    crowd = Crowded(crowd_of([{0: F(2, 3), 1: F(1, 3)}], [6]))
    exact = delta(crowd, asked((0, 1)), F(1, 3))
    found = delta(BoundedBy((Certain(1.0), crowd), (Certain(0.0), crowd)), asked((0, 1)), F(1, 3))
    assert found == exact
    assert delta(BoundedBy((crowd,)), asked((0, 1)), F(1, 3)) == Bracket(0.0, exact.upper)
    rounded = asked((0, 1), channel=Chain((Rounded(3),)))
    assert delta(AsExact(crowd), rounded, F(1, 3)) == exact
    noisy = asked((0, 1), channel=Chain((TwoSidedGeometric(F(2)),)))
    assert delta(BoundedBy((crowd,), moved=1), noisy, F(1, 2)) == Bracket(0.0, 0.0)
    with pytest.raises(ValueError, match="sum to 1"):
        MeanOf(((F(1, 2), crowd),))


def inside(answer: Answer) -> Iterator[Answer]:
    """A node and all nodes in it."""
    yield answer
    match answer:
        case WorstOf(parts):
            more: tuple[Answer, ...] = parts
        case MeanOf(parts):
            more = tuple(part for _, part in parts)
        case Reweighted(part, _) | AsExact(part):
            more = (part,)
        case BoundedBy(above, below, _):
            more = (*above, *below)
        case WorstKnown(counts=counts, without=without):
            more = (without((0,) * len(counts), False),)
        case _:
            more = ()
    for one in more:
        yield from inside(one)


THEOREMS = {"Markov"}  # beliefs whose answer is a curve: small worlds of the others are all made of laws


@pytest.mark.parametrize("name", CASES)
def test_every_belief_answers_with_frozen_nodes_and_only_theorems_with_a_curve(name: str) -> None:
    belief = CASES[name].belief()
    facts = belief.facts(Sum(), Value())
    for known, enough in ((0, None), (1, F(1, 100))):
        question = Inquiry(facts, EXACT, known, enough)
        found = list(inside(belief.answer(Sum(), question)))
        assert all(isinstance(node, get_args(nodes.Answer)) for node in found)
        assert any(isinstance(node, Proved) for node in found) == (type(belief).__name__ in THEOREMS)
        assert all(type(node).__dataclass_params__.frozen for node in found)  # type: ignore[attr-defined]
