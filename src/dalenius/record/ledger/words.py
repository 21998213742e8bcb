"""Figures, columns and beliefs as plain JSON, and back. Exact numbers are text; labels are what they are."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias, cast

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_LATTICE
from dalenius.beliefs.belief import Marginal
from dalenius.facts.derived import PerPerson
from dalenius.facts.records import Between, Categories, Cell, Column, Either, Label, Numbers, OneOf, Test, Where
from dalenius.mechanisms import Chain, Channel
from dalenius.mechanisms.registry import ROWS, row_of
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Kind

Json: TypeAlias = Any

RECORDED = re.compile(r"-?[0-9]{1,4300}(/[0-9]{1,4300})?")  # as long as Python reads whole numbers
TRUNCATED = "truncated"


def value_json(value: Label | Fraction) -> Json:
    """A label as it is; a number as exact text, marked so that it is not taken for a label."""
    return {"number": str(value)} if isinstance(value, Fraction) else value


def value_of(found: Json) -> Label | Fraction:
    """The value behind its JSON."""
    return _number(found["number"]) if isinstance(found, dict) else _label(found)


def cell_json(cell: Cell) -> Json:
    """The values of a cell, in order."""
    return [value_json(value) for value in cell]


def cell_of(found: Json) -> Cell:
    """The cell behind its JSON."""
    return tuple(value_of(value) for value in found)


def column_json(column: Column) -> Json:
    """The declared domain of a column."""
    if isinstance(column, Categories):
        return {"labels": list(column.values)}
    numbers = {"unit": str(column.unit), "lower": str(column.lower), "upper": str(column.upper)}
    # versions that do not know what is missing find no unit there, and stop
    return numbers if column.missing is None else {"numbers": numbers, "missing": column.missing}


def column_of(found: Json) -> Column:
    """The column behind its JSON."""
    if "labels" in found:
        return Categories(tuple(map(_label, found["labels"])))
    numbers = found.get("numbers", found)
    missing = found.get("missing")
    if missing is not None and not isinstance(missing, str):
        raise InputError("What is missing has a label, but this is something else. This is no entry of ours.")
    bounds = (_number(numbers["lower"]), _number(numbers["upper"]))
    return Numbers(_number(numbers["unit"]), *bounds, missing=missing)


def derived_json(plan: PerPerson) -> dict[str, Json]:
    """How each column is made of a person's rows, with the columns of the rows that it reads."""
    return {
        name: {
            "take": one.take,
            "of": one.of,
            "where": where_json(one.where),
            "limits": None if one.limits is None else [str(limit) for limit in one.limits],
            "by": one.by,
            "rows": {read: column_json(plan.rows[read]) for read in sorted(one.columns)},
        }
        for name, one in plan.derived.items()
    }


def test_json(test: Test) -> Json:
    """A condition on one column."""
    match test:
        case OneOf(values):
            return {"one_of": [value_json(value) for value in values]}
        case Between(lower, upper):
            return {"at_least": _text(lower), "at_most": _text(upper)}


def test_of(found: Json) -> Test:
    """The condition behind its JSON."""
    if "one_of" in found:
        return OneOf(tuple(value_of(value) for value in found["one_of"]))
    return Between(_fraction(found["at_least"]), _fraction(found["at_most"]))


def where_json(where: Where) -> Json:
    """A condition: its tests, in order."""
    return [
        {"either": [where_json(part) for part in item.parts]}
        if isinstance(item, Either)
        else [item[0], test_json(item[1])]
        for item in where.tests
    ]


def where_of(found: Json) -> Where:
    """The condition behind its JSON."""
    return Where(
        tuple(
            Either(tuple(map(where_of, item["either"]))) if isinstance(item, dict) else (item[0], test_of(item[1]))
            for item in found
        )
    )


def figure_json(figure: Figure) -> Json:
    """A figure's definition: what is added up, over whom, and what happens to it before it goes out."""
    return {
        "name": figure.name,
        "kind": figure.kind,
        "column": figure.column,
        "where": where_json(figure.where),
        "by": list(figure.by),
        "channel": [*_truncated_json(figure), *(_link_json(link) for link in figure.channel.links)],
    }


def figure_of(found: Json) -> Figure:
    """The figure behind its JSON."""
    cuts, links = ([link for link in found["channel"] if (TRUNCATED in link) == cut] for cut in (True, False))
    return Figure(
        found["name"],
        cast("Kind", found["kind"]),
        found["column"],
        where_of(found["where"]),
        tuple(found["by"]),
        Chain(tuple(_link_of(link) for link in links)),
        _limits_of(cuts[0]) if cuts else None,
    )


def _truncated_json(figure: Figure) -> list[Json]:
    """Values that are truncated, as the first thing that happens. It stands in the channel because versions that do not
    know it cannot read that: they stop, and never take the figure for a plain sum.
    """
    return [] if figure.truncated is None else [{TRUNCATED: [str(limit) for limit in figure.truncated]}]


def _limits_of(found: Json) -> tuple[Fraction, Fraction]:
    low, high = found[TRUNCATED]
    return _number(low), _number(high)


