"""What one record a person is made of: the columns that a specification declares under `per_person`."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.conditions import where_of
from dalenius.desk.spec.model import RecordModel
from dalenius.desk.spec.values import named
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Categories, Column, Numbers, exact

if TYPE_CHECKING:
    from dalenius.desk.spec.model import SpecModel
    from dalenius.facts.derived import Derived, PerPerson

EACH_ROW = "each row"  # instead of a column that names the person


def per_person_of(model: "SpecModel", rows: Mapping[str, Column]) -> "PerPerson | None":
    """How records are made of rows; None if every row is a record. `rows` are the declared columns of a row."""
    if not model.per_person:
        if model.rows:
            raise SpecError("rows is for what per_person reads, but there is no per_person. Add it, or remove rows.")
        return None
    if model.person == EACH_ROW:
        raise SpecError(
            "per_person needs a column that names the person, but person is `each row`. Name the column, or remove "
            "per_person."
        )
    for name in model.per_person:
        if name == model.person or name in model.public or name in model.confidential:
            raise SpecError(
                f"per_person: {name!r} is listed as another column too. Give what is made of the rows a name of its "
                "own; it is confidential without being listed so."
            )
    from dalenius.facts.derived import PerPerson

    found = PerPerson(rows, {name: _derived(name, one, rows) for name, one in model.per_person.items()})
    read = frozenset().union(*(one.columns for one in found.derived.values()))
    for name in rows:
        if name not in read:
            raise SpecError(f"rows: nothing under per_person reads {name!r}. Remove it, or use it.")
    _check_apart(found)
    return found


def _derived(name: str, model: RecordModel, rows: Mapping[str, Column]) -> "Derived":
    from dalenius.facts.derived import Derived, domain_of

    what = f"per_person: {name}"
    _check_keys(model, what)
    for read in (model.of, model.by):
        if read is not None:
            named(read, list(rows), what, needed="row's")
    where = where_of(model.where, rows, {}, what)
    of = None if model.of is None else rows[model.of]
    if model.take == "sum" and not isinstance(of, Numbers):
        raise SpecError(f"{what}: a sum needs numbers, but {model.of} has labels. Count rows where it has one.")
    try:
        limits, cuts = _limits(model, what)
        if limits is not None and isinstance(of, Numbers) and any(limit % of.unit for limit in limits):
            raise SpecError(f"{what}: limits needs multiples of {plain(of.unit)}, the unit of {model.of}. Correct it.")
        column = domain_of(model.take, of, limits)
        if cuts:
            column = Categories.bins(cuts)
        elif model.unit is not None and limits is not None and isinstance(of, Numbers):
            column = Numbers(_coarser(model, of, what), *limits, rounded=True)
        return Derived(model.take, column, model.of, where, limits, model.by)
    except SpecError:
        raise
    except InputError as error:
        raise SpecError(f"{what}: {error}") from None


def _check_keys(model: RecordModel, what: str) -> None:
    """SpecError unless the keys are those that go with what is taken."""
    from dalenius.facts.derived import WITH_COLUMN, WITH_CONDITION, WITH_LIMITS

    example = {"of": "of: cost", "by": "by: day", "limits": "limits: [0, 20]", "where": 'where: "fever = yes"'}
    needed = {"of": WITH_COLUMN, "by": ("first",), "where": ("any", "all")}
    allowed = {**needed, "where": WITH_CONDITION, "limits": WITH_LIMITS, "bins": WITH_LIMITS, "unit": ("sum",)}
    for key, takers in allowed.items():
        if getattr(model, key) not in (None, {}) and model.take not in takers:
            raise SpecError(f"{what}: {key} does not go with take: {model.take}. Remove it.")
    for key, takers in needed.items():
        if getattr(model, key) in (None, {}) and model.take in takers:
            raise SpecError(f"{what}: take: {model.take} needs {key}, but there is none. Write {example[key]}.")
    if model.take in WITH_LIMITS and model.limits is None and model.bins is None:
        raise SpecError(
            f"{what}: take: {model.take} needs limits, to which it is clipped, but there are none: otherwise one "
            f"person could add any number. Write {example['limits']}."
        )


def _limits(model: RecordModel, what: str) -> tuple[tuple[Fraction, Fraction] | None, list[Fraction]]:
    """The limits, and the ends of bins; without limits, those of the bins."""
    cuts = [exact(cut, name="an end of a bin") for cut in model.bins or ()]
    if model.limits is None:
        return ((cuts[0], cuts[-1]) if cuts else None), cuts
    low, high = (exact(limit, name="a limit") for limit in model.limits)
    if low > high or (model.take == "number of rows" and (low < 0 or low.denominator != 1 or high.denominator != 1)):
        raise SpecError(
            f"{what}: limits needs a low number and a higher one (of rows: whole numbers from 0), but got {plain(low)} "
            f"and {plain(high)}. Write limits: [0, 20]."
        )
    if cuts and not cuts[0] <= low <= high <= cuts[-1]:
        raise SpecError(
            f"{what}: bins needs to cover the limits, {plain(low)} to {plain(high)}, but reaches from {plain(cuts[0])} "
            f"to {plain(cuts[-1])}. Add bins, or change the limits."
        )
    return (low, high), cuts


def _coarser(model: RecordModel, of: Numbers, what: str) -> Fraction:
    unit = exact(model.unit or 1, name=f"{what}: unit")
    if model.bins is not None or unit <= 0 or unit % of.unit:
        raise SpecError(
            f"{what}: unit needs a multiple of {plain(of.unit)}, the unit of {model.of}, and no bins beside it. Remove "
            "it, or correct it."
        )
    return unit


def _check_apart(plan: "PerPerson") -> None:
    """SpecError if one column says what another one says already: beliefs about both would contradict each other."""
    for (name, one), (other, two) in combinations(plan.derived.items(), 2):
        counted, asked = (one, two) if one.take == "number of rows" else (two, one)
        if counted.take != "number of rows" or asked.take not in {"any", "number of rows"}:
            continue
        if counted.where == asked.where:
            first, second = (name, other) if counted is one else (other, name)
            raise SpecError(
                f"per_person: {second} follows from {first}, which counts the same rows, so that beliefs about both "
                f"would contradict each other. Keep {first}, and write conditions on it: {first} >= 1."
            )


def assumed(person: str, plan: "PerPerson | None", used: frozenset[str]) -> tuple[str, ...]:
    """What is assumed of how rows are records; `used` are the confidential columns that figures use."""
    if plan is None and person != EACH_ROW:
        return ()
    from dalenius.facts.derived import FROM_ROWS, ONE_ROW

    if plan is None:
        return (ONE_ROW,)
    names = [name for name in plan.derived if name in used]
    if len(names) < 2:
        return (FROM_ROWS,)
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return FROM_ROWS, f"{listed} are made of the same rows, and are taken to say nothing about each other all the same"
