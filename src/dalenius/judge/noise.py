"""Noise by itself: what it hides of one person, whatever is known and believed of everybody else.

Fix a pair of facts about a person, and all other records. Number j of those that cover the person differs by d_j
between the two worlds, and has independent noise Z_j; so what is published is a product of the pairs (Z_j, Z_j + d_j).
Numbers in which the two facts do not differ tell nothing. Pure ε of the pair of facts is the sum of |d_j| / scale_j;
its δ is the composition of the curves of (Z_j, Z_j + d_j). Then the worst pair of facts counts. The counts of all
values of one column differ in two places, whichever two values are compared: scale 2/ε is enough for any number of
values.

All noises here are symmetric and log-concave. Hence likelihood ratios are monotone, the best events are half-lines, and
δ = max over t of P(Z > t) - e^ε P(Z > t + |d|) does not fall with |d|, at any ε. A curve that is nowhere smaller stays
so beside independent ones (adaptive composition of dominating pairs: Zhu, Dong and Wang 2022). So pairs of facts that
differ by at most as much in every number need not be looked at. Two-sided geometric noise of a larger scale is one of a
smaller scale plus independent noise: with ratios x < y, the quotient of the characteristic functions is a + (1 - a)
times that of y, for a = x (1 - y)² / (y (1 - x)²), which lies between 0 and 1. So a smaller scale tells more, too.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.judge.group import Vector
from dalenius.mechanisms import Exact, TwoSidedGeometric
from dalenius.mechanisms.channel import LARGEST_GEOMETRIC, Channel
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import point
from dalenius.numerics.shifts import ShiftCurve

Difference: TypeAlias = tuple[tuple[int, int], ...]  # the places in which two facts differ, and by how much
Moved: TypeAlias = tuple[Channel, int]  # the noise of a number, and how far it is moved
Profile: TypeAlias = tuple[Moved, ...]  # of all numbers in which two facts differ, in order
MOST_PAIRS = 250_000  # of facts that are gone through one by one
MOST_EXTREME = 400  # facts at the edge of a domain
LONG = 64  # facts from which on those at the edge are looked for first,
EDGED = 4  # for up to so many numbers
DENSE = 8  # numbers up to which differences that others exceed are taken out
LONGEST = 2**61  # a difference of two such numbers is one of 64 bits
MOST_COMPARED = 200  # profiles of one part of a record that are compared with each other,
MOST_COMPOSED = 16  # and of a whole record that are composed: more are bounded by one


def differences(domain: Sequence[Vector], others: Sequence[Vector]) -> tuple[Difference, ...]:
    """How much a fact of one list may differ from one of the other, number by number; but not where another difference
    is as large in every number. Where there are too many pairs of facts: the largest difference of each number, all at
    once. Cost O(pairs).
    """
    if not domain or not domain[0]:
        return ()
    small = max(abs(step) for vector in (*domain, *others) for step in vector) < LONGEST
    if len(domain) > LONG and small and len(domain[0]) <= EDGED:
        domain, others = _edges(domain, others)
    if len(domain) * len(others) > MOST_PAIRS or not small:
        return _at_once(domain, others)
    if len(domain[0]) <= DENSE:
        apart = np.abs(np.array(domain)[:, None, :] - np.array(others)[None, :, :]).reshape(-1, len(domain[0]))
        largest = _undominated(np.unique(apart, axis=0))
        if largest is None:
            return _at_once(domain, others)
        return tuple(filter(None, (_sparse(row) for row in largest.tolist())))
    steps = [{place: step for place, step in enumerate(vector) if step} for vector in domain]
    more = [{place: step for place, step in enumerate(vector) if step} for vector in others]
    apart_in = {
        tuple(sorted((place, abs(one.get(place, 0) - two.get(place, 0))) for place in one.keys() | two.keys()))
        for one in steps
        for two in more
    }
    return tuple(dict.fromkeys(filter(None, (tuple(both for both in apart if both[1]) for apart in apart_in))))


def _sparse(row: Sequence[int]) -> Difference:
    return tuple((place, far) for place, far in enumerate(row) if far)


def _at_once(domain: Sequence[Vector], others: Sequence[Vector]) -> tuple[Difference, ...]:
    """As if one pair of facts differed most in every number."""
    ends = [(min(some), max(some)) for some in zip(*domain, strict=True)]
    more = [(min(some), max(some)) for some in zip(*others, strict=True)]
    most = [max(high - low, top - least) for (least, high), (low, top) in zip(ends, more, strict=True)]
    return ((_sparse(most)),) if any(most) else ()


def _edges(domain: Sequence[Vector], others: Sequence[Vector]) -> tuple[Sequence[Vector], Sequence[Vector]]:
    """The facts that matter of two long lists. Wherever two facts are on one side of each other in every number (which
    side that is may depend on the number), one that lies further out there in every number differs more.
    """
    found: list[list[Vector]] = []
    for vectors in (domain, others):
        rows, kept = np.array(vectors), dict[Vector, None]()
        for signs in product((-1, 1), repeat=rows.shape[1]):
            edge = _undominated(np.unique(rows * np.array(signs), axis=0))
            if edge is None:
                return domain, others
            kept.update(dict.fromkeys(map(tuple, (edge * np.array(signs)).tolist())))
        found.append(list(kept))
    return found[0], found[1]


def _undominated(rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The rows that no other row is at least as large as in every place, of rows that are all different; None if there
    are very many. Whatever has the largest sum is one of them.
    """
    left, kept = rows[np.argsort(-rows.astype(float).sum(axis=1), kind="stable")], []
    while len(left):
        # sums of floats may tie: of those that look largest, one that no other of them exceeds
        first = left[0]
        while len(above := left[(left >= first).all(axis=1) & (left != first).any(axis=1)]):
            first = above[0]
        kept.append(first)
        if len(kept) > MOST_EXTREME:
            return None
        left = left[(left > first).any(axis=1)]
    return np.array(kept, dtype=np.int64).reshape(len(kept), rows.shape[1])


