"""The judge: a group of people, a secret and a target to a certified δ, with the route by which it was found.

Bounds come in the order of what they cost, and it stops where one of them is enough: noise that hides a record by
itself; coins inside the records; the law of the one number, or the joint law of all of them; independent parts of a
record, composed. Where two of them hold, the smaller upper end counts.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.answers import (
    EVERYTHING,
    NOTHING,
    Answer,
    BoundedBy,
    Crowded,
    Inquiry,
    LinkedRecords,
    Proved,
    SurePart,
)
from dalenius.beliefs.belief import Marginals
from dalenius.beliefs.crowd import Crowd, crowd_of
from dalenius.beliefs.interpreter import interpret
from dalenius.beliefs.worst import Push, WorstCurve
from dalenius.claims import Witness
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.secret import Facts, Pair, Secret, Value, hides_presence, pairs, wide
from dalenius.facts.statistics import Sum
from dalenius.judge.group import Believed, Group, Laws, Others, Rows, first_noise, records_told
from dalenius.judge.noise import REVEALED, Difference, NoiseAlone, differences, profiles_of
from dalenius.mechanisms import Chain, DiscreteGaussian, Mechanism
from dalenius.mechanisms.compared import comparison
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Constant, Curve, Enclosed, Supremum

if TYPE_CHECKING:
    from dalenius.facts.records import Label
    from dalenius.judge.witness import Telling

EXACT = Chain(())
ANSWERS = 2  # that a coin keeps or flips
NO_FACTS = Facts(())  # several numbers: an answer says itself what a person may add to them
COINS = "by the coins inside the records"
PUBLIC = "the number of persons is published, and it changes by one with the person's presence"
WIDE = 50  # values of a part of a record from which on parts are composed only where a simpler bound does not pass,
FEW = Fraction(1, 1000)  # and below which only where it is not that part of what is enough

LAW = "law of the number"
DICE = "noise, whatever the other records are"
JOINT = "joint law of the numbers"
PARTS = "independent parts, composed"
SHARED = "independent parts, an equal share of epsilon each"
OPEN = "worst of the laws left open"
INSIDE = "coins inside the records"
NOISE = "noise alone"
ONCE = "one sum with less noise, once"
LARGEST = "where the largest count is about to change"
ORDER = "law of the value in order"
MODELS = "where another model is about to be the likeliest"
SURE = "whoever is there shows for sure"


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """A certified δ, how it was found, in words and by which route; `ways`: the moves on which it rests, if any."""

    delta: Bracket
    because: str
    route: str = ""
    ways: tuple[Any, ...] = field(default=(), compare=False, repr=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Judges groups; equal questions are answered once."""

    secret: Secret
    epsilon: Fraction
    enough: Fraction
    close: bool = True  # whether probabilities that are left open are searched for the worst, which takes a while
    decides: bool = True  # whether a search may stop once it is decided whether δ is enough
    _known: dict[tuple[object, ...], Curve] = field(default_factory=dict, repr=False, init=False)
    _together: dict[tuple[object, ...], Bracket] = field(default_factory=dict, repr=False, init=False)
    _crowds: dict[Laws, Crowd] = field(default_factory=dict, repr=False, init=False)
    _facts: dict[tuple[tuple[int, ...], ...], Facts] = field(default_factory=dict, repr=False, init=False)
    _apart: dict[Rows, tuple[tuple[Difference, ...], ...]] = field(default_factory=dict, repr=False, init=False)
    _noises: dict[tuple[object, ...], NoiseAlone] = field(default_factory=dict, repr=False, init=False)
    _less: list["Judge"] = field(default_factory=list, repr=False, init=False)

    @property
    def presence(self) -> bool:
        """Whether absence is one of the facts about a person: it adds nothing to any figure."""
        return hides_presence(self.secret)

    def at(self, epsilon: Fraction) -> "Judge":
        """The same judge at another epsilon, with all that is remembered: laws and curves hold at every epsilon.

        (`dataclasses.replace` forgets it, since what is remembered depends on everything else.)
        """
        return self._remembering(replace(self, epsilon=epsilon), ("_known", "_together"))

    def less_close(self) -> "Judge":
        """The same judge, who bounds probabilities that are left open by what all of them share, and searches no more:
        quick, and enough for how numbers move with assumptions.
        """
        if not self.close:
            return self
        if not self._less:
            self._less.append(self._remembering(replace(self, close=False), ()))
        return self._less[0]

    def afresh(self) -> "Judge":
        """The same judge, who forgets what was judged, which takes room, and remembers what it was made of."""
        return self._remembering(replace(self), ())

    def _remembering(self, other: "Judge", more: tuple[str, ...]) -> "Judge":
        for name in ("_crowds", "_facts", "_apart", "_noises", *more):
            object.__setattr__(other, name, getattr(self, name))
        return other

    # -- groups --------------------------------------------------------------------------------------------------------

    def judged(self, group: Group, *, quick: bool = False) -> Judgement:
        """All the numbers that cover the group, at once: as exact ones, or if all are noisy as differential privacy.
        `quick`: only as closely as is needed to see whether it passes.
        """
        if len(group.release) == 1:
            try:
                found = self.single(group, quick=quick)
            except (InputError, PreconditionError):
                noisy = self.noise_alone(group)
                if noisy > self.enough:
                    raise
                words = f"{records_told(group.size, group.known)}; its noise alone hides a record"
                return Judgement(Bracket(0.0, noisy), words, NOISE)
            noisy = 1.0 if found.delta.upper <= self.enough else self.noise_alone(group)
            words, lower = f"{found.because}; its noise alone hides a record", found.delta.lower
        else:
            many = len(group.release)
            words = f"{many} noisy figures about the same {group.size} records, composed as differential privacy"
            if self.pure(group) <= self.epsilon:
                return Judgement(Bracket(0.0, 0.0), words, NOISE)
            found = self._repeated(group) or self._as_exact(group, quick=quick)
            if group.alone and group.compared:
                return self._largest(group, found, quick=quick)
            noisy, lower = self.noise_alone(group), 0.0
        if noisy >= found.delta.upper:
            return found
        return Judgement(Bracket(min(lower, noisy), noisy), words, NOISE)

    def passes(self, group: Group) -> bool:
        """Whether δ of the group is certainly small enough. Parts of a record that are independent are not composed if
        one of them tells too much by itself, or if all tell little enough at an equal share of ε each.
        """
        if self.pure(group) <= self.epsilon:
            return True
        if self.roughly(group) <= self.enough:
            return True
        if self.noise_alone(group) <= self.enough:
            return True
        parts = [] if len(group.release) == 1 or self.certain(group) else self.curves(group)
        if parts and self._simply(parts) <= self.enough:
            return True
        return self.judged(group, quick=True).delta.certainly_at_most(self.enough)

    def roughly(self, group: Group) -> Fraction:
        """A bound on δ that costs next to nothing, as if all numbers of the group were exact; 1 if there is none."""
        if self.certain(group):
            return Fraction(1)
        return self._share(self.curves(group), lambda curve, at: curve.roughly(at))

    def heavy(self, group: Group) -> bool:
        """Whether the law of what the group's records add up to is so long that a rough bound has to do."""
        return any(curve.heavy for curve in self.curves(replace(group, known=0)))

    def certain(self, group: Group) -> str:
        """A plain count of persons tells for sure whether one of them is there."""
        plain = any(isinstance(others, Laws) and others.plain for others in group.others)
        return PUBLIC if self.presence and plain else ""

    def crowd(self, group: Group) -> tuple[object, ...] | None:
        """What the verdict about a group of exact numbers depends on but for its size: more records of one law hide
        better. Two columns of one law differ where less is compared of one of them, or a coin answered for it. None
        where records differ, or where their laws are only known in part: then how much is known of each counts too.
        """
        if any(not isinstance(one, Laws) or len(one.types) != 1 or one.least for one in group.others):
            return None
        laws = [one for one in group.others if isinstance(one, Laws)]
        return tuple((one.types[0][0], one.domain, one.changes, one.answered) for one in laws)

    def whole(self, group: Group) -> Curve:
        """δ(ε) of all numbers of the group: of one number after its channel, of several as if they were exact."""
        if self.certain(group):
            return Constant(1.0)
        if len(group.release) == 1:
            return self.curve(group.others[0], group.known, own(group.release[0], alone=group.alone))
        return composed(self.curves(group))

    def route(self, group: Group) -> str:
        """By which theorem `whole` speaks."""
        if self.certain(group):
            return SURE
        if len(group.release) == 1:
            return self._route(group.others[0])
        return JOINT if len(group.others) == 1 else PARTS

    def _route(self, others: Others) -> str:
        match others:
            case Believed():
                return DICE if others.everybody else others.belief.route
            case Laws(least=least) if least:
                return OPEN
            case _:
                return LAW

    def curves(self, group: Group) -> list[Curve]:
        """One for each independent part of a record, as if all numbers were exact."""
        judge = self if len(group.others) == 1 else self.less_close()  # composing takes many places of each curve
        return [judge.curve(others, group.known, EXACT) for others in group.others]

    # -- one number ----------------------------------------------------------------------------------------------------

    def single(self, group: Group, *, quick: bool = False) -> Judgement:
        """A group with one number; its rounding counts only if it covers nobody else. `quick`: only as closely as is
        needed to see whether it passes.
        """
        (others,), (published,) = group.others, group.release
        channel, plain = own(published, alone=group.alone), self.certain(group)
        if plain and channel.exact:
            return Judgement(Bracket(1.0, 1.0), plain, SURE)
        if plain and not first_noise(channel).random:
            words = f"{plain}; rounding hides that only if the number is known beforehand"
            return Judgement(Bracket(0.0, 1.0), words, SURE)
        curve = self.curve(others, group.known, channel)
        rough = isinstance(others, Laws) and curve.heavy and curve.roughly(self.epsilon) <= self.enough * FEW
        if rough:
            delta = Bracket(0.0, curve.roughly(self.epsilon))
        else:
            delta = self._processed(others, group.known, channel, quick=quick)
        left_open = isinstance(others, Laws) and bool(others.least)
        taken = "; taken as exact, since the number covers others too" if channel != published else ""
        if isinstance(others, Laws) and others.unknown:
            taken += "; nothing is assumed of their values, so that all others may be certain"
        elif left_open:
            taken += "; worst over all probabilities that are left open"
        how = f"; {COINS}" if rough else ""
        route = INSIDE if rough else self._route(others)
        return Judgement(delta, f"{records_told(group.size, group.known)}{taken}{how}", route)

    def _processed(self, others: Others, known: int, channel: Chain, *, quick: bool) -> Bracket:
        """δ after the channel. What rolls no dice is a function of what it is given: wherever the known records put the
        total, it tells no more. So the bound without it holds too, and is the smaller one where δ is tiny.
        """
        curve = self.curve(others, known, channel)
        delta = curve.delta_until(self.epsilon, self.enough) if quick else curve.delta(self.epsilon)
        if not channel.links or channel.links[-1].random or channel.choice is not None or channel.hides:
            return delta
        before = self._processed(others, known, Chain(channel.links[:-1]), quick=quick)
        return Bracket(min(delta.lower, before.upper), min(delta.upper, before.upper))

    def witness(self, group: Group, telling: "Telling") -> Witness | None:
        """The event by which the one number of a group tells two facts about a record apart. Where laws are left open
        it is named if the stated ones, too, tell more than is wanted; what the worst of them tell has no event of its
        own.
        """
        (others,), (published,) = group.others, group.release
        if isinstance(others, Laws) and others.answered is not None:
            return None  # an event tells published answers apart
        if published.hides and group.alone:
            from dalenius.judge.hidden import hidden_witness

            return hidden_witness(self, others, group.known, published, telling)
        stated = others.stated if isinstance(others, Laws) and not others.unknown else others
        curve = self.curve(stated, group.known, own(published, alone=group.alone))
        if stated != others and not curve.delta(self.epsilon).certainly_above(self.enough):
            return None
        if isinstance(curve, WorstCurve):
            from dalenius.judge.witness import witness

            return witness(curve, self.epsilon, telling)
        from dalenius.beliefs.wide import WideCurve
        from dalenius.judge.resonance import wide_witness

        return wide_witness(curve, self.epsilon, telling) if isinstance(curve, WideCurve) else None

    # -- noise ---------------------------------------------------------------------------------------------------------

    def pure(self, group: Group) -> float | Fraction:
        """The epsilon from which on the numbers' noise hides a record completely: of each pair of facts the sum over
        the numbers in which they differ, then the worst pair. Infinite if it never does.
        """
        pure = self.noise(group).pure()
        return math.inf if pure is None else pure

    def noise_alone(self, group: Group) -> float:
        """A bound on δ by independent noise on every number, which hides a record whatever is known and believed of the
        others; 1 if a pair of facts differs in a number that does not begin with noise.

        (Rounding after noise is post-processing, but rounding alone hides nothing.)
        """
        return self.noise(group).upper(self.epsilon)

    def noise(self, group: Group) -> NoiseAlone:
        """What the noise of all these numbers hides by itself, pair of facts by pair of facts."""
        if not group.rows:
            return REVEALED
        key = (group.rows, tuple(map(first_noise, group.release)))
        if key not in self._noises:
            apart = [self.apart(rows) for rows in group.rows]
            noises = [[first_noise(group.release[number]) for number in rows.numbers] for rows in group.rows]
            worlds = (tuple(map(profiles_of, some, noises)) for some in zip(*apart, strict=True))
            self._noises[key] = NoiseAlone(tuple(worlds))
        return self._noises[key]

    def apart(self, rows: Rows) -> tuple[tuple[Difference, ...], ...]:
        """By how much two facts about a person may differ in linked numbers: two values, and where presence is secret
        also a value and absence. Of too many rows: as if one pair of facts differed most everywhere.
        """
        if rows not in self._apart:
            self._apart[rows] = self._fresh_apart(rows)
        return self._apart[rows]

    def _fresh_apart(self, rows: Rows) -> tuple[tuple[Difference, ...], ...]:
        if not rows.vectors:
            most = tuple((place, far) for place, far in enumerate(rows.reach) if far)
            return ((most,), (most,)) if self.presence else ((most,),)
        values = differences(rows.vectors, rows.vectors)
        absent = [(0,) * len(rows.numbers)]
        return (values, differences(rows.vectors, absent)) if self.presence else (values,)

    # -- several numbers -----------------------------------------------------------------------------------------------

    def _as_exact(self, group: Group, *, quick: bool) -> Judgement:
        plain = self.certain(group)
        if plain:
            return Judgement(Bracket(1.0, 1.0), plain, SURE)
        curves = self.curves(group)
        hidden = any(channel.hides for channel in group.release)
        blurs = "noise, rounding and hiding" if hidden else "noise and rounding"
        blurred = f" ({blurs} are not counted)" if group.blurred else ""
        words = f"{len(group.release)} figures about the same {group.size} records, taken as exact{blurred}"
        if any(curve.heavy for curve in curves):
            rough = around(Fraction(0), self._share(curves, lambda curve, at: curve.roughly(at)))
            if rough.certainly_at_most(self.enough * FEW):
                return Judgement(rough, f"{words}, {COINS}", INSIDE)
        if quick and len(curves) > 1 and any(curve.delta(self.epsilon).upper > self.enough for curve in curves):
            return Judgement(Bracket(0.0, 1.0), words, PARTS)
        if len(curves) > 1:
            simple = around(Fraction(0), self._simply(curves))
            long = any(isinstance(one, Laws) and len(one.domain) > WIDE for one in group.others)
            if simple.certainly_at_most(self.enough * (1 if long else FEW)):
                return Judgement(simple, f"{words}, at an equal share of epsilon each", SHARED)
        about = (group.others, group.known)
        if about not in self._known:
            self._known[about] = composed(curves)
        key = (*about, self.epsilon)
        if key not in self._together:
            self._together[key] = self._known[about].delta(self.epsilon)
        return Judgement(self._together[key], words, JOINT if len(curves) == 1 else PARTS)

    def _simply(self, curves: Sequence[Curve]) -> Fraction:
        """A bound of δ for independent parts of a record: the sum of theirs, at an equal share of ε each."""
        return self._share(curves, lambda curve, at: curve.delta(at).upper)

    def _share(self, curves: Sequence[Curve], bound: Callable[[Curve, Fraction], float]) -> Fraction:
        live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
        share = self.epsilon / max(1, len(live))
        return sum((Fraction(bound(curve, share)) for curve in live), Fraction(0))

    def _repeated(self, group: Group) -> Judgement | None:
        """One sum with discrete Gaussian noise, several times: with less noise, once. None if it is not that.

        The other people whom a number covers are constants here, as everything outside the group is.
        """
        noises = [first_noise(channel) for channel in group.release]
        plain = [noise for noise in noises if isinstance(noise, DiscreteGaussian)]
        if len(plain) < len(noises) or len(group.others) > 1 or not group.repeats or self.certain(group):
            return None
        from dalenius.mechanisms.repeated import repeated

        ways, (others,) = repeated(plain), group.others
        if ways is None or not isinstance(others, Laws) or len(others.domain[0]) != 1:
            return None
        curve = Supremum(tuple(self.curve(others, group.known, way) for way in ways))
        words = f"{len(noises)} noisy figures of one sum of {group.size} records, as one with less noise"
        return Judgement(Bracket(0.0, curve.delta(self.epsilon).upper), words, ONCE)

    def _largest(self, group: Group, shown: Judgement, *, quick: bool) -> Judgement:
        """Which of several counts is the largest, a value in order, or a model: no more than the counts would tell."""
        if quick and shown.delta.certainly_at_most(self.enough):
            return replace(shown, delta=Bracket(0.0, shown.delta.upper))
        key = (group.others, group.known, group.release, self.epsilon)
        link = comparison(group.release[0].links)
        in_order = link is not None and link.at is not None
        models = () if link is None else link.models
        if key not in self._together:
            if models:
                from dalenius.judge.models import models_curve

                curve = models_curve(group, self.enough, presence=self.presence)
            elif in_order:
                from dalenius.judge.order import order_curve

                curve = order_curve(group, presence=self.presence)
            else:
                from dalenius.judge.hidden import largest_curve

                curve = largest_curve(group, self.epsilon, self.enough, presence=self.presence)
            self._together[key] = Bracket(0.0, 1.0) if curve is None else curve.delta(self.epsilon)
        found = self._together[key]
        words = f"which of {len(group.release)} counts of {group.size} records is the largest"
        if in_order:
            words = f"one of {len(group.release)} values by its place among {group.size} records in order"
        if models:
            words = f"which of {len(models)} models {group.size} records speak for"
        route = MODELS if models else ORDER if in_order else LARGEST
        upper = min(found.upper, shown.delta.upper)
        return Judgement(Bracket(min(found.lower, upper), upper), words, route)

    # -- what others are believed to be, as curves ---------------------------------------------------------------------

    def curve(self, others: Others, known: int, channel: Push) -> Curve:
        """δ(ε) of numbers after a channel, worst over pairs of facts and which records are known."""
        key = (others, known, channel)
        if key not in self._known:
            self._known[key] = self._fresh(others, known, channel)
        return self._known[key]

    def _fresh(self, others: Others, known: int, channel: Push) -> Curve:
        match others:
            case Laws(domain=(first, *_), changes=changes) if not first or changes == ():
                return interpret(NOTHING, Inquiry(NO_FACTS, channel, known))
            case Laws(answered=keep) if keep is not None:
                from dalenius.numerics.answered import ThroughCoin

                found = self.curve(replace(others, answered=None), known, channel)
                plain = len(others.domain) == ANSWERS and others.changes is None and not self.presence
                return ThroughCoin(found, keep, attained=not known) if plain else Enclosed(Constant(0.0), found)
            case _ if isinstance(channel, Chain) and channel.hides:
                from dalenius.judge.hidden import hidden_curve

                return hidden_curve(self, others, known, channel)
            case Laws(unknown=True):
                asked = Inquiry(self._facts_of(others), channel, others.size - 1, self.enough)
                worst = self._stated(others.evenly)
                if others.attained:
                    return interpret(worst, asked)
                estimate = Proved(self.curve(others.stated, known, channel), LAW)
                return interpret(BoundedBy((worst,), (estimate,)), asked)
            case Laws():
                asked = Inquiry(self._facts_of(others), channel, known, self.enough)
                return interpret(self._left_open(others, asked) if others.least else self._stated(others), asked)
            case Believed():
                asked = Inquiry(others.facts, channel, known, self.enough if self.decides else None)
                return interpret(self._believed(others, asked), asked)
            case _:
                raise TypeError(f"a group has laws or a belief, but got {type(others).__name__}")

    def _stated(self, laws: Laws) -> Answer:
        """Independent records of stated laws: one number, or several at once."""
        if len(laws.domain[0]) > 1:
            return LinkedRecords(laws.laws, laws.counts, laws.domain, self.presence)
        if laws not in self._crowds:
            each = [{vector[0]: chance for vector, chance in law.items()} for law in laws.laws]
            self._crowds[laws] = crowd_of(each, laws.counts)
        return Crowded(self._crowds[laws], decided=False)

    def _left_open(self, laws: Laws, asked: Inquiry) -> Answer:
        """The worst of all laws that are left open: at least that of the estimate, at most what all of them share."""
        estimate = Proved(self.curve(laws.stated, asked.known, asked.channel), LAW)
        one = len(laws.domain[0]) == 1
        if self.close and one and len(laws.least) == 1 and any(chance for _, chance in laws.least[0][0]):
            whole = self._class(laws, asked)
            return BoundedBy((whole,), (whole, estimate) if laws.attained else (estimate,))
        sure = SurePart(laws.least) if one else SurePart(laws.least, laws.domain, self.presence)
        return BoundedBy((sure,), (estimate,))

    def _class(self, laws: Laws, asked: Inquiry) -> Answer:
        """One number, of records that all contain the same law: the class of laws that Python calls `AtLeast`."""
        from dalenius.beliefs.at_least import AtLeast  # most questions need none of it

        masses, n = laws.least[0]
        weight = sum((chance for _, chance in masses), Fraction(0))
        adds = tuple(vector[0] for vector in laws.domain)
        component: dict[Label | Fraction, float | str | Fraction] = {v[0]: chance / weight for v, chance in masses}
        return AtLeast(component, weight=weight, n=n, known=asked.known, domain=adds).answer(Sum(), asked)

    def _believed(self, others: Believed, asked: Inquiry) -> Answer:
        """A belief of any kind about the records of one number."""
        from dalenius.judge.definition import DifferentialPrivacy

        statistic = others.statistic
        if isinstance(others.definition, DifferentialPrivacy):
            crowd = others.definition.belief.crowd(statistic)
            every = frozenset(statistic.contribution(value) for value in others.belief.domain())
            return Crowded(crowd, known=0, others=every, adds=frozenset())
        return others.belief.answer(statistic, asked)

    def chosen(self, others: Believed, known: int, channel: Chain) -> Curve:
        """δ(ε) of a choice, by what is believed of all records."""
        asked = Inquiry(others.facts, channel, known, self.enough if self.decides else None)
        return interpret(self._chosen(others, known, channel), asked)

    def _chosen(self, others: Believed, known: int, channel: Chain) -> Answer:
        """A choice. Under differential privacy it is at least as safe as the noisy figure that it is a function of."""
        from dalenius.mechanisms.choice import ThresholdChoice
        from dalenius.mechanisms.chosen import chosen_curve

        if not others.everybody:
            mechanism = Mechanism(others.statistic, channel.links)
            found = chosen_curve(mechanism, others.belief, others.definition.secret, known=known)
            return Proved(found, "where the total is within one record of a change")
        before = Chain(channel.links[:-1])
        by_total = isinstance(channel.choice, ThresholdChoice) or isinstance(others.definition.secret, Value)
        if not (before.random and by_total):
            return BoundedBy((EVERYTHING,))
        return BoundedBy((Proved(self.curve(others, known, before), DICE),))

    def crowd_of(self, others: Others) -> Crowd | None:
        """The independent records behind one number; None if they are none, or nothing is known of their laws."""
        match others:
            case Laws(unknown=True):
                return None
            case Laws():
                stated = self._stated(others.stated)
                return stated.crowd if isinstance(stated, Crowded) else None
            case Believed() if isinstance(others.belief, Marginals) and not others.everybody:
                return others.belief.crowd(others.statistic)
            case _:
                return None

    def _facts_of(self, laws: Laws) -> Facts:
        """What the secret says about what one person adds to one number. Where presence is secret the sizes are only
        lower bounds, so that what is rounded may stand anywhere; and so it may where only some facts are compared,
        which are told by how far they are apart.
        """
        domain = laws.domain
        if len(domain[0]) > 1:
            return NO_FACTS
        if laws.changes is not None:
            both = tuple(pair for far in laws.changes for pair in (Pair(0, far), Pair(far, 0)))
            return Facts(both, anywhere=True, adds=frozenset(vector[0] for vector in domain))
        if domain not in self._facts:
            adds = tuple(vector[0] for vector in domain)
            both = tuple(pairs(self.secret, adds))
            self._facts[domain] = Facts(both, wide(adds) or self.presence, self.presence, adds=frozenset(adds))
        return self._facts[domain]


def own(channel: Chain, *, alone: bool) -> Chain:
    """What of a channel protects a group: noise always, what rolls no dice only where the number covers nobody else."""
    return channel if alone or not channel.folds else EXACT


def composed(curves: Sequence[Curve]) -> Curve:
    """Independent parts of a record, all at once. The belief has the columns of one part independent of those of every
    other, so that the laws of what they show multiply.
    """
    live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
    if not live:
        return Constant(0.0)
    if any(isinstance(curve, Constant) for curve in live):
        return Constant(1.0)
    return live[0] if len(live) == 1 else compose([(curve, 1) for curve in live], about="independent columns")
