"""Published numbers that cannot all be true: a small set of them, by leaving out one after the other."""

from dataclasses import replace
from time import monotonic

import numpy as np

from dalenius.audit.part import Part
from dalenius.audit.problem import ContradictionError, Problem
from dalenius.audit.system import System

MOST_NAMED = 12
MOST_TRIED = 400  # statements that are left out by turns


def named(problem: Problem, sources: tuple[str, ...], end: float) -> ContradictionError:
    """The error that names them: of these sources, as few as contradict each other."""
    places = [place for place, each in enumerate(problem.statements) if each.source in set(sources)]
    if len(places) <= MOST_TRIED:
        places = _fewest(problem, places, end)
    names = tuple(dict.fromkeys(problem.statements[place].source for place in places)) or sources
    more = f", and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ContradictionError(
        "Needed published numbers that some table of whole numbers fits, but these contradict each other: "
        f"{'; '.join(names[:MOST_NAMED])}{more}. Look for a misprint, a rounding "
        "that is not stated, or tables of different people.",
        names,
    )


def _fewest(problem: Problem, places: list[int], end: float) -> list[int]:
    """As few of these statements as still contradict each other, if that can be shown."""
    for place in list(places):
        rest = [each for each in places if each != place]
        if monotonic() < end and rest and _contradict(problem, rest, end):
            places = rest
    return places


def _contradict(problem: Problem, places: list[int], end: float) -> bool:
    """Whether these statements alone contradict each other, shown by rows or by a combination of them."""
    few = replace(problem, statements=tuple(problem.statements[place] for place in places), targets=())
    try:
        system = System(few)
        system.propagate()
    except ContradictionError:
        return True
    columns = np.flatnonzero(system.lower != system.upper)
    if not len(columns):
        return False
    part = Part(system, columns, [], lambda: max(0.1, end - monotonic()))
    found = part.largest(np.zeros(len(columns)))
    if found is None or found.at is not None:
        return False
    totals = (system.evaluated((), 0, part.multiples(found.rows, over))[0] for over in (1, 60, 1 << 20))
    return any(total is not None and total < 0 for total in totals)
