"""What is asked of a table of texts, in DuckDB's own words.

To load Ibis and what it needs takes longer than to judge most releases, and a CSV file is nothing but texts. So its
columns are these terms: they have the methods of Ibis's expressions that `encoding`, `lattice`, `dates`, `checks`,
`marks` and `engine` call, with the same meaning, and are SQL at once. Whatever else is asked of a table (several rows a
person, households) is asked through Ibis, and so is every other kind of table; one suite sees that they agree.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

SQL_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "float64": "DOUBLE", "boolean": "BOOLEAN", "uint64": "UBIGINT"}


@final
class Kind(str):
    """The type of a term, by Ibis's name for it."""

    __slots__ = ()

    def is_string(self) -> bool:
        """Whether it is text."""
        return self == "string"

    def is_integer(self) -> bool:
        """Whether it is a whole number."""
        return self in {"int64", "uint64"}

    def is_uint64(self) -> bool:
        """Whether it is a whole number that may exceed the signed ones."""
        return self == "uint64"

    def is_floating(self) -> bool:
        """Whether it is a double."""
        return self == "float64"

    def is_boolean(self) -> bool:
        """Whether it is a truth value."""
        return self == "boolean"

    def _never(self) -> bool:
        """Of a text no date, time, decimal or unknown type is made."""
        return False

    is_null = is_unknown = is_decimal = is_date = is_timestamp = _never


def _literal(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, int):
        return f"({value})"
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"  # a number with a point alone would be a decimal
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no term can be made of {type(value).__name__}")


def _word(thing: object) -> str:
    return thing.sql if isinstance(thing, Term) else _literal(thing)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A value of each row, or an aggregate of all of them: SQL in brackets where that is needed, and its type."""

    sql: str
    kind: Kind

    def type(self) -> Kind:
        """Its type."""
        return self.kind

    def _binary(self, sign: str, other: object, kind: str) -> "Term":
        return Term(f"({self.sql} {sign} {_word(other)})", Kind(kind))

    def _wider(self, other: object) -> str:
        floats = isinstance(other, float) or (isinstance(other, Term) and other.kind.is_floating())
        return "float64" if floats else self.kind

    __hash__ = None  # type: ignore[assignment]  # equality is a question to the table

    def __eq__(self, other: object) -> "Term":  # type: ignore[override]  # a term, as in Ibis
        return self._binary("=", other, "boolean")

    def __lt__(self, other: object) -> "Term":
        return self._binary("<", other, "boolean")

    def __gt__(self, other: object) -> "Term":
        return self._binary(">", other, "boolean")

    def __ge__(self, other: object) -> "Term":
        return self._binary(">=", other, "boolean")

    def __and__(self, other: object) -> "Term":
        return self._binary("AND" if self.kind.is_boolean() else "&", other, self.kind)

    def __or__(self, other: object) -> "Term":
        return self._binary("OR", other, "boolean")

    def __invert__(self) -> "Term":
        return Term(f"(NOT {self.sql})", Kind("boolean"))

    def __add__(self, other: object) -> "Term":
        return self._binary("+", other, self._wider(other))

    def __sub__(self, other: object) -> "Term":
        return self._binary("-", other, self._wider(other))

    def __mul__(self, other: object) -> "Term":
        return self._binary("*", other, self._wider(other))

    def __truediv__(self, other: object) -> "Term":
        return self._binary("/", other, "float64")

    def called(self, function: str, kind: str) -> "Term":
        """A function of DuckDB's, of this."""
        return Term(f"{function}({self.sql})", Kind(kind))

    def cast(self, kind: str) -> "Term":
        """As another type: an error of the query where a value has none."""
        return self if kind == self.kind else Term(f"CAST({self.sql} AS {SQL_TYPES[kind]})", Kind(kind))

    def try_cast(self, kind: str) -> "Term":
        """As another type, or missing."""
        return Term(f"TRY_CAST({self.sql} AS {SQL_TYPES[kind]})", Kind(kind))

    def isnull(self) -> "Term":
        """Whether nothing is there."""
        return Term(f"({self.sql} IS NULL)", Kind("boolean"))

    def isnan(self) -> "Term":
        """Whether it is no number."""
        return self.called("isnan", "boolean")

    def isin(self, values: Iterable[object]) -> "Term":
        """Whether it is one of these."""
        words = ", ".join(map(_word, values))
        return Term(f"({self.sql} IN ({words}))" if words else "FALSE", Kind("boolean"))

    def between(self, lower: object, upper: object) -> "Term":
        """Whether it is one of the ends, or between them."""
        return Term(f"({self.sql} BETWEEN {_word(lower)} AND {_word(upper)})", Kind("boolean"))

    def re_search(self, pattern: str) -> "Term":
        """Whether the pattern is in the text."""
        return Term(f"regexp_matches({self.sql}, {_word(pattern)})", Kind("boolean"))

    def ifelse(self, then: object, otherwise: object) -> "Term":
        """One thing where this is true, another elsewhere."""
        return cases([(self, then)], otherwise)

    def fill_null(self, value: object) -> "Term":
        """The value where nothing is there."""
        return Term(f"coalesce({self.sql}, {_word(value)})", self.kind)

    def clip(self, lower: object, upper: object) -> "Term":
        """The nearer end where it lies outside; NaN is above all numbers."""
        inside = f"greatest({_word(lower)}, least({_word(upper)}, {self.sql}))"  # both pass over what is missing
        return Term(f"(CASE WHEN {self.sql} IS NOT NULL THEN {inside} END)", self.kind)

    def abs(self) -> "Term":
        """Its magnitude."""
        return self.called("abs", self.kind)

    def round(self) -> "Term":
        """The nearest whole number, and the one further from 0 of two."""
        return Term(f"CAST(round({self.sql}, 0) AS BIGINT)", Kind("int64"))

    def floor(self) -> "Term":
        """The next whole number below."""
        return Term(f"CAST(floor({self.sql}) AS BIGINT)", Kind("int64"))

    def substr(self, start: int, length: int) -> "Term":
        """A part of the text."""
        return Term(f"substring({self.sql}, {start + 1}, {length})", Kind("string"))

    def replace(self, old: str, new: str) -> "Term":
        """The text with something else in it."""
        return Term(f"replace({self.sql}, {_word(old)}, {_word(new)})", Kind("string"))

    def _aggregate(self, form: str, kind: str, where: "Term | None") -> "Term":
        only = "" if where is None else f" FILTER (WHERE {where.sql})"
        return Term(form.format(self.sql) + only, Kind(kind))

    def count(self) -> "Term":
        """How many rows have it."""
        return self._aggregate("count({})", "int64", None)

    def nunique(self) -> "Term":
        """How many different ones there are."""
        return self._aggregate("count(DISTINCT {})", "int64", None)

    def sum(self, where: "Term | None" = None) -> "Term":
        """The sum, of the rows that pass a test."""
        return self._aggregate("sum({})", self.kind, where)

    def any(self) -> "Term":
        """Whether one of them is true."""
        return self._aggregate("bool_or({})", "boolean", None)


