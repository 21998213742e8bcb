"""Instances of Pufferfish: golden values, the theorems as they are true, and literal brute force."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions import instances
from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite
from finite.small_worlds import (
    GOLDEN,
    HAIR,
    PEOPLE,
    SAME_SIZE,
    beliefs,
    close,
    counted,
    feasible,
    listed,
    marginals,
    mechanisms,
    saying_yes,
)

# -- instances that are neighbour definitions --------------------------------------------------------------------------


@pytest.mark.slow
@given(st.data())
def test_without_assumptions_no_two_datasets_may_differ(data: st.DataObject) -> None:
    mechanism = data.draw(mechanisms(PEOPLE))
    bound = instances.no_assumptions(PEOPLE).epsilon(mechanism).value
    assert close(bound, Neighbours.any_two(PEOPLE).epsilon(mechanism).value.upper)
    pairs = pf.value_pairs(PEOPLE) + pf.presence_pairs(PEOPLE)
    assert Pufferfish(pairs, (data.draw(beliefs(PEOPLE)),)).epsilon(mechanism).value.lower <= bound.upper


@given(st.data())
def test_differential_privacy_is_pufferfish_with_independent_records(data: st.DataObject) -> None:
    """Theorem 6.1, both ways round: no product belief learns more, and two-point beliefs learn as much."""
    mechanism = data.draw(mechanisms(PEOPLE))
    bound = Neighbours.add_or_remove(PEOPLE).epsilon(mechanism).value
    assert close(instances.independent(PEOPLE).epsilon(mechanism).value, bound.upper)
    product = pf.independent_given(PEOPLE, data.draw(marginals(PEOPLE)))
    assert Pufferfish(pf.absence_pairs(PEOPLE), (product,)).epsilon(mechanism).value.lower <= bound.upper


@pytest.mark.slow
@given(st.data())
def test_replacing_one_record_is_pufferfish_with_independent_values(data: st.DataObject) -> None:
    world = listed((0, 1, 2), (0, 1, 2))
    mechanism = data.draw(mechanisms(world))
    bound = Neighbours.replace(world).epsilon(mechanism).value
    assert close(instances.independent(world).epsilon(mechanism).value, bound.upper)
    product = pf.independent_given(world, data.draw(marginals(world)))
    assert Pufferfish(pf.value_pairs(world), (product,)).epsilon(mechanism).value.lower <= bound.upper


@pytest.mark.slow
@given(st.data())
def test_indistinguishability_is_pufferfish_with_a_public_size(data: st.DataObject) -> None:
    """Section 6.2 with pairs that exclude each other: factor 1."""
    mechanism = data.draw(mechanisms(SAME_SIZE))
    bound = Neighbours.modify(SAME_SIZE).epsilon(mechanism).value
    assert close(instances.indistinguishable(SAME_SIZE).epsilon(mechanism).value, bound.upper)
    laws = data.draw(marginals(SAME_SIZE).filter(lambda laws: feasible(SAME_SIZE, laws)))
    pairs = pf.value_pairs(SAME_SIZE) + pf.absence_pairs(SAME_SIZE)
    found = Pufferfish(pairs, (pf.independent_given(SAME_SIZE, laws),)).epsilon(mechanism).value
    assert found.lower <= GOLDEN["pf_sec6_2"]["corrected_factor"] * bound.upper + HAIR


def test_the_pairs_of_equation_10_as_printed_cost_twice_as_much() -> None:
    world = listed(*[(None, "t")] * 4).constrained(lambda row: row.count(None) == 2)
    distance = {row: sum(value is not None for value in row[2:]) for row in world.datasets()}
    mechanism = saying_yes(world, {row: 0.01 * math.exp(step) for row, step in distance.items()})
    single = Neighbours.modify(world).epsilon(mechanism).value.upper
    odds = [Fraction(1), Fraction(10**24), Fraction(10**12), Fraction(10**12)]
    belief = pf.independent_given(world, [{"t": o / (1 + o), None: 1 / (1 + o)} for o in odds])
    first, second = Fact.record_is(world, 0, "t"), Fact.record_is(world, 1, None)
    p, q = mechanism.law(belief, first.where), mechanism.law(belief, second.where)
    assert p is not None and q is not None
    factor = q.epsilon(p).upper / single
    assert factor == pytest.approx(GOLDEN["pf_sec6_2"]["eq10_literal_factor"], abs=1e-8)


def test_indistinguishability_needs_one_size() -> None:
    with pytest.raises(InputError, match="one size"):
        instances.indistinguishable(PEOPLE)


# -- deterministic constraints -----------------------------------------------------------------------------------------


def test_induced_neighbours_do_not_protect() -> None:
    """The counterexample to Theorem 10.2: .3 for induced neighbours, .6 and .9 for Pufferfish."""
    golden = GOLDEN["pf_thm10_2"]["counterexample N=2,T={t(g=1),u(g=0)},C=1,eps=.3"]
    world = counted(2)
    path = [("t", "u"), ("t", None), (None, "t"), ("u", "t")]
    mechanism = saying_yes(world, {row: 0.01 * math.exp(0.3 * (2 - k)) for k, row in enumerate(path)})
    assert close(Neighbours.induced(world).epsilon(mechanism).value, golden["induced_eps"])
    full = instances.public_count(world, lambda value: value == "t")
    presence = Pufferfish(pf.absence_pairs(world), full.scenarios).epsilon(mechanism).value
    value = Pufferfish(pf.value_pairs(world), full.scenarios).epsilon(mechanism).value
    assert close(presence, golden["presence_pair_eps"])
    assert close(value, golden["value_pair_eps"])
    assert close(full.epsilon(mechanism).value, golden["value_pair_eps"])


@pytest.mark.slow
@given(st.data(), st.sampled_from((2, 3)))
def test_the_repaired_relation_is_exact(data: st.DataObject, people: int) -> None:
    """Theorem 10.2': the attackers torn between two related datasets are the worst, and each is a product belief."""
    world = counted(people)
    mechanism = data.draw(mechanisms(world))
    related = Neighbours.count(world, lambda value: value == "t")
    bound = related.epsilon(mechanism).value
    assert close(instances.public_count(world, lambda value: value == "t").epsilon(mechanism).value, bound.upper)
    laws = data.draw(marginals(world).filter(lambda laws: feasible(world, laws)))
    assert instances.constrained(world, [laws]).epsilon(mechanism).value.lower <= bound.upper + HAIR
    assert Neighbours.induced(world).epsilon(mechanism).value.lower <= bound.upper + HAIR  # Theorem 10.1


