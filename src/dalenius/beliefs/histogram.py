"""Exact histograms of independent, equally distributed records; their number is public.

*Which cell a person is in.* Move one record from cell b to cell a: the probability of the histogram changes by the
factor (h_a / q_a) / (h_b / q_b). So only (h_a, h_b) matters. Given m = the number of others in the two cells, which is
binomial and the same in both worlds, h_a is binomial with r = q_a / (q_a + q_b), plus one or not:

    δ = E H(1 + Bin(m, r) || Bin(m, r)),   m ~ Bin(others, q_a + q_b).

*The worst pair is that of the two rarest cells.* Let q'_a ≥ q_a and q'_b ≥ q_b. Of the records outside of a and b, none
of which is the person's, move each to a with probability (q'_a - q_a) / (1 - q_a - q_b), and to b likewise. The result
is the histogram under q', in either world, and was made without looking at the secret. So δ falls with both.

*Whether a person is in the data*, where n is public and somebody else takes the place: h_a is 1 + Bin(n - 1, q_a) or
Bin(n, q_a). The same argument with one cell: the rarest one is the worst.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.at_least import checked_size
from dalenius.beliefs.belief import Share, known_records, number_known
from dalenius.enclosure.formats import apart
from dalenius.facts.records import Label, exact
from dalenius.facts.secret import BOTH, Presence, PresenceOnly, Secret, Value, Within
from dalenius.numerics.counts import binomial
from dalenius.numerics.curve import Constant, Curve, PairCurve, Supremum
from dalenius.numerics.mixing import Ahead, Mixing

Number: TypeAlias = float | str | Fraction
CLOSE = 1e-6  # relative gap of the mean over m
FEWEST, MOST = 300, 6000  # values of m looked at
WORK = 12_000_000  # masses computed, about


@final
@dataclass(frozen=True)
class ExactHistogram:
    """The exact histogram of n records, the person's among them; each falls into a cell with these probabilities.

    >>> faces = ExactHistogram({face: "1/6" for face in range(1, 7)}, n=1000)
    >>> print(faces.curve(Value()).delta(Fraction(1, 2)))
    [1.156e-7, 1.157e-7]
    """

    cells: Mapping[Label, Number] | Sequence[Number]
    n: int
    known: Share = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checked_size(self.n, "A histogram"))
        object.__setattr__(self, "known", number_known(self.known))
        self.others  # noqa: B018 - checks what is known
        chances = self.chances
        require(len(chances) >= 2, "at least two cells", got=len(chances))
        for name, chance in chances.items():
            if chance <= 0:
                raise InputError(
                    f"Every cell needs a positive probability, but cell {name!r} has {apart(chance, 0)}. Nobody else "
                    "could be in it, so that its exact count would tell who is (δ = 1). Join it with another cell, or "
                    "hide it."
                )
        if sum(chances.values(), Fraction(0)) != 1:
            total = apart(sum(chances.values(), Fraction(0)), 1)
            raise InputError(f"The probabilities of cells must sum to 1, but they sum to {total}. Correct them.")

    @cached_property
    def chances(self) -> dict[Label, Fraction]:
        named = self.cells.items() if isinstance(self.cells, Mapping) else enumerate(self.cells)
        return {name: exact(chance, name=f"The probability of cell {name!r}") for name, chance in named}

    @cached_property
    def others(self) -> int:
        """The records that are neither known nor the person's."""
        return self.n - 1 - known_records(self.known, self.n)

    @cached_property
    def rarest(self) -> tuple[Label, Label]:
        """The two cells of least probability."""
        first, second = sorted(self.chances, key=lambda name: self.chances[name])[:2]
        return first, second

    def curve(self, secret: Secret) -> Curve:
        """δ(ε), worst over all pairs of cells, over all cells and absence, or over both. Cost: that of the rarest."""
        match secret:
            case Value():
                return self.pair(*self.rarest)
            case PresenceOnly():
                return self.presence(self.rarest[0])
            case Presence():
                return Supremum(tuple(map(self.curve, BOTH)))
            case Within():
                raise InputError(f"Cells have no distance, but got {secret}. Hide the value, or presence.")

    def pair(self, one: Label, other: Label) -> Curve:
        """In which of these two cells a person is, both ways round. Cost: about one law of √m values for each m that
        matters.
        """
        first, second = self._chance(one), self._chance(other)
        require(one != other, "two different cells", got=one)
        if not self.others:
            return Constant(1.0)
        share, together = first / (first + second), binomial(self.others, first + second)

        budget = max(FEWEST, min(MOST, WORK // (450 + 37 * math.isqrt(together.stop))))
        ways = (Mixing(together, _Given(r), CLOSE, budget=budget) for r in (share, 1 - share))
        return Supremum(tuple(ways))

    def presence(self, cell: Label) -> Curve:
        """Whether a person of this cell is in the data, or somebody else in their place."""
        chance = self._chance(cell)
        return PairCurve(binomial(self.others, chance).shifted(1), binomial(self.others + 1, chance), only=True)

    def _chance(self, cell: Label) -> Fraction:
        require(cell in self.chances, f"one of the cells {list(self.chances)[:8]}", got=cell)
        return self.chances[cell]


@final
@dataclass(frozen=True, slots=True)
class _Given:
    """The curve of one more success among m, in the direction that shows it. It falls with m."""

    r: Fraction

    def __call__(self, m: int) -> Curve:
        return Ahead(binomial(m, self.r).shifted(1), -1)
