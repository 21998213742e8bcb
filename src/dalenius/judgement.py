"""How much the published numbers reveal about one person of an atom: the joint law of all that the person adds to."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.belief import crowd_of
from dalenius.beliefs.crowd import Crowd
from dalenius.beliefs.joint import VectorCurve, common_part, joint_law, sure_count, sure_parts, two_cell_curve
from dalenius.beliefs.worst import WorstCurve
from dalenius.errors import InputError
from dalenius.figures import ColumnBelief, Figure, Frame
from dalenius.guarantees import Witness
from dalenius.guarantees.witness import Telling, witness
from dalenius.history import Atom
from dalenius.mechanisms import Chain
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Between, Charged, Constant, Curve
from dalenius.records import Cell, Column, Label
from dalenius.secret import Presence, Secret, Within, pairs, wide

Vector: TypeAlias = tuple[int, ...]
Law: TypeAlias = Mapping[Vector, Fraction]
Types: TypeAlias = tuple[tuple[tuple[tuple[Vector, Fraction], ...], int], ...]  # laws, and how many have them
LARGEST_ALPHABET = 200_000
EXACT = Chain(())


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """A certified δ and how it was found."""

    delta: Bracket
    because: str


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """What the records of an atom can add to linked figures: one law a type of record, and the vectors that the
    domain allows. `least`: masses that no probability is below, where the laws are only estimated.
    """

    types: Types
    domain: tuple[Vector, ...]
    least: Types = ()

    @property
    def laws(self) -> list[dict[Vector, Fraction]]:
        return [dict(law) for law, _ in self.types]

    @property
    def counts(self) -> list[int]:
        return [count for _, count in self.types]


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
    _known: dict[tuple[object, ...], Curve] = field(default_factory=dict, repr=False)
    _kinds: dict[tuple[object, ...], Kind] = field(default_factory=dict, repr=False)
    _crowds: dict[Kind, Crowd] = field(default_factory=dict, repr=False)
    _beliefs: dict[tuple[object, ...], list[Fraction]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.secret, Within):
            raise InputError(
                "Figures together are judged for the value or the presence of a record, but got a value to within "
                f"±{self.secret.k}. Hide the value, or judge each figure by itself with verify(...)."
            )

    @property
    def presence(self) -> bool:
        return isinstance(self.secret, Presence)

    def atom(self, atom: Atom, known: int, *, alone: bool) -> Judgement:
        """All the numbers that cover the atom, at once: as exact ones, or if all are noisy as differential privacy."""
        figures = [entry.figure for entry in atom.entries]
        if len(figures) == 1:
            return self.single(atom, figures[0], known, alone=alone)
        together = self._as_exact(atom, figures, known)
        noisy = self._noise_only(figures)
        if noisy is None:
            return together
        words = f"{len(figures)} noisy figures about the same {atom.size} records, composed as differential privacy"
        if self.pure(figures) <= self.epsilon:
            return Judgement(Bracket(0.0, 0.0), words)
        composed = noisy.delta(self.epsilon)
        if composed.upper >= together.delta.upper:
            return together
        return Judgement(Bracket(0.0, composed.upper), words)

    def pure(self, figures: Sequence[Figure]) -> float | Fraction:
        """The sum of the epsilons from which on each figure's noise hides a record completely; infinite if one never
        does.
        """
        whole = Fraction(0)
        for figure in figures:
            ends = [vector[0] for vector in self.kind(Atom((), ()), [figure]).domain if vector] or [0]
            move = max(map(abs, ends)) if self.presence else max(ends) - min(ends)
            part = figure.channel.pure(move) if move else Fraction(0)
            if part is None:
                return math.inf
            whole += part
        return whole

    def _as_exact(self, atom: Atom, figures: Sequence[Figure], known: int) -> Judgement:
        plain = self._certain(figures)
        if plain:
            return Judgement(Bracket(1.0, 1.0), plain)
        kinds = [self.kind(atom, group) for group in linked(figures, self.columns)]
        key = (*kinds, known)
        if key not in self._known:
            self._known[key] = _composed([self._curve(kind, known, EXACT) for kind in kinds])
        words = f"{len(figures)} figures about the same {atom.size} records, taken as exact"
        return Judgement(self._known[key].delta(self.epsilon), words)

    def single(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Judgement:
        """One figure of the atom by itself; its rounding counts only if it covers nobody else."""
        channel = _own(figure, alone=alone)
        plain = self._certain([figure])
        if plain and channel.exact:
            return Judgement(Bracket(1.0, 1.0), plain)
        if plain and _first_noise(channel) is None:
            return Judgement(Bracket(0.0, 1.0), f"{plain}; rounding hides that only if the number is known beforehand")
        delta = self._curve(self.kind(atom, [figure]), known, channel).delta(self.epsilon)
        records = "1 record" if atom.size == 1 else f"{atom.size} records"
        taken = "; taken as exact, since the number covers others too" if channel != figure.channel else ""
        return Judgement(delta, f"{records}, of which the attacker knows {known}{taken}")

    def witness(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Witness | None:
        """The event by which one figure of the atom tells two facts about a record apart."""
        kind = self.kind(atom, [figure])
        curve = self._curve(Kind(kind.types, kind.domain), known, _own(figure, alone=alone))
        telling = Telling("the count" if figure.kind == "count" else "the total", figure.unit(self.columns))
        return witness(curve, self.epsilon, telling) if isinstance(curve, WorstCurve) else None

    def _certain(self, figures: Sequence[Figure]) -> str:
        """A plain count of persons tells for sure whether one of them is there."""
        if self.presence and any(not figure.confidential(self.columns) for figure in figures):
            return "the number of persons is published, and it changes by one with the person's presence"
        return ""

    def _noise_only(self, figures: Sequence[Figure]) -> Curve | None:
        """Independent noise on every figure composes as differential privacy; None if a figure has none, or is rounded.

        (Rounding after noise is post-processing, but rounding alone hides nothing.)
        """
        noises = [_first_noise(figure.channel) for figure in figures]
        curves = []
        for figure, noise in zip(figures, noises, strict=True):
            domain = self.kind(Atom((), ()), [figure]).domain
            if len(domain) == 1:  # nobody changes it
                continue
            if noise is None:
                return None
            alone = Kind(((((domain[0], Fraction(1)),), 1),), domain)
            curves.append(self._curve(alone, 0, noise))
        return _composed(curves)

    def kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        """The vectors that records add to the figures, by type: over all values of the columns that the figures use."""
        key = (atom.groups, *figures)
        if key not in self._kinds:
            self._kinds[key] = self._fresh_kind(atom, figures)
        return self._kinds[key]

    def _fresh_kind(self, atom: Atom, figures: Sequence[Figure]) -> Kind:
        used = sorted(frozenset().union(*(figure.confidential(self.columns) for figure in figures)))
        rows = _alphabet(used, self.columns)
        vectors = [tuple(figure.contribution(row, self.columns) for figure in figures) for row in rows]
        kept = _independent(vectors, affine=not self.presence)
        vectors = [tuple(vector[i] for i in kept) for vector in vectors]
        estimated = any(belief.least is not None for belief in self.beliefs if belief.column in used)
        types, least = (
            self._types(atom, used, vectors, least=some) if some is False or estimated else () for some in (False, True)
        )
        return Kind(types, tuple(dict.fromkeys(vectors)), least)

    def _types(self, atom: Atom, used: Sequence[str], vectors: Sequence[Vector], *, least: bool) -> Types:
        types: dict[tuple[tuple[Vector, Fraction], ...], int] = {}
        for cell, count in atom.groups:
            law = self._law(cell, used, vectors, least=least)
            types[law] = types.get(law, 0) + count
        return tuple(types.items())

    def _law(
        self, cell: tuple[Label | Fraction, ...], used: Sequence[str], vectors: Sequence[Vector], *, least: bool
    ) -> tuple[tuple[Vector, Fraction], ...]:
        public = dict(zip(self.frame.columns, cell, strict=True))
        chances = [self._chances(column, public, least=least) for column in used]
        law: dict[Vector, Fraction] = {}
        for vector, parts in zip(vectors, product(*chances), strict=True):
            chance = math.prod(parts, start=Fraction(1))
            if chance:
                law[vector] = law.get(vector, Fraction(0)) + chance
        return tuple(sorted(law.items()))

    def _chances(self, column: str, public: Mapping[str, Label | Fraction], *, least: bool) -> list[Fraction]:
        """The belief about a column, for a person with these public values, over the column's whole domain; or what
        no probability is below.
        """
        belief = next((found for found in self.beliefs if found.column == column), None)
        if belief is None:
            raise InputError(
                f"The figures use {column}, but there is no belief about it. Add one under beliefs, with its source."
            )
        key = tuple(public[name] for name in belief.by)
        if (column, key, least) not in self._beliefs:
            self._beliefs[column, key, least] = self._spread(belief, key, least=least)
        return self._beliefs[column, key, least]

    def _spread(self, belief: ColumnBelief, key: Cell, *, least: bool) -> list[Fraction]:
        table = belief.least if least and belief.least is not None else belief.table
        column, marginal = belief.column, table.get(key)
        if marginal is None:
            raise InputError(f"The belief about {column} says nothing for {', '.join(map(str, key))}. Add that case.")
        masses = {same_value(value): chance for value, chance in marginal}
        return [masses.get(same_value(value), Fraction(0)) for value in self.columns[column].values]

    def _curve(self, kind: Kind, known: int, channel: Chain) -> Curve:
        key = (kind, known, channel)
        if key not in self._known:
            self._known[key] = self._fresh(kind, known, channel)
        return self._known[key]

    def _estimated(self, kind: Kind, known: int, channel: Chain) -> Curve:
        """The worst of all laws that are left open: at least that of the estimate, at most what all of them share."""
        parts, missing = sure_parts([(dict(law), count) for law, count in kind.least], float(self.enough) / 100)
        sure = Kind(tuple((tuple(sorted(law.items())), count) for law, count in parts), kind.domain)
        below = self._curve(Kind(kind.types, kind.domain), known, channel)
        if sum(sure.counts) <= known:
            return Between(below, Constant(1.0))
        return Between(below, Charged(self._fresh(sure, known, channel, anywhere=True), missing))

    def _fresh(self, kind: Kind, known: int, channel: Chain, *, anywhere: bool = False) -> Curve:
        if kind.least and len(kind.domain[0]):
            return self._estimated(kind, known, channel)
        dimensions = len(kind.domain[0])
        if dimensions == 0:
            return Constant(0.0)
        if dimensions == 1:
            adds = [vector[0] for vector in kind.domain]
            facts = tuple(pairs(self.secret, adds))
            if kind not in self._crowds:
                laws = [{vector[0]: chance for vector, chance in law.items()} for law in kind.laws]
                self._crowds[kind] = crowd_of(laws, kind.counts)
            # where presence is secret the sizes are only lower bounds, so what is rounded may stand anywhere
            placed = anywhere or wide(adds) or self.presence
            return WorstCurve(self._crowds[kind], facts, channel, known, anywhere=placed)
        return _JointCurve(kind, known, self.secret, self.enough)


def _first_noise(channel: Chain) -> Chain | None:
    """The noise that a channel begins with, without what follows; None if it does not begin with noise."""
    first = channel.links[:1]
    return Chain(first) if first and first[0].period == 0 and not first[0].exact else None


def _own(figure: Figure, *, alone: bool) -> Chain:
    """What of a figure's channel protects an atom: noise always, rounding only where the figure covers nobody else."""
    return figure.channel if alone or figure.channel.period == 0 else EXACT


