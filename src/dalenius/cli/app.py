"""The program and what its commands share: options, exit codes."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

ORDER = ("new", "check", "plan", "explain", "release", "verify", "sign", "key", "ledger", "rules", "theorems", "demo")


class InOrder(TyperGroup):
    """Commands in the order in which they are used; what is not in the list comes after."""

    def list_commands(self, ctx: Any) -> list[str]:
        found = super().list_commands(ctx)
        return sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


app = typer.Typer(
    name="dalenius",
    cls=InOrder,
    help="Decide, with a certified number, whether figures from confidential data may be published exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from dalenius import __version__

        typer.echo(f"dalenius {__version__}")
        raise typer.Exit


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Decide, with a certified number, whether figures from confidential data may be published exactly."""


EXIT = {"pass": 0, "fail": 1, "review": 3}


BAD_INPUT = 2


SpecFile = Annotated[Path, typer.Argument(metavar="SPEC", help="The specification of the release, a YAML file.")]


DataFile = Annotated[
    str | None,
    typer.Option("--data", help="A file, a folder or an address of a database, instead of the one that SPEC names."),
]


LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="PLACE",
        help="Where releases are recorded: a SQLite file or postgresql+psycopg://user@host/database. By default what "
        "SPEC names, then DALENIUS_LEDGER, then dalenius-ledger.sqlite beside SPEC.",
    ),
]


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy", metavar="FILE", help="What the organisation demands, a YAML file; DALENIUS_POLICY names one too."
    ),
]
