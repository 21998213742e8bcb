"""The same decision under other assumptions, judged again in a moment: what a reader turns at to see what matters.

The table is not read again, nothing is written, and nothing is released on the strength of it: a release is decided
from its specification.
"""

from dataclasses import replace
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_EPSILON
from dalenius.desk.session.decision import Decision, doubted
from dalenius.facts.records import exact
from dalenius.plan import Question, assess
from dalenius.plan.margins.case import knowing, off_by


def turned(
    decision: Decision,
    *,
    knows: str | float | Fraction | None = None,
    wrong: str | float | Fraction | None = None,
    epsilon: str | float | Fraction | None = None,
) -> Decision:
    """The decision if the attacker knew this share of the records, nobody's probability of any value were below the
    stated one by more than `wrong`, and ε were `epsilon`; what is None stays as it is specified.
    """
    question = turned_question(decision.question, knows=knows, wrong=wrong, epsilon=epsilon)
    assessed = assess(decision.prepared.figures, decision.prepared.history, question)
    return replace(
        decision, question=question, assessment=assessed, as_specified=doubted(assessed.answer, decision.past)
    )


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
