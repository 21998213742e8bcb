"""Each independent part of a record by itself: topics, and noise beside exact figures.

Columns that the belief has independent of each other make *topics*: figures that share columns, directly or through
others. What is published of one topic is independent of what is published of another, given the person's record. So a
person is hidden in each topic by everybody who is in the same numbers *of that topic*, however the figures of other
topics cut them; and the curves of the topics compose.

*Noise beside exact figures.* Where a topic has exact figures E and noisy ones N + Z, fix a pair of facts: E changes by
a and N by n. Each other unknown record g in the same exact numbers that can change E by a, between two of its states,
and N by n_g along with it, contains with some weight a coin of rate ρ. Reveal all else. The number K of coins that fell
tells the exact part, K against K + 1; given it, the set of coins that fell is uniform of its size, so that the two
worlds are coupled by removing one of them at random, and differ in N by n_g - n. If Z hides every such difference to
within (ε₂, δ₂), then

    δ(ε₁ + ε₂) <= E δ_K(ε₁) + δ₂.

Where E does not change, Z alone has to hide n. It holds for any choice of the records g, since all others are revealed:
those beside whom the noise has to hide least are tried first, and then more and more of them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.coins import Coins, Masses, Vector, below, coin_of, coins_mean
from dalenius.enclosure.brackets import Bracket
from dalenius.judge.engine import SURE, Judge, Judgement, composed
from dalenius.judge.group import first_noise
from dalenius.judge.noise import NoiseAlone, NoiseCurve, profiles_of
from dalenius.mechanisms import Channel
from dalenius.mechanisms.registry import row_of
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.mixing import Guarded
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Cover
from dalenius.tables.moves import short_rate

Difference: TypeAlias = tuple[tuple[int, int], ...]  # places of noisy figures with their cell, and by how much
LARGEST_DOMAIN = 40  # different contributions of a record up to which pairs of facts are gone through
MOST_DIFFERENCES = 2000  # of noisy numbers, for one change of the exact ones
MOST_CHOICES = 4  # of other records among whom a person hides, for one change
SHARES = tuple(Fraction(part, 8) for part in (1, 2, 4, 6, 7))  # of epsilon that noise may take
ROUNDING = 1e-12  # more than the sum of two bounds loses


@final
@dataclass(frozen=True, slots=True, eq=False)
class BesideCurve(Curve):
    """Noise beside exact figures, from above: for each change of the exact ones, choices of coins that hide it (none if
    nothing changes) and what the noise has to hide besides; the best choice counts.
    """

    changes: tuple[tuple[tuple[Curve | None, NoiseAlone], ...], ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(0.0, max((self._best(choices, epsilon) for choices in self.changes), default=0.0))

    def _best(self, choices: Sequence[tuple[Curve | None, NoiseAlone]], epsilon: Fraction) -> float:
        return min(self._choice(coins, noise, epsilon) for coins, noise in choices)

    def _choice(self, coins: Curve | None, noise: NoiseAlone, epsilon: Fraction) -> float:
        if coins is None:
            return noise.upper(epsilon)
        pure, best = noise.pure(), 1.0
        if pure is not None and pure <= epsilon:
            return min(best, coins.delta(epsilon - pure).upper)
        for share in SHARES:
            hidden = noise.upper(epsilon * share)
            if hidden < best:
                best = min(best, (coins.delta(epsilon * (1 - share)).upper + hidden) * (1 + ROUNDING))
        return best


@final
@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """Figures that share confidential columns; who is in which of their numbers, and in which of their exact ones."""

    figures: tuple[Figure, ...]
    cover: Cover
    exact: Cover | None  # None if all or none of them are exact

    def covering(self, row: int) -> tuple[tuple[int, int], ...]:
        """The figures that cover people of a tuple, each with the number that their cell has."""
        labels = self.cover.labels[self.cover.part_of, row].tolist()
        return tuple((at, at + len(self.figures) * label) for at, label in enumerate(labels) if label >= 0)

    @classmethod
    def of(cls, figures: Sequence[Figure], docket: Docket) -> "Topic":
        plain = [figure for figure in figures if not first_noise(figure.channel).random]
        whole = Cover.of(figures, docket.frame, docket.columns)
        mixed = plain and len(plain) < len(figures)
        return cls(tuple(figures), whole, Cover.of(plain, docket.frame, docket.columns) if mixed else None)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Judges the people of a release topic by topic."""

    cover: Cover
    docket: Docket
    known: int
    share: Fraction | None = None  # of every published number, if the attacker knows no more of any
    coins: Coins = field(default_factory=Coins)
    _topics: list[Topic] = field(default_factory=list, repr=False, init=False)
    _curves: dict[tuple[int, int, int], Curve] = field(default_factory=dict, repr=False, init=False)
    _together: dict[tuple[int, ...], float] = field(default_factory=dict, repr=False, init=False)

    def judged(self, place: int) -> Judgement:
        """A bound on all that the release tells about a person of the atom."""
        atom = self.cover.atoms[place]
        certain = self.docket.certain(atom.figures)
        if certain:
            return Judgement(Bracket(0.0, 1.0), certain, SURE)
        target = int(np.flatnonzero(self.cover.member == place)[0])
        curves = [
            self._curve(number, target)
            for number, topic in enumerate(self.topics)
            if int(topic.cover.member[target]) >= 0
        ]
        size = f"{atom.size} record{'' if atom.size == 1 else 's'}"
        mixed = " (noise beside exact figures counts)" if any(topic.exact is not None for topic in self.topics) else ""
        words = f"{size}; each independent part of a record among all who are in the same numbers of it{mixed}"
        return Judgement(Bracket(0.0, together(curves, self.docket.judge, self._together)), words, "apart")

    @property
    def helps(self) -> bool:
        """Whether it can tell more than the atoms by themselves do."""
        mixed = any(topic.exact is not None for topic in self.topics)
        return mixed or any(len(topic.cover.atoms) < len(self.cover.atoms) for topic in self.topics)

    @property
    def topics(self) -> Sequence[Topic]:
        """All topics of the release; figures that depend on nothing confidential are in none."""
        if not self._topics:
            used = [figure for figure in self.cover.figures if figure.confidential(self.docket.columns)]
            self._topics.extend(Topic.of(group, self.docket) for group in self.docket.records.linked(used))
        return self._topics

    def _curve(self, number: int, target: int) -> Curve:
        topic = self.topics[number]
        inner = -1 if topic.exact is None else int(topic.exact.member[target])
        key = (number, int(topic.cover.member[target]), inner)
        if key not in self._curves:
            self._curves[key] = self._fresh(topic, target)
        return self._curves[key]

    def _fresh(self, topic: Topic, target: int) -> Curve:
        atom = topic.cover.atoms[int(topic.cover.member[target])]
        figures = [entry.figure for entry in atom.entries]
        noisy = [first_noise(figure.channel).random for figure in figures]
        found = [] if all(noisy) else [self._as_exact(topic.cover, atom)]
        if all(noisy) or self.docket.noise_alone(figures) < 1:
            found.append(NoiseCurve(self.docket.noise(figures)))
        if topic.exact is not None and any(noisy) and not all(noisy):
            found.append(self._beside(topic, topic.exact, target))
        return found[0] if len(found) == 1 else Guarded(tuple(found))

    def _as_exact(self, cover: Cover, atom: Atom) -> Curve:
        """By the joint law of the numbers of the topic that cover the person, as if they were exact."""
        known = self._known(cover, atom)
        return composed(self.docket.curves(atom, atom.figures, known))

    def _known(self, cover: Cover, atom: Atom) -> int:
        """How many records of these people the attacker knows, at most."""
        known = self.known
        if self.share is not None:
            sizes = cover.sizes()
            known = min([known, *(math.ceil(self.share * sizes[entry]) for entry in atom.entries)])
        return min(atom.size - 1, known)

    def _beside(self, topic: Topic, exact: Cover, target: int) -> Curve:
        """Noise beside exact figures; nothing where what covers some of the people falls into independent parts."""
        inner = int(exact.member[target])
        try:
            adding = self.docket.records.adding(topic.figures)
        except InputError:  # too many rows of several columns
            return Constant(1.0)
        if len(adding.domain) > LARGEST_DOMAIN:
            return Constant(1.0)
        looks: dict[tuple[object, ...], Look] = {}
        for at in np.flatnonzero(exact.member == inner).tolist():
            cell, places = topic.cover.tuples[at], topic.covering(at)
            if len(self.docket.records.linked([topic.figures[place] for place, _ in places])) > 1:
                return Constant(1.0)
            key = (adding.key(cell), places)
            count = int(topic.cover.counts[at]) + (looks[key].count if key in looks else 0)
            law = dict(adding.law(cell, least=adding.estimated))
            looks[key] = look_of(law, [place for place, _ in places], topic.figures, dict(places), count)
        own = topic.covering(target)
        mine = looks[adding.key(topic.cover.tuples[target]), own]
        facts = list(dict.fromkeys(tuple(vector[place] for place, _ in own) for vector in adding.domain))
        facts += [(0,) * len(own)] if self.docket.presence and (0,) * len(own) not in facts else []
        noises = {
            number: first_noise(topic.figures[place].channel)
            for at in np.flatnonzero(exact.member == inner).tolist()
            for place, number in topic.covering(at)
        }
        known = self._known(exact, exact.atoms[inner])
        return beside(list(looks.values()), mine, facts, noises, known, self.coins)


