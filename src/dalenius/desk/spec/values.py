"""Names and values in a specification, against the columns that it declares."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import ge, gt, le, lt
from typing import Any

from dalenius.basics.errors import SpecError
from dalenius.beliefs.belief import Marginal, marginal_of
from dalenius.data.wording import shown_list
from dalenius.desk.spec.model import RangeModel
from dalenius.enclosure.formats import apart
from dalenius.facts.dates import LENGTH, date_label
from dalenius.facts.records import Between, Categories, Cell, Column, Label, Numbers, OneOf, Steps, Test, exact


def named(
    name: str,
    known: Sequence[str],
    what: str,
    *,
    needed: str = "declared",
    other: Sequence[str] = (),
    also: Sequence[str] = (),
) -> str:
    """The name, if it is that of a known column; `other` are the columns of the other kind, `also` those that would
    have done as well.
    """
    if name not in known:
        offered = [*known, *also]
        near = difflib.get_close_matches(name, offered, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Name one of these: {', '.join(offered) or 'there is none'}."
        came = f"which is not {needed}" if name in other else "which is not declared"
        if name in other and needed == "public":
            came = "which is confidential, where only what anybody may know will do"
            hint = f"The public columns are {', '.join(known)}." if known else "Declare a column under public."
        raise SpecError(f"{what} needs a {needed} column, but names {name!r}, {came}. {hint}")
    return name


def columns_by(
    given: str | Sequence[str],
    public: Mapping[str, Column],
    confidential: Iterable[str],
    what: str,
    also: Sequence[str] = (),
) -> list[str]:
    """Public columns, each of them once; `also` could have been named, too."""
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        named(name, list(public), f"{what}: by", needed="public", other=list(confidential), also=also)
        if names.count(name) > 1:
            raise SpecError(f"{what}: by needs each column once, but {name} stands there twice. Remove one of them.")
    return names


def condition(name: str, given: object, column: Column, what: str) -> Test:
    """A label, a number, a list of them or a range, as a test of the column."""
    if isinstance(given, RangeModel):
        if isinstance(column, Categories) and column.dates and not column.cuts:
            sides = ((">=", given.at_least), ("<=", given.at_most))
            return dates_between(name, column, [(sign, str(end)) for sign, end in sides if end is not None], what)
        if isinstance(column, Categories):
            raise SpecError(f"{what}: {name} has labels, so at_least and at_most do not apply. List the labels.")
        low = None if given.at_least is None else exact(given.at_least, name=f"{name}.at_least")
        high = None if given.at_most is None else exact(given.at_most, name=f"{name}.at_most")
        if low is None and high is None:
            raise SpecError(f"{what}: the condition on {name} needs at_least or at_most, but has neither. Add one.")
        return limits(name, low, high, column, what)
    values = given if isinstance(given, list) else [given]
    if not values:
        raise SpecError(f"{what}: the condition on {name} needs at least one value, but the list is empty. Fill it.")
    return OneOf(tuple(value_of(name, value, column, what) for value in values))


def dates_between(name: str, column: Categories, sides: Sequence[tuple[str, str]], what: str) -> OneOf:
    """The dates that satisfy all comparisons; with a month or a year, as far as that says."""
    kept = [str(label) for label in column.values if label != column.missing]
    for sign, end in sides:
        unit = next((unit for unit, length in LENGTH.items() if length == len(end)), column.dates)
        stated = date_label(end, unit)
        compare = {"<": lt, "<=": le, ">": gt, ">=": ge}[sign]
        kept = [label for label in kept if compare(label[: len(stated)], stated)]
    if not kept or not sides:
        raise SpecError(
            f"{what}: the condition on {name} needs to hold for some date from {column.values[0]} on, but no date "
            "satisfies it. Correct the condition, or the bounds."
        )
    return OneOf(tuple(kept))


def limits(name: str, low: Fraction | None, high: Fraction | None, column: Numbers, what: str) -> Between:
    """A range of a numeric column, of which at least one value is possible."""
    if low is not None and high is not None and low > high:
        raise SpecError(
            f"{what}: the lower limit of {name} may not exceed the upper one, but got {low} and {high}. Swap them."
        )
    if (low is not None and low > column.upper) or (high is not None and high < column.lower):
        raise SpecError(
            f"{what}: the condition on {name} needs to hold for some value from {column.lower} to {column.upper}, "
            "but no value satisfies it. Correct the condition, or the bounds."
        )
    return Between(low, high)


def value_of(name: str, given: object, column: Column, what: str) -> Label | Fraction:
    """A label of the domain, or a number on the lattice, as the column has it."""
    if isinstance(column, Numbers):
        if column.missing is not None and given == column.missing:
            return column.missing
        if isinstance(given, bool):
            raise SpecError(f"{what}: {name} needs a number, but got {str(given).lower()}. Correct it.")
        number = exact(given if isinstance(given, int | float | str | Fraction) else str(given), name=f"{what}: {name}")
        if number % column.unit or not column.lower <= number <= column.upper:
            raise SpecError(
                f"{what}: {name} = {given} is not a multiple of {column.unit} between {column.lower} and "
                f"{column.upper}. Correct it."
            )
        return number
    for value in column.values:
        if value == given and isinstance(value, bool) == isinstance(given, bool):
            return value
    for value in column.values:
        if str(value).lower() == str(given).lower():
            return value
    near = difflib.get_close_matches(str(given), [str(value) for value in column.values], n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Correct it, or add it to the domain."
    raise SpecError(f"{what}: {name} needs one of {shown_list(column.values)}, but got {given!r}. {hint}")


def nested(cells: Any, by: Sequence[str], public: Mapping[str, Column], what: str) -> dict[Cell, Any]:
    """Nested mappings of public values, flattened to tuples."""
    if not by:
        return {(): cells}
    if not isinstance(cells, Mapping):
        raise SpecError(f"{what} needs an entry for each value of {by[0]}, but got {cells!r}. Write one a line.")
    found: dict[Cell, Any] = {}
    for key, inner in cells.items():
        value = value_of(by[0], key, public[by[0]], what)
        for rest, content in nested(inner, by[1:], public, what).items():
            cell: Cell = (value, *rest)
            if cell in found:
                raise SpecError(f"{what} needs one entry for each value of {by[0]}, but {key} stands there twice.")
            found[cell] = content
    return found


def marginal(chances: object, name: str, column: Column, what: str) -> Marginal:
    """Probabilities of labels or numbers; "rest" and "0 to 9000" are spelled out."""
    if not isinstance(chances, Mapping):
        raise SpecError(
            f"{what} needs a probability for each value of {name}, but got {chances!r}. "
            "Write {value: probability, ...}."
        )
    found: dict[Label | Fraction, Fraction] = {}
    rest: Sequence[Label | Fraction] | None = None
    single: set[Label | Fraction] = set()
    ranged: set[Label | Fraction] = set()
    for key, chance in chances.items():
        ends = str(key).split(" to ")
        values: Sequence[Label | Fraction]
        if isinstance(column, Numbers) and len(ends) == 2:
            spread, values = True, range_of(ends, name, column, what)
        elif isinstance(column, Categories) and column.dates and not column.cuts and len(ends) == 2:
            spread = True
            values = dates_between(name, column, [(">=", ends[0].strip()), ("<=", ends[1].strip())], what).values
        else:
            spread, values = False, [value_of(name, key, column, what)]
        if not spread and values[0] in single:
            raise SpecError(f"{what} needs one probability for each value, but {key} stands there twice. Remove one.")
        if spread and not ranged.isdisjoint(values):
            raise SpecError(f"{what}: ranges may not overlap, but {key} overlaps with another one. Correct the ranges.")
        single.update(() if spread else values)
        ranged.update(values if spread else ())
        if str(chance) == "rest":
            if rest is not None:
                raise SpecError(f'{what}: "rest" may stand once, but it stands again at {key}. Write that one out.')
            rest = values
            continue
        share = exact(chance, name=f"{what}: the probability of {key}") / len(values)
        for value in values:
            found[value] = found.get(value, Fraction(0)) + share
    if rest is not None:
        total = sum(found.values(), Fraction(0))
        if total > 1 and all(0 <= chance <= 1 for chance in found.values()):
            raise SpecError(
                f'{what}: "rest" needs something to be left, but the other probabilities already sum to '
                f"{apart(total, 1)}. Correct them."
            )
        share = (1 - total) / len(rest)
        for value in rest:
            found[value] = found.get(value, Fraction(0)) + share
    return marginal_of(found)


def range_of(ends: Sequence[str], name: str, column: Numbers, what: str) -> Sequence[Label | Fraction]:
    """The values of a range, counted from its ends: to look through the whole column for each range would take long."""
    low, high = (Fraction(value_of(name, end.strip(), column, what)) for end in ends)
    if low > high:
        raise SpecError(
            f"{what}: a range runs from the smaller to the larger number, but got {' to '.join(ends)}. Swap them."
        )
    return Steps(low, column.unit, int((high - low) / column.unit) + 1)[:]
