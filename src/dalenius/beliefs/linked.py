"""Figures that are linked: how much several numbers of the same records tell, where one record moves many of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.joint import VectorCurve, common_part, joint_law, sure_count, two_cell_curve
from dalenius.errors import InputError
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.curve import Curve

Vector: TypeAlias = tuple[int, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinkedCurve(Curve):
    """Several linked figures of one atom: the joint law where it can be computed, two cells at a time where not."""

    laws: Sequence[Mapping[Vector, Fraction]]
    counts: Sequence[int]
    domain: Sequence[Vector]
    known: int
    presence: bool  # whether it is secret who is there at all: then absence is one of the facts
    enough: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        moves = self._moves()
        left = sum(self.counts) - self.known - 1
        weight, shared = common_part(self.laws) if len(self.laws) > 1 else (Fraction(1), self.laws[0])
        if not shared:
            return Bracket(0.0, 1.0)
        live, missing = sure_count(left, weight, float(self.enough) / 100)
        try:
            whole = VectorCurve(joint_law(shared, live, min(1e-9, float(self.enough) / 1000)), tuple(moves), missing)
        except InputError:
            return self._two_cells(epsilon)
        found = whole.delta(epsilon)
        return found if weight == 1 else Bracket(0.0, found.upper)  # what is shared bounds from above only

    def _moves(self) -> list[Vector]:
        """The distinct changes of the vector, up to sign."""
        zero = (0,) * len(self.domain[0])
        facts = dict.fromkeys([*self.domain, zero]) if self.presence else self.domain
        ends = permutations(facts, 2)
        found = {tuple(b - a for a, b in zip(one, other, strict=True)) for one, other in ends}
        return sorted({max(move, tuple(-step for step in move)) for move in found} - {zero})

    def _two_cells(self, epsilon: Fraction) -> Bracket:
        if self.presence:
            return Bracket(0.0, 1.0)
        counts = np.array(self.counts, dtype=np.int64)
        upper = 0.0
        for first, second in permutations(self.domain, 2):
            if first < second:
                upper = max(
                    upper, two_cell_curve(self.laws, counts, self.known + 1, first, second).delta(epsilon).upper
                )
            if upper >= 1:
                break
        return Bracket(0.0, upper)
