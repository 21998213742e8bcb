"""What was put before reviewers, what they said of it and how they decided: entries of the same chain as the releases.

A submission is what a specification declares, with what dalenius found and the report; it holds no figure and no
confidential value. Nothing of it is ever changed: a comment or a vote is an entry of its own, and the state of a
submission is read off all of them.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final

from dalenius.basics.errors import LedgerError
from dalenius.record.ledger.entry import LedgerEntry

SCHEMA = "dalenius/record/review/1"
State: TypeAlias = Literal["open", "approved", "rejected", "released"]
OVERRULE = ("nothing", "review", "fail")  # each includes those before it
# The keys of each kind of entry, and what they are.
SAID: Mapping[str, type] = dict.fromkeys(("schema", "when", "user", "host", "words"), str)
SUBMITTED: Mapping[str, type] = {
    **SAID,
    **dict.fromkeys(("verdict", "answer", "head", "software"), str),
    **dict.fromkeys(("declared", "rule", "files"), dict),
    "policies": list,
}
VOTED: Mapping[str, type] = {**SAID, "approves": bool}


@final
@dataclass(frozen=True, slots=True)
class ReviewRule:
    """Who may decide, how many must agree, of which releases (`everything`: also of those that dalenius certifies), and
    which verdicts persons may overrule: nothing, review, or fail (and review).
    """

    by: tuple[str, ...] = ()  # nobody named: anybody but who submitted it
    signatures: int = 1
    everything: bool = False
    overrule: str = "nothing"

    def json(self) -> dict[str, Any]:
        """For the ledger."""
        return {
            "by": list(self.by),
            "signatures": self.signatures,
            "everything": self.everything,
            "overrule": self.overrule,
        }

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "ReviewRule":
        """The rule behind its JSON."""
        rule = cls(tuple(map(str, found["by"])), found["signatures"], found["everything"], found["overrule"])
        if type(rule.signatures) is not int or rule.signatures < 1 or rule.overrule not in OVERRULE:
            raise ValueError
        return rule

    def and_also(self, other: "ReviewRule") -> "ReviewRule":
        """What both demand: the strictest of each."""
        by = self.by or other.by
        if self.by and other.by:
            by = tuple(name for name in self.by if name in other.by) or ("(nobody whom all policies name)",)
        least = min(self.overrule, other.overrule, key=OVERRULE.index)
        return ReviewRule(by, max(self.signatures, other.signatures), self.everything or other.everything, least)

    def may_overrule(self, verdict: str) -> bool:
        """Whether persons may approve what dalenius found to be this."""
        return verdict == "pass" or (verdict in OVERRULE and OVERRULE.index(verdict) <= OVERRULE.index(self.overrule))


@final
@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody said about a submission."""

    user: str
    when: str
    words: str


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """That somebody approves or rejects a submission, and why."""

    user: str
    when: str
    approves: bool
    because: str


@final
@dataclass(frozen=True, slots=True)
class Submission:
    """What was put before reviewers, with all that was said since, in the order of the ledger. `release` is what became
    of it, if it is out.
    """

    id: str
    number: int
    hash: str
    body: Mapping[str, Any]
    comments: tuple[Comment, ...] = field(default=())
    votes: tuple[Vote, ...] = field(default=())
    release: str = ""

    @property
    def dataset(self) -> str:
        return str(self.body["declared"]["dataset"])

    @property
    def user(self) -> str:
        """Who submitted it."""
        return str(self.body["user"])

    @property
    def when(self) -> str:
        return str(self.body["when"])

    @property
    def verdict(self) -> str:
        """What dalenius found: pass, fail or review."""
        return str(self.body["verdict"])

    @property
    def rule(self) -> ReviewRule:
        """What the policies demanded when it was submitted."""
        return ReviewRule.of(self.body["rule"])

    @property
    def files(self) -> dict[str, str]:
        return {str(name): str(seal) for name, seal in self.body["files"].items()}

    @property
    def figures(self) -> tuple[Mapping[str, Any], ...]:
        """The figures that it asks for, as they are written down."""
        return tuple(self.body["declared"]["figures"])

    @property
    def names(self) -> str:
        return ", ".join(str(figure["name"]) for figure in self.figures)

    @property
    def state(self) -> State:
        """Open until as many have decided as must; then approved if all of them approve."""
        if self.release:
            return "released"
        if len(self.votes) < self.rule.signatures:
            return "open"
        return "approved" if all(vote.approves for vote in self.votes) else "rejected"

    def votes_for(self, viewer: str) -> tuple[Vote, ...]:
        """The votes that somebody may see: their own, and those of others as soon as all are in."""
        return self.votes if self.state != "open" else tuple(vote for vote in self.votes if vote.user == viewer)


def submissions_of(entries: Iterable[LedgerEntry]) -> tuple[Submission, ...]:
    """All submissions, oldest first, as they stand after these entries; LedgerError if one of them is damaged."""
    found: dict[str, Submission] = {}
    comments: dict[str, list[Comment]] = {}
    votes: dict[str, list[Vote]] = {}
    released: dict[str, str] = {}
    for entry in entries:
        match entry.kind:
            case "submitted":
                body = _body(entry, SUBMITTED)
                found[entry.release] = Submission(entry.release, entry.number, entry.hash, body)
                _check(found[entry.release])
            case "comment":
                body = _body(entry, SAID)
                comments.setdefault(entry.release, []).append(Comment(body["user"], body["when"], body["words"]))
            case "vote":
                body = _body(entry, VOTED)
                mine = Vote(body["user"], body["when"], body["approves"], body["words"])
                votes.setdefault(entry.release, []).append(mine)
            case "release" if '"approval":' in entry.body:
                released[_approval(entry)] = entry.release
            case _:
                pass
    lost = (comments.keys() | votes.keys() | released.keys()) - found.keys()
    if lost:
        raise LedgerError(f"The ledger needs each submission that is spoken of, but {min(lost)} is not there. {WRONG}")
    return tuple(
        Submission(
            one.id,
            one.number,
            one.hash,
            one.body,
            tuple(comments.get(one.id, ())),
            tuple(votes.get(one.id, ())),
            released.get(one.id, ""),
        )
        for one in found.values()
    )


def _body(entry: LedgerEntry, keys: Mapping[str, type]) -> Mapping[str, Any]:
    found = None
    with suppress(ValueError, RecursionError):
        found = json.loads(entry.body)
    body = found if isinstance(found, dict) else {}
    whole = all(isinstance(body.get(key), kind) for key, kind in keys.items())
    if not whole or body["schema"] != SCHEMA:
        raise _damaged(entry.number, entry.release)
    return body


def _check(found: Submission) -> None:
    """LedgerError unless all that is asked of a submission can be read."""
    with suppress(AttributeError, LookupError, TypeError, ValueError):
        ReviewRule.of(found.body["rule"])
        figures = found.body["declared"]["figures"]
        if found.dataset and isinstance(figures, list) and all(isinstance(one["name"], str) for one in figures):
            return
    raise _damaged(found.number, found.id)


def _approval(entry: LedgerEntry) -> str:
    """Which submission a release came from; "" if it came from none."""
    with suppress(AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return str(json.loads(entry.body)["approval"]["submission"])
    raise _damaged(entry.number, entry.release)


def _damaged(number: int, name: str) -> LedgerError:
    return LedgerError(
        f"The ledger needs entry {number} ({name}) as dalenius records it, but it reads otherwise. {WRONG}"
    )


WRONG = "It is damaged, or comes from a newer dalenius: install that one, or restore the ledger from a backup."
