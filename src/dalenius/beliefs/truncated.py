"""Truncated histograms of a sample: counts of at least k are published as they are, all others are hidden.

The person is in the sample, in one cell, and must look as if their record had not been used (distributional
differential privacy with the simulator that leaves the record out; coupled worlds, Theorem 10, repaired). What matters
is B, the number of others in the person's cell: B + 1 or B, truncated.

- Poisson and Bernoulli samples have independent cells, so that only the person's cell matters, and δ is exact.
- If the sample size has another law, the cell's count is tied to the rest. The rest is taken to be revealed: exact if
  it is not truncated, else an upper bound.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.errors import InputError, PreconditionError, require
from dalenius.numerics.bracket import Bracket, at_least
from dalenius.numerics.cells import Found, WorstMeans
from dalenius.numerics.counts import binomial, hypergeometric
from dalenius.numerics.curve import Curve, Supremum
from dalenius.numerics.families import BinomialFamily, PoissonFamily
from dalenius.numerics.labels import Cell, Counts
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.rounding import LIBM, UNIT
from dalenius.numerics.sized import SizedCell
from dalenius.numerics.spans import ListedMeans
from dalenius.records import exact

Number: TypeAlias = float | str | Fraction
Sizes: TypeAlias = Mapping[int, Number] | Law
Person: TypeAlias = Literal["named", "listed"]
HALF = 0.5


@final
@dataclass(frozen=True, slots=True, eq=False)
class CellsCurve(Curve):
    """The worst of many independent cells, found by branch and bound over their sorted means."""

    worst: WorstMeans

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.find(epsilon).delta

    def find(self, epsilon: Fraction) -> Found:
        """The worst δ with the cell that attains it."""
        return self.worst.find(epsilon, close=1e-9)


@final
@dataclass(frozen=True, slots=True)
class TruncatedHistogram:
    """Publish counts of at least `least`, hide all others, zeros too.

    >>> print(TruncatedHistogram(20).poisson([12, 40]).delta(Fraction(1, 2)))
    [0.002332, 0.002333]
    """

    least: int

    def __post_init__(self) -> None:
        if isinstance(self.least, bool) or self.least != int(self.least) or self.least < 1:
            raise InputError(
                f"A truncated histogram needs a least count k that is a whole number of at least 1, but got "
                f"{self.least!r}. Write 10 to hide counts below 10."
            )

    def codes(self, counts: Counts) -> Counts:
        return np.maximum(counts - self.least + 1, 0)

    def poisson(self, means: Sequence[Number]) -> CellsCurve:
        """The sample size is Poisson: each cell has a Poisson number of others, with these means."""
        found = sorted({exact(mean, name="A mean") for mean in means})
        require(bool(found) and found[0] > 0, "means above 0, one for each cell", got=list(map(str, means))[:8])
        return CellsCurve(
            WorstMeans((Cell(PoissonFamily(), ListedMeans([float(mean) for mean in found]), self.codes),))
        )

    def bernoulli(self, members: Sequence[int], rate: Number) -> CellsCurve:
        """Each of the population is in the sample with probability `rate`; `members` of the population in each cell,
        the person among them.
        """
        chance = exact(rate, name="rate")
        require(0 < chance < 1, "a rate strictly between 0 and 1", got=rate, remedy=EVERYBODY)
        others = sorted({size - 1 for size in _members(members)})
        return CellsCurve(WorstMeans((Cell(BinomialFamily(chance), ListedMeans(others), self.codes),)))

    def draws(self, shares: Sequence[Number], sizes: Sizes, *, person: Person = "named") -> Curve:
        """Independent draws, as many as a random size says; each falls into a cell with these probabilities.

        `sizes`: the law of the size. `person`: "named" is somebody who is found in the sample, so that large samples
        are likelier; "listed" is the record with a given number.
        """
        found = sorted({exact(share, name="The probability of a cell") for share in shares})
        if not found or found[0] <= 0 or found[-1] > 1:
            raise InputError(
                f"Cells need probabilities above 0 and at most 1, but got {', '.join(map(str, shares))}. Leave out "
                "cells that nobody can be in."
            )
        others = others_in_sample(sizes, person=person)
        return self._sized(others, [partial(_binomial, share) for share in found])

    def sample(self, members: Sequence[int], sizes: Sizes, *, person: Person = "named") -> Curve:
        """A sample without replacement of random size from a population with so many members in each cell."""
        cells = _members(members)
        others, population = others_in_sample(sizes, person=person), sum(cells)
        if others.stop > population:
            raise InputError(
                f"A sample without replacement has at most {population} persons, but sizes up to {others.stop} have "
                "positive probability. Correct the sizes, or use draws()."
            )
        for size in sorted(set(cells)):
            _refuse_nearly_everybody(others, size - 1, population - size)
        return self._sized(
            others, [partial(hypergeometric, size - 1, population - size) for size in sorted(set(cells))]
        )

    def _sized(self, others: Law, inside: list[partial[Law]]) -> Curve:
        curves = [SizedCell.of(others, law, self.codes) for law in inside]
        if any(curve is None for curve in curves):
            raise InputError(
                f"Sizes from {others.start} to {others.stop - 1} are too many to list together with the counts of a "
                "cell. Use bernoulli() or poisson(), or a law of sizes that is narrower."
            )
        return Supremum(tuple(curve for curve in curves if curve is not None))


EVERYBODY = "If everybody is in the sample, the counts of the others are known, and nothing hides the person."


def _members(members: Sequence[int]) -> list[int]:
    stray = next((size for size in members if isinstance(size, bool) or size != int(size) or size < 1), None)
    require(stray is None and len(members) > 0, "cells with at least one member, the person", got=stray)
    return [int(size) for size in members]


def _binomial(share: Fraction, size: int) -> Law:
    return binomial(size, share)


def _refuse_nearly_everybody(others: Law, cell: int, rest: int) -> None:
    """If all others of the cell are in the sample, the count of the cell tells: it cannot be so large without the
    person. The probability of that bounds δ from below at every ε.
    """
    whole = 0.0
    for place, mass in enumerate(others.mass.tolist()):
        law = hypergeometric(cell, rest, others.start + place)
        if law.stop == cell + 1:
            least = float(law.mass[-1] - law.error[-1])
            whole += max(0.0, (mass - float(others.error[place])) * least)
    if whole >= HALF:
        raise PreconditionError(
            f"Nearly the whole population is in the sample: with probability at least {at_least(whole)} nobody of a "
            f"cell of {cell + 1} persons is left out, and its count then tells that the person is counted, at every "
            "epsilon. Needed is a sample that leaves out many; add noise instead."
        )


def others_in_sample(sizes: Sizes, *, person: Person = "named") -> Law:
    """The law of the number of others in the sample, given that the person is in it.

    "named": P(N - 1 = s | present) is proportional to (s + 1) P(N = s + 1). "listed": to P(N = s + 1).
    """
    require(person in ("named", "listed"), '"named" or "listed"', got=person)
    law = sizes if isinstance(sizes, Law) else law_of(_size_law(sizes))
    numbers = np.arange(law.start, law.stop, dtype=float)
    keep = numbers >= 1
    require(bool((law.mass[keep] > 0).any()), "a sample of at least one person with positive probability", got="none")
    factor = numbers[keep] if person == "named" else np.ones(int(keep.sum()))
    if law.tail and person == "named":
        raise InputError(
            "The law of sizes leaves a tail open, which a named person makes heavier. Give a law with a largest size."
        )
    weights, slips = law.mass[keep] * factor, law.error[keep] * factor
    total, slip = float(weights.sum()), float(slips.sum()) + law.tail
    mass = weights / total
    spread = slip / total + (len(weights) + 8) * UNIT
    error = (slips / total + mass * spread) * (1 + 4 * spread) + 4 * UNIT * mass
    return Law(int(numbers[keep][0]) - 1, mass, error, law.tail / total * (1 + 4 * spread))


def _size_law(sizes: Mapping[int, Number]) -> dict[int, Fraction]:
    stray = next((size for size in sizes if isinstance(size, bool) or size != int(size) or size < 0), None)
    require(stray is None and bool(sizes), "sample sizes that are whole numbers of at least 0", got=stray)
    return {int(size): exact(chance, name="The probability of a size") for size, chance in sizes.items()}


@final
@dataclass(frozen=True, slots=True)
class Discarding:
    """Make the size of a sample of `records` uncertain by discarding a few of them at random: [K + t]₊ of them, where K
    is two-sided geometric, P(K = k) ∝ exp(-ε |k|), and t = ⌈log(1/δ) / ε⌉.

    What it costs: about t records; and with probability `untouched` nothing is discarded, which any claim must bear.
    """

    records: int
    epsilon: Fraction
    delta: Fraction

    @property
    def usual(self) -> int:
        """How many are discarded when K = 0."""
        return math.ceil(-math.log(float(self.delta)) / float(self.epsilon) - 1e-12)

    @property
    def sizes(self) -> Law:
        """The law of what is left. Two ends take up all that lies beyond."""
        rate, t = float(self.epsilon), self.usual
        k = np.arange(-t, self.records - t + 1, dtype=float)
        weight = -math.expm1(-rate) / (1 + math.exp(-rate))
        mass = weight * np.exp(-rate * np.abs(k))
        mass[0] = math.exp(-rate * t) / (1 + math.exp(-rate))  # K ≤ -t: nothing is discarded
        mass[-1] = math.exp(-rate * (self.records - t)) / (1 + math.exp(-rate))  # K ≥ records - t: everything
        error = mass * ((4 * LIBM + 8 + 4 * rate * np.abs(k)) * UNIT) + 5e-324
        return Law(0, mass[::-1].copy(), error[::-1].copy())

    @property
    def untouched(self) -> Bracket:
        """The probability that nothing is discarded; every δ of the scheme is at least about this."""
        law = self.sizes
        return Bracket(float(law.mass[-1] - law.error[-1]), float(law.mass[-1] + law.error[-1]))

    @property
    def expected(self) -> Bracket:
        """The mean number of records discarded."""
        law = self.sizes
        gone = self.records - np.arange(law.start, law.stop)
        value, slip = float((law.mass * gone).sum()), float((law.error * gone).sum())
        slip += value * 64 * UNIT
        return Bracket(value - slip, value + slip)


def discarding(records: int, *, epsilon: Number, delta: Number) -> Discarding:
    """The scheme that discards about log(1/δ)/ε records, checked."""
    rate, small = exact(epsilon, name="epsilon"), exact(delta, name="delta")
    require(rate > 0, "an epsilon above 0", got=epsilon)
    require(0 < small < 1, "a delta strictly between 0 and 1", got=delta)
    found = Discarding(records, rate, small)
    require(
        records > found.usual,
        f"more records than the {found.usual} that are usually discarded",
        got=records,
        remedy="Take a larger epsilon or delta.",
    )
    return found
