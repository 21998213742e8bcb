"""Frames in memory: pandas, polars, pyarrow. DuckDB reads their columns where they are."""

from collections.abc import Callable, Sequence
from typing import Any

from dalenius.basics.errors import DataError
from dalenius.basics.limits import MOST_LABELS
from dalenius.data.files import embedded
from dalenius.data.source import Expr, Source


def open_frame(frame: Any) -> Source:
    """A frame as a source; DataError if it is none that is known."""
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(frame).__mro__}
    if "pandas.DataFrame" in kinds:
        return _from_columns(
            "the pandas frame", list(frame.columns), len(frame), _pandas_reader(frame), lambda: _pandas_kinds(frame)
        )
    if "polars.DataFrame" in kinds:
        series = frame.get_columns()
        return _from_columns("the polars frame", frame.columns, frame.height, lambda place: series[place].to_arrow())
    if "pyarrow.Table" in kinds or "pyarrow.RecordBatch" in kinds:
        return _from_columns(
            "the pyarrow table", frame.schema.names, frame.num_rows, frame.column, lambda: _arrow_kinds(frame)
        )
    raise DataError(
        "Needed a file, the address of a database, a Spark session, or a pandas, polars or pyarrow table, but got "
        f"{type(frame).__name__}. Convert it (a polars LazyFrame with collect())."
    )


def _pandas_kinds(frame: Any) -> dict[str, tuple[str, ...]]:
    """The categories of columns that have some."""
    kinds = {str(name): getattr(kind, "categories", None) for name, kind in frame.dtypes.items()}
    return {
        name: tuple(map(str, some)) for name, some in kinds.items() if some is not None and len(some) <= MOST_LABELS
    }


def _arrow_kinds(frame: Any) -> dict[str, tuple[str, ...]]:
    """The dictionaries of columns that have one."""
    import pyarrow as pa

    found = {}
    for place, field in enumerate(frame.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else None
        if kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            column = frame.column(place)
            parts = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            labels = dict.fromkeys(label for part in parts for label in part.dictionary.to_pylist())
            if len(labels) <= MOST_LABELS:
                found[field.name] = tuple(labels)
    return found


def _pandas_reader(frame: Any) -> Callable[[int], Any]:
    import pyarrow as pa

    return lambda place: pa.array(frame.iloc[:, place], from_pandas=True)


def _from_columns(
    shown: str,
    labels: Sequence[object],
    height: int,
    read: Callable[[int], Any],
    enumerated: Callable[[], dict[str, tuple[str, ...]]] = dict,
) -> Source:
    """Columns are converted when they are first asked for, once each; numbers without a copy."""
    names = tuple(map(str, labels))
    if not names:
        raise DataError(f"Needed columns in {shown}, but it has none. Hand over the table itself.")
    engine = embedded()
    arrays: dict[str, Any] = {}

    def relation(wanted: Sequence[str]) -> Expr:
        import ibis
        import pyarrow as pa

        if not wanted:  # of rows without columns only their number can be asked
            return ibis.memtable(pa.table({"row": pa.repeat(pa.scalar(0, pa.int8()), height)}))
        for name in wanted:
            if name not in arrays:
                arrays[name] = _convert(name, names.index(name), read)
        return ibis.memtable(pa.table({f"c{place}": arrays[name] for place, name in enumerate(wanted)}))

    return Source(shown, names, height, engine, relation, lambda: None, enumerated=enumerated)


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
