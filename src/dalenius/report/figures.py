"""The published figures as a table."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.figures import Figure
from dalenius.records import Cell, Column


@final
@dataclass(frozen=True, slots=True)
class Published:
    """One number as it goes out; None where a cell has nobody in it, so that there is no mean."""

    figure: Figure
    cell: Cell
    value: Fraction | None


def decimal(value: Fraction) -> str:
    """A number without an exponent: exact where that is short, otherwise with ten decimals.

    >>> decimal(Fraction(5, 2)), decimal(Fraction(1, 3)), decimal(Fraction(12000))
    ('2.5', '0.3333333333', '12000')
    """
    if value.denominator == 1:
        return str(value.numerator)
    text = f"{float(value):.10f}" if abs(value) < 10**15 else str(round(value))
    exact = Fraction(text)
    return text.rstrip("0").rstrip(".") if exact == value or "." in text else text


def figures_csv(published: Sequence[Published], public: Mapping[str, Column]) -> bytes:
    """figure, one column for each public column that any figure is split by, value."""
    columns = [name for name in public if any(name in item.figure.by for item in published)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["figure", *columns, "value"])
    for item in published:
        cell = dict(zip(item.figure.by, item.cell, strict=True))
        writer.writerow(
            [
                item.figure.name,
                *(str(cell.get(name, "")) for name in columns),
                "" if item.value is None else decimal(item.value),
            ]
        )
    return out.getvalue().encode()
