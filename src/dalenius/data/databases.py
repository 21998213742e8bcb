"""Tables that live in a database: DuckDB files, PostgreSQL, Spark. Queries run there; only their answers come here.

Names of tables and columns are quoted by Ibis, never pasted. Passwords come from the environment (PGPASSWORD) or from
~/.pgpass; one that stands in an address is refused, since addresses are kept with specifications.
"""

import os
import re
import sys
import weakref
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from dalenius.basics.errors import DataError
from dalenius.basics.inputs import of_a_file, path_of
from dalenius.data.files import MEMORY, PARQUET_SUFFIXES, embedded
from dalenius.data.source import Engine, Expr, Row, Source, from_table
from dalenius.data.wording import nearest, shown_list

SECONDS_TO_CONNECT = 10
SPARK = re.compile(r"spark://.+|local(\[([0-9]+|\*)\])?(\?.*)?")
POSTGRES = ("postgresql://", "postgres://")
DUCKDB = "duckdb://"
DUCKDB_SUFFIXES = (".duckdb", ".ddb")


def is_address(text: str) -> bool:
    """Whether a text names a database rather than a file of rows."""
    return (
        text.startswith((*POSTGRES, DUCKDB))
        or text.partition("?")[0].lower().endswith(DUCKDB_SUFFIXES)
        or SPARK.fullmatch(text) is not None
    )


def open_address(address: str, table: str | None, base: Path) -> Source:
    """The table at an address; `table` may stand in it too, as `?table=people`. Paths are relative to `base`."""
    place, options = _split(address)
    named = options.pop("table", None)
    if named and table and named != table:
        raise DataError(f"Needed one table, but the address names {named!r} and the specification {table!r}. Keep one.")
    wanted = named or table
    if place.startswith(POSTGRES):
        return _open_postgres(place, options, wanted)
    if options:
        raise DataError("Needed an address with ?table=... at most, but it has other options. Remove them.")
    if SPARK.fullmatch(place):
        return open_spark(_session(place), wanted, base)
    if place.startswith(DUCKDB):
        place = of_a_file(place.removeprefix(DUCKDB), f"{DUCKDB}people.duckdb", error=DataError)
    return _open_duckdb(path_of(place, base, error=DataError), wanted)


def file_of(address: str) -> tuple[str, str | None] | None:
    """The file behind the address of a DuckDB database, and the table that it names; None for other addresses."""
    place, options = _split(address)
    if place.startswith(POSTGRES) or SPARK.fullmatch(place):
        return None
    return place.removeprefix(DUCKDB), options.get("table")


def _split(address: str) -> tuple[str, dict[str, str]]:
    place, _, query = address.partition("?")
    return place, dict(parse_qsl(query, keep_blank_values=True))


# DuckDB ----------------------------------------------------------------------------------------------------------


def _open_duckdb(path: Path, table: str | None) -> Source:
    import duckdb

    if not path.is_file():
        raise DataError(f"Needed a DuckDB database at {path}, but there is no such file. Check the path.")
    try:
        engine = embedded(path)
    except duckdb.Error:
        engine = None
    if engine is None:
        raise DataError(
            f"Needed a DuckDB database at {path}, but it cannot be opened. Close the program that writes to it, or "
            "write it anew with this version of DuckDB."
        )

    def tables(schema: str) -> list[str]:  # Ibis 12 asks DuckDB 2 in a way that it does not know any more
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
        return [name for (name,) in engine.backend.con.execute(query, [schema or "main"]).fetchall()]

    def enumerated(found: Expr) -> dict[str, tuple[str, ...]]:
        described = engine.backend.con.sql(engine.backend.compile(found.limit(0)))
        columns = zip(found.columns, described.types, strict=True)
        return {name: tuple(dict(kind.children)["values"]) for name, kind in columns if kind.id == "enum"}

    return _open_named(engine, f"the database {path}", table, tables, enumerated)


