"""Figures that are linked: how much several numbers of the same records tell, where one record moves many of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.joint import VectorCurve, common_part, joint_law, sure_count
from dalenius.beliefs.nested import nested_curve
from dalenius.beliefs.two_facts import TwoFacts, least_likely, tells_all, worst_of_pairs
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_down
from dalenius.numerics.curve import Charged, Constant, Curve
from dalenius.numerics.law import Floats
from dalenius.numerics.overlap import fair_coins

Vector: TypeAlias = tuple[int, ...]
MOST_MOVES = 2000  # different changes of the numbers up to which their joint law is gone through
MOST_VISITS = 6e7  # points of the joint law times changes: more would take many seconds at each ε
MOST_SORTED = 2e7  # the same where it is composed with others, for which it is sorted, and there is another bound


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinkedCurve(Curve):
    """Several linked figures of one atom: by the two facts that are told apart best; by counts and the sums inside
    them; and by the joint law of the numbers where that can be computed and may be closer.
    """

    laws: Sequence[Mapping[Vector, Fraction]]
    counts: Sequence[int]
    domain: Sequence[Vector]
    known: int
    presence: bool  # whether it is secret who is there at all: then absence is one of the facts
    enough: Fraction
    _kept: list[VectorCurve | None] = field(default_factory=list, repr=False)  # the joint law, once it is computed
    _apart: list[Curve] = field(default_factory=list, repr=False)  # counts and sums inside them, likewise

    def delta(self, epsilon: Fraction) -> Bracket:
        """Where records have one law and the numbers tell how many have which fact, pairs of facts are all there is."""
        cells = self._pairs(epsilon)
        if self._cells_say_all:
            return cells
        upper = min(cells.upper, self._nested().delta(epsilon).upper)
        joint = self._joint(epsilon)
        if joint is None:
            return Bracket(cells.lower, max(cells.lower, upper))
        upper = min(upper, joint.upper)
        return Bracket(min(max(cells.lower, joint.lower), upper), upper)

    def delta_until(self, epsilon: Fraction, enough: Fraction) -> Bracket:
        cells = self._pairs(epsilon)
        if cells.certainly_at_most(enough) or self._cells_say_all:
            return cells
        nested = self._nested().delta(epsilon)
        return nested if nested.certainly_at_most(enough) else self.delta(epsilon)

    @property
    def _cells_say_all(self) -> bool:
        """Whether records have one law, and the numbers tell how many have which fact."""
        return len(self.laws) == 1 and tells_all(self.facts())

    def roughly(self, epsilon: Fraction) -> float:
        """By fair coins between the two facts that are least likely, where all records have one law."""
        facts = self.facts()
        if len(self.laws) > 1 or len(facts) < 2:
            return 1.0
        weight = float_down(2 * least_likely(self.laws[0], facts)[0])
        counts = np.array([sum(self.counts)])
        return float(fair_coins(np.array([[weight]]), counts, self.known + 1, epsilon)[0])

    def facts(self) -> tuple[Vector, ...]:
        """What a person may add; who is absent adds nothing, where that is secret."""
        zero = (0,) * len(self.domain[0])
        return tuple(dict.fromkeys([*self.domain, zero] if self.presence else self.domain))

    def _pairs(self, epsilon: Fraction) -> Bracket:
        """By pairs of facts: δ itself if the numbers tell how many records have which, a bound else."""
        facts = self.facts()
        if len(facts) < 2:
            return Bracket(0.0, 0.0)
        if len(self.laws) > 1:
            return Bracket(0.0, worst_of_pairs(self.laws, self.counts, self.known + 1, facts, epsilon))
        others = sum(self.counts) - self.known - 1
        found = TwoFacts(least_likely(self.laws[0], facts), others, self.enough).delta(epsilon)
        return found if tells_all(facts) else Bracket(0.0, found.upper)

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """By the joint law, all at once, where it speaks and is not too long."""
        if self._cells_say_all:
            return Curve.knots(self, epsilons)
        joint, nested = self._law(), self._nested()
        long = joint is None or joint.law.mass.size * len(joint.shifts) > MOST_SORTED
        if long and not isinstance(nested, Constant):
            return nested.knots(epsilons)
        return Curve.knots(self, epsilons) if joint is None else joint.knots(epsilons)

    def _nested(self) -> Curve:
        """By counts and the sums inside them, of what all records share."""
        if not self._apart:
            weight, shared = self._shared()
            live, missing = sure_count(sum(self.counts) - self.known - 1, weight, float(self.enough) / 100)
            found = nested_curve(shared, live, self.facts(), self.enough) if live > 0 and shared else None
            self._apart.append(Constant(1.0) if found is None else Charged(found, missing))
        return self._apart[0]

    def _shared(self) -> tuple[Fraction, Mapping[Vector, Fraction]]:
        """The law that all records contain, and with which weight."""
        return (Fraction(1), self.laws[0]) if len(self.laws) == 1 else common_part(self.laws)

    def _joint(self, epsilon: Fraction) -> Bracket | None:
        """By the joint law of what all records share, which bounds from above only where they differ."""
        joint = self._law()
        if joint is None:
            return None
        found = joint.delta(epsilon)
        return found if len(self.laws) == 1 else Bracket(0.0, found.upper)

    def _law(self) -> VectorCurve | None:
        """The joint law of what all records share; None if it has too many points, or too many moves."""
        if not self._kept:
            self._kept.append(self._fresh_law())
        return self._kept[0]

    def _fresh_law(self) -> VectorCurve | None:
        left = sum(self.counts) - self.known - 1
        weight, shared = self._shared()
        if not shared:
            return None
        moves = self._moves()
        if moves is None:
            return None
        live, missing = sure_count(left, weight, float(self.enough) / 100)
        try:
            law = joint_law(shared, live, min(1e-9, float(self.enough) / 1000))
        except InputError:
            return None
        return VectorCurve(law, tuple(moves), missing) if law.mass.size * len(moves) <= MOST_VISITS else None

    def _moves(self) -> list[Vector] | None:
        """The distinct changes of the vector, up to sign; None as soon as there are too many."""
        zero, found = (0,) * len(self.domain[0]), set[Vector]()
        for one, other in combinations(self.facts(), 2):
            move = tuple(b - a for a, b in zip(one, other, strict=True))
            found.add(max(move, tuple(-step for step in move)))
            if len(found) > MOST_MOVES + 1:  # nothing may be one of them
                return None
        found.discard(zero)
        return sorted(found) if len(found) <= MOST_MOVES else None
