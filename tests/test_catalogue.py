"""docs/theorems.md tells the truth: each function and each test that it names exists, a test of the row calls the
function, and each row has its columns.
"""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STATUS = {"true", "sharpened", "repaired", "refuted"}


def table_rows():
    lines = (ROOT / "docs/theorems.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and not line.startswith(("|---", "| statement"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rows]


ROWS = table_rows()
THEOREMS = ("3.1", "5.1", "6.1", "6.2", "7.1", "7.2", "7.3", "8.1", "9.1", "10.1", "10.2")


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
@pytest.mark.parametrize("row", [row for row in ROWS if row[3]], ids=lambda row: row[0])
def test_what_a_row_names_is_called_by_a_test_of_the_row(row):
    functions, tests = (re.findall(r"`([^`]+)`", cell) for cell in row[3:])
    said = "\n".join(map(source_of, tests))
    for name in functions:
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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_a_row_names_exists(row):
    statement, status, holds, where, shown = row
    assert statement and holds
    assert status in STATUS
    functions, tests = (re.findall(r"`([^`]+)`", cell) for cell in (where, shown))
    for name in functions:
        assert resolve(name).__doc__, name
    for test in tests:
        path, _, name = test.partition("::")
        assert name in defined_in(path), test
    if functions:
        assert tests, "what is built is shown by a test"
    if not tests:
        assert re.search("not built yet|nothing to build|no claim rests|no function needs", holds), statement


def test_every_statement_is_listed_once_in_its_paper():
    text = (ROOT / "docs/theorems.md").read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        names = re.findall(r"^\| (?!statement)([^|]+?) \|", part, flags=re.MULTILINE)
        assert len(names) == len(set(names)) > 5


@pytest.mark.parametrize(
    ("paper", "statements"),
    {
        "Resistance": ["Claim 3.3(2)", "Thm 2.2 converse", "Lemma 4.1", "Thm 2.4 converse", "Thm A.2", "Thm A.3"],
        "Coupled": [f"Thm {k}" for k in (1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17)] + ["Lemma 1", "Lemma 2"],
        "Fundamentals": ["Prop 2.1", "Alg 2", "Ex 3.4", "Thm 4.1", "Ex 4.3"],
        "Noiseless": [f"Thm {k}" for k in range(1, 7)] + ["Fact 4", "Obs 1"],
        "Pufferfish": [f"Thm {k}" for k in THEOREMS],
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_theorem_of_the_papers_is_listed(paper, statements):
    text = (ROOT / "docs/theorems.md").read_text(encoding="utf-8")
    part = next(part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith(paper))
    names = " ".join(re.findall(r"^\| ([^|]+?) \|", part, flags=re.MULTILINE))
    for statement in statements:
        assert re.search(re.escape(statement) + r"(?!\d)", names), statement
