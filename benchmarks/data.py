"""`python -m benchmarks.data [ROWS]`: 50 million rows of Parquet, counts and sums of two columns by 50 groups.

The release (the table is checked, its groups are counted, the figures are computed) against DuckDB's bare query of
the same. Whether the figures may go out is decided in between, from public numbers only, and is not measured here.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median

from benchmarks.claim import Row, at_most, remark

ROWS = 50_000_000
GROUPS = 50
REPETITIONS = 5
NAMES = tuple(f"g{place:02d}" for place in range(GROUPS))
MADE = """
COPY (
    SELECT i AS id, 'g' || lpad((hash(i * 7) % {groups})::VARCHAR, 2, '0') AS region,
           (hash(i * 3 + 1) % 101)::INT AS age, (hash(i * 5 + 2) % 1001)::INT AS income
    FROM range({rows}) t(i) ORDER BY hash(i // 100000)
) TO '{path}' (FORMAT parquet)
"""
QUERY = "SELECT region, count(*), sum(age), sum(income) FROM read_parquet('{path}') GROUP BY region"


def make(path: Path, rows: int) -> None:
    """The table: persons in blocks that are out of order, fifty regions, two columns of numbers."""
    import duckdb

    duckdb.connect().execute(MADE.format(groups=GROUPS, rows=rows, path=path))


def bare(path: Path) -> dict[str, tuple[int, ...]]:
    import duckdb

    rows = duckdb.connect().execute(QUERY.format(path=path)).fetchall()
    return {region: tuple(map(int, figures)) for region, *figures in rows}


def released(path: Path) -> dict[str, tuple[int, ...]]:
    from dalenius.records import Categories, Column, Numbers
    from dalenius.release import Request, open_table

    public: dict[str, Column] = {"region": Categories(NAMES)}
    confidential: dict[str, Column] = {
        "age": Numbers(Fraction(1), Fraction(0), Fraction(100)),
        "income": Numbers(Fraction(1), Fraction(0), Fraction(1000)),
    }
    table = open_table(path)
    table.check(person="id", public=public, confidential=confidential)
    table.groups(["region"], public=public)
    requests = [Request(str(term), ("region",), term=term) for term in (None, "age", "income")]
    answers = table.totals(requests, {**public, **confidential})
    return {str(cell[0]): tuple(answer[cell] for answer in answers) for cell in answers[0]}


def clock(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall, and of all cores."""
    wall, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - busy


def data(rows: int = ROWS) -> list[Row]:
    """The release takes at most 1.25 times the bare query and two seconds more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        make(path, rows)
        if bare(path) != released(path):
            raise AssertionError("the figures differ")
        pairs = [(clock(lambda: bare(path)), clock(lambda: released(path))) for _ in range(REPETITIONS)]
    query, ours = (min(pair[place][0] for pair in pairs) for place in (0, 1))
    busy = [median(pair[place][1] for pair in pairs) for place in (0, 1)]
    return [
        at_most(f"{rows / 1e6:g}M rows: release", ours, 1.25 * query + 2, " s", note=f"bare query {query:.2f} s"),
        remark("of all cores together", f"{busy[1]:.2f} s against {busy[0]:.2f} s"),
    ]


if __name__ == "__main__":
    for row in data(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS):
        print(f"{row.claim:32}{row.measured:40}{row.limit}  {'' if row.ok is None else 'ok' if row.ok else 'FAILED'}")
