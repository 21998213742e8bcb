"""Tilted laws as trigonometric polynomials: sums of records of wide ranges, as a few smooth functions.

A rung, tilted by theta, inverts the characteristic function on a window of `length` integers, far too many to list.
But only some twenty frequencies matter, so on the integers the tilted law is a trigonometric polynomial of low degree,
up to a stated error: it is evaluated where it is wanted, and its derivatives are bounded. Cost: the number of runs
times some thirty frequencies a rung, whatever the number of values and of records.

With a hidden lattice (`resonance`) the law is p = u + v, where u is the part in which all records are on the lattice: u
is q times a smooth function there and 0 elsewhere, and v is smooth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.exponents import mass_of, powers_of, scaled_errors, spectrum_of
from dalenius.enclosure.outward import add_up, amply_up, bounds_up, times_up
from dalenius.enclosure.transforms import Complexes, evaluation_error, frequency_error
from dalenius.numerics import fourier
from dalenius.numerics.charfun import PUSHES, LatticeWindow, Place, beyond, divided, folded, stations, tilted_points
from dalenius.numerics.law import Floats
from dalenius.numerics.resonance import ResonantLattice, Spare, spare
from dalenius.numerics.runs import Runs, RunSum

FLOOR = 1e-45  # mass that is left out at each end
WINDOW = 13.0  # standard deviations in a rung's window
DAMPED = 50.0  # frequencies are kept as long as a normal law would have more than exp(-DAMPED)
FOLDED = 1e-16  # tilted mass that a window may fold back before it is made longer
LEFT = 1e-15  # of the spectrum, that may be left out before more frequencies are kept
MOST = 400  # frequencies that are kept
PROBES, FURTHEST = 1.1, 12.0  # of frequencies beyond that: their ratio, and how far
COARSE, FINE = 100, 600  # cells a standard deviation


@final
@dataclass(frozen=True, slots=True, eq=False)
class Smooth:
    """A function and bounds on it, at the two ends of each of many cells: one entry a cell."""

    left: Floats
    right: Floats
    left_error: Floats  # by how much the law at integers may differ there
    right_error: Floats
    bend: Floats  # (cell)²/8 times a bound on the second derivative: what a chord may miss

    def times(self, factor: float) -> "Smooth":
        left = Balls.within(self.left, self.left_error) * factor
        right = Balls.within(self.right, self.right_error) * factor
        return Smooth(left.middle, right.middle, left.radius, right.radius, times_up(self.bend, factor))


@final
@dataclass(frozen=True, slots=True, eq=False)
class WideRung:
    """One tilt: the spectra of v and of u on the frequencies kept, and what they leave out."""

    theta: float
    cumulant: float
    centre: int
    length: int  # a multiple of the cell
    cell: int
    spectra: tuple[Complexes, Complexes]  # of v and u, relative to exp(cumulant), turned to the centre
    errors: tuple[float, float]  # of the tilted v and u (on the lattice: of u/q) at integers

    @property
    def t(self) -> Floats:
        return np.asarray(2 * math.pi / self.length * np.arange(len(self.spectra[0])))

    def bound(self, part: int, order: int) -> float:
        """On the derivative of this order of the tilted function, everywhere."""
        sizes = np.abs(self.spectra[part]) * self.t**order
        return amply_up(float(sizes[0] * (order == 0) + 2 * sizes[1:].sum()) / self.length)

    def values(self, start: int, count: int, part: int) -> tuple[Floats, Floats]:
        """The tilted function and its derivative at start, start + cell, and so on: Re Σ spectrum · exp(-ity), by an
        FFT over one window.
        """
        size = self.length // self.cell
        turns = (start - self.centre) % self.length * np.arange(len(self.t)) % self.length
        turned = self.spectra[part] * np.exp(-2j * math.pi / self.length * turns)
        table = np.zeros((2, size // 2 + 1), dtype=complex)
        table[:, : len(self.t)] = np.conj([turned, -1j * self.t * turned])
        found = fourier.irfft(table, size, axis=1) / self.cell
        value, slope = found[:, np.arange(count) % size]
        return value, slope

    def slip(self, part: int, order: int) -> float:
        """A bound on the error of `values`: of the turns, and of the FFT relative to its Euclidean norm."""
        size = self.length // self.cell
        norm = math.sqrt(2 * float((np.abs(self.spectra[part]) ** 2 * self.t ** (2 * order)).sum()) / size) / self.cell
        return evaluation_error(size, norm, self.bound(part, order))

    def error(self, part: int) -> float:
        """Of the function as computed, at integers: frequencies left out, aliases, the spectrum, this evaluation."""
        return self.errors[part] + self.slip(part, 0)

    def scale(self, x: NDArray[np.int64]) -> tuple[Floats, float]:
        """exp(K(theta) - theta x), and its relative error."""
        return powers_of(self.cumulant, self.theta, x)


@final
@dataclass(frozen=True, slots=True, eq=False)
class WideLaw:
    """The law of a sum, from its lowest to its highest rung, in cells of `cell` integers that begin on the lattice."""

    rungs: tuple[WideRung, ...]
    start: int  # of the first cell
    cells: int
    cell: int
    owners: NDArray[np.int64]  # the rung of each cell
    tail: float
    lattice: ResonantLattice | None

    @property
    def q(self) -> int:
        return self.lattice.q if self.lattice else 1

    def nodes(self) -> NDArray[np.int64]:
        """Where cells begin."""
        return np.asarray(self.start + self.cell * np.arange(self.cells, dtype=np.int64))

    def owner(self, x: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rung that answers for a cell that begins at x; -1 outside."""
        middle = x + self.cell // 2
        place = (middle - self.start) // self.cell
        inside = (x >= self.start) & (x + self.cell <= self.start + self.cells * self.cell)
        return np.asarray(np.where(inside, self.owners[np.clip(place, 0, self.cells - 1)], -1))

    def at(self, shift: int, part: int) -> Smooth:
        """V (part 0) or u/q (part 1) at both ends of each cell, moved up by `shift`; 0 beyond the rungs."""
        x = self.nodes() - shift
        owner = self.owner(x)
        found = np.zeros((5, self.cells))
        for which in np.unique(owner[owner >= 0]).tolist():
            mine = np.flatnonzero(owner == which)
            found[:, mine] = self._within(self.rungs[which], x[mine], part)
        return Smooth(*found)

    def _within(self, rung: WideRung, x: NDArray[np.int64], part: int) -> Floats:
        """The same for neighbouring cells of one rung."""
        ends = np.append(x, x[-1] + self.cell)
        value, _ = rung.values(int(x[0]), len(ends), part)
        scale, relative = rung.scale(ends)
        value = value * scale
        error = amply_up(scaled_errors(value[None], rung.error(part), scale, relative))
        curved = rung.bound(part, 2) + 2 * abs(rung.theta) * rung.bound(part, 1) + rung.theta**2 * rung.bound(part, 0)
        bend = amply_up(self.cell**2 / 8 * curved * np.maximum(scale[:-1], scale[1:]) * (1 + relative))
        return np.array([value[:-1], value[1:], error[:-1], error[1:], bend])

    def slopes(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether v certainly rises, or certainly falls, throughout each cell."""
        x, rises, falls = self.nodes(), np.zeros(self.cells, dtype=bool), np.zeros(self.cells, dtype=bool)
        for which, rung in enumerate(self.rungs):
            mine = np.flatnonzero(self.owners == which)
            if not len(mine):
                continue
            found = rung.values(int(x[mine[0]]), len(mine) + 1, 0)
            value, slope = (Balls.within(numbers, rung.slip(0, order)) for order, numbers in enumerate(found))
            steep = slope - value * rung.theta
            slack = amply_up(self.cell**2 / 8 * (rung.bound(0, 3) + abs(rung.theta) * rung.bound(0, 2)))
            low, high = steep.lower, steep.upper
            rises[mine] = np.minimum(low[:-1], low[1:]) >= slack
            falls[mine] = np.maximum(high[:-1], high[1:]) <= -slack
        return rises, falls


def wide_law(
    types: Sequence[Runs],
    weights: Sequence[Sequence[Fraction]],
    counts: Sequence[int],
    lattice: ResonantLattice | None,
    *,
    fine: int = FINE,
    floor: float = FLOOR,
) -> WideLaw | None:
    """The law of the sum of counts[t] > 0 records of each type, all but `floor` of it at each end; None where too many
    frequencies matter. `fine` cells are a standard deviation.
    """
    if not sum(counts):
        return None
    total, part = RunSum.of(types, counts), None
    if lattice is not None:
        inner = [one.only(mask, each) for one, mask, each in zip(types, lattice.inside, weights, strict=True)]
        part = RunSum.of(inner, counts, lattice.logarithm(counts))
    places = stations(total, floor)
    firsts, lasts = divided(total, places)
    q = lattice.q if lattice else 1
    cell = max(1, math.floor(min(place.deviation for place in places) / fine / q)) * q
    phase = sum(count * each for count, each in zip(counts, lattice.remainders, strict=True)) if lattice else 0
    start = firsts[0] - (firsts[0] - phase) % q
    cells = -(-(lasts[-1] + 1 - start) // cell)
    maker = _Maker(total, part, types, counts, lattice, cell)
    windows = [
        maker.window(place, first, last)
        for place, first, last in zip(places, firsts, lasts, strict=True)
        if first <= last
    ]
    rungs: list[WideRung] = []
    for window in reversed(windows):  # the last ones have the longest tails
        rung = maker.rung(window)
        if rung is None:
            return None
        rungs.insert(0, rung)
    below = 0.0 if firsts[0] <= total.low else beyond(total, windows[0], firsts[0])
    above = 0.0 if lasts[-1] >= total.high else beyond(total, windows[-1], start + cells * cell)
    middles = start + cell * np.arange(cells, dtype=np.int64) + cell // 2
    owners = np.clip(np.searchsorted([window.first for window in windows], middles, side="right") - 1, 0, None)
    return WideLaw(tuple(rungs), start, cells, cell, owners, add_up(below, above), lattice)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Maker:
    """Makes rungs of one sum."""

    total: RunSum
    part: RunSum | None
    types: Sequence[Runs]
    counts: Sequence[int]
    lattice: ResonantLattice | None
    cell: int

    def window(self, place: Place, first: int, last: int) -> LatticeWindow:
        """A rung also answers for a cell more on each side, and for what is left of one."""
        first, last = first - 2 * self.cell, last + 2 * self.cell
        reach = max(place.centre - first, last - place.centre, last - first)
        wanted = math.ceil(max(WINDOW * place.deviation, reach + 10 * place.deviation) + 24)
        centre = round(place.centre)
        window = LatticeWindow(place.theta, centre, place.deviation, first, last, 1, 1, 0.0, self.total.jump)
        return self._sized(window, wanted)

    def _sized(self, window: LatticeWindow, wanted: int) -> LatticeWindow:
        q = self.lattice.q if self.lattice else 1
        length = fourier.next_fast_len(-(-wanted // self.cell), real=True) * self.cell
        highest = self._highest(window, math.pi / (2 * q))
        return replace(window, length=length, frequencies=math.ceil(highest * length / (2 * math.pi)) + 1)

    def _highest(self, window: LatticeWindow, limit: float) -> float:
        """About the highest frequency that matters (not certified, not needed): as of a normal law, or higher."""
        least = math.sqrt(2 * DAMPED) / window.deviation
        if least >= limit:
            return least
        tried = least * PROBES ** np.arange(math.ceil(math.log(min(FURTHEST, limit / least)) / math.log(PROBES)) + 1)
        values, _ = self.total.at(np.full(len(tried) + 1, window.theta), np.append(tried, 0.0))
        loud = np.flatnonzero(values[:-1].real - values[-1].real > -DAMPED)
        return float(tried[min(int(loud[-1]) + 1, len(tried) - 1)]) if len(loud) else least

    def rung(self, window: LatticeWindow) -> WideRung | None:
        """Longer windows while too much is folded back, more frequencies while that leaves less out."""
        while window.frequencies <= MOST:
            theta, t = tilted_points(window, window.frequencies)
            values, errors = self.total.at(theta, t)
            alias = folded(self.total, window, values[:PUSHES].real, errors[:PUSHES])
            if alias <= FOLDED or window.length > 64 * WINDOW * window.deviation:
                break
            window = self._sized(window, 2 * window.length)
        else:
            return None
        left, most = self._spare(window), min(MOST, window.length // self.cell // 2)
        while left.rest > LEFT and 3 * window.frequencies <= 2 * most:
            more = replace(window, frequencies=3 * window.frequencies // 2)
            less = self._spare(more)
            if less.rest > left.rest / 4:
                break
            window, left = more, less
        if window.frequencies > most or not math.isfinite(left.rest + left.part + left.bands):
            return None
        theta, t = tilted_points(window, window.frequencies)
        values, errors = self.total.at(theta, t)
        return self._filled(window, values, errors, alias, left)

    def _spare(self, window: LatticeWindow) -> Spare:
        return spare(
            self.types,
            self.counts,
            window.theta,
            length=window.length,
            kept=window.frequencies - 1,
            lattice=self.lattice,
        )

    def _filled(self, window: LatticeWindow, values: Complexes, errors: Floats, alias: float, left: Spare) -> WideRung:
        base = float(values[0].real)
        truth = mass_of(float(errors[0]))
        t: Floats = 2 * math.pi / window.length * np.arange(window.frequencies, dtype=float)
        whole, slip = _spectrum(window, t, base, values[PUSHES:], errors[PUSHES:], truth)
        inner, inner_slip = np.zeros_like(whole), 0.0
        if self.part is not None:
            inner, inner_slip = _spectrum(window, t, base, *self.part.at(np.full(len(t), window.theta), t), truth)
        out = bounds_up(((left.rest + left.bands) * truth + slip + inner_slip) / window.length + alias * truth)
        part = bounds_up((left.part * truth + inner_slip) / window.length + alias * truth)
        spectra = whole - inner, inner
        return WideRung(window.theta, base, window.centre, window.length, self.cell, spectra, (out, part))


def _spectrum(
    window: LatticeWindow, t: Floats, base: float, values: Complexes, errors: Floats, truth: float = math.inf
) -> tuple[Complexes, float]:
    """E exp(it(S - centre)) under the tilt, at most `truth` in size, and a bound on the sum of its errors, of both
    signs.

    The grid's own rounding moves t, and so the value by that times E|S - centre|, at most about the deviation; it is
    taken twice. Near zeros of the value that is much more than what is relative to it.
    """
    spectrum, error, size = spectrum_of(values, errors, base, t, window.centre)
    slip = np.where(np.isfinite(error), error, np.minimum(size, truth))
    slip += 2 * frequency_error(t) * (window.deviation + 1)
    return spectrum, bounds_up(2 * float(slip.sum()))
