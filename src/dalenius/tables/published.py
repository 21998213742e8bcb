"""The published figures as a table."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.enclosure.formats import in_decimals
from dalenius.facts.records import Cell, Column, Label
from dalenius.tables.figures import Figure

if TYPE_CHECKING:
    from dalenius.tables.computed import ComputedNumber

LEFT_OUT = "left out"  # how a cell is released that is not
FORMULA = re.compile("(^|;)('*[-=+@\uff0d\uff1d\uff0b\uff20])")  # the wide ones too, which some take for the same
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@final
@dataclass(frozen=True, slots=True)
class Published:
    """One number as it goes out; None where a cell has nobody in it, so that there is no mean, or where it is hidden:
    then with the text that stands for it.
    """

    figure: Figure
    cell: Cell
    value: Fraction | None
    hidden: str = ""
    largest: Label | Fraction | None = None  # of counts that are only compared, the value that is named

    @property
    def text(self) -> str:
        """As it stands in a table."""
        return self.hidden if self.value is None else in_decimals(self.value)


def cell_text(text: str) -> str:
    """A text as a cell of a table that a spreadsheet opens: what it would compute gets an apostrophe in front, also
    behind a semicolon, at which some of them begin a new cell. Numbers stay numbers.

    >>> cell_text("=1+1"), cell_text("a;@b"), cell_text("'=x"), cell_text("-5"), cell_text("'s-Hertogenbosch")
    ("'=1+1", "a;'@b", "''=x", '-5', "'s-Hertogenbosch")
    """
    return text if PLAIN_NUMBER.fullmatch(text) else FORMULA.sub(r"\1'\2", text)


def text_of(cell: str) -> str:
    """The text behind a cell.

    >>> text_of("'=1+1"), text_of("'s-Hertogenbosch")
    ('=1+1', "'s-Hertogenbosch")
    """
    return re.sub(f"(^|;)'{FORMULA.pattern.removeprefix('(^|;)')}", r"\1\2", cell)


def figures_csv(
    published: Sequence[Published],
    public: Mapping[str, Column],
    confidential: Mapping[str, Column],
    computed: "Sequence[ComputedNumber]" = (),
) -> bytes:
    """figure, one column for each public column that any figure is split by, value, and how it was released; first what
    is computed from the others, at last the cells that are left out.
    """
    columns = [name for name in public if any(name in item.figure.by for item in published)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["figure", *map(cell_text, columns), "value", "release"])
    for number in computed:
        cell = dict(zip(number.by, number.cell, strict=True))
        cells = (cell_text(str(cell.get(name, ""))) for name in columns)
        one = number.computed
        writer.writerow([cell_text(one.name), *cells, cell_text(number.text), cell_text(one.released)])
    for item in published:
        cell = dict(zip(item.figure.by, item.cell, strict=True))
        writer.writerow(
            [
                cell_text(item.figure.name),
                *(cell_text(str(cell.get(name, ""))) for name in columns),
                item.text,
                item.figure.released(confidential),
            ]
        )
    for figure in dict.fromkeys(item.figure for item in published):
        for left in figure.left_out:
            cell = dict(zip(figure.by, left, strict=True))
            cells = (cell_text(str(cell.get(name, ""))) for name in columns)
            writer.writerow([cell_text(figure.name), *cells, "", LEFT_OUT])
    return out.getvalue().encode()
