"""A table as somebody published it: what each of its cells says, in which variables, and about whom."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.audit.spread import VariableLaw
from dalenius.basics.errors import InputError

Bound: TypeAlias = Fraction | None  # None is open
Where: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]  # a variable, and the labels that the table is about

COUNT = "count"
ALL, SHOWN = "all", "shown"  # what a total adds up


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """What stands at one place: a number, or less. `labels` has one for each variable; None is a total. `mark` is what
    stands there instead of a number ("x", "<10", "rounded"), and is empty if the number is exact.
    """

    labels: tuple[str | None, ...]
    lower: Bound
    upper: Bound
    mark: str = ""
    row: int = 0  # in the body of the file, from 0
    column: int = 0  # the same, without the columns of labels
    reach: tuple[int, int] | None = None  # what must stay possible, if it is hidden

    @property
    def exact(self) -> bool:
        """Whether the number itself is published."""
        return not self.mark

    @property
    def hidden(self) -> bool:
        """Whether nothing, or only a range, is said of the number, because it is not to be known."""
        return self.mark not in ("", ROUNDED)

    @property
    def words(self) -> str:
        """What it says, in a few letters."""
        if self.lower is not None and self.lower == self.upper:
            return number(self.lower)
        if self.mark and self.mark != ROUNDED:
            return self.mark
        return interval(self.lower, self.upper)


ROUNDED = "rounded"
SECONDARY = "hidden besides"  # to protect others: no rule about small numbers holds of it
WITHDRAWN = "withdrawn"  # with its whole table: nothing is said of it


@final
@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One table. `totals` says whether its totals add up all cells, or only those that are shown, as ACRO's do.

    >>> import dalenius as dl
    >>> text = "ward,young,old,Total north,x,41,44 south,28,52,80 Total,31,93,124".replace(" ", chr(10))
    >>> dl.audit.read_table(text, "by age").variables
    ('ward', 'the columns of by age')
    """

    name: str
    variables: tuple[str, ...]
    cells: tuple[Cell, ...]
    measure: str = COUNT
    totals: str = ALL
    where: Where = ()
    earlier: bool = False  # published before: it counts, and is not asked about
    absent: str = "zero"  # what a combination says that is not listed: zero, or hidden
    remarks: tuple[str, ...] = ()  # what was taken for granted when it was read
    left_out: tuple[str, ...] = ()  # what it says besides, and nobody has looked at
    _labels: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = zip(*(cell.labels for cell in self.cells), strict=True)
        listed = (tuple(label for label in dict.fromkeys(column) if label is not None) for column in columns)
        object.__setattr__(self, "_labels", dict(zip(self.variables, listed, strict=False)))
        if not self.cells:
            raise InputError(
                f"Needed a table with numbers in {self.name}, but it has none. Name a table with a header, labels and "
                "numbers."
            )
        seen: dict[tuple[str | None, ...], Cell] = {}
        for cell in self.cells:
            if cell.labels in seen:
                raise InputError(
                    f"{self.name} needs one number for each combination of labels, but {self.place(cell)} stands there "
                    "twice. Take one out, or say in the tables file which column tells them apart."
                )
            seen[cell.labels] = cell

    def place(self, cell: Cell) -> str:
        """Which cell it is, in words."""
        named = [
            f"{called(variable)}{label}"
            for variable, label in zip(self.variables, cell.labels, strict=True)
            if label is not None
        ]
        return ", ".join(named) or "the total"

    def labels(self, variable: str) -> tuple[str, ...]:
        """The labels of a variable, in the order of the table, without totals."""
        return self._labels[variable]


@final
@dataclass(frozen=True, slots=True)
class Measure:
    """What the numbers of a table add up. People are counted; a sum has a unit, and may say how much one person adds
    at least and at most, in units.
    """

    name: str = COUNT
    unit: Fraction = Fraction(1)
    least: int | None = 0
    most: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Known:
    """What else an attacker knows: how many there are of a group, between two ends, such as themselves."""

    group: Where
    lower: int | None
    upper: int | None
    measure: str = COUNT


@final
@dataclass(frozen=True, slots=True)
class MarkRule:
    """What it means that a number is hidden: by which mark, between which ends."""

    mark: str  # "hidden" is any mark that has no rule of its own
    lower: int | None
    upper: int | None


HIDDEN = "hidden"


@final
@dataclass(frozen=True, slots=True)
class Convention:
    """What is said about all tables: nested labels (variable to coarse label to finer ones), what sums are about, what
    hidden means, what else is known, and from how many on a number is not small.

    >>> import dalenius as dl
    >>> dl.audit.Convention(threshold=5).threshold
    5
    """

    nested: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    rules: tuple[MarkRule, ...] = ()
    known: tuple[Known, ...] = ()
    threshold: int = 10
    least: int = 0  # what a hidden count is at least: 1 if zeros are shown
    width: int = 1  # how far apart the possible values of a hidden number must be
    different: frozenset[frozenset[str]] = frozenset()  # labels that look alike and are not
    member: bool = False  # whether an attacker may be one of the people of a hidden cell
    beliefs: tuple[VariableLaw, ...] = ()  # how likely a person is to have each label

    def measure(self, name: str) -> Measure:
        """What is said about a measure."""
        return next((each for each in self.measures if each.name == name), Measure(name))

    def rule(self, mark: str) -> MarkRule | None:
        """What a mark means."""
        return next((rule for wanted in (mark, HIDDEN) for rule in self.rules if rule.mark == wanted), None)


UNNAMED = re.compile(r"the (row|column)s of .*")


def called(variable: str) -> str:
    """What stands before a label, in words.

    >>> called("sex"), called("the columns of t.csv")
    ('sex = ', 'column ')
    """
    found = UNNAMED.fullmatch(variable)
    return f"{variable} = " if found is None else f"{found[1]} "


def listed(names: Iterable[str], after: str = "") -> list[str]:
    """Numbers by the names of their tables, each table named once in a row.

    >>> listed(["a.csv: north is 3", "a.csv: south is 4", "b.csv: north is 5"])
    ['a.csv: north is 3', 'south is 4', 'b.csv: north is 5']
    """
    found = []
    for name in names:
        table, colon, rest = name.partition(": ")
        found.append(rest if colon and table == after else name)
        after = table
    return found


def number(value: Fraction) -> str:
    """A number as it is written.

    >>> number(Fraction(5, 2)), number(Fraction(7))
    ('2.5', '7')
    """
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def interval(lower: Fraction | int | None, upper: Fraction | int | None) -> str:
    """Two ends, in words.

    >>> interval(1, 9), interval(3, None), interval(4, 4)
    ('1 to 9', 'at least 3', '4')
    """
    low = None if lower is None else number(Fraction(lower))
    high = None if upper is None else number(Fraction(upper))
    if low is not None and low == high:
        return low
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return f"at most {high}" if high is not None else "anything"
