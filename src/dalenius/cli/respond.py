"""Surveys in which everybody flips a coin before they answer."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.basics.errors import InputError
from dalenius.cli.app import Json, app
from dalenius.cli.reference import whole_number


@app.command()
def respond(
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", help="How much an answer may tell; or give --keep.")
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="CHANCE", help="The chance of a true answer, such as 3/4.")
    ] = None,
    people: Annotated[str | None, typer.Option("--people", metavar="N", help="How many persons are asked.")] = None,
    yes: Annotated[
        str | None, typer.Option("--yes", metavar="N", help='How many of them said "yes", after their coin.')
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", help="With --yes: of the interval of true numbers.")
    ] = "0.95",
    accuracy: Annotated[
        str | None,
        typer.Option("--accuracy", metavar="SHARE", help="How many to ask for this error of a share."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write one coin for each sheet, as CSV.")
    ] = None,
    json_: Json = False,
) -> None:
    """Randomised response: coins for the answer sheets of a yes/no question, and the total behind the answers.

    With -o: a coin for each of --people sheets, to be seen by nobody but the person. With --yes: the estimate, its
    error, and an interval. With --accuracy: how many persons to ask.

    Exit codes: 0 said; 2 bad input.
    """
    from dalenius.desk.respond import Total, checked_people, needed, promise, survey_of, write_sheets

    survey = survey_of(epsilon, keep)
    asked = None if people is None else checked_people(whole_number(people, "--people", 1000))
    if asked is None and (yes is not None or output is not None):
        raise InputError("The number of persons is needed, but --people is not given. Write --people 1000.")
    said = None if asked is None or yes is None else Total(survey, asked, whole_number(yes, "--yes", 420), confidence)
    lines = [] if said is None else list(said.lines())
    more = None if accuracy is None else needed(survey, accuracy)
    if asked is not None and output is not None:
        write_sheets(survey, asked, output)
    if json_:
        level = survey.level()
        found = {
            "epsilon": [level.lower, level.upper],
            "total": None if said is None else said.json(),
            "people_needed": None if accuracy is None else survey.sample_size(accuracy),
        }
        typer.echo(json.dumps(found, indent=2))
        return
    sheets = [f"{asked} coins are in {output}. Each is for one person, and for nobody else to see."] if output else []
    typer.echo("\n".join([*promise(survey), *sheets, *lines, *([] if more is None else [more])]))