def together(curves: Sequence[Curve], judge: Judge, found: dict[tuple[int, ...], float]) -> float:
    """All topics at once. Those that are exact compose; beside others epsilon is shared, since to compose these would
    take many places of curves that are slow. `found`: what was found before.
    """
    live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
    key = tuple(map(id, live))
    if key not in found:
        exact = [curve for curve in live if not isinstance(curve, NoiseCurve | Guarded)]
        slow = [curve for curve in live if isinstance(curve, NoiseCurve | Guarded)]
        found[key] = min(1.0, _shared([*_one(exact, judge), *slow], judge.epsilon))
    return found[key]


def _one(exact: Sequence[Curve], judge: Judge) -> list[Curve]:
    """Exact topics as one: composed, unless an equal share of epsilon for each is enough."""
    if len(exact) < 2 or _shared(exact, judge.epsilon) <= judge.enough:
        return list(exact)
    return [composed(exact)]


def _shared(curves: Sequence[Curve], epsilon: Fraction) -> float:
    """The sum of their deltas, each at a share of epsilon: equal ones or, of two, whichever are best."""
    if not curves:
        return 0.0
    ways: list[tuple[Fraction, ...]] = [(epsilon / len(curves),) * len(curves)]
    if len(curves) == 2:
        ways = [(epsilon * share, epsilon * (1 - share)) for share in SHARES]
    sums = (math.fsum(c.delta(at).upper for c, at in zip(curves, way, strict=True)) for way in ways)
    return min(sums) * (1 + ROUNDING) if len(curves) > 1 else curves[0].delta(epsilon).upper


