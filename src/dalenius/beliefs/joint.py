"""Several figures of the same records at once: the joint law of a vector of sums."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import excess_above, excess_below, excesses_above
from dalenius.enclosure.outward import (
    add_up,
    difference_down,
    exponential,
    running_up,
    times_up,
    total_up,
    up,
)
from dalenius.enclosure.transforms import Complexes, sum_on_box, turns
from dalenius.numerics import fourier
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats

Vector: TypeAlias = tuple[int, ...]
Typed: TypeAlias = tuple[NDArray[np.int64], Sequence[Fraction], int]  # vectors, their probabilities, how many records
LARGEST = 1 << 23  # points of a joint law
OUTSIDE = 1e-18  # mass of each coordinate that the box may leave out
LARGEST_FACTOR = 1e300  # as good as infinite, and 0 times it is 0


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointLaw:
    """Probabilities on a box of the lattice Z^d, each within `error`, but for mass `tail` that is outside or
    misplaced.
    """

    start: Vector
    mass: Floats
    error: float
    tail: float

    def shifted_window(self, shift: Vector) -> tuple[Floats, Floats]:
        """The law, and the law moved by `shift`, on the first one's box; zero where the other has none."""
        other = np.zeros_like(self.mass)
        into, out = [], []
        for move, size in zip(shift, self.mass.shape, strict=True):
            into.append(slice(max(0, move), size + min(0, move)))
            out.append(slice(max(0, -move), size - max(0, move)))
        if all(abs(move) < size for move, size in zip(shift, self.mass.shape, strict=True)):
            other[tuple(into)] = self.mass[tuple(out)]
        return self.mass, other


def joint_law(letters: Mapping[Vector, Fraction], count: int, outside: float = OUTSIDE) -> JointLaw:
    """The law of the sum of `count` independent vectors of one law."""
    return joint_law_of([(letters, count)], outside)


def joint_law_of(types: Sequence[tuple[Mapping[Vector, Fraction], int]], outside: float = OUTSIDE) -> JointLaw:
    """The law of the sum of independent vectors, so many of each law, by one FFT of its characteristic function.

    The box holds all but `outside` of each coordinate's mass; what is outside is folded in, and charged as tail. What
    rounding does is in `enclosure/transforms.py`.
    Cost: O(box log box + for each law box log count + letters x longest side).
    """
    each = [(np.array(list(letters), dtype=np.int64), list(letters.values()), count) for letters, count in types]
    sides = each[0][0].shape[1]
    ends = [_coordinate(each, axis, outside) for axis in range(sides)]
    shape = [fourier.next_fast_len(stop - start) for start, stop, _ in ends]
    if math.prod(shape) > LARGEST:
        raise InputError(
            f"The joint law of these figures needs {math.prod(shape)} points, more than {LARGEST}. Publish fewer "
            "figures of the same columns together, or declare a coarser unit."
        )
    spectra = [
        (_spectrum(vectors, np.array([float(chance) for chance in chances]), shape), count, len(chances))
        for vectors, chances, count in each
    ]
    start = tuple(first for first, _, _ in ends)
    mass, error = sum_on_box(spectra, start)
    return JointLaw(start, mass, error, total_up(lost for _, _, lost in ends))


def _coordinate(types: Sequence[Typed], axis: int, outside: float) -> tuple[int, int, float]:
    """Where a coordinate's sum lies, but for mass `outside`, and a bound on what is outside."""
    from dalenius.numerics.charfun import ladder
    from dalenius.numerics.cumulant import TypeSum

    live = [(vectors[:, axis], chances, count) for vectors, chances, count in types if count]
    fixed = sum(count * int(values[0]) for values, _, count in live if len(set(values.tolist())) == 1)
    live = [one for one in live if len(set(one[0].tolist())) > 1]
    if not live:
        return fixed, fixed + 1, 0.0
    distinct = np.unique(np.concatenate([values for values, _, _ in live]))
    table = np.array(
        [
            np.bincount(
                np.searchsorted(distinct, values),
                weights=[float(chance) for chance in chances],
                minlength=len(distinct),
            )
            for values, chances, _ in live
        ]
    )
    counts = np.array([count for *_, count in live])
    roundings = max(len(chances) for _, chances, _ in live)
    law = ladder(TypeSum.of(distinct, table, counts, roundings=roundings), floor=1e-30).law()
    upper = law.balls.upper
    left = int(np.searchsorted(running_up(upper), outside / 2))
    right = int(np.searchsorted(running_up(upper[::-1]), outside / 2))
    return fixed + law.start + left, fixed + law.stop - right, add_up(outside, law.tail)


