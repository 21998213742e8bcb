"""Processes that die in the middle of a release: at any call of a function, around those that matter, at any time."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

# What reaches the disk, the database or the names of files.
CRUCIAL = {
    "fsync", "rename", "mkdir", "rmdir", "unlink", "open", "close", "write", "flush", "flock", "execute",
    "executemany", "commit", "rollback", "connect", "stat", "chmod",
}  # fmt: skip


def child(work: Callable[[], object], die_at: int | None = None, *, crucial: bool = False) -> int:
    """Fork; do the work there, and die by SIGKILL at that event. The process id; exit code 0 if it came to its end."""
    pid = os.fork()
    if pid:
        return pid
    try:
        with open(os.devnull, "w") as nothing:  # noqa: PTH123 - no method of a class that is traced
            os.dup2(nothing.fileno(), 2)
        if die_at is not None:
            sys.setprofile(Countdown(die_at, crucial=crucial))
        work()
        sys.setprofile(None)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it is, the child must not come back into the tests
        os._exit(3)


class Countdown:
    """Counts events of the interpreter, and kills the process at one of them."""

    def __init__(self, left: int, *, crucial: bool) -> None:
        self.left, self.crucial = left, crucial

    def __call__(self, frame, event, argument) -> None:
        if self.crucial and (event not in ("c_call", "c_return") or argument.__name__ not in CRUCIAL):
            return
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def ended(pid: int) -> int:
    """Wait for it: 0 if it came to its end, -9 if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def shot(pid: int, after: float) -> int:
    """Kill it from outside after some time."""
    time.sleep(after)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return ended(pid)


def events(work: Callable[[], object], *, crucial: bool) -> int:
    """How many events the work has, counted in a child that reports through a pipe."""
    reader, writer = os.pipe()

    def counting() -> None:
        counter = Countdown(10**12, crucial=crucial)
        sys.setprofile(counter)
        work()
        sys.setprofile(None)
        os.write(writer, str(10**12 - counter.left).encode())

    assert ended(child(counting)) == 0
    os.close(writer)
    with os.fdopen(reader) as pipe:
        return int(pipe.read())


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".partial"))
