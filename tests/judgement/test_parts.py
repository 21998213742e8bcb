"""Figures about independent columns: whether they pass is found without composing where that is clear."""

from fractions import Fraction

import pytest

from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, DiscreteGaussian
from dalenius.numerics.curve import Constant, Enclosed
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import atoms_of

NAMES = ("u", "v", "w")
FIGURES = tuple(Figure(name, "count", None, Where(((name, OneOf(("yes",))),))) for name in NAMES)


def docket(rate: str, n: int, epsilon: str, delta: Fraction) -> Docket:
    law = (("no", 1 - Fraction(rate)), ("yes", Fraction(rate)))
    beliefs = tuple(ColumnBelief(name, {(): law}, "test") for name in NAMES)
    columns = dict.fromkeys(NAMES, Categories(("no", "yes")))
    return Docket.of(columns, beliefs, Frame((), {(): n}), Value(), Fraction(epsilon), delta)


@pytest.mark.slow
@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("epsilon", ["0", "1/5", "1"])
@pytest.mark.parametrize(("n", "rate"), [(40, "1/2"), (300, "1/10")])
def test_it_passes_where_the_composed_delta_is_small_enough(n, rate, epsilon, parts):
    (atom,) = atoms_of(FIGURES[:parts], Frame((), {(): n}), dict.fromkeys(NAMES, Categories(("no", "yes"))))
    whole = docket(rate, n, epsilon, Fraction(0)).atom(atom, 1, alone=False).delta
    one = docket(rate, n, epsilon, Fraction(0)).single(atom, FIGURES[0], 1, alone=False).delta
    sure = [Fraction(whole.upper), 2 * Fraction(whole.upper), Fraction(1)]
    never = [Fraction(whole.upper) * Fraction(9, 10), Fraction(one.upper) * Fraction(9, 10)]
    assert 0 < one.upper < whole.upper
    assert all(docket(rate, n, epsilon, delta).passes(atom, 1, alone=False) for delta in sure)
    assert not any(docket(rate, n, epsilon, delta).passes(atom, 1, alone=False) for delta in never)


def test_parts_count_with_their_upper_bounds():
    whole = docket("1/2", 40, "1", Fraction(0)).judge._simply([Enclosed(Constant(0.125), Constant(0.25))] * 2)
    assert whole == Fraction(1, 2)


def test_normal_noise_on_different_figures_is_not_one_figure_with_less_noise():
    """A person moves the count by one and the sum by three: noise that nearly hides the first does not hide both."""
    noise, half = Chain((DiscreteGaussian(Fraction(1)),)), Fraction(1, 2)
    count = Figure("a", "count", None, Where((("u", OneOf(("yes",))),)), (), noise)
    columns = {"u": Categories(("no", "yes")), "w": Numbers(Fraction(1), Fraction(0), Fraction(3))}
    beliefs = (
        ColumnBelief("u", {(): (("no", half), ("yes", half))}, "test"),
        ColumnBelief("w", {(): ((Fraction(0), half), (Fraction(3), half))}, "test"),
    )
    frame = Frame((), {(): 1})
    by = Docket.of(columns, beliefs, frame, Value(), Fraction(1), Fraction(1, 10))
    (atom,) = atoms_of((count, Figure("b", "sum", "w", Where(), (), noise)), frame, columns)
    assert by.single(atom, count, 0, alone=False).delta.upper < 0.2
    assert by.atom(atom, 0, alone=False).delta.upper > 0.6  # the sum by itself: 3 against 0, with noise of scale 1


def test_a_sum_that_is_repeated_with_noise_counts_with_its_upper_bound():
    """Laws that are only known in part: what is certain of one figure is certain of two of them."""
    noise, half = Chain((DiscreteGaussian(Fraction(2)),)), Fraction(1, 2)
    law = (("no", half), ("yes", half))
    belief = ColumnBelief("u", {(): law}, "test", least={(): tuple((value, chance / 2) for value, chance in law)})
    frame, columns = Frame((), {(): 30}), {"u": Categories(("no", "yes"))}
    two = tuple(Figure(name, "count", None, Where((("u", OneOf(("yes",))),)), (), noise) for name in "ab")
    by = Docket.of(columns, (belief,), frame, Value(), Fraction(1, 2), Fraction(1, 1000))
    (atom,) = atoms_of(two, frame, columns)
    one = by.single(atom, two[0], 0, alone=True).delta
    assert one.lower < 0.8 * one.upper <= by.atom(atom, 0, alone=False).delta.upper
