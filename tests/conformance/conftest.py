"""One store of each kind for this folder, which `make test` runs in one process: Spark is slow to start."""

import pytest

from conformance.stores import Parquet, Postgres, Spark, postgres_server, start_spark


@pytest.fixture(scope="session")
def duckdb_store(tmp_path_factory):
    return Parquet(tmp_path_factory.mktemp("parquet"))


@pytest.fixture(scope="session")
def postgres_store():
    with postgres_server() as (_, address):
        yield Postgres(address)


@pytest.fixture(scope="session")
def spark_store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    session = start_spark(folder)
    yield Spark(session, folder)
    session.stop()


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def store(request):
    """Each engine in turn; one that is not here is skipped, and says why."""
    return request.getfixturevalue(f"{request.param}_store")
