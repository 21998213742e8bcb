"""From a condition as it is written, in words or as keys, to a `Where` on the declared columns.

Negations are pushed down to the columns, where they become tests again: every column has a finite domain. So a
condition is made of "and" and "or" only, and its public and its confidential part can be told apart.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from dalenius.basics.errors import SpecError
from dalenius.basics.limits import LARGEST_COMPLEMENT
from dalenius.desk.spec.expression import Compared, Expression, Joined, Negated, parse
from dalenius.desk.spec.model import ConditionModel
from dalenius.desk.spec.values import condition, dates_between, limits, named, value_of
from dalenius.facts.records import (
    Between,
    Categories,
    Column,
    Either,
    Label,
    Numbers,
    OneOf,
    Where,
    exact,
    shown_column,
)

OPPOSITE = {"=": "!=", "<": ">=", ">": "<=", "in": "not in", "between": "not between"}
OPPOSITE |= {opposite: sign for sign, opposite in OPPOSITE.items()}
LISTED = ("=", "in", "!=", "not in")
OPPOSITES = ("!=", "not in", "not between")


def where_of(
    given: str | Mapping[str, ConditionModel],
    public: Mapping[str, Column],
    confidential: Mapping[str, Column],
    what: str,
) -> Where:
    """The condition; SpecError unless it is one on declared columns, and splits into a public and a confidential
    part.
    """
    columns = {**public, **confidential}
    if not isinstance(given, str):
        return Where(
            tuple(
                (named(name, list(columns), f"{what}: where"), condition(name, test, columns[name], what))
                for name, test in given.items()
            )
        )
    found = _where(parse(given, f"{what}: where"), columns, f"{what}: where", negated=False)
    for item in found.tests:
        if isinstance(item, Either) and item.columns & public.keys() and item.columns & confidential.keys():
            open_, hidden = (
                ", ".join(sorted(map(shown_column, item.columns & some)))
                for some in (public.keys(), confidential.keys())
            )
            raise SpecError(
                f"{what}: where needs a condition on public columns and one on confidential columns, joined by and, "
                f"but {item} chooses between both ({open_}: public; {hidden}: confidential). "
                "Publish one figure for each public case, or by the public columns."
            )
    return found


def _where(tree: Expression, columns: Mapping[str, Column], what: str, *, negated: bool) -> Where:
    match tree:
        case Negated(part):
            return _where(part, columns, what, negated=not negated)
        case Joined(by, parts):
            found = [_where(part, columns, what, negated=negated) for part in parts]
            return _every(found) if (by == "and") != negated else _either(found)
        case Compared():
            return _test(tree, columns, what, negated=negated)


def _every(parts: list[Where]) -> Where:
    return Where(tuple(dict.fromkeys(item for part in parts for item in part.tests)))


def _either(parts: list[Where]) -> Where:
    """A choice between choices is one choice."""
    flat: dict[Where, None] = {}
    for part in parts:
        inner = part.tests[0] if len(part.tests) == 1 else None
        flat |= dict.fromkeys(inner.parts if isinstance(inner, Either) else (part,))
    return Where((Either(tuple(flat)),)) if len(flat) > 1 else next(iter(flat))


def _test(tree: Compared, columns: Mapping[str, Column], what: str, *, negated: bool) -> Where:
    name = named(tree.column, list(columns), what)
    column, sign = columns[name], OPPOSITE[tree.sign] if negated else tree.sign
    if isinstance(column, Categories) and column.dates and not column.cuts and tree.sign not in LISTED:
        return _date_test(tree, name, column, what, negated=negated)
    if isinstance(column, Categories):
        return _label_test(name, column, sign, tree.values, what)
    found = _number_test(name, column, sign, tree.values, what)
    # Only comparisons by their opposites hold of what is missing, unless it is named in them.
    opposite = (tree.sign in OPPOSITES) != negated
    if column.missing is None or not opposite or column.missing in tree.values:
        return found
    return _either([found, Where(((name, OneOf((column.missing,))),))])


def _date_test(tree: Compared, name: str, column: Categories, what: str, *, negated: bool) -> Where:
    """A comparison of dates, or its opposite: all other dates, and what is missing."""
    first, *more = tree.values
    sides = [(">=", first), ("<=", more[0])] if more else [(tree.sign, first)]
    inside: tuple[Label | Fraction, ...] = dates_between(name, column, sides, what).values
    if (tree.sign in OPPOSITES) != negated:
        inside = tuple(label for label in column.values if label not in inside)
    if not inside:
        raise SpecError(_never(name, what))
    return Where(((name, OneOf(inside)),))


def _number_test(name: str, column: Numbers, sign: str, values: tuple[str, ...], what: str) -> Where:
    """A comparison, as it holds of numbers."""
    if sign in {"=", "in"}:
        return Where(((name, OneOf(tuple(value_of(name, value, column, what) for value in values))),))
    if sign in {"!=", "not in"}:
        return _apart_from(name, column, values, what)
    numbers = [exact(value, name=f"{what}: {name}") for value in values]
    if sign == "not between":
        first, last = numbers
        if first > last:
            raise SpecError(f"{what} needs the lower limit of {name} first, but got {first} and {last}. Swap them.")
        return _ranges(name, column, [(None, _before(first, column)), (_after(last, column), None)], what)
    low: Fraction | None = None
    high: Fraction | None = None
    match sign:
        case "<":
            high = _before(numbers[0], column)
        case "<=":
            high = numbers[0]
        case ">":
            low = _after(numbers[0], column)
        case ">=":
            low = numbers[0]
        case _:
            low, high = numbers
    return Where(((name, limits(name, low, high, column, what)),))


def _label_test(name: str, column: Categories, sign: str, values: tuple[str, ...], what: str) -> Where:
    if sign not in {"=", "in", "!=", "not in"}:
        raise SpecError(f"{what}: {name} has labels, so {sign} does not apply. List the labels: {name} in (...).")
    wanted: tuple[Label | Fraction, ...] = tuple(value_of(name, value, column, what) for value in values)
    if sign in {"!=", "not in"}:
        wanted = tuple(label for label in column.values if not any(label is other for other in wanted))
    if not wanted:
        raise SpecError(_never(name, what))
    return Where(((name, OneOf(wanted)),))


def _apart_from(name: str, column: Numbers, values: tuple[str, ...], what: str) -> Where:
    """All numbers of the column but these, as ranges between them."""
    if len(values) > LARGEST_COMPLEMENT:
        raise SpecError(
            f"{what}: {name} may be required to differ from {LARGEST_COMPLEMENT} numbers, but got {len(values)}. "
            "Write ranges, with between."
        )
    meant = {value_of(name, value, column, what) for value in values}
    taken = sorted(Fraction(value) for value in meant if value != column.missing)
    if not taken:
        return Where(((name, Between(column.lower, column.upper)),))
    sides: list[tuple[Fraction | None, Fraction | None]] = [
        (None, taken[0] - column.unit),
        *((one + column.unit, two - column.unit) for one, two in pairwise(taken) if two - one > column.unit),
        (taken[-1] + column.unit, None),
    ]
    return _ranges(name, column, sides, what)


def _ranges(name: str, column: Numbers, sides: list[tuple[Fraction | None, Fraction | None]], what: str) -> Where:
    live = [
        (low, high)
        for low, high in sides
        if (low is None or low <= column.upper) and (high is None or high >= column.lower)
    ]
    if not live:
        raise SpecError(_never(name, what))
    return _either([Where(((name, Between(low, high)),)) for low, high in live])


def _before(number: Fraction, column: Numbers) -> Fraction:
    """The greatest multiple of the unit below a number."""
    return (ceil(number / column.unit) - 1) * column.unit


def _after(number: Fraction, column: Numbers) -> Fraction:
    """The least multiple of the unit above a number."""
    return (floor(number / column.unit) + 1) * column.unit


def _never(name: str, what: str) -> str:
    return (
        f"{what}: the condition on {name} needs to hold for some value of its domain, but no value satisfies it. "
        "Correct the condition, or the domain."
    )
