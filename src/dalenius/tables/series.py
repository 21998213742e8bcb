"""A table that comes out in editions, judged with all of its editions that are out.

Figures of one edition are about the values of then, and values change from one edition to the next with stated
probabilities. What covers a person in different editions is therefore not one quantity: people are sorted into strata,
who are in the same cells whenever they are there, and a spell of a person's history is hidden by who came, who left and
who changed (`spells.py`; docs/series.md).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.coins import Vector
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Categories, Cell, Column, Label
from dalenius.judge.engine import EXACT, Judgement
from dalenius.judge.group import first_noise
from dalenius.judge.noise import NoiseAlone
from dalenius.tables.contributions import Adding, linked
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Cover
from dalenius.tables.spells import Rate, Spells, Stay, Stratum

LARGEST_DOMAIN = 8  # different contributions of a record up to which pairs of facts are gone through
SHARES = tuple(Fraction(part, 4) for part in (1, 2, 3))  # of epsilon that noise may take
ROUNDING = 1e-12  # more than the sum of a few bounds loses
NEVER: Rate = (Fraction(0), Fraction(0))


@final
@dataclass(frozen=True, slots=True)
class Series:
    """What is said of a table that comes out in editions: since when and until when a row is in it, how likely a value
    of each column is drawn anew from one edition to the next (at least, at most), how many editions are announced, and
    which share of the people joins and leaves.

    `months`: of each figure the place of its edition, and the figure without the condition of that edition.
    """

    since: str
    until: str | None
    changes: Mapping[str, Rate]
    editions: int
    joins: Fraction = Fraction(0)
    leaves: Fraction = Fraction(0)
    source: str = ""
    now: int = 0
    calendar: Mapping[str, Column] = field(default_factory=dict)  # the columns since and until
    months: Mapping[str, tuple[int, Figure]] = field(default_factory=dict)

    def with_months(self, months: Mapping[str, tuple[int, Figure]]) -> "Series":
        """The same with more figures."""
        return replace(self, months={**self.months, **months})

    def several(self, figures: Sequence[Figure]) -> bool:
        """Whether the figures are of more than one edition."""
        return len({self.month(figure) for figure in figures}) > 1

    def month(self, figure: Figure) -> int:
        return self.months[figure.name][0] if figure.name in self.months else self.now

    def base(self, figure: Figure) -> Figure:
        """The figure without the condition of its edition."""
        return self.months[figure.name][1] if figure.name in self.months else figure

    def changed(self, column: str, editions: int) -> Rate:
        """How likely a value is drawn anew within so many editions."""
        low, high = self.changes.get(column, NEVER)
        return 1 - (1 - low) ** editions, 1 - (1 - high) ** editions

    def stay(self, columns: Sequence[str], cell: Cell) -> tuple[int, int]:
        """Since which edition a row is there, and until which."""
        since = place_of(self.calendar[self.since], cell[columns.index(self.since)])
        if self.until is None:
            return since, max([since, self.now, *(month for month, _ in self.months.values())])
        return since, place_of(self.calendar[self.until], cell[columns.index(self.until)])


def place_of(column: Column, value: Label | Fraction) -> int:
    """The place of an edition among all that the column may name, from 0."""
    if isinstance(column, Categories):
        return column.values.index(value)
    return math.floor((Fraction(value) - column.lower) / column.unit)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _MonthTopic:
    """Figures about one confidential column, without the conditions of their editions, each once."""

    column: str
    cover: Cover
    adding: Adding
    figures: tuple[Figure, ...]  # as they went out
    exact: int  # editions from the first on, of which some figure is exact; later ones have noise everywhere


@final
@dataclass(frozen=True, slots=True, eq=False)
class Episodes:
    """Judges the people of a release with all editions that are out."""

    cover: Cover
    docket: Docket
    series: Series
    known: int
    share: Fraction | None = None  # of every published number, if the attacker knows no more of any
    _topics: list[_MonthTopic] = field(default_factory=list, repr=False, init=False)
    _judges: dict[Fraction, Spells] = field(default_factory=dict, repr=False, init=False)
    _uppers: dict[tuple[int, int], float] = field(default_factory=dict, repr=False, init=False)

    @property
    def months(self) -> list[int]:
        """The places of the editions of which figures are out, in order."""
        return sorted({self.series.month(figure) for figure in self._confidential})

    @property
    def _confidential(self) -> list[Figure]:
        return [figure for figure in self.cover.figures if figure.confidential(self.docket.columns)]

    def judged(self, place: int) -> Judgement:
        """A bound on all that the editions tell about a person of the atom, over any one spell of theirs."""
        atom = self.cover.atoms[place]
        if certain := self.docket.certain(atom.figures):
            return Judgement(Bracket(0.0, 1.0), certain, "series")
        size = f"{atom.size} record{'' if atom.size == 1 else 's'}"
        try:
            upper = max(math.fsum(self._upper(*stratum) for stratum in row) for row in self.strata(place))
        except InputError as error:
            return Judgement(Bracket(0.0, 1.0), str(error), "series")
        words = f"{size} over {len(self.months)} editions; who came, who left and who changed hides a spell of theirs"
        return Judgement(Bracket(0.0, min(1.0, upper * (1 + ROUNDING))), words, "series")

    @property
    def topics(self) -> Sequence[_MonthTopic]:
        """One for each confidential column: they are independent."""
        if not self._topics:
            columns = self.docket.columns
            every = [(figure, self.series.base(figure)) for figure in self._confidential]
            for group in linked([base for _, base in every], columns, self.docket.beliefs):
                inside = {id(base) for base in group}
                self._topics.append(self._topic([figure for figure, base in every if id(base) in inside], group))
        return self._topics

    def _topic(self, figures: Sequence[Figure], bases: Sequence[Figure]) -> _MonthTopic:
        once = dict.fromkeys(replace(base, name="", channel=EXACT) for base in bases)
        named = [replace(base, name=str(place)) for place, base in enumerate(once)]
        adding = self.docket.records.adding(named)
        if len(adding.used) > 1:
            raise InputError(
                f"figures use {' and '.join(adding.used)} together, and over several editions only figures of one "
                "confidential column each can be judged"
            )
        noisy = {
            month: all(_noisy(figure) for figure in figures if self.series.month(figure) == month)
            for month in self.months
        }
        exact = max((place for place, month in enumerate(self.months, 1) if not noisy[month]), default=0)
        cover = Cover.of(named, self.docket.frame, self.docket.columns)
        return _MonthTopic(adding.used[0], cover, adding, tuple(figures), exact)

    def strata(self, place: int) -> list[list[tuple[int, int]]]:
        """Of each public tuple of an atom the strata that it is in: a topic, and a number."""
        found = []
        for row in np.flatnonzero(self.cover.member == place).tolist():
            members = [int(topic.cover.member[row]) for topic in self.topics]
            found.append([(at, member) for at, member in enumerate(members) if member >= 0])
        return found

    def stated(self, place: int, member: int) -> tuple[Stratum, list[Vector]]:
        """A stratum, and what a record may add to its figures."""
        topic, axes = self.topics[place], self._axes(place, member)
        rows = np.flatnonzero(topic.cover.member == member).tolist()
        facts = list(dict.fromkeys(tuple(vector[axis] for axis in axes) for vector in topic.adding.domain))
        if self.docket.presence:  # who is absent over a spell adds nothing
            facts = list(dict.fromkeys([*facts, (0,) * len(axes)]))
        if len(facts) > LARGEST_DOMAIN:
            raise InputError(
                f"a record may add {len(facts)} different things to figures of {topic.column}, and over several "
                f"editions at most {LARGEST_DOMAIN} are gone through"
            )
        return self._stratum(topic, rows, axes), facts

    def _axes(self, place: int, member: int) -> list[int]:
        """The quantities of a topic that the people of a stratum are in."""
        cover = self.topics[place].cover
        row = int(np.flatnonzero(cover.member == member)[0])
        return [int(axis) for axis in np.flatnonzero(cover.labels[cover.part_of, row] >= 0)]

    def quantities(self, place: int, member: int) -> list[int]:
        """The same, numbered through all topics."""
        before = sum(len(topic.cover.figures) for topic in self.topics[:place])
        return [before + axis for axis in self._axes(place, member)]

    def shown(self, figure: Figure) -> tuple[int, int] | None:
        """Of which edition a figure is, from 1 on, and which quantity it is; None if no confidential column is used."""
        if not figure.confidential(self.docket.columns):
            return None
        keys = [key for topic in self.topics for key in _keys(topic.cover)]
        return self.months.index(self.series.month(figure)) + 1, keys.index(_key(self.series.base(figure)))

    def _upper(self, place: int, member: int) -> float:
        if (place, member) not in self._uppers:
            self._uppers[place, member] = self._fresh(place, member)
        return self._uppers[place, member]

    def _fresh(self, place: int, member: int) -> float:
        topic, epsilon = self.topics[place], self.docket.epsilon / len(self.topics)
        stratum, facts = self.stated(place, member)
        found = [] if topic.exact == 0 else [self._spells(epsilon).upper(stratum, facts)]
        if topic.exact < len(self.months):
            row = int(np.flatnonzero(topic.cover.member == member)[0])
            found.append(self._beside(topic, row, stratum, facts, epsilon))
        return min(found)

    def _spells(self, epsilon: Fraction) -> Spells:
        if epsilon not in self._judges:
            self._judges[epsilon] = Spells(epsilon, self.docket.enough / len(self.topics))
        return self._judges[epsilon]

    def _beside(
        self, topic: _MonthTopic, row: int, stratum: Stratum, facts: Sequence[Vector], epsilon: Fraction
    ) -> float:
        """Editions with noise after exact ones: coins hide the exact part, and noise what differs besides."""
        noise = self.docket.noise(self._noisy(topic, row))
        return beside(self._spells, stratum, topic.exact, facts, noise, (epsilon, self.docket.enough))

    def _noisy(self, topic: _MonthTopic, row: int) -> list[Figure]:
        """The figures with noise of a person who is in every number of the editions that have noise."""
        late = set(self.months[topic.exact :])
        inside = topic.cover.labels[:, row] >= 0
        covered = {
            key for key, part in zip(_keys(topic.cover), topic.cover.part_of.tolist(), strict=True) if inside[part]
        }
        return [
            figure
            for figure in topic.figures
            if self.series.month(figure) in late and _key(self.series.base(figure)) in covered
        ]

    def noise_of(self, place: int, member: int) -> tuple[int, list[tuple[Figure, int]]]:
        """Of a stratum: how many editions from the first on some figure of which is exact; and where there are later
        ones, the figures with noise, each with its place in what a record adds to one edition.
        """
        topic, axes = self.topics[place], self._axes(place, member)
        row = int(np.flatnonzero(topic.cover.member == member)[0])
        place_of_key = {key: axes.index(at) for at, key in enumerate(_keys(topic.cover)) if at in axes}
        found = self._noisy(topic, row) if topic.exact < len(self.months) else []
        return topic.exact, [(figure, place_of_key[_key(self.series.base(figure))]) for figure in found]

    def _stratum(self, topic: _MonthTopic, rows: Sequence[int], axes: Sequence[int]) -> Stratum:
        months, columns = self.months, self.docket.frame.columns
        steps = tuple(self.series.changed(topic.column, later - month) for month, later in pairwise(months))
        people: dict[tuple[int, int, tuple[tuple[Vector, Fraction], ...]], int] = {}
        for row in rows:
            cell = topic.cover.tuples[row]
            since, until = self.series.stay(columns, cell)
            there = [place for place, month in enumerate(months, 1) if since <= month <= until]
            if there:
                key = there[0], there[-1], _short(topic.adding.law(cell, least=topic.adding.estimated), axes)
                people[key] = people.get(key, 0) + int(topic.cover.counts[row])
        sizes = self._sizes(topic, rows[0]) if self.share is not None else {}
        stays = (Stay(*key, n, self._known(n, key[:2], sizes)) for key, n in sorted(people.items()))
        return Stratum(tuple(stays), steps)

    def _known(self, people: int, there: tuple[int, int], sizes: Mapping[int, int]) -> int:
        """How many of these the attacker knows, at most: all that are known, or a share of a number they are in."""
        known = min(people - 1, self.known)
        if self.share is None:
            return known
        return min([known, *(math.ceil(self.share * sizes[at]) for at in range(there[0], there[1] + 1) if at in sizes)])

    def _sizes(self, topic: _MonthTopic, row: int) -> dict[int, int]:
        """Of each edition how many people the smallest published number covers in which the people of a tuple are."""
        columns, cover = self.docket.frame.columns, topic.cover
        stays = [self.series.stay(columns, cell) for cell in cover.tuples]
        part = dict(zip(_keys(cover), cover.part_of.tolist(), strict=True))
        found: dict[int, int] = {}
        for place, month in enumerate(self.months, 1):
            there = np.array([since <= month <= until for since, until in stays])
            parts = {part[_key(self.series.base(one))] for one in topic.figures if self.series.month(one) == month}
            mine = [cover.labels[at] == cover.labels[at, row] for at in parts if cover.labels[at, row] >= 0]
            if mine:
                found[place] = min(int(cover.counts[there & inside].sum()) for inside in mine)
        return found


def beside(
    judge: Callable[[Fraction], Spells],
    stratum: Stratum,
    exact: int,
    facts: Sequence[Vector],
    noise: NoiseAlone,
    wanted: tuple[Fraction, Fraction],
) -> float:
    """A bound on δ at ε where coins hide a spell in the first `exact` editions, and noise what differs in those after
    them; `wanted` is ε, and the δ that is to be reached.
    """
    epsilon, enough = wanted
    if exact == 0:
        return noise.upper(epsilon)
    before, pure, best = stratum.before(exact), noise.pure(), 1.0
    if pure is not None and pure <= epsilon:
        return judge(epsilon - pure).by_coins(before, facts)
    for share in SHARES:
        hidden = noise.upper(epsilon * share)
        if hidden < best and hidden < enough:
            best = min(best, judge(epsilon * (1 - share)).by_coins(before, facts) + hidden)
    return best * (1 + ROUNDING)


def _short(law: Sequence[tuple[Vector, Fraction]], axes: Sequence[int]) -> tuple[tuple[Vector, Fraction], ...]:
    """The law of what is added to some of the figures."""
    seen: dict[Vector, Fraction] = {}
    for vector, chance in law:
        at = tuple(vector[axis] for axis in axes)
        seen[at] = seen.get(at, Fraction(0)) + chance
    return tuple(sorted(seen.items()))


def _noisy(figure: Figure) -> bool:
    return first_noise(figure.channel).random


def _key(figure: Figure) -> Figure:
    return replace(figure, name="", channel=EXACT)


def _keys(cover: Cover) -> list[Figure]:
    return [_key(figure) for figure in cover.figures]
