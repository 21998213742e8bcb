"""Run the notebooks of the documentation and write what their cells show; with --check, only say which differ.

A cell is run as a notebook runs it: what it prints, and what its last expression shows of itself. No server is needed.
"""

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent.parent / "docs" / "notebooks"
SHOWS = (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_"))


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of a fresh run, in an empty folder."""
    book = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        number = 0
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return dict(book)


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    end = tree.body[-1] if tree.body else None
    last = end if isinstance(end, ast.Expr) else None
    tree.body = tree.body[:-1] if last else tree.body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for kind, method in SHOWS:
            if hasattr(value, method):
                data[kind] = _lines(getattr(value, method)())
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def written(book: dict[str, Any]) -> str:
    """The file."""
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def as_markdown(path: Path) -> str:
    """A notebook as a page: text, code, and what the cells show."""
    book = json.loads(path.read_text(encoding="utf-8"))
    parts = []
    for cell in book["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell.get("outputs", ())]
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    for kind, _ in SHOWS:
        if kind in output["data"]:
            shown = re.sub(r"\n\s*\n", "\n", "".join(output["data"][kind]))
            return f'<div class="shown">{shown}</div>'
    return f"```text\n{''.join(output['data']['text/plain'])}\n```"


def main(arguments: list[str]) -> int:
    """Run all of them."""
    os.environ.setdefault("COLUMNS", "100")
    stale = 0
    for path in sorted(HOME.glob("*.ipynb")):
        text = written(executed(path))
        if text != path.read_text(encoding="utf-8"):
            stale = 1
            print(
                f"docs/notebooks/{path.name} {'is out of date: run make docs' if '--check' in arguments else 'written'}"
            )
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    return stale if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
