"""What the five papers say, and what rules of thumb are worth."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.basics.errors import InputError
from dalenius.cli.app import Json, app


def whole_number(text: str, option: str, example: int) -> int:
    """The whole number that an option was given."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{option} needs a whole number, but got {text!r}. Write {option} {example}.") from None


@app.command()
def theorems(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A statement to explain, such as KS-2.2 or CW-10.")
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="Only these: true, sharpened, repaired or refuted.")
    ] = None,
    paper: Annotated[str | None, typer.Option("--paper", help="Only these: KS, CW, CH, GK or KM.")] = None,
    json_: Json = False,
) -> None:
    """Every statement of the five papers and what became of it; with NAME, why, and its counterexample run live."""
    from dalenius.papers.listing import explained, listed, theorem_json
    from dalenius.papers.theorems import catalogue, find

    found = find(name) if name is not None else catalogue(status=status, paper=paper)
    if json_:
        typer.echo(
            json.dumps([theorem_json(entry, run=name is not None) for entry in found], indent=2, ensure_ascii=False)
        )
    else:
        typer.echo("\n\n".join(map(explained, found)) if name is not None else listed(found))


@app.command()
def rules(
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="K", help="Counts below K are hidden; 1 hides none.")
    ] = "10",
    zeros: Annotated[
        str, typer.Option("--zeros", metavar="hidden|shown", help="Whether a count of 0 is shown.")
    ] = "hidden",
    round_: Annotated[str, typer.Option("--round", metavar="BASE", help="Counts are rounded to this base.")] = "1",
    epsilon: Annotated[list[str] | None, typer.Option("--epsilon", help="Given more than once: a column each.")] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", help="Also say which threshold, and which rounding, keeps this δ.")
    ] = None,
    secret: Annotated[
        str, typer.Option("--secret", metavar="presence|value", help="Being in the cell, or in which of two cells.")
    ] = "presence",
    rate: Annotated[
        str | None, typer.Option("--rate", help="Each other is counted with at most this probability; else Poisson.")
    ] = None,
    known: Annotated[
        str, typer.Option("--known", metavar="N", help="How many others in the cell the attacker knows to be there.")
    ] = "0",
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw δ against the threshold, as an SVG file.")
    ] = None,
    json_: Json = False,
) -> None:
    """What is a rule of thumb worth? Certified (ε, δ), worst over the unknown size of the cell, beside common rules.

    Exit codes: 0 said; 2 bad input.
    """
    from dalenius.desk.rules import rules_report

    report = rules_report(
        whole_number(threshold, "--threshold", 10),
        zeros=zeros,
        base=whole_number(round_, "--round", 5),
        epsilons=epsilon or ["1", "2"],
        delta=delta,
        secret=secret,
        rate=rate,
        known=whole_number(known, "--known", 3),
        chart=chart,
    )
    typer.echo(json.dumps(report.json(), indent=2, ensure_ascii=False) if json_ else report.text())
