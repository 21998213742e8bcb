"""The ledger: every release so far, append-only, each entry sealed by a hash over all before it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from dalenius.basics.errors import LedgerError
from dalenius.record.codec import canonical, digest
from dalenius.record.ledger.database import PATIENCE, Database, database
from dalenius.record.ledger.keys import Keys, Signature, read_keys

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from dalenius.record.ledger.entry import LedgerEntry
    from dalenius.record.ledger.fingerprint import Fingerprint
    from dalenius.record.ledger.recorded import Draft, Recorded
    from dalenius.record.ledger.review import Submission


FIRST = ("R1", 1)  # a ledger's first release, and its entry


@final
@dataclass(frozen=True, slots=True)
class Memory:
    """What was released from one dataset, oldest first. `head` is the hash of the last of them; `others` are entries of
    other datasets.
    """

    releases: "tuple[Recorded, ...]" = ()
    others: "tuple[LedgerEntry, ...]" = ()

    @property
    def head(self) -> str:
        return self.releases[-1].hash if self.releases else ""

    def elsewhere(self, persons: "Fingerprint") -> "tuple[Recorded, ...]":
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

        from dalenius.record.ledger.schema import entries

        wanted = (entries.c.kind == "release") & (entries.c.dataset == dataset)
        last = select(entries.c.hash).where(wanted).order_by(entries.c.number.desc()).limit(1)
        return str(self.connection.execute(last).scalar() or "")

    def follows(self, memory: Memory) -> bool:
        """Whether all that is remembered still stands here: the hash of the last release covers everything before."""
        from sqlalchemy import select

        from dalenius.record.ledger.schema import entries

        found = self.connection.execute(select(entries.c.number).where(entries.c.hash == memory.head)).first()
        return not memory.head or found is not None

    def memory(self, dataset: str) -> Memory:
        """What was released from the dataset, as of now."""
        return _memory(self.ledger.read(self.connection), dataset)

    def coming(self) -> tuple[str, int]:
        """What the release that is recorded next will be called, and the number of its entry."""
        return _coming(self.connection)

    def record(self, draft: "Draft", files: Mapping[str, bytes]) -> "Recorded":
        """Add a release with its files. It counts as spent once the turn is over, whatever happens then."""
        from dalenius.record.ledger import schema
        from dalenius.record.ledger.entry import follow
        from dalenius.record.ledger.recorded import Recorded

        release, _ = self.coming()
        entry = follow(self._last(), "release", release, draft.declared.dataset, draft.body())
        self._add(entry)
        rows = [{"number": entry.number, "name": name, "content": content} for name, content in files.items()]
        self.connection.execute(schema.files.insert(), rows)
        return Recorded.of(release, entry.number, entry.hash, entry.body)

    def written(self, release: "Recorded", when: str) -> None:
        """Add that the release's folder is written; once."""
        from sqlalchemy import select

        from dalenius.record.ledger.entry import follow
        from dalenius.record.ledger.schema import entries

        wanted = (entries.c.kind == "written") & (entries.c.release == release.id)
        if self.connection.execute(select(entries.c.number).where(wanted)).first() is None:
            self._add(follow(self._last(), "written", release.id, release.dataset, canonical({"when": when})))

    def submit(self, dataset: str, body: Mapping[str, Any], files: Mapping[str, bytes]) -> "Submission":
        """Add what is put before reviewers, with the files that they read."""
        from dalenius.record.ledger import schema
        from dalenius.record.ledger.entry import follow

        schema.allow_reviews(self.connection)
        entry = follow(self._last(), "submitted", f"S{len(self.submissions()) + 1}", dataset, canonical(dict(body)))
        self._add(entry)
        rows = [{"number": entry.number, "name": name, "content": content} for name, content in files.items()]
        self.connection.execute(schema.files.insert(), rows)
        return self.submission(entry.release)

    def say(self, kind: Literal["comment", "vote"], about: "Submission", body: Mapping[str, Any]) -> "Submission":
        """Add a comment, or a vote, on a submission; the submission as it stands then."""
        from dalenius.record.ledger.entry import follow

        self._add(follow(self._last(), kind, about.id, about.dataset, canonical(dict(body))))
        return self.submission(about.id)

    def submissions(self) -> "tuple[Submission, ...]":
        """All of them, as of now."""
        from dalenius.record.ledger.review import submissions_of

        return submissions_of(self.ledger.read(self.connection, empty=True))

    def submission(self, name: str) -> "Submission":
        """That of this id, as of now; LedgerError if there is none."""
        return _submission(self.submissions(), name, self.ledger.shown)

    def vouch(self, body: Mapping[str, str]) -> "LedgerEntry":
        """Add that the owner of the key answers for all entries so far, whoever recorded them."""
        from dalenius.record.ledger.entry import follow

        entry = follow(self._tail(), "vouched", "", "", canonical(dict(body)))
        self._add(entry)
        return entry

    def _add(self, entry: "LedgerEntry") -> None:
        from dalenius.record.ledger import schema

        fields = ("number", "kind", "release", "dataset", "body", "previous", "hash")
        self.connection.execute(schema.entries.insert().values({name: getattr(entry, name) for name in fields}))
        if self.ledger.keys.private is not None:
            made = self.ledger.keys.sign(entry)
            row = {"number": made.number, "key": made.key, "signature": made.signature}
            self.connection.execute(schema.signatures.insert().values(row))

    def _last(self) -> "LedgerEntry | None":
        """The last entry, for which somebody who is trusted answers, if keys are used."""
        last = self._tail()
        if last is not None and self.ledger.keys.trusted:
            self.ledger.keys.check([last], _signatures(self.connection, last.number), self.ledger.shown)
        return last

    def _tail(self) -> "LedgerEntry | None":
        from sqlalchemy import select

        from dalenius.record.ledger.entry import EDITED, LedgerEntry
        from dalenius.record.ledger.schema import entries

        row = self.connection.execute(select(entries).order_by(entries.c.number.desc()).limit(1)).first()
        last = None if row is None else LedgerEntry(*row)
        if last is not None and last.seal() != last.hash:
            raise LedgerError(
                f"The ledger {self.ledger.shown} needs each entry as it was recorded, but {last.shown} does not match "
                f"its hash. {EDITED}"
            )
        return last


