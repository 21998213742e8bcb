"""Markov chains by going through every sequence of states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
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

    def given(self, fixed: Mapping[int, int]) -> Law:
        """The law of the sum given the states of some records (from 0 up); empty if that is impossible."""
        now: dict[int, Law] = {state: {0: chance} for state, chance in enumerate(self.start) if chance}
        for place in range(self.n):
            now = {state: law for state, law in now.items() if fixed.get(place, state) == state}
            moved = {s: {at + self.adds[s]: mass for at, mass in law.items()} for s, law in now.items()}
            if place == self.n - 1:
                return _mixed(list(moved.values()))
            now = {}
            for to in range(len(self.start)):
                parts = [_times(law, self.moves[one][to]) for one, law in moved.items() if self.moves[one][to]]
                if parts:
                    now[to] = _mixed(parts)
        return {}

    def known_delta(self, epsilon: Fraction, known: Mapping[int, int], target: int) -> float:
        """Every two states of one record, given those of others, in floats that are good to 1e-12."""
        laws = [self.given({**known, target: state}) for state in range(len(self.start))]
        shown = [{at: float(mass) for at, mass in _normal(law).items()} for law in laws if law]
        factor = math.exp(epsilon)
        return max(
            (
                math.fsum(max(0.0, mass - factor * two.get(at, 0.0)) for at, mass in one.items())
                for one, two in permutations(shown, 2)
            ),
            default=0.0,
        )

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


def _times(law: Law, factor: Fraction) -> Law:
    return {at: mass * factor for at, mass in law.items()}


def _mixed(laws: Sequence[Law]) -> Law:
    found: Law = {}
    for law in laws:
        for at, mass in law.items():
            found[at] = found.get(at, Fraction(0)) + mass
    return found
