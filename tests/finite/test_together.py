"""Two parties' releases, against literal sums over both datasets; the correlation witness for values."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions import composability
from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.pufferfish import Pufferfish
from dalenius.papers.definitions.together import after, answered, same_data, seen_by, together
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.small_worlds import HAIR, beliefs, close, listed, marginals, mechanisms
from oracle.strategies import masses

ALICE = listed((0, 1), (0, 1))
BOB = [(0,), (1,), (2,)]
HALF = Fraction(1, 2)


@st.composite
def kernels(draw, rows, columns):
    """A law on the columns for each row, all of them possible."""
    found = [draw(masses(len(columns))) for _ in rows]
    mixed = [[(p + Fraction(1, 60)) / (1 + Fraction(len(columns), 60)) for p in law] for law in found]
    return {row: dict(zip(columns, law, strict=True)) for row, law in zip(rows, mixed, strict=True)}


def worst_ratio(laws):
    """The largest log ratio over outcomes, both ways."""
    p, q = laws
    return max(abs(math.log(p[k]) - math.log(q[k])) for k in p)


@pytest.mark.slow
@given(st.data())
def test_both_releases_are_what_the_sum_over_both_datasets_says(data):
    """Equation 22, from the joint distribution of the two datasets, and the same where Bob sees Alice's output."""
    rows = list(ALICE.datasets())
    belief = data.draw(beliefs(ALICE))
    phi = data.draw(kernels(rows, BOB))
    mine = data.draw(kernels(rows, "xy"))
    his = data.draw(kernels(BOB, "uvw"))
    reply = data.draw(kernels(list(itertools.product(BOB, "xy")), "uv"))
    definition = Pufferfish(pf.value_pairs(ALICE), (belief,))
    mechanism = FiniteMechanism.random(mine.__getitem__, ALICE)
    found = together(definition, mechanism, [seen_by(ALICE, phi.__getitem__, his.__getitem__)])
    seen = definition.epsilon(answered(mechanism, ALICE, phi.__getitem__, lambda d, t: reply[d, t]))
    truth, told = 0.0, 0.0
    for record in (0, 1):
        laws = []
        for value in (0, 1):
            weight = sum((p for row, p in belief.items() if row[record] == value), Fraction(0))
            joint, other = {}, {}
            for (row, p), d in itertools.product(belief.items(), BOB):
                if row[record] == value and p:
                    for t, u in itertools.product("xy", "uvw"):
                        joint[t, u] = joint.get((t, u), 0) + p * phi[row][d] * mine[row][t] * his[d][u] / weight
                    for t, u in itertools.product("xy", "uv"):
                        other[t, u] = other.get((t, u), 0) + p * phi[row][d] * mine[row][t] * reply[d, t][u] / weight
            if weight:
                laws.append((joint, other))
        if len(laws) == 2:
            truth = max(truth, worst_ratio([law[0] for law in laws]))
            told = max(told, worst_ratio([law[1] for law in laws]))
    assert close(found.both.value, truth)
    assert close(seen.value, told)


@pytest.mark.slow
@given(st.data())
def test_beliefs_after_the_other_release_bound_both(data):
    """ε of both is at most that of the other plus that of the first against the conditional distributions."""
    definition = Pufferfish(pf.value_pairs(ALICE), (data.draw(beliefs(ALICE)), data.draw(beliefs(ALICE))))
    mechanism, other = data.draw(mechanisms(ALICE)), data.draw(mechanisms(ALICE))
    found = together(definition, mechanism, [other])
    assert found.both.value.lower <= found.other.value.upper + found.after.value.upper + HAIR
    for output, updated in after(definition, other):
        place = other.outputs.index(output)
        for before, belief in zip(definition.scenarios, updated.scenarios, strict=True):
            chances = [p * other.rows[r, place] for r, (_, p) in enumerate(before.items())]
            assert [p for _, p in belief.items()] == [p / sum(chances) for p in chances]


def test_the_other_release_breaks_what_alone_was_perfect():
    """Alice publishes the parity of two fair bits, Bob the second one: each alone says nothing about the first."""
    definition = Pufferfish(pf.value_pairs(ALICE)[:1], (ALICE,))
    parity = FiniteMechanism.of(lambda row: sum(row) % 2, ALICE)
    bob = seen_by(ALICE, lambda row: {(row[1],): 1}, lambda his: {his[0]: 1})
    independent = seen_by(ALICE, lambda _: {(0,): HALF, (1,): HALF}, lambda his: {his[0]: 1})
    found = together(definition, parity, [independent, bob])
    assert found.relation == 1 and found.adds_up is False
    assert found.alone.value.upper == found.other.value.upper == 0
    assert found.both.value.lower == math.inf == found.after.value.lower
    assert found.both.pair == ("record 0 = 0", "record 0 = 1") and isinstance(found.both.output, tuple)
    assert str(found) == "together ∞; alone 0, the other 0: it does not add up"
    assert together(definition, parity, [independent]).adds_up is True


