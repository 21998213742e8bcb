"""Brackets print outwards, and answer comparisons with yes, no or perhaps."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.numerics.bracket import Bracket, at_most

numbers = st.floats(min_value=0.0, allow_nan=False, allow_infinity=False)
signed = st.floats(allow_nan=False, allow_infinity=False)


def read(text: str) -> tuple[Fraction, Fraction]:
    """The bracket that a reader takes from the print."""
    low, _, high = text.strip("[]").partition(", ")
    return Fraction(Decimal(low)), Fraction(Decimal(high or low))


@given(a=signed, b=signed)
def test_what_is_read_contains_what_was_certified(a: float, b: float) -> None:
    bracket = Bracket(min(a, b), max(a, b))
    low, high = read(str(bracket))
    assert low <= Fraction(bracket.lower) and Fraction(bracket.upper) <= high


@given(a=numbers.filter(bool), b=numbers.filter(bool))
def test_print_loses_less_than_one_unit_of_the_fourth_digit(a: float, b: float) -> None:
    bracket = Bracket(min(a, b), max(a, b))
    low, high = read(str(bracket))
    thousandth = Fraction(1, 1000)
    assert low >= Fraction(bracket.lower) * (1 - thousandth) and high <= Fraction(bracket.upper) * (1 + thousandth)


@given(number=numbers)
def test_at_most_is_never_below_the_number(number: float) -> None:
    printed = Fraction(Decimal(at_most(number)))
    assert Fraction(number) <= printed <= Fraction(number) * Fraction(1001, 1000)


def test_infinity_zero_and_single_numbers_print_as_such() -> None:
    assert str(Bracket(0.0, float("inf"))) == "[0, ∞]"
    assert str(Bracket(0.5, 0.5)) == "0.5"
    assert str(Bracket(9.9999, 9.9999)) == "[9.999, 10]"
    assert str(Bracket(1e-30, 1e-30)) in ("1e-30", "[9.999e-31, 1e-30]", "[1e-30, 1.001e-30]")


@given(a=numbers, b=numbers, target=st.fractions(min_value=0, max_value=10))
def test_comparison_has_three_answers_and_the_sure_ones_are_exact(a: float, b: float, target: Fraction) -> None:
    bracket = Bracket(min(a, b), max(a, b))
    below, above = bracket.certainly_at_most(target), bracket.certainly_above(target)
    assert below == (Fraction(bracket.upper) <= target)
    assert above == (Fraction(bracket.lower) > target)
    assert not (below and above)


def test_a_target_between_two_floats_is_told_from_both() -> None:
    """One tenth is less than the float 0.1: no rounding of the target may hide that."""
    tenth = Fraction(1, 10)
    assert not Bracket(0.1, 0.1).certainly_at_most(tenth)
    assert Bracket(0.1, 0.1).certainly_above(tenth)


@given(a=numbers, b=numbers, c=numbers, d=numbers)
def test_join_brackets_the_larger_number(a: float, b: float, c: float, d: float) -> None:
    first, second = Bracket(min(a, b), max(a, b)), Bracket(min(c, d), max(c, d))
    joined = first.join(second)
    for x in (first.lower, first.upper):
        for y in (second.lower, second.upper):
            assert joined.lower <= max(x, y) <= joined.upper
    assert joined.upper in (first.upper, second.upper)


@pytest.mark.parametrize(("lower", "upper"), [(1.0, 0.0), (float("nan"), 1.0), (0.0, float("nan"))])
def test_what_is_not_a_bracket_is_refused(lower: float, upper: float) -> None:
    with pytest.raises(InputError, match="lower ≤ upper"):
        Bracket(lower, upper)
