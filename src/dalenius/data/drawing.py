"""Draws of somebody's mechanism: of a function, of one that makes many at once, of a command."""

import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.mechanism.outputs import Outputs, described, joined
from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_ANSWERS, LONGEST_ANSWER
from dalenius.data.datasets import BelievedData, Datasets, SameData, WorldPair
from dalenius.plan import Spreader

CHUNK = 20_000  # draws of one task
LEAST_CHUNK = 250
RECORDS_AT_ONCE = 20_000_000  # of data sets that are drawn at once
COMPARED = (64, 250)  # draws that are compared, to find dice that were copied
BY_CHANCE = 60.0  # logarithms: so rarely must the draws of any two tasks be the same by chance, or that proves nothing
AGAIN = 30.0  # the same, of all tasks of one world together that say the same as the first did
STARTS = 8  # of a program, for the first draws of a world
FEW = 20  # draws that are all the same: as many of another value do not come by chance (2 to the -40th)
ALIKE = 1000  # draws of a task that are compared with those of the first task of its world
UNLIKE = 32.0  # logarithms: so rarely do shares of independent draws differ by as much as is noticed
COMMAND_SECONDS = 60.0
LOOK = 0.1  # seconds between two looks at how much a command wrote


@final
@dataclass(frozen=True)
class InBatches:
    """A release that makes many draws at once: `function(data, count)` gives `count` outputs for one data set, as a
    list or an array with a row an output.

    >>> import dalenius as dl
    >>> dl.data.InBatches(lambda data, count: [sum(data)] * count).function([0, 1, 1], 2)
    [2, 2]
    """

    function: Callable[[Any, int], Any]


