"""The bound by coins inside records: above the truth on small worlds, and above its own formula in balls, closely."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.beliefs.crowd import crowd_of
from dalenius.beliefs.worst import AsItIs, WorstCurve
from dalenius.facts.secret import Value, pairs
from dalenius.numerics.overlap import HOPS, WIDEST, coin_bound, overlap_table, table_of
from oracle import balls, strategies
from oracle.noiseless import Problem, worst_delta

F = Fraction


@pytest.mark.slow
@given(
    laws=st.lists(strategies.laws(max_size=4), min_size=1, max_size=2),
    counts=st.lists(st.integers(1, 3), min_size=2, max_size=2),
    known=st.integers(0, 2),
    epsilon=st.sampled_from([F(1, 10), F(1, 2), F(1), F(2), F(5)]),
)
@settings(max_examples=25)
def test_the_rough_bound_is_above_the_worst_delta(
    laws: list[dict[int, Fraction]], counts: list[int], known: int, epsilon: Fraction
) -> None:
    people = [law for law, count in zip(laws, counts, strict=False) for _ in range(count)]
    if known > len(people) - 1:
        return
    domain = sorted({value for law in laws for value in law})
    curve = WorstCurve(crowd_of(laws, counts[: len(laws)]), tuple(pairs(Value(), domain)), AsItIs(), known)
    truth = worst_delta(Problem(people, domain, known=known), epsilon).delta if len(domain) > 1 else arb(0)
    assert balls.lower(truth) <= F(curve.roughly(epsilon))


@pytest.mark.parametrize("count", [40, 400])
@pytest.mark.parametrize("law", [{0: F(1, 2), 1: F(1, 2)}, {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}])
def test_the_rough_bound_is_above_the_curve_and_below_a_few_times_it(law: dict[int, Fraction], count: int) -> None:
    """Fair coins: nothing is lost but what Chernoff's bound loses."""
    curve = WorstCurve(crowd_of([law], [count]), tuple(pairs(Value(), sorted(law))), AsItIs(), 0)
    for epsilon in (F(1, 2), F(1), F(2)):
        truth = curve.delta(epsilon)
        assert truth.upper <= curve.roughly(epsilon)
        if len(law) == 2 and truth.lower:
            assert math.log(curve.roughly(epsilon)) <= 0.8 * math.log(truth.lower) + 3


def test_a_long_move_is_two_hops() -> None:
    """From 0 to 97 there is hardly a coin; of 48 and of 49 there are many."""
    values, chances = np.arange(101), np.full((1, 101), 1 / 101)
    table = overlap_table(values, chances, (97,))
    assert table is not None
    for rows in table[0]:
        assert rows[0, 0] == pytest.approx(8 / 101)
    assert all(rows[0, 0] > 0.6 for hops in table[1:] for rows in hops)
    few = (table[0],) * len(HOPS)
    assert coin_bound(table, np.array([10_000]), 1, F(1, 2)) < 1e-12 < coin_bound(few, np.array([10_000]), 1, F(1, 2))


def test_a_short_move_is_one_hop() -> None:
    table = table_of(lambda step: np.array([0.5]), (1, 2), 1)
    assert [rows[0, 0] for rows in table[1]] == [0.0, 0.0]
    assert [rows[1, 0] for rows in table[1]] == [0.5, 0.5]


@balls.precise
def formula(weights: dict[int, list[float]], counts: list[int], removed: int, epsilon: Fraction) -> arb:
    """The product over the records that are left, for one move; the best number of hops."""
    found = []
    for part, row in weights.items():
        at = balls.ball(epsilon) / part
        p, rest = 1 / (1 + (-at).exp()), 1 / (1 + at.exp())
        kappa = arb(2).log() + p * p.log() + rest * rest.log()
        order = sorted(range(len(row)), key=lambda t: -row[t])
        left, gone = dict(enumerate(counts)), removed
        for t in order:
            taken = min(gone, left[t])
            left[t], gone = left[t] - taken, gone - taken
        logs = sum((left[t] * (1 - balls.ball(F(row[t])) * (1 - (-kappa).exp())).log() for t in left), arb(0))
        found.append(part * (at * (part - p) + logs).exp())
    return min(found, key=float)


@pytest.mark.slow
@given(
    rows=st.lists(st.lists(st.floats(1e-9, 1), min_size=2, max_size=2), min_size=len(HOPS), max_size=len(HOPS)),
    size=st.floats(0.01, 300),
    removed=st.integers(0, 5),
    epsilon=st.sampled_from([F(1, 10**4), F(1, 300), F(1, 10), F(1), F(7), F(13), F(19)]),
)
@settings(max_examples=60)
def test_the_bound_is_its_formula(rows: list[list[float]], size: float, removed: int, epsilon: Fraction) -> None:
    """At any number of records at which it is neither one nor nothing."""
    most = max(max(row) / part**2 for row, part in zip(rows, HOPS, strict=True))
    count = math.ceil(size / (most * min(0.7, float(epsilon) ** 2 / 8))) + 1
    table = tuple((np.array([row]), np.array([row])) for row in rows)
    truth = formula(dict(zip(HOPS, rows, strict=True)), [count, 3], removed, epsilon)
    found = coin_bound(table, np.array([count, 3]), removed, epsilon)
    assert min(balls.lower(truth), F(1)) <= F(found)
    assert found <= min(1.0, float(truth) * (1 + 1e-12 * (1 + count))) + 1e-299


@pytest.mark.parametrize("epsilon", [F(k, 7) for k in range(35, 139)])
def test_one_coin_that_hides_nearly_nothing(epsilon: Fraction) -> None:
    """Where hardly a coin is left, the last rounding counts."""
    for weight in (1e-4, 3e-3, 0.01):
        table = tuple((np.array([[weight * (hops == 1)]]),) * 2 for hops in HOPS)
        truth = formula({1: [weight]}, [1], 0, epsilon)
        assert min(balls.lower(truth), F(1)) <= F(coin_bound(table, np.array([1]), 0, epsilon))


def test_the_rarer_of_two_steps_counts() -> None:
    """A move in two hops, of one of which there are no coins."""
    none, many = np.zeros((1, 1)), np.ones((1, 1))
    table = tuple((many, none) if hops == 2 else (none, none) for hops in HOPS)
    assert coin_bound(table, np.array([10_000]), 0, F(1)) == 1.0


def test_so_many_coins_leave_nearly_nothing_but_something() -> None:
    table = table_of(lambda _: np.array([1.0]), (1,), 1)
    assert 0.0 < coin_bound(table, np.array([10**9]), 0, F(1)) <= 1e-299


def test_nobody_left_hides_nothing() -> None:
    table = table_of(lambda _: np.array([1.0]), (1,), 1)
    assert coin_bound(table, np.array([100]), 100, F(1)) == 1.0


def test_values_far_apart_are_not_looked_at() -> None:
    values = np.array([0, WIDEST + 1])
    assert overlap_table(values, np.array([[0.5, 0.5]]), (WIDEST + 1,)) is None
