"""Markov chains by going through every sequence of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

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

    def worlds(self) -> list[dict[int, Law]]:
        """For each record the law of the sum given each of its states that is possible."""
        joint: list[dict[int, Law]] = [{} for _ in range(self.n)]
        for path, chance in self.paths():
            total = sum(self.adds[state] for state in path)
            for place, state in enumerate(path):
                law = joint[place].setdefault(state, {})
                law[total] = law.get(total, Fraction(0)) + chance
        return [{state: _normal(law) for state, law in worlds.items()} for worlds in joint]

    def delta(self, epsilon: Fraction, channel: Channel = exact) -> arb:
        """The worst record and pair of its states, both ways round."""
        return largest(
            both_ways(publish(one, channel), publish(two, channel), epsilon)
            for worlds in self.worlds()
            for one, two in [*combinations(worlds.values(), 2), (worlds[min(worlds)], worlds[min(worlds)])]
        )


def _normal(law: Law) -> Law:
    whole = sum(law.values(), Fraction(0))
    return {total: chance / whole for total, chance in law.items()}
