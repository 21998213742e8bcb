"""The workbench and the reviewers' desk in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import LedgerKeys, PolicyFile, app


@app.command()
def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder whose tables may be used; releases are written into it.")
    ] = Path(),
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any that is free.")] = 0,
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger",
            metavar="PLACE",
            help="Where releases and reviews are recorded. By default DALENIUS_LEDGER, then dalenius-ledger.sqlite in "
            "DIR.",
        ),
    ] = None,
    ledger_key: LedgerKeys = None,
    policy: PolicyFile = None,
    database: Annotated[
        list[str] | None,
        typer.Option("--database", metavar="ADDRESS", help="A database whose tables may be used; once for each."),
    ] = None,
    proxy_header: Annotated[
        str,
        typer.Option(
            "--proxy-header", metavar="NAME", help="User names come from this header of a proxy on this machine."
        ),
    ] = "",
    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME", help="Behind a proxy: under which name it serves the pages."),
    ] = None,
) -> None:
    """Open the workbench and the reviewers' desk in a browser, on this machine only.

    It prints an address with a token: who has it, can use it. Nothing is fetched from anywhere, and no confidential
    row reaches a page.

    Exit codes: 0 stopped; 2 bad input.
    """
    from dalenius.web.serving import serve as serving

    serving(
        folder,
        port=port,
        ledger=ledger,
        ledger_keys=ledger_key,
        policy=policy,
        databases=database or (),
        proxy_header=proxy_header,
        hosts=host or (),
        say=typer.echo,
    )
