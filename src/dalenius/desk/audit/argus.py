"""A table as τ-ARGUS takes it: a .tab file without a header, and an .rda file beside it, in plain text, that says what
its columns are, which label is a total, how statuses are written, and in which .hrc file finer labels stand below
coarser ones.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, final

from dalenius.audit.marks import plain
from dalenius.audit.reading import Hints
from dalenius.audit.tables import COUNT
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import read_text
from dalenius.basics.limits import LARGEST_AUDITED

Nested: TypeAlias = dict[str, dict[str, tuple[str, ...]]]  # variable, coarse label, finer ones

MOST_LINES = 100_000  # of a list of codes
STATUSES = {"safe": "s", "unsafe": "u", "protect": "z", "protected": "z"}  # keywords of codes, as audits read them
LABELS = frozenset(("recodable", "recodeable", "totcode", "hierarchical"))
_KEYWORD = re.compile(r"<\s*(\w+)\s*>\s*([^<]*)")


@final
@dataclass(frozen=True)
class ArgusTable:
    """The table as CSV with a header, how it is read, and which labels are inside which."""

    text: str
    hints: Hints
    nested: Nested
    remarks: tuple[str, ...]


@final
@dataclass
class _Column:
    """A column of the file, and what is said of it."""

    name: str
    said: dict[str, str] = field(default_factory=dict)


def is_argus(path: Path) -> bool:
    """Whether an .rda file says what the columns of this file are."""
    return path.suffix.lower() == ".tab" and path.with_suffix(".rda").is_file()


def read_argus(path: Path, hints: Hints) -> ArgusTable:
    """The table of a .tab file."""
    columns, whole = _described(path.with_suffix(".rda"))
    labels = [each for each in columns if LABELS & set(each.said)]
    numbers = [each for key in ("response", "frequency") for each in columns if key in each.said]
    status = next((each.name for each in columns if "status" in each.said), None)
    if not labels or not numbers:
        raise InputError(
            f"Needed an .rda file that names columns of labels (<RECODABLE>) and numbers (<RESPONSE> or <FREQUENCY>), "
            f"but {path.with_suffix('.rda').name} names {len(labels)} and {len(numbers)}. Write them there."
        )
    value = hints.value or numbers[0].name
    of_people = "frequency" in next((each.said for each in numbers if each.name == value), {}) or len(numbers) == 1
    codes = {plain(code): STATUSES[key] for key, code in whole.items() if key in STATUSES and code}
    own = replace(
        hints,
        form="long",
        rows=tuple(each.name for each in labels),
        value=value,
        status=hints.status or status,
        measure=hints.measure if of_people or hints.measure != COUNT else value,
        total_labels={
            **{each.name: frozenset((each.said["totcode"],)) for each in labels if each.said.get("totcode")},
            **hints.total_labels,
        },
    )
    separator = whole.get("separator") or ","
    text = _with_header(path, [each.name for each in columns], status, codes, separator[:1])
    left = [each.name for each in numbers if each.name != value]
    remarks = tuple(f"{name} of {path.name} is taken not to be published." for name in left)
    return ArgusTable(text, own, dict(_nested(path, labels)), remarks)


def _described(path: Path) -> tuple[list[_Column], dict[str, str]]:
    """The columns in order, and what is said of the whole file or of its statuses."""
    columns: list[_Column] = []
    whole: dict[str, str] = {}
    for line in read_text(path, LARGEST_AUDITED, "an .rda file of τ-ARGUS").splitlines():
        if not line.strip():
            continue
        if not line.strip().startswith("<"):
            columns.append(_Column(line.split()[0].strip('"')))
            continue
        for found in _KEYWORD.finditer(line):
            key, said = found[1].lower(), found[2].strip().strip('"')
            if key in STATUSES or key == "separator" or not columns:
                whole[key] = said
            else:
                columns[-1].said[key] = said
    return columns, whole


def _with_header(path: Path, names: list[str], status: str | None, codes: Mapping[str, str], separator: str) -> str:
    """The text of a .tab file as CSV, with a header and statuses that audits read."""
    at = None if status is None else names.index(status)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(names)
    content = read_text(path, LARGEST_AUDITED, "a .tab file of τ-ARGUS")
    for place, row in enumerate(csv.reader(io.StringIO(content, newline=""), delimiter=separator), 1):
        fields = [each.strip() for each in row]
        if not any(fields):
            continue
        if len(fields) != len(names):
            raise InputError(
                f"Row {place} of {path.name} needs {len(names)} columns, as its .rda file names, but it has "
                f"{len(fields)}. Name every column there, and the separator."
            )
        if at is not None:
            fields[at] = codes.get(plain(fields[at]), fields[at])
        writer.writerow(fields)
    return out.getvalue()


def _nested(path: Path, labels: list[_Column]) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
    """The variables that have a list of codes, with the codes that have finer ones below them."""
    for column in labels:
        name = column.said.get("hiercodelist")
        if not name:
            continue
        if Path(name).name != name:
            raise InputError(f"Needed a list of codes beside {path.name}, but its .rda file names one elsewhere.")
        lead = column.said.get("hierleadstring") or "@"
        lines = read_text(path.with_name(name), LARGEST_AUDITED, "an .hrc file of τ-ARGUS").splitlines()[:MOST_LINES]
        above: list[str] = []
        finer: dict[str, list[str]] = {}
        for line in filter(str.strip, lines):
            code = line.strip()
            depth = 0
            while code.startswith(lead):
                code, depth = code[len(lead) :], depth + 1
            if depth > len(above):
                raise InputError(f"Needed one {lead} more at most than in the line before, in {name}. Correct it.")
            above = [*above[:depth], code.strip()]
            if depth:
                finer.setdefault(above[depth - 1], []).append(above[depth])
        yield column.name, {coarse: tuple(own) for coarse, own in finer.items()}
