"""Four linked tables of 10,000 people: which small cells follow from the others, and how long it takes to know."""

import csv
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise, product
from pathlib import Path

from benchmarks.claim import Row, at_most, remark
from benchmarks.timing import peak_bytes
from dalenius.audit.findings import CellStatus, Findings
from dalenius.audit.following import follow
from dalenius.audit.linking import link
from dalenius.audit.problem import Problem
from dalenius.audit.tables import SECONDARY, Cell, Convention, PublishedTable
from dalenius.record.proofs import audit_json

HERE = Path(__file__).parent
LEVELS = {
    "sex": ("sex",),
    "age": ("age_l", "age_m", "age_h"),
    "marital": ("lms_l", "lms_h"),
    "household": ("hst_l", "hst_m", "hst_h"),
    "family": ("fst_l", "fst_m", "fst_h"),
}
NAMES = {
    "sex-age-lms": ("sex", "age", "marital"),
    "sex-age-hst": ("sex", "age", "household"),
    "sex-age-fst": ("sex", "age", "family"),
    "sex-lms-hst": ("sex", "marital", "household"),
}
SMALL = 3
Labels = frozenset[tuple[str, str]]
Hides = Callable[[str, tuple[str | None, ...], int], str]  # table, labels, people: its mark, or nothing


def records() -> list[dict[str, str]]:
    with (HERE / "people.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def convention(rows: list[dict[str, str]]) -> Convention:
    """Which labels are inside which."""
    nested: dict[str, dict[str, tuple[str, ...]]] = {}
    for variable, levels in LEVELS.items():
        for coarse, fine in pairwise(levels):
            for row in rows:
                if row[coarse] != row[fine]:
                    own = nested.setdefault(variable, {})
                    own[row[coarse]] = tuple(dict.fromkeys((*own.get(row[coarse], ()), row[fine])))
    return Convention(nested=nested)


def published(rows: list[dict[str, str]], hides: Hides) -> Iterator[PublishedTable]:
    """The four tables with all levels and margins; combinations of nobody are not listed, so what is hidden is at
    least one.
    """
    for name, variables in NAMES.items():
        people: Counter[tuple[str | None, ...]] = Counter()
        for row in rows:
            for labels in product(
                *((None, *dict.fromkeys(row[level] for level in LEVELS[each])) for each in variables)
            ):
                people[labels] += int(row["freq"])
        cells = [
            Cell(labels, Fraction(1), None, mark)
            if (mark := hides(name, labels, count))
            else Cell(labels, Fraction(count), Fraction(count))
            for labels, count in people.items()
        ]
        yield PublishedTable(name, variables, tuple(cells))


def all_small(_: str, __: tuple[str | None, ...], count: int) -> str:
    return "x" if count <= SMALL else ""


def chosen() -> Hides:
    """The small ones, and those that were chosen to protect them."""
    with (HERE / "hidden_besides.csv").open(encoding="utf-8") as file:
        besides = {(table, *(label or None for label in labels)) for table, *labels in list(csv.reader(file))[1:]}

    def hides(table: str, labels: tuple[str | None, ...], count: int) -> str:
        return "x" if count <= SMALL else SECONDARY if (table, *labels) in besides else ""

    return hides


def problem(hides: Hides) -> tuple[Problem, int]:
    """What is known of the small cells, each group of people once; and how many cells are hidden in all."""
    rows = records()
    tables = tuple(published(rows, hides))
    linked = link(tables, convention(rows))
    small = [place for place, each in enumerate(linked.asked) if any(cell.mark == "x" for _, cell in each.cells)]
    hidden = sum(cell.hidden for table in tables for cell in table.cells)
    return replace(linked.problem, targets=tuple(linked.problem.targets[place] for place in small)), hidden


def decided(hides: Hides, seconds: float) -> tuple[Findings, float, int]:
    """What follows of the small cells; the seconds of the whole audit; how many cells are hidden."""
    started = time.perf_counter()
    asked, hidden = problem(hides)
    found = follow(asked, seconds=seconds - (time.perf_counter() - started))
    return found, time.perf_counter() - started, hidden


def words(found: Findings) -> str:
    counts = Counter(str(each.status) for each in found.each)
    exact = sum(each.exact for each in found.each)
    said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return f"{said}; both ends exact of {exact}"


PEAK = """
from benchmarks.linked_census import chosen, decided
decided(chosen(), 55.0)
"""


def linked_census() -> list[Row]:
    """Both patterns, far within a minute; and what it takes with fewer hidden."""
    result: list[Row] = []
    for name, hides in (("all small cells hidden", all_small), ("and others, chosen", chosen())):
        started = time.process_time()
        found, seconds, hidden = decided(hides, 55.0)
        cpu = time.process_time() - started
        undecided = sum(each.status == CellStatus.UNDECIDED for each in found.each)
        result += [
            at_most(f"four linked tables, {name}: undecided", undecided, 0, note=f"{hidden} hidden, {words(found)}"),
            at_most(f"four linked tables, {name}: seconds", seconds, 60, " s", note=f"{cpu:.1f} s of one core"),
            remark("its audit.json", f"{len(audit_json({'has the tables': found})) / 1e6:.1f} MB"),
        ]
    result.append(at_most("memory", peak_bytes(PEAK) / 2**30, 4, " GB"))
    for cells in (500, 1000, 2000):
        asked, hidden = problem(some_of(chosen(), cells))
        started = time.process_time()
        found = follow(asked, seconds=20.0)
        cpu = time.process_time() - started
        open_ = sum(each.status == CellStatus.OPEN for each in found.each)
        result.append(remark(f"{hidden} cells hidden", f"{cpu:.1f} s of one core, {open_} of {len(found.each)} open"))
    return result


def some_of(hides: Hides, cells: int) -> Hides:
    """So many of the cells that are hidden, and a few more: a group is hidden in all tables, or shown in all."""
    places: Counter[Labels] = Counter()
    for table in published(records(), hides):
        places.update(_group(table.variables, cell.labels) for cell in table.cells if cell.mark)
    groups = sorted(places, key=sorted)
    random.Random(5).shuffle(groups)
    enough = next((at for at, count in enumerate(accumulate(places[each] for each in groups)) if count >= cells), None)
    kept = set(groups if enough is None else groups[: enough + 1])

    def some(table: str, labels: tuple[str | None, ...], count: int) -> str:
        return hides(table, labels, count) if _group(NAMES[table], labels) in kept else ""

    return some


def _group(variables: tuple[str, ...], labels: tuple[str | None, ...]) -> Labels:
    return frozenset((name, label) for name, label in zip(variables, labels, strict=True) if label is not None)
