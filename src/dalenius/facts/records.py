"""What a row may contain: its columns, and conditions on them.

A column is either a lattice of numbers (`Numbers`: every multiple of a unit between two bounds) or a
finite set of labels (`Categories`). Both are finite, so that "every pair of values" is a statement about
finitely many pairs. A `Where` is a condition on a row, made of tests of columns; it is data, never code.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import TypeAlias, TypeGuard, final, overload

from dalenius.basics.errors import InputError
from dalenius.basics.limits import FARTHEST_EXPONENT, LARGEST_LATTICE, LONGEST_NUMBER, MOST_LABELS
from dalenius.enclosure.formats import plain
from dalenius.facts.dates import date_bins, date_label, date_labels

Label: TypeAlias = str | int | bool
Cell: TypeAlias = tuple[Label | Fraction, ...]
Number: TypeAlias = float | str | Fraction  # as somebody writes it; `exact` says which is meant

EXPONENT = re.compile(r"[eE][+-]?(\d+(?:_\d+)*)")
WORDS_OF_CONDITIONS = frozenset({"and", "or", "not", "in", "between"})


def exact(number: float | str | Fraction, *, name: str) -> Fraction:
    """The number that was meant: 0.1 is one tenth, not the nearest binary fraction.

    >>> exact(0.1, name="epsilon")
    Fraction(1, 10)
    """
    if isinstance(number, Fraction):
        return number
    if isinstance(number, int) and number.bit_length() > 4 * LONGEST_NUMBER:
        raise InputError(f"{name} must be a number of at most {LONGEST_NUMBER} characters, but got more. Shorten it.")
    text = str(number)
    if len(text) > LONGEST_NUMBER:
        raise InputError(
            f"{name} must be a number of at most {LONGEST_NUMBER} characters, but got {len(text)}. Shorten it."
        )
    power = EXPONENT.search(text)
    if power and int(power[1]) > FARTHEST_EXPONENT:  # its digits would fill the memory
        raise InputError(
            f"{name} must be a number with an exponent of at most {FARTHEST_EXPONENT}, but got {text[:40]}. Write "
            "one that means something."
        )
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{name} must be a finite number, but got {number!r}. {_hint(text)}") from None


def is_integer(number: object) -> TypeGuard[int]:
    """Whether it is a whole number, Python's or numpy's; true and false are none."""
    return isinstance(number, Integral) and not isinstance(number, bool)


def is_whole(number: object) -> TypeGuard[int]:
    """Whether it is a whole number of at least 0, Python's or numpy's; true and false are none."""
    return is_integer(number) and number >= 0


def whole(number: object, *, name: str, remedy: str = "Correct it.") -> int:
    """The whole number that was meant, as one of Python's, which never wraps: numpy's small ones do, 200 + 200 = 144.

    >>> whole(1000.0, name="The number of records")
    1000
    """
    if is_integer(number):
        return int(number)
    if isinstance(number, float | Fraction) and math.isfinite(number) and number == int(number):
        return int(number)
    raise InputError(f"{name} must be a whole number, but got {number!r}. {remedy}")


def _hint(text: str) -> str:
    """What was probably meant."""
    if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", text):
        return f"Write the decimals after a point: {text.strip().replace(',', '.')}."
    if re.fullmatch(r"\s*[\d.]+\s*%\s*", text):
        return f"Write a percentage as a share: {text.strip(' %')}/100."
    if re.match(r"\s*[<>=]", text):
        return "Write a condition as {at_least: 10000}, {at_most: 20000}, or both."
    return "Write it as 0.1, 1e-6 or 1/10."


@final
@dataclass(frozen=True, slots=True)
class Steps(Sequence[Fraction]):
    """`size` numbers, `unit` apart, from `lower` on: as a sequence, without listing them.

    >>> Steps(Fraction(5), Fraction(10), 1_000_000)[-1]
    Fraction(9999995, 1)
    """

    lower: Fraction
    unit: Fraction
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Fraction: ...

    @overload
    def __getitem__(self, place: slice) -> "tuple[Fraction, ...]": ...

    def __getitem__(self, place: int | slice) -> "Fraction | tuple[Fraction, ...]":
        if isinstance(place, slice):
            return tuple(self[at] for at in range(*place.indices(self.size)))
        if not -self.size <= place < self.size:
            raise IndexError(place)
        return self.lower + place % self.size * self.unit


@final
@dataclass(frozen=True, slots=True)
class Numbers:
    """Every multiple of `unit` from `lower` to `upper`; and the label `missing`, if what is missing is a value, which
    adds nothing to a sum.

    >>> Numbers(unit=Fraction(1000), lower=Fraction(0), upper=Fraction(3000)).values
    (Fraction(0, 1), Fraction(1000, 1), Fraction(2000, 1), Fraction(3000, 1))
    """

    unit: Fraction
    lower: Fraction
    upper: Fraction
    rounded: bool = field(default=False, compare=False)  # to the nearest multiple of the unit, when it is read
    missing: str | None = None

    def __post_init__(self) -> None:
        if self.unit <= 0:
            raise InputError(
                f"A unit must be positive, but got {self.unit}. Write 1 for whole numbers, 0.01 for cents."
            )
        if self.lower > self.upper:
            raise InputError(f"Bounds must be [lower, upper], but got [{self.lower}, {self.upper}]. Swap them.")
        for bound in (self.lower, self.upper):
            if bound % self.unit:
                raise InputError(
                    f"Bounds must be multiples of the unit {self.unit}, but got {bound}. "
                    "Widen the bounds to the next multiple."
                )
        if self.size > LARGEST_LATTICE:
            raise InputError(
                f"A column may have at most {LARGEST_LATTICE} values, but {self.lower} to {self.upper} in units of "
                f"{self.unit} has {self.size}. Use a coarser unit."
            )

    @property
    def steps(self) -> int:
        """How many numbers there are."""
        return int((self.upper - self.lower) / self.unit) + 1

    @property
    def size(self) -> int:
        return self.steps + (self.missing is not None)

    @property
    def first(self) -> int:
        """The lower bound in units."""
        return int(self.lower / self.unit)

    @property
    def values(self) -> "tuple[Label | Fraction, ...]":
        numbers = tuple(self.lower + step * self.unit for step in range(self.steps))
        return numbers if self.missing is None else (*numbers, self.missing)


@final
@dataclass(frozen=True, slots=True)
class Categories:
    """A finite set of labels, in the order declared. How they are read: `missing` is the label of what is missing, if
    it has one; `cuts` are the ends of bins of numbers, from the least to the greatest, whose labels these are; `dates`
    is day, month or year if these are dates, in their order, or bins of them (whose ends are numbers then: 202403).
    """

    values: tuple[Label, ...]
    missing: Label | None = field(default=None, compare=False)
    cuts: tuple[Fraction, ...] = field(default=(), compare=False)
    dates: str = field(default="", compare=False)

    @classmethod
    def of_dates(cls, unit: str, low: object, high: object, missing: Label | None = None) -> "Categories":
        """Every day, month or year between two."""
        return cls((*date_labels(low, high, unit), *([] if missing is None else [missing])), missing, (), unit)

    @classmethod
    def date_bins(cls, unit: str, cuts: Sequence[object], missing: Label | None = None) -> "Categories":
        """Bins of dates, from each of these to before the next; the last one is included.

        >>> Categories.date_bins("month", ["2020-01", "2022-07", "2024-12"]).values
        ('2020-01 to 2022-06', '2022-07 to 2024-12')
        """
        ends = [date_label(cut, unit) for cut in cuts]
        if len(ends) < 2 or any(one >= two for one, two in pairwise(ends)):
            raise InputError(
                f"Bins need at least two dates, each after the one before, but got {', '.join(ends)}. Write bins: "
                "[2020-01, 2022-01, 2024-12]."
            )
        numbers = tuple(Fraction(end.replace("-", "")) for end in ends)
        return cls((*date_bins(ends, unit), *([] if missing is None else [missing])), missing, numbers, unit)

    @classmethod
    def bins(cls, cuts: Sequence[Fraction], missing: Label | None = None) -> "Categories":
        """Numbers from each of these to below the next; the last one is included.

        >>> Categories.bins([Fraction(0), Fraction(18), Fraction(65)]).values
        ('0 to under 18', '18 to 65')
        """
        if len(cuts) < 2 or any(one >= two for one, two in pairwise(cuts)):
            raise InputError(
                f"Bins need at least two ends, each above the one before, but got {', '.join(map(str, cuts))}. Write "
                "bins: [0, 18, 65, 120]."
            )
        ends = [plain(cut) for cut in cuts]
        labels = [f"{low} to under {high}" for low, high in pairwise(ends)]
        labels[-1] = f"{ends[-2]} to {ends[-1]}"
        return cls((*labels, *([] if missing is None else [missing])), missing, tuple(cuts))

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("A domain needs at least one value, but got none. List every value the column may take.")
        if len(self.values) > MOST_LABELS:
            raise InputError(
                f"A domain has at most {MOST_LABELS} labels, but got {len(self.values)}. Put labels together, or "
                "declare numbers by unit and bounds."
            )
        if len(set(self.values)) != len(self.values):  # 1 and true are equal, and no table tells them apart
            raise InputError(f"A domain lists each value once, but got {_repeated(self.values)!r} again. Remove it.")

    @property
    def size(self) -> int:
        return len(self.values)


def _repeated(values: tuple[Label, ...]) -> Label:
    return next(value for place, value in enumerate(values) if value in values[:place])


Column: TypeAlias = Numbers | Categories


def reading(name: str, column: Column) -> list[str]:
    """What happens to a column's values when the table is read, in words; nothing if they are taken as they are."""
    if isinstance(column, Numbers):
        told = f"{name} is rounded to the nearest multiple of {plain(column.unit)} when the table is read."
        missing = f"Where {name} is missing, that is read as the value {column.missing!r}, which adds 0 to a sum."
        return [*([told] if column.rounded else []), *([] if column.missing is None else [missing])]
    lines = [f"{name} is read in bins: {', '.join(map(str, column.values))}."] if column.cuts else []
    lines = lines or ([f"{name} is read by {column.dates}."] if column.dates else [])
    missing = f"Where {name} is missing, that is read as the value {column.missing!r}."
    return [*lines, missing] if column.missing is not None else lines


