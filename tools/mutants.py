"""Mutations of the mathematics: `make mutants` makes each in a copy of the tree, and sees that a test fails.

A tail left out, an alias forgotten, one direction only, a wrong shift, a known record too few. What rounding does is no
matter of this table: types carry it, and the kernels of `enclosure/` are compared with ball arithmetic.

The table is `mutants.txt`. A mutation is found by its function and by the form of an expression in it, not by the
letter. Words after the command choose mutations: those whose file or text holds one of them. Each core has a copy of
its own, and a process that has loaded what the tests need but for the engine; the tests of a mutation run in a fork
of it.
"""

import ast
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NoReturn

import flint  # noqa: F401 - loaded here, and so in every fork
import hypothesis.strategies  # noqa: F401
import numpy as np  # noqa: F401
import pytest
import scipy.fft
import scipy.optimize
import scipy.stats  # noqa: F401

HOME = Path(__file__).parent.parent
TABLE = Path(__file__).with_suffix(".txt")
COPIED = ("src", "tests", "conftest.py", "pyproject.toml")
PYTEST = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore:Module already imported")
QUICK = ("-m", "not slow")
RAN, NONE = (0, 1), 5  # pytest's answers: all passed, some failed; there was none
JOBS = int(os.environ.get("JOBS", "2"))
MOMENTS = itertools.count(1_000_000_000)  # times of files that are written, all different
OWN: list[Path] = []  # a worker's copy of the tree


@dataclass(frozen=True)
class Mutation:
    """An expression in a function of one file, what takes its place, and the tests that must notice."""

    file: str
    tests: tuple[str, ...]
    function: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}, {self.function}: {self.old}  ->  {self.new}"


def mutations(table: str) -> Iterator[Mutation]:
    """The entries of the table, in order."""
    file, tests = "", ()
    for line in table.splitlines():
        if line.startswith("@ "):
            file, *rest = line.removeprefix("@ ").split()
            tests = tuple(f"tests/{name}" for name in rest)
        elif line and not line.startswith("#"):
            function, _, change = line.partition(": ")
            old, _, new = change.partition("  ->  ")
            yield Mutation(file, tests, function, old, new)


def places(tree: ast.Module, function: str, old: str) -> list[ast.expr]:
    """Where an expression of this form stands in a function, which is called by its classes and its own name."""
    form = ast.dump(ast.parse(old, mode="eval").body)
    found: list[ast.expr] = []

    def look(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = isinstance(child, ast.FunctionDef | ast.ClassDef)
            below = f"{name}.{child.name}".lstrip(".") if isinstance(child, ast.FunctionDef | ast.ClassDef) else name
            if name == function and isinstance(child, ast.expr) and ast.dump(child) == form:
                found.append(child)
            elif not inner or function.startswith(below):
                look(child, below)

    look(tree, "")
    return found


def mutated(mutation: Mutation, text: str) -> str | None:
    """The file with the mutation; None unless there is exactly one place for it."""
    found = places(ast.parse(text), mutation.function, mutation.old)
    if len(found) != 1:
        return None
    (node,) = found
    lines = text.encode().splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
    whole = text.encode()
    return (whole[:first] + f"({mutation.new})".encode() + whole[last:]).decode()


def misplaced(mutation: Mutation) -> bool:
    """Whether its place is no longer there exactly once."""
    return mutated(mutation, (HOME / "src/dalenius" / mutation.file).read_text(encoding="utf-8")) is None


def failure(tests: tuple[str, ...], tree: Path, profile: str) -> str:
    """The first test of these that fails in the copy; empty if none does. The fast profile leaves out slow tests."""
    words = [*PYTEST, *(QUICK if profile == "fast" else ()), *tests]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        child = os.fork()
        if not child:
            _run(words, tree, profile, said.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        text = said.read()
    if code not in RAN and not (profile == "fast" and code == NONE):
        raise RuntimeError(f"The tests {' '.join(tests)} did not run (code {code}).\n{text}")
    return next((line for line in text.splitlines() if line.startswith("FAILED")), "")


def _run(words: list[str], tree: Path, profile: str, said: int) -> NoReturn:
    """The tests in this process, which ends with them; what it says goes to the file."""
    code = -1
    try:
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(tree)
        os.environ.update({"PYTHONPATH": str(tree / "src"), "HYPOTHESIS_PROFILE": profile, "CI": "1"})
        sys.path.insert(0, str(tree / "src"))
        code = int(pytest.main(words))
        sys.stdout.flush()
    finally:
        os._exit(code)


def write(path: Path, text: str) -> None:
    """With a time of its own: what Python compiled from another text of the same length is not taken for it."""
    path.write_text(text, encoding="utf-8")
    moment = next(MOMENTS)
    os.utime(path, (moment, moment))


def noticed(mutation: Mutation, tree: Path) -> str:
    """Which test fails with the mutation; empty if none does, in the quick tests nor in all of them."""
    path = tree / "src/dalenius" / mutation.file
    before = path.read_text(encoding="utf-8")
    write(path, mutated(mutation, before) or before)
    try:
        return failure(mutation.tests, tree, "fast") or failure(mutation.tests, tree, "thorough")
    finally:
        write(path, before)


def copied(tree: Path) -> None:
    """What the tests need, from the tree to its copy."""
    for name in COPIED:
        if (HOME / name).is_dir():
            shutil.copytree(HOME / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(HOME / name, tree / name)


def judged(mutation: Mutation) -> tuple[Mutation, str]:
    """A mutation, and which test noticed it, in this worker's copy of the tree."""
    return mutation, noticed(mutation, OWN[0])


def begin(folder: str) -> None:
    """A worker's own copy of the tree."""
    tree = Path(folder) / str(os.getpid())
    tree.mkdir()
    copied(tree)
    OWN.append(tree)


def chosen_by(words: list[str]) -> list[Mutation]:
    """Those whose file or text holds one of the words; all, if there is none."""
    entries = mutations(TABLE.read_text(encoding="utf-8"))
    return [entry for entry in entries if not words or any(word in str(entry) for word in words)]


def main(words: list[str]) -> int:
    """Judge the mutations, and say which survived."""
    chosen = chosen_by(words)
    lost = [mutation for mutation in chosen if misplaced(mutation)]
    for mutation in lost:
        print(f"NO PLACE, or several  {mutation}", flush=True)
    if lost:
        return 2
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        whole = Path(folder) / "whole"
        whole.mkdir()
        copied(whole)
        speaking = dict.fromkeys(test for mutation in chosen for test in mutation.tests)
        broken = failure((*speaking, "-n", str(JOBS)), whole, "thorough")
        if broken:
            print(f"Without any mutation: {broken}", flush=True)
            return 2
        with get_context("fork").Pool(JOBS, begin, (folder,)) as workers:
            for mutation, found in workers.imap(judged, chosen):
                survivors += not found
                print(f"{'caught  ' if found else 'SURVIVED'}  {mutation}", flush=True)
                if found and os.environ.get("VERBOSE"):
                    print(f"          {found}", flush=True)
    print(f"{len(chosen)} mutations, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
