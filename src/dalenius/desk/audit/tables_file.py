"""The tables file: a small YAML file that says what labels and marks mean, where they do not say it themselves."""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import ceil, floor
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dalenius.audit.dominance import n_k, p_percent
from dalenius.audit.marks import Marking, Rounding, plain, rounding_of, rule_of
from dalenius.audit.reading import Dominance, Hints
from dalenius.audit.spread import VariableLaw
from dalenius.audit.tables import ALL, COUNT, Convention, Known, Measure, Where
from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.complaints import complaints
from dalenius.desk.spec.load import load_keys
from dalenius.desk.spec.model import Number, Text
from dalenius.desk.spec.printable import check_printable
from dalenius.facts.records import exact

Name = Text | int
Names = list[Name]
BLANK = "blank"  # how a text is called that is none
Conditions = Annotated[dict[Text, Name | Names], Field(description="variables, each with a label or a list of them")]


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TableModel(_Keys):
    """What is said of one table, by the name of its file."""

    form: Annotated[Literal["wide", "long"] | None, Field(description="a crosstab, or a column for each variable")] = (
        None
    )
    rows: Annotated[Names | None, Field(description="the variables of the rows; of a long table its label columns")] = (
        None
    )
    columns: Annotated[Names | None, Field(description="the variables of the columns, from the top")] = None
    value: Annotated[Text | None, Field(description="the column with the numbers, of a long table")] = None
    status: Annotated[Text | None, Field(description="the column with statuses: u, x hidden; s, z published")] = None
    measure: Annotated[Text, Field(description="what the numbers add up; people by default")] = COUNT
    where: Annotated[Conditions, Field(description="whom the table is about, if not everybody")] = {}
    rounded: Annotated[Name | None, Field(description="5, or midpoint 6, or random 3")] = None
    totals: Annotated[
        Literal["all", "shown"], Field(description="whether totals add up all cells, or only those that are shown")
    ] = "all"
    parts: Annotated[
        Names, Field(description="columns with the largest parts of each sum, the largest first, of a long table")
    ] = []
    dominance: Annotated[
        Text | None, Field(description="p 10, or nk 2 75: what must stay possible for hidden sums, given their parts")
    ] = None
    weight: Annotated[Number, Field(description="how important its numbers are, if some must be hidden")] = 1
    absent: Annotated[Literal["zero", "hidden"], Field(description="what a combination means that is not listed")] = (
        "zero"
    )


class VariableModel(_Keys):
    """What is said of one variable."""

    total: Annotated[Names | None, Field(description="labels that are totals, besides Total and All")] = None
    nested: Annotated[dict[Name, Names], Field(description="coarse labels, each with the finer ones inside it")] = {}
    labels: Annotated[dict[Name, Name], Field(description="labels that mean another one")] = {}


class MeasureModel(_Keys):
    """What a sum is about."""

    unit: Annotated[Number, Field(description="in which the numbers are whole")] = 1
    bounds: Annotated[tuple[Number, Number] | None, Field(description="what one person adds, at least and at most")] = (
        None
    )


class KnownModel(_Keys):
    """What an attacker knows besides, such as being one of them."""

    group: Annotated[Conditions, Field(description="whom it is about")]
    at_least: Annotated[int | None, Field(description="how many there are at least")] = None
    at_most: Annotated[int | None, Field(description="how many there are at most")] = None
    measure: Annotated[Text, Field(description="people, or the name of a sum")] = COUNT


class LikelyModel(_Keys):
    """How likely a person is to have each label of a variable, before anything is published; people are independent."""

    source: Annotated[Text, Field(description="where the numbers come from: a table, a survey, an argument")]
    probabilities: Annotated[
        dict[Name, Number] | None, Field(description='of each finest label; "rest" for what is left')
    ] = None
    by: Annotated[Name | Names, Field(description="variables that the probabilities depend on")] = []
    cells: Annotated[
        dict[Name, Any] | None,
        Field(description="with `by`: the probabilities for each label of that variable (nested for several)"),
    ] = None


