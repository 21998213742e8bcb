"""How well one person's change hides among other people's: the certificate of moves.

Let a be what the person changes in the vector of all published numbers, between two facts. A *move* is a set of other
records, unknown and independent, with two states u and v whose contributions differ by exactly a. Take disjoint moves,
and a rate ρ. A move with P(u) >= w (1 - ρ) and P(v) >= w ρ is, with probability w, a coin of rate ρ that adds a; reveal
everything else, which does not depend on the person. The published vector is then a constant plus a times a sum of K
coins, in both worlds but for the shift by a, and K is a sum of yes/no records of rates w_g. The hockey-stick divergence
is jointly convex, so

    δ(ε) <= E δ_K(ε),      δ_k: Binomial(k, ρ) against itself moved by one, both ways.

An attacker who knows m records undoes at most m of the moves, since these share no record. δ_k falls with k, so the
largest w are the worst to lose. Proof, and where this is loose: docs/moves.md.

*In parts.* Where a is a sum of a_1 ... a_J, and for each j there are records that change everything by exactly a_j, no
record in two parts, then δ is at most that of the J curves composed: a move of three records needs all three in the
right states at once, but its records can also hide a leg each. The attacker may undo m coins of every leg. Where that
is not enough, all legs are told at once, beside others of the person's own group (`legs.py`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.coins import Coins, CoinsCurve, Masses, Vector, below, coin_of, coins_mean, plus
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.judge.engine import SURE, Judgement, composed
from dalenius.judge.group import first_noise
from dalenius.judge.noise import NoiseAlone, NoiseCurve, Profile, profiles_of
from dalenius.mechanisms import Channel
from dalenius.numerics.curve import Constant, Curve, Supremum
from dalenius.numerics.law import Floats
from dalenius.numerics.least import least, whole_halfway
from dalenius.numerics.mixing import Guarded
from dalenius.numerics.shifts import ShiftCurve
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Cover, Ints
from dalenius.tables.legs import LegsCurve
from dalenius.tables.packing import Detour, Leg, Packed, Packer, Proposals, Way, move_weights
from dalenius.tables.veiled import Veiled

Parts: TypeAlias = tuple[tuple[int, ...], ...]
_Tried: TypeAlias = tuple[Curve, int, Way | Detour]  # what hides a change, with how many coins

MOST_COINS, FEW = 1 << 16, 16  # coins of one rate; the part of their number to which it matters
MORE = 1.15  # coins of each of several topics, beyond what normal laws of the same variance would need
LARGEST_DOMAIN = 40  # different contributions of a record up to which moves are looked for
MOST_CHANGES = 1000  # of persons of all atoms up to which how much moves tell is worked out also where it is too much
MANY = 300  # atoms from which on not each is looked at as closely as can be
MOST_KINDS = 64  # of records, one for each part of a change, that change different noisy numbers
MOST_SUMS = 4  # of parts of a change, that hide it side by side
RATES, CLOSE = 1 << 10, 1 << 46  # digits of a rate; and of one that is to be that of nearly all records
ROUNDING = 1e-12  # more than the sum of a few bounds loses
TINY = 1e-300


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Topic:
    """Figures that share confidential columns: what each record may add to their quantities, by tuple."""

    places: tuple[int, ...]  # of the figures
    quantity: tuple[int, ...]  # of each of them
    domain: tuple[Vector, ...]
    laws: tuple[Masses, ...]
    looks: tuple[tuple[int, Parts], ...]  # a law, and the parts of it that cover the record
    look_of: Ints  # of each tuple
    _masses: dict[tuple[Vector, float], tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    def masses(self, change: Vector, rate: float) -> tuple[Floats, Floats]:
        """What a record of each tuple has at the two ends of its change, rounded down."""
        key = (change, rate)
        if key not in self._masses:
            ends = self.ends(change, Fraction(rate))
            low, high = (np.array([below(end[side]) for end in ends]) for side in (0, 1))
            self._masses[key] = low[self.look_of], high[self.look_of]
        return self._masses[key]

    def ends(self, change: Vector, rate: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The same for each look, exactly. Only what covers the record, and depends on what changes, matters."""
        found = []
        for law, parts in self.looks:
            axes = [axis for part in parts if any(change[axis] for axis in part) for axis in part]
            seen: dict[Vector, Fraction] = {}
            for vector, chance in self.laws[law].items():
                at = tuple(vector[axis] for axis in axes)
                seen[at] = seen.get(at, Fraction(0)) + chance
            short = tuple(change[axis] for axis in axes)
            found.append(coin_of(seen, short, rate) if axes else (Fraction(0), Fraction(0)))
        return found

    def changes(self, covering: frozenset[int], *, presence: bool) -> list[Vector]:
        """One change for each way in which a person moves the quantities that cover them: other records may move any
        others along, best the fewest.
        """
        found: dict[Vector, Vector] = {}
        zero = (0,) * len(self.domain[0])
        facts = dict.fromkeys([*self.domain, zero]) if presence else self.domain  # who is absent adds nothing
        for one, other in combinations(facts, 2):
            change = plus(other, tuple(-step for step in one))
            own = tuple(step if at in covering else 0 for at, step in enumerate(change))
            if own < zero:
                change, own = tuple(-step for step in change), tuple(-step for step in own)
            if own != zero and (own not in found or _spread(change) < _spread(found[own])):
                found[own] = change
        return list(found.values())