# -- noise beside exact figures --------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Look:
    """People of one law who are in the same numbers: what they add to these, the coordinates of the exact ones, and of
    the noisy ones with the number that each is of.
    """

    law: tuple[tuple[Vector, Fraction], ...]
    plain: tuple[int, ...]
    noisy: tuple[tuple[int, int], ...]
    count: int

    def shown(self) -> Masses:
        """What a record adds to the exact numbers."""
        seen: dict[Vector, Fraction] = {}
        for vector, chance in self.law:
            at = tuple(vector[axis] for axis in self.plain)
            seen[at] = seen.get(at, Fraction(0)) + chance
        return seen

    def moves(self, vectors: Sequence[Vector]) -> dict[Vector, set[Difference]]:
        """By how much two of the vectors differ in the exact numbers, one of each two opposite changes, and along with
        it in the noisy ones.
        """
        found: dict[Vector, set[Difference]] = {}
        for one, two in combinations(vectors, 2):
            change = tuple(two[axis] - one[axis] for axis in self.plain)
            back = tuple(-step for step in change)
            along = tuple(sorted((number, two[at] - one[at]) for at, number in self.noisy if two[at] != one[at]))
            if change <= back:
                found.setdefault(change, set()).add(along)
            if back <= change:
                found.setdefault(back, set()).add(tuple((number, -step) for number, step in along))
        return found


