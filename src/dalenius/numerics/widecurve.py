"""How far a sum of a wide range can be told from itself moved, by cells in which its law is smooth.

In a cell of h integers g(x) = p(x) - e^ε p(x - a) lies within `bend` of its chord, so that Σ max(0, g) over the cell is
at most that of the chord's positive ends plus h·bend, and Σ g is at least the chord's own sum less as much. One
evaluation covers all shifts up to the largest: a law that first rises and then falls is nowhere between x - a and x
less than at one of the two. How much the law may fail to do so is charged (`_losses`), cell by cell.

With a hidden lattice mod q, p = u + v as in `wide`: u is on the lattice only, and p(x - a) >= v(x - a). So the law on
the lattice is compared with v, and v with v elsewhere: a bound for every shift, and nearly attained by those that leave
the lattice.
"""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import add_up, down, exponential, raised, times_up, up
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.law import Floats
from dalenius.numerics.shifts import sliding_least
from dalenius.numerics.wide import Smooth, WideLaw

CLOSE = 1.02  # what an upper bound may be of the lower one without another search
RANGES = 100  # of shifts that are looked at
EVEN = 1e-3  # by how much another event must be better to be told
SUMMED = 40_000  # units of a sum over all cells, many times over


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Losses:
    """By how much v at a point may exceed v at points further in, cell by cell: on the way up, and on the way down."""

    rising: Floats
    falling: Floats
    least: Floats  # of v, throughout each cell

    @classmethod
    def of(cls, law: WideLaw) -> "_Losses":
        v, (rises, falls) = law.at(0, 0), law.slopes()
        error = np.maximum(v.left_error, v.right_error)
        bend = np.where(rises | falls, 0.0, v.bend)
        # a loss may be all of it but a little: what differences of these will lose is in both, twice
        most = raised(np.maximum(v.left, v.right) + bend + error, 3)
        low = np.minimum(v.left, v.right)
        least = (Balls.rounded(low, 3) - bend - error).lower  # of which little may be left
        peak = int(np.argmax(v.left + v.right))
        up = _fallen(most[: peak + 1], least[: peak + 1], np.where(rises, 2 * error, most - least)[: peak + 1])
        down = _fallen(most[peak:][::-1], least[peak:][::-1], np.where(falls, 2 * error, most - least)[peak:][::-1])
        rising, falling = np.zeros(law.cells), np.zeros(law.cells)
        rising[: peak + 1], falling[peak:] = up, down[::-1]
        return cls(rising, falling, np.maximum(least, 0.0))

    def at(self, law: WideLaw, shift: int, *, rising: bool) -> Floats:
        """For the cells moved down by `shift`: each meets two cells."""
        values = self.rising if rising else self.falling
        first = (law.nodes() - shift - law.start) // law.cell
        padded = np.concatenate([[0.0], values, [0.0]])
        one, two = (padded[np.clip(first + 1 + more, 0, len(values) + 1)] for more in (0, 1))
        return np.asarray(np.maximum(one, two))


def _fallen(most: Floats, least: Floats, inside: Floats) -> Floats:
    """The most by which a cell may exceed what follows it, itself included."""
    following = np.append(np.minimum.accumulate(least[::-1])[::-1][1:], np.inf)
    return np.asarray(np.maximum(inside, np.maximum(most - following, 0.0)))


