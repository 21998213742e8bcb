"""Disjoint moves: sets of other people's records whose changes add up to one person's change in every published number.

A person of tuple t changes by d. If published numbers cover tuples so that, in every one of them,

    [t] = Σ_j sign_j [t_j],        [.]: 1 if the number covers the tuple, else 0,

then records of the tuples t_j, each changing by sign_j · d, change all the published numbers exactly as the person
does. In tables with margins these are the moves of a Markov basis: (r, c') + (r', c) - (r', c').

*Cubes.* Let each number be a function of some public columns, and let B_1..B_k be disjoint blocks of columns such that
no number looks into all k of them. For a tuple s write t_T for t with the values of s in the blocks of T. Then
Σ_T (-1)^|T| [t_T] = 0 over all subsets T: a number that does not look into block b cancels T against T with b added or
taken away. So the corners other than t are a move, of 2^k - 1 records.

*Legs.* The tuples of such a sum can also be taken one by one: records of each t_j, for itself, hide a part of the
person's change (T8 in docs/moves.md, "a change hidden in parts").

*Small moves.* In few tuples all a, a + b, a - c, a + b - c are gone through.

Both only propose; what is used has been checked in whole numbers, number by number.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.outward import lowered
from dalenius.tables.history import Cover, Ints, marks

Floats: TypeAlias = NDArray[np.float64]
Term: TypeAlias = tuple[int, Ints, Ints]  # a sign, tuples, how many records of each
FEW = 300  # tuples up to which all small moves are gone through
SIDES = (2, 3)  # blocks of a cube
PATTERNS = 12  # ways to cut the columns into blocks that are tried
CHUNK = 128  # moves that are looked at together
MOST_CUTS = 1 << 16
MOST_SUMS = 64  # that are compared with each other
WORTHWHILE = 1.02  # times as much as without a further sum
TINY = 1e-300
DENSE = 1 << 24  # codes up to which places are looked up in a table


@final
@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Moves of one shape: a row of tuples each (-1 where there is no record), and the signs of the columns."""

    rows: Ints
    signs: Ints


@final
@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Moves that share no record: their shapes, and how often each is used."""

    parts: tuple[tuple[Proposals, Ints], ...]

    @property
    def count(self) -> int:
        return sum(int(times.sum()) for _, times in self.parts)

    def used(self, tuples: int) -> Ints:
        """How many records of each tuple the moves use."""
        total = np.zeros(tuples, dtype=np.int64)
        for shape, times in self.parts:
            for column in shape.rows.T:
                np.add.at(total, column[column >= 0], times[column >= 0])
        return total


@final
@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How one change of a person hides: what everybody who moves along changes by, as (figure, step); the rate of the
    coins; and the moves, besides those of one record of the person's own atom.
    """

    change: tuple[tuple[int, int], ...]
    rate: float
    packed: Packed


