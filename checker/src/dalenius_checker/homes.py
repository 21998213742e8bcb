"""Records that move together: how much is told about a whole household, at most.

Households are independent. Whatever the rest of its household says, a record follows its law with at least the stated
weight. Of each household one member, its coin, is listed with its law times that weight; of all others nothing is. All
but the coins are revealed, which never helps privacy; then the coins are independent.

One household of s members moves one number by the difference of two s-fold sums of what a record adds. Where there are
several numbers, its change is a sum of changes: one for each member, or for each independent part of the records. The
coins are shared out equally, so that each of these changes has coins of its own; given all else, what is published is a
function of independent sums, each moved by one change. Where presence is secret, a member may also add nothing. Where
only one property of a household is secret, the certificate says by how much one number differs between two states that
are compared (its `changes`), and these are all that count.

A household in J groups of people moves the totals of J groups, which are independent given all else: delta is at most J
times the worst of theirs, at epsilon / J each.
"""

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from dalenius_checker.document import require
from dalenius_checker.groups import Examiner, Part, mass_of, worst
from dalenius_checker.laws import ONE, ZERO, Bounds, TooLargeError, Types, Vector, small

MOST_SUMS = 200_000  # different sums of what the members of a household add


def check(c: Any) -> None:
    """RefusedError unless what is said of records that move together fits the rest."""
    weight, kinds = Fraction(c.together.weight), c.kinds
    fine = 0 < weight < 1 and c.together.groups <= c.together.largest <= c.people.all
    require(fine, "the weight of records that move together, or the size of a household, is out of place")
    plain = not hasattr(c, "series") and all(kind.evidence.method == "atom" for kind in kinds)
    require(plain, "records that move together are judged by the groups themselves, of one edition")
    parts = [one for kind in kinds for part in kind.parts for one in (part, *part.also)]
    fine = all(part.estimated and all(mass_of(law) <= weight for law, _ in part.least) for part in parts)
    require(fine, "more is said of a record than its weight, given the rest of its household")


class Householder(Examiner):
    """Bounds on what is told of a household; from above only."""

    def bounds(self, known: int, enough: Fraction) -> Bounds:
        """At an equal share of epsilon and delta for each group that a household may be in."""
        claimed, groups = self.certificate, self.certificate.together.groups
        shared = {"epsilon": claimed.epsilon / groups, "wanted": claimed.wanted / groups}
        self.certificate = SimpleNamespace(**{**vars(claimed), **shared})
        try:
            found = super().bounds(known, enough / groups)
        finally:
            self.certificate = claimed
        return Bounds(ZERO, min(ONE, groups * found.upper))

    def _records(self, known: int, enough: Fraction, *, noisy: bool) -> Bounds:
        parts = [part for part in (self.essential(part, noisy=noisy) for part in self.kind.parts) if part.domain[0]]
        parts = [part for part in parts if part.changes != ()]
        size, changes = self.certificate.together.largest, list[Part]()
        for part in parts:
            coins = tuple((law, count) for law, count in part.types if law)
            one = len(part.domain[0]) == 1
            domain = sums(self._members(part.domain), size) if one else part.domain
            changes += [Part(domain, coins, part.noises, part.base, changes=part.changes)] * (1 if one else size)
        if not changes:
            return Bounds(ZERO, ZERO)
        if not all(part.types for part in changes):
            return Bounds(ZERO, ONE)
        if len(changes) == 1:
            (part,) = changes
            counts = tuple(count for _, count in part.types)
            if sum(counts) <= known:
                return Bounds(ZERO, ONE)
            box = (0,) * len(counts), counts
            found = worst(part.types, known + 1, box, lambda some: self._output(part, some, enough), enough)
            return Bounds(ZERO, found.upper)
        left = [_share(part.types, known + 1, len(changes)) for part in changes]
        return self.outputs(changes, left, self.certificate.epsilon) if all(left) else Bounds(ZERO, ONE)

    def _members(self, domain: Any) -> list[Vector]:
        """What one member may add: nothing, where it is secret who of a household is there."""
        nobody = [(0,) * len(domain[0])] if self.certificate.secret == "presence" else []
        return [*dict.fromkeys([*domain, *nobody])]

    def noise(self, epsilon: Fraction) -> Fraction:
        """By noise alone: of too many sums, as if two states differed most in every number."""
        kind, size = self.kind, self.certificate.together.largest
        parts = []
        for part in kind.parts:
            one = self._members(part.domain)
            ends = [(size * min(axis), size * max(axis)) for axis in zip(*one, strict=True)]
            try:
                domain = tuple(one) if part.changes is not None else sums(one, size)
            except TooLargeError:
                domain = (*dict.fromkeys(zip(*ends, strict=True)),)
            parts.append(SimpleNamespace(figures=part.figures, domain=list(domain), changes=part.changes))
        self.kind = SimpleNamespace(**{**vars(kind), "parts": parts})
        try:
            return super().noise(epsilon)
        finally:
            self.kind = kind


def _share(types: Types, removed: int, shares: int) -> Types:
    """One of equal shares of the coins, after so many of each law are taken out."""
    left = ((law, (count - removed) // shares) for law, count in types)
    return tuple((law, count) for law, count in left if count > 0)


def sums(domain: Any, size: int) -> tuple[Vector, ...]:
    """What so many members of a household may add, moved so that it is what one adds if all others add the least."""
    vectors = sorted(domain)
    steps = {tuple(b - a for a, b in zip(*two, strict=True)) for two in pairwise(vectors)}
    if len(steps) < 2:  # evenly spaced, and so are the sums
        step, many = next(iter(steps), vectors[0]), size * (len(vectors) - 1)
        return tuple(tuple(a + place * b for a, b in zip(vectors[0], step, strict=True)) for place in range(many + 1))
    found = {vectors[0]}
    for _ in range(size):
        small(len(found) * len(vectors) <= 100 * MOST_SUMS, f"{size} records may add too many different sums")
        away = [tuple(b - a for a, b in zip(vectors[0], vector, strict=True)) for vector in vectors]
        found = {tuple(a + b for a, b in zip(one, two, strict=True)) for one in found for two in away}
        small(len(found) <= MOST_SUMS, f"{size} records may add {len(found)} different sums")
    return tuple(sorted(found))
