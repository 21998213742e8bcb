"""The wheel holds everything that the program needs, and runs without a network."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NO_NETWORK = """
import socket, sys
def refuse(*_, **__): raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import dalenius
assert dalenius.__file__.startswith(sys.argv[1]), dalenius.__file__
sys.argv = ["dalenius", "demo", "--output", sys.argv[2]]
from dalenius.cli import main
main()
"""


@pytest.mark.slow
def test_a_wheel_builds_and_runs_the_demo_without_a_network(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(home), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    command = [sys.executable, "-c", NO_NETWORK, str(home), str(tmp_path / "out")]
    environment = {**os.environ, "PYTHONPATH": str(home)}
    shown = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "YES: these figures may go out" in shown.stdout
    written = {path.name for path in (tmp_path / "out" / "out").iterdir()}
    assert written == {"figures.csv", "certificate.json", "report.txt", "report.html", "results.json", "checksums"}


@pytest.mark.slow
def test_the_checker_has_a_wheel_of_its_own_and_shares_nothing_with_the_package(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT / "checker"),
    ]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "dalenius_checker/groups.py" in names
    assert not any(name.startswith("dalenius/") for name in names)
    for path in (ROOT / "checker" / "src").rglob("*.py"):
        assert "import dalenius\n" not in path.read_text(encoding="utf-8")
        assert "from dalenius " not in path.read_text(encoding="utf-8")
        assert "from dalenius." not in path.read_text(encoding="utf-8")
