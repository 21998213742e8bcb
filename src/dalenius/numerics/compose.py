"""Composition of privacy losses: the curve of a product of pairs of laws, several releases at once.

A pair (P, Q) is put on a grid of privacy losses log(P/Q), once from above and once from below, and the losses of
independent pairs are added by FFT.

- *From above* each outcome is split between the two grid points around its loss, so that both its P-mass and its Q-mass
  are kept ("connect the dots", Doroshenko et al. 2022). Merging the two gives the outcome back, so the split pair
  tells more.
- *From below* outcomes are merged, fractionally, with their neighbours, so that each merged outcome has a loss on the
  grid. Merging is post-processing, so the merged pair tells less.

Both err by the second power of the grid's step, not the first. Before they are added, masses are weighed by exp(tilt ·
loss) and so made likely where epsilon is: then the grid need only cover what matters there, and the errors of the FFT
are relative to delta, not to one. Sums, FFT, masses beyond the window: all charged.

What is known without a grid is used as it is: normal noises are one normal noise; where every part is pure, nothing
is told from the sum of their epsilons on; and the losses of two lists are added as they are.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias, final, get_args

import numpy as np

from dalenius.basics.errors import CombinationError, InputError
from dalenius.enclosure import lossgrids
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.lossgrids import (
    INFINITE,
    Decay,
    GridSum,
    Placed,
    added,
    convex,
    loss_drift,
    merge,
    polygon,
    split,
    two_lists,
    weighed,
)
from dalenius.enclosure.outward import HELD, LARGEST, add_up, bounds_up, down, times_up, up
from dalenius.numerics.curve import Curve, Enclosed, PairCurve, crossing
from dalenius.numerics.gaussian import DRAWN, GaussianCurve, Nearly, near
from dalenius.numerics.law import Floats
from dalenius.numerics.least import halfway, least, scan
from dalenius.numerics.losses import (
    NOTHING,
    Listed,
    Losses,
    Masses,
    clipped_above,
    clipped_below,
    log_moment,
    losses_of,
)

About: TypeAlias = Literal["the same people", "different people", "independent columns"]
BEYOND = 1e-16  # mass of the composed and weighed loss that the grid may leave out at each end
TILTS = np.geomspace(1e-3, 1e5, 65)  # of Chernoff's bound, and of the weights
WIDER = 4  # steps of a cell of a continuous loss from below: cells that a step hardly holds are merged badly
KEPT = 4  # weights for which sums are remembered
BITS = 128  # of a square root
FARTHEST = 10**6  # an epsilon that is as good as infinite
CLOSER = 12  # halvings of a gap that was itself found by doubling
DEEP = -550.0  # logarithm of a delta below which masses are too faint to be listed


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """From above or from below: which list a part has, where it lies, and how it gets on the grid."""

    listed: Callable[[Losses, float, float], Masses]  # of a step and a tilt
    moment: Callable[[Losses, float], float]
    place: "Callable[[Floats, Floats, float], Placed]"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Independent pairs, all in one direction and from one side, each as often as its count says."""

    parts: tuple[tuple[Losses, int], ...]
    side: _Side
    _sums: dict[float, GridSum] = field(default_factory=dict, repr=False)

    def at(self, epsilon: Fraction) -> GridSum:
        """The sum of the losses, weighed by the tilt of Chernoff's bound, exp(-tilt y) (1 - exp(-y)) being 1/(1 + tilt)
        at most; not weighed if that is not below one.
        """
        tilt, value = self._chernoff(float(epsilon))
        return self.weighed(tilt if value < 0 else 0.0)

    def upper(self, epsilon: Fraction) -> float:
        """Delta from above. It falls with epsilon: where it is too small to be resolved, it is taken nearer to 0."""
        two = self._two()
        if two is not None:
            return two_lists(*two, epsilon, over=True)
        near = epsilon
        if self._chernoff(float(epsilon))[1] < DEEP:
            near = least(
                lambda at: self._chernoff(float(at))[1] < DEEP, Fraction(0), epsilon, middle=halfway, steps=CLOSER
            )[1]
        return self.at(near).upper(near)

    @property
    def silent(self) -> bool:
        """Whether from this side nothing is known of any part, so that nothing is told for sure."""
        return all(isinstance(losses, Listed) and losses.under is NOTHING for losses, _ in self.parts)

    def lower(self, epsilon: Fraction, at: Fraction) -> float:
        """Delta from below; `at` is epsilon, or the largest one that is computed with."""
        if self.silent:
            return 0.0
        two = self._two() if epsilon <= LARGEST else None
        if two is not None:
            return two_lists(*two, at, over=False)
        total = self.at(at)
        return total.lower(at) if epsilon <= LARGEST else down(total.infinite, INFINITE)

    def _two(self) -> tuple[Masses, Masses] | None:
        """The lists of two parts that are lists anyway, if there are no more parts."""
        parts = [losses for losses, count in self.parts for _ in range(min(count, 3))]
        if len(parts) != 2:
            return None
        first, second = parts
        if not isinstance(first, Listed) or not isinstance(second, Listed):
            return None
        return self.side.listed(first, 0.0, 0.0), self.side.listed(second, 0.0, 0.0)

    def _chernoff(self, at: float) -> tuple[float, float]:
        """The tilt at which Chernoff's bound on delta is lowest, and the bound's logarithm; both about."""
        return _lowest(lambda tilt: self._cumulant(tilt) - tilt * at - math.log1p(tilt))

    def at_delta(self, delta: Fraction) -> GridSum:
        """The same, for the epsilon that belongs to this delta."""
        room = -math.log(max(delta, Fraction(HELD)))
        return self.weighed(_lowest(lambda tilt: (self._cumulant(tilt) + room - math.log1p(tilt)) / tilt)[0])

    def weighed(self, tilt: float) -> GridSum:
        """The sum of the losses, weighed by exp(tilt · loss)."""
        if tilt not in self._sums:
            while len(self._sums) >= KEPT:
                self._sums.pop(next(iter(self._sums)))
            self._sums[tilt] = self._fresh(tilt)
        return self._sums[tilt]

    def _cumulant(self, tilt: float) -> float:
        """Log E exp(tilt · sum), about."""
        return sum(count * self.side.moment(losses, tilt) for losses, count in self.parts)

    def _fresh(self, tilt: float) -> GridSum:
        likely = _likely(self._cumulant, tilt)
        total = sum(count for _, count in self.parts)
        grid = lossgrids.GRID
        points = grid - 4 * total - 64 if 4 * total + 64 < grid // 2 else grid // 4
        width = max(likely.high - likely.low, 1e-15 * (abs(likely.high) + abs(likely.low)))
        decay = Decay.of(tilt, self._aligned(max(width / points, HELD)))
        first = math.floor(likely.low / decay.step) - 2 * total - 8
        lists = [(self.side.listed(losses, decay.step, tilt), count) for losses, count in self.parts]
        return _total(lists, self.side.place, decay, first, likely)

    def _aligned(self, step: float) -> float:
        """A step that is not smaller, and on whose grid the likely losses of one part lie anyway, so that they are not
        split.
        """
        grain = max(((losses.grain, count) for losses, count in self.parts), key=lambda part: part[0] * part[1])[0]
        return grain / math.floor(grain / step) if grain > step else step


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """Where a weighed sum lies but for a little, and tilts at which Chernoff's bounds say how little is below and above
    it.
    """

    low: float
    high: float
    down: float
    up: float