def same_value(value: Label | Fraction) -> tuple[str, Label | Fraction]:
    """A key under which equal values meet: whole numbers and fractions do, true and 1 do not."""
    if isinstance(value, str | bool):
        return type(value).__name__, value
    return "number", Fraction(value)


def _alphabet(used: Sequence[str], columns: Mapping[str, Column]) -> list[dict[str, Label | Fraction]]:
    size = math.prod(columns[name].size for name in used)
    if size > LARGEST_ALPHABET:
        raise InputError(
            f"Figures that use {', '.join(used)} together have {size} possible rows, more than {LARGEST_ALPHABET}. "
            "Declare a coarser unit or a smaller domain, or do not combine these columns."
        )
    return [dict(zip(used, values, strict=True)) for values in product(*(columns[name].values for name in used))]


def linked(figures: Sequence[Figure], columns: Mapping[str, Column]) -> list[list[Figure]]:
    """Figures that share confidential columns, directly or through others; the beliefs about different groups are
    independent.
    """
    groups: list[tuple[frozenset[str], list[Figure]]] = []
    for figure in figures:
        mine = figure.confidential(columns)
        touching = [group for group in groups if group[0] & mine]
        apart = [group for group in groups if not group[0] & mine]
        merged = [other for group in touching for other in group[1]]
        groups = [*apart, (mine.union(*(group[0] for group in touching)), [*merged, figure])]
    return [group for _, group in groups]


