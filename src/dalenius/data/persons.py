"""How many persons there are, and whether one of them comes twice: exactly, and without a hash table where that is
possible.
"""

from dalenius.data.source import Expr, Source

WIDEST_BITMAP = 10**9  # DuckDB's own limit
SPARSEST_BITMAP = 64  # bits for each person


def persons(source: Source, relation: Expr, person: Expr) -> tuple[int, bool]:
    """The number of rows, and whether two of them have the same person. Missing persons are not counted.

    Whole numbers that lie close enough are marked in a bitmap: it has as many marks as there are different persons.
    One pass and an eighth of a byte for each number of the range, against a hash table of all persons.
    """
    if source.engine.bitmaps and person.type().is_integer() and not person.type().is_uint64():
        number = person.cast("int64")
        (ends,) = source.run(relation.aggregate(rows=relation.count(), low=number.min(), high=number.max()))
        rows = int(ends["rows"])
        width = 0 if ends["low"] is None else int(ends["high"]) - int(ends["low"]) + 1
        if 0 < width <= min(WIDEST_BITMAP, SPARSEST_BITMAP * rows):
            marks = _marks(number, int(ends["low"]), int(ends["high"]))
            (found,) = source.run(relation.aggregate(different=marks, named=number.count()))
            return rows, int(found["different"]) < int(found["named"])
    (found,) = source.run(relation.aggregate(rows=relation.count(), different=person.nunique(), named=person.count()))
    return int(found["rows"]), int(found["different"]) < int(found["named"])


def _marks(number: Expr, low: int, high: int) -> Expr:
    """How many different numbers there are, by DuckDB's bitmap."""
    import ibis
    from ibis import udf

    @udf.agg.builtin(name="bitstring_agg", signature=(("int64", "int64", "int64"), "binary"))
    def marked(number, low, high):  # type: ignore[no-untyped-def]  # Ibis reads the signature above
        """A bit for each number of the range."""

    @udf.scalar.builtin(name="bit_count", signature=(("binary",), "int64"))
    def ones(bits):  # type: ignore[no-untyped-def]  # Ibis reads the signature above
        """How many bits are set."""

    return ones(marked(number, ibis.literal(low, "int64"), ibis.literal(high, "int64")))
