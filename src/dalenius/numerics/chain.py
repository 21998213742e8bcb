r"""The forward-backward recursion of a Markov chain: sums given one record. Exact arithmetic for the chain, positive
recursions for the laws.

Let X_1, ..., X_n be a chain, c(x) what state x adds, and S the sum of all c(X_j). Given X_i = a the records before i
and those after i are independent, so the law of S is a convolution of two laws, each with a recursion of its own:

$$ L_{i+1}(b, \cdot) = \sum_a R_i(b, a)\, L_i(a, \cdot - c(a)), \qquad
   T_{k+1}(a, \cdot) = \sum_b P(a, b)\, T_k(b, \cdot - c(b)) $$

where L_i(a) is the law of what the records before i add given X_i = a, T_k(a) that of what the k records after it add,
and R_i(b, a) = P(X_i = a | X_{i+1} = b) is the chain run backwards. R_i is a ratio of two whole numbers, rounded once,
so that a state which is reached with probability 1e-3000 has its conditional law like any other; whether a state can be
reached at all is decided in whole numbers. Parity, periods and absorbing states need no care: nothing is assumed of P.

Certified. All terms are positive, so each step adds at most `states + 3` units of relative error; what may be lost
below the smallest floats is charged as `HELD` at every point, unless no product came near it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from typing import final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.outward import ABOVE_ZERO, HELD
from dalenius.numerics.law import Floats, Law

NEAR_ZERO = 1e-290  # products above this cannot have underflowed
SPARSE = 16  # a law that is positive at fewer than one integer in so many is sparse


@final
@dataclass(frozen=True, slots=True)
class MarkovChain:
    """A chain of n records: chances of the first state and of each move, and what each state adds, from 0 up, with
    greatest common divisor 1 (or all 0).

    A stretch of a longer chain: `end` has the chance, for each state of the last record, of what is known to follow it;
    all laws are then given that. `beside` lists other stretches of the same moves, and how often each comes: what they
    add is independent, and counted in.
    """

    start: tuple[Fraction, ...]
    moves: tuple[tuple[Fraction, ...], ...]
    adds: tuple[int, ...]
    n: int
    end: tuple[Fraction, ...] = ()
    beside: tuple[tuple["MarkovChain", int], ...] = ()

    @property
    def size(self) -> int:
        return len(self.start)

    @property
    def highest(self) -> int:
        """The most that all records may add."""
        return self.records * max(self.adds)

    @property
    def records(self) -> int:
        """How many records there are, those of the stretches beside it too."""
        return self.n + sum(stretch.n * count for stretch, count in self.beside)

    @property
    def backwards(self) -> "MarkovChain":
        """The same records in the other order, up to a factor: weights instead of chances."""
        turned = tuple(zip(*self.moves, strict=True))
        return MarkovChain(self.end or (Fraction(1),) * self.size, turned, self.adds, self.n, self.start)

    @property
    def sums(self) -> int:
        """At most so many sums are possible: one for each way in which the records share out among the addends."""
        different = len(set(self.adds))
        return min(self.highest + 1, comb(self.n + different - 1, different - 1))

    def weights(self) -> Iterator[tuple[int, ...]]:
        """P(X_i = a) for i = 1, ..., n as whole numbers, each time up to a common factor. Cost O(n² states²)."""
        moves = self.whole_moves()
        scale = lcm(*(chance.denominator for chance in self.start))
        weights = [int(chance * scale) for chance in self.start]
        yield tuple(weights)
        for _ in range(self.n - 1):
            weights = [sum(w * row[b] for w, row in zip(weights, moves, strict=True) if w) for b in range(self.size)]
            common = gcd(*weights)
            weights = [weight // common for weight in weights]
            yield tuple(weights)

    def whole_moves(self) -> list[list[int]]:
        """The moves' chances times their common denominator."""
        scale = lcm(*(chance.denominator for row in self.moves for chance in row))
        return [[int(chance * scale) for chance in row] for row in self.moves]


