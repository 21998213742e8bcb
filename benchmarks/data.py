"""`python -m benchmarks.data [ROWS]`: 50 million rows of Parquet, counts and sums of two columns by 50 groups.

The release, from a specification to a folder that is written and recorded in a ledger, against DuckDB's bare query
of the same: exact sums of two columns of zeros and ones, of 101 and of 1001 values; and of many values with noise. All
run in a Python that has imported what it needs. Then visits, ten a person: one record each, counts and sums by 50
groups, against DuckDB's bare query of the same, which groups twice.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
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
           (hash(i * 3 + 1) % 101)::INT AS age, (hash(i * 5 + 2) % 1001)::INT AS income,
           (hash(i * 11 + 3) % 2)::INT AS insured, (hash(i * 13 + 4) % 5 = 0)::INT AS retired
    FROM range({rows}) t(i) ORDER BY hash(i // 100000)
) TO '{path}' (FORMAT parquet)
"""
QUERY = "SELECT region, count(*), sum({first}), sum({second}) FROM read_parquet('{path}') GROUP BY region"
COLUMNS = {  # the largest value, what is believed of it, and the noise of its sum
    "age": (100, {"0 to 100": 1}, 400),
    "income": (1000, {"0 to 1000": 1}, 4000),
    "insured": (1, {"0": "0.5", "1": "0.5"}, 4),
    "retired": (1, {"0": "0.8", "1": "0.2"}, 4),
}
CASES = {  # two columns, and whether their sums get noise
    "exact sums of zeros and ones": (("insured", "retired"), False),
    "exact sums of many values": (("age", "income"), False),
    "noisy sums of many values": (("age", "income"), True),
}


VISITS = """
COPY (
    SELECT i // 10 AS patient, 'g' || lpad((hash(i // 10 * 7) % {groups})::VARCHAR, 2, '0') AS region,
           (hash(i * 3 + 1) % 101)::INT AS cost, (hash(i * 5 + 2) % 5 = 0)::INT AS fever
    FROM range({rows}) t(i) ORDER BY hash(i // 100000)
) TO '{path}' (FORMAT parquet)
"""
PER_PERSON = """
SELECT region, count(*), sum(fevers), sum(spent) FROM (
    SELECT patient, any_value(region) AS region, least(count(*) FILTER (fever = 1), 5) AS fevers,
           100 * floor(least(sum(cost), 800) / 100 + 0.5) AS spent
    FROM read_parquet('{path}') GROUP BY patient
) GROUP BY region
"""


def make_visits(path: Path, rows: int) -> None:
    """Ten visits a person, near each other as in a register."""
    import duckdb

    duckdb.connect().execute(VISITS.format(groups=GROUPS, rows=rows, path=path))


def bare_visits(path: Path) -> dict[str, tuple[int, ...]]:
    import duckdb

    rows = duckdb.connect().execute(PER_PERSON.format(path=path)).fetchall()
    return {region: tuple(map(int, figures)) for region, *figures in rows}


def visits_specification(path: Path) -> dict[str, object]:
    """How many persons, how many fevers, and what was spent, by region."""
    sums = [{"name": name, "kind": "sum", "column": name, "by": "region"} for name in ("fevers", "spent")]
    return {
        "data": str(path),
        "person": "patient",
        "public": {"region": list(NAMES)},
        "rows": {"cost": {"bounds": [0, 100]}, "fever": {"bounds": [0, 1]}},
        "per_person": {
            "fevers": {"take": "number of rows", "where": "fever = 1", "limits": [0, 5]},
            "spent": {"take": "sum", "of": "cost", "limits": [0, 800], "unit": 100},
        },
        "beliefs": {
            "fevers": {"probabilities": {"0 to 5": 1}, "source": "made so"},
            "spent": {"probabilities": {"0 to 800": 1}, "source": "made so"},
        },
        "attacker": {"knows": 100, "source": "made so"},
        "target": {"epsilon": "0.5", "delta": "1e-9"},
        "figures": [{"name": "people", "kind": "count", "by": "region"}, *sums],
    }


def records(keys: dict[str, object]) -> None:
    """What a release does with the table: rows checked, one record a person, persons marked, figures added up."""
    from dalenius.data import Request, open_table
    from dalenius.desk.spec import build, spec_of

    asked = build(spec_of(keys))
    columns = {**asked.public, **asked.confidential}
    assert asked.per_person is not None
    table = open_table(keys["data"]).per_person(asked.per_person, person=asked.person, constant=list(asked.public))
    table.check(person=asked.person, public=asked.public, confidential=asked.confidential)
    table.marks(asked.frame_columns, person=asked.person, public=asked.public)
    table.totals([Request(one.name, one.by, one.where, one.column) for one in asked.figures], columns)


