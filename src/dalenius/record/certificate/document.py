r"""The keys of certificate.json, as pydantic models: its JSON Schema is generated from here, and so is every complaint.

All numbers are whole ones, or exact ones in text: a fraction ("1/20") or decimals ("2.5e-7"). There are no floats, so
that a bound stays a bound whoever reads it. In Python's patterns $ is also before a last line break: (?!\n) says no.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from dalenius.mechanisms.registry import ROWS

SCHEMA = "dalenius/certificate/5"
OLDER = "dalenius/certificate/4"  # it differs in what presence meant: each value against absence, not against others
ONE = r"-?[0-9]{1,2000}(/0{0,1000}[1-9][0-9]{0,1999}|(\.[0-9]{1,2000})?(e-?[0-9]{1,3})?)"
NUMBER = rf"^{ONE}(?!\n)$"

Exact = Annotated[str, StringConstraints(pattern=NUMBER)]
Three = Annotated[str, StringConstraints(pattern=rf"^{ONE} {ONE} {ONE}(?!\n)$")]
Two = Annotated[str, StringConstraints(pattern=rf"^{ONE} {ONE}(?!\n)$")]
Rates = Annotated[str, StringConstraints(pattern=rf"^{ONE}( {ONE}){{1,19}}(?!\n)$")]
Models = Annotated[str, StringConstraints(pattern=rf"^{ONE}( {ONE}){{4,4000}}(?!\n)$")]
PLAIN = tuple(name for name, row in ROWS.items() if row.numbers is None)
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}(?!\n)$")]
Many = Annotated[int, Field(ge=0)]  # a number of persons, or a place in a list counted from 0
Vector = Annotated[list[int], Field(min_length=1)]
Run = tuple[Vector, Vector, Annotated[int, Field(ge=1)]]  # first vector, step, how many
Masses = tuple[Vector, Vector, Annotated[int, Field(ge=1)], Exact]  # and the probability of each of them


Change = tuple[Annotated[int, Field(ge=1)], Many, Annotated[int, Field(ge=1)]]  # first, step, how many
Record = tuple[Many, Many]
MoveRow = tuple[Annotated[int, Field(ge=1)], list[Record], list[Record]]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, regex_engine="python-re")


class ClaimModel(_Strict):
    """What is claimed, of all events and for every pair of facts about a person."""

    definition: Annotated[Literal["noiseless privacy"], Field(description="under which definition")]
    events: Annotated[Literal["all events"], Field(description="of which events the inequality holds")]
    evidence: Annotated[Literal["computed"], Field(description="computed: bounds with all errors charged")]
    epsilon: Annotated[Exact, Field(description="odds move by a factor of at most exp(epsilon), but for delta")]
    delta_wanted: Annotated[Exact, Field(description="the delta that was asked for")]
    delta_at_most: Annotated[Exact, Field(description="the delta that holds: the largest of all groups")]


class CertifiedAttacker(_Strict):
    """Who is guarded against."""

    knows: Annotated[Exact, Field(description="below 1: the share of all records that is known; else how many are")]
    in_every_group: Annotated[bool, Field(description="whether the share holds in each published number as well")]
    source: Annotated[str, Field(description="declared: why that many")]
    largest_known: Annotated[
        Many | None, Field(description="γ*: how many may be known, wherever they are, such that the claim still holds")
    ]


class PeopleModel(_Strict):
    """How many records there are."""

    all: Annotated[Many, Field(description="all records")]
    in_no_figure: Annotated[Many, Field(description="those that no figure covers")]


class CertifiedBelief(_Strict):
    """Where the probabilities of one confidential column, or of several that move together, come from; `laws` has what
    follows from them.
    """

    column: str
    by: list[str]
    source: Annotated[str, Field(description="declared")]
    confidence: Annotated[Exact | None, Field(description="declared: that of the ends, if they come from counts")]
    differ: Annotated[str, Field(description="declared: how people may differ from the stated probabilities")]
    beside: Annotated[
        list[str], Field(description="further columns that the probabilities are about: none is independent of another")
    ] = []
    scenarios: Annotated[
        int, Field(ge=1, le=64, description="of how many stated laws everybody follows the same one, whichever it is")
    ] = 1
    answered: Annotated[
        Exact | None, Field(description="of randomised answers: the chance with which a coin kept each of them")
    ] = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column, *self.beside)


class CertifiedFigure(_Strict):
    """One figure: declared in words, and what the numbers need to know of it."""

    name: str
    kind: Literal["count", "sum", "mean"]
    column: str | None
    confidential: Annotated[
        list[str],
        Field(description="the confidential columns that it depends on; none exactly if every record adds the same"),
    ]
    where: Annotated[str, Field(description="declared: which records are taken")]
    by: list[str]
    already_out: Annotated[bool, Field(description="whether it was published before, and is judged with the new ones")]
    unit: Annotated[Exact, Field(description="what one step of the vectors in `laws` is worth")]
    least: Annotated[Exact | None, Field(description="the least that one record adds, in the figure's own numbers")]
    most: Annotated[Exact | None, Field(description="the most; both are null if the figure covers nobody")]
    channel: Annotated[
        list[
            tuple[Literal[PLAIN], Exact]  # type: ignore[valid-type]  # one row each
            | tuple[Literal["earned"], Three]
            | tuple[Literal["order"], Two]
            | tuple[Literal["moved"], Three]
            | tuple[Literal["choose"], Rates]
            | tuple[Literal["model"], Models]
        ],
        Field(
            description="what happens to the total, in steps: noise with its scale, rounding with its base; a count "
            "that is exact where that is earned with the two shares between which it may be, and the scale of its "
            "noise; a count that is not published with how many others it is compared, and at which place in order a "
            "value is named, with the scale of the noise that moves it, if any does, or with the chances of the values "
            "under each model of which the likeliest is told; the rates of which the likeliest is told"
        ),
    ]
    truncated: Annotated[
        tuple[Exact, Exact] | None,
        Field(
            description="only where values are truncated before they are added up: those below the first number count "
            "as that, those above the second as the second"
        ),
    ] = None
    left_out: Annotated[
        list[list[str]] | None,
        Field(description="only where cells are left out: those, by the columns that the figure is split by"),
    ] = None


class CertifiedComputed(_Strict):
    """A figure that is computed from new ones, and published with them: it tells nothing beyond them."""

    name: str
    kind: Literal[
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
    ]
    parts: Annotated[list[str], Field(min_length=1, description="names of figures")]
    over: Annotated[list[str], Field(description="names of figures by which it is divided; none: by people")]
    weights: Annotated[
        list[Exact],
        Field(description="what each part is multiplied by, if not by 1; of a model the chances of the values"),
    ]
    times: Annotated[Exact, Field(description="what a quotient is multiplied by")]
    at: Annotated[Exact, Field(description="the share of all that does not exceed a quantile")]
    values: Annotated[list[str], Field(description="of counts: the value that each part counts, in order")]


class ScenarioLaws(_Strict):
    """The laws of one further scenario, as those of a part."""

    types: Annotated[list[tuple[Many, Many]], Field(description="[which of `laws`, how many persons have it], ...")]
    least: Annotated[list[tuple[Many, Many]] | None, Field(description="likewise")] = None


class PartModel(_Strict):
    """What records add to some figures of a group; different parts are independent."""

    figures: Annotated[list[Many], Field(min_length=1, description="one coordinate each, in this order")]
    domain: Annotated[Many, Field(description="which of `domains`: all vectors that a record may add")]
    types: Annotated[list[tuple[Many, Many]], Field(description="[which of `laws`, how many persons have it], ...")]
    least: Annotated[
        list[tuple[Many, Many]] | None,
        Field(description="masses that no probability is below, where laws are only estimated; likewise"),
    ]
    changes: Annotated[
        list[Change] | None,
        Field(
            description="only where not any two facts are compared: by how many steps of the first figure that is not "
            "the same for all they differ, runs [first, step, how many]; nothing else is told of these figures"
        ),
    ] = None
    answered: Annotated[
        Exact | None,
        Field(
            description="only of randomised answers: the chance with which a coin kept each, else the opposite; "
            "laws are those of the answers that came out, and what is hidden are the true ones"
        ),
    ] = None
    believed: Annotated[
        list[Many] | None,
        Field(
            description="only where something is believed of all records at once: which of `believed`, of a sample one "
            "for each stratum; nothing is said of the law of one record then"
        ),
    ] = None
    also: Annotated[
        list[ScenarioLaws],
        Field(description="only where there are several scenarios: the laws of each further one, in the same order"),
    ] = []


class BelievedModel(_Strict):
    """What is believed of all the records of a group at once: what they add to one number. By its form:

    - sample without replacement: `members` of the population by what they add, [what, how many], of whom `drawn` are in
      the table; `facts`: what a person may add; `taking_part`: known (that the target was drawn, not what they add), or
      secret (both);
    - chain: the states of the first record have the chances `start`, those after each state the chances `moves`; `adds`
      for each state; `known_at`: the places whose records are known, if it is stated which;
    - one law that nobody knows: `laws` [weight, the chance of each value], all records follow the same one;
    - one law or another: of `laws` the one [weight, the chance of each value] has at least that weight, and all records
      follow it or the same one of any other;
    - range and variance: independent records within `bounds`, each of at least that `variance`, in steps.
    """

    form: Literal[
        "sample without replacement", "chain", "one law that nobody knows", "one law or another", "range and variance"
    ]
    people: Annotated[int, Field(ge=1)] | None = None
    members: list[tuple[int, Many]] | None = None
    facts: list[int] | None = None
    drawn: Annotated[int, Field(ge=1)] | None = None
    taking_part: Literal["known", "secret"] | None = None
    start: list[Exact] | None = None
    moves: list[list[Exact]] | None = None
    adds: list[int] | None = None
    known_at: list[Annotated[int, Field(ge=1)]] | None = None
    laws: list[tuple[Exact, list[Exact]]] | None = None
    bounds: tuple[Exact, Exact] | None = None
    variance: Exact | None = None

    @property
    def size(self) -> int:
        """How many records it is about: of a sample the members of the population."""
        if self.members is not None:
            return sum(count for _, count in self.members)
        return self.people or 0


class CertifiedSample(_Strict):
    """How people were drawn, if that hides them: people are the members of the population then."""

    design: Annotated[
        Literal["simple", "independent"],
        Field(description="simple: a public number of each stratum; independent: every member by a coin of their own"),
    ]
    by: Annotated[list[str], Field(description="the strata: public columns")]
    source: Annotated[str, Field(description="declared")]


class EvidenceModel(_Strict):
    """How the bound was found."""

    method: Annotated[
        str,
        Field(
            description='"atom": by the joint law of all numbers that cover the group; "moves": by records of others; '
            '"apart": by the people in the same numbers of each topic, and noise beside exact figures; "rounded": by '
            "the joint law of all numbers, those rounded that cover nobody else; "
            '"series": over several editions, by who came, who left and who changed'
        ),
    ]


class KindModel(_Strict):
    """A kind of group, judged once: people who are in exactly the same published numbers."""

    figures: Annotated[list[Many], Field(min_length=1, description="which figures cover them")]
    parts: list[PartModel]
    people: Many
    known: Annotated[Many, Field(description="how many of them the attacker knows")]
    alone: Annotated[
        bool, Field(description="whether what is published of them covers nobody else, so that rounding counts")
    ]
    delta: Annotated[tuple[Exact, Exact], Field(description="[at least, at most], rounded outwards")]
    evidence: EvidenceModel


class LegModel(_Strict):
    """One part of a person's change: each of these records can make it, along with the change or against it."""

    rate: Annotated[Exact, Field(description="of the coins at the upper end of the change")]
    against: Annotated[bool, Field(description="whether the records change by the opposite of `change`")]
    records: Annotated[
        list[tuple[Annotated[int, Field(ge=1)], Many, Many]],
        Field(
            min_length=1, description="[how many, which group, which of the laws of its part that changes], each once"
        ),
    ]


