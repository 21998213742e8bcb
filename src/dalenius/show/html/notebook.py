"""Values as they show themselves in a notebook: the same pictures as on the pages, with their styles at hand.

Everything that comes from a specification or a table is escaped; no script, nothing that is fetched.
"""

from collections.abc import Sequence
from html import escape

from dalenius.plan.alternative import Alternative
from dalenius.show.cells import SIGNS, WORDS, ShownTable, Tells
from dalenius.show.html.style import COLOURS

MOST = 200  # rows that are drawn
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
    seen = dict.fromkeys(cell.tells for table in tables for _, row in table.rows for cell in row if cell)
    legend = " &nbsp; ".join(f"{_mark(tells)} {escape(WORDS[tells])}" for tells in seen)
    return f"<div>{''.join(parts)}<p>{legend}</p></div>"


def plan_fragment(answer: str, verdict: str, ways: Sequence[Alternative]) -> str:
    """The answer, and every alternative with what it changes."""
    rows = "".join(
        f"<tr>{_cell(f'{place} (the least)' if way.chosen else str(place))}{_cell(way.way)}"
        f"{_cell('; '.join(f'{one.figure}: {one.line}' for one in way.changes[:6]))}"
        f"{_cell('yes' if way.certified else 'no')}{_cell(way.why)}</tr>"
        for place, way in enumerate(ways, 1)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("", "way", "change", "certified", "why"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if ways else ""
    return f"<div>{_answer(answer, verdict)}{table}</div>"


def page_fragment(page: bytes, title: str) -> str:
    """A whole page in a frame of its own, in which nothing can run."""
    return (
        f'<iframe sandbox="" title="{escape(title)}" width="100%" height="600" style="border:0" '
        f'srcdoc="{escape(page.decode())}"></iframe>'
    )


def _answer(text: str, verdict: str) -> str:
    style = f"color:{COLOURS[verdict]};background:{COLOURS[f'{verdict}-panel']};padding:.6em 1em;font-weight:700"
    return f'<p style="{style}">{escape(text)}</p>'


def _mark(tells: Tells) -> str:
    ground, ink = GROUNDS[tells]
    style = f"background:{COLOURS[ground]};color:{COLOURS[ink]};padding:.1em .6em;font-weight:700"
    return f'<span style="{style}" title="{escape(WORDS[tells])}">{SIGNS[tells]}</span>'


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text)}</td>'


def _table(table: ShownTable) -> str:
    heads = [*(table.by or ("whom",)), *(figure.name for figure in table.figures)]
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    rows = "".join(
        "<tr>"
        + "".join(_cell(str(label)) for label in cell or ("all",))
        + "".join(f"<td>{'' if one is None else _mark(one.tells)}</td>" for one in row)
        + "</tr>"
        for cell, row in table.rows[:MOST]
    )
    more = len(table.rows) - MOST
    left = f"<p>and {more} rows more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{left}"
