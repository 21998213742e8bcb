"""The interview: from a table to a specification."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.basics.errors import SpecError
from dalenius.cli.app import PolicyFile, app


@app.command()
def new(
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table that figures are to be published from.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The specification to write; it must be a new file.")
    ] = Path("release.yaml"),
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE", help="A YAML file of answers, where there is no terminal."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="FILE",
            help="Keep the answers in this file as they are given. The same command goes on from there, and --answers "
            "takes it too.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Defaults for: survey, register, insider, monthly, business."),
    ] = None,
    policy: PolicyFile = None,
) -> None:
    """Ask plain questions about a table, a dozen to thirty, and write a commented specification.

    Looks at names and types of columns only, and at the values of columns that you say anybody may know. On a
    terminal, a wrong answer is asked for again, "?" explains a question, and "back" goes back to the one before;
    whoever does not know what an attacker believes writes "unknown".

    Exit codes: 0 written; 2 bad input, nothing written.
    """
    from dalenius.cli.conversation import Conversation
    from dalenius.desk.interview import file_asker, new_spec
    from dalenius.desk.session import named_policies, unjudged
    from dalenius.desk.spec import load_spec

    policies = named_policies(policy)
    target = policies[0].target() if policies else None
    if answers is not None and keep is not None:
        raise SpecError("Answers come from a file or are kept in one, but got --answers and --keep. Leave one out.")
    if answers is not None:
        ask, usual, left = file_asker(answers, preset)
        new_spec(data, output, ask, usual, base=answers.parent, target=target, finish=left.refuse)
    else:
        talking = Conversation(keep, preset)
        if talking.preset.name:
            typer.echo(f"{talking.preset.title}: {talking.preset.why}\n")
        talking.hold(lambda ask: new_spec(data, output, ask, talking.preset, target=target))
    typer.echo(f"Written: {output}. Read it, then: dalenius check {output}")
    for line in unjudged(load_spec(output)):
        typer.echo(f"It will be refused as it is: {line}")
