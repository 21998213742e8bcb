"""Whether a table is what its declaration says, found with one aggregate query.

A message says what was needed, what came and what to do. It never shows a value, nor how many rows are wrong: what
stands in a public column by mistake may be a confidential value.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import final

from dalenius.basics.errors import DataError
from dalenius.data.encoding import among, is_missing, labels, spelled
from dalenius.data.lattice import lattice, number
from dalenius.data.persons import persons
from dalenius.data.source import Expr, Source
from dalenius.data.wording import shown_list, shown_number
from dalenius.facts.dates import EXAMPLE
from dalenius.facts.records import Categories, Column, Numbers


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """Something that may be wrong with a row, and what is said if it is."""

    row: Expr
    needed: str
    came: str
    remedy: str

    @property
    def message(self) -> str:
        """What was needed, what came and what to do."""
        return f"{self.needed}, but {self.came}. {self.remedy}"


def check(
    source: Source, *, person: str | None, public: Mapping[str, Column], confidential: Mapping[str, Column]
) -> int:
    """The number of rows, or DataError with everything that is wrong. One pass over the declared columns. Without a
    person, each row is one.
    """
    source.verify()
    relation, raw = source.select([*([] if person is None else [person]), *public, *confidential])
    faults = [] if person is None else [_nobody(raw[person], name=person)]
    for name, column in (*public.items(), *confidential.items()):
        faults += column_faults(raw[name], column, name=name)
    rows, messages = found_faults(source, relation, raw, faults, person)
    if messages:
        raise DataError("\n".join(messages))
    return rows


def found_faults(
    source: Source, relation: Expr, raw: Mapping[str, Expr], faults: Sequence[Fault], person: str | None = None
) -> tuple[int, list[str]]:
    """The number of rows, and what is wrong with them; that a person comes twice, if there is a column of persons."""
    named = None if person is None else raw[person]
    rows = _all_well(source, relation, raw, named, faults) if source.engine.quick_filters else None
    if rows is not None:
        return rows, []
    source.engine.distrust()
    (answer,) = source.run(_question(relation, named, faults))
    if not answer["rows"]:
        raise DataError(f"Needed rows in {source.shown}, but it has none. Export the table again.")
    messages = [fault.message for place, fault in enumerate(faults) if answer[f"fault{place}"]]
    if answer.get("repeated"):
        messages.append(source.repeated() if source.repeated is not None else _repeated(person))
    return int(answer["rows"]), messages


def _repeated(person: str | None) -> str:
    return (
        f"Column {person!r} must name a different person in each row, but some persons come more than once. "
        "Say under per_person what one record a person is made of, or make a table with one row a person first."
    )


def _all_well(
    source: Source, relation: Expr, raw: Mapping[str, Expr], person: Expr | None, faults: Sequence[Fault]
) -> int | None:
    """The number of rows if nothing is wrong, or None: where wrong rows are looked for, columnar engines skip most of
    the others. They skip by statistics, which leave NaN out, so that is excluded beforehand: a sum with a NaN is one.
    """
    floats = [column for column in raw.values() if column.type().is_floating()]
    if floats:
        sums = relation.aggregate(**{f"sum{place}": column.sum() for place, column in enumerate(floats)})
        (found,) = source.run(sums.select(**{name: sums[name].isnan() for name in sums.columns}))
        if any(found.values()):
            return None
    if faults:
        wrong = relation.filter(reduce(or_, (fault.row for fault in faults)))
        (found,) = source.run(wrong.aggregate(rows=wrong.count()))
        if found["rows"]:
            return None
    if person is None:
        (found,) = source.run(relation.aggregate(rows=relation.count()))
        return int(found["rows"]) or None
    rows, repeated = persons(source, relation, person)
    return rows if rows and not repeated else None


def _question(relation: Expr, person: Expr | None, faults: Sequence[Fault]) -> Expr:
    """Which faults there are. They are projected before they are aggregated: DuckDB hashes long lists only there."""
    rows = {f"fault{place}": fault.row for place, fault in enumerate(faults)}
    asked = rows if person is None else {"person": person, **rows}
    wrong = relation.select(**asked) if asked else relation
    twice = {} if person is None else {"repeated": wrong["person"].nunique() < wrong["person"].count()}
    return wrong.aggregate(rows=wrong.count(), **twice, **{name: wrong[name].any() for name in rows})


def _nobody(raw: Expr, *, name: str) -> Fault:
    needed = f"Column {name!r} must name a person in each row"
    return Fault(is_missing(raw), needed, "some rows name none", "Give every row its person, or leave the row out.")


def column_faults(raw: Expr, column: Column, *, name: str) -> Iterator[Fault]:
    """What may be wrong with a row in this column."""
    missing = is_missing(raw, column)
    needed = f"Column {name!r} must have a value in every row"
    if column.missing is None:
        remedy = "Fill them in, leave those persons out, or declare the column with `missing: as a value`."
        yield Fault(missing, needed, "some are missing", remedy)
    match column:
        case Numbers():
            faults = _number_faults(raw, column, name=name)
        case Categories():
            faults = _label_faults(raw, column, name=name)
    for row, needed, came, remedy in faults:
        yield Fault(row & ~missing, f"Column {name!r} must hold {needed}", came, remedy)


def _number_faults(raw: Expr, column: Numbers, *, name: str) -> Iterator[tuple[Expr, str, str, str]]:
    found = lattice(raw, column, name=name)
    lower, upper, unit = map(shown_number, (column.lower, column.upper, column.unit))
    if found.not_a_number is not None:
        remedy = "Correct them, or declare the column by its domain of labels."
        yield found.not_a_number, "numbers", "some values are text, or no finite number", remedy
    if found.not_finite is not None:
        remedy = "Correct them, or leave those persons out."
        yield found.not_finite, "finite numbers", "some are NaN or infinite", remedy
    remedy = "Correct them, or declare bounds that hold for every possible value."
    yield found.outside, f"numbers from {lower} to {upper}", "some lie outside", remedy
    if found.between is not None:
        remedy = "Declare `round: nearest` to round it when it is read, or a finer unit."
        yield found.between, f"multiples of its unit {unit}", "some are not", remedy


def _label_faults(raw: Expr, column: Categories, *, name: str) -> Iterator[tuple[Expr, str, str, str]]:
    if column.dates:
        yield from _date_faults(raw, column, name=name)
        return
    if column.cuts:
        yield from _bin_faults(raw, column, name=name)
        return
    known = among(labels(raw, column, name=name), list(spelled(raw, column, name=name)))
    remedy = "Correct them, or declare every label that the column may have."
    yield ~known, f"one of the labels {shown_list(column.values)}", "some values are none of these", remedy


def _date_faults(raw: Expr, column: Categories, *, name: str) -> Iterator[tuple[Expr, str, str, str]]:
    from dalenius.data.dates import date_number, date_text

    found = date_text(raw, column.dates, name=name)
    written = f"dates such as {EXAMPLE['day']}"
    yield found.isnull(), written, "some values cannot be read as that", "Write them so, or declare labels."
    known = [label for label in column.values if label != column.missing]
    ends = column.cuts or [Fraction(str(label).replace("-", "")) for label in (known[0], known[-1])]
    needed = f"dates from {str(known[0]).partition(' ')[0]} to {str(known[-1]).rpartition(' ')[2]}"
    outside = ~date_number(found).between(int(ends[0]), int(ends[-1]))
    yield outside.fill_null(False), needed, "some lie outside", "Correct them, or declare other bounds."  # noqa: FBT003 - Ibis's own


def _bin_faults(raw: Expr, column: Categories, *, name: str) -> Iterator[tuple[Expr, str, str, str]]:
    value, (low, high) = number(raw, name=name), (column.cuts[0], column.cuts[-1])
    if raw.type().is_string():
        remedy = "Correct them, or declare the column by its labels."
        yield value.isnull(), "numbers", "some values are text, or no finite number", remedy
    outside = ~value.between(float(low), float(high)) | value.isnan()
    needed = f"numbers from {shown_number(low)} to {shown_number(high)}, as its bins say"
    yield outside.fill_null(False), needed, "some lie outside", "Correct them, or add bins."  # noqa: FBT003 - Ibis's own
