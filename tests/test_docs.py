"""The documentation tells the truth: generated pages are current, links lead somewhere, every name is explained."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dalenius

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_generated_pages_are_current() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from make_docs import pages

    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run make docs"


@pytest.mark.parametrize(
    "page",
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))],
)
def test_links_to_files_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_every_public_name_exists_and_says_what_it_is() -> None:
    for name in dalenius.__all__:
        assert (getattr(dalenius, name).__doc__ or "").strip(), name


def test_architecture_lists_every_layer() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    modules = {
        path.stem
        for path in (ROOT / "src/dalenius").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    for module in modules - {"__init__", "__main__"}:
        assert f"`{module}`" in text, f"ARCHITECTURE.md does not name {module}"


def heavy_modules(code: str) -> str:
    heavy = ("pandas", "ibis", "duckdb", "opendp", "fastapi", "pydantic")
    shown = f"import sys; {code}; print([m for m in {heavy} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert heavy_modules("import dalenius") == "[]"


@pytest.mark.slow
def test_using_the_mathematics_loads_no_data_engine() -> None:
    claim = "dl.verify(dl.Count(), dl.noiseless(dl.IID(p=0.5, n=50)), epsilon=1, delta=0.1)"
    assert heavy_modules(f"import dalenius as dl; {claim}") == "[]"