def visits(rows: int = ROWS) -> list[Row]:
    """One record a person, checked and added up, takes at most 1.5 times the bare query and two seconds more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.parquet"
        make_visits(path, rows)
        keys = visits_specification(path)
        if bare_visits(path) != release_of(keys):
            raise AssertionError("the figures differ")
        works = (partial(bare_visits, path), partial(records, keys), partial(release_of, keys))
        query, table, release = (min(clock(work)[0] for _ in range(3)) for work in works)
    claim = f"{rows / 1e6:g}M visits, one record a person"
    return [
        at_most(claim, table, 1.5 * query + 2, " s", note=f"bare query {query:.2f} s"),
        remark("the whole release, with what is judged", f"{release:.2f} s"),
    ]


def make(path: Path, rows: int) -> None:
    """The table: persons in blocks that are out of order, fifty regions, two columns of numbers."""
    import duckdb

    duckdb.connect().execute(MADE.format(groups=GROUPS, rows=rows, path=path))


def bare(path: Path, columns: Sequence[str]) -> dict[str, tuple[int, ...]]:
    import duckdb

    query = QUERY.format(path=path, first=columns[0], second=columns[1])
    rows = duckdb.connect().execute(query).fetchall()
    return {region: tuple(map(int, figures)) for region, *figures in rows}


def specification(path: Path, columns: Sequence[str], *, noisy: bool) -> dict[str, object]:
    """Counts and sums by region."""
    figures: list[dict[str, object]] = [{"name": "people", "kind": "count", "by": "region"}]
    for name in columns:
        noise = {"noise": {"geometric": COLUMNS[name][2]}} if noisy else {}
        figures.append({"name": f"sum of {name}", "kind": "sum", "column": name, "by": "region", **noise})
    return {
        "data": str(path),
        "person": "id",
        "public": {"region": list(NAMES)},
        "confidential": {name: {"bounds": [0, COLUMNS[name][0]]} for name in columns},
        "beliefs": {name: {"probabilities": COLUMNS[name][1], "source": "made so"} for name in columns},
        "attacker": {"knows": 100, "source": "made so"},
        "target": {"epsilon": "0.5", "delta": "1e-9"},
        "figures": figures,
    }


def released(
    path: Path, columns: Sequence[str] = ("age", "income"), *, noisy: bool = True
) -> dict[str, tuple[int, ...]]:
    """All of a release: the table is checked, its persons are fingerprinted, the figures are judged with what the
    ledger knows, computed, recorded and written, with a certificate and a report to sign. Returns the figures.
    """
    return release_of(specification(path, columns, noisy=noisy))


def release_of(keys: dict[str, object]) -> dict[str, tuple[int, ...]]:
    """The figures of a release, by region."""
    import dalenius as dl

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        decision = dl.decide(keys, ledger=home / "ledger.sqlite")
        published = dl.release_folder(decision, home / "out")
    found: dict[str, list[int]] = {name: [] for name in NAMES}
    for item in published:
        found[str(item.cell[0])].append(int(item.value or 0))
    return {name: tuple(values) for name, values in found.items()}


def agree(
    exact: dict[str, tuple[int, ...]], released: dict[str, tuple[int, ...]], columns: Sequence[str], *, noisy: bool
) -> bool:
    """Counts are the same, sums are within what noise does (forty times its scale: never seen)."""
    room = (0, *(40 * COLUMNS[name][2] if noisy else 0 for name in columns))
    return exact.keys() == released.keys() and all(
        abs(one - two) <= most
        for name in exact
        for one, two, most in zip(exact[name], released[name], room, strict=True)
    )


def clock(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall, and of all cores."""
    wall, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - busy


def data(rows: int = ROWS) -> list[Row]:
    """The release takes at most 1.25 times the bare query and two seconds more."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        make(path, rows)
        for name, (columns, noisy) in CASES.items():
            found += _case(name, path, columns, rows, noisy=noisy)
    return found + visits(rows)


def _case(name: str, path: Path, columns: Sequence[str], rows: int, *, noisy: bool) -> list[Row]:
    ours = partial(released, path, columns, noisy=noisy)
    if not agree(bare(path, columns), ours(), columns, noisy=noisy):
        raise AssertionError("the figures differ")
    pairs = [(clock(lambda: bare(path, columns)), clock(ours)) for _ in range(REPETITIONS)]
    query, release = (min(pair[place][0] for pair in pairs) for place in (0, 1))
    busy = [median(pair[place][1] for pair in pairs) for place in (0, 1)]
    note = f"bare query {query:.2f} s"
    return [
        at_most(f"{rows / 1e6:g}M rows, {name}", release, 1.25 * query + 2, " s", note=note),
        remark("of all cores together", f"{busy[1]:.2f} s against {busy[0]:.2f} s"),
    ]


if __name__ == "__main__":
    for row in data(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS):
        print(f"{row.claim:46}{row.measured:40}{row.limit}  {'' if row.ok is None else 'ok' if row.ok else 'FAILED'}")
