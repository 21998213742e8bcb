"""One figure whose cells stand alone, and how it fares with another channel."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, always, go_on
from dalenius.facts.records import is_whole
from dalenius.facts.secret import wide
from dalenius.mechanisms import Chain
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom

if TYPE_CHECKING:
    from dalenius.plan.calibration.cells import Cells

LADDER = (2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
LARGEST_BASE = 1_000_000
FEW = 3  # cases on which a change is tried first


@final
@dataclass(frozen=True, slots=True)
class CellCase:
    """One atom of a figure, and how many of its records the attacker knows."""

    atom: Atom
    known: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class FigureSetting:
    """A figure, and those of its cases that do not pass as they are, the worst first.

    Noise and rounding are functions of the exact figure (and of dice), so whoever passes without passes with them: only
    the cases that fail need be looked at again.
    """

    docket: Docket
    figure: Figure
    cases: tuple[CellCase, ...]
    smallest: int  # people in the smallest cell of the figure
    left: Left = always
    _cells: "list[Cells]" = field(default_factory=list, repr=False)

    def most(self, channel: Chain, *, few: bool = False) -> float:
        """The largest certified δ of the cases with this channel, or some δ above what is wanted; 1 if it is too much
        to compute. TimeUpError if no time is left.
        """
        from dalenius.plan.calibration.cells import Cells

        go_on(self.left)
        if few or len(self.cases) <= FEW:
            return self._one_by_one(channel, self.cases[:FEW])
        if not self._cells:
            found = [(case.atom.size, case.known, self.docket.laws(case.atom, [self.figure])) for case in self.cases]
            self._cells.append(Cells.of(found, self.docket.enough, anywhere=self.docket.presence))
        uppers, left = self._cells[0].uppers(self.docket.epsilon, channel)
        most = float(uppers.max(initial=0.0))
        if most > self.docket.enough:
            worst = self.cases[self._cells[0].places[int(uppers.argmax())]]
            most = self._one_by_one(channel, [worst])  # the bound is a little wider than the engine's
            if most <= self.docket.enough:
                left = range(len(self.cases))
        return (
            most if most > self.docket.enough else max(most, self._one_by_one(channel, [self.cases[i] for i in left]))
        )

    def _one_by_one(self, channel: Chain, some: Sequence[CellCase]) -> float:
        changed = replace(self.figure, channel=channel)
        most = 0.0
        try:
            for case in some:
                judged = self.docket.single(case.atom, changed, case.known, alone=True, quick=True)
                most = max(most, judged.delta.upper)
                if most > self.docket.enough:
                    break
        except InputError:
            return 1.0
        return most

    @property
    def move(self) -> int:
        """How far one person can move the figure, in units."""
        return self.docket.move(self.figure)

    @property
    def wide(self) -> bool:
        """Whether one person can add very many different numbers."""
        domain = self.docket.laws(self.cases[0].atom, [self.figure]).domain
        return wide([vector[0] for vector in domain if vector])


def checked_ladder(ladder: Sequence[int]) -> tuple[int, ...]:
    """Bases to try, ascending; InputError if there is none, or one that is no base."""
    if not ladder:
        raise InputError("A ladder of roundings needs at least one base, but it is empty. Write 5,10,100.")
    bases = [int(base) if is_whole(base) else base for base in ladder]
    for base in bases:
        if type(base) is not int or not 2 <= base <= LARGEST_BASE:
            raise InputError(
                f"A base of the ladder must be a whole number from 2 to {LARGEST_BASE}, but got {base!r}. Write 5, 10."
            )
    return tuple(sorted(set(bases)))
