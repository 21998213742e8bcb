"""Attackers who know a Markov chain like a comb: every s-th record, all with the same value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.common import sum_law
from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.convolve import convolve
from dalenius.numerics.curve import Curve, PairCurve, Supremum
from dalenius.numerics.law import Law, law_of

LONGEST = 120  # records between two known ones
BESIDE = (0, 1, 3, 7, 15, 31, 63)  # unknown records on each side of the target
STATES = 4  # values that are tried

Ways = NDArray[np.object_]  # how often each sum comes, in whole numbers


@final
@dataclass(frozen=True, slots=True, eq=False)
class Combs(Curve):
    """The worst of some combs, as a lower bound; what is published follows from `published`, a map of the sum's law.

    The first and the last record are known, and so are both records at some distance from the target; the others are
    spread so that the gaps between them differ by at most one. All laws are those of exact chances.
    """

    chain: MarkovChain
    known: int
    published: Callable[[Law], Law]
    _worst: list[Curve] = field(default_factory=list)

    def delta(self, epsilon: Fraction) -> Bracket:
        if not self._worst:
            states = sorted(range(self.chain.size), key=lambda state: -self.chain.moves[state][state])[:STATES]
            self._worst.append(Supremum(tuple(pair for state in states for pair in self._pairs(state))))
        return Bracket(self._worst[0].delta(epsilon).lower, 1.0)

    def _pairs(self, state: int) -> Iterator[Curve]:
        """Targets in the middle of a stretch, all known records having this value."""
        if not self.chain.start[state]:
            return
        for beside in BESIDE:
            rest, gaps = self.chain.n - 1 - 2 * beside - self.known, self.known - 2
            if rest < 0 or gaps < 0 or (rest and not gaps):
                return
            hides = self._gaps(state, rest, gaps)
            if hides is None:
                continue
            left, right = ways(self.chain, state, beside), ways_back(self.chain, state, beside)
            worlds = [
                law_of(_chances(np.convolve(one, two)))
                for one, two in zip(left, right, strict=True)
                if one.any() and two.any()
            ]
            adds = [a for a, one, two in zip(self.chain.adds, left, right, strict=True) if one.any() and two.any()]
            moved = self.known * self.chain.adds[state]
            laws = [
                self.published(convolve(hides, law).shifted(add + moved)) for law, add in zip(worlds, adds, strict=True)
            ]
            yield from (PairCurve(one, two) for place, one in enumerate(laws) for two in laws[:place])

    def _gaps(self, state: int, rest: int, gaps: int) -> Law | None:
        """What `rest` unknown records add in so many gaps; None if that is not possible, or too long."""
        if not rest:
            return law_of({0: Fraction(1)})
        length, more = divmod(rest, gaps)
        groups = []
        for unknown, count in ((length, gaps - more), (length + 1, more)):
            if not count:
                continue
            if unknown > LONGEST:
                return None
            found = ways(self.chain, state, unknown)[state]
            if not found.any():
                return None
            groups.append((_chances(found), count))
        return sum_law(groups)[0].spread_out()


def ways(chain: MarkovChain, state: int, unknown: int) -> list[Ways]:
    """From this state to each other, with so many records between: in how many (weighted) ways they add 0, 1, ..."""
    moves, most = chain.whole_moves(), max(chain.adds)
    now = [np.array([moves[state][to]], dtype=object) for to in range(chain.size)]
    for _ in range(unknown):
        size = len(now[0]) + most
        moved = []
        for add, found in zip(chain.adds, now, strict=True):
            wide = np.zeros(size, dtype=object)
            wide[add : add + len(found)] = found
            moved.append(wide)
        now = [
            sum((moves[one][to] * moved[one] for one in range(chain.size)), np.zeros(size, dtype=object))
            for to in range(chain.size)
        ]
    return now


def ways_back(chain: MarkovChain, state: int, unknown: int) -> list[Ways]:
    """The same from each state to this one."""
    turned = tuple(tuple(row[one] for row in chain.moves) for one in range(chain.size))
    return ways(MarkovChain(chain.start, turned, chain.adds, chain.n), state, unknown)


def _chances(found: Ways) -> dict[int, Fraction]:
    whole = int(found.sum())
    return {at: Fraction(int(number), whole) for at, number in enumerate(found) if number}
