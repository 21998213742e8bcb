"""The house: a name has one owner, and the top of the package stays a short list."""

import ast
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import dalenius as dl

HERE = Path(dl.__file__).parent
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_no_class_name_has_two_owners() -> None:
    owners = defaultdict(list)
    for path in sorted(HERE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                owners[node.name].append(str(path.relative_to(HERE)))
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}


def test_the_folders_are_few_enough_to_read_the_pipeline_off_them() -> None:
    folders = [path.name for path in HERE.iterdir() if (path / "__init__.py").exists()]
    assert len(folders) <= 18


def test_about_fifty_names_are_at_the_top() -> None:
    names = [name for name in dl.__all__ if name[0] != "_" and not isinstance(getattr(dl, name), ModuleType)]
    assert len(names) <= 60


def test_what_benchmarks_and_tools_import_is_there() -> None:
    """A class that is renamed is renamed there too."""
    missing = []
    for path in sorted(
        each for folder in ("benchmarks", "tools", "examples") for each in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "dalenius":
                home = import_module(node.module)
                names = [each.name for each in node.names if not hasattr(home, each.name)]
                missing += [f"{path.name}: {node.module}.{name}" for name in names if not is_module(home, name)]
    assert missing == []


def is_module(home: ModuleType, name: str) -> bool:
    """Whether a name is a module that nobody has imported yet."""
    return find_spec(f"{home.__name__}.{name}") is not None


def test_every_word_of_a_figure_has_a_meaning() -> None:
    """A key that the model takes and nobody reads would let a figure out as it is."""
    from dalenius.desk.spec.build import MEANT
    from dalenius.desk.spec.model import FigureModel

    assert set(FigureModel.model_fields) == MEANT
