"""What a project owes to those who come to it is there, and says what is so."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import dalenius

ROOT = Path(__file__).parent.parent.parent


def gatherer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gather_changelog", ROOT / "tools" / "gather_changelog.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "page",
    [
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
        *(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "decisions").glob("*.md")),
        *(str(path.relative_to(ROOT)) for path in (ROOT / ".github").rglob("*.md")),
    ],
)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http") and target != "CHANGELOG.md":  # it appears with the first release
            assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "docs" / "decisions").glob("*.md"):
        assert path.name == "README.md" or f"({path.name})" in listed


def test_the_fast_checks_run_what_is_installed_here() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]  # nothing is fetched
    for hook in hooks[0]["hooks"]:
        assert hook["entry"].startswith(".venv/bin/")


def test_the_version_stands_in_one_place() -> None:
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == dalenius.__version__


def test_fragments_are_gathered_with_what_touches_privacy_on_top() -> None:
    gather = gatherer()
    told = {"a": "# Zebras\n\nThey run.\n", "some-apes": "They climb.\n\n## Privacy impact\n\nOne was loose.\n"}
    made = gather.section("1.2.0", "2027-01-31", told)
    parts = ("## 1.2.0 (2027-01-31)", "Privacy impact", "**Some apes.** One was loose.", "They climb.", "They run.")
    order = [made.index(part) for part in parts]
    assert order == sorted(order)


def test_every_fragment_can_be_gathered() -> None:
    gather = gatherer()
    for path in (ROOT / "changelog.d").glob("*.md"):
        if path.name != "README.md":
            title, said, impact = gather.parted(path.stem, path.read_text(encoding="utf-8"))
            assert title, path.name
            assert said or impact, path.name


def test_the_gatherer_says_what_it_needs() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "gather_changelog.py")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "2027-01-31" in run.stderr


def test_the_bill_of_materials_has_every_pinned_library_with_its_licence() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import sbom

    bill = sbom.bill()
    names = {part["name"] for part in bill["components"]}
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==", (ROOT / "requirements" / "runtime.txt").read_text(), re.MULTILINE)
    assert set(pinned) <= names
    unlicensed = [part["name"] for part in bill["components"] if not part.get("licenses")]
    assert set(unlicensed) <= {"colorama", "tzdata"}  # for Windows only
    vendored = {part["description"].split(",")[0] for part in bill["components"] if part["type"] == "file"}
    assert vendored == {"tests/web/vendored/axe.min.js", "docs/assets/iframe-worker.js"}
