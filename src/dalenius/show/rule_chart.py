"""A chart of what thresholds are worth."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from dalenius.basics.errors import InputError, OutputError
from dalenius.basics.inputs import path_of
from dalenius.enclosure.formats import short, upwards
from dalenius.plan.rules import Threshold, worth
from dalenius.plan.rules.rule import Zeros
from dalenius.plan.rules.worth import ANYBODY, Attack
from dalenius.show.chart import Axis, Chart, Line
from dalenius.show.charts import write_chart

FLOOR = 1e-30  # nothing smaller is drawn
LADDER = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def check_chart(path: Path) -> None:
    """InputError or OutputError unless a chart can be written to this path; asked for before any work is done."""
    path = path_of(path, error=OutputError)
    if path.suffix.lower() != ".svg":
        raise InputError(
            f"A chart is written as .svg, which browsers and word processors show, but got {path.name!r}. Name the "
            "file rules.svg."
        )
    if not path.parent.is_dir():
        raise OutputError(f"The chart goes into a folder that exists, but got {str(path.parent)!r}. Make it first.")


def draw_rules(
    path: Path,
    *,
    epsilons: Sequence[Fraction],
    marked: int,
    zeros: Zeros = "hidden",
    base: int = 1,
    against: Attack = ANYBODY,
) -> None:
    """Write a chart of δ against the threshold, a line for each epsilon; the threshold asked about is marked."""
    check_chart(path)
    lowest = base - base // 2 if zeros == "shown" else 1  # below, a count that is shown would be rounded to 0
    wanted = {*(least for least in LADDER if least <= 2.5 * marked), marked, 2 * marked}
    thresholds = sorted(least for least in wanted if least >= lowest)
    rules = [
        Threshold(least, zeros=zeros, base=base) if least > 1 else Threshold(least, base=base) for least in thresholds
    ]
    curves = []
    for epsilon in epsilons:
        found = [worth(rule, epsilon=epsilon, against=against, close=1e-2).delta.upper for rule in rules]
        curves.append(tuple((float(least), max(FLOOR, most)) for least, most in zip(thresholds, found, strict=True)))
    rounded = f", rounded to {base}" if base > 1 else ""
    names = [f"epsilon {short(epsilon)}" for epsilon in epsilons]
    told = "; ".join(
        f"{name}: delta is at most {upwards(dict(curve)[marked])} with the threshold {marked}"
        for name, curve in zip(names, curves, strict=True)
        if marked in thresholds
    )
    chart = Chart(
        f"What hiding small counts is worth (zeros {zeros}{rounded})",
        told,
        Axis("counts below this are hidden"),
        Axis("delta, at most, worst over the unknown size of the cell", log=True),
        tuple(curves),
        marks=(Line(float(marked), f"threshold {marked}"),),
        key=tuple(names),
    )
    write_chart(path, chart)
