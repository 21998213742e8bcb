"""Each finding of a release as a guarantee, such as `verify` gives: with what it implies for other definitions."""

from collections.abc import Sequence

from dalenius.claims import Evidence, Guarantee, Notion, Verdict
from dalenius.facts.secret import Value
from dalenius.judge.verdict import DICE, MORE_KNOWN, MOVING, REDRAWN, SOURCES, TOGETHER
from dalenius.numerics.bracket import around
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.plan.finding import Finding
from dalenius.plan.grounds import assumptions, attacker_line
from dalenius.plan.question import Question
from dalenius.tables.figures import Figure


def guarantee_of(
    finding: Finding, question: Question, figures: Sequence[Figure], doubts: Sequence[str] = ()
) -> Guarantee:
    """What is certified about a group of people: of all the numbers that cover it, or of those that reveal it. With
    doubts about what is out already, or where the finding decides nothing though its number would, it is a heuristic.
    """
    target, secret = question.target, question.secret
    shown = [entry for _, entry in finding.reveals or ()] or list(finding.atom.entries)
    used = frozenset().union(*(figure.confidential(question.columns) for figure in figures))
    fitted = any(belief.fitted for belief in question.beliefs if used.intersection(belief.columns))
    noisy = any(entry.figure.channel.random for entry in shown)
    dice, again = ((DICE,), (REDRAWN,)) if noisy else ((), ())
    undecided = finding.verdict == Verdict.REVIEW and finding.delta.certainly_at_most(target.delta)
    return Guarantee(
        definition="noiseless privacy",
        hides=str(secret),
        attacker=attacker_line(question),
        release="; ".join(f"{entry}, {entry.figure.channel}" for entry in shown),
        epsilon=around(target.epsilon, target.epsilon),
        delta=finding.delta,
        target_epsilon=target.epsilon,
        target_delta=target.delta,
        because="; ".join([*doubts, finding.because]),
        assumes=(*assumptions(question, figures), *dice, *ASSUMPTIONS),
        breaks=(MOVING, MORE_KNOWN, TOGETHER, *again),
        witness=finding.witness,
        evidence=Evidence.HEURISTIC if fitted or doubts or undecided else Evidence.COMPUTED,
        sources=SOURCES,
        notion=Notion.NOISELESS if isinstance(secret, Value) else None,
        route=finding.route,
    )
