"""What follows from tables that are already made?"""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import EXIT, Json, app
from dalenius.cli.bar import Bar
from dalenius.cli.reference import whole_number

SECONDS_TO_AUDIT = 60.0


@app.command()
def audit(
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE|FOLDER", help="CSV files of tables, folders of them, or a folder that ACRO wrote."
        ),
    ],
    tables_file: Annotated[
        Path | None,
        typer.Option("--tables", "-t", metavar="FILE", help="What labels and marks mean, a YAML file (docs/audit.md)."),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="TEXT", help="What an attacker knows of hidden numbers: 'hidden means 1 to 9'."),
    ] = None,
    zeros: Annotated[
        str,
        typer.Option("--zeros", metavar="hidden|shown", help="shown: an attacker knows that no hidden number is 0."),
    ] = "hidden",
    attacker: Annotated[
        str,
        typer.Option(
            "--attacker", metavar="outside|member", help="member: also whoever is in a hidden cell themselves."
        ),
    ] = "outside",
    people: Annotated[
        str | None,
        typer.Option(
            "--people",
            metavar="TEXT",
            help="The files list counts, means and medians of a number of a few people: 'age 0 to 125'.",
        ),
    ] = None,
    rounded: Annotated[
        str | None,
        typer.Option("--rounded", metavar="BASE", help="Numbers were rounded: 5, or random 3, or midpoint 6."),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option("--threshold", metavar="K", help="Numbers below K are small: 10, or what ACRO used.")
    ] = None,
    width: Annotated[
        str, typer.Option("--width", metavar="N", help="How far apart the possible values of a hidden number must be.")
    ] = "1",
    belief: Annotated[
        Path | None,
        typer.Option("--belief", metavar="FILE", help="How likely people are to have each label (docs/audit.md)."),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option("--earlier", metavar="TABLE|FOLDER|LEDGER", help="What was published before; once for each."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write audit.json: intervals, with proofs.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a page (.html) with pictures of the tables.")
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Write status, cells and a paragraph into the results.json of an ACRO folder."),
    ] = False,
    remedy: Annotated[bool, typer.Option("--remedy/--no-remedy", help="Look for what would help.")] = True,
    json_: Json = False,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0, help="How long to look. What was not settled says so.")
    ] = SECONDS_TO_AUDIT,
) -> None:
    """What follows from tables that are already made? For every hidden number, and every small one that can be formed,
    the interval in which it must lie, proved; and what to do if too much follows, such as further numbers to hide.

    Exit codes: 0 proved that nothing follows; 1 something follows; 3 not settled; 2 bad input.
    """
    if people is not None:
        others = (tables_file, rounded, threshold, belief, earlier, page, annotate or None)
        plain = all(each is None for each in others) and (zeros, attacker, width) == ("hidden", "outside", "1")
        _people(tables, people, rule or [], output, json_=json_, seconds=seconds, plain=plain)
    from dalenius import __version__
    from dalenius.desk.audit.auditing import audit as audited
    from dalenius.desk.audit.writing import annotated, check_outputs, write_outputs

    check_outputs(output, page, tables if annotate else None)
    with Bar() as bar:
        found = audited(
            *tables,
            tables_file=tables_file,
            rounded=rounded,
            rules=rule or (),
            earlier=earlier or (),
            threshold=None if threshold is None else whole_number(threshold, "--threshold", 10),
            width=whole_number(width, "--width", 1),
            zeros=zeros,
            attacker=attacker,
            beliefs=belief,
            remedy=remedy,
            seconds=seconds,
            progress=bar.show,
        )
        bar.show("writing", 0, 0)
        written = write_outputs(found, output, page, version=__version__)
        if annotate:
            written += annotated(found, Path(tables[0]))
    if json_:
        typer.echo(json.dumps(found.json() | {"written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(found.text(colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR")).rstrip())
        if written:
            typer.echo(f"\nWritten: {', '.join(written)}")
    raise typer.Exit(EXIT[found.verdict])


def _people(
    tables: list[str], number: str, rules: list[str], output: Path | None, *, json_: bool, seconds: float, plain: bool
) -> None:
    """Counts, means and medians: who is known by them?"""
    from dalenius.basics.errors import InputError
    from dalenius.data.folder import check_new_file, write_new_file
    from dalenius.desk.audit.statistics import audit_statistics
    from dalenius.record.proofs import people_json

    if not plain:
        raise InputError(
            "--people goes with --rule, --output, --json and --seconds alone. Leave the other options out."
        )
    if output is not None:
        check_new_file(output)
    found = audit_statistics(tables, number, rules=rules, seconds=seconds)
    written = [] if output is None else [str(output)]
    if output is not None:
        write_new_file(output, people_json(found.found, tables=found.contents).encode())
    if json_:
        typer.echo(json.dumps(found.json() | {"written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(found.text().rstrip())
        if written:
            typer.echo(f"\nWritten: {', '.join(written)}")
    raise typer.Exit(EXIT[found.verdict])
