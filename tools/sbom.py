"""What a release consists of: a bill of materials (CycloneDX 1.6, JSON) from the pinned requirements, with licences.

    python tools/sbom.py dist/dalenius.cdx.json

Names, versions and hashes come from requirements/runtime.txt, licences from the installed packages' own metadata. What
lies in the repository but is not ours is listed too: it is in no wheel.
"""

import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)(?:\s*;[^\\]*)?\s*\\?$")
VENDORED = (
    ("axe-core", "tests/web/vendored/axe.min.js", "MPL-2.0", "for the tests of the pages"),
    ("iframe-worker", "docs/assets/iframe-worker.js", "MIT", "for the search of the documentation"),
)


def pinned(text: str) -> list[tuple[str, str, list[str]]]:
    """Name, version and hashes of every pinned package."""
    found: list[tuple[str, str, list[str]]] = []
    for line in text.splitlines():
        if match := PIN.match(line):
            found.append((match[1], match[2], []))
        elif found and (seen := re.search(r"--hash=sha256:([0-9a-f]+)", line)):
            found[-1][2].append(seen[1])
    return found


def licence(name: str) -> str | None:
    """As the package says it: an SPDX expression, or its classifiers; None if it is not installed here."""
    try:
        about: Any = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    stated = about.get("License-Expression")
    classified = [one.rsplit(" :: ", 1)[1] for one in about.get_all("Classifier") or [] if one.startswith("License ::")]
    short = (about.get("License") or "").strip().splitlines()[:1]
    return stated or "; ".join(classified) or (short[0] if short else "not stated")


def bill() -> dict[str, Any]:
    """The document."""
    sys.path.insert(0, str(ROOT / "src"))
    from dalenius import __version__

    parts: list[dict[str, Any]] = []
    for name, version, hashes in pinned((ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")):
        part: dict[str, Any] = {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
        }
        said = licence(name)
        part |= {"licenses": [{"license": {"name": said}}]} if said else {}
        part["properties"] = [{"name": "sha256 of a distribution", "value": one} for one in hashes]
        parts.append(part)
    for name, where, said, use in VENDORED:
        if not (ROOT / where).exists():
            raise SystemExit(f"Needed {name} at {where}, but it is not there. Correct tools/sbom.py.")
        parts.append(
            {
                "type": "file",
                "name": name,
                "scope": "excluded",
                "licenses": [{"license": {"name": said}}],
                "description": f"{where}, {use}; in no wheel",
            }
        )
    about = {"type": "application", "name": "dalenius", "version": __version__}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": about | {"licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": parts,
    }


def main(arguments: list[str]) -> None:
    """Write it."""
    if len(arguments) != 1:
        raise SystemExit("Needed the file to write, such as dist/dalenius.cdx.json.")
    path = Path(arguments[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill(), indent=2) + "\n", encoding="utf-8")
    print(f"Written: {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
