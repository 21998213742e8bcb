"""The confidential table: checked, counted and summed where it lives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast, final

from dalenius.basics.errors import DataError
from dalenius.data.checks import check
from dalenius.data.encoding import Encoding, Meaning, encode
from dalenius.data.lattice import reach
from dalenius.data.marks import Marks, marks
from dalenius.data.opening import open_source
from dalenius.data.source import Expr, Source
from dalenius.data.wording import nearest, shown_list, shown_number
from dalenius.facts.records import Column, Label, Numbers, Where

if TYPE_CHECKING:
    from dalenius.data.households import Households
    from dalenius.facts.derived import PerPerson

Key: TypeAlias = tuple[Meaning, ...]
V = TypeVar("V")

LARGEST_SUM = 2**62


@final
@dataclass(frozen=True, slots=True)
class Request:
    """A count of the rows that satisfy `where`, or the sum of `term` over them in its unit, in each cell of `by`;
    each value first moved to the nearer end of `within`, if it lies outside.
    """

    name: str
    by: tuple[str, ...] = ()
    where: Where = field(default_factory=Where)
    term: str | None = None
    within: tuple[Fraction, Fraction] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the answer depends on."""
        return (*self.by, *sorted(self.where.columns), *(() if self.term is None else (self.term,)))


@final
class Table:
    """Confidential rows, where they live. Nothing but aggregates and public columns leaves it.

    Each question is one scan of the columns that it concerns, and of no others. The table is read anew each time. A
    file that was written to, a column of another type, another number of rows or (`confirm`) other persons in a cell
    since `check` is an error; numbers are clamped to their bounds in any case.
    """

    __slots__ = ("_made_of", "_mark", "_rows", "_seen", "_source")

    @property
    def embedded(self) -> bool:
        """Whether the engine works within this process, on cores of its own."""
        return self._source.engine.bitmaps

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows = source.height
        self._mark = source.marked()
        self._seen: Callable[[], bool] = lambda: True
        self._made_of: Table | None = None

    def __repr__(self) -> str:
        return f"Table({self._source.shown})"

    def columns(self) -> tuple[str, ...]:
        """The names of all columns, declared or not. No scan."""
        return self._source.names

    def domains(self) -> dict[str, tuple[Label, ...]]:
        """What columns may hold by their types: enumerations of a database, categories of a frame, truth values. A
        suggestion for what to declare; no row is read for it.
        """
        return self._source.domains()

    def rows(self) -> int:
        """The number of rows. At most one scan, and none after `check`."""
        if self._rows is None:
            relation, _ = self._source.select([])
            (answer,) = self._source.run(relation.aggregate(rows=relation.count()))
            self._rows = int(answer["rows"])
        return self._rows

    def per_person(self, plan: "PerPerson", *, person: str, constant: Sequence[str]) -> "Table":
        """The table of one record a person that is made of these rows; `constant` are columns of the table that must
        say the same in all rows of a person. Of a table that was made so already: made anew of its rows.
        """
        from dalenius.data.per_person import per_person

        rows = self._made_of or self
        found = Table(per_person(rows._source, plan, person=person, constant=constant))
        found._made_of = rows
        return found

    def check(self, *, person: str | None, public: Mapping[str, Column], confidential: Mapping[str, Column]) -> None:
        """DataError unless every row names its own person and every declared column keeps to its declaration. Where
        `person` is None, each row is a person.

        One scan finds everything that is wrong. The persons need memory in proportion to their number.
        """
        self._rows = None
        self._mark = self._source.marked()
        self._rows = check(self._source, person=person, public=public, confidential=confidential)

    def groups(self, columns: Sequence[str], *, public: Mapping[str, Column]) -> dict[Key, int]:
        """How many rows have each combination of values of these columns; combinations without rows are left out.

        Labels come back as they were declared, numbers as fractions. One grouped query.
        """
        (answer,) = self.totals([Request(name="rows", by=tuple(columns))], public)
        return answer

    def marks(self, columns: Sequence[str], *, person: str | None, public: Mapping[str, Column]) -> tuple[str, Marks]:
        """Who has each combination of values of these columns, as sums of hashes, and how these were taken."""
        method, found = marks(self._source, columns, person=person, public=public)
        self._seen = lambda: marks(self._source, columns, person=person, public=public) == (method, found)
        return method, _in_order(found, [public[name] for name in columns])

    def households(self, column: str, columns: Sequence[str], *, public: Mapping[str, Column]) -> "Households":
        """Who lives with whom, by these public columns, counted."""
        from dalenius.data.households import households

        before = self._seen
        found = households(self._source, column, columns, public=public)
        self._seen = lambda: before() and households(self._source, column, columns, public=public) == found
        return found

    def confirm(self) -> None:
        """DataError unless the table is what it was when `marks` looked at it: to be asked after the last question.

        A file tells by its marks. In a database others may write between two questions, so it is looked again.
        """
        if self._source.marked() != self._mark or not (self.embedded or self._seen()):
            raise self._changed()

    def totals(self, requests: Sequence[Request], columns: Mapping[str, Column]) -> list[dict[Key, int]]:
        """The exact answer to each request in each cell that has rows, whatever its value.

        One grouped query for all requests with the same `by`. Sums that might exceed 64 bits are refused beforehand,
        from the declared bounds and the number of rows.
        """
        for request in requests:
            self._find(request, columns)
        answers: dict[int, dict[Key, int]] = {}
        for by in dict.fromkeys(request.by for request in requests):
            places = [place for place, request in enumerate(requests) if request.by == by]
            answers |= zip(places, self._grouped([requests[place] for place in places], columns), strict=True)
        return [answers[place] for place in range(len(requests))]

    def _find(self, request: Request, columns: Mapping[str, Column]) -> None:
        """DataError unless all columns are declared, the term is a number and its sum is certain to fit."""
        for name in request.columns:
            if name not in columns:
                raise DataError(
                    f"Figure {request.name!r} needs a declared column {name!r}, but the declared ones are "
                    f"{shown_list(columns)}.{nearest(name, tuple(columns))}"
                )
        if request.term is None:
            return
        column = columns[request.term]
        if not isinstance(column, Numbers):
            raise DataError(
                f"Figure {request.name!r} needs numbers to add up, but column {request.term!r} has labels. "
                "Declare it by unit and bounds, or count it."
            )
        if request.within is not None and any(limit % column.unit for limit in request.within):
            raise DataError(
                f"Figure {request.name!r} needs limits that are multiples of the unit {shown_number(column.unit)}, but "
                f"got {' and '.join(map(shown_number, request.within))}. Truncate to multiples of the unit."
            )
        if self.rows() * reach(column) >= LARGEST_SUM:
            raise DataError(
                f"Figure {request.name!r} needs sums below 2^62 units, but as many rows of {request.term!r} from "
                f"{shown_number(column.lower)} to {shown_number(column.upper)} may exceed that. Declare a coarser unit."
            )

    def _grouped(self, requests: Sequence[Request], columns: Mapping[str, Column]) -> list[dict[Key, int]]:
        """The answers to requests that share their `by`, with one query."""
        by = requests[0].by
        if self._source.marked() != self._mark:
            raise self._changed()
        if not any(request.columns for request in requests):
            return [{(): self.rows()} for _ in requests]
        relation, raw = self._source.select([name for request in requests for name in request.columns])
        encoded = {name: encode(column, columns[name], name=name) for name, column in raw.items()}
        keys = {f"key{place}": encoded[name].code for place, name in enumerate(by)}
        rows = self._source.run(_question(relation, requests, encoded, keys))
        if self._rows is not None and sum(int(row["rows"]) for row in rows) != self._rows:
            raise self._changed()
        answers: list[dict[Key, int]] = [{} for _ in requests]
        for row in rows:
            cell = tuple(encoded[name].meaning(row[key]) for name, key in zip(by, keys, strict=True))
            for place, answer in enumerate(answers):
                # Two spellings of one label are one cell.
                answer[cell] = answer.get(cell, 0) + int(row[f"value{place}"] or 0)
        return [_in_order(answer, [columns[name] for name in by]) for answer in answers]

    def _changed(self) -> DataError:
        return DataError(
            f"Needed {self._source.shown} as it was when it was checked, but it has changed. Nothing was released. "
            "Run it again when nobody writes to it."
        )


