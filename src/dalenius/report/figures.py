"""The published figures as a table."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.figures import Figure
from dalenius.records import Cell, Column

DECIMALS = 10


@final
@dataclass(frozen=True, slots=True)
class Published:
    """One number as it goes out; None where a cell has nobody in it, so that there is no mean."""

    figure: Figure
    cell: Cell
    value: Fraction | None


def decimal(value: Fraction) -> str:
    """A number without an exponent: exact where it has at most ten decimals, otherwise the nearest that has.

    >>> decimal(Fraction(5, 2)), decimal(Fraction(-1, 3)), decimal(Fraction(12000))
    ('2.5', '-0.3333333333', '12000')
    >>> decimal(Fraction(12345678901234567, 100))
    '123456789012345.67'
    """
    whole, part = divmod(abs(round(value * 10**DECIMALS)), 10**DECIMALS)
    text = f"{whole}.{part:0{DECIMALS}d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and text != "0" else text


def figures_csv(
    published: Sequence[Published], public: Mapping[str, Column], confidential: Mapping[str, Column]
) -> bytes:
    """figure, one column for each public column that any figure is split by, value, and how it was released."""
    columns = [name for name in public if any(name in item.figure.by for item in published)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["figure", *columns, "value", "release"])
    for item in published:
        cell = dict(zip(item.figure.by, item.cell, strict=True))
        writer.writerow(
            [
                item.figure.name,
                *(str(cell.get(name, "")) for name in columns),
                "" if item.value is None else decimal(item.value),
                item.figure.released(confidential),
            ]
        )
    return out.getvalue().encode()
