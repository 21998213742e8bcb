"""How everybody stands with what is out, and what one more figure would change: the same judge, asked again only about
those groups of people that the figure touches.

Persons who are in exactly the same published numbers are a group. One more exact figure cuts some of the groups in two,
or tells of some a quantity that nothing told of them before; all others stand as they stood. (Another number of the
same quantity, which covers all of a group, is no news about its law; and where known records are a share of every
number, a further number only lowers how many of the group may be known.) So if everybody stood, and all groups that
are touched pass by the joint law of their own numbers, the figure may go out: the same bound as that of a decision
about all of it.

It is refused with a witness: numbers whose sum or difference is that of one group alone, which tells too much. Such
combinations are found by sums of random marks of people, and multiplied out before they are believed. A figure that
neither passes nor is refused in this way needs a decision about everything together, where moves and elimination are
tried as well.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Cell
from dalenius.plan.examination import holds
from dalenius.plan.finding import Finding, known_anywhere
from dalenius.plan.judging import docket_of
from dalenius.plan.question import Question, check_columns
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Combination, Cover, Entry, Ints, Tuples, mixed, quantities

MOST_SPLIT = 3  # columns of a table whose margins are formed as well
MOST_WITNESSED = 500  # groups that do not pass, for which a witness is looked for
NOT_HERE = "it needs a decision about everything together"

Words: TypeAlias = NDArray[np.uint64]


@final
@dataclass(frozen=True, slots=True)
class Prospect:
    """What would become of one more figure: it passes, it fails with a finding, or this does not settle it."""

    figure: Figure
    verdict: Verdict
    finding: Finding | None = None
    because: str = ""
    people: int = 0  # in the smallest of its numbers

    @property
    def certain(self) -> float:
        """At least so much δ; 0 where nothing is proved."""
        return 0.0 if self.finding is None else self.finding.delta.lower


@final
@dataclass(frozen=True, slots=True)
class _Formed:
    """A number that is out, or a margin that adds some up."""

    figure: int
    labels: tuple[int, ...]


@final
class Standing:
    """Everybody's standing with the figures that are out; `ask` about one more, as often as one likes."""

    def __init__(self, figures: Sequence[Figure], question: Question) -> None:
        self.figures, self.question = tuple(figures), question
        self.cover = Cover.of(self.figures, question.frame, question.columns)
        self.tuples = Tuples.of(question.frame.columns, self.cover.tuples)
        self.docket = docket_of(question).less_close()
        self.close = docket_of(question)
        self.known, self.share = known_anywhere(question)
        self.public = frozenset(question.frame.columns)
        self.values = dict(zip(self.tuples.columns, self.tuples.values, strict=True))  # that occur, of each column
        self.exact = all(figure.channel.exact for figure in self.figures)
        plain = not question.special and not question.promise and question.over_editions(self.figures) is None
        self.quick = self.exact and self.docket.by_laws and plain
        self._own = mixed(np.arange(len(self.cover.tuples), dtype=np.uint64))
        self._quantity = dict(zip(self.figures, self.cover.quantity_of.tolist(), strict=True))
        self._alike: dict[object, int] = {}
        self._crowds: dict[tuple[object, ...], tuple[float, float]] = {}
        self._sums: dict[int, dict[int, _Formed]] = {}
        self._caps = self._least_known()
        self._entries = [{entry.figure: entry for entry in atom.entries} for atom in self.cover.atoms]
        self.open = frozenset(place for place in self._halving() if not self._stands(place))

    # -- what is out ---------------------------------------------------------------------------------------------------

    def _least_known(self) -> list[int]:
        """How many records of each group may be known at most."""
        if self.share is None:
            return [self.known] * len(self.cover.atoms)
        sizes, share = self.cover.sizes(), self.share
        return [
            min([self.known, *(math.ceil(share * sizes[entry]) for entry in atom.entries)]) for atom in self.cover.atoms
        ]

    def _halving(self) -> list[int]:
        """The groups, the middle one by size first, then those in the middle of what is left: so few are judged."""
        by_size = sorted(range(len(self.cover.atoms)), key=lambda place: self.cover.atoms[place].size)
        found, spans = list[int](), [(0, len(by_size))]
        for low, high in spans:
            if low < high:
                middle = (low + high) // 2
                found.append(by_size[middle])
                spans += [(low, middle), (middle + 1, high)]
        return found

    def _stands(self, place: int) -> bool:
        """Whether a group passes by the joint law of its own numbers."""
        atom = self.cover.atoms[place]
        known, alone = min(atom.size - 1, self._caps[place]), self._alone(place)
        held = self._reduced(place, atom.groups) if self.exact else atom
        return self.passes(held, known, alone=alone)

    def _alone(self, place: int) -> bool:
        atom = self.cover.atoms[place]
        if len(atom.entries) != 1:
            return False
        figure = self.figures.index(atom.entries[0].figure)
        part = int(self.cover.part_of[figure])
        cell = self.cover.cells[part].index(atom.entries[0].cell)
        return int(self.cover.counts[self.cover.labels[part] == cell].sum()) == atom.size

    def passes(self, atom: Atom, known: int, *, alone: bool) -> bool:
        """Whether a group passes by the joint law of its own numbers. Of exact figures, and people of one kind, whoever
        is hidden by more open records than others who pass, passes: more records of one law hide better.
        """
        crowd = self.docket.crowd(atom) if self.quick and len(atom.entries) > 0 else None
        if crowd is None:
            return self._judged(atom, known, alone=alone)
        unknown = atom.size - known
        most_failed, least_passed = self._crowds.get(crowd, (0, math.inf))
        if unknown <= most_failed or unknown >= least_passed:
            return unknown >= least_passed
        passing = self._judged(atom, known, alone=alone)
        self._crowds[crowd] = (most_failed, unknown) if passing else (unknown, least_passed)
        return passing

    def _judged(self, atom: Atom, known: int, *, alone: bool) -> bool:
        return holds(self.docket, atom, known, alone=alone) or (
            any(belief.least is not None for belief in self.docket.beliefs)
            and holds(self.close, atom, known, alone=alone)
        )

    def _reduced(self, place: int, groups: tuple[tuple[Cell, int], ...], more: Entry | None = None) -> Atom:
        """Some people of a group, with one number for each quantity: exact ones of one quantity tell the same."""
        told = self.cover.atoms[place].figures if place >= 0 else ()
        entries = [self._entries[place][figure] for figure in told] if place >= 0 else []
        if more is not None:
            entries.append(more)
        return Atom(tuple(entries), groups, tuple(entry.figure for entry in entries))

    def closest(self, most: int = 5) -> list[tuple[Atom, float]]:
        """The groups that are told most of, by a bound: those who are nearest to being given away. None over several
        editions of a series: those who did not change hide nobody there, and the law of one edition is no bound.
        """
        if self.question.over_editions(self.figures) is not None:
            return []
        smallest = sorted(
            range(len(self.cover.atoms)), key=lambda place: self.cover.atoms[place].size - self._caps[place]
        )
        found = []
        for place in smallest[: 4 * most]:
            atom = self.cover.atoms[place]
            held = self._reduced(place, atom.groups) if self.exact else atom
            known = min(atom.size - 1, self._caps[place])
            found.append((atom, float(self.close.atom(held, known, alone=self._alone(place)).delta.upper)))
        return sorted(found, key=lambda pair: (-pair[1], pair[0].size))[:most]

    # -- one more figure -----------------------------------------------------------------------------------------------

    def ask(self, figure: Figure) -> Prospect:
        """May this figure go out, too? Cost: a pass over the distinct public tuples, and the groups that it touches."""
        check_columns(figure, self.question)
        if figure.name in {one.name for one in self.figures}:
            figure = replace(figure, name=f"next {figure.name}")
        labels, cells = self.tuples.labels(figure.where.on(self.public), figure.by)
        inside = labels >= 0
        people = np.bincount(labels[inside], weights=self.cover.counts[inside], minlength=len(cells)).astype(np.int64)
        least = int(people.min()) if len(people) else 0
        if not self.quick or not figure.channel.exact or self.question.over_editions((*self.figures, figure)):
            return Prospect(figure, Verdict.REVIEW, because=NOT_HERE, people=least)
        figure.check_number(self.question.columns, self.question.secret)
        touched = _Touched.of(self, figure, labels, cells, people)
        failing = [piece for piece in touched.pieces if not self.passes(piece.atom, piece.known, alone=piece.alone)]
        if not failing and self.open <= touched.replaced:
            return Prospect(figure, Verdict.PASS, people=least)
        # who is not touched may still be what two numbers differ by
        still = [self._whole(place) for place in self.open - touched.replaced]
        finding = touched.witnessed(sorted([*failing, *still], key=lambda piece: piece.atom.size)[:MOST_WITNESSED])
        if finding is not None:
            return Prospect(figure, Verdict.FAIL, finding, people=least)
        return Prospect(figure, Verdict.REVIEW, because=NOT_HERE, people=least)

    def _whole(self, place: int) -> "_Piece":
        """A group as it is."""
        atom = self.cover.atoms[place]
        rows, known = np.flatnonzero(self.cover.member == place), min(atom.size - 1, self._caps[place])
        return _Piece(self._reduced(place, atom.groups), rows, known, alone=self._alone(place))

    def quantity(self, figure: Figure) -> int:
        """Which of the quantities that are out the figure adds up; -1 for a new one."""
        key = (figure.kind, figure.column, figure.truncated, figure.where.on(figure.where.columns - self.public))
        if key not in self._alike:
            number = quantities((*self.cover.told, figure), self.question.columns)[-1]
            self._alike[key] = number if number < len(self.cover.told) else -1
        return self._alike[key]

    def sums(self, quantity: int) -> Mapping[int, _Formed]:
        """The numbers of a quantity, and margins that they add up to, by the sum of their people's marks."""
        if quantity not in self._sums:
            found: dict[int, _Formed] = {}
            seen = set[int]()
            for place in np.flatnonzero(self.cover.quantity_of == quantity).tolist():
                part = int(self.cover.part_of[place])
                if part in seen:
                    continue
                seen.add(part)
                for formed in self._formed(place, part):
                    mask = np.isin(self.cover.labels[part], formed.labels)
                    found.setdefault(self.mark(mask), formed)
            self._sums[quantity] = found
        return self._sums[quantity]

    def _formed(self, place: int, part: int) -> Iterator[_Formed]:
        cells = self.cover.cells[part]
        for label in range(len(cells)):
            yield _Formed(place, (label,))
        split = len(self.figures[place].by)
        if not 0 < split <= MOST_SPLIT:
            return
        for size in range(split):
            for kept in combinations(range(split), size):
                margins: dict[Cell, list[int]] = {}
                for label, cell in enumerate(cells):
                    margins.setdefault(tuple(cell[at] for at in kept), []).append(label)
                yield from (_Formed(place, tuple(labels)) for labels in margins.values() if len(labels) > 1)

    def mark(self, mask: NDArray[np.bool_]) -> int:
        """The sum of marks of the distinct public tuples that are meant."""
        return int(np.where(mask, self._own, np.uint64(0)).sum(dtype=np.uint64))

    def mask(self, formed: _Formed) -> NDArray[np.bool_]:
        """Who is in a number, or in a margin."""
        part = int(self.cover.part_of[formed.figure])
        return np.isin(self.cover.labels[part], formed.labels)

    def entries_of(self, formed: _Formed) -> tuple[Entry, ...]:
        """The numbers that are added up."""
        part = int(self.cover.part_of[formed.figure])
        return tuple(Entry(self.figures[formed.figure], self.cover.cells[part][label]) for label in formed.labels)


