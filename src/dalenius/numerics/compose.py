"""Several releases at once: the curve of a product of pairs of laws.

A pair (P, Q) is put on a grid of privacy losses log(P/Q), once from above and once from below, and the losses of
independent pairs are added by FFT.

- *From above* each outcome is split between the two grid points around its loss, so that both its P-mass and its Q-mass
  are kept ("connect the dots", Doroshenko et al. 2022). Merging the two gives the outcome back, so the split pair
  tells more.
- *From below* outcomes are merged, fractionally, with their neighbours, so that each merged outcome has a loss on the
  grid. Merging is post-processing, so the merged pair tells less.

Both err by the second power of the grid's step, not the first. Sums, FFT, masses beyond the window: all charged.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from dalenius.errors import CombinationError, InputError
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.convolve import powers
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.divergence import LARGEST
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.rounding import FFT, RAISED, UNIT, pairwise

GRID = 1 << 17
BEYOND = 1e-18  # P-mass of the composed loss that the grid may leave out at each end
TILTS = np.geomspace(1e-3, 1e5, 65)  # of Chernoff's bound
CROWD = 64  # outcomes at one place from which on they are added pairwise


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Sum:
    """The composed loss on a grid: masses at (first + j) step, an error bound in the Euclidean norm, and what is not
    on it.
    """

    first: int
    step: float
    mass: Floats
    error: float
    infinite: float  # mass of infinite loss
    outside: float  # a bound on the mass that the grid's period folded back
    drift: float  # how far rounding may have moved the total loss

    def delta(self, epsilon: Fraction) -> tuple[float, float]:
        """Σ mass (1 - exp(epsilon - loss))₊ from below and from above."""
        value, slip = self._mean(float(epsilon) + self.drift)
        upper_value, upper_slip = self._mean(float(epsilon) - self.drift)
        return value + self.infinite - slip - self.outside, upper_value + self.infinite + upper_slip + self.outside

    def _mean(self, epsilon: float) -> tuple[float, float]:
        start = max(0, math.floor(epsilon / self.step) - self.first)
        losses = (self.first + np.arange(start, len(self.mass))) * self.step
        weights = np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0)
        value = float((self.mass[start:] * weights).sum())
        return value, self.error * math.sqrt(float((weights * weights).sum())) + 64 * UNIT * (value + self.infinite)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Composed(Curve):
    """The curve of several pairs released together. Cost of `delta`: O(grid)."""

    above: tuple[_Sum, ...]
    below: tuple[_Sum, ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        at = min(epsilon, LARGEST)
        upper = max(total.delta(at)[1] for total in self.above)
        lower = max((total.delta(at)[0] for total in self.below), default=0.0) if epsilon <= LARGEST else 0.0
        upper = min(1.0, max(upper, 0.0))
        return Bracket(max(0.0, min(lower, upper)), upper)


def compose(parts: Sequence[tuple[Curve, int]]) -> Curve:
    """The curve of releasing every part, each as often as its count says, about independent data.

    Pairs are composed as they are, in both directions. Any other curve enters through the symmetric pair that it
    determines, which dominates every pair that the curve stands for; then only the upper bound is sharp, and the lower
    bound is that of the worst single part. Cost: one FFT of the grid a different part, whatever the counts.
    """
    if not parts or any(count < 1 for _, count in parts):
        raise InputError("Composition needs at least one curve, each at least once. Leave out what is not released.")
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    if any(curve.alone for curve, _ in parts):
        raise CombinationError(
            "Composition needs releases that compose, but one of them is an exact count that must be the only release "
            "about its records. Publish it alone, or publish noisy counts; combine(...) says what a count may go with."
        )
    pairs = [(curve, count) for curve, count in parts if isinstance(curve, PairCurve)]
    if len(pairs) == len(parts):
        forth = [(curve.first, curve.second, count) for curve, count in pairs]
        back = [(second, first, count) for first, second, count in forth]
        return Composed(
            tuple(_total([(_split_ends(p, q), n) for p, q, n in way], _split) for way in (forth, back)),
            tuple(_total([(_sure_ends(p, q), n) for p, q, n in way], _merge) for way in (forth, back)),
        )
    above = _total([(_dominating(curve), count) for curve, count in parts], _split)
    return _AtLeastEach(Composed((above,), ()), tuple(curve for curve, _ in parts))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _AtLeastEach(Curve):
    """A composition is at least as revealing as each of its parts."""

    whole: Curve
    parts: tuple[Curve, ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        upper = self.whole.delta(epsilon).upper
        lower = max(part.delta(epsilon).lower for part in self.parts)
        return Bracket(min(lower, upper), upper)


Masses: TypeAlias = tuple[Floats, Floats, float]  # P, Q, and P-mass that may be anywhere
Placed: TypeAlias = tuple[NDArray[np.int64], Floats, float]  # places, P-masses, and what rounding may add to a loss


def _split_ends(p: Law, q: Law) -> Masses:
    """Masses of P from above and of Q from below; P's tail may be anywhere, so it counts as an infinite loss."""
    q_mass, q_error = q.window(p.start, p.stop)
    return p.mass + p.error, np.maximum(q_mass - q_error, 0.0), p.tail


