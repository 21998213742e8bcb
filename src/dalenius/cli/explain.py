"""What could somebody learn about me, and on what does the verdict rest?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import (
    EXIT,
    SECONDS_TO_EXPLAIN,
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


@app.command()
def explain(
    spec: SpecFile,
    data: DataFile = None,
    policy: PolicyFile = None,
    ledger: LedgerPlace = None,
    ledger_key: LedgerKeys = None,
    json_: Json = False,
    seconds: Annotated[float, seconds_for("how much each assumption matters")] = SECONDS_TO_EXPLAIN,
    charts: Annotated[
        Path | None, typer.Option("--charts", metavar="DIR", help="Draw charts into this folder, as SVG files.")
    ] = None,
) -> None:
    """What could somebody learn about one person from these figures, with and without their record? And which
    assumption carries the verdict, and how far can it be wrong?

    Exit codes: those of check: 0 they may go out; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.desk.explain import charted
    from dalenius.desk.explain import explain as explained
    from dalenius.desk.session import decide
    from dalenius.show.charts import check_charts

    if charts is not None:
        check_charts(charts)
    with Bar() as bar:
        decision = decide(
            spec, data, policy=policy, ledger=ledger, ledger_keys=ledger_key, progress=bar.show, margins=False
        )
        explanation = explained(decision, progress=bar.show, seconds=seconds)
        drawn = [] if charts is None else [str(path) for path in charted(explanation, charts, progress=bar.show)]
    if json_:
        found = {"verdict": decision.verdict, **explanation.json(), "charts": drawn}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        written = f"\nWritten: {', '.join(drawn)}" if drawn else ""
        none = "\nThere is nothing to draw: no assumption was varied, or too little is left over at any number tried."
        typer.echo(explanation.text().rstrip() + written + (none if charts is not None and not drawn else ""))
    raise typer.Exit(EXIT[decision.verdict])
