"""What somebody believes of one person, as a picture: before, after the figures without the person's record, and after
the figures with it. SVG, made by hand, without scripts, and with words for those who do not see it.
"""

from collections.abc import Sequence
from html import escape
from typing import TypeAlias

from dalenius.enclosure.formats import nearly

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 640, 16, 24, 46, 8, 30
INK, QUIET, RULE, WITH, WITHOUT = "#1c1f24", "#4a5058", "#b8bec6", "#1f4e79", "#6b3f00"

Seen: TypeAlias = tuple[str, float, tuple[float, float], tuple[float, float]]  # a fact; before; without; with


def view_svg(rows: Sequence[Seen], told: str) -> str:
    """One line a fact, from 0 to 100 per cent: a dot for what was believed before, a thin bar (or a stroke) for what
    the figures without the record make of it, a thick pale one for those with it.
    """
    height = TOP + ROW * len(rows) + BOTTOM
    begin = (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        'aria-labelledby="views-t views-d" style="max-width:100%;height:auto" '
        f'font-family="system-ui,sans-serif" font-size="13"><title id="views-t">{escape(told)}</title>'
        f'<desc id="views-d">{escape("; ".join(map(_words, rows)))}.</desc>'
    )
    parts = [begin]
    for place, (fact, before, without, held) in enumerate(rows):
        parts += _row(TOP + ROW * place, fact, before, without, held)
    foot = TOP + ROW * len(rows)
    for share in range(0, 101, 25):
        parts.append(
            f'<text x="{_at(share / 100):.1f}" y="{foot + 18}" text-anchor="middle" fill="{QUIET}">{share} %</text>'
        )
    return "".join([*parts, "</svg>"])


def _words(row: Seen) -> str:
    """A line of the picture for those who do not see it."""
    fact, before, without, held = row
    ends = (f"{nearly(100 * low)} to {nearly(100 * high)} %" for low, high in (without, held))
    return f"{fact}: {nearly(100 * before)} % before, {' without the record, '.join(ends)} with it"


def _row(top: int, fact: str, before: float, without: tuple[float, float], held: tuple[float, float]) -> list[str]:
    middle = top + 32
    return [
        f'<text x="{LEFT}" y="{top + 14}" fill="{INK}">{escape(fact)}</text>',
        f'<line x1="{_at(0):.1f}" y1="{middle}" x2="{_at(1):.1f}" y2="{middle}" stroke="{RULE}"/>',
        _bar(held, middle, 14, WITH, "0.35"),
        _bar(without, middle, 6, WITHOUT, "1"),
        f'<circle cx="{_at(before):.1f}" cy="{middle}" r="4" fill="{INK}"/>',
    ]


def _bar(ends: tuple[float, float], middle: int, thick: int, colour: str, opacity: str) -> str:
    low, high = _at(ends[0]), _at(ends[1])
    wide = max(high - low, 2.0)
    return (
        f'<rect x="{low:.1f}" y="{middle - thick / 2}" width="{wide:.1f}" height="{thick}" fill="{colour}" '
        f'fill-opacity="{opacity}"/>'
    )


def _at(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)
