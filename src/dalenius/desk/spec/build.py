"""From a checked model to the words of the planner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError, SpecError
from dalenius.basics.inputs import path_of, read_text
from dalenius.basics.limits import (
    LARGEST_BELIEVED,
    LARGEST_COUNTS,
    LARGEST_EPSILON,
    LARGEST_ESTIMATED,
    LARGEST_PEOPLE,
    LARGEST_ROUNDING,
    MOST_CELLS,
    MOST_FIGURES,
)
from dalenius.beliefs.estimated import checked_confidence, checked_counts
from dalenius.desk.spec.chain_noise import with_chain_noise
from dalenius.desk.spec.computed import check_compared, check_named, computed_of
from dalenius.desk.spec.conditions import where_of
from dalenius.desk.spec.counts import Sample, public_counts
from dalenius.desk.spec.editions import edition_of, editions_before, within
from dalenius.desk.spec.hidden import secret_of
from dalenius.desk.spec.model import (
    BeliefModel,
    DomainModel,
    EarnedModel,
    FigureModel,
    HideModel,
    SizesModel,
    SpecModel,
    TogetherModel,
)
from dalenius.desk.spec.persons import per_person_of
from dalenius.desk.spec.printable import check_name
from dalenius.desk.spec.sample import in_order, sample_of
from dalenius.desk.spec.series import months_of, series_of
from dalenius.desk.spec.stances import check_stances, stance_of
from dalenius.desk.spec.together import together_of
from dalenius.desk.spec.values import columns_by, marginal, named, nested, value_of
from dalenius.enclosure.formats import plain
from dalenius.facts.dates import UNITS as DATES
from dalenius.facts.dates import date_label
from dalenius.facts.records import Categories, Cell, Column, Combinations, Label, Numbers, Where, exact
from dalenius.facts.secret import Hidden, Presence, hides_presence
from dalenius.mechanisms import Chain, Channel, Rounded, TwoSidedGeometric
from dalenius.mechanisms.compared import FEWEST_COMPARED, MOST_COMPARED, OnlyCompared
from dalenius.numerics.proportions import least_shares
from dalenius.plan import Target
from dalenius.plan.promise import BY_NOISE
from dalenius.record.ledger import Edition
from dalenius.tables.computed import Computed
from dalenius.tables.figures import Attacker, Chances, ColumnBelief, Figure, Kind, Together, told_together
from dalenius.tables.history import History

if TYPE_CHECKING:
    from dalenius.facts.derived import PerPerson
    from dalenius.tables.sample import DrawnBy
    from dalenius.tables.series import Series

KINDS = ("count", "sum", "mean")
MOST_SCENARIOS = 16
WITHOUT_PROBABILITIES = ("probabilities", "by", "cells", "counts", "confidence", "within", "fitted")


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """A specification in the planner's words; the frame is still to come from the data, or from `sizes`."""

    person: str
    public: Mapping[str, Column]
    confidential: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    attacker: Attacker
    secret: Hidden
    target: Target
    figures: tuple[Figure, ...]
    history: History
    frame_columns: tuple[str, ...]
    sizes: Mapping[Cell, int] | None
    dataset: str = "data"
    edition: Edition | None = None
    asked: tuple[Figure, ...] = ()  # the figures as they are written, without the condition of the edition
    named: bool = True  # whether somebody wrote the name of the dataset
    per_person: "PerPerson | None" = None  # how rows become records, where a person has several
    series: "Series | None" = None
    before: Mapping[str, Edition] = field(default_factory=dict)  # of earlier releases that named no edition
    computed: tuple[Computed, ...] = ()  # from the figures
    together: Together | None = None  # whose records move together, if any do
    promise: str = ""  # the definition that is asked for, if one is
    sample: "DrawnBy | None" = None  # how they were drawn, if that hides them
    within: Mapping[str, str] = field(default_factory=dict)  # public columns whose values lie within another's


def build(model: SpecModel, base: Path = Path()) -> Prepared:
    """Check what the model's types cannot say, and translate; files of public counts are relative to `base`."""
    if len(model.figures) + len(model.published) > MOST_FIGURES:
        raise SpecError(
            f"figures and published need at most {MOST_FIGURES} figures together, but got "
            f"{len(model.figures) + len(model.published)}. Split figures with by, or make several releases."
        )
    public = {name: declared(name, column) for name, column in model.public.items()}
    per_person = records_of(model)
    confidential = confidential_of(model, per_person)
    _check_names(model, public, confidential)
    edition = edition_of(model.edition, public, confidential)
    tests = () if edition is None else edition.tests(public)
    asked = tuple(figure_of(item, public, confidential) for item in model.figures)
    elsewhere = tuple(figure_of(item, public, confidential) for item in model.published)
    beliefs = tuple(_said(name, item, public, confidential, base) for name, item in model.beliefs.items())
    _check_once(beliefs)
    asked = with_chain_noise(asked, model.figures, beliefs, confidential)
    elsewhere = with_chain_noise(elsewhere, model.published, beliefs, confidential)
    before = within(elsewhere, tests)
    figures = within(asked, tests)
    check_stances(model, beliefs)
    _check_several(model, beliefs)
    for key, wrong in (("series", model.series is not None), ("sample", model.sample is not None)):
        if wrong and any(belief.answered for belief in beliefs):
            raise SpecError(f"beliefs: answered is not judged with {key}. Leave one of them out.")
    if model.promise in BY_NOISE:
        beliefs = _nothing_believed(model, model.promise, (*before, *figures), confidential)
    _check_within(model.within, public)
    frame = _wider(_frame_columns((*before, *figures), beliefs, public, model.sizes), model)
    sample = in_order(sample_of(model, public), frame)
    secret = Presence() if sample is not None and sample.secret else secret_of(model, confidential)
    _check_means((*before, *figures), confidential, secret)
    _check_shares(asked, secret)
    series = series_of(model.series, edition, public, confidential)
    computed = computed_of(model, asked, secret)
    check_compared((*elsewhere, *asked), computed, public)
    check_named(asked, computed)
    if series is not None:
        series = months_of(series, zip((*elsewhere, *asked), (*before, *figures), strict=True), series.now)
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
        model.dataset or "data",
        edition,
        asked,
        per_person=per_person,
        series=series,
        before=editions_before(model.edition, public),
        computed=computed,
        together=_declared_homes(together_of(model), model, frame, public),
        promise=model.promise or "",
        sample=sample,
        within=dict(model.within),
    )


