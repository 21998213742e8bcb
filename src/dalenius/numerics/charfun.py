"""Fourier inversion under Esscher tilts: from the cumulant function of a sum to its law, with small relative errors
far into both tails.

The law is tilted exponentially (Esscher) to a ladder of places, about 2.5 standard deviations apart: under the tilt
theta the mean moves there, f(k) = exp(K(theta) - theta k) f_theta(k), and near its own mean f_theta is large, so
that the absolute error of an FFT is a small relative one. Each rung is inverted on a window of about 13 standard
deviations, for which some twenty frequencies carry all the weight. The rungs are cut at their midpoints and put
together.

Certified. Each rung charges: the error of K at each frequency; that frequencies are floats; frequencies left out
(`Cumulant.decay`); aliasing, the mass a window's length away (Chernoff); the FFT. What lies beyond the last rung is in
the tail (Chernoff). Bounds of a rung are rounded to nearest: the kernels that add them up raise the total by a
thousandth (`enclosure/exponents.py`).
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import PreconditionError
from dalenius.enclosure.balls import joined
from dalenius.enclosure.exponents import least_exponential, mass_of, powers_of, scaled_masses, spectrum_of
from dalenius.enclosure.outward import add_up
from dalenius.enclosure.transforms import Complexes, inverse_real
from dalenius.numerics import fourier
from dalenius.numerics.cumulant import Cumulant, Far
from dalenius.numerics.law import Floats, Law

FLOOR = 1e-60  # mass that a ladder may leave out at each end
STRIDE = 2.5  # standard deviations between two rungs
WINDOW = 13.0  # standard deviations in a rung's window
NEGLIGIBLE = 48.0  # frequencies damped by more than exp(-NEGLIGIBLE) are left out
LONGEST = 1 << 24
PUSHES = 13  # evaluations of K at real points a rung
MUCH = 1 << 18  # frequencies times values from which on only the first frequencies are evaluated one by one
NEAR = 24  # as many of them: there the spectrum of a sum of many records is down to e^-60
FOLDED = 1e-17  # tilted mass that a window may fold back before it is made longer


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rung:
    """One tilt of a sum: its characteristic function on a window's grid, and the integers that it answers for."""

    theta: float
    cumulant: float  # K(theta), as computed: any error cancels, since the spectrum is relative to this very number
    centre: int
    length: int
    t: Floats
    spectrum: Complexes  # E exp(it(S - centre)) under the tilt
    spectrum_error: Floats
    decay: float  # the W of `Cumulant.decay`
    truth: float  # what the tilted mass may be, seen from the computed K(theta)
    alias: float  # a bound on the tilted mass that the window's period folds onto [first, last]
    push: float  # the largest tilt, beyond theta, by which the alias was bounded
    first: int
    last: int
    covered: int  # frequencies that were looked at; those beyond len(t) only together
    rest: float  # a bound on Σ |spectrum| over those, of both signs

    def cap(self, less: float) -> Floats:
        """A bound on |spectrum| at the frequencies kept, for a sum that has lost `less` of its decay."""
        return self.truth * np.exp(-2 * max(0.0, self.decay - less) * np.sin(self.t / 2) ** 2)

    def damped(self, less: float) -> float:
        """A bound on Σ |spectrum| over the frequencies left out, of both signs, likewise."""
        if self.rest and less:
            raise PreconditionError("Records are left out of sums of few values only. This is a defect: report it.")
        out = np.arange(self.covered, self.length // 2 + 1) * (math.pi / self.length)
        damped = np.exp(-2 * max(0.0, self.decay - less) * np.sin(out) ** 2)
        return 2 * self.truth * float(damped.sum()) + self.rest

    def inverted(self, factors: Complexes) -> tuple[Floats, float]:
        """The tilted law, times each row of factors in the frequency domain, on [first, last]; and a bound on the
        sum of the rows' errors, without what was left out or folded in.
        """
        weighted = np.zeros((len(factors), self.length // 2 + 1), dtype=complex)
        weighted[:, : len(self.t)] = np.conj(self.spectrum * factors)
        values, rounded = inverse_real(weighted, self.length, len(self.t))
        error = 2 * float((np.abs(factors) * self.spectrum_error).sum()) / self.length
        return values[:, self._where()], error + float(rounded.sum())

    def _where(self) -> NDArray[np.int64]:
        return (np.arange(self.first, self.last + 1) - self.centre) % self.length

    def scale(self) -> tuple[Floats, float]:
        """exp(K(theta) - theta k) for k in [first, last], and its relative error."""
        return powers_of(self.cumulant, self.theta, np.arange(self.first, self.last + 1))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The rungs of a sum, from its lowest values to its highest, and bounds on the mass beyond them."""

    rungs: tuple[Rung, ...]
    below: float
    above: float

    @property
    def start(self) -> int:
        return self.rungs[0].first

    @property
    def stop(self) -> int:
        return self.rungs[-1].last + 1

    def law(self) -> Law:
        """The law of the sum."""
        parts = []
        for rung in self.rungs:
            values, error = rung.inverted(np.ones((1, len(rung.t)), dtype=complex))
            error += rung.damped(0.0) / rung.length + rung.alias
            parts.append(scaled_masses(values[0], error, *rung.scale()))
        return Law.enclosing(self.start, joined(parts), add_up(self.below, self.above))


def ladder(cumulant: Cumulant, floor: float = FLOOR) -> Ladder:
    """The rungs that cover all but `floor` of the mass at each end.

    Cost: about 20 frequencies a rung and 15 rungs, hence 300 evaluations of K, and FFTs of length 13 standard
    deviations.
    """
    places = stations(cumulant, floor)
    firsts, lasts = divided(cumulant, places)
    rungs = [
        _plan(cumulant, place, first, last)
        for place, first, last in zip(places, firsts, lasts, strict=True)
        if first <= last
    ]
    below = 0.0 if firsts[0] <= cumulant.low else beyond(cumulant, rungs[0], firsts[0] - 1)
    above = 0.0 if lasts[-1] >= cumulant.high else beyond(cumulant, rungs[-1], lasts[-1] + 1)
    return Ladder(tuple(_long_enough(cumulant, rungs)), below, above)


def _long_enough(cumulant: Cumulant, windows: list["LatticeWindow"]) -> list[Rung]:
    """The rungs, with longer windows where too much mass is folded back: sums of a few large values have long tails."""
    rungs, longest = _filled(cumulant, windows), min(cumulant.high - cumulant.low + 1, LONGEST)
    short = [i for i, rung in enumerate(rungs) if rung.alias > FOLDED and windows[i].length < longest]
    while short:
        for i in short:
            windows[i] = _sized(windows[i], min(2 * windows[i].length, longest))
        for i, rung in zip(short, _filled(cumulant, [windows[i] for i in short]), strict=True):
            rungs[i] = rung
        short = [i for i in short if rungs[i].alias > FOLDED and windows[i].length < longest]
    return rungs


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rung stands: its tilt, and approximately the mean and standard deviation there (not certified, not
    needed).
    """

    theta: float
    centre: float
    deviation: float


def _place(cumulant: Cumulant, theta: float, deviation: float) -> Place:
    step = 0.02 / deviation
    values = cumulant.at(theta + step * np.array([-1.0, 0.0, 1.0]), np.zeros(3))[0].real
    if not np.isfinite(values).all():
        return Place(theta, math.nan, deviation)
    mean = (values[2] - values[0]) / (2 * step)
    variance = (values[2] - 2 * values[1] + values[0]) / step**2
    return Place(theta, float(np.clip(mean, cumulant.low, cumulant.high)), math.sqrt(max(float(variance), 0.09)))


def divided(cumulant: Cumulant, places: list[Place]) -> tuple[list[int], list[int]]:
    """The integers that each place answers for, from the first to the last: cut at the midpoints."""
    cuts = [math.floor((one.centre + two.centre) / 2) for one, two in pairwise(places)]
    firsts = [max(cumulant.low, math.floor(places[0].centre - 2 * places[0].deviation - 2)), *[cut + 1 for cut in cuts]]
    lasts = [*cuts, min(cumulant.high, math.ceil(places[-1].centre + 2 * places[-1].deviation + 2))]
    return firsts, lasts


def stations(cumulant: Cumulant, floor: float) -> list[Place]:
    """Where the rungs stand."""
    middle = Place(0.0, cumulant.mean, math.sqrt(max(cumulant.variance, 0.09)))
    return [*reversed(_climb(cumulant, middle, -1, floor)), middle, *_climb(cumulant, middle, 1, floor)]


def _climb(cumulant: Cumulant, place: Place, sign: int, floor: float) -> list[Place]:
    """Rungs on one side, until the end of the support is near or the mass beyond is below the floor."""
    found: list[Place] = []
    while len(found) < 200:
        reached = place.centre + sign * 1.5 * place.deviation
        if reached <= cumulant.low or reached >= cumulant.high:
            break
        exponent = cumulant.at(np.array([place.theta]), np.zeros(1))[0].real[0] - place.theta * reached
        if exponent < math.log(floor):
            break
        following = _next(cumulant, place, sign)
        if not math.isfinite(following.centre) or sign * (following.centre - place.centre) < 0.05 * place.deviation:
            break
        place = following
        found.append(place)
    return found


def _next(cumulant: Cumulant, place: Place, sign: int) -> Place:
    """The next rung: one stride on, or less where the mean would run away (rare events)."""
    stride = STRIDE / place.deviation
    following = _place(cumulant, place.theta + sign * stride, place.deviation)
    for _ in range(12):
        moved = abs(following.centre - place.centre)
        if math.isfinite(following.centre) and moved <= 4 * max(place.deviation, 0.5 * following.deviation):
            break
        stride *= 0.6
        following = _place(cumulant, place.theta + sign * stride, place.deviation)
    return following


def beyond(cumulant: Cumulant, rung: "LatticeWindow", k: int) -> float:
    """A bound on the mass at and beyond k, on the side to which the rung is tilted: exp(K(theta) - theta k)."""
    tilts = rung.theta * np.array([0.8, 0.9, 1.0, 1.1])
    values, errors = cumulant.at(tilts, np.zeros(4))
    return least_exponential((values.real, -tilts * k), errors)


@dataclass(frozen=True, slots=True)
class LatticeWindow:
    """A rung before its characteristic function is known."""

    theta: float
    centre: int
    deviation: float
    first: int
    last: int
    length: int
    frequencies: int
    decay: float
    jump: float


def _plan(cumulant: Cumulant, place: Place, first: int, last: int) -> LatticeWindow:
    whole = cumulant.high - cumulant.low + 1
    reach = max(place.centre - first, last - place.centre, 1.0)
    far = max(reach, last - first)  # a window must be longer than what it answers for, or its aliases are inside
    wanted = math.ceil(max(WINDOW * place.deviation, far + 10 * place.deviation) + 24)
    decay = cumulant.decay(place.theta)
    window = LatticeWindow(place.theta, round(place.centre), place.deviation, first, last, 1, 1, decay, cumulant.jump)
    return _sized(window, min(wanted, whole, LONGEST))


def _sized(window: LatticeWindow, wanted: int) -> LatticeWindow:
    length = fourier.next_fast_len(wanted, real=True)
    limit = math.sqrt(NEGLIGIBLE / (2 * window.decay)) if 2 * window.decay > NEGLIGIBLE else 1.0
    frequencies = min(length // 2, math.ceil(2 * math.asin(limit) * length / (2 * math.pi))) + 1
    return replace(window, length=length, frequencies=frequencies)


def _filled(cumulant: Cumulant, windows: list[LatticeWindow]) -> list[Rung]:
    """All evaluations of K in one call: for each rung K(theta), its frequencies, and the Chernoff points for
    aliasing. Where that would be much, only the first frequencies; the others then come by one FFT.
    """
    near = [_near(cumulant, window) for window in windows]
    theta, t = (np.concatenate(part) for part in zip(*map(tilted_points, windows, near), strict=True))
    values, errors = cumulant.at(theta, t)
    rungs, start = [], 0
    for window, count in zip(windows, near, strict=True):
        part = slice(start, start + count + PUSHES)
        rungs.append(_rung(cumulant, window, _whole(cumulant, window, values[part], errors[part])))
        start = part.stop
    return rungs


def _near(cumulant: Cumulant, window: LatticeWindow) -> int:
    """How many frequencies are evaluated one by one."""
    much = window.frequencies * cumulant.terms > MUCH
    return min(NEAR, window.frequencies) if much else window.frequencies


def _whole(cumulant: Cumulant, window: LatticeWindow, values: Complexes, errors: Floats) -> Far:
    """K at the Chernoff points and at all frequencies that matter."""
    near = len(values) - PUSHES
    if near == window.frequencies:
        return Far(values, errors, 0.0)
    far = cumulant.far(window.theta, window.length, near, window.frequencies, float(values[0].real))
    return Far(np.concatenate([values, far.values]), np.concatenate([errors, far.errors]), far.rest)


def tilted_points(window: LatticeWindow, frequencies: int = 0) -> tuple[Floats, Floats]:
    """K is wanted at theta, at tilts beyond it to each side (for aliasing; Gaussian and Poisson tails want different
    ones), and on the grid of frequencies.
    """
    away = (window.length - (window.last - window.first)) / window.deviation**2
    steep = math.log1p(away * window.jump) / window.jump
    sizes = np.array([0.4 * away, 0.7 * away, away, 0.5 * steep, 0.8 * steep, steep])
    grid = 2 * math.pi / window.length * np.arange(frequencies)
    theta = window.theta + np.concatenate([[0.0], sizes, -sizes, np.zeros(frequencies)])
    return theta, np.concatenate([np.zeros(PUSHES), grid])


def _rung(cumulant: Cumulant, window: LatticeWindow, found: Far) -> Rung:
    """The characteristic function φ of S - centre under the tilt, from values of K.

    A frequency t is 2πj/N up to `GRID` units only. What that does to the cumulant function of S - anchor is in the
    errors of K: φ'/φ grows without bound where φ nearly vanishes, which only K can tell. The rest of φ is the turn
    exp(it(anchor - centre)), charged here.
    """
    values, errors = found.values, found.errors
    base, base_error = float(values[0].real), float(errors[0])
    t: Floats = 2 * math.pi / window.length * np.arange(len(values) - PUSHES, dtype=float)
    truth = mass_of(base_error)
    spectrum, error, size = spectrum_of(
        values[PUSHES:], errors[PUSHES:], base, t, window.centre, off=abs(cumulant.anchor - window.centre)
    )
    cap = np.minimum(truth * np.exp(np.minimum(0.0, -2 * window.decay * np.sin(t / 2) ** 2)), size)
    error = np.where(np.isfinite(error), error, cap)
    if 2 * (len(t) - 1) == window.length:
        spectrum[-1] = spectrum[-1].real  # the highest frequency has no mirror image; it is charged twice, harmlessly
    alias = truth * folded(cumulant, window, values[:PUSHES].real, errors[:PUSHES])
    push = float(np.abs(tilted_points(window)[0][:PUSHES] - window.theta).max())
    return Rung(
        window.theta,
        base,
        window.centre,
        window.length,
        t,
        spectrum,
        error,
        window.decay,
        truth,
        alias,
        push,
        window.first,
        window.last,
        window.frequencies,
        2 * found.rest,
    )


def folded(cumulant: Cumulant, window: LatticeWindow, values: Floats, errors: Floats) -> float:
    """The tilted mass a period away from [first, last], with one step to spare for sums that leave a yes/no record
    out.
    """
    total = 0.0
    pushes = tilted_points(window)[0][:PUSHES] - window.theta
    for side, edge, end in (
        (slice(1, 7), window.first + window.length - 1, cumulant.high),
        (slice(7, 13), window.last - window.length + 1, cumulant.low),
    ):
        if (edge > end) if side.start == 1 else (edge < end):
            continue
        terms = (values[side], -values[0], -pushes[side] * edge)
        total += least_exponential(terms, errors[side] + errors[0], beside=abs(window.theta * edge))
    return total
