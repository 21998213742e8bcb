"""Groups that pass by moves, judged again from the moves that a certificate lists."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import known_records
from dalenius.beliefs.coins import Coins, below, coin_of, coins_mean
from dalenius.judge.engine import composed
from dalenius.judge.group import Laws, Vector, first_noise
from dalenius.judge.noise import NoiseAlone, NoiseCurve, Profile, profiles_of
from dalenius.mechanisms import Channel
from dalenius.numerics.curve import Constant, Curve, Supremum
from dalenius.numerics.mixing import Guarded
from dalenius.record.certificate.document import CertificateModel, LegModel, MoveRow, MovesModel, WayModel
from dalenius.record.certificate.restored import Restored
from dalenius.tables.legs import LegsCurve
from dalenius.tables.moves import MANY, MOST_KINDS, Several, close_rate
from dalenius.tables.packing import Proposals, move_weights
from dalenius.tables.veiled import Veiled

Steps: TypeAlias = Mapping[int, int]  # by how much each figure changes
Crowd: TypeAlias = tuple[
    tuple[dict[Vector, Fraction], int], ...
]  # laws of the parts that change, and how many have them
LARGEST_PRODUCT = 10_000  # vectors of several parts together


@final
@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """The moves of a certificate, with what is stated of each kind's parts."""

    stage: Restored
    stated: Sequence[Sequence[Laws]]
    sizes: Mapping[int, int]  # how many people each number covers
    several: Several
    coins: Coins = field(default_factory=Coins)

    @property
    def document(self) -> CertificateModel:
        return self.stage.document

    def upper(self, group: int, own: Callable[[frozenset[int]], Curve]) -> float:
        """Delta of a group, at most; `own` judges the group's own records by the figures of a topic."""
        listed = next(moves for moves in self.document.moves if moves.group == group)
        ways = [(dict(way.change), self._curve(listed, way)) for way in listed.ways]
        mine = frozenset(self.document.kinds[self.document.groups[group][0]].figures)
        linked = [topic for topic in self._topics([change for change, _ in ways]) if topic & mine]
        topics = [topic for topic in linked if any(self._changes(group, topic))]  # else a person changes nothing there
        own_changes = [change for topic in topics for change in self._changes(group, topic)]
        if not all(any(_fits(steps, change) for change in own_changes) for steps, _ in ways):
            raise InputError(f"a way of group {group} fits no change of a person")
        moved = [self._worst(group, topic, ways) for topic in topics]
        upper = self.several.together(moved)
        if upper > self.several.enough and len(self.document.groups) <= MANY:
            upper = min(upper, self.several.closely([own(topic & mine) for topic in topics], moved))
        return min(1.0, upper)

    def _topics(self, changes: Sequence[Steps]) -> list[frozenset[int]]:
        """Figures of different topics are independent: no part has figures of two, and no listed change."""
        topics: list[frozenset[int]] = []
        parts = {frozenset(part.figures) for kind in self.document.kinds for part in kind.parts}
        for some in (*parts, *map(frozenset, changes)):
            touching = [topic for topic in topics if topic & some]
            topics = [topic for topic in topics if not topic & some] + [some.union(*touching)]
        return sorted(topics, key=min)

    def _worst(self, group: int, topic: frozenset[int], ways: Sequence[tuple[Steps, Curve]]) -> Curve:
        """Every change that a person can make to the figures of a topic, by the best of its ways."""
        found: list[Curve] = []
        for change in self._changes(group, topic):
            best = [curve for steps, curve in ways if _fits(steps, change)]
            if all(self._noise(figure).random for figure, step in change.items() if step):
                best.append(NoiseCurve(NoiseAlone(((self._own_profiles(group, change),),))))
            if not best:
                return Constant(1.0)
            found.append(best[0] if len(best) == 1 else Guarded(tuple(best)))
        return found[0] if len(found) == 1 else Supremum(tuple(found)) if found else Constant(0.0)

    def _changes(self, group: int, topic: frozenset[int]) -> Iterator[Steps]:
        """What one person may change the figures of a topic by, up to its sign."""
        place = self.document.groups[group][0]
        pairs = zip(self.document.kinds[place].parts, self.stated[place], strict=True)
        mine = [(part, kind) for part, kind in pairs if topic & set(part.figures)]
        figures = [figure for part, _ in mine for figure in part.figures]
        if math.prod(len(kind.domain) for _, kind in mine) > LARGEST_PRODUCT:
            raise InputError("a person can change the figures of a topic in too many ways")
        facts = [sum(vectors, ()) for vectors in product(*(kind.domain for _, kind in mine))]
        zero = (0,) * len(figures)
        facts += [zero] if self.document.secret == "presence" else []  # who is absent adds nothing
        seen = set()
        for one, other in combinations(facts, 2):
            change = tuple(b - a for a, b in zip(one, other, strict=True))
            least = min(change, tuple(-step for step in change))
            if least != zero and least not in seen:
                seen.add(least)
                yield dict(zip(figures, change, strict=True))

    def _curve(self, listed: MovesModel, way: WayModel) -> Curve:
        """All moves of a way, without those that the attacker can undo; or all its parts, composed."""
        change = dict(way.change)
        if len(change) != len(way.change) or not all(change.values()):
            raise InputError("a way has a figure twice, or a figure that does not change")
        if not set(change) <= set(range(len(self.document.figures))):
            raise InputError("a way changes a figure that is not there")
        if way.rate is None or way.packing is None:
            return self._in_parts(listed.group, [way.legs or [], *(way.beside or [])], change)
        rate = _rate(way.rate)
        rows = listed.packings[way.packing]
        used = self._used(listed.group, rows, change)
        names = {name: place for place, name in enumerate(used)}
        crowds = {group: self._crowd(group, change) for group in {listed.group, *(group for group, _ in used)}}
        own = range(len(names), len(names) + len(crowds[listed.group]))
        everybody = [crowds[group][kind] for group, kind in names] + list(crowds[listed.group])
        groups = [*(group for group, _ in names), *(listed.group for _ in own)]
        ends = [
            coin_of(law, self._short(group, change), Fraction(rate))
            for group, (law, _) in zip(groups, everybody, strict=True)
        ]
        alpha, beta = (np.array([below(end[side]) for end in ends]) for side in (0, 1))
        mine = move_weights(Proposals(np.array(own)[:, None], np.array([1])), alpha, beta, rate)
        times = np.array([count for _, count in crowds[listed.group]], dtype=np.int64)
        times[np.argmax(mine)] -= 1  # the person may be any of them
        weights, number = [mine], [times]
        veiled, others = list[np.ndarray[Any, Any]](), list[np.ndarray[Any, Any]]()
        apart = [self._apart(listed.group, row, change) for row in rows]
        for nothing in (True, False):
            some = [row for row, left in zip(rows, apart, strict=True) if (not left) == nothing]
            for shape, many in _shapes(some, names):
                (weights if nothing else veiled).append(move_weights(shape, alpha, beta, rate))
                (number if nothing else others).append(many)
        plain = np.concatenate(weights), np.concatenate(number)
        undone = self._undone(listed.group, used)
        if not veiled:
            return coins_mean(*plain, undone, rate, self.coins)
        other = np.concatenate(veiled), np.concatenate(others)
        return Veiled(plain, other, self._profiles(apart), undone, rate, self.coins)

    def _noise(self, figure: int) -> Channel:
        return first_noise(self.stage.channel(figure))

    def _is_noisy(self, number: int) -> bool:
        return self._noise(self.document.numbers[number][0]).random

    def _plainly(self, total: Mapping[int, int]) -> dict[int, int]:
        """What changes in numbers without noise."""
        return {number: step for number, step in total.items() if step and not self._is_noisy(number)}

    def _apart(self, target: int, row: MoveRow, change: Steps) -> dict[int, int]:
        """What a move changes in numbers with noise beyond what the person does."""
        _, up, down = row
        total = Counter[int]()
        for sign, records in ((1, up), (-1, [*down, [target]])):
            for group, *_ in records:
                for number, step in self._numbers(group, change).items():
                    total[number] += sign * step
        return {number: step for number, step in total.items() if step and self._is_noisy(number)}

    def _own_profiles(self, target: int, change: Steps) -> tuple[Profile, ...]:
        own = self._numbers(target, {figure: step for figure, step in change.items() if step})
        return self._profiles([own])

    def _profiles(self, apart: Sequence[Mapping[int, int]]) -> tuple[Profile, ...]:
        """What the noise has to hide."""
        numbers = sorted({number for one in apart for number in one})
        place = {number: at for at, number in enumerate(numbers)}
        moved = {tuple(sorted((place[number], abs(step)) for number, step in one.items())) for one in apart if one}
        return profiles_of(moved, [self._noise(self.document.numbers[number][0]) for number in numbers])

    def _used(self, target: int, rows: Sequence[MoveRow], change: Steps) -> Counter[tuple[int, int]]:
        """How many records of which law of which group move; InputError unless each move changes all published
        numbers without noise exactly as the person does, and no record is used twice.
        """
        wanted = self._plainly(self._numbers(target, change))
        used: Counter[tuple[int, int]] = Counter()
        for times, up, down in rows:
            total: Counter[int] = Counter()
            for sign, records in ((1, up), (-1, down)):
                for group, kind in records:
                    if group == target or not 0 <= group < len(self.document.groups):
                        raise InputError("a move has records of the person's own group, or of none")
                    for number, step in self._numbers(group, change).items():
                        total[number] += sign * step
                    used[group, kind] += times
            if self._plainly(total) != wanted:
                raise InputError(f"a move does not change the published numbers as a person of group {target} does")
        for (group, kind), times in used.items():
            crowd = self._crowd(group, change)
            if kind >= len(crowd) or times > crowd[kind][1]:
                raise InputError(f"moves for group {target} use more records of group {group} than there are")
        return used

    def _numbers(self, group: int, change: Steps) -> dict[int, int]:
        place, numbers = self.document.groups[group]
        pairs = zip(self.document.kinds[place].figures, numbers, strict=True)
        return {number: change[figure] for figure, number in pairs if figure in change}

    def _in_parts(self, target: int, lists: Sequence[Sequence[LegModel]], change: Steps) -> Curve:
        """The parts of a change, which add up to it (with any of the lists beside them, if there are some), and of
        which no two share a record; the noise hides what one record of each changes beyond what the person does.
        """
        taken, told = Counter[tuple[int, int]](), list[list[tuple[Curve, int]]]()
        wholes, kinds = list[Counter[int]](), list[list[list[dict[int, int]]]]()  # of each list
        for legs in lists:
            wholes.append(Counter())
            kinds.append([])
            told.append([])
            for leg in legs:
                wholes[-1].update(self._part(leg, change, kinds[-1]))
                told[-1].append((self._leg(target, leg, change, taken), -1 if leg.against else 1))
        own = self._numbers(target, change)
        apart = list[dict[int, int]]()
        for whole, some in zip(wholes[1:] or [Counter[int]()], kinds[1:] or [[]], strict=True):
            total = Counter(wholes[0])
            total.update(whole)
            if self._plainly(total) != self._plainly(own):
                raise InputError(f"the parts of a change do not add up to what a person of group {target} changes")
            if math.prod(map(len, kinds[0] + some)) > MOST_KINDS:
                raise InputError("records of the parts of a change differ in too many ways in numbers with noise")
            apart += [_less(each, own) for each in product(*kinds[0], *some)]
        left = [{n: step for n, step in one.items() if self._is_noisy(n)} for one in apart]
        profiles, different = self._profiles(left), len({tuple(sorted(one.items())) for one in left})
        enough, epsilon, found = self.several.enough, self.several.epsilon, list[Curve]()
        if len(lists) == 1:
            curves = [curve for curve, _ in told[0]]
            noises = NoiseAlone(((profiles,),)).curves() if profiles else []
            each = [composed([*curves, noise]) for noise in noises] or [composed(curves)]
            found.append(each[0] if len(each) == 1 else Supremum(tuple(each)))
            if found[0].delta(epsilon).certainly_at_most(enough):
                return found[0]
        mine = self._own_coins(target, change)
        once = LegsCurve.of(mine, told[0], told[1:], profiles, enough, steps=different, epsilon=epsilon)
        found += [] if once is None else [once]
        return Guarded(tuple(found)) if found else Constant(1.0)

    def _leg(self, target: int, leg: LegModel, change: Steps, taken: Counter[tuple[int, int]]) -> Curve:
        """The coins of one part; `taken`: the records that others use, and then this one."""
        used = Counter[tuple[int, int]]({(group, kind): many for many, group, kind in leg.records})
        taken.update(used)
        if len(used) < len(leg.records) or any(group == target for group, _ in used):
            raise InputError(f"a part of a change has records twice, or of group {target} itself")
        rate = _rate(leg.rate)
        laws = [(group, self._crowd(group, change)[kind]) for group, kind in used]
        if any(taken[name] > there for (_, (_, there)), name in zip(laws, used, strict=True)):
            raise InputError("parts of a change have more records than there are")
        ends = [coin_of(law, self._short(group, change), Fraction(rate)) for group, (law, _) in laws]
        alpha, beta = (np.array([below(end[side]) for end in ends]) for side in (0, 1))
        weights = move_weights(Proposals(np.arange(len(ends))[:, None], np.array([1])), alpha, beta, rate)
        moving = Counter[int]()
        for (group, _), many in used.items():
            moving[group] += many
        return coins_mean(weights, np.array([*used.values()]), self._least_undone(moving), rate, self.coins)

    def _own_coins(self, target: int, change: Steps) -> Curve:
        """The others of the person's own group, who change everything as the person does."""
        crowd, short = self._crowd(target, change), self._short(target, change)
        halves = [(coin_of(law, short, Fraction(1, 2)), count) for law, count in crowd]
        downs, ups = (sum(below(ends[side]) * count for ends, count in halves) for side in (0, 1))
        if not ups or not downs:
            return Constant(1.0)
        rate = close_rate(downs, ups)
        ends = [coin_of(law, short, Fraction(rate)) for law, _ in crowd]
        alpha, beta = (np.array([below(end[side]) for end in ends]) for side in (0, 1))
        weights = move_weights(Proposals(np.arange(len(crowd))[:, None], np.array([1])), alpha, beta, rate)
        times = np.array([count for _, count in crowd], dtype=np.int64)
        times[np.argmax(weights)] -= 1  # the person may be any of them
        return coins_mean(weights, times, self._undone(target, {}), rate, self.coins)

    def _part(self, leg: LegModel, change: Steps, kinds: list[list[dict[int, int]]]) -> dict[int, int]:
        """What each of the records of a leg changes in the published numbers without noise: all of them the same; and
        in those with noise, which is added to `kinds`.
        """
        sign = -1 if leg.against else 1
        each = [self._numbers(group, change) for _, group, _ in leg.records]
        (first, *others) = map(self._plainly, each)
        if any(other != first for other in others):
            raise InputError("records of one part of a change do not change the published numbers alike")
        signed = [{number: sign * step for number, step in one.items()} for one in each]
        kinds.append([dict(one) for one in dict.fromkeys(tuple(sorted(one.items())) for one in signed)])
        return {number: sign * step for number, step in first.items()}

    def _crowd(self, group: int, change: Steps) -> Crowd:
        """Laws of what changes, and how many people have them; several parts together only where all are alike."""
        place = self.document.groups[group][0]
        pairs = zip(self.document.kinds[place].parts, self.stated[place], strict=True)
        mine = [kind.least or kind.types for part, kind in pairs if any(figure in change for figure in part.figures)]
        if not mine:
            raise InputError("a record moves that nothing covers of what changes")
        if len(mine) == 1:
            return tuple((dict(law), count) for law, count in mine[0])
        if any(len(types) != 1 for types in mine):
            raise InputError("records differ in several parts that change together")
        law = {
            sum((vector for vector, _ in letters), ()): math.prod((chance for _, chance in letters), start=Fraction(1))
            for letters in product(*(types[0][0] for types in mine))
        }
        return ((law, mine[0][0][1]),)

    def _short(self, group: int, change: Steps) -> Vector:
        """The change in the coordinates of the parts that change."""
        parts = self.document.kinds[self.document.groups[group][0]].parts
        moved = [part.figures for part in parts if any(figure in change for figure in part.figures)]
        return tuple(change.get(figure, 0) for figures in moved for figure in figures)

    def _undone(self, target: int, used: Mapping[tuple[int, int], int]) -> int:
        """How many moves the attacker can undo: of the group itself all others move."""
        moving = Counter({target: self.document.kinds[self.document.groups[target][0]].people - 1})
        for (group, _), times in used.items():
            moving[group] += times
        return self._least_undone(moving)

    def _least_undone(self, moving: Mapping[int, int]) -> int:
        """As `moves.Moves` has it: one move for each known record; if a share holds in every number, no more than that
        share of each cell of a table, and all who are in none, for any table.
        """
        attacker, people = self.document.attacker, self.document.people.all
        share = Fraction(attacker.knows)
        whole = share.denominator == 1
        least = known_records(int(share) if whole else share, people) if people > 1 else 0
        if (whole and share) or not attacker.in_every_group:
            return least
        for figure in range(len(self.document.figures)):
            outside, inner = 0, Counter[int]()
            for group, times in moving.items():
                place, numbers = self.document.groups[group]
                covering = dict(zip(self.document.kinds[place].figures, numbers, strict=True))
                if figure in covering:
                    inner[covering[figure]] += times
                else:
                    outside += times
            capped = (min(times, math.ceil(share * self.sizes[number])) for number, times in inner.items())
            least = min(least, outside + sum(capped))
        return least


