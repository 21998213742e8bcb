"""The next question: figures that look harmless and would give somebody away together with what is out.

Differences are made by questions that are nearly the same. So what is tried first are the neighbours of what is out:
each condition with one test more, one test less, one value more or less of one; then all conditions of two tests. Each
is put before the same judge as any figure (`Standing`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.patience import Left, always
from dalenius.claims import Verdict
from dalenius.facts.records import (
    Between,
    Combinations,
    Conjunct,
    Label,
    Numbers,
    OneOf,
    Where,
    holds,
    shown_column,
    shown_value,
)
from dalenius.plan.question import Question
from dalenius.plan.standing import Prospect, Standing
from dalenius.tables.figures import Figure, Kind
from dalenius.tables.history import Atom

Values: TypeAlias = frozenset[object]

MOST_LABELS = 12  # of a confidential column, each of which is counted
MOST_BASES = 3_000  # conditions that are out, whose neighbours are tried
ORDERED = 4  # values of a column from which on its beginnings are conditions, too
HARMLESS = 10  # persons in a number that looks harmless


@final
@dataclass(frozen=True, slots=True)
class Quantity:
    """What a question adds up."""

    kind: Kind
    column: str | None
    private: tuple[Conjunct, ...]
    truncated: tuple[Fraction, Fraction] | None = None

    def __str__(self) -> str:
        what = "count" if self.column is None else f"sum of {self.column}"
        return f"{what} where {Where(self.private)}" if self.private else what


@final
@dataclass(frozen=True, slots=True)
class NextQuestions:
    """Questions that would give somebody away, the worst first; and how far the search came."""

    found: tuple[Prospect, ...]
    open: tuple[Prospect, ...]  # not settled: only a decision about everything together says
    more: tuple[int, int]  # how many of either are not named
    tried: int
    complete: bool
    closest: tuple[tuple[Atom, float], ...]  # of the smallest groups, what is told of them at most


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """Public tests, as the values that each column may have; `others` are conditions of another form."""

    values: Mapping[str, Values]
    others: tuple[Conjunct, ...] = ()

    def limited(self, column: str, values: Values) -> "Condition":
        """With one test more."""
        held = self.values.get(column)
        return Condition({**self.values, column: values if held is None else held & values}, self.others)

    def freed(self, column: str) -> "Condition":
        """With one test less."""
        return Condition({name: held for name, held in self.values.items() if name != column}, self.others)

    def tests(self, every: Mapping[str, Sequence[Label | Fraction]]) -> tuple[Conjunct, ...]:
        """As tests of a figure."""
        listed = ((name, OneOf(tuple(v for v in every[name] if v in held))) for name, held in self.values.items())
        return (*listed, *self.others)

    def words(self, every: Mapping[str, Sequence[Label | Fraction]]) -> str:
        """In words, by what is left out where that is shorter."""
        told = []
        for name, held in self.values.items():
            out = [value for value in every[name] if value not in held]
            if not out:
                continue
            inside = [value for value in every[name] if value in held]
            shown, sign = (out, "not ") if len(out) < len(inside) else (inside, "")
            told.append(f"{shown_column(name)} {sign}{', '.join(map(shown_value, shown))}")
        others = [str(Where(self.others))] if self.others else []
        return " and ".join([*told, *others])


def next_questions(
    standing: Standing,
    *,
    of: Sequence[Conjunct] = (),
    harmless: int = HARMLESS,
    most: int = 20,
    left: Left = always,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> NextQuestions:
    """Figures of declared columns that by themselves would pass, cover at least `harmless` persons, and fail beside
    what is out. `of`: tests that every question has, such as who is in the present edition. Cost: one question to the
    judge for each that is tried, some milliseconds.
    """
    found, unsettled, tried, seen = list[Prospect](), list[Prospect](), 0, set[tuple[Quantity, int]]()
    nothing = Standing((), standing.question)
    complete = True
    for quantity, condition in _candidates(standing):
        if not left():
            complete = False
            break
        figure = _figure(standing, quantity, condition, of)
        labels, _ = standing.tuples.labels(figure.where.on(standing.public), ())
        mask = labels >= 0
        key = quantity, standing.mark(mask)
        people = int(standing.cover.counts[mask].sum())
        if key in seen or people < harmless:
            continue
        seen.add(key)
        known = standing.quantity(figure)
        if known >= 0 and key[1] in standing.sums(known):
            continue
        tried += 1
        progress("asking what might be asked next", tried, 0)
        outlook = standing.ask(figure)
        if outlook.verdict == Verdict.PASS or nothing.ask(figure).verdict != Verdict.PASS:
            continue
        (found if outlook.verdict == Verdict.FAIL else unsettled).append(outlook)
    ranked = sorted(found, key=_rank)
    return NextQuestions(
        tuple(ranked[:most]),
        tuple(unsettled[:most]),
        (len(ranked[most:]), len(unsettled[most:])),
        tried,
        complete,
        tuple(standing.closest()),
    )


def _rank(outlook: Prospect) -> tuple[float, int, int, str]:
    """Who is told most of first, then the fewest people, then the question that looks most harmless."""
    size = outlook.finding.atom.size if outlook.finding else 0
    return (-outlook.certain, size, -outlook.people, outlook.figure.name)


def _candidates(standing: Standing) -> Iterator[tuple[Quantity, Condition]]:
    every = standing.values
    singles = _singles(every)
    out = _quantities_out(standing)
    new = [one for one in _declared(standing.question) if one not in out]
    for quantity, conditions in out.items():
        for condition in conditions:
            for around in _neighbours(condition, singles, every):
                yield quantity, around
    plain = [Condition({column: values}) for column, values in singles]
    pairs = [
        Condition({one[0]: one[1], other[0]: other[1]}) for one, other in combinations(singles, 2) if one[0] != other[0]
    ]
    for quantity in (*out, *new):
        for condition in (Condition({}), *plain):
            yield quantity, condition
    for quantity in (*out, *new):
        for condition in pairs:
            yield quantity, condition


def _singles(every: Mapping[str, Sequence[Label | Fraction]]) -> list[tuple[str, Values]]:
    found: list[tuple[str, Values]] = []
    for name, values in every.items():
        if len(values) < 2:
            continue
        found += [(name, frozenset(values) - {value}) for value in values]
        found += [(name, frozenset({value})) for value in values if len(values) > 2]
        if len(values) >= ORDERED:
            found += [(name, frozenset(values[:end])) for end in range(2, len(values) - 1)]
    return found


def _quantities_out(standing: Standing) -> dict[Quantity, list[Condition]]:
    """What is out: each quantity with the conditions under which it is."""
    every, found = standing.values, dict[Quantity, list[Condition]]()
    known = set[tuple[Quantity, int]]()
    for place, figure in enumerate(standing.figures):
        private = figure.where.on(figure.where.columns - standing.public)
        kind: Kind = "count" if figure.column is None else "sum"
        quantity = Quantity(kind, figure.column, private.tests, figure.truncated)
        base = _condition(figure.where.on(standing.public), every)
        part = int(standing.cover.part_of[place])
        conditions = [base]
        for cell in standing.cover.cells[part] if figure.by else ():
            inside = base
            for name, value in zip(figure.by, cell, strict=True):
                inside = inside.limited(name, frozenset({value}))
            conditions.append(inside)
        held = found.setdefault(quantity, [])
        for condition in conditions:
            mark = standing.mark(standing.tuples.labels(Where(condition.tests(every)), ())[0] >= 0)
            if len(held) < MOST_BASES and (quantity, mark) not in known:
                known.add((quantity, mark))
                held.append(condition)
    return found


def _condition(where: Where, every: Mapping[str, Sequence[Label | Fraction]]) -> Condition:
    values: dict[str, Values] = {}
    others: list[Conjunct] = []
    for item in where.tests:
        if isinstance(item, tuple) and isinstance(item[1], OneOf | Between):
            name, test = item
            passing = frozenset(value for value in every[name] if holds(test, value))
            values[name] = values[name] & passing if name in values else passing
        else:
            others.append(item)
    return Condition(values, tuple(others))


def _neighbours(
    condition: Condition, singles: Sequence[tuple[str, Values]], every: Mapping[str, Sequence[Label | Fraction]]
) -> Iterator[Condition]:
    for name, held in condition.values.items():
        yield condition.freed(name)
        for value in every[name]:
            if value not in held:
                yield Condition({**condition.values, name: held | {value}}, condition.others)
    for name, values in singles:
        limited = condition.limited(name, values)
        if limited.values[name]:
            yield limited
    # all but one combination of two columns, which is how one group is left out
    for one, other in combinations(every, 2):
        if one in condition.values or other in condition.values:
            continue
        for value in every[one]:
            for beside in every[other]:
                left_out = Combinations((one, other), ((value, beside),), left_out=True)
                yield Condition(condition.values, (*condition.others, left_out))


def _declared(question: Question) -> Iterator[Quantity]:
    """Counts of the labels, and sums of the numbers, of columns of which something is believed."""
    for belief in question.beliefs:
        for name in belief.columns:
            column = question.columns[name]
            if isinstance(column, Numbers):
                yield Quantity("sum", name, ())
            elif column.size <= MOST_LABELS:
                yield from (Quantity("count", None, ((name, OneOf((value,))),)) for value in column.values)


def _figure(standing: Standing, quantity: Quantity, condition: Condition, of: Sequence[Conjunct]) -> Figure:
    every = standing.values
    words = condition.words(every)
    joined = " and " if quantity.private else " where "
    return Figure(
        f"{quantity}{joined}{words}" if words else str(quantity),
        quantity.kind,
        quantity.column,
        Where((*quantity.private, *condition.tests(every), *of)),
        truncated=quantity.truncated,
    )


def people_in(atom: Atom, columns: Sequence[str]) -> str:
    """Whom a group consists of, by what its public values have in common."""
    cells = np.array([list(map(str, cell)) for cell, _ in atom.groups], dtype=object)
    same = [
        f"{shown_column(name)} {cells[0, place]}"
        for place, name in enumerate(columns)
        if len(set(cells[:, place].tolist())) == 1
    ]
    return ", ".join(same) or "of several kinds"
