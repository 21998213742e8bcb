"""Gather the fragments of `changelog.d/` into CHANGELOG.md, what touches privacy first, and remove them.

    python tools/gather_changelog.py 2027-01-31 [--show]

The version is the package's. With --show the section is printed, and nothing is changed.
"""

import re
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
IMPACT = "Privacy impact"
HEAD = (
    "# Changelog\n\nWhat changed, for those who use it. Numbers that were wrong, or are tighter now, stand under "
    "*Privacy impact* on top of each version.\n"
)


def parted(name: str, text: str) -> tuple[str, str, str]:
    """The title of a fragment (its first heading, else its name), what it says, and what it says of privacy."""
    first, _, rest = text.strip().partition("\n")
    headed = first.startswith("# ") and IMPACT not in first
    title = first.removeprefix("# ").strip() if headed else name.replace("-", " ").capitalize()
    said, *impact = re.split(rf"^#+ *\*?{IMPACT}\*?.*$\n?", rest if headed else text, flags=re.MULTILINE)
    return title, said.strip(), "\n\n".join(part.strip() for part in impact if part.strip())


def section(version: str, day: str, fragments: Mapping[str, str]) -> str:
    """A version's part of the changelog: impact on privacy of all changes, then the changes by title."""
    found = sorted((parted(name, text) for name, text in fragments.items()), key=lambda part: part[0].lower())
    lines = [f"## {version} ({day})", ""]
    if any(impact for _, _, impact in found):
        lines += [f"### {IMPACT}", ""]
        for title, _, impact in found:
            lines += [f"**{title}.** {impact}", ""] if impact else []
    for title, said, _ in found:
        lines += [f"### {title}", "", said, ""] if said else []
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Show the section, or write it and remove the fragments."""
    show = "--show" in arguments
    days = [argument for argument in arguments if argument != "--show"]
    if len(days) != 1:
        raise SystemExit("Needed the day of the release, such as 2027-01-31, and nothing else but --show.")
    day = date.fromisoformat(days[0]).isoformat()
    sys.path.insert(0, str(ROOT / "src"))
    from dalenius import __version__

    files = sorted(path for path in (ROOT / "changelog.d").glob("*.md") if path.name != "README.md")
    if not files:
        raise SystemExit(
            "Needed a fragment in changelog.d/, but there is none: nothing changed since the last release."
        )
    made = section(__version__, day, {path.stem: path.read_text(encoding="utf-8") for path in files})
    if show:
        print(made)
        return
    path = ROOT / "CHANGELOG.md"
    older = path.read_text(encoding="utf-8").removeprefix(HEAD).strip() if path.exists() else ""
    path.write_text(f"{HEAD}\n{made}\n{older}".rstrip() + "\n", encoding="utf-8")
    for fragment in files:
        fragment.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
