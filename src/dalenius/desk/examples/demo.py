"""The demo: interview answers, check, release and verify on a register of 20,000 invented patients."""

import shutil
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from dalenius.data.folder import write_folder
from dalenius.desk.interview import file_asker, new_spec
from dalenius.desk.session import check_folder, decide, release_folder
from dalenius.record.certificate.recheck import verify_certificate

FILES = ("register.csv.gz", "diabetes-survey.csv", "readmission-survey.csv", "answers.yaml")


def run(output: Path | None, say: Callable[[str], object]) -> Path:
    """Run it all in a new folder, and say what happens. Returns the folder of the release."""
    work = _prepared(output)
    say("1. Plain questions about the table, answered in answers.yaml")
    say("   $ dalenius new register.csv.gz --answers answers.yaml")
    _specified(work)
    say("   Written: release.yaml\n")
    say("2. May the figures go out?")
    say("   $ dalenius check release.yaml\n")
    decision = decide(work / "release.yaml", ledger=work / "dalenius-ledger.sqlite")
    say(decision.story())
    say("3. Publish them, with a certificate and a report to sign")
    say("   $ dalenius release release.yaml -o out\n")
    release_folder(decision, work / "out")
    say((work / "out" / "figures.csv").read_text(encoding="utf-8"))
    say("4. Does the certificate hold, and is it about these figures?")
    say("   $ dalenius verify out/certificate.json --figures out/figures.csv\n")
    say(verify_certificate(work / "out" / "certificate.json", work / "out" / "figures.csv").text() + "\n")
    say(f"Open the report: {work / 'out' / 'report.html'}")
    return work / "out"


def specify(output: Path | None) -> Path:
    """The table, and the specification that its keeper's answers make, in a new folder."""
    return _specified(_prepared(output))


def _specified(work: Path) -> Path:
    ask, preset, left = file_asker(work / "answers.yaml")
    new_spec(work / "register.csv.gz", work / "release.yaml", ask, preset, base=work, finish=left.refuse)
    return work


def _prepared(output: Path | None) -> Path:
    """A new folder with the table, the public tables and the answers in it."""
    here = Path(str(files("dalenius.desk.examples")))
    if output is None:
        work = Path(tempfile.mkdtemp(prefix="dalenius-"))
        for name in FILES:
            shutil.copyfile(here / name, work / name)
        return work
    check_folder(output)
    write_folder(output, {name: (here / name).read_bytes() for name in FILES})
    return output
