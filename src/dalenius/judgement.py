"""How much the published numbers reveal about one person of an atom: the joint law of all that the person adds to."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, final

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
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded
from dalenius.mechanisms.repeated import repeated
from dalenius.numerics.bracket import Bracket, around
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Between, Charged, Constant, Curve, Supremum
from dalenius.packing import Way
from dalenius.records import Column
from dalenius.secret import Pair, Presence, Secret, Within, pairs, wide

Facts: TypeAlias = tuple[tuple[Pair, ...], tuple[int, ...]]  # pairs of facts, and how far they are apart
EXACT = Chain(())
COINS = "by the coins inside the records"
NOBODY = Atom((), ())
WIDE = 50  # values of a part of a record from which on parts are composed only where a simpler bound does not pass,
FEW = Fraction(1, 1000)  # and below which only where it is not that part of what is enough


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
    _known: dict[tuple[object, ...], Curve] = field(default_factory=dict, repr=False, init=False)
    _together: dict[tuple[tuple[Kind, ...], int, Fraction], Bracket] = field(
        default_factory=dict, repr=False, init=False
    )
    _kinds: dict[tuple[object, ...], Kind] = field(default_factory=dict, repr=False, init=False)
    _added: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _whole: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _crowds: dict[Kind, Crowd] = field(default_factory=dict, repr=False, init=False)
    _facts: dict[tuple[int, ...], Facts] = field(default_factory=dict, repr=False, init=False)
    records: Records = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", Records(self.columns, self.beliefs, self.frame))
        if isinstance(self.secret, Within):
            raise InputError(
                "Figures together are judged for the value or the presence of a record, but got a value to within "
                f"±{self.secret.k}. Hide the value, or judge each figure by itself with verify(...)."
            )

    @property
    def presence(self) -> bool:
        return isinstance(self.secret, Presence)

    def at(self, epsilon: Fraction) -> "Judge":
        """The same judge at another epsilon, with all that is remembered: laws and curves hold at every epsilon.

        (`dataclasses.replace` forgets it, since what is remembered depends on everything else.)
        """
        other = replace(self, epsilon=epsilon)
        for name in ("_known", "_together", "_kinds", "_added", "_whole", "_crowds", "_facts", "records"):
            object.__setattr__(other, name, getattr(self, name))
        return other

    def told(self, kinds: Mapping[tuple[object, ...], Kind]) -> "Judge":
        """The judge, with kinds that are stated instead of derived: by an atom's groups and the figures."""
        self._kinds.update(kinds)
        return self

    def atom(self, atom: Atom, known: int, *, alone: bool, quick: bool = False) -> Judgement:
        """All the numbers that cover the atom, at once: as exact ones, or if all are noisy as differential privacy.
        `quick`: only as closely as is needed to see whether it passes.
        """
        figures = [entry.figure for entry in atom.entries]
        if len(figures) == 1:
            found = self.single(atom, figures[0], known, alone=alone)
            if found.delta.upper <= self.enough or self.pure(figures) > self.epsilon:
                return found
            return Judgement(Bracket(0.0, 0.0), f"{found.because}; its noise alone hides a record")
        words = f"{len(figures)} noisy figures about the same {atom.size} records, composed as differential privacy"
        if self.pure(figures) <= self.epsilon:
            return Judgement(Bracket(0.0, 0.0), words)
        together = self._repeated(atom, figures, known) or self._as_exact(atom, figures, known, quick=quick)
        noisy = self._noise_only(figures)
        if noisy is None:
            return together
        composed = noisy.delta(self.epsilon)
        if composed.upper >= together.delta.upper:
            return together
        return Judgement(Bracket(0.0, composed.upper), words)

    def passes(self, atom: Atom, known: int, *, alone: bool) -> bool:
        """Whether δ of the atom is certainly small enough. Parts of a record that are independent are not composed if
        one of them tells too much by itself, or if all tell little enough at an equal share of ε each.
        """
        figures = [entry.figure for entry in atom.entries]
        if len(figures) > 1 and self.pure(figures) <= self.epsilon:
            return True
        if self.roughly(atom, known) <= self.enough:
            return True
        noisy = self._noise_only(figures) if len(figures) > 1 else None
        if noisy is not None and noisy.delta(self.epsilon).upper <= self.enough:
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
        """The sum of the epsilons from which on each figure's noise hides a record completely; infinite if one never
        does.
        """
        whole = Fraction(0)
        for figure in figures:
            move = self.move(figure)
            part = figure.channel.pure(move) if move else Fraction(0)
            if part is None:
                return math.inf
            whole += part
        return whole

    def move(self, figure: Figure) -> int:
        """How far one person can move the figure, in units; where presence is secret, by being there at all."""
        ends = [vector[0] for vector in self.kind(NOBODY, [figure]).domain if vector] or [0]
        return max(map(abs, ends)) if self.presence else max(ends) - min(ends)

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
        return [self.curve(kind, known, EXACT) for kind in kinds]

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

    def single(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Judgement:
        """One figure of the atom by itself; its rounding counts only if it covers nobody else."""
        channel = _own(figure, alone=alone)
        plain = self.certain([figure])
        if plain and channel.exact:
            return Judgement(Bracket(1.0, 1.0), plain)
        if plain and _first_noise(channel) is None:
            return Judgement(Bracket(0.0, 1.0), f"{plain}; rounding hides that only if the number is known beforehand")
        kind = self.kind(atom, [figure])
        curve = self.curve(kind, known, channel)
        rough = curve.heavy and curve.roughly(self.epsilon) <= self.enough * FEW
        delta = Bracket(0.0, curve.roughly(self.epsilon)) if rough else self._processed(kind, known, channel)
        records = "1 record" if atom.size == 1 else f"{atom.size} records"
        taken = "; taken as exact, since the number covers others too" if channel != figure.channel else ""
        how = f"; {COINS}" if rough else ""
        return Judgement(delta, f"{records}, of which the attacker knows {known}{taken}{how}")

    def _processed(self, kind: Kind, known: int, channel: Chain) -> Bracket:
        """δ after the channel. Rounding is a function of what it rounds: wherever the known records put the total, it
        tells no more. So the bound without it holds too, and is the smaller one where δ is tiny.
        """
        delta = self.curve(kind, known, channel).delta(self.epsilon)
        if not channel.links or not isinstance(channel.links[-1], Rounded):
            return delta
        before = self._processed(kind, known, Chain(channel.links[:-1]))
        return Bracket(delta.lower, min(delta.upper, before.upper))

    def witness(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Witness | None:
        """The event by which one figure of the atom tells two facts about a record apart."""
        kind = self.kind(atom, [figure])
        curve = self.curve(Kind(kind.types, kind.domain), known, _own(figure, alone=alone))
        telling = Telling("the count" if figure.kind == "count" else "the total", figure.unit(self.columns))
        return witness(curve, self.epsilon, telling) if isinstance(curve, WorstCurve) else None

    def certain(self, figures: Sequence[Figure]) -> str:
        """A plain count of persons tells for sure whether one of them is there."""
        if self.presence and any(not figure.confidential(self.columns) for figure in figures):
            return "the number of persons is published, and it changes by one with the person's presence"
        return ""

    def _noise_only(self, figures: Sequence[Figure]) -> Curve | None:
        """Independent noise on every figure composes as differential privacy; None if a figure has none, or is rounded.

        (Rounding after noise is post-processing, but rounding alone hides nothing.)
        """
        if ("noise", *figures) in self._known:
            return self._known["noise", *figures]
        noises = [_first_noise(figure.channel) for figure in figures]
        parts = []
        for figure, noise in zip(figures, noises, strict=True):
            if not self.move(figure):  # nobody changes it
                continue
            if noise is None:
                return None
            parts.append((self.kind(NOBODY, [figure]).domain, noise))
        self._known["noise", *figures] = _composed_noise(self.secret, tuple(parts))
        return self._known["noise", *figures]

    def kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        """The vectors that records add to the figures, by type: over all values of the columns that the figures use."""
        key = (atom.groups, *figures)
        if key not in self._kinds:
            self._kinds[key] = self._fresh_kind(atom, figures)
        return self._kinds[key]

    def _adding(self, figures: Sequence[Figure]) -> Adding:
        key = tuple(figures)
        if key not in self._added:
            self._added[key] = self.records.adding(figures).independent(affine=not self.presence)
        return self._added[key]

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
            self._whole[tuple(figures)] = self.records.adding(figures)
        return kind_of(atom, self._whole[tuple(figures)])

    def curve(self, kind: Kind, known: int, channel: Push) -> Curve:
        key = (kind, known, channel)
        if key not in self._known:
            self._known[key] = self._fresh(kind, known, channel)
        return self._known[key]

    def _estimated(self, kind: Kind, known: int, channel: Push) -> Curve:
        """The worst of all laws that are left open: at least that of the estimate, at most what all of them share."""
        parts, missing = sure_parts([(dict(law), count) for law, count in kind.least], float(self.enough) / 100)
        sure = Kind(tuple((tuple(sorted(law.items())), count) for law, count in parts), kind.domain)
        below = self.curve(Kind(kind.types, kind.domain), known, channel)
        if sum(sure.counts) <= known:
            return Between(below, Constant(1.0))
        return Between(below, Charged(self._fresh(sure, known, channel, anywhere=True), missing))

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
            if adds not in self._facts:
                both = tuple(pairs(self.secret, adds))
                self._facts[adds] = both, distances(both)
            facts, moves = self._facts[adds]
            # where presence is secret the sizes are only lower bounds, so what is rounded may stand anywhere
            placed = anywhere or wide(adds) or self.presence
            return WorstCurve(self._crowds[kind], facts, channel, known, anywhere=placed, _moves=[moves])
        return LinkedCurve(kind.laws, kind.counts, kind.domain, known, self.presence, self.enough)


def _first_noise(channel: Chain) -> Chain | None:
    """The noise that a channel begins with, without what follows; None if it does not begin with noise."""
    first = channel.links[:1]
    return Chain(first) if first and first[0].period == 0 and not first[0].exact else None


@lru_cache(maxsize=256)
def _composed_noise(secret: Secret, parts: tuple[tuple[tuple[Vector, ...], Chain], ...]) -> Curve:
    """Figures of these domains, each with its noise, of a record that nobody else's hide. It depends neither on beliefs
    nor on people, so that every judge may use what one of them composed.
    """
    curves = []
    for domain, noise in parts:
        adds = [vector[0] for vector in domain]
        placed = wide(adds) or isinstance(secret, Presence)
        crowd = crowd_of([{adds[0]: Fraction(1)}], (1,))
        curves.append(WorstCurve(crowd, tuple(pairs(secret, adds)), noise, 0, anywhere=placed))
    return composed(curves)


def _own(figure: Figure, *, alone: bool) -> Chain:
    """What of a figure's channel protects an atom: noise always, rounding only where the figure covers nobody else."""
    return figure.channel if alone or figure.channel.period == 0 else EXACT


def composed(curves: Sequence[Curve]) -> Curve:
    """Independent parts of a record, all at once."""
    live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
    if not live:
        return Constant(0.0)
    if any(isinstance(curve, Constant) for curve in live):
        return Constant(1.0)
    return live[0] if len(live) == 1 else compose([(curve, 1) for curve in live])
