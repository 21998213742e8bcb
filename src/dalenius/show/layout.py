"""Lines and tables of text, as wide as the paper."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

WIDTH = 100  # of a file, and of sentences everywhere
NARROWEST = 80
FOLDED = 20  # the least width of the column that is folded first

_columns: ContextVar[int] = ContextVar("columns", default=WIDTH)


@contextmanager
def paper(columns: int) -> Iterator[None]:
    """What is laid out in this context is at most that wide; sentences are never wider than a file."""
    token = _columns.set(max(NARROWEST, columns))
    try:
        yield
    finally:
        _columns.reset(token)


def columns() -> int:
    """How wide sentences are here."""
    return min(WIDTH, _columns.get())


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """A paragraph."""
    return textwrap.TextWrapper(columns(), first, rest, break_long_words=False, break_on_hyphens=False).fill(text)


def item(text: str, mark: str = "- ") -> str:
    """A line of a list."""
    return wrapped(text, f"  {mark}", " " * (2 + max(2, len(mark))))


def laid_out(line: str) -> str:
    """A line of a list if it looks like one, otherwise a paragraph."""
    return item(line.removeprefix("  - ")) if line.startswith("  - ") else wrapped(line)


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), fold: int = 0, rule: bool = True) -> list[str]:
    """Columns two spaces apart, the first row above a rule. Those at `right` are flush right. Where the paper is too
    narrow, what stands in the column `fold` goes on in the next line; if that is not enough, in other columns, too.

    >>> print(chr(10).join(table([("name", "n"), ("one", "1")], right=[1])))
    name  n
    ----  -
    one   1
    """
    widths = _widths(rows, right, fold)
    lines: list[str] = []
    for place, row in enumerate(rows):
        cells = [
            textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
            if len(text) > width
            else [text]
            for text, width in zip(row, widths, strict=True)
        ]
        for part in range(max(map(len, cells))):
            laid = (
                text.rjust(width) if at in right else text.ljust(width)
                for at, (text, width) in enumerate(
                    (cell[part] if part < len(cell) else "", width) for cell, width in zip(cells, widths, strict=True)
                )
            )
            lines.append("  ".join(laid).rstrip())
        if place == 0 and rule:
            lines.append("  ".join("-" * width for width in widths).rstrip())
    return lines


def _widths(rows: Sequence[Sequence[str]], right: Sequence[int], fold: int) -> list[int]:
    """How wide each column is: what is folded gives way first, then the widest others, to their longest word."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    others = sorted((at for at in range(len(widths)) if at not in right and at != fold), key=lambda at: -widths[at])
    words = [2 + max(len(word) for row in rows for word in (row[at].split() or [""])) for at in range(len(widths))]
    for at, least in [(fold, FOLDED), *((at, words[at]) for at in others), (fold, words[fold])]:
        over = sum(widths) + 2 * (len(widths) - 1) - _columns.get()
        widths[at] = max(min(widths[at], least), widths[at] - max(0, over))
    return widths
