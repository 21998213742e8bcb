"""Charts of a decision, drawn offline as SVG and PNG: the curve, what is known, the prior radius, the noise."""

import math
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from dalenius.basics.errors import OutputError
from dalenius.basics.inputs import path_of
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_least, nearly, short, upwards
from dalenius.plan import Question
from dalenius.plan.margins.traces import Noise, Traces
from dalenius.show.chart import Axis, Chart, Line, picture

FLOOR = 1e-30  # nothing smaller is drawn
TELLING = 1e-6  # of the delta that is wanted: nothing smaller is drawn either


def check_charts(folder: Path) -> None:
    """OutputError unless charts can be put into this folder, which is made if need be."""
    folder = path_of(folder, error=OutputError)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"Charts go into a folder, but {str(folder)!r} is a file. Name a folder.")
    place = folder if folder.exists() else folder.absolute().parent
    if not place.is_dir():
        raise OutputError(f"Charts go into {str(folder)!r}, but its parent folder is not there. Make it first.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(f"Charts go into a folder that can be written, but {str(place)!r} cannot. Choose another.")


def write_chart(path: Path, chart: Chart) -> Path:
    """One chart as a file that any browser shows."""
    try:
        path.write_bytes(picture(chart))
    except OSError as error:
        raise OutputError(
            f"The chart could not be written to {str(path)!r}: {error.strerror}. Choose another."
        ) from None
    return path


def draw(folder: Path, found: Traces, question: Question, *, limits: Mapping[str, Fraction | None]) -> list[Path]:
    """Write the charts; `limits` says until where the share known ("known") and the radius ("radius") hold."""
    check_charts(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {str(folder)!r} could not be made: {error.strerror}. Choose another.") from None
    made = charts(found, question, limits=limits)
    return [write_chart(folder / f"{name}.svg", chart) for name, chart in made.items() if chart.points]


def charts(found: Traces, question: Question, *, limits: Mapping[str, Fraction | None]) -> dict[str, Chart]:
    """Each chart by its name; without points where there is nothing to see."""
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
            marks={"epsilon wanted": epsilon},
        ),
        "delta-by-radius": _delta(
            found.radius,
            target,
            x="every probability of the belief may be off by this much",
            title=f"What if the belief is wrong? (epsilon {at})",
            marks={"holds until": limits.get("radius")},
        ),
    }
    if found.known:
        made["delta-by-known"] = _delta(
            found.known,
            target,
            x="share of the records that the attacker knows",
            title=f"What if the attacker knows more? (epsilon {at})",
            marks={"stated": share, "holds until": limits.get("known")},
            unit=" %",
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
    marks: Mapping[str, float | Fraction | None],
    unit: str = "",
) -> Chart:
    """A certified δ (upper ends) on a logarithmic scale, with the wanted one and some places marked. With a unit, which
    is per cent, places are shares.
    """
    floor = max(FLOOR, TELLING * float(target))
    above = [place for place, (_, found) in enumerate(line) if found.upper > floor]
    if not above:
        return Chart(title, f"Delta is at most {upwards(floor)} everywhere.")
    seen = line[max(0, above[0] - 1) : above[-1] + 2]  # and where it comes from and goes to, at the floor
    times, right = 100 if unit else 1, max(at for at, _ in line)
    points = tuple((times * at, min(1.0, max(found.upper, floor))) for at, found in seen)
    (first, most), (last, least) = points[0], points[-1]
    told = (
        f"Delta is at most {upwards(most)} at {nearly(first)}{unit}, and at most {upwards(least)} at "
        f"{nearly(last)}{unit}: {x}."
    )
    wanted = (Line(float(target), f"delta wanted: {short(target)}"),) if target else ()
    shown = {name: at for name, at in marks.items() if at is not None and at <= right}
    places = tuple(
        Line(float(times * at), f"{name}: {at_least(float(times * at))}{unit}") for name, at in shown.items()
    )
    return Chart(title, told, Axis(x, unit=unit), Axis("delta, at most", log=True), (points,), wanted, places)


def _noise(line: Sequence[Noise], name: str, question: Question) -> Chart:
    """Standard deviations of the least noise, with and without what the attacker does not know."""
    at, limit = short(question.target.epsilon), short(question.target.delta)
    kinds = {
        "with what the attacker does not know": [(noise.people, noise.least) for noise in line],
        "differential privacy alone": [(noise.people, noise.alone) for noise in line],
    }
    finite = {kind: tuple((float(x), y) for x, y in some if math.isfinite(y)) for kind, some in kinds.items()}
    drawn = {kind: points for kind, points in finite.items() if points}
    title = f"How much noise would {_clipped(name)} need? (epsilon {at}, delta {limit})"
    told = "; ".join(f"{kind}: at most {upwards(max(y for _, y in some))}" for kind, some in drawn.items())
    return Chart(
        title,
        f"Standard deviation of the least noise, in the figure's units, against the number of people. {told}.",
        Axis("people in the group"),
        Axis("least noise: standard deviation, in the figure's units"),
        tuple(drawn.values()),
        key=tuple(drawn),
    )


def _clipped(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