def open_table(source: object, table: str | None = None, base: Path = Path()) -> Table:
    """The table in a CSV (.csv, .tsv, also .gz) or Parquet file, a folder of Parquet files, a DuckDB file, PostgreSQL
    or Spark (an address, or a session), or in a pandas, polars or pyarrow frame. `table` names one in a database.

    Opening reads the header and nothing else. CSV fields are text until a declaration says otherwise: leading zeros
    survive, and an empty field is a missing value.
    """
    return Table(open_source(source, table, base))


def _question(
    relation: Expr, requests: Sequence[Request], encoded: Mapping[str, Encoding], keys: Mapping[str, Expr]
) -> Expr:
    """All figures by key. What they need is projected first: DuckDB computes it once and hashes long lists there."""
    from dalenius.data.per_person import satisfied

    wheres = {
        f"where{place}": satisfied(request.where, encoded)
        for place, request in enumerate(requests)
        if request.where.tests
    }
    summed = list(dict.fromkeys((request.term, request.within) for request in requests if request.term is not None))
    terms = {f"term{place}": _term(encoded[name], within) for place, (name, within) in enumerate(summed)}
    rows = relation.select(**keys, **wheres, **terms)
    figures = {}
    for place, request in enumerate(requests):
        where = rows[f"where{place}"] if request.where.tests else None
        figures[f"value{place}"] = (
            rows.count(where=where)
            if request.term is None
            else rows[f"term{summed.index((request.term, request.within))}"].sum(where=where)
        )
    return rows.aggregate(by=list(keys), rows=rows.count(), **figures)


def _term(encoding: Encoding, within: tuple[Fraction, Fraction] | None) -> Expr:
    """What a row adds, in units: its lattice index, truncated. `_find` has seen that the limits are on the lattice."""
    if within is None or not isinstance(encoding.column, Numbers):
        return encoding.code
    low, high = (int(limit / encoding.column.unit) for limit in within)
    clipped = encoding.code.clip(low, high)
    if encoding.column.missing is None:
        return clipped
    return encoding.code.isnull().ifelse(None, clipped)  # what is missing adds 0, whatever the limits


def _in_order(answer: Mapping[Key, V], columns: Sequence[Column]) -> dict[Key, V]:
    """The cells in the order of the declared domains: engines have none, and what is reported must not depend on it."""
    places = [
        None if isinstance(column, Numbers) else {label: place for place, label in enumerate(column.values)}
        for column in columns
    ]

    def place(cell: Key) -> tuple[tuple[bool, Fraction | int], ...]:
        return tuple(
            (False, labels[cast("Label", value)])
            if labels is not None
            else (True, 0)  # what is missing comes after all numbers
            if isinstance(value, str)
            else (False, Fraction(value))
            for value, labels in zip(cell, places, strict=True)
        )

    return {cell: answer[cell] for cell in sorted(answer, key=place)}
