"""The keys of a specification, as pydantic models. Every key is described; the reference is generated from here."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from dalenius.basics.limits import LARGEST_EXPONENT


def _no_truth_value(given: object) -> object:
    """Pydantic would take true for 1."""
    if isinstance(given, bool):
        raise ValueError("a number")  # noqa: TRY004 - what pydantic wants
    return given


def _of_ordinary_size(given: object) -> object:
    """1e999999999 would fill the memory with its digits."""
    power = re.search(r"[eE][+-]?(\d+)\s*%?\s*$", given) if isinstance(given, str) else None
    if power and (len(power[1]) > 9 or int(power[1]) > LARGEST_EXPONENT):
        raise ValueError(f"a number with an exponent of at most {LARGEST_EXPONENT}")
    return _no_truth_value(given)


Number = Annotated[int | float | str, BeforeValidator(_of_ordinary_size)]  # "1/3" and "1e-6" are numbers too
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
LabelModel = bool | int | float | str


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, frozen=True, defer_build=True)


class DomainModel(_Model):
    """A column's domain: numbers (`bounds`: all multiples of the unit between them), bins of numbers, or labels with
    what is missing.
    """

    unit: Annotated[
        Number, Field(description="of numbers: step of the values; 0.01 for cents; of dates: `day`, `month` or `year`")
    ] = 1
    bounds: Annotated[
        tuple[Number, Number] | None, Field(description="of numbers and dates: least and greatest value, both included")
    ] = None
    round: Annotated[
        Literal["nearest"] | None,
        Field(description="of numbers: `nearest` rounds to the unit when the table is read; halves go up"),
    ] = None
    bins: Annotated[
        list[Number] | None,
        Field(
            description="ends of bins: `[0, 18, 65, 120]` reads numbers as the labels `0 to under 18`, "
            "`18 to under 65` and `65 to 120`"
        ),
    ] = None
    values: Annotated[list[LabelModel] | None, Field(description="labels, where a list does not say all")] = None
    missing: Annotated[
        Literal["as a value"] | None,
        Field(
            description="`as a value` reads what is missing (nothing, or a text such as NA, NaN, null or a point that "
            "is no label) as one more value, `missing`, which has its place in the belief and adds 0 to a sum; "
            "otherwise nothing may be missing"
        ),
    ] = None


ColumnModel = DomainModel | list[LabelModel]


class OrderModel(_Model):
    """An order of the records, and whose are known."""

    column: Annotated[Text, Field(description="the column by which the records stand in order")]
    known: Annotated[
        list[int],
        Field(
            description="the places, counted from 1, whose records the attacker knows, if it is stated which: as many "
            "as `knows` says; otherwise the worst ones"
        ),
    ] = []


class ScenarioModel(_Model):
    """One of several laws, of which nobody knows which one all records follow."""

    weight: Annotated[Number, Field(description="how likely it is; the weights sum to 1")]
    probabilities: Annotated[dict[LabelModel, Any] | list[Any], Field(description="the law, written as under a belief")]


class BeliefModel(_Model):
    """What the attacker may be assumed to think of one confidential column, or of several that move together, before
    anything is published.
    """

    columns: Annotated[
        list[str] | str,
        Field(
            description="the confidential columns that it is about, if not the one whose name stands before it: "
            "several that move together have one table, of all combinations of their values"
        ),
    ] = []
    source: Annotated[Text, Field(description="where the numbers come from: a table, a survey, an argument")]
    probabilities: Annotated[
        dict[LabelModel, Any] | list[Any] | None,
        Field(
            description='probability of each value; "rest" for what is left; "0 to 9000" spreads over a range; of '
            "several columns the values of one inside those of the other, or a list of combinations "
            "`{diagnosis: flu, smoker: yes, probability: 0.1}`: all of them"
        ),
    ] = None
    one_of: Annotated[
        list[dict[LabelModel, Any] | list[Any]] | None,
        Field(
            description="instead of probabilities, several of them, each written like those: each person follows "
            "one of these laws, or any mixture of them, and people may differ; which one is taken as known, so that "
            "records stay independent: that nobody knows which one all follow hides nothing, and may tell more"
        ),
    ] = None
    scenarios: Annotated[
        list[dict[LabelModel, Any] | list[Any]] | None,
        Field(
            description="instead of probabilities, several of them, each written like those: everybody follows the "
            "same one of these laws, and the attacker may know which; the figures must be safe under each of them. "
            "With several such beliefs, under every choice"
        ),
    ] = None
    by: Annotated[str | list[str], Field(description="public columns that the probabilities depend on")] = []
    cells: Annotated[
        dict[LabelModel, Any] | None,
        Field(description="with `by`: the probabilities for each value of the public column (nested for several)"),
    ] = None
    counts: Annotated[
        Text | None,
        Field(
            description="CSV file, relative to this file, of how often each value occurred in a public sample: the "
            "column, `count`, and the columns of `by`; what is not listed did not occur"
        ),
    ] = None
    confidence: Annotated[
        Number | None,
        Field(description="with `counts`: how sure the probabilities are to be within what the sample says: 0.999"),
    ] = None
    weight: Annotated[
        Number | None,
        Field(
            description="if people differ: everybody follows these probabilities with at least this weight (0.8), and "
            "does anything else with the rest"
        ),
    ] = None
    within: Annotated[
        Number | None,
        Field(description="if people differ: nobody has a probability further than this (0.02) below the stated one"),
    ] = None
    answered: Annotated[
        Number | None,
        Field(
            description="of a column of two values that holds randomised answers (`dalenius respond`): the chance, "
            "above 1/2, with which a coin kept each of them, 0.75; else it is the opposite. What is believed, and what "
            "is secret, are the true answers; a figure of the kind `answers` estimates their number"
        ),
    ] = None
    hedged: Annotated[
        Number | None,
        Field(
            description="if attackers lean to any other law that all records may follow, and give the stated one at "
            "least this weight (0.001): noise hides a record then, and counts that are `earned`, each of which must be "
            "all that is told of its people"
        ),
    ] = None
    order: Annotated[
        OrderModel | str | None,
        Field(
            description="records in an order of people or time that anybody knows, by this column, each of which "
            "depends on the one before it: a Markov chain. With `start`, the probabilities of the first record, and "
            "`moves`, for each value those of the record that follows; instead of probabilities"
        ),
    ] = None
    start: Annotated[
        dict[LabelModel, Any] | None, Field(description="with `order`: the probabilities of the first record")
    ] = None
    moves: Annotated[
        dict[LabelModel, dict[LabelModel, Any]] | None,
        Field(description="with `order`: `{well: {ill: 0.05, well: rest}, ill: {well: 0.3, ill: rest}}`"),
    ] = None
    nobody_knows: Annotated[
        list[ScenarioModel] | None,
        Field(
            description="instead of probabilities: all records follow the same one of these laws, each with its "
            "weight, and nobody knows which, so that records say something about each other"
        ),
    ] = None
    variance: Annotated[
        Number | None,
        Field(
            description="instead of probabilities, of a column of numbers: only that each record varies at least so "
            "much within its bounds, whatever the attacker knows. The sum of the column needs `normal` noise then, or "
            "noise that hides a record by itself"
        ),
    ] = None
    none_above: Annotated[
        Number | None,
        Field(
            description="instead of probabilities, of a column of two values: for nobody is one of them more likely "
            "than this (0.97); with `weight`: everybody follows, with at least this weight, some law of which that "
            "is true, and does anything else with the rest"
        ),
    ] = None
    none_below: Annotated[
        Number | None,
        Field(
            description="instead of probabilities: for nobody is any value less likely than this (0.004); with "
            "`weight` likewise"
        ),
    ] = None
    unknown: Annotated[
        bool,
        Field(
            description="true if nothing is assumed of the values but which they may be: in short `income: unknown`. "
            "Only noise hides them then, and the answer says what the least is that one would have to assume"
        ),
    ] = False
    fitted: Annotated[
        bool, Field(description="true if the numbers were fitted to the confidential data: then all is for review")
    ] = False

    @model_validator(mode="before")
    @classmethod
    def _nothing_assumed(cls, given: object) -> object:
        """`unknown`, and that it needs no source."""
        from dalenius.tables.unstated import UNKNOWN

        if given == "unknown":
            return {"unknown": True, "source": UNKNOWN}
        if isinstance(given, dict) and given.get("unknown") is True:
            return {"source": UNKNOWN, **given}
        return given


def beliefs_by_name(given: object) -> object:
    """A list of beliefs as keys: each under the names of its columns."""
    if not isinstance(given, list):
        return given
    found: dict[str, object] = {}
    for belief in given:
        columns = belief.get("columns") if isinstance(belief, dict) else None
        names = [columns] if isinstance(columns, str) else columns
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise ValueError("columns in each entry of the list, such as columns: [diagnosis, smoker]")
        name = " and ".join(names)
        if name in found:
            raise ValueError(f"one belief about {name}")
        found[name] = belief
    return found


class AttackerModel(_Model):
    """Who attacks."""

    knows: Annotated[
        Number,
        Field(
            description="share (0.2, 1/5 or 20%) or number (a whole number: 200, and 1 is one record) of records that "
            "the attacker knows exactly"
        ),
    ]
    in_every_group: Annotated[
        bool, Field(description="true if the share holds in every published group, not just overall")
    ] = False
    source: Annotated[Text, Field(description="why no attacker knows more")]


class TogetherModel(_Model):
    """Records that move together: those of one household (of one owner, of one school class). What is hidden then is
    all that the records of a household say, at once; and what hides it is one member of every other household.
    Households are independent of each other. Who belongs to which is taken as known to anybody.
    """

    column: Annotated[Text, Field(description="the column that names the household of every row")]
    weight: Annotated[
        Number | None,
        Field(
            description="how much of a record is its own: whatever the rest of the household says, a record still "
            "follows its stated probabilities with at least this weight (0.5), and does anything else with the rest; "
            "without it nothing can be certified"
        ),
    ] = None
    source: Annotated[Text, Field(description="where the weight comes from: a survey of households, an argument")]
    households: Annotated[
        Any,
        Field(
            description="only with `secret: presence`: how many households there are at least, by the same columns as "
            "`sizes`; a household that is in several of its groups counts in one of them"
        ),
    ] = None
    largest: Annotated[
        int | None, Field(ge=1, description="only with `secret: presence`: how many members a household has at most")
    ] = None
    in_groups: Annotated[
        int | None,
        Field(ge=1, description="only with `secret: presence`: in how many of these groups a household is at most (1)"),
    ] = None


class SampleModel(_Model):
    """Who is in the table was drawn by chance from a population. That nobody knows who was drawn hides people: what is
    true of the members of the population may be known to anybody. The probabilities of beliefs are the shares of the
    population then. A design that depends on what is to be protected hides nobody, and is no design of this list.
    """

    of: Annotated[
        Any,
        Field(
            description="how many members the population has; with `by` for each value of the public column (nested "
            "for several): `{north: 120000, south: 80000}`"
        ),
    ]
    by: Annotated[
        str | list[str],
        Field(
            description="the strata: public columns, exactly those that figures and beliefs use. Of each stratum so "
            "many members were drawn as the table has, which is public"
        ),
    ] = []
    design: Annotated[
        str,
        Field(
            description="simple: so many members as the table has, each set of them equally likely; `stratified`: the "
            "same in each stratum of `by`; Bernoulli: every member by a coin of the same `rate`; Poisson: by a coin of "
            "the rate of their stratum"
        ),
    ]
    rate: Annotated[
        Any,
        Field(
            description="of Bernoulli and Poisson: with which probability a member was drawn; of Poisson for each "
            "value of `by`"
        ),
    ] = None
    taking_part: Annotated[
        Literal["secret", "known"],
        Field(
            description="secret: whether a person was drawn is hidden, and what is true of them; known: that the "
            "person in question was drawn may be known (but not who else), and only what is true of them is hidden"
        ),
    ] = "secret"
    source: Annotated[Text, Field(description="where it stands how the sample was drawn")]


class ShareModel(_Model):
    """A share in a total, to within some percentage points."""

    points: Annotated[Number, Field(description="percentage points: 1")]
    others: Annotated[Number, Field(description="what all others in the total add up to, as anybody may know")]


class MembersModel(_Model):
    """How many members of a household have something; with one of `within`, `intervals` and `pairs`."""

    having: Annotated[LabelModel | list[LabelModel], Field(description="the label, or labels, that are counted")]
    within: Annotated[Number | None, Field(description="to within ±k members")] = None
    intervals: Annotated[
        list[Number] | None, Field(description="in which interval: `[0, 1, 9]` is whether anybody has it")
    ] = None
    pairs: Annotated[
        list[tuple[int, int]] | None, Field(description="these pairs of numbers and no others: `[[0, 1]]`")
    ] = None


class SecretModel(_Model):
    """What is secret of a column where not all of it is: which two values must look alike. Of every column that is not
    named here, any two values. Only what a sum or a count tells by itself gains by it: where several numbers tell
    different things of the same column, or one belief has it together with other columns, any two values are compared.
    With `of: household` it is what the values of all members of a household add up to, or how many `members` have
    something, and nothing else about them.
    """

    of: Annotated[
        Literal["record", "household"],
        Field(
            description="record: what each of the columns says of one record; household (with `together`): one "
            "property of all its records, such as their total of a column, and nothing else"
        ),
    ] = "record"

    within: Annotated[
        dict[str, Number],
        Field(description="of numbers, to within ±k: `{income: 500}` compares any two values less than 4k apart"),
    ] = {}
    percent: Annotated[
        dict[str, Number],
        Field(
            description="of numbers, to within p percent (the p % question of business statistics): `{turnover: 10}` "
            "compares any two values of one sign of which the larger is less than 1 / (1 - p/100)^4 times the smaller; "
            "0 and another value may be told apart"
        ),
    ] = {}
    intervals: Annotated[
        dict[str, list[Number]],
        Field(
            description="of numbers, in which interval: `{age: [0, 18, 65, 120]}` compares any two values of different "
            "intervals; each begins with its first end"
        ),
    ] = {}
    share: Annotated[
        dict[str, ShareModel],
        Field(
            description="of numbers of at least 0, the share in a total, to within k percentage points: `{turnover: "
            "{points: 1, others: 5000000}}` compares any two values whose shares, in a total with what the others add, "
            "are less than 4k points apart"
        ),
    ] = {}
    members: Annotated[
        dict[str, MembersModel],
        Field(
            description="with `of: household`, of labels, how many members have them: `{diagnosis: {having: flu, "
            "pairs: [[0, 1]]}}`"
        ),
    ] = {}
    pairs: Annotated[
        dict[str, list[tuple[LabelModel, LabelModel]]],
        Field(description="of any column, these pairs of values and no others: `{diagnosis: [[flu, cancer]]}`"),
    ] = {}


class TargetModel(_Model):
    """What is wanted: δ at ε."""

    epsilon: Annotated[Number, Field(description="how far odds may move, on the log scale: 0.5 is a factor of 1.65")]
    delta: Annotated[Number, Field(description="how much probability may be outside of that: 1e-6")]


class NoiseModel(_Model):
    """Noise in whole units of the column (of a mean: added to its total; of a value by its place in order: from one
    value of the column to the next); one of these.
    """

    geometric: Annotated[Number | None, Field(description="scale of two-sided geometric noise")] = None
    gaussian: Annotated[Number | None, Field(description="scale of discrete Gaussian noise")] = None
    normal: Annotated[Number | None, Field(description="scale of normal noise that is rounded to whole units")] = None
    quilt: Annotated[
        Number | None,
        Field(
            description="for a belief with `order`: the epsilon for which the Markov quilt mechanism says the scale of "
            "geometric noise, which is then judged like any other"
        ),
    ] = None
    distance: Annotated[
        Number | None,
        Field(
            description="likewise by the Wasserstein mechanism: from how far the laws of the figure given two values "
            "of a record are apart"
        ),
    ] = None

    @property
    def way(self) -> Literal["quilt", "distance"] | None:
        """The theorem that says how much noise, if one does."""
        return "quilt" if self.quilt is not None else "distance" if self.distance is not None else None


class HideModel(_Model):
    """Small counts that are not shown."""

    below: Annotated[
        int, BeforeValidator(_no_truth_value), Field(description="counts below this are hidden: 10 hides 9 and less")
    ]
    zeros: Annotated[
        Literal["shown", "hidden"],
        Field(description="`shown`: a count of nobody is shown as 0; `hidden`: it is hidden with the other small ones"),
    ]


class EarnedModel(_Model):
    """Within which shares of the people a count may be exact: `between` and `scale` themselves, or `chance` and
    `epsilon`, of which they are made.
    """

    between: Annotated[
        tuple[Number, Number] | None,
        Field(description="shares of the people, 0.2 and 0.3: if so many are counted, the count may be exact"),
    ] = None
    scale: Annotated[Number | None, Field(description="scale of the two-sided geometric noise of other counts")] = None
    chance: Annotated[
        Number | None, Field(description="how likely one record is to be counted, as the belief has it: 0.25")
    ] = None
    hedged: Annotated[
        Number | None,
        Field(
            description="with `chance`, where the belief is `hedged` with this weight: the shares at which counts of "
            "so many `people` tell as little whatever law attackers lean to"
        ),
    ] = None
    people: Annotated[
        int | None, BeforeValidator(_no_truth_value), Field(description="with `hedged`: the people of the least group")
    ] = None
    epsilon: Annotated[
        Number | None,
        Field(
            description="with `chance`: the shares are those at which counts tell yes from no by at most this, and the "
            "scale is 1 divided by it"
        ),
    ] = None


class RangeModel(_Model):
    """A condition on a numeric column."""

    at_least: Annotated[Number | None, Field(description="the least value, included")] = None
    at_most: Annotated[Number | None, Field(description="the greatest value, included")] = None


ConditionModel = RangeModel | list[LabelModel] | LabelModel


class RecordModel(_Model):
    """A confidential column of one record a person, made of the person's rows. What an attacker believes is about this
    column.
    """

    take: Annotated[
        Literal["number of rows", "sum", "any", "all", "largest", "smallest", "first"],
        Field(
            description="what is taken: the number of rows, the sum of a column, whether any row or all rows satisfy "
            "`where` (yes or no), the largest, the smallest or the first value of a column"
        ),
    ]
    of: Annotated[
        str | None, Field(description="of a sum, the largest, the smallest, the first: a column listed under `rows`")
    ] = None
    where: Annotated[
        dict[str, ConditionModel] | Text,
        Field(description="condition on columns listed under `rows`: only rows that satisfy it count"),
    ] = {}
    by: Annotated[
        str | None,
        Field(
            description="of the first: the column listed under `rows` whose least value comes first; of several such "
            "rows the one whose value comes first in its domain"
        ),
    ] = None
    limits: Annotated[
        tuple[Number, Number] | None,
        Field(
            description="of a number of rows and a sum: [low, high]; less is clipped to low, more to high, and the "
            "report says so"
        ),
    ] = None
    unit: Annotated[
        Number | None,
        Field(description="of a sum: a coarser unit than the column has, to which a person's total is rounded"),
    ] = None
    bins: Annotated[
        list[Number] | None,
        Field(description="of a number of rows and a sum: ends of bins, which cover the limits, as in a domain"),
    ] = None


class FigureModel(_Model):
    """One figure, or one a cell."""

    name: Annotated[Text, Field(description="name in the output")]
    kind: Annotated[
        str,
        Field(
            description="count, sum, mean; percentage, rate, ratio; variance, standard deviation; median, quantile, "
            "smallest, largest, mode; also by usual names, such as average, total, percent, min and max. What is "
            "computed from several numbers is published with them and judged by them. "
            "answers: of randomised ones (`answered`), how many are truly what `of` says, with its error. "
            "winner: the most frequent value of a column, and none of the counts (see also `counts`); model: which of "
            "some `models` of a column its values speak for, likewise; judged by what it tells by itself; beside other "
            "figures about the same people as if the counts were published"
        ),
    ]
    column: Annotated[str | None, Field(description="the column that is summed, averaged or put in order")] = None
    of: Annotated[
        dict[str, ConditionModel] | Text | None,
        Field(
            description="of a percentage, a rate or a ratio: the condition on those who are counted above the line, "
            "among those of `where`; of a percentage also a column of labels: one percentage for each of them"
        ),
    ] = None
    to: Annotated[
        dict[str, ConditionModel] | Text | None,
        Field(
            description="of a ratio: what stands below the line, a condition on those who are counted or a column that "
            "is summed"
        ),
    ] = None
    per: Annotated[Number | None, Field(description="of a rate: for how many people it is; 1000 if not said")] = None
    at: Annotated[
        Number | None,
        Field(
            description="of a quantile: 0.9 is the least value that nine in ten do not exceed; of a median 0.5; of "
            "counts that are only compared, 0 for the smallest and 1 for the largest"
        ),
    ] = None
    weight: Annotated[
        str | None,
        Field(
            description="of a count, sum, mean, percentage, rate or ratio: a public column of numbers that everybody "
            "counts with; published with, and judged by, the numbers of each weight"
        ),
    ] = None
    missing: Annotated[
        Literal["leave out of this figure"] | None,
        Field(
            description="of a sum or a mean of a column whose missing values are a value: `leave out of this figure`; "
            "how many are left is confidential then, so a mean becomes the sum and the number, judged together"
        ),
    ] = None
    where: Annotated[
        dict[str, ConditionModel] | Text,
        Field(
            description="conditions on columns, all of which must hold; or a text such as `age between 18 and 65 and "
            "not (region = north or region = south)`: columns, = != < <= > >=, in, between, and, or, not"
        ),
    ] = {}
    by: Annotated[
        str | list[str],
        Field(
            description="columns of labels: one number for each combination of their values; of confidential ones, all "
            "counts (or sums) of their values, judged together"
        ),
    ] = []
    leave_out: Annotated[
        list[dict[str, LabelModel]],
        Field(
            description="cells of `by` that are not published, and are marked as left out: `[{region: north, age: "
            "old}]`; a column that is not named means all its values. Which ones must not depend on what is in them"
        ),
    ] = []
    truncate: Annotated[
        tuple[Number, Number] | None,
        Field(
            description="of a sum or a mean: [low, high], both multiples of the unit; every value below low is added "
            "up as low, every value above high as high, so that the figure is a truncated one and says so"
        ),
    ] = None
    round: Annotated[
        int | None,
        BeforeValidator(_no_truth_value),
        Field(description="publish the nearest multiple of this many units (of a mean: of its total)"),
    ] = None
    noise: Annotated[NoiseModel | None, Field(description="publish with noise")] = None
    compare: Annotated[
        int | None,
        BeforeValidator(_no_truth_value),
        Field(
            description="of a count: it is not published, but one of so many of which a computed figure of the kind "
            "winner names the largest; `kind: winner` is written out as these. With `at`, of which one of the kind "
            "place names the value at that place of all records in order"
        ),
    ] = None
    counts: Annotated[
        Literal["hidden"] | None,
        Field(
            description="of a median, a quantile, the smallest and the largest: `hidden` publishes the value and none "
            "of the counts that it is found from; judged by what it tells by itself, exactly where people have one law "
            "and nobody is known; beside other figures about the same people as if the counts were published. With "
            "`noise: {geometric: 2}` the value is moved among those of the column (to the first or the last where it "
            "would go beyond), which is judged by how far a record could move it, as the belief has it"
        ),
    ] = None
    hide: Annotated[
        HideModel | None,
        Field(
            description="of a count: publish that it is small instead of it, `{below: 10, zeros: hidden}`. That it is "
            "hidden tells something too, and is judged; beside other figures about the same people it is judged as if "
            "it was shown, since they may tell what it is. Without noise or rounding"
        ),
    ] = None
    choose: Annotated[
        list[Number] | None,
        Field(
            description="of a count: publish only which of these rates (above 0 and below 1) is the likeliest, `[0.1, "
            "0.2]`; the first of several that are as likely. Judged by where the choice is about to change; beside "
            "other figures about the same people as if the count was shown. Without noise or rounding"
        ),
    ] = None
    models: Annotated[
        list[dict[LabelModel, Any] | list[Number]] | None,
        Field(
            description="of a model: what the values may follow, `[{flu: 0.2, none: rest}, {flu: 0.3, none: rest}]`, "
            "each like the probabilities of a belief, all above 0; named is the one under which the values are the "
            "likeliest, the first of several: `model 1`. Of a count with `compare`, the chances of the values in order"
        ),
    ] = None
    earned: Annotated[
        EarnedModel | None,
        Field(
            description="of a count: exact with some chance where about as many are counted as expected, and noisy "
            "otherwise, `{chance: 0.25, epsilon: 0.5}`; the table says which it is. That it is exact tells something "
            "too, and is judged; beside other figures about the same people it is judged as if it was always exact. "
            "Without other noise or rounding"
        ),
    ] = None


class ComputedModel(_Model):
    """A figure that is computed from others of the same specification, by their names, cell by cell. Kinds such as
    percentage and median are written out as this.
    """

    name: Annotated[Text, Field(description="name in the output")]
    kind: Annotated[
        Literal[
            "total",
            "quotient",
            "variance",
            "standard deviation",
            "quantile",
            "smallest",
            "largest",
            "mode",
            "winner",
            "place",
            "model",
        ],
        Field(
            description="total: the sum of `parts`; quotient: that over the sum of `over`; variance, standard "
            "deviation: of a sum, a sum of squares and (`over`) a count, or of counts; winner: of counts that are only "
            "compared; model: likewise, with the chances of `values` under each model as `weights`; the others: of "
            "counts"
        ),
    ]
    parts: Annotated[list[Text], Field(min_length=1, description="names of figures that are split alike")]
    over: Annotated[
        list[Text], Field(description="names of figures; if there are none, the number of people, where it is public")
    ] = []
    weights: Annotated[
        list[Number],
        Field(
            description="of a total or a quotient: what each part is multiplied by; of a model: the chances of "
            "`values` under the first, then under the second, and so on"
        ),
    ] = []
    times: Annotated[Number, Field(description="of a quotient: what it is multiplied by; 100 for per cent")] = 1
    at: Annotated[Number, Field(description="of a quantile: 0.9 is the least value that nine in ten do not exceed")] = (
        "0.5"
    )
    values: Annotated[list[LabelModel], Field(description="of counts: the value that each part counts, in order")] = []


class SizesModel(_Model):
    """How many persons are in each group at least, as anybody may know: a round number below the true one. Needed
    where presence is secret, since then it is not read from the data; it is printed in the report.
    """

    by: Annotated[str | list[str], Field(description="public columns")] = []
    cells: Annotated[
        Any, Field(description="a number, or a number for each value of the public column (nested for several)")
    ]


class EditionModel(_Model):
    """Which state of the table the figures are about. Rows stay in the table; a public column says since when each is
    in it, so that earlier editions are filters of today's table and can be judged together with this one.
    """

    now: Annotated[
        LabelModel, Field(description="this edition: a value of the column `since`, or (without columns) just a name")
    ]
    since: Annotated[
        str | None,
        Field(
            description="public column: the first edition that a row is in; numeric, or labels listed in their order"
        ),
    ] = None
    until: Annotated[
        str | None,
        Field(description="public column: the last edition that a row is in; its largest value for rows still there"),
    ] = None
    before: Annotated[
        dict[str, LabelModel],
        Field(description="editions of earlier releases that named none, `{R1: 1}`: checked against their persons"),
    ] = {}


class SeriesModel(_Model):
    """A table that comes out again and again: what hides people from one edition to the next. From one edition to the
    next each value is drawn anew from its belief with the stated probability, and otherwise stays.
    """

    editions: Annotated[int, BeforeValidator(_no_truth_value), Field(description="how many editions are announced")]
    changes: Annotated[
        dict[str, Number | tuple[Number, Number]],
        Field(
            description="for each confidential column that changes: how likely a value is drawn anew from one edition "
            "to the next, 0.01; or the least and the largest that this may be, [0.005, 0.02]. Others stay for ever"
        ),
    ] = {}
    joins: Annotated[
        Number, Field(description="for looking ahead: which share of the people joins from one edition to the next")
    ] = 0
    leaves: Annotated[
        Number, Field(description="for looking ahead: which share of the people leaves from one edition to the next")
    ] = 0
    source: Annotated[Text, Field(description="where these numbers come from")]


class SpecModel(_Model):
    """A release: which data, what is public and what is not, who attacks, what is to be published."""

    data: Annotated[
        Text | None,
        Field(
            description="the table: a CSV or Parquet file, a folder of Parquet files or a DuckDB file, relative to "
            "this file; or `postgresql://user@host/database`, `spark://host:port`, `local[2]`"
        ),
    ] = None
    table: Annotated[
        Text | None,
        Field(
            description="where `data` is a database: the table in it, `people` or `schema.people`; in Spark also a path"
        ),
    ] = None
    person: Annotated[
        str,
        Field(
            description="the column that names the person: the unit of protection; or `each row`, where no column does "
            "and every row is a person of its own, which is an assumption then"
        ),
    ]
    rows: Annotated[
        dict[str, ColumnModel],
        Field(description="where a person has several rows: columns of a row that `per_person` reads, with domains"),
    ] = {}
    per_person: Annotated[
        dict[str, RecordModel],
        Field(
            description="where a person has several rows: confidential columns of the one record that is made of them; "
            "all other columns must say the same in all rows of a person"
        ),
    ] = {}
    public: Annotated[
        dict[str, ColumnModel], Field(description="columns that anybody may know, with their domains")
    ] = {}
    confidential: Annotated[dict[str, ColumnModel], Field(description="columns to protect, with their domains")] = {}
    beliefs: Annotated[
        dict[str, BeliefModel],
        BeforeValidator(beliefs_by_name),
        Field(
            description="for each confidential column that a figure uses; or a list of beliefs, each with its "
            "`columns`. Columns that no belief has together are taken to be independent, which is printed"
        ),
    ] = {}
    attacker: Annotated[AttackerModel, Field(description="who attacks, and what they know")]
    secret: Annotated[
        Literal["value", "presence"] | SecretModel,
        Field(
            description="value: what a record says; presence: that, and also whether it is there; or what of some "
            "columns is secret"
        ),
    ] = "value"
    sizes: Annotated[SizesModel | None, Field(description="sizes of the groups, where presence is secret")] = None
    sample: Annotated[
        SampleModel | None,
        Field(description="how the table was drawn, if that nobody knows who was drawn is to hide people"),
    ] = None
    population: Annotated[
        Literal["everybody", "sample"],
        Field(
            description="everybody: who is in the table is taken as known, and `attacker` and `beliefs` are about "
            "them; sample: that nobody knows who was drawn is to hide people: then say under `sample` how they were"
        ),
    ] = "everybody"
    together: Annotated[
        Literal["nobody", "households", "visits", "owners", "others"] | TogetherModel,
        Field(
            description="which rows say something about each other: nobody's; those with one value of a column, and "
            "how much of each is its own. Only that they do (`households`, `visits`, `owners`, `others`) is refused"
        ),
    ] = "nobody"
    target: Annotated[TargetModel, Field(description="how much the figures may reveal: epsilon and delta")]
    promise: Annotated[
        Literal["noiseless", "Pufferfish", "distributional", "coupled worlds", "semantic", "differential"] | None,
        Field(
            description="the definition that must follow from what is certified, with the numbers of the target; else "
            "it is for review. By default none is asked for, and the report says which one it is. noiseless: any two "
            "values of a record, for the stated attacker; Pufferfish: what is secret, for the stated attackers; "
            "distributional, coupled worlds: against the figures of a simulator that draws the record anew from the "
            "belief; differential: whatever anybody knows and believes, so that only noise counts; semantic: no "
            "record shifts any belief by much, as differential privacy with the target's numbers implies"
        ),
    ] = None
    policy: Annotated[
        Text | None, Field(description="YAML file, relative to this file, of what the organisation demands")
    ] = None
    within: Annotated[
        dict[str, str],
        Field(
            description="public columns whose values lie within those of a wider one: `{municipality: county, county: "
            "region}`; `dalenius plan` merges cells along it"
        ),
    ] = {}
    figures: Annotated[list[FigureModel], Field(min_length=1, description="what is to be published")]
    computed: Annotated[
        list[ComputedModel], Field(description="figures that are computed from those, and published beside them")
    ] = []
    published: Annotated[
        list[FigureModel], Field(description="what is already out about the same records, from elsewhere")
    ] = []
    dataset: Annotated[
        Text | None,
        Field(
            description="name of the people in the ledger: releases of the same name are judged together; by default "
            "that of the file or of the table in a database, `data` for a table in memory"
        ),
    ] = None
    edition: Annotated[
        EditionModel | None, Field(description="which state of the table this is, if it changes over time")
    ] = None
    series: Annotated[
        SeriesModel | None, Field(description="how a table changes that comes out in editions; with `edition`")
    ] = None
    ledger: Annotated[
        Text | None,
        Field(
            description="where releases are recorded: a SQLite file, relative to this file (by default "
            "dalenius-ledger.sqlite), or postgresql+psycopg://user@host/database"
        ),
    ] = None