Chosen: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """The event behind a lower bound: cells in which the law exceeds e^ε the moved one. Their points count in three
    kinds: those on the lattice, those that came from it, all others (without a lattice, these are all).
    """

    shift: int  # x is compared with x - shift
    chosen: Chosen
    value: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class WideShifts:
    """A law against itself moved by 1 to `shift`, both ways round. Cost of `delta`: that of evaluating the law."""

    law: WideLaw
    shift: int
    _found: dict[tuple[int, int], Smooth] = field(default_factory=dict, repr=False)
    _lost: list[_Losses] = field(default_factory=list, repr=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        lower = max(moved.value for moved in self._events(epsilon))
        upper = max(self._most(epsilon, self.shift), self._most(epsilon, -self.shift))
        if upper > CLOSE * lower + self.law.tail:
            upper = min(upper, self._searched(epsilon, lower))
        upper = min(1.0, up(upper + self.law.tail, SUMMED))
        return Bracket(min(lower, upper), upper)

    def _searched(self, epsilon: Fraction, lower: float) -> float:
        """The same by ranges of shifts, halved where it matters: for laws that rise and fall more than once."""
        narrow = max(1, self.law.cell // 2)

        def look(first: int, last: int) -> Region[float, None]:
            bound, middle = self._range(epsilon, first, last), (first + last) // 2
            if last - first <= narrow:
                return Region(bound)
            return Region(bound, split=lambda _: itertools.starmap(look, ((first, middle), (middle, last))))

        def stop(found: Largest[float, None]) -> bool:
            near = found.open <= max(CLOSE * lower, self.law.tail)
            return near or found.settled or found.splits >= RANGES

        return largest((0.0, None), [look(0, self.shift)], stop=stop).upper

    def _range(self, epsilon: Fraction, first: int, last: int) -> float:
        """Σ max(0, p(x) - e^ε min v), the least v within first + 1 to last of x, either way: cell by cell."""
        law, least, factor = self.law, self._losses().least, exponential(epsilon)[0]
        here, on = self._at(0, 0), law.cell // law.q if law.lattice else 0
        v = add_up(_higher(here), here.bend)
        part = self._at(0, 1).times(law.q) if law.lattice else None
        p = v if part is None else add_up(add_up(v, part.bend), _higher(part))
        before = max(0, (first + 2 - law.cell) // law.cell), -(-last // law.cell)
        after = (first + 1) // law.cell, (law.cell - 1 + last) // law.cell
        found = []
        for low in (sliding_least(least[::-1], *before)[::-1], sliding_least(least, *after)):
            taken = Balls.of(low) * factor
            off = np.maximum((Balls.rounded(v, 4) - taken).upper, 0.0).sum() * (law.cell - on)
            found.append(off + (np.maximum((Balls.rounded(p, 4) - taken).upper, 0.0).sum() * on if on else 0.0))
        return float(max(found))

    def _at(self, shift: int, part: int) -> Smooth:
        if (shift, part) not in self._found:
            self._found[shift, part] = self.law.at(shift, part)
        return self._found[shift, part]

    def _losses(self) -> _Losses:
        if not self._lost:
            self._lost.append(_Losses.of(self.law))
        return self._lost[0]

    def _most(self, epsilon: Fraction, shift: int) -> float:
        """Σ max(0, p(x) - e^ε min v), the least v from x - shift to x."""
        law, lost = self.law, self._losses()
        factor = exponential(epsilon)[0]
        here, there = self._at(0, 0), self._at(shift, 0)
        fallen = lost.at(law, shift, rising=shift > 0), lost.at(law, 0, rising=shift < 0)
        whole, on = law.cell, law.cell // law.q
        if law.lattice is None:
            return _above(here, None, (here, there), fallen, factor, ((whole + 1) / 2, (whole - 1) / 2))
        part = self._at(0, 1).times(law.q)
        off = _above(here, None, (here, there), fallen, factor, ((whole - on) / 2, (whole - on) / 2))
        return off + _above(here, part, (here, there), fallen, factor, ((on + 1) / 2, (on - 1) / 2))

    def event(self, epsilon: Fraction) -> Moved:
        """The best event among unions of cells; of two that are nearly as good, one that moves upwards."""
        return max(self._events(epsilon), key=lambda one: one.value * (1 + EVEN * (one.shift > 0)))

    def _events(self, epsilon: Fraction) -> list[Moved]:
        """For the largest shift, and for one that leaves the lattice."""
        shifts = {self.shift, self.shift - 1} if self.shift % self.law.q == 0 and self.law.q > 1 else {self.shift}
        return [self._least(epsilon, sign * shift) for shift in sorted(shifts - {0}) for sign in (1, -1)]

    def _least(self, epsilon: Fraction, shift: int) -> Moved:
        factor = exponential(epsilon)[1]
        nothing = np.zeros(self.law.cells, dtype=bool)
        if not shift or not np.isfinite(factor):
            return Moved(shift, (nothing, nothing, nothing), 0.0)
        kinds = [
            _below(ours, theirs, factor, ends)
            for ours, theirs, ends in zip(self._pieces(0), self._pieces(shift), weights(self.law, shift), strict=True)
        ]
        value = down(sum(float(np.maximum(kind, 0.0).sum()) for kind in kinds), SUMMED) - factor * self.law.tail
        on, back, off = (kind > 0 for kind in kinds)
        return Moved(shift, (on, back, off), max(0.0, min(1.0, value)))

    def _pieces(self, shift: int) -> list[list[Smooth]]:
        """The parts of the moved law at the three kinds of points: u is there only where the lattice was moved to."""
        v = self._at(shift, 0)
        if self.law.lattice is None:
            return [[v], [v], [v]]
        u, at = self._at(shift, 1).times(self.law.q), 1 if shift % self.law.q else 0
        return [[v, u] if kind == at else [v] for kind in range(3)]

    def probabilities(self, shift: int, chosen: Chosen) -> tuple[float, float]:
        """Of the event: from below under the law, from above under the law moved by the shift."""
        ends = weights(self.law, shift)
        first, second = (
            sum(
                _sum(parts, cells, end, sign)
                for parts, cells, end in zip(self._pieces(move), chosen, ends, strict=True)
            )
            for move, sign in ((0, -1), (shift, 1))
        )
        return max(0.0, down(first, SUMMED)), min(1.0, up(second + self.law.tail, SUMMED))


Ends: TypeAlias = tuple[float, float]  # the weights of a cell's two ends, in the sum of a chord over its points


def weights(law: WideLaw, shift: int) -> tuple[Ends, Ends, Ends]:
    """For the points of a cell on the lattice, for those that come from it by the shift, and for the others."""
    whole, on = law.cell, law.cell // law.q
    if law.lattice is None:
        return (0.0, 0.0), (0.0, 0.0), ((whole + 1) / 2, (whole - 1) / 2)
    if shift % law.q == 0:
        return ((on + 1) / 2, (on - 1) / 2), (0.0, 0.0), ((whole - on) / 2, (whole - on) / 2)
    back = (on * (shift % law.q) + law.q * on * (on - 1) / 2) / whole
    rest = (whole - on) / 2 - (on - back), (whole - on) / 2 - back
    return ((on + 1) / 2, (on - 1) / 2), (on - back, back), rest


def _above(
    here: Smooth,
    part: Smooth | None,
    lower: tuple[Smooth, Smooth],
    fallen: tuple[Floats, Floats],
    factor: float,
    ends: Ends,
) -> float:
    """An upper bound on the sum of max(0, p - factor · min v) over the cells; min v is at one of two places."""
    near, far = lower
    up = [add_up(here.left, here.left_error), add_up(here.right, here.right_error)]
    bend = here.bend
    if part is not None:
        up = [add_up(add_up(up[0], part.left), part.left_error), add_up(add_up(up[1], part.right), part.right_error)]
        bend = add_up(bend, part.bend)
    values, slack = [], add_up(times_up(np.maximum(near.bend, far.bend), factor), bend)
    for side, most in enumerate(up):
        low = np.minimum(
            *(
                _left(*((one.left, one.left_error) if side == 0 else (one.right, one.right_error)), lost)
                for one, lost in zip((far, near), fallen, strict=True)
            )
        )
        values.append((Balls.rounded(most, 4) - Balls.rounded(low, 4) * factor).upper)
    count = ends[0] + ends[1]
    apart = [ends[0] * np.maximum(values[0], 0.0) + ends[1] * np.maximum(values[1], 0.0) + count * slack]
    highest = np.maximum(*values)
    dark = np.where(highest <= 0, count * np.maximum(add_up(highest, slack), 0.0), np.inf)
    alone = ends[0] * np.maximum(up[0], 0.0) + ends[1] * np.maximum(up[1], 0.0) + count * bend
    return float(np.minimum(np.minimum(apart[0], dark), alone).sum())


def _higher(part: Smooth) -> Floats:
    """The larger of both ends of each cell, from above."""
    return np.maximum(add_up(part.left, part.left_error), add_up(part.right, part.right_error))


def _left(value: Floats, error: Floats, lost: Floats) -> Floats:
    """A value less its error and a loss, from below: where they cancel, rounding may be more than what is left."""
    return (Balls.rounded(value, 2) - error - lost).lower


def _below(ours: list[Smooth], theirs: list[Smooth], factor: float, ends: Ends) -> Floats:
    """A lower bound on the sum of p - factor · p(moved) over each cell."""
    total = Balls.of(np.zeros(len(ours[0].left)))
    for part, times, sign in [*((one, 1.0, -1) for one in ours), *((one, -factor, 1) for one in theirs)]:
        left = Balls.rounded(part.left, 4) + sign * part.left_error
        right = Balls.rounded(part.right, 4) + sign * part.right_error
        bent = Balls.of(part.bend) * abs(times) * (ends[0] + ends[1])
        total = total + (left * ends[0] + right * ends[1]) * times - bent
    return total.lower


def _sum(parts: list[Smooth], chosen: NDArray[np.bool_], ends: Ends, sign: int) -> float:
    """The probability of some cells, from below (sign -1) or from above (1)."""
    each = sum(
        ends[0] * (part.left + sign * part.left_error)
        + ends[1] * (part.right + sign * part.right_error)
        + sign * (ends[0] + ends[1]) * part.bend
        for part in parts
    )
    return float(np.maximum(np.asarray(each)[chosen], 0.0).sum())