def _independent(vectors: Sequence[Vector], *, affine: bool) -> list[int]:
    """Coordinates that are not (affine) linear combinations of earlier ones: the others tell nothing new."""
    distinct = list(dict.fromkeys(vectors))
    basis: list[dict[int, Fraction]] = []
    kept = []
    for i in range(len(distinct[0])):
        column = {row: Fraction(vector[i]) for row, vector in enumerate(distinct) if vector[i]}
        if affine and i == 0:
            basis.append(dict.fromkeys(range(len(distinct)), Fraction(1)))
        for row in basis:
            pivot = next(iter(row))
            if pivot in column:
                factor = column[pivot] / row[pivot]
                column = {
                    k: v
                    for k in {*column, *row}
                    if (v := column.get(k, Fraction(0)) - factor * row.get(k, Fraction(0)))
                }
        if column:
            basis.append(column)
            kept.append(i)
    return kept


def _composed(curves: Sequence[Curve]) -> Curve:
    """Independent parts of a record, all at once."""
    live = [curve for curve in curves if not (isinstance(curve, Constant) and curve.value == 0)]
    if not live:
        return Constant(0.0)
    if any(isinstance(curve, Constant) for curve in live):
        return Constant(1.0)
    return live[0] if len(live) == 1 else compose([(curve, 1) for curve in live])


