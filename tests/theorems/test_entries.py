"""The catalogue tells the truth: what an entry names exists, and its tests call its functions."""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

from dalenius.claims.implications import IMPOSSIBLE, STEPS
from dalenius.papers.theorems import Status, catalogue

ROOT = Path(__file__).parents[2]
ENTRIES = catalogue()


@functools.cache
def defined_in(path):
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@functools.cache
def parts_of(path):
    """The source of each function and constant of a test file, and of those that it takes from other test files."""
    text = (ROOT / "tests" / path).read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            other = f"{node.module.replace('.', '/')}.py"
            if (ROOT / "tests" / other).is_file():
                found |= {name.asname or name.name: parts_of(other).get(name.name, "") for name in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            pieces = [*node.decorator_list, node]
            found[node.name] = "\n".join(ast.get_source_segment(text, piece) for piece in pieces)
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found |= dict.fromkeys(names, ast.get_source_segment(text, node))
    return found


def source_of(test):
    """What a test says, with the helpers that it uses, and those that they use."""
    path, _, name = test.partition("::")
    parts, seen, todo = parts_of(path), set(), [name]
    while todo:
        if (one := todo.pop()) not in seen:
            seen.add(one)
            todo += [word for word in re.findall(r"\w+", parts[one]) if word in parts]
    return "\n".join(parts[one] for one in seen)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.uses], ids=lambda entry: entry.key)
def test_what_an_entry_names_is_called_by_one_of_its_tests(entry):
    said = "\n".join(map(source_of, entry.tests))
    for name in entry.uses:
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", said), name


def resolve(name):
    """The object of a dotted name below `dalenius`."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["dalenius", *parts[:cut]]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[cut:], found)
    raise AssertionError(name)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_what_an_entry_names_exists(entry):
    for name in entry.uses:
        assert resolve(name).__doc__, name
    for test in entry.tests:
        path, _, name = test.partition("::")
        assert name in defined_in(path), test
    if entry.uses:
        assert entry.tests, "what is built is shown by a test"


def test_each_edge_of_the_graph_is_a_theorem_that_holds():
    entries = {entry.key: entry for entry in ENTRIES}
    for step in STEPS:
        assert entries[step.theorem].status is not Status.REFUTED
        assert entries[step.theorem].rule is not None, step
    for key in IMPOSSIBLE.values():
        assert key in entries