def _likely(cumulant: Callable[[float], float], tilt: float) -> _Range:
    """Where all but `BEYOND` of the weighed sum lies (not certified here, `_outside` is)."""
    room, here = -math.log(BEYOND), cumulant(tilt)
    up, high = _lowest(lambda more: (cumulant(tilt + more) - here + room) / more)
    down, low = _lowest(lambda less: (cumulant(tilt - less) - here + room) / less)
    return _Range(-low, high, down, up)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Composed(Curve):
    """The curve of several releases together. Cost of `delta`: one FFT of the grid a different part, and next to
    nothing at an epsilon near by.
    """

    parts: tuple[tuple[Curve, int], ...]
    normal: Curve | None  # of all parts, if they are one normal noise
    ways: tuple[tuple[_Pairs, _Pairs], ...]  # from above and from below: both directions, or one that looks like both
    level: Fraction | None  # the sum of the epsilons from which on each part tells nothing
    gap: float  # how far all that is drawn may be from what the parts say, in total variation
    only: bool = False  # whether a part rests on uncertain records

    @property
    def alone(self) -> bool:
        return self.only

    @property
    def pure_level(self) -> Fraction | None:
        return None if self.gap else self.level

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.level is not None and epsilon >= self.level:
            return self._drawn(Bracket(0.0, 0.0), epsilon)
        if self.normal is not None:
            return self._drawn(self.normal.delta(epsilon), epsilon)
        at = min(epsilon, LARGEST)
        upper = min(1.0, max(0.0, *(above.upper(at) for above, _ in self.ways)))
        lower = max(below.lower(epsilon, at) for _, below in self.ways)
        single = max(curve.delta(epsilon).lower for curve, _ in self.parts)  # they tell at least as much as each
        return self._drawn(Bracket(min(max(0.0, lower, single), upper), upper), epsilon)

    def _drawn(self, ideal: Bracket, epsilon: Fraction) -> Bracket:
        return near(ideal, self.gap, epsilon) if self.gap else ideal

    def epsilon(self, delta: Fraction) -> Bracket:
        """The least epsilon at this delta, on one grid: that which Chernoff's bound asks for."""
        if self.normal is not None:
            return Curve.epsilon(self, delta)
        over = [above.at_delta(delta) for above, _ in self.ways]
        under = [below.at_delta(delta) for _, below in self.ways if not below.silent]

        def upper_end(at: Fraction) -> float:
            upper = min(1.0, max(0.0, *(total.upper(at) for total in over)))
            return self._drawn(Bracket(0.0, upper), at).upper

        def lower_end(at: Fraction) -> float:
            lower = min(1.0, max(0.0, *(total.lower(at) for total in under)))
            return self._drawn(Bracket(lower, 1.0), at).lower

        upper = crossing(lambda at: upper_end(at) <= delta)[1]
        if self.pure_level is not None:
            upper = min(upper, up(float(min(self.pure_level, Fraction(FARTHEST)))))
        if upper >= FARTHEST:
            return Curve.epsilon(self, delta)
        lower = _last_above(lower_end, delta, upper) if under else 0.0
        if not self.gap:  # what enters from above only tells at least as much as by itself
            lower = max(lower, *(curve.epsilon(delta).lower for curve, _ in self.parts if _only_above(curve)), 0.0)
        return Bracket(min(lower, upper), upper)


