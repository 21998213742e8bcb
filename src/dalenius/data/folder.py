"""A folder of results that is written whole or not at all."""

import errno
import os
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dalenius.basics.errors import OutputError
from dalenius.basics.inputs import path_of

try:
    import fcntl
except ImportError:  # not on Windows: there, folders that a crash left behind are taken for abandoned
    fcntl = None  # type: ignore[assignment]  # a module or nothing

TRIES = 1000
PATIENCE, PAUSE = 60.0, 0.02  # seconds: how long another release is waited for, and between two looks


def write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder `target` with these files in it, all of them or none; a name may say one folder inside it.

    The files are written beside it, flushed to the disk, and then renamed in one step. OutputError if the target is
    there already, if its parent is missing or if it cannot be written; nothing is left behind then. If the target
    appears in the meantime with the very same files in it, somebody else did the work, and that is as good.
    """
    parent = path_of(target, error=OutputError).parent
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
    try:
        with _partial(target) as partial:
            for name, content in files.items():
                (partial / name).parent.mkdir(exist_ok=True)
                _write(partial / name, content)
            for folder in {(partial / name).parent for name in files} | {partial}:
                _flush(folder)
            partial.rename(target)
    except OSError as error:
        if not holds(target, files):
            raise _unwritable(target, error) from error
    _flush(parent)


def holds(target: Path, files: Mapping[str, bytes]) -> bool:
    """Whether the folder is there with exactly these files."""
    try:
        names = {path.relative_to(target).as_posix() for path in target.rglob("*") if not path.is_dir()}
        return names == set(files) and all((target / name).read_bytes() == files[name] for name in files)
    except OSError:
        return False


def sweep(parent: Path, names: Collection[str]) -> None:
    """Remove what crashes left of folders that were to get these names; not what a living process is writing."""
    for partial in parent.glob(".*.partial"):
        if partial.name[1:].rsplit(".", 2)[0] in names:
            handle = _lock(partial)
            if handle is not None:
                shutil.rmtree(partial, ignore_errors=True)
                os.close(handle)


@contextmanager
def only_maker(target: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Nobody else makes a folder of this name meanwhile: who is about to promises it in the folder around it, whose
    lock ends with the process and leaves no trace. Where a file system has no such locks, there is none.
    """
    handle = _open_folder(target.parent)
    try:
        until = time.monotonic() + patience
        while handle is not None and not _locked(handle):
            if time.monotonic() > until:
                raise OutputError(
                    f"Needed to make {target.name} in {target.parent}, but another release has been writing there for "
                    f"{patience:g} s. Nothing was released. Wait for it, or end it, and try again."
                )
            time.sleep(PAUSE)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _open_folder(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError:  # it is gone, or (on Windows) folders cannot be opened
        return None


def _locked(handle: int) -> bool:
    """Whether the lock is ours now, or cannot be had at all on this file system."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR)
    return True


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A folder beside the target, locked as long as its maker lives; gone afterwards unless it was renamed."""
    partial, handle = _made(target)
    try:
        yield partial
    finally:
        # After the renaming there is nothing of this name to remove.
        shutil.rmtree(partial, ignore_errors=True)
        os.close(handle)


def _made(target: Path) -> tuple[Path, int]:
    """A new folder and its lock. Who sweeps may take it for an abandoned one before it is locked: then another."""
    for place in range(TRIES):
        partial = target.parent / f".{target.name}.{os.getpid()}-{place}.partial"
        try:
            partial.mkdir()
        except FileExistsError:
            continue
        handle = _lock(partial)
        if handle is not None:
            return partial, handle
    raise OSError(errno.EEXIST, f"{TRIES} folders {partial.name} are there already")


def _lock(folder: Path) -> int | None:
    """The folder's lock, which ends with the process; None if somebody else has it, or if the folder is gone."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), folder.stat()):
            return handle
    except OSError:
        pass
    os.close(handle)
    return None


def check_new_file(path: Path) -> None:
    """OutputError unless a file of this name can be made: it is new, and its folder is there."""
    path = path_of(path, error=OutputError)
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


def replace_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put new contents in the place of files of a folder, each of them whole: whoever reads has the old or the new."""
    try:
        for name, content in files.items():
            partial = folder / f"{name}.{os.getpid()}.partial"
            with suppress(OSError):
                partial.unlink()
            _write(partial, content)
            partial.replace(folder / name)
            _flush((folder / name).parent)
    except OSError as error:
        raise _unwritable(folder, error) from error


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
