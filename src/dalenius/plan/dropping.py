"""Which new tables to leave out, so that the rest passes together with what is out already."""

from collections.abc import Sequence
from dataclasses import replace

from dalenius.claims import Verdict
from dalenius.plan.advice import Advice
from dalenius.plan.finding import Finding, judged_atoms
from dalenius.plan.judging import docket_of
from dalenius.plan.question import Question
from dalenius.tables.figures import Figure
from dalenius.tables.history import Cover, History

MOST_ATOMS = 300  # of a release for which this is looked for at length
JUDGED = (24, 4)  # how often figures are judged again: at length, or not


def with_drops(
    advice: Advice, figures: Sequence[Figure], history: History, found: Sequence[Finding], question: Question
) -> Advice:
    """The advice, with the names of tables to drop where nothing fails but something does not pass either."""
    if any(finding.verdict == Verdict.FAIL for finding in found):
        return advice
    names = to_drop(figures, history, found, question)
    if not names:
        return advice
    words = f"Without {' and '.join(names)} the other figures pass together; they were judged again."
    return replace(advice, words=f"{words} {advice.words}".strip())


def to_drop(figures: Sequence[Figure], history: History, found: Sequence[Finding], question: Question) -> list[str]:
    """Names of figures without which all the others pass; empty if that was not found, or only by dropping all.

    Greedy: the table that covers most of the people who do not pass, of these the finest, goes first; then those that
    turn out not to matter come back. What is named has been judged again, as a release of its own.
    """
    kept, dropped = list(figures), list[Figure]()
    left = JUDGED[len(found) > MOST_ATOMS]
    while any(finding.verdict != Verdict.PASS for finding in found):
        worst = _worst(kept, found)
        if worst is None or len(kept) == 1 or not left:
            return []
        kept.remove(worst)
        dropped.append(worst)
        found, left = _judged(kept, history, question), left - 1
    for figure in dropped[:-1]:
        more = [other for other in figures if other in kept or other == figure]
        if left and all(one.verdict == Verdict.PASS for one in _judged(more, history, question)):
            kept = more
        left = max(0, left - 1)
    return [figure.name for figure in figures if figure not in kept]


def _worst(kept: Sequence[Figure], found: Sequence[Finding]) -> Figure | None:
    names = {figure.name: figure for figure in kept}
    covers = dict.fromkeys(names, 0)
    cells: dict[str, set[object]] = {name: set() for name in names}
    for finding in found:
        for entry in finding.atom.entries:
            if entry.figure.name in names:
                cells[entry.figure.name].add(entry.cell)
                covers[entry.figure.name] += finding.verdict != Verdict.PASS
    most = max(sorted(names), key=lambda name: (covers[name], len(cells[name])), default=None)
    return names[most] if most is not None and covers[most] else None


def _judged(kept: Sequence[Figure], history: History, question: Question) -> tuple[Finding, ...]:
    cover = Cover.of((*history.figures, *kept), question.frame, question.columns)
    return judged_atoms(cover, docket_of(question), question, lambda _what, _done, _of: None)