@final
@dataclass(frozen=True, slots=True)
class _Piece:
    """People of a group that a figure touches: inside of one of its numbers, or outside."""

    atom: Atom
    rows: Ints
    known: int
    alone: bool


@final
@dataclass(frozen=True, slots=True)
class _Touched:
    """The groups that a figure touches, as they would be."""

    standing: Standing
    figure: Figure
    labels: NDArray[np.int32]
    cells: tuple[Cell, ...]
    people: Ints
    pieces: tuple[_Piece, ...]
    replaced: frozenset[int]  # groups all of whose people are in these pieces

    @classmethod
    def of(
        cls, standing: Standing, figure: Figure, labels: NDArray[np.int32], cells: tuple[Cell, ...], people: Ints
    ) -> "_Touched":
        cover = standing.cover
        member = cover.member
        code = (member + 1) * (len(cells) + 1) + labels + 1
        distinct, inverse = np.unique(code, return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        ends = np.cumsum(np.bincount(inverse, minlength=len(distinct)))[:-1]
        by_code = dict(zip(distinct.tolist(), np.split(order, ends), strict=True))
        of_group: dict[int, list[tuple[int, Ints]]] = {}
        for each, rows in by_code.items():
            group, label = divmod(each, len(cells) + 1)
            of_group.setdefault(group - 1, []).append((label - 1, rows))
        quantity, pieces, replaced = standing.quantity(figure), list[_Piece](), set[int]()
        for group, parts in of_group.items():
            told = group >= 0 and any(standing._quantity[one] == quantity for one in cover.atoms[group].figures)
            if len(parts) == 1 and (parts[0][0] < 0 or told):
                continue
            if group >= 0:
                replaced.add(group)
            for label, rows in parts:
                if label < 0 and group < 0:
                    continue
                pieces.append(_piece(standing, figure, cells, people, group, label, rows, told=told))
        return cls(standing, figure, labels, cells, people, tuple(pieces), frozenset(replaced))

    def witnessed(self, failing: Sequence[_Piece]) -> Finding | None:
        """A number, or two of which one is the new one, that give a group's number alone, and that tells too much."""
        for piece in failing:
            combination = self._combination(piece)
            if combination is not None:
                finding = self._refused(piece, combination)
                if finding is not None:
                    return finding
        for label in range(len(self.cells)):
            rows = np.flatnonzero(self.labels == label)
            if any(np.isin(piece.rows, rows).all() for piece in failing):
                entry = Entry(self.figure, self.cells[label])
                whole = _some_people(self.standing, rows)
                known = min(self.standing.known, sum(count for _, count in whole) - 1)
                sure = 0 if self.standing.share is not None else known
                piece = _Piece(Atom((entry,), whole, (self.figure,)), rows, sure, alone=True)
                finding = self._refused(piece, ((Fraction(1), entry),))
                if finding is not None:
                    return finding
        return None

    def _combination(self, piece: _Piece) -> Combination | None:
        standing = self.standing
        target = np.zeros(len(self.labels), dtype=bool)
        target[piece.rows] = True
        mark = standing.mark(target)
        sums = standing.sums(standing.quantity(self.figure))
        for label in [*range(len(self.cells)), *([-1] if len(self.cells) > 1 else [])]:
            mask = self.labels == label if label >= 0 else self.labels >= 0
            numbers = [Entry(self.figure, cell) for cell in (self.cells if label < 0 else [self.cells[label]])]
            new = tuple((Fraction(1), entry) for entry in numbers)
            own = standing.mark(mask)
            if own == mark and bool((mask == target).all()):
                return new
            formed = sums.get((own - mark) % 2**64)
            if formed is not None and _is_sum(standing.mask(formed), target, mask):
                return (*new, *((Fraction(-1), entry) for entry in standing.entries_of(formed)))
            formed = sums.get((own + mark) % 2**64)
            if formed is not None and _is_sum(mask, target, standing.mask(formed)):
                old = tuple((Fraction(1), entry) for entry in standing.entries_of(formed))
                return (*old, *((-weight, entry) for weight, entry in new))
        return None

    def _refused(self, piece: _Piece, combination: Combination) -> Finding | None:
        """What the judge says of the group's number, known exactly; None if it does not tell too much for sure."""
        standing, target = self.standing, self.standing.question.target.delta
        judged = standing.close.single(piece.atom, self.figure, piece.known, alone=piece.alone)
        if not judged.delta.certainly_above(target):
            return None
        upper = max(judged.delta.lower, standing.close.atom(piece.atom, piece.known, alone=piece.alone).delta.upper)
        event = standing.close.witness(piece.atom, self.figure, piece.known, alone=piece.alone)
        delta = Bracket(min(judged.delta.lower, upper), upper)
        return Finding(
            piece.atom, delta, Verdict.FAIL, piece.known, event, combination, judged.because, route=judged.route
        )


def _is_sum(one: NDArray[np.bool_], other: NDArray[np.bool_], whole: NDArray[np.bool_]) -> bool:
    """Whether the two are disjoint and together the whole, person by person: marks only say where to look."""
    return not bool((one & other).any()) and bool(((one | other) == whole).all())


def _some_people(standing: Standing, rows: Ints) -> tuple[tuple[Cell, int], ...]:
    return tuple((standing.cover.tuples[row], int(standing.cover.counts[row])) for row in rows.tolist())


def _piece(
    standing: Standing,
    figure: Figure,
    cells: tuple[Cell, ...],
    people: Ints,
    group: int,
    label: int,
    rows: Ints,
    *,
    told: bool,
) -> _Piece:
    groups = _some_people(standing, rows)
    size = sum(count for _, count in groups)
    entry = Entry(figure, cells[label]) if label >= 0 else None
    atom = standing._reduced(group, groups, None if told else entry)
    cap = standing._caps[group] if group >= 0 else standing.known
    if standing.share is not None and label >= 0:
        cap = min(cap, math.ceil(standing.share * int(people[label])))
    alone = group < 0 and label >= 0 and int(people[label]) == size
    if not atom.entries:
        raise InputError("A group of people needs a number, but got none. This is a defect: report it.")
    return _Piece(atom, rows, min(size - 1, cap), alone)