def test_two_related_datasets_are_the_only_ones_of_some_product_belief() -> None:
    world = counted(3)
    related, rows = Neighbours.count(world, lambda value: value == "t"), list(world.datasets())
    for first, second in zip(related.first.tolist(), related.second.tolist(), strict=True):
        laws = [
            {a: Fraction(1, 1 + (a != b)), b: Fraction(1, 1 + (a != b))}
            for a, b in zip(rows[first], rows[second], strict=True)
        ]
        assert np.flatnonzero(pf.independent_given(world, laws).mass != 0).tolist() == [first, second]


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN["pf_ex10_5"])
def test_the_exam_queue(name: str) -> None:
    """Example 10.5. Geometric noise, with all outputs from n on read as n, has the ratio of Laplace noise at n."""
    n, epsilon = (float(part.split("=")[1]) for part in name.split(","))
    students, x = int(n), Fraction(math.exp(-epsilon))
    queue = Finite.table({(1,) * k + (0,) * (students - k): Fraction(1, students + 1) for k in range(students + 1)})
    top = [x ** (students - sum(row)) / (1 + x) for row in queue.datasets()]  # type: ignore[arg-type]
    mechanism = FiniteMechanism.matrix([[p, 1 - p] for p in top], (students, "less"))
    assert close(Neighbours.induced(queue).epsilon(mechanism).value, epsilon)
    assert close(Neighbours.replace(queue).epsilon(mechanism).value, epsilon)
    first = (Fact.record_is(queue, 0, 1), Fact.record_is(queue, 0, 0))
    even = instances.constrained(queue, [[{0: "1/2", 1: "1/2"}] * students])
    assert list(even.scenarios[0].mass) == list(queue.mass)
    found = Pufferfish((first,), even.scenarios).epsilon(mechanism)
    assert close(found.value, GOLDEN["pf_ex10_5"][name]["ln_ratio"])
    if students <= 10:
        assert even.epsilon(mechanism).value.upper >= found.value.lower
    assert found.output == students


# -- one law, and hedging ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4])
def test_an_exact_count_under_one_law(n: int) -> None:
    """The exact count k of ones costs |log k/(nq)| given a one, and |log (n-k)/(n(1-q))| given a zero (section 7.1)."""
    q = Fraction(3, 10)
    definition = instances.single_prior({1: q, 0: 1 - q}, n)
    ones = FiniteMechanism.of(lambda row: row.count(1), definition.scenarios[0])
    one, zero = definition.pairs
    for k in range(n + 1):
        assert pf.odds(ones, definition.scenarios[0], one, k).ratio == k / (n * q)
        assert pf.odds(ones, definition.scenarios[0], zero, k).ratio == (n - k) / (n * (1 - q))


