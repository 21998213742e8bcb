"""The table that a release will be, before it has numbers: how much each cell tells, and what one could learn there."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import final

from dalenius.claims import Verdict
from dalenius.enclosure.formats import at_most, short
from dalenius.facts.records import Cell, Column
from dalenius.plan import Finding, Question
from dalenius.plan.words import whom
from dalenius.show.factor import factor_of
from dalenius.show.text import known_among, reveals
from dalenius.tables.figures import Figure
from dalenius.tables.history import Entry

LITTLE, SOME = Fraction(1, 1000), Fraction(1, 10)  # of the δ that is wanted


class Tells(StrEnum):
    """How much a number tells, in steps that can be seen."""

    NOBODY = "nobody"
    LITTLE = "little"
    SOME = "some"
    CLOSE = "close"
    OPEN = "open"
    MUCH = "much"


WORDS = {
    Tells.NOBODY: "nobody is in it",
    Tells.LITTLE: "tells next to nothing",
    Tells.SOME: "tells little",
    Tells.CLOSE: "tells as much as may be",
    Tells.OPEN: "not decided",
    Tells.MUCH: "tells too much",
}
SIGNS = {
    Tells.NOBODY: "–",
    Tells.LITTLE: "✓",
    Tells.SOME: "✓",
    Tells.CLOSE: "✓!",
    Tells.OPEN: "?",
    Tells.MUCH: "✗",
}


@final
@dataclass(frozen=True, slots=True)
class ShownCell:
    """One number to be: where it stands, how much it tells, and the group of people for whom it tells most."""

    figure: Figure
    cell: Cell
    tells: Tells
    finding: Finding | None

    @property
    def name(self) -> str:
        """The figure and the cell, in words."""
        place = ", ".join(f"{column} {value}" for column, value in zip(self.figure.by, self.cell, strict=True))
        return f"{self.figure.name}: {place}" if place else self.figure.name


@final
@dataclass(frozen=True, slots=True)
class ShownTable:
    """Figures that are split by the same columns: a row for each combination of their values, a column a figure."""

    by: tuple[str, ...]
    figures: tuple[Figure, ...]
    rows: tuple[tuple[Cell, tuple[ShownCell | None, ...]], ...]

    def _repr_html_(self) -> str:
        """In a notebook."""
        from dalenius.show.html.notebook import table_fragment

        return table_fragment(self)


def shown_tables(
    findings: Sequence[Finding], figures: Sequence[Figure], question: Question, public: Mapping[str, Column]
) -> tuple[ShownTable, ...]:
    """The figures as tables; a cell that a condition excludes is None."""
    worst = _worst(findings)
    split: dict[tuple[str, ...], list[Figure]] = defaultdict(list)
    for figure in figures:
        split[figure.by].append(figure)
    return tuple(ShownTable(by, tuple(mine), tuple(_rows(mine, worst, question, public))) for by, mine in split.items())


def _worst(findings: Sequence[Finding]) -> dict[Entry, Finding]:
    """The group of people of each number for whom it tells most; what is refused is refused for what reveals it."""
    found: dict[Entry, Finding] = {}
    for finding in findings:
        for entry in finding.atom.entries:
            if entry not in found or _rank(finding, entry) > _rank(found[entry], entry):
                found[entry] = finding
    return found


def _rank(finding: Finding, entry: Entry) -> tuple[int, float]:
    return _grade(finding, entry), finding.delta.upper


def _grade(finding: Finding, entry: Entry) -> int:
    if finding.verdict == Verdict.PASS:
        return 0
    part = finding.reveals is None or any(one == entry for _, one in finding.reveals)
    return 2 if finding.verdict == Verdict.FAIL and part else 1


def _rows(
    figures: Sequence[Figure], worst: Mapping[Entry, Finding], question: Question, public: Mapping[str, Column]
) -> Iterator[tuple[Cell, tuple[ShownCell | None, ...]]]:
    cells = [dict.fromkeys(figure.cells(public)) for figure in figures]
    every = dict.fromkeys(cell for mine in cells for cell in mine)
    for cell in every:
        yield (
            cell,
            tuple(
                _shown(Entry(figure, cell), worst, question) if cell in mine else None
                for figure, mine in zip(figures, cells, strict=True)
            ),
        )


def _shown(entry: Entry, worst: Mapping[Entry, Finding], question: Question) -> ShownCell:
    finding = worst.get(entry)
    return ShownCell(entry.figure, entry.cell, _tells(finding, entry, question), finding)


def _tells(finding: Finding | None, entry: Entry, question: Question) -> Tells:
    if finding is None:
        return Tells.NOBODY
    grade = _grade(finding, entry)
    if grade:
        return Tells.MUCH if grade == 2 else Tells.OPEN
    most, wanted = finding.delta.upper, question.target.delta
    if most <= LITTLE * wanted:
        return Tells.LITTLE
    return Tells.SOME if most <= SOME * wanted else Tells.CLOSE


def cell_lines(shown: ShownCell, question: Question) -> list[str]:
    """What somebody could learn from this number, with the others that are about the same people; and the event that
    tells, where there is one.
    """
    finding, target = shown.finding, question.target
    if finding is None:
        return ["Nobody is in it, as anybody may know: it tells nothing about a person."]
    people = f"{finding.atom.size} people, {known_among(finding, question)}"
    most = at_most(finding.delta.upper, target.delta)
    beside = [str(one) for one in finding.atom.entries if (one.figure, one.cell) != (shown.figure, shown.cell)]
    lines = [f"It covers a group of {people}, for whom it tells most."]
    if beside:
        more = f" and {len(beside) - 3} more" if len(beside) > 3 else ""
        lines.append(f"The same people are in {'; '.join(beside[:3])}{more}: they are judged together.")
    match shown.tells:
        case Tells.MUCH:
            lines.append(f"{reveals(finding.reveals)} tells too much about one of them.")
            if finding.witness:
                lines.append(f"An event that tells: {finding.witness}.")
        case Tells.OPEN:
            lines.append("No bound passes for them, and nothing shows that this number tells too much.")
        case _:
            factor = factor_of(target.epsilon)
            lines.append(
                f"Whatever it turns out to be, it is at most {factor} times as likely under one fact about "
                f"{whom(question)} as under another, but for a probability (delta at epsilon {short(target.epsilon)}) "
                f"of at most {most}. Wanted: at most {short(target.delta)}."
            )
    return lines
