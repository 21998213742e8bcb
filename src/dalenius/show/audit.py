"""An audit of tables in words, and the tables as they look to whoever works them out: each hidden number with the
interval in which it must lie, coloured by how tightly it is pinned.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dalenius.audit.examination import AuditAnswer, Conclusion, Examined, name_of
from dalenius.audit.findings import CellStatus
from dalenius.audit.persons import BelievedNumbers
from dalenius.audit.remedy import AuditAdvice
from dalenius.audit.tables import COUNT, UNNAMED, Cell, PublishedTable, listed
from dalenius.show.believed import believed_lines
from dalenius.show.layout import WIDTH, item, laid_out, wrapped

MOST_NAMED = 12  # numbers that follow, listed with what they follow from
MOST_GROUNDS = 6
MOST_ROWS, MOST_COLUMNS = 30, 9  # of a table in the terminal
TWO_TABLES = "there are two complete tables that fit everything published and differ there"
TIGHT = 3  # so few possible values are nearly known


class Grip(StrEnum):
    """How tightly a hidden number is pinned."""

    KNOWN = "known"
    TIGHT = "tight"
    NARROW = "narrow"
    OPEN = "open"
    UNDECIDED = "undecided"


COLOURS = {
    Grip.KNOWN: "bold white on red",
    Grip.TIGHT: "bold red",
    Grip.NARROW: "yellow",
    Grip.OPEN: "green",
    Grip.UNDECIDED: "magenta",
}
MEANS = {
    Grip.KNOWN: "known",
    Grip.TIGHT: f"at most {TIGHT} values, or fewer than asked",
    Grip.NARROW: "fewer values than the threshold",
    Grip.OPEN: "as many as the threshold, or more",
    Grip.UNDECIDED: "not settled in time",
}


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """A table as it is drawn: labels above, labels beside, and cells, with what was found of the hidden ones."""

    table: PublishedTable
    heads: tuple[str, ...]
    columns: tuple[str | None, ...]
    rows: tuple[tuple[tuple[str | None, ...], tuple[Cell | None, ...]], ...]


def grid_of(table: PublishedTable) -> Grid:
    """The last variable runs along the columns, the others down the rows; one variable runs down."""
    across = len(table.variables) > 1
    columns = tuple(dict.fromkeys(cell.labels[-1] for cell in table.cells)) if across else (None,)
    cells = {cell.labels: cell for cell in table.cells}
    sides = tuple(dict.fromkeys(cell.labels[:-1] if across else cell.labels for cell in table.cells))
    rows = tuple((side, tuple(cells.get((*side, column) if across else side) for column in columns)) for side in sides)
    heads = tuple("" if UNNAMED.fullmatch(each) else each for each in table.variables)
    return Grid(table, heads[:-1] if across else heads, columns, rows)


def grip_of(conclusion: Conclusion, threshold: int) -> Grip:
    """How tightly a number is pinned."""
    low, high = conclusion.finding.low, conclusion.finding.high
    if conclusion.status == CellStatus.UNDECIDED:
        return Grip.UNDECIDED
    if low is not None and low == high:
        return Grip.KNOWN
    if low is None or high is None:
        return Grip.OPEN
    if conclusion.tells or high - low < TIGHT:
        return Grip.TIGHT
    return Grip.NARROW if high - low < threshold - 1 else Grip.OPEN


def span(conclusion: Conclusion) -> str:
    """Its interval in a few letters.

    An open end is left blank: "3…" is three or more.
    """
    low, high = conclusion.finding.low, conclusion.finding.high
    if low is not None and low == high:
        return str(low)
    if low is None and high is None:
        return "…"
    return f"{'' if low is None else low}…{'' if high is None else high}"


def sentences(examined: Examined, unread: int = 0) -> list[str]:
    """The answer, and why. Where something was not read, it is not said that nothing follows."""
    asked = [each for each in examined.conclusions if each.asked.hidden]
    others = sum(not each.asked.hidden and each.finding.low != each.finding.high for each in examined.conclusions)
    telling = [each for each in examined.conclusions if each.tells]
    open_ = sum(each.status == CellStatus.UNDECIDED for each in examined.conclusions)
    hidden = f"{len(asked)} hidden numbers" if len(asked) != 1 else "the one hidden number"
    besides = f" and {others} others that could be small" if others else ""
    match examined.answer:
        case AuditAnswer.FOLLOWS:
            known = [each for each in telling if each.status == CellStatus.FOLLOWS]
            of_hidden = sum(each.asked.hidden for each in known)
            follow = "follows" if of_hidden == 1 else "follow"
            said = [f"{of_hidden} of {len(asked)} hidden numbers {follow} from what is published" * bool(of_hidden)]
            formed = len(known) - of_hidden
            said.append(
                f"{formed} small number{'s' if formed > 1 else ''} that no table shows can be worked out" * bool(formed)
            )
            narrow = len(telling) - len(known)
            said.append(f"{narrow} {'are' if narrow > 1 else 'is'} pinned more tightly than asked" * bool(narrow))
            more = f" {open_} were not settled in time." if open_ else ""
            return [f"Something follows: {'; '.join(filter(None, said))}.{more}"]
        case AuditAnswer.UNDECIDED:
            return [f"Not decided: of {hidden}{besides}, {open_ or 'some'} were not settled."]
        case AuditAnswer.NOTHING if unread:
            what = "one thing was" if unread == 1 else f"{unread} things were"
            return [f"Not decided: nothing follows from what was read, but {what} not audited (see below)."]
        case AuditAnswer.NOTHING if not examined.conclusions:
            return [
                "Nothing follows: no number is hidden, and each table lists every combination of its own variables."
            ]
        case AuditAnswer.NOTHING:
            return [f"Nothing follows: for each of {hidden}{besides} {TWO_TABLES}."]


def told(examined: Examined) -> Iterator[str]:
    """Each number of which too much follows, and from what."""
    telling = [each for each in examined.conclusions if each.tells]
    for each in telling[:MOST_NAMED]:
        what = (
            f"is {each.interval}" if each.status == CellStatus.FOLLOWS else f"is {each.interval}, narrower than asked"
        )
        name = name_of(each.asked, examined.tables)
        because = listed(each.because[:MOST_GROUNDS], name.partition(": ")[0])
        if len(each.because) > MOST_GROUNDS:
            because.append(f"and {len(each.because) - MOST_GROUNDS} more numbers")
        whom = f", to {each.to[0]}" if each.to and len({words for one in telling for words in one.to}) > 1 else ""
        yield f"{name} {what}{whom}. From: {'; '.join(because) or 'its own bounds'}."
    if len(telling) > MOST_NAMED:
        yield f"… and {len(telling) - MOST_NAMED} more."


def audit_text(
    examined: Examined,
    notes: Sequence[str],
    advice: AuditAdvice | None,
    *,
    colour: bool = False,
    unread: int = 0,
    believed: BelievedNumbers | None = None,
) -> str:
    """The whole audit, for a terminal or a file."""
    parts = [wrapped(line) for line in sentences(examined, unread)]
    parts.append(wrapped(f"Asked on behalf of {examined.attackers[-1].words}."))
    reasons = [item(line) for line in told(examined)]
    parts += ["", *reasons] if reasons else []
    for table in examined.tables:
        if any(cell.hidden for cell in table.cells) and not table.earlier:
            parts += ["", drawn(table, examined, colour=colour)]
    parts += ["", _legend(colour=colour)] if any(each.asked.hidden for each in examined.conclusions) else []
    if believed is not None:
        parts += ["", *map(laid_out, believed_lines(believed, examined.tables))]
    if advice is not None:
        parts += _advice(advice)
    if notes:
        parts += ["", "Taken for granted, or left out:", *(item(note) for note in notes)]
    return "\n".join(parts).rstrip() + "\n"


def _advice(advice: AuditAdvice) -> Iterator[str]:
    if advice.remedies:
        yield ""
        yield "What would help; each was audited again, and nothing follows then:"
        yield from (item(remedy.words) for remedy in advice.remedies)
    for line in (*advice.failed, *(f"Not tried to the end, the time was up: {each}." for each in advice.untried)):
        yield laid_out(f"  - {line}")


def drawn(table: PublishedTable, examined: Examined, *, colour: bool) -> str:
    """One table as a grid; of a large one the rows in which something is hidden."""
    grid = grid_of(table)
    whole = len(grid.rows) <= MOST_ROWS
    rows = [row for row in grid.rows if whole or any(cell is not None and cell.hidden for cell in row[1])]
    shown = Table(title=table.name, title_justify="left", title_style="bold", box=None, pad_edge=False)
    across = table.variables[-1] if len(table.variables) > 1 else ""
    for head in grid.heads:
        shown.add_column(head, overflow="fold")
    for column in grid.columns[:MOST_COLUMNS]:
        head = (column or "Total") if across else (table.measure if table.measure != COUNT else "count")
        shown.add_column(head, justify="right", overflow="fold")
    for side, cells in rows[:MOST_ROWS]:
        shown.add_row(
            *(label or "Total" for label in side), *(_cell(table, each, examined) for each in cells[:MOST_COLUMNS])
        )
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, force_terminal=colour, color_system="standard" if colour else None)
    console.print(shown)
    left = []
    if len(rows) > MOST_ROWS or not whole:
        left.append(f"{len(grid.rows) - min(len(rows), MOST_ROWS)} rows")
    if len(grid.columns) > MOST_COLUMNS:
        left.append(f"{len(grid.columns) - MOST_COLUMNS} columns")
    more = f"({' and '.join(left)} not drawn)\n" if left else ""
    return "\n".join(line.rstrip() for line in (out.getvalue() + more).splitlines())


def _cell(table: PublishedTable, cell: Cell | None, examined: Examined) -> Text:
    if cell is None:
        return Text("")
    found = examined.of_cell(table, cell)
    if not cell.hidden or found is None:
        return Text(cell.words)
    return Text(f"[{span(found)}]", style=COLOURS[grip_of(found, examined.convention.threshold)])


def _legend(*, colour: bool) -> str:
    if not colour:
        return wrapped(
            "In brackets: hidden numbers, and what they can be. [5] is known; [1…9] lies between; [3…] is open."
        )
    text = Text("In brackets: hidden numbers, and what they can be: ")
    for grip, words in MEANS.items():
        text.append(words, style=COLOURS[grip])
        text.append("; " if grip != Grip.UNDECIDED else ".")
    out = io.StringIO()
    Console(file=out, width=WIDTH, force_terminal=True, color_system="standard").print(text)
    return out.getvalue().rstrip("\n")
