"""Whether persons let a release out: what was approved is what is declared now, and nothing came in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from dalenius.basics.errors import InputError, LedgerError
from dalenius.desk.policy import Policy, review_rule
from dalenius.record.codec import canonical
from dalenius.record.ledger import Declared, Fingerprint, ReviewRule, Submission
from dalenius.show.review import approval_words

JUDGEMENT = "judgement.json"


@final
@dataclass(frozen=True, slots=True)
class Approval:
    """Who let a release out and why; `certified` is whether dalenius certifies it, too."""

    submission: str
    by: tuple[str, ...]
    because: tuple[str, ...]
    verdict: str  # what dalenius found

    @property
    def certified(self) -> bool:
        return self.verdict == "pass"

    def json(self) -> dict[str, Any]:
        """For the ledger, and for the folder."""
        return {
            "submission": self.submission,
            "by": list(self.by),
            "because": list(self.because),
            "found": self.verdict,
            "certified": self.certified,
        }

    @property
    def words(self) -> str:
        """One sentence or two, for reports and lists."""
        return approval_words(self.json())


def approval_of(
    submission: Submission,
    declared: Declared,
    marks: Sequence[Fingerprint | None],
    head: str,
    policies: Sequence[Policy],
    verdict: str,
) -> Approval:
    """The approval of a release of just this, now. LedgerError if it is not approved, not this, or not any more."""
    if submission.state != "approved":
        said = {"open": "is not decided yet", "rejected": "was rejected"}.get(submission.state)
        said = said or f"is released already, as {submission.release}"
        raise LedgerError(
            f"Needed an approved submission, but {submission.id} {said}. Nothing was released. See `dalenius review "
            f"show {submission.id}`."
        )
    if submission.body["head"] != head:
        raise LedgerError(
            f"Needed nothing else of the dataset {submission.dataset!r} to be released since {submission.id} was "
            "submitted, but something was: what was approved is not what would be out now. Submit it again."
        )
    if verdict not in ("pass", submission.verdict):
        raise LedgerError(
            f"Needed what dalenius found when {submission.id} was submitted ({submission.verdict}), but now it finds "
            f"{verdict}. What was approved was not this: submit it again."
        )
    if not same_declared(submission, declared, marks):
        raise LedgerError(
            f"Needed the specification and the people that {submission.id} was submitted with, but they are others "
            "now. What was approved was not this: submit it again."
        )
    rule = submission.rule.and_also(review_rule(policies)) if policies else submission.rule
    check_rule(submission, rule, verdict)
    return Approval(
        submission.id,
        tuple(vote.user for vote in submission.votes),
        tuple(vote.because for vote in submission.votes),
        verdict,
    )


def same_declared(submission: Submission, declared: Declared, marks: Sequence[Fingerprint | None]) -> bool:
    """Whether a submission declares just this, of these people."""
    return canonical(submission.body["declared"]) == canonical(declared.json()) and canonical(
        submission.body["marks"]
    ) == canonical(marks_json(marks))


def marks_json(marks: Sequence[Fingerprint | None]) -> list[str | None]:
    """The public sides of a table, for comparison."""
    return [None if one is None else f"{one.method} {' '.join(map(repr, one.columns))} {one.sha256}" for one in marks]


def check_rule(submission: Submission, rule: ReviewRule, verdict: str) -> None:
    """InputError unless the votes are those that the rule wants, and may do what they do."""
    strangers = [vote.user for vote in submission.votes if rule.by and vote.user not in rule.by]
    if strangers:
        raise InputError(
            f"Needed votes of those whom the policy names ({', '.join(rule.by)}), but {strangers[0]} is none of them. "
            "Submit it again, under that policy."
        )
    if len(submission.votes) < rule.signatures:
        raise InputError(
            f"Needed {rule.signatures} persons who approve {submission.id}, as the policy says, but there are "
            f"{len(submission.votes)}. Submit it again, under that policy."
        )
    check_overruled(submission, rule, verdict)


def check_overruled(submission: Submission, rule: ReviewRule, verdict: str) -> None:
    """InputError if persons may not approve what dalenius found to be this."""
    if not rule.may_overrule(verdict):
        allowed = "no policy lets persons overrule anything" if rule.overrule == "nothing" else "that may not be"
        raise InputError(
            f"Needed a policy that lets persons approve what dalenius found to be {verdict} (review: {{overrule: "
            f"{verdict}}}), but {allowed}. {submission.id} can be rejected, changed and submitted again, or commented."
        )


def check_unapproved(policies: Sequence[Policy]) -> None:
    """InputError if a policy wants every release approved by persons, and this one names no submission."""
    if review_rule(policies).everything:
        raise InputError(
            "Needed a submission that persons approved, as the policy demands of every release, but none is named. "
            "Submit it with `dalenius review submit`, and name it with --submission when it is approved."
        )
