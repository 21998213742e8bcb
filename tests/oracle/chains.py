"""Markov chains by going through every sequence of states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .balls import largest
from .channels import Channel, exact, publish
from .laws import Law, both_ways

if TYPE_CHECKING:
    from flint import arb


@dataclass(frozen=True)
class Chain:
    """Chances of the first state, of each move, and what each state adds, for n records."""

    start: Sequence[Fraction]
    moves: Sequence[Sequence[Fraction]]
    adds: Sequence[int]
    n: int

    def paths(self) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """Every possible sequence of states, with its probability."""
        for path in product(range(len(self.start)), repeat=self.n):
            chance = self.start[path[0]]
            for one, two in pairwise(path):
                chance *= self.moves[one][two]
            if chance:
                yield path, chance

    def worlds(self, known: Mapping[int, int] | None = None) -> list[dict[int, Law]]:
        """For each record the law of the sum given each of its states that is possible, and what is known of some
        records (from 0 up).
        """
        joint: list[dict[int, dict[Any, Fraction]]] = [{} for _ in range(self.n)]
        for path, chance in self.paths():
            if any(path[place] != state for place, state in (known or {}).items()):
                continue
            total = sum(self.adds[state] for state in path)
            for place, state in enumerate(path):
                law = joint[place].setdefault(state, {})
                law[total] = law.get(total, Fraction(0)) + chance
        return [{state: _normal(law) for state, law in worlds.items()} for worlds in joint]

    def given(self, fixed: Mapping[int, int]) -> NDArray[np.float64]:
        """How the sum is spread given the states of some records (from 0 up), unscaled, from the least sum up; in
        floats, with positive terms only.
        """
        least, widest = min(self.adds), max(self.adds) - min(self.adds)
        now = np.zeros((len(self.start), self.n * widest + 1))
        now[:, 0] = [float(chance) for chance in self.start]
        moves = np.array([[float(chance) for chance in row] for row in self.moves])
        for place in range(self.n):
            for state, add in enumerate(self.adds):
                now[state] = np.roll(now[state], add - least) if fixed.get(place, state) == state else 0.0
            if place < self.n - 1:
                now = moves.T @ now
        return np.asarray(now.sum(axis=0))

    def known_delta(self, epsilon: Fraction, known: Mapping[int, int], target: int) -> float:
        """Every two states of one record, given those of others, good to about 1e-12."""
        laws = [self.given({**known, target: state}) for state in range(len(self.start))]
        shown = [law / law.sum() for law in laws if law.any()]
        gaps = [np.maximum(one - math.exp(epsilon) * two, 0.0).sum() for one, two in permutations(shown, 2)]
        return float(max(gaps, default=0.0))

    def delta(
        self,
        epsilon: Fraction,
        channel: Channel = exact,
        known: Mapping[int, int] | None = None,
        target: int | None = None,
    ) -> arb:
        """The worst record and pair of its states, both ways round; or the worst of one record's."""
        return largest(
            both_ways(publish(one, channel), publish(two, channel), epsilon)
            for place, worlds in enumerate(self.worlds(known))
            if target in (None, place)
            for one, two in [*combinations(worlds.values(), 2), (worlds[min(worlds)], worlds[min(worlds)])]
        )


def _normal(law: Law) -> Law:
    whole = sum(law.values(), Fraction(0))
    return {total: chance / whole for total, chance in law.items()}
