"""Several rows a person: what one record a person is made of.

A column of the record is what an aggregate makes of the person's rows: how many there are, a clipped sum, whether any
or all of them satisfy a condition, the largest, the smallest or the first value. It has a finite domain of its own, and
what an attacker believes is about that: the law of the record, whatever the rows are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Categories, Column, Numbers, Where, reading

Aggregate: TypeAlias = Literal["number of rows", "sum", "any", "all", "largest", "smallest", "first"]

YES, NO = "yes", "no"  # of any and all
# What is assumed of how the rows of a table are records; certificates have these sentences.
ONE_ROW = "each row is a person of its own, and nobody has two: no column says so"
FROM_ROWS = "what is made of several rows of a person is one record, and beliefs are about that"
WITH_COLUMN = ("sum", "largest", "smallest", "first")
WITH_LIMITS = ("number of rows", "sum")
WITH_CONDITION = ("number of rows", "sum", "any", "all")


@final
@dataclass(frozen=True, slots=True)
class Derived:
    """One column of a person's record: what `take` makes of the column `of` of those rows that satisfy `where`.

    Numbers of rows and sums are moved to the nearer of their `limits`, if they lie outside; the first row is that with
    the least value of the column `by`, and of several such rows the one whose value comes first in its domain.
    """

    take: Aggregate
    column: Column = field(compare=False)  # its domain, and how it is read; releases compare it by themselves
    of: str | None = None
    where: Where = field(default_factory=Where)
    limits: tuple[Fraction, Fraction] | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        needs = ((self.of, WITH_COLUMN, "a column"), (self.limits, WITH_LIMITS, "limits"), (self.by, ("first",), "by"))
        for given, takers, what in needs:
            if (given is not None) != (self.take in takers):
                wrong = f"needs {what}" if given is None else f"has no {what}"
                raise InputError(f"{self.take!r} of a person's rows {wrong}. Correct it.")
        if self.where.tests and self.take not in WITH_CONDITION:
            raise InputError(f"{self.take!r} of a person's rows has no condition. Leave it out.")

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the rows that it reads."""
        return self.where.columns | {name for name in (self.of, self.by) if name is not None}

    def told(self, name: str) -> str:
        """In a sentence: what it is made of, and what is clipped."""
        rows = f"a person's rows where {self.where}" if self.where.tests else "a person's rows"
        match self.take:
            case "number of rows":
                what = f"the number of {rows}"
            case "sum":
                what = f"the sum of {self.of} over {rows}"
            case "any" | "all":
                return f"{name} is {YES} if {self.take} of a person's rows satisfy {self.where}, otherwise {NO}."
            case "first":
                what = f"{self.of} in the first of {rows} by {self.by}"
            case _:
                what = f"the {self.take} {self.of} of {rows}"
        if self.limits is None:
            return f"{name} is {what}."
        low, high = map(plain, self.limits)
        if self.take == "number of rows" and self.limits[0] == 0:
            return f"{name} is {what}, clipped: more than {high} counts as {high}."
        return f"{name} is {what}, clipped: less than {low} counts as {low}, more than {high} as {high}."


@final
@dataclass(frozen=True, slots=True)
class PerPerson:
    """How several rows a person become one record: the columns of the rows that are read, and those of the record."""

    rows: Mapping[str, Column]
    derived: Mapping[str, Derived]

    @property
    def notes(self) -> list[str]:
        """How the rows are read, and what is made of them."""
        read = [line for name, column in self.rows.items() for line in reading(name, column)]
        return read + [one.told(name) for name, one in self.derived.items()]


def domain_of(take: Aggregate, of: Column | None, limits: tuple[Fraction, Fraction] | None) -> Column:
    """What a derived column may be, where nothing coarser is said."""
    if take in {"any", "all"}:
        return Categories((NO, YES))
    if limits is not None:
        unit = of.unit if isinstance(of, Numbers) else Fraction(1)
        return Numbers(unit, *limits)
    if of is None:
        raise InputError(f"{take!r} of a person's rows needs a column. Name it.")
    return of
