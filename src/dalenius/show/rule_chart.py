"""A chart of what thresholds are worth, drawn offline."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from dalenius.basics.errors import InputError, OutputError
from dalenius.basics.inputs import path_of
from dalenius.numerics.bracket import short
from dalenius.plan.rules import Threshold, worth
from dalenius.plan.rules.rule import Zeros
from dalenius.plan.rules.worth import ANYBODY, Attack
from dalenius.show.drawing import pictures

FORMATS = (".svg", ".png")
LADDER = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def chart_tools(path: Path) -> tuple[ModuleType, ModuleType]:
    """The libraries altair and vl_convert, if a chart can be written to this path; asked for before any work is
    done.
    """
    path = path_of(path, error=OutputError)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"A chart is written as .svg or .png, but got {path.name!r}. Name the file rules.svg.")
    if not path.parent.is_dir():
        raise OutputError(f"The chart goes into a folder that exists, but got {str(path.parent)!r}. Make it first.")
    try:
        import altair as alt
        import vl_convert
    except ImportError as error:
        raise InputError(
            f"A chart needs altair and vl-convert-python, but {error.name} is not installed. Install them: "
            "pip install 'dalenius[charts]'."
        ) from None
    return alt, vl_convert


def draw_rules(
    path: Path,
    *,
    epsilons: Sequence[Fraction],
    marked: int,
    zeros: Zeros = "hidden",
    base: int = 1,
    against: Attack = ANYBODY,
) -> None:
    """Write a chart of δ against the threshold, a line for each epsilon; the threshold asked about is marked.

    Needs the extra `charts` (altair and vl-convert-python); nothing is loaded from the network.
    """
    alt, _ = chart_tools(path)
    lowest = base - base // 2 if zeros == "shown" else 1  # below, a count that is shown would be rounded to 0
    wanted = {*(least for least in LADDER if least <= 2.5 * marked), marked, 2 * marked}
    thresholds = sorted(least for least in wanted if least >= lowest)
    rows = []
    for least in thresholds:
        rule = Threshold(least, zeros=zeros, base=base) if least > 1 else Threshold(least, base=base)
        for epsilon in epsilons:
            found = worth(rule, epsilon=epsilon, against=against, close=1e-2)
            rows.append({"threshold": least, "δ": max(found.delta.upper, 1e-30), "ε": short(epsilon)})
    title = f"What hiding small counts is worth (zeros {zeros}{f', rounded to {base}' if base > 1 else ''})"
    chart = _chart(alt, rows, marked, title)
    (picture,) = pictures([(chart, "svg" if path.suffix.lower() == ".svg" else "png")])
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise OutputError(
            f"The chart could not be written to {str(path)!r}: {error.strerror}. Name another file."
        ) from None


def _chart(alt: ModuleType, rows: list[dict[str, object]], marked: int, title: str) -> dict[str, object]:
    """The chart as Vega-Lite."""
    least = min([float(str(row["δ"])) for row in rows], default=1.0)
    span = [10.0 ** min(-3, math.floor(math.log10(least))), 1]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("threshold:Q", title="counts below this are hidden").scale(type="log", nice=False),
        y=alt.Y("δ:Q", title="δ, worst over the unknown size of the cell")
        .scale(type="log", domain=span)
        .axis(format="~e"),
        color=alt.Color("ε:N", title="ε").scale(scheme="viridis"),
    )
    rule = alt.Chart(alt.Data(values=[{"threshold": marked}])).mark_rule(strokeDash=[4, 4], color="gray")
    drawn = base.mark_line() + base.mark_point(filled=True, size=40) + rule.encode(x="threshold:Q")
    found: dict[str, object] = drawn.properties(width=520, height=340, title=f"{title}; dashed: {marked}").to_dict()
    return found
