"""From the text of a file to the rows of its table. What spreadsheets put around one is taken off: titles, footnotes,
empty columns, percentages, marks of footnotes beside numbers. What could be read in two ways is asked about.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias, final

from dalenius.audit.marks import Marking, plain
from dalenius.basics.errors import InputError
from dalenius.basics.limits import MOST_AUDITED

Rows: TypeAlias = list[list[str]]

DELIMITERS = (",", ";", "\t", "|")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
LOOKED_AT = 200  # rows by which the delimiter is recognised
_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_FOOTNOTE = re.compile(
    r"(?:sources?|notes?|footnotes?|quellen?|anmerkung(?:en)?|legend[e]?|key|remarks?)\b|[*†‡§¹²³]|\(?\[?\w{1,2}[\])]\s|"
    r"\S{1,10}\s*[:=]\s|.{70,}",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:table|tab\.|tabelle|tableau|figure|fig\.)\s", re.IGNORECASE)
_FOOTMARK = re.compile(r"\s*(?:\*{1,3}|[†‡§¹²³⁴-⁹]+|\[[a-z]\]|\([a-z]\)|(?<=[^\d\s])\s?\(\d\)|\[\d\])$", re.IGNORECASE)
_WITH_PERCENTAGE = re.compile(r"(.*\S)\s*\(\s*<?\s*\d+(?:[.,]\d+)?\s*%\s*\)")
_PERCENTAGE = re.compile(r"[<>≤≥]?\s*-?\d+(?:[.,]\d+)?\s*%")
_PERCENT = re.compile(r"%|\bper ?cents?\b|\bpercentages?\b|\bpct\b|\bprozent\b", re.IGNORECASE)
_FRACTION = re.compile(r"\d{1,3}[.,]\d+")
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_DOT = re.compile(r"[+-]?\d*\.\d+")


@final
@dataclass(frozen=True)
class Sheet:
    """The rows of a table, the first with its header, all of one length; where they stand in the file, from 1; what
    was taken for granted, and what was left out although it may tell something.
    """

    rows: Rows
    lines: tuple[int, ...]
    remarks: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def sheet_of(text: str, name: str, marking: Marking, kept: Collection[str] = (), *, blanks: bool = False) -> Sheet:
    """The rows of a text. `kept` are headers of columns that are never left out; with `blanks` a row that has nothing
    but a label is one in which all is hidden.
    """
    numbered = list(_fields(text, name))
    width = Counter(len(row) for _, row in numbered).most_common(1)[0][0] if numbered else 0
    table, around = _framed(numbered, width)
    if len(table) < 2 or width < 2:
        raise InputError(
            f"Needed a table in {name}, a header and rows of labels and numbers in at least two columns, but it has "
            f"{len(table)} row{'s' * (len(table) != 1)} and {width} column{'s' * (width != 1)}. Name a CSV file of a "
            "table."
        )
    _check_fields(table, len(table[0][1]), name)
    remarks = []
    if around:
        remarks.append(f"Titles and footnotes of {name} were left out: row{'s' * (len(around) > 1)} {_listed(around)}.")
    rows = [row for _, row in table]
    filled = [at for at in range(len(rows[0])) if any(row[at] for row in rows)]
    sheet = Sheet([[row[at] for at in filled] for row in rows], tuple(line for line, _ in table), tuple(remarks))
    sheet = _without_marks(_without_percentages(sheet, name, kept), name, marking)
    if not blanks:
        _check_bare(sheet, name, marking)
    return sheet


def _fields(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, by their numbers."""
    separator = _SEPARATOR.match(text)
    skipped = 1 if separator else 0
    text = text[separator.end() :] if separator else text
    delimiter = separator[1] if separator else _delimiter(text)
    problem, cells = "", 0
    try:
        for line, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1 + skipped):
            cells += len(row)
            if cells > MOST_AUDITED:
                problem = f"has more than {MOST_AUDITED} cells. Leave out what is not needed, or add up labels"
                break
            if any(each.strip() for each in row):
                yield line, [each.strip() for each in row]
    except csv.Error:
        problem = "cannot be read as CSV. Save it anew, with quotes around texts that have the delimiter in them"
    if problem:
        raise InputError(f"Needed a table in {name}, but it {problem}.")