def _nothing_believed(
    model: SpecModel, promise: str, figures: Sequence[Figure], confidential: Mapping[str, Column]
) -> tuple[ColumnBelief, ...]:
    """Of all columns that figures use, nothing: what is promised holds whatever anybody believes."""
    from dalenius.tables.unstated import UNKNOWN, none_below

    for key, wrong, instead in (
        ("secret", not isinstance(model.secret, str), "Write secret: value"),
        ("sample", model.sample is not None, "Leave sample out"),
    ):
        if wrong:
            raise SpecError(
                f"promise: {promise} privacy holds for any two values of a record, whatever is believed, but there is "
                f"{key}. {instead}, or promise Pufferfish privacy."
            )
    used = frozenset().union(*(figure.confidential(confidential) for figure in figures))
    for name in used:
        if confidential[name].size > LARGEST_BELIEVED:
            raise SpecError(
                f"promise: {promise} privacy is for columns of up to {LARGEST_BELIEVED} values, but {name} has "
                f"{confidential[name].size}. Declare a coarser unit."
            )
    return tuple(none_below({name: confidential[name]}, Fraction(0), UNKNOWN) for name in confidential if name in used)


def _check_within(within: Mapping[str, str], public: Mapping[str, Column]) -> None:
    """SpecError unless each name is a public column, and none lies within itself."""
    for name, wider in within.items():
        for one in (name, wider):
            named(one, list(public), "within", needed="public", other=[])
        above, seen = wider, {name}
        while above in within and above not in seen:
            seen.add(above)
            above = within[above]
        if above in seen:
            raise SpecError(f"within: {name} would lie within itself. Name the wider column of each.")


def _wider(columns: tuple[str, ...], model: SpecModel) -> tuple[str, ...]:
    """The columns with those within which they lie, where the table says who is where."""
    if model.sizes is not None or model.sample is not None:
        return columns
    found = dict.fromkeys(columns)
    for name in columns:
        above = name
        while above in model.within:
            above = model.within[above]
            found[above] = None
    return tuple(found)


def records_of(model: SpecModel) -> "PerPerson | None":
    """How rows become records; None if every row is one."""
    return per_person_of(model, {name: declared(name, column) for name, column in model.rows.items()})


def confidential_of(model: SpecModel, per_person: "PerPerson | None") -> dict[str, Column]:
    """All confidential columns: those of the table, and those that are made of several rows a person."""
    found = {name: declared(name, column) for name, column in model.confidential.items()}
    return found | ({} if per_person is None else {name: one.column for name, one in per_person.derived.items()})


def _target(model: SpecModel) -> Target:
    epsilon, delta = exact(model.target.epsilon, name="target.epsilon"), exact(model.target.delta, name="target.delta")
    if epsilon > LARGEST_EPSILON:
        raise SpecError(
            f"target.epsilon must be at most {LARGEST_EPSILON}, but got {model.target.epsilon}, which is no promise. "
            "Typical values are 0.1 to 2."
        )
    if delta == 1:
        raise SpecError(
            "target.delta must be below 1, but got 1, which is no promise: everything may come out. Typical values are "
            "far below one in the number of people."
        )
    return Target(epsilon, delta)


def _attacker(model: SpecModel) -> Attacker:
    """A whole number is a number of records; anything else (0.2, 1/5, 20 %) is a share."""
    given = str(model.attacker.knows).strip()
    if given.removeprefix("-").isdecimal():
        known = int(exact(given, name="attacker.knows"))
        if known < 0:
            raise SpecError(
                f"attacker.knows must be at least 0, but got {known}. Write 0.2 for a fifth of the records."
            )
        return Attacker(known, model.attacker.in_every_group, model.attacker.source)
    share = exact(given.rstrip("% "), name="attacker.knows") / (100 if given.endswith("%") else 1)
    if not 0 <= share < 1:
        raise SpecError(
            f"attacker.knows must be a share of at least 0 and below 1, or a number of records, but got {given}. "
            "Write 0.2 for a fifth of the records, 200 for 200 of them."
        )
    return Attacker(share, model.attacker.in_every_group, model.attacker.source)


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
    for name, column in {**public, **confidential}.items():
        check_name(name, "The name of a column")
        for label in column.values if isinstance(column, Categories) else ():
            check_name(label, f"A label of {name}")
    check_name(model.dataset or "data", "The dataset")
    names: set[str] = set()
    given = [figure.name for figure in (*model.published, *model.figures)] + [one.name for one in model.computed]
    for name in given:
        check_name(name, "The name of a figure")
        if name in names:
            raise SpecError(f"Every figure needs a name of its own, but {name!r} is used twice. Rename one of them.")
        names.add(name)
    if model.secret == "presence" and model.sizes is None:
        raise SpecError(
            "Where presence is secret, the sizes of the groups are not read from the data. Declare them under sizes."
        )
    if model.secret != "presence" and model.sizes is not None:
        raise SpecError(
            "sizes is only for secret: presence; otherwise the sizes are public and read from the data. Remove it."
        )


MISSING = "missing"  # the label of what is missing


def declared(name: str, model: DomainModel | Sequence[object]) -> Column:
    """The column that a declaration means."""
    try:
        if isinstance(model, DomainModel):
            return _domain(model)
        return Categories(tuple(_label(value) for value in model))
    except InputError as error:
        raise SpecError(f"Column {name}: {error}") from None


