"""Lines and tables of text, as wide as the paper."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

WIDTH = 100  # of a file, and of sentences everywhere
NARROWEST = 80
FOLDED = 20  # the least width of a column that is folded

_columns: ContextVar[int] = ContextVar("columns", default=WIDTH)


@contextmanager
def paper(columns: int) -> Iterator[None]:
    """What is laid out in this context is at most that wide; sentences are never wider than a file."""
    token = _columns.set(max(NARROWEST, columns))
    try:
        yield
    finally:
        _columns.reset(token)


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """A paragraph."""
    wide = min(WIDTH, _columns.get())
    return textwrap.TextWrapper(wide, first, rest, break_long_words=False, break_on_hyphens=False).fill(text)


def item(text: str, mark: str = "- ") -> str:
    """A line of a list."""
    return wrapped(text, f"  {mark}", " " * (2 + max(2, len(mark))))


def laid_out(line: str) -> str:
    """A line of a list if it looks like one, otherwise a paragraph."""
    return item(line.removeprefix("  - ")) if line.startswith("  - ") else wrapped(line)


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), fold: int = 0, rule: bool = True) -> list[str]:
    """Columns two spaces apart, the first row above a rule. Those at `right` are flush right; where the paper is too
    narrow, what stands in the column `fold` goes on in the next line.

    >>> print(chr(10).join(table([("name", "n"), ("one", "1")], right=[1])))
    name  n
    ----  -
    one   1
    """
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    spare = _columns.get() - sum(widths) - 2 * (len(widths) - 1)
    widths[fold] = max(min(widths[fold], FOLDED), widths[fold] + min(0, spare))
    lines: list[str] = []
    for place, row in enumerate(rows):
        folded = textwrap.wrap(row[fold], widths[fold], subsequent_indent="  ", break_on_hyphens=False) or [""]
        for part in range(len(folded)):
            cells = [folded[part] if at == fold else text if part == 0 else "" for at, text in enumerate(row)]
            laid = (
                text.rjust(width) if at in right else text.ljust(width)
                for at, (text, width) in enumerate(zip(cells, widths, strict=True))
            )
            lines.append("  ".join(laid).rstrip())
        if place == 0 and rule:
            lines.append("  ".join("-" * width for width in widths).rstrip())
    return lines