def _last_above(value: Callable[[Fraction], float], target: Fraction, most: float) -> float:
    """A number up to `most` at which a falling value is above the target, near the last one; 0 if none is found.

    The value is good near `most`, so it is looked for from there.
    """

    def below(at: float) -> bool:
        return not value(Fraction(at)) > target

    rungs = [most, *(most * (1 - 2.0**power) for power in range(-44, 0))]
    high, low = scan(lambda at: not below(at), most, (rung for rung in rungs if rung > 0))
    return least(below, low or 0.0, high, middle=halfway, steps=CLOSER)[0]


def compose(parts: Sequence[tuple[Curve, int]], *, about: About = "the same people") -> Curve:
    """The curve of releasing every part, each as often as its count says.

    Parts that hide a person by dice of their own (differential privacy, noise) compose about the same people. One that
    rests on what is uncertain about other people's records (`Curve.alone`) does not: sixteen figures that each pass
    may give the records away, and two exact counts their difference. Such parts are refused, unless it is stated that
    they are about "different people", or about "independent columns" of their records, so that what one part tells is
    independent of all that hides a person in another.

    Pairs are composed as they are, in both directions; so is every curve that is one pair which looks the same both
    ways round (noise). Any other curve enters through the symmetric pair that it determines, which dominates every pair
    that the curve stands for: then only the upper bound is sharp, and the lower bound is that of the other parts, or of
    this one alone. Cost: one FFT of the grid a different part, whatever the counts.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> noise = dl.curve(dl.Count() >> dl.two_sided_geometric(4), dl.differential_privacy())
    >>> print(dl.compose([(noise, 4)]).delta(Fraction(1)))
    0
    """
    if not parts or any(count < 1 for _, count in parts):
        raise InputError("Composition needs at least one curve, each at least once. Leave out what is not released.")
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    if about not in get_args(About):
        raise InputError(f"Parts are about one of {', '.join(map(repr, get_args(About)))}, but got {about!r}.")
    resting = any(curve.alone for curve, _ in parts)
    if resting and about == "the same people":
        raise CombinationError(
            "Composition needs releases that hide a person by dice of their own, but one of them rests on what is "
            "uncertain about the records (or is an exact count), so that it must be the only release about its "
            "records. Judge such figures together, in one specification; or publish them with noise, judged under "
            'differential_privacy(...). If no two of them are about the same people, say so: about="different people".'
        )
    ideals, gap = _ideals(parts)
    levels = [(curve.pure_level, count) for curve, count in ideals]
    known = [level * count for level, count in levels if level is not None]
    level = sum(known, Fraction(0)) if len(known) == len(levels) else None
    square = sum((count * curve.ratio**2 for curve, count in ideals if isinstance(curve, GaussianCurve)), Fraction(0))
    others = [(curve, count) for curve, count in ideals if not isinstance(curve, GaussianCurve)]
    normal = _normal(square) if square else None
    if normal is not None and not others:
        return Composed(tuple(ideals), normal, (), None, gap, resting)
    some = [(normal.above, 1), *others] if normal is not None else others
    return Composed(tuple(some), None, _both_ways(some), level, gap, resting)


