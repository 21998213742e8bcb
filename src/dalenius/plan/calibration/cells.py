"""Many cells of yes/no records, each with a rate and a size of its own, bounded at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.outward import amply_down, raised
from dalenius.judge.group import Laws
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.numerics.law import Floats
from dalenius.numerics.many_binomials import Binomials

RAREST = Fraction(1, 10**9)
LARGEST = 1 << 24
ROOM = 1e-6  # of the wanted delta: what a window may leave out


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """`places`: which of the cells are one kind of yes/no records, so that they are rows of `laws`; `others`: the rest.

    Of a cell of n such records, of which k are known and one is the target's, the other n - k - 1 hide: the
    total is binomial, and the two worlds differ by one.
    """

    places: tuple[int, ...]
    others: tuple[int, ...]
    laws: Binomials
    anywhere: NDArray[np.bool_]

    @classmethod
    def of(cls, cells: Sequence[tuple[int, int, Laws]], wanted: Fraction, *, anywhere: bool) -> "Cells":
        """From (size, known, kind) of each cell."""
        rates = [_rate(kind) if size - known - 1 > 0 else None for size, known, kind in cells]
        places = tuple(i for i, rate in enumerate(rates) if rate is not None and cells[i][0] <= LARGEST)
        counts = np.array([cells[i][0] - cells[i][1] - 1 for i in places], dtype=np.int64)
        odds = np.array([float(rate / (1 - rate)) for i in places if (rate := rates[i]) is not None], dtype=float)
        moved = np.array([anywhere or cells[i][1] > 0 for i in places], dtype=bool)
        tail = min(200.0, max(20.0, -math.log(max(float(wanted) * ROOM, 1e-80))))
        inside = frozenset(places)
        others = tuple(i for i in range(len(cells)) if i not in inside)
        return cls(places, others, Binomials(counts, odds, tail), moved)

    def exact(self, epsilon: Fraction) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the rows' δ."""
        return self.laws.exact(epsilon)

    def uppers(self, epsilon: Fraction, channel: Chain) -> tuple[Floats, Sequence[int]]:
        """Upper bounds of the rows' δ with this channel, and the cells about which nothing is said."""
        nothing = np.zeros(0), range(len(self.places) + len(self.others))
        match channel.links:
            case ():
                return self.exact(epsilon)[1], self.others
            case (TwoSidedGeometric(scale),):
                return self.laws.geometric(epsilon, scale), self.others
            case (DiscreteGaussian() as noise,):
                try:
                    return self.laws.noisy(epsilon, noise.noise()), self.others
                except InputError:
                    return nothing
            case (Rounded(base),):
                rounded = self.laws.rounded(epsilon, base, self.anywhere)
                return np.minimum(rounded, self.exact(epsilon)[1]), self.others  # a function of the exact total
            case _:
                return nothing


def _rate(kind: Laws) -> Fraction | None:
    """P(1) of a cell in which everybody adds 1 or nothing, with one probability; None of other cells."""
    if kind.least or len(kind.types) != 1 or sorted(kind.domain) != [(0,), (1,)]:
        return None
    rate = dict(kind.types[0][0]).get((1,), Fraction(0))
    return rate if RAREST <= rate <= 1 - RAREST else None


def coins_bound(kind: Laws, removed: int, epsilon: Fraction, wanted: Fraction) -> float:
    """A cheap upper bound of δ for yes/no records of many different rates, worst over which `removed` are taken out; 1
    where it says nothing.

    A record of rate p is, with probability u = 2 min(p, 1-p), a fair coin that is tossed apart from all else. Of the
    records of least u, μ coins are expected; fewer than k = μ - √(2μ ln(1/η)) have a probability of at most η
    (Chernoff). Reveal all else: δ is at most η plus that of k fair coins, which falls with k. Cost: O(rates).
    """
    if kind.least or sorted(kind.domain) != [(0,), (1,)] or not wanted:
        return 1.0
    weights = sorted((2 * min(rate, 1 - rate), count) for rate, count in _rates(kind))
    left, expected = sum(count for _, count in weights) - removed, Fraction(0)
    for weight, count in weights:
        taken = min(count, max(left, 0))
        expected, left = expected + weight * taken, left - taken
    spare, mean = float(wanted) / 100, float(expected)
    if not spare:
        return 1.0
    coins = math.floor(amply_down(mean - math.sqrt(2 * mean * math.log(1 / spare))))  # it loses below 1e-12
    if not 0 < coins <= LARGEST:
        return 1.0
    tail = max(20.0, -math.log(max(float(wanted) * ROOM, 1e-80)))
    upper = Binomials(np.array([coins], dtype=np.int64), np.ones(1), tail).exact(epsilon)[1]
    return min(1.0, raised(float(upper[0]) + spare, 1000))


def _rates(kind: Laws) -> list[tuple[Fraction, int]]:
    return [(dict(law).get((1,), Fraction(0)), count) for law, count in kind.types]
