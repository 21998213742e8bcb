"""Do totals add up? Where all parts of a total are shown, this is a matter of arithmetic; where they do not, numbers
were rounded, or are wrong, and which of the two is said.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from dalenius.audit.marks import Rounding
from dalenius.audit.tables import ALL, Cell, Convention, PublishedTable, number
from dalenius.basics.errors import InputError

BASES = (3, 5, 10, 50, 100, 1000)


def check_margins(table: PublishedTable, convention: Convention) -> None:
    """InputError if a total is not the sum of its parts, all of which are shown."""
    wrong = [(total, parts) for total, parts in _sums(table, convention) if _sum(parts) != total.lower]
    if not wrong:
        return
    total, parts = wrong[0]
    unit = convention.measure(table.measure).unit
    base = _rounding(table, wrong, unit)
    stated, added = number((total.lower or 0) * unit), number(_sum(parts) * unit)
    said = (
        f"{table.name} does not add up: {table.place(total)} is {stated}, but its {len(parts)} parts make {added}"
        + (f" ({len(wrong)} totals are off)" if len(wrong) > 1 else "")
    )
    if base:
        raise InputError(
            f"{said}. All its numbers are multiples of {base}, and no total is off by more than rounding can do: it "
            f"was rounded. Say so: --rounded {base}."
        )
    raise InputError(
        f"{said}. The numbers were not rounded to a usual base, so one of them is wrong, or a part is missing. Correct "
        "it; if a line was left out on purpose, write it, with x."
    )


def _sums(table: PublishedTable, convention: Convention) -> Iterator[tuple[Cell, list[Cell]]]:
    """Exact totals with their parts, where all are exact."""
    if table.totals != ALL or table.absent != "zero":
        return
    for at, variable in enumerate(table.variables):
        nested = convention.nested.get(variable, {})
        lines: dict[tuple[str | None, ...], list[Cell]] = defaultdict(list)
        totals: dict[tuple[str | None, ...], Cell] = {}
        for cell in table.cells:
            rest = (*cell.labels[:at], *cell.labels[at + 1 :])
            if cell.labels[at] is None:
                totals[rest] = cell
            elif cell.labels[at] not in nested:
                lines[rest].append(cell)
        if any(label in nested for label in table.labels(variable)):
            continue  # coarse labels stand for finer ones that may not be listed; the problem itself has them
        for rest, total in totals.items():
            parts = lines[rest]
            if parts and total.exact and all(cell.exact for cell in parts):
                yield total, parts


def _sum(parts: list[Cell]) -> Fraction:
    return sum((cell.lower for cell in parts if cell.lower is not None), Fraction(0))


def _rounding(table: PublishedTable, wrong: list[tuple[Cell, list[Cell]]], unit: Fraction) -> int:
    """The largest usual base to which all numbers, as they are written, may have been rounded; 0 if there is none."""
    numbers = [cell.lower * unit for cell in table.cells if cell.exact and cell.lower is not None]
    off = max(abs(_sum(parts) - (total.lower or 0)) / (len(parts) + 1) for total, parts in wrong) * unit
    for base in reversed(BASES):
        if all(Rounding(base).made(each) for each in numbers) and off <= Fraction(base, 2):
            return base
    return 0
