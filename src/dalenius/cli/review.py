"""The reviewers' desk: what waits for a decision, and the decisions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.cli.app import DataFile, Json, LedgerKeys, LedgerPlace, PolicyFile, SpecFile, app
from dalenius.cli.bar import Bar
from dalenius.cli.ledger import Place

if TYPE_CHECKING:
    from dalenius.record.ledger import Ledger, Submission

commands = typer.Typer(
    help="What persons have to decide: submit it, list it, read it, comment it, approve or reject it.",
    no_args_is_help=True,
)
app.add_typer(commands, name="review")

Name = Annotated[str, typer.Argument(metavar="ID", help="A submission, as `review list` names it: S1.")]
Because = Annotated[str, typer.Option("--because", metavar="TEXT", help="The reason, in words.")]


def _there(place: str | None, keys: list[Path] | None) -> "Ledger":
    from dalenius.desk.session import find_ledger
    from dalenius.show.ledger import check_there

    found = find_ledger(place, None, Path(), keys)
    check_there(found)
    return found


@commands.command()
def submit(
    spec: SpecFile,
    words: Annotated[
        str, typer.Option("--words", metavar="TEXT", help="Why these figures are wanted, for those who decide.")
    ],
    data: DataFile = None,
    policy: PolicyFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Put a release before reviewers: what it declares, what dalenius found, and the report. No figure is computed.

    When it is approved, `dalenius release SPEC -o DIR --submission ID` lets it out.

    Exit codes: 0 submitted, whatever dalenius found; 2 bad input.
    """
    from dalenius.data.spread import on_cores
    from dalenius.desk.review import submit as submitted
    from dalenius.desk.session import decide

    with Bar() as bar:
        decision = decide(
            spec,
            data,
            policy=policy,
            ledger=ledger,
            ledger_keys=ledger_key,
            progress=bar.show,
            spread=on_cores(),
            margins=False,
            seconds=10,
        )
        bar.show("writing the report", 0, 1)
        found = submitted(decision, words, spec=spec)
    _tell(found, f"Submitted: {found.id} in {decision.ledger.shown} (dalenius found: {found.verdict})", json_=json_)


@commands.command("list")
def list_(
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    open_: Annotated[bool, typer.Option("--open", help="Only those that are not decided.")] = False,
    json_: Json = False,
) -> None:
    """All submissions, oldest first: what dalenius found, and where they stand.

    Exit codes: 0 listed; 2 there is no ledger, or it was edited.
    """
    from dalenius.data.completion import who
    from dalenius.show.ledger import masked
    from dalenius.show.review import case_json, queue

    found = [one for one in _there(ledger, ledger_key).submissions() if one.state == "open" or not open_]
    if json_:
        told = masked([case_json(one, (), who()) for one in found])
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        typer.echo(queue(found))


@commands.command()
def show(
    name: Name,
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Also write the report that was submitted (.html).")
    ] = None,
    json_: Json = False,
) -> None:
    """One submission: what dalenius found, what was said, what was decided, and what was decided alike before.

    What others decided is not shown before all are in.

    Exit codes: 0 shown; 2 there is no such submission, or the ledger was edited.
    """
    from dalenius.data.completion import who
    from dalenius.data.folder import check_new_file, write_new_file
    from dalenius.desk.review import decided_alike
    from dalenius.show.ledger import masked
    from dalenius.show.review import case, case_json

    if report is not None:
        check_new_file(report)
    place = _there(ledger, ledger_key)
    found = place.submission(name)
    alike = decided_alike(found, place.submissions())
    if report is not None:
        write_new_file(report, place.files(found)["report.html"])
    if json_:
        typer.echo(json.dumps(masked(case_json(found, alike, who())), indent=2, ensure_ascii=False))
    else:
        typer.echo(case(found, alike, who()))


@commands.command()
def comment(
    name: Name,
    words: Annotated[str, typer.Option("--words", metavar="TEXT", help="What is to be said, for all to see.")],
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Say something about a submission.

    Exit codes: 0 recorded; 2 not recorded, and why.
    """
    from dalenius.desk.review import comment as commented

    found = commented(_there(ledger, ledger_key), name, words)
    _tell(found, f"Recorded: a comment on {found.id}", json_=json_)


@commands.command()
def approve(
    name: Name,
    because: Because,
    policy: PolicyFile = None,
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Approve a submission. What dalenius does not certify goes out in the names of those who approve it, and only
    where a policy says that persons may (`review: {overrule: review}`).

    Exit codes: 0 recorded; 2 not recorded, and why.
    """
    from dalenius.desk.review import approve as approved
    from dalenius.desk.session import named_policies

    found = approved(_there(ledger, ledger_key), name, because, policies=named_policies(policy))
    _tell(found, f"Recorded: you approve {found.id}", json_=json_)


@commands.command()
def reject(
    name: Name,
    because: Because,
    policy: PolicyFile = None,
    ledger: Place = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
) -> None:
    """Reject a submission.

    Exit codes: 0 recorded; 2 not recorded, and why.
    """
    from dalenius.desk.review import reject as rejected
    from dalenius.desk.session import named_policies

    found = rejected(_there(ledger, ledger_key), name, because, policies=named_policies(policy))
    _tell(found, f"Recorded: you reject {found.id}", json_=json_)


def _tell(found: "Submission", words: str, *, json_: bool) -> None:
    from dalenius.data.completion import who
    from dalenius.show.ledger import masked
    from dalenius.show.review import case_json, state_words

    if json_:
        typer.echo(json.dumps(masked(case_json(found, (), who())), indent=2, ensure_ascii=False))
    else:
        typer.echo(f"{words}. It is {state_words(found)}.")