@final
@dataclass(frozen=True, slots=True)
class Ledger:
    """Every release so far. A ledger that is not there yet is empty; it is made when the first release is recorded.
    With `keys`, what is added is signed, and what is read must be.

    >>> import pathlib, tempfile
    >>> import dalenius as dl
    >>> ledger = dl.open_ledger(pathlib.Path(tempfile.mkdtemp()) / "ledger.sqlite")
    >>> ledger.exists(), ledger.releases()
    (False, ())
    """

    database: Database
    keys: Keys = field(default_factory=Keys)

    @property
    def shown(self) -> str:
        """The path, or the address without its password."""
        return self.database.shown

    def exists(self) -> bool:
        """Whether there is one: a wrong name, a file that was emptied and a database without its tables are none."""
        if not self.database.there:
            return False
        with self.database.reading() as connection:
            return self._made(connection)

    def memory(self, dataset: str) -> Memory:
        """What was released from a dataset. The whole chain is checked; cost linear in its length."""
        return _memory(self.entries(), dataset)

    def entries(self) -> "list[LedgerEntry]":
        """All entries; LedgerError if one was changed, left out or put in."""
        if not self.database.there:
            return []
        with self.database.reading() as connection:
            if not self._made(connection):
                return []
            return self.read(connection)

    def read(self, connection: "Connection", *, empty: bool = False) -> "list[LedgerEntry]":
        """All entries, as this connection sees them, checked. `empty`: there need not be one, it is being made."""
        found = _entries(connection, self.shown, empty=empty)
        if self.keys.trusted:
            self.keys.check(found, _signatures(connection), self.shown)
        return found

    def signatures(self) -> dict[int, Signature]:
        """The signatures by the number of the entry that each was made for."""
        if not self.exists():
            return {}
        with self.database.reading() as connection:
            return _signatures(connection)

    def coming(self) -> tuple[str, int]:
        """What the release that is recorded next would be called, and the number of its entry, as of now."""
        if not self.database.there:
            return FIRST
        with self.database.reading() as connection:
            return _coming(connection) if self._made(connection) else FIRST

    def releases(self) -> "tuple[Recorded, ...]":
        """All releases, of whatever dataset."""
        return tuple(_recorded(entry) for entry in self.entries() if entry.kind == "release")

    def submissions(self) -> "tuple[Submission, ...]":
        """All that was put before reviewers, as it stands."""
        from dalenius.record.ledger.review import submissions_of

        return submissions_of(self.entries())

    def submission(self, name: str) -> "Submission":
        """The submission of this id; LedgerError if there is none."""
        return _submission(self.submissions(), name, self.shown)

    def pending(self) -> "tuple[Recorded, ...]":
        """Releases that were recorded, but whose folders are not known to be written."""
        entries = self.entries()
        done = {entry.release for entry in entries if entry.kind == "written"}
        return tuple(_recorded(entry) for entry in entries if entry.kind == "release" and entry.release not in done)

    def files(self, release: "Recorded | Submission") -> dict[str, bytes]:
        """The files of a release or a submission, as they were recorded; LedgerError if they are not what the entry's
        hashes say.
        """
        from sqlalchemy import select

        from dalenius.record.ledger import schema
        from dalenius.record.ledger.entry import EDITED

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
        from dalenius.record.ledger import schema

        with self.database.writing() as connection:
            made = self._made(connection)
            self.database.close_to_others()
            if not made:
                schema.create(connection)
            self._prepare(connection)
            yield Turn(self, connection)

    def _prepare(self, connection: "Connection") -> None:
        """Where entries are signed, the table for that is there, and so is the key."""
        from dalenius.record.ledger import schema

        signed = _is_signed(connection)
        self._check_private(signed=signed)
        if self.keys.private is not None and not signed:
            schema.create_signatures(connection)

    def check_key(self) -> None:
        """LedgerError if entries are signed here and there is no key to do so: to be asked before long work begins."""
        signed = False
        if self.exists():
            with self.database.reading() as connection:
                signed = _is_signed(connection)
        self._check_private(signed=signed)

    def _check_private(self, *, signed: bool) -> None:
        if self.keys.private is None and (signed or self.keys.trusted):
            named = "only public keys are named" if self.keys.trusted else "none is named"
            raise LedgerError(
                f"Needed your private key to add to the ledger {self.shown}, whose entries are signed, but {named}. "
                "Nothing was released. Name it with --ledger-key, or in DALENIUS_LEDGER_KEYS."
            )

    def _made(self, connection: "Connection") -> bool:
        """Whether the tables are there, and of a kind that this dalenius understands."""
        from sqlalchemy import func, inspect, select

        from dalenius.record.ledger import schema

        tables = inspect(connection).get_table_names()
        if schema.about.name not in tables:
            if tables and self.database.file is not None:  # on a server, others may have theirs beside it
                raise LedgerError(
                    f"Needed a ledger, but {self.shown} is a database of something else. Name another file."
                )
            return False
        version = int(connection.execute(select(func.max(schema.about.c.schema))).scalar() or 0)
        if version > schema.NEWEST:
            raise LedgerError(
                f"Needed a ledger of schema {schema.NEWEST} or before, but {self.shown} has schema {version}: a newer "
                "dalenius made it. Install that version."
            )
        return True


