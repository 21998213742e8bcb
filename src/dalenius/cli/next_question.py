"""Which question that looks harmless would give somebody away beside what is out?"""

import json
from typing import Annotated

import typer

from dalenius.cli.app import DataFile, Json, LedgerKeys, LedgerPlace, PolicyFile, SpecFile, app
from dalenius.cli.bar import Bar
from dalenius.cli.reference import whole_number

SECONDS_TO_ASK = 60.0


@app.command("next")
def next_question(
    spec: SpecFile,
    data: DataFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    policy: PolicyFile = None,
    harmless: Annotated[
        str, typer.Option("--harmless", metavar="N", help="A question of so many persons looks harmless.")
    ] = "10",
    most: Annotated[str, typer.Option("--most", metavar="N", help="How many questions to name.")] = "20",
    json_: Json = False,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0, help="How long to look. What was not tried is said.")
    ] = SECONDS_TO_ASK,
) -> None:
    """Which further count or sum that looks harmless would give somebody away, together with all that is out? Ranked,
    each with the numbers that do it. What SPEC lists counts as out, beside all that the ledger has.

    Exit codes: 0 none was found; 1 there is one; 3 none was found in the time; 2 bad input.
    """
    from dalenius.desk.guard import Guard

    guard = Guard(spec, data, ledger=ledger, ledger_keys=ledger_key, policy=policy)
    with Bar() as bar:
        found = guard.next(
            harmless=whole_number(harmless, "--harmless", 10),
            most=whole_number(most, "--most", 20),
            seconds=seconds,
            progress=bar.show,
        )
    typer.echo(json.dumps(found.json(), indent=2, ensure_ascii=False) if json_ else found.text())
    raise typer.Exit(1 if found.questions.found else 0 if found.questions.complete else 3)