def _domain(model: DomainModel) -> Column:
    """What a column may hold, and how it is read."""
    stated = [key for key in ("bounds", "bins", "values") if getattr(model, key) is not None]
    if stated == ["bounds", "bins"]:
        _check_covered(model)
        stated = ["bins"]
    if len(stated) != 1:
        raise SpecError(
            f"a domain needs bounds (of numbers), bins or values (labels), one of the three, but got "
            f"{' and '.join(stated) or 'none of them'}. Write bounds: [0, 120], bins: [0, 18, 65, 120] or a list."
        )
    label = None if model.missing is None else MISSING
    if model.unit in DATES:
        return _dates(model, str(model.unit), label)
    if model.bounds is not None and model.bins is None:
        low, high = (exact(bound, name="a bound") for bound in model.bounds)
        return Numbers(exact(model.unit, name="the unit"), low, high, rounded=model.round is not None, missing=label)
    if model.round is not None or ("unit" in model.model_fields_set and model.bounds is None):
        raise SpecError("unit and round are for numbers with bounds. Leave them out, or declare bounds.")
    if model.bins is not None:
        return Categories.bins([exact(cut, name="an end of a bin") for cut in model.bins], label)
    values = tuple(_label(value) for value in model.values or ())
    return Categories((*values, *([] if label is None or label in values else [label])), label)


def _dates(model: DomainModel, unit: str, label: str | None) -> Column:
    """Days, months or years between two, or bins of them."""
    if model.round is not None or model.values is not None:
        raise SpecError(f"a column of dates (unit: {unit}) needs bounds or bins, and nothing else. Leave it out.")
    if model.bins is not None:
        return Categories.date_bins(unit, model.bins, label)
    low, high = model.bounds or ("", "")
    return Categories.of_dates(unit, low, high, label)


def _check_covered(model: DomainModel) -> None:
    """SpecError unless bins reach from one bound to the other."""
    given = (*(model.bounds or ()), *(model.bins or ())[:1], *(model.bins or ())[-1:])
    if model.unit in DATES:
        told = [date_label(end, str(model.unit)) for end in given]
        ends = [Fraction(end.replace("-", "")) for end in told]
    else:
        ends = [exact(end, name="an end of a bin, or a bound,") for end in given]
        told = list(map(plain, ends))
    if len(ends) == 4 and not ends[2] <= ends[0] <= ends[1] <= ends[3]:
        raise SpecError(
            f"bins need to cover the bounds, {told[0]} to {told[1]}, but reach from {told[2]} to {told[3]}. Add bins, "
            "or change the bounds."
        )


def _label(value: object) -> Label:
    if isinstance(value, bool | int | str):
        return value
    raise SpecError(f"A label must be text, a whole number, true or false, but got {value!r}. Put it in quotes.")


def figure_of(model: FigureModel, public: Mapping[str, Column], confidential: Mapping[str, Column]) -> Figure:
    """A figure of a specification in the planner's words."""
    what = f"Figure {model.name!r}"
    if model.kind not in KINDS:
        raise SpecError(f"{what}: a figure that is judged is a {' or a '.join(KINDS)}, but got {model.kind!r}.")
    if (model.column is None) != (model.kind == "count"):
        raise SpecError(
            f"{what}: a {model.kind} "
            + (
                f"has no column, but got {model.column}. Use where to choose records."
                if model.kind == "count"
                else f"needs a column, but there is none. Add column: {' or '.join(_numeric(confidential)) or '...'}."
            )
        )
    if model.column is not None:
        named(model.column, list(confidential), what, needed="confidential", other=list(public))
        if isinstance(confidential[model.column], Categories):
            raise SpecError(
                f"{what}: a {model.kind} needs numbers, but {model.column} has labels. Count a label instead."
            )
    by = columns_by(model.by, public, confidential, what, also=list(confidential))
    for name in by:
        if not isinstance(public[name], Categories):
            raise SpecError(
                f"{what}: by needs a column with a list of labels, but {name} is numeric. Declare its labels."
            )
    cells = prod(public[name].size for name in by)
    if cells > MOST_CELLS:
        raise SpecError(
            f"{what}: by needs at most {MOST_CELLS} combinations of values, but {', '.join(by)} have {cells}. Split it "
            "by fewer columns."
        )
    where = where_of(model.where, public, confidential, what)
    kind: Kind = "count" if model.kind == "count" else "sum" if model.kind == "sum" else "mean"
    where = Where((*where.tests, *_left_out(model, by, public)))
    figure = Figure(model.name, kind, model.column, where, tuple(by), _channel(model), _truncated(model))
    asked = replace(figure, by=tuple(name for name in by if name in where.columns))
    if not any(True for _ in asked.cells(public)):
        raise SpecError(
            f"{what}: where needs to leave some {' and '.join(asked.by)}, by which the figure is split, but no value "
            f"satisfies {where}. Correct the condition, or leave the figure out."
        )
    figure.check_limits(confidential)
    return figure


def _left_out(model: FigureModel, by: Sequence[str], public: Mapping[str, Column]) -> tuple[Combinations, ...]:
    """The cells that are not published, as a condition."""
    if not model.leave_out:
        return ()
    what, cells = f"Figure {model.name!r}: leave_out", dict[Cell, None]()
    if not by:
        raise SpecError(f"{what} needs cells of by, but the figure is not split. Leave the whole figure out.")
    for given in model.leave_out:
        named_in = {named(name, by, what, needed="split"): value for name, value in given.items()}
        if not named_in:
            raise SpecError(f"{what} needs at least one column and its value, but got an empty cell. Remove it.")
        each = [
            (value_of(name, named_in[name], public[name], what),) if name in named_in else public[name].values
            for name in by
        ]
        cells |= dict.fromkeys(product(*each))
    return (Combinations(tuple(by), tuple(cells), left_out=True),)


def _check_means(figures: Sequence[Figure], confidential: Mapping[str, Column], secret: Hidden) -> None:
    try:
        for figure in figures:
            figure.check_number(confidential, secret)
    except InputError as error:
        raise SpecError(str(error)) from None


