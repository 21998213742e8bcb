"""`python -m benchmarks gauntlet`: thirty real tables through the command line, from the command to a release.

`python -m benchmarks.gauntlet` writes docs/real-tables.md; it also asks for what was asked for first, before anybody
knew what passes.
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from benchmarks.claim import Row, at_most, remark
from benchmarks.real_tables.carriers import PACKAGES, TABLES, install, lay_out

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "real-tables.md"
SECONDS = 30.0
WANTED, EXACT_SHARE = 20, 0.8


ANSWERS = {"YES", "NO", "REVIEW"}
PATIENCE, LATE = 900, "LATE"  # seconds by the clock after which a command is stopped, and what is noted then
TEMPLATE = """\
# Thirty real tables

Written by `python -m benchmarks.gauntlet`. Tables out of packages on PyPI ({packages}), each with a specification
by somebody who knows the table: public and confidential columns, beliefs with a public source, an attacker who
knows 1 or 2 % of the records (of small tables one to three records). They stand in `benchmarks/real_tables/`. All
at ε = 1 and δ = 1e-6, through the command line: `check`, `plan` where that does not say YES, `release`, `verify`,
and the independent checker.

- **{exact} of {tables}** end in YES with at least four fifths of their numbers exact; {as_they_are} pass as they
  are.
- {noisy} pass with noise; {neither} end without figures.
- Refused at the door (missing values, several rows a person, numbers off their unit, tables by confidential
  columns, percentages, medians, anything else): {refused}.
- From the command to the verdict at most {slowest:.0f} s of one processor, the requests below included. Not finished
  in this run (LATE below): {late}; and as first asked for: {first_late}.

**These figures are coarse, and were made so.** As first asked for (`benchmarks/real_tables/first/`: every category,
crosstabs by several columns, means over the whole range), {first_yes} of {tables} passed, {first_review} were for
review and {first_no} got NO. Then categories were put together, breakdowns left out and means truncated, as
somebody does who publishes from a table of this size. Beliefs were put together likewise, and not changed. What to
know before one asks (a guide, not a bound):

- All figures about the same people share one ε and δ, because a record is protected as a whole. Let n be the people
  of the smallest cell, less the known ones. A yes/no figure of rate p has variance n p (1 − p); counts of several
  values, for the two rarest, n p q / (p + q); a mean n (standard deviation / range)². Columns pass together if the
  sum of one over these variances, one for each column, is below about 0.045.
- So a category of 3 % needs about a thousand people in each cell, one of 20 % about 150, and a mean over a long
  range of which few are far out some ten thousand: truncate it.
- Two tables of one column by two different public columns hide their smallest corner less well than they could:
  moves through the three other corners need three people at once.

| table | rows | check | seconds | numbers | exact | change | noise, DP alone | verify | checker |
|---|---|---|---|---|---|---|---|---|---|
{rows}

*Seconds* of the processor from the command to the verdict (`check --quick`), the start of Python included.
*Numbers* that were published, after the change if there is one; percentages and medians that are computed from them
are not counted. *Noise*: the largest expected error, beside that of differential privacy alone. *Checker*: AGREES, or
UNDECIDED where it says that a part is too large for it and all else agrees.
"""


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one table."""

    name: str
    rows: int
    verdict: str  # the first word of the answer
    seconds: float  # until the verdict
    processor: float  # seconds of the processor until then
    numbers: int  # published, with what changes were needed; what is computed from them is not counted
    exact: int
    change: str
    error: tuple[float, float] | None  # the largest of the noise, and what differential privacy alone would ask for
    verified: str
    checked: str

    @property
    def passes_exactly(self) -> bool:
        return self.numbers > 0 and self.exact >= EXACT_SHARE * self.numbers


def gauntlet() -> list[Row]:
    """How many tables end in YES with at least four fifths of their numbers exact, and how long the slowest took."""
    found = run_all()
    exact = sum(one.passes_exactly for one in found)
    refused = sum(one.verdict not in {*ANSWERS, LATE} for one in found)
    return [
        at_most("tables of thirty that do not end in YES, four fifths exact", len(found) - exact, len(found) - WANTED),
        at_most("tables that are refused at the door", refused, 0),
        at_most(
            "from the command to the verdict, the slowest (processor)", max(one.processor for one in found), SECONDS
        ),
        remark("the same by the clock", f"{max(one.seconds for one in found):.1f} s"),
    ]


