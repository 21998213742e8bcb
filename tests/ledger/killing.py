"""Processes that die in the middle of a release: at any call of a function, around those that matter, at any time."""

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ledger.stable import stable

# What reaches the disk, the database or the names of files.
CRUCIAL = {
    "fsync", "rename", "mkdir", "rmdir", "unlink", "open", "close", "write", "flush", "flock", "execute",
    "executemany", "commit", "rollback", "connect", "stat", "chmod",
}  # fmt: skip
# Those of them that change something that others see, or wait for somebody.
CHANGING = {"fsync", "rename", "mkdir", "rmdir", "open", "write", "flock", "execute", "executemany", "commit"}


def child(work: Callable[[], object], die_at: int | None = None, *, crucial: bool = False) -> int:
    """Do the work in another process, and die there by SIGKILL at that event. The process id; exit code 0 if it came to
    its end.
    """
    return stable().fork(work if die_at is None else partial(dying, work, die_at, crucial=crucial))


def dying(work: Callable[[], object], die_at: int, *, crucial: bool) -> None:
    sys.setprofile(Countdown(die_at, crucial=crucial).profile)
    work()
    sys.setprofile(None)


def crucial_call(frame, event, argument) -> str:
    """The crucial function that begins or ends, in C or (PostgreSQL's driver) in Python; "" if it is none of them."""
    if event[1] == "_":  # c_call, c_return, c_exception
        return argument.__name__ if argument.__name__ in CRUCIAL else ""
    code = frame.f_code
    return code.co_name if code.co_name in CRUCIAL and "/psycopg/" in code.co_filename else ""


class Countdown:
    """Counts events of the interpreter, and kills the process at one of them."""

    def __init__(self, left: int, *, crucial: bool) -> None:
        self.left = left
        self.profile = self.rarely if crucial else self.always

    def always(self, _frame, _event, _argument) -> None:
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def rarely(self, frame, event, argument) -> None:
        """As `crucial_call` has it, written out: of a hundred thousand events a few hundred are crucial."""
        if event[1] == "_":
            if argument.__name__ in CRUCIAL:
                self.always(frame, event, argument)
        elif frame.f_code.co_name in CRUCIAL and "/psycopg/" in frame.f_code.co_filename:
            self.always(frame, event, argument)


def ended(pid: int) -> int:
    """Wait for it: 0 if it came to its end, -9 if it was killed."""
    return stable().wait(pid)


def shot(pid: int, after: float) -> int:
    """Kill it from outside after some time."""
    time.sleep(after)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return ended(pid)


class Steps:
    """Notes the first crucial event of each step: a function that changes something, and the line of dalenius that it
    is called for.
    """

    def __init__(self) -> None:
        self.count, self.first = 0, {}

    def __call__(self, frame, event, argument) -> None:
        name = crucial_call(frame, event, argument)
        if not name:
            return
        while frame is not None and "/dalenius/" not in frame.f_code.co_filename:
            frame = frame.f_back
        if name in CHANGING and event in ("c_call", "call") and frame is not None:
            self.first.setdefault((frame.f_code.co_filename, frame.f_lineno, name), self.count)
        self.count += 1


def events(work: Callable[[], object], *, crucial: bool) -> int:
    """How many events the work has."""
    return reported(partial(counting, work, crucial=crucial))


def counting(work: Callable[[], object], *, crucial: bool) -> int:
    counter = Countdown(10**12, crucial=crucial)
    sys.setprofile(counter.profile)
    work()
    sys.setprofile(None)
    return 10**12 - counter.left


def steps(work: Callable[[], object]) -> list[int]:
    """The crucial event with which each step begins, and the last of all."""
    return reported(partial(stepping, work))


def stepping(work: Callable[[], object]) -> list[int]:
    noted = Steps()
    sys.setprofile(noted)
    work()
    sys.setprofile(None)
    return [*noted.first.values(), noted.count - 1]


def reported(work: Callable[[], Any]) -> Any:
    """What the work returns, in a process of its own."""
    with tempfile.NamedTemporaryFile() as file:
        assert ended(stable().fork(partial(reporting, work, file.name))) == 0
        return json.load(file)


def reporting(work: Callable[[], object], name: str) -> None:
    Path(name).write_text(json.dumps(work()), encoding="utf-8")


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".partial"))