def _truncated(model: FigureModel) -> tuple[Fraction, Fraction] | None:
    if model.truncate is None:
        return None
    low, high = (exact(limit, name=f"Figure {model.name!r}: truncate") for limit in model.truncate)
    return low, high


def _numeric(columns: Mapping[str, Column]) -> list[str]:
    return [name for name, column in columns.items() if isinstance(column, Numbers)]


# Every key of a figure that somebody here gives a meaning: a word that nobody does is refused, not passed over.
MEANT = frozenset(
    [
        "at",
        "by",
        "choose",
        "column",
        "compare",
        "counts",
        "earned",
        "hide",
        "kind",
        "leave_out",
        "missing",
        "models",
        "name",
        "noise",
        "of",
        "per",
        "round",
        "to",
        "truncate",
        "weight",
        "where",
    ]
)


def _channel(model: FigureModel) -> Chain:
    for key in sorted(model.model_fields_set - MEANT):
        raise SpecError(
            f"Figure {model.name!r}: {key} has no meaning yet, so that the figure would go out as it is. Remove it; "
            "or, in the program, say in desk/spec/build.py what it means."
        )
    links: list[Channel] = []
    if model.noise is not None:
        came = [name for name, scale in model.noise if scale is not None]
        if len(came) != 1:
            raise SpecError(
                f"Figure {model.name!r}: noise needs one of geometric, gaussian and normal with its scale (or quilt or "
                f"distance), but got {' and '.join(came) or 'none'}. Write noise: {{geometric: 4}}."
            )
        if model.compare is not None and came != ["geometric"]:
            raise SpecError(f"Figure {model.name!r}: noise of a value by its place is geometric. Write geometric: 2.")
        if model.noise.way is None and model.compare is None:  # else it depends on what is believed
            links.append(_noise(model))
    if model.round is not None:
        if not 1 <= model.round <= LARGEST_ROUNDING:
            raise SpecError(
                f"Figure {model.name!r}: round needs a number from 1 to {LARGEST_ROUNDING}, but got {model.round}. "
                "Write 5 to round to fives."
            )
        links.append(Rounded(model.round))
    if model.compare is not None:
        links.append(_compared(model, model.compare))
    elif model.models is not None:
        raise SpecError(
            f"Figure {model.name!r}: a {model.kind} has no models. Write kind: model with the column whose values "
            "follow them."
        )
    if model.hide is not None:
        links.append(_hiding(model, model.hide))
    if model.earned is not None:
        links.append(_earned(model, model.earned))
    if model.choose is not None:
        from dalenius.mechanisms.registry import made

        try:
            rates = [str(exact(rate, name=f"Figure {model.name!r}: choose")) for rate in model.choose]
            links.append(made("choose", " ".join(rates)))
        except InputError as error:
            raise SpecError(f"Figure {model.name!r}: choose: {error}") from None
    for key in ("hide", "earned", "choose"):
        if getattr(model, key) is not None and (len(links) > 1 or model.noise is not None):
            others = (name for name in ("round", "noise", "compare", "hide", "earned", "choose") if name != key)
            other = next(name for name in others if getattr(model, name) is not None)
            raise SpecError(
                f"Figure {model.name!r}: {key} is for a count as it is, but it also has {other}. Remove one of them."
            )
    return Chain(tuple(links))


def _check_shares(figures: Sequence[Figure], secret: Hidden) -> None:
    """SpecError unless what is told of a count by its share of the people is told of a public number of them."""
    for figure in figures:
        key = "earned" if figure.earning is not None else "choose" if figure.choosing is not None else ""
        if key and hides_presence(secret):
            raise SpecError(
                f"Figure {figure.name!r}: {key} needs a public number of people, of which a share is counted, but "
                "presence is secret. Publish the count with noise, or write secret: value."
            )


def _earned(model: FigureModel, earned: EarnedModel) -> Channel:
    """Within which shares a count may be exact."""
    from dalenius.data import representable
    from dalenius.mechanisms.earned_count import ExactIfEarned, earned_at, hedged_at
    from dalenius.mechanisms.registry import ROWS

    what = f"Figure {model.name!r}: earned"
    given = {name for name, value in earned if value is not None}
    if earned.chance is not None and earned.epsilon is not None and given == {"chance", "epsilon"}:
        chance = exact(earned.chance, name=f"{what}.chance")
        epsilon = exact(earned.epsilon, name=f"{what}.epsilon")
        if not 0 < chance < 1 or not 0 < epsilon <= LARGEST_EPSILON:
            raise SpecError(
                f"{what} needs a chance between 0 and 1 and an epsilon above 0 and at most {LARGEST_EPSILON}, but got "
                f"{earned.chance} and {earned.epsilon}. Write earned: {{chance: 0.25, epsilon: 0.5}}."
            )
        return earned_at(chance, epsilon)
    if earned.chance is not None and given == {"chance", "epsilon", "hedged", "people"}:
        chance = exact(earned.chance, name=f"{what}.chance")
        epsilon = exact(earned.epsilon or 0, name=f"{what}.epsilon")
        weight, people = exact(earned.hedged or 0, name=f"{what}.hedged"), earned.people or 0
        fine = 0 < chance < 1 and 0 < epsilon <= LARGEST_EPSILON and 0 < weight < Fraction(1, 2)
        if not fine or not 1 <= people <= LARGEST_PEOPLE:
            raise SpecError(
                f"{what} needs a chance between 0 and 1, an epsilon above 0, a weight hedged below 1/2 and at least "
                "one of the people, and not all of that came. Write earned: {chance: 0.25, epsilon: 0.5, hedged: "
                "0.001, people: 500}."
            )
        found = hedged_at(chance, people, epsilon, weight)
        if found is None:
            raise SpecError(
                f"{what}: of {people} people no count is exact, whatever law attackers lean to. Choose a larger "
                "epsilon, or publish the count with noise."
            )
        return found
    if earned.between is None or earned.scale is None or given != {"between", "scale"}:
        raise SpecError(
            f"{what} needs chance and epsilon, or between and scale, but got {' and '.join(sorted(given)) or 'none'}. "
            "Write earned: {chance: 0.25, epsilon: 0.5}."
        )
    low, high = (exact(end, name=f"{what}.between") for end in earned.between)
    scale = exact(earned.scale, name=f"{what}.scale")
    if not 0 < low <= high < 1 or not 0 < scale <= ROWS["earned"].largest:
        raise SpecError(
            f"{what} needs two shares above 0 and below 1, the first not above the second, and a scale above 0 and at "
            f"most {ROWS['earned'].largest}, but got {earned.between[0]}, {earned.between[1]} and {earned.scale}. "
            "Write earned: {between: [0.2, 0.3], scale: 2}."
        )
    return ExactIfEarned(low, high, representable(scale))


