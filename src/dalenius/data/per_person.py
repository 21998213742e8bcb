"""Several rows a person as one record a person, in the engine: a source made of another one.

Rows are grouped by the person and by the columns that must be the same in all rows of a person: a person for whom one
of them is not comes more than once, which every check of a table finds. All that is added up, compared and clipped are
whole numbers (lattice indices, places in a domain), so that no engine's order or rounding shows. An embedded DuckDB
keeps the records in memory, and reads the rows once; other databases group anew for every question, and nothing is
written to them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import count
from operator import and_, or_
from typing import cast

from dalenius.basics.errors import DataError
from dalenius.data.checks import column_faults, found_faults
from dalenius.data.dates import date_number, date_of
from dalenius.data.encoding import LONG_LIST, Encoding, encode, is_missing
from dalenius.data.lattice import reach
from dalenius.data.source import Expr, Source
from dalenius.data.wording import shown_list
from dalenius.facts.derived import NO, YES, Derived, PerPerson
from dalenius.facts.records import (
    Categories,
    Cell,
    Column,
    Combinations,
    Conjunct,
    Either,
    Label,
    Numbers,
    OneOf,
    Where,
)

LARGEST_KEY = 2**62
DATES = 10**8  # places of dates
NUMBERED = count()


def per_person(source: Source, plan: PerPerson, *, person: str, constant: Sequence[str]) -> Source:
    """The records of persons: the person, the `constant` columns of the table, and the derived ones."""
    source = source.through_ibis()
    kept = tuple(name for name in dict.fromkeys((person, *constant)) if name not in plan.derived)
    made: dict[str, Expr] = {}

    def records() -> Expr:
        if "records" not in made:
            expression = _records(source, plan, kept)
            made["records"] = _held(source, expression) if source.engine.bitmaps else expression
        return made["records"]

    def relation(wanted: Sequence[str]) -> Expr:
        names, table = [*kept, *plan.derived], records()
        if not wanted:
            return table
        return table.select(**{f"c{place}": table[f"r{names.index(name)}"] for place, name in enumerate(wanted)})

    return replace(
        source,
        names=(*kept, *plan.derived),
        height=None,
        relation=relation,
        verify=lambda: _check_rows(source, plan),
        repeated=lambda: _varying(source, person, kept[1:]),
    )


def _records(source: Source, plan: PerPerson, kept: Sequence[str]) -> Expr:
    """One row a person: r0, r1, ... are the kept columns, then the derived ones."""
    relation, raw = source.select([*kept, *plan.rows])
    encoded = {name: encode(raw[name], column, name=name) for name, column in plan.rows.items()}
    makers = {f"r{place}": _maker(one, plan, encoded) for place, one in enumerate(plan.derived.values(), len(kept))}
    keys = {f"r{place}": _key(raw[name]) for place, name in enumerate(kept)}
    rows = relation.select(**keys, **{name: term for name, (term, _) in makers.items()})
    found = rows.group_by(list(keys)).aggregate(**{name: fold(rows[name]) for name, (_, fold) in makers.items()})
    values = {
        f"r{place}": _value(found[f"r{place}"], one, plan) for place, one in enumerate(plan.derived.values(), len(kept))
    }
    return found.select(**{name: found[name] for name in keys}, **values)


def _key(raw: Expr) -> Expr:
    """By which rows are grouped: an empty text and a missing one are the same."""
    return raw.nullif("") if raw.type().is_string() else raw


def _maker(one: Derived, plan: PerPerson, encoded: Mapping[str, Encoding]) -> tuple[Expr, Callable[[Expr], Expr]]:
    """What each row gives, as a whole number, and what is made of all of a person's rows."""
    import ibis

    nothing = ibis.literal(0, "int64")
    met = satisfied(one.where, encoded) if one.where.tests else ibis.literal(True)  # noqa: FBT003 - Ibis's own
    flag = met.fill_null(False).ifelse(ibis.literal(1, "int64"), nothing)  # noqa: FBT003 - Ibis's own
    match one.take:
        case "number of rows":
            return flag, lambda term: term.sum()
        case "any":
            return flag, lambda term: term.max()
        case "all":
            return flag, lambda term: term.min()
        case "sum":
            amount = encoded[one.of or ""].code.fill_null(0)
            return (flag == 1).ifelse(amount, nothing), lambda term: term.sum()
        case "largest":
            return _place(encoded[one.of or ""]), lambda term: term.max()
        case "smallest":
            return _place(encoded[one.of or ""]), lambda term: term.min()
        case "first":
            return _first(one, plan, encoded), lambda term: term.min()