@final
@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One part of a person's change: records each of which can change all the numbers by that part, with the change of
    the person (sign 1) or against it (-1); the rate of the coins at the upper end of the change.
    """

    rate: float
    sign: int
    tuples: Ints
    times: Ints


@final
@dataclass(frozen=True, slots=True, eq=False)
class Detour:
    """How one change of a person hides in parts: the changes of the legs add up to it, and they share no record. Where
    there is something in `beside`: the changes of the legs and of each of these do, and all hide it at once.
    """

    change: tuple[tuple[int, int], ...]
    legs: tuple[Leg, ...]
    beside: tuple[tuple[Leg, ...], ...] = ()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Packer:
    """Proposes and packs moves for all persons, with respect to some of a release's parts."""

    codes: Ints
    counts: Ints
    member: Ints
    labels: NDArray[np.int32]
    marks: NDArray[np.uint64]
    patterns: tuple[Ints, ...]
    place: Ints
    weights: Ints  # of the columns, in the code of a tuple

    @classmethod
    def of(cls, cover: Cover, codes: Ints, parts: Sequence[int], seen: Sequence[frozenset[int]]) -> "Packer":
        """`codes`: the tuples as numbers, one row a column; `parts`: those that a move must leave alone but for what
        the person changes; `seen`: the columns that each of them looks into.
        """
        labels = cover.labels[list(parts)]
        sizes = (codes.max(axis=1) + 1).tolist() if codes.size else [1] * len(codes)
        whole = math.prod(sizes)  # may be more than fits into 64 bits
        place = np.full(whole if whole <= DENSE else 0, -1, dtype=np.int64)
        after = [math.prod(sizes[column + 1 :]) if len(place) else 0 for column in range(len(sizes))]
        weights = np.array(after, dtype=np.int64)
        if len(place):
            place[weights @ codes] = np.arange(codes.shape[1])
        patterns = _patterns(len(codes), seen) if len(place) else ()
        return cls(codes, cover.counts, _classes(labels), labels, marks(labels), patterns, place, weights)

    def packed(self, target: int, alpha: Floats, beta: Floats, rate: float, enough: float) -> Packed:
        """Moves for a person of a tuple, greedily: likeliest shapes first, until they weigh `enough` together.

        `alpha`, `beta`: what a record of each tuple weighs at the lower and at the upper end of its change.
        """
        left = np.where(self.member == self.member[target], 0, self.counts)
        left[np.minimum(alpha, beta) <= 0] = 0
        parts, total = [], 0.0
        for shape in self._proposals(target, left):
            weight = move_weights(shape, alpha, beta, rate)
            order = np.lexsort((-_scarcest(shape.rows, left), -weight))
            times = _greedy(shape.rows[order], weight[order], left, enough - total)
            used = times > 0
            chosen = Proposals(shape.rows[order][used], shape.signs)
            good = self.checked(target, chosen)
            times = np.where(good, times[used], 0)
            parts.append((chosen, times))
            total += float(times @ weight[order][used])
            if total >= enough:
                break
        return Packed(tuple(parts))

    def sums(self, target: int, worth: Floats, most: int = 1) -> tuple[list[Term], list[list[Term]]]:
        """Sums of signed tuples that change every published number as the person does, at most so many: the terms that
        are in all of them, and the others of each. `worth` says how much the coins of a tuple vary: one after the other
        they hide like resistances in a row, and sums like resistances side by side, where those that use a tuple share
        its records evenly. One by one that sum is added that helps most. Nothing if there is none.
        """
        classes = np.bincount(self.member, weights=worth).astype(np.float64)
        live = np.where((self.member != self.member[target]) & (worth > 0), self.counts, 0)
        found: dict[frozenset[int], tuple[float, dict[int, int]]] = {}  # what a sum resists, and the signs of its terms
        for shape in self._proposals(target, live):
            kinds = np.where(shape.rows >= 0, self.member[shape.rows], -1)
            value = np.where(kinds >= 0, 1 / np.maximum(classes[kinds], TINY), 0.0).sum(axis=1)
            ordered = np.sort(kinds, axis=1)
            twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
            value[twice | ((kinds >= 0).sum(axis=1) < 2)] = np.inf
            first = np.argsort(value, kind="stable")[: 1 if most == 1 else MOST_SUMS]
            first = first[np.isfinite(value[first])]
            good = self.checked(target, Proposals(shape.rows[first], shape.signs))
            for at in first[good].tolist():
                signed = {
                    kind: sign for kind, sign in zip(kinds[at].tolist(), shape.signs.tolist(), strict=True) if kind >= 0
                }
                found.setdefault(frozenset(signed), (float(value[at]), signed))
        ranked = [signed for _, signed in sorted(found.values(), key=lambda one: one[0])[:MOST_SUMS]]
        chosen, best = list[dict[int, int]](), 0.0
        while ranked and len(chosen) < most:
            helped = [self._conductance([*chosen, signed], classes) for signed in ranked]
            at = int(np.argmax(helped))
            if helped[at] < best * WORTHWHILE:
                break
            best = helped[at]
            chosen.append(ranked.pop(at))
        return self._shared(chosen, worth)

    def _conductance(self, sums: Sequence[Mapping[int, int]], classes: Floats) -> float:
        """Of sums side by side, in a row with the terms that all have; 0 if a term has too few records for them."""
        every = set.intersection(*map(set, sums)) if len(sums) > 1 else set[int]()
        often = Counter(kind for signed in sums for kind in signed if kind not in every)
        people = np.bincount(self.member, weights=self.counts)
        if any(people[kind] < times for kind, times in often.items()):
            return 0.0
        apart = [[kind for kind in signed if kind not in every] for signed in sums]
        aside = sum(
            1 / sum(often[kind] / max(float(classes[kind]), TINY) for kind in kinds) for kinds in apart if kinds
        )
        return 1 / (sum(1 / max(float(classes[kind]), TINY) for kind in every) + 1 / aside) if aside else 0.0

    def _shared(self, chosen: Sequence[Mapping[int, int]], worth: Floats) -> tuple[list[Term], list[list[Term]]]:
        """The records of each term, shared among the sums in which it is, if that is not all."""
        every = set.intersection(*map(set, chosen)) if len(chosen) > 1 else set[int]()
        often = Counter(kind for signed in chosen for kind in signed if kind not in every)
        turn = Counter[int]()

        def term(kind: int, sign: int) -> Term:
            tuples = np.flatnonzero((self.member == kind) & (worth > 0))
            before = np.cumsum(self.counts[tuples]) - self.counts[tuples]
            places = max(1, often[kind])
            first = (turn[kind] - before) % places  # of each tuple's records that fall to this sum, one by one in turn
            times = np.maximum(self.counts[tuples] - first + places - 1, 0) // places
            turn[kind] += 1
            return sign, tuples[times > 0], times[times > 0]

        shared = [term(kind, chosen[0][kind]) for kind in sorted(every)]
        return shared, [[term(kind, sign) for kind, sign in signed.items() if kind not in every] for signed in chosen]

    def checked(self, target: int, shape: Proposals) -> NDArray[np.bool_]:
        """Which of the moves change every published number exactly as the person does; in whole numbers."""
        good = np.ones(len(shape.rows), dtype=bool)
        plus, minus = shape.rows[:, shape.signs > 0], shape.rows[:, shape.signs < 0]
        for row in self.labels:
            ahead = np.where(plus >= 0, row[plus], -1)
            behind = np.where(minus >= 0, row[minus], -1)
            behind = np.column_stack([behind, np.full(len(good), row[target])])
            width = max(ahead.shape[1], behind.shape[1])
            good &= (_bag(ahead, width) == _bag(behind, width)).all(axis=1)
        return good

    def _proposals(self, target: int, left: Ints) -> list[Proposals]:
        found = [self._cubes(target, pattern, left) for pattern in self.patterns]
        if len(self.counts) <= FEW and not any(int(pattern.max()) == SIDES[0] for pattern in self.patterns):
            found = [*self._small(target, left), *found]
        return [shape for shape in found if len(shape.rows)]

    def _cubes(self, target: int, pattern: Ints, left: Ints) -> Proposals:
        sides = int(pattern.max())
        own = self.codes[:, target]
        far = np.flatnonzero((left > 0) & (self.codes[pattern == 0] == own[pattern == 0][:, None]).all(axis=0))
        moved = (self.codes[:, far] - own[:, None]) * self.weights[:, None]
        steps = np.stack([moved[pattern == side + 1].sum(axis=0) for side in range(sides)])
        start = int(self.weights @ own)
        corners = [subset for subset in product((0, 1), repeat=sides) if any(subset)]
        # a sum of differences in mixed radix is 0 only if each is: blocks that do not differ are seen by their codes
        rows = np.stack([self.place[start + np.array(subset) @ steps] for subset in corners], axis=1)
        signs = np.array([1 if sum(subset) % 2 else -1 for subset in corners], dtype=np.int64)
        good = (steps != 0).all(axis=0) & (rows >= 0).all(axis=1)
        good[good] = (left[rows[good]] > 0).all(axis=1)
        rows = rows[good]
        sums = (self.marks[rows] * signs.astype(np.uint64)).sum(axis=1)
        return Proposals(rows[sums == self.marks[target]], signs)

    def _small(self, target: int, left: Ints) -> list[Proposals]:
        """All a, a - c, a + b and a + b - c."""
        live = np.append(np.flatnonzero(left > 0), -1)
        own = np.append(self.marks, np.uint64(0))[live]
        sorted_live = np.argsort(own, kind="stable")
        first, second = np.triu_indices(len(live), 1)
        wanted = own[first] + own[second] - self.marks[target]
        spot = np.searchsorted(own, wanted, sorter=sorted_live)
        last = np.searchsorted(own, wanted, side="right", sorter=sorted_live)
        found = [
            (first[hit], second[hit], sorted_live[at])
            for hit in np.flatnonzero(last > spot).tolist()
            for at in range(int(spot[hit]), int(last[hit]))
        ]
        rows = live[np.array(found, dtype=np.int64).reshape(-1, 3)]
        rows = rows[(rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])]
        return [Proposals(rows, np.array([1, 1, -1]))]


