"""Several figures of the same records at once: the joint law of a vector of sums."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.basics.values import dataclass
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT, pairwise
from dalenius.enclosure.outward import exponential, up
from dalenius.enclosure.transforms import Complexes, transform_error
from dalenius.numerics import fourier
from dalenius.numerics.charfun import ladder
from dalenius.numerics.convolve import powers
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats

Vector: TypeAlias = tuple[int, ...]
PHASE = 40  # units: rounding of an angle up to 2π, sine and cosine, and the product need 27; see `joint_law`
LARGEST = 1 << 23  # points of a joint law
OUTSIDE = 1e-18  # mass of each coordinate that the box may leave out


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
    """The law of the sum of `count` independent vectors, by one FFT of its characteristic function.

    The box holds all but `outside` of each coordinate's mass; what is outside is folded in, and charged as tail. The
    characteristic function of one vector errs by (letters + PHASE x sides) units at each frequency, its power by count
    times that. What is left of the `PHASE` units, 13 times the mean size of the transform and so of any mass at least,
    is more than the powers, the last division and the means themselves lose.
    Cost: O(box log box + box log count + letters x longest side).
    """
    vectors = np.array(list(letters), dtype=np.int64)
    chances = np.array([float(chance) for chance in letters.values()])
    ends = [_coordinate(vectors[:, axis], chances, count, outside) for axis in range(vectors.shape[1])]
    shape = [fourier.next_fast_len(stop - start) for start, stop, _ in ends]
    if math.prod(shape) > LARGEST:
        raise InputError(
            f"The joint law of these figures needs {math.prod(shape)} points, more than {LARGEST}. Publish fewer "
            "figures of the same columns together, or declare a coarser unit."
        )
    one = _spectrum(vectors, chances, shape)
    units = len(chances) + PHASE * len(shape)
    errors = count * units * UNIT * np.abs(one) ** max(count - 1, 0)
    whole = powers(one, count)
    for axis, (start, _, _) in enumerate(ends):
        others = [other for other in range(len(shape)) if other != axis]
        whole = whole * np.expand_dims(_turns(shape[axis], -start), others)
    norm = float(np.linalg.norm(whole)) / math.sqrt(whole.size)
    error = float(errors.mean()) + transform_error(whole.size, norm)
    error += PHASE * len(shape) * UNIT * float(np.abs(whole).mean())
    mass = np.maximum(fourier.fftn(whole).real / whole.size, 0.0)
    return JointLaw(tuple(start for start, _, _ in ends), mass, error, sum(lost for _, _, lost in ends) * 1.001)


def _turns(size: int, step: int) -> Complexes:
    """exp(2πi j step / size) for j = 0..size - 1; turns are reduced in whole numbers, so they err by `PHASE` units."""
    return np.asarray(np.exp(2j * math.pi * ((np.arange(size) * (step % size)) % size) / size))


def _coordinate(values: NDArray[np.int64], chances: Floats, count: int, outside: float) -> tuple[int, int, float]:
    """Where a coordinate's sum lies, but for mass `outside`, and a bound on what is outside."""
    if count == 0 or len(set(values.tolist())) == 1:
        at = count * int(values[0])
        return at, at + 1, 0.0
    distinct, inverse = np.unique(values, return_inverse=True)
    table = np.bincount(inverse, weights=chances).astype(float)[None, :]
    law = ladder(TypeSum.of(distinct, table, np.array([count]), roundings=len(chances)), floor=1e-30).law()
    upper = law.mass + law.error
    left = int(np.searchsorted(np.cumsum(upper), outside / 2))
    right = int(np.searchsorted(np.cumsum(upper[::-1]), outside / 2))
    return law.start + left, law.stop - right, outside + law.tail


def _spectrum(vectors: NDArray[np.int64], chances: Floats, shape: Sequence[int]) -> Complexes:
    """Σ chance exp(i t·v) on the grid: the last coordinate directly, the others as outer products."""
    total = np.zeros(shape, dtype=complex)
    for prefix in sorted({tuple(vector[:-1]) for vector in vectors.tolist()}):
        same = (vectors[:, :-1] == np.array(prefix, dtype=np.int64)).all(axis=1)
        part = np.zeros(shape[-1], dtype=complex)
        for step, chance in zip(vectors[same, -1].tolist(), chances[same].tolist(), strict=True):
            part += chance * _turns(shape[-1], step)
        for size, step in zip(reversed(shape[:-1]), reversed(prefix), strict=True):
            part = np.multiply.outer(_turns(size, step), part)
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

        A ratio that is rounded across e^ε costs two units of the outcome's mass; sums of n terms lose n units.
        """
        factors = np.exp(epsilons) * (1 - 4 * UNIT)
        p = self.law.mass.ravel() + self.law.error
        worst = np.zeros(len(epsilons))
        for shift in self.shifts:
            for move in (shift, tuple(-step for step in shift)):
                q = np.maximum(self.law.shifted_window(move)[1].ravel() - self.law.error, 0.0)
                worst = np.maximum(worst, _excesses(p, q, factors))
        charged = (1 + factors * (1 + 8 * UNIT)) * self.law.tail + 8 * UNIT + self.missing
        return epsilons, np.minimum((worst + charged) * (1 + 4 * UNIT), 1.0)

    def _upper(self, shift: Vector, epsilon: Fraction) -> float:
        p, q = self.law.shifted_window(shift)
        least, most = exponential(epsilon)
        gain = p - least * q
        # each term moves by at most error (1 + e^epsilon), and terms below minus that stay out
        room = self.law.error * (1 + least)
        gain += room
        total = float(np.maximum(gain, 0.0, out=gain).sum())
        units = 2 * pairwise(p.size) * UNIT
        return max(total + units * 3 + (1 + min(most, 1e300)) * self.law.tail, 0.0)

    def _lower(self, shift: Vector, epsilon: Fraction) -> float:
        p, q = self.law.shifted_window(shift)
        most, slip = min(exponential(epsilon)[1], 1e300), self.law.error
        gain = p - slip - most * (q + slip)
        chosen = gain > 0
        weight = float(p[chosen].sum() + most * q[chosen].sum())
        units = 2 * pairwise(p.size) * UNIT
        return max(0.0, min(1.0, float(gain[chosen].sum()) - (1 + most) * self.law.tail - units * weight))


def _excesses(p: Floats, q: Floats, factors: Floats) -> Floats:
    """For each of the ascending factors, from above: the sum of p - factor q over where that is positive."""
    telling = p > q * factors[0]
    above, below = p[telling], q[telling]
    with np.errstate(divide="ignore"):
        places = np.searchsorted(factors, above / below)  # how many factors are below the ratio
    sizes = len(factors) + 1
    # what counts for a factor is all that is sorted in after it
    sums = [np.cumsum(np.bincount(places, weights=mass, minlength=sizes)[::-1])[::-1][1:] for mass in (above, below)]
    units = 4 * (len(above) + sizes + 8) * UNIT
    return np.asarray(np.maximum(sums[0] * (1 + units) - factors * sums[1], 0.0))


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
    below = (np.cumsum(law.mass + law.error) + law.tail) * (1 + (len(law.mass) + 8) * UNIT)
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
            missing += lost
    return found, missing * (1 + 2 * (len(types) + 1) * UNIT)
