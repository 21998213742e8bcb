"""An audit from start to end: tables are read and linked, what follows is worked out, and what would help."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias, final

from dalenius.audit.examination import AuditAnswer, Conclusion, Examined, examine, name_of
from dalenius.audit.marks import Rounding, rounding_of
from dalenius.audit.persons import BelievedNumbers, believe
from dalenius.audit.remedy import AuditAdvice, AuditRemedy, advise
from dalenius.audit.tables import COUNT, Convention, PublishedTable
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import path_of
from dalenius.desk.audit.gathering import Gathered, gather
from dalenius.desk.audit.tables_file import (
    TablesModel,
    convention_of,
    load_tables_file,
    tables_model,
    weights_of,
    with_beliefs,
)
from dalenius.show.audit import audit_text, sentences
from dalenius.show.believed import believed_json
from dalenius.show.cell_bar import watched

Progress: TypeAlias = Callable[[str, int, int], None]

THRESHOLD = 10
SECONDS = 60.0


@final
@dataclass(frozen=True)
class Audit:
    """What follows from tables, and what would help. `verdict` is fail if something follows, pass if it is proved that
    nothing does, and review if that is not settled.
    """

    examined: Examined
    advice: AuditAdvice | None
    gathered: Gathered
    believed: BelievedNumbers | None = None

    @property
    def verdict(self) -> str:
        """Fail, pass or review. Tables that could not be read leave open what follows from them."""
        if self.examined.answer == AuditAnswer.NOTHING and self.gathered.unread:
            return str(AuditAnswer.UNDECIDED)
        return str(self.examined.answer)

    @property
    def answer(self) -> str:
        """In a sentence or two."""
        return " ".join(sentences(self.examined, len(self.gathered.unread)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken for granted, and what was left out."""
        small = self.examined.small_shown
        are = "count below {} is shown as it is" if small == 1 else "counts below {} are shown as they are"
        shown = f"{small} {are.format(self.examined.convention.threshold)}." if small else ""
        unread = [f"Not audited: {each}." for each in self.gathered.unread]
        notes = (*self.gathered.notes, *self.examined.linked.notes, shown, *unread)
        return tuple(note for note in notes if note)

    def text(self, *, colour: bool = False) -> str:
        """The audit in words, with pictures of the tables."""
        return audit_text(
            self.examined,
            self.notes,
            self.advice,
            colour=colour,
            unread=len(self.gathered.unread),
            believed=self.believed,
        )

    def _repr_html_(self) -> str:
        """In a notebook: the page with the tables, in a frame."""
        from importlib.metadata import version

        from dalenius.show.html.audit import audit_html
        from dalenius.show.html.notebook import page_fragment

        page = audit_html(
            self.examined,
            self.notes,
            self.advice,
            version=version("dalenius"),
            unread=len(self.gathered.unread),
            believed=self.believed,
        )
        return page_fragment(page, "What follows from these tables")

    def json(self) -> dict[str, Any]:
        """The audit for machines, without proofs."""
        tables = self.examined.tables
        return {
            "verdict": self.verdict,
            "answer": self.answer,
            "attacker": self.examined.attackers[-1].words,
            "tables": [
                {"name": table.name, "variables": list(table.variables), "cells": len(table.cells)}
                | ({"earlier": True} if table.earlier else {})
                for table in tables
            ],
            "numbers": [_number(each, tables) for each in self.examined.conclusions],
            "remedies": None if self.advice is None else [_remedy(each) for each in self.advice.remedies],
            "untried": [] if self.advice is None else list(self.advice.untried),
            "no_help": [] if self.advice is None else list(self.advice.failed),
            "notes": list(self.notes),
        } | ({} if self.believed is None else {"belief": believed_json(self.believed, tables)})


