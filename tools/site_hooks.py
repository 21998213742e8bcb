"""Hooks of the documentation site: pages that live beside `docs/`, links to files of the repository, code as it reads.

Nothing is fetched: what a page links to in the repository is copied into the site, under `source/`.
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from notebooks import as_markdown

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "project/readme.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "checker/README.md": "project/checker.md",
}
HOME = {new: old for old, new in PAGES.items()}
FETCHED = "https://unpkg.com/iframe-worker/shim"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that live elsewhere, and every file of the repository that a page links to."""
    for old, new in PAGES.items():
        if (ROOT / old).exists():
            files.append(File.generated(config, new, content=(ROOT / old).read_text(encoding="utf-8")))
    linked = {
        target
        for file in list(files)
        if file.is_documentation_page()
        for target in _targets(file.content_string, _origin(file.src_uri))
        if target not in PAGES and not target.startswith("docs/") and (ROOT / target).is_file()
    }
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=as_markdown(path)))
    for target in sorted(linked):
        files.append(File.generated(config, f"source/{target}", abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they lead inside the site; examples without what only the tests need."""
    here = page.file.src_uri
    shown = LINK.sub(lambda found: _link(found, here), markdown)
    return _examples(shown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The one script that would be fetched is here."""
    there = posixpath.relpath("assets/iframe-worker.js", posixpath.dirname(page.file.dest_uri) or ".")
    return output.replace(FETCHED, there)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """Also on the page that says that there is none."""
    return output.replace(FETCHED, "assets/iframe-worker.js") if template_name.endswith(".html") else output


def _origin(src_uri: str) -> str:
    """Where a page of the site lives in the repository."""
    return HOME.get(src_uri, f"docs/{src_uri}")


def _target(link: str, origin: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))


def _targets(text: str, origin: str) -> list[str]:
    return [_target(found[2], origin) for found in LINK.finditer(text) if "://" not in found[2]]


def _link(found: re.Match[str], here: str) -> str:
    link, anchor = found[2], found[3] or ""
    if "://" in link or link.startswith("mailto:"):
        return found[0]
    target = _target(link, _origin(here))
    if target in PAGES:
        inside = PAGES[target]
    elif target.startswith("docs/"):
        inside = target.removeprefix("docs/")
    else:
        inside = f"source/{target}"
    return f"{found[1]}{posixpath.relpath(inside, posixpath.dirname(here) or '.')}{anchor}{found[4]}"


def _examples(markdown: str) -> str:
    """Fences of examples in the colours of Python, without directives and marks of blank lines."""
    return BLOCK.sub(_example, markdown)


def _example(found: re.Match[str]) -> str:
    kind, body = found[1], found[2]
    if ">>> " not in body:
        return found[0]
    body = re.sub(r"[ \t]*# doctest: \+\w+$", "", body, flags=re.MULTILINE)
    body = re.sub(r"^<BLANKLINE>$", "", body, flags=re.MULTILINE)
    return f"```{'pycon' if kind in ('', 'python') else kind}\n{body.rstrip()}\n```"
