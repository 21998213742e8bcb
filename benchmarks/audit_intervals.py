"""`python -m benchmarks.audit_intervals`: the intervals of pytauargus' audit beside ours, and the seconds of both.

pytauargus runs in an environment of its own (.venv-peers-pytauargus, made on the first run). Its audit supposes that
every hidden number lies between the least and the largest number of the table, hidden ones among them; that is given
to our attacker too, and its intervals must then be equal to ours or wider. Without that, which no reader of the table
knows, hidden numbers can be more: how many of its intervals are too narrow is printed.
"""

import json
import subprocess
import tempfile
import time
from dataclasses import replace
from math import ceil, floor
from typing import Any

from benchmarks.peers import HERE, environment
from dalenius.audit.following import follow
from dalenius.audit.problem import Problem, Sought, Statement, Unknown
from dalenius.record.proofs import audit_json

TOTAL, HIDDEN = "Total", "UM"
SLACK = 1e-6


def main() -> int:
    """A line for each table, and the sums; 1 if an interval of the peer is narrower than what is known allows."""
    python = environment("pytauargus", ["pytauargus==0.6.0"])
    if python is None:
        print("pytauargus cannot be installed here")
        return 0
    script = HERE / "peer_scripts" / "run_pytauargus_audit.py"
    with tempfile.TemporaryDirectory() as folder:  # it leaves files where it runs
        done = subprocess.run([python, script], check=False, capture_output=True, text=True, timeout=900, cwd=folder)
    if done.returncode:
        print(f"pytauargus fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    sums = [0, 0, 0, 0]
    print("rule        cells  hidden   equal  wider  narrower   too narrow for the table alone   seconds: ours, theirs")
    for each in json.loads(done.stdout.splitlines()[-1]):
        problem, hidden = _problem(each)
        started = time.perf_counter()
        found = follow(problem.knowing({}, _supposed(problem, each["known"])), seconds=None)
        took = time.perf_counter() - started
        alone = follow(problem, seconds=None)
        audit_json({"has the table": alone})
        equal = wider = narrower = too_narrow = 0
        for at, low, high in each["audit"]:
            own, told = found.each[hidden.index(at)], alone.each[hidden.index(at)]
            equal += own.low == round(low) and own.high == round(high)
            wider += (low < own.low - SLACK or high > own.high + SLACK) and low <= own.low and high >= own.high
            narrower += low > own.seen[0] + SLACK or high < own.seen[1] - SLACK
            too_narrow += low > told.seen[0] + SLACK or high < told.seen[1] - SLACK
        sums = [one + more for one, more in zip(sums, (equal, wider, narrower, too_narrow), strict=True)]
        print(
            f"{each['rule']:10}  {len(each['cells']):5}  {len(hidden):6}   {equal:5}  {wider:5}  {narrower:8}   "
            f"{too_narrow:30}   {took:13.3f}, {each['seconds']:6.3f}"
        )
    print(f"{sums[0]} equal, {sums[1]} wider, {sums[2]} narrower (claimed: none), all intervals of ours proved")
    print(f"{sums[3]} of its intervals leave out values that the table alone does not rule out")
    return int(sums[2] > 0)


def _problem(each: dict[str, Any]) -> tuple[Problem, list[int]]:
    """The table without its hidden numbers, and the places of these."""
    rows = sorted({row for row, *_ in each["cells"]} - {TOTAL})
    columns = sorted({column for _, column, *_ in each["cells"]} - {TOTAL})
    place = {(row, column): at for at, (row, column) in enumerate((row, column) for row in rows for column in columns)}
    statements, targets, hidden = [], [], []
    for at, (row, column, value, status) in enumerate(each["cells"]):
        inside = [
            place[one, other]
            for one in (rows if row == TOTAL else [row])
            for other in (columns if column == TOTAL else [column])
        ]
        terms = tuple((cell, 1) for cell in inside)
        if status in HIDDEN:
            targets.append(Sought(f"{row}, {column}", terms))
            hidden.append(at)
        else:
            statements.append(Statement(terms, round(value), round(value), f"{row}, {column} is {round(value)}"))
    unknowns = tuple(Unknown(f"{row}, {column}") for row, column in place)
    return replace(Problem(unknowns, tuple(statements), ()), targets=tuple(targets)), hidden


def _supposed(problem: Problem, known: list[float]) -> list[Statement]:
    low, high = floor(known[0]), ceil(known[1])
    return [Statement(target.terms, low, high, f"supposed of {target.name}") for target in problem.targets]


if __name__ == "__main__":
    raise SystemExit(main())
