"""Values cut off at two numbers before they are added up: nobody can then move a total further than between these.

The published figure is another one, and says so; it differs from the plain one by what was cut off. What it hides does
not follow from what the plain one hides: neither is a function of the other, and with the values some of what hides a
person is cut off. So each pair of limits is judged by itself, in every group of people.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Cell, Numbers
from dalenius.facts.secret import wide
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS
from dalenius.numerics.law import Floats
from dalenius.plan.alternative import Alternative, Change
from dalenius.plan.calibration import expected_error
from dalenius.plan.calibration.noise import shortened, told
from dalenius.plan.examination import alone
from dalenius.plan.finding import Finding
from dalenius.plan.part import Desk, Part
from dalenius.tables.contributions import Adding
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry

Limits: TypeAlias = tuple[Fraction, Fraction]
Cuts: TypeAlias = Mapping[str, Figure]  # the sums that get limits, by name
TAILS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
FEW_TAILS = (0.0, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1)  # of columns of very many values
FEW = 3  # groups of people on which limits are tried first
MANY = 64  # groups of people that are too many to judge them all often
CONFIRMED = (12, 2)  # how often all are judged again: of few groups, of many
COUNTS = (
    "a count adds 0 or 1 for each person, so that there is no value to cut off. Hiding small counts instead protects "
    "presence where it is uncertain who is in the data (a sample); here sizes are public or declared. "
    "dl.calibrate(unknown='threshold') and dalenius rules say what such a rule is worth"
)
OUT = "not tried: figures about the same column are already out, and beside them a truncated one tells what was cut off"
FOUND = "the cheapest of {number} pairs of limits, by the tails of the belief; each is judged by itself"
NONE = (
    "none of {number} pairs of limits, by the tails of the belief, is enough: what hides a person is cut off with the "
    "values"
)


def truncation(part: Part, desk: Desk, by_itself: Mapping[str, float | None]) -> Alternative:
    """The cheapest limits of a ladder with which the part passes. `by_itself`: the error of each figure under
    differential privacy alone. Cost: one law of the worst groups a pair of limits, one of all groups at the end.
    """
    columns = desk.docket.columns
    sums = tuple(
        _TruncatedSum.of(figure, column, part, desk)
        for figure in part.new
        if figure.column is not None and isinstance(column := columns[figure.column], Numbers)
    )
    if not sums:
        return Alternative("truncation", part.names, why=COUNTS)
    if any(one.figure.column in old.confidential(columns) for one in sums for old in part.old):
        return Alternative("truncation", part.names, why=OUT)
    ladder = sorted(((_cost(sums, cuts, desk), cuts) for cuts in _ladder(sums)), key=lambda one: one[0])
    failing = sorted((f for f in part.findings if f.verdict != Verdict.PASS), key=lambda finding: -finding.delta.upper)
    left = CONFIRMED[len(part.atoms) > MANY]
    for place, (cost, cuts) in enumerate(ladder):
        desk.progress("trying where to cut values off", place, len(ladder))
        desk.check_time()
        if left and all(_holds(finding, cuts, desk) for finding in failing[:FEW]):
            left -= 1
            if desk.confirmed(part, {name: (figure,) for name, figure in cuts.items()}):
                why = FOUND.format(number=len(ladder))
                changes = tuple(
                    _change(one, cuts[one.figure.name], by_itself) for one in sums if one.figure.name in cuts
                )
                return Alternative("truncation", part.names, changes, cost, 0, certified=True, why=why)
    return Alternative("truncation", part.names, why=NONE.format(number=len(ladder)))


def least_cut(part: Part, desk: Desk) -> tuple[Figure, float, str] | None:
    """A sum or mean with limits, and geometric noise that hides by itself what one person can move it then, at which
    what is cut off and the noise err least together, with its line; None if there are no such limits.
    """
    columns, (figure,) = desk.docket.columns, part.new
    column = columns.get(figure.column or "")
    if not desk.docket.epsilon or figure.column is None or not isinstance(column, Numbers) or not figure.channel.exact:
        return None
    one = _TruncatedSum.of(figure, column, part, desk)
    best: tuple[float, Figure, Fraction] | None = None
    for cuts in _ladder([one]):
        cut = cuts[figure.name]
        scale = shortened(Fraction(desk.docket.reach(cut)) / desk.docket.epsilon)
        after = replace(cut, channel=Chain((ROWS["geometric"].made(scale),)))
        error = one.error(after)
        if best is None or error < best[0]:
            best = error, after, scale
    if best is None:
        return None
    error, after, scale = best
    low, high = map(plain, after.truncated or one.whole)
    return after, error, f"truncate: [{low}, {high}], noise: {{geometric: {told(scale)}}}"


def _change(one: "_TruncatedSum", after: Figure, by_itself: Mapping[str, float | None]) -> Change:
    low, high = map(plain, after.truncated or one.whole)
    return Change(after.name, (after,), f"truncate: [{low}, {high}]", one.error(after), by_itself.get(after.name))


def _cost(sums: Sequence["_TruncatedSum"], cuts: Cuts, desk: Desk) -> float:
    """Expected errors, each divided by what one person can move the figure as it is, added up."""
    return sum(
        float(desk.wishes.weight(one.figure.name))
        * one.error(cuts[one.figure.name])
        / one.worth
        / max(1, desk.docket.move(one.figure))
        for one in sums
        if one.figure.name in cuts
    )


def _holds(finding: Finding, cuts: Cuts, desk: Desk) -> bool:
    """Whether a group that does not pass does so with these limits; what is too much to compute does not."""
    before = finding.atom
    entries = tuple(Entry(cuts.get(entry.figure.name, entry.figure), entry.cell) for entry in before.entries)
    atom = Atom(entries, before.groups)
    try:
        found = desk.docket.atom(atom, finding.known, alone=alone(before, desk.sizes))
    except InputError:
        return False
    return found.delta.certainly_at_most(desk.docket.enough)


def _ladder(sums: Sequence["_TruncatedSum"]) -> list[Cuts]:
    """Limits that cut off the same tail of every column's belief: above, below, or both."""
    found: dict[tuple[Limits, ...], Cuts] = {}
    for tail in FEW_TAILS if any(one.wide for one in sums) else TAILS:
        for below, above in ((False, True), (True, False), (True, True)):
            limits = _together(sums, {one.figure.name: one.limits(tail, below=below, above=above) for one in sums})
            if any(low >= high for low, high in limits.values()):
                continue
            cuts = {
                one.figure.name: replace(one.figure, truncated=limits[one.figure.name])
                for one in sums
                if limits[one.figure.name] != one.whole
            }
            if cuts:
                found.setdefault(tuple(limits.values()), cuts)
    return list(found.values())


