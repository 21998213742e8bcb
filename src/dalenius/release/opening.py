"""Which kind of table somebody means: a file, a folder, an address, a Spark session, a frame."""

import re
from pathlib import Path

from dalenius.errors import DataError
from dalenius.inputs import path_of
from dalenius.release.databases import is_address, is_session, open_address, open_spark
from dalenius.release.files import open_file
from dalenius.release.frames import open_frame
from dalenius.release.source import Source

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://")


def open_source(source: object, table: str | None = None, base: Path = Path()) -> Source:
    """Whatever holds the rows. `table` names one in a database; paths are relative to `base`. Costs one connection and
    one header.
    """
    if isinstance(source, str | Path) and is_address(str(source)):
        return open_address(str(source), table, base)
    if is_session(source):
        return open_spark(source, table, base)
    if table is not None:
        raise DataError(f"Needed a database to look for the table {table!r} in, but the data are none. Remove table.")
    if isinstance(source, str) and "://" in source:
        kind = SCHEME.match(source)
        raise DataError(
            f"Needed a file or a database, but got {kind[0] if kind else 'an address'}...: nothing is fetched. Save "
            "the table as a file first."
        )
    if isinstance(source, str | Path):
        return open_file(path_of(source, base, error=DataError))
    return open_frame(source)