def meaning(figure: Figure) -> Hashable:
    """What a figure says, whatever it is called and in whatever order its conditions and columns stand."""
    rest = replace(figure, name="", where=Where(), by=())  # all else that a figure has, or will have
    return rest, _meant(figure.where), frozenset(figure.by)


def _meant(where: Where) -> Hashable:
    """The parts of a condition, each once, without an order."""
    return frozenset(
        frozenset(map(_meant, item.parts)) if isinstance(item, Either) else (item[0], _tested(item[1]))
        for item in where.tests
    )


def _tested(test: Test) -> Hashable:
    if isinstance(test, Between):
        return test
    return frozenset((type(value), value) for value in test.values)


def _link_json(link: Channel) -> Json:
    row = row_of(link)
    size = row.size(link)
    return {row.recorded: str(size) if row.drawn else int(size)}


def _link_of(found: Json) -> Channel:
    ((name, value),) = found.items()
    row = {row.recorded: row for row in ROWS.values()}[name]
    return row.made(_number(value) if row.drawn else Fraction(value))


def belief_json(belief: ColumnBelief) -> Json:
    """A belief with its source; runs of equally likely values are one item."""
    return {
        "column": belief.column,
        "by": list(belief.by),
        "source": belief.source,
        "fitted": belief.fitted,
        "table": _table_json(belief.table),
        "least": None if belief.least is None else _table_json(belief.least),
        "confidence": _text(belief.confidence),
        "differ": belief.differ,
    }


def belief_of(found: Json) -> ColumnBelief:
    """The belief behind its JSON."""
    return ColumnBelief(
        found["column"],
        _table_of(found["table"]),
        found["source"],
        tuple(found["by"]),
        found["fitted"],
        None if found["least"] is None else _table_of(found["least"]),
        _fraction(found["confidence"]),
        found["differ"],
    )


def _table_json(table: Mapping[Cell, Marginal]) -> Json:
    return [[cell_json(cell), _runs(marginal)] for cell, marginal in table.items()]


def _table_of(found: Json) -> dict[Cell, Marginal]:
    return {cell_of(cell): tuple(_unfolded(runs)) for cell, runs in found}


def _runs(marginal: Marginal) -> list[Json]:
    """[value, probability], or [first, step, how many, probability] for numbers in equal steps with one probability."""
    found: list[Json] = []
    place = 0
    while place < len(marginal):
        length = _run(marginal, place)
        value, chance = marginal[place]
        if length > 2:
            step = Fraction(marginal[place + 1][0]) - Fraction(value)
            found.append([value_json(value), str(step), length, str(chance)])
        else:
            length = 1
            found.append([value_json(value), str(chance)])
        place += length
    return found


def _run(marginal: Marginal, place: int) -> int:
    """How many items from this place on are fractions in equal steps with one probability."""
    first, chance = marginal[place]
    second = marginal[place + 1][0] if place + 1 < len(marginal) else None
    if not isinstance(first, Fraction) or not isinstance(second, Fraction):
        return 1
    value, step, length = first, second - first, 1
    while place + length < len(marginal):
        other, same = marginal[place + length]
        if not isinstance(other, Fraction) or same != chance or other - value != step:
            break
        value, length = other, length + 1
    return length


def _unfolded(runs: Iterable[Json]) -> Iterable[tuple[Label | Fraction, Fraction]]:
    for item in runs:
        if len(item) == 2:
            yield value_of(item[0]), _number(item[1])
        else:
            first, step, length, chance = _number(item[0]["number"]), _number(item[1]), item[2], _number(item[3])
            if length > LARGEST_LATTICE:
                raise InputError(
                    f"A run has at most {LARGEST_LATTICE} values, but got {length}. This is no entry of ours."
                )
            yield from ((first + place * step, chance) for place in range(length))


def attacker_json(attacker: Attacker) -> Json:
    """Who attacks."""
    return {
        "knows": attacker.known if isinstance(attacker.known, int) else str(attacker.known),
        "in_every_group": attacker.in_every_group,
        "source": attacker.source,
    }


def numbers_json(numbers: Sequence[tuple[Cell, Fraction | None]]) -> Json:
    """The numbers of a figure as they go out, cell by cell."""
    return [[cell_json(cell), _text(number)] for cell, number in numbers]


def numbers_of(found: Json) -> tuple[tuple[Cell, Fraction | None], ...]:
    """The numbers behind their JSON."""
    return tuple((cell_of(cell), _fraction(number)) for cell, number in found)


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def _fraction(text: str | None) -> Fraction | None:
    return None if text is None else _number(text)


def _number(text: Json) -> Fraction:
    """An exact number as it was recorded: a whole number or a fraction, as text."""
    if not isinstance(text, str) or not RECORDED.fullmatch(text):
        raise InputError("A number is recorded as 3 or 1/3, but this is something else. This is no entry of ours.")
    return Fraction(text)


def _label(found: Json) -> Label:
    if not isinstance(found, bool | int | str):
        raise InputError(f"A label is text or a number, but this is {type(found).__name__}. This is no entry of ours.")
    return found
