"""Each finding of a release as a guarantee, such as `verify` gives: with what it implies for other definitions."""

from collections.abc import Sequence

from dalenius.claims import Evidence, Guarantee, Notion, Verdict, notion_of
from dalenius.enclosure.brackets import around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.judge.verdict import DICE, MORE_KNOWN, MOVING, REDRAWN, SOURCES, TOGETHER
from dalenius.plan.finding import Finding
from dalenius.plan.grounds import assumptions, attacker_line
from dalenius.plan.question import Question
from dalenius.tables.figures import Figure

OVER_EDITIONS = ", in any one run of editions"


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
    noisy = any(entry.figure.channel.dice for entry in shown)
    dice, again = ((DICE,), (REDRAWN,)) if noisy else ((), ())
    # records of a household move together, and over editions a spell of values is what is hidden
    together = question.frame.together is not None or finding.method == "series"
    notion = Notion.PUFFERFISH if together else notion_of(secret)
    undecided = finding.verdict == Verdict.REVIEW and finding.delta.certainly_at_most(target.delta)
    return Guarantee(
        definition=str(Notion.PUFFERFISH if notion is Notion.PUFFERFISH else Notion.NOISELESS),
        hides=str(secret) + (OVER_EDITIONS if finding.method == "series" else ""),
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
        notion=notion,
        route=finding.route,
    )
