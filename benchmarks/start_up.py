"""How soon dalenius is there, and how soon a verdict is."""

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.claim import Row, at_most, remark
from benchmarks.timing import medians, printed
from dalenius.desk.examples.demo import specify

HEAVY = ("pandas", "ibis", "duckdb", "fastapi", "starlette", "flask", "polars", "pyarrow")
SECONDS = "import time; started = time.perf_counter(); import {}; print(time.perf_counter() - started)"
PULLED = f"import sys, dalenius; print(sum(name in sys.modules for name in {HEAVY}))"
REPETITIONS = 11
ENGINES = "import ibis, duckdb; print(1)"
VERDICTS = 5


def start_up() -> list[Row]:
    """`import dalenius` takes at most 1.3 times `import scipy.special, scipy.fft` and pulls in no data library and no
    web framework; `dalenius --help` takes less than 0.7 s, and the verdict about the demo at most 1.5 times as long as
    to import Ibis and DuckDB.
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
        *_verdict(),
    ]


def _help() -> Row:
    program = Path(sys.executable).parent / "dalenius"
    if importlib.util.find_spec("dalenius.cli") is None:
        return remark("dalenius --help", "skipped: there is no dalenius.cli yet")
    seconds = medians({"help": lambda: subprocess.run([program, "--help"], check=True, capture_output=True)})
    return at_most("dalenius --help", seconds["help"], 0.7, " s")


def _verdict() -> list[Row]:
    """From the command to the verdict on the bundled register, against a Python that imports Ibis and DuckDB and does
    nothing else: seconds of the processor, the least of several runs of each, in turns.
    """
    engines, verdicts, answers = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        spec = specify(Path(folder) / "demo") / "release.yaml"
        check = [sys.executable, "-m", "dalenius", "check", str(spec)]
        for _ in range(VERDICTS):
            engines.append(_processor([sys.executable, "-c", ENGINES]))
            verdicts.append(_processor([*check, "--quick"]))
            answers.append(_processor(check))
    ratio = min(verdicts) / min(engines)
    told = f"{min(verdicts):.2f} s against {min(engines):.2f} s"
    return [
        at_most("dalenius check of the demo: to the verdict / import ibis, duckdb", ratio, 1.5, note=told),
        remark("  to the last line of the answer", f"{min(answers):.2f} s"),
    ]


def _processor(command: list[str]) -> float:
    """Seconds of the processor that a command takes, whatever else the machine does."""
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=here)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
