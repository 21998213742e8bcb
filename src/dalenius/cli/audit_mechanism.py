"""Does a randomised release keep what is claimed of it?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.basics.errors import InputError
from dalenius.cli.app import Json, app
from dalenius.cli.bar import Bar
from dalenius.cli.reference import whole_number

SECONDS_TO_DRAW = 60.0


@app.command("audit-mechanism")
def audit_mechanism(
    command: Annotated[
        str,
        typer.Argument(
            metavar="COMMAND",
            help="A program and its arguments, in quotes. It reads data sets, one a line as JSON, and answers each "
            "with a line: its release.",
        ),
    ],
    first: Annotated[
        list[Path] | None,
        typer.Option("--first", metavar="FILE", help="A data set, as JSON; once for each pair."),
    ] = None,
    second: Annotated[
        list[Path] | None,
        typer.Option("--second", metavar="FILE", help="Its neighbour: what must look alike. As many as --first."),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option("--people", metavar="N", help="Instead of files: data sets of N people, each 0 or 1, drawn."),
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="CHANCE", help="With --people: how likely each is to be 1.")
    ] = None,
    known: Annotated[
        str | None,
        typer.Option("--known", metavar="N", help="With --people: how many the attacker knows; 0 if not said."),
    ] = None,
    epsilon: Annotated[str, typer.Option("--epsilon", help="What is claimed.")] = "1",
    delta: Annotated[str, typer.Option("--delta", help="What is claimed.")] = "0",
    draws: Annotated[str, typer.Option("--draws", metavar="N", help="Of each world, at most.")] = "100000",
    confidence: Annotated[str, typer.Option("--confidence", help="Of a refutation.")] = "0.95",
    whole: Annotated[
        bool, typer.Option("--all-draws", help="Go on after a refutation, for larger lower bounds.")
    ] = False,
    json_: Json = False,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0, help="How long to draw, and how long one round may take.")
    ] = SECONDS_TO_DRAW,
) -> None:
    """Does a randomised release keep the epsilon and delta that are claimed of it? Draws of it may prove that it does
    not: certified lower bounds, with the event that tells two worlds apart.

    Exit codes: 0 not refuted, which is no proof; 1 refuted; 3 the time was over before all draws were made; 2 bad
    input.
    """
    from dalenius.data.drawing import Command
    from dalenius.desk.audit.mechanisms import audit_mechanism as audited
    from dalenius.judge.definition import noiseless

    pairs = _pairs(first or [], second or [])
    if bool(pairs) == (people is not None):
        raise InputError("Needed either --first and --second, or --people and --rate. Give one of the two.")
    if pairs and (rate is not None or known is not None):
        raise InputError(
            "--rate and --known are about data sets that are drawn, but got --first and --second, too. Leave them out, "
            "or write --people in place of the files."
        )
    definition = None
    if people is not None:
        from dalenius.beliefs.belief import IID
        from dalenius.facts.records import exact

        if rate is None:
            raise InputError("Needed --rate, how likely each of the people is to be 1. Write --rate 0.1.")
        number = whole_number(people, "--people", 100)
        if not 0 <= exact(rate, name="--rate") <= 1:
            raise InputError(f"--rate must lie between 0 and 1, but got {rate}. Write --rate 0.1 for one in ten.")
        definition = noiseless(IID(rate, n=number, known=whole_number(known or "0", "--known", 0)))
    with Bar() as bar:
        found = audited(
            Command(command, seconds),
            pairs or None,
            definition=definition,
            epsilon=epsilon,
            delta=delta,
            draws=whole_number(draws, "--draws", 100_000),
            confidence=confidence,
            until="done" if whole else "refuted",
            seconds=seconds,
            progress=bar.show,
        )
    typer.echo(json.dumps(found.json(), indent=2, ensure_ascii=False) if json_ else found.text())
    raise typer.Exit(1 if found.refuted else 0 if found.complete else 3)


def _pairs(first: list[Path], second: list[Path]) -> list[tuple[object, object]]:
    if len(first) != len(second):
        raise InputError(f"Needed as many --second as --first, but got {len(second)} and {len(first)}.")
    return [(_data(one), _data(other)) for one, other in zip(first, second, strict=True)]


def _data(path: Path) -> object:
    from dalenius.basics.inputs import read_text
    from dalenius.basics.limits import LARGEST_COUNTS

    text = read_text(path, LARGEST_COUNTS, "a data set as JSON")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    raise InputError(f"Needed a data set as JSON, but {path} is none. Write a list of records, such as [0, 1, 1].")
