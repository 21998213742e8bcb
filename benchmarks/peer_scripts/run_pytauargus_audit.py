"""Two-way tables of sums, protected and audited by pytauargus: the example of its own page, and random ones.

Prints JSON: for each table its cells with value and status, the intervals of its audit, the seconds of that, and the
least and the largest value of the table, between which it supposes every hidden number to be.
"""

import json
import random
import tempfile
import time

from pytauargus import protect

OWN = {
    "row": ["North"] * 6 + ["South"] * 6,
    "column": ["Retail"] * 3 + ["Services"] * 3 + ["Retail"] * 3 + ["Services"] * 3,
    "sum": [100.0, 5.0, 5.0, 10.0, 10.0, 10.0, 20.0, 20.0, 20.0, 30.0, 30.0, 30.0],
}
SIZES = [(3, 3)] * 4 + [(6, 4)] * 4 + [(10, 8)] * 3 + [(20, 12)]
RULES = ("NK(2,75)", "P(20,1)", "FREQ(4,10)")


def tables():
    """The example, and random respondents."""
    yield OWN, "NK(2,75)"
    rng = random.Random(2026)
    for place, (rows, columns) in enumerate(SIZES):
        people = [
            (f"r{row:02}", f"c{column:02}", float(1 + int(min(900, rng.lognormvariate(2.5, 1.3)))))
            for row in range(rows)
            for column in range(columns)
            for _ in range(rng.randint(2, 12))
        ]
        yield dict(zip(("row", "column", "sum"), map(list, zip(*people)))), RULES[place % len(RULES)]  # noqa: B905


def main() -> None:
    found = []
    for people, rule in tables():
        with tempfile.TemporaryDirectory() as folder:
            done = protect(people, ["row", "column"], "sum", rule, "OPT(1)", workdir=folder)
            cells = [[each["row"], each["column"], each["sum"], each["status"]] for each in done.tables[0].rows]
            started = time.perf_counter()
            audited = done.engine.audit(0)
            seconds = time.perf_counter() - started
            known = done.engine._table_cell_bounds(0)
        intervals = [[each["cell"], each["min"], each["max"]] for each in audited]
        found.append({"rule": rule, "cells": cells, "known": known, "audit": intervals, "seconds": seconds})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
