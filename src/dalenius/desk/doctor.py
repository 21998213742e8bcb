"""What is installed, and what would be used: of interest when something is not as expected. No data is read."""

import importlib.metadata
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from dalenius.basics.errors import DaleniusError
from dalenius.desk.policy import load_policy
from dalenius.desk.session.place import KEYS_VARIABLE, find_ledger
from dalenius.desk.session.reading import POLICY

State = Literal["ok", "missing", "broken"]

# Distribution, what it is for, how it comes.
NEEDED = (
    ("numpy", "the mathematics", ""),
    ("scipy", "the mathematics", ""),
    ("duckdb", "tables in files", ""),
    ("ibis-framework", "tables in databases", ""),
    ("pyarrow", "Parquet", ""),
    ("opendp", "the sampler of noise", ""),
    ("pydantic", "specifications", ""),
    ("sqlalchemy", "ledgers", ""),
    ("psycopg", "tables and ledgers in PostgreSQL", "dalenius[postgres]"),
    ("pyspark", "tables that outgrow one machine", "dalenius[spark]"),
    ("starlette", "the workbench", "dalenius[web]"),
    ("uvicorn", "the workbench", "dalenius[web]"),
    ("cryptography", "signatures", "dalenius[signing]"),
    ("dalenius-checker", "the independent checker, in a copy of the repository", "./checker"),
)


@dataclass(frozen=True)
class Item:
    """One thing that was looked at, and how it is. `wrong` things make commands fail; what is `missing` is optional."""

    what: str
    found: str
    state: State = "ok"


def examined(version: str, ledger: str | None = None, policy: str | None = None) -> tuple[Item, ...]:
    """Everything, in the order in which it is printed."""
    return (
        Item("dalenius", version),
        *_machine(),
        *_libraries(),
        *_engines(),
        _policy(policy),
        *_ledger(ledger),
        _samples(),
    )


def is_well(items: tuple[Item, ...]) -> bool:
    """Whether nothing that would be used is broken."""
    return all(item.state != "broken" for item in items)


def as_json(items: tuple[Item, ...]) -> dict[str, Any]:
    """For machines."""
    return {"well": is_well(items), "items": [{"what": i.what, "found": i.found, "state": i.state} for i in items]}


def _machine() -> Iterator[Item]:
    yield Item("Python", f"{platform.python_version()} ({platform.python_implementation()})")
    yield Item("system", f"{platform.system()} {platform.machine()}, {os.cpu_count() or 1} processors")
    output = (sys.stdout.encoding or "unknown").lower()
    told = output if "utf" in output else f"{output}: letters that it lacks are printed as \\u03b1"
    yield Item("output", told)


def _libraries() -> Iterator[Item]:
    for name, use, extra in NEEDED:
        try:
            yield Item(name, f"{importlib.metadata.version(name)}, for {use}")
        except importlib.metadata.PackageNotFoundError:
            yield Item(
                name, f"not installed; for {use}: pip install '{extra or name}'", "missing" if extra else "broken"
            )


def _engines() -> Iterator[Item]:
    yield Item("SQLite", f"{sqlite3.sqlite_version}, for ledgers in a file")
    java = shutil.which("java")
    yield Item("Java", "found" if java else "not found; for Spark only", "ok" if java else "missing")
    try:
        import duckdb

        duckdb.connect().execute("select 1").fetchall()
        yield Item("DuckDB", "answers")
    except Exception as error:  # noqa: BLE001 - whatever an engine throws, this says that it does not work
        yield Item("DuckDB", f"does not work here ({type(error).__name__}); install duckdb anew", "broken")


def _policy(given: str | None) -> Item:
    named = given or os.environ.get(POLICY)
    whence = "--policy" if given else POLICY
    if not named:
        return Item("policy", f"none; {POLICY} or --policy would name one")
    try:
        found = load_policy(Path(named))
    except DaleniusError as error:
        return Item("policy", f"from {whence}: {error}", "broken")
    demands = "; ".join(found.demands) or "nothing"
    unused = f" Not used: {', '.join(found.unused)}." if found.unused else ""
    return Item("policy", f"from {whence}, {found.name}: it demands {demands}.{unused}")


def _ledger(given: str | None) -> Iterator[Item]:
    keys = [name for name in os.environ.get(KEYS_VARIABLE, "").split(os.pathsep) if name]
    yield Item(
        "ledger keys", f"{len(keys)}, from {KEYS_VARIABLE}" if keys else f"none; {KEYS_VARIABLE} would name them"
    )
    try:
        ledger = find_ledger(given, None, Path())
        if not ledger.exists():
            yield Item("ledger", f"{ledger.shown}: not there yet, so nothing counts as released before")
            return
        entries, pending = len(ledger.entries()), ledger.pending()
    except DaleniusError as error:
        yield Item("ledger", str(error), "broken")
        return
    yield Item("ledger", f"{ledger.shown}: {entries} entries, the chain is unbroken")
    for release in pending:
        told = f"recorded, but its folder is not known to be written: dalenius ledger complete {release.id}"
        yield Item(f"release {release.id}", told)


def _samples() -> Item:
    """One draw, so that a sampler that cannot be loaded is seen before it is needed."""
    try:
        from dalenius.data.sampler import two_sided_geometric

        two_sided_geometric(Fraction(1))
    except Exception as error:  # noqa: BLE001 - as above
        return Item("sampler", f"does not work here ({type(error).__name__}); install opendp anew", "broken")
    return Item("sampler", "draws")
