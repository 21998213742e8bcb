"""Files that somebody names: a path that can be one, and its bytes within a limit.

A device has no end and a pipe may have no writer, so only regular files are read.
"""

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LONGEST_NAME, LONGEST_PATH

SHOWN = 60  # characters of a path that is none


def of_a_file(path: str, example: str, *, error: type[InputError] = InputError) -> str:
    """The path in the address of a database in a file; `error`, which repeats nothing, if it reads like that of a
    server: what stands there may be a password.
    """
    if re.search(r"[@\[\]]|:(?![/\\])", path):
        raise error(
            f"Needed the path of a file in the address, but this reads like a server's, with a user or a port. Write "
            f"{example}."
        )
    return path


def path_of(given: str | Path, base: Path | None = None, *, error: type[InputError] = InputError) -> Path:
    """The path that is meant, relative to `base`, with ~ spelt out; `error` if no file can have it.

    >>> path_of("people.csv", Path("survey")).as_posix()
    'survey/people.csv'
    """
    text = str(given)
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    if "\0" in text:
        raise error("Needed the path of a file, but it has a NUL in it, which no path can have. Write it anew.")
    home = None
    with suppress(RuntimeError):  # ~nobody
        home = Path(text).expanduser() if text.startswith("~") else Path(text)
    if home is None:
        raise error(f"Needed the path of a file, but {short} begins with a user whom nobody knows here. Write it out.")
    path = base / home if base is not None else home
    try:
        whole = os.fsencode(path.absolute())
    except UnicodeEncodeError:  # not shown: what cannot be encoded cannot be printed either
        whole = b""
    if not whole:
        raise error(
            'Needed the path of a file, but it has half a character in it (a surrogate, as "\\ud800" in YAML), which '
            "no path can have. Write it anew."
        )
    if len(whole) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in whole.split(b"/")):
        raise error(
            f"Needed a path of at most {LONGEST_PATH} bytes, {LONGEST_NAME} in each name, but {short} is longer. "
            "Shorten it."
        )
    return path


def read_bytes(path: Path, most: int, what: str, *, error: type[InputError] = InputError) -> bytes:
    """The bytes of a regular file, `most` of them at most; `error` if there is none. `what` says what it is for."""
    path = path_of(path, error=error)
    reason = ""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # so that a pipe without a writer is not waited for
        with os.fdopen(handle, "rb") as file:
            kind = os.fstat(handle).st_mode
            if stat.S_ISREG(kind):
                content = file.read(most + 1)
            else:
                reason = "it is a folder" if stat.S_ISDIR(kind) else "it is a device or a pipe"
    except FileNotFoundError:
        reason = "there is none"
    except IsADirectoryError:
        reason = "it is a folder"
    except OSError as problem:
        reason = f"it cannot be read ({problem.strerror})"
    if reason:
        raise error(f"Needed {what} at {path}, but {reason}. Check the path, and name the file itself.")
    if len(content) > most:
        raise error(f"Needed {what} of at most {most} bytes, but {path} has more. Name another file.")
    return content


def read_text(path: Path, most: int, what: str, *, error: type[InputError] = InputError) -> str:
    """The same as text in UTF-8."""
    content = read_bytes(path, most, what, error=error)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    raise error(f"Needed {what} in UTF-8, but {path} cannot be read as text. Save it as UTF-8, or name such a file.")
