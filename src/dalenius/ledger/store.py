"""The ledger: every release so far, append-only, each entry sealed by a hash over all before it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from dalenius.errors import LedgerError
from dalenius.ledger.canonical import canonical, digest
from dalenius.ledger.database import PATIENCE, Database, database
from dalenius.ledger.entry import EDITED, Entry, checked, follow
from dalenius.ledger.garbage import uncollected
from dalenius.ledger.recorded import Draft, Fingerprint, Recorded

if TYPE_CHECKING:
    from sqlalchemy import Connection


@final
@dataclass(frozen=True, slots=True)
class Memory:
    """What was released from one dataset, oldest first. `head` is the hash of the last of them; `others` are entries of
    other datasets.
    """

    releases: tuple[Recorded, ...] = ()
    others: tuple[Entry, ...] = ()

    @property
    def head(self) -> str:
        return self.releases[-1].hash if self.releases else ""

    def elsewhere(self, persons: Fingerprint) -> tuple[Recorded, ...]:
        """Releases about exactly these persons under another dataset's name."""
        likely = (_recorded(entry) for entry in self.others if persons.sha256 in entry.body)
        return tuple(release for release in likely if release.persons == persons)


@final
@dataclass(frozen=True, slots=True)
class Turn:
    """The right to add to the ledger. Nobody else has it as long as this transaction lasts."""

    ledger: "Ledger"
    connection: "Connection"

    def head(self, dataset: str) -> str:
        """The hash of the last release of the dataset."""
        from sqlalchemy import select

        from dalenius.ledger.schema import entries

        wanted = (entries.c.kind == "release") & (entries.c.dataset == dataset)
        last = select(entries.c.hash).where(wanted).order_by(entries.c.number.desc()).limit(1)
        return str(self.connection.execute(last).scalar() or "")

    def follows(self, memory: Memory) -> bool:
        """Whether all that is remembered still stands here: the hash of the last release covers everything before."""
        from sqlalchemy import select

        from dalenius.ledger.schema import entries

        found = self.connection.execute(select(entries.c.number).where(entries.c.hash == memory.head)).first()
        return not memory.head or found is not None

    def memory(self, dataset: str) -> Memory:
        """What was released from the dataset, as of now."""
        return _memory(list(_entries(self.connection, self.ledger.shown)), dataset)

    def record(self, draft: Draft, files: Mapping[str, bytes]) -> Recorded:
        """Add a release with its files. It counts as spent once the turn is over, whatever happens then."""
        from sqlalchemy import func, select

        from dalenius.ledger import schema

        number = select(func.count()).where(schema.entries.c.kind == "release")
        release = f"R{int(self.connection.execute(number).scalar() or 0) + 1}"
        entry = follow(self._last(), "release", release, draft.declared.dataset, draft.body())
        self._add(entry)
        rows = [{"number": entry.number, "name": name, "content": content} for name, content in files.items()]
        self.connection.execute(schema.files.insert(), rows)
        return Recorded.of(release, entry.number, entry.hash, entry.body)

    def written(self, release: Recorded, when: str) -> None:
        """Add that the release's folder is written; once."""
        from sqlalchemy import select

        from dalenius.ledger.schema import entries

        wanted = (entries.c.kind == "written") & (entries.c.release == release.id)
        if self.connection.execute(select(entries.c.number).where(wanted)).first() is None:
            self._add(follow(self._last(), "written", release.id, release.dataset, canonical({"when": when})))

    def _add(self, entry: Entry) -> None:
        from dalenius.ledger.schema import entries

        fields = ("number", "kind", "release", "dataset", "body", "previous", "hash")
        self.connection.execute(entries.insert().values({name: getattr(entry, name) for name in fields}))

    def _last(self) -> Entry | None:
        from sqlalchemy import select

        from dalenius.ledger.schema import entries

        row = self.connection.execute(select(entries).order_by(entries.c.number.desc()).limit(1)).first()
        last = None if row is None else Entry(*row)
        if last is not None and last.seal() != last.hash:
            raise LedgerError(
                f"The ledger {self.ledger.shown} needs each entry as it was recorded, but entry {last.number} (release "
                f"{last.release}) does not match its hash. {EDITED}"
            )
        return last


