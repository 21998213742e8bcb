"""Which labels are totals. A total that is taken for one more group gives every hidden number room that it does not
have, so that nothing would seem to follow: what is called like a total, or adds up like one, is recognised or asked
about.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.audit.sheet import words_of
from dalenius.audit.tables import Cell, PublishedTable
from dalenius.basics.errors import InputError

TOTALS = frozenset(
    ("total", "totals", "all", "sum", "margin", "margins", "grand total", "overall", "everyone", "everybody", "tot",
     "row total", "column total", "row totals", "column totals", "gesamt", "insgesamt", "gesamtsumme", "summe",
     "ensemble", "totale", "totaal", "totalt", "totalsumma", "summa", "i alt", "ialt", "razem", "ogółem", "celkem",
     "yhteensä", "toplam", "suma", "общо", "всего")
)  # fmt: skip
WORDS = frozenset(("total", "totals", "all", "overall", "sum", "gesamt", "insgesamt", "ensemble", "totale", "summe"))
OTHERS = frozenset(("other", "others", "else"))  # "all other" is what is left
ENOUGH = 50  # what the numbers that add up must come to, if nothing else says that they are totals

Line: TypeAlias = Mapping[str, Cell]


@final
@dataclass(frozen=True, slots=True)
class AddsUp:
    """How the numbers of a label compare with those of all the others: in how many lines they are their sum, what
    these come to, whether they are something else somewhere, and whether they are nowhere less than one of the others.
    """

    lines: int
    size: Fraction
    differs: bool
    largest: bool


def with_totals(table: PublishedTable, stated: Mapping[str, frozenset[str]]) -> PublishedTable:
    """The table, in which labels that are totals are none any more; InputError if one may be."""
    for at, variable in enumerate(table.variables):
        if variable in stated or any(cell.labels[at] is None for cell in table.cells):
            continue
        labels = [label for label in table.labels(variable) if label not in stated.get("", ())]
        if len(labels) < 2:
            continue
        lines = _lines(table, at)
        for label in labels:
            sums = _adds_up(label, lines)
            called = bool(WORDS & set(words_of(label))) and not OTHERS & set(words_of(label))
            if called and sums.lines and not sums.differs:
                table = _as_total(table, at, label)
                break
            if (called and (sums.largest or not sums.differs)) or _looks_like_one(sums, len(labels)):
                how = f"it is the sum of all others in {sums.lines} lines" if sums.lines else "it is called like one"
                raise InputError(
                    f"Needed to know whether {label!r} is the total of {variable} in {table.name}: {how}. Say in the "
                    f"tables file: variables: {{{variable}: {{total: [{label}]}}}}, or total: [] if it is one of the "
                    "groups."
                )
    return table


def _looks_like_one(sums: AddsUp, labels: int) -> bool:
    """Whether numbers add up in a way that is no chance."""
    return labels > 2 and not sums.differs and sums.size >= ENOUGH and sums.lines >= 1


def _lines(table: PublishedTable, at: int) -> list[Line]:
    """The cells of a variable's labels, wherever all else is the same."""
    found: dict[tuple[str | None, ...], dict[str, Cell]] = defaultdict(dict)
    for cell in table.cells:
        found[(*cell.labels[:at], *cell.labels[at + 1 :])][str(cell.labels[at])] = cell
    return list(found.values())


def _adds_up(label: str, lines: list[Line]) -> AddsUp:
    count, size, differs, largest = 0, Fraction(0), False, True
    for line in lines:
        if label not in line or len(line) < 2:
            continue
        own, others = line[label], [cell for name, cell in line.items() if name != label]
        most = own.upper if own.upper is not None else own.lower
        low = sum((cell.lower for cell in others if cell.lower is not None), Fraction(0))
        if own.upper is not None and own.upper < low:
            differs = True
        largest = largest and not any(
            most is not None and cell.lower is not None and cell.lower > most for cell in others
        )
        exact = own.exact and own.lower is not None and all(cell.exact for cell in others)
        if exact and own.lower is not None:
            if own.lower == low and own.lower > 0:
                count, size = count + 1, size + own.lower
            elif own.lower > low:
                differs = True
    return AddsUp(count, size, differs, largest)


def _as_total(table: PublishedTable, at: int, label: str) -> PublishedTable:
    cells = tuple(
        replace(cell, labels=(*cell.labels[:at], None, *cell.labels[at + 1 :])) if cell.labels[at] == label else cell
        for cell in table.cells
    )
    variable = table.variables[at]
    remark = f"{label} is taken for the total of {variable} in {table.name}."
    return replace(table, cells=cells, remarks=(*table.remarks, remark))