def run_all(*, first: bool = False) -> list[Outcome]:
    """Every table, in a folder of its own."""
    packages = install(ROOT / ".venv-real-tables")
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for name in TABLES:
            found.append(run(name, packages, Path(folder) / name, first=first))
            one = found[-1]
            print(f"{name:14}{one.verdict:8}{one.processor:6.1f} s {one.exact} of {one.numbers} exact", flush=True)
        return found


def run(name: str, packages: Path, folder: Path, *, first: bool) -> Outcome:
    """Check; if the figures do not pass, plan; release what passes; verify it, and have the checker confirm it."""
    spec = lay_out(name, packages, folder, first=first)
    rows = len((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()) - 1
    before, started = _processor(), time.monotonic()
    told = dalenius("check", spec, "--quick")
    seconds, processor = time.monotonic() - started, _processor() - before
    verdict = next((line for line in told.stdout.splitlines() if line.strip()), "REFUSED").partition(":")[0]
    change, error = "none", None
    if verdict != "YES" and not first:
        spec, change, error = _planned(spec)
    out = folder / "out"
    published = spec is not None and not first and dalenius("release", spec, "--output", out).returncode == 0
    if not published:
        return Outcome(name, rows, verdict, seconds, processor, 0, 0, change, error, "", "")
    with (out / "figures.csv").open(encoding="utf-8", newline="") as file:
        released = [line["release"] for line in csv.DictReader(file)]
    released = [how for how in released if not how.startswith("computed")]
    exact = sum("noise" not in how and "rounded" not in how for how in released)
    verified = _first_word(dalenius("verify", out / "certificate.json"))
    checked = _first_word(_python("dalenius_checker", out / "certificate.json"))
    return Outcome(name, rows, verdict, seconds, processor, len(released), exact, change, error, verified, checked)


def _planned(spec: Path) -> tuple[Path | None, str, tuple[float, float] | None]:
    """The specification with the change that the plan chooses, which change that is, and the error of its noise."""
    changed = spec.with_name("changed.yaml")
    told = dalenius("plan", spec, "--json", "--seconds", "25", "--write", changed)
    plan = json.loads(told.stdout)
    chosen = next((way for way in plan["alternatives"] if way["chosen"]), None)
    if chosen is None or not changed.exists():
        return None, plan["plan"], None
    errors = [(one["expected_error"], one["differential_privacy_alone"]) for one in chosen["changes"]]
    noisy = "noise" in chosen["way"]
    return changed, chosen["way"], max(errors) if noisy and all(None not in pair for pair in errors) else None


def dalenius(*words: object) -> subprocess.CompletedProcess[str]:
    """The command line, as a person would use it."""
    return _python("dalenius", *words)


def _python(module: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *map(str, words)]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "checker" / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, f"{LATE}: stopped\n", "")


def _first_word(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stdout.strip() or done.stderr.strip()).splitlines()[0].partition(":")[0]


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(found: Sequence[Outcome], first: Sequence[Outcome]) -> str:
    """The page of the documentation."""
    verdicts = Counter(one.verdict for one in first)
    rows = "\n".join(map(_row, found))
    return TEMPLATE.format(
        packages=", ".join(package.partition("==")[0] for package in PACKAGES),
        tables=len(found),
        exact=sum(one.passes_exactly for one in found),
        as_they_are=sum(one.verdict == "YES" for one in found),
        noisy=sum(one.error is not None for one in found),
        neither=sum(one.numbers == 0 and one.verdict != LATE for one in found),
        refused=_names((*found, *first), lambda one: one.verdict not in {*ANSWERS, LATE}),
        late=_names(found, lambda one: one.verdict == LATE),
        first_late=_names(first, lambda one: one.verdict == LATE),
        slowest=max(one.processor for one in (*found, *first) if one.verdict != LATE),
        first_yes=verdicts["YES"],
        first_review=verdicts["REVIEW"],
        first_no=verdicts["NO"],
        rows=rows,
    )


def _names(found: Sequence[Outcome], chosen: Callable[[Outcome], bool]) -> str:
    return ", ".join(one.name for one in found if chosen(one)) or "none"


def _row(one: Outcome) -> str:
    noise = "" if one.error is None else f"{one.error[0]:.1f}, {one.error[1]:.1f}"
    told = (one.name, f"{one.rows:,}", one.verdict, f"{one.processor:.1f}", str(one.numbers), str(one.exact))
    return f"| {' | '.join((*told, one.change, noise, one.verified, one.checked))} |"


def main() -> None:
    """Write the page."""
    first = run_all(first=True)
    PAGE.write_text(page(run_all(), first), encoding="utf-8")


if __name__ == "__main__":
    main()