def _delimiter(text: str) -> str:
    """The one that cuts most rows into equally many fields, and if two do, into more."""
    first = list(islice((line for line in text.splitlines() if line.strip()), LOOKED_AT))

    def fits(delimiter: str) -> tuple[int, int]:
        try:
            lengths = Counter(len(row) for row in csv.reader(first, delimiter=delimiter) if len(row) > 1)
        except csv.Error:
            return 0, 0
        return max(((count, length) for length, count in lengths.items()), default=(0, 0))

    return max(DELIMITERS, key=fits)


def _framed(numbered: Sequence[tuple[int, list[str]]], width: int) -> tuple[list[tuple[int, list[str]]], list[int]]:
    """The rows of the table itself, and the numbers of those around it."""
    start = next((at for at in range(len(numbered)) if not _is_title(numbered, at, width)), 0)
    # Where the rows end that are surely of the table: a blank row after that is followed by notes.
    ends = next((at for at in range(len(numbered) - 1, start, -1) if not _alone(numbered[at][1], width)), start)
    gaps = [at for at in range(ends, len(numbered) - 1) if numbered[at + 1][0] > numbered[at][0] + 1]
    stop = len(numbered)
    while stop > ends + 1 and _is_footnote(numbered[stop - 1][1], width, apart=bool(gaps) and gaps[0] < stop - 1):
        stop -= 1
    around = [line for line, _ in (*numbered[:start], *numbered[stop:])]
    return list(numbered[start:stop]), around


def _is_title(numbered: Sequence[tuple[int, list[str]]], at: int, width: int) -> bool:
    """Whether a first row is none of the table: a text alone, or one cut by its commas and called a table, or above a
    blank row.
    """
    line, row = numbered[at]
    if _bare(row):
        return True
    apart = at + 1 < len(numbered) and numbered[at + 1][0] > line + 1
    return len(row) < width and (apart or _TITLE.match(row[0]) is not None)


def _alone(row: Sequence[str], width: int) -> bool:
    """Whether a row may be a text alone: nothing is beside it, or its own commas cut it into fewer fields."""
    return _bare(row) or (bool(row[0]) and len(row) != width and not any(map(str.isdigit, row[1:])))


def _is_footnote(row: Sequence[str], width: int, *, apart: bool) -> bool:
    """Whether a last row is none of the table: a text without fields beside it, below a blank row, or one that reads
    like a note.
    """
    return apart or (len(row) == 1 and width > 1) or _FOOTNOTE.match(row[0]) is not None


def _bare(row: Sequence[str]) -> bool:
    """Whether a row has nothing but its first field."""
    return bool(row[0]) and not any(row[1:])


def _check_fields(table: Sequence[tuple[int, list[str]]], width: int, name: str) -> None:
    for line, row in table:
        if len(row) != width:
            raise InputError(
                f"Row {line} of {name} needs {width} columns, as the first has, but it has {len(row)}. "
                "Take out titles and footnotes, and put texts with the delimiter in them in quotes."
            )
        if any(map(UNPRINTABLE.search, row)):
            raise InputError(f"Row {line} of {name} needs text that can be printed, but has other characters.")


def _check_bare(sheet: Sheet, name: str, marking: Marking) -> None:
    """InputError if a row has a label and nothing else, and blanks do not stand for hidden numbers elsewhere: it may be
    a heading, or a note. Taken for a row of hidden numbers it would give the others room that they do not have.
    """
    numbers = [at for at, row in enumerate(sheet.rows) if any(map(marking.is_number, row[1:]))]
    body = range(numbers[0] if numbers else 1, len(sheet.rows))
    used = any("" in sheet.rows[at][1:] for at in body if not _bare(sheet.rows[at]))
    if used or "" in marking.hidden:
        return
    for at in range(1, len(sheet.rows)):
        row = sheet.rows[at]
        named = at >= 2 and at not in body  # pandas writes names of columns there
        short = len(row) == 2 and len(row[0].split()) < 3
        if _bare(row) and not named and not short:
            raise InputError(
                f"Row {sheet.lines[at]} of {name} has a label and nothing else: is it a heading or a note, or is all "
                "hidden there? Take it out, or write x where a number is hidden; or hidden: [blank] in the tables file."
            )