def test_hedging_mixes_with_the_same_weight_given_either_secret() -> None:
    n, q, f, alpha = 3, Fraction(1, 2), Fraction(1, 10), Fraction(1, 4)
    definition = instances.hedging({1: q, 0: 1 - q}, alpha, [{1: f, 0: 1 - f}, {1: 0, 0: 1}], n)
    ones = FiniteMechanism.of(lambda row: row.count(1), definition.scenarios[0])

    def binomial(k: int, size: int, rate: Fraction) -> Fraction:
        return math.comb(size, k) * rate**k * (1 - rate) ** (size - k) if 0 <= k <= size else Fraction(0)

    for scenario, other in zip(definition.scenarios, (f, Fraction(0)), strict=True):
        for k in range(1, n + 1):
            given_one, absent = (
                alpha * binomial(k - less, n - less, q) + (1 - alpha) * binomial(k - less, n - less, other)
                for less in (1, 0)
            )
            assert pf.odds(ones, scenario, definition.pairs[0], k).ratio == given_one / absent


def test_hedging_needs_another_law_and_a_weight() -> None:
    with pytest.raises(InputError, match="other law"):
        instances.hedging({1: 1}, "0.1", [], 2)
    with pytest.raises(InputError, match="between 0 and 1"):
        instances.hedging({1: 1}, 2, [{1: 1}], 2)


def test_iid_records_of_several_laws() -> None:
    definition = instances.iid([{0: "1/2", 1: "1/2"}, {0: "9/10", 1: "1/10"}, {0: 1}], 2)
    found = definition.epsilon(FiniteMechanism.of(sum, definition.scenarios[0]))
    assert found.value.lower == math.inf
    assert {skip.scenario for skip in found.skipped} == {2}
    at_one = [
        float(pf.odds(FiniteMechanism.of(sum, s), s, definition.pairs[0], 1).ratio) for s in definition.scenarios[:2]
    ]
    assert at_one == pytest.approx([1.0, 1 / 9])


# -- intervals and aggregates ------------------------------------------------------------------------------------------


@given(st.sets(st.integers(0, 12), min_size=2, max_size=5), st.integers(1, 3))
def test_interval_pairs_are_all_that_some_centre_gives(values: set[int], k: int) -> None:
    world = listed(tuple(sorted(values)))
    wanted = set()
    for tenth in range(-200, 300):
        x = Fraction(tenth, 10)
        sides = tuple(
            frozenset(v for v in values if low <= v < high) for low, high in ((x - k, x + k), (x + k, x + 3 * k))
        )
        if all(sides):
            wanted.add(sides)
    if not wanted:
        with pytest.raises(InputError, match="pair"):
            instances.absolute_error([world], k)
        return
    rows = [row[0] for row in world.datasets()]
    found = [
        tuple(frozenset(v for v, held in zip(rows, secret.where, strict=True) if held) for secret in pair)
        for pair in instances.absolute_error([world], k).pairs
    ]
    assert len(found) == len(set(found)) and set(found) == wanted


def test_relative_error_is_absolute_error_on_a_logarithmic_scale() -> None:
    powers, plain = listed(tuple(2**k for k in range(6))), listed(tuple(range(6)))
    relative, absolute = instances.relative_error([powers], "1/2").pairs, instances.absolute_error([plain], 1).pairs
    assert {(a.where.tobytes(), b.where.tobytes()) for a, b in relative} == {
        (a.where.tobytes(), b.where.tobytes()) for a, b in absolute
    }
    with pytest.raises(InputError, match="between 0 and 1"):
        instances.relative_error([powers], 2)
    with pytest.raises(InputError, match="positive"):
        instances.absolute_error([plain], 0)


@pytest.mark.slow
def test_laplace_noise_of_scale_four_k_protects_to_within_k() -> None:
    """Lemma 8.1: two-point attackers at the ends of neighbouring intervals come as near to ε as the grid allows."""
    world, k, epsilon = listed(tuple(range(13))), 3, 1.0
    x = Fraction(math.exp(-epsilon / (4 * k)))
    rows = [[x ** abs(r - v) for r in range(13)] for v in range(13)]
    noisy = FiniteMechanism.matrix([[p / (sum(row) + 1000) for p in row] + [1000 / (sum(row) + 1000)] for row in rows])
    scenarios = pf.two_points(Neighbours.any_two(world))
    found = instances.absolute_error(scenarios, k).epsilon(noisy).value
    assert 0.9 * epsilon < found.upper <= epsilon + 0.01


