"""Given tables of counts, protected by pytauargus: the fewest cells (unit cost) beside those below 4.

Reads JSON from its input: for each table a list of [label, label, ..., count]. Prints JSON: for each table its cells
with their status, and the seconds.
"""

import json
import sys
import tempfile
import time

from pytauargus import protect


def main() -> None:
    found = []
    for table in json.load(sys.stdin):
        names = [f"v{place}" for place in range(len(table[0]) - 1)]
        people = [dict(zip([*names, "one"], [*labels, 1.0])) for *labels, count in table for _ in range(count)]  # noqa: B905
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            done = protect(people, names, "one", "FREQ(4,1)", "OPT(1)", cost_var="-2", workdir=folder)
            took = time.perf_counter() - started
            cells = [[*(row[name] for name in names), row["freq"], row["status"]] for row in done.tables[0].rows]
        found.append({"cells": cells, "seconds": took})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
