"""The demo: one release that passes, and one that is refused because two totals differ by a small group."""

import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from dalenius.session import check_folder, decide, release_folder


def run(output: Path | None, say: Callable[[str], object]) -> Path:
    """Check and release the bundled survey, then show what is refused. Returns the folder that was written."""
    here = Path(str(files("dalenius.examples")))
    target = output or Path(tempfile.mkdtemp(prefix="dalenius-")) / "survey"
    check_folder(target)
    ledger = target.parent / f"{target.name}-ledger.sqlite"
    decision = decide(here / "release.yaml", ledger=ledger)
    say(decision.story())
    release_folder(decision, target)
    say((target / "figures.csv").read_text(encoding="utf-8"))
    say(f"Recorded in the ledger {ledger}\nWritten: {target}/figures.csv, certificate.json, report.txt\n")
    say("The same survey, with two totals that differ by a small group:\n")
    say(decide(here / "differencing.yaml", ledger=ledger).story())
    return target
