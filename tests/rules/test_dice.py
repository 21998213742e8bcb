"""Rules with dice: prices against all outcomes, and tables that are designed."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.basics.errors import InputError
from dalenius.plan.rules import CellKeys, Fixed, Midpoint, RandomRounding, Then, averaged, design, price

F = Fraction


def worst(rule, epsilon: float, counts: int, draws: int = 1) -> float:
    """Over all neighbouring counts up to a number, both ways; all outcomes of so many draws listed."""
    found, factor = 0.0, math.exp(epsilon)
    for some in product(range(counts), repeat=draws):
        for way in (0, 1):
            one = [rule.law(count + way) for count in some]
            other = [rule.law(count + 1 - way) for count in some]
            excess = 0.0
            for outcome in product(*one):
                p = math.prod(float(law[value]) for law, value in zip(one, outcome, strict=True))
                q = math.prod(float(law.get(value, 0)) for law, value in zip(other, outcome, strict=True))
                excess += max(0.0, p - factor * q)
            found = max(found, excess)
    return found


@st.composite
def tables(draw):
    """Cell keys of up to eight counts, whose last one to three rows are used again."""
    last = draw(st.integers(3, 8))
    rows = {}
    for count in range(1, last + 1):
        steps = draw(st.lists(st.integers(-min(count, 2), 2), min_size=1, max_size=4))
        rows[count] = {step: F(steps.count(step), len(steps)) for step in set(steps)}
    return CellKeys(rows, draw(st.integers(1, 3)), draw(st.sampled_from([0, 0, 3])))


@given(rule=tables() | st.builds(RandomRounding, st.integers(2, 6)), epsilon=st.sampled_from([0.25, 1.0, 2.0]))
@settings(max_examples=examples(20))
def test_a_price_is_the_worst_over_all_counts(rule, epsilon) -> None:
    found = price(rule, epsilon=F(epsilon)).delta
    truth = worst(rule, epsilon, 40)
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert found.upper - found.lower < 1e-9


@given(
    first=tables() | st.builds(Fixed, st.integers(1, 5), st.integers(1, 4)),
    second=st.builds(RandomRounding, st.integers(2, 5)) | st.builds(Fixed, st.integers(1, 5), st.integers(1, 4)),
    epsilon=st.sampled_from([0.25, 1.0]),
)
@settings(max_examples=examples(15))
def test_one_rule_after_another(first, second, epsilon) -> None:
    found = price(Then(first, second), epsilon=F(epsilon)).delta
    assert abs(found.upper - worst(Then(first, second), epsilon, 80)) < 1e-9


@pytest.mark.parametrize("draws", [2, 3])
def test_several_cells_compose(draws) -> None:
    rows = {1: {-1: F(1, 3), 0: F(1, 3), 1: F(1, 3)}, 2: {-2: F(1, 8), -1: F(1, 4), 0: F(3, 8), 1: F(1, 8), 2: F(1, 8)}}
    rule = CellKeys({**rows, 3: rows[2]}, 1)
    found = price(rule, epsilon=F(1), cells=draws).delta
    truth = worst(rule, 1.0, 4, draws)
    assert found.lower - 1e-9 <= truth <= found.upper + 1e-9
    again = price(rule, epsilon=F(1), cells=1, times=draws)
    assert again.delta.upper == found.upper
    assert price(rule, epsilon=F(1), times=draws, repeated="keyed").delta == price(rule, epsilon=F(1)).delta


def entropy_table_row(reach: int, variance: float) -> np.ndarray:
    """The law of largest entropy with steps of up to `reach`, without bias, of this variance."""
    steps = np.arange(-reach, reach + 1)
    low, high = -20.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        weights = np.exp(middle * (steps**2 - reach**2) if middle > 0 else middle * steps**2)
        low, high = (low, middle) if (weights / weights.sum()) @ steps**2 > variance else (middle, high)
    return weights / weights.sum()


def entropy_variance(reach: int, epsilon: float, delta: float) -> float:
    """The least variance at which the law of largest entropy keeps δ, among large counts."""
    for variance in np.linspace(0.3, reach * (reach + 1) / 3, 400):
        one = np.append(entropy_table_row(reach, variance), 0.0)
        other = np.roll(one, 1)
        if np.maximum(one - math.exp(epsilon) * other, 0).sum() <= delta:
            return float(variance)
    return math.inf


@pytest.mark.parametrize(("reach", "delta"), [(5, "0.05"), (8, "0.01")])
def test_a_designed_table_keeps_delta_with_a_fifth_less_variance_than_the_one_of_largest_entropy(reach, delta) -> None:
    for zeros in (False, True):
        found = design(epsilon=F(1), delta=F(delta), reach=reach, zeros=zeros)
        assert found.worth.delta.certainly_at_most(F(delta))
        assert worst(found.table, 1.0, 3 * reach + 5) <= float(F(delta)) + 1e-9
        assert float(found.variance) <= 0.8 * entropy_variance(reach, 1.0, float(F(delta)))
        rows = found.table.rows
        unbiased = [max(rows)] if zeros else [count for count in rows if count]
        assert all(sum(step * chance for step, chance in rows[count].items()) == 0 for count in unbiased)
        assert not zeros or rows[0] == {0: 1}


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(InputError, match="Allow larger steps"):
        design(epsilon=F(1), delta=F("0.001"), reach=3)


def test_midpoints() -> None:
    codes = Midpoint(6).codes(np.arange(20))
    told = [Midpoint(6).told(count) for count in range(20)]
    assert [told.index(one) for one in told] == [int(np.flatnonzero(codes == code)[0]) for code in codes]


def test_averages_find_the_count() -> None:
    rule = RandomRounding(2)
    # of three answers about 5 (4 or 6 alike) the mean is within a half where they are not all alike
    assert averaged(rule, 5, 3) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (f"pcv,ckey,pvalue\n{'1' * 200_000},0,0\n", "pcv, ckey and pvalue"),
        ("pcv,ckey,pvalue\n1,0,0\n1000000000,0,0\n", "at most 10000"),
        (f"pcv,ckey,pvalue\n1,0,{'9' * 400}\n", "at most 10000"),
        (f"pcv,ckey,pvalue\n1,0,-{'9' * 400}\n", "at most 10000"),
    ],
)
def test_numbers_and_fields_of_a_table_have_limits(tmp_path, content: str, told: str) -> None:
    file = tmp_path / "table.csv"
    file.write_text(content)
    with pytest.raises(InputError, match=told):
        CellKeys.read(file, again=1)


def test_what_has_no_end_is_not_read_as_a_table() -> None:
    with pytest.raises(InputError, match="a device or a pipe"):
        CellKeys.read("/dev/null")  # as /dev/zero, which would take all memory


def test_a_table_that_is_none_is_refused(tmp_path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="pcv, ckey and pvalue"):
        CellKeys.read(file)
    file.write_text("\ufeffpcv,ckey,pvalue\n1,0,-1\n1,1,0\n2,0,0\n2,1,1\n", encoding="utf-8")
    rule = CellKeys.read(file, again=1, least=0)
    assert rule.law(1) == {0: F(1, 2), 1: F(1, 2)}
    assert rule.law(7) == {7: F(1, 2), 8: F(1, 2)}