def _ideals(parts: Sequence[tuple[Curve, int]]) -> tuple[list[tuple[Curve, int]], float]:
    """What the parts are made of, each curve once, and how far all that is drawn may be from it, in total variation."""
    counts, curves, gap = dict[int, int](), dict[int, Curve](), 0.0
    waiting = list(reversed(parts))
    while waiting:
        curve, count = waiting.pop()
        if isinstance(curve, Nearly):
            gap = add_up(gap, times_up(float(count), curve.gap))
            waiting.append((curve.ideal, count))
        elif isinstance(curve, Composed):
            gap = add_up(gap, times_up(float(count), curve.gap))
            waiting.extend((part, count * often) for part, often in reversed(curve.parts))
        else:
            curves[id(curve)] = curve
            counts[id(curve)] = counts.get(id(curve), 0) + count
    return [(curve, counts[place]) for place, curve in curves.items()], gap


def _normal(square: Fraction) -> Enclosed:
    """Normal noises whose squared ratios of shift to standard deviation sum to this are one normal noise.

    What is drawn may have a scale that is larger by a factor of 1 + 2^-52.
    """
    bits = BITS + max(0, square.denominator.bit_length() - square.numerator.bit_length())
    root = math.isqrt((square.numerator << 2 * bits) // square.denominator)
    least, most = Fraction(root, 1 << bits), Fraction(root + 1, 1 << bits)
    return Enclosed(GaussianCurve(least * (1 - DRAWN)), GaussianCurve(most))


def _only_above(curve: Curve) -> bool:
    """Whether a curve stands for several pairs, or for one that does not look the same both ways round."""
    return not isinstance(curve, PairCurve) and curve.losses() is None


def _both_ways(parts: Sequence[tuple[Curve, int]]) -> tuple[tuple[_Pairs, _Pairs], ...]:
    """The losses of all parts in both directions; only once if they look the same both ways round."""
    forth, back = list[tuple[Losses, int]](), list[tuple[Losses, int]]()
    for curve, count in parts:
        if isinstance(curve, PairCurve):
            forth.append((losses_of(curve.first, curve.second), count))
            back.append((losses_of(curve.second, curve.first), count))
        else:
            same = curve.losses() or Listed(_dominating(curve), NOTHING)
            forth.append((same, count))
            back.append((same, count))
    oriented = any(isinstance(curve, PairCurve) for curve, _ in parts)
    ways = (tuple(forth), tuple(back)) if oriented else (tuple(forth),)
    return tuple((_Pairs(way, ABOVE), _Pairs(way, BELOW)) for way in ways)


def _dominating(curve: Curve) -> Masses:
    """The symmetric pair whose curve is the chord polygon of this curve's upper bounds."""
    epsilons, values = curve.knots(np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 1500)]))
    values = np.minimum.accumulate(values)
    last = int(np.searchsorted(-values, -max(1e-15, 2 * float(values[-1])))) + 1
    epsilons, values = epsilons[: last + 1], values[: last + 1]
    return polygon(*convex(np.exp(epsilons), values))


