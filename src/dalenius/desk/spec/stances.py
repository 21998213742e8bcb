"""What is believed of all records at once: an order, one of several laws that nobody knows, a range and a variance."""

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.model import BeliefModel, OrderModel, SpecModel
from dalenius.desk.spec.values import marginal, value_of
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Cell, Column, Label, Numbers, exact
from dalenius.tables.figures import Chances, ColumnBelief

if TYPE_CHECKING:
    from dalenius.tables.stances import Stance

MOST_STATES = 40  # of a chain, and of laws that nobody knows
MOST_SCENARIOS = 12
KEYS = ("order", "nobody_knows", "variance")
BESIDE = ("probabilities", "by", "cells", "counts", "confidence", "weight", "within", "one_of", "fitted")
Row = Label | Fraction | Cell


def stance_of(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief | None:
    """The belief, if it is about all records at once."""
    came = [key for key in KEYS if getattr(model, key) is not None]
    chain = [key for key in ("start", "moves") if getattr(model, key) is not None]
    if not came:
        if chain:
            raise SpecError(f"{what}: {chain[0]} belongs to order, but there is none. Name the column of the order.")
        return None
    said = [key for key in BESIDE if key in model.model_fields_set and getattr(model, key)]
    other = [key for key in ("none_above", "none_below") if getattr(model, key) is not None]
    if len(came) > 1 or said or other or model.unknown or (chain and came != ["order"]):
        more = [
            *came[1:],
            *said,
            *other,
            *(["unknown"] if model.unknown else []),
            *(chain if came != ["order"] else []),
        ]
        raise SpecError(
            f"{what}: {came[0]} says all that is believed, but got {more[0]} beside it. Remove one of them."
        )
    size = prod(column.size for column in columns.values())
    if came != ["variance"] and size > MOST_STATES:
        raise SpecError(
            f"{what}: {came[0]} can be about up to {MOST_STATES} values (or combinations), but there are {size}. "
            "Declare bins, or a coarser unit."
        )
    try:
        if model.order is not None:
            return _ordered(columns, model, model.order, what)
        if model.nobody_knows is not None:
            return _scenarios(columns, model, what)
        return _moments(columns, model, what)
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None


def check_stances(model: SpecModel, beliefs: tuple[ColumnBelief, ...]) -> None:
    """SpecError where something else is said that is not judged with beliefs about all records at once."""
    found = [belief for belief in beliefs if belief.stance is not None]
    if not found:
        return
    from dalenius.tables.stances import Ordered

    for key, wrong in (
        ("secret", model.secret != "value"),
        ("together", model.together != "nobody"),
        ("edition", model.edition is not None and model.edition.since is not None),
        ("series", model.series is not None),
        ("sample", model.sample is not None),
    ):
        if wrong:
            raise SpecError(
                f"The belief about {found[0]} is about all records at once, which is not judged with {key}. Leave "
                f"{key} out, or state probabilities of independent records."
            )
    for belief in found:
        known = belief.stance.known_at if isinstance(belief.stance, Ordered) else ()
        if known and str(model.attacker.knows).strip() != str(len(known)):
            raise SpecError(
                f"The belief about {belief} says which {len(known)} records are known, but attacker.knows is "
                f"{model.attacker.knows}. Write knows: {len(known)}, or leave known out."
            )


def order_columns(beliefs: tuple[ColumnBelief, ...]) -> tuple[str, ...]:
    """The columns by which records stand in order."""
    stances = [belief.stance for belief in beliefs if belief.stance is not None]
    if not stances:
        return ()
    from dalenius.tables.stances import Ordered

    return tuple(dict.fromkeys(stance.column for stance in stances if isinstance(stance, Ordered)))


def _ordered(columns: Mapping[str, Column], model: BeliefModel, order: OrderModel | str, what: str) -> ColumnBelief:
    from dalenius.tables.stances import Ordered

    given = order if isinstance(order, OrderModel) else OrderModel(column=order)
    if model.start is None or model.moves is None:
        raise SpecError(
            f"{what}: order needs start, the probabilities of the first record, and moves, those that follow each "
            "value. Add what is missing."
        )
    if given.column in columns:
        raise SpecError(
            f"{what}: the order is taken as known to anybody, but {given.column!r} is what is believed of. Name "
            "another column."
        )
    if len(columns) > 1:
        raise SpecError(f"{what}: order is for one column, but got {len(columns)}. State each by itself.")
    ((name, column),) = columns.items()
    start = _chances(model.start, columns, f"{what}: start")
    moves: dict[Row, Chances] = {}
    for value, law in model.moves.items():
        at = value_of(name, value, column, f"{what}: moves")
        if at in moves:
            raise SpecError(f"{what}: moves needs each value once, but {value} stands there twice. Remove one.")
        moves[at] = _chances(law, columns, f"{what}: after {value}")
    missing = next((value for value in column.values if value not in moves), None)
    if missing is not None:
        raise SpecError(f"{what}: moves needs every value of {name}, but {missing} is missing. Add what follows it.")
    places = tuple(sorted(given.known))
    if len(set(places)) != len(places) or (places and places[0] < 1):
        raise SpecError(
            f"{what}: known needs places from 1 on, each once, but got {list(given.known)[:8]}. Correct it."
        )
    stance = Ordered(given.column, start, tuple((value, moves[value]) for value in column.values), places)
    return _believing(columns, start, model, stance)


def _scenarios(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief:
    from dalenius.tables.stances import Scenarios

    given = model.nobody_knows or []
    if not 2 <= len(given) <= MOST_SCENARIOS:
        raise SpecError(f"{what}: nobody_knows needs 2 to {MOST_SCENARIOS} laws, but got {len(given)}. Correct it.")
    parts = tuple(
        (exact(one.weight, name=f"{what}: weight"), _chances(one.probabilities, columns, what)) for one in given
    )
    if any(weight <= 0 for weight, _ in parts) or sum(weight for weight, _ in parts) != 1:
        told = ", ".join(plain(weight) for weight, _ in parts)
        raise SpecError(f"{what}: the weights of nobody_knows are above 0 and sum to 1, but got {told}. Correct them.")
    mean: dict[Row, Fraction] = {}
    for weight, law in parts:
        for row, chance in law:
            mean[row] = mean.get(row, Fraction(0)) + weight * chance
    return _believing(columns, tuple(mean.items()), model, Scenarios(parts))


def _moments(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief:
    from dalenius.tables.stances import Variation
    from dalenius.tables.unstated import none_below

    (name, column), *more = columns.items()
    if more or not isinstance(column, Numbers) or column.missing is not None:
        raise SpecError(
            f"{what}: variance is for one column of numbers, none of which is missing. State probabilities."
        )
    variance, most = exact(model.variance or 0, name=f"{what}: variance"), (column.upper - column.lower) ** 2 / 4
    if not 0 < variance <= most:
        raise SpecError(
            f"{what}: variance needs a number above 0 and at most {plain(most)}, a quarter of the squared range, but "
            f"got {model.variance}. Correct it, or the bounds."
        )
    stance = Variation((column.lower, column.upper), variance, column.unit)
    whole = none_below({name: column}, Fraction(0), model.source)
    words = f"each record of {name} varies by at least {plain(variance)}"
    return ColumnBelief(
        name, whole.table, model.source, least=whole.least, differ=words, stated=False, widened=True, stance=stance
    )


def _believing(columns: Mapping[str, Column], law: Chances, model: BeliefModel, stance: "Stance") -> ColumnBelief:
    first, *beside = columns
    return ColumnBelief(first, {(): law}, model.source, beside=tuple(beside), stance=stance)


def _chances(given: object, columns: Mapping[str, Column], what: str) -> Chances:
    """Probabilities of every value, 0 for those that are not named."""
    from dalenius.desk.spec.joint import joint

    if len(columns) > 1:
        return joint(given, columns, what)
    ((name, column),) = columns.items()
    found = dict(marginal(given, name, column, what))
    return tuple((value, found.get(value, Fraction(0))) for value in column.values)
