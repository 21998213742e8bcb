"""Lines for charts: δ against ε, what is known, the prior radius; and the least noise against the number of people."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.numerics.least import least
from dalenius.plan import Progress
from dalenius.plan.margins.case import Setting, knowing, off_by, resized, rising
from dalenius.plan.margins.limits import short_geometric
from dalenius.tables.figures import Figure

STEPS = 24
SIZES = tuple(Fraction(n, 8) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16))
CLOSE = Fraction(102, 100)  # precision of a least scale


@final
@dataclass(frozen=True, slots=True)
class Noise:
    """The least noise for so many people, and what differential privacy alone would need: standard deviations, in the
    figure's own numbers. Infinite: none is enough.
    """

    people: int
    least: float
    alone: float


@final
@dataclass(frozen=True, slots=True)
class Traces:
    """What charts are drawn from. All δ are certified."""

    curve: tuple[tuple[float, Bracket], ...]  # ε, δ
    known: tuple[tuple[float, Bracket], ...]  # share of the records, δ at the target's ε
    radius: tuple[tuple[float, Bracket], ...]  # by which every probability may be off, δ at the target's ε
    noise: tuple[Noise, ...]
    noisy: str  # the figure that noise would be added to; empty if there is none


def traces(
    setting: Setting,
    *,
    known: Fraction | None,
    radius: Fraction | None,
    size: Fraction | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> Traces:
    """Lines around what was stated and, if they are known, past the limits of what may be known, of the radius, and of
    how many times as many people there must be.
    """
    what = "drawing how much each assumption matters"
    progress(what, 0, 4)
    curve = _curve(setting)
    progress(what, 1, 4)
    shares = _known(setting, known)
    progress(what, 2, 4)
    radii = _radius(setting, radius)
    progress(what, 3, 4)
    figure, noise = _noise(setting, size)
    return Traces(curve, shares, radii, noise, figure)


def _curve(setting: Setting) -> tuple[tuple[float, Bracket], ...]:
    case = setting.case()
    met = case.epsilon()
    most = max(2 * float(setting.question.target.epsilon), 1.5 * met if math.isfinite(met) else 0.0, 0.1)
    places = [Fraction(most * step / STEPS).limit_denominator(10**6) for step in range(STEPS + 1)]
    falling = rising([case.delta(at) for at in reversed(places)])
    return tuple((float(at), delta) for at, delta in zip(places, reversed(falling), strict=True))


def _known(setting: Setting, limit: Fraction | None) -> tuple[tuple[float, Bracket], ...]:
    question = setting.question
    n, stated = question.frame.size, question.attacker.known
    share = Fraction(stated, n) if isinstance(stated, int) else Fraction(stated)
    most = min(Fraction(95, 100), max(2 * share, (limit or Fraction(0)) * Fraction(3, 2), Fraction(1, 20)))
    places = [most * step / STEPS for step in range(STEPS + 1)] if n > 1 else []
    known = [min(math.ceil(at * n), n - 1) if isinstance(stated, int) else at for at in places]
    found = rising([setting.case(knowing(question, some)).delta() for some in known])
    return tuple((float(at), delta) for at, delta in zip(places, found, strict=True))


def _radius(setting: Setting, limit: Fraction | None) -> tuple[tuple[float, Bracket], ...]:
    most, steps = 2 * limit if limit else Fraction(1, 10), STEPS // 2
    places = [most * step / steps for step in range(steps + 1)]
    found = rising([setting.case(off_by(setting.question, at)).delta() for at in places])
    return tuple((float(at), delta) for at, delta in zip(places, found, strict=True))


# -- noise -----------------------------------------------------------------------------------------------------------


def _noise(setting: Setting, size: Fraction | None) -> tuple[str, tuple[Noise, ...]]:
    """For the figure of the worst group, if that group is in one figure only and ε is not 0."""
    worst = setting.case(worst=True).atoms[0]
    epsilon = setting.question.target.epsilon
    if len(worst.entries) > 1 or not epsilon:
        return "", ()
    figure = worst.entries[0].figure
    move = setting.case(worst=True).docket.move(figure)
    if not move:
        return "", ()
    enough = Fraction(move) / epsilon
    near = (
        [size * part for part in (Fraction(9, 10), Fraction(97, 100), Fraction(99, 100), Fraction(1))] if size else []
    )
    factors = sorted({*SIZES, *(factor for factor in near if factor < SIZES[-1])})
    found = [_least(setting, figure, factor, enough) for factor in factors]
    return str(worst.entries[0]), tuple(found)


def _least(setting: Setting, figure: Figure, factor: Fraction, enough: Fraction) -> Noise:
    """Two-sided geometric noise: more of it is less of it plus independent noise, so bisection finds the least."""
    case = setting.case(resized(setting.question, factor), worst=True)
    atom, known = case.atoms[0], case.known[0]

    def holds(scale: Fraction | None) -> bool:
        channel = Chain(()) if scale is None else Chain((TwoSidedGeometric(scale),))
        try:
            found = case.docket.single(atom, replace(figure, channel=channel), known, alone=True).delta
        except InputError:
            return False
        return found.certainly_at_most(case.question.target.delta)

    worth = float(figure.unit(setting.question.columns)) / (atom.size if figure.kind == "mean" else 1)
    alone = _deviation(enough) * worth
    if holds(None):
        return Noise(atom.size, 0.0, alone)
    scale = _bisected(holds, enough)
    return Noise(atom.size, _deviation(scale) * worth, alone)


def _bisected(holds: Callable[[Fraction], bool], enough: Fraction) -> Fraction:
    """The least scale, given that `enough` will do (it makes the figure differentially private)."""
    return least(holds, enough / 1000, enough, middle=short_geometric, close=lambda one, two: two <= one * CLOSE)[1]


def _deviation(scale: Fraction) -> float:
    """The standard deviation of two-sided geometric noise, √(2x) / (1 - x) with x = exp(-1 / scale)."""
    x = math.exp(-1 / float(scale))
    return math.sqrt(2 * x) / -math.expm1(-1 / float(scale))