def _open_named(
    engine: Engine,
    where: str,
    table: str | None,
    tables: Callable[[str], list[str]] | None = None,
    enumerated: Callable[[Expr], dict[str, tuple[str, ...]]] = lambda _: {},
) -> Source:
    """A table by its name, `name` or `schema.name`; the only one there is if none is named."""
    schema, _, name = (table or "").rpartition(".")
    try:
        among = {"database": schema} if schema else {}
        known = tables(schema) if tables else list(map(str, engine.backend.list_tables(**among)))
        problem = ""
    except engine.failures as error:
        known, problem = [], engine.reason(error)
    if problem:
        raise DataError(f"Needed the names of the tables in {where}, but {problem}")
    if not name and len(known) == 1:
        name = known[0]
    if not name or name not in known:
        came = f"there is no {table!r}" if name else "none is named"
        hint = (
            nearest(name, known)
            if name
            else " Write table: and one of these, or ?table= and one of these at the end of the address."
        )
        raise DataError(
            f"Needed a table in {where}, but {came}; there are {shown_list(sorted(known)) or 'none'}.{hint}"
        )

    def read() -> Expr:
        return engine.backend.table(name, **({"database": schema} if schema else {}))

    return _opened(engine, f"table {name!r} in {where}", read, enumerated)


def _opened(
    engine: Engine,
    shown: str,
    read: Callable[[], Expr],
    enumerated: Callable[[Expr], dict[str, tuple[str, ...]]] = lambda _: {},
) -> Source:
    import ibis.common.exceptions

    try:
        found = read()
        problem = ""
    except engine.failures as error:
        problem = engine.reason(error)
    except ibis.common.exceptions.IbisError:
        problem = "its columns have types that are not known here. Convert them first."
    if problem:
        raise DataError(f"Needed the columns of {shown}, but {problem}")
    names = tuple(found.columns)
    return from_table(shown, names, engine, found, lambda: _schema(read()), enumerated=lambda: enumerated(found))


def _schema(table: Expr) -> Hashable:
    return tuple((name, str(kind)) for name, kind in table.schema().items())


# PostgreSQL ------------------------------------------------------------------------------------------------------


def _open_postgres(place: str, options: dict[str, str], table: str | None) -> Source:
    host, name = _server(place, options)
    try:
        import ibis
        import psycopg
    except ImportError:
        raise DataError(
            "Needed psycopg to read PostgreSQL, but it is not installed. Run pip install 'dalenius[postgres]'."
        ) from None
    options = {"connect_timeout": str(SECONDS_TO_CONNECT), **options}
    where = f"PostgreSQL at {host or options.get('host') or 'this machine'}{name}"
    try:
        connection = psycopg.connect(f"{place}?{urlencode(options)}", autocommit=True)
        connection.execute("SET default_transaction_read_only = on")
        engine = Engine(ibis.postgres.from_connection(connection), (psycopg.Error, *_common()), _postgres_reason)
        weakref.finalize(engine.backend, connection.close)
        problem = ""
    except (psycopg.Error, OSError, ValueError) as error:  # a ValueError is psycopg's, for a NUL
        problem = _no_connection(str(error))
    if problem:
        raise DataError(f"Needed a connection to {where}, but {problem}")
    return _open_named(engine, where, table, enumerated=lambda found: _enumerated(connection, found))


def _enumerated(connection: Any, table: Expr) -> dict[str, tuple[str, ...]]:
    """The labels of columns whose type is an enumeration, in their order."""
    operation = table.op()
    schema = operation.namespace.database
    query = (
        "SELECT a.attname, e.enumlabel FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_enum e ON e.enumtypid = "
        "a.atttypid JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = "
        "c.relnamespace WHERE c.relname = %s AND n.nspname = coalesce(%s, current_schema()) ORDER BY e.enumsortorder"
    )
    found: dict[str, tuple[str, ...]] = {}
    for name, label in connection.execute(query, [operation.name, schema]).fetchall():
        found[name] = (*found.get(name, ()), label)
    return found


