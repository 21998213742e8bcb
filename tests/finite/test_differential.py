"""Definitions that compare datasets two by two, against literal brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.numerics.outcomes import Outcomes, fractions
from dalenius.papers.definitions.finite import (
    Neighbours,
    indistinguishability,
    pointwise_indistinguishability,
)
from dalenius.papers.definitions.neighbouring import telling_outcome
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite
from oracle.strategies import epsilons, masses

HAIR = 1e-12
Table = dict[Dataset, list[Fraction]]


def listed(*choices: tuple[object, ...]) -> Finite:
    rows = list(itertools.product(*choices))
    return Finite.table({row: Fraction(1, len(rows)) for row in rows})


PEOPLE = listed((None, "a", "b"), (None, "a", "b"))
BITS = listed((0, 1), (0, 1), (0, 1))


@st.composite
def mechanisms(draw: st.DrawFn, world: Finite, outputs: int = 3) -> tuple[FiniteMechanism, Table]:
    rows = [draw(masses(outputs)) for _ in range(world.size)]
    return FiniteMechanism.matrix(rows), dict(zip(world.datasets(), rows, strict=True))


def log_ratio(p: list[Fraction], q: list[Fraction]) -> float:
    """The largest |log p/q| over outcomes."""
    found = 0.0
    for a, b in zip(p, q, strict=True):
        if (a == 0) != (b == 0):
            return math.inf
        if a:
            found = max(found, abs(math.log(a.numerator * b.denominator) - math.log(a.denominator * b.numerator)))
    return found


def over_events(p: list[Fraction], q: list[Fraction], epsilon: Fraction) -> float:
    """The largest P(E) - e^ε Q(E) over every event E, both ways round."""
    factor, found = Fraction(math.exp(epsilon)), Fraction(0)
    for size in range(len(p) + 1):
        for event in itertools.combinations(range(len(p)), size):
            a, b = sum((p[k] for k in event), Fraction(0)), sum((q[k] for k in event), Fraction(0))
            found = max(found, a - factor * b, b - factor * a)
    return float(found)


def records(dataset: Dataset) -> set[tuple[int, object]]:
    return {(i, value) for i, value in enumerate(dataset) if value is not None}


def brute(world: Finite, related: object) -> list[tuple[Dataset, Dataset]]:
    return [(a, b) for a, b in itertools.permutations(world.datasets(), 2) if related(a, b)]  # type: ignore[operator]


RELATIONS = {
    "add or remove": (
        Neighbours.add_or_remove(PEOPLE),
        lambda a, b: len(records(a) ^ records(b)) == 1,
    ),
    "add or remove two": (
        Neighbours.add_or_remove(PEOPLE, records=2),
        lambda a, b: len(records(a) ^ records(b)) <= 2,
    ),
    "replace": (
        Neighbours.replace(BITS),
        lambda a, b: sum(x != y for x, y in zip(a, b, strict=True)) == 1,
    ),
    "replace, with absent records": (
        Neighbours.replace(PEOPLE),
        lambda a, b: (
            sum(x != y for x, y in zip(a, b, strict=True)) == 1 and [x is None for x in a] == [y is None for y in b]
        ),
    ),
    "replace two": (
        Neighbours.replace(BITS, records=2),
        lambda a, b: sum(x != y for x, y in zip(a, b, strict=True)) <= 2,
    ),
    "modify one tuple": (
        Neighbours.modify(PEOPLE),
        lambda a, b: len(records(a) - records(b)) == len(records(b) - records(a)) == 1,
    ),
    "any two": (Neighbours.any_two(PEOPLE), lambda a, b: a != b),
    "within one": (
        Neighbours.within(BITS, lambda a, b: abs(sum(a) - sum(b)), distance=1),
        lambda a, b: abs(sum(a) - sum(b)) <= 1,
    ),
    "replace one within one": (
        Neighbours.constrained(BITS, lambda a, b: abs(a[0] - b[0]), distance=0),
        lambda a, b: sum(x != y for x, y in zip(a, b, strict=True)) == 1 and a[0] == b[0],
    ),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_lists_each_pair_that_it_means_once(name: str) -> None:
    neighbours, related = RELATIONS[name]
    rows = list(neighbours.world.datasets())
    found = [frozenset((rows[a], rows[b])) for a, b in zip(*neighbours.pairs(), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == {frozenset(pair) for pair in brute(neighbours.world, related)}


@given(st.data(), st.sampled_from(sorted(RELATIONS)), epsilons())
def test_epsilon_and_delta_are_those_of_the_worst_pair(data: st.DataObject, name: str, epsilon: Fraction) -> None:
    neighbours, related = RELATIONS[name]
    mechanism, table = data.draw(mechanisms(neighbours.world))
    pairs = brute(neighbours.world, related)
    pure, approximate = neighbours.epsilon(mechanism), neighbours.delta(mechanism, epsilon=epsilon)
    truth = max(log_ratio(table[a], table[b]) for a, b in pairs)
    assert pure.value.lower - HAIR <= truth <= pure.value.upper + HAIR or truth == pure.value.lower
    assert log_ratio(table[pure.first], table[pure.second]) == pytest.approx(truth)
    delta = max(over_events(table[a], table[b], epsilon) for a, b in pairs)
    assert approximate.value.lower - HAIR <= delta <= approximate.value.upper + HAIR
    assert approximate.value.width < HAIR
    assert over_events(table[approximate.first], table[approximate.second], epsilon) == pytest.approx(delta)


@given(st.data())
def test_group_privacy_costs_at_most_once_for_each_record(data: st.DataObject) -> None:
    mechanism, _ = data.draw(mechanisms(BITS))
    single = Neighbours.replace(BITS).epsilon(mechanism).value
    for size in (2, 3):
        assert Neighbours.replace(BITS, records=size).epsilon(mechanism).value.lower <= size * single.upper + HAIR


@given(masses(4), masses(4), epsilons())
def test_pointwise_indistinguishability_is_the_mass_of_bad_outcomes(
    p: list[Fraction], q: list[Fraction], epsilon: Fraction
) -> None:
    first, second = Outcomes(fractions(p)), Outcomes(fractions(q))
    factor = Fraction(math.exp(epsilon))
    bad = [k for k in range(4) if p[k] > factor * q[k] or q[k] > factor * p[k]]
    truth = float(max(sum((law[k] for k in bad), Fraction(0)) for law in (p, q)))
    found = pointwise_indistinguishability(first, second, epsilon=epsilon)
    assert found.lower - HAIR <= truth <= found.upper + HAIR
    assert indistinguishability(first, second, epsilon=epsilon).lower <= found.upper + HAIR  # Claim 3.3(1)
    floats = pointwise_indistinguishability(*(Outcomes(np.array(x, dtype=float)) for x in (p, q)), epsilon=epsilon)
    assert floats.lower - HAIR <= truth <= floats.upper + HAIR


def test_indistinguishability_refuses_a_negative_epsilon() -> None:
    law = Outcomes(fractions([Fraction(1)]))
    with pytest.raises(InputError, match="at least 0"):
        indistinguishability(law, law, epsilon=-1)


def test_the_telling_outcome_is_the_one_with_the_largest_factor() -> None:
    p, q = (Outcomes(fractions([Fraction(x) for x in law])) for law in (("1/2", "1/2", "0"), ("1/4", "5/8", "1/8")))
    assert telling_outcome(p, q) == 2
    assert telling_outcome(p, q, epsilon=Fraction(0)) == 0


def test_name_and_shame_has_additive_secrecy_though_it_publishes_records() -> None:
    share = Fraction(1, 10)

    def shamed(dataset: Dataset) -> dict[object, Fraction]:
        found: dict[object, Fraction] = {}
        for named in itertools.product((False, True), repeat=3):
            output = tuple(value if shown else None for value, shown in zip(dataset, named, strict=True))
            chance = math.prod(share if shown else 1 - share for shown in named)
            found[output] = found.get(output, Fraction(0)) + Fraction(chance)
        return found

    mechanism, neighbours = FiniteMechanism.random(shamed, BITS), Neighbours.replace(BITS)
    secrecy = neighbours.additive_secrecy(mechanism).value
    assert secrecy.lower <= 0.1 <= secrecy.upper and secrecy.width < HAIR
    assert neighbours.epsilon(mechanism).value.lower == math.inf
    assert neighbours.delta(mechanism, epsilon=5).value.upper == pytest.approx(0.1)


def test_an_exact_figure_is_not_differentially_private() -> None:
    mechanism, neighbours = FiniteMechanism.of(sum, BITS), Neighbours.replace(BITS)
    found = neighbours.epsilon(mechanism)
    assert found.value.lower == math.inf
    assert sum(found.first) != sum(found.second)
    assert neighbours.delta(mechanism, epsilon=3).value.lower == 1
    assert Neighbours.replace(BITS).epsilon(FiniteMechanism.of(lambda _: 0, BITS)).value.upper == 0


def test_a_world_without_neighbours_has_nothing_to_compare() -> None:
    world = Finite.table({(0, 0): "1/2", (1, 1): "1/2"})
    found = Neighbours.replace(world).epsilon(FiniteMechanism.of(sum, world))
    assert found.first is None and found.value.upper == 0
    assert "no two datasets" in str(found)


def test_a_mechanism_on_another_world_is_refused() -> None:
    with pytest.raises(InputError, match="8 datasets"):
        Neighbours.replace(BITS).epsilon(FiniteMechanism.of(len, PEOPLE))


def literally_induced(world: Finite) -> set[frozenset[Dataset]]:
    """Definition 10.3, word for word: sets of records, sets of moves, and their proper subsets."""
    legal = {frozenset(records(row)): row for row in world.datasets()}
    found = set()
    for a, b in itertools.combinations(legal, 2):
        moves = sorted(a ^ b, key=repr)
        parts = (set(part) for size in range(1, len(moves)) for part in itertools.combinations(moves, size))
        if not any(frozenset(a ^ part) in legal for part in parts):
            found.add(frozenset((legal[a], legal[b])))
    return found


@given(st.sets(st.sampled_from(list(PEOPLE.datasets())), min_size=1))
def test_induced_neighbours_are_those_of_the_definition(kept: set[Dataset]) -> None:
    world = PEOPLE.constrained(lambda row: row in kept)
    neighbours, rows = Neighbours.induced(world), list(world.datasets())
    found = {frozenset((rows[a], rows[b])) for a, b in zip(*neighbours.pairs(), strict=True)}
    assert found == literally_induced(world)


def test_a_public_count_needs_every_dataset_with_that_count() -> None:
    world = PEOPLE.constrained(lambda row: row.count("a") == 1)
    assert len(Neighbours.count(world, lambda value: value == "a").first) == 6
    with pytest.raises(InputError, match="same count"):
        Neighbours.count(PEOPLE, lambda value: value == "a")
    with pytest.raises(InputError, match="every dataset"):
        Neighbours.count(world.given(np.arange(world.size) > 0), lambda value: value == "a")


@given(st.data(), st.sampled_from(["listed", "sparse", "many values"]))
def test_neighbours_are_found_wherever_they_stand(data: st.DataObject, kind: str) -> None:
    """Looked up in a table, by bisection, and by sorting: each pair once, in any order of the datasets."""
    size, values = {"listed": (3, (None, "a", "b")), "sparse": (9, (0, None)), "many values": (2, (*range(13), None))}[
        kind
    ]
    rows = data.draw(st.lists(st.tuples(*[st.sampled_from(values)] * size), min_size=1, max_size=40, unique=True))
    world = Finite.table({row: Fraction(1, len(rows)) for row in rows})
    for neighbours, keeps in ((Neighbours.replace(world), 0), (Neighbours.add_or_remove(world), 1)):
        found = [frozenset((rows[a], rows[b])) for a, b in zip(*neighbours.pairs(), strict=True)]
        truth = {
            frozenset((a, b))
            for a, b in itertools.combinations(rows, 2)
            if sum(x != y for x, y in zip(a, b, strict=True)) == 1
            and sum((x is None) != (y is None) for x, y in zip(a, b, strict=True)) == keeps
        }
        assert len(found) == len(set(found)) and set(found) == truth


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [None, Fraction(0), Fraction(1, 2)])
def test_many_rows_are_screened_before_they_are_compared(epsilon: Fraction | None) -> None:
    """Four thousand states, of which two stand out: in fractions, and in floats."""
    world = listed(*[(0, 1)] * 12)
    rows = [[Fraction(100 + place % 7, 214), Fraction(114 - place % 7, 214)] for place in range(world.size)]
    rows[0] = [Fraction(1, 10**400), 1 - Fraction(1, 10**400)]  # below the floats
    mechanism, neighbours = FiniteMechanism.matrix(rows), Neighbours.replace(world)
    found = neighbours.epsilon(mechanism) if epsilon is None else neighbours.delta(mechanism, epsilon=epsilon)
    near = [int(b if a == 0 else a) for a, b in zip(*neighbours.pairs(), strict=True) if 0 in (a, b)]
    if epsilon is None:
        truth = max(log_ratio(rows[0], rows[b]) for b in near)
        assert found.value.lower == pytest.approx(truth, rel=1e-12)
    else:
        truth = max(over_events(rows[0], rows[b], epsilon) for b in near)
        assert found.value.lower - HAIR <= truth <= found.value.upper + HAIR
    assert found.value.width < 1e-9 and 0 in (sum(found.first), sum(found.second))


@pytest.mark.slow
def test_a_million_datasets() -> None:
    world = Finite.product_of_floats([{None: 0.5, 1: 0.5}] * 20)
    counts = (world.codes == world.values.index(1)).sum(axis=1)
    rows = np.exp(-0.5 * np.abs(np.subtract.outer(np.arange(21), np.arange(21))))
    mechanism = FiniteMechanism(tuple(range(21)), counts, rows / rows.sum(axis=1, keepdims=True))
    truth = max(log_ratio(*([Fraction(x) for x in row / row.sum()] for row in rows[k : k + 2])) for k in range(20))
    found = Neighbours.add_or_remove(world).epsilon(mechanism).value
    assert found.lower <= truth <= found.upper and found.width < 1e-9
    assert Neighbours.replace(world).epsilon(mechanism).value.upper == 0  # nobody has two values
