"""`python -m benchmarks.ledger`: the next release beside ten thousand figures in a real ledger, about a real table of a
million people, measured from the command to the verdict, and to the folder with its certificate.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import median

import numpy as np

import dalenius as dl
from benchmarks.claim import Row, at_most, remark
from benchmarks.linked import ANSWERS, MORE
from dalenius.data import open_table
from dalenius.desk.past import declared, fingerprint
from dalenius.desk.spec import Prepared, build, spec_of
from dalenius.facts.records import OneOf, Where
from dalenius.record.ledger import Draft, Fingerprint, Ledger, digests, open_ledger
from dalenius.tables.figures import Figure

PEOPLE = 1_000_000
LARGE, SMALL = 450, 1000  # releases of twenty figures, and of one
ASKED = 60  # further figures, of the guard
LIMIT = 10.0  # seconds
TIMES = 2.5  # what a release takes, with certificate and report, times what `check` takes


def domain(column: str) -> list[str]:
    return [f"{column}{value}" for value in range(MORE[column])]


def specification(figures: list[dict[str, object]]) -> dict[str, object]:
    return {
        "data": "people.parquet",
        "person": "id",
        "public": {name: domain(name) for name in MORE},
        "confidential": {name: ["no", "yes"] for name in ANSWERS},
        "beliefs": {
            name: {"probabilities": {"yes": rate, "no": "rest"}, "source": "census"} for name, rate in ANSWERS.items()
        },
        "attacker": {"knows": 20, "source": "the largest employer"},
        "target": {"epsilon": 1, "delta": "1e-4"},
        "figures": figures,
    }


def make_people(path: Path, count: int) -> None:
    """Uneven groups, and answers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = np.random.default_rng(7)
    columns: dict[str, object] = {"id": np.arange(count)}
    for name, size in MORE.items():
        weights = 1 / (6 + np.arange(size))
        codes = source.choice(size, count, p=weights / weights.sum()).astype(np.int32)
        columns[name] = pa.DictionaryArray.from_arrays(codes, domain(name)).cast(pa.string())
    for name in ANSWERS:
        columns[name] = pa.DictionaryArray.from_arrays(source.integers(2, size=count).astype(np.int32), ["no", "yes"])
    pq.write_table(pa.table(columns), path)


def earlier(large: int, small: int) -> Iterator[list[Figure]]:
    """The figures of each release, in turns of twenty and of one: counts of those who said yes, over some of the values
    of three columns; the first one is by a column.
    """
    source = np.random.default_rng(8)
    for place, size in enumerate(_mixed(large, small)):
        figures = []
        for number in range(size):
            names = source.choice(list(MORE), 3, replace=False).tolist()
            tests = [(name, _some(source, name)) for name in names]
            answer = list(ANSWERS)[(place + number) % 2]
            where = Where((*tests, (answer, OneOf(("yes",)))))
            by = tuple(name for name in MORE if name not in names)[:1] if size > 1 and not number else ()
            figures.append(Figure(f"figure {number}", "count", None, where, by))
        yield figures


