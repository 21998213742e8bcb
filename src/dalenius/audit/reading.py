"""From the text of a CSV file to a table: wide (a crosstab with margins, one or two rows of headers) or long (a column
for each variable, and one with numbers). Pure: whoever calls has opened the file.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.audit.marks import HIDDEN_STATUS, PUBLISHED_STATUS, Marking, plain
from dalenius.audit.sheet import Rows, Sheet, check_blanks, sheet_of
from dalenius.audit.tables import ALL, COUNT, SHOWN, Cell, PublishedTable, Where
from dalenius.audit.totals import TOTALS, with_totals
from dalenius.basics.errors import InputError

Dominance: TypeAlias = Callable[[Fraction, Sequence[Fraction]], tuple[int, int] | None]

SURE = ("count", "counts", "freq", "frequency", "value", "values", "obs_value")
VALUES = (*SURE, "n", "number", "people", "persons")
STATUSES = ("status", "sdcstatus", "sdc_status", "flag", "obs_status", "suppressed", "suppression")


@final
@dataclass(frozen=True, slots=True)
class Hints:
    """What is said about one table beforehand, and how its cells are read."""

    form: str | None = None  # wide or long
    rows: tuple[str, ...] | None = None  # the variables of the rows, or of all columns of labels of a long table
    columns: tuple[str, ...] | None = None  # the variables of the columns
    value: str | None = None  # the column with numbers, of a long table
    status: str | None = None
    totals: str = ALL
    total_labels: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by variable; "" for all
    measure: str = COUNT
    where: Where = ()
    absent: str = "zero"
    parts: tuple[str, ...] = ()  # columns with the largest parts of a sum, of a long table; not published
    dominance: Dominance | None = None  # what must stay possible, given a sum and its largest parts
    marking: Marking = field(default_factory=Marking)

    def is_total(self, variable: str, label: str) -> bool:
        """Whether a label of a variable is its total."""
        own = self.total_labels.get(variable)
        if own is not None:
            return label in own
        return plain(label) in TOTALS or label in self.total_labels.get("", ())


def read_table(text: str, name: str, hints: Hints | None = None) -> PublishedTable:
    """The table in a text.

    >>> table = read_table("region,m,f,Total" + chr(10) + "north,10,x,15", "a.csv", Hints(columns=("sex",)))
    >>> table.variables, [cell.words for cell in table.cells]
    (('region', 'sex'), ['10', 'x', '15'])
    """
    hints = hints or Hints()
    kept = {*(hints.rows or ()), *(hints.columns or ()), *hints.parts, *filter(None, (hints.value, hints.status))}
    sheet = sheet_of(text, name, hints.marking, kept, blanks=hints.totals == SHOWN)
    if hints.form is None:
        hints = _with_form(hints, sheet.rows)
    variables, cells = _long(sheet, name, hints) if hints.form == "long" else _wide(sheet, name, hints)
    if hints.totals != SHOWN:
        check_blanks({cell.mark for cell in cells if cell.hidden}, name, hints.marking)
    table = PublishedTable(
        name, variables, cells, measure=hints.measure, totals=hints.totals, where=hints.where, absent=hints.absent
    )
    return with_totals(replace(table, remarks=sheet.remarks, left_out=sheet.left_out), hints.total_labels)


def _with_form(hints: Hints, rows: Rows) -> Hints:
    """Long if one column is called by what it counts, and the others are labels; or if there are two columns. Whoever
    names variables of the columns has a wide one.
    """
    if hints.columns:
        return replace(hints, form="wide")
    names = [plain(each) for each in rows[0]]
    sure = [each for each in names if each in SURE]
    values = [each for each in names if each in VALUES]
    others = [at for at, each in enumerate(names) if at and each not in VALUES and each not in STATUSES]
    long = (
        hints.value is not None
        or len(sure) == 1
        or (len(values) == 1 and not any(_holds_numbers(rows, at, hints) for at in others))
        or (len(names) == 2 and names[0] != "" and names[1] not in TOTALS)
    )
    return replace(hints, form="long" if long else "wide")


def _holds_numbers(rows: Rows, at: int, hints: Hints) -> bool:
    fields = [row[at] for row in rows[1:] if at < len(row)]
    return all(map(hints.marking.reads, fields)) and any(map(hints.marking.is_number, fields))


def _long(sheet: Sheet, name: str, hints: Hints) -> tuple[tuple[str, ...], tuple[Cell, ...]]:
    rows, header = sheet.rows, sheet.rows[0]
    value = _column(header, hints.value, VALUES, name, "numbers") if hints.value or len(header) > 2 else 1
    status = _status_column(header, hints, name)
    parts = [_column(header, wanted, (), name, "parts") for wanted in hints.parts]
    labels = [at for at in range(len(header)) if at not in (value, status, *parts)]
    if hints.rows is not None:
        labels = [_column(header, wanted, (), name, "labels") for wanted in hints.rows]
    variables = tuple(header[at] or f"column {at + 1}" for at in labels)
    _check_names(variables, name)
    cells = []
    for place, (line, row) in enumerate(zip(sheet.lines[1:], rows[1:], strict=True)):
        own = tuple(
            _label(row[at], variable, hints, name, line) for at, variable in zip(labels, variables, strict=True)
        )
        where = f"row {line}, column {header[value] or value + 1} of {name}"
        if status is not None and _hides(row[status], where):
            mark = plain(row[status])
            reach = _reach(row, value, parts, hints, where)
            cells.append(Cell(own, None, None, mark, place, value - 1, reach))
        else:
            cells.append(Cell(own, *hints.marking.said(row[value], where), place, value - 1))
    return variables, tuple(cells)


def _reach(row: Sequence[str], value: int, parts: Sequence[int], hints: Hints, where: str) -> tuple[int, int] | None:
    """What must stay possible for a hidden sum whose largest parts are stated."""
    if hints.dominance is None or not parts:
        return None
    numbers = [hints.marking.said(row[at], where) for at in (value, *parts)]
    if any(mark or low is None for low, _, mark in numbers):
        raise InputError(
            f"Needed the sum and its largest parts at {where}, to see what a rule about them asks for, but one of them "
            "is no number. Write them, with u or x in the column of statuses, or leave dominance out."
        )
    exact = [low for low, _, _ in numbers if low is not None]
    return hints.dominance(exact[0], [part for part in exact[1:] if part > 0] or [Fraction(0)])


def _status_column(header: Sequence[str], hints: Hints, name: str) -> int | None:
    if hints.status is not None:
        return _column(header, hints.status, (), name, "statuses")
    return next((at for at, each in enumerate(header) if plain(each) in STATUSES), None)


def _hides(status: str, where: str) -> bool:
    word = plain(status)
    if word in HIDDEN_STATUS:
        return True
    if word in PUBLISHED_STATUS or not word:
        return False
    raise InputError(
        f"Needed a status at {where}: u, x or w (hidden), s, z or p (published), as τ-ARGUS and sdcTable write, but "
        "there is another. Write one of these, or name the column of labels if it is none of statuses."
    )


def _column(header: Sequence[str], wanted: str | None, usual: Sequence[str], name: str, what: str) -> int:
    if wanted is not None:
        if wanted in header:
            return header.index(wanted)
        raise InputError(f"Needed a column {wanted!r} with {what} in {name}, but there is none. Write its header.")
    places = [at for at, each in enumerate(header) if plain(each) in usual]
    if len(places) == 1:
        return places[0]
    raise InputError(
        f"Needed to know which column of {name} has the {what}. Write in the tables file: tables: {{{name}: "
        "{value: NAME}}."
    )


def _wide(sheet: Sheet, name: str, hints: Hints) -> tuple[tuple[str, ...], tuple[Cell, ...]]:
    rows = sheet.rows
    tops = _header_rows(rows, hints)
    body = rows[tops:]
    named = rows[tops - 1] if tops > 1 and _names_only(rows[tops - 1]) else None
    heads = rows[: tops - 1] if named is not None else rows[:tops]
    sides = len(hints.rows) if hints.rows else _label_columns(body, hints)
    if not body or sides >= len(rows[0]):
        raise InputError(f"Needed rows of numbers in {name}, but there are none. Name a table with labels and numbers.")
    row_names, column_names, heads = _names(heads, named, sides, name, hints)
    variables = (*row_names, *column_names)
    _check_names(variables, name)
    tops_filled = [_filled(head[sides:]) if at < len(heads) - 1 else head[sides:] for at, head in enumerate(heads)]
    cells = []
    before: list[str] = []
    for place, (line, row) in enumerate(zip(sheet.lines[tops:], body, strict=True)):
        before = _side_labels(row[:sides], before)
        side = tuple(_label(*pair, hints, name, line) for pair in zip(before, row_names, strict=True))
        for at in range(len(row) - sides):
            top = tuple(
                _label(head[at], variable, hints, name, 0)
                for head, variable in zip(tops_filled, column_names, strict=True)
            )
            where = f"row {line}, column {at + sides + 1} of {name}"
            cells.append(Cell((*side, *top), *hints.marking.said(row[at + sides], where), place, at + sides - 1))
    return variables, tuple(cells)


def _header_rows(rows: Rows, hints: Hints) -> int:
    """How many rows of headers there are."""
    if hints.columns:
        count = len(hints.columns)
        spanned = _spans(rows[0])
        if len(rows) > count and (spanned or (count > 1 and _names_only(rows[count]))):
            count += 1
        return count
    if _spans(rows[0]):
        return 2
    count = 1
    while count < min(3, len(rows)) and any(not hints.marking.reads(each) for each in rows[count][1:]):
        # A second column of labels is no second row of headers: there, numbers come after.
        if any(hints.marking.is_number(each) for each in rows[count][1:]):
            break
        count += 1
    return count + 1 if 1 < count < len(rows) and _names_only(rows[count]) else count


def _spans(row: Sequence[str]) -> bool:
    """Whether a row is one name above all columns."""
    inside = {each for each in row[1:] if each}
    return not row[0] and len(inside) == 1 and (len(row) > 2) and (not row[-1] or row[1:].count(row[-1]) > 1)


def _names_only(row: Sequence[str]) -> bool:
    """Whether a row has only the names of the columns of labels, as pandas writes below two rows of headers."""
    filled = [at for at, each in enumerate(row) if each]
    return bool(filled) and filled == list(range(len(filled))) and len(filled) < len(row) - 1


def _label_columns(body: Rows, hints: Hints) -> int:
    sides = 1
    while sides < len(body[0]) - 1 if body else False:
        fields = [row[sides] for row in body]
        if all(map(hints.marking.reads, fields)):
            break
        # A column of numbers with a text in it is no column of labels; one of labels may be numbered, with a total.
        strange = [each for each in fields if not hints.marking.reads(each)]
        numbers = sum(map(hints.marking.is_number, fields))
        if 2 * numbers >= len(fields) and not any(plain(each) in TOTALS for each in strange):
            break
        sides += 1
    return sides


def _names(
    heads: Rows, named: list[str] | None, sides: int, name: str, hints: Hints
) -> tuple[tuple[str, ...], tuple[str, ...], Rows]:
    """The variables of the rows, those of the columns, and the rows of headers that have labels."""
    spanned = next((each for each in heads[0][1:] if each), "") if _spans(heads[0]) and len(heads) > 1 else ""
    if spanned:
        heads = heads[1:]
    corner = named or heads[-1]
    row_names = [corner[at] for at in range(sides)]
    column_names = [spanned] if spanned else ["" for _ in heads]
    if named is not None:
        column_names = [head[0] for head in heads]
    split = re.split(r"\s*\\\s*|\s+by\s+", row_names[0]) if sides == 1 and len(heads) == 1 and not spanned else []
    if len(split) == 2:
        row_names, column_names = [split[0]], [split[1]]
    row_names = list(hints.rows) if hints.rows else row_names
    column_names = list(hints.columns) if hints.columns else column_names
    if len(column_names) != len(heads):
        raise InputError(
            f"{name} has {len(heads)} rows of labels above its columns, but {len(column_names)} variables are named "
            "for them in the tables file (columns). Name one for each."
        )
    return (
        tuple(each or unnamed("rows", name, at) for at, each in enumerate(row_names)),
        tuple(each or unnamed("columns", name, at) for at, each in enumerate(column_names)),
        heads,
    )


def unnamed(what: str, name: str, at: int) -> str:
    """What a variable is called that has no name in the file."""
    return f"the {what} of {name}" + (f" ({at + 1})" if at else "")


def _filled(labels: Sequence[str]) -> list[str]:
    """Labels of which only the first of a run is written."""
    found: list[str] = []
    for label in labels:
        found.append(label or (found[-1] if found else ""))
    return found


def _side_labels(labels: Sequence[str], before: Sequence[str]) -> list[str]:
    """The labels of a row; where there are several columns of them, a blank one repeats the one above."""
    last = len(labels) - 1
    return [label if label or at == last or not before else before[at] for at, label in enumerate(labels)]


def _label(text: str, variable: str, hints: Hints, name: str, line: int) -> str | None:
    where = f"Row {line}" if line else "The first row"
    if not text:
        raise InputError(
            f"{where} of {name} needs a label of {variable}, but it is blank. Write one; Total for the sum of all."
        )
    return None if hints.is_total(variable, text) else text


def _check_names(variables: Sequence[str], name: str) -> None:
    twice = next((each for each in variables if variables.count(each) > 1), None)
    if twice is not None:
        raise InputError(f"{name} needs a name of its own for each variable, but {twice!r} stands there twice.")
