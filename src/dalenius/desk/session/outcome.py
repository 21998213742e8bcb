"""From a decision to a folder of published figures: recorded first, then written."""

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import final

from dalenius.basics.errors import DataError, InputError, LedgerError, OutputError, noting
from dalenius.basics.inputs import path_of
from dalenius.data.completion import finish, here
from dalenius.data.folder import only_maker, write_folder
from dalenius.desk.past import changed_numbers, declared
from dalenius.desk.session.approval import (
    JUDGEMENT,
    Approval,
    approval_of,
    check_unapproved,
)
from dalenius.desk.session.decision import Decision, computed_numbers, draw, judged
from dalenius.facts.records import Cell
from dalenius.plan import Publish
from dalenius.record.codec import digest
from dalenius.record.ledger import Draft, Memory, Recorded, Submission, Turn, digests
from dalenius.record.ledger.garbage import uncollected
from dalenius.show.acro import ACRO_VERSION, checksums, reader_version, results_json
from dalenius.show.imprint import Imprint
from dalenius.show.layout import WIDTH, paper
from dalenius.tables.published import Published, figures_csv

FIRM = ("figures.csv", "certificate.json", JUDGEMENT)  # files that do not say which release they are of
SECONDS = 10.0  # for what the report of an approved release tells beside the verdict
OVERTAKEN = 2  # how often somebody else may record first, before the ledger is held while judging
NOTHING = "Nothing was recorded, and nothing was released."


def check_folder(target: Path) -> None:
    """OutputError unless the folder can be made: it is new, and its parent is there."""
    target = path_of(target, error=OutputError)
    if os.path.lexists(target):
        raise OutputError(f"Needed a new folder, but {target} is there already. Choose another name, or remove it.")
    if not target.absolute().parent.is_dir():
        raise OutputError(
            f"Needed a folder {target.parent} to put {target.name} in, but there is none. Create it first."
        )
    try:
        Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent)).rmdir()
    except OSError:
        raise OutputError(
            f"Needed a folder to write in, but {target.parent} is not writable. Choose another, or ask for permission."
        ) from None


@final
@dataclass(frozen=True, slots=True)
class ReleaseOutcome:
    """What became of a decision that was to be carried out. `decision` is the one that counts: if something else was
    released in the meantime, the figures were judged again. `release` is None if they may not go out.
    """

    decision: Decision
    release: Recorded | None = None
    published: tuple[Published, ...] = ()


def carry_out(
    decision: Decision, target: Path | str, *, reader: str = ACRO_VERSION, submission: str | None = None
) -> ReleaseOutcome:
    """Record the figures in the ledger, then write their folder, for the reader of this version of ACRO.

    What is judged is all that was released before the moment of recording. If the ledger has moved since the decision,
    the figures are judged again, at last while everybody else waits. From the moment of recording they count as
    released: if a crash comes before the folder is written, the ledger has the files, and `complete` writes them.

    `submission` names what persons approved: then figures go out that dalenius does not certify, in their names, or
    figures that it certifies and a policy wants approved. Nothing else may have been released in the meantime.
    """
    target = _folder(target)
    check_folder(target)
    reader = reader_version(reader)
    decision.ledger.check_key()
    if submission is not None:
        return _carry_out_approved(decision, target, reader, submission)
    check_unapproved(decision.policies)
    for overtaken in count():
        if not isinstance(decision.as_specified, Publish):
            return ReleaseOutcome(decision)
        with noting(NOTHING):
            parcel = _parcel(decision, decision.ledger.coming(), reader)
        with only_maker(target):
            check_folder(target)
            with decision.ledger.turn() as turn, noting(NOTHING):
                _check_kept(decision, turn)
                moved = turn.head(decision.asked.dataset) != decision.past.memory.head
                if moved and overtaken >= OVERTAKEN:
                    decision, moved = _again(decision, turn.memory(decision.asked.dataset)), False
                    if not isinstance(decision.as_specified, Publish):
                        return ReleaseOutcome(decision)
                    parcel = _parcel(decision, turn.coming(), reader)
                parcel = parcel if moved else parcel.named(decision, turn.coming())
                release = None if moved else turn.record(_draft(decision, parcel, target), parcel.files)
            if release is not None:
                _finish(decision, release, target, parcel.files)
                return ReleaseOutcome(decision, release, parcel.published)
        with noting(NOTHING):
            decision = _again(decision)
    raise AssertionError  # there is always a next attempt


def _carry_out_approved(decision: Decision, target: Path, reader: str, submission: str) -> ReleaseOutcome:
    """The same for what persons approved: it is looked up before figures are drawn, and again while nobody else can
    record anything.
    """
    if decision.budget.seconds is None:  # the report tells what would help, as far as that is found soon
        decision = decision.within(SECONDS, progress=decision.progress)
    with noting(NOTHING):
        approval = _approved(decision, decision.ledger.submission(submission), decision.past.memory.head)
        parcel = _parcel(decision, decision.ledger.coming(), reader, approval)
    with only_maker(target):
        check_folder(target)
        with decision.ledger.turn() as turn, noting(NOTHING):
            _check_kept(decision, turn)
            _approved(decision, turn.submission(submission), turn.head(decision.asked.dataset))
            parcel = parcel.named(decision, turn.coming())
            release = turn.record(_draft(decision, parcel, target), parcel.files)
        _finish(decision, release, target, parcel.files)
    return ReleaseOutcome(decision, release, parcel.published)


