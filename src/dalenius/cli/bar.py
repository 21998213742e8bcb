"""Progress, for whoever watches."""

import sys
import threading
import time
from typing import Self

WIDTH = 24


def drawn(done: int, total: int) -> str:
    """How much is done, as a bar; nothing where that is not known.

    >>> drawn(1, 4)
    '[######                  ] '
    """
    if total <= 1:
        return ""
    full = min(WIDTH, WIDTH * done // total)
    return f"[{'#' * full}{' ' * (WIDTH - full)}] "


class Bar:
    """Progress on the error stream: a line, with a bar where it is known how much there is to do, that is redrawn every
    second and wiped out at the end, if somebody is there to see it; otherwise a line of its own after three seconds in
    which nothing was said, and then every ten.
    """

    FIRST, EVERY = 3, 10

    def __enter__(self) -> Self:
        self._begun = self._spoken = time.monotonic()
        self._now = ("reading the specification and the data", 0, 0)
        self._wait = self.FIRST
        self._seen = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()
        return self

    def show(self, what: str, done: int, total: int) -> None:
        self._now = (what, done, total)

    def say(self, text: str) -> None:
        """Print lines of the answer, at once: whoever reads has them while the work goes on."""
        with self._lock:
            self._wipe()
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
            self._spoken, self._wait = time.monotonic(), self.FIRST

    def _draw(self) -> None:
        while not self._over.wait(1.0):
            what, done, total = self._now
            now = time.monotonic()
            seconds = int(now - self._begun)
            counted = f" ({done} of {total})" if total > 1 else ""
            with self._lock:
                if self._seen:
                    sys.stderr.write(f"\r\033[K{drawn(done, total)}{what}{counted}, {seconds} s")
                elif now - self._spoken >= self._wait:
                    self._spoken, self._wait = now, self.EVERY
                    sys.stderr.write(f"still {what}{counted}, {seconds} s\n")
                sys.stderr.flush()

    def _wipe(self) -> None:
        if self._seen:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._wipe()
