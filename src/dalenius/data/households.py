"""Who lives with whom, counted: no household leaves the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.basics.errors import DataError
from dalenius.data.encoding import encode
from dalenius.data.source import Expr, Source
from dalenius.facts.records import Cell, Column


@final
@dataclass(frozen=True, slots=True)
class Households:
    """`coins`: for each combination of public values, of how many households one member with these values stands for
    the household: each household has exactly one such member. `largest`: how many
    members a household has at most. `groups`: with how many combinations of public values.
    """

    coins: Mapping[Cell, int]
    largest: int
    groups: int


def households(source: Source, column: str, columns: Sequence[str], *, public: Mapping[str, Column]) -> Households:
    """The households that a column names, by these public columns. DataError if it is missing for somebody. A few
    grouped queries.
    """
    source = source.through_ibis()
    if column not in source.names:
        raise DataError(
            f"together needs the column {column!r}, but the table has none of that name. Name the column that says who "
            "belongs together."
        )
    relation, raw = source.select([column, *columns])
    encoded = {name: encode(raw[name], public[name], name=name) for name in columns}
    keys = {f"key{place}": encoded[name].code for place, name in enumerate(columns)}
    rows = relation.select(home=raw[column], **keys)
    (found,) = source.run(rows.aggregate(rows=rows.count(), named=rows.home.count()))
    if int(found["rows"]) != int(found["named"]):
        raise DataError(
            f"together needs a household for every row, but {column!r} is missing in some. Give everybody who lives "
            "alone a household of their own."
        )
    inside = rows.aggregate(by=["home", *keys], members=rows.count())
    homes = inside.aggregate(by=["home"], members=inside.members.sum(), groups=inside.count())
    (ends,) = source.run(homes.aggregate(largest=homes.members.max(), groups=homes.groups.max()))
    groups = int(ends["groups"] or 1)
    first = inside if groups == 1 else _shared_out(inside, list(keys))
    coins: dict[Cell, int] = {}
    for row in source.run(first.aggregate(by=list(keys), coins=first.count())):
        cell = tuple(encoded[name].meaning(row[key]) for name, key in zip(columns, keys, strict=True))
        coins[cell] = coins.get(cell, 0) + int(row["coins"])
    return Households(coins, int(ends["largest"] or 1), groups)


def _shared_out(inside: Expr, keys: list[str]) -> Expr:
    """Of every household one of the groups that it is in: smaller groups more often, by the households' order. Exactly
    one, however sums of floats are rounded.
    """
    import ibis

    sized = inside.mutate(inverse=1.0 / inside.members.sum().over(ibis.window(group_by=keys)).cast("float64"))
    home, order = ibis.window(group_by="home"), [sized[key] for key in keys]
    along = ibis.cumulative_window(group_by="home", order_by=order)
    placed = sized.mutate(
        place=ibis.row_number().over(ibis.window(group_by="home", order_by=order)),
        last=sized.count().over(home) - 1,
        until=sized.inverse.sum().over(along) / sized.inverse.sum().over(home),
        rank=ibis.dense_rank().over(ibis.window(order_by="home")),
    )
    drawn = placed.mutate(passed=(placed.until * 65536 <= placed.rank * 40503 % 65536).cast("int64"))
    chosen = drawn.mutate(wanted=ibis.least(drawn.passed.sum().over(home), drawn["last"]))
    return chosen.filter(chosen.place == chosen.wanted)
