"""Columns, conditions, channels and figures as JSON, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast, final

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.facts.derived import PerPerson
from dalenius.facts.records import (
    Between,
    Categories,
    Cell,
    Column,
    Combinations,
    Conjunct,
    Either,
    Numbers,
    OneOf,
    Test,
    Where,
)
from dalenius.mechanisms import Chain, Channel
from dalenius.mechanisms.registry import ROWS, made, row_of, written
from dalenius.record.codec.form import Form, Json, Keys, Table, filled
from dalenius.record.codec.numbers import (
    cell_json,
    cell_of,
    label_of,
    number_of,
    number_or_none,
    text_or_none,
    value_json,
    value_of,
)
from dalenius.tables.figures import Figure, Kind

TRUNCATED = "truncated"
LEFT_OUT = "left_out"
LEAST_SCALE = Fraction(1, 10**100)  # its square is a number of floating point

COLUMN: Table[Numbers] = {
    Form.LEDGER: {
        "unit": lambda column: str(column.unit),
        "lower": lambda column: str(column.lower),
        "upper": lambda column: str(column.upper),
    },
    Form.DECISION: {
        "unit": lambda column: str(column.unit),
        "bounds": lambda column: [str(column.lower), str(column.upper)],
    },
}


def column_json(column: Column, form: Form = Form.LEDGER) -> Json:
    """The declared domain of a column."""
    if isinstance(column, Categories):
        return {"labels": list(column.values)}
    numbers = filled(COLUMN, form, column)
    if column.missing is None:
        return numbers
    if form is Form.LEDGER:  # versions that do not know what is missing find no unit there, and stop
        return {"numbers": numbers, "missing": column.missing}
    return {**numbers, "missing": column.missing}


def column_of(found: Json) -> Column:
    """The column behind its JSON."""
    if "labels" in found:
        return Categories(tuple(map(label_of, found["labels"])))
    numbers, missing = found.get("numbers", found), found.get("missing")
    if missing is not None and not isinstance(missing, str):
        raise InputError("What is missing has a label, but this is something else. This is no entry of ours.")
    bounds = (number_of(numbers["lower"]), number_of(numbers["upper"]))
    return Numbers(number_of(numbers["unit"]), *bounds, missing=missing)


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
            return {"at_least": text_or_none(lower), "at_most": text_or_none(upper)}


def test_of(found: Json) -> Test:
    """The condition behind its JSON."""
    if "one_of" in found:
        return OneOf(tuple(value_of(value) for value in found["one_of"]))
    return Between(number_or_none(found["at_least"]), number_or_none(found["at_most"]))


def where_json(where: Where) -> Json:
    """A condition: its tests, in order."""
    return [_conjunct_json(item) for item in where.tests]


def _conjunct_json(item: Conjunct) -> Json:
    match item:
        case Either(parts):
            return {"either": [where_json(part) for part in parts]}
        case Combinations(columns, cells, left_out):
            return {"without" if left_out else "among": [list(columns), [cell_json(cell) for cell in cells]]}
        case (name, test):
            return [name, test_json(test)]


def where_of(found: Json) -> Where:
    """The condition behind its JSON."""
    return Where(tuple(map(_conjunct_of, found)))


def _conjunct_of(found: Json) -> Conjunct:
    if not isinstance(found, dict):
        return found[0], test_of(found[1])
    ((key, content),) = found.items()
    if key == "either":
        return Either(tuple(map(where_of, content)))
    columns, cells = content
    return Combinations(tuple(columns), tuple(map(cell_of, cells)), {"among": False, "without": True}[key])


def _recorded(link: Channel) -> Json:
    row, (_, numbers) = row_of(link), written(link)
    return {row.recorded: numbers if row.drawn or row.numbers else int(row.size(link))}


def _read(found: Json) -> Channel:
    ((name, value),) = found.items()
    row = {row.recorded: row for row in ROWS.values()}[name]
    return row.made(number_of(value)) if row.drawn else made(row.name, str(value))


def _links(figure: Figure) -> list[Json]:
    """Values that are truncated are the first thing that happens. It stands in the channel because versions that do
    not know it cannot read that: they stop, and never take the figure for a plain sum.
    """
    cut = [] if figure.truncated is None else [{TRUNCATED: _limits(figure)}]
    return [*cut, *map(_recorded, figure.channel.links)]


def _limits(figure: Figure) -> list[str]:
    return [str(limit) for limit in figure.truncated or ()]


def _steps(figure: Figure) -> list[list[str]]:
    """What happens to a total, with exact parameters in steps."""
    return [[*written(link)] for link in figure.channel.links]


def channel_of(found: Sequence[tuple[str, str]]) -> Chain:
    """The channel behind the steps of a certificate."""
    links = []
    for name, text in found:
        if ROWS[name].drawn and 0 < Fraction(text) < LEAST_SCALE:
            raise PreconditionError(f"noise of scale {text}, where less than {float(LEAST_SCALE):g} is not computed")
        links.append(made(name, text))
    return Chain(tuple(links))


@final
@dataclass(frozen=True, slots=True)
class Described:
    """A figure, and what a reader needs to know who does not have the specification."""

    figure: Figure
    columns: Mapping[str, Column] = field(default_factory=dict)  # the confidential ones
    adds: tuple[int, int] | None = None  # the least and the most that a record adds, in steps; None: it covers nobody
    already_out: bool = False

    @property
    def unit(self) -> Fraction:
        return self.figure.unit(self.columns)

    def end(self, place: int) -> str | None:
        """What a record adds at least (0) or at most (1), in the figure's own numbers."""
        return None if self.adds is None else str(self.adds[place] * self.unit)

    @property
    def confidential(self) -> list[str]:
        """The confidential columns that it depends on: none, if every record adds the same."""
        same = self.adds is not None and self.adds[0] == self.adds[1]
        return [] if same else sorted(self.figure.confidential(self.columns))


