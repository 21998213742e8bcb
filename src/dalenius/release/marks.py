"""Which persons a table holds, without naming them: so that one person in another's place does not go unnoticed."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from dalenius.records import Cell, Column
from dalenius.release.encoding import encode, text
from dalenius.release.source import Source

Marks: TypeAlias = Mapping[Cell, tuple[int, int]]  # how many persons, and the sum of their hashes

RANGE = 1 << 31  # hashes are taken modulo this, so that four billion of them can be added


def marks(source: Source, columns: Sequence[str], *, person: str, public: Mapping[str, Column]) -> tuple[str, Marks]:
    """For each combination of values of these public columns, the number of persons and a sum of hashes of their names.

    The order of the rows does not matter, and sums over coarser groups are sums. The hash is the engine's own, so the
    method is named with its version. One grouped query.
    """
    import ibis

    relation, raw = source.select([person, *columns])
    encoded = {name: encode(raw[name], public[name], name=name) for name in columns}
    keys = {f"key{place}": encoded[name].code for place, name in enumerate(columns)}
    rows = relation.select(**keys, mark=text(raw[person]).hash())
    mark = ((rows.mark % RANGE) + RANGE) % RANGE
    query = rows.aggregate(by=list(keys), people=rows.count(), mark=mark.cast("int64").sum())
    found: dict[Cell, tuple[int, int]] = {}
    for row in source.run(query):
        cell = tuple(encoded[name].meaning(row[key]) for name, key in zip(columns, keys, strict=True))
        people, total = found.get(cell, (0, 0))
        found[cell] = people + int(row["people"]), total + int(row["mark"] or 0)
    return f"{source.engine.backend.name} {source.engine.backend.version}, ibis {ibis.__version__}", found
