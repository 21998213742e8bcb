"""What was released: the ledger, listed, shown, verified, exported, completed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.basics.errors import OutputError
from dalenius.cli.app import BAD_INPUT, Json, LedgerKeys, app

if TYPE_CHECKING:
    from dalenius.record.ledger import Ledger

commands = typer.Typer(
    help="What was released: list it, show it, verify the chain, sign it, export it.", no_args_is_help=True
)
app.add_typer(commands, name="ledger")

Place = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="PLACE",
        help="A SQLite file or postgresql+psycopg://user@host/database. By default DALENIUS_LEDGER, then "
        "dalenius-ledger.sqlite in this folder.",
    ),
]
Release = Annotated[str, typer.Argument(metavar="ID", help="A release, as `ledger list` names it: R1.")]


def _there(place: str | None, keys: list[Path] | None) -> "Ledger":
    """The ledger that is meant; LedgerError if there is none."""
    from dalenius.desk.session import find_ledger
    from dalenius.show.ledger import check_there

    found = find_ledger(place, None, Path(), keys)
    check_there(found)
    return found


@commands.command("list")
def list_(ledger: Place = None, ledger_key: LedgerKeys = None, json_: Json = False) -> None:
    """All releases, oldest first, with their figures and whether their folders are written.

    Exit codes: 0 listed; 2 there is no ledger, or it was edited.
    """
    from dalenius.show.ledger import listed, listed_json, masked

    found = _there(ledger, ledger_key)
    typer.echo(json.dumps(masked(listed_json(found)), indent=2, ensure_ascii=False) if json_ else listed(found))


@commands.command()
def show(release: Release, ledger: Place = None, ledger_key: LedgerKeys = None, json_: Json = False) -> None:
    """One release: its figures with their numbers, what they were judged on, who released them and when.

    Exit codes: 0 shown; 2 there is no such release, or the ledger was edited.
    """
    from dalenius.show.ledger import find, masked, shown

    found = find(_there(ledger, ledger_key), release)
    typer.echo(json.dumps(masked(found.body), indent=2, ensure_ascii=False) if json_ else shown(found))


@commands.command()
def verify(
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    holds: Annotated[
        str | None,
        typer.Option(
            "--holds", metavar="HASH", help="Also that this entry, noted when it was recorded, is still there."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Check the chain of hashes, the recorded files and, with keys, the signatures.

    The chain alone finds what was changed, left out or put in. It does not find a ledger that was rewritten as a whole
    (signatures do), nor entries cut off at the end (--holds does).

    Exit codes: 0 unbroken; 2 not, and what was edited.
    """
    from dalenius.show.ledger import verified, verified_text

    found = verified(_there(ledger, ledger_key), holds)
    typer.echo(json.dumps(found, indent=2) if json_ else verified_text(found))


@commands.command()
def sign(
    holds: Annotated[
        str,
        typer.Option("--holds", metavar="HASH", help="The hash of the last entry that you looked at, or noted before."),
    ],
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Answer for all entries so far with your key: to begin with signatures, after a key was lost, or beside others.

    Compare HASH with what `dalenius release` printed when it recorded. From then on, only who has a key can add.

    Exit codes: 0 signed; 2 bad input, or the ledger was edited.
    """
    from dalenius.show.ledger import vouch_for

    place = _there(ledger, ledger_key)
    made = vouch_for(place, holds)
    if json_:
        typer.echo(json.dumps({"until": made.number - 1, "entry": made.number, "hash": made.hash}))
        return
    typer.echo(f"Signed: entries 1 to {made.number - 1} of {place.shown} (entry {made.number}, {made.hash})")


@commands.command()
def export(
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Annotated[bool, typer.Option("--json", help="JSON lines; that is what it always prints.")] = False,
) -> None:
    """Print all entries as JSON lines, oldest first; the chain can be checked from them alone.

    Exit codes: 0 printed; 2 there is no ledger, or it was edited.
    """
    from dalenius.show.ledger import lines

    for line in lines(_there(ledger, ledger_key)):
        typer.echo(line)


@commands.command()
def complete(
    release: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="Only this release, wherever it was recorded; once more, if it was written."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="With ID: a new folder instead of its own.")
    ] = None,
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Write the folders of releases that were recorded on this machine, but cut short before they were written.

    Exit codes: 0 nothing is left to write; 2 something is, and why.
    """
    from dalenius.data import complete as completed
    from dalenius.show.ledger import find

    place = _there(ledger, ledger_key)
    if release is not None:
        find(place, release)
    elif output is not None:
        raise OutputError(f"Needed a release to write to {output}, but none is named. Name one: `ledger complete R1`.")
    found = completed(place, only=release, output=output)
    if json_:
        told = [{"release": c.release.id, "folder": str(c.folder), "problem": c.problem or None} for c in found]
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
    elif not found:
        typer.echo("Everything that was recorded on this machine is written.")
    problems = [c for c in found if c.problem]
    for c in found:
        if c.problem:
            typer.echo(f"Error: {c}", err=True)
        elif not json_:
            typer.echo(str(c))
    raise typer.Exit(BAD_INPUT if problems else 0)
