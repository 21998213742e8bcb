"""The demo."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import app


@app.command()
def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="A new folder to work in; by default a temporary one."),
    ] = None,
) -> None:
    """Run the bundled register from end to end: answers, check, release, verify. Leaves the report to open.

    Exit codes: 0 done; 2 the folder could not be written.
    """
    from dalenius.desk.examples.demo import run

    run(output, typer.echo)
