"""Which state of a table a release is about.

A table that grows is kept whole: a public column says since when each row is in it and, if rows leave, another one
until when. An earlier edition is then a filter of today's table, and its figures are ordinary figures of today's rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.facts.records import Between, Categories, Column, Label, Numbers, OneOf, Test
from dalenius.record.codec import Json, value_json, value_of


@final
@dataclass(frozen=True, slots=True)
class Edition:
    """The edition `now`: rows whose column `since` is at most that, and whose column `until` is at least that.

    Without columns it is only a name: two releases of the same name are about the same rows, because somebody says so.
    """

    now: Label | Fraction
    since: str | None = None
    until: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in (self.since, self.until) if name is not None)

    def tests(self, public: Mapping[str, Column]) -> tuple[tuple[str, Test], ...]:
        """Who is in this edition, as conditions on today's columns."""
        found: list[tuple[str, Test]] = []
        if self.since is not None:
            found.append((self.since, self._side(public[self.since], before=True)))
        if self.until is not None:
            found.append((self.until, self._side(public[self.until], before=False)))
        return tuple(found)

    def _side(self, column: Column, *, before: bool) -> Test:
        if isinstance(column, Categories):
            place = column.values.index(self.now)
            return OneOf(column.values[: place + 1] if before else column.values[place:])
        now = Fraction(self.now)
        return Between(upper=now) if before else Between(lower=now)

    def fits(self, public: Mapping[str, Column]) -> bool:
        """Whether the columns are there, and this edition is one of their values."""
        return all(name in public and _has(public[name], self.now) for name in self.columns)

    def json(self) -> Json:
        """For the ledger."""
        return {"now": value_json(self.now), "since": self.since, "until": self.until}

    @classmethod
    def of(cls, found: Json) -> "Edition | None":
        """The edition behind its JSON."""
        return None if found is None else cls(value_of(found["now"]), found["since"], found["until"])

    def __str__(self) -> str:
        return str(self.now)


def _has(column: Column, value: Label | Fraction) -> bool:
    if isinstance(column, Numbers):
        return not isinstance(value, str | bool) and column.lower <= Fraction(value) <= column.upper
    return any(other == value and isinstance(other, bool) == isinstance(value, bool) for other in column.values)


def grown(before: Column, after: Column) -> bool:
    """Whether a column of editions has only got later values."""
    if isinstance(before, Categories) and isinstance(after, Categories):
        return after.values[: len(before.values)] == before.values
    if isinstance(before, Numbers) and isinstance(after, Numbers):
        return (before.unit, before.lower, before.missing) == (
            after.unit,
            after.lower,
            after.missing,
        ) and before.upper <= after.upper
    return False