def _together(sums: Sequence["_TruncatedSum"], limits: Mapping[str, Limits]) -> dict[str, Limits]:
    """The widest for all sums of one column: what adds up the same before should do so after."""
    found = {}
    for one in sums:
        same = [limits[o.figure.name] for o in sums if (o.figure.column, o.whole) == (one.figure.column, one.whole)]
        found[one.figure.name] = min(low for low, _ in same), max(high for _, high in same)
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class _TruncatedSum:
    """A sum or a mean, and what the attacker thinks its people add: for each of its cells, how many have which law."""

    figure: Figure
    whole: Limits  # between which the values lie as it is
    unit: Fraction
    adding: Adding  # whether a record satisfies the condition, and what it adds then
    cells: tuple[Mapping[tuple[object, ...], int], ...]
    _cell: Mapping[tuple[object, ...], Cell]  # one with each law
    _laws: dict[tuple[object, ...], tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, figure: Figure, column: Numbers, part: Part, desk: Desk) -> "_TruncatedSum":
        counted = Figure(f"{figure.name}, counted", "count", None, figure.where)
        adding = desk.docket.records.adding((counted, figure))
        cells: dict[Entry, dict[tuple[object, ...], int]] = {}
        one_of: dict[tuple[object, ...], Cell] = {}
        for atom in part.atoms:
            for entry in atom.entries:
                if entry.figure == figure:
                    laws = cells.setdefault(entry, {})
                    for cell, count in atom.groups:
                        key = adding.key(cell)
                        laws[key] = laws.get(key, 0) + count
                        one_of.setdefault(key, cell)
        whole = figure.truncated or (column.lower, column.upper)
        return cls(figure, whole, column.unit, adding, tuple(cells.values()), one_of)

    @property
    def worth(self) -> float:
        """What one unit of the total is worth in the published number; of a mean, in the smallest of its groups."""
        people = min((sum(laws.values()) for laws in self.cells), default=1)
        return float(self.unit) / (people if self.figure.kind == "mean" else 1)

    @property
    def wide(self) -> bool:
        return wide([vector[1] for vector in self.adding.domain])

    def _law(self, key: tuple[object, ...]) -> tuple[Floats, Floats]:
        """The values of those who satisfy the condition, in units, ascending; and how likely each is."""
        if key not in self._laws:
            inside = [
                (vector[1], float(chance))
                for vector, chance in self.adding.law(self._cell[key], least=False)
                if vector[0]
            ]
            inside.sort()
            self._laws[key] = (
                np.array([v for v, _ in inside], dtype=float),
                np.array([p for _, p in inside], dtype=float),
            )
        return self._laws[key]

    def limits(self, tail: float, *, below: bool, above: bool) -> Limits:
        """The narrowest limits beyond each of which lies at most this part of the people, whatever their law."""
        low, high = self.whole
        laws = [self._law(key) for key in self._cell]
        laws = [law for law in laws if len(law[0])]
        if laws and above:
            high = min(high, max(int(v[np.argmax(_beyond(p[::-1])[::-1] <= tail)]) for v, p in laws) * self.unit)
        if laws and below:
            low = max(low, min(int(v[::-1][np.argmax(_beyond(p)[::-1] <= tail)]) for v, p in laws) * self.unit)
        return low, high

    def error(self, after: Figure) -> float:
        """The expected absolute error of the published number, at most, in the cell where that is largest: what is cut
        off, and what its channel adds. By the lesser of two bounds: every record's own error, added up; and the root of
        the squared bias and the variance. If only one side is cut off the first is exact.
        """
        low, high = (float(limit / self.unit) for limit in after.truncated or self.whole)
        moments = {key: _moments(*self._law(key), low, high) for key in self._cell}
        most = 0.0
        for laws in self.cells:
            size, bias, variance = (sum(moments[key][at] * count for key, count in laws.items()) for at in range(3))
            cut = min(size, math.sqrt(bias**2 + variance))
            people = sum(laws.values()) if self.figure.kind == "mean" else 1
            most = max(most, (cut + expected_error(after.channel)) * float(self.unit) / people)
        return most


def _beyond(masses: Floats) -> Floats:
    """How much comes before each place."""
    return np.insert(np.cumsum(masses)[:-1], 0, 0.0)


def _moments(values: Floats, chances: Floats, low: float, high: float) -> tuple[float, float, float]:
    """Of what is cut off a record: the expected size, the bias and the variance."""
    moved = np.clip(values, low, high) - values
    bias = float(moved @ chances)
    return float(np.abs(moved) @ chances), bias, max(0.0, float(moved**2 @ chances) - bias**2)