@final
@dataclass(frozen=True, slots=True, eq=False)
class _JointCurve(Curve):
    """Several linked figures of one atom: the joint law where it can be computed, two cells at a time where not."""

    kind: Kind
    known: int
    secret: Secret
    enough: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        moves = self._moves()
        laws, counts = self.kind.laws, self.kind.counts
        left = sum(counts) - self.known - 1
        weight, shared = common_part(laws) if len(laws) > 1 else (Fraction(1), laws[0])
        if not shared:
            return Bracket(0.0, 1.0)
        live, missing = sure_count(left, weight, float(self.enough) / 100)
        try:
            whole = VectorCurve(joint_law(shared, live, min(1e-9, float(self.enough) / 1000)), tuple(moves), missing)
        except InputError:
            return self._two_cells(epsilon)
        found = whole.delta(epsilon)
        return found if weight == 1 else Bracket(0.0, found.upper)  # what is shared bounds from above only

    def _moves(self) -> list[Vector]:
        """The distinct changes of the vector, up to sign."""
        domain = self.kind.domain
        zero = (0,) * len(domain[0])
        ends = (
            permutations(domain, 2) if not isinstance(self.secret, Presence) else ((vector, zero) for vector in domain)
        )
        found = {tuple(b - a for a, b in zip(one, other, strict=True)) for one, other in ends}
        return sorted({max(move, tuple(-step for step in move)) for move in found} - {zero})

    def _two_cells(self, epsilon: Fraction) -> Bracket:
        if isinstance(self.secret, Presence):
            return Bracket(0.0, 1.0)
        counts = np.array(self.kind.counts, dtype=np.int64)
        upper = 0.0
        for first, second in permutations(self.kind.domain, 2):
            if first < second:
                upper = max(
                    upper, two_cell_curve(self.kind.laws, counts, self.known + 1, first, second).delta(epsilon).upper
                )
            if upper >= 1:
                break
        return Bracket(0.0, upper)
