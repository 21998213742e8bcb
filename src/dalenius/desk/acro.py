"""ACRO sessions with an audit behind them, in one line: `dalenius.desk.acro.attach(session)`.

ACRO's check for linked tables says "a manual review is recommended". Attached, it audits each new table of counts
together with all tables of the session, and answers with what follows: fail and a mask of the cells, pass, or review.
When the session is finalised, the tables are audited once more, as they are written, and every output gets its status
then: ACRO sets it to review after it has hidden something, whatever its checks said. ACRO itself is not imported here:
the session brings it.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, final

from dalenius.audit.examination import AuditAnswer, Examined, examine
from dalenius.audit.marks import Marking
from dalenius.audit.reading import Hints, read_table
from dalenius.audit.tables import SHOWN, Cell, Convention, MarkRule, PublishedTable
from dalenius.basics.errors import InputError
from dalenius.desk.audit.acro_folder import BLANKS, COUNTS
from dalenius.desk.audit.auditing import Audit
from dalenius.desk.audit.gathering import Gathered
from dalenius.desk.audit.writing import BEGINS, CHECK, annotate_record
from dalenius.show.audit import sentences, told

SECONDS = 20.0


def attach(session: Any, *, seconds: float = SECONDS) -> "Attached":
    """Put the audit behind a session's check for linked tables. It returns the check, which nobody needs to keep."""
    checks = getattr(session, "sdc_checks", None)
    methods = getattr(checks, "check_to_method", None)
    if not isinstance(methods, dict) or CHECK not in methods:
        raise InputError(
            f"Needed a session of ACRO 1.0 or later, acro.ACRO(), with the check {CHECK}, but got "
            f"{type(session).__name__}. Upgrade acro, or audit the folder that finalise() writes (dalenius audit)."
        )
    check = Attached(session, seconds)
    methods[CHECK] = check
    finalise = session.results.finalise

    def audited(*arguments: Any, **options: Any) -> Any:
        check.settle()
        return finalise(*arguments, **options)

    session.results.finalise = audited
    return check


@final
class Attached:
    """The check: it is called for every table, and looks at those of before that are still in the session."""

    def __init__(self, session: Any, seconds: float) -> None:
        self._session, self._seconds = session, seconds
        self.examined: Examined | None = None

    def __call__(self, name: str, evidence: Any, model: Any) -> tuple[str, str, Any]:
        """Status, summary and mask, as ACRO wants them. The new table is taken as ACRO is about to write it."""
        mask = model.get_allfalse_table()
        uid = f"output_{self._session.results.output_id}"
        try:
            names = tuple(str(each) for each in model.get_dimension_names())
            table = _read(model.get_count_table(), uid, names, len(model.index))
            if self._session.suppress:
                table = _suppressed(table, self._threshold)
            before = [each for each in self._tables() if each.name != uid]
            self.examined = examine([*before, table], self._convention(), seconds=self._seconds)
        except InputError as error:
            return "review", f"review: the tables of this session could not be audited together. {error}\n", mask
        for cell in table.cells:
            found = self.examined.of_cell(table, cell)
            if found is not None and found.tells:
                mask.iloc[cell.row, cell.column - len(model.index) + 1] = True
        status = str(self.examined.answer)
        reasons = " ".join(told(self.examined)) if self.examined.answer == AuditAnswer.FOLLOWS else ""
        return status, f"{status}: {' '.join(sentences(self.examined))} {reasons}\n", mask

    def settle(self) -> None:
        """Audit the tables as they are written, and give every output its status, its red cells and a paragraph."""
        records = self._session.results.results
        try:
            tables = self._tables()
            if not tables:
                return
            self.examined = examine(tables, self._convention(), seconds=self._seconds)
        except InputError as error:
            for record in records.values():
                if _counts(record):
                    record.comments = [*(record.comments or []), f"{BEGINS}not possible. {error}"]
                    record.status = "review" if record.status == "pass" else record.status
            return
        audit = Audit(self.examined, None, Gathered(tuple(tables), (), (), None, {}, {}))
        for uid, record in records.items():
            if any(table.name == uid for table in tables):
                written = {
                    "status": record.status,
                    "summary": record.summary,
                    "comments": record.comments,
                    "fair": record.fair,
                    "files": [{"name": uid, "sdc": record.sdc}],
                }
                annotate_record(written, [uid], audit)
                record.status, record.summary = written["status"], written["summary"]
                record.comments, record.sdc = written["comments"], written["files"][0]["sdc"]

    @property
    def _threshold(self) -> int:
        return int(self._session.sdc_checks.risk_appetite["safe_threshold"])

    def _convention(self) -> Convention:
        return Convention(threshold=self._threshold, rules=(MarkRule("blank", 0, self._threshold - 1),))

    def _tables(self) -> list[PublishedTable]:
        """The tables of counts that the session has, as they stand in it."""
        found = []
        for uid, record in self._session.results.results.items():
            if _counts(record):
                names = tuple(str(each) for each in record.fair.get("independent") or ())
                for frame in record.output[:1]:
                    table = _read(frame, uid, names, frame.index.nlevels)
                    if record.properties.get("mitigation") == "suppress":
                        table = replace(table, totals=SHOWN, absent="hidden")
                    found.append(table)
        return found


def _counts(record: Any) -> bool:
    fair = record.fair
    return record.output_type == "table" and isinstance(fair, Mapping) and fair.get("statbarn") == COUNTS


def _read(frame: Any, name: str, names: tuple[str, ...], sides: int) -> PublishedTable:
    """A table that pandas made."""
    hints = Hints(form="wide", rows=names[:sides], columns=names[sides:] or None, marking=Marking(hidden=BLANKS))
    return read_table(frame.to_csv(), name, hints)


def _suppressed(table: PublishedTable, threshold: int) -> PublishedTable:
    """Small counts hidden, and totals of what is left."""
    inner = [cell for cell in table.cells if None not in cell.labels]
    shown = [cell for cell in inner if cell.lower is not None and cell.lower >= threshold]
    cells = []
    for cell in table.cells:
        if None in cell.labels:
            left = sum((each.lower or Fraction(0) for each in shown if _within(each, cell)), Fraction(0))
            cells.append(replace(cell, lower=left, upper=left))
        elif cell in shown:
            cells.append(cell)
        else:
            cells.append(replace(cell, lower=None, upper=None, mark="blank"))
    return replace(table, cells=tuple(cells), totals=SHOWN, absent="hidden")


def _within(cell: Cell, total: Cell) -> bool:
    return all(wanted in (None, label) for label, wanted in zip(cell.labels, total.labels, strict=True))
