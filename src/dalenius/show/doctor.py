"""What is installed and what would be used, as lines."""

from collections.abc import Sequence
from typing import Protocol

from dalenius.show.layout import table, wrapped


class Looked(Protocol):
    """One thing that was looked at."""

    @property
    def what(self) -> str: ...
    @property
    def found(self) -> str: ...
    @property
    def state(self) -> str: ...


MARKS = {"ok": "", "missing": "-", "broken": "!"}


def examination(items: Sequence[Looked]) -> str:
    """A table; a mark at what is missing or broken; and what follows."""
    rows = [("", "what", "found"), *((MARKS[item.state], item.what, item.found) for item in items)]
    broken = [item.what for item in items if item.state == "broken"]
    missing = [item.what for item in items if item.state == "missing"]
    said = f"Broken: {', '.join(broken)}. Mend that first." if broken else "All that is needed is there."
    said += f" Not there, and only needed for what it is for: {', '.join(missing)}." if missing else ""
    return "\n".join([*table(rows, fold=2), "", wrapped(said)])
