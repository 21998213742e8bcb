"""The documentation as a site: it builds without a network, no link is broken, nothing is fetched, all code is run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
NO_NETWORK = """
import socket, sys
def refuse(*_, **__): raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
sys.argv = ["mkdocs", "build", "--strict", "--quiet", "--site-dir", sys.argv[1]]
from mkdocs.__main__ import cli
cli()
"""
# Blocks of these kinds are no code that could be run, or are checked by a test of their own.
CHECKED = {
    "docs/cli.md": "generated from the program",
    "docs/spec.md": "each example is validated when the page is made",
    "docs/tables-file.md": "each example is validated when the page is made",
    "docs/released.md": "each is released by tests/releasable",
    "docs/tutorial.md": "run by tests/test_tutorial.py",
    "docs/start/data-teams.md": "validated below",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, str(folder)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.mark.slow
def test_it_builds_without_a_network_and_fetches_nothing(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|iframe|link)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', text)
        assert not [each for each in fetched if 'rel="canonical"' not in each], page.name


@pytest.mark.slow
def test_it_can_be_searched_from_a_folder(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {
        entry["location"].split("#")[0] for entry in index["docs"] if "γ" in entry["text"] or "delta" in entry["text"]
    }
    assert "certificate.html" in found
    assert (site / "assets" / "iframe-worker.js").exists()
    assert "var __index" in (site / "search" / "search_index.js").read_text(encoding="utf-8")[:200]


def test_every_page_is_in_the_menu() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        assert str(path.relative_to(ROOT / "docs")) in listed, path
    for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        assert f"notebooks/{path.stem}.md" in listed


def test_every_block_of_code_is_run_or_checked() -> None:
    for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        name = str(path.relative_to(ROOT))
        if name.startswith("docs/api/") or name in CHECKED:
            continue
        for kind, body in FENCE.findall(path.read_text(encoding="utf-8")):
            if kind in ("", "python", "yaml") and ">>> " not in body:
                assert _is_no_code(kind, body), f"{name}: {body[:80]!r} is not run by any test"


def _is_no_code(kind: str, body: str) -> bool:
    """Commands to type, and shapes of files, which other tests try."""
    if kind == "python":  # needs a library that is not installed here; tests/audit/test_acro.py attaches to a stand-in
        return body.startswith("import acro, dalenius.desk.acro\n")
    if kind == "yaml":
        return bool(yaml.safe_load(body))
    return kind == "" and all(line.startswith(("make ", "dalenius ", "pip ", "#", " ")) for line in body.splitlines())


def test_the_specification_of_the_page_for_data_teams_is_one() -> None:
    from dalenius.desk.spec.model import SpecModel

    text = (ROOT / "docs" / "start" / "data-teams.md").read_text(encoding="utf-8")
    ((_, body),) = [found for found in FENCE.findall(text) if found[0] == "yaml"]
    whole = {
        "person": "person",
        "public": {"region": ["north", "south"]},
        "confidential": {"days": {"bounds": [0, 30]}},
        "beliefs": {"days": {"probabilities": {0: "1/2", 30: "1/2"}, "source": "a guess"}},
        "attacker": {"knows": 0, "source": "an example"},
        "target": {"epsilon": "0.5", "delta": "1e-6"},
    }
    assert SpecModel.model_validate(whole | yaml.safe_load(body)).figures


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_show_what_they_compute(path: Path) -> None:
    from notebooks import executed, written

    assert written(executed(path)) == path.read_text(encoding="utf-8"), "out of date: run make docs"


def test_every_public_name_has_an_example() -> None:
    import inspect

    from api_pages import public_names

    missing = [name for name, thing in public_names() if ">>> " not in (inspect.getdoc(thing) or "")]
    assert not missing, "an example in the docstring is wanted for each"
