"""Public counts from a file beside the specification: a value, how often it occurred, and the public columns."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dalenius.errors import SpecError
from dalenius.records import Cell, Column, Label
from dalenius.spec.values import value_of

LARGEST = 50_000_000  # bytes
LONGEST = 18  # digits of a count


def read_text(path: Path, what: str) -> str:
    """The text of a file of public counts."""
    try:
        if path.stat().st_size > LARGEST:
            raise SpecError(f"{what} needs a file of at most {LARGEST} bytes, but {path} is larger. Add counts up.")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError(
            f"{what} needs the file {path}, but there is none. Check the path; it is relative to the specification."
        ) from None
    except (OSError, UnicodeDecodeError):
        raise SpecError(
            f"{what} needs a CSV file in UTF-8, but {path} cannot be read as text. Save it as UTF-8."
        ) from None


def public_counts(
    text: str, name: str, column: Column, by: Sequence[str], public: Mapping[str, Column], what: str
) -> dict[Cell, dict[Any, int]]:
    """How often each value occurred, for each cell of the public columns; values that are not listed did not occur.

    The header names the column (or says "value"), "count", and the public columns, in any order.
    """
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in ";\t" if sign in first and "," not in first), ",")
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    places = _header(next(rows, []), name, by, what)
    found: dict[Cell, dict[Label | Any, int]] = {}
    for number, row in enumerate(rows, start=2):
        if not any(field.strip() for field in row):
            continue
        if len(row) != len(places):
            raise SpecError(f"{what}: line {number} needs {len(places)} fields, but has {len(row)}. Correct it.")
        fields = dict(zip(places, (field.strip() for field in row), strict=True))
        line = f"{what}, line {number}"
        cell = tuple(value_of(key, fields[key], public[key], line) for key in by)
        value = value_of(name, fields["value"], column, line)
        counts = found.setdefault(cell, {})
        if value in counts:
            raise SpecError(f"{line}: {fields['value']} stands there twice. Add the counts up.")
        counts[value] = _count(fields["count"], line)
    if not found:
        raise SpecError(f"{what} needs at least one line of counts, but the file has none. Add them.")
    return found


def _header(given: Sequence[str], name: str, by: Sequence[str], what: str) -> list[str]:
    names = [field.strip() for field in given]
    needed = [*by, name, "count"]
    if not any(names):
        raise SpecError(f"{what} needs a CSV file with the header {','.join(needed)}, but the file is empty. Fill it.")
    places = ["value" if field == name else field for field in names]
    wanted = (*by, "value", "count")
    missing = [name if field == "value" else field for field in wanted if field not in places]
    more = next((field for field in places if field not in wanted), None)
    if missing:
        instead = f" (there is {more!r})" if more is not None else ""
        raise SpecError(
            f"{what} needs the columns {', '.join(needed)}, but {missing[0]!r} is missing{instead}. Add it, or "
            "rename the column that holds it."
        )
    for field in dict.fromkeys(places):
        if field not in wanted:
            raise SpecError(f"{what} needs the columns {', '.join(needed)}, but the file has {field!r} too. Remove it.")
        if places.count(field) > 1:
            raise SpecError(f"{what} needs each column once, but the file has {field!r} twice. Remove one.")
    return places


def _count(given: str, line: str) -> int:
    if not given.isascii() or not given.isdecimal() or len(given) > LONGEST:
        came = given or "nothing"
        raise SpecError(f"{line}: a count needs a whole number of at least 0, but got {came}. Correct it.")
    return int(given)
