"""People who are hidden by the records of others: moves.

A person changes all published numbers by a. A *move* is a set of records of other people that, each going from one
state to another, together change every published number by exactly a. Moves that share no record are independent; each
contains, with some probability (its weight), a coin of a given rate that says whether it happened. Reveal everything
else: what is published is then a constant plus a times the number of coins that fell, and the person adds one more. An
attacker undoes no more moves than they know records; that these are the ones of largest weight is the worst.

Each other person of the own group is a move of one record. Figures of different topics are independent, and compose.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Any

from dalenius_checker.coins import ONE, Mixture, Weights, coins_losses, ends, mean_delta, mixture
from dalenius_checker.consistent import known_of_all, people_of, require
from dalenius_checker.document import item
from dalenius_checker.groups import Examiner
from dalenius_checker.laws import TooLargeError, Types, Vector
from dalenius_checker.losses import together

Change = tuple[tuple[int, int], ...]  # by how many steps each figure changes
MOST_CHANGES = 2000


@dataclass
class Movers:
    """Bounds on the delta of groups by the moves that are listed for them."""

    certificate: Any
    examiner: Examiner
    _seen: dict[tuple[int, Change], tuple[Vector, Types, dict[int, int]]] = field(default_factory=dict)

    def upper(self, listed: Any) -> Fraction:
        """The delta of a group, at most."""
        kind, bits = self.certificate.kinds[self.certificate.groups[listed.group][0]], self.examiner.bits
        require({way.packing for way in listed.ways} == {*range(len(listed.packings))}, "a list of moves is not used")
        ways = [(dict(way.change), way.rate, self._coins(listed, way)) for way in listed.ways]
        mine = [[part for part in kind.parts if topic & {*part.figures}] for topic in self._topics(listed)]
        own = [change for parts in mine if parts for change in self._changes(parts)]
        used = all(any(_fits(steps, change) for change in own) for steps, _, _ in ways)
        require(used, "a way does not fit any change of a person")
        topics = [[self._best(change, ways) for change in self._changes(parts)] for parts in mine if parts]
        if len(topics) == 1:
            return max((delta for delta, _, _ in topics[0]), default=Fraction(0))
        epsilon = self.examiner.epsilon
        pairs = [
            [both for _, rate, coins in some for both in coins_losses(coins, rate, epsilon, bits)] for some in topics
        ]
        return together([some for some in pairs if some], epsilon)

    def _best(self, change: dict[int, int], ways: list[Any]) -> tuple[Fraction, Fraction, Mixture]:
        """The best of the ways that change the person's own figures like this, or by the opposite."""
        bits, epsilon, found = self.examiner.bits, self.examiner.epsilon, []
        for steps, rate, coins in ways:
            if _fits(steps, change):
                found.append((mean_delta(coins, rate, epsilon, bits), rate, coins))
        if not found:
            raise TooLargeError("a change of a person has no moves that are listed")
        return min(found)

    def _topics(self, listed: Any) -> list[set[int]]:
        """Figures that some group has in one part, or that change together, belong to one topic."""
        parts = [part.figures for kind in self.certificate.kinds for part in kind.parts]
        topics: list[set[int]] = []
        for some in (*parts, *([figure for figure, _ in way.change] for way in listed.ways)):
            touching = [topic for topic in topics if topic & set(some)]
            topics = [topic for topic in topics if topic not in touching] + [set(some).union(*touching)]
        return topics

    def _changes(self, parts: list[Any]) -> Iterator[dict[int, int]]:
        """Everything that one person may change the figures of these parts by; one of each two opposite changes."""
        if prod(len(part.domain) for part in parts) ** 2 > 100 * MOST_CHANGES:
            raise TooLargeError("a person can change linked figures in too many ways")
        figures = [figure for part in parts for figure in part.figures]
        facts = [sum(vectors, ()) for vectors in product(*(part.domain for part in parts))]
        zero = (0,) * len(figures)
        others = [zero] if self.examiner.presence else facts
        found = {tuple(a - b for a, b in zip(one, two, strict=True)) for one in facts for two in others} - {zero}
        for change in {max(change, tuple(-step for step in change)) for change in found}:
            yield dict(zip(figures, change, strict=True))

    def _coins(self, listed: Any, way: Any) -> Mixture:
        """How many coins hide a change, when the worst ones are undone. RefusedError unless every move changes the
        published numbers exactly as the person does, and no record is used twice.
        """
        change, rate = way.change, way.rate
        figures = {figure for figure, step in change if step and 0 <= figure < len(self.certificate.figures)}
        require(0 < rate < 1 and len(figures) == len(change), "a way has a wrong rate, or changes a wrong figure")
        wanted, used, weights = self._group(listed.group, change)[2], Counter[tuple[int, int]](), []
        for times, ahead, behind in item(listed.packings, way.packing, "list of moves"):
            require(times > 0, "a move is used less than once")
            numbers, lower, upper = Counter[int](), ONE, ONE
            for sign, group, place in [(1, *one) for one in ahead] + [(-1, *one) for one in behind]:
                require(group != listed.group, "a move has records of the person's own group")
                item(self.certificate.groups, group, "group")
                vector, types, covering = self._group(group, change)
                low, high = ends(item(types, place, "law")[0], vector, rate)
                lower, upper = (lower * low, upper * high) if sign > 0 else (lower * high, upper * low)
                numbers.update({number: sign * step for number, step in covering.items()})
                used[group, place] += times
            same = {number: step for number, step in numbers.items() if step} == wanted
            require(same, f"a move does not change the published numbers as a person of group {listed.group} does")
            weights.append((min(upper / rate, lower / (1 - rate)), times))
        for (group, place), times in used.items():
            there = self._group(group, change)[1][place][1]
            require(times <= there, f"moves use {times} people of group {group}, of whom there are {there}")
        vector, types, _ = self._group(listed.group, change)
        own = sorted((min((e := ends(law, vector, rate))[1] / rate, e[0] / (1 - rate)), count) for law, count in types)
        own[-1] = own[-1][0], own[-1][1] - 1  # the person may be any of them
        return mixture(_merged([*weights, *own]), self._undone(listed.group, used), self.examiner.bits)

    def _group(self, group: int, change: Change) -> tuple[Vector, Types, dict[int, int]]:
        """A group, in the coordinates of its part that changes: the change; laws, and how many have them; and what
        changes in the published numbers.
        """
        if (group, change) not in self._seen:
            at, numbers = self.certificate.groups[group]
            kind, steps = self.certificate.kinds[at], dict(change)
            parts = [part for part in kind.parts if any(figure in steps for figure in part.figures)]
            require(parts, "a record moves that nothing covers of what changes")
            types = parts[0].least or parts[0].types
            if len(parts) > 1:
                raise TooLargeError("records change in several parts that are independent")
            vector = tuple(steps.get(figure, 0) for figure in parts[0].figures)
            covering = {n: steps[f] for f, n in zip(kind.figures, numbers, strict=True) if f in steps}
            self._seen[group, change] = vector, types, covering
        return self._seen[group, change]

    def _undone(self, target: int, used: Counter[tuple[int, int]]) -> int:
        """How many moves the attacker can undo: as many as records are known. If a share holds in every number: no more
        than that share of each number of a figure, and everybody who moves and is in none, for any figure.
        """
        certificate, known, covered = self.certificate, known_of_all(self.certificate), people_of(self.certificate)
        share = certificate.attacker.knows
        if share >= 1 or not certificate.attacker.in_every_group:
            return known
        moving = Counter({target: certificate.kinds[certificate.groups[target][0]].people - 1})
        for (group, _), times in used.items():
            moving[group] += times
        for figure in range(len(certificate.figures)):
            inside, outside = Counter[int](), 0
            for group, times in moving.items():
                at, numbers = certificate.groups[group]
                place = dict(zip(certificate.kinds[at].figures, numbers, strict=True)).get(figure)
                inside.update({place: times} if place is not None else {})
                outside += times if place is None else 0
            known = min(known, outside + sum(min(n, ceil(share * covered[at])) for at, n in inside.items()))
        return known


def _fits(steps: dict[int, int], change: dict[int, int]) -> bool:
    """Whether a person's own figures change like this, or by the opposite."""
    return any(all(steps.get(figure, 0) == sign * step for figure, step in change.items()) for sign in (1, -1))


def _merged(weights: list[tuple[Fraction, int]]) -> Weights:
    """Equal weights together."""
    found: Counter[Fraction] = Counter()
    for weight, times in weights:
        found[weight] += times
    return tuple(sorted(found.items()))
