"""Line charts as SVG, made by hand: always there, without a library, and with words for those who do not see them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TypeAlias, final

from dalenius.enclosure.formats import tick

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 74, 32, 28, 54
ENOUGH = 8  # ticks of an axis
LETTER, LARGEST = 7.2, 12  # the width of a letter of a name, about; and on a phone, where letters are larger
HEAD, ROW = 36, 22  # the title of a picture that stands by itself, and a line of its key
COLOURS = ("#2a5c8a", "#b3412e", "#2e8b57", "#7a4fa3", "#a36a00", "#555555")  # of several curves
ALONE = """text{font:13px system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;fill:#555}
.title{font-size:16px;font-weight:600;fill:#222}.axis{fill:#222;font-size:14px}.mark{fill:#b3412e;font-weight:600}
.grid{stroke:#e4e4e4}.limit{stroke:#b3412e;stroke-width:1.5;stroke-dasharray:6 4}
.line{fill:none;stroke:#2a5c8a;stroke-width:2.5}.dot{fill:#2a5c8a}"""
NEAR, PARTS = 5, 40  # how far a name stays from the curve, and in how many places of each piece of it that is tried


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """A label, and whether it is logarithmic. `unit` follows each number at a tick."""

    label: str
    log: bool = False
    unit: str = ""


@final
@dataclass(frozen=True, slots=True)
class Line:
    """A level that is drawn across: dashed, with its name."""

    at: float
    name: str


Points: TypeAlias = tuple[tuple[float, float], ...]
Path: TypeAlias = Sequence[tuple[float, float]]  # places on the page
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


@final
@dataclass(frozen=True, slots=True)
class Chart:
    """A line through certified points; `limits` are levels of y, `marks` places on x; `told` says what one sees. With
    several lines each has a name in `key`. Without lines it is words only: there is nothing to see.
    """

    title: str
    told: str
    x: Axis = Axis("")
    y: Axis = Axis("")
    curves: tuple[Points, ...] = ()
    limits: tuple[Line, ...] = ()
    marks: tuple[Line, ...] = ()
    key: tuple[str, ...] = ()

    @property
    def points(self) -> Points:
        """Those of all curves."""
        return tuple(point for curve in self.curves for point in curve)


@final
@dataclass(frozen=True, slots=True)
class _Scale:
    """From numbers to places on the page."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        low, high, at = (math.log10(v) if self.log else v for v in (self.low, self.high, max(value, self.low)))
        return self.start + (at - low) / (high - low) * (self.end - self.start)


def drawn(chart: Chart, name: str) -> str:
    """The chart as an SVG element whose title and description are read aloud."""
    frame = f'class="chart" viewBox="0 0 {WIDTH} {HEIGHT + _key_height(chart)}"'
    return "\n".join([_opened(chart, name, frame), *_parts(chart), "</svg>"])


def picture(chart: Chart) -> bytes:
    """The chart as a file that needs nothing else."""
    height = HEAD + HEIGHT + _key_height(chart)
    size = f'width="{WIDTH}" height="{height}" viewBox="0 {-HEAD} {WIDTH} {height}"'
    parts = [
        _opened(chart, "chart", f'xmlns="http://www.w3.org/2000/svg" {size}'),
        f'<style>{ALONE}</style><rect x="0" y="{-HEAD}" width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text class="title" x="4" y="{18 - HEAD}">{escape(chart.title)}</text>',
        *_parts(chart),
        "</svg>\n",
    ]
    return "\n".join(parts).encode()


def _opened(chart: Chart, name: str, frame: str) -> str:
    return (
        f'<svg role="img" aria-labelledby="{name}-t {name}-d" {frame}>\n'
        f'<title id="{name}-t">{escape(chart.title)}</title><desc id="{name}-d">{escape(chart.told)}</desc>'
    )


def _key_height(chart: Chart) -> int:
    return ROW * len(chart.key)


def _parts(chart: Chart) -> list[str]:
    """Grid, levels, curves and their key."""
    xs = [x for x, _ in chart.points] + [mark.at for mark in chart.marks]
    ys = [y for _, y in chart.points] + [line.at for line in chart.limits]
    x_ticks, y_ticks = ticks(xs, log=chart.x.log), ticks(ys, log=chart.y.log)
    across = _Scale(x_ticks[0], x_ticks[-1], LEFT, WIDTH - RIGHT, chart.x.log)
    up = _Scale(y_ticks[0], y_ticks[-1], HEIGHT - BOTTOM, TOP, chart.y.log)
    places = [[(across(x), up(y)) for x, y in curve] for curve in chart.curves]
    parts = [*_grid(chart, across, up, x_ticks, y_ticks), *_levels(chart, across, up, places)]
    for place, curve in enumerate(places):
        colour = COLOURS[place % len(COLOURS)]
        stroke, fill = (f' style="stroke:{colour}"', f' style="fill:{colour}"') if chart.key else ("", "")
        parts.append(f'<polyline class="line"{stroke} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in curve)}"/>')
        parts += [f'<circle class="dot"{fill} cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in curve]
    for place, name in enumerate(chart.key):
        y, colour = HEIGHT + ROW * place + 6, COLOURS[place % len(COLOURS)]
        parts.append(f'<line class="line" style="stroke:{colour}" x1="{LEFT}" x2="{LEFT + 28}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{LEFT + 36}" y="{y + 4}">{escape(name)}</text>')
    return parts


def _grid(chart: Chart, across: _Scale, up: _Scale, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> list[str]:
    bottom, lines = HEIGHT - BOTTOM, []
    for at in y_ticks:
        y = up(at)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick(at)}{escape(chart.y.unit)}</text>')
    for at in x_ticks:
        x = across(at)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 5}"/>')
        lines.append(
            f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{tick(at)}{escape(chart.x.unit)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(
        f'<text class="axis" x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(chart.x.label)}</text>'
    )
    lines.append(f'<text class="axis" x="4" y="14">{escape(chart.y.label)}</text>')
    return lines


def _levels(chart: Chart, across: _Scale, up: _Scale, curves: Sequence[Path]) -> list[str]:
    """The dashed lines; each name stands where neither a curve nor another name is, if there is such a place."""
    lines: list[str] = []
    marked = [across(mark.at) for mark in chart.marks]
    taken: list[Box] = [(x - 2, TOP, x + 2, HEIGHT - BOTTOM) for x in marked]
    for limit in chart.limits:
        y = up(limit.at)
        lines.append(f'<line class="limit" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        ends = ((WIDTH - RIGHT - 4.0, "end"), (LEFT + 4.0, "start"))
        lines.append(_named(limit.name, [(x, at, end) for x, end in ends for at in (y - 6, y + 16)], curves, taken))
    for mark, x in zip(chart.marks, marked, strict=True):
        lines.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        heights = range(TOP + 12, HEIGHT - BOTTOM - 4, 18)
        places = [(x + gap, float(at), end) for at in heights for gap, end in ((6, "start"), (-6, "end"))]
        lines.append(_named(mark.name, places, curves, taken))
    return lines


def _named(name: str, places: Sequence[tuple[float, float, str]], curves: Sequence[Path], taken: list[Box]) -> str:
    """A name at the first of these places that is free, else at the first on the page; the place is then taken."""

    def box(place: tuple[float, float, str], letter: float = LETTER) -> Box:
        x, y, end = place
        left = x - letter * len(name) if end == "end" else x
        return left, y - 12, left + letter * len(name), y + 4

    def inside(place: tuple[float, float, str]) -> bool:
        left, top, right, bottom = box(place, LARGEST)
        return left >= LEFT and right <= WIDTH and top >= TOP - 8 and bottom <= HEIGHT - BOTTOM

    def free(place: tuple[float, float, str], letter: float) -> bool:
        left, top, right, bottom = box(place, letter)
        apart = all(right < a or left > c or bottom < b or top > d for a, b, c, d in taken)
        return apart and not any(_crosses(curve, box(place, letter)) for curve in curves)

    found = [place for place in places if inside(place)] or places[:1]
    on_both = (place for letter in (LARGEST, LETTER) for place in found if free(place, letter))
    x, y, end = next(on_both, found[0])
    taken.append(box((x, y, end)))
    return f'<text class="mark" x="{x:.1f}" y="{y:.1f}" text-anchor="{end}">{escape(name)}</text>'


def _crosses(curve: Path, box: Box) -> bool:
    """Whether a line through the points comes into the box, or close to it: tried at many places along it."""
    left, top, right, bottom = box
    return any(
        left - NEAR <= x0 + (x1 - x0) * part / PARTS <= right + NEAR
        and top - NEAR <= y0 + (y1 - y0) * part / PARTS <= bottom + NEAR
        for (x0, y0), (x1, y1) in pairwise(curve)
        for part in range(PARTS + 1)
    )


def ticks(values: Sequence[float], *, log: bool) -> list[float]:
    """Round numbers around the values: powers of ten, or steps of 1, 2 or 5.

    >>> ticks([0.0, 2.3], log=False)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    >>> ticks([3e-9, 0.2], log=True)
    [1e-09, 1e-07, 1e-05, 0.001, 0.1, 10.0]
    """
    if log:
        low, high = (math.log10(max(value, 1e-300)) for value in (min(values), max(values)))
        first, last = math.floor(low), math.ceil(high)
        step = max(1, math.ceil((last - first) / (ENOUGH - 1)))
        count = max(1, math.ceil((last - first) / step))
        return [float(f"1e{first + step * place}") for place in range(count + 1)]
    low, high = min(0.0, *values), max(values)
    span = (high - low) or 1.0
    high = low + span
    power = 10 ** math.floor(math.log10(span / 4))
    step = next(size * power for size in (1, 2, 5, 10) if span / (size * power) <= ENOUGH - 2)
    first = math.floor(low / step)
    return [round(step * place, 12) for place in range(first, math.ceil(high / step - 1e-9) + 1)]
