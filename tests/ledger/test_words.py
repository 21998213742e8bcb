"""Whatever a specification can say comes back from the ledger as it was; equal meanings have equal texts."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.mechanisms import Chain, Rounded, discrete_gaussian, rounded_gaussian, two_sided_geometric
from dalenius.record import codec
from dalenius.record.codec import canonical
from dalenius.record.ledger.meaning import meaning
from dalenius.tables.figures import ColumnBelief, Figure

fractions = st.fractions(min_value=-1000, max_value=1000, max_denominator=50)
labels = st.text(max_size=3) | st.integers(-5, 5) | st.booleans()
values = labels | fractions
scales = st.fractions(min_value=Fraction(1, 8), max_value=100, max_denominator=16)
links = (
    st.builds(Rounded, st.integers(1, 9))
    | scales.map(two_sided_geometric)
    | scales.map(discrete_gaussian)
    | scales.map(rounded_gaussian)
)
tests = st.builds(OneOf, st.lists(values, min_size=1, max_size=3).map(tuple)) | st.builds(
    Between, st.none() | fractions, st.none() | fractions
)
wheres = st.lists(st.tuples(st.sampled_from("abc"), tests), max_size=3).map(lambda items: Where(tuple(items)))
figures = st.builds(
    Figure,
    st.text(min_size=1, max_size=5),
    st.just("sum"),
    st.just("income"),
    wheres,
    st.lists(st.sampled_from("xyz"), unique=True).map(tuple),
    st.lists(links, max_size=2).map(lambda some: Chain(tuple(some))),
)
marginals = st.lists(st.tuples(values, fractions), max_size=8).map(tuple)
tables = st.dictionaries(st.tuples(labels.filter(lambda v: not isinstance(v, bool))), marginals, max_size=3)
beliefs = st.builds(
    ColumnBelief,
    st.just("income"),
    tables,
    st.text(max_size=5),
    st.just(("x",)),
    st.booleans(),
    st.none() | tables,
    st.none() | fractions,
)


def typed(value: object) -> str:
    """True is not 1 here."""
    return repr(value)


@pytest.mark.slow
@settings(max_examples=40)
@given(figures)
def test_figures_come_back(figure):
    text = canonical(codec.figure_json(figure))
    again = codec.figure_of(codec.figure_json(figure))
    assert again == figure and typed(again) == typed(figure)
    assert canonical(codec.figure_json(again)) == text


@pytest.mark.slow
@settings(max_examples=40)
@given(beliefs)
def test_beliefs_come_back(belief):
    again = codec.belief_of(codec.belief_json(belief))
    assert typed(again) == typed(belief)


@pytest.mark.slow
def test_a_wide_range_is_one_item():
    marginal = tuple((Fraction(value), Fraction(1, 10_000)) for value in range(0, 100_000, 10))
    belief = ColumnBelief("income", {(): marginal}, "tax tables")
    found = codec.belief_json(belief)
    assert len(canonical(found)) < 300
    assert codec.belief_of(found) == belief


def test_columns_come_back():
    for column in (Numbers(Fraction(1, 3), Fraction(-1), Fraction(5)), Categories(("a", 1, False, "1"))):
        assert typed(codec.column_of(codec.column_json(column))) == typed(column)


def test_meaning_is_whatever_the_order_and_the_name():
    first = Figure("a", "count", None, Where((("x", OneOf(("b", "a"))), ("y", Between(Fraction(1))))), ("s", "t"))
    second = Figure("b", "count", None, Where((("y", Between(Fraction(1))), ("x", OneOf(("a", "b"))))), ("t", "s"))
    assert meaning(first) == meaning(second)
    others = [
        Figure("a", "count", None, Where((("x", OneOf(("b",))), ("y", Between(Fraction(1))))), ("s", "t")),
        Figure("a", "count", None, Where((("x", OneOf(("b", "a"))), ("y", Between(Fraction(1))))), ("s",)),
        Figure("a", "sum", "z", Where((("x", OneOf(("b", "a"))), ("y", Between(Fraction(1))))), ("s", "t")),
        Figure("a", "count", None, first.where, ("s", "t"), Chain((Rounded(5),))),
    ]
    assert len({meaning(figure) for figure in [first, *others]}) == 5


def test_a_truncated_sum_is_another_figure():
    whole = Figure("x", "sum", "income")
    cut = Figure("x", "sum", "income", truncated=(Fraction(0), Fraction(5)))
    assert meaning(whole) != meaning(cut)
    assert meaning(codec.figure_of(codec.figure_json(cut))) == meaning(cut)
