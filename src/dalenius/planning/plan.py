"""plan(figures, history, ...): may these figures go out together as they stand? Pure: it never sees a confidential
value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

from dalenius.figures import Figure
from dalenius.guarantees import Verdict
from dalenius.history import Atom, History, atoms_of
from dalenius.judgement import Judge
from dalenius.planning.advice import Advice, advise
from dalenius.planning.finding import Finding, entry_sizes, failing_numbers, stands_alone
from dalenius.planning.judging import Spreader, judged_all
from dalenius.planning.question import Progress, Question, check
from dalenius.verification import last_below


@final
@dataclass(frozen=True, slots=True)
class Publish:
    """The figures may go out as they are."""

    findings: tuple[Finding, ...]


@final
@dataclass(frozen=True, slots=True)
class Refuse:
    """The figures may not go out: the findings that fail come with a witness."""

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)


@final
@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither a bound that passes nor a witness: somebody has to look."""

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)
    reason: str = ""


Plan: TypeAlias = Publish | Refuse | Undecided


def worst_of(plan: Plan) -> Finding:
    """The finding with the largest certified δ."""
    return max(plan.findings, key=lambda finding: (finding.delta.upper, finding.delta.lower))


def plan(
    figures: Sequence[Figure],
    history: History,
    question: Question,
    *,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Plan:
    """Judge the figures together with each other and with all that is already out.

    Persons in exactly the same published numbers form an atom; under independent records the release is at least as
    safe as its worst atom. An atom fails if its own numbers can be worked out from the published ones and reveal too
    much, or if a published number by itself does. Cost: one law for each different kind of atom, which `spread` may
    share out among processes or machines.
    """
    together = (*history.figures, *figures)
    check(together, question)
    atoms = atoms_of(together, question.frame)
    judge = Judge(
        question.columns,
        question.beliefs,
        question.frame,
        question.secret,
        question.target.epsilon,
        question.target.delta,
    )
    found = tuple(judged_all(atoms, entry_sizes(atoms), judge, question, progress, spread))
    if not any(finding.verdict == Verdict.FAIL for finding in found):
        failing = failing_numbers(found, atoms, judge, question)
        again = {(failed.atom.entries, failed.atom.groups) for failed in failing}
        kept = (finding for finding in found if (finding.atom.entries, finding.atom.groups) not in again)
        found = (*kept, *failing)
    return _decided(found, question, lambda: advise(figures, history, found, atoms, judge, progress))


FITTED = (
    "a belief was fitted to the confidential data, which makes every number heuristic; take it from a public source"
)


def _decided(found: tuple[Finding, ...], question: Question, advice: Callable[[], Advice]) -> Plan:
    if any(belief.fitted for belief in question.beliefs):
        return Undecided(tuple(replace(finding, verdict=Verdict.REVIEW) for finding in found), reason=FITTED)
    if any(finding.verdict == Verdict.FAIL for finding in found):
        return Refuse(found, advice())
    if all(finding.verdict == Verdict.PASS for finding in found):
        return Publish(found)
    reason = "no bound passes, and no combination of the figures is known to reveal too much"
    return Undecided(found, advice(), reason)


def largest_known(published: Publish, question: Question) -> int | None:
    """The largest number of known records at which every atom still passes, wherever the known ones are; certified
    as returned.

    Found on the worst atoms by bisection, then checked on all and lowered until it holds.
    """
    if question.frame.size < 2:
        return None
    epsilon, delta = question.target.epsilon, question.target.delta
    judge = Judge(question.columns, question.beliefs, question.frame, question.secret, epsilon, delta)
    atoms = [finding.atom for finding in published.findings]
    order = sorted(published.findings, key=lambda finding: -finding.delta.upper)
    worst = {
        id(finding.atom) for finding in [*order[:2], min(published.findings, key=lambda finding: finding.atom.size)]
    }

    def most(known: int, some: Sequence[Atom]) -> float:
        return max(
            judge.atom(atom, min(atom.size - 1, known), alone=stands_alone(atom, atoms)).delta.upper for atom in some
        )

    few = [atom for atom in atoms if id(atom) in worst]
    largest = last_below(lambda known: most(known, few), delta, question.frame.size - 1)
    if largest is None or most(largest, atoms) <= delta:
        return largest
    return last_below(lambda known: most(known, atoms), delta, largest)
