"""How much an attacker may know before figures that pass no longer do."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache

from dalenius.basics.patience import Left, always, go_on
from dalenius.enclosure.brackets import Bracket, around
from dalenius.numerics.least import last_below
from dalenius.plan.examination import alone, at_once
from dalenius.plan.finding import MANY, entry_sizes
from dalenius.plan.judging import docket_of
from dalenius.plan.outcome import Publish
from dalenius.plan.question import Question
from dalenius.tables.docket import Docket
from dalenius.tables.history import Atom


def largest_known(published: Publish, question: Question, left: Left = always) -> int | None:
    """The largest number of known records at which every atom still passes, wherever the known ones are; certified
    as returned.

    Found on the worst atoms by bisection, then checked on all and lowered until it holds. Of many atoms of exact
    figures and one law only the smallest is judged: more records hide better. Where laws are long, and a rough bound
    says that they pass, it has to do, so that more records might be known. None where people pass by moves, which are
    looked for with what the attacker is said to know. TimeUpError if no time is `left`.
    """
    if question.frame.size < 2 or any(finding.method != "atom" for finding in published.findings):
        return None
    delta, docket = question.target.delta, docket_of(question)
    special = (finding.atom for finding in published.findings if docket.special(finding.atom.figures))
    if any(docket.believed(atom, part) for atom in special for part in docket.parts(list(dict.fromkeys(atom.figures)))):
        return None  # of a chain whose known places are stated, and of a sample, the number says little by itself
    open_ = question.frame.together is not None or any(belief.least is not None for belief in question.beliefs)
    if question.target.delta and open_:
        docket = _quick(published, docket)
    every = [finding.atom for finding in published.findings]
    sizes = entry_sizes(every) if any(atom.alone(lambda _: True) for atom in every) else {}
    atoms = _smallest(every, docket) if len(every) > MANY else every
    order = sorted(published.findings, key=lambda finding: -finding.delta.upper)
    worst = {
        id(finding.atom) for finding in [*order[:2], min(published.findings, key=lambda finding: finding.atom.size)]
    }

    stated = {id(finding.atom): finding for finding in published.findings}

    @cache
    def enough(place: int) -> bool:
        """Whether a rough bound says that a long law passes."""
        atom, known = stated[place].atom, stated[place].known
        return docket.heavy(atom) and docket.roughly(atom, known) <= delta

    def most(known: int, some: Sequence[Atom]) -> float:
        go_on(left)
        bounded = at_once(some, sizes, docket, question, known)
        found = 0.0
        for place, atom in enumerate(some):
            if docket.pure([entry.figure for entry in atom.entries]) <= docket.epsilon:
                continue  # the noise hides a record by itself
            if place in bounded and bounded[place][1].certainly_at_most(delta):
                found = max(found, bounded[place][1].upper)
            else:
                some_known, single = min(atom.size - 1, known), alone(atom, sizes)
                rough = docket.roughly(atom, some_known)
                close = rough > delta and not enough(id(atom))
                judged = (
                    docket.atom(atom, some_known, alone=single, quick=True).delta if close else around(rough, rough)
                )
                found = max(found, _guide(judged, delta))
            if found > delta:
                break
        return found

    few = [atom for atom in every if id(atom) in worst]
    few = _smallest(few, docket) if len(every) > MANY else few
    largest = last_below(lambda known: most(known, few), delta, question.frame.size - 1)
    if largest is None or most(largest, atoms) <= delta:
        return largest
    return last_below(lambda known: most(known, atoms), delta, largest)


def _quick(published: Publish, docket: Docket) -> Docket:
    """A judge who searches no more than it takes to see that what passes does."""
    quick = docket.less_close()
    passing = (
        quick.atom(finding.atom, finding.known, alone=False, quick=True).delta.certainly_at_most(quick.enough)
        for finding in published.findings
    )
    return quick if all(passing) else docket


def _guide(judged: Bracket, target: Fraction) -> float:
    """A number on the same side of the target as the upper end, which may have been left far from the truth once that
    was decided: the lower end is what some of the records, found first, really tell.
    """
    decided = judged.certainly_at_most(target) or judged.certainly_above(target)
    return judged.lower if decided and judged.lower > 0 else judged.upper


def _smallest(atoms: Sequence[Atom], docket: Docket) -> list[Atom]:
    """Those that decide about all: of each crowd the smallest."""
    figures = {id(entry.figure): entry.figure for atom in atoms for entry in atom.entries}
    if not all(figure.channel.exact for figure in figures.values()):
        return list(atoms)
    found: dict[Hashable, Atom] = {}
    for atom in sorted(atoms, key=lambda atom: atom.size):
        found.setdefault(docket.crowd(atom) or id(atom), atom)
    return list(found.values())