def _compared(model: FigureModel, among: int) -> Channel:
    """A count that is one of several of which one value is named."""
    what = f"Figure {model.name!r}: compare"
    if model.kind != "count" or (model.noise is not None and model.at is None) or model.round is not None:
        raise SpecError(f"{what} is for a count as it is. Write kind: winner with the column whose values are counted.")
    if not FEWEST_COMPARED <= among <= MOST_COMPARED:
        raise SpecError(f"{what} needs from {FEWEST_COMPARED} to {MOST_COMPARED} counts, but got {among}.")
    if model.models is not None:
        numbers = [[exact(chance, name=f"{what}: models") for chance in some] for some in model.models]
        try:
            return OnlyCompared(among, models=tuple(map(tuple, numbers)))
        except InputError as error:
            raise SpecError(f"Figure {model.name!r}: models: {error}") from None
    if model.at is None:
        return OnlyCompared(among)
    at = exact(model.at, name=f"Figure {model.name!r}: at")
    if not 0 <= at <= 1:
        raise SpecError(f"Figure {model.name!r}: at needs a share from 0 to 1, but got {model.at}. Write at: 0.5.")
    noise = None if model.noise is None else _noise(model)
    return OnlyCompared(among, at, noise.scale if isinstance(noise, TwoSidedGeometric) else None)


def _hiding(model: FigureModel, hide: HideModel) -> Channel:
    """What hides the small ones of a count."""
    from dalenius.mechanisms.small_counts import LARGEST_HIDDEN, SmallCountsHidden

    if model.kind != "count":
        raise SpecError(f"Figure {model.name!r}: hide is for counts, but this is a {model.kind}. Remove it.")
    if not 1 <= hide.below <= LARGEST_HIDDEN:
        raise SpecError(
            f"Figure {model.name!r}: hide needs a number from 1 to 2^31 below which counts are hidden, but got "
            f"{hide.below}. Write hide: {{below: 10, zeros: {hide.zeros}}}."
        )
    link = SmallCountsHidden(hide.below, hide.zeros)
    if link.tells_all:
        raise SpecError(
            f"Figure {model.name!r}: hide below {hide.below} with zeros {hide.zeros} hides at most one count, which is "
            f"then told by it. Write hide: {{below: 10, zeros: {hide.zeros}}}, or leave it out."
        )
    return link


def _noise(model: FigureModel) -> Channel:
    """Noise at the scale that will be drawn: the least double that is not below the declared one."""
    from dalenius.data import representable
    from dalenius.mechanisms.registry import ROWS

    kind, scale = next((name, scale) for name, scale in model.noise or () if scale is not None)
    exactly = exact(scale, name=f"Figure {model.name!r}: the scale of the noise")
    if exactly <= 0:
        raise SpecError(
            f"Figure {model.name!r}: noise needs a scale above 0, but got {scale}. "
            "Leave noise out to publish the exact figure."
        )
    largest = ROWS[kind].largest
    if exactly > largest:
        raise SpecError(
            f"Figure {model.name!r}: {kind} noise needs a scale of at most {largest} units, but got {scale}. "
            "Choose less noise, or declare a coarser unit."
        )
    drawn = representable(exactly)
    return ROWS[kind].made(drawn)


def _said(
    name: str, model: BeliefModel, public: Mapping[str, Column], confidential: Mapping[str, Column], base: Path
) -> ColumnBelief:
    """A belief; where answers went through a coin, about those that came out."""
    found = _belief(name, model, public, confidential, base)
    if model.answered is None:
        return found
    what, keep = f"The belief about {found}", exact(model.answered, name=f"The belief about {found}: answered")
    if not Fraction(1, 2) < keep < 1:
        raise SpecError(
            f"{what}: answered, the chance with which a coin keeps an answer, is above 1/2 and below 1, but got "
            f"{model.answered}. Write 0.75."
        )
    if found.stance is not None or found.scenarios or found.beside or confidential[found.column].size != len("yn"):
        raise SpecError(
            f"{what}: answered is for one column of two values, with probabilities of true answers. Leave out what "
            "else is said of it."
        )

    def flipped(table: Mapping[Cell, Chances]) -> dict[Cell, Chances]:
        """What no probability is below, too: it is moved alike."""
        values, flip = confidential[found.column].values, 1 - keep
        moved = ((cell, dict(chances)) for cell, chances in table.items())
        return {
            cell: tuple((value, flip + (keep - flip) * chances.get(value, Fraction(0))) for value in values)
            for cell, chances in moved
        }

    least = None if found.least is None else flipped(found.least)
    return replace(found, table=flipped(found.table), least=least, answered=keep)


