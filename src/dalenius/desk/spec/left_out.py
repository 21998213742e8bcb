"""Figures that leave out those of whom a number is missing: how many are left is confidential, and is judged so."""

from dalenius.basics.errors import SpecError
from dalenius.desk.spec.build import confidential_of, declared, records_of
from dalenius.desk.spec.conditions import where_of
from dalenius.desk.spec.model import ComputedModel, FigureModel, SpecModel
from dalenius.facts.records import Between, Column, Numbers, Where


def without_missing(model: SpecModel) -> SpecModel:
    """The specification with every such figure written out: a sum as it is, since what is missing adds 0; a mean as the
    sum and the number of those who have a value, and the quotient of these.
    """
    both = {"figures": model.figures, "published": model.published}
    if not any(figure.missing for figures in both.values() for figure in figures):
        return model
    found = {key: [one for figure in figures for one in _each(figure, model)] for key, figures in both.items()}
    means = [figure for figure in model.figures if figure.missing is not None and figure.kind == "mean"]
    made = [
        ComputedModel(name=one.name, kind="quotient", parts=[f"{one.name} (sum)"], over=[f"{one.name} (number)"])
        for one in means
    ]
    return model.model_copy(update={**found, "computed": [*model.computed, *made]})


def _each(figure: FigureModel, model: SpecModel) -> list[FigureModel]:
    if figure.missing is None:
        return [figure]
    confidential, what = confidential_of(model, records_of(model)), f"Figure {figure.name!r}"
    column = confidential.get(figure.column or "")
    if figure.kind not in {"sum", "mean"} or not isinstance(column, Numbers) or column.missing is None:
        raise SpecError(
            f"{what}: missing: {figure.missing} is for a sum or a mean of a column that is declared with `missing: as "
            "a value`, but it is none. Remove it, or declare the column so."
        )
    keys = {**figure.model_dump(exclude_defaults=True), "missing": None}
    if figure.kind == "sum":
        return [FigureModel.model_validate(keys)]
    public: dict[str, Column] = {name: declared(name, column) for name, column in model.public.items()}
    where = where_of(figure.where, public, confidential, what)
    there = Where((*where.tests, (figure.column or "", Between(column.lower, column.upper))))
    number: dict[str, object] = {"kind": "count", "name": f"{figure.name} (number)", "where": str(there)}
    number |= {"by": figure.by, "leave_out": figure.leave_out}
    total = {**keys, "kind": "sum", "name": f"{figure.name} (sum)"}
    return [FigureModel.model_validate(one) for one in (total, number)]