def audit(
    *tables: str | Path | PublishedTable,
    tables_file: str | Path | Mapping[str, Any] | None = None,
    rounded: str | int | None = None,
    rules: Sequence[str] = (),
    earlier: Sequence[str | Path | PublishedTable] = (),
    threshold: int | None = None,
    width: int = 1,
    zeros: str = "hidden",
    attacker: str = "outside",
    beliefs: str | Path | Mapping[str, Any] | None = None,
    remedy: bool = True,
    seconds: float | None = SECONDS,
    progress: Progress | None = None,
) -> Audit:
    """What follows from tables that are already made: CSV files, folders, folders of ACRO.

    `tables_file` says what labels and marks mean. `rules` are what an attacker knows of hidden numbers ("hidden means 1
    to 9"); `zeros` is "shown" if they know that no hidden number is 0; `attacker` is "member" if they may be one of the
    people in a hidden cell. `earlier` tables are out already: they count, and cannot be changed. `beliefs`, if they do
    not stand in the tables file, say how likely people are to have each label.

    >>> import dalenius as dl
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text(chr(10).join(("region,count", "north,10", "south,3", "west,x", "Total,15")))
    >>> found = dl.audit(path)
    >>> found.verdict, found.json()["numbers"][0]["low"]
    ('fail', 2)
    """
    end = None if seconds is None else monotonic() + seconds
    show = watched(progress)
    model = with_beliefs(_model(tables_file), path_of(beliefs) if isinstance(beliefs, str) else beliefs)
    rounding = None if rounded is None else rounding_of(str(rounded))
    convention = _convention(model, tuple(rules), threshold, width, zeros, attacker)
    show("reading tables", 0, 0)
    gathered = gather(list(tables), list(earlier), model, rounding, convention)
    convention = replace(convention, nested={**gathered.nested, **convention.nested})
    if gathered.rule is not None:
        if threshold is None and gathered.rule.upper is not None:
            convention = replace(convention, threshold=gathered.rule.upper + 1)
        if not convention.rules:
            convention = replace(convention, rules=(gathered.rule,))
    show("working out what follows", 0, 0)
    examined = examine(gathered.tables, convention, seconds=_left(end))
    believed = None
    if convention.beliefs:
        _check_rounding(model, rounding)
        show("working out how likely it is", 0, 0)
        until = inf if end is None else (monotonic() + end) / 2
        believed = believe(examined, lambda: monotonic() < until)
    advice = None
    if remedy and examined.answer == AuditAnswer.FOLLOWS:
        show("looking for what would help", 0, 0)
        advice = advise(examined, seconds=_left(end), weights=weights_of(model))
    return Audit(examined, advice, gathered, believed)


def _check_rounding(model: TablesModel, rounding: Rounding | None) -> None:
    """InputError if numbers were rounded by chance: what they tell is more than between which ends they lie."""
    own = [rounding_of(str(each.rounded)) for each in model.tables.values() if each.rounded is not None]
    if any(each is not None and each.kind == "random" for each in (rounding, *own)):
        raise InputError(
            "Beliefs do not go with numbers that were rounded by chance: how likely each rounding was would count too. "
            "Leave the beliefs out."
        )


def _left(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - monotonic())


def _model(tables_file: str | Path | Mapping[str, Any] | None) -> TablesModel:
    if tables_file is None:
        return tables_model({})
    return tables_model(tables_file) if isinstance(tables_file, Mapping) else load_tables_file(path_of(tables_file))


def _convention(
    model: TablesModel, rules: tuple[str, ...], threshold: int | None, width: int, zeros: str, attacker: str
) -> Convention:
    for name, value in (("threshold", THRESHOLD if threshold is None else threshold), ("width", width)):
        if not 1 <= value <= 10**9:
            raise InputError(f"{name} needs a whole number from 1 on, but got {value}. Write 10 for a threshold of 10.")
    if zeros not in ("hidden", "shown"):
        raise InputError(
            f"zeros needs to be hidden or shown, but got {zeros[:40]!r}. Write shown if no hidden one is 0."
        )
    if attacker not in ("outside", "member"):
        raise InputError(f"attacker needs to be outside or member, but got {attacker[:40]!r}. Write one of these.")
    convention = convention_of(model, rules, THRESHOLD if threshold is None else threshold)
    return replace(convention, width=width, least=int(zeros == "shown"), member=attacker == "member")


def _number(each: Conclusion, tables: Sequence[PublishedTable]) -> dict[str, Any]:
    """One number that was asked about."""
    finding = each.finding
    places = [
        {
            "table": name,
            "labels": _labels(name, cell.labels, tables),
            "row": cell.row,
            "column": cell.column,
            "mark": cell.mark,
        }
        for name, cell in each.asked.cells
    ]
    found: dict[str, Any] = {
        "name": name_of(each.asked, tables),
        "status": str(each.status),
        "low": finding.low,
        "high": finding.high,
        "exact": finding.exact,
        "seen": None if finding.seen is None else list(finding.seen),
    }
    if each.asked.measure != COUNT:
        found["measure"] = each.asked.measure
    if each.tells:
        found |= {"to": list(each.to), "because": list(each.because)}
    return found | ({"places": places} if places else {})


def _labels(name: str, labels: Sequence[str | None], tables: Sequence[PublishedTable]) -> dict[str, str | None]:
    table = next(each for each in tables if each.name == name)
    return dict(zip(table.variables, labels, strict=True))


def _remedy(each: AuditRemedy) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "what": each.words,
        "cells": [{"table": name, "row": cell.row, "column": cell.column} for name, cell in each.hidden],
    }