def _belief(
    name: str, model: BeliefModel, public: Mapping[str, Column], confidential: Mapping[str, Column], base: Path
) -> ColumnBelief:
    columns = _believed(name, model, public, confidential)
    what = f"The belief about {told_together(list(columns))}"
    by = tuple(columns_by(model.by, public, confidential, what))
    if model.hedged is not None and model.probabilities is None and model.cells is None:
        raise SpecError(f"{what}: hedged is about probabilities, but there are none. State them, or remove it.")
    stance = stance_of(columns, model, what)
    if stance is not None:
        return stance
    if model.unknown or model.none_above is not None or model.none_below is not None:
        return _unstated(columns, model, what)
    if model.scenarios is not None:
        return _several(columns, model, what)
    if model.one_of is not None:
        return _one_of(columns, model, what)
    if model.counts is not None:
        return _estimated(columns, model, public, by, base)
    size = prod(column.size for column in columns.values())
    if size > LARGEST_BELIEVED:
        raise SpecError(
            f"{what}: probabilities can be stated for {_up_to(LARGEST_BELIEVED, columns)}, but it has {size}. Declare "
            "a coarser unit; in Python wider ranges can be judged."
        )
    if model.confidence is not None:
        raise SpecError(f"{what}: confidence belongs to counts, but there are none. Name their file, or remove it.")
    if (model.probabilities is None) == (model.cells is None) or bool(by) != (model.cells is not None):
        raise SpecError(
            f"{what} needs either probabilities, or by together with cells, or counts, or none_above, none_below, "
            "unknown, order, nobody_knows or variance. Give one of them."
        )
    tables = {(): model.probabilities} if model.probabilities is not None else nested(model.cells, by, public, what)
    try:
        table = {key: _chances(chances, columns, what) for key, chances in tables.items()}
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None
    if model.hedged is not None:
        return _hedged(columns, model, table, by, what)
    differ = f"with a weight of at least {model.weight}" if model.weight is not None else ""
    differ = f"each at most {model.within} below what is stated" if model.within is not None else differ
    least = _differing(model, table, what)
    first, *beside = columns
    return ColumnBelief(first, table, model.source, by, model.fitted, least, differ=differ, beside=tuple(beside))


def _hedged(
    columns: Mapping[str, Column], model: BeliefModel, table: Mapping[Cell, Chances], by: tuple[str, ...], what: str
) -> ColumnBelief:
    """A stated law that attackers give some weight, whatever other law they lean to."""
    from dalenius.tables.stances import Hedging

    weight = exact(model.hedged or 0, name=f"{what}: hedged")
    other = next((key for key in ("weight", "within") if getattr(model, key) is not None), "fitted" * model.fitted)
    if other:
        raise SpecError(f"{what}: hedged says all that is believed, but got {other} beside it. Remove one of them.")
    if not 0 < weight < Fraction(1, 2):
        raise SpecError(
            f"{what}: hedged, the weight that attackers give to the stated law, needs a number above 0 and below 1/2, "
            f"but got {model.hedged}. Write 0.001."
        )
    first, *beside = columns
    return ColumnBelief(first, table, model.source, by, beside=tuple(beside), stance=Hedging(weight))