def cases(pairs: Sequence[tuple[Term, object]], otherwise: object) -> Term:
    """What goes with the first test that is passed."""
    values = [*(value for _, value in pairs), otherwise]
    kinds = [value.kind for value in values if isinstance(value, Term)]
    whens = " ".join(f"WHEN {test.sql} THEN {_word(value)}" for test, value in pairs)
    return Term(f"(CASE {whens} ELSE {_word(otherwise)} END)", kinds[0] if kinds else Kind("string"))


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """Rows with named columns: `rows` is what comes after FROM."""

    rows: str
    kinds: Mapping[str, Kind]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.kinds)

    def __getitem__(self, name: str) -> Term:
        return Term(f't."{name}"', self.kinds[name])

    def _made(self, terms: Mapping[str, Term], after: str = "") -> "Relation":
        shown = ", ".join(f'{term.sql} AS "{name}"' for name, term in terms.items())
        rows = f"(SELECT {shown} FROM {self.rows} AS t{after})"  # noqa: S608 - texts of others stand in literals only
        return Relation(rows, {name: term.kind for name, term in terms.items()})

    def select(self, **terms: Term) -> "Relation":
        """These columns."""
        return self._made(terms)

    def aggregate(self, by: Sequence[str] = (), **terms: Term) -> "Relation":
        """One row for each combination of values of the columns `by`."""
        keys = {name: self[name] for name in by}
        grouped = ", ".join(term.sql for term in keys.values())
        return self._made({**keys, **terms}, f" GROUP BY {grouped}" if keys else "")

    def count(self, where: Term | None = None) -> Term:
        """How many rows there are, of those that pass a test."""
        return Term("count(*)" if where is None else f"count(*) FILTER (WHERE {where.sql})", Kind("int64"))


def rows_of(execute: Callable[[str], Any], query: Relation) -> list[dict[str, Any]]:
    """The rows of a query."""
    answer = execute(f"FROM {query.rows}")
    return [dict(zip(query.columns, row, strict=True)) for row in answer.fetchall()]


def read_texts(path: str, columns: int, *, delimiter: str, compression: str) -> Relation:
    """A CSV file with so many columns of texts, f0, f1, ...; its first line is left out."""
    names = [f"f{place}" for place in range(columns)]
    texts = ", ".join(f"{name}: 'VARCHAR'" for name in names)
    options = (
        f"header = true, delim = {_literal(delimiter)}, quote = '\"', escape = '\"', compression = "
        f"{_literal(compression)}, hive_partitioning = false, auto_detect = false, columns = {{{texts}}}"
    )
    return Relation(f"read_csv([{_literal(path)}], {options})", dict.fromkeys(names, Kind("string")))
