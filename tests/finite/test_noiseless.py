"""Noiseless privacy on finite worlds: both readings, the engine that scales, and where the readings differ."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Count, Sum
from dalenius.mechanisms import Rounded, rational_geometric, two_sided_geometric
from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.definitions.noiseless_worlds import noiseless_by_presence, noiseless_by_value
from dalenius.papers.definitions.pufferfish import Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism, as_function
from dalenius.papers.worlds import Finite
from finite.small_worlds import HAIR, beliefs, listed, mechanisms

MECHANISMS = [
    Sum() >> dl.Exact(),
    Sum() >> Rounded(2),
    Sum() >> rational_geometric("2/3"),
    Sum() >> rational_geometric("1/2") >> Rounded(3),
]
RATES = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 97)]
EPSILONS = st.sampled_from(["0", "0.3", "1"])


def agree(one, two):
    assert max(one.lower, two.lower) <= min(one.upper, two.upper) + HAIR
    assert one.width < HAIR and two.width < HAIR


@given(st.sampled_from(MECHANISMS), st.sampled_from(RATES), st.integers(1, 3), EPSILONS)
def test_independent_records_agree_with_the_engine(mechanism, rate, n, epsilon):
    """By value, and with against without a record: unless figures are rounded, adding one
    to n is never worse than taking one out of n."""
    law = {0: 1 - rate, 1: rate}
    belief, attacker = Finite.product([law] * n), dl.IID(p=rate, n=n)
    by_value = noiseless_by_value(belief, FiniteMechanism.of(mechanism, belief), epsilon)
    agree(by_value, dl.curve(mechanism, dl.judge.NoiselessPrivacy(attacker)).delta(Fraction(epsilon)))
    taken_out = noiseless_by_presence(as_function(mechanism, belief), belief, epsilon, added=())
    presence = dl.judge.NoiselessPrivacy(attacker, dl.PresenceOnly())
    agree(taken_out, dl.curve(mechanism, presence).delta(Fraction(epsilon)))
    if not mechanism.channel.period:
        agree(taken_out, noiseless_by_presence(as_function(mechanism, belief), belief, epsilon, added=(0, 1)))


@given(st.data(), EPSILONS)
def test_by_value_is_pufferfish_with_the_values_as_secrets(data, epsilon):
    world = listed((0, 1, 2), (0, 1, 2))
    belief, mechanism = data.draw(beliefs(world)), data.draw(mechanisms(world))
    found = Pufferfish(pf.value_pairs(world), (belief,)).delta(mechanism, epsilon=epsilon).value
    agree(noiseless_by_value(belief, mechanism, epsilon), found)


def test_neither_reading_implies_the_other():
    twins = Finite.table({(0, 0): "1/2", (1, 1): "1/2"})
    is_there = Count() >> Rounded(3)  # 0, 1 or 2 ones: rounded, whether there are two
    made = FiniteMechanism.of(is_there, twins)
    assert noiseless_by_value(twins, made, 5).lower == 1  # the twin tells the value
    size = Count(frozenset({0, 1}))
    coins = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    assert noiseless_by_value(coins, FiniteMechanism.of(size, coins), 0).upper == 0
    assert noiseless_by_presence(as_function(size >> dl.Exact(), coins), coins, 5, added=(0, 1)).lower == 1


def test_a_function_of_datasets_knows_those_with_a_record_more_or_less():
    belief = listed((0, 1), (0, 1))
    release = as_function(Count() >> rational_geometric("1/3"), belief)
    for dataset in [(None, None), (0, None), (1, 1), (1, 1, 1), (0, 1, None)]:
        law = release(dataset)
        ones = dataset.count(1)
        assert sum(law.values()) == 1
        assert law["0 or less"] == Fraction(3, 4) * Fraction(1, 3) ** ones
        assert law[1] == Fraction(1, 2) * Fraction(1, 3) ** abs(ones - 1)
    assert as_function(Count() >> dl.Exact(), belief)((1, 0)) == {1: 1}
    with pytest.raises(InputError, match="rational_geometric"):
        as_function(Count() >> two_sided_geometric(2), belief)