def reduced(contributions: Sequence[int]) -> tuple[tuple[int, ...], int, int]:
    """Contributions as least + step · adds: the adds, the least, the step.

    >>> reduced([5, 11, 8])
    ((0, 2, 1), 5, 3)
    """
    least = min(contributions)
    step = gcd(*(value - least for value in contributions)) or 1
    return tuple((value - least) // step for value in contributions), least, step


@final
@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Laws of what one side of the target adds, a row for each state; rows of impossible states are zero."""

    masses: Floats
    sure: bool  # no product came near the smallest float, so zeros are exact


def befores(chain: MarkovChain) -> Iterator[Side]:
    """What the records before record i add, given its state, for i = 1, ..., n. Cost O(n states² length) in all."""
    moves, weights = chain.whole_moves(), chain.weights()
    now = next(weights)
    side = Side(np.array([[1.0 if w else 0.0] for w in now]), sure=True)
    yield side
    for following in weights:
        totals = [sum(w * row[b] for w, row in zip(now, moves, strict=True)) for b in range(chain.size)]
        back = np.array(
            [
                [_ratio(now[a] * moves[a][b], totals[b]) if now[a] * moves[a][b] else 0.0 for a in range(chain.size)]
                for b in range(chain.size)
            ]
        )
        side = _step(side, back, chain.adds)
        now = following
        yield side


def afters(chain: MarkovChain) -> Iterator[Side]:
    """What the k records after a record add, given its state, for k = 0, 1, ..., n - 1, and given the end if there is
    one: then they are the records before it, in the other order.
    """
    if chain.end:
        yield from befores(chain.backwards)
        return
    moves = np.array([[_ratio(c.numerator, c.denominator) if c else 0.0 for c in row] for row in chain.moves])
    side = Side(np.ones((chain.size, 1)), sure=True)
    yield side
    for _ in range(chain.n - 1):
        side = _step(side, moves, chain.adds)
        yield side


def total(chain: MarkovChain) -> Law:
    """The law of what all records add, given the end. Cost O(n states² length)."""
    for side, weights in zip(befores(chain), chain.weights(), strict=True):
        last, chances = side, weights
    ends = chain.end or (Fraction(1),) * chain.size
    ways = [chance * end for chance, end in zip(chances, ends, strict=True)]
    ratios = [way / sum(ways) for way in ways]
    kernel = np.array([[_ratio(r.numerator, r.denominator) if r else 0.0 for r in ratios]])
    found = _step(last, kernel, chain.adds)
    masses = Balls.rounded(found.masses[0], (chain.n + 1) * (chain.size + 3) + 8)
    return Law.enclosing(0, masses if found.sure else masses.widened(HELD))


def _ratio(part: int, whole: int) -> float:
    """Part / whole, rounded once; a positive ratio stays positive."""
    return max(part / whole, ABOVE_ZERO)


def _step(side: Side, kernel: Floats, adds: tuple[int, ...]) -> Side:
    """One more record: row b of the result is Σ_a kernel[b, a] · (row a moved by adds[a])."""
    length = side.masses.shape[1]
    moved = np.zeros((len(adds), length + max(adds)))
    for row, (masses, add) in enumerate(zip(side.masses, adds, strict=True)):
        moved[row, add : add + length] = masses
    sure = side.sure and _least(kernel) * _least(moved) > NEAR_ZERO
    found = np.zeros_like(moved)
    for b, a in zip(*np.nonzero(kernel), strict=True):
        found[b] += kernel[b, a] * moved[a]
    return Side(found, sure=bool(sure))


def _least(values: Floats) -> float:
    return float(np.min(values, where=values > 0, initial=1.0))


def _convolved(left: Floats, right: Floats) -> Floats:
    """The convolution; where few sums are possible, they are gone through one by one."""
    few, many = sorted((left, right), key=np.count_nonzero)
    places = np.flatnonzero(few)
    if SPARSE * len(places) > len(few):
        return np.asarray(np.convolve(left, right))
    found = np.zeros(len(left) + len(right) - 1)
    for place in places.tolist():
        found[place : place + len(many)] += few[place] * many
    return found


def world(before: Side, after: Side, state: int, chain: MarkovChain) -> Law:
    """The law of the whole sum given the state of one record. Cost O(length · sums)."""
    left, right = before.masses[state], after.masses[state]
    mass = _convolved(left, right)
    sure = before.sure and after.sure and _least(left) * _least(right) > NEAR_ZERO
    # a step: the kernel's rounding, a product, states - 1 sums, and two units that make up for all squares of units;
    # the convolution: a product and the sums of one dot, of which those with nothing are exact
    terms = int(min(np.count_nonzero(left), np.count_nonzero(right)))
    masses = Balls.rounded(mass, chain.n * (chain.size + 3) + terms + 8)
    return Law.enclosing(chain.adds[state], masses if sure else masses.widened(HELD))
