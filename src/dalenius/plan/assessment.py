"""How figures fare as they are: all that a verdict needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from dalenius.claims import Verdict
from dalenius.plan.examination import Examination, examine, reviewed
from dalenius.plan.finding import Finding
from dalenius.plan.judging import Spreader
from dalenius.plan.outcome import Plan, Publish, Refuse, Undecided
from dalenius.plan.question import Progress, Question, check
from dalenius.tables.figures import Figure
from dalenius.tables.history import History

FITTED = (
    "a belief was fitted to the confidential data, which makes every number heuristic; take it from a public source"
)
OPEN = "no bound passes, and no combination of the figures is known to reveal too much"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """How figures fare as they are, with each other and with all that is out: enough for a verdict, and what the search
    for a change begins with.
    """

    figures: tuple[Figure, ...]
    history: History
    question: Question
    examined: Examination

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.examined.findings

    @property
    def settled(self) -> bool:
        """Whether no change is looked for: they pass, or nothing can be certified of them."""
        return self._fitted or all(finding.verdict == Verdict.PASS for finding in self.findings)

    @property
    def _fitted(self) -> bool:
        return any(belief.fitted for belief in self.question.beliefs)

    @property
    def answer(self) -> Plan:
        """The answer about the figures as they are: no change was looked for."""
        if self._fitted:
            return Undecided(reviewed(self.findings), reason=FITTED, next="Take the belief from a public source.")
        if self.settled:
            return Publish(self.findings)
        if any(finding.verdict == Verdict.FAIL for finding in self.findings):
            return Refuse(self.findings)
        return Undecided(self.findings, reason=OPEN)


def assess(
    figures: Sequence[Figure],
    history: History,
    question: Question,
    *,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Assessment:
    """Judge the figures together with each other and with all that is already out.

    Persons in exactly the same published numbers form an atom; under independent records the release is at least as
    safe as its worst atom. An atom fails if its own numbers can be worked out from the published ones and reveal too
    much, or if a published number by itself does. Cost: one law for each different kind of atom.
    """
    figures = tuple(figures)
    together = (*history.figures, *figures)
    check(together, question)
    return Assessment(figures, history, question, examine(together, question, progress, spread))