@final
@dataclass(frozen=True)
class Command:
    """A program: it reads data sets from its standard input, one a line as JSON, and answers each with a line.

    A line of its output is a release: a number, a list of numbers, or any text. It is started anew for every round,
    may take `seconds` and write so many bytes, and its error output is not read.

    >>> import dalenius as dl
    >>> dl.data.Command("cat").run([[0, 1], [1, 1]])
    [[0, 1], [1, 1]]
    """

    line: str
    seconds: float = COMMAND_SECONDS

    def run(self, datasets: Sequence[Any] | NDArray[Any]) -> list[Any]:
        """What it says of each."""
        try:
            words = shlex.split(self.line)
        except ValueError:
            raise InputError(
                "Needed a command, but a quote in it is opened and never closed. Close it, or leave it out."
            ) from None
        if not words or shutil.which(words[0]) is None:
            raise InputError(
                "Needed a command that can be started, but its first word names no program here. Give its path."
            )
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            for data in datasets:
                given.write(json.dumps(data, default=_plain).encode() + b"\n")
            given.seek(0)
            code = self._wait(words, given, said)
            size = said.seek(0, os.SEEK_END)
            said.seek(0)
            lines = said.read().split(b"\n") if code == 0 else []
        if code:
            raise InputError(
                f"The command ended with exit code {code}. It must answer every line and end with 0; a draw with the "
                "same data set by hand shows why it does not."
            )
        lines = lines[:-1] if lines and not lines[-1] else lines
        if len(lines) != len(datasets):
            raise InputError(
                f"The command must answer every line with one line, but {len(datasets)} data sets got {len(lines)} "
                f"lines ({size} bytes). Let it read lines until its input ends, and print one for each."
            )
        if max(map(len, lines), default=0) > LONGEST_ANSWER:
            raise InputError(f"A release must be at most {LONGEST_ANSWER} bytes long, but one is longer. Shorten it.")
        return [_read(line) for line in lines]

    def _wait(self, words: Sequence[str], given: Any, said: Any) -> int:
        try:
            process = subprocess.Popen(  # noqa: S603 - a program that the caller names, without a shell
                words, stdin=given, stdout=said, stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as problem:
            raise InputError(f"The command cannot be started ({problem.strerror}). Check its path.") from None
        end = monotonic() + self.seconds
        try:
            while monotonic() < end:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(timeout=LOOK)
                if os.fstat(said.fileno()).st_size > LARGEST_ANSWERS:
                    raise InputError(
                        f"The command wrote more than {LARGEST_ANSWERS} bytes in a round. Let it answer each line with "
                        "one short line."
                    )
        finally:
            if process.poll() is None:
                _end(process)
        raise InputError(
            f"The command took more than {self.seconds:g} seconds for a round. Let it answer sooner, or ask for fewer "
            "draws."
        )


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With all that it started: it has a session of its own."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


Release: TypeAlias = Callable[[Any], Any] | InBatches | Command


@final
class Drawer:
    """Draws of a release for pairs of worlds, by as many hands as a spreader has."""

    def __init__(self, release: Release, pairs: Sequence[WorldPair], spread: Spreader | None) -> None:
        self.release, self.pairs, self.spread = release, pairs, spread
        self.beginnings: set[bytes] = set()
        self.firsts: dict[tuple[int, int], _First] = {}

    def __call__(self, pair: int, count: int) -> tuple[Outputs, Outputs]:
        """So many of each world of this pair."""
        sides = (self.pairs[pair].first, self.pairs[pair].second)
        chunk = max(LEAST_CHUNK, min(CHUNK, -(-count // 8))) if self.spread else CHUNK
        if isinstance(self.release, Command) and (pair, 0) not in self.firsts:
            chunk = max(FEW, -(-count // STARTS))  # one that keeps an answer while it runs is seen to
        sizes = [min(chunk, count - start) for start in range(0, count, chunk)]
        tasks = [(self.release, side, size) for side in sides for size in sizes]
        found = self.spread(drawn, tasks) if self.spread else [drawn(task) for task in tasks]
        for place, part in enumerate(found):
            self._check(part)
            self._compare((pair, place // len(sizes)), part)
        return joined(found[: len(sizes)]), joined(found[len(sizes) :])

    def _check(self, part: Outputs) -> None:
        """Two tasks with the same draws have the same dice: processes that got copies of one generator, or a program
        that begins with the same seed whenever it is started.
        """
        for count in COMPARED:
            beginning = part.whole[:count]
            if len(beginning) < count or _orders(beginning) < BY_CHANCE:
                continue
            if beginning.tobytes() in self.beginnings:
                raise InputError(COPIED)
            self.beginnings.add(beginning.tobytes())
            return

    def _compare(self, world: tuple[int, int], part: Outputs) -> None:
        """Tasks of one world, which are draws of one law: neither the same, nor of different laws."""
        if world not in self.firsts:
            self.firsts[world] = _First(part.part(slice(ALIKE)))
            return
        first = self.firsts[world]
        count = min(len(first.outputs), len(part))
        if first.again is not None:
            same = np.array_equal(first.outputs.whole[:count], part.whole[:count])
            first.again = first.again + _orders(part.whole[:count]) if same else None
            if first.again is not None and first.again > AGAIN:
                raise InputError(COPIED)
        if _differ(first.outputs, part.part(slice(ALIKE))):
            raise InputError(CHANGED)
        if len(part) > len(first.outputs):
            first.outputs = part.part(slice(ALIKE))


@final
class _First:
    """The first task of a world; by how much it would be a wonder that all later ones began as it did, if they did."""

    def __init__(self, outputs: Outputs) -> None:
        self.outputs = outputs
        self.again: float | None = 0.0


COPIED = (
    "Draws that were made apart are the same: the mechanism carries its own generator, of which each process got a "
    "copy, or begins with the same seed at each start. Make the generator inside of the function, or audit in one "
    "process; let a program seed itself from the operating system."
)
CHANGED = (
    "Draws of the same data set changed from one round to the next, so that they are not independent: the mechanism "
    "remembers what it answered, or how often it was asked. Let it forget, and roll its dice anew for every draw."
)


def _orders(words: NDArray[np.uint64]) -> float:
    """The logarithm of how many orders these draws have, all of which are as likely if they are independent."""
    _, times = np.unique(words, return_counts=True)
    return math.lgamma(len(words) + 1) - math.fsum(math.lgamma(count + 1) for count in times.tolist())


def _differ(one: Outputs, other: Outputs) -> bool:
    """Whether the shares of outputs up to some number differ by more than those of independent draws of one law ever
    do: of each by sqrt(x / 2n) with a chance of at most 2 exp(-x) (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
    """
    words = np.unique(one.whole), np.unique(other.whole)
    if min(len(one), len(other)) >= FEW and len(words[0]) == len(words[1]) == 1 and words[0] != words[1]:
        return True
    far = sum(math.sqrt(UNLIKE / (2 * len(each))) for each in (one, other))
    if far >= 1:
        return False
    for column in range(min(one.width, other.width)):
        low, high = (np.sort(each.rows[:, column]) for each in (one, other))
        places = np.concatenate([low, high])
        first, second = (np.searchsorted(each, places, side="right") / len(each) for each in (low, high))
        if float(np.abs(first - second).max()) > far:
            return True
    return False


def drawn(task: tuple[Release, Datasets, int]) -> Outputs:
    """One task: so many draws of one world."""
    release, side, count = task
    if isinstance(release, InBatches) and isinstance(side, SameData):
        outputs = release.function(side.data, count)
        return _checked(described(outputs), count)
    size = _at_once(side, count)
    parts = []
    for start in range(0, count, size):
        datasets = side.draw(min(size, count - start))
        if isinstance(release, InBatches):
            outputs = [_one(release.function(data, 1)) for data in datasets]
        elif isinstance(release, Command):
            outputs = release.run(datasets)
        else:
            outputs = [release(data) for data in datasets]
        parts.append(_checked(described(outputs), len(datasets)))
    return joined(parts)


def _at_once(side: Datasets, count: int) -> int:
    if not isinstance(side, BelievedData):
        return count
    return max(1, min(count, RECORDS_AT_ONCE // max(1, side.size)))


def _one(outputs: Any) -> Any:
    return outputs[0]


def _checked(outputs: Outputs, count: int) -> Outputs:
    if len(outputs) != count:
        raise InputError(
            f"A release in batches must give as many outputs as it is asked for, but gave {len(outputs)} of {count}. "
            "Return a list, or an array with a row an output."
        )
    return outputs


def _plain(value: Any) -> Any:
    """What JSON does not know."""
    listed = getattr(value, "tolist", None)
    return listed() if listed is not None else str(value)


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line
