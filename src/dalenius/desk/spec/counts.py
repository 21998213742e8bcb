"""Public counts from a file beside the specification: a value, how often it occurred, and the public columns."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalenius.basics.errors import InputError, SpecError
from dalenius.basics.limits import LONGEST_COUNT
from dalenius.data.wording import shown_list
from dalenius.desk.spec.values import value_of
from dalenius.facts.records import Cell, Column, Label, Numbers


def public_counts(
    text: str, name: str, column: Column, by: Sequence[str], public: Mapping[str, Column], what: str
) -> dict[Cell, dict[Any, int]]:
    """How often each value occurred, for each cell of the public columns; values that are not listed did not occur.

    The header names the column (or says "value"), "count", and the public columns, in any order.
    """
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in ";\t" if sign in first and "," not in first), ",")
    rows = _rows(text, delimiter, what)
    places = _header(next(rows, []), name, by, what)
    found: dict[Cell, dict[Label | Any, int]] = {}
    for number, row in enumerate(rows, start=2):
        if not any(field.strip() for field in row):
            continue
        if len(row) != len(places):
            raise SpecError(f"{what}: line {number} needs {len(places)} fields, but has {len(row)}. Correct it.")
        fields = dict(zip(places, (field.strip() for field in row), strict=True))
        line = f"{what}, line {number}"
        cell = tuple(_value(key, fields[key], public[key], line) for key in by)
        value = _value(name, fields["value"], column, line)
        counts = found.setdefault(cell, {})
        if value in counts:
            raise SpecError(f"{line}: its value of {name} stands in a line above already. Add the counts up.")
        counts[value] = _count(fields["count"], line)
    if not found:
        raise SpecError(f"{what} needs at least one line of counts, but the file has none. Add them.")
    return found


def _rows(text: str, delimiter: str, what: str) -> Iterator[list[str]]:
    lines = csv.reader(io.StringIO(text), delimiter=delimiter)
    while True:
        try:
            row = next(lines, None)
        except csv.Error:  # a field of more than 131,072 characters, or a line break in a place of its own
            row, number = None, lines.line_num
        else:
            number = 0
        if number:
            raise SpecError(f"{what} needs a CSV file, but line {number} cannot be read as one. Correct it.")
        if row is None:
            return
        yield row


def _header(given: Sequence[str], name: str, by: Sequence[str], what: str) -> list[str]:
    names = [field.strip() for field in given]
    needed = [*by, name, "count"]
    if not any(names):
        raise SpecError(f"{what} needs a CSV file with the header {','.join(needed)}, but the file is empty. Fill it.")
    places = ["value" if field == name else field for field in names]
    wanted = (*by, "value", "count")
    missing = [name if field == "value" else field for field in wanted if field not in places]
    if missing:
        raise SpecError(
            f"{what} needs the columns {', '.join(needed)}, but {missing[0]!r} is missing: it is none of the "
            f"{len(names)} in the first line. Add it, or rename the column that holds it."
        )
    for field in wanted:
        if places.count(field) > 1:
            raise SpecError(f"{what} needs each column once, but the file has {field!r} twice. Remove one.")
    if len(places) > len(wanted):
        raise SpecError(
            f"{what} needs the columns {', '.join(needed)} and no others, but there are {len(names)}. Remove the rest."
        )
    return places


def _count(given: str, line: str) -> int:
    if not given.isascii() or not given.isdecimal() or len(given) > LONGEST_COUNT:
        came = "there is something else" if given else "there is nothing"
        raise SpecError(
            f"{line}: a count needs a whole number from 0, with at most {LONGEST_COUNT} digits, but {came}. Correct it."
        )
    return int(given)


def _value(name: str, given: str, column: Column, line: str) -> Label | Fraction:
    """The value of a column; the file may be another than was meant, so what stands in it is not repeated."""
    try:
        return value_of(name, given, column, line)
    except InputError:
        pass
    if isinstance(column, Numbers):
        needed = f"a multiple of {column.unit} from {column.lower} to {column.upper}"
    else:
        needed = f"one of {shown_list(column.values)}"
    raise SpecError(f"{line}: {name} needs {needed}, but there is something else. Correct it, or the domain.")
