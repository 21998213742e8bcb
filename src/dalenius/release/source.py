"""Where the confidential rows live: a CSV or Parquet file, or a frame in memory.

Nothing is read when a source is opened but the names of the columns. DuckDB quotes the offending line of a
file in its errors, so these errors are dropped, not chained: what went wrong is said in our own words.
"""

import csv
import gzip
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias, cast, final

from dalenius.errors import DataError
from dalenius.release.wording import nearest, shown_list

Expr: TypeAlias = Any  # an Ibis expression: Ibis carries no types
Row: TypeAlias = dict[str, Any]

LINES_OF_HEADER = 100
DELIMITERS = (",", ";", "\t", "|")
CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")


@final
@dataclass(frozen=True, slots=True)
class Source:
    """A table that can be asked: `relation(names)` has these columns, called c0, c1, ... in this order.

    `height` is the number of rows if that is known without a scan.
    """

    shown: str
    names: tuple[str, ...]
    height: int | None
    backend: Any
    relation: Callable[[Sequence[str]], Expr]

    def select(self, names: Sequence[str]) -> tuple[Expr, dict[str, Expr]]:
        """The relation of these columns, and each column by its name. Nothing else is read."""
        wanted = tuple(dict.fromkeys(names))
        self._find(wanted)
        relation = self.relation(wanted)
        return relation, {name: _plain(relation[f"c{place}"]) for place, name in enumerate(wanted)}

    def run(self, query: Expr) -> list[Row]:
        """The rows of an aggregate query."""
        import duckdb

        try:
            return cast("list[Row]", self.backend.to_pyarrow(query).to_pylist())
        except duckdb.OutOfMemoryException:
            reason = "there is too little memory. Use a machine with more of it, or aggregate the table first."
        except duckdb.Error:
            reason = (
                "some of it cannot be. For CSV, save it as UTF-8 text, with as many fields in every line as in the "
                "header and one kind of line ending; for Parquet, write the file anew."
            )
        raise DataError(f"Needed to read all of {self.shown}, but {reason}")

    def _find(self, names: Sequence[str]) -> None:
        times = Counter(self.names)
        problems = [
            f"Needed a column {name!r} in {self.shown}, but its columns are {shown_list(self.names)}."
            + nearest(name, self.names)
            for name in names
            if name not in times
        ] + [
            f"Needed one column {name!r} in {self.shown}, but {times[name]} columns are called so. Rename the others."
            for name in names
            if times[name] > 1
        ]
        if problems:
            raise DataError("\n".join(problems))


def _plain(column: Expr) -> Expr:
    """A column in which everything is missing has no type: it is read as text, and found to be missing."""
    kind = column.type()
    return column.cast("string") if kind.is_null() or kind.is_unknown() else column


def open_source(source: object) -> Source:
    """A CSV or Parquet file, or a pandas, polars or pyarrow frame. Costs one connection and one header."""
    if isinstance(source, str | Path):
        return _open_file(Path(source).expanduser())
    return _open_frame(source)


def _open_file(path: Path) -> Source:
    if not path.exists():
        raise DataError(f"Needed a table at {path}, but there is no such file. Check the path.")
    if not path.is_file():
        raise DataError(f"Needed a table at {path}, but that is not a file. Name the CSV or Parquet file itself.")
    if path.stat().st_size == 0:
        raise DataError(f"Needed a header and rows in {path}, but the file is empty. Export the table again.")
    if path.name.lower().endswith(CSV_SUFFIXES):
        return _open_csv(path)
    if path.name.lower().endswith(PARQUET_SUFFIXES):
        return _open_parquet(path)
    raise DataError(
        f"Needed a file that ends in {shown_list((*CSV_SUFFIXES, *PARQUET_SUFFIXES))}, but got {path.name}. "
        "Export the table as one of these."
    )


def _connect() -> Any:
    """A DuckDB in memory that neither spills confidential rows to disk nor fetches extensions."""
    import ibis

    backend = ibis.duckdb.connect()
    for setting in ("temp_directory = ''", "autoinstall_known_extensions = false", "autoload_known_extensions = false"):
        backend.raw_sql(f"SET {setting}")
    return backend


def _open_csv(path: Path) -> Source:
    """Every field is text, so that leading zeros survive and no type is guessed; an empty field is missing."""
    names, delimiter = _header(path)
    backend = _connect()
    table = backend.read_csv(
        _literal(path),
        columns={f"f{place}": "VARCHAR" for place in range(len(names))},
        header=True,
        delim=delimiter,
        quote='"',
        escape='"',
        compression="gzip" if _compressed(path) else "none",
        hive_partitioning=False,
    )
    return _from_table(str(path), names, backend, table)


def _open_parquet(path: Path) -> Source:
    import duckdb

    backend = _connect()
    try:
        table = backend.read_parquet(_literal(path), hive_partitioning=False)
        return _from_table(str(path), tuple(table.columns), backend, table)
    except (duckdb.Error, KeyError, NotImplementedError):
        pass
    raise DataError(f"Needed a Parquet file at {path}, but it cannot be read as one. Write the file anew.")


def _from_table(shown: str, names: tuple[str, ...], backend: Any, table: Expr) -> Source:
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    fields = table.columns

    def relation(wanted: Sequence[str]) -> Expr:
        if not wanted:
            return table
        return table.select(**{f"c{place}": table[fields[places[name]]] for place, name in enumerate(wanted)})

    return Source(shown, names, None, backend, relation)


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


def _open_frame(frame: Any) -> Source:
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(frame).__mro__}
    if "pandas.DataFrame" in kinds:
        return _from_columns("the pandas frame", list(frame.columns), len(frame), _pandas_reader(frame))
    if "polars.DataFrame" in kinds:
        series = frame.get_columns()
        return _from_columns("the polars frame", frame.columns, frame.height, lambda place: series[place].to_arrow())
    if "pyarrow.Table" in kinds or "pyarrow.RecordBatch" in kinds:
        return _from_columns("the pyarrow table", frame.schema.names, frame.num_rows, frame.column)
    raise DataError(
        "Needed the path of a CSV or Parquet file, or a pandas, polars or pyarrow table, but got "
        f"{type(frame).__name__}. Convert it (a polars LazyFrame with collect())."
    )


def _pandas_reader(frame: Any) -> Callable[[int], Any]:
    import pyarrow as pa

    return lambda place: pa.array(frame.iloc[:, place], from_pandas=True)


def _from_columns(shown: str, labels: Sequence[object], height: int, read: Callable[[int], Any]) -> Source:
    """Columns are converted when they are first asked for, once each; numbers without a copy."""
    names = tuple(map(str, labels))
    if not names:
        raise DataError(f"Needed columns in {shown}, but it has none. Hand over the table itself.")
    backend = _connect()
    arrays: dict[str, Any] = {}

    def relation(wanted: Sequence[str]) -> Expr:
        import ibis
        import pyarrow as pa

        for name in wanted:
            if name not in arrays:
                arrays[name] = _convert(name, names.index(name), read)
        return ibis.memtable(pa.table({f"c{place}": arrays[name] for place, name in enumerate(wanted)}))

    return Source(shown, names, height, backend, relation)


def _convert(name: str, place: int, read: Callable[[int], Any]) -> Any:
    import ibis
    import pyarrow as pa

    try:
        array = read(place)
        ibis.memtable(pa.table({"c0": array}))
        return array
    except (pa.ArrowException, TypeError, ValueError, KeyError, NotImplementedError):
        pass
    raise DataError(
        f"Needed one plain type (numbers, text, true/false or dates) in column {name!r}, but it mixes types or holds "
        "objects. Convert the column first."
    )
