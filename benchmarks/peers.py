"""`python -m benchmarks.peers`: counts and sums by 50 groups of a million rows, dalenius beside libraries for noise.

Each peer runs in an environment of its own (.venv-peers-NAME, made on the first run), since their pins conflict. One
that cannot be installed here is reported, not counted. All add noise to the sums; dalenius counts exactly, since who is
in a region is public, and also judges, records, certifies and reports. So this compares what it costs to get figures
out, not what is promised about them.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.data import clock, make, released

ROWS = 1_000_000
HERE = Path(__file__).parent
PEERS = {
    "diffprivlib": ["diffprivlib", "scikit-learn<1.6", "pandas<3", "pyarrow"],
    "opendp": ["opendp[polars]>=0.13", "pyarrow"],
    "pipeline_dp": ["pipeline-dp", "pandas<3", "pyarrow"],
    "tmlt": ["tmlt.analytics", "pandas<3"],
}


def environment(name: str, packages: list[str]) -> Path | None:
    """The Python of the peer's environment; None if it cannot be made."""
    folder = HERE.parent / f".venv-peers-{name}"
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *packages]
        if subprocess.run(install, check=False, capture_output=True, timeout=900).returncode:
            return None
        (folder / ".ready").touch()
    return python


def main() -> None:
    """A line for each library."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        make(path, ROWS)
        clock(lambda: released(path))
        print(f"{'dalenius':14}{min(clock(lambda: released(path))[0] for _ in range(3)):8.3f} s", flush=True)
        for name, packages in PEERS.items():
            python = environment(name, packages)
            if python is None:
                print(f"{name:14}  cannot be installed here", flush=True)
                continue
            script = HERE / "peer_scripts" / f"run_{name}.py"
            done = subprocess.run([python, script, path], check=False, capture_output=True, text=True, timeout=900)
            if done.returncode:
                last = done.stderr.strip().splitlines()[-1:] or ["no message"]
                print(f"{name:14}  fails here: {last[0][:90]}", flush=True)
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            print(f"{name:14}{found['seconds']:8.3f} s   {found.get('note', '')}", flush=True)


if __name__ == "__main__":
    main()
