"""From a checked model to the words of the planner."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dalenius.beliefs.belief import Marginal, Share, known_records, marginal_of
from dalenius.errors import InputError, SpecError
from dalenius.figures import Attacker, ColumnBelief, Figure
from dalenius.history import History
from dalenius.mechanisms import Chain, Channel, Rounded, discrete_gaussian, two_sided_geometric
from dalenius.planning import Target
from dalenius.records import Between, Categories, Cell, Column, Label, Numbers, OneOf, Test, Where, exact
from dalenius.release import representable
from dalenius.secret import Presence, Secret, Value
from dalenius.spec.model import BeliefModel, FigureModel, NumbersModel, RangeModel, SizesModel, SpecModel

REFUSED = {
    "median": "a median is not a sum over records, so no law of a sum can certify it",
    "quantile": "a quantile is not a sum over records, so no law of a sum can certify it",
    "percentile": "a percentile is not a sum over records, so no law of a sum can certify it",
    "minimum": "a minimum is one person's value",
    "min": "a minimum is one person's value",
    "maximum": "a maximum is one person's value",
    "max": "a maximum is one person's value",
    "mode": "the most frequent value is not a sum over records",
    "ratio": "a ratio of two confidential figures is not a sum; publish both figures and let the reader divide",
    "weighted": "weights make every record a type of its own; publish unweighted figures",
    "weighted_sum": "weights make every record a type of its own; publish unweighted figures",
    "weighted_mean": "weights make every record a type of its own; publish unweighted figures",
}


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """A specification in the planner's words; the frame is still to come from the data, or from `sizes`."""

    person: str
    public: Mapping[str, Column]
    confidential: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    attacker: Attacker
    secret: Secret
    target: Target
    figures: tuple[Figure, ...]
    history: History
    frame_columns: tuple[str, ...]
    sizes: Mapping[Cell, int] | None


def build(model: SpecModel) -> Prepared:
    """Check what the model's types cannot say, and translate."""
    public = {name: _column(name, column) for name, column in model.public.items()}
    confidential = {name: _column(name, column) for name, column in model.confidential.items()}
    _check_names(model, public, confidential)
    figures = tuple(_figure(item, public, confidential) for item in model.figures)
    before = tuple(_figure(item, public, confidential) for item in model.published)
    beliefs = tuple(_belief(name, item, public, confidential) for name, item in model.beliefs.items())
    frame = _frame_columns((*before, *figures), beliefs, public)
    secret: Secret = Presence() if model.secret == "presence" else Value()
    return Prepared(
        model.person,
        public,
        confidential,
        beliefs,
        _attacker(model),
        secret,
        _target(model),
        figures,
        History(before),
        frame,
        _sizes(model, frame, public),
    )


def _target(model: SpecModel) -> Target:
    return Target(exact(model.target.epsilon, name="target.epsilon"), exact(model.target.delta, name="target.delta"))


def _attacker(model: SpecModel) -> Attacker:
    """A whole number is a number of records; anything else (0.2, 1/5, 20 %) is a share."""
    given = str(model.attacker.knows).strip()
    known: Share
    if given.lstrip("-").isdigit():
        known = int(given)
        if known < 0:
            raise SpecError(
                f"attacker.knows must be at least 0, but got {known}. Write 0.2 for a fifth of the records."
            )
    else:
        percent = given.endswith("%")
        known = exact(given.rstrip("% "), name="attacker.knows") / (100 if percent else 1)
        known_records(known, 2)
    return Attacker(known, model.attacker.in_every_group, model.attacker.source)


def _check_names(model: SpecModel, public: Mapping[str, Column], confidential: Mapping[str, Column]) -> None:
    both = sorted(public.keys() & confidential.keys())
    if both:
        raise SpecError(
            f"A column is either public or confidential, but {both[0]!r} is listed as both. Remove one of them."
        )
    if model.person in public or model.person in confidential:
        raise SpecError(
            f"The person column {model.person!r} only names the person. Do not list it as public or confidential."
        )
    names = [figure.name for figure in (*model.published, *model.figures)]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"Every figure needs a name of its own, but {name!r} is used twice. Rename one of them.")
    if model.secret == "presence" and model.sizes is None:
        raise SpecError(
            "Where presence is secret, the sizes of the groups are not read from the data. Declare them under sizes."
        )
    if model.secret == "value" and model.sizes is not None:
        raise SpecError(
            "sizes is only for secret: presence; otherwise the sizes are public and read from the data. Remove it."
        )