def _without_percentages(sheet: Sheet, name: str, kept: Collection[str]) -> Sheet:
    """Columns and rows of percentages go out, and so do those beside numbers. They say something all the same."""
    rows = sheet.rows
    beside = False
    cells: Rows = [list(rows[0])]
    for row in rows[1:]:
        found = [_WITH_PERCENTAGE.fullmatch(each) for each in row]
        beside = beside or any(found)
        cells.append([each if match is None else match[1] for each, match in zip(row, found, strict=True)])
    columns = [
        at
        for at in range(1, len(cells[0]))
        if cells[0][at] not in kept and _are_percentages(cells[0][at], [row[at] for row in cells[1:]])
    ]
    left = [at for at in range(len(cells[0])) if at not in columns]
    cells = [[row[at] for at in left] for row in cells]
    gone = [at for at, row in enumerate(cells) if at and _are_percentages(row[0], row[1:])]
    if not (beside or columns or gone):
        return sheet
    stay = [at for at in range(len(cells)) if at not in gone]
    return replace(
        sheet,
        rows=[cells[at] for at in stay],
        lines=tuple(sheet.lines[at] for at in stay),
        left_out=(*sheet.left_out, f"the percentages in {name}"),
    )


def _are_percentages(head: str, cells: Sequence[str]) -> bool:
    """Whether all numbers of a column or row are percentages: they say so, or it does and they have fractions."""
    numbers = [each for each in cells if re.search(r"\d", each)]
    if not numbers:
        return False
    if all(map(_PERCENTAGE.fullmatch, numbers)):
        return True
    fractions = [each for each in numbers if _FRACTION.fullmatch(each)]
    return _PERCENT.search(head) is not None and len(fractions) * 2 >= len(numbers)


def _without_marks(sheet: Sheet, name: str, marking: Marking) -> Sheet:
    """Numbers and marks as they are read: without marks of footnotes beside them, and without dots between thousands,
    where no number of the table can have a fraction.
    """
    body = [each for row in sheet.rows[1:] for each in row[1:]]
    dotted = [each for each in body if _DOT.fullmatch(each) or _DOTTED.fullmatch(each)]
    thousands = bool(dotted) and marking.unit.denominator == 1 and all(map(_DOTTED.fullmatch, dotted))
    remarks = []

    def read(text: str) -> str:
        if thousands and _DOTTED.fullmatch(text):
            return text.replace(".", "")
        if text and not marking.reads(text):
            bare = _FOOTMARK.sub("", text)
            bare = bare.replace(".", "") if thousands and _DOTTED.fullmatch(bare) else bare
            if bare != text and bare and marking.reads(bare):
                return bare
        return text

    rows = [sheet.rows[0], *([row[0], *map(read, row[1:])] for row in sheet.rows[1:])]
    if thousands:
        remarks.append(f"Dots in the numbers of {name} are taken to stand between thousands.")
    changed = any(
        one != other and one.replace(".", "") != other
        for before, after in zip(sheet.rows, rows, strict=True)
        for one, other in zip(before, after, strict=True)
    )
    if changed:
        remarks.append(f"Marks of footnotes beside numbers of {name} were left out.")
    return replace(sheet, rows=rows, remarks=(*sheet.remarks, *remarks))


def _listed(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:8]))
    return f"{shown} and {len(lines) - 8} more" if len(lines) > 8 else shown


def check_blanks(marks: Collection[str], name: str, marking: Marking) -> None:
    """InputError if a table has blanks beside other marks of hidden numbers, and nobody says what they mean."""
    others = sorted(set(marks) - {"blank"})
    if "blank" in marks and others and "" not in marking.hidden and "" not in marking.zero:
        raise InputError(
            f"{name} has blanks beside {others[0]!r}: are they hidden too, or is nobody there? Say in the tables file: "
            "hidden: [blank] or zero: [blank]."
        )


def words_of(text: str) -> tuple[str, ...]:
    """The words of a label, in small letters."""
    return tuple(re.findall(r"[^\W\d_]+", plain(text)))
