"""Write the generated pages: docs/cli.md from the command line's own help, docs/spec.md from the specification's
models.
"""

import re
import types
import typing
from pathlib import Path

from pydantic import BaseModel
from typer.testing import CliRunner

from dalenius.cli import app
from dalenius.spec.model import SpecModel

HERE = Path(__file__).parent.parent / "docs"


def cli_page() -> str:
    """The help of every command."""
    runner = CliRunner()
    commands = [
        "",
        *sorted(command.name or command.callback.__name__ for command in app.registered_commands if command.callback),
    ]
    parts = ["# Command line\n\nGenerated from the program's own help by `make docs`.\n"]
    for command in commands:
        shown = runner.invoke(
            app, [*command.split(), "--help"], prog_name="dalenius", env={"COLUMNS": "100", "NO_COLOR": "1"}
        ).output
        parts.append(f"## dalenius {command}".rstrip() + f"\n\n```text\n{shown.strip()}\n```\n")
    return "\n".join(parts)


def spec_page() -> str:
    """Every key, with its meaning."""
    parts = [
        "# Specification\n\nGenerated from `dalenius/spec/model.py` by `make docs`. Keys without default are needed.\n"
    ]
    waiting: list[type[BaseModel]] = [SpecModel]
    seen: set[type[BaseModel]] = set()
    while waiting:
        model = waiting.pop(0)
        if model in seen:
            continue
        seen.add(model)
        name = re.sub("Model$", "", model.__name__).lower()
        parts.append(f"## {name}\n\n{' '.join((model.__doc__ or '').split())}\n")
        parts.append("| key | meaning | default |\n|---|---|---|")
        for key, field in model.model_fields.items():
            default = (
                "" if field.is_required() else f"`{field.default!r}`" if field.default not in (None, [], {}) else "none"
            )
            parts.append(f"| `{key}` | {field.description or ''} | {default} |")
            waiting += _models(field.annotation)
        parts.append("")
    return "\n".join(parts)


def _models(annotation: object) -> list[type[BaseModel]]:
    inside = [model for part in typing.get_args(annotation) for model in _models(part)]
    plain = isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias)
    return inside or ([annotation] if plain and issubclass(annotation, BaseModel) else [])


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    return {HERE / "cli.md": cli_page(), HERE / "spec.md": spec_page()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
