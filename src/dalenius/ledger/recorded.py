"""A release as the ledger keeps it: all that a later release must be judged with, and no confidential value beside the
figures that went out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dalenius.errors import LedgerError
from dalenius.figures import Attacker, ColumnBelief, Figure
from dalenius.ledger import words
from dalenius.ledger.canonical import canonical
from dalenius.ledger.edition import Edition
from dalenius.records import Cell, Column

SCHEMA = "dalenius/ledger/1"
KEYS = {"dataset", "edition", "fingerprint", "person", "public", "confidential", "beliefs", "secret"}
KEYS |= {"figures", "published", "files", "folder", "user", "host", "when"}


@final
@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The public side of a table when figures left it: a hash of how many persons, and which, had each combination of
    these public columns. `method` says how persons were marked.
    """

    columns: tuple[str, ...]
    method: str
    sha256: str


def _fingerprint_json(found: Fingerprint | None) -> words.Json:
    if found is None:
        return None
    return {"columns": list(found.columns), "method": found.method, "sha256": found.sha256}


def _fingerprint_of(found: words.Json) -> Fingerprint | None:
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

    def json(self) -> dict[str, words.Json]:
        """For the ledger."""
        return {
            "dataset": self.dataset,
            "edition": None if self.edition is None else self.edition.json(),
            "person": self.person,
            "public": [[name, words.column_json(column)] for name, column in self.public.items()],
            "confidential": [[name, words.column_json(column)] for name, column in self.confidential.items()],
            "beliefs": [words.belief_json(belief) for belief in self.beliefs],
            "attacker": words.attacker_json(self.attacker),
            "secret": self.secret,
            "target": {name: str(value) for name, value in self.target.items()},
            "figures": [words.figure_json(figure) for figure in self.figures],
            "published": [words.figure_json(figure) for figure in self.published],
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

    def body(self) -> str:
        """Canonical JSON."""
        found = {
            "schema": SCHEMA,
            **self.declared.json(),
            "fingerprint": _fingerprint_json(self.fingerprint),
            "persons": _fingerprint_json(self.persons),
            "figures": [
                {**words.figure_json(figure), "numbers": words.numbers_json(numbers)}
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
        found = json.loads(body)
        kind = found.get("schema")
        if kind != SCHEMA or not found.keys() >= KEYS:
            raise LedgerError(
                f"Needed {release} (entry {number}) as {SCHEMA} says, but it is {kind or 'something else'}"
                f"{', and not complete' if kind == SCHEMA else ''}. Install the dalenius that recorded it, or restore "
                "the ledger from a backup."
            )
        return cls(release, number, seal, found)

    @property
    def dataset(self) -> str:
        return str(self.body["dataset"])

    @property
    def edition(self) -> Edition | None:
        return Edition.of(self.body["edition"])

    @property
    def fingerprint(self) -> Fingerprint | None:
        return _fingerprint_of(self.body["fingerprint"])

    @property
    def persons(self) -> Fingerprint | None:
        return _fingerprint_of(self.body.get("persons"))

    @property
    def person(self) -> str:
        return str(self.body["person"])

    @property
    def public(self) -> dict[str, Column]:
        return {name: words.column_of(column) for name, column in self.body["public"]}

    @property
    def confidential(self) -> dict[str, Column]:
        return {name: words.column_of(column) for name, column in self.body["confidential"]}

    @property
    def beliefs(self) -> tuple[ColumnBelief, ...]:
        return tuple(words.belief_of(belief) for belief in self.body["beliefs"])

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(words.figure_of(figure) for figure in self.body["figures"])

    @property
    def published(self) -> tuple[Figure, ...]:
        return tuple(words.figure_of(figure) for figure in self.body["published"])

    @property
    def numbers(self) -> tuple[tuple[tuple[Cell, Fraction | None], ...], ...]:
        return tuple(words.numbers_of(figure["numbers"]) for figure in self.body["figures"])

    @property
    def files(self) -> dict[str, str]:
        return dict(self.body["files"])

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
        return all(canonical(mine[key]) == canonical(part) for key, part in asked.json().items())

    def __str__(self) -> str:
        names = ", ".join(figure["name"] for figure in self.body["figures"])
        return f"{self.id}, {self.body['when']}, {self.body['user']}: {names}"
