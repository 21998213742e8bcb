"""An organisation's policy: what every release has to keep to, in a file of its own.

Keys of ACRO's risk appetite (its default.yaml) are read too, so that one file serves both. `safe_threshold` means the
same here: so many people behind every published number, as far as everybody may know them. The other keys concern
outputs that dalenius does not release, or rules that look at confidential values, on which no decision here depends;
they are accepted and listed as not used.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from dalenius.basics.errors import InputError, SpecError
from dalenius.basics.inputs import read_bytes
from dalenius.basics.limits import LARGEST_TEXT
from dalenius.desk.spec.complaints import complaints
from dalenius.desk.spec.load import load_keys
from dalenius.desk.spec.model import Number, Text
from dalenius.enclosure.formats import apart
from dalenius.facts.records import Column, exact
from dalenius.plan import Question
from dalenius.plan.finding import entry_sizes
from dalenius.record.ledger import ReviewRule
from dalenius.tables.figures import Figure
from dalenius.tables.history import atoms_of


def _whole(given: object) -> object:
    if isinstance(given, bool):
        raise ValueError("a whole number")  # noqa: TRY004 - what pydantic wants
    return given


Whole = Annotated[int, BeforeValidator(_whole), Field(ge=0)]
SHOWN = 3


class ReviewModel(BaseModel):
    """Who may decide what dalenius leaves to persons, and whether at all."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    by: Annotated[
        tuple[Text, ...],
        Field(
            description="the user names of those who may approve or reject; nobody decides about "
            "what they submitted themselves"
        ),
    ] = ()
    signatures: Annotated[Whole, Field(ge=1, le=9, description="how many must agree; blind until all are in")] = 1
    releases: Annotated[
        Literal["uncertified", "all"],
        Field(description="which releases need an approval: `all`, or only those that dalenius does not certify"),
    ] = "uncertified"
    overrule: Annotated[
        Literal["nothing", "review", "fail"],
        Field(
            description="which verdicts persons may overrule: `nothing`, `review` (neither certified nor refused), or "
            "`fail`, too"
        ),
    ] = "nothing"

    def rule(self) -> ReviewRule:
        """The same, as the ledger keeps it."""
        return ReviewRule(tuple(map(str, self.by)), self.signatures, self.releases == "all", self.overrule)