def _sure_ends(p: Law, q: Law) -> Masses:
    """Masses of P from below and of Q from above; where Q is only known to be in its tail, P counts for nothing."""
    q_mass, q_error = q.window(p.start, p.stop)
    p_mass, q_upper = np.maximum(p.mass - p.error, 0.0), q_mass + q_error
    if q.tail:
        places = np.arange(p.start, p.stop)
        p_mass = np.where((places >= q.start) & (places < q.stop), p_mass, 0.0)
    return p_mass, q_upper, 0.0


def _dominating(curve: Curve) -> Masses:
    """The symmetric pair whose curve is the chord polygon of this curve's upper bounds.

    delta is convex in x = e^epsilon with slope -Q{P/Q > x}. So with knots 1 = x_0 < ... < x_J the change of slope at
    x_j is Q's mass at ratio x_j, P's mass there is x_j times that, the mirror image has P and Q exchanged, what is
    missing to one has ratio 1, and delta at x_J is P's mass of infinite loss.
    """
    epsilons, values = curve.knots(np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 1500)]))
    values = np.minimum.accumulate(values)
    last = int(np.searchsorted(-values, -max(1e-15, 2 * float(values[-1])))) + 1
    epsilons, values = epsilons[: last + 1], values[: last + 1]
    x, d = _convex(np.exp(epsilons), values)
    slopes = np.append(np.diff(d) / np.diff(x), 0.0)
    q_mass = np.diff(slopes, prepend=slopes[0])
    p_mass = q_mass * x
    middle = max(0.0, 1.0 - float(d[-1]) - float(p_mass.sum()) - float(q_mass.sum()))
    # where P exceeds x Q, what Q may have wrong is a smaller part of P
    p_all = np.concatenate([q_mass[::-1], [middle], p_mass]) * (1 + 1e-12)
    q_all = np.concatenate([p_mass[::-1], [middle], q_mass])
    return p_all, q_all, float(d[-1]) * (1 + 1e-12)


def _convex(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The lower convex hull of the points; upper bounds of a convex function at them stay upper bounds.

    A point of the hull lies below every chord between others, so points that do not may go, all at once, until none is
    left that does not: mostly after a few rounds.
    """
    while len(x) > 2:
        across, up = np.diff(x), np.diff(y)
        inside = up[:-1] * across[1:] < up[1:] * across[:-1]
        if inside.all():
            break
        kept = np.concatenate([[True], inside, [True]])
        x, y = x[kept], y[kept]
    return x, y


def _total(parts: list[tuple[Masses, int]], place: Callable[[Floats, Floats, float], Placed]) -> _Sum:
    """The sum of the parts' losses on one grid, placed from above (`_split`) or from below (`_merge`)."""
    finite, infinite, drift = [], 0.0, 0.0
    for (p, q, tail), count in parts:
        sure, never = (p > 0) & (q > 0), (p > 0) & (q <= 0)
        lost = min(1.0, float(p[never].sum()) + tail)
        infinite += count * (math.log1p(-lost) if lost < 1 else -math.inf)
        order = np.argsort(p[sure] / q[sure])
        finite.append((p[sure][order], q[sure][order], count))
        largest = float(np.abs(np.log(p[sure] / q[sure])).max()) if sure.any() else 0.0
        drift += count * 16 * UNIT * (1 + largest)
    low, high = _range([(np.log(p / q), p, count) for p, q, count in finite])
    total = sum(count for _, _, count in finite)
    step = (
        max((high - low) / (GRID - 4 * total - 64), 1e-12) if 4 * total + 64 < GRID // 2 else (high - low) / (GRID // 4)
    )
    placed = []
    for p, q, count in finite:
        at, masses, moved = place(p, q, step)
        placed.append((at, masses, count))
        drift += count * moved
    first = math.floor(low / step) - 2 * total - 8
    mass, error = _added(placed, first)
    outside = _outside(
        [((at * step).astype(float), m, count) for at, m, count in placed], first * step, (first + GRID - 1) * step
    )
    return _Sum(first, step, mass, error, -math.expm1(infinite), outside, drift)


def _range(parts: list[tuple[Floats, Floats, int]]) -> tuple[float, float]:
    """Where all but `BEYOND` of the sum lies (Chernoff; not certified here, `_outside` is)."""
    room = -math.log(BEYOND)
    low = _lowest(lambda tilt: (_log_mgf(parts, -tilt) + room) / tilt)
    high = _lowest(lambda tilt: (_log_mgf(parts, tilt) + room) / tilt)
    return -low, high


def _lowest(value: Callable[[float], float]) -> float:
    """About the lowest value at any tilt, of one that falls and then rises: a value at one of them, in any case."""
    low, high, found = 0, len(TILTS) - 1, dict[int, float]()

    def at(place: int) -> float:
        if place not in found:
            found[place] = value(float(TILTS[place]))
        return found[place]

    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) <= at(middle + 1) else (middle + 1, high)
    return at(low)


