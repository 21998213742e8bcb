"""A folder that `dalenius release` wrote, as tables: its exact counts, each with the people whom it is about."""

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

CERTIFICATE, FIGURES = "certificate.json", "figures.csv"
_SIMPLE = re.compile(r"([^\s=<>]+) = ([^=<>()]+)")


def is_release(folder: Path) -> bool:
    """Whether dalenius wrote it."""
    return (folder / CERTIFICATE).is_file() and (folder / FIGURES).is_file()


def read_release(folder: Path) -> tuple[list[PublishedTable], list[str]]:
    """Its tables of exact counts, and the names of figures that are not audited."""
    tables: list[PublishedTable] = []
    others: list[str] = []
    numbers = _numbers(folder)
    for figure in _figures(folder):
        where = _where(figure)
        rows = numbers.get(str(figure["name"]), [])
        if figure.get("kind") != "count" or figure.get("channel") or where is None or not rows:
            others.append(f"{figure['name']} in {folder}")
            continue
        by = tuple(map(str, figure.get("by") or ()))
        cells = tuple(_cells(rows, by, f"{figure['name']} in {folder}"))
        tables.append(PublishedTable(f"{folder.name}/{figure['name']}", by, cells, where=where, absent="hidden"))
    return tables, others


def _figures(folder: Path) -> list[dict[str, Any]]:
    text = read_text(folder / CERTIFICATE, LARGEST_CERTIFICATE, "a certificate")
    found: Any = None
    with suppress(ValueError, RecursionError, AttributeError):
        found = json.loads(text).get("figures")
    fits = isinstance(found, list) and len(found) <= MOST_FIGURES
    if not fits or not all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in found):
        raise InputError(f"Needed the certificate of a release in {folder}, but it reads otherwise. Name its folder.")
    return [each for each in found if not each.get("already_out")]


def _numbers(folder: Path) -> dict[str, list[dict[str, str]]]:
    text = read_text(folder / FIGURES, LARGEST_AUDITED, "the figures of a release")
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
