"""`python -m benchmarks.suppression`: how many cells are hidden besides, dalenius beside the optimum of pytauargus.

pytauargus runs in an environment of its own (.venv-peers-pytauargus, made on the first run). Both start from the same
two-way tables of counts with margins, in which cells from 1 to 3 are hidden; both patterns are audited by dalenius
against an attacker who has the table alone, and against one who also knows that these cells are 1 to 3.
"""

import json
import subprocess
import tempfile
import time
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.peers import HERE, environment
from dalenius.audit.examination import examine
from dalenius.audit.remedy import advise
from dalenius.audit.tables import SECONDARY, Cell, Convention, MarkRule, PublishedTable

ALONE = Convention(threshold=4)
WIDER = Convention(threshold=4, width=2)  # as pytauargus asks: one more and one less must be possible
RULE = Convention(threshold=4, rules=(MarkRule("x", 1, 3),))
HEAD = "cells  small  besides: ours, 2 wide, theirs  follow: ours, theirs, theirs with the rule  seconds: ours, theirs"


def main() -> int:
    """A line for each table, and the sums; 1 if a claim is not met."""
    python = environment("pytauargus", ["pytauargus==0.6.0"])
    if python is None:
        print("pytauargus cannot be installed here")
        return 0
    script = HERE / "peer_scripts" / "run_pytauargus.py"
    with tempfile.TemporaryDirectory() as folder:  # it leaves files where it runs
        done = subprocess.run([python, script], check=False, capture_output=True, text=True, timeout=900, cwd=folder)
    if done.returncode:
        print(f"pytauargus fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    print(HEAD)
    sums = np.zeros(6, dtype=int)
    narrower = 0
    for each in json.loads(done.stdout.splitlines()[-1]):
        start, pattern = _table(each["cells"], "U"), _table(each["cells"], "UM")
        began = time.process_time()
        hidden, own = _hidden(start, ALONE)
        took = time.process_time() - began
        wider, _ = _hidden(start, WIDER)
        beside = sum(status == "M" for *_, status in each["cells"])
        theirs, known = (
            sum(one.tells for one in examine([pattern], rule, seconds=None).conclusions) for rule in (ALONE, RULE)
        )
        small = sum(status == "U" for *_, status in each["cells"])
        sums += (hidden, wider, beside, own, theirs, known)
        narrower += _narrower(each, pattern)
        print(
            f"{len(each['cells']):5}  {small:5}  {hidden:13}, {wider:6}, {beside:6}  {own:12}, {theirs:6}, {known:20}"
            f"  {took:13.2f}, {each['seconds']:6.2f}"
        )
    hidden, wider, beside, own, theirs, known = map(int, sums)
    print(f"hidden besides: {hidden}, or {wider} two wide; {beside} by pytauargus (claimed: at most 10 % more)")
    print(f"follow afterwards: {own} (claimed: 0); with pytauargus' pattern {theirs}, and {known} if the rule is known")
    print(
        f"{narrower} intervals of pytauargus' audit are narrower: it supposes that each number is roughly known before"
    )
    return int(10 * max(hidden, wider) > 11 * beside or own > 0)


def _hidden(start: PublishedTable, convention: Convention) -> tuple[int, int]:
    """How many numbers are hidden besides, and how many follow then."""
    found = examine([start], convention, seconds=None)
    hiding = [remedy for remedy in advise(found, seconds=120).remedies if remedy.kind == "hide"]
    if not hiding:
        return 0, sum(one.tells for one in found.conclusions)
    again = examine(hiding[0].tables, convention, seconds=None)
    return len(hiding[0].hidden), sum(one.tells for one in again.conclusions)


def _table(cells: list[list[Any]], hidden: str) -> PublishedTable:
    """The table with the cells of these statuses hidden."""
    made = []
    for row, column, number, status in cells:
        labels = tuple(None if label == "Total" else label for label in (row, column))
        if status in hidden:
            made.append(Cell(labels, None, None, "x" if status == "U" else SECONDARY))
        else:
            made.append(Cell(labels, Fraction(number), Fraction(number)))
    return PublishedTable("table", ("row", "column"), tuple(made))


def _narrower(each: dict[str, Any], pattern: PublishedTable) -> int:
    """How many of the intervals that pytauargus reports do not hold all that is possible."""
    found = examine([pattern], ALONE, seconds=None)
    count = 0
    for line in each["audit"]:
        conclusion = found.of_cell(pattern, pattern.cells[line["cell"]])
        if conclusion is not None and conclusion.finding.seen is not None:
            low, high = conclusion.finding.seen
            count += line["min"] > low or line["max"] < high
    return count


if __name__ == "__main__":
    raise SystemExit(main())
