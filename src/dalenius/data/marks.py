"""Which persons a table holds, without naming them: so that one person in another's place does not go unnoticed."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from dalenius.data.encoding import encode, text
from dalenius.data.source import Expr, Source
from dalenius.data.sql import Term
from dalenius.facts.records import Cell, Column

Marks: TypeAlias = Mapping[Cell, tuple[int, int]]  # how many persons, and the sum of their hashes

RANGE = 1 << 31  # hashes are taken modulo this, so that four billion of them can be added
UNNAMED = "rows are counted, and nobody is named"
NUMBERED = "names of whole numbers as numbers"  # part of the method's name, which differs where hashes would


def marks(
    source: Source, columns: Sequence[str], *, person: str | None, public: Mapping[str, Column]
) -> tuple[str, Marks]:
    """For each combination of values of these public columns, the number of persons and a sum of hashes of their names.

    The order of the rows does not matter, and sums over coarser groups are sums. The hash is the engine's own, so the
    method is named with its version. Where no column names a person, rows are counted and nobody is marked. One grouped
    query.
    """
    if person is None:
        return UNNAMED, _counted(source, columns, public)
    relation, raw = source.select([person, *columns])
    encoded = {name: encode(raw[name], public[name], name=name) for name in columns}
    keys = {f"key{place}": encoded[name].code for place, name in enumerate(columns)}
    embedded = source.engine.bitmaps
    rows = relation.select(**keys, mark=_numbered(raw[person]) if embedded else _spelt(raw[person]))
    query = rows.aggregate(by=list(keys), people=rows.count(), mark=rows["mark"].sum())
    found: dict[Cell, tuple[int, int]] = {}
    for row in source.run(query):
        cell = tuple(encoded[name].meaning(row[key]) for name, key in zip(columns, keys, strict=True))
        people, total = found.get(cell, (0, 0))
        found[cell] = people + int(row["people"]), total + int(row["mark"] or 0)
    method = source.engine.method()
    return f"{method}, {NUMBERED}" if embedded else method, found


def _counted(source: Source, columns: Sequence[str], public: Mapping[str, Column]) -> Marks:
    """How many rows have each combination of values."""
    relation, raw = source.select(columns)
    encoded = {name: encode(raw[name], public[name], name=name) for name in columns}
    keys = {f"key{place}": encoded[name].code for place, name in enumerate(columns)}
    rows = relation.select(**keys) if keys else relation
    found: dict[Cell, tuple[int, int]] = {}
    for row in source.run(rows.aggregate(by=list(keys), people=rows.count())):
        cell = tuple(encoded[name].meaning(row[key]) for name, key in zip(columns, keys, strict=True))
        found[cell] = found.get(cell, (0, 0))[0] + int(row["people"]), 0
    return found


def _spelt(person: Expr) -> Expr:
    """The hash of the name as text, from 0 to RANGE - 1; engines disagree on its sign."""
    mark = text(person).hash()
    return (((mark % RANGE) + RANGE) % RANGE).cast("int64")


def _numbered(person: Expr) -> Expr:
    """For DuckDB: a name that is a whole number is hashed as one, whether it is stored as a number or (in CSV) as text.
    To write fifty million numbers as text takes longer than all else.
    """
    kind = person.type()
    if kind.is_integer() and not kind.is_uint64():
        return _low(person.cast("int64"))
    name = text(person)
    number = name.try_cast("int64")
    return (number.cast("string") == name).fill_null(False).ifelse(_low(number), _low(name))  # noqa: FBT003 - Ibis's own


def _low(name: Expr) -> Expr:
    """The low bits of DuckDB's hash. Ibis's own way to it goes through texts of bits."""
    if isinstance(name, Term):
        return (name.called("hash", "uint64") & (RANGE - 1)).cast("int64")
    from ibis import udf

    @udf.scalar.builtin(name="hash", signature=((str(name.type().copy(nullable=True)),), "uint64"))
    def hashed(value):  # type: ignore[no-untyped-def]  # Ibis reads the signature above
        """DuckDB's hash."""

    return (hashed(name) & (RANGE - 1)).cast("int64")