class TablesModel(_Keys):
    """What tables mean that are audited."""

    tables: Annotated[dict[Text, TableModel], Field(description="by the name of the file")] = {}
    variables: Annotated[dict[Name, VariableModel], Field(description="by name")] = {}
    measures: Annotated[dict[Text, MeasureModel], Field(description="sums, by name")] = {}
    totals: Annotated[Names, Field(description="labels that are totals in any variable")] = []
    hidden: Annotated[Names, Field(description="further texts that mean: hidden; blank is none")] = []
    zero: Annotated[Names, Field(description="texts that mean: nobody; blank is none")] = []
    rules: Annotated[list[Text], Field(description="what an attacker knows of hidden cells: hidden means 1 to 9")] = []
    known: Annotated[list[KnownModel], Field(description="what an attacker knows besides")] = []
    same: Annotated[dict[Name, Name], Field(description="variables that mean another one")] = {}
    different: Annotated[list[Names], Field(description="names that look alike and are not the same")] = []
    beliefs: Annotated[
        dict[Name, LikelyModel],
        Field(description="how likely people are to have each label, by variable; all variables, or none"),
    ] = {}


def load_tables_file(path: Path) -> TablesModel:
    """Read a tables file."""
    return tables_model(load_keys(path, "tables file"))


def with_beliefs(model: TablesModel, beliefs: Path | Mapping[str, Any] | None) -> TablesModel:
    """The same with beliefs that stand in a file of their own: what is else under `beliefs`."""
    if beliefs is None:
        return model
    if model.beliefs:
        raise InputError("Beliefs stand in the tables file, and in a file of their own. Leave one of them out.")
    content = beliefs if isinstance(beliefs, Mapping) else load_keys(beliefs, "file of beliefs")
    found = tables_model({"beliefs": content}).beliefs
    if not found:
        raise InputError("Needed a belief about each variable, but there is none. Write sex: {probabilities: ...}.")
    return model.model_copy(update={"beliefs": found})


def tables_model(content: Mapping[str, Any]) -> TablesModel:
    """Check the keys of a tables file."""
    check_printable(content, "tables file")
    try:
        return TablesModel.model_validate(content)
    except ValidationError as error:
        problems = complaints(TablesModel, error.errors())
    raise SpecError("\n".join(problems))


def hints_of(model: TablesModel, name: str, rounded: Rounding | None) -> Hints:
    """How the table of a name is read."""
    own = model.tables.get(name, TableModel())
    unit, least, _ = _measured(model, own.measure)
    rounding = rounding_of(str(own.rounded)) if own.rounded is not None else rounded
    marking = Marking(
        hidden=_texts(model.hidden),
        zero=_texts(model.zero),
        rounding=rounding,
        unit=unit,
        negative=least is not None and least < 0,
    )
    totals = {
        str(name): frozenset(map(str, variable.total))
        for name, variable in model.variables.items()
        if variable.total is not None
    }
    return Hints(
        form=own.form,
        rows=None if own.rows is None else tuple(map(str, own.rows)),
        columns=None if own.columns is None else tuple(map(str, own.columns)),
        value=own.value,
        status=own.status,
        totals=own.totals if own.totals != ALL else ALL,
        total_labels=totals | {"": frozenset(map(str, model.totals))},
        measure=own.measure,
        where=where_of(own.where),
        absent=own.absent,
        parts=tuple(map(str, own.parts)),
        dominance=_dominance(own, name),
        marking=marking,
    )


def _texts(names: Names) -> frozenset[str]:
    """Texts as they stand in cells."""
    return frozenset("" if plain(str(each)) == BLANK else plain(str(each)) for each in names)


def _dominance(own: TableModel, name: str) -> Dominance | None:
    """The rule about the largest parts of a sum."""
    if own.dominance is None:
        return None
    written = re.fullmatch(r"\s*(?:p\s+(\d{1,3})|nk\s+(\d{1,3})\s+(\d{1,3}))\s*", own.dominance)
    if written is None or not own.parts or own.measure == COUNT:
        raise InputError(
            f"tables.{name}.dominance needs to be p 10 or nk 2 75, for a table with a measure and with parts (the "
            f"columns of the largest ones), but got {own.dominance[:40]!r}. Write all three, or leave it out."
        )
    if written[1]:
        return partial(p_percent, p=int(written[1]))
    return partial(n_k, n=int(written[2]), k=int(written[3]))


def where_of(conditions: Mapping[str, Name | Names]) -> Where:
    """Variables, each with its labels."""
    return tuple(
        (name, tuple(map(str, labels)) if isinstance(labels, list) else (str(labels),))
        for name, labels in conditions.items()
    )


