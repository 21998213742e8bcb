"""Two-way tables of counts, protected by pytauargus: the fewest cells (unit cost) beside those below 4, and its audit.

Prints JSON: for each table its cells with their status, the seconds of the optimum and of the audit, and its intervals.
"""

import json
import random
import tempfile
import time

from pytauargus import protect

SIZES = [(6, 4)] * 4 + [(8, 6)] * 4 + [(10, 8)] * 3 + [(14, 10)] * 2 + [(20, 12)]


def main() -> None:
    rng = random.Random(2026)
    found = []
    for rows, columns in SIZES:
        people = [
            {"row": f"r{row:02}", "column": f"c{column:02}", "one": 1.0}
            for row in range(rows)
            for column in range(columns)
            for _ in range(1 + int(min(80, rng.expovariate(1 / 18))))
        ]
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            done = protect(people, ["row", "column"], "one", "FREQ(4,1)", "OPT(1)", cost_var="-2", workdir=folder)
            took = time.perf_counter() - started
            started = time.perf_counter()
            audited = list(done.engine.audit(0))
            audit = time.perf_counter() - started
            cells = [[row["row"], row["column"], row["freq"], row["status"]] for row in done.tables[0].rows]
        shown = [dict(each) if hasattr(each, "keys") else str(each) for each in audited]
        found.append({"cells": cells, "seconds": took, "audit_seconds": audit, "audit": shown})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
