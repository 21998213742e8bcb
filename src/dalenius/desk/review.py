"""The reviewers' desk: what dalenius found is put before persons, who comment, and approve or reject with a reason.

Whoever submitted something does not decide about it; what others decided is not shown before all are in; and what
dalenius does not certify can be approved only where a policy says so. All of it stands in the ledger.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dalenius.basics.errors import InputError, LedgerError
from dalenius.basics.limits import LARGEST_TEXT
from dalenius.data.completion import here, now, who
from dalenius.desk.past import declared
from dalenius.desk.policy import Policy, review_rule
from dalenius.desk.session import Decision
from dalenius.desk.session.approval import check_overruled, marks_json
from dalenius.record.codec import digests, figure_of
from dalenius.record.ledger import Ledger, ReviewRule, Submission
from dalenius.record.ledger.garbage import uncollected
from dalenius.record.ledger.review import SCHEMA
from dalenius.show.layout import WIDTH, paper

LONGEST = 4000  # characters of what somebody says
ALIKE = 5  # earlier submissions that are shown


def submit(decision: Decision, words: str, *, user: str | None = None, spec: Path | str | None = None) -> Submission:
    """Put a decision before reviewers: what is declared, what dalenius found, and the report. No figure is computed.
    `spec` is the file that it was made from, for those who read it.
    """
    words = _said(words, "why these figures are wanted")
    decision = decision if user is None else decision.made_by(user)
    decision.ledger.check_key()
    with paper(WIDTH), uncollected():
        files = {"report.txt": decision.story().encode(), "report.html": decision.html()}
    if spec is not None:
        files["release.yaml"] = _read(Path(spec))
    body = {
        **_signed(words, user),
        "declared": declared(decision.asked).json(),
        "marks": marks_json((decision.fingerprint, decision.persons)),
        "head": decision.past.memory.head,
        "verdict": decision.verdict,
        "answer": decision.summary()["answer"],
        "policies": [policy.name for policy in decision.policies],
        "rule": review_rule(decision.policies).json(),
        "files": digests(files),
        "software": f"dalenius {decision.version}",
    }
    with decision.ledger.turn() as turn:
        if turn.head(decision.asked.dataset) != decision.past.memory.head:
            raise LedgerError(
                "Needed what was judged to be all that is out, but something was released in the meantime. Nothing was "
                "submitted. Judge it again."
            )
        return turn.submit(decision.asked.dataset, body, files)


def _read(spec: Path) -> bytes:
    from dalenius.basics.inputs import read_bytes

    return read_bytes(spec, LARGEST_TEXT, "the specification")


def comment(ledger: Ledger, name: str, words: str, *, user: str | None = None) -> Submission:
    """Say something about a submission, for all to see."""
    words = _said(words, "what is to be said")
    _check_there(ledger)
    with ledger.turn() as turn:
        return turn.say("comment", turn.submission(name), _signed(words, user))


def approve(
    ledger: Ledger, name: str, because: str, *, user: str | None = None, policies: Sequence[Policy] = ()
) -> Submission:
    """Approve a submission, with a reason."""
    return _vote(ledger, name, because, user, policies, approves=True)


def reject(
    ledger: Ledger, name: str, because: str, *, user: str | None = None, policies: Sequence[Policy] = ()
) -> Submission:
    """Reject a submission, with a reason."""
    return _vote(ledger, name, because, user, policies, approves=False)


def _vote(
    ledger: Ledger, name: str, because: str, user: str | None, policies: Sequence[Policy], *, approves: bool
) -> Submission:
    because = _said(because, "a reason")
    _check_there(ledger)
    mine = who() if user is None else user
    with ledger.turn() as turn:
        found = turn.submission(name)
        _check_voter(found, _rule(found, policies), mine, approves=approves)
        return turn.say("vote", found, {**_signed(because, mine), "approves": approves})


def _rule(found: Submission, policies: Sequence[Policy]) -> ReviewRule:
    """What was demanded when it was submitted, and what is demanded now."""
    return found.rule.and_also(review_rule(policies)) if policies else found.rule


def _check_voter(found: Submission, rule: ReviewRule, user: str, *, approves: bool) -> None:
    """InputError unless this person may decide so about this, now."""
    if found.state != "open":
        raise InputError(
            f"Needed an open submission, but {found.id} is {found.state}. Nothing was recorded; what comes anew is "
            "submitted anew."
        )
    if user == found.user:
        raise InputError(
            f"Needed somebody who did not submit {found.id}, but {user} did. Ask a colleague; nobody decides about "
            "their own."
        )
    if rule.by and user not in rule.by:
        raise InputError(
            f"Needed one of those whom the policy names ({', '.join(rule.by)}), but got {user}. Ask one of them."
        )
    if any(vote.user == user for vote in found.votes):
        raise InputError(
            f"Needed one decision a person, but {user} has decided about {found.id}. A comment can add to it."
        )
    if approves:
        check_overruled(found, rule, found.verdict)


def may_decide(found: Submission, policies: Sequence[Policy], user: str, *, approves: bool) -> str:
    """Why this person may not decide so; "" if they may."""
    try:
        _check_voter(found, _rule(found, policies), user, approves=approves)
    except InputError as error:
        return str(error)
    return ""


def decided_alike(found: Submission, others: Sequence[Submission]) -> tuple[Submission, ...]:
    """Submissions that were decided before and ask for a figure of the same kind, of the same column, split and
    filtered by the same columns: those of the same dataset first, then the latest.
    """
    mine = _shapes(found)
    decided = [one for one in others if one.number != found.number and one.state != "open" and mine & _shapes(one)]
    decided.sort(key=lambda one: (one.dataset != found.dataset, -one.number))
    return tuple(decided[:ALIKE])


def _shapes(found: Submission) -> frozenset[object]:
    """What kinds of figures it asks for, whatever they are called and whatever values they are about."""
    try:
        figures = [figure_of(figure) for figure in found.figures]
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError):  # of a newer kind
        return frozenset()
    return frozenset((one.kind, one.column, frozenset(one.by), frozenset(one.where.columns)) for one in figures)


def _check_there(ledger: Ledger) -> None:
    """LedgerError where there is no ledger: only a submission, or a release, makes one."""
    if not ledger.exists():
        raise LedgerError(f"Needed a ledger with submissions at {ledger.shown}, but there is none. Check the name.")
    ledger.check_key()


def _said(words: object, what: str) -> str:
    """Words that can be kept; InputError if there are none."""
    if not isinstance(words, str) or not words.strip():
        raise InputError(f"Needed {what}, in words, but got none. Write a sentence.")
    if len(words) > LONGEST:
        raise InputError(f"Needed at most {LONGEST} characters, but got {len(words)}. Say it more briefly.")
    if any(not sign.isprintable() and sign not in "\n\t" for sign in words):
        raise InputError("Needed words that can be printed, but there are other characters in them. Leave them out.")
    return words.strip()


def _signed(words: str, user: str | None) -> Mapping[str, Any]:
    return {"schema": SCHEMA, "when": now(), "user": who() if user is None else user, "host": here(), "words": words}
