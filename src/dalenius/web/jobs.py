"""Long work beside the pages: it shows how far it is, and can be cancelled."""

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, final

from dalenius.basics.errors import DaleniusError
from dalenius.plan import Progress
from dalenius.show.defect import describe_defect

WORKERS = 2
MOST_WAITING = 40


class CancelledError(DaleniusError):
    """Somebody cancelled the work."""


@final
@dataclass(slots=True)
class Job:
    """One piece of work. `error` is what went wrong, in words."""

    title: str
    after: str  # the page that shows what came of it
    before: str  # the page where it was begun
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    step: str = "waiting for its turn"
    done: int = 0
    of: int = 0
    begun: float = field(default_factory=time.monotonic)
    error: str = ""
    finished: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False

    def show(self, what: str, done: int, of: int) -> None:
        """Progress, as the library tells it; here work that was cancelled ends."""
        if self.cancelled:
            raise CancelledError("Cancelled. Nothing was released.")
        self.step, self.done, self.of = what, done, of

    @property
    def seconds(self) -> int:
        return int(time.monotonic() - self.begun)


@final
class Jobs:
    """A few workers for all sessions."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="dalenius-job")
        self._waiting = 0
        self._lock = threading.Lock()

    def start(self, title: str, after: str, before: str, work: Callable[[Progress], Any]) -> Job:
        """Begin the work as soon as a worker is free."""
        job = Job(title, after, before)
        with self._lock:
            if self._waiting >= MOST_WAITING:
                raise DaleniusError("Too much work is waiting already. Try again in a minute.")
            self._waiting += 1
        self._pool.submit(self._run, job, work)
        return job

    def _run(self, job: Job, work: Callable[[Progress], Any]) -> None:
        try:
            job.show("reading the specification and the data", 0, 0)
            after = work(job.show)
            job.after = after if isinstance(after, str) else job.after
        except DaleniusError as error:
            job.error = "\n".join([str(error), *getattr(error, "__notes__", [])])
        except MemoryError:
            job.error = "This needs more memory than there is. Declare a coarser unit or a smaller domain."
        except Exception as error:  # noqa: BLE001 - the last resort: it is no answer, and the page says so
            job.error = "\n".join([describe_defect(error), *getattr(error, "__notes__", [])])
        finally:
            with self._lock:
                self._waiting -= 1
            job.finished.set()

    def close(self) -> None:
        """Wait for nothing: what is recorded is recorded, and the rest was not released."""
        self._pool.shutdown(wait=False, cancel_futures=True)
