"""`python -m benchmarks.suppression`: how many cells are hidden besides, dalenius beside the optimum of pytauargus.

pytauargus runs in an environment of its own (.venv-peers-pytauargus, made on the first run). Both start from the same
two-way tables of counts with margins, in which cells from 1 to 3 are hidden; both patterns are audited by dalenius
against an attacker who has the table alone, and against one who also knows that these cells are 1 to 3.
"""

import json
import subprocess
import time
from fractions import Fraction
from typing import Any

from benchmarks.peers import HERE, environment
from dalenius.audit.examination import examine
from dalenius.audit.remedy import advise
from dalenius.audit.tables import SECONDARY, Cell, Convention, PublishedTable, Rule

ALONE = Convention(threshold=4)
RULE = Convention(threshold=4, rules=(Rule("x", 1, 3),))


def main() -> int:
    """A line for each table, and the sums; 1 if a claim is not met."""
    python = environment("pytauargus", ["pytauargus==0.6.0"])
    if python is None:
        print("pytauargus cannot be installed here")
        return 0
    script = HERE / "peer_scripts" / "run_pytauargus.py"
    done = subprocess.run([python, script], check=False, capture_output=True, text=True, timeout=900)
    if done.returncode:
        print(f"pytauargus fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    ours = theirs = follow_ours = follow_theirs = narrower = 0
    print("cells  small  besides: ours, theirs   follow: ours, theirs, theirs with the rule   seconds: ours, theirs")
    for each in json.loads(done.stdout.splitlines()[-1]):
        start, pattern = _table(each["cells"], "U"), _table(each["cells"], "UM")
        began = time.perf_counter()
        remedies = advise(examine([start], ALONE, seconds=None), seconds=120).remedies
        took = time.perf_counter() - began
        hiding = next((remedy for remedy in remedies if remedy.kind == "hide"), None)
        hidden = len(hiding.hidden) if hiding else 0
        again = examine(hiding.tables if hiding else [start], ALONE, seconds=None)
        beside = sum(status == "M" for *_, status in each["cells"])
        found = [sum(one.tells for one in examine([pattern], own, seconds=None).conclusions) for own in (ALONE, RULE)]
        own = sum(one.tells for one in again.conclusions)
        ours, theirs = ours + hidden, theirs + beside
        follow_ours, follow_theirs = follow_ours + own, follow_theirs + found[0]
        narrower += _narrower(each, pattern)
        small = sum(status == "U" for *_, status in each["cells"])
        print(
            f"{len(each['cells']):5}  {small:5}  {hidden:13}, {beside:6}   {own:12}, {found[0]:6}, {found[1]:21}   "
            f"{took:13.2f}, {each['seconds']:6.2f}"
        )
    print(f"hidden besides: {ours} by dalenius, {theirs} by pytauargus (claimed: at most 10 % more)")
    print(f"follow afterwards: {follow_ours} (claimed: 0), and {follow_theirs} with the pattern of pytauargus")
    print(
        f"{narrower} intervals of pytauargus' audit are narrower: it supposes that each number is roughly known before"
    )
    return int(10 * ours > 11 * theirs or follow_ours > 0)


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
