"""What is believed of all records at once, as JSON for ledgers, and back."""

from dalenius.basics.errors import InputError
from dalenius.record.codec.form import Json
from dalenius.record.codec.numbers import cell_json, cell_of, number_of, value_json, value_of
from dalenius.record.codec.runs import marginal_json, marginal_of
from dalenius.tables.stances import Hedging, Ordered, Scenarios, Stance, Variation


def stance_json(stance: Stance) -> dict[str, Json]:
    """By its kind."""
    match stance:
        case Ordered(column, start, moves, known_at):
            return {
                "order": column,
                "start": marginal_json(start),
                "moves": [
                    [cell_json(row) if isinstance(row, tuple) else value_json(row), marginal_json(law)]
                    for row, law in moves
                ],
                "known_at": list(known_at),
            }
        case Scenarios(parts):
            return {"nobody_knows": [[str(weight), marginal_json(law)] for weight, law in parts]}
        case Variation(bounds, variance, unit):
            return {"bounds": list(map(str, bounds)), "variance": str(variance), "unit": str(unit)}
        case Hedging(weight):
            return {"hedged": str(weight)}
        case _:
            raise TypeError(type(stance).__name__)


def stance_of(found: Json) -> Stance:
    """The stance behind its JSON."""
    if "order" in found:
        moves = tuple(
            (cell_of(row) if isinstance(row, list) else value_of(row), marginal_of(law)) for row, law in found["moves"]
        )
        known = tuple(int(place) for place in found["known_at"])
        return Ordered(str(found["order"]), marginal_of(found["start"]), moves, known)
    if "nobody_knows" in found:
        return Scenarios(tuple((number_of(weight), marginal_of(law)) for weight, law in found["nobody_knows"]))
    if "variance" in found:
        low, high = map(number_of, found["bounds"])
        return Variation((low, high), number_of(found["variance"]), number_of(found["unit"]))
    if "hedged" in found:
        return Hedging(number_of(found["hedged"]))
    raise InputError(
        "What is believed of all records has an order, laws, a variance or a weight. This has none of them."
    )