def _server(place: str, options: Mapping[str, str]) -> tuple[str, str]:
    """The host and the /database of an address; DataError if it has a password, or is none that libpq could read.

    Of an address that cannot be read nothing is repeated: any part of it may be a part of a password.
    """
    try:
        parts = urlsplit(place)
        host, _ = parts.hostname or "", parts.port
        torn = "@" in parts.path + parts.fragment or parts.netloc.count("@") > 1
        secret = bool(parts.password) or any("password" in option.lower() for option in options)
    except ValueError:
        host, torn, secret = "", True, False
    if secret:
        raise DataError(
            "Needed an address without a password, but it has one, and addresses are kept with specifications. "
            "Set PGPASSWORD, or write the password into ~/.pgpass."
        )
    if torn or any("@" in value for value in options.values()):
        raise DataError(
            "Needed an address such as postgresql://user@host:5432/database, but it cannot be read as that. The port "
            "is a number; write @ : / ? # inside a name as %40 %3A %2F %3F %23. A password does not belong there: set "
            "PGPASSWORD, or use ~/.pgpass."
        )
    return host, parts.path


def _no_connection(said: str) -> str:
    """What the server said may hold names, so only its kind is told."""
    if "password" in said or "authentication" in said or "role" in said:
        return "the user or the password was refused. Check the user, PGPASSWORD and ~/.pgpass."
    if "database" in said and "does not exist" in said:
        return "there is no such database. Check its name."
    return "nobody answers there. Check the host, the port and the network."


def _postgres_reason(error: Exception) -> str:
    import psycopg

    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        if isinstance(error, psycopg.errors.OutOfMemory | psycopg.errors.DiskFull):
            return MEMORY
        return "the connection was lost. Nothing was released. Start the server, and run it again."
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return "this user may not. Ask for the right to select from it."
    if _gone(error) or isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedColumn):
        return "it is not there any more. Nothing was released. Check the table, and run it again."
    return "some of it cannot be. Nothing was released. Check that its columns hold what is declared."


def _common() -> tuple[type[Exception], ...]:
    import pyarrow as pa
    from ibis.common.exceptions import IbisError, TableNotFound

    return (IbisError, TableNotFound, pa.ArrowException, OSError)


def _gone(error: Exception) -> bool:
    from ibis.common.exceptions import TableNotFound

    return isinstance(error, TableNotFound)


# Spark -----------------------------------------------------------------------------------------------------------


def _session(master: str) -> Any:
    """A session of our own: quiet, since Spark's log quotes values."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise DataError(
            "Needed pyspark to read tables in Spark, but it is not installed. Run pip install 'dalenius[spark]'."
        ) from None
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    refusals: tuple[type[BaseException], ...] = (PySparkException, OSError, *_java())
    try:
        builder = SparkSession.builder.master(master).appName("dalenius")
        for key, value in quiet.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()
    except refusals:
        pass
    raise DataError(
        f"Needed Spark at {master.partition('?')[0]}, but no session could be started. It needs Java 17, and a master "
        "that answers."
    )


def _java() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError

    return (Py4JError,)


def open_spark(session: Any, table: str | None, base: Path = Path()) -> Source:
    """A table of a Spark session by its name, or a Parquet file or folder by its path."""
    import ibis
    from pyspark.errors import PySparkException

    _silence()
    backend = ibis.pyspark.connect(session)

    def fetch(query: Expr) -> list[Row]:
        return [row.asDict() for row in session.sql(backend.compile(query)).collect()]

    engine = Engine(backend, (PySparkException, *_java(), *_common()), _spark_reason, fetch=fetch)
    if table is not None and _is_path(table):
        path = table if "://" in table else str((base / table).absolute())
        return _opened(engine, f"{table} in Spark", lambda: engine.backend.read_parquet(path))
    return _open_named(engine, "Spark", table)


def _silence() -> None:
    """PySpark logs failed queries, with the values that they failed on."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def _is_path(table: str) -> bool:
    return "/" in table or table.lower().endswith(PARQUET_SUFFIXES)


def _spark_reason(error: Exception) -> str:
    from pyspark.errors import AnalysisException

    if _gone(error) or isinstance(error, AnalysisException):
        return "it is not there, or its columns have changed. Nothing was released. Check the table, and run it again."
    if isinstance(error, ConnectionError | OSError) or "Network" in type(error).__name__:
        return "the connection was lost. Nothing was released. Start Spark, and run it again."
    return "some of it cannot be. Nothing was released. Check that its columns hold what is declared."


def is_session(thing: object) -> bool:
    """Whether this is a Spark session; pyspark is not imported to find out."""
    return any(
        kind.__name__ == "SparkSession" and kind.__module__.startswith("pyspark.") for kind in type(thing).__mro__
    )