class WayModel(_Strict):
    """How one change of a person hides: what records that move along change by, and the moves; or in parts, which add
    up to the change and are hidden one by one.
    """

    change: Annotated[list[tuple[Many, int]], Field(min_length=1, description="[which figure, by how many steps], ...")]
    rate: Annotated[Exact | None, Field(description="of the coins of which the moves are made")] = None
    packing: Annotated[Many | None, Field(description="which of the group's `packings`")] = None
    legs: Annotated[list[LegModel] | None, Field(description="in parts: instead of the moves")] = None
    beside: Annotated[
        list[Annotated[list[LegModel], Field(min_length=1)]] | None,
        Field(min_length=2, description="lists of further parts: with any of these, `legs` add up to the change"),
    ] = None

    @property
    def whole(self) -> bool:
        """Whether it is told by moves or in parts, and not by both."""
        told = (self.rate is not None, self.packing is not None)
        if self.legs is None:
            return told == (True, True) and self.beside is None
        return told == (False, False) and len(self.legs) + min(map(len, self.beside or [[]])) > 1


class MovesModel(_Strict):
    """The moves on which the bound of one group rests: records of other people that change all numbers as one of the
    group does; everybody else of the group itself is a move of one record, and is not listed.
    """

    group: Many
    ways: Annotated[list[WayModel], Field(min_length=1)]
    packings: Annotated[
        list[list[MoveRow]],
        Field(
            description="[how often, records that move along, records that move against]; a record is [group, which of "
            "the laws of its part that changes]; no record is used twice"
        ),
    ]


