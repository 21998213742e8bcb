"""What is installed, and what would be used."""

import json
from typing import Annotated

import typer

from dalenius.cli.app import BAD_INPUT, Json, app


@app.command()
def doctor(
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", metavar="PLACE", help="Look at this ledger, instead of the one that would be used."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="Look at this policy, instead of DALENIUS_POLICY's.")
    ] = None,
    json_: Json = False,
) -> None:
    """What is installed, which engines work, which ledger and which policy would be used here. No table is read.

    Exit codes: 0 all that is needed works; 2 something is broken.
    """
    from dalenius import __version__
    from dalenius.desk.doctor import as_json, examined, is_well
    from dalenius.show.doctor import examination

    items = examined(__version__, ledger, policy)
    typer.echo(json.dumps(as_json(items), indent=2, ensure_ascii=False) if json_ else examination(items))
    if not is_well(items):
        raise typer.Exit(BAD_INPUT)