def _spread(change: Vector) -> int:
    return sum(step != 0 for step in change)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Legs:
    """Parts of a change with their coins, which add up to it: by themselves, or with any of those beside."""

    each: list[tuple[Curve, Leg]]
    beside: list[list[tuple[Curve, Leg]]]

    def sums(self) -> list[list[tuple[Curve, Leg]]]:
        return [[*self.each, *some] for some in self.beside or [[]]]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """Topics about one person, all at once."""

    epsilon: Fraction
    enough: Fraction
    _composed: dict[tuple[tuple[float, int], ...], float] = field(default_factory=dict, repr=False)
    _close: dict[tuple[bytes, ...], float] = field(default_factory=dict, repr=False)

    def closely(self, own: Sequence[Curve], moved: Sequence[Curve]) -> float:
        """All topics composed, each by its own records or by moves; equal curves are composed once."""
        key = tuple(curve.key if isinstance(curve, CoinsCurve) else b"" for curve in moved)
        if not all(key):
            best = [Guarded((one, other)) for one, other in zip(own, moved, strict=True)]
            return composed(best).delta(self.epsilon).upper
        if key not in self._close:
            self._close[key] = composed(moved).delta(self.epsilon).upper
        return self._close[key]

    def together(self, curves: Sequence[Curve]) -> float:
        """Columns that the belief has independent, all at once: with epsilon shared equally; or with so many coins
        each as are certainly there, which few different numbers stand for.
        """
        if len(curves) == 1:
            return curves[0].delta(self.epsilon).upper
        plain = [curve for curve in curves if isinstance(curve, CoinsCurve)]
        if len(plain) < len(curves):
            return math.fsum(curve.delta(self.epsilon / len(curves)).upper for curve in curves) * (1 + ROUNDING)
        sure = [(curve.rate, *curve.sure(float(self.enough) / (8 * len(curves)))) for curve in plain]
        missing = math.fsum(miss for _, _, miss in sure)
        return (self.binomials(tuple(sorted((rate, n) for rate, n, _ in sure))) + missing) * (1 + ROUNDING)

    def binomials(self, coins: tuple[tuple[float, int], ...]) -> float:
        """So many coins of these rates, one kind for each topic."""
        if coins not in self._composed:
            laws = [law_of_rates(np.array([rate]), np.array([number])) for rate, number in coins if number]
            several = composed([ShiftCurve(law, (1,)) for law in laws]) if len(laws) == len(coins) else Constant(1.0)
            self._composed[coins] = several.delta(self.epsilon).upper
        return self._composed[coins]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Judges atoms by moves among everybody else's records."""

    cover: Cover
    docket: Docket
    known: int
    share: Fraction | None = None  # of every published number, if the attacker knows no more of any
    coins: Coins = field(default_factory=Coins)
    _topics: list[_Topic] = field(default_factory=list, repr=False, init=False)
    _codes: list[Ints] = field(default_factory=list, repr=False, init=False)
    _packers: dict[tuple[int, ...], Packer] = field(default_factory=dict, repr=False, init=False)
    _packings: dict[tuple[int, int], tuple[float, Packed]] = field(default_factory=dict, repr=False, init=False)
    _enough: dict[float, float] = field(default_factory=dict, repr=False, init=False)
    _composed: dict[tuple[bytes, ...], Curve] = field(default_factory=dict, repr=False, init=False)
    _told_at_once: dict[object, LegsCurve | None] = field(default_factory=dict, repr=False, init=False)
    _several: Several = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_several", Several(self.docket.epsilon, self.docket.enough))

    def judged(self, atom: int, known: int) -> Judgement:
        """A bound on all that the release tells about a person of the atom, who is judged with `known` records of the
        atom known where its own numbers are used, and with all that the attacker knows where moves are.
        """
        target = int(np.flatnonzero(self.cover.member == atom)[0])
        certain = self.docket.certain(self.cover.atoms[atom].figures)
        if certain:
            return Judgement(Bracket(0.0, 1.0), certain, SURE)
        mine = [topic for topic in self._all_topics() if self._covering(topic, target)]
        if not mine:
            return Judgement(Bracket(0.0, 0.0), "nothing that is published depends on these people", "moves")
        found = [self._curve(topic, target, len(mine)) for topic in mine]
        curves = [curve for curve, _, _ in found]
        upper = self._several.together(curves)
        if upper > self.docket.enough and len(self.cover.atoms) <= MANY:
            own = [self._own(atom, topic, known) for topic in mine]
            upper = min(upper, self._several.closely(own, curves))
        if upper > self.docket.enough and len(mine) == 1 and self._mixed(mine[0]):
            veiled = self._veiled(mine[0], target)
            if veiled[0].delta(self.docket.epsilon).upper < upper:
                found, upper = [veiled], veiled[0].delta(self.docket.epsilon).upper
        size, used = self.cover.atoms[atom].size, max(count for _, count, _ in found)
        words = (
            f"{size} record{'' if size == 1 else 's'}, and {used} sets of others' records that can change all figures "
            f"alike (moves), of which the attacker can undo {self.known}"
        )
        ways = tuple(way for _, _, some in found for way in some)
        return Judgement(Bracket(0.0, min(1.0, upper)), words, "moves", ways)

    def _own(self, atom: int, topic: _Topic, known: int) -> Curve:
        """All the numbers of the topic that cover the atom, by its own records alone."""
        inside = {self.cover.figures[place].name for place in topic.places}
        figures = [figure for figure in self.cover.atoms[atom].figures if figure.name in inside]
        return composed(self.docket.curves(self.cover.atoms[atom], figures, known))

    def _curve(self, topic: _Topic, target: int, topics: int) -> tuple[Curve, int, list[Way | Detour]]:
        """Moves for every change that the person can make; worst over these. A change for which they are not enough may
        also hide in parts.
        """
        if len(topic.domain) > LARGEST_DOMAIN:
            return Constant(1.0), 0, []
        covering = self._covering(topic, target)
        found, fewest, ways = list[Curve](), list[int](), list[Way | Detour]()
        changes = topic.changes(covering, presence=self.docket.presence)
        long = len(changes) * len(self.cover.atoms) > MOST_CHANGES
        for change in changes:
            rates = self._rates(topic, target, change)
            tried: list[_Tried] = [self._coins(topic, target, change, rate, topics) for rate in rates]
            if topics == 1 and len(self.cover.atoms) <= MANY and not self._suffices(tried):
                tried += self._in_parts(topic, target, change)
                if long and not self._suffices(tried):  # no other change makes up for that
                    return Constant(1.0), 0, []
            if not tried:
                return Constant(1.0), 0, []
            found.append(tried[0][0] if len(tried) == 1 else Guarded(tuple(curve for curve, _, _ in tried)))
            fewest.append(min(count for _, count, _ in tried))
            ways += [way for _, _, way in tried]
        return found[0] if len(found) == 1 else Supremum(tuple(found)), min(fewest, default=0), ways

    # -- noise beside exact figures ------------------------------------------------------------------------------------

    def _mixed(self, topic: _Topic) -> bool:
        """Whether some of its figures have noise, and others none."""
        noisy = {self._noise(place).random for place in topic.places}
        return len(noisy) == 2 and len(self.cover.atoms) <= MANY and len(topic.domain) <= LARGEST_DOMAIN

    def _noise(self, place: int) -> Channel:
        return first_noise(self.cover.figures[place].channel)

    def _veiled(self, topic: _Topic, target: int) -> tuple[Curve, int, list[Way | Detour]]:
        """Moves that change all exact numbers as the person does; what they change in noisy ones, the noise hides.
        Where a change of the person moves no exact number, noise hides it by itself.
        """
        covering = self._covering(topic, target)
        curves, fewest, ways = list[Curve](), list[int](), list[Way | Detour]()
        for change in topic.changes(covering, presence=self.docket.presence):
            moved = [p for p, q in zip(topic.places, topic.quantity, strict=True) if change[q]]
            plain = [p for p in moved if not self._noise(p).random]
            if not any(self._inside(p, target) for p in plain):
                apart = {(p, self._label(p, target)): step for p, step in self._steps(topic, change)}
                own = {number: step for number, step in apart.items() if number[1] >= 0 and number[0] not in plain}
                curves.append(NoiseCurve(NoiseAlone(((self._profiles([own]),),))))
                continue
            rates = self._rates(topic, target, change)
            tried: list[_Tried] = [self._veiled_coins(topic, target, change, rate, plain) for rate in rates]
            if not self._suffices(tried):
                tried += self._veiled_parts(topic, target, change, plain)
            if not tried:
                return Constant(1.0), 0, []
            curves.append(tried[0][0] if len(tried) == 1 else Guarded(tuple(curve for curve, _, _ in tried)))
            fewest.append(min(count for _, count, _ in tried))
            ways += [way for _, _, way in tried]
        if not ways:
            return Constant(1.0), 0, []
        return curves[0] if len(curves) == 1 else Supremum(tuple(curves)), min(fewest), ways

    def _veiled_coins(
        self, topic: _Topic, target: int, change: Vector, rate: float, plain: Sequence[int]
    ) -> tuple[Curve, int, Way]:
        alpha, beta = topic.masses(change, rate)
        packer = self._packer_of(plain)
        own, times = self._own_records(target, alpha, beta, rate)
        mates = self._mates(packer, target)
        packed = Packed((mates, *packer.packed(target, alpha, beta, rate, math.inf).parts))
        steps = self._steps(topic, change)
        free = [(own, times)]
        others, apart = list[tuple[Floats, Ints]](), list[dict[tuple[int, int], int]]()
        for shape, used in packed.parts:
            weights = move_weights(shape, alpha, beta, rate)
            left = self._left(shape, target, [step for step in steps if step[0] not in plain])
            nothing = np.array([not one for one in left], dtype=bool)
            free.append((weights[nothing], used[nothing]))
            some = ~nothing & (used > 0) & (weights > 0)
            others.append((weights[some], used[some]))
            apart += [one for one, here in zip(left, some.tolist(), strict=True) if here]
        first, second = _joined(free), _joined(others)
        undone = self._undone(target, packed)
        curve = Veiled(first, second, self._profiles(apart), undone, rate, self.coins)
        return curve, int(times.sum()) + packed.count, Way(steps, rate, packed)

    def _veiled_parts(self, topic: _Topic, target: int, change: Vector, plain: Sequence[int]) -> list[_Tried]:
        """One leg after the other; the noise hides what one record of each leg changes beyond what the person does."""
        packer = self._packer_of(plain)
        legs = self._legs(topic, target, change, packer)
        left = self._steps_left(topic, target, change, plain, legs)
        if legs is None or left is None:
            return []
        profiles = self._profiles(left)
        try:
            noises = NoiseAlone(((profiles,),)).curves() if profiles else []
        except InputError:  # too much to list
            return []
        curves = [curve for curve, _ in legs.each]
        told = [composed([*curves, noise]) for noise in noises] or [composed(curves)]
        whole: Curve = told[0] if len(told) == 1 else Supremum(tuple(told))
        if not self._enough_by(whole):
            whole = Guarded((whole, *self._at_once(topic, target, change, legs, left)))
        found = [self._detour(topic, change, whole, legs)]
        if not self._enough_by(whole):
            found += self._side_by_side(topic, target, change, packer, plain)
        return found

    def _steps_left(
        self, topic: _Topic, target: int, change: Vector, plain: Sequence[int], legs: _Legs | None
    ) -> list[dict[tuple[int, int], int]] | None:
        """What one record of each leg of a sum changes in numbers with noise beyond what the person does, for every way
        to choose them; None if there are too many.
        """
        steps = [step for step in self._steps(topic, change) if step[0] not in plain]
        labels = self.cover.labels[self.cover.part_of[[place for place, _ in steps]]]
        found = list[dict[tuple[int, int], int]]()
        for some in legs.sums() if legs is not None and steps else ():
            kinds = [leg.tuples[np.unique(labels[:, leg.tuples], axis=1, return_index=True)[1]] for _, leg in some]
            if math.prod(map(len, kinds)) > MOST_KINDS:
                return None
            signs = np.array([leg.sign for _, leg in some])
            every = np.array(list(product(*(one.tolist() for one in kinds))), dtype=np.int64)
            found += self._left(Proposals(every, signs), target, steps)
        return found

    def _left(
        self, shape: Proposals, target: int, steps: Sequence[tuple[int, int]]
    ) -> list[dict[tuple[int, int], int]]:
        """What each move changes in numbers with noise beyond what the person does, which is taken off again."""
        found = list[dict[tuple[int, int], int]]()
        for row in shape.rows.tolist():
            left: dict[tuple[int, int], int] = {}
            for at, sign in [*zip(row, shape.signs.tolist(), strict=True), (target, -1)]:
                for place, step in steps if at >= 0 else ():
                    number = (place, self._label(place, at))
                    if number[1] >= 0:
                        left[number] = left.get(number, 0) + sign * step
            found.append({number: step for number, step in left.items() if step})
        return found

    def _profiles(self, apart: Sequence[Mapping[tuple[int, int], int]]) -> tuple[Profile, ...]:
        """What the noise has to hide, pair by pair of worlds, without those that another one exceeds."""
        figures = sorted({place for one in apart for place, _ in one})
        numbers = sorted({number for one in apart for number in one})
        at = {number: place for place, number in enumerate(numbers)}
        differences = {tuple(sorted((at[number], abs(step)) for number, step in one.items())) for one in apart if one}
        noises = {place: self._noise(place) for place in figures}
        return profiles_of(differences, [noises[place] for place, _ in numbers])

    def _label(self, place: int, at: int) -> int:
        """The cell of a figure in which people of a tuple are; -1 for none."""
        return int(self.cover.labels[self.cover.part_of[place], at])

    def _inside(self, place: int, at: int) -> bool:
        return self._label(place, at) >= 0

    def _in_parts(self, topic: _Topic, target: int, change: Vector) -> list[_Tried]:
        """One leg after the other, where the person's change is a sum of changes that records of others make."""
        packer = self._packer(topic, change)
        legs = self._legs(topic, target, change, packer)
        if legs is None:
            return []
        curves = [curve for curve, _ in legs.each]
        keys = tuple(sorted(curve.key for curve in curves if isinstance(curve, CoinsCurve)))
        if keys not in self._composed:
            self._composed[keys] = composed(curves)
        told = [self._composed[keys]]
        if not self._enough_by(told[0]):
            told += self._at_once(topic, target, change, legs, [])
        whole = told[0] if len(told) == 1 else Guarded(tuple(told))
        found = [self._detour(topic, change, whole, legs)]
        if not self._enough_by(whole):
            plain = [p for p, q in zip(topic.places, topic.quantity, strict=True) if change[q]]
            found += self._side_by_side(topic, target, change, packer, plain)
        return found

    def _side_by_side(
        self, topic: _Topic, target: int, change: Vector, packer: Packer, plain: Sequence[int]
    ) -> list[_Tried]:
        """Several sums that hide the change at once, as many as can be listed."""
        most = MOST_SUMS
        while most > 1:
            legs = self._legs(topic, target, change, packer, most)
            if legs is None or len(legs.beside) < 2 or not self._may_do(topic, target, change, legs):
                return []
            left = self._steps_left(topic, target, change, plain, legs)
            told = [] if left is None else self._at_once(topic, target, change, legs, left)
            if told:
                return [self._detour(topic, change, told[0], legs)]
            most = len(legs.beside) - 1
        return []

    def _may_do(self, topic: _Topic, target: int, change: Vector, legs: _Legs) -> bool:
        """Whether parts and the person's own group vary at least a quarter as much as coins that are enough would. It
        says when not to look further, and no bound rests on it.
        """
        low, high = topic.masses(change, 0.5)
        both = np.divide(low * high, low + high, out=np.zeros_like(low), where=low + high > 0)

        def resistance(some: list[tuple[Curve, Leg]]) -> float:
            return sum(1 / max(float(leg.times @ both[leg.tuples]), TINY) for _, leg in some)

        mine = self.cover.member == self.cover.member[target]
        varies = float(self.cover.counts[mine] @ both[mine])
        aside = sum(1 / resistance(some) for some in legs.beside)
        varies += 1 / (resistance(legs.each) + (1 / aside if aside else 0.0))
        (rate, *_) = self._rates(topic, target, change) or [0.5]
        return 4 * varies >= self._needed(rate, 1) * rate * (1 - rate)

    def _detour(self, topic: _Topic, change: Vector, curve: Curve, legs: _Legs) -> _Tried:
        shared, *beside = [tuple(leg for _, leg in some) for some in (legs.each, *legs.beside)]
        many = sum(int(leg.times.sum()) for some in (shared, *beside) for leg in some)
        return curve, many, Detour(self._steps(topic, change), shared, tuple(beside))

    def _at_once(
        self,
        topic: _Topic,
        target: int,
        change: Vector,
        legs: _Legs,
        left: Sequence[Mapping[tuple[int, int], int]],
    ) -> list[Curve]:
        """All parts told at once, beside the others of the person's own group, and what may be left to the noise;
        nothing where that is too much.
        """
        low, high = topic.masses(change, 0.5)
        mine = self.cover.member == self.cover.member[target]
        ups, downs = (float(self.cover.counts[mine] @ end[mine]) for end in (high, low))
        own: Curve = Constant(1.0)
        if ups and downs:
            rate = close_rate(downs, ups)
            weights, times = self._own_records(target, *topic.masses(change, rate), rate)
            own = coins_mean(weights, times, self._undone(target, Packed(())), rate, self.coins)
        shared, *beside = [[(curve, leg.sign) for curve, leg in some] for some in (legs.each, *legs.beside)]
        named = [tuple((sign, _key(curve)) for curve, sign in some) for some in (shared, *beside)]
        profiles, different = self._profiles(left), len({tuple(sorted(one.items())) for one in left})
        key = profiles, different, _key(own), tuple(named)
        if key not in self._told_at_once:
            enough, epsilon = self.docket.enough, self.docket.epsilon
            told = LegsCurve.of(own, shared, beside, profiles, enough, steps=different, epsilon=epsilon)
            self._told_at_once[key] = told
        found = self._told_at_once[key]
        return [] if found is None else [found]

    def _legs(self, topic: _Topic, target: int, change: Vector, packer: Packer, most: int = 1) -> _Legs | None:
        """The parts of a change, with the curve of the coins of each; None if one of them has no coins."""
        low, high = topic.masses(change, 0.5)
        both = np.divide(low * high, low + high, out=np.zeros_like(low), where=low + high > 0)
        worth = np.asarray(self.cover.counts * both, dtype=np.float64)

        def leg(sign: int, tuples: Ints, times: Ints) -> tuple[Curve, Leg]:
            ups, downs = float(times @ high[tuples]), float(times @ low[tuples])
            rate = close_rate(downs, ups)
            alpha, beta = topic.masses(change, rate)
            weights = move_weights(Proposals(tuples[:, None], np.array([1])), alpha, beta, rate)
            used = np.zeros(len(self.cover.counts), dtype=np.int64)
            used[tuples] = times
            return coins_mean(weights, times, self._least_undone(used), rate, self.coins), Leg(
                rate, sign, tuples, times
            )

        shared, beside = packer.sums(target, worth, most)
        sums = [[leg(*term) for term in terms] for terms in (shared, *beside)]
        if not beside or any(isinstance(curve, Constant) for some in sums for curve, _ in some):
            return None
        return _Legs(sums[1], []) if len(beside) == 1 else _Legs(sums[0], sums[1:])

    def _steps(self, topic: _Topic, change: Vector) -> tuple[tuple[int, int], ...]:
        """By how much each figure changes."""
        return tuple((p, change[q]) for p, q in zip(topic.places, topic.quantity, strict=True) if change[q])

    def _rates(self, topic: _Topic, target: int, change: Vector) -> list[float]:
        """The rate of everybody's coins together, and of the person's own kind, where they have both ends."""
        ends = topic.ends(change, Fraction(1, 2))
        people = np.bincount(topic.look_of, weights=self.cover.counts, minlength=len(ends)).tolist()
        low = sum(n * float(end[0]) for n, end in zip(people, ends, strict=True))
        high = sum(n * float(end[1]) for n, end in zip(people, ends, strict=True))
        own = ends[int(topic.look_of[target])]
        rates = [high / (low + high)] if low and high else []
        rates += [float(own[1] / (own[0] + own[1]))] if own[0] and own[1] else []
        return list(dict.fromkeys(short_rate(min(max(rate, 1e-6), 1 - 1e-6)) for rate in rates))

    def _coins(self, topic: _Topic, target: int, change: Vector, rate: float, topics: int) -> tuple[Curve, int, Way]:
        alpha, beta = topic.masses(change, rate)
        packer = self._packer(topic, change)
        needed = self._needed(rate, topics)
        enough = needed + 8 * math.sqrt(needed) + 20 + self.known / 4 if math.isfinite(needed) else math.inf
        own, times = self._own_records(target, alpha, beta, rate)
        mates = self._mates(packer, target)
        if float(own @ times + move_weights(mates[0], alpha, beta, rate) @ mates[1]) - self.known >= enough:
            packed = Packed((mates,))
        else:
            moved = self._packed(packer, target, (alpha, beta, rate), enough, even=len(topic.laws) == 1)
            packed = Packed((mates, *moved.parts))
        weights = np.concatenate([own, *(move_weights(shape, alpha, beta, rate) for shape, _ in packed.parts)])
        number = np.concatenate([times, *(used for _, used in packed.parts)])
        undone = self._undone(target, packed)
        way = Way(self._steps(topic, change), rate, packed)
        return coins_mean(weights, number, undone, rate, self.coins), int(number.sum()), way

    def _suffices(self, tried: Sequence[_Tried]) -> bool:
        return any(self._enough_by(curve) for curve, _, _ in tried)

    def _enough_by(self, curve: Curve) -> bool:
        return curve.delta(self.docket.epsilon).certainly_at_most(self.docket.enough)

    def _needed(self, rate: float, topics: int) -> float:
        """How many coins are about enough; if several topics cover a person, of each. Infinite if 2^16 are not.

        It says when to stop looking for moves, and no bound rests on it. Variances add up, so of several topics each
        needs about as many times more coins as there are topics.
        """
        if topics > 1:
            return self._needed(rate, 1) * topics * MORE
        if rate not in self._enough:
            wanted = float(self.docket.enough) / 2

            def holds(coins: int) -> bool:
                return self.coins.most(rate, self.docket.epsilon, coins) <= wanted

            def near(low: int, high: int) -> bool:
                return high - low <= high // FEW

            some = math.inf
            if holds(MOST_COINS):
                some = float(least(holds, 0, MOST_COINS, middle=whole_halfway, close=near)[1])
            self._enough[rate] = some
        return self._enough[rate]

    def _packed(
        self, packer: Packer, target: int, ends: tuple[Floats, Floats, float], enough: float, *, even: bool
    ) -> Packed:
        """The moves for a person of a tuple; where all records are alike, those found for another topic will do."""
        key = (id(packer), target)
        if even and key in self._packings and self._packings[key][0] >= enough:
            return self._packings[key][1]
        packed = packer.packed(target, *ends, enough)
        if even:
            self._packings[key] = (enough, packed)
        return packed

    def _own_records(self, target: int, alpha: Floats, beta: Floats, rate: float) -> tuple[Floats, Ints]:
        """Moves of one record: everybody else of the person's own atom."""
        mine = np.flatnonzero(self.cover.member == self.cover.member[target])
        weights = move_weights(Proposals(mine[:, None], np.array([1])), alpha, beta, rate)
        times = self.cover.counts[mine].copy()
        times[np.argmax(weights)] -= 1  # the person may be any of them
        return weights, times

    def _mates(self, packer: Packer, target: int) -> tuple[Proposals, Ints]:
        """The same of people of other atoms, whom the changed numbers do not tell from the person."""
        member = self.cover.member
        mates = np.flatnonzero((packer.member == packer.member[target]) & (member != member[target]))
        return Proposals(mates[:, None], np.array([1])), self.cover.counts[mates]

    def _undone(self, target: int, packed: Packed) -> int:
        """How many moves the attacker can undo: one for each known record, but if only a share of every published
        number is known, no more than that share of each cell of a table, for any table.
        """
        if self.share is None:
            return self.known
        used = packed.used(len(self.cover.counts))
        mine = self.cover.member == self.cover.member[target]
        used[mine] = self.cover.counts[mine]
        used[target] -= 1  # the person; all of the atom are in the same cells
        return self._least_undone(used)

    def _least_undone(self, used: Ints) -> int:
        """The same, where so many records of each tuple are used."""
        least = self.known
        if self.share is None:
            return least
        for row in self.cover.labels:
            inside = row >= 0
            inner = np.bincount(row[inside], weights=used[inside])
            sizes = np.bincount(row[inside], weights=self.cover.counts[inside])
            share = self.share
            capped = (min(int(n), math.ceil(share * int(size))) for n, size in zip(inner, sizes, strict=True))
            least = min(least, int(used[~inside].sum()) + sum(capped))
        return least

    def _covering(self, topic: _Topic, target: int) -> frozenset[int]:
        """The quantities of the topic in which the person is counted."""
        parts = self.cover.part_of[list(topic.places)]
        inside = self.cover.labels[parts, target] >= 0
        return frozenset(q for q, here in zip(topic.quantity, inside.tolist(), strict=True) if here)

    def _packer(self, topic: _Topic, change: Vector) -> Packer:
        """For the figures that the change moves; topics with the same tables share it."""
        return self._packer_of([p for p, q in zip(topic.places, topic.quantity, strict=True) if change[q]])

    def _packer_of(self, moved: Sequence[int]) -> Packer:
        """For these figures."""
        first = {int(self.cover.part_of[place]): place for place in reversed(moved)}
        key = tuple(sorted(first))
        if key not in self._packers:
            frame = self.docket.frame.columns
            looks = [self.cover.figures[first[part]] for part in key]
            seen = [
                frozenset(frame.index(name) for name in {*figure.by, *figure.where.columns} if name in frame)
                for figure in looks
            ]
            self._packers[key] = Packer.of(self.cover, self._coded(), key, seen)
        return self._packers[key]

    def _coded(self) -> Ints:
        """The tuples as numbers, one row a column."""
        if not self._codes:
            rows = []
            for place in range(len(self.docket.frame.columns)):
                found: dict[object, int] = {}
                keys = [(isinstance(row[place], bool), row[place]) for row in self.cover.tuples]
                rows.append([found.setdefault(key, len(found)) for key in keys])
            shape = (len(self.docket.frame.columns), len(self.cover.tuples))
            self._codes.append(np.array(rows, dtype=np.int64).reshape(shape))
        return self._codes[0]

    def _all_topics(self) -> Sequence[_Topic]:
        if not self._topics:
            told = self.cover.told
            groups = self.docket.records.linked([figure for figure in told if figure.confidential(self.docket.columns)])
            self._topics.extend(self._topic(group) for group in groups)
        return self._topics

    def _topic(self, group: Sequence[Figure]) -> _Topic:
        """Each record's law of what it adds to the quantities of these figures, by what the beliefs look at."""
        quantity = {id(figure): place for place, figure in enumerate(group)}
        ids = [quantity.get(id(self.cover.told[q]), -1) for q in self.cover.quantity_of.tolist()]
        places = tuple(place for place, at in enumerate(ids) if at >= 0)
        adding = self.docket.records.adding(group)
        laws: dict[tuple[object, ...], int] = {}
        found: list[Masses] = []
        looks: dict[tuple[int, Parts], int] = {}
        parts: dict[bytes, Parts] = {}
        inside = self.cover.labels[self.cover.part_of[list(places)]] >= 0
        look_of = np.zeros(len(self.cover.tuples), dtype=np.int64)
        for at, cell in enumerate(self.cover.tuples):
            key = adding.key(cell)
            if key not in laws:
                laws[key] = len(found)
                found.append(dict(adding.law(cell, least=adding.estimated)))
            covered = inside[:, at].tobytes()
            if covered not in parts:
                seen = sorted({ids[place] for place, here in zip(places, inside[:, at], strict=True) if here})
                mine = self.docket.records.linked([group[q] for q in seen])
                parts[covered] = tuple(tuple(quantity[id(figure)] for figure in part) for part in mine)
            look_of[at] = looks.setdefault((laws[key], parts[covered]), len(looks))
        quantities = tuple(ids[place] for place in places)
        return _Topic(places, quantities, adding.domain, tuple(found), tuple(looks), look_of)


def _joined(some: Sequence[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    """Several lists of weights, and how often each is used, as one."""
    weights, times = zip(*some, strict=True)
    return np.concatenate(weights), np.concatenate(times)


def _key(curve: Curve) -> bytes:
    """Equal for equal coins only; of nothing else is there more than one kind."""
    return curve.key if isinstance(curve, CoinsCurve) else b""


def short_rate(rate: float, digits: int = RATES) -> float:
    """A rate near it of few binary digits, which a certificate can state exactly.

    >>> short_rate(1 / 3), short_rate(1 - 1e-6) < 1
    (0.33349609375, True)
    """
    if rate > 0.5:
        return 1 - short_rate(1 - rate, digits)
    part, power = math.frexp(rate)
    return math.ldexp(round(part * digits) / digits, power)


def close_rate(downs: float, ups: float) -> float:
    """The rate at which most of these records are coins, so many of which are at either end of a change."""
    return short_rate(min(max(ups / (ups + downs), 1e-6), 1 - 1e-6), CLOSE)