class StratumModel(_Strict):
    """People who are in the same cells in every edition in which they are there."""

    facts: Annotated[list[list[int]], Field(description="all vectors that a record may add in one edition")]
    steps: Annotated[
        list[tuple[Exact, Exact]],
        Field(description="how likely a value is drawn anew from each edition to the next: [at least, at most]"),
    ]
    laws: Annotated[list[list[tuple[list[int], Exact]]], Field(description="[vector, its probability at least], ...")]
    stays: Annotated[
        list[tuple[Many, Many, Many, Many, Many]],
        Field(description="[first edition, last edition, which law, how many people, how many of them are known], ..."),
    ]
    exact: Annotated[
        Many | None,
        Field(description="only if later editions have noise on every figure: the first so many are hidden by people"),
    ] = None
    noise: Annotated[
        list[tuple[Many, Many]],
        Field(description="the figures of these later editions: [which figure, its place in the vectors], ..."),
    ] = []


class ShownEditions(_Strict):
    """Which edition every figure is of, so that it follows from the groups whom the strata are about."""

    when: Annotated[
        list[str], Field(description="the condition of each edition: the words with which `where` of its figures ends")
    ]
    figures: Annotated[
        list[tuple[Annotated[int, Field(ge=1)], Many] | None],
        Field(
            description="of each figure [which edition, from 1 on, which quantity]; those of one quantity add up the "
            "same, edition by edition; null where no confidential column is used"
        ),
    ]
    quantities: Annotated[
        list[list[Many]], Field(description="of each stratum: which quantity each place of its vectors is")
    ]
    people: Annotated[list[list[Many]], Field(description="of each group: how many people each row in `groups` has")]
    changes: Annotated[
        dict[str, tuple[Exact, Exact]],
        Field(
            description="declared: of each confidential column, how likely a value is drawn anew in one step of the "
            "column of editions: [at least, at most]"
        ),
    ]
    apart: Annotated[list[Many], Field(description="how many such steps there are from each edition to the next")]


