"""May figures go out? And if so: out they go."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import EXIT, DataFile, Json, LedgerKeys, LedgerPlace, PolicyFile, SpecFile, app
from dalenius.cli.bar import Bar
from dalenius.errors import OutputError, noting

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
    json_: Json = False,
) -> None:
    """May these figures go out, with all that is out? Says why, and what would break it. Publishes nothing.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.release.folder import check_new_file, write_new_file
    from dalenius.release.spread import on_cores
    from dalenius.session import decide

    if report is not None:
        if report.suffix.lower() not in (".html", ".htm"):
            raise OutputError(f"Needed a file for a page, but got {report}. Let its name end with .html.")
        check_new_file(report)
    with Bar() as bar:
        decision = decide(
            spec, data, policy=policy, ledger=ledger, ledger_keys=ledger_key, progress=bar.show, spread=on_cores()
        )
        bar.show("looking how far what was assumed may be wrong", 0, 1)
        told = "" if json_ else decision.story()
        bar.show("drawing the report", 0, 1)
        page = decision.html() if report is not None else b""
    if report is not None:
        write_new_file(report, page)
    if json_:
        whence = {
            "ledger": decision.ledger.shown,
            "ledger_exists": decision.ledger.database.there,
            "earlier_releases": len(decision.past.memory.releases),
        }
        typer.echo(json.dumps({**decision.json(), **whence}, indent=2, ensure_ascii=False))
    else:
        typer.echo(f"{told}\n{decision.judged_with}")
    raise typer.Exit(EXIT[decision.verdict])


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
    json_: Json = False,
) -> None:
    """Publish the figures if they may go out, with a certificate and a report to sign. Otherwise write nothing.

    They are recorded in the ledger first. A release that was recorded before, but cut short, is completed.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.release.spread import on_cores
    from dalenius.session import carry_out, check_folder, decide, resume

    with Bar():
        resumed = resume(spec, output, data=data, policy=policy, ledger=ledger, ledger_keys=ledger_key)
    for line in resumed.told:
        typer.echo(line, err=True)
    if resumed.same is None:
        check_folder(output)
        with Bar() as bar:
            decision = decide(
                spec, data, policy=policy, ledger=ledger, ledger_keys=ledger_key, progress=bar.show, spread=on_cores()
            )
            bar.show("recording, and writing the report", 0, 1)
            outcome = carry_out(decision, output)
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
    with noting(f"{done.id} is recorded in {place} and written to {output}." if done else "Nothing was written."):
        if json_:
            whence = {"release": done.id if done else None, "ledger": place, "written": str(output) if done else None}
            typer.echo(json.dumps({**decision.json(), **whence}, indent=2, ensure_ascii=False))
        else:
            typer.echo(decision.story())
            recorded = f"Recorded: {done.id} in {place} (entry {done.number}, {done.hash})" if done else ""
            typer.echo(recorded or decision.judged_with)
            typer.echo(WRITTEN.format(output) if done else "Nothing was written.")
    raise typer.Exit(EXIT[decision.verdict])
