"""Where a ledger lives: a SQLite file that nobody else may read, or a PostgreSQL database that a team shares."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final
from urllib.parse import quote

from dalenius.errors import LedgerError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

PATIENCE = 60.0  # seconds to wait for another writer
LOCK = 0x64616C656E697573  # PostgreSQL's advisory lock of all dalenius ledgers in one database: "dalenius"


@final
@dataclass(frozen=True, slots=True)
class Database:
    """`file` for SQLite, `url` for PostgreSQL. Nothing is opened before it is asked for, and nothing stays open."""

    shown: str
    file: Path | None = None
    url: Any = None
    patience: float = PATIENCE

    @property
    def there(self) -> bool:
        """Whether there is something to read; a database on a server is always asked."""
        return self.file is None or self.file.exists()

    @contextmanager
    def reading(self) -> Iterator["Connection"]:
        """A connection that sees one state of the ledger."""
        with self._told(), self._engine().connect() as connection:
            if self.file is not None:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator["Connection"]:
        """The only writer: everybody else waits until this transaction is over. It is committed at the end, or was
        never there.
        """
        if self.file is not None:
            self._private()
        with self._told(), self._engine().connect() as connection:
            if self.file is not None:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                # what others committed while this one waited must be seen, whatever the server's default is
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE")
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{max(1, int(self.patience * 1000))}ms'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
            yield connection
            connection.commit()

    def _engine(self) -> "Engine":
        from sqlalchemy import create_engine
        from sqlalchemy.pool import NullPool

        if self.file is None:
            return create_engine(self.url, poolclass=NullPool, connect_args={"connect_timeout": 10})
        return create_engine("sqlite://", creator=self._connect, poolclass=NullPool)

    def _connect(self) -> sqlite3.Connection:
        """Transactions are begun by hand; a commit is on the disk when it returns, folder entries included."""
        uri = f"file:{quote(str(self.file))}?mode=rw"
        found = sqlite3.connect(uri, uri=True, timeout=self.patience, isolation_level=None)
        found.execute("PRAGMA synchronous = EXTRA")
        found.execute("PRAGMA foreign_keys = ON")
        return found

    def _private(self) -> None:
        """The file exists, and nobody but its owner may read it (nor its journal, which inherits this)."""
        file = self.file or Path()
        try:
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise LedgerError(
                f"Needed to write the ledger {self.shown}, but it cannot be ({error.strerror}). Nothing was released. "
                "Choose a place that you may write to, with ledger: in the specification or --ledger."
            ) from None
        with suppress(OSError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong in the database, in words."""
        from sqlalchemy.exc import DBAPIError

        try:
            yield
        except DBAPIError as error:
            raise LedgerError(self._words(error.orig)) from None
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(self._words(error)) from None

    def _words(self, error: BaseException | None) -> str:
        said = " ".join(str(error).split())
        if "is locked" in said or "lock timeout" in said:
            return (
                f"Needed the ledger {self.shown} for writing, but another process has held it for {self.patience:g} s. "
                "Nothing was released. Wait for it, or end it, and try again."
            )
        if "not a database" in said:
            return f"Needed a ledger, but {self.shown} is a file of another kind. Name another file."
        if "readonly" in said or "read-only" in said or "unable to open" in said or "permission denied" in said:
            return (
                f"Needed to open the ledger {self.shown}, but it cannot be ({said}). Nothing was released. Ask for the "
                "right to read and write it, or choose another place with --ledger."
            )
        if "append-only" in said:
            return (
                f"Needed to add to the ledger {self.shown}, but what stands there cannot be changed: it is append-only."
            )
        return (
            f"Needed the ledger {self.shown}, but the database did not answer as it should ({said}). Nothing was "
            "written out. Try again when it does; if a release was recorded before that, it is completed then."
        )


def database(where: str | Path, *, base: Path | None = None, patience: float = PATIENCE) -> Database:
    """A path (relative to `base`), or a URL: sqlite:///path, postgresql+psycopg://user@host/name."""
    text = str(where)
    if "://" not in text:
        file = ((base or Path()) / Path(text).expanduser()).absolute()
        return Database(str(file), file=file, patience=patience)
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(text)
    except ArgumentError:
        raise LedgerError(f"Needed a path or a URL for the ledger, but {NEEDED}") from None
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        return database(url.database, base=base, patience=patience)
    if kind != "postgresql":
        raise LedgerError(f"Needed SQLite or PostgreSQL for the ledger, but got {kind}. Write {NEEDED}")
    _find_driver()
    url = url.set(drivername="postgresql+psycopg")
    return Database(url.render_as_string(hide_password=True), url=url, patience=patience)


NEEDED = "a path, or postgresql+psycopg://user@host/database."


def _find_driver() -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise LedgerError(
            "A ledger in PostgreSQL needs the package psycopg, but it is not there. Install dalenius[postgres]."
        )
