"""The command line: it parses, calls the library once, and prints. One module for each family of commands."""

import atexit
import gc
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import NoReturn

import typer
from typer.main import get_command

from dalenius.basics.errors import DaleniusError
from dalenius.cli.app import BAD_INPUT, INTERRUPTED, EscapedError, app
from dalenius.cli.streams import unfailing
from dalenius.show.layout import NARROWEST, WIDTH, paper, wrapped

__all__ = ["app", "main", "start"]


SELDOM = 200_000  # new things after which rubbish is looked for: what is loaded at the start stays, and is most of it
RECORDED = "What was recorded by then counts as released, and `dalenius ledger list` has it; all else was not released."
STOPPED = f"Interrupted. Nothing is half written. {RECORDED}"
MEMORY = "This needs more memory than there is. Declare a coarser unit or a smaller domain."


def start() -> NoReturn:
    """The program. When all is written and said it ends at once: to take the memory apart piece by piece, as Python
    does for those who go on living in the same process, takes as long as many a verdict.
    """
    try:
        main()
    except SystemExit as left:
        alone = all(each.daemon or each is threading.main_thread() for each in threading.enumerate())
        if not isinstance(left.code, int) or not alone:
            raise
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):  # closed, or there is none
                stream.flush()
        os._exit(left.code)


def main() -> NoReturn:
    """Run the command line. An error that is the caller's ends with exit code 2 and a message; a defect of dalenius
    with 70, and with what was done by then. Neither prints a traceback, nor ends with a code that is an answer.
    """
    gc.set_threshold(SELDOM)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # whose guests would read specifications along
    with unfailing():
        _run()
    raise SystemExit(0)


@cache
def _commands() -> Callable[..., object]:
    """What parses, made once in a process that runs many commands."""
    return get_command(app)


def _run() -> None:
    try:
        with paper(shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH):
            _commands()(standalone_mode=True, prog_name="dalenius")
    except SystemExit as left:
        if left.code == INTERRUPTED:
            typer.echo(STOPPED, err=True)
        raise
    except DaleniusError as error:
        _explain(str(error).splitlines(), _notes(error), BAD_INPUT)
    except MemoryError as error:
        _explain([MEMORY], _notes(error), BAD_INPUT)
    except EscapedError as error:
        _explain_defect(error.cause)
    except Exception as error:  # noqa: BLE001 - the last resort: whatever it is, it is no answer
        _explain_defect(error)


def _explain_defect(error: BaseException) -> NoReturn:
    from dalenius.show.defect import DEFECT, describe_defect

    _explain([describe_defect(error)], _notes(error) or [RECORDED], DEFECT)


def _notes(error: BaseException) -> list[str]:
    """What was done before it went wrong."""
    return list(getattr(error, "__notes__", []))


def _explain(errors: list[str], done: list[str], code: int) -> NoReturn:
    """What is wrong, and what was done all the same: for the reader and, if asked for, for machines."""
    if "--json" in sys.argv:
        whole = {"verdict": None, "errors": errors} | ({"done": done} if done else {})
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False))
    lines = [*(f"Error: {error}" for error in errors), *done]
    if sys.stderr.isatty():
        with paper(shutil.get_terminal_size((NARROWEST, 24)).columns):
            lines = [wrapped(line) for line in lines]
    typer.echo("\n".join(lines), err=True)
    raise SystemExit(code) from None
