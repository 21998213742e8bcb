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
    for key, wrong in (("secret", model.secret == "presence"), ("edition", model.edition is not None)):
        if wrong:
            raise SpecError(
                f"together: records that move together are not judged with {key}{': presence' * (key == 'secret')}. "
                f"Leave {key} out, or make a table of one row a household."
            )
    return Together(given.column, weight, given.source)
