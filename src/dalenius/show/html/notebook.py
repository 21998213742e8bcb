"""Values as they show themselves in a notebook: the same pictures as on the pages, with their styles at hand.

Everything that comes from a specification or a table is escaped; no script, nothing that is fetched.
"""

from collections.abc import Sequence
from html import escape

from dalenius.plan.alternative import Alternative
from dalenius.show.cells import SIGNS, WORDS, ShownTable, Tells
from dalenius.show.html.style import COLOURS
from dalenius.show.plan import TableAfter

MOST = 200  # rows that are drawn
INKS = {"exact": "pass", "rough": "review", "merged": "fail", "gone": "fail"}
GROUNDS = {
    Tells.NOBODY: ("panel", "quiet"),
    Tells.LITTLE: ("pass-panel", "pass"),
    Tells.SOME: ("pass-panel", "pass"),
    Tells.CLOSE: ("review-panel", "review"),
    Tells.OPEN: ("review-panel", "review"),
    Tells.MUCH: ("fail", "paper"),
}


def decision_fragment(answer: str, verdict: str, goal: str, tables: Sequence[ShownTable]) -> str:
    """The answer, what was wanted, and the table: how much each number tells."""
    parts = [_answer(answer, verdict), f"<p>{escape(goal)}</p>", *map(_table, tables)]
    return f"<div>{''.join(parts)}{_legend(tables)}</div>"


def guarantee_fragment(claim: str, verdict: str, rows: Sequence[tuple[str, str]]) -> str:
    """The claim, and what it rests on."""
    told = "".join(f"<tr>{_cell(name)}{_cell(text)}</tr>" for name, text in rows)
    return f"<div>{_answer(claim, verdict)}<table><tbody>{told}</tbody></table></div>"


def table_fragment(table: ShownTable) -> str:
    """How much each number tells, with what the signs mean."""
    return f"<div>{_table(table)}{_legend([table])}</div>"


def after_fragment(table: TableAfter) -> str:
    """What becomes of each number."""
    return f"<div>{_after(table)}</div>"


def bar_fragment(what: str, done: int, of: int, seconds: int) -> str:
    """How far work is."""
    counted = f" ({done} of {of})" if of > 1 else ""
    bar = f'<progress value="{done}" max="{of}"></progress> ' if of > 1 else ""
    return f"<div>{bar}{escape(what)}{counted}, {seconds} s</div>"


def plan_fragment(
    answer: str, verdict: str, ways: Sequence[Alternative], after: Sequence[Sequence[TableAfter]] = ()
) -> str:
    """The answer, every alternative with what it changes, and the tables after those that are certified."""
    rows = "".join(
        f"<tr>{_cell(f'{place} (the least)' if way.chosen else str(place))}{_cell(way.way)}"
        f"{_cell('; '.join(f'{one.figure}: {one.line}' for one in way.changes[:6]))}"
        f"{_cell('yes' if way.certified else 'no')}{_cell(way.why)}</tr>"
        for place, way in enumerate(ways, 1)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("", "way", "change", "certified", "why"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if ways else ""
    then = "".join(
        f"<details{' open' if way.chosen else ''}><summary>The table after {place} ({escape(way.way)})</summary>"
        f"{''.join(map(_after, tables))}</details>"
        for place, (way, tables) in enumerate(zip(ways, after, strict=False), 1)
        if way.possible
    )
    return f"<div>{_answer(answer, verdict)}{table}{then}</div>"


def page_fragment(page: bytes, title: str) -> str:
    """A whole page in a frame of its own, in which nothing can run."""
    return (
        f'<iframe sandbox="" title="{escape(title)}" width="100%" height="600" style="border:0" '
        f'srcdoc="{escape(page.decode())}"></iframe>'
    )


def _answer(text: str, verdict: str) -> str:
    style = f"color:{COLOURS[verdict]};background:{COLOURS[f'{verdict}-panel']};padding:.6em 1em;font-weight:700"
    return f'<p style="{style}">{escape(text)}</p>'


def _legend(tables: Sequence[ShownTable]) -> str:
    seen = dict.fromkeys(cell.tells for table in tables for _, row in table.rows for cell in row if cell)
    return f"<p>{' &nbsp; '.join(f'{_mark(tells)} {escape(WORDS[tells])}' for tells in seen)}</p>"


def _mark(tells: Tells) -> str:
    ground, ink = GROUNDS[tells]
    style = f"background:{COLOURS[ground]};color:{COLOURS[ink]};padding:.1em .6em;font-weight:700"
    return f'<span style="{style}" title="{escape(WORDS[tells])}">{SIGNS[tells]}</span>'


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text)}</td>'


def _table(table: ShownTable) -> str:
    heads = [*(table.by or ("whom",)), *(figure.name for figure in table.figures)]
    return _grid(heads, [(cell, ["" if one is None else _mark(one.tells) for one in row]) for cell, row in table.rows])


def _after(table: TableAfter) -> str:
    def became(one: tuple[str, str] | None) -> str:
        if one is None:
            return ""
        return f'<span style="color:{COLOURS[INKS[one[0]]]};font-weight:600">{escape(one[1])}</span>'

    rows = [(cell, [became(one) for one in row]) for cell, row in table.rows]
    beside = "".join(f"<p>New: {escape(name)}</p>" for name in table.beside)
    return _grid([*(table.by or ("whom",)), *table.names], rows) + beside


def _grid(heads: Sequence[str], rows: Sequence[tuple[Sequence[object], Sequence[str]]]) -> str:
    """A table: labels are escaped, what stands in the cells is HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>"
        + "".join(_cell(str(label)) for label in cell or ("all",))
        + "".join(f"<td>{one}</td>" for one in row)
        + "</tr>"
        for cell, row in rows[:MOST]
    )
    more = len(rows) - MOST
    left = f"<p>and {more} rows more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"
