"""Figures by confidential columns: one figure a label, all of which are judged together.

`by: [region, diagnosis]` with a confidential diagnosis publishes how many have each diagnosis in each region. What one
record adds to these numbers is one in one of them, so they are a table of all values of a column: pairs of facts tell.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from dalenius.basics.errors import SpecError
from dalenius.basics.limits import MOST_FIGURES
from dalenius.desk.spec.build import confidential_of, records_of
from dalenius.desk.spec.model import FigureModel, SpecModel
from dalenius.facts.records import Categories, Label, OneOf, Where


def crossed(model: SpecModel) -> SpecModel:
    """The specification with every figure by confidential columns written out."""
    both = {"figures": model.figures, "published": model.published}
    if not any(_split(figure, model) for figures in both.values() for figure in figures):
        return model
    found = {key: [one for figure in figures for one in _each(figure, model)] for key, figures in both.items()}
    return model.model_copy(update=found)


def _split(figure: FigureModel, model: SpecModel) -> list[str]:
    """The confidential columns by which a figure is split."""
    names = [figure.by] if isinstance(figure.by, str) else list(figure.by)
    hidden = model.confidential.keys() | model.per_person.keys()
    return [name for name in names if name in hidden and name not in model.public]


def _each(figure: FigureModel, model: SpecModel) -> list[FigureModel]:
    names = _split(figure, model)
    if not names:
        return [figure]
    what = f"Figure {figure.name!r}"
    hidden = confidential_of(model, records_of(model))
    columns = [hidden[name] for name in names]
    for name, column in zip(names, columns, strict=True):
        if names.count(name) > 1:
            raise SpecError(f"{what}: by needs each column once, but {name} stands there twice. Remove one of them.")
        if not isinstance(column, Categories):
            raise SpecError(f"{what}: by needs a column of labels, but {name} is numeric. Declare bins for it.")
        if isinstance(figure.where, dict) and name in figure.where:
            raise SpecError(f"{what}: {name} stands under by and under where. Keep one of them.")
    many = math.prod(column.size for column in columns)
    if many > MOST_FIGURES:
        raise SpecError(
            f"{what}: by needs at most {MOST_FIGURES} combinations of confidential values, but {', '.join(names)} have "
            f"{many}. Split it by fewer columns."
        )
    kept = [name for name in ([figure.by] if isinstance(figure.by, str) else figure.by) if name not in names]
    found = []
    for labels in product(*(column.values for column in columns)):
        about = ", ".join(f"{name} {label}" for name, label in zip(names, labels, strict=True))
        chosen = Where(tuple((name, OneOf((label,))) for name, label in zip(names, labels, strict=True)))
        if isinstance(figure.where, dict):
            where: object = {**figure.where, **dict(zip(names, labels, strict=True))}
        else:
            where = f"({figure.where}) and {chosen}"
        left_out = _left_out(figure, dict(zip(names, labels, strict=True)))
        keys = {"name": f"{figure.name} ({about})", "by": kept, "where": where, "leave_out": left_out}
        found.append(FigureModel.model_validate({**figure.model_dump(exclude_defaults=True), **keys}))
    return found


def _left_out(figure: FigureModel, chosen: Mapping[str, Label | Fraction]) -> list[dict[str, Any]]:
    """The cells that are left out of the figure of these confidential values, by its public columns."""
    found = []
    for cell in figure.leave_out:
        if all(str(cell[name]) == str(label) for name, label in chosen.items() if name in cell):
            public = {name: value for name, value in cell.items() if name not in chosen}
            if not public:
                raise SpecError(
                    f"Figure {figure.name!r}: leave_out needs a value of a public column that it is split by, but got "
                    "confidential ones only. Leave the whole figure out, or name the cell."
                )
            found.append(public)
    return found
