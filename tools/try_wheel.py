"""Install what `make wheel` made as a user would, on every Python that is here, and run the demo without a network.

    python tools/try_wheel.py dist/

The pinned libraries come from the registry that pip is set up with; the wheel, and the source archive on the first
Python, from the folder alone. What is not to be had here is said. Exit code 1 if anything failed.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
NO_NETWORK = """
import socket, sys
def refuse(*_, **__): raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import dalenius
assert dalenius.__file__.startswith(sys.argv[1]), dalenius.__file__
sys.argv = ["dalenius", *sys.argv[2:]]
from dalenius.cli import main
main()
"""


def python_of(version: str) -> str | None:
    """A program of this version: on the path, or among those of pyenv."""
    named = [
        shutil.which(f"python{version}"),
        *map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ]
    for path in filter(None, named):
        seen = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2], sep='.')"],
            capture_output=True,
            text=True,
            check=False,
        )
        if seen.returncode == 0 and seen.stdout.strip() == version:
            return path
    return None


def tried(python: str, made: Path, home: Path) -> str:
    """Install and run; what went wrong, or nothing."""
    steps = [
        [python, "-m", "venv", str(home)],
        [f"{home}/bin/pip", "install", "-q", "--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt")],
        [f"{home}/bin/pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", str(made)],
        [f"{home}/bin/python", "-c", NO_NETWORK, str(home), "demo", "--output", str(home / "demo")],
        [f"{home}/bin/python", "-c", NO_NETWORK, str(home), "doctor"],
    ]
    if made.suffix == ".gz":
        steps.insert(2, [f"{home}/bin/pip", "install", "-q", "hatchling", "editables"])
    for step in steps:
        run = subprocess.run(step, capture_output=True, text=True, check=False, cwd=home.parent)
        if run.returncode:
            return (run.stdout + run.stderr)[-2000:] or f"{step} ended with {run.returncode}"
    return ""


def main(arguments: list[str]) -> int:
    """Try all."""
    folder = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    wheels, archives = sorted(folder.glob("dalenius-*.whl")), sorted(folder.glob("dalenius-*.tar.gz"))
    if not wheels or not archives:
        raise SystemExit(f"Needed a wheel and a source archive of dalenius in {folder}. Run make wheel first.")
    failed, first = False, True
    for version in PYTHONS:
        python = python_of(version)
        if python is None:
            print(f"Python {version}: not to be had here, not tried")
            continue
        for made in [wheels[-1], archives[-1]] if first else [wheels[-1]]:
            with tempfile.TemporaryDirectory() as home:
                wrong = tried(python, made, Path(home).resolve() / "env")
            print(f"Python {version}, {made.name}: {wrong or 'installs, and runs the demo without a network'}")
            failed |= bool(wrong)
        first = False
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
