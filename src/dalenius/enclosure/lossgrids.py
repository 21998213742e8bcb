r"""Sums of privacy losses on a grid, and of two lists without one.

Each outcome of a pair has a loss log(P/Q) and a mass. Losses of independent pairs are added by transforms, weighed by
exp(tilt · loss) so that the errors of transforms, which are by norms, are small beside what matters.

**Weighing** (`weighed`). An exponential errs by `LIBM` units, its exponent by six units of its terms, and there are
products; relative, so that it stays with each mass.

**Adding** (`added`). A spectrum is at most the sum of its masses, which is one, or a little more with their errors; so
an error in a factor passes grown by at most the product of these sums. Each of n equal factors adds FFT log2(N) units
of its own norm, and 4 for multiplying; 4 more are far more than this bound is rounded by. So the error is in the
Euclidean norm.

**The mean** (`GridSum`). δ is Σ mass (1 - e^(ε - loss))₊, a scalar product with what a loss y above ε adds, weighed
back: by Cauchy and Schwarz an error of norm e counts e ‖exp(-tilt y)(1 - exp(-y))‖. With G = exp(-tilt y) and E =
exp(-y), at y + r it is exp(-tilt r) times G (1 - E) + G E (1 - exp(-r)): no sign changes, so that all else errs
relatively. What rounding may have moved the total loss by moves ε, and what the grid's period folded back counts as it
weighs.

**Two lists** (`two_lists`). Which pairs of outcomes count is seen by logarithms, wrong by at most half of `drift`
together. From below that costs nothing: every set of pairs gives a lower bound. From above, all within a `drift` of ε
count, and at e^(ε - 2 drift): then none of their terms is negative, and none too small. A running sum of n masses is
wrong by n units of itself.

**Placing.** `split` shares each outcome between the grid points around its loss, so that P and Q are both kept; a share
errs by less than 8 units. `merge` adds neighbours up, a unit a step, of both masses: so the loss moves by twice that.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.floats import FFT, LIBM, RAISED, TINY, UNIT, pairwise
from dalenius.enclosure.outward import HIGHEST_POWER, up
from dalenius.enclosure.transforms import powers

GRID = 1 << 17
CROWD = 64  # outcomes at one place from which on they are added pairwise
THERE = 1e-6  # share of a step within which a loss is taken to be on the grid, and charged for it
POLYGON = 1e-12  # far more than the slopes of a polygon, and masses made of them, may be off by
INFINITE = 64  # units of a mass of infinite loss, which is a complement of a product
Masses: TypeAlias = tuple[Floats, Floats, float]  # of P, of Q, and what else P may have, of infinite loss
Placed: TypeAlias = tuple[NDArray[np.int64], Floats, float]  # places, P-masses, and what rounding may add to a loss


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decay:
    """exp(-tilt y) (1 - exp(-y)) at y = 0, step, 2 step, ...: what a loss y above epsilon adds to delta, weighed back.

    With G = exp(-tilt y) and E = exp(-y), at y + r it is exp(-tilt r) times G (1 - E) + G E (1 - exp(-r)): no sign
    changes.
    """

    tilt: float
    step: float
    gain: Floats  # G (1 - E)
    rest: Floats  # G E
    norm: float  # a bound on the Euclidean norm, for every r from 0 to a step
    far: float  # the same for every r
    units: float  # relative errors

    @classmethod
    def of(cls, tilt: float, step: float) -> "Decay":
        y = np.arange(GRID) * step
        gain, rest = np.exp(-tilt * y) * -np.expm1(-y), np.exp(-(tilt + 1) * y)
        kept = max(-math.expm1(-2 * tilt * step), 1 / GRID)  # 1 - g, where the squares are at most g^j
        near = min(1 / kept, 2 * step * step / kept**3)  # and at most (step (j + 1))² g^j
        # where the exponent is above 700 nothing is left
        units = 2 * LIBM + 8 + 4 * 700
        return cls(tilt, step, gain, rest, RAISED * math.sqrt(near), RAISED * math.sqrt(1 / kept), units)


@final
@dataclass(frozen=True, slots=True, eq=False)
class GridSum:
    """The composed loss on a grid: weighed masses at (first + j) step, an error bound in the Euclidean norm, and what
    is not on it.
    """

    decay: Decay
    first: int
    mass: Floats
    scale: float  # log of what all masses were divided by
    error: float
    infinite: float  # mass of infinite loss
    outside: float  # a bound on the weighed mass that the grid's period folded back
    drift: float  # how far rounding may have moved the total loss
    slip: float  # relative error of the weighed masses

    def lower(self, epsilon: Fraction) -> float:
        """Σ mass (1 - exp(epsilon - loss))₊ from below."""
        value, slip = self._mean(float(epsilon) + self._drift(epsilon))
        return value + self.infinite - slip

    def upper(self, epsilon: Fraction) -> float:
        """The same from above."""
        value, slip = self._mean(float(epsilon) - self._drift(epsilon))
        return value + self.infinite + slip

    def _drift(self, epsilon: Fraction) -> float:
        return self.drift + 8 * UNIT * (1 + abs(float(epsilon)))

    def _mean(self, epsilon: float) -> tuple[float, float]:
        tilt, step = self.decay.tilt, self.decay.step
        start = max(0, math.ceil(epsilon / step) - self.first)
        power = self.scale - tilt * epsilon
        weight = math.exp(min(HIGHEST_POWER, power))
        norm = self.decay.norm if start else self.decay.far
        slip = (1 + self.slip) * (self.error * norm + self.outside)
        if start >= len(self.mass):
            return 0.0, RAISED * weight * slip + INFINITE * UNIT * self.infinite + TINY
        above, count = max(0.0, (self.first + start) * step - epsilon), len(self.mass) - start
        gain = float((self.mass[start:] * self.decay.gain[:count]).sum())
        rest = float((self.mass[start:] * self.decay.rest[:count]).sum())
        value = math.exp(-tilt * above) * (gain - math.expm1(-above) * rest)
        units = self.decay.units + 4 * LIBM + pairwise(count) + 64 + 4 * (abs(self.scale) + tilt * abs(epsilon))
        slip += value * (self.slip + 2 * units * UNIT)
        return weight * value, RAISED * weight * slip + INFINITE * UNIT * self.infinite + TINY


def two_lists(first: Masses, second: Masses, epsilon: Fraction, *, over: bool) -> float:
    """Delta of two listed pairs together, from above (`over`) or from below, without a grid.

    With the second list in the order of its losses, the outcomes that count beside one of the first are all from some
    place on: together they add p P(from there) - e^epsilon q Q(from there), and running sums have all of these.
    """
    longer, shorter = sorted((first, second), key=lambda masses: -len(masses[0]))
    (p, q), (other_p, other_q) = _sure(longer), _sure(shorter)
    infinite = -math.expm1(sum(math.log1p(-lost) if lost < 1 else -math.inf for lost in map(_lost, (first, second))))
    slip = INFINITE * UNIT * infinite + TINY
    value = 0.0
    if len(p) and len(other_p):
        loss, other = np.log(p / q), np.log(other_p / other_q)
        at = float(epsilon)
        drift = 32 * UNIT * (2 + abs(at) + float(np.abs(loss).max()) + float(np.abs(other).max()))
        lowered = drift if over else 0.0
        order = np.argsort(other)
        start = np.searchsorted(other[order], at - lowered - loss)
        gained = float((p * _from_here(other_p[order])[start]).sum())
        paid = math.exp(at - 2 * lowered) * float((q * _from_here(other_q[order])[start]).sum())
        units = len(other) + pairwise(len(p)) + LIBM + 8 + 2 * abs(at)
        value = gained - paid
        slip += 2 * units * UNIT * (gained + paid)
    return up(value + infinite + slip) if over else max(0.0, value + infinite - slip)


def _sure(masses: Masses) -> tuple[Floats, Floats]:
    """The outcomes of finite loss."""
    p, q, _ = masses
    both = (p > 0) & (q > 0)
    return p[both], q[both]


def _lost(masses: Masses) -> float:
    """P's mass of infinite loss."""
    p, q, tail = masses
    return min(1.0, float(p[(p > 0) & (q <= 0)].sum()) + tail)


