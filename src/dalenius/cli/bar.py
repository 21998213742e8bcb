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
    second and wiped out at the end, if somebody is there to see it; otherwise a line of its own every half minute.
    """

    EVERY = 30

    def __enter__(self) -> Self:
        self._begun, self._now = time.monotonic(), ("reading the specification and the data", 0, 0)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()
        return self

    def show(self, what: str, done: int, total: int) -> None:
        self._now = (what, done, total)

    def _draw(self) -> None:
        seen, told = sys.stderr.isatty(), 0
        while not self._over.wait(1.0):
            what, done, total = self._now
            seconds = int(time.monotonic() - self._begun)
            counted = f" ({done} of {total})" if total > 1 else ""
            if seen:
                sys.stderr.write(f"\r\033[K{drawn(done, total)}{what}{counted}, {seconds} s")
            elif seconds // self.EVERY > told:
                told = seconds // self.EVERY
                sys.stderr.write(f"still {what}{counted}, {seconds} s\n")
            sys.stderr.flush()
        if seen:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