class Policy(BaseModel):
    """What an organisation demands of every release; what a specification leaves out is taken from here.

    >>> import dalenius as dl
    >>> dl.Policy(name="the office", safe_threshold=10).demands
    ['at least 10 people behind every published number']
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[Text, Field(description="how the report and the certificate call the policy")] = "the policy"
    epsilon: Annotated[Number | None, Field(description="the largest epsilon, and the default")] = None
    delta: Annotated[Number | None, Field(description="the largest delta, and the default")] = None
    known: Annotated[
        Number | None,
        Field(description="the least share of records that an attacker is taken to know, and the default"),
    ] = None
    safe_threshold: Annotated[
        Whole | None, Field(description="ACRO's: the least number of people behind every published number")
    ] = None
    check_missing_values: Annotated[
        bool | None, Field(description="ACRO's: if true, no column may be declared with `missing: as a value`")
    ] = None
    public: Annotated[
        tuple[Text, ...] | None,
        Field(
            description="the only columns that anybody may call public: their values are listed, and how many people "
            "have each is told; by default any, which leaves it to whoever writes specifications"
        ),
    ] = None
    review: Annotated[
        ReviewModel | None, Field(description="who may approve what dalenius does not certify, and whether at all")
    ] = None
    safe_dof_threshold: Annotated[Any, Field(description="ACRO's, for regressions: not used")] = None
    safe_nk_n: Annotated[
        Any, Field(description="ACRO's, dominance: not used, the target covers one person's share")
    ] = None
    safe_nk_k: Annotated[Any, Field(description="ACRO's, dominance: not used")] = None
    safe_pratio_p: Annotated[Any, Field(description="ACRO's, p-ratio: not used")] = None
    survival_safe_threshold: Annotated[Any, Field(description="ACRO's, for survival tables: not used")] = None
    zeros_are_disclosive: Annotated[Any, Field(description="ACRO's: not used, zeros are judged like other counts")] = (
        None
    )
    safe_round_base: Annotated[Any, Field(description="ACRO's, a base for rounding: not used")] = None
    federated: Annotated[Any, Field(description="ACRO's: not used")] = None
    blocked_extensions: Annotated[Any, Field(description="ACRO's: not used")] = None
    _sha256: str | None = None  # of the file, if it came from one

    def target(self) -> dict[str, str]:
        """ε and δ, where both are given: the default of a specification."""
        return (
            {}
            if self.epsilon is None or self.delta is None
            else {"epsilon": str(self.epsilon), "delta": str(self.delta)}
        )

    @property
    def unused(self) -> list[str]:
        """Keys that are given but do nothing here."""
        dead = [key for key, field in type(self).model_fields.items() if "not used" in (field.description or "")]
        return [key for key in dead if getattr(self, key) is not None]

    @property
    def demands(self) -> list[str]:
        """What it asks for, one line each."""
        lines = [
            (self.epsilon, f"epsilon at most {self.epsilon}"),
            (self.delta, f"delta at most {self.delta}"),
            (self.known, f"an attacker who knows at least {self.known} of the records, wherever they hurt most"),
            (self.safe_threshold, f"at least {self.safe_threshold} people behind every published number"),
            (self.public, f"that only these columns are public: {', '.join(map(str, self.public or ())) or 'none'}"),
            (self.review, "" if self.review is None else _review_words(self.review.rule())),
        ]
        return [line for value, line in lines if value is not None]

    def json(self) -> dict[str, Any]:  # type: ignore[override] # pydantic's own is deprecated
        """For the certificate."""
        return {"name": self.name, "demands": self.demands, "not_used": self.unused}

    def limits(self) -> dict[str, Any]:
        """For a certificate: what can be seen to be kept to."""
        return {
            "name": self.name,
            "sha256": self._sha256,
            "epsilon": None if self.epsilon is None else str(exact(self.epsilon, name="epsilon")),
            "delta": None if self.delta is None else str(exact(self.delta, name="delta")),
            "known": None if self.known is None else str(_share(self.known)),
            "safe_threshold": self.safe_threshold,
        }

    def filled(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """The keys of a specification, with what they leave out."""
        filled = dict(keys)
        target = filled.get("target")
        if target is None or isinstance(target, Mapping):
            mine = {"epsilon": self.epsilon, "delta": self.delta}
            whole = {**{key: value for key, value in mine.items() if value is not None}, **(target or {})}
            filled |= {"target": whole} if whole else {}
        attacker = filled.get("attacker")
        if self.known is not None and (attacker is None or (isinstance(attacker, Mapping) and "knows" not in attacker)):
            filled["attacker"] = {"knows": str(self.known), "source": self.name, **(attacker or {})}
        return filled

    def check(
        self, figures: Sequence[Figure], question: Question, public: Mapping[str, Column] = MappingProxyType({})
    ) -> None:
        """SpecError that lists every demand which the question does not meet."""
        columns = {**public, **question.columns}
        wrong = [*self._targets(question), *self._attacker(question), *self._cells(figures, question)]
        wrong += self._missing(columns)
        if wrong:
            raise SpecError("\n".join(f"{self.name} {line}" for line in wrong))

    def check_public(self, names: Iterable[str]) -> None:
        """SpecError if a column is called public that may not be; before anything of it is read."""
        if self.public is None:
            return
        wrong = [name for name in names if name not in self.public]
        if wrong:
            allowed = ", ".join(map(str, self.public)) or "no column"
            raise SpecError(
                f"{self.name} demands that nothing but {allowed} is called public, but {', '.join(wrong[:SHOWN])} is. "
                "Declare it confidential, leave it out, or ask whoever wrote the policy."
            )

    def _targets(self, question: Question) -> Iterator[str]:
        for key, largest, asked in (
            ("epsilon", self.epsilon, question.target.epsilon),
            ("delta", self.delta, question.target.delta),
        ):
            if largest is not None and asked > exact(largest, name=key):
                came = f"the specification asks for {apart(asked, exact(largest, name=key))}"
                yield f"demands target.{key} of at most {largest}, but {came}. Lower it."

    def _missing(self, columns: Mapping[str, Column]) -> Iterator[str]:
        for name, column in columns.items() if self.check_missing_values else ():
            if column.missing is not None:
                yield (
                    f"demands that nothing is missing, but {name} is declared with `missing: as a value`. Fill the "
                    "values in, or leave those persons out of the table."
                )

    def _attacker(self, question: Question) -> Iterator[str]:
        if self.known is None:
            return
        share, size = _share(self.known), question.frame.size
        given, attacker = question.attacker.known, question.attacker
        less = given < ceil(share * size) if isinstance(given, int) else exact(given, name="knows") < share
        told = f"{given} of them"
        if not isinstance(given, int):
            told = f"{apart(100 * exact(given, name='knows'), 100 * share)} %"
        if less:
            yield (
                f"demands an attacker who knows at least {self.known} of the records ({ceil(share * size)} of {size}), "
                f"but the specification says {told}. Raise attacker.knows."
            )
        if attacker.in_every_group and share:
            said = "the specification says in_every_group: true"
            yield f"demands that the known records may lie anywhere, but {said}. Remove it."

    def _cells(self, figures: Sequence[Figure], question: Question) -> Iterator[str]:
        least = self.safe_threshold or 0
        atoms = atoms_of(figures, question.frame, question.columns)
        small = [(n, str(entry)) for entry, n in entry_sizes(atoms).items() if n < least]
        for n, entry in sorted(small)[:SHOWN]:
            demand = f"demands at least {least} people behind every published number"
            yield f"{demand}, but {entry} has {n}. Merge it with another, or leave it out."
        if len(small) > SHOWN:
            yield f"demands that of {len(small) - SHOWN} more numbers."


def review_rule(policies: Sequence[Policy]) -> ReviewRule:
    """What all of these policies demand of persons who decide; without any, persons overrule nothing."""
    rules = [policy.review.rule() for policy in policies if policy.review is not None]
    return reduce(ReviewRule.and_also, rules, rules[0]) if rules else ReviewRule()


def _review_words(rule: ReviewRule) -> str:
    who = f"of {', '.join(rule.by)}" if rule.by else "who did not submit it"
    many = "one person" if rule.signatures == 1 else f"{rule.signatures} persons"
    what = "of every release" if rule.everything else "of a release that is not certified"
    over = {"nothing": "", "review": ", who may overrule a review", "fail": ", who may overrule any verdict"}
    return f"approval by {many} {who}, {what}{over[rule.overrule]}"


def _share(known: object) -> Fraction:
    told = str(known).strip()
    return exact(told.rstrip("% "), name="known") / (100 if told.endswith("%") else 1)


def load_policy(path: Path) -> Policy:
    """Read a policy file; a name that it does not give itself is the file's.

    >>> import pathlib, tempfile
    >>> import dalenius as dl
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "policy.yaml"
    >>> _ = path.write_text("epsilon: 0.5")
    >>> dl.load_policy(path).demands
    ['epsilon at most 0.5']
    """
    found = policy_of({"name": f"the policy {path.name}", **load_keys(path, "policy")}, str(path))
    found._sha256 = hashlib.sha256(read_bytes(path, LARGEST_TEXT, "the policy", error=SpecError)).hexdigest()
    return found


def policy_of(keys: Mapping[str, Any], what: str = "The policy") -> Policy:
    """Check the keys of a policy."""
    try:
        found = Policy.model_validate(keys)
    except ValidationError as error:
        raise SpecError("\n".join(f"{what}: {line}" for line in complaints(Policy, error.errors()))) from None
    try:
        for key, given, most in (("epsilon", found.epsilon, 100), ("delta", found.delta, 1)):
            if given is not None and not 0 <= exact(given, name=f"{what}: {key}") <= most:
                raise SpecError(f"{what}: {key} needs a number from 0 to {most}, but got {given}. Correct it.")
        if found.known is not None and not 0 <= _share(found.known) < 1:
            raise SpecError(
                f"{what}: known needs a share of at least 0 and below 1, but got {found.known}. Write 0.05."
            )
    except InputError as error:
        raise SpecError(str(error)) from None
    return found
