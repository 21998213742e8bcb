"""Who is looking, and what they are working on: in memory, until the session ends."""

import secrets
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from dalenius.basics.errors import InputError
from dalenius.desk.audit.auditing import Audit
from dalenius.desk.dials import Dials
from dalenius.desk.proposal import Proposal
from dalenius.desk.session import Decision
from dalenius.web.jobs import Job

IDLE, LONGEST = 30 * 60, 12 * 3600  # seconds
MOST_DRAFTS, MOST_SESSIONS = 20, 200


@final
@dataclass(slots=True)
class Work:
    """A specification that somebody works on, in a folder of its own for what they upload, and what was found of it as
    it stands. `keys` are those of a YAML file; `data` is what the page calls the table.
    """

    folder: Path
    data: str
    keys: dict[str, Any]
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    decision: Decision | None = None
    dials: Dials | None = None
    proposal: Proposal | None = None
    weakest: tuple[str, ...] = ()  # beside the proposal: what one would have to assume instead
    untried: tuple[str, ...] = ()  # what there was no time for
    released: str = ""  # the folder

    def change(self, **keys: Any) -> None:
        """Other keys; None takes one out. What was found before is about another specification then."""
        for name, value in keys.items():
            if value in (None, "", [], {}):
                self.keys.pop(name, None)
            else:
                self.keys[name] = value
        self.decision = self.dials = self.proposal = None


@final
@dataclass(slots=True)
class Session:
    """One visitor, as long as they come back in time."""

    user: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    begun: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    works: dict[str, Work] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        now = time.monotonic()
        return now - self.seen > IDLE or now - self.begun > LONGEST

    def work(self, name: str) -> Work:
        """Their own; InputError for what is not theirs, as for what is not there."""
        if name not in self.works:
            raise InputError("There is no such draft in this session: it ended, or it is somebody else's. Begin anew.")
        return self.works[name]

    def add(self, data: str, keys: dict[str, Any]) -> Work:
        """A new draft; the oldest goes if there are too many."""
        while len(self.works) >= MOST_DRAFTS:
            gone = self.works.pop(next(iter(self.works)))
            shutil.rmtree(gone.folder, ignore_errors=True)
        made = Work(Path(tempfile.mkdtemp(prefix="dalenius-web-")), data, keys)
        self.works[made.id] = made
        return made

    def end(self) -> None:
        """Remove what was uploaded, and stop what runs."""
        for job in self.jobs.values():
            job.cancelled = True
        for work in self.works.values():
            shutil.rmtree(work.folder, ignore_errors=True)


@final
class Sessions:
    """All of them."""

    def __init__(self) -> None:
        self._all: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, user: str) -> Session:
        """A new one. Those that are over end."""
        self.sweep()
        with self._lock:
            while len(self._all) >= MOST_SESSIONS:
                self._all.pop(min(self._all, key=lambda key: self._all[key].seen)).end()
            made = Session(user)
            self._all[made.id] = made
            return made

    def find(self, name: str) -> Session | None:
        """The session of a cookie, if it is not over."""
        found = self._all.get(name)
        if found is None or found.over:
            return None
        found.seen = time.monotonic()
        return found

    def end(self, session: Session) -> None:
        with self._lock:
            self._all.pop(session.id, None)
        session.end()

    def sweep(self) -> None:
        """End those that are over."""
        for session in [one for one in list(self._all.values()) if one.over]:
            self.end(session)

    def close(self) -> None:
        for session in list(self._all.values()):
            self.end(session)
