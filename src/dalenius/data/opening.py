"""Which kind of table somebody means: a file, a folder, an address, a Spark session, a frame."""

import re
from pathlib import Path

from dalenius.basics.errors import DataError
from dalenius.basics.inputs import path_of
from dalenius.data.databases import is_address, is_session, open_address, open_spark
from dalenius.data.files import open_file
from dalenius.data.source import Source

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
    from dalenius.data.frames import open_frame

    return open_frame(source)
