"""Work on many groups of people at once: on the cores of this machine, or on the workers of a Spark cluster.

A *spreader* takes a function and a list of tasks, and gives the results in the order of the tasks, as `map` would: what
is decided does not depend on how many hands did the work.
"""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dalenius.plan import Spreader

T = TypeVar("T")
R = TypeVar("R")

WORTH_IT = 3.0  # seconds of work that are left: below, starting processes takes longer than it saves
TRIED = 0.5  # seconds of work after which it is seen how much is left; the first task may also load what all need


def one_by_one(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    """In this process, one after the other."""
    return [work(task) for task in tasks]


def cores() -> int:
    """How many processes may work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_cores(count: int | None = None, *, worth: float = WORTH_IT) -> Spreader:
    """One process a core, if by the time of the first tasks the others take more than `worth` seconds: of this process,
    however busy the machine is with others.

    Processes are started anew, so that they inherit neither tables nor locks; that takes about a second. A script must
    therefore do its work under `if __name__ == "__main__":`, as always with processes in Python.

    >>> import dalenius as dl
    >>> callable(dl.data.on_cores(1))
    True
    """
    hands = cores() if count is None else count

    def spread(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        if hands < 2 or len(tasks) < 2:
            return one_by_one(work, tasks)
        started, found = time.process_time(), list[R]()
        for left in range(len(tasks) - 1, -1, -1):
            found.append(work(tasks[len(found)]))
            spent = time.process_time() - started
            if spent >= min(TRIED, worth) and spent / len(found) * left >= worth:
                break
        rest = tasks[len(found) :]
        if not rest:
            return found
        import multiprocessing  # as what follows: most work is done before they are loaded
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(hands, mp_context=multiprocessing.get_context("spawn")) as pool:
            return [*found, *pool.map(work, rest, chunksize=max(1, len(rest) // (4 * hands)))]

    return spread


def on_spark(session: Any) -> Spreader:
    """On the workers of a Spark session, which must have dalenius installed. Tasks and results are pickled.

    >>> import dalenius as dl
    >>> session = None  # pyspark.sql.SparkSession.builder.getOrCreate()
    >>> callable(dl.data.on_spark(session))
    True
    """

    def spread(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        if not tasks:
            return []
        context = session.sparkContext
        slices = min(len(tasks), max(1, 4 * context.defaultParallelism))
        return list(context.parallelize(list(tasks), slices).map(work).collect())

    return spread
