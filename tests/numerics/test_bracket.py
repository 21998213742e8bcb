"""Brackets print outwards, and answer comparisons with yes, no or perhaps."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import apart, at_least, at_most

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


close = st.builds(lambda a, steps: a * (1 + steps * 2.0**-50), st.floats(1e-12, 1e6), st.integers(-40, 40))


@given(number=close, other=close, scale=st.sampled_from([1, 3, 10**9 + 7]))
def test_what_is_read_is_on_the_side_of_the_other_number_that_it_is_on(number: float, other: float, scale: int) -> None:
    wanted = Fraction(other) + Fraction(1, scale * 10**20)
    up, down = Fraction(at_most(number, wanted)), Fraction(at_least(number, wanted))
    assert down <= Fraction(number) <= up
    assert (up > wanted) == (down > wanted) == (number > wanted)
    low, high = read(Bracket(number, number).beside(wanted))
    assert (low > wanted) == (high > wanted) == (number > wanted)


def test_no_more_digits_than_it_takes() -> None:
    assert at_most(1.23456e-7, Fraction("1e-6")) == at_most(1.23456e-7) == "1.235e-7"
    assert at_most(9.99901e-7, Fraction("9.9995e-7")) == "9.9991e-7"
    assert at_least(1.0000001e-6, Fraction("1e-6")) == "1.0000001e-6"
    assert str(Bracket(1.0000001e-6, 2e-6)) == "[1e-6, 2e-6]"
    assert Bracket(1.0000001e-6, 2e-6).beside(Fraction("1e-6")) == "[1.0000001e-6, 2e-6]"


@given(a=st.fractions(0, 10, max_denominator=10**6), off=st.integers(-5, 5), digits=st.integers(1, 30))
def test_two_numbers_that_differ_are_told_apart(a: Fraction, off: int, digits: int) -> None:
    """Each of them as it is printed lies on the side of the other that it lies on."""
    b = a + Fraction(off, 10**digits)
    one, other = apart(a, b), apart(b, a)
    assert one == other if a == b else (Fraction(one) < b) == (Fraction(other) > a) == (a < b)
    assert abs(Fraction(one) - a) <= abs(a) / 10**5


@pytest.mark.parametrize(
    ("number", "limit", "told"),
    [
        (Fraction("0.5000001"), Fraction(1, 2), "0.5000001"),
        (Fraction(1, 2), Fraction(1, 2), "0.5"),
        (3 * Fraction("0.3333333333333333"), 1, "0.9999999999999999"),
        (Fraction(-1, 10**30), 0, "-1e-30"),
        (1 - Fraction(1, 10**60), 1, "1 - 1e-60"),
    ],
)
def test_enough_digits_to_differ(number: Fraction, limit: Fraction, told: str) -> None:
    assert apart(number, limit) == told