def _approved(decision: Decision, submission: Submission, head: str) -> Approval:
    marks = (decision.fingerprint, decision.persons)
    return approval_of(submission, declared(decision.asked), marks, head, decision.policies, decision.verdict)


def _folder(target: object) -> Path:
    """The folder that is meant; OutputError unless it is the name of one."""
    if not isinstance(target, str | Path) or not str(target):
        came = "an empty text" if target == "" else f"an object of the type {type(target).__name__}"
        raise OutputError(f"Needed the name of a new folder, but got {came}. Write a path.")
    return Path(target).absolute()


def _check_kept(decision: Decision, turn: Turn) -> None:
    """LedgerError if the ledger was taken away, and another one is in its place."""
    if not turn.follows(decision.past.memory):
        raise LedgerError(
            f"Needed the ledger {decision.ledger.shown} as it was when the figures were judged, but "
            f"{decision.past.memory.releases[-1].id} is not in it any more: somebody replaced it. Nothing was "
            "released. Restore it from a backup."
        )


def _finish(decision: Decision, release: Recorded, target: Path, files: Mapping[str, bytes]) -> None:
    """Write the folder of what is recorded; if that fails, say where the figures are."""
    shown = decision.ledger.shown
    try:
        with noting(
            f"{release.id} is recorded in {shown} and counts as released. If its folder {target} is not there, "
            f"`dalenius ledger complete {release.id}` writes it."
        ):
            finish(decision.ledger, release, target, dict(files))
    except OutputError as error:
        raise OutputError(
            f"{release.id} is recorded in {shown} and counts as released, but its folder is not written: {error} "
            f"`dalenius ledger complete {release.id} --output DIR` writes it."
        ) from None
    except LedgerError as error:
        raise LedgerError(
            f"{release.id} is recorded, and written to {target}, but that could not be noted in the ledger {shown}. "
            f"Nothing is lost: the next release, or `dalenius ledger complete`, notes it. ({_reason(error)})"
        ) from None


def _reason(error: LedgerError) -> str:
    """Why, without what else is said for those who have nothing yet."""
    return str(error).partition(" Nothing was ")[0]


def _again(decision: Decision, memory: Memory | None = None) -> Decision:
    found = judged(decision.asked, decision.table, decision.ledger, memory=memory, policies=decision.policies)
    return found.within(decision.budget.seconds).made_by(decision.author)


@final
@dataclass(frozen=True, slots=True)
class _Parcel:
    """The figures, drawn, and all files of their folder, in which the reports say which release it is."""

    published: tuple[Published, ...]
    imprint: Imprint
    files: Mapping[str, bytes]
    reader: str
    approval: Approval | None = None

    def named(self, decision: Decision, coming: tuple[str, int]) -> "_Parcel":
        """The same as the release that will be called so; others may have recorded theirs in the meantime."""
        if (self.imprint.release, self.imprint.entry) == coming:
            return self
        imprint = decision.imprint(*coming, self.imprint.certificate)
        firm = {name: self.files[name] for name in FIRM if name in self.files}
        files = folder_files(decision, self.published, firm, imprint, self.reader, self.approval)
        return _Parcel(self.published, imprint, files, self.reader, self.approval)


def _parcel(decision: Decision, coming: tuple[str, int], reader: str, approval: Approval | None = None) -> _Parcel:
    """Draw the figures and make their files: those that passed, or that persons approved. What the report says is
    worked out while an embedded engine adds up the figures. `coming`: what the release will be called, and the number
    of its entry.
    """
    if approval is None and not isinstance(decision.as_specified, Publish):
        raise AssertionError  # asked by `carry_out`
    if decision.table.embedded:
        with ThreadPoolExecutor(1) as beside:
            drawn = beside.submit(draw, decision)
            with uncollected():
                decision.weigh()
        published = drawn.result()
    else:
        published = draw(decision)
        decision.weigh()
    changed = changed_numbers(decision.past, decision.prepared.figures, _numbers(published))
    if changed:
        raise DataError(
            f"Figure {changed}, although its definition and the public columns are the same: the table was corrected. "
            "The difference would tell about those whose records changed. Release from the table as it was, or name "
            "its state differently with edition."
        )
    computed = computed_numbers(decision, published)
    figures = figures_csv(published, decision.prepared.public, decision.prepared.confidential, computed)
    firm = {"figures.csv": figures}
    if approval is not None and not approval.certified:
        firm[JUDGEMENT] = _judgement(decision, approval, digest(figures))
        imprint = decision.imprint(*coming)
    else:
        with uncollected():
            firm["certificate.json"] = decision.certificate(figures)
        imprint = decision.imprint(*coming, digest(firm["certificate.json"]))
    files = folder_files(decision, published, firm, imprint, reader, approval)
    return _Parcel(tuple(published), imprint, files, reader, approval)


