"""How soon dalenius is there, and how soon a verdict is."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
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
    web framework; `dalenius --help` takes less than 0.7 s, and the verdict about the demo at most four times as long as
    to import what reads its table.
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
    """From the command to the first line that `dalenius check` prints about the bundled register, against starting a
    Python that imports Ibis and DuckDB and does nothing else; the least of several runs of each, in turns.
    """
    engines, verdicts, answers = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        spec = specify(Path(folder) / "demo") / "release.yaml"
        for _ in range(VERDICTS):
            engines.append(_first_line([sys.executable, "-c", ENGINES])[0])
            first, whole = _first_line([sys.executable, "-m", "dalenius", "check", str(spec)])
            verdicts.append(first)
            answers.append(whole)
    ratio = min(verdicts) / min(engines)
    told = f"{min(verdicts):.2f} s against {min(engines):.2f} s"
    return [
        at_most("dalenius check of the demo: to the verdict / import ibis, duckdb", ratio, 4, note=told),
        remark(
            "  the goal is 1.5, which Ibis alone takes with a connection; to the last line of the answer",
            f"{min(answers):.2f} s",
        ),
    ]


def _first_line(command: list[str]) -> tuple[float, float]:
    """Seconds until a command has printed a line, and until it has ended."""
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=here) as run:
        if run.stdout is None or not run.stdout.readline():
            raise RuntimeError(f"{command} printed nothing")
        first = time.perf_counter() - started
        run.stdout.read()
    return first, time.perf_counter() - started