def move_weights(shape: Proposals, alpha: Floats, beta: Floats, rate: float) -> Floats:
    """How much of a coin of this rate, "the move is at its upper end", each move contains: the least of P(v) / rate
    and P(u) / (1 - rate), rounded down.
    """
    upper, lower = np.ones(len(shape.rows)), np.ones(len(shape.rows))
    for column, sign in zip(shape.rows.T, shape.signs.tolist(), strict=True):
        there = column >= 0
        one, other = (beta, alpha) if sign > 0 else (alpha, beta)
        upper = upper * np.where(there, one[column], 1.0)
        lower = lower * np.where(there, other[column], 1.0)
    return np.minimum(lowered(np.minimum(upper / rate, lower / (1 - rate)), 100), 1.0)


def _classes(labels: NDArray[np.int32]) -> Ints:
    """Tuples that the parts do not tell apart: at least those with equal labels get equal numbers."""
    if not labels.shape[0]:
        return np.zeros(labels.shape[1], dtype=np.int64)
    return np.unique(labels, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _bag(values: Ints, width: int) -> Ints:
    """Labels in order, without caring where they stood; -1 counts for nothing."""
    padded = np.full((len(values), width), -1, dtype=np.int64)
    padded[:, : values.shape[1]] = values
    return np.sort(padded, axis=1)


def _scarcest(rows: Ints, left: Ints) -> Ints:
    return np.asarray(np.where(rows >= 0, left[rows], np.iinfo(np.int64).max).min(axis=1))


def _greedy(rows: Ints, weights: Floats, left: Ints, enough: float) -> Ints:
    """How often each move is used, one after the other, each as often as its records last; `left` is used up."""
    times, total = np.zeros(len(rows), dtype=np.int64), 0.0
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        open_ = ((left[part] > 0) | (part < 0)).all(axis=1) & (weights[start : start + CHUNK] > 0)
        for place in np.flatnonzero(open_).tolist():
            row = part[place]
            tuples = row[row >= 0]
            most = int(left[tuples].min())
            if most > 0:
                times[start + place] = most
                total += most * float(weights[start + place])
                left[tuples] -= most
        if total >= enough:
            break
    return times


def _patterns(columns: int, seen: Sequence[frozenset[int]]) -> tuple[Ints, ...]:
    """Cuts of the columns into blocks such that nothing looks into all of them; where there is none, cuts that few
    numbers look into: there only moves count that pass by these.
    """
    looks = np.zeros((len(seen), columns), dtype=bool)
    for place, inside in enumerate(seen):
        looks[place, list(inside)] = True
    otherwise: list[Ints] = []
    for sides in SIDES:
        cuts = _cuts(columns, sides)
        bad = np.zeros(len(cuts), dtype=np.int64)
        for row in looks:
            bad += np.logical_and.reduce([((cuts == side + 1) & row).any(axis=1) for side in range(sides)])
        if (bad == 0).any():
            return _spread(cuts[bad == 0], sides)
        otherwise += list(cuts[np.argsort(bad, kind="stable")[: PATTERNS // 2]])
    return tuple(otherwise)


def _cuts(columns: int, sides: int) -> Ints:
    """All ways to choose so many disjoint blocks of columns; 0 marks the columns in none of them."""
    if columns < sides or (sides + 1) ** columns > MOST_CUTS:
        return np.zeros((0, columns), dtype=np.int64)
    cuts = np.array(list(product(range(sides + 1), repeat=columns)), dtype=np.int64)
    good = np.logical_and.reduce([(cuts == side + 1).any(axis=1) for side in range(sides)])
    firsts = [np.argmax(cuts == side + 1, axis=1) for side in range(sides)]
    for one, other in pairwise(firsts):
        good &= one < other  # blocks have no names
    return cuts[good]


def _spread(cuts: Ints, sides: int) -> tuple[Ints, ...]:
    """Cuts that leave out fewest columns first, and among them those with the most even blocks."""
    sizes = np.stack([(cuts == side).sum(axis=1) for side in range(sides + 1)], axis=1)
    order = np.lexsort((sizes[:, 1:].max(axis=1), sizes[:, 0]))
    return tuple(cuts[order[:PATTERNS]])
