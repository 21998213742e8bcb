"""Figures that are computed from published numbers: percentages, means, variances, medians and others.

Nothing about them is judged by itself. Whoever has the numbers that they are computed from, which are published with
them, can compute them: so they tell nothing that these do not tell, and cost nothing beyond them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, final, get_args

from dalenius.enclosure.formats import DECIMALS, in_decimals, plain
from dalenius.facts.records import Cell, Label
from dalenius.mechanisms.models import LikeliestModel
from dalenius.tables.figures import Figure, Frame

if TYPE_CHECKING:
    from dalenius.tables.published import Published

ComputedKind: TypeAlias = Literal[
    "total",
    "quotient",
    "variance",
    "standard deviation",
    "quantile",
    "smallest",
    "largest",
    "mode",
    "winner",
    "place",
    "model",
]
COMPUTED_KINDS: tuple[ComputedKind, ...] = get_args(ComputedKind)
OF_COUNTS = (
    "quantile",
    "smallest",
    "largest",
    "mode",
    "winner",
    "place",
    "model",
)  # computed from how many have each value
NAMED = ("winner", "place", "model")  # of counts that are not published
SPREADS = ("variance", "standard deviation")
FEWEST = 2  # records of which there is a variance


@final
@dataclass(frozen=True, slots=True)
class Computed:
    """A figure that is computed, cell by cell, from the published figures named in `parts` and in `over`.

    total: the sum of the parts, each times its weight. quotient: that, over the same of `over`, or of the people whom
    the parts are about, and `times` a number. variance, standard deviation: of the two parts sum and sum of squares and
    the number of records, which is `over`; or of counts. Counts: the parts say how many records have each of `values`.
    Of counts that are not published, worked out where they are added up: winner, which of them is the largest; place,
    the value at a place in order, from 0, the smallest, to 1, the largest; with a weight, moved among the values by
    noise of this scale; model, the one under which the values are the likeliest: the weights are the chances of the
    values under each, one model after the other.
    """

    name: str
    kind: ComputedKind
    parts: tuple[str, ...]
    over: tuple[str, ...] = ()
    weights: tuple[Fraction, ...] = ()
    times: Fraction = Fraction(1)
    at: Fraction = Fraction(1, 2)
    values: tuple[Label | Fraction, ...] = ()

    @property
    def needs_people(self) -> bool:
        """Whether it is divided by how many people its parts are about, which must be public then."""
        return not self.over and not self.values and self.kind in ("quotient", *SPREADS)

    @property
    def models(self) -> tuple[tuple[Fraction, ...], ...]:
        """The chances of the values under each model."""
        many = len(self.parts)
        starts = range(0, len(self.weights), many) if self.kind == "model" else ()
        return tuple(self.weights[start : start + many] for start in starts)

    @property
    def names(self) -> tuple[Label | Fraction, ...]:
        """What may be named, by counts that are not published."""
        return tuple(f"model {place}" for place in range(1, len(self.models) + 1)) or self.values

    def value(
        self, parts: Sequence[Fraction], over: Sequence[Fraction], people: Sequence[int]
    ) -> Label | Fraction | None:
        """The value in one cell, of the numbers of its parts there; None where there is none (nobody is there)."""
        if self.kind in OF_COUNTS:
            return self._place(parts)
        if self.kind in SPREADS:
            return self._spread(parts, over or people[:1])
        total = self._weighted(parts)
        if self.kind == "total":
            return total
        below = self._weighted(over or list(map(Fraction, people)))
        return self.times * total / below if below > 0 else None

    def _weighted(self, numbers: Sequence[Fraction]) -> Fraction:
        weights = self.weights or (Fraction(1),) * len(numbers)
        return sum((weight * number for weight, number in zip(weights, numbers, strict=True)), Fraction(0))

    def _place(self, counts: Sequence[Fraction]) -> Label | Fraction | None:
        """The value at a place of all records in order. Noise can make counts negative: then nobody has the value."""
        counts = [max(count, Fraction(0)) for count in counts]
        some = [place for place, count in enumerate(counts) if count]
        if not some:
            return None
        if self.kind == "model":
            chosen = LikeliestModel(self.values, self.models, (Fraction(1),) * len(self.models))
            return self.names[chosen.winner([int(count) for count in counts])]
        if self.kind in ("mode", "winner"):
            return self.values[max(some, key=lambda place: (counts[place], -place))]
        if self.kind in ("smallest", "largest"):
            return self.values[some[0] if self.kind == "smallest" else some[-1]]
        wanted, reached = self.at * sum(counts), Fraction(0)
        for place in some:
            reached += counts[place]
            if reached >= wanted:
                return self.values[place]
        raise AssertionError  # at most all of them are wanted

    def _spread(self, parts: Sequence[Fraction], over: Sequence[Fraction | int]) -> Fraction | None:
        """Squared differences from the mean, over the number of records less one."""
        if self.values:
            parts = [max(count, Fraction(0)) for count in parts]
            numbers = [Fraction(value) for value in self.values]
            number = sum(parts, Fraction(0))
            total = sum((count * value for count, value in zip(parts, numbers, strict=True)), Fraction(0))
            squares = sum((count * value**2 for count, value in zip(parts, numbers, strict=True)), Fraction(0))
        else:
            number, (total, squares) = Fraction(over[0]), parts
        if number < FEWEST:
            return None
        variance = max((squares - total**2 / number) / (number - 1), Fraction(0))  # noise can make it negative
        return variance if self.kind == "variance" else root(variance)

    @property
    def formula(self) -> str:
        """How it is computed, in words that name its parts."""
        if self.kind in OF_COUNTS:
            told = f"the value at {plain(self.at)} of all" if self.kind == "quantile" else f"the {self.kind} value"
            told = "the most frequent value" if self.kind in ("mode", "winner") else told
            if self.kind == "place":
                ends = {Fraction(0): "the smallest value", Fraction(1): "the largest value"}
                told = ends.get(self.at, f"the value at {plain(self.at)} of all")
            if self.kind == "model":
                told = f"which of {len(self.models)} models is the likeliest"
            if self.kind in NAMED:
                moved = (
                    f", moved by two-sided geometric noise of scale {plain(self.weights[0])}"
                    if self.kind == "place" and self.weights
                    else ""
                )
                told = f"{told} by {len(self.parts)} counts that are not published, from {quoted(self.parts[0])} on"
                return told + moved
            return f"{told}, from the {len(self.parts)} counts from {quoted(self.parts[0])} on"
        if self.kind in SPREADS:
            per = "the number of people" if not self.over else quoted(self.over[0])
            told = f"from {' and '.join(map(quoted, self.parts))} and {per}"
            return f"{self.kind}, {told if not self.values else f'from {len(self.parts)} counts'}, over one less"
        top = self._told(self.parts, self.weights)
        if self.kind == "total":
            return top
        people = "the people in it" if len(self.parts) == 1 else "the same of the people in them"
        below = self._told(self.over, self.weights) if self.over else people
        factor = "" if self.times == 1 else f"{plain(self.times)} × "
        return f"{factor}{top} / {below}"

    @staticmethod
    def _told(names: Sequence[str], weights: Sequence[Fraction]) -> str:
        if not weights:
            return " + ".join(map(quoted, names))
        few = [f"{plain(weight)} × {quoted(name)}" for weight, name in zip(weights, names, strict=True)]
        return "(" + " + ".join(few if len(few) < 4 else [*few[:2], "...", few[-1]]) + ")"

    def json(self) -> dict[str, Any]:
        """For certificates and ledgers: exact numbers and values as text."""
        return {
            "name": self.name,
            "kind": self.kind,
            "parts": list(self.parts),
            "over": list(self.over),
            "weights": list(map(str, self.weights)),
            "times": str(self.times),
            "at": str(self.at),
            "values": list(map(str, self.values)),
        }

    @classmethod
    def of(cls, keys: Mapping[str, Any]) -> "Computed":
        """The computed figure behind its keys."""
        return cls(
            keys["name"],
            keys["kind"],
            tuple(keys["parts"]),
            tuple(keys["over"]),
            tuple(map(Fraction, keys["weights"])),
            Fraction(keys["times"]),
            Fraction(keys["at"]),
            tuple(map(Fraction, keys["values"])) if keys["kind"] in SPREADS else tuple(keys["values"]),
        )

    @property
    def released(self) -> str:
        """How it is released, in the words of the table."""
        return f"computed: {self.formula}"


@final
@dataclass(frozen=True, slots=True)
class ComputedNumber:
    """One value of a computed figure as it goes out; None where there is none."""

    computed: Computed
    by: tuple[str, ...]
    cell: Cell
    value: Label | Fraction | None

    @property
    def text(self) -> str:
        """As it stands in the table."""
        if self.value is None:
            return ""
        return in_decimals(self.value) if isinstance(self.value, Fraction) else str(self.value)


def quoted(name: str) -> str:
    """A figure within a formula."""
    return f'"{name}"'


def root(square: Fraction) -> Fraction:
    """The square root, to as many decimals as are published, rounded down.

    >>> root(Fraction(2)), root(Fraction(9, 4))
    (Fraction(14142135623, 10000000000), Fraction(3, 2))
    """
    return Fraction(isqrt(square.numerator * 10 ** (2 * DECIMALS) // square.denominator), 10**DECIMALS)


def covered_people(figure: Figure, frame: Frame) -> dict[Cell, int]:
    """How many people each number of a figure is about, as anybody may know."""
    where, found = figure.where.on(frozenset(frame.columns)), dict[Cell, int]()
    for values, count in frame.groups.items():
        row = dict(zip(frame.columns, values, strict=True))
        if where.holds(row):
            cell = tuple(row[name] for name in figure.by)
            found[cell] = found.get(cell, 0) + count
    return found


def compute(
    every: Sequence[Computed], published: "Sequence[Published]", people: Callable[[Figure], Mapping[Cell, int]]
) -> list[ComputedNumber]:
    """The values of computed figures, from the numbers as they are written: whoever has the table gets the same."""
    figures = {item.figure.name: item.figure for item in published}
    numbers: dict[str, dict[Cell, Fraction | None]] = {}
    named = {(item.figure.name, item.cell): item.largest for item in published}
    for item in published:
        written = None if item.value is None else Fraction(in_decimals(item.value))
        numbers.setdefault(item.figure.name, {})[item.cell] = written
    found = []
    for one in every:
        first = figures[one.parts[0]]
        covered = [people(figures[name]) for name in one.parts] if one.needs_people else []
        for cell in numbers[first.name]:
            parts, over = (_at(names, numbers, figures, first.by, cell) for names in (one.parts, one.over))
            about = [some.get(cell, 0) for some in covered]
            value = None if parts is None or over is None else one.value(parts, over, about)
            if one.kind in NAMED:
                value = named[first.name, cell]
            found.append(ComputedNumber(one, first.by, cell, value))
    return found


def _at(
    names: Sequence[str],
    numbers: Mapping[str, Mapping[Cell, Fraction | None]],
    figures: Mapping[str, Figure],
    by: tuple[str, ...],
    cell: Cell,
) -> list[Fraction] | None:
    """The numbers of these figures in a cell, in whatever order each has its columns; None if one is missing."""
    found, values = [], dict(zip(by, cell, strict=True))
    for name in names:
        value = numbers[name].get(tuple(values[column] for column in figures[name].by))
        if value is None:
            return None
        found.append(value)
    return found
