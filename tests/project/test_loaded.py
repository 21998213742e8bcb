"""What a question does not need is not loaded before it is answered."""

import os
import subprocess
import sys
from pathlib import Path

from dalenius.desk.examples.demo import specify

COUNTED = "import atexit, sys; atexit.register(lambda: print(sum(name.startswith('dalenius') for name in sys.modules)))"
VERIFY = "import dalenius as dl; dl.verify(dl.Count(), dl.noiseless(dl.IID(p='0.1', n=1000)), epsilon='0.5')"
CHECK = "from dalenius.cli import main; main()"


def loaded(work: str, *arguments: str) -> int:
    """How many modules of the package a program has loaded when it ends."""
    command = [sys.executable, "-c", f"{COUNTED}; {work}", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "DALENIUS_LEDGER"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return int(done.stdout.split()[-1])


def test_verify_of_a_count_loads_less_than_a_hundred_modules() -> None:
    assert loaded(VERIFY) < 80


def test_a_verdict_loads_a_third_of_the_package(tmp_path: Path) -> None:
    folder = specify(tmp_path / "demo")
    assert loaded(CHECK, "check", str(folder / "release.yaml"), "--quick") < 185