def _several(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief:
    """Several scenarios: everybody follows the same one of some laws."""
    beside = ("probabilities", "cells", "counts", "confidence", "within", "weight", "by", "one_of", "hedged")
    said = [key for key in beside if getattr(model, key)]
    given = model.scenarios or []
    if said or not 2 <= len(given) <= MOST_SCENARIOS:
        wrong = f"{said[0]} beside it. Remove one of them." if said else f"{len(given)}. Correct it."
        raise SpecError(f"{what}: scenarios needs 2 to {MOST_SCENARIOS} laws, and nothing else, but got {wrong}")
    size = prod(column.size for column in columns.values())
    if size > LARGEST_BELIEVED:
        raise SpecError(
            f"{what}: scenarios can be stated for {_up_to(LARGEST_BELIEVED, columns)}, but it has {size}. Declare a "
            "coarser unit."
        )
    try:
        first, *more = (_chances(chances, columns, what) for chances in given)
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None
    name, *others = columns
    also: tuple[Mapping[Cell, Chances], ...] = tuple({(): law} for law in more)
    return ColumnBelief(name, {(): first}, model.source, (), model.fitted, beside=tuple(others), scenarios=also)


def _check_several(model: SpecModel, beliefs: Sequence[ColumnBelief]) -> None:
    """SpecError where several scenarios are not judged with something else, or are too many together."""
    several = [belief for belief in beliefs if belief.scenarios]
    if not several:
        return
    number = prod(len(belief.scenarios) + 1 for belief in several)
    if number > MOST_SCENARIOS:
        raise SpecError(
            f"scenarios of several beliefs make {number} together, and at most {MOST_SCENARIOS} are judged. "
            "State fewer, or one_of."
        )
    for key, wrong in (("series", model.series is not None), ("sample", model.sample is not None)):
        if wrong:
            raise SpecError(f"scenarios are not judged with {key}. Leave one of them out, or write one_of.")


def _one_of(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief:
    """Several laws: nobody's probability of a value is below the least of theirs."""
    beside = ("probabilities", "cells", "counts", "confidence", "within", "by")
    said = [key for key in beside if key in model.model_fields_set and getattr(model, key)]
    given = model.one_of or []
    if said or len(given) < 2:
        wrong = f"but got {said[0]} beside it. Remove one of them." if said else "but got fewer. Add one."
        raise SpecError(f"{what}: one_of needs at least two laws, and nothing else that says them, {wrong}")
    size = prod(column.size for column in columns.values())
    if size > LARGEST_BELIEVED:
        raise SpecError(
            f"{what}: one_of can be stated for {_up_to(LARGEST_BELIEVED, columns)}, but it has {size}. Declare a "
            "coarser unit."
        )
    try:
        laws = [_chances(chances, columns, what) for chances in given]
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None
    each = [dict(law) for law in laws]
    shared = tuple((value, min(law.get(value, Fraction(0)) for law in each)) for value, _ in laws[0])
    least: Mapping[Cell, Chances] = {(): shared}
    if model.weight is not None:
        least = _differing(model, least, what) or least
    weight = f", with a weight of at least {model.weight}" if model.weight is not None else ""
    differ = f"by one of {len(laws)} stated laws or any mixture of them{weight}"
    first, *more = columns
    return ColumnBelief(
        first, {(): laws[0]}, model.source, (), model.fitted, least, differ=differ, beside=tuple(more), widened=True
    )


def _unstated(columns: Mapping[str, Column], model: BeliefModel, what: str) -> ColumnBelief:
    """Without probabilities: nothing at all, or that no value is too likely, or too unlikely."""
    from dalenius.tables.unstated import none_below

    said = [key for key in WITHOUT_PROBABILITIES if key in model.model_fields_set and getattr(model, key)]
    ends = [key for key in ("none_above", "none_below") if getattr(model, key) is not None]
    kinds = ["unknown"] * model.unknown + ends
    if said or len(kinds) > 1 or (model.unknown and model.weight is not None):
        more = [*said, *(["weight"] if model.unknown and model.weight is not None else [])]
        raise SpecError(
            f"{what} needs either probabilities, or none_above, none_below or unknown without them, but got "
            f"{' and '.join([*kinds, *more])}. Keep what you can defend."
        )
    size = prod(column.size for column in columns.values())
    if size > LARGEST_BELIEVED:
        raise SpecError(
            f"{what} can be about {_up_to(LARGEST_BELIEVED, columns)}, but it has {size}. Declare a coarser unit."
        )
    if model.unknown:
        return none_below(columns, Fraction(0), model.source)
    weight = Fraction(1) if model.weight is None else exact(model.weight, name=f"{what}: weight")
    if not 0 < weight <= 1:
        raise SpecError(f"{what}: weight needs a number above 0 and at most 1, but got {model.weight}. Write 0.3.")
    if model.none_above is not None:
        return _none_above(columns, exact(model.none_above, name=f"{what}: none_above"), weight, model, what)
    chance = exact(model.none_below or 0, name=f"{what}: none_below")
    if not 0 < chance <= Fraction(1, size):
        raise SpecError(
            f"{what}: none_below needs a number above 0 and at most 1/{size}, as there are {size} values, but got "
            f"{model.none_below}. Write a smaller one, or unknown."
        )
    words = f"no value of {told_together(list(columns))} is less than {plain(100 * chance)} % likely"
    return none_below(columns, weight * chance, model.source, _weighed(words, weight))


def _none_above(
    columns: Mapping[str, Column], chance: Fraction, weight: Fraction, model: BeliefModel, what: str
) -> ColumnBelief:
    from dalenius.tables.unstated import none_below

    size = prod(column.size for column in columns.values())
    if size != 2:
        raise SpecError(
            f"{what}: none_above is for columns of two values, but it has {size}. Of more, it leaves open that nobody "
            "has one of them (or, of numbers, that all are even), which no exact figure hides. Write none_below: "
            f"{plain(Fraction(1, 100)) if size < 100 else f'1/{10 * size}'}."
        )
    if not Fraction(1, 2) <= chance < 1:
        raise SpecError(
            f"{what}: none_above needs a number from 0.5 to below 1, but got {model.none_above}. Write 0.97, or "
            "unknown if nothing is assumed."
        )
    words = f"no value of {told_together(list(columns))} is more than {plain(100 * chance)} % likely"
    return none_below(columns, weight * (1 - chance), model.source, _weighed(words, weight))


def _weighed(words: str, weight: Fraction) -> str:
    if weight == 1:
        return f"{words}, for anybody"
    return f"everybody follows, with a weight of at least {plain(weight)}, some law in which {words}"


def _believed(
    name: str, model: BeliefModel, public: Mapping[str, Column], confidential: Mapping[str, Column]
) -> dict[str, Column]:
    """The columns that a belief is about: those that it names, or the one under whose name it stands."""
    names = ([model.columns] if isinstance(model.columns, str) else model.columns) or [name]
    for one in names:
        named(one, list(confidential), "beliefs", needed="confidential", other=list(public))
        if names.count(one) > 1:
            raise SpecError(f"beliefs: columns needs each column once, but {one} stands there twice. Remove one.")
    if name in confidential and name not in names:
        raise SpecError(
            f"beliefs: under {name} stands a belief about {told_together(names)}. Give it another name, or name {name} "
            "among its columns."
        )
    return {one: confidential[one] for one in names}


def _up_to(most: int, columns: Mapping[str, Column]) -> str:
    return f"a column of up to {most} values" if len(columns) == 1 else f"columns of up to {most} combinations"


def _chances(given: object, columns: Mapping[str, Column], what: str) -> Chances:
    """The probabilities of a column's values, or of the rows of several columns."""
    from dalenius.desk.spec.joint import joint

    if len(columns) > 1:
        return joint(given, columns, what)
    ((name, column),) = columns.items()
    return marginal(given, name, column, what)


def _check_once(beliefs: Sequence[ColumnBelief]) -> None:
    """SpecError if two beliefs are about one column."""
    names = [name for belief in beliefs for name in belief.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SpecError(f"beliefs needs one belief about each column, but {twice} is in two of them. Keep one of them.")


def _differing(model: BeliefModel, table: Mapping[Cell, Chances], what: str) -> Mapping[Cell, Chances] | None:
    """What nobody's probabilities are below, where people may differ; None if they do not."""
    given = {name: value for name, value in (("weight", model.weight), ("within", model.within)) if value is not None}
    if not given:
        return None
    if len(given) > 1:
        raise SpecError(f"{what} needs either weight or within, but got both. Keep the one that you can defend.")
    (key, value), *_ = given.items()
    share = exact(value, name=f"{what}: {key}")
    if not 0 <= share <= 1 or (key == "weight" and not share):
        needed = "above 0 and at most 1" if key == "weight" else "from 0 to 1"
        example = "weight: 0.8" if key == "weight" else "within: 0.02"
        raise SpecError(f"{what}: {key} needs a number {needed}, but got {value}. Write {example}.")
    if key == "weight":
        return {cell: tuple((v, share * chance) for v, chance in law) for cell, law in table.items()}
    return {cell: tuple((v, max(chance - share, Fraction(0))) for v, chance in law) for cell, law in table.items()}


def _estimated(
    columns: Mapping[str, Column], model: BeliefModel, public: Mapping[str, Column], by: tuple[str, ...], base: Path
) -> ColumnBelief:
    """From public counts: their shares, and lower ends for every probability, in all cells at once."""
    names = told_together(list(columns))
    what, size = f"The belief about {names}", prod(column.size for column in columns.values())
    if model.probabilities is not None or model.cells is not None:
        raise SpecError(f"{what} needs either counts, or probabilities, or cells, but got two of them. Keep one.")
    if model.weight is not None or model.within is not None:
        raise SpecError(f"{what}: weight and within belong to stated probabilities, but it has counts. Remove them.")
    if model.confidence is None:
        raise SpecError(f"{what} needs a confidence for its counts, but there is none. Add confidence: 0.999.")
    if size > LARGEST_ESTIMATED:
        raise SpecError(
            f"{what}: counts can be given for {_up_to(LARGEST_ESTIMATED, columns)}, but it has {size}. Declare a "
            "coarser unit, or state the probabilities."
        )
    file = path_of(model.counts or "", base, error=SpecError)
    text = read_text(file, LARGEST_COUNTS, f"public counts of {names}, a CSV file,", error=SpecError)
    counted = public_counts(text, columns, by, public, what)
    try:
        confidence = checked_confidence(model.confidence)
        risk, table, least = (1 - confidence) / len(counted), {}, {}
        for cell, some in counted.items():
            where = f"{what}: the sample{''.join(f', {value}' for value in cell)}"
            table[cell], least[cell] = _shares(some, columns, risk, where)
    except InputError as error:
        raise SpecError(f"{what}: {error}" if not str(error).startswith(what) else str(error)) from None
    first, *beside = columns
    return ColumnBelief(first, table, model.source, by, model.fitted, least, confidence, beside=tuple(beside))


def _shares(sample: Sample, columns: Mapping[str, Column], risk: Fraction, what: str) -> tuple[Chances, Chances]:
    """The shares in a sample, and what no probability is below, but for this risk: of values, or of rows. What is left
    over by rounding is one more value, of which nothing follows; among the shares it counts to the likeliest.
    """
    rows = list(product(*(column.values for column in columns.values())))
    counts = list(checked_counts({at: sample.counts.get(row, 0) for at, row in enumerate(rows)}, what).values())
    ends = least_shares([*counts, *([sample.left] if sample.left else [])], risk)[: len(rows)]
    counts[counts.index(max(counts))] += sample.left
    keys: list[Label | Fraction | Cell] = [row if len(columns) > 1 else row[0] for row in rows]
    shares = tuple((key, Fraction(count, sample.base)) for key, count in zip(keys, counts, strict=True))
    return shares, tuple(zip(keys, ends, strict=True))


def _frame_columns(
    figures: Sequence[Figure],
    beliefs: Sequence[ColumnBelief],
    public: Mapping[str, Column],
    sizes: SizesModel | None,
) -> tuple[str, ...]:
    """The public columns that anything depends on. Sizes may be declared by more: for earlier releases."""
    used = {name for figure in figures for name in (*figure.by, *figure.where.columns)} | {
        name for belief in beliefs for name in belief.by
    }
    if sizes is not None and used.intersection(public) <= (
        finer := {sizes.by} if isinstance(sizes.by, str) else set(sizes.by)
    ):
        used |= finer
    return tuple(name for name in public if name in used)


def _sizes(model: SpecModel, frame: Sequence[str], public: Mapping[str, Column]) -> Mapping[Cell, int] | None:
    if model.sizes is None:
        return None
    sizes: SizesModel = model.sizes
    by = columns_by(sizes.by, public, model.confidential, "sizes")
    if set(by) != set(frame):
        raise SpecError(
            f"sizes must be by the public columns that figures and beliefs use ({', '.join(frame) or 'none'}), "
            f"but is by {', '.join(by) or 'none'}. Change its by."
        )
    return _counts(sizes.cells, by, frame, public, "sizes")


def _counts(
    cells: object, by: Sequence[str], frame: Sequence[str], public: Mapping[str, Column], what: str
) -> dict[Cell, int]:
    """A whole number for every group, by the frame's columns in order."""
    given = nested(cells, by, public, what)
    for count in given.values():
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= LARGEST_PEOPLE:
            raise SpecError(
                f"{what} needs whole numbers from 0 to {LARGEST_PEOPLE}, but got {str(count)[:40]}. Correct it."
            )
    if prod(public[name].size for name in by) > len(given):
        few = product(*(islice(public[name].values, len(given) + 1) for name in by))
        missing = next(cell for cell in few if cell not in given)
        raise SpecError(
            f"{what} needs a number for every group, but there is none for {', '.join(map(str, missing))}. "
            "Add it; write 0 where there can be nobody."
        )
    return {tuple(cell[by.index(name)] for name in frame): count for cell, count in given.items()}


def _declared_homes(
    together: Together | None, model: SpecModel, frame: Sequence[str], public: Mapping[str, Column]
) -> Together | None:
    """Where presence is secret, how many households there are is declared, as sizes are."""
    given = model.together
    if together is None or not isinstance(given, TogetherModel) or model.sizes is None:
        return together
    by = columns_by(model.sizes.by, public, model.confidential, "sizes")
    coins = _counts(given.households, by, frame, public, "together.households")
    sizes = _sizes(model, frame, public) or {}
    for cell, homes in coins.items():
        if homes > sizes.get(cell, 0):
            where = ", ".join(map(str, cell)) or "the data"
            raise SpecError(
                f"together.households says that {where} has {homes} households, but sizes says that it has "
                f"{sizes.get(cell, 0)} persons. Each household has one at least: declare fewer."
            )
    return replace(together, coins=coins, largest=given.largest, groups=given.in_groups or 1)
