"""Groups that are judged topic by topic: each independent part of a record by itself, and noise beside exact figures.

Figures that no group has in one part with others, directly or through further ones, are independent of these: *topics*.
In each topic a person is hidden by everybody who is in the same numbers of that topic; deltas of topics compose.

*Noise beside exact figures.* A person changes the exact numbers of a topic by a and the noisy ones by n. Every other
record in the same exact numbers that may change them by a, and the noisy ones by m along with it, contains a coin of a
given rate with some weight; reveal all else. Let K coins be there. The exact numbers tell how many fell, or with the
person one more: at most delta_K(e1). Given that, which ones fell is uniform. Take one of them away at random: then the
worlds differ by what the noise must hide, some m - n, which it does to within (e2, d2). Together: E delta_K(e1) + d2 at
e1 + e2. Where the exact numbers do not change, the noise must hide n by itself. It holds for any choice of the other
records: those that leave the noise least to hide come first, then more of them; the best choice counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import ceil, frexp
from types import SimpleNamespace
from typing import Any

from dalenius_checker import laws
from dalenius_checker.cells import coins, weight
from dalenius_checker.document import known_of_all, require
from dalenius_checker.groups import FINE, Examiner, Part, without
from dalenius_checker.laws import ONE, ZERO, Bounds, Letters, Pair, TooLargeError, Types, Vector, small
from dalenius_checker.moves import ends

MOST_FACTS = 40  # about a person, where noise stands beside exact figures
MOST_CHOICES = 4  # of other records among whom a person hides, for one change
SHARES = [Fraction(part, 8) for part in (1, 2, 4, 6, 7)]  # of epsilon that one of two takes
Along = tuple[tuple[int, int], ...]  # noisy numbers, and by how much each changes
Upper = Callable[[Fraction], Fraction]  # delta, at most, at an epsilon


@dataclass(frozen=True)
class Look:
    """People of one law in the same numbers: the coordinates of the exact ones, and of the noisy ones with their
    number.
    """

    law: Letters
    plain: tuple[int, ...]
    noisy: tuple[tuple[int, int], ...]
    count: int

    def moves(self, vectors: Sequence[Vector]) -> dict[Vector, set[Along]]:
        """Changes of the exact numbers, one of each two opposite ones, with what changes along in the noisy ones."""
        found: dict[Vector, set[Along]] = {}
        for one, two in combinations(vectors, 2):
            change = tuple(two[axis] - one[axis] for axis in self.plain)
            along = tuple((number, two[axis] - one[axis]) for axis, number in self.noisy if two[axis] != one[axis])
            for sign in (1, -1):
                way = tuple(sign * step for step in change)
                if way <= tuple(-step for step in way):
                    found.setdefault(way, set()).add(tuple(sorted((number, sign * step) for number, step in along)))
        return found

    def shown(self) -> Letters:
        """The law of what a record adds to the exact numbers."""
        masses: dict[Vector, Fraction] = {}
        for vector, chance in self.law:
            at = tuple(vector[axis] for axis in self.plain)
            masses[at] = masses.get(at, ZERO) + chance
        return tuple(masses.items())


@dataclass(frozen=True)
class Taker:
    """One group, in numbers of so many bits."""

    c: Any
    group: int
    bits: int

    def bounds(self, enough: Fraction) -> Bounds:
        """Delta of the group, at most; to `enough` or as closely as it can be told."""
        place, numbers = self.c.groups[self.group]
        if self.c.secret == "presence" and any(len(part.domain) == 1 for part in self.c.kinds[place].parts):
            return Bounds(ZERO, ONE)  # a number to which everybody adds the same tells who is there
        found = ONE
        for fine in FINE:
            uppers = self._uppers([topic for topic in topics(self.c) if self._numbers(topic, numbers)], fine)
            found = min(found, _together(uppers, self.c.epsilon))
            if found <= enough:
                break
        return Bounds(ZERO, found)

    def _numbers(self, figures: frozenset[int], numbers: Iterable[int]) -> frozenset[int]:
        return frozenset(number for number in numbers if self.c.numbers[number][0] in figures)

    def _uppers(self, some: list[frozenset[int]], fine: int) -> list[Upper]:
        """All exact topics at once, and each of the others."""
        found, parts, left = list[Upper](), list[Part](), list[Types]()
        for topic in some:
            mine = self._numbers(topic, self.c.groups[self.group][1])
            noisy = [self.c.figures[self.c.numbers[number][0]].noise is not None for number in mine]
            kind = SimpleNamespace(figures=[], parts=self._parts(self.group, topic), alone=False)
            examiner = Examiner(self.c, kind, self.bits, fine=fine)
            if all(noisy):
                found.append(examiner.noise)
                continue
            exact, rest = self._as_exact(topic, mine, examiner)
            if any(noisy):
                found.append(_best(partial(_exactly, examiner, exact, rest), self._beside(topic, examiner)))
            else:
                parts, left = parts + exact, left + rest
        return [partial(_exactly, examiner, parts, left), *found] if parts else found

    def _alike(self, figures: frozenset[int], mine: frozenset[int]) -> list[int]:
        """The groups that are in exactly these numbers of the figures."""
        return [at for at, (_, numbers) in enumerate(self.c.groups) if self._numbers(figures, numbers) == mine]

    def _parts(self, group: int, topic: frozenset[int]) -> list[Any]:
        return [part for part in self.c.kinds[self.c.groups[group][0]].parts if topic & {*part.figures}]

    def _as_exact(
        self, topic: frozenset[int], mine: frozenset[int], examiner: Examiner
    ) -> tuple[list[Part], list[Types]]:
        """The laws of everybody in the same numbers of the topic, as if all were exact, and who is left."""
        groups = self._alike(topic, mine)
        known = self._known(mine, sum(self.c.kinds[self.c.groups[at][0]].people for at in groups))
        parts, left = list[Part](), list[Types]()
        for place, part in enumerate(self._parts(self.group, topic)):
            types = Counter[Letters]()
            for at in groups:
                also = self._parts(at, topic)[place]
                require(also.figures == part.figures, "groups in the same numbers of a topic have parts that differ")
                for law, count in also.least:
                    types[law] += count
            whole = SimpleNamespace(figures=part.figures, domain=part.domain, least=tuple(types.items()))
            short = examiner.essential(whole, noisy=False)
            parts.append(short)
            left.append(without(short.types, tuple(min(count, known + 1) for _, count in short.types)))
        return parts, left

    def _known(self, mine: Iterable[int], size: int) -> int:
        known = known_of_all(self.c)
        if self.c.attacker.in_every_group and self.c.knows < 1:
            known = min([known, *(ceil(self.c.knows * self.c.covered[number]) for number in mine)])
        return min(size - 1, known)

    def _beside(self, topic: frozenset[int], examiner: Examiner) -> Upper:
        """By the records of everybody in the same exact numbers of the topic, and by noise."""
        plain = frozenset(at for at in topic if self.c.figures[at].noise is None)
        mine = self._numbers(plain, self.c.groups[self.group][1])
        looks, own = list[Look](), list[Look]()
        for at in self._alike(plain, mine):
            looks += (some := self._looks(at, topic))
            own += some[:1] if at == self.group else []
        (part,) = self._parts(self.group, topic)
        facts = [*dict.fromkeys([*part.domain, *([(0,) * len(part.figures)] * (self.c.secret == "presence"))])]
        small(len(facts) <= MOST_FACTS, f"there are {len(facts)} facts about a person, beside noise")
        known = self._known(mine, sum(look.count for look in looks))
        others = [look.moves([vector for vector, _ in look.law]) for look in looks]
        changes: list[list[tuple[list[Pair] | None, list[Any]]]] = []
        for change, steps in own[0].moves(facts).items():
            if not any(change):
                changes.append([(None, [self._noises(one) for one in steps if one])])
                continue
            apart = [{_less(one, two) for one in some.get(change, ()) for two in steps} for some in others]
            require(any(apart), "nobody else in the same exact numbers can change them as a person does")
            choices = list[tuple[list[Pair] | None, list[Any]]]()
            for chosen in self._nearest(apart):
                hidden = self._coins([looks[at] for at in chosen], change, known)
                left = set[Along]().union(*(apart[at] for at in chosen))
                choices += [(hidden, [self._noises(one) for one in left if one])] if hidden else []
            require(choices, "nobody else in the same exact numbers can change them as a person does")
            changes.append(choices)

        def upper(epsilon: Fraction) -> Fraction:
            best = (min(_change(examiner, *choice, epsilon) for choice in choices) for choices in changes)
            return max(best, default=ZERO)

        return upper

    def _nearest(self, apart: Sequence[set[Along]]) -> list[list[int]]:
        """Whose changes leave the noise least to hide, in units of its scale; then more and more of the others."""
        steps = [[self._noises(one) for one in some] for some in apart]
        far = {
            at: max(sum((abs(step) / scale for (_, scale), step in one), ZERO) for one in some)
            for at, some in enumerate(steps)
            if some
        }
        order = sorted({*far.values()})
        if len(order) > MOST_CHOICES:
            order = [*order[: MOST_CHOICES - 1], order[-1]]
        return [[at for at, one in far.items() if one <= most] for most in order]

    def _looks(self, group: int, topic: frozenset[int]) -> list[Look]:
        parts, number_of = self._parts(group, topic), {self.c.numbers[n][0]: n for n in self.c.groups[group][1]}
        small(len(parts) == 1, "what covers people in the same exact numbers falls into independent parts")
        order = sorted(range(len(parts[0].figures)), key=parts[0].figures.__getitem__)
        noisy = [self.c.figures[at].noise is not None for at in parts[0].figures]
        plain = tuple(axis for axis in order if not noisy[axis])
        numbers = tuple((axis, number_of[parts[0].figures[axis]]) for axis in order if noisy[axis])
        return [Look(law, plain, numbers, count) for law, count in parts[0].least]

    def _noises(self, along: Along) -> list[Any]:
        return [(self.c.figures[self.c.numbers[number][0]].noise, abs(step)) for number, step in along]

    def _coins(self, looks: list[Look], change: Vector, known: int) -> list[Pair] | None:
        """The coins inside all records but the person's, without the largest that the attacker may know; None if there
        are none.
        """
        shown, half = [(look.shown(), look.count) for look in looks], Fraction(1, 2)
        low, high = (sum((n * ends(law, change, half)[side] for law, n in shown), ZERO) for side in (0, 1))
        if not low or not high:
            return None
        digits, power = frexp(high / (low + high))
        near = Fraction(round(digits * 1024), 1024) * Fraction(2) ** power
        rate = min(max(near, Fraction(1, 10**6)), 1 - Fraction(1, 1024))
        weights = Counter[Fraction]()
        for law, count in shown:
            weights[weight(ends(law, change, rate), rate)] += count
        weights[max(weights)] -= 1  # the person may be any of them
        mixed = laws.mixture(tuple(sorted(weights.items())), known, laws.COARSE, self.bits)
        return [coins(mixed, rate, step, self.bits) for step in (1, -1)]


def topics(c: Any) -> list[frozenset[int]]:
    """Figures that some group has in one part, directly or through others; but not those to which all add the same."""
    found: list[frozenset[int]] = []
    for some in {frozenset(part.figures) for kind in c.kinds for part in kind.parts if len(part.domain) > 1}:
        touching = [topic for topic in found if topic & some]
        found = [topic for topic in found if topic not in touching] + [some.union(*touching)]
    return sorted(found, key=min)


def _less(one: Along, two: Along) -> Along:
    left = Counter(dict(one))
    left.subtract(dict(two))
    return tuple(sorted((number, step) for number, step in left.items() if step))


def _change(examiner: Examiner, hidden: list[Pair] | None, moved: list[Any], epsilon: Fraction) -> Fraction:
    """One change of the exact numbers, or none."""
    if hidden is None:
        return max((examiner.hidden(one, epsilon) for one in moved), default=ZERO)

    def told(at: Fraction) -> Fraction:
        return max(laws.delta(points, at, examiner.bits) for points in hidden)

    return beside(examiner, told, moved, epsilon)


def beside(examiner: Examiner, told: Upper, moved: list[Any], epsilon: Fraction) -> Fraction:
    """What exact numbers tell, and what noise has to hide besides (any of these), at once."""
    pure = [sum((far / scale for (_, scale), far in one), ZERO) for one in moved]
    geometric = all(link == "geometric" for one in moved for (link, _), _ in one)
    if geometric and max(pure, default=ZERO) <= epsilon:
        return told(epsilon - max(pure, default=ZERO))
    return min(
        told(epsilon * (1 - part)) + max(examiner.hidden(one, epsilon * part) for one in moved) for part in SHARES
    )


def _exactly(examiner: Examiner, parts: list[Part], left: list[Types], epsilon: Fraction) -> Fraction:
    examiner.terms = 0
    return examiner.outputs(parts, left, epsilon).upper


def _best(*ways: Upper) -> Upper:
    """The least of several bounds; one that is too large to compute is none."""

    def upper(epsilon: Fraction) -> Fraction:
        found = ONE
        for way in ways:
            with suppress(TooLargeError):
                found = min(found, way(epsilon))
        return found

    return upper


def _together(uppers: list[Upper], epsilon: Fraction) -> Fraction:
    """Independent topics at once: epsilon is shared among them, and their deltas are added up."""
    if len(uppers) < 2:
        return uppers[0](epsilon) if uppers else ZERO
    share = epsilon / len(uppers)
    found = sum((upper(share) for upper in uppers), ZERO)
    if len(uppers) == 2:
        found = min(found, *(uppers[0](epsilon * part) + uppers[1](epsilon * (1 - part)) for part in SHARES))
    return min(ONE, found)
