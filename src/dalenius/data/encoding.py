"""What the codes of a column mean: numbers are lattice indices, labels are canonical text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias, cast, final

from dalenius.basics.errors import DataError
from dalenius.data.lattice import last, lattice, number
from dalenius.data.source import Expr
from dalenius.data.sql import Term, cases
from dalenius.facts.records import Between, Categories, Column, Label, Numbers, OneOf, Test, holds

Meaning: TypeAlias = Label | Fraction

LARGEST_WHOLE = 2.0**53
NUMERIC = re.compile(r"[+-]?[0-9]+([.][0-9]*)?")
DECIMALS = "^[+-]?(0|[1-9][0-9]{0,14})[.][0-9]{0,15}$"  # texts that are numbers with a point: no leading zeros
LONG_LIST = 200

# What programs write for a value that is not there: R, pandas, databases, Stata and SAS.
MISSING_MARKS = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", ".")

# What YAML 1.1 calls booleans: `domain: [yes, no]` arrives as True and False although the file says yes and no.
TRUE_WORDS = ("true", "yes", "on")
FALSE_WORDS = ("false", "no", "off")


@final
@dataclass(frozen=True, slots=True)
class Encoding:
    """A declared column in the engine: a code per row, and what each code means."""

    column: Column
    code: Expr
    spellings: Mapping[str, Label]

    def meaning(self, code: int | str | None) -> Meaning:
        """The declared value behind a code; DataError if there is none (the table was not checked, or has changed)."""
        if isinstance(self.column, Numbers):
            if code is not None:
                return cast("int", code) * self.column.unit
            if self.column.missing is not None:
                return self.column.missing
        if code in self.spellings:
            return self.spellings[cast("str", code)]
        raise DataError(
            "Needed every value of a grouping column to be in its declared domain, but one is not. "
            "Check the table before asking it for figures, and do not change it in between."
        )

    def satisfies(self, test: Test) -> Expr:
        """Whether a row passes the test, as `dalenius.facts.records.holds` says."""
        if isinstance(self.column, Categories):
            passing = _passing(test, set(self.spellings.values()))
            return among(self.code, [text for text, label in self.spellings.items() if label in passing])
        unit, first, most = self.column.unit, self.column.first, last(self.column)
        match test:
            case OneOf(values):
                quotients = [Fraction(value) / unit for value in values if not isinstance(value, str | bool)]
                codes = [int(quotient) for quotient in quotients if quotient.denominator == 1]
                one_of = among(self.code, [code for code in codes if first <= code <= most])
                wanted = self.column.missing is not None and self.column.missing in values
                return self.code.isnull() | one_of if wanted else one_of
            case Between(lower, upper):  # no further than the column reaches: engines hold no number of 300 digits
                least = first if lower is None else max(first, ceil(lower / unit))
                return self.code.between(least, most if upper is None else min(most, floor(upper / unit)))


def _passing(test: Test, labels: set[Label]) -> set[Label]:
    """The labels that pass the test, in time linear in their number. True is not 1, as in `holds`."""
    if isinstance(test, OneOf):
        wanted = {(isinstance(value, bool), value) for value in test.values}
        return {label for label in labels if (isinstance(label, bool), label) in wanted}
    return {label for label in labels if holds(test, label)}


def among(code: Expr, values: Sequence[int] | Sequence[str]) -> Expr:
    """Whether a code is one of these. Ibis is slow to write down a long list, so DuckDB joins that as a table. Into
    other databases nothing is written.
    """
    if isinstance(code, Term) or len(values) <= LONG_LIST or code.get_backend().name != "duckdb":
        return code.isin(values)
    import ibis
    import pyarrow as pa

    return code.isin(ibis.memtable(pa.table({"value": values})).value)


def encode(raw: Expr, column: Column, *, name: str) -> Encoding:
    """The column as its declaration reads it."""
    match column:
        case Numbers():
            index = lattice(raw, column, name=name).index
            if column.missing is not None:
                index = is_missing(raw, column).ifelse(None, index)
            return Encoding(column, index, {})
        case Categories():
            return Encoding(column, labels(raw, column, name=name), spelled(raw, column, name=name))


def labels(raw: Expr, column: Categories, *, name: str) -> Expr:
    """The text of each row's label: of what is missing, of the bin that a number is in, or as it stands there."""
    from dalenius.data.dates import date_number, date_text

    code = date_text(raw, column.dates, name=name) if column.dates else _label_text(raw, column)
    if column.cuts:
        value = date_number(code) if column.dates else number(raw, name=name)
        names = [str(label) for label in column.values[: len(column.cuts) - 1]]
        ends = zip(column.cuts[1:-1], names, strict=False)
        binned = _cases([(value < float(cut), label) for cut, label in ends], names[-1])
        code = value.isnull().ifelse(None, binned)  # what is no number is in no bin
    return code if column.missing is None else is_missing(raw, column).ifelse(str(column.missing), code)