@final
@dataclass(frozen=True, slots=True)
class OneOf:
    """The column has one of these labels (or numbers)."""

    values: tuple[Label | Fraction, ...]
    looked_up: frozenset[tuple[bool, Label | Fraction]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # thousands of values are asked for each of thousands; true is not 1
        object.__setattr__(self, "looked_up", frozenset((isinstance(value, bool), value) for value in self.values))

    def __str__(self) -> str:
        shown = ", ".join(map(shown_value, self.values))
        return f"= {shown}" if len(self.values) == 1 else f"in ({shown})"


@final
@dataclass(frozen=True, slots=True)
class Between:
    """The column lies between two numbers, both included; None is no limit."""

    lower: Fraction | None = None
    upper: Fraction | None = None

    def __str__(self) -> str:
        if self.lower is None:
            return f"≤ {self.upper}"
        return f"≥ {self.lower}" if self.upper is None else f"between {self.lower} and {self.upper}"


Test: TypeAlias = OneOf | Between


def shown_value(value: Label | Fraction) -> str:
    """As a condition is written: quoted unless it is a number or a plain word.

    >>> [shown_value(value) for value in ("yes", 7, True, "or", "it's")]
    ['yes', '7', 'True', "'or'", "'it''s'"]
    """
    text = str(value)
    plain = not isinstance(value, str) or re.fullmatch(r"[^\W\d]\w*", text)
    return text if plain and text.casefold() not in WORDS_OF_CONDITIONS else "'" + text.replace("'", "''") + "'"


def shown_column(name: str) -> str:
    """A column in a condition: quoted unless it is a plain word."""
    return shown_value(name)


def holds(test: Test, value: Label | Fraction) -> bool:
    """Whether a value passes the test."""
    match test:
        case OneOf():
            return (isinstance(value, bool), value) in test.looked_up
        case Between(lower, upper):
            if isinstance(value, str):
                return False
            return (lower is None or value >= lower) and (upper is None or value <= upper)


@final
@dataclass(frozen=True, slots=True)
class Either:
    """At least one of these conditions."""

    parts: "tuple[Where, ...]"

    def __post_init__(self) -> None:
        if len(self.parts) < 2 or not all(part.tests for part in self.parts):
            raise InputError("A choice needs two conditions or more, none of them empty. Leave it out.")

    def __str__(self) -> str:
        return "(" + " or ".join(f"({part})" if len(part.tests) > 1 else str(part) for part in self.parts) + ")"

    @property
    def columns(self) -> frozenset[str]:
        return frozenset().union(*(part.columns for part in self.parts))

    def holds(self, row: Mapping[str, Label | Fraction]) -> bool:
        return any(part.holds(row) for part in self.parts)

    def leaves(self, row: Mapping[str, Label | Fraction]) -> bool:
        """Whether a row of which only some columns are known may satisfy it."""
        return any(part.leaves(row) for part in self.parts)


@final
@dataclass(frozen=True, slots=True)
class Combinations:
    """The columns have one of these combinations of values; or, if these are `left_out`, any other.

    >>> print(Combinations(("region", "age"), (("north", "old"),), left_out=True))
    not (region = north and age = old)
    """

    names: tuple[str, ...]
    cells: tuple[Cell, ...]
    left_out: bool = False
    looked_up: frozenset[tuple[tuple[bool, Label | Fraction], ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.names or not self.cells or any(len(cell) != len(self.names) for cell in self.cells):
            raise InputError("Combinations need columns, and a value of each of them. Leave them out.")
        object.__setattr__(self, "looked_up", frozenset(map(_same_cell, self.cells)))

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(self.names)

    def __str__(self) -> str:
        each = [
            " and ".join(
                f"{shown_column(name)} = {shown_value(value)}" for name, value in zip(self.names, cell, strict=True)
            )
            for cell in self.cells
        ]
        told = f"({each[0]})" if len(each) == 1 else "(" + " or ".join(f"({one})" for one in each) + ")"
        return f"not {told}" if self.left_out else told

    def holds(self, row: Mapping[str, Label | Fraction]) -> bool:
        return (_same_cell(tuple(row[name] for name in self.names)) in self.looked_up) != self.left_out

    def leaves(self, row: Mapping[str, Label | Fraction]) -> bool:
        """Whether a row of which only some columns are known may satisfy it."""
        if all(name in row for name in self.names):
            return self.holds(row)
        known = [place for place, name in enumerate(self.names) if name in row]
        return self.left_out or any(all(cell[at] == row[self.names[at]] for at in known) for cell in self.cells)


def _same_cell(cell: Cell) -> tuple[tuple[bool, Label | Fraction], ...]:
    """Equal values meet, but true is not 1."""
    return tuple((isinstance(value, bool), value) for value in cell)


Conjunct: TypeAlias = tuple[str, Test] | Either | Combinations


@final
@dataclass(frozen=True, slots=True)
class Where:
    """All of these: tests of columns, and choices between conditions. The empty one holds for every row.

    >>> str(Where((("age", Between(lower=Fraction(18))), ("smoker", OneOf(("yes",))))))
    'age ≥ 18 and smoker = yes'
    """

    tests: tuple[Conjunct, ...] = ()

    def __str__(self) -> str:
        return " and ".join(
            f"{shown_column(item[0])} {item[1]}" if isinstance(item, tuple) else str(item) for item in self.tests
        )

    @property
    def columns(self) -> frozenset[str]:
        return frozenset().union(*(_columns(item) for item in self.tests))

    def holds(self, row: Mapping[str, Label | Fraction]) -> bool:
        return all(holds(item[1], row[item[0]]) if isinstance(item, tuple) else item.holds(row) for item in self.tests)

    def leaves(self, row: Mapping[str, Label | Fraction]) -> bool:
        """Whether a row of which only these columns are known may satisfy the condition: what is asked of others is
        taken to be satisfied. (Only what no single value can satisfy at once, in several places, is missed.)
        """
        return all(
            (item[0] not in row or holds(item[1], row[item[0]])) if isinstance(item, tuple) else item.leaves(row)
            for item in self.tests
        )

    def on(self, columns: frozenset[str]) -> "Where":
        """The part of the condition that concerns these columns. A choice between these and others has no such part."""
        for item in self.tests:
            inside = _columns(item) & columns
            if inside and inside != _columns(item):
                raise InputError(
                    f"A choice needs columns that are all public, or all confidential, but {item} has both. "
                    "Join the public and the confidential part by and."
                )
        return Where(tuple(item for item in self.tests if _columns(item) <= columns))


def _columns(item: Conjunct) -> frozenset[str]:
    return frozenset({item[0]}) if isinstance(item, tuple) else item.columns
