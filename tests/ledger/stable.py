"""A process that does nothing but fork: it has one thread and no connections, unlike one that runs tests.

What an earlier test left in memory (the threads of a data engine, a connection that is still to be closed) does not
survive a fork, and takes the child with it at the next collection of garbage. So children come from here.
"""

import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]


class Stable:
    """The server, as the tests see it: whatever can be pickled is done in a process of its own."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.server = subprocess.Popen(
            [sys.executable, "-m", "ledger.stable"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        )

    def fork(self, work: Callable[[], object]) -> int:
        """Its process id."""
        return self._ask("fork", work)

    def load(self, *modules: str) -> None:
        """Load these before what is forked next, which then need not."""
        self._ask("load", modules)

    def wait(self, pid: int) -> int:
        """0 if it came to its end, 3 if it raised an error, or minus the signal that it died of."""
        return self._ask("wait", pid)

    def _ask(self, verb: str, about: object) -> int:
        assert self.server.stdin and self.server.stdout
        pickle.dump((verb, about), self.server.stdin)
        self.server.stdin.flush()
        return int(self.server.stdout.readline())


@cache
def stable() -> Stable:
    """One for all tests of a process; it ends when that process closes its end of the pipe."""
    return Stable()


def forked(work: Callable[[], object]) -> int:
    """Do the work in a child, which never comes back."""
    pid = os.fork()
    if pid:
        return pid
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.close(nothing)
        work()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it is, the child must not serve
        os._exit(3)


def loaded(modules: tuple[str, ...]) -> int:
    """How many."""
    return sum(importlib.import_module(name) is not None for name in modules)


def warm() -> None:
    """A release and a submission before the first fork: no child loads what all of them need."""
    import psycopg  # noqa: F401
    import sqlalchemy.dialects.postgresql.psycopg  # noqa: F401

    from dalenius.desk import curves
    from ledger.reviewing import submitting
    from ledger.site import Site

    drawn = curves.measured
    with tempfile.TemporaryDirectory() as name:
        Site(str(Path(name) / "ledger.sqlite"), Path(name)).release("warm", charts=True)
        submitting(str(Path(name) / "ledger.sqlite"), "warm")
    assert curves.measured is drawn
    curves.measured = lambda *_: ((), None, ())  # as `without_charts` has it


def serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which then close the pipe
    warm()
    verbs = {"load": loaded, "fork": forked, "wait": lambda pid: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}
    with contextlib.suppress(EOFError):
        while True:
            verb, about = pickle.load(sys.stdin.buffer)
            print(verbs[verb](about), flush=True)


if __name__ == "__main__":
    serve()
