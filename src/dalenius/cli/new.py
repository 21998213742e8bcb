"""The interview: from a table to a specification."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.cli.app import PolicyFile, app
from dalenius.errors import DaleniusError, SpecError


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
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Defaults for: survey, register, insider, monthly, business."),
    ] = None,
    policy: PolicyFile = None,
) -> None:
    """Ask five plain questions about a table, and write a commented specification.

    Looks at names and types of columns only, and at the values of columns that you say anybody may know.

    Exit codes: 0 written; 2 bad input, nothing written.
    """
    from dalenius.interview import file_asker, new_spec, preset_named
    from dalenius.interview.preset import PLAIN
    from dalenius.session import named_policies

    policies = named_policies(policy)
    target = policies[0].target() if policies else None
    if answers is not None:
        ask, usual, left = file_asker(answers, preset)
        new_spec(data, output, ask, usual, base=answers.parent, target=target, finish=left.refuse)
    else:
        usual = preset_named(preset) if preset else PLAIN
        if usual.name:
            typer.echo(f"{usual.title}: {usual.why}\n")
        new_spec(data, output, _prompt, usual, target=target)
    typer.echo(f"Written: {output}. Read it, then: dalenius check {output}")


def _prompt(question: Any) -> Any:
    """Ask on the terminal until the answer means something."""
    typer.echo(f"\n{question.ask}\n  {question.why}")
    for choice in question.choices:
        typer.echo(f"  - {choice.word}" + (f": {choice.means}" if choice.means else ""))
    while True:
        try:
            return question.answered(_typed(question))
        except DaleniusError as error:
            typer.echo(f"  {error}")
        except typer.Abort:
            break
    raise SpecError(
        f"{question.named}: an answer is needed, but the input has ended. Answer on a terminal, or name a file of "
        "answers with --answers."
    )


def _typed(question: Any) -> Any:
    """What is typed; questions about several columns are asked for one after the other."""
    if question.key == "confidential":
        return _each(question, "column to hide (empty to go on)", "what may {} contain? (no, yes; or 0 to 60)")
    if question.key == "beliefs":
        found = {}
        for choice in question.choices:
            about = typer.prompt(f"  about {choice.word} (counts FILE.csv by COLUMN; or yes 0.1, no rest)")
            source = typer.prompt("  where can one read that?")
            from dalenius.interview.phrases import belief

            found[choice.word] = {**belief(question, about), "source": source}
        return found
    if question.key == "figures":
        lines: list[str] = []
        while line := typer.prompt("  figure (empty to go on)", default="", show_default=False):
            lines.append(line)
        return lines
    return typer.prompt(" ", default=question.default)


def _each(question: Any, ask: str, then: str) -> dict[str, str]:
    found: dict[str, str] = {}
    while name := typer.prompt(f"  {ask}", default="", show_default=False):
        found[name] = typer.prompt("  " + then.format(name))
    return found
