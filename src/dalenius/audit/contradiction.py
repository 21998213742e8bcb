"""Published numbers that cannot all be true: a small set of them, by leaving out one after the other, and the proof."""

from dataclasses import replace
from time import monotonic

import numpy as np

from dalenius.audit.findings import Refutation
from dalenius.audit.gathering import renumbered
from dalenius.audit.part import ProblemPart
from dalenius.audit.problem import ContradictionError, Problem
from dalenius.audit.system import RefutedError, System, rows_of

MOST_NAMED = 12
NOBODY = ", so nobody"  # how a source ends that a table does not list
MOST_TRIED = 400  # statements that are left out by turns
FEW_NODES = 60  # of a tree that shows a contradiction among fewer statements


def named(system: System, step: int, end: float) -> ContradictionError:
    """The error that names them: of the statements on which this step rests, as few as contradict each other."""
    problem = system.problem
    places = _resting(system, step)
    best = _proved(replace(problem, statements=tuple(problem.statements[place] for place in places)), end)
    if best is None:
        best = system, step
    elif len(places) <= MOST_TRIED:
        best = _fewest(*best, end)
    few, last = best
    names = tuple(dict.fromkeys(few.problem.statements[place].source for place in _resting(few, last)))
    absent = ", or say absent: hidden for a table whose lines that are missing are hidden"
    if not any(name.endswith(NOBODY) for name in names):
        absent = ""
    more = f", and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ContradictionError(
        "Needed published numbers that some table of whole numbers fits, but these contradict each other: "
        f"{'; '.join(names[:MOST_NAMED])}{more}. Look for a misprint, a rounding "
        f"that is not stated, tables of different people, or a line that was left out (write it, with x){absent}.",
        names,
        Refutation(replace(few.problem, targets=()), renumbered(few, few.needed([last]))),
    )


def _resting(system: System, step: int) -> list[int]:
    """The statements on which a step rests, by their places."""
    rows = {row for each in system.needed([step]) for row in rows_of(system.steps[each].proof)}
    return sorted(row for row in rows if row < len(system.sources))


def _fewest(system: System, step: int, end: float) -> tuple[System, int]:
    """Fewer statements that still contradict each other, one left out after the other, as far as can be shown."""
    kept = [system.problem.statements[place] for place in _resting(system, step)]
    best = system, step
    for statement in list(kept):
        rest = tuple(each for each in kept if each is not statement)
        found = _proved(replace(system.problem, statements=rest), end) if rest and monotonic() < end else None
        if found is not None:
            best = found
            resting = set(_resting(*found))
            kept = [each for place, each in enumerate(rest) if place in resting]
    return best


def _proved(problem: Problem, end: float) -> tuple[System, int] | None:
    """A system of these statements and the step by which they contradict each other, if that can be shown."""
    try:
        system = System(replace(problem, targets=()))
        system.propagate()
    except RefutedError as error:
        return error.system, error.step
    columns = np.flatnonzero(system.lower != system.upper)
    if not len(columns):
        return None
    part = ProblemPart(system, columns, [], lambda: max(0.1, end - monotonic()))
    step = part.tree((), np.zeros(len(columns)), 0, -1, most_nodes=FEW_NODES)
    return None if step is None else (system, step)