@final
@dataclass(frozen=True, slots=True)
class Ledger:
    """Every release so far. A ledger that is not there yet is empty; it is made when the first release is recorded."""

    database: Database

    @property
    def shown(self) -> str:
        """The path, or the address without its password."""
        return self.database.shown

    def memory(self, dataset: str) -> Memory:
        """What was released from a dataset. The whole chain is checked; cost linear in its length."""
        return _memory(self.entries(), dataset)

    def entries(self) -> list[Entry]:
        """All entries; LedgerError if one was changed, left out or put in."""
        if not self.database.there:
            return []
        with self.database.reading() as connection:
            if not self._made(connection):
                return []
            return list(_entries(connection, self.shown))

    def releases(self) -> tuple[Recorded, ...]:
        """All releases, of whatever dataset."""
        return tuple(_recorded(entry) for entry in self.entries() if entry.kind == "release")

    def pending(self) -> tuple[Recorded, ...]:
        """Releases that were recorded, but whose folders are not known to be written."""
        entries = self.entries()
        done = {entry.release for entry in entries if entry.kind == "written"}
        return tuple(_recorded(entry) for entry in entries if entry.kind == "release" and entry.release not in done)

    def files(self, release: Recorded) -> dict[str, bytes]:
        """The files of a release, as they were recorded; LedgerError if they are not what the entry's hashes say."""
        from sqlalchemy import select

        from dalenius.ledger import schema

        with self.database.reading() as connection:
            rows = connection.execute(
                select(schema.files.c.name, schema.files.c.content).where(schema.files.c.number == release.number)
            ).all()
        found = {str(name): bytes(content) for name, content in rows}
        for name, seal in release.files.items():
            if digest(found.get(name, b"")) != seal:
                raise LedgerError(
                    f"The ledger {self.shown} needs the files of {release.id} as they were recorded, but {name} (entry "
                    f"{release.number}) does not match its hash. {EDITED}"
                )
        return {name: found[name] for name in release.files}

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Be the only writer until the end of the block; then all of it is recorded, or (after an error) nothing."""
        from dalenius.ledger import schema

        with self.database.writing() as connection:
            if not self._made(connection):
                schema.create(connection)
            yield Turn(self, connection)

    def _made(self, connection: "Connection") -> bool:
        """Whether the tables are there, and of a kind that this dalenius understands."""
        from sqlalchemy import func, inspect, select

        from dalenius.ledger import schema

        if not inspect(connection).has_table(schema.about.name):
            return False
        version = int(connection.execute(select(func.max(schema.about.c.schema))).scalar() or 0)
        if version > schema.VERSION:
            raise LedgerError(
                f"Needed a ledger of schema {schema.VERSION}, but {self.shown} has schema {version}: a newer dalenius "
                "made it. Install that version."
            )
        return True


def open_ledger(where: str | Path, *, base: Path | None = None, patience: float = PATIENCE) -> Ledger:
    """The ledger at a path (relative to `base`) or at a URL. Nothing is opened or made yet."""
    return Ledger(database(where, base=base, patience=patience))


def _entries(connection: "Connection", shown: str) -> Iterator[Entry]:
    from sqlalchemy import select

    from dalenius.ledger.schema import entries

    rows = connection.execute(select(entries).order_by(entries.c.number))
    return checked((Entry(*row) for row in rows), shown)


def _memory(entries: list[Entry], dataset: str) -> Memory:
    releases = [entry for entry in entries if entry.kind == "release"]
    others = tuple(entry for entry in releases if entry.dataset != dataset)
    with uncollected():
        return Memory(tuple(_recorded(entry) for entry in releases if entry.dataset == dataset), others)


def _recorded(entry: Entry) -> Recorded:
    return Recorded.of(entry.release, entry.number, entry.hash, entry.body)