def _judgement(decision: Decision, approval: Approval, figures: str) -> bytes:
    """What stands in the place of a certificate: that there is none, who answers for the figures, and what dalenius
    found. It has no number of a guarantee.
    """
    found = {
        "schema": "dalenius/judgement/1",
        "certified": False,
        "words": approval.words,
        **approval.json(),
        "answer": decision.summary()["answer"],
        "dataset": decision.asked.dataset,
        "figures": [figure.name for figure in decision.prepared.figures],
        "sha256": {"figures.csv": figures},
        "policies": [policy.limits() for policy in decision.policies],
        "software": f"dalenius {decision.version}",
    }
    return (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode()


def folder_files(
    decision: Decision,
    published: Sequence[Published],
    firm: Mapping[str, bytes],
    imprint: Imprint,
    reader: str = ACRO_VERSION,
    approval: Approval | None = None,
) -> dict[str, bytes]:
    """All files of a release by name: `firm` are the figures with their certificate, or with the judgement of persons;
    beside them come reports that say which release it is.
    """
    first = "" if approval is None else f"{approval.words}\n\n"
    with paper(WIDTH), uncollected():  # whatever terminal it is made on
        files = {
            **firm,
            "report.txt": f"{first}{decision.story()}\n{imprint.text()}".encode(),
            "report.html": decision.html(published, digest(firm["figures.csv"]), imprint=imprint, approval=approval),
        }
    summary = decision.summary()
    if approval is not None:
        summary |= {"answer": f"{approval.words} What dalenius found: {summary['answer']}"}
        summary |= {} if approval.certified else {"claim": None}
    files["results.json"] = results_json(
        summary, files, software=decision.version, timestamp=imprint.when, version=reader
    )
    return files | checksums(files)


def desk_folder(decision: Decision, target: Path | str, *, reader: str = ACRO_VERSION) -> None:
    """Write a folder for the checker's desk, whatever the decision is: the reports and what the viewer shows, and no
    figures. Nothing is recorded, and no confidential value is read.
    """
    target = _folder(target)
    check_folder(target)
    imprint = decision.imprint("", 0, "")
    with paper(WIDTH), uncollected():
        files = {"report.txt": decision.story().encode(), "report.html": decision.html()}
    files["results.json"] = results_json(
        decision.summary(), files, software=decision.version, timestamp=imprint.when, version=reader_version(reader)
    )
    write_folder(target, files | checksums(files))


def _numbers(published: Iterable[Published]) -> dict[str, list[tuple[Cell, Fraction | None]]]:
    found: dict[str, list[tuple[Cell, Fraction | None]]] = {}
    for item in published:
        found.setdefault(item.figure.name, []).append((item.cell, item.value))
    return found


def _draft(decision: Decision, parcel: _Parcel, target: Path) -> Draft:
    """All that the ledger keeps of a release."""
    asked, numbers = decision.asked, _numbers(parcel.published)
    claim = decision.summary()["claim"]
    guarantee = {
        "verdict": decision.verdict,
        "epsilon": claim["epsilon"],
        "delta_at_most": repr(claim["delta_at_most"]),
    }
    approval = parcel.approval
    if approval is not None and not approval.certified:
        guarantee = {"verdict": "none", "epsilon": "", "delta_at_most": ""}  # persons answer for it, and no number
    return Draft(
        declared(asked),
        decision.fingerprint,
        tuple(tuple(numbers[figure.name]) for figure in asked.asked),
        decision.past.memory.releases[-1].id if decision.past.memory.releases else "",
        guarantee,
        digests(parcel.files),
        str(target),
        parcel.imprint.author,
        here(),
        parcel.imprint.when,
        f"dalenius {decision.version}",
        decision.persons,
        None if approval is None else approval.json(),
    )


def release_folder(decision: Decision, target: Path | str) -> list[Published]:
    """Record the figures in the ledger and write the figures, the certificate, the report to sign and what ACRO's
    reader wants into a new folder: all of them, or nothing. Only for a decision to publish.

    >>> import pathlib, tempfile
    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> decision = dl.decide(files("dalenius.desk.examples") / "release.yaml", ledger=folder / "ledger.sqlite")
    >>> _ = dl.release_folder(decision, folder / "out")
    >>> (folder / "out" / "certificate.json").exists()
    True
    """
    outcome = carry_out(decision, target)
    if outcome.release is None:
        raise InputError(
            "Only figures that passed may be computed, but these did not. The decision says what would make them safe."
            if outcome.decision is decision
            else "Another release was recorded in the meantime, and together with it these figures may not go out. "
            "Decide again: the decision says why."
        )
    return list(outcome.published)