def _less(some: Sequence[Mapping[int, int]], own: Mapping[int, int]) -> dict[int, int]:
    """What several changes make together, without the person's own."""
    total = Counter[int]()
    for one in some:
        total.update(one)
    total.subtract(own)
    return {number: step for number, step in total.items() if step}


def _rate(text: str) -> float:
    rate = float(Fraction(text))
    if not 0 < rate < 1:
        raise InputError("a rate of coins lies outside 0 to 1")
    return rate


def _fits(steps: Steps, own: Steps) -> bool:
    """Whether a person's own figures change like this, or by the opposite."""
    mine = [(steps.get(figure, 0), step) for figure, step in own.items()]
    return all(a == b for a, b in mine) or all(a == -b for a, b in mine)


def _shapes(
    rows: Sequence[MoveRow], names: Mapping[tuple[int, int], int]
) -> Iterator[tuple[Proposals, "np.ndarray[tuple[int], np.dtype[np.int64]]"]]:
    """The moves, those with equally many records of either sign together."""
    shapes: dict[tuple[int, int], list[MoveRow]] = {}
    for row in rows:
        shapes.setdefault((len(row[1]), len(row[2])), []).append(row)
    for (ahead, behind), some in shapes.items():
        places = [[names[record] for record in (*up, *down)] for _, up, down in some]
        yield Proposals(np.array(places), np.array([1] * ahead + [-1] * behind)), np.array([row[0] for row in some])
