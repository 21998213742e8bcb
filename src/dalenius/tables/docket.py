"""The groups of a specification, brought before the judge: atoms of published figures as questions about people.

Where records are no independent ones of stated laws (a sample without replacement, an order, one of several laws that
nobody knows, only a range and a variance), the question is one about a belief (`Believed`). It is asked where one
number is told of the columns, and it covers everybody whom the belief is about. Everything else is as if all other
records were known: `laws` says that nothing is known of their laws, and noise counts only where records are
independent.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import final

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.worst import Push
from dalenius.claims import Witness
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.near import Near, OfHousehold
from dalenius.facts.records import Cell, Column
from dalenius.facts.secret import Hidden, Household, Presence, PresenceOnly, Secret, Value, Within
from dalenius.judge.engine import EXACT, NOISE, PUBLIC, Judge, Judgement
from dalenius.judge.group import (
    Believed,
    Group,
    Laws,
    Others,
    Rows,
    Types,
    Vector,
    farthest,
    first_noise,
    named_apart,
    records_told,
)
from dalenius.judge.households import grown, of_household, share_of, steps, summed, times_up
from dalenius.judge.noise import Difference, NoiseAlone
from dalenius.numerics.curve import Curve
from dalenius.tables.contributions import Adding, Records, independent_axes
from dalenius.tables.figures import ColumnBelief, Figure, Frame, Together
from dalenius.tables.history import Atom

NOBODY = Atom((), ())
SEVERAL = "several numbers that tell different things of one record"
NOT_JUDGED = "not judged"
REFUSED = (InputError, PreconditionError)
BY_DATA = "what is chosen or compared by a rule is not judged where something is believed of all records at once"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Docket:
    """Makes groups of atoms, and asks the judge about them; equal kinds of atoms are made once."""

    columns: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    frame: Frame
    judge: Judge
    also: tuple["Docket", ...] = ()  # the further scenarios, each of which must be safe by itself
    household: Household | None = None  # where it is one that is hidden: the judge is asked about its members at once
    near: Near | None = None  # what is secret of some columns, where not all of it is
    _laws: dict[tuple[object, ...], Laws] = field(default_factory=dict, repr=False, init=False)
    _added: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _whole: dict[tuple[Figure, ...], Adding] = field(default_factory=dict, repr=False, init=False)
    _rows: dict[tuple[Figure, ...], tuple[Rows, ...]] = field(default_factory=dict, repr=False, init=False)
    _linked: dict[tuple[Figure, ...], Rows] = field(default_factory=dict, repr=False, init=False)
    _records: list[Records] = field(default_factory=list, repr=False, init=False)
    _rounded: dict[tuple[object, ...], float | None] = field(default_factory=dict, repr=False, init=False)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Column],
        beliefs: tuple[ColumnBelief, ...],
        frame: Frame,
        secret: Hidden,
        epsilon: Fraction,
        enough: Fraction,
    ) -> "Docket":
        """With a judge who has judged nothing yet, of each scenario."""
        first, *more = scenarios_of(beliefs)
        if more:
            every = [cls.of(columns, some, frame, secret, epsilon, enough) for some in (first, *more)]
            return replace(every[0], also=tuple(every[1:]))
        if isinstance(secret, Within | PresenceOnly):
            raise InputError(
                "Figures together are judged for the value of a record, or for its value and its presence, but got "
                f"{secret}. Hide Value() or Presence(), or judge each figure by itself with verify(...)."
            )
        if isinstance(secret, Near):
            return cls(columns, beliefs, frame, Judge(Value(), epsilon, enough), near=secret)
        if isinstance(secret, OfHousehold):
            raise InputError(
                f"A property of a household needs to say how large households are, but got {secret}. Hide a Household."
            )
        if isinstance(secret, Household):
            about = Presence() if secret.presence else Value()
            judge = Judge(about, *share_of(epsilon, enough, secret.groups))
            return cls(columns, beliefs, frame, judge, household=secret)
        return cls(columns, beliefs, frame, Judge(secret, epsilon, enough))

    @property
    def times(self) -> int:
        """In how many groups of people a household may be, each of which has an equal share of epsilon and delta."""
        return 1 if self.household is None else self.household.groups

    @property
    def secret(self) -> Secret:
        return self.judge.secret

    @property
    def epsilon(self) -> Fraction:
        return self.judge.epsilon * self.times

    @property
    def enough(self) -> Fraction:
        return self.judge.enough * steps(self.times, self.judge.epsilon)

    @property
    def presence(self) -> bool:
        return self.judge.presence

    @property
    def records(self) -> Records:
        """What the attacker thinks of one record."""
        if not self._records:
            self._records.append(Records(self.columns, self.beliefs, self.frame, self.near, self.household))
        return self._records[0]

    def at(self, epsilon: Fraction) -> "Docket":
        """The same groups at another epsilon, with all that is remembered (`dataclasses.replace` forgets it)."""
        return self._before(self.judge.at(epsilon / self.times), tuple(one.at(epsilon) for one in self.also))

    def less_close(self) -> "Docket":
        """The same groups, before a judge who searches less for the worst of laws that are left open."""
        also = tuple(one.less_close() for one in self.also)
        return self if not self.judge.close else self._before(self.judge.less_close(), also)

    def afresh(self) -> "Docket":
        """The same groups, before a judge who forgets what was judged: for other known records, say."""
        return self._before(self.judge.afresh(), tuple(one.afresh() for one in self.also))

    def _before(self, judge: Judge, also: tuple["Docket", ...]) -> "Docket":
        other = replace(self, judge=judge, also=also)
        for name in ("_laws", "_added", "_whole", "_rows", "_linked", "_records", "_rounded"):
            object.__setattr__(other, name, getattr(self, name))
        return other

    # -- groups --------------------------------------------------------------------------------------------------------

    @property
    def affine(self) -> bool:
        """Whether how many people there are is public, so that what adds the same for everybody tells nothing."""
        return not self.presence or (self.frame.sample is not None and self.frame.sample.design == "simple")

    @property
    def by_laws(self) -> bool:
        """Whether all that is asked is about independent records of laws that are stated, each person by itself: then
        others may be moved beside somebody, and independent parts of a record be taken by themselves.
        """
        plain = self.household is None and self.frame.sample is None and not self.also
        return plain and not any(belief.stance for belief in self.beliefs)

    def special(self, figures: Sequence[Figure]) -> bool:
        """Whether what these figures tell of is believed of all records at once, or was drawn without replacement."""
        if self.frame.sample is not None:
            return self.frame.sample.design == "simple"
        used = frozenset().union(*(figure.confidential(self.columns) for figure in figures))
        return any(belief.stance and used.intersection(belief.columns) for belief in self.beliefs)

    def parts(self, figures: Sequence[Figure]) -> list[list[Figure]]:
        """Figures by what is independent; of people who were drawn, nothing is: who was is told by all of them."""
        if self.frame.sample is not None:
            return [list(figures)] if figures else []
        return self.records.linked(figures)

    def others(self, atom: Atom, figures: Sequence[Figure]) -> tuple[Others, ...]:
        """Who else is in figures of one part, as the attacker sees them: one, or of several strata of a sample each by
        itself, the other ones being known. InputError where nothing can be said.
        """
        if not self.special(figures):
            return (self.laws(atom, figures),)
        adding = self._adding(figures)
        if adding.domain and not adding.domain[0]:
            return (self.laws(atom, figures),)  # nothing is told
        if len(adding.domain[0]) > 1:
            raise InputError(SEVERAL)
        if self.frame.sample is not None:
            from dalenius.tables.drawing import sampled

            return tuple(sampled(self.frame.sample, cell, count, adding) for cell, count in atom.groups)
        belief, *more = (belief for belief in self.beliefs if belief.stance and set(belief.columns) & set(adding.used))
        if more or set(adding.used) - set(belief.columns):
            raise InputError(f"a figure that tells of {belief} and of another column at once")
        cell = self._whole_cell(atom, belief)
        if cell is None or belief.stance is None:
            raise InputError(f"what is believed of {belief} is about all records at once, and this is a part of them")
        whole = self._added_by(figures, belief)
        names = [row if belief.beside else row[0] for row in self._rows_of(belief)]
        return (belief.stance.believed(names, [vector[0] for vector in whole], atom.size, belief.table[cell]),)

    def believed(self, atom: Atom, figures: Sequence[Figure]) -> tuple[Believed, ...]:
        """What is believed of all records at once, of figures of one part; nothing if only noise hides them."""
        if not self.special(figures):
            return ()
        try:
            every = self.others(atom, figures)
        except InputError:
            return ()
        return tuple(others for others in every if isinstance(others, Believed))

    def _whole_cell(self, atom: Atom, belief: ColumnBelief) -> Cell | None:
        """The case of a belief that an atom is everybody of; None if it is no such thing."""
        places = [self.frame.columns.index(name) for name in belief.by]
        cells = {tuple(cell[place] for place in places) for cell, _ in atom.groups}
        if len(cells) != 1:
            return None
        (mine,) = cells
        if places:
            every = sum(n for cell, n in self.frame.groups.items() if tuple(cell[place] for place in places) == mine)
        else:
            every = self.frame.size
        return mine if atom.size == every else None

    def _rows_of(self, belief: ColumnBelief) -> list[Cell]:
        """All rows of a belief's columns."""
        return list(product(*(self.columns[name].values for name in belief.columns)))

    def _added_by(self, figures: Sequence[Figure], belief: ColumnBelief) -> list[Vector]:
        """What each row of a belief's columns adds to the one number that is told of it."""
        each = [self.records.contributions(figure, belief.columns) for figure in figures]
        vectors: list[Vector] = list(zip(*each, strict=True))
        (kept,) = independent_axes(vectors, affine=True)
        return [(vector[kept],) for vector in vectors]

    def questions(self, atom: Atom, figures: Sequence[Figure], known: int, *, alone: bool) -> list[Group]:
        """What is asked about figures of the atom: one group, or one for each stratum of a sample. InputError where
        nothing can be said.
        """
        if any(figure.channel.hides for figure in figures):
            from dalenius.tables.drawing import only_small

            if not all(only_small(figure) for figure in figures if figure.channel.hides):
                self._check_hedged(figures, known)
        release, rows = tuple(figure.channel for figure in figures), self.rows(figures)
        each = [self.others(atom, part) for part in self.parts(list(dict.fromkeys(figures)))]
        if self.frame.sample is None:
            return [Group(tuple(others for (others,) in each), release, known, alone, rows)]
        (strata,) = each
        one = alone and len(strata) == 1
        return [Group((others,), release, min(known, others.size - 1), one, rows) for others in strata]

    def _check_hedged(self, figures: Sequence[Figure], known: int) -> None:
        """InputError unless it is one count that is exact where that is earned, and attackers hedge."""
        from dalenius.tables.stances import Hedging

        used = figures[0].confidential(self.columns)
        stances = [belief.stance for belief in self.beliefs if used.intersection(belief.columns)]
        if all(figure.earning is None for figure in figures) or not all(isinstance(one, Hedging) for one in stances):
            raise InputError(BY_DATA)
        if len(figures) > 1:
            raise InputError("another release, however noisy, changes what attackers who hedge think of the laws")
        if known:
            raise InputError("what attackers who hedge are told is proved where they know no record")

    def _asked(
        self, judge: Callable[[Group], Judgement], atom: Atom, figures: Sequence[Figure], known: int, *, alone: bool
    ) -> Judgement:
        """The worst of what is judged; from above only, where there are several strata. Where nothing can be said of
        others, only noise hides.
        """
        try:
            found = [judge(group) for group in self.questions(atom, figures, known, alone=alone)]
        except REFUSED as error:
            noisy = self.noise_alone(figures)
            if noisy < 1:
                words = f"{records_told(atom.size, known)}; its noise alone hides a record"
                return Judgement(Bracket(0.0, noisy), words, NOISE)
            return Judgement(Bracket(0.0, 1.0), f"{records_told(atom.size, known)}: {error}", NOT_JUDGED)
        if len(found) == 1:
            return found[0]
        worst = max(found, key=lambda one: one.delta.upper)
        return replace(worst, delta=Bracket(0.0, worst.delta.upper))

    def group(self, atom: Atom, known: int, *, alone: bool) -> Group:
        """All the numbers that cover the atom."""
        figures = [entry.figure for entry in atom.entries]
        others = tuple(self.laws(atom, part) for part in self.parts(atom.figures))
        release = tuple(figure.channel for figure in figures)
        if alone and len(release) > 1:  # only compared
            alone = named_apart(release, [self._recorded(part).domain for part in self.parts(figures)], others)
        return Group(others, release, known, alone, self.rows(figures))

    def one(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Group:
        """One figure of the atom by itself."""
        return Group((self.laws(atom, [figure]),), (figure.channel,), known, alone, self.rows([figure]))

    def rows(self, figures: Sequence[Figure]) -> tuple[Rows, ...]:
        """What one record may add to figures, where each that it moves begins with noise; nothing else."""
        if any(not first_noise(figure.channel).random and self.move(figure) for figure in figures):
            return ()  # there may be thousands of exact figures
        if not self.noise_hides(figures):
            return ()
        key = tuple(figures)
        if key not in self._rows:
            place = {figure: at for at, figure in reversed(list(enumerate(key)))}
            parts = (self.linked_rows(part) for part in self.parts(key))
            places = ([place[figure] for figure in part] for part in self.parts(key))
            self._rows[key] = tuple(replace(rows, numbers=tuple(at)) for rows, at in zip(parts, places, strict=True))
        return self._rows[key]

    def noise_hides(self, figures: Sequence[Figure]) -> bool:
        """Whether noise by itself hides a record: not where others say something about it."""
        if self.frame.sample is not None:
            return self.frame.sample.design != "simple"
        used = frozenset().union(*(figure.confidential(self.columns) for figure in figures))
        stances = (belief.stance for belief in self.beliefs if used.intersection(belief.columns))
        return all(stance is None or stance.independent for stance in stances)

    def linked_rows(self, figures: Sequence[Figure]) -> Rows:
        """What one record may add to figures that share columns, in their order."""
        key = tuple(map(_exactly, figures))
        if key not in self._linked:
            reach = tuple(map(self.move, key))
            try:
                adding = self.records.adding(key)
                vectors = adding.domain if adding.changes is None else farthest(adding.domain, adding.changes)
            except InputError:  # too many rows of several columns
                vectors = ()
            whole = self.household is not None and len(vectors) > 0 and adding.changes is not None
            self._linked[key] = Rows(tuple(range(len(key))), vectors, reach, whole)
        return self._linked[key]

    def laws(self, atom: Atom, figures: Sequence[Figure]) -> Laws:
        """The vectors that records add to the figures, by type: over all values of the columns that the figures use,
        without coordinates that tell nothing new.
        """
        key = (atom.groups, *figures)
        if key not in self._laws:
            self._laws[key] = laws_of(atom, self._adding(figures))
        return self._laws[key]

    def whole_laws(self, atom: Atom, figures: Sequence[Figure]) -> Laws:
        """The laws with a coordinate for every figure, whether or not it tells anything new."""
        if tuple(figures) not in self._whole:
            self._whole[tuple(figures)] = self._recorded(figures)
        return laws_of(atom, self._whole[tuple(figures)])

    def _adding(self, figures: Sequence[Figure]) -> Adding:
        key = tuple(figures)
        if key not in self._added:
            self._added[key] = self._recorded(figures).independent(affine=self.affine)
        return self._added[key]

    def _recorded(self, figures: Sequence[Figure]) -> Adding:
        """What records add to the figures, each of which is told by its total."""
        for figure in figures:
            figure.check_number(self.columns, self.secret)
        return self.records.adding(figures)

    def move(self, figure: Figure) -> int:
        """How far one person can move the figure, in units; where presence is secret, also by being there at all. Of a
        household all members, and as often as there are groups that share epsilon.
        """
        laws = self.laws(NOBODY, [figure])
        return self.reach(figure) if laws.changes is None else max(laws.changes, default=0) * self.times

    def reach(self, figure: Figure) -> int:
        """The same between any two facts, whichever are compared: beside other figures all of them are."""
        ends = [vector[0] for vector in self.laws(NOBODY, [figure]).domain if vector] or [0]
        ends += [0] if self.presence else []
        return (max(ends) - min(ends)) * (1 if self.household is None else self.household.size * self.times)

    def jointly_rounded(self, atom: Atom, known: int, own: Sequence[bool]) -> Judgement | None:
        """Several numbers at once, of which those that are rounded and cover nobody else count as such; None where that
        is not what they are. `own`: whether each covers nobody else.
        """
        from dalenius.tables.jointly_rounded import ROUTE as ROUNDED
        from dalenius.tables.jointly_rounded import bases_of, jointly_rounded

        figures = [entry.figure for entry in atom.entries]
        bases = bases_of([figure.channel for figure in figures], own)
        if not self.by_laws or self.presence or self.near is not None or all(base == 1 for base in bases):
            return None
        try:
            linked = self.parts(list(dict.fromkeys(figures)))
            parts = [(self.whole_laws(atom, part), [figures.index(figure) for figure in part]) for part in linked]
        except InputError:  # too many rows of several columns
            return None
        key = (tuple((laws, tuple(places)) for laws, places in parts), bases, known, self.epsilon)
        if parts and key not in self._rounded:
            self._rounded[key] = jointly_rounded(parts, bases, known, self.epsilon)
        upper = self._rounded[key] if parts else None
        if upper is None:
            return None
        words = f"{len(figures)} figures about the same {atom.size} records, rounded where they cover nobody else"
        return Judgement(Bracket(0.0, upper), words, ROUNDED)

    # -- what the judge says -------------------------------------------------------------------------------------------

    @property
    def _first(self) -> "Docket":
        """The first of the scenarios by itself, with all that is remembered."""
        return self._before(self.judge, ())

    def _worst(self, each: Callable[["Docket"], Judgement]) -> Judgement:
        """What is told in the worst of the scenarios."""
        found = [each(one) for one in (self._first, *self.also)]
        worst = max(found, key=lambda one: one.delta.upper)
        lower = min(worst.delta.upper, max(one.delta.lower for one in found))
        words = f"{worst.because}; in the worst of {len(found)} scenarios"
        return replace(worst, delta=Bracket(lower, worst.delta.upper), because=words)

    def atom(self, atom: Atom, known: int, *, alone: bool, quick: bool = False) -> Judgement:
        """All the numbers that cover the atom, at once."""
        if self.also:
            return self._worst(lambda one: one.atom(atom, known, alone=alone, quick=quick))
        figures = [entry.figure for entry in atom.entries]
        if self.special(figures):
            return self._asked(partial(self.judge.judged, quick=quick), atom, figures, known, alone=alone)
        group = self.group(atom, known, alone=alone)
        if self.household is None:
            return self._meant(self.judge.judged(group, quick=quick), figures)
        return of_household(self.judge, self.household, group, quick=quick)

    def single(self, atom: Atom, figure: Figure, known: int, *, alone: bool, quick: bool = False) -> Judgement:
        """One figure of the atom by itself; its rounding counts only if it covers nobody else. Of a household no less
        is told than of one of its members, if all records are independent, as they may be.
        """
        if self.also:
            return self._worst(lambda one: one.single(atom, figure, known, alone=alone, quick=quick))
        if self.special([figure]):
            return self._asked(partial(self.judge.single, quick=quick), atom, [figure], known, alone=alone)
        group = self.one(atom, figure, known, alone=alone)
        if self.household is None:
            return self._meant(self.judge.single(group, quick=quick), [figure])
        found = of_household(self.judge, self.household, group, quick=quick)
        if self.household.only is not None:  # what one member is told of may be told
            return found
        least = min(found.delta.upper, self._one_person().single(_stated(group), quick=quick).delta.lower)
        return replace(found, delta=Bracket(least, found.delta.upper))

    def _meant(self, found: Judgement, figures: Sequence[Figure]) -> Judgement:
        """From above only, where facts are compared that may be told apart."""
        return replace(found, delta=Bracket(0.0, found.delta.upper)) if self._widely(figures) else found

    def _widely(self, figures: Sequence[Figure]) -> bool:
        more = self.near is not None or any(belief.answered for belief in self.beliefs)
        return more and any(self.records.adding(part).widely for part in self.parts(figures))

    def _grown(self, group: Group) -> Group | None:
        """The group as the judge is asked about it; None if nothing is left that hides anybody of it."""
        return group if self.household is None else grown(group, self.household)

    def _one_person(self) -> Judge:
        """A judge of what is told of one member of a household."""
        return Judge(self.secret, self.epsilon, self.enough)

    def passes(self, atom: Atom, known: int, *, alone: bool) -> bool:
        if self.also:
            return all(one.passes(atom, known, alone=alone) for one in (self._first, *self.also))
        if self.special(atom.figures):
            return self.atom(atom, known, alone=alone, quick=True).delta.certainly_at_most(self.enough)
        group = self.group(atom, known, alone=alone)
        if self.household is None:
            return self.judge.passes(group)
        return of_household(self.judge, self.household, group, quick=True).delta.certainly_at_most(self.enough)

    def roughly(self, atom: Atom, known: int) -> Fraction:
        if self.also:
            return max(one.roughly(atom, known) for one in (self._first, *self.also))
        if self.special(atom.figures):
            return Fraction(1)
        group = self._grown(self._plainly(atom, known))
        return Fraction(1) if group is None else steps(self.times, self.judge.epsilon) * self.judge.roughly(group)

    def heavy(self, atom: Atom) -> bool:
        if self.also:
            return any(one.heavy(atom) for one in (self._first, *self.also))
        if self.special(atom.figures):
            return False
        group = self._grown(self._plainly(atom, 0))
        return group is not None and self.judge.heavy(group)

    def crowd(self, atom: Atom) -> tuple[object, ...] | None:
        return self.judge.crowd(self._plainly(atom, 0)) if self.by_laws else None

    def _plainly(self, atom: Atom, known: int) -> Group:
        """The group as if all its figures were exact."""
        others = tuple(self.laws(atom, part) for part in self.parts(atom.figures))
        return Group(others, (EXACT,) * len(atom.entries), known)

    def witness(self, atom: Atom, figure: Figure, known: int, *, alone: bool) -> Witness | None:
        """The event by which one figure of the atom tells two facts about a record apart."""
        from dalenius.judge.witness import Telling

        if self.also:
            every = (self._first, *self.also)
            most = max(every, key=lambda one: one.single(atom, figure, known, alone=alone).delta.lower)
            return most.witness(atom, figure, known, alone=alone)
        if self._widely([figure]) or (self.household is not None and self.household.only is not None):
            return None  # an event may tell two facts apart that may be
        if self.special([figure]):
            return None  # the two worlds are no shifts of each other: no event is named
        telling = Telling("the count" if figure.kind == "count" else "the total", figure.unit(self.columns))
        group = self.one(atom, figure, known, alone=alone)
        if self.household is None:
            return self.judge.witness(group, telling)
        return self._one_person().witness(_stated(group), telling)

    def certain(self, figures: Sequence[Figure]) -> str:
        """A plain count of persons tells for sure whether one of them is there."""
        return PUBLIC if self.presence and any(not figure.confidential(self.columns) for figure in figures) else ""

    def curve(self, laws: Laws, known: int, channel: Push = EXACT) -> Curve:
        return self.judge.curve(laws, known, channel)

    def curves(self, atom: Atom, figures: Sequence[Figure], known: int) -> list[Curve]:
        """One for each independent part of what figures show of the atom's records, as if they were exact."""
        judge = self.judge.less_close()  # composing takes many places of each curve
        return [judge.curve(self.laws(atom, part), known, EXACT) for part in self.records.linked(figures)]

    def noise(self, figures: Sequence[Figure]) -> NoiseAlone:
        """What the noise of all these figures hides by itself, pair of facts by pair of facts."""
        return self.judge.noise(self._by_noise(figures))

    def pure(self, figures: Sequence[Figure]) -> float | Fraction:
        """The epsilon from which on the figures' noise hides a record completely; infinite if it never does."""
        pure = self.noise(figures).pure()
        return math.inf if pure is None else pure * self.times

    def noise_alone(self, figures: Sequence[Figure]) -> float:
        """A bound on δ by independent noise on every figure, whatever is known and believed of the others."""
        return times_up(self.noise(figures).upper(self.judge.epsilon), self.times, self.judge.epsilon)

    def apart(self, figures: Sequence[Figure]) -> tuple[tuple[Difference, ...], ...]:
        """By how much two facts about a person may differ in linked figures."""
        rows = self.linked_rows(figures)
        return self.judge.apart(rows if self.household is None else summed(rows, self.household))

    def _by_noise(self, figures: Sequence[Figure]) -> Group:
        group = Group((), tuple(figure.channel for figure in figures), 0, rows=self.rows(figures))
        if self.household is None:
            return group
        return replace(group, rows=tuple(summed(rows, self.household) for rows in group.rows))


def scenarios_of(beliefs: Sequence[ColumnBelief]) -> list[tuple[ColumnBelief, ...]]:
    """The beliefs of each scenario: every choice of one table of each."""
    each = [
        [replace(belief, table=table, scenarios=()) for table in (belief.table, *belief.scenarios)]
        if belief.scenarios
        else [belief]
        for belief in beliefs
    ]
    return [tuple(some) for some in product(*each)]


def _stated(group: Group) -> Group:
    """The group, if its records are independent and have the stated laws."""
    others = tuple(one.stated if isinstance(one, Laws) else one for one in group.others)
    return replace(group, others=others)


def _exactly(figure: Figure) -> Figure:
    """The figure as it is before noise and rounding."""
    return figure if figure.channel.exact else replace(figure, channel=EXACT)


def laws_of(atom: Atom, adding: Adding) -> Laws:
    """The laws of an atom's records, by what they add."""
    frame = adding.records.frame
    if frame.sample is not None and frame.sample.design != "simple":
        from dalenius.tables.drawing import drawn_laws

        return drawn_laws(frame.sample, atom.groups, adding)
    types = _types(atom, adding, least=False)
    if frame.sample is not None or any(belief.stance for belief in adding.records.about(adding.used)):
        return Laws(types, adding.domain, tuple(((), count) for _, count in types), attained=False)
    if frame.together is not None:
        return Laws(types, adding.domain, _coins(atom, adding, frame, frame.together), adding.changes)
    least = _types(atom, adding, least=True) if adding.estimated else ()
    return Laws(types, adding.domain, least, adding.changes, attained=adding.attained, answered=adding.answered)


def _coins(atom: Atom, adding: Adding, frame: Frame, together: Together) -> Types:
    """One member of each household, given all others: its law with the stated weight, and of the others nothing."""
    types: dict[tuple[tuple[Vector, Fraction], ...], int] = {}
    for cell, count in atom.groups:
        coins = together.among(cell, count, frame.groups.get(cell, 0))
        law = adding.law(cell, least=adding.estimated)
        for masses, some in ((tuple((v, together.weight * chance) for v, chance in law), coins), ((), count - coins)):
            if some:
                types[masses] = types.get(masses, 0) + some
    return tuple(types.items())


def _types(atom: Atom, adding: Adding, *, least: bool) -> Types:
    if len(atom.groups) == 1:  # nothing to compare: long laws take long to hash
        ((cell, count),) = atom.groups
        return ((adding.law(cell, least=least), count),)
    types: dict[tuple[tuple[Vector, Fraction], ...], int] = {}
    for cell, count in atom.groups:
        law = adding.law(cell, least=least)
        types[law] = types.get(law, 0) + count
    return tuple(types.items())
