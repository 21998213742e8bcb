"""Where a ledger lives: a SQLite file that nobody else may read, or a PostgreSQL database that a team shares."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final
from urllib.parse import quote

from dalenius.basics.errors import LedgerError, without_passwords
from dalenius.basics.inputs import of_a_file, path_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

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
        """Whether there is something to read; a database on a server is always asked. An empty file is nothing."""
        return self.file is None or (self.file.exists() and not self.emptied)

    @property
    def emptied(self) -> bool:
        """Whether there is a file with nothing in it: nothing was recorded there, or all of it was lost."""
        return self.file is not None and self.file.is_file() and self.file.stat().st_size == 0

    @contextmanager
    def reading(self) -> Iterator["Connection"]:
        """A connection that sees one state of the ledger."""
        self._check_file()
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
            self._make()
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
        uri = f"file:{quote(os.fsencode(self.file or ''))}?mode=rw"  # names need not be text
        found = sqlite3.connect(uri, uri=True, timeout=self.patience, isolation_level=None)
        try:
            found.execute("PRAGMA synchronous = EXTRA")
            found.execute("PRAGMA foreign_keys = ON")
        except sqlite3.Error:  # what is there is no ledger, or cannot be read now
            found.close()
            raise
        return found

    def _make(self) -> None:
        """The file exists. What is made here nobody but its owner may read (nor its journal, which inherits this)."""
        file = self.file or Path()
        self._check_file()
        if file.exists():  # to close it would give up the locks of others in this process who have it open
            return
        try:
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise LedgerError(
                f"Needed to write the ledger {self.shown}, but it cannot be ({error.strerror}). Nothing was released. "
                "Choose a place that you may write to, with ledger: in the specification or --ledger."
            ) from None

    def _check_file(self) -> None:
        """LedgerError for a folder, a device, a pipe: they are not opened, since that alone may do something."""
        if self.file is not None and self.file.exists() and not self.file.is_file():
            kind = "a folder" if self.file.is_dir() else "a device or a pipe"
            raise LedgerError(f"Needed to open the ledger {self.shown}, but that is {kind}. Name a file.")

    def close_to_others(self) -> None:
        """Nobody but its owner may read the file. For ledgers only: whatever else lies there stays as it is, and so
        does a file of somebody else.
        """
        if self.file is None:
            return
        with suppress(OSError):
            status = self.file.stat()
            own = stat.S_ISREG(status.st_mode) and hasattr(os, "geteuid") and status.st_uid == os.geteuid()
            if own and status.st_mode & 0o077:
                self.file.chmod(0o600)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong in the database, in words."""
        from sqlalchemy.exc import DBAPIError

        problem: BaseException | None = None
        try:
            yield
        except DBAPIError as error:
            problem = error.orig or error
        except (sqlite3.Error, OSError) as error:
            problem = error
        if problem is not None:  # not inside: what a driver says may quote an address, and is not kept
            raise LedgerError(self._words(problem))

    def _words(self, error: BaseException) -> str:
        """What happened, told by its kind. What a driver says is not repeated: it quotes addresses and names."""
        said = str(error).lower()
        if "is locked" in said or "lock timeout" in said:
            return (
                f"Needed the ledger {self.shown} for writing, but another process has held it for {self.patience:g} s. "
                "Nothing was released. Wait for it, or end it, and try again."
            )
        if "not a database" in said:
            return f"Needed a ledger, but {self.shown} is a file of another kind. Name another file."
        if "append-only" in said:
            return (
                f"Needed to add to the ledger {self.shown}, but what stands there cannot be changed: it is append-only."
            )
        for words, reason in REASONS:
            if any(word in said for word in words):
                return (
                    f"Needed to open the ledger {self.shown}, but it cannot be ({reason}). Nothing was released. Ask "
                    "for the right to read and write it, or choose another place with --ledger."
                )
        return (
            f"Needed the ledger {self.shown}, but the database did not answer as it should ({_kind(error)}). Nothing "
            "was written out. Try again when it does; if a release was recorded before that, it is completed then."
        )


REASONS = (
    (("readonly", "read-only"), "it may only be read"),
    (("unable to open",), "the file cannot be opened"),
    (("permission denied",), "permission denied"),
    (("password", "authentication", "role"), "the user or the password was refused; check PGPASSWORD and ~/.pgpass"),
)


def _kind(error: BaseException) -> str:
    """The kind of an error, in a word that no address and no table can have put there."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    return f"{type(error).__name__}{f', {code}' if code else ''}"


def database(where: object, *, base: Path | None = None, patience: float = PATIENCE) -> Database:
    """A path (relative to `base`), or a URL: sqlite:///path, postgresql+psycopg://user@host/name."""
    if not isinstance(where, str | Path) or not str(where).strip():
        came = repr(where) if isinstance(where, str) else f"an object of the type {type(where).__name__}"
        raise LedgerError(f"Needed a path or a URL for the ledger, but got {came}. Write {NEEDED}")
    text = str(where)
    if "://" not in text:
        if without_passwords(text) != text:
            raise LedgerError(
                f"Needed a path or an address for the ledger, but this has a password in it. Write {NEEDED}"
            )
        file = path_of(text, base, error=LedgerError).absolute()
        return Database(without_passwords(str(file)), file=file, patience=patience)
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # such as a port that is no number
        url = None
    if url is None:
        raise LedgerError(f"Needed a path or an address for the ledger, but this is none. Write {NEEDED}")
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        path = of_a_file(url.database, "sqlite:///releases.sqlite", error=LedgerError)
        return database(path, base=base, patience=patience)
    if kind != "postgresql":
        raise LedgerError(f"Needed SQLite or PostgreSQL for the ledger, but got another kind. Write {NEEDED}")
    if any("@" in str(part) for part in (url.host, url.database, *url.query.values())):
        raise LedgerError(
            "Needed an address for the ledger that can be read in one way, but it has a second @. Write @ inside a "
            f"name or a password as %40: {NEEDED}"
        )
    if any(sign in (url.host or "") for sign in "[] \t\n"):  # a part of something else, which is not repeated
        raise LedgerError(
            f"Needed an address for the ledger with the name of a host, but what stands there is none. Write {NEEDED}"
        )
    _find_driver()
    url = url.set(drivername="postgresql+psycopg")
    return Database(_shown(url), url=url, patience=patience)


def _shown(url: "URL") -> str:
    """The address for people: user, host and database. No password, and no options: these may hold one."""
    return url.set(password=None, query={}).render_as_string(hide_password=True)


NEEDED = "a path, or postgresql+psycopg://user@host/database."


def _find_driver() -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise LedgerError(
            "A ledger in PostgreSQL needs the package psycopg, but it is not there. Install dalenius[postgres]."
        )
