"""What is before reviewers, for readers and for machines."""

from collections.abc import Mapping, Sequence
from typing import Any

from dalenius.basics.errors import without_passwords
from dalenius.record.ledger import Submission
from dalenius.show.layout import item, table, wrapped

NOT_CERTIFIED = "dalenius does not certify these figures: there is no number that bounds what they tell."
STATES = {
    "open": "open",
    "approved": "approved, not released yet",
    "rejected": "rejected",
    "released": "released",
}


def approval_words(found: Mapping[str, Any]) -> str:
    """What is said of an approval as the ledger has it."""
    who = " and ".join(map(str, found["by"]))
    reasons = "; ".join(f"“{reason}”" for reason in found["because"])
    if found["certified"]:
        return f"Approved by {who} ({found['submission']}): {reasons}"
    return f"Released on the judgement of {who} because {reasons} ({found['submission']}). {NOT_CERTIFIED}"


def state_words(found: Submission) -> str:
    """Where it stands, in words."""
    if found.state == "open":
        return f"open: {len(found.votes)} of {found.rule.signatures} have decided"
    if found.state == "released":
        certified = "" if found.verdict == "pass" else ", on the judgement of persons"
        return f"released as {found.release}{certified}"
    return STATES[found.state]


def queue(found: Sequence[Submission]) -> str:
    """One line a submission, oldest first."""
    if not found:
        return "Nothing was submitted."
    rows = [("submission", "day", "who", "dataset", "figures", "found", "state")]
    rows += [(one.id, one.when[:10], one.user, one.dataset, one.names, one.verdict, state_words(one)) for one in found]
    masked_rows = [tuple(map(without_passwords, row)) for row in rows]  # before an address is folded
    return "\n".join(table(masked_rows, fold=4, rule=False))


def case(found: Submission, alike: Sequence[Submission], viewer: str) -> str:
    """One submission in full, as somebody may see it, with those that were decided alike before."""
    rule = found.rule
    lines = [
        f"{found.id}: {found.names} ({found.dataset}), {state_words(found)}",
        wrapped(f"Submitted by {found.user}, {found.when}: {found.body['words']}"),
        wrapped(f"dalenius found: {found.body['answer']}"),
    ]
    lines += [wrapped(f"Held to {', '.join(map(str, found.body['policies']))}.")] if found.body["policies"] else []
    who = f" of {', '.join(rule.by)}" if rule.by else ""
    many = "One person" if rule.signatures == 1 else f"{rule.signatures} persons"
    lines.append(wrapped(f"{many}{who} must agree; whoever submitted it does not decide. {overruling(found)}"))
    seen = found.votes_for(viewer)
    lines += (
        [
            "",
            "Decisions:",
            *(item(vote_words(vote.user, vote.when, vote.because, approves=vote.approves)) for vote in seen),
        ]
        if seen
        else []
    )
    hidden = len(found.votes) - len(seen)
    lines += ["", wrapped(BLIND.format(many=hidden, verb="has" if hidden == 1 else "have"))] if hidden else []
    if found.comments:
        lines += ["", "Comments:", *(item(f"{one.user}, {one.when}: {one.words}") for one in found.comments)]
    if alike:
        lines += ["", "Decided alike before:", *(item(precedent(one)) for one in alike)]
    return without_passwords("\n".join(lines))


BLIND = "{many} other {verb} decided; what they said is shown when all are in."


def overruling(found: Submission) -> str:
    """Whether persons may let it out."""
    if found.verdict == "pass":
        return "dalenius certifies it."
    if found.rule.may_overrule(found.verdict):
        return "dalenius does not certify it; if it is approved, it goes out in the names of those who approve."
    return "dalenius does not certify it, and no policy lets persons approve it all the same."


def vote_words(user: str, when: str, because: str, *, approves: bool) -> str:
    """One decision in a line."""
    return f"{user}, {when}: {'approves' if approves else 'rejects'}, because {because}"


def precedent(found: Submission) -> str:
    """A submission that was decided before, in a line."""
    why = "; ".join(vote_words(one.user, one.when, one.because, approves=one.approves) for one in found.votes)
    return f"{found.id}, {found.names} ({found.dataset}; dalenius found {found.verdict}): {state_words(found)}. {why}"


def case_json(found: Submission, alike: Sequence[Submission], viewer: str) -> dict[str, Any]:
    """The same for machines."""
    return {
        "submission": found.id,
        "entry": found.number,
        "hash": found.hash,
        "when": found.when,
        "user": found.user,
        "dataset": found.dataset,
        "figures": [figure["name"] for figure in found.figures],
        "words": found.body["words"],
        "verdict": found.verdict,
        "answer": found.body["answer"],
        "state": found.state,
        "decided": len(found.votes),
        "rule": found.rule.json(),
        "decisions": [
            {"user": vote.user, "when": vote.when, "approves": vote.approves, "because": vote.because}
            for vote in found.votes_for(viewer)
        ],
        "comments": [{"user": one.user, "when": one.when, "words": one.words} for one in found.comments],
        "release": found.release or None,
        "alike": [one.id for one in alike],
    }
