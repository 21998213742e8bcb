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
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Any

from dalenius_checker import laws
from dalenius_checker.cells import Points, coins, weight
from dalenius_checker.document import known_of_all, require
from dalenius_checker.laws import ONE, ZERO, Bounds, Letters, Types, Vector, small

MOST_FACTS = 450  # about a person, by figures that are linked
FINE = 500  # steps of a loss to one epsilon


@dataclass(frozen=True)
class Mover:
    """The moves that are listed for one group, in numbers of so many bits."""

    c: Any
    listed: Any
    bits: int

    def bounds(self, enough: Fraction) -> Bounds:
        """The delta of the group, at most: of every change of a person by the best of its ways. Where that is more than
        `enough`, and figures of one topic change: what these moves give at least.
        """
        kind, ways = self.c.kinds[self.c.groups[self.listed.group][0]], self.listed.ways
        require({way.packing for way in ways} == {*range(len(self.listed.packings))}, "a list of moves is not used")
        pairs = [self._pairs(way) for way in ways]
        deltas = [max(laws.delta(points, self.c.epsilon, self.bits) for points in some) for some in pairs]
        topics: list[set[int]] = []  # figures that some group has in one part, or that change together
        parts = [part.figures for other in self.c.kinds for part in other.parts]
        for some in (*parts, *([figure for figure, _ in way.change] for way in ways)):
            touching = [topic for topic in topics if topic & set(some)]
            topics = [topic for topic in topics if topic not in touching] + [set(some).union(*touching)]
        outputs, fitting, choices = [], set[int](), []
        for topic in topics:
            output: list[Points] = []
            for change in self._changes([part for part in kind.parts if topic & {*part.figures}]):
                fits = [at for at, way in enumerate(ways) if _fits(dict(way.change), change)]
                require(fits, "a change of a person has no moves that are listed")
                output += pairs[min(fits, key=lambda at: deltas[at])]
                fitting |= {*fits}
                choices.append(fits)
            outputs += [output] if output else []
        require(fitting == {*range(len(ways))}, "a way does not fit any change of a person")
        upper = laws.largest(outputs, self.c.epsilon, FINE, self.bits)
        if upper <= enough or len(outputs) > 1:
            return Bounds(ZERO, upper)
        least = [max(self._least(points) for points in self._pairs(way, most=True)) for way in ways]
        return Bounds(max((min(least[at] for at in fits) for fits in choices), default=ZERO), upper)

    def _least(self, points: Points) -> Fraction:
        return laws.bounds(points, self.c.epsilon, self.bits).lower

    def _changes(self, parts: list[Any]) -> Iterator[dict[int, int]]:
        """Everything that one person may change the figures of these parts by; one of each two opposite changes."""
        number = prod(len(part.domain) for part in parts)
        small(number <= MOST_FACTS, f"there are {number} facts about a person, more than {MOST_FACTS}")
        figures = [figure for part in parts for figure in part.figures]
        facts = [sum(vectors, ()) for vectors in product(*(part.domain for part in parts))]
        zero = (0,) * len(figures)
        facts += [zero] if self.c.secret == "presence" else []  # who is absent adds nothing
        found = {tuple(a - b for a, b in zip(one, two, strict=True)) for one in facts for two in facts} - {zero}
        for change in {max(change, tuple(-step for step in change)) for change in found}:
            yield dict(zip(figures, change, strict=True))

    def _pairs(self, way: Any, *, most: bool = False) -> list[Points]:
        """The coins that hide a change, when the worst ones are undone, against the same and one more, and one less:
        as many as there are at least, or at most, where numbers are not told to the last one.
        RefusedError unless every move changes the published numbers exactly as the person does, and no record is used
        twice.
        """
        rate, target, steps = Fraction(way.rate), self.listed.group, dict(way.change)
        fine = 0 < rate < 1 and len(steps) == len(way.change) and all(steps.values())
        require(fine and max(steps) < len(self.c.figures), "a way has a wrong rate, or changes a wrong figure")
        vector, types, wanted = self._group(target, steps)
        used = Counter[tuple[int, int]]()
        own = sorted((weight(ends(law, vector, rate), rate), count) for law, count in types)
        weights = Counter({own[-1][0]: -1})  # the person may be any of them
        for some, count in own:
            weights[some] += count
        for times, ahead, behind in self.listed.packings[way.packing]:
            numbers, low, high = Counter[int](), ONE, ONE
            for sign, group, place in [(1, *one) for one in ahead] + [(-1, *one) for one in behind]:
                require(group != target, "a move has records of the person's own group")
                vector, types, covering = self._group(group, steps)
                lower, upper = ends(types[place][0], vector, rate)[::sign]
                low, high = low * lower, high * upper
                numbers.update({number: sign * step for number, step in covering.items()})
                used[group, place] += times
                require(used[group, place] <= types[place][1], f"moves use more people of group {group} than there are")
            same = {number: step for number, step in numbers.items() if step} == wanted
            require(same, f"a move does not change the published numbers as a person of group {target} does")
            weights[weight((low, high), rate)] += times
        mixed = laws.mixture(tuple(sorted(weights.items())), self._undone(used), laws.COARSE, self.bits)
        return [coins(mixed, rate, step, self.bits, most=most) for step in (1, -1)]

    def _group(self, group: int, steps: dict[int, int]) -> tuple[Vector, Types, dict[int, int]]:
        """A group, in the coordinates of its part that changes: the change; laws, and how many have them; and what
        changes in the published numbers.
        """
        at, numbers = self.c.groups[group]
        kind = self.c.kinds[at]
        parts = [part for part in kind.parts if any(figure in steps for figure in part.figures)]
        require(parts, "a record moves that nothing covers of what changes")
        small(len(parts) == 1, "records change in several parts that are independent")
        vector = tuple(steps.get(figure, 0) for figure in parts[0].figures)
        return vector, parts[0].least, {n: steps[f] for f, n in zip(kind.figures, numbers, strict=True) if f in steps}

    def _undone(self, used: Counter[tuple[int, int]]) -> int:
        """How many moves the attacker can undo: as many as records are known. If a share holds in every number: no more
        than that share of each number of a figure, and everybody who moves and is in none, for any figure.
        """
        c, share, known = self.c, self.c.knows, known_of_all(self.c)
        moving = Counter({self.listed.group: c.kinds[c.groups[self.listed.group][0]].people - 1})
        for (group, _), times in used.items():
            moving[group] += times
        for figure in range(len(c.figures)) if share < 1 and c.attacker.in_every_group else ():
            inside = Counter[int]()
            for group, times in moving.items():
                inside[next((n for n in c.groups[group][1] if c.numbers[n][0] == figure), -1)] += times
            known = min(known, sum(n if at < 0 else min(n, ceil(share * c.covered[at])) for at, n in inside.items()))
        return known


