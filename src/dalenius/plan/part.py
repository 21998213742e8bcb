"""Figures that share people, directly or through others: what changes one of them concerns the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from dalenius.basics.patience import Left, always, go_on
from dalenius.claims import Verdict
from dalenius.facts.records import Cell
from dalenius.plan.examination import Examination, passes
from dalenius.plan.finding import Finding
from dalenius.plan.question import Progress, Question
from dalenius.plan.wishes import NOTHING_SPECIAL, Wishes
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure, Frame
from dalenius.tables.history import Atom, Entry


@final
@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """New figures, figures that are already out, and the groups of people that they share."""

    new: tuple[Figure, ...]
    old: tuple[Figure, ...]
    atoms: tuple[Atom, ...]
    findings: tuple[Finding, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(figure.name for figure in self.new)

    @property
    def safe(self) -> bool:
        return all(finding.verdict == Verdict.PASS for finding in self.findings)

    @property
    def single(self) -> bool:
        """One figure, each number of which covers people that no other number does."""
        return len(self.new) == 1 and not self.old and all(len(atom.entries) == 1 for atom in self.atoms)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """What the search for a change needs to know."""

    question: Question
    docket: Docket
    sizes: Mapping[Entry, int]
    figures: tuple[Figure, ...]  # all new ones
    ladder: tuple[int, ...]
    progress: Progress
    left: Left = always
    wishes: Wishes = NOTHING_SPECIAL
    _numbers: dict[Figure, int] = field(default_factory=dict, repr=False)

    def numbers(self, figure: Figure) -> int:
        """How many published numbers the figure has that concern somebody."""
        if figure not in self._numbers:
            self._numbers[figure] = len(cells_of(figure, self.question.frame))
        return self._numbers[figure]

    def free(self, name: str) -> str:
        """A name that no figure has, from this one on."""
        taken = {figure.name for figure in self.figures}
        while name in taken:
            name += "'"
        return name

    def check_time(self) -> None:
        """TimeUpError unless there is time left."""
        go_on(self.left)

    def confirmed(self, part: Part, becomes: Mapping[str, tuple[Figure, ...]], *, kinds: int | None = None) -> bool:
        """Whether the part passes after these changes, judged from scratch. `kinds`: see `passes`."""
        self.check_time()
        changed = [new for figure in part.new for new in becomes.get(figure.name, (figure,))]
        return passes((*part.old, *changed), self.question, kinds=kinds)


def cells_of(figure: Figure, frame: Frame) -> dict[Cell, int]:
    """How many people each number of a figure covers; only public columns are looked at."""
    where = figure.where.on(frozenset(frame.columns))
    places = [frame.columns.index(name) for name in figure.by]
    found: dict[Cell, int] = {}
    for values, count in frame.groups.items():
        if count and where.holds(dict(zip(frame.columns, values, strict=True))):
            cell = tuple(values[place] for place in places)
            found[cell] = found.get(cell, 0) + count
    return found


def parts_of(figures: Sequence[Figure], old: Sequence[Figure], examined: Examination) -> list[Part]:
    """Figures joined by the groups of people that are in several of them."""
    together = [*old, *figures]
    leader = {figure.name: figure.name for figure in together}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for names in {tuple(entry.figure.name for entry in atom.entries) for atom in examined.atoms}:
        for name in names[1:]:
            leader[first(name)] = first(names[0])
    atoms: dict[str, list[Atom]] = {}
    findings: dict[str, list[Finding]] = {}
    for atom in examined.atoms:
        atoms.setdefault(first(atom.entries[0].figure.name), []).append(atom)
    for finding in examined.findings:
        findings.setdefault(first(finding.atom.entries[0].figure.name), []).append(finding)
    return [
        Part(
            tuple(figure for figure in figures if first(figure.name) == name),
            tuple(figure for figure in old if first(figure.name) == name),
            tuple(atoms.get(name, ())),
            tuple(findings.get(name, ())),
        )
        for name in dict.fromkeys(first(figure.name) for figure in together)
    ]