def _column(name: str, model: NumbersModel | Sequence[object]) -> Column:
    try:
        if isinstance(model, NumbersModel):
            low, high = (exact(bound, name="a bound") for bound in model.bounds)
            return Numbers(exact(model.unit, name="the unit"), low, high)
        return Categories(tuple(_label(value) for value in model))
    except InputError as error:
        raise SpecError(f"Column {name}: {error}") from None


def _label(value: object) -> Label:
    if isinstance(value, bool | int | str):
        return value
    raise SpecError(f"A label must be text, a whole number, true or false, but got {value!r}. Put it in quotes.")


def _named(name: str, known: Sequence[str], what: str) -> str:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Declared are: {', '.join(known) or 'none'}."
        raise SpecError(f"{what} names the column {name!r}, which is not declared.{hint}")
    return name


def _figure(model: FigureModel, public: Mapping[str, Column], confidential: Mapping[str, Column]) -> Figure:
    what = f"Figure {model.name}"
    columns = {**public, **confidential}
    if model.kind not in ("count", "sum", "mean"):
        reason = REFUSED.get(model.kind.lower().replace(" ", "_"), "dalenius certifies counts, sums and means")
        raise SpecError(f"{what}: {model.kind!r} is refused: {reason}. Choose count, sum or mean.")
    if (model.column is None) != (model.kind == "count"):
        raise SpecError(
            f"{what}: a {model.kind} "
            + ("has no column; use where to choose records." if model.kind == "count" else "needs a column.")
        )
    if model.column is not None:
        _named(model.column, list(confidential), what)
        if isinstance(confidential[model.column], Categories):
            raise SpecError(
                f"{what}: a {model.kind} needs numbers, but {model.column} has labels. Count a label instead."
            )
    by = [model.by] if isinstance(model.by, str) else list(model.by)
    for name in by:
        _named(name, list(public), f"{what}: by")
        if not isinstance(public[name], Categories):
            raise SpecError(
                f"{what}: by needs a column with a list of labels, but {name} is numeric. Declare its labels."
            )
    tests = tuple(
        (_named(name, list(columns), f"{what}: where"), _test(name, test, columns[name], what))
        for name, test in model.where.items()
    )
    if model.kind == "mean" and any(name in confidential for name, _ in tests):
        raise SpecError(
            f"{what}: a mean needs a public number of records, but its condition uses a confidential column. "
            "Publish the sum and the count."
        )
    return Figure(
        model.name,
        "count" if model.kind == "count" else "sum" if model.kind == "sum" else "mean",
        model.column,
        Where(tests),
        tuple(by),
        _channel(model),
    )


def _channel(model: FigureModel) -> Chain:
    links: list[Channel] = []
    if model.noise is not None:
        if (model.noise.geometric is None) == (model.noise.gaussian is None):
            raise SpecError(f"Figure {model.name}: noise needs either geometric or gaussian, with its scale.")
        links.append(_noise(model))
    if model.round is not None:
        if model.round < 1:
            raise SpecError(
                f"Figure {model.name}: round needs at least 1, but got {model.round}. Write 5 to round to fives."
            )
        links.append(Rounded(model.round))
    return Chain(tuple(links))


def _noise(model: FigureModel) -> Channel:
    """Noise at the scale that will be drawn: the least double that is not below the declared one."""
    noise = model.noise
    kind, scale = (
        ("geometric", noise.geometric)
        if noise and noise.geometric is not None
        else ("gaussian", noise.gaussian if noise else None)
    )
    exactly = exact(scale if scale is not None else "", name=f"Figure {model.name}: the scale of the noise")
    if exactly <= 0:
        raise SpecError(
            f"Figure {model.name}: noise needs a scale above 0, but got {scale}. "
            "Leave noise out to publish the exact figure."
        )
    drawn = representable(exactly)
    return two_sided_geometric(drawn) if kind == "geometric" else discrete_gaussian(drawn)


def _test(name: str, given: object, column: Column, what: str) -> Test:
    if isinstance(given, RangeModel):
        if isinstance(column, Categories):
            raise SpecError(f"{what}: {name} has labels, so at_least and at_most do not apply. List the labels.")
        low = None if given.at_least is None else exact(given.at_least, name=f"{name}.at_least")
        high = None if given.at_most is None else exact(given.at_most, name=f"{name}.at_most")
        return Between(low, high)
    values = given if isinstance(given, list) else [given]
    return OneOf(tuple(_value(name, value, column, what) for value in values))