def _fits(steps: dict[int, int], change: dict[int, int]) -> bool:
    """Whether a person's own figures change like this, or by the opposite."""
    return any(all(steps.get(figure, 0) == sign * step for figure, step in change.items()) for sign in (1, -1))


def ends(law: Letters, change: Vector, rate: Fraction) -> tuple[Fraction, Fraction]:
    """How much of the law lies at the lower, and at the upper end of a change: of the only pair of vectors that differ
    by it; or of all such pairs, made into coins of one rate along each chain, so that no mass is used twice.
    """
    masses = dict(law)

    def after(vector: Vector, sign: int) -> Vector:
        return tuple(a + sign * b for a, b in zip(vector, change, strict=True))

    lows = [vector for vector in masses if after(vector, 1) in masses]
    if len(lows) == 1:
        return masses[lows[0]], masses[after(lows[0], 1)]
    taken: dict[Vector, Fraction] = {}
    for low in sorted(lows, key=lambda vector: sum(a * b for a, b in zip(vector, change, strict=True))):
        spent = taken.get(after(low, -1), ZERO) * rate
        taken[low] = max(ZERO, min((masses[low] - spent) / (1 - rate), masses[after(low, 1)] / rate))
    whole = sum(taken.values(), ZERO)
    return whole * (1 - rate), whole * rate
