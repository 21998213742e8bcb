"""Probabilities of several columns that move together: a table of all combinations of their values."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias

from dalenius.basics.errors import SpecError
from dalenius.desk.spec.values import range_of, value_of
from dalenius.facts.records import Cell, Column, Label, Numbers, exact

Values: TypeAlias = Sequence[Label | Fraction]
CHANCE = "probability"  # the key of an entry of a list


def joint(given: object, columns: Mapping[str, Column], what: str) -> tuple[tuple[Cell, Fraction], ...]:
    """Probabilities of every combination, from keys inside keys, in the order of the columns, or from a list of
    combinations; "rest" is what is left, of one of them.
    """
    found: dict[Cell, Fraction] = {}
    rest: Cell | None = None
    for values, chance in _entries(given, columns, what):
        cells = list(product(*values))
        for cell in cells:
            if cell in found or cell == rest:
                raise SpecError(
                    f"{what} needs one probability for each combination, but there are two for "
                    f"{told(cell, columns)}. Remove one."
                )
        if str(chance) == "rest":
            if rest is not None or len(cells) != 1:
                raise SpecError(
                    f'{what}: "rest" may stand once, and for one combination, but it stands again at '
                    f"{told(cells[0], columns)}. Write the probability out."
                )
            rest = cells[0]
            continue
        share = exact(chance, name=f"{what}: the probability of {told(cells[0], columns)}") / len(cells)
        found |= dict.fromkeys(cells, share)
    if rest is not None:
        found[rest] = 1 - sum(found.values(), Fraction(0))
    return _whole(found, columns, what)


def _whole(
    found: Mapping[Cell, Fraction], columns: Mapping[str, Column], what: str
) -> tuple[tuple[Cell, Fraction], ...]:
    """All combinations in the order of the domains; SpecError if one is missing or they are no probabilities."""
    if len(found) < prod(column.size for column in columns.values()):
        every = product(*(column.values for column in columns.values()))
        missing = next(cell for cell in every if cell not in found)
        raise SpecError(
            f"{what} needs a probability for every combination, but there is none for {told(missing, columns)}. Add "
            "it; write 0 where nobody can have it, or rest for what is left."
        )
    negative = next((cell for cell, chance in found.items() if chance < 0), None)
    if negative is not None:
        raise SpecError(
            f"{what} needs probabilities of at least 0, but that of {told(negative, columns)} is "
            f"{float(found[negative]):g}. Correct it."
        )
    total = sum(found.values(), Fraction(0))
    if total != 1:
        raise SpecError(
            f"{what} needs probabilities that sum to 1 over all combinations, but they sum to {float(total):g}. "
            "Correct them, or write rest for one of them."
        )
    return tuple((cell, found[cell]) for cell in product(*(column.values for column in columns.values())))


def _entries(given: object, columns: Mapping[str, Column], what: str) -> Iterator[tuple[list[Values], Any]]:
    """The values of each column, one or a range, with the probability that stands there."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        for number, entry in enumerate(given, start=1):
            yield _listed(entry, columns, f"{what}, entry {number}"), entry[CHANCE]
    else:
        yield from _nested(given, list(columns.items()), what)


def _listed(entry: object, columns: Mapping[str, Column], what: str) -> list[Values]:
    needed = {*columns, CHANCE}
    if not isinstance(entry, Mapping) or {*entry} != needed:
        came = ", ".join(map(str, entry)) if isinstance(entry, Mapping) else "something else"
        raise SpecError(f"{what} needs the keys {', '.join(columns)} and {CHANCE}, but has {came}. Write these.")
    return [_values(name, entry[name], column, what) for name, column in columns.items()]


def _nested(given: object, columns: Sequence[tuple[str, Column]], what: str) -> Iterator[tuple[list[Values], Any]]:
    if not columns:
        yield [], given
        return
    (name, column), *more = columns
    if not isinstance(given, Mapping):
        raise SpecError(
            f"{what} needs an entry for each value of {name}, but got {str(given)[:40]!r}. Write the values of one "
            "column inside those of the other, or a list of combinations."
        )
    for key, inner in given.items():
        for values, chance in _nested(inner, more, what):
            yield [_values(name, key, column, what), *values], chance


def _values(name: str, given: object, column: Column, what: str) -> Values:
    """One value, or those of a range such as "0 to 9000"."""
    ends = str(given).split(" to ")
    if isinstance(column, Numbers) and len(ends) == 2:
        return range_of(ends, name, column, what)
    return [value_of(name, given, column, what)]


def told(cell: Cell, names: Sequence[str] | Mapping[str, Column]) -> str:
    """A combination in words.

    >>> told(("flu", "yes"), ["diagnosis", "smoker"])
    'diagnosis flu, smoker yes'
    """
    return ", ".join(f"{name} {value}" for name, value in zip(names, cell, strict=True))
