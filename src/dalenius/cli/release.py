"""May figures go out? And if so: out they go."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.basics.errors import OutputError, noting
from dalenius.cli.app import (
    EXIT,
    SECONDS,
    SECONDS_TO_REPORT,
    DataFile,
    Json,
    LedgerKeys,
    LedgerPlace,
    PolicyFile,
    SpecFile,
    app,
    seconds_for,
)
from dalenius.cli.bar import Bar
from dalenius.show.acro import ACRO_VERSION, reader_version
from dalenius.show.layout import wrapped

if TYPE_CHECKING:
    from dalenius.desk.session import Decision, ReleaseOutcome

AcroVersion = Annotated[
    str, typer.Option("--acro", metavar="VERSION", help="Of which version of ACRO the reader is that takes the folder.")
]
UNWRITTEN = "Nothing was written."
AGAIN = (
    "If the table changes and comes out again, say so from then on (edition: {{now: 2, since: COLUMN, before: {{{}: "
    "1}}}}): keep all rows, with a public column that says since when each is there."
)
JUDGED = "Written: {}/figures.csv, judgement.json, report.html, report.txt; no certificate; results.json for a viewer"
WRITTEN = "Written: {}/figures.csv, certificate.json, report.html, report.txt; results.json for a viewer"


@app.command()
def check(
    spec: SpecFile,
    data: DataFile = None,
    policy: PolicyFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Also write the report as a page (.html), without the figures."),
    ] = None,
    desk: Annotated[
        Path | None,
        typer.Option(
            "--desk", metavar="DIR", help="Also write a new folder for the checker's viewer: reports, without figures."
        ),
    ] = None,
    acro: AcroVersion = ACRO_VERSION,
    json_: Json = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Stop after the verdict and what it rests on. In JSON margins is then false, and there is no "
            "attacker.largest_known, remedies, advice or untried: nobody looked.",
        ),
    ] = False,
    seconds: Annotated[float, seconds_for("margins, and for what would make figures safe")] = SECONDS,
) -> None:
    """May these figures go out, with all that is out? Says why, and what would break it. Publishes nothing.

    The verdict is printed as soon as it is known; then, as they are found, what would make the figures safe, and how
    far what was assumed may be wrong.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.data.spread import on_cores
    from dalenius.desk.session import decide

    if report is not None:
        _check_page(report)
    if desk is not None:
        from dalenius.desk.session import check_folder

        check_folder(desk)
        reader_version(acro)
    with Bar() as bar:
        decision = decide(
            spec,
            data,
            policy=policy,
            ledger=ledger,
            ledger_keys=ledger_key,
            progress=bar.show,
            spread=on_cores(),
            margins=False,
            seconds=seconds,
        )
        if desk is not None:
            from dalenius.desk.session import desk_folder

            bar.show("writing the folder for the desk", 0, 1)
            desk_folder(decision, desk, reader=acro)
        if json_:
            if report is not None:
                _write_page(report, decision, bar)
            whence = {
                "ledger": decision.ledger.shown,
                "ledger_exists": decision.ledger.database.there,
                "earlier_releases": len(decision.past.memory.releases),
            }
            bar.say(json.dumps({**decision.json(margins=not quick), **whence}, indent=2, ensure_ascii=False))
        else:
            for part in [decision.brief().rstrip("\n")] if quick else decision.parts():
                bar.say(part)
            bar.say(f"\n{decision.judged_with}")
            if report is not None:
                _write_page(report, decision, bar)
    raise typer.Exit(EXIT[decision.verdict])


def _check_page(report: Path) -> None:
    """OutputError unless a page can be written there."""
    from dalenius.data.folder import check_new_file

    if report.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"Needed a file for a page, but got {report}. Let its name end with .html.")
    check_new_file(report)


def _write_page(report: Path, decision: "Decision", bar: Bar) -> None:
    from dalenius.data.folder import write_new_file

    bar.show("drawing the report", 0, 1)
    write_new_file(report, decision.html())


def _told(outcome: "ReleaseOutcome", bar: Bar) -> "Decision":
    """The decision as it is told: where nothing was released, what would help is looked for as `check` does."""
    return outcome.decision if outcome.release else outcome.decision.within(SECONDS, progress=bar.show)


@app.command()
def release(
    spec: SpecFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="A new folder for the figures, the certificate and the report."
        ),
    ],
    data: DataFile = None,
    policy: PolicyFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    acro: AcroVersion = ACRO_VERSION,
    submission: Annotated[
        str | None,
        typer.Option(
            "--submission",
            metavar="ID",
            help="What persons approved (`dalenius review`): it goes out in their names if it is not certified.",
        ),
    ] = None,
    json_: Json = False,
    seconds: Annotated[float, seconds_for("margins and charts of the report")] = SECONDS_TO_REPORT,
) -> None:
    """Publish the figures if they may go out, with a certificate and a report to sign. Otherwise write nothing.

    They are recorded in the ledger first. With --submission, what persons approved goes out in their names, if it is
    not certified. A release that was recorded before, but cut short, is completed.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.data.spread import on_cores
    from dalenius.desk.session import carry_out, check_folder, decide, resume
    from dalenius.show.review import approval_words

    with Bar():
        resumed = resume(spec, output, data=data, policy=policy, ledger=ledger, ledger_keys=ledger_key)
    for line in resumed.told:
        typer.echo(line, err=True)
    if resumed.same is None:
        check_folder(output)
        reader_version(acro)
        with Bar() as bar:
            decision = decide(
                spec,
                data,
                policy=policy,
                ledger=ledger,
                ledger_keys=ledger_key,
                progress=bar.show,
                spread=on_cores(),
                margins=False,
                seconds=seconds,
            )
            bar.show("recording, and writing the report", 0, 1)
            outcome = carry_out(decision, output, reader=acro, submission=submission)
    if resumed.same is not None:
        if json_:
            told = {"verdict": "pass", "release": resumed.same.id, "ledger": resumed.ledger, "written": str(output)}
            typer.echo(json.dumps({**told, "completed": True}, indent=2, ensure_ascii=False))
        else:
            typer.echo(
                f"These figures were released before: {resumed.same.id} in {resumed.ledger}. No new ones were drawn."
            )
            typer.echo(WRITTEN.format(output))
        raise typer.Exit(EXIT["pass"])
    decision, done = outcome.decision, outcome.release
    place = decision.ledger.shown
    with noting(f"{done.id} is recorded in {place} and written to {output}." if done else UNWRITTEN):
        if json_:
            whence: dict[str, Any] = {"release": done.id if done else None, "ledger": place}
            whence["written"] = str(output) if done else None
            if done is not None and done.approval is not None:
                whence["approval"] = dict(done.approval)
            with Bar() as bar:
                bar.say(json.dumps({**_told(outcome, bar).json(), **whence}, indent=2, ensure_ascii=False))
        else:
            with Bar() as bar:
                for part in _told(outcome, bar).parts():
                    bar.say(part)
                bar.say("")
            recorded = f"Recorded: {done.id} in {place} (entry {done.number}, {done.hash})" if done else ""
            typer.echo(recorded or decision.judged_with)
            if done is not None and decision.asked.edition is None:
                typer.echo(wrapped(AGAIN.format(done.id)))
            if done is not None and done.approval is not None:
                typer.echo(wrapped(approval_words(done.approval)))
            written = WRITTEN if done is None or done.certified else JUDGED
            typer.echo(UNWRITTEN if done is None else written.format(output))
    raise typer.Exit(EXIT["pass" if done else decision.verdict])
