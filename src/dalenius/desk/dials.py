"""The same decision under other assumptions, judged again in a moment: what a reader turns at to see what matters.

The table is not read again, nothing is written, and nothing is released on the strength of it: a release is decided
from its specification.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_EPSILON
from dalenius.claims import Verdict
from dalenius.desk.session import Decision
from dalenius.facts.records import exact
from dalenius.plan import Finding, Question
from dalenius.plan.margins.case import ANYTHING, Case, knowing, off_by


@final
@dataclass(frozen=True, slots=True)
class Glance:
    """How each group of people fares under turned assumptions, at a glance: what passes here passes; what neither
    passes nor fails may do either when it is judged in full, with the longer searches.
    """

    question: Question
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """Pass if all pass, fail if one fails, otherwise review."""
        verdicts = {str(finding.verdict) for finding in self.findings}
        return "fail" if "fail" in verdicts else "review" if "review" in verdicts else "pass"


def turned(
    decision: Decision,
    *,
    knows: str | float | Fraction | None = None,
    wrong: str | float | Fraction | None = None,
    epsilon: str | float | Fraction | None = None,
) -> Glance:
    """The decision if the attacker knew this share of the records, nobody's probability of any value were below the
    stated one by more than `wrong`, and ε were `epsilon`; what is None stays as it is specified. Cost: a bound for each
    group of people, without the searches of a decision.
    """
    if decision.past.doubts or decision.question.series is not None or decision.question.frame.together is not None:
        raise InputError(
            "Needed figures of one edition, of people whose records say nothing about each other, beside releases that "
            "can be judged with them, but these are others. Change the specification, and judge it in full."
        )
    question = turned_question(decision.question, knows=knows, wrong=wrong, epsilon=epsilon)
    if not decision.as_specified.findings:
        return Glance(question, ())
    case = Case.of(decision.prepared.figures, decision.prepared.history, question)
    wanted = question.target.delta
    findings: list[Finding] = []
    for atom, known, alone in zip(case.atoms, case.known, case.alone, strict=True):
        try:
            delta = case.docket.atom(atom, known, alone=alone).delta
        except InputError:  # too much to compute in a moment
            delta = ANYTHING
        if delta.certainly_at_most(wanted):
            verdict = Verdict.PASS
        else:
            verdict = Verdict.FAIL if alone and delta.certainly_above(wanted) else Verdict.REVIEW
        findings.append(Finding(atom, delta, verdict, known))
    return Glance(question, tuple(findings))


def turned_question(
    question: Question,
    *,
    knows: str | float | Fraction | None = None,
    wrong: str | float | Fraction | None = None,
    epsilon: str | float | Fraction | None = None,
) -> Question:
    """The question with these assumptions in place of its own."""
    if knows is not None:
        share = _between(knows, "the share of known records", 0, 1)
        if share == 1:
            raise InputError("Needed a share of known records below 1, but got 1. Somebody must be unknown.")
        question = knowing(question, share)
    if wrong is not None and question.special:
        raise InputError(
            "Probabilities are not moved where people were drawn by chance, or something is believed of all records at "
            "once, but got how wrong they may be. Leave it out, or change the specification."
        )
    if wrong is not None:
        question = off_by(question, _between(wrong, "how wrong a probability may be", 0, 1))
    if epsilon is not None:
        target = replace(question.target, epsilon=_between(epsilon, "epsilon", 0, LARGEST_EPSILON))
        question = replace(question, target=target)
    return question


def _between(given: str | float | Fraction, name: str, low: int, high: int) -> Fraction:
    found = exact(given, name=name)
    if not low <= found <= high:
        raise InputError(f"Needed {name} from {low} to {high}, but got {float(found):g}. Choose one in between.")
    return found