class SeriesEvidence(_Strict):
    """What claims over several editions rest on."""

    editions: Many
    topics: Annotated[Many, Field(description="columns that are independent; epsilon and delta are shared equally")]
    strata: list[StratumModel]
    groups: Annotated[
        list[list[list[Many]]], Field(description="of each group, for each of its public tuples, which strata it is in")
    ]
    shown: Annotated[
        ShownEditions | None, Field(description="left out by older versions; then the checker leaves such groups open")
    ] = None


class CertifiedTogether(_Strict):
    """Records that move together. What is hidden is all that the records of one household say; what hides it is one
    member of each other household, of which `least` has its law times the weight, and of all other members nothing.
    """

    column: Annotated[str, Field(description="declared: the column that names the household")]
    weight: Annotated[
        Exact, Field(description="with at least this weight a record follows its law, whatever its household says")
    ]
    source: Annotated[str, Field(description="declared")]
    largest: Annotated[int, Field(ge=1, description="how many records a household has at most")]
    groups: Annotated[
        int,
        Field(
            ge=1,
            description="in how many groups of people a household is at most: each has an equal share of epsilon, and "
            "the deltas are those of so many of them",
        ),
    ]


class PolicyModel(_Strict):
    """What an organisation demands, and the claim keeps to."""

    name: str
    sha256: Annotated[Digest | None, Field(description="of the policy's file, byte by byte")]
    epsilon: Annotated[Exact | None, Field(description="the largest")]
    delta: Annotated[Exact | None, Field(description="the largest")]
    known: Annotated[Exact | None, Field(description="the least share of records that an attacker is taken to know")]
    safe_threshold: Annotated[Many | None, Field(description="the least number of people behind a new number")]


