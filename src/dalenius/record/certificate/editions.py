"""Whom the strata of a certificate are about, where it says which figure is of which edition: a stratum must have just
those people who are in just these numbers, as many of them, with the same laws. Who is there but in no number at all
changes nothing, and is not counted.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import known_records
from dalenius.record.certificate.document import CertificateModel, PartModel, SeriesEvidence, ShownEditions
from dalenius.record.codec.runs import vectors

MOST_STEPS = 10_000  # of the calendar, from one edition to the next
Vector: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[object, ...]
Rows: TypeAlias = Iterable[tuple[Sequence[int], Fraction]]


@final
@dataclass(frozen=True, slots=True)
class ToldEditions:
    """What is said of editions, beside all else that is said."""

    document: CertificateModel
    series: SeriesEvidence
    shown: ShownEditions
    edition: Mapping[int, int]  # of each figure of a confidential column
    quantity: Mapping[int, int]
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)  # of a stratum and a figure

    @classmethod
    def problems_of(cls, document: CertificateModel) -> list[str]:
        """What contradicts itself; nothing where it is not said which figure is of which edition."""
        series = document.series
        if series is None or series.shown is None:
            return []
        shown = series.shown
        lists: list[tuple[Sequence[object], Sequence[object]]] = [
            (shown.figures, document.figures),
            (shown.people, document.groups),
            (shown.people, series.groups),
            (shown.quantities, series.strata),
            (shown.when, range(series.editions)),
        ]
        if any(len(one) != len(two) for one, two in lists) or max(shown.apart, default=0) > MOST_STEPS:
            return ["what is said of editions is not about these figures, groups and strata"]
        placed = {at: place for at, place in enumerate(shown.figures) if place is not None}
        edition = {at: one for at, (one, _) in placed.items()}
        told = cls(document, series, shown, edition, {at: quantity for at, (_, quantity) in placed.items()})
        return told._figures() or [*told._strata(), *told._groups()] or told._people()

    def _figures(self) -> list[str]:
        """Figures of one quantity are worded alike, but for the condition of their edition."""
        found, words, when = list[str](), dict[int, Key](), self.shown.when
        if len(set(when)) != len(when) or not all(when):
            found.append("two editions have the same condition, or one has none")
        for at, figure in enumerate(self.document.figures):
            if (at in self.edition) != bool(figure.confidential):
                found.append(f"{figure.name}: figures of confidential columns, and no others, are of an edition")
            if at not in self.edition:
                continue
            edition = self.edition[at]
            if edition > len(when) or not f" and {figure.where}".endswith(f" and {when[edition - 1]}"):
                found.append(f"{figure.name}: it is said to be of another edition than its condition says")
                continue
            rest = figure.where.removesuffix(when[edition - 1]).removesuffix(" and ")
            one = (
                figure.kind,
                figure.column,
                figure.truncated,
                figure.unit,
                *figure.by,
                None,
                *figure.confidential,
                rest,
            )
            if words.setdefault(self.quantity[at], one) != one:
                found.append(f"{figure.name}: it does not add up what others add up that are said to")
        return found

    def _strata(self) -> list[str]:
        """A stratum is about quantities of one column, and the values of a column change alike everywhere."""
        found = list[str]()
        uses = {self.quantity[at]: tuple(self.document.figures[at].confidential) for at in self.quantity}
        for at, (stratum, quantities) in enumerate(zip(self.series.strata, self.shown.quantities, strict=True)):
            columns = {uses.get(quantity, ()) for quantity in quantities}
            listed = [*stratum.facts, *(vector for law in stratum.laws for vector, _ in law)]
            if len(columns) != 1 or len(set(quantities)) != len(quantities) or len(column := columns.pop()) != 1:
                found.append(f"stratum {at}: its quantities are not those of one column")
            elif any(len(vector) != len(quantities) for vector in listed):
                found.append(f"stratum {at}: its vectors do not have a place for each quantity")
            elif [(Fraction(low), Fraction(high)) for low, high in stratum.steps] != self._steps(column[0]):
                found.append(f"stratum {at}: values of {column[0]} change otherwise than is declared")
            else:
                exact = self.series.editions if stratum.exact is None else stratum.exact
                late = [place for place in self._inside(at, self.edition) if self.edition[place] > exact]
                if {(place, quantities.index(self.quantity[place])) for place in late} != {*stratum.noise}:
                    found.append(f"stratum {at}: the figures with noise on later editions are not those that it is in")
        return found

    def _steps(self, column: str) -> list[tuple[Fraction, Fraction]]:
        """How likely a value is drawn anew from each edition to the next."""
        low, high = (1 - Fraction(rate) for rate in self.shown.changes.get(column, ("0", "0")))
        return [(1 - low**steps, 1 - high**steps) for steps in self.shown.apart]

    def _groups(self) -> list[str]:
        """Every figure of a group is one of one of its strata, and those of a stratum are in the same cells."""
        found, cells = list[str](), dict[tuple[int, int], Key]()
        for at, ((place, numbers), rows) in enumerate(zip(self.document.groups, self.series.groups, strict=True)):
            kind, people = self.document.kinds[place], self.shown.people[at]
            if len(people) != len(rows) or sum(people) != kind.people:
                found.append(f"group {at}: its rows do not have its people")
            mine = self.edition.keys() & set(kind.figures)
            for row in rows:
                inside = [self._inside(stratum, mine) for stratum in row]
                if sum(map(len, inside)) != len(mine) or frozenset().union(*inside) != mine or len(set(row)) < len(row):
                    found.append(f"group {at}: its figures are not those of its strata")
                for stratum, number in product(row, numbers):
                    figure, cell = self.document.numbers[number]
                    key = stratum, self.quantity.get(figure, -1)
                    self._numbers[stratum, figure] = number
                    inner = figure in mine and key[1] in self.shown.quantities[stratum]
                    if inner and cells.setdefault(key, tuple(cell)) != tuple(cell):
                        found.append(f"stratum {stratum}: its people are in different cells")
        return found

    def _people(self) -> list[str]:
        """As many people in each choice of figures, with the same laws; all that they may add is compared."""
        found, grouped, stayed = list[str](), Counter[Key](), Counter[Key]()
        covered, laws, others = Counter[int](), Counter[Key](), Counter[Key]()
        for at, ((place, numbers), rows) in enumerate(zip(self.document.groups, self.series.groups, strict=True)):
            kind = self.document.kinds[place]
            covered.update(dict.fromkeys(numbers, kind.people))
            for row, people in zip(rows, self.shown.people[at], strict=True):
                grouped.update({(one, self._inside(one, {*kind.figures})): people for one in row})
            for part in kind.parts:
                mine = frozenset(self.edition.keys() & set(part.figures))
                for law, people in part.least or part.types if mine else ():
                    runs = self.document.laws[law]
                    chances = [Fraction(chance) for *_, many, chance in runs for _ in range(many)]
                    laws[mine, self._short(part, zip(vectors(runs), chances, strict=True))] += people
                facts = {vector for vector, _ in self._short(part, ((v, Fraction(1)) for v in self._domain(part)))}
                for stratum in {one for row in rows for one in row if self._inside(one, mine)}:
                    listed = ((fact, Fraction(1)) for fact in self.series.strata[stratum].facts)
                    if not facts <= {vector for vector, _ in self._narrow(stratum, mine, listed)}:
                        found.append(f"stratum {stratum}: not all that a record may add is compared")
        for place, one in enumerate(self.series.strata):
            for first, last, law, people, known in one.stays:
                mine = frozenset(at for at in self._inside(place, self.edition) if first <= self.edition[at] <= last)
                stayed[place, mine] += people
                if mine:
                    rows_of = ((vector, Fraction(chance)) for vector, chance in one.laws[law])
                    others[mine, self._narrow(place, mine, rows_of)] += people
                    if known < min(people - 1, self._known(place, mine, covered)):
                        found.append(f"stratum {place}: it is told wrongly how many are known")
        same = all(grouped[key] == stayed[key] for key in {*grouped, *stayed} if key[1])
        if not same or laws != others:
            found.append("the people of strata, or their laws, are not those of the groups in the same numbers")
        return found

    def _inside(self, stratum: int, figures: Iterable[int]) -> frozenset[int]:
        """Those of the figures whose quantity a stratum is about."""
        mine = self.shown.quantities[stratum]
        return frozenset(at for at in figures if self.quantity.get(at, -1) in mine)

    def _known(self, stratum: int, figures: Iterable[int], covered: Mapping[int, int]) -> int:
        """How many the attacker knows of people who are in these numbers."""
        share, every = Fraction(self.document.attacker.knows), self.document.people.all
        if share.denominator == 1:
            return min(int(share), every - 1)
        known = known_records(share, every) if every > 1 else 0
        if not self.document.attacker.in_every_group:
            return known
        sizes = (covered[self._numbers[stratum, figure]] for figure in figures if (stratum, figure) in self._numbers)
        return min([known, *(math.ceil(share * size) for size in sizes)])

    def _domain(self, part: PartModel) -> list[Vector]:
        return vectors(self.document.domains[part.domain])

    def _short(self, part: PartModel, rows: Rows) -> frozenset[tuple[Vector, Fraction]]:
        return _narrowed(rows, [self.quantity.get(figure, -1) for figure in part.figures])

    def _narrow(self, stratum: int, figures: Iterable[int], rows: Rows) -> frozenset[tuple[Vector, Fraction]]:
        mine = {self.quantity[figure] for figure in figures}
        return _narrowed(rows, [one if one in mine else -1 for one in self.shown.quantities[stratum]])


def _narrowed(rows: Rows, quantities: Sequence[int]) -> frozenset[tuple[Vector, Fraction]]:
    """What is added to each quantity, in order, with its probability; -1 is none that counts."""
    found: dict[Vector, Fraction] = {}
    for vector, chance in rows:
        adds: dict[int, int] = {}
        for quantity, step in zip(quantities, vector, strict=True):
            if quantity >= 0 and adds.setdefault(quantity, step) != step:
                raise InputError("a record adds something else to figures of one quantity")
        key = tuple(step for _, step in sorted(adds.items()))
        found[key] = found.get(key, Fraction(0)) + chance
    return frozenset(found.items())
