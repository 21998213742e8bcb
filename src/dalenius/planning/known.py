"""How much an attacker may know before figures that pass no longer do."""

from collections.abc import Sequence

from dalenius.history import Atom
from dalenius.planning.examination import alone, at_once
from dalenius.planning.finding import entry_sizes
from dalenius.planning.judging import judge_of
from dalenius.planning.outcome import Publish
from dalenius.planning.question import Question
from dalenius.verification import last_below


def largest_known(published: Publish, question: Question) -> int | None:
    """The largest number of known records at which every atom still passes, wherever the known ones are; certified
    as returned.

    Found on the worst atoms by bisection, then checked on all and lowered until it holds. None where people pass by
    moves, which are looked for with what the attacker is said to know.
    """
    if question.frame.size < 2 or any(finding.method != "atom" for finding in published.findings):
        return None
    delta, judge = question.target.delta, judge_of(question)
    atoms = [finding.atom for finding in published.findings]
    sizes = entry_sizes(atoms)
    order = sorted(published.findings, key=lambda finding: -finding.delta.upper)
    worst = {
        id(finding.atom) for finding in [*order[:2], min(published.findings, key=lambda finding: finding.atom.size)]
    }

    def most(known: int, some: Sequence[Atom]) -> float:
        bounded = at_once(some, sizes, judge, question, known)
        found = 0.0
        for place, atom in enumerate(some):
            if place in bounded and bounded[place][1].certainly_at_most(delta):
                found = max(found, bounded[place][1].upper)
            else:
                found = max(found, judge.atom(atom, min(atom.size - 1, known), alone=alone(atom, sizes)).delta.upper)
            if found > delta:
                break
        return found

    few = [atom for atom in atoms if id(atom) in worst]
    largest = last_below(lambda known: most(known, few), delta, question.frame.size - 1)
    if largest is None or most(largest, atoms) <= delta:
        return largest
    return last_below(lambda known: most(known, atoms), delta, largest)
