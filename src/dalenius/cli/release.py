"""May figures go out? And if so: out they go."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import EXIT, DataFile, Json, SpecFile, app
from dalenius.cli.bar import Bar


@app.command()
def check(spec: SpecFile, data: DataFile = None, json_: Json = False) -> None:
    """May these figures go out? Says why, and what would break it. Writes nothing.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.release.spread import on_cores
    from dalenius.session import decide

    with Bar() as bar:
        decision = decide(spec, data, progress=bar.show, spread=on_cores())
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
    json_: Json = False,
) -> None:
    """Publish the figures if they may go out: figures.csv, certificate.json, report.txt. Otherwise write nothing.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.release.spread import on_cores
    from dalenius.session import check_folder, decide, release_folder

    check_folder(output)
    with Bar() as bar:
        decision = decide(spec, data, progress=bar.show, spread=on_cores())
    if decision.verdict == "pass":
        release_folder(decision, output)
    if json_:
        written = str(output) if decision.verdict == "pass" else None
        typer.echo(json.dumps({**decision.json(), "written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(decision.story())
        typer.echo(
            f"Written: {output}/figures.csv, certificate.json, report.txt"
            if decision.verdict == "pass"
            else "Nothing was written."
        )
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
