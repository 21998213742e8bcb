"""Many groups of people, judged one after the other or by many hands at once, with the same findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from dalenius.judge.engine import Judgement
from dalenius.plan.question import Progress, Question
from dalenius.tables.docket import Docket
from dalenius.tables.history import Atom

T = TypeVar("T")
R = TypeVar("R")


class Spreader(Protocol):
    """A function and tasks to results, in the order of the tasks: `map`, by as many hands as there are."""

    def __call__(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """All the results; the first error, if there is one."""
        ...


@final
@dataclass(frozen=True, slots=True)
class AtomCase:
    """An atom, how many of its records are known, and whether its only number covers nobody else."""

    atom: Atom
    known: int
    alone: bool


@final
@dataclass(frozen=True, slots=True)
class Task:
    """Some of the atoms, by their places, and all that judging them needs."""

    places: tuple[int, ...]
    cases: tuple[AtomCase, ...]
    question: Question


def docket_of(question: Question) -> Docket:
    """A judge for a question, who has judged nothing yet."""
    target = question.target
    return Docket.of(question.columns, question.beliefs, question.frame, question.secret, target.epsilon, target.delta)


def judged_task(task: Task) -> list[Judgement]:
    """How much all numbers of each of these atoms tell, in their order."""
    docket = docket_of(task.question)
    return [docket.atom(case.atom, case.known, alone=case.alone) for case in task.cases]


def judged_by_many(
    cases: Mapping[int, AtomCase], question: Question, progress: Progress, spread: Spreader
) -> dict[int, Judgement]:
    """The judgement of each atom. Atoms that may be of one kind are judged by the same hand, since they have one law;
    no judgement depends on who else was judged before.
    """
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, case in cases.items():
        key = (tuple(entry.figure.name for entry in case.atom.entries), case.atom.size, case.known)
        alike.setdefault(key, []).append(place)
    tasks = [Task(tuple(places), tuple(cases[place] for place in places), question) for places in alike.values()]
    found: dict[int, Judgement] = {}
    for task, judged in zip(tasks, spread(judged_task, tasks), strict=True):
        found |= zip(task.places, judged, strict=True)
        progress("judging groups of people", len(found), len(cases))
    return found