def open_ledger(
    where: str | Path, *, base: Path | None = None, patience: float = PATIENCE, keys: Sequence[str | Path] = ()
) -> Ledger:
    """The ledger at a path (relative to `base`) or at a URL. Nothing is opened or made yet, but the files of the keys:
    a private one to sign with, public ones of others whose entries count.

    >>> import pathlib, tempfile
    >>> import dalenius as dl
    >>> dl.open_ledger(pathlib.Path(tempfile.mkdtemp()) / "ledger.sqlite").exists()
    False
    """
    return Ledger(database(where, base=base, patience=patience), read_keys(keys))


def _entries(connection: "Connection", shown: str, *, empty: bool = False) -> "list[LedgerEntry]":
    from sqlalchemy import select

    from dalenius.record.ledger.entry import EDITED, LedgerEntry, checked
    from dalenius.record.ledger.schema import entries

    rows = connection.execute(select(entries).order_by(entries.c.number))
    found = list(checked((LedgerEntry(*row) for row in rows), shown))
    if not found and not empty:
        raise LedgerError(
            f"The ledger {shown} needs its first release, with which a ledger is made, but it has no entry. {EDITED}"
        )
    return found


def _submission(found: "Sequence[Submission]", name: str, shown: str) -> "Submission":
    for one in found:
        if one.id == name:
            return one
    known = f"{found[0].id} to {found[-1].id}" if found[1:] else found[0].id if found else "none"
    raise LedgerError(
        f"Needed a submission of the ledger {shown}, which has {known}, but got {name[:40]!r}. `dalenius review list` "
        "names them."
    )


def _coming(connection: "Connection") -> tuple[str, int]:
    from sqlalchemy import func, select

    from dalenius.record.ledger.schema import entries

    releases = select(func.count()).where(entries.c.kind == "release")
    last = select(func.max(entries.c.number))
    return f"R{int(connection.execute(releases).scalar() or 0) + 1}", int(connection.execute(last).scalar() or 0) + 1


def _is_signed(connection: "Connection") -> bool:
    from sqlalchemy import inspect

    from dalenius.record.ledger.schema import signatures

    return inspect(connection).has_table(signatures.name)


def _signatures(connection: "Connection", number: int | None = None) -> dict[int, Signature]:
    """All signatures, or that of one entry."""
    from sqlalchemy import select

    from dalenius.record.ledger.schema import signatures

    if not _is_signed(connection):
        return {}
    query = select(signatures) if number is None else select(signatures).where(signatures.c.number == number)
    return {row[0]: Signature(*row) for row in connection.execute(query) if isinstance(row[0], int)}


def _memory(entries: "list[LedgerEntry]", dataset: str) -> Memory:
    from dalenius.record.ledger.garbage import uncollected

    releases = [entry for entry in entries if entry.kind == "release"]
    others = tuple(entry for entry in releases if entry.dataset != dataset)
    with uncollected():
        return Memory(tuple(_recorded(entry) for entry in releases if entry.dataset == dataset), others)


def _recorded(entry: "LedgerEntry") -> "Recorded":
    from dalenius.record.ledger.recorded import Recorded

    return Recorded.of(entry.release, entry.number, entry.hash, entry.body)
