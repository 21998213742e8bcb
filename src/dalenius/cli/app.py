"""The program and what its commands share: options, exit codes."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, final

import typer
from typer.core import TyperGroup
from typer.main import get_group

# Commands in the order in which they are used, and the module of each.
COMMANDS = {
    "new": "new",
    "check": "release",
    "plan": "plan",
    "explain": "explain",
    "release": "release",
    "next": "next_question",
    "audit": "audit",
    "audit-mechanism": "audit_mechanism",
    "verify": "certificates",
    "sign": "certificates",
    "key": "certificates",
    "ledger": "ledger",
    "review": "review",
    "serve": "serve",
    "rules": "reference",
    "respond": "respond",
    "theorems": "reference",
    "demo": "demo",
    "doctor": "doctor",
    "schema": "schema",
}
INTERRUPTED = 130


@final
class EscapedError(Exception):
    """An error of the machine that no layer turned into words."""

    def __init__(self, cause: Exception) -> None:
        super().__init__()
        self.cause = cause


def load(commands: Iterable[str]) -> None:
    """Add these commands to the program."""
    for name in commands:
        import_module(f"dalenius.cli.{COMMANDS[name]}")


class InOrder(TyperGroup):
    """Commands in the order in which they are used. Each is loaded when it is asked for, since a verdict that is wanted
    waits for no other; all are where none of that name is known.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        self._load(COMMANDS)
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        self._load(args[:1] if args and args[0] in COMMANDS else COMMANDS)
        return super().resolve_command(ctx, args)

    def _load(self, commands: Iterable[str]) -> None:
        if self.commands.keys() >= set(commands):
            return
        load(commands)
        self.commands.update(get_group(app).commands)

    def invoke(self, ctx: Any) -> Any:
        """Typer ends with 1 if the input ends, or if a pipe breaks anywhere; here that would be an answer."""
        try:
            return super().invoke(ctx)
        except typer.Abort:
            raise typer.Exit(INTERRUPTED) from None
        except (OSError, EOFError) as error:
            raise EscapedError(error) from error


app = typer.Typer(
    name="dalenius",
    cls=InOrder,
    help="Decide, with a certified number, whether figures from confidential data may be published exactly.\n\n"
    "Exit codes of every command, besides its own: 2 bad input; 70 a defect of dalenius, which is no answer, neither "
    "yes nor no; 130 interrupted. They do not depend on whether the output can be printed.",
    no_args_is_help=True,
    add_completion=True,
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


LedgerKeys = Annotated[
    list[Path] | None,
    typer.Option(
        "--ledger-key",
        metavar="KEYFILE",
        help="A key for the ledger: your private one, with which entries are signed, and public ones of others whose "
        "entries count; once for each. By default DALENIUS_LEDGER_KEYS names them; without any nothing is signed.",
    ),
]


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy", metavar="FILE", help="What the organisation demands, a YAML file; DALENIUS_POLICY names one too."
    ),
]


SECONDS = 10.0  # for what comes after the verdict of a check
SECONDS_TO_PLAN = 60.0
SECONDS_TO_REPORT = 60.0
SECONDS_TO_EXPLAIN = 20.0


def seconds_for(what: str) -> Any:
    """The option that limits a search."""
    return typer.Option(
        "--seconds",
        metavar="N",
        min=0,
        help=f"How long to look for {what}. What is certified by then is told, and what was not tried. The verdict "
        "does not depend on it.",
    )
