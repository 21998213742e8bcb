"""Public counts from a file beside the specification, in the shapes in which such tables come.

*Long*: a line a combination, with `count`, or with `percent` and `base` (how many were counted). *Wide*: the values of
one column stand in the header, and counts below them; a column `total` is checked; if there is a column `base`, below
them are percentages of that.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, SpecError
from dalenius.basics.limits import LONGEST_COUNT
from dalenius.data.wording import shown_list
from dalenius.desk.spec.values import value_of
from dalenius.facts.records import Cell, Column, Label, Numbers

VALUE, COUNT, PERCENT, BASE, TOTAL = "value", "count", "percent", "base", "total"
Line: TypeAlias = tuple[Mapping[str, str], str]  # fields by column, and which line it is


@final
@dataclass(frozen=True, slots=True)
class Sample:
    """How often each row occurred, at least, of `base` in all; where percentages were rounded, some are left over."""

    counts: Mapping[Cell, int]
    base: int

    @property
    def left(self) -> int:
        """How many it is not known of what they had."""
        return self.base - sum(self.counts.values())


@final
@dataclass(frozen=True, slots=True)
class PublicTable:
    """What a file of public counts is to be about."""

    columns: Mapping[str, Column]  # that the belief is about
    by: tuple[str, ...]
    public: Mapping[str, Column]
    what: str

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.by, *self.columns)

    @property
    def told(self) -> str:
        return " and ".join(self.columns)

    def domain(self, name: str) -> Column:
        return self.columns[name] if name in self.columns else self.public[name]

    def value(self, name: str, given: str, line: str) -> Label | Fraction:
        """The value of a column; the file may be another than was meant, so what stands in it is not repeated."""
        column = self.domain(name)
        try:
            return value_of(name, given, column, line)
        except InputError:
            pass
        if isinstance(column, Numbers):
            needed = f"a multiple of {column.unit} from {column.lower} to {column.upper}"
        else:
            needed = f"one of {shown_list(column.values)}"
        raise SpecError(f"{line}: {name} needs {needed}, but there is something else. Correct it, or the domain.")

    def row(self, fields: Mapping[str, str], line: str) -> tuple[Cell, Cell]:
        """The public values of a line, and the values that it counts."""
        cell = tuple(self.value(name, fields[name], line) for name in self.by)
        return cell, tuple(self.value(name, fields[name], line) for name in self.columns)


def public_counts(
    text: str, columns: Mapping[str, Column], by: Sequence[str], public: Mapping[str, Column], what: str
) -> dict[Cell, Sample]:
    """How often each row of the columns occurred, for each cell of the public columns; what is not listed did not
    occur. The columns stand in any order; of one column the header may also say "value".
    """
    table = PublicTable(columns, tuple(by), public, what)
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in ";\t" if sign in first and "," not in first), ",")
    rows = _rows(text, delimiter, what)
    header = _header(next(rows, []), table)
    lines = _lines(rows, header, what)
    spread = _spread(header, table)
    if spread is not None and BASE in header:
        found = _percentages(_spread_out(lines, spread, table), table)
    elif spread is not None:
        found = _gathered(_wide(lines, spread, table), table)
    elif PERCENT in header:
        found = _percentages(lines, table)
    else:
        found = _gathered(((fields, fields[COUNT], line) for fields, line in lines), table)
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


def _lines(rows: Iterator[list[str]], header: Sequence[str], what: str) -> Iterator[Line]:
    for number, row in enumerate(rows, start=2):
        if not any(field.strip() for field in row):
            continue
        if len(row) != len(header):
            raise SpecError(f"{what}: line {number} needs {len(header)} fields, but has {len(row)}. Correct it.")
        yield dict(zip(header, (field.strip() for field in row), strict=True)), f"{what}, line {number}"


def _header(given: Sequence[str], table: PublicTable) -> list[str]:
    """The names in the first line; of one column, "value" is its name."""
    names = [field.strip() for field in given]
    if not any(names):
        raise SpecError(
            f"{table.what} needs a CSV file with the header {','.join((*table.names, COUNT))}, but the file is empty. "
            "Fill it."
        )
    (first, *more) = table.columns
    header = [first if field == VALUE and not more and first not in names else field for field in names]
    if _spread(header, table) is None:
        _check_long(header, table)
    return header


def _check_long(header: Sequence[str], table: PublicTable) -> None:
    """SpecError unless there is a column for each name, for the counts or percentages, and no other."""
    what, numbers = table.what, [PERCENT, BASE] if PERCENT in header else [COUNT]
    wanted = [*table.names, *numbers]
    missing = next((field for field in wanted if field not in header), None)
    if missing is not None:
        raise SpecError(
            f"{what} needs the columns {', '.join(wanted)}, but {missing!r} is missing: it is none of the "
            f"{len(header)} in the first line. Add it, or rename the column that holds it."
        )
    for field in wanted:
        if header.count(field) > 1:
            raise SpecError(f"{what} needs each column once, but the file has {field!r} twice. Remove one.")
    if len(header) > len(wanted):
        raise SpecError(
            f"{what} needs the columns {', '.join(wanted)} and no others, but there are {len(header)}. Remove the rest."
        )


# -- shapes --------------------------------------------------------------------------------------------------------


def _spread(header: Sequence[str], table: PublicTable) -> str | None:
    """The column whose values stand in the header of a wide table; None if it is a long one."""
    missing = [name for name in table.names if name not in header]
    if len(missing) != 1 or COUNT in header or PERCENT in header or len({*header}) != len(header):
        return None
    labels = _labels(header, table)
    try:
        values = [table.value(missing[0], label, "") for label in labels]
    except SpecError:
        return None
    return missing[0] if values and len(set(values)) == len(values) else None


def _labels(header: Iterable[str], table: PublicTable) -> list[str]:
    """The values that stand in the header of a wide table."""
    return [field for field in header if field not in (*table.names, TOTAL, BASE)]


def _spread_out(lines: Iterator[Line], spread: str, table: PublicTable) -> Iterator[Line]:
    """A wide table of percentages as a long one; SpecError where a total is not 100."""
    for fields, line in lines:
        if TOTAL in fields and _percent(fields[TOTAL], line)[0] != 100:
            raise SpecError(f"{line}: total needs 100, beside percentages. Correct the line, or leave total out.")
        for label in _labels(fields, table):
            yield {**fields, spread: label, PERCENT: fields[label]}, line


def _wide(lines: Iterator[Line], spread: str, table: PublicTable) -> Iterator[tuple[Mapping[str, str], str, str]]:
    """A wide table as a long one; SpecError where a total is not the sum of its line."""
    for fields, line in lines:
        labels = _labels(fields, table)
        if TOTAL in fields and _count(fields[TOTAL], line) != sum(_count(fields[label], line) for label in labels):
            raise SpecError(f"{line}: total is not the sum of the counts. Correct the line, or leave total out.")
        for label in labels:
            yield {**fields, spread: label}, fields[label], line


def _gathered(lines: Iterator[tuple[Mapping[str, str], str, str]], table: PublicTable) -> dict[Cell, Sample]:
    found: dict[Cell, dict[Cell, int]] = {}
    for fields, number, line in lines:
        cell, row = table.row(fields, line)
        counts = found.setdefault(cell, {})
        if row in counts:
            raise SpecError(f"{line}: its value of {table.told} stands in a line above already. Add the counts up.")
        counts[row] = _count(number, line)
    return {cell: Sample(counts, sum(counts.values())) for cell, counts in found.items()}


def _percentages(lines: Iterator[Line], table: PublicTable) -> dict[Cell, Sample]:
    """The least counts that percentages of a base leave open, whether they were rounded up, down or to the nearest: the
    true one is within a unit of the last digit that is written.
    """
    found: dict[Cell, dict[Cell, int]] = {}
    sums: dict[Cell, tuple[int, Fraction, Fraction]] = {}  # base, sum of percentages, by how much it may be off
    for fields, line in lines:
        cell, row = table.row(fields, line)
        percent, unit = _percent(fields[PERCENT], line)
        base, total, off = sums.get(cell, (_count(fields[BASE], line), Fraction(0), Fraction(0)))
        if base != _count(fields[BASE], line) or not base:
            raise SpecError(f"{line}: base needs one number above 0 for all lines of a group, but differs. Correct it.")
        counts = found.setdefault(cell, {})
        if row in counts:
            raise SpecError(
                f"{line}: its value of {table.told} stands in a line above already. Add the percentages up."
            )
        counts[row] = max(ceil((percent - unit) * base / 100), 0)
        sums[cell] = base, total + percent, off + unit
    for _, total, off in sums.values():
        if abs(total - 100) > off:
            raise SpecError(
                f"{table.what} needs percentages that sum to 100{' in each group' if table.by else ''}, but some sum "
                f"to {'more' if total > 100 else 'less'}. Correct them; percentages of parts have to be made ones of "
                "the whole."
            )
    return {cell: Sample(counts, sums[cell][0]) for cell, counts in found.items()}


def _percent(given: str, line: str) -> tuple[Fraction, Fraction]:
    """A percentage, and the unit of its last digit."""
    text = given.removesuffix("%").strip()
    whole, _, decimals = text.partition(".")
    digits = whole + decimals
    if not digits.isascii() or not digits.isdecimal() or not whole or len(digits) > LONGEST_COUNT:
        raise SpecError(f"{line}: percent needs a number from 0 to 100 such as 12.5, but there is something else.")
    percent = Fraction(text if decimals else whole)
    if percent > 100:
        raise SpecError(f"{line}: percent needs a number from 0 to 100, but there is a larger one. Correct it.")
    return percent, Fraction(1, 10 ** len(decimals))


def _count(given: str, line: str) -> int:
    if not given.isascii() or not given.isdecimal() or len(given) > LONGEST_COUNT:
        came = "there is something else" if given else "there is nothing"
        raise SpecError(
            f"{line}: a count needs a whole number from 0, with at most {LONGEST_COUNT} digits, but {came}. Correct it."
        )
    return int(given)
