"""A folder that ACRO wrote: which of its outputs are tables of counts, and in which variables."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from dalenius.audit.reading import Hints
from dalenius.audit.tables import SHOWN
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import path_of, read_text
from dalenius.basics.limits import LARGEST_AUDITED, MOST_TABLES

RESULTS = "results.json"
COUNTS = "Frequencies"  # what ACRO calls tables of counts
BLANKS = frozenset(("",))  # how it hides


@final
@dataclass(frozen=True, slots=True)
class AcroTable:
    """One file of an output: how it is read, and what is said about it already."""

    uid: str
    file: str
    hints: Hints


@final
@dataclass(frozen=True, slots=True)
class AcroFolder:
    """What a folder has: tables of counts, other tables, which are not audited, and the threshold of its rules."""

    path: Path
    tables: tuple[AcroTable, ...]
    others: tuple[str, ...]
    threshold: int | None


def is_acro(folder: Path) -> bool:
    """Whether ACRO wrote it."""
    return (folder / RESULTS).is_file()


def load_results(folder: Path) -> dict[str, Any]:
    """The content of results.json, with its keys checked as far as they are used."""
    whole = _json(folder / RESULTS, "the results.json of an ACRO folder")
    results = whole.get("results") if isinstance(whole, dict) else None
    if not isinstance(results, dict) or len(results) > MOST_TABLES or not all(map(_is_record, results.values())):
        raise InputError(
            f"Needed the results.json of an ACRO folder at {folder}, with at most {MOST_TABLES} results, each with "
            "uid, status, type, files and summary, but it reads otherwise. Write it anew with finalise()."
        )
    return dict(whole)


def read_acro(folder: Path, hints: Hints) -> AcroFolder:
    """What results.json says about the tables beside it."""
    tables: list[AcroTable] = []
    others: list[str] = []
    for uid, record in load_results(folder)["results"].items():
        if record["type"] != "table":
            continue
        found = list(_tables(str(uid), record, hints))
        tables += found
        if not found:
            others.append(str(uid))
    return AcroFolder(folder, tuple(tables), tuple(others), _threshold(folder))


def _tables(uid: str, record: Mapping[str, Any], hints: Hints) -> Iterator[AcroTable]:
    fair = record.get("fair")
    if not isinstance(fair, dict) or fair.get("statbarn") != COUNTS:
        return
    properties = record.get("properties")
    mitigation = properties.get("mitigation") if isinstance(properties, dict) else None
    variables = tuple(map(str, fair.get("independent") or ()))
    for file in record["files"]:
        if str(file["name"]).endswith(".csv"):
            own = replace(hints, marking=replace(hints.marking, hidden={*hints.marking.hidden, *BLANKS}))
            if mitigation == "suppress":  # ACRO leaves the records of hidden cells out and adds up again
                own = replace(own, totals=SHOWN, absent="hidden")
            yield AcroTable(uid, str(file["name"]), _named(own, variables))


def _named(hints: Hints, variables: tuple[str, ...]) -> Hints:
    """ACRO lists the variables of the rows and then those of the columns, as a rule one."""
    if hints.columns is not None or len(variables) < 2:
        return hints
    return replace(hints, form="wide", rows=variables[:-1], columns=variables[-1:])


def _threshold(folder: Path) -> int | None:
    config = folder / "config.json"
    if not config.is_file():
        return None
    content = _json(config, "the config.json of an ACRO folder")
    threshold = content.get("safe_threshold") if isinstance(content, dict) else None
    return threshold if isinstance(threshold, int) and 0 < threshold < 10**6 else None


def _json(path: Path, what: str) -> Any:
    text = read_text(path_of(path), LARGEST_AUDITED, what)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    raise InputError(f"Needed {what}, but {path} is no JSON. Write it anew.")


def _is_record(record: object) -> bool:
    return (
        isinstance(record, dict)
        and all(isinstance(record.get(key), str) for key in ("uid", "status", "type", "summary"))
        and isinstance(record.get("files"), list)
        and all(isinstance(file, dict) and _plain(file.get("name")) for file in record["files"])
    )


def _plain(name: object) -> bool:
    """A file's own name: nothing outside the folder is read."""
    return isinstance(name, str) and bool(name) and Path(name).name == name and name not in (".", "..")
