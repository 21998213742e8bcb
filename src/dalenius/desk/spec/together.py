"""Records that move together: which column says so, and how much of a record is its own."""

from dalenius.basics.errors import SpecError
from dalenius.desk.spec.model import SpecModel, TogetherModel
from dalenius.facts.records import exact
from dalenius.tables.figures import Together


def together_of(model: SpecModel) -> Together | None:
    """Whose records move together, but for how many households there are; None if nobody's do."""
    given = model.together
    if not isinstance(given, TogetherModel) or given.weight is None:
        return None
    if given.column in {*model.confidential, *model.per_person, *model.rows}:
        raise SpecError(
            f"together: who belongs to which household is taken as known to anybody, but {given.column!r} is declared "
            "confidential. Name a column that anybody may know."
        )
    if given.column == model.person:
        raise SpecError(
            f"together: {given.column!r} names the person, so that every household has one member. Name the column of "
            "the household, or write together: nobody."
        )
    weight = exact(given.weight, name="together.weight")
    if not 0 < weight < 1:
        raise SpecError(
            f"together.weight needs a number above 0 and below 1, but got {given.weight}. Write 0.5 if a record "
            "follows its probabilities at least half of the time, whatever the rest of its household says; where "
            "records say nothing about each other, write together: nobody."
        )
    if model.edition is not None:
        raise SpecError(
            "together: records that move together are not judged with edition. Leave edition out, or make a table of "
            "one row a household."
        )
    said = [key for key in ("households", "largest", "in_groups") if getattr(given, key) is not None]
    if model.secret == "presence" and (given.households is None or given.largest is None):
        raise SpecError(
            "together: where presence is secret, how many households there are, and how many members they have at "
            "most, is not read from the table. Declare households, by the columns of sizes, and largest."
        )
    if model.secret != "presence" and said:
        raise SpecError(
            f"together.{said[0]} is only for secret: presence; otherwise it is read from the table. Remove it."
        )
    return Together(given.column, weight, given.source)