def _cases(pairs: Sequence[tuple[Expr, str]], otherwise: str) -> Expr:
    if not pairs:
        return otherwise
    if isinstance(pairs[0][0], Term):
        return cases(pairs, otherwise)
    import ibis

    return ibis.cases(*pairs, else_=otherwise)


def _label_text(raw: Expr, column: Categories) -> Expr:
    """A label's text, the same wherever the table lives: 1.0 in a text is 1 in a column of numbers, and midnight is a
    date.
    """
    kind = raw.type()
    if kind.is_string() and any(NUMERIC.fullmatch(str(label)) for label in column.values):
        written = raw.re_search(DECIMALS)
        return written.ifelse(text(written.ifelse(raw, None).cast("float64")), raw)
    if kind.is_timestamp() and kind.timezone is None:
        day = raw.cast("date")
        return (day.cast("timestamp") == raw).ifelse(day.cast("string"), raw.cast("string"))
    return text(raw)


def canonical(label: Label) -> str:
    """The text of a label that is a number, without zeros that say nothing.

    >>> canonical("1.0"), canonical("2.50"), canonical("01"), canonical("v1.0")
    ('1', '2.5', '01', 'v1.0')
    """
    found = str(label)
    if not re.fullmatch(DECIMALS, found):
        return found
    short = found.rstrip("0").removesuffix(".").removeprefix("+")
    return "0" if short == "-0" else short


def spelled(raw: Expr, column: Categories, *, name: str) -> dict[str, Label]:
    """The texts that may stand for each label of the column."""
    if column.cuts or column.dates:
        return {str(label): label for label in column.values}
    found = spellings([label for label in column.values if label != column.missing], raw, name=name)
    return found if column.missing is None else {**found, str(column.missing): column.missing}


def is_missing(raw: Expr, column: Column | None = None) -> Expr:
    """Where nothing stands. An empty text is a missing one, so that a CSV file and a frame made from it are judged
    alike; in a declared column so is what programs write for it, such as NA, unless that is one of its labels. A NaN
    among numbers is not missing, though Ibis says so on Spark.
    """
    if raw.type().is_floating():
        return raw.isnull() & ~raw.isnan().fill_null(False)  # noqa: FBT003 - Ibis's own
    if not raw.type().is_string():
        return raw.isnull()
    labels = set(map(str, column.values)) if isinstance(column, Categories) else set[str]()
    marks = [""] if column is None else [mark for mark in MISSING_MARKS if mark not in labels]
    return raw.isnull() | raw.isin(marks)


def text(raw: Expr) -> Expr:
    """A column as text: whole numbers without a decimal point, truth values as true and false, dates as ISO 8601."""
    kind = raw.type()
    if kind.is_floating() or kind.is_decimal():
        number = raw.cast("float64")
        whole = number.clip(-LARGEST_WHOLE, LARGEST_WHOLE).round().cast("int64")
        return (number == whole).ifelse(whole.cast("string"), number.cast("string"))
    return raw if kind.is_string() else raw.cast("string")


def spellings(labels: Iterable[Label], raw: Expr, *, name: str) -> dict[str, Label]:
    """The texts that may stand for each label in this column; DataError if one text may stand for two labels."""
    spell = _in_truth_values if raw.type().is_boolean() else _in_text
    found: dict[str, Label] = {}
    equals: dict[Label, Label] = {}
    for label in labels:
        other = equals.setdefault(label, label)  # 1 and True are equal
        for spelling in spell(label):
            other = found.setdefault(spelling, other)
        if other is not label:
            raise DataError(
                f"Column {name!r} must have labels that can be told apart, but {other!r} and {label!r} cannot. "
                "Declare one of them only."
            )
    return found


def _in_text(label: Label) -> tuple[str, ...]:
    if isinstance(label, bool):
        words = TRUE_WORDS if label else FALSE_WORDS
        return tuple(form for word in words for form in (word, word.capitalize(), word.upper()))
    if str(label).lower() in {"true", "false"}:  # as frames write truth values into text
        return tuple(
            dict.fromkeys((str(label), *(form(str(label)) for form in (str.lower, str.capitalize, str.upper))))
        )
    return (canonical(label),)


def _in_truth_values(label: Label) -> tuple[str, ...]:
    if str(label).lower() in TRUE_WORDS:
        return ("true",)
    return ("false",) if str(label).lower() in FALSE_WORDS else (str(label),)
