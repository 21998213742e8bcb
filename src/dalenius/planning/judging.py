"""Many groups of people, judged one after the other or by many hands at once, with the same findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from dalenius.history import Atom, Entry
from dalenius.judgement import Judge
from dalenius.planning.finding import Finding, entry_sizes, judged_atom, known_in
from dalenius.planning.question import Progress, Question

T = TypeVar("T")
R = TypeVar("R")


class Spreader(Protocol):
    """A function and tasks to results, in the order of the tasks: `map`, by as many hands as there are."""

    def __call__(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """All the results; the first error, if there is one."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Some of the atoms, by their places, and all that judging them needs."""

    places: tuple[int, ...]
    atoms: tuple[Atom, ...]
    question: Question


def judge_of(question: Question) -> Judge:
    """A judge for a question, who has judged nothing yet."""
    target = question.target
    return Judge(question.columns, question.beliefs, question.frame, question.secret, target.epsilon, target.delta)


def judged_part(part: Part) -> list[Finding]:
    """The findings about these atoms, in their order."""
    sizes, judge = entry_sizes(part.atoms), judge_of(part.question)
    return [judged_atom(part.atoms[place], part.atoms, sizes, judge, part.question) for place in part.places]


def judged_all(
    atoms: tuple[Atom, ...],
    sizes: Mapping[Entry, int],
    judge: Judge,
    question: Question,
    progress: Progress,
    spread: Spreader | None = None,
) -> list[Finding]:
    """The finding about each atom. If the work is spread, atoms that may be of one kind are judged by the same hand,
    since they have one law; no finding depends on who else was judged before.
    """
    if spread is None:
        findings = []
        for done, atom in enumerate(atoms):
            findings.append(judged_atom(atom, atoms, sizes, judge, question))
            progress("judging groups of people", done + 1, len(atoms))
        return findings
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, atom in enumerate(atoms):
        key = (tuple(entry.figure.name for entry in atom.entries), atom.size, known_in(atom, sizes, question))
        alike.setdefault(key, []).append(place)
    parts = [Part(tuple(places), atoms, question) for places in alike.values()]
    found: dict[int, Finding] = {}
    for part, findings in zip(parts, spread(judged_part, parts), strict=True):
        found |= zip(part.places, findings, strict=True)
        progress("judging groups of people", len(found), len(atoms))
    return [found[place] for place in range(len(atoms))]
