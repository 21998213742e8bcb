"""The house: a name has one owner, and the top of the package stays a short list."""

import ast
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import dalenius as dl

HERE = Path(dl.__file__).parent


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