def test_a_release_by_oneself_is_self_composition():
    world = Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 0): "1/2"})
    definition = Pufferfish(pf.value_pairs(world)[:1], (world,))
    witness = composability.composition(definition).mechanism
    again = seen_by(
        world,
        same_data,
        lambda row: dict(zip(witness.outputs, witness.row(list(world.datasets()).index(row)), strict=True)),
    )
    found = together(definition, witness, [again])
    assert found.adds_up is False and found.both.value.lower == math.inf


def test_what_the_other_ruled_out_is_skipped_and_reported():
    definition = Pufferfish(pf.value_pairs(ALICE)[:1], (ALICE,))
    told = FiniteMechanism.of(lambda row: row[0], ALICE)
    for _, updated in after(definition, told):
        leak = updated.epsilon(told)
        assert leak.pair is None and len(leak.skipped) == 1
    assert len(together(definition, told, [told]).after.skipped) == 2


def test_bad_relations_are_refused():
    definition = Pufferfish(pf.value_pairs(ALICE), (ALICE,))
    mechanism = FiniteMechanism.of(len, ALICE)
    with pytest.raises(InputError, match="at least one way"):
        together(definition, mechanism, [])
    with pytest.raises(InputError, match="Bob's data, given Alice's must be at least 0 and sum to 1"):
        seen_by(ALICE, lambda _: {(0,): HALF}, lambda his: {his: 1})
    with pytest.raises(InputError, match="Bob's release"):
        seen_by(ALICE, same_data, lambda his: {his: 2})
    with pytest.raises(InputError, match="4 datasets"):
        after(definition, FiniteMechanism.of(len, listed((0, 1))))


@given(st.data(), st.booleans(), st.booleans())
def test_two_outputs_side_by_side_are_independent_given_the_data(data, one_is_sure, two_is_sure):
    sure = FiniteMechanism.of(lambda row: row[0] - row[1], ALICE)
    one = sure if one_is_sure else data.draw(mechanisms(ALICE))
    two = FiniteMechanism.of(max, ALICE) if two_is_sure else data.draw(mechanisms(ALICE))
    both = one.beside(two)
    for place in range(ALICE.size):
        law = dict(zip(both.outputs, both.row(place), strict=True))
        for (a, p), (b, q) in itertools.product(
            zip(one.outputs, one.row(place), strict=True), zip(two.outputs, two.row(place), strict=True)
        ):
            assert law.get((a, b), 0) == p * q


# -- the correlation witness for values --------------------------------------------------------------------------------


@given(st.data(), st.sampled_from((Fraction(11, 10), Fraction(2), Fraction(7))))
def test_there_is_a_witness_exactly_when_a_value_says_something_about_the_others(data, factor):
    world = listed((0, 1, 2), (0, 1, 2))
    product = data.draw(st.booleans())
    belief = pf.independent_given(world, data.draw(marginals(world))) if product else data.draw(beliefs(world))
    witness = composability.value_correlation_witness(belief, factor=factor)
    assert (witness is None) == (not correlated(belief))
    if witness is None:
        mechanism = data.draw(mechanisms(world))
        found = Pufferfish(pf.value_pairs(world), (belief,)).epsilon(mechanism).value
        assert found.lower <= Neighbours.replace(world).epsilon(mechanism).value.upper
    else:
        assert witness.ratio > factor
        assert Neighbours.replace(world).epsilon(witness.mechanism).value.lower <= math.log(factor) + HAIR
        found = Pufferfish((witness.pair,), (belief,)).epsilon(witness.mechanism).value
        assert found.upper >= math.log(witness.ratio) - HAIR


def correlated(belief):
    """Literally: whether the law of the other record depends on the value of one."""
    for record in (0, 1):
        laws = set()
        for value in belief.values:
            weights = [p if row[record] == value else Fraction(0) for row, p in belief.items()]
            if sum(weights):
                there = {}
                for (row, _), p in zip(belief.items(), weights, strict=True):
                    there[row[1 - record]] = there.get(row[1 - record], 0) + p / sum(weights)
                laws.add(tuple(sorted(there.items())))
        if len(laws) > 1:
            return True
    return False


def test_equal_values_are_betrayed_although_presence_is_certain():
    """The case that Theorem 6.2 as printed gets wrong, with the pairs for which it is right."""
    belief = Finite.table({("t", "t"): "1/2", ("u", "u"): "1/2", ("t", "u"): 0, ("u", "t"): 0})
    assert composability.correlation_witness(belief, factor=2) is None
    witness = composability.value_correlation_witness(belief, factor=2)
    assert witness is not None and witness.ratio == 4  # twice as likely by the record, twice by its twin
    assert close(Neighbours.replace(belief).epsilon(witness.mechanism).value, math.log(2))


def test_a_value_witness_needs_exact_probabilities():
    with pytest.raises(InputError, match="exact probabilities"):
        composability.value_correlation_witness(Finite.product_of_floats([{0: 0.1, 1: 0.9}] * 2), factor=2)
    assert composability.value_correlation_witness(Finite.product([{0: "1/10", 1: "9/10"}] * 2), factor=2) is None