def _first(one: Derived, plan: PerPerson, encoded: Mapping[str, Encoding]) -> Expr:
    """The place of a row in its order, and after it the place of its value: the least of both has the first value."""
    column, order = plan.rows[one.of or ""], plan.rows[one.by or ""]
    width = _width(column)
    if _width(order) * width >= LARGEST_KEY:
        raise DataError(
            f"The first {one.of} by {one.by} needs columns of fewer values: together they have more than 2^62. Declare "
            "coarser ones."
        )
    # what is missing comes after all others, both in the order and among the values
    before = _place(encoded[one.by or ""]).fill_null(_width(order) - 1)
    return before * width + _place(encoded[one.of or ""]).fill_null(width - 1)


def _width(column: Column) -> int:
    """How many places there are: one for each value, and one for what is missing."""
    if _dated(column):
        return DATES
    return (column.steps if isinstance(column, Numbers) else column.size) + 1


def _dated(column: Column) -> bool:
    """Whether it has dates, whose places are numbers such as 20240331; bins of them are labels."""
    return isinstance(column, Categories) and bool(column.dates) and not column.cuts


def _place(encoding: Encoding) -> Expr:
    """The place of a value in its domain, from 0; of numbers in their order. Missing where the value is."""
    import ibis

    column = encoding.column
    if isinstance(column, Numbers):
        return encoding.code - column.first
    if _dated(column):
        code = encoding.code if column.missing is None else encoding.code.nullif(str(column.missing))
        return date_number(code)
    if len(encoding.spellings) > LONG_LIST:
        raise DataError(f"A column that is compared row by row needs at most {LONG_LIST} labels. Declare bins.")
    places = {label: place for place, label in enumerate(column.values)}
    known = [(text, label) for text, label in encoding.spellings.items() if label != column.missing]
    return ibis.cases(
        *((encoding.code == text, ibis.literal(places[label], "int64")) for text, label in known),
        else_=ibis.null("int64"),
    )


def _value(made: Expr, one: Derived, plan: PerPerson) -> Expr:
    """What the record says, from the whole number that was made of the rows."""
    if one.take in {"any", "all"}:
        return (made == 1).ifelse(YES, NO)
    if one.take == "number of rows":
        return _clipped(made, one).cast("int64")
    column = plan.rows[one.of or ""]
    if one.take == "sum":
        return _number(_clipped(made, one, column), cast("Numbers", column))
    place = made % _width(column) if one.take == "first" else made
    return _meant(place, column)


def _clipped(made: Expr, one: Derived, column: Column | None = None) -> Expr:
    unit = column.unit if isinstance(column, Numbers) else 1
    low, high = (int(limit / unit) for limit in one.limits or ())
    return made.cast("int64").clip(low, high)


def _number(index: Expr, column: Numbers) -> Expr:
    """A lattice index as the number that it means, to be read again by the same lattice."""
    steps, per = column.unit.denominator, column.unit.numerator
    return index * per if steps == 1 else index.cast("float64") * float(per) / float(steps)


