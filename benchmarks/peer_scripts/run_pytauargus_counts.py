"""Given two-way tables of counts, protected by pytauargus: the fewest cells (unit cost) beside those below 4.

Reads JSON from its input: for each table a list of [row, column, count]. Prints JSON: for each table its cells with
their status, and the seconds.
"""

import json
import sys
import tempfile
import time

from pytauargus import protect


def main() -> None:
    found = []
    for table in json.load(sys.stdin):
        people = [{"row": row, "column": column, "one": 1.0} for row, column, count in table for _ in range(count)]
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            done = protect(people, ["row", "column"], "one", "FREQ(4,1)", "OPT(1)", cost_var="-2", workdir=folder)
            took = time.perf_counter() - started
            cells = [[row["row"], row["column"], row["freq"], row["status"]] for row in done.tables[0].rows]
        found.append({"cells": cells, "seconds": took})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
