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
    paper: Annotated[
        str | None,
        typer.Option(
            "--paper", help="Only these: KS, CW, CH, GK or KM; or, of the theory since, PC, SP, SD, PP, PL, CO or RP."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Every statement of the five papers, some of the theory since, and what became of each; with NAME, why, and its
    counterexample run live.

    Exit codes: 0 listed; 2 there is no such statement.
    """
    from dalenius.papers.listing import explained, listed, theorem_json
    from dalenius.papers.theorems import catalogue, find
    from dalenius.show.layout import columns

    found = find(name) if name is not None else catalogue(status=status, paper=paper)
    if json_:
        typer.echo(
            json.dumps([theorem_json(entry, run=name is not None) for entry in found], indent=2, ensure_ascii=False)
        )
    else:
        wide = columns()
        typer.echo("\n\n".join(explained(each, wide) for each in found) if name else listed(found, wide))


@app.command()
def rules(
    threshold: Annotated[
        str | None,
        typer.Option(
            "--threshold", metavar="K", help="Counts below K are hidden; 1 hides none. By default 10, or 1 with dice."
        ),
    ] = None,
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
    midpoint: Annotated[
        str | None, typer.Option("--midpoint", metavar="BASE", help="The middle of intervals of BASE counts, instead.")
    ] = None,
    random_round: Annotated[
        str | None,
        typer.Option("--random-round", metavar="BASE", help="Rounded at random to BASE, after --threshold."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="CSV", help="Cell keys with this perturbation table (pcv, ckey, pvalue)."),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(
            "--design", metavar="REACH", help="The table of least variance that keeps --delta, of steps up to REACH."
        ),
    ] = None,
    keep_zeros: Annotated[
        bool, typer.Option("--keep-zeros", help="With --design: a count of 0 is published as 0.")
    ] = False,
    cells: Annotated[
        str, typer.Option("--cells", metavar="N", help="With dice: how many different cells a person is in.")
    ] = "1",
    times: Annotated[
        str, typer.Option("--times", metavar="N", help="With dice: how often each of them is asked for.")
    ] = "1",
    keyed: Annotated[
        bool, typer.Option("--keyed", help="With dice: the same cell has the same noise each time.")
    ] = False,
    json_: Json = False,
) -> None:
    """What is a rule of thumb worth? Certified (ε, δ), worst over the unknown size of the cell, beside common rules.

    Rules with dice are judged worst over the count itself, whatever is known of the others.

    Exit codes: 0 said; 2 bad input.
    """
    from dalenius.desk.rules import Dice, dice_report, rules_report

    if random_round is not None or table is not None or design is not None:
        dice = Dice(
            threshold=whole_number(threshold or "1", "--threshold", 10),
            random_round=None if random_round is None else whole_number(random_round, "--random-round", 3),
            table=table,
            design=None if design is None else whole_number(design, "--design", 8),
            zeros="kept" if keep_zeros else "free",
            delta=delta,
            cells=whole_number(cells, "--cells", 4),
            times=whole_number(times, "--times", 4),
            repeated="keyed" if keyed else "independent",
        )
        told = dice_report(dice, epsilons=epsilon or ["1", "2"])
        typer.echo(json.dumps(told.json(), indent=2, ensure_ascii=False) if json_ else told.text())
        return
    report = rules_report(
        whole_number(threshold or "10", "--threshold", 10),
        zeros=zeros,
        base=whole_number(round_, "--round", 5),
        epsilons=epsilon or ["1", "2"],
        delta=delta,
        secret=secret,
        rate=rate,
        known=whole_number(known, "--known", 3),
        chart=chart,
        midpoint=None if midpoint is None else whole_number(midpoint, "--midpoint", 6),
    )
    typer.echo(json.dumps(report.json(), indent=2, ensure_ascii=False) if json_ else report.text())