def _log_mgf(parts: list[tuple[Floats, Floats, int]], tilt: float) -> float:
    """Log E exp(tilt · sum), from above."""
    total = 0.0
    for loss, mass, count in parts:
        if len(loss):
            top = float((tilt * loss).max())
            total += count * (top + math.log(float((mass * np.exp(tilt * loss - top)).sum())) + 1e-13 * (1 + abs(top)))
    return total


def _outside(parts: list[tuple[Floats, Floats, int]], low: float, high: float) -> float:
    """A bound on the mass of the sum outside [low, high]."""
    above = _lowest(lambda tilt: _log_mgf(parts, tilt) - tilt * high)
    below = _lowest(lambda tilt: _log_mgf(parts, -tilt) + tilt * low)
    return RAISED * (math.exp(min(0.0, above)) + math.exp(min(0.0, below)))


def _added(parts: list[tuple[NDArray[np.int64], Floats, int]], first: int) -> tuple[Floats, float]:
    """The sum's masses on [first, first + GRID), and a bound on their error in the Euclidean norm.

    A spectrum is at most the sum of its masses, which is one, or a little more with their errors; so an error in a
    factor passes grown by at most the product of these sums. Each of n equal factors adds FFT log2(N) units of its
    own norm, and 4 for multiplying; 4 more are far more than this bound is rounded by.
    """
    spectrum, error, grown = np.ones(GRID // 2 + 1, dtype=complex), 0.0, 0.0
    for at, mass, count in parts:
        one, units = _gathered(at % GRID, mass)
        spectrum *= powers(scipy.fft.rfft(one), count)
        error += count * (FFT * math.log2(GRID) + 8 + units) * UNIT * _norm(one)
        grown += count * math.log(max(1.0, float(mass.sum())))
    mass = np.roll(scipy.fft.irfft(spectrum, GRID), -(first % GRID))
    error += (FFT * math.log2(GRID) + 8) * UNIT * _norm(mass)
    return np.maximum(mass, 0.0), error * math.exp(grown)


def _gathered(places: NDArray[np.int64], mass: Floats) -> tuple[Floats, float]:
    """The mass at each place of the grid, and by how many units a sum may be off."""
    most = int(np.bincount(places).max(initial=0))
    if most <= CROWD:
        return np.bincount(places, weights=mass, minlength=GRID).astype(float), most
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    one = np.zeros(GRID)
    one[places[order][starts]] = np.add.reduceat(mass[order], starts)
    return one, pairwise(most)


def _norm(values: NDArray[Any]) -> float:
    """The Euclidean norm, without the threads of a linear algebra library: they cost more than the sum."""
    return math.sqrt(float(np.square(values).sum()))


def _split(p: Floats, q: Floats, step: float) -> Placed:
    """Each outcome shared between the grid points around its loss, so that P and Q are both kept."""
    loss = np.log(p / q)
    at = np.floor(loss / step).astype(np.int64)
    share = np.clip(np.expm1(at * step - loss) / math.expm1(-step), 0.0, 1.0)
    return np.concatenate([at, at + 1]), np.concatenate([p * (1 - share), p * share]) * (1 + 8 * UNIT), 0.0


def _merge(p: Floats, q: Floats, step: float) -> Placed:
    """Outcomes in the order of their losses, each topped up with a part of the next until its loss is on the grid.

    What is left at the end keeps its Q-mass and gives up P-mass to reach the grid from above.
    """
    cells = np.floor(np.log(p / q) / step).astype(np.int64)
    if not len(cells):
        return cells, p, 0.0
    starts = np.flatnonzero(np.diff(cells, prepend=cells[:1] - 1))
    left, right = np.add.reduceat(p, starts), np.add.reduceat(q, starts)
    run = int(np.diff(starts, append=len(p)).max())
    places, masses, chain, longest = [], [], 0, 0
    held_p, held_q = float(left[0]), float(right[0])
    for next_p, next_q in zip(left[1:].tolist(), right[1:].tolist(), strict=True):
        at = math.ceil(math.log(held_p / held_q) / step)
        wanted = math.exp(at * step)
        spare = next_p - wanted * next_q
        share = (wanted * held_q - held_p) / spare if spare > 0 else 2.0
        if 0 <= share <= 1:
            places.append(at)
            masses.append(held_p + share * next_p)
            held_p, held_q, chain = (1 - share) * next_p, (1 - share) * next_q, 0
        else:
            held_p, held_q, chain = held_p + next_p, held_q + next_q, chain + 1
            longest = max(longest, chain)
        if held_p <= 0:
            held_p, held_q = 1e-300, 1e-300
    at = math.floor(math.log(held_p / held_q) / step)
    places.append(at)
    masses.append(min(held_p, held_q * math.exp(at * step)))
    off = 2 * (min(run - 1, pairwise(run)) + longest) * UNIT  # of both masses
    return np.array(places, dtype=np.int64), np.array(masses) * (1 - 8 * UNIT - off), 2 * off