def _mixed(large: int, small: int) -> Iterator[int]:
    for place in range(large):
        yield 20
        yield from [1] * (small * (place + 1) // large - small * place // large)


def _some(source: np.random.Generator, column: str) -> OneOf:
    """Some of the values of a column, but not all."""
    values = domain(column)
    kept = source.choice(len(values), int(source.integers(1, len(values))), replace=False)
    return OneOf(tuple(values[place] for place in sorted(kept.tolist())))


def record(ledger: Ledger, people: Path, releases: Iterable[list[Figure]]) -> int:
    """Record the releases with all that `dalenius release` records, but for their numbers, which are invented. How many
    figures there are.
    """
    asked = build(spec_of(specification([{"name": "all", "kind": "count", "by": list(MORE)}])))
    method, marks = open_table(people).marks(tuple(MORE), person="id", public=asked.public)
    known: dict[tuple[str, ...], Fingerprint] = {}
    total, last = 0, ""
    with ledger.turn() as turn:
        for figures in releases:
            used = {name for figure in figures for name in (*figure.where.columns, *figure.by)}
            columns = tuple(name for name in MORE if name in used)
            if columns not in known:
                known[columns] = fingerprint(asked, method, marks, columns, None)
            files = {"figures.csv": b"figure,value\n" * len(figures), "report.txt": bytes(4000)}
            last = turn.record(_draft(replace(asked, asked=tuple(figures)), known[columns], last, files), files).id
            total += len(figures)
    return total


def _draft(asked: Prepared, rows: Fingerprint, after: str, files: dict[str, bytes]) -> Draft:
    cells = [[(value,) for name in figure.by for value in domain(name)] or [()] for figure in asked.asked]
    return Draft(
        declared=declared(asked),
        fingerprint=rows,
        numbers=tuple(tuple((cell, Fraction(12345)) for cell in each) for each in cells),
        after=after,
        guarantee={"verdict": "pass", "epsilon": "1", "delta_at_most": "9e-05"},
        files=digests(files),
        folder="/releases/figures",
        user="analyst",
        host="desk",
        when="2026-01-01T00:00:00Z",
        software="dalenius",
    )


def timed(*arguments: str) -> tuple[str, float, float]:
    """The first line that a command answers, and its seconds: on the wall, and of all cores."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run([sys.executable, "-m", "dalenius", *arguments], check=False, capture_output=True, text=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - wall
    if run.returncode not in (0, 1, 3):
        raise RuntimeError(run.stderr)
    return run.stdout.splitlines()[0], wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ledger() -> list[Row]:
    """`dalenius check` and `dalenius release` of three tables beside ten thousand figures in 1,450 releases about a
    million people.
    """
    with tempfile.TemporaryDirectory() as name:
        return in_folder(Path(name))


def in_folder(folder: Path) -> list[Row]:
    people, place, spec = folder / "people.parquet", folder / "dalenius-ledger.sqlite", folder / "spec.json"
    make_people(people, PEOPLE)
    figures = record(open_ledger(place), people, earlier(LARGE, SMALL))
    cuts = (("region",), ("education",), ("region", "education"))
    asked = [
        {"name": f"employed by {' '.join(by)}", "kind": "count", "where": {"employed": "yes"}, "by": list(by)}
        for by in cuts
    ]
    spec.write_text(json.dumps(specification(asked)))
    found, wall, busy = timed("check", str(spec))
    _, whole, working = timed("release", str(spec), "-o", str(folder / "out"))
    held, again, _ = timed("verify", str(folder / "out" / "certificate.json"))
    return [
        at_most(f"check beside {figures:,} figures in a ledger, {PEOPLE:,} rows, in", wall, LIMIT, " s"),
        at_most("... of all cores together", busy, LIMIT, " s"),
        remark("... the answer", found),
        at_most("the release itself, recorded, with its certificate and report, in", whole, TIMES * LIMIT, " s"),
        at_most("... of all cores together, times what check takes", working / busy, TIMES, ""),
        remark("... its certificate, computed again", f"{again:.1f} s: {held}"),
        *guarded(spec, people, place),
        remark("... the ledger", f"{place.stat().st_size / 1e6:.0f} MB, {LARGE + SMALL:,} releases"),
    ]


def guarded(spec: Path, people: Path, place: Path) -> list[Row]:
    """One more count, by the guard that has read the table and the ledger."""
    guard = dl.Guard(spec, people, ledger=place)
    guard.may(_count("the first", {}))
    source, spent, answers = np.random.default_rng(9), [], Counter[str]()
    for number in range(ASKED):
        names = source.choice(list(MORE), 2, replace=False).tolist()
        more = _count(f"more {number}", {name: list(_some(source, name).values) for name in names})
        started = time.process_time()
        answers[guard.may(more).verdict] += 1
        spent.append(time.process_time() - started)
    found = ", ".join(f"{times} {verdict}" for verdict, times in sorted(answers.items()))
    return [at_most("the guard, one more count, the median on one core", 1000 * median(spent), 20, " ms", note=found)]


def _count(name: str, where: dict[str, object]) -> dict[str, object]:
    return {"name": name, "kind": "count", "where": {**where, "employed": "yes"}}


if __name__ == "__main__":
    for row in ledger():
        print(f"{row.claim:64}{row.measured:56}{row.limit}  {'' if row.ok is None else 'ok' if row.ok else 'FAILED'}")
