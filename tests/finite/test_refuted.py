"""Statements that are false, about what is not built: small worlds that refute them, or the reason why they fail."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.definitions.coupled import distributional
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

HALF = Fraction(1, 2)
SIGNS = (-1, 1)


def test_neighbourhoods_of_dependence_do_not_bound_a_sum():
    """Noiseless, Fact 4 and Theorem 3: records e1, s e1, e2, s e2, ... with fair signs. Each record is independent of
    all but its partner together, and yet half of the time all of them cancel, however many there are.
    """
    for pairs in (2, 3):
        rows: dict[tuple[int, ...], Fraction] = {}
        for s, *signs in itertools.product(SIGNS, repeat=pairs + 1):
            row = tuple(value for e in signs for value in (e, s * e))
            rows[row] = rows.get(row, Fraction(0)) + Fraction(1, 2 ** (pairs + 1))
        belief = Finite.table(rows)
        for i in range(2 * pairs):
            others = [j for j in range(2 * pairs) if j // 2 != i // 2]
            for value in SIGNS:
                given = belief.given(belief.record_is(i, value))
                law = {}
                for row, chance in given.items():
                    key = tuple(row[j] for j in others)
                    law[key] = law.get(key, Fraction(0)) + chance
                whole = {}
                for row, chance in belief.items():
                    key = tuple(row[j] for j in others)
                    whole[key] = whole.get(key, Fraction(0)) + chance
                assert law == whole  # so that the hypothesis of the theorem holds
        zero = sum(chance for row, chance in belief.items() if sum(row) == 0)
        assert zero >= HALF
        variance = sum(chance * sum(row) ** 2 for row, chance in belief.items())
        assert variance == 2 * pairs


def test_knowing_one_of_each_pair_leaves_nothing_to_hide_in():
    """Noiseless, Theorem 5: equal pairs, and the attacker knows one of each but the target's. The unknown records have
    a large variance, but none given what is known, and the sum gives the target away.
    """
    belief = Finite.table({(a, b, b, c, c): Fraction(1, 8) for a, b, c in itertools.product(SIGNS, repeat=3)})
    unknown = sum(chance * (row[2] + row[4]) ** 2 for row, chance in belief.items())
    assert unknown == 2
    worlds = distributional([belief.knowing(lambda row: (row[1], row[3]))], records=[0]).worlds(sum)
    assert values_apart(worlds, epsilon=100).lower == 1


def test_windows_for_each_cell_do_not_bound_the_rest():
    """Pufferfish, Algorithm 2 (Theorem 7.2): five people in cells of probability 0.17, four times, and 0.32. The output
    "one in each of the four" is allowed to be exact; it says about a fifth-cell person e^-0.47, not e^-0.4.
    """
    shares = [Fraction(17, 100)] * 4 + [Fraction(32, 100)]
    target = Finite.product(
        [dict(enumerate(shares))] * 4
    )  # the four others, given that the person is in the fifth cell

    def one_each(row):
        return all(row.count(cell) == 1 for cell in range(4))

    with_person = FiniteMechanism.of(one_each, target)
    chance = sum(p for row, p in target.items() if one_each(row))
    assert len(with_person.outputs) == 2
    absent = math.factorial(5) * shares[0] ** 4 * shares[4]  # five others, if the person is not in the data
    assert chance / absent == Fraction(5, 8)
    golden = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())
    assert golden["pf_alg2_counterexample"]["smallest_n"]["ratio"] == pytest.approx(5 / 8)
    assert float(chance / absent) < math.exp(-0.4)
