"""Bad input to finite worlds is refused in words: what was needed, what came, what to do."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish, restricted, value_pairs
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.small_worlds import listed

BITS = listed((0, 1), (0, 1))
CODES = np.zeros((2, 1), dtype=np.int64)


def record(where):
    return Fact("first", np.array(where, dtype=bool))


CASES = {
    "a negative probability": (
        lambda: Finite.table({(0,): "3/2", (1,): "-1/2"}),
        "at least 0, but one of them is -0.5",
    ),
    "probabilities that are not numbers": (lambda: Finite.table({(0,): math.nan}), "finite number, but got nan"),
    "an infinite probability": (lambda: Finite.table({(0,): math.inf}), "finite number, but got inf"),
    "a float that is not a number": (lambda: Finite((0, 1), CODES, np.array([math.nan, 1.0])), "is nan"),
    "a negative float": (lambda: Finite((0, 1), CODES, np.array([1.5, -0.5])), "is -0.5"),
    "a negative marginal in floats": (lambda: Finite.product_of_floats([{0: -1.0}, {0: -1.0}]), "is -1"),
    "marginals in floats that do not sum to one": (
        lambda: Finite.product_of_floats([{0: 0.5, 1: 0.4}]),
        "sum to 1, but they sum to 0.9",
    ),
    "probabilities that do not sum to one": (lambda: Finite.table({(0,): "1/2"}), "sum to 1, but they sum to 0.5"),
    "two negative marginals": (lambda: Finite.product([{0: -1}, {0: -1}]), "record 0 must be at least 0"),
    "a marginal that does not sum to one": (lambda: Finite.product([{0: 1}, {0: "1/2"}]), "record 1 must be .* 0.5"),
    "no dataset": (lambda: Finite.table({}), "at least one dataset, but got none"),
    "datasets of different lengths": (lambda: Finite.table({(0,): "1/2", (0, 1): "1/2"}), "same number of records"),
    "more datasets than can be listed": (lambda: Finite.product_of_floats([{0: 0.5, 1: 0.5}] * 30), "At most 20000000"),
    "weights of a mixture below 0": (lambda: Finite.mixture([(2, BITS), (-1, BITS)]), "weights of at least 0"),
    "weights that do not sum to one": (lambda: Finite.mixture([("1/2", BITS)]), "sum to 0.5"),
    "a chain whose rows do not sum to one": (lambda: Finite.chain({0: 1}, {0: {0: "1/2"}}, 2), "after 0 must"),
    "a chain that starts nowhere": (lambda: Finite.chain({0: "1/2"}, {0: {0: 1}}, 2), "the first record"),
    "a chain that leaves its states": (lambda: Finite.chain({0: 1}, {0: {1: 1}}, 3), "none for 1"),
    "a chain of no records": (lambda: Finite.chain({0: 1}, {0: {0: 1}}, 0), "at least one record"),
    "an impossible fact": (lambda: BITS.constrained(lambda row: sum(row) > 2), "holds impossible"),
    "marks for other datasets": (lambda: BITS.given(np.array([True])), "a mark for each of 4 datasets"),
    "a record that does not exist": (lambda: BITS.record_is(2, 0), "records 0 to 1, but got 2"),
    "an unknown dataset": (lambda: BITS.weighed_by(listed((0, 1, 2), (0, 1))), "is not one of them. List it here"),
    "rows that do not sum to one": (lambda: FiniteMechanism.matrix([["1/2", "1/4"]]), "row 0 sums to 0.75"),
    "a negative row": (lambda: FiniteMechanism.matrix([["3/2", "-1/2"]]), "its least is -0.5"),
    "a row that is not a number": (lambda: FiniteMechanism.matrix([[math.nan, 1]]), "finite number, but got nan"),
    "rows of different lengths": (lambda: FiniteMechanism.matrix([[1, 0], [1]]), "2 probabilities.* row 1 has 1"),
    "no rows": (lambda: FiniteMechanism.matrix([]), "a row for each dataset"),
    "the same output twice": (lambda: FiniteMechanism.matrix([["1/2", "1/2"]], ("a", "a")), "outputs that differ"),
    "a law without outputs": (lambda: FiniteMechanism.random(lambda _: {}, BITS), "row 0 sums to 0"),
    "float rows that do not sum to one": (
        lambda: FiniteMechanism((0, 1), np.zeros(4, dtype=np.int64), np.array([[0.5, 0.4]])),
        "row 0 sums to 0.9",
    ),
    "float rows that are not numbers": (
        lambda: FiniteMechanism((0, 1), np.zeros(4, dtype=np.int64), np.array([[math.nan, 1.0]])),
        "row 0 sums to nan",
    ),
    "a state without a row": (lambda: FiniteMechanism((0, 1), np.array([0, 2])), "one of 2 states, but got 0 to 2"),
    "a mechanism on another world": (
        lambda: FiniteMechanism.of(sum, listed((0, 1))).law(BITS, np.full(4, fill_value=True)),
        "on the 4 datasets of the belief",
    ),
    "overlapping secrets": (
        lambda: Pufferfish(((record([1, 1, 0, 0]), record([0, 1, 1, 0])),), (BITS,)),
        "exclude each other.* Use one secret and the negation",
    ),
    "no scenario": (lambda: Pufferfish(value_pairs(BITS), ()), "List the beliefs to protect against"),
    "no pair": (lambda: Pufferfish((), (BITS,)), "at least one discriminative pair"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused(name):
    make, said = CASES[name]
    with pytest.raises(InputError, match=said):
        make()


def test_an_impossible_secret_is_skipped_and_named():
    certain = restricted(BITS, BITS.record_is(0, 1))
    definition = Pufferfish(value_pairs(BITS), (BITS, certain))
    found = definition.epsilon(FiniteMechanism.matrix([["1/2", "1/2"]] * 4))
    assert [(skip.scenario, skip.impossible) for skip in found.skipped] == [(1, ("record 0 = 0",))]
    assert "1 pair skipped" in str(found)
    assert found.value.upper == 0 and found.odds.prior == Fraction(1)
