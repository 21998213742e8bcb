"""CSV and Parquet files (one, or a folder of them), read by an embedded DuckDB.

Nothing is read when a file is opened but its header.
"""

import csv
import gzip
import io
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

from dalenius.basics.errors import DataError
from dalenius.basics.limits import LONGEST_HEADER, MOST_COLUMNS, MOST_FILES
from dalenius.data.source import Engine, Expr, Row, Source, from_table
from dalenius.data.sql import read_texts, rows_of
from dalenius.data.wording import shown_list

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
        fetch=lambda query: _rows(backend, query),
        hold=lambda query, name: backend.create_table(name, query, temp=True, overwrite=True),
    )


def _rows(backend: Any, query: Expr) -> list[Row]:
    """The rows of a query, as DuckDB gives them: Ibis's own way imports pandas, which takes longer than most queries.
    What is in memory (frames, long lists of labels) only Ibis can hand over.
    """
    from ibis.expr.operations import InMemoryTable

    if query.op().find(InMemoryTable):
        return cast("list[Row]", backend.to_pyarrow(query).to_pylist())
    answer = backend.con.execute(backend.compile(query))
    names = [name for name, *_ in answer.description]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


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

    parts = sorted(path for path in _inside(folder) if path.name.lower().endswith(PARQUET_SUFFIXES) and path.is_file())
    if not parts:
        raise DataError(
            f"Needed Parquet files in the folder {folder}, but there is none. Name the folder that holds them."
        )
    if any("=" in name for part in parts for name in part.relative_to(folder).parts[:-1]):
        raise DataError(
            f"Needed every column inside the Parquet files of {folder}, but a folder in it is named by a value of one. "
            "Write the files anew without partitions."
        )
    first: dict[str, str] = {}
    for number, part in enumerate(parts, start=1):
        try:
            schema = pq.read_schema(part)
        except (pa.ArrowException, OSError):
            schema = None
        if schema is None:
            raise DataError(
                f"Needed Parquet files in {folder}, but {_which(number, len(parts))} cannot be read as one. Write it "
                "anew."
            )
        columns: dict[str, str] = {}
        for field in schema:  # a name that stands there twice has two types
            columns[field.name] = f"{columns[field.name]}, {field.type}" if field.name in columns else str(field.type)
        first = first or columns
        if columns != first:
            raise DataError(
                f"Needed the same columns in every Parquet file of {folder}, but {_differing(first, columns)} in "
                f"{_which(number, len(parts))} than in the first. Write the files anew with one schema, or name one of "
                "them."
            )
    return parts


def _inside(folder: Path) -> Iterator[Path]:
    """All that is in a folder, at any depth; DataError if that is more than a table has files."""
    for number, path in enumerate(folder.rglob("*")):
        if number >= MOST_FILES:
            raise DataError(
                f"Needed a folder with at most {MOST_FILES} files in it, but {folder} has more. Name the folder of the "
                "table, and nothing above it."
            )
        yield path


def _which(number: int, of: int) -> str:
    """A file of a folder. Names of folders and files inside may be values, so it is counted."""
    return "its file" if of == 1 else f"file {number} of {of}, in the order of their paths,"


def _differing(first: dict[str, str], second: dict[str, str]) -> str:
    """How the columns of two files differ, without their names: these may be what a record says."""
    if first.keys() != second.keys():
        return f"there are others ({len(first)} and {len(second)})"
    place, name = next((place, name) for place, name in enumerate(first, start=1) if first[name] != second[name])
    return f"column {place} is of another type ({first[name]} and {second[name]})"


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
    compression = "gzip" if _compressed(path) else "none"
    texts = read_texts(_literal(path), len(names), delimiter=delimiter, compression=compression)

    def source(engine: Engine, table: Expr, by_ibis: Callable[[], Source] | None = None) -> Source:
        return from_table(str(path), names, engine, table, lambda: _mark([path]), first_line=True, by_ibis=by_ibis)

    @cache
    def by_ibis() -> Source:
        engine = embedded(quick_filters=False)
        engine.backend.con.execute(f"CREATE TEMP VIEW texts AS FROM {texts.rows}")
        return source(engine, engine.backend.table("texts"))

    return source(_without_ibis(), texts, by_ibis)


def _without_ibis() -> Engine:
    """A DuckDB in memory, for texts."""
    import duckdb

    connection = duckdb.connect()
    for setting in SETTINGS:
        connection.execute(f"SET {setting}")
    return Engine(
        None,
        (duckdb.Error,),
        _reason,
        bitmaps=True,
        fetch=lambda query: rows_of(connection.execute, query),
        name=f"duckdb {duckdb.__version__}",
    )


def _open_parquet(path: Path, parts: Sequence[Path]) -> Source:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    engine = embedded()
    try:
        table = engine.backend.read_parquet([_literal(part) for part in parts], hive_partitioning=False)
        names = tuple(pq.read_schema(parts[0]).names)  # DuckDB calls the second x that it finds x_1
        if len(names) == len(table.columns):
            return from_table(str(path), names, engine, table, lambda: _mark(parts))
    except (duckdb.Error, pa.ArrowException, OSError, KeyError, NotImplementedError):
        pass
    raise DataError(f"Needed a Parquet file at {path}, but it cannot be read as one. Write the file anew.")


def _literal(path: Path) -> str:
    """The path as a pattern that matches nothing but itself: DuckDB reads * ? [ in names as wildcards."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))


def _header(path: Path) -> tuple[tuple[str, ...], str]:
    """The names in the first line and the delimiter between them, read here so that DuckDB guesses nothing."""
    try:
        with _text(path) as lines:
            start = lines.read(LONGEST_HEADER + 1)
        delimiters = ("\t",) if path.name.lower().endswith((".tsv", ".tsv.gz")) else DELIMITERS
        headers = [_first_row(start, delimiter) for delimiter in delimiters]
    except (UnicodeDecodeError, OSError, EOFError):
        headers = []
    if not headers:
        raise DataError(
            f"Needed UTF-8 text in {path}, but it cannot be read as that. "
            "Save the table as UTF-8 CSV, in a place that you may read."
        )
    header = max(headers, key=len)
    if sum(map(len, header)) + len(header) > LONGEST_HEADER or len(header) > MOST_COLUMNS:
        raise DataError(
            f"Needed at most {MOST_COLUMNS} columns, with names of {LONGEST_HEADER} characters together, in the first "
            f"line of {path}, but it has more. Leave out columns that are not needed, or save it as Parquet."
        )
    if not any(name.strip() for name in header):
        raise DataError(f"Needed the names of the columns in the first line of {path}, but it is blank. Add a header.")
    return tuple(header), delimiters[headers.index(header)]


def _first_row(start: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
    except csv.Error:  # with another delimiter than the right one a field may be too long
        return []


def _compressed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _text(path: Path) -> IO[str]:
    if _compressed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
