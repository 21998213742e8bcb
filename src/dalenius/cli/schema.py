"""What `--json` prints, as JSON Schema."""

import json
from typing import Annotated

import typer

from dalenius.basics.errors import InputError
from dalenius.cli.app import Json, app


@app.command()
def schema(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Such as check, or ledger list. Without: their names.")
    ] = None,
    json_: Json = False,
) -> None:
    """The JSON Schema of what a command prints with --json.

    Exit codes: 0 printed; 2 there is no such command, or it prints no JSON.
    """
    from dalenius.show.schemas import SHAPES
    from dalenius.show.schemas import schema as written

    if not command:
        names = sorted(SHAPES)
        typer.echo(json.dumps(names, indent=2) if json_ else "\n".join(names))
        return
    name = " ".join(command)
    if name not in SHAPES:
        raise InputError(
            f"Needed a command that prints JSON, but got {name!r}. `dalenius schema` lists them: {', '.join(SHAPES)}."
        )
    typer.echo(json.dumps(written(name), indent=2, ensure_ascii=False))