def _meant(place: Expr, column: Column) -> Expr:
    """The value at a place of a domain; missing where there is none."""
    import ibis

    if isinstance(column, Numbers):
        there = (place < column.steps).ifelse(place + column.first, ibis.null("int64"))
        return _number(there, column)
    if _dated(column):
        return (place == DATES - 1).ifelse(ibis.null("string"), date_of(place, column.dates))
    named = [(place == at, str(label)) for at, label in enumerate(column.values) if label != column.missing]
    return ibis.cases(*named, else_=ibis.null("string"))


def satisfied(where: Where, encoded: Mapping[str, Encoding]) -> Expr:
    """Whether a row satisfies a condition, as `Where.holds` says."""
    return reduce(and_, (_conjunct(item, encoded) for item in where.tests))


def _conjunct(item: Conjunct, encoded: Mapping[str, Encoding]) -> Expr:
    match item:
        case Either(parts):
            return reduce(or_, (satisfied(part, encoded) for part in parts))
        case Combinations(columns, _, left_out):
            among = reduce(or_, (_has(columns, first, last, encoded) for first, last in _by_last(item).items()))
            return ~among if left_out else among
        case (name, test):
            return encoded[name].satisfies(test)


def _by_last(item: Combinations) -> dict[Cell, list[Label | Fraction]]:
    """The values of the last column that go with each combination of the others."""
    found: dict[Cell, list[Label | Fraction]] = {}
    for cell in item.cells:
        found.setdefault(cell[:-1], []).append(cell[-1])
    return found


def _has(
    columns: Sequence[str], first: Cell, last: Sequence[Label | Fraction], encoded: Mapping[str, Encoding]
) -> Expr:
    tests = [OneOf((value,)) for value in first] + [OneOf(tuple(last))]
    return reduce(and_, (encoded[name].satisfies(test) for name, test in zip(columns, tests, strict=True)))


def _held(source: Source, expression: Expr) -> Expr:
    """The records, kept in the memory of an embedded DuckDB, which spills nothing to disk."""
    return source.engine.keep(expression, f"dalenius_records_{next(NUMBERED)}", source.shown)


def _check_rows(source: Source, plan: PerPerson) -> None:
    """DataError unless every row's columns keep to their declaration, and sums of them fit into 64 bits."""
    relation, raw = source.select(list(plan.rows))
    faults = [fault for name, column in plan.rows.items() for fault in column_faults(raw[name], column, name=name)]
    rows, messages = found_faults(source, relation, raw, faults)
    if messages:
        raise DataError("\n".join(messages))
    for name, one in plan.derived.items():
        column = plan.rows[one.of] if one.take == "sum" and one.of is not None else None
        if isinstance(column, Numbers) and rows * reach(column) >= LARGEST_KEY:
            raise DataError(
                f"Column {name!r} needs sums below 2^62 units, but as many rows of {one.of!r} may exceed that. Declare "
                "a coarser unit, or tighter bounds."
            )


def _varying(source: Source, person: str, constant: Sequence[str]) -> str:
    """Which columns are not the same in all rows of a person: named, and nothing of what they hold."""
    relation, raw = source.select([person, *constant])
    whole = relation.select(
        person=raw[person],
        **{f"v{place}": _key(raw[name]) for place, name in enumerate(constant)},
        **{f"n{place}": is_missing(raw[name]).ifelse(1, 0) for place, name in enumerate(constant)},
    )
    each = whole.group_by("person").aggregate(
        **{
            f"d{place}": (whole[f"v{place}"].nunique() > 1) | (whole[f"n{place}"].max() != whole[f"n{place}"].min())
            for place in range(len(constant))
        }
    )
    (found,) = source.run(each.aggregate(**{f"d{place}": each[f"d{place}"].any() for place in range(len(constant))}))
    wrong = [name for place, name in enumerate(constant) if found[f"d{place}"]]
    columns = "Columns" if len(wrong) > 1 else "Column"
    return (
        f"{columns} {shown_list(map(repr, wrong))} must say the same in all rows of a person, but for some persons "
        "they differ. Correct them, or say under per_person what is taken of a person's rows."
    )