def _total(
    parts: list[tuple[Masses, int]],
    place: Callable[[Floats, Floats, float], Placed],
    decay: Decay,
    first: int,
    likely: _Range,
) -> GridSum:
    """The sum of the parts' losses on one grid, placed from above (`_split`) or from below (`_merge`), and weighed."""
    tilt, step = decay.tilt, decay.step
    listed, placed, infinite, drift, scale, slip = [], [], 0.0, 0.0, 0.0, 0.0
    for (p, q, tail), count in parts:
        sure, never = (p > 0) & (q > 0), (p > 0) & (q <= 0)
        lost = min(1.0, float(p[never].sum()) + tail)
        infinite += count * (math.log1p(-lost) if lost < 1 else -math.inf)
        at, masses, moved = place(p[sure], q[sure], step)
        drift += count * (loss_drift(p[sure], q[sure]) + moved)
        heavy, log, off = weighed(at.astype(float) * (tilt * step), masses)
        listed.append((at.astype(float) * step, masses, count))
        placed.append((at, heavy, count))
        scale += count * log
        slip += count * off
    mass, error = added(placed, first)
    ends = first * step, (first + lossgrids.GRID - 1) * step
    outside = _outside(listed, ends, likely, tilt, scale)
    return GridSum(decay, first, mass, scale, error, -math.expm1(infinite), outside, drift, slip)


def _lowest(value: Callable[[float], float]) -> tuple[float, float]:
    """About the lowest value at any tilt, of one that falls and then rises, and the tilt: a value at one of them, in
    any case.
    """

    @cache
    def at(place: int) -> float:
        return value(float(TILTS[place]))

    def rises(place: int) -> bool:
        return at(place) <= at(place + 1)

    lowest = least(rises, -1, len(TILTS) - 1, middle=lambda low, high: (low + high + 1) // 2)[1]
    return float(TILTS[lowest]), at(lowest)


def _outside(
    parts: list[tuple[Floats, Floats, int]], ends: tuple[float, float], likely: _Range, tilt: float, scale: float
) -> float:
    """A bound on the weighed mass of the sum outside the ends: masses times exp(tilt · loss), divided by exp(scale)."""
    below = _cumulant(parts, tilt - likely.down) - scale + likely.down * ends[0]
    above = _cumulant(parts, tilt + likely.up) - scale - likely.up * ends[1]
    return bounds_up(math.exp(min(0.0, above)) + math.exp(min(0.0, below)))


def _cumulant(parts: list[tuple[Floats, Floats, int]], tilt: float) -> float:
    """Log E exp(tilt · sum), from above."""
    return sum(count * log_moment(loss, mass, tilt) for loss, mass, count in parts)


ABOVE = _Side(
    lambda part, step, tilt: clipped_above(part.above(step, tilt)), lambda part, at: part.log_moment(at), split
)
BELOW = _Side(
    lambda part, step, tilt: clipped_below(part.below(WIDER * step, tilt)),
    lambda part, at: part.log_moment_below(at),
    merge,
)
