"""A confidential table that can be asked, wherever it lives: its columns, an engine that aggregates it, and what errors
may say.

Engines quote values in their errors, so these are dropped, not chained: what went wrong is said in our own words.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, final

from dalenius.basics.errors import DataError
from dalenius.data.wording import shown_list
from dalenius.facts.records import Label

Expr: TypeAlias = Any  # an Ibis expression, or a term of `dalenius.data.sql`: Ibis carries no types
Row: TypeAlias = dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Engine:
    """What runs the queries: an Ibis backend, the errors that it raises, and what is said instead of them."""

    backend: Any  # None: the relations of its sources are none of Ibis's
    failures: tuple[type[Exception], ...]
    reason: Callable[[Exception], str]
    quick_filters: bool = False  # whether rows that pass a test are found faster than the test is computed for each
    bitmaps: bool = False  # whether it can mark whole numbers in a bitmap
    distrust: Callable[[], object] = lambda: None  # from now on, what could be taken from statistics is computed
    fetch: Callable[[Expr], list[Row]] | None = None  # instead of Ibis's own way
    hold: Callable[[Expr, str], Expr] | None = None  # keeps what a query finds in memory, under a name
    name: str = ""  # what it is called in what is kept, where no backend says so

    def method(self) -> str:
        """What hashes names, and in which version. One engine has one name, whether Ibis is loaded or not."""
        from importlib.metadata import version

        return f"{self.name or f'{self.backend.name} {self.backend.version}'}, ibis {version('ibis-framework')}"

    def keep(self, query: Expr, name: str, shown: str) -> Expr:
        """A table of what a query finds, in memory under this name; the query itself where nothing may be kept."""
        if self.hold is None:
            return query
        try:
            return self.hold(query, name)
        except self.failures as error:
            reason = self.reason(error)
        raise DataError(f"Needed to read all of {shown}, but {reason}")

    def run(self, query: Expr, shown: str) -> list[Row]:
        """The rows of an aggregate query."""
        try:
            if self.fetch is not None:
                return self.fetch(query)
            return cast("list[Row]", self.backend.to_pyarrow(query).to_pylist())
        except self.failures as error:
            reason = self.reason(error)
        raise DataError(f"Needed to read all of {shown}, but {reason}")


@final
@dataclass(frozen=True, slots=True)
class Source:
    """A table that can be asked: `relation(names)` has these columns, called c0, c1, ... in this order.

    `height` is the number of rows if that is known without a scan. `mark()` differs if the table was replaced, or a
    column changed its type; it costs no scan. Where the names are the `first_line` of a text, that may be a record: no
    message repeats a name that nobody declared, whatever kind of table it is. Where it is made of another one, `verify`
    raises DataError unless that is what was declared, and `repeated` says what is wrong if a person comes twice.
    `enumerated()` are the values that the types of some columns list; no row is read for it.
    """

    shown: str
    names: tuple[str, ...]
    height: int | None
    engine: Engine
    relation: Callable[[Sequence[str]], Expr]
    mark: Callable[[], Hashable]
    first_line: bool = False
    verify: Callable[[], None] = lambda: None
    repeated: Callable[[], str] | None = None
    enumerated: Callable[[], Mapping[str, tuple[str, ...]]] = dict
    by_ibis: Callable[[], "Source"] | None = None  # the same table, where the relation is none of Ibis's

    def through_ibis(self) -> "Source":
        """The same table, of which anything can be asked that Ibis can say."""
        return self if self.by_ibis is None else self.by_ibis()

    def domains(self) -> dict[str, tuple[Label, ...]]:
        """What columns may hold by their types, whatever they do hold: enumerations, categories and truth values."""
        named = {name: tuple(values) for name, values in self.enumerated().items() if values}
        unique = [name for name in self.names if self.names.count(name) == 1]
        _, columns = self.select(unique)
        found: dict[str, tuple[Label, ...]] = {}
        for name in unique:
            if name in named or columns[name].type().is_boolean():
                found[name] = named.get(name, (False, True))
        return found

    def select(self, names: Sequence[str]) -> tuple[Expr, dict[str, Expr]]:
        """The relation of these columns, and each column by its name. Nothing else is read."""
        wanted = tuple(dict.fromkeys(names))
        self._find(wanted)
        relation = self.relation(wanted)
        return relation, {name: _plain(relation[f"c{place}"]) for place, name in enumerate(wanted)}

    def run(self, query: Expr) -> list[Row]:
        """The rows of an aggregate query."""
        return self.engine.run(query, self.shown)

    def marked(self) -> Hashable:
        """The mark; DataError if it cannot be taken."""
        try:
            return self.mark()
        except self.engine.failures as error:
            reason = self.engine.reason(error)
        raise DataError(f"Needed to look at {self.shown} again, but {reason}")

    def _find(self, names: Sequence[str]) -> None:
        """DataError unless each of these is the name of one column. Only these are repeated: other names may be what a
        record says, if a table was made from a file whose first line was one.
        """
        times = Counter(self.names)
        missing = [name for name in names if name not in times]
        repeated = [name for name in names if times[name] > 1]
        problems = []
        if missing:
            columns = "its one column is not" if len(self.names) == 1 else f"none of its {len(self.names)} columns is"
            what = f"a column {missing[0]!r}" if len(missing) == 1 else f"columns {shown_list(map(repr, missing))}"
            so = "called so" if len(missing) == 1 else "called by any of these names"
            problems.append(f"Needed {what} in {self.shown}, but {columns} {so}. {self._hint(missing)}")
        problems += [
            f"Needed one column {name!r} in {self.shown}, but {times[name]} columns are called so. Rename the others."
            for name in repeated
        ]
        if problems:
            raise DataError("\n".join(problems))

    def _hint(self, missing: Sequence[str]) -> str:
        """What may be wrong, in declared names only."""
        folded = {name.casefold().strip() for name in self.names}
        close = [name for name in missing if name.casefold().strip() in folded]
        if close:
            return f"There is {close[0]!r} in other capital letters, or with blanks: write it as it stands there."
        line = "If its first line is a record, put a line with the names of the columns before it; otherwise declare"
        return f"{line if self.first_line else 'Declare'} columns as they are written there."


def _plain(column: Expr) -> Expr:
    """A column in which everything is missing has no type: it is read as text, and found to be missing."""
    kind = column.type()
    return column.cast("string") if kind.is_null() or kind.is_unknown() else column


def from_table(
    shown: str,
    names: tuple[str, ...],
    engine: Engine,
    table: Expr,
    mark: Callable[[], Hashable],
    *,
    first_line: bool = False,
    enumerated: Callable[[], Mapping[str, tuple[str, ...]]] = dict,
    by_ibis: Callable[[], Source] | None = None,
) -> Source:
    """A source from a table; `names` are those of its columns, in its order."""
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    fields = table.columns

    def relation(wanted: Sequence[str]) -> Expr:
        if not wanted:
            return table
        return table.select(**{f"c{place}": table[fields[places[name]]] for place, name in enumerate(wanted)})

    return Source(shown, names, None, engine, relation, mark, first_line, enumerated=enumerated, by_ibis=by_ibis)
