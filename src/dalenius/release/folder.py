"""A folder of results that is written whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dalenius.errors import OutputError


def write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder `target` with these files in it, all of them or none; a name may say one folder inside it.

    The files are written beside it, flushed to the disk, and then renamed in one step. OutputError if the target is
    there already, if its parent is missing or if it cannot be written; nothing is left behind then.
    """
    parent = target.parent
    astray = [name for name in files if not _plain(name)]
    if astray:
        raise OutputError(f"Needed plain names of files, but got {astray}. Leave out the folders.")
    if os.path.lexists(target):
        kind = "a folder" if target.is_dir() else "a file"
        raise OutputError(
            f"Needed a new folder {target}, but {kind} of this name exists. Choose a new folder, or remove it."
        )
    if not parent.is_dir():
        raise OutputError(f"Needed a folder {parent} to put {target.name} in, but there is none. Create it first.")
    partial = parent / f".{target.name}.{os.getpid()}.partial"
    try:
        partial.mkdir()
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        for name, content in files.items():
            (partial / name).parent.mkdir(exist_ok=True)
            _write(partial / name, content)
        for folder in {(partial / name).parent for name in files}:
            _flush(folder)
        _flush(partial)
        partial.rename(target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        # After the renaming there is nothing of this name to remove.
        shutil.rmtree(partial, ignore_errors=True)
    _flush(parent)


def check_new_file(path: Path) -> None:
    """OutputError unless a file of this name can be made: it is new, and its folder is there."""
    if os.path.lexists(path):
        raise OutputError(f"Needed a new file, but {path} is there already. Choose another name, or remove it.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"Needed a folder {path.parent} to write {path.name} in, but there is none. Create it first.")


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that was not there before."""
    check_new_file(path)
    try:
        _write(path, content)
    except OSError as error:
        raise OutputError(
            f"Needed to write {path}, but it cannot be ({error.strerror}). Choose a place that you may write to."
        ) from error


def _plain(name: str) -> bool:
    """A file's name, or a folder's and a file's with a slash between them."""
    parts = name.split("/")
    return len(parts) <= 2 and all(Path(part).name == part and part not in ("", ".", "..") for part in parts)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder: Path) -> None:
    """Entries of the folder reach the disk, on file systems that can promise it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(target: Path, error: OSError) -> OutputError:
    return OutputError(
        f"Needed to write the folder {target}, but it cannot be ({error.strerror}). "
        "Choose a folder that you may write to, on a disk with room."
    )
