"""A column of numbers as indices on its declared lattice, computed inside the engine.

Whole numbers use integer arithmetic. Everything else (text, decimals, floating point) is divided by the unit and
rounded, and is a multiple of the unit if it was one to within a relative `TOLERANCE`: one tenth in a CSV file is a
multiple of 0.1, and 0.15 is not. Figures are computed from the indices, so what was rounded away never reaches one.
Indices are clamped to the bounds, so that no row that gets past `check` can overflow or weigh more than declared.
"""

from dataclasses import dataclass
from math import ceil, floor
from typing import final

from dalenius.basics.errors import DataError
from dalenius.data.source import Expr
from dalenius.data.wording import shown_number
from dalenius.facts.records import Numbers

TOLERANCE = {"float32": 2.0**-22}
TOLERANCE_OF_DOUBLES = 2.0**-46
# Up to 1e308 in every way of writing it that stays there: PostgreSQL fails on texts beyond the doubles.
LONG = "([0-9]{1,200}([.][0-9]{0,200})?|[.][0-9]{1,200})([eE][+-]?[0-9]{1,2})?"
FAR = "([0-9]{1,8}([.][0-9]{0,8})?|[.][0-9]{1,8})[eE][+-]?([12][0-9]{2}|300)"
NUMBER = f"^ *([+-]?({LONG}|{FAR}|[iI][nN][fF])|[nN][aA][nN]) *$"
LARGEST_FINITE = 1e308
EXACT_PRODUCT = 2**62
EXACT_DIVISION = 2**53  # Ibis divides whole numbers as doubles on DuckDB


@final
@dataclass(frozen=True, slots=True)
class TableLattice:
    """The index of each row, and four ways in which a row may have none (or None, if its type excludes that)."""

    index: Expr
    not_a_number: Expr | None
    not_finite: Expr | None
    outside: Expr
    between: Expr | None


def last(numbers: Numbers) -> int:
    """The upper bound in units."""
    return numbers.first + numbers.steps - 1


def reach(numbers: Numbers) -> int:
    """The greatest magnitude that a value may have, in units."""
    return max(abs(numbers.first), abs(last(numbers)))


def lattice(raw: Expr, numbers: Numbers, *, name: str) -> TableLattice:
    """The lattice indices of a column, whatever type it is stored in; DataError if that is not a type of numbers."""
    kind = raw.type()
    if kind.is_string():
        value = _read(raw)
        return _rounded(value, numbers, name=name, tolerance=TOLERANCE_OF_DOUBLES, not_a_number=value.isnull())
    if kind.is_integer() and not kind.is_uint64():
        return _whole(raw.cast("int64"), numbers, name=name)
    if kind.is_numeric() and not kind.is_boolean():
        tolerance = TOLERANCE.get(str(kind.copy(nullable=True)), TOLERANCE_OF_DOUBLES)
        return _rounded(raw.cast("float64"), numbers, name=name, tolerance=tolerance, not_a_number=None)
    raise DataError(
        f"Column {name!r} must hold numbers, but its type is {str(kind).lstrip('!')}. "
        "Convert it, or declare the column by its domain of labels."
    )


def number(raw: Expr, *, name: str) -> Expr:
    """A column as floating-point numbers, missing where there is none; DataError if it is no type of numbers."""
    kind = raw.type()
    if kind.is_string():
        return _read(raw)
    if kind.is_numeric() and not kind.is_boolean():
        return raw.cast("float64")
    raise DataError(
        f"Column {name!r} must hold numbers, but its type is {str(kind).lstrip('!')}. "
        "Convert it, or declare the column by its domain of labels."
    )


def _read(raw: Expr) -> Expr:
    """Text as a number, or missing if it is none: by one pattern, since engines disagree on what else is one."""
    return raw.re_search(NUMBER).ifelse(raw, None).cast("float64")


def _whole(value: Expr, numbers: Numbers, *, name: str) -> TableLattice:
    """Value / unit = value * steps / per in lowest terms, so it is whole if and only if per divides the value."""
    steps, per = numbers.unit.denominator, numbers.unit.numerator
    low, high = ceil(numbers.lower), floor(numbers.upper)
    if max(abs(low), abs(high)) * steps >= (EXACT_PRODUCT if per == 1 else EXACT_DIVISION):
        raise _too_large(numbers, name=name, stored="64-bit integers")
    if numbers.rounded and per > 1:
        if 4 * (max(abs(low), abs(high)) + per) * steps >= EXACT_DIVISION:
            raise _too_large(numbers, name=name, stored="64-bit integers")
        return _nearest(value, numbers)
    clamped = value.clip(low, high)
    index = clamped * steps if per == 1 else (clamped - clamped % per) // per * steps
    outside = (value < low) | (value > high)
    return TableLattice(index, None, None, outside, None if per == 1 else ~outside & (value % per != 0))


def _nearest(value: Expr, numbers: Numbers) -> TableLattice:
    """Whole numbers, rounded to multiples of a unit of at least two; halves go up, as everywhere. Twice the value plus
    the unit is a multiple of twice the unit from there on: whole numbers all the way.
    """
    per, steps = numbers.unit.numerator, numbers.unit.denominator
    low, high = 2 * numbers.first * per - per, 2 * last(numbers) * per + per  # twice the ends, less and plus the unit
    least, most = -(-low // (2 * steps)), -(-high // (2 * steps)) - 1  # of the values themselves
    outside = (value < least) | (value > most)
    from_least = 2 * steps * value.clip(least, most) - low  # no value is doubled before it is within
    index = (from_least - from_least % (2 * per)) // (2 * per) + numbers.first
    return TableLattice(index, None, None, outside, None)


def _rounded(value: Expr, numbers: Numbers, *, name: str, tolerance: float, not_a_number: Expr | None) -> TableLattice:
    if (reach(numbers) + 1) * tolerance >= 1 / 4:
        raise _too_large(numbers, name=name, stored="floating-point numbers")
    quotient = value / float(numbers.unit)
    not_finite = value.isnan() | (value.abs() > LARGEST_FINITE)
    if numbers.rounded:
        first, beyond = numbers.first - 0.5, last(numbers) + 0.5
        index = (quotient + 0.5).clip(numbers.first, last(numbers)).floor().cast("int64")
        outside = ~not_finite & ((quotient < first) | (quotient >= beyond))
        return TableLattice(index, not_a_number, not_finite, outside, None)
    index = quotient.clip(numbers.first, last(numbers)).round().cast("int64")
    outside = ~not_finite & ~quotient.between(numbers.first - 0.5, last(numbers) + 0.5)
    between = ~not_finite & ~outside & ((quotient - index).abs() > (quotient.abs() + 1) * tolerance)
    return TableLattice(index, not_a_number, not_finite, outside, between)


def _too_large(numbers: Numbers, *, name: str, stored: str) -> DataError:
    return DataError(
        f"Column {name!r} must keep every multiple of {shown_number(numbers.unit)} from {shown_number(numbers.lower)} "
        f"to {shown_number(numbers.upper)} apart, but it is stored as {stored}, which cannot. "
        "Declare a coarser unit or bounds nearer to zero, or store the column as a wider type of number."
    )