def convention_of(model: TablesModel, rules: tuple[str, ...], threshold: int) -> Convention:
    """What holds for all tables."""
    measures = []
    for name in model.measures:
        unit, least, most = _measured(model, name)
        measures.append(Measure(name, unit, least, most))
    return Convention(
        nested={
            str(name): {str(coarse): tuple(map(str, finer)) for coarse, finer in variable.nested.items()}
            for name, variable in model.variables.items()
        },
        measures=tuple(measures),
        rules=tuple(rule_of(text) for text in (*rules, *model.rules)),
        known=tuple(_known(model, each) for each in model.known),
        threshold=threshold,
        different=frozenset(frozenset(map(str, each)) for each in model.different),
        beliefs=tuple(_law(str(name), own) for name, own in model.beliefs.items()),
    )


def _known(model: TablesModel, each: KnownModel) -> Known:
    """What else is known, in units of the measure."""
    unit, _, _ = _measured(model, each.measure)
    lower = None if each.at_least is None else ceil(each.at_least / unit)
    upper = None if each.at_most is None else floor(each.at_most / unit)
    return Known(where_of(each.group), lower, upper, each.measure)


def _law(name: str, own: LikelyModel) -> VariableLaw:
    """What is believed of one variable."""
    given = tuple(map(str, own.by if isinstance(own.by, list) else [own.by]))
    if (own.probabilities is None) == (own.cells is None) or bool(given) != (own.cells is not None):
        raise InputError(
            f"beliefs.{name} needs probabilities, or by with cells, and not both. Write probabilities: {{yes: 0.1, no: "
            "rest}, or by: sex and cells: {f: {yes: 0.1, no: rest}, m: ...}."
        )
    if name in given or len(set(given)) < len(given):
        raise InputError(f"beliefs.{name} needs other variables under by, each once, but got {', '.join(given)}.")
    laws: dict[tuple[str, ...], Mapping[str, Fraction]] = {}

    def note(labels: tuple[str, ...], content: object) -> None:
        where = f"beliefs.{name}" + "".join(f".{label}" for label in labels)
        if not isinstance(content, Mapping) or not content:
            raise InputError(f"{where} needs labels with something for each, but got {str(content)[:40]!r}.")
        if len(labels) < len(given):
            for label, inside in content.items():
                note((*labels, str(label)), inside)
        else:
            laws[labels] = _chances(content, where)

    note((), own.probabilities if own.cells is None else own.cells)
    return VariableLaw(name, given, laws, own.source)


def _chances(content: Mapping[Any, Any], where: str) -> Mapping[str, Fraction]:
    """A probability for each label; at most one is what is left."""
    rests = [str(label) for label, chance in content.items() if chance == "rest"]
    found = {
        str(label): exact(chance, name=f"{where}.{label}") for label, chance in content.items() if chance != "rest"
    }
    left = 1 - sum(found.values(), Fraction(0))
    if len(rests) > 1 or left < 0 or any(chance < 0 for chance in found.values()):
        raise InputError(
            f"{where} needs probabilities of at least 0 that sum to at most 1, and rest at most once, but it is not "
            "so. Correct them."
        )
    return found | ({rests[0]: left} if rests else {})


def _measured(model: TablesModel, name: str) -> tuple[Fraction, int | None, int | None]:
    """The unit of a measure, and what one person adds to it at least and at most, in units."""
    own = model.measures.get(name)
    if own is None:
        return Fraction(1), 0, None
    unit = exact(own.unit, name=f"measures.{name}.unit")
    if unit <= 0:
        raise InputError(f"measures.{name}.unit needs a number above 0, but got {own.unit}. Write 1, or 0.01.")
    if own.bounds is None:
        return unit, 0, None
    ends = [exact(end, name=f"measures.{name}.bounds") / unit for end in own.bounds]
    if any(end.denominator != 1 for end in ends) or ends[0] > ends[1]:
        raise InputError(
            f"measures.{name}.bounds needs two multiples of the unit, the smaller one first, but got {own.bounds}."
        )
    return unit, int(ends[0]), int(ends[1])


def weights_of(model: TablesModel) -> dict[str, Fraction]:
    """How important the numbers of each table are."""
    weights = {name: exact(own.weight, name=f"tables.{name}.weight") for name, own in model.tables.items()}
    for name, weight in weights.items():
        if weight < 0:
            raise InputError(f"tables.{name}.weight needs a number of at least 0, but got {weight}. Write 1, or 2.")
    return weights