def look_of(
    law: Masses, places: Sequence[int], figures: Sequence[Figure], numbers: Mapping[int, int], count: int
) -> Look:
    """A look at the figures of these places only; `law` has a coordinate for every figure."""
    short: dict[Vector, Fraction] = {}
    for vector, chance in law.items():
        at = tuple(vector[place] for place in places)
        short[at] = short.get(at, Fraction(0)) + chance
    noisy = [first_noise(figures[place].channel).random for place in places]
    return Look(
        tuple(sorted(short.items())),
        tuple(axis for axis, some in enumerate(noisy) if not some),
        tuple((axis, numbers[place]) for axis, (place, some) in enumerate(zip(places, noisy, strict=True)) if some),
        count,
    )


def beside(
    looks: Sequence[Look],
    own: Look,
    facts: Sequence[Vector],
    noises: Mapping[int, Channel],
    known: int,
    coins: Coins,
) -> Curve:
    """Noise beside exact figures, for a person of the look `own` with one of these facts among people who are all in
    the same exact numbers; `noises`: of each number.
    """
    changes: list[tuple[tuple[Curve | None, NoiseAlone], ...]] = []
    others = [look.moves([vector for vector, chance in look.law if chance]) for look in looks]
    for change, mine in own.moves(facts).items():
        if not any(change):
            changes.append(((None, _hiding(mine, noises)),))
            continue
        left = [{_less(one, two) for one in some.get(change, ()) for two in mine} for some in others]
        if sum(map(len, left)) > MOST_DIFFERENCES:
            return Constant(1.0)
        choices = list[tuple[Curve | None, NoiseAlone]]()
        for chosen in _nearest(left, noises):
            hidden = _coins([looks[at] for at in chosen], change, known, coins)
            if hidden is not None:
                choices.append((hidden, _hiding(set[Difference]().union(*(left[at] for at in chosen)), noises)))
        if not choices:
            return Constant(1.0)
        changes.append(tuple(choices))
    return BesideCurve(tuple(changes))


def _nearest(left: Sequence[set[Difference]], noises: Mapping[int, Channel]) -> list[list[int]]:
    """Those beside whom the noise has to hide least, by what is left to hide in units of its scale; and more and more
    of the others.
    """
    scales = {number: row_of(noise).size(noise) for number, noise in noises.items() if noise.random}
    far = {
        at: max(sum((Fraction(abs(step)) / scales[number] for number, step in one), Fraction(0)) for one in some)
        for at, some in enumerate(left)
        if some
    }
    steps = sorted(set(far.values()))
    if len(steps) > MOST_CHOICES:
        steps = [*steps[: MOST_CHOICES - 1], steps[-1]]
    return [[at for at, one in far.items() if one <= step] for step in steps]


def _less(one: Difference, two: Difference) -> Difference:
    """What is left of a difference when another is taken off."""
    left = dict(one)
    for number, step in two:
        left[number] = left.get(number, 0) - step
    return tuple(sorted((number, step) for number, step in left.items() if step))


def _hiding(apart: Iterable[Difference], noises: Mapping[int, Channel]) -> NoiseAlone:
    """What the noise of these numbers has to hide."""
    some = [difference for difference in apart if difference]
    numbers = sorted({number for difference in some for number, _ in difference})
    place = {number: at for at, number in enumerate(numbers)}
    moved = [tuple((place[number], abs(step)) for number, step in difference) for difference in some]
    return NoiseAlone(((profiles_of(moved, [noises[number] for number in numbers]),),)) if moved else NoiseAlone(((),))


def _coins(looks: Sequence[Look], change: Vector, known: int, coins: Coins) -> Curve | None:
    """The coins inside everybody's records, without the person's own; None if there are none."""
    laws = [look.shown() for look in looks]
    counts = np.array([look.count for look in looks], dtype=np.int64)
    ends = [coin_of(law, change, Fraction(1, 2)) for law in laws]
    low = sum((look.count * end[0] for look, end in zip(looks, ends, strict=True)), Fraction(0))
    high = sum((look.count * end[1] for look, end in zip(looks, ends, strict=True)), Fraction(0))
    if not low or not high:
        return None
    rate = short_rate(min(max(float(high / (low + high)), 1e-6), 1 - 1e-6))
    exact = Fraction(rate)
    pairs = [coin_of(law, change, exact) for law in laws]
    weights = np.array([below(min(one / (1 - exact), two / exact)) for one, two in pairs])
    counts[np.argmax(weights)] -= 1  # the person may be any of them
    return coins_mean(weights, counts, known, rate, coins)