NAME: Keys[Described] = {
    "name": lambda one: one.figure.name,
    "kind": lambda one: one.figure.kind,
    "column": lambda one: one.figure.column,
}
BY: Keys[Described] = {"by": lambda one: list(one.figure.by)}
WORDS: Keys[Described] = {"where": lambda one: str(one.figure.where), **BY}
CUT: Keys[Described] = {TRUNCATED: lambda one: _limits(one.figure)}
GONE: Keys[Described] = {LEFT_OUT: lambda one: [[str(value) for value in cell] for cell in one.figure.left_out]}
FIGURE: Table[Described] = {
    Form.LEDGER: {
        **NAME,
        "where": lambda one: where_json(one.figure.where),
        **BY,
        "channel": lambda one: _links(one.figure),
    },
    Form.CERTIFICATE: {
        **NAME,
        "confidential": lambda one: one.confidential,
        **WORDS,
        "already_out": lambda one: one.already_out,
        "unit": lambda one: str(one.unit),
        "least": lambda one: one.end(0),
        "most": lambda one: one.end(1),
        "channel": lambda one: _steps(one.figure),
        **CUT,
        **GONE,
    },
    Form.DECISION: {**NAME, **WORDS, "release": lambda one: one.figure.released(one.columns), **CUT},
}


def figure_json(figure: Figure | Described, form: Form = Form.LEDGER) -> dict[str, Json]:
    """A figure's definition: what is added up, over whom, and what happens to it before it goes out. Only figures with
    truncated values, or with cells that are left out, have a key that says so.
    """
    one = figure if isinstance(figure, Described) else Described(figure)
    found = filled(FIGURE, form, one)
    return {key: part for key, part in found.items() if key not in (TRUNCATED, LEFT_OUT) or part}


def figure_of(found: Json) -> Figure:
    """The figure behind the JSON of a ledger."""
    cuts, links = ([link for link in found["channel"] if (TRUNCATED in link) == cut] for cut in (True, False))
    return Figure(
        found["name"],
        cast("Kind", found["kind"]),
        found["column"],
        where_of(found["where"]),
        tuple(found["by"]),
        Chain(tuple(map(_read, links))),
        _limits_of(cuts[0][TRUNCATED]) if cuts else None,
    )


def _limits_of(found: Json) -> tuple[Fraction, Fraction]:
    low, high = found
    return number_of(low), number_of(high)


def numbers_json(numbers: Sequence[tuple[Cell, Fraction | None]]) -> Json:
    """The numbers of a figure as they go out, cell by cell."""
    return [[cell_json(cell), text_or_none(number)] for cell, number in numbers]


def numbers_of(found: Json) -> tuple[tuple[Cell, Fraction | None], ...]:
    """The numbers behind their JSON."""
    return tuple((cell_of(cell), number_or_none(number)) for cell, number in found)
