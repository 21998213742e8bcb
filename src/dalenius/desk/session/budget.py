"""Seconds for what comes after a verdict."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left


@final
class Budget:
    """How many seconds searches may take together; None: as many as they need. Only time spent in them counts."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] | None = None) -> None:
        self.seconds = None if seconds is None else _checked(seconds)
        self._clock = clock or monotonic
        self._spent = 0.0

    @contextmanager
    def running(self, *, share: float = 1.0) -> Iterator[Left]:
        """Count what happens here; whether there is time left, or left of that share, can be asked at any moment."""
        begun, spent = self._clock(), self._spent
        try:
            yield lambda: self.seconds is None or spent + self._clock() - begun < share * self.seconds
        finally:
            self._spent = spent + self._clock() - begun


def _checked(seconds: object) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or math.isnan(seconds) or seconds < 0:
        raise InputError(
            f"seconds must be a number of at least 0, or None for as long as it takes, but got {seconds!r}. Write 10."
        )
    return float(seconds)
