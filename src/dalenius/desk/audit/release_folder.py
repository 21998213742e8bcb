"""What `dalenius release` let out, as tables: the exact counts of a folder that it wrote, or of all releases of a
ledger, each with the people whom it is about.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.audit.tables import Cell, PublishedTable, Where
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import read_text
from dalenius.basics.limits import LARGEST_AUDITED, LARGEST_CERTIFICATE, MOST_FIGURES

SQLITE = b"SQLite format 3\0"
CERTIFICATE, FIGURES = "certificate.json", "figures.csv"
_SIMPLE = re.compile(r"([^\s=<>]+) = ([^=<>()]+)")


def is_release(folder: Path) -> bool:
    """Whether dalenius wrote it."""
    return (folder / CERTIFICATE).is_file() and (folder / FIGURES).is_file()


def is_ledger(path: Path) -> bool:
    """Whether it is a file of SQLite: no table in text is. What cannot be read is refused as a table."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def read_release(folder: Path) -> tuple[list[PublishedTable], list[str]]:
    """Its tables of exact counts, and the names of figures that are not audited."""
    certificate = read_text(folder / CERTIFICATE, LARGEST_CERTIFICATE, "a certificate")
    figures = read_text(folder / FIGURES, LARGEST_AUDITED, "the figures of a release")
    return _read(folder.name, str(folder), certificate, figures)


def read_ledger(path: Path) -> tuple[list[PublishedTable], list[str]]:
    """The same of all releases that a ledger has. The whole chain is checked."""
    from dalenius.record.ledger import open_ledger

    ledger = open_ledger(path)
    releases = ledger.releases() if ledger.exists() else ()
    datasets = sorted({release.dataset for release in releases})
    if len(datasets) != 1:
        raise InputError(
            f"Needed a ledger with releases from one table of people, but {path} has them from {len(datasets)}. Name "
            "the folders of the releases that are about the same people."
        )
    tables: list[PublishedTable] = []
    others: list[str] = []
    for release in releases:
        files = {name: content.decode("utf-8", "replace") for name, content in ledger.files(release).items()}
        if CERTIFICATE not in files or FIGURES not in files:
            others.append(f"{release.id} in {path.name}")
            continue
        found, left = _read(release.id, f"{release.id} of {path.name}", files[CERTIFICATE], files[FIGURES])
        tables += found
        others += left
    return tables, others


def _read(name: str, where: str, certificate: str, numbers: str) -> tuple[list[PublishedTable], list[str]]:
    tables: list[PublishedTable] = []
    others: list[str] = []
    rows_of = _numbers(numbers)
    for figure in _figures(certificate, where):
        about = _where(figure)
        rows = rows_of.get(str(figure["name"]), [])
        if figure.get("kind") != "count" or figure.get("channel") or about is None or not rows:
            others.append(f"{figure['name']} in {where}")
            continue
        by = tuple(map(str, figure.get("by") or ()))
        cells = tuple(_cells(rows, by, f"{figure['name']} in {where}"))
        tables.append(PublishedTable(f"{name}/{figure['name']}", by, cells, where=about, absent="hidden"))
    return tables, others


def _figures(certificate: str, where: str) -> list[dict[str, Any]]:
    found: Any = None
    with suppress(ValueError, RecursionError, AttributeError):
        found = json.loads(certificate).get("figures")
    fits = isinstance(found, list) and len(found) <= MOST_FIGURES
    if not fits or not all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in found):
        raise InputError(f"Needed the certificate of a release in {where}, but it reads otherwise. Name its folder.")
    return [each for each in found if not each.get("already_out")]


def _numbers(text: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        found.setdefault(row.get("figure") or "", []).append(row)
    return found


def _cells(rows: list[dict[str, str]], by: tuple[str, ...], name: str) -> Iterator[Cell]:
    for place, row in enumerate(rows):
        labels = tuple(row.get(column) for column in by)
        value = row.get("value") or ""
        if not re.fullmatch(r"\d{1,18}", value) or None in labels:
            raise InputError(f"Needed whole numbers with their labels for {name}, but row {place + 1} has others.")
        yield Cell(labels, Fraction(value), Fraction(value), row=place)


def _where(figure: Mapping[str, Any]) -> Where | None:
    """Whom a figure is about, if that is a column with one label, or several such; None if it is more involved."""
    text = figure.get("where")
    if not text:
        return ()
    parts = [_SIMPLE.fullmatch(part.strip()) for part in str(text).split(" and ")]
    found = [(part[1], (part[2].strip(),)) for part in parts if part is not None]
    return tuple(found) if len(found) == len(parts) else None