def _value(name: str, given: object, column: Column, what: str) -> Label | Fraction:
    """A label of the domain, or a number on the lattice, as the column has it."""
    if isinstance(column, Numbers):
        if isinstance(given, bool):
            raise SpecError(f"{what}: {name} has numbers, but got {given!r}.")
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
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise SpecError(f"{what}: {given!r} is not in the domain of {name}.{hint}")


def _belief(
    name: str, model: BeliefModel, public: Mapping[str, Column], confidential: Mapping[str, Column]
) -> ColumnBelief:
    what = f"The belief about {name}"
    _named(name, list(confidential), "beliefs")
    by = (model.by,) if isinstance(model.by, str) else tuple(model.by)
    for column in by:
        _named(column, list(public), f"{what}: by")
    if (model.probabilities is None) == (model.cells is None) or bool(by) != (model.cells is not None):
        raise SpecError(f"{what} needs either probabilities, or by together with cells. Give one of them.")
    tables = (
        {(): model.probabilities} if model.probabilities is not None else dict(_nested(model.cells, by, public, what))
    )
    try:
        table = {key: _marginal(chances, confidential[name], what) for key, chances in tables.items()}
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None
    return ColumnBelief(name, table, model.source, by, model.fitted)


def _nested(cells: Any, by: Sequence[str], public: Mapping[str, Column], what: str) -> list[tuple[Cell, Any]]:
    """Nested mappings of public values, flattened to tuples."""
    if not by:
        return [((), cells)]
    if not isinstance(cells, Mapping):
        raise SpecError(f"{what} needs an entry for each value of {by[0]}, but got {cells!r}.")
    found: list[tuple[Cell, Any]] = []
    for key, inner in cells.items():
        value = _value(by[0], key, public[by[0]], what)
        found += [((value, *rest), content) for rest, content in _nested(inner, by[1:], public, what)]
    return found


def _marginal(chances: object, column: Column, what: str) -> Marginal:
    """Probabilities of labels or numbers; "rest" and "0 to 9000" are spelled out."""
    if not isinstance(chances, Mapping):
        raise SpecError(f"{what} needs probabilities for each value, but got {chances!r}.")
    found: dict[Label | Fraction, Fraction] = {}
    rest: Label | Fraction | None = None
    for key, chance in chances.items():
        ends = str(key).split(" to ")
        spread = isinstance(column, Numbers) and len(ends) == 2
        values = _range(ends, column, what) if spread else [_value("a value", key, column, what)]
        if str(chance) == "rest":
            if rest is not None or len(values) != 1:
                raise SpecError(f'{what}: "rest" may stand once, for one value. Write the other probabilities out.')
            rest = values[0]
            continue
        share = exact(chance, name=f"{what}: the probability of {key}") / len(values)
        for value in values:
            found[value] = found.get(value, Fraction(0)) + share
    if rest is not None:
        found[rest] = found.get(rest, Fraction(0)) + 1 - sum(found.values(), Fraction(0))
    return marginal_of(found)


def _range(ends: Sequence[str], column: Column, what: str) -> list[Label | Fraction]:
    low, high = (_value("a value", end.strip(), column, what) for end in ends)
    if isinstance(low, str) or isinstance(high, str) or low > high:
        raise SpecError(f"{what}: a range runs from the smaller to the larger number, but got {' to '.join(ends)}.")
    return [value for value in column.values if not isinstance(value, str) and low <= value <= high]


def _frame_columns(
    figures: Sequence[Figure], beliefs: Sequence[ColumnBelief], public: Mapping[str, Column]
) -> tuple[str, ...]:
    """The public columns that anything depends on."""
    used = {name for figure in figures for name in (*figure.by, *figure.where.columns)} | {
        name for belief in beliefs for name in belief.by
    }
    return tuple(name for name in public if name in used)


def _sizes(model: SpecModel, frame: Sequence[str], public: Mapping[str, Column]) -> Mapping[Cell, int] | None:
    if model.sizes is None:
        return None
    sizes: SizesModel = model.sizes
    by = [sizes.by] if isinstance(sizes.by, str) else list(sizes.by)
    for name in by:
        _named(name, list(public), "sizes: by")
    if set(by) != set(frame):
        raise SpecError(
            f"sizes must be by the public columns that are used, {', '.join(frame) or 'none'}, "
            f"but is by {', '.join(by) or 'none'}."
        )
    found: dict[Cell, int] = {}
    for cell, count in _nested(sizes.cells, by, public, "sizes"):
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise SpecError(f"sizes needs whole numbers of at least 0, but got {count!r}.")
        found[tuple(cell[by.index(name)] for name in frame)] = count
    return found
