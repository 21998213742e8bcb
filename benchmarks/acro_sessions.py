"""`python -m benchmarks.acro_sessions`: is all that follows from the tables of 25 sessions of ACRO found?

ACRO runs in an environment of its own (.venv-peers-acro, made on the first run). For every hidden cell two integer
programs, written down here from the CSV files alone, say in which interval it must lie; the audit must agree, and what
it says to follow must be what the sample has. Sessions in which something follows must end as fail, the others not.
"""

import csv
import itertools
import json
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

import dalenius as dl
from benchmarks.peers import HERE, environment
from dalenius.desk.audit.writing import annotated

SESSIONS = 25
ROOT = HERE.parent


def main() -> int:
    """A line for each measure; 1 if one of them is not met."""
    python = environment("acro", ["acro==1.0.2", str(ROOT)])
    if python is None:
        print("acro cannot be installed here")
        return 0
    failed = 0
    for way in ("audited afterwards", "attached"):
        with tempfile.TemporaryDirectory() as folder:
            failed += _measured(python, Path(folder), way)
    return min(failed, 1)


def _measured(python: Path, folder: Path, way: str) -> int:
    script = [python, HERE / "peer_scripts" / "run_acro.py", folder, str(SESSIONS)]
    made = time.perf_counter()
    done = subprocess.run([*script, way], check=False, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        print(f"{way}: acro fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    made = time.perf_counter() - made
    hidden = follows = wrong = zeros = sessions = misjudged = 0
    started = time.perf_counter()
    for number in range(SESSIONS):
        place = folder / str(number)
        found = dl.audit(place, remedy=False, seconds=None)
        if way != "attached":
            annotated(found, place)
        statuses = [each["status"] for each in json.loads((place / "results.json").read_text())["results"].values()]
        expected = _intervals(place)
        truth = _counts(place)
        told = False
        for each in found.json()["numbers"]:
            for cell in each.get("places", ()):
                ends = expected[cell["table"], tuple(cell["labels"].values())]
                wrong += ends != (each["low"], each["high"])
                value = truth[tuple(sorted(cell["labels"].items()))]
                wrong += each["status"] == "follows" and value != each["low"]
                hidden += value > 0
                follows += value > 0 and each["status"] == "follows"
                zeros += value == 0 and each["status"] == "follows"
            told |= each["status"] == "follows"
        sessions += told
        misjudged += ("fail" in statuses) != told
    took = time.perf_counter() - started
    print(f"{way}: {SESSIONS} sessions made in {made:.0f} s, audited and compared in {took:.1f} s")
    print(
        f"  hidden cells with somebody in them: {hidden}; of these follow: {follows}; hidden zeros that follow: {zeros}"
    )
    print(f"  sessions in which something follows: {sessions}")
    print(f"  intervals that differ from two integer programs, or from the sample: {wrong} (claimed: 0)")
    print(f"  sessions whose status is not what follows: {misjudged} (claimed: 0)")
    return int(wrong > 0) + int(misjudged > 0)


def _counts(place: Path) -> Counter[tuple[tuple[str, str], ...]]:
    """What the sample has, for every pair of columns."""
    truth = json.loads((place / "truth.txt").read_text())
    found: Counter[tuple[tuple[str, str], ...]] = Counter()
    for row in truth["rows"]:
        for pair in itertools.combinations(zip(truth["columns"], row, strict=True), 2):
            found[tuple(sorted(pair))] += 1
    return found


def _intervals(place: Path) -> dict[tuple[str, tuple[str, ...]], tuple[int, int]]:
    """The least and the largest value of every hidden cell, by integer programs on the table of all three columns."""
    columns = json.loads((place / "truth.txt").read_text())["columns"]
    tables = []
    for at, (one, other) in enumerate(itertools.combinations(range(3), 2)):
        name = f"output_{at}_0.csv"
        rows = list(csv.reader((place / name).read_text().splitlines()))
        cells = {
            (row[0], label): None if text == "" else int(float(text))
            for row in rows[1:]
            if row[0] != "All"
            for label, text in zip(rows[0][1:], row[1:], strict=True)
            if label != "All"
        }
        tables.append((name, one, other, cells))
    labels: list[dict[str, None]] = [{} for _ in columns]
    for _, one, other, cells in tables:
        for first, second in cells:
            labels[one][first] = labels[other][second] = None
    joint = list(itertools.product(*labels))
    rows_, low, high, asked = [], [], [], []
    for name, one, other, cells in tables:
        for (first, second), value in cells.items():
            row = np.array([person[one] == first and person[other] == second for person in joint], dtype=float)
            rows_.append(row)
            low.append(0 if value is None else value)
            high.append(9 if value is None else value)
            if value is None:
                asked.append(((name, (first, second)), row))
    constraint = LinearConstraint(np.array(rows_), np.array(low), np.array(high))
    found = {}
    for key, row in asked:
        ends = []
        for side in (1, -1):
            best = milp(side * row, constraints=constraint, integrality=np.ones(len(joint)), bounds=Bounds(0, np.inf))
            ends.append(round(side * best.fun))
        found[key] = (ends[0], ends[1])
    return found


if __name__ == "__main__":
    raise SystemExit(main())
