"""Truncated histograms of a sample: counts of at least k are published as they are, all others are hidden.

The person is in the sample, in one cell, and must look as if their record had not been used (distributional
differential privacy with the simulator that leaves the record out; coupled worlds, Theorem 10, repaired). What matters
is B, the number of others in the person's cell: B + 1 or B, truncated.

- Poisson and Bernoulli samples have independent cells, so that only the person's cell matters, and δ is exact.
- If the sample size has another law, the cell's count is tied to the rest. The rest is taken to be revealed. That is
  exact if it is published in full (k = 1 and all cells given, or there is no rest), else an upper bound only, and the
  lower end is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, PreconditionError, require
from dalenius.beliefs.sample_sizes import Person, Sizes, others_in_sample
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_least
from dalenius.enclosure.outward import add_down, add_up, times_down, times_up, total_down, total_up
from dalenius.facts.records import exact
from dalenius.numerics.cells import FoundCell, WorstMeans
from dalenius.numerics.convolve import trimmed
from dalenius.numerics.counts import binomial, hypergeometric
from dalenius.numerics.curve import Constant, Curve, Enclosed, Supremum
from dalenius.numerics.families import BinomialFamily, PoissonFamily
from dalenius.numerics.labels import Counts, LabelCell
from dalenius.numerics.law import Law
from dalenius.numerics.sized import SizedCell
from dalenius.numerics.spans import ListedMeans

Number: TypeAlias = float | str | Fraction
HALF = 0.5
NEGLIGIBLE = 1e-12  # sizes of this probability do not matter for a refusal


@final
@dataclass(frozen=True, slots=True, eq=False)
class CellsCurve(Curve):
    """The worst of many independent cells, found by branch and bound over their sorted means."""

    worst: WorstMeans

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.find(epsilon).delta

    def find(self, epsilon: Fraction) -> FoundCell:
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
        if isinstance(self.least, bool | np.bool_) or self.least != int(self.least) or self.least < 1:
            raise InputError(
                f"A truncated histogram needs a least count k that is a whole number of at least 1, but got "
                f"{self.least!r}. Write 10 to hide counts below 10."
            )
        object.__setattr__(self, "least", int(self.least))

    def codes(self, counts: Counts) -> Counts:
        return np.maximum(counts - self.least + 1, 0)

    def poisson(self, means: Sequence[Number]) -> CellsCurve:
        """The sample size is Poisson: each cell has a Poisson number of others, with these means."""
        found = sorted({exact(mean, name="A mean") for mean in means})
        require(bool(found) and found[0] > 0, "means above 0, one for each cell", got=list(map(str, means))[:8])
        return CellsCurve(
            WorstMeans((LabelCell(PoissonFamily(), ListedMeans([float(mean) for mean in found]), self.codes),))
        )

    def bernoulli(self, members: Sequence[int], rate: Number) -> CellsCurve:
        """Each of the population is in the sample with probability `rate`; `members` of the population in each cell,
        the person among them.
        """
        chance = exact(rate, name="rate")
        require(0 < chance < 1, "a rate strictly between 0 and 1", got=rate, remedy=EVERYBODY)
        others = sorted({size - 1 for size in _members(members)})
        return CellsCurve(WorstMeans((LabelCell(BinomialFamily(chance), ListedMeans(others), self.codes),)))

    def draws(self, shares: Sequence[Number], sizes: Sizes, *, person: Person = "named") -> Curve:
        """Independent draws, as many as a random size says; each falls into a cell with these probabilities.

        `sizes`: the law of the size. `person`: "named" is somebody who is found in the sample, so that large samples
        are likelier; a number i is whoever has record number i, which is there if at least i are drawn.

        An upper bound, with lower end 0, unless k = 1 and the cells' probabilities add up to 1, or there is one cell.
        """
        cells = [exact(share, name="The probability of a cell") for share in shares]
        found = sorted(set(cells))
        if not found or found[0] <= 0 or found[-1] > 1:
            raise InputError(
                f"Cells need probabilities above 0 and at most 1, but got {', '.join(map(str, shares))}. Leave out "
                "cells that nobody can be in."
            )
        others = others_in_sample(sizes, person=person)
        published = sum(cells) == 1 and (self.least == 1 or len(cells) == 1)
        return self._sized(others, [partial(_binomial, share) for share in found], published=published)

    def sample(self, members: Sequence[int], sizes: Sizes, *, person: Person = "named") -> Curve:
        """A sample without replacement of random size from a population with so many members in each cell.

        An upper bound, with lower end 0, unless k = 1 or there is one cell.
        """
        cells = _members(members)
        others, population = others_in_sample(sizes, person=person), sum(cells)
        if others.stop > population:
            raise InputError(
                f"A sample without replacement has at most {population} persons, but sizes up to {others.stop} have "
                "positive probability. Correct the sizes, or use draws()."
            )
        for size in sorted(set(cells)):
            _refuse_nearly_everybody(others, size - 1, population - size)
        laws = [partial(hypergeometric, size - 1, population - size) for size in sorted(set(cells))]
        return self._sized(others, laws, published=self.least == 1 or len(cells) == 1)

    def _sized(self, others: Law, inside: list[partial[Law]], *, published: bool) -> Curve:
        """The worst cell, with all that is outside of it revealed; `published`: it is."""
        curves = [SizedCell.of(others, law, self.codes) for law in inside]
        if any(curve is None for curve in curves):
            raise InputError(
                f"Sizes from {others.start} to {others.stop - 1} are too many to list together with the counts of a "
                "cell. Use bernoulli() or poisson(), or a law of sizes that is narrower."
            )
        worst = Supremum(tuple(curve for curve in curves if curve is not None))
        return worst if published else Enclosed(Constant(0.0), worst)


EVERYBODY = "If everybody is in the sample, the counts of the others are known, and nothing hides the person."


def _members(members: Sequence[int]) -> list[int]:
    stray = next((size for size in members if isinstance(size, bool | np.bool_) or size != int(size) or size < 1), None)
    require(stray is None and len(members) > 0, "cells with at least one member, the person", got=stray)
    return [int(size) for size in members]


def _binomial(share: Fraction, size: int) -> Law:
    return binomial(size, share)


def complete_cell(others: Law, cell: int, rest: int) -> Bracket:
    """The probability that a sample without replacement, of `others` besides the person, has all `cell` others of the
    person's cell; it is drawn from them and from the `rest`. The count of the cell then tells that the person is
    counted: it cannot be so large without them. So this bounds δ from below, at every ε.
    """
    sizes = trimmed(others, NEGLIGIBLE)
    least, most = [0.0], [sizes.tail]
    for place, mass in enumerate(sizes.mass.tolist()):
        law, slip = hypergeometric(cell, rest, sizes.start + place), float(sizes.error[place])
        top, off = (float(law.mass[-1]), float(law.error[-1])) if law.stop == cell + 1 else (0.0, law.tail)
        least.append(times_down(max(0.0, add_down(mass, -slip)), max(0.0, add_down(top, -off))))
        most.append(times_up(add_up(mass, slip), add_up(top, off)))
    return Bracket(total_down(least), min(1.0, total_up(most)))


def _refuse_nearly_everybody(others: Law, cell: int, rest: int) -> None:
    """If all others of the cell are mostly in the sample, nothing hides the person."""
    whole = complete_cell(others, cell, rest).lower
    if whole >= HALF:
        raise PreconditionError(
            f"Nearly the whole population is in the sample: with probability at least {at_least(whole)} nobody of a "
            f"cell of {cell + 1} persons is left out, and its count then tells that the person is counted, at every "
            "epsilon. Needed is a sample that leaves out many; add noise instead."
        )
