"""Charts of a decision, drawn offline as SVG and PNG: the curve, what is known, the prior radius, the noise."""

import math
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from dalenius.basics.errors import InputError, OutputError
from dalenius.basics.inputs import path_of
from dalenius.numerics.bracket import Bracket, at_least, short
from dalenius.plan import Question
from dalenius.plan.margins.traces import Noise, Traces
from dalenius.show.drawing import pictures

FLOOR = 1e-30  # nothing smaller is drawn
TELLING = 1e-6  # of the delta that is wanted: nothing smaller is drawn either
WIDTH, HEIGHT = 440, 280
LINE, TARGET, STATED, LIMIT = "#2a5c8a", "#b3412e", "#555555", "#2e8b57"
POWERS = "format(datum.value, datum.value > 0.002 ? '~g' : '~e')"
Spec: TypeAlias = dict[str, Any]


def tools() -> tuple[ModuleType, ModuleType]:
    """The libraries altair and vl_convert; asked for before any work is done."""
    try:
        import altair as alt
        import vl_convert
    except ImportError as error:
        raise InputError(
            f"Charts need altair and vl-convert-python, but {error.name} is not installed. Install them: "
            "pip install 'dalenius[charts]'."
        ) from None
    return alt, vl_convert


def check_charts(folder: Path) -> None:
    """InputError or OutputError unless charts can be drawn and put into this folder, which is made if need be."""
    tools()
    folder = path_of(folder, error=OutputError)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"Charts go into a folder, but {str(folder)!r} is a file. Name a folder.")
    place = folder if folder.exists() else folder.absolute().parent
    if not place.is_dir():
        raise OutputError(f"Charts go into {str(folder)!r}, but its parent folder is not there. Make it first.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(f"Charts go into a folder that can be written, but {str(place)!r} cannot. Choose another.")


def write_chart(path: Path, chart: Spec) -> list[Path]:
    """One chart as SVG and as PNG, beside each other."""
    tools()
    svg, png = path.with_suffix(".svg"), path.with_suffix(".png")
    drawn = pictures([(chart, "svg"), (chart, "png")])
    try:
        svg.write_bytes(drawn[0])
        png.write_bytes(drawn[1])
    except OSError as error:
        raise OutputError(
            f"The chart could not be written to {str(path)!r}: {error.strerror}. Choose another."
        ) from None
    return [svg, png]


def draw(folder: Path, found: Traces, question: Question, *, limits: Mapping[str, Fraction | None]) -> list[Path]:
    """Write the charts; `limits` says until where the share known ("known") and the radius ("radius") hold."""
    check_charts(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {str(folder)!r} could not be made: {error.strerror}. Choose another.") from None
    written: list[Path] = []
    for name, chart in charts(found, question, limits=limits).items():
        written += write_chart(folder / name, chart) if chart else []
    return written


def charts(found: Traces, question: Question, *, limits: Mapping[str, Fraction | None]) -> dict[str, Spec]:
    """Each chart by its name, as Vega-Lite; nothing where there is nothing to see."""
    n, known = question.frame.size, question.attacker.known
    share = known / n if isinstance(known, int) else float(known)
    target, epsilon = question.target.delta, float(question.target.epsilon)
    at = short(question.target.epsilon)
    made = {
        "delta-by-epsilon": _delta(
            found.curve,
            target,
            x="epsilon: anything may be e to the epsilon times as likely",
            title="How do the two numbers of the promise trade off?",
            marks={"epsilon wanted": (epsilon, STATED)},
        ),
        "delta-by-radius": _delta(
            found.radius,
            target,
            x="every probability of the belief may be off by this much",
            title=f"What if the belief is wrong? (epsilon {at})",
            marks={"holds until": (limits.get("radius"), LIMIT)},
        ),
    }
    if found.known:
        made["delta-by-known"] = _delta(
            found.known,
            target,
            x="share of the records that the attacker knows",
            title=f"What if the attacker knows more? (epsilon {at})",
            marks={"stated": (share, STATED), "holds until": (limits.get("known"), LIMIT)},
            percent=True,
        )
    if any(noise.least for noise in found.noise):
        made["noise-by-people"] = _noise(found.noise, found.noisy, question)
    return made


def _delta(
    line: Sequence[tuple[float, Bracket]],
    target: Fraction,
    *,
    x: str,
    title: str,
    marks: Mapping[str, tuple[float | Fraction | None, str]],
    percent: bool = False,
) -> Spec:
    """A certified δ (upper ends) on a logarithmic scale, with the wanted one and some places marked."""
    alt, _ = tools()
    floor = max(FLOOR, TELLING * float(target))
    above = [place for place, (_, found) in enumerate(line) if found.upper > floor]
    if not above:
        return {}
    seen = line[max(0, above[0] - 1) : above[-1] + 2]  # and where it comes from and goes to, at the floor
    rows = [{"x": at, "δ": min(1.0, max(found.upper, floor))} for at, found in seen]
    least = min([float(row["δ"]) for row in rows] + [float(target) or 1.0])
    low, right = 10.0 ** min(-3, math.floor(math.log10(least))), max(at for at, _ in line)
    axis = (
        alt.X("x:Q", title=x).scale(domain=[0, right], nice=False).axis(format="~%" if percent else "~g", tickCount=6)
    )
    up = (
        alt.Y("δ:Q", title="delta, at most")
        .scale(type="log", domain=[low, 1])
        .axis(labelExpr=POWERS, values=_decades(low), grid=True)
    )
    base = alt.Chart(alt.Data(values=rows)).encode(x=axis, y=up)
    layers = [base.mark_line(color=LINE, strokeWidth=2.5)]
    if target:
        wanted = alt.Chart(
            alt.Data(values=[{"δ": float(target), "what": f"delta wanted: {short(target)}", "x": right}])
        )
        layers.append(wanted.mark_rule(color=TARGET, strokeDash=[5, 3], strokeWidth=1.5).encode(y=up))
        words = wanted.mark_text(color=TARGET, align="right", baseline="bottom", dy=-3, dx=-4, fontSize=12)
        layers.append(words.encode(x=axis, y=up, text="what:N"))
    for place, (name, (where, color)) in enumerate(marks.items()):
        if where is not None and where <= right:
            layers += _mark(alt, name, float(where), color, place, percent=percent)
    return _finished(alt, layers, title)


def _mark(alt: ModuleType, name: str, where: float, color: str, place: int, *, percent: bool) -> list[Any]:
    """A vertical line with its name and its number, at the top."""
    told = f"{name}: {at_least(100 * where)} %" if percent else f"{name}: {at_least(where)}"
    data = alt.Chart(alt.Data(values=[{"x": where, "what": told}])).encode(x="x:Q")
    rule = data.mark_rule(color=color, strokeDash=[2, 2], strokeWidth=1.5)
    words = data.mark_text(color=color, align="left", baseline="top", dx=5, fontSize=12)
    return [rule, words.encode(y=alt.value(6 + 18 * place), text="what:N")]


def _decades(low: float) -> list[float]:
    """Powers of ten for an axis, at most eight of them."""
    last = round(math.log10(low))
    step = max(1, math.ceil(-last / 8))
    return [10.0**power for power in range(0, last - 1, -step)]


def _noise(line: Sequence[Noise], name: str, question: Question) -> Spec:
    """Standard deviations of the least noise, with and without what the attacker does not know."""
    alt, _ = tools()
    kinds = ("with what the attacker does not know", "differential privacy alone")
    rows = [
        {"people": noise.people, "noise": value, "kind": kind}
        for noise in line
        for kind, value in zip(kinds, (noise.least, noise.alone), strict=True)
        if math.isfinite(value)
    ]
    key = alt.Legend(
        orient="bottom", direction="vertical", labelLimit=400, labelFontSize=12, symbolType="stroke", symbolSize=400
    )
    color = alt.Color("kind:N", title=None, legend=key).scale(domain=list(kinds), range=[LINE, TARGET])
    dash = alt.StrokeDash("kind:N", title=None, legend=key).scale(domain=list(kinds), range=[[1, 0], [5, 3]])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("people:Q", title="people in the group").scale(zero=False, nice=False).axis(format=",d", tickCount=6),
        y=alt.Y("noise:Q", title="least noise: standard deviation, in the figure's units").scale(zero=True),
        color=color,
    )
    at, limit = short(question.target.epsilon), short(question.target.delta)
    title = [f"How much noise would {_clipped(name)} need?", f"epsilon {at}, delta {limit}"]
    return _finished(alt, [base.mark_line(strokeWidth=2.5).encode(strokeDash=dash)], title)


def _clipped(name: str, most: int = 40) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _finished(alt: ModuleType, layers: Sequence[Any], title: str | list[str]) -> Spec:
    """Layers as one chart that can be read when it is small."""
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title, background="white", padding=12)
    made: Spec = (
        chart.configure_axis(labelFontSize=12, titleFontSize=13, gridColor="#e4e4e4", titleFontWeight="normal")
        .configure_title(fontSize=15, anchor="start", offset=10)
        .configure_view(stroke=None)
        .to_dict()
    )
    return made
