"""Seconds and bytes. Machines are noisy, so what is compared runs in turns and medians are compared."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

# The kernel's own high-water mark where there is one: `ru_maxrss` of a child starts at its parent's.
PEAK = """
import pathlib, re, resource
status = pathlib.Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(int(peak[1]) * 1024 if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def medians(jobs: Mapping[str, Callable[[], object]], repetitions: int = 5) -> dict[str, float]:
    """The median seconds of each job, after one round that does not count; every round runs each job once."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(repetitions + 1):
        for name, job in jobs.items():
            started = time.perf_counter()
            job()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in seconds.items()}


def printed(code: str) -> float:
    """The number that the code prints, run by a Python of its own."""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(run.stdout)


def peak_bytes(code: str) -> float:
    """The most memory that the code ever held, run by a Python of its own."""
    return printed(code + PEAK)