def _spectrum(vectors: NDArray[np.int64], chances: Floats, shape: Sequence[int]) -> Complexes:
    """Σ chance exp(i t·v) on the grid: the last coordinate directly, the others as outer products."""
    total = np.zeros(shape, dtype=complex)
    for prefix in sorted({tuple(vector[:-1]) for vector in vectors.tolist()}):
        same = (vectors[:, :-1] == np.array(prefix, dtype=np.int64)).all(axis=1)
        part = np.zeros(shape[-1], dtype=complex)
        for step, chance in zip(vectors[same, -1].tolist(), chances[same].tolist(), strict=True):
            part += chance * turns(shape[-1], step)
        for size, step in zip(reversed(shape[:-1]), reversed(prefix), strict=True):
            part = np.multiply.outer(turns(size, step), part)
        total += part
    return total


@final
@dataclass(frozen=True, slots=True, eq=False)
class VectorCurve(Curve):
    """A vector of sums against itself moved by each of several vectors, both ways round; `missing` is added to delta.

    Cost of `delta`: one pass over the box for each vector and direction.
    """

    law: JointLaw
    shifts: tuple[Vector, ...]
    missing: float = 0.0

    def delta(self, epsilon: Fraction) -> Bracket:
        uppers = {}
        for shift in self.shifts:
            for move in (shift, tuple(-step for step in shift)):
                uppers[move] = self._upper(move, epsilon)
        worst = max(uppers, key=lambda move: uppers[move])
        upper = min(1.0, up(uppers[worst] + self.missing))
        return Bracket(0.0 if self.missing else min(self._lower(worst, epsilon), upper), upper)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """All of them, for one pass over the box a vector and direction: outcomes are sorted by how much likelier they
        are in one world, and δ at each ε is what those above e^ε have more.
        """
        worst = np.zeros(len(epsilons))
        for shift in self.shifts:
            for move in (shift, tuple(-step for step in shift)):
                worst = np.maximum(worst, excesses_above(*self._pair(move), epsilons))
        factor = add_up(Balls.of(epsilons).exp().upper, 1.0)
        charged = add_up(times_up(factor, self.law.tail), self.missing)
        return epsilons, np.minimum(add_up(worst, charged), 1.0)

    def _pair(self, shift: Vector) -> tuple[Balls, Balls]:
        """The law, and the law moved by `shift`, on the first one's box, in a row."""
        first, second = (Balls.within(mass.ravel(), self.law.error) for mass in self.law.shifted_window(shift))
        return first, second

    def _upper(self, shift: Vector, epsilon: Fraction) -> float:
        least, most = exponential(epsilon)
        excess = excess_above(*self._pair(shift), least)
        return add_up(excess, times_up(add_up(1.0, min(most, LARGEST_FACTOR)), self.law.tail))

    def _lower(self, shift: Vector, epsilon: Fraction) -> float:
        most = exponential(epsilon)[1]
        excess = excess_below(*self._pair(shift), most)
        outside = times_up(add_up(1.0, min(most, LARGEST_FACTOR)), self.law.tail)
        return min(1.0, difference_down(excess, outside))


def common_part(types: Sequence[Mapping[Vector, Fraction]]) -> tuple[Fraction, dict[Vector, Fraction]]:
    """The largest law that every type contains, and the weight with which they all contain it."""
    shared = {vector: min(law.get(vector, Fraction(0)) for law in types) for vector in types[0]}
    weight = sum(shared.values(), Fraction(0))
    return weight, {vector: mass / weight for vector, mass in shared.items() if mass} if weight else {}


def sure_count(count: int, weight: Fraction, miss: float) -> tuple[int, float]:
    """A number m of live records, and a bound on the probability that fewer than m of `count` are live, at most
    about `miss`.
    """
    if weight == 1:
        return count, 0.0
    rate = float(weight)
    law = law_of_rates(np.array([rate]), np.array([count]))
    below = add_up(running_up(law.balls.upper), law.tail)
    at = int(np.searchsorted(below, miss))
    return (law.start + at, float(below[at - 1])) if at else (0, 0.0)


def sure_parts(
    types: Sequence[tuple[Mapping[Vector, Fraction], int]], miss: float
) -> tuple[list[tuple[dict[Vector, Fraction], int]], float]:
    """Types of records of which only masses are known that no probability is below: so many of each type are draws from
    these masses, made a law, but for a probability of about `miss` that fewer are.

    To reveal all other records never helps privacy. Records that are known are taken out afterwards: they may all be
    such draws.
    """
    found, missing = [], 0.0
    for masses, count in types:
        weight = sum(masses.values(), Fraction(0))
        if not weight:
            continue
        live, lost = sure_count(count, weight, miss / len(types))
        if live:
            found.append(({vector: mass / weight for vector, mass in masses.items() if mass}, live))
            missing = add_up(missing, lost)
    return found, missing
