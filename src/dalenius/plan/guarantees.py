"""Each finding of a release as a guarantee, such as `verify` gives: with what it implies for other definitions."""

from collections.abc import Sequence

from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.facts.secret import Value
from dalenius.judge.verdict import MORE_KNOWN, MOVING, SOURCES, TOGETHER
from dalenius.numerics.bracket import around
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.plan.finding import Finding
from dalenius.plan.grounds import assumptions, attacker_line
from dalenius.plan.question import Question
from dalenius.tables.figures import Figure


def guarantee_of(finding: Finding, question: Question, figures: Sequence[Figure]) -> Guarantee:
    """What is certified about a group of people: of all the numbers that cover it, or of those that reveal it."""
    target, secret = question.target, question.secret
    shown = [entry for _, entry in finding.reveals or ()] or list(finding.atom.entries)
    used = frozenset().union(*(figure.confidential(question.columns) for figure in figures))
    fitted = any(belief.fitted for belief in question.beliefs if belief.column in used)
    return Guarantee(
        definition="noiseless privacy",
        hides=str(secret),
        attacker=attacker_line(question),
        release="; ".join(f"{entry}, {entry.figure.channel}" for entry in shown),
        epsilon=around(target.epsilon, target.epsilon),
        delta=finding.delta,
        target_epsilon=target.epsilon,
        target_delta=target.delta,
        because=finding.because,
        assumes=(*assumptions(question, figures), *ASSUMPTIONS),
        breaks=(MOVING, MORE_KNOWN, TOGETHER),
        witness=finding.witness,
        evidence=Evidence.HEURISTIC if fitted else Evidence.COMPUTED,
        sources=SOURCES,
        notion=Notion.NOISELESS if isinstance(secret, Value) else None,
        route=finding.route,
    )
