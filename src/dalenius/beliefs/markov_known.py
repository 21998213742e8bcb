r"""A Markov chain some of whose records are known: any of them, with any values that are possible.

Known records cut the chain into stretches that are independent of each other given what is known; only the one with
the target tells of it, the others add independent sums. Here δ is bracketed over all sets of at most g known records,
all their values, all targets and every two values that the target may then have.

*Above.* To reveal what is independent of the target never helps privacy, so the last records of open ends are revealed
too. If no record within W of the target is known on one side, the record W away is revealed: given it, the chain beyond
it is independent of the target, and to see it moves the odds between two values by at most e^η, η the logarithm of the
largest cross ratio of P^W, which costs η of ε (Σ_y P_a(y) (P_a(·|y) - e^ε P_b(y)/P_a(y) P_b(·|y))⁺ ≤ max_y of δ at
ε - η). So the target's stretch is one of finitely many on each side (`numerics.chainsides`). Of all other stretches it
is kept that they contain K independent draws from a log-concave law (`numerics.bridges`); by joint convexity δ is at
most E δ_K, δ_k being that of k draws, which falls with k. With P(K < k_j) ≤ p_j for k_1 > k_2 > ...,
E δ_K ≤ δ_{k_1} + Σ p_j δ_{k_{j+1}}.

*Below.* An attacker who knows nobody, and attackers who know every s-th record, all with one value.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, permutations
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.common import sum_law
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import add_up, times_up
from dalenius.numerics.bridges import Bridges, Currency, Hiding, currencies
from dalenius.numerics.chain import MarkovChain, afters, befores
from dalenius.numerics.chainsides import HiddenSide, Neighbourhood, Sides
from dalenius.numerics.chainspectrum import classes, connected
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats, Law

STRETCH = 127  # records of a stretch that is looked at closely
FARTHEST = 512  # records beside the target that are gone through
NUMBERS = 4_000_000
WIDEST = 64
SHORT = 5000  # records up to which it is tried to look less far from the target
COST = Fraction(1, 50)  # part of ε that a far record may cost
CHANCES = (0.1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-16, 1e-20, 1e-26, 1e-34, 1e-46, 1e-60)
TYPICAL = (1e-2, 1e-4, 1e-9)  # chances at which currencies are compared
ENDS = 4  # records that are revealed beside the known ones: two open ends, two far from the target
NEGLIGIBLE = 1e-2  # part of the whole that the rest may add


@final
@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """All that is remembered of one chain."""

    chain: MarkovChain
    bridges: Bridges
    cyclic: NDArray[np.int64]
    _hidings: list[Hiding] = field(default_factory=list)
    _near: dict[int, Neighbourhood] = field(default_factory=dict)
    _laws: dict[tuple[Currency, int], Law] = field(default_factory=dict)
    _hidden: dict[tuple[int, Currency, int], HiddenSide] = field(default_factory=dict)

    @classmethod
    def of(cls, chain: MarkovChain) -> "Stretches | None":
        """None if some values cannot be reached from others, or have next to no chance: then nothing is claimed."""
        if not connected(chain):
            return None
        far = min(FARTHEST, math.isqrt(NUMBERS // (chain.size**2 * max(chain.adds))))
        bridges = Bridges.of(chain, max(1, min(chain.n, far)))
        return cls(chain, bridges, classes(chain)[1]) if bridges.sound else None

    def hidings(self) -> list[Hiding]:
        """For each currency how much of it the chain contains."""
        if not self._hidings:
            longest = min(STRETCH, len(self.bridges.masses) - 1)
            self._hidings.extend(Hiding.of(self.bridges, one, longest) for one in currencies(WIDEST))
        return self._hidings

    def near(self, epsilon: Fraction) -> dict[int, float]:
        """How far from the target records are gone through, with the η of a record that far: as far as a small part of
        ε needs; in short chains, where many neighbours leave few others, also less far.
        """
        most, steps = len(self.bridges.masses), 1
        found = {1: self.bridges.forgotten(1, self.cyclic)}
        while steps < most and 2 * found[steps] > max(float(epsilon * COST), 1e-6):
            steps = min(steps + (steps + 1) // 2, most)
            found[steps] = self.bridges.forgotten(steps, self.cyclic)
        tried = [far for far in found if far == steps or (self.chain.n <= SHORT and 2 * found[far] < epsilon)]
        return {far: found[far] for far in tried}

    def neighbourhood(self, far: int) -> Neighbourhood:
        """All that the records up to `far` from a target may add, for every two of its values."""
        if far not in self._near:
            lefts = [side.masses for side in islice(befores(self.chain), far)]
            rights = [side.masses for side in islice(afters(self.chain), far)]
            found = {}
            for one, two in permutations(range(self.chain.size), 2):
                adds = self.chain.adds[one], self.chain.adds[two]
                left = [*self._ends(one, two, far, before=True), *_open(lefts, one, two)]
                right = [*self._ends(one, two, far, before=False), *_open(rights, one, two)]
                if left and right:
                    found[one, two] = (
                        Sides.of([(p, adds[0], q, adds[1]) for p, q in left]),
                        Sides.of([(p, 0, q, 0) for p, q in right]),
                    )
            self._near[far] = Neighbourhood(found)
        return self._near[far]

    def _ends(self, one: int, two: int, far: int, *, before: bool) -> Iterator[tuple[Floats, Floats]]:
        for unknown in range(far):
            for end in range(self.chain.size):
                ways = [(end, state) if before else (state, end) for state in (one, two)]
                p, q = (self.bridges.law(unknown, *way) for way in ways)
                if p is not None and q is not None:
                    yield p, q

    def hidden(self, far: int, currency: Currency, draws: int) -> HiddenSide:
        """What so many draws leave to be seen of a target and its neighbours."""
        if (far, currency, draws) not in self._hidden:
            if (currency, draws) not in self._laws:
                self._laws[currency, draws] = sum_law([(currency.law(), draws)])[0].spread_out()
            self._hidden[far, currency, draws] = self.neighbourhood(far).under(self._laws[currency, draws])
        return self._hidden[far, currency, draws]

    def upper(self, known: int, epsilon: Fraction, enough: Fraction | None = None) -> float:
        """An upper bound on δ(ε) if at least one and at most `known` records are known; rough, once it is decided
        whether it is at most `enough`.
        """
        found = 1.0
        for far, cost in self.near(epsilon).items():
            unknown, stretches = self.chain.n - 1 - 2 * (far - 1) - known - ENDS, known + ENDS - 1
            if unknown <= 0 or not math.isfinite(cost):
                continue
            left = epsilon - Fraction(2 * cost)
            missing = 0.0 if left >= 0 else float((-Balls.of(left).expm1()).upper)
            for best in self._best(unknown, stretches):
                for draws in best.levels(unknown, stretches, CHANCES):
                    mean = self._mean(best.currency, draws, far, max(left, Fraction(0)), enough)
                    found = min(found, add_up(mean, missing))
        return found

    def _best(self, unknown: int, stretches: int) -> list[Hiding]:
        """The currencies that hide most, seldom failing to; in short chains for several meanings of seldom."""
        hidings, found = self.hidings(), dict[int, None]()
        for chance in TYPICAL if self.chain.n <= SHORT else TYPICAL[-1:]:
            sizes = [max(h.levels(unknown, stretches, [chance])[0], default=0) * h.currency.variance for h in hidings]
            found[int(np.argmax(sizes))] = None
        return [hidings[place] for place in found]

    def _mean(
        self, currency: Currency, draws: Mapping[int, float], far: int, epsilon: Fraction, enough: Fraction | None
    ) -> float:
        """E δ_K: each δ_k with the chance that K is below what came before it, and 1 for what is left."""
        total, chance = 0.0, 1.0
        for number, below in draws.items():
            if chance <= NEGLIGIBLE * total or (enough is not None and not total <= enough < total + chance):
                break
            total = add_up(total, times_up(chance, self.hidden(far, currency, number).delta(epsilon)))
            chance = below
        return add_up(total, chance)


def _open(sides: Sequence[Floats], one: int, two: int) -> Iterator[tuple[Floats, Floats]]:
    """The same where the chain begins or ends before a record is known."""
    for masses in sides:
        if masses[one].any() and masses[two].any():
            yield masses[one] / masses[one].sum(), masses[two] / masses[two].sum()


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownCurve(Curve):
    """δ(ε) if up to `known` records are known; `nobody` is the curve if none is."""

    nobody: Curve
    stretches: Stretches | None
    known: int
    attackers: Curve
    enough: Fraction | None = None  # if given, all that is asked is whether δ is at most this

    def delta(self, epsilon: Fraction) -> Bracket:
        none = self.nobody.delta(epsilon)
        upper = 1.0 if self.stretches is None else self.stretches.upper(self.known, epsilon, self.enough)
        upper, lower = max(upper, none.upper), none.lower
        if self.enough is None:
            lower = max(lower, self.attackers.delta(epsilon).lower)
        return Bracket(min(lower, upper), upper)
