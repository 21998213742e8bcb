"""CSV and Parquet files (one, or a folder of them), read by an embedded DuckDB.

Nothing is read when a file is opened but its header.
"""

import csv
import gzip
import re
from collections.abc import Hashable, Sequence
from itertools import islice
from pathlib import Path
from typing import IO

from dalenius.errors import DataError
from dalenius.release.source import Engine, Source, from_table
from dalenius.release.wording import shown_list

LINES_OF_HEADER = 100
DELIMITERS = (",", ";", "\t", "|")
CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")
SETTINGS = ("temp_directory = ''", "autoinstall_known_extensions = false", "autoload_known_extensions = false")
# Statistics in Parquet files leave NaN out, and DuckDB believes them: then isnan(x) is false for a NaN.
DISTRUST = "disabled_optimizers = 'statistics_propagation'"
CSV_LINE = re.compile(r"Invalid Input Error: CSV Error on Line: (\d+)\n")
MEMORY = "there is too little memory. Use a machine with more of it, or aggregate the table first."


def embedded(path: Path | None = None, *, quick_filters: bool = True) -> Engine:
    """A DuckDB that neither spills confidential rows to disk nor fetches extensions; in memory, or a file that is
    only read.
    """
    import duckdb
    import ibis
    import pyarrow as pa

    backend = ibis.duckdb.connect() if path is None else ibis.duckdb.connect(path, read_only=True)
    for setting in SETTINGS:
        backend.raw_sql(f"SET {setting}")
    return Engine(
        backend,
        (duckdb.Error, pa.ArrowException),
        _reason,
        quick_filters,
        bitmaps=True,
        distrust=lambda: backend.raw_sql(f"SET {DISTRUST}"),
    )


def _reason(error: Exception) -> str:
    import duckdb

    if isinstance(error, duckdb.OutOfMemoryException):
        return MEMORY
    found = CSV_LINE.match(str(error))  # nothing else of it is said: it quotes the line
    return (
        f"{f'line {found[1]}' if found else 'some of it'} cannot be. For CSV, save it as UTF-8 text, with as many "
        "fields in every line as in the header and one kind of line ending; for Parquet, write the file anew."
    )


def open_file(path: Path) -> Source:
    """A CSV or Parquet file, or a folder of Parquet files. Costs one connection and the headers."""
    if not path.exists():
        raise DataError(f"Needed a table at {path}, but there is no such file. Check the path.")
    if path.is_dir():
        return _open_parquet(path, _parts(path))
    if not path.is_file():
        raise DataError(f"Needed a table at {path}, but that is not a file. Name the CSV or Parquet file itself.")
    if path.stat().st_size == 0:
        raise DataError(f"Needed a header and rows in {path}, but the file is empty. Export the table again.")
    if path.name.lower().endswith(CSV_SUFFIXES):
        return _open_csv(path)
    if path.name.lower().endswith(PARQUET_SUFFIXES):
        return _open_parquet(path, [path])
    raise DataError(
        f"Needed a file that ends in {shown_list((*CSV_SUFFIXES, *PARQUET_SUFFIXES, '.duckdb'))}, but got {path.name}. "
        "Export the table as one of these."
    )


def _parts(folder: Path) -> list[Path]:
    """The Parquet files of a folder, which all have the same columns, of the same types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = sorted(
        path for path in folder.rglob("*") if path.name.lower().endswith(PARQUET_SUFFIXES) and path.is_file()
    )
    if not parts:
        raise DataError(
            f"Needed Parquet files in the folder {folder}, but there is none. Name the folder that holds them."
        )
    split = next((part for part in parts if any("=" in name for name in part.relative_to(folder).parts[:-1])), None)
    if split is not None:
        raise DataError(
            f"Needed every column inside the Parquet files of {folder}, but {split.parent.name} holds one. "
            "Write the files anew without partitions."
        )
    first: dict[str, str] = {}
    for part in parts:
        try:
            schema = pq.read_schema(part)
        except (pa.ArrowException, OSError):
            schema = None
        if schema is None:
            raise DataError(f"Needed a Parquet file at {part}, but it cannot be read as one. Write the file anew.")
        columns = {field.name: str(field.type) for field in schema}
        first = first or columns
        if columns != first:
            raise DataError(_differing(parts[0], first, part, columns))
    return parts


def _differing(one: Path, first: dict[str, str], two: Path, second: dict[str, str]) -> str:
    name = next(name for name in {**first, **second} if first.get(name) != second.get(name))
    told = [
        f"is {some[name]} in {path.name}" if name in some else f"is not in {path.name}"
        for path, some in ((one, first), (two, second))
    ]
    return (
        f"Needed the same columns in every Parquet file of {one.parent}, but {name!r} {told[0]} and {told[1]}. "
        "Write the files anew with one schema, or name one of them."
    )


def _mark(paths: Sequence[Path]) -> Hashable:
    """Which files they are, their sizes, and when they were changed, which nobody can set back; none of a file that is
    gone.
    """
    found: list[tuple[str | int, ...]] = []
    for path in paths:
        try:
            status = path.stat()
            found.append((str(path), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        except OSError:
            found.append((str(path),))
    return tuple(found)


def _open_csv(path: Path) -> Source:
    """Every field is text, so that leading zeros survive and no type is guessed; an empty field is missing."""
    names, delimiter = _header(path)
    engine = embedded(quick_filters=False)
    table = engine.backend.read_csv(
        _literal(path),
        columns={f"f{place}": "VARCHAR" for place in range(len(names))},
        header=True,
        delim=delimiter,
        quote='"',
        escape='"',
        compression="gzip" if _compressed(path) else "none",
        hive_partitioning=False,
    )
    return from_table(str(path), names, engine, table, lambda: _mark([path]))


def _open_parquet(path: Path, parts: Sequence[Path]) -> Source:
    import duckdb

    engine = embedded()
    try:
        table = engine.backend.read_parquet([_literal(part) for part in parts], hive_partitioning=False)
        return from_table(str(path), tuple(table.columns), engine, table, lambda: _mark(parts))
    except (duckdb.Error, KeyError, NotImplementedError):
        pass
    raise DataError(f"Needed a Parquet file at {path}, but it cannot be read as one. Write the file anew.")


def _literal(path: Path) -> str:
    """The path as a pattern that matches nothing but itself: DuckDB reads * ? [ in names as wildcards."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))


def _header(path: Path) -> tuple[tuple[str, ...], str]:
    """The names in the first line and the delimiter between them, read here so that DuckDB guesses nothing."""
    try:
        with _text(path) as lines:
            first = list(islice(lines, LINES_OF_HEADER))
        delimiters = ("\t",) if path.name.lower().endswith((".tsv", ".tsv.gz")) else DELIMITERS
        headers = [next(csv.reader(first, delimiter=delimiter), []) for delimiter in delimiters]
    except (UnicodeDecodeError, OSError, EOFError, csv.Error):
        headers = []
    if not headers:
        raise DataError(
            f"Needed UTF-8 text in {path}, but it cannot be read as that. "
            "Save the table as UTF-8 CSV, in a place that you may read."
        )
    header = max(headers, key=len)
    if not any(name.strip() for name in header):
        raise DataError(f"Needed the names of the columns in the first line of {path}, but it is blank. Add a header.")
    return tuple(header), delimiters[headers.index(header)]


def _compressed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _text(path: Path) -> IO[str]:
    if _compressed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