def cycle_metric(cycle: list[Dataset]) -> Any:
    def distance(a: Dataset, b: Dataset) -> int:
        gap = abs(cycle.index(a) - cycle.index(b))
        return 0 if not gap else 1 if gap in {1, len(cycle) - 1} else 2

    return distance


def test_a_ball_does_not_imply_zlw() -> None:
    """Theorem 8.1 forwards is false: hybrids of two datasets on a cycle, Pufferfish .5 and ZLW 1."""
    golden = GOLDEN["pf_thm8_1"]["forward_counterexample"]
    cycle = [tuple(row) for row in golden["cycle"]]
    world = listed((0, 1), (0, 1, 2))
    mechanism = saying_yes(world, {row: golden["p"][str(row)] for row in world.datasets()})
    metric = cycle_metric(cycle)
    assert close(Neighbours.within(world, metric, distance=1).epsilon(mechanism).value, golden["eps_zlw"])
    corners = [
        [{v: Fraction(1, len(part)) for v in part} for part in parts]
        for parts in itertools.product(
            *([part for size in (1, 2, 3) for part in itertools.combinations(d, size)] for d in ((0, 1), (0, 1, 2)))
        )
    ]
    lopsided = [
        [{0: a, 1: 1 - a}, {0: b, 1: c, 2: 1 - b - c}]
        for a, b, c in itertools.product(
            (Fraction(1, 10**6), Fraction(1, 3), 1 - Fraction(1, 10**6)),
            (Fraction(1, 100), Fraction(1, 2)),
            (Fraction(1, 100), Fraction(49, 100)),
        )
    ]
    scenarios = [pf.independent_given(world, laws) for laws in corners + lopsided]
    assert close(instances.aggregate(scenarios, metric, distance=1).epsilon(mechanism).value, golden["eps_pufferfish"])


@given(st.data())
def test_no_product_belief_does_worse_in_that_example(data: st.DataObject) -> None:
    golden = GOLDEN["pf_thm8_1"]["forward_counterexample"]
    world = listed((0, 1), (0, 1, 2))
    mechanism = saying_yes(world, {row: golden["p"][str(row)] for row in world.datasets()})
    laws = data.draw(marginals(world).filter(lambda laws: feasible(world, laws)))
    definition = instances.aggregate(
        [pf.independent_given(world, laws)], cycle_metric([tuple(row) for row in golden["cycle"]]), distance=1
    )
    assert definition.epsilon(mechanism).value.lower <= golden["eps_pufferfish"] + HAIR


def test_the_nine_cycle_refutes_theorem_8_1_on_pairs_of_one_domain() -> None:
    cycle: list[Dataset] = [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2), (1, 2), (1, 0), (1, 1)]
    world = listed((0, 1, 2), (0, 1, 2))
    mechanism = saying_yes(world, {row: 0.1 * math.exp({(0, 0): 0.5, (1, 1): -0.5}.get(row, 0)) for row in cycle})
    assert close(Neighbours.within(world, cycle_metric(cycle), distance=1).epsilon(mechanism).value, 1.0)
    sizes = [part for size in (1, 2, 3) for part in itertools.combinations((0, 1, 2), size)]
    scenarios = [
        pf.independent_given(world, [{v: Fraction(1, len(part)) for v in part} for part in parts])
        for parts in itertools.product(sizes, repeat=2)
    ]
    assert close(instances.aggregate(scenarios, cycle_metric(cycle), distance=1).epsilon(mechanism).value, 0.5)


def test_zlw_does_not_imply_a_ball() -> None:
    """Theorem 8.1 backwards is false: the ring reaches datasets that no short chain does."""
    golden = GOLDEN["pf_thm8_1"]["converse_counterexample"]
    world = listed(tuple(range(12)))
    cycle: list[Dataset] = [(k,) for k in range(12)]
    mechanism = saying_yes(world, {row: 0.1 * math.exp(0.1 * min(row[0], 12 - row[0])) for row in cycle})  # type: ignore[operator]
    metric = cycle_metric(cycle)
    assert close(Neighbours.within(world, metric, distance=1).epsilon(mechanism).value, golden["zlw"])
    scenarios = pf.two_points(Neighbours.any_two(world))
    assert close(instances.aggregate(scenarios, metric, distance=1).epsilon(mechanism).value, golden["pufferfish"])
