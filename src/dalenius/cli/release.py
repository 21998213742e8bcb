"""May figures go out? And if so: out they go."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import EXIT, DataFile, Json, LedgerPlace, SpecFile, app
from dalenius.cli.bar import Bar


@app.command()
def check(spec: SpecFile, data: DataFile = None, ledger: LedgerPlace = None, json_: Json = False) -> None:
    """May these figures go out, together with all that is out? Says why, and what would break it. Writes nothing.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.session import decide

    with Bar() as bar:
        decision = decide(spec, data, ledger=ledger, progress=bar.show)
    typer.echo(json.dumps(decision.json(), indent=2, ensure_ascii=False) if json_ else decision.story().rstrip())
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
    ledger: LedgerPlace = None,
    json_: Json = False,
) -> None:
    """Publish the figures if they may go out: figures.csv, certificate.json, report.txt. Otherwise write nothing.

    They are recorded in the ledger first. A release that was recorded before, but cut short, is completed.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.session import carry_out, check_folder, decide, resume

    with Bar() as bar:
        resumed = resume(spec, output, ledger=ledger)
        if resumed.same is None:
            check_folder(output)
            decision = decide(spec, data, ledger=ledger, progress=bar.show)
            outcome = carry_out(decision, output)
    for line in resumed.told:
        typer.echo(line, err=True)
    if resumed.same is not None:
        if json_:
            told = {"verdict": "pass", "release": resumed.same.id, "ledger": resumed.ledger, "written": str(output)}
            typer.echo(json.dumps({**told, "completed": True}, indent=2, ensure_ascii=False))
        else:
            typer.echo(
                f"These figures were released before: {resumed.same.id} in {resumed.ledger}. No new ones were drawn."
            )
            typer.echo(f"Written: {output}/figures.csv, certificate.json, report.txt")
        raise typer.Exit(EXIT["pass"])
    decision, done = outcome.decision, outcome.release
    if json_:
        whence = {"release": done.id if done else None, "ledger": decision.ledger.shown}
        written = str(output) if done else None
        typer.echo(json.dumps({**decision.json(), **whence, "written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(decision.story())
        if done:
            typer.echo(f"Recorded: {done.id} in {decision.ledger.shown} (entry {done.number}, {done.hash})")
        typer.echo(f"Written: {output}/figures.csv, certificate.json, report.txt" if done else "Nothing was written.")
    raise typer.Exit(EXIT[decision.verdict])


@app.command()
def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where to put the example's release; by default a temporary folder."
        ),
    ] = None,
) -> None:
    """Run the bundled example from end to end: check and release, and two totals that are refused."""
    from dalenius.examples.demo import run

    run(output, typer.echo)