@final
@dataclass(frozen=True, slots=True)
class NoiseAlone:
    """All numbers that cover a person, each with noise. `worlds`: the kinds of pairs of facts, two values of a record
    or one and its absence; in each, for every independent part of a record, what pairs of facts move.
    """

    worlds: tuple[tuple[tuple[Profile, ...], ...], ...]

    def pure(self) -> Fraction | None:
        """The ε from which on δ is 0, worst over pairs of facts; None if there is none."""
        most = Fraction(0)
        for parts in self.worlds:
            whole = [[_pure(profile) for profile in profiles] for profiles in parts]
            if any(part is None for some in whole for part in some):
                return None
            most = max(most, sum((max(filter(None, some), default=Fraction(0)) for some in whole), Fraction(0)))
        return most

    def upper(self, epsilon: Fraction) -> float:
        """An upper bound on δ, worst over pairs of facts; 1 if that is too much to compute."""
        pure = self.pure()
        if pure is not None and pure <= epsilon:
            return 0.0
        moved = (noise for parts in self.worlds for some in parts for profile in some for noise, _ in profile)
        if any(not noise.random for noise in moved):
            return 1.0
        try:
            return max((_delta(profile, epsilon) for parts in self.worlds for profile in _whole(parts)), default=0.0)
        except InputError:  # too much to list
            return 1.0

    def curves(self) -> list[Curve]:
        """One for each pair of facts that matters; InputError if that is too much to list."""
        return [_composed(profile) for parts in self.worlds for profile in _whole(parts)]


@final
@dataclass(frozen=True, slots=True, eq=False)
class NoiseCurve(Curve):
    """Noise by itself, whatever the records are; from above."""

    noise: NoiseAlone

    @property
    def alone(self) -> bool:
        return False

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(0.0, self.noise.upper(epsilon))


REVEALED = NoiseAlone((((((Exact(), 1),),),),))  # a number without noise is moved


def profiles_of(apart: Iterable[Difference], noises: Sequence[Channel]) -> tuple[Profile, ...]:
    """What pairs of facts move, with the noise of each number (`Exact` if it has none), without what others exceed."""
    several = list(dict.fromkeys(noises))
    which = [several.index(noise) for noise in noises]
    distinct = {tuple(sorted((which[place], far) for place, far in difference)) for difference in apart}
    return _largest_of([_ordered((several[at], far) for at, far in profile) for profile in distinct])


