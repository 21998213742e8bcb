"""How much the published numbers reveal about one person of an atom: the joint law of all that the person adds to."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.beliefs.at_least import AtLeast
from dalenius.beliefs.belief import crowd_of
from dalenius.beliefs.crowd import Crowd
from dalenius.beliefs.joint import sure_parts
from dalenius.beliefs.linked import LinkedCurve
from dalenius.beliefs.worst import Push, WorstCurve, distances
from dalenius.contributions import Adding, Records, Vector, linked
from dalenius.errors import InputError
from dalenius.figures import ColumnBelief, Figure, Frame
from dalenius.guarantees import Witness
from dalenius.guarantees.witness import Telling, witness
from dalenius.history import Atom
from dalenius.kinds import Kind, kind_of
from dalenius.mechanisms import Chain, Channel, DiscreteGaussian, Exact, Rounded
from dalenius.mechanisms.repeated import repeated
from dalenius.noise import REVEALED, Difference, NoiseAlone, differences, profiles_of
from dalenius.numerics.bracket import Bracket, around
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Between, Charged, Constant, Curve, Supremum
from dalenius.numerics.mixing import Guarded
from dalenius.packing import Way
from dalenius.records import Column, Label
from dalenius.secret import Facts, Pair, PresenceOnly, Secret, Within, hides_presence, pairs, wide
from dalenius.statistics import Sum

PairsOfFacts: TypeAlias = tuple[tuple[Pair, ...], tuple[int, ...]]  # pairs of facts, and how far they are apart
EXACT = Chain(())
COINS = "by the coins inside the records"
NOBODY = Atom((), ())
WIDE = 50  # values of a part of a record from which on parts are composed only where a simpler bound does not pass,
FEW = Fraction(1, 1000)  # and below which only where it is not that part of what is enough


def records_told(size: int, known: int) -> str:
    """How many records a group has, and how many of them the attacker could know, at worst.

    >>> records_told(61, 60), records_told(61, 5), records_told(1, 0)
    ('61 records, of which the attacker could know all but one', '61 records, of which the attacker could know 5', \
'1 record, which the attacker does not know')
    """
    if size == 1:
        return "1 record, which the attacker does not know"
    some = "none" if not known else "all but one" if known == size - 1 else str(known)
    return f"{size} records, of which the attacker could know {some}"


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """A certified δ and how it was found; `ways`: the moves on which it rests, if it does."""

    delta: Bracket
    because: str
    ways: tuple[Way, ...] = field(default=(), compare=False, repr=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Judges atoms; equal kinds of atoms are judged once."""

    columns: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    frame: Frame
    secret: Secret
    epsilon: Fraction
    enough: Fraction
    close: bool = True  # whether probabilities that are left open are searched for the worst, which takes a while
    _known: dict[tuple[object, ...], Curve] = field(default_factory=dict, repr=False, init=False)
    _together: dict[tuple[tuple[Kind, ...], int, Fraction], Bracket] = field(
        default_factory=dict, repr=False, init=False
    )
    _kinds: dict[tuple[object, ...], Kind] = field(default_factory=dict, repr=False, init=False)
    _added: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _whole: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _crowds: dict[Kind, Crowd] = field(default_factory=dict, repr=False, init=False)
    _facts: dict[tuple[int, ...], PairsOfFacts] = field(default_factory=dict, repr=False, init=False)
    _rows: dict[tuple[Figure, ...], tuple[Vector, ...]] = field(default_factory=dict, repr=False, init=False)
    _apart: dict[tuple[Figure, ...], tuple[tuple[Difference, ...], ...]] = field(
        default_factory=dict, repr=False, init=False
    )
    _noises: dict[tuple[Figure, ...], NoiseAlone] = field(default_factory=dict, repr=False, init=False)
    _less: list["Judge"] = field(default_factory=list, repr=False, init=False)
    records: Records = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", Records(self.columns, self.beliefs, self.frame))
        if isinstance(self.secret, Within | PresenceOnly):
            raise InputError(
                "Figures together are judged for the value of a record, or for its value and its presence, but got "
                f"{self.secret}. Hide Value() or Presence(), or judge each figure by itself with verify(...)."
            )

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

    def _remembering(self, other: "Judge", more: tuple[str, ...]) -> "Judge":
        laws = ("_kinds", "_added", "_whole", "_crowds", "_facts", "_rows", "_apart", "_noises", "records")
        for name in (*laws, *more):
            object.__setattr__(other, name, getattr(self, name))
        return other

    def told(
        self, kinds: Mapping[tuple[object, ...], Kind], rows: Mapping[tuple[Figure, ...], tuple[Vector, ...]]
    ) -> "Judge":
        """The judge, with kinds that are stated instead of derived: by an atom's groups and the figures. `rows`: what
        one record may add to linked figures, all at once.
        """
        self._kinds.update(kinds)
        self._rows.update({tuple(map(_exactly, figures)): some for figures, some in rows.items()})
        return self

    def atom(self, atom: Atom, known: int, *, alone: bool, quick: bool = False) -> Judgement:
        """All the numbers that cover the atom, at once: as exact ones, or if all are noisy as differential privacy.
        `quick`: only as closely as is needed to see whether it passes.
        """
        figures = [entry.figure for entry in atom.entries]
        if len(figures) == 1:
            judged = self.single(atom, figures[0], known, alone=alone, quick=quick)
            noisy = 1.0 if judged.delta.upper <= self.enough else self.noise_alone(figures)
            words, lower = f"{judged.because}; its noise alone hides a record", judged.delta.lower
        else:
            words = f"{len(figures)} noisy figures about the same {atom.size} records, composed as differential privacy"
            if self.pure(figures) <= self.epsilon:
                return Judgement(Bracket(0.0, 0.0), words)
            judged = self._repeated(atom, figures, known) or self._as_exact(atom, figures, known, quick=quick)
            noisy, lower = self.noise_alone(figures), 0.0
        if noisy >= judged.delta.upper:
            return judged
        return Judgement(Bracket(min(lower, noisy), noisy), words)

    def passes(self, atom: Atom, known: int, *, alone: bool) -> bool:
        """Whether δ of the atom is certainly small enough. Parts of a record that are independent are not composed if
        one of them tells too much by itself, or if all tell little enough at an equal share of ε each.
        """
        figures = [entry.figure for entry in atom.entries]
        if self.pure(figures) <= self.epsilon:
            return True
        if self.roughly(atom, known) <= self.enough:
            return True
        if self.noise_alone(figures) <= self.enough:
            return True
        parts = [] if len(figures) == 1 or self.certain(figures) else self._curves(self._kinds_of(atom), known)
        if parts and self._simply(parts) <= self.enough:
            return True
        return self.atom(atom, known, alone=alone, quick=True).delta.certainly_at_most(self.enough)

    def roughly(self, atom: Atom, known: int) -> Fraction:
        """A bound on δ of the atom that costs next to nothing, as if all its figures were exact; 1 if there is none."""
        if self.certain([entry.figure for entry in atom.entries]):
            return Fraction(1)
        return self._share(self._curves(self._kinds_of(atom), known), lambda curve, at: curve.roughly(at))

    def heavy(self, atom: Atom) -> bool:
        """Whether the law of what the atom's records add up to is so long that a rough bound has to do."""
        return any(curve.heavy for curve in self._curves(self._kinds_of(atom), 0))

    def pure(self, figures: Sequence[Figure]) -> float | Fraction:
        """The epsilon from which on the figures' noise hides a record completely: of each pair of facts the sum over
        the numbers in which they differ, then the worst pair. Infinite if it never does.
        """
        pure = self.noise(figures).pure()
        return math.inf if pure is None else pure

    def noise_alone(self, figures: Sequence[Figure]) -> float:
        """A bound on δ by independent noise on every figure, which hides a record whatever is known and believed of the
        others; 1 if a pair of facts differs in a figure that does not begin with noise.

        (Rounding after noise is post-processing, but rounding alone hides nothing.)
        """
        return self.noise(figures).upper(self.epsilon)

    def move(self, figure: Figure) -> int:
        """How far one person can move the figure, in units; where presence is secret, also by being there at all."""
        ends = [vector[0] for vector in self.kind(NOBODY, [figure]).domain if vector] or [0]
        ends += [0] if self.presence else []
        return max(ends) - min(ends)

    def noise(self, figures: Sequence[Figure]) -> NoiseAlone:
        """What the noise of all these numbers hides by itself, pair of facts by pair of facts."""
        if any(not first_noise(figure.channel).random and self.move(figure) for figure in figures):
            return REVEALED  # there may be thousands of exact figures
        key = tuple(figures)
        if key not in self._noises:
            parts = linked(figures, self.columns)
            apart = [self.apart(part) for part in parts]
            noises = [[first_noise(figure.channel) for figure in part] for part in parts]
            worlds = (tuple(map(profiles_of, some, noises)) for some in zip(*apart, strict=True))
            self._noises[key] = NoiseAlone(tuple(worlds))
        return self._noises[key]

    def apart(self, figures: Sequence[Figure]) -> tuple[tuple[Difference, ...], ...]:
        """By how much two facts about a person may differ in linked figures: two values, and where presence is secret
        also a value and absence.
        """
        key = tuple(map(_exactly, figures))
        if key not in self._apart:
            self._apart[key] = self._fresh_apart(key)
        return self._apart[key]

    def _fresh_apart(self, figures: tuple[Figure, ...]) -> tuple[tuple[Difference, ...], ...]:
        try:
            rows = self._rows[figures] if figures in self._rows else self.records.adding(figures).domain
        except InputError:  # too many rows of several columns: as if one pair of facts differed most everywhere
            most = tuple((place, far) for place, figure in enumerate(figures) if (far := self.move(figure)))
            return ((most,), (most,)) if self.presence else ((most,),)
        values = differences(rows, rows)
        return (values, differences(rows, [(0,) * len(figures)])) if self.presence else (values,)

    def _as_exact(self, atom: Atom, figures: Sequence[Figure], known: int, *, quick: bool) -> Judgement:
        plain = self.certain(figures)
        if plain:
            return Judgement(Bracket(1.0, 1.0), plain)
        kinds = self._kinds_of(atom)
        curves = self._curves(kinds, known)
        blurred = "" if all(figure.channel.exact for figure in figures) else " (noise and rounding are not counted)"
        words = f"{len(figures)} figures about the same {atom.size} records, taken as exact{blurred}"
        if any(curve.heavy for curve in curves):
            rough = around(Fraction(0), self._share(curves, lambda curve, at: curve.roughly(at)))
            if rough.certainly_at_most(self.enough * FEW):
                return Judgement(rough, f"{words}, {COINS}")
        if quick and len(curves) > 1 and any(curve.delta(self.epsilon).upper > self.enough for curve in curves):
            return Judgement(Bracket(0.0, 1.0), words)
        if len(curves) > 1:
            simple = around(Fraction(0), self._simply(curves))
            if simple.certainly_at_most(self.enough * (1 if any(len(kind.domain) > WIDE for kind in kinds) else FEW)):
                return Judgement(simple, f"{words}, at an equal share of epsilon each")
        if (kinds, known) not in self._known:
            self._known[kinds, known] = composed(curves)
        key = (kinds, known, self.epsilon)
        if key not in self._together:
            self._together[key] = self._known[kinds, known].delta(self.epsilon)
        return Judgement(self._together[key], words)

    def _simply(self, curves: Sequence[Curve]) -> Fraction:
        """A bound of δ for independent parts of a record: the sum of theirs, at an equal share of ε each."""
        return self._share(curves, lambda curve, at: curve.delta(at).upper)

    def _share(self, curves: Sequence[Curve], bound: Callable[[Curve, Fraction], float]) -> Fraction:
        live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
        share = self.epsilon / max(1, len(live))
        return sum((Fraction(bound(curve, share)) for curve in live), Fraction(0))

    def _kinds_of(self, atom: Atom) -> tuple[Kind, ...]:
        """What the figures show of a record: parts that are independent of each other."""
        return tuple(self.kind(atom, group) for group in linked(atom.figures, self.columns))

    def _curves(self, kinds: Sequence[Kind], known: int) -> list[Curve]:
        judge = self if len(kinds) == 1 else self.less_close()  # composing takes many places of each curve
        return [judge.curve(kind, known, EXACT) for kind in kinds]

    def _repeated(self, atom: Atom, figures: Sequence[Figure], known: int) -> Judgement | None:
        """One sum with discrete Gaussian noise, several times: with less noise, once. None if it is not that.

        The other people whom a figure covers are constants here, as everything outside the atom is.
        """
        noises = [figure.channel.links[0] for figure in figures if figure.channel.links]
        plain = [noise for noise in noises if isinstance(noise, DiscreteGaussian)]
        if len(plain) < len(figures) or len(atom.figures) > 1 or self.certain(figures):
            return None
        ways = repeated(plain)
        kind = self.kind(atom, figures[:1])
        if ways is None or len(kind.domain[0]) != 1:
            return None
        curve = Supremum(tuple(self.curve(kind, known, way) for way in ways))
        words = f"{len(figures)} noisy figures of one sum of {atom.size} records, as one with less noise"
        return Judgement(Bracket(0.0, curve.delta(self.epsilon).upper), words)

    def single(self, atom: Atom, figure: Figure, known: int, *, alone: bool, quick: bool = False) -> Judgement:
        """One figure of the atom by itself; its rounding counts only if it covers nobody else. `quick`: only as closely
        as is needed to see whether it passes.
        """
        channel = _own(figure, alone=alone)
        plain = self.certain([figure])
        if plain and channel.exact:
            return Judgement(Bracket(1.0, 1.0), plain)
        if plain and not first_noise(channel).random:
            return Judgement(Bracket(0.0, 1.0), f"{plain}; rounding hides that only if the number is known beforehand")
        kind = self.kind(atom, [figure])
        curve = self.curve(kind, known, channel)
        rough = curve.heavy and curve.roughly(self.epsilon) <= self.enough * FEW
        delta = (
            Bracket(0.0, curve.roughly(self.epsilon)) if rough else self._processed(kind, known, channel, quick=quick)
        )
        taken = "; taken as exact, since the number covers others too" if channel != figure.channel else ""
        taken += "; worst over all probabilities that are left open" if kind.least else ""
        how = f"; {COINS}" if rough else ""
        return Judgement(delta, f"{records_told(atom.size, known)}{taken}{how}")

    def _processed(self, kind: Kind, known: int, channel: Chain, *, quick: bool) -> Bracket:
        """δ after the channel. Rounding is a function of what it rounds: wherever the known records put the total, it
        tells no more. So the bound without it holds too, and is the smaller one where δ is tiny.
        """
        curve = self.curve(kind, known, channel)
        delta = curve.delta_until(self.epsilon, self.enough) if quick else curve.delta(self.epsilon)
        if not channel.links or not isinstance(channel.links[-1], Rounded):
            return delta
        before = self._processed(kind, known, Chain(channel.links[:-1]), quick=quick)
        return Bracket(delta.lower, min(delta.upper, before.upper))

    def witness(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Witness | None:
        """The event by which one figure of the atom tells two facts about a record apart. Where laws are left open it
        is named if the stated ones, too, tell more than is wanted; what the worst of them tell has no event of its own.
        """
        kind = self.kind(atom, [figure])
        curve = self.curve(Kind(kind.types, kind.domain), known, _own(figure, alone=alone))
        if kind.least and not curve.delta(self.epsilon).certainly_above(self.enough):
            return None
        telling = Telling("the count" if figure.kind == "count" else "the total", figure.unit(self.columns))
        return witness(curve, self.epsilon, telling) if isinstance(curve, WorstCurve) else None

    def certain(self, figures: Sequence[Figure]) -> str:
        """A plain count of persons tells for sure whether one of them is there."""
        if self.presence and any(not figure.confidential(self.columns) for figure in figures):
            return "the number of persons is published, and it changes by one with the person's presence"
        return ""

    def kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        """The vectors that records add to the figures, by type: over all values of the columns that the figures use."""
        key = (atom.groups, *figures)
        if key not in self._kinds:
            self._kinds[key] = self._fresh_kind(atom, figures)
        return self._kinds[key]

    def _adding(self, figures: Sequence[Figure]) -> Adding:
        key = tuple(figures)
        if key not in self._added:
            self._added[key] = self._recorded(figures).independent(affine=not self.presence)
        return self._added[key]

    def _recorded(self, figures: Sequence[Figure]) -> Adding:
        """What records add to the figures, each of which is told by its total."""
        for figure in figures:
            figure.check_number(self.columns, self.secret)
        return self.records.adding(figures)

    def crowd(self, atom: Atom) -> tuple[object, ...] | None:
        """What the verdict about an atom of exact figures depends on but for its size: more records of one law hide
        better. None where records differ, or where their laws are only known in part: then how much is known of each
        counts too.
        """
        kinds = self._kinds_of(atom)
        if any(len(kind.types) != 1 or kind.least for kind in kinds):
            return None
        return tuple((kind.types[0][0], kind.domain) for kind in kinds)

    def _fresh_kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        return kind_of(atom, self._adding(figures))

    def whole_kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        """The kind with a coordinate for every figure, whether or not it tells anything new."""
        if tuple(figures) not in self._whole:
            self._whole[tuple(figures)] = self._recorded(figures)
        return kind_of(atom, self._whole[tuple(figures)])

    def curve(self, kind: Kind, known: int, channel: Push) -> Curve:
        key = (kind, known, channel)
        if key not in self._known:
            self._known[key] = self._fresh(kind, known, channel)
        return self._known[key]

    def _estimated(self, kind: Kind, known: int, channel: Push) -> Curve:
        """The worst of all laws that are left open: at least that of the estimate, at most what all of them share."""
        one = len(kind.least) == 1 and len(kind.domain[0]) == 1
        if self.close and one and any(chance for _, chance in kind.least[0][0]):
            return self._open(kind, known, channel)
        parts, missing = sure_parts([(dict(law), count) for law, count in kind.least], float(self.enough) / 100)
        sure = Kind(tuple((tuple(sorted(law.items())), count) for law, count in parts), kind.domain)
        below = self.curve(Kind(kind.types, kind.domain), known, channel)
        if sum(sure.counts) <= known:
            return Between(below, Constant(1.0))
        return Between(below, Charged(self._fresh(sure, known, channel, anywhere=True), missing))

    def _open(self, kind: Kind, known: int, channel: Push) -> Curve:
        """One number, of records that all contain the same law: the class of laws that Python calls `AtLeast`."""
        masses, n = kind.least[0]
        weight = sum((chance for _, chance in masses), Fraction(0))
        adds = tuple(vector[0] for vector in kind.domain)
        component: dict[Label | Fraction, float | str | Fraction] = {v[0]: chance / weight for v, chance in masses}
        belief = AtLeast(component, weight=weight, n=n, known=known, domain=adds)
        facts, _ = self._facts_of(adds)
        asked = Facts(facts, self._anywhere(adds), self.presence, adds=frozenset(adds))
        whole = belief.curve(Sum(), asked, channel, known=known, enough=self.enough)
        return Guarded((whole,), (whole, self.curve(Kind(kind.types, kind.domain), known, channel)), None)

    def _facts_of(self, adds: tuple[int, ...]) -> PairsOfFacts:
        if adds not in self._facts:
            both = tuple(pairs(self.secret, adds))
            self._facts[adds] = both, distances(both)
        return self._facts[adds]

    def _anywhere(self, adds: tuple[int, ...]) -> bool:
        """Where presence is secret the sizes are only lower bounds, so that what is rounded may stand anywhere."""
        return wide(adds) or self.presence

    def _fresh(self, kind: Kind, known: int, channel: Push, *, anywhere: bool = False) -> Curve:
        if kind.least and len(kind.domain[0]):
            return self._estimated(kind, known, channel)
        dimensions = len(kind.domain[0])
        if dimensions == 0:
            return Constant(0.0)
        if dimensions == 1:
            adds = tuple(vector[0] for vector in kind.domain)
            if kind not in self._crowds:
                laws = [{vector[0]: chance for vector, chance in law.items()} for law in kind.laws]
                self._crowds[kind] = crowd_of(laws, kind.counts)
            facts, moves = self._facts_of(adds)
            placed = anywhere or self._anywhere(adds)
            crowd, some = self._crowds[kind], frozenset(adds)
            return WorstCurve(crowd, facts, channel, known, anywhere=placed, adds=some, _moves=[moves])
        return LinkedCurve(kind.laws, kind.counts, kind.domain, known, self.presence, self.enough)


def first_noise(channel: Chain) -> Channel:
    """The noise that a channel begins with, without what follows; none at all if it does not begin with noise."""
    return channel.links[0] if channel.links and channel.links[0].random else Exact()


def _exactly(figure: Figure) -> Figure:
    """The figure as it is before noise and rounding."""
    return figure if figure.channel.exact else replace(figure, channel=EXACT)


def _own(figure: Figure, *, alone: bool) -> Chain:
    """What of a figure's channel protects an atom: noise always, rounding only where the figure covers nobody else."""
    return figure.channel if alone or figure.channel.period == 0 else EXACT


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
