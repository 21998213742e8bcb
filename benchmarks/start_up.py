"""How soon dalenius is there."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.claim import Row, at_most, remark
from benchmarks.timing import medians, printed

HEAVY = ("pandas", "ibis", "duckdb", "fastapi", "starlette", "flask", "polars", "pyarrow")
SECONDS = "import time; started = time.perf_counter(); import {}; print(time.perf_counter() - started)"
PULLED = f"import sys, dalenius; print(sum(name in sys.modules for name in {HEAVY}))"
REPETITIONS = 11


def start_up() -> list[Row]:
    """`import dalenius` takes at most 1.3 times `import scipy.special, scipy.fft` and pulls in no data library and no
    web framework; `dalenius --help` takes less than 0.7 s.
    """
    ours, scipy = [], []
    for _ in range(REPETITIONS):
        scipy.append(printed(SECONDS.format("scipy.special, scipy.fft")))
        ours.append(printed(SECONDS.format("dalenius")))
    return [
        at_most(
            "import dalenius: time / import scipy.special, scipy.fft",
            median(ours) / median(scipy),
            1.3,
            note=f"{median(ours) * 1e3:.0f} ms against {median(scipy) * 1e3:.0f} ms",
        ),
        at_most("import dalenius: data libraries and web frameworks pulled in", printed(PULLED), 0),
        _help(),
    ]


def _help() -> Row:
    program = Path(sys.executable).parent / "dalenius"
    if importlib.util.find_spec("dalenius.cli") is None:
        return remark("dalenius --help", "skipped: there is no dalenius.cli yet")
    seconds = medians({"help": lambda: subprocess.run([program, "--help"], check=True, capture_output=True)})
    return at_most("dalenius --help", seconds["help"], 0.7, " s")