def _ordered(profile: Iterable[Moved]) -> Profile:
    """Those that tell most first, for each kind of noise."""
    return tuple(sorted(profile, key=lambda one: (repr(_family(one[0])), -one[1], _scale(one[0]))))


def _family(noise: Channel) -> Hashable:
    """Noises of which a smaller scale certainly tells more, as one."""
    return TwoSidedGeometric if isinstance(noise, TwoSidedGeometric) else noise


def _scale(noise: Channel) -> Fraction:
    return noise.scale if isinstance(noise, TwoSidedGeometric) else Fraction(0)


def _by_family(profile: Profile) -> dict[Hashable, list[Moved]]:
    found: dict[Hashable, list[Moved]] = {}
    for noise, far in profile:
        found.setdefault(_family(noise), []).append((noise, far))
    return found


def _exceeds(one: Profile, two: Profile) -> bool:
    """Whether the first certainly tells as much: what is moved in the second is, one to one, moved at least as far."""
    first, second = _by_family(one), _by_family(two)
    return all(
        len(some) <= len(first.get(family, ()))
        and all(
            far >= less and _scale(noise) <= _scale(other)
            for (noise, far), (other, less) in zip(first[family], some, strict=False)
        )
        for family, some in second.items()
    )


def _join(profiles: Iterable[Profile]) -> Profile:
    """One that exceeds all of these: of each kind of noise the largest first move, the largest second one and so on."""
    most: dict[Hashable, list[Moved]] = {}
    for profile in profiles:
        for family, some in _by_family(profile).items():
            mine = most.setdefault(family, [])
            for place, (noise, far) in enumerate(some):
                if place == len(mine):
                    mine.append((noise, far))
                    continue
                before, least = mine[place]
                mine[place] = (min(before, noise, key=_scale), max(least, far))
    return _ordered(chain.from_iterable(most.values()))


def _largest_of(profiles: list[Profile]) -> tuple[Profile, ...]:
    """Without those that another exceeds; one that exceeds all of them, if there are very many."""
    if len(profiles) < 2:
        return tuple(profiles)
    whole = _join(profiles)
    if whole in profiles or len(profiles) > MOST_COMPARED:
        return (whole,)
    return tuple(one for one in profiles if not any(_exceeds(other, one) for other in profiles if other is not one))


def _whole(parts: Sequence[tuple[Profile, ...]]) -> list[Profile]:
    """What pairs of facts about a whole record move: any of each part, together."""
    some = [profiles for profiles in parts if profiles]
    while math.prod(map(len, some)) > MOST_COMPOSED:
        longest = max(range(len(some)), key=lambda place: len(some[place]))
        some[longest] = (_join(some[longest]),)
    return list(dict.fromkeys(_ordered(chain.from_iterable(choice)) for choice in product(*some)))


def _pure(profile: Profile) -> Fraction | None:
    whole = Fraction(0)
    for noise, far in profile:
        part = noise.pure(far)
        if part is None:
            return None
        whole += part
    return whole


def _delta(profile: Profile, epsilon: Fraction) -> float:
    pure = _pure(profile)
    if pure is not None and pure <= epsilon:
        return 0.0
    return _composed(profile).delta(epsilon).upper


@lru_cache(maxsize=256)
def _composed(profile: Profile) -> Curve:
    """It depends neither on beliefs nor on people, so that all may use what one composed."""
    times = Counter(profile)
    if len(profile) == 1:
        return _moved(*profile[0])
    return compose([(_moved(noise, far), count) for (noise, far), count in times.items()])


def _moved(noise: Channel, far: int) -> Curve:
    """Noise against itself moved."""
    scale = getattr(noise, "scale", Fraction(0))
    if scale > LARGEST_GEOMETRIC:
        raise InputError(f"Noise of scale {float(scale):g} is too much to list. Declare a coarser unit.")
    return ShiftCurve(noise.push(point(0)), (far,))
