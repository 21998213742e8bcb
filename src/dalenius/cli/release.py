"""May figures go out? And if so: out they go."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import EXIT, DataFile, Json, PolicyFile, SpecFile, app
from dalenius.cli.bar import Bar


@app.command()
def check(
    spec: SpecFile,
    data: DataFile = None,
    policy: PolicyFile = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Also write the report as a page (.html), without the figures."),
    ] = None,
    json_: Json = False,
) -> None:
    """May these figures go out? Says why, and what would break it. Reads public columns, and publishes nothing.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.release.folder import check_new_file, write_new_file
    from dalenius.session import decide

    if report is not None:
        check_new_file(report)
    with Bar() as bar:
        decision = decide(spec, data, policy=policy, progress=bar.show)
        page = decision.html() if report is not None else b""
    if report is not None:
        write_new_file(report, page)
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
    policy: PolicyFile = None,
    json_: Json = False,
) -> None:
    """Publish the figures if they may go out, with a certificate and a report to sign. Otherwise write nothing.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.session import check_folder, decide, release_folder

    check_folder(output)
    with Bar() as bar:
        decision = decide(spec, data, policy=policy, progress=bar.show)
        if decision.verdict == "pass":
            bar.show("writing the report", 0, 1)
            release_folder(decision, output)
    if json_:
        written = str(output) if decision.verdict == "pass" else None
        typer.echo(json.dumps({**decision.json(), "written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(decision.story())
        typer.echo(
            f"Written: {output}/figures.csv, certificate.json, report.html, report.txt; results.json for a viewer"
            if decision.verdict == "pass"
            else "Nothing was written."
        )
    raise typer.Exit(EXIT[decision.verdict])