def _from_here(masses: Floats) -> Floats:
    """The sum of the masses from each place on, and 0 after the last."""
    return np.append(np.cumsum(masses[::-1])[::-1], 0.0)


def loss_drift(p: Floats, q: Floats) -> float:
    """How far a loss log(P/Q) of these outcomes, and its place on a grid, may be off."""
    largest = float(np.abs(np.log(p / q)).max()) if len(p) else 0.0
    return 16 * UNIT * (1 + largest)


def weighed(exponents: Floats, masses: Floats) -> tuple[Floats, float, float]:
    """Masses times exp(exponent), divided by what makes their sum about one; the logarithm of that, and how far each
    may be off relatively.
    """
    if not len(masses) or not float(masses.sum()):
        return masses, 0.0, 0.0
    top = float(exponents.max())
    log = top + math.log(float((masses * np.exp(exponents - top)).sum()) or 1.0)
    units = LIBM + 8 + 6 * (float(np.abs(exponents).max()) + abs(log))
    return masses * np.exp(exponents - log), log, 2 * units * UNIT


def added(parts: list[tuple[NDArray[np.int64], Floats, int]], first: int) -> tuple[Floats, float]:
    """The sum's masses on [first, first + GRID), and a bound on their error in the Euclidean norm."""
    spectrum, error, grown = np.ones(GRID // 2 + 1, dtype=complex), 0.0, 0.0
    for at, mass, count in parts:
        one, units = gathered(at % GRID, mass)
        spectrum *= powers(np.fft.rfft(one), count)
        error += count * (FFT * math.log2(GRID) + 8 + units) * UNIT * _norm(one)
        grown += count * math.log(max(1.0, float(mass.sum())))
    mass = np.roll(np.fft.irfft(spectrum, GRID), -(first % GRID))
    error += (FFT * math.log2(GRID) + 8) * UNIT * _norm(mass)
    return np.maximum(mass, 0.0), error * math.exp(grown)


def gathered(places: NDArray[np.int64], mass: Floats) -> tuple[Floats, float]:
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


def split(p: Floats, q: Floats, step: float) -> Placed:
    """Each outcome shared between the grid points around its loss, so that P and Q are both kept."""
    loss = np.log(p / q)
    at = np.floor(loss / step).astype(np.int64)
    share = np.clip(np.expm1(at * step - loss) / math.expm1(-step), 0.0, 1.0)
    return np.concatenate([at, at + 1]), np.concatenate([p * (1 - share), p * share]) * (1 + 8 * UNIT), 0.0


def merge(p: Floats, q: Floats, step: float) -> Placed:
    """Outcomes in the order of their losses, the largest first, each watered down with a part of the next until its
    loss is on the grid.

    What is left at the end, of the least loss, keeps its Q-mass and gives up P-mass to reach the grid.
    """
    order = np.argsort(q / p)
    p, q = p[order], q[order]
    cells = np.floor(np.log(p / q) / step).astype(np.int64)
    if not len(cells):
        return cells, p, 0.0
    starts = np.flatnonzero(np.diff(cells, prepend=cells[:1] + 1))
    left, right = np.add.reduceat(p, starts), np.add.reduceat(q, starts)
    run = int(np.diff(starts, append=len(p)).max())
    places, masses, chain, longest, farthest = list[int](), list[float](), 0, 0, 0.0
    held_p = held_q = 0.0
    for next_p, next_q in zip(left.tolist(), right.tolist(), strict=True):
        if held_p <= 0:
            held_p, held_q, chain = next_p, next_q, 0
            continue
        at, off = _placed(math.log(held_p / held_q), step)
        wanted = math.exp(max(at * step, -700.0))
        spare = wanted * next_q - next_p
        share = (held_p - wanted * held_q) / spare if spare > 0 else 2.0
        if off is not None:
            share, farthest = 0.0, max(farthest, off)
        if 0 <= share <= 1:
            places.append(at)
            masses.append(held_p + share * next_p)
            held_p, held_q, chain = (1 - share) * next_p, (1 - share) * next_q, 0
        else:
            held_p, held_q, chain = held_p + next_p, held_q + next_q, chain + 1
            longest = max(longest, chain)
    if held_p > 0:
        at, off = _placed(math.log(held_p / held_q), step)
        places.append(at)
        masses.append(held_p if off is not None else min(held_p, held_q * math.exp(at * step)))
        farthest = max(farthest, off or 0.0)
    lost = 2 * (min(run - 1, pairwise(run)) + longest) * UNIT  # of both masses
    return np.array(places, dtype=np.int64), np.array(masses) * (1 - 8 * UNIT - lost), 2 * lost + farthest


def _placed(loss: float, step: float) -> tuple[int, float | None]:
    """The grid point at or next below a loss; and how far it is off, if it is that point but for rounding and what laws
    may have wrong.
    """
    at = round(loss / step)
    off = abs(at * step - loss)
    return (at, off) if off <= THERE * step else (math.floor(loss / step), None)


def convex(x: Floats, y: Floats) -> tuple[Floats, Floats]:
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


def polygon(x: Floats, y: Floats) -> Masses:
    """The symmetric pair whose curve is this polygon, a convex one from x = e^ε = 1 on.

    δ is convex in x with slope -Q{P/Q > x}. So with knots 1 = x_0 < ... < x_J the change of slope at x_j is Q's mass at
    ratio x_j, P's mass there is x_j times that, the mirror image has P and Q exchanged, what is missing to one has
    ratio 1, and δ at x_J is P's mass of infinite loss. Where P exceeds x Q, what Q may have wrong is a smaller part of
    P.
    """
    slopes = np.append(np.diff(y) / np.diff(x), 0.0)
    q_mass = np.diff(slopes, prepend=slopes[0])
    p_mass = q_mass * x
    middle = max(0.0, 1.0 - float(y[-1]) - float(p_mass.sum()) - float(q_mass.sum()))
    p_all = np.concatenate([q_mass[::-1], [middle], p_mass]) * (1 + POLYGON)
    q_all = np.concatenate([p_mass[::-1], [middle], q_mass])
    return p_all, q_all, float(y[-1]) * (1 + POLYGON)
