"""Streams whose reader may leave: `dalenius ledger list | head -1`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import Any, TextIO, cast, final


@final
class Unread:
    """A stream that drops what nobody reads any more. The command goes on, and ends with its own exit code: what was
    decided, or released, does not depend on who listens.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        """From now on it all goes nowhere, what is still in the buffer too."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with suppress(UnsupportedOperation):
            os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def unread() -> Iterator[None]:
    """Both streams, for as long as a command runs."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", Unread(out)), cast("TextIO", Unread(err))
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = out, err
