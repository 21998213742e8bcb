"""What is the least change that lets figures go out?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import (
    SECONDS_TO_PLAN,
    DataFile,
    Json,
    LedgerKeys,
    LedgerPlace,
    PolicyFile,
    SpecFile,
    app,
    seconds_for,
)
from dalenius.cli.bar import Bar

NOTHING = "Nothing was written to {file}: no change was found that lets the figures go out."
CODES = {"Publish": 0, "Coarsen": 1, "AddNoise": 1, "Refuse": 1, "Undecided": 3}


@app.command()
def plan(
    spec: SpecFile,
    data: DataFile = None,
    policy: PolicyFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    ladder: Annotated[
        str | None, typer.Option("--ladder", metavar="5,10,100", help="The roundings that are tried, in units.")
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write", metavar="FILE", help="Write a specification with the chosen change; comments are not kept."
        ),
    ] = None,
    take: Annotated[
        str | None,
        typer.Option(
            "--take",
            metavar="11",
            help="With --write: another alternative than the chosen one, by its number in the table of all that was "
            "tried; several, separated by commas.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="FIGURE",
            help="A figure that is to stay as it is, or a cell: 'smokers: north, old'. More than once: all these.",
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", metavar="FIGURE=3", help="This figure matters as much as three others."),
    ] = None,
    json_: Json = False,
    seconds: Annotated[float, seconds_for("a change")] = SECONDS_TO_PLAN,
) -> None:
    """The least change that lets these figures go out, every alternative with its cost, and why it was not chosen.

    Exit codes: 0 they may go out as they are; 1 a change is needed, or none was found; 3 a person must decide; 2 bad
    input.
    """
    from dalenius.basics.errors import InputError
    from dalenius.desk.proposal import propose, read_numbers
    from dalenius.desk.spec.write import check_new

    numbers = None if take is None else read_numbers(take)
    if numbers is not None and write is None:
        raise InputError("--take says what is written, but --write does not say where. Name a file.")
    if write is not None:
        check_new(write)
    with Bar() as bar:
        found = propose(
            spec,
            data,
            ladder=ladder,
            policy=policy,
            ledger=ledger,
            ledger_keys=ledger_key,
            progress=bar.show,
            seconds=seconds,
            keep=keep or (),
            weights=weight or (),
        )
    found = found if numbers is None else found.taking(numbers)
    written = write is not None and (found.possible or numbers is not None)
    if write is not None and written:
        found.write(write)
    typer.echo(json.dumps(found.json(), indent=2, ensure_ascii=False) if json_ else found.text().rstrip())
    if write is not None:
        told = f"Written: {write}. Judge it with dalenius check {write}."
        typer.echo(f"\n{told if written else NOTHING.format(file=write)}", err=json_ or not written)
    raise typer.Exit(CODES[type(found.decision.plan).__name__])
