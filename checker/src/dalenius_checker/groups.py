"""How much the published numbers tell about one person of a group: an upper bound on delta, from the certificate alone.

The target and the records that the attacker knows are taken out of the group; the others, and noise, hide the target.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product
from math import ceil
from typing import Any

from flint import fmpq_mat

from dalenius_checker import laws
from dalenius_checker.document import people
from dalenius_checker.laws import ONE, ZERO, Law, Pair, TooLargeError, Types, Vector, small

MOST_TERMS = 100_000_000  # of all pairs of one kind of group: half a minute
FINE = (500, 8000)  # steps of a loss to one epsilon; if the first do not confirm it, the second
MOST_FACTS = 500_000  # pairs of facts about a person
Bound = Callable[[Types], Fraction]


@dataclass(frozen=True)
class Part:
    """What records add to some figures of a group: all vectors that are possible, how many people have which law (its
    mass is below one where only a part of it is known), the noise of each figure, and to what the total is rounded.
    """

    domain: tuple[Vector, ...]
    types: Types
    noises: tuple[Law | None, ...]
    base: int


@dataclass
class Examiner:
    """Bounds on the delta of one kind of group, in numbers of so many bits."""

    certificate: Any
    kind: Any
    bits: int
    terms: int = 0
    fine: int = FINE[0]

    def upper(self, known: int, enough: Fraction) -> Fraction:
        """A bound on delta, for an attacker who knows the worst `known` records; as close as is needed to see that it
        is at most `enough`: by records as if there were no noise, by noise as if all others were known, or by both.
        """
        several, noisy = len(self.kind.figures) > 1, any(self.certificate.figures[at].noise for at in self.kind.figures)
        ways: list[Callable[[], Fraction]] = [lambda: self._records(known, enough, noisy=noisy)]
        ways = [self._noise, *ways] if noisy else ways
        ways = [lambda: self._records(known, enough, noisy=False), *ways] if len(ways) * several > 1 else ways
        found, left = ONE, None
        for fine, way in product(FINE if several else FINE[:1], ways):
            self.fine, self.terms = fine, 0
            if left is not None and fine > FINE[0]:
                break
            try:
                found = min(found, way())
            except TooLargeError as error:
                left = error
            if found <= enough:
                return found
        if left is not None and found > self.certificate.wanted:
            raise left
        return found

    def _records(self, known: int, enough: Fraction, *, noisy: bool) -> Fraction:
        """By the records of the group; of several independent parts, so many of each law are taken out."""
        parts = [part for part in (self._essential(part, noisy=noisy) for part in self.kind.parts) if part.domain[0]]
        counts = [tuple(count for _, count in part.types) for part in parts]
        if len(parts) == 1:
            box = (0,) * len(counts[0]), counts[0]
            return worst(parts[0].types, known + 1, box, lambda some: self._outputs(parts, [some]), enough)
        taken = [tuple(min(count, known + 1) for count in some) for some in counts]
        return self._outputs(parts, [without(part.types, some) for part, some in zip(parts, taken, strict=True)])

    def _essential(self, part: Any, *, noisy: bool) -> Part:
        """The part without coordinates that are linear combinations of exact ones (and of one, if presence is no
        secret: the number of records is known then). These tell nothing new. Rounding protects only if the number
        covers nobody else.
        """
        figures, size = [self.certificate.figures[place] for place in part.figures], len(part.domain)
        exact = [figure.noise is None or not noisy for figure in figures]
        kept: list[int] = []
        rows: list[list[int]] = [] if self.certificate.secret == "presence" else [[1] * size]
        for axis in sorted(range(len(figures)), key=lambda axis: not exact[axis]):
            more = [*rows, [vector[axis] for vector in part.domain]]
            if fmpq_mat(len(more), size, [step for row in more for step in row]).rank() == len(more):
                kept.append(axis)
                rows = more if exact[axis] else rows

        def fewer(vector: Vector) -> Vector:
            return tuple(vector[axis] for axis in kept)

        types = tuple((tuple((fewer(vector), chance) for vector, chance in law), count) for law, count in part.least)
        noises = tuple(None if exact[axis] else laws.noise(*figures[axis].noise, self.bits) for axis in kept)
        return Part(tuple(map(fewer, part.domain)), types, noises, figures[0].base if self.kind.alone else 1)

    def _outputs(self, parts: list[Part], left: list[Types]) -> Fraction:
        """Independent parts, each with the records that are left of it."""
        outputs, missed = [], ZERO
        for part, types in zip(parts, left, strict=True):
            places, found = self._places(part, people(part.types) - people(types) - 1), []
            reach = tuple(max(abs(move[axis]) for _, move in places) for axis in range(len(part.domain[0])))
            for chance, draws in cases(types, self.certificate.wanted / 100, self.bits, every=part.base == 1):
                strides, lost = laws.strides_for(draws, part.noises, reach, self.bits)
                law = laws.total(draws, part.noises, strides, self.bits)
                found.append((Law(law.start, [mass * chance >> self.bits for mass in law.mass]), strides))
                missed += lost
            self.terms += len(places) * sum(len(law.mass) for law, _ in found)
            small(self.terms <= MOST_TERMS, f"this takes more than {MOST_TERMS} terms")
            outputs.append(_pairs(found, places, part.base))
        slip: Fraction = missed * (1 + Fraction(3) ** ceil(self.certificate.epsilon))  # e is below 3
        return min(ONE, laws.largest(outputs, self.certificate.epsilon, self.fine, self.bits) + slip)

    def _places(self, part: Part, known: int) -> set[tuple[int, Vector]]:
        """What one person may move the sums by: both orders of every two facts; and from where, modulo the base of
        rounding, wherever the `known` records may put the total.
        """
        zero, base, presence = (0,) * len(part.domain[0]), part.base, self.certificate.secret == "presence"
        adds = sorted({vector[0] % base for law, _ in part.types for vector, _ in law})
        sure = not presence and all(mass_of(law) == 1 for law, _ in part.types)
        offsets = new = {known * adds[0] % base} if sure else {*range(base)}
        while known and new and len(part.domain) ** 2 * len(offsets) <= MOST_FACTS:  # each adds the least, or more
            known, new = known - 1, {(one + other - adds[0]) % base for one in new for other in adds} - offsets
            offsets = offsets | new
        small(len(part.domain) ** 2 * len(offsets) <= MOST_FACTS, f"there are {len(part.domain)} facts about a person")
        others = [zero] if presence else part.domain
        facts = [*product(others, part.domain), *product(part.domain, others)]
        moves = {(one[0], tuple(y - x for x, y in zip(one, two, strict=True))) for one, two in facts if one != two}
        return {((start + offset) % base, move) for start, move in moves for offset in offsets}

    def _noise(self) -> Fraction:
        """Noise on every number, as if all other records were known; 1 if a number has none. Log-concave noise hides a
        smaller move better: delta is the largest of F(t) - e^epsilon F(t + move) over t, F being the probability of
        more than t. What follows noise is a function of it. Geometric noise: the losses are at most move / scale each.
        """
        moved = []
        for part, axis in [(one, axis) for one in self.kind.parts for axis in range(len(one.figures))]:
            adds, noise = [v[axis] for v in part.domain], self.certificate.figures[part.figures[axis]].noise
            move = max(map(abs, adds)) if self.certificate.secret == "presence" else max(adds) - min(adds)
            if move and noise is None:
                return ONE
            moved += [(move, *noise)] if move else []
        pure = all(link == "geometric" for _, link, _ in moved)
        if pure and sum(move / scale for move, _, scale in moved) <= self.certificate.epsilon:
            return ZERO
        found = [(move, laws.noise(link, scale, self.bits)) for move, link, scale in moved]
        outputs = [[laws.pair(law, Law(law.start + move, law.mass))] for move, law in found]
        return laws.largest(outputs, self.certificate.epsilon, self.fine, self.bits)


def _pairs(found: list[tuple[Law, Vector]], places: set[tuple[int, Vector]], base: int) -> Iterator[Pair]:
    """For every move from a place: what is published before it, and after. It is revealed which law is the case."""
    for offset, move in places:
        steps = [(law, sum(a * b for a, b in zip(move, strides, strict=True))) for law, strides in found]
        pairs = (laws.pair(laws.rounded(law, base, offset), laws.rounded(law, base, offset + n)) for law, n in steps)
        yield chain.from_iterable(pairs)


def mass_of(law: laws.Letters) -> Fraction:
    """One, or less if only a part of the law is known."""
    return sum((chance for _, chance in law), ZERO)


def without(types: Types, taken: Vector) -> Types:
    """The records that are left."""
    return tuple((law, count - some) for (law, count), some in zip(types, taken, strict=True) if count > some)


def worst(types: Types, removed: int, box: tuple[Vector, Vector], upper: Bound, enough: Fraction) -> Fraction:
    """An upper bound on the largest delta over all ways to take `removed` records out, of each law a number within the
    box; `upper` bounds it for those that are left. To take out more never makes delta smaller, since it reveals records
    that are independent of all others. So all choices of a box are bounded by what they take out together; the box is
    halved until that is at most `enough`, or there is nothing left to choose.
    """
    spare, lacking = removed - sum(box[0]), sum(box[1]) - removed
    if min(spare, lacking) < 0:
        return ZERO
    low = tuple(max(a, b - lacking) for a, b in zip(*box, strict=True))
    high = tuple(min(b, a + spare) for a, b in zip(*box, strict=True))
    found = upper(without(types, high))
    if found <= enough or low == high:
        return found
    axis = max(range(len(low)), key=lambda place: high[place] - low[place])
    middle = (low[axis] + high[axis]) // 2
    more, less = (*low[:axis], middle + 1, *low[axis + 1 :]), (*high[:axis], middle, *high[axis + 1 :])
    found = worst(types, removed, (more, high), upper, enough)
    return found if found > enough else max(found, worst(types, removed, (low, less), upper, enough))


def cases(types: Types, miss: Fraction, bits: int, *, every: bool) -> list[tuple[int, Types]]:
    """Records of which only a part of the law is known: with the probability of that part each is a draw from it, else
    it is revealed. How many of each type are draws, and with which probability (in 2^-bits): delta is at most the mean
    over all cases. Of one type and one number that is not rounded `every` case; else one, but for a probability of
    `miss`. (What is revealed moves a rounded total to a place that may depend on the case: it is no mean over these.)
    """
    types = tuple((law, count) for law, count in types if law)
    whole = [(tuple((vector, chance / mass_of(law)) for vector, chance in law), count) for law, count in types]
    draws = [laws.mixture(((mass_of(law), count),), 0, bits) for law, count in types]
    if all(mass_of(law) == 1 for law, _ in types):
        return [(1 << bits, types)]
    if every and len(types) == 1 and len(types[0][0][0][0]) == 1:
        return [(mass, ((whole[0][0], number),)) for number, mass in draws[0]]
    fewer, numbers = 0, []  # the probability that there are fewer
    for some in draws:
        below, place = (1 << bits) - sum(mass for _, mass in some), 0
        while place < len(some) - 1 and below + some[place][1] <= miss / len(types) * (1 << bits):
            below, place = below + some[place][1], place + 1
        fewer += below
        numbers.append(some[place][0])
    return [(max(0, (1 << bits) - fewer), tuple((law, n) for (law, _), n in zip(whole, numbers, strict=True)))]
