"""The same decision under other assumptions, judged again in a moment: what a reader turns at to see what matters.

The table is not read again, nothing is written, and nothing is released on the strength of it: a release is decided
from its specification.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from threading import Lock
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_EPSILON
from dalenius.claims import Verdict
from dalenius.desk.session import Decision
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import exact
from dalenius.plan import Finding, Question
from dalenius.plan.finding import entry_sizes, known_in, stands_alone
from dalenius.plan.judging import docket_of
from dalenius.plan.margins.case import ANYTHING, knowing, off_by
from dalenius.tables.docket import Docket
from dalenius.tables.history import Atom, Cover

ROOM = 24  # groups of people of which the composed curves are kept while epsilon is turned: each takes some megabytes


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


@final
class Dials:
    """A decision whose assumptions are turned, again and again. Who is in which number is worked out once; the laws of
    what people add when probabilities move; the curves when known records move. Epsilon moves along a curve.
    """

    def __init__(self, decision: Decision) -> None:
        if decision.past.doubts or decision.question.series is not None or decision.question.frame.together is not None:
            raise InputError(
                "Needed figures of one edition, of people whose records say nothing about each other, beside releases "
                "that can be judged with them, but these are others. Change the specification, and judge it in full."
            )
        self.decision = decision
        self._lock = Lock()
        self._atoms: tuple[Atom, ...] = ()
        self._alone: tuple[bool, ...] = ()
        self._wrong: Fraction | None = None
        self._known: tuple[int, ...] = ()
        self._laws: Docket | None = None  # with the laws of `_wrong`
        self._curves: Docket | None = None  # with the curves of `_wrong` and `_known`
        if decision.as_specified.findings:
            question, prepared = decision.question, decision.prepared
            everything = (*prepared.history.figures, *prepared.figures)
            self._atoms = Cover.of(everything, question.frame, question.columns).atoms
            self._alone = tuple(stands_alone(atom, self._atoms) for atom in self._atoms)
        self._sizes = entry_sizes(self._atoms)

    def turned(
        self,
        *,
        knows: str | float | Fraction | None = None,
        wrong: str | float | Fraction | None = None,
        epsilon: str | float | Fraction | None = None,
    ) -> Glance:
        """The decision if the attacker knew this share of the records, nobody's probability of any value were below
        the stated one by more than `wrong`, and ε were `epsilon`; what is None stays as it is specified. Cost: a bound
        for each group of people, without the searches of a decision.
        """
        question = turned_question(self.decision.question, knows=knows, wrong=wrong, epsilon=epsilon)
        wanted, findings = question.target.delta, list[Finding]()
        known = tuple(known_in(atom, self._sizes, question) for atom in self._atoms)
        with self._lock:
            docket = self._docket(question, exact(wrong or 0, name="how wrong a probability may be"), known)
            for atom, some, alone in zip(self._atoms, known, self._alone, strict=True):
                delta = _judged(docket, atom, some, alone=alone)
                if delta.certainly_at_most(wanted):
                    verdict = Verdict.PASS
                else:
                    verdict = Verdict.FAIL if alone and delta.certainly_above(wanted) else Verdict.REVIEW
                findings.append(Finding(atom, delta, verdict, some))
        return Glance(question, tuple(findings))

    def _docket(self, question: Question, wrong: Fraction, known: tuple[int, ...]) -> Docket:
        """That of before, with as much of what it remembers as is still about this question."""
        if self._laws is None or wrong != self._wrong:
            self._laws, self._wrong, self._curves = docket_of(question).less_close(), wrong, None
        if self._curves is None or known != self._known or len(self._atoms) > ROOM:
            self._curves, self._known = self._laws.afresh(), known
        return self._curves.at(question.target.epsilon)


def _judged(docket: Docket, atom: Atom, known: int, *, alone: bool) -> Bracket:
    try:
        return docket.atom(atom, known, alone=alone).delta
    except InputError:  # too much to compute in a moment
        return ANYTHING


def turned(
    decision: Decision,
    *,
    knows: str | float | Fraction | None = None,
    wrong: str | float | Fraction | None = None,
    epsilon: str | float | Fraction | None = None,
) -> Glance:
    """The decision under other assumptions, once: see `Dials.turned`."""
    return Dials(decision).turned(knows=knows, wrong=wrong, epsilon=epsilon)


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
