"""A release as the ledger keeps it: all that a later release must be judged with, and no confidential value beside the
figures that went out.
"""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from types import NoneType
from typing import Any, TypeVar, final

from dalenius.basics.errors import LedgerError
from dalenius.facts.derived import PerPerson
from dalenius.facts.records import Cell, Column
from dalenius.record import codec
from dalenius.record.codec import canonical
from dalenius.record.ledger.edition import Edition
from dalenius.record.ledger.fingerprint import Fingerprint
from dalenius.tables.computed import Computed
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Together
from dalenius.tables.sample import DrawnBy

T = TypeVar("T")

SCHEMA = "dalenius/record/ledger/1"
# The keys that every entry has, and what they are.
KEYS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("dataset", "person", "secret", "folder", "user", "host", "when"), str),
    **dict.fromkeys(("public", "confidential", "beliefs", "figures", "published"), list),
    **dict.fromkeys(("edition", "fingerprint"), (dict, NoneType)),
    "files": dict,
}
# What reading a value of a wrong kind raises.
WRONG = (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


def _fingerprint_json(found: Fingerprint | None) -> codec.Json:
    if found is None:
        return None
    return {"columns": list(found.columns), "method": found.method, "sha256": found.sha256}


def _fingerprint_of(found: codec.Json) -> Fingerprint | None:
    return None if found is None else Fingerprint(tuple(found["columns"]), found["method"], found["sha256"])


@final
@dataclass(frozen=True, slots=True)
class Declared:
    """What a specification says of a release: all but where the table is, what is in it, and what an organisation
    demands.
    """

    dataset: str
    edition: Edition | None
    person: str
    public: Mapping[str, Column]
    confidential: Mapping[str, Column]
    beliefs: tuple[ColumnBelief, ...]
    attacker: Attacker
    secret: str
    target: Mapping[str, Fraction]
    figures: tuple[Figure, ...]
    published: tuple[Figure, ...]
    per_person: PerPerson | None = None
    computed: tuple[Computed, ...] = ()
    together: Together | None = None
    sample: DrawnBy | None = None

    def json(self) -> dict[str, codec.Json]:
        """For the ledger."""
        made = {} if self.per_person is None else {"per_person": codec.derived_json(self.per_person)}
        return {
            **made,
            "dataset": self.dataset,
            "edition": None if self.edition is None else self.edition.json(),
            "person": self.person,
            "public": [[name, codec.column_json(column)] for name, column in self.public.items()],
            "confidential": [[name, codec.column_json(column)] for name, column in self.confidential.items()],
            "beliefs": [codec.belief_json(belief) for belief in self.beliefs],
            "attacker": codec.attacker_json(self.attacker),
            "secret": self.secret,
            "target": {name: str(value) for name, value in self.target.items()},
            "figures": [codec.figure_json(figure) for figure in self.figures],
            "published": [codec.figure_json(figure) for figure in self.published],
            **({"computed": [one.json() for one in self.computed]} if self.computed else {}),
            **({} if self.together is None else {"together": codec.together_json(self.together)}),
            **({} if self.sample is None else {"sample": codec.sample_json(self.sample)}),
        }


@final
@dataclass(frozen=True, slots=True)
class Draft:
    """A release that is about to be recorded; its id is given by the ledger."""

    declared: Declared
    fingerprint: Fingerprint | None
    numbers: tuple[tuple[tuple[Cell, Fraction | None], ...], ...]
    after: str  # the last release of the dataset before it: it was judged with that, and with all before that
    guarantee: Mapping[str, str]
    files: Mapping[str, str]
    folder: str
    user: str
    host: str
    when: str
    software: str
    persons: Fingerprint | None = None  # of the whole table, whatever their public values
    approval: Mapping[str, Any] | None = None  # of the submission that it comes from, if persons decided

    def body(self) -> str:
        """Canonical JSON."""
        found = {
            "schema": SCHEMA,
            **self.declared.json(),
            "fingerprint": _fingerprint_json(self.fingerprint),
            "persons": _fingerprint_json(self.persons),
            "figures": [
                {**codec.figure_json(figure), "numbers": codec.numbers_json(numbers)}
                for figure, numbers in zip(self.declared.figures, self.numbers, strict=True)
            ],
            "after": self.after or None,
            "guarantee": dict(self.guarantee),
            "files": dict(self.files),
            "folder": self.folder,
            "user": self.user,
            "host": self.host,
            "when": self.when,
            "software": self.software,
            **({} if self.approval is None else {"approval": dict(self.approval)}),
        }
        return canonical(found)


@final
@dataclass(frozen=True, slots=True)
class Recorded:
    """A release in the ledger, with what a later one needs of it; `body` has everything."""

    id: str
    number: int
    hash: str
    body: Mapping[str, Any]

    @classmethod
    def of(cls, release: str, number: int, seal: str, body: str) -> "Recorded":
        """Read the body of an entry; LedgerError if it is of a kind that this dalenius does not know."""
        found = None
        if isinstance(body, str):
            with suppress(ValueError, RecursionError):
                found = json.loads(body)
        if not isinstance(found, dict):
            raise _damaged(release, number)
        kind = found.get("schema")
        if kind != SCHEMA:
            newer = isinstance(kind, str) and re.fullmatch("dalenius/record/ledger/[0-9]{1,6}", kind)
            raise LedgerError(
                f"Needed {release} (entry {number}) as {SCHEMA} says, but it is {kind if newer else 'something else'}. "
                "Install the dalenius that recorded it, or restore the ledger from a backup."
            )
        if not all(key in found and isinstance(found[key], kinds) for key, kinds in KEYS.items()):
            raise _damaged(release, number)
        if not all(isinstance(figure, dict) and isinstance(figure.get("name"), str) for figure in found["figures"]):
            raise _damaged(release, number)
        return cls(release, number, seal, found)

    def read(self, build: Callable[[Mapping[str, Any]], T]) -> T:
        """What is made of the body; LedgerError if it holds something of another kind than was recorded."""
        try:
            return build(self.body)
        except WRONG:
            problem = _damaged(self.id, self.number)
        raise problem

    def check(self) -> None:
        """LedgerError unless all that a later release needs can be read."""
        columns = {**self.public, **self.confidential}
        self.read(lambda _: [one.formula for one in self.computed])
        self.read(lambda _: [self.certified, self.approval and [*self.approval["by"], *self.approval["because"]]])
        self.read(lambda _: [self.edition, self.fingerprint, self.persons, self.beliefs, self.published, self.numbers])
        self.read(lambda _: [self.sample])
        self.read(lambda _: [set(made["rows"]) for made in self.per_person.values()])
        self.read(lambda _: [figure.released(columns) for figure in self.figures])

    @property
    def dataset(self) -> str:
        return str(self.body["dataset"])

    @property
    def edition(self) -> Edition | None:
        return self.read(lambda body: Edition.of(body["edition"]))

    @property
    def fingerprint(self) -> Fingerprint | None:
        return self.read(lambda body: _fingerprint_of(body["fingerprint"]))

    @property
    def persons(self) -> Fingerprint | None:
        return self.read(lambda body: _fingerprint_of(body.get("persons")))

    @property
    def person(self) -> str:
        return str(self.body["person"])

    @property
    def public(self) -> dict[str, Column]:
        return self.read(lambda body: {str(name): codec.column_of(column) for name, column in body["public"]})

    @property
    def confidential(self) -> dict[str, Column]:
        return self.read(lambda body: {str(name): codec.column_of(column) for name, column in body["confidential"]})

    @property
    def per_person(self) -> dict[str, codec.Json]:
        """How columns were made of several rows a person, as it is written down; none if every row was a record."""
        return self.read(lambda body: {str(name): dict(made) for name, made in body.get("per_person", {}).items()})

    @property
    def beliefs(self) -> tuple[ColumnBelief, ...]:
        return self.read(lambda body: tuple(codec.belief_of(belief) for belief in body["beliefs"]))

    @property
    def figures(self) -> tuple[Figure, ...]:
        return self.read(lambda body: tuple(codec.figure_of(figure) for figure in body["figures"]))

    @property
    def published(self) -> tuple[Figure, ...]:
        return self.read(lambda body: tuple(codec.figure_of(figure) for figure in body["published"]))

    @property
    def computed(self) -> tuple[Computed, ...]:
        """What was computed from the figures, and published with them."""
        return self.read(lambda body: tuple(map(Computed.of, body.get("computed", ()))))

    @property
    def together(self) -> Together | None:
        """Whose records moved together, but for how many households there were; None if nobody's did."""
        return self.read(lambda body: codec.together_of(body["together"]) if "together" in body else None)

    @property
    def sample(self) -> DrawnBy | None:
        """How the people were drawn, if that hid them."""
        return self.read(lambda body: codec.sample_of(body["sample"]) if "sample" in body else None)

    @property
    def numbers(self) -> tuple[tuple[tuple[Cell, Fraction | None], ...], ...]:
        return self.read(lambda body: tuple(codec.numbers_of(figure["numbers"]) for figure in body["figures"]))

    @property
    def files(self) -> dict[str, str]:
        return self.read(lambda body: {str(name): str(seal) for name, seal in body["files"].items()})

    @property
    def approval(self) -> Mapping[str, Any] | None:
        """Who let it out and why, if persons decided; `certified` is whether dalenius certified it, too."""
        return self.read(lambda body: dict(body["approval"]) if "approval" in body else None)

    @property
    def certified(self) -> bool:
        """Whether dalenius certified it; otherwise it went out on the judgement of persons."""
        return self.approval is None or bool(self.approval["certified"])

    @property
    def folder(self) -> str:
        return str(self.body["folder"])

    @property
    def host(self) -> str:
        return str(self.body["host"])

    def declares(self, asked: Declared) -> bool:
        """Whether it is a release of just what is declared here."""
        figures = [{key: part for key, part in one.items() if key != "numbers"} for one in self.body["figures"]]
        mine = {**self.body, "figures": figures}
        found = {"computed": None, "together": None, "sample": None, **asked.json()}
        return all(canonical(mine.get(key)) == canonical(part) for key, part in found.items())

    def __str__(self) -> str:
        names = ", ".join(figure["name"] for figure in self.body["figures"])
        return f"{self.id}, {self.body['when']}, {self.body['user']}: {names}"


def _damaged(release: object, number: object) -> LedgerError:
    return LedgerError(
        f"The ledger needs each entry as dalenius records it, but entry {number} ({release}) is damaged, or comes from "
        "a newer dalenius: its hash fits, and it says something that this one never says. Nothing is released from it; "
        "install the newer one, or restore the ledger from a backup."
    )
