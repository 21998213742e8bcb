"""Where a command prints: a pipe whose reader may leave, a full device, a terminal without Greek letters, nothing."""

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast, final

ESCAPED = "dalenius.escaped"  # how letters are written that an encoding does not have


def escape(error: UnicodeError) -> tuple[str, int]:
    r"""Letters that cannot be printed, as JSON would write them: so JSON stays JSON, and a reader sees which they are.

    >>> "φ, 😀".encode("latin-1", ESCAPED)
    b'\\u03c6, \\ud83d\\ude00'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    halves = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (halves[place : place + 2].hex() for place in range(0, len(halves), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end


codecs.register_error(ESCAPED, escape)


@final
class Unfailing:
    """A stream that drops what cannot be printed. The command goes on, and ends with its own exit code: what was
    decided, or released, does not depend on who listens, nor on where it is written.

    `failure` is why something was dropped. It has no `buffer`: all that is printed comes through here.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream  # None: whoever started the command closed it
        self.failure: OSError | ValueError | None = None
        with suppress(AttributeError):
            cast("Any", stream).reconfigure(errors=ESCAPED)

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"Needed text to print, but got {type(text).__name__}.")
        if self._stream is not None:
            try:
                self._stream.write(text)
            except (OSError, ValueError) as error:  # a closed file is a ValueError
                self._drop(error)
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._drop(error)

    def isatty(self) -> bool:
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def _drop(self, error: OSError | ValueError) -> None:
        """From now on it all goes nowhere, what is still in the buffer too."""
        self.failure = self.failure or error
        with suppress(OSError, ValueError):  # what is no file has no number, and no buffer to be emptied either
            nowhere = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(nowhere, cast("TextIO", self._stream).fileno())
            finally:
                os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)


@contextmanager
def unfailing() -> Iterator[None]:
    """All streams, for as long as a command runs. What could not be printed is told at the end, if anybody can be."""
    _take_numbers()
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = Unfailing(before[1]), Unfailing(before[2])
    sys.stdout, sys.stderr = cast("TextIO", out), cast("TextIO", err)
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        sys.stdin = before[0] or nothing  # an input that was closed has come to its end
        try:
            yield
        finally:
            out.flush()
            if out.failure is not None and not isinstance(out.failure, BrokenPipeError):
                err.write(UNPRINTED.format(why=getattr(out.failure, "strerror", None) or "the output is closed"))
            err.flush()
            sys.stdin, sys.stdout, sys.stderr = before


def _take_numbers() -> None:
    """Where a stream was closed, no file of ours gets its number: libraries print there without asking."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


UNPRINTED = (
    "Not all of the output could be printed ({why}). The exit code says all the same what was decided or done; what "
    "was recorded and written does not depend on it.\n"
)
