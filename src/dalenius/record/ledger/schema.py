"""The tables of a ledger, and triggers by which the database itself refuses to change or remove what stands there."""

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, LargeBinary, MetaData, Table, Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

VERSION = 1
SIGNED = 2  # with signatures: a dalenius that knows nothing of them would add entries without
REVIEWED = 3  # with submissions: a dalenius that knows nothing of them would call certified what persons let out
NEWEST = REVIEWED

metadata = MetaData()

about = Table("dalenius_ledger", metadata, Column("schema", Integer, primary_key=True, autoincrement=False))

entries = Table(
    "dalenius_entries",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("release", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False, unique=True),
    Column("hash", Text, nullable=False, unique=True),
)

files = Table(
    "dalenius_files",
    metadata,
    Column("number", BigInteger, ForeignKey("dalenius_entries.number"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

signatures = Table(
    "dalenius_signatures",
    MetaData(),  # not of every ledger
    Column("number", BigInteger, ForeignKey(entries.c.number), primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("signature", Text, nullable=False),
)


def create(connection: "Connection") -> None:
    """Make the tables, inside the transaction of the caller."""
    metadata.create_all(connection, checkfirst=False)
    _guard(connection, SQLITE, POSTGRESQL)
    connection.execute(about.insert().values(schema=VERSION))


def create_signatures(connection: "Connection") -> None:
    """Make the table of signatures beside the others, inside the transaction of the caller."""
    signatures.create(connection, checkfirst=False)
    _guard(connection, SQLITE_SIGNED, POSTGRESQL_SIGNED)
    connection.execute(about.insert().values(schema=SIGNED))


def allow_reviews(connection: "Connection") -> None:
    """Note that there are submissions, once, inside the transaction of the caller."""
    if not connection.execute(about.select().where(about.c.schema == REVIEWED)).first():
        connection.execute(about.insert().values(schema=REVIEWED))


def _guard(connection: "Connection", sqlite: str, postgresql: str) -> None:
    script = sqlite if connection.dialect.name == "sqlite" else postgresql
    for statement in script.strip().split("\n\n"):
        connection.exec_driver_sql(statement)


# A row that replaces another one would escape the triggers for deletion, so new rows must be new.
SQLITE = """
CREATE TRIGGER dalenius_ledger_update BEFORE UPDATE ON dalenius_ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_ledger_delete BEFORE DELETE ON dalenius_ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_entries_update BEFORE UPDATE ON dalenius_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_entries_delete BEFORE DELETE ON dalenius_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_files_update BEFORE UPDATE ON dalenius_files
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_files_delete BEFORE DELETE ON dalenius_files
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_entries_insert BEFORE INSERT ON dalenius_entries
WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM dalenius_entries)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_files_insert BEFORE INSERT ON dalenius_files
WHEN EXISTS (SELECT 1 FROM dalenius_files WHERE number = NEW.number AND name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
"""

POSTGRESQL = """
CREATE FUNCTION dalenius_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$

CREATE FUNCTION dalenius_follow() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM dalenius_entries)
THEN RAISE EXCEPTION 'the ledger is append-only'; END IF; RETURN NEW; END $$

CREATE TRIGGER dalenius_entries_insert BEFORE INSERT ON dalenius_entries
FOR EACH ROW EXECUTE FUNCTION dalenius_follow()

CREATE TRIGGER dalenius_ledger_change BEFORE UPDATE OR DELETE ON dalenius_ledger
FOR EACH ROW EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_ledger_truncate BEFORE TRUNCATE ON dalenius_ledger
FOR EACH STATEMENT EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_entries_change BEFORE UPDATE OR DELETE ON dalenius_entries
FOR EACH ROW EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_entries_truncate BEFORE TRUNCATE ON dalenius_entries
FOR EACH STATEMENT EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_files_change BEFORE UPDATE OR DELETE ON dalenius_files
FOR EACH ROW EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_files_truncate BEFORE TRUNCATE ON dalenius_files
FOR EACH STATEMENT EXECUTE FUNCTION dalenius_refuse()
"""

SQLITE_SIGNED = """
CREATE TRIGGER dalenius_signatures_update BEFORE UPDATE ON dalenius_signatures
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_signatures_delete BEFORE DELETE ON dalenius_signatures
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END

CREATE TRIGGER dalenius_signatures_insert BEFORE INSERT ON dalenius_signatures
WHEN EXISTS (SELECT 1 FROM dalenius_signatures WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
"""

POSTGRESQL_SIGNED = """
CREATE TRIGGER dalenius_signatures_change BEFORE UPDATE OR DELETE ON dalenius_signatures
FOR EACH ROW EXECUTE FUNCTION dalenius_refuse()

CREATE TRIGGER dalenius_signatures_truncate BEFORE TRUNCATE ON dalenius_signatures
FOR EACH STATEMENT EXECUTE FUNCTION dalenius_refuse()
"""
