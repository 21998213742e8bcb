"""Take each error term out of the engine, one at a time, and see that a test fails: `make mutants`.

The table is `mutants.txt`. Every mutation is made in a copy of the tree, never in the tree itself. Words after the
command choose mutations: those whose file or text holds one of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent.parent
TABLE = Path(__file__).with_suffix(".txt")
COPIED = ("src", "tests", "conftest.py", "pyproject.toml")
PYTEST = ("-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider")
QUICK = ("-m", "not slow")
RAN, NONE = (0, 1), 5  # pytest's answers: all passed, some failed; there was none


@dataclass(frozen=True)
class Mutation:
    """A text of one file, what takes its place, and the tests that must notice."""

    file: str
    tests: tuple[str, ...]
    old: str
    new: str

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}: {old}  ->  {new}"


def mutations(table: str) -> Iterator[Mutation]:
    """The entries of the table, in order."""
    file, tests, old, new = "", (), [], []
    for line in [*table.splitlines(), "@ end"]:
        mark, _, text = line.partition(" ")
        if new and mark in ("-", "@"):
            yield Mutation(file, tests, "\n".join(old), "\n".join(new))
            old, new = [], []
        if mark == "@":
            file, *rest = text.split()
            tests = tuple(f"tests/{name}" for name in rest)
        elif mark in ("-", "+"):
            (old if mark == "-" else new).append(text)


def misplaced(mutation: Mutation) -> bool:
    """Whether the text is no longer in its file exactly once."""
    return (HOME / "src/dalenius" / mutation.file).read_text(encoding="utf-8").count(mutation.old) != 1


def failure(tests: tuple[str, ...], tree: Path, profile: str) -> str:
    """The first test of these that fails in the copy; empty if none does. The fast profile leaves out slow tests."""
    run = subprocess.run(
        [sys.executable, *PYTEST, *(QUICK if profile == "fast" else ()), *tests],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "HYPOTHESIS_PROFILE": profile, "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in RAN and not (profile == "fast" and run.returncode == NONE):
        raise RuntimeError(f"The tests {' '.join(tests)} did not run.\n{run.stdout}{run.stderr}")
    return next((line for line in run.stdout.splitlines() if line.startswith("FAILED")), "")


def noticed(mutation: Mutation, tree: Path) -> str:
    """Which test fails with the mutation; empty if none does, in the quick tests nor in all of them."""
    path = tree / "src/dalenius" / mutation.file
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        return failure(mutation.tests, tree, "fast") or failure(mutation.tests, tree, "thorough")
    finally:
        path.write_text(before, encoding="utf-8")


def copied(tree: Path) -> None:
    """What the tests need, from the tree to its copy."""
    for name in COPIED:
        if (HOME / name).is_dir():
            shutil.copytree(HOME / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(HOME / name, tree / name)


def main(words: list[str]) -> int:
    """Judge the mutations, and say which survived."""
    chosen = [
        mutation
        for mutation in mutations(TABLE.read_text(encoding="utf-8"))
        if not words or any(word in f"{mutation.file} {mutation.old}" for word in words)
    ]
    lost = [mutation for mutation in chosen if misplaced(mutation)]
    for mutation in lost:
        print(f"NOT FOUND exactly once  {mutation}", flush=True)
    if lost:
        return 2
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder)
        copied(tree)
        for tests in dict.fromkeys(mutation.tests for mutation in chosen):
            broken = failure(tests, tree, "thorough")
            if broken:
                print(f"Without any mutation: {broken}", flush=True)
                return 2
        survivors = 0
        for mutation in chosen:
            found = noticed(mutation, tree)
            survivors += not found
            print(f"{'caught  ' if found else 'SURVIVED'}  {mutation}", flush=True)
            if found and os.environ.get("VERBOSE"):
                print(f"          {found}", flush=True)
    print(f"{len(chosen)} mutations, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
