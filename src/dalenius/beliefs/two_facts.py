"""Tables of counts: all that a pair of facts about a person changes is two cells.

Let every record be at one of several *facts*, with a law over them, and let the numbers of records at all of them be
published: counts of all values of a column, or of all combinations of several. Fix two facts a and b of the target, and
let M be how many other unknown records are at a or b. M, and the numbers at all other facts, have the same law
whichever of the two the target has; and given them, the records at b are Binomial(M, r), r = p_b / (p_a + p_b), or one
more. So

    δ_ab(ε) = E δ_M(ε),      δ_m: Binomial(m, r) against itself moved by one,

exactly, if all records have one law. *Which pair is worst.* Let p'_a >= p_a and p'_b >= p_b. A record that follows p'
is one that follows p at a and b if it tells besides, whenever it is at a or b, with the right chance that it belongs to
what p' has more. To tell more never helps privacy, so δ' <= δ. Hence the two facts that are least likely are the worst
pair, at every ε; and where records have several laws, only pairs matter that no other pair is below in every law.

Numbers that are functions of these (fewer counts, sums, quantiles) tell no more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.crowd import law_of_rates
from dalenius.beliefs.worst import coins_curve
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_down
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.logconcave import LEAST, binomial
from dalenius.numerics.mixing import Ahead, Mixing
from dalenius.numerics.overlap import fair_coins
from dalenius.numerics.two_cells import mean_excess

Vector: TypeAlias = tuple[int, ...]
Masses: TypeAlias = Mapping[Vector, Fraction]
PRIME = 2**61 - 1
LOOKS = 100  # numbers of records at two facts that are looked at for one epsilon
CLOSELY = 32  # pairs of facts of several laws that are looked at closely; a rough bound counts for the others
MOST_FACTS = 1500  # whose pairs are compared


def tells_all(facts: Sequence[Vector]) -> bool:
    """Whether sums of the vectors of a known number of records tell how many have which: whether no vector is an affine
    combination of the others. Decided modulo a prime, where fewer are independent, if that makes a difference.
    """
    if len(facts) > len(facts[0]) + 1:
        return False
    rows: list[dict[int, int]] = []
    for vector in facts[1:]:
        row = {at: (a - b) % PRIME for at, (a, b) in enumerate(zip(vector, facts[0], strict=True)) if (a - b) % PRIME}
        for other in rows:
            pivot = next(iter(other))
            if pivot in row:
                times = row[pivot] * pow(other[pivot], -1, PRIME)
                mixed = {at: (row.get(at, 0) - times * other.get(at, 0)) % PRIME for at in {*row, *other}}
                row = {at: step for at, step in mixed.items() if step}
        if not row:
            return False
        rows.append(row)
    return True


@final
@dataclass(frozen=True, slots=True, eq=False)
class TwoFacts(Curve):
    """The two least likely facts of records that all have one law. It is δ itself where the numbers tell how many
    records have which fact, and else a bound. Cost of `delta`: some hundred binomial laws, at most.
    """

    chances: tuple[Fraction, Fraction]  # the smaller one first
    others: int  # records besides the target that the attacker does not know
    enough: Fraction
    _laws: dict[int, Law] = field(default_factory=dict, repr=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        if not self.chances[0] or not self.others:
            return Bracket(1.0, 1.0)
        together = sum(self.chances, Fraction(0))
        number = binomial(self.others, together) if together >= LEAST else self._number(float(together))
        share = self.chances[0] / together
        # each direction is averaged by itself, and then the worse one taken
        forth = mean_excess(number, share, epsilon) or self._mean(number, 1, epsilon)
        back = mean_excess(number, 1 - share, epsilon) or self._mean(number, -1, epsilon)
        return forth.join(back)

    def _number(self, rate: float) -> Law:
        return law_of_rates(np.array([rate]), np.array([self.others]))

    def _mean(self, number: Law, move: int, epsilon: Fraction) -> Bracket:
        """The same by blocks of numbers of records."""
        return Mixing(number, partial(self._coins, move), enough=self.enough, budget=LOOKS).delta(epsilon)

    def _coins(self, move: int, count: int) -> Curve:
        """So many records at the two facts, against one of them moved."""
        if not count:
            return Constant(1.0)
        if count not in self._laws:
            rate = float(self.chances[0] / sum(self.chances))
            self._laws[count] = law_of_rates(np.array([rate]), np.array([count]))
        return Ahead(self._laws[count], move)


def least_likely(law: Masses, facts: Sequence[Vector]) -> tuple[Fraction, Fraction]:
    """The two smallest probabilities of different facts."""
    first, second = sorted(law.get(fact, Fraction(0)) for fact in facts)[:2]
    return first, second


def worst_of_pairs(
    laws: Sequence[Masses], counts: Sequence[int], removed: int, facts: Sequence[Vector], epsilon: Fraction
) -> float:
    """An upper bound on δ for all pairs of facts, of records of several laws; the worst `removed` of them are taken
    out.

    A record that has probability p_a and p_b at two facts is, with the weight min(p_b / ρ, p_a / (1 - ρ)), a coin of
    rate ρ between the two; reveal all else. Pairs that others are below need not be looked at. Those that are left are
    looked at in the order of a rough bound by fair coins, until that is below what was found, or too many were.
    """
    if len(facts) > MOST_FACTS:
        return 1.0
    chances = np.array([[float_down(law.get(fact, Fraction(0))) for fact in facts] for law in laws])
    pairs = _lowest_pairs(chances)
    both = np.minimum(chances[:, pairs[:, 0]], chances[:, pairs[:, 1]]).T * 2.0
    numbers = np.array(counts, dtype=np.int64)
    rough = fair_coins(np.ascontiguousarray(both), numbers, removed, epsilon)
    upper = 0.0
    for looked, place in enumerate(np.argsort(-rough).tolist()):
        if looked >= CLOSELY or rough[place] <= upper or upper >= 1:
            return max(upper, float(rough[place]))
        first, second = (facts[at] for at in pairs[place].tolist())
        close = two_facts_curve(laws, numbers, removed, first, second).delta(epsilon).upper
        upper = max(upper, min(close, float(rough[place])))
    return upper


def _lowest_pairs(chances: Floats) -> NDArray[np.int64]:
    """Pairs of facts (columns) that no other pair is below in every law; of equal ones the first stands for all."""
    size = chances.shape[1]
    order = np.lexsort(chances[::-1])  # whatever is below a column comes before it, or is equal to it
    some = chances[:, order]
    below = np.ones((size, size), dtype=bool)  # below[i, j]: column i is at most column j
    for row in some:
        below &= row[:, None] <= row[None, :]
    below &= np.tri(size, k=-1, dtype=bool).T
    others = below.sum(axis=0)  # how many are below each
    first, second = np.nonzero(np.tri(size, k=-1, dtype=bool).T)
    # nobody but the other one of the pair may be below either
    kept = (others[first] == 0) & (others[second] - below[first, second] == 0)
    return np.stack([order[first[kept]], order[second[kept]]], axis=1)


def two_facts_curve(
    laws: Sequence[Masses], counts: NDArray[np.int64], removed: int, first: Vector, second: Vector
) -> Curve:
    """A bound for any numbers whatsoever, for a target that moves from `first` to `second`, of records of several laws:
    look only at records that have one of the two. Every law contains coins of one common rate.
    """
    masses = [(law.get(first, Fraction(0)), law.get(second, Fraction(0))) for law in laws]
    total = sum((a + b for a, b in masses), Fraction(0))
    rate = sum((b for _, b in masses), Fraction(0)) / total if total else Fraction(1, 2)
    rate = Fraction(float(min(max(rate, Fraction(1, 10**6)), 1 - Fraction(1, 10**6))))
    weights = np.array([float_down(min(b / rate, a / (1 - rate))) for a, b in masses])
    return coins_curve(weights, counts, removed, rate=float(rate), shift=1)
