"""Releases that were recorded but not written out: a crash came between. The ledger has their files."""

import getpass
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import final

from dalenius.basics.errors import OutputError, without_passwords
from dalenius.data.folder import holds, sweep, write_folder
from dalenius.record.ledger import Ledger, Recorded


@final
@dataclass(frozen=True, slots=True)
class Completed:
    """What became of a release that was recorded: written to its folder, or why not."""

    release: Recorded
    folder: Path
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"{self.release.id} is recorded, but not written: {self.problem}"
        when = without_passwords(str(self.release.body["when"]))  # whoever can write to a ledger can write anything
        return f"{self.release.id} was recorded at {when}, and is written: {self.folder}"


def complete(ledger: Ledger, *, only: str | None = None, output: Path | None = None) -> tuple[Completed, ...]:
    """Write the folders of releases that were recorded on this machine and not written, or (`only`) of one, wherever
    it was recorded and whether or not it was written, to its folder or to `output`. What crashes left of such folders
    is removed.
    """
    if only is None:
        wanted = [release for release in ledger.pending() if release.host == here()]
    else:
        wanted = [release for release in ledger.releases() if release.id == only]
    found = [_completed(ledger, release, output or Path(release.folder)) for release in wanted]
    swept(ledger.releases())
    return tuple(found)


def swept(releases: Iterable[Recorded]) -> None:
    """Remove what processes that are no more left beside the folders of these releases."""
    names: dict[Path, set[str]] = {}
    for release in releases:
        if release.host == here():
            folder = Path(release.folder)
            names.setdefault(folder.parent, set()).add(folder.name)
    for parent, wanted in names.items():
        sweep(parent, wanted)


def finish(ledger: Ledger, release: Recorded, folder: Path, files: dict[str, bytes]) -> None:
    """Write the folder of a release that is recorded, and record that it is written. Again does no harm."""
    try:
        if not holds(folder, files):
            write_folder(folder, files)
    except OutputError:
        if not holds(folder, files):  # somebody else did it in the meantime
            raise
    with ledger.turn() as turn:
        turn.written(release, now())


def _completed(ledger: Ledger, release: Recorded, folder: Path) -> Completed:
    try:
        finish(ledger, release, folder, ledger.files(release))
    except OutputError as error:
        return Completed(release, folder, str(error))
    return Completed(release, folder)


def now() -> str:
    """The time of the day, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def here() -> str:
    """This machine."""
    return socket.gethostname()


def who() -> str:
    """Whoever runs this; a number where the machine has no name for them, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, ImportError, OSError):  # which of them depends on the version of Python
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"
