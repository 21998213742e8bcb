"""The command line: it parses, calls the library once, and prints."""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, NoReturn, Self

import typer

from dalenius.errors import DaleniusError

app = typer.Typer(
    name="dalenius",
    help="Decide, with a certified number, whether figures from confidential data may be published exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from dalenius import __version__

        typer.echo(f"dalenius {__version__}")
        raise typer.Exit


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Decide, with a certified number, whether figures from confidential data may be published exactly."""


EXIT = {"pass": 0, "fail": 1, "review": 3}
BAD_INPUT = 2

SpecFile = Annotated[Path, typer.Argument(metavar="SPEC", help="The specification of the release, a YAML file.")]
DataFile = Annotated[
    Path | None, typer.Option("--data", help="CSV or Parquet file, instead of the one that SPEC names.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


@app.command()
def check(spec: SpecFile, data: DataFile = None, json_: Json = False) -> None:
    """May these figures go out? Says why, and what would break it. Writes nothing.

    Exit codes: 0 they may go out as specified; 1 they may not; 3 a person must decide; 2 bad input.
    """
    from dalenius.session import decide

    with _Bar() as bar:
        decision = decide(spec, data, progress=bar.show)
    typer.echo(json.dumps(decision.json(), indent=2, ensure_ascii=False) if json_ else decision.story().rstrip())
    raise typer.Exit(EXIT[decision.verdict])


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
    from dalenius.report.theorems import explained, listed, theorem_json
    from dalenius.theorems import catalogue, find

    found = find(name) if name is not None else catalogue(status=status, paper=paper)
    if json_:
        typer.echo(
            json.dumps([theorem_json(entry, run=name is not None) for entry in found], indent=2, ensure_ascii=False)
        )
    else:
        typer.echo("\n\n".join(map(explained, found)) if name is not None else listed(found))


@app.command()
def release(
    spec: SpecFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="A new folder for the figures, the certificate and the report."
        ),
    ],
    data: DataFile = None,
    json_: Json = False,
) -> None:
    """Publish the figures if they may go out: figures.csv, certificate.json, report.txt. Otherwise write nothing.

    Exit codes: 0 published; 1 not safe, nothing written; 3 a person must decide, nothing written; 2 bad input.
    """
    from dalenius.session import check_folder, decide, release_folder

    check_folder(output)
    with _Bar() as bar:
        decision = decide(spec, data, progress=bar.show)
    if decision.verdict == "pass":
        release_folder(decision, output)
    if json_:
        written = str(output) if decision.verdict == "pass" else None
        typer.echo(json.dumps({**decision.json(), "written": written}, indent=2, ensure_ascii=False))
    else:
        typer.echo(decision.story())
        typer.echo(
            f"Written: {output}/figures.csv, certificate.json, report.txt"
            if decision.verdict == "pass"
            else "Nothing was written."
        )
    raise typer.Exit(EXIT[decision.verdict])


@app.command()
def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where to put the example's release; by default a temporary folder."
        ),
    ] = None,
) -> None:
    """Run the bundled example from end to end: check and release, and two totals that are refused."""
    from dalenius.examples.demo import run

    run(output, typer.echo)


@app.command()
def rules(
    threshold: Annotated[
        int, typer.Option("--threshold", metavar="K", help="Counts below K are hidden; 1 hides none.")
    ] = 10,
    zeros: Annotated[
        str, typer.Option("--zeros", metavar="hidden|shown", help="Whether a count of 0 is shown.")
    ] = "hidden",
    round_: Annotated[int, typer.Option("--round", metavar="BASE", help="Counts are rounded to this base.")] = 1,
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
        int, typer.Option("--known", help="How many others in the cell the attacker knows to be there.")
    ] = 0,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw δ against the threshold, as .svg or .png.")
    ] = None,
    json_: Json = False,
) -> None:
    """What is a rule of thumb worth? Certified (ε, δ), worst over the unknown size of the cell, beside common rules.

    Exit codes: 0 said; 2 bad input.
    """
    from dalenius.report.rules import rules_report

    report = rules_report(
        threshold,
        zeros=zeros,
        base=round_,
        epsilons=epsilon or ["1", "2"],
        delta=delta,
        secret=secret,
        rate=rate,
        known=known,
        chart=chart,
    )
    typer.echo(json.dumps(report.json(), indent=2, ensure_ascii=False) if json_ else report.text())


class _Bar:
    """Progress on the error stream: a line that is redrawn every second and wiped out at the end, if somebody is there
    to see it; otherwise a line of its own every half minute.
    """

    EVERY = 30

    def __enter__(self) -> Self:
        self._begun, self._now = time.monotonic(), ("reading the specification and the data", 0, 0)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()
        return self

    def show(self, what: str, done: int, total: int) -> None:
        self._now = (what, done, total)

    def _draw(self) -> None:
        seen, told = sys.stderr.isatty(), 0
        while not self._over.wait(1.0):
            what, done, total = self._now
            seconds = int(time.monotonic() - self._begun)
            counted = f" ({done} of {total})" if total > 1 else ""
            if seen:
                sys.stderr.write(f"\r\033[K{what}{counted}, {seconds} s")
            elif seconds // self.EVERY > told:
                told = seconds // self.EVERY
                sys.stderr.write(f"still {what}{counted}, {seconds} s\n")
            sys.stderr.flush()
        if seen:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def _explain(errors: list[str]) -> None:
    """What is wrong, for the reader and, if asked for, for machines."""
    if "--json" in sys.argv:
        typer.echo(json.dumps({"verdict": None, "errors": errors}, indent=2, ensure_ascii=False))
    typer.echo("\n".join(f"Error: {error}" for error in errors), err=True)


def main() -> NoReturn:
    """Run the command line; every error that is the caller's ends with exit code 2 and a message, never a traceback."""
    try:
        app(standalone_mode=True, prog_name="dalenius")
    except DaleniusError as error:
        _explain(str(error).splitlines())
        raise SystemExit(BAD_INPUT) from None
    except MemoryError:
        _explain(["This needs more memory than there is. Declare a coarser unit or a smaller domain."])
        raise SystemExit(BAD_INPUT) from None
    raise SystemExit(0)
