"""Pufferfish: the definition, correlated records, and composition."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions import composability, instances
from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.small_worlds import (
    GOLDEN,
    HAIR,
    PEOPLE,
    SAME_SIZE,
    beliefs,
    close,
    counted,
    listed,
    marginals,
    mechanisms,
)
from oracle.strategies import epsilons

# -- the definition ----------------------------------------------------------------------------------------------------


@given(st.data(), epsilons())
def test_pufferfish_is_what_the_definition_says(data: st.DataObject, epsilon: Fraction) -> None:
    world = listed((0, 1), (0, 1))
    scenarios = (data.draw(beliefs(world)), data.draw(beliefs(world)))
    mechanism = data.draw(mechanisms(world))
    definition = Pufferfish(pf.value_pairs(world), scenarios)
    pure, approximate, skipped = Fraction(1), 0.0, 0
    for scenario, record in itertools.product(scenarios, (0, 1)):
        laws = []
        for value in (0, 1):
            rows = [r for r, dataset in enumerate(world.datasets()) if dataset[record] == value]
            weight = sum((scenario.mass[r] for r in rows), Fraction(0))
            if weight:
                assert mechanism.rows is not None
                laws.append([sum(scenario.mass[r] * mechanism.rows[r, o] for r in rows) / weight for o in range(3)])
        if len(laws) < 2:
            skipped += 1
            continue
        pure = max([pure, *(max(a / b, b / a) for a, b in zip(*laws, strict=True))])
        factor = Fraction(math.exp(epsilon))
        for p, q in itertools.permutations(laws):
            excess = sum((max(Fraction(0), a - factor * b) for a, b in zip(p, q, strict=True)), Fraction(0))
            approximate = max(approximate, float(excess))
    found = definition.epsilon(mechanism)
    assert close(found.value, math.log(pure))
    assert close(definition.delta(mechanism, epsilon=epsilon).value, approximate)
    assert len(found.skipped) == skipped
    if found.odds is not None:  # section 3.1: the odds ratio says the same
        assert abs(math.log(found.odds.ratio)) == pytest.approx(math.log(pure), abs=HAIR)
        assert found.odds.posterior == found.odds.prior * found.odds.ratio


def test_overlapping_secrets_are_refused() -> None:
    world = listed((None, "t"), (None, "t"))
    literal = (Fact.record_is(world, 0, "t"), Fact.record_is(world, 1, None))  # equation 10 as printed
    with pytest.raises(InputError, match=r"exclude each other.*record 0 = t.*record 1 is absent.*\('t', None\)"):
        Pufferfish((literal,), (world,))
    apart = pf.restricted(world, ~(literal[0].where & literal[1].where))
    assert Pufferfish((literal,), (apart,)).epsilon(FiniteMechanism.of(len, world)).value.upper == 0


def test_no_scenarios_and_no_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="at least one evolution scenario"):
        Pufferfish(pf.value_pairs(PEOPLE), ())
    with pytest.raises(InputError, match="discriminative pair"):
        Pufferfish((), (PEOPLE,))


def test_scenarios_on_other_datasets_are_refused() -> None:
    with pytest.raises(InputError, match="same datasets"):
        Pufferfish(pf.value_pairs(PEOPLE), (PEOPLE, PEOPLE.constrained(lambda row: row[0] == "t")))


def test_secrets_about_another_world_are_refused() -> None:
    with pytest.raises(InputError, match="'record 0 = t' is about 3"):
        Pufferfish(pf.absence_pairs(listed((None, "t", "u"))), (PEOPLE,))
    with pytest.raises(InputError, match="9 datasets"):
        Pufferfish(pf.value_pairs(PEOPLE), (PEOPLE,)).epsilon(FiniteMechanism.of(len, SAME_SIZE))


def test_an_impossible_secret_is_skipped_and_reported() -> None:
    certain = pf.restricted(PEOPLE, PEOPLE.record_is(0, "t"))
    definition = Pufferfish((pf.absence_pairs(PEOPLE)[0],), (certain,))
    found = definition.epsilon(FiniteMechanism.of(lambda row: row, PEOPLE))
    assert found.value.upper == 0 and found.pair is None
    assert [s.impossible for s in found.skipped] == [("record 0 is absent",)]
    assert "nothing to tell apart; 1 pair skipped" in str(found)


def test_auxiliary_information_can_break_pufferfish() -> None:
    world = listed((0, 1), (0, 1))
    parity = FiniteMechanism.of(lambda row: sum(row) % 2, world)
    assert Pufferfish(pf.value_pairs(world), (world,)).epsilon(parity).value.upper == 0
    told = Pufferfish(pf.value_pairs(world)[:1], (world.knowing(lambda row: row[1]),)).epsilon(parity)
    assert told.value.lower == math.inf


def test_auxiliary_information_can_also_repair_pufferfish() -> None:
    world = Finite.table({(0, 0): "3/10", (1, 1): "3/10", (0, 1): "1/5", (1, 0): "1/5"})
    other = FiniteMechanism.of(lambda row: row[1], world)
    assert close(Pufferfish(pf.value_pairs(world)[:1], (world,)).epsilon(other).value, math.log(1.5))
    known = world.knowing(lambda row: row[1])
    assert Pufferfish(pf.value_pairs(world)[:1], (known,)).epsilon(other).value.upper == 0


def test_a_leak_tells_its_story() -> None:
    world = Finite.product([{0: "3/4", 1: "1/4"}, {0: "1/2", 1: "1/2"}])
    definition = Pufferfish(pf.value_pairs(world)[:1], (world,))
    assert str(definition.delta(FiniteMechanism.of(sum, world), epsilon=0)) == (
        "0.5: record 0 = 0 against record 0 = 1, scenario 0; at output 0 odds 3 before, inf after: inf times"
    )
    with pytest.raises(InputError, match="at least 0"):
        definition.delta(FiniteMechanism.of(sum, world), epsilon=-1)


def test_de_finetti() -> None:
    golden = GOLDEN["pf_definetti"]["values"]
    group = Finite.product([{"cancer": "0.05", "well": "0.95"}, {"cancer": "0.01", "well": "0.99"}])
    bucket = FiniteMechanism.of(lambda row: row.count("cancer"), group)
    bob = pf.value_pairs(group)[0]
    found = pf.odds(bucket, group, bob, 1)
    assert found.ratio == 99 == golden["odds_ratio"]
    assert float(found.prior) == pytest.approx(golden["prior_odds"])
    assert float(found.posterior) == pytest.approx(golden["post_odds"])
    assert float(found.posterior / (1 + found.posterior)) == pytest.approx(golden["posterior"])
    assert str(found) == "odds 0.05263 before, 5.211 after: 99 times"
    with pytest.raises(InputError, match="outputs"):
        pf.odds(bucket, group, bob, 7)


# -- correlated records ------------------------------------------------------------------------------------------------


def test_differential_privacy_does_not_protect_correlated_records() -> None:
    """Theorem 6.2, with its witness mechanism."""
    golden = GOLDEN["pf_thm6_2"]["construction eps=ln2, theta P(00)=.4,P(11)=.4,P(10)=P(01)=.1"]
    chances = {(None, None): "0.4", (1, 1): "0.4", (1, None): "0.1", (None, 1): "0.1"}
    belief = Finite.table(chances)
    witness = composability.correlation_witness(belief, factor=2)
    assert witness is not None and witness.ratio == 3 == golden["ratio"]
    assert close(Neighbours.add_or_remove(belief).epsilon(witness.mechanism).value, golden["dp_eps"])
    found = Pufferfish(pf.absence_pairs(belief), (belief,)).epsilon(witness.mechanism).value
    assert close(found, golden["pufferfish_eps"])


def test_correlation_without_uncertain_presence_is_no_witness() -> None:
    """The counterexample to Theorem 6.2 as printed: both present, equal values."""
    both = PEOPLE.record_is(0, "t") & PEOPLE.record_is(1, "t") | PEOPLE.record_is(0, "u") & PEOPLE.record_is(1, "u")
    assert composability.correlation_witness(pf.restricted(PEOPLE, both), factor=2) is None


def test_a_witness_needs_exact_probabilities_and_a_factor() -> None:
    with pytest.raises(InputError, match="exact probabilities"):
        composability.correlation_witness(Finite.product_of_floats([{None: 0.1, 1: 0.9}] * 2), factor=2)
    with pytest.raises(InputError, match="above 1"):
        composability.correlation_witness(PEOPLE, factor=1)


@given(st.data(), st.sampled_from((Fraction(11, 10), Fraction(2), Fraction(7))))
def test_there_is_a_witness_exactly_when_presence_says_something_about_the_others(
    data: st.DataObject, factor: Fraction
) -> None:
    product = data.draw(st.booleans())
    belief = pf.independent_given(PEOPLE, data.draw(marginals(PEOPLE))) if product else data.draw(beliefs(PEOPLE))
    witness = composability.correlation_witness(belief, factor=factor)
    if product:
        assert witness is None
    if witness is None:
        mechanism = data.draw(mechanisms(PEOPLE))
        found = Pufferfish(pf.absence_pairs(PEOPLE), (belief,)).epsilon(mechanism).value
        assert found.lower <= Neighbours.add_or_remove(PEOPLE).epsilon(mechanism).value.upper
    else:
        assert witness.ratio > factor
        assert Neighbours.add_or_remove(PEOPLE).epsilon(witness.mechanism).value.lower <= math.log(factor) + HAIR


# -- composition -------------------------------------------------------------------------------------------------------


def test_an_uncertain_attacker_breaks_composition() -> None:
    """Section 9: one run tells nothing, two runs tell everything."""
    world = Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 0): "1/2"})
    found = composability.composition(Pufferfish(pf.value_pairs(world)[:1], (world,)))
    assert GOLDEN["pf_thm9_1"]["noncomposition"].endswith("0 vs 1/4 -> infinite")
    assert found.linear is False and found.mechanism is not None
    assert found.alone is not None and found.alone.upper == 0
    assert found.twice is not None and found.twice.lower == math.inf
    both = found.mechanism.beside(found.mechanism)
    law = both.law(world, world.record_is(0, 1))
    other = both.law(world, world.record_is(0, 0))
    assert law is not None and other is not None
    assert law.mass[both.outputs.index((0, 1))] == Fraction(1, 4)
    assert other.mass[both.outputs.index((0, 1))] == 0


def test_certain_attackers_compose() -> None:
    """Corollary 9.4, and so differential privacy and the repaired relation."""
    for definition in (
        instances.independent(PEOPLE),
        instances.no_assumptions(PEOPLE),
        instances.public_count(counted(2), "t".__eq__),
    ):
        assert composability.composition(definition).linear is True


@pytest.mark.slow
@given(st.data())
def test_composing_definitions_add_up(data: st.DataObject) -> None:
    definition = instances.independent(PEOPLE)
    first, second = data.draw(mechanisms(PEOPLE)), data.draw(mechanisms(PEOPLE))
    parts = [definition.epsilon(mechanism).value.upper for mechanism in (first, second)]
    assert definition.epsilon(first.beside(second)).value.lower <= sum(parts) + HAIR


def three() -> Pufferfish:
    world = listed((0, 1, 2))
    facts = [Fact(name, np.array(where)) for name, where in (("a or b", [1, 1, 0]), ("a", [1, 0, 0]), ("b", [0, 1, 0]))]
    facts = [Fact(fact.name, fact.where.astype(bool)) for fact in facts]
    return Pufferfish(tuple((fact, Fact.record_is(world, 0, 2)) for fact in facts), (world,))


def test_an_uncertain_attacker_need_not_break_composition() -> None:
    """The converse of Theorem 9.1 fails for several pairs: nothing is proved, nothing is refuted."""
    assert composability.composition(three()).linear is None


@given(st.data())
def test_that_attacker_composes_all_the_same(data: st.DataObject) -> None:
    definition = three()
    first, second = (data.draw(mechanisms(definition.scenarios[0])) for _ in range(2))
    parts = sum(definition.epsilon(mechanism).value.upper for mechanism in (first, second))
    both = definition.epsilon(first.beside(second)).value.lower
    assert both <= GOLDEN["pf_thm9_1"]["only_if_counterexample_max_ratio"] * parts + HAIR


@pytest.mark.slow
def test_a_million_datasets_and_twenty_secrets() -> None:
    world = Finite.product_of_floats([{0: 0.5, 1: 0.5}] * 20)
    counts = FiniteMechanism(tuple(range(21)), world.codes.sum(axis=1))
    found = Pufferfish(pf.value_pairs(world), (world,)).delta(counts, epsilon="0.5").value
    law = [math.comb(19, k) / 2**19 for k in range(20)]
    truth = sum(max(0.0, p - math.exp(0.5) * q) for p, q in zip([*law, 0.0], [0.0, *law], strict=True))
    assert found.lower <= truth * (1 + 1e-9) and found.upper >= truth * (1 - 1e-9) and found.width < 1e-9