class CertificateModel(_Strict):
    """A claim about published figures, with all that is needed to compute it again, and no confidential value."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        regex_engine="python-re",
        title="dalenius certificate, version 5 (and 4)",
    )

    schema_: Annotated[Literal["dalenius/certificate/4", "dalenius/certificate/5"], Field(alias="schema")]
    software: Annotated[str, Field(description="what wrote it")]
    verdict: Literal["pass"]
    answer: str
    claim: ClaimModel
    secret: Annotated[
        Literal["value", "presence"],
        Field(
            description="value: any two vectors of the domain; presence: any two of them, and any of them and nothing "
            "(in version 4 only any of them and nothing)"
        ),
    ]
    near: Annotated[
        list[str] | None, Field(description="declared: what is secret of some columns, where not all of it is")
    ] = None
    attacker: CertifiedAttacker
    policies: Annotated[list[PolicyModel], Field(description="those that the release was held to")]
    people: PeopleModel
    beliefs: list[CertifiedBelief]
    figures: list[CertifiedFigure]
    computed: Annotated[
        list[CertifiedComputed] | None, Field(description="only where figures are computed from others")
    ] = None
    numbers: Annotated[
        list[tuple[Many, list[bool | int | str]]],
        Field(description="published numbers that cover somebody: [which figure, the values of its `by` columns]"),
    ]
    domains: Annotated[list[list[Run]], Field(description="vectors, as runs [first, step, how many]")]
    laws: Annotated[list[list[Masses]], Field(description="runs [first, step, how many, the probability of each]")]
    kinds: list[KindModel]
    believed: Annotated[
        list[BelievedModel], Field(description="what is believed of all the records of a group at once, if anything is")
    ] = []
    sample: CertifiedSample | None = None
    groups: Annotated[list[tuple[Many, list[Many]]], Field(description="[which kind, which numbers cover it]")]
    moves: Annotated[list[MovesModel], Field(description="of each group whose evidence they are")]
    together: Annotated[
        CertifiedTogether | None,
        Field(description="only where records move together: it is households that are hidden"),
    ] = None
    series: Annotated[
        SeriesEvidence | None, Field(description="where the figures are of several editions, and exact")
    ] = None
    assumes: list[str]
    broken_by: list[str]
    sources: list[str]
    figures_sha256: Annotated[Digest, Field(description="of figures.csv, byte by byte")]
    sha256: Annotated[
        Digest,
        Field(description="of this document without this key: ASCII, keys sorted, no spaces (json.dumps does it)"),
    ]


def json_schema() -> str:
    """The JSON Schema of a certificate, as it is shipped."""
    schema: dict[str, Any] = CertificateModel.model_json_schema(by_alias=True)
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=1) + "\n"
