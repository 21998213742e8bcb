"""`python -m benchmarks.data [ROWS]`: 50 million rows of Parquet, counts and sums of two columns by 50 groups.

The release, from a specification to a folder that is written and recorded in a ledger, against DuckDB's bare query
of the same. Both run in a Python that has imported what it needs. Figures without noise take longer to judge, by what
their laws need and not by the rows: that is measured by the benchmarks of laws and of planning.
"""

import sys
import tempfile
import time
from collections.abc import Callable
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


def specification(path: Path) -> dict[str, object]:
    """Counts, and sums with noise that hides one person by itself: what is promised needs no search, so that what is
    measured is the way of the data through a release.
    """
    spread: dict[str, object] = {"probabilities": {"0 to 100": 1}, "source": "made so"}
    wide: dict[str, object] = {"probabilities": {"0 to 1000": 1}, "source": "made so"}
    sums = {"ages": ("age", 400), "incomes": ("income", 4000)}
    return {
        "data": str(path),
        "person": "id",
        "public": {"region": list(NAMES)},
        "confidential": {"age": {"bounds": [0, 100]}, "income": {"bounds": [0, 1000]}},
        "beliefs": {"age": spread, "income": wide},
        "attacker": {"knows": 100, "source": "made so"},
        "target": {"epsilon": "0.5", "delta": "1e-9"},
        "figures": [
            {"name": "people", "kind": "count", "by": "region"},
            *(
                {"name": name, "kind": "sum", "column": column, "by": "region", "noise": {"geometric": scale}}
                for name, (column, scale) in sums.items()
            ),
        ],
    }


def released(path: Path) -> dict[str, tuple[int, ...]]:
    """All of a release: the table is checked, its persons are fingerprinted, the figures are judged with what the
    ledger knows, computed, recorded and written, with a certificate and a report to sign. Returns the figures.
    """
    import dalenius as dl

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        decision = dl.decide(specification(path), ledger=home / "ledger.sqlite")
        published = dl.release_folder(decision, home / "out")
    found: dict[str, list[int]] = {name: [] for name in NAMES}
    for item in published:
        found[str(item.cell[0])].append(int(item.value or 0))
    return {name: tuple(values) for name, values in found.items()}


def agree(exact: dict[str, tuple[int, ...]], noisy: dict[str, tuple[int, ...]]) -> bool:
    """Counts are the same, sums are within what noise does (forty times its scale: never seen)."""
    return exact.keys() == noisy.keys() and all(
        one[0] == two[0] and abs(one[1] - two[1]) < 16_000 and abs(one[2] - two[2]) < 160_000
        for one, two in ((exact[name], noisy[name]) for name in exact)
    )


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
        if not agree(bare(path), released(path)):
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
