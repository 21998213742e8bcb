"""Coupled worlds: what is refused, and in which words."""

import pytest

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.axioms import (
    convexity,
)
from dalenius.papers.definitions.coupled import (
    CoupledWorlds,
    Simulator,
    coupled_delta,
    distributional,
)
from dalenius.papers.definitions.hides import Hide, attributes, blurred, student
from dalenius.papers.definitions.simulator import canonical
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite


def total(data):
    return sum(value for value in data if value is not None)


def test_bad_input():
    belief = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    worlds = distributional([belief]).worlds(total)
    with pytest.raises(InputError, match="at least one belief"):
        distributional([])
    with pytest.raises(InputError, match="at least one pair"):
        CoupledWorlds((belief,), ())
    with pytest.raises(InputError, match="sum to 1"):
        distributional([belief]).worlds(lambda data: {0: "1/3", 1: "1/3"})
    with pytest.raises(InputError, match="a simulator for all scrubbed data"):
        coupled_delta(worlds, Simulator.of(total, worlds.alts[:1]), epsilon=1)
    with pytest.raises(InputError, match="ε of at least 0"):
        coupled_delta(worlds, canonical(total, worlds), epsilon=-1)
    with pytest.raises(InputError, match="a school that student 0 goes to"):
        student(0, [1])
    with pytest.raises(InputError, match="one row for each"):
        distributional([belief, belief.constrained(lambda data: sum(data) > 0)]).worlds(
            FiniteMechanism.of(total, belief)
        )
    with pytest.raises(InputError, match="a weight for each belief"):
        convexity(worlds, canonical(total, worlds), ["1/2"], epsilon=1)
    with pytest.raises(InputError, match="Noise can be added to numbers only"):
        CoupledWorlds((Finite.table({("a",): 1}),), (blurred(0, {0: 1}),)).worlds(len)
    with pytest.raises(InputError, match="a private value without coins"):
        CoupledWorlds((belief,), (Hide(lambda _: {0: "1/2", 1: "1/2"}, len),)).worlds(total)
    with pytest.raises(InputError, match="tuples of attributes"):
        CoupledWorlds((belief,), (attributes(0, [1]),)).worlds(total)
