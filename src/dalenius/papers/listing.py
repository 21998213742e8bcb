"""The catalogue as text and as JSON."""

from collections import Counter
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from dalenius.papers.theorems import Status, Theorem

WIDTH = 100


def listed(entries: Sequence[Theorem], columns: int = WIDTH) -> str:
    """An entry a line, or more where the paper is too narrow, paper by paper, and how many have which status."""
    if not entries:
        return "No statement has both. `dalenius theorems` lists all."
    longest = max(len(entry.key) for entry in entries)
    lines: list[str] = []
    for place, entry in enumerate(entries):
        if place == 0 or entries[place - 1].paper != entry.paper:
            lines += ["", _fill(str(entry.paper), columns)] if lines else [_fill(str(entry.paper), columns)]
        head = f"  {entry.key:<{longest}}  {entry.status:<9}  "
        lines.append(_fill(entry.holds, columns, head, " " * len(head)))
    counts = Counter(entry.status for entry in entries)
    told = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    number = "1 statement" if len(entries) == 1 else f"{len(entries)} statements"
    return "\n".join([*lines, "", _fill(f"{number}: {told}. `dalenius theorems NAME` explains one.", columns)])


def _fill(text: str, columns: int, first: str = "", rest: str = "") -> str:
    return fill(
        text, columns, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def explained(entry: Theorem, columns: int = WIDTH) -> str:
    """A statement, what became of it and why, and its counterexample, run now."""
    rows = [
        ("printed", entry.says),
        ("verdict", f"{entry.status}: {entry.holds}"),
        ("because", entry.sketch),
        ("assumes", "; ".join(entry.assumes)),
        ("refuted by", str(entry.counterexample()) if entry.counterexample else ""),
        ("computed by", ", ".join(f"dalenius.{name}" for name in entry.uses)),
        ("shown by", ", ".join(f"tests/{name}" for name in entry.tests)),
    ]
    head = _fill(f"{entry.key}: {entry.number}. {entry.paper}", columns)
    body = (_fill(text, columns, f"  {name:<13}", " " * 15) for name, text in rows if text)
    return "\n".join([head, *body])


def theorem_json(entry: Theorem, *, run: bool) -> dict[str, Any]:
    """The same for machines; with `run` the counterexample is run."""
    found: dict[str, Any] = {
        "key": entry.key,
        "paper": entry.paper.key,
        "number": entry.number,
        "covers": list(entry.covers),
        "status": str(entry.status),
        "printed": entry.says,
        "holds": entry.holds,
        "because": entry.sketch,
        "assumes": list(entry.assumes),
        "computed_by": [f"dalenius.{name}" for name in entry.uses],
        "shown_by": list(entry.tests),
        "applies": entry.rule is not None,
        "has_counterexample": entry.counterexample is not None,
    }
    if run and entry.counterexample:
        violation = entry.counterexample()
        found["counterexample"] = {
            "promise": violation.promise,
            "worlds": violation.worlds,
            "allowed": [violation.allowed.lower, violation.allowed.upper],
            "found": [violation.found.lower, violation.found.upper],
            "broken": violation.holds,
        }
    return found
