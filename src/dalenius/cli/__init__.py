"""The command line: it parses, calls the library once, and prints. One module for each family of commands."""

import json
import shutil
import sys
from typing import NoReturn

import typer

from dalenius.cli import certificates, demo, explain, ledger, new, plan, reference, release
from dalenius.cli.app import BAD_INPUT, app
from dalenius.cli.pipe import unread
from dalenius.errors import DaleniusError
from dalenius.report.layout import WIDTH, paper

__all__ = ["app", "certificates", "demo", "explain", "ledger", "main", "new", "plan", "reference", "release"]


INTERRUPTED = 130
STOPPED = (
    "Interrupted. Nothing is half written. What was recorded by then counts as released, and `dalenius ledger list` "
    "has it; all else was not released."
)


def _explain(errors: list[str]) -> None:
    """What is wrong, for the reader and, if asked for, for machines."""
    if "--json" in sys.argv:
        typer.echo(json.dumps({"verdict": None, "errors": errors}, indent=2, ensure_ascii=False))
    typer.echo("\n".join(f"Error: {error}" for error in errors), err=True)


def main() -> NoReturn:
    """Run the command line; every error that is the caller's ends with exit code 2 and a message, never a traceback."""
    with unread():
        _run()
    raise SystemExit(0)


def _run() -> None:
    try:
        with paper(shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH):
            app(standalone_mode=True, prog_name="dalenius")
    except SystemExit as left:
        if left.code == INTERRUPTED:
            typer.echo(STOPPED, err=True)
        raise
    except DaleniusError as error:
        _explain(str(error).splitlines())
        raise SystemExit(BAD_INPUT) from None
    except MemoryError:
        _explain(["This needs more memory than there is. Declare a coarser unit or a smaller domain."])
        raise SystemExit(BAD_INPUT) from None
