"""An audit as one page: the answer, what follows and from what, and every table with its hidden cells coloured by how
tightly they are pinned. No script, no network; what comes from a table is escaped.
"""

from collections.abc import Iterator, Sequence
from html import escape

from dalenius.audit.examination import AuditAnswer, Examined
from dalenius.audit.persons import BelievedNumbers
from dalenius.audit.remedy import AuditAdvice
from dalenius.audit.tables import COUNT, UNNAMED, Cell, PublishedTable
from dalenius.show.audit import MEANS, Grip, grid_of, grip_of, sentences, span, told
from dalenius.show.believed import believed_lines
from dalenius.show.html.style import sheet

MOST_DRAWN = 20_000  # cells of a page
CLASSES = {AuditAnswer.NOTHING: "pass", AuditAnswer.FOLLOWS: "fail", AuditAnswer.UNDECIDED: "review"}
PATTERNS = """
.grid{width:auto}.grid td,.grid thead th+th{padding:.3rem .55rem;text-align:right;white-space:nowrap}
.grid tbody th{padding-right:.9rem;min-width:0}
.grip{border-radius:.2rem;border:1.5px solid transparent}
.known{background:var(--fail);color:var(--paper);font-weight:700}
.tight{background:var(--fail-panel);color:var(--fail);font-weight:700;border-color:var(--fail)}
.narrow{background:var(--review-panel);color:var(--review)}
.open{background:var(--pass-panel);color:var(--pass)}
.undecided{background:var(--panel);color:var(--quiet);border:1.5px dashed var(--quiet)}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.5rem 1rem}.legend .grip{padding:.1rem .5rem}
"""


def audit_html(
    examined: Examined,
    notes: Sequence[str],
    advice: AuditAdvice | None,
    *,
    version: str,
    unread: int = 0,
    believed: BelievedNumbers | None = None,
) -> bytes:
    """The whole page, in UTF-8."""
    answer = " ".join(sentences(examined, unread))
    names = " · ".join(table.name for table in examined.tables if not table.earlier)
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>What follows from {escape(names)}</title><style>{sheet()}{PATTERNS}</style></head><body>",
        '<header><p class="over">Audit of tables that are already made</p>',
        f'<h1>What follows from these tables?</h1><p class="names break">{escape(names)}</p>',
        _answer(answer, "review" if unread and examined.answer == AuditAnswer.NOTHING else CLASSES[examined.answer]),
        f"<p>Asked on behalf of {escape(examined.attackers[-1].words)}.</p></header><main>",
        *_tables(examined),
        *_list("What is known all the same", list(told(examined))),
        *_list("With the stated belief", [] if believed is None else _believed(believed, examined)),
        *_list("What would help", [] if advice is None else _advice(advice)),
        *_list("Taken for granted, or left out", list(notes)),
        f"</main><footer><p>Made by dalenius {escape(version)}.</p></footer></body></html>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _answer(text: str, kind: str) -> str:
    """The first word is the answer."""
    first, _, rest = text.partition(": ")
    return f'<div class="answer {kind}"><strong>{escape(first)}.</strong>{escape(rest[:1].upper() + rest[1:])}</div>'


def _advice(advice: AuditAdvice) -> list[str]:
    offered = [f"{remedy.words} Audited again: nothing follows then." for remedy in advice.remedies]
    return [*offered, *advice.failed, *(f"Not tried to the end, the time was up: {each}." for each in advice.untried)]


def _believed(believed: BelievedNumbers, examined: Examined) -> list[str]:
    return [line.removeprefix("  - ") for line in believed_lines(believed, examined.tables)]


def _list(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    items = [f'<li class="break">{escape(line)}</li>' for line in lines]
    return [f"<section><h2>{escape(title)}</h2><ul>", *items, "</ul></section>"]


def _tables(examined: Examined) -> Iterator[str]:
    hiding = [table for table in examined.tables if not table.earlier and any(cell.hidden for cell in table.cells)]
    if not hiding:
        return
    yield "<section><h2>The tables, as they look to whoever works them out</h2>"
    yield "<p>A hidden number is shown by what it can be: 5 is known, 1…9 lies between, 3… has no upper end.</p>"
    yield '<ul class="legend">'
    yield from (f'<li><span class="grip {grip}">{escape(MEANS[grip])}</span></li>' for grip in Grip)
    yield "</ul>"
    left = MOST_DRAWN
    for table in hiding:
        left -= len(table.cells)
        if left < 0:
            yield f'<p class="note">{escape(table.name)} is not drawn: the page would be too long.</p>'
        else:
            yield from _table(table, examined)
    yield "</section>"


def _table(table: PublishedTable, examined: Examined) -> Iterator[str]:
    grid = grid_of(table)
    across = len(table.variables) > 1
    above = f" by {table.variables[-1]}" if across and not UNNAMED.fullmatch(table.variables[-1]) else ""
    beside = ", ".join(filter(None, grid.heads))
    caption = f"{table.name}: {beside}{above}" if beside else f"{table.name}{above}"
    yield f'<div class="scroll"><table class="grid"><caption class="break">{escape(caption)}</caption><thead><tr>'
    yield "".join(f'<th scope="col" class="break">{escape(head)}</th>' for head in grid.heads)
    one = "count" if table.measure == COUNT else table.measure
    heads = [(column or "Total") if across else one for column in grid.columns]
    yield "".join(f'<th scope="col" class="num">{escape(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for side, cells in grid.rows:
        labels = "".join(f'<th scope="row" class="break">{escape(label or "Total")}</th>' for label in side)
        yield f"<tr>{labels}{''.join(_cell(table, cell, examined) for cell in cells)}</tr>"
    yield "</tbody></table></div>"


def _cell(table: PublishedTable, cell: Cell | None, examined: Examined) -> str:
    if cell is None:
        return "<td></td>"
    found = examined.of_cell(table, cell) if cell.hidden else None
    if found is None:
        return f"<td>{escape(cell.words)}</td>"
    grip = grip_of(found, examined.convention.threshold)
    said = escape(f"hidden as {cell.mark}; {MEANS[grip]}")
    return f'<td title="{said}"><span class="grip {grip}">{escape(span(found))}</span></td>'
